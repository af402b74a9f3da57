// The second matrix of the search: right at rest, turning with the body, chosen where it is needed,
// nearer in three iterations, the same bits in any batch.
#include "tests/test.h"

#include "body/lattice/point.h"
#include "body/lattice/turned.h"
#include "tests/body/lattice/bars.h"

static snLatticeModelDef withMatrix(snMatrix matrix, snMotion motion)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.matrix = matrix;
    def.density = 10; // so that stiffness rules a step, as in small characters
    def.motion = motion;
    if (motion == SN_MOTION_FULL) def.gravity = snVec(0, -9.81, 0);
    return def;
}

static double *randomRows(const Body *body, uint64_t seed)
{
    double *rows = constants(body->model->freeCount * 4, 0, (snArena *)&body->arena);
    shake(rows, body->model->freeCount, 1, seed);
    return rows;
}

// A x = D x + h (h + β) ((1 - ε) K x + ε Σ k V GᵀG x) from the public stiffness matrix and the elements'
// gradients, over the free vertices; known ones stay.
static void multiply(Body *body, double epsilon, const double *x, double *y)
{
    const snLatticeModel *model = body->model;
    const snQuadrature *q = &body->quadrature;
    int n = body->lattice.vertexCount;
    double h = model->def.step, scale = h * (h + model->def.stiffnessDamping);
    double mu = snShearModulus(1e5, model->def.poisson);
    double k = snCurvature(mu, snLameLambda(1e5, model->def.poisson));
    double *in = constants(n * 3, 0, &body->arena), *out = constants(n * 3, 0, &body->arena);
    double *young = constants(body->lattice.cellCount, 1e5, &body->arena);
    snSparse stiffness;
    CHECK(!snLattice_Stiffness(&stiffness, &body->lattice, q, young, model->def.poisson,
                               &body->arena, NULL));
    for (int v = 0; v < n; v++)
        for (int c = 0; c < 3 && model->indexOf[v] < model->freeCount; c++)
            in[3 * v + c] = x[4 * model->indexOf[v] + c];
    snSparse_Multiply(&stiffness, 1, in, out);
    for (int i = 0; i < 3 * n; i++)
        out[i] *= 1 - epsilon;
    for (int e = 0; e < q->elementCount; e++)
        for (int i = q->start[e]; i < q->start[e + 1]; i++)
            for (int j = q->start[e]; j < q->start[e + 1]; j++)
                for (int c = 0; c < 3; c++)
                    out[3 * q->corner[i] + c] += epsilon * k * q->volume[e] *
                                                 snDot(q->gradient[i], q->gradient[j]) *
                                                 in[3 * q->corner[j] + c];
    for (int v = 0; v < n; v++) {
        int i = model->indexOf[v];
        for (int c = 0; c < 3 && i < model->freeCount; c++)
            y[4 * i + c] = model->diagonal[i] * x[4 * i + c] + scale * out[3 * v + c];
    }
}

static double difference(const double *a, const double *b, int count)
{
    double most = 0, size = 0;
    for (int k = 0; k < count; k++) {
        most = fmax(most, fabs(a[k] - b[k]));
        size = fmax(size, fabs(b[k]));
    }
    return most / size;
}

// At rest all rotations are 1, and what is solved is A alone.
static void solvesTheLinearStepAtRest(void)
{
    static const double epsilons[] = {[SN_MOTION_SECONDARY] = 0.1, [SN_MOTION_FULL] = 0.02};
    for (int motion = 0; motion < 2; motion++) {
        Body *body = newBar(withMatrix(SN_MATRIX_TURNED, (snMotion)motion), 6, 0.1);
        int count = body->model->freeCount * 4;
        double *x = randomRows(body, 3), *y = constants(count, 0, &body->arena);
        multiply(body, epsilons[motion], x, y);
        snTurned_Begin(body->model, body->state);
        snTurned_Solve(body->model, body->state, y);
        double off = difference(y, x, count);
        printf("motion %d: A\u207b\u00b9 A x is %.1e off\n", motion, off);
        CHECK(off < 1e-4);
        freeBody(body);
    }
}

