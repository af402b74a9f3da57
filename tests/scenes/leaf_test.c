// The demo character reaches for a leaf with its mouth, as the example scene has it.
#include "body/lattice/flesh_body_parts.h"
#include "tests/scenes/shipped.h"
#include "tests/test.h"

#include <stdlib.h>

static Shipped shipped;
static snError error;

enum { BUMBLE, LEAF };
enum { WAIT, REACH, TUG, OFF, LOWER };
enum { MOUTH, TIP };

// To be quick a coarser lattice than the example's, and a leaf that passes through; it hangs higher by so much.
static bool stageLeaf(snSceneFile *scene, snStage *stage, const snContext *context, double higher)
{
    if (!CHECK(readShippedScene(&shipped, "leaf", scene, &error) == SN_OK)) return false;
    scene->bodies[BUMBLE].character->flesh.cells = 400;
    scene->bodies[LEAF].solid.apart = true;
    scene->bodies[LEAF].place.origin.y += higher;
    return CHECK(snSceneFile_Build(scene, stage, context, &error) == SN_OK);
}

static void step(snStage *stage)
{
    snControl_Step(stage->control, stage->world, 1);
    snWorld_Step(stage->world);
}

static snVec3 placeOf(const snStage *stage, int point)
{
    const snControlPoint *p = &stage->control->points[point];
    return snBody_Place(stage->world->bodies.data[p->body], p->handle);
}

static void mouthMeetsTheLeaf(void)
{
    snSceneFile scene;
    snStage stage;
    if (!stageLeaf(&scene, &stage, &shipped.context, 0)) return;
    const snFleshBody *bumble = (const snFleshBody *)stage.world->bodies.data[BUMBLE];
    double size = bumble->solid.surface.size, met = INFINITY, together = 0, stretch = 0;
    double top = placeOf(&stage, MOUTH).y, low = top;
    int handle = stage.control->points[MOUTH].handle;
    for (int k = 0; k < 528; k++) {
        const snGoalState *reach = snControl_Goal(stage.control, 0, REACH);
        bool chases = reach->phase == SN_GOAL_ACTIVE, held = reach->phase == SN_GOAL_DONE;
        step(&stage);
        double gap = snDistance(placeOf(&stage, MOUTH), placeOf(&stage, TIP));
        bool since =
            held && stage.world->ticks > reach->end + 15; // once they were brought together
        if (chases) met = gap;
        if (since) together = fmax(together, gap);
        stretch = fmax(stretch, bumble->aims[handle].miss);
        top = fmax(top, placeOf(&stage, MOUTH).y);
        low = placeOf(&stage, MOUTH).y;
    }
    for (int g = 0; g <= LOWER; g++)
        CHECK(snControl_Goal(stage.control, 0, g)->phase == SN_GOAL_DONE);
    printf("    the mouth came within %.4f m of the leaf's tip, then %.1e of its size; as high as "
           "%.2f m, %.2f m in "
           "the end; left to flesh %.1e m\n",
           met, together / size, top, low, stretch);
    CHECK(together < 1e-6 * size && met < 0.02 && top > low + 0.25 && stretch < 1e-6);
    for (int i = 0; i < 2; i++)
        CHECK(!stage.world->tales.data[i].failures && !stage.world->tales.data[i].conflicts);
    snStage_Destroy(&stage);
    snSceneFile_Destroy(&scene);
}

static void whatIsOutOfReachFails(void)
{
    snSceneFile scene;
    snStage stage;
    if (!stageLeaf(&scene, &stage, &shipped.context, 0.5)) return;
    for (int k = 0; k < 110; k++)
        step(&stage);
    const snGoalState *reach = snControl_Goal(stage.control, 0, REACH);
    CHECK(reach->phase == SN_GOAL_FAILED && reach->reason == SN_REASON_REACH);
    CHECK(!snControl_Runs(stage.control));
    snStage_Destroy(&stage);
    snSceneFile_Destroy(&scene);
}

// Saved while it reaches, and restored into another one.
static void statesComeBack(void)
{
    uint64_t hash[2] = {0};
    void *bytes[2] = {NULL, NULL};
    size_t size[2] = {0};
    for (int i = 0; i < 2; i++) {
        snSceneFile scene;
        snStage stage;
        if (!stageLeaf(&scene, &stage, &shipped.context, 0)) return;
        for (int k = 0; k < 180 && i == 0; k++)
            step(&stage);
        if (i == 0) {
            size[0] = snWorld_SaveSize(stage.world);
            size[1] = snControl_SaveSize(stage.control);
            bytes[0] = malloc(size[0]);
            bytes[1] = malloc(size[1]);
            snWorld_Save(stage.world, bytes[0]);
            snControl_Save(stage.control, bytes[1]);
        } else {
            CHECK(snWorld_Restore(stage.world, bytes[0], size[0], NULL) == SN_OK);
            CHECK(snControl_Restore(stage.control, bytes[1], size[1], NULL) == SN_OK);
        }
        for (int k = 0; k < 80; k++)
            step(&stage);
        hash[i] = snWorld_Hash(stage.world);
        snStage_Destroy(&stage);
        snSceneFile_Destroy(&scene);
    }
    CHECK(hash[0] == hash[1]);
    free(bytes[0]);
    free(bytes[1]);
}

int main(void)
{
    makeShipped(&shipped);
    RUN(mouthMeetsTheLeaf);
    RUN(whatIsOutOfReachFails);
    RUN(statesComeBack);
    freeShipped(&shipped);
    if (error.code) printf("    %s\n", error.message);
    return snTest_Finish();
}
