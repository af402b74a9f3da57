// Operations: each is one step that can be undone (editor.h), takes places and sizes as a hand gives them, and
// fails with a reason, leaving the document as it was. Scripts (script.h), tools in the hand (tool.h) and programs
// call the same functions. Begin with snEdit_AddJoint.
#ifndef SN_LAYERED_OPERATIONS_H
#define SN_LAYERED_OPERATIONS_H

#include "layered/editor.h"

// ---- joints (edit_joint.c) ----

// Adds a joint; def->parent is what it hangs on (the current joint: snEdit_Current). It becomes the current one.
snStatus snEdit_AddJoint(snEditor *editor, const snLayeredJoint *def, int *joint, snError *error);
int snEdit_Current(const snEditor *editor);                               // -1: none
snStatus snEdit_SelectJoint(snEditor *editor, int joint, snError *error); // -1: the next is a root
// Replaces all but its parent; the name may be another.
snStatus snEdit_SetJoint(snEditor *editor, int joint, const snLayeredJoint *def, snError *error);

// To a place of the world, the figure standing as it does now. Its children follow, or stay where they are.
snStatus snEdit_MoveJoint(snEditor *editor, int joint, snVec3 place, bool childrenStay,
                          snError *error);
// Turns its frame at rest, in its own axes: what hangs on it turns along.
snStatus snEdit_RotateJoint(snEditor *editor, int joint, snQuat turn, snError *error);
snStatus snEdit_ResizeJoint(snEditor *editor, int joint, double size, snError *error);

typedef enum snHanging {
    SN_HANGING_MOVES, // what hangs on it goes to its parent, and stays where it is
    SN_HANGING_GOES,  // with it: joints, muscles, and the skin where it ends there
} snHanging;
snStatus snEdit_DeleteJoint(snEditor *editor, int joint, snHanging hanging, snError *error);

// ---- muscles (edit_muscle.c) ----

snStatus snEdit_AddMuscle(snEditor *editor, const snLayeredMuscle *def, int *muscle,
                          snError *error);
snStatus snEdit_SetMuscle(snEditor *editor, int muscle, const snLayeredMuscle *def, snError *error);
snStatus snEdit_MoveMuscle(snEditor *editor, int muscle, snVec3 place,
                           snError *error); // in the world
snStatus snEdit_RotateMuscle(snEditor *editor, int muscle, snQuat turn, snError *error);
snStatus snEdit_ScaleMuscle(snEditor *editor, int muscle, snVec3 factors, snError *error);
snStatus snEdit_DeleteMuscle(snEditor *editor, int muscle, snError *error);

// Copies what has a name that ends so to the other side of the plane x = 0 of the world: joints,
// muscles and marks, "arm.l" to "arm.r". Those that are there already become like their twins.
snStatus snEdit_Mirror(snEditor *editor, const char *from, const char *to, snError *error);

// ---- skin (edit_skin.c, edit_points.c, resample.c); the figure at rest ----

typedef enum snSkinWay {
    SN_SKIN_SHRINKS, // by its physics: too small a skin in something thick (body/skin/make.h)
    SN_SKIN_BY_RAYS, // straight in, then by rounds of smoothing: in a tenth of the time, less even
} snSkinWay;

typedef struct snSkinMakeDef {
    int bottom, top;   // joints
    int rows, columns; // 0: as the settings have it while designing
    double gap;        // m from the muscles, at least
    snSkinWay way;     //
    double seconds;    // of shrinking, at most
    int rounds;        // of smoothing, by rays
    double smooth;     // the same: 0 hugs every hollow, 1 spans them
    snVec3 color;
} snSkinMakeDef;
snSkinMakeDef snDefaultSkinMakeDef(void);
// A grid that begins as a sphere around the figure and shrinks onto the muscles. An old skin goes.
snStatus snEdit_CreateSkin(snEditor *editor, const snSkinMakeDef *def, snError *error);
// A mesh around all muscles, with edges of about `cell`, melted together over `blend` metres.
snStatus snEdit_CreateMeshSkin(snEditor *editor, double cell, double blend, snVec3 color,
                               snError *error);
