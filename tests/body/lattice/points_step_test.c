// A hundred points put in place while a body moves, under every solver: added, moved and released at
// any step, redundant ones among them, all met, nothing factored again.
#include "tests/test.h"

#include "body/lattice/point.h"
#include "body/lattice/step.h"
#include "core/core.h"
#include "tests/body/lattice/blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 100

typedef struct Body {
    snContext context;
    snArena arena;
    snLattice lattice;
    snQuadrature quadrature;
    snLatticeModel *model;
    snLatticeState *state;
    double *rig;
    snAffine joint;
} Body;

static void build(Body *body, snLatticeModelDef def)
{
    *body = (Body){.context = snDefaultContext(), .joint = snIdentityAffine()};
    snArena *arena = &body->arena;
    *arena = snMakeArena(&body->context);
    body->lattice = makeBlock(BLOCK_TETS, 6, 2, 2, snVec(1.2, 0.4, 0.4), arena);
    int n = body->lattice.vertexCount;
    snWeightRows skin = skinOfOne(n, arena);
    body->quadrature = quadratureOf(&body->lattice, arena, &body->context);
    def.lattice = &body->lattice;
    def.quadrature = &body->quadrature;
    def.skin = &skin;
    def.known = heldUpTo(&body->lattice, 0, arena);
    def.young = constants(body->lattice.cellCount, 1e5, arena);
    snError error = {0};
    if (!CHECK(snLatticeModel_Build(&body->model, &def, &body->context, &error) == SN_OK)) {
        printf("%s\n", error.message);
        exit(1);
    }
    CHECK(snLatticeState_Make(&body->state, body->model, 1, &body->context, NULL) == SN_OK);
    body->rig = SN_NEW(arena, double, n * 4);
    snLatticeModel_Rig(body->model, &body->joint, body->rig);
    snLatticeState_Start(body->model, body->state, body->rig, NULL);
}

static void freeBody(Body *body)
{
    snLatticeState_Destroy(body->state);
    snLatticeModel_Destroy(body->model);
    snArena_Destroy(&body->arena);
}

// A shape of all vertices at a time, the bones at the rig: any set of points can be in it at once.
static snVec3 shapeAt(const Body *body, int vertex, double t)
{
    snVec3 r = body->lattice.rest[vertex];
    double x = r.x;
    snVec3 bend = {0.05 * x * x * snSin(3 * t), 0.15 * x * x * snSin(5 * t + 1),
                   0.1 * x * x * snCos(4 * t)};
    return snMulAP(body->joint, snAdd(r, bend));
}

typedef struct Held {
    int handle; // -1: not attached
    int cell;
    double weight[SN_CELL_CORNERS];
} Held;

static snVec3 targetOf(const Body *body, const Held *held, double t)
{
    snVec3 sum = {0, 0, 0};
    for (int k = 0; k < 4; k++)
        sum = snMulAdd(sum, held->weight[k],
                       shapeAt(body, snLattice_Corners(&body->lattice, held->cell)[k], t));
    return sum;
}

static void attachAtRandom(Body *body, snPointConstraints *points, Held *held, snRandom *random,
                           int number)
{
    double sum = 0, w[4];
    char name[16];
    snVec3 place = {0, 0, 0};
    held->cell = (int)snRandom_Uniform(random, 0, body->lattice.cellCount - 1e-9);
    for (int k = 0; k < 4; k++)
        sum += w[k] = snRandom_Uniform(random, 0.05, 1);
    for (int k = 0; k < 4; k++) {
        held->weight[k] = w[k] / sum;
        place = snMulAdd(place, held->weight[k],
                         body->lattice.rest[snLattice_Corners(&body->lattice, held->cell)[k]]);
    }
    snprintf(name, sizeof name, "point %d", number);
    CHECK(snPointConstraints_Attach(points, name, place, &held->handle, NULL) == SN_OK);
}

typedef struct Outcome {
    double worst; // distance to its target of any attached point, at any step
    int most, redundant, conflicts, attached;
} Outcome;

static void runStep(Body *body, snPointConstraints *points, Held *held, double t, Outcome *o)
{
    int count = 0;
    for (int i = 0; i < POINTS; i++)
        if (held[i].handle >= 0) {
            count++;
            CHECK(snPointConstraints_Move(points, held[i].handle, 0, targetOf(body, &held[i], t),
                                          NULL) == SN_OK);
        }
    snLatticeDrive drive = {.rig = body->rig, .joints = &body->joint, .points = points};
    CHECK(snLattice_Step(body->model, body->state, &drive));
    for (int i = 0; i < POINTS; i++)
        if (held[i].handle >= 0)
            o->worst = fmax(o->worst, snLength(snPointConstraints_Residual(
                                          points, body->state->position, held[i].handle, 0)));
    int redundant = 0;
    for (int i = 0; i < *points->set->count; i++) {
        snConstraintReport report = snConstraintSet_Report(points->set, i);
        redundant += report.state == SN_CONSTRAINT_REDUNDANT;
        o->conflicts += report.state == SN_CONSTRAINT_CONFLICTING;
    }
    if (redundant > o->redundant) o->redundant = redundant;
    if (count > o->most) o->most = count;
}

