#include "layered/operations.h"

#include "core/error.h"
#include "layered/figure.h"
#include "skeleton/ik.h"

#include <string.h>

#define MOST_REACHES 64
#define MET_PLACE 1e-4 // m: nearer than that nobody can see a miss
#define MET_TURN 1e-3  // radians

// ---- poses ------------------------------------------------------------------------------------------

static void setPose(snEditor *editor, int joint, snVec3 angles, snVec3 shift)
{
    snLayeredJoint row = snLayered_Joints(&editor->layered)[joint];
    row.angles = angles;
    row.shift = shift;
    snEditor_Set(editor, SN_TABLE_JOINTS, joint, &row);
}

static snStatus describeReaches(const snEditor *editor, int count, const snReach *reaches,
                                snIkEffector *effectors, snError *error)
{
    int joints = snLayered_Count(&editor->layered, SN_TABLE_JOINTS);
    if (count < 1 || count > MOST_REACHES)
        return snFail(error, SN_ERROR_ARGUMENT, "%d joints are to reach; 1 to %d can", count,
                      MOST_REACHES);
    for (int i = 0; i < count; i++) {
        const snReach *r = &reaches[i];
        if (r->joint < 0 || r->joint >= joints || (!r->place && !r->turn))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "say which joint is to reach a place, a rotation or both");
        effectors[i] = snDefaultIkEffector(r->joint);
        effectors[i].place = r->place;
        effectors[i].turn = r->turn;
        effectors[i].position = r->position;
        effectors[i].orientation = r->turn ? r->rotation : snIdentityQuat();
        effectors[i].root = r->root;
    }
    return SN_OK;
}

// Joints that have turned get the angles of it; the others keep their numbers, bit for bit.
static void keepTurns(snEditor *editor, const snFigure *figure, const snQuat *before)
{
    for (int j = 0; j < figure->skeleton.jointCount; j++) {
        snQuat now = figure->pose.local[j].rotation;
        if (!memcmp(&now, &before[j], sizeof now)) continue;
        setPose(editor, j, snFigure_Degrees(figure, j, now),
                snLayered_Joints(&editor->layered)[j].shift);
    }
}

snStatus snEdit_Reach(snEditor *editor, int count, snReach *reaches, snError *error)
{
    snIkEffector effectors[MOST_REACHES];
    snIkReport reports[MOST_REACHES];
    snFigure figure;
    snIk *ik = NULL;
    snStatus status = describeReaches(editor, count, reaches, effectors, error);
    if (!status) status = snFigure_Build(&figure, &editor->layered, error);
    if (status) return status;
    int joints = figure.skeleton.jointCount;
    snQuat *before = SN_NEW(&figure.arena, snQuat, joints);
    snIkDef def = snDefaultIkDef(&figure.skeleton);
    def.ranges = figure.ranges;
    def.effectorCount = count;
    def.effectors = effectors;
    status = before ? snIk_Make(&ik, &def, &editor->layered.context, error) : snFailMemory(error);
    if (!status) {
        for (int j = 0; j < joints; j++)
            before[j] = figure.pose.local[j].rotation;
        snIk_Solve(ik, &figure.pose, reports);
        for (int i = 0; i < count; i++) {
            reaches[i].met = reports[i].outcome == SN_IK_REACHED ||
                             (reports[i].miss < MET_PLACE && reports[i].turnOff < MET_TURN);
            reaches[i].miss = reports[i].miss;
        }
        snEditor_Begin(editor);
        keepTurns(editor, &figure, before);
        status = snEditor_End(editor, SN_OK, error);
    }
    snIk_Destroy(ik);
    snFigure_Destroy(&figure);
    return status;
}

snStatus snEdit_PoseJoint(snEditor *editor, int joint, snVec3 degrees, snVec3 shift, snError *error)
{
    const snLayeredJoint *row = &snLayered_Joints(&editor->layered)[joint];
    const double *low = &row->low.x, *high = &row->high.x;
    double angles[3] = {degrees.x, degrees.y, degrees.z};
    int used = row->kind == SN_JOINT_BALL ? 3 : row->kind == SN_JOINT_HINGE ? 1 : 0;
    if (!snIsFinite3(degrees) || !snIsFinite3(shift))
        return snFail(error, SN_ERROR_ARGUMENT, "the pose of \"%s\" is not finite", row->name);
    for (int i = 0; i < 3; i++) {
        if (i >= used && angles[i] != 0)
            return snFail(error, SN_ERROR_ARGUMENT, "\"%s\" is %s; it has %s", row->name,
                          used ? "a hinge" : "fixed", used ? "one angle" : "none");
        if (row->limited && i < used && !(angles[i] >= low[i] && angles[i] <= high[i]))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "\"%s\" cannot turn to %g degrees; its range is from %g to %g", row->name,
                          angles[i], low[i], high[i]);
    }
    snEditor_Begin(editor);
    setPose(editor, joint, degrees, shift);
    return snEditor_End(editor, SN_OK, error);
}

snStatus snEdit_ResetPose(snEditor *editor, snError *error)
{
    snEditor_Begin(editor);
    for (int j = 0; j < snLayered_Count(&editor->layered, SN_TABLE_JOINTS); j++)
        setPose(editor, j, snVec(0, 0, 0), snVec(0, 0, 0));
    return snEditor_End(editor, SN_OK, error);
}

