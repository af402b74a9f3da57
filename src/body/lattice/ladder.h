// A body that is made stiffer and softer while it moves, and stepped by longer and shorter steps, without being
// integrated or factored again.
//
// Its elastic energy is multiplied by a factor s, which costs nothing: the energy is exactly that of a body with
// s times its moduli. A step of another length h is another objective (step.c), which costs nothing either. What
// depends on s and h otherwise are constant matrices, above all that of the search, A = D + h (h + β) s Σ k V GᵀG. A
// ladder has models of the same body for factors 2^(k/2) and for some lengths, factored beforehand, that share
// all but their matrices with the base (snLatticeModel_BuildRung), so that one state can be stepped by any of
// them. A step takes the rung of its length and of the nearest factor, whose moduli are off by 19 % at most, and
// multiplies by the rest. Where there are several lengths, factors are 2^k, off by 41 % at most. The linear
// solvers have nothing but their matrices: they take the rung as it is, and have eight to a factor of two.
//
// Lengths are whole numbers of ticks, the base's step, so that times can be added up exactly.
//
// Strain damping belongs to the energy and grows along: β stays, and with it a swing of frequency ω has the
// share ½ β ω of the critical damping, √s of what it was. Drag, springs to the rig and masses stay as they are.
#ifndef SN_BODY_LATTICE_LADDER_H
#define SN_BODY_LATTICE_LADDER_H

#include "body/lattice/model.h"

#define SN_LADDER_LEAST 0.001 // factors that there can be
#define SN_LADDER_MOST 1000.0
#define SN_LADDER_LENGTHS 16 // that there can be
#define SN_LADDER_TICKS 1000 // of the longest, at most

typedef struct snLadderDef {
    const snLatticeModel *base;   // must outlive the ladder
    const snLatticeModelDef *def; // what it was built from, its pointers valid
    double softest, stiffest;     // factors that will be asked for
    int lengthCount;              // 0: the base's step alone
    const int *lengths;           // [lengthCount], in ticks, ascending from 1; copied
} snLadderDef;

typedef struct snLadder {
    snArena arena; // owns everything but the base
    const snLatticeModel *base;
    int perOctave;    // rungs to a factor of two
    int first, count; // rung i of a length has the factor 2^((first + i) / perOctave)
    int lengthCount;
    int *lengths;            // [lengthCount], ticks
    snLatticeModel **models; // [lengthCount * count], by length, then by factor; NULL: the base
} snLadder;

// Refuses bodies with details, and functions that come and go in a body with drag or springs to a rig. On failure
// there is nothing to free.
snStatus snLadder_Make(snLadder **ladder, const snLadderDef *def, const snContext *context,
                       snError *error);
// The same for steps of one length.
snStatus snLadder_Build(snLadder **ladder, const snLatticeModel *base, const snLatticeModelDef *def,
                        double softest, double stiffest, const snContext *context, snError *error);
void snLadder_Destroy(snLadder *ladder); // accepts NULL

// Whether lengths are as a ladder needs them.
snStatus snLadder_CheckLengths(int count, const int *lengths, snError *error);

// The model to step with for a factor and the longest length that is no longer than `ticks`, and what is left of the
// factor: factor / that of the rung.
const snLatticeModel *snLadder_Find(const snLadder *ladder, double factor, int ticks, double *rest);
const snLatticeModel *snLadder_At(const snLadder *ladder, double factor, double *rest); // 1 tick

#endif
