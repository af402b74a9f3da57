// The step. With p' and p the rig's positions at the new and the old time, y the unknown positions
// and x, v the old state, backward Euler with drag α relative to the rig, springs κ to the rig and
// strain-rate damping β is the minimum over y of
//
//     ½ m |y - (x + h v + h² g)|² + ½ hα m |y - x - (p' - p)|²
//   + ½ κ (h² |y - p'|² + hβ |y - x - (p' - p)|²) + h (h + β) Σ V ψ_C(F(y))
//
// (times 1/h²; ψ_C in cells_kernel.c). All but the last term are squares, so together they are
// ½ D |y - t|² up to a constant, with
//
//     D = m (1 + hα) + κ (h² + hβ)
//     t = [m (x + h v + h² g) + (hα m + hβ κ)(x + p' - p) + h² κ p'] / D.
//
// The objective and its gradient are exact for each other, so every iteration can be checked to go
// down, and is halved if it does not.
#include "body/lattice/step.h"

#include "body/lattice/cells.h"
#include "core/error.h"
#include "core/tasks.h"

#include <string.h>

#define GRAIN 64         // groups per piece of a parallel loop
#define MOST_HALVINGS 30 // of one move before a lane gives up

// ---- memory ---------------------------------------------------------------------------------

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

// Blocks of eight numbers in the element state of a class.
static size_t blockCount(const snLatticeModel *model, const snLatticeState *state, int class)
{
    const snElementClass *elements = &model->classes[class];
    if (state->lanes == 1) return (size_t)elements->groupCount;
    return (size_t)elements->count * (size_t)(state->lanes / SN_GROUP);
}

static void cutState(snLatticeState *state, const snLatticeModel *model, Cutter *cutter)
{
    size_t doubles = (size_t)model->vertexCount * (size_t)state->width;
    state->position = cut(cutter, doubles);
    state->velocity = cut(cutter, doubles);
    state->rig = cut(cutter, doubles);
    state->rigVelocity = cut(cutter, doubles);
    for (int c = 0; c < 2; c++) {
        size_t numbers = blockCount(model, state, c) * SN_GROUP;
        snElementState *elements = &state->elements[c];
        elements->rotation = cut(cutter, numbers * 4);
        elements->rigRotation = cut(cutter, numbers * 4);
        elements->strain = cut(cutter, numbers * 9);
        elements->volumeStrain = cut(cutter, numbers);
    }
}

static void cutScratch(snLatticeState *state, const snLatticeModel *model, Cutter *cutter)
{
    size_t doubles = (size_t)model->vertexCount * (size_t)state->width;
    size_t unknowns = (size_t)model->freeCount * (size_t)state->width;
    state->next = cut(cutter, doubles);
    state->target = cut(cutter, doubles);
    state->previous = cut(cutter, doubles);
    state->gradient = cut(cutter, unknowns);
    state->previousGradient = cut(cutter, unknowns);
    state->direction = cut(cutter, unknowns);
    for (int k = 0; k < SN_MEMORY; k++) {
        state->moves[k] = cut(cutter, unknowns);
        state->turns[k] = cut(cutter, unknowns);
    }
    size_t groups = (size_t)(model->classes[0].groupCount + model->classes[1].groupCount);
    state->force = cut(cutter, (size_t)model->slotCount * (size_t)state->width);
    state->energy = cut(cutter, groups * (size_t)state->lanes);
    state->solve = cut(cutter, snFactor_ScratchSize(model->factor, state->width));
    for (int c = 0; c < 2; c++) {
        size_t numbers = blockCount(model, state, c) * SN_GROUP;
        snElementState *elements = &state->elements[c];
        elements->newStrain = cut(cutter, numbers * 9);
        elements->newVolumeStrain = cut(cutter, numbers);
        elements->target = cut(cutter, numbers * 9);
        elements->volumeTarget = cut(cutter, numbers);
        elements->bulkScale = cut(cutter, numbers);
        elements->probeRotation = cut(cutter, numbers * 4);
        elements->probeRigRotation = cut(cutter, numbers * 4);
    }
}

