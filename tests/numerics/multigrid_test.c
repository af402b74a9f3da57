#include "tests/test.h"

#include "numerics/cg.h"
#include "numerics/cholesky.h"
#include "numerics/galerkin.h"
#include "numerics/minres.h"
#include "numerics/multigrid.h"
#include "tests/numerics/block_scene.h"
#include "tests/numerics/fill.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static snContext context;
static snArena arena;

static void setUp(void)
{
    context = snDefaultContext();
    arena = snMakeArena(&context);
}

// ---- scenes -----------------------------------------------------------------------------------

// Interpolation between grids of cells[a] and 2 cells[a] cells; `open` leaves out the border, where
// functions are zero. Weights of a row along one axis are those of hats, or of cubic splines.
typedef struct Axis {
    int cells; // of the coarse grid
    bool open, spline;
} Axis;

static int axisSize(Axis axis, int cells)
{
    return axis.open ? cells - 1 : cells + 1;
}

static int axisRow(Axis axis, int fine, int columns[3], double weights[3])
{
    int at = axis.open ? fine + 1 : fine, count = 0;
    int first = at / 2 - (at % 2 == 0 && axis.spline), last = at / 2 + (at % 2 || axis.spline);
    for (int c = first; c <= last; c++) {
        int column = axis.open ? c - 1 : c;
        if (column < 0 || column >= axisSize(axis, axis.cells)) continue;
        columns[count] = column;
        weights[count++] = at % 2 ? 0.5 : !axis.spline ? 1 : c == at / 2 ? 0.75 : 0.125;
    }
    return count;
}

// The product of three axes, x fastest. With `own` the rows of the coarse vertices alone: values.
static snWeightRows gridRows(const Axis axis[3], bool own)
{
    int rows = 1, columns = 1, size[3], entries = 0, rowCount = 0;
    for (int a = 0; a < 3; a++) {
        size[a] = axisSize(axis[a], 2 * axis[a].cells);
        rows *= size[a];
        columns *= axisSize(axis[a], axis[a].cells);
    }
    int *start = SN_NEW(&arena, int, rows + 1), *column = SN_NEW(&arena, int, 27 * rows);
    double *weight = SN_NEW(&arena, double, 27 * rows);
    for (int i = 0; i < rows; i++) {
        int at[3] = {i % size[0], i / size[0] % size[1], i / size[0] / size[1]};
        int c[3][3], n[3];
        double w[3][3];
        bool old = true;
        for (int a = 0; a < 3; a++) {
            n[a] = axisRow(axis[a], at[a], c[a], w[a]);
            old = old && (at[a] + axis[a].open) % 2 == 0;
        }
        if (own && !old) continue;
        for (int k = 0; k < n[0] * n[1] * n[2]; k++, entries++) {
            int p = k % n[0], q = k / n[0] % n[1], r = k / n[0] / n[1];
            column[entries] = c[0][p] + axisSize(axis[0], axis[0].cells) *
                                            (c[1][q] + axisSize(axis[1], axis[1].cells) * c[2][r]);
            weight[entries] = w[0][p] * w[1][q] * w[2][r];
        }
        start[++rowCount] = entries;
    }
    return (snWeightRows){
        .rows = rowCount, .columns = columns, .start = start, .column = column, .weight = weight};
}

enum { MOST = 8 };

typedef struct Scene {
    snSparse matrix;
    snWeightRows prolongation[MOST], values[MOST];
    snMultigridDef def;
    int rows; // numbers of a vector
} Scene;

// Prolongations for `levels` levels, the finest with cells[a] cells.
static void addLevels(Scene *scene, int levels, const int cells[3], bool open, bool spline)
{
    for (int j = levels - 1; j >= 0; j--) {
        Axis axis[3];
        int down = levels - 1 - j; // how often the finest was halved
        for (int a = 0; a < 3; a++)
            axis[a] = (Axis){cells[a] >> down, open && cells[a] > 1, spline};
        if (spline) scene->values[j] = gridRows(axis, true);
        for (int a = 0; a < 3; a++)
            axis[a].cells /= 2;
        if (j > 0) scene->prolongation[j - 1] = gridRows(axis, false);
    }
    scene->def = snDefaultMultigridDef();
    scene->def.levels = levels;
    if (spline) scene->def.values = scene->values;
}

