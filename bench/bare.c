#include "bench/bare.h"

#include "bench/bench.h"
#include "core/simd.h"

#include <string.h>

enum { ITERATIONS = 3 };

SN_DECLARE_VARIANTS(snBareCellsFcn, snBareCells);

static snBareCellsFcn *chooseCells(void)
{
    return SN_CHOOSE(snBareCells);
}

static void start(snBare *bare)
{
    const snLatticeModel *model = bare->model;
    size_t bytes = (size_t)model->vertexCount * 4 * sizeof(double);
    memcpy(bare->position, bare->beginning, bytes);
    memset(bare->velocity, 0, bytes);
    for (int k = 0; k < model->classes[0].groupCount * 4 * SN_GROUP; k++)
        bare->rotation[k] = k / SN_GROUP % 4 == 3;
    bare->age = 0;
}

bool snBare_Make(snBare *bare, snBlock *block)
{
    const snLatticeModel *model = block->model;
    snArena *arena = &block->arena;
    size_t all = (size_t)model->vertexCount * 4, unknowns = (size_t)model->freeCount * 4;
    *bare = (snBare){.model = model,
                     .position = SN_NEW(arena, double, all),
                     .velocity = SN_NEW(arena, double, all),
                     .target = SN_NEW(arena, double, unknowns),
                     .next = SN_NEW(arena, double, all),
                     .direction = SN_NEW(arena, double, unknowns),
                     .rotation = SN_NEW(arena, double, model->classes[0].groupCount * 4 * SN_GROUP),
                     .force = SN_NEW(arena, double, model->slotCount * 4),
                     .solve = SN_NEW(arena, double, snFactor_ScratchSize(model->factor, 4)),
                     .beginning = block->rig};
    if (!bare->position || !bare->velocity || !bare->target || !bare->next || !bare->direction ||
        !bare->rotation || !bare->force || !bare->solve)
        return false;
    start(bare);
    return true;
}

// direction = -(m (y - t) + h (h + β) Σ corner forces); forces are scaled in the kernel.
static void gather(const snBare *bare)
{
    const snLatticeModel *model = bare->model;
    for (int i = 0; i < model->freeCount; i++) {
        snDouble4 sum =
            model->diagonal[i] * (snLoad4(bare->next + 4 * i) - snLoad4(bare->target + 4 * i));
        for (int k = model->gather.start[i]; k < model->gather.start[i + 1]; k++)
            sum += snLoad4(bare->force + 4 * (size_t)model->gather.item[k]);
        snStore4(bare->direction + 4 * i, -sum);
    }
}

void snBare_Step(void *context)
{
    snBare *bare = context;
    const snLatticeModel *model = bare->model;
    snBareCellsFcn *cells = chooseCells();
    double h = model->def.step;
    size_t unknowns = (size_t)model->freeCount * 4;
    const double fall[4] = {0, h * h * model->def.gravity.y, 0, 0};
    if (bare->age++ == 120) start(bare);
    memcpy(bare->next, bare->position, (size_t)model->vertexCount * 4 * sizeof(double));
    for (size_t k = 0; k < unknowns; k++)
        bare->next[k] = bare->target[k] = bare->position[k] + h * bare->velocity[k] + fall[k % 4];
    for (int i = 0; i < ITERATIONS; i++) {
        cells(bare);
        gather(bare);
        snFactor_SolveOrdered(model->factor, 4, bare->direction, bare->solve);
        for (size_t k = 0; k < unknowns; k++)
            bare->next[k] += bare->direction[k];
    }
    for (size_t k = 0; k < unknowns; k++) {
        bare->velocity[k] = (bare->next[k] - bare->position[k]) / h;
        bare->position[k] = bare->next[k];
    }
    snBench_Keep(bare->position);
}

void snBare_Cells(void *context)
{
    snBare *bare = context;
    snBareCellsFcn *cells = chooseCells();
    for (int i = 0; i < ITERATIONS; i++) {
        cells(bare);
        gather(bare);
    }
    snBench_Keep(bare->direction);
}

void snBare_Solve(void *context)
{
    snBare *bare = context;
    for (int i = 0; i < ITERATIONS; i++) {
        gather(bare);
        snFactor_SolveOrdered(bare->model->factor, 4, bare->direction, bare->solve);
    }
    snBench_Keep(bare->direction);
}
