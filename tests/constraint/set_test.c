// Sets of constraints against dense algebra, and their life: added, moved, removed, restored.
#include "tests/test.h"

#include "constraint/constraint.h"
#include "tests/constraint/systems.h"

#include <stdio.h>

typedef struct Shape {
    int size, block, width, lanes;
} Shape;

static const Shape shapes[] = {{20, 1, 4, 1}, {20, 1, 24, 8}, {14, 3, 4, 1}, {14, 3, 24, 8}};

static snConstraintSet *makeSet(System *system, Shape shape, int capacity, bool leastSquares)
{
    snContext context = snDefaultContext();
    snConstraintSetDef def = snDefaultConstraintSetDef();
    def.size = shape.size;
    def.block = shape.block;
    def.width = shape.width;
    def.lanes = shape.lanes;
    def.capacity = capacity;
    def.inverse = (snOperator){solveSystem, system};
    def.leastSquares = leastSquares;
    snConstraintSet *set = NULL;
    snError error;
    if (!CHECK(snConstraintSet_Make(&set, &def, &context, &error) == SN_OK)) exit(1);
    return set;
}

static int add(snConstraintSet *set, const Row *row)
{
    snConstraintDef def = defOf(row);
    snError error;
    int handle;
    if (!CHECK(snConstraintSet_Add(set, &def, &handle, &error) == SN_OK))
        printf("%s\n", error.message);
    return handle;
}

static void correct(const snConstraintSet *set, const double *right, double *x)
{
    double *scratch = calloc(snConstraintSet_ScratchSize(set) + 1, sizeof *scratch);
    snConstraintSet_Correct(set, right, x, scratch);
    free(scratch);
}

// Number i of a coordinate as a row of A, or -1: padding.
static int rowOf(Shape shape, int coordinate, int component)
{
    return coordinate * shape.block + component;
}

// One side of x from and to a vector of A.
static void copySide(Shape shape, int side, double *x, double *vector, bool out)
{
    int sides = shape.block == 1 ? shape.width : shape.lanes;
    for (int i = 0; i < shape.size; i++)
        for (int c = 0; c < shape.block; c++) {
            double *at = x + i * shape.width + c * sides + side;
            double *there = vector + rowOf(shape, i, c);
            *(out ? there : at) = *(out ? at : there);
        }
}

// The dense answer: [A Cᵀ; C 0] [x; -λ] = [b; a] for one side.
static void solveKkt(const System *system, Shape shape, int count, const Row *rows, int side,
                     const double *b, double *x)
{
    int sides = shape.block == 1 ? shape.width : shape.lanes;
    int n = system->rows, all = n + count * shape.block;
    double *k = calloc((size_t)(all * all), sizeof *k), *v = calloc((size_t)all, sizeof *v);
    int *pivot = calloc((size_t)all, sizeof *pivot);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            k[j * all + i] = system->a[j * n + i];
    memcpy(v, b, (size_t)n * sizeof *v);
    for (int r = 0; r < count; r++)
        for (int c = 0; c < shape.block; c++) {
            int row = n + r * shape.block + c;
            v[row] = rows[r].target[c * sides + side] - rows[r].offset[c * sides + side];
            for (int t = 0; t < rows[r].termCount; t++) {
                int at = rowOf(shape, rows[r].index[t], c);
                k[at * all + row] += rows[r].weight[t];
                k[row * all + at] += rows[r].weight[t];
            }
        }
    CHECK(snDenseLu(all, k, pivot, NULL) == SN_OK);
    snDenseLu_Solve(all, k, pivot, v);
    memcpy(x, v, (size_t)n * sizeof *x);
    free(k);
    free(v);
    free(pivot);
}

