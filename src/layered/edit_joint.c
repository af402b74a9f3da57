#include "layered/operations.h"

#include "core/error.h"
#include "layered/fields.h"
#include "layered/figure.h"

#include <string.h>

int snEdit_Current(const snEditor *editor)
{
    return snLayered_Settings(&editor->layered)->current;
}

snStatus snEdit_CheckNewName(const snEditor *editor, snTable table, const char *name, int except,
                             snError *error)
{
    snStatus status = snName_Check(name, error);
    int row = status ? -1 : snLayered_Find(&editor->layered, table, name);
    if (status || row < 0 || row == except) return status;
    return snFail(error, SN_ERROR_ARGUMENT, "there is a \"%s\" already; names must differ", name);
}

static void setCurrent(snEditor *editor, int joint)
{
    snLayeredSettings settings = *snLayered_Settings(&editor->layered);
    settings.current = joint;
    snEditor_Set(editor, SN_TABLE_SETTINGS, 0, &settings);
}

static snStatus checkJoint(const snEditor *editor, const snLayeredJoint *def, int except,
                           snError *error)
{
    snStatus status = snEdit_CheckNewName(editor, SN_TABLE_JOINTS, def->name, except, error);
    if (status) return status;
    if (def->kind != SN_JOINT_FIXED && !(snLength(def->axis) > 1e-9))
        return snFail(error, SN_ERROR_ARGUMENT, "the axis of \"%s\" is zero", def->name);
    const double *low = &def->low.x, *high = &def->high.x;
    for (int i = 0; i < 3; i++)
        if (!(low[i] <= high[i]))
            return snFail(
                error, SN_ERROR_ARGUMENT,
                "the range of \"%s\" is from %g to %g degrees; low must not be above high",
                def->name, low[i], high[i]);
    return SN_OK;
}

snStatus snEdit_AddJoint(snEditor *editor, const snLayeredJoint *def, int *joint, snError *error)
{
    const snLayered *layered = &editor->layered;
    int count = snLayered_Count(layered, SN_TABLE_JOINTS);
    int postures = snLayered_Count(layered, SN_TABLE_POSTURES);
    const snLayeredPostured rest = {0};
    if (count == SN_MOST_JOINTS)
        return snFail(error, SN_ERROR_ARGUMENT, "there are %d joints, which is the most", count);
    if (def->parent < -1 || def->parent >= count)
        return snFail(error, SN_ERROR_ARGUMENT, "joint %d is no parent; there are %d", def->parent,
                      count);
    snStatus status = checkJoint(editor, def, -1, error);
    if (status) return status;
    snEditor_Begin(editor);
    snEditor_Insert(editor, SN_TABLE_JOINTS, count, 1, def);
    for (int p = postures; p-- > 0;)
        snEditor_Insert(editor, SN_TABLE_POSTURED, (p + 1) * count, 1, &rest);
    setCurrent(editor, count);
    if (joint) *joint = count;
    return snEditor_End(editor, SN_OK, error);
}

snStatus snEdit_SelectJoint(snEditor *editor, int joint, snError *error)
{
    snEditor_Begin(editor);
    setCurrent(editor, joint);
    return snEditor_End(editor, SN_OK, error);
}

snStatus snEdit_SetJoint(snEditor *editor, int joint, const snLayeredJoint *def, snError *error)
{
    snStatus status = checkJoint(editor, def, joint, error);
    if (status) return status;
    snLayeredJoint row = *def;
    row.parent = snLayered_Joints(&editor->layered)[joint].parent;
    snEditor_Begin(editor);
    snEditor_Set(editor, SN_TABLE_JOINTS, joint, &row);
    return snEditor_End(editor, SN_OK, error);
}

// Puts joint `j` where it is given relative to its parent.
static void placeJoint(snEditor *editor, int j, snVec3 place, snQuat rotation)
{
    snLayeredJoint row = snLayered_Joints(&editor->layered)[j];
    row.place = place;
    row.rotation = rotation;
    snEditor_Set(editor, SN_TABLE_JOINTS, j, &row);
}

