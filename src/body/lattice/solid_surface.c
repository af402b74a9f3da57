#include "body/lattice/solid_surface.h"

#include "body/lattice/crease.h"
#include "core/error.h"

void snSolidSurface_FindSizes(snSolidSurface *surface, const snLattice *lattice)
{
    surface->size = snBoxDiagonal(snBoxOf(surface->vertexCount, surface->rest));
    surface->edge = snLattice_MeanEdge(lattice);
}

// ---- surfaces -----------------------------------------------------------------------------------

static void cutFace(const int corners[SN_FACE_CORNERS], int count, int *triangles)
{
    for (int k = 2; k < count; k++) {
        int *t = triangles + 3 * (k - 2);
        t[0] = corners[0];
        t[1] = corners[k - 1];
        t[2] = corners[k];
    }
}

static snStatus cutFaces(snSolidSurface *surface, const snLattice *lattice,
                         const snBoundary *boundary, const snCreases *creases, snArena *arena,
                         snArena *scratch, snError *error)
{
    int *numberOf = SN_NEW(scratch, int, lattice->vertexCount);
    surface->rest = SN_NEW(arena, snVec3, lattice->vertexCount);
    surface->triangles = SN_NEW(arena, int, (size_t)boundary->faceCount * 6);
    surface->cornerTriangles = SN_NEW(arena, int, (size_t)boundary->faceCount * 6);
    if (!numberOf || !surface->rest || !surface->triangles || !surface->cornerTriangles)
        return snFailMemory(error);
    for (int f = 0; f < boundary->faceCount; f++) {
        const int *face = boundary->faces[f];
        int corners[SN_FACE_CORNERS], n = face[3] < 0 ? 3 : 4;
        for (int k = 0; k < n; k++) {
            if (!numberOf[face[k]]) {
                surface->rest[surface->vertexCount] = lattice->rest[face[k]];
                numberOf[face[k]] = ++surface->vertexCount;
            }
            corners[k] = numberOf[face[k]] - 1;
        }
        size_t first = 3 * (size_t)surface->triangleCount;
        cutFace(corners, n, surface->triangles + first);
        cutFace(creases->faces[f], n, surface->cornerTriangles + first);
        surface->triangleCount += n - 2;
    }
    surface->cornerCount = creases->cornerCount;
    surface->corner = creases->vertex;
    for (int c = 0; c < surface->cornerCount; c++)
        surface->corner[c] = numberOf[creases->vertex[c]] - 1;
    return SN_OK;
}

snStatus snSolidSurface_FromLattice(snSolidSurface *surface, const snLattice *lattice, bool bends,
                                    snArena *arena, const snContext *context, snError *error)
{
    *surface = (snSolidSurface){0};
    snArena scratch = snMakeArena(context);
    snBoundary boundary;
    snStatus status = snBoundary_Find(&boundary, lattice, &scratch, context, error);
    snCreases creases;
    if (!status)
        status = snCreases_Find(&creases, &boundary, lattice, bends, arena, context, error);
    if (!status) status = cutFaces(surface, lattice, &boundary, &creases, arena, &scratch, error);
    snArena_Destroy(&scratch);
    if (status) return status;
    snSolidSurface_FindSizes(surface, lattice);
    return snEmbed(&surface->embedding, lattice, surface->vertexCount, surface->rest, arena,
                   context, error);
}

static snStatus copyEmbedding(snEmbedding *to, const snEmbedding *from, snArena *arena,
                              snError *error)
{
    size_t entries = (size_t)from->pointCount * (size_t)from->width;
    *to = *from;
    to->vertex = SN_COPY(arena, int, from->vertex, entries);
    to->weight = SN_COPY(arena, double, from->weight, entries);
    to->cell = SN_COPY(arena, int, from->cell, from->pointCount);
    return to->vertex && to->weight && to->cell ? SN_OK : snFailMemory(error);
}

static snStatus copyCorners(snSolidSurface *surface, const snSolidMesh *given, snArena *arena,
                            snError *error)
{
    if (!given->cornerCount) return SN_OK;
    surface->cornerCount = given->cornerCount;
    surface->corner = SN_COPY(arena, int, given->corner, given->cornerCount);
    surface->cornerTriangles =
        SN_COPY(arena, int, given->cornerTriangles, (size_t)surface->triangleCount * 3);
    return surface->corner && surface->cornerTriangles ? SN_OK : snFailMemory(error);
}

snStatus snSolidSurface_FromMesh(snSolidSurface *surface, const snLattice *lattice,
                                 const snSolidMesh *given, snArena *arena, const snContext *context,
                                 snError *error)
{
    const snMesh *mesh = &given->mesh;
    *surface =
        (snSolidSurface){.vertexCount = mesh->vertexCount, .triangleCount = mesh->triangleCount};
    surface->rest = SN_COPY(arena, snVec3, mesh->positions, mesh->vertexCount);
    surface->triangles = SN_COPY(arena, int, mesh->triangles, (size_t)mesh->triangleCount * 3);
    if (!surface->rest || !surface->triangles) return snFailMemory(error);
    snSolidSurface_FindSizes(surface, lattice);
    snStatus status = copyCorners(surface, given, arena, error);
    if (status) return status;
    if (given->embedding) return copyEmbedding(&surface->embedding, given->embedding, arena, error);
    return snEmbed(&surface->embedding, lattice, surface->vertexCount, surface->rest, arena,
                   context, error);
}

// ---- what touches -------------------------------------------------------------------------------

snStatus snSolidSurface_Rows(const snSolidSurface *surface, snContactSamples *rows, snArena *arena,
                             snError *error)
{
    const snEmbedding *e = &surface->embedding;
    size_t entries = (size_t)e->pointCount * (size_t)e->width;
    int *start = SN_NEW(arena, int, e->pointCount + 1), *vertex = SN_NEW(arena, int, entries);
    double *weight = SN_NEW(arena, double, entries);
    int at = 0;
    if (!start || !vertex || !weight) return snFailMemory(error);
    for (int v = 0; v < e->pointCount; v++) {
        for (int k = v * e->width; k < (v + 1) * e->width; k++) {
            if (e->weight[k] == 0) continue;
            vertex[at] = e->vertex[k];
            weight[at++] = e->weight[k];
        }
        start[v + 1] = at;
    }
    *rows = (snContactSamples){e->pointCount, start, vertex, weight, surface->rest};
    return SN_OK;
}

snMesh snSolidSurface_Mesh(const snSolidSurface *surface)
{
    bool all = !surface->touch;
    return (snMesh){surface->vertexCount, all ? surface->triangleCount : surface->touchCount,
                    surface->rest, all ? surface->triangles : surface->touch};
}

snStatus snSolidSurface_Samples(const snSolidSurface *surface, int most, double edge,
                                snSampleChoice *choice, snArena *arena, snError *error)
{
    snContactSamples rows;
    snMesh mesh = snSolidSurface_Mesh(surface);
    snSampleChoiceDef def = {.surface = &mesh, .rows = &rows, .edge = edge, .most = most};
    snStatus status = snSolidSurface_Rows(surface, &rows, arena, error);
    if (!status) status = snSampleChoice_Make(choice, &def, arena, error);
    return status;
}
