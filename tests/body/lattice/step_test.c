// The motion of lattice bodies: rest, free fall, rigid motion, exact gradients, energy, same bits.
#include "tests/test.h"

#include "body/lattice/cells.h"
#include "body/lattice/step.h"
#include "core/core.h"
#include "core/simd.h"
#include "tests/body/lattice/blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Body {
    snContext context;
    snArena arena;
    snLattice lattice;
    snQuadrature quadrature;
    snLatticeModel *model;
    snLatticeState *state;
    unsigned char *known;
    double *rig;
} Body;

// A body of the given lattice. One joint carries all vertices (rows of weight 1), and vertices
// marked in `known` follow it exactly.
static void buildBody(Body *body, snLatticeModelDef *def)
{
    int n = body->lattice.vertexCount;
    snWeightRows skin = skinOfOne(n, &body->arena);
    body->quadrature = quadratureOf(&body->lattice, &body->arena, &body->context);
    // The body is handed on by value; what the model points to lives in its arena.
    def->quadrature = SN_COPY(&body->arena, snQuadrature, &body->quadrature, 1);
    def->lattice = &body->lattice;
    def->skin = &skin;
    def->known = body->known;
    if (!def->young) def->young = constants(body->lattice.cellCount, 1e5, &body->arena);
    snError error = {0};
    if (!CHECK(snLatticeModel_Build(&body->model, def, &body->context, &error) == SN_OK)) {
        printf("%s\n", error.message);
        exit(1);
    }
    CHECK(snLatticeState_Make(&body->state, body->model, 1, &body->context, &error) == SN_OK);
    body->rig = SN_NEW(&body->arena, double, n * 4);
}

static void freeBody(Body *body)
{
    snLatticeState_Destroy(body->state);
    snLatticeModel_Destroy(body->model);
    snArena_Destroy(&body->arena);
}

static Body newBody(snContext context)
{
    Body body = {.context = context};
    body.arena = snMakeArena(&body.context);
    return body;
}

// A block of tets, or the lattice of all kinds, whose vertices at x = 0 may be known.
static Body blockBody(snLatticeModelDef def, bool mixed, bool held)
{
    Body body = newBody(snDefaultContext());
    unsigned char boundary[96];
    body.lattice = mixed ? makeMixed(boundary, 0.15, &body.arena)
                         : makeBlock(BLOCK_TETS, 4, 2, 2, snVec(1, 0.5, 0.5), &body.arena);
    body.known = SN_NEW(&body.arena, unsigned char, body.lattice.vertexCount);
    for (int v = 0; v < body.lattice.vertexCount && held; v++)
        body.known[v] = body.lattice.rest[v].x == 0;
    buildBody(&body, &def);
    return body;
}

static void setRig(Body *body, snAffine transform)
{
    snLatticeModel_Rig(body->model, &transform, body->rig);
}

static double distanceToRig(const Body *body)
{
    double worst = 0;
    for (int k = 0; k < body->model->vertexCount * 4; k++)
        worst = fmax(worst, fabs(body->state->position[k] - body->rig[k]));
    return worst;
}

static void restStaysAtRestOf(snMaterial material)
{
    for (int mixed = 0; mixed < 2; mixed++)
        for (int motion = 0; motion < 2; motion++) {
            snLatticeModelDef def = snDefaultLatticeModelDef();
            def.material = material;
            def.motion = motion ? SN_MOTION_FULL : SN_MOTION_SECONDARY;
            Body body = blockBody(def, mixed, true);
            setRig(&body, snIdentityAffine());
            snLatticeState_Start(body.model, body.state, body.rig, NULL);
            for (int k = 0; k < 50; k++)
                CHECK(snLattice_Step(body.model, body.state, &(snLatticeDrive){.rig = body.rig}));
            CHECK_NEAR(distanceToRig(&body), 0, 1e-13 * 5); // the larger block is 5 m long
            CHECK_NEAR(snLatticeState_ElasticEnergy(body.model, body.state, 0), 0, 1e-20);
            freeBody(&body);
        }
}

static void restStaysAtRest(void)
{
    for (int m = 0; m < SN_MATERIALS; m++)
        restStaysAtRestOf((snMaterial)m);
}

