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

static snCellsFcn *kernelOf(const snLatticeModel *model, snPassKind kind)
{
    const snCellKernels *kernels = snCellKernels_Choose();
    snMaterial material = model->def.material;
    if (isTarget(kind)) return kernels->target[material];
    return kind == SN_PASS_FORCE ? kernels->force[material] : kernels->strain[material];
}

// Queries have rotations of their own, and nothing to remember.
static snElementState probeState(snElementState elements, snPassKind kind)
{
    elements.rotation = elements.probeRotation;
    elements.rigRotation = elements.probeRigRotation;
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
    bool probe = kind == SN_PASS_PROBE || kind == SN_PASS_PROBE_TARGET;
    double memory = probe ? 0 : beta / (h + beta);
    bool corotated = model->def.material == SN_MATERIAL_COROTATED;
    return (snCellsPass){.class = &model->classes[class],
                         .lanes = state->lanes,
                         .width = state->width,
                         .position = position,
                         .list = class >= 2 ? state->detail.groups[class] : NULL,
                         .share = class == 0 && model->detail ? state->detail.share : NULL,
                         .memory = memory,
                         .recall = corotated ? memory : memory > 0,
                         .scale = h * (h + beta),
                         .full = model->def.motion == SN_MOTION_FULL};
}

void snRunPass(const snLatticeModel *model, snLatticeState *state, snPassKind kind,
               const double *position, const unsigned char *active, double *sum)
{
    bool probe = kind == SN_PASS_PROBE || kind == SN_PASS_PROBE_TARGET;
    size_t firstEnergy = 0, firstSlot = 0;
    for (int l = 0; l < state->lanes && sum; l++)
        sum[l] = 0;
    for (int c = 0; c < model->classCount; c++) {
        const snElementClass *class = &model->classes[c];
        int groups = c < 2 ? class->groupCount : state->detail.groupCount[c];
        snElementState elements = state->elements[c];
        snCellsPass pass = makePass(model, state, kind, c, position);
        if (probe) elements = probeState(elements, kind);
        pass.state = &elements;
        pass.active = active;
        pass.force = state->force + firstSlot * (size_t)state->width;
        pass.energy = isTarget(kind) ? NULL : state->energy + firstEnergy;
        PassTask task = {&pass, kernelOf(model, kind)};
        int grain = GRAIN / state->lanes;
        snParallelFor(&model->context.tasks, groups, grain < 1 ? 1 : grain, runPiece, &task);
        for (int k = 0; k < groups * state->lanes && sum && pass.energy; k++)
            sum[k % state->lanes] += pass.energy[k];
        firstEnergy += (size_t) class->groupCount * (size_t)state->lanes;
        firstSlot += (size_t) class->groupCount * (size_t) class->corners * SN_GROUP;
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
