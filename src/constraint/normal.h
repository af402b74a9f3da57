// The projection onto what keeps all constraints, nearest number by number: x -= Cᵀ (C Cᵀ)⁻¹ C x, with C the rows
// of the independent ones, scaled to length 1. What a projector (projector.h) does by QR, for sets of many constraints
// of a few terms each: C Cᵀ has an entry where two of them share a coordinate, and its factor (row_factor.h) hardly more.
// Where rows are nearly dependent, C Cᵀ loses twice the digits that C does; then it is done several times.
#ifndef SN_CONSTRAINT_NORMAL_H
#define SN_CONSTRAINT_NORMAL_H

#include "constraint/constraint.h"

typedef struct snConstraintNormal {
    snArena arena;
    const snConstraintSet *set; // of block 1 and width 4
    int count;                  // rows, as of Update
    int rounds;                 // of Apply
    snRowFactor factor;         // of C Cᵀ, by ranks
    double *scale;              // [capacity], 1 / length of a row
    double *row;                // [size], scratch: one row of C
    double *r;                  // [capacity * 4], scratch
} snConstraintNormal;

// For the set, which must outlive it. Made once; allocates nothing afterwards.
snStatus snConstraintNormal_Make(snConstraintNormal **normal, const snConstraintSet *set,
                                 const snContext *context, snError *error);
void snConstraintNormal_Destroy(snConstraintNormal *normal); // accepts NULL

// Takes over the set as of its last Prepare: call it when constraints came or went.
void snConstraintNormal_Update(snConstraintNormal *normal);
void snConstraintNormal_Apply(snConstraintNormal *normal, double *x); // [size * 4]

#endif
