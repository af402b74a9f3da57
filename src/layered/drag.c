#include "layered/tool.h"

#include "core/error.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every move takes back what the last one did and does it anew from the begin, so that a drag of a thousand moves leaves
// behind what one would; only brushes act as one goes.

typedef struct Kind {
    const char *name;
    int kinds;   // bits of snPickKind that it can have
    int prefers; // SN_PICK_: what it looks for
    const char *wanted;
    bool brush;
} Kind;

enum { NOTHING = 1, JOINT = 2, MUSCLE = 4, POINT = 8, ANY = 15 };
enum { JOINTS = SN_PICK_JOINTS, MUSCLES = SN_PICK_MUSCLES, POINTS = SN_PICK_POINTS };

static const Kind kinds[SN_DRAG_ACTIONS] = {
    [SN_DRAG_MOVE] = {"move", JOINT | MUSCLE, JOINTS | MUSCLES, "a joint or a muscle", false},
    [SN_DRAG_SIZE] = {"size", JOINT | MUSCLE, JOINTS | MUSCLES, "a joint or a muscle", false},
    [SN_DRAG_TURN] = {"turn", JOINT | MUSCLE, JOINTS | MUSCLES, "a joint or a muscle", false},
    [SN_DRAG_POSE] = {"pose", JOINT, JOINTS, "a joint", false},
    [SN_DRAG_CREATE] = {"create", ANY, 0, "", false},
    [SN_DRAG_JOINT] = {"joint", ANY, 0, "", false},
    [SN_DRAG_MUSCLE] = {"muscle", NOTHING | JOINT | MUSCLE, JOINTS, "a joint", false},
    [SN_DRAG_SKIN] = {"skin", JOINT, JOINTS, "a joint", false},
    [SN_DRAG_ATTACH] = {"attach", POINT, POINTS, "a point of the skin", false},
    [SN_DRAG_FAT] = {"fat", ANY, POINTS, "", true},
    [SN_DRAG_TIE] = {"tie", ANY, POINTS, "", true},
    [SN_DRAG_UNTIE] = {"untie", ANY, POINTS, "", true},
    [SN_DRAG_SMOOTH] = {"smooth", ANY, POINTS, "", true},
    [SN_DRAG_SELECT] = {"select", ANY, JOINTS, "", false},
    [SN_DRAG_DELETE] = {"delete", JOINT | MUSCLE, JOINTS | MUSCLES, "a joint or a muscle", false},
    [SN_DRAG_DOUBLE] = {"double", POINT, POINTS, "a point of the skin", false},
    [SN_DRAG_HALVE] = {"halve", POINT, POINTS, "a point of the skin", false},
};

const char *snDragAction_Name(snDragAction action)
{
    return kinds[action].name;
}

// Its tip, or where its ray meets the plane through the pick that faces the first ray.
snVec3 snGrip_Place(const snGrip *grip, snTool tool)
{
    if (!tool.isRay) return tool.place;
    snVec3 normal = grip->first.direction;
    double toward = snDot(tool.direction, normal);
    if (!(toward > 1e-3)) return grip->anchor; // it looks along the plane, or away from it
    double t = snDot(snSub(grip->pick.place, tool.place), normal) / toward;
    return snMulAdd(tool.place, t, tool.direction);
}

static snQuat rotationOf(snAffine frame)
{
    return snQuatFromMat(frame.linear);
}

// ---- begin ------------------------------------------------------------------------------------------

static snStatus takeObject(const snDrag *drag, snGrip *grip, snError *error)
{
    snFigure figure;
    const snLayered *layered = &drag->editor->layered;
    const snToolPick *pick = &grip->pick;
    int current = snEdit_Current(drag->editor);
    snStatus status = snFigure_Build(&figure, layered, error);
    if (status) return status;
    if (drag->def.action == SN_DRAG_JOINT) { // turned as what it will hang on
        if (current >= 0) grip->object = figure.pose.global[current];
        grip->object.origin = pick->place;
    } else if (pick->kind == SN_PICKED_JOINT) {
        grip->object = figure.pose.global[pick->row];
        grip->size = snLayered_Joints(layered)[pick->row].size;
    } else if (pick->kind == SN_PICKED_MUSCLE) {
        grip->object = figure.muscles[pick->row].frame;
        grip->size = 1;
    }
    snFigure_Destroy(&figure);
    return SN_OK;
}

