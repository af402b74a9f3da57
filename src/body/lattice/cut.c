#include "body/lattice/cut.h"

#include "core/array.h"
#include "core/error.h"
#include "core/sets.h"
#include "geometry/edges.h"
#include "geometry/orient.h"

#include <stdlib.h>

void snTetSet_Points(const snTetSet *tets, int tet, snVec3 p[4])
{
    for (int k = 0; k < 4; k++)
        p[k] = tets->points[tets->corners[tet * 4 + k]];
}

snTriangle snCut_Triangle(const snCut *cut, int triangle)
{
    return snMesh_Triangle(&cut->mesh, triangle);
}

// ---- triangles side by side ---------------------------------------------------------------------

// Round an edge that more than two triangles share they are chained in a circle.
static void joinRound(snCut *cut, const snSide *edges, int count)
{
    for (int i = 0; i < count; i++) {
        int t = edges[i].corner / 3, next = edges[(i + 1) % count].corner / 3;
        cut->beside[edges[i].corner] = next == t ? -1 : next;
        snSets_Join(cut->shell, t, next);
    }
}

static snStatus joinTriangles(snCut *cut, snArena *arena, const snContext *context, snError *error)
{
    int n = cut->mesh.triangleCount, count = n * 3;
    snArena scratch = snMakeArena(context);
    snSide *edges = SN_NEW(&scratch, snSide, count);
    cut->beside = SN_NEW(arena, int, count);
    cut->shell = SN_NEW(arena, int, n);
    if (!edges || !cut->beside || !cut->shell) {
        snArena_Destroy(&scratch);
        return snFailMemory(error);
    }
    snSets_Begin(cut->shell, n);
    snSides_Sort(edges, cut->mesh.triangles, n);
    for (int i = 0, end; i < count; i = end) {
        end = snSides_End(edges, count, i);
        joinRound(cut, edges + i, end - i);
    }
    for (int t = 0; t < n; t++)
        cut->shell[t] = snSets_Root(cut->shell, t);
    snArena_Destroy(&scratch);
    return SN_OK;
}

// ---- pieces -------------------------------------------------------------------------------------

typedef struct Gather {
    const snCut *cut;
    const snAllocator *allocator;
    snVec3 corners[4];
    SN_ARRAY(snCutPiece) pieces;
    bool failed;
} Gather;

// A piece that lies in a face of the tet bounds what is on its inner side alone.
static bool isBehind(const Gather *gather, int triangle, const snPiece *piece)
{
    snTriangle t = snCut_Triangle(gather->cut, triangle);
    snVec3 middle = snScale(0.25, snAdd(snAdd(gather->corners[0], gather->corners[1]),
                                        snAdd(gather->corners[2], gather->corners[3])));
    double height = snDot(snSub(middle, t.a), snTriangle_AreaVector(t));
    return piece->flat && height * gather->cut->side[triangle] > 0;
}

static bool gatherTriangle(int triangle, void *context)
{
    Gather *gather = context;
    snPiece piece = snPiece_Cut(snCut_Triangle(gather->cut, triangle), gather->corners);
    if (piece.count == 0 || isBehind(gather, triangle, &piece)) return true;
    gather->failed =
        !snArray_Push(gather->allocator, &gather->pieces, ((snCutPiece){triangle, piece.faces}));
    return !gather->failed;
}

static int comparePieces(const void *a, const void *b)
{
    const snCutPiece *x = a, *y = b;
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

static snStatus gatherPieces(snCut *cut, const snTetSet *tets, const snTree *tree, snArena *arena,
                             const snContext *context, snError *error)
{
    Gather gather = {.cut = cut, .allocator = &context->allocator};
    cut->start = SN_NEW(arena, int, tets->count + 1);
    for (int t = 0; t < tets->count && cut->start && !gather.failed; t++) {
        snTetSet_Points(tets, t, gather.corners);
        snTree_Overlap(tree, snBoxOf(4, gather.corners), gatherTriangle, &gather);
        int first = cut->start[t], count = gather.pieces.count - first;
        if (count > 1)
            qsort(gather.pieces.data + first, (size_t)count, sizeof(snCutPiece), comparePieces);
        cut->start[t + 1] = gather.pieces.count;
    }
    if (!gather.failed)
        cut->pieces = SN_COPY(arena, snCutPiece, gather.pieces.data, gather.pieces.count);
    snArray_Free(&context->allocator, &gather.pieces);
    return cut->start && cut->pieces ? SN_OK : snFailMemory(error);
}

snStatus snCut_Make(snCut *cut, const snTetSet *tets, const snMeshTree *surface, snArena *arena,
                    const snContext *context, snError *error)
{
    *cut = (snCut){.mesh = surface->mesh};
    cut->side = SN_NEW(arena, signed char, cut->mesh.triangleCount);
    if (!cut->side) return snFailMemory(error);
    snStatus status = snOrientTriangles(cut->side, surface, &context->allocator, error);
    if (!status) status = joinTriangles(cut, arena, context, error);
    if (!status) status = gatherPieces(cut, tets, &surface->tree, arena, context, error);
    return status;
}

int snCut_Find(const snCut *cut, int tet, int triangle)
{
    int low = cut->start[tet], high = cut->start[tet + 1] - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2, at = cut->pieces[middle].triangle;
        if (at == triangle) return middle;
        if (at < triangle)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

int snCut_Nearest(const snCut *cut, int tet, const snVec3 corners[4], snVec3 point, bool facing)
{
    int best = -1;
    double least = 1e300;
    for (int i = cut->start[tet]; i < cut->start[tet + 1]; i++) {
        int t = cut->pieces[i].triangle;
        snTriangle triangle = snCut_Triangle(cut, t);
        if (facing) {
            double height = snDot(snSub(point, triangle.a), snTriangle_AreaVector(triangle));
            if (cut->side[t] == 0 || height * cut->side[t] > 0) continue;
        }
        snVec3 foot = snClosestOnTriangle(point, triangle, NULL); // the piece is no nearer
        if (snLengthSquared(snSub(foot, point)) >= least) continue;
        snPiece piece = snPiece_Cut(triangle, corners);
        if (piece.count == 0) continue;
        double d = snLengthSquared(snSub(snPiece_Closest(&piece, point), point));
        if (d >= least) continue;
        least = d;
        best = i;
    }
    return best;
}
