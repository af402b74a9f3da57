// What goals do: chases arrive when and as they are to, connections keep momentum, what is grabbed is carried and let go.
#include "tests/control/actors.h"

static const snVec3 NO_WEIGHT = {0, 0, 0}, WEIGHT = {0, -9.81, 0};

// To a place that stands, from a body that tumbles: there at the time, with the velocity that was asked for.
static void chasesArrive(void)
{
    for (int i = 0; i < 3; i++) {
        snContext context = snDefaultContext();
        snGoalDef goal = goalOf(SN_GOAL_CHASE, TIP, PEG, 0.5);
        goal.arrival = i == 0 ? SN_ARRIVE_FREE : i == 1 ? SN_ARRIVE_GIVEN : SN_ARRIVE_TARGET;
        goal.velocity = i ? snVec(1, -2, 0.5) : snVec(0, 0, 0);
        snScriptDef script = scriptOf(1, &goal);
        Stage stage = makeStage(&context, NO_WEIGHT, 1, &script);
        snBody_SetVelocity(stage.world->bodies.data[0], snVec(0.3, 0.4, -1), snVec(0, 2, 1));
        snVec3 from = placeOf(&stage, TIP), v = velocityOf(&stage, TIP), to = {0.5, 1.5, 0.5};
        snVec3 least = snMulAdd(snScale(1.5 / 0.5, snSub(to, from)), -0.5, v);
        play(&stage, 60);
        double missed = snDistance(placeOf(&stage, TIP), to);
        CHECK(phaseOf(&stage, 0) == SN_GOAL_ACTIVE);
        snControl_Step(stage.control, stage.world, 1);
        double off = snDistance(velocityOf(&stage, TIP), i ? goal.velocity : least);
        printf("    missed by %.1e m, velocity off by %.1e of %.2f m/s\n", missed, off,
               snLength(velocityOf(&stage, TIP)));
        CHECK(missed < 1e-13 && off < 1e-12 && phaseOf(&stage, 0) == SN_GOAL_DONE);
        CHECK(!snControl_Runs(stage.control) && *stage.control->eventCount == 1);
        endStage(&stage);
    }
}

// The controlled point is on the cubic that was planned, at every step.
static void plansAreFollowed(void)
{
    snContext context = snDefaultContext();
    snGoalDef goal = goalOf(SN_GOAL_CHASE, TIP, PEG, 0.5);
    snScriptDef script = scriptOf(1, &goal);
    Stage stage = makeStage(&context, WEIGHT, 1, &script);
    double worst = 0, changed = 0;
    snArc first = {0};
    for (int k = 0; k < 59; k++) {
        play(&stage, 1);
        const snArc *plan = &snControl_Goal(stage.control, 0, 0)->plan;
        double now = snWorld_Time(stage.world);
        if (!k) first = *plan;
        worst = fmax(worst, snDistance(placeOf(&stage, TIP), snArc_Place(plan, now)));
        changed = fmax(changed, snDistance(snArc_Place(&first, now), snArc_Place(plan, now)));
    }
    printf("    %.1e m from the plan, which changes by %.1e m\n", worst, changed);
    CHECK(worst < 1e-13 && changed < 1e-12); // made anew from where it is it stays the same
    endStage(&stage);
}

// Targets that move: straight and falling ones are met to rounding, turning ones as well as the last plan knew.
static void movingTargetsAreMet(void)
{
    for (int i = 0; i < 4; i++) {
        snContext context = snDefaultContext();
        snGoalDef goal = goalOf(SN_GOAL_CHASE, TIP, i == 3 ? RAIL : PREY, 0.75);
        goal.arrival = SN_ARRIVE_TARGET;
        snScriptDef script = scriptOf(1, &goal);
        Stage stage = makeStage(&context, i == 1 ? WEIGHT : NO_WEIGHT, 1, &script);
        snBody_SetVelocity(stage.world->bodies.data[1], snVec(0.5, i == 1 ? 4 : 0.2, -0.3),
                           snVec(0, 0, i == 2 ? 3 : 0));
        play(&stage, 90);
        snVec3 to =
            i == 3 ? snRoute_Place(&stage.control->points[RAIL].path, 0.75) : placeOf(&stage, PREY);
        double missed = snDistance(placeOf(&stage, TIP), to);
        const char *const names[4] = {"straight", "falling", "turning", "on a rail"};
        printf("    %s: missed by %.1e m\n", names[i], missed);
        CHECK(missed < (i == 2 ? 2e-4 : 1e-12));
        endStage(&stage);
    }
}

