// The linear solvers: a factored matrix against conjugate gradients, and blended against global
// (Capell et al. 2002 found about the same cost, by conjugate gradients).
#include "bench/bench.h"
#include "bench/block.h"
#include "bench/body_scene.h"
#include "bench/cholmod_side.h"
#include "body/lattice/linear.h"

#include <stdio.h>

enum { LINEAR, LINEAR_CG, BLENDED, BLENDED_CG, KINDS };
enum {
    DEFAULT = KINDS,
    DOUBLE,
    SCALAR
}; // the flesh's own step; in doubles; on the scalar matrix alone

static void choose(snLatticeModelDef *def, int kind)
{
    def->solver = kind < BLENDED ? SN_SOLVER_LINEAR : SN_SOLVER_BLENDED;
    def->method = kind == LINEAR || kind == BLENDED ? SN_METHOD_FACTOR : SN_METHOD_CG;
    def->tolerance = 1e-6;
    def->precision = SN_PRECISION_DOUBLE;
}

// ---- the block --------------------------------------------------------------------------------

// CG iterations per step so far.
static double iterations(const snLatticeState *state)
{
    return state->steps ? (double)state->linearIterations / (double)state->steps : 0;
}

// Blocks for the first `count` kinds; how many were made.
static int makeBlocks(snBlock blocks[KINDS], snContestant sides[KINDS], int count, snBlockSize size)
{
    int made = 0;
    for (; made < count; made++) {
        snLatticeModelDef def = snBlock_DefaultDef();
        choose(&def, made);
        if (!snBlock_Make(&blocks[made], size, &def)) break;
        sides[made] = (snContestant){.name = "step", .run = snBlock_Step, .context = &blocks[made]};
    }
    return made;
}

static void compareMethods(snBench *bench, snBlockSize size, int name, const char *goal)
{
    snBlock blocks[KINDS];
    snContestant sides[KINDS];
    int made = makeBlocks(blocks, sides, 2, size);
    if (made == 2) {
        char id[64];
        snBench_Compare(bench, sides, 2);
        snprintf(id, sizeof id, "skeleton/linear-%d", name);
        snBench_Report(bench, id, snBench_Ratio(&sides[LINEAR_CG], &sides[LINEAR]), "x", goal);
        snBench_Note(bench,
                     "%d vertices, global linear step: factored %.3f ms, block-Jacobi conjugate "
                     "gradients to 1e-6 %.3f ms (%.0f iterations)",
                     blocks[0].model->vertexCount, 1e3 * sides[LINEAR].seconds,
                     1e3 * sides[LINEAR_CG].seconds, iterations(blocks[LINEAR_CG].state));
    }
    while (made > 0)
        snBlock_Destroy(&blocks[--made]);
}

void snBench_LinearStep(snBench *bench)
{
    static const struct {
        snBlockSize size;
        int name;
        const char *goal;
    } jobs[] = {
        {SN_BLOCK_200, 200, ">= 10"}, {SN_BLOCK_2000, 2000, ""}, {SN_BLOCK_10000, 10000, ">= 4"}};
    for (int j = 0; j < 3; j++) {
        char id[64];
        snprintf(id, sizeof id, "skeleton/linear-%d", jobs[j].name);
        if (snBench_Wants(bench, id))
            compareMethods(bench, jobs[j].size, jobs[j].name, jobs[j].goal);
    }
}

// ---- blended against global -------------------------------------------------------------------

static void reportBlended(snBench *bench, const char *scene, const snContestant sides[KINDS],
                          double linearIterations, double blendedIterations)
{
    char id[64];
    snprintf(id, sizeof id, "skeleton/blended-%s", scene);
    snBench_Report(bench, id, snBench_Ratio(&sides[BLENDED], &sides[LINEAR]), "x", "");
    snprintf(id, sizeof id, "skeleton/blended-%s-cg", scene);
    snBench_Report(bench, id, snBench_Ratio(&sides[BLENDED_CG], &sides[LINEAR_CG]), "x", "");
    snBench_Note(
        bench,
        "%s: factored, global %.3f ms, blended %.3f ms; conjugate gradients, global %.3f ms "
        "(%.0f iterations), blended %.3f ms (%.0f over all regions)",
        scene, 1e3 * sides[LINEAR].seconds, 1e3 * sides[BLENDED].seconds,
        1e3 * sides[LINEAR_CG].seconds, linearIterations, 1e3 * sides[BLENDED_CG].seconds,
        blendedIterations);
}

static void blendedBlock(snBench *bench)
{
    snBlock blocks[KINDS];
    snContestant sides[KINDS];
    int made = makeBlocks(blocks, sides, KINDS, SN_BLOCK_2000);
    if (made == KINDS) {
        snBench_Compare(bench, sides, KINDS);
        reportBlended(bench, "block", sides, iterations(blocks[LINEAR_CG].state),
                      iterations(blocks[BLENDED_CG].state));
    }
    while (made > 0)
        snBlock_Destroy(&blocks[--made]);
}

typedef struct Walker {
    const snScenePlay *play;
    snLatticeModel *model;
    snLatticeState *state;
    int step;
} Walker;

// The walk is a loop: after its last step comes the first of the next round.
static void walk(void *context)
{
    Walker *walker = context;
    walker->step = walker->step % walker->play->stepCount + 1;
    snLatticeDrive drive = snScenePlay_Drive(walker->play, walker->step);
    snLattice_Step(walker->model, walker->state, &drive);
}

