// Building a control: definitions are checked and copied, points located.
#include "control/control.h"
#include "core/error.h"

#include <string.h>

#define MOST 100000     // of anything
#define MOST_GOALS 1024 // of a script
#define MOST_AFTER 64   // that a goal waits for

snGoalDef snDefaultGoalDef(snGoalKind kind)
{
    return (snGoalDef){.name = "",
                       .kind = kind,
                       .point = SN_CONTROL_NONE,
                       .target = SN_CONTROL_NONE,
                       .time = 1,
                       .arrival = kind == SN_GOAL_MOVE ? SN_ARRIVE_GIVEN : SN_ARRIVE_FREE,
                       .reachFrom = SN_CONTROL_NONE,
                       .ease = 0.1,
                       .stiffness = 1000,
                       .afterCount = -1};
}

// ---- circles ------------------------------------------------------------------------------------

// The i-th goal that another one comes after; -1: there are no more.
static int beforeOf(const snScriptDef *script, int goal, int i)
{
    const snGoalDef *def = &script->goals[goal];
    if (def->afterCount < 0) return i == 0 ? goal - 1 : -1;
    return i < def->afterCount ? def->after[i] : -1;
}

// One that is marked among those that a goal comes after; -1: none.
static int markedBefore(const snScriptDef *script, int goal, const unsigned char *marks)
{
    for (int i = 0, b; (b = beforeOf(script, goal, i)) >= 0; i++)
        if (marks[b]) return b;
    return -1;
}

// Marks are taken off goals that come after none with a mark, as long as there are such. What keeps its mark comes after
// something of the kind, and so on, which must end in a circle.
int snScript_FindCircle(const snScriptDef *script)
{
    unsigned char marks[MOST_GOALS];
    int n = script->goalCount < MOST_GOALS ? script->goalCount : MOST_GOALS, at = -1;
    memset(marks, 1, sizeof marks);
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < n; i++) {
            if (!marks[i] || markedBefore(script, i, marks) >= 0) continue;
            marks[i] = 0;
            more = true;
        }
    }
    for (int i = 0; i < n && at < 0; i++)
        if (marks[i]) at = i;
    for (int i = 0; i < n && at >= 0; i++)
        at = markedBefore(script, at, marks);
    // In the circle now; some goal of it comes after one that is not right before it.
    for (int i = 0; i < n && at >= 0 && script->goals[at].afterCount < 0; i++)
        at = markedBefore(script, at, marks);
    return at;
}

// ---- checks -------------------------------------------------------------------------------------

typedef struct Checker {
    const snControlDef *def;
    const snScriptDef *script;
    const snGoalDef *goal;
    const snWorld *world;
    snError *error;
} Checker;

static bool isTime(double t)
{
    return t >= 0 && t < 1e9;
}

static bool isPoint(const Checker *c, int point, bool ofBody)
{
    bool there = point >= 0 && point < c->def->pointCount;
    return there && (!ofBody || c->def->points[point].body >= 0);
}

static snStatus checkPoints(const Checker *c)
{
    const snGoalDef *g = c->goal;
    bool acts = g->kind != SN_GOAL_WAIT && g->kind != SN_GOAL_REPEAT && g->kind != SN_GOAL_SWITCH;
    bool needs = g->kind == SN_GOAL_CHASE || g->kind == SN_GOAL_GRAB || g->kind == SN_GOAL_CONNECT;
    if (acts && !isPoint(c, g->point, true))
        return snFail(c->error, SN_ERROR_ARGUMENT, "its point is none of a body");
    if (acts && (needs || g->target != SN_CONTROL_NONE) && !isPoint(c, g->target, false))
        return snFail(c->error, SN_ERROR_ARGUMENT, "it has no target, or one that is not there");
    if (acts && g->target == g->point)
        return snFail(c->error, SN_ERROR_ARGUMENT, "its point and its target are the same");
    if (g->reachFrom != SN_CONTROL_NONE && (!isPoint(c, g->reachFrom, false) || !(g->reach > 0)))
        return snFail(c->error, SN_ERROR_ARGUMENT,
                      "its reach of %g m is from no point, or not above 0", g->reach);
    return SN_OK;
}

