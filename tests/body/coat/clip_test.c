// A motion capture, coated, follows its clip through joint springs, gives way to a ball that hits it, and recovers.
#include "asset/bvh.h"
#include "body/coat/coat_body.h"
#include "body/coat/coat_skeleton.h"
#include "core/elementary.h"
#include "core/error.h"
#include "tests/body/coat/trees.h"

#include <math.h>
#include <stdlib.h>

#define STEP (1.0 / 120)

typedef struct Actor {
    snCharacter character;
    snSkeleton rigid;
    snPose pose;
    snArena arena;
    snBody *body;
    snAffine *frames;
    snQuat *turns;
} Actor;

static snBody *coatBody(const snSkeleton *skeleton, const snCoatDef *coat, snCoatBodyDef *def)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snCoatPlan plan;
    snBody *body = NULL;
    snError error = {0};
    snStatus status = snCoatPlan_Propose(&plan, skeleton, coat, &arena, &error);
    if (!status) status = snCoating_Build(&def->owned, &plan, &context, &error);
    def->coating = def->owned;
    if (!status) status = snCoatBody_Make(&body, def, &context, &error);
    if (status) printf("  %s\n", error.message);
    CHECK(status == SN_OK);
    snArena_Destroy(&arena);
    return body;
}

// Led by the test, or following by itself.
static void makeActor(Actor *a, const unsigned char *bytes, size_t size, snCoatFollowDef *follows)
{
    snContext context = snDefaultContext();
    snCoatDef coat = snDefaultCoatDef();
    snCoatBodyDef def = snDefaultCoatBodyDef();
    a->arena = snMakeArena(&context);
    CHECK(snBvh_Read(&a->character, bytes, size, &context, NULL) == SN_OK);
    int n = a->character.skeleton.jointCount;
    CHECK(snRigidSkeleton(&a->rigid, &a->character.skeleton, 0.056, &a->arena, NULL) == SN_OK);
    CHECK(snPose_Make(&a->pose, &a->character.skeleton, 0, &a->arena, NULL) == SN_OK);
    a->frames = SN_NEW(&a->arena, snAffine, n);
    a->turns = SN_NEW(&a->arena, snQuat, n);
    def.fixed = !follows; // led by the clip
    def.posture = follows ? 0 : 2.5;
    def.follow = follows;
    if (follows) {
        follows->skeleton = &a->character.skeleton;
        follows->clip = &a->character.clips[0];
        follows->unit = 0.056;
    }
    def.self = false; // captures let arms go through thighs
    a->body = coatBody(&a->rigid, &coat, &def);
}

static void endActor(Actor *a)
{
    snBody_Destroy(a->body);
    snCharacter_Destroy(&a->character);
    snArena_Destroy(&a->arena);
}

// Where the clip has the joints, to `frames`.
static void sample(Actor *a, double time)
{
    const snSkeleton *s = &a->character.skeleton;
    snPose_SetRest(&a->pose, s);
    snClip_Sample(&a->character.clips[0], time, &a->pose);
    snPose_Globals(&a->pose, s);
    snRigidFrames(a->pose.global, s->jointCount, 0.056, a->frames);
}

static void follow(Actor *a, double time)
{
    const snSkeleton *s = &a->character.skeleton;
    sample(a, time);
    for (int j = 0; j < s->jointCount; j++) {
        int parent = s->joints[j].parent;
        snMat3 turn = a->frames[j].linear;
        if (parent >= 0) turn = snMulMM(snTranspose(a->frames[parent].linear), turn);
        a->turns[j] = snQuatFromMat(turn);
    }
    snCoatBody_SetPose(a->body, a->turns);
    snCoatBody_Lead(a->body, a->frames[0].origin, snQuatFromMat(a->frames[0].linear));
}

static int jointOf(const Actor *a, const char *name)
{
    int joint = snSkeleton_Find(&a->rigid, name);
    return CHECK(joint >= 0) ? joint : 0;
}

