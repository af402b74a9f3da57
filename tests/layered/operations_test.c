// What operations do: places are where a hand put them, what hangs on a joint stays or goes as asked, brushes and
// resolutions keep what they should.
#include "core/elementary.h"
#include "layered/surface.h"
#include "tests/layered/made.h"

static snVec3 jointAt(const snEditor *editor, const char *name)
{
    snFigure figure;
    CHECK(snFigure_Build(&figure, &editor->layered, NULL) == SN_OK);
    snVec3 place =
        figure.pose.global[snLayered_Find(&editor->layered, SN_TABLE_JOINTS, name)].origin;
    snFigure_Destroy(&figure);
    return place;
}

static snVec3 muscleAt(const snEditor *editor, const char *name)
{
    snFigure figure;
    CHECK(snFigure_Build(&figure, &editor->layered, NULL) == SN_OK);
    snVec3 place =
        figure.muscles[snLayered_Find(&editor->layered, SN_TABLE_MUSCLES, name)].frame.origin;
    snFigure_Destroy(&figure);
    return place;
}

#define CHECK_PLACE(a, b) CHECK_NEAR(snDistance((a), (b)), 0, 1e-12)

static void movesAreInTheWorld(void)
{
    snEditor editor = makeEditor(FIGURE);
    runScript(&editor, "posture show up\n"); // the figure stands in a pose
    snVec3 elbow = jointAt(&editor, "elbow.l"), hand = jointAt(&editor, "hand.l");
    snVec3 to = snAdd(elbow, snVec(0.01, 0.02, -0.03));
    int joint = snLayered_Find(&editor.layered, SN_TABLE_JOINTS, "elbow.l");
    CHECK(snEdit_MoveJoint(&editor, joint, to, false, NULL) == SN_OK);
    CHECK_PLACE(jointAt(&editor, "elbow.l"), to);
    CHECK_PLACE(jointAt(&editor, "hand.l"), snAdd(hand, snVec(0.01, 0.02, -0.03)));
    CHECK(snEditor_Undo(&editor) && snEdit_MoveJoint(&editor, joint, to, true, NULL) == SN_OK);
    CHECK_PLACE(jointAt(&editor, "elbow.l"), to);
    CHECK_PLACE(jointAt(&editor, "hand.l"), hand);
    runScript(&editor, "muscle move biceps.l to=1,2,3\n");
    CHECK_PLACE(muscleAt(&editor, "biceps.l"), snVec(1, 2, 3));
    snEditor_Destroy(&editor);
}

static void deletingMovesOrTakes(void)
{
    snEditor editor = makeEditor(FIGURE);
    runScript(&editor, "pose reset\n");
    snVec3 hand = jointAt(&editor, "hand.l"), muscle = muscleAt(&editor, "biceps.l");
    int joints = snLayered_Count(&editor.layered, SN_TABLE_JOINTS);
    runScript(&editor, "joint delete shoulder.l\ncheck\n");
    CHECK(snLayered_Count(&editor.layered, SN_TABLE_JOINTS) == joints - 1);
    CHECK_PLACE(jointAt(&editor, "hand.l"), hand);
    CHECK_PLACE(muscleAt(&editor, "biceps.l"), muscle);
    // The twist that followed its angle is what it was at rest.
    const snLayeredMuscle *trunk = snLayered_Muscles(&editor.layered);
    CHECK(snDriven_IsNumber(&trunk->twist, 0) && trunk->twist.joint == -1);
    runScript(&editor, "undo\njoint delete shoulder.l hanging=delete\ncheck\n");
    CHECK(snLayered_Count(&editor.layered, SN_TABLE_JOINTS) == joints - 3);
    CHECK(snLayered_Find(&editor.layered, SN_TABLE_MUSCLES, "biceps.l") < 0);
    CHECK(snLayered_Find(&editor.layered, SN_TABLE_MUSCLES, "biceps.r") >= 0 &&
          snLayered_Skin(&editor.layered));
    runScript(&editor, "joint delete bottom hanging=delete\ncheck\n"); // the skin ends there
    CHECK(!snLayered_Skin(&editor.layered) && !snLayered_Count(&editor.layered, SN_TABLE_POINTS));
    runScript(
        &editor,
        "joint delete root hanging=delete\ncheck joints=0 muscles=0\nundo all\ncheck empty\n");
    snEditor_Destroy(&editor);
}

