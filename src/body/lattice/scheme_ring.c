// The limit of a vertex from the cells around it.
#include "body/lattice/scheme_parts.h"

#include "core/error.h"

#include <math.h>

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
            next[l->number[step->vertex[k]]] += w[i] * step->weight[k];
    for (int i = 0; i < n; i++)
        sum += next[i];
    for (int i = 0; i < n; i++) {
        change = fmax(change, fabs(next[i] / sum - w[i]));
        w[i] = next[i] / sum;
    }
    return change;
}

snStatus snRing_Limit(snRing *ring, const snComplex *complex, const snWeightRows *step, int v,
                      int *scratch, snArena *arena, snError *error)
{
    int cells = complex->vertexCells.start[v + 1] - complex->vertexCells.start[v];
    size_t most = 1 + 7 * (size_t)cells;
    *ring = (snRing){.vertex = SN_NEW(arena, int, most), .weight = SN_NEW(arena, double, most)};
    double *next = SN_NEW(arena, double, most), change = 1;
    Laying laying = {.ring = ring, .fine = SN_NEW(arena, int, most), .number = scratch};
    if (!ring->vertex || !ring->weight || !next || !laying.fine) return snFailMemory(error);
    bool whole = layRing(&laying, complex, v);
    ring->weight[0] = 1;
    for (int k = 0; whole && k < MOST_STEPS && change > AGREED; k++)
        change = multiply(&laying, step, ring->weight, next);
    leave(&laying);
    if (!whole) ring->count = 0;
    return SN_OK;
}
