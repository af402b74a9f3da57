#include "layered/script_parts.h"

#include "core/error.h"
#include "layered/figure.h"
#include "layered/file.h"

#include <stdlib.h>
#include <string.h>

// ---- joints -----------------------------------------------------------------------------------------

static void copyName(char *out, const char *name)
{
    memset(out, 0, SN_NAME_SIZE);
    strncpy(out, name, SN_NAME_SIZE - 1);
}

// Names that do not fit must not be cut short.
static snStatus newName(snCall *call, char *out)
{
    snStatus status = snName_Check(call->name, call->error);
    if (!status) copyName(out, call->name);
    return status;
}

static snStatus jointAdd(snCall *call)
{
    snLayeredJoint joint;
    snTable_Default(SN_TABLE_JOINTS, &joint);
    joint.parent = snEdit_Current(call->editor);
    snStatus status = newName(call, joint.name);
    if (!status) status = snCall_Fill(call, &joint);
    return status ? status : snEdit_AddJoint(call->editor, &joint, NULL, call->error);
}

static snStatus jointSet(snCall *call)
{
    snLayeredJoint joint = snLayered_Joints(&call->editor->layered)[call->row];
    int parent = joint.parent;
    snStatus status = snCall_Fill(call, &joint);
    if (!status && joint.parent != parent)
        status = snFail(call->error, SN_ERROR_ARGUMENT,
                        "parent: a joint stays where it hangs; delete it and add it elsewhere");
    if (!status && (snCall_Has(call, "low") || snCall_Has(call, "high")) &&
        !snCall_Has(call, "limited"))
        joint.limited = 1;
    return status ? status : snEdit_SetJoint(call->editor, call->row, &joint, call->error);
}

// Where `to` or `by` lead, from a place of the world.
static snStatus destination(snCall *call, snVec3 from, snVec3 *place)
{
    bool to = snCall_Has(call, "to"), by = snCall_Has(call, "by");
    if (to == by) return snFail(call->error, SN_ERROR_ARGUMENT, "say to=x,y,z or by=x,y,z");
    *place = to ? call->extra.to : snAdd(from, call->extra.by);
    return SN_OK;
}

static snStatus jointMove(snCall *call)
{
    snFigure figure;
    snVec3 place;
    snStatus status = snFigure_Build(&figure, &call->editor->layered, call->error);
    if (status) return status;
    status = destination(call, figure.pose.global[call->row].origin, &place);
    snFigure_Destroy(&figure);
    return status ? status
                  : snEdit_MoveJoint(call->editor, call->row, place, call->extra.children,
                                     call->error);
}

static snStatus jointRotate(snCall *call)
{
    return snEdit_RotateJoint(call->editor, call->row, call->extra.turn, call->error);
}

static snStatus jointResize(snCall *call)
{
    double size = snLayered_Joints(&call->editor->layered)[call->row].size * call->extra.times.x;
    if (snCall_Has(call, "size")) size = call->extra.size;
    return snEdit_ResizeJoint(call->editor, call->row, size, call->error);
}

static snStatus jointRename(snCall *call)
{
    snLayeredJoint joint = snLayered_Joints(&call->editor->layered)[call->row];
    memcpy(joint.name, call->extra.name, SN_NAME_SIZE);
    return snEdit_SetJoint(call->editor, call->row, &joint, call->error);
}

static snStatus jointDelete(snCall *call)
{
    return snEdit_DeleteJoint(call->editor, call->row, (snHanging)call->extra.hanging, call->error);
}

static snStatus jointSelect(snCall *call)
{
    int row = -1;
    snStatus status = strcmp(call->name, "none") ? snCall_Row(call, SN_TABLE_JOINTS, &row) : SN_OK;
    return status ? status : snEdit_SelectJoint(call->editor, row, call->error);
}

// ---- muscles ----------------------------------------------------------------------------------------

static snStatus muscleAdd(snCall *call)
{
    snLayeredMuscle muscle;
    snTable_Default(SN_TABLE_MUSCLES, &muscle);
    muscle.joint = snEdit_Current(call->editor);
    snStatus status = newName(call, muscle.name);
    if (!status) status = snCall_Fill(call, &muscle);
    return status ? status : snEdit_AddMuscle(call->editor, &muscle, NULL, call->error);
}

