// Points held by Lagrange multipliers and MINRES, with Baumgarte's stabilisation, against projection.
#include "tests/test.h"

#include "body/lattice/newton.h"
#include "body/lattice/point.h"
#include "tests/body/lattice/spaces.h"

#define POINTS 3

static const snVec3 nails[POINTS] = {{0.03, 0.2, 0.1}, {0.9, 0.3, 0.38}, {0.4, 0.48, 0.2}};

typedef struct Held {
    Body *body;
    snPointConstraints *points;
    int handle[POINTS];
} Held;

static snLatticeModelDef newtonDef(int iterations)
{
    snLatticeModelDef def = freeDef();
    def.solver = SN_SOLVER_NEWTON;
    def.iterations = iterations;
    def.gravity = snVec(0, 0, -9.81);
    return def;
}

static Held hold(Body *body, snPointConstraintsDef def, int count)
{
    Held held = {.body = body};
    snError error = {0};
    def.model = body->model;
    def.capacity = 8;
    CHECK(snPointConstraints_Make(&held.points, &def, &body->context, &error) == SN_OK);
    for (int k = 0; k < count; k++)
        CHECK(snPointConstraints_Attach(held.points, "nail", nails[k], &held.handle[k], &error) ==
              SN_OK);
    return held;
}

static void freeHeld(Held *held)
{
    snPointConstraints_Destroy(held->points);
    freeBody(held->body);
}

static void stepHeld(Held *held)
{
    CHECK(snLattice_Step(held->body->model, held->body->state,
                         &(snLatticeDrive){.rig = held->body->rig, .points = held->points}));
}

static snVec3 missOf(const Held *held, int k)
{
    return snPointConstraints_Residual(held->points,
                                       snLatticeState_Values(held->body->model, held->body->state),
                                       held->handle[k], 0);
}

// Solved out, both ways end at the same constrained minimum.
static void multipliersAreTheProjection(void)
{
    Held held[2];
    for (int b = 0; b < 2; b++) {
        snLatticeModelDef def = newtonDef(10);
        def.tolerance = 1e-13;
        snPointConstraintsDef points = snDefaultPointConstraintsDef();
        points.method = b ? SN_POINTS_MULTIPLIERS : SN_POINTS_PROJECTED;
        held[b] = hold(gridBody(def, 1, 2), points, POINTS);
        shakeCoefficients(held[b].body, held[b].body->state->coefficientVelocity, 1, 5);
        pushVelocity(held[b].body);
    }
    double apart = 0, miss = 0;
    for (int n = 0; n < 12; n++) {
        for (int b = 0; b < 2; b++) {
            snVec3 up = snAdd(nails[1], snVec(0.001 * n, 0, 0.003 * n));
            CHECK(snPointConstraints_Move(held[b].points, held[b].handle[1], 0, up, NULL) == SN_OK);
            stepHeld(&held[b]);
            for (int k = 0; k < POINTS; k++)
                miss = fmax(miss, snLength(missOf(&held[b], k)));
        }
        for (int i = 0; i < held[0].body->model->vertexCount; i++)
            apart = fmax(apart, snDistance(snRow(held[0].body->state->position, i),
                                           snRow(held[1].body->state->position, i)));
    }
    printf("multipliers and projection: %.1e m apart, points missed by %.1e m\n", apart, miss);
    CHECK(apart < 1e-9);
    CHECK(miss < 1e-11);
    freeHeld(&held[0]);
    freeHeld(&held[1]);
}

// The same for vertices that are free, some of them known.
static void knownVerticesToo(void)
{
    Body *bodies[2];
    double apart = 0;
    Held held[2];
    for (int b = 0; b < 2; b++) {
        Body *body = bodies[b] = newBody();
        body->lattice = makeBlock(BLOCK_TETS, 4, 2, 2, snVec(1, 0.5, 0.4), &body->arena);
        body->quadrature = quadratureOf(&body->lattice, &body->arena, &body->context);
        snLatticeModelDef def = newtonDef(10);
        unsigned char known[128] = {0};
        for (int v = 0; v < body->lattice.vertexCount; v++)
            known[v] = body->lattice.rest[v].x == 0;
        def.known = known;
        def.tolerance = 1e-13;
        mustBuild(body, def);
        snPointConstraintsDef points = snDefaultPointConstraintsDef();
        points.method = b ? SN_POINTS_MULTIPLIERS : SN_POINTS_PROJECTED;
        held[b] = hold(body, points, POINTS);
        for (int n = 0; n < 20; n++)
            stepHeld(&held[b]);
    }
    for (int i = 0; i < bodies[0]->model->vertexCount; i++)
        apart = fmax(apart, snDistance(snRow(bodies[0]->state->position, i),
                                       snRow(bodies[1]->state->position, i)));
    printf("with known vertices: %.1e m apart\n", apart);
    CHECK(apart < 1e-9);
    freeHeld(&held[0]);
    freeHeld(&held[1]);
}

