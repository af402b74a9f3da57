// From an answer without constraints to the one with them.
//
// Let x be any vector and y the one nearest to it, in the norm of A, that meets C y = a:
//     minimise ½ (y - x)ᵀ A (y - x)  with  C y = a
//     A (y - x) = Cᵀ λ,   C y = a      so      C A⁻¹ Cᵀ λ = a - C x,   y = x + A⁻¹ Cᵀ λ
// If x was the minimum of ½ xᵀ A x - bᵀ x, then y is its minimum among all that meet C y = a:
// A y - b = Cᵀ λ. With S = C A⁻¹ Cᵀ = L Lᵀ and W = A⁻¹ Cᵀ at hand this is
//     r = a - C x,   S λ = r,   x += W λ
// For a = 0 it is the projection P = I - W S⁻¹ C onto the vectors with C x = 0, P P = P; and P A⁻¹ is
// symmetric and not negative, which makes it the inverse to begin a quasi-Newton direction with.
//
// Dependent rows are not in L. With α of the dependent ones all rows are C = B C_kept, B the rows
// of the identity and the α. Where targets agree, the kept ones imply the rest. Where they do not,
// least squares over all constraints asks for the goals e of the kept ones with
//     |B e - a|² least:      (I + Σ α αᵀ) e = a_kept + Σ α a_dependent
// and x is then corrected towards e: of all x with the least |C x - a|² the nearest in the norm of A.
#include "constraint/parts.h"

#include "numerics/dense.h"

#include <string.h>

// Goals of all kept constraints, which become multipliers, and a column of work.
size_t snConstraintSet_ScratchSize(const snConstraintSet *set)
{
    size_t capacity = (size_t)set->def.capacity;
    return capacity * (size_t)(set->def.block * set->sides) + capacity;
}

// Goals by rank solved with N, one number of the width at a time.
static void shareConflicts(const snConstraintSet *set, const double *right, double *goals,
                           double *work)
{
    int count = set->def.block * set->sides, width = set->def.width, n = set->kept;
    for (int i = 0; i < count; i++) {
        for (int r = 0; r < n; r++)
            work[r] = goals[r * count + i];
        for (int p = 0; p < set->prepared; p++) {
            int handle = set->order[p];
            if (set->rank[handle] >= 0) continue;
            const double *alpha = snConstraintExpansion(set, handle);
            for (int r = 0; r < n; r++)
                work[r] += alpha[r] * right[handle * width + i];
        }
        snDenseCholesky_Solve(n, set->normal, work);
        for (int r = 0; r < n; r++)
            goals[r * count + i] = work[r];
    }
}

void snConstraintSet_Goals(const snConstraintSet *set, const double *right, double *goals,
                           double *work)
{
    size_t count = (size_t)(set->def.block * set->sides);
    for (int r = 0; r < set->kept; r++) {
        double *goal = goals + (size_t)r * count;
        if (right)
            memcpy(goal, right + (size_t)set->keptHandle[r] * (size_t)set->def.width,
                   count * sizeof *goal);
        else
            memset(goal, 0, count * sizeof *goal);
    }
    if (right && set->def.leastSquares && set->kept < set->prepared)
        shareConflicts(set, right, goals, work);
}

void snConstraintSet_Value(const snConstraintSet *set, int handle, const double *x, double *value)
{
    size_t first = (size_t)handle * (size_t)set->def.mostTerms, width = (size_t)set->def.width;
    memset(value, 0, width * sizeof *value);
    for (int t = 0; t < set->termCount[handle]; t++) {
        const double *at = x + (size_t)set->index[first + (size_t)t] * width;
        double weight = set->weight[first + (size_t)t];
        for (size_t i = 0; i < width; i++)
            value[i] += weight * at[i];
    }
}

// r = a - C x, over the goals. Number c * sides + s of a coordinate is component c of side s.
static void subtractValues(const snConstraintSet *set, const double *x, double *r)
{
    size_t count = (size_t)(set->def.block * set->sides), width = (size_t)set->def.width;
    for (int rank = 0; rank < set->kept; rank++) {
        int handle = set->keptHandle[rank];
        size_t first = (size_t)handle * (size_t)set->def.mostTerms;
        for (int t = 0; t < set->termCount[handle]; t++) {
            const double *at = x + (size_t)set->index[first + (size_t)t] * width;
            double weight = set->weight[first + (size_t)t];
            for (size_t i = 0; i < count; i++)
                r[(size_t)rank * count + i] -= weight * at[i];
        }
    }
}

