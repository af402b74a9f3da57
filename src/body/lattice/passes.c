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

void snRunPass(const snLatticeModel *model, snLatticeState *state, snPassKind kind,
               const double *position, const unsigned char *active, double *sum)
{
    const snCellKernels *kernels = snCellKernels_Choose();
    double h = model->def.step, beta = model->def.stiffnessDamping;
    bool probe = kind == SN_PASS_PROBE || kind == SN_PASS_PROBE_TARGET;
    double memory = probe ? 0 : beta / (h + beta);
    snMaterial material = model->def.material;
    bool target = kind == SN_PASS_TARGET || kind == SN_PASS_PROBE_TARGET;
    size_t firstEnergy = 0, firstSlot = 0;
    for (int l = 0; l < state->lanes && sum; l++)
        sum[l] = 0;
    for (int c = 0; c < 2; c++) {
        const snElementClass *class = &model->classes[c];
        snElementState elements = state->elements[c];
        if (probe) {
            elements.rotation = elements.probeRotation;
            elements.rigRotation = elements.probeRigRotation;
            if (!target) { // nothing to remember
                elements.strain = elements.lastStrain;
                elements.volumeStrain = elements.lastVolumeStrain;
            }
        }
        snCellsPass pass = {.class = class,
                            .state = &elements,
                            .lanes = state->lanes,
                            .width = state->width,
                            .position = position,
                            .active = active,
                            .memory = memory,
                            .recall = material == SN_MATERIAL_COROTATED ? memory : memory > 0,
                            .scale = h * (h + beta),
                            .full = model->def.motion == SN_MOTION_FULL,
                            .force = state->force + firstSlot * (size_t)state->width,
                            .energy = target ? NULL : state->energy + firstEnergy};
        PassTask task = {&pass, target                  ? kernels->target[material]
                                : kind == SN_PASS_FORCE ? kernels->force[material]
                                                        : kernels->strain[material]};
        int grain = GRAIN / state->lanes;
        snParallelFor(&model->context.tasks, class->groupCount, grain < 1 ? 1 : grain, runPiece,
                      &task);
        for (int k = 0; k < class->groupCount * state->lanes && sum && !target; k++)
            sum[k % state->lanes] += pass.energy[k];
        firstEnergy += (size_t) class->groupCount * (size_t)state->lanes;
        firstSlot += (size_t) class->groupCount * (size_t) class->corners * SN_GROUP;
    }
}