static snStatus takeGrip(snDrag *drag, snToolPick pick, int aims, snTool tool, snError *error)
{
    snGrip *grip = &drag->grips[drag->gripCount];
    *grip = (snGrip){.pick = pick,
                     .aims = aims ? aims : SN_AIM_PLACE,
                     .first = tool,
                     .now = tool,
                     .object = snIdentityAffine()};
    snStatus status = takeObject(drag, grip, error);
    grip->anchor = tool.isRay ? grip->pick.place : tool.place;
    if (!status) drag->gripCount++;
    return status;
}

static snStatus checkAction(const snDragDef *def, snError *error)
{
    const Kind *kind = &kinds[def->action];
    if (kind->kinds & (1 << def->pick.kind)) return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT, "this drag needs %s; nothing such is picked",
                  kind->wanted);
}

static snStatus checkTool(snTool tool, snError *error)
{
    snQuat q = tool.rotation;
    if (snIsFinite3(tool.place) && snIsFinite3(tool.direction) && snIsFinite3(snVec(q.x, q.y, q.z)))
        return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT, "the tool is at no finite place");
}

snStatus snDrag_Begin(snDrag *drag, snEditor *editor, const snDragDef *def, snTool tool,
                      snError *error)
{
    *drag = (snDrag){.editor = editor, .def = *def, .top = -1};
    bool makes = def->action == SN_DRAG_CREATE || def->action == SN_DRAG_JOINT ||
                 def->action == SN_DRAG_MUSCLE;
    snToolPick pick = def->pick;
    snStatus status = checkTool(tool, error);
    if (!status) status = checkAction(def, error);
    if (!status && editor->depth >= SN_EDITOR_DEPTH - 4)
        status = snFail(error, SN_ERROR_ARGUMENT, "too many groups are under way");
    if (makes && !pick.kind)
        pick.place = tool.isRay ? snMulAdd(tool.place, def->depth, tool.direction) : tool.place;
    if (!status) status = takeGrip(drag, pick, def->aims, tool, error);
    if (!status) snEditor_Begin(editor);
    return status;
}

snStatus snDrag_Take(snDrag *drag, snEditor *editor, const snDragDef *def, snTool tool,
                     double reach, snError *error)
{
    snDragDef own = *def;
    int prefers = kinds[def->action].prefers;
    own.pick = (snToolPick){.row = -1, .place = tool.place};
    snStatus status =
        prefers ? snEditor_Pick(editor, tool, prefers, reach, &own.pick, error) : SN_OK;
    return status ? status : snDrag_Begin(drag, editor, &own, tool, error);
}

snStatus snDrag_Grip(snDrag *drag, snToolPick pick, int aims, snTool tool, int *grip,
                     snError *error)
{
    snStatus status = checkTool(tool, error);
    if (status) return status;
    if (drag->def.action != SN_DRAG_POSE || pick.kind != SN_PICKED_JOINT)
        return snFail(error, SN_ERROR_ARGUMENT, "joints that are posed can be gripped, no others");
    if (drag->gripCount == SN_MOST_GRIPS)
        return snFail(error, SN_ERROR_ARGUMENT, "%d joints are gripped, which is the most",
                      SN_MOST_GRIPS);
    if (grip) *grip = drag->gripCount;
    return takeGrip(drag, pick, aims, tool, error);
}

// ---- moves ------------------------------------------------------------------------------------------

// A ball of radius r below a plane that is moved over it by d, n out of the plane: it turns about n x d by |d| / r.
static snQuat rolled(const snGrip *grip, snVec3 way)
{
    snVec3 out = snNeg(grip->first.direction);
    double length = snLength(way), radius = grip->size > 0 ? grip->size : 0.02;
    if (grip->pick.kind == SN_PICKED_MUSCLE) radius = snDistance(grip->anchor, grip->object.origin);
    if (!(length > 0) || !(radius > 0)) return snIdentityQuat();
    snVec3 axis = snNormalizeOr(snCross(out, way), snVec(0, 1, 0));
    return snQuatFromAxisAngle(axis, length / radius);
}

// Where the object goes: it keeps its place in the controller's frame, or moves as the ray does.
static snAffine carried(const snGrip *grip, snTool tool)
{
    snAffine frame = grip->object;
    if (tool.isRay) {
        frame.origin = snAdd(frame.origin, snSub(snGrip_Place(grip, tool), grip->anchor));
        return frame;
    }
    snAffine then = {snQuatToMat(grip->first.rotation), grip->first.place};
    snAffine now = {snQuatToMat(tool.rotation), tool.place};
    return snMulAA(now, snMulAA(snInverseAffine(then), frame));
}

// How the object turns: with the controller, or rolled by the ray.
static snQuat turned(const snGrip *grip, snTool tool)
{
    if (!tool.isRay) return rotationOf(carried(grip, tool));
    snVec3 way = snSub(snGrip_Place(grip, tool), grip->anchor);
    return snMulQQ(rolled(grip, way), rotationOf(grip->object));
}

