#include "body/lattice/active.h"

#include "body/lattice/detail.h"
#include "body/lattice/row.h"
#include "body/lattice/space_levels.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/simd.h"

#include <string.h>

const snFineFunctions *snLatticeModel_Fine(const snLatticeModel *model)
{
    if (model->detail) return &model->detail->fine;
    return model->space && model->space->levels ? &model->space->levels->fine : NULL;
}

// ---- building -------------------------------------------------------------------------------------

// Entry k of a matrix, counted or filled from both its ends: into whole rows of what always acts, and whole
// rows of functions.
typedef struct Rows {
    const snSparse *mass, *step;
    snFineFunctions *fine;
    bool fill;
} Rows;

static double massAt(const Rows *rows, int row, int column, int64_t k)
{
    if (rows->mass->pattern.row == rows->step->pattern.row) return rows->mass->values[k];
    int64_t at = snPattern_Find(&rows->mass->pattern, row, column);
    return at < 0 ? 0 : rows->mass->values[at];
}

static void addEntry(Rows *rows, int item, int other, double mass, double step)
{
    snFineFunctions *fine = rows->fine;
    if (item >= 0 && other < 0) return; // functions have these, once
    int *start = item >= 0 ? fine->massStart + item : fine->rowStart + ~item;
    if (!rows->fill) {
        start[2]++;
        return;
    }
    int at = start[1]++;
    if (item >= 0) {
        fine->massColumn[at] = other;
        fine->massValue[at] = mass;
        return;
    }
    fine->column[at] = other;
    fine->mass[at] = mass;
    fine->matrix[at] = step;
}

static void visitEntries(Rows *rows, const int *itemOf)
{
    const snPattern *p = &rows->step->pattern;
    for (int c = 0; c < p->size; c++)
        for (int k = p->columnStart[c]; k < p->columnStart[c + 1]; k++) {
            int a = itemOf[p->row[k]], b = itemOf[c];
            double mass = rows->fill ? massAt(rows, p->row[k], c, k) : 0;
            addEntry(rows, a, b, mass, rows->step->values[k]);
            if (a != b) addEntry(rows, b, a, mass, rows->step->values[k]);
        }
}

static void swapEntries(snFineFunctions *fine, int a, int b)
{
    int column = fine->column[a];
    double mass = fine->mass[a], matrix = fine->matrix[a];
    fine->column[a] = fine->column[b];
    fine->mass[a] = fine->mass[b];
    fine->matrix[a] = fine->matrix[b];
    fine->column[b] = column;
    fine->mass[b] = mass;
    fine->matrix[b] = matrix;
}

static snStatus splitRows(snFineFunctions *fine, snArena *arena, snError *error)
{
    fine->rowSplit = SN_NEW(arena, int, fine->count);
    if (!fine->rowSplit) return snFailMemory(error);
    for (int f = 0; f < fine->count; f++) {
        int split = fine->rowStart[f];
        for (int k = split; k < fine->rowStart[f + 1]; k++)
            if (fine->column[k] >= 0) swapEntries(fine, k, split++);
        fine->rowSplit[f] = split;
    }
    return SN_OK;
}

snStatus snFineFunctions_SetRows(snFineFunctions *fine, const snSparse *mass, const snSparse *step,
                                 const int *itemOf, snArena *arena, snError *error)
{
    fine->massStart = SN_NEW(arena, int, fine->total + 2);
    fine->rowStart = SN_NEW(arena, int, fine->count + 2);
    if (!fine->massStart || !fine->rowStart) return snFailMemory(error);
    Rows rows = {mass, step, fine, false};
    visitEntries(&rows, itemOf);
    for (int v = 0; v < fine->total; v++)
        fine->massStart[v + 2] += fine->massStart[v + 1];
    for (int f = 0; f < fine->count; f++)
        fine->rowStart[f + 2] += fine->rowStart[f + 1];
    int own = fine->massStart[fine->total + 1], others = fine->rowStart[fine->count + 1];
    fine->massColumn = SN_NEW(arena, int, own);
    fine->massValue = SN_NEW(arena, double, own);
    fine->column = SN_NEW(arena, int, others);
    fine->mass = SN_NEW(arena, double, others);
    fine->matrix = SN_NEW(arena, double, others);
    if (!fine->massColumn || !fine->massValue || !fine->column || !fine->mass || !fine->matrix)
        return snFailMemory(error);
    rows.fill = true;
    visitEntries(&rows, itemOf);
    return splitRows(fine, arena, error);
}

