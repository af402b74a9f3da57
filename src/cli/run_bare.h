// Muscles of layered characters that their skin passes by, in pictures and .glb files of runs: a beak, feet. They are no part of the bodies' surfaces.
#ifndef SN_CLI_RUN_BARE_H
#define SN_CLI_RUN_BARE_H

#include "scene/scene.h"

typedef struct snBareMuscle {
    int body, muscle;
    const char *name; // the scene's own
    float color[3];   // linear
} snBareMuscle;

typedef struct snRunBare {
    int count;
    snBareMuscle *list;             // [count]
    int vertexCount;                // of all
    int ownVertices, triangleCount; // of each
    int *triangles;                 // [triangleCount * 3], the same for all
    snVec3 *points;                 // [ownVertices], scratch
} snRunBare;

snStatus snRunBare_Make(snRunBare *bare, const snSceneFile *scene, snArena *arena, snError *error);
// Where they are now: [vertexCount].
void snRunBare_Take(const snRunBare *bare, const snWorld *world, snVec3f *out);

#endif
