// Which functions of a hierarchical basis are independent on Ω.
//
// Inside of Ω all are. At its border they are not, and by no accident: where K_J has cells with and
// without Ω, a coarse function g whose own vertex lies in cells without is, on Ω, a sum of finer
// ones. With one cell K = [0, 1] and Ω = [0.6, 1]: 1 - x of level 0 and the hat of 0.5 of level 1
// are the same line there. There are as many such relations as there are such vertices, all of
// them where the lattice stands out of the body. The coarse one should stay, since level 0 must be
// whole and coarse functions are to be used without the finer ones.
//
// So levels are taken one after another, and of level j as few as possible are dropped such that it
// is independent together with what is kept of levels 0 ... j - 1. The Gram matrix, scaled to a
// unit diagonal, is factored as L D Lᵀ; d_k is the square of the distance of function k from the
// span of those before it. A small one is a relation
//     φ_k ≈ Σ_(i<k) c_i φ_i,        L_(<k)ᵀ c = l_k   (l_k: row k of L)
// between k and all i with c_i != 0, any of which may leave with the span unchanged: it is that of
// level j with the greatest |c_i|. If that is not k, then k is left out for the rest of this pass
// and comes back in the next. Where k has a small pivot again and again, the relation is one
// between coarse functions that finer ones only tip over the limit: then k goes, unless it is of
// level 0. Passes end when none has a small pivot; the last that is allowed drops any k, but is
// a hundred times more patient with level 0.
#include "body/lattice/basis_parts.h"

#include "core/error.h"
#include "numerics/ordering.h"

#include <math.h>

#define MOST_PASSES 12
#define MOST_RETURNS 2 // of a function that has a small pivot

// The scaled matrix, whole, in the order of elimination; and its factor as it grows. A function is
// `in` if it takes part at the present level, and `gone` if it is left out for the present pass.
typedef struct Ldl {
    snBasis *basis;
    const snFunctionSet *set;
    double leastPivot;
    int n;
    int *level;         // [n]
    int *start, *other; // [n + 1], entries of a row
    double *value;
    int *function; // [n]
    unsigned char *in, *gone, *returns;
    // Structure of L: the elimination tree and room for its columns.
    int *parent, *columnStart, *columnCount;
    int *flag, *path, *stack;
    // L by columns, without its diagonal of ones, and D.
    int *row;
    double *entry, *pivot;
    double *work, *relation; // [n], zero between uses
} Ldl;

static double scaledValue(const snSparse *gram, int entry, int i, int j)
{
    const int *start = gram->pattern.columnStart;
    return gram->values[entry] / sqrt(gram->values[start[i]]) / sqrt(gram->values[start[j]]);
}

static snStatus allocLdl(Ldl *l, const snSparse *gram, snArena *scratch, snError *error)
{
    size_t n = (size_t)l->n, entries = (size_t)gram->pattern.columnStart[l->n];
    int **ints[] = {&l->level, &l->function, &l->parent, &l->columnCount,
                    &l->flag,  &l->path,     &l->stack};
    bool good = true;
    for (size_t k = 0; k < sizeof ints / sizeof *ints && good; k++)
        good = (*ints[k] = SN_NEW(scratch, int, n)) != NULL;
    l->start = SN_NEW(scratch, int, n + 1);
    l->columnStart = SN_NEW(scratch, int, n + 1);
    l->other = SN_NEW(scratch, int, 2 * entries);
    l->value = SN_NEW(scratch, double, 2 * entries);
    l->in = SN_NEW(scratch, unsigned char, n);
    l->gone = SN_NEW(scratch, unsigned char, n);
    l->returns = SN_NEW(scratch, unsigned char, n);
    l->pivot = SN_NEW(scratch, double, n);
    l->work = SN_NEW(scratch, double, n);
    l->relation = SN_NEW(scratch, double, n);
    good = good && l->start && l->columnStart && l->other && l->value && l->in && l->gone &&
           l->returns && l->pivot && l->work && l->relation;
    return good ? SN_OK : snFailMemory(error);
}

