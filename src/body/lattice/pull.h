// Springs and forces at points of a lattice body, as part of a step's objective: stable at any
// stiffness, for what they do is known at the step's end.
//
// A point's place is p = Σ w y. A spring k with damping c to an anchor that goes from a to a' in the
// step, and a force f, add to the objective (step.c, times h²)
//
//     ½ h² k |p - a'|² + ½ h c |p - x - (a' - a)|² - h² f . p,      x its place at the step's begin,
//
// which is ½ K |p - x|² - b . (p - x) but for a constant, with
//
//     K = h² k + h c,    b = h² k (a' - x) + h c (a' - a) + h² f.
#ifndef SN_BODY_LATTICE_PULL_H
#define SN_BODY_LATTICE_PULL_H

#include "body/lattice/lattice.h"

typedef struct snLatticePull {
    int count;
    const int *vertex;    // [count], the model's numbers
    const double *weight; // [count]
    double stiffness;     // K
    snVec3 origin;        // x
    snVec3 push;          // b
} snLatticePull;

// Adds a spring to a pull; several may act at one point.
void snLatticePull_AddSpring(snLatticePull *pull, double stiffness, double damping, snVec3 target,
                             snVec3 move, double step);
void snLatticePull_AddForce(snLatticePull *pull, snVec3 force, double step);

// The spring's and force's part of the objective at [vertices * 4]; its gradient is added to
// [freeCount * 4] (NULL: not wanted).
double snLatticePull_AddTerms(const snLatticePull *pull, const double *position, int freeCount,
                              double *gradient);

// y += C x with C its second derivatives, over [freeCount * 3], and dᵀ C d over [freeCount * 4].
void snLatticePull_AddCurvature(const snLatticePull *pull, int freeCount, const double *x,
                                double *y);
double snLatticePull_Curvature(const snLatticePull *pull, int freeCount, const double *direction);

#endif