static void twinsAreMirrorImages(void)
{
    snEditor editor =
        makeEditor("joint add mid parent=none at=0,1,0\n"
                   "joint add arm.l at=0.2,0.1,0.05 turn=y:30,z:-20 kind=ball axis=1,0.2,0\n"
                   "joint add hand.l at=0.3,0,0.1 turn=x:15\n"
                   "muscle add m.l joint=hand.l at=0.1,0.05,0 turn=z:25,x:40 shape=superellipsoid "
                   "size=0.05,0.1,0.03 axis=y twist=40 bend=50 bend-around=20 taper=0.3\n"
                   "muscle bulge m.l at=0.03,0.02,0.01 direction=1,0.5,0 width=4cm height=2cm\n"
                   "mirror left=.l right=.r\n"
                   "pose joint arm.l angles=20,30,-40\npose joint arm.r angles=20,-30,40\n");
    snFigure figure;
    CHECK(snFigure_Build(&figure, &editor.layered, NULL) == SN_OK);
    CHECK_PLACE(figure.pose.global[2].origin,
                snVec(-figure.pose.global[4].origin.x, figure.pose.global[4].origin.y,
                      figure.pose.global[4].origin.z));
    // Inside is inside: the values at mirrored places are the same, for all axes of the warp.
    for (int axis = 0; axis < 3; axis++) {
        char line[160];
        snprintf(line, sizeof line,
                 "muscle set m.l axis=%c\nmirror left=.l right=.r\n"
                 "pose joint arm.r angles=20,-30,40\n",
                 "xyz"[axis]);
        runScript(&editor, line);
        snFigure_Destroy(&figure);
        CHECK(snFigure_Build(&figure, &editor.layered, NULL) == SN_OK);
        snVec3 middle = figure.muscles[0].frame.origin;
        for (int i = 0; i < 60; i++) {
            snVec3 p =
                snAdd(middle, snVec(0.1 * snSin(i), 0.1 * snSin(2.3 * i), 0.1 * snCos(3.1 * i)));
            CHECK_NEAR(snMuscle_Value(&figure.muscles[0], p, NULL),
                       snMuscle_Value(&figure.muscles[1], snVec(-p.x, p.y, p.z), NULL), 1e-9);
        }
    }
    snFigure_Destroy(&figure);
    snEditor_Destroy(&editor);
}

// ---- skin -------------------------------------------------------------------------------------------

static double deepest(const snEditor *editor)
{
    snFigure figure;
    double least = 1;
    CHECK(snFigure_Build(&figure, &editor->layered, NULL) == SN_OK);
    snFigure_SetRest(&figure);
    for (int i = 0; i < snLayered_Count(&editor->layered, SN_TABLE_POINTS); i++) {
        double d = snFigure_Distance(&figure, snLayered_Points(&editor->layered)[i].place, NULL);
        if (d < least) least = d;
    }
    snFigure_Destroy(&figure);
    return least;
}

#define BALL                                                                                       \
    "joint add low parent=none at=0,-0.11,0 kind=fixed size=1cm\n"                                 \
    "joint add high at=0,0.22,0 kind=fixed size=1cm\n"                                             \
    "muscle add ball joint=low at=0,0.11,0 size=0.1\n"                                             \
    "skin create bottom=low top=high rows=12 columns=16 gap=5mm\n"

static void skinShrinksOn(void)
{
    snEditor editor = makeEditor(BALL);
    int n = snLayered_Count(&editor.layered, SN_TABLE_POINTS);
    CHECK(n == 192 && deepest(&editor) > 0.005 * (1 - 1e-5));
    // Around a ball it is one, but where its rims are held away.
    for (int i = 32; i < n - 32; i++)
        CHECK_NEAR(snLength(snLayered_Points(&editor.layered)[i].place), 0.105, 2e-3);
    runScript(&editor, "skin attach\n");
    for (int i = 0; i < n; i++) {
        const snLayeredPoint *p = &snLayered_Points(&editor.layered)[i];
        bool rim = i < 16 || i >= n - 16;
        CHECK(rim ? p->joint >= 0 && p->muscle < 0 : p->muscle == 0 && p->joint < 0);
        if (!rim) CHECK_NEAR(snLength(p->foot), 0.1, 1e-9); // on the muscle
    }
    int detached = 0, attached = 0;
    snBrush brush = {{0, 0, 0.105}, 0.04};
    CHECK(snEdit_Detach(&editor, brush, &detached, NULL) == SN_OK && detached > 2 && detached < 60);
    CHECK(snEdit_Attach(&editor, brush, 1, &attached, NULL) == SN_OK && attached == detached);
    CHECK(snEdit_AttachPoint(&editor, 90, 0, snVec(0, 0, 1), NULL) == SN_OK);
    CHECK_PLACE(snLayered_Points(&editor.layered)[90].foot, snVec(0, 0, 0.1));
    snEditor_Destroy(&editor);
}

