// Functions that come and go while a body moves: the matrix of a search over those that always act and
// those that act now, without factoring it anew.
//
// With 0 for what always acts and d for what acts beside it,
//
//     A = [ A_00  A_0d ]      S = A_dd - A_d0 A_00⁻¹ A_0d = L Lᵀ.
//         [ A_d0  A_dd ]
//
// A_00 is factored at build. Switching a function on costs one solve with it and one new row of L;
// switching it off a rank-one update of the rows behind it. Vectors of unknowns have what always acts first and
// then a fixed number of *slots*; a slot is empty, or holds the coefficient of one function, which is a
// displacement and zero at rest. Details of cells (detail.h) and the levels of a space of motions
// (space_levels.h) are such functions.
#ifndef SN_BODY_LATTICE_ACTIVE_H
#define SN_BODY_LATTICE_ACTIVE_H

#include "body/lattice/step.h"

// What could be switched on, made at build.
typedef struct snFineFunctions {
    int count;                   // functions in all
    int slotCount;               // that may act at once
    int first, total;            // slots begin at row `first` of vectors of `total` rows
    int cellCount;               // of the lattice whose cells have levels
    int *level;                  // [count], 1 ...
    double *size;                // [count], m: what its coefficient is measured by
    int *supportStart, *support; // [count + 1]: cells that must be at its level when it acts
    // Its rows of the mass matrix and of A: a column is a row of the vectors, or ~e for function e.
    int *rowStart; // [count + 1]
    int *
        rowSplit; // [count]: entries before it are of what always acts, those from it on of functions
    int *column;
    double *mass, *matrix;
    double
        scale; // of spaces: what A = D + scale K has beside the inertia; tells rungs (ladder.h) apart
    // Whole rows of the mass matrix between what always acts.
    int *massStart; // [total + 1]; slots have none
    int *massColumn;
    double *massValue;
} snFineFunctions;

// The rows above from the mass matrix and A, lower triangles over all of it; itemOf says what a row of these
// is: a row of the vectors, or ~e for function e. The pattern of the first may be smaller.
snStatus snFineFunctions_SetRows(snFineFunctions *fine, const snSparse *mass, const snSparse *step,
                                 const int *itemOf, snArena *arena, snError *error);

// ---- switching ------------------------------------------------------------------------------------

// None acts, all cells are at level 0.
void snActive_Reset(const snLatticeModel *model, snLatticeState *state);

// A slot with a new row of L; -1 when all are taken or the function depends on those that act. Its
// coefficient is the caller's to clear.
int snActive_Add(const snLatticeModel *model, snLatticeState *state, int function);

// The function at a place of L goes; returns its slot.
int snActive_Drop(const snLatticeModel *model, snLatticeState *state, int place);

// L for the rows of a model, where it was made for those of another rung: a solve for every function that acts, and n³/3
// products for n of them.
void snActive_Suit(const snLatticeModel *model, snLatticeState *state);

// The finest level that an acting function needs a cell at.
int snActive_LevelNeeded(const snActive *active, int cell);

// ---- in a step ------------------------------------------------------------------------------------

// out = M x over what always acts and the slots that are taken; both [total * 4].
void snActive_MultiplyMass(const snFineFunctions *fine, const snActive *active, const double *x,
                           double *out);

// x = A⁻¹ x over [unknowns * 4].
void snActive_Solve(const snLatticeModel *model, const snLatticeState *state, double *x);

// The same for any model of one lane, in doubles; `scratch` is that of its factor.
void snLatticeModel_SolveUnknowns(const snLatticeModel *model, const snLatticeState *state,
                                  double *x, double *scratch);

// Of the functions that act, in the order of L, and of L's diagonal: where these are the same bits, so is A. 0 for
// models without such functions.
uint64_t snActive_Hash(const snLatticeModel *model, const snLatticeState *state);

// ---- who should act -------------------------------------------------------------------------------

#define SN_MOST_CHANGES 256

typedef struct snCandidate {
    int function;
    double measure;
} snCandidate;

// Keeps a list ordered by measure, equal ones by number, and no longer than `most`; returns its length.
int snCandidate_Insert(snCandidate *list, int count, int most, snCandidate candidate);

// A model's functions that can be switched on, or NULL.
const snFineFunctions *snLatticeModel_Fine(const snLatticeModel *model);

#endif