// L Lᵀ λ = r in place: rows of `sides` numbers.
static void solveSmall(const snConstraintSet *set, size_t sides, double *r)
{
    size_t stride = (size_t)set->def.capacity * (size_t)set->def.block;
    int rows = set->kept * set->def.block;
    for (int q = 0; q < rows; q++) {
        const double *l = set->lower + (size_t)q * stride;
        double *own = r + (size_t)q * sides;
        for (int t = set->lead[q]; t < q; t++)
            for (size_t s = 0; s < sides; s++)
                own[s] -= l[t] * r[(size_t)t * sides + s];
        for (size_t s = 0; s < sides; s++)
            own[s] /= l[q];
    }
    for (int q = rows - 1; q >= 0; q--) {
        const double *l = set->lower + (size_t)q * stride;
        double *own = r + (size_t)q * sides;
        for (size_t s = 0; s < sides; s++)
            own[s] /= l[q];
        for (int t = set->lead[q]; t < q; t++)
            for (size_t s = 0; s < sides; s++)
                r[(size_t)t * sides + s] -= l[t] * own[s];
    }
}

void snConstraintSet_SolveSchur(const snConstraintSet *set, int width, double *r)
{
    if (set->rowsServe && width == 4)
        snRowFactor_Solve(&set->rows, r);
    else
        solveSmall(set, (size_t)width, r);
}

// x += W λ of one component of one constraint.
static void addColumn(const snConstraintSet *set, int rank, int d, const double *lambda, double *x)
{
    int handle = set->keptHandle[rank];
    const double *column = snConstraintColumn(set, handle, d);
    const int *run = snConstraintRuns(set, handle);
    size_t block = (size_t)set->def.block, sides = (size_t)set->sides;
    size_t width = (size_t)set->def.width;
    for (int k = 0; k < SN_CONSTRAINT_RUNS; k++)
        for (size_t i = (size_t)run[2 * k]; i < (size_t)run[2 * k + 1]; i++)
            for (size_t c = 0; c < block; c++)
                for (size_t s = 0; s < sides; s++)
                    x[i * width + c * sides + s] += column[i * block + c] * lambda[s];
}

// Whether columns of so many constraints from `rank` on are not zero in the same places.
static bool sameRuns(const snConstraintSet *set, int rank, int count)
{
    const int *own = snConstraintRuns(set, set->keptHandle[rank]);
    if (rank + count > set->kept) return false;
    for (int k = 1; k < count; k++)
        if (memcmp(own, snConstraintRuns(set, set->keptHandle[rank + k]),
                   2 * SN_CONSTRAINT_RUNS * sizeof *own))
            return false;
    return true;
}

// The same for one body on a scalar matrix, (x, y, z, 0): four constraints at a time from `rank` on,
// in loops that compilers unroll. Each number sees the additions of addColumn in the same order.
static void addFourColumns(const snConstraintSet *set, int rank, const double *lambda,
                           double *restrict x)
{
    const double *column[4];
    const int *run = snConstraintRuns(set, set->keptHandle[rank]);
    double l[4][4];
    for (int k = 0; k < 4; k++) {
        column[k] = snConstraintColumn(set, set->keptHandle[rank + k], 0);
        memcpy(l[k], lambda + (size_t)(rank + k) * 4, sizeof l[k]);
    }
    for (int r = 0; r < SN_CONSTRAINT_RUNS; r++)
        for (size_t i = (size_t)run[2 * r]; i < (size_t)run[2 * r + 1]; i++)
            for (size_t s = 0; s < 4; s++) {
                double sum = x[i * 4 + s];
                for (int k = 0; k < 4; k++)
                    sum += column[k][i] * l[k][s];
                x[i * 4 + s] = sum;
            }
}

void snConstraintSet_Correct(const snConstraintSet *set, const double *right, double *x,
                             double *scratch)
{
    int block = set->def.block;
    int rank = 0;
    double *r = scratch;
    double *work = r + (size_t)set->def.capacity * (size_t)(block * set->sides);
    snConstraintSet_Goals(set, right, r, work);
    subtractValues(set, x, r);
    snConstraintSet_SolveSchur(set, set->sides, r);
    while (rank < set->kept) {
        bool four = block == 1 && set->def.width == 4 && sameRuns(set, rank, 4);
        if (four) addFourColumns(set, rank, r, x);
        for (int d = 0; d < block && !four; d++)
            addColumn(set, rank, d, r + (size_t)(rank * block + d) * (size_t)set->sides, x);
        rank += four ? 4 : 1;
    }
}
