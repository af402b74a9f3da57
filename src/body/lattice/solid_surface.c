#include "body/lattice/solid_surface.h"

#include "body/lattice/boundary.h"
#include "core/error.h"

#define MOST_SAMPLES 3000
#define FINEST 6 // points along the edge of a large triangle

// ---- sizes --------------------------------------------------------------------------------------

static double meanEdge(const snLattice *lattice)
{
    double sum = 0;
    int count = 0;
    for (int c = 0; c < lattice->cellCount; c++) {
        const snCellShape *shape = snCellShape_Of(snLattice_Kind(lattice, c));
        const int *corners = snLattice_Corners(lattice, c);
        for (int e = 0; e < shape->edges; e++, count++)
            sum += snDistance(lattice->rest[corners[shape->edge[e][0]]],
                              lattice->rest[corners[shape->edge[e][1]]]);
    }
    return count ? sum / count : 0;
}

static void findSizes(snSolidSurface *surface, const snLattice *lattice)
{
    snBox box = snEmptyBox();
    for (int v = 0; v < surface->vertexCount; v++)
        box = snBoxAdd(box, surface->rest[v]);
    surface->size = snDistance(box.lower, box.upper);
    surface->edge = meanEdge(lattice);
}

// ---- surfaces -----------------------------------------------------------------------------------

static snStatus cutFaces(snSolidSurface *surface, const snLattice *lattice,
                         const snBoundary *boundary, snArena *arena, snArena *scratch,
                         snError *error)
{
    int *numberOf = SN_NEW(scratch, int, lattice->vertexCount);
    surface->rest = SN_NEW(arena, snVec3, lattice->vertexCount);
    surface->triangles = SN_NEW(arena, int, (size_t)boundary->faceCount * 6);
    if (!numberOf || !surface->rest || !surface->triangles) return snFailMemory(error);
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
        for (int k = 2; k < n; k++) {
            int *t = surface->triangles + 3 * (size_t)surface->triangleCount++;
            t[0] = corners[0];
            t[1] = corners[k - 1];
            t[2] = corners[k];
        }
    }
    return SN_OK;
}

snStatus snSolidSurface_FromLattice(snSolidSurface *surface, const snLattice *lattice,
                                    snArena *arena, const snContext *context, snError *error)
{
    *surface = (snSolidSurface){0};
    snArena scratch = snMakeArena(context);
    snBoundary boundary;
    snStatus status = snBoundary_Find(&boundary, lattice, &scratch, context, error);
    if (!status) status = cutFaces(surface, lattice, &boundary, arena, &scratch, error);
    snArena_Destroy(&scratch);
    if (status) return status;
    findSizes(surface, lattice);
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
    findSizes(surface, lattice);
    if (given->embedding) return copyEmbedding(&surface->embedding, given->embedding, arena, error);
    return snEmbed(&surface->embedding, lattice, surface->vertexCount, surface->rest, arena,
                   context, error);
}

// ---- what touches -------------------------------------------------------------------------------

typedef struct Sample {
    int corner[3];
    double share[3];
} Sample;

// Points of triangles whose edges are long against the lattice's; `samples` NULL: only counted.
static int addInner(const snSolidSurface *surface, Sample *samples, int most)
{
    int count = 0;
    for (int t = 0; t < surface->triangleCount; t++) {
        const int *c = surface->triangles + 3 * (size_t)t;
        snVec3 p[3] = {surface->rest[c[0]], surface->rest[c[1]], surface->rest[c[2]]};
        double longest =
            fmax(snDistance(p[0], p[1]), fmax(snDistance(p[1], p[2]), snDistance(p[2], p[0])));
        if (!(longest > 1.5 * surface->edge)) continue;
        int n = longest < FINEST * surface->edge ? (int)ceil(longest / surface->edge) : FINEST;
        for (int i = 0; i < n; i++)
            for (int k = 0; i + k < n && count < most; k++, count++) {
                double u = (i + 1.0 / 3) / n, v = (k + 1.0 / 3) / n;
                if (samples) samples[count] = (Sample){{c[0], c[1], c[2]}, {1 - u - v, u, v}};
            }
    }
    return count;
}

// Every so many of the vertices where there are more than do.
static int addVertices(const snSolidSurface *surface, Sample *samples)
{
    int n = surface->vertexCount, count = n < MOST_SAMPLES ? n : MOST_SAMPLES;
    for (int i = 0; i < count; i++) {
        int v = (int)((int64_t)i * n / count);
        samples[i] = (Sample){{v, v, v}, {1, 0, 0}};
    }
    return count;
}

static int copyRow(const snEmbedding *e, int point, double share, int *vertex, double *weight)
{
    int count = 0;
    for (int k = point * e->width; k < (point + 1) * e->width && share != 0; k++) {
        if (e->weight[k] == 0) continue;
        vertex[count] = e->vertex[k];
        weight[count++] = share * e->weight[k];
    }
    return count;
}

snStatus snSolidSurface_Samples(const snSolidSurface *surface, snContactSamples *out,
                                snArena *arena, snError *error)
{
    int vertices = surface->vertexCount < MOST_SAMPLES ? surface->vertexCount : MOST_SAMPLES;
    int count = vertices + addInner(surface, NULL, MOST_SAMPLES - vertices);
    size_t entries = (size_t)count * 3 * (size_t)surface->embedding.width;
    Sample *samples = SN_NEW(arena, Sample, count);
    snVec3 *rest = SN_NEW(arena, snVec3, count);
    int *start = SN_NEW(arena, int, count + 1), *vertex = SN_NEW(arena, int, entries);
    double *weight = SN_NEW(arena, double, entries);
    if (!samples || !rest || !start || !vertex || !weight) return snFailMemory(error);
    addInner(surface, samples + addVertices(surface, samples), MOST_SAMPLES - vertices);
    for (int s = 0; s < count; s++) {
        start[s + 1] = start[s];
        for (int k = 0; k < 3; k++) {
            int v = samples[s].corner[k], at = start[s + 1];
            rest[s] = snMulAdd(rest[s], samples[s].share[k], surface->rest[v]);
            start[s + 1] +=
                copyRow(&surface->embedding, v, samples[s].share[k], vertex + at, weight + at);
        }
    }
    *out = (snContactSamples){count, start, vertex, weight, rest};
    return SN_OK;
}
