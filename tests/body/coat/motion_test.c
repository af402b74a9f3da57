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

// ---- two bodies ---------------------------------------------------------------------------------

typedef struct Two {
    Made m[2];
    snBody *bodies[2];
    void *group;
} Two;

static void makeFlesh(Made *m, const snCoatDef *coat, const snCoatBodyDef *given)
{
    snContext context = snDefaultContext();
    snCoatBodyDef def = *given;
    snCoatPlan plan;
    m->arena = snMakeArena(&context);
    CHECK(snCoatPlan_Propose(&plan, &m->tree.skeleton, coat, &m->arena, NULL) == SN_OK);
    CHECK(snCoating_Build(&m->coating, &plan, &context, NULL) == SN_OK);
    def.coating = m->coating;
    CHECK(snCoatBody_Make(&m->body, &def, &context, NULL) == SN_OK);
}

// Two single links across each other, the second `above` the first, with flesh of their own stiffness.
static void makeTwo(Two *two, const double young[2], const snCoatBodyDef *def, double above)
{
    snContext context = snDefaultContext();
    for (int k = 0; k < 2; k++) {
        snCoatDef coat = snDefaultCoatDef();
        snAffine at = snIdentityAffine();
        coat.flesh.young = young[k];
        coat.thickness = 3;
        coat.along = 7;
        coat.round = 12;
        Tree_Chain(&two->m[k].tree, 1);
        makeFlesh(&two->m[k], &coat, def);
        at.linear = snQuatToMat(snQuatFromAxisAngle(snVec(0, 1, 0), k * 0.5 * SN_PI));
        at.origin = k ? snVec(0.15, above, 0.15) : snVec(0, 0, 0);
        snBody_Put(two->m[k].body, &at);
        two->bodies[k] = two->m[k].body;
    }
    snBodyJoin join = {.count = 2, .bodies = two->bodies};
    CHECK(two->bodies[0]->kind->join(&join, &two->group, &context, NULL) == SN_OK);
}

static void stepTwo(Two *two, const snBodyStep *step, snBodyReport report[2])
{
    for (int k = 0; k < 2; k++)
        snBody_Begin(two->bodies[k], step);
    two->bodies[0]->kind->advanceGroup(two->group, NULL);
    for (int k = 0; k < 2; k++)
        snBody_Finish(two->bodies[k], &report[k]);
}

static void endTwo(Two *two)
{
    two->bodies[0]->kind->destroyGroup(two->group);
    endBody(&two->m[0]), endBody(&two->m[1]);
}

static double mostPressed(const snBody *body)
{
    const snCoatBody *b = (const snCoatBody *)body;
    double most = 0;
    for (int e = 0; e < b->coating->elementCount; e++)
        for (int i = 0; i < b->coating->elements[e].element.count; i++)
            most = fmax(most, b->flesh[e].rest[i] - b->flesh[e].length[i]);
    return most;
}

// Contact by relative stiffness: of what two bodies give way by, the soft one has about the share of the other's stiffness, k₂/(k₁ + k₂). It is a little more.
static void softGivesWayMore(void)
{
    static const double ratios[3] = {1, 4, 16};
    double last = 0;
    for (int r = 0; r < 3; r++) {
        Two two;
        snBodyReport report[2];
        snCoatBodyDef def = snDefaultCoatBodyDef();
        const double young[2] = {1e4, 1e4 * ratios[r]};
        double most = 0, share = 0;
        def.sleeps = false;
        makeTwo(&two, young, &def, 0.25);
        snBody_SetVelocity(two.bodies[1], snVec(0, -0.5, 0), snVec(0, 0, 0));
        snBodyStep step = makeStep(NULL, 0);
        for (int i = 0; i < 120; i++) {
            stepTwo(&two, &step, report);
            double a = mostPressed(two.bodies[0]), b = mostPressed(two.bodies[1]);
            if (a + b > most) most = a + b, share = a / (a + b);
        }
        printf("flesh %g times as stiff as the other: the soft one gives way by %.3f of %.1f mm, "
               "%.3f by their stiffness\n",
               ratios[r], share, 1e3 * most, ratios[r] / (1 + ratios[r]));
        CHECK(most > 5e-3);
        CHECK_NEAR(share, ratios[r] / (1 + ratios[r]), 0.1);
        CHECK(share > last);
        last = share;
        endTwo(&two);
    }
}

// ---- energy ------------------------------------------------------------------------------------------

// J/kg that a link loses which meets a floor with a speed, and goes off it again.
static double lostOnFloor(double dissipation, double speed)
{
    Made m;
    snBodyReport report;
    snBodyMeasure e;
    snCoatBodyDef def = snDefaultCoatBodyDef();
    double up = 0;
    def.dissipation = dissipation;
    Tree_Chain(&m.tree, 1);
    makeBody(&m, &def);
    snCollider floor = makeFloor(0);
    snBodyStep step = makeStep(&floor, 0);
    snAffine at = snIdentityAffine();
    at.origin = snVec(0, -0.8, 0);
    step.length = 1.0 / 480;
    snBody_Put(m.body, &at);
    snBody_SetVelocity(m.body, snVec(0, -speed, 0), snVec(0, 0, 0));
    for (int i = 0; i < 480; i++) {
        stepAlone(m.body, &step, &report);
        snBody_Measure(m.body, &e);
        up = fmax(up, e.momentum.y / e.mass);
    }
    CHECK(up > 0.1 * speed);
    endBody(&m);
    return 0.5 * (speed * speed - up * up);
}

