// Control: goals that drive points of bodies, one after another or beside each other, and go on for ever where they are
// told to. May use everything up to world; of bodies it knows body/body.h alone. Begin with snControl_Step in script.c (which
// goals begin and what comes of their ends), then goal.c (what each of them does); derivations in docs/theory/control.md.
//
//     snControl_Make(&control, &def, world, &context, &error);   // after all bodies were added
//     while (...) {
//         snControl_Step(control, world, ticks);                 // before each step of the world
//         snWorld_Advance(world, ticks);
//     }
// A step allocates nothing; its bits do not depend on threads; the state can be saved, restored and hashed.
#ifndef SN_CONTROL_CONTROL_H
#define SN_CONTROL_CONTROL_H

#include "sinew/world.h" // snScriptPhase
#include "world/world.h"

#define SN_CONTROL_NONE (-1)

// A point that goals speak of: of a body, or a place of the world, which may move.
typedef struct snControlPointDef {
    const char *name; // copied
    int body;         // SN_WORLD_NOBODY: a place
    snBodySpot spot;
    snVec3 place;
    const snRouteDef *path; // of a place that moves, over the world's time; NULL: `place`
} snControlPointDef;

typedef enum snGoalKind {
    SN_GOAL_CHASE,      // a point goes to where the target will be after a time, with a velocity
    SN_GOAL_CONNECT,    // velocities are matched by an impulse, then both are held together
    SN_GOAL_GRAB,       // a chase, and a connection at its end
    SN_GOAL_DISCONNECT, // lets go
    SN_GOAL_MOVE,       // a point goes to a place, or along a path
    SN_GOAL_STRIKE,     // a point gets a velocity at once: start, stop, bounce
    SN_GOAL_WAIT,       // until something holds
    SN_GOAL_SWITCH,     // switches attachments of the world on or off
    SN_GOAL_REPEAT,     // goes back to an earlier goal, some times or for ever
    SN_GOAL_KINDS
} snGoalKind;

typedef enum snConditionKind {
    SN_IF_TIME,    // so long since the wait began
    SN_IF_NEAR,    // two points are nearer to each other than a distance
    SN_IF_FAR,     // farther
    SN_IF_INSIDE,  // a point is in a box
    SN_IF_OUTSIDE, // it is not
    SN_IF_DONE,    // another goal has succeeded since it was waited for last
    SN_IF_FAILED,  // the same, failed
} snConditionKind;

typedef struct snConditionDef {
    snConditionKind kind;
    double value;     // s or m
    double ahead;     // s: places are where points will be by then, if they go on as they do
    int points[2];    // numbers of control points
    snBox box;        //
    int script, goal; // of another goal
} snConditionDef;

// With which velocity a chase arrives.
typedef enum snArrival {
    SN_ARRIVE_FREE,   // the one that takes the least acceleration on the way: 3/2 d/t - v/2
    SN_ARRIVE_GIVEN,  // `velocity`
    SN_ARRIVE_TARGET, // that of the target, and `velocity` beyond it
} snArrival;

// What a script does when a goal fails.
typedef enum snOnFail {
    SN_FAIL_STOPS,     // ends, and has failed
    SN_FAIL_CONTINUES, // goes on as if it had succeeded
    SN_FAIL_RESTARTS,  // begins anew, in the next step
    SN_FAIL_GOES,      // goes on with another goal
} snOnFail;

typedef struct snGoalDef {
    const char *name; // copied; "": none
    snGoalKind kind;
    int point,
        target; // control points; target SN_CONTROL_NONE: `place`, and of a disconnection all that the point has
    double time; // s, of a chase or a move to a place
    snArrival arrival;
    snVec3 velocity; // m/s
    // Chase, move, grab: fails where the target, when the point arrives, will be farther than `reach` from a point.
    int reachFrom; // control point; SN_CONTROL_NONE: no limit
    double reach;  // m
    bool
        hold; // chase, move: the point is held where it arrives, at rest, until another goal takes it or it is let go
    // Move.
    snVec3 place;           // where to, if there is no path
    bool relative;          // places are from where the point is when the goal begins
    const snRouteDef *path; // its time begins with the goal's, after the preroll
    double
        preroll; // s in which a cubic joins the point's place and velocity to those of the path's begin
    // Connect, grab.
    double within; // m: fails where they are farther from each other; 0: a tenth of the body's size
    double ease;   // s over which they are brought together
    bool spring;   // holds them by a spring; else hard, which needs bodies with reserved ties
    double stiffness, damping; // N/m, N s/m
    // Wait; and of chases and moves what ends them before their time, with success.
    int conditionCount;
    const snConditionDef *conditions;
    bool any; // one of the conditions is enough; else all at once
    // Switch.
    const char *attachments; // a name; all of the world's that have it; copied. NULL: none
    bool on;
    // Repeat.
    int from;  // a goal before it
    int times; // that all from there on is done; 0: for ever
    // When it begins: afterCount -1: when the one before it in the list has ended; 0: with the script.
    int afterCount;
    const int *after;
    bool afterAny; // one of them is enough; else all
    double limit;  // s after which it fails; 0: none
    snOnFail onFail;
    int onFailGoal; // of SN_FAIL_GOES. A later goal that is named so and has no `after` begins by that alone
} snGoalDef;
snGoalDef snDefaultGoalDef(snGoalKind kind); // 1 s, eased over 0.1 s, after the one before it

