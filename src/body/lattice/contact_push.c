#include "body/lattice/contact_push.h"

#include "body/lattice/active.h"
#include "body/lattice/bones.h"
#include "body/lattice/contact_parts.h"
#include "body/lattice/contact_rung.h"
#include "body/lattice/point.h"
#include "body/lattice/space.h"
#include "body/lattice/tie.h"
#include "core/error.h"

#include <string.h>

snStatus snContactPush_Make(snContactPush *push, int capacity, snArena *arena, snError *error)
{
    int n = capacity < SN_MOST_PUSHING ? capacity : SN_MOST_PUSHING;
    *push = (snContactPush){.most = n, .lastCount = -1};
    push->numbers = SN_NEW(arena, int, n);
    push->entryOf = SN_NEW(arena, int, n);
    push->placeOf = SN_NEW(arena, int, capacity);
    push->matrix = SN_NEW(arena, double, (size_t)n *(size_t)n);
    push->give = SN_NEW(arena, double, n);
    push->last = SN_NEW(arena, snDualKey, n);
    push->some = SN_NEW(arena, int, n);
    bool good = push->numbers && push->entryOf && push->placeOf && push->matrix && push->give &&
                push->last && push->some;
    return good ? snContactFactor_Make(&push->factor, n, arena, error) : snFailMemory(error);
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
    if (c->skinCount > SN_MOST_SKIN) c->skinCount = 0;
    return SN_OK;
}

static snStatus makeColumns(snLatticeContacts *c, snError *error)
{
    snContactColumns *kept = &c->columns;
    size_t n = (size_t)snLatticeModel_Unknowns(c->model);
    size_t room = SN_COLUMN_BYTES / ((n + 1) * sizeof(double));
    kept->most = room < (size_t)c->sampleCount ? (int)room : c->sampleCount;
    kept->values = SN_NEW(&c->arena, double, (size_t)kept->most *n);
    kept->samples = SN_NEW(&c->arena, int, kept->most);
    kept->placeOf = SN_NEW(&c->arena, int, c->sampleCount);
    for (int s = 0; s < c->sampleCount && kept->placeOf; s++)
        kept->placeOf[s] = -1;
    return kept->values && kept->samples && kept->placeOf ? SN_OK : snFailMemory(error);
}

static snStatus allocateMoves(snLatticeContacts *c, snError *error)
{
    size_t n = (size_t)c->model->vertexCount;
    c->load = SN_NEW(&c->arena, double, n * 4);
    c->moved = SN_NEW(&c->arena, double, n * 4);
    c->column = SN_NEW(&c->arena, double, n);
    c->asked = SN_NEW(&c->arena, int, n);
    c->isAsked = SN_NEW(&c->arena, unsigned char, n);
    c->pulled = SN_NEW(&c->arena, double, (size_t)snLatticeModel_Unknowns(c->model) * 4);
    c->solve = SN_NEW(&c->arena, double, snLatticeModel_SolveSize(c->model));
    bool good = c->load && c->moved && c->column && c->asked && c->isAsked && c->pulled && c->solve;
    return good ? SN_OK : snFailMemory(error);
}

snStatus snContactGreen_Make(snLatticeContacts *c, const snContactSamples *others, snArena *scratch,
                             const snContext *context, snError *error)
{
    snGreenScratch work;
    snStatus status = allocateMoves(c, error);
    c->green = &c->ownGreen;
    c->green->model = c->model;
    if (!status && !c->model->space) status = findSkin(c, others, error);
    if (!status && !c->skinCount) status = makeColumns(c, error);
    if (status || !c->skinCount) return status;
    status = snContactGreen_Alloc(c->green, c, &c->arena, error);
    if (!status) status = snGreenScratch_Make(&work, c, scratch, context, error);
    if (status) return status;
    c->green->model = c->model;
    for (int k = 0; k < c->skinCount; k++)
        work.wanted[k] = k;
    snContactGreen_Find(c->green, c, &work, c->skinCount, &context->tasks);
    return SN_OK;
}

