// The set's memory, and what changes it: constraints come, move and go.
#include "constraint/parts.h"

#include "core/error.h"

#include <math.h>
#include <string.h>

snConstraintSetDef snDefaultConstraintSetDef(void)
{
    // A sine of 1e-6 is a pivot of 1e-12 in S, well above rounding and far below what a person
    // could mean: two points a millionth of a cell apart.
    return (snConstraintSetDef){.block = 1,
                                .width = 4,
                                .lanes = 1,
                                .capacity = 16,
                                .mostTerms = 8,
                                .tolerance = 1e-6,
                                .agreement = 1e-9};
}

static snStatus checkDef(const snConstraintSetDef *def, snError *error)
{
    if (def->size < 0 || def->capacity < 0 || def->mostTerms < 0)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "size %d, capacity %d and mostTerms %d of a set of constraints must not be "
                      "negative",
                      def->size, def->capacity, def->mostTerms);
    if (def->block != 1 && def->block != 3)
        return snFail(error, SN_ERROR_ARGUMENT, "block is %d; it must be 1 or 3", def->block);
    if (def->lanes < 1 || def->width < def->block * def->lanes)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "%d lanes of %d components do not fit a width of %d", def->lanes, def->block,
                      def->width);
    if (!def->inverse.apply)
        return snFail(error, SN_ERROR_ARGUMENT, "a set of constraints needs the inverse of A");
    if (def->sparse && (def->block != 1 || def->width != 4))
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "a sparse set of constraints has blocks of %d and a width of %d; it must be 1 "
            "and 4",
            def->block, def->width);
    if (!(def->tolerance > 0 && def->tolerance < 1) || !(def->agreement >= 0))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "tolerance is %g and agreement %g; they must be in (0, 1) and at least 0",
                      def->tolerance, def->agreement);
    return SN_OK;
}

// Hands out pieces of one block; with base NULL it only counts.
typedef struct Cutter {
    char *base;
    size_t used;
} Cutter;

static void *cut(Cutter *cutter, size_t size, size_t count)
{
    size_t at = cutter->used;
    cutter->used += (count * size + 63) & ~(size_t)63;
    return cutter->base ? cutter->base + at : NULL;
}

static void cutBlock(snConstraintSet *set, Cutter *cutter)
{
    size_t capacity = (size_t)set->def.capacity, terms = capacity * (size_t)set->def.mostTerms;
    size_t numbers = capacity * (size_t)set->def.width;
    set->count = cut(cutter, sizeof(int), 1);
    set->order = cut(cutter, sizeof(int), capacity);
    set->used = cut(cutter, sizeof(int), capacity);
    set->termCount = cut(cutter, sizeof(int), capacity);
    set->index = cut(cutter, sizeof(int), terms);
    set->weight = cut(cutter, sizeof(double), terms);
    set->target = cut(cutter, sizeof(double), numbers);
    set->offset = cut(cutter, sizeof(double), numbers);
    set->name = cut(cutter, 1, capacity * SN_CONSTRAINT_NAME);
}

static bool allocate(snConstraintSet *set)
{
    snArena *arena = &set->arena;
    size_t capacity = (size_t)set->def.capacity, block = (size_t)set->def.block;
    size_t unknowns = block * (size_t)set->def.size, rows = capacity * block;
    Cutter cutter = {0};
    cutBlock(set, &cutter);
    set->blockSize = cutter.used;
    cutter = (Cutter){.base = SN_NEW(arena, char, set->blockSize)};
    if (!cutter.base) return false;
    set->block = cutter.base;
    cutBlock(set, &cutter);
    set->spare = SN_NEW(arena, char, set->blockSize);
    set->column = snArena_Alloc(arena, sizeof(double) * unknowns, rows);
    set->unit = SN_NEW(arena, double, unknowns);
    set->rank = SN_NEW(arena, int, capacity);
    set->keptHandle = SN_NEW(arena, int, capacity);
    set->lower = SN_NEW(arena, double, rows *rows);
    set->lead = SN_NEW(arena, int, rows);
    set->runs = SN_NEW(arena, int, 2 * SN_CONSTRAINT_RUNS * capacity);
    bool sparse = snRowFactor_Make(&set->rows, set->def.sparse ? set->def.capacity : 0, arena);
    set->expansion = SN_NEW(arena, double, capacity *capacity);
    set->normal = SN_NEW(arena, double, capacity *capacity);
    set->alpha = SN_NEW(arena, double, block *rows);
    set->residue = SN_NEW(arena, double, block *unknowns);
    set->support = SN_NEW(arena, int, unknowns);
    set->right = SN_NEW(arena, double, capacity *(size_t)set->def.width);
    set->state = SN_NEW(arena, snConstraintState, capacity);
    set->miss = SN_NEW(arena, double, capacity);
    set->scratch = SN_NEW(arena, double, snConstraintSet_ScratchSize(set));
    return sparse && set->spare && set->runs && set->lead && set->column && set->unit &&
           set->rank && set->keptHandle && set->lower && set->expansion && set->normal &&
           set->alpha && set->residue && set->support && set->right && set->state && set->miss &&
           set->scratch;
}

