// What the device needs to know of a surface: vertices in world lengths with normals and colours,
// and the triangles that can be drawn.
#ifndef SN_RENDER_SURFACE_H
#define SN_RENDER_SURFACE_H

#include "render/frame.h"

typedef struct snVertex {
    float position[3];
    float normal[3];
    float color[4];
    float uv[2];
} snVertex;

typedef struct snTriangleData {
    int vertexCount, indexCount;
    snVertex *vertices; // malloc
    uint32_t *indices;  // malloc
} snTriangleData;

snStatus snTriangleData_FromSurface(snTriangleData *data, const snSurfaceDraw *draw,
                                    const snFrame *frame, snError *error);
snStatus snTriangleData_FromBones(snTriangleData *data, const snBoneDraw *draw,
                                  const snFrame *frame, snError *error);
void snTriangleData_Free(snTriangleData *data);

#endif