// In a space the load is one over its functions, and so is the way that leaves held points alone.
static void solveLoad(const snLatticeContacts *c)
{
    const snLatticeModel *model = c->model;
    if (model->space)
        snSpace_PullTouched(model, c->state, c->load, c->pulled);
    else
        memcpy(c->pulled, c->load, (size_t)snLatticeModel_Unknowns(model) * 4 * sizeof(double));
    if (c->bones) {
        snBones_Load(c->bones, c->load, c->bones->load);
        snBones_Solve(c->bones, c->pulled, c->bones->load);
        return;
    }
    snLatticeModel_SolveUnknowns(model, c->state, c->pulled, c->solve);
    if (c->held) snPointConstraints_Project(c->held, c->pulled);
}

static void showMoved(const snLatticeContacts *c)
{
    const snLatticeModel *model = c->model;
    size_t own = (size_t)snLatticeModel_Unknowns(model) * 4, all = (size_t)model->vertexCount * 4;
    if (model->space) {
        snSpace_PushTouched(model, c->state, c->pulled, c->moved);
        return;
    }
    memcpy(c->moved, c->pulled, own * sizeof(double));
    if (c->bones)
        snBones_Carry(c->bones, c->bones->load, c->moved);
    else if (all > own)
        memcpy(c->moved + own, c->load + own, (all - own) * sizeof(double));
}

void snLatticeContacts_GiveWay(int count, snLatticeContacts *const *contacts)
{
    for (int b = 0; b < count; b++)
        solveLoad(contacts[b]);
    for (int b = 0; b < count; b++) {
        bool first = contacts[b]->ties != NULL;
        for (int k = 0; k < b && first; k++)
            first = contacts[k]->ties != contacts[b]->ties;
        if (first) snTies_ProjectPulled(contacts[b]->ties);
    }
    for (int b = 0; b < count; b++)
        showMoved(contacts[b]);
}

// ---- columns ------------------------------------------------------------------------------------

// x over unknowns, one number for each `stride` of them, at a vertex; and what a weight at a vertex is over unknowns.
static double valueAt(const snLatticeContacts *c, const double *x, size_t stride, int v)
{
    double sum = 0;
    if (!c->model->space) return x[stride * (size_t)v];
    const snWeightRows *rows = snSpace_Rows(c->model, c->state);
    for (int k = rows->start[v]; k < rows->start[v + 1]; k++)
        sum += rows->weight[k] * x[stride * (size_t)rows->column[k]];
    return sum;
}

static void addAt(const snLatticeContacts *c, double *x, int v, double weight)
{
    if (v >= c->model->freeCount) return;
    if (!c->model->space) {
        x[4 * (size_t)v] += weight;
        return;
    }
    const snWeightRows *rows = snSpace_Rows(c->model, c->state);
    for (int k = rows->start[v]; k < rows->start[v + 1]; k++)
        x[4 * (size_t)rows->column[k]] += weight * rows->weight[k];
}

// The bodies that a force at one moves: itself, and those that it is tied to.
static int movedCount(const snLatticeContacts *c)
{
    return c->ties ? c->ties->bodyCount : 1;
}

static snLatticeContacts *movedBody(snLatticeContacts *c, int i)
{
    return c->ties ? c->ties->bodies[i].contacts : c;
}

static void clearPulled(const snLatticeContacts *c)
{
    memset(c->pulled, 0, (size_t)snLatticeModel_Unknowns(c->model) * 4 * sizeof(double));
}

// P S⁻¹φ of one side by a back-substitution, added to the columns of all bodies that it moves.
static void addSolved(const snDualRow *row)
{
    snLatticeContacts *c = row->of;
    for (int b = 0; b < movedCount(c); b++)
        clearPulled(movedBody(c, b));
    for (int k = 0; k < row->count; k++)
        addAt(c, c->pulled, row->vertex[k], row->weight[k]);
    snLatticeModel_SolveUnknowns(c->model, c->state, c->pulled, c->solve);
    if (c->held) snPointConstraints_Project(c->held, c->pulled);
    if (c->ties) snTies_ProjectPulled(c->ties);
    for (int b = 0; b < movedCount(c); b++) {
        const snLatticeContacts *other = movedBody(c, b);
        for (int i = 0; i < other->askedCount; i++)
            other->column[other->asked[i]] += valueAt(other, other->pulled, 4, other->asked[i]);
    }
}

