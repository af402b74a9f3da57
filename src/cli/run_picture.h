// A run as a film strip or a film.
#ifndef SN_CLI_RUN_PICTURE_H
#define SN_CLI_RUN_PICTURE_H

#include "cli/cli.h"
#include "cli/run_bare.h"
#include "scene/scene.h"

typedef struct snRunFilm {
    const snSceneFile *scene;
    const snWorld *world;
    int frameCount;
    const snVec3f *const
        *frames; // [frameCount], surfaces of all bodies one after another, then bare muscles
    const double *times; // [frameCount] s
    double rate;         // of a film
    const int *size;     // [2], pixels; 0: by the scene
    const snRunBare *bare;
} snRunFilm;

// Writes .png or .mp4.
snStatus snRunFilm_Write(const snRunFilm *film, const char *path, snFileBatch *batch,
                         const snCli *cli, snError *error);

#endif