static void correctedIsTheConstrainedSolution(void)
{
    enum { COUNT = 6 };
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        Shape shape = shapes[s];
        int n = shape.size * shape.block, sides = shape.block == 1 ? shape.width : shape.lanes;
        System system = makeSystem(n, 100 + s);
        snRandom random = snMakeRandom(s);
        snConstraintSet *set = makeSet(&system, shape, COUNT, false);
        Row rows[COUNT];
        for (int r = 0; r < COUNT; r++) {
            rows[r] = randomRow(&random, shape.size, 1 + r % MOST_TERMS);
            add(set, &rows[r]);
        }
        CHECK(snConstraintSet_Prepare(set) == 0);
        CHECK(set->kept == COUNT);
        double *x = calloc((size_t)(shape.size * shape.width), sizeof *x), worst = 0;
        double *b = randomVector(&random, n * sides);
        double *free_ = calloc((size_t)n, sizeof *b), *dense = calloc((size_t)n, sizeof *b);
        for (int side = 0; side < sides; side++) {
            solveSystem(&system, b + side * n, free_);
            copySide(shape, side, x, free_, false);
        }
        correct(set, set->right, x);
        for (int side = 0; side < sides; side++) {
            solveKkt(&system, shape, COUNT, rows, side, b + side * n, dense);
            copySide(shape, side, x, free_, true);
            worst = fmax(worst, farthest(n, free_, dense));
        }
        printf("block %d, width %d: off the dense solution by %.2e\n", shape.block, shape.width,
               worst);
        CHECK_NEAR(worst, 0, 1e-11);
        for (int r = 0; r < COUNT; r++)
            CHECK_NEAR(missOf(&rows[r], x, shape.width, shape.block * sides), 0, 1e-12);
        if (shape.block == 3 && shape.width == 4)
            for (int i = 0; i < shape.size; i++)
                CHECK(x[i * 4 + 3] == 0); // padding is left alone
        free(x);
        free(b);
        free(free_);
        free(dense);
        snConstraintSet_Destroy(set);
        freeSystem(&system);
    }
}

// With zeros: C P x = 0, P P = P, and (x - P x)ᵀ A z = 0 for every z that P keeps.
static void zerosGiveTheProjection(void)
{
    Shape shape = {18, 3, 3, 1};
    System system = makeSystem(54, 7);
    snRandom random = snMakeRandom(8);
    snConstraintSet *set = makeSet(&system, shape, 5, false);
    Row rows[5];
    for (int r = 0; r < 5; r++) {
        rows[r] = randomRow(&random, 18, 4);
        add(set, &rows[r]);
        memset(rows[r].target, 0, sizeof rows[r].target);
        memset(rows[r].offset, 0, sizeof rows[r].offset);
    }
    snConstraintSet_Prepare(set);
    double *x = randomVector(&random, 54), *z = randomVector(&random, 54), kept[54], gone[54],
           a[54];
    memcpy(gone, x, sizeof gone);
    correct(set, NULL, x);
    correct(set, NULL, z);
    memcpy(kept, x, sizeof kept);
    correct(set, NULL, kept);
    CHECK_NEAR(farthest(54, kept, x), 0, 1e-13);
    for (int r = 0; r < 5; r++)
        CHECK_NEAR(missOf(&rows[r], x, 3, 3), 0, 1e-12);
    for (int i = 0; i < 54; i++)
        gone[i] -= x[i];
    multiplySystem(&system, z, a);
    CHECK_NEAR(snDotProduct(54, gone, a), 0, 1e-12);
    free(x);
    free(z);
    snConstraintSet_Destroy(set);
    freeSystem(&system);
}

// A hundred constraints that come, move and go. Targets are those of a hidden y, so all agree; every
// third is a copy or a combination of two others. All are met, and A is solved with once for each.
typedef struct Crowd {
    Row rows[100];
    bool there[100];
    int count;
} Crowd;

static Row combination(snRandom *random, const Crowd *crowd, int size)
{
    Row row = {0};
    for (int tries = 0; tries < 50 && row.termCount < MOST_TERMS; tries++) {
        int k = snRandom_Below(random, 100);
        if (!crowd->there[k] || row.termCount + crowd->rows[k].termCount > MOST_TERMS) continue;
        double factor = snRandom_Uniform(random, 0.5, 1.5);
        for (int t = 0; t < crowd->rows[k].termCount; t++) {
            row.index[row.termCount] = crowd->rows[k].index[t];
            row.weight[row.termCount++] = factor * crowd->rows[k].weight[t];
        }
    }
    return row.termCount ? row : randomRow(random, size, 3);
}

static void comeOrGo(snRandom *random, snConstraintSet *set, Crowd *crowd, const double *y)
{
    int k = snRandom_Below(random, 100), size = set->def.size;
    if (crowd->there[k] && crowd->count > 90) {
        CHECK(snConstraintSet_Remove(set, k, NULL) == SN_OK);
        crowd->there[k] = false;
        crowd->count--;
        return;
    }
    Row row = snRandom_Below(random, 3) ? randomRow(random, size, 1 + snRandom_Below(random, 4))
                                        : combination(random, crowd, size);
    aimAt(&row, y, set->def.width);
    k = add(set, &row);
    crowd->rows[k] = row;
    crowd->there[k] = true;
    crowd->count++;
}

