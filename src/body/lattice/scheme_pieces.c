// What lies around the vertices of a split lattice, by dimension.
#include "body/lattice/scheme_parts.h"

#include "core/error.h"

bool snPlace_CountsSharp(const snComplex *complex, const snPlace *place, int edge)
{
    const snComplex *x = complex;
    return x->sharp[edge] && (!place->surfaceFaces || x->surfaceFaces[edge]);
}

snPlace snPlace_Of(const snComplex *complex, int vertex)
{
    const snComplex *x = complex;
    snPlace place = {0};
    int v = vertex;
    for (int i = x->vertexFaces.start[v]; i < x->vertexFaces.start[v + 1]; i++)
        place.surfaceFaces += x->surface[x->vertexFaces.item[i]];
    for (int i = x->vertexEdges.start[v]; i < x->vertexEdges.start[v + 1]; i++) {
        int e = x->vertexEdges.item[i];
        place.surfaceEdges += x->surfaceFaces[e] > 0;
        place.sharpEdges += snPlace_CountsSharp(x, &place, e);
    }
    return place;
}

int snComplex_Dimension(const snComplex *complex, int vertex)
{
    const snComplex *x = complex;
    int v = vertex;
    if (v < x->firstEdge) {
        snPlace place = snPlace_Of(x, v);
        if (x->corner[v] || x->vertexCells.start[v] == x->vertexCells.start[v + 1]) return 0;
        return place.sharpEdges >= 2 ? 1 : place.surfaceFaces ? 2 : 3;
    }
    if (v < x->firstFace) {
        int e = v - x->firstEdge;
        return x->sharp[e] ? 1 : x->surfaceFaces[e] ? 2 : 3;
    }
    return v < x->firstCell && x->surface[v - x->firstFace] ? 2 : 3;
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

snStatus snPieces_Make(snPieces pieces[4], const snComplex *complex, snArena *scratch,
                       snError *error)
{
    const snComplex *x = complex;
    int quads = snComplex_SplitSurface(x, false, NULL), halves;
    int(*quad)[4] = snArena_Alloc(scratch, sizeof *quad, (size_t)quads);
    int *half = sharpHalves(x, &halves, scratch);
    if (!quad || !half) return snFailMemory(error);
    snComplex_SplitSurface(x, false, quad);
    pieces[1] = (snPieces){.vertex = half, .count = halves, .corners = 2};
    pieces[2] = (snPieces){.vertex = quads ? quad[0] : NULL, .count = quads, .corners = 4};
    pieces[3] = (snPieces){
        .vertex = x->split.lattice.corners, .count = x->split.lattice.cellCount, .corners = 8};
    snStatus status = SN_OK;
    for (int d = 1; d <= 3 && !status; d++)
        status = snLists_Make(&pieces[d].of, pieces[d].vertex, pieces[d].count, pieces[d].corners,
                              x->split.lattice.vertexCount, scratch, error);
    return status;
}

bool snPieces_Counts(const snComplex *complex, const snPieces *pieces, int piece, int v)
{
    const snComplex *x = complex;
    if (pieces->corners > 2 || v >= x->firstEdge) return true;
    snPlace place = snPlace_Of(x, v);
    return snPlace_CountsSharp(x, &place, pieces->vertex[piece * 2 + 1] - x->firstEdge);
}