// -Δu on a grid with u = 0 on the border, by differences: unit off-diagonals.
static void makePoisson(snSparse *matrix, const int n[3])
{
    int count = n[0] * n[1] * n[2], pairs = 0, stride[3] = {1, n[0], n[0] * n[1]};
    int *first = SN_NEW(&arena, int, 3 * count), *second = SN_NEW(&arena, int, 3 * count);
    for (int i = 0; i < count; i++)
        for (int a = 0; a < 3; a++)
            if (i / stride[a] % n[a] + 1 < n[a]) {
                first[pairs] = i;
                second[pairs++] = i + stride[a];
            }
    snPattern pattern;
    CHECK(snPattern_FromPairs(&pattern, count, pairs, first, second, &arena, NULL) == SN_OK);
    CHECK(snSparse_Make(matrix, &pattern, 1, &arena, NULL) == SN_OK);
    for (int k = 0; k < pairs; k++)
        snSparse_AddScalar(matrix, first[k], second[k], -1);
    int axes = (n[0] > 1) + (n[1] > 1) + (n[2] > 1);
    for (int i = 0; i < count; i++)
        snSparse_AddScalar(matrix, i, i, 2 * axes);
}

static Scene lineScene(int cells, int levels)
{
    Scene scene = {.rows = cells - 1};
    makePoisson(&scene.matrix, (int[3]){cells - 1, 1, 1});
    // The other axes have one vertex: open, two coarse cells and one vertex, refined by hand.
    for (int j = levels - 1, c = cells / 2; j > 0; j--, c /= 2) {
        int n = 2 * c - 1, *start = SN_NEW(&arena, int, n + 1),
            *column = SN_NEW(&arena, int, 2 * n);
        double *weight = SN_NEW(&arena, double, 2 * n);
        for (int i = 0; i < n; i++) {
            int columns[3];
            double weights[3];
            int count = axisRow((Axis){c, true, false}, i, columns, weights);
            for (int k = 0; k < count; k++) {
                column[start[i] + k] = columns[k];
                weight[start[i] + k] = weights[k];
            }
            start[i + 1] = start[i] + count;
        }
        scene.prolongation[j - 1] = (snWeightRows){n, c - 1, start, column, weight};
    }
    scene.def = snDefaultMultigridDef();
    scene.def.levels = levels;
    return scene;
}

static Scene cubeScene(int cells, int levels)
{
    Scene scene = {.rows = (cells - 1) * (cells - 1) * (cells - 1)};
    int n = cells - 1;
    makePoisson(&scene.matrix, (int[3]){n, n, n});
    addLevels(&scene, levels, (int[3]){cells, cells, cells}, true, false);
    return scene;
}

// Splines: the cube's differences on a grid once finer, seen by the splines of the coarser one.
static Scene splineScene(int cells, int levels)
{
    Scene scene = {.rows = (cells - 1) * (cells - 1) * (cells - 1)};
    int n = 2 * cells - 1;
    snSparse fine;
    snRowMatrix rows, coarse;
    snGalerkin product;
    makePoisson(&fine, (int[3]){n, n, n});
    Axis axis = {cells, true, true};
    snWeightRows p = gridRows((Axis[3]){axis, axis, axis}, false);
    CHECK(snRowMatrix_FromSparse(&rows, &fine, NULL, &arena, NULL) == SN_OK);
    CHECK(snGalerkin_Make(&product, &coarse, &rows, &p, NULL, &arena, NULL) == SN_OK);
    snRowMatrix_Load(&rows, &fine);
    snGalerkin_Compute(&product, &coarse, &context.tasks);
    CHECK(snRowMatrix_Lower(&scene.matrix, &coarse, &arena, NULL) == SN_OK);
    snRowMatrix_StoreLower(&coarse, &scene.matrix);
    addLevels(&scene, levels, (int[3]){cells, cells, cells}, true, true);
    return scene;
}

