// Deformations of space with a known inverse: taper, twist and bend along an axis (Barr, "Global and
// Local Deformations of Solid Primitives", 1984) and local bulges. What is inside a deformed shape
// is found by taking the point back and asking the shape that is not deformed.
#ifndef SN_GEOMETRY_WARP_H
#define SN_GEOMETRY_WARP_H

#include "core/vec.h"

#define SN_WARP_BULGES 4 // at most in a warp

// Moves x by height exp(-|x - place|² / (2 width²)) along a direction.
typedef struct snBulge {
    snVec3 place;     // in the frame of the shape that is not deformed
    snVec3 direction; // any length; zero: away from the axis (on the axis: along it)
    double width;     // m; 0: there is no bulge
    double height;    // m, below 0: a dent. Held to 1.4 widths: beyond 1.65 space would fold.
} snBulge;

// Plain numbers; all zero: nothing is deformed. Bulges come first, so that all else carries them along,
// then taper, twist, bend. Taper, twist and bend are given for the whole length of a shape along the axis.
typedef struct snWarp {
    int axis;       // 0, 1, 2: x, y, z of the shape's frame
    int bulgeCount; // here, so that there is no gap: states with warps in them are hashed by their bytes
    double
        taper[2]; // along the two axes after it: exp(taper) is how much wider the upper end is than
                  // the middle, and the middle than the lower end. 0.7: twice
    double twist; // radians between the two ends
    double bend;  // radians between the two ends' directions. Held to what does not fold the inside
    double bendAround; // radians about the axis: which way it bends; 0: towards the axis after it
    snBulge bulges[SN_WARP_BULGES];
} snWarp;

// A warp made ready for a shape whose half extents are known.
typedef struct snWarpMap {
    int axis;
    double taper[2], twist, bend; // per metre along the axis
    double sine, cosine;          // of bendAround
    int bulgeCount;
    snBulge bulges[SN_WARP_BULGES]; // directions of length 1, heights held
} snWarpMap;
snWarpMap snMakeWarpMap(const snWarp *warp, snVec3 halfExtents);

snVec3 snWarpMap_Forward(const snWarpMap *map, snVec3 point);
snVec3 snWarpMap_Inverse(const snWarpMap *map, snVec3 point);
// Back, with the gradient there of a function of the undeformed point carried to the deformed one.
typedef struct snWarpTrace {
    snVec3 source;                   // the undeformed point
    snVec3 straight, round, tapered; // before bend, twist, taper, in axes (u, v, w)
    snVec3 bulged[SN_WARP_BULGES];   // before each bulge
    double lift[SN_WARP_BULGES];     // how far each carried it
    snVec3 narrow;                   // what the taper was undone by, across the axis (x, y)
    double sine, cosine;             // of the angle that the bend turned it by
} snWarpTrace;
snWarpTrace snWarpMap_Trace(const snWarpMap *map, snVec3 point);
snVec3 snWarpMap_Carry(const snWarpMap *map, const snWarpTrace *trace, snVec3 gradient);

// How far the points of a cylinder about the axis, from along - half to along + half, come to be from where
// its middle would be without bulges, at most; and that place.
double snWarpMap_Spread(const snWarpMap *map, double along, double half, double radius,
                        snVec3 *middle);

// How much farther from each other two points were at most than they are, among those that came out of a box about the origin: a
// bound of |J⁻¹|.
double snWarpMap_Steepest(const snWarpMap *map, snVec3 halfExtents);

// Holds what a box about the origin of these half extents becomes.
snBox snWarpMap_Bounds(const snWarpMap *map, snVec3 halfExtents);

#endif
