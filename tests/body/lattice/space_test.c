// Bodies in a space of motions: free vertices as a space, affine bodies against closed forms, a coarse
// grid in its refinement, points, contacts, all solvers.
#include "tests/test.h"

#include "body/lattice/cells.h"
#include "body/lattice/contact.h"
#include "body/lattice/passes.h"
#include "body/lattice/point.h"
#include "tests/body/lattice/spaces.h"
#include "tests/body/lattice/sums.h"

// A block of tets, every vertex a function of its own, in reverse.
static Body *blockBody(snLatticeModelDef def, bool identity)
{
    Body *body = newBody();
    body->lattice = makeBlock(BLOCK_TETS, 4, 2, 2, snVec(1, 0.5, 0.5), &body->arena);
    body->quadrature = quadratureOf(&body->lattice, &body->arena, &body->context);
    int n = body->lattice.vertexCount;
    if (identity) body->space = newRows(n, n, n, &body->arena);
    for (int v = 0; v < n && identity; v++) {
        body->space.start[v + 1] = v + 1;
        body->space.column[v] = n - 1 - v;
        body->space.weight[v] = 1;
    }
    mustBuild(body, def);
    return body;
}

static double farthest(const Body *a, const Body *b)
{
    double worst = 0;
    for (int v = 0; v < a->lattice.vertexCount; v++)
        worst = fmax(worst, snDistance(snRow(a->state->position, a->model->indexOf[v]),
                                       snRow(b->state->position, b->model->indexOf[v])));
    return worst;
}

// ---- free vertices as a space -------------------------------------------------------------------

static void identityIsTheFreeBody(void)
{
    static const struct {
        const char *name;
        snSolver solver;
        snMaterial material;
        snPrecision precision;
        double tolerance;
    } kinds[] = {
        {"projective", SN_SOLVER_PROJECTIVE, SN_MATERIAL_COROTATED, SN_PRECISION_DOUBLE, 1e-9},
        {"neo-Hookean", SN_SOLVER_PROJECTIVE, SN_MATERIAL_NEO_HOOKEAN, SN_PRECISION_DOUBLE, 1e-9},
        {"single", SN_SOLVER_PROJECTIVE, SN_MATERIAL_COROTATED, SN_PRECISION_SINGLE, 1e-4},
        {"newton", SN_SOLVER_NEWTON, SN_MATERIAL_COROTATED, SN_PRECISION_DOUBLE, 1e-9},
        {"linear", SN_SOLVER_LINEAR, SN_MATERIAL_COROTATED, SN_PRECISION_DOUBLE, 1e-9}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        snLatticeModelDef def = freeDef();
        def.solver = kinds[k].solver;
        def.material = kinds[k].material;
        def.precision = kinds[k].precision;
        def.matrix = SN_MATRIX_SCALAR;
        def.gravity = snVec(0, 0, -9.81);
        def.tolerance = 1e-12;
        def.iterations = def.solver == SN_SOLVER_NEWTON ? 8 : 60;
        Body *plain = blockBody(def, false), *space = blockBody(def, true);
        for (int v = 0; v < plain->lattice.vertexCount; v++) {
            snVec3 r = plain->lattice.rest[v];
            double push[3] = {3 * r.y * r.y, 2 * r.x, -4 * r.x * r.z};
            for (int c = 0; c < 3; c++) {
                plain->state->velocity[4 * plain->model->indexOf[v] + c] = push[c];
                space->state->velocity[4 * space->model->indexOf[v] + c] = push[c];
            }
        }
        snSpace_Settle(space->model, space->state);
        double moved = 0;
        for (int n = 0; n < 25; n++) {
            step(plain);
            step(space);
        }
        for (int i = 0; i < plain->model->vertexCount; i++)
            moved = fmax(moved, snDistance(snRow(plain->state->position, i), snRow(plain->rig, i)));
        double apart = farthest(plain, space);
        printf("%s: free vertices and the same as functions: %.2e m apart after %.2f m\n",
               kinds[k].name, apart, moved);
        CHECK(moved > 0.2);
        CHECK(apart < kinds[k].tolerance);
        freeBody(plain);
        freeBody(space);
    }
}

// ---- affine bodies ------------------------------------------------------------------------------

