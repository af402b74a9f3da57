#include "cli/run_scripts.h"

#include "cli/text.h"

#include <stdio.h>

#define MOST_LINES 24 // of what happened, the last

static const char *const phaseNames[] = {"running", "done", "failed"};

// The first event that is still there.
static int64_t firstEvent(const snControl *control, int64_t most)
{
    int64_t count = *control->eventCount, kept = control->mostEvents;
    int64_t shown = kept < most ? kept : most;
    return count > shown ? count - shown : 0;
}

static const snControlEvent *eventAt(const snControl *control, int64_t number)
{
    return &control->events[number % control->mostEvents];
}

// "grab skewer", or "grab" and its number.
static void printGoal(const snScript *script, int goal)
{
    const snGoalDef *def = &script->goals[goal].def;
    printf("%s: %s ", snPlain(script->name).text, snGoalKind_Name(def->kind));
    if (*def->name)
        printf("\"%s\"", snPlain(def->name).text);
    else
        printf("(goal %d)", goal);
}

// The goal by which a script ended that failed; -1: it did not.
static int failedGoal(const snControl *control, int script)
{
    if (control->scriptStates[script].phase != SN_SCRIPT_FAILED) return -1;
    for (int g = 0; g < control->scripts[script].goalCount; g++) {
        bool stops = control->scripts[script].goals[g].def.onFail == SN_FAIL_STOPS;
        if (stops && snControl_Goal(control, script, g)->phase == SN_GOAL_FAILED) return g;
    }
    return -1;
}

static const char *reasonOf(const snControl *control, int script, int goal)
{
    return snGoalReason_Text((snGoalReason)snControl_Goal(control, script, goal)->reason);
}

static void printFailure(const snControl *control, int script)
{
    int goal = failedGoal(control, script);
    if (goal < 0) return;
    printf("warning: a script stopped at a goal that failed: ");
    printGoal(&control->scripts[script], goal);
    printf(": %s\n", reasonOf(control, script, goal));
}

void snRunScripts_Print(const snControl *control)
{
    int64_t count = *control->eventCount, first = firstEvent(control, MOST_LINES), failed = 0;
    for (int i = 0; i < control->goalCount; i++)
        failed += control->goals[i].losses;
    printf("%lld %s ended, %lld of them failed%s\n", (long long)count,
           snPlural(count, "goal", "goals"), (long long)failed, first ? "; the last ones:" : "");
    for (int64_t i = first; i < count; i++) {
        const snControlEvent *event = eventAt(control, i);
        printf("  %8.3f s  ", event->end);
        printGoal(&control->scripts[event->script], event->goal);
        printf("%s%s\n", event->reason ? ": failed, " : ": ",
               snGoalReason_Text((snGoalReason)event->reason));
    }
    for (int i = 0; i < control->scriptCount; i++)
        printFailure(control, i);
}

bool snRunScripts_HaveFailed(const snControl *control)
{
    bool failed = false;
    for (int s = 0; control && s < control->scriptCount; s++)
        failed |= control->scriptStates[s].phase == SN_SCRIPT_FAILED;
    return failed;
}

static void writeGoals(const snControl *control, int script, snJsonWriter *w)
{
    snJsonWriter_Key(w, "goals");
    snJsonWriter_BeginArray(w);
    for (int g = 0; g < control->scripts[script].goalCount; g++) {
        const snGoalDef *def = &control->scripts[script].goals[g].def;
        const snGoalState *state = snControl_Goal(control, script, g);
        snJsonWriter_BeginObject(w);
        snJsonWriter_PutString(w, "do", snGoalKind_Name(def->kind));
        snJsonWriter_PutString(w, "name", def->name);
        snJsonWriter_PutInt(w, "successes", state->wins);
        snJsonWriter_PutInt(w, "failures", state->losses);
        snJsonWriter_PutBool(w, "active", state->phase == SN_GOAL_ACTIVE);
        snJsonWriter_EndObject(w);
    }
    snJsonWriter_EndArray(w);
}

void snRunScripts_Write(const snControl *control, snJsonWriter *w)
{
    snJsonWriter_Key(w, "scripts");
    snJsonWriter_BeginArray(w);
    for (int s = 0; s < control->scriptCount; s++) {
        snJsonWriter_BeginObject(w);
        snJsonWriter_PutString(w, "name", control->scripts[s].name);
        snJsonWriter_PutString(w, "state", phaseNames[control->scriptStates[s].phase]);
        snJsonWriter_PutInt(w, "passes", control->scriptStates[s].pass);
        int failed = failedGoal(control, s);
        if (failed >= 0) {
            snJsonWriter_PutInt(w, "failedGoal", failed);
            snJsonWriter_PutString(w, "reason", reasonOf(control, s, failed));
        }
        writeGoals(control, s, w);
        snJsonWriter_EndObject(w);
    }
    snJsonWriter_EndArray(w);
    snJsonWriter_Key(w, "events");
    snJsonWriter_BeginArray(w);
    for (int64_t i = firstEvent(control, control->mostEvents); i < *control->eventCount; i++) {
        const snControlEvent *event = eventAt(control, i);
        snJsonWriter_BeginObject(w);
        snJsonWriter_PutString(w, "script", control->scripts[event->script].name);
        snJsonWriter_PutInt(w, "goal", event->goal);
        snJsonWriter_PutString(w, "name",
                               control->scripts[event->script].goals[event->goal].def.name);
        snJsonWriter_PutDouble(w, "begin", event->begin);
        snJsonWriter_PutDouble(w, "end", event->end);
        snJsonWriter_PutBool(w, "success", event->reason == SN_REASON_NONE);
        if (event->reason)
            snJsonWriter_PutString(w, "reason", snGoalReason_Text((snGoalReason)event->reason));
        snJsonWriter_EndObject(w);
    }
    snJsonWriter_EndArray(w);
}
