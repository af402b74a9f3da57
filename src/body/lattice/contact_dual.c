#include "body/lattice/contact_dual.h"

#include "body/lattice/contact_parts.h"
#include "contact/row.h"
#include "core/error.h"

#include <string.h>

#define COMPLIANCE 1e-3 // of what a contact alone gives way by: C over the diagonal of G
#define MOST_ROUNDS 12  // of exchanging all that have the wrong sign ...
#define MOST_PIVOTS                                                                                \
    100 // ... and then the first of them alone, which must come to an end (Murty, 1974), ...
#define MOST_SWEEPS 60 // ... but not in any time
#define PARTED 0.01    // of a reach: what is less deep is out

snStatus snContactDual_Make(snContactDual **out, int most, int bodies, snArena *arena,
                            snError *error)
{
    *out = NULL;
    snContactDual *dual = SN_NEW(arena, snContactDual, 1);
    if (!dual) return snFailMemory(error);
    dual->capacity = most;
    dual->entries = SN_NEW(arena, snDualEntry, most);
    dual->slack = SN_NEW(arena, double, most);
    dual->base = SN_NEW(arena, double, most);
    dual->force = SN_NEW(arena, double, most);
    dual->change = SN_NEW(arena, double, most);
    dual->pushes = SN_NEW(arena, unsigned char, most);
    dual->pushed = SN_NEW(arena, unsigned char, most);
    dual->bodies = SN_NEW(arena, snLatticeContacts *, bodies);
    if (!dual->entries || !dual->slack || !dual->base || !dual->force || !dual->change ||
        !dual->pushes || !dual->pushed || !dual->bodies)
        return snFailMemory(error);
    *out = dual;
    return snContactPush_Make(&dual->push, most, arena, error);
}

// ---- rows ---------------------------------------------------------------------------------------

// How fast a gap opens along the bodies' ways.
static double along(const snDualEntry *entry)
{
    snDualRow rows[2];
    double sum = 0;
    for (int i = snDualEntry_Rows(entry, rows) - 1; i >= 0; i--) {
        int moving = snLatticeContacts_Moving(rows[i].of);
        for (int k = 0; k < rows[i].count; k++) {
            const double *d = rows[i].of->way + 4 * (size_t)rows[i].vertex[k];
            if (rows[i].vertex[k] < moving)
                sum += rows[i].weight[k] * snDot(entry->record->normal, snVec(d[0], d[1], d[2]));
        }
    }
    return sum;
}

static void addLoad(const snDualEntry *entry, double force)
{
    snDualRow rows[2];
    snVec3 f = snScale(force, entry->record->normal);
    for (int i = snDualEntry_Rows(entry, rows) - 1; i >= 0 && force != 0; i--)
        for (int k = 0; k < rows[i].count; k++) {
            if (rows[i].vertex[k] >= snLatticeContacts_Moving(rows[i].of)) continue;
            double *load = rows[i].of->load + 4 * (size_t)rows[i].vertex[k];
            load[0] += rows[i].weight[k] * f.x;
            load[1] += rows[i].weight[k] * f.y;
            load[2] += rows[i].weight[k] * f.z;
        }
}

static void clearLoads(const snContactDual *dual)
{
    for (int b = 0; b < dual->bodyCount; b++) {
        const snLatticeContacts *c = dual->bodies[b];
        memset(c->load, 0, (size_t)c->model->vertexCount * 4 * sizeof(double));
    }
}

// What forces of all entries, or of those that push in the order of `numbers`, move the bodies by: their new ways.
static void giveWay(snContactDual *dual, const double *force, bool pushing)
{
    const snContactPush *push = &dual->push;
    clearLoads(dual);
    for (int i = 0; i < (pushing ? push->count : dual->count); i++)
        addLoad(&dual->entries[pushing ? push->numbers[i] : i], force[i]);
    snLatticeContacts_GiveWay(dual->bodyCount, dual->bodies);
    for (int b = 0; b < dual->bodyCount; b++)
        dual->bodies[b]->way = dual->bodies[b]->moved;
}

// ---- a step's records ---------------------------------------------------------------------------

static double gapOf(const snDualEntry *entry)
{
    const snContactRecord *r = entry->record;
    const double *own = entry->contacts->state->next;
    const double *other = r->other ? r->other->state->next : own;
    return snDot(r->normal, snRecordPlace(entry->contacts, r, own, other)) + r->constant - r->thick;
}