snStatus snConstraintSet_Make(snConstraintSet **out, const snConstraintSetDef *def,
                              const snContext *context, snError *error)
{
    *out = NULL;
    snStatus status = checkDef(def, error);
    if (status) return status;
    snArena arena = snMakeArena(context);
    snConstraintSet *set = SN_NEW(&arena, snConstraintSet, 1);
    if (!set) return snFailMemory(error);
    set->arena = arena;
    set->def = *def;
    set->sides = def->block == 1 ? def->width : def->lanes;
    if (!allocate(set)) {
        snConstraintSet_Destroy(set);
        return snFailMemory(error);
    }
    *out = set;
    return SN_OK;
}

void snConstraintSet_Destroy(snConstraintSet *set)
{
    if (!set) return;
    snArena_DestroyWithin(&set->arena);
}

bool snConstraintSet_Has(const snConstraintSet *set, int handle)
{
    return handle >= 0 && handle < set->def.capacity && set->used[handle];
}

static bool areFinite(int count, const double *values)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i])) return false;
    return true;
}

static snStatus checkTerms(const snConstraintSet *set, const char *name, const snConstraintDef *def,
                           snError *error)
{
    if (def->termCount < 0 || def->termCount > set->def.mostTerms)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "constraint \"%s\" has %d terms; the set was made for %d at most", name,
                      def->termCount, set->def.mostTerms);
    for (int t = 0; t < def->termCount; t++) {
        if (def->index[t] < 0 || def->index[t] >= set->def.size)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "term %d of constraint \"%s\" names coordinate %d of %d", t, name,
                          def->index[t], set->def.size);
        if (!isfinite(def->weight[t]))
            return snFail(error, SN_ERROR_ARGUMENT, "weight %d of constraint \"%s\" is not finite",
                          t, name);
    }
    return SN_OK;
}

static snStatus checkConstraint(const snConstraintSet *set, const snConstraintDef *def,
                                snError *error)
{
    const char *name = def->name ? def->name : "";
    if (*set->count == set->def.capacity)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "there is no place for constraint \"%s\": the set was made for %d", name,
                      set->def.capacity);
    snStatus status = checkTerms(set, name, def, error);
    if (status) return status;
    if (!areFinite(set->def.width, def->target) ||
        (def->offset && !areFinite(set->def.width, def->offset)))
        return snFail(error, SN_ERROR_ARGUMENT, "the target of constraint \"%s\" is not finite",
                      name);
    return SN_OK;
}

static bool isZero(const snConstraintSet *set, int handle, int coordinate)
{
    int block = set->def.block;
    for (int d = 0; d < block; d++)
        for (int c = 0; c < block; c++)
            if (snConstraintColumn(set, handle, d)[coordinate * block + c] != 0) return false;
    return true;
}

// Columns of bodies that stand one after another are zero in most of them. A gap that is shorter than the one between
// the runs so far is bridged.
static void findRuns(snConstraintSet *set, int handle)
{
    int first = -1, end = 0, gap = 0, gapEnd = 0;
    for (int i = 0; i < set->def.size; i++) {
        if (isZero(set, handle, i)) continue;
        if (first < 0)
            first = i;
        else if (i - end > gap)
            gap = i - end, gapEnd = i;
        end = i + 1;
    }
    int *run = snConstraintRuns(set, handle);
    run[0] = first < 0 ? 0 : first;
    run[1] = gap ? gapEnd - gap : end;
    run[2] = gap ? gapEnd : end;
    run[3] = end;
}

// W = A⁻¹ cᵀ, once for each component. False when A⁻¹ gave something that is not finite.
static bool solveColumn(snConstraintSet *set, int handle)
{
    int block = set->def.block, terms = set->termCount[handle];
    size_t first = (size_t)handle * (size_t)set->def.mostTerms;
    size_t unknowns = (size_t)block * (size_t)set->def.size;
    bool finite = true;
    for (int d = 0; d < block; d++) {
        double *column = snConstraintColumn(set, handle, d);
        memset(column, 0, unknowns * sizeof *column);
        if (terms == 0) continue;
        memset(set->unit, 0, unknowns * sizeof *set->unit);
        for (int t = 0; t < terms; t++)
            set->unit[(size_t)set->index[first + (size_t)t] * (size_t)block + (size_t)d] +=
                set->weight[first + (size_t)t];
        set->def.inverse.apply(set->def.inverse.context, set->unit, column);
        set->columnsSolved++;
        for (size_t i = 0; i < unknowns; i++)
            finite &= isfinite(column[i]) != 0;
    }
    findRuns(set, handle);
    return finite;
}

