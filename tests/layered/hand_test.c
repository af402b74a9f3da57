// Every building operation three ways: by numbers, by a mouse's ray, by a controller's pose. All three leave the same document, each
// as one step that undoes to the bytes before and redoes to the bytes after. The same by the words of scripts. The table of
// docs/building-characters.md is this one.
#include "core/elementary.h"
#include "layered/tool.h"
#include "tests/layered/made.h"

typedef enum Way { NUMBERS, RAY, POSE, WAYS } Way;
static const char *const wayNames[] = {"numbers", "ray", "pose"};

// Two limbs in the plane z = 0, with muscles and a skin around the first.
#define LIMBS                                                                                      \
    "joint add root parent=none at=0,1,0 size=3cm\n"                                               \
    "joint add low parent=root at=0,-0.3,0 size=2cm kind=fixed\n"                                  \
    "joint add high parent=root at=0,0.4,0 size=2cm kind=fixed\n"                                  \
    "joint add arm.l parent=root at=0.4,0.1,0 size=3cm\njoint add elbow.l at=0.3,0,0 size=3cm\n"   \
    "joint add hand.l at=0.3,0.1,0 size=3cm\n"                                                     \
    "joint add arm.r parent=root at=-0.4,0.1,0 size=3cm\njoint add elbow.r at=-0.3,0,0 size=3cm\n" \
    "joint add hand.r at=-0.3,0.1,0 size=3cm\n"                                                    \
    "muscle add trunk joint=root shape=superellipsoid size=0.2,0.3,0.15\n"                         \
    "muscle add fore joint=elbow.l at=0.15,0.05,0 size=0.06\n"
#define SKIN "skin create bottom=low top=high rows=8 columns=10 way=rays rounds=5\n"

static int jointOf(const snEditor *e, const char *name)
{
    return snLayered_Find(&e->layered, SN_TABLE_JOINTS, name);
}

static snAffine jointFrame(const snEditor *e, const char *name)
{
    snFigure figure;
    CHECK(snFigure_Build(&figure, &e->layered, NULL) == SN_OK);
    snAffine frame = figure.pose.global[jointOf(e, name)];
    snFigure_Destroy(&figure);
    return frame;
}

// The hand at a place: a ray from in front through it, or a tip there.
static snTool at(Way way, snVec3 place)
{
    return way == RAY ? snToolRay(snAdd(place, snVec(0, 0, 5)), snVec(0, 0, -1))
                      : snToolPose(place, snIdentityQuat());
}

static void drag(snEditor *e, snDragDef def, snTool from, snTool to, double seconds)
{
    snDrag d;
    snError error = {0};
    snStatus status = snDrag_Take(&d, e, &def, from, 1e-3, &error);
    if (!status) status = snDrag_Move(&d, to, seconds, &error);
    if (!status) status = snDrag_End(&d, true, &error);
    if (!CHECK(status == SN_OK)) printf("%s: %s\n", snDragAction_Name(def.action), error.message);
}

static void click(snEditor *e, snDragDef def, snTool tool, double seconds)
{
    snError error = {0};
    if (!CHECK(snDrag_Click(e, &def, tool, 1e-3, seconds, &error) == SN_OK))
        printf("%s: %s\n", snDragAction_Name(def.action), error.message);
}

// ---- documents compared -----------------------------------------------------------------------------

static double worstOf(const snColumnDef *field, const char *a, const char *b)
{
    double worst = 0;
    if (field->kind < SN_COLUMN_NUMBER || field->kind == SN_COLUMN_DRIVEN)
        return memcmp(a + field->offset, b + field->offset, snColumnDef_Size(field)) ? 1e9 : 0;
    const double *x = (const double *)(const void *)(a + field->offset);
    const double *y = (const double *)(const void *)(b + field->offset);
    for (size_t k = 0; k < snColumnDef_Size(field) / sizeof(double); k++)
        worst = fmax(worst, fabs(x[k] - y[k]));
    return worst;
}

