#include "render/gpu_mesh.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void destroyMesh(snGpuMesh *mesh)
{
    glDeleteVertexArrays(1, &mesh->array);
    glDeleteBuffers(1, &mesh->vertices);
    glDeleteBuffers(1, &mesh->indices);
    *mesh = (snGpuMesh){0};
}

static void attribute(GLuint place, GLint count, size_t stride, size_t offset, GLuint divisor)
{
    glEnableVertexAttribArray(place);
    glVertexAttribPointer(place, count, GL_FLOAT, GL_FALSE, (GLsizei)stride, (const void *)offset);
    glVertexAttribDivisor(place, divisor);
}

static void uploadVertices(snGpuMesh *mesh, const void *data, size_t size)
{
    glGenVertexArrays(1, &mesh->array);
    glBindVertexArray(mesh->array);
    glGenBuffers(1, &mesh->vertices);
    glBindBuffer(GL_ARRAY_BUFFER, mesh->vertices);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, data, GL_STREAM_DRAW);
}

static void uploadTriangles(snGpuMesh *mesh, const snTriangleData *data)
{
    mesh->count = data->indexCount;
    if (data->indexCount == 0) return;
    uploadVertices(mesh, data->vertices, (size_t)data->vertexCount * sizeof(snVertex));
    attribute(0, 3, sizeof(snVertex), offsetof(snVertex, position), 0);
    attribute(1, 3, sizeof(snVertex), offsetof(snVertex, normal), 0);
    attribute(2, 4, sizeof(snVertex), offsetof(snVertex, color), 0);
    attribute(3, 2, sizeof(snVertex), offsetof(snVertex, uv), 0);
    glGenBuffers(1, &mesh->indices);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->indices);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)((size_t)data->indexCount * sizeof(uint32_t)),
                 data->indices, GL_STREAM_DRAW);
    glBindVertexArray(0);
}

// A line or a point on the device; a point has both ends alike.
typedef struct Instance {
    float from[3], to[3];
    float color[4];
} Instance;

// `ends` is 2 for lines and 1 for points.
static snStatus uploadInstances(snGpuMesh *mesh, const snFrame *frame, int count, int ends,
                                const snVec3f *points, const float *colors, const float *color,
                                snError *error)
{
    if (count < 0)
        return snFail(error, SN_ERROR_ARGUMENT, "a list of %d lines or points cannot be drawn",
                      count);
    if (count == 0) return SN_OK;
    Instance *instances = malloc((size_t)count * sizeof *instances);
    if (!instances) return snFailMemory(error);
    GLsizei used = 0;
    for (int i = 0; i < count; i++) {
        const snVec3f *p = &points[(size_t)ends * (size_t)i];
        Instance *instance = &instances[used];
        if (!snFrame_Place(frame, p[0], instance->from)) continue;
        if (!snFrame_Place(frame, p[ends - 1], instance->to)) continue;
        const float *source = colors ? &colors[4 * (size_t)i] : color;
        for (int c = 0; c < 4; c++)
            instance->color[c] = fminf(fmaxf(source[c], 0.0f), 1.0f);
        used++;
    }
    mesh->count = used;
    if (used > 0) {
        uploadVertices(mesh, instances, (size_t)used * sizeof *instances);
        attribute(0, 3, sizeof(Instance), offsetof(Instance, from), 1);
        attribute(1, 3, sizeof(Instance), offsetof(Instance, to), 1);
        attribute(2, 4, sizeof(Instance), offsetof(Instance, color), 1);
        glBindVertexArray(0);
    }
    free(instances);
    return SN_OK;
}

static snStatus uploadSurface(snGpuMesh *mesh, const snSurfaceDraw *draw, const snFrame *frame,
                              snTextures *textures, snError *error)
{
    snTriangleData data;
    snStatus status =
        snTextures_Find(textures, draw->uv ? draw->texture : NULL, &mesh->texture, error);
    if (!status) status = snTriangleData_FromSurface(&data, draw, frame, error);
    if (status) return status;
    uploadTriangles(mesh, &data);
    snTriangleData_Free(&data);
    return SN_OK;
}

static snStatus uploadBones(snGpuMesh *mesh, const snBoneDraw *draw, const snFrame *frame,
                            snTextures *textures, snError *error)
{
    snTriangleData data;
    snStatus status = snTextures_Find(textures, NULL, &mesh->texture, error);
    if (!status) status = snTriangleData_FromBones(&data, draw, frame, error);
    if (status) return status;
    uploadTriangles(mesh, &data);
    snTriangleData_Free(&data);
    return SN_OK;
}

snStatus snGpuScene_Make(snGpuScene *gpu, const snScene *scene, const snFrame *frame,
                         snTextures *textures, snError *error)
{
    *gpu = (snGpuScene){0};
    size_t counts[4] = {(size_t)scene->surfaceCount, (size_t)scene->boneCount,
                        (size_t)scene->lineCount, (size_t)scene->pointCount};
    size_t total = counts[0] + counts[1] + counts[2] + counts[3];
    gpu->surfaces = calloc(total + 1, sizeof *gpu->surfaces);
    if (!gpu->surfaces) return snFailMemory(error);
    gpu->total = (int)total;
    gpu->bones = gpu->surfaces + counts[0];
    gpu->lines = gpu->bones + counts[1];
    gpu->points = gpu->lines + counts[2];
    snStatus status = SN_OK;
    for (int i = 0; !status && i < scene->surfaceCount; i++)
        status = uploadSurface(&gpu->surfaces[i], &scene->surfaces[i], frame, textures, error);
    for (int i = 0; !status && i < scene->boneCount; i++)
        status = uploadBones(&gpu->bones[i], &scene->bones[i], frame, textures, error);
    for (int i = 0; !status && i < scene->lineCount; i++) {
        const snLineDraw *d = &scene->lines[i];
        status = uploadInstances(&gpu->lines[i], frame, d->count, 2, d->points, d->colors, d->color,
                                 error);
    }
    for (int i = 0; !status && i < scene->pointCount; i++) {
        const snPointDraw *d = &scene->points[i];
        status = uploadInstances(&gpu->points[i], frame, d->count, 1, d->points, d->colors,
                                 d->color, error);
    }
    if (status) snGpuScene_Destroy(gpu);
    return status;
}

void snGpuScene_Destroy(snGpuScene *gpu)
{
    for (int i = 0; i < gpu->total; i++)
        destroyMesh(&gpu->surfaces[i]);
    free(gpu->surfaces);
    *gpu = (snGpuScene){0};
}

void snGpuMesh_DrawTriangles(const snGpuMesh *mesh)
{
    if (mesh->count == 0) return;
    glBindVertexArray(mesh->array);
    glDrawElements(GL_TRIANGLES, mesh->count, GL_UNSIGNED_INT, NULL);
    glBindVertexArray(0);
}

void snGpuMesh_DrawInstances(const snGpuMesh *mesh)
{
    if (mesh->count == 0) return;
    glBindVertexArray(mesh->array);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, mesh->count);
    glBindVertexArray(0);
}