static void liveInALoop(Shape shape, int rounds)
{
    int n = shape.size * shape.width, numbers = shape.block == 1 ? shape.width : 3, most = 0;
    System system = makeSystem(shape.size * shape.block, 3);
    snRandom random = snMakeRandom(4);
    snConstraintSet *set = makeSet(&system, shape, 100, false);
    Crowd crowd = {.count = 0};
    double *y = randomVector(&random, n), *x = randomVector(&random, n), worst = 0;
    int64_t added = 0, dependent = 0;
    for (int round = 0; round < rounds; round++) {
        for (int change = 0; change < (round == 0 ? 100 : 3); change++) {
            int before = crowd.count;
            comeOrGo(&random, set, &crowd, y);
            added += crowd.count > before;
        }
        for (int i = 0; i < n; i++) // everything moves
            y[i] += 0.1 * snRandom_Normal(&random);
        for (int k = 0; k < 100; k++) {
            if (!crowd.there[k]) continue;
            aimAt(&crowd.rows[k], y, shape.width);
            CHECK(snConstraintSet_Move(set, k, crowd.rows[k].target, NULL, NULL) == SN_OK);
        }
        CHECK(snConstraintSet_Prepare(set) == 0);
        correct(set, set->right, x);
        for (int k = 0; k < 100; k++)
            if (crowd.there[k])
                worst = fmax(worst, missOf(&crowd.rows[k], x, shape.width, numbers));
        dependent += crowd.count - set->kept;
        most = crowd.count > most ? crowd.count : most;
    }
    printf(
        "block %d: %d constraints at most, %lld added, %.1f redundant, %lld rows of S: worst miss "
        "%.2e\n",
        shape.block, most, (long long)added, (double)dependent / rounds,
        (long long)set->rowsFactored, worst);
    CHECK_NEAR(worst, 0, 1e-8);
    CHECK(set->columnsSolved == added * shape.block);
    CHECK(system.solves == set->columnsSolved);
    CHECK(dependent > 0);
    free(x);
    free(y);
    snConstraintSet_Destroy(set);
    freeSystem(&system);
}

static void hundredConstraintsComeAndGo(void)
{
    liveInALoop((Shape){200, 1, 4, 1}, 300);
    liveInALoop((Shape){100, 3, 4, 1}, 60);
}

// The factor and the answer are those of a set made afresh, to the bit, whatever happened before;
// and restoring bytes is the same again.
static void historyLeavesNoTrace(void)
{
    for (int block = 1; block <= 3; block += 2) {
        Shape shape = {50, block, 4, 1};
        System system = makeSystem(50 * block, 13);
        snRandom random = snMakeRandom(14);
        snConstraintSet *set = makeSet(&system, shape, 100, false);
        snConstraintSet *fresh = makeSet(&system, shape, 100, false);
        Crowd crowd = {.count = 0};
        double *y = randomVector(&random, 200), *x = randomVector(&random, 200), other[200];
        for (int change = 0; change < 300; change++) {
            comeOrGo(&random, set, &crowd, y);
            if (change % 7 == 0) snConstraintSet_Prepare(set);
        }
        snConstraintSet_Prepare(set);
        for (int p = 0; p < *set->count; p++)
            add(fresh, &crowd.rows[set->order[p]]);
        snConstraintSet_Prepare(fresh);
        CHECK(set->kept == fresh->kept && set->kept < *set->count);
        size_t stride = (size_t)(100 * block);
        for (int r = 0; r < set->kept * block; r++)
            CHECK(!memcmp(set->lower + (size_t)r * stride, fresh->lower + (size_t)r * stride,
                          (size_t)(r + 1) * sizeof(double)));
        memcpy(other, x, sizeof other);
        correct(set, set->right, x);
        correct(fresh, fresh->right, other);
        CHECK(!memcmp(x, other, sizeof other));

        // Save, change, restore: only what changed is solved for again.
        void *bytes = malloc(set->blockSize);
        snConstraintSet_Save(set, bytes);
        int64_t before = set->columnsSolved;
        for (int change = 0; change < 10; change++)
            comeOrGo(&random, set, &crowd, y);
        CHECK(snConstraintSet_Restore(set, bytes, NULL) == SN_OK);
        CHECK(set->columnsSolved <= before + 10 * block);
        snConstraintSet_Prepare(set);
        memcpy(x, y, sizeof other);
        memcpy(other, y, sizeof other);
        correct(set, set->right, x);
        correct(fresh, fresh->right, other);
        CHECK(!memcmp(x, other, sizeof other));
        // And into a set that knows nothing.
        snConstraintSet *empty = makeSet(&system, shape, 100, false);
        CHECK(snConstraintSet_Restore(empty, bytes, NULL) == SN_OK);
        CHECK(snConstraintSet_Prepare(empty) == 0 && empty->kept == set->kept);
        CHECK(!memcmp(empty->block, set->block, set->blockSize));
        free(bytes);
        free(x);
        free(y);
        snConstraintSet_Destroy(set);
        snConstraintSet_Destroy(fresh);
        snConstraintSet_Destroy(empty);
        freeSystem(&system);
    }
}

