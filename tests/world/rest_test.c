// Who is moved from within sleeps where that does not move it: limp characters of every model, clips that stand still, poses that stay. What they feel
// wakes them, their clocks go on while they sleep, and they wake without a blow.
#include "layered/play.h"
#include "tests/layered/made.h"
#include "tests/world/models.h"

static Bumble bumble, limp;

static snWorld *newSleepy(double still)
{
    snContext context = snDefaultContext();
    snWorldDef def = snDefaultWorldDef();
    snWorldColliderDef floor = {.name = "floor", .shape = snMakeCollider(SN_COLLIDER_PLANE)};
    snWorld *world;
    int number;
    def.sleep = (snSleepDef){.still = still, .after = 0.25};
    floor.shape.friction = 0.5;
    CHECK(snWorld_Make(&world, &def, &context, NULL) == SN_OK);
    CHECK(snWorld_AddCollider(world, &floor, &number, NULL) == SN_OK);
    return world;
}

static double lowest(const snBody *body)
{
    double low = 1e9;
    for (int v = 0; v < body->vertexCount; v++)
        low = fmin(low, snBody_Vertex(body, v).y);
    return low;
}

static int add(snWorld *world, snBody *body, double height)
{
    int number = -1;
    snAffine down = {snIdentity3(), {0, height - lowest(body), 0}};
    snBody_Carry(body, &down);
    CHECK(snWorld_AddBody(world, body, &number, NULL) == SN_OK);
    return number;
}

// s until it sleeps; the most that is asked for where it does not.
static double sleepsAfter(snWorld *world, double most)
{
    int64_t begin = world->ticks;
    double passed = 0;
    for (; passed < most && !snWorld_Sleeps(world, 0);
         passed = (double)(world->ticks - begin) / 120)
        snWorld_Step(world);
    return passed;
}

static double kinetic(snWorld *world)
{
    snBodyMeasure m;
    snBody_Measure(world->bodies.data[0], &m);
    return m.kinetic;
}

static snVec3 center(snWorld *world)
{
    snBodyMeasure m;
    snBody_Measure(world->bodies.data[0], &m);
    return m.center;
}

// ---- limp characters ----------------------------------------------------------------------------

static snBody *newLimp(const char *clip, const snStrengthKey *keys, int count,
                       const snContext *context)
{
    snFleshBodyDef def = bumbleDef(&limp, clip);
    snFleshSkeleton skeleton = snDefaultFleshSkeleton();
    snBody *body = NULL;
    skeleton.strength.keys = keys;
    skeleton.strength.keyCount = count;
    def.skeleton = &skeleton;
    def.loop = true;
    def.solid.meets = true;
    CHECK(snFleshBody_Make(&body, &def, context, NULL) == SN_OK);
    return body;
}

static void wakesBy(snWorld *world, const char *what, bool woken)
{
    double passed = sleepsAfter(world, 10);
    printf("%-12s wakes it; %.2f s later it sleeps again\n", what, passed);
    CHECK(woken && passed < 10);
}

static bool stepAndAsk(snWorld *world)
{
    snWorld_Step(world);
    return !snWorld_Sleeps(world, 0);
}

