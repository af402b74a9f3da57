// What comes of the example scenes in which coats fall and models mix: who lies at the end, who stands, and who holds whom.
#include "tests/scenes/stories.h"
#include "tests/scenes/watching.h"
#include "tests/world/box.h"
#include "tests/test.h"

static Shipped shipped;

#define CELLS 200   // of a calf, of which the examples have more
#define NEAREST 0.6 // m, where the first skittle stands
#define ROWS 0.35   // of how far rows are from each other

static bool begin(Play *story, const char *name)
{
    snError error = {0};
    if (CHECK(readShippedScene(&shipped, name, &story->scene, &error) == SN_OK)) return true;
    printf("    %s\n", error.message);
    return false;
}

static bool build(Play *story)
{
    snError error = {0};
    if (CHECK(beginStory(story, &shipped, &error) == SN_OK)) return true;
    printf("    %s\n", error.message);
    return false;
}

static void advance(Play *story, double seconds)
{
    snStage *stage = &story->stage;
    int steps = (int)(seconds / story->scene.step + 0.5);
    for (int k = 0; k < steps; k++) {
        if (stage->control) snControl_Step(stage->control, stage->world, 1);
        snWorld_Step(stage->world);
    }
}

static int countFailures(const snWorld *world)
{
    int count = 0;
    for (int b = 0; b < world->bodies.count; b++)
        count += world->tales.data[b].failures;
    return count;
}

// A body lies where it is less than half as high as it was at rest.
static int countLying(const snWorld *world, int first)
{
    int count = 0;
    for (int b = first; b < world->bodies.count; b++) {
        const snBody *body = world->bodies.data[b];
        snBox now = boxOf(body);
        count += now.upper.y - now.lower.y < 0.5 * lengthOf(body);
    }
    return count;
}

static double deepestOfAll(const snWorld *world)
{
    double deepest = 0;
    for (int b = 0; b < world->bodies.count; b++)
        deepest = fmax(deepest, deepestIn(world, world->bodies.data[b], 0, NULL));
    return deepest;
}

static double kineticOf(const snWorld *world)
{
    double sum = 0;
    for (int b = 0; b < world->bodies.count; b++) {
        snBodyMeasure m;
        snBody_Measure(world->bodies.data[b], &m);
        sum += m.kinetic;
    }
    return sum;
}

static void nailsComeToRest(void)
{
    Play story;
    if (!begin(&story, "nails") || !build(&story)) return;
    const snWorld *world = story.stage.world;
    advance(&story, story.scene.duration + 2);
    double kinetic = kineticOf(world), deep = deepestOfAll(world);
    int lie = countLying(world, 0);
    printf("    %d lie, %.1e J, %.1e m deep in the floor\n", lie, kinetic, deep);
    CHECK(lie == 3 && kinetic < 1e-6 && deep < 1e-4 && countFailures(world) == 0);
    endPlay(&story);
}

static void chainsKnockSkittlesOver(void)
{
    Play story;
    if (!begin(&story, "skittles") || !build(&story)) return;
    const snWorld *world = story.stage.world;
    advance(&story, story.scene.duration + 0.6);
    int lie = countLying(world, 1);
    double deep = deepestOfAll(world);
    printf("    %d of 5 lie, %.1e m deep in the floor\n", lie, deep);
    CHECK(lie >= 2 && deep < 1e-3 && countFailures(world) == 0);
    endPlay(&story);
}

// The walk among coated skittles as it ships; twelve seconds, and so only where all is asked.
static void calvesWalkThroughSkittles(void)
{
    Play story;
    if (!snTest_Whole() || !begin(&story, "calf-coats") || !build(&story)) return;
    const snWorld *world = story.stage.world;
    advance(&story, story.scene.duration);
    int lie = countLying(world, 1);
    double deep = deepestOfAll(world);
    printf("    %d of %d lie as it ships, %.1e m deep in the floor\n", lie, world->bodies.count - 1,
           deep);
    CHECK(lie >= 4 && deep < 1e-3 && countFailures(world) == 0);
    endPlay(&story);
}

// The walk among skittles, with fewer cells and longer steps, and rows that stand nearer to each other and to it: half of the time.
static void calvesKnockSkittlesOver(void)
{
    Play story;
    if (!begin(&story, "calf-coats")) return;
    story.scene.step = story.scene.bodies[0].character->flesh.step = 1.0 / 60;
    story.scene.bodies[0].character->flesh.cells = CELLS;
    for (int b = 1; b < story.scene.bodyCount; b++) {
        double *z = &story.scene.bodies[b].place.origin.z;
        story.scene.bodies[b].coat.step = story.scene.step;
        *z = NEAREST + ROWS * (*z - 0.95);
    }
    if (!build(&story)) return;
    const snWorld *world = story.stage.world;
    advance(&story, 1.6);
    int lie = countLying(world, 1);
    double deep = deepestOfAll(world);
    printf("    %d of 6 lie, %.1e m deep in the floor\n", lie, deep);
    CHECK(lie >= 4 && deep < 1e-3 && countFailures(world) == 0);
    endPlay(&story);
}