// ---- columns that are kept ----------------------------------------------------------------------

// Columns are of a matrix: of a rung of a ladder, and of the functions that act.
static void checkColumns(snLatticeContacts *c)
{
    snContactColumns *kept = &c->columns;
    if (kept->rung == c->model && kept->ladder == c->ladders && kept->acting == c->acting) return;
    for (int k = 0; k < kept->count; k++)
        kept->placeOf[kept->samples[k]] = -1;
    kept->count = 0;
    kept->rung = c->model;
    kept->ladder = c->ladders;
    kept->acting = c->acting;
}

// Columns of some samples, three at most, that have places already: one each in x, y and z.
static void solveColumns(snLatticeContacts *c, int first, int count)
{
    const snContactColumns *kept = &c->columns;
    size_t n = (size_t)snLatticeModel_Unknowns(c->model);
    clearPulled(c);
    for (int i = 0; i < count; i++) {
        int s = kept->samples[first + i];
        for (int k = c->start[s]; k < c->start[s + 1]; k++)
            addAt(c, c->pulled + i, c->vertex[k], c->weight[k]);
    }
    snLatticeModel_SolveUnknowns(c->model, c->state, c->pulled, c->solve);
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < n; k++)
            kept->values[(size_t)(first + i) * n + k] = c->pulled[4 * k + (size_t)i];
}

static bool keepsColumns(const snLatticeContacts *c)
{
    return !c->skinCount && !c->held && !c->ties;
}

// Places among the kept columns for samples that are about to push and have none; where all are taken they are solved for alone. What was
// counted is solved for by the next call for another body, or by one for none.
static void keepColumns(snContactPush *push, const snDualEntry *entries)
{
    for (int i = 0; i < push->count; i++) {
        snLatticeContacts *c = entries[push->numbers[i]].contacts;
        if (keepsColumns(c)) checkColumns(c);
        c->columns.found = c->columns.count;
    }
    for (int i = 0; i < push->count; i++) {
        const snDualEntry *entry = &entries[push->numbers[i]];
        snContactColumns *kept = &entry->contacts->columns;
        int s = entry->record->sample;
        if (push->placeOf[push->numbers[i]] >= 0 || !keepsColumns(entry->contacts)) continue;
        if (kept->placeOf[s] >= 0 || kept->count == kept->most) continue;
        kept->placeOf[s] = kept->count;
        kept->samples[kept->count++] = s;
    }
    for (int i = 0; i < push->count; i++) {
        snLatticeContacts *c = entries[push->numbers[i]].contacts;
        for (int k = c->columns.found; k < c->columns.count; k += 3) {
            int count = c->columns.count - k < 3 ? c->columns.count - k : 3;
            solveColumns(c, k, count);
            push->columns += count;
        }
        c->columns.found = c->columns.count;
    }
}

// The column of a sample from those that are kept. False: it is not.
static bool addKept(const snDualRow *row, int sample)
{
    const snLatticeContacts *c = row->of;
    if (!keepsColumns(c) || c->columns.placeOf[sample] < 0) return false;
    size_t n = (size_t)snLatticeModel_Unknowns(c->model);
    const double *x = c->columns.values + (size_t)c->columns.placeOf[sample] * n;
    for (int i = 0; i < c->askedCount; i++)
        c->column[c->asked[i]] += valueAt(c, x, 1, c->asked[i]);
    return true;
}

// The same from columns of S⁻¹.
static void addGreen(const snDualRow *row)
{
    const snLatticeContacts *c = row->of;
    for (int k = 0; k < row->count; k++) {
        int p = c->skinOf[row->vertex[k]];
        if (p < 0) continue;
        const double *green = c->green->values + (size_t)p * (size_t)c->skinCount;
        for (int i = 0; i < c->askedCount; i++)
            c->column[c->asked[i]] += row->weight[k] * green[c->skinOf[c->asked[i]]];
    }
}

// The vertices of a record are among those whose place in columns counts.
static void ask(const snDualEntry *entry)
{
    snDualRow rows[2];
    for (int i = snDualEntry_Rows(entry, rows) - 1; i >= 0; i--) {
        snLatticeContacts *c = rows[i].of;
        for (int k = 0; k < rows[i].count; k++) {
            int v = rows[i].vertex[k];
            if (v >= c->model->freeCount) continue;
            if (c->skinCount) snContactRungs_Ask(c, v);
            if (c->isAsked[v]) continue;
            c->isAsked[v] = 1;
            c->asked[c->askedCount++] = v;
        }
    }
}

