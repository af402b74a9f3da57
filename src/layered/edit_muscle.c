#include "layered/operations.h"

#include "core/error.h"
#include "layered/figure.h"

#include <string.h>

static snStatus checkMuscle(const snEditor *editor, const snLayeredMuscle *def, int except,
                            snError *error)
{
    snStatus status = snEdit_CheckNewName(editor, SN_TABLE_MUSCLES, def->name, except, error);
    if (status) return status;
    if (def->joint < 0 || def->joint >= snLayered_Count(&editor->layered, SN_TABLE_JOINTS))
        return snFail(error, SN_ERROR_ARGUMENT, "muscle \"%s\" needs a joint to hang on",
                      def->name);
    if (!(def->size.x > 0 && def->size.y > 0 && def->size.z > 0))
        return snFail(error, SN_ERROR_ARGUMENT, "the size of \"%s\" must be above 0", def->name);
    return SN_OK;
}

snStatus snEdit_AddMuscle(snEditor *editor, const snLayeredMuscle *def, int *muscle, snError *error)
{
    int count = snLayered_Count(&editor->layered, SN_TABLE_MUSCLES);
    if (count == SN_MOST_JOINTS)
        return snFail(error, SN_ERROR_ARGUMENT, "there are %d muscles, which is the most", count);
    snStatus status = checkMuscle(editor, def, -1, error);
    if (status) return status;
    snEditor_Begin(editor);
    snEditor_Insert(editor, SN_TABLE_MUSCLES, count, 1, def);
    if (muscle) *muscle = count;
    return snEditor_End(editor, SN_OK, error);
}

snStatus snEdit_SetMuscle(snEditor *editor, int muscle, const snLayeredMuscle *def, snError *error)
{
    snStatus status = checkMuscle(editor, def, muscle, error);
    if (status) return status;
    snEditor_Begin(editor);
    snEditor_Set(editor, SN_TABLE_MUSCLES, muscle, def);
    return snEditor_End(editor, SN_OK, error);
}

snStatus snEdit_MoveMuscle(snEditor *editor, int muscle, snVec3 place, snError *error)
{
    snFigure figure;
    snLayeredMuscle row = snLayered_Muscles(&editor->layered)[muscle];
    if (!snIsFinite3(place)) return snFail(error, SN_ERROR_ARGUMENT, "the place is not finite");
    snStatus status = snFigure_Build(&figure, &editor->layered, error);
    if (status) return status;
    row.place = snMulAP(snInverseAffine(figure.pose.global[row.joint]), place);
    snFigure_Destroy(&figure);
    return snEdit_SetMuscle(editor, muscle, &row, error);
}

snStatus snEdit_RotateMuscle(snEditor *editor, int muscle, snQuat turn, snError *error)
{
    snLayeredMuscle row = snLayered_Muscles(&editor->layered)[muscle];
    row.rotation = snNormalizeQ(snMulQQ(row.rotation, turn));
    return snEdit_SetMuscle(editor, muscle, &row, error);
}

snStatus snEdit_ScaleMuscle(snEditor *editor, int muscle, snVec3 factors, snError *error)
{
    snLayeredMuscle row = snLayered_Muscles(&editor->layered)[muscle];
    row.size = snVec(row.size.x * factors.x, row.size.y * factors.y, row.size.z * factors.z);
    return snEdit_SetMuscle(editor, muscle, &row, error);
}

void snEdit_ForgetMuscle(snEditor *editor, int gone)
{
    const snLayered *layered = &editor->layered;
    snEditor_Remove(editor, SN_TABLE_MUSCLES, gone, 1);
    for (int i = 0; i < snLayered_Count(layered, SN_TABLE_POINTS); i++) {
        snLayeredPoint row = snLayered_Points(layered)[i];
        if (row.muscle < gone) continue;
        if (row.muscle == gone) row.foot = snVec(0, 0, 0), row.bandLength = 0;
        row.muscle = row.muscle == gone ? -1 : row.muscle - 1;
        snEditor_Set(editor, SN_TABLE_POINTS, i, &row);
    }
}

