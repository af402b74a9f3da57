// Details switched on and off: same positions and energies, exact gradients, the bordered solve, the
// fine solution where all of them act, and a body that refines where it is bent and calms down again.
#include "tests/test.h"

#include "body/lattice/swing.h"
#include "body/lattice/swing_detail.h"
#include "tests/body/lattice/bars.h"

static double energyOf(Body *body)
{
    return snLatticeState_ElasticEnergy(body->model, body->state, 0) +
           snLatticeState_KineticEnergy(body->model, body->state, 0);
}

static void switchingChangesNothing(void)
{
    for (int levels = 1; levels <= 2; levels++)
        for (int m = 0; m < SN_MATERIALS; m++) {
            snLatticeModelDef def = detailed(levels);
            def.material = (snMaterial)m;
            Body *body = newBar(def, 3, 0.01);
            shake(body->state->velocity, body->model->freeCount, 2, 3);
            for (int k = 0; k < 5; k++)
                CHECK(snLattice_Step(body->model, body->state, &body->drive));
            snDetail_Expand(body->model, body->state, body->state->position, true);
            int rows = body->model->vertexCount + body->model->detail->pointCount;
            double *before = SN_COPY(&body->arena, double, body->state->position, rows * 4);
            double elastic = snLatticeState_ElasticEnergy(body->model, body->state, 0);
            double kinetic = snLatticeState_KineticEnergy(body->model, body->state, 0), moved = 0;
            switchAll(body);
            CHECK(*body->state->active.count == body->model->detail->fine.count);
            snDetail_Expand(body->model, body->state, body->state->position, true);
            for (int k = 0; k < rows * 4; k++)
                moved = fmax(moved, fabs(before[k] - body->state->position[k]));
            double now = snLatticeState_ElasticEnergy(body->model, body->state, 0);
            printf("%d level(s), %d details: moved by %.1e m; energy %.6g J changes by %.1e, "
                   "motion %.6g J by %.1e\n",
                   levels, body->model->detail->fine.count, moved, elastic, now - elastic, kinetic,
                   snLatticeState_KineticEnergy(body->model, body->state, 0) - kinetic);
            CHECK(moved < 1e-15);
            CHECK(elastic > 1);
            CHECK_NEAR(now, elastic, 1e-11 * elastic);
            CHECK_NEAR(snLatticeState_KineticEnergy(body->model, body->state, 0), kinetic,
                       1e-12 * kinetic);
            freeBody(body);
        }
}

// The border: solves with random sets, reached by switching on and off, obey both rows of
//     A_00 x_0 + A_0d x_d = b_0,   A_d0 x_0 + A_dd x_d = b_d.
static double solveError(Body *body, uint64_t seed)
{
    const snLatticeModel *model = body->model;
    const snDetail *detail = model->detail;
    snLatticeState *state = body->state;
    const snActive *s = &state->active;
    int free0 = model->freeCount, n = model->unknownCount;
    double *b = constants(n * 4, 0, &body->arena), worst = 0;
    shake(b, n, 1, seed);
    for (int slot = 0; slot < n - free0; slot++)
        if (s->functionOf[slot] < 0) memset(b + 4 * (free0 + slot), 0, 4 * sizeof(double));
    double *x = SN_COPY(&body->arena, double, b, n * 4),
           *y = SN_COPY(&body->arena, double, b, n * 4);
    double *w = constants(free0 * 4, 0, &body->arena);
    snActive_Solve(model, state, x);
    for (int a = 0; a < *s->count; a++) {
        int slot = s->order[a], d = s->functionOf[slot];
        double row[4] = {0};
        for (int k = detail->fine.rowStart[d]; k < detail->fine.rowStart[d + 1]; k++) {
            int column = detail->fine.column[k];
            int at =
                column < 0 ? (s->slotOf[~column] < 0 ? -1 : free0 + s->slotOf[~column]) : column;
            if (at < 0 || at >= n) continue; // not active, or known
            for (int c = 0; c < 4; c++)
                row[c] += detail->fine.matrix[k] * x[4 * at + c];
            if (column >= 0)
                for (int c = 0; c < 4; c++)
                    w[4 * column + c] += detail->fine.matrix[k] * x[4 * (free0 + slot) + c];
        }
        for (int c = 0; c < 4; c++)
            worst = fmax(worst, fabs(row[c] - b[4 * (free0 + slot) + c]));
    }
    snFactor_SolveOrdered(model->factor, 4, w, state->solve); // A_00⁻¹ A_0d x_d
    snFactor_SolveOrdered(model->factor, 4, y, state->solve); // A_00⁻¹ b_0
    double scale = 0;
    for (int k = 0; k < free0 * 4; k++)
        scale = fmax(scale, fabs(y[k]));
    for (int k = 0; k < free0 * 4; k++)
        worst = fmax(worst, fabs(x[k] + w[k] - y[k]) / scale);
    return worst;
}