// What falls will land, and what lands lies: chases that end after it, and just after a blow, meet their targets too.
static void targetsThatLandAreMet(void)
{
    for (int i = 0; i < 2; i++) {
        snContext context = snDefaultContext();
        snGoalDef goal = goalOf(SN_GOAL_CHASE, TIP, PREY, 1.5);
        goal.arrival = SN_ARRIVE_TARGET;
        snScriptDef script = scriptOf(1, &goal);
        Stage stage = makeStage(&context, i ? NO_WEIGHT : WEIGHT, 1, &script);
        double lowest = INFINITY;
        for (int k = 0; k < 180; k++) {
            play(&stage, 1);
            lowest = fmin(lowest, placeOf(&stage, TIP).y);
            if (i && k == 170) // it goes elsewhere from then on
                snBody_SetVelocity(stage.world->bodies.data[1], snVec(1, 2, 0), snVec(0, 0, 0));
        }
        double missed = snDistance(placeOf(&stage, TIP), placeOf(&stage, PREY));
        printf("    %s: missed by %.1e m; the chaser as low as %.2f m\n",
               i ? "struck 9 steps before" : "landed", missed, lowest);
        CHECK(missed < (i ? 1e-12 : 1e-3) && lowest > -1);
        endStage(&stage);
    }
}

// Of the two blocks that fly.
typedef struct Pair {
    snVec3 momentum;
    double energy;
} Pair;

static Pair measure(const Stage *stage)
{
    Pair sum = {0};
    for (int i = 0; i < 2; i++) {
        snBodyMeasure m;
        snBody_Measure(stage->world->bodies.data[i], &m);
        sum.momentum = snAdd(sum.momentum, m.momentum);
        sum.energy += m.kinetic + m.elastic;
    }
    return sum;
}

// Two bodies fly at each other and are connected: momentum is what it was, the points stay together.
static void connectionsKeepMomentum(void)
{
    snContext context = snDefaultContext();
    snGoalDef goals[2] = {goalOf(SN_GOAL_WAIT, -1, -1, 0), goalOf(SN_GOAL_CONNECT, TIP, PREY, 0)};
    snConditionDef when = {.kind = SN_IF_NEAR, .value = 0.08, .points = {TIP, PREY}};
    goals[0].conditionCount = 1;
    goals[0].conditions = &when;
    goals[1].within = 0.1;
    snScriptDef script = scriptOf(2, goals);
    Stage stage = makeStage(&context, NO_WEIGHT, 1, &script);
    snBody_SetVelocity(stage.world->bodies.data[1], snVec(-1.4, -0.4, -0.6), snVec(0, 0, 0));
    Pair before = measure(&stage);
    play(&stage, 120);
    Pair after = measure(&stage);
    double lost = snDistance(before.momentum, after.momentum);
    double gap = snDistance(placeOf(&stage, TIP), placeOf(&stage, PREY));
    printf("    connected at %.3f s, %.1e m apart, momentum off by %.1e of %.2f\n",
           stage.control->events[1].end, gap, lost, snLength(before.momentum));
    CHECK(phaseOf(&stage, 1) == SN_GOAL_DONE && gap < 1e-12);
    CHECK(lost < 1e-11 * snLength(before.momentum));
    CHECK(after.energy < 1.0001 * before.energy);
    endStage(&stage);
}

// "Make point a grab point b, move it to point c, then let go."
static void thingsAreCarried(void)
{
    snContext context = snDefaultContext();
    snGoalDef goals[4] = {
        goalOf(SN_GOAL_GRAB, TIP, PREY, 0.5), goalOf(SN_GOAL_CHASE, TIP, RAIL, 0.6),
        goalOf(SN_GOAL_DISCONNECT, TIP, PREY, 0), goalOf(SN_GOAL_GRAB, TAIL, PEG, 0.4)};
    goals[1].arrival = SN_ARRIVE_GIVEN;
    goals[1].velocity = snVec(2, 1, 0);
    snScriptDef script = scriptOf(4, goals);
    Stage stage = makeStage(&context, WEIGHT, 1, &script);
    snBody_SetVelocity(stage.world->bodies.data[1], snVec(0, 2, 0), snVec(0, 0, 0));
    double gap = 0;
    for (int k = 0; k < 132; k++) {
        play(&stage, 1);
        if (k > 75) gap = fmax(gap, snDistance(placeOf(&stage, TIP), placeOf(&stage, PREY)));
    }
    snVec3 rest = snRoute_Place(&stage.control->points[RAIL].path, 1.1);
    printf("    carried %.1e m apart, %.1e m from the rail\n", gap,
           snDistance(placeOf(&stage, TIP), rest));
    CHECK(gap < 1e-12 && snDistance(placeOf(&stage, TIP), rest) < 1e-12);
    play(&stage, 80);
    CHECK(phaseOf(&stage, 3) == SN_GOAL_DONE && !snControl_Runs(stage.control));
    CHECK(snDistance(placeOf(&stage, TIP), placeOf(&stage, PREY)) > 0.1);
    CHECK(snDistance(placeOf(&stage, TAIL), snVec(0.5, 1.5, 0.5)) < 1e-12); // it hangs there
    for (int i = 0; i < 3; i++)
        CHECK(!stage.world->tales.data[i].failures && !stage.world->tales.data[i].conflicts);
    endStage(&stage);
}