static void stepAll(void *group, snBody **bodies, int count)
{
    snBodyStep step = {.length = STEP, .ticks = 1, .gravity = snVec(0, -9.81, 0), .stiffness = 1};
    snBodyReport report;
    for (int k = 0; k < count; k++)
        snBody_Begin(bodies[k], &step);
    if (group)
        bodies[0]->kind->advanceGroup(group, NULL);
    else
        snBody_Advance(bodies[0]);
    for (int k = 0; k < count; k++)
        snBody_Finish(bodies[k], &report);
}

static void deflectsAndRecovers(void)
{
    size_t size;
    unsigned char *bytes = snTest_Asset("cmu_16_01_jump.bvh", &size);
    if (!bytes) snTest_Skip("cmu_16_01_jump.bvh is not there");
    snContext context = snDefaultContext();
    Actor hit, free_;
    makeActor(&hit, bytes, size, NULL);
    makeActor(&free_, bytes, size, NULL);
    Tree tree;
    memset(&tree, 0, sizeof tree);
    int middle = Tree_Add(&tree, "ball", -1, snVec(0, 0, 0));
    Tree_Add(&tree, "ball.end", middle, snVec(0.16, 0, 0));
    snCoatDef coat = snDefaultCoatDef();
    snCoatBodyDef def = snDefaultCoatBodyDef();
    coat.thickness = 10; // of so short a bone
    snBody *ball = coatBody(&tree.skeleton, &coat, &def);
    snBodyMeasure m;
    snBody_Measure(ball, &m);
    snAffine away = snIdentityAffine();
    away.origin = snVec(9, 50, 9); // until it is thrown
    snBody_Put(ball, &away);
    snBody *bodies[2] = {hit.body, ball};
    void *group = NULL;
    snBodyJoin join = {.count = 2, .bodies = bodies};
    CHECK(hit.body->kind->join(&join, &group, &context, NULL) == SN_OK);
    int chest = jointOf(&hit, "Spine1"), below = jointOf(&hit, "Spine"),
        head = jointOf(&hit, "Head");
    double most = 0, last = 0, before = 0;
    for (int i = 0; i < 288; i++) {
        double time = 0.3 + (i < 60 ? 0 : (i - 60) * STEP); // at first it finds its pose
        follow(&hit, time), follow(&free_, time);
        if (i == 90) { // thrown at the chest from 0.6 m in front of it
            const snAffine *frames = snCoatBody_Frames(hit.body);
            snVec3 at = snScale(0.5, snAdd(frames[chest].origin, frames[below].origin));
            snAffine place = snIdentityAffine();
            place.origin = snAdd(at, snVec(-0.08, -0.05, 0.6));
            snBody_Put(ball, &place);
            snBody_SetVelocity(ball, snVec(0, 1, -8), snVec(0, 0, 0));
        }
        stepAll(group, bodies, 2);
        stepAll(NULL, &free_.body, 1);
        last = snDistance(snCoatBody_Frames(hit.body)[head].origin,
                          snCoatBody_Frames(free_.body)[head].origin);
        if (i < 90) before = fmax(before, last);
        most = fmax(most, last);
    }
    printf("a ball of %.2g kg at 8 m/s: the head is thrown %.1f cm off its way, and %.2f cm at the "
           "end\n",
           m.mass, 100 * most, 100 * last);
    snBody_Measure(ball, &m);
    CHECK(before < 1e-9);
    CHECK(most > 0.02);
    CHECK(last < 0.2 * most);
    hit.body->kind->destroyGroup(group);
    snBody_Destroy(ball);
    endActor(&hit), endActor(&free_);
    free(bytes);
}

// ---- by strength --------------------------------------------------------------------------------

enum { BEGIN = 108, TRACKED = 192, JOINTS = 64 };
static snVec3 track[2][TRACKED][JOINTS];

static void strike(Actor *a, int point, snVec3 impulse)
{
    double *column = malloc(snBody_ColumnSize(a->body) * sizeof(double));
    if (CHECK(column)) {
        snBody_ImpulseColumn(a->body, point, column);
        snBody_Strike(a->body, column, impulse);
    }
    free(column);
}

