// A state's memory, and its state as bytes.
#include "body/lattice/average.h"
#include "body/lattice/linear.h"
#include "body/lattice/passes.h"
#include "body/lattice/detail.h"
#include "body/lattice/newton.h"
#include "body/lattice/space_levels.h"
#include "body/lattice/turned.h"
#include "core/error.h"

#include <string.h>

// Hands out pieces of one block; with base NULL it only counts.
typedef struct Cutter {
    char *base;
    size_t used;
} Cutter;

static double *cut(Cutter *cutter, size_t count)
{
    size_t at = cutter->used;
    cutter->used += (count * sizeof(double) + 63) & ~(size_t)63;
    return cutter->base ? (double *)(void *)(cutter->base + at) : NULL;
}

// Numbers of elements, in the model's precision.
static void *cutReals(const snLatticeModel *model, Cutter *cutter, size_t count)
{
    return cut(cutter, (count * model->realSize + sizeof(double) - 1) / sizeof(double));
}

static float *cutFloats(Cutter *cutter, size_t count)
{
    return (float *)(void *)cut(cutter, (count + 1) / 2);
}

// Blocks of numbers in the element state of a class.
size_t snLatticeState_BlockCount(const snLatticeModel *model, const snLatticeState *state,
                                 int class)
{
    const snElementClass *elements = &model->classes[class];
    if (state->lanes == 1) return (size_t)elements->groupCount;
    return (size_t)elements->count * (size_t)(state->lanes / SN_GROUP);
}

// Frames of regions that a state remembers, per lane.
static size_t frameCount(const snLatticeModel *model)
{
    const snLinear *linear = model->linear;
    bool full = model->def.motion == SN_MOTION_FULL;
    return linear && (linear->blend || full) ? (size_t)linear->partCount : 0;
}

static snAffine *cutFrames(Cutter *cutter, size_t count)
{
    return (snAffine *)(void *)cut(cutter, count * sizeof(snAffine) / sizeof(double));
}

void snLatticeState_ForgetFrames(const snLatticeModel *model, snLatticeState *state)
{
    bool stands = model->linear && !model->linear->blend && !model->def.turn;
    if (stands) return; // where it was put, snLinear_Stand
    memset(state->frames, 0, frameCount(model) * (size_t)state->lanes * sizeof(snAffine));
}

static int *cutInts(Cutter *cutter, int count)
{
    return (int *)(void *)cut(cutter, ((size_t)count + 1) / 2);
}

static void cutActive(snLatticeState *state, const snLatticeModel *model, Cutter *cutter)
{
    const snFineFunctions *fine = snLatticeModel_Fine(model);
    snActive *a = &state->active;
    size_t slots = (size_t)fine->slotCount;
    a->count = cutInts(cutter, 1);
    a->functionOf = cutInts(cutter, fine->slotCount);
    a->slotOf = cutInts(cutter, fine->count);
    a->order = cutInts(cutter, fine->slotCount);
    a->place = cutInts(cutter, fine->slotCount);
    a->cellLevel = cutInts(cutter, fine->cellCount);
    a->levelUse = cutInts(cutter, fine->cellCount * SN_DETAIL_LEVELS);
    a->border = cut(cutter, slots * slots);
    a->scale = cut(cutter, 1);
    a->groupCount = cutInts(cutter, SN_CLASSES);
    for (int c = model->detail ? 2 : 1; c < model->classCount; c++)
        a->groups[c] = cutInts(cutter, model->classes[c].groupCount);
}

static void cutActiveScratch(snLatticeState *state, const snLatticeModel *model, Cutter *cutter)
{
    snActive *a = &state->active;
    size_t rows = (size_t)snLatticeModel_Fine(model)->total * 4;
    for (int c = model->detail ? 2 : 1; c < model->classCount; c++)
        a->begun[c] = cutInts(cutter, model->classes[c].groupCount);
    a->residual = cut(cutter, rows);
    a->product = cut(cutter, rows);
}