// The bodies that a record moves have columns, of zeros at first; or no longer.
static void reach(const snDualEntry *entry, bool reached)
{
    snDualRow rows[2];
    for (int i = snDualEntry_Rows(entry, rows) - 1; i >= 0; i--)
        for (int b = 0; b < movedCount(rows[i].of); b++) {
            snLatticeContacts *c = movedBody(rows[i].of, b);
            c->reached = reached;
            for (int k = 0; k < c->askedCount && reached; k++)
                c->column[c->asked[k]] = 0;
        }
}

// P S⁻¹φ of a record, to the columns of bodies.
static void findColumn(snContactPush *push, const snDualEntry *entry)
{
    snDualRow rows[2];
    int n = snDualEntry_Rows(entry, rows);
    for (int i = 0; i < n; i++) {
        if (!rows[i].of->held && !rows[i].of->ties && rows[i].of->skinCount) {
            addGreen(&rows[i]);
            continue;
        }
        if (i == 0 && addKept(&rows[i], entry->record->sample)) continue;
        addSolved(&rows[i]);
        push->columns++;
    }
}

// ψᵀ P S⁻¹ φ of an entry with what is in the columns of the bodies that are reached.
static double timesColumn(const snDualEntry *entry)
{
    snDualRow rows[2];
    double sum = 0;
    for (int i = snDualEntry_Rows(entry, rows) - 1; i >= 0; i--) {
        const snLatticeContacts *c = rows[i].of;
        if (!c->reached) continue;
        for (int k = 0; k < rows[i].count; k++)
            if (rows[i].vertex[k] < c->model->freeCount)
                sum += rows[i].weight[k] * c->column[rows[i].vertex[k]];
    }
    return sum;
}

// ---- places -------------------------------------------------------------------------------------

void snContactPush_Reset(snContactPush *push, int entries, int bodies,
                         snLatticeContacts *const *contacts)
{
    push->count = push->placeCount = 0;
    for (int b = 0; b < bodies; b++) {
        snLatticeContacts *c = contacts[b];
        for (int k = 0; k < c->askedCount; k++)
            c->isAsked[c->asked[k]] = 0;
        c->askedCount = 0;
        if (c->bones) snBones_ForgetAnswers(c->bones);
    }
    for (int e = 0; e < entries; e++)
        push->placeOf[e] = -1;
}

// ---- links --------------------------------------------------------------------------------------

// The bones that a record pushes at, one for each side at most.
static int bonesOf(const snDualEntry *entry, snBones *bones[2])
{
    snDualRow rows[2];
    int n = snDualEntry_Rows(entry, rows), count = 0;
    for (int i = 0; i < n; i++) {
        snBones *own = rows[i].of->bones;
        if (own && (!count || own != bones[0])) bones[count++] = own;
    }
    return count;
}

// How the links of a record's bodies answer to it.
static void findAnswers(const snDualEntry *entry, int place, int e)
{
    snBones *bones[2];
    snDualRow rows[2];
    int n = snDualEntry_Rows(entry, rows), count = bonesOf(entry, bones);
    for (int k = 0; k < count; k++) {
        snBones_ClearCovector(bones[k]);
        for (int i = 0; i < n; i++)
            if (rows[i].of->bones == bones[k])
                snBones_AddCovector(bones[k], rows[i].count, rows[i].vertex, rows[i].weight,
                                    entry->record->normal);
        snBones_KeepAnswer(bones[k], place, e);
    }
}

// What they add to G between the records of two places, beyond what flesh alone gives way by.
static double byLinks(const snContactPush *push, const snDualEntry *entries, int place, int other)
{
    snBones *bones[2];
    int e = push->entryOf[place], count = bonesOf(&entries[e], bones);
    double sum = 0;
    for (int k = 0; k < count; k++)
        sum += snBones_Answer(bones[k], place, e, other, push->entryOf[other]);
    return sum;
}

