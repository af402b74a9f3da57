// How a body's elements are: what is stretched or turned inside out beyond what its rig does. Of single
// bodies.
//
// With F and F_L the deformation gradients of an element in the flesh and in the rig, and σ the largest
// singular value,
//     stretch = σ(F),   excess = σ(F) / max(1, σ(F_L)),   inverted: det F <= 0 and det F_L > 0.1.
// A rig may fold and stretch its own elements: that is the artist's affair.
#ifndef SN_BODY_LATTICE_HEALTH_H
#define SN_BODY_LATTICE_HEALTH_H

#include "body/lattice/step.h"

// What is still good.
typedef struct snHealthLimits {
    double excess;   // of an element
    double inverted; // share of the elements
    double extent;   // m, of the body at rest; where the rig is larger, that counts
    double offset;   // extents that a vertex may be from its rig; 0: any
    double speed;    // extents per second, relative to its rig; 0: any
} snHealthLimits;

typedef struct snHealth {
    bool finite;    // all positions and velocities
    double stretch; // the largest
    double excess;  // likewise, and a vertex of that element
    int excessAt;
    int elements, inverted; // how many there are, and how many are inverted
    double offset;          // the largest of a vertex, extents
    double speed;           // the largest, extents per second
    double extent;          // m, of the body or of its rig, whichever is larger
} snHealth;

// Looks at everything. With `fault` ([vertices], 0 or 1; or NULL) what is beyond the limits is marked:
// corners of elements, vertices.
snHealth snLatticeState_Look(const snLatticeModel *model, const snLatticeState *state,
                             const snHealthLimits *limits, unsigned char *fault);
bool snHealth_IsGood(const snHealth *health, const snHealthLimits *limits);

// The largest excess and stretch alone.
typedef struct snStretch {
    double excess; // beyond the rig
    int at;        // a vertex of the element that has it
    double whole;  // with what the rig stretches; another element may have it
} snStretch;
snStretch snLatticeState_Stretch(const snLatticeModel *model, const snLatticeState *state);

// A quick look: true when everything is certainly good, by the strain that a step left behind. False
// for solvers that leave none.
bool snLatticeState_IsCalm(const snLatticeModel *model, const snLatticeState *state,
                           const snHealthLimits *limits);

#endif