// Both triangles of the matrix, permuted; the diagonal is 1 and left out.
static snStatus loadMatrix(Ldl *l, const snSparse *gram, snArena *scratch, snError *error)
{
    snGraph graph;
    int n = l->n, *order = SN_NEW(scratch, int, n), *placeOf = SN_NEW(scratch, int, n);
    if (!order || !placeOf) return snFailMemory(error);
    snStatus status = snGraph_FromPattern(&graph, &gram->pattern, scratch, error);
    if (!status) status = snOrderByDegree(order, &graph, scratch, error);
    if (status) return status;
    for (int k = 0; k < n; k++) {
        placeOf[order[k]] = k;
        l->function[k] = l->set->member[order[k]];
        l->level[k] = snBasis_Level(l->basis, l->function[k]);
        l->start[k + 1] = l->start[k] + graph.start[order[k] + 1] - graph.start[order[k]];
        l->columnCount[k] = l->start[k];
    }
    for (int j = 0; j < n; j++) {
        const int *columnStart = gram->pattern.columnStart;
        for (int e = columnStart[j] + 1; e < columnStart[j + 1]; e++) {
            int i = gram->pattern.row[e], a = placeOf[i], b = placeOf[j];
            l->other[l->columnCount[a]] = b;
            l->other[l->columnCount[b]] = a;
            l->value[l->columnCount[a]++] = l->value[l->columnCount[b]++] =
                scaledValue(gram, e, i, j);
        }
    }
    return SN_OK;
}

// The elimination tree and the sizes of columns: row k of L has an entry for every i on the paths
// in the tree from the entries of row k of the matrix up to k.
static snStatus findStructure(Ldl *l, snArena *arena, snError *error)
{
    for (int k = 0; k < l->n; k++) {
        l->parent[k] = l->flag[k] = -1;
        l->columnCount[k] = 0;
    }
    for (int k = 0; k < l->n; k++) {
        if (!l->in[k]) continue;
        l->flag[k] = k;
        for (int e = l->start[k]; e < l->start[k + 1]; e++)
            for (int i = l->other[e]; i < k && l->in[i] && l->flag[i] != k; i = l->parent[i]) {
                if (l->parent[i] < 0) l->parent[i] = k;
                l->columnCount[i]++;
                l->flag[i] = k;
            }
    }
    int64_t total = 0;
    for (int k = 0; k < l->n; k++) {
        total += l->columnCount[k];
        if (total > INT32_MAX)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "the basis has too many functions to be checked for independence; use "
                          "fewer levels, or leastPivot 0");
        l->columnStart[k + 1] = (int)total;
        l->columnCount[k] = 0;
        l->flag[k] = -1;
    }
    l->row = SN_NEW(arena, int, total);
    l->entry = SN_NEW(arena, double, total);
    return l->row && l->entry ? SN_OK : snFailMemory(error);
}

// Scatters row k of the matrix into `work` and puts the places of row k of L, in an order in which
// it can be solved for, at path[result] ... path[n - 1].
static int openRow(Ldl *l, int k)
{
    int top = l->n;
    l->flag[k] = k;
    for (int e = l->start[k]; e < l->start[k + 1]; e++) {
        int i = l->other[e], length = 0;
        if (i >= k || !l->in[i]) continue;
        l->work[i] = l->value[e];
        for (; l->flag[i] != k; i = l->parent[i]) {
            l->stack[length++] = i;
            l->flag[i] = k;
        }
        while (length > 0)
            l->path[--top] = l->stack[--length];
    }
    return top;
}

// Row k of L and its pivot: L_(<k) D y = a_k, d_k = 1 - y D y.
static double solveRow(Ldl *l, int k, int top)
{
    double pivot = 1;
    for (int t = top; t < l->n; t++) {
        int i = l->path[t];
        double w = l->work[i], y;
        l->work[i] = 0;
        if (l->gone[i]) continue;
        int begin = l->columnStart[i], end = begin + l->columnCount[i];
        for (int e = begin; e < end; e++)
            l->work[l->row[e]] -= l->entry[e] * w;
        y = w / l->pivot[i];
        pivot -= y * w;
        l->row[end] = k;
        l->entry[end] = y;
        l->columnCount[i]++;
    }
    return pivot;
}