// H₀ is symmetric, positive, and turns with the body.
static void turnsWithTheBody(void)
{
    Body *body = newBar(withMatrix(SN_MATRIX_TURNED, SN_MOTION_SECONDARY), 6, 0.1);
    const snLatticeModel *model = body->model;
    int count = model->freeCount * 4;
    snAffine turn = {snQuatToMat(snQuatFromAxisAngle(snVec(0.6, 0, -0.8), 1.2)), snVec(3, 1, 2)};
    double *a = randomRows(body, 5), *b = randomRows(body, 6),
           *c = constants(count, 0, &body->arena);
    double *ha = SN_COPY(&body->arena, double, a, count),
           *hb = SN_COPY(&body->arena, double, b, count);
    snTurned_Begin(model, body->state);
    snTurned_Solve(model, body->state, ha);
    snLatticeModel_Rig(model, &turn, body->rig);
    snLatticeState_Start(model, body->state, body->rig, NULL);
    for (int v = 0; v < model->freeCount; v++) {
        snVec3 u = snMulMV(turn.linear, snVec(a[4 * v], a[4 * v + 1], a[4 * v + 2]));
        c[4 * v] = u.x, c[4 * v + 1] = u.y, c[4 * v + 2] = u.z;
    }
    snTurned_Begin(model, body->state);
    snTurned_Solve(model, body->state, c);
    for (int v = 0; v < model->freeCount; v++) {
        snVec3 u = snMulTMV(turn.linear, snVec(c[4 * v], c[4 * v + 1], c[4 * v + 2]));
        c[4 * v] = u.x, c[4 * v + 1] = u.y, c[4 * v + 2] = u.z;
    }
    double off = difference(c, ha, count);
    printf("turned body: %.1e off\n", off);
    CHECK(off < 1e-5);

    // A bar that sags and turns differently along its way.
    for (int k = 0; k < 30; k++) {
        double *acceleration = constants(model->vertexCount * 4, 0, &body->arena);
        for (int v = 0; v < model->vertexCount; v++)
            acceleration[4 * v + 1] = -15;
        body->drive.acceleration = acceleration;
        CHECK(snLattice_Step(model, body->state, &body->drive));
    }
    memcpy(ha, a, (size_t)count * sizeof *a);
    memcpy(hb, b, (size_t)count * sizeof *b);
    snTurned_Begin(model, body->state);
    snTurned_Solve(model, body->state, ha);
    snTurned_Solve(model, body->state, hb);
    double aHb = 0, bHa = 0, aHa = 0;
    for (int k = 0; k < count; k++)
        aHb += a[k] * hb[k], bHa += b[k] * ha[k], aHa += a[k] * ha[k];
    CHECK_NEAR(aHb, bHa, 1e-5 * fabs(aHa));
    CHECK(aHa > 0);
    freeBody(body);
}

// Only slender bodies get the second matrix. How soft one is, once more: by the quotient of a vector that
// A⁻¹S hardly turns any more.
static void knowsHowSoftABodyIs(void)
{
    Body *stub = newBar(withMatrix(SN_MATRIX_AUTO, SN_MOTION_FULL), 1, 0.1);
    Body *bar = newBar(withMatrix(SN_MATRIX_AUTO, SN_MOTION_FULL), 12, 0.1);
    printf("the scalar matrix is %.1f times too stiff for one cube, %.1f for a bar of 12\n",
           stub->model->softness, bar->model->softness);
    if (!CHECK(!stub->model->turned && bar->model->turned)) return;
    int count = bar->model->freeCount * 4;
    double *x = randomRows(bar, 9), *ax = constants(count, 0, &bar->arena);
    double *sx = constants(count, 0, &bar->arena), quotient = 0;
    for (int round = 0; round < 60; round++) {
        multiply(bar, 1, x, sx);
        multiply(bar, 0, x, ax);
        double above = 0, below = 0, size = 0;
        for (int k = 0; k < count; k++)
            above += x[k] * sx[k], below += x[k] * ax[k];
        quotient = above / below;
        memcpy(x, sx, (size_t)count * sizeof *x);
        snLatticeState_Start(bar->model, bar->state, bar->rig, NULL);
        snTurned_Begin(bar->model, bar->state);
        snTurned_Solve(bar->model, bar->state, x);
        for (int k = 0; k < count; k++)
            size = fmax(size, fabs(x[k]));
        for (int k = 0; k < count; k++)
            x[k] /= size;
    }
    CHECK_NEAR(bar->model->softness, quotient, 0.02 * quotient);
    freeBody(stub);
    freeBody(bar);
}

