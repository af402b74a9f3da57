// Single precision against double on whole characters: how far the two are apart, step by step, while
// a clip plays for two seconds.
#include "tests/test.h"

#include "asset/gltf.h"
#include "body/lattice/flesh.h"
#include "core/core.h"
#include "demo.h"

#include <stdio.h>
#include <stdlib.h>

#define SECONDS 2.0

typedef struct Stage {
    snContext context;
    snArena arena;
    snPose pose;
    snFlesh *flesh[2]; // by precision
    snFleshDriver driver[2];
    snLatticeState *state[2];
} Stage;

static bool openStage(Stage *stage, const snCharacter *character, int cells)
{
    snError error = {0};
    *stage = (Stage){.context = snDefaultContext()};
    stage->arena = snMakeArena(&stage->context);
    snStatus status = snPose_Make(&stage->pose, &character->skeleton, character->morphCount,
                                  &stage->arena, &error);
    for (int p = 0; p < 2 && !status; p++) {
        snFleshDef def = snDefaultFleshDef();
        def.precision = (snPrecision)p;
        if (cells) def.cells = cells;
        status = snFlesh_Build(&stage->flesh[p], character, &def, &stage->context, &error);
        if (!status)
            status = snFleshDriver_Make(&stage->driver[p], stage->flesh[p], &stage->arena, &error);
        if (!status)
            status = snLatticeState_Make(&stage->state[p], stage->flesh[p]->model, 1,
                                         &stage->context, &error);
    }
    if (!CHECK(!status)) printf("%s\n", error.message);
    return !status;
}

static void closeStage(Stage *stage)
{
    for (int p = 0; p < 2; p++) {
        snLatticeState_Destroy(stage->state[p]);
        snFlesh_Destroy(stage->flesh[p]);
    }
    snArena_Destroy(&stage->arena);
}

typedef struct Gap {
    double largest; // between the two, of the height
    double offset;  // of flesh from its rig in double precision, of the height
} Gap;

static void measure(const Stage *stage, Gap *gap)
{
    const snLatticeState *a = stage->state[0], *b = stage->state[1];
    double height = stage->flesh[0]->height;
    for (int k = 0; k < stage->flesh[0]->model->vertexCount * 4; k++) {
        gap->largest = fmax(gap->largest, fabs(a->position[k] - b->position[k]) / height);
        gap->offset = fmax(gap->offset, fabs(a->position[k] - a->rig[k]) / height);
    }
}

// The clip over and over.
static Gap play(Stage *stage, const snCharacter *character, const snClip *clip)
{
    Gap gap = {0, 0};
    double h = stage->flesh[0]->model->def.step;
    for (int k = 0; k * h <= SECONDS; k++) {
        double time = clip->start + fmod(k * h, clip->duration);
        snCharacter_Pose(character, clip, time, &stage->pose);
        for (int p = 0; p < 2; p++) {
            snLatticeDrive drive = snFlesh_Drive(stage->flesh[p], &stage->pose, &stage->driver[p]);
            if (k == 0)
                snLatticeState_Start(stage->flesh[p]->model, stage->state[p], drive.rig, NULL);
            else
                CHECK(snFlesh_Step(stage->flesh[p], stage->state[p], &drive));
        }
        measure(stage, &gap);
    }
    return gap;
}

static void compare(Stage *stage, const snCharacter *character, const char *clip)
{
    int index = snCharacter_FindClip(character, clip);
    if (!CHECK(index >= 0)) return;
    Gap gap = play(stage, character, &character->clips[index]);
    printf("%s, %d cells: single and double differ by %.1e of the height, flesh and rig by %.3f; "
           "halved moves %lld and %lld\n",
           clip, stage->flesh[0]->lattice.cellCount, gap.largest, gap.offset,
           (long long)stage->state[0]->backtracks, (long long)stage->state[1]->backtracks);
    CHECK(gap.largest < 1e-4);
    CHECK(gap.offset > 0.005);
}

static void demoCharacter(void)
{
    snContext context = snDefaultContext();
    snCharacter character;
    if (!CHECK(!snDemo_Make(&character, &context, NULL))) return;
    Stage stage;
    if (openStage(&stage, &character, 0)) {
        compare(&stage, &character, "shake");
        compare(&stage, &character, "walk");
    }
    closeStage(&stage);
    snCharacter_Destroy(&character);
}

static void fox(void)
{
    size_t size;
    unsigned char *bytes = snTest_Asset("Fox.glb", &size);
    snContext context = snDefaultContext();
    snCharacter character;
    if (!bytes) {
        printf("Fox.glb is not here: left out\n");
        return;
    }
    snGltfSource source = {.bytes = bytes, .size = size};
    if (CHECK(!snGltf_Read(&character, &source, &context, NULL))) {
        Stage stage;
        if (openStage(&stage, &character, 1000)) compare(&stage, &character, "Run");
        closeStage(&stage);
        snCharacter_Destroy(&character);
    }
    free(bytes);
}

int main(void)
{
    RUN(demoCharacter);
    RUN(fox);
    return snTest_Finish();
}
