// Details within a step: points, forces and inertia.
#include "body/lattice/detail.h"

#include "body/lattice/passes.h"
#include "body/lattice/row.h"

#include <string.h>

static void expandPoint(const snLatticeModel *model, const snActive *active, double *positions,
                        int point)
{
    const snDetail *detail = model->detail;
    int begin = detail->sourceStart[point], end = detail->sourceStart[point + 1];
    double sum[4] = {0}, *out = snRowAt(positions, model->vertexCount + point);
    for (int i = begin; i < end; i++)
        snAddRow(sum, 1, snConstRowAt(positions, detail->source[i]));
    for (int c = 0; c < 4; c++)
        out[c] = sum[c] / (end - begin);
    int slot = detail->detailOf[point] >= 0 ? active->slotOf[detail->detailOf[point]] : -1;
    if (slot >= 0) snAddRow(out, 1, snConstRowAt(positions, model->freeCount + slot));
}

// Sources come before the points made of them.
void snDetail_Expand(const snLatticeModel *model, const snLatticeState *state, double *positions,
                     bool all)
{
    const snDetailState *s = &state->detail;
    for (int i = 0; i < model->detail->pointCount && all; i++)
        expandPoint(model, &state->active, positions, i);
    for (int i = 0; i < *s->pointCount && !all; i++)
        expandPoint(model, &state->active, positions, s->points[i]);
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

// Corner forces of active fine elements, one after another, onto vertices and points.
static void scatterForces(const snLatticeModel *model, snLatticeState *state)
{
    snDetailState *s = &state->detail;
    size_t first = 0;
    for (int i = 0; i < *s->pointCount; i++)
        memset(snRowAt(s->pointGradient, s->points[i]), 0, 4 * sizeof(double));
    for (int c = 0; c < model->classCount; c++) {
        const snElementClass *class = &model->classes[c];
        for (int k = 0; k < state->active.groupCount[c] && c >= 2; k++)
            for (int i = 0; i < 4 * SN_GROUP; i++) {
                size_t at = (size_t)state->active.groups[c][k] * 4 * SN_GROUP + (size_t)i;
                const double *force = (const double *)state->force + 4 * (first + at);
                int v = class->vertex[at];
                if (v >= model->vertexCount)
                    snAddRow(snRowAt(s->pointGradient, v - model->vertexCount), 1, force);
                else if (v < model->freeCount)
                    snAddRow(snRowAt(state->gradient, v), 1, force);
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
        const double *g = snConstRowAt(s->pointGradient, point);
        int begin = detail->sourceStart[point], end = detail->sourceStart[point + 1];
        if (d >= 0 && state->active.slotOf[d] >= 0)
            snAddRow(snRowAt(state->gradient, model->freeCount + state->active.slotOf[d]), 1, g);
        for (int k = begin; k < end; k++) {
            int v = detail->source[k];
            if (v >= model->vertexCount)
                snAddRow(snRowAt(s->pointGradient, v - model->vertexCount), 1.0 / (end - begin), g);
            else if (v < model->freeCount)
                snAddRow(snRowAt(state->gradient, v), 1.0 / (end - begin), g);
        }
    }
}

double snDetail_AddTerms(const snLatticeModel *model, snLatticeState *state, bool gradient)
{
    snDetailState *s = &state->detail;
    double value = 0, *r = state->active.residual, *m = state->active.product;
    int n = model->vertexCount, slots = model->unknownCount - model->freeCount;
    for (int k = 0; k < 4 * n; k++)
        r[k] = state->next[k] - s->inertial[k];
    for (int slot = 0; slot < slots; slot++)
        if (state->active.functionOf[slot] < 0)
            memset(snRowAt(r, model->freeCount + slot), 0, 4 * sizeof(double));
    snActive_MultiplyMass(&model->detail->fine, &state->active, r, m);
    for (int k = 0; k < 4 * n; k++)
        value += 0.5 * r[k] * m[k];
    if (!gradient) return value;
    memset(snRowAt(state->gradient, model->freeCount), 0, (size_t)slots * 4 * sizeof(double));
    scatterForces(model, state);
    pullBack(model, state);
    for (int i = 0; i < model->unknownCount; i++)
        if (i < model->freeCount || state->active.functionOf[i - model->freeCount] >= 0)
            snAddRow(snRowAt(state->gradient, i), 1, snConstRowAt(m, i));
    return value;
}

double snDetail_KineticEnergy(const snLatticeModel *model, const snLatticeState *state)
{
    double energy = 0;
    snActive_MultiplyMass(&model->detail->fine, &state->active, state->velocity,
                          state->active.product);
    for (int k = 0; k < 4 * model->vertexCount; k++)
        energy += 0.5 * state->velocity[k] * state->active.product[k];
    return energy;
}