// How far any joint of the legs is off the clip, m. Above the hips a coat has one joint for several of the capture's that lie in one place (the
// lower back turns with the hips, and the head is 0.13 m off by it); a skeleton whose joints are all its own, a hinge among them, is followed to 5 mm
// in layered/follow.
static double offNow(Actor *a, double time)
{
    static const char *const legs[] = {"LeftUpLeg",  "LeftLeg",  "LeftFoot",  "LeftToeBase",
                                       "RightUpLeg", "RightLeg", "RightFoot", "RightToeBase"};
    double worst = 0;
    sample(a, time);
    for (size_t k = 0; k < sizeof legs / sizeof *legs; k++) {
        int j = jointOf(a, legs[k]);
        snVec3 is = snCoatBody_Frames(a->body)[j].origin;
        worst = fmax(worst, snDistance(is, a->frames[j].origin));
    }
    return worst;
}

// The jump from 0.1 s on (its first frame is a T), struck in the chest 0.9 s later or not; where joints were. Returns how far it was off the
// clip before.
static double jumpAndTrack(Actor *a, bool struck)
{
    double off = 0;
    int chest;
    snBodySpot spot = snRestSpot(snCoatBody_Frames(a->body)[jointOf(a, "Spine1")].origin);
    if (!CHECK(a->rigid.jointCount <= JOINTS)) return 0;
    if (!CHECK(snBody_Locate(a->body, &spot, &chest, NULL) == SN_OK)) return 0;
    for (int i = 0; i < BEGIN + TRACKED; i++) {
        if (i == BEGIN && struck) strike(a, chest, snVec(0, 0, -60));
        stepAll(NULL, &a->body, 1);
        if (i >= BEGIN / 2 && i < BEGIN) off = fmax(off, offNow(a, 0.1 + (i + 1) * STEP));
        for (int j = 0; i >= BEGIN && j < a->rigid.jointCount; j++)
            track[struck][i - BEGIN][j] = snCoatBody_Frames(a->body)[j].origin;
    }
    return off;
}

static double apart(int from, int until)
{
    double worst = 0;
    for (int f = from; f < until; f++)
        for (int j = 0; j < JOINTS; j++)
            worst = fmax(worst, snDistance(track[0][f][j], track[1][f][j]));
    return worst;
}

// Follows the jump with a free root in a hand, is hit in the chest as by a ball of 6 kg at 10 m/s, and is where it would have been without it a
// second later. The weaker, the further off the clip, and the further thrown.
static void strengthDecides(void)
{
    size_t size;
    unsigned char *bytes = snTest_Asset("cmu_16_01_jump.bvh", &size);
    if (!bytes) snTest_Skip("cmu_16_01_jump.bvh is not there");
    double off[2], deflected[2];
    for (int weak = 0; weak < 2; weak++) {
        for (int struck = 0; struck < 2; struck++) {
            Actor a;
            snCoatFollowDef def = snDefaultCoatFollowDef();
            def.start = 0.1;
            def.strength.strength = weak ? 4 : 12;
            def.strength.hand = weak ? 1.5 : 5;
            makeActor(&a, bytes, size, &def);
            off[weak] = jumpAndTrack(&a, struck);
            endActor(&a);
        }
        deflected[weak] = apart(0, 60);
        double later = apart(150, 190);
        printf("  %s: legs off the clip by %.3f m; struck %.3f m, and %.4f m 1.25 s later\n",
               weak ? "weak" : "strong", off[weak], deflected[weak], later);
        CHECK(later < 0.05 * deflected[weak] && deflected[weak] > 0.02);
    }
    CHECK(off[0] < 0.05 && off[1] > off[0]);
    CHECK(deflected[1] > 1.5 * deflected[0]);
    free(bytes);
}

int main(void)
{
    RUN(strengthDecides);
    RUN(deflectsAndRecovers);
    return snTest_Finish();
}
