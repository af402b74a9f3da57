#include "layered/figure.h"

#include "core/elementary.h"
#include "core/error.h"
#include "geometry/primitive.h"
#include "layered/fields.h"

#include <string.h>

#define TO_RADIANS (SN_PI / 180)
#define PUSHES 8 // rounds: out of one muscle may be into another

// ---- building ---------------------------------------------------------------------------------------

static snJointRange rangeOf(const snLayeredJoint *joint)
{
    const double *low = &joint->low.x, *high = &joint->high.x;
    snJointRange range = snFreeHinge(snNormalizeOr(joint->axis, snVec(1, 0, 0)));
    range.kind = (snJointKind)joint->kind;
    range.limited = joint->limited;
    for (int i = 0; i < 3; i++) {
        range.low[i] = low[i] * TO_RADIANS;
        range.high[i] = high[i] * TO_RADIANS;
    }
    return range;
}

static snStatus buildSkeleton(snFigure *f, snError *error)
{
    int n = snLayered_Count(f->layered, SN_TABLE_JOINTS);
    f->skeleton.joints = SN_NEW(&f->arena, snJoint, n);
    f->ranges = SN_NEW(&f->arena, snJointRange, n);
    f->angles = SN_NEW(&f->arena, snVec3, n);
    if (!f->skeleton.joints || !f->ranges || !f->angles) return snFailMemory(error);
    f->skeleton.jointCount = n;
    for (int i = 0; i < n; i++) {
        const snLayeredJoint *joint = &snLayered_Joints(f->layered)[i];
        f->ranges[i] = rangeOf(joint);
        f->skeleton.joints[i] = (snJoint){
            .name = snArena_CopyString(&f->arena, joint->name, strlen(joint->name)),
            .parent = joint->parent,
            .rest = {joint->place, joint->rotation, snVec(1, 1, 1)},
            .fileNode = i,
        };
        if (!f->skeleton.joints[i].name) return snFailMemory(error);
    }
    return snPose_Make(&f->pose, &f->skeleton, 0, &f->arena, error);
}

static void takePosture(snFigure *f, const snLayeredPostured *rows)
{
    for (int j = 0; j < f->skeleton.jointCount; j++) {
        snTransform *local = &f->pose.local[j];
        *local = f->skeleton.joints[j].rest;
        local->rotation = snFigure_Rotation(f, j, rows[j].angles);
        local->translation = snAdd(local->translation, rows[j].shift);
    }
}

static snStatus buildPostures(snFigure *f, snError *error)
{
    const snLayeredSettings *settings = snLayered_Settings(f->layered);
    int count = snLayered_Count(f->layered, SN_TABLE_POSTURES);
    snStatus status =
        snPostures_Make(&f->postures, f->skeleton.jointCount, &f->layered->context, error);
    for (int i = 0; i < count && !status; i++) {
        const snLayeredPosture *p = &snLayered_Postures(f->layered)[i];
        snKnotShape shape = {p->tension, p->continuity, p->bias};
        takePosture(f, snLayered_Postured(f->layered, i));
        status = snPostures_Set(f->postures, p->time, &f->pose, &shape, error);
    }
    if (status || !count) return status;
    double first = snLayered_Postures(f->layered)[0].time;
    double last = snLayered_Postures(f->layered)[count - 1].time;
    f->duration = settings->duration > 0 ? settings->duration : last;
    // A round begins with the first posture and takes the whole duration.
    double closing = f->duration - (last - first);
    if (settings->loop && count > 1 && closing > 0) snPostures_Close(f->postures, closing);
    return SN_OK;
}

snStatus snFigure_Build(snFigure *f, const snLayered *layered, snError *error)
{
    *f = (snFigure){.arena = snMakeArena(&layered->context), .layered = layered};
    f->muscleCount = snLayered_Count(layered, SN_TABLE_MUSCLES);
    f->muscles = SN_NEW(&f->arena, snMuscle, f->muscleCount);
    snStatus status = f->muscles ? buildSkeleton(f, error) : snFailMemory(error);
    if (!status) status = buildPostures(f, error);
    if (status)
        snFigure_Destroy(f);
    else
        snFigure_SetPresent(f);
    return status;
}

void snFigure_Destroy(snFigure *f)
{
    snPostures_Destroy(f->postures);
    snArena_Destroy(&f->arena);
    *f = (snFigure){0};
}

// ---- standing ---------------------------------------------------------------------------------------

snQuat snFigure_Rotation(const snFigure *f, int joint, snVec3 degrees)
{
    double angles[3] = {degrees.x * TO_RADIANS, degrees.y * TO_RADIANS, degrees.z * TO_RADIANS};
    return snJointRange_Rotation(&f->ranges[joint], f->skeleton.joints[joint].rest.rotation,
                                 angles);
}