// Its clip plays on all the time: it does not feel it.
static void limpOnesSleepAndWake(void)
{
    snStrengthKey slack = {0, 0, 0};
    snWorld *world = newSleepy(1e-3);
    add(world, newLimp("walk", &slack, 1, &world->context), 0.01);
    double passed = sleepsAfter(world, 12);
    printf("limp, while its clip plays: sleeps after %.2f s\n", passed);
    CHECK(passed < 12);
    uint64_t hash = snWorld_Hash(world);
    snVec3 at = snBody_Vertex(world->bodies.data[0], 7);
    for (int k = 0; k < 60; k++)
        snWorld_Step(world);
    CHECK(snWorld_Sleeps(world, 0) && snWorld_Hash(world) != hash); // its clock goes on
    CHECK(snDistance(at, snBody_Vertex(world->bodies.data[0], 7)) == 0);
    // Carried.
    snAffine motion = {snQuatToMat(snQuatFromAxisAngle(snVec(0, 1, 0), 0.4)), {1, 0, 0.5}};
    snWorld_Carry(world, 0, &motion);
    wakesBy(world, "a teleport", !snWorld_Sleeps(world, 0));
    // Wind.
    snFieldDef wind = snDefaultFieldDef();
    int number;
    wind.air = true;
    wind.value[0] = 3;
    CHECK(snWorld_AddField(world, &wind, &number, NULL) == SN_OK);
    wakesBy(world, "wind", stepAndAsk(world));
    // A hand.
    snGrabDef def = {.body = 0, .spot = snVertexSpot(0), .stiffness = 20, .damping = 5};
    int grab = 0;
    CHECK(snWorld_Grab(world, &def, &grab, NULL) == SN_OK);
    CHECK(stepAndAsk(world) && sleepsAfter(world, 0.5) >= 0.5);
    snWorld_Release(world, grab);
    wakesBy(world, "a hand", !snWorld_Sleeps(world, 0));
    // A collider that comes near.
    snWorldColliderDef ball = {.name = "ball", .shape = snMakeCollider(SN_COLLIDER_SPHERE)};
    snAffine led = snIdentityAffine();
    ball.shape.radius = 0.1;
    ball.shape.end.origin = snVec(center(world).x, 4, center(world).z);
    CHECK(snWorld_AddCollider(world, &ball, &number, NULL) == SN_OK);
    bool woken = false;
    for (int k = 1; k < 100 && !woken; k++) {
        led.origin.y = -0.04 * k;
        snWorld_Lead(world, number, &led);
        woken = stepAndAsk(world);
    }
    wakesBy(world, "a ball", woken);
    snWorld_Destroy(world);
}

// Strength comes back while it sleeps: it wakes in that step, and rises as one that never slept does.
static void strengthWakes(void)
{
    static const snStrengthKey keys[4] = {{0, 0, 0}, {8, 0, 0}, {8.5, 1, 1}, {9, 1, 1}};
    double times[2], most[2] = {0, 0}, heights[2];
    for (int k = 0; k < 2; k++) {
        snWorld *world = newSleepy(k ? 1e-3 : 0);
        snBody *body = newLimp("walk", keys, 4, &world->context);
        add(world, body, 0.01);
        times[k] = 0;
        for (int n = 0; n < 8.75 * 120; n++) {
            bool slept = snWorld_Sleeps(world, 0);
            snWorld_Step(world);
            if (slept && !snWorld_Sleeps(world, 0)) times[k] = snWorld_Time(world);
            if (n > 8 * 120) most[k] = fmax(most[k], kinetic(world));
        }
        snBodyMeasure m;
        snBody_Measure(body, &m);
        heights[k] = m.center.y;
        snWorld_Destroy(world);
    }
    printf("woken at %.3f s; most kinetic energy %.3f J, of one that never slept %.3f; centre at "
           "%.3f and %.3f m\n",
           times[1], most[1], most[0], heights[1], heights[0]);
    CHECK(times[0] == 0 && fabs(times[1] - 8) < 0.02);
    CHECK(most[1] < 1.1 * most[0] && fabs(heights[1] - heights[0]) < 0.02);
}

// ---- clips and poses ------------------------------------------------------------------------------

static void clipsThatStandStill(void)
{
    snWorld *world = newSleepy(1e-3);
    snFleshBodyDef def = bumbleDef(&bumble, "shake");
    def.loop = false;
    addBumble(world, &def, snVec(0, 0, 0));
    double duration = bumble.character.clips[def.clip].duration;
    double passed = sleepsAfter(world, duration + 5);
    printf("a clip of %.2f s: sleeps after %.2f s\n", duration, passed);
    CHECK(passed > duration && passed < duration + 5);
    snWorld_Destroy(world);
    // Forever, where it begins anew.
    world = newSleepy(1e-3);
    def.loop = true;
    addBumble(world, &def, snVec(0, 0, 0));
    CHECK(sleepsAfter(world, 2 * duration) >= 2 * duration);
    snWorld_Destroy(world);
}

