#include "body/lattice/health.h"

#include "body/lattice/detail.h"
#include "body/lattice/passes.h"
#include "core/error.h"
#include "core/svd.h"

#include <string.h>

#define FLAT 0.1   // det F_L below which a rig counts as having flattened an element
#define CALM 0.5   // of strain
#define SHRUNK 0.3 // of volume

// F = Σ_{a>0} (y_a - y_0) g_aᵀ (cells_kernel.c), of element `place` of a class.
static snMat3 shapeOf(const snLatticeModel *model, int class, size_t place, const double *y)
{
    const snElementClass *e = &model->classes[class];
    size_t group = (size_t)e->group, corners = (size_t)e->corners, g = place / group;
    const int *vertex = e->vertex + g * corners * group + place % group;
    const double *first = y + 4 * (size_t)vertex[0];
    snMat3 f = snScaleM(0, snIdentity3());
    for (size_t a = 1; a < corners; a++) {
        const double *x = y + 4 * (size_t)vertex[a * group];
        size_t k = (g * (corners - 1) + a - 1) * 3 * group + place % group;
        snVec3 gradient = {snLatticeModel_Real(model, e->gradient, k),
                           snLatticeModel_Real(model, e->gradient, k + group),
                           snLatticeModel_Real(model, e->gradient, k + 2 * group)};
        f = snAddMM(f, snOuter(snVec(x[0] - first[0], x[1] - first[1], x[2] - first[2]), gradient));
    }
    return f;
}

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
    snMat3 f = shapeOf(model, class, place, look->state->position);
    snMat3 rig = shapeOf(model, class, place, look->state->rig);
    bool inverted = !(snDet(f) > 0) && snDet(rig) > FLAT, bad = inverted && look->limits->inverted;
    // Excess is never more than stretch: elements below records and limit need no singular values.
    double limit = look->limits->excess, matters = fmin(h->stretch, h->excess);
    double stretch = largestStretch(f, limit > 0 ? fmin(matters, limit) : matters);
    h->inverted += inverted;
    h->elements++;
    if (stretch > h->stretch) {
        h->stretch = stretch;
        h->stretchAt = cornerOf(model, class, place, 0);
    }
    bool wanted = stretch > h->excess || (limit > 0 && stretch > limit);
    double excess = wanted ? stretch / fmax(1, largestStretch(rig, 1)) : 0;
    if (excess > h->excess) {
        h->excess = excess;
        h->excessAt = cornerOf(model, class, place, 0);
    }
    bad = bad || (limit > 0 && !(excess <= limit));
    for (size_t a = 0; bad && look->fault && a < (size_t)model->classes[class].corners; a++)
        look->fault[cornerOf(model, class, place, a)] = 1;
}

static double squareAt(const double *a, const double *b, int i)
{
    double sum = 0;
    for (int k = 4 * i; k < 4 * i + 3; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

static void lookAtVertices(Look *look)
{
    const snLatticeState *state = look->state;
    snHealth *h = &look->health;
    double offset = 0, speed = 0;
    h->finite = true;
    for (int i = 0; i < look->model->vertexCount; i++) {
        double d = squareAt(state->position, state->rig, i);
        double v = squareAt(state->velocity, state->rigVelocity, i);
        if (!isfinite(d) || !isfinite(v)) h->finite = false;
        if (look->model->vertexOf[i] < 0) continue;
        if (d > offset) {
            offset = d;
            h->offsetAt = i;
        }
        if (v > speed) {
            speed = v;
            h->speedAt = i;
        }
    }
    h->offset = sqrt(offset);
    h->speed = sqrt(speed);
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

// ---- a quick look ----

static bool areSmall(const snLatticeModel *model, const void *numbers, size_t count, double least,
                     double most)
{
    const float *floats = numbers;
    const double *doubles = numbers;
    bool good = true; // no early way out: compilers make vectors of this
    if (model->realSize == sizeof(float))
        for (size_t k = 0; k < count; k++)
            good &= floats[k] >= (float)least && floats[k] <= (float)most;
    else
        for (size_t k = 0; k < count; k++)
            good &= doubles[k] >= least && doubles[k] <= most;
    return good;
}

bool snLatticeState_IsCalm(const snLatticeModel *model, const snLatticeState *state)
{
    if (model->linear) return false;
    for (int c = 0; c < 2 && c < model->classCount; c++) {
        size_t count = snLatticeState_BlockCount(model, state, c) * (size_t)model->group;
        const snElementState *e = &state->elements[c];
        if (!areSmall(model, e->strain, 9 * count, -CALM, CALM) ||
            !areSmall(model, e->volumeStrain, count, -SHRUNK, 1e3))
            return false;
    }
    return true;
}

// ---- the way back ----

static void yieldDetails(const snLatticeModel *model, snLatticeState *state, const double *share)
{
    const snDetail *detail = model->detail;
    for (int slot = 0; slot < detail->slotCount; slot++) {
        int d = state->detail.detailOf[slot], i = model->freeCount + slot;
        if (d < 0 || detail->supportStart[d] == detail->supportStart[d + 1]) continue;
        size_t place = (size_t)detail->element[detail->support[detail->supportStart[d]]];
        double stays = 1;
        for (size_t a = 0; a < 4; a++)
            stays -= 0.25 * share[cornerOf(model, 0, place, a)];
        for (int k = 4 * i; k < 4 * i + 3; k++) {
            state->position[k] *= stays;
            state->velocity[k] *= stays;
        }
    }
    snDetail_Expand(model, state, state->position, true);
    snDetail_Expand(model, state, state->rig, true);
}

void snLatticeState_Yield(const snLatticeModel *model, snLatticeState *state, const double *share)
{
    SN_ASSERT(state->lanes == 1);
    for (int i = 0; i < model->vertexCount; i++)
        for (int k = 4 * i; k < 4 * i + 3 && model->vertexOf[i] >= 0 && share[i] > 0; k++) {
            bool all = share[i] >= 1; // also away from what is not a number
            double x = state->position[k], v = state->velocity[k];
            state->position[k] = all ? state->rig[k] : x + share[i] * (state->rig[k] - x);
            state->velocity[k] =
                all ? state->rigVelocity[k] : v + share[i] * (state->rigVelocity[k] - v);
        }
    if (model->detail) yieldDetails(model, state, share);
    snRunPass(model, state, SN_PASS_TARGET, state->rig, NULL, NULL);
    snRunPass(model, state, SN_PASS_STRAIN, state->position, NULL, NULL);
}