// In secondary motion only the vertices that S leaves behind have the second matrix: nothing is added
// elsewhere, and where it is added, A_P z = d for z = what was added + S_P⁻¹ d.
static void addsWhereTheScalarMatrixLags(void)
{
    Body *body = newBar(withMatrix(SN_MATRIX_AUTO, SN_MOTION_SECONDARY), 12, 0.1);
    const snLatticeModel *model = body->model;
    const snTurned *turned = model->turned;
    int count = model->freeCount * 4;
    if (!CHECK(turned && turned->count > 0 && turned->count < model->freeCount)) return;
    double *d = randomRows(body, 4), *sum = SN_COPY(&body->arena, double, d, count);
    double *plain = SN_COPY(&body->arena, double, d, count);
    double *z = constants(count, 0, &body->arena), *az = constants(count, 0, &body->arena);
    double *rows = constants(turned->count * 4, 0, &body->arena), off = 0;
    snTurned_Begin(model, body->state);
    snTurned_Solve(model, body->state, sum);
    snFactor_SolveRowsSingle(model->factor, plain, body->state->solve);
    for (int k = 0; k < turned->count * 4; k++)
        rows[k] = d[4 * turned->vertex[k / 4] + k % 4];
    snFactor_SolveRowsSingle(turned->scalar, rows, body->state->turned->solve);
    for (int k = 0; k < count; k++)
        z[k] = sum[k] - plain[k];
    for (int k = 0; k < turned->count * 4; k++)
        z[4 * turned->vertex[k / 4] + k % 4] += rows[k];
    multiply(body, 0.1, z, az);
    for (int k = 0; k < turned->count * 4; k++) {
        int at = 4 * turned->vertex[k / 4] + k % 4;
        off = fmax(off, fabs(az[at] - d[at]));
        z[at] = 0;
    }
    printf("%d of %d vertices: A z is %.1e off\n", turned->count, model->freeCount, off);
    CHECK(off < 1e-3);
    for (int k = 0; k < count; k++)
        CHECK(z[k] == 0);
    freeBody(body);
}

// How far a bar that swings under gravity is from the same with 60 iterations, of its length.
static double distance(snMatrix matrix, snPrecision precision, int iterations)
{
    Body *body[2];
    double most = 0;
    for (int b = 0; b < 2; b++) {
        snLatticeModelDef def = withMatrix(b ? SN_MATRIX_SCALAR : matrix, SN_MOTION_FULL);
        def.iterations = b ? 60 : iterations;
        if (!b) def.precision = precision;
        body[b] = newBar(def, 12, 0.1);
    }
    for (int s = 0; s < 120; s++) {
        for (int b = 0; b < 2; b++)
            CHECK(snLattice_Step(body[b]->model, body[b]->state, &body[b]->drive));
        for (int k = 0; k < body[0]->model->freeCount * 4; k++)
            most = fmax(most, fabs(body[0]->state->position[k] - body[1]->state->position[k]));
    }
    freeBody(body[0]);
    freeBody(body[1]);
    return most / 3.6;
}

static void comesNearer(void)
{
    double scalar = distance(SN_MATRIX_SCALAR, SN_PRECISION_DOUBLE, 3);
    double turned = distance(SN_MATRIX_TURNED, SN_PRECISION_DOUBLE, 3);
    double single = distance(SN_MATRIX_TURNED, SN_PRECISION_SINGLE, 3);
    printf("three iterations end %.2f %% from the true swing of a bar 1:14, scalar %.2f %%, "
           "single precision %.2f %%\n",
           100 * turned, 100 * scalar, 100 * single);
    CHECK(turned < 0.015);
    CHECK(turned < 0.2 * scalar);
    CHECK(single < 0.015);
}

// Eight bodies in a batch, each thrown its own way, against each alone.
static void batchesAgreeWithSingles(void)
{
    enum { LANES = 8, STEPS = 40 };
    Body *body = newBar(withMatrix(SN_MATRIX_TURNED, SN_MOTION_SECONDARY), 10, 0.1);
    const snLatticeModel *model = body->model;
    int n = model->vertexCount;
    snLatticeState *batch;
    CHECK(!snLatticeState_Make(&batch, model, LANES, &body->context, NULL));
    double *rigs = constants(n * batch->width, 0, &body->arena);
    for (int s = 0; s <= STEPS; s++) {
        for (int l = 0; l < LANES; l++) {
            snAffine turn = {snQuatToMat(snQuatFromAxisAngle(snVec(0, 0, 1), 0.02 * s * (l - 3))),
                             snVec(0.01 * s * l, 0, 0)};
            snLatticeModel_Rig(model, &turn, body->rig);
            for (int i = 0; i < 3 * n; i++)
                rigs[snLatticeState_At(batch, i / 3, i % 3, l)] = body->rig[i / 3 * 4 + i % 3];
        }
        if (s == 0)
            snLatticeState_Start(model, batch, rigs, NULL);
        else
            CHECK(snLattice_Step(model, batch, &(snLatticeDrive){.rig = rigs}));
    }
    int different = 0;
    for (int l = 0; l < LANES; l++) {
        for (int s = 0; s <= STEPS; s++) {
            snAffine turn = {snQuatToMat(snQuatFromAxisAngle(snVec(0, 0, 1), 0.02 * s * (l - 3))),
                             snVec(0.01 * s * l, 0, 0)};
            snLatticeModel_Rig(model, &turn, body->rig);
            if (s == 0)
                snLatticeState_Start(model, body->state, body->rig, NULL);
            else
                CHECK(snLattice_Step(model, body->state, &body->drive));
        }
        for (int i = 0; i < 3 * n; i++)
            different += batch->position[snLatticeState_At(batch, i / 3, i % 3, l)] !=
                         body->state->position[i / 3 * 4 + i % 3];
    }
    CHECK(different == 0);
    snLatticeState_Destroy(batch);
    freeBody(body);
}

