#include "body/lattice/complex.h"

#include "core/array.h"
#include "core/error.h"

#include <stdlib.h>
#include <string.h>

typedef struct Pair {
    int owner, item;
} Pair;

// Lists from pairs in any order, repeated ones counted once.
static snStatus makeLists(snLists *lists, Pair *pairs, int count, int owners, snArena *arena,
                          snError *error)
{
    lists->start = SN_NEW(arena, int, owners + 1);
    lists->item = SN_NEW(arena, int, count);
    if (!lists->start || !lists->item) return snFailMemory(error);
    qsort(pairs, (size_t)count, sizeof *pairs, snComparePairs);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && !snComparePairs(&pairs[i - 1], &pairs[i])) continue;
        lists->item[kept++] = pairs[i].item;
        lists->start[pairs[i].owner + 1] = kept;
    }
    for (int k = 0; k < owners; k++) // owners of nothing
        if (lists->start[k + 1] < lists->start[k]) lists->start[k + 1] = lists->start[k];
    return SN_OK;
}

// The cell of `split` at corner v of cell c is v, e0, f01, e1, e2, f02, c, f12 (subdivide.c): the
// places in it of the three edges and faces, and of the faces that hold each edge.
static const int edgePlace[3] = {1, 3, 4}, facePlace[3] = {2, 5, 7};
static const int facesOfEdge[3][2] = {{2, 5}, {2, 7}, {5, 7}};

typedef enum Relation {
    VERTEX_EDGES,
    VERTEX_FACES,
    VERTEX_CELLS,
    EDGE_FACES,
    EDGE_CELLS,
    FACE_CELLS,
    RELATIONS
} Relation;

static int collectPairs(const snComplex *x, Relation relation, Pair *pairs)
{
    int count = 0, E = x->firstEdge, F = x->firstFace, C = x->firstCell;
    for (int h = 0; h < x->split.lattice.cellCount; h++) {
        const int *at = x->split.lattice.corners + h * 8;
        if (relation == VERTEX_CELLS) pairs[count++] = (Pair){at[0], at[6] - C};
        for (int k = 0; k < 3; k++) {
            int e = at[edgePlace[k]] - E, f = at[facePlace[k]] - F;
            if (relation == VERTEX_EDGES) pairs[count++] = (Pair){at[0], e};
            if (relation == VERTEX_FACES) pairs[count++] = (Pair){at[0], f};
            if (relation == EDGE_CELLS) pairs[count++] = (Pair){e, at[6] - C};
            if (relation == FACE_CELLS) pairs[count++] = (Pair){f, at[6] - C};
            for (int m = 0; relation == EDGE_FACES && m < 2; m++)
                pairs[count++] = (Pair){e, at[facesOfEdge[k][m]] - F};
        }
    }
    return count;
}

static snStatus makeIncidence(snComplex *x, snArena *arena, const snContext *context,
                              snError *error)
{
    snArena scratch = snMakeArena(context);
    Pair *pairs = SN_NEW(&scratch, Pair, (size_t)x->split.lattice.cellCount * 6);
    snLists *lists[RELATIONS] = {&x->vertexEdges, &x->vertexFaces, &x->vertexCells,
                                 &x->edgeFaces,   &x->edgeCells,   &x->faceCells};
    int vertices = x->lattice->vertexCount;
    int owners[RELATIONS] = {vertices,     vertices,     vertices,
                             x->edgeCount, x->edgeCount, x->faceCount};
    snStatus status = pairs ? SN_OK : snFailMemory(error);
    for (int r = 0; r < RELATIONS && !status; r++) {
        int count = collectPairs(x, (Relation)r, pairs);
        status = makeLists(lists[r], pairs, count, owners[r], arena, error);
    }
    snArena_Destroy(&scratch);
    return status;
}

// ---- finding --------------------------------------------------------------------------------------

// Edges and faces are in the order of their sorted vertices, -1 behind those of a triangle.
static int findFeature(const snComplex *x, int first, int count, const int *key, int size)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = (low + high) / 2, n, order = 0;
        const int *v = snComplex_Sources(x, first + middle, &n);
        for (int k = 0; k < size && !order; k++) {
            int at = k < n ? v[k] : -1;
            order = (at > key[k]) - (at < key[k]);
        }
        if (!order) return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