static double inertiaAlong(const Body *body, int axis)
{
    double mean = 0, sum = 0, mass = 0;
    for (int i = 0; i < body->model->vertexCount; i++) {
        mean += body->model->mass[i] * (&body->model->rest[i].x)[axis];
        mass += body->model->mass[i];
    }
    for (int i = 0; i < body->model->vertexCount; i++) {
        double x = (&body->model->rest[i].x)[axis] - mean / mass;
        sum += body->model->mass[i] * x * x;
    }
    return sum;
}

// For ν = 0 a stretch F = diag(1 + a, 1, 1) costs V μ a²: I ä = -2 V μ a, I = Σ m (x - x̄)². Implicit Euler
// makes of it (I + h² k) a' = I (a + h ȧ), which the body must follow to rounding; and for small steps
// its period is 2π √(I/k).
static void affineStretchHasItsPeriod(void)
{
    snLatticeModelDef def = freeDef();
    def.poisson = 0;
    def.stiffnessDamping = 0;
    def.step = 1e-4;
    Body *body = gridBody(def, 0, 0);
    double volume = 1 * 0.5 * 0.4, k = 1e5 * volume, inertia = inertiaAlong(body, 0), worst = 0;
    double a = 0.05, speed = 0, h = def.step, period = 2 * SN_PI * sqrt(inertia / k), crossed = 0;
    for (int i = 0; i < body->model->vertexCount; i++)
        body->state->position[4 * i] += a * (body->model->rest[i].x - 0.5);
    snSpace_Settle(body->model, body->state);
    int steps = (int)(period / h * 1.1);
    for (int n = 1; n <= steps; n++) {
        step(body);
        double next = inertia * (a + h * speed) / (inertia + h * h * k);
        if (next >= 0 && a < 0) crossed = (n - next / (next - a)) * h; // three quarters
        speed = (next - a) / h;
        a = next;
        snVec3 x = snRow(body->state->position, 0), r = body->model->rest[0];
        worst = fmax(worst, fabs(x.x - (0.5 + (1 + a) * (r.x - 0.5))));
    }
    printf("affine stretch: off its recurrence by %.2e m of 0.05 m; period %.5f s, closed form "
           "%.5f s\n",
           worst, crossed / 0.75, period);
    CHECK(worst < 1e-7); // rounding: velocities are differences of places 1e-4 s apart
    CHECK_NEAR(crossed / 0.75, period, 0.005 * period);
    freeBody(body);
}

static snVec3 angularMomentum(const Body *body, const double *velocity)
{
    snVec3 sum = {0, 0, 0};
    for (int i = 0; i < body->model->vertexCount; i++)
        sum = snMulAdd(sum, body->model->mass[i],
                       snCross(snRow(body->state->position, i), snRow(velocity, i)));
    return sum;
}

// A body that spins about z with ω is pulled out to F = diag(1 + a, 1 + b, 1) in its own axes. For ν = 0,
// 2 μ V a = I_x ω² (1 + a): a = ω² I_x / (2 μ V - ω² I_x). Held there by its own spin for some turns.
static void affineSpinHasItsStretch(void)
{
    snLatticeModelDef def = freeDef();
    def.poisson = 0;
    def.step = 1e-4;
    def.stiffnessDamping = 0.02;
    Body *body = gridBody(def, 0, 0);
    double k = 1e5 * 1 * 0.5 * 0.4, omega = 6;
    double spin = 0, length = 0, before = 0;
    for (int i = 0; i < body->model->vertexCount; i++) {
        snVec3 r = snSub(body->model->rest[i], snVec(0.5, 0.25, 0.2));
        snVec3 v = snCross(snVec(0, 0, omega), r);
        for (int c = 0; c < 3; c++)
            body->state->velocity[4 * i + c] = (&v.x)[c];
    }
    snSpace_Settle(body->model, body->state);
    before = angularMomentum(body, body->state->velocity).z;
    snVec3 linear = momentumOf(body->model, body->state->velocity);
    for (int n = 0; n < 12000; n++)
        step(body);
    // F and its rate from the coefficients of x, y and z.
    int first = body->model->space->indexOf[1];
    snVec3 fx = snRow(body->state->coefficient, first),
           vx = snRow(body->state->coefficientVelocity, first);
    length = snLength(fx);
    spin = snCross(fx, vx).z / snDot(fx, fx);
    double stretch =
        spin * spin * inertiaAlong(body, 0) / (k - spin * spin * inertiaAlong(body, 0));
    printf("affine spin: %.3f of its spin left after %.1f turns; stretch %.5f, closed form %.5f\n",
           spin / omega, 12000 * def.step * (omega + spin) / 2 / (2 * SN_PI), length - 1, stretch);
    CHECK_NEAR(length - 1, stretch, 0.01 * stretch);
    CHECK(snDistance(momentumOf(body->model, body->state->velocity), linear) < 1e-6 * before);
    CHECK(fabs(angularMomentum(body, body->state->velocity).z) < before);
    freeBody(body);
}

