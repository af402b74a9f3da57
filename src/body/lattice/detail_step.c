// Details within a step: points, forces, inertia, and the solve with the bordered matrix.
#include "body/lattice/detail.h"

#include "body/lattice/passes.h"

#include <string.h>

// Component loops over a row of four (x, y, z, pad).
static double *row(double *array, int index)
{
    return array + 4 * (size_t)index;
}

static const double *constRow(const double *array, int index)
{
    return array + 4 * (size_t)index;
}

static void addRow(double *to, double scale, const double *from)
{
    for (int c = 0; c < 4; c++)
        to[c] += scale * from[c];
}

static void expandPoint(const snLatticeModel *model, const snDetailState *s, double *positions,
                        int point)
{
    const snDetail *detail = model->detail;
    int begin = detail->sourceStart[point], end = detail->sourceStart[point + 1];
    double sum[4] = {0}, *out = row(positions, model->vertexCount + point);
    for (int i = begin; i < end; i++)
        addRow(sum, 1, constRow(positions, detail->source[i]));
    for (int c = 0; c < 4; c++)
        out[c] = sum[c] / (end - begin);
    int slot = detail->detailOf[point] >= 0 ? s->slotOf[detail->detailOf[point]] : -1;
    if (slot >= 0) addRow(out, 1, constRow(positions, model->freeCount + slot));
}

// Sources come before the points made of them.
void snDetail_Expand(const snLatticeModel *model, const snLatticeState *state, double *positions,
                     bool all)
{
    const snDetailState *s = &state->detail;
    for (int i = 0; i < model->detail->pointCount && all; i++)
        expandPoint(model, s, positions, i);
    for (int i = 0; i < *s->pointCount && !all; i++)
        expandPoint(model, s, positions, s->points[i]);
}

void snDetail_Coast(const snLatticeModel *model, snLatticeState *state, const snLatticeDrive *drive)
{
    double h = model->def.step;
    const snVec3 g = model->def.gravity;
    const double fall[4] = {h * h * g.x, h * h * g.y, h * h * g.z, 0};
    for (int i = 0; i < model->vertexCount; i++) {
        bool slot = i >= model->freeCount && i < model->unknownCount;
        for (int k = 4 * i; k < 4 * i + 4; k++) {
            double coast = state->position[k] + h * state->velocity[k];
            if (!slot) coast += fall[k % 4]; // a field that vertices alone can represent
            if (!slot && drive->acceleration) coast += h * h * drive->acceleration[k];
            state->detail.inertial[k] = coast;
        }
    }
}

// out = M x over vertices and active slots; both [vertexCount * 4].
static void multiplyMass(const snLatticeModel *model, const snDetailState *s, const double *x,
                         double *out)
{
    const snDetail *detail = model->detail;
    for (int i = 0; i < model->vertexCount; i++) {
        double sum[4] = {0};
        for (int k = detail->massStart[i]; k < detail->massStart[i + 1]; k++)
            addRow(sum, detail->massValue[k], constRow(x, detail->massColumn[k]));
        memcpy(row(out, i), sum, sizeof sum);
    }
    for (int a = 0; a < *s->activeCount; a++) {
        int slot = model->freeCount + s->order[a], d = s->detailOf[s->order[a]];
        double *own = row(out, slot);
        for (int k = detail->rowStart[d]; k < detail->rowStart[d + 1]; k++) {
            int column = detail->column[k];
            int other = column >= 0               ? column
                        : s->slotOf[~column] >= 0 ? model->freeCount + s->slotOf[~column]
                                                  : -1;
            if (other < 0) continue;
            addRow(own, detail->mass[k], constRow(x, other));
            if (column >= 0) addRow(row(out, column), detail->mass[k], constRow(x, slot));
        }
    }
}

// Corner forces of active fine elements, one after another, onto vertices and points.
static void scatterForces(const snLatticeModel *model, snLatticeState *state)
{
    snDetailState *s = &state->detail;
    size_t first = 0;
    for (int i = 0; i < *s->pointCount; i++)
        memset(row(s->pointGradient, s->points[i]), 0, 4 * sizeof(double));
    for (int c = 0; c < model->classCount; c++) {
        const snElementClass *class = &model->classes[c];
        for (int k = 0; k < s->groupCount[c] && c >= 2; k++)
            for (int i = 0; i < 4 * SN_GROUP; i++) {
                size_t at = (size_t)s->groups[c][k] * 4 * SN_GROUP + (size_t)i;
                const double *force = (const double *)state->force + 4 * (first + at);
                int v = class->vertex[at];
                if (v >= model->vertexCount)
                    addRow(row(s->pointGradient, v - model->vertexCount), 1, force);
                else if (v < model->freeCount)
                    addRow(row(state->gradient, v), 1, force);
            }
        first += (size_t) class->groupCount * (size_t) class->corners * SN_GROUP;
    }
}