static bool makeWalker(Walker *walker, const snBodyScene *scene, const snScenePlay *play, int kind)
{
    snContext context = snDefaultContext();
    snError error = {0};
    snLatticeModelDef def = snFlesh_ModelDef(scene->flesh);
    *walker = (Walker){.play = play};
    def.motion = play->mode;
    if (kind < KINDS) choose(&def, kind);
    if (kind == DOUBLE) def.precision = SN_PRECISION_DOUBLE;
    if (kind == SCALAR) def.matrix = SN_MATRIX_SCALAR;
    snStatus status = snLatticeModel_Build(&walker->model, &def, &context, &error);
    if (!status) status = snLatticeState_Make(&walker->state, walker->model, 1, &context, &error);
    if (status) fprintf(stderr, "blended: %s\n", error.message);
    if (!status) snScenePlay_Start(play, walker->model, walker->state);
    return !status;
}

static void blendedDemo(snBench *bench, const snBodyScene *scene, const snScenePlay *play)
{
    Walker walkers[KINDS] = {{0}};
    snContestant sides[KINDS];
    bool good = true;
    for (int k = 0; k < KINDS && good; k++) {
        good = makeWalker(&walkers[k], scene, play, k);
        sides[k] = (snContestant){.name = "walk", .run = walk, .context = &walkers[k]};
    }
    if (good) {
        snBench_Compare(bench, sides, KINDS);
        reportBlended(bench, "demo", sides, iterations(walkers[LINEAR_CG].state),
                      iterations(walkers[BLENDED_CG].state));
    }
    for (int k = 0; k < KINDS; k++) {
        snLatticeState_Destroy(walkers[k].state);
        snLatticeModel_Destroy(walkers[k].model);
    }
}

void snBench_Blended(snBench *bench)
{
    static const snSceneMotion motion = {"walk", "walk", NULL, 2, SN_MOTION_FULL};
    snBodyScene scene;
    snScenePlay play;
    if (snBench_Wants(bench, "skeleton/blended-block")) blendedBlock(bench);
    if (!snBench_Wants(bench, "skeleton/blended-demo") || !snBodyScene_Demo(&scene)) return;
    if (snScenePlay_Make(&play, &scene, &motion)) blendedDemo(bench, &scene, &play);
    snScenePlay_Destroy(&play);
    snBodyScene_Destroy(&scene);
}

// The flesh's own step on the demo character, against one back-substitution of CHOLMOD.
static void stepDemo(snBench *bench, const snBodyScene *scene, const snScenePlay *play)
{
    enum { WALKERS = 3 };
    Walker walkers[WALKERS] = {{0}}, linear = {0};
    snContestant sides[WALKERS + SN_CHOLMOD_KINDS];
    snCholmod cholmod[SN_CHOLMOD_KINDS];
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    bool good = makeWalker(&linear, scene, play, LINEAR_CG);
    for (int k = 0; k < WALKERS && good; k++) {
        good = makeWalker(&walkers[k], scene, play, DEFAULT + k);
        sides[k] = (snContestant){.name = "walk", .run = walk, .context = &walkers[k]};
    }
    double *b = good ? SN_NEW(&arena, double, 3 * linear.model->freeCount) : NULL;
    if (b) {
        for (int k = 0; k < 3 * linear.model->freeCount; k++)
            b[k] = k % 3 == 1;
        snCholmod_MakeAll(cholmod, sides + WALKERS, &linear.model->linear->parts[0].matrix, b);
        snBench_Compare(bench, sides, WALKERS + SN_CHOLMOD_KINDS);
        const snContestant *best = snCholmod_Best(sides + WALKERS);
        snBench_Report(bench, "skeleton/step-demo", 1e3 * sides[0].seconds, "ms", "");
        snBench_Report(bench, "skeleton/step-demo-cholmod", snBench_Ratio(&sides[0], best), "x",
                       "<= 4");
        snBench_Note(
            bench,
            "%d vertices, %d cells: the flesh's step %.3f ms, in doubles %.3f, on the scalar "
            "matrix alone %.3f; CHOLMOD %s %.3f ms",
            linear.model->vertexCount, linear.model->lattice.cellCount, 1e3 * sides[0].seconds,
            1e3 * sides[1].seconds, 1e3 * sides[2].seconds, best->name, 1e3 * best->seconds);
        snCholmod_DestroyAll(cholmod);
    }
    snLatticeState_Destroy(linear.state);
    snLatticeModel_Destroy(linear.model);
    for (int k = 0; k < WALKERS; k++) {
        snLatticeState_Destroy(walkers[k].state);
        snLatticeModel_Destroy(walkers[k].model);
    }
    snArena_Destroy(&arena);
}

void snBench_StepDemo(snBench *bench)
{
    static const snSceneMotion motion = {"walk", "walk", NULL, 2, SN_MOTION_SECONDARY};
    snBodyScene scene;
    snScenePlay play;
    if (!snBench_Wants(bench, "skeleton/step-demo") || !snBodyScene_Demo(&scene)) return;
    if (snScenePlay_Make(&play, &scene, &motion)) stepDemo(bench, &scene, &play);
    snScenePlay_Destroy(&play);
    snBodyScene_Destroy(&scene);
}
