// Pairs of surface points that are near in space, with a gap between them, but far along the
// surface: how many hang on common lattice vertices. Header for tests.
#ifndef SN_TESTS_NEAR_PAIRS_H
#define SN_TESTS_NEAR_PAIRS_H

#include "body/lattice/embed.h"

#include <stdlib.h>

typedef struct NearPairs {
    int count;
    int before; // pairs that would share a vertex if cells were not copied
    int after;  // pairs that do
} NearPairs;

typedef struct NearPairsDef {
    const snLattice *lattice;
    const snMesh *mesh;
    const snWinding *winding;
    const int *cell;  // [mesh vertices], -1: not carried
    const int *shell; // [triangles]
    double near;      // pairs are nearer than this
    double ratio;     // and farther along the surface than this many times their distance
    double far;       // and than this
} NearPairsDef;

typedef struct NearHeap {
    double distance;
    int vertex;
} NearHeap;

static void nearHeapPush(NearHeap *heap, int *count, NearHeap item)
{
    int i = (*count)++;
    for (; i > 0 && heap[(i - 1) / 2].distance > item.distance; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = item;
}

static NearHeap nearHeapPop(NearHeap *heap, int *count)
{
    NearHeap top = heap[0], last = heap[--*count];
    int i = 0;
    for (int child; (child = 2 * i + 1) < *count; i = child) {
        if (child + 1 < *count && heap[child + 1].distance < heap[child].distance) child++;
        if (heap[child].distance >= last.distance) break;
        heap[i] = heap[child];
    }
    heap[i] = last;
    return top;
}

// Shortest ways along edges from a vertex, as far as `most`.
static void nearDistances(const NearPairsDef *def, const int *start, const int *next, int from,
                          double most, double *distance, NearHeap *heap)
{
    const snVec3 *p = def->mesh->positions;
    int count = 0;
    for (int v = 0; v < def->mesh->vertexCount; v++)
        distance[v] = 1e300;
    distance[from] = 0;
    nearHeapPush(heap, &count, (NearHeap){0, from});
    while (count) {
        NearHeap at = nearHeapPop(heap, &count);
        if (at.distance > distance[at.vertex] || at.distance > most) continue;
        for (int k = start[at.vertex]; k < start[at.vertex + 1]; k++) {
            double d = at.distance + snDistance(p[at.vertex], p[next[k]]);
            if (d >= distance[next[k]]) continue;
            distance[next[k]] = d;
            nearHeapPush(heap, &count, (NearHeap){d, next[k]});
        }
    }
}

static void nearCount(const NearPairsDef *def, int a, int b, NearPairs *pairs)
{
    const snLattice *l = def->lattice;
    int same = 0, place = 0;
    for (int i = 0; i < 16; i++) {
        int v = snLattice_Corners(l, def->cell[a])[i / 4];
        int w = snLattice_Corners(l, def->cell[b])[i % 4];
        same |= v == w;
        place |= snDistance(l->rest[v], l->rest[w]) == 0;
    }
    pairs->count++;
    pairs->before += place;
    pairs->after += same;
}

// Every `step`-th vertex is paired with all others.
static NearPairs nearPairs(const NearPairsDef *def, int step)
{
    const snMesh *mesh = def->mesh;
    const snVec3 *p = mesh->positions;
    size_t n = (size_t)mesh->vertexCount, corners = (size_t)mesh->triangleCount * 3;
    int *start = calloc(n + 2, sizeof *start), *next = calloc(2 * corners, sizeof *next);
    int *shell = calloc(n, sizeof *shell);
    double *distance = calloc(n, sizeof *distance);
    NearHeap *heap = calloc(4 * corners + 64, sizeof *heap);
    NearPairs pairs = {0};
    for (int i = 0; i < (int)corners; i++) {
        start[mesh->triangles[i] + 2] += 2;
        shell[mesh->triangles[i]] = def->shell[i / 3];
    }
    for (int v = 0; v < (int)n; v++)
        start[v + 2] += start[v + 1];
    for (int i = 0; i < (int)corners; i++)
        for (int k = 1; k < 3; k++)
            next[start[mesh->triangles[i] + 1]++] = mesh->triangles[i / 3 * 3 + (i + k) % 3];
    for (int a = 0; a < (int)n; a += step) {
        if (def->cell[a] < 0 || start[a] == start[a + 1]) continue;
        nearDistances(def, start, next, a, def->far + def->ratio * def->near, distance, heap);
        for (int b = 0; b < (int)n; b++) {
            double d = snDistance(p[a], p[b]);
            if (d > def->near || distance[b] < def->far || distance[b] < def->ratio * d) continue;
            if (def->cell[b] < 0 || start[b] == start[b + 1] || shell[a] != shell[b]) continue;
            if (!snWinding_Inside(def->winding, snLerp(p[a], p[b], 0.5)))
                nearCount(def, a, b, &pairs);
        }
    }
    free(start);
    free(next);
    free(shell);
    free(distance);
    free(heap);
    return pairs;
}

#endif