snStatus snEdit_MoveJoint(snEditor *editor, int joint, snVec3 place, bool childrenStay,
                          snError *error)
{
    snFigure figure;
    if (!snIsFinite3(place)) return snFail(error, SN_ERROR_ARGUMENT, "the place is not finite");
    snStatus status = snFigure_Build(&figure, &editor->layered, error);
    if (status) return status;
    const snAffine *global = figure.pose.global;
    const snLayeredJoint *joints = snLayered_Joints(&editor->layered);
    int parent = joints[joint].parent;
    snAffine frame = parent < 0 ? snIdentityAffine() : global[parent];
    snVec3 local = snSub(snMulAP(snInverseAffine(frame), place), joints[joint].shift);
    snVec3 moved = snMulTMV(global[joint].linear, snSub(place, global[joint].origin));
    snEditor_Begin(editor);
    placeJoint(editor, joint, local, joints[joint].rotation);
    for (int j = joint + 1; j < figure.skeleton.jointCount && childrenStay; j++) {
        const snLayeredJoint *child = &snLayered_Joints(&editor->layered)[j];
        if (child->parent == joint)
            placeJoint(editor, j, snSub(child->place, moved), child->rotation);
    }
    snFigure_Destroy(&figure);
    return snEditor_End(editor, SN_OK, error);
}

snStatus snEdit_RotateJoint(snEditor *editor, int joint, snQuat turn, snError *error)
{
    const snLayeredJoint *row = &snLayered_Joints(&editor->layered)[joint];
    snEditor_Begin(editor);
    placeJoint(editor, joint, row->place, snNormalizeQ(snMulQQ(row->rotation, turn)));
    return snEditor_End(editor, SN_OK, error);
}

snStatus snEdit_ResizeJoint(snEditor *editor, int joint, double size, snError *error)
{
    snLayeredJoint row = snLayered_Joints(&editor->layered)[joint];
    if (!(size >= 0 && size < 1e6))
        return snFail(error, SN_ERROR_ARGUMENT, "the size of \"%s\" is %g", row.name, size);
    row.size = size;
    snEditor_Begin(editor);
    snEditor_Set(editor, SN_TABLE_JOINTS, joint, &row);
    return snEditor_End(editor, SN_OK, error);
}

// ---- deleting ---------------------------------------------------------------------------------------

static int renumber(int joint, int gone, int instead)
{
    return joint == gone ? instead : joint > gone ? joint - 1 : joint;
}

// A function of an angle that is no more becomes the number that it is at rest.
static void renumberDriven(snDriven *driven, int gone)
{
    static const snVec3 none[1];
    if (driven->joint < 0) return;
    if (driven->joint != gone) {
        driven->joint = renumber(driven->joint, gone, -1);
        return;
    }
    snDriven still = *driven;
    still.joint = 0;
    *driven = (snDriven){.joint = -1, .value = snDriven_Value(&still, 0, none)};
}

static void renumberMuscles(snEditor *editor, int gone, int instead)
{
    for (int m = 0; m < snLayered_Count(&editor->layered, SN_TABLE_MUSCLES); m++) {
        snLayeredMuscle row = snLayered_Muscles(&editor->layered)[m];
        snDriven *driven[5] = {&row.taper[0], &row.taper[1], &row.twist, &row.bend,
                               &row.bendAround};
        row.joint = renumber(row.joint, gone, instead);
        for (int i = 0; i < 5; i++)
            renumberDriven(driven[i], gone);
        for (int b = 0; b < SN_WARP_BULGES; b++)
            renumberDriven(&row.bulges[b].height, gone);
        snEditor_Set(editor, SN_TABLE_MUSCLES, m, &row);
    }
}

void snEdit_ForgetJoint(snEditor *editor, int gone, int instead)
{
    const snLayered *layered = &editor->layered;
    int count = snLayered_Count(layered, SN_TABLE_JOINTS);
    for (int p = snLayered_Count(layered, SN_TABLE_POSTURES); p-- > 0;)
        snEditor_Remove(editor, SN_TABLE_POSTURED, p * count + gone, 1);
    snEditor_Remove(editor, SN_TABLE_JOINTS, gone, 1);
    for (int j = gone; j < snLayered_Count(layered, SN_TABLE_JOINTS); j++) {
        snLayeredJoint row = snLayered_Joints(layered)[j];
        row.parent = renumber(row.parent, gone, instead);
        snEditor_Set(editor, SN_TABLE_JOINTS, j, &row);
    }
    renumberMuscles(editor, gone, instead);
    if (snLayered_Skin(layered)) {
        snLayeredSkin skin = *snLayered_Skin(layered);
        skin.bottom = renumber(skin.bottom, gone, instead);
        skin.top = renumber(skin.top, gone, instead);
        renumberDriven(&skin.stiffness, gone);
        snEditor_Set(editor, SN_TABLE_SKIN, 0, &skin);
    }
    for (int i = 0; i < snLayered_Count(layered, SN_TABLE_POINTS); i++) {
        snLayeredPoint row = snLayered_Points(layered)[i];
        if (row.joint < gone) continue;
        row.joint = renumber(row.joint, gone, instead);
        snEditor_Set(editor, SN_TABLE_POINTS, i, &row);
    }
    setCurrent(editor, renumber(snEdit_Current(editor), gone, instead));
}

