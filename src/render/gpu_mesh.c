#include "render/gpu_mesh.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void destroyMesh(const snGl *gl, snGpuMesh *mesh)
{
    gl->DeleteVertexArrays(1, &mesh->array);
    gl->DeleteBuffers(1, &mesh->vertices);
    gl->DeleteBuffers(1, &mesh->indices);
    *mesh = (snGpuMesh){0};
}

static void attribute(const snGl *gl, GLuint place, GLint count, size_t stride, size_t offset,
                      GLuint divisor)
{
    gl->EnableVertexAttribArray(place);
    gl->VertexAttribPointer(place, count, GL_FLOAT, GL_FALSE, (GLsizei)stride,
                            (const void *)offset);
    gl->VertexAttribDivisor(place, divisor);
}

static void uploadVertices(const snGl *gl, snGpuMesh *mesh, const void *data, size_t size)
{
    gl->GenVertexArrays(1, &mesh->array);
    gl->BindVertexArray(mesh->array);
    gl->GenBuffers(1, &mesh->vertices);
    gl->BindBuffer(GL_ARRAY_BUFFER, mesh->vertices);
    gl->BufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, data, GL_STREAM_DRAW);
}

static void uploadTriangles(const snGl *gl, snGpuMesh *mesh, const snTriangleData *data)
{
    mesh->count = data->indexCount;
    if (data->indexCount == 0) return;
    uploadVertices(gl, mesh, data->vertices, (size_t)data->vertexCount * sizeof(snVertex));
    attribute(gl, 0, 3, sizeof(snVertex), offsetof(snVertex, position), 0);
    attribute(gl, 1, 3, sizeof(snVertex), offsetof(snVertex, normal), 0);
    attribute(gl, 2, 4, sizeof(snVertex), offsetof(snVertex, color), 0);
    attribute(gl, 3, 2, sizeof(snVertex), offsetof(snVertex, uv), 0);
    gl->GenBuffers(1, &mesh->indices);
    gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->indices);
    gl->BufferData(GL_ELEMENT_ARRAY_BUFFER,
                   (GLsizeiptr)((size_t)data->indexCount * sizeof(uint32_t)), data->indices,
                   GL_STREAM_DRAW);
    gl->BindVertexArray(0);
}

// A line or a point on the device; a point has both ends alike.
typedef struct Instance {
    float from[3], to[3];
    float color[4];
} Instance;

// Where a scene's geometry goes.
typedef struct Upload {
    const snGl *gl;
    const snFrame *frame;
    snTextures *textures;
} Upload;

// `ends` is 2 for lines and 1 for points.
static snStatus uploadInstances(const Upload *to, snGpuMesh *mesh, int count, int ends,
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
        if (!snFrame_Place(to->frame, p[0], instance->from)) continue;
        if (!snFrame_Place(to->frame, p[ends - 1], instance->to)) continue;
        const float *source = colors ? &colors[4 * (size_t)i] : color;
        for (int c = 0; c < 4; c++)
            instance->color[c] = fminf(fmaxf(source[c], 0.0f), 1.0f);
        used++;
    }
    mesh->count = used;
    if (used > 0) {
        uploadVertices(to->gl, mesh, instances, (size_t)used * sizeof *instances);
        attribute(to->gl, 0, 3, sizeof(Instance), offsetof(Instance, from), 1);
        attribute(to->gl, 1, 3, sizeof(Instance), offsetof(Instance, to), 1);
        attribute(to->gl, 2, 4, sizeof(Instance), offsetof(Instance, color), 1);
        to->gl->BindVertexArray(0);
    }
    free(instances);
    return SN_OK;
}

static snStatus uploadSurface(const Upload *to, snGpuMesh *mesh, const snSurfaceDraw *draw,
                              snError *error)
{
    snTriangleData data;
    snStatus status = snTextures_Find(to->gl, to->textures, draw->uv ? draw->texture : NULL,
                                      &mesh->texture, error);
    if (!status) status = snTriangleData_FromSurface(&data, draw, to->frame, error);
    if (status) return status;
    uploadTriangles(to->gl, mesh, &data);
    snTriangleData_Free(&data);
    return SN_OK;
}

static snStatus uploadBones(const Upload *to, snGpuMesh *mesh, const snBoneDraw *draw,
                            snError *error)
{
    snTriangleData data;
    snStatus status = snTextures_Find(to->gl, to->textures, NULL, &mesh->texture, error);
    if (!status) status = snTriangleData_FromBones(&data, draw, to->frame, error);
    if (status) return status;
    uploadTriangles(to->gl, mesh, &data);
    snTriangleData_Free(&data);
    return SN_OK;
}

snStatus snGpuScene_Make(const snGl *gl, snGpuScene *gpu, const snScene *scene,
                         const snFrame *frame, snTextures *textures, snError *error)
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
    const Upload to = {gl, frame, textures};
    snStatus status = SN_OK;
    for (int i = 0; !status && i < scene->surfaceCount; i++)
        status = uploadSurface(&to, &gpu->surfaces[i], &scene->surfaces[i], error);
    for (int i = 0; !status && i < scene->boneCount; i++)
        status = uploadBones(&to, &gpu->bones[i], &scene->bones[i], error);
    for (int i = 0; !status && i < scene->lineCount; i++) {
        const snLineDraw *d = &scene->lines[i];
        status = uploadInstances(&to, &gpu->lines[i], d->count, 2, d->points, d->colors, d->color,
                                 error);
    }
    for (int i = 0; !status && i < scene->pointCount; i++) {
        const snPointDraw *d = &scene->points[i];
        status = uploadInstances(&to, &gpu->points[i], d->count, 1, d->points, d->colors, d->color,
                                 error);
    }
    if (status) snGpuScene_Destroy(gl, gpu);
    return status;
}

void snGpuScene_Destroy(const snGl *gl, snGpuScene *gpu)
{
    for (int i = 0; i < gpu->total; i++)
        destroyMesh(gl, &gpu->surfaces[i]);
    free(gpu->surfaces);
    *gpu = (snGpuScene){0};
}

void snGpuMesh_DrawTriangles(const snGl *gl, const snGpuMesh *mesh)
{
    if (mesh->count == 0) return;
    gl->BindVertexArray(mesh->array);
    gl->DrawElements(GL_TRIANGLES, mesh->count, GL_UNSIGNED_INT, NULL);
    gl->BindVertexArray(0);
}

void snGpuMesh_DrawInstances(const snGl *gl, const snGpuMesh *mesh)
{
    if (mesh->count == 0) return;
    gl->BindVertexArray(mesh->array);
    gl->DrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, mesh->count);
    gl->BindVertexArray(0);
}
