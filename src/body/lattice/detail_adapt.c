// Switching details on and off between steps.
#include "body/lattice/adapt.h"
#include "body/lattice/detail.h"
#include "body/lattice/passes.h"

#include <string.h>

// ---- what acts ------------------------------------------------------------------------------------

// Marks the points of the active elements with what they are made of.
static void markPoints(const snLatticeModel *model, const snActive *active, unsigned char *wanted)
{
    const snDetail *detail = model->detail;
    memset(wanted, 0, (size_t)detail->pointCount);
    for (int c = 2; c < model->classCount; c++)
        for (int k = 0; k < active->groupCount[c]; k++)
            for (int i = 0; i < 4 * SN_GROUP; i++) {
                int v = model->classes[c].vertex[active->groups[c][k] * 4 * SN_GROUP + i];
                if (v >= model->vertexCount) wanted[v - model->vertexCount] = 1;
            }
    for (int p = detail->pointCount - 1; p >= 0; p--)
        for (int i = detail->sourceStart[p]; i < detail->sourceStart[p + 1] && wanted[p]; i++)
            if (detail->source[i] >= model->vertexCount)
                wanted[detail->source[i] - model->vertexCount] = 1;
}

// Lists of groups and points, and which coarse elements count, from the cells' levels.
static void listActive(const snLatticeModel *model, snLatticeState *state)
{
    const snDetail *detail = model->detail;
    snDetailState *a = &state->detail;
    snActive *active = &state->active;
    memset(active->groupCount, 0, SN_CLASSES * sizeof(int));
    *a->pointCount = 0;
    for (int cell = 0; cell < model->lattice.cellCount; cell++) {
        int level = active->cellLevel[cell];
        a->share[detail->element[cell]] = level == 0;
        if (level == 0) continue;
        const int *start = detail->groupStart[level - 1];
        for (int g = start[cell]; g < start[cell + 1]; g++)
            active->groups[2 + level - 1][active->groupCount[2 + level - 1]++] = g;
    }
    markPoints(model, active, a->wanted);
    for (int p = 0; p < detail->pointCount; p++)
        if (a->wanted[p]) a->points[(*a->pointCount)++] = p;
}

// Elements of cells that have just become level `level` begin with the rotations of the coarse one;
// their strain follows from the present positions.
static void beginElements(const snLatticeModel *model, snLatticeState *state, int cell, int level)
{
    const snDetail *detail = model->detail;
    const double *rotation = state->elements[0].rotation, *rig = state->elements[0].rigRotation;
    snElementState *to = &state->elements[2 + level - 1];
    double *newRotation = to->rotation, *newRig = to->rigRotation, *strain = to->strain;
    double *volumeStrain = to->volumeStrain;
    size_t place = (size_t)detail->element[cell],
           source = place / SN_GROUP * 4 * SN_GROUP + place % SN_GROUP;
    const int *start = detail->groupStart[level - 1];
    for (int g = start[cell]; g < start[cell + 1]; g++) {
        for (size_t i = 0; i < 4 * SN_GROUP; i++) {
            size_t number = i / SN_GROUP;
            newRotation[(size_t)g * 4 * SN_GROUP + i] = rotation[source + number * SN_GROUP];
            newRig[(size_t)g * 4 * SN_GROUP + i] = rig[source + number * SN_GROUP];
        }
        memset(strain + (size_t)g * 9 * SN_GROUP, 0, 9 * SN_GROUP * sizeof(double));
        memset(volumeStrain + (size_t)g * SN_GROUP, 0, SN_GROUP * sizeof(double));
    }
}

// Cells whose needed level has changed take it.
static void settleLevels(const snLatticeModel *model, snLatticeState *state)
{
    snActive *active = &state->active;
    int begun[SN_CLASSES] = {0};
    bool changed = false;
    for (int cell = 0; cell < model->lattice.cellCount; cell++) {
        int level = snActive_LevelNeeded(active, cell);
        if (level == active->cellLevel[cell]) continue;
        changed = true;
        active->cellLevel[cell] = level;
        if (level == 0) continue;
        beginElements(model, state, cell, level);
        const int *start = model->detail->groupStart[level - 1];
        for (int g = start[cell]; g < start[cell + 1]; g++)
            active->begun[2 + level - 1][begun[2 + level - 1]++] = g;
    }
    if (!changed) return;
    listActive(model, state);
    snDetail_Expand(model, state, state->position, false);
    snDetail_Expand(model, state, state->rig, false);
    for (int c = 2; c < model->classCount; c++) {
        snGroupList list = {c, begun[c], active->begun[c]};
        snRunGroups(model, state, SN_PASS_TARGET, snLatticeState_Stretched(model, state), &list);
        snRunGroups(model, state, SN_PASS_STRAIN, state->position, &list);
    }
}

void snDetail_Reset(const snLatticeModel *model, snLatticeState *state)
{
    snActive_Reset(model, state);
    for (int k = 0; k < model->classes[0].groupCount * SN_GROUP; k++)
        state->detail.share[k] = 1;
    listActive(model, state);
}

// ---- who should act -------------------------------------------------------------------------------

// |e|² of every cell's own element, which is followed at any level.
static bool measureCells(const snLatticeModel *model, snLatticeState *state, const snAdaptDef *def)
{
    double *measure = state->detail.measure;
    (void)def;
    for (int cell = 0; cell < model->lattice.cellCount; cell++) {
        size_t place = (size_t)model->detail->element[cell];
        const double *strain = state->elements[0].strain;
        const double *e = strain + place / SN_GROUP * 9 * SN_GROUP + place % SN_GROUP;
        measure[cell] = 0;
        for (int i = 0; i < 9; i++)
            measure[cell] += e[i * SN_GROUP] * e[i * SN_GROUP];
    }
    return true;
}

static double measureDetail(const snDetail *detail, int d, const double *measure)
{
    double most = 0;
    for (int i = detail->fine.supportStart[d]; i < detail->fine.supportStart[d + 1]; i++)
        if (measure[detail->fine.support[i]] > most) most = measure[detail->fine.support[i]];
    return most;
}

static double want(const snLatticeModel *model, const snLatticeState *state, const snAdaptDef *def,
                   int d)
{
    double m = measureDetail(model->detail, d, state->detail.measure);
    double limit = def->refine[model->detail->fine.level[d] - 1];
    return limit < 0 || m > limit * limit ? m : -1;
}

static bool mayGo(const snLatticeModel *model, snLatticeState *state, const snAdaptDef *def,
                  int place)
{
    const snDetail *detail = model->detail;
    int slot = state->active.order[place], d = state->active.functionOf[slot];
    double limit = def->coarsen[detail->fine.level[d] - 1],
           least = def->least * detail->fine.size[d];
    if (measureDetail(detail, d, state->detail.measure) >= limit * limit) return false;
    const double *x = state->position + 4 * (size_t)(model->freeCount + slot);
    const double *v = state->velocity + 4 * (size_t)(model->freeCount + slot);
    double move = snLength(snVec(v[0], v[1], v[2])) * 10 * model->def.step;
    return snLength(snVec(x[0], x[1], x[2])) <= least && move <= least;
}

const snAdaptKind snDetailAdaptKind = {
    .look = measureCells, .want = want, .mayGo = mayGo, .settle = settleLevels};
