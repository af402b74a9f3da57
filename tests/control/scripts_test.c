// The flow of scripts: waits of every kind, branches beside each other, repeats, failures and what comes of them; saving in
// the middle of each goal, threads, memory; definitions that cannot be, and thousands that are thrown together.
#include "core/random.h"
#include "platform/threads.h"
#include "tests/control/actors.h"

#include <stdlib.h>
#include <string.h>

static const snVec3 NO_WEIGHT = {0, 0, 0}, WEIGHT = {0, -9.81, 0};

static snGoalDef waitFor(const snConditionDef *conditions, int count)
{
    snGoalDef def = snDefaultGoalDef(SN_GOAL_WAIT);
    def.conditions = conditions;
    def.conditionCount = count;
    return def;
}

static double endOf(const Stage *stage, int event)
{
    return *stage->control->eventCount > event ? stage->control->events[event].end : -1;
}

// ---- waits --------------------------------------------------------------------------------------

// A block that falls from 1.2 m; each condition ends when it is to.
static void waitsEndInTime(void)
{
    snConditionDef conditions[6] = {
        {.kind = SN_IF_TIME, .value = 0.2},
        {.kind = SN_IF_FAR, .value = 0.3, .points = {PREY, RAIL}},
        {.kind = SN_IF_INSIDE, .points = {PREY}, .box = {{0, 0, 0}, {2, 1.0, 1}}},
        {.kind = SN_IF_OUTSIDE, .points = {PREY}, .box = {{0, 0.8, 0}, {2, 3, 1}}},
        {.kind = SN_IF_NEAR, .value = 0.9, .points = {PREY, STONE}},
        {.kind = SN_IF_TIME, .value = 0}};
    snContext context = snDefaultContext();
    snGoalDef goals[6];
    for (int i = 0; i < 6; i++)
        goals[i] = waitFor(&conditions[i], 1);
    for (int i = 1; i < 5; i++) { // all at once
        goals[i].afterCount = 0;
    }
    int after[4] = {1, 2, 3, 0};
    goals[5].after = after;
    goals[5].afterCount = 4;
    snScriptDef script = scriptOf(6, goals);
    Stage stage = makeStage(&context, WEIGHT, 1, &script);
    for (int k = 0; k < 60; k++) {
        play(&stage, 1);
        double now = snWorld_Time(stage.world), h = stage.world->def.step;
        double y = placeOf(&stage, PREY).y;
        bool inside = phaseOf(&stage, 2) == SN_GOAL_DONE,
             outside = phaseOf(&stage, 3) == SN_GOAL_DONE;
        CHECK((phaseOf(&stage, 0) == SN_GOAL_DONE) == (now > 0.2 + 0.5 * h));
        CHECK(inside ? y < 1.0 : y > 1.0 - 9.81 * h); // seen one step later
        CHECK(outside ? y < 0.8 : y > 0.8 - 9.81 * h);
    }
    CHECK(phaseOf(&stage, 1) == SN_GOAL_DONE && phaseOf(&stage, 5) == SN_GOAL_DONE);
    endStage(&stage);
}

// Any and all of several; a goal of another script, each of its successes once.
static void eventsAreWaitedFor(void)
{
    snContext context = snDefaultContext();
    snConditionDef tick = {.kind = SN_IF_TIME, .value = 0.1};
    snConditionDef event = {.kind = SN_IF_DONE, .script = 0, .goal = 0};
    snConditionDef both[2] = {{.kind = SN_IF_TIME, .value = 0.05},
                              {.kind = SN_IF_TIME, .value = 9}};
    snConditionDef failed = {.kind = SN_IF_FAILED, .script = 3, .goal = 0};
    snGoalDef clock = waitFor(&tick, 1), watch = waitFor(&event, 1), any = waitFor(both, 2);
    snGoalDef lose = snDefaultGoalDef(SN_GOAL_DISCONNECT), seen = waitFor(&failed, 1);
    any.any = true;
    lose.point = TIP;
    snScriptDef scripts[5] = {scriptOf(1, &clock), scriptOf(1, &watch), scriptOf(1, &any),
                              scriptOf(1, &lose), scriptOf(1, &seen)};
    scripts[0].repeats = 3;
    scripts[1].repeats = 0;
    scripts[3].from = 0.25;
    Stage stage = makeStage(&context, NO_WEIGHT, 5, scripts);
    play(&stage, 60);
    const snControl *c = stage.control;
    printf("    the clock struck %lld times, and was seen to %lld times; one of two after %.3f s\n",
           (long long)snControl_Goal(c, 0, 0)->wins, (long long)snControl_Goal(c, 1, 0)->wins,
           (double)(snControl_Goal(c, 2, 0)->last - 1) * stage.world->def.step);
    CHECK(snControl_Goal(c, 0, 0)->wins == 3 && snControl_Goal(c, 1, 0)->wins == 3);
    CHECK(snControl_Goal(c, 2, 0)->wins == 1);
    CHECK(snControl_Goal(c, 3, 0)->losses == 1 && snControl_Goal(c, 4, 0)->wins == 1);
    CHECK(c->scriptStates[0].phase == SN_SCRIPT_DONE && c->scriptStates[1].phase == SN_SCRIPT_RUNS);
    CHECK(c->scriptStates[3].phase == SN_SCRIPT_FAILED);
    endStage(&stage);
}