// ---- taking places ------------------------------------------------------------------------------

static void takePlace(snContactPush *push, const snDualEntry *entries, int e)
{
    int place = push->placeCount++;
    size_t most = (size_t)push->most;
    reach(&entries[e], true);
    findColumn(push, &entries[e]);
    push->entryOf[place] = e;
    push->give[place] = 1 / entries[e].record->hard;
    push->placeOf[e] = place;
    findAnswers(&entries[e], place, e);
    for (int p = 0; p <= place; p++) {
        const snDualEntry *other = &entries[push->entryOf[p]];
        double normals = snDot(entries[e].record->normal, other->record->normal);
        double value = normals != 0 ? normals * timesColumn(other) : 0;
        value += byLinks(push, entries, place, p);
        push->matrix[(size_t)place * most + (size_t)p] = value;
        push->matrix[(size_t)p * most + (size_t)place] = value;
    }
    reach(&entries[e], false);
}

static bool hasHeld(const snDualEntry *entry)
{
    const snLatticeContacts *other = entry->record->other;
    return entry->contacts->held || entry->contacts->ties || entry->contacts->bones ||
           (other && (other->held || other->ties || other->bones));
}

// Whether the first that push are those of the last step, with the same rows and normals, and so is G. A restored
// state may find another's here, which makes no difference: G is made of these alone.
static bool isAsBefore(snContactPush *push, const snDualEntry *entries)
{
    bool same = push->count == push->lastCount, keeps = true;
    for (int i = 0; i < push->count; i++) {
        const snDualEntry *entry = &entries[push->numbers[i]];
        const snContactRecord *r = entry->record;
        const snDualKey *last = &push->last[i];
        same = same && entry->contacts == last->contacts && r->sample == last->sample &&
               entry->contacts->model == last->rung && entry->contacts->ladders == last->ladder &&
               entry->contacts->acting == last->acting && r->normal.x == last->normal.x &&
               r->normal.y == last->normal.y && r->normal.z == last->normal.z;
        keeps = keeps && !r->otherCount && !hasHeld(entry);
        push->last[i] = (snDualKey){.contacts = entry->contacts,
                                    .rung = entry->contacts->model,
                                    .ladder = entry->contacts->ladders,
                                    .acting = entry->contacts->acting,
                                    .sample = r->sample,
                                    .normal = r->normal};
    }
    push->lastCount = keeps ? push->count : -1;
    return same && keeps;
}

// Columns of S⁻¹ that a rung has not got yet.
static void findGreens(const snContactPush *push, const snDualEntry *entries)
{
    for (int i = 0; i < push->count; i++) {
        const snDualEntry *entry = &entries[push->numbers[i]];
        snContactRungs_Find(entry->contacts);
        if (entry->record->other) snContactRungs_Find(entry->record->other);
    }
}

// Taking out rows one by one pays where few of them go, and late ones.
static bool updatePays(const snContactFactor *factor, const unsigned char *wanted)
{
    double n = factor->count, cost = 0;
    for (int i = 0; i < factor->count; i++)
        if (!wanted[factor->places[i]]) cost += 3 * (n - i) * (n - i);
    return factor->count >= 0 && cost < n * n * n / 3;
}

// Rows of places that are not wanted go, or all do.
static void dropRows(snContactPush *push, const unsigned char *wanted)
{
    snContactFactor *factor = &push->factor;
    if (!updatePays(factor, wanted)) {
        factor->count = 0;
        push->updated = false;
    }
    for (int i = factor->count - 1; i >= 0; i--) {
        if (wanted[factor->places[i]]) continue;
        snContactFactor_Remove(factor, i);
        push->updated = true;
    }
}

