// Points of lattice bodies that are held: against dense algebra, over many moves, and at the edges.
#include "tests/test.h"

#include "body/lattice/point.h"
#include "body/lattice/step.h"
#include "core/core.h"
#include "numerics/dense.h"
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
    double *rig; // [vertices * 4]
} Body;

// Tets, or all kinds of cells; vertices at x = 0 are known. Stiffness differs by 10^contrast.
static Body *makeBody(bool mixed, int nx, double contrast)
{
    Body *body = calloc(1, sizeof *body);
    unsigned char boundary[96];
    body->context = snDefaultContext();
    body->arena = snMakeArena(&body->context);
    body->lattice =
        mixed ? makeMixed(boundary, 0.15, &body->arena)
              : makeBlock(BLOCK_TETS, nx, nx / 2, nx / 2, snVec(1, 0.5, 0.5), &body->arena);
    int n = body->lattice.vertexCount;
    double *young = SN_NEW(&body->arena, double, body->lattice.cellCount);
    snRandom random = snMakeRandom(1);
    for (int c = 0; c < body->lattice.cellCount; c++)
        young[c] = 1e4 * snExp(2.302585 * contrast * snRandom_Uniform(&random, 0, 1));
    body->quadrature = quadratureOf(&body->lattice, &body->arena, &body->context);
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.lattice = &body->lattice;
    def.quadrature = &body->quadrature;
    def.known = heldUpTo(&body->lattice, 0, &body->arena);
    def.young = young;
    if (!CHECK(snLatticeModel_Build(&body->model, &def, &body->context, NULL) == SN_OK)) exit(1);
    body->rig = SN_NEW(&body->arena, double, n * 4);
    snLatticeModel_Rig(body->model, NULL, body->rig); // without weights: at rest
    return body;
}

static void freeBody(Body *body)
{
    snLatticeModel_Destroy(body->model);
    snArena_Destroy(&body->arena);
    free(body);
}

static snPointConstraints *makePoints(const Body *body, int capacity)
{
    snPointConstraintsDef def = snDefaultPointConstraintsDef();
    snPointConstraints *points;
    def.model = body->model;
    def.capacity = capacity;
    if (!CHECK(snPointConstraints_Make(&points, &def, &body->context, NULL) == SN_OK)) exit(1);
    return points;
}

static snVec3 randomPoint(snRandom *random, const snLattice *lattice)
{
    int cell = snRandom_Below(random, lattice->cellCount), n = (int)snLattice_Kind(lattice, cell);
    snVec3 point = {0, 0, 0};
    double weight[SN_CELL_CORNERS], sum = 0;
    for (int k = 0; k < n; k++)
        sum += weight[k] = snRandom_Uniform(random, 0.05, 1);
    for (int k = 0; k < n; k++)
        point =
            snMulAdd(point, weight[k] / sum, lattice->rest[snLattice_Corners(lattice, cell)[k]]);
    return point;
}

static int attach(snPointConstraints *points, snVec3 rest)
{
    snError error;
    int handle;
    if (!CHECK(snPointConstraints_Attach(points, "point", rest, &handle, &error) == SN_OK))
        printf("%s\n", error.message);
    return handle;
}

static double missAt(const snPointConstraints *points, const double *x, int handle)
{
    return snLength(snPointConstraints_Residual(points, x, handle, 0));
}

