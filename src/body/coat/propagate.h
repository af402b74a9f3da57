// How a push at one cylinder deforms those round it: into which zone, and in which mode.
#ifndef SN_BODY_COAT_PROPAGATE_H
#define SN_BODY_COAT_PROPAGATE_H

#include "body/coat/element.h"

typedef enum snPropagationMode {
    SN_PROPAGATE_NOTHING,   // neighbours stay
    SN_PROPAGATE_GEOMETRIC, // the envelope keeps its volume, its area, or something between
    SN_PROPAGATE_INTUITIVE, // neighbours get shares of the force
} snPropagationMode;

typedef struct snPropagation {
    snPropagationMode mode;
    double area; // geometric: 0 keeps the volume, 1 the area; between them both results are blended
    double
        share; // intuitive: -1 ... 1 of the force goes to the zone; below 0 it bulges, above it gives way
    double
        direction; // 0: the zone is round; 1: a push along the surface reaches only what lies ahead of it
} snPropagation;

typedef struct snPush {
    int cylinder;
    double length; // that the cylinder is put to
    snVec3 force;  // its direction in the link's frame; zero: along the axis
    // What the envelope is to have. Below 0: the volume or area that there is before the push.
    double volume, area;
} snPush;

typedef struct snPropagated {
    bool volumeKept,
        areaKept; // false: there is no such shape within the limits of lengths, or it was not asked for
    double volume, area; // of the envelope afterwards
} snPropagated;

snPropagation snDefaultPropagation(void);
snPush snMakePush(int cylinder, double length);

// Puts the cylinder to its length and moves its zone along, lengths alone. Cylinders with moved[i] != 0 stay as they
// are (NULL: all may move); the pushed one and those of its zone that follow get 1. `scratch` has 6 * count doubles. Where
// no shape keeps what is to be kept the zone stays, and the report says so.
snPropagated snPropagate(const snElement *element, const snPropagation *how, const snPush *push,
                         double *length, unsigned char *moved, double *scratch);

#endif
