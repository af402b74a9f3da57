// Lattice bodies in single precision: rest, held poses, momentum and energy, how far they are from
// double precision, same bits, and what is refused.
#include "tests/test.h"

#include "body/lattice/cells.h"
#include "body/lattice/step.h"
#include "core/core.h"
#include "core/simd.h"
#include "numerics/cholesky_parts.h"
#include "tests/body/lattice/blocks.h"
#include "tests/body/lattice/checks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Body {
    snContext context;
    snArena arena;
    snLattice lattice;
    snQuadrature quadrature;
    double *young;
    unsigned char *known;
    snWeightRows skin; // one joint carries all
    snLatticeModel *model;
    snLatticeState *state;
    double *rig;
    double height; // the largest extent at rest
} Body;

// A block of tets, or the lattice of all kinds, whose vertices at x = 0 may be known.
static Body *newBody(bool mixed, bool held)
{
    Body *body = calloc(1, sizeof *body);
    unsigned char boundary[96];
    body->context = snDefaultContext();
    body->arena = snMakeArena(&body->context);
    snArena *arena = &body->arena;
    body->lattice = mixed ? makeMixed(boundary, 0.15, arena)
                          : makeBlock(BLOCK_TETS, 8, 4, 4, snVec(1, 0.5, 0.5), arena);
    const snLattice *l = &body->lattice;
    int n = l->vertexCount;
    body->young = SN_NEW(arena, double, l->cellCount);
    body->known = SN_NEW(arena, unsigned char, n);
    CHECK(snWeightRows_Make(&body->skin, n, 1, (size_t)n, arena, NULL) == SN_OK);
    body->rig = SN_NEW(arena, double, n * 4);
    for (int c = 0; c < l->cellCount; c++)
        body->young[c] = 1e5;
    for (int v = 0; v < n; v++) {
        body->known[v] = held && l->rest[v].x == 0;
        body->skin.start[v + 1] = v + 1;
        body->skin.weight[v] = 1;
        body->height = fmax(body->height, snDistance(l->rest[v], l->rest[0]));
    }
    snQuadratureDef quadrature = snDefaultQuadratureDef();
    CHECK(!snQuadrature_Make(&body->quadrature, l, &quadrature, arena, &body->context, NULL));
    return body;
}

static void describe(const Body *body, snLatticeModelDef *def)
{
    def->lattice = &body->lattice;
    def->quadrature = &body->quadrature;
    def->skin = &body->skin;
    def->known = body->known;
    def->young = body->young;
}

static Body *makeBody(snLatticeModelDef def, bool mixed, bool held)
{
    Body *body = newBody(mixed, held);
    snError error = {0};
    describe(body, &def);
    if (!CHECK(!snLatticeModel_Build(&body->model, &def, &body->context, &error))) {
        printf("%s\n", error.message);
        exit(1);
    }
    CHECK(!snLatticeState_Make(&body->state, body->model, 1, &body->context, NULL));
    return body;
}

static void freeBody(Body *body)
{
    snLatticeState_Destroy(body->state);
    snLatticeModel_Destroy(body->model);
    snArena_Destroy(&body->arena);
    free(body);
}

static snLatticeModelDef singleDef(void)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.precision = SN_PRECISION_SINGLE;
    return def;
}

static void setRig(Body *body, snAffine transform)
{
    snLatticeModel_Rig(body->model, &transform, body->rig);
}

static bool step(Body *body)
{
    return snLattice_Step(body->model, body->state, &(snLatticeDrive){.rig = body->rig});
}

static double distanceToRig(const Body *body)
{
    double worst = 0;
    for (int k = 0; k < body->model->vertexCount * 4; k++)
        worst = fmax(worst, fabs(body->state->position[k] - body->rig[k]));
    return worst / body->height;
}

static void shake(const Body *body, double *positions, double amount, uint64_t seed)
{
    snRandom random = snMakeRandom(seed);
    for (int k = 0; k < body->model->vertexCount * 4; k++) {
        double by = snRandom_Uniform(&random, -amount, amount);
        if (k % 4 != 3 && !body->known[body->model->vertexOf[k / 4]]) positions[k] += by;
    }
}