snStatus snEdit_DeleteMuscle(snEditor *editor, int muscle, snError *error)
{
    snEditor_Begin(editor);
    snEdit_ForgetMuscle(editor, muscle);
    return snEditor_End(editor, SN_OK, error);
}

// ---- the other side ---------------------------------------------------------------------------------
//
// With M = diag(-1, 1, 1), places go to M p, and rotations R to M R M, whose quaternion is (x, -y, -z, w); axes of turns
// and directions about which they go are axial: (x, -y, -z). A frame whose parent is not mirrored is one whose parent
// stands on the plane with an upright x: joints of the middle are taken to be so.

static snVec3 mirrored(snVec3 v)
{
    return snVec(-v.x + 0.0, v.y, v.z);
}

static snVec3 mirroredAxis(snVec3 v)
{
    return snVec(v.x, -v.y + 0.0, -v.z + 0.0);
}

static snQuat mirroredTurn(snQuat q)
{
    return (snQuat){q.x, -q.y + 0.0, -q.z + 0.0, q.w};
}

// The twin's name, or false where `name` does not end in `from`.
static bool twinName(const char *name, const char *from, const char *to, char *out)
{
    size_t length = strlen(name), end = strlen(from);
    if (length <= end || strcmp(name + length - end, from)) return false;
    if (length - end + strlen(to) >= SN_NAME_SIZE) return false;
    memmove(out, name, length - end); // may be the same
    memset(out + length - end, 0, SN_NAME_SIZE - (length - end));
    memcpy(out + length - end, to, strlen(to));
    return true;
}

// The twin of a joint, or itself where there is none.
static int twinJoint(const snEditor *editor, int joint, const char *from, const char *to)
{
    char name[SN_NAME_SIZE];
    if (joint < 0 || !twinName(snLayered_Joints(&editor->layered)[joint].name, from, to, name))
        return joint;
    int twin = snLayered_Find(&editor->layered, SN_TABLE_JOINTS, name);
    return twin >= 0 ? twin : joint;
}

static snStatus mirrorJoint(snEditor *editor, int joint, const char *from, const char *to,
                            snError *error)
{
    snLayeredJoint row = snLayered_Joints(&editor->layered)[joint];
    if (!twinName(row.name, from, to, row.name)) return SN_OK;
    row.parent = twinJoint(editor, row.parent, from, to);
    row.place = mirrored(row.place);
    row.rotation = mirroredTurn(row.rotation);
    row.axis = mirroredAxis(row.axis);
    snVec3 low = row.low, high = row.high;
    row.low = snVec(low.x, -high.y, -high.z);
    row.high = snVec(high.x, -low.y, -low.z);
    row.angles = mirroredAxis(row.angles);
    row.shift = mirrored(row.shift);
    int twin = snLayered_Find(&editor->layered, SN_TABLE_JOINTS, row.name);
    return twin < 0 ? snEdit_AddJoint(editor, &row, NULL, error)
                    : snEdit_SetJoint(editor, twin, &row, error);
}

// A shape is its own mirror image; what deforms it along the axis it is bent about turns the other way.
static void mirrorDriven(const snEditor *editor, snDriven *driven, double sign, const char *from,
                         const char *to)
{
    driven->joint = twinJoint(editor, driven->joint, from, to);
    driven->value = sign * driven->value + 0.0;
    for (int i = 0; i < driven->count; i++) {
        double *value = &driven->points[i][driven->kind != SN_DRIVEN_POLYNOMIAL];
        *value = sign * *value + 0.0;
    }
    bool swing = driven->angle > 0 && driven->joint >= 0; // its angle is the other way on the twin
    if (!swing) return;
    if (driven->kind == SN_DRIVEN_POLYNOMIAL)
        for (int i = 1; i < driven->count; i += 2)
            driven->points[i][0] = -driven->points[i][0] + 0.0;
    for (int i = 0, k = driven->count - 1; driven->kind == SN_DRIVEN_MAP && i <= k; i++, k--) {
        double a[2] = {-driven->points[i][0] + 0.0, driven->points[i][1]};
        double b[2] = {-driven->points[k][0] + 0.0, driven->points[k][1]};
        memcpy(driven->points[i], b, sizeof b);
        memcpy(driven->points[k], a, sizeof a);
    }
}