static void borderIsRight(void)
{
    Body *body = newBar(detailed(2), 2, 0.01);
    snAdaptDef def = snDefaultAdaptDef();
    snRandom random = snMakeRandom(8);
    double worst = 0;
    int most = 0;
    for (int round = 0; round < 60; round++) {
        // Strains at random: some details come, others go.
        double *strain = body->state->elements[0].strain;
        for (int k = 0; k < body->model->classes[0].groupCount * 9 * SN_GROUP; k++)
            strain[k] = snRandom_Uniform(&random, 0, 1) < 0.02 ? 0.3 : 0.001;
        snAdaptReport report = snLattice_Adapt(body->model, body->state, &def);
        if (report.active > most) most = report.active;
        worst = fmax(worst, solveError(body, (uint64_t)round));
    }
    printf("bordered solves with up to %d details of %d: residual %.1e\n", most,
           body->model->detail->fine.count, worst);
    CHECK(most > 20);
    CHECK(worst < 1e-10);
    freeBody(body);
}

static snLattice fineLattice(const snBasisMesh *mesh, snArena *arena)
{
    snLattice fine;
    snLattice_Alloc(&fine, mesh->vertexCount, mesh->tetCount, mesh->tetCount * 4, arena, NULL);
    memcpy(fine.rest, mesh->rest, (size_t)mesh->vertexCount * sizeof(snVec3));
    memcpy(fine.corners, mesh->tets, (size_t)mesh->tetCount * 4 * sizeof(int));
    for (int t = 0; t < mesh->tetCount; t++)
        fine.cellStart[t + 1] = 4 * (t + 1);
    return fine;
}

// With everything switched on the body is the fine mesh: the same sag under gravity as a lattice made
// of the fine tets, computed without details.
static void allDetailsAreTheFineMesh(void)
{
    snLatticeModelDef def = detailed(1);
    def.motion = SN_MOTION_FULL;
    def.gravity = snVec(0, -3, 0);
    def.massDamping = 8;
    def.iterations = 20;
    Body *coarse = newBar(def, 3, 0.01), *body = newBar(def, 3, 0.01);
    Body *fine = calloc(1, sizeof *fine);
    switchAll(body);
    const snBasisMesh *mesh = &body->basis[0].mesh;
    fine->context = snDefaultContext();
    fine->arena = snMakeArena(&fine->context);
    fine->lattice = fineLattice(mesh, &fine->arena);
    def.levels = 0;
    build(fine, def, 0.01, body->lattice.vertexCount);
    Body *bodies[3] = {coarse, body, fine};
    for (int b = 0; b < 3; b++)
        for (int k = 0; k < 1200; k++)
            CHECK(snLattice_Step(bodies[b]->model, bodies[b]->state, &bodies[b]->drive));
    double worst = 0, sag[3] = {0};
    snDetail_Expand(body->model, body->state, body->state->position, true);
    for (int v = 0; v < mesh->vertexCount; v++) {
        const double *x = fine->state->position + 4 * fine->model->indexOf[v];
        int n = body->lattice.vertexCount;
        int at = v < n ? body->model->indexOf[v] : body->model->vertexCount + v - n;
        const double *y = body->state->position + 4 * at;
        for (int c = 0; c < 3; c++)
            worst = fmax(worst, fabs(x[c] - y[c]));
        sag[1] = fmax(sag[1], mesh->rest[v].y - y[1]);
        sag[2] = fmax(sag[2], mesh->rest[v].y - x[1]);
    }
    for (int v = 0; v < coarse->lattice.vertexCount; v++)
        sag[0] = fmax(sag[0], coarse->lattice.rest[v].y -
                                  coarse->state->position[4 * coarse->model->indexOf[v] + 1]);
    printf("sag: %.4f m coarse, %.4f m with all details, %.4f m on the fine mesh; they differ by "
           "%.1e m\n",
           sag[0], sag[1], sag[2], worst);
    CHECK(sag[2] > 1.3 * sag[0]);
    CHECK(worst < 1e-4 * sag[2]);
    freeBody(coarse);
    freeBody(body);
    freeBody(fine);
}