// A point that is 0.1 m off its target comes to it by C' (1 + αh + βh²) = C (1 + αh) + h Ċ, whichever way.
static void baumgarteIsItsRecurrence(void)
{
    for (int method = 0; method < 2; method++) {
        snPointConstraintsDef def = snDefaultPointConstraintsDef();
        snLatticeModelDef model = newtonDef(3);
        double tau = 0.05, h = model.step, c = -0.1, rate = 0, worst = 0;
        model.tolerance = 1e-12;
        def.method = method ? SN_POINTS_MULTIPLIERS : SN_POINTS_PROJECTED;
        def.alpha = 2 / tau;
        def.beta = 1 / (tau * tau);
        Held held = hold(gridBody(model, 1, 1), def, POINTS);
        snVec3 up = snAdd(nails[1], snVec(0, 0, 0.1));
        CHECK(snPointConstraints_Move(held.points, held.handle[1], 0, up, NULL) == SN_OK);
        for (int n = 0; n < 120; n++) {
            double next =
                (c * (1 + def.alpha * h) + h * rate) / (1 + def.alpha * h + def.beta * h * h);
            rate = (next - c) / h;
            c = next;
            stepHeld(&held);
            worst = fmax(worst, fabs(missOf(&held, 1).z - c));
        }
        printf("Baumgarte: off its recurrence by %.1e m; %.1e m left after a second\n", worst,
               fabs(c));
        CHECK(worst < 1e-9);
        CHECK(fabs(c) < 1e-6);
        freeHeld(&held);
    }
}

// Ten thousand steps of one Newton iteration, linear systems solved to 1e-6: points stay.
static void constraintsDoNotDrift(void)
{
    double worst[3];
    int64_t iterations = 0;
    for (int kind = 0; kind < 3; kind++) {
        snPointConstraintsDef def = snDefaultPointConstraintsDef();
        snLatticeModelDef model = newtonDef(1);
        double tau = 0.05;
        def.method = SN_POINTS_MULTIPLIERS;
        def.alpha = kind == 0 ? 2 / tau : kind == 1 ? 1e-9 : 0; // 1: C̈ = 0, not stabilised
        def.beta = kind == 0 ? 1 / (tau * tau) : 0;
        model.stiffnessDamping = 0;
        Held held = hold(gridBody(model, 1, 1), def, POINTS);
        shakeCoefficients(held.body, held.body->state->coefficientVelocity, 1, 5);
        snPointConstraints_Begin(held.points, held.body->state, held.body->rig);
        snPointConstraints_Project(held.points, held.body->state->coefficientVelocity); // Ċ = 0
        pushVelocity(held.body);
        int steps = kind == 0 ? 10000 : 1000;
        double size = snLength(snVec(1, 0.5, 0.4));
        worst[kind] = 0;
        for (int n = 0; n < steps; n++) {
            if (n % 500 == 0) { // shaken ever again
                shakeCoefficients(held.body, held.body->state->coefficientVelocity, 1, (uint64_t)n);
                snPointConstraints_Project(held.points, held.body->state->coefficientVelocity);
                pushVelocity(held.body);
            }
            stepHeld(&held);
            for (int k = 0; k < POINTS; k++)
                worst[kind] = fmax(worst[kind], snLength(missOf(&held, k)) / size);
        }
        if (kind == 0) iterations = held.points->multipliers->iterations / steps;
        freeHeld(&held);
    }
    printf("drift: stabilised %.1e of the size in 10,000 steps; in 1,000 with targets met %.1e, "
           "without "
           "either %.1e; %d iterations of MINRES a step\n",
           worst[0], worst[2], worst[1], (int)iterations);
    CHECK(worst[0] < 1e-6);
    CHECK(worst[2] < 1e-6);
}

