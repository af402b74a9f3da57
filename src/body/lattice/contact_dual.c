#include "body/lattice/contact_dual.h"

#include "body/lattice/contact_parts.h"
#include "contact/row.h"
#include "core/error.h"
#include "core/hash.h"
#include "numerics/cholesky.h"

#include <string.h>

#define COMPLIANCE 1e-3   // of what a contact alone gives way by: C over the diagonal of G
#define MOST_EXCHANGES 12 // rounds of exchanging all that have the wrong sign
#define MOST_ROUNDS 80    // of one search, ...
#define MOST_WORK 320     // ... and of all in a step; of small bodies more:
#define MOST_EFFORT                                                                                \
    4e8               // products of numbers, in all rounds of a step; a quarter of it in one search
#define MOST_ROWS 24  // times as many rows of the factor as there are places, in a step
#define MET 1e-12     // of the deepest slack: what is less is none
#define MOST_TRIES 20 // shares of a way, before the first that ends is all that ends
#define INVITED 24    // records that may come at a time, or half of those that push
#define MOST_SWEEPS 60 // where there is no factor
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
    dual->held = SN_NEW(arena, double, most);
    dual->trial = SN_NEW(arena, double, most);
    dual->bodies = SN_NEW(arena, snLatticeContacts *, bodies);
    if (!dual->entries || !dual->slack || !dual->base || !dual->force || !dual->change ||
        !dual->pushes || !dual->pushed || !dual->held || !dual->trial || !dual->bodies)
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
    dual->settled = false;
    snContactPush_Reset(&dual->push, dual->count, dual->bodyCount, dual->bodies);
}

// What places and factor were asked for so far.
static snContactWork asked(const snContactDual *dual)
{
    const snContactPush *push = &dual->push;
    return (snContactWork){.columns = push->columns,
                           .rowsAdded = push->factor.rowsAdded,
                           .rowsRemoved = push->factor.rowsRemoved};
}

// All bodies know what their search took so far.
static void tell(snContactDual *dual)
{
    snContactWork now = asked(dual);
    dual->work.columns = now.columns - dual->before.columns;
    dual->work.rowsAdded = now.rowsAdded - dual->before.rowsAdded;
    dual->work.rowsRemoved = now.rowsRemoved - dual->before.rowsRemoved;
    for (int b = 0; b < dual->bodyCount; b++)
        dual->bodies[b]->work = dual->work;
}

