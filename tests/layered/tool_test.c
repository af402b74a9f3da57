// Tools: what a ray meets and a tip touches, by closed forms; drags end where the hand is and are one step.
#include "core/elementary.h"
#include "layered/tool.h"
#include "tests/layered/made.h"

#define TWO                                                                                        \
    "joint add a parent=none at=0,1,0 size=3cm\n"                                                  \
    "muscle add ball joint=a at=0,0.3,0 size=0.2\n"                                                \
    "joint add b at=1,0,0 size=3cm turn=z:30\nmuscle add other joint=b size=0.25\n"

static void raysAndTipsPick(void)
{
    snEditor editor = makeEditor(
        TWO
        "joint add c parent=a at=0,0.55,0 kind=fixed\njoint add d parent=a at=0,0.05,0 kind=fixed\n"
        "skin create bottom=d top=c rows=24 columns=32 gap=1cm way=rays\n");
    snToolPick pick;
    snTool ray = snToolRay(snVec(0.05, 1.3, 5), snVec(0, 0, -2));
    CHECK(snEditor_Pick(&editor, ray, SN_PICK_MUSCLES, 0, &pick, NULL) == SN_OK);
    CHECK(pick.kind == SN_PICKED_MUSCLE && pick.row == 0);
    CHECK_NEAR(pick.distance, 5 - sqrt(0.04 - 0.0025), 1e-8);
    CHECK(snEditor_Pick(&editor, ray, SN_PICK_MUSCLES | SN_PICK_POINTS, 0, &pick, NULL) == SN_OK);
    CHECK(pick.kind == SN_PICKED_POINT && pick.place.z > 0.19); // the skin is in front
    CHECK(snDistance(snLayered_Points(&editor.layered)[pick.row].place, pick.place) < 0.08);
    // A joint within a muscle is picked through it; beside it not.
    CHECK(snEditor_Pick(&editor, snToolRay(snVec(1.01, 1.01, 5), snVec(0, 0, -1)), 7, 0, &pick,
                        NULL) == SN_OK);
    CHECK(pick.kind == SN_PICKED_JOINT && pick.row == 1);
    CHECK_NEAR(pick.distance, 5 - sqrt(9e-4 - 2e-4), 1e-12);
    CHECK(snEditor_Pick(&editor, snToolRay(snVec(1.1, 1, 5), snVec(0, 0, -1)), 7, 0, &pick, NULL) ==
          SN_OK);
    CHECK(pick.kind == SN_PICKED_MUSCLE && pick.row == 1);
    CHECK(snEditor_Pick(&editor, snToolRay(snVec(3, 1, 5), snVec(0, 0, -1)), 7, 0, &pick, NULL) ==
          SN_OK);
    CHECK(pick.kind == SN_PICKED_NOTHING);
    // Tips.
    snTool tip = snToolPose(snVec(1, 1.3, 0), snIdentityQuat());
    CHECK(snEditor_Pick(&editor, tip, 7, 0.04, &pick, NULL) == SN_OK &&
          pick.kind == SN_PICKED_NOTHING);
    CHECK(snEditor_Pick(&editor, tip, 7, 0.06, &pick, NULL) == SN_OK &&
          pick.kind == SN_PICKED_MUSCLE && pick.row == 1);
    CHECK_NEAR(pick.distance, 0.05, 1e-9);
    CHECK(snEditor_Pick(&editor, snToolPose(snVec(1, 1.04, 0), snIdentityQuat()), 7, 0.02, &pick,
                        NULL) == SN_OK);
    CHECK(pick.kind == SN_PICKED_JOINT && pick.row == 1);
    // The same through a picture: straight ahead is its middle.
    snView view = {{0, 1.3, 5}, {0, 0, 0, 1}, 40, 1.5};
    snTool middle = snView_Ray(&view, 0.5, 0.5), corner = snView_Ray(&view, 0, 0);
    CHECK_NEAR(middle.direction.z, -1, 1e-15);
    CHECK_NEAR(corner.direction.y / -corner.direction.z, snTan(20 * SN_PI / 180), 1e-12);
    CHECK_NEAR(corner.direction.x / corner.direction.z, 1.5 * snTan(20 * SN_PI / 180), 1e-12);
    snEditor_Destroy(&editor);
}

