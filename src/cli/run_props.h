// What stands around in a run: colliders as meshes, each in its own frame, for pictures and files.
#ifndef SN_CLI_RUN_PROPS_H
#define SN_CLI_RUN_PROPS_H

#include "scene/scene.h"

typedef struct snRunProp {
    int collider; // of the world; of a container its first wall
    const char *name;
    bool container;      // a room: eight corners, walls that face inward
    bool plane;          // without points: it has no end
    bool drawn, written; // in pictures, and in files
    int vertexCount, triangleCount;
    snVec3 *points; // [vertexCount]
    int *triangles; // [triangleCount * 3]
} snRunProp;

typedef struct snRunProps {
    int count;
    snRunProp *list; // those that are seen somewhere
} snRunProps;
snStatus snRunProps_Make(snRunProps *props, const snSceneFile *scene, snArena *arena,
                         snError *error);
// Where its frame is at a time.
snAffine snRunProp_Frame(const snRunProp *prop, const snWorld *world, double time);

#endif
