// A collider: a rigid shape that moves during a step, or a surface of triangles that may deform
// too. Everything that bodies bump into is one of these, and asked by one function.
#ifndef SN_CONTACT_COLLIDER_H
#define SN_CONTACT_COLLIDER_H

#include "contact/shell.h"

typedef enum snColliderKind {
    SN_COLLIDER_PLANE,   // y = 0 of its frame, solid below
    SN_COLLIDER_SPHERE,  // around the origin of its frame
    SN_COLLIDER_CAPSULE, // along the y axis of its frame
    SN_COLLIDER_BOX,     // around the origin of its frame
    SN_COLLIDER_SHELL,   // a surface of triangles
} snColliderKind;

typedef struct snCollider {
    snColliderKind kind;
    double radius;       // of spheres and capsules
    snVec3 half;         // half the sides of a box; y: half of what is between a capsule's caps
    snShell *shell;      // of SN_COLLIDER_SHELL, in the collider's frame
    double friction;     // 0 slides, 0.5 is wood on wood, 1 hardly slides
    double restitution;  // 0 ... 1: how much of its speed what comes in has when it leaves
    snAffine begin, end; // rigid: from its frame to the world, at a step's begin and end
} snCollider;

// A collider of a kind that stands still in the world's frame, without friction.
snCollider snMakeCollider(snColliderKind kind);

// Where a point is relative to a collider at a step's end.
typedef struct snTouch {
    double distance;       // from the surface; below 0: inside
    snVec3 normal;         // unit, out of the collider: the way in which the distance grows
    snVec3 point;          // of the surface, nearest
    snVec3 move;           // how far the collider's material there went in the step
    int triangle;          // of a surface of triangles, where the nearest point is ...
    double barycentric[3]; // ... and where on it
} snTouch;

// False when the surface is farther away than `reach` (0 or more).
bool snCollider_Query(const snCollider *collider, snVec3 x, double reach, snTouch *touch);

// The same for a point that goes from one place to another in the step, the collider with it: a
// point that went in, or through, touches where it went in, so that the normal is of the side from which
// it came, however thin the collider is. `distance` is that of `to` from the plane there.
bool snCollider_Sweep(const snCollider *collider, snVec3 from, snVec3 to, double reach,
                      snTouch *touch);

// What is farther away than `reach` from this box does not touch. Planes fill a half of space, of
// which the box is the smallest along the axes.
snBox snCollider_Bounds(const snCollider *collider);

// Sizes, frames, friction and restitution must make sense.
snStatus snCollider_Check(const snCollider *collider, snError *error);

#endif