static Row named(Row row, const char *name)
{
    snprintf(row.name, sizeof row.name, "%s", name);
    return row;
}

static Row sum(const Row *a, double f, const Row *b, double g)
{
    Row row = {.termCount = 4};
    for (int t = 0; t < 2; t++) {
        row.index[t] = a->index[t];
        row.index[t + 2] = b->index[t];
        row.weight[t] = f * a->weight[t];
        row.weight[t + 2] = g * b->weight[t];
    }
    for (int i = 0; i < MOST_WIDTH; i++) {
        row.target[i] = f * a->target[i] + g * b->target[i];
        row.offset[i] = f * a->offset[i] + g * b->offset[i];
    }
    return row;
}

static bool mentions(snConstraintReport report, const char *text)
{
    bool found = strstr(report.message.message, text) != NULL;
    if (!found) printf("no %s in: %s\n", text, report.message.message);
    return found;
}

// Copies, longer or shorter: always the later one is left out. Conflicts name their partners.
static void laterOnesAreLeftOutAndNamed(void)
{
    for (int block = 1; block <= 3; block += 2)
        for (int longer = 0; longer < 2; longer++) {
            Shape shape = {30, block, 4, 1};
            System system = makeSystem(30 * block, 23);
            snRandom random = snMakeRandom(24);
            snConstraintSet *set = makeSet(&system, shape, 8, false);
            Row hand = named(randomRow(&random, 30, 2), "hand");
            Row foot = named(randomRow(&random, 30, 2), "foot");
            Row ear = named(randomRow(&random, 30, 2), "ear");
            Row copy = named(sum(&hand, longer ? 1e3 : 1e-3, &foot, 0), "copy");
            Row both = named(sum(&hand, 0.5, &foot, 2), "both");
            int h[5] = {add(set, &hand), add(set, &foot), add(set, &ear), add(set, &copy),
                        add(set, &both)};
            CHECK(snConstraintSet_Prepare(set) == 0);
            CHECK(set->kept == 3);
            for (int p = 0; p < 5; p++) {
                snConstraintReport report = snConstraintSet_Report(set, p);
                CHECK(report.handle == h[p] && report.message.code == SN_OK);
                CHECK(report.state == (p < 3 ? SN_CONSTRAINT_MET : SN_CONSTRAINT_REDUNDANT));
            }
            CHECK(mentions(snConstraintSet_Report(set, 0), "\"hand\" is met"));
            CHECK(mentions(snConstraintSet_Report(set, 4), "\"foot\", \"hand\""));
            int partners[3];
            CHECK(snConstraintSet_Partners(set, h[4], 3, partners) == 2);
            CHECK(partners[0] == h[1] && partners[1] == h[0]);
            CHECK(snConstraintSet_Partners(set, h[4], 1, partners) == 1 && partners[0] == h[1]);

            // Now it asks for something else.
            both.target[1] += 0.25;
            CHECK(snConstraintSet_Move(set, h[4], both.target, NULL, NULL) == SN_OK);
            int64_t rows = set->rowsFactored;
            CHECK(snConstraintSet_Prepare(set) == 1);
            CHECK(set->rowsFactored == rows); // targets alone touch no matrix
            snConstraintReport report = snConstraintSet_Report(set, 4);
            CHECK(report.state == SN_CONSTRAINT_CONFLICTING);
            CHECK_NEAR(report.miss, 0.25, 1e-9);
            CHECK(mentions(report, "\"both\" conflicts with \"foot\", \"hand\""));
            CHECK(report.message.code == SN_ERROR_NUMERIC &&
                  !strstr(report.message.message, "ear"));
            double *x = randomVector(&random, 120);
            correct(set, set->right, x);
            CHECK_NEAR(missOf(&hand, x, 4, 3), 0, 1e-11);
            CHECK_NEAR(missOf(&foot, x, 4, 3), 0, 1e-11);
            CHECK_NEAR(missOf(&both, x, 4, 3), 0.25, 1e-10);

            // Without the one that stood before it, it counts again.
            CHECK(snConstraintSet_Remove(set, h[1], NULL) == SN_OK);
            CHECK(snConstraintSet_Prepare(set) == 0 && set->kept == 3);
            correct(set, set->right, x);
            CHECK_NEAR(missOf(&both, x, 4, 3), 0, 1e-11);
            CHECK_NEAR(missOf(&copy, x, 4, 3), 0, 1e-9);
            free(x);
            snConstraintSet_Destroy(set);
            freeSystem(&system);
        }
}