static snStatus muscleSet(snCall *call)
{
    snLayeredMuscle muscle = snLayered_Muscles(&call->editor->layered)[call->row];
    snStatus status = snCall_Fill(call, &muscle);
    return status ? status : snEdit_SetMuscle(call->editor, call->row, &muscle, call->error);
}

static snStatus muscleMove(snCall *call)
{
    snFigure figure;
    snVec3 place;
    snStatus status = snFigure_Build(&figure, &call->editor->layered, call->error);
    if (status) return status;
    status = destination(call, figure.muscles[call->row].frame.origin, &place);
    snFigure_Destroy(&figure);
    return status ? status : snEdit_MoveMuscle(call->editor, call->row, place, call->error);
}

static snStatus muscleRotate(snCall *call)
{
    return snEdit_RotateMuscle(call->editor, call->row, call->extra.turn, call->error);
}

static snStatus muscleResize(snCall *call)
{
    return snEdit_ScaleMuscle(call->editor, call->row, call->extra.times, call->error);
}

static snStatus muscleRename(snCall *call)
{
    snLayeredMuscle muscle = snLayered_Muscles(&call->editor->layered)[call->row];
    memcpy(muscle.name, call->extra.name, SN_NAME_SIZE);
    return snEdit_SetMuscle(call->editor, call->row, &muscle, call->error);
}

static snStatus muscleDelete(snCall *call)
{
    return snEdit_DeleteMuscle(call->editor, call->row, call->error);
}

static snStatus muscleBulge(snCall *call)
{
    snLayeredMuscle muscle = snLayered_Muscles(&call->editor->layered)[call->row];
    int number = call->extra.number ? call->extra.number - 1 : muscle.bulgeCount;
    if (number > muscle.bulgeCount || number >= SN_WARP_BULGES)
        return snFail(call->error, SN_ERROR_ARGUMENT, "\"%s\" has %d bulges; %d are the most",
                      muscle.name, muscle.bulgeCount, SN_WARP_BULGES);
    snStatus status = snCall_Fill(call, &muscle.bulges[number]);
    if (number == muscle.bulgeCount) muscle.bulgeCount++;
    return status ? status : snEdit_SetMuscle(call->editor, call->row, &muscle, call->error);
}

static snStatus muscleFlatten(snCall *call)
{
    snLayeredMuscle muscle = snLayered_Muscles(&call->editor->layered)[call->row], plain;
    int number = call->extra.number - 1;
    snTable_Default(SN_TABLE_MUSCLES, &plain);
    if (number < 0 || number >= muscle.bulgeCount)
        return snFail(call->error, SN_ERROR_ARGUMENT, "number: \"%s\" has %d bulges", muscle.name,
                      muscle.bulgeCount);
    for (int b = number; b + 1 < SN_WARP_BULGES; b++)
        muscle.bulges[b] = muscle.bulges[b + 1];
    muscle.bulges[SN_WARP_BULGES - 1] = plain.bulges[0];
    muscle.bulgeCount--;
    return snEdit_SetMuscle(call->editor, call->row, &muscle, call->error);
}

static snStatus mirror(snCall *call)
{
    return snEdit_Mirror(call->editor, call->extra.left, call->extra.right, call->error);
}

// ---- skin -------------------------------------------------------------------------------------------

static snStatus skinCreate(snCall *call)
{
    snSkinMakeDef def = snDefaultSkinMakeDef();
    const snExtra *extra = &call->extra;
    def.bottom = extra->bottom;
    def.top = extra->top;
    def.rows = extra->rows;
    def.columns = extra->columns;
    if (snCall_Has(call, "gap")) def.gap = extra->gap;
    if (snCall_Has(call, "seconds")) def.seconds = extra->seconds;
    if (snCall_Has(call, "rounds")) def.rounds = extra->rounds;
    if (snCall_Has(call, "smooth")) def.smooth = extra->smooth;
    bool rays = snCall_Has(call, "rounds") || snCall_Has(call, "smooth");
    def.way = snCall_Has(call, "way") ? (snSkinWay)extra->way
              : rays                  ? SN_SKIN_BY_RAYS
                                      : SN_SKIN_SHRINKS;
    if (rays && def.way != SN_SKIN_BY_RAYS)
        return snFail(call->error, SN_ERROR_ARGUMENT,
                      "rounds and smooth are of skins that are made by rays: way=rays");
    if (snCall_Has(call, "color")) def.color = extra->color;
    return snEdit_CreateSkin(call->editor, &def, call->error);
}

