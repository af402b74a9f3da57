#include "body/lattice/contact_dual.h"

#include "body/lattice/contact_parts.h"
#include "body/lattice/contact_rung.h"
#include "body/lattice/space.h"
#include "core/error.h"
#include "numerics/dense.h"

#include <string.h>

#define MOST_RECORDS 600 // dense matrices of that many rows
#define COMPLIANCE 1e-3  // of what a contact alone gives way by: C over the diagonal of G
#define MOST_ROUNDS 12   // of exchanging all that have the wrong sign ...
#define MOST_PIVOTS                                                                                \
    100 // ... and then the first of them alone, which must come to an end (Murty, 1974), ...
#define MOST_SWEEPS 60 // ... but not in any time

snStatus snContactDual_Make(snContactDual **out, int most, snArena *arena, snError *error)
{
    *out = NULL;
    int n = most < MOST_RECORDS ? most : MOST_RECORDS;
    size_t square = (size_t)n * (size_t)n;
    snContactDual *dual = SN_NEW(arena, snContactDual, 1);
    if (!dual) return snFailMemory(error);
    dual->capacity = n;
    dual->entries = SN_NEW(arena, snDualEntry, n);
    dual->matrix = SN_NEW(arena, double, square);
    dual->factor = SN_NEW(arena, double, square);
    dual->slack = SN_NEW(arena, double, n);
    dual->base = SN_NEW(arena, double, n);
    dual->force = SN_NEW(arena, double, n);
    dual->change = SN_NEW(arena, double, n);
    dual->pushing = SN_NEW(arena, int, n);
    dual->pushes = SN_NEW(arena, unsigned char, n);
    dual->pushed = SN_NEW(arena, unsigned char, n);
    dual->factoredOf = SN_NEW(arena, unsigned char, n);
    dual->last = SN_NEW(arena, snDualKey, n);
    if (!dual->entries || !dual->matrix || !dual->factor || !dual->slack || !dual->base ||
        !dual->force || !dual->change || !dual->pushing || !dual->pushes || !dual->pushed ||
        !dual->factoredOf || !dual->last)
        return snFailMemory(error);
    *out = dual;
    return SN_OK;
}

// ---- how vertices give way ----------------------------------------------------------------------

static void addSkin(snLatticeContacts *c, int v, double weight)
{
    if (v >= c->model->freeCount || weight == 0 || c->skinOf[v] >= 0) return;
    c->skin[c->skinCount] = v;
    c->skinOf[v] = c->skinCount++;
}

static snStatus findSkin(snLatticeContacts *c, const snContactSamples *others, snError *error)
{
    c->skin = SN_NEW(&c->arena, int, c->model->vertexCount);
    c->skinOf = SN_NEW(&c->arena, int, c->model->vertexCount);
    if (!c->skinOf || !c->skin) return snFailMemory(error);
    for (int v = 0; v < c->model->vertexCount; v++)
        c->skinOf[v] = -1;
    for (int k = 0; k < (c->sampleCount ? c->start[c->sampleCount] : 0); k++)
        addSkin(c, c->vertex[k], c->weight[k]);
    for (int k = 0; others && k < others->start[others->count]; k++)
        addSkin(c, c->model->indexOf[others->vertex[k]], others->weight[k]);
    if (c->skinCount > SN_MOST_SKIN)
        return snFail(
            error, SN_ERROR_UNSUPPORTED,
            "what touches hangs on %d vertices of the lattice; exact contact knows %d: make "
            "the lattice coarser",
            c->skinCount, SN_MOST_SKIN);
    return SN_OK;
}

snStatus snContactGreen_Make(snLatticeContacts *c, const snContactSamples *others, snArena *scratch,
                             const snContext *context, snError *error)
{
    int n = c->model->vertexCount;
    snStatus status = findSkin(c, others, error);
    if (status) return status;
    c->load = SN_NEW(&c->arena, double, (size_t)n * 4);
    c->pulled = SN_NEW(&c->arena, double, (size_t)snLatticeModel_Unknowns(c->model) * 4);
    if (!c->load || !c->pulled) return snFailMemory(error);
    c->green = &c->ownGreen;
    status = snContactGreen_Alloc(c->green, c, &c->arena, error);
    snGreenScratch work;
    if (!status) status = snGreenScratch_Make(&work, c, scratch, context, error);
    if (status) return status;
    c->green->model = c->model;
    for (int k = 0; k < c->skinCount; k++)
        work.wanted[k] = k;
    snContactGreen_Find(c->green, c, &work, c->skinCount, &context->tasks);
    return SN_OK;
}

// ---- rows ---------------------------------------------------------------------------------------

typedef struct Row {
    const snLatticeContacts *of;
    int count;
    const int *vertex;
    const double *weight;
} Row;

