// What the files of control share among themselves.
#ifndef SN_CONTROL_PARTS_H
#define SN_CONTROL_PARTS_H

#include "control/control.h"

// A goal in a step.
typedef struct snActor {
    snControl *control;
    snWorld *world;
    int ticks; // of the coming step
    const snGoal *goal;
    snGoalState *state;
} snActor;

// goal.c. What came of it: active still, done, or failed with state->reason set.
snGoalPhase snGoal_Begin(snActor *actor);
snGoalPhase snGoal_Check(snActor *actor); // at the begin of every later step
void snGoal_Drive(snActor *actor); // while it is active: where its point is to be at the step's end
void snGoal_Drop(snActor *actor);  // lets go of what it drives
// wait.c
bool snGoal_IsMet(snActor *actor);
void snGoal_Notice(snActor *actor); // what was waited for counts as seen

// point.c
snVec3 snControl_Place(const snControl *control, const snWorld *world, int point, double time);
snVec3 snControl_Velocity(const snControl *control, const snWorld *world, int point, double time);
// Where a point will be if it goes on as it does, and how fast; `velocity` may be NULL.
snVec3 snControl_Ahead(const snControl *control, const snWorld *world, int point, double time,
                       snVec3 *velocity);
void snControl_TrackAll(snControl *control, const snWorld *world); // before each step
bool snControl_IsLost(const snControl *control, const snWorld *world, int point);
// connection.c
snGoalReason snControl_Connect(snActor *actor);
bool snControl_Disconnect(snActor *actor);
// Where a point is held by a connection to a place, its number; else -1.
int snControl_FindHold(const snControl *control, int point);
void snControl_DropConnection(snControl *control, snWorld *world, int number);
bool snControl_AddHold(snActor *actor); // the point stays where its goal has brought it
void snControl_HoldAll(snControl *control, snWorld *world, int ticks);

#endif
