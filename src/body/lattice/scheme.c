#include "body/lattice/scheme.h"

#include "core/array.h"
#include "core/error.h"

#include <stdlib.h>

// The rules. A, M and C are the centroids of a face, an edge and a cell; a bar is the mean over all
// of them that hold the edge or vertex; P is the old vertex.
//
// MacCracken-Joy, inside:
//   cell    C
//   face    (C0 + 2 A + C1) / 4
//   edge    (C + 2 A + (n - 3) M) / n        n faces hold the edge; C and A means over its cells
//                                            and faces
//   vertex  (C + 3 A + 3 M + P) / 8          means
// On the surface (the boundary, and sharp faces) only what lies in it counts, Catmull-Clark:
//   face    A
//   edge    (V0 + V1 + A0 + A1) / 4
//   vertex  (A + 2 M + (n - 3) P) / n        n edges of the surface
// Sharp edges, on the surface or inside: the midpoint. A vertex with two sharp edges, to Q and R, is
// on a crease: (Q + 6 P + R) / 8. With more, or when it is tagged, it is a corner and stays. With one
// it is the end of a crease, a dart, and goes by the smooth rule. A vertex of the surface looks at the
// surface's sharp edges alone, so that the surface depends on nothing inside.
//
// Where hexahedra lie as in a grid, n = 4, this is the tensor product of the refinement of uniform
// cubic B-splines, (1 6 1)/8 at old vertices and (1 1)/2 between them.
//
// Bajaj et al.: T, the trilinear split, then every vertex of the split lattice goes to the mean of
// the centroids of what it has in its own dimension d: of its hexahedra (d = 3), of its quadrilaterals
// of the surface (2), of its sharp edges (1), or stays (0). d is 0 for a tagged corner, 1 with two
// sharp edges or more, 2 on the surface, else 3. In a grid this is the same tensor product, for
// in one dimension the mean of the midpoints of (P, (P + Q)/2) and (P, (P + R)/2) is (Q + 6P + R)/8.
//
// All weights are positive for n >= 3 and also for a boundary vertex of valence 2 (there P has
// 1/8), so a refined value lies between the least and the largest of those it comes from.

// A row being summed: dense values, and which are used.
typedef struct Row {
    double *value; // [vertices], zero where not used
    bool *seen;
    int *used;
    int count;
} Row;

typedef struct Maker {
    const snComplex *x;
    const snAllocator *allocator;
    Row row;
    SN_ARRAY(int) vertex;
    SN_ARRAY(double) weight;
    int *start;
    int rows;
} Maker;

static snStatus makeRow(Row *row, int vertices, snArena *scratch, snError *error)
{
    row->value = SN_NEW(scratch, double, vertices);
    row->seen = SN_NEW(scratch, bool, vertices);
    row->used = SN_NEW(scratch, int, vertices);
    return row->value && row->seen && row->used ? SN_OK : snFailMemory(error);
}

static void addTo(Row *row, int vertex, double weight)
{
    if (weight == 0) return;
    if (!row->seen[vertex]) row->used[row->count++] = vertex;
    row->seen[vertex] = true;
    row->value[vertex] += weight;
}