static void cutDetailState(snLatticeState *state, const snLatticeModel *model, Cutter *cutter)
{
    snDetailState *s = &state->detail;
    s->share = cut(cutter, (size_t)model->classes[0].groupCount * SN_GROUP);
    s->pointCount = cutInts(cutter, 1);
    s->points = cutInts(cutter, model->detail->pointCount);
}

static void cutDetailScratch(snLatticeState *state, const snLatticeModel *model, Cutter *cutter)
{
    const snDetail *detail = model->detail;
    snDetailState *s = &state->detail;
    size_t vertices = (size_t)model->vertexCount * 4, points = (size_t)detail->pointCount * 4;
    s->inertial = cut(cutter, vertices);
    s->rig = cut(cutter, vertices + points);
    s->pointGradient = cut(cutter, points);
    s->measure = cut(cutter, (size_t)model->lattice.cellCount);
    s->wanted = (unsigned char *)cut(cutter, (size_t)detail->pointCount / 8 + 1);
}

static bool hasLevels(const snLatticeModel *model)
{
    return model->space && model->space->levels;
}

static void cutSpaceState(snLatticeState *state, const snLatticeModel *model, Cutter *cutter)
{
    const snFineFunctions *fine = &model->space->levels->fine;
    snSpaceState *s = &state->space;
    s->load = cut(cutter, (size_t)model->vertexCount * 4);
    s->length = cut(cutter, 1);
    s->miss = cut(cutter, (size_t)fine->total * 4);
    s->estimate = cut(cutter, (size_t)fine->count);
    s->probe = cutInts(cutter, 1);
    s->wait = cutInts(cutter, 1);
    s->age = cutInts(cutter, fine->slotCount);
}

static snWeightRows cutRows(Cutter *cutter, int rows, int columns, int entries)
{
    return (snWeightRows){.rows = rows,
                          .columns = columns,
                          .start = cutInts(cutter, rows + 1),
                          .column = cutInts(cutter, entries),
                          .weight = cut(cutter, (size_t)entries)};
}

static void cutSpaceScratch(snLatticeState *state, const snLatticeModel *model, Cutter *cutter)
{
    const snSpaceLevels *levels = model->space->levels;
    const snFineFunctions *fine = &levels->fine;
    int vertices = model->vertexCount, rows = vertices > fine->total ? vertices : fine->total;
    snSpaceState *s = &state->space;
    s->rows = cutRows(cutter, vertices, fine->total, levels->entries);
    s->columns = cutRows(cutter, fine->total, vertices, levels->entries);
    s->vertices = cutInts(cutter, vertices);
    s->extra = cutInts(cutter, vertices);
    s->touched = cutInts(cutter, vertices);
    s->listed = (unsigned char *)cut(cutter, (size_t)vertices / 8 + 1);
    s->gatherStart = cutInts(cutter, vertices + 2);
    s->gather = cutInts(cutter, model->slotCount);
    s->next = cutInts(cutter, rows);
    s->seen = cutInts(cutter, 2 * fine->slotCount);
    s->base = cut(cutter, (size_t)fine->total * 4);
    s->slope = cut(cutter, (size_t)fine->total * 4);
    s->inertia = cut(cutter, (size_t)fine->total * 4);
    s->measure = cut(cutter, (size_t)fine->cellCount);
}

static void cutState(snLatticeState *state, const snLatticeModel *model, Cutter *cutter)
{
    size_t doubles = (size_t)model->vertexCount * (size_t)state->width;
    size_t points = model->detail ? (size_t)model->detail->pointCount * 4 : 0;
    state->position = cut(cutter, doubles + points);
    state->velocity = cut(cutter, doubles);
    state->rig = cut(cutter, doubles + points);
    state->rigVelocity = cut(cutter, doubles);
    size_t functions = model->space ? (size_t)model->space->functionCount * 4 : 0;
    state->coefficient = cut(cutter, functions);
    state->coefficientVelocity = cut(cutter, functions);
    bool full = model->def.motion == SN_MOTION_FULL;
    state->shape = cut(cutter, full ? doubles + points : 0);
    state->shaped = cutInts(cutter, full);
    for (int c = 0; c < model->classCount; c++) {
        size_t numbers = snLatticeState_BlockCount(model, state, c) * (size_t)model->group;
        snElementState *elements = &state->elements[c];
        elements->rotation = cutReals(model, cutter, numbers * 4);
        elements->rigRotation = cutReals(model, cutter, numbers * 4);
        elements->strain = cutReals(model, cutter, numbers * 9);
        elements->volumeStrain = cutReals(model, cutter, numbers);
    }
    if (snLatticeModel_Fine(model)) cutActive(state, model, cutter);
    if (model->detail) cutDetailState(state, model, cutter);
    if (hasLevels(model)) cutSpaceState(state, model, cutter);
    state->frames = cutFrames(cutter, frameCount(model) * (size_t)state->lanes);
}

