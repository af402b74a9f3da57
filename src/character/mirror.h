// The plane in which a surface is its own mirror image, if there is one.
#ifndef SN_CHARACTER_MIRROR_H
#define SN_CHARACTER_MIRROR_H

#include "character/solid.h"

typedef struct snMirror {
    bool found;
    snVec3 point, normal; // of the plane; unit normal, its largest component is positive
    double error;         // mean distance of mirrored vertices from the surface, share of the size
} snMirror;

// Looks across the coordinate axes first (x, z, y), then across the principal axes of the surface.
// Within half a percent of the size counts as a mirror image.
snMirror snFindMirror(const snSolid *solid);

snVec3 snMirror_Of(const snMirror *mirror, snVec3 point);
double snMirror_Side(const snMirror *mirror, snVec3 point); // signed distance from the plane

#endif