// A block of shaken tetrahedra with mass.
static Scene blockScene(const int cells[3], int levels, double contrast)
{
    Scene scene = {0};
    snBlockScene block;
    CHECK(snBlockScene_MakeHard(&block, (int[3]){cells[0] + 1, cells[1] + 1, cells[2] + 1}, 10,
                                contrast, &arena, NULL) == SN_OK);
    scene.matrix = block.elastic;
    scene.rows = 3 * block.pattern.size;
    addLevels(&scene, levels, cells, false, false);
    return scene;
}

// Scenes are copied about: the definition's pointers are set at the end.
static snMultigridDef defOf(const Scene *scene)
{
    snMultigridDef def = scene->def;
    def.prolongations = scene->prolongation;
    if (def.values) def.values = scene->values;
    return def;
}

static snMultigrid *make(const Scene *scene)
{
    snMultigridDef def = defOf(scene);
    snMultigrid *m = NULL;
    snError error = {0};
    snStatus status = snMultigrid_Make(&m, &scene->matrix, &def, &arena, &context, &error);
    if (!CHECK(status == SN_OK)) printf("%s\n", error.message);
    return m;
}

static double *vector(int size)
{
    return SN_NEW(&arena, double, size);
}

static int iterations(const Scene *scene, snMultigrid *m, const double *b, double *x)
{
    snCgDef def = snDefaultCgDef();
    def.size = scene->rows;
    def.matrix = snOperator_FromSparse(&scene->matrix);
    if (m) def.preconditioner = snOperator_FromMultigrid(m);
    def.tolerance = 1e-8;
    snCgResult result;
    CHECK(snCg_Solve(&def, b, x, vector((int)snCg_ScratchSize(scene->rows)), &result, NULL) ==
          SN_OK);
    CHECK(result.converged);
    return result.iterations;
}

static void solveDirectly(const snSparse *matrix, double *x)
{
    snSymbolic *symbolic;
    snFactor *factor;
    snSymbolic_Make(&symbolic, &matrix->pattern, matrix->block, SN_ORDER_AUTO, &arena, NULL);
    snFactor_Make(&factor, symbolic, &arena, NULL);
    CHECK(snFactor_Compute(factor, matrix, NULL) == SN_OK);
    snFactor_Solve(factor, 1, x, vector((int)snFactor_ScratchSize(factor, 1)));
}

static double difference(const double *x, const double *y, int count)
{
    double sum = 0, norm = 0;
    for (int i = 0; i < count; i++) {
        sum += (x[i] - y[i]) * (x[i] - y[i]);
        norm += y[i] * y[i];
    }
    return sqrt(sum / norm);
}

// ---- the spaces -------------------------------------------------------------------------------

// Pᵀ A P against dense products; its two triangles are mirror images to the bit.
static void galerkinIsTheProduct(void)
{
    setUp();
    Scene scene = blockScene((int[3]){4, 2, 2}, 2, 100);
    const snWeightRows *p = &scene.prolongation[0];
    snRowMatrix fine, coarse;
    snGalerkin product;
    CHECK(snRowMatrix_FromSparse(&fine, &scene.matrix, NULL, &arena, NULL) == SN_OK);
    CHECK(snGalerkin_Make(&product, &coarse, &fine, p, NULL, &arena, NULL) == SN_OK);
    snRowMatrix_Load(&fine, &scene.matrix);
    snGalerkin_Compute(&product, &coarse, &context.tasks);
    int n = 3 * p->columns;
    double *x = vector(n), *px = vector(scene.rows), *apx = vector(scene.rows), *y = vector(n);
    double *dense = vector(n * n), worst = 0, size = 0;
    for (int i = 0; i < coarse.size; i++)
        for (int k = coarse.start[i]; k < coarse.start[i + 1]; k++)
            for (int e = 0; e < 9; e++)
                dense[(3 * i + e / 3) * n + 3 * coarse.column[k] + e % 3] =
                    coarse.values[9 * k + e];
    snWeightRows transposed;
    CHECK(snWeightRows_Transpose(&transposed, p, &arena, NULL) == SN_OK);
    for (int c = 0; c < n; c++) {
        memset(x, 0, (size_t)n * sizeof *x);
        x[c] = 1;
        snWeightRows_Multiply(p, 3, x, px, &context.tasks);
        snSparse_Multiply(&scene.matrix, 1, px, apx);
        snWeightRows_Multiply(&transposed, 3, apx, y, &context.tasks);
        for (int r = 0; r < n; r++) {
            worst = fmax(worst, fabs(y[r] - dense[r * n + c]));
            size = fmax(size, fabs(y[r]));
            CHECK(dense[r * n + c] == dense[c * n + r]);
        }
    }
    CHECK(worst < 1e-13 * size);
    snArena_Destroy(&arena);
}

