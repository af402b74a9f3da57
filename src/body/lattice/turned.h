// A second constant matrix for the search (search.c), for bodies that the scalar one takes for far too
// stiff: slender ends that bend, ears and tails. Derivation in turned.c.
#ifndef SN_BODY_LATTICE_TURNED_H
#define SN_BODY_LATTICE_TURNED_H

#include "body/lattice/step.h"

#define SN_TURNED_SOURCES 8 // elements that a vertex takes its rotation from, at most

typedef struct snTurned {
    const struct snTurnedKernels *kernels;
    snFactor *factor; // of A = D + h (h + β) ((1 - ε) K + ε Σ k V GᵀG), 3x3 entries, in floats
    int64_t factorNonZeros;
    // By free vertex: elements, 2 * number + class, and their shares, which sum to 1.
    int *source;   // [free * SN_TURNED_SOURCES]
    double *share; // [free * SN_TURNED_SOURCES]
} snTurned;

// What def->matrix asks for: NULL for the scalar matrix alone. `softness` is by how much the scalar
// matrix takes the slowest motion for too stiff, where that was looked for, else 0. The model is complete
// but for this.
snStatus snTurned_Build(snTurned **turned, double *softness, snLatticeModel *model,
                        const snLatticeModelDef *def, snArena *scratch, snError *error);

// Scratch of a state.
typedef struct snTurnedState {
    double *rotation; // columns of R: one lane [free][3][4], else [free][9][lanes]
    double *rows;     // [free * width], Rᵀ x
    double *packed;   // [free * 3 * lanes], the same
    double *solve;    // [snTurned_ScratchSize]
} snTurnedState;
size_t snTurned_ScratchSize(const snLatticeModel *model, int lanes, int width); // doubles

// In a step: the vertices' rotations from those of the elements, then any number of solves in place, d ←
// (S⁻¹ + R (A⁻¹ - S⁻¹) Rᵀ) d over the free vertices.
void snTurned_Begin(const snLatticeModel *model, snLatticeState *state);
void snTurned_Solve(const snLatticeModel *model, snLatticeState *state, double *d);

// Kernels, compiled once per instruction set (core/simd.h).
typedef struct snTurnedKernels {
    void (*look)(const snLatticeModel *model, snLatticeState *state);
    void (*back)(const snLatticeModel *model, snLatticeState *state, const double *d);
    void (*forth)(const snLatticeModel *model, snLatticeState *state, double *d);
} snTurnedKernels;
const snTurnedKernels *snTurnedKernels_Choose(void);

#endif