snStatus snLatticeState_Make(snLatticeState **out, const snLatticeModel *model, int lanes,
                             const snContext *context, snError *error)
{
    *out = NULL;
    if (lanes != 1 && (lanes < SN_GROUP || lanes > SN_MAX_LANES || lanes % SN_GROUP))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a batch of %d bodies: it must be 1, or a multiple of 8 up to %d", lanes,
                      SN_MAX_LANES);
    snArena arena = snMakeArena(context);
    snLatticeState *state = SN_NEW(&arena, snLatticeState, 1);
    if (!state) return snFailMemory(error);
    state->lanes = lanes;
    state->components = lanes == 1 ? 4 : 3;
    state->width = state->components * lanes;
    Cutter persistent = {0}, scratch = {0};
    cutState(state, model, &persistent);
    cutScratch(state, model, &scratch);
    state->block = snArena_Alloc(&arena, 1, persistent.used);
    char *scratchBlock = snArena_Alloc(&arena, 1, scratch.used);
    if (!state->block || !scratchBlock) {
        snArena_Destroy(&arena);
        return snFailMemory(error);
    }
    state->blockSize = persistent.used;
    cutState(state, model, &(Cutter){.base = state->block});
    cutScratch(state, model, &(Cutter){.base = scratchBlock});
    state->arena = arena;
    *out = state;
    return SN_OK;
}

