// The finer levels of a space within a step: lists of what acts, back and forth between coefficients and
// vertices, inertia.
#include "body/lattice/space_levels.h"

#include "body/lattice/cells.h"
#include "body/lattice/contact.h"
#include "body/lattice/row.h"
#include "core/simd.h"
#include "core/tasks.h"

#include <string.h>

#define GRAIN 128 // vertices per piece of a parallel loop

// ---- lists ----------------------------------------------------------------------------------------

// Rows of every vertex over level 0 and what acts: by columns, so that only what acts is looked at.
static void listRows(const snLatticeModel *model, snLatticeState *state)
{
    const snSpace *space = model->space;
    const snSpaceLevels *levels = space->levels;
    const snActive *a = &state->active;
    snWeightRows *rows = &state->space.rows;
    int n = model->vertexCount, *next = state->space.next;
    for (int v = 0; v < n; v++)
        next[v] = space->rows.start[v + 1] - space->rows.start[v];
    for (int p = 0; p < *a->count; p++) {
        int f = a->functionOf[a->order[p]];
        for (int k = levels->columns.start[f]; k < levels->columns.start[f + 1]; k++)
            next[levels->columns.column[k]]++;
    }
    rows->start[0] = 0;
    for (int v = 0; v < n; v++) {
        int begin = rows->start[v], coarse = space->rows.start[v],
            count = space->rows.start[v + 1] - coarse;
        rows->start[v + 1] = begin + next[v];
        memcpy(rows->column + begin, space->rows.column + coarse, (size_t)count * sizeof(int));
        memcpy(rows->weight + begin, space->rows.weight + coarse, (size_t)count * sizeof(double));
        next[v] = begin + count;
    }
    for (int p = 0; p < *a->count; p++) {
        int slot = a->order[p], f = a->functionOf[slot];
        for (int k = levels->columns.start[f]; k < levels->columns.start[f + 1]; k++) {
            int at = next[levels->columns.column[k]]++;
            rows->column[at] = levels->fine.first + slot;
            rows->weight[at] = levels->columns.weight[k];
        }
    }
}

// Vertices that elements stand on.
static void listVertices(const snLatticeModel *model, snLatticeState *state)
{
    snSpaceState *s = &state->space;
    memset(s->listed, 0, (size_t)model->vertexCount);
    for (int c = 1; c < model->classCount; c++)
        for (int k = 0; k < state->active.groupCount[c]; k++) {
            const int *vertex =
                model->classes[c].vertex + (size_t)state->active.groups[c][k] * 8 * SN_GROUP;
            for (int i = 0; i < 8 * SN_GROUP; i++)
                s->listed[vertex[i]] = 1;
        }
    s->vertexCount = s->extraCount = s->touchedCount = 0;
    for (int v = 0; v < model->vertexCount; v++)
        if (s->listed[v]) s->vertices[s->vertexCount++] = v;
    for (int v = 0, count = s->vertexCount; v < model->vertexCount; v++)
        if (!s->listed[v]) s->vertices[count++] = v;
}

// Of every unknown over listed vertices.
static void listColumns(const snLatticeModel *model, snLatticeState *state)
{
    snSpaceState *s = &state->space;
    int unknowns = model->space->functionCount, *next = s->next;
    const snWeightRows *rows = &s->rows;
    snWeightRows *columns = &s->columns;
    memset(next, 0, (size_t)unknowns * sizeof *next);
    for (int i = 0; i < s->vertexCount; i++)
        for (int k = rows->start[s->vertices[i]]; k < rows->start[s->vertices[i] + 1]; k++)
            next[rows->column[k]]++;
    columns->start[0] = 0;
    for (int u = 0; u < unknowns; u++) {
        columns->start[u + 1] = columns->start[u] + next[u];
        next[u] = columns->start[u];
    }
    for (int i = 0; i < s->vertexCount; i++) {
        int v = s->vertices[i];
        for (int k = rows->start[v]; k < rows->start[v + 1]; k++) {
            int at = next[rows->column[k]]++;
            columns->column[at] = v;
            columns->weight[at] = rows->weight[k];
        }
    }
}