static snStatus checkNumbers(const Checker *c)
{
    const snGoalDef *g = c->goal;
    if (!isTime(g->time) || !isTime(g->preroll) || !isTime(g->ease) || !isTime(g->limit))
        return snFail(c->error, SN_ERROR_ARGUMENT,
                      "it takes %g s, with a preroll of %g s, eased over %g s, within %g s; times "
                      "must be 0 or more",
                      g->time, g->preroll, g->ease, g->limit);
    if (!snIsFinite3(g->velocity) || !snIsFinite3(g->place) || !(g->within >= 0))
        return snFail(c->error, SN_ERROR_ARGUMENT, "its velocity or place is not finite");
    if (g->spring &&
        !(g->stiffness >= 0 && isfinite(g->stiffness) && g->damping >= 0 && isfinite(g->damping)))
        return snFail(c->error, SN_ERROR_ARGUMENT, "a spring of %g N/m with damping %g N s/m",
                      g->stiffness, g->damping);
    return SN_OK;
}

static snStatus checkSwitch(const Checker *c)
{
    const char *name = c->goal->attachments;
    bool found = c->goal->kind != SN_GOAL_SWITCH;
    for (int i = 0; i < c->world->attachments.count && !found && name; i++)
        found = !strcmp(c->world->attachments.data[i].def.name, name);
    return found ? SN_OK
                 : snFail(c->error, SN_ERROR_ARGUMENT, "there is no attachment \"%.60s\"",
                          name ? name : "");
}

static snStatus checkFlow(const Checker *c, int number)
{
    const snGoalDef *g = c->goal;
    int n = c->script->goalCount;
    if (g->afterCount > MOST_AFTER)
        return snFail(c->error, SN_ERROR_ARGUMENT, "it comes after %d goals; %d are most",
                      g->afterCount, MOST_AFTER);
    for (int i = 0; i < g->afterCount; i++)
        if (g->after[i] < 0 || g->after[i] >= n)
            return snFail(c->error, SN_ERROR_ARGUMENT, "it comes after goal %d; there is none",
                          g->after[i]);
    if (g->onFail == SN_FAIL_GOES && (g->onFailGoal < 0 || g->onFailGoal >= n))
        return snFail(c->error, SN_ERROR_ARGUMENT, "when it fails goal %d comes; there is none",
                      g->onFailGoal);
    if (g->kind == SN_GOAL_REPEAT && (g->from < 0 || g->from >= number || g->times < 0))
        return snFail(c->error, SN_ERROR_ARGUMENT,
                      "it repeats from goal %d on, %d times; that must be one before it", g->from,
                      g->times);
    return SN_OK;
}

static bool isCondition(const Checker *c, const snConditionDef *w)
{
    bool first = isPoint(c, w->points[0], false), second = isPoint(c, w->points[1], false);
    if (!isTime(w->ahead)) return false;
    if (w->kind == SN_IF_TIME) return isTime(w->value);
    if (w->kind == SN_IF_NEAR || w->kind == SN_IF_FAR) return first && second && w->value >= 0;
    if (w->kind == SN_IF_INSIDE || w->kind == SN_IF_OUTSIDE) return first;
    return w->script >= 0 && w->script < c->def->scriptCount && w->goal >= 0 &&
           w->goal < c->def->scripts[w->script].goalCount;
}

static snStatus checkConditions(const Checker *c)
{
    for (int i = 0; i < c->goal->conditionCount; i++)
        if (!isCondition(c, &c->goal->conditions[i]))
            return snFail(c->error, SN_ERROR_ARGUMENT,
                          "condition %d: there is no such point or goal, or its number is below 0",
                          i);
    return SN_OK;
}