void snContactDual_Begin(snContactDual *dual, int count, snLatticeContacts *const *contacts)
{
    dual->bodyCount = count;
    dual->renew = NULL;
    memcpy(dual->bodies, contacts, (size_t)count * sizeof *contacts);
    dual->work = (snContactWork){0};
    dual->allowed = MOST_WORK;
    dual->allowedEffort = MOST_EFFORT;
    dual->begun = 0;
    dual->before = asked(dual);
    list(dual);
    tell(dual);
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

// Of those that are to push and did not, up to which value `most` leaves room for them: those that push stay.
static double limitOf(const snContactDual *dual, const double *value, int most)
{
    int kept = 0, more = 0;
    double low = 0, high = 0;
    for (int i = 0; i < dual->count; i++) {
        if (!wantsToPush(dual, value, i)) continue;
        kept += dual->pushes[i];
        more += !dual->pushes[i];
        if (!dual->pushes[i]) low = fmin(low, value[i]);
    }
    if (kept + more <= most) return 0;
    for (int round = 0; round < 40; round++) {
        double middle = 0.5 * (low + high);
        int below = 0;
        for (int i = 0; i < dual->count; i++)
            below += !dual->pushes[i] && wantsToPush(dual, value, i) && value[i] < middle;
        if (kept + below > most)
            high = middle;
        else
            low = middle;
    }
    return low;
}

// Those whose value is below 0, of those that come only as many as `most` leaves room for. True where that changes something.
static bool setSome(snContactDual *dual, const double *value, int most)
{
    snContactPush *push = &dual->push;
    bool changed = false;
    double limit = limitOf(dual, value, most);
    push->count = 0;
    for (int i = 0; i < dual->count; i++) {
        bool stays = dual->pushes[i] || value[i] < limit;
        unsigned char pushes = wantsToPush(dual, value, i) && stays && push->count < most;
        changed |= pushes != dual->pushes[i];
        dual->pushes[i] = pushes;
        if (pushes) push->numbers[push->count++] = i;
    }
    return changed;
}

static bool setPushing(snContactDual *dual, const double *value)
{
    return setSome(dual, value, dual->push.most);
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

// About what a round takes: solutions with the factors of bodies and of G, products with G, and rows of records.
static double effortOf(const snContactDual *dual)
{
    double n = dual->push.count, places = dual->push.placeCount;
    double sum = n * n + 2 * places * places + 32.0 * dual->count;
    for (int b = 0; b < dual->bodyCount; b++)
        sum += 6 * (double)snFactor_NonZeros(dual->bodies[b]->model->factor);
    return sum;
}

// λ of those that push, to `change` in the order of `numbers`.
static bool solvePushing(snContactDual *dual)
{
    snContactPush *push = &dual->push;
    dual->work.rounds++;
    dual->work.effort += effortOf(dual);
    if (!snContactPush_Factorise(push, dual->entries)) return false;
    for (int k = 0; k < push->count; k++)
        dual->change[k] = -dual->base[push->numbers[k]];
    snContactPush_Solve(push, dual->change);
    return true;
}

// The slack of all under these forces: base + G λ. What pushes is judged by its force, which must not be below 0.
static void findSlacks(snContactDual *dual)
{
    const snContactPush *push = &dual->push;
    giveWay(dual, dual->change, true);
    for (int i = 0; i < dual->count; i++)
        dual->slack[i] = dual->base[i] + (dual->pushes[i] ? 0 : along(&dual->entries[i]));
    for (int k = 0; k < push->count; k++)
        dual->slack[push->numbers[k]] = -dual->change[k];
}

// Where there is no factor: sweeps of Gauss and Seidel over those that have pushed, each of which lowers ½ λᵀ(G + C)λ + baseᵀλ over λ >= 0.
// What they leave of the conditions is small, and no force is below 0.
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

// ---- forces that no round makes worse -----------------------------------------------------------
//
// Exchanging all that have the wrong sign may go round in circles. The forces that are wanted are where
//
//     q(λ) = ½ λᵀ(G + C)λ + baseᵀλ,   λ >= 0
//
// is lowest. From forces λ that are not below 0, with F those that push: let x be the lowest point of q over F alone. Where x >= 0 it
// is the next λ, and whoever has a slack below 0 then comes into F. Else max(0, x) is, where q is lower there; or those leave F that stand
// at 0 and would go below it; or max(0, λ + t (x - λ)) with half of t again and again, until q is lower there or only the first is at 0. Who is at 0 then
// leaves F. q rises by rounding at most, no F can come twice with x >= 0, and there are finitely many. Of those that come in one always stays: with r < 0 for their slacks
// q falls along x - λ by r . (x - λ), so that some go up.

static double lowness(const snContactDual *dual, const double *force)
{
    const snContactPush *push = &dual->push;
    const snDenseKernels *kernels = push->factor.kernels;
    double sum = 0, *x = push->factor.work;
    for (int p = 0; p < push->placeCount; p++)
        x[p] = force[push->entryOf[p]];
    for (int p = 0; p < push->placeCount; p++) {
        if (x[p] == 0) continue;
        const double *row = push->matrix + (size_t)p * (size_t)push->most;
        double moved = kernels->dot(push->placeCount, row, x) + push->give[p] * x[p];
        sum += x[p] * (0.5 * moved + dual->base[push->entryOf[p]]);
    }
    return sum;
}

// Those with a mark below 0 push.
static void keepPushing(snContactDual *dual, const double *mark)
{
    snContactPush *push = &dual->push;
    int count = 0;
    for (int k = 0; k < push->count; k++) {
        int e = push->numbers[k];
        dual->pushes[e] = mark[e] < 0;
        if (dual->pushes[e]) push->numbers[count++] = e;
    }
    push->count = count;
}

// max(0, λ + share (x - λ)), to `trial`, with x in `change`; and q there.
static double tryShare(snContactDual *dual, double share)
{
    const snContactPush *push = &dual->push;
    memset(dual->trial, 0, (size_t)dual->count * sizeof(double));
    for (int k = 0; k < push->count; k++) {
        double now = dual->held[push->numbers[k]];
        dual->trial[push->numbers[k]] = fmax(now + share * (dual->change[k] - now), 0);
    }
    return lowness(dual, dual->trial);
}

// F where the lowest point over it has forces below 0, and `held` as far towards that as q falls.
static void turnBack(snContactDual *dual)
{
    const snContactPush *push = &dual->push;
    double *held = dual->held, *mark = dual->slack, first = 1, share = 1, q = dual->lowest,
           there = 0;
    bool stuck = false;
    for (int k = 0; k < push->count; k++) {
        double now = held[push->numbers[k]], x = dual->change[k];
        if (x < 0 && now > 0) first = fmin(first, now / (now - x));
        stuck |= x < 0 && !(now > 0);
    }
    bool lower = (there = tryShare(dual, share)) < q;
    for (int tries = 1; !lower && !stuck && share > first; tries++) {
        share = tries < MOST_TRIES ? fmax(0.5 * share, first) : first;
        lower = (there = tryShare(dual, share)) < q;
    }
    lower |= !stuck; // up to the first, whatever rounding says
    for (int k = 0; k < push->count; k++) {
        int e = push->numbers[k];
        double x = dual->change[k];
        bool ends = x < 0 && held[e] <= share * (held[e] - x); // it is at 0, or beyond
        bool goes = lower ? ends : x < 0 && !(held[e] > 0);
        mark[e] = goes ? 1 : -1;
    }
    if (!lower) return;
    dual->lowest = there;
    for (int k = 0; k < push->count; k++) {
        int e = push->numbers[k];
        held[e] = mark[e] < 0 ? dual->trial[e] : 0;
    }
}

// What a step may take is counted, never timed, and so is the same everywhere.
static bool hasRows(const snContactDual *dual)
{
    int64_t added = dual->push.factor.rowsAdded - dual->before.rowsAdded;
    return added < MOST_ROWS * (int64_t)dual->push.most;
}

// Rounds of small bodies with few contacts are cheap, and those that are thrown at each other take hundreds.
static bool isSpent(const snContactDual *dual, int rounds)
{
    bool search = rounds >= MOST_ROUNDS && dual->work.effort - dual->begun >= MOST_EFFORT / 4;
    bool step = dual->work.rounds >= dual->allowed && dual->work.effort >= dual->allowedEffort;
    return search || step || !hasRows(dual);
}

// To the lowest point over those that push, or over some of them. False where there is no factor, or no round left.
static bool lower(snContactDual *dual, int *rounds)
{
    const snContactPush *push = &dual->push;
    for (; !isSpent(dual, *rounds); ++*rounds) {
        if (!solvePushing(dual)) return false;
        bool good = true;
        for (int k = 0; k < push->count; k++)
            good &= dual->change[k] >= 0;
        if (good) {
            for (int k = 0; k < push->count; k++)
                dual->held[push->numbers[k]] = dual->change[k];
            dual->lowest = lowness(dual, dual->held);
            return true;
        }
        turnBack(dual);
        keepPushing(dual, dual->slack);
    }
    return false;
}

// Conditions that are not met where the slack of those that do not push is what it is.
static int countUnmet(const snContactDual *dual)
{
    int count = 0;
    for (int i = 0; i < dual->count; i++)
        count += !dual->pushes[i] && wantsToPush(dual, dual->slack, i);
    return count;
}

// Slacks that rounding alone may have made are none.
static void roundSlacks(snContactDual *dual)
{
    double least = 0;
    for (int i = 0; i < dual->count; i++)
        least = fmin(least, dual->base[i]);
    for (int i = 0; i < dual->count; i++)
        if (!dual->pushes[i] && dual->slack[i] >= MET * least) dual->slack[i] = 0;
}

// Who has a slack below 0 under the forces that were found comes to those that push, the deepest first where there are many: most of them are
// parted by what the others do. False where there is nobody, or no place.
static bool invite(snContactDual *dual)
{
    findSlacks(dual);
    roundSlacks(dual);
    for (int k = 0; k < dual->push.count; k++)
        dual->slack[dual->push.numbers[k]] = -1;
    int n = dual->push.count, room = dual->push.most - n, some = n / 2 > INVITED ? n / 2 : INVITED;
    return setSome(dual, dual->slack, n + (some < room ? some : room));
}

// Forces that are not below 0, of the last exchange.
static void hold(snContactDual *dual)
{
    const snContactPush *push = &dual->push;
    memset(dual->held, 0, (size_t)dual->count * sizeof(double));
    for (int k = 0; k < push->count; k++)
        dual->held[push->numbers[k]] = fmax(dual->change[k], 0);
}

// From there on, where that is better than nothing; to `change`. What is left of the conditions at the end is counted.
static void settle(snContactDual *dual, int rounds)
{
    bool good = true;
    size_t size = (size_t)dual->count * sizeof(double);
    dual->lowest = lowness(dual, dual->held);
    if (!(dual->lowest < 0)) {
        memset(dual->held, 0, size);
        dual->lowest = 0;
    }
    do
        good = lower(dual, &rounds);
    while (good && invite(dual));
    if (!good) {
        giveWay(dual, dual->held, false);
        for (int i = 0; i < dual->count; i++) {
            dual->pushes[i] = dual->held[i] > 0;
            dual->slack[i] = dual->base[i] + along(&dual->entries[i]);
        }
        roundSlacks(dual);
    }
    dual->work.unmet = countUnmet(dual);
    memcpy(dual->change, dual->held, size);
    dual->settled = true;
}

// Those that push are those that had forces when the step last came to this; the others are invited.
static void settleAgain(snContactDual *dual)
{
    for (int i = 0; i < dual->count; i++)
        dual->slack[i] = -dual->held[i];
    setPushing(dual, dual->slack);
    settle(dual, 0);
}

static uint64_t hashOf(const snContactDual *dual)
{
    return snHash(SN_HASH_BEGIN, dual->pushes, (size_t)dual->count);
}

static bool isAmong(int count, const uint64_t *hashes, uint64_t hash)
{
    for (int i = 0; i < count; i++)
        if (hashes[i] == hash) return true;
    return false;
}

// Forces that satisfy the conditions for the slacks in `base`, from those that push now on; to
// `change`, for all records.
static void complement(snContactDual *dual)
{
    uint64_t seen[MOST_EXCHANGES + 1] = {hashOf(dual)};
    bool again = true, good = true, circles = false;
    int round = 0;
    dual->begun = dual->work.effort;
    if (dual->settled) {
        settleAgain(dual);
        tell(dual);
        return;
    }
    while (again && good && !circles && round < MOST_EXCHANGES) {
        good = solvePushing(dual);
        if (!good) break;
        hold(dual);
        findSlacks(dual);
        again = setPushing(dual, dual->slack);
        seen[++round] = hashOf(dual);
        circles = isAmong(round, seen, seen[round]);
    }
    if (!good) {
        relax(dual);
        dual->work.unmet = 1; // to some degree
    } else if (again) {
        settle(dual, round);
    } else {
        double *x = dual->change;
        dual->work.unmet = countUnmet(dual);
        for (int i = dual->count - 1, k = dual->push.count - 1; i >= 0; i--)
            x[i] = dual->pushes[i] ? x[k--] : 0;
    }
    tell(dual);
}

void snContactDual_Complement(snContactDual *dual)
{
    int n = dual->count;
    bool pushed = false;
    if (isSpent(dual, 0)) {
        snContactDual_Condense(dual);
        return;
    }
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
    if (any && isSpent(dual, 0)) {
        dual->work.unmet++;
        tell(dual);
    }
    if (!any || isSpent(dual, 0)) return false;
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
    bool good = hasRows(dual) && snContactPush_Factorise(push, dual->entries);
    if (good) snContactPush_Solve(push, dual->change);
    clearLoads(dual);
    for (int k = 0; k < push->count && good; k++)
        addLoad(&dual->entries[push->numbers[k]], dual->change[k]);
}

bool snContactDual_Bounce(snContactDual *dual)
{
    bool any = false;
    dual->allowed += MOST_ROUNDS;
    dual->allowedEffort += MOST_EFFORT / 4;
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