// Constraints that nearly depend on each other: four points close together in a cell of four
// vertices, and a fifth one. Down to distances of 1e-5 of the cell the four count and are met, and the
// fifth is known to be implied by them; two at 1e-8 are one.
static void nearlyDependentOnesAreToldApart(void)
{
    for (int block = 1; block <= 3; block += 2)
        for (double distance = 0.1; distance > 5e-6; distance *= 0.1) {
            Shape shape = {20, block, 4, 1};
            System system = makeSystem(20 * block, 91);
            snRandom random = snMakeRandom(92);
            snConstraintSet *set = makeSet(&system, shape, 6, false);
            double *y = randomVector(&random, 80), *x = randomVector(&random, 80), worst = 0;
            Row rows[5];
            for (int r = 0; r < 5; r++) {
                rows[r] = (Row){.termCount = 4, .index = {3, 4, 8, 9}};
                double last = 1;
                for (int t = 0; t < 3; t++) {
                    rows[r].weight[t] = 0.25 + distance * snRandom_Uniform(&random, -1, 1);
                    last -= rows[r].weight[t];
                }
                rows[r].weight[3] = last;
                aimAt(&rows[r], y, 4);
                add(set, &rows[r]);
            }
            CHECK(snConstraintSet_Prepare(set) == 0 && set->kept == 4);
            correct(set, set->right, x);
            for (int r = 0; r < 5; r++)
                worst = fmax(worst, missOf(&rows[r], x, 4, 3));
            printf("block %d, distance %.0e: worst miss %.2e\n", block, distance, worst);
            CHECK_NEAR(worst, 0, 1e-10);
            Row close = rows[0];
            close.weight[0] += 1e-8;
            close.weight[1] -= 1e-8;
            int handle = add(set, &close);
            snConstraintSet_Prepare(set);
            CHECK(set->rank[handle] < 0);
            free(x);
            free(y);
            snConstraintSet_Destroy(set);
            freeSystem(&system);
        }
}

