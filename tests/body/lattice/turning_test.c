// Quasi-linear bodies: the rest state turns along, by the curl or by polar decomposition.
#include "tests/test.h"

#include "body/lattice/linear.h"
#include "body/lattice/point.h"
#include "body/lattice/turning.h"
#include "tests/body/lattice/spaces.h"

static snLatticeModelDef turningDef(snTurn turn)
{
    snLatticeModelDef def = freeDef();
    def.solver = SN_SOLVER_LINEAR;
    def.turn = turn;
    def.poisson = 0;
    return def;
}

static void spinUp(Body *body, snVec3 omega)
{
    snVec3 center = {0.5, 0.25, 0.2};
    for (int i = 0; i < body->model->vertexCount; i++) {
        snVec3 v = snCross(omega, snSub(body->model->rest[i], center));
        for (int c = 0; c < 3; c++)
            body->state->velocity[4 * i + c] = (&v.x)[c];
    }
    snSpace_Settle(body->model, body->state);
}

static double inertiaAlong(const Body *body, int axis)
{
    static const double center[3] = {0.5, 0.25, 0.2};
    double sum = 0;
    for (int i = 0; i < body->model->vertexCount; i++) {
        double x = (&body->model->rest[i].x)[axis] - center[axis];
        sum += body->model->mass[i] * x * x;
    }
    return sum;
}

// Turned by any angle an undeformed body has no forces, by both rules.
static void turnsAreFree(void)
{
    for (int turn = SN_TURN_POLAR; turn <= SN_TURN_CURL; turn++) {
        Body *body = gridBody(turningDef((snTurn)turn), 1, 1);
        snMat3 rotation = snQuatToMat(snQuatFromAxisAngle(snVec(0.6, 0.8, 0), 2.5));
        for (int i = 0; i < body->model->vertexCount; i++) {
            snVec3 x = snAdd(snMulMV(rotation, body->model->rest[i]), snVec(1, 2, 3));
            double row[4] = {x.x, x.y, x.z, 0};
            memcpy(body->rig + 4 * i, row, sizeof row);
        }
        snLatticeState_Start(body->model, body->state, body->rig, NULL);
        CHECK_NEAR(snLinear_Energy(body->model, body->state, 0), 0, 1e-18);
        for (int k = 0; k < 20; k++)
            step(body);
        double worst = 0;
        for (int k = 0; k < body->model->vertexCount * 4; k++)
            worst = fmax(worst, fabs(body->state->position[k] - body->rig[k]));
        printf("turned and shifted it stays, to %.1e m\n", worst);
        CHECK(worst < 1e-12);
        freeBody(body);
    }
}

// An affine body with ν = 0 that spins with ω about z is stretched along x by a = ω² I / (2 μ V - ω² I)
// (space_test.c). Implicit Euler takes spin, dω/dt = -h ω³, and the stretch must follow it.
static void spinsForAHundredTurns(snTurn turn, const char *name)
{
    snLatticeModelDef def = turningDef(turn);
    def.step = 1.0 / 300;
    def.stiffnessDamping = 0.02;
    Body *body = gridBody(def, 0, 0);
    double k = 1e5 * 0.2, omega = 6, inertia = inertiaAlong(body, 0), worst = 0, angle = 0;
    spinUp(body, snVec(0, 0, omega));
    const int first = body->model->space->indexOf[1];
    int steps = 0;
    double spin = omega, stretch = 0;
    for (; angle < 100 * 2 * SN_PI; steps++) {
        snVec3 before = snRow(body->state->coefficient, first);
        step(body);
        snVec3 now = snRow(body->state->coefficient, first);
        double part = snAtan2(snCross(before, now).z, snDot(before, now));
        angle += part;
        spin = part / def.step;
        stretch = spin * spin * inertia / (k - spin * spin * inertia);
        if (steps * def.step < 0.5) continue; // pulled out
        worst = fmax(worst, fabs(snLength(now) - 1 - stretch) / stretch);
        if (!(part > 0)) break;
    }
    printf("%s: 100 turns in %d steps, stretch within %.3f %% of the centrifugal one, which goes "
           "from %.4f "
           "to %.6f; %.1f %% of the spin lost, by implicit Euler alone %.1f %%\n",
           name, steps, 100 * worst, omega * omega * inertia / (k - omega * omega * inertia),
           stretch, 100 * (1 - spin / omega), 100 * (1 - 1 / (1 + def.step * omega * angle)));
    CHECK(angle >= 100 * 2 * SN_PI);
    CHECK(worst < 0.01);
    CHECK_NEAR(spin / omega, 1 / (1 + def.step * omega * angle), 0.02);
    freeBody(body);
}

