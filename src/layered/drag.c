#include "layered/tool.h"

#include "core/error.h"

#include <stdio.h>
#include <string.h>

// Every move takes back what the last one did and does it anew from the begin, so that a drag of a thousand moves leaves
// behind what one would; only fat is laid on as one goes.

// Where the tool is: its tip, or where its ray meets the plane through the pick that faces the first ray.
static snVec3 toolPlace(const snDrag *drag, snTool tool)
{
    if (!tool.isRay) return tool.place;
    snVec3 normal = drag->tool.direction;
    double toward = snDot(tool.direction, normal);
    if (!(toward > 1e-3)) return drag->anchor; // it looks along the plane, or away from it
    double t = snDot(snSub(drag->def.pick.place, tool.place), normal) / toward;
    return snMulAdd(tool.place, t, tool.direction);
}

static snQuat rotationOf(snAffine frame)
{
    return snQuatFromMat(frame.linear);
}

// ---- begin ------------------------------------------------------------------------------------------

static snStatus takeObject(snDrag *drag, snError *error)
{
    snFigure figure;
    const snLayered *layered = &drag->editor->layered;
    const snToolPick *pick = &drag->def.pick;
    snStatus status = snFigure_Build(&figure, layered, error);
    if (status) return status;
    if (pick->kind == SN_PICKED_JOINT) {
        drag->object = figure.pose.global[pick->row];
        drag->size = snLayered_Joints(layered)[pick->row].size;
    } else if (pick->kind == SN_PICKED_MUSCLE) {
        drag->object = figure.muscles[pick->row].frame;
        drag->size = 1;
    }
    snFigure_Destroy(&figure);
    return SN_OK;
}

static snStatus checkAction(const snDragDef *def, snError *error)
{
    static const char *const wanted[] = {
        "a joint or a muscle", "a joint or a muscle", "a joint", "", "a point of the skin", ""};
    static const int kinds[] = {6, 6, 2, 15, 8, 15}; // bits of snPickKind
    if (kinds[def->action] & (1 << def->pick.kind)) return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT, "this drag needs %s; nothing such is picked",
                  wanted[def->action]);
}

snStatus snDrag_Begin(snDrag *drag, snEditor *editor, const snDragDef *def, snTool tool,
                      snError *error)
{
    *drag = (snDrag){.editor = editor, .def = *def, .tool = tool, .object = snIdentityAffine()};
    snStatus status = checkAction(def, error);
    if (!status && editor->depth >= SN_EDITOR_DEPTH - 4)
        status = snFail(error, SN_ERROR_ARGUMENT, "too many groups are under way");
    if (!status && def->action == SN_DRAG_CREATE && !def->pick.kind)
        drag->def.pick.place =
            tool.isRay ? snMulAdd(tool.place, def->depth, tool.direction) : tool.place;
    if (!status) status = takeObject(drag, error);
    if (status) return status;
    drag->anchor = drag->def.pick.place;
    if (!tool.isRay) drag->anchor = tool.place;
    snEditor_Begin(editor);
    return SN_OK;
}

// ---- moves ------------------------------------------------------------------------------------------

// Where the object goes: it keeps its place in the controller's frame, or moves as the ray does.
static snAffine carried(const snDrag *drag, snTool tool)
{
    snAffine frame = drag->object;
    if (tool.isRay) {
        frame.origin = snAdd(frame.origin, snSub(toolPlace(drag, tool), drag->anchor));
        return frame;
    }
    snAffine then = {snQuatToMat(drag->tool.rotation), drag->tool.place};
    snAffine now = {snQuatToMat(tool.rotation), tool.place};
    return snMulAA(now, snMulAA(snInverseAffine(then), frame));
}

// global = parent rest turn: the rest that gives the new global rotation while its turn stays.
static snStatus turnJoint(snDrag *drag, snQuat rotation, snError *error)
{
    int joint = drag->def.pick.row;
    snQuat change =
        snMulQQ(snConjugate(rotationOf(drag->object)), rotation); // in its own frame now
    snFigure figure;
    snStatus status = snFigure_Build(&figure, &drag->editor->layered, error);
    if (status) return status;
    snQuat rest = snNormalizeQ(figure.skeleton.joints[joint].rest.rotation);
    snQuat turn = snMulQQ(snConjugate(rest), figure.pose.local[joint].rotation);
    snFigure_Destroy(&figure);
    return snEdit_RotateJoint(drag->editor, joint,
                              snMulQQ(turn, snMulQQ(change, snConjugate(turn))), error);
}

static snStatus move(snDrag *drag, snTool tool, snError *error)
{
    const snToolPick *pick = &drag->def.pick;
    snAffine to = carried(drag, tool);
    snStatus status;
    if (pick->kind == SN_PICKED_JOINT) {
        status =
            snEdit_MoveJoint(drag->editor, pick->row, to.origin, drag->def.childrenStay, error);
        if (!status && !tool.isRay) status = turnJoint(drag, rotationOf(to), error);
        return status;
    }
    status = snEdit_MoveMuscle(drag->editor, pick->row, to.origin, error);
    if (!status && !tool.isRay)
        status = snEdit_RotateMuscle(drag->editor, pick->row,
                                     snMulQQ(snConjugate(rotationOf(drag->object)), rotationOf(to)),
                                     error);
    return status;
}