// ---- a coarse grid in its refinement --------------------------------------------------------------

static double objective(Body *body)
{
    double h = body->model->def.step, scale = h * (h + body->model->def.stiffnessDamping);
    double elastic, rest;
    snSpace_Push(body->model, body->state, body->state->nextCoefficient, body->state->next);
    snRunPass(body->model, body->state, SN_PASS_FORCE, body->state->next, NULL, &elastic);
    body->model->vectors->gradient(body->model, body->state, &rest);
    return scale * elastic + rest;
}

static void gradientIsExact(void)
{
    for (int m = 0; m < SN_MATERIALS; m++) {
        snLatticeModelDef def = freeDef();
        def.material = (snMaterial)m;
        Body *body = gridBody(def, 1, 2);
        double *q = body->state->nextCoefficient, worst = 0, size = 0;
        int count = body->model->space->functionCount * 4;
        shakeCoefficients(body, body->state->coefficientVelocity, 1, 3);
        pushVelocity(body);
        for (int n = 0; n < 3; n++)
            step(body);
        shakeCoefficients(body, q, 0.03, 4);
        double *g = SN_NEW(&body->arena, double, count);
        objective(body);
        snSpace_Pull(body->model, body->state, body->state->gradient, g);
        for (int k = 0; k < count; k++) {
            double old = q[k], e = 1e-6;
            if (k % 4 == 3) continue;
            q[k] = old + e;
            double up = objective(body);
            q[k] = old - e;
            double down = objective(body);
            q[k] = old;
            worst = fmax(worst, fabs((up - down) / (2 * e) - g[k]));
            size = fmax(size, fabs(g[k]));
        }
        printf("gradient against differences: %.2e of the largest\n", worst / size);
        CHECK(worst < 1e-6 * size);
        freeBody(body);
    }
}

// The coarse body by its own elements (tets of its cells) and as a space of the refinement with mean
// gradients are two integrals of one energy: near each other, nearer with refinement.
static void energyIsThatOfTheCoarseGrid(void)
{
    double energy[4];
    for (int level = 0; level < 4; level++) {
        snLatticeModelDef def = freeDef();
        Body *body = level ? gridBody(def, 1, level) : gridBody(def, 1, 4);
        for (int f = 0; f < body->model->space->functionCount; f++) {
            int v = body->model->space->functionOf[f];
            double *q = body->state->coefficient + 4 * f, x = v % 3, y = v / 3 % 2, z = v / 6;
            q[0] += 0.05 * y * z + 0.02 * x * y; // bent and twisted
            q[1] += 0.03 * x * z - 0.04 * x;
            q[2] += 0.06 * (x - 1) * (x - 1) - 0.05 * x * y * z;
        }
        snSpace_Push(body->model, body->state, body->state->coefficient, body->state->position);
        energy[level] = snLatticeState_ElasticEnergy(body->model, body->state, 0);
        freeBody(body);
    }
    double off[3];
    for (int level = 1; level < 4; level++)
        off[level - 1] = fabs(energy[level] - energy[0]) / energy[0];
    printf("energy of a bent grid at levels 1, 2, 3: off that of level 4 by %.4f, %.4f, %.4f\n",
           off[0], off[1], off[2]);
    CHECK(off[1] < 0.3 * off[0] && off[2] < 0.3 * off[1] && off[0] < 0.5);
}

