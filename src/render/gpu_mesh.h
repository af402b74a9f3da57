// Geometry on the device for the time of one picture.
#ifndef SN_RENDER_GPU_MESH_H
#define SN_RENDER_GPU_MESH_H

#include "render/surface.h"
#include "render/textures.h"

#include <GLES3/gl3.h>

typedef struct snGpuMesh {
    GLuint array, vertices, indices;
    GLsizei count;  // of indices, or of instances for lines and points
    GLuint texture; // white where there is none; belongs to snTextures
} snGpuMesh;

// All geometry of a scene, in the order of its lists.
typedef struct snGpuScene {
    snGpuMesh *surfaces, *bones, *lines, *points; // one allocation, at `surfaces`
    int total;
} snGpuScene;

snStatus snGpuScene_Make(snGpuScene *gpu, const snScene *scene, const snFrame *frame,
                         snTextures *textures, snError *error);
void snGpuScene_Destroy(snGpuScene *gpu); // accepts a half-made one

void snGpuMesh_DrawTriangles(const snGpuMesh *mesh);
void snGpuMesh_DrawInstances(const snGpuMesh *mesh); // a quad for each line or point

#endif
