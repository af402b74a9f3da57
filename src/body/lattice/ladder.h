// A body that is made stiffer and softer while it moves, without being integrated or factored again.
//
// Its elastic energy is multiplied by a factor s, which costs nothing: the energy is exactly that of a body with
// s times its moduli. What depends on s otherwise are constant matrices, above all that of the search,
// A = D + h (h + β) s Σ k V GᵀG. A ladder has models of the same body for factors 2^(k/2), built and factored
// beforehand, with vertices and elements in the same order, so that one state can be stepped by any of them. A step
// takes the nearest rung, whose moduli are off by 19 % at most, and multiplies by the rest. The linear solvers
// have nothing but their matrices: they take the rung as it is, and have eight to a factor of two.
//
// Strain damping belongs to the energy and grows along: β stays, and with it a swing of frequency ω has the
// share ½ β ω of the critical damping, √s of what it was. Drag, springs to the rig and masses stay as they are.
#ifndef SN_BODY_LATTICE_LADDER_H
#define SN_BODY_LATTICE_LADDER_H

#include "body/lattice/model.h"

#define SN_LADDER_LEAST 0.001 // factors that there can be
#define SN_LADDER_MOST 1000.0

typedef struct snLadder {
    snArena arena; // owns everything but the base
    const snLatticeModel *base;
    int perOctave;           // rungs to a factor of two
    int first, count;        // rung i has the factor 2^((first + i) / perOctave)
    snLatticeModel **models; // [count]; that of factor 1 is the base
} snLadder;

// `def` is what the base was built from (its pointers valid), which must outlive the ladder. Factors from
// `softest` to `stiffest` will be asked for. Refuses bodies with details. On failure there is nothing to free.
snStatus snLadder_Build(snLadder **ladder, const snLatticeModel *base, const snLatticeModelDef *def,
                        double softest, double stiffest, const snContext *context, snError *error);
void snLadder_Destroy(snLadder *ladder); // accepts NULL

// The model to step with for a factor, and what is left of it: factor / that of the rung.
const snLatticeModel *snLadder_At(const snLadder *ladder, double factor, double *rest);

#endif
