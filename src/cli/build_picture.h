// Pictures of layered characters: muscles and skeleton over the animation, with the skin where there is one.
#ifndef SN_CLI_BUILD_PICTURE_H
#define SN_CLI_BUILD_PICTURE_H

#include "cli/cli.h"
#include "layered/layered.h"
#include "render/render.h"

typedef struct snBuildSurface {
    int vertexCount, triangleCount;
    const snVec3f *positions;
    const int *triangles;
    const float *colors; // [vertexCount * 4], linear; NULL: pale glass
} snBuildSurface;

typedef struct snBuildPicture {
    const snLayered *layered;
    // Surfaces of the skin, frame by frame; none: muscles and bones alone are drawn.
    int frameCount;
    const snBuildSurface *frames; // [frameCount]
    const double *times;          // [frameCount] s, while the figure is at rest; NULL: it moves
    double rate;                  // Hz, of a film of these
    bool muscles;                 // also where there is a skin, under glass
    snCamera camera;
    int panels;
    const int *size; // [2], pixels; 0: by what is made
} snBuildPicture;

// Writes .png (a strip) or .mp4.
snStatus snBuildPicture_Write(const snBuildPicture *picture, const char *path, snFileBatch *batch,
                              const snCli *cli, snError *error);

#endif
