// What the files of this room share among themselves.
#ifndef SN_CONSTRAINT_PARTS_H
#define SN_CONSTRAINT_PARTS_H

#include "constraint/constraint.h"

#define SN_CONSTRAINT_DOUBT                                                                        \
    1e-8 // pivots below this share of what cancels in them are found with care

// W of a constraint: component d of its right-hand side, [block * size].
static inline double *snConstraintColumn(const snConstraintSet *set, int handle, int d)
{
    size_t block = (size_t)set->def.block;
    return set->column + ((size_t)handle * block + (size_t)d) * block * (size_t)set->def.size;
}

// Where a constraint's column is not zero: pairs [first, end).
static inline int *snConstraintRuns(const snConstraintSet *set, int handle)
{
    return set->runs + 2 * SN_CONSTRAINT_RUNS * (size_t)handle;
}

// Row of L for component d of the constraint of a rank.
static inline double *snConstraintLower(const snConstraintSet *set, int rank, int d)
{
    size_t stride = (size_t)set->def.capacity * (size_t)set->def.block;
    return set->lower + ((size_t)rank * (size_t)set->def.block + (size_t)d) * stride;
}

// α of a constraint that depends on others, by rank.
static inline double *snConstraintExpansion(const snConstraintSet *set, int handle)
{
    return set->expansion + (size_t)handle * (size_t)set->def.capacity;
}

static inline char *snConstraintName(const snConstraintSet *set, int handle)
{
    return set->name + (size_t)handle * SN_CONSTRAINT_NAME;
}

// L y = x and Lᵀ y = x, in place, for L of the first `count` rows.
void snConstraintSet_SolveForward(const snConstraintSet *set, int count, double *x);
void snConstraintSet_SolveBackward(const snConstraintSet *set, int count, double *x);

// Component e of a constraint times a vector of A: entries of S where that is a column.
double snConstraintSet_Product(const snConstraintSet *set, int handle, const double *vector, int e);

// How a constraint hangs on those that are kept (expansion.c): its rows of L to the left of the
// diagonal at rank `kept`, its α, and the lower triangle of what is left of its block S_kk,
// column-major. False when it depends on them.
bool snConstraintSet_Expand(snConstraintSet *set, int handle, double left[9]);

#endif