static snStatus skinMesh(snCall *call)
{
    snSkinMakeDef def = snDefaultSkinMakeDef();
    if (!snCall_Has(call, "cell"))
        return snFail(call->error, SN_ERROR_ARGUMENT, "cell is missing: how long edges are");
    return snEdit_CreateMeshSkin(call->editor, call->extra.cell, call->extra.blend,
                                 snCall_Has(call, "color") ? call->extra.color : def.color,
                                 call->error);
}

static snStatus skinSet(snCall *call)
{
    snStatus status = snLayered_NeedSkin(&call->editor->layered, call->error);
    if (status) return status;
    snLayeredSkin skin = *snLayered_Skin(&call->editor->layered);
    status = snCall_Fill(call, &skin);
    return status ? status : snEdit_SetSkin(call->editor, &skin, call->error);
}

static snStatus skinDelete(snCall *call)
{
    return snEdit_DeleteSkin(call->editor, call->error);
}

static snStatus skinAttach(snCall *call)
{
    int attached;
    const snExtra *extra = &call->extra;
    if (snCall_Has(call, "point") || snCall_Has(call, "muscle")) {
        if (!snCall_Has(call, "point") || extra->muscle < 0 || !snCall_Has(call, "to"))
            return snFail(call->error, SN_ERROR_ARGUMENT, "one point needs point, muscle and to");
        return snEdit_AttachPoint(call->editor, extra->point, extra->muscle, extra->to,
                                  call->error);
    }
    double reach = snCall_Has(call, "reach") ? extra->reach : 1e6;
    return snEdit_Attach(call->editor, snCall_Brush(call), reach, &attached, call->error);
}

static snStatus skinDetach(snCall *call)
{
    int detached;
    return snEdit_Detach(call->editor, snCall_Brush(call), &detached, call->error);
}

static snStatus skinFat(snCall *call)
{
    return snEdit_AddFat(call->editor, snCall_Brush(call), call->extra.amount, call->error);
}

static snStatus skinSmooth(snCall *call)
{
    double amount = snCall_Has(call, "amount") ? call->extra.amount : 1;
    return snEdit_Smooth(call->editor, snCall_Brush(call), amount, call->error);
}

// Each field that is given is painted; together they are one step.
static snStatus skinPaint(snCall *call)
{
    snLayeredPoint value;
    snTable_Default(SN_TABLE_POINTS, &value);
    snColumns fields = snColumns_Of(SN_TABLE_POINTS);
    snStatus status = snCall_Fill(call, &value);
    if (status) return status;
    snEditor_Begin(call->editor);
    for (int i = 0; i < fields.count && !status; i++)
        if (snCall_Has(call, fields.list[i].name))
            status = snEdit_PaintPoints(call->editor, snCall_Brush(call), fields.list[i].name,
                                        &value, call->error);
    return snEditor_End(call->editor, status, call->error);
}

static snStatus skinMark(snCall *call)
{
    const snLayered *layered = &call->editor->layered;
    int old = snLayered_Find(layered, SN_TABLE_MARKS, call->name);
    snLayeredMark mark;
    snTable_Default(SN_TABLE_MARKS, &mark);
    if (old >= 0) mark = snLayered_Marks(layered)[old];
    snStatus status = newName(call, mark.name);
    if (!status) status = snCall_Fill(call, &mark);
    return status ? status : snEdit_SetMark(call->editor, &mark, call->error);
}

static snStatus skinUnmark(snCall *call)
{
    return snEdit_DeleteMark(call->editor, call->row, call->error);
}