// From points back to what they are made of, the finest first.
static void pullBack(const snLatticeModel *model, snLatticeState *state)
{
    const snDetail *detail = model->detail;
    snDetailState *s = &state->detail;
    for (int i = *s->pointCount - 1; i >= 0; i--) {
        int point = s->points[i], d = detail->detailOf[point];
        const double *g = constRow(s->pointGradient, point);
        int begin = detail->sourceStart[point], end = detail->sourceStart[point + 1];
        if (d >= 0 && s->slotOf[d] >= 0)
            addRow(row(state->gradient, model->freeCount + s->slotOf[d]), 1, g);
        for (int k = begin; k < end; k++) {
            int v = detail->source[k];
            if (v >= model->vertexCount)
                addRow(row(s->pointGradient, v - model->vertexCount), 1.0 / (end - begin), g);
            else if (v < model->freeCount)
                addRow(row(state->gradient, v), 1.0 / (end - begin), g);
        }
    }
}

double snDetail_AddTerms(const snLatticeModel *model, snLatticeState *state, bool gradient)
{
    snDetailState *s = &state->detail;
    double value = 0, *r = s->residual, *m = s->product;
    int n = model->vertexCount, slots = model->unknownCount - model->freeCount;
    for (int k = 0; k < 4 * n; k++)
        r[k] = state->next[k] - s->inertial[k];
    for (int slot = 0; slot < slots; slot++)
        if (s->detailOf[slot] < 0) memset(row(r, model->freeCount + slot), 0, 4 * sizeof(double));
    multiplyMass(model, s, r, m);
    for (int k = 0; k < 4 * n; k++)
        value += 0.5 * r[k] * m[k];
    if (!gradient) return value;
    memset(row(state->gradient, model->freeCount), 0, (size_t)slots * 4 * sizeof(double));
    scatterForces(model, state);
    pullBack(model, state);
    for (int i = 0; i < model->unknownCount; i++)
        if (i < model->freeCount || s->detailOf[i - model->freeCount] >= 0)
            addRow(row(state->gradient, i), 1, constRow(m, i));
    return value;
}

double snDetail_KineticEnergy(const snLatticeModel *model, const snLatticeState *state)
{
    const snDetailState *s = &state->detail;
    double energy = 0;
    multiplyMass(model, s, state->velocity, s->product);
    for (int k = 0; k < 4 * model->vertexCount; k++)
        energy += 0.5 * state->velocity[k] * s->product[k];
    return energy;
}

// Σ over the vertices of a detail's row of A: sum -= A_d0 x.
static void subtractRow(const snLatticeModel *model, int d, const double *x, double sum[4])
{
    const snDetail *detail = model->detail;
    for (int k = detail->rowStart[d]; k < detail->rowStart[d + 1]; k++)
        if (detail->column[k] >= 0 && detail->column[k] < model->freeCount)
            addRow(sum, -detail->matrix[k], constRow(x, detail->column[k]));
}

// S⁻¹ on the right-hand sides of active details in the order of L, four at a time.
static void solveBorder(const snDetailState *s, int stride, double *b)
{
    int n = *s->activeCount;
    for (int i = 0; i < n; i++) { // L \ b
        const double *l = s->border + (size_t)i * (size_t)stride;
        for (int k = 0; k < i; k++)
            addRow(row(b, i), -l[k], row(b, k));
        for (int c = 0; c < 4; c++)
            row(b, i)[c] /= l[i];
    }
    for (int i = n - 1; i >= 0; i--) { // Lᵀ \ b
        const double *l = s->border + (size_t)i * (size_t)stride;
        for (int c = 0; c < 4; c++)
            row(b, i)[c] /= l[i];
        for (int k = 0; k < i; k++)
            addRow(row(b, k), -l[k], row(b, i));
    }
}

void snDetail_Solve(const snLatticeModel *model, const snLatticeState *state, double *x)
{
    const snDetailState *s = &state->detail;
    const snDetail *detail = model->detail;
    int n = *s->activeCount, free = model->freeCount;
    if (n) {
        double *y = s->product, *b = s->residual;
        memcpy(y, x, (size_t)free * 4 * sizeof(double));
        snFactor_SolveOrdered(model->factor, 4, y, state->solve); // y = A_00⁻¹ x_0
        for (int i = 0; i < n; i++) {                             // b = x_d - A_d0 y
            memcpy(row(b, i), row(x, free + s->order[i]), 4 * sizeof(double));
            subtractRow(model, s->detailOf[s->order[i]], y, row(b, i));
        }
        solveBorder(s, detail->slotCount, b);
        for (int i = 0; i < n; i++) { // x_0 -= A_0d x_d
            int d = s->detailOf[s->order[i]];
            memcpy(row(x, free + s->order[i]), row(b, i), 4 * sizeof(double));
            for (int k = detail->rowStart[d]; k < detail->rowStart[d + 1]; k++)
                if (detail->column[k] >= 0 && detail->column[k] < free)
                    addRow(row(x, detail->column[k]), -detail->matrix[k], row(b, i));
        }
    }
    snFactor_SolveOrdered(model->factor, 4, x, state->solve);
}
