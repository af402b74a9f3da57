// The default step against Bullet's implicit deformable body on the same block.
#include "bench/bench.h"
#include "bench/block.h"
#include "bench/bullet_side.h"

#include <math.h>
#include <stdio.h>

#if defined(SN_HAVE_BULLET)

static snBullet *makeBullet(const snBlock *block)
{
    const snLattice *lattice = &block->lattice;
    const snLatticeModel *model = block->model;
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    double *rest = SN_NEW(&arena, double, 4 * lattice->vertexCount);
    double *mass = SN_NEW(&arena, double, lattice->vertexCount);
    snBullet *bullet = NULL;
    for (int v = 0; v < lattice->vertexCount && rest && mass; v++) {
        rest[4 * v] = lattice->rest[v].x;
        rest[4 * v + 1] = lattice->rest[v].y;
        rest[4 * v + 2] = lattice->rest[v].z;
        mass[v] = block->known[v] ? 0 : model->mass[model->indexOf[v]];
    }
    snBulletDef def = {.vertexCount = lattice->vertexCount,
                       .rest = rest,
                       .mass = mass,
                       .tetCount = lattice->cellCount,
                       .corners = lattice->corners,
                       .young = SN_BLOCK_YOUNG,
                       .poisson = model->def.poisson,
                       .massDamping = model->def.massDamping,
                       .stiffnessDamping = model->def.stiffnessDamping,
                       .gravity = model->def.gravity.y,
                       .step = model->def.step};
    if (rest && mass) bullet = snBullet_Make(&def);
    snArena_Destroy(&arena);
    return bullet;
}

// Bullet goes on swinging by itself; a second of it dies down less than the noise of the timing.
static void compare(snBench *bench, snBlock *block, int name, const char *goal)
{
    snBullet *bullet = makeBullet(block);
    if (!bullet) return;
    int tip = block->lattice.vertexCount - 1;
    const double *ours = block->state->position + 4 * block->model->indexOf[tip] + 1;
    for (int k = 0; k < 30; k++)
        snBullet_Step(bullet);
    double fallOurs = *ours - block->lattice.rest[tip].y;
    double fallTheirs = snBullet_Y(bullet, tip) - block->lattice.rest[tip].y;
    snContestant sides[2] = {{.name = "sinew", .run = snBlock_Step, .context = block},
                             {.name = "Bullet", .run = snBullet_Step, .context = bullet}};
    snBench_Compare(bench, sides, 2);
    char id[64];
    snprintf(id, sizeof id, "skeleton/bullet-%d", name);
    snBench_Report(bench, id, snBench_Ratio(&sides[1], &sides[0]), "x", goal);
    snBench_Note(
        bench,
        "%d vertices: %.3f ms, Bullet's implicit linear elasticity %.2f ms; after 1/4 s the "
        "end has fallen by %.1f mm, Bullet's by %.1f mm",
        block->model->vertexCount, 1e3 * sides[0].seconds, 1e3 * sides[1].seconds, -1e3 * fallOurs,
        -1e3 * fallTheirs);
    snBullet_Destroy(bullet);
}

void snBench_Bullet(snBench *bench)
{
    static const struct {
        snBlockSize size;
        int name;
        const char *goal;
    } jobs[] = {{SN_BLOCK_200, 200, ">= 30"},
                {SN_BLOCK_2000, 2000, ">= 40"},
                {SN_BLOCK_10000, 10000, ">= 40"}};
    for (int j = 0; j < 3; j++) {
        snBlock block;
        char id[64];
        snprintf(id, sizeof id, "skeleton/bullet-%d", jobs[j].name);
        if (!snBench_Wants(bench, id) || !snBlock_Make(&block, jobs[j].size, NULL)) continue;
        compare(bench, &block, jobs[j].name, jobs[j].goal);
        snBlock_Destroy(&block);
    }
}

#else

void snBench_Bullet(snBench *bench)
{
    snBench_Skip(bench, "built without Bullet: tools/setup.sh bench installs it, then build again");
}

#endif
