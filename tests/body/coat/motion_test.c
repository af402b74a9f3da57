// Coated bodies in motion: on floors, against each other, against themselves; momentum, energy, depth, bits.
#include "body/coat/coat_parts.h"
#include "core/elementary.h"
#include "core/error.h"
#include "tests/body/coat/trees.h"

#include <math.h>
#include <stdlib.h>

typedef struct Made {
    Tree tree;
    snArena arena;
    snCoating *coating;
    snBody *body;
    double shortest; // length of a cylinder at rest
} Made;

static void makeBody(Made *m, const snCoatBodyDef *given)
{
    snContext context = snDefaultContext();
    snCoatDef def = snDefaultCoatDef();
    snCoatPlan plan;
    snError error = {0};
    snCoatBodyDef body = *given;
    m->arena = snMakeArena(&context);
    snStatus status = snCoatPlan_Propose(&plan, &m->tree.skeleton, &def, &m->arena, &error);
    if (!status) status = snCoating_Build(&m->coating, &plan, &context, &error);
    body.coating = m->coating;
    if (!status) status = snCoatBody_Make(&m->body, &body, &context, &error);
    if (status) printf("  %s\n", error.message);
    CHECK(status == SN_OK);
    m->shortest = 1e9;
    for (int e = 0; e < m->coating->elementCount; e++)
        for (int i = 0; i < m->coating->elements[e].element.count; i++)
            m->shortest = fmin(m->shortest, m->coating->elements[e].element.rest[i]);
}

static void endBody(Made *m)
{
    snBody_Destroy(m->body);
    snCoating_Destroy(m->coating);
    snArena_Destroy(&m->arena);
}

static snCollider makeFloor(double friction)
{
    snCollider floor = snMakeCollider(SN_COLLIDER_PLANE);
    floor.friction = friction;
    return floor;
}

static snBodyStep makeStep(const snCollider *collider, double gravity)
{
    return (snBodyStep){.length = 1.0 / 120,
                        .ticks = 1,
                        .gravity = snVec(0, -gravity, 0),
                        .stiffness = 1,
                        .colliderCount = collider ? 1 : 0,
                        .colliders = collider};
}

static void stepAlone(snBody *body, const snBodyStep *step, snBodyReport *report)
{
    snBody_Begin(body, step);
    snBody_Advance(body);
    snBody_Finish(body, report);
}

// A body falls as a whole, and its flesh hardly notices.
static void fallsFreely(void)
{
    Made m;
    snBodyReport report;
    snBodyMeasure a, b;
    snCoatBodyDef def = snDefaultCoatBodyDef();
    Tree_Chain(&m.tree, 4);
    makeBody(&m, &def);
    snBodyStep step = makeStep(NULL, 9.81);
    snBody_Measure(m.body, &a);
    for (int i = 0; i < 60; i++)
        stepAlone(m.body, &step, &report);
    snBody_Measure(m.body, &b);
    CHECK_NEAR(b.momentum.y, -9.81 * 0.5 * a.mass, 1e-9 * a.mass);
    CHECK_NEAR(b.elastic, 0, 1e-6);
    endBody(&m);
}

// A cylinder has one length, and is as stiff as it is however many things it touches: on two floors in one place, each sample in two
// contacts, a body sinks as deep as on one. (With all of its force in each contact it would sink half as deep.)
static void fleshIsCountedOnce(void)
{
    double height[2];
    for (int floors = 1; floors <= 2; floors++) {
        Made m;
        snBodyReport report;
        snCoatBodyDef def = snDefaultCoatBodyDef();
        def.sleeps = false;
        Tree_Chain(&m.tree, 1);
        makeBody(&m, &def);
        const snCollider floor[2] = {makeFloor(0.6), makeFloor(0.6)};
        snBodyStep step = makeStep(floor, 9.81);
        step.colliderCount = floors;
        snBodyMeasure e;
        for (int i = 0; i < 480; i++)
            stepAlone(m.body, &step, &report);
        snBody_Measure(m.body, &e);
        height[floors - 1] = e.center.y;
        CHECK(2 * e.kinetic < 1e-8 * e.mass);
        endBody(&m);
    }
    printf("on one floor its middle is at %.5f m, on two at %.5f\n", height[0], height[1]);
    CHECK_NEAR(height[0], height[1], 1e-4);
}

