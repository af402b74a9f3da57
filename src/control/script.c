// The flow of scripts: which goals begin, and what comes of their ends. A goal begins at most once in a step, so
// that whatever leads back to itself (a repeat, a script that is over at once, a failure that leads to itself) takes time.
#include "control/parts.h"

static snActor actorOf(snControl *control, snWorld *world, int ticks, int script, int goal)
{
    const snScript *s = &control->scripts[script];
    return (snActor){.control = control,
                     .world = world,
                     .ticks = ticks,
                     .goal = &s->goals[goal],
                     .state = &control->goals[s->first + goal]};
}

// A script in a step.
typedef struct Run {
    snControl *control;
    snWorld *world;
    int ticks, script;
    const snScript *def;
    snScriptState *state;
    snGoalState *goals;
} Run;

static snActor actorAt(const Run *r, int goal)
{
    return actorOf(r->control, r->world, r->ticks, r->script, goal);
}

static void tell(Run *r, int goal)
{
    const snGoalState *state = &r->goals[goal];
    int64_t number = (*r->control->eventCount)++;
    if (!r->control->mostEvents) return;
    r->control->events[number % r->control->mostEvents] =
        (snControlEvent){.script = r->script,
                         .goal = goal,
                         .reason = state->reason,
                         .begin = (double)state->begin * r->world->def.step,
                         .end = snWorld_Time(r->world)};
}

// Back to where it had not begun; counters stay.
static void reset(Run *r, int goal)
{
    snActor actor = actorAt(r, goal);
    snGoal_Drop(&actor);
    actor.state->phase = SN_GOAL_IDLE;
    actor.state->forced = 0;
}

static void resetAll(Run *r)
{
    for (int i = 0; i < r->def->goalCount; i++) {
        reset(r, i);
        r->goals[i].rounds = 0;
    }
}

static void goTo(Run *r, int from, int target)
{
    for (int i = target; i <= from; i++)
        reset(r, i);
    r->goals[target].phase = SN_GOAL_IDLE;
    r->goals[target].forced = 1;
}

// ---- ends ---------------------------------------------------------------------------------------

static void finishRepeat(Run *r, int goal)
{
    const snGoalDef *def = &r->def->goals[goal].def;
    snGoalState *state = &r->goals[goal];
    state->rounds++;
    if (def->times && state->rounds >= def->times) {
        state->rounds = 0;
        return;
    }
    int rounds = state->rounds;
    goTo(r, goal, def->from);
    state->rounds = rounds;
}

static void finishFailure(Run *r, int goal)
{
    const snGoalDef *def = &r->def->goals[goal].def;
    if (def->onFail == SN_FAIL_GOES) goTo(r, goal, def->onFailGoal);
    if (def->onFail == SN_FAIL_RESTARTS) resetAll(r);
    if (def->onFail != SN_FAIL_STOPS) return;
    for (int i = 0; i < r->def->goalCount; i++) {
        snActor other = actorAt(r, i);
        if (i != goal && r->goals[i].phase == SN_GOAL_ACTIVE) reset(r, i);
        snGoal_Drop(&other);
    }
    r->state->phase = SN_SCRIPT_FAILED;
}

static void enter(Run *r, int goal, snGoalPhase phase)
{
    snActor actor = actorAt(r, goal);
    snGoalState *state = actor.state;
    state->phase = (int)phase;
    if (phase == SN_GOAL_ACTIVE) return;
    snGoal_Drop(&actor);
    tell(r, goal);
    state->wins += phase == SN_GOAL_DONE;
    state->losses += phase == SN_GOAL_FAILED;
    if (phase == SN_GOAL_FAILED)
        finishFailure(r, goal);
    else if (actor.goal->def.kind == SN_GOAL_REPEAT)
        finishRepeat(r, goal);
}

// ---- begins -------------------------------------------------------------------------------------

static bool isOver(const Run *r, int goal)
{
    bool passed = r->def->goals[goal].def.onFail == SN_FAIL_CONTINUES;
    int phase = r->goals[goal].phase;
    return phase == SN_GOAL_DONE || (phase == SN_GOAL_FAILED && passed);
}

static bool mayBegin(const Run *r, int goal)
{
    const snGoal *g = &r->def->goals[goal];
    const snGoalDef *def = &g->def;
    int over = 0;
    if (r->goals[goal].phase != SN_GOAL_IDLE) return false;
    if (r->goals[goal].forced) return true;
    if (g->handler) return false;
    if (def->afterCount < 0) return goal == 0 || isOver(r, goal - 1);
    for (int i = 0; i < def->afterCount; i++)
        over += isOver(r, def->after[i]);
    return def->afterAny && def->afterCount ? over > 0 : over == def->afterCount;
}

