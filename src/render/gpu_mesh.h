// Geometry on the device for the time of one picture.
#ifndef SN_RENDER_GPU_MESH_H
#define SN_RENDER_GPU_MESH_H

#include "render/surface.h"
#include "render/textures.h"

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

snStatus snGpuScene_Make(const snGl *gl, snGpuScene *gpu, const snScene *scene,
                         const snFrame *frame, snTextures *textures, snError *error);
void snGpuScene_Destroy(const snGl *gl, snGpuScene *gpu); // accepts a half-made one

void snGpuMesh_DrawTriangles(const snGl *gl, const snGpuMesh *mesh);
void snGpuMesh_DrawInstances(const snGl *gl,
                             const snGpuMesh *mesh); // a quad for each line or point

#endif
