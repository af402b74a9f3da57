// The limit of a vertex from the cells around it.
#include "body/lattice/scheme_parts.h"

#include "core/error.h"

#include <math.h>

#define TANGENT_AGREED 1e-14 // what the next product adds to the span, of unit vectors
#define TANGENT_FOUND 1e-12
#define LEAST_RATE 0.28 // an eigenvalue below it belongs to curvature (1/4), not to a direction
#define AGREED 2e-16    // the largest change of a weight in the last multiplication
#define MOST_STEPS 2000 // the second eigenvalue is 1/2 at regular vertices, and about 0.6 at others

// While it is laid: `fine` are the vertices of the split lattice that take the ring's places.
typedef struct Laying {
    snRing *ring;
    int *fine, *number;
} Laying;

static void enter(Laying *l, int coarse, int fine)
{
    if (l->number[coarse] >= 0) return;
    l->number[coarse] = l->ring->count;
    l->ring->vertex[l->ring->count] = coarse;
    l->fine[l->ring->count++] = fine;
}

static void leave(Laying *l)
{
    for (int i = 0; i < l->ring->count; i++)
        l->number[l->ring->vertex[i]] = -1;
}

// Corner q of the hexahedron that is split off at corner k lies in the direction of the cell's
// corner that differs from k along the same edges. False when a cell is no hexahedron.
static bool layRing(Laying *ring, const snComplex *x, int v)
{
    const snLattice *l = x->lattice;
    const snLists *cells = &x->vertexCells;
    const snCellShape *shape = snCellShape_Of(SN_HEX);
    enter(ring, v, v);
    for (int i = cells->start[v]; i < cells->start[v + 1]; i++) {
        int c = cells->item[i], k = 0;
        const int *corners = snLattice_Corners(l, c);
        if (snLattice_Kind(l, c) != SN_HEX) return false;
        while (corners[k] != v)
            k++;
        const int *hex = x->split.lattice.corners + (l->cellStart[c] + k) * 8;
        for (int q = 0; q < 8; q++) {
            int bits = snHexBits[k];
            for (int m = 0; m < 3; m++)
                if (snHexBits[q] >> m & 1) bits ^= snHexBits[k] ^ snHexBits[shape->neighbour[k][m]];
            enter(ring, corners[snHexBits[bits]], hex[q]);
        }
    }
    return true;
}

// w M, with M_i the row of ring vertex i's successor; brought to a sum of one. How much it changed.
static double multiply(const Laying *l, const snWeightRows *step, double *w, double *next)
{
    int n = l->ring->count;
    double sum = 0, change = 0;
    for (int i = 0; i < n; i++)
        next[i] = 0;
    for (int i = 0; i < n; i++)
        for (int k = step->start[l->fine[i]]; k < step->start[l->fine[i] + 1]; k++)
            next[l->number[step->column[k]]] += w[i] * step->weight[k];
    for (int i = 0; i < n; i++)
        sum += next[i];
    for (int i = 0; i < n; i++) {
        change = fmax(change, fabs(next[i] / sum - w[i]));
        w[i] = next[i] / sum;
    }
    return change;
}

// The three eigenvalues after 1. Their left eigenvectors are at right angles to the right eigenvector of 1,
// all ones: with sum(w) l taken off w, l the eigenvector of 1, products with M lead to them. They
// are kept at right angles to each other; what matters is their span.

// w M for three vectors, less the part that belongs to the eigenvalue 1.
static void multiplyThree(const Laying *l, const snWeightRows *step, double (*w)[3],
                          double (*next)[3])
{
    int n = l->ring->count;
    double sum[3] = {0, 0, 0};
    for (int i = 0; i < n; i++)
        for (int m = 0; m < 3; m++)
            next[i][m] = 0;
    for (int i = 0; i < n; i++)
        for (int k = step->start[l->fine[i]]; k < step->start[l->fine[i] + 1]; k++)
            for (int m = 0; m < 3; m++)
                next[l->number[step->column[k]]][m] += w[i][m] * step->weight[k];
    for (int i = 0; i < n; i++)
        for (int m = 0; m < 3; m++)
            sum[m] += next[i][m];
    for (int i = 0; i < n; i++)
        for (int m = 0; m < 3; m++)
            next[i][m] -= sum[m] * l->ring->weight[i];
}