// The largest difference of numbers; all else must be the same.
static double difference(const snEditor *a, const snEditor *b)
{
    double worst = 0;
    for (int t = 0; t < SN_TABLE_COUNT; t++) {
        snColumns fields = snColumns_Of((snTable)t);
        int count = snLayered_Count(&a->layered, (snTable)t);
        size_t size = snTable_RowSize((snTable)t);
        if (count != snLayered_Count(&b->layered, (snTable)t)) return 1e9;
        const char *x = a->layered.tables[t].data, *y = b->layered.tables[t].data;
        if (!fields.count && count && memcmp(x, y, (size_t)count * size)) return 1e8;
        for (int i = 0; i < count; i++)
            for (int k = 0; k < fields.count; k++)
                worst = fmax(worst,
                             worstOf(&fields.list[k], x + (size_t)i * size, y + (size_t)i * size));
    }
    return worst;
}

// ---- joints and muscles -----------------------------------------------------------------------------

static void addJoint(snEditor *e, Way way)
{
    snVec3 from = snVec(1.2, 1.3, 0), to = snVec(1.3, 1.1, 0);
    int made;
    snLayeredJoint row;
    if (way != NUMBERS) {
        drag(e, (snDragDef){.action = SN_DRAG_JOINT, .depth = 5}, at(way, from), at(way, to), 0.1);
        return;
    }
    snEditor_Begin(e);
    snTable_Default(SN_TABLE_JOINTS, &row);
    strcpy(row.name, "joint1");
    row.parent = snEdit_Current(e); // the hierarchy goes on from the current joint
    CHECK(snEdit_AddJoint(e, &row, &made, NULL) == SN_OK);
    CHECK(snEdit_MoveJoint(e, made, to, false, NULL) == SN_OK);
    CHECK(snEditor_End(e, SN_OK, NULL) == SN_OK);
}

static void addMuscle(snEditor *e, Way way)
{
    snVec3 place = jointFrame(e, "hand.l").origin, to = snAdd(place, snVec(0.03, 0.04, 0));
    snLayeredMuscle row;
    if (way != NUMBERS) {
        drag(e, (snDragDef){.action = SN_DRAG_MUSCLE, .shape = 2}, at(way, place), at(way, to), 1);
        return;
    }
    snTable_Default(SN_TABLE_MUSCLES, &row);
    strcpy(row.name, "cylinder1");
    row.joint = jointOf(e, "hand.l");
    row.shape = 2;
    row.size = snVec(0.05, 0.05, 0.05);
    CHECK(snEdit_AddMuscle(e, &row, NULL, NULL) == SN_OK);
}

static void addBoth(snEditor *e, Way way)
{
    snVec3 from = snVec(1.2, 1.3, 0), to = snVec(1.2, 1.4, 0);
    if (way == NUMBERS) {
        runScript(e, "group\njoint add joint1\nmuscle add sphere1 size=0.1\n"
                     "joint move joint1 to=1.2,1.3,0\nend\n");
        return;
    }
    drag(e, (snDragDef){.action = SN_DRAG_CREATE, .depth = 5}, at(way, from), at(way, to), 0.1);
}

static void moveJoint(snEditor *e, Way way)
{
    snVec3 from = jointFrame(e, "elbow.l").origin, to = snAdd(from, snVec(-0.05, 0.1, 0));
    if (way == NUMBERS)
        CHECK(snEdit_MoveJoint(e, jointOf(e, "elbow.l"), to, true, NULL) == SN_OK);
    else
        drag(e, (snDragDef){.action = SN_DRAG_MOVE, .childrenStay = true}, at(way, from),
             at(way, to), 1);
}

static snVec3 onMuscle(const snEditor *e) // the front of "fore", beside joints
{
    snAffine elbow = jointFrame(e, "elbow.l");
    return snAdd(elbow.origin, snVec(0.15, 0.05, 0.06));
}

static void moveMuscle(snEditor *e, Way way)
{
    snVec3 from = onMuscle(e), by = snVec(0.02, -0.03, 0);
    if (way == NUMBERS)
        CHECK(snEdit_MoveMuscle(e, 1, snAdd(snAdd(from, snVec(0, 0, -0.06)), by), NULL) == SN_OK);
    else
        drag(e, (snDragDef){.action = SN_DRAG_MOVE}, at(way, from), at(way, snAdd(from, by)), 1);
}

static void resizeJoint(snEditor *e, Way way)
{
    snVec3 middle = jointFrame(e, "hand.l").origin; // taken at its outline
    snVec3 from = snAdd(middle, snVec(0.03 * (1 - 1e-12), 0, 0));
    if (way == NUMBERS)
        CHECK(snEdit_ResizeJoint(e, jointOf(e, "hand.l"), 0.05, NULL) == SN_OK);
    else
        drag(e, (snDragDef){.action = SN_DRAG_SIZE}, at(way, from),
             at(way, snAdd(middle, snVec(0, 0.05, 0))), 1);
}