static void posesWake(void)
{
    snWorld *world = newSleepy(1e-3);
    snFleshBodyDef def = bumbleDef(&bumble, NULL);
    def.posed = true;
    addBumble(world, &def, snVec(0, 0, 0));
    snBody *body = world->bodies.data[0];
    int n = bumble.character.skeleton.jointCount;
    snPose pose = snFleshBody_Pose(body)[0];
    snAffine *frames = malloc((size_t)n * sizeof *frames), stands, place;
    memcpy(frames, pose.global, (size_t)n * sizeof *frames);
    for (int k = 0; k < 60 && !snWorld_Sleeps(world, 0); k++) { // the same again and again
        CHECK(snBody_Pose(body, n, frames));
        CHECK(snBody_Go(body, NULL, &stands) && snWorld_Go(world, 0, &stands, 1));
        snWorld_Step(world);
    }
    CHECK(snWorld_Sleeps(world, 0));
    frames[n / 2].origin.x += 0.02;
    CHECK(snBody_Pose(body, n, frames) && stepAndAsk(world));
    CHECK(sleepsAfter(world, 5) < 5);
    place = stands;
    place.origin.x += 0.1;
    CHECK(snWorld_Go(world, 0, &place, 0.5) && stepAndAsk(world));
    CHECK(sleepsAfter(world, 5) < 5);
    free(frames);
    snWorld_Destroy(world);
}

// ---- coats ----------------------------------------------------------------------------------------

// A joint that turns by half a radian, waits, and turns back.
static float turnTimes[4] = {0, 0.5f, 4, 4.5f};
static float turnValues[16] = {0, 0, 0,           1,           0, 0, 0.24740396f, 0.96891242f,
                               0, 0, 0.24740396f, 0.96891242f, 0, 0, 0,           1};

static snBody *newFollower(Tree *tree, snClip *clip, const snStrengthKey *keys, int count,
                           const snContext *context)
{
    static snChannel channel;
    snArena arena = snMakeArena(context);
    snCoatDef coat = snDefaultCoatDef();
    snCoatFollowDef follow = snDefaultCoatFollowDef();
    snCoatBodyDef def = snDefaultCoatBodyDef();
    snCoatPlan plan;
    snBody *body = NULL;
    Tree_Chain(tree, 2);
    channel = (snChannel){.joint = 1,
                          .path = SN_PATH_ROTATION,
                          .interpolation = SN_LINEAR,
                          .keyCount = 4,
                          .width = 4,
                          .times = turnTimes,
                          .values = turnValues};
    *clip = (snClip){.duration = 4.5, .channelCount = 1, .channels = &channel};
    follow.clip = clip;
    follow.skeleton = &tree->skeleton;
    follow.unit = 1;
    follow.strength.keys = keys;
    follow.strength.keyCount = count;
    def.follow = &follow;
    snStatus status = snCoatPlan_Propose(&plan, &tree->skeleton, &coat, &arena, NULL);
    if (!status) status = snCoating_Build(&def.owned, &plan, context, NULL);
    def.coating = def.owned;
    if (!status) status = snCoatBody_Make(&body, &def, context, NULL);
    CHECK(status == SN_OK);
    snArena_Destroy(&arena);
    return body;
}

