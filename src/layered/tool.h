// What a hand holds: a tracked controller with a tip and a rotation, or a mouse, whose place on the screen is a ray into the
// world. Picking finds what it points at or touches; a drag is an operation that follows it until the hand lets
// go, and one step to undo. Mouse, 3-D mouse and headset call the same functions.
//
//     snToolPick pick;
//     snEditor_Pick(editor, snView_Ray(&view, x, y), SN_PICK_JOINTS | SN_PICK_MUSCLES, 0, &pick, &error);
//     snDragDef def = {.action = SN_DRAG_MOVE, .pick = pick};
//     snDrag_Begin(&drag, editor, &def, tool, &error);
//     snDrag_Move(&drag, tool, seconds, &error);       // as often as the hand moves
//     snDrag_End(&drag, true, &error);                 // false: as if nothing had been
#ifndef SN_LAYERED_TOOL_H
#define SN_LAYERED_TOOL_H

#include "layered/figure.h"
#include "layered/operations.h"

typedef struct snTool {
    bool isRay;
    snVec3 place;     // of the tip, or where the ray begins
    snQuat rotation;  // of a controller
    snVec3 direction; // of a ray, of length 1
} snTool;

snTool snToolPose(snVec3 tip, snQuat rotation);
snTool snToolRay(snVec3 origin, snVec3 direction);

typedef struct snView {
    snVec3 eye;
    snQuat rotation;    // of the camera, which looks along its -z, y upwards
    double fieldOfView; // degrees, of the picture's height
    double aspect;      // width by height
} snView;
// (0, 0) is the upper left corner of the picture, (1, 1) the lower right one.
snTool snView_Ray(const snView *view, double x, double y);

// ---- picking (pick.c) ----

enum { SN_PICK_JOINTS = 1, SN_PICK_MUSCLES = 2, SN_PICK_POINTS = 4 };
typedef enum snPickKind {
    SN_PICKED_NOTHING,
    SN_PICKED_JOINT,
    SN_PICKED_MUSCLE,
    SN_PICKED_POINT
} snPickKind;

typedef struct snToolPick {
    snPickKind kind;
    int row;         // joint, muscle, or point of the skin
    snVec3 place;    // on its surface
    double distance; // along the ray, or from the tip
} snToolPick;

// What a ray meets first, or a tip touches: within `reach` of its tip, nearest first; inside counts. Joints are drawn through
// what is around them, and come first wherever they are met. Joints and muscles are as the figure stands now, the skin
// as it is at rest. Of the skin the point nearest to where it is met is picked.
snStatus snEditor_Pick(const snEditor *editor, snTool tool, int kinds, double reach,
                       snToolPick *pick, snError *error);

// ---- dragging (drag.c: joints and muscles; stroke.c: the skin, and what a click does) ----

typedef enum snDragAction {
    SN_DRAG_MOVE,   // a joint at rest, or a muscle; a controller turns it as well
    SN_DRAG_SIZE,   // a joint or a muscle: as far as the tool goes from its middle
    SN_DRAG_TURN,   // a joint at rest, or a muscle: by a controller, or rolled like a ball by a ray
    SN_DRAG_POSE,   // a joint: those above turn, so that it follows
    SN_DRAG_CREATE, // a new joint on the current one, with a muscle of the size that is dragged
    SN_DRAG_JOINT,  // a new joint on the current one, where the tool is
    SN_DRAG_MUSCLE, // a new muscle around the joint that is picked, or on the current one
    SN_DRAG_SKIN,   // from the bottom joint to the top one: made when the hand lets go
    SN_DRAG_ATTACH, // a point of the skin: its band ends on the muscle that the tool is at
    // Brushes act where the skin is met, as long as they are held; without a radius everywhere.
    SN_DRAG_FAT,    // a controller that turns counter-clockwise takes away; so does a rate below 0
    SN_DRAG_TIE,    // bands to what is below
    SN_DRAG_UNTIE,  //
    SN_DRAG_SMOOTH, //
    // Clicks: what the tool is at when the hand lets go.
    SN_DRAG_SELECT, // the joint that new ones hang on; where there is none, they are roots
    SN_DRAG_DELETE, // a joint or a muscle
    SN_DRAG_DOUBLE, // the skin
    SN_DRAG_HALVE,  //
    SN_DRAG_ACTIONS
} snDragAction;
const char *snDragAction_Name(snDragAction action); // "move", ...

enum { SN_AIM_PLACE = 1, SN_AIM_TURN = 2 }; // of poses

typedef struct snDragDef {
    snDragAction action;
    snToolPick pick;
    int shape;           // of a muscle that is created: 0 sphere, 1 superellipsoid, 2 cylinder
    double depth;        // m along a ray at which something is created where nothing is picked
    int aims;            // of a pose: SN_AIM_; 0: the place alone. By a ray: snDrag_Grip
    bool childrenStay;   // of a joint that is moved
    snHanging hanging;   // of a joint that is deleted
    double radius, rate; // of brushes: m; of fat m/s in its middle, of smoothing 1/s
    snSkinMakeDef skin;  // of a skin that is created: its ends are the joints; rows 0: by default
} snDragDef;

// A hold on something: what a hand has taken, and where the hand is.
typedef struct snGrip {
    snToolPick pick;
    int aims;
    snTool first, now;
    snVec3 anchor;   // where the tool was: on the plane through the pick that faces a ray
    snAffine object; // what is held, at the begin
    double size;     // of it
    snReach reach;   // out, of poses: whether it got there
} snGrip;

#define SN_MOST_GRIPS 8

typedef struct snDrag {
    snEditor *editor;
    snDragDef def;
    int gripCount;
    snGrip grips[SN_MOST_GRIPS]; // of poses several
    double held;                 // s
    int top;                     // joint that a new skin would end at; -1: none yet
} snDrag;

snStatus snDrag_Begin(snDrag *drag, snEditor *editor, const snDragDef *def, snTool tool,
                      snError *error);
// The same, with what the action can have of what the tool is at, def's pick aside.
snStatus snDrag_Take(snDrag *drag, snEditor *editor, const snDragDef *def, snTool tool,
                     double reach, snError *error);
// Another joint in a pose, held where it is until its own tool moves: several effectors, of two hands or pinned. With SN_AIM_TURN alone a
// ray rolls it like a ball of the joint's size; with both aims it keeps its rotation.
snStatus snDrag_Grip(snDrag *drag, snToolPick pick, int aims, snTool tool, int *grip,
                     snError *error);
// A move that cannot be done leaves the drag as it was before, and it may go on.
snStatus snDrag_Move(snDrag *drag, snTool tool, double seconds, snError *error);
snStatus snDrag_MoveGrip(snDrag *drag, int grip, snTool tool, double seconds, snError *error);
snStatus snDrag_End(snDrag *drag, bool keep, snError *error);

// A click: taken, acted once for `seconds`, let go.
snStatus snDrag_Click(snEditor *editor, const snDragDef *def, snTool tool, double reach,
                      double seconds, snError *error);

// ---- for drags themselves (stroke.c) ----

snVec3 snGrip_Place(const snGrip *grip, snTool tool); // where the tool is
snStatus snDrag_Stroke(snDrag *drag, snTool tool, double seconds, snError *error);
snStatus snDrag_Act(snDrag *drag, snTool tool, snError *error); // attach, and clicks
snStatus snDrag_MakeSkin(snDrag *drag, snError *error);

#endif