// No bones, no drag: every vertex falls by ½ g t² + O(h), exactly h² g k (k + 1) / 2 after k steps
// of backward Euler.
static void freeFallOf(snMaterial material)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.material = material;
    def.motion = SN_MOTION_FULL;
    def.massDamping = 0;
    def.gravity = snVec(0, -9.81, 0);
    Body body = blockBody(def, true, false);
    setRig(&body, snIdentityAffine());
    snLatticeState_Start(body.model, body.state, body.rig, NULL);
    int steps = 60;
    for (int k = 0; k < steps; k++)
        snLattice_Step(body.model, body.state, &(snLatticeDrive){.rig = body.rig});
    double fall = 9.81 * def.step * def.step * steps * (steps + 1) / 2, worst = 0;
    for (int i = 0; i < body.model->vertexCount; i++)
        worst = fmax(worst, fabs(body.rig[4 * i + 1] - body.state->position[4 * i + 1] - fall));
    printf("free fall of %.3f m: off by %.2e\n", fall, worst);
    CHECK_NEAR(worst, 0, 1e-9);
    CHECK_NEAR(body.model->totalMass, 39000, 1e-8);
    freeBody(&body);
}

static void freeFall(void)
{
    for (int m = 0; m < SN_MATERIALS; m++)
        freeFallOf((snMaterial)m);
}

// The whole rig turns and travels, slowly started: the body ends with the rig's pose and has no
// strain; and a body set moving rigidly keeps its shape at every step when the rig only travels.
static void rigidMotionDeformsNothingOf(snMaterial material)
{
    for (int motion = 0; motion < 2; motion++) {
        snLatticeModelDef def = snDefaultLatticeModelDef();
        def.material = material;
        def.motion = motion ? SN_MOTION_FULL : SN_MOTION_SECONDARY;
        Body body = blockBody(def, true, true);
        double *velocity = constants(body.model->vertexCount * 4, 0, &body.arena), strain = 0;
        for (int i = 0; i < body.model->vertexCount; i++)
            velocity[4 * i] = 3, velocity[4 * i + 1] = -1;
        setRig(&body, snIdentityAffine());
        snLatticeState_Start(body.model, body.state, body.rig, velocity);
        for (int k = 1; k <= 100; k++) {
            snAffine t = snIdentityAffine();
            t.origin = snVec(3 * k * def.step, -k * def.step, 0);
            setRig(&body, t);
            snLattice_Step(body.model, body.state, &(snLatticeDrive){.rig = body.rig});
            strain = fmax(strain, distanceToRig(&body));
        }
        CHECK_NEAR(strain, 0, 1e-11);
        CHECK_NEAR(snLatticeState_ElasticEnergy(body.model, body.state, 0), 0, 1e-15);
        freeBody(&body);
    }
}

static void rigidMotionDeformsNothing(void)
{
    for (int m = 0; m < SN_MATERIALS; m++)
        rigidMotionDeformsNothingOf((snMaterial)m);
}

// A body at rest in a rig that is turned by 90 degrees as a whole has no energy.
static void turnHasNoEnergyOf(snMaterial material)
{
    for (int motion = 0; motion < 2; motion++) {
        snLatticeModelDef def = snDefaultLatticeModelDef();
        def.material = material;
        def.motion = motion ? SN_MOTION_FULL : SN_MOTION_SECONDARY;
        Body body = blockBody(def, true, true);
        snAffine turn = {snQuatToMat(snQuatFromAxisAngle(snVec(0, 0.6, 0.8), SN_PI / 2)),
                         {1, 2, 3}};
        setRig(&body, turn);
        snLatticeState_Start(body.model, body.state, body.rig, NULL);
        // Linear strain would give E |R - 1|² V: about 1e5 * 2 * 39.
        CHECK_NEAR(snLatticeState_ElasticEnergy(body.model, body.state, 0) / 8e6, 0,
                   material == SN_MATERIAL_COROTATED ? 1e-20 : 1e-15);
        freeBody(&body);
    }
}

static void turnHasNoEnergy(void)
{
    for (int m = 0; m < SN_MATERIALS; m++)
        turnHasNoEnergyOf((snMaterial)m);
}