// Dropped on a floor it comes to rest on it; energy does not grow, nothing sinks.
static void comesToRest(void)
{
    Made m;
    snBodyReport report;
    snCoatBodyDef def = snDefaultCoatBodyDef();
    Tree_Chain(&m.tree, 4);
    makeBody(&m, &def);
    snCollider floor = makeFloor(0.6);
    snBodyStep step = makeStep(&floor, 9.81);
    double deepest = 0, last = 1e300, grown = 0;
    snBodyMeasure e;
    snAffine at = snIdentityAffine();
    at.linear = snQuatToMat(snQuatFromAxisAngle(snVec(0, 0, 1), 0.3));
    at.origin = snVec(0, -0.3, 0);
    snBody_Put(m.body, &at);
    for (int i = 0; i < 480; i++) {
        stepAlone(m.body, &step, &report);
        snBody_Measure(m.body, &e);
        double all = e.kinetic + e.elastic + 9.81 * e.mass * e.center.y;
        deepest = fmax(deepest, report.contact.deepest);
        if (i > 0) grown = fmax(grown, all - last);
        last = all;
    }
    printf("four links on a floor: %.2g J left after 4 s, energy grew by %.2g J in a step at most, "
           "deepest %.3g %% of "
           "the shortest cylinder, %d samples touch, middle at %.3f m\n",
           e.kinetic, grown, 100 * deepest / m.shortest, report.contact.touching, e.center.y);
    CHECK(e.kinetic < 1e-3 * e.mass);
    CHECK(deepest < 0.05 * m.shortest);
    CHECK(report.contact.touching > 4);
    CHECK(e.center.y > 0.02);
    endBody(&m);
}

// Two bodies that meet in free space: momentum is kept, they turn away from each other.
static void momentumIsKept(void)
{
    Made m[2];
    snCoatBodyDef def = snDefaultCoatBodyDef();
    snContext context = snDefaultContext();
    snBodyStep step = makeStep(NULL, 0);
    snBodyMeasure now[2];
    void *group = NULL;
    for (int k = 0; k < 2; k++) {
        Tree_Chain(&m[k].tree, 4);
        makeBody(&m[k], &def);
        snAffine at = snIdentityAffine();
        at.linear = snQuatToMat(snQuatFromAxisAngle(snVec(0, 1, 0), 1.3 * k));
        at.origin = snVec(0.6 * k, 0.35 * k, 0.5 * k);
        snBody_Put(m[k].body, &at);
        snBody_SetVelocity(m[k].body, snVec(0, k ? -2 : 2, 0), snVec(0, 0, 0));
    }
    snBody *bodies[2] = {m[0].body, m[1].body};
    snBodyJoin join = {.count = 2, .bodies = bodies};
    CHECK(m[0].body->kind->join(&join, &group, &context, NULL) == SN_OK);
    double worst = 0, turned = 0, approach = 0;
    snVec3 p = {0, 0, 0}, l = {0, 0, 0};
    for (int i = 0; i < 90; i++) {
        double moving = 0, spinning = 0;
        snVec3 sum = {0, 0, 0}, spin = {0, 0, 0};
        snBodyReport report;
        for (int k = 0; k < 2; k++)
            snBody_Begin(bodies[k], &step);
        m[0].body->kind->advanceGroup(group, NULL);
        for (int k = 0; k < 2; k++) {
            snBody_Finish(bodies[k], &report);
            snBody_Measure(bodies[k], &now[k]);
            sum = snAdd(sum, now[k].momentum);
            spin = snAdd(spin, now[k].angularMomentum);
            moving += snLength(now[k].momentum);
            spinning += snLength(now[k].angularMomentum);
        }
        if (i > 0) {
            worst = fmax(worst, snDistance(sum, p) / moving);
            turned = fmax(turned, snDistance(spin, l) / spinning);
        }
        p = sum, l = spin;
        approach = now[0].momentum.y;
    }
    printf("two bodies that meet: momentum changes by %.2g, angular by %.2g of its sum in a step; "
           "first went up with "
           "%.3g, goes with %.3g kg m/s\n",
           worst, turned, 2 * now[0].mass, approach);
    CHECK(worst < 1e-9);
    CHECK(turned < 1e-6);
    CHECK(approach < 0.5 * 2 * now[0].mass); // it was struck
    m[0].body->kind->destroyGroup(group);
    endBody(&m[0]), endBody(&m[1]);
}

// Blocks of answers and solutions of the tree, which very large trees have instead, are the same.
static void blocksAreTheTree(void)
{
    double apart = 0;
    Made m[2];
    for (int k = 0; k < 2; k++) {
        snBodyReport report;
        snCoatBodyDef def = snDefaultCoatBodyDef();
        Tree_Chain(&m[k].tree, 4);
        makeBody(&m[k], &def);
        ((snCoatBody *)m[k].body)->answers.dense = k == 0;
        snCollider floor = makeFloor(0.6);
        snBodyStep step = makeStep(&floor, 9.81);
        snAffine at = snIdentityAffine();
        at.linear = snQuatToMat(snQuatFromAxisAngle(snVec(0, 0, 1), 0.3));
        at.origin = snVec(0, -0.3, 0);
        snBody_Put(m[k].body, &at);
        for (int i = 0; i < 70; i++)
            stepAlone(m[k].body, &step, &report);
        CHECK(report.contact.touching > 0);
    }
    for (int j = 0; j < m[0].tree.skeleton.jointCount; j++)
        apart = fmax(apart, snDistance(snCoatBody_Frames(m[0].body)[j].origin,
                                       snCoatBody_Frames(m[1].body)[j].origin));
    printf("blocks and trees: joints %.2g m apart after 70 steps\n", apart);
    CHECK(apart < 1e-9);
    endBody(&m[0]), endBody(&m[1]);
}