// The sides of a record: its sample and what that touches.
static int rowsOf(const snDualEntry *entry, Row rows[2])
{
    const snLatticeContacts *c = entry->contacts;
    const snContactRecord *r = entry->record;
    int first = c->start[r->sample];
    rows[0] = (Row){c, c->start[r->sample + 1] - first, c->vertex + first, c->weight + first};
    rows[1] = (Row){r->other ? r->other : c, r->otherCount, r->otherVertex, r->otherWeight};
    return r->otherCount ? 2 : 1;
}

// φᵀ S⁻¹ ψ of one body.
static double response(const Row *a, const Row *b)
{
    const snLatticeContacts *c = a->of;
    double sum = 0;
    if (b->of != c) return 0;
    for (int i = 0; i < a->count; i++) {
        int p = c->skinOf[a->vertex[i]];
        if (p < 0) continue;
        const double *column = c->green->values + (size_t)p * (size_t)c->skinCount;
        double part = 0;
        for (int k = 0; k < b->count; k++) {
            int q = c->skinOf[b->vertex[k]];
            if (q >= 0) part += b->weight[k] * column[q];
        }
        sum += a->weight[i] * part;
    }
    return sum;
}

static double responseBetween(const snDualEntry *a, const snDualEntry *b)
{
    Row left[2], right[2];
    int n = rowsOf(a, left), m = rowsOf(b, right);
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++)
            sum += response(&left[i], &right[k]);
    return sum * snDot(a->record->normal, b->record->normal);
}

// How fast a gap opens along the bodies' ways.
static double along(const snDualEntry *entry)
{
    Row rows[2];
    double sum = 0;
    for (int i = rowsOf(entry, rows) - 1; i >= 0; i--) {
        int freeCount = rows[i].of->model->freeCount;
        for (int k = 0; k < rows[i].count; k++) {
            const double *d = rows[i].of->way + 4 * (size_t)rows[i].vertex[k];
            if (rows[i].vertex[k] < freeCount)
                sum += rows[i].weight[k] * snDot(entry->record->normal, snVec(d[0], d[1], d[2]));
        }
    }
    return sum;
}

static void addLoad(const snDualEntry *entry, double force)
{
    Row rows[2];
    snVec3 f = snScale(force, entry->record->normal);
    for (int i = rowsOf(entry, rows) - 1; i >= 0 && force != 0; i--)
        for (int k = 0; k < rows[i].count; k++) {
            if (rows[i].vertex[k] >= rows[i].of->model->freeCount) continue;
            double *load = rows[i].of->load + 4 * (size_t)rows[i].vertex[k];
            load[0] += rows[i].weight[k] * f.x;
            load[1] += rows[i].weight[k] * f.y;
            load[2] += rows[i].weight[k] * f.z;
        }
}

// ---- a step's records ---------------------------------------------------------------------------

static double gapOf(const snDualEntry *entry)
{
    const snContactRecord *r = entry->record;
    const double *own = entry->contacts->state->next;
    const double *other = r->other ? r->other->state->next : own;
    return snDot(r->normal, snRecordPlace(entry->contacts, r, own, other)) + r->constant - r->thick;
}

// Records up to the gap `low` are no more than the capacity; of those between it and `high`, which are as
// good as equal, as many as there is room for take part, in their order.
typedef struct Limit {
    double low, high;
    int spare;
} Limit;

static Limit widest(const snContactDual *dual, int count, snLatticeContacts *const *contacts)
{
    int total = 0, kept = 0;
    double low = INFINITY, high = -INFINITY;
    for (int b = 0; b < count; b++) {
        total += contacts[b]->recordCount;
        for (int i = 0; i < contacts[b]->recordCount; i++) {
            double gap = gapOf(&(snDualEntry){contacts[b], &contacts[b]->records[i]});
            low = fmin(low, gap);
            high = fmax(high, gap);
        }
    }
    if (total <= dual->capacity) return (Limit){INFINITY, INFINITY, 0};
    for (int round = 0; round < 40; round++) {
        double middle = 0.5 * (low + high);
        int below = 0;
        for (int b = 0; b < count; b++)
            for (int i = 0; i < contacts[b]->recordCount; i++)
                below += gapOf(&(snDualEntry){contacts[b], &contacts[b]->records[i]}) <= middle;
        if (below > dual->capacity)
            high = middle;
        else {
            low = middle;
            kept = below;
        }
    }
    return (Limit){low, high, dual->capacity - kept};
}

// Drops records beyond the capacity and lists the others.
static void list(snContactDual *dual, int count, snLatticeContacts *const *contacts)
{
    Limit limit = widest(dual, count, contacts);
    dual->count = 0;
    for (int b = 0; b < count; b++) {
        snLatticeContacts *c = contacts[b];
        int kept = 0;
        for (int i = 0; i < c->recordCount; i++) {
            double gap = gapOf(&(snDualEntry){c, &c->records[i]});
            bool near = !(gap > limit.low) || (gap <= limit.high && limit.spare-- > 0);
            if (!near || dual->count == dual->capacity) continue;
            c->records[kept] = c->records[i];
            dual->entries[dual->count++] = (snDualEntry){c, &c->records[kept++]};
        }
        c->recordCount = kept;
    }
}