// The step's gradient against central differences of its objective, at a strongly deformed state
// with strain memory, for tets and for all kinds of cells.
static double objective(Body *body, const snCellKernels *cells, const snVectorKernels *vectors,
                        double *gradientOut)
{
    const snLatticeModel *model = body->model;
    snLatticeState *state = body->state;
    double h = model->def.step, scale = h * (h + model->def.stiffnessDamping), elastic = 0;
    int firstGroup = 0;
    size_t slot = 0;
    for (int c = 0; c < 2; c++) {
        const snElementClass *class = &model->classes[c];
        snCellsPass pass = {.class = class,
                            .state = &state->elements[c],
                            .lanes = 1,
                            .width = 4,
                            .position = state->next,
                            .memory =
                                model->def.stiffnessDamping / (h + model->def.stiffnessDamping),
                            .scale = scale,
                            .force = (double *)state->force + slot * 4,
                            .energy = (double *)state->energy + firstGroup};
        cells->force[model->def.material](&pass, 0, class->groupCount);
        for (int g = 0; g < class->groupCount; g++)
            elastic += ((double *)pass.energy)[g];
        firstGroup += class->groupCount;
        slot += (size_t) class->groupCount * (size_t) class->corners * SN_GROUP;
    }
    double rest;
    vectors->gradient(model, state, &rest);
    if (gradientOut)
        memcpy(gradientOut, state->gradient, (size_t)model->freeCount * 4 * sizeof(double));
    return scale * elastic + rest;
}

static void shake(Body *body, double *positions, double amount, uint64_t seed)
{
    snRandom random = snMakeRandom(seed);
    for (int k = 0; k < body->model->vertexCount * 4; k++)
        if (k % 4 != 3) positions[k] += snRandom_Uniform(&random, -amount, amount);
}

static void gradientIsExactOf(snMaterial material)
{
    for (int mixed = 0; mixed < 2; mixed++) {
        snLatticeModelDef def = snDefaultLatticeModelDef();
        def.material = material;
        def.iterations = 2;
        Body body = blockBody(def, mixed, false);
        double amount = mixed ? 0.1 : 0.03;
        const snCellKernels *cells = body.model->cells;
        const snVectorKernels *vectors = body.model->vectors;
        setRig(&body, snIdentityAffine());
        shake(&body, body.rig, amount, 1); // a rig with stretch of its own
        snLatticeState_Start(body.model, body.state, body.rig, NULL);
        shake(&body, body.state->velocity, 4, 2);
        for (int k = 0; k < 5; k++)
            snLattice_Step(body.model, body.state, &(snLatticeDrive){.rig = body.rig});
        shake(&body, body.state->next, amount, 3);
        double *g = constants(body.model->freeCount * 4, 0, &body.arena), worst = 0, size = 0;
        objective(&body, cells, vectors, g);
        for (int k = 0; k < body.model->freeCount * 4; k += 5) {
            if (k % 4 == 3) continue;
            double old = body.state->next[k], step = 1e-6;
            body.state->next[k] = old + step;
            double up = objective(&body, cells, vectors, NULL);
            body.state->next[k] = old - step;
            double down = objective(&body, cells, vectors, NULL);
            body.state->next[k] = old;
            worst = fmax(worst, fabs((up - down) / (2 * step) - g[k]));
            size = fmax(size, fabs(g[k]));
        }
        printf("gradient against differences: %.2e of the largest\n", worst / size);
        CHECK(worst / size < 1e-6);
        freeBody(&body);
    }
}

static void gradientIsExact(void)
{
    for (int m = 0; m < SN_MATERIALS; m++)
        gradientIsExactOf((snMaterial)m);
}

