// A small made character (tests/asset/gltf_make.h) with a made soft motion, as a bake of it: as much of flesh
// and bake as the writers of soft motion look at.
#ifndef SN_TESTS_BAKE_MADE_H
#define SN_TESTS_BAKE_MADE_H

#include "tests/test.h"

#include "asset/gltf.h"
#include "bake/bake.h"
#include "core/core.h"
#include "tests/asset/gltf_make.h"

#include <math.h>
#include <stdio.h>

enum { FRAMES = 24 };
#define HEIGHT 2.6

typedef struct Made {
    snContext context;
    snArena arena;
    snBytes file;
    snGltfSource source;
    snCharacter character;
    snFlesh flesh; // as much of it as the writer looks at
    snBakedClip clip;
    snBake bake;
    double swing;
    snVec3 (*offset)(const struct Made *made, const snPose *pose, int vertex, double time);
} Made;

static void fillSurface(Made *m, double t, snPose *pose, snVec3f *out)
{
    const snCharacter *c = &m->character;
    snCharacter_Pose(c, &c->clips[0], t, pose);
    snCharacter_Surface(c, pose, &m->context.tasks, out, NULL);
    for (int v = 0; v < c->vertexCount; v++)
        out[v] = snToF(snAdd(snFromF(out[v]), m->offset(m, pose, v, t)));
}

static void makeBake(Made *m)
{
    const snCharacter *c = &m->character;
    size_t n = (size_t)c->vertexCount;
    snPose pose;
    static unsigned char carried[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    CHECK(snPose_Make(&pose, &c->skeleton, c->morphCount, &m->arena, NULL) == SN_OK);
    m->flesh = (snFlesh){.character = c, .height = HEIGHT, .carried = carried};
    m->clip = (snBakedClip){.clip = 0,
                            .frameCount = FRAMES,
                            .start = c->clips[0].start,
                            .frameTime = c->clips[0].duration / (FRAMES - 1),
                            .positions = SN_NEW(&m->arena, snVec3f, FRAMES * n),
                            .middles = SN_NEW(&m->arena, snVec3f, FRAMES * n),
                            .hasMiddles = true};
    for (size_t k = 0; k < FRAMES; k++) {
        fillSurface(m, snBakedClip_Time(&m->clip, (double)k), &pose, m->clip.positions + k * n);
        fillSurface(m, snBakedClip_Time(&m->clip, (double)k + 0.5), &pose, m->clip.middles + k * n);
    }
    m->bake = (snBake){.character = c,
                       .flesh = &m->flesh,
                       .clipCount = 1,
                       .clips = &m->clip,
                       .vertexCount = c->vertexCount,
                       .frameRate = 30};
}

static void readBack(Made *m)
{
    snError error = {0};
    m->source = (snGltfSource){.bytes = m->file.data, .size = m->file.size};
    if (!CHECK(snGltf_Read(&m->character, &m->source, &m->context, &error) == SN_OK))
        printf("%s\n", error.message);
    makeBake(m);
}

static void begin(Made *m, snCharacter *made,
                  snVec3 (*offset)(const Made *, const snPose *, int, double))
{
    *m = (Made){.context = snDefaultContext(), .swing = 1, .offset = offset};
    m->arena = snMakeArena(&m->context);
    m->file = snMakeBytes(&m->context);
    makeCharacter(made, &m->context);
    // Turns of up to 50 degrees in place of half turns, which flatten what they blend.
    static float turns[16];
    for (int k = 0; k < 4; k++) {
        snQuat q = snQuatFromAxisAngle(snVec(1, 0, 0), 0.9 * sin(2.0 * k));
        turns[4 * k] = (float)q.x;
        turns[4 * k + 3] = (float)q.w;
    }
    made->clips[0].channels[1].values = turns;
}

static void end(Made *m)
{
    snCharacter_Destroy(&m->character);
    snBytes_Destroy(&m->file);
    snArena_Destroy(&m->arena);
}

#endif
