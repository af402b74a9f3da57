// Minimise f(y) with C y = a. Newton's iteration for the stationary point of L = f + λᵀ(C y - a) is the
// symmetric indefinite system
//
//     [ H  Cᵀ ] [ d ]   [   -g    ]
//     [ C  0  ] [ λ ] = [ a - C y ]
//
// (Platt and Barr, "Constraint Methods for Flexible Models", 1988, have multipliers in animation). MINRES
// solves it as it stands. With a constant A near H, diag(A⁻¹, S⁻¹) with S = C A⁻¹ Cᵀ is the preconditioner:
// for A = H the preconditioned matrix has the three eigenvalues 1 and (1 ± √5)/2, and MINRES ends after
// three iterations (Murphy, Golub, Wathen, "A Note on Preconditioning for Indefinite Linear Systems",
// 2000). A is factored at build, S is kept by the constraint set: nothing is factored here.
//
// Rows that depend on others are not in the system; the set says whether they agree or contradict
// (constraint.h), so that it is regular whatever is asked for.
//
// f may rise along d, on the way to the constraint. With the new λ
//
//     d/ds L(y + s d) = gᵀd + λᵀC d = -dᵀHd,
//
// so L goes down where H is positive on d: it is what the search looks at. Once C y = a it is f again.
#include "body/lattice/multiplier.h"

#include "core/error.h"

#include <math.h>
#include <string.h>

snStatus snMultipliers_Make(snMultipliers **out, const snConstraintSet *set, int size, int width,
                            snArena *arena, snError *error)
{
    size_t capacity = (size_t)set->def.capacity, all = (size_t)size + capacity * (size_t)width;
    snMultipliers *m = *out = SN_NEW(arena, snMultipliers, 1);
    if (!m) return snFailMemory(error);
    *m = (snMultipliers){.set = set,
                         .size = size,
                         .width = width,
                         .lambda = SN_NEW(arena, double, capacity * 4),
                         .goals = SN_NEW(arena, double, capacity * 4),
                         .work = SN_NEW(arena, double, capacity),
                         .right = SN_NEW(arena, double, all),
                         .found = SN_NEW(arena, double, all),
                         .scratch = SN_NEW(arena, double, snMinres_ScratchSize((int)all))};
    bool good = m->lambda && m->goals && m->work && m->right && m->found && m->scratch;
    return good ? SN_OK : snFailMemory(error);
}

void snMultipliers_Reset(snMultipliers *m)
{
    memset(m->lambda, 0, (size_t)m->set->def.capacity * 4 * sizeof(double));
}

typedef struct Context {
    snMultipliers *m;
    const snMultiplierSystem *system;
} Context;

static void applySystem(void *context, const double *x, double *y)
{
    const Context *c = context;
    const snMultipliers *m = c->m;
    int width = m->width;
    const double *lambda = x + m->size;
    double *value = y + m->size;
    c->system->matrix.apply(c->system->matrix.context, x, y);
    for (int rank = 0; rank < m->set->kept; rank++, lambda += width, value += width) {
        snConstraintTerms terms = snConstraintSet_TermsOf(m->set, rank);
        for (int i = 0; i < width; i++)
            value[i] = 0;
        for (int t = 0; t < terms.count; t++) {
            size_t row = (size_t)terms.index[t] * (size_t)width;
            for (int i = 0; i < width; i++) {
                value[i] += terms.weight[t] * x[row + (size_t)i];
                y[row + (size_t)i] += terms.weight[t] * lambda[i];
            }
        }
    }
}

static void applyInverse(void *context, const double *x, double *y)
{
    const Context *c = context;
    const snMultipliers *m = c->m;
    int count = m->set->kept * m->width;
    c->system->inverse.apply(c->system->inverse.context, x, y);
    memcpy(y + m->size, x + m->size, (size_t)count * sizeof *y);
    snConstraintSet_SolveSchur(m->set, m->width, y + m->size);
}

// a - C y, by rank.
static void findMiss(snMultipliers *m, const double *values, double *miss)
{
    snConstraintSet_Goals(m->set, m->set->right, m->goals, m->work);
    for (int rank = 0; rank < m->set->kept; rank++) {
        snConstraintTerms terms = snConstraintSet_TermsOf(m->set, rank);
        double *goal = m->goals + 4 * (size_t)rank;
        for (int t = 0; t < terms.count; t++)
            for (int i = 0; i < 4; i++)
                goal[i] -= terms.weight[t] * values[4 * (size_t)terms.index[t] + (size_t)i];
        for (int i = 0; i < m->width; i++)
            miss[rank * m->width + i] = i < 3 ? goal[i] : 0;
    }
}

bool snMultipliers_Solve(snMultipliers *m, const snMultiplierSystem *system, double *move)
{
    Context context = {m, system};
    int count = m->set->kept * m->width, size = m->size + count;
    memcpy(m->right, system->right, (size_t)m->size * sizeof(double));
    findMiss(m, system->values, m->right + m->size);
    memset(m->found, 0, (size_t)size * sizeof(double));
    snMinresDef def = snDefaultMinresDef();
    def.size = size;
    def.matrix = (snOperator){applySystem, &context};
    def.preconditioner = (snOperator){applyInverse, &context};
    def.tolerance = system->tolerance;
    snMinresResult result;
    if (snMinres_Solve(&def, m->right, m->found, m->scratch, &result, NULL)) return false;
    m->iterations += result.iterations;
    double slope = snDotProduct(count, m->found + m->size, m->right + m->size) -
                   snDotProduct(m->size, system->right, m->found); // of L: λᵀC d + gᵀd
    if (!isfinite(slope) || (slope > 0 && !system->definite)) return false;
    memcpy(move, m->found, (size_t)m->size * sizeof(double));
    snMultipliers_Reset(m);
    for (int k = 0; k < count; k++)
        m->lambda[k / m->width * 4 + k % m->width] = m->found[m->size + k];
    return true;
}

double snMultipliers_Term(const snMultipliers *m, const double *values)
{
    double sum = 0;
    snConstraintSet_Goals(m->set, m->set->right, m->goals, m->work);
    for (int rank = 0; rank < m->set->kept; rank++) {
        snConstraintTerms terms = snConstraintSet_TermsOf(m->set, rank);
        for (int i = 0; i < 3; i++) {
            double miss = -m->goals[4 * (size_t)rank + (size_t)i];
            for (int t = 0; t < terms.count; t++)
                miss += terms.weight[t] * values[4 * (size_t)terms.index[t] + (size_t)i];
            sum += m->lambda[4 * (size_t)rank + (size_t)i] * miss;
        }
    }
    return sum;
}