// Those that push no longer give up their places; the others stay in their order, with what G has of them. Answers of bones are kept by
// places: where there are some all places are given up.
static void clearPlaces(snContactPush *push, const snDualEntry *entries)
{
    unsigned char wanted[SN_MOST_PUSHING] = {0};
    size_t most = (size_t)push->most;
    int count = 0, *kept = push->some, now[SN_MOST_PUSHING];
    bool bones = false;
    for (int i = 0; i < push->count; i++) {
        const snDualEntry *entry = &entries[push->numbers[i]];
        const snLatticeContacts *other = entry->record->other;
        bones |= entry->contacts->bones || (other && other->bones);
        if (push->placeOf[push->numbers[i]] >= 0) wanted[push->placeOf[push->numbers[i]]] = 1;
    }
    for (int p = 0; p < push->placeCount; p++) {
        int e = push->entryOf[p];
        push->placeOf[e] = -1;
        if (!wanted[p] || bones) continue;
        push->placeOf[e] = count;
        push->entryOf[count] = e;
        push->give[count] = push->give[p];
        now[p] = count;
        kept[count++] = p;
    }
    if (bones)
        push->factor.count = -1;
    else
        dropRows(push, wanted);
    for (int i = 0; i < push->factor.count; i++)
        push->factor.places[i] = now[push->factor.places[i]];
    for (int p = 0; p < count; p++)
        for (int q = 0; q < count; q++)
            push->matrix[(size_t)p * most + (size_t)q] =
                push->matrix[(size_t)kept[p] * most + (size_t)kept[q]];
    push->placeCount = count;
    push->lastCount = -1;
}

// The factor of the step before is kept where it is what it would be if it were made anew, and counts as if it were: what a step does, and where
// it is spent, must not hang on what was before a saved state.
static void keepFactor(snContactPush *push)
{
    snContactFactor *factor = &push->factor;
    bool same = !push->updated && factor->count == push->count;
    for (int i = 0; i < push->count && same; i++)
        same = factor->places[i] == i;
    if (same)
        factor->rowsAdded += factor->count;
    else
        factor->count = -1;
}

static void takePlaces(snContactPush *push, const snDualEntry *entries)
{
    int missing = 0;
    for (int i = 0; i < push->count; i++)
        missing += push->placeOf[push->numbers[i]] < 0;
    if (!missing) return;
    if (push->placeCount == 0 && isAsBefore(push, entries)) {
        for (int i = 0; i < push->count; i++) {
            push->placeOf[push->numbers[i]] = i, push->entryOf[i] = push->numbers[i];
            push->give[i] = 1 / entries[push->numbers[i]].record->hard;
            ask(&entries[push->numbers[i]]);
        }
        push->placeCount = push->count;
        keepFactor(push);
        return;
    }
    if (push->placeCount == 0) push->factor.count = -1;
    if (push->placeCount + missing > push->most) clearPlaces(push, entries);
    for (int i = 0; i < push->count; i++)
        if (push->placeOf[push->numbers[i]] < 0) ask(&entries[push->numbers[i]]);
    findGreens(push, entries);
    keepColumns(push, entries);
    for (int i = 0; i < push->count; i++)
        if (push->placeOf[push->numbers[i]] < 0) takePlace(push, entries, push->numbers[i]);
}

// ---- the factor ---------------------------------------------------------------------------------

bool snContactPush_Factorise(snContactPush *push, const snDualEntry *entries)
{
    unsigned char wanted[SN_MOST_PUSHING] = {0}, there[SN_MOST_PUSHING] = {0};
    snContactFactor *factor = &push->factor;
    int count = 0;
    takePlaces(push, entries);
    for (int i = 0; i < push->count; i++)
        wanted[push->placeOf[push->numbers[i]]] = 1;
    dropRows(push, wanted);
    for (int i = 0; i < factor->count; i++)
        there[factor->places[i]] = 1;
    for (int i = 0; i < push->count; i++) {
        int place = push->placeOf[push->numbers[i]];
        if (!there[place]) push->some[count++] = place;
    }
    push->updated |= factor->count > 0 && count > 0;
    return snContactFactor_Add(factor, count, push->some, push->matrix, push->give);
}

void snContactPush_Solve(snContactPush *push, double *x)
{
    const snContactFactor *factor = &push->factor;
    double *y = factor->work;
    int numberOf[SN_MOST_PUSHING]; // by place
    for (int i = 0; i < push->count; i++)
        numberOf[push->placeOf[push->numbers[i]]] = i;
    for (int i = 0; i < factor->count; i++)
        y[i] = x[numberOf[factor->places[i]]];
    snContactFactor_Solve(&push->factor, y);
    for (int i = 0; i < factor->count; i++)
        x[numberOf[factor->places[i]]] = y[i];
}
