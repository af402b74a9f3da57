#include "body/lattice/health.h"

#include "body/lattice/passes.h"
#include "core/error.h"
#include "core/svd.h"

#include <string.h>

#define FLAT 0.1 // det F_L below which a rig counts as having flattened an element

// σ(F); 0 where it is not above what matters. The eigenvalues of C = FᵀF are q + 2 p cos φ with q = tr C /
// 3, 6 p² = |C - q|²: σ² <= q + 2 p.
static double largestStretch(snMat3 f, double matters)
{
    snMat3 c = snMulTMM(f, f), vectors;
    snVec3 values;
    double q = snTrace(c) / 3, p = sqrt(fmax(0, snNormSquaredM(c) - 3 * q * q) / 6);
    if (q + 2 * p <= matters * matters) return 0;
    snEigenSymmetric3(c, &values, &vectors);
    return sqrt(fmax(values.x, 0));
}

static int cornerOf(const snLatticeModel *model, int class, size_t place, size_t corner)
{
    const snElementClass *e = &model->classes[class];
    size_t group = (size_t)e->group, corners = (size_t)e->corners;
    return e->vertex[(place / group * corners + corner) * group + place % group];
}

typedef struct Look {
    const snLatticeModel *model;
    const snLatticeState *state;
    const snHealthLimits *limits;
    unsigned char *fault;
    snHealth health;
} Look;

static void lookAtElement(Look *look, int class, size_t place)
{
    const snLatticeModel *model = look->model;
    snHealth *h = &look->health;
    snMat3 f = snElementClass_Deformation(&model->classes[class], place, look->state->position);
    snMat3 rig = snElementClass_Deformation(&model->classes[class], place, look->state->rig);
    bool inverted = !(snDet(f) > 0) && snDet(rig) > FLAT;
    // Excess is never more than stretch: elements below records and limit need no singular values.
    double limit = look->limits->excess;
    double stretch = largestStretch(f, fmin(limit, fmin(h->stretch, h->excess)));
    h->inverted += inverted;
    h->elements++;
    if (stretch > h->stretch) h->stretch = stretch;
    double excess = stretch > 0 ? stretch / fmax(1, largestStretch(rig, 1)) : 0;
    if (excess > h->excess) {
        h->excess = excess;
        h->excessAt = cornerOf(model, class, place, 0);
    }
    bool bad = inverted || !(excess <= limit);
    for (size_t a = 0; bad && look->fault && a < (size_t)model->classes[class].corners; a++)
        look->fault[cornerOf(model, class, place, a)] = 1;
}

static double squareAt(const double *a, const double *b, int i)
{
    double x = a[4 * i] - b[4 * i], y = a[4 * i + 1] - b[4 * i + 1];
    double z = a[4 * i + 2] - b[4 * i + 2];
    return x * x + y * y + z * z;
}

// The largest extent of the rig along an axis, or of the body at rest.
static double extentOf(const Look *look)
{
    snBox box = snEmptyBox();
    for (int i = 0; i < look->model->vertexCount; i++) {
        const double *p = look->state->rig + 4 * i;
        if (look->model->vertexOf[i] >= 0) box = snBoxAdd(box, snVec(p[0], p[1], p[2]));
    }
    snVec3 size = snSub(box.upper, box.lower);
    double extent = fmax(size.x, fmax(size.y, size.z));
    return extent > look->limits->extent ? extent : look->limits->extent;
}

static void lookAtVertices(Look *look)
{
    const snLatticeState *state = look->state;
    const snHealthLimits *limits = look->limits;
    snHealth *h = &look->health;
    h->finite = true;
    h->extent = extentOf(look);
    for (int i = 0; i < look->model->vertexCount; i++) {
        double d = sqrt(squareAt(state->position, state->rig, i)) / h->extent;
        double v = sqrt(squareAt(state->velocity, state->rigVelocity, i)) / h->extent;
        bool finite = isfinite(d) && isfinite(v);
        bool bad = !finite || (limits->offset > 0 && d > limits->offset) ||
                   (limits->speed > 0 && v > limits->speed);
        h->finite = h->finite && finite;
        h->offset = fmax(h->offset, d);
        h->speed = fmax(h->speed, v);
        if (bad && look->fault) look->fault[i] = 1;
    }
}