static Outcome run(snLatticeModelDef def)
{
    Body body;
    Held held[POINTS];
    snPointConstraints *points;
    Outcome outcome = {0};
    snRandom random = snMakeRandom(21);
    build(&body, def);
    snPointConstraintsDef pointsDef = snDefaultPointConstraintsDef();
    pointsDef.model = body.model;
    pointsDef.capacity = POINTS;
    CHECK(snPointConstraints_Make(&points, &pointsDef, &body.context, NULL) == SN_OK);
    for (int i = 0; i < POINTS; i++)
        held[i].handle = -1;
    for (int k = 1; k <= 60; k++) {
        for (int i = 0; i < POINTS; i++) { // ten come, up to all of them; some go
            bool come = held[i].handle < 0 && i < 10 * k && snRandom_Uniform(&random, 0, 1) < 0.9;
            bool go = held[i].handle >= 0 && k > 15 && snRandom_Uniform(&random, 0, 1) < 0.05;
            if (come) {
                attachAtRandom(&body, points, &held[i], &random, i);
                outcome.attached++;
            }
            if (!go) continue;
            CHECK(snPointConstraints_Release(points, held[i].handle, NULL) == SN_OK);
            held[i].handle = -1;
        }
        runStep(&body, points, held, k / 120.0, &outcome);
    }
    CHECK(points->set->columnsSolved == (int64_t)outcome.attached * points->set->def.block);
    snPointConstraints_Destroy(points);
    freeBody(&body);
    return outcome;
}

static void everySolverMeetsThem(void)
{
    static const struct {
        const char *name;
        snSolver solver;
        snLinearMethod method;
        int iterations;
    } solvers[] = {{"projective, 3 iterations", SN_SOLVER_PROJECTIVE, SN_METHOD_FACTOR, 3},
                   {"projective, 1 iteration", SN_SOLVER_PROJECTIVE, SN_METHOD_FACTOR, 1},
                   {"Newton, 1 linearisation", SN_SOLVER_NEWTON, SN_METHOD_FACTOR, 1},
                   {"Newton, 5 linearisations", SN_SOLVER_NEWTON, SN_METHOD_FACTOR, 5},
                   {"blended, factored", SN_SOLVER_BLENDED, SN_METHOD_FACTOR, 1},
                   {"blended, CG", SN_SOLVER_BLENDED, SN_METHOD_CG, 1},
                   {"linear, factored", SN_SOLVER_LINEAR, SN_METHOD_FACTOR, 1},
                   {"linear, CG with QR", SN_SOLVER_LINEAR, SN_METHOD_CG, 1}};
    for (int motion = 0; motion < 2; motion++)
        for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
            snLatticeModelDef def = snDefaultLatticeModelDef();
            def.motion = motion ? SN_MOTION_FULL : SN_MOTION_SECONDARY;
            def.solver = solvers[i].solver;
            def.method = solvers[i].method;
            def.iterations = solvers[i].iterations;
            Outcome o = run(def);
            printf("%-26s up to %d points at once, %d attached in all, %d redundant, %d in "
                   "conflict: missed by %.1e of the size at most\n",
                   solvers[i].name, o.most, o.attached, o.redundant, o.conflicts, o.worst / 1.2);
            CHECK(o.most > 90);
            CHECK(o.redundant > 5);
            CHECK(o.conflicts == 0);
            CHECK(o.worst / 1.2 < 1e-8);
        }
}

// With one point held, the linear solver's answer is the same by factor and by conjugate gradients,
// and Newton's and the quasi-Newton one agree when solved out.
static void solversAgree(void)
{
    static const snSolver solver[4] = {SN_SOLVER_LINEAR, SN_SOLVER_LINEAR, SN_SOLVER_PROJECTIVE,
                                       SN_SOLVER_NEWTON};
    double *end[4], worst[2] = {0}, size = 0;
    for (int i = 0; i < 4; i++) {
        Body body;
        snPointConstraints *points;
        snLatticeModelDef def = snDefaultLatticeModelDef();
        def.motion = SN_MOTION_FULL;
        def.solver = solver[i];
        def.method = i == 1 ? SN_METHOD_CG : SN_METHOD_FACTOR;
        def.tolerance = 1e-12;
        def.iterations = i == 2 ? 80 : 15;
        build(&body, def);
        snPointConstraintsDef pointsDef = snDefaultPointConstraintsDef();
        pointsDef.model = body.model;
        CHECK(snPointConstraints_Make(&points, &pointsDef, &body.context, NULL) == SN_OK);
        int handle;
        CHECK(snPointConstraints_Attach(points, "nose", snVec(1.17, 0.21, 0.13), &handle, NULL) ==
              SN_OK);
        for (int k = 1; k <= 20; k++) {
            snLatticeDrive drive = {.rig = body.rig, .joints = &body.joint, .points = points};
            snVec3 target = snVec(1.17 - 0.002 * k, 0.21 + 0.015 * k, 0.13);
            CHECK(snPointConstraints_Move(points, handle, 0, target, NULL) == SN_OK);
            CHECK(snLattice_Step(body.model, body.state, &drive));
        }
        int n = body.lattice.vertexCount;
        end[i] = calloc((size_t)n * 3, sizeof(double));
        for (int k = 0; k < 3 * n; k++) {
            end[i][k] = body.state->position[4 * body.model->indexOf[k / 3] + k % 3];
            if (i % 2) worst[i / 2] = fmax(worst[i / 2], fabs(end[i][k] - end[i - 1][k]));
            size = fmax(size, fabs(end[i][k]));
        }
        snPointConstraints_Destroy(points);
        freeBody(&body);
    }
    printf("with a point pulled away: linear by factor and by CG differ by %.1e, quasi-Newton and "
           "Newton by %.1e\n",
           worst[0], worst[1]);
    CHECK(worst[0] < 1e-8);
    CHECK(worst[1] < 1e-7);
    for (int i = 0; i < 4; i++)
        free(end[i]);
}

int main(void)
{
    RUN(everySolverMeetsThem);
    RUN(solversAgree);
    return snTest_Finish();
}
