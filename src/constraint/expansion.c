// How a constraint hangs on those before it.
//
// With s the entries of its row of S before the diagonal, L the factor so far and c_j the
// constraints in it,
//     l = L⁻¹ s,      Lᵀ α = l,      pivot = S_kk - |l|² = |c - Σ_j α_j c_j|²
// in the norm of A⁻¹: Σ α_j c_j is the part of c along the others, pivot / S_kk is sin² of its angle
// to them, and below tolerance² the constraint depends on them.
//
// The difference S_kk - |l|² is only known to the rounding of the numbers that cancel in it, which
// are as large as S_kk + Σ α_j² S_jj. Where it is not well above that, α is improved and the pivot
// found anew without the squares (Björck, "Stability analysis of the method of seminormal equations
// for linear least squares problems", 1987):
//     ρ = c - Σ α_j c_j,      S δ = C A⁻¹ ρᵀ,      α += δ        (C A⁻¹ ρᵀ: W of the others times ρ)
//     pivot = ρ (W - Σ α_j W_j)
// ρ is computed from the weights themselves, so both factors of the pivot are small where c depends
// on the others: four points of a cell, and a fifth one between them, are told apart from five that
// merely stand close together.
//
// With 3x3 blocks in A there are three such rows, one for each component, and α has 3x3 blocks. They
// are kept or left out together, by the smallest uᵀ P u / uᵀ S_kk u over all u, P the block that
// stands for the pivot. C has the same weights for the three, so the blocks of α are multiples of the
// identity where the constraint depends on others; that multiple is what is stored.
#include "constraint/parts.h"

#include "numerics/dense.h"

#include <string.h>

#define IMPROVES 2 // of α

// Zeros at the begin of x and of rows are left out.
void snConstraintSet_SolveForward(const snConstraintSet *set, int count, double *x)
{
    size_t stride = (size_t)set->def.capacity * (size_t)set->def.block;
    int first = 0;
    while (first < count && x[first] == 0)
        first++;
    for (int q = first; q < count; q++) {
        const double *row = set->lower + (size_t)q * stride;
        double sum = x[q];
        for (int t = set->lead[q] > first ? set->lead[q] : first; t < q; t++)
            sum -= row[t] * x[t];
        x[q] = sum / row[q];
    }
}

void snConstraintSet_SolveBackward(const snConstraintSet *set, int count, double *x)
{
    size_t stride = (size_t)set->def.capacity * (size_t)set->def.block;
    for (int q = count - 1; q >= 0; q--) {
        const double *row = set->lower + (size_t)q * stride;
        x[q] /= row[q];
        for (int t = set->lead[q]; t < q && x[q] != 0; t++)
            x[t] -= row[t] * x[q];
    }
}

static double *alphaOf(const snConstraintSet *set, int d)
{
    return set->alpha + (size_t)d * (size_t)set->def.capacity * (size_t)set->def.block;
}

static double *residueOf(const snConstraintSet *set, int d)
{
    return set->residue + (size_t)d * (size_t)set->def.block * (size_t)set->def.size;
}

double snConstraintSet_Product(const snConstraintSet *set, int handle, const double *vector, int e)
{
    size_t first = (size_t)handle * (size_t)set->def.mostTerms;
    double sum = 0;
    for (int t = 0; t < set->termCount[handle]; t++) {
        size_t at = first + (size_t)t;
        sum += set->weight[at] * vector[set->index[at] * set->def.block + e];
    }
    return sum;
}

// vector += factor times component e of a constraint.
static void addRow(const snConstraintSet *set, int handle, double factor, int e, double *vector)
{
    size_t first = (size_t)handle * (size_t)set->def.mostTerms;
    for (int t = 0; t < set->termCount[handle]; t++) {
        size_t at = first + (size_t)t;
        vector[set->index[at] * set->def.block + e] += factor * set->weight[at];
    }
}

// size += factor S_kk, lower triangle.
static void addOwn(const snConstraintSet *set, int handle, double factor, double *size)
{
    int block = set->def.block;
    for (int d = 0; d < block; d++)
        for (int e = 0; e <= d; e++)
            size[e * block + d] += factor * snConstraintSet_Product(
                                                set, handle, snConstraintColumn(set, handle, d), e);
}

// The smallest uᵀ P u / uᵀ M u: the smallest eigenvalue of G⁻¹ P G⁻ᵀ, M = G Gᵀ. Lower triangles of
// 3x3 (or 1x1) matrices, column-major. 0 when M is not positive definite.
static double smallestShare(int n, const double *size, const double *p)
{
    double g[9], m[9], values[3], vectors[9], work[3];
    memcpy(g, size, sizeof g);
    if (snDenseCholesky(n, g, NULL)) return 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            m[j * n + i] = i >= j ? p[j * n + i] : p[i * n + j];
    for (int j = 0; j < n; j++) // G⁻¹ from the left
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < i; k++)
                m[j * n + i] -= g[k * n + i] * m[j * n + k];
            m[j * n + i] /= g[i * n + i];
        }
    for (int i = 0; i < n; i++) // and G⁻ᵀ from the right
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < j; k++)
                m[j * n + i] -= g[k * n + j] * m[k * n + i];
            m[j * n + i] /= g[j * n + j];
        }
    if (snSymmetricEigen(n, m, values, vectors, work, NULL)) return 0;
    return values[n - 1];
}

