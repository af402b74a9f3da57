// What a goal waits for.
#include "control/parts.h"
#include "geometry/primitive.h"

static snVec3 placeOf(const snActor *a, const snConditionDef *c, int number)
{
    return snControl_Ahead(a->control, a->world, c->points[number],
                           snWorld_Time(a->world) + c->ahead, NULL);
}

static double distanceOf(const snActor *a, const snConditionDef *c)
{
    return snDistance(placeOf(a, c, 0), placeOf(a, c, 1));
}

// How often a goal that is waited for has ended so.
static int64_t countOf(const snActor *a, const snConditionDef *c)
{
    const snGoalState *state = snControl_Goal(a->control, c->script, c->goal);
    return c->kind == SN_IF_DONE ? state->wins : state->losses;
}

static bool holds(const snActor *a, int number)
{
    const snConditionDef *c = &a->goal->def.conditions[number];
    double now = snWorld_Time(a->world), slack = 1e-6 * a->world->def.step;
    switch (c->kind) {
    case SN_IF_TIME:
        return now - (double)a->state->begin * a->world->def.step >= c->value - slack;
    case SN_IF_NEAR:
        return distanceOf(a, c) < c->value;
    case SN_IF_FAR:
        return distanceOf(a, c) > c->value;
    case SN_IF_INSIDE:
        return snBox_Contains(c->box, placeOf(a, c, 0));
    case SN_IF_OUTSIDE:
        return !snBox_Contains(c->box, placeOf(a, c, 0));
    default:
        return countOf(a, c) > a->control->seen[a->goal->firstCondition + number];
    }
}

bool snGoal_IsMet(snActor *a)
{
    const snGoalDef *def = &a->goal->def;
    int met = 0;
    for (int i = 0; i < def->conditionCount; i++)
        met += holds(a, i);
    return def->any ? met > 0 || !def->conditionCount : met == def->conditionCount;
}

// So that the next wait is for what happens after this one.
void snGoal_Notice(snActor *a)
{
    for (int i = 0; i < a->goal->def.conditionCount; i++) {
        const snConditionDef *c = &a->goal->def.conditions[i];
        if (c->kind == SN_IF_DONE || c->kind == SN_IF_FAILED)
            a->control->seen[a->goal->firstCondition + i] = countOf(a, c);
    }
}
