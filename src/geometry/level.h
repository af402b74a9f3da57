// The level set f = 0 of a field, cut off by a box, as the polygoniser sees it. Used inside this
// room only.
#ifndef SN_GEOMETRY_LEVEL_H
#define SN_GEOMETRY_LEVEL_H

#include "geometry/implicit.h"

typedef struct snLevel {
    const snField *field;
    snBox box;
    double cell; // the scale of details: steps are limited by it
} snLevel;

double snLevel_Value(const snLevel *level, snVec3 point); // max(f, distance out of the box)
snVec3 snLevel_Gradient(const snLevel *level, snVec3 point);

// Moves a point near the surface onto it along the gradient. False when it does not get there.
bool snLevel_Project(const snLevel *level, snVec3 *point);

#endif
