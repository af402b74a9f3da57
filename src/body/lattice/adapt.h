// Switching finer functions on and off between steps: those of details (detail.h), and those of the finer
// levels of a space of motions (space_levels.h). Allocates nothing, factors nothing.
#ifndef SN_BODY_LATTICE_ADAPT_H
#define SN_BODY_LATTICE_ADAPT_H

#include "body/lattice/active.h"

typedef struct snAdaptDef {
    // Per level, of the strain of a cell in a detail's support (the size of e = RᵀF - S): above
    // `refine` it is switched on (always when that is negative), below `coarsen` off. The gap keeps it from flickering.
    double refine[SN_DETAIL_LEVELS], coarsen[SN_DETAIL_LEVELS];
    // A detail goes only when it is smaller than this share of its size, so that nothing jumps; functions of a
    // space go when all of them together move the surface by less than this share of the body's size.
    double least;
    // Of spaces: drives by an estimate of the error instead, the most that a function which does not act may
    // be missing, as a share of the body's size. 0: by the thresholds above.
    double error;
    // Of spaces: calls of which one looks while none comes; 0 or 1: each does. Where functions came the next
    // call looks again.
    int every;
    int mostChanges; // in one call: what it may cost; below 0: nothing is looked at
} snAdaptDef;
snAdaptDef snDefaultAdaptDef(void);

typedef struct snAdaptReport {
    int active, added, removed;
    int wanted; // details that should act and have to wait: slots or changes were used up
} snAdaptReport;

// Between steps. Allocates nothing, factors nothing; the cost is bounded by mostChanges. Points in place
// (point.h) are where they should be at the end of a step: a detail that goes moves them by up to `least`
// of its size until the end of the next.
snAdaptReport snLattice_Adapt(const snLatticeModel *model, snLatticeState *state,
                              const snAdaptDef *def);

// What a kind of functions knows about itself.
typedef struct snAdaptKind {
    // Looks at the body as it is; false: not this time.
    bool (*look)(const snLatticeModel *model, snLatticeState *state, const snAdaptDef *def);
    // How much a function is wanted; below 0: not at all.
    double (*want)(const snLatticeModel *model, const snLatticeState *state, const snAdaptDef *def,
                   int function);
    // Whether the function at a place of L may go.
    bool (*mayGo)(const snLatticeModel *model, snLatticeState *state, const snAdaptDef *def,
                  int place);
    // Elements and lists for what acts now.
    void (*settle)(const snLatticeModel *model, snLatticeState *state);
} snAdaptKind;

#endif
