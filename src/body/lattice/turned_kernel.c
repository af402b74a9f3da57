// Vectors turned by the rotations of the free vertices, for H₀ of turned.c. A body has the same bits in
// any batch: every sum has one order.
#include "body/lattice/turned.h"
#include "core/simd.h"

#include <math.h>

#define INLINE SN_ALWAYS_INLINE

// Component 0 of the quaternion of an element and lane, and how far apart components stand (step.h).
static INLINE size_t placeOf(const snLatticeModel *model, int lanes, int element, int lane)
{
    size_t e = (size_t)element, l = (size_t)lane, group = (size_t)model->group;
    if (lanes == 1) return e / group * 4 * group + e % group;
    return (e * (size_t)(lanes / SN_GROUP) + l / SN_GROUP) * 4 * SN_GROUP + l % SN_GROUP;
}

static INLINE void quaternionOf(const snLatticeModel *model, const snLatticeState *state,
                                int source, int lane, bool single, double q[4])
{
    const void *rotation = state->elements[source & 1].rotation;
    size_t at = placeOf(model, state->lanes, source >> 1, lane), step = (size_t)model->group;
    for (int c = 0; c < 4; c++, at += step)
        q[c] = single ? ((const float *)rotation)[at] : ((const double *)rotation)[at];
}

// The mean of the sources, each with the sign that is nearer to the first, which has the largest share:
// its length is that share at least.
static INLINE void meanOf(const snLatticeModel *model, const snLatticeState *state, int vertex,
                          int lane, bool single, double mean[4])
{
    const int *source = model->turned->source + (size_t)vertex * SN_TURNED_SOURCES;
    const double *share = model->turned->share + (size_t)vertex * SN_TURNED_SOURCES;
    double first[4], q[4];
    quaternionOf(model, state, source[0], lane, single, first);
    for (int c = 0; c < 4; c++)
        mean[c] = share[0] * first[c];
    for (int k = 1; k < SN_TURNED_SOURCES; k++) {
        quaternionOf(model, state, source[k], lane, single, q);
        double dot = (q[0] * first[0] + q[1] * first[1]) + (q[2] * first[2] + q[3] * first[3]);
        double w = dot < 0 ? -share[k] : share[k];
        for (int c = 0; c < 4; c++)
            mean[c] += w * q[c];
    }
}

// Columns of the rotation of a quaternion of any length, `step` numbers apart.
static INLINE void columnsOf(const double q[4], double *r, size_t column, size_t step)
{
    double square = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]), s = 2.0 / square;
    double x = q[0], y = q[1], z = q[2], w = q[3];
    r[0] = 1 - s * (y * y + z * z);
    r[step] = s * (x * y + z * w);
    r[2 * step] = s * (x * z - y * w);
    r += column;
    r[0] = s * (x * y - z * w);
    r[step] = 1 - s * (x * x + z * z);
    r[2 * step] = s * (y * z + x * w);
    r += column;
    r[0] = s * (x * z + y * w);
    r[step] = s * (y * z - x * w);
    r[2 * step] = 1 - s * (x * x + y * y);
}

static INLINE void lookAll(const snLatticeModel *model, snLatticeState *state, bool single)
{
    size_t lanes = (size_t)state->lanes;
    double *r = state->turned->rotation, q[4];
    for (int v = 0; v < model->turned->count; v++)
        if (lanes == 1) {
            meanOf(model, state, v, 0, single, q);
            columnsOf(q, r + (size_t)v * 12, 4, 1);
        } else
            for (int l = 0; l < state->lanes; l++) {
                meanOf(model, state, v, l, false, q);
                columnsOf(q, r + (size_t)v * 9 * lanes + (size_t)l, 3 * lanes, lanes);
            }
}

static void look(const snLatticeModel *model, snLatticeState *state)
{
    if (model->def.precision == SN_PRECISION_SINGLE)
        lookAll(model, state, true);
    else
        lookAll(model, state, false);
}

// rows and packed: Rᵀ Pᵀ d.
static void back(const snLatticeModel *model, snLatticeState *state, const double *d)
{
    snTurnedState *t = state->turned;
    int lanes = state->lanes, count = model->turned->count;
    const int *vertex = model->turned->vertex;
    if (lanes == 1) {
        for (int v = 0; v < count; v++) {
            const double *r = t->rotation + (size_t)v * 12;
            snDouble4 g = snLoad4(d + 4 * vertex[v]), u = {0};
            for (int c = 0; c < 3; c++) {
                snDouble4 p = snLoad4(r + 4 * c) * g;
                u[c] = (p[0] + p[1]) + p[2];
                t->packed[3 * v + c] = u[c];
            }
            snStore4(t->rows + 4 * v, u);
        }
        return;
    }
    for (int v = 0; v < count; v++)
        for (int c = 0; c < 3; c++) {
            size_t n = (size_t)lanes, at = (size_t)v * 3 * n;
            const double *g = d + (size_t)vertex[v] * 3 * n;
            const double *r = t->rotation + (size_t)v * 9 * n + (size_t)c * 3 * n;
            for (size_t l = 0; l < n; l++) {
                double u = (r[l] * g[l] + r[n + l] * g[n + l]) + r[2 * n + l] * g[2 * n + l];
                t->rows[at + (size_t)c * n + l] = t->packed[at + (size_t)c * n + l] = u;
            }
        }
}

// d += P R (packed - rows).
static void forth(const snLatticeModel *model, snLatticeState *state, double *d)
{
    const snTurnedState *t = state->turned;
    int lanes = state->lanes, count = model->turned->count;
    const int *vertex = model->turned->vertex;
    if (lanes == 1) {
        for (int v = 0; v < count; v++) {
            const double *r = t->rotation + (size_t)v * 12;
            double w[3], *to = d + 4 * vertex[v];
            for (int c = 0; c < 3; c++)
                w[c] = t->packed[3 * v + c] - t->rows[4 * v + c];
            snDouble4 u = (snLoad4(r) * w[0] + snLoad4(r + 4) * w[1]) + snLoad4(r + 8) * w[2];
            snStore4(to, snLoad4(to) + u);
        }
        return;
    }
    for (int v = 0; v < count; v++)
        for (int c = 0; c < 3; c++) {
            size_t n = (size_t)lanes, at = (size_t)v * 3 * n;
            double *to = d + ((size_t)vertex[v] * 3 + (size_t)c) * n;
            const double *r = t->rotation + (size_t)v * 9 * n + (size_t)c * n;
            const double *p = t->packed + at, *q = t->rows + at;
            for (size_t l = 0; l < n; l++)
                to[l] += (r[l] * (p[l] - q[l]) + r[3 * n + l] * (p[n + l] - q[n + l])) +
                         r[6 * n + l] * (p[2 * n + l] - q[2 * n + l]);
        }
}

extern const snTurnedKernels SN_VARIANT(snTurnedKernels);
const snTurnedKernels SN_VARIANT(snTurnedKernels) = {.look = look, .back = back, .forth = forth};
