#include "numerics/cholesky_parts.h"
#include "numerics/ordering.h"

#include "core/error.h"

#include <limits.h>
#include <string.h>

// Elimination trees and row subtrees: Liu, "The role of elimination trees in sparse factorization",
// 1990. Supernodes and their relaxation: Ashcraft, Grimes, "The influence of relaxed supernode
// partitions on the multifrontal method", 1989.

// The structure of L for one ordering, in blocks.
typedef struct Tree {
    int size;
    int *order, *inverse; // [size]
    int *rowStart;        // [size + 1]
    int *below;           // neighbours of row i that are eliminated before it
    int *parent;          // [size], -1 for roots
    int *count;           // [size]; entries of column j of L, with the diagonal
    int *work;            // [3 * size]
    int64_t fill;         // sum of counts
} Tree;

static snStatus makeTree(Tree *tree, const snGraph *graph, snArena *scratch, snError *error)
{
    int size = graph->size;
    *tree = (Tree){.size = size};
    tree->order = SN_NEW(scratch, int, size);
    tree->inverse = SN_NEW(scratch, int, size);
    tree->rowStart = SN_NEW(scratch, int, (size_t)size + 1);
    tree->below = SN_NEW(scratch, int, graph->start[size] / 2);
    tree->parent = SN_NEW(scratch, int, size);
    tree->count = SN_NEW(scratch, int, size);
    tree->work = SN_NEW(scratch, int, 3 * (size_t)size);
    bool whole = tree->order && tree->inverse && tree->rowStart && tree->below && tree->parent &&
                 tree->count && tree->work;
    return whole ? SN_OK : snFailMemory(error);
}

static void listRowsBelow(Tree *tree, const snGraph *graph)
{
    for (int k = 0; k < tree->size; k++)
        tree->inverse[tree->order[k]] = k;
    int used = 0;
    for (int i = 0; i < tree->size; i++) {
        tree->rowStart[i] = used;
        int vertex = tree->order[i];
        for (int a = graph->start[vertex]; a < graph->start[vertex + 1]; a++) {
            int k = tree->inverse[graph->neighbour[a]];
            if (k < i) tree->below[used++] = k;
        }
    }
    tree->rowStart[tree->size] = used;
}

// parent(k) is the first row below the diagonal of column k of L. The path from k upwards is
// shortened to the root found so far.
static void findParents(Tree *tree)
{
    int *ancestor = tree->work;
    for (int i = 0; i < tree->size; i++) {
        tree->parent[i] = ancestor[i] = -1;
        for (int a = tree->rowStart[i]; a < tree->rowStart[i + 1]; a++)
            for (int k = tree->below[a]; k != -1 && k < i;) {
                int next = ancestor[k];
                ancestor[k] = i;
                if (next == -1) tree->parent[k] = i;
                k = next;
            }
    }
}

// Row i of L is the subtree that hangs below i and whose leaves are the entries of row i of A.
static void countColumns(Tree *tree)
{
    int *mark = tree->work;
    tree->fill = 0;
    for (int i = 0; i < tree->size; i++) {
        tree->count[i] = 1;
        mark[i] = i;
        for (int a = tree->rowStart[i]; a < tree->rowStart[i + 1]; a++)
            for (int k = tree->below[a]; mark[k] != i; k = tree->parent[k]) {
                tree->count[k]++;
                mark[k] = i;
            }
    }
    for (int i = 0; i < tree->size; i++)
        tree->fill += tree->count[i];
}

// Renumbers so that every subtree is a run that ends with its root, the largest child last: that
// child can then merge with its parent.
static void postorder(Tree *tree, int *position)
{
    int size = tree->size;
    int *head = tree->work, *next = tree->work + size, *stack = tree->work + 2 * (size_t)size;
    // Children lists by ascending count, ties by number: count sort over columns, then push in
    // descending order so that the smallest ends up in front.
    int *start = position; // free until the end
    memset(start, 0, (size_t)size * sizeof *start);
    for (int i = 0; i < size; i++)
        start[tree->count[i] - 1]++;
    for (int c = 0, total = 0; c < size; c++) {
        int here = start[c];
        start[c] = total;
        total += here;
    }
    for (int i = 0; i < size; i++)
        stack[start[tree->count[i] - 1]++] = i;
    for (int i = 0; i < size; i++)
        head[i] = -1;
    int root = -1;
    for (int a = size - 1; a >= 0; a--) {
        int i = stack[a], *list = tree->parent[i] < 0 ? &root : &head[tree->parent[i]];
        next[i] = *list;
        *list = i;
    }
    // Depth first without recursion: head[i] is the next child to visit.
    int done = 0;
    while (root >= 0) {
        int depth = 0;
        stack[depth++] = root;
        root = next[root];
        while (depth) {
            int i = stack[depth - 1], child = head[i];
            if (child >= 0) {
                head[i] = next[child];
                stack[depth++] = child;
            } else {
                position[i] = done++;
                depth--;
            }
        }
    }
}