// Moves: to a place, by a way, along a path with a preroll and a kink; held at the end, and taken over.
static void movesGoWhereTheyAreTold(void)
{
    static const double times[3] = {0, 0.25, 0.5};
    static const snVec3 places[3] = {{0.4, 1, 0}, {0.4, 1.4, 0}, {0.4, 1, 0}};
    static const snRouteKey keys[3] = {SN_KEY_SMOOTH, SN_KEY_KINK, SN_KEY_SMOOTH};
    snRouteDef path = {.count = 3, .times = times, .places = places, .keys = keys, .loose = true};
    snContext context = snDefaultContext();
    snGoalDef goals[3] = {goalOf(SN_GOAL_MOVE, TIP, -1, 0.25), goalOf(SN_GOAL_MOVE, TIP, -1, 0.25),
                          goalOf(SN_GOAL_MOVE, TIP, -1, 0)};
    goals[0].place = snVec(0.3, 1.6, 0.2);
    goals[0].hold = true;
    goals[1].place = snVec(0, 0.1, 0);
    goals[1].relative = true;
    goals[2].path = &path;
    goals[2].preroll = 0.25;
    snScriptDef script = scriptOf(3, goals);
    Stage stage = makeStage(&context, WEIGHT, 1, &script);
    play(&stage, 30);
    CHECK_NEAR(snDistance(placeOf(&stage, TIP), goals[0].place), 0, 1e-13);
    play(&stage, 30);
    CHECK_NEAR(snDistance(placeOf(&stage, TIP), snVec(0.3, 1.7, 0.2)), 0, 1e-13);
    play(&stage, 30); // the preroll
    CHECK_NEAR(snDistance(placeOf(&stage, TIP), places[0]), 0, 1e-13);
    double worst = 0, speed = 0;
    snRoute route = stage.control->scripts[0].goals[2].path;
    for (int k = 0; k < 60; k++) {
        play(&stage, 1);
        double now = snWorld_Time(stage.world) - 0.75;
        worst = fmax(worst, snDistance(placeOf(&stage, TIP), snRoute_Place(&route, now)));
        speed = fmax(speed, fabs(snLength(velocityOf(&stage, TIP)) - 1.6));
    }
    printf("    %.1e m from the path, speed off by %.1e\n", worst, speed);
    CHECK(worst < 1e-13 && speed < 1e-12);
    snControl_Step(stage.control, stage.world, 1);
    CHECK_NEAR(snDistance(velocityOf(&stage, TIP), snVec(0, -1.6, 0)), 0, 1e-12);
    CHECK(phaseOf(&stage, 2) == SN_GOAL_DONE);
    endStage(&stage);
}

static void strikesStartAndStop(void)
{
    snContext context = snDefaultContext();
    snGoalDef goals[3] = {goalOf(SN_GOAL_STRIKE, TIP, -1, 0), goalOf(SN_GOAL_WAIT, -1, -1, 0),
                          goalOf(SN_GOAL_STRIKE, TIP, PREY, 0)};
    snConditionDef when = {.kind = SN_IF_TIME, .value = 0.1};
    goals[0].velocity = snVec(0, 3, 0);
    goals[1].conditionCount = 1;
    goals[1].conditions = &when;
    snScriptDef script = scriptOf(3, goals);
    Stage stage = makeStage(&context, NO_WEIGHT, 1, &script);
    snBody_SetVelocity(stage.world->bodies.data[1], snVec(0.2, 0, 0), snVec(0, 0, 0));
    snControl_Step(stage.control, stage.world, 1);
    CHECK_NEAR(snDistance(velocityOf(&stage, TIP), snVec(0, 3, 0)), 0, 1e-13);
    snWorld_Step(stage.world);
    play(&stage, 11);
    snControl_Step(stage.control, stage.world, 1);
    CHECK_NEAR(snDistance(velocityOf(&stage, TIP), snVec(0.2, 0, 0)), 0, 1e-12);
    CHECK(phaseOf(&stage, 2) == SN_GOAL_DONE);
    endStage(&stage);
}

