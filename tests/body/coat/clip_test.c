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

static void makeActor(Actor *a, const unsigned char *bytes, size_t size)
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
    def.fixed = true; // led by the clip
    def.posture = 2.5;
    def.self = false; // captures let arms go through thighs
    a->body = coatBody(&a->rigid, &coat, &def);
}

static void endActor(Actor *a)
{
    snBody_Destroy(a->body);
    snCharacter_Destroy(&a->character);
    snArena_Destroy(&a->arena);
}

static void follow(Actor *a, double time)
{
    const snSkeleton *s = &a->character.skeleton;
    snPose_SetRest(&a->pose, s);
    snClip_Sample(&a->character.clips[0], time, &a->pose);
    snPose_Globals(&a->pose, s);
    snRigidFrames(a->pose.global, s->jointCount, 0.056, a->frames);
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
    for (int j = 0; j < a->rigid.jointCount; j++)
        if (!strcmp(a->rigid.joints[j].name, name)) return j;
    return 0;
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
    makeActor(&hit, bytes, size);
    makeActor(&free_, bytes, size);
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

int main(void)
{
    RUN(deflectsAndRecovers);
    return snTest_Finish();
}
