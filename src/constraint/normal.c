#include "constraint/normal.h"

#include "core/error.h"

#include <math.h>
#include <string.h>

// Of a pivot, the squared sine of a row's angle to others, of which rounding leaves 1e-16: what a round leaves.
#define STEEP 1e-3      // below it two rounds
#define STEEPER 1e-8    // below it four
#define DEPENDENT 1e-14 // below it a row is left out

snStatus snConstraintNormal_Make(snConstraintNormal **out, const snConstraintSet *set,
                                 const snContext *context, snError *error)
{
    size_t capacity = (size_t)set->def.capacity;
    snArena arena = snMakeArena(context);
    snConstraintNormal *normal = SN_NEW(&arena, snConstraintNormal, 1);
    *out = NULL;
    SN_ASSERT(set->def.block == 1 && set->def.width == 4);
    if (!normal) return snFailMemory(error);
    normal->set = set;
    bool made = snRowFactor_Make(&normal->factor, set->def.capacity, &arena);
    normal->scale = SN_NEW(&arena, double, capacity);
    normal->row = SN_NEW(&arena, double, set->def.size);
    normal->r = SN_NEW(&arena, double, capacity * 4);
    normal->arena = arena;
    if (!made || !normal->scale || !normal->row || !normal->r) {
        snConstraintNormal_Destroy(normal);
        return snFailMemory(error);
    }
    *out = normal;
    return SN_OK;
}

void snConstraintNormal_Destroy(snConstraintNormal *normal)
{
    if (!normal) return;
    snArena_DestroyWithin(&normal->arena);
}

// Row i of C Cᵀ up to its diagonal; `row` holds c_i.
static void addRow(snConstraintNormal *normal, int i)
{
    snConstraintTerms own = snConstraintSet_TermsOf(normal->set, i);
    double length = 0;
    for (int t = 0; t < own.count; t++)
        normal->row[own.index[t]] += own.weight[t];
    for (int t = 0; t < own.count; t++)
        length += own.weight[t] * normal->row[own.index[t]];
    normal->scale[i] = length > 0 ? 1 / sqrt(length) : 0;
    snRowFactor_AddRow(&normal->factor);
    for (int j = 0; j <= i; j++) {
        snConstraintTerms other = snConstraintSet_TermsOf(normal->set, j);
        double sum = 0;
        for (int t = 0; t < other.count; t++)
            sum += other.weight[t] * normal->row[other.index[t]];
        sum *= normal->scale[i] * normal->scale[j];
        if (j == i)
            snRowFactor_SetDiagonal(&normal->factor, sum);
        else if (sum != 0)
            snRowFactor_AddEntry(&normal->factor, j, sum);
    }
    for (int t = 0; t < own.count; t++)
        normal->row[own.index[t]] = 0;
}

void snConstraintNormal_Update(snConstraintNormal *normal)
{
    normal->count = normal->set->kept;
    snRowFactor_Begin(&normal->factor);
    for (int i = 0; i < normal->count; i++)
        addRow(normal, i);
    double least = snRowFactor_Compute(&normal->factor, DEPENDENT);
    normal->rounds = least < STEEPER ? 4 : least < STEEP ? 2 : 1;
}

// ---- applying it --------------------------------------------------------------------------------

// r = C x, by ranks.
static void multiply(const snConstraintNormal *normal, const double *x)
{
    for (int i = 0; i < normal->count; i++) {
        snConstraintTerms c = snConstraintSet_TermsOf(normal->set, i);
        double sum[4] = {0};
        for (int t = 0; t < c.count; t++)
            for (int s = 0; s < 4; s++)
                sum[s] += c.weight[t] * x[4 * (size_t)c.index[t] + (size_t)s];
        for (int s = 0; s < 4; s++)
            normal->r[4 * (size_t)i + (size_t)s] = normal->scale[i] * sum[s];
    }
}

// x -= Cᵀ λ.
static void takeOff(const snConstraintNormal *normal, double *x)
{
    for (int i = 0; i < normal->count; i++) {
        snConstraintTerms c = snConstraintSet_TermsOf(normal->set, i);
        const double *lambda = normal->r + 4 * (size_t)i;
        for (int t = 0; t < c.count; t++)
            for (int s = 0; s < 4; s++)
                x[4 * (size_t)c.index[t] + (size_t)s] -= normal->scale[i] * c.weight[t] * lambda[s];
    }
}

void snConstraintNormal_Apply(snConstraintNormal *normal, double *x)
{
    for (int round = 0; round < normal->rounds; round++) {
        multiply(normal, x);
        snRowFactor_Solve(&normal->factor, normal->r);
        takeOff(normal, x);
    }
}