// ---- flow ---------------------------------------------------------------------------------------

// Two branches move two points of one body at a time; what comes after both waits for the longer.
static void branchesGoBesideEachOther(void)
{
    snContext context = snDefaultContext();
    snGoalDef goals[3] = {goalOf(SN_GOAL_MOVE, TIP, -1, 0.2), goalOf(SN_GOAL_MOVE, TAIL, -1, 0.4),
                          goalOf(SN_GOAL_STRIKE, PREY, -1, 0)};
    int both[2] = {0, 1};
    goals[0].place = snVec(0.3, 1.4, 0.1);
    goals[1].place = snVec(0.1, 1.3, 0.1);
    goals[1].afterCount = 0;
    goals[0].hold = goals[1].hold = true;
    goals[2].after = both;
    goals[2].afterCount = 2;
    snScriptDef script = scriptOf(3, goals);
    Stage stage = makeStage(&context, WEIGHT, 1, &script);
    play(&stage, 70);
    CHECK_NEAR(endOf(&stage, 0), 0.2, 1e-9);
    CHECK_NEAR(endOf(&stage, 1), 0.4, 1e-9);
    CHECK_NEAR(endOf(&stage, 2), 0.4, 1e-9);
    CHECK_NEAR(snDistance(placeOf(&stage, TIP), goals[0].place), 0, 1e-12);
    CHECK_NEAR(snDistance(placeOf(&stage, TAIL), goals[1].place), 0, 1e-12);
    endStage(&stage);
}

// A loop within a script that itself is done twice; and one for ever.
static void loopsGoRound(void)
{
    snContext context = snDefaultContext();
    snConditionDef tick = {.kind = SN_IF_TIME, .value = 0.05}, none = {.kind = SN_IF_TIME};
    snGoalDef goals[4] = {waitFor(&none, 1), waitFor(&tick, 1), snDefaultGoalDef(SN_GOAL_REPEAT),
                          waitFor(&none, 1)};
    goals[2].from = 1;
    goals[2].times = 3;
    snScriptDef scripts[2] = {scriptOf(4, goals), scriptOf(1, goals)};
    scripts[0].repeats = 2;
    scripts[1].repeats = 0;
    Stage stage = makeStage(&context, NO_WEIGHT, 2, scripts);
    play(&stage, 60);
    const snControl *c = stage.control;
    printf("    inner %lld, outer %lld times; an empty loop %lld times in 60 steps\n",
           (long long)snControl_Goal(c, 0, 1)->wins, (long long)snControl_Goal(c, 0, 3)->wins,
           (long long)snControl_Goal(c, 1, 0)->wins);
    CHECK(snControl_Goal(c, 0, 1)->wins == 6 && snControl_Goal(c, 0, 3)->wins == 2);
    CHECK(snControl_Goal(c, 1, 0)->wins == 60); // once a step: nothing hangs
    CHECK(c->scriptStates[0].phase == SN_SCRIPT_DONE);
    endStage(&stage);
}

