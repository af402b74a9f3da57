// The passes of a picture, in the order in which snRenderer_Draw calls them.
#ifndef SN_RENDER_PASSES_H
#define SN_RENDER_PASSES_H

#include "render/gpu_mesh.h"
#include "render/programs.h"
#include "render/targets.h"

// What every pass may look at.
typedef struct snPass {
    const snGl *gl;
    const GLuint *programs;
    const snTargets *targets;
    const snFrame *frame;
    const snScene *scene;
    const snGpuScene *gpu;
    GLuint emptyArray; // for triangles that need no vertices
} snPass;

void snPass_ShadowMap(const snPass *pass);
void snPass_Ground(const snPass *pass);    // shadow and occlusion on it
void snPass_Occlusion(const snPass *pass); // of opaque surfaces among themselves
void snPass_Picture(const snPass *pass);

#endif
