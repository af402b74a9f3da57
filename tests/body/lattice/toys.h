// Toys for tests: blocks on nodes that a clip moves.
#ifndef SN_TESTS_BODY_LATTICE_TOYS_H
#define SN_TESTS_BODY_LATTICE_TOYS_H

#include "body/lattice/flesh.h"
#include "core/elementary.h"
#include "tests/body/lattice/block_surface.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

// A part that is one block, from `lower` to `upper`.
static void makeBlock(snPart *part, snArena *arena, snVec3 lower, snVec3 upper)
{
    *part = (snPart){.name = "block", .skin = -1, .material = -1};
    part->positions = SN_NEW(arena, snVec3f, 6 * SIDE * SIDE);
    part->triangles = SN_NEW(arena, int, 6 * (SIDE - 1) * (SIDE - 1) * 6);
    addBlock(part, lower, upper);
}

typedef struct Toy {
    snCharacter character;
    snJoint joints[2];
    snPart parts[2];
    float times[31], moves[93];
    snChannel channel;
    snClip clip;
} Toy;

// A block of 1 x 2 x 1 on a node far from it that goes to and fro, and a stage that stands still.
static void makeToy(Toy *toy, snArena *arena)
{
    *toy = (Toy){0};
    for (int j = 0; j < 2; j++) {
        toy->joints[j] = (snJoint){.name = j ? "stage" : "bear", .parent = -1, .rest = none};
        makeBlock(&toy->parts[j], arena, snVec(5, j ? -9 : 0, 0), snVec(6, j ? -8 : 2, 1));
        toy->parts[j].node = j;
    }
    for (int k = 0; k < 31; k++) {
        toy->times[k] = (float)k / 30;
        toy->moves[3 * k] = (float)(0.3 * snSin(2 * SN_PI * k / 15.0));
    }
    toy->channel = (snChannel){0, SN_PATH_TRANSLATION, SN_LINEAR, 31, 3, toy->times, toy->moves};
    toy->clip =
        (snClip){.name = "shake", .duration = 1, .channelCount = 1, .channels = &toy->channel};
    toy->character = (snCharacter){.skeleton = {2, toy->joints},
                                   .partCount = 2,
                                   .parts = toy->parts,
                                   .clipCount = 1,
                                   .clips = &toy->clip,
                                   .vertexCount = 2 * toy->parts[0].vertexCount,
                                   .triangleCount = 2 * toy->parts[0].triangleCount};
}

// Plays `seconds` of the clip (what is beyond its end stands still); the surface then goes to `out`.
static inline void play(const snFlesh *flesh, double seconds, snVec3f *out, snVec3f *rig)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    const snCharacter *c = flesh->character;
    snFleshDriver driver;
    snLatticeState *state = NULL;
    snPose pose;
    CHECK(snPose_Make(&pose, &c->skeleton, c->morphCount, &arena, NULL) == SN_OK);
    CHECK(snFleshDriver_Make(&driver, flesh, &arena, NULL) == SN_OK);
    CHECK(snLatticeState_Make(&state, flesh->model, 1, &context, NULL) == SN_OK);
    int steps = (int)(seconds / flesh->def.step + 0.5);
    for (int k = 0; k <= steps; k++) {
        if (c->clipCount) snCharacter_Pose(c, &c->clips[0], k * flesh->def.step, &pose);
        snLatticeDrive drive = snFlesh_Drive(flesh, &pose, &driver);
        if (k == 0)
            snLatticeState_Start(flesh->model, state, drive.rig, NULL);
        else
            CHECK(snFlesh_Step(flesh, state, &drive));
    }
    snCharacter_Surface(c, &pose, &context.tasks, rig, NULL);
    memcpy(out, rig, (size_t)c->vertexCount * sizeof *out);
    snFlesh_AddSoft(flesh, state, &context.tasks, out);
    snLatticeState_Destroy(state);
    snArena_Destroy(&arena);
}

static inline snFlesh *build(const snCharacter *character, snFleshDef def)
{
    snContext context = snDefaultContext();
    snFlesh *flesh = NULL;
    snError error = {0};
    def.cells = 300;
    if (!CHECK(snFlesh_Build(&flesh, character, &def, &context, &error) == SN_OK))
        printf("    %s\n", error.message);
    return flesh;
}

#endif
