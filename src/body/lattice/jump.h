// A body that jumps: its rig is put elsewhere in no time, and its flesh goes along unmoved relative
// to it, with its velocity, its strain and all that it remembers. Allocates nothing; between steps.
#ifndef SN_BODY_LATTICE_JUMP_H
#define SN_BODY_LATTICE_JUMP_H

#include "body/lattice/step.h"

// The whole body by a rigid motion, one per lane: x -> motion x. The linear parts are rotations.
void snLatticeState_Carry(const snLatticeModel *model, snLatticeState *state,
                          const snAffine *motions);

// Parts of the rig apart: limbs that jump while the rest does not, or all of it.
typedef struct snLatticeJump {
    const snAffine *joints; // [lanes * model->jointCount], J: what each joint's jump does to points
    const double *rig; // [vertices * width], where the jump puts the rig that the state stands on
} snLatticeJump;
void snLatticeState_Jump(const snLatticeModel *model, snLatticeState *state,
                         const snLatticeJump *jump);

#endif