// L' - L = h Σ m v' x v is what implicit Euler itself does to angular momentum; forces add nothing.
static void momentaAndEnergy(void)
{
    for (int solver = 0; solver < 2; solver++) {
        snLatticeModelDef def = freeDef();
        def.solver = solver ? SN_SOLVER_NEWTON : SN_SOLVER_PROJECTIVE;
        def.iterations = solver ? 6 : 60;
        Body *body = gridBody(def, 1, 2);
        shakeCoefficients(body, body->state->coefficientVelocity, 1.5, 8);
        pushVelocity(body);
        int n = body->model->vertexCount;
        double *old = SN_NEW(&body->arena, double, 4 * n);
        double start = snLatticeState_KineticEnergy(body->model, body->state, 0), last = start;
        double rise = 0, torque = 0, size = 0;
        snVec3 linear = momentumOf(body->model, body->state->velocity),
               spin = angularMomentum(body, body->state->velocity);
        for (int k = 0; k < 60; k++) {
            memcpy(old, body->state->velocity, (size_t)n * 4 * sizeof *old);
            step(body);
            snVec3 loss = {0, 0, 0}, now = angularMomentum(body, body->state->velocity);
            for (int i = 0; i < n; i++)
                loss = snMulAdd(loss, def.step * body->model->mass[i],
                                snCross(snRow(body->state->velocity, i), snRow(old, i)));
            torque = fmax(torque, snDistance(snAdd(spin, loss), now));
            size = fmax(size, snLength(now));
            spin = now;
            double energy = snLatticeState_KineticEnergy(body->model, body->state, 0) +
                            snLatticeState_ElasticEnergy(body->model, body->state, 0);
            rise = fmax(rise, (energy - last) / start);
            last = energy;
        }
        printf(
            "momentum drifts by %.2e of it, angular momentum beyond implicit Euler by %.2e, energy "
            "rises by %.2e at most, %.3f left\n",
            snDistance(momentumOf(body->model, body->state->velocity), linear) / snLength(linear),
            torque / size, rise, last / start);
        CHECK(snDistance(momentumOf(body->model, body->state->velocity), linear) <
              1e-9 * snLength(linear));
        CHECK(torque < 1e-8 * size);
        CHECK(rise < 1e-9);
        freeBody(body);
    }
}

static void solversAgree(void)
{
    snLatticeModelDef def = freeDef();
    def.gravity = snVec(0, 0, -9.81);
    def.iterations = 80;
    Body *quasi = gridBody(def, 1, 2);
    def.solver = SN_SOLVER_NEWTON;
    def.tolerance = 1e-12;
    def.iterations = 8;
    Body *newton = gridBody(def, 1, 2);
    Body *bodies[2] = {quasi, newton};
    for (int b = 0; b < 2; b++) {
        shakeCoefficients(bodies[b], bodies[b]->state->coefficientVelocity, 1.5, 8);
        pushVelocity(bodies[b]);
        for (int k = 0; k < 30; k++)
            step(bodies[b]);
    }
    printf("quasi-Newton and Newton in a space: %.2e m apart\n", farthest(quasi, newton));
    CHECK(farthest(quasi, newton) < 1e-9);
    freeBody(quasi);
    freeBody(newton);
}

// y stays B q to rounding for as long as it moves.
static void staysInItsSpace(void)
{
    snLatticeModelDef def = freeDef();
    def.iterations = 3;
    Body *body = gridBody(def, 1, 2);
    shakeCoefficients(body, body->state->coefficientVelocity, 1, 5);
    pushVelocity(body);
    for (int k = 0; k < 1000; k++)
        step(body);
    double *q = SN_NEW(&body->arena, double, body->model->space->functionCount * 4), worst = 0;
    double *y = SN_NEW(&body->arena, double, body->model->vertexCount * 4);
    snSpace_Fit(body->model, body->state, body->state->position, q);
    snSpace_Push(body->model, body->state, q, y);
    for (int k = 0; k < body->model->vertexCount * 4; k++)
        worst = fmax(worst, fabs(y[k] - body->state->position[k]));
    printf("out of its space by %.2e m after 1000 steps\n", worst);
    CHECK(worst < 1e-13);
    freeBody(body);
}

// ---- points and contacts ------------------------------------------------------------------------

