// Points held by Lagrange multipliers: the other way beside projection (point.h), for Newton's method.
// Derivation in multiplier.c.
#ifndef SN_BODY_LATTICE_MULTIPLIER_H
#define SN_BODY_LATTICE_MULTIPLIER_H

#include "constraint/constraint.h"
#include "numerics/minres.h"

typedef struct snMultipliers {
    const snConstraintSet *set;
    int size;              // of the unknowns of Newton's method, width included
    int width;             // of a row of them: 3 or 4
    double *lambda;        // [capacity * 4], by rank: of the last solve
    double *goals, *work;  // scratch of snConstraintSet_Goals
    double *right, *found; // [size + capacity * width]
    double *scratch;       // of MINRES
    int64_t iterations;    // of MINRES so far
} snMultipliers;

// In the arena, for a set that outlives it.
snStatus snMultipliers_Make(snMultipliers **multipliers, const snConstraintSet *set, int size,
                            int width, snArena *arena, snError *error);

// A step begins: all are zero.
void snMultipliers_Reset(snMultipliers *multipliers);

// What Newton's iteration solves.
typedef struct snMultiplierSystem {
    snOperator matrix;    // H
    bool definite;        // it is positive definite
    snOperator inverse;   // A⁻¹, symmetric positive definite
    const double *right;  // [size], -g
    const double *values; // [unknowns * 4], where they are
    double tolerance;
} snMultiplierSystem;

// The move, [size], with which all independent constraints are met. False where values are not finite, or
// the move does not go down because H is not definite.
bool snMultipliers_Solve(snMultipliers *multipliers, const snMultiplierSystem *system,
                         double *move);

// λᵀ(C y - a): added to the objective it makes one that every move of snMultipliers_Solve lowers.
double snMultipliers_Term(const snMultipliers *multipliers, const double *values);

#endif