// global = parent rest turn: the rest that gives the new global rotation while its turn stays.
static snStatus turnJoint(snDrag *drag, int joint, snQuat rotation, snError *error)
{
    snQuat change =
        snMulQQ(snConjugate(rotationOf(drag->grips->object)), rotation); // in its own frame now
    snFigure figure;
    snStatus status = snFigure_Build(&figure, &drag->editor->layered, error);
    if (status) return status;
    snQuat rest = snNormalizeQ(figure.skeleton.joints[joint].rest.rotation);
    snQuat turn = snMulQQ(snConjugate(rest), figure.pose.local[joint].rotation);
    snFigure_Destroy(&figure);
    return snEdit_RotateJoint(drag->editor, joint,
                              snMulQQ(turn, snMulQQ(change, snConjugate(turn))), error);
}

static snStatus turn(snDrag *drag, snQuat rotation, snError *error)
{
    const snGrip *grip = drag->grips;
    if (grip->pick.kind == SN_PICKED_JOINT) return turnJoint(drag, grip->pick.row, rotation, error);
    return snEdit_RotateMuscle(drag->editor, grip->pick.row,
                               snMulQQ(snConjugate(rotationOf(grip->object)), rotation), error);
}

static snStatus move(snDrag *drag, snTool tool, snError *error)
{
    const snToolPick *pick = &drag->grips->pick;
    snAffine to = carried(drag->grips, tool);
    snStatus status =
        pick->kind == SN_PICKED_JOINT
            ? snEdit_MoveJoint(drag->editor, pick->row, to.origin, drag->def.childrenStay, error)
            : snEdit_MoveMuscle(drag->editor, pick->row, to.origin, error);
    return status || tool.isRay ? status : turn(drag, rotationOf(to), error);
}

static snStatus resize(snDrag *drag, snTool tool, snError *error)
{
    const snGrip *grip = drag->grips;
    double then = snDistance(grip->anchor, grip->object.origin);
    double now = snDistance(snGrip_Place(grip, tool), grip->object.origin);
    if (!(then > 1e-9) || !(now > 1e-9)) return SN_OK;
    if (grip->pick.kind == SN_PICKED_JOINT)
        return snEdit_ResizeJoint(drag->editor, grip->pick.row, grip->size * now / then, error);
    double factor = now / then;
    return snEdit_ScaleMuscle(drag->editor, grip->pick.row, snVec(factor, factor, factor), error);
}

static snReach reachOf(const snGrip *grip)
{
    snTool tool = grip->now;
    bool place = grip->aims & SN_AIM_PLACE, turns = grip->aims & SN_AIM_TURN;
    snReach reach = {.joint = grip->pick.row, .place = place, .turn = turns, .root = -1};
    reach.position = carried(grip, tool).origin;
    reach.rotation = tool.isRay && place ? rotationOf(grip->object) : turned(grip, tool);
    return reach;
}

static snStatus pose(snDrag *drag, snError *error)
{
    snReach reaches[SN_MOST_GRIPS];
    for (int i = 0; i < drag->gripCount; i++)
        reaches[i] = reachOf(&drag->grips[i]);
    snStatus status = snEdit_Reach(drag->editor, drag->gripCount, reaches, error);
    for (int i = 0; i < drag->gripCount && !status; i++)
        drag->grips[i].reach = reaches[i];
    return status;
}

// ---- what is new ------------------------------------------------------------------------------------

// "joint7", with a number above all that there are.
static void newName(const snEditor *editor, snTable table, const char *stem, char *out)
{
    size_t length = strlen(stem);
    long most = 0;
    for (int i = 0; i < snLayered_Count(&editor->layered, table); i++) {
        const char *name = snLayered_Name(&editor->layered, table, i);
        if (strncmp(name, stem, length) || name[length] < '1' || name[length] > '9') continue;
        char *end;
        long number = strtol(name + length, &end, 10);
        if (!*end && number < INT_MAX && number > most) most = number;
    }
    memset(out, 0, SN_NAME_SIZE);
    snprintf(out, SN_NAME_SIZE, "%s%ld", stem, most + 1);
}

// On the current joint.
static snStatus addJoint(snDrag *drag, snVec3 place, int *added, snError *error)
{
    snLayeredJoint joint;
    snTable_Default(SN_TABLE_JOINTS, &joint);
    newName(drag->editor, SN_TABLE_JOINTS, "joint", joint.name);
    joint.parent = snEdit_Current(drag->editor);
    snStatus status = snEdit_AddJoint(drag->editor, &joint, added, error);
    return status ? status : snEdit_MoveJoint(drag->editor, *added, place, false, error);
}