// A point attached by its place has the weights of the embedding, and rests where it rests.
static void attachesWhereEmbeddingDoes(void)
{
    for (int mixed = 0; mixed < 2; mixed++) {
        Body *body = makeBody(mixed, 4, 0);
        snPointConstraints *points = makePoints(body, 100);
        snRandom random = snMakeRandom(2);
        snVec3 places[40];
        for (int i = 0; i < 40; i++)
            places[i] = randomPoint(&random, &body->lattice);
        places[0] = snVec(1e-3, -0.02, 0.2); // a little outside
        places[1] = body->lattice.rest[5];   // a corner of several cells
        snEmbedding embedding;
        CHECK(snEmbed(&embedding, &body->lattice, 40, places, &body->arena, &body->context, NULL) ==
              SN_OK);
        for (int i = 0; i < 40; i++) {
            int here = attach(points, places[i]), there;
            CHECK(snPointConstraints_AttachRow(points, "row", &embedding, i, &there, NULL) ==
                  SN_OK);
            size_t a = (size_t)here * SN_CELL_CORNERS, b = (size_t)there * SN_CELL_CORNERS;
            CHECK(points->set->termCount[here] == points->set->termCount[there]);
            CHECK(points->knownCount[here] == points->knownCount[there]);
            CHECK(!memcmp(points->set->weight + a, points->set->weight + b, 8 * sizeof(double)));
            CHECK(!memcmp(points->knownVertex + a, points->knownVertex + b, 8 * sizeof(int)));
            CHECK_NEAR(missAt(points, body->rig, here), 0, 1e-12);
        }
        CHECK(snPointConstraints_Begin(points, NULL, body->rig) == 0);
        CHECK(points->set->kept <= 40); // every second one is there twice
        snPointConstraints_Destroy(points);
        freeBody(body);
    }
}

