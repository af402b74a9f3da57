// How a body's elements are: what is stretched or turned inside out beyond what its rig does. And the
// way back: vertices that are put on their rig, wholly or by a share.
//
// With F and F_L the deformation gradients of an element in the flesh and in the rig, and σ the largest
// singular value,
//     stretch = σ(F),   excess = σ(F) / max(1, σ(F_L)),   inverted: det F <= 0 < det F_L / 0.1.
// A rig may fold its own elements: that is the artist's affair.
#ifndef SN_BODY_LATTICE_HEALTH_H
#define SN_BODY_LATTICE_HEALTH_H

#include "body/lattice/step.h"

// What an element may be at most; 0: anything.
typedef struct snHealthLimits {
    double excess;
    bool inverted; // counts as at fault
} snHealthLimits;

typedef struct snHealth {
    bool finite;    // all positions and velocities
    double stretch; // the largest, and a vertex of that element
    int stretchAt;
    double excess;
    int excessAt;
    int elements, inverted; // how many there are, and are inverted
    double offset;          // the largest distance of a vertex from its rig, m
    int offsetAt;
    double speed; // the largest of a vertex relative to its rig, m/s
    int speedAt;
} snHealth;

// Looks at all elements of a single body. With `fault` ([vertices], 0 or 1; or NULL) corners of
// elements beyond the limits are marked.
snHealth snLatticeState_Look(const snLatticeModel *model, const snLatticeState *state,
                             const snHealthLimits *limits, unsigned char *fault);

// Whether the strain that a step left behind is small everywhere: then there is nothing to look at.
// False for solvers that leave none.
bool snLatticeState_IsCalm(const snLatticeModel *model, const snLatticeState *state);

// Takes vertices to their rig by shares, [vertices] of 0 ... 1: x += share (p - x), v += share (v_L - v),
// and finds the strain anew. Details go where all vertices do on the average of a cell they act on.
void snLatticeState_Yield(const snLatticeModel *model, snLatticeState *state, const double *share);

#endif