// Over-constrained: Cᵀ (C y - a) = 0 says that |C y - a|² is least; A (y - x) orthogonal to all z
// with C z = 0 says that y is the nearest of those.
static void leastSquaresSharesConflicts(void)
{
    enum { N = 24, COUNT = 9 };
    for (int block = 1; block <= 3; block += 2) {
        Shape shape = {N, block, 4, 1};
        System system = makeSystem(N * block, 33);
        snRandom random = snMakeRandom(34);
        snConstraintSet *set = makeSet(&system, shape, COUNT, true);
        Row rows[COUNT];
        int handles[COUNT];
        for (int r = 0; r < COUNT; r++) {
            rows[r] = randomRow(&random, N, 2);
            if (r % 3 == 2) {
                rows[r] = sum(&rows[r - 1], 0.7, &rows[r - 2], -1.3);
                for (int i = 0; i < 3; i++)
                    rows[r].target[i] += snRandom_Normal(&random);
            }
            if (r == 8) rows[r] = rows[0], rows[r].target[0] += 1;
            for (int i = 3; i < 4; i++)
                rows[r].target[i] = rows[r].offset[i] = 0;
            snprintf(rows[r].name, sizeof rows[r].name, "r%d", r);
            handles[r] = add(set, &rows[r]);
        }
        int conflicts = snConstraintSet_Prepare(set);
        CHECK(set->kept == 6 && conflicts == 7); // rows 6 and 7 have no part in it
        double *x = randomVector(&random, N * 4), y[N * 4], worst = 0;
        for (int i = 0; i < N; i++)
            x[4 * i + 3] = 0;
        memcpy(y, x, sizeof y);
        correct(set, set->right, y);
        for (int i = 0; i < N; i++) // Cᵀ (C y - a)
            for (int c = 0; c < 3; c++) {
                double total = 0;
                for (int r = 0; r < COUNT; r++) {
                    double miss = rows[r].offset[c] - rows[r].target[c], weight = 0;
                    for (int t = 0; t < rows[r].termCount; t++) {
                        miss += rows[r].weight[t] * y[rows[r].index[t] * 4 + c];
                        if (rows[r].index[t] == i) weight += rows[r].weight[t];
                    }
                    total += weight * miss;
                }
                worst = fmax(worst, fabs(total));
            }
        for (int r = 0; r < COUNT; r++)
            CHECK_NEAR(missOf(&rows[r], y, 4, 3), set->miss[handles[r]], 1e-11);
        double *z = randomVector(&random, N * 4), moved[N * 4], image[N * 3], vector[N * 3],
               dot = 0;
        correct(set, NULL, z);
        for (int i = 0; i < N * 4; i++)
            moved[i] = y[i] - x[i];
        for (int side = 0; side < (block == 1 ? 3 : 1); side++) {
            copySide(shape, side, moved, vector, true);
            multiplySystem(&system, vector, image);
            copySide(shape, side, z, vector, true);
            dot = fmax(dot, fabs(snDotProduct(system.rows, vector, image)));
        }
        printf("block %d: normal equations off by %.2e, %.2e from orthogonal\n", block, worst, dot);
        CHECK_NEAR(worst, 0, 1e-11);
        CHECK_NEAR(dot, 0, 1e-11);
        CHECK(mentions(snConstraintSet_Report(set, 0), "least squares"));
        CHECK(mentions(snConstraintSet_Report(set, 0), "\"r2\""));
        free(x);
        free(z);
        snConstraintSet_Destroy(set);
        freeSystem(&system);
    }
}

// Two bodies, two matrices: a constraint between them sees both, and moves both by equal and
// opposite forces: A₁ (y₁ - x₁) + A₂ (y₂ - x₂) summed over the coordinates is zero.
typedef struct Pair {
    System *first, *second;
} Pair;

static void solvePair(void *context, const double *x, double *y)
{
    Pair *pair = context;
    solveSystem(pair->first, x, y);
    solveSystem(pair->second, x + pair->first->rows, y + pair->first->rows);
}

static void twoBodiesAreJoined(void)
{
    System first = makeSystem(12, 41), second = makeSystem(9, 42);
    Pair pair = {&first, &second};
    snContext context = snDefaultContext();
    snConstraintSetDef def = snDefaultConstraintSetDef();
    def.size = 21;
    def.width = 3;
    def.inverse = (snOperator){solvePair, &pair};
    snConstraintSet *set;
    CHECK(snConstraintSet_Make(&set, &def, &context, NULL) == SN_OK);
    Row joint = {.termCount = 4, .index = {2, 5, 14, 19}, .weight = {0.4, 0.6, -0.7, -0.3}};
    add(set, &joint);
    CHECK(snConstraintSet_Prepare(set) == 0);
    snRandom random = snMakeRandom(43);
    double *x = randomVector(&random, 63), y[63];
    memcpy(y, x, sizeof y);
    correct(set, set->right, y);
    CHECK_NEAR(missOf(&joint, y, 3, 3), 0, 1e-12);
    for (int c = 0; c < 3; c++) {
        double moved[21], force[21], total = 0, size = 0;
        for (int i = 0; i < 21; i++)
            moved[i] = y[3 * i + c] - x[3 * i + c];
        multiplySystem(&first, moved, force);
        multiplySystem(&second, moved + 12, force + 12);
        for (int i = 0; i < 21; i++) {
            total += force[i];
            size += fabs(force[i]);
        }
        CHECK_NEAR(total, 0, 1e-12);
        CHECK(size > 1e-3);
    }
    free(x);
    snConstraintSet_Destroy(set);
    freeSystem(&first);
    freeSystem(&second);
}