// Rest stays at rest, also far from the origin, where floats could not tell vertices apart.
static void restStaysAtRest(void)
{
    for (int k = 0; k < SN_MATERIALS * 4; k++) {
        snLatticeModelDef def = singleDef();
        def.material = (snMaterial)(k / 4);
        def.motion = k & 1 ? SN_MOTION_FULL : SN_MOTION_SECONDARY;
        Body *body = makeBody(def, k & 2, true);
        snAffine t = {snQuatToMat(snQuatFromAxisAngle(snVec(0.6, 0.8, 0), 1)), {1000, -300, 77}};
        setRig(body, t);
        snLatticeState_Start(body->model, body->state, body->rig, NULL);
        double worst = 0;
        for (int s = 0; s < 240; s++) {
            CHECK(step(body));
            worst = fmax(worst, distanceToRig(body));
        }
        printf("material %d, %s: at rest within %.1e of the height, %lld halved moves\n",
               def.material, k & 1 ? "full" : "secondary", worst,
               (long long)body->state->backtracks);
        CHECK(worst < 1e-6);
        freeBody(body);
    }
}

// After a blow a held pose ends on its rig, and stays there without jitter.
static void settlesOnTheRig(void)
{
    for (int m = 0; m < SN_MATERIALS; m++) {
        snLatticeModelDef def = singleDef();
        def.material = (snMaterial)m;
        Body *body = makeBody(def, false, true);
        setRig(body, snIdentityAffine());
        for (int i = 0; i < body->model->vertexCount; i++) // an artist's pose with bend and stretch
            body->rig[4 * i + 1] += 0.3 * body->rig[4 * i] * body->rig[4 * i];
        snLatticeState_Start(body->model, body->state, body->rig, NULL);
        shake(body, body->state->velocity, 3, 4);
        step(body);
        CHECK(distanceToRig(body) > 1e-3);
        double speed = 0;
        for (int k = 0; k < 1800; k++)
            step(body);
        for (int k = 0; k < body->model->vertexCount * 4; k++)
            speed = fmax(speed, fabs(body->state->velocity[k]));
        printf(
            "15 s after a blow: %.1e of the height from the rig, moving by %.1e of it per second\n",
            distanceToRig(body), speed / body->height);
        CHECK(distanceToRig(body) < 1e-6);
        CHECK(speed / body->height < 1e-5);
        freeBody(body);
    }
}

// A free body thrown and deformed: momentum stays, energy only falls, up to rounding.
static void momentumAndEnergy(void)
{
    for (int m = 0; m < SN_MATERIALS; m++) {
        snLatticeModelDef def = singleDef();
        def.material = (snMaterial)m;
        def.motion = SN_MOTION_FULL;
        def.massDamping = 0;
        def.iterations = 20;
        Body *body = makeBody(def, false, false);
        setRig(body, snIdentityAffine());
        snLatticeState_Start(body->model, body->state, body->rig, NULL);
        shake(body, body->state->velocity, 2, 9);
        const double *mass = body->model->mass, *v = body->state->velocity;
        int n = body->model->vertexCount;
        double before[3] = {0}, after[3] = {0}, scale = 0, rise = 0, drift = 0;
        double start = snLatticeState_KineticEnergy(body->model, body->state, 0), energy = start;
        for (int k = 0; k < 3 * n; k++) {
            before[k % 3] += mass[k / 3] * v[k / 3 * 4 + k % 3];
            scale += mass[k / 3] * fabs(v[k / 3 * 4 + k % 3]);
        }
        for (int k = 0; k < 120; k++) {
            step(body);
            double now = snLatticeState_KineticEnergy(body->model, body->state, 0) +
                         snLatticeState_ElasticEnergy(body->model, body->state, 0);
            rise = fmax(rise, (now - energy) / start);
            energy = now;
        }
        for (int k = 0; k < 3 * n; k++)
            after[k % 3] += mass[k / 3] * v[k / 3 * 4 + k % 3];
        for (int c = 0; c < 3; c++)
            drift = fmax(drift, fabs(after[c] - before[c]) / scale);
        printf("material %d: momentum drift %.1e, largest rise of energy %.1e, %.3f left\n", m,
               drift, rise, energy / start);
        CHECK(drift < 1e-5);
        CHECK(rise < 1e-5);
        CHECK(energy < 0.9 * start);
        freeBody(body);
    }
}