// What one contact alone gives way by: of a body that is touched as its samples do in the mean.
static double giveOf(const snDualEntry *entry)
{
    const snLatticeContacts *c = entry->contacts, *other = entry->record->other;
    double own = c->rung->give[entry->record->sample];
    if (!entry->record->otherCount) return own;
    return own + (other ? other : c)->rung->meanGive;
}

static void list(snContactDual *dual)
{
    dual->count = 0;
    for (int b = 0; b < dual->bodyCount; b++) {
        snLatticeContacts *c = dual->bodies[b];
        for (int i = 0; i < c->recordCount; i++)
            dual->entries[dual->count++] = (snDualEntry){c, &c->records[i]};
    }
    SN_ASSERT(dual->count <= dual->capacity);
    for (int i = 0; i < dual->count; i++) {
        double own = giveOf(&dual->entries[i]);
        dual->entries[i].record->hard = own > 0 ? 1 / (COMPLIANCE * own) : 0;
        dual->pushes[i] = 0;
    }
    snContactPush_Reset(&dual->push, dual->count, dual->bodyCount, dual->bodies);
}

void snContactDual_Begin(snContactDual *dual, int count, snLatticeContacts *const *contacts)
{
    dual->bodyCount = count;
    dual->renew = NULL;
    memcpy(dual->bodies, contacts, (size_t)count * sizeof *contacts);
    list(dual);
}

void snContactDual_Renew(snContactDual *dual, bool last)
{
    dual->renew(dual->renewContext, last);
    list(dual);
}

// ---- who pushes ---------------------------------------------------------------------------------

static bool wantsToPush(const snContactDual *dual, const double *value, int i)
{
    return value[i] < 0 && dual->entries[i].record->hard > 0;
}

// Of those that are to push and did not, up to which value there is room for them: those that push stay.
static double limitOf(const snContactDual *dual, const double *value)
{
    int kept = 0, more = 0;
    double low = 0, high = 0;
    for (int i = 0; i < dual->count; i++) {
        if (!wantsToPush(dual, value, i)) continue;
        kept += dual->pushes[i];
        more += !dual->pushes[i];
        if (!dual->pushes[i]) low = fmin(low, value[i]);
    }
    if (kept + more <= dual->push.most) return 0;
    for (int round = 0; round < 40; round++) {
        double middle = 0.5 * (low + high);
        int below = 0;
        for (int i = 0; i < dual->count; i++)
            below += !dual->pushes[i] && wantsToPush(dual, value, i) && value[i] < middle;
        if (kept + below > dual->push.most)
            high = middle;
        else
            low = middle;
    }
    return low;
}

// Those whose value is below 0. True where that changes something.
static bool setPushing(snContactDual *dual, const double *value)
{
    snContactPush *push = &dual->push;
    bool changed = false;
    double limit = limitOf(dual, value);
    push->count = 0;
    for (int i = 0; i < dual->count; i++) {
        bool stays = dual->pushes[i] || value[i] < limit;
        unsigned char pushes = wantsToPush(dual, value, i) && stays && push->count < push->most;
        changed |= pushes != dual->pushes[i];
        dual->pushes[i] = pushes;
        if (pushes) push->numbers[push->count++] = i;
    }
    return changed;
}

static void listPushing(snContactDual *dual)
{
    snContactPush *push = &dual->push;
    push->count = 0;
    for (int k = 0; k < dual->count; k++)
        if (dual->pushes[k]) push->numbers[push->count++] = k;
}

// Only the first change of sign is taken.
static bool setFirst(snContactDual *dual)
{
    for (int i = 0; i < dual->count; i++) {
        bool pushes = wantsToPush(dual, dual->slack, i);
        if (pushes == dual->pushes[i] || (pushes && dual->push.count == dual->push.most)) continue;
        dual->pushes[i] = pushes;
        listPushing(dual);
        return true;
    }
    return false;
}

bool snContactDual_Look(snContactDual *dual)
{
    for (int i = 0; i < dual->count; i++)
        dual->slack[i] = gapOf(&dual->entries[i]);
    setPushing(dual, dual->slack);
    bool changed = memcmp(dual->pushed, dual->pushes, (size_t)dual->count) != 0;
    memcpy(dual->pushed, dual->pushes, (size_t)dual->count);
    for (int i = 0; i < dual->count; i++) {
        double hard = dual->entries[i].record->hard;
        dual->force[i] = wantsToPush(dual, dual->slack, i) ? -dual->slack[i] * hard : 0;
    }
    return changed;
}

