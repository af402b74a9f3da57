#include "body/skin/mesh.h"

#include "core/error.h"
#include "numerics/cg.h"

// With V the means (fine from coarse), A the areas and d the fine values, c minimises (V c - d)ᵀ A (V c - d):
//     Vᵀ A V c = Vᵀ A d.
// V 1 = 1, so 1ᵀ times this is 1ᵀ A V c = 1ᵀ A d: the sum over the surface is kept. And d = V c' gives c = c'. The matrix
// is that of masses of hat functions, whose condition after scaling by its diagonal is small at any resolution: a few dozen rounds of
// conjugate gradients. At jumps of d, c goes beyond it by a few percent of the jump; half a jump beyond it is cut off.

typedef struct Normal {
    const snSkinFit *fit;
    double *middle;   // [fine]
    double *diagonal; // [coarse]
} Normal;

static void spread(const snSkinFit *fit, const double *coarse, double *fine)
{
    for (int j = 0; j < fit->fine; j++) {
        const snSkinBlend *b = &fit->blend[j];
        double sum = 0;
        for (int k = 0; k < 4; k++)
            if (b->weight[k] != 0) sum += b->weight[k] * coarse[b->parent[k]];
        fine[j] = sum;
    }
}

static void gather(const snSkinFit *fit, const double *fine, double *coarse)
{
    for (int i = 0; i < fit->coarse; i++)
        coarse[i] = 0;
    for (int j = 0; j < fit->fine; j++) {
        const snSkinBlend *b = &fit->blend[j];
        for (int k = 0; k < 4; k++)
            coarse[b->parent[k]] += b->weight[k] * fit->area[j] * fine[j];
    }
}

static void multiply(void *user, const double *x, double *y)
{
    const Normal *n = user;
    spread(n->fit, x, n->middle);
    gather(n->fit, n->middle, y);
}

static void scale(void *user, const double *x, double *y)
{
    const Normal *n = user;
    for (int i = 0; i < n->fit->coarse; i++)
        y[i] = n->diagonal[i] > 0 ? x[i] / n->diagonal[i] : x[i];
}

static void findDiagonal(const Normal *n)
{
    for (int j = 0; j < n->fit->fine; j++) {
        const snSkinBlend *b = &n->fit->blend[j];
        for (int k = 0; k < 4; k++)
            n->diagonal[b->parent[k]] += b->weight[k] * b->weight[k] * n->fit->area[j];
    }
}

snStatus snSkinFit_Solve(const snSkinFit *fit, const double *values, double *fitted,
                         snArena *scratch, snError *error)
{
    Normal n = {fit, SN_NEW(scratch, double, fit->fine), SN_NEW(scratch, double, fit->coarse)};
    double *right = SN_NEW(scratch, double, fit->coarse);
    double *work = SN_NEW(scratch, double, snCg_ScratchSize(fit->coarse));
    if (!n.middle || !n.diagonal || !right || !work) return snFailMemory(error);
    double low = INFINITY, high = -INFINITY;
    for (int j = 0; j < fit->fine; j++) {
        low = values[j] < low ? values[j] : low;
        high = values[j] > high ? values[j] : high;
    }
    findDiagonal(&n);
    gather(fit, values, right);
    snCgDef def = snDefaultCgDef();
    snCgResult result;
    def.size = fit->coarse;
    def.matrix = (snOperator){multiply, &n};
    def.preconditioner = (snOperator){scale, &n};
    def.tolerance = 1e-13;
    def.maxIterations = 200;
    snStatus status = low < high ? snCg_Solve(&def, right, fitted, work, &result, error) : SN_OK;
    double below = low - 0.5 * (high - low), above = high + 0.5 * (high - low);
    if (low >= 0 && below < 0.5 * low) below = 0.5 * low; // what is positive stays so
    for (int i = 0; i < fit->coarse && !status; i++)
        fitted[i] = low == high ? low : fmin(fmax(fitted[i], below), above);
    return status;
}