// Single against double on a shaken and turned body over two seconds, for every material and kind of
// cell: the largest distance between the two, and of flesh from its rig.
static double largestGap(snLatticeModelDef def, bool mixed, double *offset)
{
    Body *two[2];
    double worst = 0;
    for (int p = 0; p < 2; p++) {
        def.precision = (snPrecision)p;
        two[p] = makeBody(def, mixed, true);
    }
    for (int k = 0; k <= 240; k++) {
        double angle = 0.3 * snSin(0.08 * k);
        snAffine t = {snQuatToMat(snQuatFromAxisAngle(snVec(0, 0.6, 0.8), angle)),
                      {0.08 * snSin(0.11 * k) * two[0]->height, 0, 0}};
        for (int p = 0; p < 2; p++) {
            setRig(two[p], t);
            if (k == 0)
                snLatticeState_Start(two[p]->model, two[p]->state, two[p]->rig, NULL);
            else
                CHECK(step(two[p]));
        }
        for (int i = 0; i < two[0]->model->vertexCount * 4; i++)
            worst = fmax(worst, fabs(two[0]->state->position[i] - two[1]->state->position[i]));
        *offset = fmax(*offset, distanceToRig(two[0]));
    }
    worst /= two[0]->height;
    freeBody(two[0]);
    freeBody(two[1]);
    return worst;
}

static void staysNearDouble(void)
{
    for (int k = 0; k < SN_MATERIALS * 4; k++) {
        snLatticeModelDef def = snDefaultLatticeModelDef();
        def.material = (snMaterial)(k / 4);
        def.motion = k & 1 ? SN_MOTION_FULL : SN_MOTION_SECONDARY;
        if (k & 1) def.gravity = snVec(0, -9.81, 0);
        double offset = 0, gap = largestGap(def, k & 2, &offset);
        printf("material %d, %s, %s: single and double differ by %.1e of the height, in motion by "
               "%.2f\n",
               k / 4, k & 2 ? "all kinds" : "tets", k & 1 ? "full" : "secondary", gap, offset);
        CHECK(gap < 2e-5);
        CHECK(offset > 0.05);
    }
}

// Inverted and flat rigs, and one that is not a number.
static void badRigs(void)
{
    for (int m = 0; m < SN_MATERIALS; m++) {
        snLatticeModelDef def = singleDef();
        def.material = (snMaterial)m;
        Body *body = makeBody(def, false, true);
        setRig(body, snIdentityAffine());
        snLatticeState_Start(body->model, body->state, body->rig, NULL);
        for (int r = 0; r < 2; r++) {
            setRig(body, (snAffine){r ? snDiagonal3(1, 0, 1) : snDiagonal3(-1, 1, 1), {0, 0, 0}});
            for (int k = 0; k < 200; k++)
                CHECK(step(body) || m != SN_MATERIAL_COROTATED);
            printf("material %d, %s rig: %.1e of the height away\n", m, r ? "flat" : "mirrored",
                   distanceToRig(body));
            CHECK(distanceToRig(body) < 2);
        }
        body->rig[0] = NAN;
        CHECK(!step(body));
        setRig(body, snIdentityAffine());
        snLatticeState_Start(body->model, body->state, body->rig, NULL);
        CHECK(step(body));
        CHECK(distanceToRig(body) < 1e-6);
        freeBody(body);
    }
}

// ---- same bits --------------------------------------------------------------------------------

extern const snCellKernels snCellKernelsSingle_base;
extern const snVectorKernels snVectorKernels_base;
#if defined(__x86_64__)
extern const snCellKernels snCellKernelsSingle_avx2, snCellKernelsSingle_avx512;
extern const snVectorKernels snVectorKernels_avx2, snVectorKernels_avx512;
#endif

static void useLevel(snLatticeModel *model, int level)
{
    model->cells = &snCellKernelsSingle_base;
    model->vectors = &snVectorKernels_base;
#if defined(__x86_64__)
    if (level == SN_CPU_AVX2)
        model->cells = &snCellKernelsSingle_avx2, model->vectors = &snVectorKernels_avx2;
    if (level == SN_CPU_AVX512)
        model->cells = &snCellKernelsSingle_avx512, model->vectors = &snVectorKernels_avx512;
#endif
    CHECK(snFactor_UseLevel(model->factor, level) == SN_OK);
}

