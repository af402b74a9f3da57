// Which functions of a hierarchical basis are independent on Ω, when they are integrated at their own
// level (Q = J): the relations between them are then known, and small.
//
// On Ω a function of V_J is known by its values at the vertices that Ω *has*: those of fine tets with a
// part in Ω. Each fine tet counts with a share of its whole matrix V/20 (1 + δ_kl), whose eigenvalues are
// within 1/2 and 5/2 of its diagonal, so with D the diagonal of all of them
//     ½ Σ_v D_v u_v²  <=  ∫_Ω u²  <=  5/2 Σ_v D_v u_v²      (Wathen, "Realistic Eigenvalue Bounds for
// the Galerkin Mass Matrix", 1987), and functions are as independent as their values at these vertices
// are. Function f is 1 at vertex f and 0 at all others that are no finer. So those whose own vertex Ω has
// form a triangle with ones on the diagonal: they are independent, always. What is left are functions g
// whose own vertex Ω does not have, though it reaches into their support. Let δ_v be the difference
// between φ_g at a vertex and what the functions of vertices that Ω has would make of it. It is zero where
// Ω has v; elsewhere vertices are the means of their sources, and g is one at its own,
//     δ_v = mean(δ of its sources) + [v = g],
// and at a finer vertex w that Ω has, the function of w must make up for it:
//     φ_g = Σ_w q_w φ_w on Ω,      q_w = mean(δ of its sources).
// That is one relation for every such g, among its neighbours. g is the coarser and stays; one of the w
// leaves for it. Which: the relations are brought to echelon form, row by row from the coarsest g to the
// finest, and the column in which a row has its pivot is who leaves, the w with the largest |q_w| |φ_w|:
// what is left is then far from dependent. Where nothing is left of a row, g itself is a combination of
// coarser ones, and goes. Rows have some ten entries, and reach no farther than the support of g.
//
// A vertex that Ω has only just, D_v below leastPivot times what it is inside, counts as one that it has
// not: its function is then nearly a combination of others.
#include "body/lattice/basis_parts.h"

#include "core/array.h"
#include "core/error.h"

#include <math.h>

#define NOTHING 1e-9 // a coefficient that is rounding alone: others are 1/2 to 1/512 at first
#define FAINT 0.01 // of leastPivot: what is left of g when its pivot is smaller is next to nothing

// Rows that grow one after another.
typedef struct Rows {
    SN_ARRAY(int) start;
    SN_ARRAY(int) index;
    SN_ARRAY(double) value;
} Rows;

typedef struct Relations {
    snBasis *basis;
    const snAllocator *allocator;
    double leastPivot;
    bool singular; // some relation is exact, and between functions that are not left out anyway
    unsigned char *had; // [functions], 1: Ω has its vertex
    double *own;        // [functions], D_v
    double *square;     // [functions], ∫ φ²
    Rows delta;         // per vertex below the finest level, over functions g
    // q, by function g.
    int *start, *column;
    double *coefficient;
    // Echelon form. Row r has the pivot column pivot[r], where it is 1.
    Rows echelon;
    int *rowOf; // [functions], the row with its pivot there, or -1
    SN_ARRAY(int) pivot;
    // A row in the making.
    double *work;        // [functions], zero between rows
    unsigned char *open; // [functions], 1: listed
    SN_ARRAY(int) listed;
    SN_ARRAY(int) waiting; // rows still to be taken out of it, a heap with the first on top
} Relations;

static bool pushEntry(Relations *r, Rows *rows, int index, double value)
{
    return snArray_Push(r->allocator, &rows->index, index) &&
           snArray_Push(r->allocator, &rows->value, value);
}

// ---- what Ω has -----------------------------------------------------------------------------------

static void measureTet(Relations *r, const snWeightRows *rows, int tet, double weight)
{
    const snBasisMesh *mesh = &r->basis->mesh;
    int function[64], count = 0;
    double value[64][2]; // Σ_k B_ka and Σ_k B_ka²
    for (int k = 0; k < 4; k++) {
        int v = mesh->tets[tet][k];
        r->own[v] += 2 * weight;
        r->had[v] = 1;
        for (int i = rows->start[v]; i < rows->start[v + 1]; i++) {
            int f = rows->column[i], at = 0;
            while (at < count && function[at] != f)
                at++;
            if (at == 64) continue; // cannot be: 8 and 7 of each level
            if (at == count) {
                function[count++] = f;
                value[at][0] = value[at][1] = 0;
            }
            value[at][0] += rows->weight[i];
            value[at][1] += rows->weight[i] * rows->weight[i];
        }
    }
    for (int at = 0; at < count; at++)
        r->square[function[at]] += weight * (value[at][0] * value[at][0] + value[at][1]);
}