// ---- the conditions -----------------------------------------------------------------------------

// λ of those that push, and the slack of all under it: base + G λ.
static bool solvePushing(snContactDual *dual)
{
    snContactPush *push = &dual->push;
    double *x = dual->change;
    if (!snContactPush_Factorise(push, dual->entries)) return false;
    for (int k = 0; k < push->count; k++)
        x[k] = -dual->base[push->numbers[k]];
    snContactPush_Solve(push, x);
    giveWay(dual, x, true);
    for (int i = 0; i < dual->count; i++)
        dual->slack[i] = dual->base[i] + (dual->pushes[i] ? 0 : along(&dual->entries[i]));
    // What pushes is judged by its force, which must not be below 0.
    for (int k = 0; k < push->count; k++)
        dual->slack[push->numbers[k]] = -x[k];
    return true;
}

// Where exchanging comes to no end in time: sweeps of Gauss and Seidel over those that have pushed, each of which
// lowers ½ λᵀ(G + C)λ + baseᵀλ over λ >= 0. What they leave of the conditions is small, and no force is below 0.
static void relax(snContactDual *dual)
{
    const snContactPush *push = &dual->push;
    int n = push->placeCount;
    double *x = dual->change, *slack = dual->slack;
    memset(x, 0, (size_t)dual->count * sizeof(double));
    for (int p = 0; p < n; p++)
        slack[p] = dual->base[push->entryOf[p]];
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++)
        for (int p = 0; p < n; p++) {
            const double *column = push->matrix + (size_t)p * (size_t)push->most;
            int e = push->entryOf[p];
            double give = 1 / dual->entries[e].record->hard;
            double force = snSignorini(x[e], slack[p] + give * x[e], column[p] + give);
            double more = force - x[e];
            x[e] = force;
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
    for (int i = dual->count - 1, k = dual->push.count - 1; i >= 0; i--)
        x[i] = dual->pushes[i] ? x[k--] : 0;
}

void snContactDual_Complement(snContactDual *dual)
{
    int n = dual->count;
    bool pushed = false;
    for (int i = 0; i < n; i++) {
        dual->base[i] = dual->slack[i] + along(&dual->entries[i]);
        pushed |= dual->force[i] != 0;
    }
    setPushing(dual, dual->base); // those to begin with: at rest they are the right ones
    if (pushed) giveWay(dual, dual->force, false);
    for (int i = 0; i < n && pushed; i++)
        dual->base[i] -= along(&dual->entries[i]);
    complement(dual);
    clearLoads(dual);
    for (int i = 0; i < n; i++)
        addLoad(&dual->entries[i], dual->change[i] - dual->force[i]);
}

// Forces that satisfy the conditions for the slacks in `base`, to the loads; none where nothing asks for them.
static bool pushApart(snContactDual *dual, bool any)
{
    clearLoads(dual);
    if (!any) return false;
    setPushing(dual, dual->base);
    complement(dual);
    clearLoads(dual);
    for (int i = 0; i < dual->count; i++)
        addLoad(&dual->entries[i], dual->change[i]);
    return true;
}

bool snContactDual_Part(snContactDual *dual)
{
    bool any = false;
    for (int i = 0; i < dual->count; i++) {
        const snDualEntry *entry = &dual->entries[i];
        dual->base[i] = gapOf(entry);
        any |= wantsToPush(dual, dual->base, i) && dual->base[i] < -PARTED * entry->contacts->reach;
    }
    return pushApart(dual, any);
}

void snContactDual_Condense(snContactDual *dual)
{
    snContactPush *push = &dual->push;
    for (int k = 0; k < push->count; k++)
        dual->change[k] = -along(&dual->entries[push->numbers[k]]);
    bool good = snContactPush_Factorise(push, dual->entries);
    if (good) snContactPush_Solve(push, dual->change);
    clearLoads(dual);
    for (int k = 0; k < push->count && good; k++)
        addLoad(&dual->entries[push->numbers[k]], dual->change[k]);
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
    return pushApart(dual, any);
}