// Nothing unknown in it: it is met or not, and moves nothing.
static void knownOnly(void)
{
    System system = makeSystem(6, 51);
    snConstraintSet *set = makeSet(&system, (Shape){6, 1, 3, 1}, 3, false);
    Row row = named((Row){.target = {1e3, 2, 3}, .offset = {1e3, 2, 3 + 1e-13}}, "on the bone");
    int handle = add(set, &row), other;
    CHECK(set->columnsSolved == 0);
    CHECK(snConstraintSet_Prepare(set) == 0 && set->kept == 0);
    CHECK(set->state[handle] == SN_CONSTRAINT_REDUNDANT);
    double away[3] = {1e3, 2.5, 3}, x[18] = {0}, zeros[18] = {0};
    CHECK(snConstraintSet_Move(set, handle, away, NULL, NULL) == SN_OK);
    CHECK(snConstraintSet_Prepare(set) == 1);
    CHECK(mentions(snConstraintSet_Report(set, 0), "known coordinates alone"));
    // Weights of zero are no terms.
    Row zero = {.termCount = 2, .index = {0, 1}, .weight = {0, 0}};
    other = add(set, &zero);
    CHECK(set->termCount[other] == 0 && set->columnsSolved == 0);
    CHECK(snConstraintSet_Prepare(set) == 1);
    correct(set, set->right, x);
    CHECK(!memcmp(x, zeros, sizeof x));
    snConstraintSet_Destroy(set);
    freeSystem(&system);
}

static void solveToNan(void *context, const double *x, double *y)
{
    System *system = context;
    for (int i = 0; i < system->rows; i++)
        y[i] = x[i] + (double)NAN;
}

static void badInputIsRefused(void)
{
    System system = makeSystem(6, 61);
    snContext context = snDefaultContext();
    snConstraintSet *set = makeSet(&system, (Shape){6, 1, 3, 1}, 2, false);
    snError error;
    Row row = named((Row){.termCount = 1, .index = {3}, .weight = {1}}, "nail"), bad;
    int first = add(set, &row), handle;
    void *before = malloc(set->blockSize), *after = malloc(set->blockSize);
    snConstraintSet_Save(set, before);
    const char *words[] = {"coordinate 6 of 6", "coordinate -1", "not finite",
                           "not finite",        "not finite",    "9 terms"};
    for (int k = 0; k < 6; k++) {
        int index[9] = {0};
        double weight[9] = {1};
        bad = row;
        if (k < 2) bad.index[0] = k ? -1 : 6;
        if (k == 2) bad.weight[0] = INFINITY;
        if (k == 3) bad.target[1] = NAN;
        if (k == 4) bad.offset[2] = NAN;
        snConstraintDef def = defOf(&bad);
        if (k == 5) def.termCount = 9, def.index = index, def.weight = weight;
        CHECK(snConstraintSet_Add(set, &def, &handle, &error) == SN_ERROR_ARGUMENT);
        CHECK(handle == -1 && strstr(error.message, words[k]) && strstr(error.message, "nail"));
    }
    double nan[3] = {0, NAN, 0}, good[3] = {0};
    CHECK(snConstraintSet_Move(set, first, nan, NULL, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "\"nail\" is not finite") != NULL);
    CHECK(snConstraintSet_Move(set, first, good, nan, &error) == SN_ERROR_ARGUMENT);
    for (int k = 0; k < 3; k++) {
        int none = k == 0 ? -1 : k;
        CHECK(snConstraintSet_Move(set, none, good, NULL, &error) == SN_ERROR_ARGUMENT);
        CHECK(snConstraintSet_Remove(set, none, &error) == SN_ERROR_ARGUMENT);
    }
    snConstraintSet_Save(set, after);
    CHECK(!memcmp(before, after, set->blockSize)); // nothing changed

    // Full; and room again.
    Row other = named((Row){.termCount = 1, .index = {4}, .weight = {1}}, "other");
    int second = add(set, &other);
    snConstraintDef def = defOf(&row);
    CHECK(snConstraintSet_Add(set, &def, &handle, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "no place") && strstr(error.message, "made for 2"));
    CHECK(snConstraintSet_Remove(set, first, NULL) == SN_OK);
    CHECK(snConstraintSet_Remove(set, second, NULL) == SN_OK);
    CHECK(*set->count == 0 && snConstraintSet_Prepare(set) == 0);
    CHECK(snConstraintSet_Report(set, 0).handle == -1);
    CHECK(add(set, &row) == first && !snConstraintSet_Has(set, second));

    // Bytes that are no set.
    int64_t solved = set->columnsSolved;
    memset(after, 0x55, set->blockSize);
    CHECK(snConstraintSet_Restore(set, after, &error) == SN_ERROR_FORMAT);
    memset(after, 0, set->blockSize);
    ((int *)after)[0] = 1; // a count without a constraint
    CHECK(snConstraintSet_Restore(set, after, &error) == SN_ERROR_FORMAT);
    CHECK(snConstraintSet_Has(set, first) && set->columnsSolved == solved);

    set->def.inverse.apply = solveToNan;
    def = defOf(&other);
    CHECK(snConstraintSet_Add(set, &def, &handle, &error) == SN_ERROR_NUMERIC);
    CHECK(*set->count == 1 && !snConstraintSet_Has(set, 1));
    snConstraintSet_Destroy(set);

    snConstraintSetDef setDef = snDefaultConstraintSetDef();
    CHECK(snConstraintSet_Make(&set, &setDef, &context, &error) == SN_ERROR_ARGUMENT); // no inverse
    setDef.inverse = (snOperator){solveSystem, &system};
    setDef.block = 2;
    CHECK(snConstraintSet_Make(&set, &setDef, &context, &error) == SN_ERROR_ARGUMENT);
    setDef.block = 3, setDef.lanes = 8;
    CHECK(snConstraintSet_Make(&set, &setDef, &context, &error) == SN_ERROR_ARGUMENT);
    setDef.lanes = 1, setDef.tolerance = NAN;
    CHECK(snConstraintSet_Make(&set, &setDef, &context, &error) == SN_ERROR_ARGUMENT);
    setDef.tolerance = 1e-6, setDef.capacity = -1;
    CHECK(snConstraintSet_Make(&set, &setDef, &context, &error) == SN_ERROR_ARGUMENT && !set);
    // Nothing at all is a set too.
    setDef.capacity = 0, setDef.size = 0;
    CHECK(snConstraintSet_Make(&set, &setDef, &context, &error) == SN_OK);
    CHECK(snConstraintSet_Prepare(set) == 0);
    correct(set, set->right, good);
    snConstraintSet_Destroy(set);
    free(before);
    free(after);
    freeSystem(&system);
}

