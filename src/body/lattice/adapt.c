// Switching details on and off between steps.
#include "body/lattice/detail.h"

#include "body/lattice/passes.h"

#include <string.h>

snAdaptDef snDefaultAdaptDef(void)
{
    snAdaptDef def = {.least = 1e-4, .mostChanges = 16};
    for (int level = 0; level < SN_DETAIL_LEVELS; level++) {
        def.refine[level] = 0.15 * (1 << level);
        def.coarsen[level] = 0.05 * (1 << level);
    }
    return def;
}

// ---- the border -----------------------------------------------------------------------------------

// The new row of S for detail d: S_dk = A_dk - A_d0 A_00⁻¹ A_0k, over the active details k and d
// itself last. `w` is A_00⁻¹ A_0d.
static void findBorderRow(const snLatticeModel *model, snLatticeState *state, int d, double *s)
{
    const snDetail *detail = model->detail;
    const snDetailState *active = &state->detail;
    double *w = active->product;
    int n = *active->activeCount;
    memset(w, 0, (size_t)model->freeCount * sizeof(double));
    memset(s, 0, (size_t)(n + 1) * sizeof(double));
    for (int k = detail->rowStart[d]; k < detail->rowStart[d + 1]; k++) {
        int column = detail->column[k];
        if (column >= 0 && column < model->freeCount) w[column] = detail->matrix[k];
        if (column < 0 && ~column == d) s[n] = detail->matrix[k];
        if (column < 0 && active->slotOf[~column] >= 0)
            s[active->place[active->slotOf[~column]]] = detail->matrix[k];
    }
    snFactor_SolveOrdered(model->factor, 1, w, state->solve);
    for (int i = 0; i <= n; i++) {
        int e = i < n ? active->detailOf[active->order[i]] : d;
        for (int k = detail->rowStart[e]; k < detail->rowStart[e + 1]; k++)
            if (detail->column[k] >= 0 && detail->column[k] < model->freeCount)
                s[i] -= detail->matrix[k] * w[detail->column[k]];
    }
}

// L gets the row l = L \ s and √(s_dd - l.l). False when the detail depends on what is there.
static bool appendBorder(const snLatticeModel *model, snLatticeState *state, int d)
{
    snDetailState *a = &state->detail;
    int n = *a->activeCount, stride = model->detail->slotCount;
    double *l = a->border + (size_t)n * (size_t)stride, rest;
    findBorderRow(model, state, d, a->residual);
    for (int i = 0; i < n; i++) {
        const double *above = a->border + (size_t)i * (size_t)stride;
        double sum = a->residual[i];
        for (int k = 0; k < i; k++)
            sum -= above[k] * l[k];
        l[i] = sum / above[i];
    }
    rest = a->residual[n];
    for (int k = 0; k < n; k++)
        rest -= l[k] * l[k];
    if (!(rest > 1e-10 * a->residual[n])) return false;
    l[n] = sqrt(rest);
    return true;
}

// Without row and column k, the rows behind obey L' L'ᵀ = L Lᵀ + c cᵀ with c the column that goes: a
// rank-one update, by rotations.
static void dropBorder(const snLatticeModel *model, snLatticeState *state, int place)
{
    snDetailState *a = &state->detail;
    int n = *a->activeCount;
    size_t stride = (size_t)model->detail->slotCount;
    double *c = a->residual;
    for (int i = place + 1; i < n; i++) {
        double *from = a->border + (size_t)i * stride, *to = from - stride;
        c[i - 1] = from[place];
        memcpy(to, from, (size_t)place * sizeof(double));
        memcpy(to + place, from + place + 1, (size_t)(i - place) * sizeof(double));
    }
    for (int k = place; k < n - 1; k++) {
        double *column = a->border + (size_t)k; // element (i, k) is column[i * stride]
        double old = column[(size_t)k * stride], now = sqrt(old * old + c[k] * c[k]);
        double cosine = now / old, sine = c[k] / old;
        column[(size_t)k * stride] = now;
        for (int i = k + 1; i < n - 1; i++) {
            double *l = column + (size_t)i * stride;
            *l = (*l + sine * c[i]) / cosine;
            c[i] = cosine * c[i] - sine * *l;
        }
    }
}

// ---- what acts ------------------------------------------------------------------------------------

static int levelNeeded(const snDetailState *a, int cell)
{
    int level = SN_DETAIL_LEVELS;
    while (level > 0 && a->levelUse[cell * SN_DETAIL_LEVELS + level - 1] == 0)
        level--;
    return level;
}

