// Blended local linearisation (Capell et al. 2002, section 4.2): SN_SOLVER_BLENDED. Each bone has a
// region (regions.h), a linear part that is stepped in the bone's own frame, where its matrix is
// constant; where regions overlap their changes are blended (derivation in blended.c).
#ifndef SN_BODY_LATTICE_BLENDED_H
#define SN_BODY_LATTICE_BLENDED_H

#include "body/lattice/linear.h"
#include "body/lattice/regions.h"

typedef struct snBlend {
    int *joint;          // [parts], in whose frame the part is linear
    double **fit;        // [parts], weights of its vertices in a fitted frame; NULL: its joint's
    size_t *scratchFrom; // [parts], where each has its scratch in state->linear
    // For every free vertex the parts that it is blended of: entries [start[i], start[i + 1]).
    int *start;     // [freeCount + 1]
    int *part;      // ascending inside a vertex
    int *row;       // of the vertex in the part
    double *weight; // W^i_a, which sum to 1
    int handedOver; // vertices that the rule left without a region (SN_REGION_ALL)
} snBlend;

// Fills a linear body with a part per region.
snStatus snBlend_Build(snLinear *linear, snLatticeModel *model, const snLatticeModelDef *def,
                       snArena *scratch, snError *error);

// One lane's step: see snLinear_Solve. Returns the iterations of conjugate gradients, or -1.
int snBlend_Solve(const snLatticeModel *model, snLatticeState *state, const snLatticeDrive *drive,
                  int lane);

// ½ uᵀ S u of one region in its own frame, in joules, when its joints stand at `joints` (from rest,
// as in snLatticeDrive; of this lane). The model has SN_SOLVER_BLENDED. NaN where there is no frame.
double snBlended_RegionEnergy(const snLatticeModel *model, snLatticeState *state,
                              const snAffine *joints, int region, int lane);

#endif