// A free body thrown and deformed: momentum stays, energy only falls.
static void momentumAndEnergyOf(snMaterial material)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.material = material;
    def.motion = SN_MOTION_FULL;
    def.massDamping = 0;
    def.iterations = 30; // solved out, so that nothing is owed to the iteration
    Body body = blockBody(def, false, false);
    setRig(&body, snIdentityAffine());
    snLatticeState_Start(body.model, body.state, body.rig, NULL);
    shake(&body, body.state->velocity, 2, 9);
    double before[3] = {0}, energy = snLatticeState_KineticEnergy(body.model, body.state, 0);
    double scale = 0, rise = 0, drift = 0;
    for (int i = 0; i < body.model->vertexCount; i++)
        for (int c = 0; c < 3; c++) {
            before[c] += body.model->mass[i] * body.state->velocity[4 * i + c];
            scale += body.model->mass[i] * fabs(body.state->velocity[4 * i + c]);
        }
    double start = energy;
    for (int k = 0; k < 100; k++) {
        snLattice_Step(body.model, body.state, &(snLatticeDrive){.rig = body.rig});
        double now = snLatticeState_KineticEnergy(body.model, body.state, 0) +
                     snLatticeState_ElasticEnergy(body.model, body.state, 0);
        rise = fmax(rise, (now - energy) / start);
        energy = now;
    }
    for (int c = 0; c < 3; c++) {
        double sum = 0;
        for (int i = 0; i < body.model->vertexCount; i++)
            sum += body.model->mass[i] * body.state->velocity[4 * i + c];
        drift = fmax(drift, fabs(sum - before[c]) / scale);
    }
    printf("momentum drift %.2e, largest rise of energy %.2e, %.3f of it left after 100 steps\n",
           drift, rise, energy / start);
    CHECK(drift < 1e-8);
    CHECK(rise < 1e-9);
    CHECK(energy < 0.9 * start);
    freeBody(&body);
}

static void momentumAndEnergy(void)
{
    for (int m = 0; m < SN_MATERIALS; m++)
        momentumAndEnergyOf((snMaterial)m);
}

// Deformed and let go, a held body returns to the rig's pose exactly.
static void settlesOnTheRigOf(snMaterial material)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.material = material;
    Body body = blockBody(def, false, true);
    setRig(&body, snIdentityAffine());
    for (int i = 0; i < body.model->vertexCount; i++) // an artist's pose with bend and stretch
        body.rig[4 * i + 1] += 0.3 * body.rig[4 * i] * body.rig[4 * i];
    snLatticeState_Start(body.model, body.state, body.rig, NULL);
    shake(&body, body.state->velocity, 3, 4);
    snLattice_Step(body.model, body.state, &(snLatticeDrive){.rig = body.rig});
    CHECK(distanceToRig(&body) > 1e-3);
    for (int k = 0; k < 1200; k++)
        snLattice_Step(body.model, body.state, &(snLatticeDrive){.rig = body.rig});
    printf("10 s after a blow: %.2e m from the rig's pose\n", distanceToRig(&body));
    CHECK(distanceToRig(&body) < 1e-5);
    freeBody(&body);
}

static void settlesOnTheRig(void)
{
    for (int m = 0; m < SN_MATERIALS; m++)
        settlesOnTheRigOf((snMaterial)m);
}

static void invertedAndBadRigsOf(snMaterial material)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.material = material;
    Body body = blockBody(def, false, true);
    setRig(&body, snIdentityAffine());
    snLatticeState_Start(body.model, body.state, body.rig, NULL);
    snAffine mirror = {snDiagonal3(-1, 1, 1), {0, 0, 0}}, flat = {snDiagonal3(1, 0, 1), {0, 0, 0}};
    snAffine rigs[2] = {mirror, flat};
    for (int r = 0; r < 2; r++) {
        setRig(&body, rigs[r]);
        for (int k = 0; k < 400; k++) {
            bool whole = snLattice_Step(body.model, body.state, &(snLatticeDrive){.rig = body.rig});
            CHECK(whole || material != SN_MATERIAL_COROTATED);
        }
        double far = distanceToRig(&body);
        printf("%s rig: %.2e m away after 400 steps\n", r ? "flat" : "mirrored", far);
        CHECK(isfinite(far) && far < 2);
    }
    body.rig[0] = NAN;
    CHECK(!snLattice_Step(body.model, body.state, &(snLatticeDrive){.rig = body.rig}));
    setRig(&body, snIdentityAffine());
    snLatticeState_Start(body.model, body.state, body.rig, NULL);
    CHECK(snLattice_Step(body.model, body.state, &(snLatticeDrive){.rig = body.rig}));
    CHECK_NEAR(distanceToRig(&body), 0, 1e-12);
    freeBody(&body);
}

static void invertedAndBadRigs(void)
{
    for (int m = 0; m < SN_MATERIALS; m++)
        invertedAndBadRigsOf((snMaterial)m);
}