static void copyName(char *out, const char *name)
{
    size_t length = name ? strlen(name) : 0;
    memset(out, 0, SN_CONSTRAINT_NAME);
    if (length >= SN_CONSTRAINT_NAME) {
        length = SN_CONSTRAINT_NAME - 1;
        while (length > 0 && ((unsigned char)name[length] & 0xC0) == 0x80)
            length--; // not in the middle of a UTF-8 sequence
    }
    if (length) memcpy(out, name, length);
}

// Bytes of empty places are zero, so that equal sets are equal bytes.
static void clearPlace(snConstraintSet *set, int handle)
{
    size_t terms = (size_t)set->def.mostTerms, width = (size_t)set->def.width;
    set->used[handle] = set->termCount[handle] = 0;
    memset(set->index + (size_t)handle * terms, 0, terms * sizeof(int));
    memset(set->weight + (size_t)handle * terms, 0, terms * sizeof(double));
    memset(set->target + (size_t)handle * width, 0, width * sizeof(double));
    memset(set->offset + (size_t)handle * width, 0, width * sizeof(double));
    copyName(snConstraintName(set, handle), NULL);
}

static void copyTerms(snConstraintSet *set, int place, const snConstraintDef *def)
{
    size_t most = (size_t)set->def.mostTerms, first = (size_t)place * most;
    set->termCount[place] = 0;
    memset(set->index + first, 0, most * sizeof(int));
    memset(set->weight + first, 0, most * sizeof(double));
    for (int t = 0; t < def->termCount; t++) {
        if (def->weight[t] == 0) continue;
        size_t at = first + (size_t)set->termCount[place]++;
        set->index[at] = def->index[t];
        set->weight[at] = def->weight[t];
    }
}

snStatus snConstraintSet_Add(snConstraintSet *set, const snConstraintDef *def, int *handle,
                             snError *error)
{
    *handle = -1;
    snStatus status = checkConstraint(set, def, error);
    if (status) return status;
    int place = 0;
    while (set->used[place])
        place++;
    copyTerms(set, place, def);
    copyName(snConstraintName(set, place), def->name);
    if (!solveColumn(set, place)) {
        clearPlace(set, place);
        return snFail(error, SN_ERROR_NUMERIC,
                      "the column of constraint \"%s\" is not finite: the matrix may be singular",
                      def->name ? def->name : "");
    }
    set->used[place] = 1;
    set->order[(*set->count)++] = place;
    set->rank[place] = -1;
    *handle = place;
    return snConstraintSet_Move(set, place, def->target, def->offset, error);
}

snStatus snConstraintSet_Move(snConstraintSet *set, int handle, const double *target,
                              const double *offset, snError *error)
{
    size_t width = (size_t)set->def.width, at = (size_t)handle * width;
    if (!snConstraintSet_Has(set, handle))
        return snFail(error, SN_ERROR_ARGUMENT, "there is no constraint %d to move", handle);
    if (!areFinite(set->def.width, target) || (offset && !areFinite(set->def.width, offset)))
        return snFail(error, SN_ERROR_ARGUMENT, "the target of constraint \"%s\" is not finite",
                      snConstraintName(set, handle));
    memcpy(set->target + at, target, width * sizeof *target);
    if (offset) memcpy(set->offset + at, offset, width * sizeof *offset);
    return SN_OK;
}

// The factor keeps the rows of the first `position` constraints.
static void forgetFrom(snConstraintSet *set, int position)
{
    if (position < set->prepared) set->prepared = position;
    set->kept = 0;
    for (int p = 0; p < set->prepared; p++)
        set->kept += set->rank[set->order[p]] >= 0;
    set->normalStale = true;
}

snStatus snConstraintSet_SetTerms(snConstraintSet *set, int handle, int termCount, const int *index,
                                  const double *weight, snError *error)
{
    if (!snConstraintSet_Has(set, handle))
        return snFail(error, SN_ERROR_ARGUMENT, "there is no constraint %d to change", handle);
    snConstraintDef def = {.termCount = termCount, .index = index, .weight = weight};
    const char *name = snConstraintName(set, handle);
    snStatus status = checkTerms(set, name, &def, error);
    if (status) return status;
    int position = 0;
    while (set->order[position] != handle)
        position++;
    forgetFrom(set, position);
    copyTerms(set, handle, &def);
    if (solveColumn(set, handle)) return SN_OK;
    return snFail(error, SN_ERROR_NUMERIC,
                  "the column of constraint \"%s\" is not finite: the matrix may be singular",
                  name);
}