static void longNamesAreCut(void)
{
    System system = makeSystem(2, 71);
    snConstraintSet *set = makeSet(&system, (Shape){2, 1, 3, 1}, 2, false);
    char text[80];
    memset(text, 'a', sizeof text);
    memcpy(text + SN_CONSTRAINT_NAME - 2, "\xC3\xA9z", 4); // é across the border
    double target[3] = {0};
    int handle;
    snConstraintDef def = {.name = text, .target = target};
    CHECK(snConstraintSet_Add(set, &def, &handle, NULL) == SN_OK);
    CHECK(strlen(set->name) == SN_CONSTRAINT_NAME - 2);
    def.name = NULL;
    CHECK(snConstraintSet_Add(set, &def, &handle, NULL) == SN_OK);
    snConstraintSet_Prepare(set);
    CHECK(snConstraintSet_Report(set, 1).name[0] == 0);
    snConstraintSet_Destroy(set);
    freeSystem(&system);
}

static void everyAllocationMayFail(void)
{
    System system = makeSystem(5, 81);
    snStatus status = SN_ERROR_MEMORY;
    for (int failAt = 1; status && failAt < 40; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snConstraintSetDef def = snDefaultConstraintSetDef();
        def.size = 5;
        def.capacity = 200; // large enough for several blocks of memory
        def.inverse = (snOperator){solveSystem, &system};
        snConstraintSet *set;
        status = snConstraintSet_Make(&set, &def, &context, NULL);
        CHECK(status == (memory.count >= failAt ? SN_ERROR_MEMORY : SN_OK));
        if (!status) {
            Row row = {.termCount = 1, .index = {1}, .weight = {1}};
            int before = memory.count;
            add(set, &row);
            snConstraintSet_Prepare(set);
            CHECK(memory.count == before); // living costs no memory
        }
        snConstraintSet_Destroy(set);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
    snConstraintSet_Destroy(NULL);
    freeSystem(&system);
}

int main(void)
{
    RUN(correctedIsTheConstrainedSolution);
    RUN(zerosGiveTheProjection);
    RUN(hundredConstraintsComeAndGo);
    RUN(historyLeavesNoTrace);
    RUN(laterOnesAreLeftOutAndNamed);
    RUN(nearlyDependentOnesAreToldApart);
    RUN(leastSquaresSharesConflicts);
    RUN(twoBodiesAreJoined);
    RUN(knownOnly);
    RUN(badInputIsRefused);
    RUN(longNamesAreCut);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