snVec3 snFigure_Degrees(const snFigure *f, int joint, snQuat rotation)
{
    double a[3];
    snJointRange_Read(&f->ranges[joint], f->skeleton.joints[joint].rest.rotation, rotation, a);
    return snVec(a[0] / TO_RADIANS + 0.0, a[1] / TO_RADIANS + 0.0, a[2] / TO_RADIANS + 0.0);
}

snMuscleShape snFigure_Shape(const snFigure *f, int muscle, double time)
{
    static const snShapeKind kinds[] = {SN_SHAPE_SPHERE, SN_SHAPE_SUPERELLIPSOID,
                                        SN_SHAPE_CYLINDER};
    const snLayeredMuscle *m = &snLayered_Muscles(f->layered)[muscle];
    snMuscleShape s = snDefaultMuscleShape(kinds[m->shape]);
    s.shape.place = (snAffine){snQuatToMat(snNormalizeQ(m->rotation)), m->place};
    s.shape.size = m->size;
    s.shape.e1 = m->e1;
    s.shape.e2 = m->e2;
    s.warp.axis = m->axis;
    for (int i = 0; i < 2; i++)
        s.warp.taper[i] = snDriven_Value(&m->taper[i], time, f->angles);
    s.warp.twist = snDriven_Value(&m->twist, time, f->angles) * TO_RADIANS;
    s.warp.bend = snDriven_Value(&m->bend, time, f->angles) * TO_RADIANS;
    s.warp.bendAround = snDriven_Value(&m->bendAround, time, f->angles) * TO_RADIANS;
    s.warp.bulgeCount = m->bulgeCount;
    for (int b = 0; b < m->bulgeCount; b++)
        s.warp.bulges[b] = (snBulge){m->bulges[b].place, m->bulges[b].direction, m->bulges[b].width,
                                     snDriven_Value(&m->bulges[b].height, time, f->angles)};
    return s;
}

void snFigure_Follow(snFigure *f, double time)
{
    snPose_Globals(&f->pose, &f->skeleton);
    for (int j = 0; j < f->skeleton.jointCount; j++)
        f->angles[j] = snFigure_Degrees(f, j, f->pose.local[j].rotation);
    for (int m = 0; m < f->muscleCount; m++) {
        snMuscleShape shape = snFigure_Shape(f, m, time);
        f->muscles[m] =
            snMakeMuscle(&shape, f->pose.global[snLayered_Muscles(f->layered)[m].joint]);
    }
}

void snFigure_SetRest(snFigure *f)
{
    snPose_SetRest(&f->pose, &f->skeleton);
    snFigure_Follow(f, 0);
}

void snFigure_SetPresent(snFigure *f)
{
    for (int j = 0; j < f->skeleton.jointCount; j++) {
        const snLayeredJoint *joint = &snLayered_Joints(f->layered)[j];
        f->pose.local[j] = f->skeleton.joints[j].rest;
        f->pose.local[j].rotation = snFigure_Rotation(f, j, joint->angles);
        f->pose.local[j].translation = snAdd(joint->place, joint->shift);
    }
    snFigure_Follow(f, 0);
}

void snFigure_SetTime(snFigure *f, double time)
{
    if (!snPostures_Count(f->postures))
        snFigure_SetPresent(f);
    else
        snPostures_Sample(f->postures, time, &f->pose);
    snFigure_Follow(f, time);
}

// ---- muscles ----------------------------------------------------------------------------------------

double snFigure_Distance(const snFigure *f, snVec3 point, int *muscle)
{
    double least = 1e300;
    int whose = -1;
    for (int m = 0; m < f->muscleCount; m++) {
        double distance = snMuscle_Distance(&f->muscles[m], point);
        if (distance < least) least = distance, whose = m;
    }
    if (muscle) *muscle = whose;
    return least;
}

// The muscle that the point is deepest in, or nearest to within the gap; -1: it is clear of all.
static int inTheWay(const snFigure *f, snVec3 point, double gap)
{
    double least = gap * (1 - 1e-6) - 1e-12;
    int whose = -1;
    for (int m = 0; m < f->muscleCount; m++) {
        if (snLayered_Muscles(f->layered)[m].bare) continue;
        if (snBox_DistanceSquared(f->muscles[m].bounds, point) > gap * gap) continue;
        double distance = snMuscle_Distance(&f->muscles[m], point);
        if (distance < least) least = distance, whose = m;
    }
    return whose;
}

snVec3 snFigure_PushOut(const snFigure *f, snVec3 point, double gap)
{
    for (int round = 0; round < PUSHES; round++) {
        int muscle = inTheWay(f, point, gap);
        if (muscle < 0) break;
        snVec3 normal, foot = snMuscle_Project(&f->muscles[muscle], point, &normal);
        point = snMulAdd(foot, gap, normal);
    }
    return point;
}

snStatus snFigure_ToClip(const snFigure *f, const char *name, snArena *arena, snClip *clip,
                         snError *error)
{
    return snPostures_ToClip(f->postures, &f->skeleton, name, arena, clip, error);
}