int snComplex_FindEdge(const snComplex *complex, int a, int b)
{
    int key[2] = {a < b ? a : b, a < b ? b : a};
    return findFeature(complex, complex->firstEdge, complex->edgeCount, key, 2);
}

int snComplex_FindFace(const snComplex *complex, const int vertices[SN_FACE_CORNERS])
{
    int key[SN_FACE_CORNERS], n = vertices[3] < 0 ? 3 : 4;
    key[3] = -1;
    for (int i = 0; i < n; i++) {
        int at = i;
        for (; at > 0 && key[at - 1] > vertices[i]; at--)
            key[at] = key[at - 1];
        key[at] = vertices[i];
    }
    return findFeature(complex, complex->firstFace, complex->faceCount, key, SN_FACE_CORNERS);
}

// ---- what is sharp --------------------------------------------------------------------------------

static snStatus tagEdges(snComplex *x, const snSharp *sharp, snError *error)
{
    for (int i = 0; i < sharp->edgeCount; i++) {
        int e = snComplex_FindEdge(x, sharp->edge[i][0], sharp->edge[i][1]);
        if (e < 0)
            return snFail(error, SN_ERROR_GEOMETRY,
                          "lattice.sharp.edges[%d]: the lattice has no edge from vertex %d to %d",
                          i, sharp->edge[i][0], sharp->edge[i][1]);
        x->sharp[e] = true;
    }
    return SN_OK;
}

static snStatus tagFaces(snComplex *x, const snSharp *sharp, snError *error)
{
    for (int i = 0; i < sharp->faceCount; i++) {
        const int *v = sharp->face[i];
        int f = snComplex_FindFace(x, v);
        if (f < 0 && v[3] < 0)
            return snFail(error, SN_ERROR_GEOMETRY,
                          "lattice.sharp.faces[%d]: the lattice has no face of vertices %d, %d, %d",
                          i, v[0], v[1], v[2]);
        if (f < 0)
            return snFail(
                error, SN_ERROR_GEOMETRY,
                "lattice.sharp.faces[%d]: the lattice has no face of vertices %d, %d, %d, %d", i,
                v[0], v[1], v[2], v[3]);
        x->surface[f] = true;
    }
    return SN_OK;
}

static snStatus tagCorners(snComplex *x, const snSharp *sharp, snError *error)
{
    for (int i = 0; i < sharp->cornerCount; i++) {
        int v = sharp->corner[i];
        if (v < 0 || v >= x->lattice->vertexCount)
            return snFail(error, SN_ERROR_GEOMETRY,
                          "lattice.sharp.corners[%d]: the lattice has no vertex %d; it has %d", i,
                          v, x->lattice->vertexCount);
        x->corner[v] = true;
    }
    return SN_OK;
}

static snStatus makeTags(snComplex *x, snArena *arena, snError *error)
{
    x->surface = SN_NEW(arena, bool, x->faceCount);
    x->surfaceFaces = SN_NEW(arena, int, x->edgeCount);
    x->sharp = SN_NEW(arena, bool, x->edgeCount);
    x->corner = SN_NEW(arena, bool, x->lattice->vertexCount);
    if (!x->surface || !x->surfaceFaces || !x->sharp || !x->corner) return snFailMemory(error);
    const snSharp *sharp = x->lattice->sharp;
    snStatus status = sharp ? tagEdges(x, sharp, error) : SN_OK;
    if (sharp && !status) status = tagFaces(x, sharp, error);
    if (sharp && !status) status = tagCorners(x, sharp, error);
    for (int f = 0; f < x->faceCount; f++)
        if (x->faceCells.start[f + 1] - x->faceCells.start[f] == 1) x->surface[f] = true;
    for (int e = 0; e < x->edgeCount; e++) {
        for (int i = x->edgeFaces.start[e]; i < x->edgeFaces.start[e + 1]; i++)
            x->surfaceFaces[e] += x->surface[x->edgeFaces.item[i]];
        if (x->surfaceFaces[e] != 0 && x->surfaceFaces[e] != 2) x->sharp[e] = true;
    }
    return status;
}