static void resizeMuscle(snEditor *e, Way way)
{
    snVec3 front = onMuscle(e), middle = snAdd(front, snVec(0, 0, -0.06));
    double z = sqrt(0.06 * 0.06 - 0.05 * 0.05); // taken 5 cm beside its middle
    snVec3 from = snAdd(middle, snVec(0.05, 0, z)), to = snAdd(middle, snVec(0.1, 0, z));
    double factor = snDistance(to, middle) / 0.06;
    if (way == NUMBERS)
        CHECK(snEdit_ScaleMuscle(e, 1, snVec(factor, factor, factor), NULL) == SN_OK);
    else
        drag(e, (snDragDef){.action = SN_DRAG_SIZE}, at(way, from), at(way, to), 1);
}

// Rolled by 15 mm over a ball of 30 mm: half a radian about the vertical.
static void turnJoint(snEditor *e, Way way)
{
    snVec3 from = jointFrame(e, "elbow.l").origin;
    snQuat turn = snQuatFromAxisAngle(snVec(0, 1, 0), 0.5);
    snTool to = way == RAY ? at(RAY, snAdd(from, snVec(0.015, 0, 0))) : snToolPose(from, turn);
    if (way == NUMBERS)
        CHECK(snEdit_RotateJoint(e, jointOf(e, "elbow.l"), turn, NULL) == SN_OK);
    else
        drag(e, (snDragDef){.action = SN_DRAG_TURN}, at(way, from), to, 1);
}

static void turnMuscle(snEditor *e, Way way)
{
    snVec3 from = onMuscle(e);
    snQuat turn = snQuatFromAxisAngle(snVec(1, 0, 0), -0.5);
    snTool to = way == RAY ? at(RAY, snAdd(from, snVec(0, 0.03, 0))) : snToolPose(from, turn);
    if (way == NUMBERS)
        CHECK(snEdit_RotateMuscle(e, 1, turn, NULL) == SN_OK);
    else
        drag(e, (snDragDef){.action = SN_DRAG_TURN}, at(way, from), to, 1);
}

static void deleteJoint(snEditor *e, Way way)
{
    snVec3 place = jointFrame(e, "elbow.l").origin;
    if (way == NUMBERS)
        CHECK(snEdit_DeleteJoint(e, jointOf(e, "elbow.l"), SN_HANGING_GOES, NULL) == SN_OK);
    else
        click(e, (snDragDef){.action = SN_DRAG_DELETE, .hanging = SN_HANGING_GOES}, at(way, place),
              0.1);
    CHECK(jointOf(e, "hand.l") < 0);
}

static void deleteMuscle(snEditor *e, Way way)
{
    snVec3 place = onMuscle(e);
    if (way == NUMBERS)
        CHECK(snEdit_DeleteMuscle(e, 1, NULL) == SN_OK);
    else
        click(e, (snDragDef){.action = SN_DRAG_DELETE}, at(way, place), 0.1);
}

static void selectJoint(snEditor *e, Way way)
{
    snVec3 place = jointFrame(e, "elbow.r").origin;
    if (way == NUMBERS)
        CHECK(snEdit_SelectJoint(e, jointOf(e, "elbow.r"), NULL) == SN_OK);
    else
        click(e, (snDragDef){.action = SN_DRAG_SELECT}, at(way, place), 0.1);
    CHECK(snEdit_Current(e) == jointOf(e, "elbow.r"));
}

// ---- poses ------------------------------------------------------------------------------------------

static snReach reachFor(const snEditor *e, const char *joint, int aims)
{
    snAffine frame = jointFrame(e, joint);
    return (snReach){.joint = jointOf(e, joint),
                     .place = aims & SN_AIM_PLACE,
                     .turn = aims & SN_AIM_TURN,
                     .position = frame.origin,
                     .rotation = snQuatFromMat(frame.linear),
                     .root = -1};
}

