#include "geometry/tree.h"

#include "core/error.h"

// Built from the top by the surface area heuristic over a fixed number of bins (Wald, "On fast
// Construction of SAH-based Bounding Volume Hierarchies", 2007). Deep levels, where the heuristic
// has failed to part the items, and items that share one centre are halved by their place in the
// list instead, so the depth is bounded whatever the input:
// SAH_DEPTH + log2(2^31) < SN_TREE_DEPTH, the size of all traversal stacks.

#define SAH_DEPTH 30
#define BIN_COUNT 16
#define LEAF_ITEMS 4

typedef struct Bin {
    snBox box;
    int count;
} Bin;

typedef struct Task {
    int node, depth;
} Task;

typedef struct Builder {
    snTree *tree;
    const snBox *boxes;
    const snVec3 *centres;
} Builder;

typedef struct Split {
    int axis; // -1: none was found
    int bin;  // items of this bin and above go right
    double origin, scale;
} Split;

static double halfArea(snBox box)
{
    snVec3 d = snSub(box.upper, box.lower);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

static int binOf(const Split *split, snVec3 centre)
{
    double place = (snComponent(centre, split->axis) - split->origin) * split->scale;
    int bin = place > 0.0 ? (int)place : 0;
    return bin < BIN_COUNT ? bin : BIN_COUNT - 1;
}

// The cheapest cut between bins along one axis: Σ count * area of both sides.
static double bestCut(const Builder *builder, const int *items, int count, Split *split)
{
    Bin bins[BIN_COUNT];
    for (int b = 0; b < BIN_COUNT; b++)
        bins[b] = (Bin){snEmptyBox(), 0};
    for (int i = 0; i < count; i++) {
        Bin *bin = &bins[binOf(split, builder->centres[items[i]])];
        bin->box = snBoxUnion(bin->box, builder->boxes[items[i]]);
        bin->count++;
    }
    double right[BIN_COUNT];
    Bin sum = {snEmptyBox(), 0};
    for (int b = BIN_COUNT - 1; b > 0; b--) {
        sum = (Bin){snBoxUnion(sum.box, bins[b].box), sum.count + bins[b].count};
        right[b] = sum.count ? sum.count * halfArea(sum.box) : INFINITY;
    }
    double best = INFINITY;
    sum = (Bin){snEmptyBox(), 0};
    for (int b = 1; b < BIN_COUNT; b++) {
        sum = (Bin){snBoxUnion(sum.box, bins[b - 1].box), sum.count + bins[b - 1].count};
        double cost = sum.count ? sum.count * halfArea(sum.box) + right[b] : INFINITY;
        if (cost < best) {
            best = cost;
            split->bin = b;
        }
    }
    return best;
}

static Split chooseSplit(const Builder *builder, const int *items, int count)
{
    snBox centres = snBoxOfListed(count, items, builder->centres);
    Split best = {.axis = -1};
    double bestCost = INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        double low = snComponent(centres.lower, axis), high = snComponent(centres.upper, axis);
        Split split = {axis, 0, low, BIN_COUNT / (high - low)};
        if (!(high > low) || !isfinite(split.scale)) continue;
        double cost = bestCut(builder, items, count, &split);
        if (cost < bestCost) {
            bestCost = cost;
            best = split;
        }
    }
    return best;
}

// Moves the left items to the front, keeping the order within both sides, so that the result is a
// function of the input alone. Returns how many are left.
static int partition(const Builder *builder, const Split *split, int *items, int count, int *spare)
{
    int left = 0, right = 0;
    for (int i = 0; i < count; i++) {
        if (binOf(split, builder->centres[items[i]]) < split->bin)
            items[left++] = items[i];
        else
            spare[right++] = items[i];
    }
    for (int i = 0; i < right; i++)
        items[left + i] = spare[i];
    return left;
}

static snBox boxOfItems(const snTree *tree, const snTreeNode *leaf, const snBox *boxes)
{
    snBox box = snEmptyBox();
    for (int i = leaf->first; i < leaf->first + leaf->count; i++)
        box = snBoxUnion(box, boxes[tree->items[i]]);
    return box;
}