// Where it bends to, (cos a, sin a) in the two axes after its own, is mirrored: of these one may be x.
static void mirrorBend(const snEditor *editor, snLayeredMuscle *row, const char *from,
                       const char *to)
{
    // axis x: (y, z), nothing changes; y: (z, x), a becomes -a; z: (x, y), a becomes 180 - a: bent
    // the other way about -a.
    mirrorDriven(editor, &row->bendAround, row->axis == 0 ? 1 : -1, from, to);
    mirrorDriven(editor, &row->bend, row->axis == 2 ? -1 : 1, from, to);
}

static snStatus mirrorMuscle(snEditor *editor, int muscle, const char *from, const char *to,
                             snError *error)
{
    snLayeredMuscle row = snLayered_Muscles(&editor->layered)[muscle];
    if (!twinName(row.name, from, to, row.name)) return SN_OK;
    row.joint = twinJoint(editor, row.joint, from, to);
    row.place = mirrored(row.place);
    row.rotation = mirroredTurn(row.rotation);
    for (int i = 0; i < 2; i++) // along x the wider end is the other one
        mirrorDriven(editor, &row.taper[i], row.axis == 0 ? -1 : 1, from, to);
    mirrorDriven(editor, &row.twist, -1, from, to);
    mirrorBend(editor, &row, from, to);
    for (int b = 0; b < row.bulgeCount; b++) {
        row.bulges[b].place = mirrored(row.bulges[b].place);
        row.bulges[b].direction = mirrored(row.bulges[b].direction);
        mirrorDriven(editor, &row.bulges[b].height, 1, from, to);
    }
    int twin = snLayered_Find(&editor->layered, SN_TABLE_MUSCLES, row.name);
    return twin < 0 ? snEdit_AddMuscle(editor, &row, NULL, error)
                    : snEdit_SetMuscle(editor, twin, &row, error);
}

static snStatus mirrorMark(snEditor *editor, int mark, const char *from, const char *to,
                           snError *error)
{
    snLayeredMark row = snLayered_Marks(&editor->layered)[mark];
    if (!twinName(row.name, from, to, row.name)) return SN_OK;
    row.place = mirrored(row.place);
    row.rotation = mirroredTurn(row.rotation);
    return snEdit_SetMark(editor, &row, error);
}

snStatus snEdit_Mirror(snEditor *editor, const char *from, const char *to, snError *error)
{
    snStatus status = SN_OK;
    if (!*from || !*to || !strcmp(from, to))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "say two endings of names that differ, like .l and .r");
    int current = snEdit_Current(editor);
    snEditor_Begin(editor);
    int joints = snLayered_Count(&editor->layered, SN_TABLE_JOINTS);
    int muscles = snLayered_Count(&editor->layered, SN_TABLE_MUSCLES);
    for (int j = 0; j < joints && !status; j++)
        status = mirrorJoint(editor, j, from, to, error);
    for (int m = 0; m < muscles && !status; m++)
        status = mirrorMuscle(editor, m, from, to, error);
    int marks = snLayered_Count(&editor->layered, SN_TABLE_MARKS);
    for (int m = 0; m < marks && !status; m++)
        status = mirrorMark(editor, m, from, to, error);
    if (!status) status = snEdit_SelectJoint(editor, current, error);
    return snEditor_End(editor, status, error);
}