// The frequency at which the tip goes through rest, after a small blow that bends the bar.
static double ring(Body *body)
{
    snLatticeState *state = body->state;
    double h = body->model->def.step, last = 0, first = 0, end = 0;
    int crossings = 0, tip = 0;
    for (int i = 0; i < body->model->freeCount; i++) {
        double x = body->model->rest[i].x;
        state->velocity[4 * i + 1] = 0.05 * x * x;
        if (x > body->model->rest[tip].x) tip = i;
    }
    for (int k = 0; k < 1000; k++) {
        CHECK(snLattice_Step(body->model, state, &body->drive));
        double y = state->position[4 * tip + 1] - body->model->rest[tip].y;
        if (k > 0 && (y > 0) != (last > 0)) {
            end = h * (k + last / (last - y));
            if (crossings++ == 0) first = end;
        }
        last = y;
    }
    return crossings > 1 ? (crossings - 1) / (2 * (end - first)) : 0;
}

static double slowestOf(const snSwingDef *def, snArena *arena)
{
    snSwings *swings;
    snSwing swing;
    CHECK(snSwings_Make(&swings, def->stiffness, arena, NULL) == SN_OK);
    CHECK(snSwings_Slowest(swings, def, 1, 0.02, &swing, NULL) == SN_OK);
    return sqrt(swing.omega2) / (2 * SN_PI);
}