static snStatus resize(snDrag *drag, snTool tool, snError *error)
{
    const snToolPick *pick = &drag->def.pick;
    double then = snDistance(drag->anchor, drag->object.origin);
    double now = snDistance(toolPlace(drag, tool), drag->object.origin);
    if (!(then > 1e-9) || !(now > 1e-9)) return SN_OK;
    if (pick->kind == SN_PICKED_JOINT)
        return snEdit_ResizeJoint(drag->editor, pick->row, drag->size * now / then, error);
    double factor = now / then;
    return snEdit_ScaleMuscle(drag->editor, pick->row, snVec(factor, factor, factor), error);
}

static snStatus pose(snDrag *drag, snTool tool, snError *error)
{
    snAffine to = carried(drag, tool);
    snReach reach = {.joint = drag->def.pick.row,
                     .place = true,
                     .turn = drag->def.turn && !tool.isRay,
                     .position = to.origin,
                     .rotation = rotationOf(to),
                     .root = -1};
    return snEdit_Reach(drag->editor, 1, &reach, error);
}

static void newName(const snEditor *editor, snTable table, const char *stem, char *out)
{
    memset(out, 0, SN_NAME_SIZE);
    for (int i = 1; i <= 2 * SN_MOST_JOINTS; i++) {
        snprintf(out, SN_NAME_SIZE, "%s%d", stem, i);
        if (snLayered_Find(&editor->layered, table, out) < 0) return;
    }
}

// A joint at the place where the tool was, and a muscle on it that reaches to where it is now.
static snStatus create(snDrag *drag, snTool tool, snError *error)
{
    static const char *const stems[] = {"sphere", "superellipsoid", "cylinder"};
    snLayeredJoint joint;
    snLayeredMuscle muscle;
    snTable_Default(SN_TABLE_JOINTS, &joint);
    snTable_Default(SN_TABLE_MUSCLES, &muscle);
    newName(drag->editor, SN_TABLE_JOINTS, "joint", joint.name);
    newName(drag->editor, SN_TABLE_MUSCLES, stems[drag->def.shape], muscle.name);
    joint.parent = snEdit_Current(drag->editor);
    snVec3 place = drag->def.pick.place;
    double size = snDistance(place, toolPlace(drag, tool));
    if (size < 1e-3) size = 1e-3;
    muscle.shape = drag->def.shape;
    muscle.size = snVec(size, size, size);
    snStatus status = snEdit_AddJoint(drag->editor, &joint, &muscle.joint, error);
    if (!status) status = snEdit_MoveJoint(drag->editor, muscle.joint, place, false, error);
    return status ? status : snEdit_AddMuscle(drag->editor, &muscle, NULL, error);
}

static snStatus attach(snDrag *drag, snTool tool, snError *error)
{
    snToolPick pick;
    snStatus status = snEditor_Pick(drag->editor, tool, SN_PICK_MUSCLES, 1e6, &pick, error);
    if (status || pick.kind != SN_PICKED_MUSCLE) return status;
    return snEdit_AttachPoint(drag->editor, drag->def.pick.row, pick.row, pick.place, error);
}

// Clockwise about its own axis, as the hand sees it, adds.
static snStatus layFat(snDrag *drag, snTool tool, double seconds, snError *error)
{
    double sign = 1;
    snToolPick pick;
    if (!tool.isRay) {
        snQuat turn = snMulQQ(snConjugate(drag->tool.rotation), tool.rotation);
        if (turn.z * turn.w > 0) sign = -1; // about +z, which points back at the hand
    }
    snStatus status = snEditor_Pick(drag->editor, tool, SN_PICK_POINTS, 1e6, &pick, error);
    if (status || pick.kind != SN_PICKED_POINT) return status;
    return snEdit_AddFat(drag->editor, (snBrush){pick.place, drag->def.radius},
                         sign * drag->def.rate * seconds, error);
}

snStatus snDrag_Move(snDrag *drag, snTool tool, double seconds, snError *error)
{
    drag->held += seconds;
    if (!snIsFinite3(tool.place) || !snIsFinite3(tool.direction))
        return snFail(error, SN_ERROR_ARGUMENT, "the tool is at no finite place");
    if (drag->def.action == SN_DRAG_FAT) return layFat(drag, tool, seconds, error);
    snEditor_Revert(drag->editor);
    switch (drag->def.action) {
    case SN_DRAG_MOVE:
        return move(drag, tool, error);
    case SN_DRAG_SIZE:
        return resize(drag, tool, error);
    case SN_DRAG_POSE:
        return pose(drag, tool, error);
    case SN_DRAG_CREATE:
        return create(drag, tool, error);
    case SN_DRAG_ATTACH:
        return attach(drag, tool, error);
    default:
        return SN_OK;
    }
}

snStatus snDrag_End(snDrag *drag, bool keep, snError *error)
{
    if (!keep) snEditor_Revert(drag->editor);
    return snEditor_End(drag->editor, SN_OK, error);
}