static snStatus checkScript(Checker *c)
{
    const snScriptDef *script = c->script;
    snStatus status = SN_OK;
    if (script->goalCount < 0 || script->goalCount > MOST_GOALS || script->repeats < 0 ||
        !isTime(script->from))
        return snFail(c->error, SN_ERROR_ARGUMENT,
                      "%d goals, %d times, from %g s on; there can be %d", script->goalCount,
                      script->repeats, script->from, MOST_GOALS);
    for (int i = 0; i < script->goalCount && !status; i++) {
        c->goal = &script->goals[i];
        status = checkPoints(c);
        if (!status) status = checkNumbers(c);
        if (!status) status = checkFlow(c, i);
        if (!status) status = checkConditions(c);
        if (!status) status = checkSwitch(c);
        if (status) snError_Prefix(c->error, "goal %d \"%s\"", i, c->goal->name);
    }
    int circle = status ? -1 : snScript_FindCircle(script);
    if (circle >= 0)
        status = snFail(c->error, SN_ERROR_ARGUMENT,
                        "goal %d \"%s\": it comes after itself, by way of what it is after", circle,
                        script->goals[circle].name);
    return status;
}

// ---- making -------------------------------------------------------------------------------------

static double sizeOf(const snBody *body)
{
    return snBoxDiagonal(snBoxOf(body->vertexCount, body->restSurface));
}

static snStatus makePoint(snControl *control, const snControlPointDef *def, snControlPoint *p,
                          snWorld *world, snError *error)
{
    snStatus status = SN_OK;
    *p = (snControlPoint){.name = snArena_CopyString(&control->arena, def->name, strlen(def->name)),
                          .body = def->body,
                          .handle = -1,
                          .place = def->place,
                          .moves = def->path && def->body < 0};
    if (!p->name) return snFailMemory(error);
    if (def->body >= world->bodies.count || def->body < SN_WORLD_NOBODY)
        status = snFail(error, SN_ERROR_ARGUMENT, "there is no body %d", def->body);
    else if (def->body >= 0)
        status = snBody_Locate(world->bodies.data[def->body], &def->spot, &p->handle, error);
    else if (def->path)
        status = snRoute_Make(&p->path, def->path, &control->arena, error);
    else if (!snIsFinite3(def->place))
        status = snFail(error, SN_ERROR_ARGUMENT, "its place is not finite");
    if (!status && def->body >= 0) p->size = sizeOf(world->bodies.data[def->body]);
    if (status && status != SN_ERROR_MEMORY) snError_Prefix(error, "point \"%s\"", def->name);
    return status;
}

static snStatus copyGoal(snControl *control, const snGoalDef *def, snGoal *goal, snError *error)
{
    snArena *arena = &control->arena;
    int after = def->afterCount > 0 ? def->afterCount : 0;
    goal->def = *def;
    goal->def.name = snArena_CopyString(arena, def->name, strlen(def->name));
    goal->def.after = SN_COPY(arena, int, def->after, after);
    goal->def.conditions = SN_COPY(arena, snConditionDef, def->conditions, def->conditionCount);
    if (!goal->def.name || !goal->def.after || !goal->def.conditions) return snFailMemory(error);
    const char *name = def->attachments ? def->attachments : "";
    goal->def.attachments = snArena_CopyString(arena, name, strlen(name));
    if (!goal->def.attachments) return snFailMemory(error);
    if (def->kind != SN_GOAL_MOVE) goal->def.path = NULL;
    return goal->def.path ? snRoute_Make(&goal->path, def->path, arena, error) : SN_OK;
}

static snStatus copyScript(snControl *control, const snScriptDef *def, snScript *script,
                           int *conditions, snError *error)
{
    *script = (snScript){.name = snArena_CopyString(&control->arena, def->name, strlen(def->name)),
                         .goalCount = def->goalCount,
                         .goals = SN_NEW(&control->arena, snGoal, def->goalCount),
                         .from = def->from,
                         .repeats = def->repeats,
                         .first = control->goalCount};
    if (!script->name || !script->goals) return snFailMemory(error);
    snStatus status = SN_OK;
    for (int i = 0; i < def->goalCount && !status; i++) {
        script->goals[i].firstCondition = *conditions;
        *conditions += def->goals[i].conditionCount;
        status = copyGoal(control, &def->goals[i], &script->goals[i], error);
        if (status && status != SN_ERROR_MEMORY)
            snError_Prefix(error, "script \"%s\": goal %d \"%s\"", def->name, i,
                           def->goals[i].name);
    }
    for (int i = 0; i < def->goalCount && !status; i++) {
        const snGoalDef *g = &def->goals[i];
        if (g->onFail == SN_FAIL_GOES && g->onFailGoal > i &&
            def->goals[g->onFailGoal].afterCount < 0)
            script->goals[g->onFailGoal].handler = true;
    }
    control->goalCount += def->goalCount;
    return status;
}