static void spins(void)
{
    spinsForAHundredTurns(SN_TURN_POLAR, "polar");
    spinsForAHundredTurns(SN_TURN_CURL, "curl");
}

// A grid with ν = 0: E u'' + ρω² (x + u) = 0 gives u = sin(κx)/(κ cos(κL/2)) - x along each axis across
// the spin, κ² = ρω²/E, whatever the block's shape. Masses are lumped to nodes that are L/8 apart, which makes
// the moment of inertia larger by 2/8².
static void gridHasItsStretch(void)
{
    for (int turn = SN_TURN_POLAR; turn <= SN_TURN_CURL; turn++) {
        snLatticeModelDef def = turningDef((snTurn)turn);
        def.step = 1.0 / 600;
        def.stiffnessDamping = 0.01;
        Body *body = gridBody(def, 2, 1);
        double omega = 6, angle = 0, worst = 0;
        spinUp(body, snVec(0, 0, omega));
        snAffine last = snTurning_Frame(body->model, body->state, body->state->position, 0, NULL);
        int left = 0, right = 0;
        for (int i = 0; i < body->model->vertexCount; i++) {
            snVec3 r = body->model->rest[i];
            if (r.x == 0 && r.y == 0.25 && r.z == 0.2) left = i;
            if (r.x == 1 && r.y == 0.25 && r.z == 0.2) right = i;
        }
        for (int n = 0; angle < 3 * 2 * SN_PI; n++) {
            step(body);
            snAffine now =
                snTurning_Frame(body->model, body->state, body->state->position, 0, NULL);
            snMat3 change = snMulMM(now.linear, snTranspose(last.linear));
            double part = snAtan2(change.cx.y, change.cx.x);
            last = now;
            angle += part;
            double spin = part / def.step, kappa = sqrt(1000 * spin * spin / 1e5 * (1 + 2.0 / 64));
            double exact = 2 * snSin(kappa / 2) / (kappa * snCos(kappa / 2)) - 1;
            double length = snDistance(snRow(body->state->position, left),
                                       snRow(body->state->position, right)) -
                            1;
            if (n > 600) worst = fmax(worst, fabs(length - exact) / exact);
        }
        printf("a spinning grid is as long as the rod's theory has it within %.2f %%\n",
               100 * worst);
        CHECK(worst < 0.01);
        freeBody(body);
    }
}

// Without turning its rest state a linear body swells as it spins; with it, it follows the nonlinear one.
static void againstTheOthers(void)
{
    double apart[3];
    snLatticeModelDef def = freeDef();
    def.poisson = 0.3;
    def.step = 1.0 / 240;
    Body *exact = gridBody(def, 1, 1);
    for (int turn = SN_TURN_NONE; turn <= SN_TURN_CURL; turn++) {
        snLatticeModelDef linear = turningDef((snTurn)turn);
        linear.poisson = 0.3;
        linear.step = def.step;
        Body *body = gridBody(linear, 1, 1);
        Body *both[2] = {exact, body};
        apart[turn] = 0;
        for (int b = 0; b < 2; b++) {
            snLatticeModel_Rig(both[b]->model, NULL, both[b]->rig);
            snLatticeState_Start(both[b]->model, both[b]->state, both[b]->rig, NULL);
            spinUp(both[b], snVec(1, 2, 5));
        }
        for (int n = 0; n < 300; n++) {
            step(exact);
            step(body);
            for (int i = 0; i < body->model->vertexCount; i++)
                apart[turn] = fmax(apart[turn], snDistance(snRow(exact->state->position, i),
                                                           snRow(body->state->position, i)));
        }
        freeBody(body);
    }
    printf("a tumbling body against the nonlinear one: linear %.3f m, polar %.4f m, curl %.4f m "
           "apart\n",
           apart[0], apart[1], apart[2]);
    CHECK(apart[1] < 0.1 * apart[0] && apart[2] < 0.1 * apart[0]);
    freeBody(exact);
}