// The columns of S⁻¹ that G is made of, where a rung has not got them yet.
static void askForColumns(const snContactDual *dual, int count, snLatticeContacts *const *contacts)
{
    Row rows[2];
    for (int e = 0; e < dual->count; e++)
        for (int i = rowsOf(&dual->entries[e], rows) - 1; i >= 0; i--)
            for (int k = 0; k < rows[i].count; k++)
                snContactRungs_Ask(rows[i].of, rows[i].vertex[k]);
    for (int b = 0; b < count; b++)
        snContactRungs_Find(contacts[b]);
}

// Whether all rows and normals are those of the last step, and so is G. A restored state may find another's
// here, which makes no difference: G is made of these alone.
static bool isAsBefore(snContactDual *dual)
{
    bool same = dual->count == dual->lastCount;
    for (int i = 0; i < dual->count; i++) {
        const snDualEntry *entry = &dual->entries[i];
        const snContactRecord *r = entry->record;
        const snDualKey *last = &dual->last[i];
        same = same && entry->contacts == last->contacts && r->sample == last->sample &&
               entry->contacts->model == last->rung && entry->contacts->ladders == last->ladder &&
               r->otherCount == 0 && r->normal.x == last->normal.x &&
               r->normal.y == last->normal.y && r->normal.z == last->normal.z;
        dual->last[i] = (snDualKey){.contacts = entry->contacts,
                                    .rung = entry->contacts->model,
                                    .ladder = entry->contacts->ladders,
                                    .sample = r->sample,
                                    .normal = r->normal};
        if (r->otherCount) dual->last[i].sample = -1;
    }
    dual->lastCount = dual->count;
    return same;
}

void snContactDual_Begin(snContactDual *dual, int count, snLatticeContacts *const *contacts)
{
    list(dual, count, contacts);
    int n = dual->count;
    if (!isAsBefore(dual)) {
        askForColumns(dual, count, contacts);
        for (int i = 0; i < n; i++)
            for (int k = 0; k <= i; k++)
                dual->matrix[i * n + k] = dual->matrix[k * n + i] =
                    responseBetween(&dual->entries[i], &dual->entries[k]);
        dual->factored = false;
    }
    for (int i = 0; i < n; i++) {
        double own = dual->matrix[i * n + i];
        dual->entries[i].record->hard = own > 0 ? 1 / (COMPLIANCE * own) : 0;
        dual->pushes[i] = 0;
    }
    dual->pushingCount = 0;
}

// Those whose value is below 0. True where that changes something.
static bool setPushing(snContactDual *dual, const double *value)
{
    bool changed = false;
    dual->pushingCount = 0;
    for (int i = 0; i < dual->count; i++) {
        unsigned char pushes = value[i] < 0 && dual->entries[i].record->hard > 0;
        changed |= pushes != dual->pushes[i];
        dual->pushes[i] = pushes;
        if (pushes) dual->pushing[dual->pushingCount++] = i;
    }
    return changed;
}

// G + C among those that push; what is there already where it is of the same ones.
static bool factorise(snContactDual *dual)
{
    int n = dual->pushingCount, all = dual->count;
    if (dual->factored && memcmp(dual->factoredOf, dual->pushes, (size_t)all) == 0) return true;
    memcpy(dual->factoredOf, dual->pushes, (size_t)all);
    for (int k = 0; k < n; k++) {
        const double *column = dual->matrix + (size_t)dual->pushing[k] * (size_t)all;
        double *to = dual->factor + (size_t)k * (size_t)n;
        for (int i = k; i < n; i++)
            to[i] = column[dual->pushing[i]];
        to[k] += 1 / dual->entries[dual->pushing[k]].record->hard;
    }
    dual->factored = snDenseCholesky(n, dual->factor, NULL) == SN_OK;
    return dual->factored;
}

bool snContactDual_Look(snContactDual *dual)
{
    for (int i = 0; i < dual->count; i++)
        dual->slack[i] = gapOf(&dual->entries[i]);
    setPushing(dual, dual->slack);
    bool changed = memcmp(dual->pushed, dual->pushes, (size_t)dual->count) != 0;
    memcpy(dual->pushed, dual->pushes, (size_t)dual->count);
    for (int i = 0; i < dual->count; i++)
        dual->force[i] = dual->pushes[i] ? -dual->slack[i] * dual->entries[i].record->hard : 0;
    return changed;
}

