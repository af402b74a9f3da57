// A muscle (or bone): an implicit shape, deformed. Its inside is what the warp makes of the shape's.
#ifndef SN_GEOMETRY_MUSCLE_H
#define SN_GEOMETRY_MUSCLE_H

#include "geometry/implicit.h"
#include "geometry/warp.h"

// What a document stores: plain numbers. The warp acts in the shape's own frame, before its place.
typedef struct snMuscleShape {
    snShape shape;
    snWarp warp;
} snMuscleShape;
snMuscleShape snDefaultMuscleShape(snShapeKind kind); // unit size at the origin, not deformed

// The same made ready to be asked, in some frame: a joint's, where the shape is placed on one.
typedef struct snMuscle {
    snShape shape; // its place is the identity
    snWarpMap map;
    bool warped;
    snAffine frame; // shape frame to world
    snMat3 inverse; // of its linear part
    double size;    // the largest extent of its bounds, m
    snVec3 half;    // half extents of the shape before it is deformed
    snBox own;      // bounds in its own frame; holds all of g <= 0
    snBox bounds;   // in the world
} snMuscle;
// `joint` carries the frame in which the shape is placed to the world; any invertible affine map.
snMuscle snMakeMuscle(const snMuscleShape *muscle, snAffine joint);
// The same in parts, for what moves often: its numbers, its place, and what follows from both (size and bounds).
void snMuscle_Reshape(snMuscle *muscle, const snMuscleShape *shape);
void snMuscle_Turn(snMuscle *muscle, snAffine place, snAffine joint);
void snMuscle_Bound(snMuscle *muscle);

// g(x): below 0 inside, with its gradient. Near the surface g / |∇g| is the distance. The slope is 1
// at the surface where nothing is deformed, else what the warp makes of it.
double snMuscle_Value(const snMuscle *muscle, snVec3 point,
                      snVec3 *gradient);                        // gradient may be NULL
double snMuscle_Distance(const snMuscle *muscle, snVec3 point); // g / |∇g|
// g by coordinates of its own frame, with its gradient by those, and the undeformed point (snMuscle_Source).
double snMuscle_Own(const snMuscle *muscle, snVec3 point, snVec3 *gradient, snVec3 *source);
// g rises by no more than this per metre of its own frame, up to `around` from the shape: g / this is never more
// than the distance.
double snMuscle_Steepest(const snMuscle *muscle, double around);

// The nearest place of the surface, and the unit normal there; found from where the gradient leads to, by
// steps along the surface that get nearer: of several equally near ones, one.
snVec3 snMuscle_Project(const snMuscle *muscle, snVec3 point, snVec3 *normal);

// The first place where origin + t direction enters, 0 <= t <= most, to 1e-9 of the size; false: none.
// Parts that are thinner along the ray than 1/256 of the size may be missed.
bool snMuscle_Ray(const snMuscle *muscle, snVec3 origin, snVec3 direction, double most, double *t);

// A closed triangle mesh of it, outward wound, in the caller's memory: rows - 1 rings of `columns`
// vertices about the warp's axis, and two poles.
#define SN_MUSCLE_VERTICES(rows, columns) (((rows)-1) * (columns) + 2)
#define SN_MUSCLE_TRIANGLES(rows, columns) (2 * ((rows)-1) * (columns))
void snMuscle_Mesh(const snMuscle *muscle, int rows, int columns, snVec3 *positions,
                   int *triangles);
// The same in parts: vertices before warp and frame (snMuscle_Place), and triangles, which all muscles share.
void snMuscle_Crossings(const snMuscle *muscle, int rows, int columns, snVec3 *own);
void snMuscle_Triangles(int rows, int columns, int *triangles);

// A point of the world in the muscle's own frame, and back: places on muscles are kept so, and stay at the
// same place of the shape while the warp changes.
snVec3 snMuscle_Source(const snMuscle *muscle, snVec3 point);
snVec3 snMuscle_Place(const snMuscle *muscle, snVec3 source);

#endif