// Everything on the joint goes over to its parent and stays where it is at rest.
static snStatus moveHanging(snEditor *editor, int joint, snError *error)
{
    const snLayered *layered = &editor->layered;
    snLayeredJoint gone = snLayered_Joints(layered)[joint];
    snAffine local = {snQuatToMat(snNormalizeQ(gone.rotation)), gone.place};
    for (int j = joint + 1; j < snLayered_Count(layered, SN_TABLE_JOINTS); j++) {
        const snLayeredJoint *child = &snLayered_Joints(layered)[j];
        if (child->parent != joint) continue;
        placeJoint(editor, j, snMulAP(local, child->place),
                   snNormalizeQ(snMulQQ(gone.rotation, child->rotation)));
    }
    for (int m = 0; m < snLayered_Count(layered, SN_TABLE_MUSCLES); m++) {
        snLayeredMuscle row = snLayered_Muscles(layered)[m];
        if (row.joint != joint) continue;
        if (gone.parent < 0)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "muscle \"%s\" hangs on the root \"%s\" and has nowhere to go; delete it "
                          "first, or all that hangs there",
                          row.name, gone.name);
        row.place = snMulAP(local, row.place);
        row.rotation = snNormalizeQ(snMulQQ(gone.rotation, row.rotation));
        snEditor_Set(editor, SN_TABLE_MUSCLES, m, &row);
    }
    for (int i = 0; i < snLayered_Count(layered, SN_TABLE_POINTS); i++) {
        snLayeredPoint row = snLayered_Points(layered)[i];
        if (row.joint != joint) continue;
        row.foot = snMulAP(local, row.foot);
        snEditor_Set(editor, SN_TABLE_POINTS, i, &row);
    }
    const snLayeredSkin *skin = snLayered_Skin(layered);
    if (gone.parent < 0 && skin && (skin->bottom == joint || skin->top == joint))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "the skin ends at the root \"%s\"; delete the skin first", gone.name);
    return SN_OK;
}

// With all that hangs on it, from the last joint to the first, so that none has children left.
static snStatus deleteTree(snEditor *editor, int joint, snError *error)
{
    const snLayered *layered = &editor->layered;
    unsigned char gone[SN_MOST_JOINTS] = {0};
    int count = snLayered_Count(layered, SN_TABLE_JOINTS);
    snStatus status = SN_OK;
    gone[joint] = 1;
    for (int j = joint + 1; j < count; j++) {
        int parent = snLayered_Joints(layered)[j].parent;
        gone[j] = parent >= 0 && gone[parent];
    }
    const snLayeredSkin *skin = snLayered_Skin(layered);
    if (skin && skin->kind == SN_SKIN_GRID && (gone[skin->bottom] || gone[skin->top]))
        status = snEdit_DeleteSkin(editor, error);
    for (int m = snLayered_Count(layered, SN_TABLE_MUSCLES); m-- > 0;)
        if (gone[snLayered_Muscles(layered)[m].joint]) snEdit_ForgetMuscle(editor, m);
    int parent = snLayered_Joints(layered)[joint].parent;
    for (int j = count; j-- > joint;)
        if (gone[j]) snEdit_ForgetJoint(editor, j, -1);
    setCurrent(editor, parent);
    return status;
}

snStatus snEdit_DeleteJoint(snEditor *editor, int joint, snHanging hanging, snError *error)
{
    int parent = snLayered_Joints(&editor->layered)[joint].parent;
    snEditor_Begin(editor);
    snStatus status = hanging == SN_HANGING_MOVES ? moveHanging(editor, joint, error)
                                                  : deleteTree(editor, joint, error);
    if (!status && hanging == SN_HANGING_MOVES) snEdit_ForgetJoint(editor, joint, parent);
    return snEditor_End(editor, status, error);
}