// Takes row k, the last one, out of L again.
static void removeRow(Ldl *l, int k, int top)
{
    for (int t = top; t < l->n; t++)
        if (!l->gone[l->path[t]]) l->columnCount[l->path[t]]--;
    l->gone[k] = 1;
}

// Solves L_(<k)ᵀ c = l_k for the relation of k to those before it and returns whom to drop. With
// column i of L: c_i = L_ki - Σ_(i<j<k) L_ji c_j. The entries of a column are ancestors in the tree,
// so those on the path of row k can be had without the rest; all that overlap function k are there.
static int findVictim(Ldl *l, int k, int top, int level)
{
    int best = k;
    double most = l->level[k] == level ? 1 : 0;
    for (int t = l->n - 1; t >= top; t--) {
        int i = l->path[t];
        double c = 0;
        if (l->gone[i]) continue;
        for (int e = l->columnStart[i]; e < l->columnStart[i] + l->columnCount[i]; e++)
            c += l->row[e] == k ? l->entry[e] : -l->entry[e] * l->relation[l->row[e]];
        l->relation[i] = c;
        bool may = l->level[i] == level && l->in[i] != 2;
        if (may && fabs(c) > most * (1 + 1e-9)) {
            most = fabs(c);
            best = i;
        }
    }
    for (int t = top; t < l->n; t++)
        l->relation[l->path[t]] = 0;
    return best;
}

// How small a pivot may be: see leastPivot.
static double limitOf(const Ldl *l, int k, int level, bool last)
{
    double limit = last && l->level[k] == 0 ? l->leastPivot / 100 : l->leastPivot;
    for (int j = l->level[k]; j < level; j++)
        limit /= l->basis->scheme == SN_SCHEME_TRILINEAR ? 8 : 64;
    return limit;
}

// Factors what is in; returns how many relations were found. Victims get in = 2.
static int factorPass(Ldl *l, int level, bool last)
{
    int found = 0;
    for (int k = 0; k < l->n; k++) {
        l->gone[k] = 0;
        if (!l->in[k]) continue;
        int top = openRow(l, k);
        l->pivot[k] = solveRow(l, k, top);
        if (l->pivot[k] >= limitOf(l, k, level, last)) continue;
        bool itself = last || (l->level[k] > 0 && l->returns[k] >= MOST_RETURNS);
        l->in[itself ? k : findVictim(l, k, top, level)] = 2;
        l->returns[k]++;
        removeRow(l, k, top);
        found++;
    }
    return found;
}

static void dropVictims(Ldl *l)
{
    for (int k = 0; k < l->n; k++) {
        if (l->in[k] != 2) continue;
        l->in[k] = 0;
        l->basis->state[l->function[k]] = SN_FUNCTION_DEPENDENT;
    }
}

static snStatus checkLevel(Ldl *l, int level, snArena *scratch, snError *error)
{
    for (int k = 0; k < l->n; k++) {
        if (l->level[k] == level) l->in[k] = 1;
        l->returns[k] = 0;
    }
    for (int pass = 1; pass <= MOST_PASSES; pass++) {
        snArenaMark mark = snArena_Mark(scratch);
        snStatus status = findStructure(l, scratch, error);
        if (status) return status;
        int found = factorPass(l, level, pass == MOST_PASSES);
        dropVictims(l);
        snArena_Rewind(scratch, mark);
        if (found == 0) break;
    }
    return SN_OK;
}

snStatus snBasis_MarkDependent(snBasis *basis, const snSparse *gram, const snFunctionSet *set,
                               double leastPivot, const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    Ldl l = {.basis = basis, .set = set, .leastPivot = leastPivot, .n = set->count};
    snStatus status = allocLdl(&l, gram, &scratch, error);
    if (!status) status = loadMatrix(&l, gram, &scratch, error);
    for (int level = 0; level <= basis->levels && !status; level++)
        status = checkLevel(&l, level, &scratch, error);
    snArena_Destroy(&scratch);
    return status;
}