static void coloursAreApart(void)
{
    setUp();
    Scene scene = blockScene((int[3]){4, 4, 4}, 1, 1);
    unsigned char *swept = SN_NEW(&arena, unsigned char, scene.matrix.pattern.size);
    for (int i = 0; i < scene.matrix.pattern.size; i++)
        swept[i] = i % 3 != 0;
    snRowMatrix rows;
    CHECK(snRowMatrix_FromSparse(&rows, &scene.matrix, swept, &arena, NULL) == SN_OK);
    int *colour = SN_NEW(&arena, int, rows.size), *place = SN_NEW(&arena, int, rows.size);
    for (int p = 0; p < rows.size; p++) {
        place[rows.order[p]] = p;
        colour[rows.order[p]] = -1;
    }
    for (int c = 0; c < rows.colours; c++)
        for (int p = rows.colourStart[c]; p < rows.colourStart[c + 1]; p++)
            colour[rows.order[p]] = c;
    for (int i = 0; i < rows.size; i++) {
        CHECK((colour[i] >= 0) == (swept[i] != 0));
        CHECK(rows.column[rows.middle[i]] == i);
        for (int k = rows.start[i]; k < rows.start[i + 1]; k++) {
            int j = rows.column[k];
            CHECK(i == j || colour[i] < 0 || colour[i] != colour[j]);
            CHECK(k == rows.start[i] || place[j] > place[rows.column[k - 1]]);
        }
    }
    snArena_Destroy(&arena);
}

// ---- solutions --------------------------------------------------------------------------------

// -u'' = 1 with u = 0 at the ends is u = x (1 - x)/2, which differences give exactly.
static void poissonOnALine(void)
{
    setUp();
    int seen[3];
    for (int k = 0; k < 3; k++) {
        int cells = 64 << k;
        Scene scene = lineScene(cells, 6 + k - 1);
        snMultigrid *m = make(&scene);
        double *b = vector(scene.rows), *x = vector(scene.rows), h = 1.0 / cells;
        for (int i = 0; i < scene.rows; i++)
            b[i] = h * h;
        seen[k] = iterations(&scene, m, b, x);
        for (int i = 0; i < scene.rows; i++)
            CHECK_NEAR(x[i], (i + 1) * h * (1 - (i + 1) * h) / 2, 1e-8);
    }
    printf("    line: %d %d %d iterations\n", seen[0], seen[1], seen[2]);
    CHECK(abs(seen[1] - seen[0]) <= 1 && abs(seen[2] - seen[0]) <= 1 && seen[2] <= 10);
    snArena_Destroy(&arena);
}

typedef Scene SceneFcn(int cells, int levels);

static void boundedOn(SceneFcn *scene, const char *name, int cells, int most)
{
    int seen[3], plain = 0;
    for (int k = 0; k < 3; k++) {
        setUp();
        Scene s = scene(cells << k, k + 2);
        snMultigrid *m = make(&s);
        double *b = vector(s.rows), *x = vector(s.rows), *exact = vector(s.rows);
        fillRandom(b, s.rows, 4);
        seen[k] = iterations(&s, m, b, x);
        if (k < 2) {
            memcpy(exact, b, (size_t)s.rows * sizeof *b);
            solveDirectly(&s.matrix, exact);
            CHECK(difference(x, exact, s.rows) < 1e-7);
        }
        memset(x, 0, (size_t)s.rows * sizeof *x);
        if (k == 2) plain = iterations(&s, NULL, b, x);
        snArena_Destroy(&arena);
    }
    printf("    %s: %d %d %d iterations, without %d\n", name, seen[0], seen[1], seen[2], plain);
    CHECK(abs(seen[1] - seen[0]) <= 2 && abs(seen[2] - seen[1]) <= 2 && seen[2] <= most);
    CHECK(plain > 3 * seen[2]);
}

