// Constraints: linear conditions on the coordinates of bodies, kept on top of a matrix that was
// factored beforehand and is never factored again. May use core and numerics; it knows coordinates,
// not bodies. Begin with snConstraintSet_Correct, derived in correct.c and docs/theory/constraints.md.
//
// A body's n unknown coordinates x_i have `width` numbers each (x, y, z, for one body or several
// side by side). A constraint says, number by number,
//     Σ_k w_k x_{i_k} + offset = target
// where the offset stands for coordinates that are known. With C the rows w of all constraints, a
// the targets less offsets, and any x that was found with the matrix A,
//     x += A⁻¹ Cᵀ S⁻¹ (a - C x),      S = C A⁻¹ Cᵀ
// is the constrained answer. A constraint costs one back-substitution when it is added (its column
// A⁻¹ cᵀ); moving its target costs nothing; S is as small as there are constraints.
//
// A constraint that follows from those added before it is left out of S: it is redundant, and met
// with them; or its target contradicts them, then it is in conflict and the report names with which.
#ifndef SN_CONSTRAINT_CONSTRAINT_H
#define SN_CONSTRAINT_CONSTRAINT_H

#include "constraint/row_factor.h"
#include "numerics/krylov.h"

#define SN_CONSTRAINT_RUNS 2  // of a column: it has two bodies at most where there are many
#define SN_CONSTRAINT_NAME 48 // bytes of a name with its final zero; longer ones are cut

typedef struct snConstraintSetDef {
    int size;           // n, unknown coordinates
    int block;          // 1: A is n x n, the same for each number of a coordinate; 3: 3n x 3n
    int width;          // numbers per coordinate in the arrays that are corrected
    int lanes;          // block 3: number c * lanes + l is component c of lane l; others are left
    int capacity;       // most constraints at a time
    int mostTerms;      // most terms of a constraint
    snOperator inverse; // y = A⁻¹ x over block * size doubles, A symmetric positive definite
    double tolerance;   // sine of the angle to the others below which a constraint depends on them
    double agreement;   // targets agree within this times their size
    double least;       // ... which counts as no less than this; 0: as it is
    bool leastSquares;  // conflicts are shared equally; else the later constraint is left out
    // Most pairs of constraints have nothing to do with each other, as those between many bodies: S is solved with in an
    // order of little fill. Block 1 and width 4.
    bool sparse;
} snConstraintSetDef;
snConstraintSetDef snDefaultConstraintSetDef(void); // block 1, width 4 (x, y, z, 0), one lane

typedef struct snConstraintDef {
    const char *name; // copied; NULL: nameless
    int termCount;    // 0: all that it hangs on is known
    const int *index; // [termCount], unknown coordinates; the same one may come twice
    const double *weight;
    const double *target; // [width]
    const double *offset; // [width], what known coordinates add; NULL: nothing
} snConstraintDef;

typedef enum snConstraintState {
    SN_CONSTRAINT_MET,         // independent of those before it, and met
    SN_CONSTRAINT_REDUNDANT,   // implied by others, and met with them
    SN_CONSTRAINT_CONFLICTING, // contradicts others: left out, or met in part by least squares
} snConstraintState;

typedef struct snConstraintReport {
    int handle;
    const char *name; // lives as long as the constraint
    snConstraintState state;
    double miss;     // how far from its target it is left, the largest over the width
    snError message; // a sentence for people; its code is SN_OK unless in conflict
} snConstraintReport;

// Changed by Add, Move, Remove, Restore and Prepare alone. A handle is a place, 0 ... capacity - 1,
// and is used again after Remove.
typedef struct snConstraintSet {
    snArena arena;
    snConstraintSetDef def;
    int sides; // columns that A sees apart: width when block is 1, else lanes
    // What the user asked for: one block, so that saving is a copy.
    void *block;
    size_t blockSize; // bytes
    void *spare;      // scratch of Restore, as large
    int *count;       // constraints in the set
    int *order;       // [capacity] handles, in order of addition
    int *used;        // [capacity] by handle, 1: there is one
    int *termCount;   // [capacity]
    int *index;       // [capacity * mostTerms]
    double *weight;   // [capacity * mostTerms]
    double *target;   // [capacity * width]
    double *offset;   // [capacity * width]
    char *name;       // [capacity * SN_CONSTRAINT_NAME]
    double *column;   // [capacity][block][block * size], W = A⁻¹ cᵀ, solved by Add
    // Coordinates in which the column is not zero: SN_CONSTRAINT_RUNS times [first, end), empty ones last.
    int *runs;    // [capacity * SN_CONSTRAINT_RUNS * 2]
    double *unit; // [block * size], scratch of Add
    // snConstraintSet_Prepare.
    int prepared;     // the first so many of `order` are in the factor
    int kept;         // of these, so many are independent: they have a rank
    int *rank;        // [capacity] by handle; -1: depends on constraints before it
    int *keptHandle;  // [capacity] by rank
    double *lower;    // [capacity * block][capacity * block], L of S = L Lᵀ, rows by rank
    int *lead;        // [capacity * block], zeros that a row of L begins with
    snRowFactor rows; // of the same S, if `sparse`
    bool
        rowsServe; // S is solved with by them: there are no constraints that nearly depend on others
    double *expansion; // [capacity][capacity], dependent ones: c = Σ_rank α c_rank
    double *normal;    // [kept * kept], least squares: factor of I + Σ α αᵀ
    bool normalStale;
    double *alpha;   // [block][capacity * block], scratch: α of one constraint, by component
    double *residue; // [block][block * size], scratch: c - Σ α c
    int *support;    // [block * size], scratch: where it is not zero
    double *right;   // [capacity * width], a = target - offset
    snConstraintState *state; // [capacity]
    double *miss;             // [capacity]
    double *scratch;          // snConstraintSet_ScratchSize
    // What was done, for tests and reports.
    int64_t columnsSolved; // back-substitutions with A: `block` per constraint added
    int64_t rowsFactored;  // constraints brought into the factor of S, again or for the first time
} snConstraintSet;

