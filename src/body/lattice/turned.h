// A second constant matrix for the search (search.c), for bodies that the scalar one takes for far too
// stiff: slender ends that bend, ears and tails. Derivation in turned.c.
#ifndef SN_BODY_LATTICE_TURNED_H
#define SN_BODY_LATTICE_TURNED_H

#include "body/lattice/step.h"

#define SN_TURNED_SOURCES 8 // elements that a vertex takes its rotation from, at most

typedef struct snTurned {
    const struct snTurnedKernels *kernels;
    int count;        // of vertices that S takes for too stiff
    int *vertex;      // [count], free, in the order of the factors
    snFactor *factor; // of A over them, 3x3 entries, in floats
    snFactor *scalar; // of S over them, in floats
    int64_t factorNonZeros;
    // Elements, 2 * number + class, that each of them turns with, and their shares, which sum to 1.
    int *source;   // [count * SN_TURNED_SOURCES]
    double *share; // [count * SN_TURNED_SOURCES]
} snTurned;

// What def->matrix asks for: NULL for the scalar matrix alone. `softness` is by how much the scalar
// matrix takes the slowest motion for too stiff, where that was looked for, else 0. The model is complete
// but for this.
snStatus snTurned_Build(snTurned **turned, double *softness, snLatticeModel *model,
                        const snLatticeModelDef *def, snArena *scratch, snError *error);

// Scratch of a state.
typedef struct snTurnedState {
    double *rotation; // columns of R: one lane [count][3][4], else [count][9][lanes]
    double *rows;     // [count * width], Rᵀ x
    double *packed;   // [count * 3 * lanes], the same
    double *solve;    // [snTurned_ScratchSize]
} snTurnedState;
size_t snTurned_ScratchSize(const snLatticeModel *model, int lanes, int width); // doubles

// In a step: the vertices' rotations from those of the elements, then any number of solves in place, d ←
// (S⁻¹ + P R (A_P⁻¹ - S_P⁻¹) Rᵀ Pᵀ) d over the free vertices.
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
