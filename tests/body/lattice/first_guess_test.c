// What is left alone: no step, of however few iterations, ends with more than flesh held and moved with.
#include "tests/test.h"

#include "body/lattice/step.h"
#include "core/core.h"
#include "core/elementary.h"
#include "tests/body/lattice/blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Bar {
    snContext context;
    snArena arena;
    snLattice lattice;
    snQuadrature quadrature;
    snLatticeModel *model;
    snLatticeState *state;
    double *rig, *before; // [vertices * 4]
} Bar;

// A metre along x, of hexahedra where it is held at its beginning, of tets where it flies, in steps of 1/30 s. Nothing is damped, and there is no gravity.
static void makeBar(Bar *bar, bool held, snPrecision precision, double young, double poisson)
{
    snError error = {0};
    *bar = (Bar){.context = snDefaultContext()};
    bar->arena = snMakeArena(&bar->context);
    bar->lattice =
        makeBlock(held ? BLOCK_HEXES : BLOCK_TETS, 5, 2, 2, snVec(1, 0.4, 0.4), &bar->arena);
    int n = bar->lattice.vertexCount;
    bar->quadrature = quadratureOf(&bar->lattice, &bar->arena, &bar->context);
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.lattice = &bar->lattice;
    def.quadrature = &bar->quadrature;
    if (held) def.known = heldUpTo(&bar->lattice, 0, &bar->arena);
    def.young = constants(bar->lattice.cellCount, young, &bar->arena);
    def.poisson = poisson;
    def.precision = precision;
    def.motion = SN_MOTION_FULL;
    def.step = 1.0 / 30;
    def.gravity = snVec(0, 0, 0);
    def.stiffnessDamping = def.massDamping = 0;
    if (!CHECK(snLatticeModel_Build(&bar->model, &def, &bar->context, &error) == SN_OK)) {
        printf("%s\n", error.message);
        exit(1);
    }
    CHECK(snLatticeState_Make(&bar->state, bar->model, 1, &bar->context, &error) == SN_OK);
    bar->rig = SN_NEW(&bar->arena, double, 4 * n);
    bar->before = SN_NEW(&bar->arena, double, 4 * n);
    for (int i = 0; i < n; i++) {
        bar->rig[4 * i] = bar->model->rest[i].x;
        bar->rig[4 * i + 1] = bar->model->rest[i].y;
        bar->rig[4 * i + 2] = bar->model->rest[i].z;
    }
    snLatticeState_Start(bar->model, bar->state, bar->rig, NULL);
}

static void destroyBar(Bar *bar)
{
    snLatticeState_Destroy(bar->state);
    snLatticeModel_Destroy(bar->model);
    snArena_Destroy(&bar->arena);
}

// Free vertices, every second of them another way.
static void throwAbout(Bar *bar, double speed)
{
    for (int i = 0; i < 4 * bar->model->freeCount; i++)
        if (i % 4 < 3) bar->state->velocity[i] = speed * snSin(1.7 * i);
}

// ½ Σ m |y - (x + h v)|² / h² of the step that was made: ½ Σ m |v' - v|².
static double missOf(const Bar *bar)
{
    double sum = 0;
    for (int i = 0; i < bar->model->freeCount; i++)
        for (int c = 0; c < 3; c++) {
            double miss = bar->state->velocity[4 * i + c] - bar->before[4 * i + c];
            sum += 0.5 * bar->model->mass[i] * miss * miss;
        }
    return sum;
}

// Of a bar that is left alone for two seconds.
static void watch(bool held, snPrecision precision, double young, double poisson)
{
    Bar bar;
    bool single = precision == SN_PRECISION_SINGLE;
    double worst = 0, first = 0, has = 0;
    makeBar(&bar, held, precision, young, poisson);
    throwAbout(&bar, 3);
    for (int step = 0; step < 60; step++) {
        double had = snLatticeState_ElasticEnergy(bar.model, bar.state, 0) +
                     snLatticeState_KineticEnergy(bar.model, bar.state, 0);
        memcpy(bar.before, bar.state->velocity,
               4 * (size_t)bar.model->vertexCount * sizeof(double));
        CHECK(snLattice_Step(bar.model, bar.state, &(snLatticeDrive){.rig = bar.rig}));
        has = snLatticeState_ElasticEnergy(bar.model, bar.state, 0);
        if (step == 0) first = had;
        double more = has + missOf(&bar) - had;
        worst = fmax(worst, more / (had + (single ? 1e-3 : 1e-6) * first));
    }
    has += snLatticeState_KineticEnergy(bar.model, bar.state, 0);
    printf("%s, %g Pa, poisson %g, %s: at most %.2g of it more; %.3g of %.3g J are left\n",
           held ? "held" : "free", young, poisson, single ? "single" : "double", worst, has, first);
    CHECK(worst < (single ? 1e-4 : 1e-5));
    CHECK(has < first);
    destroyBar(&bar);
}