// The rig jumps by many times the body's size within one step, and turns: flesh is torn and squashed
// beyond measure, and finds back all the same.
static void survivesJumpsOf(snMaterial material)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.material = material;
    Body body = blockBody(def, false, true);
    setRig(&body, snIdentityAffine());
    snLatticeState_Start(body.model, body.state, body.rig, NULL);
    for (int round = 1; round <= 3; round++) {
        snAffine far = {snQuatToMat(snQuatFromAxisAngle(snVec(0, 0, 1), 2.5 * round)),
                        {7.0 * round * round, -5.0 * round, 3}};
        double torn = 0;
        setRig(&body, far);
        for (int k = 0; k < 1200; k++) {
            bool whole = snLattice_Step(body.model, body.state, &(snLatticeDrive){.rig = body.rig});
            CHECK(whole || material != SN_MATERIAL_COROTATED); // the others may be put on the rig
            if (k < 20) torn = fmax(torn, distanceToRig(&body));
        }
        printf("a jump of %.0f m: torn by up to %.1f m, %.1e m after 10 s\n", snLength(far.origin),
               torn, distanceToRig(&body));
        CHECK(isfinite(torn));
        CHECK(distanceToRig(&body) < 1e-4);
    }
    freeBody(&body);
}

static void survivesJumps(void)
{
    for (int m = 0; m < SN_MATERIALS; m++)
        survivesJumpsOf((snMaterial)m);
}

// Newton's method and the quasi-Newton one find the same end of the same objective, for every
// material; a single linearisation is close to it.
static void newtonAgrees(void)
{
    for (int m = 0; m < SN_MATERIALS; m++) {
        snLatticeModelDef def = snDefaultLatticeModelDef();
        def.material = (snMaterial)m;
        def.iterations = 60;
        Body quasi = blockBody(def, true, true);
        def.solver = SN_SOLVER_NEWTON;
        def.iterations = 20;
        def.tolerance = 1e-10;
        Body newton = blockBody(def, true, true);
        def.iterations = 0;
        Body once = blockBody(def, true, true);
        CHECK(once.model->def.iterations == 1);
        Body *bodies[3] = {&quasi, &newton, &once};
        for (int b = 0; b < 3; b++) {
            Body *body = bodies[b];
            setRig(body, snIdentityAffine());
            snLatticeState_Start(body->model, body->state, body->rig, NULL);
            int steps = snTest_Whole() ? 20 : 8;
            for (int k = 1; k <= steps; k++) {
                snAffine t = {snQuatToMat(snQuatFromAxisAngle(snVec(0, 0.6, 0.8), 0.04 * k)),
                              {0.02 * k, 0, 0}};
                setRig(body, t);
                CHECK(
                    snLattice_Step(body->model, body->state, &(snLatticeDrive){.rig = body->rig}));
            }
        }
        double worst = 0, single = 0, moved = distanceToRig(&quasi);
        for (int k = 0; k < quasi.model->vertexCount * 4; k++) {
            double at = newton.state->position[k];
            worst = fmax(worst, fabs(quasi.state->position[k] - at));
            single = fmax(single, fabs(once.state->position[k] - at));
        }
        printf("material %d, moved by %.3f m: quasi-Newton and Newton differ by %.1e m, one "
               "linearisation by %.1e m\n",
               m, moved, worst, single);
        CHECK(worst < 1e-6 * moved);
        CHECK(single < 0.1 * moved);
        for (int b = 0; b < 3; b++)
            freeBody(bodies[b]);
    }
}

// Saving, restoring and going on gives the same bits; so do all instruction sets.
static uint64_t runHash(const snCellKernels *unused, int restart)
{
    (void)unused;
    snLatticeModelDef def = snDefaultLatticeModelDef();
    Body body = blockBody(def, true, true);
    snAffine t = snIdentityAffine();
    setRig(&body, t);
    snLatticeState_Start(body.model, body.state, body.rig, NULL);
    void *saved = malloc(body.state->blockSize);
    for (int k = 0; k < 60; k++) {
        if (k == restart) {
            snLatticeState_Save(body.state, saved);
            shake(&body, body.state->position, 1, 5);
            snLatticeState_ElasticEnergy(body.model, body.state, 0);
            snLatticeState_Restore(body.state, saved);
        }
        t.linear = snQuatToMat(snQuatFromAxisAngle(snVec(0, 1, 0), 0.5 * snSin(0.3 * k)));
        setRig(&body, t);
        snLattice_Step(body.model, body.state, &(snLatticeDrive){.rig = body.rig});
        snLatticeState_ElasticEnergy(body.model, body.state, 0); // looking changes nothing
    }
    uint64_t hash = snLatticeState_Hash(body.state);
    free(saved);
    freeBody(&body);
    return hash;
}