// Every reason, and every way on.
static void failuresHaveReasons(void)
{
    snContext context = snDefaultContext();
    snConditionDef never = {.kind = SN_IF_NEAR, .points = {TIP, PREY}};
    snGoalDef goals[9] = {goalOf(SN_GOAL_CHASE, TIP, PREY, 0.2),    // out of reach
                          waitFor(&never, 1),                       // time out
                          goalOf(SN_GOAL_CONNECT, TIP, PREY, 0),    // apart
                          goalOf(SN_GOAL_DISCONNECT, TIP, -1, 0),   // nothing
                          goalOf(SN_GOAL_GRAB, TAIL, PEG, 0.1),     //
                          goalOf(SN_GOAL_CHASE, TAIL, PREY, 0.1),   // held
                          goalOf(SN_GOAL_CONNECT, TIP, STONE, 0),   // no tie
                          goalOf(SN_GOAL_STRIKE, BACK, -1, 0),      //
                          goalOf(SN_GOAL_CHASE, STONE, PREY, 0.3)}; // lost
    for (int i = 0; i < 9; i++)
        goals[i].onFail = SN_FAIL_CONTINUES;
    goals[0].reachFrom = TAIL;
    goals[0].reach = 0.5;
    goals[1].limit = 0.1;
    goals[4].within = 9;
    goals[6].within = 9;
    snScriptDef script = scriptOf(9, goals);
    Stage stage = makeStage(&context, NO_WEIGHT, 1, &script);
    play(&stage, 40);
    stage.world->reports.data[2].failed = true; // as after a step that was not computed
    snControl_Step(stage.control, stage.world, 1);
    static const snGoalReason reasons[9] = {SN_REASON_REACH,       SN_REASON_LIMIT, SN_REASON_APART,
                                            SN_REASON_UNCONNECTED, SN_REASON_NONE,  SN_REASON_HELD,
                                            SN_REASON_NO_ROOM,     SN_REASON_NONE,  SN_REASON_LOST};
    for (int i = 0; i < 9; i++) {
        if (!CHECK(reasonOf(&stage, i) == (int)reasons[i])) printf("    goal %d\n", i);
        if (reasons[i]) printf("    %s\n", snGoalReason_Text(reasons[i]));
    }
    CHECK(*stage.control->eventCount == 9);
    endStage(&stage);
}

static void failuresLeadOn(void)
{
    snContext context = snDefaultContext();
    for (int way = 0; way < 4; way++) {
        snConditionDef tick = {.kind = SN_IF_TIME, .value = 0.05};
        snGoalDef goals[4] = {waitFor(&tick, 1), goalOf(SN_GOAL_DISCONNECT, TIP, -1, 0),
                              waitFor(&tick, 1), waitFor(&tick, 1)};
        goals[1].onFail = (snOnFail)way;
        goals[1].onFailGoal = 3; // a handler: it begins by that alone
        if (way != SN_FAIL_GOES) goals[1].onFailGoal = 0;
        snScriptDef script = scriptOf(4, goals);
        Stage stage = makeStage(&context, NO_WEIGHT, 1, &script);
        play(&stage, 30);
        const snControl *c = stage.control;
        int64_t wins[4];
        for (int i = 0; i < 4; i++)
            wins[i] = snControl_Goal(c, 0, i)->wins;
        int phase = c->scriptStates[0].phase;
        if (way == SN_FAIL_STOPS) CHECK(phase == SN_SCRIPT_FAILED && !wins[2] && !wins[3]);
        if (way == SN_FAIL_CONTINUES)
            CHECK(phase == SN_SCRIPT_DONE && wins[2] == 1 && wins[3] == 1);
        if (way == SN_FAIL_RESTARTS) CHECK(phase == SN_SCRIPT_RUNS && wins[0] >= 3 && !wins[2]);
        if (way == SN_FAIL_GOES) CHECK(phase == SN_SCRIPT_DONE && !wins[2] && wins[3] == 1);
        endStage(&stage);
    }
}

// Back to an earlier goal when one fails: it tries until it succeeds.
static void failuresLeadBack(void)
{
    snContext context = snDefaultContext();
    snConditionDef tick = {.kind = SN_IF_TIME, .value = 0.05};
    snGoalDef goals[2] = {waitFor(&tick, 1), goalOf(SN_GOAL_CONNECT, TIP, PREY, 0)};
    goals[1].onFail = SN_FAIL_GOES;
    goals[1].onFailGoal = 0;
    goals[1].within = 0.1;
    snScriptDef script = scriptOf(2, goals);
    Stage stage = makeStage(&context, NO_WEIGHT, 1, &script);
    snBody_SetVelocity(stage.world->bodies.data[1], snVec(-1.4, -0.4, -0.6), snVec(0, 0, 0));
    play(&stage, 90);
    printf("    tried %lld times\n", (long long)snControl_Goal(stage.control, 0, 1)->losses + 1);
    CHECK(phaseOf(&stage, 1) == SN_GOAL_DONE);
    CHECK(snControl_Goal(stage.control, 0, 1)->losses > 3);
    endStage(&stage);
}

