#include "render/surface.h"

#include <stdlib.h>
#include <string.h>

void snTriangleData_Free(snTriangleData *data)
{
    free(data->vertices);
    free(data->indices);
    *data = (snTriangleData){0};
}

static uint32_t hashPosition(const float p[3])
{
    uint32_t bits[3];
    memcpy(bits, p, sizeof bits);
    uint32_t h = bits[0] * 0x9e3779b1u ^ bits[1] * 0x85ebca6bu ^ bits[2] * 0xc2b2ae35u;
    return h ^ h >> 15;
}

// first[v]: the first vertex at exactly the same place as v. Files split vertices at texture seams;
// normals must not.
static bool findEqualPlaces(const snTriangleData *data, int *first)
{
    size_t size = 16;
    while (size < 2 * (size_t)data->vertexCount)
        size *= 2;
    int *table = malloc(size * sizeof *table);
    if (!table) return false;
    memset(table, -1, size * sizeof *table);
    for (int v = 0; v < data->vertexCount; v++) {
        const float *p = data->vertices[v].position;
        size_t slot = hashPosition(p) & (size - 1);
        while (table[slot] >= 0 &&
               memcmp(data->vertices[table[slot]].position, p, 3 * sizeof *p) != 0)
            slot = (slot + 1) & (size - 1);
        if (table[slot] < 0) table[slot] = v;
        first[v] = table[slot];
    }
    free(table);
    return true;
}

static void addFaceNormals(snTriangleData *data, const int *first)
{
    for (int i = 0; i + 2 < data->indexCount; i += 3) {
        float e[2][3];
        const snVertex *corner = &data->vertices[data->indices[i]];
        for (int k = 0; k < 2; k++)
            for (int c = 0; c < 3; c++)
                e[k][c] =
                    data->vertices[data->indices[i + 1 + k]].position[c] - corner->position[c];
        // Twice the area times the unit normal, so that large triangles count more.
        float n[3] = {e[0][1] * e[1][2] - e[0][2] * e[1][1], e[0][2] * e[1][0] - e[0][0] * e[1][2],
                      e[0][0] * e[1][1] - e[0][1] * e[1][0]};
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++)
                data->vertices[first[data->indices[i + k]]].normal[c] += n[c];
    }
}

static snStatus computeNormals(snTriangleData *data, snError *error)
{
    int *first = malloc(((size_t)data->vertexCount + 1) * sizeof *first);
    if (!first || !findEqualPlaces(data, first)) {
        free(first);
        return snFailMemory(error);
    }
    addFaceNormals(data, first);
    for (int v = 0; v < data->vertexCount; v++)
        memcpy(data->vertices[v].normal, data->vertices[first[v]].normal,
               sizeof data->vertices[v].normal);
    free(first);
    return SN_OK;
}

// Unit length, and upwards where there is none, so that the shader never sees a NaN.
static void normalizeNormals(snTriangleData *data)
{
    for (int v = 0; v < data->vertexCount; v++) {
        float *n = data->vertices[v].normal;
        snVec3 unit =
            snNormalizeOr(snVec((double)n[0], (double)n[1], (double)n[2]), snVec(0, 1, 0));
        if (!snIsFinite3(unit)) unit = snVec(0, 1, 0);
        n[0] = (float)unit.x, n[1] = (float)unit.y, n[2] = (float)unit.z;
    }
}

// Texture coordinates may run over many repetitions, but not so far that floats have no fraction.
static void fillUv(snVertex *vertex, const float *uv)
{
    for (int k = 0; k < 2; k++)
        vertex->uv[k] = fabsf(uv[k]) < 1e5f ? uv[k] : 0.0f; // NaN becomes 0
}

// Puts vertices in their places; those that have none (NaN, absurdly far) are marked unusable.
static void fillVertices(snTriangleData *data, const snSurfaceDraw *draw, const snFrame *frame,
                         bool *usable)
{
    for (int v = 0; v < draw->vertexCount; v++) {
        snVertex *vertex = &data->vertices[v];
        usable[v] = snFrame_Place(frame, draw->positions[v], vertex->position);
        const float *color = draw->colors ? &draw->colors[4 * (size_t)v] : draw->color;
        for (int c = 0; c < 4; c++)
            vertex->color[c] = fminf(fmaxf(color[c], 0.0f), 1.0f); // NaN becomes 0
        if (draw->uv) fillUv(vertex, &draw->uv[2 * (size_t)v]);
        if (!draw->normals) continue;
        vertex->normal[0] = draw->normals[v].x;
        vertex->normal[1] = draw->normals[v].y;
        vertex->normal[2] = draw->normals[v].z;
    }
}

static void fillTriangles(snTriangleData *data, const snSurfaceDraw *draw, const bool *usable)
{
    for (int t = 0; t < draw->triangleCount; t++) {
        const int *corners = &draw->triangles[3 * (size_t)t];
        bool good = true;
        for (int k = 0; k < 3; k++)
            good = good && corners[k] >= 0 && corners[k] < draw->vertexCount && usable[corners[k]];
        if (!good) continue;
        for (int k = 0; k < 3; k++) // turned round where the surface is its mirror image
            data->indices[data->indexCount++] = (uint32_t)corners[draw->mirrored ? 2 - k : k];
    }
}

snStatus snTriangleData_FromSurface(snTriangleData *data, const snSurfaceDraw *draw,
                                    const snFrame *frame, snError *error)
{
    *data = (snTriangleData){0};
    if (draw->vertexCount < 0 || draw->triangleCount < 0 || draw->triangleCount > INT32_MAX / 3)
        return snFail(error, SN_ERROR_ARGUMENT, "a surface has %d vertices and %d triangles",
                      draw->vertexCount, draw->triangleCount);
    data->vertexCount = draw->vertexCount;
    data->vertices = calloc((size_t)draw->vertexCount + 1, sizeof *data->vertices);
    data->indices = malloc((3 * (size_t)draw->triangleCount + 1) * sizeof *data->indices);
    bool *usable = malloc((size_t)draw->vertexCount + 1);
    snStatus status = SN_OK;
    if (!data->vertices || !data->indices || !usable) {
        status = snFailMemory(error);
    } else {
        fillVertices(data, draw, frame, usable);
        fillTriangles(data, draw, usable);
        if (!draw->normals) status = computeNormals(data, error);
        normalizeNormals(data);
    }
    free(usable);
    if (status) snTriangleData_Free(data);
    return status;
}