static void pose(snEditor *e, Way way, int aims, snVec3 by, double roll)
{
    snReach reach = reachFor(e, "hand.l", aims);
    snVec3 from = reach.position, to = snAdd(from, by);
    snQuat turn = snQuatFromAxisAngle(snVec(0, 1, 0), roll);
    reach.position = to;
    reach.rotation = snMulQQ(turn, reach.rotation);
    snTool end = at(way, to);
    if (way == POSE) end = snToolPose(to, turn);
    if (way == RAY && roll != 0) end = at(RAY, snAdd(from, snVec(0.03 * roll, 0, 0)));
    if (way == NUMBERS) {
        CHECK(snEdit_Reach(e, 1, &reach, NULL) == SN_OK && reach.met);
        return;
    }
    drag(e, (snDragDef){.action = SN_DRAG_POSE, .aims = aims}, at(way, from), end, 1);
}

static void reachPlace(snEditor *e, Way way)
{
    pose(e, way, SN_AIM_PLACE, snVec(-0.2, 0.15, 0), 0);
}

static void reachTurn(snEditor *e, Way way)
{
    pose(e, way, SN_AIM_TURN, snVec(0, 0, 0), 0.4);
}

static void reachBoth(snEditor *e, Way way)
{
    pose(e, way, SN_AIM_PLACE | SN_AIM_TURN, snVec(-0.1, 0.1, 0), 0);
}

// Both hands at once; the left one is turned as well.
static void reachSeveral(snEditor *e, Way way)
{
    snReach reaches[2] = {reachFor(e, "hand.l", 3), reachFor(e, "hand.r", 1)};
    snVec3 by[2] = {{-0.1, 0.1, 0}, {0.15, 0.2, 0}}, from[2];
    snDrag d;
    int other;
    for (int i = 0; i < 2; i++) {
        from[i] = reaches[i].position;
        reaches[i].position = snAdd(from[i], by[i]);
    }
    if (way == NUMBERS) {
        CHECK(snEdit_Reach(e, 2, reaches, NULL) == SN_OK && reaches[0].met && reaches[1].met);
        return;
    }
    snDragDef def = {.action = SN_DRAG_POSE, .aims = SN_AIM_PLACE | SN_AIM_TURN};
    snToolPick pick;
    CHECK(snDrag_Take(&d, e, &def, at(way, from[0]), 1e-3, NULL) == SN_OK);
    CHECK(snEditor_Pick(e, at(way, from[1]), SN_PICK_JOINTS, 1e-3, &pick, NULL) == SN_OK);
    CHECK(snDrag_Grip(&d, pick, SN_AIM_PLACE, at(way, from[1]), &other, NULL) == SN_OK);
    for (int k = 1; k <= 3; k++) { // the hands move in turns
        snVec3 left = snLerp(from[0], reaches[0].position, k / 3.0);
        snVec3 right = snLerp(from[1], reaches[1].position, k / 3.0);
        CHECK(snDrag_Move(&d, at(way, left), 0.1, NULL) == SN_OK);
        CHECK(snDrag_MoveGrip(&d, other, at(way, right), 0.1, NULL) == SN_OK);
    }
    CHECK(d.grips[0].reach.met && d.grips[1].reach.met);
    CHECK(snDrag_End(&d, true, NULL) == SN_OK);
}

// A hand that is held stays while the other one goes.
static void keyPosture(snEditor *e, Way way)
{
    snLayeredPosture row;
    snTable_Default(SN_TABLE_POSTURES, &row);
    strcpy(row.name, "up");
    row.time = 0.5;
    snEditor_Begin(e);
    reachPlace(e, way);
    CHECK(snEdit_KeepPosture(e, &row, NULL) == SN_OK);
    CHECK(snEditor_End(e, SN_OK, NULL) == SN_OK);
}

// ---- skin -------------------------------------------------------------------------------------------

static void createSkin(snEditor *e, Way way)
{
    snSkinMakeDef make = snDefaultSkinMakeDef();
    make.rows = 6;
    make.columns = 8;
    make.way = SN_SKIN_BY_RAYS;
    make.bottom = jointOf(e, "low");
    make.top = jointOf(e, "high");
    if (way == NUMBERS)
        CHECK(snEdit_CreateSkin(e, &make, NULL) == SN_OK);
    else
        drag(e, (snDragDef){.action = SN_DRAG_SKIN, .skin = make},
             at(way, jointFrame(e, "low").origin), at(way, jointFrame(e, "high").origin), 1);
}