static void pointsAreInPlace(void)
{
    static const snSolver solvers[] = {SN_SOLVER_PROJECTIVE, SN_SOLVER_NEWTON, SN_SOLVER_LINEAR};
    for (int s = 0; s < 3; s++) {
        snLatticeModelDef def = freeDef();
        def.solver = solvers[s];
        def.iterations = solvers[s] == SN_SOLVER_NEWTON ? 2 : 5;
        def.gravity = snVec(0, 0, -9.81);
        Body *body = gridBody(def, 1, 2);
        snPointConstraints *points;
        snPointConstraintsDef pointsDef = snDefaultPointConstraintsDef();
        pointsDef.model = body->model;
        snError error = {0};
        CHECK(snPointConstraints_Make(&points, &pointsDef, &body->context, &error) == SN_OK);
        snVec3 rest[3] = {{0.03, 0.2, 0.1}, {0.9, 0.3, 0.4}, {0.4, 0.5, 0.2}};
        int handle[3];
        for (int k = 0; k < 3; k++)
            CHECK(snPointConstraints_Attach(points, "nail", rest[k], &handle[k], &error) == SN_OK);
        double worst = 0;
        for (int n = 0; n < 60; n++) {
            snVec3 up = snVec(rest[1].x, rest[1].y, rest[1].z + 0.002 * n);
            CHECK(snPointConstraints_Move(points, handle[1], 0, up, &error) == SN_OK);
            CHECK(snLattice_Step(body->model, body->state,
                                 &(snLatticeDrive){.rig = body->rig, .points = points}));
            for (int k = 0; k < 3; k++)
                worst = fmax(worst, snLength(snPointConstraints_Residual(
                                        points, snLatticeState_Values(body->model, body->state),
                                        handle[k], 0)));
        }
        printf("points in a space, solver %d: missed by %.2e m\n", (int)solvers[s], worst);
        CHECK(worst < 1e-10);
        snFunctionRow row = {.count = 1, .function = (int[]){99}, .weight = (double[]){1}};
        int none;
        CHECK(snPointConstraints_AttachFunctions(points, "x", &row, &none, &error) ==
              SN_ERROR_ARGUMENT);
        snPointConstraints_Destroy(points);
        freeBody(body);
    }
}

// Dropped on a floor, it lies there on its lower vertices.
static void landsOnAFloor(void)
{
    for (int s = 0; s < 2; s++) {
        snLatticeModelDef def = freeDef();
        def.solver = s ? SN_SOLVER_NEWTON : SN_SOLVER_PROJECTIVE;
        def.iterations = s ? 3 : 10;
        def.gravity = snVec(0, -9.81, 0);
        def.stiffnessDamping = 0.02;
        Body *body = gridBody(def, 1, 1);
        int n = body->lattice.vertexCount;
        snWeightRows one;
        CHECK(snWeightRows_Identity(&one, n, &body->arena, NULL) == SN_OK);
        snLatticeContactsDef contactsDef = snDefaultLatticeContactsDef();
        contactsDef.model = body->model;
        contactsDef.samples =
            (snContactSamples){n, one.start, one.column, one.weight, body->lattice.rest};
        contactsDef.patch = 0.1;
        contactsDef.reach = 0.2;
        contactsDef.firmness = 10;
        snLatticeContacts *contacts;
        CHECK(snLatticeContacts_Make(&contacts, &contactsDef, &body->context, NULL) == SN_OK);
        snCollider floor = snMakeCollider(SN_COLLIDER_PLANE);
        floor.begin.origin.y = floor.end.origin.y = -0.05;
        contacts->colliders = &floor;
        contacts->colliderCount = 1;
        for (int k = 0; k < 400; k++)
            CHECK(snLattice_Step(body->model, body->state,
                                 &(snLatticeDrive){.rig = body->rig, .contacts = contacts}));
        double lowest = 1e30, fastest = 0;
        for (int i = 0; i < n; i++) {
            lowest = fmin(lowest, body->state->position[4 * i + 1]);
            fastest = fmax(fastest, snLength(snRow(body->state->velocity, i)));
        }
        printf("on the floor at -0.05 m: lowest %.4f m, fastest %.2e m/s\n", lowest, fastest);
        CHECK_NEAR(lowest, -0.05, 0.005);
        CHECK(fastest < 1e-3);
        snLatticeContacts_Destroy(contacts);
        freeBody(body);
    }
}

// ---- materials by cell, bad input -----------------------------------------------------------------