// ---- rows of four -------------------------------------------------------------------------------

#define INDEPENDENT 1e-10 // of a function's diagonal: what must be left of it beside the others

// ---- the border -----------------------------------------------------------------------------------

// The new row of S for function f: S_fk = A_fk - A_f0 A_00⁻¹ A_0k, over the acting functions k and f
// itself last. `w` is A_00⁻¹ A_0f.
static void findBorderRow(const snLatticeModel *model, snLatticeState *state, int f, double *s)
{
    const snFineFunctions *fine = snLatticeModel_Fine(model);
    const snActive *active = &state->active;
    double *w = active->product;
    int n = *active->count;
    memset(w, 0, (size_t)fine->first * sizeof(double));
    memset(s, 0, (size_t)(n + 1) * sizeof(double));
    for (int k = fine->rowStart[f]; k < fine->rowStart[f + 1]; k++) {
        int column = fine->column[k];
        if (column >= 0 && column < fine->first) w[column] = fine->matrix[k];
        if (column < 0 && ~column == f) s[n] = fine->matrix[k];
        if (column < 0 && active->slotOf[~column] >= 0)
            s[active->place[active->slotOf[~column]]] = fine->matrix[k];
    }
    snFactor_SolveOrdered(model->factor, 1, w, state->solve);
    for (int i = 0; i <= n; i++) {
        int e = i < n ? active->functionOf[active->order[i]] : f;
        for (int k = fine->rowStart[e]; k < fine->rowSplit[e]; k++)
            if (fine->column[k] < fine->first) s[i] -= fine->matrix[k] * w[fine->column[k]];
    }
}

// L gets the row l = L \ s and √(s_ff - l.l). False when the function depends on what is there.
static bool appendBorder(const snLatticeModel *model, snLatticeState *state, int f)
{
    snActive *a = &state->active;
    int n = *a->count, stride = snLatticeModel_Fine(model)->slotCount;
    double *l = a->border + (size_t)n * (size_t)stride, rest;
    findBorderRow(model, state, f, a->residual);
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
    if (!(rest > INDEPENDENT * a->residual[n])) return false;
    l[n] = sqrt(rest);
    return true;
}

