// Bodies of the example scenes among what they bump into.
#include "tests/scenes/shipped.h"
#include "tests/scenes/watching.h"
#include "tests/test.h"

static Shipped shipped;
static snError error;

static bool stageOf(const char *name, snStage *stage)
{
    snSceneFile scene;
    snStatus status = readShippedScene(&shipped, name, &scene, &error);
    if (!CHECK(status == SN_OK)) return false;
    status = snSceneFile_Build(&scene, stage, &shipped.context, &error);
    snSceneFile_Destroy(&scene);
    return CHECK(status == SN_OK);
}

// The ring that is thrown into a box; `make bench ONLY=multires/rest` has the duck, for a minute.
static void restsInItsBox(void)
{
    snStage stage;
    if (!stageOf("box", &stage)) return;
    Watch before = watchBody(stage.world, 0, 4);
    Watch after = watchBody(stage.world, 0, 10);
    printf("    outside by %.1e lengths at most while it settles, slow from %.1f s on; then %.1e, "
           "at %.1e lengths per second\n",
           before.deepest, before.last, after.deepest, after.fastest);
    CHECK(before.deepest < 1e-3 && before.last < 4);
    CHECK(after.deepest < 1e-3 && after.fastest < 1e-4);
    snStage_Destroy(&stage);
}

int main(void)
{
    makeShipped(&shipped);
    RUN(restsInItsBox);
    freeShipped(&shipped);
    if (error.code) printf("    %s\n", error.message);
    return snTest_Finish();
}