static snVec3 onSkin(const snEditor *e, snToolPick *pick)
{
    snToolPick own;
    if (!pick) pick = &own;
    CHECK(snEditor_Pick(e, at(RAY, snVec(0.06, 1.05, 0)), SN_PICK_POINTS, 0, pick, NULL) == SN_OK);
    CHECK(pick->kind == SN_PICKED_POINT);
    return pick->place;
}

static void attachAll(snEditor *e, Way way)
{
    int count;
    if (way == NUMBERS)
        CHECK(snEdit_Attach(e, (snBrush){{0, 0, 0}, 0}, 1e6, &count, NULL) == SN_OK && count > 30);
    else
        click(e, (snDragDef){.action = SN_DRAG_TIE}, at(way, onSkin(e, NULL)), 0.1);
}

static void attachRegion(snEditor *e, Way way)
{
    int count;
    snVec3 place = onSkin(e, NULL);
    if (way == NUMBERS)
        CHECK(snEdit_Attach(e, (snBrush){place, 0.1}, 1e6, &count, NULL) == SN_OK && count > 1 &&
              count < 30);
    else
        click(e, (snDragDef){.action = SN_DRAG_TIE, .radius = 0.1}, at(way, place), 0.1);
}

static void attachPoint(snEditor *e, Way way)
{
    snToolPick pick, foot;
    snVec3 from = onSkin(e, &pick), to = snVec(-0.05, 1.1, 0);
    CHECK(snEditor_Pick(e, at(RAY, to), SN_PICK_MUSCLES, 0, &foot, NULL) == SN_OK);
    if (way == NUMBERS)
        CHECK(snEdit_AttachPoint(e, pick.row, foot.row, foot.place, NULL) == SN_OK);
    else
        drag(e, (snDragDef){.action = SN_DRAG_ATTACH}, at(way, from),
             way == RAY ? at(RAY, to) : at(POSE, foot.place), 0.1);
}

static void detachRegion(snEditor *e, Way way)
{
    int count;
    snVec3 place = onSkin(e, NULL);
    if (way == NUMBERS)
        CHECK(snEdit_Detach(e, (snBrush){place, 0.1}, &count, NULL) == SN_OK && count > 1);
    else
        click(e, (snDragDef){.action = SN_DRAG_UNTIE, .radius = 0.1}, at(way, place), 0.1);
}

static void layFat(snEditor *e, Way way, double sign)
{
    snVec3 place = onSkin(e, NULL);
    snDragDef def = {.action = SN_DRAG_FAT, .radius = 0.08, .rate = 0.01};
    if (way == RAY) def.rate *= sign; // a mouse has a button for it, a hand turns
    snTool end = at(way, place);
    if (way == POSE) end = snToolPose(place, snQuatFromAxisAngle(snVec(0, 0, -1), sign * 0.5));
    if (way == NUMBERS)
        CHECK(snEdit_AddFat(e, (snBrush){place, 0.08}, sign * 0.003, NULL) == SN_OK);
    else
        drag(e, def, at(way, place), end, 0.3);
}

static void addFat(snEditor *e, Way way)
{
    layFat(e, way, 1);
}

static void takeFat(snEditor *e, Way way)
{
    layFat(e, way, -1);
}

static void smooth(snEditor *e, Way way)
{
    snVec3 place = onSkin(e, NULL);
    if (way == NUMBERS)
        CHECK(snEdit_Smooth(e, (snBrush){place, 0.1}, 0.5, NULL) == SN_OK);
    else
        click(e, (snDragDef){.action = SN_DRAG_SMOOTH, .radius = 0.1, .rate = 5}, at(way, place),
              0.1);
}

static void doubleSkin(snEditor *e, Way way)
{
    if (way == NUMBERS)
        CHECK(snEdit_DoubleSkin(e, NULL) == SN_OK);
    else
        click(e, (snDragDef){.action = SN_DRAG_DOUBLE}, at(way, onSkin(e, NULL)), 0.1);
}

static void halveSkin(snEditor *e, Way way)
{
    if (way == NUMBERS)
        CHECK(snEdit_HalveSkin(e, NULL) == SN_OK);
    else
        click(e, (snDragDef){.action = SN_DRAG_HALVE}, at(way, onSkin(e, NULL)), 0.1);
}

// ---- the table --------------------------------------------------------------------------------------