typedef struct snScriptDef {
    const char *name; // copied
    int goalCount;
    const snGoalDef *goals;
    double from; // s, when it begins
    int repeats; // how often all of it is done; 0: for ever
} snScriptDef;

typedef struct snControlDef {
    int pointCount;
    const snControlPointDef *points;
    int scriptCount;
    const snScriptDef *scripts;
    int mostEvents; // that are kept, the last ones
} snControlDef;

// ---- state --------------------------------------------------------------------------------------

typedef enum snGoalPhase { SN_GOAL_IDLE, SN_GOAL_ACTIVE, SN_GOAL_DONE, SN_GOAL_FAILED } snGoalPhase;

// Why a goal failed.
typedef enum snGoalReason {
    SN_REASON_NONE,
    SN_REASON_REACH,       // the target is out of reach
    SN_REASON_LIMIT,       // its time ran out
    SN_REASON_HELD,        // the point is held already
    SN_REASON_APART,       // the points did not come near enough
    SN_REASON_UNCONNECTED, // there is nothing to let go
    SN_REASON_LOST,        // a body could not be computed, or is not finite
    SN_REASON_NO_ROOM,     // no attachment or tie is left
    SN_REASONS
} snGoalReason;
const char *snGoalReason_Text(snGoalReason reason);
const char *snGoalKind_Name(snGoalKind kind);

typedef struct snGoalState {
    int phase, reason;
    int grab;             // of the world, that drives the point; -1: none
    int rounds;           // of a repeat
    int stage;            // of a move along a path: 1 once the preroll is over
    int forced;           // begins whatever `after` says
    int64_t begin, end;   // ticks
    int64_t last;         // tick in which it began last, and one more; 0: never
    int64_t wins, losses; // how often it ended so
    snArc plan;           //
    snVec3 origin;        // of relative places
} snGoalState;

typedef struct snScriptState {
    int phase, even;
    int64_t pass; // how often all of it was done
    int64_t begin;
} snScriptState;

// What holds points beyond the goal that did so.
typedef struct snConnection {
    int used, grab;
    int point, target; // target SN_CONTROL_NONE: where the point arrived
    int64_t first;
    double ease;
    snVec3 offset; // from the target, at first
} snConnection;

// Where a body's point has been of late, for what it will do (point.c).
typedef struct snWake {
    int64_t tick;    // of the last place
    int64_t steady;  // from which on its acceleration has not jumped
    int ticks;       // from one place to the next
    int count;       // of places, up to 4
    snVec3 place[4]; // the last one first
} snWake;

// What happened.
typedef struct snControlEvent {
    int script, goal, reason, even;
    double begin, end; // s
} snControlEvent;

typedef struct snControlPoint {
    const char *name;
    int body, handle;
    double size; // of the body, m
    snVec3 place;
    bool moves;
    snRoute path;
} snControlPoint;

typedef struct snGoal {
    snGoalDef def; // pointers in it are the control's own
    snRoute path;
    bool handler;       // begins when another one fails, and not by itself
    int firstCondition; // of the control's `seen`
} snGoal;

typedef struct snScript {
    const char *name;
    int goalCount;
    snGoal *goals;
    double from;
    int repeats;
    int first; // of its goals among all
} snScript;

typedef struct snControl {
    snArena arena;
    int pointCount, scriptCount, goalCount, mostEvents, mostConnections;
    snControlPoint *points; // [pointCount]
    snScript *scripts;      // [scriptCount]
    // The state: one block, so that saving is a copy.
    void *block;
    size_t blockSize;
    snScriptState *scriptStates; // [scriptCount]
    snGoalState *goals;          // [goalCount], of all scripts, one after another
    int64_t
        *seen; // [conditions], how often what is waited for had happened when it was last noticed
    snConnection *connections; // [mostConnections]
    snWake *wakes;             // [pointCount]
    int64_t *eventCount;       // [1], of all times
    snControlEvent *events;    // [mostEvents], event n at n mod mostEvents
} snControl;

// Points are located on the world's bodies. Fails, with a message that names script and goal, where numbers or times cannot
// be, or goals wait for each other in a circle.
snStatus snControl_Make(snControl **control, const snControlDef *def, snWorld *world,
                        const snContext *context, snError *error);
void snControl_Destroy(snControl *control); // accepts NULL

// A goal that is, by `after`, before itself; -1: there is none.
int snScript_FindCircle(const snScriptDef *script);
// Pairs of bodies whose points a script may connect hard are reserved with snWorld_ReserveTies before snWorld_Join.

// Before a step of the world of so many ticks.
void snControl_Step(snControl *control, snWorld *world, int ticks);
// The longest of the world's steps, up to `most` ticks, that goes no farther than to where a goal ends.
int snControl_Room(const snControl *control, const snWorld *world, int most);

const snGoalState *snControl_Goal(const snControl *control, int script, int goal);
bool snControl_Runs(const snControl *control); // some script does

size_t snControl_SaveSize(const snControl *control);
void snControl_Save(const snControl *control, void *bytes);
snStatus snControl_Restore(snControl *control, const void *bytes, size_t size, snError *error);
uint64_t snControl_Hash(const snControl *control);

#endif
