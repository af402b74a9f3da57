#include "body/lattice/passes.h"

#include "core/tasks.h"

#define GRAIN 64 // groups per piece of a parallel loop

typedef struct PassTask {
    const snCellsPass *pass;
    snCellsFcn *run;
} PassTask;

static void runPiece(int begin, int end, int worker, void *context)
{
    (void)worker;
    PassTask *task = context;
    task->run(task->pass, begin, end);
}

static bool isTarget(snPassKind kind)
{
    return kind == SN_PASS_TARGET || kind == SN_PASS_PROBE_TARGET;
}

static bool isProbe(snPassKind kind)
{
    return kind == SN_PASS_PROBE || kind == SN_PASS_PROBE_TARGET || kind == SN_PASS_PROBE_FORCE;
}

static snCellsFcn *kernelOf(const snLatticeModel *model, snPassKind kind)
{
    const snCellKernels *kernels = model->cells;
    snMaterial material = model->def.material;
    if (isTarget(kind)) return kernels->target[material];
    bool force = kind == SN_PASS_FORCE || kind == SN_PASS_GUESS || kind == SN_PASS_PROBE_FORCE;
    return force ? kernels->force[material] : kernels->strain[material];
}

// Queries have rotations of their own, and nothing to remember.
static snElementState probeState(snElementState elements, snPassKind kind)
{
    elements.rotation = elements.probeRotation;
    elements.rigRotation = elements.probeRigRotation;
    elements.average = NULL;
    if (!isTarget(kind)) {
        elements.strain = elements.lastStrain;
        elements.volumeStrain = elements.lastVolumeStrain;
    }
    return elements;
}

// All but the elements' state, energy and force, which are the class's own.
static snCellsPass makePass(const snLatticeModel *model, const snLatticeState *state,
                            snPassKind kind, int class, const double *position)
{
    double h = model->def.step, beta = model->def.stiffnessDamping;
    bool probe = isProbe(kind);
    double memory = probe ? 0 : beta / (h + beta);
    bool corotated = model->def.material == SN_MATERIAL_COROTATED;
    bool single = model->def.precision == SN_PRECISION_SINGLE;
    return (snCellsPass){.class = &model->classes[class],
                         .lanes = state->lanes,
                         .width = state->width,
                         .position = position,
                         .shift = single && !position ? state->shift : NULL,
                         .keepShape = kind == SN_PASS_GUESS,
                         .list = state->active.groups[class],
                         .share = class == 0 && model->detail ? state->detail.share : NULL,
                         .memory = memory,
                         .recall = corotated ? memory : memory > 0,
                         .scale = h * (h + beta) * state->stiffness,
                         .full = model->def.motion == SN_MOTION_FULL && !state->shapeNow,
                         .crush = corotated ? model->def.crush : 0};
}

// Numbers of energy per group.
static size_t energiesOf(const snLatticeModel *model, const snLatticeState *state)
{
    return (size_t)(model->def.precision == SN_PRECISION_SINGLE ? model->group : state->lanes);
}

static void addEnergies(const snLatticeModel *model, const snLatticeState *state,
                        const snCellsPass *pass, int groups, double *sum)
{
    const double *energy = pass->energy;
    if (model->def.precision == SN_PRECISION_SINGLE)
        *sum += model->vectors->total(groups * model->group, pass->energy);
    else
        for (int g = 0; g < groups; g++)
            for (int l = 0; l < state->lanes; l++)
                sum[l] += *energy++;
}

void snRunPass(const snLatticeModel *model, snLatticeState *state, snPassKind kind,
               const double *position, const unsigned char *active, double *sum)
{
    bool probe = isProbe(kind);
    size_t firstEnergy = 0, firstSlot = 0, real = model->realSize;
    for (int l = 0; l < state->lanes && sum; l++)
        sum[l] = 0;
    for (int c = 0; c < model->classCount; c++) {
        const snElementClass *class = &model->classes[c];
        bool listed = state->active.groups[c] != NULL;
        int groups = listed ? state->active.groupCount[c] : class->groupCount;
        snElementState elements = state->elements[c];
        snCellsPass pass = makePass(model, state, kind, c, position);
        if (probe) elements = probeState(elements, kind);
        pass.state = &elements;
        pass.active = active;
        pass.force = (char *)state->force + firstSlot * (size_t)state->width * real;
        bool counts = !isTarget(kind) || sum;
        pass.energy = counts ? (char *)state->energy + firstEnergy * real : NULL;
        PassTask task = {&pass, kernelOf(model, kind)};
        int grain = GRAIN / state->lanes;
        snParallelFor(&model->context.tasks, groups, grain < 1 ? 1 : grain, runPiece, &task);
        if (sum && pass.energy) addEnergies(model, state, &pass, groups, sum);
        firstEnergy += (size_t) class->groupCount * energiesOf(model, state);
        firstSlot += (size_t) class->groupCount * (size_t)(class->corners * class->group);
    }
}

void snRunGroups(const snLatticeModel *model, snLatticeState *state, snPassKind kind,
                 const double *position, const snGroupList *list)
{
    snCellsPass pass = makePass(model, state, kind, list->class, position);
    pass.state = &state->elements[list->class];
    pass.list = list->groups;
    pass.energy = isTarget(kind) ? NULL : state->energy;
    kernelOf(model, kind)(&pass, 0, list->count);
}

const double *snRunClass(const snLatticeModel *model, snLatticeState *state, snPassKind kind,
                         int class, const double *position)
{
    size_t firstSlot = 0;
    for (int c = 0; c < class; c++)
        firstSlot += (size_t)model->classes[c].groupCount *
                     (size_t)(model->classes[c].corners * model->classes[c].group);
    snElementState elements = state->elements[class];
    if (isProbe(kind)) elements = probeState(elements, kind);
    snCellsPass pass = makePass(model, state, kind, class, position);
    pass.state = &elements;
    pass.list = NULL;
    pass.force = (double *)state->force + firstSlot * (size_t)state->width;
    pass.energy = isTarget(kind) ? NULL : state->energy;
    PassTask task = {&pass, kernelOf(model, kind)};
    snParallelFor(&model->context.tasks, model->classes[class].groupCount, GRAIN, runPiece, &task);
    return pass.force;
}
