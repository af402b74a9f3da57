// A lattice body's motion: one implicit step by a quasi-Newton method on one constant matrix.
//
// The step minimises the incremental potential of backward Euler (derivation above the code in
// step.c and cells_kernel.c). Liu, Bouaziz, Kavan, "Quasi-Newton Methods for Real-Time Simulation
// of Hyperelastic Materials", 2017: an L-BFGS method whose first guess of the inverse Hessian is
// the inverse of A = D + h (h + β) Σ k V GᵀG, the same scalar matrix for x, y and z, factored once.
#ifndef SN_BODY_LATTICE_STEP_H
#define SN_BODY_LATTICE_STEP_H

#include "body/lattice/model.h"

#define SN_MEMORY 8 // pairs of L-BFGS; iterations beyond it forget the oldest

// Per element of one class, [groups][numbers][8]; see cells_kernel.c for their meaning.
typedef struct snElementState {
    double *rotation;     // 4: q of R
    double *rigRotation;  // 4: q of R_L
    double *strain;       // 9: e of the last step
    double *volumeStrain; // 1: J - J_L of the last step
    // Scratch of one step.
    double *newStrain, *newVolumeStrain; // at the step's end, until it is accepted
    double *target;                      // 9: C
    double *volumeTarget;                // 1: J_C
    double *bulkScale;                   // 1: s
    double *probeRotation;               // 4: instead of rotation when energy is asked for
    double *probeRigRotation;            // 4: instead of rigRotation likewise
} snElementState;

typedef struct snLatticeState {
    snArena arena;
    void *block;      // all that makes up the state: save and restore copy it whole
    size_t blockSize; // bytes
    int width;        // doubles per vertex
    double *position; // [vertices * width], x, snLattice_Step
    double *velocity; // [vertices * width], v
    double *rig;      // [vertices * width], p_L at the time of the state
    double *rigVelocity;
    snElementState elements[2];
    // Scratch, empty between steps.
    double *next;     // [vertices * width], y
    double *target;   // [vertices * width], t
    double *previous; // [vertices * width], y before the last iteration
    double *gradient, *previousGradient, *direction; // [free * width]
    double *moves[SN_MEMORY], *turns[SN_MEMORY];     // L-BFGS memory: s and y
    double *force;                                   // [slots * 4] corner forces
    double *energy;                                  // [groups of both classes]
    double *solve;                                   // factor scratch
    // What happened, for reports.
    int64_t steps, backtracks, resets;
} snLatticeState;

snStatus snLatticeState_Make(snLatticeState **state, const snLatticeModel *model,
                             const snContext *context, snError *error);
void snLatticeState_Destroy(snLatticeState *state); // accepts NULL

// Puts the body where the rig is, at the rig's velocity (NULL: at rest). [vertices * 4] each.
void snLatticeState_Start(const snLatticeModel *model, snLatticeState *state, const double *rig,
                          const double *rigVelocity);

// One step of model->def.step to the rig positions of the new time. Allocates nothing. Returns
// false when the step could not be computed (a rig of NaN): the body is then put on the rig.
bool snLattice_Step(const snLatticeModel *model, snLatticeState *state, const double *rig);

// Elastic and kinetic energy in joules, of the present state.
double snLatticeState_ElasticEnergy(const snLatticeModel *model, snLatticeState *state);
double snLatticeState_KineticEnergy(const snLatticeModel *model, const snLatticeState *state);

// The state as bytes: blockSize of them. Restoring needs the same model.
void snLatticeState_Save(const snLatticeState *state, void *bytes);
void snLatticeState_Restore(snLatticeState *state, const void *bytes);
uint64_t snLatticeState_Hash(const snLatticeState *state);

#endif
