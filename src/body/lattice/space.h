// A body that can move only within a space of motions. Its vertices are y = B q: every one is a
// combination, with constant weights, of the coefficients q of some functions. A smooth body is one
// whose lattice is fine and whose functions are those of a coarse one under subdivision.
//
// The step's objective (step.c) is minimised over q alone:
//
//     gradient_q = Bᵀ gradient_y,    A_q = Bᵀ A B, factored once,    y += B (change of q).
//
// Everything else stays over the vertices: elements, masses, targets, contacts, surfaces. So does
// the state, which beside them holds q and its velocity; y = B q is made from q at the end of every
// step, so that rounding cannot lead a body out of its space. Functions are numbered in the order in
// which the factor eliminates them; a coefficient is (x, y, z, 0).
#ifndef SN_BODY_LATTICE_SPACE_H
#define SN_BODY_LATTICE_SPACE_H

#include "body/lattice/step.h"

typedef struct snSpace {
    int functionCount;
    int *functionOf;      // [functions], number among those of the def
    int *indexOf;         // [functions], the inverse
    snWeightRows rows;    // B: of every vertex over functions, both numbered as here
    snWeightRows columns; // Bᵀ: of every function over vertices
    snFactor *gram;       // of BᵀB, for snSpace_Fit
    double *one;          // [functions], the coefficients of 1: what a shift of the whole body is
    // Finer functions that come and go: then the above is of level 0, and unknowns beyond those of the factor
    // are slots (space_levels.h). NULL: all functions act.
    struct snSpaceLevels *levels;
} snSpace;

// Functions that always act: those of the factor.
int snSpace_Constant(const snSpace *space);

// From A over the lattice's vertices, in their order. Fills model->space and model->factor. Fails,
// naming the function, when some function has no vertex or they depend on each other.
snStatus snSpace_Build(snLatticeModel *model, const snSparse *matrix, const snWeightRows *space,
                       snArena *scratch, snError *error);

// For a rung (ladder.h), whose space and structure of the factor are the base's: fills model->factor alone.
snStatus snSpace_Factor(snLatticeModel *model, const snSparse *matrix, const snWeightRows *space,
                        snArena *scratch, snError *error);

// The def's nested spaces into model->nested, in the order of its functions, where Newton's method takes multigrid.
snStatus snSpace_TakeNested(snLatticeModel *model, const snLatticeModelDef *def, snError *error);

// Bᵀ M B over the model's functions, for M over its vertices, scalar or 3x3.
snStatus snSpace_Product(snSparse *product, const snSparse *matrix, const snLatticeModel *model,
                         snArena *arena, snError *error);

// y = B q and p = Bᵀ g: [functions * 4] and [vertices * 4].
void snSpace_Push(const snLatticeModel *model, const snLatticeState *state, const double *q,
                  double *y);
void snSpace_Pull(const snLatticeModel *model, const snLatticeState *state, const double *g,
                  double *p);

// y = Σ w x of some rows, on any threads to the same bits.
typedef struct snCombination {
    const snWeightRows *rows;
    const int *list; // of rows, [count]; NULL: the first `count`
    const double *x;
    double *y;
} snCombination;
void snSpace_Combine(const snLatticeModel *model, int count, const snCombination *combination);

// Push and Pull within a search, where vertices that nothing asks for may be left out.
void snSpace_Show(const snLatticeModel *model, const snLatticeState *state, const double *q,
                  double *y);
void snSpace_Gather(const snLatticeModel *model, const snLatticeState *state, const double *g,
                    double *p);

// The same between coefficients and the vertices that contacts of the step read and write (snSpaceLevels_ListContacts);
// others have no load, and get no value.
void snSpace_PushTouched(const snLatticeModel *model, const snLatticeState *state, const double *q,
                         double *y);
void snSpace_PullTouched(const snLatticeModel *model, const snLatticeState *state,
                         const double *load, double *p);

// Rows of vertices over the unknowns, with those that act now.
const snWeightRows *snSpace_Rows(const snLatticeModel *model, const snLatticeState *state);

// The q with the least Σ |y - B q|² over the vertices. Of functions that come and go the coefficients stay.
void snSpace_Fit(const snLatticeModel *model, snLatticeState *state, const double *y, double *q);

// After positions or velocities of a state were written from outside: puts both to the nearest in
// the space. Does nothing for a body without one.
void snSpace_Settle(const snLatticeModel *model, snLatticeState *state);

// ---- in a step ----------------------------------------------------------------------------------

// The first guess, q + h q̇, and the mean of what the rig adds to it, which state->next has; and from the step's end to the new state, after positions.
void snSpace_Predict(const snLatticeModel *model, snLatticeState *state);
void snSpace_Advance(const snLatticeModel *model, snLatticeState *state);

// ---- for any model ------------------------------------------------------------------------------

// What the search is over: free vertices and slots, or functions.
static inline int snLatticeModel_Unknowns(const snLatticeModel *model)
{
    return model->space ? model->space->functionCount : model->unknownCount;
}

// Their values at the time of the state, how fast these change, and values at the end of a step: [unknowns * width].
static inline double *snLatticeState_Values(const snLatticeModel *model, snLatticeState *state)
{
    return model->space ? state->coefficient : state->position;
}

static inline double *snLatticeState_Rates(const snLatticeModel *model, snLatticeState *state)
{
    return model->space ? state->coefficientVelocity : state->velocity;
}

static inline double *snLatticeState_NextValues(const snLatticeModel *model, snLatticeState *state)
{
    return model->space ? state->nextCoefficient : state->next;
}

// x ← A⁻¹ x over the free vertices, rows of four; in a space B A_q⁻¹ Bᵀ x, over functions that always act.
size_t snLatticeModel_SolveSize(const snLatticeModel *model); // doubles of scratch
void snLatticeModel_SolveRows(const snLatticeModel *model, double *x, double *scratch);

#endif