static const struct {
    const char *name, *before;
    void (*run)(snEditor *e, Way way);
    double near; // of numbers
} table[] = {
    {"add a joint", LIMBS, addJoint, 1e-12},
    {"add a muscle", LIMBS, addMuscle, 1e-12},
    {"add both", LIMBS, addBoth, 1e-12},
    {"move a joint", LIMBS, moveJoint, 1e-12},
    {"move a muscle", LIMBS, moveMuscle, 1e-8},
    {"resize a joint", LIMBS, resizeJoint, 1e-7},
    {"resize a muscle", LIMBS, resizeMuscle, 1e-8},
    {"turn a joint", LIMBS, turnJoint, 1e-9},
    {"turn a muscle", LIMBS, turnMuscle, 1e-8},
    {"delete a joint", LIMBS, deleteJoint, 0},
    {"delete a muscle", LIMBS, deleteMuscle, 0},
    {"select the current joint", LIMBS, selectJoint, 0},
    {"reach a place", LIMBS, reachPlace, 1e-9},
    {"reach a rotation", LIMBS, reachTurn, 1e-6},
    {"reach both", LIMBS, reachBoth, 1e-6},
    {"reach with several", LIMBS, reachSeveral, 1e-6},
    {"keep a posture", LIMBS, keyPosture, 1e-9},
    {"create a skin", LIMBS, createSkin, 0},
    {"attach all", LIMBS SKIN, attachAll, 0},
    {"attach a region", LIMBS SKIN, attachRegion, 0},
    {"attach a point", LIMBS SKIN, attachPoint, 1e-9},
    {"detach a region", LIMBS SKIN "skin attach\n", detachRegion, 0},
    {"add fat", LIMBS SKIN "skin attach\n", addFat, 1e-12},
    {"take fat", LIMBS SKIN "skin attach\n", takeFat, 1e-12},
    {"smooth", LIMBS SKIN, smooth, 1e-12},
    {"double a grid", LIMBS SKIN "skin attach\n", doubleSkin, 0},
    {"halve a grid", LIMBS SKIN "skin attach\n", halveSkin, 0},
    {"double a mesh", LIMBS "skin mesh cell=12cm\nskin attach\n", doubleSkin, 0},
    {"halve a mesh", LIMBS "skin mesh cell=8cm\nskin attach\n", halveSkin, 0},
};

static void everyCell(void)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        snEditor made[WAYS];
        for (int way = 0; way < WAYS; way++) {
            snEditor *e = &made[way];
            *e = makeEditor(table[i].before);
            snBytes before = written(e);
            int steps = snEditor_UndoCount(e);
            table[i].run(e, (Way)way);
            snBytes after = written(e);
            bool changed = !isSame(&before, &after), one = snEditor_UndoCount(e) == steps + 1;
            CHECK(snEditor_Undo(e));
            snBytes undone = written(e);
            bool back = isSame(&before, &undone);
            CHECK(snEditor_Redo(e));
            snBytes redone = written(e);
            bool forth = isSame(&after, &redone);
            double off = difference(&made[0], e);
            bool sound = snLayered_Check(&e->layered, NULL) == SN_OK && e->depth == 0;
            if (!CHECK(changed && one && back && forth && sound && off <= table[i].near))
                printf("%s by %s: changed %d, one step %d, undone %d, redone %d, off by %g\n",
                       table[i].name, wayNames[way], changed, one, back, forth, off);
            snBytes_Destroy(&before);
            snBytes_Destroy(&after);
            snBytes_Destroy(&undone);
            snBytes_Destroy(&redone);
        }
        for (int way = 0; way < WAYS; way++)
            snEditor_Destroy(&made[way]);
    }
}