// Where the corner forces of a vertex stand, class after class.
static void listForces(const snLatticeModel *model, snLatticeState *state)
{
    snSpaceState *s = &state->space;
    for (int pass = 0; pass < 2; pass++) { // count, then fill
        int first = 0;
        if (!pass) memset(s->gatherStart, 0, ((size_t)model->vertexCount + 2) * sizeof(int));
        for (int c = 0; c < model->classCount; c++) {
            const snElementClass *class = &model->classes[c];
            for (int k = 0; c > 0 && k < state->active.groupCount[c]; k++)
                for (int i = 0; i < 8 * SN_GROUP; i++) {
                    int at = state->active.groups[c][k] * 8 * SN_GROUP + i, v = class->vertex[at];
                    if (pass)
                        s->gather[s->gatherStart[v + 1]++] = first + at;
                    else
                        s->gatherStart[v + 2]++;
                }
            first += class->groupCount * class->corners * class->group;
        }
        for (int v = 0; v < model->vertexCount && !pass; v++)
            s->gatherStart[v + 2] += s->gatherStart[v + 1];
    }
}

static void listGroups(const snLatticeModel *model, snLatticeState *state)
{
    const snSpaceLevels *levels = model->space->levels;
    snActive *a = &state->active;
    memset(a->groupCount, 0, SN_CLASSES * sizeof(int));
    for (int cell = 0; cell < levels->fine.cellCount; cell++) {
        int level = a->cellLevel[cell], class = levels->classOf[level];
        const int *start = levels->groupStart[level];
        for (int g = start[cell]; g < start[cell + 1]; g++)
            a->groups[class][a->groupCount[class]++] = g;
    }
}

static bool isSame(const snSpaceState *s, const snActive *a)
{
    if (s->seenCount != *a->count) return false;
    for (int p = 0; p < s->seenCount; p++)
        if (s->seen[2 * p] != a->order[p] || s->seen[2 * p + 1] != a->functionOf[a->order[p]])
            return false;
    return true;
}

void snSpaceLevels_Update(const snLatticeModel *model, snLatticeState *state)
{
    const snActive *a = &state->active;
    snSpaceState *s = &state->space;
    if (isSame(s, a)) return;
    listGroups(model, state);
    listRows(model, state);
    listVertices(model, state);
    listColumns(model, state);
    listForces(model, state);
    s->seenCount = *a->count;
    for (int p = 0; p < s->seenCount; p++) {
        s->seen[2 * p] = a->order[p];
        s->seen[2 * p + 1] = a->functionOf[a->order[p]];
    }
}

void snSpaceLevels_Reset(const snLatticeModel *model, snLatticeState *state)
{
    const snFineFunctions *fine = &model->space->levels->fine;
    size_t slots = (size_t)fine->slotCount * 4 * sizeof(double);
    snActive_Reset(model, state);
    memset(snRowAt(state->coefficient, fine->first), 0, slots);
    memset(snRowAt(state->coefficientVelocity, fine->first), 0, slots);
    memset(state->space.load, 0, (size_t)model->vertexCount * 4 * sizeof(double));
    memset(state->space.miss, 0, (size_t)fine->total * 4 * sizeof(double));
    memset(state->space.estimate, 0, (size_t)fine->count * sizeof(double));
    *state->space.length = 0;
    *state->space.probe = *state->space.wait = 0;
    memset(state->space.age, 0, (size_t)fine->slotCount * sizeof(int));
    state->space.seenCount = -1;
    snSpaceLevels_Update(model, state);
}

static void listVertex(const snLatticeModel *model, snSpaceState *s, int v)
{
    if (v >= model->vertexCount || s->listed[v] & 4) return;
    s->touched[s->touchedCount++] = v;
    if (!s->listed[v]) {
        s->extra[s->extraCount++] = v;
        s->listed[v] = 2;
    }
    s->listed[v] |= 4;
}

void snSpaceLevels_ListRow(const snLatticeModel *model, snLatticeState *state, int count,
                           const int *vertex)
{
    for (int k = 0; k < count && model->space && model->space->levels; k++)
        listVertex(model, &state->space, vertex[k]);
}