static void materialsByCell(void)
{
    snLatticeModelDef def = freeDef();
    double poisson[64], density[64];
    for (int c = 0; c < 64; c++)
        poisson[c] = def.poisson, density[c] = c % 8 < 4 ? 500 : 1500;
    def.poissons = poisson;
    Body *same = gridBody(def, 1, 1), *other;
    Body *plain = gridBody(freeDef(), 1, 1);
    shakeCoefficients(same, same->state->coefficientVelocity, 1, 5);
    shakeCoefficients(plain, plain->state->coefficientVelocity, 1, 5);
    pushVelocity(same);
    pushVelocity(plain);
    for (int k = 0; k < 10; k++)
        step(same), step(plain);
    CHECK(snLatticeState_Hash(same->state) == snLatticeState_Hash(plain->state));
    def.densities = density;
    other = gridBody(def, 1, 1);
    CHECK_NEAR(other->model->totalMass, plain->model->totalMass, 1e-9 * plain->model->totalMass);
    double mean = 0;
    for (int i = 0; i < other->model->vertexCount; i++)
        mean += other->model->mass[i] * other->model->rest[i].x;
    CHECK(fabs(mean / other->model->totalMass - 0.5) < 1e-9);
    freeBody(same);
    freeBody(plain);
    freeBody(other);
}

static void badSpacesAreRefused(void)
{
    snError error = {0};
    Body *good = gridBody(freeDef(), 1, 1);
    int n = good->lattice.vertexCount, entries = good->space.start[n];
    for (int kind = 0; kind < 7; kind++) {
        Body copy = *good;
        snLatticeModelDef def = freeDef();
        unsigned char known[128] = {0};
        copy.space = newRows(n, good->space.columns, entries + 2 * n, &good->arena);
        memcpy(copy.space.start, good->space.start, (size_t)(n + 1) * sizeof(int));
        memcpy(copy.space.column, good->space.column, (size_t)entries * sizeof(int));
        memcpy(copy.space.weight, good->space.weight, (size_t)entries * sizeof(double));
        for (int k = 0; k < entries; k++) {
            if (kind == 1 && copy.space.column[k] == 3) copy.space.column[k] = 4;
            if (kind == 2) copy.space.column[k] += copy.space.column[k] >= 3; // 3 is nowhere
        }
        if (kind == 0) copy.space.weight[3] = NAN;
        if (kind == 1) copy.space.column[entries - 1] = 3; // then 3 and others may be dependent
        if (kind == 3) known[2] = 1, def.known = known;
        if (kind == 4) def.solver = SN_SOLVER_BLENDED;
        if (kind == 5) def.matrix = SN_MATRIX_TURNED;
        for (int v = 0; v < n && kind == 6; v++) { // two functions alike
            copy.space.start[v + 1] = 2 * v + 2;
            copy.space.column[2 * v] = 0;
            copy.space.column[2 * v + 1] = 1;
            copy.space.weight[2 * v] = copy.space.weight[2 * v + 1] = 1;
        }
        snStatus status = build(&copy, def, &error);
        if (kind == 1 && !status) { // a legal one after all
            snLatticeState_Destroy(copy.state);
            snLatticeModel_Destroy(copy.model);
            continue;
        }
        printf("%s\n", error.message);
        CHECK(status != SN_OK);
    }
    snLatticeState *state;
    CHECK(snLatticeState_Make(&state, good->model, 8, &good->context, &error) == SN_ERROR_ARGUMENT);
    freeBody(good);
}

static void memoryRunsOut(void)
{
    Body *good = gridBody(freeDef(), 1, 1);
    for (int failAt = 1;; failAt++) {
        Body body = *good;
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&body.context, &memory);
        body.model = NULL;
        body.state = NULL;
        snStatus status = build(&body, freeDef(), NULL);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        snLatticeState_Destroy(body.state);
        snLatticeModel_Destroy(body.model);
        good->arena = body.arena;
        CHECK(memory.alive == 0);
        if (!status) break;
    }
    freeBody(good);
}

int main(void)
{
    RUN(identityIsTheFreeBody);
    RUN(affineStretchHasItsPeriod);
    RUN(affineSpinHasItsStretch);
    RUN(gradientIsExact);
    RUN(energyIsThatOfTheCoarseGrid);
    RUN(momentaAndEnergy);
    RUN(solversAgree);
    RUN(staysInItsSpace);
    RUN(pointsAreInPlace);
    RUN(landsOnAFloor);
    RUN(materialsByCell);
    RUN(badSpacesAreRefused);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