static size_t countBytes(const snControl *control, int points, int conditions)
{
    return (size_t)control->scriptCount * sizeof(snScriptState) +
           (size_t)control->goalCount * sizeof(snGoalState) + (size_t)conditions * sizeof(int64_t) +
           (size_t)control->mostConnections * sizeof(snConnection) +
           (size_t)points * sizeof(snWake) + sizeof(int64_t) +
           (size_t)control->mostEvents * sizeof(snControlEvent);
}

// Cuts the block of the state; all parts are whole numbers of eight bytes.
static snStatus makeState(snControl *control, int points, int conditions, snError *error)
{
    control->blockSize = countBytes(control, points, conditions);
    control->block = SN_NEW(&control->arena, int64_t, control->blockSize / sizeof(int64_t));
    if (!control->block) return snFailMemory(error);
    control->scriptStates = control->block;
    control->goals = (snGoalState *)(void *)(control->scriptStates + control->scriptCount);
    control->seen = (int64_t *)(void *)(control->goals + control->goalCount);
    control->connections = (snConnection *)(void *)(control->seen + conditions);
    control->wakes = (snWake *)(void *)(control->connections + control->mostConnections);
    control->eventCount = (int64_t *)(void *)(control->wakes + points);
    control->events = (snControlEvent *)(void *)(control->eventCount + 1);
    for (int i = 0; i < control->goalCount; i++)
        control->goals[i].grab = -1;
    return SN_OK;
}

static snStatus make(snControl *control, const snControlDef *def, snWorld *world, snError *error)
{
    int conditions = 0;
    snStatus status = SN_OK;
    control->points = SN_NEW(&control->arena, snControlPoint, def->pointCount);
    control->scripts = SN_NEW(&control->arena, snScript, def->scriptCount);
    if (!control->points || !control->scripts) return snFailMemory(error);
    for (int i = 0; i < def->scriptCount && !status; i++) {
        Checker checker = {.def = def, .script = &def->scripts[i], .world = world, .error = error};
        status = checkScript(&checker);
        if (status) snError_Prefix(error, "script \"%s\"", def->scripts[i].name);
    }
    for (int i = 0; i < def->scriptCount && !status; i++)
        status = copyScript(control, &def->scripts[i], &control->scripts[i], &conditions, error);
    control->scriptCount = def->scriptCount;
    control->mostEvents = def->mostEvents;
    control->mostConnections = world->def.mostGrabs;
    if (!status) status = makeState(control, def->pointCount, conditions, error);
    for (int i = 0; i < def->pointCount && !status; i++) {
        status = makePoint(control, &def->points[i], &control->points[i], world, error);
        control->pointCount = i + 1;
    }
    return status;
}

snStatus snControl_Make(snControl **out, const snControlDef *def, snWorld *world,
                        const snContext *context, snError *error)
{
    *out = NULL;
    if (def->pointCount < 0 || def->pointCount > MOST || def->scriptCount < 0 ||
        def->scriptCount > MOST || def->mostEvents < 0 || def->mostEvents > MOST)
        return snFail(error, SN_ERROR_ARGUMENT, "%d points, %d scripts, %d events to keep",
                      def->pointCount, def->scriptCount, def->mostEvents);
    snArena arena = snMakeArena(context);
    snControl *control = SN_NEW(&arena, snControl, 1);
    if (!control) return snFailMemory(error);
    control->arena = arena;
    snStatus status = make(control, def, world, error);
    for (int i = 0; i < control->pointCount && status; i++) // those that were located
        if (control->points[i].handle >= 0)
            snBody_Forget(world->bodies.data[control->points[i].body], control->points[i].handle);
    if (status)
        snControl_Destroy(control);
    else
        *out = control;
    return status;
}

void snControl_Destroy(snControl *control)
{
    if (!control) return;
    snArena_DestroyWithin(&control->arena);
}