// ---- state --------------------------------------------------------------------------------------

static const snConditionDef lull = {.kind = SN_IF_TIME, .value = 0.06};
static const double pathTimes[3] = {0, 0.08, 0.16};
static const snVec3 pathPlaces[3] = {{0, 0, 0}, {0.1, 0.1, 0}, {0, 0.2, 0}};
static const snRouteKey pathKeys[3] = {SN_KEY_SMOOTH, SN_KEY_KINK, SN_KEY_SMOOTH};
static const snRouteDef zigzag = {
    .count = 3, .times = pathTimes, .places = pathPlaces, .keys = pathKeys, .loose = true};

// One goal of every kind, in a loop.
static Stage makeBusy(const snContext *context)
{
    snGoalDef goals[9] = {
        goalOf(SN_GOAL_GRAB, TIP, PREY, 0.1),     waitFor(&lull, 1),
        goalOf(SN_GOAL_MOVE, TIP, -1, 0),         goalOf(SN_GOAL_CHASE, TAIL, RAIL, 0.1),
        goalOf(SN_GOAL_DISCONNECT, TIP, PREY, 0), goalOf(SN_GOAL_CONNECT, TAIL, RAIL, 0),
        goalOf(SN_GOAL_STRIKE, BACK, -1, 0),      waitFor(&lull, 1),
        goalOf(SN_GOAL_DISCONNECT, TAIL, -1, 0)};
    goals[0].within = 0.5;
    goals[2].path = &zigzag;
    goals[2].relative = true;
    goals[2].preroll = 0.05;
    goals[5].within = 1;
    goals[6].velocity = snVec(0, 2, 0);
    snScriptDef script = scriptOf(9, goals);
    script.repeats = 0;
    return makeStage(context, WEIGHT, 1, &script);
}

static void savingWithinEveryGoal(void)
{
    enum { STEPS = 100, EVERY = 4 };
    static uint64_t hashes[STEPS];
    snContext context = snDefaultContext();
    snFailingMemory memory = {0};
    snTest_UseFailingMemory(&context, &memory);
    Stage stage = makeBusy(&context);
    size_t size = snWorld_SaveSize(stage.world), own = snControl_SaveSize(stage.control);
    char *bytes = malloc(STEPS / EVERY * (size + own));
    int count = memory.count, missed = 0;
    for (int k = 0; k < STEPS; k++) {
        char *at = bytes + (size_t)(k / EVERY) * (size + own);
        if (k % EVERY == 0) snWorld_Save(stage.world, at), snControl_Save(stage.control, at + size);
        play(&stage, 1);
        hashes[k] = snWorld_Hash(stage.world) ^ snControl_Hash(stage.control);
    }
    CHECK(memory.count == count); // steps allocate nothing
    printf("    %lld goals ended\n", (long long)*stage.control->eventCount);
    CHECK(*stage.control->eventCount > 9);
    for (int i = 0; i < 9; i++)
        CHECK(!snControl_Goal(stage.control, 0, i)->losses);
    endStage(&stage);
    for (int k = 0; k < STEPS; k += EVERY) {
        snThreadPool *pool = NULL;
        snContext two = snDefaultContext();
        CHECK(snThreadPool_Make(&pool, 2, NULL) == SN_OK);
        two.tasks = snThreadPool_Tasks(pool);
        const char *at = bytes + (size_t)(k / EVERY) * (size + own);
        stage = makeBusy(&two);
        CHECK(snWorld_Restore(stage.world, at, size, NULL) == SN_OK);
        CHECK(snControl_Restore(stage.control, at + size, own, NULL) == SN_OK);
        for (int j = k; j < STEPS && j < k + 16; j++) {
            play(&stage, 1);
            missed += hashes[j] != (snWorld_Hash(stage.world) ^ snControl_Hash(stage.control));
        }
        endStage(&stage);
        snThreadPool_Destroy(pool);
    }
    CHECK(missed == 0);
    CHECK(memory.alive == 0);
    free(bytes);
}

