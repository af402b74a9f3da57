// The kernels over elements, compiled once per instruction set (core/simd.h).
#ifndef SN_BODY_LATTICE_CELLS_H
#define SN_BODY_LATTICE_CELLS_H

#include "body/lattice/step.h"

// What a pass over a range of groups needs. `memory` is how much of the last strain stays in this
// step's target, β / (h + β).
typedef struct snCellsPass {
    const snElementClass *class;
    snElementState *state;
    const double *position; // [vertices * 4]
    double memory;
    double scale;   // of forces: h (h + β)
    bool full;      // rest stretch 1 instead of the rig's
    double *force;  // [slots of this class * 4], or NULL
    double *energy; // [groups of this class], not scaled; NULL for the target pass
} snCellsPass;

typedef struct snCellKernels {
    // Rest stretch from the rig's positions: R_L, S_L, then this step's targets C and J_C.
    void (*target)(const snCellsPass *pass, int begin, int end);
    // Rotation, energy and corner forces at `position`.
    void (*force)(const snCellsPass *pass, int begin, int end);
    // Rotation, energy and the strain to remember.
    void (*strain)(const snCellsPass *pass, int begin, int end);
    // gradient = D (next - target) + corner forces; returns ½ Σ D |next - target|².
    double (*gradient)(const snLatticeModel *model, const snLatticeState *state);
    double (*dot)(int count, const double *a, const double *b);         // count a multiple of 4
    void (*addScaled)(int count, double s, const double *x, double *y); // y += s x
} snCellKernels;

const snCellKernels *snCellKernels_Choose(void);

#endif