static snStatus analyse(Tree *tree, const snGraph *graph, snArena *scratch, snError *error)
{
    int *position = SN_NEW(scratch, int, tree->size);
    if (!position) return snFailMemory(error);
    listRowsBelow(tree, graph);
    findParents(tree);
    countColumns(tree);
    postorder(tree, position);
    int *renumbered = tree->work;
    for (int i = 0; i < tree->size; i++)
        renumbered[position[i]] = tree->order[i];
    if (tree->size) memcpy(tree->order, renumbered, (size_t)tree->size * sizeof *renumbered);
    listRowsBelow(tree, graph);
    findParents(tree);
    countColumns(tree);
    return SN_OK;
}

static snStatus chooseOrder(Tree *tree, const snGraph *graph, snOrdering ordering, snArena *scratch,
                            snError *error)
{
    snStatus status = SN_OK;
    if (ordering == SN_ORDER_DISSECTION)
        status = snOrderByDissection(tree->order, graph, scratch, error);
    else if (ordering == SN_ORDER_NATURAL)
        for (int i = 0; i < graph->size; i++)
            tree->order[i] = i;
    else
        status = snOrderByDegree(tree->order, graph, scratch, error);
    return status ? status : analyse(tree, graph, scratch, error);
}

// Below this size AMD is as good as dissection, or the difference is a matter of microseconds.
#define DISSECTION_SIZE 500

static snStatus bestTree(Tree *best, const snGraph *graph, snOrdering ordering, snArena *scratch,
                         snError *error)
{
    snStatus status = makeTree(best, graph, scratch, error);
    if (!status) status = chooseOrder(best, graph, ordering, scratch, error);
    if (status || ordering != SN_ORDER_AUTO || graph->size < DISSECTION_SIZE) return status;
    Tree other;
    status = makeTree(&other, graph, scratch, error);
    if (!status) status = chooseOrder(&other, graph, SN_ORDER_DISSECTION, scratch, error);
    if (!status && other.fill < best->fill) *best = other;
    return status;
}

// What a supernode costs a solve, in cycles of a forward and a backward pass: something for being
// there, something for every row that is gathered and scattered, and the streaming of its entries.
typedef struct Cost {
    double supernode, row, entry;
} Cost;

static double supernodeCost(const Cost *cost, int block, int columns, int rows)
{
    double pivots = block * columns, below = block * rows;
    double entries = pivots * (0.5 * pivots + 1.5 * SN_STRIP + below);
    return cost->supernode + cost->row * below + cost->entry * entries;
}

static Cost costFor(const Tree *tree, int block)
{
    double bytes = 8.0 * (double)tree->fill * block * block;
    Cost cost = {.supernode = 120, .row = 3, .entry = 0.35};
    if (bytes > 1e6) cost.entry = 0.7; // from the third-level cache
    if (bytes > 3e7) cost.entry = 2;   // from memory
    return cost;
}

// Columns j and j + 1 share a supernode when column j of L is column j + 1 with one more entry, or
// when the cost of the zeros that merging stores is less than what it saves. Supernodes come in
// ascending order, each merging as often as it pays with the one just before it, if that is its
// child: then it holds the child's rows too. Returns the number of supernodes; first[s] is where
// each begins.
static int findSupernodes(const Tree *tree, int block, int *first)
{
    Cost cost = costFor(tree, block);
    int count = 0;
    for (int j = 0; j < tree->size;) {
        int end = j + 1;
        while (end < tree->size && tree->parent[end - 1] == end &&
               tree->count[end] == tree->count[end - 1] - 1)
            end++;
        int begin = j, rows = tree->count[end - 1] - 1;
        while (count) {
            int child = first[count - 1], top = tree->parent[begin - 1];
            if (top < begin || top >= end) break;
            int childRows = tree->count[begin - 1] - 1;
            double apart = supernodeCost(&cost, block, begin - child, childRows) +
                           supernodeCost(&cost, block, end - begin, rows);
            if (supernodeCost(&cost, block, end - child, rows) > apart) break;
            begin = child;
            count--;
        }
        first[count++] = begin;
        j = end;
    }
    return count;
}