void snSpaceLevels_ListContacts(const snLatticeModel *model, snLatticeState *state,
                                const snLatticeDrive *drive)
{
    snSpaceState *s = &state->space;
    const snLatticeContacts *contacts = drive->contacts;
    if (!model->space || !model->space->levels) return;
    for (int i = 0; i < s->touchedCount; i++)
        s->listed[s->touched[i]] &= 1;
    s->extraCount = s->touchedCount = 0;
    if (!contacts) return;
    for (int p = 0; p < contacts->pullCount; p++)
        snSpaceLevels_ListRow(model, state, contacts->pulls[p].count, contacts->pulls[p].vertex);
    for (int i = 0; i < contacts->recordCount; i++) {
        const snContactRecord *r = &contacts->records[i];
        int first = contacts->start[r->sample];
        snSpaceLevels_ListRow(model, state, contacts->start[r->sample + 1] - first,
                              contacts->vertex + first);
        if (!r->other) snSpaceLevels_ListRow(model, state, r->otherCount, r->otherVertex);
    }
}

void snSpaceLevels_ShowAll(const snLatticeModel *model, const snLatticeState *state)
{
    if (model->space && model->space->levels)
        snSpaceLevels_Push(model, state, state->nextCoefficient, state->next);
}

// ---- back and forth -------------------------------------------------------------------------------

void snSpaceLevels_Push(const snLatticeModel *model, const snLatticeState *state, const double *q,
                        double *y)
{
    snSpace_Combine(model, model->vertexCount,
                    &(snCombination){.rows = &state->space.rows, .x = q, .y = y});
}

void snSpaceLevels_PushListed(const snLatticeModel *model, const snLatticeState *state,
                              const double *q, double *y)
{
    const snSpaceState *s = &state->space;
    snSpace_Combine(model, s->vertexCount,
                    &(snCombination){.rows = &s->rows, .list = s->vertices, .x = q, .y = y});
    snSpace_Combine(model, s->extraCount,
                    &(snCombination){.rows = &s->rows, .list = s->extra, .x = q, .y = y});
}

void snSpaceLevels_PushTouched(const snLatticeModel *model, const snLatticeState *state,
                               const double *q, double *y)
{
    const snSpaceState *s = &state->space;
    snSpace_Combine(model, s->touchedCount,
                    &(snCombination){.rows = &s->rows, .list = s->touched, .x = q, .y = y});
}

void snSpaceLevels_Pull(const snLatticeModel *model, const snLatticeState *state, const double *g,
                        double *p)
{
    const snSpaceLevels *levels = model->space->levels;
    const snActive *a = &state->active;
    int first = levels->fine.first;
    snSpace_Combine(model, first, &(snCombination){.rows = &model->space->columns, .x = g, .y = p});
    memset(snRowAt(p, first), 0, (size_t)levels->fine.slotCount * 4 * sizeof(double));
    for (int i = 0; i < *a->count; i++) {
        int slot = a->order[i], f = a->functionOf[slot];
        double *out = snRowAt(p, first + slot);
        for (int k = levels->columns.start[f]; k < levels->columns.start[f + 1]; k++)
            for (int c = 0; c < 4; c++)
                out[c] += levels->columns.weight[k] * g[4 * levels->columns.column[k] + c];
    }
}

// p += what a vertex has in Bᵀ g; most vertices that may touch have no load.
static void addVertex(const snSpaceState *s, int v, const double *g, double *p)
{
    const double *from = g + 4 * (size_t)v;
    snDouble4 load = snLoad4(from);
    if (from[0] == 0 && from[1] == 0 && from[2] == 0) return;
    for (int k = s->rows.start[v]; k < s->rows.start[v + 1]; k++) {
        double *to = snRowAt(p, s->rows.column[k]);
        snStore4(to, snLoad4(to) + s->rows.weight[k] * load);
    }
}

void snSpaceLevels_PullTouched(const snLatticeModel *model, const snLatticeState *state,
                               const double *load, double *p)
{
    const snSpaceState *s = &state->space;
    memset(p, 0, (size_t)model->space->functionCount * 4 * sizeof(double));
    for (int i = 0; i < s->touchedCount; i++)
        addVertex(s, s->touched[i], load, p);
}