static void poissonInACube(void)
{
    boundedOn(cubeScene, "cube", 8, 8);
}

static void splinesInACube(void)
{
    boundedOn(splineScene, "splines", 4, 12);
}

static Scene softBlock(int cells, int levels)
{
    return blockScene((int[3]){cells, cells, cells}, levels, 1);
}

static Scene hardBlock(int cells, int levels)
{
    return blockScene((int[3]){cells, cells, cells}, levels, 100);
}

// The second has stiff tetrahedra strewn on the finest level, which coarser ones do not see.
static void elasticBlocks(void)
{
    boundedOn(softBlock, "block", 4, 15);
    setUp();
    Scene s = hardBlock(8, 3);
    double *b = vector(s.rows), *x = vector(s.rows), *exact = vector(s.rows);
    fillRandom(b, s.rows, 4);
    iterations(&s, make(&s), b, x);
    memcpy(exact, b, (size_t)s.rows * sizeof *b);
    solveDirectly(&s.matrix, exact);
    CHECK(difference(x, exact, s.rows) < 1e-6);
    snArena_Destroy(&arena);
}

static void oneLevelIsTheFactor(void)
{
    setUp();
    Scene scene = blockScene((int[3]){3, 3, 3}, 1, 1);
    snMultigrid *m = make(&scene);
    double *b = vector(scene.rows), *x = vector(scene.rows);
    fillRandom(b, scene.rows, 4);
    snMultigrid_Apply(m, b, x);
    solveDirectly(&scene.matrix, b);
    CHECK(memcmp(b, x, (size_t)scene.rows * sizeof *b) == 0);
    CHECK(snMultigrid_Level(m, 0).size == 64);
    snArena_Destroy(&arena);
}

// With all of level 0 in the finest space, a cycle is the solution.
static void sameSpaceIsExact(void)
{
    setUp();
    Scene scene = blockScene((int[3]){3, 3, 3}, 1, 1);
    int n = scene.matrix.pattern.size, *number = SN_NEW(&arena, int, n + 1);
    double *one = vector(n);
    for (int i = 0; i < n; i++) {
        number[i + 1] = i + 1;
        one[i] = 1;
    }
    snWeightRows same = {n, n, number, number, one};
    scene.def.levels = 2;
    scene.prolongation[0] = same;
    double *b = vector(scene.rows), *x = vector(scene.rows);
    fillRandom(b, scene.rows, 4);
    snMultigrid_Apply(make(&scene), b, x);
    solveDirectly(&scene.matrix, b);
    CHECK(difference(x, b, scene.rows) < 1e-12);
    snArena_Destroy(&arena);
}

// ---- symmetry ---------------------------------------------------------------------------------

static void checkSymmetric(const Scene *scene)
{
    snMultigrid *m = make(scene);
    int n = scene->rows;
    double *x = vector(n), *y = vector(n), *mx = vector(n), *my = vector(n), *ax = vector(n);
    for (int trial = 0; trial < 4; trial++) {
        fillRandom(x, n, 10 + (uint64_t)trial);
        fillRandom(y, n, 20 + (uint64_t)trial);
        if (trial == 3) // a smooth one
            for (int i = 0; i < n; i++)
                x[i] = 1;
        snMultigrid_Apply(m, x, mx);
        snMultigrid_Apply(m, y, my);
        double xmx = snDotProduct(n, x, mx), ymy = snDotProduct(n, y, my);
        CHECK(xmx > 0 && ymy > 0);
        CHECK_NEAR(snDotProduct(n, x, my), snDotProduct(n, y, mx), 1e-12 * sqrt(xmx * ymy));
        // Cycles do not go too far: the spectrum of M A is below 2, of a V-cycle with sweeps at most 1.
        snSparse_Multiply(&scene->matrix, 1, x, ax);
        snMultigrid_Apply(m, ax, mx);
        double energy = snDotProduct(n, x, ax), part = snDotProduct(n, ax, mx);
        CHECK(part > 0 && part <= energy * (scene->def.values ? 2 : 1 + 1e-12));
    }
}