static snStatus skinDouble(snCall *call)
{
    return snEdit_DoubleSkin(call->editor, call->error);
}

static snStatus skinHalve(snCall *call)
{
    return snEdit_HalveSkin(call->editor, call->error);
}

static snStatus skinResample(snCall *call)
{
    return snEdit_ResampleSkin(call->editor, call->extra.rows, call->extra.columns, call->error);
}

// ---- poses and postures -----------------------------------------------------------------------------

void snCall_NoteReach(snCall *call, const snReach *reach)
{
    snScriptReport *report = call->report;
    if (reach->met) return;
    if (!report->unmet++) report->unmetLine = report->lines;
    if (reach->miss > report->worstMiss) report->worstMiss = reach->miss;
}

// All clauses are solved together.
static snStatus poseReach(snCall *call)
{
    call->reaches[call->clauseCount] = (snReach){.joint = call->row,
                                                 .place = snCall_Has(call, "to"),
                                                 .turn = snCall_Has(call, "turn"),
                                                 .position = call->extra.to,
                                                 .rotation = call->extra.turn,
                                                 .root = call->extra.root};
    if (call->more) return SN_OK;
    snStatus status = snEdit_Reach(call->editor, call->clauseCount + 1, call->reaches, call->error);
    for (int i = 0; i <= call->clauseCount && !status; i++)
        snCall_NoteReach(call, &call->reaches[i]);
    return status;
}

static snStatus poseJoint(snCall *call)
{
    const snLayeredJoint *joint = &snLayered_Joints(&call->editor->layered)[call->row];
    snLayeredPostured pose = {joint->angles, joint->shift};
    snStatus status = snCall_Fill(call, &pose);
    // One number is a hinge's angle, not three.
    if (!status && joint->kind == SN_JOINT_HINGE) pose.angles.y = pose.angles.z = 0;
    return status ? status
                  : snEdit_PoseJoint(call->editor, call->row, pose.angles, pose.shift, call->error);
}

static snStatus poseReset(snCall *call)
{
    return snEdit_ResetPose(call->editor, call->error);
}

static snStatus postureKeep(snCall *call)
{
    const snLayered *layered = &call->editor->layered;
    int old = snLayered_Find(layered, SN_TABLE_POSTURES, call->name);
    snLayeredPosture posture;
    snTable_Default(SN_TABLE_POSTURES, &posture);
    if (old >= 0) posture = snLayered_Postures(layered)[old];
    snStatus status = newName(call, posture.name);
    if (!status) status = snCall_Fill(call, &posture);
    return status ? status : snEdit_KeepPosture(call->editor, &posture, call->error);
}

static snStatus postureSet(snCall *call)
{
    snLayeredPosture posture = snLayered_Postures(&call->editor->layered)[call->row];
    snStatus status = snCall_Fill(call, &posture);
    return status ? status : snEdit_SetPosture(call->editor, call->row, &posture, call->error);
}

static snStatus postureRename(snCall *call)
{
    snLayeredPosture posture = snLayered_Postures(&call->editor->layered)[call->row];
    memcpy(posture.name, call->extra.name, SN_NAME_SIZE);
    return snEdit_SetPosture(call->editor, call->row, &posture, call->error);
}

static snStatus postureDelete(snCall *call)
{
    return snEdit_DeletePosture(call->editor, call->row, call->error);
}

static snStatus postureShow(snCall *call)
{
    return snEdit_ShowPosture(call->editor, call->row, call->error);
}

static snStatus settings(snCall *call)
{
    snLayeredSettings row = *snLayered_Settings(&call->editor->layered);
    snStatus status = snCall_Fill(call, &row);
    return status ? status : snEdit_SetSettings(call->editor, &row, call->error);
}

// ---- steps ------------------------------------------------------------------------------------------

// How many steps: a number, "all", or one.
static snStatus countSteps(snCall *call, int most, int *count)
{
    *count = 1;
    if (call->editor->depth)
        return snFail(call->error, SN_ERROR_ARGUMENT, "\"%s\" within a group; write \"end\" first",
                      call->operation->words);
    if (!call->name) return SN_OK;
    if (!strcmp(call->name, "all")) {
        *count = most;
        return SN_OK;
    }
    char *end;
    long number = strtol(call->name, &end, 10);
    if (*end || number < 1)
        return snFail(call->error, SN_ERROR_ARGUMENT, "\"%.40s\" must be a number, or all",
                      call->name);
    *count = number > most ? most + 1 : (int)number;
    return SN_OK;
}