// Held at two points and turned by them, every point is met, and answers do not depend on the axes.
static void pointsTurnAlong(void)
{
    snVec3 shape[2][2];
    for (int kind = 0; kind < 2; kind++) {
        snLatticeModelDef def = turningDef(SN_TURN_POLAR);
        snQuat q = snQuatFromAxisAngle(snVec(0, 0, 1), kind ? 1.2 : 0);
        Body *body = gridBody(def, 1, 1);
        for (int i = 0; i < body->model->vertexCount; i++) {
            snVec3 x = snRotate(q, body->model->rest[i]);
            double row[4] = {x.x, x.y, x.z, 0};
            memcpy(body->rig + 4 * i, row, sizeof row);
        }
        snLatticeState_Start(body->model, body->state, body->rig, NULL);
        snPointConstraints *points;
        snPointConstraintsDef pointsDef = snDefaultPointConstraintsDef();
        pointsDef.model = body->model;
        CHECK(snPointConstraints_Make(&points, &pointsDef, &body->context, NULL) == SN_OK);
        int handle[2];
        snVec3 rest[2] = {{0.1, 0.2, 0.1}, {0.95, 0.3, 0.3}};
        double worst = 0;
        for (int k = 0; k < 2; k++)
            CHECK(snPointConstraints_Attach(points, "end", rest[k], &handle[k], NULL) == SN_OK);
        for (int n = 0; n < 60; n++) {
            for (int k = 0; k < 2; k++) {
                snVec3 pull = {k * 0.001 * n, k * 0.002 * n, 0};
                snPointConstraints_Move(points, handle[k], 0, snRotate(q, snAdd(rest[k], pull)),
                                        NULL);
            }
            CHECK(snLattice_Step(body->model, body->state,
                                 &(snLatticeDrive){.rig = body->rig, .points = points}));
            for (int k = 0; k < 2; k++)
                worst = fmax(worst, snLength(snPointConstraints_Residual(
                                        points, body->state->coefficient, handle[k], 0)));
        }
        for (int k = 0; k < 2; k++)
            shape[kind][k] = snRotate(snConjugate(q), snRow(body->state->position, 5 + 3 * k));
        CHECK(worst < 1e-12);
        snPointConstraints_Destroy(points);
        freeBody(body);
    }
    double apart = fmax(snDistance(shape[0][0], shape[1][0]), snDistance(shape[0][1], shape[1][1]));
    printf("held and pulled in turned axes: %.1e m apart\n", apart);
    CHECK(apart < 1e-11);
}

// ---- a coil -----------------------------------------------------------------------------------------

#define COIL_INNER 0.35 // m; it is 0.15 m thick and goes round by 290 degrees

static Body *coilBody(snLatticeModelDef def)
{
    Body *body = newBody();
    snLattice coarse = makeBlock(BLOCK_HEXES, 10, 1, 1, snVec(1, 0.15, 0.15), &body->arena);
    for (int v = 0; v < coarse.vertexCount; v++) {
        snVec3 r = coarse.rest[v];
        double angle = 290.0 / 180 * SN_PI * r.x, radius = COIL_INNER + r.y;
        coarse.rest[v] = snVec(radius * snCos(angle), -radius * snSin(angle), r.z);
    }
    snFineLattice fine;
    CHECK(snSubdivide(&fine, &coarse, 1, &body->arena, &body->context, NULL) == SN_OK);
    body->lattice = fine.lattice;
    body->space = fine.rows;
    snQuadratureDef quadrature = snDefaultQuadratureDef();
    CHECK(snQuadrature_MakeHexes(&body->quadrature, &body->lattice, &quadrature, &body->arena,
                                 &body->context, NULL) == SN_OK);
    double *young = SN_NEW(&body->arena, double, body->lattice.cellCount);
    for (int c = 0; c < body->lattice.cellCount; c++)
        young[c] = 1e7; // it is turned, not pulled straight
    def.young = young;
    mustBuild(body, def);
    return body;
}