static void cutTurned(snLatticeState *state, const snLatticeModel *model, Cutter *cutter)
{
    size_t count = (size_t)model->turned->count, lanes = (size_t)state->lanes;
    snTurnedState *t = state->turned;
    t->rotation = cut(cutter, count * (lanes == 1 ? 12 : 9 * lanes));
    t->rows = cut(cutter, count * (size_t)state->width);
    t->packed = cut(cutter, count * 3 * lanes);
    t->solve = cut(cutter, snTurned_ScratchSize(model, state->lanes, state->width));
}

static void cutScratch(snLatticeState *state, const snLatticeModel *model, Cutter *cutter)
{
    size_t doubles = (size_t)model->vertexCount * (size_t)state->width;
    size_t freeRows = (size_t)model->unknownCount * (size_t)state->width;
    size_t unknowns = (size_t)snLatticeModel_Unknowns(model) * (size_t)state->width;
    size_t points = model->detail ? (size_t)model->detail->pointCount * 4 : 0, groups = 0;
    state->next = cut(cutter, doubles + points);
    state->target = cut(cutter, doubles);
    state->previous = cut(cutter, doubles);
    state->nextCoefficient = cut(cutter, model->space ? unknowns : 0);
    state->pulled = cut(cutter, model->space ? unknowns : 0);
    state->wide = cut(cutter, model->space ? doubles : 0);
    state->gradient = cut(cutter, freeRows > doubles ? freeRows : doubles);
    state->previousGradient = cut(cutter, unknowns);
    state->direction = cut(cutter, unknowns);
    for (int k = 0; k < SN_MEMORY; k++) {
        state->moves[k] = cut(cutter, unknowns);
        state->turns[k] = cut(cutter, unknowns);
    }
    if (snLatticeModel_Fine(model)) cutActiveScratch(state, model, cutter);
    if (model->detail) cutDetailScratch(state, model, cutter);
    if (hasLevels(model)) cutSpaceScratch(state, model, cutter);
    for (int c = 0; c < model->classCount; c++)
        groups += (size_t)model->classes[c].groupCount;
    bool single = model->def.precision == SN_PRECISION_SINGLE;
    state->force = cutReals(model, cutter, ((size_t)model->slotCount + 1) * (size_t)state->width);
    state->energy =
        cutReals(model, cutter, groups * (size_t)(single ? model->group : state->lanes));
    state->linear = cut(cutter, model->linear ? model->linear->scratchSize : 0);
    state->newFrames = cutFrames(cutter, frameCount(model));
    state->solve = cut(cutter, snFactor_ScratchSize(model->factor, state->width));
    if (state->turned) cutTurned(state, model, cutter);
    state->still = cut(cutter, (size_t)state->lanes);
    state->guess = cut(cutter, single ? freeRows : 0);
    state->shift = cutFloats(cutter, single ? doubles : 0);
    for (int c = 0; c < model->classCount; c++) {
        size_t numbers = snLatticeState_BlockCount(model, state, c) * (size_t)model->group;
        snElementState *elements = &state->elements[c];
        elements->lastStrain = cutReals(model, cutter, numbers * 9);
        elements->lastVolumeStrain = cutReals(model, cutter, numbers);
        elements->target = cutReals(model, cutter, numbers * 9);
        elements->volumeTarget = cutReals(model, cutter, numbers);
        elements->bulkScale = cutReals(model, cutter, numbers);
        size_t others = model->def.material == SN_MATERIAL_COROTATED ? 0 : numbers;
        elements->rigShape = cutReals(model, cutter, others * 9);
        elements->rigInverse = cutReals(model, cutter, others * 9);
        elements->elasticScale = cutReals(model, cutter, others);
        size_t averaged = snAverage_Has(model) ? numbers : 0;
        elements->begun = averaged ? (snMat3 *)(void *)cut(cutter, averaged * 9) : NULL;
        elements->average = averaged ? cut(cutter, averaged * SN_AVERAGE_NUMBERS) : NULL;
        elements->probeRotation = cutReals(model, cutter, numbers * 4);
        elements->probeRigRotation = cutReals(model, cutter, numbers * 4);
        elements->shape = cutReals(model, cutter, single ? numbers * 9 : 0);
    }
}