// ---- postures ---------------------------------------------------------------------------------------

static snStatus checkPosture(const snEditor *editor, const snLayeredPosture *def, int except,
                             snError *error)
{
    const snLayered *layered = &editor->layered;
    snStatus status = snEdit_CheckNewName(editor, SN_TABLE_POSTURES, def->name, except, error);
    if (status) return status;
    for (int p = 0; p < snLayered_Count(layered, SN_TABLE_POSTURES); p++) {
        const snLayeredPosture *other = &snLayered_Postures(layered)[p];
        if (p != except && other->time == def->time)
            return snFail(error, SN_ERROR_ARGUMENT, "posture \"%s\" is at %g s already",
                          other->name, def->time);
    }
    return SN_OK;
}

static void removePosture(snEditor *editor, int posture)
{
    int joints = snLayered_Count(&editor->layered, SN_TABLE_JOINTS);
    snEditor_Remove(editor, SN_TABLE_POSTURED, posture * joints, joints);
    snEditor_Remove(editor, SN_TABLE_POSTURES, posture, 1);
}

// In the order of times.
static void insertPosture(snEditor *editor, const snLayeredPosture *def,
                          const snLayeredPostured *rows)
{
    const snLayered *layered = &editor->layered;
    int joints = snLayered_Count(layered, SN_TABLE_JOINTS), at = 0;
    while (at < snLayered_Count(layered, SN_TABLE_POSTURES) &&
           snLayered_Postures(layered)[at].time < def->time)
        at++;
    snEditor_Insert(editor, SN_TABLE_POSTURES, at, 1, def);
    snEditor_Insert(editor, SN_TABLE_POSTURED, at * joints, joints, rows);
}

// The rows of a posture, or of the present pose (-1).
static snLayeredPostured *copyPose(const snEditor *editor, int posture, snArena *arena)
{
    int joints = snLayered_Count(&editor->layered, SN_TABLE_JOINTS);
    snLayeredPostured *rows = SN_NEW(arena, snLayeredPostured, joints);
    for (int j = 0; j < joints && rows; j++) {
        const snLayeredJoint *joint = &snLayered_Joints(&editor->layered)[j];
        rows[j] = posture < 0 ? (snLayeredPostured){joint->angles, joint->shift}
                              : snLayered_Postured(&editor->layered, posture)[j];
    }
    return rows;
}

// Takes posture `old` (-1: none) out and puts one with the rows of `from` in.
static snStatus replacePosture(snEditor *editor, const snLayeredPosture *def, int old, int from,
                               snError *error)
{
    snArena arena = snMakeArena(&editor->layered.context);
    snLayeredPostured *rows = copyPose(editor, from, &arena);
    snStatus status = rows ? SN_OK : snFailMemory(error);
    snEditor_Begin(editor);
    if (!status && old >= 0) removePosture(editor, old);
    if (!status) insertPosture(editor, def, rows);
    snArena_Destroy(&arena);
    return snEditor_End(editor, status, error);
}

snStatus snEdit_KeepPosture(snEditor *editor, const snLayeredPosture *def, snError *error)
{
    int old = snLayered_Find(&editor->layered, SN_TABLE_POSTURES, def->name);
    if (old < 0 && snLayered_Count(&editor->layered, SN_TABLE_POSTURES) == SN_MOST_JOINTS)
        return snFail(error, SN_ERROR_ARGUMENT, "there are %d postures, which is the most",
                      SN_MOST_JOINTS);
    snStatus status = checkPosture(editor, def, old, error);
    return status ? status : replacePosture(editor, def, old, -1, error);
}

snStatus snEdit_SetPosture(snEditor *editor, int posture, const snLayeredPosture *def,
                           snError *error)
{
    snStatus status = checkPosture(editor, def, posture, error);
    if (status) return status;
    if (def->time != snLayered_Postures(&editor->layered)[posture].time)
        return replacePosture(editor, def, posture, posture, error);
    snEditor_Begin(editor);
    snEditor_Set(editor, SN_TABLE_POSTURES, posture, def);
    return snEditor_End(editor, SN_OK, error);
}

snStatus snEdit_DeletePosture(snEditor *editor, int posture, snError *error)
{
    snEditor_Begin(editor);
    removePosture(editor, posture);
    return snEditor_End(editor, SN_OK, error);
}

snStatus snEdit_ShowPosture(snEditor *editor, int posture, snError *error)
{
    snEditor_Begin(editor);
    for (int j = 0; j < snLayered_Count(&editor->layered, SN_TABLE_JOINTS); j++) {
        snLayeredPostured row = snLayered_Postured(&editor->layered, posture)[j];
        setPose(editor, j, row.angles, row.shift);
    }
    return snEditor_End(editor, SN_OK, error);
}

snStatus snEdit_SetSettings(snEditor *editor, const snLayeredSettings *settings, snError *error)
{
    snEditor_Begin(editor);
    snEditor_Set(editor, SN_TABLE_SETTINGS, 0, settings);
    return snEditor_End(editor, SN_OK, error);
}