static snStatus makeSupernodes(snSymbolic *symbolic, const Tree *tree, int *owner, snArena *arena,
                               snArena *scratch, snError *error)
{
    int size = tree->size;
    int *first = SN_NEW(scratch, int, size);
    if (!first) return snFailMemory(error);
    int count = findSupernodes(tree, symbolic->block, first);
    symbolic->supernodeCount = count;
    symbolic->supernodes = SN_NEW(arena, snSupernode, (size_t)count + 1);
    if (!symbolic->supernodes) return snFailMemory(error);
    int64_t listed = 0;
    for (int s = 0; s < count; s++) {
        int end = s + 1 < count ? first[s + 1] : size;
        snSupernode *supernode = &symbolic->supernodes[s];
        supernode->first = first[s];
        supernode->columns = end - first[s];
        supernode->rows = tree->count[end - 1] - 1;
        supernode->rowStart = (int)listed;
        listed += supernode->rows;
        if (listed > INT_MAX)
            return snFail(error, SN_ERROR_ARGUMENT, "the factor of %d rows is too large", size);
        for (int j = first[s]; j < end; j++)
            owner[j] = s;
    }
    for (int s = 0; s < count; s++) {
        snSupernode *supernode = &symbolic->supernodes[s];
        int top = tree->parent[supernode->first + supernode->columns - 1];
        supernode->parent = top < 0 ? -1 : owner[top];
    }
    symbolic->supernodes[count] =
        (snSupernode){.first = size, .rowStart = (int)listed, .parent = -1};
    symbolic->row = SN_NEW(arena, int, listed);
    symbolic->relative = SN_NEW(arena, int, listed);
    return symbolic->row && symbolic->relative ? SN_OK : snFailMemory(error);
}

// Row i is appended to every supernode on the paths from its entries up to its own supernode;
// i ascends, so the lists are sorted.
static void listSupernodeRows(snSymbolic *symbolic, const Tree *tree, const int *owner, int *mark,
                              int *used)
{
    for (int s = 0; s < symbolic->supernodeCount; s++) {
        mark[s] = -1;
        used[s] = 0;
    }
    for (int i = 0; i < tree->size; i++) {
        mark[owner[i]] = i;
        for (int a = tree->rowStart[i]; a < tree->rowStart[i + 1]; a++)
            for (int s = owner[tree->below[a]]; mark[s] != i; s = symbolic->supernodes[s].parent) {
                symbolic->row[symbolic->supernodes[s].rowStart + used[s]++] = i;
                mark[s] = i;
            }
    }
}

static void linkChildren(snSymbolic *symbolic)
{
    for (int s = 0; s < symbolic->supernodeCount; s++)
        symbolic->supernodes[s].lastChild = symbolic->supernodes[s].previousSibling = -1;
    for (int s = 0; s < symbolic->supernodeCount; s++) {
        snSupernode *supernode = &symbolic->supernodes[s];
        if (supernode->parent < 0) continue;
        snSupernode *parent = &symbolic->supernodes[supernode->parent];
        supernode->previousSibling = parent->lastChild;
        parent->lastChild = s;
    }
}

// position[i] for all rows of a front: pivots first, then the rows below.
static void numberFront(const snSymbolic *symbolic, int s, int *position)
{
    const snSupernode *supernode = &symbolic->supernodes[s];
    for (int j = 0; j < supernode->columns; j++)
        position[supernode->first + j] = j;
    for (int k = 0; k < supernode->rows; k++)
        position[symbolic->row[supernode->rowStart + k]] = supernode->columns + k;
}

static void placeEntries(snSymbolic *symbolic, const Tree *tree, const snPattern *pattern,
                         const int *owner, int *next)
{
    int count = symbolic->supernodeCount;
    for (int pass = 0; pass < 2; pass++) {
        for (int c = 0; c < pattern->size; c++)
            for (int k = pattern->columnStart[c]; k < pattern->columnStart[c + 1]; k++) {
                int i = tree->inverse[pattern->row[k]], j = tree->inverse[c];
                int s = owner[i < j ? i : j];
                if (pass)
                    symbolic->entry[next[s]++] = i < j ? (snEntry){~k, j, i} : (snEntry){k, i, j};
                else
                    symbolic->supernodes[s + 1].entryStart++;
            }
        if (pass) break;
        for (int s = 0; s < count; s++) {
            next[s] = symbolic->supernodes[s].entryStart;
            symbolic->supernodes[s + 1].entryStart += next[s];
        }
    }
}

