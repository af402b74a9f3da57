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

#define GRAIN 64 // groups per piece of a parallel loop

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

static void cutState(snLatticeState *state, const snLatticeModel *model, Cutter *cutter)
{
    size_t doubles = (size_t)model->vertexCount * (size_t)state->width;
    state->position = cut(cutter, doubles);
    state->velocity = cut(cutter, doubles);
    state->rig = cut(cutter, doubles);
    state->rigVelocity = cut(cutter, doubles);
    for (int c = 0; c < 2; c++) {
        size_t lanes = (size_t)model->classes[c].groupCount * SN_GROUP;
        snElementState *elements = &state->elements[c];
        elements->rotation = cut(cutter, lanes * 4);
        elements->rigRotation = cut(cutter, lanes * 4);
        elements->strain = cut(cutter, lanes * 9);
        elements->volumeStrain = cut(cutter, lanes);
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
    state->force = cut(cutter, (size_t)model->slotCount * 4);
    state->energy =
        cut(cutter, (size_t)(model->classes[0].groupCount + model->classes[1].groupCount));
    state->solve = cut(cutter, snFactor_ScratchSize(model->factor, state->width));
    for (int c = 0; c < 2; c++) {
        size_t lanes = (size_t)model->classes[c].groupCount * SN_GROUP;
        snElementState *elements = &state->elements[c];
        elements->newStrain = cut(cutter, lanes * 9);
        elements->newVolumeStrain = cut(cutter, lanes);
        elements->target = cut(cutter, lanes * 9);
        elements->volumeTarget = cut(cutter, lanes);
        elements->bulkScale = cut(cutter, lanes);
        elements->probeRotation = cut(cutter, lanes * 4);
        elements->probeRigRotation = cut(cutter, lanes * 4);
    }
}

snStatus snLatticeState_Make(snLatticeState **out, const snLatticeModel *model,
                             const snContext *context, snError *error)
{
    *out = NULL;
    snArena arena = snMakeArena(context);
    snLatticeState *state = SN_NEW(&arena, snLatticeState, 1);
    if (!state) return snFailMemory(error);
    state->width = 4;
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

// Runs a pass over both classes; returns the elements' energy, unscaled.
static double runPass(const snLatticeModel *model, snLatticeState *state,
                      const snCellKernels *kernels, Pass kind, const double *position)
{
    double h = model->def.step, beta = model->def.stiffnessDamping, sum = 0;
    bool probe = kind == PASS_PROBE || kind == PASS_PROBE_TARGET;
    int firstGroup = 0;
    size_t firstSlot = 0;
    for (int c = 0; c < 2; c++) {
        const snElementClass *class = &model->classes[c];
        snElementState elements = state->elements[c];
        if (probe) {
            elements.rotation = elements.probeRotation;
            elements.rigRotation = elements.probeRigRotation;
        }
        bool target = kind == PASS_TARGET || kind == PASS_PROBE_TARGET;
        snCellsPass pass = {.class = class,
                            .state = &elements,
                            .position = position,
                            .memory = probe ? 0 : beta / (h + beta),
                            .scale = h * (h + beta),
                            .full = model->def.motion == SN_MOTION_FULL,
                            .force = state->force + firstSlot * 4,
                            .energy = target ? NULL : state->energy + firstGroup};
        PassTask task = {&pass, target               ? kernels->target
                                : kind == PASS_FORCE ? kernels->force
                                                     : kernels->strain};
        snParallelFor(&model->context.tasks, class->groupCount, GRAIN, runPiece, &task);
        for (int g = 0; g < class->groupCount && !target; g++)
            sum += pass.energy[g];
        firstGroup += class->groupCount;
        firstSlot += (size_t) class->groupCount * (size_t) class->corners * SN_GROUP;
    }
    return sum;
}

static void acceptStrain(const snLatticeModel *model, snLatticeState *state)
{
    for (int c = 0; c < 2; c++) {
        size_t lanes = (size_t)model->classes[c].groupCount * SN_GROUP;
        snElementState *elements = &state->elements[c];
        memcpy(elements->strain, elements->newStrain, lanes * 9 * sizeof(double));
        memcpy(elements->volumeStrain, elements->newVolumeStrain, lanes * sizeof(double));
    }
}

// ---- starting ---------------------------------------------------------------------------------

static void resetElements(const snLatticeModel *model, snLatticeState *state)
{
    for (int c = 0; c < 2; c++) {
        int groups = model->classes[c].groupCount;
        snElementState *elements = &state->elements[c];
        for (int g = 0; g < groups; g++)
            for (int k = 0; k < 4 * SN_GROUP; k++) { // the identity: w = 1
                double one = k / SN_GROUP == 3;
                elements->rotation[g * 4 * SN_GROUP + k] = one;
                elements->rigRotation[g * 4 * SN_GROUP + k] = one;
            }
        memset(elements->strain, 0, (size_t)groups * 9 * SN_GROUP * sizeof(double));
        memset(elements->volumeStrain, 0, (size_t)groups * SN_GROUP * sizeof(double));
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
    runPass(model, state, kernels, PASS_TARGET, state->position);
    for (int c = 0; c < 2; c++) {
        size_t lanes = (size_t)model->classes[c].groupCount * SN_GROUP;
        memcpy(state->elements[c].rotation, state->elements[c].rigRotation,
               lanes * 4 * sizeof(double));
    }
    runPass(model, state, kernels, PASS_STRAIN, state->position);
    acceptStrain(model, state);
    state->steps = state->backtracks = state->resets = 0;
}

// ---- one step ---------------------------------------------------------------------------------

// Targets t, and the first guess: the old state carried on by its own velocity, corrected by how
// the rig's differs from what it was, y = p' + (x - p) + h (v - v_L).
static void predict(const snLatticeModel *model, snLatticeState *state, const double *rig)
{
    double h = model->def.step, alpha = model->def.massDamping;
    double beta = model->def.stiffnessDamping;
    const snVec3 g = model->def.gravity;
    const double fall[4] = {h * h * g.x, h * h * g.y, h * h * g.z, 0};
    for (int i = 0; i < model->freeCount; i++) {
        double m = model->mass[i], kappa = model->hold[i], d = model->diagonal[i];
        double inverse = d > 0 ? 1.0 / d : 0; // without mass and spring there is no target
        double drag = h * (alpha * m + beta * kappa);
        for (int c = 0; c < 4; c++) {
            int k = 4 * i + c;
            double carried = state->position[k] + rig[k] - state->rig[k];
            double inertial = state->position[k] + h * state->velocity[k] + fall[c];
            state->target[k] = (m * inertial + drag * carried + h * h * kappa * rig[k]) * inverse;
            state->next[k] = carried + h * (state->velocity[k] - state->rigVelocity[k]);
        }
    }
    int known = 4 * model->freeCount, all = 4 * model->vertexCount;
    memcpy(state->next + known, rig + known, (size_t)(all - known) * sizeof(double));
}

typedef struct Lbfgs {
    int count;               // pairs kept
    int slot[SN_MEMORY];     // their places, oldest first
    double rho[SN_MEMORY];   // 1 / (s . y) by place
    double alpha[SN_MEMORY]; // scratch by place
} Lbfgs;

// A place for a new pair; the oldest one gives way when all are taken.
static int freePlace(Lbfgs *memory)
{
    bool taken[SN_MEMORY] = {false};
    int place = 0;
    if (memory->count == SN_MEMORY)
        memmove(memory->slot, memory->slot + 1, (size_t)--memory->count * sizeof(int));
    for (int i = 0; i < memory->count; i++)
        taken[memory->slot[i]] = true;
    while (taken[place])
        place++;
    return place;
}

// Keeps s = y_k - y_{k-1} and the turn of the gradient, where the curvature is positive.
static void remember(const snLatticeModel *model, snLatticeState *state,
                     const snCellKernels *kernels, Lbfgs *memory)
{
    int n = 4 * model->freeCount, place = freePlace(memory);
    double *s = state->moves[place], *y = state->turns[place];
    for (int k = 0; k < n; k++) {
        s[k] = state->next[k] - state->previous[k];
        y[k] = state->gradient[k] - state->previousGradient[k];
    }
    double curvature = kernels->dot(n, s, y);
    if (!(curvature > 0)) return;
    memory->rho[place] = 1.0 / curvature;
    memory->slot[memory->count++] = place;
}

// direction = -H gradient by the two-loop recursion (Nocedal, "Updating Quasi-Newton Matrices with
// Limited Storage", 1980) with H_0 = A^-1.
static void findDirection(const snLatticeModel *model, snLatticeState *state,
                          const snCellKernels *kernels, Lbfgs *memory)
{
    int n = 4 * model->freeCount;
    double *d = state->direction;
    for (int k = 0; k < n; k++)
        d[k] = -state->gradient[k];
    for (int i = memory->count - 1; i >= 0; i--) {
        int p = memory->slot[i];
        memory->alpha[p] = memory->rho[p] * kernels->dot(n, state->moves[p], d);
        kernels->addScaled(n, -memory->alpha[p], state->turns[p], d);
    }
    snFactor_SolveOrdered(model->factor, 4, d, state->solve);
    for (int i = 0; i < memory->count; i++) {
        int p = memory->slot[i];
        double b = memory->rho[p] * kernels->dot(n, state->turns[p], d);
        kernels->addScaled(n, memory->alpha[p] - b, state->moves[p], d);
    }
}

static double evaluate(const snLatticeModel *model, snLatticeState *state,
                       const snCellKernels *kernels)
{
    double h = model->def.step, scale = h * (h + model->def.stiffnessDamping);
    double elastic = runPass(model, state, kernels, PASS_FORCE, state->next);
    return scale * elastic + kernels->gradient(model, state);
}

// The objective at the end of a step, with the strain that belongs to it.
static double evaluateEnd(const snLatticeModel *model, snLatticeState *state,
                          const snCellKernels *kernels)
{
    double h = model->def.step, scale = h * (h + model->def.stiffnessDamping), sum = 0;
    double elastic = runPass(model, state, kernels, PASS_STRAIN, state->next);
    for (int i = 0; i < model->freeCount; i++)
        for (int c = 0; c < 4; c++) {
            double miss = state->next[4 * i + c] - state->target[4 * i + c];
            sum += model->diagonal[i] * miss * miss;
        }
    return scale * elastic + 0.5 * sum;
}

// Halves the last move until the objective is no higher than before it (rounding aside). False
// when even a tiny move does not help; `next` is then back where it was.
typedef double Objective(const snLatticeModel *, snLatticeState *, const snCellKernels *);

static bool descend(const snLatticeModel *model, snLatticeState *state,
                    const snCellKernels *kernels, Objective *objective, double before,
                    double *value)
{
    int n = 4 * model->freeCount;
    for (int halvings = 0;; halvings++) {
        *value = objective(model, state, kernels);
        if (*value <= before + 1e-12 * fabs(before)) return true;
        if (halvings == 10) break;
        state->backtracks++;
        for (int k = 0; k < n; k++)
            state->next[k] = state->previous[k] + 0.5 * (state->next[k] - state->previous[k]);
    }
    memcpy(state->next, state->previous, (size_t)n * sizeof(double));
    *value = objective(model, state, kernels);
    return false;
}

static void keepIterate(const snLatticeModel *model, snLatticeState *state)
{
    size_t bytes = (size_t)model->freeCount * 4 * sizeof(double);
    memcpy(state->previous, state->next, bytes);
    memcpy(state->previousGradient, state->gradient, bytes);
}

// The quasi-Newton iterations; returns false when the objective is not a number.
static bool minimise(const snLatticeModel *model, snLatticeState *state,
                     const snCellKernels *kernels)
{
    int n = 4 * model->freeCount;
    Lbfgs memory = {0};
    double value = evaluate(model, state, kernels);
    bool moving = isfinite(value);
    for (int k = 0; k < model->def.iterations && moving; k++) {
        if (k > 0) {
            double before = value;
            moving = descend(model, state, kernels, evaluate, before, &value);
            if (!moving) break;
            remember(model, state, kernels, &memory);
        }
        keepIterate(model, state);
        findDirection(model, state, kernels, &memory);
        kernels->addScaled(n, 1.0, state->direction, state->next);
    }
    double before = value;
    if (!isfinite(before)) return false;
    descend(model, state, kernels, evaluateEnd, before, &value);
    return isfinite(value);
}

static void finish(const snLatticeModel *model, snLatticeState *state, const double *rig)
{
    double inverse = 1.0 / model->def.step;
    for (int k = 0; k < 4 * model->vertexCount; k++) {
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
    const snCellKernels *kernels = snCellKernels_Choose();
    predict(model, state, rig);
    runPass(model, state, kernels, PASS_TARGET, rig);
    if (minimise(model, state, kernels)) {
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

double snLatticeState_ElasticEnergy(const snLatticeModel *model, snLatticeState *state)
{
    const snCellKernels *kernels = snCellKernels_Choose();
    for (int c = 0; c < 2; c++) { // queries leave the state's own rotations alone
        size_t lanes = (size_t)model->classes[c].groupCount * SN_GROUP;
        snElementState *elements = &state->elements[c];
        memcpy(elements->probeRotation, elements->rotation, lanes * 4 * sizeof(double));
        memcpy(elements->probeRigRotation, elements->rigRotation, lanes * 4 * sizeof(double));
    }
    runPass(model, state, kernels, PASS_PROBE_TARGET, state->rig);
    double energy = runPass(model, state, kernels, PASS_PROBE, state->position);
    for (int i = 0; i < model->freeCount; i++)
        for (int c = 0; c < 3; c++) {
            double miss = state->position[4 * i + c] - state->rig[4 * i + c];
            energy += 0.5 * model->hold[i] * miss * miss;
        }
    return energy;
}

double snLatticeState_KineticEnergy(const snLatticeModel *model, const snLatticeState *state)
{
    double energy = 0;
    for (int i = 0; i < model->vertexCount; i++)
        for (int c = 0; c < 3; c++)
            energy +=
                0.5 * model->mass[i] * state->velocity[4 * i + c] * state->velocity[4 * i + c];
    return energy;
}