snStatus snEdit_DeleteSkin(snEditor *editor, snError *error);
snStatus snEdit_SetSkin(snEditor *editor, const snLayeredSkin *def, snError *error);

// Where a brush acts: weight exp(-d²/(2 radius²)) at distance d, none beyond 3 radii. Radius 0: everywhere, by 1.
typedef struct snBrush {
    snVec3 center;
    double radius;
} snBrush;

// Ties points to the muscle that is first met against their normal, or else nearest, within `reach`; bands
// are at rest as long as they are then. Points whose weight is below 1/2 stay as they are.
snStatus snEdit_Attach(snEditor *editor, snBrush brush, double reach, int *attached,
                       snError *error);
snStatus snEdit_Detach(snEditor *editor, snBrush brush, int *detached, snError *error);
// One point to a place of the world, on the surface of that muscle.
snStatus snEdit_AttachPoint(snEditor *editor, int point, int muscle, snVec3 place, snError *error);
// Liposuction, and the other way: `amount` metres of fat at the brush's middle.
snStatus snEdit_AddFat(snEditor *editor, snBrush brush, double amount, snError *error);
snStatus snEdit_Smooth(snEditor *editor, snBrush brush, double amount, snError *error);
// A field of points (by its name in fields.h) to the value in `value`, as far as the brush reaches.
snStatus snEdit_PaintPoints(snEditor *editor, snBrush brush, const char *field,
                            const snLayeredPoint *value, snError *error);
// A mark of the skin; one of that name becomes this.
snStatus snEdit_SetMark(snEditor *editor, const snLayeredMark *def, snError *error);
snStatus snEdit_DeleteMark(snEditor *editor, int mark, snError *error);
// All values interpolated; sums over the surface stay. Doubling and halving are both ways at once; a mesh is halved by letting edges
// collapse, or where it was doubled taken back to what it was.
snStatus snEdit_ResampleSkin(snEditor *editor, int rows, int columns, snError *error);
snStatus snEdit_DoubleSkin(snEditor *editor, snError *error);
snStatus snEdit_HalveSkin(snEditor *editor, snError *error);

// ---- poses and postures (edit_pose.c) ----

typedef struct snReach {
    int joint;
    bool place, turn;
    snVec3 position; // in the world
    snQuat rotation;
    int root;    // topmost joint that turns; -1: up to the nearest branch
    bool met;    // out: whether it got there
    double miss; // out: m
} snReach;
// Inverse kinematics; targets that cannot be met are no failure.
snStatus snEdit_Reach(snEditor *editor, int count, snReach *reaches, snError *error);
snStatus snEdit_PoseJoint(snEditor *editor, int joint, snVec3 degrees, snVec3 shift,
                          snError *error); // within its range
snStatus snEdit_ResetPose(snEditor *editor, snError *error);

// The figure as it stands, as a posture of that name; one that has it already is replaced.
snStatus snEdit_KeepPosture(snEditor *editor, const snLayeredPosture *def, snError *error);
snStatus snEdit_SetPosture(snEditor *editor, int posture, const snLayeredPosture *def,
                           snError *error); // time, shape, name
snStatus snEdit_DeletePosture(snEditor *editor, int posture, snError *error);
snStatus snEdit_ShowPosture(snEditor *editor, int posture, snError *error); // the pose becomes it

snStatus snEdit_SetSettings(snEditor *editor, const snLayeredSettings *settings, snError *error);

// ---- for operations themselves ----

// Where joint numbers are kept, all others moved along: what spoke of `gone` speaks of `instead` (-1: of none).
void snEdit_ForgetJoint(snEditor *editor, int gone, int instead);
void snEdit_ForgetMuscle(snEditor *editor, int gone);
snStatus snEdit_CheckNewName(const snEditor *editor, snTable table, const char *name, int except,
                             snError *error);

#endif