static int compareInts(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// Appends the row, ascending, and clears it.
static bool closeRow(Maker *m)
{
    Row *row = &m->row;
    bool ok = true;
    qsort(row->used, (size_t)row->count, sizeof *row->used, compareInts);
    for (int i = 0; i < row->count; i++) {
        int v = row->used[i];
        ok = ok && snArray_Push(m->allocator, &m->vertex, v) &&
             snArray_Push(m->allocator, &m->weight, row->value[v]);
        row->value[v] = 0;
        row->seen[v] = false;
    }
    row->count = 0;
    m->start[++m->rows] = m->vertex.count;
    return ok;
}

// Adds weight times the centroid that vertex v of the split lattice stands for.
static void addCentroid(Maker *m, int v, double weight)
{
    int n;
    const int *source = snComplex_Sources(m->x, v, &n);
    if (!n) addTo(&m->row, v, weight);
    for (int k = 0; k < n; k++)
        addTo(&m->row, source[k], weight / n);
}

// Adds weight times the mean of the listed features' centroids.
static void addMean(Maker *m, const snLists *lists, int owner, int first, double weight)
{
    int begin = lists->start[owner], end = lists->start[owner + 1];
    for (int i = begin; i < end; i++)
        addCentroid(m, first + lists->item[i], weight / (end - begin));
}

// ---- MacCracken-Joy -------------------------------------------------------------------------------

static void faceRule(Maker *m, int face)
{
    const snComplex *x = m->x;
    bool surface = x->surface[face];
    addCentroid(m, x->firstFace + face, surface ? 1 : 0.5);
    if (!surface) addMean(m, &x->faceCells, face, x->firstCell, 0.5);
}

static void edgeRule(Maker *m, int edge)
{
    const snComplex *x = m->x;
    const snLists *faces = &x->edgeFaces;
    int n = faces->start[edge + 1] - faces->start[edge];
    if (x->sharp[edge]) {
        addCentroid(m, x->firstEdge + edge, 1);
    } else if (x->surfaceFaces[edge]) {
        addCentroid(m, x->firstEdge + edge, 0.5);
        for (int i = faces->start[edge]; i < faces->start[edge + 1]; i++)
            if (x->surface[faces->item[i]]) addCentroid(m, x->firstFace + faces->item[i], 0.25);
    } else {
        addMean(m, &x->edgeCells, edge, x->firstCell, 1.0 / n);
        addMean(m, faces, edge, x->firstFace, 2.0 / n);
        addCentroid(m, x->firstEdge + edge, (n - 3.0) / n);
    }
}

// What a vertex has of the surface and of sharp edges.
typedef struct Place {
    int surfaceFaces, surfaceEdges, sharpEdges;
} Place;

static bool countsAsSharp(const snComplex *x, const Place *place, int edge)
{
    return x->sharp[edge] && (!place->surfaceFaces || x->surfaceFaces[edge]);
}

static Place placeOf(const snComplex *x, int v)
{
    Place place = {0};
    for (int i = x->vertexFaces.start[v]; i < x->vertexFaces.start[v + 1]; i++)
        place.surfaceFaces += x->surface[x->vertexFaces.item[i]];
    for (int i = x->vertexEdges.start[v]; i < x->vertexEdges.start[v + 1]; i++) {
        int e = x->vertexEdges.item[i];
        place.surfaceEdges += x->surfaceFaces[e] > 0;
        place.sharpEdges += countsAsSharp(x, &place, e);
    }
    return place;
}

// (Q + 6 P + R)/8 = P/2 + (M0 + M1)/4 with the midpoints M0, M1.
static void creaseRule(Maker *m, int v, const Place *place)
{
    const snComplex *x = m->x;
    addTo(&m->row, v, 0.5);
    for (int i = x->vertexEdges.start[v]; i < x->vertexEdges.start[v + 1]; i++)
        if (countsAsSharp(x, place, x->vertexEdges.item[i]))
            addCentroid(m, x->firstEdge + x->vertexEdges.item[i], 0.25);
}

static void surfaceVertexRule(Maker *m, int v, const Place *place)
{
    const snComplex *x = m->x;
    int n = place->surfaceEdges;
    for (int i = x->vertexFaces.start[v]; i < x->vertexFaces.start[v + 1]; i++)
        if (x->surface[x->vertexFaces.item[i]])
            addCentroid(m, x->firstFace + x->vertexFaces.item[i], 1.0 / n / place->surfaceFaces);
    for (int i = x->vertexEdges.start[v]; i < x->vertexEdges.start[v + 1]; i++)
        if (x->surfaceFaces[x->vertexEdges.item[i]])
            addCentroid(m, x->firstEdge + x->vertexEdges.item[i], 2.0 / n / n);
    addTo(&m->row, v, (n - 3.0) / n);
}

static void vertexRule(Maker *m, int v)
{
    const snComplex *x = m->x;
    Place place = placeOf(x, v);
    bool alone = x->vertexCells.start[v] == x->vertexCells.start[v + 1]; // in no cell
    if (alone || x->corner[v] || place.sharpEdges > 2) {
        addTo(&m->row, v, 1);
    } else if (place.sharpEdges == 2) {
        creaseRule(m, v, &place);
    } else if (place.surfaceFaces) {
        surfaceVertexRule(m, v, &place);
    } else {
        addMean(m, &x->vertexCells, v, x->firstCell, 0.125);
        addMean(m, &x->vertexFaces, v, x->firstFace, 0.375);
        addMean(m, &x->vertexEdges, v, x->firstEdge, 0.375);
        addTo(&m->row, v, 0.125);
    }
}

static bool maccrackenJoy(Maker *m)
{
    const snComplex *x = m->x;
    bool ok = true;
    for (int v = 0; v < x->lattice->vertexCount && ok; v++, ok = closeRow(m))
        vertexRule(m, v);
    for (int e = 0; e < x->edgeCount && ok; e++, ok = closeRow(m))
        edgeRule(m, e);
    for (int f = 0; f < x->faceCount && ok; f++, ok = closeRow(m))
        faceRule(m, f);
    for (int c = 0; c < x->lattice->cellCount && ok; c++, ok = closeRow(m))
        addCentroid(m, x->firstCell + c, 1);
    return ok;
}

static bool trilinear(Maker *m)
{
    bool ok = true;
    for (int v = 0; v < m->x->split.lattice.vertexCount && ok; v++, ok = closeRow(m))
        addCentroid(m, v, 1);
    return ok;
}

// ---- Bajaj, Schaefer, Warren, Xu ------------------------------------------------------------------

static int dimensionOf(const snComplex *x, int v)
{
    if (v < x->firstEdge) {
        Place place = placeOf(x, v);
        if (x->corner[v] || x->vertexCells.start[v] == x->vertexCells.start[v + 1]) return 0;
        return place.sharpEdges >= 2 ? 1 : place.surfaceFaces ? 2 : 3;
    }
    if (v < x->firstFace) {
        int e = v - x->firstEdge;
        return x->sharp[e] ? 1 : x->surfaceFaces[e] ? 2 : 3;
    }
    return v < x->firstCell && x->surface[v - x->firstFace] ? 2 : 3;
}

// Pieces of one dimension of the split lattice, `corners` vertices each, and which a vertex is in.
typedef struct Pieces {
    const int *vertex; // [count * corners]
    int count, corners;
    snLists of;
} Pieces;

static snStatus listPieces(Pieces *pieces, int vertices, snArena *scratch, snError *error)
{
    int total = pieces->count * pieces->corners;
    int *start = SN_NEW(scratch, int, vertices + 2), *item = SN_NEW(scratch, int, total);
    if (!start || !item) return snFailMemory(error);
    for (int i = 0; i < total; i++)
        start[pieces->vertex[i] + 2]++;
    for (int v = 0; v < vertices; v++)
        start[v + 2] += start[v + 1];
    for (int i = 0; i < total; i++)
        item[start[pieces->vertex[i] + 1]++] = i / pieces->corners;
    pieces->of = (snLists){start, item};
    return SN_OK;
}

// Both halves of every sharp edge. At a vertex of the surface those inside do not count; they are
// left out at that end by the caller.
static int *sharpHalves(const snComplex *x, int *count, snArena *scratch)
{
    int *halves = SN_NEW(scratch, int, (size_t)x->edgeCount * 4);
    *count = 0;
    for (int e = 0; halves && e < x->edgeCount; e++) {
        int n;
        const int *ends = snComplex_Sources(x, x->firstEdge + e, &n);
        for (int end = 0; x->sharp[e] && end < 2; end++, ++*count) {
            halves[*count * 2] = ends[end];
            halves[*count * 2 + 1] = x->firstEdge + e;
        }
    }
    return halves;
}

static snStatus makePieces(Pieces pieces[4], const snComplex *x, snArena *scratch, snError *error)
{
    int quads = snComplex_SplitSurface(x, false, NULL), halves;
    int(*quad)[4] = snArena_Alloc(scratch, sizeof *quad, (size_t)quads);
    int *half = sharpHalves(x, &halves, scratch);
    if (!quad || !half) return snFailMemory(error);
    snComplex_SplitSurface(x, false, quad);
    pieces[1] = (Pieces){.vertex = half, .count = halves, .corners = 2};
    pieces[2] = (Pieces){.vertex = quads ? quad[0] : NULL, .count = quads, .corners = 4};
    pieces[3] = (Pieces){
        .vertex = x->split.lattice.corners, .count = x->split.lattice.cellCount, .corners = 8};
    snStatus status = SN_OK;
    for (int d = 1; d <= 3 && !status; d++)
        status = listPieces(&pieces[d], x->split.lattice.vertexCount, scratch, error);
    return status;
}

// Whether a piece of dimension d counts at vertex v: all do, but sharp edges inside at the surface.
static bool pieceCounts(const snComplex *x, const Pieces *pieces, int piece, int v)
{
    if (pieces->corners > 2 || v >= x->firstEdge) return true;
    Place place = placeOf(x, v);
    return countsAsSharp(x, &place, pieces->vertex[piece * 2 + 1] - x->firstEdge);
}

static void averageRule(Maker *m, const Pieces *pieces, int v)
{
    int begin = pieces->of.start[v], end = pieces->of.start[v + 1], n = 0;
    for (int i = begin; i < end; i++)
        n += pieceCounts(m->x, pieces, pieces->of.item[i], v);
    for (int i = begin; i < end; i++) {
        int piece = pieces->of.item[i];
        for (int k = 0; pieceCounts(m->x, pieces, piece, v) && k < pieces->corners; k++)
            addCentroid(m, pieces->vertex[piece * pieces->corners + k], 1.0 / n / pieces->corners);
    }
}

static snStatus bajaj(Maker *m, snArena *scratch, snError *error)
{
    Pieces pieces[4];
    snStatus status = makePieces(pieces, m->x, scratch, error);
    for (int v = 0; v < m->x->split.lattice.vertexCount && !status; v++) {
        int d = dimensionOf(m->x, v);
        if (d)
            averageRule(m, &pieces[d], v);
        else
            addTo(&m->row, v, 1);
        if (!closeRow(m)) status = snFailMemory(error);
    }
    return status;
}

// ---- levels ---------------------------------------------------------------------------------------

const char *snScheme_Name(snScheme scheme)
{
    static const char *const names[SN_SCHEME_COUNT] = {"trilinear", "maccracken-joy", "bajaj"};
    return (int)scheme >= 0 && scheme < SN_SCHEME_COUNT ? names[scheme] : "unknown";
}

static snStatus beginRows(Maker *m, int rows, int columns, snArena *arena, snArena *scratch,
                          snError *error)
{
    m->start = SN_NEW(arena, int, rows + 1);
    if (!m->start) return snFailMemory(error);
    return makeRow(&m->row, columns, scratch, error);
}

// Moves the rows from the growing arrays into the arena.
static snStatus endRows(Maker *m, snWeightRows *rows, snStatus status, snArena *arena,
                        snError *error)
{
    if (!status) {
        rows->start = m->start;
        rows->vertex = SN_COPY(arena, int, m->vertex.data, m->vertex.count);
        rows->weight = SN_COPY(arena, double, m->weight.data, m->weight.count);
        if (!rows->vertex || !rows->weight) status = snFailMemory(error);
    }
    snArray_Free(m->allocator, &m->vertex);
    snArray_Free(m->allocator, &m->weight);
    return status;
}

snStatus snScheme_Step(snWeightRows *rows, snScheme scheme, const snComplex *complex,
                       snArena *arena, const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    Maker m = {.x = complex, .allocator = &scratch.allocator};
    snStatus status = beginRows(&m, complex->split.lattice.vertexCount,
                                complex->lattice->vertexCount, arena, &scratch, error);
    if (!status && scheme == SN_SCHEME_BAJAJ)
        status = bajaj(&m, &scratch, error);
    else if (!status && !(scheme == SN_SCHEME_TRILINEAR ? trilinear(&m) : maccrackenJoy(&m)))
        status = snFailMemory(error);
    status = endRows(&m, rows, status, arena, error);
    snArena_Destroy(&scratch);
    return status;
}

// The product of S_j with the rows over the first lattice.
static snStatus multiplyRows(snWeightRows *out, const snWeightRows *step, int rowCount,
                             const snWeightRows *in, int columns, snArena *arena,
                             const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    Maker m = {.allocator = &scratch.allocator};
    snStatus status = beginRows(&m, rowCount, columns, arena, &scratch, error);
    for (int r = 0; r < rowCount && !status; r++) {
        for (int i = step->start[r]; i < step->start[r + 1]; i++)
            for (int k = in->start[step->vertex[i]]; k < in->start[step->vertex[i] + 1]; k++)
                addTo(&m.row, in->vertex[k], step->weight[i] * in->weight[k]);
        if (!closeRow(&m)) status = snFailMemory(error);
    }
    status = endRows(&m, out, status, arena, error);
    snArena_Destroy(&scratch);
    return status;
}

static void movePoints(snLattice *fine, const snWeightRows *step, const snVec3 *coarse)
{
    for (int v = 0; v < fine->vertexCount; v++) {
        snVec3 at = {0, 0, 0};
        for (int i = step->start[v]; i < step->start[v + 1]; i++)
            at = snMulAdd(at, step->weight[i], coarse[step->vertex[i]]);
        fine->rest[v] = at;
    }
}

// The sources of the levels before come first, for vertices keep their numbers.
static snStatus joinSources(snFineLattice *next, const snFineLattice *from, snArena *arena,
                            snError *error)
{
    int vertices = next->lattice.vertexCount, old = from->lattice.vertexCount;
    int before = from->sourceStart[old], added = next->sourceStart[vertices];
    int *start = SN_NEW(arena, int, vertices + 1), *source = SN_NEW(arena, int, before + added);
    if (!start || !source) return snFailMemory(error);
    for (int v = 0; v <= vertices; v++)
        start[v] = v <= old ? from->sourceStart[v] : before + next->sourceStart[v];
    for (int i = 0; i < before + added; i++)
        source[i] = i < before ? from->source[i] : next->source[i - before];
    next->sourceStart = start;
    next->source = source;
    return SN_OK;
}

static snStatus nextLevel(snSubdivision *s, int level, snArena *arena, const snContext *context,
                          snError *error)
{
    snArena scratch = snMakeArena(context);
    const snFineLattice from = s->fine;
    snWeightRows *step = &s->step[level];
    snComplex complex;
    snStatus status = snComplex_Make(&complex, &from.lattice, arena, &scratch, context, error);
    snFineLattice next = complex.split;
    int vertices = next.lattice.vertexCount, first = from.levelVertices[0];
    if (!status) status = snScheme_Step(step, s->scheme, &complex, arena, context, error);
    if (!status) status = snComplex_SplitSharp(&complex, &next.lattice.sharp, arena, error);
    if (!status && s->scheme != SN_SCHEME_TRILINEAR)
        movePoints(&next.lattice, step, from.lattice.rest);
    if (!status)
        status = multiplyRows(&next.rows, step, vertices, &from.rows, first, arena, context, error);
    if (!status) status = joinSources(&next, &from, arena, error);
    if (!status) {
        for (int c = 0; c < next.lattice.cellCount; c++)
            next.parent[c] = from.parent[next.parent[c]];
        next.levelVertices = from.levelVertices;
        next.levelVertices[level + 1] = vertices;
        s->fine = next;
    }
    snArena_Destroy(&scratch);
    return status;
}

snStatus snSubdivideBy(snSubdivision *subdivision, snScheme scheme, const snLattice *lattice,
                       int levels, snArena *arena, const snContext *context, snError *error)
{
    snSubdivision *s = subdivision;
    *s = (snSubdivision){.scheme = scheme, .levels = levels};
    if ((int)scheme < 0 || scheme >= SN_SCHEME_COUNT || levels < 0)
        return snFail(error, SN_ERROR_ARGUMENT, "there is no scheme %d or no level %d", (int)scheme,
                      levels);
    snStatus status = snLattice_CheckSharp(lattice, context, error);
    if (!status) status = snSubdivide(&s->fine, lattice, 0, arena, context, error);
    if (status) return status;
    int *levelVertices = SN_NEW(arena, int, levels + 1);
    s->step = SN_NEW(arena, snWeightRows, levels);
    if (!levelVertices || !s->step) return snFailMemory(error);
    levelVertices[0] = lattice->vertexCount;
    s->fine.levelVertices = levelVertices;
    for (int j = 0; j < levels && !status; j++)
        status = nextLevel(s, j, arena, context, error);
    if (status || scheme != SN_SCHEME_TRILINEAR) return status;
    snFineLattice same; // the rows in the order of summation that everyone else has
    status = snSubdivide(&same, lattice, levels, arena, context, error);
    if (!status) s->fine.rows = same.rows;
    return status;
}
