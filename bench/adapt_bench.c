// Details that come and go: what a step costs with none, half and all of them acting, and what
// switching costs in one call.
#include "bench/bench.h"
#include "bench/block.h"
#include "body/lattice/adapt.h"
#include "body/lattice/detail.h"

#include <stdio.h>

enum { SLOTS = 200, SIDES = 4 };

// Two blocks of the same lattice: the second is made with a basis over the lattice of the first.
static bool makeBlocks(snBlock blocks[SIDES])
{
    snLatticeModelDef def = snBlock_DefaultDef();
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snBasisDef basisDef = snDefaultBasisDef();
    snBasis basis;
    const snBasis *bases[1] = {&basis};
    if (!snBlock_Make(&blocks[0], SN_BLOCK_600, NULL)) return false;
    basisDef.lattice = &blocks[0].lattice;
    basisDef.levels = basisDef.quadratureLevel = 1;
    bool good = !snBasis_Make(&basis, &basisDef, &arena, &context, NULL);
    def.levels = 1;
    def.bases = bases;
    def.mostDetails = SLOTS;
    for (int i = 1; i < SIDES && good; i++)
        good = snBlock_Make(&blocks[i], SN_BLOCK_600, &def);
    snArena_Destroy(&arena);
    return good;
}

// Switches details on, 16 in a call, until `count` act. Returns the longest call, in seconds.
static double switchOn(snBlock *block, int count)
{
    snAdaptDef adapt = snDefaultAdaptDef();
    double longest = 0;
    adapt.refine[0] = -1;
    adapt.coarsen[0] = 0;
    for (int active = 0; active < count;) {
        double begin = snBench_Now();
        snAdaptReport report = snLattice_Adapt(block->model, block->state, &adapt);
        double time = snBench_Now() - begin;
        if (time > longest) longest = time;
        if (report.added == 0) break;
        active = report.active;
    }
    snLatticeState_Save(block->state, block->beginning);
    return longest;
}

void snBench_Adapt(snBench *bench)
{
    snBlock blocks[SIDES] = {{.age = 0}};
    if (!makeBlocks(blocks)) {
        snBench_Skip(bench, "the blocks cannot be made");
        return;
    }
    switchOn(&blocks[2], SLOTS / 2);
    double longest = switchOn(&blocks[3], SLOTS);
    snContestant sides[SIDES];
    static const char *const names[SIDES] = {"lattice alone", "none acts", "half act", "all act"};
    for (int i = 0; i < SIDES; i++)
        sides[i] = (snContestant){.name = names[i], .run = snBlock_Step, .context = &blocks[i]};
    snBench_Compare(bench, sides, SIDES);
    snBench_Report(bench, "skeleton/adapt-all", snBench_Ratio(&sides[3], &sides[0]), "x", "");
    snBench_Report(bench, "skeleton/adapt-call", 1000 * longest, "ms", "<= 8.3");
    snBench_Note(
        bench,
        "%d vertices, %d cells, %d details could act: a step of the lattice alone %.3f ms, "
        "with 0, %d and %d details %.3f, %.3f and %.3f ms; the longest call that switched "
        "16 of them on took %.2f ms",
        blocks[0].lattice.vertexCount, blocks[0].lattice.cellCount,
        blocks[1].model->detail->fine.count, 1000 * sides[0].seconds, SLOTS / 2, SLOTS,
        1000 * sides[1].seconds, 1000 * sides[2].seconds, 1000 * sides[3].seconds, 1000 * longest);
    for (int i = 0; i < SIDES; i++)
        snBlock_Destroy(&blocks[i]);
}