// Points in place hold: the scalar matrix, which they know, does while they are there.
static void holdsPoints(void)
{
    Body *body = newBar(withMatrix(SN_MATRIX_TURNED, SN_MOTION_FULL), 10, 0.1);
    snPointConstraintsDef def = snDefaultPointConstraintsDef();
    snPointConstraints *points;
    int handle;
    def.model = body->model;
    CHECK(!snPointConstraints_Make(&points, &def, &body->context, NULL));
    snVec3 rest = snVec(2.9, 0.1, 0.1);
    CHECK(!snPointConstraints_Attach(points, "tip", rest, &handle, NULL));
    body->drive.points = points;
    for (int s = 0; s < 60; s++) {
        CHECK(
            !snPointConstraints_Move(points, handle, 0, snAdd(rest, snVec(0, 0.005 * s, 0)), NULL));
        CHECK(snLattice_Step(body->model, body->state, &body->drive));
    }
    double miss = snLength(snPointConstraints_Residual(points, body->state->position, handle, 0));
    CHECK(miss < 1e-8 * 3);
    snPointConstraints_Destroy(points);
    freeBody(body);
}

// What the turned matrix does not go with is refused when asked for, and goes without when not.
static void refusesWhatDoesNotFit(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snLattice lattice = makeBlock(BLOCK_TETS, 12, 1, 1, snVec(3.6, 0.25, 0.25), &arena);
    snQuadrature quadrature;
    snQuadratureDef fine = snDefaultQuadratureDef();
    CHECK(!snQuadrature_Make(&quadrature, &lattice, &fine, &arena, &context, NULL));
    unsigned char *known = SN_NEW(&arena, unsigned char, lattice.vertexCount);
    for (int v = 0; v < lattice.vertexCount; v++)
        known[v] = lattice.rest[v].x < 0.1;
    for (int matrix = SN_MATRIX_AUTO; matrix <= SN_MATRIX_TURNED; matrix += SN_MATRIX_TURNED)
        for (int wrong = 0; wrong < 4; wrong++) {
            snLatticeModelDef def = withMatrix((snMatrix)matrix, SN_MOTION_SECONDARY);
            snLatticeModel *model;
            snError error = {0};
            def.lattice = &lattice;
            def.quadrature = &quadrature;
            def.known = known;
            def.young = constants(lattice.cellCount, 1e5, &arena);
            if (wrong == 0) def.solver = SN_SOLVER_NEWTON;
            if (wrong == 1) def.solver = SN_SOLVER_LINEAR;
            if (wrong == 2) def.material = SN_MATERIAL_NEO_HOOKEAN;
            if (wrong == 3) def.iterations = 1;
            snStatus status = snLatticeModel_Build(&model, &def, &context, &error);
            if (matrix == SN_MATRIX_AUTO)
                CHECK(!status && !model->turned);
            else
                CHECK(status == SN_ERROR_ARGUMENT && strstr(error.message, "turned"));
            snLatticeModel_Destroy(model);
        }
    snArena_Destroy(&arena);
}

static void everyAllocationMayFail(void)
{
    snContext plain = snDefaultContext();
    snArena arena = snMakeArena(&plain);
    snLattice lattice = makeBlock(BLOCK_TETS, 2, 1, 1, snVec(0.6, 0.25, 0.25), &arena);
    snQuadrature quadrature;
    snQuadratureDef fine = snDefaultQuadratureDef();
    CHECK(!snQuadrature_Make(&quadrature, &lattice, &fine, &arena, &plain, NULL));
    snLatticeModelDef def = withMatrix(SN_MATRIX_TURNED, SN_MOTION_SECONDARY);
    def.lattice = &lattice;
    def.quadrature = &quadrature;
    def.young = constants(lattice.cellCount, 1e5, &arena);
    snStatus status = SN_ERROR_MEMORY;
    for (int failAt = 1; status && failAt < 400; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snLatticeModel *model;
        snLatticeState *state = NULL;
        status = snLatticeModel_Build(&model, &def, &context, NULL);
        if (!status) status = snLatticeState_Make(&state, model, 1, &context, NULL);
        CHECK(status == (memory.count >= failAt ? SN_ERROR_MEMORY : SN_OK));
        snLatticeState_Destroy(state);
        snLatticeModel_Destroy(model);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(solvesTheLinearStepAtRest);
    RUN(turnsWithTheBody);
    RUN(knowsHowSoftABodyIs);
    RUN(addsWhereTheScalarMatrixLags);
    RUN(comesNearer);
    RUN(batchesAgreeWithSingles);
    RUN(holdsPoints);
    RUN(refusesWhatDoesNotFit);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