static snStatus makeJoint(snDrag *drag, snTool tool, snError *error)
{
    int added;
    snAffine to = carried(drag->grips, tool);
    snStatus status = addJoint(drag, to.origin, &added, error);
    return status || tool.isRay ? status : turnJoint(drag, added, rotationOf(to), error);
}

// Around the joint that is picked, or the place where the tool was; as large as the tool has gone since.
static snStatus addMuscle(snDrag *drag, int joint, snTool tool, snError *error)
{
    static const char *const stems[] = {"sphere", "superellipsoid", "cylinder"};
    int made;
    snLayeredMuscle muscle;
    const snGrip *grip = drag->grips;
    snTable_Default(SN_TABLE_MUSCLES, &muscle);
    newName(drag->editor, SN_TABLE_MUSCLES, stems[drag->def.shape], muscle.name);
    bool around = drag->def.action == SN_DRAG_MUSCLE && grip->pick.kind == SN_PICKED_JOINT;
    snVec3 middle = around ? grip->object.origin : grip->pick.place;
    double size = snDistance(around ? grip->anchor : middle, snGrip_Place(grip, tool));
    if (size < 1e-3) size = 1e-3;
    muscle.joint = joint;
    muscle.shape = drag->def.shape;
    muscle.size = snVec(size, size, size);
    snStatus status = snEdit_AddMuscle(drag->editor, &muscle, &made, error);
    return status ? status : snEdit_MoveMuscle(drag->editor, made, middle, error);
}

static snStatus create(snDrag *drag, snTool tool, snError *error)
{
    int joint;
    snStatus status = addJoint(drag, drag->grips->pick.place, &joint, error);
    return status ? status : addMuscle(drag, joint, tool, error);
}

static snStatus makeMuscle(snDrag *drag, snTool tool, snError *error)
{
    const snToolPick *pick = &drag->grips->pick;
    int joint = snEdit_Current(drag->editor);
    if (pick->kind == SN_PICKED_JOINT) joint = pick->row;
    if (pick->kind == SN_PICKED_MUSCLE)
        joint = snLayered_Muscles(&drag->editor->layered)[pick->row].joint;
    return addMuscle(drag, joint, tool, error);
}

// ---- all of them ------------------------------------------------------------------------------------

static snStatus follow(snDrag *drag, snTool tool, snError *error)
{
    switch (drag->def.action) {
    case SN_DRAG_MOVE:
        return move(drag, tool, error);
    case SN_DRAG_SIZE:
        return resize(drag, tool, error);
    case SN_DRAG_TURN:
        return turn(drag, turned(drag->grips, tool), error);
    case SN_DRAG_POSE:
        return pose(drag, error);
    case SN_DRAG_CREATE:
        return create(drag, tool, error);
    case SN_DRAG_JOINT:
        return makeJoint(drag, tool, error);
    case SN_DRAG_MUSCLE:
        return makeMuscle(drag, tool, error);
    default:
        return snDrag_Act(drag, tool, error);
    }
}

snStatus snDrag_MoveGrip(snDrag *drag, int grip, snTool tool, double seconds, snError *error)
{
    snStatus status = checkTool(tool, error);
    if (status) return status;
    SN_ASSERT(grip >= 0 && grip < drag->gripCount);
    drag->held += seconds;
    drag->grips[grip].now = tool;
    if (kinds[drag->def.action].brush) return snDrag_Stroke(drag, tool, seconds, error);
    snEditor_Revert(drag->editor);
    return follow(drag, tool, error);
}

snStatus snDrag_Move(snDrag *drag, snTool tool, double seconds, snError *error)
{
    return snDrag_MoveGrip(drag, 0, tool, seconds, error);
}

snStatus snDrag_End(snDrag *drag, bool keep, snError *error)
{
    snStatus status = SN_OK;
    if (!keep) snEditor_Revert(drag->editor);
    if (keep && drag->def.action == SN_DRAG_SKIN) status = snDrag_MakeSkin(drag, error);
    return snEditor_End(drag->editor, status, error);
}

snStatus snDrag_Click(snEditor *editor, const snDragDef *def, snTool tool, double reach,
                      double seconds, snError *error)
{
    snDrag drag;
    snStatus status = snDrag_Take(&drag, editor, def, tool, reach, error);
    if (status) return status;
    status = snDrag_Move(&drag, tool, seconds, error);
    snStatus ended = snDrag_End(&drag, !status, status ? NULL : error);
    return status ? status : ended;
}
