// What a loaded world belongs to, for the files behind include/sinew/world.h.
#ifndef SN_API_WORLD_PARTS_H
#define SN_API_WORLD_PARTS_H

#include "api/crowd_parts.h"
#include "core/check.h"
#include "scene/scene.h"

typedef struct snWorldOwner {
    snArena arena; // owns it
    snSceneFile scene;
    snStage stage;
    snVec3f *points, *normals; // [vertices of the largest body]
    snVec3 *controls;          // [controls of that with the most]
    snAffine *frames;          // [joints of that with the most]
    double *far;               // [bodies], m, from an eye
} snWorldOwner;

static inline snWorldOwner *snWorld_Owner(const snWorld *world)
{
    return world->driver.user;
}

// A body by its number; NULL, and a warning, where there is none.
snBody *snWorld_Body(const snWorld *world, int body);
snStatus snWorld_CheckBody(const snWorld *world, int body, snError *error);

static inline snVec3 snVectorOf(const double v[3])
{
    return snVec(v[0], v[1], v[2]);
}

#endif
