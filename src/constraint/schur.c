// The factor of S = C A⁻¹ Cᵀ, one row after another, and what becomes of the targets.
//
// With W_k = A⁻¹ c_kᵀ, entry (k, j) is c_j W_k. L of
// S = L Lᵀ is made by rows, in the order in which constraints were added; one that depends on those
// before it (expansion.c) is left out.
//
// Pivoting by size, the usual way to reveal the rank, would keep whichever of two equal constraints
// comes out longer by a rounding error. In order of addition it is always the later one that is left
// out, the measure does not depend on how weights are scaled, and row k depends on rows before it
// alone: a constraint that is added costs one row, one that is removed the rows after it, and L has
// the bits of a factor made afresh.
#include "constraint/parts.h"

#include "numerics/dense.h"

#include <math.h>
#include <string.h>

static void addToFactor(snConstraintSet *set, int handle)
{
    int block = set->def.block, before = set->kept * block;
    double left[9] = {0};
    bool independent = snConstraintSet_Expand(set, handle, left);
    set->rowsFactored++;
    set->rank[handle] = -1;
    if (!independent || snDenseCholesky(block, left, NULL)) return;
    for (int d = 0; d < block; d++)
        for (int e = 0; e <= d; e++)
            snConstraintLower(set, set->kept, d)[before + e] = left[e * block + d];
    for (int d = 0; d < block; d++) {
        int *lead = &set->lead[before + d];
        for (*lead = 0; *lead < before && snConstraintLower(set, set->kept, d)[*lead] == 0;)
            ++*lead;
    }
    set->rank[handle] = set->kept;
    set->keptHandle[set->kept++] = handle;
}

// S of the independent constraints in an order of little fill. Where one of them nearly depends on others its pivot is
// found with care (expansion.c), in the order of addition alone: then S is solved with in that order.
static void makeRows(snConstraintSet *set)
{
    set->rowsServe = false;
    if (!set->def.sparse) return;
    snRowFactor_Begin(&set->rows);
    for (int i = 0; i < set->kept; i++) {
        const double *column = snConstraintColumn(set, set->keptHandle[i], 0);
        snRowFactor_AddRow(&set->rows);
        for (int j = 0; j < i; j++) {
            double s = snConstraintSet_Product(set, set->keptHandle[j], column, 0);
            if (s != 0) snRowFactor_AddEntry(&set->rows, j, s);
        }
        snRowFactor_SetDiagonal(&set->rows,
                                snConstraintSet_Product(set, set->keptHandle[i], column, 0));
    }
    set->rowsServe = snRowFactor_Compute(&set->rows, 0) > SN_CONSTRAINT_DOUBT;
}

// Least squares (correct.c): N = I + Σ α αᵀ over the dependent constraints, factored.
static void makeNormal(snConstraintSet *set)
{
    int n = set->kept;
    set->normalStale = false;
    if (!set->def.leastSquares || n == 0) return;
    memset(set->normal, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++)
        set->normal[i * n + i] = 1;
    for (int p = 0; p < *set->count; p++) {
        if (set->rank[set->order[p]] >= 0) continue;
        const double *alpha = snConstraintExpansion(set, set->order[p]);
        for (int j = 0; j < n; j++)
            for (int i = j; i < n; i++)
                set->normal[(size_t)j * (size_t)n + (size_t)i] += alpha[i] * alpha[j];
    }
    snDenseCholesky(n, set->normal, NULL); // at least the identity: cannot fail
}

static double largest(int count, const double *values)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(values[i]));
    return most;
}

// How large the numbers are that a constraint's target is compared with.
static double sizeOf(const snConstraintSet *set, int handle)
{
    size_t at = (size_t)handle * (size_t)set->def.width;
    return largest(set->def.width, set->target + at) + largest(set->def.width, set->offset + at);
}

// A constraint against what it comes to when the independent ones are at their goals.
static void judge(snConstraintSet *set, int handle, const double *goals)
{
    const double *right = set->right + (size_t)handle * (size_t)set->def.width;
    const double *alpha = snConstraintExpansion(set, handle);
    int rank = set->rank[handle], sides = set->sides, count = set->def.block * sides;
    double scale = sizeOf(set, handle), miss = 0;
    for (int r = 0; r < set->kept && rank < 0; r++)
        scale += fabs(alpha[r]) * sizeOf(set, set->keptHandle[r]);
    for (int i = 0; i < count; i++) { // number c * sides + s of the width, for both kinds of block
        double value = rank >= 0 ? goals[rank * count + i] : 0;
        for (int r = 0; r < set->kept && rank < 0; r++)
            value += alpha[r] * goals[r * count + i];
        miss = fmax(miss, fabs(right[i] - value));
    }
    set->miss[handle] = miss;
    set->state[handle] = miss > set->def.agreement * fmax(scale, set->def.least)
                             ? SN_CONSTRAINT_CONFLICTING
                         : rank < 0 ? SN_CONSTRAINT_REDUNDANT
                                    : SN_CONSTRAINT_MET;
}

int snConstraintSet_Prepare(snConstraintSet *set)
{
    int conflicts = 0, width = set->def.width;
    bool changed = set->prepared < *set->count || set->normalStale;
    for (; set->prepared < *set->count; set->prepared++)
        addToFactor(set, set->order[set->prepared]);
    if (changed) makeNormal(set);
    if (changed) makeRows(set);
    for (int i = 0; i < set->def.capacity * width; i++)
        set->right[i] = set->target[i] - set->offset[i];
    double *goals = set->scratch;
    double *work = goals + (size_t)set->def.capacity * (size_t)(set->def.block * set->sides);
    snConstraintSet_Goals(set, set->right, goals, work);
    for (int p = 0; p < *set->count; p++) {
        judge(set, set->order[p], goals);
        conflicts += set->state[set->order[p]] == SN_CONSTRAINT_CONFLICTING;
    }
    return conflicts;
}