static uint64_t runHash(snMaterial material, int level, int restart, bool backwards)
{
    snLatticeModelDef def = singleDef();
    def.material = material;
    Body *body = makeBody(def, material == SN_MATERIAL_COROTATED, true);
    useLevel(body->model, level);
    if (backwards) body->model->context.tasks = (snTasks){.workers = 2, .run = snTest_RunBackwards};
    void *saved = malloc(body->state->blockSize);
    for (int k = 0; k <= 60; k++) {
        snAffine t = snIdentityAffine();
        t.linear = snQuatToMat(snQuatFromAxisAngle(snVec(0, 1, 0), 0.5 * snSin(0.3 * k)));
        if (k % 17 == 16) t.linear = snMulMM(t.linear, snDiagonal3(-1, 1, 0.3)); // some inverted
        setRig(body, t);
        if (k == 0) snLatticeState_Start(body->model, body->state, body->rig, NULL);
        if (k == restart) {
            snLatticeState_Save(body->state, saved);
            shake(body, body->state->position, 1, 5);
            snLatticeState_ElasticEnergy(body->model, body->state, 0);
            snLatticeState_Restore(body->state, saved);
        }
        step(body);
    }
    uint64_t hash = snLatticeState_Hash(body->state);
    free(saved);
    freeBody(body);
    return hash;
}

static void sameBits(void)
{
    for (int m = 0; m < SN_MATERIALS; m++) {
        uint64_t hash = runHash((snMaterial)m, SN_CPU_BASE, -1, false);
        int levels = 0;
        for (int level = SN_CPU_BASE; level <= (int)snDetectCpu(); level++, levels++)
            CHECK(runHash((snMaterial)m, level, 20, level & 1) == hash);
        printf("material %d: hash %016llx with %d instruction sets\n", m, (unsigned long long)hash,
               levels);
    }
}

// ---- what is refused ----------------------------------------------------------------------------

static void combinationsAreRefused(void)
{
    Body *body = makeBody(singleDef(), false, true);
    snLatticeState *batch;
    snLatticeModel *model;
    snError error = {0};
    CHECK(snLatticeState_Make(&batch, body->model, 8, &body->context, &error) == SN_ERROR_ARGUMENT);
    CHECK(batch == NULL && strstr(error.message, "single precision"));
    for (int k = 0; k < 4; k++) {
        snLatticeModelDef def = singleDef();
        static const snSolver solvers[] = {SN_SOLVER_NEWTON, SN_SOLVER_LINEAR, SN_SOLVER_BLENDED};
        describe(body, &def);
        if (k < 3)
            def.solver = solvers[k];
        else
            def.levels = 1;
        CHECK(snLatticeModel_Build(&model, &def, &body->context, &error) == SN_ERROR_ARGUMENT);
        CHECK(model == NULL && strstr(error.message, "single precision"));
    }
    freeBody(body);
}

static void everyAllocationMayFail(void)
{
    Body *body = newBody(true, true);
    snLatticeModelDef def = singleDef();
    describe(body, &def);
    failEvery(buildModelAndState, &def, 0);
    freeBody(body);
}

static void oneCell(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snLattice lattice;
    snQuadrature q;
    snQuadratureDef quadrature = snDefaultQuadratureDef();
    double young = 1e4, rig[16] = {0};
    snLatticeModelDef def = singleDef();
    snLatticeModel *model;
    snLatticeState *state;
    CHECK(!snLattice_Alloc(&lattice, 4, 1, 4, &arena, NULL));
    for (int v = 0; v < 4; v++) {
        lattice.rest[v] = snVec(v == 1, v == 2, v == 3);
        lattice.corners[v] = v;
    }
    lattice.cellStart[1] = 4;
    CHECK(!snQuadrature_Make(&q, &lattice, &quadrature, &arena, &context, NULL));
    def.lattice = &lattice, def.quadrature = &q, def.young = &young;
    CHECK(!snLatticeModel_Build(&model, &def, &context, NULL));
    CHECK(!snLatticeState_Make(&state, model, 1, &context, NULL));
    snLatticeModel_Rig(model, NULL, rig);
    snLatticeState_Start(model, state, rig, NULL);
    state->velocity[0] = 1;
    for (int k = 0; k < 60; k++)
        CHECK(snLattice_Step(model, state, &(snLatticeDrive){.rig = rig}));
    for (int k = 0; k < 16; k++)
        CHECK(fabs(state->position[k] - rig[k]) < 0.2);
    snLatticeState_Destroy(state);
    snLatticeModel_Destroy(model);
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(restStaysAtRest);
    RUN(settlesOnTheRig);
    RUN(momentumAndEnergy);
    RUN(staysNearDouble);
    RUN(badRigs);
    RUN(sameBits);
    RUN(combinationsAreRefused);
    RUN(everyAllocationMayFail);
    RUN(oneCell);
    return snTest_Finish();
}