static void otherStatesAreRefused(void)
{
    snContext context = snDefaultContext();
    Stage stage = makeBusy(&context);
    char byte = 0;
    CHECK(snControl_Restore(stage.control, &byte, 1, NULL) == SN_ERROR_FORMAT);
    endStage(&stage);
}

// ---- what cannot be -----------------------------------------------------------------------------

static snStatus tryScript(snWorld *world, int count, const snGoalDef *goals,
                          const snContext *context)
{
    snControlPointDef points[POINTS];
    snScriptDef script = scriptOf(count, goals);
    snError error = {0};
    snControl *control = NULL;
    definePoints(points);
    snControlDef def = {
        .pointCount = POINTS, .points = points, .scriptCount = 1, .scripts = &script};
    snStatus status = snControl_Make(&control, &def, world, context, &error);
    if (status && status != SN_ERROR_MEMORY) printf("    %s\n", error.message);
    CHECK(!control == (status != SN_OK));
    if (control) // its points are the world's: a test may make many
        for (int i = 0; i < POINTS; i++)
            if (control->points[i].handle >= 0)
                snBody_Forget(world->bodies.data[control->points[i].body],
                              control->points[i].handle);
    snControl_Destroy(control);
    return status;
}

static void badScriptsAreRefused(void)
{
    snContext context = snDefaultContext();
    snWorld *world = makeActors(&context, WEIGHT);
    int next = 2, self = 1, far = 9;
    for (int i = 0; i < 15; i++) {
        snConditionDef bad = {.kind = SN_IF_NEAR, .points = {TIP, 99}};
        snGoalDef goals[3] = {goalOf(SN_GOAL_CHASE, TIP, PREY, 1),
                              goalOf(SN_GOAL_CHASE, TIP, PEG, 1),
                              goalOf(SN_GOAL_CHASE, TIP, PREY, 1)};
        snGoalDef *g = &goals[1];
        if (i == 0) g->point = 99;
        if (i == 1) g->point = PEG, g->target = TIP;
        if (i == 2) g->target = SN_CONTROL_NONE;
        if (i == 3) g->target = TIP;
        if (i == 4) g->time = -1;
        if (i == 5) g->preroll = NAN;
        if (i == 6) g->velocity = snVec(0, INFINITY, 0);
        if (i == 7) g->after = &next, g->afterCount = 1;
        if (i == 8) g->after = &self, g->afterCount = 1;
        if (i == 9) g->after = &far, g->afterCount = 1;
        if (i == 10) *g = waitFor(&bad, 1);
        if (i == 11) *g = snDefaultGoalDef(SN_GOAL_REPEAT), g->from = 1;
        if (i == 12) g->onFail = SN_FAIL_GOES, g->onFailGoal = -3;
        if (i == 13) g->reachFrom = TIP, g->reach = 0;
        if (i == 14) *g = snDefaultGoalDef(SN_GOAL_SWITCH), g->attachments = "screw";
        CHECK(tryScript(world, 3, goals, &context) == SN_ERROR_ARGUMENT);
    }
    snGoalDef good = goalOf(SN_GOAL_CHASE, TIP, PEG, 1);
    CHECK(tryScript(world, 1, &good, &context) == SN_OK);
    CHECK(tryScript(world, 0, NULL, &context) == SN_OK);
    CHECK(tryScript(world, 2000, &good, &context) == SN_ERROR_ARGUMENT);
    for (int n = 1, made = 0; n < 40 && !made; n++) {
        snContext failing = snDefaultContext();
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&failing, &memory);
        snStatus status = tryScript(world, 1, &good, &failing);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        CHECK(memory.alive == 0);
        made = status == SN_OK;
    }
    snWorld_Destroy(world);
}

// ---- thrown together ----------------------------------------------------------------------------