static void findHad(Relations *r, const snWeightRows *rows)
{
    const snBasis *basis = r->basis;
    for (int t = 0; t < basis->mesh.tetCount; t++) {
        double weight = basis->mesh.volume[t] * basis->mesh.fraction[t] / 20;
        if (weight > 0) measureTet(r, rows, t, weight);
    }
    for (int f = 0; f < basis->functionCount; f++) {
        double limit = r->leastPivot * r->square[f];
        for (int level = snBasis_Level(basis, f); level < basis->levels; level++)
            limit /= 8;
        if (r->own[f] < limit) r->had[f] = 0;
    }
}

// ---- relations ------------------------------------------------------------------------------------

static void list(Relations *r, int index, double value, bool *good)
{
    if (!r->open[index]) *good = *good && snArray_Push(r->allocator, &r->listed, index);
    r->open[index] = 1;
    r->work[index] += value;
}

static void unlist(Relations *r)
{
    for (int i = 0; i < r->listed.count; i++) {
        r->work[r->listed.data[i]] = 0;
        r->open[r->listed.data[i]] = 0;
    }
    r->listed.count = 0;
}

// The mean of δ over a vertex' sources, in `work`.
static bool meanOfSources(Relations *r, int v)
{
    const snBasisMesh *mesh = &r->basis->mesh;
    int begin = mesh->sourceStart[v], end = mesh->sourceStart[v + 1];
    bool good = true;
    for (int s = begin; s < end; s++) {
        int from = mesh->source[s];
        for (int i = r->delta.start.data[from]; i < r->delta.start.data[from + 1]; i++)
            list(r, r->delta.index.data[i], r->delta.value.data[i] / (end - begin), &good);
    }
    return good;
}

// Only sources are asked for theirs, and these are below the finest level.
static snStatus findDelta(Relations *r, snError *error)
{
    const snBasis *basis = r->basis;
    bool good = snArray_Push(r->allocator, &r->delta.start, 0);
    for (int v = 0; v < basis->levelStart[basis->levels] && good; v++) {
        if (!r->had[v]) {
            good = meanOfSources(r, v);
            if (basis->state[v] == SN_FUNCTION_KEPT) list(r, v, 1, &good);
            for (int i = 0; i < r->listed.count && good; i++)
                good = pushEntry(r, &r->delta, r->listed.data[i], r->work[r->listed.data[i]]);
            unlist(r);
        }
        good = good && snArray_Push(r->allocator, &r->delta.start, r->delta.index.count);
    }
    return good ? SN_OK : snFailMemory(error);
}

// q of all w: counted, then filled, by g.
static bool visitRelations(Relations *r, bool fill)
{
    bool good = true;
    for (int w = r->basis->levelStart[1]; w < r->basis->functionCount && good; w++) {
        if (!r->had[w]) continue;
        good = meanOfSources(r, w);
        for (int i = 0; i < r->listed.count && good; i++) {
            int g = r->listed.data[i];
            if (fill) {
                r->column[r->start[g + 1]] = w;
                r->coefficient[r->start[g + 1]] = r->work[g];
            }
            r->start[g + (fill ? 1 : 2)]++;
        }
        unlist(r);
    }
    return good;
}

static snStatus findRelations(Relations *r, snArena *scratch, snError *error)
{
    int n = r->basis->functionCount;
    r->start = SN_NEW(scratch, int, n + 2);
    if (!r->start || !visitRelations(r, false)) return snFailMemory(error);
    for (int f = 0; f <= n; f++)
        r->start[f + 1] += r->start[f];
    r->column = SN_NEW(scratch, int, r->start[n + 1]);
    r->coefficient = SN_NEW(scratch, double, r->start[n + 1]);
    if (!r->column || !r->coefficient || !visitRelations(r, true)) return snFailMemory(error);
    return SN_OK;
}

// ---- echelon form ---------------------------------------------------------------------------------

