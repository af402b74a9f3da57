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
    normal->first = SN_NEW(&arena, int, capacity);
    normal->lower = SN_NEW(&arena, double, capacity *capacity);
    normal->scale = SN_NEW(&arena, double, capacity);
    normal->row = SN_NEW(&arena, double, set->def.size);
    normal->r = SN_NEW(&arena, double, capacity * 4);
    normal->arena = arena;
    if (!normal->first || !normal->lower || !normal->scale || !normal->row || !normal->r) {
        snConstraintNormal_Destroy(normal);
        return snFailMemory(error);
    }
    *out = normal;
    return SN_OK;
}

void snConstraintNormal_Destroy(snConstraintNormal *normal)
{
    if (!normal) return;
    snArena arena = normal->arena; // it lives in it itself
    snArena_Destroy(&arena);
}

static double *lowerOf(const snConstraintNormal *normal, int rank)
{
    return normal->lower + (size_t)rank * (size_t)normal->set->def.capacity;
}

// Row i of C Cᵀ up to its diagonal; `row` holds c_i.
static void fillRow(snConstraintNormal *normal, int i)
{
    snConstraintTerms own = snConstraintSet_TermsOf(normal->set, i);
    double *out = lowerOf(normal, i), length = 0;
    for (int t = 0; t < own.count; t++)
        normal->row[own.index[t]] += own.weight[t];
    for (int t = 0; t < own.count; t++)
        length += own.weight[t] * normal->row[own.index[t]];
    normal->scale[i] = length > 0 ? 1 / sqrt(length) : 0;
    normal->first[i] = i;
    for (int j = 0; j <= i; j++) {
        snConstraintTerms other = snConstraintSet_TermsOf(normal->set, j);
        double sum = 0;
        for (int t = 0; t < other.count; t++)
            sum += other.weight[t] * normal->row[other.index[t]];
        out[j] = sum * normal->scale[i] * normal->scale[j];
        if (out[j] != 0 && j < normal->first[i]) normal->first[i] = j;
    }
    for (int t = 0; t < own.count; t++)
        normal->row[own.index[t]] = 0;
}

// Row i of L from those above it; returns its pivot.
static double factorRow(snConstraintNormal *normal, int i)
{
    double *a = lowerOf(normal, i);
    for (int j = normal->first[i]; j <= i; j++) {
        const double *b = lowerOf(normal, j);
        int from = normal->first[i] > normal->first[j] ? normal->first[i] : normal->first[j];
        double sum = a[j];
        for (int k = from; k < j; k++)
            sum -= a[k] * b[k];
        a[j] = j < i ? sum * b[j] : sum;
    }
    double pivot = a[i];
    a[i] = pivot > DEPENDENT ? 1 / sqrt(pivot) : 0;
    return pivot;
}

void snConstraintNormal_Update(snConstraintNormal *normal)
{
    normal->count = normal->set->kept;
    normal->rounds = 1;
    for (int i = 0; i < normal->count; i++) {
        fillRow(normal, i);
        double pivot = factorRow(normal, i);
        int rounds = pivot < STEEPER ? 4 : pivot < STEEP ? 2 : 1;
        if (rounds > normal->rounds) normal->rounds = rounds;
    }
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

// L Lᵀ λ = r in place.
static void solve(const snConstraintNormal *normal)
{
    double *r = normal->r;
    for (int i = 0; i < normal->count; i++) {
        const double *a = lowerOf(normal, i);
        double *own = r + 4 * (size_t)i;
        for (int k = normal->first[i]; k < i; k++)
            for (int s = 0; s < 4; s++)
                own[s] -= a[k] * r[4 * (size_t)k + (size_t)s];
        for (int s = 0; s < 4; s++)
            own[s] *= a[i];
    }
    for (int i = normal->count - 1; i >= 0; i--) {
        const double *a = lowerOf(normal, i);
        double *own = r + 4 * (size_t)i;
        for (int s = 0; s < 4; s++)
            own[s] *= a[i];
        for (int k = normal->first[i]; k < i; k++)
            for (int s = 0; s < 4; s++)
                r[4 * (size_t)k + (size_t)s] -= a[k] * own[s];
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
        solve(normal);
        takeOff(normal, x);
    }
}