// Without row and column k, the rows behind obey L' L'ᵀ = L Lᵀ + c cᵀ with c the column that goes: a
// rank-one update, by rotations.
static void dropBorder(const snLatticeModel *model, snLatticeState *state, int place)
{
    snActive *a = &state->active;
    int n = *a->count;
    size_t stride = (size_t)snLatticeModel_Fine(model)->slotCount;
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

// ---- switching ------------------------------------------------------------------------------------

int snActive_LevelNeeded(const snActive *active, int cell)
{
    int level = SN_DETAIL_LEVELS;
    while (level > 0 && active->levelUse[cell * SN_DETAIL_LEVELS + level - 1] == 0)
        level--;
    return level;
}

static void use(const snFineFunctions *fine, snActive *a, int f, int change)
{
    for (int i = fine->supportStart[f]; i < fine->supportStart[f + 1]; i++)
        a->levelUse[fine->support[i] * SN_DETAIL_LEVELS + fine->level[f] - 1] += change;
}

int snActive_Add(const snLatticeModel *model, snLatticeState *state, int f)
{
    const snFineFunctions *fine = snLatticeModel_Fine(model);
    snActive *a = &state->active;
    int slot = 0, n = *a->count;
    if (n == fine->slotCount || !appendBorder(model, state, f)) return -1;
    while (a->functionOf[slot] >= 0)
        slot++;
    a->functionOf[slot] = f;
    a->slotOf[f] = slot;
    a->order[n] = slot;
    a->place[slot] = n;
    *a->count = n + 1;
    use(fine, a, f, 1);
    return slot;
}

int snActive_Drop(const snLatticeModel *model, snLatticeState *state, int place)
{
    snActive *a = &state->active;
    int slot = a->order[place], f = a->functionOf[slot], n = *a->count - 1;
    dropBorder(model, state, place);
    *a->count = n;
    memmove(a->order + place, a->order + place + 1, (size_t)(n - place) * sizeof(int));
    for (int i = place; i < n; i++)
        a->place[a->order[i]] = i;
    a->functionOf[slot] = -1;
    a->slotOf[f] = -1;
    use(snLatticeModel_Fine(model), a, f, -1);
    return slot;
}

void snActive_Reset(const snLatticeModel *model, snLatticeState *state)
{
    const snFineFunctions *fine = snLatticeModel_Fine(model);
    snActive *a = &state->active;
    size_t slots = (size_t)fine->slotCount, cells = (size_t)fine->cellCount;
    *a->count = 0;
    for (int f = 0; f < fine->count; f++)
        a->slotOf[f] = -1;
    for (int slot = 0; slot < fine->slotCount; slot++)
        a->functionOf[slot] = a->order[slot] = a->place[slot] = -1;
    memset(a->cellLevel, 0, cells * sizeof(int));
    memset(a->levelUse, 0, cells * SN_DETAIL_LEVELS * sizeof(int));
    memset(a->border, 0, slots * slots * sizeof(double));
    *a->scale = fine->scale;
}

void snActive_Suit(const snLatticeModel *model, snLatticeState *state)
{
    const snFineFunctions *fine = snLatticeModel_Fine(model);
    snActive *a = &state->active;
    int count = *a->count;
    if (*a->scale == fine->scale) return;
    *a->scale = fine->scale;
    for (*a->count = 0; *a->count < count; ++*a->count) {
        int n = *a->count;
        double *pivot = a->border + (size_t)n * ((size_t)fine->slotCount + 1);
        if (!appendBorder(model, state, a->functionOf[a->order[n]]))
            *pivot = sqrt(INDEPENDENT * a->residual[n]); // no less than what lets one come
    }
}

// ---- in a step ------------------------------------------------------------------------------------

void snActive_MultiplyMass(const snFineFunctions *fine, const snActive *a, const double *x,
                           double *out)
{
    for (int i = 0; i < fine->total; i++) {
        double sum[4] = {0};
        for (int k = fine->massStart[i]; k < fine->massStart[i + 1]; k++)
            snAddRow(sum, fine->massValue[k], snConstRowAt(x, fine->massColumn[k]));
        memcpy(snRowAt(out, i), sum, sizeof sum);
    }
    for (int p = 0; p < *a->count; p++) {
        int slot = fine->first + a->order[p], f = a->functionOf[a->order[p]];
        double *own = snRowAt(out, slot);
        for (int k = fine->rowStart[f]; k < fine->rowSplit[f]; k++) {
            snAddRow(own, fine->mass[k], snConstRowAt(x, fine->column[k]));
            snAddRow(snRowAt(out, fine->column[k]), fine->mass[k], snConstRowAt(x, slot));
        }
        for (int k = fine->rowSplit[f]; k < fine->rowStart[f + 1]; k++) {
            int other = a->slotOf[~fine->column[k]];
            if (other >= 0) snAddRow(own, fine->mass[k], snConstRowAt(x, fine->first + other));
        }
    }
}

// Σ over what always acts of a function's row of A: sum -= A_f0 x.
static void subtractRow(const snFineFunctions *fine, int f, const double *x, double sum[4])
{
    for (int k = fine->rowStart[f]; k < fine->rowSplit[f]; k++)
        if (fine->column[k] < fine->first)
            snAddRow(sum, -fine->matrix[k], snConstRowAt(x, fine->column[k]));
}

// Rows i ... i + 3 of L \ b at once, and of Lᵀ \ b: sums side by side, each in the order of its own row.
#define TOGETHER 4

static void solveRowsDown(const double *border, size_t stride, int i, double *b)
{
    const double *l[TOGETHER];
    snDouble4 sum[TOGETHER];
    for (int r = 0; r < TOGETHER; r++) {
        l[r] = border + (size_t)(i + r) * stride;
        sum[r] = snLoad4(snRowAt(b, i + r));
    }
    for (int k = 0; k < i; k++) {
        snDouble4 x = snLoad4(snRowAt(b, k));
        for (int r = 0; r < TOGETHER; r++)
            sum[r] += -l[r][k] * x;
    }
    for (int r = 0; r < TOGETHER; r++) {
        for (int k = 0; k < r; k++)
            sum[r] += -l[r][i + k] * sum[k];
        sum[r] /= l[r][i + r];
        snStore4(snRowAt(b, i + r), sum[r]);
    }
}

static void solveRowsUp(const double *border, size_t stride, int i, double *b)
{
    const double *l[TOGETHER];
    snDouble4 x[TOGETHER];
    for (int r = 0; r < TOGETHER; r++) {
        l[r] = border + (size_t)(i + r) * stride;
        x[r] = snLoad4(snRowAt(b, i + r));
    }
    for (int r = TOGETHER - 1; r >= 0; r--) {
        x[r] /= l[r][i + r];
        for (int k = 0; k < r; k++)
            x[k] += -l[r][i + k] * x[r];
        snStore4(snRowAt(b, i + r), x[r]);
    }
    for (int k = 0; k < i; k++) {
        snDouble4 sum = snLoad4(snRowAt(b, k));
        for (int r = TOGETHER - 1; r >= 0; r--)
            sum += -l[r][k] * x[r];
        snStore4(snRowAt(b, k), sum);
    }
}

// S⁻¹ on the right-hand sides of acting functions in the order of L, four at a time.
static void solveBorder(const snActive *a, int stride, double *b)
{
    int n = *a->count, whole = n - n % TOGETHER;
    for (int i = 0; i < whole; i += TOGETHER)
        solveRowsDown(a->border, (size_t)stride, i, b);
    for (int i = whole; i < n; i++) { // L \ b
        const double *l = a->border + (size_t)i * (size_t)stride;
        for (int k = 0; k < i; k++)
            snAddRow(snRowAt(b, i), -l[k], snRowAt(b, k));
        for (int c = 0; c < 4; c++)
            snRowAt(b, i)[c] /= l[i];
    }
    for (int i = n - 1; i >= whole; i--) { // Lᵀ \ b
        const double *l = a->border + (size_t)i * (size_t)stride;
        for (int c = 0; c < 4; c++)
            snRowAt(b, i)[c] /= l[i];
        for (int k = 0; k < i; k++)
            snAddRow(snRowAt(b, k), -l[k], snRowAt(b, i));
    }
    for (int i = whole - TOGETHER; i >= 0; i -= TOGETHER)
        solveRowsUp(a->border, (size_t)stride, i, b);
}

void snActive_Solve(const snLatticeModel *model, const snLatticeState *state, double *x)
{
    const snActive *a = &state->active;
    const snFineFunctions *fine = snLatticeModel_Fine(model);
    int n = *a->count, first = fine->first;
    if (n) {
        double *y = a->product, *b = a->residual;
        memcpy(y, x, (size_t)first * 4 * sizeof(double));
        snFactor_SolveOrdered(model->factor, 4, y, state->solve); // y = A_00⁻¹ x_0
        for (int i = 0; i < n; i++) {                             // b = x_d - A_d0 y
            memcpy(snRowAt(b, i), snRowAt(x, first + a->order[i]), 4 * sizeof(double));
            subtractRow(fine, a->functionOf[a->order[i]], y, snRowAt(b, i));
        }
        solveBorder(a, fine->slotCount, b);
        for (int i = 0; i < n; i++) { // x_0 -= A_0d x_d
            int f = a->functionOf[a->order[i]];
            memcpy(snRowAt(x, first + a->order[i]), snRowAt(b, i), 4 * sizeof(double));
            for (int k = fine->rowStart[f]; k < fine->rowSplit[f]; k++)
                if (fine->column[k] < first)
                    snAddRow(snRowAt(x, fine->column[k]), -fine->matrix[k], snRowAt(b, i));
        }
    }
    snFactor_SolveOrdered(model->factor, 4, x, state->solve);
}

void snLatticeModel_SolveUnknowns(const snLatticeModel *model, const snLatticeState *state,
                                  double *x, double *scratch)
{
    if (snLatticeModel_Fine(model))
        snActive_Solve(model, state, x);
    else
        snFactor_SolveRows(model->factor, x, scratch);
}

uint64_t snActive_Hash(const snLatticeModel *model, const snLatticeState *state)
{
    const snFineFunctions *fine = snLatticeModel_Fine(model);
    const snActive *a = &state->active;
    if (!fine) return 0;
    uint64_t hash = snHash(SN_HASH_BEGIN, a->order, (size_t)*a->count * sizeof(int));
    for (int p = 0; p < *a->count; p++) {
        const double *pivot = a->border + (size_t)p * ((size_t)fine->slotCount + 1);
        hash = snHash(hash, &a->functionOf[a->order[p]], sizeof(int));
        hash = snHash(hash, pivot, sizeof *pivot);
    }
    return hash;
}

// ---- who should act -------------------------------------------------------------------------------

int snCandidate_Insert(snCandidate *list, int count, int most, snCandidate candidate)
{
    if (most <= 0 || (count == most && !(candidate.measure > list[count - 1].measure)))
        return count;
    int at = count < most ? count : most - 1;
    for (; at > 0 && list[at - 1].measure < candidate.measure; at--)
        list[at] = list[at - 1];
    list[at] = candidate;
    return count < most ? count + 1 : count;
}
