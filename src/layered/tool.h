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

// ---- dragging (drag.c) ----

typedef enum snDragAction {
    SN_DRAG_MOVE,   // a joint at rest, or a muscle; a controller turns it as well
    SN_DRAG_SIZE,   // a joint or a muscle: as far as the tool goes from its middle
    SN_DRAG_POSE,   // a joint: those above turn, so that it follows
    SN_DRAG_CREATE, // a new joint on the current one, with a muscle of the size that is dragged
    SN_DRAG_ATTACH, // a point of the skin: its band ends on the muscle that the tool is at
    SN_DRAG_FAT,    // as long as it is held; a controller that turns counter-clockwise takes away
} snDragAction;

typedef struct snDragDef {
    snDragAction action;
    snToolPick pick;
    int shape;           // of a muscle that is created: 0 sphere, 1 superellipsoid, 2 cylinder
    double depth;        // m along a ray at which something is created where nothing is picked
    bool turn;           // a pose takes the controller's rotation too
    bool childrenStay;   // of a joint that is moved
    double radius, rate; // of the fat brush: m, and m/s in its middle
} snDragDef;

typedef struct snDrag {
    snEditor *editor;
    snDragDef def;
    snTool tool;     // at the begin
    snVec3 anchor;   // where the tool was: on the plane through the pick that faces a ray
    snAffine object; // what is dragged, at the begin
    double size;     // of it
    double held;     // s
} snDrag;

snStatus snDrag_Begin(snDrag *drag, snEditor *editor, const snDragDef *def, snTool tool,
                      snError *error);
// A move that cannot be done leaves the drag as it was before, and it may go on.
snStatus snDrag_Move(snDrag *drag, snTool tool, double seconds, snError *error);
snStatus snDrag_End(snDrag *drag, bool keep, snError *error);

#endif