static snStatus undo(snCall *call)
{
    int count;
    snStatus status = countSteps(call, snEditor_UndoCount(call->editor), &count);
    for (int i = 0; i < count && !status; i++)
        if (!snEditor_Undo(call->editor))
            status = snFail(call->error, SN_ERROR_ARGUMENT, "there is nothing to undo");
    return status;
}

static snStatus redo(snCall *call)
{
    int count;
    snStatus status = countSteps(call, snEditor_RedoCount(call->editor), &count);
    for (int i = 0; i < count && !status; i++)
        if (!snEditor_Redo(call->editor))
            status = snFail(call->error, SN_ERROR_ARGUMENT, "there is nothing to redo");
    return status;
}

static snStatus group(snCall *call)
{
    if (call->editor->depth >= SN_EDITOR_DEPTH - 6)
        return snFail(call->error, SN_ERROR_ARGUMENT, "groups within groups are too deep");
    snEditor_Begin(call->editor);
    return SN_OK;
}

static snStatus endGroup(snCall *call)
{
    if (!call->editor->depth)
        return snFail(call->error, SN_ERROR_ARGUMENT, "there is no group to end");
    return snEditor_End(call->editor, SN_OK, call->error);
}

static snStatus sameBytes(const snBytes *a, const snBytes *b, snError *error)
{
    if (a->failed || b->failed) return snFailMemory(error);
    if (a->size == b->size && !memcmp(a->data, b->data, a->size)) return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT, "the document is another than it should be");
}

// Written, read and written again it must be the same.
static snStatus checkRound(snCall *call)
{
    const snContext *context = &call->editor->layered.context;
    snBytes first = snMakeBytes(context), second = snMakeBytes(context);
    snEditor again = {0};
    snLayered_Write(&call->editor->layered, &first);
    snStatus status = snBytes_Check(&first, call->error);
    if (!status)
        status = snEditor_Read(&again, (const char *)first.data, first.size, context, call->error);
    if (!status) {
        snLayered_Write(&again.layered, &second);
        status = sameBytes(&first, &second, call->error);
        snEditor_Destroy(&again);
    }
    snBytes_Destroy(&first);
    snBytes_Destroy(&second);
    return status;
}

static snStatus checkEmpty(snCall *call)
{
    const snContext *context = &call->editor->layered.context;
    snBytes first = snMakeBytes(context), second = snMakeBytes(context);
    snLayered empty;
    snStatus status = snLayered_Make(&empty, context, call->error);
    if (!status) {
        snLayered_Write(&call->editor->layered, &first);
        snLayered_Write(&empty, &second);
        status = sameBytes(&first, &second, call->error);
        snLayered_Destroy(&empty);
    }
    snBytes_Destroy(&first);
    snBytes_Destroy(&second);
    return status;
}

static snStatus check(snCall *call)
{
    static const char *const nouns[] = {"joints", "muscles", "points", "postures"};
    const int wanted[] = {call->extra.joints, call->extra.muscles, call->extra.points,
                          call->extra.postures};
    static const snTable tables[] = {SN_TABLE_JOINTS, SN_TABLE_MUSCLES, SN_TABLE_POINTS,
                                     SN_TABLE_POSTURES};
    const snLayered *layered = &call->editor->layered;
    if (call->name && !strcmp(call->name, "empty")) return checkEmpty(call);
    if (call->name)
        return snFail(call->error, SN_ERROR_ARGUMENT, "\"%.40s\": check takes \"empty\", or counts",
                      call->name);
    for (int i = 0; i < 4; i++)
        if (snCall_Has(call, nouns[i]) && snLayered_Count(layered, tables[i]) != wanted[i])
            return snFail(call->error, SN_ERROR_ARGUMENT, "%s: there are %d, not %d", nouns[i],
                          snLayered_Count(layered, tables[i]), wanted[i]);
    snStatus status = snLayered_Check(layered, call->error);
    return status ? status : checkRound(call);
}