static void cyclesAreSymmetric(void)
{
    setUp();
    Scene scenes[3] = {blockScene((int[3]){8, 4, 4}, 3, 100), cubeScene(8, 3), splineScene(8, 3)};
    for (int s = 0; s < 3; s++)
        for (int kind = 0; kind < 4; kind++) {
            scenes[s].def.sweeps = 1 + kind % 2 + (s == 2);
            scenes[s].def.cycles = 1 + kind / 2;
            checkSymmetric(&scenes[s]);
        }
    // Smoothing only what is new: the hierarchical basis' form.
    const unsigned char *swept[3] = {0};
    for (int j = 1; j < 3; j++) {
        const snWeightRows *p = &scenes[0].prolongation[j - 1];
        unsigned char *mask = SN_NEW(&arena, unsigned char, p->rows);
        for (int i = 0; i < p->rows; i++)
            mask[i] = p->start[i + 1] - p->start[i] > 1;
        swept[j] = mask;
    }
    scenes[0].def.swept = swept;
    scenes[0].def.sweeps = scenes[0].def.cycles = 1;
    checkSymmetric(&scenes[0]);
    snArena_Destroy(&arena);
}

// A saddle of the block's matrix and points held: MINRES with the multigrid over the block.
typedef struct Saddle {
    const Scene *scene;
    snMultigrid *m;
    int held;
} Saddle;

static void applySaddle(void *user, const double *x, double *y)
{
    const Saddle *s = user;
    int n = s->scene->rows;
    snSparse_Multiply(&s->scene->matrix, 1, x, y);
    for (int c = 0; c < s->held; c++) {
        y[7 * c] += 1e3 * x[n + c];
        y[n + c] = 1e3 * x[7 * c];
    }
}

static void preconditionSaddle(void *user, const double *x, double *y)
{
    const Saddle *s = user;
    snMultigrid_Apply(s->m, x, y);
    for (int c = 0; c < s->held; c++)
        y[s->scene->rows + c] = 1e-3 * x[s->scene->rows + c];
}

static void preconditionsMinres(void)
{
    setUp();
    Scene scene = blockScene((int[3]){8, 4, 4}, 3, 1);
    Saddle saddle = {&scene, make(&scene), 5};
    int n = scene.rows + saddle.held;
    double *b = vector(n), *x = vector(n), *y = vector(n);
    fillRandom(b, n, 3);
    snMinresDef def = snDefaultMinresDef();
    def.size = n;
    def.matrix = (snOperator){applySaddle, &saddle};
    def.preconditioner = (snOperator){preconditionSaddle, &saddle};
    snMinresResult result;
    CHECK(snMinres_Solve(&def, b, x, vector((int)snMinres_ScratchSize(n)), &result, NULL) == SN_OK);
    CHECK(result.converged && result.iterations < 80);
    applySaddle(&saddle, x, y);
    CHECK(difference(y, b, n) < 1e-6);
    snArena_Destroy(&arena);
}

// ---- sides, threads, values -------------------------------------------------------------------

static void sidesAreApart(void)
{
    setUp();
    enum { SIDES = 6 };
    Scene scene = cubeScene(8, 3), wide = cubeScene(8, 3);
    wide.def.width = SIDES;
    snMultigrid *m = make(&scene), *w = make(&wide);
    int n = scene.rows;
    double *b = vector(SIDES * n), *x = vector(SIDES * n), *one = vector(n), *y = vector(n);
    fillRandom(b, SIDES * n, 8);
    snMultigrid_Apply(w, b, x);
    for (int r = 0; r < SIDES; r++) {
        for (int i = 0; i < n; i++)
            one[i] = b[i * SIDES + r];
        snMultigrid_Apply(m, one, y);
        for (int i = 0; i < n; i++)
            CHECK_NEAR(x[i * SIDES + r], y[i], 1e-13);
    }
    snArena_Destroy(&arena);
}

