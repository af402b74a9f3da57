// The slowest swings of a body: K φ = ω² M φ over the vertices that are free to move, with K the
// stiffness, springs on its diagonal included, and M the lumped mass.
#ifndef SN_BODY_LATTICE_SWING_H
#define SN_BODY_LATTICE_SWING_H

#include "numerics/cholesky.h"

#define SN_SWINGS 16 // that are looked for at once

typedef struct snSwingDef {
    const snSparse *stiffness; // 3x3 blocks, [vertices]
    const double *mass;        // [vertices], kg, lumped; 0 is allowed
    const double *spring;      // [vertices], N/m, on top of the stiffness; NULL: none
    const unsigned char *free; // [vertices], 0: clamped; NULL: all are free
    // Or the consistent mass (scalar), instead of `mass`. Of its rows the first so many are vertices, which a
    // push of the whole moves; the rest are displacements on top of them (details).
    const snSparse *massMatrix;
    int vertexCount;
    // ω² that is wanted, 1/s²; 0: any. What is slower and has two thirds of its energy in springs does not
    // count: flesh that turns as one about bones in a line is hardly bent by it, and no stiffness quickens that.
    double wanted;
} snSwingDef;

// Works on one stiffness pattern again and again: what differs are factors, springs and clamps.
typedef struct snSwings snSwings;
snStatus snSwings_Make(snSwings **swings, const snSparse *stiffness, snArena *arena,
                       snError *error);

typedef struct snSwing {
    double omega2; // ω², 1/s²; 0 when nothing can swing
    double elastic; // φᵀKφ with φᵀMφ = 1, at the stiffness as given: springs are the rest of ω²
    double share; // of the free mass that a push of the whole sets into it, |Σ m φ|² / Σ m
    int which;    // for snSwings_Shape
} snSwing;

// The slowest swing with the stiffness multiplied by `factor`, among those that a push of the whole
// body sets at least `leastShare` of its mass into: spinning about a bone in the middle is none, nor is one
// flap. Where none of those that were found counts, the slowest of all.
snStatus snSwings_Slowest(snSwings *swings, const snSwingDef *def, double factor, double leastShare,
                          snSwing *swing, snError *error);

// The motion φ of a swing that was found last, [vertices * 3].
void snSwings_Shape(const snSwings *swings, int which, double *shape);

#endif