// A node begins as a leaf of all its items and is split until its items are few.
static void splitAll(const Builder *builder, int *spare)
{
    snTree *tree = builder->tree;
    Task stack[SN_TREE_DEPTH];
    int top = 0;
    stack[top++] = (Task){0, 0};
    while (top > 0) {
        Task task = stack[--top];
        snTreeNode *node = &tree->nodes[task.node];
        node->box = boxOfItems(tree, node, builder->boxes);
        if (node->count <= LEAF_ITEMS) continue;
        int *items = tree->items + node->first;
        Split split = {.axis = -1};
        if (task.depth < SAH_DEPTH) split = chooseSplit(builder, items, node->count);
        int left = split.axis < 0 ? node->count / 2
                                  : partition(builder, &split, items, node->count, spare);
        int child = tree->nodeCount;
        tree->nodeCount += 2;
        tree->nodes[child] = (snTreeNode){.first = node->first, .count = left};
        tree->nodes[child + 1] =
            (snTreeNode){.first = node->first + left, .count = node->count - left};
        node->first = child;
        node->count = 0;
        stack[top++] = (Task){child + 1, task.depth + 1};
        stack[top++] = (Task){child, task.depth + 1};
    }
}

static snStatus checkBoxes(int count, const snBox *boxes, snError *error)
{
    for (int i = 0; i < count; i++)
        if (!snIsFinite3(boxes[i].lower) || !snIsFinite3(boxes[i].upper))
            return snFail(error, SN_ERROR_GEOMETRY,
                          "box %d has a bound that is not a finite number", i);
    return SN_OK;
}

snStatus snTree_Build(snTree *tree, int count, const snBox *boxes, snArena *arena, snError *error)
{
    *tree = (snTree){0};
    snStatus status = checkBoxes(count, boxes, error);
    if (status || count <= 0) return status;
    tree->nodes = SN_NEW(arena, snTreeNode, 2 * (size_t)count - 1);
    tree->items = SN_NEW(arena, int, count);
    tree->boxes = SN_NEW(arena, snBox, count);
    if (!tree->nodes || !tree->items || !tree->boxes) return snFailMemory(error);

    snArena scratch = {.allocator = arena->allocator};
    snVec3 *centres = SN_NEW(&scratch, snVec3, count);
    int *spare = SN_NEW(&scratch, int, count);
    if (centres && spare) {
        for (int i = 0; i < count; i++) {
            tree->items[i] = i;
            centres[i] = snAdd(snScale(0.5, boxes[i].lower), snScale(0.5, boxes[i].upper));
        }
        tree->itemCount = count;
        tree->nodeCount = 1;
        tree->nodes[0] = (snTreeNode){.first = 0, .count = count};
        splitAll(&(Builder){tree, boxes, centres}, spare);
        for (int i = 0; i < count; i++)
            tree->boxes[i] = boxes[tree->items[i]];
    } else {
        status = snFailMemory(error);
    }
    snArena_Destroy(&scratch);
    return status;
}

// Children come after their parents, so backwards every child is done before its parent.
void snTree_Refit(snTree *tree, const snBox *boxes)
{
    for (int i = 0; i < tree->itemCount; i++)
        tree->boxes[i] = boxes[tree->items[i]];
    for (int n = tree->nodeCount - 1; n >= 0; n--) {
        snTreeNode *node = &tree->nodes[n];
        node->box = node->count ? boxOfItems(tree, node, boxes)
                                : snBoxUnion(tree->nodes[node->first].box,
                                             tree->nodes[node->first + 1].box);
    }
}

static bool visitLeaf(const snTree *tree, const snTreeNode *leaf, snBox box, snTreeVisit *visit,
                      void *context)
{
    for (int i = leaf->first; i < leaf->first + leaf->count; i++)
        if (snBoxOverlap(tree->boxes[i], box) && !visit(tree->items[i], context)) return false;
    return true;
}

void snTree_Overlap(const snTree *tree, snBox box, snTreeVisit *visit, void *context)
{
    int stack[SN_TREE_DEPTH];
    int top = 0;
    if (tree->nodeCount > 0) stack[top++] = 0;
    while (top > 0) {
        const snTreeNode *node = &tree->nodes[stack[--top]];
        if (!snBoxOverlap(node->box, box)) continue;
        if (node->count) {
            if (!visitLeaf(tree, node, box, visit, context)) return;
            continue;
        }
        stack[top++] = node->first + 1;
        stack[top++] = node->first;
    }
}