// Turns rows of A and of children's updates into positions in the fronts that take them up.
static void placeFronts(snSymbolic *symbolic, int *position)
{
    for (int s = 0; s < symbolic->supernodeCount; s++) {
        const snSupernode *supernode = &symbolic->supernodes[s];
        numberFront(symbolic, s, position);
        for (int e = supernode->entryStart; e < supernode[1].entryStart; e++) {
            symbolic->entry[e].row = position[symbolic->entry[e].row];
            symbolic->entry[e].column = position[symbolic->entry[e].column];
        }
        for (int c = supernode->lastChild; c >= 0; c = symbolic->supernodes[c].previousSibling) {
            const snSupernode *below = &symbolic->supernodes[c];
            for (int k = below->rowStart; k < below->rowStart + below->rows; k++)
                symbolic->relative[k] = position[symbolic->row[k]];
        }
    }
}

size_t snPanelSize(int pivots, int rows)
{
    size_t size = 0;
    for (int strip = 0; strip < snStripCount(pivots); strip++) {
        int begin = snStripStart(pivots, strip), end = snStripStart(pivots, strip + 1);
        size += snStripSize(end - begin, pivots + rows - end);
    }
    return size;
}

// Sizes of panels, of the largest front, and of the stack of updates: a supernode pops those of
// its children and pushes its own (a packed triangle).
static snStatus measure(snSymbolic *symbolic, snError *error)
{
    int block = symbolic->block;
    size_t depth = 0;
    for (int s = 0; s < symbolic->supernodeCount; s++) {
        snSupernode *supernode = &symbolic->supernodes[s];
        int64_t height = (int64_t)block * (supernode->columns + supernode->rows);
        if (height > INT_MAX / 4)
            return snFail(error, SN_ERROR_ARGUMENT, "the factor of %d rows is too large",
                          symbolic->size);
        int rows = block * supernode->rows;
        supernode->panel = symbolic->panelSize;
        symbolic->panelSize += snPanelSize(block * supernode->columns, rows);
        size_t front = (size_t)height * (size_t)snWorkStride((int)height);
        if (front > symbolic->frontSize) symbolic->frontSize = front;
        if (height > symbolic->maxRows) symbolic->maxRows = (int)height;
        for (int c = supernode->lastChild; c >= 0; c = symbolic->supernodes[c].previousSibling) {
            size_t side = (size_t)(block * symbolic->supernodes[c].rows);
            depth -= side * (side + 1) / 2;
        }
        depth += (size_t)rows * (size_t)(rows + 1) / 2;
        if (depth > symbolic->stackSize) symbolic->stackSize = depth;
    }
    symbolic->supernodes[symbolic->supernodeCount].panel = symbolic->panelSize;
    return SN_OK;
}

static snStatus build(snSymbolic *symbolic, const Tree *tree, const snPattern *pattern,
                      snArena *arena, snArena *scratch, snError *error)
{
    size_t size = (size_t)tree->size;
    symbolic->order = SN_COPY(arena, int, tree->order, size);
    symbolic->entry = SN_NEW(arena, snEntry, symbolic->entryCount);
    int *owner = SN_NEW(scratch, int, size);
    int *work = SN_NEW(scratch, int, 2 * (size + 1));
    if (!symbolic->order || !symbolic->entry || !owner || !work) return snFailMemory(error);
    snStatus status = makeSupernodes(symbolic, tree, owner, arena, scratch, error);
    if (status) return status;

    int *used = work + size + 1;
    listSupernodeRows(symbolic, tree, owner, work, used);
    placeEntries(symbolic, tree, pattern, owner, used);
    linkChildren(symbolic);
    placeFronts(symbolic, work);
    return measure(symbolic, error);
}

snStatus snSymbolic_Make(snSymbolic **symbolic, const snPattern *pattern, int block,
                         snOrdering ordering, snArena *arena, snError *error)
{
    *symbolic = NULL;
    if (block != 1 && block != 3)
        return snFail(error, SN_ERROR_ARGUMENT, "entries of %d x %d are not possible, only 1 or 3",
                      block, block);
    snSymbolic *result = SN_NEW(arena, snSymbolic, 1);
    if (!result) return snFailMemory(error);
    result->size = pattern->size;
    result->block = block;
    result->entryCount = pattern->size ? pattern->columnStart[pattern->size] : 0;

    snArena scratch = {.allocator = arena->allocator};
    snGraph graph;
    Tree tree;
    snStatus status = snGraph_FromPattern(&graph, pattern, &scratch, error);
    if (!status) status = bestTree(&tree, &graph, ordering, &scratch, error);
    if (!status) status = build(result, &tree, pattern, arena, &scratch, error);
    snArena_Destroy(&scratch);
    if (!status) *symbolic = result;
    return status;
}

const int *snSymbolic_Order(const snSymbolic *symbolic)
{
    return symbolic->order;
}

int64_t snSymbolic_NonZeros(const snSymbolic *symbolic)
{
    return (int64_t)symbolic->panelSize;
}