static void dragsAreOneStep(void)
{
    snEditor editor = makeEditor(TWO);
    snBytes before = written(&editor);
    int steps = snEditor_UndoCount(&editor);
    size_t bytes = snEditor_JournalBytes(&editor);
    snTool ray = snToolRay(snVec(1.1, 1, 5), snVec(0, 0, -1));
    snDragDef def = {.action = SN_DRAG_MOVE};
    snDrag drag;
    CHECK(snEditor_Pick(&editor, ray, SN_PICK_MUSCLES, 0, &def.pick, NULL) == SN_OK);
    CHECK(snDrag_Begin(&drag, &editor, &def, ray, NULL) == SN_OK);
    for (int i = 0; i <= 200; i++)
        CHECK(snDrag_Move(&drag,
                          snToolRay(snVec(1.1 + 0.001 * i, 1 + 0.002 * i, 5), snVec(0, 0, -1)),
                          0.01, NULL) == SN_OK);
    CHECK(snDrag_End(&drag, true, NULL) == SN_OK);
    CHECK(snEditor_UndoCount(&editor) == steps + 1 && snEditor_JournalBytes(&editor) - bytes < 300);
    snFigure figure;
    CHECK(snFigure_Build(&figure, &editor.layered, NULL) == SN_OK);
    CHECK_NEAR(snDistance(figure.muscles[1].frame.origin, snVec(1.2, 1.4, 0)), 0, 1e-9);
    snFigure_Destroy(&figure);
    CHECK(snEditor_Undo(&editor));
    snBytes after = written(&editor);
    CHECK(isSame(&before, &after));
    snBytes_Destroy(&after);
    // One that is given up leaves nothing.
    CHECK(snDrag_Begin(&drag, &editor, &def, ray, NULL) == SN_OK);
    CHECK(snDrag_Move(&drag, snToolRay(snVec(2, 2, 5), snVec(0, 0, -1)), 0.01, NULL) == SN_OK);
    CHECK(snDrag_End(&drag, false, NULL) == SN_OK && snEditor_UndoCount(&editor) == steps);
    after = written(&editor);
    CHECK(isSame(&before, &after));
    snBytes_Destroy(&after);
    snBytes_Destroy(&before);
    snEditor_Destroy(&editor);
}

// What a controller holds keeps its place in the hand.
static void controllersCarryAndTurn(void)
{
    snEditor editor = makeEditor(TWO "pose joint a angles=10,20,30\npose joint b angles=0,15,0\n");
    for (int kind = SN_PICKED_JOINT; kind <= SN_PICKED_MUSCLE; kind++) {
        snFigure figure;
        CHECK(snFigure_Build(&figure, &editor.layered, NULL) == SN_OK);
        snAffine object = kind == SN_PICKED_JOINT ? figure.pose.global[1] : figure.muscles[1].frame;
        snFigure_Destroy(&figure);
        snTool from = snToolPose(snVec(0.9, 1.2, 0.1), snQuatFromAxisAngle(snVec(0, 1, 0), 0.4));
        snTool to = snToolPose(snVec(1.3, 0.7, 0.4), snQuatFromAxisAngle(snVec(0.6, 0, 0.8), 1.1));
        snDragDef def = {.action = SN_DRAG_MOVE, .pick = {(snPickKind)kind, 1, from.place, 0}};
        snDrag drag;
        CHECK(snDrag_Begin(&drag, &editor, &def, from, NULL) == SN_OK);
        CHECK(snDrag_Move(&drag, to, 0.1, NULL) == SN_OK && snDrag_End(&drag, true, NULL) == SN_OK);
        snAffine hold =
            snMulAA(snInverseAffine((snAffine){snQuatToMat(from.rotation), from.place}), object);
        snAffine wanted = snMulAA((snAffine){snQuatToMat(to.rotation), to.place}, hold);
        CHECK(snFigure_Build(&figure, &editor.layered, NULL) == SN_OK);
        object = kind == SN_PICKED_JOINT ? figure.pose.global[1] : figure.muscles[1].frame;
        CHECK_NEAR(snDistance(object.origin, wanted.origin), 0, 1e-12);
        CHECK_NEAR(snDistance(object.linear.cx, wanted.linear.cx), 0, 1e-12);
        CHECK_NEAR(snDistance(object.linear.cy, wanted.linear.cy), 0, 1e-12);
        snFigure_Destroy(&figure);
    }
    snEditor_Destroy(&editor);
}