// y = x + A⁻¹ Cᵀ (C A⁻¹ Cᵀ)⁻¹ (a - C x) with the inverse written out.
static void agreesWithDenseAlgebra(void)
{
    enum { COUNT = 7 };
    Body *body = makeBody(true, 0, 1);
    const snLatticeModel *model = body->model;
    snPointConstraints *points = makePoints(body, COUNT);
    snRandom random = snMakeRandom(3);
    int n = model->freeCount, pivot[COUNT];
    double *inverse = calloc((size_t)(n * n), sizeof(double)), *x = calloc((size_t)n * 4 + 400, 8);
    double *solve = calloc(snFactor_ScratchSize(model->factor, 1) + 1, sizeof(double));
    for (int i = 0; i < n; i++) {
        inverse[i * n + i] = 1;
        snFactor_SolveOrdered(model->factor, 1, inverse + i * n, solve);
    }
    double c[COUNT][200] = {{0}}, s[COUNT * COUNT] = {0}, right[COUNT], worst = 0;
    for (int r = 0; r < COUNT; r++) {
        int handle = attach(points, randomPoint(&random, &body->lattice));
        snVec3 target = snScale(3, snRandom_UnitVector(&random));
        CHECK(snPointConstraints_Move(points, handle, 0, target, NULL) == SN_OK);
        for (int k = 0; k < points->set->termCount[handle]; k++)
            c[r][points->set->index[handle * 8 + k]] += points->set->weight[handle * 8 + k];
    }
    memcpy(x, body->rig, (size_t)model->vertexCount * 4 * sizeof(double));
    CHECK(snPointConstraints_Begin(points, NULL, body->rig) == 0 && points->set->kept == COUNT);
    snPointConstraints_Correct(points, x);
    for (int a = 0; a < COUNT; a++)
        for (int b = 0; b < COUNT; b++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    s[b * COUNT + a] += c[a][i] * inverse[j * n + i] * c[b][j];
    CHECK(snDenseLu(COUNT, s, pivot, NULL) == SN_OK);
    for (int component = 0; component < 3; component++) {
        for (int r = 0; r < COUNT; r++) {
            snVec3 miss = snPointConstraints_Residual(points, body->rig, r, 0);
            right[r] = component == 0 ? -miss.x : component == 1 ? -miss.y : -miss.z;
        }
        snDenseLu_Solve(COUNT, s, pivot, right);
        for (int i = 0; i < n; i++) {
            double y = body->rig[4 * i + component];
            for (int r = 0; r < COUNT; r++)
                for (int j = 0; j < n; j++)
                    y += inverse[j * n + i] * c[r][j] * right[r];
            worst = fmax(worst, fabs(y - x[4 * i + component]));
        }
    }
    printf("off the dense answer by %.2e\n", worst);
    CHECK_NEAR(worst, 0, 1e-10);
    for (int i = 0; i < model->vertexCount; i++)
        CHECK(x[4 * i + 3] == 0);
    free(inverse);
    free(x);
    free(solve);
    snPointConstraints_Destroy(points);
    freeBody(body);
}

// Points come, move and go on a body whose stiffness varies a hundredthousandfold, while the rig
// moves. Their targets are those of one moving lattice, so all can be met: also where there are more
// in a cell than it has vertices.
static void pointsComeAndGo(void)
{
    Body *body = makeBody(false, 8, 5);
    const snLatticeModel *model = body->model;
    snPointConstraints *points = makePoints(body, 60);
    snRandom random = snMakeRandom(4);
    int n = model->vertexCount * 4, live = 0, added = 0;
    double *x = calloc((size_t)n, sizeof *x), *goal = calloc((size_t)n, sizeof *x), worst = 0;
    int64_t redundant = 0;
    bool there[60] = {false};
    memcpy(goal, body->rig, (size_t)n * sizeof *x);
    for (int round = 0; round < 60; round++) {
        for (int change = 0; change < (round ? 4 : 60); change++) {
            int k = snRandom_Below(&random, 60);
            if (there[k] && live > 50) {
                CHECK(snPointConstraints_Release(points, k, NULL) == SN_OK);
                there[k] = false, live--;
                continue;
            }
            snVec3 place = randomPoint(&random, &body->lattice);
            if (change % 2) place = snScale(0.2, place); // crowded near the bone
            there[attach(points, place)] = true, live++, added++;
        }
        for (int i = 0; i < n; i++)
            if (i % 4 < 3) goal[i] += 0.01 * snRandom_Normal(&random);
        for (int k = 0; k < 60; k++) {
            if (!there[k]) continue;
            // The residual is measured from the target: put that to where `goal` has the point.
            CHECK(snPointConstraints_Move(points, k, 0, snVec(0, 0, 0), NULL) == SN_OK);
            snVec3 target = snPointConstraints_Residual(points, goal, k, 0);
            CHECK(snPointConstraints_Move(points, k, 0, target, NULL) == SN_OK);
        }
        CHECK(snPointConstraints_Begin(points, NULL, goal) == 0);
        memcpy(x, goal, (size_t)n * sizeof *x); // known vertices follow, the others are elsewhere
        for (int i = 0; i < model->freeCount * 4; i++)
            x[i] = i % 4 < 3 ? snRandom_Normal(&random) : 0;
        snPointConstraints_Correct(points, x);
        for (int k = 0; k < 60; k++)
            if (there[k]) worst = fmax(worst, missAt(points, x, k));
        redundant += live - points->set->kept;
    }
    printf("%d points added, %d at a time, %.1f redundant: worst miss %.2e\n", added, live,
           (double)redundant / 60, worst);
    CHECK_NEAR(worst, 0, 1e-8);
    CHECK(redundant > 0);
    CHECK(points->set->columnsSolved == added);
    free(x);
    free(goal);
    snPointConstraints_Destroy(points);
    freeBody(body);
}

// What a quasi-Newton search relies on: P A⁻¹ is symmetric and not negative, and a corrected guess
// plus projected directions meets the constraints.
static void directionsKeepPointsInPlace(void)
{
    Body *body = makeBody(false, 4, 2);
    const snLatticeModel *model = body->model;
    snPointConstraints *points = makePoints(body, 8);
    snRandom random = snMakeRandom(5);
    int n = model->freeCount * 4;
    for (int r = 0; r < 6; r++) {
        int handle = attach(points, randomPoint(&random, &body->lattice));
        snPointConstraints_Move(points, handle, 0, snRandom_UnitVector(&random), NULL);
    }
    CHECK(snPointConstraints_Begin(points, NULL, body->rig) == 0);
    double *solve = calloc(snFactor_ScratchSize(model->factor, 4) + 1, sizeof(double));
    double *x = calloc((size_t)model->vertexCount * 4, sizeof(double)), *g[2], *d[2];
    memcpy(x, body->rig, (size_t)model->vertexCount * 4 * sizeof(double));
    snPointConstraints_Correct(points, x);
    for (int k = 0; k < 2; k++) {
        g[k] = calloc((size_t)n, sizeof(double));
        d[k] = calloc((size_t)n, sizeof(double));
        for (int i = 0; i < n; i++)
            g[k][i] = d[k][i] = i % 4 < 3 ? snRandom_Normal(&random) : 0;
        snFactor_SolveOrdered(model->factor, 4, d[k], solve);
        snPointConstraints_Project(points, d[k]);
        CHECK(snDotProduct(n, g[k], d[k]) > 0);
        for (int i = 0; i < n; i++)
            x[i] += d[k][i];
    }
    double there = snDotProduct(n, g[0], d[1]), back = snDotProduct(n, g[1], d[0]);
    CHECK_NEAR(there, back, 1e-10 * (1 + fabs(there)));
    for (int k = 0; k < 6; k++)
        CHECK_NEAR(missAt(points, x, k), 0, 1e-9);
    for (int k = 0; k < 2; k++) {
        free(g[k]);
        free(d[k]);
    }
    free(x);
    free(solve);
    snPointConstraints_Destroy(points);
    freeBody(body);
}

// Eight bodies side by side move by the bits of one alone.
static void lanesAreAlone(void)
{
    enum { LANES = 8, COUNT = 5 };
    Body *body = makeBody(true, 0, 1);
    const snLatticeModel *model = body->model;
    snPointConstraintsDef def = snDefaultPointConstraintsDef();
    snPointConstraints *batch, *single = makePoints(body, COUNT);
    def.model = model;
    def.capacity = COUNT;
    def.lanes = LANES;
    CHECK(snPointConstraints_Make(&batch, &def, &body->context, NULL) == SN_OK);
    snRandom random = snMakeRandom(6);
    int n = model->vertexCount;
    double *wide = calloc((size_t)n * 24, sizeof *wide), *rig = calloc((size_t)n * 24, sizeof *rig);
    double *x = calloc((size_t)n * 4, sizeof *x), *start = calloc((size_t)n * 24, sizeof *x);
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            for (int l = 0; l < LANES; l++) {
                rig[i * 24 + c * LANES + l] = body->rig[4 * i + c];
                start[i * 24 + c * LANES + l] = snRandom_Normal(&random);
            }
    snVec3 targets[COUNT][LANES];
    for (int r = 0; r < COUNT; r++) {
        snVec3 place = randomPoint(&random, &body->lattice);
        CHECK(attach(batch, place) == r && attach(single, place) == r);
        for (int l = 0; l < LANES; l++) {
            targets[r][l] = snScale(2, snRandom_UnitVector(&random));
            CHECK(snPointConstraints_Move(batch, r, l, targets[r][l], NULL) == SN_OK);
        }
    }
    CHECK(snPointConstraints_Begin(batch, NULL, rig) == 0);
    memcpy(wide, start, (size_t)n * 24 * sizeof *wide);
    snPointConstraints_Correct(batch, wide);
    for (int l = 0; l < LANES; l++) {
        for (int i = 0; i < n; i++)
            for (int c = 0; c < 3; c++)
                x[4 * i + c] = start[i * 24 + c * LANES + l];
        for (int r = 0; r < COUNT; r++)
            snPointConstraints_Move(single, r, 0, targets[r][l], NULL);
        CHECK(snPointConstraints_Begin(single, NULL, body->rig) == 0);
        snPointConstraints_Correct(single, x);
        bool same = true;
        for (int i = 0; i < model->freeCount; i++)
            for (int c = 0; c < 3; c++)
                same &= x[4 * i + c] == wide[i * 24 + c * LANES + l];
        CHECK(same);
    }
    for (int i = 0; i < n; i++) // known vertices where they belong
        for (int k = 0; k < 24 && i >= model->freeCount; k++)
            wide[i * 24 + k] = rig[i * 24 + k];
    CHECK_NEAR(snLength(snPointConstraints_Residual(batch, wide, 2, 5)), 0, 1e-10);
    CHECK(snPointConstraints_Move(batch, 0, LANES, targets[0][0], NULL) == SN_ERROR_ARGUMENT);
    free(wide);
    free(rig);
    free(x);
    free(start);
    snPointConstraints_Destroy(batch);
    snPointConstraints_Destroy(single);
    freeBody(body);
}

// The scalar matrix as one of 3x3 blocks gives the same.
typedef struct Blocks {
    const snLatticeModel *model;
    double *solve;
} Blocks;

static void solveBlocks(void *context, const double *x, double *y)
{
    Blocks *blocks = context;
    memcpy(y, x, (size_t)blocks->model->freeCount * 3 * sizeof *y);
    snFactor_SolveOrdered(blocks->model->factor, 3, y, blocks->solve);
}

static void blocksAgreeWithNumbers(void)
{
    Body *body = makeBody(true, 0, 1);
    const snLatticeModel *model = body->model;
    Blocks blocks = {model, calloc(snFactor_ScratchSize(model->factor, 3) + 1, sizeof(double))};
    snPointConstraintsDef def = snDefaultPointConstraintsDef();
    snPointConstraints *wide, *plain = makePoints(body, 20);
    def.model = model;
    def.capacity = 20;
    def.block = 3;
    snError error;
    CHECK(snPointConstraints_Make(&wide, &def, &body->context, &error) == SN_ERROR_ARGUMENT);
    def.inverse = (snOperator){solveBlocks, &blocks};
    def.projector = true;
    CHECK(snPointConstraints_Make(&wide, &def, &body->context, &error) == SN_OK);
    snRandom random = snMakeRandom(7);
    int n = model->vertexCount * 4;
    double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *x), worst = 0;
    for (int i = 0; i < n; i++)
        x[i] = y[i] =
            i % 4 == 3 || i >= model->freeCount * 4 ? body->rig[i] : snRandom_Normal(&random);
    for (int r = 0; r < 18; r++) {
        snVec3 place =
            r < 9 ? randomPoint(&random, &body->lattice) // and nine in one cell
                  : snAdd(snVec(4.5, 1.5, 0.6), snScale(0.2, snRandom_UnitVector(&random)));
        snVec3 target = snAdd(place, snVec(0.1, 0.2, 0.3)); // all can move by the same
        snPointConstraints_Move(plain, attach(plain, place), 0, target, NULL);
        snPointConstraints_Move(wide, attach(wide, place), 0, target, NULL);
    }
    for (int i = 0; i < n; i++)
        body->rig[i] += i % 4 == 3 ? 0 : 0.1 * (1 + i % 4);
    for (int i = model->freeCount * 4; i < n; i++)
        x[i] = y[i] = body->rig[i];
    int a = snPointConstraints_Begin(plain, NULL, body->rig),
        b = snPointConstraints_Begin(wide, NULL, body->rig);
    CHECK(a == b && plain->set->kept == wide->set->kept);
    CHECK(wide->set->columnsSolved == 3 * plain->set->columnsSolved);
    snPointConstraints_Correct(plain, x);
    snPointConstraints_Correct(wide, y);
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(x[i] - y[i]));
    printf("%d kept of 18; blocks off by %.2e\n", wide->set->kept, worst);
    CHECK_NEAR(worst, 0, 1e-8);

    // Conjugate gradients: the start meets all, the projection keeps them.
    for (int i = 0; i < model->freeCount * 4; i++)
        x[i] = i % 4 == 3 ? 0 : snRandom_Normal(&random);
    snPointConstraints_Start(wide, x);
    double *change = calloc((size_t)model->freeCount * 3, sizeof *change);
    for (int i = 0; i < model->freeCount * 3; i++)
        change[i] = snRandom_Normal(&random);
    snProjection projection = snPointConstraints_Projection(wide, 3);
    projection.apply(projection.context, change);
    for (int round = 0; round < 2; round++) {
        for (int r = 0; r < 18; r++)
            CHECK_NEAR(missAt(wide, x, r), 0, 1e-8);
        for (int i = 0; i < model->freeCount * 3; i++)
            x[i / 3 * 4 + i % 3] += change[i];
    }
    free(change);
    free(x);
    free(y);
    free(blocks.solve);
    snPointConstraints_Destroy(wide);
    snPointConstraints_Destroy(plain);
    freeBody(body);
}