static void saveAndRestore(void)
{
    uint64_t straight = runHash(NULL, -1);
    CHECK(straight == runHash(NULL, 20));
    printf("state hash %016llx\n", (unsigned long long)straight);
}

extern const snCellKernels snCellKernels_base;
extern const snVectorKernels snVectorKernels_base;
#if defined(__x86_64__)
extern const snCellKernels snCellKernels_avx2, snCellKernels_avx512;
extern const snVectorKernels snVectorKernels_avx2, snVectorKernels_avx512;
#endif

static void allInstructionSetsAgree(void)
{
    const snCellKernels *sets[3] = {&snCellKernels_base};
    const snVectorKernels *vectors[3] = {&snVectorKernels_base};
    int count = 1;
#if defined(__x86_64__)
    if (snDetectCpu() >= SN_CPU_AVX2)
        sets[count] = &snCellKernels_avx2, vectors[count++] = &snVectorKernels_avx2;
    if (snDetectCpu() >= SN_CPU_AVX512)
        sets[count] = &snCellKernels_avx512, vectors[count++] = &snVectorKernels_avx512;
#endif
    snLatticeModelDef def = snDefaultLatticeModelDef();
    Body body = blockBody(def, true, false);
    setRig(&body, snIdentityAffine());
    int n = body.model->freeCount * 4;
    double *first = constants(n, 0, &body.arena), *other = constants(n, 0, &body.arena), value = 0;
    for (int s = 0; s < count; s++) {
        snLatticeState_Start(body.model, body.state, body.rig, NULL);
        memcpy(body.state->next, body.state->position, (size_t)n * sizeof(double));
        memset(body.state->target, 0, (size_t)n * sizeof(double));
        shake(&body, body.state->next, 0.6, 8); // some cells inverted
        double now = objective(&body, sets[s], vectors[s], s ? other : first);
        double square;
        vectors[s]->dot(body.state, n / 4, first, first, &square);
        now += square;
        if (s == 0) value = now;
        CHECK(now == value);
        if (s) CHECK(!memcmp(first, other, (size_t)n * sizeof(double)));
    }
    // The rig, against what it is said to be.
    int all = 4 * body.model->vertexCount;
    const snWeightRows *skin = &body.model->skin;
    double *rigs[2] = {constants(all, 0, &body.arena), constants(all, 0, &body.arena)};
    snAffine joint = {snQuatToMat(snQuatFromAxisAngle(snVec(0, 0.6, 0.8), 0.7)), {0.3, -2, 0.1}};
    for (int i = 0; i < body.model->vertexCount; i++) {
        snVec3 sum = {0, 0, 0}, rest = body.model->rest[i];
        for (int k = skin->start[i]; k < skin->start[i + 1]; k++)
            sum = snMulAdd(sum, skin->weight[k], snMulAP(joint, rest));
        if (skin->start[i] == skin->start[i + 1]) sum = rest;
        memcpy(rigs[0] + 4 * i, &sum, sizeof sum);
    }
    for (int s = 0; s < count; s++) {
        vectors[s]->rig(body.model, &joint, rigs[1]);
        CHECK(!memcmp(rigs[0], rigs[1], (size_t)all * sizeof(double)));
    }
    printf("%d instruction sets agree\n", count);
    freeBody(&body);
}

// The rig of lane l at step k: each its own way, the last one violently enough to need halved steps.
static snAffine laneMotion(int lane, int k)
{
    double speed = lane == 7 ? 2.6 : 0.1 + 0.05 * lane;
    snVec3 axis = snNormalizeOr(snVec(lane - 3, 1, 0.3 * lane), snVec(0, 1, 0));
    snAffine t = {snQuatToMat(snQuatFromAxisAngle(axis, snSin(speed * k) * (0.3 + 0.2 * lane))),
                  {0.1 * lane * k, snCos(0.2 * k * lane), 0}};
    if (lane == 7 && k % 5 == 0) t.linear = snMulMM(t.linear, snDiagonal3(-1, 1, 0.3));
    return t;
}

