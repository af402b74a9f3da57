// A body made stiffer while it moves: on a rung it is the body built so stiff, to the bit; between rungs it ends in
// the same place; its energy grows with the factor and its frequency with the root of it.
#include "body/lattice/ladder.h"

#include "body/lattice/turned.h"
#include "core/core.h"
#include "core/elementary.h"
#include "tests/body/lattice/blocks.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

#define YOUNG 2e4
#define STEPS 40

// A bar of tets, held at one end.
typedef struct Bar {
    snContext context;
    snArena arena;
    snLattice lattice;
    snQuadrature quadrature;
    snLatticeModelDef def;
    snLatticeModel *model;
    snLatticeState *state;
    double *rig;
} Bar;

static bool makeBar(Bar *b, snLatticeModelDef def, double factor)
{
    *b = (Bar){.context = snDefaultContext()};
    b->arena = snMakeArena(&b->context);
    b->lattice = makeBlock(BLOCK_TETS, 6, 1, 1, snVec(1.8, 0.25, 0.25), &b->arena);
    int n = b->lattice.vertexCount;
    snWeightRows *skin = SN_NEW(&b->arena, snWeightRows, 1);
    *skin = skinOfOne(n, &b->arena);
    b->quadrature = quadratureOf(&b->lattice, &b->arena, &b->context);
    def.lattice = &b->lattice;
    def.quadrature = &b->quadrature;
    def.skin = skin;
    def.known = heldUpTo(&b->lattice, 0, &b->arena);
    def.young = constants(b->lattice.cellCount, YOUNG * factor, &b->arena);
    b->def = def;
    snError error = {0};
    if (!CHECK(!snLatticeModel_Build(&b->model, &def, &b->context, &error))) {
        printf("    %s\n", error.message);
        return false;
    }
    CHECK(!snLatticeState_Make(&b->state, b->model, 1, &b->context, NULL));
    b->rig = SN_NEW(&b->arena, double, 4 * b->model->vertexCount);
    return true;
}

static void freeBar(Bar *b)
{
    snLatticeState_Destroy(b->state);
    snLatticeModel_Destroy(b->model);
    snArena_Destroy(&b->arena);
}

// The held end is swung about and moved.
static void setRig(Bar *b, int step)
{
    double t = step / 60.0, angle = 0.6 * snSin(7 * t);
    snAffine move = {snQuatToMat((snQuat){0, 0, snSin(angle / 2), snCos(angle / 2)}),
                     snVec(0.2 * snSin(11 * t), 0, 0.1 * snSin(5 * t))};
    snLatticeModel_Rig(b->model, &move, b->rig);
}

static void play(Bar *b, const snLadder *ladder, double factor)
{
    setRig(b, 0);
    snLatticeState_Start(b->model, b->state, b->rig, NULL);
    for (int k = 1; k <= STEPS; k++) {
        setRig(b, k);
        snLatticeDrive drive = {.rig = b->rig, .stiffness = factor, .ladder = ladder};
        CHECK(snLattice_Step(b->model, b->state, &drive));
    }
}

static double apart(const Bar *a, const Bar *b)
{
    double worst = 0;
    for (int k = 0; k < 4 * a->model->vertexCount; k++)
        worst = fmax(worst, fabs(a->state->position[k] - b->state->position[k]));
    return worst;
}

static snLatticeModelDef withSolver(snSolver solver, snPrecision precision, snMatrix matrix)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.solver = solver;
    def.precision = precision;
    def.matrix = matrix;
    if (solver == SN_SOLVER_NEWTON) def.iterations = 3;
    return def;
}

