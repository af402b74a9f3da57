#include "body/lattice/scheme.h"

#include "body/lattice/rows.h"
#include "body/lattice/scheme_parts.h"
#include "core/error.h"

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

typedef struct Maker {
    const snComplex *x;
    snRowMaker rows;
} Maker;

// Adds weight times the centroid that vertex v of the split lattice stands for.
static void addCentroid(Maker *m, int v, double weight)
{
    int n;
    const int *source = snComplex_Sources(m->x, v, &n);
    if (!n) snRowMaker_Add(&m->rows, v, weight);
    for (int k = 0; k < n; k++)
        snRowMaker_Add(&m->rows, source[k], weight / n);
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

// (Q + 6 P + R)/8 = P/2 + (M0 + M1)/4 with the midpoints M0, M1.
static void creaseRule(Maker *m, int v, const snPlace *place)
{
    const snComplex *x = m->x;
    snRowMaker_Add(&m->rows, v, 0.5);
    for (int i = x->vertexEdges.start[v]; i < x->vertexEdges.start[v + 1]; i++)
        if (snPlace_CountsSharp(x, place, x->vertexEdges.item[i]))
            addCentroid(m, x->firstEdge + x->vertexEdges.item[i], 0.25);
}

static void surfaceVertexRule(Maker *m, int v, const snPlace *place)
{
    const snComplex *x = m->x;
    int n = place->surfaceEdges;
    for (int i = x->vertexFaces.start[v]; i < x->vertexFaces.start[v + 1]; i++)
        if (x->surface[x->vertexFaces.item[i]])
            addCentroid(m, x->firstFace + x->vertexFaces.item[i], 1.0 / n / place->surfaceFaces);
    for (int i = x->vertexEdges.start[v]; i < x->vertexEdges.start[v + 1]; i++)
        if (x->surfaceFaces[x->vertexEdges.item[i]])
            addCentroid(m, x->firstEdge + x->vertexEdges.item[i], 2.0 / n / n);
    snRowMaker_Add(&m->rows, v, (n - 3.0) / n);
}

static void vertexRule(Maker *m, int v)
{
    const snComplex *x = m->x;
    snPlace place = snPlace_Of(x, v);
    bool alone = x->vertexCells.start[v] == x->vertexCells.start[v + 1]; // in no cell
    if (alone || x->corner[v] || place.sharpEdges > 2) {
        snRowMaker_Add(&m->rows, v, 1);
    } else if (place.sharpEdges == 2) {
        creaseRule(m, v, &place);
    } else if (place.surfaceFaces) {
        surfaceVertexRule(m, v, &place);
    } else {
        addMean(m, &x->vertexCells, v, x->firstCell, 0.125);
        addMean(m, &x->vertexFaces, v, x->firstFace, 0.375);
        addMean(m, &x->vertexEdges, v, x->firstEdge, 0.375);
        snRowMaker_Add(&m->rows, v, 0.125);
    }
}

static bool maccrackenJoy(Maker *m)
{
    const snComplex *x = m->x;
    bool ok = true;
    for (int v = 0; v < x->lattice->vertexCount && ok; v++, ok = snRowMaker_Close(&m->rows))
        vertexRule(m, v);
    for (int e = 0; e < x->edgeCount && ok; e++, ok = snRowMaker_Close(&m->rows))
        edgeRule(m, e);
    for (int f = 0; f < x->faceCount && ok; f++, ok = snRowMaker_Close(&m->rows))
        faceRule(m, f);
    for (int c = 0; c < x->lattice->cellCount && ok; c++, ok = snRowMaker_Close(&m->rows))
        addCentroid(m, x->firstCell + c, 1);
    return ok;
}

static bool trilinear(Maker *m)
{
    bool ok = true;
    for (int v = 0; v < m->x->split.lattice.vertexCount && ok; v++, ok = snRowMaker_Close(&m->rows))
        addCentroid(m, v, 1);
    return ok;
}

// ---- Bajaj, Schaefer, Warren, Xu ------------------------------------------------------------------

static void averageRule(Maker *m, const snPieces *pieces, int v)
{
    int begin = pieces->of.start[v], end = pieces->of.start[v + 1], n = 0;
    for (int i = begin; i < end; i++)
        n += snPieces_Counts(m->x, pieces, pieces->of.item[i], v);
    for (int i = begin; i < end; i++) {
        int piece = pieces->of.item[i];
        for (int k = 0; snPieces_Counts(m->x, pieces, piece, v) && k < pieces->corners; k++)
            addCentroid(m, pieces->vertex[piece * pieces->corners + k], 1.0 / n / pieces->corners);
    }
}

static snStatus bajaj(Maker *m, snArena *scratch, snError *error)
{
    snPieces pieces[4];
    snStatus status = snPieces_Make(pieces, m->x, scratch, error);
    for (int v = 0; v < m->x->split.lattice.vertexCount && !status; v++) {
        int d = snComplex_Dimension(m->x, v);
        if (d)
            averageRule(m, &pieces[d], v);
        else
            snRowMaker_Add(&m->rows, v, 1);
        if (!snRowMaker_Close(&m->rows)) status = snFailMemory(error);
    }
    return status;
}

// ---- levels ---------------------------------------------------------------------------------------

const char *snScheme_Name(snScheme scheme)
{
    static const char *const names[SN_SCHEME_COUNT] = {"trilinear", "maccracken-joy", "bajaj"};
    return (int)scheme >= 0 && scheme < SN_SCHEME_COUNT ? names[scheme] : "unknown";
}

snStatus snScheme_Step(snWeightRows *rows, snScheme scheme, const snComplex *complex,
                       snArena *arena, const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    Maker m = {.x = complex};
    snStatus status = snRowMaker_Begin(&m.rows, complex->split.lattice.vertexCount,
                                       complex->lattice->vertexCount, arena, context, error);
    if (!status && scheme == SN_SCHEME_BAJAJ)
        status = bajaj(&m, &scratch, error);
    else if (!status && !(scheme == SN_SCHEME_TRILINEAR ? trilinear(&m) : maccrackenJoy(&m)))
        status = snFailMemory(error);
    status = snRowMaker_End(&m.rows, rows, status, arena, error);
    snArena_Destroy(&scratch);
    return status;
}

static void movePoints(snLattice *fine, const snWeightRows *step, const snVec3 *coarse)
{
    for (int v = 0; v < fine->vertexCount; v++)
        fine->rest[v] = snWeightRows_Point(step, v, coarse);
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

// R_{j+1} = S_j R_j, and a function for every new vertex of the levels that have any.
static snStatus nextRows(snWeightRows *rows, const snSubdivision *s, const snSubdivisionDef *def,
                         int level, int vertices, snArena *arena, const snContext *context,
                         snError *error)
{
    const snSubdivisionLevel *from = &s->level[level];
    bool own = level < def->functions;
    snRowProduct product = {.left = &s->step[level],
                            .right = &s->fine.rows,
                            .rowCount = vertices,
                            .columns = own ? vertices : s->level[def->functions].vertexCount,
                            .firstOwn = from->vertexCount,
                            .endOwn = own ? vertices : from->vertexCount};
    return snRowProduct_Make(rows, &product, arena, context, error);
}

static void keepLevel(snSubdivision *s, int level)
{
    const snLattice *l = &s->fine.lattice;
    s->level[level] = (snSubdivisionLevel){l->vertexCount, l->cellCount, l->cellStart, l->corners,
                                           s->fine.parent};
    s->fine.levelVertices[level] = l->vertexCount;
}

static snStatus nextLevel(snSubdivision *s, const snSubdivisionDef *def, int level, snArena *arena,
                          const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    const snFineLattice from = s->fine;
    snWeightRows *step = &s->step[level];
    snComplex complex;
    snStatus status = snComplex_Make(&complex, &from.lattice, arena, &scratch, context, error);
    snFineLattice next = complex.split;
    int vertices = next.lattice.vertexCount;
    if (!status) status = snScheme_Step(step, s->scheme, &complex, arena, context, error);
    if (!status) status = snComplex_SplitSharp(&complex, &next.lattice.sharp, arena, error);
    if (!status && s->scheme != SN_SCHEME_TRILINEAR)
        movePoints(&next.lattice, step, from.lattice.rest);
    if (!status) status = nextRows(&next.rows, s, def, level, vertices, arena, context, error);
    if (!status) status = joinSources(&next, &from, arena, error);
    if (!status && def->limit && level + 1 == s->levels)
        status = snScheme_LimitMasks(&s->limit, s->scheme, &complex, arena, context, error);
    if (!status) {
        for (int c = 0; c < next.lattice.cellCount; c++)
            next.parent[c] = from.parent[next.parent[c]];
        next.levelVertices = from.levelVertices;
        s->fine = next;
        keepLevel(s, level + 1);
    }
    snArena_Destroy(&scratch);
    return status;
}

static snStatus checkDef(const snSubdivisionDef *def, snError *error)
{
    if ((int)def->scheme < 0 || def->scheme >= SN_SCHEME_COUNT || def->levels < 0)
        return snFail(error, SN_ERROR_ARGUMENT, "there is no scheme %d or no level %d",
                      (int)def->scheme, def->levels);
    if (def->functions < 0 || def->functions > def->levels || (def->limit && !def->levels))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "%d levels of functions on a lattice of level %d; raise the latter",
                      def->functions, def->levels);
    return SN_OK;
}

snStatus snSubdivision_Make(snSubdivision *subdivision, const snSubdivisionDef *def, snArena *arena,
                            const snContext *context, snError *error)
{
    snSubdivision *s = subdivision;
    *s = (snSubdivision){.scheme = def->scheme, .levels = def->levels};
    snStatus status = checkDef(def, error);
    if (!status) status = snLattice_CheckSharp(def->lattice, context, error);
    if (!status) status = snSubdivide(&s->fine, def->lattice, 0, arena, context, error);
    if (status) return status;
    s->fine.levelVertices = SN_NEW(arena, int, def->levels + 1);
    s->step = SN_NEW(arena, snWeightRows, def->levels);
    s->level = SN_NEW(arena, snSubdivisionLevel, def->levels + 1);
    if (!s->fine.levelVertices || !s->step || !s->level) return snFailMemory(error);
    keepLevel(s, 0);
    for (int j = 0; j < def->levels && !status; j++)
        status = nextLevel(s, def, j, arena, context, error);
    return status;
}

snStatus snSubdivideBy(snSubdivision *subdivision, snScheme scheme, const snLattice *lattice,
                       int levels, snArena *arena, const snContext *context, snError *error)
{
    snSubdivisionDef def = {.scheme = scheme, .lattice = lattice, .levels = levels};
    snStatus status = snSubdivision_Make(subdivision, &def, arena, context, error);
    if (status || scheme != SN_SCHEME_TRILINEAR) return status;
    snFineLattice same; // the rows in the order of summation that everyone else has
    status = snSubdivide(&same, lattice, levels, arena, context, error);
    if (!status) subdivision->fine.rows = same.rows;
    return status;
}