// The slowest swing of a bar by snFineSwing_Make with all details of a level is that of a lattice made of
// the fine tets; with fewer details it is faster, fastest by the lattice alone. And the body rings at it.
static void swingsAreThoseOfTheFineMesh(void)
{
    snLatticeModelDef def = detailed(1);
    def.stiffnessDamping = 0.0005;
    def.massDamping = 0;
    def.iterations = 20;
    Body *body = newBar(def, 3, 0.01), *fine = calloc(1, sizeof *fine);
    snArena *arena = &body->arena;
    fine->context = snDefaultContext();
    fine->arena = snMakeArena(&fine->context);
    fine->lattice = fineLattice(&body->basis[0].mesh, &fine->arena);
    int n = body->lattice.vertexCount, all = fine->lattice.vertexCount;
    unsigned char *loose = SN_NEW(arena, unsigned char, all);
    double *shape = constants(3 * n, 0, arena), found[3];
    const double refine[1] = {0.15}, *young = constants(fine->lattice.cellCount, 1e5, arena);
    const snBasis *bases[1] = {&body->basis[0]};
    int clamped = 0; // details at the held end are in no part
    for (int v = 0; v < all; v++) {
        loose[v] = fine->lattice.rest[v].x > 0.01;
        clamped += v >= n && !loose[v];
    }
    for (int v = 0; v < n; v++) // how a bar bends
        shape[3 * v + 1] = body->lattice.rest[v].x * body->lattice.rest[v].x;
    const int most[3] = {0, 40, 1000};
    for (int k = 0; k < 3; k++) {
        snFineSwingDef swing = {&body->lattice, &body->quadrature, bases, 1,     young,
                                def.poisson,    def.density,       loose, shape, refine,
                                most[k]};
        snFineSwing made;
        CHECK(snFineSwing_Make(&made, &swing, arena, NULL) == SN_OK);
        CHECK(made.detailCount == (k < 2 ? most[k] : all - n - clamped) &&
              made.count == n + made.detailCount);
        snSwingDef system = {.stiffness = &made.stiffness,
                             .free = made.free,
                             .massMatrix = &made.mass,
                             .vertexCount = n};
        found[k] = slowestOf(&system, arena);
    }
    snQuadrature quadrature;
    snQuadratureDef quadratureDef = {.level = 0, .samples = 4};
    snSparse stiffness, mass;
    CHECK(snQuadrature_Make(&quadrature, &fine->lattice, &quadratureDef, arena, &fine->context,
                            NULL) == SN_OK);
    CHECK(snLattice_Stiffness(&stiffness, &fine->lattice, &quadrature, young, def.poisson, arena,
                              NULL) == SN_OK);
    CHECK(snLattice_Mass(&mass, &fine->lattice, &quadrature, def.density, arena, NULL) == SN_OK);
    snSwingDef system = {
        .stiffness = &stiffness, .free = loose, .massMatrix = &mass, .vertexCount = all};
    double exact = slowestOf(&system, arena);
    for (int v = n; v < all; v++) // but they act
        loose[v] = 1;
    double whole = slowestOf(&system, arena);
    switchAll(body);
    double rung = ring(body);
    printf("slowest swing: %.4f Hz by the lattice, %.4f Hz with 40 details, %.4f Hz with all, %.4f "
           "Hz by "
           "the fine mesh; with those of the held end %.4f Hz, and the body rings at %.4f Hz\n",
           found[0], found[1], found[2], exact, whole, rung);
    CHECK(found[0] > found[1] && found[1] > found[2]);
    // snSwings adds a millionth of the diagonal, which is another one in another basis.
    CHECK_NEAR(found[2] / exact, 1, 0.006);
    CHECK_NEAR(rung / whole, 1, 0.05);
    freeBody(body);
    snArena_Destroy(&fine->arena);
    free(fine);
}

// A blow at the free end: details come where it bends, nothing jumps when they come or go, energy only
// falls, and all are gone when the body is at rest.
static void bodyAdapts(void)
{
    snLatticeModelDef def = detailed(1);
    def.mostDetails = 60;
    def.massDamping = 3;
    def.iterations = 10;
    Body *body = newBar(def, 5, 0.01);
    snLatticeState *state = body->state;
    for (int i = 0; i < body->model->freeCount; i++)
        state->velocity[4 * i + 1] += 6 * body->model->rest[i].x;
    snAdaptDef adapt = snDefaultAdaptDef();
    double jump = 0, rise = 0, start = energyOf(body), size = 1;
    int most = 0, changes = 0, waiting = 0,
        rows = body->model->vertexCount + body->model->detail->pointCount;
    double *before = constants(rows * 4, 0, &body->arena);
    for (int k = 0; k < 1500; k++) {
        double energy = energyOf(body);
        CHECK(snLattice_Step(body->model, state, &body->drive));
        double stepped = energyOf(body);
        rise = fmax(rise, (stepped - energy) / start);
        snDetail_Expand(body->model, state, state->position, true);
        memcpy(before, state->position, (size_t)rows * 4 * sizeof(double));
        snAdaptReport report = snLattice_Adapt(body->model, state, &adapt);
        rise = fmax(rise, (energyOf(body) - stepped) / start);
        snDetail_Expand(body->model, state, state->position, true);
        for (int i = 0; i < rows; i++)
            if (i < body->model->freeCount || i >= body->model->vertexCount)
                for (int c = 0; c < 3; c++)
                    jump = fmax(jump, fabs(before[4 * i + c] - state->position[4 * i + c]));
        if (report.active > most) most = report.active;
        if (report.wanted > waiting) waiting = report.wanted;
        changes += report.added + report.removed;
    }
    printf("up to %d details acted (%d more wanted to), %d changes, %d left; largest jump %.1e of "
           "the size, largest rise of energy %.1e of the blow's\n",
           most, waiting, changes, *state->active.count, jump / size, rise);
    CHECK(most > 10);
    CHECK(most <= 60);
    CHECK(*state->active.count == 0);
    CHECK(jump < 3e-5);
    CHECK(rise < 1e-7);
    freeBody(body);
}

