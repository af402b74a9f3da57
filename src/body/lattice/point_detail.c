// Points of a body with details: where they hang on finer functions, and what changes when these come
// and go.
//
// A point of the rest shape is carried by the finest tet that it lies in, as the surface is (refine.c),
//     p = Σ_k λ_k p_k,     p_k = mean(p of its sources) + d_k,
// so following the sources down gives the weights of the control vertices, which are those of the cell,
// and of every detail: the value of its function at the point. Details that do not act are zero. With
// those that do the constraint has terms in their slots, and its column is a solve with the bordered
// matrix; nothing is factored.
#include "body/lattice/point_detail.h"

#include "body/lattice/space.h"
#include "core/error.h"

#include <string.h>

#define OUTSIDE 0.5 // of a fine tet: points farther out hang on the cell alone, as in refine.c
#define LEAST_WEIGHT 1e-6 // as for vertices: see point.c
#define MOST_ITEMS 64     // corners of a fine tet and all that they are made of

snStatus snPointDetails_Make(snPointDetails *d, const snLatticeModel *model, int capacity,
                             int terms, snArena *arena, snError *error)
{
    const snFineFunctions *fine = snLatticeModel_Fine(model);
    size_t entries = (size_t)capacity * (size_t)d->most, slots = (size_t)fine->slotCount;
    d->count = SN_NEW(arena, int, capacity);
    d->detail = SN_NEW(arena, int, entries);
    d->weight = SN_NEW(arena, double, entries);
    d->current = SN_NEW(arena, unsigned char, capacity);
    d->seen = SN_NEW(arena, int, slots);
    d->seenPivot = SN_NEW(arena, double, slots);
    d->wide = SN_NEW(arena, double, 4 * (size_t)fine->total);
    d->index = SN_NEW(arena, int, terms + d->most);
    d->terms = SN_NEW(arena, double, terms + d->most);
    return d->count && d->detail && d->weight && d->current && d->seen && d->seenPivot && d->wide &&
                   d->index && d->terms
               ? SN_OK
               : snFailMemory(error);
}

// ---- on which details a point hangs -----------------------------------------------------------------

// Where a vertex or point of the model is at rest.
static snVec3 restOf(const snLatticeModel *model, int index)
{
    if (index < model->vertexCount) return model->rest[index];
    const snDetail *detail = model->detail;
    int begin = detail->sourceStart[index - model->vertexCount],
        end = detail->sourceStart[index - model->vertexCount + 1];
    snVec3 sum = {0, 0, 0};
    for (int i = begin; i < end; i++)
        sum = snAdd(sum, restOf(model, detail->source[i]));
    return snScale(1.0 / (end - begin), sum);
}

// Barycentric coordinates in the fine tet at a place of its class: λ_k = ∇λ_k . (x - p_0), and λ_0 is the
// rest. Returns the least.
static double fineWeights(const snLatticeModel *model, const snElementClass *class, int place,
                          snVec3 point, double weight[4])
{
    size_t group = (size_t)place / SN_GROUP, lane = (size_t)place % SN_GROUP;
    snVec3 offset = snSub(point, restOf(model, class->vertex[group * 4 * SN_GROUP + lane]));
    double least = 1;
    weight[0] = 1;
    for (size_t k = 1; k < 4; k++) {
        const double *g =
            (const double *)class->gradient + (group * 3 + k - 1) * 3 * SN_GROUP + lane;
        weight[k] = snDot(snVec(g[0], g[SN_GROUP], g[2 * SN_GROUP]), offset);
        weight[0] -= weight[k];
        least = fmin(least, weight[k]);
    }
    return fmin(least, weight[0]);
}

// Vertices and points with weights, to be followed down.
typedef struct Items {
    int count;
    int index[MOST_ITEMS];
    double weight[MOST_ITEMS];
} Items;

static void addItem(Items *items, int index, double weight)
{
    int at = 0;
    while (at < items->count && items->index[at] != index)
        at++;
    if (at == MOST_ITEMS) return; // cannot be: 8 corners of each level
    if (at == items->count) items->index[items->count++] = index, items->weight[at] = 0;
    items->weight[at] += weight;
}

// Takes the finest point out of the list; false when there are vertices only. Sources come before the
// points made of them.
static bool takeFinest(const snLatticeModel *model, Items *items, int *index, double *weight)
{
    int best = -1;
    for (int i = 0; i < items->count; i++)
        if (items->index[i] >= model->vertexCount &&
            (best < 0 || items->index[i] > items->index[best]))
            best = i;
    if (best < 0) return false;
    *index = items->index[best];
    *weight = items->weight[best];
    items->count--;
    items->index[best] = items->index[items->count];
    items->weight[best] = items->weight[items->count];
    return true;
}

static void followDown(snPointDetails *d, const snLatticeModel *model, int handle, Items *items)
{
    const snDetail *detail = model->detail;
    int index, *count = &d->count[handle];
    double weight;
    while (takeFinest(model, items, &index, &weight)) {
        int point = index - model->vertexCount, own = detail->detailOf[point];
        int begin = detail->sourceStart[point], end = detail->sourceStart[point + 1];
        if (own >= 0 && fabs(weight) > LEAST_WEIGHT && *count < d->most) {
            size_t at = (size_t)handle * (size_t)d->most + (size_t)(*count)++;
            d->detail[at] = own;
            d->weight[at] = weight;
        }
        for (int i = begin; i < end; i++)
            addItem(items, detail->source[i], weight / (end - begin));
    }
}