static snGoalDef randomGoal(snRandom *random, int number, int count, snConditionDef *condition,
                            int *after)
{
    snGoalDef g = snDefaultGoalDef((snGoalKind)snRandom_Below(random, SN_GOAL_KINDS));
    g.point = snRandom_Below(random, 5);
    g.target = snRandom_Below(random, POINTS);
    g.time = 0.15 * snRandom_Uniform(random, 0, 1);
    g.velocity = snScale(2, snRandom_UnitVector(random));
    g.arrival = (snArrival)snRandom_Below(random, 3);
    g.hold = snRandom_Below(random, 3) == 0;
    g.relative = true;
    g.place = snScale(0.2, snRandom_UnitVector(random));
    g.preroll = snRandom_Below(random, 2) ? 0.05 : 0;
    if (snRandom_Below(random, 2)) g.path = &zigzag;
    g.within = snRandom_Below(random, 2) ? 5 : 0;
    g.spring = snRandom_Below(random, 3) == 0;
    g.attachments = "nail";
    g.on = snRandom_Below(random, 2) == 0;
    g.ease = 0.1 * snRandom_Uniform(random, 0, 1);
    g.limit = snRandom_Below(random, 3) ? 0 : 0.2 * snRandom_Uniform(random, 0, 1);
    g.from = number ? snRandom_Below(random, number) : 0;
    g.times = snRandom_Below(random, 4);
    if (g.kind == SN_GOAL_REPEAT && !number) g.kind = SN_GOAL_STRIKE;
    if (g.kind == SN_GOAL_DISCONNECT && snRandom_Below(random, 2)) g.target = SN_CONTROL_NONE;
    if (snRandom_Below(random, 4) == 0) g.reachFrom = RAIL, g.reach = 1.2;
    *condition =
        (snConditionDef){.kind = (snConditionKind)snRandom_Below(random, 7),
                         .value = 0.5 * snRandom_Uniform(random, 0, 1),
                         .points = {snRandom_Below(random, POINTS), snRandom_Below(random, POINTS)},
                         .box = {{-1, -1, -1}, {0.5, 1, 1}},
                         .script = snRandom_Below(random, 2),
                         .goal = snRandom_Below(random, count)};
    g.conditionCount = 1;
    g.conditions = condition;
    g.after = after;
    *after = number ? snRandom_Below(random, number) : 0;
    if (number && snRandom_Below(random, 2)) g.afterCount = 1;
    g.onFail = (snOnFail)snRandom_Below(random, 4);
    g.onFailGoal = snRandom_Below(random, count);
    return g;
}

// Scripts of anything: nothing crashes, hangs or leaks, and bodies stay finite.
static void scriptsThrownTogether(void)
{
    enum { GOALS = 7, ROUNDS = 120 };
    snRandom random = snMakeRandom(7);
    int64_t ended = 0, failed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {0};
        snTest_UseFailingMemory(&context, &memory);
        snGoalDef goals[2][GOALS];
        snConditionDef conditions[2][GOALS];
        int after[2][GOALS];
        snScriptDef scripts[2];
        for (int s = 0; s < 2; s++) {
            for (int i = 0; i < GOALS; i++) {
                goals[s][i] = randomGoal(&random, i, GOALS, &conditions[s][i], &after[s][i]);
                if (goals[s][i].target == goals[s][i].point) goals[s][i].target = PEG;
            }
            scripts[s] = scriptOf(GOALS, goals[s]);
            scripts[s].repeats = snRandom_Below(&random, 3);
        }
        Stage stage = makeStage(&context, WEIGHT, 2, scripts);
        int count = memory.count;
        play(&stage, 50);
        CHECK(memory.count == count);
        for (int p = 0; p < 5; p++)
            CHECK(snIsFinite3(placeOf(&stage, p)));
        ended += *stage.control->eventCount;
        for (int i = 0; i < 2 * GOALS; i++)
            failed += stage.control->goals[i].losses;
        endStage(&stage);
        CHECK(memory.alive == 0);
    }
    printf("    %d rounds: %lld goals ended, %lld of them failed\n", ROUNDS, (long long)ended,
           (long long)failed);
    CHECK(ended > 20 * ROUNDS);
}

int main(void)
{
    RUN(waitsEndInTime);
    RUN(eventsAreWaitedFor);
    RUN(branchesGoBesideEachOther);
    RUN(loopsGoRound);
    RUN(failuresHaveReasons);
    RUN(failuresLeadOn);
    RUN(failuresLeadBack);
    RUN(savingWithinEveryGoal);
    RUN(otherStatesAreRefused);
    RUN(badScriptsAreRefused);
    RUN(scriptsThrownTogether);
    return snTest_Finish();
}