static void restoringGivesTheSameBits(void)
{
    uint64_t hash[2];
    for (int run = 0; run < 2; run++) {
        Body *body = newBar(detailed(1), 4, 0.01);
        snAdaptDef adapt = snDefaultAdaptDef();
        void *saved = malloc(body->state->blockSize);
        for (int i = 0; i < body->model->freeCount; i++)
            body->state->velocity[4 * i + 1] += 6 * body->model->rest[i].x;
        for (int k = 0; k < 60; k++) {
            if (k == 30 && run) {
                snLatticeState_Save(body->state, saved);
                for (int i = 0; i < 10; i++) {
                    snLattice_Step(body->model, body->state, &body->drive);
                    snLattice_Adapt(body->model, body->state, &adapt);
                }
                snLatticeState_Restore(body->state, saved);
            }
            CHECK(snLattice_Step(body->model, body->state, &body->drive));
            snLattice_Adapt(body->model, body->state, &adapt);
        }
        CHECK(*body->state->active.count > 0);
        hash[run] = snLatticeState_Hash(body->state);
        free(saved);
        freeBody(body);
    }
    printf("state hash %016llx\n", (unsigned long long)hash[0]);
    CHECK(hash[0] == hash[1]);
}

static void badRequestsAreRefused(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snLattice hexes = makeBlock(BLOCK_HEXES, 1, 1, 1, snVec(1, 1, 1), &arena);
    snLattice tets = makeBlock(BLOCK_TETS, 1, 1, 1, snVec(1, 1, 1), &arena);
    for (int k = 0; k < 4; k++) {
        snLatticeModelDef def = detailed(1);
        const snLattice *lattice = k == 0 ? &hexes : &tets;
        snBasis basis;
        snQuadrature q;
        snBasisDef basisDef = snDefaultBasisDef();
        snQuadratureDef quadrature = snDefaultQuadratureDef();
        basisDef.lattice = lattice;
        basisDef.levels = basisDef.quadratureLevel = 1;
        CHECK(snBasis_Make(&basis, &basisDef, &arena, &context, NULL) == SN_OK);
        CHECK(snQuadrature_Make(&q, lattice, &quadrature, &arena, &context, NULL) == SN_OK);
        const snBasis *bases[1] = {&basis};
        def.bases = bases;
        def.lattice = lattice;
        def.quadrature = &q;
        def.young = constants(lattice->cellCount, 1e5, &arena);
        if (k == 1) def.levels = SN_DETAIL_LEVELS + 1;
        if (k == 2) def.mostDetails = 0;
        if (k == 3) def.solver = SN_SOLVER_LINEAR;
        snLatticeModel *model;
        snError error = {0};
        CHECK(snLatticeModel_Build(&model, &def, &context, &error) != SN_OK);
        CHECK(model == NULL && error.message[0]);
    }
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(switchingChangesNothing);
    RUN(borderIsRight);
    RUN(allDetailsAreTheFineMesh);
    RUN(swingsAreThoseOfTheFineMesh);
    RUN(bodyAdapts);
    RUN(restoringGivesTheSameBits);
    RUN(badRequestsAreRefused);
    return snTest_Finish();
}