// l, α and S_kk - l lᵀ.
static void expandFirst(snConstraintSet *set, int handle, double *left)
{
    int block = set->def.block, before = set->kept * block;
    for (int d = 0; d < block; d++) {
        double *row = snConstraintLower(set, set->kept, d);
        const double *column = snConstraintColumn(set, handle, d);
        for (int r = 0; r < set->kept; r++)
            for (int e = 0; e < block; e++)
                row[r * block + e] = snConstraintSet_Product(set, set->keptHandle[r], column, e);
        snConstraintSet_SolveForward(set, before, row);
        memcpy(alphaOf(set, d), row, (size_t)before * sizeof *row);
        snConstraintSet_SolveBackward(set, before, alphaOf(set, d));
        for (int e = 0; e <= d; e++) {
            const double *other = snConstraintLower(set, set->kept, e);
            double sum = snConstraintSet_Product(set, handle, column, e);
            for (int q = 0; q < before; q++)
                sum -= row[q] * other[q];
            left[e * block + d] = sum;
        }
    }
}

// The size of what cancels in the pivot: S_kk + Σ_j α_j² S_jj, with the squares of α summed over
// components.
static void addCancelled(const snConstraintSet *set, double *size)
{
    int block = set->def.block;
    for (int r = 0; r < set->kept; r++) {
        double square = 0;
        for (int d = 0; d < block; d++)
            for (int e = 0; e < block; e++)
                square += alphaOf(set, d)[r * block + e] * alphaOf(set, d)[r * block + e];
        addOwn(set, set->keptHandle[r], square / block, size);
    }
}

// ρ of component d.
static void makeResidue(snConstraintSet *set, int handle, int d)
{
    int block = set->def.block;
    double *residue = residueOf(set, d);
    memset(residue, 0, (size_t)block * (size_t)set->def.size * sizeof *residue);
    addRow(set, handle, 1, d, residue);
    for (int q = 0; q < set->kept * block; q++)
        addRow(set, set->keptHandle[q / block], -alphaOf(set, d)[q], q % block, residue);
}

// Where ρ of component d is not zero: in few places.
static int findSupport(snConstraintSet *set, int d)
{
    const double *residue = residueOf(set, d);
    int count = 0, unknowns = set->def.block * set->def.size;
    for (int i = 0; i < unknowns; i++)
        if (residue[i] != 0) set->support[count++] = i;
    return count;
}

// α += δ for component d; `work` has kept * block doubles.
static void improve(snConstraintSet *set, int handle, int d, double *work)
{
    int block = set->def.block, rows = set->kept * block;
    makeResidue(set, handle, d);
    const double *residue = residueOf(set, d);
    int count = findSupport(set, d);
    for (int q = 0; q < rows; q++) {
        const double *column = snConstraintColumn(set, set->keptHandle[q / block], q % block);
        work[q] = 0;
        for (int k = 0; k < count; k++)
            work[q] += residue[set->support[k]] * column[set->support[k]];
    }
    snConstraintSet_SolveForward(set, rows, work);
    snConstraintSet_SolveBackward(set, rows, work);
    for (int q = 0; q < rows; q++)
        alphaOf(set, d)[q] += work[q];
}

// ρ_d A⁻¹ ρ_eᵀ, with A⁻¹ ρ_eᵀ = W - Σ α W_j at the `count` places where ρ_d is not zero.
static double residueProduct(snConstraintSet *set, int handle, int d, int e, int count)
{
    int block = set->def.block;
    const double *residue = residueOf(set, d), *own = snConstraintColumn(set, handle, e);
    double *moved = set->unit, sum = 0;
    for (int k = 0; k < count; k++)
        moved[k] = own[set->support[k]];
    for (int q = 0; q < set->kept * block; q++) {
        const double *column = snConstraintColumn(set, set->keptHandle[q / block], q % block);
        double alpha = alphaOf(set, e)[q];
        for (int k = 0; k < count; k++)
            moved[k] -= alpha * column[set->support[k]];
    }
    for (int k = 0; k < count; k++)
        sum += residue[set->support[k]] * moved[k];
    return sum;
}

// The same as expandFirst, with all the accuracy that there is: l = Lᵀ α follows α.
static void expandAgain(snConstraintSet *set, int handle, double *left)
{
    int block = set->def.block, rows = set->kept * block;
    for (int d = 0; d < block; d++) {
        double *l = snConstraintLower(set, set->kept, d);
        for (int k = 0; k < IMPROVES; k++)
            improve(set, handle, d, l); // l serves as scratch until it is set
        makeResidue(set, handle, d);
        memset(l, 0, (size_t)rows * sizeof *l);
        for (int q = 0; q < rows; q++) {
            const double *row = snConstraintLower(set, q / block, q % block);
            for (int t = set->lead[q]; t <= q; t++)
                l[t] += row[t] * alphaOf(set, d)[q];
        }
    }
    for (int d = 0; d < block; d++) {
        int count = findSupport(set, d);
        for (int e = 0; e <= d; e++)
            left[e * block + d] = residueProduct(set, handle, d, e, count);
    }
}

bool snConstraintSet_Expand(snConstraintSet *set, int handle, double left[9])
{
    int block = set->def.block;
    double own[9] = {0}, size[9], *stored = snConstraintExpansion(set, handle);
    addOwn(set, handle, 1, own);
    memcpy(size, own, sizeof size);
    expandFirst(set, handle, left);
    addCancelled(set, size);
    if (!(smallestShare(block, size, left) > SN_CONSTRAINT_DOUBT)) expandAgain(set, handle, left);
    memset(stored, 0, (size_t)set->def.capacity * sizeof *stored);
    for (int r = 0; r < set->kept; r++)
        for (int d = 0; d < block; d++)
            stored[r] += alphaOf(set, d)[r * block + d] / block;
    return smallestShare(block, own, left) > set->def.tolerance * set->def.tolerance;
}