static void sameBitsInAnyOrder(void)
{
    setUp();
    Scene scenes[2] = {blockScene((int[3]){16, 8, 8}, 3, 10), splineScene(8, 3)};
    for (int s = 0; s < 2; s++) {
        int n = scenes[s].rows;
        double *b = vector(n), *x = vector(n), *y = vector(n);
        fillRandom(b, n, 8);
        context = snDefaultContext();
        snMultigrid_Apply(make(&scenes[s]), b, x);
        context.tasks = (snTasks){.run = snTest_RunBackwards, .workers = 2};
        snMultigrid_Apply(make(&scenes[s]), b, y);
        CHECK(memcmp(x, y, (size_t)n * sizeof *x) == 0);
    }
    snArena_Destroy(&arena);
}

// New values give what a new multigrid gives, and neither they nor cycles allocate.
static void valuesMayChange(void)
{
    snFailingMemory memory = {0};
    context = snDefaultContext();
    snTest_UseFailingMemory(&context, &memory);
    arena = snMakeArena(&context);
    Scene scenes[2] = {blockScene((int[3]){8, 4, 4}, 3, 100), splineScene(8, 3)};
    for (int s = 0; s < 2; s++) {
        int n = scenes[s].rows;
        double *b = vector(n), *x = vector(n), *y = vector(n);
        fillRandom(b, n, 8);
        snMultigrid *m = make(&scenes[s]);
        snSparse other = scenes[s].matrix;
        int entries = other.pattern.columnStart[other.pattern.size] * other.block * other.block;
        other.values = SN_COPY(&arena, double, other.values, entries);
        for (int k = 0; k < entries; k++)
            other.values[k] *= 1.5;
        for (int i = 0; i < other.pattern.size; i++)
            other.values[other.pattern.columnStart[i] * other.block * other.block] *= 1.25;
        int before = memory.count;
        snMultigrid_Apply(m, b, x);
        CHECK(snMultigrid_Compute(m, &other, NULL) == SN_OK);
        snMultigrid_Apply(m, b, x);
        CHECK(memory.count == before);
        scenes[s].matrix = other;
        snMultigrid_Apply(make(&scenes[s]), b, y);
        CHECK(memcmp(x, y, (size_t)n * sizeof *x) == 0);
    }
    snArena_Destroy(&arena);
}

// ---- what goes wrong --------------------------------------------------------------------------

static snStatus tryMake(const Scene *scene, snError *error)
{
    snMultigrid *m;
    *error = (snError){0};
    snMultigridDef def = defOf(scene);
    snStatus status = snMultigrid_Make(&m, &scene->matrix, &def, &arena, &context, error);
    CHECK((status == SN_OK) == (m != NULL));
    return status;
}

static void singularIsReported(void)
{
    setUp();
    snError error;
    Scene scene = lineScene(16, 3);
    double *corner[2] = {scene.matrix.values,
                         scene.matrix.values + scene.matrix.pattern.columnStart[14]};
    *corner[0] = *corner[1] =
        1; // free at both ends: constants have no energy, but coarse functions are 0 there
    CHECK(tryMake(&scene, &error) == SN_OK);
    *corner[0] = 0;
    CHECK(tryMake(&scene, &error) == SN_ERROR_NUMERIC && strstr(error.message, "level 2"));
    *corner[0] = NAN;
    CHECK(tryMake(&scene, &error) == SN_ERROR_NUMERIC && strstr(error.message, "row 0"));
    *corner[0] = 2;
    scene.matrix.values[scene.matrix.pattern.columnStart[6] + 1] = NAN;
    CHECK(tryMake(&scene, &error) == SN_ERROR_NUMERIC);

    // A coarse function without a fine one.
    scene = lineScene(16, 3);
    scene.prolongation[0].columns++;
    CHECK(tryMake(&scene, &error) == SN_ERROR_NUMERIC && strstr(error.message, "level 0"));

    // A body without mass that hangs on nothing, its coarse functions included.
    Scene block = blockScene((int[3]){4, 4, 4}, 2, 1);
    double *x = vector(block.rows), *y = vector(block.rows);
    for (int i = 0; i < block.rows; i++)
        x[i] = 1;
    snSparse_Multiply(&block.matrix, 1, x, y); // the mass of each row
    for (int i = 0; i < block.matrix.pattern.size; i++)
        for (int c = 0; c < 3; c++)
            block.matrix.values[9 * block.matrix.pattern.columnStart[i] + 4 * c] -=
                y[3 * i + c] * (1 + 1e-9);
    CHECK(tryMake(&block, &error) == SN_ERROR_NUMERIC);

    // A matrix of noise over splines.
    Scene spline = splineScene(4, 2);
    spline.matrix.values[1] = NAN;
    CHECK(tryMake(&spline, &error) == SN_ERROR_NUMERIC);
    snArena_Destroy(&arena);
}