// The same drags as words.
static void wordsOfScripts(void)
{
    static const struct {
        const char *before, *words, *hand;
        double near;
    } rows[] = {
        {LIMBS, "joint move elbow.l by=-0.05,0.1,0\n", "at=0.7,1.1,0 to=0.65,1.2,0", 1e-6},
        {LIMBS, "pose reach hand.l to=0.8,1.35,0\n", "at=1,1.2,0 to=0.8,1.35,0", 1e-3},
        {LIMBS, "joint delete hand.r\n", "at=-1,1.2,0", 0},
        {LIMBS, "joint select elbow.r\n", "at=-0.7,1.1,0", 0},
        {LIMBS, "skin create bottom=low top=high rows=5 columns=6\n",
         "at=0,0.7,0 to=0,1.4,0 rows=5 columns=6", 0},
        {LIMBS SKIN, "skin attach\n", "at=0.06,1.05,0.4", 0},
        {LIMBS SKIN, "skin double\n", "at=0.06,1.05,0.4", 0},
    };
    static const char *const actions[] = {"move", "pose", "delete", "select",
                                          "skin", "tie",  "double"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snEditor plain = makeEditor(rows[i].before);
        runScript(&plain, rows[i].words);
        for (int ray = 0; ray < 2; ray++) {
            char line[300];
            snEditor e = makeEditor(rows[i].before);
            // A mouse far away has rays that are as good as parallel.
            snprintf(line, sizeof line, "drag %s %s %s\n", actions[i], rows[i].hand,
                     ray ? "eye=0,1,9e4" : "reach=0.5");
            runScript(&e, line);
            double off = difference(&plain, &e);
            if (!CHECK(off <= rows[i].near)) printf("%s: off by %g\n", line, off);
            snEditor_Destroy(&e);
        }
        snEditor_Destroy(&plain);
    }
    snEditor both = makeEditor(LIMBS), hands = makeEditor(LIMBS);
    runScript(&both, "pose reach hand.l to=0.9,1.3,0 and hand.r to=-0.85,1.4,0\n");
    runScript(&hands, "drag pose at=1,1.2,0 to=0.9,1.3,0 and pose at=-1,1.2,0 to=-0.85,1.4,0\n");
    CHECK(difference(&both, &hands) < 1e-4);
    snEditor_Destroy(&both);
    snEditor_Destroy(&hands);
}

// Words that mean nothing, and clauses that break off, leave nothing open.
static void brokenDrags(void)
{
    static const char *const lines[] = {"drag fly at=0,0,0",
                                        "drag move",
                                        "drag move at=9,9,9",
                                        "drag pose at=1,1.2,0 and pose",
                                        "drag pose at=1,1.2,0 to=0.9,1.2,0 and pose at=7,7,7",
                                        "drag move at=1,1.2,0 and move at=1",
                                        "drag skin at=0,0.7,0 to=0,0.7,0",
                                        "drag pose at=1,1.2,0 and pose at=x",
                                        "drag double at=0,1,0"};
    snEditor e = makeEditor(LIMBS);
    snBytes before = written(&e);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        snError error = {0};
        snScriptReport report;
        CHECK(snScript_Run(&e, lines[i], strlen(lines[i]), &report, &error) != SN_OK);
        CHECK(error.message[0] && e.depth == 0);
        snBytes after = written(&e);
        if (!CHECK(isSame(&before, &after))) printf("%s\n", lines[i]);
        snBytes_Destroy(&after);
    }
    snBytes_Destroy(&before);
    snEditor_Destroy(&e);
}

// A band that is tied while the figure stands in a pose ends where the hand saw the muscle's surface.
static void attachedInAPose(void)
{
    snEditor e = makeEditor(LIMBS SKIN);
    snToolPick pick, point;
    onSkin(&e, &point);
    CHECK(snEditor_Pick(&e, at(RAY, snVec(0.05, 1.1, 0)), SN_PICK_MUSCLES, 0, &pick, NULL) ==
          SN_OK);
    snDragDef def = {.action = SN_DRAG_ATTACH, .pick = point};
    snVec3 feet[2];
    for (int posed = 0; posed < 2; posed++) {
        snVec3 place = pick.place;
        snDrag d;
        if (posed) {
            runScript(&e, "pose joint root angles=0,0,40\n");
            snAffine root = jointFrame(&e, "root");
            place = snMulAP(root, snSub(pick.place, snVec(0, 1, 0)));
        }
        snTool tip = at(POSE, place);
        CHECK(snDrag_Begin(&d, &e, &def, tip, NULL) == SN_OK);
        CHECK(snDrag_Move(&d, tip, 0.1, NULL) == SN_OK && snDrag_End(&d, true, NULL) == SN_OK);
        feet[posed] = snLayered_Points(&e.layered)[point.row].foot;
        CHECK(snLayered_Points(&e.layered)[point.row].muscle == 0);
    }
    CHECK_NEAR(snDistance(feet[0], feet[1]), 0, 1e-6);
    snEditor_Destroy(&e);
}

int main(void)
{
    RUN(everyCell);
    RUN(wordsOfScripts);
    RUN(brokenDrags);
    RUN(attachedInAPose);
    return snTest_Finish();
}
