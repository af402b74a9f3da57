// The kernels over elements and over vectors of vertices, compiled once per instruction set
// (core/simd.h).
#ifndef SN_BODY_LATTICE_CELLS_H
#define SN_BODY_LATTICE_CELLS_H

#include "body/lattice/step.h"

// What a pass over a range of groups needs.
typedef struct snCellsPass {
    const snElementClass *class;
    snElementState *state;
    int lanes, width;
    const double *position; // [vertices * width]
    // Single precision: F from the shape at the first guess and this, [vertices * 4], instead of
    // `position`; or NULL.
    const float *shift;
    bool keepShape; // single precision: `position` is the first guess, whose shapes are to be kept
    const unsigned char
        *active;         // [lanes], 0: leave its rotations as they are; NULL: all are active
    const int *list;     // groups to visit instead of begin ... end - 1, which then are its places
    const double *share; // [groups][8], a factor of each element's energy; NULL: 1
    double memory;       // the share of damping in the step's energy, β / (h + β)
    double recall;       // how much of the last strain is in this step's target
    double scale;        // of forces: h (h + β)
    bool full;           // rest stretch 1 instead of the rig's
    double crush;        // κ, of corotated flesh that is pressed flat; 0: none
    void *force;         // [slots of this class * width], or NULL
    // Not scaled: [groups of this class * lanes] doubles, in single precision [groups][16] floats.
    // Of target passes what elements would hold if they stood still beside their rig; or NULL.
    void *energy;
} snCellsPass;

typedef void snCellsFcn(const snCellsPass *pass, int begin, int end);

// Of one precision.
typedef struct snCellKernels {
    // By material: rest stretch from the rig's positions: R_L, S_L, then this step's targets C and
    // J_C.
    snCellsFcn *target[SN_MATERIALS];
    // Rotation, energy and corner forces at `position`.
    snCellsFcn *force[SN_MATERIALS];
    // Rotation, energy and the strain to remember.
    snCellsFcn *strain[SN_MATERIALS];
} snCellKernels;

const snCellKernels *snCellKernels_Choose(snPrecision precision);

typedef struct snVectorKernels {
    // Targets t, and the first guess: the old state carried on by its own velocity, corrected by how
    // the rig's differs from what it was, y = p' + (x - p) + h (v - v_L).
    void (*predict)(const snLatticeModel *model, snLatticeState *state,
                    const snLatticeDrive *drive);
    // From `next` and the new rig to the new state.
    void (*advance)(const snLatticeModel *model, snLatticeState *state, const double *rig);
    // Where joints have every vertex, [vertices * 4]: p = Σ w (M x₀).
    void (*rig)(const snLatticeModel *model, const snAffine *joints, double *positions);
    // gradient = D (next - target) + corner forces; value[lane] = ½ Σ D |next - target|².
    void (*gradient)(const snLatticeModel *model, const snLatticeState *state, double *value);
    // The value alone.
    void (*inertia)(const snLatticeModel *model, const snLatticeState *state, double *value);
    // sum[lane] = a . b over `vertices` vertices.
    void (*dot)(const snLatticeState *state, int vertices, const double *a, const double *b,
                double *sum);
    // y += s[lane] x
    void (*addScaled)(const snLatticeState *state, int vertices, const double *s, const double *x,
                      double *y);
    // Of n numbers: out = a - b, out = -a.
    void (*subtract)(int n, const double *a, const double *b, double *out);
    void (*negate)(int n, const double *a, double *out);
    // Single precision: out = a - b, rounded.
    void (*shift)(int n, const double *a, const double *b, float *out);
    // The sum of n numbers, n a multiple of 8.
    double (*total)(int n, const float *a);
    // y = Σ w x of rows begin ... end - 1 over (x, y, z, 0).
    void (*combine)(const snWeightRows *rows, int begin, int end, const double *x, double *y);
    // out[v] = Σ x over the places that a list of each listed v has, for v of list[begin ... end - 1].
    void (*gather)(const int *start, const int *places, const int *list, int begin, int end,
                   const double *x, double *out);
} snVectorKernels;

const snVectorKernels *snVectorKernels_Choose(void);

#endif
