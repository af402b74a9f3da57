// Sparse Cholesky, A = L Lᵀ, in three parts: symbolic (ordering and structure, once per pattern),
// numeric (values, once per matrix), solve (allocates nothing; several right-hand sides at once).
// Same input, same bits, on every machine and for any number of threads.
#ifndef SN_NUMERICS_CHOLESKY_H
#define SN_NUMERICS_CHOLESKY_H

#include "numerics/sparse.h"

typedef struct snSymbolic snSymbolic;
typedef struct snFactor snFactor;

typedef enum snOrdering {
    SN_ORDER_AUTO, // AMD, or dissection for large systems where it has less fill
    SN_ORDER_AMD,
    SN_ORDER_DISSECTION,
    SN_ORDER_NATURAL,
} snOrdering;

// Both live in the arena.
snStatus snSymbolic_Make(snSymbolic **symbolic, const snPattern *pattern, int block,
                         snOrdering ordering, snArena *arena, snError *error);
snStatus snFactor_Make(snFactor **factor, const snSymbolic *symbolic, snArena *arena,
                       snError *error);

// Computes the values of L. Fails with SN_ERROR_NUMERIC naming the row where A is not positive
// definite. May be repeated with new values; allocates nothing.
snStatus snFactor_Compute(snFactor *factor, const snSparse *matrix, snError *error);

// order[k] is the row of A (in blocks) that is eliminated k-th. Callers that keep their own
// vectors in this order (hot loops) use snFactor_SolveOrdered and save the permutation.
const int *snSymbolic_Order(const snSymbolic *symbolic);
int64_t snSymbolic_NonZeros(const snSymbolic *symbolic); // doubles in L, padding included
int64_t snFactor_NonZeros(const snFactor *factor);       // the same
const int *snFactor_Order(const snFactor *factor);

// Solves A x = b in place for `width` interleaved right-hand sides: component i (scalar row) of
// side r is x[i * width + r]. `scratch` has snFactor_ScratchSize(factor, width) doubles.
size_t snFactor_ScratchSize(const snFactor *factor, int width);
void snFactor_Solve(const snFactor *factor, int width, double *x, double *scratch);

// The same with x given and returned in elimination order.
void snFactor_SolveOrdered(const snFactor *factor, int width, double *x, double *scratch);

// The same for rows (x, y, z, 0): three sides, four apart. Scratch as for width 4.
void snFactor_SolveRows(const snFactor *factor, double *x, double *scratch);

// Rounds the values of a computed factor to a copy in single precision, half as much to read. The
// second solves with it as the function above does: x is rounded, and so is the solution.
snStatus snFactor_MakeSingle(snFactor *factor, snArena *arena, snError *error);
void snFactor_SolveRowsSingle(const snFactor *factor, double *x, double *scratch);
void snFactor_SolveOrderedSingle(const snFactor *factor, int width, double *x, double *scratch);

// A factor of the rounded values alone, on the same symbolic part: it solves in single precision only.
snStatus snFactor_KeepSingle(snFactor **single, const snFactor *factor, snArena *arena,
                             snError *error);

#endif