const snOperation snOperations[] = {
    {"joint add", "NAME", SN_NAMES_NOTHING, SN_FIELDS_JOINT, NULL,
     "adds a joint, on the current one where no parent is given; it becomes the current one",
     jointAdd},
    {"joint set", "NAME", SN_NAMES_JOINT, SN_FIELDS_JOINT, NULL,
     "changes what is given; low or high limit it by themselves", jointSet},
    {"joint move", "NAME", SN_NAMES_JOINT, SN_FIELDS_NONE, " to by children ",
     "moves it as the figure stands now", jointMove},
    {"joint rotate", "NAME", SN_NAMES_JOINT, SN_FIELDS_NONE, " turn ",
     "turns it at rest, in its own axes", jointRotate},
    {"joint resize", "NAME", SN_NAMES_JOINT, SN_FIELDS_NONE, " size times ",
     "the ball that is drawn and picked", jointResize},
    {"joint rename", "NAME", SN_NAMES_JOINT, SN_FIELDS_NONE, " name ", "", jointRename},
    {"joint delete", "NAME", SN_NAMES_JOINT, SN_FIELDS_NONE, " hanging ", "", jointDelete},
    {"joint select", "NAME", SN_NAMES_NOTHING, SN_FIELDS_NONE, NULL,
     "makes it the current joint, that new ones hang on; none: the next is a root", jointSelect},
    {"muscle add", "NAME", SN_NAMES_NOTHING, SN_FIELDS_MUSCLE, NULL,
     "adds a muscle, on the current joint where none is given", muscleAdd},
    {"muscle set", "NAME", SN_NAMES_MUSCLE, SN_FIELDS_MUSCLE, NULL, "changes what is given",
     muscleSet},
    {"muscle move", "NAME", SN_NAMES_MUSCLE, SN_FIELDS_NONE, " to by ",
     "moves it as the figure stands now", muscleMove},
    {"muscle rotate", "NAME", SN_NAMES_MUSCLE, SN_FIELDS_NONE, " turn ", "turns it in its own axes",
     muscleRotate},
    {"muscle resize", "NAME", SN_NAMES_MUSCLE, SN_FIELDS_NONE, " times ", "", muscleResize},
    {"muscle rename", "NAME", SN_NAMES_MUSCLE, SN_FIELDS_NONE, " name ", "", muscleRename},
    {"muscle delete", "NAME", SN_NAMES_MUSCLE, SN_FIELDS_NONE, NULL,
     "what was tied to it hangs loose", muscleDelete},
    {"muscle bulge", "NAME", SN_NAMES_MUSCLE, SN_FIELDS_BULGE, " number ",
     "adds a bulge, or changes one", muscleBulge},
    {"muscle flatten", "NAME", SN_NAMES_MUSCLE, SN_FIELDS_NONE, " number ", "takes a bulge away",
     muscleFlatten},
    {"mirror", "", SN_NAMES_NOTHING, SN_FIELDS_NONE, " left right ",
     "copies joints and muscles whose names end so to the other side of x = 0", mirror},
    {"skin create", "", SN_NAMES_NOTHING, SN_FIELDS_NONE,
     " bottom top rows columns gap way seconds rounds smooth color ",
     "a grid that begins as a sphere and shrinks onto the muscles", skinCreate},
    {"skin mesh", "", SN_NAMES_NOTHING, SN_FIELDS_NONE, " cell blend color ",
     "a mesh around all muscles", skinMesh},
    {"skin set", "", SN_NAMES_NOTHING, SN_FIELDS_SKIN, NULL, "colour, bending, pressure, layers",
     skinSet},
    {"skin delete", "", SN_NAMES_NOTHING, SN_FIELDS_NONE, NULL, "", skinDelete},
    {"skin attach", "", SN_NAMES_NOTHING, SN_FIELDS_NONE, " near radius reach point muscle to ",
     "ties points by bands to the muscles below them; or one point to a place on a muscle",
     skinAttach},
    {"skin detach", "", SN_NAMES_NOTHING, SN_FIELDS_NONE, " near radius ", "", skinDetach},
    {"skin fat", "", SN_NAMES_NOTHING, SN_FIELDS_NONE, " near radius amount ",
     "adds fat, or takes it (below 0), with a Gaussian brush", skinFat},
    {"skin smooth", "", SN_NAMES_NOTHING, SN_FIELDS_NONE, " near radius amount ", "", skinSmooth},
    {"skin paint", "", SN_NAMES_NOTHING, SN_FIELDS_POINT, " near radius ",
     "sets values of points under the brush", skinPaint},
    {"skin mark", "NAME", SN_NAMES_NOTHING, SN_FIELDS_MARK, NULL,
     "a colour within an ellipsoid, with a sharp edge at any resolution; or changes one", skinMark},
    {"skin unmark", "NAME", SN_NAMES_MARK, SN_FIELDS_NONE, NULL, "takes a mark away", skinUnmark},
    {"skin double", "", SN_NAMES_NOTHING, SN_FIELDS_NONE, NULL, "twice the resolution both ways",
     skinDouble},
    {"skin halve", "", SN_NAMES_NOTHING, SN_FIELDS_NONE, NULL, "half the resolution both ways",
     skinHalve},
    {"skin resample", "", SN_NAMES_NOTHING, SN_FIELDS_NONE, " rows columns ", "any resolution",
     skinResample},
    {"pose reach", "JOINT to=... [and JOINT ...]", SN_NAMES_JOINT, SN_FIELDS_NONE, " to turn root ",
     "turns the joints above so that it gets to a place, a rotation (of the world), or both",
     poseReach},
    {"pose joint", "JOINT", SN_NAMES_JOINT, SN_FIELDS_POSE, NULL, "turns and moves one joint",
     poseJoint},
    {"pose reset", "", SN_NAMES_NOTHING, SN_FIELDS_NONE, NULL, "all joints as at rest", poseReset},
    {"posture keep", "NAME", SN_NAMES_NOTHING, SN_FIELDS_POSTURE, NULL,
     "the figure as it stands now becomes a key posture", postureKeep},
    {"posture set", "NAME", SN_NAMES_POSTURE, SN_FIELDS_POSTURE, NULL,
     "moves it in time, or shapes it", postureSet},
    {"posture rename", "NAME", SN_NAMES_POSTURE, SN_FIELDS_NONE, " name ", "", postureRename},
    {"posture delete", "NAME", SN_NAMES_POSTURE, SN_FIELDS_NONE, NULL, "", postureDelete},
    {"posture show", "NAME", SN_NAMES_POSTURE, SN_FIELDS_NONE, NULL,
     "the figure stands as in the posture", postureShow},
    {"drag", "ACTION at=... [and pose at=...]", SN_NAMES_NOTHING, SN_FIELDS_NONE,
     " at to eye turn to-turn reach radius amount held aim shape children hanging rows columns ",
     "what a hand does: move, size, turn, pose, create, joint, muscle, skin, attach, fat, tie, "
     "untie, smooth, select, delete, double, halve",
     snCall_Drag},
    {"settings", "", SN_NAMES_NOTHING, SN_FIELDS_SETTINGS, NULL, "changes what is given", settings},
    {"undo", "[COUNT or all]", SN_NAMES_NOTHING, SN_FIELDS_NONE, NULL, "takes steps back", undo},
    {"redo", "[COUNT or all]", SN_NAMES_NOTHING, SN_FIELDS_NONE, NULL, "takes them again", redo},
    {"group", "[NAME]", SN_NAMES_NOTHING, SN_FIELDS_NONE, NULL,
     "what follows up to \"end\" is one step", group},
    {"end", "", SN_NAMES_NOTHING, SN_FIELDS_NONE, NULL, "ends a group", endGroup},
    {"check", "[empty]", SN_NAMES_NOTHING, SN_FIELDS_NONE, " joints muscles points postures ",
     "fails unless the document is whole, reads back to the same bytes, and has these counts",
     check},
};
const int snOperationCount = (int)(sizeof snOperations / sizeof *snOperations);