snStatus snConstraintSet_Make(snConstraintSet **set, const snConstraintSetDef *def,
                              const snContext *context, snError *error);
void snConstraintSet_Destroy(snConstraintSet *set); // accepts NULL

// These allocate nothing. Numbers that are not finite, too many terms, a full set and handles that
// are not there are errors, and leave the set as it was. `offset` may be NULL: it stays as it is.
snStatus snConstraintSet_Add(snConstraintSet *set, const snConstraintDef *def, int *handle,
                             snError *error);
snStatus snConstraintSet_Move(snConstraintSet *set, int handle, const double *target,
                              const double *offset, snError *error);
snStatus snConstraintSet_Remove(snConstraintSet *set, int handle, snError *error);
// Other terms for a constraint, or the same ones when A itself has changed: its column is solved anew.
// Name, place in the order, target and offset stay. Fails like Add, and leaves the set as it was but for
// a column that is not finite.
snStatus snConstraintSet_SetTerms(snConstraintSet *set, int handle, int termCount, const int *index,
                                  const double *weight, snError *error);
// Solves all columns anew, when A itself has changed. Fails where some are not finite.
snStatus snConstraintSet_Refresh(snConstraintSet *set, snError *error);
bool snConstraintSet_Has(const snConstraintSet *set, int handle);

// Brings the factor of S up to date (rows of what was added, and those after what was removed) and
// judges the targets. Call it after changes, before what follows here. Returns how many constraints
// are in conflict.
int snConstraintSet_Prepare(snConstraintSet *set);

// x += A⁻¹ Cᵀ S⁻¹ (a - C x) for x of [size * width]. `right` is [capacity * width] by handle, for
// instance set->right; NULL stands for zeros and gives the projection onto directions that keep all
// constraints, which is the one that is orthogonal in the norm of A. `scratch` has
// snConstraintSet_ScratchSize doubles.
size_t snConstraintSet_ScratchSize(const snConstraintSet *set);
void snConstraintSet_Correct(const snConstraintSet *set, const double *right, double *x,
                             double *scratch);

// What the independent constraints are to be, by rank, [kept][block][sides]: their own right-hand
// sides, or the best of all (leastSquares). `right` NULL: zeros. `work` has `capacity` doubles.
void snConstraintSet_Goals(const snConstraintSet *set, const double *right, double *goals,
                           double *work);

// S λ = r in place, for block 1 and `width` numbers for every independent constraint, by rank.
void snConstraintSet_SolveSchur(const snConstraintSet *set, int width, double *r);

// value[width] = Σ w x of one constraint, without its offset.
void snConstraintSet_Value(const snConstraintSet *set, int handle, const double *x, double *value);

// Terms of the independent constraint of a rank.
typedef struct snConstraintTerms {
    int count;
    const int *index;
    const double *weight;
} snConstraintTerms;

static inline snConstraintTerms snConstraintSet_TermsOf(const snConstraintSet *set, int rank)
{
    int handle = set->keptHandle[rank];
    size_t first = (size_t)handle * (size_t)set->def.mostTerms;
    return (snConstraintTerms){set->termCount[handle], set->index + first, set->weight + first};
}

// The report of the constraint that was added position-th (0 ... count - 1), as of Prepare.
snConstraintReport snConstraintSet_Report(const snConstraintSet *set, int position);

// Those that a constraint depends on, or (least squares) that depend on it: at most `most` handles,
// the largest coefficients first. Returns how many.
int snConstraintSet_Partners(const snConstraintSet *set, int handle, int most, int *partners);

// Constraints and targets as blockSize bytes. Restoring needs a set made with the same numbers; it
// solves columns of those constraints alone that the set does not have now, and wants Prepare.
void snConstraintSet_Save(const snConstraintSet *set, void *bytes);
snStatus snConstraintSet_Restore(snConstraintSet *set, const void *bytes, snError *error);

#endif