static void onARungItIsTheBodyBuiltSo(void)
{
    static const struct {
        const char *name;
        snSolver solver;
        snPrecision precision;
        snMatrix matrix;
    } ways[] = {{"double", SN_SOLVER_PROJECTIVE, SN_PRECISION_DOUBLE, SN_MATRIX_SCALAR},
                {"single", SN_SOLVER_PROJECTIVE, SN_PRECISION_SINGLE, SN_MATRIX_SCALAR},
                {"turned", SN_SOLVER_PROJECTIVE, SN_PRECISION_SINGLE, SN_MATRIX_TURNED},
                {"newton", SN_SOLVER_NEWTON, SN_PRECISION_DOUBLE, SN_MATRIX_SCALAR},
                {"linear", SN_SOLVER_LINEAR, SN_PRECISION_DOUBLE, SN_MATRIX_SCALAR}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (double factor = 0.25; factor <= 4; factor *= 16) {
            Bar scaled, built;
            snLadder *ladder = NULL;
            snLatticeModelDef def = withSolver(ways[i].solver, ways[i].precision, ways[i].matrix);
            if (!makeBar(&scaled, def, 1) || !makeBar(&built, def, factor)) return;
            CHECK(!snLadder_Build(&ladder, scaled.model, &scaled.def, 0.25, 4, &scaled.context,
                                  NULL));
            play(&scaled, ladder, factor);
            play(&built, NULL, 0);
            size_t bytes = 4 * (size_t)built.model->vertexCount * sizeof(double);
            if (!CHECK(!memcmp(scaled.state->position, built.state->position, bytes)))
                printf("    %s, %g: apart by %g\n", ways[i].name, factor, apart(&scaled, &built));
            CHECK(scaled.state->stiffness == 1);
            snLadder_Destroy(ladder);
            freeBar(&scaled);
            freeBar(&built);
        }
}

// Solved out, any factor is as good as built; also from the base alone, whose matrix is off by far.
static void betweenRungsItEndsInTheSamePlace(void)
{
    static const double factors[] = {0.3, 0.84, 1.19, 1.3, 3.3};
    for (int i = 0; i < 5; i++) {
        snLatticeModelDef def =
            withSolver(SN_SOLVER_PROJECTIVE, SN_PRECISION_DOUBLE, SN_MATRIX_SCALAR);
        def.iterations = 60;
        Bar scaled, base, built, few;
        snLadder *ladder = NULL;
        if (!makeBar(&scaled, def, 1) || !makeBar(&base, def, 1) ||
            !makeBar(&built, def, factors[i]))
            return;
        CHECK(!snLadder_Build(&ladder, scaled.model, &scaled.def, 0.3, 3.3, &scaled.context, NULL));
        play(&scaled, ladder, factors[i]);
        play(&base, NULL, factors[i]);
        play(&built, NULL, 0);
        CHECK(scaled.state->stiffness > 0.84 && scaled.state->stiffness < 1.19);
        CHECK(apart(&scaled, &built) < 1e-9 && apart(&base, &built) < 1e-9);
        def.iterations = 3; // and with few iterations the nearest rung costs next to nothing
        double rung, own;
        if (!makeBar(&few, def, factors[i])) return;
        play(&few, NULL, 0);
        own = apart(&few, &built);
        freeBar(&few);
        freeBar(&scaled);
        snLadder_Destroy(ladder);
        if (!makeBar(&scaled, def, 1)) return;
        CHECK(!snLadder_Build(&ladder, scaled.model, &scaled.def, 0.3, 3.3, &scaled.context, NULL));
        play(&scaled, ladder, factors[i]);
        rung = apart(&scaled, &built);
        printf("    %.2f times as stiff: off by %.1e m after three iterations, built so %.1e m\n",
               factors[i], rung, own);
        CHECK(rung < 2 * own + 1e-6);
        snLadder_Destroy(ladder);
        freeBar(&scaled);
        freeBar(&base);
        freeBar(&built);
    }
}

static void energyGrowsWithTheFactor(void)
{
    Bar a;
    if (!makeBar(&a, snDefaultLatticeModelDef(), 1)) return;
    setRig(&a, 0);
    snLatticeState_Start(a.model, a.state, a.rig, NULL);
    for (int i = 0; i < a.model->freeCount; i++)
        a.state->position[4 * i + 1] += 0.1 * a.state->position[4 * i];
    double one = snLatticeState_ElasticEnergy(a.model, a.state, 0);
    a.state->stiffness = 3;
    CHECK_NEAR(snLatticeState_ElasticEnergy(a.model, a.state, 0), 3 * one, 1e-12 * one);
    freeBar(&a);
}

// Without damping a step is the minimum of ½ m |y - x - h v|² + h² s V ψ: s times as stiff, in steps of h / √s and from
// √s times the velocity, the body takes the same places. So all its frequencies are √s times what they were.
static void frequencyGrowsWithTheRoot(void)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.massDamping = def.stiffnessDamping = 0;
    def.iterations = 20;
    for (double factor = 0.25; factor <= 5; factor = factor < 1 ? 4 : factor + 1) {
        Bar one, stiff;
        snLadder *ladder = NULL;
        double root = sqrt(factor);
        snLatticeModelDef quick = def;
        quick.step /= root;
        if (!makeBar(&one, def, 1) || !makeBar(&stiff, quick, 1)) return;
        CHECK(!snLadder_Build(&ladder, stiff.model, &stiff.def, 0.25, 5, &stiff.context, NULL));
        Bar *both[2] = {&one, &stiff};
        for (int b = 0; b < 2; b++) {
            snLatticeState *state = both[b]->state;
            setRig(both[b], 0);
            snLatticeState_Start(both[b]->model, state, both[b]->rig, NULL);
            for (int i = 0; i < one.model->freeCount; i++)
                state->velocity[4 * i + 1] = 3 * (b ? root : 1) * state->position[4 * i];
            for (int k = 0; k < 100; k++) {
                snLatticeDrive drive = {
                    .rig = both[b]->rig, .stiffness = b ? factor : 1, .ladder = b ? ladder : NULL};
                CHECK(snLattice_Step(both[b]->model, state, &drive));
            }
        }
        CHECK(apart(&one, &stiff) < 1e-7);
        snLadder_Destroy(ladder);
        freeBar(&one);
        freeBar(&stiff);
    }
}