// λ of those that push, and the slack of all under it: base + G λ.
static bool solvePushing(snContactDual *dual)
{
    int n = dual->pushingCount, all = dual->count;
    double *x = dual->change;
    if (!factorise(dual)) return false;
    for (int k = 0; k < n; k++)
        x[k] = -dual->base[dual->pushing[k]];
    snDenseCholesky_Solve(n, dual->factor, x);
    memcpy(dual->slack, dual->base, (size_t)all * sizeof(double));
    for (int k = 0; k < n; k++) {
        const double *column = dual->matrix + (size_t)dual->pushing[k] * (size_t)all;
        for (int i = 0; i < all; i++)
            dual->slack[i] += column[i] * x[k];
    }
    // What pushes is judged by its force, which must not be below 0.
    for (int k = 0; k < n; k++)
        dual->slack[dual->pushing[k]] = -x[k];
    return true;
}

// Only the first change of sign is taken.
static bool setFirst(snContactDual *dual)
{
    for (int i = 0; i < dual->count; i++) {
        bool pushes = dual->slack[i] < 0 && dual->entries[i].record->hard > 0;
        if (pushes == dual->pushes[i]) continue;
        dual->pushes[i] = pushes;
        dual->pushingCount = 0;
        for (int k = 0; k < dual->count; k++)
            if (dual->pushes[k]) dual->pushing[dual->pushingCount++] = k;
        return true;
    }
    return false;
}

// Where exchanging comes to no end in time: sweeps of Gauss and Seidel, each of which lowers
// ½ λᵀ(G + C)λ + baseᵀλ over λ >= 0. What they leave of the conditions is small, and no force is below 0.
static void relax(snContactDual *dual)
{
    int n = dual->count;
    double *x = dual->change, *slack = dual->slack;
    memcpy(slack, dual->base, (size_t)n * sizeof(double));
    memset(x, 0, (size_t)n * sizeof(double));
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++)
        for (int i = 0; i < n; i++) {
            const double *column = dual->matrix + (size_t)i * (size_t)n;
            double hard = dual->entries[i].record->hard;
            if (!(hard > 0)) continue;
            double give = 1 / hard, more = -(slack[i] + give * x[i]) / (column[i] + give);
            if (more < -x[i]) more = -x[i];
            x[i] += more;
            for (int k = 0; k < n && more != 0; k++)
                slack[k] += column[k] * more;
        }
}

// Forces that satisfy the conditions for the slacks in `base`, from those that push now on; to
// `change`, for all records.
static void complement(snContactDual *dual)
{
    bool again = true, good = true;
    for (int round = 0; again && good && round < MOST_ROUNDS + MOST_PIVOTS; round++) {
        good = solvePushing(dual);
        if (good) again = round < MOST_ROUNDS ? setPushing(dual, dual->slack) : setFirst(dual);
    }
    if (!good || again) {
        relax(dual);
        return;
    }
    double *x = dual->change;
    for (int i = dual->count - 1, k = dual->pushingCount - 1; i >= 0; i--)
        x[i] = dual->pushes[i] ? x[k--] : 0;
}

void snContactDual_Complement(snContactDual *dual)
{
    int n = dual->count;
    for (int i = 0; i < n; i++)
        dual->base[i] = dual->slack[i] + along(&dual->entries[i]);
    setPushing(dual, dual->base); // those to begin with: at rest they are the right ones
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n && dual->force[k] != 0; i++)
            dual->base[i] -= dual->matrix[(size_t)k * (size_t)n + (size_t)i] * dual->force[k];
    complement(dual);
    for (int i = 0; i < n; i++)
        addLoad(&dual->entries[i], dual->change[i] - dual->force[i]);
}

void snContactDual_Condense(snContactDual *dual)
{
    int n = dual->pushingCount;
    for (int k = 0; k < n; k++)
        dual->change[k] = -along(&dual->entries[dual->pushing[k]]);
    if (!factorise(dual)) return;
    snDenseCholesky_Solve(n, dual->factor, dual->change);
    for (int k = 0; k < n; k++)
        addLoad(&dual->entries[dual->pushing[k]], dual->change[k]);
}

bool snContactDual_Bounce(snContactDual *dual)
{
    bool any = false;
    snContactDual_Look(dual);
    for (int i = 0; i < dual->count; i++) {
        const snContactRecord *r = dual->entries[i].record;
        double speed = along(&dual->entries[i]) - r->drift;
        // What pushed in the step must leave at its speed, what is near must come no faster.
        bool leaves = dual->pushes[i] && r->bounce > 0;
        dual->base[i] = leaves ? speed - r->bounce : fmax(speed, 0);
        any |= leaves && dual->base[i] < 0;
    }
    if (!any) return false;
    setPushing(dual, dual->base);
    complement(dual);
    for (int i = 0; i < dual->count; i++)
        addLoad(&dual->entries[i], dual->change[i]);
    return true;
}