// Sixteen bodies in one batch move by the same bits as each of them alone.
static void batchesAgreeWithSingles(void)
{
    enum { LANES = 16, STEPS = 40 };
    snLatticeModelDef def = snDefaultLatticeModelDef();
    Body body = blockBody(def, true, true);
    snLatticeState *batch;
    int n = body.model->vertexCount;
    CHECK(snLatticeState_Make(&batch, body.model, 12, &body.context, NULL) == SN_ERROR_ARGUMENT);
    CHECK(snLatticeState_Make(&batch, body.model, LANES, &body.context, NULL) == SN_OK);
    double *rigs = constants(n * batch->width, 0, &body.arena);
    for (int k = 0; k <= STEPS; k++) {
        for (int l = 0; l < LANES; l++) {
            setRig(&body, laneMotion(l % 8, k));
            for (int i = 0; i < n * 3; i++)
                rigs[snLatticeState_At(batch, i / 3, i % 3, l)] = body.rig[i / 3 * 4 + i % 3];
        }
        if (k == 0)
            snLatticeState_Start(body.model, batch, rigs, NULL);
        else
            CHECK(snLattice_Step(body.model, batch, &(snLatticeDrive){.rig = rigs}));
    }
    printf("a batch of %d needed %lld halved steps\n", LANES, (long long)batch->backtracks);
    CHECK(batch->backtracks > 0);
    for (int l = 0; l < LANES; l++) {
        for (int k = 0; k <= STEPS; k++) {
            setRig(&body, laneMotion(l % 8, k));
            if (k == 0)
                snLatticeState_Start(body.model, body.state, body.rig, NULL);
            else
                snLattice_Step(body.model, body.state, &(snLatticeDrive){.rig = body.rig});
        }
        int different = 0;
        for (int i = 0; i < n * 3; i++) {
            size_t b = snLatticeState_At(batch, i / 3, i % 3, l), s = (size_t)(i / 3 * 4 + i % 3);
            different += batch->position[b] != body.state->position[s] ||
                         batch->velocity[b] != body.state->velocity[s];
        }
        CHECK(different == 0);
        CHECK(snLatticeState_KineticEnergy(body.model, batch, l) ==
              snLatticeState_KineticEnergy(body.model, body.state, 0));
    }
    snLatticeState_Destroy(batch);
    freeBody(&body);
}

static void badDefinitionsAreRefused(void)
{
    Body body = newBody(snDefaultContext());
    body.lattice = makeBlock(BLOCK_TETS, 1, 1, 1, snVec(1, 1, 1), &body.arena);
    double *young = constants(body.lattice.cellCount, 1e5, &body.arena);
    for (int k = 0; k < 5; k++) {
        snLatticeModelDef def = snDefaultLatticeModelDef();
        def.lattice = &body.lattice;
        def.young = young;
        if (k == 0) def.poisson = 0.5;
        if (k == 1) def.density = 0;
        if (k == 2) def.step = -1;
        if (k == 3) def.iterations = -1;
        if (k == 4) young[2] = NAN;
        snError error;
        CHECK(snLatticeModel_Build(&body.model, &def, &body.context, &error) == SN_ERROR_ARGUMENT);
        CHECK(body.model == NULL);
    }
    snArena_Destroy(&body.arena);
}

int main(void)
{
    RUN(restStaysAtRest);
    RUN(freeFall);
    RUN(rigidMotionDeformsNothing);
    RUN(turnHasNoEnergy);
    RUN(gradientIsExact);
    RUN(momentumAndEnergy);
    RUN(settlesOnTheRig);
    RUN(invertedAndBadRigs);
    RUN(survivesJumps);
    RUN(newtonAgrees);
    RUN(saveAndRestore);
    RUN(allInstructionSetsAgree);
    RUN(batchesAgreeWithSingles);
    RUN(badDefinitionsAreRefused);
    return snTest_Finish();
}
