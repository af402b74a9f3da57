// A world with a posed character, a walking one, a block and a ball, from bytes alone: for tests of the public interface.
#ifndef SN_TESTS_API_POSED_H
#define SN_TESTS_API_POSED_H

#include "asset/gltf.h"
#include "demo.h"
#include "sinew/sinew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static snBytes demoBytes;

static const void *openDemo(void *user, const char *path, size_t *size)
{
    (void)user;
    if (strcmp(path, "calf.glb") != 0) return NULL;
    *size = demoBytes.size;
    return demoBytes.data;
}

static const snFileHook demoFiles = {openDemo, NULL, NULL};

static void failLoudly(const snError *error)
{
    printf("%s\n", error->message);
    exit(1);
}

static snCharacter *makeCalf(const snContext *context)
{
    snCharacter made = {0}, *calf = NULL;
    snError error = {0};
    demoBytes = snMakeBytes(context);
    if (snDemo_MakeCoarse(&made, 0.2, context, &error) ||
        snGlb_FromCharacter(&made, &demoBytes, &error) ||
        snCharacter_Load(&calf, demoBytes.data, demoBytes.size, context, &error))
        failLoudly(&error);
    snCharacter_Destroy(&made);
    return calf;
}

static inline snWorld *makePosedWorld(const snContext *context)
{
    static snBodyDef bodies[4];
    static snColliderDef floor;
    static snFieldDef wind;
    snSceneDef scene = snDefaultSceneDef();
    snError error = {0};
    snWorld *world;
    for (int k = 0; k < 4; k++)
        bodies[k] = snDefaultBodyDef();
    for (int k = 0; k < 2; k++) {
        bodies[k].model = SN_MODEL_CHARACTER;
        bodies[k].name = k ? "walker" : "posed";
        bodies[k].file = "calf.glb";
        bodies[k].cells = 40;
        bodies[k].detail = true;
        bodies[k].place.position[0] = -3 * k - 2;
    }
    bodies[0].posed = true;
    bodies[0].clip = bodies[1].clip = "walk";
    bodies[2].name = "block";
    bodies[2].place.position[1] = 0.5;
    bodies[3].name = "ball";
    bodies[3].model = SN_MODEL_POLY;
    bodies[3].shape.kind = SN_FORM_BALL;
    bodies[3].place.position[0] = 2;
    floor = snDefaultColliderDef();
    floor.shape.height = -2;
    wind = snDefaultFieldDef();
    scene.bodies = bodies, scene.bodyCount = 4;
    scene.colliders = &floor, scene.colliderCount = 1;
    scene.fields = &wind, scene.fieldCount = 1;
    if (snWorld_Build(&world, &scene, &demoFiles, context, &error)) failLoudly(&error);
    return world;
}

#endif
