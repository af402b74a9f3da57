// Motion capture meets physics: a jump is followed by an articulated body, which is struck on its way, is deflected, and recovers.
#include "asset/bvh.h"
#include "skeleton/limbs.h"

#include "core/elementary.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNIT 0.0564444 // m: an inch over 0.45, what these files are measured in

typedef struct Jump {
    snCharacter character;
    snArena arena;
    snArticulated *tree;
    snArticulatedState *state;
    snFollow *follow;
    snVec3 gravity;
} Jump;

static bool makeJump(Jump *jump, double frequency, double rootFrequency)
{
    snContext context = snDefaultContext();
    snError error = {0};
    size_t size;
    unsigned char *bytes = snTest_Asset("cmu_16_01_jump.bvh", &size);
    *jump = (Jump){.gravity = {0, -9.81 / UNIT, 0}};
    if (!bytes) snTest_Skip("cmu_16_01_jump.bvh is not here");
    bool good = CHECK(!snBvh_Read(&jump->character, bytes, size, &context, &error));
    free(bytes);
    if (!good) return false;
    const snSkeleton *skeleton = &jump->character.skeleton;
    jump->arena = snMakeArena(&context);
    snLinkDef *links = SN_NEW(&jump->arena, snLinkDef, skeleton->jointCount);
    snLimbsDef limbs = snDefaultLimbsDef();
    limbs.freeRoot = true;
    limbs.density = 1000 * UNIT * UNIT * UNIT; // kg per unit³
    snArticulatedDef def = {skeleton->jointCount, links};
    good = CHECK(links && !snSkeleton_Links(skeleton, &limbs, links, &context, &error)) &&
           CHECK(!snArticulated_Make(&jump->tree, &def, &context, &error)) &&
           CHECK(!snArticulatedState_Make(&jump->state, jump->tree, &context, &error));
    if (!good) printf("  %s\n", error.message);
    if (!good) return false;
    snFollowDef aim = snDefaultFollowDef(jump->tree, skeleton);
    aim.frequency = frequency;
    aim.rootFrequency = rootFrequency;
    return CHECK(!snFollow_Make(&jump->follow, &aim, &context, &error));
}

static void freeJump(Jump *jump)
{
    snFollow_Destroy(jump->follow);
    snArticulatedState_Destroy(jump->state);
    snArticulated_Destroy(jump->tree);
    snArena_Destroy(&jump->arena);
    snCharacter_Destroy(&jump->character);
}

static int jointNamed(const snSkeleton *skeleton, const char *name)
{
    for (int j = 0; j < skeleton->jointCount; j++)
        if (strcmp(skeleton->joints[j].name, name) == 0) return j;
    return -1;
}

// The joint that is furthest from the clip, m.
static double offNow(const Jump *jump)
{
    double worst = 0;
    const snPose *target = snFollow_Target(jump->follow);
    for (int j = 0; j < jump->character.skeleton.jointCount; j++)
        worst = fmax(worst, snDistance(snArticulated_Frame(jump->state, j).origin,
                                       target->global[j].origin));
    return worst * UNIT;
}

static double play(Jump *jump, double from, double until)
{
    double h = 1 / 120.0, worst = 0;
    snArticulatedStep step = {h, jump->gravity, SN_ARTICULATED_IMPLICIT};
    for (double t = from; t < until - 0.5 * h; t += h) {
        snFollow_Aim(jump->follow, jump->state, &jump->character.clips[0], t, h, jump->gravity);
        snArticulated_Step(jump->tree, jump->state, &step);
        worst = fmax(worst, offNow(jump));
    }
    return worst;
}

enum { FRAMES = 300, JOINTS = 64 };
static snVec3 track[2][FRAMES][JOINTS];

// The jump from 0.1 s on (its first frame is a T), struck in the chest at 1 s or not; where joints were.
static void jumpAndTrack(Jump *jump, bool struck, double *followed)
{
    const snSkeleton *skeleton = &jump->character.skeleton;
    snPose pose;
    int chest = jointNamed(skeleton, "Spine1"), frame = 0;
    if (!CHECK(chest >= 0 && skeleton->jointCount <= JOINTS)) return;
    CHECK(!snPose_Make(&pose, skeleton, 0, &jump->arena, NULL));
    snClip_Sample(&jump->character.clips[0], 0.1, &pose);
    snPose_Globals(&pose, skeleton);
    snArticulated_TakePose(jump->tree, jump->state, skeleton, &pose);
    play(jump, 0.1, 0.5);
    *followed = play(jump, 0.5, 1);
    snVec3 at = snArticulated_Frame(jump->state, chest).origin;
    if (struck) snArticulated_Blow(jump->tree, jump->state, chest, at, snVec(0, 0, -60 / UNIT));
    for (double t = 1; t < 2.6; t += 1 / 120.0, frame++) {
        play(jump, t, t + 1 / 120.0);
        for (int j = 0; j < skeleton->jointCount; j++)
            track[struck][frame][j] = snArticulated_Frame(jump->state, j).origin;
    }
}

static double apart(int from, int until)
{
    double worst = 0;
    for (int f = from; f < until; f++)
        for (int j = 0; j < JOINTS; j++)
            worst = fmax(worst, UNIT * snDistance(track[0][f][j], track[1][f][j]));
    return worst;
}

// Follows the jump, is hit in the chest by a ball of 6 kg at 10 m/s, and is where it would have been without it a
// second later. The weaker, the further.
static void jumpsAreFollowed(void)
{
    double deflected[2];
    for (int weak = 0; weak < 2; weak++) {
        double followed = 0;
        for (int struck = 0; struck < 2; struck++) {
            Jump jump;
            if (makeJump(&jump, weak ? 4 : 12, weak ? 1.5 : 5))
                jumpAndTrack(&jump, struck, &followed);
            freeJump(&jump);
        }
        deflected[weak] = apart(0, 60);
        double later = apart(150, 190);
        printf("  %s: off the clip by %.3f m; struck %.3f m, and %.4f m 1.25 s later\n",
               weak ? "weak" : "strong", followed, deflected[weak], later);
        CHECK(later < 0.05 * deflected[weak] && deflected[weak] > 0.02);
        if (!weak) CHECK(followed < 0.05);
    }
    CHECK(deflected[1] > 1.5 * deflected[0]);
}

// Limp: nothing holds it, it falls as a whole and stays together.
static void limpBodiesFall(void)
{
    Jump jump;
    if (makeJump(&jump, 0, 0)) {
        snArticulatedMeasure a, b;
        double h = 1 / 60.0, time = 120 * h;
        snArticulatedStep step = {h, jump.gravity, SN_ARTICULATED_IMPLICIT};
        snArticulatedState_Links(jump.state)[0].spin = snVec(2, 1, -3);
        snArticulated_Update(jump.tree, jump.state);
        snArticulated_Measure(jump.tree, jump.state, jump.gravity, &a);
        for (int i = 0; i < 120; i++)
            snArticulated_Step(jump.tree, jump.state, &step);
        snArticulated_Measure(jump.tree, jump.state, jump.gravity, &b);
        snVec3 fall = snMulAdd(a.center, 0.5 * time * (time + h), jump.gravity);
        fall = snMulAdd(fall, time / a.mass, a.momentum);
        CHECK_NEAR(snDistance(b.center, fall), 0, 0.01 * snDistance(b.center, a.center));
        CHECK(isfinite(b.kinetic));
    }
    freeJump(&jump);
}

int main(void)
{
    RUN(jumpsAreFollowed);
    RUN(limpBodiesFall);
    return snTest_Finish();
}
