// Clips one after another: exact where one plays alone, smooth where they go over, whatever they move.
#include "character/chain.h"

#include "core/core.h"
#include "core/elementary.h"
#include "tests/test.h"

#include <string.h>

// Three clips over two joints and two morph weights: "move" (linear, from 1 s on), "curve" (cubic, and
// steps), "still" (one key).
typedef struct Made {
    snJoint joints[2];
    double morphs[2];
    snChannel move[2], curve[3], still[1];
    snClip clips[4];
    snCharacter character;
} Made;

static const float moveTimes[] = {1, 1.5f, 2};
static const float moveValues[] = {0, 0, 0, 1, 0, 0, 1, 2, 0};
static const float turnValues[] = {0,           0,           0, 1, 0,           0,
                                   0.38268343f, 0.92387953f, 0, 0, 0.70710678f, 0.70710678f};
static const float curveTimes[] = {0, 1};
static const float curveValues[] = {0, 0, 0, 1, 1, 1, 3, 0, 0, 0, 0, 0, 2, 1, 1, 0, 0, 0};
static const float stepTimes[] = {0, 0.4f, 1};
static const float stepValues[] = {1, 1, 1, 2, 2, 2, 3, 3, 3};
static const float morphValues[] = {0, 1, 1, 0};
static const float stillTime[] = {0.5f};
static const float stillValue[] = {5, 5, 5};

