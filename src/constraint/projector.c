#include "constraint/projector.h"

#include "constraint/parts.h"
#include "core/error.h"

#include <math.h>
#include <string.h>

// Q is kept as the reflections of the full QR, Q = [Q₁ Q₂]: Qᵀ x, then zeros in the first `rank`
// places, then Q, is x - Q₁ Q₁ᵀ x.
//
// The paper applies I - c cᵀ / cᵀ c for one column of C after another. Their product takes away all
// of span C only if the columns are orthogonal: behind the projection for c₂ the vector has a part
// along c₁ again unless c₁ᵀ c₂ = 0.

snStatus snConstraintProjector_Make(snConstraintProjector **out, const snConstraintSet *set,
                                    const snContext *context, snError *error)
{
    *out = NULL;
    snArena arena = snMakeArena(context);
    snConstraintProjector *p = SN_NEW(&arena, snConstraintProjector, 1);
    if (!p) return snFailMemory(error);
    p->arena = arena;
    p->set = set;
    size_t size = (size_t)set->def.size, capacity = (size_t)set->def.capacity;
    snStatus status = snQr_Reserve(&p->qr, set->def.size, set->def.capacity, &p->arena, error);
    p->columns = SN_NEW(&p->arena, double, size *capacity);
    p->scale = SN_NEW(&p->arena, double, capacity);
    p->work = SN_NEW(&p->arena, double, size + capacity);
    p->goals = SN_NEW(&p->arena, double, snConstraintSet_ScratchSize(set));
    if (!status && !(p->columns && p->scale && p->work && p->goals)) status = snFailMemory(error);
    if (!status) status = snConstraintProjector_Update(p, error);
    if (status) {
        snConstraintProjector_Destroy(p);
        return status;
    }
    *out = p;
    return SN_OK;
}

void snConstraintProjector_Destroy(snConstraintProjector *projector)
{
    if (!projector) return;
    snArena_DestroyWithin(&projector->arena);
}

// A column of Cᵀ, scaled to length 1, so that the rank does not depend on the sizes of weights.
static double fillColumn(const snConstraintSet *set, int handle, double *column)
{
    size_t first = (size_t)handle * (size_t)set->def.mostTerms;
    double square = 0;
    memset(column, 0, (size_t)set->def.size * sizeof *column);
    for (int t = 0; t < set->termCount[handle]; t++)
        column[set->index[first + (size_t)t]] += set->weight[first + (size_t)t];
    for (int i = 0; i < set->def.size; i++)
        square += column[i] * column[i];
    double length = sqrt(square);
    for (int i = 0; i < set->def.size; i++)
        column[i] /= length;
    return length;
}

snStatus snConstraintProjector_Update(snConstraintProjector *projector, snError *error)
{
    const snConstraintSet *set = projector->set;
    size_t size = (size_t)set->def.size;
    for (int r = 0; r < set->kept; r++)
        projector->scale[r] =
            fillColumn(set, set->keptHandle[r], projector->columns + (size_t)r * size);
    projector->qr.columns = set->kept;
    snStatus status = snQr_Compute(&projector->qr, projector->columns, 0, error);
    if (status) return status;
    if (projector->qr.rank == set->kept) return SN_OK;
    return snFail(error, SN_ERROR_NUMERIC,
                  "\"%s\" depends on other constraints to rounding; raise the set's tolerance",
                  snConstraintName(set, set->keptHandle[projector->qr.pivot[projector->qr.rank]]));
}

// One number of every coordinate, and back.
static void gather(const snConstraintProjector *projector, const double *x, int width, int number)
{
    for (size_t i = 0; i < (size_t)projector->set->def.size; i++)
        projector->work[i] = x[i * (size_t)width + (size_t)number];
}

static void scatter(const snConstraintProjector *projector, double *x, int width, int number)
{
    for (size_t i = 0; i < (size_t)projector->set->def.size; i++)
        x[i * (size_t)width + (size_t)number] = projector->work[i];
}

void snConstraintProjector_Apply(snConstraintProjector *projector, int width, double *x)
{
    double *work = projector->work;
    for (int number = 0; number < width; number++) {
        gather(projector, x, width, number);
        snQr_ApplyQTransposed(&projector->qr, work);
        memset(work, 0, (size_t)projector->qr.rank * sizeof *work);
        snQr_ApplyQ(&projector->qr, work);
        scatter(projector, x, width, number);
    }
}

// x = (I - Q Qᵀ) x + Q R⁻ᵀ a, which is x + Q R⁻ᵀ (a - C x) because C = Rᵀ Qᵀ.
void snConstraintProjector_Start(snConstraintProjector *projector, const double *right, double *x)
{
    const snConstraintSet *set = projector->set;
    const snQr *qr = &projector->qr;
    int count = set->def.block * set->sides;
    double *work = projector->work, *goals = projector->goals, *a = work + set->def.size;
    double *spare = goals + (size_t)set->def.capacity * (size_t)count;
    snConstraintSet_Goals(set, right, goals, spare);
    for (int number = 0; number < count; number++) {
        gather(projector, x, set->def.width, number);
        snQr_ApplyQTransposed(qr, work);
        for (int k = 0; k < qr->rank; k++)
            a[k] = goals[qr->pivot[k] * count + number] / projector->scale[qr->pivot[k]];
        snQr_SolveRTransposed(qr, a);
        if (qr->rank) memcpy(work, a, (size_t)qr->rank * sizeof *work);
        snQr_ApplyQ(qr, work);
        scatter(projector, x, set->def.width, number);
    }
}

static void applyProjector(void *context, double *x)
{
    snConstraintProjector *projector = context;
    snConstraintProjector_Apply(projector, projector->width, x);
}

snProjection snProjection_FromConstraints(snConstraintProjector *projector, int width)
{
    projector->width = width;
    return (snProjection){.apply = applyProjector, .context = projector};
}
