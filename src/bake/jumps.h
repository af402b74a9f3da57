// Jumps of a clip: a joint that is put elsewhere in no time, or within one frame, as a cut or a
// teleport does. The flesh that it carries is to be carried along (body/lattice/jump.h), not shaken.
//
// What counts is how far a joint's own transform takes the flesh that hangs on it: by |t| when it
// moves, by 2 sin(θ/2) r when it turns by θ with flesh up to r away, by |s - 1| r when it grows. A
// change over neighbouring keys no further apart than a frame is a jump when it takes flesh by a
// quarter of the character's size (limbs: or more, and they must turn by 74°) and four times as far as
// any such time beside it did. So a run is none, however fast, nor a shake that goes back and forth:
// their next frame is like this one.
//
// Recordings often begin in a pose of reference, arms spread, for one frame. A clip that is no loop does
// not come from there: a jump within its first frame is carried as any other, and is nobody's trouble.
//
// A jump D is what a joint's transform L does beyond what it would have done anyway. With the motion
// E that it has on both sides of the jump, and [a, b] the part of a step that lies in it,
//     L(b) = D E L(a).
// Seen from the world, joint j with parent p has jumped by J_j = (G_p D G_p⁻¹) J_p, G being globals at
// the step's end; those that do not jump by J_j = J_p. The rig is put where J_j T_j has it, and from
// there the step is simulated as ever.
#ifndef SN_BAKE_JUMPS_H
#define SN_BAKE_JUMPS_H

#include "body/lattice/flesh.h"

typedef struct snJump {
    int joint;
    double from, to; // s from the clip's beginning: at `from` it has not begun, at `to` it is done
    double distance; // how far it takes flesh, of the character's size
    bool seam;       // from the end of a loop to its beginning
    bool first;      // out of a pose that a clip begins in and that nothing leads to
    // How the joint moves beside it, in its parent's space as before the jump.
    snVec3 velocity, spin; // per s, rad/s
} snJump;

typedef struct snJumps {
    int count;
    snJump *list; // by time, then by joint
} snJumps;

// The joint that carries most of a point of a skin; -1: none.
int snMainJoint(const snWeightRows *skin, int point);

// How far the joints of a body carry flesh, made once: what a jump is measured by.
typedef struct snReach {
    double size;     // the largest extent of the flesh at rest
    double *reach;   // [joints], of the flesh that a joint and all below it carry; 0: none
    double *share;   // [joints], of the surface's vertices that they are
    double *distant; // [joints], how many world units one of a joint's translation is, at rest
} snReach;
snStatus snReach_Make(snReach *reach, const snFlesh *flesh, snArena *arena, snError *error);

typedef struct snJumpsDef {
    const snCharacter *character;
    const snReach *reach;
    int clip;
    bool loops;     // its end leads to its beginning
    double closing; // s, of a loop that does not close by itself: its end jumps to its beginning; 0
} snJumpsDef;
snStatus snJumps_Find(snJumps *jumps, const snJumpsDef *def, const snContext *context,
                      snArena *arena, snError *error);

// Whether a step's time meets some jump.
bool snJumps_Meet(const snJumps *jumps, double from, double to);

// D of a jump for the part [a, b] of it, from the joint's transforms at a and b.
snAffine snJump_Motion(const snJump *jump, double seconds, const snTransform *a,
                       const snTransform *b);

#endif