static void make(Made *m)
{
    const snTransform rest = {{7, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    *m = (Made){.joints = {{.name = "root", .parent = -1, .rest = rest},
                           {.name = "tip", .parent = 0, .rest = rest}},
                .morphs = {0.25, 0.5},
                .move = {{0, SN_PATH_TRANSLATION, SN_LINEAR, 3, 3, moveTimes, moveValues},
                         {1, SN_PATH_ROTATION, SN_LINEAR, 3, 4, moveTimes, turnValues}},
                .curve = {{0, SN_PATH_TRANSLATION, SN_CUBIC, 2, 3, curveTimes, curveValues},
                          {1, SN_PATH_SCALE, SN_STEP, 3, 3, stepTimes, stepValues},
                          {0, SN_PATH_MORPHS, SN_LINEAR, 2, 2, curveTimes, morphValues}},
                .still = {{0, SN_PATH_TRANSLATION, SN_LINEAR, 1, 3, stillTime, stillValue}}};
    m->clips[0] =
        (snClip){.name = "move", .start = 1, .duration = 1, .channelCount = 2, .channels = m->move};
    m->clips[1] = (snClip){
        .name = "curve", .start = 0, .duration = 1, .channelCount = 3, .channels = m->curve};
    m->clips[2] = (snClip){
        .name = "still", .start = 0.5, .duration = 0, .channelCount = 1, .channels = m->still};
    m->clips[3] =
        (snClip){.name = "nothing", .start = 0, .duration = 0, .channelCount = 0, .channels = NULL};
    m->character = (snCharacter){.skeleton = {2, m->joints},
                                 .clipCount = 4,
                                 .clips = m->clips,
                                 .morphCount = 2,
                                 .restMorphs = m->morphs};
}

static double apart(const snCharacter *c, const snPose *a, const snPose *b)
{
    double worst = 0;
    for (int j = 0; j < c->skeleton.jointCount; j++)
        for (int k = 0; k < 4; k++) {
            snVec3 p = k ? snVec(k == 1, k == 2, k == 3) : snVec(0, 0, 0);
            worst = fmax(worst, snDistance(snMulAP(a->global[j], p), snMulAP(b->global[j], p)));
        }
    for (int m = 0; m < c->morphCount; m++)
        worst = fmax(worst, fabs(a->morphs[m] - b->morphs[m]));
    return worst;
}

typedef struct Work {
    snContext context;
    snArena arena;
    Made made;
    snPose a, b;
    snClip chain;
} Work;

static bool begin(Work *w, const int *clips, int count, double blend)
{
    w->context = snDefaultContext();
    w->arena = snMakeArena(&w->context);
    make(&w->made);
    const snCharacter *c = &w->made.character;
    snChainDef def = {.name = "both", .clipCount = count, .clips = clips, .blend = blend};
    CHECK(snPose_Make(&w->a, &c->skeleton, 2, &w->arena, NULL) == SN_OK);
    CHECK(snPose_Make(&w->b, &c->skeleton, 2, &w->arena, NULL) == SN_OK);
    return CHECK(snChainClips(&w->chain, c, &def, &w->arena, NULL) == SN_OK);
}

// How far the chain is from a clip that plays in it from `start` on, over a part of that clip.
static double distance(Work *w, int clip, double start, double from, double to)
{
    const snCharacter *c = &w->made.character;
    double worst = 0;
    for (int k = 0; k <= 200; k++) {
        double t = from + (to - from) * k / 200;
        snCharacter_Pose(c, &w->chain, start + t, &w->a);
        snCharacter_Pose(c, &c->clips[clip], c->clips[clip].start + t, &w->b);
        worst = fmax(worst, apart(c, &w->a, &w->b));
    }
    return worst;
}

static void plainChain(void)
{
    static const int clips[] = {0, 1, 0};
    Work w;
    if (!begin(&w, clips, 3, 0)) return;
    double second = 1 + SN_CHAIN_GAP, third = second + 1 + SN_CHAIN_GAP;
    CHECK(!strcmp(w.chain.name, "both") && w.chain.start == 0 && w.chain.channelCount == 4);
    CHECK_NEAR(w.chain.duration, third + 1, 1e-6);
    CHECK(distance(&w, 0, 0, 0, 1) < 1e-6);
    CHECK(distance(&w, 1, second, 0, 0.3998) < 2e-4); // curves are sampled
    CHECK(distance(&w, 1, second, 0.4001, 0.9998) < 2e-4);
    CHECK(distance(&w, 0, third, 0, 1) < 1e-6);
    for (int i = 0; i < w.chain.channelCount; i++)
        for (int k = 1; k < w.chain.channels[i].keyCount; k++)
            CHECK(w.chain.channels[i].times[k] > w.chain.channels[i].times[k - 1]);
    snArena_Destroy(&w.arena);
}

// Half-way through a blend the pose is the mean, at its ends it is that of one clip, and it has no jumps.
static void blendedChain(void)
{
    static const int clips[] = {0, 1};
    const double blend = 0.3, start = 1 - 0.3;
    Work w;
    if (!begin(&w, clips, 2, blend)) return;
    const snCharacter *c = &w.made.character;
    CHECK_NEAR(w.chain.duration, 2 - blend, 1e-6);
    CHECK(distance(&w, 0, 0, 0, start) < 1e-6);
    CHECK(distance(&w, 1, start, blend, 0.3998) < 2e-4);
    snCharacter_Pose(c, &w.chain, start + blend / 2, &w.a);
    snCharacter_Pose(c, &c->clips[0], 1 + start + blend / 2, &w.b);
    snTransform first = w.b.local[0];
    snQuat turned = w.b.local[1].rotation;
    snCharacter_Pose(c, &c->clips[1], blend / 2, &w.b);
    snVec3 mean = snLerp(first.translation, w.b.local[0].translation, 0.5);
    CHECK(snDistance(w.a.local[0].translation, mean) < 1e-4);
    snQuat half = snSlerp(turned, snIdentityQuat(), 0.5); // "curve" does not turn the tip
    CHECK_NEAR(fabs(half.z), fabs(w.a.local[1].rotation.z), 1e-4);
    CHECK_NEAR(w.a.morphs[0], 0.5 * (0.25 + w.b.morphs[0]), 1e-4); // and "move" no morphs
    double worst = 0;
    for (double t = 0; t < w.chain.duration; t += 1e-3) {
        snCharacter_Pose(c, &w.chain, t, &w.a);
        snCharacter_Pose(c, &w.chain, t + 1e-3, &w.b);
        worst = fmax(worst, snDistance(w.a.local[0].translation, w.b.local[0].translation));
    }
    CHECK(worst < 0.02);
    snArena_Destroy(&w.arena);
}

// A clip that ends as the next begins goes on at once; one of no length is a moment; long blends are cut.
static void seams(void)
{
    static const int still[] = {2, 2, 2}, same[] = {2, 0, 2}, both[] = {0, 0};
    Work w;
    if (!begin(&w, still, 3, 0.5)) return;
    CHECK(w.chain.duration == 0 && w.chain.channelCount == 1);
    CHECK(w.chain.channels[0].values[0] == 5);
    snArena_Destroy(&w.arena);
    if (!begin(&w, same, 3, 0.5)) return;
    CHECK_NEAR(w.chain.duration, 1 + 2 * SN_CHAIN_GAP, 1e-6);
    snArena_Destroy(&w.arena);
    if (!begin(&w, both, 2, 100)) return;
    CHECK_NEAR(w.chain.duration, 1.5, 1e-6); // half of either
    snArena_Destroy(&w.arena);
}

static void wrongChains(void)
{
    static const int clips[] = {0, 4, -1};
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snClip chain;
    Made made;
    make(&made);
    snChainDef def = {.name = "x", .clipCount = 1, .clips = clips};
    def.clipCount = 0;
    CHECK(snChainClips(&chain, &made.character, &def, &arena, NULL) == SN_ERROR_ARGUMENT);
    def.clipCount = 2;
    CHECK(snChainClips(&chain, &made.character, &def, &arena, NULL) == SN_ERROR_ARGUMENT);
    def.clips = clips + 2;
    def.clipCount = 1;
    CHECK(snChainClips(&chain, &made.character, &def, &arena, NULL) == SN_ERROR_ARGUMENT);
    def.clips = clips;
    def.blend = (double)NAN;
    CHECK(snChainClips(&chain, &made.character, &def, &arena, NULL) == SN_ERROR_ARGUMENT);
    def.blend = -1;
    CHECK(snChainClips(&chain, &made.character, &def, &arena, NULL) == SN_ERROR_ARGUMENT);
    made.clips[0].duration = 1e9;
    def.blend = 0;
    CHECK(snChainClips(&chain, &made.character, &def, &arena, NULL) == SN_ERROR_ARGUMENT);
    static const int nothing[] = {3};
    def.clips = nothing;
    CHECK(snChainClips(&chain, &made.character, &def, &arena, NULL) == SN_OK);
    CHECK(chain.channelCount == 0 && chain.duration == 0);
    snArena_Destroy(&arena);
}

static void failingMemory(void)
{
    static const int clips[] = {0, 1};
    Made made;
    make(&made);
    for (int failAt = 1; failAt < 200; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snArena arena = snMakeArena(&context);
        snClip chain;
        snChainDef def = {.name = "x", .clipCount = 2, .clips = clips, .blend = 0.2};
        snStatus status = snChainClips(&chain, &made.character, &def, &arena, NULL);
        snArena_Destroy(&arena);
        CHECK(memory.alive == 0);
        if (status == SN_OK) break;
        CHECK(status == SN_ERROR_MEMORY);
    }
}

int main(void)
{
    RUN(plainChain);
    RUN(blendedChain);
    RUN(seams);
    RUN(wrongChains);
    RUN(failingMemory);
    return snTest_Finish();
}