// On the bones nothing can be moved: met where the rig is, in conflict elsewhere.
static void pointsOnBones(void)
{
    Body *body = makeBody(false, 4, 0);
    const snLatticeModel *model = body->model;
    snPointConstraints *points = makePoints(body, 3);
    int face = attach(points, snVec(0, 0.2, 0.3)), vertex,
        v = model->vertexOf[model->vertexCount - 1];
    CHECK(snPointConstraints_AttachVertex(points, "bone", v, &vertex, NULL) == SN_OK);
    CHECK(points->set->termCount[face] == 0 && points->set->columnsSolved == 0);
    CHECK(snPointConstraints_Begin(points, NULL, body->rig) == 0);
    double *x = calloc((size_t)model->vertexCount * 4, sizeof *x);
    memcpy(x, body->rig, (size_t)model->vertexCount * 4 * sizeof *x);
    snPointConstraints_Correct(points, x);
    CHECK(!memcmp(x, body->rig, (size_t)model->vertexCount * 4 * sizeof *x));
    snVec3 away = snAdd(body->lattice.rest[v], snVec(0, 0.5, 0));
    CHECK(snPointConstraints_Move(points, vertex, 0, away, NULL) == SN_OK);
    CHECK(snPointConstraints_Begin(points, NULL, body->rig) == 1);
    snConstraintReport report = snConstraintSet_Report(points->set, 1);
    CHECK(report.state == SN_CONSTRAINT_CONFLICTING && strstr(report.message.message, "\"bone\""));
    CHECK_NEAR(report.miss, 0.5, 1e-12);
    // The rig goes there: met.
    for (int i = 0; i < model->vertexCount; i++)
        body->rig[4 * i + 1] += 0.5;
    snVec3 there = snVec(0, 0.7, 0.3);
    CHECK(snPointConstraints_Move(points, face, 0, there, NULL) == SN_OK);
    CHECK(snPointConstraints_Begin(points, NULL, body->rig) == 0);
    // A free vertex is a term of its own.
    int own;
    CHECK(snPointConstraints_AttachVertex(points, "free", model->vertexOf[0], &own, NULL) == SN_OK);
    CHECK(points->set->termCount[own] == 1 && points->knownCount[own] == 0);
    body->rig[4 * (model->vertexCount - 1)] = NAN;
    CHECK(snPointConstraints_Begin(points, NULL, body->rig) == -1);
    free(x);
    snPointConstraints_Destroy(points);
    freeBody(body);
}