void snSpaceLevels_PullListed(const snLatticeModel *model, const snLatticeState *state,
                              const double *g, double *p)
{
    const snSpaceState *s = &state->space;
    snSpace_Combine(model, model->space->functionCount,
                    &(snCombination){.rows = &s->columns, .x = g, .y = p});
    for (int i = 0; i < s->extraCount; i++)
        addVertex(s, s->extra[i], g, p);
}

// ---- the objective --------------------------------------------------------------------------------

void snSpaceLevels_Predict(const snLatticeModel *model, snLatticeState *state,
                           const double shift[4])
{
    snSpaceState *s = &state->space;
    double h = model->def.step;
    memset(s->load, 0, (size_t)model->vertexCount * 4 * sizeof(double));
    memcpy(s->base, state->nextCoefficient,
           (size_t)model->space->functionCount * 4 * sizeof(double));
    for (int k = 0; k < 4 * model->vertexCount; k++) {
        state->next[k] = state->position[k] + h * state->velocity[k] + shift[k % 4];
        state->wide[k] = model->diagonal[k / 4] * (state->next[k] - state->target[k]);
    }
    snSpaceLevels_Pull(model, state, state->wide, s->slope);
}

typedef struct Gathering {
    const snLatticeModel *model;
    snLatticeState *state;
} Gathering;

static void gatherPiece(int begin, int end, int worker, void *context)
{
    (void)worker;
    Gathering *g = context;
    snSpaceState *s = &g->state->space;
    g->model->vectors->gather(s->gatherStart, s->gather, s->vertices, begin, end, g->state->force,
                              g->state->gradient);
}

double snSpaceLevels_AddTerms(const snLatticeModel *model, snLatticeState *state, bool gradient)
{
    const snFineFunctions *fine = &model->space->levels->fine;
    snSpaceState *s = &state->space;
    double value = 0, *r = state->active.residual;
    for (int k = 0; k < 4 * fine->total; k++)
        r[k] = state->nextCoefficient[k] - s->base[k];
    snActive_MultiplyMass(fine, &state->active, r, s->inertia);
    for (int k = 0; k < 4 * fine->total; k++) {
        value += (0.5 * s->inertia[k] + s->slope[k]) * r[k];
        s->inertia[k] += s->slope[k];
    }
    if (!gradient) return value;
    Gathering g = {model, state};
    snParallelFor(&model->context.tasks, s->vertexCount, GRAIN, gatherPiece, &g);
    for (int i = 0; i < s->extraCount; i++)
        memset(snRowAt(state->gradient, s->extra[i]), 0, 4 * sizeof(double));
    return value;
}

void snSpaceLevels_AddInertia(const snLatticeModel *model, const snLatticeState *state,
                              double *gradient)
{
    for (int k = 0; k < 4 * model->space->functionCount; k++)
        gradient[k] += state->space.inertia[k];
}

void snSpaceLevels_Finish(const snLatticeModel *model, snLatticeState *state,
                          const snLatticeDrive *drive)
{
    snSpaceState *s = &state->space;
    int total = model->space->functionCount;
    double h = model->def.step;
    const snVec3 g = model->def.gravity;
    const double fall[4] = {h * h * g.x, h * h * g.y, h * h * g.z, 0};
    *s->length = h;
    if (drive->contacts) snLatticeContacts_AddLoads(drive->contacts);
    for (int v = 0; v < model->vertexCount && drive->acceleration; v++)
        for (int c = 0; c < 4; c++)
            s->load[4 * v + c] -= model->mass[v] * h * h * drive->acceleration[4 * v + c];
    for (int k = 0; k < 4 * total; k++)
        s->miss[k] = state->nextCoefficient[k] - state->coefficient[k] -
                     h * state->coefficientVelocity[k] - fall[k % 4] * model->space->one[k / 4];
    // Listed ones are there.
    snSpace_Combine(model, model->vertexCount - s->vertexCount,
                    &(snCombination){.rows = &s->rows,
                                     .list = s->vertices + s->vertexCount,
                                     .x = state->nextCoefficient,
                                     .y = state->next});
}