snStatus snComplex_Make(snComplex *complex, const snLattice *lattice, snArena *keep, snArena *arena,
                        const snContext *context, snError *error)
{
    snComplex *x = complex;
    *x = (snComplex){.lattice = lattice, .firstEdge = lattice->vertexCount};
    snStatus status = snSubdivide(&x->split, lattice, 1, keep, context, error);
    if (status) return status;
    // Only edges have two sources, and they come first.
    x->firstCell = x->split.lattice.vertexCount - lattice->cellCount;
    int v = x->firstEdge, n;
    for (; v < x->firstCell && (snComplex_Sources(x, v, &n), n == 2);)
        v++;
    x->firstFace = v;
    x->edgeCount = v - x->firstEdge;
    x->faceCount = x->firstCell - v;
    status = makeIncidence(x, arena, context, error);
    if (!status) status = makeTags(x, arena, error);
    return status;
}

// ---- the split lattice's tags ---------------------------------------------------------------------

// Whether a face is tagged itself, and not only of the boundary.
static bool isInnerSheet(const snComplex *x, int face)
{
    return x->surface[face] && x->faceCells.start[face + 1] - x->faceCells.start[face] > 1;
}

int snComplex_SplitSurface(const snComplex *complex, bool onlySharp, int (*quads)[4])
{
    const snComplex *x = complex;
    static const int round[3][4] = {{0, 1, 2, 3}, {0, 1, 5, 4}, {0, 3, 7, 4}};
    int count = 0;
    for (int h = 0; h < x->split.lattice.cellCount; h++) {
        const int *at = x->split.lattice.corners + h * 8;
        for (int k = 0; k < 3; k++) {
            int f = at[facePlace[k]] - x->firstFace;
            bool first = x->faceCells.item[x->faceCells.start[f]] == at[6] - x->firstCell;
            if (!first || !(onlySharp ? isInnerSheet(x, f) : x->surface[f])) continue;
            for (int m = 0; quads && m < 4; m++)
                quads[count][m] = at[round[k][m]];
            count++;
        }
    }
    return count;
}

snStatus snComplex_SplitSharp(const snComplex *complex, const snSharp **out, snArena *arena,
                              snError *error)
{
    const snSharp *in = complex->lattice->sharp;
    *out = NULL;
    if (!in) return SN_OK;
    snSharp *sharp = SN_NEW(arena, snSharp, 1);
    if (!sharp) return snFailMemory(error);
    sharp->edgeCount = in->edgeCount * 2;
    sharp->cornerCount = in->cornerCount;
    sharp->faceCount = snComplex_SplitSurface(complex, true, NULL);
    sharp->edge = snArena_Alloc(arena, sizeof *sharp->edge, (size_t)sharp->edgeCount);
    sharp->face = snArena_Alloc(arena, sizeof *sharp->face, (size_t)sharp->faceCount);
    sharp->corner = SN_COPY(arena, int, in->corner, in->cornerCount);
    if (!sharp->edge || !sharp->face || !sharp->corner) return snFailMemory(error);
    for (int i = 0; i < in->edgeCount; i++)
        for (int end = 0; end < 2; end++) {
            int e = snComplex_FindEdge(complex, in->edge[i][0], in->edge[i][1]);
            sharp->edge[i * 2 + end][0] = in->edge[i][end];
            sharp->edge[i * 2 + end][1] = complex->firstEdge + e;
        }
    snComplex_SplitSurface(complex, true, sharp->face);
    *out = sharp;
    return SN_OK;
}

snStatus snLattice_CheckSharp(const snLattice *lattice, const snContext *context, snError *error)
{
    if (!lattice->sharp) return SN_OK;
    snArena scratch = snMakeArena(context);
    snComplex complex;
    snStatus status = snComplex_Make(&complex, lattice, &scratch, &scratch, context, error);
    snArena_Destroy(&scratch);
    return status;
}
