// The kernels over elements, compiled once per instruction set (core/simd.h).
#ifndef SN_BODY_LATTICE_CELLS_H
#define SN_BODY_LATTICE_CELLS_H

#include "body/lattice/step.h"

// What a pass over a range of groups needs.
typedef struct snCellsPass {
    const snElementClass *class;
    snElementState *state;
    int lanes, width;
    const double *position; // [vertices * width]
    const unsigned char
        *active;         // [lanes], 0: leave its rotations as they are; NULL: all are active
    const int *list;     // groups to visit instead of begin ... end - 1, which then are its places
    const double *share; // [groups][8], a factor of each element's energy; NULL: 1
    double memory;       // the share of damping in the step's energy, β / (h + β)
    double recall;       // how much of the last strain is in this step's target
    double scale;        // of forces: h (h + β)
    bool full;           // rest stretch 1 instead of the rig's
    double *force;       // [slots of this class * width], or NULL
    double *energy;      // [groups of this class * lanes], not scaled; NULL for the target pass
} snCellsPass;

typedef void snCellsFcn(const snCellsPass *pass, int begin, int end);

typedef struct snCellKernels {
    // By material: rest stretch from the rig's positions: R_L, S_L, then this step's targets C and
    // J_C.
    snCellsFcn *target[SN_MATERIALS];
    // Rotation, energy and corner forces at `position`.
    snCellsFcn *force[SN_MATERIALS];
    // Rotation, energy and the strain to remember.
    snCellsFcn *strain[SN_MATERIALS];
    // gradient = D (next - target) + corner forces; value[lane] = ½ Σ D |next - target|².
    void (*gradient)(const snLatticeModel *model, const snLatticeState *state, double *value);
    // sum[lane] = a . b over `vertices` vertices.
    void (*dot)(const snLatticeState *state, int vertices, const double *a, const double *b,
                double *sum);
    // y += s[lane] x
    void (*addScaled)(const snLatticeState *state, int vertices, const double *s, const double *x,
                      double *y);
} snCellKernels;

const snCellKernels *snCellKernels_Choose(void);

#endif