static void savesToTheBit(void)
{
    Made m;
    snBodyReport report;
    snCoatBodyDef def = snDefaultCoatBodyDef();
    Tree_Person(&m.tree);
    makeBody(&m, &def);
    snCollider floor = makeFloor(0.5);
    snBodyStep step = makeStep(&floor, 9.81);
    size_t size = snBody_SaveSize(m.body);
    char *begin = malloc(size), *first = malloc(size), *second = malloc(size);
    for (int i = 0; i < 30; i++)
        stepAlone(m.body, &step, &report);
    snBody_Save(m.body, begin);
    for (int i = 0; i < 60; i++)
        stepAlone(m.body, &step, &report);
    snBody_Save(m.body, first);
    CHECK(snBody_Restore(m.body, begin, NULL) == SN_OK);
    for (int i = 0; i < 60; i++)
        stepAlone(m.body, &step, &report);
    snBody_Save(m.body, second);
    CHECK(!memcmp(first, second, size));
    free(begin), free(first), free(second);
    endBody(&m);
}

// The angle at which a heavy second link comes to rest on the flesh of the first.
static double limitAngle(double median, double way, double spacing)
{
    Made m;
    snContext context = snDefaultContext();
    snBodyReport report;
    snCoatDef coat = snDefaultCoatDef();
    snCoatBodyDef def = snDefaultCoatBodyDef();
    snCoatPlan plan;
    snQuat turns[3] = {{0, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 1}};
    Tree_Chain(&m.tree, 2);
    m.arena = snMakeArena(&context);
    turns[1] = snQuatFromAxisAngle(snVec(0, 0, 1), median);
    coat.median = turns;
    coat.spacing = spacing;
    def.fixed = true;
    def.damping = 20;
    CHECK(snCoatPlan_Propose(&plan, &m.tree.skeleton, &coat, &m.arena, NULL) == SN_OK);
    CHECK(snCoating_Build(&m.coating, &plan, &context, NULL) == SN_OK);
    def.coating = m.coating;
    CHECK(snCoatBody_Make(&m.body, &def, &context, NULL) == SN_OK);
    snBodyStep step = makeStep(NULL, -way * 9.81); // gravity bends it up or down
    for (int i = 0; i < 480; i++)
        stepAlone(m.body, &step, &report);
    const snAffine *frames = snCoatBody_Frames(m.body);
    snVec3 axis = frames[1].linear.cx;
    endBody(&m);
    return snAtan2(axis.y, axis.x);
}

static void fleshLimitsJoints(void)
{
    double up = limitAngle(0, 1, 0.3), down = limitAngle(0, -1, 0.3);
    double bentUp = limitAngle(0.5, 1, 0.3), bentDown = limitAngle(0.5, -1, 0.3);
    double wide = limitAngle(0, 1, 0.6);
    printf("joint comes to rest at %.1f and %.1f degrees; flesh put on bent by 28.6: %.1f and "
           "%.1f; twice the "
           "spacing: %.1f\n",
           up * 180 / SN_PI, down * 180 / SN_PI, bentUp * 180 / SN_PI, bentDown * 180 / SN_PI,
           wide * 180 / SN_PI);
    CHECK(up > 0.1 && up < 1.4);
    CHECK_NEAR(up, -down, 0.05);
    CHECK(bentUp > up + 0.1);
    CHECK(bentDown > down + 0.1);
    CHECK(wide > up + 0.05);
}

static void memoryRunsOut(void)
{
    Made m;
    snCoatBodyDef def = snDefaultCoatBodyDef();
    Tree_Chain(&m.tree, 2);
    makeBody(&m, &def);
    def.coating = m.coating;
    snStatus status = SN_ERROR_MEMORY;
    for (int n = 1; status && n < 200; n++) {
        snFailingMemory memory = {.failAtWay = n};
        snContext context = snDefaultContext();
        snTest_UseFailingMemory(&context, &memory);
        snBody *body = NULL;
        status = snCoatBody_Make(&body, &def, &context, NULL);
        CHECK(!status || status == SN_ERROR_MEMORY);
        snBody_Destroy(body);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
    endBody(&m);
}

int main(void)
{
    RUN(fallsFreely);
    RUN(comesToRest);
    RUN(fleshIsCountedOnce);
    RUN(momentumIsKept);
    RUN(blocksAreTheTree);
    RUN(savesToTheBit);
    RUN(fleshLimitsJoints);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