void snLatticeState_Destroy(snLatticeState *state)
{
    if (!state) return;
    snArena arena = state->arena; // the state itself lives in it
    snArena_Destroy(&arena);
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

// ---- passes over the elements ---------------------------------------------------------------

typedef void PassFcn(const snCellsPass *pass, int begin, int end);

typedef struct PassTask {
    const snCellsPass *pass;
    PassFcn *run;
} PassTask;

static void runPiece(int begin, int end, int worker, void *context)
{
    (void)worker;
    PassTask *task = context;
    task->run(task->pass, begin, end);
}

typedef enum Pass { PASS_TARGET, PASS_FORCE, PASS_STRAIN, PASS_PROBE_TARGET, PASS_PROBE } Pass;

// Runs a pass over both classes; sum[lane] is the elements' energy, unscaled.
static void runPass(const snLatticeModel *model, snLatticeState *state,
                    const snCellKernels *kernels, Pass kind, const double *position,
                    const unsigned char *active, double *sum)
{
    double h = model->def.step, beta = model->def.stiffnessDamping;
    bool probe = kind == PASS_PROBE || kind == PASS_PROBE_TARGET;
    bool target = kind == PASS_TARGET || kind == PASS_PROBE_TARGET;
    size_t firstEnergy = 0, firstSlot = 0;
    for (int l = 0; l < state->lanes && sum; l++)
        sum[l] = 0;
    for (int c = 0; c < 2; c++) {
        const snElementClass *class = &model->classes[c];
        snElementState elements = state->elements[c];
        if (probe) {
            elements.rotation = elements.probeRotation;
            elements.rigRotation = elements.probeRigRotation;
        }
        snCellsPass pass = {.class = class,
                            .state = &elements,
                            .lanes = state->lanes,
                            .width = state->width,
                            .position = position,
                            .active = active,
                            .memory = probe ? 0 : beta / (h + beta),
                            .scale = h * (h + beta),
                            .full = model->def.motion == SN_MOTION_FULL,
                            .force = state->force + firstSlot * (size_t)state->width,
                            .energy = target ? NULL : state->energy + firstEnergy};
        PassTask task = {&pass, target               ? kernels->target
                                : kind == PASS_FORCE ? kernels->force
                                                     : kernels->strain};
        int grain = GRAIN / state->lanes;
        snParallelFor(&model->context.tasks, class->groupCount, grain < 1 ? 1 : grain, runPiece,
                      &task);
        for (int k = 0; k < class->groupCount * state->lanes && sum && !target; k++)
            sum[k % state->lanes] += pass.energy[k];
        firstEnergy += (size_t) class->groupCount * (size_t)state->lanes;
        firstSlot += (size_t) class->groupCount * (size_t) class->corners * SN_GROUP;
    }
}

static void acceptStrain(const snLatticeModel *model, snLatticeState *state)
{
    for (int c = 0; c < 2; c++) {
        size_t bytes = blockCount(model, state, c) * SN_GROUP * sizeof(double);
        snElementState *elements = &state->elements[c];
        memcpy(elements->strain, elements->newStrain, bytes * 9);
        memcpy(elements->volumeStrain, elements->newVolumeStrain, bytes);
    }
}

// ---- starting ---------------------------------------------------------------------------------

static void resetElements(const snLatticeModel *model, snLatticeState *state)
{
    for (int c = 0; c < 2; c++) {
        size_t blocks = blockCount(model, state, c);
        snElementState *elements = &state->elements[c];
        for (size_t b = 0; b < blocks; b++)
            for (size_t k = 0; k < 4 * SN_GROUP; k++) { // the identity: w = 1
                double one = k / SN_GROUP == 3;
                elements->rotation[b * 4 * SN_GROUP + k] = one;
                elements->rigRotation[b * 4 * SN_GROUP + k] = one;
            }
        memset(elements->strain, 0, blocks * 9 * SN_GROUP * sizeof(double));
        memset(elements->volumeStrain, 0, blocks * SN_GROUP * sizeof(double));
    }
}

void snLatticeState_Start(const snLatticeModel *model, snLatticeState *state, const double *rig,
                          const double *rigVelocity)
{
    const snCellKernels *kernels = snCellKernels_Choose();
    size_t bytes = (size_t)model->vertexCount * (size_t)state->width * sizeof(double);
    resetElements(model, state);
    memcpy(state->position, rig, bytes);
    memcpy(state->rig, rig, bytes);
    if (rigVelocity)
        memcpy(state->velocity, rigVelocity, bytes);
    else
        memset(state->velocity, 0, bytes);
    memcpy(state->rigVelocity, state->velocity, bytes);
    // The first strain is what the body has in the rig's pose: none in secondary motion.
    runPass(model, state, kernels, PASS_TARGET, state->position, NULL, NULL);
    for (int c = 0; c < 2; c++)
        memcpy(state->elements[c].rotation, state->elements[c].rigRotation,
               blockCount(model, state, c) * 4 * SN_GROUP * sizeof(double));
    runPass(model, state, kernels, PASS_STRAIN, state->position, NULL, NULL);
    acceptStrain(model, state);
    state->steps = state->backtracks = state->resets = 0;
}

// ---- one step ---------------------------------------------------------------------------------

// Targets t, and the first guess: the old state carried on by its own velocity, corrected by how
// the rig's differs from what it was, y = p' + (x - p) + h (v - v_L).
static void predict(const snLatticeModel *model, snLatticeState *state, const double *rig)
{
    double h = model->def.step, beta = model->def.stiffnessDamping;
    int width = state->width;
    const snVec3 g = model->def.gravity;
    const double fall[4] = {h * h * g.x, h * h * g.y, h * h * g.z, 0};
    for (int i = 0; i < model->freeCount; i++) {
        double m = model->mass[i], kappa = model->hold[i], d = model->diagonal[i];
        double inverse = d > 0 ? 1.0 / d : 0; // without mass and spring there is no target
        double drag = h * (model->drag[i] * m + beta * kappa);
        double coast = m > 0 ? h : 0; // what has no mass does not go on by itself
        for (int c = 0; c < width; c++) {
            size_t k = (size_t)i * (size_t)width + (size_t)c;
            double carried = state->position[k] + rig[k] - state->rig[k];
            double inertial = state->position[k] + h * state->velocity[k] + fall[c / state->lanes];
            state->target[k] = (m * inertial + drag * carried + h * h * kappa * rig[k]) * inverse;
            state->next[k] = carried + coast * (state->velocity[k] - state->rigVelocity[k]);
        }
    }
    size_t known = (size_t)model->freeCount * (size_t)width;
    size_t all = (size_t)model->vertexCount * (size_t)width;
    memcpy(state->next + known, rig + known, (all - known) * sizeof(double));
}

// The search of all lanes of a batch. Each lane goes its own way: its own products, its own halved
// steps, and its own end.
typedef struct Search {
    const snLatticeModel *model;
    snLatticeState *state;
    const snCellKernels *kernels;
    int unknowns; // free vertices
    unsigned char moving[SN_MAX_LANES];
    double value[SN_MAX_LANES]; // of the objective, by lane
    // L-BFGS.
    int count;                             // pairs kept
    int slot[SN_MEMORY];                   // their places, oldest first
    double rho[SN_MEMORY][SN_MAX_LANES];   // 1 / (s . y) by place and lane; 0: no pair
    double alpha[SN_MEMORY][SN_MAX_LANES]; // scratch
} Search;

// A place for a new pair; the oldest one gives way when all are taken.
static int freePlace(Search *s)
{
    bool taken[SN_MEMORY] = {false};
    int place = 0;
    if (s->count == SN_MEMORY) memmove(s->slot, s->slot + 1, (size_t)--s->count * sizeof(int));
    for (int i = 0; i < s->count; i++)
        taken[s->slot[i]] = true;
    while (taken[place])
        place++;
    return place;
}

// Keeps s = y_k - y_{k-1} and the turn of the gradient, for lanes where the curvature is positive.
static void remember(Search *s)
{
    snLatticeState *state = s->state;
    int n = s->unknowns * state->width, place = freePlace(s);
    double *move = state->moves[place], *turn = state->turns[place];
    double curvature[SN_MAX_LANES];
    bool any = false;
    for (int k = 0; k < n; k++) {
        move[k] = state->next[k] - state->previous[k];
        turn[k] = state->gradient[k] - state->previousGradient[k];
    }
    s->kernels->dot(state, s->unknowns, move, turn, curvature);
    for (int l = 0; l < state->lanes; l++) {
        bool good = s->moving[l] && curvature[l] > 0;
        s->rho[place][l] = good ? 1.0 / curvature[l] : 0;
        any |= good;
    }
    if (any) s->slot[s->count++] = place;
}

// direction = -H gradient by the two-loop recursion (Nocedal, "Updating Quasi-Newton Matrices with
// Limited Storage", 1980) with H_0 = A^-1. Lanes that have stopped get no direction.
static void findDirection(Search *s)
{
    snLatticeState *state = s->state;
    const snCellKernels *kernels = s->kernels;
    int n = s->unknowns * state->width, lanes = state->lanes;
    double *d = state->direction, factor[SN_MAX_LANES];
    for (int k = 0; k < n; k++)
        d[k] = -state->gradient[k];
    for (int i = s->count - 1; i >= 0; i--) {
        int p = s->slot[i];
        kernels->dot(state, s->unknowns, state->moves[p], d, s->alpha[p]);
        for (int l = 0; l < lanes; l++) {
            s->alpha[p][l] *= s->rho[p][l];
            factor[l] = -s->alpha[p][l];
        }
        kernels->addScaled(state, s->unknowns, factor, state->turns[p], d);
    }
    snFactor_SolveOrdered(s->model->factor, state->width, d, state->solve);
    for (int i = 0; i < s->count; i++) {
        int p = s->slot[i];
        kernels->dot(state, s->unknowns, state->turns[p], d, factor);
        for (int l = 0; l < lanes; l++)
            factor[l] = s->alpha[p][l] - s->rho[p][l] * factor[l];
        kernels->addScaled(state, s->unknowns, factor, state->moves[p], d);
    }
}

// The objective of every lane at `next`, with its gradient, or at the end of the step with the
// strain that belongs to it. Only active lanes look for their rotations anew.
static void evaluate(Search *s, bool end, const unsigned char *active, double *value)
{
    const snLatticeModel *model = s->model;
    snLatticeState *state = s->state;
    double h = model->def.step, scale = h * (h + model->def.stiffnessDamping);
    double squares[SN_MAX_LANES] = {0};
    runPass(model, state, s->kernels, end ? PASS_STRAIN : PASS_FORCE, state->next, active, value);
    if (!end) s->kernels->gradient(model, state, squares);
    for (int i = 0; i < s->unknowns && end; i++)
        for (int c = 0; c < state->width; c++) {
            size_t k = (size_t)i * (size_t)state->width + (size_t)c;
            double miss = state->next[k] - state->target[k];
            squares[c % state->lanes] += 0.5 * (model->diagonal[i] * miss * miss);
        }
    for (int l = 0; l < state->lanes; l++)
        value[l] = scale * value[l] + squares[l];
}

// Puts a lane's unknowns between where they were and where they are: share 0 is back.
static void shorten(Search *s, int lane, double share)
{
    snLatticeState *state = s->state;
    for (int row = 0; row < s->unknowns * state->components; row++) {
        size_t k = (size_t)row * (size_t)state->lanes + (size_t)lane;
        state->next[k] = state->previous[k] + share * (state->next[k] - state->previous[k]);
    }
}

// Halves the last move of each lane until its objective is no higher than before it (rounding
// aside). A lane for which even a tiny move does not help goes back and stops.
static void descend(Search *s, bool end)
{
    snLatticeState *state = s->state;
    unsigned char active[SN_MAX_LANES];
    double value[SN_MAX_LANES];
    memcpy(active, s->moving, sizeof active);
    if (end) memset(active, 1, sizeof active);
    for (int halvings = 0;; halvings++) {
        bool again = false;
        evaluate(s, end, active, value);
        for (int l = 0; l < state->lanes; l++) {
            bool lower = value[l] <= s->value[l] + 1e-12 * fabs(s->value[l]);
            if (active[l] && (lower || !s->moving[l])) s->value[l] = value[l], active[l] = 0;
            if (!active[l]) continue;
            state->backtracks++;
            s->moving[l] = halvings < MOST_HALVINGS;
            shorten(s, l, halvings < MOST_HALVINGS ? 0.5 : 0);
            again = true;
        }
        if (!again) return;
    }
}

static bool anyMoving(const Search *s)
{
    for (int l = 0; l < s->state->lanes; l++)
        if (s->moving[l]) return true;
    return false;
}

static void keepIterate(Search *s)
{
    snLatticeState *state = s->state;
    size_t bytes = (size_t)s->unknowns * (size_t)state->width * sizeof(double);
    memcpy(state->previous, state->next, bytes);
    memcpy(state->previousGradient, state->gradient, bytes);
}

// The quasi-Newton iterations; returns false when some objective is not a number.
static bool minimise(Search *s)
{
    snLatticeState *state = s->state;
    double one[SN_MAX_LANES];
    memset(s->moving, 1, sizeof s->moving);
    evaluate(s, false, NULL, s->value);
    for (int l = 0; l < state->lanes; l++)
        if (!isfinite(s->value[l])) return false;
    for (int k = 0; k < s->model->def.iterations; k++) {
        if (k > 0) {
            descend(s, false);
            if (!anyMoving(s)) break;
            remember(s);
        }
        keepIterate(s);
        findDirection(s);
        for (int l = 0; l < state->lanes; l++)
            one[l] = s->moving[l];
        s->kernels->addScaled(state, s->unknowns, one, state->direction, state->next);
    }
    descend(s, true);
    for (int l = 0; l < state->lanes; l++)
        if (!isfinite(s->value[l])) return false;
    return true;
}

static void finish(const snLatticeModel *model, snLatticeState *state, const double *rig)
{
    double inverse = 1.0 / model->def.step;
    size_t all = (size_t)model->vertexCount * (size_t)state->width;
    for (size_t k = 0; k < all; k++) {
        state->velocity[k] = (state->next[k] - state->position[k]) * inverse;
        state->rigVelocity[k] = (rig[k] - state->rig[k]) * inverse;
        state->position[k] = state->next[k];
        state->rig[k] = rig[k];
    }
    acceptStrain(model, state);
    state->steps++;
}

bool snLattice_Step(const snLatticeModel *model, snLatticeState *state, const double *rig)
{
    Search search = {.model = model,
                     .state = state,
                     .kernels = snCellKernels_Choose(),
                     .unknowns = model->freeCount};
    predict(model, state, rig);
    runPass(model, state, search.kernels, PASS_TARGET, rig, NULL, NULL);
    if (minimise(&search)) {
        finish(model, state, rig);
        return true;
    }
    int64_t steps = state->steps, backtracks = state->backtracks, resets = state->resets;
    snLatticeState_Start(model, state, rig, NULL);
    state->steps = steps + 1;
    state->backtracks = backtracks;
    state->resets = resets + 1;
    return false;
}

// ---- energies ---------------------------------------------------------------------------------

double snLatticeState_ElasticEnergy(const snLatticeModel *model, snLatticeState *state, int lane)
{
    const snCellKernels *kernels = snCellKernels_Choose();
    double energy[SN_MAX_LANES];
    for (int c = 0; c < 2; c++) { // queries leave the state's own rotations alone
        size_t bytes = blockCount(model, state, c) * 4 * SN_GROUP * sizeof(double);
        snElementState *elements = &state->elements[c];
        memcpy(elements->probeRotation, elements->rotation, bytes);
        memcpy(elements->probeRigRotation, elements->rigRotation, bytes);
    }
    runPass(model, state, kernels, PASS_PROBE_TARGET, state->rig, NULL, NULL);
    runPass(model, state, kernels, PASS_PROBE, state->position, NULL, energy);
    for (int i = 0; i < model->freeCount; i++)
        for (int c = 0; c < 3; c++) {
            size_t k = snLatticeState_At(state, i, c, lane);
            double miss = state->position[k] - state->rig[k];
            energy[lane] += 0.5 * model->hold[i] * miss * miss;
        }
    return energy[lane];
}

double snLatticeState_KineticEnergy(const snLatticeModel *model, const snLatticeState *state,
                                    int lane)
{
    double energy = 0;
    for (int i = 0; i < model->vertexCount; i++)
        for (int c = 0; c < 3; c++) {
            double v = state->velocity[snLatticeState_At(state, i, c, lane)];
            energy += 0.5 * model->mass[i] * v * v;
        }
    return energy;
}