// The ear is taken in the midst of a clip, and the hook hangs itself up with it.
static void earsAreHeld(void)
{
    Play story;
    if (!begin(&story, "hook-ear")) return;
    story.scene.bodies[0].character->flesh.cells = CELLS;
    if (!build(&story)) return;
    const snWorld *world = story.stage.world;
    const snSceneFile *scene = &story.scene;
    advance(&story, 2.1);
    double ear = snDistance(placeNow(&story, findPoint(scene, "hook.tip")),
                            placeNow(&story, findPoint(scene, "ear")));
    double eye = snDistance(placeNow(&story, findPoint(scene, "hook.eye")),
                            placeNow(&story, findPoint(scene, "sky")));
    printf("    ear %.1e m from the hook, hook %.1e m from its peg\n", ear, eye);
    CHECK(story.stage.control->scriptStates[0].phase == SN_SCRIPT_DONE);
    CHECK(ear < 1e-6 && eye < 1e-6 && countFailures(world) == 0);
    endPlay(&story);
}

// The skittle is taken by its neck from where it stands, and carried up to the peg.
static void skittlesAreCarriedOff(void)
{
    Play story;
    if (!begin(&story, "hook-skittle") || !build(&story)) return;
    const snWorld *world = story.stage.world;
    const snSceneFile *scene = &story.scene;
    advance(&story, scene->duration);
    double neck = snDistance(placeNow(&story, findPoint(scene, "hook.tip")),
                             placeNow(&story, findPoint(scene, "skittle.neck")));
    double eye = snDistance(placeNow(&story, findPoint(scene, "hook.eye")),
                            placeNow(&story, findPoint(scene, "sky")));
    double low = boxOf(world->bodies.data[1]).lower.y;
    printf("    neck %.1e m from the hook, hook %.1e m from its peg, skittle %.2f m up\n", neck,
           eye, low);
    CHECK(story.stage.control->scriptStates[0].phase == SN_SCRIPT_DONE);
    CHECK(neck < 1e-6 && eye < 1e-6 && low > 1 && countFailures(world) == 0);
    endPlay(&story);
}

// By how much the lowest-pressed vertex of a body is below where it was placed.
static double pressedBy(const snBody *body, const snAffine *place)
{
    double most = 0;
    for (int v = 0; v < body->vertexCount; v++)
        most = fmax(most, snMulAP(*place, body->restSurface[v]).y - snBody_Vertex(body, v).y);
    return most;
}

// Set down on the cushion by its own weight it presses it, does not go into it, and stays upright.
static void penguinsStandOnCushions(void)
{
    Play story;
    if (!begin(&story, "penguin-cushion")) return;
    story.scene.bodies[0].layered->smooth = 0;
    if (!build(&story)) return;
    const snWorld *world = story.stage.world;
    const snBody *penguin = world->bodies.data[0], *cushion = world->bodies.data[1];
    snBox first = boxOf(penguin);
    advance(&story, 0.5);
    snBox last = boxOf(penguin);
    double deep =
        fmax(deepestInOther(penguin, cushion, 0, NULL), deepestInOther(cushion, penguin, 0, NULL));
    double down = pressedBy(cushion, &story.scene.bodies[1].place);
    double tall = (last.upper.y - last.lower.y) / (first.upper.y - first.lower.y);
    snVec3 away = snSub(snLerp(last.lower, last.upper, 0.5), snLerp(first.lower, first.upper, 0.5));
    printf("    cushion pressed by %.1f mm, %.1e m deep; %.3f as tall, and %.3f m aside\n",
           1e3 * down, deep, tall, hypot(away.x, away.z));
    CHECK(down > 0.01 && down < 0.06 && deep < 3e-3 && countFailures(world) == 0);
    CHECK(tall > 0.97 && hypot(away.x, away.z) < 0.05 && away.y > -0.07);
    endPlay(&story);
}

int main(void)
{
    makeShipped(&shipped);
    RUN(nailsComeToRest);
    RUN(chainsKnockSkittlesOver);
    RUN(earsAreHeld);
    RUN(skittlesAreCarriedOff);
    RUN(penguinsStandOnCushions);
    RUN(calvesKnockSkittlesOver);
    RUN(calvesWalkThroughSkittles);
    freeShipped(&shipped);
    return snTest_Finish();
}
