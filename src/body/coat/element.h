// A deformable element: cylinders of flesh that stand star-shaped on a link, each a damped spring along
// an axis that is fixed in the link's frame and carries one sample point. The sample points stand in a
// grid: `rows` along the link, `columns` round it, and a cap at each end. Their triangles close the element: its
// envelope.
//
// All of it is in the frame of the link. Begin with snElement_Make, then snElement_Advance.
#ifndef SN_BODY_COAT_ELEMENT_H
#define SN_BODY_COAT_ELEMENT_H

#include "body/coat/oscillate.h"
#include "core/memory.h"
#include "core/vec.h"

// Rest lengths that drift where flesh is deformed too far (Terzopoulos, Fleischer 1988).
typedef struct snPlasticity {
    double
        yield; // share of the length at rest that springs back; 0: all does, there is no plasticity
    double flow; // 1/s: how fast the rest length follows what is beyond it
    double most; // share of the length at rest by which it may have drifted at most
} snPlasticity;

typedef struct snElementDef {
    int rows, columns; // 1 or more, 3 or more
    const snVec3 *
        samples; // [rows * columns + 2], row by row, then the caps before the first and behind the last row
    const snVec3 *feet; // [as many], where the cylinders stand
    double young;   // Pa: stiffness of a cylinder is young * its share of the surface / its length
    double density; // kg/m³
    double damping; // of the critical one; 1 just does not swing
    const double *softness;   // [as many], of each cylinder: stiffness is divided by it; NULL: 1
    int reach;                // rings of neighbours in a zone; 1: the four next to a cylinder
    double shortest, longest; // limits of lengths, shares of those at rest
    snPlasticity plasticity;
    bool printed; // oscillations by the formula that the paper prints
} snElementDef;

typedef struct snElement {
    int rows, columns, count; // count = rows * columns + 2
    snVec3 *foot, *axis;      // [count], axis of length 1
    double *rest;             // [count], m
    snOscillator *spring;     // [count]
    double *shortest, *longest;
    int triangleCount;
    int *triangles; // [triangleCount * 3], counter-clockwise from outside
    int *zoneStart; // [count + 1]
    int *
        zone; // neighbours of cylinder i: zone[zoneStart[i] ... zoneStart[i + 1] - 1], nearest first
    int *nearStart; // [count + 1]
    int *near;      // triangles that have a corner in the zone of cylinder i, or i itself
    int *ringStart; // [count + 1]
    int *ring;   // corners round cylinder i, in order: its triangles are (i, ring[k], ring[k + 1])
    int *around; // and these triangles
    double *slope; // [count], and
    double
        *slopeRing;  // [2 per corner of a ring]: the volume's derivatives over lengths (envelope.c)
    double *dets;    // [4 * triangleCount]: det(foot, axis, axis) of each corner, det of axes, / 6
    int *innerStart; // [count + 1]
    int *inner;      // triangles that have two or three corners in the zone of cylinder i
    double volume, area, mass; // of the envelope at rest
    snVec3 center;             // of its volume
    snPlasticity plasticity;
    bool printed;
} snElement;

#define SN_ELEMENT_TIMES 3

// What changes. `length` and `speed` are along the axes, relative to the link.
typedef struct snElementMotion {
    double *length, *speed, *rest; // [count], rest drifts where flesh is plastic
    double *from,
        *since; // [count], of printed oscillations: the last event's length off rest, time since
    // Maps over the times of the last steps, [SN_ELEMENT_TIMES][count], and these times: steps and their halves come in turns.
    snOscillation *maps;
    double mapTime[SN_ELEMENT_TIMES];
    int nextMap; // that is found anew when another time is asked for
} snElementMotion;

snElementDef snDefaultElementDef(void);

// Lives in the arena. Fails for grids that are too small, samples that are no longer than their feet, and where the
// envelope encloses nothing.
snStatus snElement_Make(snElement *element, const snElementDef *def, snArena *arena,
                        snError *error);
snStatus snElementMotion_Make(snElementMotion *state, const snElement *element, snArena *arena,
                              snError *error);
void snElementMotion_SetRest(snElementMotion *state, const snElement *element);

// All cylinders forward by a time, in closed form. `acceleration` is that of the link at its points less
// gravity: linear + angular × (angular × r) + ... as felt by a cylinder whose sample is at p: see snFelt.
typedef struct snFelt {
    snVec3 linear; // of the link's frame's origin, less gravity, in the link's axes, m/s²
    snVec3 spin;   // rad/s, in the link's axes
    snVec3 turn;   // its change, rad/s²
} snFelt;
void snElement_Advance(const snElement *element, snElementMotion *state, double time,
                       const snFelt *felt);

// A cylinder is put to a length and moves on from there with a speed: an event.
void snElement_Strike(const snElement *element, snElementMotion *state, int cylinder, double length,
                      double speed);

static inline snVec3 snElement_Sample(const snElement *element, const double *length, int cylinder)
{
    return snMulAdd(element->foot[cylinder], length[cylinder], element->axis[cylinder]);
}

// ---- the envelope as a function of the lengths (envelope.c) ----

double snElement_Volume(const snElement *element, const double *length);
double snElement_Area(const snElement *element, const double *length);
// Their derivatives by each length, [count].
void snElement_VolumeGradient(const snElement *element, const double *length, double *gradient);
void snElement_AreaGradient(const snElement *element, const double *length, double *gradient);

// The same summed over a list of triangles. Gradients are those of cylinders all of whose triangles are in it.
typedef struct snTriangleList {
    int count;
    const int *triangles; // NULL: 0, 1, 2 ...
} snTriangleList;
double snElement_VolumeOf(const snElement *element, const double *length, snTriangleList list);
double snElement_AreaOf(const snElement *element, const double *length, snTriangleList list);
void snElement_AddVolumeGradient(const snElement *element, const double *length,
                                 snTriangleList list, double *gradient);
void snElement_AddAreaGradient(const snElement *element, const double *length, snTriangleList list,
                               double *gradient);

// The derivative of the volume by one length. It does not depend on that length.
double snElement_VolumeBy(const snElement *element, const double *length, int cylinder);
// What it is found from; part of snElement_Make.
snStatus snElement_SetSlopes(snElement *element, snArena *arena, snError *error);

#endif