// Springs between bodies of any kind, also those that cannot be tied.
static void springsConnectAnything(void)
{
    snContext context = snDefaultContext();
    snGoalDef goals[2] = {goalOf(SN_GOAL_CONNECT, TIP, STONE, 0),
                          goalOf(SN_GOAL_CONNECT, TIP, STONE, 0)};
    goals[0].within = goals[1].within = 9;
    goals[0].onFail = SN_FAIL_CONTINUES; // hard: no tie is reserved
    goals[1].spring = true;
    goals[1].stiffness = 2000;
    goals[1].damping = 20;
    snScriptDef script = scriptOf(2, goals);
    Stage stage = makeStage(&context, WEIGHT, 1, &script);
    play(&stage, 240);
    CHECK(reasonOf(&stage, 0) == SN_REASON_NO_ROOM && phaseOf(&stage, 1) == SN_GOAL_DONE);
    CHECK(snDistance(placeOf(&stage, TIP), placeOf(&stage, STONE)) < 0.3);
    endStage(&stage);
}

// A chase ends before its time when something holds, and lets go; a wait may look ahead.
static void motionsAreCutShort(void)
{
    snContext context = snDefaultContext();
    snConditionDef early = {.kind = SN_IF_TIME, .value = 0.2};
    snConditionDef soon = {.kind = SN_IF_NEAR, .value = 0.3, .ahead = 0.25, .points = {PREY, PEG}};
    snGoalDef goals[2] = {goalOf(SN_GOAL_CHASE, TIP, PEG, 2), goalOf(SN_GOAL_WAIT, -1, -1, 0)};
    goals[0].conditionCount = goals[1].conditionCount = 1;
    goals[0].conditions = &early;
    goals[1].conditions = &soon;
    goals[1].afterCount = 0;
    snScriptDef script = scriptOf(2, goals);
    Stage stage = makeStage(&context, NO_WEIGHT, 1, &script);
    snVec3 way = snSub(snVec(0.5, 1.5, 0.5), placeOf(&stage, PREY)); // there after one second
    snBody_SetVelocity(stage.world->bodies.data[1], way, snVec(0, 0, 0));
    play(&stage, 130);
    double when = 1 - 0.25 - 0.3 / snLength(way);
    printf("    ended after %.3f s; noticed at %.3f s, %.3f s by reckoning\n",
           stage.control->events[0].end, stage.control->events[1].end, when);
    CHECK_NEAR(stage.control->events[0].end, 0.2, 1e-9);
    CHECK(phaseOf(&stage, 0) == SN_GOAL_DONE && phaseOf(&stage, 1) == SN_GOAL_DONE);
    CHECK(fabs(stage.control->events[1].end - when) < 1.01 / 120);
    endStage(&stage);
}

static void attachmentsAreSwitched(void)
{
    snContext context = snDefaultContext();
    snConditionDef when = {.kind = SN_IF_TIME, .value = 0.2};
    snGoalDef goals[3] = {snDefaultGoalDef(SN_GOAL_SWITCH), goalOf(SN_GOAL_WAIT, -1, -1, 0),
                          snDefaultGoalDef(SN_GOAL_SWITCH)};
    goals[0].attachments = goals[2].attachments = "nail";
    goals[0].on = true;
    goals[1].conditionCount = 1;
    goals[1].conditions = &when;
    snScriptDef script = scriptOf(3, goals);
    Stage stage = makeStage(&context, WEIGHT, 1, &script);
    snVec3 first = snBody_Vertex(stage.world->bodies.data[1], 0);
    play(&stage, 24);
    CHECK_NEAR(snDistance(snBody_Vertex(stage.world->bodies.data[1], 0), first), 0, 1e-12);
    play(&stage, 12);
    CHECK(snDistance(snBody_Vertex(stage.world->bodies.data[1], 0), first) > 0.01);
    endStage(&stage);
}

int main(void)
{
    RUN(chasesArrive);
    RUN(plansAreFollowed);
    RUN(movingTargetsAreMet);
    RUN(targetsThatLandAreMet);
    RUN(connectionsKeepMomentum);
    RUN(thingsAreCarried);
    RUN(movesGoWhereTheyAreTold);
    RUN(strikesStartAndStop);
    RUN(springsConnectAnything);
    RUN(motionsAreCutShort);
    RUN(attachmentsAreSwitched);
    return snTest_Finish();
}