static snVec3 massCenter(const Body *body, const double *place)
{
    snVec3 sum = {0, 0, 0};
    for (int i = 0; i < body->model->vertexCount; i++)
        sum = snMulAdd(sum, body->model->mass[i] / body->model->totalMass, snRow(place, i));
    return sum;
}

// Spins it about its centre of mass for 2.5 s; how far vertices are from another's then at most.
static double spinCoil(Body *body, const Body *other)
{
    snVec3 center = massCenter(body, body->state->position);
    double apart = 0;
    for (int i = 0; i < body->model->vertexCount; i++) {
        snVec3 v = snCross(snVec(0.5, 1, 3), snSub(body->model->rest[i], center));
        for (int c = 0; c < 3; c++)
            body->state->velocity[4 * i + c] = (&v.x)[c];
    }
    snSpace_Settle(body->model, body->state);
    for (int n = 0; n < 300; n++)
        step(body);
    for (int i = 0; other && i < body->model->vertexCount; i++)
        apart = fmax(apart,
                     snDistance(snRow(other->state->position, i), snRow(body->state->position, i)));
    return apart;
}

// A coil's centre of mass lies in the hole about which it goes: x₀ is in the flesh nearest to it, and the coil turns as freely as a block.
static void coilsTurnToo(void)
{
    double apart[3];
    snLatticeModelDef def = freeDef();
    def.poisson = 0.3;
    Body *exact = coilBody(def);
    spinCoil(exact, NULL);
    for (int turn = SN_TURN_NONE; turn <= SN_TURN_CURL; turn++) {
        snLatticeModelDef linear = turningDef((snTurn)turn);
        linear.poisson = 0.3;
        Body *body = coilBody(linear);
        const snQuadrature *q = body->model->quadrature;
        int e = snTurning_FindElement(body->model), corners = q->start[e + 1] - q->start[e];
        snVec3 center = massCenter(body, body->state->position), middle = {0, 0, 0};
        for (int k = 0; k < corners; k++)
            middle =
                snMulAdd(middle, 1.0 / corners, body->lattice.rest[q->corner[q->start[e] + k]]);
        double hole = sqrt(center.x * center.x + center.y * center.y);
        double radius = sqrt(middle.x * middle.x + middle.y * middle.y);
        CHECK(hole < 0.5 * COIL_INNER);
        CHECK(radius > 0.9 * COIL_INNER && radius < COIL_INNER + 0.15 && q->volume[e] > 0);
        apart[turn] = spinCoil(body, exact);
        if (turn == SN_TURN_POLAR)
            printf("a coil's centre of mass is %.2f m from its axis, x0 %.2f m, the flesh begins "
                   "at %.2f m\n",
                   hole, radius, COIL_INNER);
        freeBody(body);
    }
    printf("a tumbling coil against the nonlinear one: linear %.3f m, polar %.4f m, curl %.4f m "
           "apart\n",
           apart[0], apart[1], apart[2]);
    CHECK(apart[1] < 0.1 * apart[0] && apart[2] < 0.1 * apart[0]);
    freeBody(exact);
}

static void badDefinitionsAreRefused(void)
{
    for (int kind = 0; kind < 2; kind++) {
        Body *good = gridBody(turningDef(SN_TURN_CURL), 1, 1), copy = *good;
        snLatticeModelDef def = turningDef(SN_TURN_CURL);
        if (kind == 0) def.motion = SN_MOTION_SECONDARY;
        if (kind == 1) def.solver = SN_SOLVER_PROJECTIVE;
        CHECK(build(&copy, def, NULL) == SN_ERROR_ARGUMENT);
        freeBody(good);
    }
}

int main(void)
{
    RUN(turnsAreFree);
    RUN(spins);
    RUN(gridHasItsStretch);
    RUN(againstTheOthers);
    RUN(pointsTurnAlong);
    RUN(coilsTurnToo);
    RUN(badDefinitionsAreRefused);
    return snTest_Finish();
}