// What a contact takes grows with the damper γ = damping + dissipation k, and with how deep flesh is pressed.
static void pressedFleshDissipates(void)
{
    static const double dissipation[3] = {0, 0.01, 0.05};
    double slow[3], fast[3];
    for (int k = 0; k < 3; k++) {
        slow[k] = lostOnFloor(dissipation[k], 0.5);
        fast[k] = lostOnFloor(dissipation[k], 1);
        printf("dissipation %g s: of 0.125 J/kg %.4f are lost, of 0.5 %.4f\n", dissipation[k],
               slow[k], fast[k]);
        CHECK(fast[k] > 3 * slow[k]);
    }
    CHECK(slow[1] > 1.05 * slow[0] && fast[1] > 1.05 * fast[0]);
    CHECK(slow[2] > slow[1] && fast[2] > fast[1]);
}

// A step in which the energy of motion jumps is taken back and done in halves. Two bodies that begin in each other have none, and flesh that is
// put out gives them some; who meets in flight never gains any. Momentum is kept by steps that are taken back as by others.
static void jumpsAreTakenBack(void)
{
    const double young[2] = {1e4, 1e4};
    int jumps[2] = {0, 0};
    for (int within = 0; within < 2; within++) {
        Two two;
        snBodyReport report[2];
        snBodyMeasure e[2];
        snCoatBodyDef def = snDefaultCoatBodyDef();
        double most = 0, mass = 0;
        makeTwo(&two, young, &def, within ? 0.02 : 0.3);
        if (!within) snBody_SetVelocity(two.bodies[1], snVec(0, -4, 0), snVec(0, 0, 0));
        snBodyStep step = makeStep(NULL, 0);
        for (int i = 0; i < 30; i++) {
            stepTwo(&two, &step, report);
            jumps[within] += ((snCoatGroup *)two.group)->jumps;
            for (int k = 0; k < 2; k++)
                snBody_Measure(two.bodies[k], &e[k]);
            most = fmax(most, e[0].kinetic + e[1].kinetic);
            mass = e[0].mass + e[1].mass;
        }
        printf("%s: %d steps taken back, at most %.3f J/kg\n",
               within ? "begun in each other" : "met in flight", jumps[within], most / mass);
        snVec3 sum = snAdd(e[0].momentum, e[1].momentum);
        CHECK_NEAR(sum.y, within ? 0 : -4 * e[1].mass, 1e-9 * mass);
        CHECK(most / mass < (within ? 1 : 4.0001)); // 1.4 m/s; what one of two had at first
        endTwo(&two);
    }
    CHECK(jumps[0] == 0 && jumps[1] > 0);
}

// ---- itself ------------------------------------------------------------------------------------------

// Contacts of links that are no neighbours, with a force.
static int beyondNeighbours(const snBody *body)
{
    const snCoatGroup *g = ((const snCoatBody *)body)->own;
    int count = 0;
    for (int i = 0; i < g->contactCount; i++) {
        const snCoatContact *c = &g->contacts[i];
        count += c->side[1].body && c->push > 0 && abs(c->side[0].link - c->side[1].link) > 1;
    }
    return count;
}

// The tip of a long chain is drawn round to the middle of its first link: there it meets flesh, though nine links are between them.
static void tipsMeetTheirRoots(void)
{
    double away[2];
    int touching[2];
    for (int self = 0; self < 2; self++) {
        Made m;
        snBodyReport report;
        snCoatBodyDef def = snDefaultCoatBodyDef();
        int point;
        def.fixed = true;
        def.self = self;
        def.damping = 3;
        def.sleeps = false;
        Tree_Chain(&m.tree, 10);
        makeBody(&m, &def);
        snBodySpot spot = snRestSpot(snVec(2.95, 1, 0));
        CHECK(snBody_Locate(m.body, &spot, &point, NULL) == SN_OK);
        snBodyStep step = makeStep(NULL, 0);
        snBodyPull pull = {.target = snVec(0.15, 2.5, 0), .stiffness = 100, .damping = 10};
        for (int i = 0; i < 600; i++) {
            if (i == 120) pull.target.y = 1; // it comes from above
            snBody_Begin(m.body, &step);
            snBody_Pull(m.body, point, &pull);
            snBody_Advance(m.body);
            snBody_Finish(m.body, &report);
        }
        away[self] = snDistance(snBody_Place(m.body, point), pull.target);
        touching[self] = beyondNeighbours(m.body);
        endBody(&m);
    }
    printf(
        "a chain's tip, drawn to its first link: %.3f m from the middle of it, through its flesh "
        "%.3f; %d contacts beyond neighbours\n",
        away[1], away[0], touching[1]);
    CHECK(away[0] < 0.01 && touching[0] == 0);
    CHECK(away[1] > 0.1 && touching[1] > 0);
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
    RUN(softGivesWayMore);
    RUN(pressedFleshDissipates);
    RUN(jumpsAreTakenBack);
    RUN(tipsMeetTheirRoots);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