static void badArguments(void)
{
    setUp();
    snError error;
    Scene good = cubeScene(8, 3), scene = good;
    CHECK(tryMake(&scene, &error) == SN_OK);
    scene.def.levels = 0;
    CHECK(tryMake(&scene, &error) == SN_ERROR_ARGUMENT);
    scene.def.levels = 2; // of the wrong sizes
    CHECK(tryMake(&scene, &error) == SN_ERROR_ARGUMENT && strstr(error.message, "27 rows"));
    scene.def.levels = 3;
    scene.def.width = 0;
    CHECK(tryMake(&scene, &error) == SN_ERROR_ARGUMENT);
    scene.def.width = 1;
    int column = good.prolongation[1].column[5];
    ((int *)good.prolongation[1].column)[5] = 99;
    CHECK(tryMake(&scene, &error) == SN_ERROR_ARGUMENT && strstr(error.message, "function 99"));
    ((int *)good.prolongation[1].column)[5] = column;
    ((double *)good.prolongation[1].weight)[5] = NAN;
    CHECK(tryMake(&scene, &error) == SN_ERROR_ARGUMENT && strstr(error.message, "nan"));

    Scene spline = splineScene(4, 2);
    spline.values[1].rows--;
    CHECK(tryMake(&spline, &error) == SN_ERROR_ARGUMENT && strstr(error.message, "values"));

    Scene small = blockScene((int[3]){2, 2, 2}, 1, 1), other = cubeScene(4, 1);
    snMultigrid *m = make(&small);
    CHECK(snMultigrid_Compute(m, &other.matrix, &error) == SN_ERROR_ARGUMENT);

    Scene empty = {.def = snDefaultMultigridDef()};
    makePoisson(&empty.matrix, (int[3]){0, 1, 1});
    m = make(&empty);
    double none[1] = {0};
    snMultigrid_Apply(m, none, none + 1);
    snArena_Destroy(&arena);
}

static void failingAllocations(void)
{
    setUp();
    Scene scenes[2] = {blockScene((int[3]){4, 2, 2}, 2, 1), splineScene(4, 2)};
    for (int s = 0; s < 2; s++) {
        scenes[s].def.cycles = 2;
        snMultigridDef def = defOf(&scenes[s]);
        snStatus status = SN_ERROR_MEMORY;
        for (int n = 1; status == SN_ERROR_MEMORY && n < 1000; n++) {
            snFailingMemory memory = {.failAtWay = n};
            snContext failing = snDefaultContext();
            snTest_UseFailingMemory(&failing, &memory);
            snArena own = snMakeArena(&failing);
            snMultigrid *m;
            status = snMultigrid_Make(&m, &scenes[s].matrix, &def, &own, &failing, NULL);
            CHECK(status == SN_OK || (status == SN_ERROR_MEMORY && !m));
            snArena_Destroy(&own);
            CHECK(memory.alive == 0);
        }
        CHECK(status == SN_OK);
    }
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(galerkinIsTheProduct);
    RUN(coloursAreApart);
    RUN(poissonOnALine);
    RUN(poissonInACube);
    RUN(splinesInACube);
    RUN(elasticBlocks);
    RUN(oneLevelIsTheFactor);
    RUN(sameSpaceIsExact);
    RUN(cyclesAreSymmetric);
    RUN(preconditionsMinres);
    RUN(sidesAreApart);
    RUN(sameBitsInAnyOrder);
    RUN(valuesMayChange);
    RUN(singularIsReported);
    RUN(badArguments);
    RUN(failingAllocations);
    return snTest_Finish();
}