// A second matrix over some vertices is over the same ones on every rung: states fit.
static void secondMatrixOverTheSameVertices(void)
{
    snLatticeModelDef def = withSolver(SN_SOLVER_PROJECTIVE, SN_PRECISION_SINGLE, SN_MATRIX_AUTO);
    def.density = 1; // so that the scalar one is far too stiff
    Bar b, built;
    snLadder *ladder = NULL;
    if (!makeBar(&b, def, 1) || !makeBar(&built, def, 1)) return;
    CHECK(!snLadder_Build(&ladder, b.model, &b.def, 0.01, 8, &b.context, NULL));
    CHECK(b.model->turned != NULL);
    for (int i = 0; i < ladder->count && b.model->turned; i++) {
        const snLatticeModel *model = ladder->models[i] ? ladder->models[i] : b.model;
        CHECK(model->turned && model->turned->count == b.model->turned->count);
    }
    for (double factor = 0.01; factor < 8; factor *= 3) {
        play(&b, ladder, factor);
        CHECK(b.state->resets == 0);
    }
    play(&b, ladder, 1);
    play(&built, NULL, 0);
    CHECK(apart(&b, &built) == 0);
    snLadder_Destroy(ladder);
    freeBar(&built);
    freeBar(&b);
}

static void rungs(void)
{
    Bar b;
    snLadder *ladder = NULL;
    double rest;
    if (!makeBar(&b, snDefaultLatticeModelDef(), 1)) return;
    CHECK(!snLadder_Build(&ladder, b.model, &b.def, 1, 1, &b.context, NULL));
    CHECK(ladder->count == 1 && snLadder_At(ladder, 1, &rest) == b.model && rest == 1);
    CHECK(snLadder_At(ladder, 100, &rest) == b.model && rest == 100); // beyond it: the last
    snLadder_Destroy(ladder);
    CHECK(!snLadder_Build(&ladder, b.model, &b.def, 2, 8, &b.context, NULL));
    CHECK(ladder->count == 5 && snLadder_At(ladder, 4, &rest) == ladder->models[2] && rest == 1);
    CHECK(snLadder_At(ladder, 4.5, &rest) == ladder->models[2]);
    CHECK_NEAR(rest, 1.125, 1e-15);
    snLadder_Destroy(ladder);
    freeBar(&b);
}

static void wrongLadders(void)
{
    static const double wrong[][2] = {{0, 1},  {2, 1},           {1, 1e9},
                                      {-1, 1}, {1, (double)NAN}, {(double)NAN, 1}};
    Bar b;
    snLadder *ladder;
    if (!makeBar(&b, snDefaultLatticeModelDef(), 1)) return;
    for (int i = 0; i < 6; i++)
        CHECK(snLadder_Build(&ladder, b.model, &b.def, wrong[i][0], wrong[i][1], &b.context,
                             NULL) == SN_ERROR_ARGUMENT &&
              !ladder);
    for (int failAt = 1; failAt < 400; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snStatus status = snLadder_Build(&ladder, b.model, &b.def, 0.7, 1.5, &context, NULL);
        if (!status) snLadder_Destroy(ladder);
        CHECK(memory.alive == 0);
        if (!status) break;
        CHECK(status == SN_ERROR_MEMORY);
    }
    freeBar(&b);
}

// Nothing is kept of a body that is switched off: it is on its rig, moving with it, and goes on from there.
static void switchedOff(void)
{
    Bar b;
    if (!makeBar(&b, snDefaultLatticeModelDef(), 1)) return;
    double *off = SN_NEW(&b.arena, double, b.model->vertexCount);
    setRig(&b, 0);
    snLatticeState_Start(b.model, b.state, b.rig, NULL);
    for (int k = 1; k <= 20; k++) {
        setRig(&b, k);
        snLatticeDrive drive = {.rig = b.rig, .share = k > 5 ? off : NULL};
        CHECK(snLattice_Step(b.model, b.state, &drive));
    }
    CHECK(!memcmp(b.state->position, b.rig, 4 * (size_t)b.model->vertexCount * sizeof(double)));
    CHECK(b.state->steps == 20);
    snLatticeDrive drive = {.rig = b.rig};
    double most = 0;
    for (int i = 0; i < b.model->freeCount; i++) // the rig stops: what had its velocity swings on
        most = fmax(most, fabs(b.state->velocity[4 * i] - b.state->rigVelocity[4 * i]));
    CHECK(most == 0);
    CHECK(snLattice_Step(b.model, b.state, &drive));
    freeBar(&b);
}

int main(void)
{
    RUN(rungs);
    RUN(onARungItIsTheBodyBuiltSo);
    RUN(secondMatrixOverTheSameVertices);
    RUN(betweenRungsItEndsInTheSamePlace);
    RUN(energyGrowsWithTheFactor);
    RUN(frequencyGrowsWithTheRoot);
    RUN(wrongLadders);
    RUN(switchedOff);
    return snTest_Finish();
}