static void neverMore(void)
{
    static const double youngs[] = {1e3, 1e5, 1e8}, ratios[] = {0.3, 0.45, 0.49, 0.499};
    for (int k = 0; k < 48; k++)
        watch(k % 2, k < 24 ? SN_PRECISION_DOUBLE : SN_PRECISION_SINGLE, youngs[k / 2 % 3],
              ratios[k / 6 % 4]);
}

// ---- lanes --------------------------------------------------------------------------------------------

#define LANES 8

// Where the held end is turned about z, by another angle for every lane.
static void turnRig(const Bar *bar, int lane, int step, double *single, double *batch)
{
    double angle = 0.02 * step * (lane + 1);
    snMat3 turn = snQuatToMat(snQuatFromAxisAngle(snVec(0, 0, 1), angle));
    for (int i = 0; i < bar->model->vertexCount; i++) {
        snVec3 x = snMulMV(turn, bar->model->rest[i]);
        for (int c = 0; c < 3; c++) {
            double value = c == 0 ? x.x : (c == 1 ? x.y : x.z);
            single[4 * i + c] = batch[(3 * i + c) * LANES + lane] = value;
        }
    }
}

// Some lanes are searched for once more and others not; none of them moves otherwise than a body by itself.
static void lanesAreBodies(double young)
{
    Bar bar;
    snLatticeState *batch, *single[LANES];
    double *rigs[LANES];
    makeBar(&bar, true, SN_PRECISION_DOUBLE, young, 0.45);
    size_t n = (size_t)bar.model->vertexCount;
    double *rig = SN_NEW(&bar.arena, double, 3 * n * LANES);
    bool same = true;
    CHECK(snLatticeState_Make(&batch, bar.model, LANES, &bar.context, NULL) == SN_OK);
    for (int l = 0; l < LANES; l++) {
        CHECK(snLatticeState_Make(&single[l], bar.model, 1, &bar.context, NULL) == SN_OK);
        rigs[l] = SN_NEW(&bar.arena, double, 4 * n);
        turnRig(&bar, l, 0, rigs[l], rig);
        snLatticeState_Start(bar.model, single[l], rigs[l], NULL);
    }
    snLatticeState_Start(bar.model, batch, rig, NULL);
    for (int l = 0; l < LANES; l++)
        for (int i = 0; i < bar.model->freeCount; i++)
            for (int c = 0; c < 3; c++)
                single[l]->velocity[4 * i + c] = batch->velocity[(3 * i + c) * LANES + l] =
                    (l % 3 + 0.3) * snSin(1.7 * (4 * i + c) + l);
    for (int step = 1; step <= 40; step++) {
        for (int l = 0; l < LANES; l++)
            turnRig(&bar, l, step, rigs[l], rig);
        CHECK(snLattice_Step(bar.model, batch, &(snLatticeDrive){.rig = rig}));
        for (int l = 0; l < LANES; l++) {
            CHECK(snLattice_Step(bar.model, single[l], &(snLatticeDrive){.rig = rigs[l]}));
            for (int k = 0; k < 3 * (int)n; k++)
                same = same &&
                       single[l]->position[4 * (k / 3) + k % 3] == batch->position[k * LANES + l];
        }
    }
    CHECK(same);
    snLatticeState_Destroy(batch);
    for (int l = 0; l < LANES; l++)
        snLatticeState_Destroy(single[l]);
    destroyBar(&bar);
}

static void lanesAreBodiesAtAnyStiffness(void)
{
    lanesAreBodies(1e5);
    lanesAreBodies(1e7);
    lanesAreBodies(1e8);
}

int main(void)
{
    RUN(neverMore);
    RUN(lanesAreBodiesAtAnyStiffness);
    return snTest_Finish();
}