static void othersDrag(void)
{
    snEditor editor = makeEditor(FIGURE "pose reset\n");
    snDrag drag;
    int hand = snLayered_Find(&editor.layered, SN_TABLE_JOINTS, "hand.l");
    int joints = snLayered_Count(&editor.layered, SN_TABLE_JOINTS);
    snFigure figure;
    CHECK(snFigure_Build(&figure, &editor.layered, NULL) == SN_OK);
    snVec3 at = figure.pose.global[hand].origin, wanted = snAdd(at, snVec(-0.1, 0.1, 0.1));
    snFigure_Destroy(&figure);
    snDragDef pose = {.action = SN_DRAG_POSE, .pick = {SN_PICKED_JOINT, hand, at, 0}};
    CHECK(snDrag_Begin(&drag, &editor, &pose, snToolPose(at, snIdentityQuat()), NULL) == SN_OK);
    CHECK(snDrag_Move(&drag, snToolPose(wanted, snIdentityQuat()), 0.1, NULL) == SN_OK);
    CHECK(snDrag_End(&drag, true, NULL) == SN_OK &&
          snFigure_Build(&figure, &editor.layered, NULL) == SN_OK);
    CHECK(snDistance(figure.pose.global[hand].origin, wanted) < 1e-3);
    snFigure_Destroy(&figure);
    // A joint with a sphere, hung on the current one.
    snDragDef create = {.action = SN_DRAG_CREATE};
    CHECK(snDrag_Begin(&drag, &editor, &create, snToolPose(snVec(1, 1, 1), snIdentityQuat()),
                       NULL) == SN_OK);
    CHECK(snDrag_Move(&drag, snToolPose(snVec(1, 1, 1.2), snIdentityQuat()), 0.1, NULL) == SN_OK);
    CHECK(snDrag_Move(&drag, snToolPose(snVec(1, 1.3, 1), snIdentityQuat()), 0.1, NULL) == SN_OK);
    CHECK(snDrag_End(&drag, true, NULL) == SN_OK);
    CHECK(snLayered_Count(&editor.layered, SN_TABLE_JOINTS) == joints + 1 &&
          snEdit_Current(&editor) == joints);
    const snLayeredMuscle *made =
        &snLayered_Muscles(&editor.layered)[snLayered_Count(&editor.layered, SN_TABLE_MUSCLES) - 1];
    CHECK_NEAR(made->size.x, 0.3, 1e-12);
    CHECK(made->joint == joints);
    // Fat: clockwise adds, counter-clockwise takes, for as long as it is held.
    for (int sign = -1; sign <= 1; sign += 2) {
        snToolPick pick;
        snTool tool = snToolPose(snVec(0, 0.5, 0.3), snIdentityQuat());
        snDragDef fat = {.action = SN_DRAG_FAT, .radius = 0.05, .rate = 0.01};
        CHECK(snEditor_Pick(&editor, tool, SN_PICK_POINTS, 1, &pick, NULL) == SN_OK &&
              pick.kind == SN_PICKED_POINT);
        double before = snLayered_Points(&editor.layered)[pick.row].fat;
        CHECK(snDrag_Begin(&drag, &editor, &fat, tool, NULL) == SN_OK);
        tool.rotation = snQuatFromAxisAngle(snVec(0, 0, -1), sign * 0.5);
        for (int i = 0; i < 5; i++)
            CHECK(snDrag_Move(&drag, tool, 0.02, NULL) == SN_OK);
        CHECK(snDrag_End(&drag, true, NULL) == SN_OK);
        double change = snLayered_Points(&editor.layered)[pick.row].fat - before;
        CHECK(sign * change > 2e-4 && fabs(change) <= 1.001e-3);
    }
    snDragDef wrong = {.action = SN_DRAG_POSE};
    CHECK(snDrag_Begin(&drag, &editor, &wrong, snToolPose(at, snIdentityQuat()), NULL) ==
          SN_ERROR_ARGUMENT);
    CHECK(editor.depth == 0);
    snEditor_Destroy(&editor);
}

int main(void)
{
    RUN(raysAndTipsPick);
    RUN(dragsAreOneStep);
    RUN(controllersCarryAndTurn);
    RUN(othersDrag);
    return snTest_Finish();
}