static void savesAndRestores(void)
{
    Body *body = makeBody(true, 0, 1);
    snPointConstraints *points = makePoints(body, 12), *other = makePoints(body, 12);
    snRandom random = snMakeRandom(8);
    int n = body->model->vertexCount * 4;
    double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *x);
    void *bytes = malloc(snPointConstraints_SaveSize(points));
    for (int r = 0; r < 10; r++)
        snPointConstraints_Move(points, attach(points, randomPoint(&random, &body->lattice)), 0,
                                snRandom_UnitVector(&random), NULL);
    snPointConstraints_Release(points, 3, NULL);
    snPointConstraints_Save(points, bytes);
    attach(other, randomPoint(&random, &body->lattice));
    CHECK(snPointConstraints_Restore(other, bytes, NULL) == SN_OK);
    CHECK(snPointConstraints_Begin(points, NULL, body->rig) ==
          snPointConstraints_Begin(other, NULL, body->rig));
    snPointConstraints_Correct(points, x);
    snPointConstraints_Correct(other, y);
    CHECK(!memcmp(x, y, (size_t)n * sizeof *x));
    snError error;
    size_t size = snPointConstraints_SaveSize(points);
    memset((char *)bytes + size - 12 * sizeof(int), 0x33, 12 * sizeof(int));
    CHECK(snPointConstraints_Restore(other, bytes, &error) == SN_ERROR_FORMAT);
    memset(bytes, 0x33, size);
    CHECK(snPointConstraints_Restore(other, bytes, &error) == SN_ERROR_FORMAT);
    free(bytes);
    free(x);
    free(y);
    snPointConstraints_Destroy(points);
    snPointConstraints_Destroy(other);
    freeBody(body);
}