snStatus snLatticeState_Make(snLatticeState **out, const snLatticeModel *model, int lanes,
                             const snContext *context, snError *error)
{
    *out = NULL;
    if (lanes != 1 &&
        (model->def.solver == SN_SOLVER_NEWTON || model->detail || model->space ||
         model->def.integrator == SN_INTEGRATOR_MIDPOINT || model->def.energyDamping > 0))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "Newton's method, details, spaces of motions and the midpoint rule step one "
                      "body at a time, not %d",
                      lanes);
    if (lanes != 1 && (lanes < SN_GROUP || lanes > SN_MAX_LANES || lanes % SN_GROUP))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a batch of %d bodies: it must be 1, or a multiple of 8 up to %d", lanes,
                      SN_MAX_LANES);
    if (lanes != 1 && model->def.precision == SN_PRECISION_SINGLE)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "single precision steps one body at a time, not %d; choose double", lanes);
    snArena arena = snMakeArena(context);
    snLatticeState *state = SN_NEW(&arena, snLatticeState, 1);
    if (!state) return snFailMemory(error);
    state->lanes = lanes;
    state->components = lanes == 1 ? 4 : 3;
    state->width = state->components * lanes;
    state->turned = model->turned ? SN_NEW(&arena, snTurnedState, 1) : NULL;
    if (model->turned && !state->turned) {
        snArena_Destroy(&arena);
        return snFailMemory(error);
    }
    Cutter persistent = {0}, scratch = {0};
    cutState(state, model, &persistent);
    cutScratch(state, model, &scratch);
    state->block = snArena_Alloc(&arena, 1, persistent.used);
    char *scratchBlock = snArena_Alloc(&arena, 1, scratch.used);
    if (!state->block || !scratchBlock) {
        snArena_Destroy(&arena);
        return snFailMemory(error);
    }
    if (model->def.solver == SN_SOLVER_NEWTON) {
        snStatus status = snNewton_Make(&state->newton, model, &arena, error);
        if (status) {
            snArena_Destroy(&arena);
            return status;
        }
    }
    state->blockSize = persistent.used;
    cutState(state, model, &(Cutter){.base = state->block});
    cutScratch(state, model, &(Cutter){.base = scratchBlock});
    state->arena = arena;
    state->stiffness = 1;
    state->space.seenCount = -1;
    snLatticeState_SetShape(model, state, NULL);
    *out = state;
    return SN_OK;
}

void snLatticeState_UseBlock(const snLatticeModel *model, snLatticeState *state, void *block)
{
    state->block = block;
    state->space.seenCount = -1; // lists were made for another body
    cutState(state, model, &(Cutter){.base = block});
}

void snLatticeState_Destroy(snLatticeState *state)
{
    if (!state) return;
    snArena_DestroyWithin(&state->arena);
}

void snLatticeState_Save(const snLatticeState *state, void *bytes)
{
    memcpy(bytes, state->block, state->blockSize);
}

void snLatticeState_Restore(snLatticeState *state, const void *bytes)
{
    memcpy(state->block, bytes, state->blockSize);
}

// FNV-1a over the bytes (Fowler, Noll, Vo).
uint64_t snLatticeState_Hash(const snLatticeState *state)
{
    const unsigned char *bytes = state->block;
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < state->blockSize; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}