static void coatsFollow(void)
{
    Tree tree;
    snClip clip;
    snWorld *world = newSleepy(1e-3);
    add(world, newFollower(&tree, &clip, NULL, 0, &world->context), 0.3);
    double passed = sleepsAfter(world, 3.9);
    printf("a coat that follows: sleeps after %.2f s", passed);
    CHECK(passed > 0.5 && passed < 3.9);
    while (snWorld_Time(world) < 3.99 && snWorld_Sleeps(world, 0))
        snWorld_Step(world);
    CHECK(snWorld_Sleeps(world, 0));
    for (int k = 0; k < 4; k++)
        snWorld_Step(world);
    CHECK(!snWorld_Sleeps(world, 0));
    passed = sleepsAfter(world, 5);
    printf(", and %.2f s after its clip moves on\n", passed);
    CHECK(passed > 0.45 && passed < 5);
    snWorld_Destroy(world);
    // Without strength it lies there, whatever the clip does.
    snStrengthKey slack = {0, 0, 0};
    world = newSleepy(1e-3);
    add(world, newFollower(&tree, &clip, &slack, 1, &world->context), 0.01);
    CHECK(sleepsAfter(world, 6) < 6);
    while (snWorld_Time(world) < 7 && snWorld_Sleeps(world, 0))
        snWorld_Step(world);
    CHECK(snWorld_Sleeps(world, 0));
    snWorld_Destroy(world);
}

// ---- layered characters -----------------------------------------------------------------------------

#define HEAP                                                                                       \
    "settings duration=1 rate=30 loop=no\n"                                                        \
    "joint add low parent=none at=0,-0.2,0 size=4cm\n"                                             \
    "joint add mid at=0,0.2,0 size=2cm\n"                                                          \
    "joint add high at=0,0.2,0 kind=fixed size=4cm\n"                                              \
    "muscle add ball joint=mid size=0.18\n"                                                        \
    "skin create bottom=low top=high rows=12 columns=12 gap=5mm\nskin attach\n"                    \
    "skin paint elasticity=60 stiffness=6000 damping=2 metric=0.85,0,0.85\n"                       \
    "posture keep a time=0\npose joint mid angles=0,0,20\nposture keep b time=1\n"

static void layeredOnes(void)
{
    static const snStrengthKey keys[3] = {{0, 0, 0}, {8, 0, 0}, {8.5, 1, 1}};
    snStrength slack = snDefaultStrength();
    slack.keys = keys;
    slack.keyCount = 3;
    for (int k = 0; k < 2; k++) { // led by postures, and limp
        snWorld *world = newSleepy(1e-3);
        snEditor editor = makeEditor(HEAP);
        snPlayBodyDef def = {.name = "heap",
                             .step = world->def.step,
                             .play = {.settle = 0.2, .smooth = 0},
                             .mostPoints = 2,
                             .strength = k ? &slack : NULL,
                             .density = 1000,
                             .friction = -1};
        snBody *body = NULL;
        CHECK(snPlayBody_Make(&body, &editor.layered, &def, NULL) == SN_OK);
        add(world, body, k ? 0.01 : 1);
        double passed = sleepsAfter(world, 7.5);
        printf("%s layered character sleeps after %.2f s\n", k ? "a limp" : "a led", passed);
        CHECK(passed > 1 && passed < 7.5);
        while (k && snWorld_Time(world) < 7.99 && snWorld_Sleeps(world, 0))
            snWorld_Step(world);
        CHECK(snWorld_Sleeps(world, 0));
        for (int n = 0; n < 4 && k; n++)
            snWorld_Step(world);
        CHECK(snWorld_Sleeps(world, 0) == !k && kinetic(world) < 1); // its strength comes back
        snWorld_Destroy(world);
        snEditor_Destroy(&editor);
    }
}

int main(void)
{
    makeBumble(&bumble, 150, SN_MOTION_SECONDARY);
    makeLimpBumble(&limp, 30, 1.0 / 120, 1.5 * SN_DEMO_CROWD_EDGE);
    RUN(limpOnesSleepAndWake);
    RUN(strengthWakes);
    RUN(clipsThatStandStill);
    RUN(posesWake);
    RUN(coatsFollow);
    RUN(layeredOnes);
    freeBumble(&limp);
    freeBumble(&bumble);
    return snTest_Finish();
}