// Marks the points of the active elements with what they are made of.
static void markPoints(const snLatticeModel *model, snDetailState *a, unsigned char *wanted)
{
    const snDetail *detail = model->detail;
    memset(wanted, 0, (size_t)detail->pointCount);
    for (int c = 2; c < model->classCount; c++)
        for (int k = 0; k < a->groupCount[c]; k++)
            for (int i = 0; i < 4 * SN_GROUP; i++) {
                int v = model->classes[c].vertex[a->groups[c][k] * 4 * SN_GROUP + i];
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
    memset(a->groupCount, 0, SN_CLASSES * sizeof(int));
    *a->pointCount = 0;
    for (int cell = 0; cell < model->lattice.cellCount; cell++) {
        int level = a->cellLevel[cell];
        a->share[detail->element[cell]] = level == 0;
        if (level == 0) continue;
        const int *start = detail->groupStart[level - 1];
        for (int g = start[cell]; g < start[cell + 1]; g++)
            a->groups[2 + level - 1][a->groupCount[2 + level - 1]++] = g;
    }
    markPoints(model, a, a->wanted);
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
    snDetailState *a = &state->detail;
    int begun[SN_CLASSES] = {0};
    bool changed = false;
    for (int cell = 0; cell < model->lattice.cellCount; cell++) {
        int level = levelNeeded(a, cell);
        if (level == a->cellLevel[cell]) continue;
        changed = true;
        a->cellLevel[cell] = level;
        if (level == 0) continue;
        beginElements(model, state, cell, level);
        const int *start = model->detail->groupStart[level - 1];
        for (int g = start[cell]; g < start[cell + 1]; g++)
            a->begun[2 + level - 1][begun[2 + level - 1]++] = g;
    }
    if (!changed) return;
    listActive(model, state);
    snDetail_Expand(model, state, state->position, false);
    snDetail_Expand(model, state, state->rig, false);
    for (int c = 2; c < model->classCount; c++) {
        snGroupList list = {c, begun[c], a->begun[c]};
        snRunGroups(model, state, SN_PASS_TARGET, snLatticeState_Stretched(model, state), &list);
        snRunGroups(model, state, SN_PASS_STRAIN, state->position, &list);
    }
}

static void use(const snLatticeModel *model, snDetailState *a, int d, int change)
{
    const snDetail *detail = model->detail;
    for (int i = detail->supportStart[d]; i < detail->supportStart[d + 1]; i++)
        a->levelUse[detail->support[i] * SN_DETAIL_LEVELS + detail->level[d] - 1] += change;
}

static bool switchOn(const snLatticeModel *model, snLatticeState *state, int d)
{
    snDetailState *a = &state->detail;
    int slot = 0, n = *a->activeCount;
    if (n == model->detail->slotCount || !appendBorder(model, state, d)) return false;
    while (a->detailOf[slot] >= 0)
        slot++;
    a->detailOf[slot] = d;
    a->slotOf[d] = slot;
    a->order[n] = slot;
    a->place[slot] = n;
    *a->activeCount = n + 1;
    size_t at = 4 * (size_t)(model->freeCount + slot);
    memset(state->position + at, 0, 4 * sizeof(double));
    memset(state->velocity + at, 0, 4 * sizeof(double));
    use(model, a, d, 1);
    return true;
}

static void switchOff(const snLatticeModel *model, snLatticeState *state, int place)
{
    snDetailState *a = &state->detail;
    int slot = a->order[place], d = a->detailOf[slot], n = *a->activeCount - 1;
    dropBorder(model, state, place);
    *a->activeCount = n;
    memmove(a->order + place, a->order + place + 1, (size_t)(n - place) * sizeof(int));
    for (int i = place; i < n; i++)
        a->place[a->order[i]] = i;
    a->detailOf[slot] = -1;
    a->slotOf[d] = -1;
    size_t at = 4 * (size_t)(model->freeCount + slot);
    memset(state->position + at, 0, 4 * sizeof(double));
    memset(state->velocity + at, 0, 4 * sizeof(double));
    use(model, a, d, -1);
}

void snDetail_Reset(const snLatticeModel *model, snLatticeState *state)
{
    const snDetail *detail = model->detail;
    snDetailState *a = &state->detail;
    *a->activeCount = 0;
    for (int d = 0; d < detail->count; d++)
        a->slotOf[d] = -1;
    for (int slot = 0; slot < detail->slotCount; slot++)
        a->detailOf[slot] = a->order[slot] = a->place[slot] = -1;
    memset(a->cellLevel, 0, (size_t)model->lattice.cellCount * sizeof(int));
    memset(a->levelUse, 0, (size_t)model->lattice.cellCount * SN_DETAIL_LEVELS * sizeof(int));
    for (int k = 0; k < model->classes[0].groupCount * SN_GROUP; k++)
        a->share[k] = 1;
    memset(a->border, 0, (size_t)detail->slotCount * (size_t)detail->slotCount * sizeof(double));
    listActive(model, state);
}

// ---- who should act -------------------------------------------------------------------------------

// |e|² of every cell's own element, which is followed at any level.
static void measureCells(const snLatticeModel *model, snLatticeState *state, double *measure)
{
    for (int cell = 0; cell < model->lattice.cellCount; cell++) {
        size_t place = (size_t)model->detail->element[cell];
        const double *strain = state->elements[0].strain;
        const double *e = strain + place / SN_GROUP * 9 * SN_GROUP + place % SN_GROUP;
        measure[cell] = 0;
        for (int i = 0; i < 9; i++)
            measure[cell] += e[i * SN_GROUP] * e[i * SN_GROUP];
    }
}

static double measureDetail(const snDetail *detail, int d, const double *measure)
{
    double most = 0;
    for (int i = detail->supportStart[d]; i < detail->supportStart[d + 1]; i++)
        if (measure[detail->support[i]] > most) most = measure[detail->support[i]];
    return most;
}

#define MOST_CHANGES 64

typedef struct Candidate {
    int detail;
    double measure;
} Candidate;

// Keeps the list ordered by measure, equal ones by number, and no longer than `most`.
static int insert(Candidate *list, int count, int most, Candidate candidate)
{
    if (most <= 0 || (count == most && !(candidate.measure > list[count - 1].measure)))
        return count;
    int at = count < most ? count : most - 1;
    for (; at > 0 && list[at - 1].measure < candidate.measure; at--)
        list[at] = list[at - 1];
    list[at] = candidate;
    return count < most ? count + 1 : count;
}

// The details that want to act most; counts all that want to.
static int findCandidates(const snLatticeModel *model, const snDetailState *a,
                          const snAdaptDef *def, int most, Candidate *list, int *wanted)
{
    const snDetail *detail = model->detail;
    int count = 0;
    for (int d = 0; d < detail->count; d++) {
        if (a->slotOf[d] >= 0) continue;
        double m = measureDetail(detail, d, a->measure), limit = def->refine[detail->level[d] - 1];
        if (limit >= 0 && !(m > limit * limit)) continue;
        ++*wanted;
        count = insert(list, count, most, (Candidate){d, m});
    }
    return count;
}

static bool mayGo(const snLatticeModel *model, const snLatticeState *state, const snAdaptDef *def,
                  int place)
{
    const snDetail *detail = model->detail;
    int slot = state->detail.order[place], d = state->detail.detailOf[slot];
    double limit = def->coarsen[detail->level[d] - 1], least = def->least * detail->size[d];
    if (measureDetail(detail, d, state->detail.measure) >= limit * limit) return false;
    const double *x = state->position + 4 * (size_t)(model->freeCount + slot);
    const double *v = state->velocity + 4 * (size_t)(model->freeCount + slot);
    double move = snLength(snVec(v[0], v[1], v[2])) * 10 * model->def.step;
    return snLength(snVec(x[0], x[1], x[2])) <= least && move <= least;
}

snAdaptReport snLattice_Adapt(const snLatticeModel *model, snLatticeState *state,
                              const snAdaptDef *def)
{
    snDetailState *a = &state->detail;
    snAdaptReport report = {0};
    Candidate list[MOST_CHANGES];
    if (!model->detail) return report;
    int most = def->mostChanges < MOST_CHANGES ? def->mostChanges : MOST_CHANGES;
    measureCells(model, state, a->measure);
    for (int place = *a->activeCount - 1; place >= 0 && report.removed < most; place--)
        if (mayGo(model, state, def, place)) {
            switchOff(model, state, place);
            report.removed++;
        }
    int count = findCandidates(model, a, def, most - report.removed, list, &report.wanted);
    for (int i = 0; i < count; i++)
        report.added += switchOn(model, state, list[i].detail);
    report.wanted -= report.added;
    report.active = *a->activeCount;
    if (report.added || report.removed) settleLevels(model, state);
    return report;
}