static bool pushWaiting(Relations *r, int row)
{
    if (!snArray_Push(r->allocator, &r->waiting, row)) return false;
    int *heap = r->waiting.data, at = r->waiting.count - 1;
    for (; at > 0 && heap[(at - 1) / 2] > row; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = row;
    return true;
}

static int popWaiting(Relations *r)
{
    int *heap = r->waiting.data, first = heap[0], count = --r->waiting.count, at = 0;
    int last = heap[count];
    for (int child = 1; child < count; child = 2 * at + 1) {
        if (child + 1 < count && heap[child + 1] < heap[child]) child++;
        if (heap[child] >= last) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return first;
}

static bool addColumn(Relations *r, int w, double value)
{
    bool good = true, known = r->open[w];
    list(r, w, value, &good);
    return good && (known || r->rowOf[w] < 0 || pushWaiting(r, r->rowOf[w]));
}

// The relation of g, less the rows that have their pivot in one of its columns.
static bool openRow(Relations *r, int g)
{
    bool good = true;
    for (int i = r->start[g]; i < r->start[g + 1] && good; i++)
        good = addColumn(r, r->column[i], r->coefficient[i]);
    while (good && r->waiting.count > 0) {
        int row = popWaiting(r);
        double factor = r->work[r->pivot.data[row]];
        for (int i = r->echelon.start.data[row]; i < r->echelon.start.data[row + 1] && good; i++)
            good = addColumn(r, r->echelon.index.data[i], -factor * r->echelon.value.data[i]);
        r->work[r->pivot.data[row]] = 0;
    }
    return good;
}

// Who leaves for g, or -1: the largest |q_w| |φ_w|, the first of equals.
static int choosePivot(const Relations *r)
{
    double best = 0;
    int pivot = -1;
    for (int i = 0; i < r->listed.count; i++) {
        int w = r->listed.data[i];
        double q = fabs(r->work[w]), size = q * q * r->square[w];
        if (!(q > NOTHING)) continue;
        if (size > best * (1 + 1e-9) || (size > best * (1 - 1e-9) && w < pivot)) {
            best = size;
            pivot = w;
        }
    }
    return pivot;
}

static bool keepRow(Relations *r, int pivot)
{
    bool good = true;
    for (int i = 0; i < r->listed.count && good; i++) {
        int w = r->listed.data[i];
        if (r->work[w] != 0) good = pushEntry(r, &r->echelon, w, r->work[w] / r->work[pivot]);
    }
    r->rowOf[pivot] = r->pivot.count;
    return good && snArray_Push(r->allocator, &r->pivot, pivot) &&
           snArray_Push(r->allocator, &r->echelon.start, r->echelon.index.count);
}

static bool isExact(const Relations *r, int g)
{
    unsigned known =
        1u << SN_FUNCTION_KEPT | 1u << SN_FUNCTION_SLIVER | 1u << SN_FUNCTION_DEPENDENT;
    bool all = r->own[g] == 0;
    for (int i = r->start[g]; i < r->start[g + 1] && all; i++)
        all = known >> r->basis->state[r->column[i]] & 1;
    return all;
}

// g stays for the function of its row's pivot; or goes itself, when hardly anything is left of it.
static bool resolve(Relations *r, int g)
{
    snBasis *basis = r->basis;
    r->singular |= isExact(r, g);
    bool good = openRow(r, g);
    int pivot = choosePivot(r), level = snBasis_Level(basis, g);
    double left = pivot < 0 ? 0 : r->work[pivot] * r->work[pivot] * r->square[pivot];
    double limit = FAINT * r->leastPivot * r->square[g];
    for (int k = level; k < basis->levels; k++)
        limit /= 8;
    if (level > 0 && left < limit) {
        basis->state[g] = SN_FUNCTION_DEPENDENT;
    } else if (pivot >= 0) {
        if (basis->state[pivot] == SN_FUNCTION_KEPT) basis->state[pivot] = SN_FUNCTION_DEPENDENT;
        good = good && keepRow(r, pivot);
    }
    unlist(r);
    return good;
}

static snStatus allocate(Relations *r, snArena *scratch, snError *error)
{
    int n = r->basis->functionCount;
    r->had = SN_NEW(scratch, unsigned char, n);
    r->own = SN_NEW(scratch, double, n);
    r->square = SN_NEW(scratch, double, n);
    r->work = SN_NEW(scratch, double, n);
    r->open = SN_NEW(scratch, unsigned char, n);
    r->rowOf = SN_NEW(scratch, int, n);
    if (!r->had || !r->own || !r->square || !r->work || !r->open || !r->rowOf)
        return snFailMemory(error);
    for (int f = 0; f < n; f++)
        r->rowOf[f] = -1;
    return SN_OK;
}

static void freeRelations(Relations *r)
{
    Rows *rows[2] = {&r->delta, &r->echelon};
    for (int k = 0; k < 2; k++) {
        snArray_Free(r->allocator, &rows[k]->start);
        snArray_Free(r->allocator, &rows[k]->index);
        snArray_Free(r->allocator, &rows[k]->value);
    }
    snArray_Free(r->allocator, &r->pivot);
    snArray_Free(r->allocator, &r->listed);
    snArray_Free(r->allocator, &r->waiting);
}

snStatus snBasis_ResolveRelations(snBasis *basis, const snWeightRows *rows, double leastPivot,
                                  bool *singular, const snContext *context, snError *error)
{
    SN_ASSERT(basis->levels == basis->quadratureLevel);
    snArena scratch = snMakeArena(context);
    Relations r = {.basis = basis, .allocator = &context->allocator, .leastPivot = leastPivot};
    snStatus status = allocate(&r, &scratch, error);
    if (!status) findHad(&r, rows);
    if (!status) status = findDelta(&r, error);
    if (!status) status = findRelations(&r, &scratch, error);
    if (!status && !snArray_Push(r.allocator, &r.echelon.start, 0)) status = snFailMemory(error);
    for (int g = 0; g < basis->functionCount && !status; g++)
        if (!r.had[g] && basis->state[g] == SN_FUNCTION_KEPT && !resolve(&r, g))
            status = snFailMemory(error);
    *singular = r.singular;
    freeRelations(&r);
    snArena_Destroy(&scratch);
    return status;
}