void snPointDetails_Attach(snPointDetails *d, const snLatticeModel *model, int handle, int cell,
                           snVec3 point)
{
    snPointDetails_Release(d, handle);
    if (cell < 0) return;
    int level = model->detail->levels, best = -1;
    const snElementClass *class = &model->classes[2 + level - 1];
    const int *start = model->detail->groupStart[level - 1];
    double border = -OUTSIDE, trial[4], weight[4];
    for (int place = start[cell] * SN_GROUP; place < start[cell + 1] * SN_GROUP; place++) {
        double least = fineWeights(model, class, place, point, trial);
        if (!(least > border)) continue;
        border = least;
        best = place;
        memcpy(weight, trial, sizeof weight);
    }
    if (best < 0) return;
    Items items = {0};
    for (int k = 0; k < 4; k++)
        addItem(&items, class->vertex[(best / SN_GROUP * 4 + k) * SN_GROUP + best % SN_GROUP],
                weight[k]);
    followDown(d, model, handle, &items);
}

bool snPointDetails_Add(snPointDetails *d, int handle, int function, double weight)
{
    size_t first = (size_t)handle * (size_t)d->most;
    int at = 0;
    while (at < d->count[handle] && d->detail[first + (size_t)at] != function)
        at++;
    if (at == d->most) return false;
    if (at == d->count[handle]) {
        d->count[handle]++;
        d->detail[first + (size_t)at] = function;
        d->weight[first + (size_t)at] = 0;
    }
    d->weight[first + (size_t)at] += weight;
    return true;
}

void snPointDetails_Release(snPointDetails *d, int handle)
{
    size_t first = (size_t)handle * (size_t)d->most;
    d->count[handle] = d->current[handle] = 0;
    memset(d->detail + first, 0, (size_t)d->most * sizeof(int));
    memset(d->weight + first, 0, (size_t)d->most * sizeof(double));
}

// ---- when details come and go -------------------------------------------------------------------------

void snPointDetails_Solve(snPointDetails *d, const snLatticeModel *model, const double *x,
                          double *y)
{
    int unknowns = snLatticeModel_Unknowns(model);
    for (int i = 0; i < unknowns; i++) {
        d->wide[4 * (size_t)i] = x[i];
        for (int c = 1; c < 4; c++)
            d->wide[4 * (size_t)i + (size_t)c] = 0;
    }
    snActive_Solve(model, d->state, d->wide);
    for (int i = 0; i < unknowns; i++)
        y[i] = d->wide[4 * (size_t)i];
}

// The details that act in the order of L, and L's diagonal: where these are the same bits, so is A.
static bool sameAsSeen(const snPointDetails *d, const snLatticeModel *model, const snActive *active)
{
    int n = *active->count;
    size_t stride = (size_t)snLatticeModel_Fine(model)->slotCount;
    if (n != d->seenCount) return false;
    for (int i = 0; i < n; i++)
        if (d->seen[i] != active->functionOf[active->order[i]] ||
            d->seenPivot[i] != active->border[(size_t)i * stride + (size_t)i])
            return false;
    return true;
}

static void see(snPointDetails *d, const snLatticeModel *model, const snActive *active)
{
    size_t stride = (size_t)snLatticeModel_Fine(model)->slotCount;
    d->seenCount = *active->count;
    for (int i = 0; i < d->seenCount; i++) {
        d->seen[i] = active->functionOf[active->order[i]];
        d->seenPivot[i] = active->border[(size_t)i * stride + (size_t)i];
    }
}

// Terms of a constraint: those in what always acts, which stand first and stay, and those in slots.
static snStatus setTerms(snPointDetails *d, const snLatticeModel *model, snConstraintSet *set,
                         int handle)
{
    int *index = d->index, count = 0, free = snLatticeModel_Fine(model)->first;
    double *weight = d->terms;
    size_t first = (size_t)handle * (size_t)set->def.mostTerms;
    for (; count < set->termCount[handle] && set->index[first + (size_t)count] < free; count++) {
        index[count] = set->index[first + (size_t)count];
        weight[count] = set->weight[first + (size_t)count];
    }
    for (int i = 0; i < d->count[handle]; i++) {
        size_t at = (size_t)handle * (size_t)d->most + (size_t)i;
        int slot = d->state->active.slotOf[d->detail[at]];
        if (slot < 0) continue;
        index[count] = free + slot;
        weight[count++] = d->weight[at];
    }
    return snConstraintSet_SetTerms(set, handle, count, index, weight, NULL);
}

bool snPointDetails_Update(snPointDetails *d, const snLatticeModel *model, snConstraintSet *set,
                           const snLatticeState *state)
{
    if (!sameAsSeen(d, model, &state->active)) {
        memset(d->current, 0, (size_t)set->def.capacity);
        see(d, model, &state->active);
    }
    bool good = true;
    d->state = state;
    for (int p = 0; p < *set->count && good; p++) {
        int handle = set->order[p];
        if (d->current[handle]) continue;
        good = setTerms(d, model, set, handle) == SN_OK;
        d->current[handle] = good;
    }
    d->state = NULL;
    return good;
}