// Begins all that can; returns whether some that can have begun in this step already.
static bool beginGoals(Run *r)
{
    int64_t now = r->world->ticks + 1;
    bool later = false;
    for (bool more = true; more && r->state->phase == SN_SCRIPT_RUNS;) {
        more = later = false;
        for (int i = 0; i < r->def->goalCount && r->state->phase == SN_SCRIPT_RUNS; i++) {
            if (!mayBegin(r, i)) continue;
            later |= r->goals[i].last == now;
            if (r->goals[i].last == now) continue;
            snActor actor = actorAt(r, i);
            r->goals[i].last = now;
            r->goals[i].forced = 0;
            enter(r, i, snGoal_Begin(&actor));
            more = true;
        }
    }
    return later;
}

static bool isIdle(const Run *r)
{
    for (int i = 0; i < r->def->goalCount; i++)
        if (r->goals[i].phase == SN_GOAL_ACTIVE) return false;
    return true;
}

static void stepScript(Run *r)
{
    if (r->state->phase != SN_SCRIPT_RUNS) return;
    if (snWorld_Time(r->world) < r->def->from - 1e-6 * r->world->def.step) return;
    for (int i = 0; i < r->def->goalCount && r->state->phase == SN_SCRIPT_RUNS; i++) {
        snActor actor = actorAt(r, i);
        if (actor.state->phase != SN_GOAL_ACTIVE || actor.state->last == r->world->ticks + 1)
            continue;
        snGoalPhase phase = snGoal_Check(&actor);
        if (phase != SN_GOAL_ACTIVE) enter(r, i, phase);
    }
    bool later = beginGoals(r);
    if (r->state->phase != SN_SCRIPT_RUNS || later || !isIdle(r)) return;
    r->state->pass++;
    if (r->def->repeats && r->state->pass >= r->def->repeats)
        r->state->phase = SN_SCRIPT_DONE;
    else
        resetAll(r);
}

static void drive(Run *r)
{
    for (int i = 0; i < r->def->goalCount; i++) {
        snActor actor = actorAt(r, i);
        if (actor.state->phase == SN_GOAL_ACTIVE) snGoal_Drive(&actor);
    }
}

static Run runOf(snControl *control, snWorld *world, int ticks, int script)
{
    const snScript *def = &control->scripts[script];
    return (Run){.control = control,
                 .world = world,
                 .ticks = ticks,
                 .script = script,
                 .def = def,
                 .state = &control->scriptStates[script],
                 .goals = control->goals + def->first};
}

void snControl_Step(snControl *control, snWorld *world, int ticks)
{
    snControl_TrackAll(control, world);
    for (int s = 0; s < control->scriptCount; s++) {
        Run run = runOf(control, world, ticks, s);
        stepScript(&run);
    }
    for (int s = 0; s < control->scriptCount; s++) {
        Run run = runOf(control, world, ticks, s);
        drive(&run);
    }
    snControl_HoldAll(control, world, ticks);
}

// ---- how far ------------------------------------------------------------------------------------

static int64_t sooner(const snWorld *world, double time, int64_t next)
{
    double tick = ceil(time / world->def.step - 1e-6);
    bool counts = tick > (double)world->ticks && tick < (double)next;
    return counts ? (int64_t)tick : next;
}

static int64_t nextOf(const snGoal *goal, const snGoalState *state, const snWorld *world,
                      int64_t next)
{
    double h = world->def.step, begin = (double)state->begin * h;
    double onset = goal->def.preroll > 0 ? begin + goal->def.preroll : begin;
    if (state->phase != SN_GOAL_ACTIVE) return next;
    if (state->end > world->ticks && state->end < next) next = state->end;
    if (goal->def.limit > 0) next = sooner(world, begin + goal->def.limit, next);
    for (int i = 0; i < goal->def.conditionCount; i++)
        if (goal->def.conditions[i].kind == SN_IF_TIME)
            next = sooner(world, begin + goal->def.conditions[i].value, next);
    if (goal->def.path) next = sooner(world, onset, next);
    for (int i = 0; i < goal->path.kinkCount; i++)
        next = sooner(world, onset + goal->path.kinks[i], next);
    return next;
}

int snControl_Room(const snControl *control, const snWorld *world, int most)
{
    int64_t next = world->ticks + (most > 1 ? most : 1);
    for (int s = 0; s < control->scriptCount; s++) {
        const snScript *script = &control->scripts[s];
        next = sooner(world, script->from, next);
        for (int g = 0; g < script->goalCount; g++)
            next = nextOf(&script->goals[g], snControl_Goal(control, s, g), world, next);
    }
    return snWorld_Room(world, (int)(next - world->ticks));
}