snHealth snLatticeState_Look(const snLatticeModel *model, const snLatticeState *state,
                             const snHealthLimits *limits, unsigned char *fault)
{
    Look look = {model, state, limits, fault, {0}};
    SN_ASSERT(state->lanes == 1);
    if (fault) memset(fault, 0, (size_t)model->vertexCount);
    lookAtVertices(&look);
    for (int c = 0; c < 2 && c < model->classCount && look.health.finite; c++)
        for (size_t k = 0; k < (size_t)model->classes[c].count; k++)
            lookAtElement(&look, c, k);
    return look.health;
}

static void addStretch(const Look *look, int class, size_t place, snStretch *most)
{
    const snLatticeModel *model = look->model;
    double stretch = largestStretch(
        snElementClass_Deformation(&model->classes[class], place, look->state->position),
        fmin(most->whole, most->excess));
    if (!(stretch > 0)) return;
    double excess =
        stretch / fmax(1, largestStretch(snElementClass_Deformation(&model->classes[class], place,
                                                                    look->state->rig),
                                         1));
    most->whole = fmax(most->whole, stretch);
    if (!(excess > most->excess)) return;
    most->excess = excess;
    most->at = cornerOf(model, class, place, 0);
}

snStretch snLatticeState_Stretch(const snLatticeModel *model, const snLatticeState *state)
{
    Look look = {.model = model, .state = state};
    snStretch most = {0};
    for (int c = 0; c < 2 && c < model->classCount; c++)
        for (size_t k = 0; k < (size_t)model->classes[c].count; k++)
            addStretch(&look, c, k, &most);
    return most;
}

bool snHealth_IsGood(const snHealth *h, const snHealthLimits *limits)
{
    return h->finite && h->excess <= limits->excess &&
           h->inverted <= limits->inverted * h->elements &&
           !(limits->offset > 0 && h->offset > limits->offset) &&
           !(limits->speed > 0 && h->speed > limits->speed);
}

// ---- a quick look ----
//
// F = R (S + e), so σ(F) <= σ(S) + |e| and the excess is at most 1 + |e|; it cannot reach the limit x while
// all nine numbers of e are within (x - 1) / 3. An inverted element has lost the rig's volume, more
// than FLAT: J - J_L < -FLAT.

static bool areWithin(const snLatticeModel *model, const void *numbers, size_t count, double most)
{
    const float *floats = numbers, single = (float)most;
    const double *doubles = numbers;
    bool good = true; // no early way out: compilers make vectors of this
    if (model->realSize == sizeof(float))
        for (size_t k = 0; k < count; k++)
            good &= fabsf(floats[k]) <= single;
    else
        for (size_t k = 0; k < count; k++)
            good &= fabs(doubles[k]) <= most;
    return good;
}

// No vertex of a is further than that from b.
static bool areNear(const snLatticeModel *model, const double *a, const double *b, double most)
{
    bool good = true;
    for (int i = 0; i < model->vertexCount; i++)
        good &= squareAt(a, b, i) <= most * most;
    return good;
}

static size_t countBelow(const snLatticeModel *model, const void *numbers, size_t count,
                         double limit)
{
    const float *floats = numbers, single = (float)limit;
    const double *doubles = numbers;
    size_t below = 0;
    if (model->realSize == sizeof(float))
        for (size_t k = 0; k < count; k++)
            below += (size_t) !(floats[k] >= single);
    else
        for (size_t k = 0; k < count; k++)
            below += (size_t) !(doubles[k] >= limit);
    return below;
}

bool snLatticeState_IsCalm(const snLatticeModel *model, const snLatticeState *state,
                           const snHealthLimits *limits)
{
    double offset = (limits->offset > 0 ? limits->offset : 1e100) * limits->extent;
    double speed = (limits->speed > 0 ? limits->speed : 1e100) * limits->extent;
    size_t shrunk = 0, elements = 0;
    if (model->linear || !areNear(model, state->position, state->rig, offset) ||
        !areNear(model, state->velocity, state->rigVelocity, speed))
        return false;
    for (int c = 0; c < 2 && c < model->classCount; c++) {
        size_t count = snLatticeState_BlockCount(model, state, c) * (size_t)model->group;
        const snElementState *e = &state->elements[c];
        elements += (size_t)model->classes[c].count;
        shrunk += countBelow(model, e->volumeStrain, count, -FLAT);
        if (!areWithin(model, e->strain, 9 * count, (limits->excess - 1) / 3)) return false;
    }
    return (double)shrunk <= limits->inverted * (double)elements;
}