static void badInputIsRefused(void)
{
    Body *body = makeBody(false, 2, 0);
    snPointConstraints *points = makePoints(body, 1), *none;
    snError error;
    int handle;
    snVec3 bad[] = {{NAN, 0, 0}, {INFINITY, 0, 0}, {1e9, 0, 0}, {0.5, -3, 0.2}};
    for (int k = 0; k < 4; k++) {
        CHECK(snPointConstraints_Attach(points, "far", bad[k], &handle, &error) ==
              SN_ERROR_GEOMETRY);
        CHECK(handle == -1 && strstr(error.message, "\"far\""));
    }
    CHECK(snPointConstraints_AttachVertex(points, "x", -1, &handle, &error) == SN_ERROR_ARGUMENT);
    CHECK(snPointConstraints_AttachVertex(points, "x", body->lattice.vertexCount, &handle,
                                          &error) == SN_ERROR_ARGUMENT);
    snEmbedding empty = {.width = 4};
    CHECK(snPointConstraints_AttachRow(points, "x", &empty, 0, &handle, &error) ==
          SN_ERROR_ARGUMENT);
    CHECK(snPointConstraints_Move(points, 0, 0, bad[3], &error) == SN_ERROR_ARGUMENT);
    CHECK(snPointConstraints_Release(points, 0, &error) == SN_ERROR_ARGUMENT);
    attach(points, snVec(0.7, 0.2, 0.2));
    CHECK(snPointConstraints_Attach(points, "x", snVec(0.5, 0.2, 0.2), &handle, &error) ==
          SN_ERROR_ARGUMENT);
    CHECK(snPointConstraints_Move(points, 0, 0, bad[0], &error) == SN_ERROR_ARGUMENT);
    CHECK(snPointConstraints_Move(points, 0, 1, bad[3], &error) == SN_ERROR_ARGUMENT);
    CHECK(snPointConstraints_Begin(points, NULL, body->rig) == 0);
    snPointConstraintsDef def = snDefaultPointConstraintsDef();
    def.model = body->model;
    def.lanes = 0;
    CHECK(snPointConstraints_Make(&none, &def, &body->context, &error) == SN_ERROR_ARGUMENT &&
          !none);
    snPointConstraints_Destroy(points);

    snStatus status = SN_ERROR_MEMORY;
    for (int failAt = 1; status && failAt < 60; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        def.lanes = 8;
        def.projector = true;
        status = snPointConstraints_Make(&points, &def, &context, NULL);
        CHECK(status == (memory.count >= failAt ? SN_ERROR_MEMORY : SN_OK));
        snPointConstraints_Destroy(points);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
    freeBody(body);
}

int main(void)
{
    RUN(attachesWhereEmbeddingDoes);
    RUN(agreesWithDenseAlgebra);
    RUN(pointsComeAndGo);
    RUN(directionsKeepPointsInPlace);
    RUN(lanesAreAlone);
    RUN(blocksAgreeWithNumbers);
    RUN(pointsOnBones);
    RUN(savesAndRestores);
    RUN(badInputIsRefused);
    return snTest_Finish();
}