static void fatIsAGaussian(void)
{
    snEditor editor = makeEditor(BALL "skin attach\n");
    snBytes before = written(&editor);
    snBrush brush = {snLayered_Points(&editor.layered)[100].place, 0.03};
    CHECK(snEdit_AddFat(&editor, brush, 0.01, NULL) == SN_OK);
    CHECK_NEAR(snLayered_Points(&editor.layered)[100].fat, 0.015, 1e-15);
    for (int i = 16; i < 176; i++) {
        snVec3 old, now = snLayered_Points(&editor.layered)[i].place;
        double fat = snLayered_Points(&editor.layered)[i].fat;
        snEditor_Undo(&editor);
        old = snLayered_Points(&editor.layered)[i].place;
        snEditor_Redo(&editor);
        double d = snDistance(old, brush.center);
        double wanted = d > 0.09 ? 0 : 0.01 * snExp(-d * d / (2 * 0.03 * 0.03));
        CHECK_NEAR(fat, 0.005 + wanted, 1e-15);
        CHECK_NEAR(snDistance(old, now), wanted, 1e-15); // it rises by as much
    }
    CHECK(snEdit_AddFat(&editor, brush, -1, NULL) == SN_OK); // not below nothing
    CHECK(snLayered_Points(&editor.layered)[100].fat == 0);
    runScript(&editor, "undo 2\n");
    snBytes after = written(&editor);
    CHECK(isSame(&before, &after));
    snBytes_Destroy(&before);
    snBytes_Destroy(&after);
    snEditor_Destroy(&editor);
}

static double areaOf(const snEditor *editor)
{
    snArena arena = snMakeArena(&editor->layered.context);
    snSkinMesh mesh;
    CHECK(snLayered_SkinMesh(&editor->layered, &mesh, &arena, NULL) == SN_OK);
    double area =
        snMesh_Area(&(snMesh){mesh.pointCount, mesh.triangleCount,
                              snLayered_SkinPlaces(&editor->layered, &arena), mesh.triangles});
    snArena_Destroy(&arena);
    return area;
}

static void resolutionKeepsValues(void)
{
    snEditor editor = makeEditor(BALL "skin attach\nskin paint mass=3 near=0,0,0.1 radius=0.05\n");
    snLayeredPoint first = snLayered_Points(&editor.layered)[100];
    double area = areaOf(&editor);
    runScript(&editor, "skin double\ncheck points=768\n");
    CHECK(snLayered_Skin(&editor.layered)->rows == 24 &&
          snLayered_Skin(&editor.layered)->columns == 32);
    CHECK(deepest(&editor) > 0.005 * (1 - 1e-5));
    double low = 1e9, high = 0, mean = 0;
    for (int i = 0; i < 768; i++) {
        const snLayeredPoint *p = &snLayered_Points(&editor.layered)[i];
        if (p->mass < low) low = p->mass;
        if (p->mass > high) high = p->mass;
        mean += p->mass / 768;
        bool rim = i < 32 || i >= 736;
        CHECK(rim ? p->joint >= 0 : p->joint < 0 && p->muscle == 0);
        if (!rim) CHECK_NEAR(snLength(p->foot), 0.1, 1e-9);
        CHECK(p->uv[0] >= 0 && p->uv[0] < 1);
    }
    // Within what was, less dense by as much as there is more of the finer surface: the sum over it stays (layered/resample).
    double more = areaOf(&editor) / area;
    CHECK(low * more >= 2 * (1 - 1e-3) && high <= 3 && mean > 2.02 && more > 1 && more < 1.02);
    runScript(&editor, "skin halve\ncheck points=192\n");
    const snLayeredPoint *again = &snLayered_Points(&editor.layered)[100];
    CHECK(snDistance(again->place, first.place) < 0.004 && fabs(again->mass - first.mass) < 0.06);
    runScript(&editor, "skin mesh cell=4cm blend=1cm\nskin attach\ncheck\n");
    int points = snLayered_Count(&editor.layered, SN_TABLE_POINTS);
    int triangles = snLayered_Count(&editor.layered, SN_TABLE_TRIANGLES);
    CHECK(triangles == 2 * points - 4); // closed, like a ball
    runScript(&editor, "skin double\ncheck\n");
    CHECK(snLayered_Count(&editor.layered, SN_TABLE_TRIANGLES) == 4 * triangles);
    CHECK(deepest(&editor) > 0.004 * (1 - 1e-5));
    snEditor_Destroy(&editor);
}

// ---- poses ------------------------------------------------------------------------------------------