static double dotColumns(int n, double (*a)[3], int k, double (*b)[3], int m)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i][k] * b[i][m];
    return sum;
}

// Brings the columns to unit length and right angles; the least length that one had left.
static double orthonormalise(int n, double (*w)[3])
{
    double least = INFINITY;
    for (int m = 0; m < 3; m++) {
        for (int pass = 0; pass < 2; pass++)
            for (int k = 0; k < m; k++) {
                double dot = dotColumns(n, w, k, w, m);
                for (int i = 0; i < n; i++)
                    w[i][m] -= dot * w[i][k];
            }
        double length = sqrt(dotColumns(n, w, m, w, m));
        least = fmin(least, length);
        for (int i = 0; i < n && length > 0; i++)
            w[i][m] /= length;
    }
    return least;
}

// How far the columns of b stand out of the span of those of a.
static double outOfSpan(int n, double (*a)[3], double (*b)[3])
{
    double worst = 0;
    for (int m = 0; m < 3; m++) {
        double dot[3], square = 0;
        for (int k = 0; k < 3; k++)
            dot[k] = dotColumns(n, a, k, b, m);
        for (int i = 0; i < n; i++) {
            double rest = b[i][m] - dot[0] * a[i][0] - dot[1] * a[i][1] - dot[2] * a[i][2];
            square += rest * rest;
        }
        worst = fmax(worst, sqrt(square));
    }
    return worst;
}

static snStatus findTangent(const Laying *l, const snWeightRows *step, snArena *arena,
                            snError *error)
{
    snRing *ring = l->ring;
    int n = ring->count;
    double(*w)[3] = snArena_Alloc(arena, sizeof *w, (size_t)n);
    double(*next)[3] = snArena_Alloc(arena, sizeof *next, (size_t)n), change = 1, rate = 0;
    if (!w || !next) return snFailMemory(error);
    for (int i = 0; i < n; i++) // anything that is not special
        for (int m = 0; m < 3; m++) {
            unsigned u = (unsigned)i, mixed = u * 7919u + (unsigned)m * 104729u + u * u * 31u;
            w[i][m] = mixed % 1009u / 1009.0 - 0.5;
        }
    for (int k = 0; n > 3 && k < MOST_STEPS && change > TANGENT_AGREED; k++) {
        multiplyThree(l, step, w, next);
        rate = orthonormalise(n, next);
        change = outOfSpan(n, w, next);
        double(*swap)[3] = w;
        w = next;
        next = swap;
    }
    ring->tangent = w;
    ring->found = change < TANGENT_FOUND && rate > LEAST_RATE;
    return SN_OK;
}

snStatus snRing_Limit(snRing *ring, const snComplex *complex, const snWeightRows *step, int v,
                      int *scratch, snArena *arena, snError *error)
{
    int cells = complex->vertexCells.start[v + 1] - complex->vertexCells.start[v];
    size_t most = 1 + 7 * (size_t)cells;
    snStatus status = SN_OK;
    *ring = (snRing){.wantTangent = ring->wantTangent,
                     .vertex = SN_NEW(arena, int, most),
                     .weight = SN_NEW(arena, double, most)};
    double *next = SN_NEW(arena, double, most), change = 1;
    Laying laying = {.ring = ring, .fine = SN_NEW(arena, int, most), .number = scratch};
    if (!ring->vertex || !ring->weight || !next || !laying.fine) return snFailMemory(error);
    bool whole = layRing(&laying, complex, v);
    ring->weight[0] = 1;
    for (int k = 0; whole && k < MOST_STEPS && change > AGREED; k++)
        change = multiply(&laying, step, ring->weight, next);
    if (whole && ring->wantTangent) status = findTangent(&laying, step, arena, error);
    leave(&laying);
    if (!whole) ring->count = 0;
    return status;
}