snStatus snConstraintSet_Refresh(snConstraintSet *set, snError *error)
{
    bool finite = true;
    forgetFrom(set, 0);
    for (int p = 0; p < *set->count; p++)
        finite &= solveColumn(set, set->order[p]);
    if (finite) return SN_OK;
    return snFail(error, SN_ERROR_NUMERIC,
                  "columns of constraints are not finite: the matrix may be singular");
}

snStatus snConstraintSet_Remove(snConstraintSet *set, int handle, snError *error)
{
    if (!snConstraintSet_Has(set, handle))
        return snFail(error, SN_ERROR_ARGUMENT, "there is no constraint %d to remove", handle);
    int position = 0, last = --*set->count;
    while (set->order[position] != handle)
        position++;
    // One that is not in L leaves all rows as they are.
    bool dependent = position < set->prepared && set->rank[handle] < 0;
    if (!dependent) forgetFrom(set, position);
    for (int p = position; p < last; p++)
        set->order[p] = set->order[p + 1];
    set->order[last] = 0;
    if (dependent) {
        set->prepared--;
        set->normalStale = true;
    }
    clearPlace(set, handle);
    return SN_OK;
}

void snConstraintSet_Save(const snConstraintSet *set, void *bytes)
{
    memcpy(bytes, set->block, set->blockSize);
}

static snStatus checkSaved(const snConstraintSet *saved, snError *error)
{
    int count = *saved->count, capacity = saved->def.capacity, used = 0;
    bool good = count >= 0 && count <= capacity;
    for (int k = 0; k < capacity && good; k++) {
        used += saved->used[k] == 1;
        good = saved->termCount[k] >= 0 && saved->termCount[k] <= saved->def.mostTerms &&
               (saved->used[k] == 1 || (saved->used[k] == 0 && saved->termCount[k] == 0));
        for (int t = 0; t < saved->termCount[k] && good; t++) {
            size_t at = (size_t)k * (size_t)saved->def.mostTerms + (size_t)t;
            good = saved->index[at] >= 0 && saved->index[at] < saved->def.size &&
                   isfinite(saved->weight[at]);
        }
        good = good && snConstraintName(saved, k)[SN_CONSTRAINT_NAME - 1] == 0;
    }
    good = good && used == count && areFinite(capacity * saved->def.width, saved->target) &&
           areFinite(capacity * saved->def.width, saved->offset);
    for (int p = 0; p < count && good; p++) {
        good = saved->order[p] >= 0 && saved->order[p] < capacity && saved->used[saved->order[p]];
        for (int q = 0; q < p && good; q++)
            good = saved->order[q] != saved->order[p];
    }
    if (good) return SN_OK;
    return snFail(error, SN_ERROR_FORMAT,
                  "these bytes are not a saved set of %d constraints over %d coordinates", capacity,
                  saved->def.size);
}

// The same terms, to the bit.
static bool sameTerms(const snConstraintSet *a, const snConstraintSet *b, int handle)
{
    size_t first = (size_t)handle * (size_t)a->def.mostTerms, n = (size_t)a->termCount[handle];
    return a->used[handle] && a->termCount[handle] == b->termCount[handle] &&
           !memcmp(a->index + first, b->index + first, n * sizeof(int)) &&
           !memcmp(a->weight + first, b->weight + first, n * sizeof(double));
}

snStatus snConstraintSet_Restore(snConstraintSet *set, const void *bytes, snError *error)
{
    snConstraintSet saved = *set;
    memcpy(set->spare, bytes, set->blockSize);
    Cutter cutter = {.base = set->spare};
    cutBlock(&saved, &cutter);
    snStatus status = checkSaved(&saved, error);
    if (status) return status;
    forgetFrom(set, 0);
    // Places that have no column of these terms are marked by a rank of -2 until they are solved.
    for (int k = 0; k < set->def.capacity; k++)
        set->rank[k] = saved.used[k] && !sameTerms(set, &saved, k) ? -2 : -1;
    memcpy(set->block, bytes, set->blockSize);
    bool finite = true;
    for (int k = 0; k < set->def.capacity; k++) {
        if (set->rank[k] == -2) finite &= solveColumn(set, k);
        set->rank[k] = -1;
    }
    if (finite) return SN_OK;
    memset(set->block, 0, set->blockSize);
    return snFail(error, SN_ERROR_NUMERIC,
                  "a restored constraint has a column that is not finite: the matrix may be "
                  "singular; the set is left empty");
}