// Two that contradict each other are named, one of them yields (or both, by half), and nothing is NaN.
static void contradictionsAreNamed(void)
{
    for (int squares = 0; squares < 2; squares++) {
        snPointConstraintsDef def = snDefaultPointConstraintsDef();
        def.method = SN_POINTS_MULTIPLIERS;
        def.leastSquares = squares == 1;
        Held held = hold(gridBody(newtonDef(2), 1, 1), def, 1);
        int other, same;
        snVec3 up = snAdd(nails[0], snVec(0, 0, 0.02));
        CHECK(snPointConstraints_Attach(held.points, "other", nails[0], &other, NULL) == SN_OK);
        CHECK(snPointConstraints_Attach(held.points, "same", nails[0], &same, NULL) == SN_OK);
        CHECK(snPointConstraints_Move(held.points, other, 0, up, NULL) == SN_OK);
        for (int n = 0; n < 50; n++)
            stepHeld(&held);
        snConstraintReport report = snConstraintSet_Report(held.points->set, 1);
        int partner = -1;
        snConstraintSet_Partners(held.points->set, other, 1, &partner);
        printf("%s\n", report.message.message);
        CHECK(report.state == SN_CONSTRAINT_CONFLICTING && !strcmp(report.name, "other"));
        CHECK(partner == held.handle[0]);
        CHECK(strstr(report.message.message, "nail") != NULL);
        if (!squares)
            CHECK(snConstraintSet_Report(held.points->set, 2).state == SN_CONSTRAINT_REDUNDANT);
        CHECK(isfinite(missOf(&held, 0).z));
        CHECK_NEAR(missOf(&held, 0).z, squares ? 0.02 / 3 : 0, 1e-6);
        for (int k = 0; k < held.body->model->vertexCount * 4; k++)
            CHECK(isfinite(held.body->state->position[k]));
        freeHeld(&held);
    }
}

static void savedAndRestored(void)
{
    snPointConstraintsDef def = snDefaultPointConstraintsDef();
    def.method = SN_POINTS_MULTIPLIERS;
    def.alpha = 40;
    def.beta = 400;
    Held held = hold(gridBody(newtonDef(1), 1, 1), def, POINTS);
    snLatticeState *state = held.body->state;
    char *bytes = malloc(state->blockSize);
    char *points = malloc(snPointConstraints_SaveSize(held.points));
    uint64_t hash[2];
    for (int round = 0; round < 2; round++) {
        for (int n = 0; n < 20; n++) {
            if (n == 8 && round == 0) {
                snLatticeState_Save(state, bytes);
                snPointConstraints_Save(held.points, points);
            }
            if (n == 8 && round == 1) {
                snLatticeState_Restore(state, bytes);
                CHECK(snPointConstraints_Restore(held.points, points, NULL) == SN_OK);
            }
            snVec3 to = snAdd(nails[2], snVec(0.01 * n, 0, 0));
            CHECK(snPointConstraints_Move(held.points, held.handle[2], 0, to, NULL) == SN_OK);
            stepHeld(&held);
        }
        hash[round] = snLatticeState_Hash(state);
    }
    CHECK(hash[0] == hash[1]);
    free(bytes);
    free(points);
    freeHeld(&held);
}

static void badDefinitionsAreRefused(void)
{
    Body *body = gridBody(freeDef(), 1, 1); // projective
    snPointConstraintsDef def = snDefaultPointConstraintsDef();
    snPointConstraints *points;
    snError error;
    def.model = body->model;
    def.method = SN_POINTS_MULTIPLIERS;
    CHECK(snPointConstraints_Make(&points, &def, &body->context, &error) == SN_ERROR_UNSUPPORTED);
    def.method = SN_POINTS_PROJECTED;
    def.alpha = -1;
    CHECK(snPointConstraints_Make(&points, &def, &body->context, &error) == SN_ERROR_ARGUMENT);
    def.alpha = 1;
    def.beta = NAN;
    CHECK(snPointConstraints_Make(&points, &def, &body->context, &error) == SN_ERROR_ARGUMENT);
    freeBody(body);
    body = gridBody(newtonDef(1), 1, 1);
    def = snDefaultPointConstraintsDef();
    def.model = body->model;
    def.method = SN_POINTS_MULTIPLIERS;
    def.alpha = 1;
    for (int failAt = 1;; failAt++) {
        snContext context = body->context;
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snStatus status = snPointConstraints_Make(&points, &def, &context, NULL);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        snPointConstraints_Destroy(points);
        CHECK(memory.alive == 0);
        if (!status) break;
    }
    freeBody(body);
}

int main(void)
{
    RUN(multipliersAreTheProjection);
    RUN(knownVerticesToo);
    RUN(baumgarteIsItsRecurrence);
    RUN(constraintsDoNotDrift);
    RUN(contradictionsAreNamed);
    RUN(savedAndRestored);
    RUN(badDefinitionsAreRefused);
    return snTest_Finish();
}