static void handsReach(void)
{
    snEditor editor = makeEditor(FIGURE);
    runScript(&editor, "pose reset\npose joint spine angles=0,5,0\n");
    int left = snLayered_Find(&editor.layered, SN_TABLE_JOINTS, "hand.l");
    int right = snLayered_Find(&editor.layered, SN_TABLE_JOINTS, "hand.r");
    snVec3 at = jointAt(&editor, "hand.l"), other = jointAt(&editor, "hand.r");
    snReach reaches[2] = {{.joint = left,
                           .place = true,
                           .root = -1,
                           .rotation = {0, 0, 0, 1},
                           .position = snAdd(at, snVec(-0.1, 0.1, 0.1))},
                          {.joint = right,
                           .place = true,
                           .root = -1,
                           .rotation = {0, 0, 0, 1},
                           .position = snAdd(other, snVec(0.1, -0.1, 0.1))}};
    CHECK(snEdit_Reach(&editor, 2, reaches, NULL) == SN_OK && reaches[0].met && reaches[1].met);
    CHECK(snDistance(jointAt(&editor, "hand.l"), reaches[0].position) < 1e-3);
    CHECK(snDistance(jointAt(&editor, "hand.r"), reaches[1].position) < 1e-3);
    const snLayeredJoint *elbow = &snLayered_Joints(
        &editor.layered)[snLayered_Find(&editor.layered, SN_TABLE_JOINTS, "elbow.l")];
    CHECK(elbow->angles.x >= -150 - 1e-9 && elbow->angles.x <= 1e-9 && elbow->angles.y == 0);
    // The spine is above the branch: it has not turned, to the bit.
    CHECK(snLayered_Joints(&editor.layered)[1].angles.y == 5);
    reaches[0].position = snVec(9, 9, 9);
    CHECK(snEdit_Reach(&editor, 1, reaches, NULL) == SN_OK && !reaches[0].met &&
          reaches[0].miss > 1);
    CHECK(snEdit_PoseJoint(&editor, left - 1, snVec(20, 0, 0), snVec(0, 0, 0), NULL) ==
          SN_ERROR_ARGUMENT);
    snEditor_Destroy(&editor);
}

static void posturesPlay(void)
{
    snEditor editor = makeEditor(
        "settings duration=2\njoint add a parent=none kind=hinge axis=0,0,1\njoint add b at=1,0,0\n"
        "muscle add m joint=b size=0.1 twist=map(a:0:0,90:45) bend=keys(0:0,2:90)\n"
        "posture keep p time=0\npose joint a angles=90\nposture keep q time=2\n"
        "pose joint a angles=45\nposture keep r time=1\n");
    CHECK(!strcmp(snLayered_Postures(&editor.layered)[1].name, "r")); // in the order of time
    snFigure figure;
    CHECK(snFigure_Build(&figure, &editor.layered, NULL) == SN_OK && figure.duration == 2);
    for (int i = 0; i <= 4; i++) { // on a straight line the curve is straight
        snFigure_SetTime(&figure, 0.5 * i);
        CHECK_NEAR(figure.angles[0].x, 22.5 * i, 1e-9);
        snMuscleShape shape = snFigure_Shape(&figure, 0, 0.5 * i);
        CHECK_NEAR(shape.warp.twist, 11.25 * i * SN_PI / 180, 1e-9);
        CHECK_NEAR(shape.warp.bend, 22.5 * i * SN_PI / 180, 1e-12);
    }
    snArena arena = snMakeArena(&editor.layered.context);
    snClip clip;
    CHECK(snFigure_ToClip(&figure, "swing", &arena, &clip, NULL) == SN_OK && clip.duration == 2);
    snPose_SetRest(&figure.pose, &figure.skeleton);
    snClip_Sample(&clip, 1.3, &figure.pose);
    CHECK_NEAR(snFigure_Degrees(&figure, 0, figure.pose.local[0].rotation).x, 58.5, 1e-2);
    snArena_Destroy(&arena);
    snFigure_Destroy(&figure);
    runScript(&editor,
              "posture set q time=0.5\nposture delete p\ncheck postures=2\nposture show q\n");
    CHECK(snLayered_Joints(&editor.layered)[0].angles.x == 90);
    snEditor_Destroy(&editor);
}

int main(void)
{
    RUN(movesAreInTheWorld);
    RUN(deletingMovesOrTakes);
    RUN(twinsAreMirrorImages);
    RUN(skinShrinksOn);
    RUN(fatIsAGaussian);
    RUN(resolutionKeepsValues);
    RUN(handsReach);
    RUN(posturesPlay);
    return snTest_Finish();
}
