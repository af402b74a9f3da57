// The factor by rows against dense algebra, its fill, and sets of constraints between many pieces that solve with it.
#include "tests/test.h"

#include "tests/constraint/systems.h"

#include <stdio.h>

enum { MOST = 120 };

// A random symmetric matrix with so many entries per row, diagonally dominant; dense as well, column-major.
static void fillRandom(snRowFactor *factor, int rows, int entries, uint64_t seed, double *dense)
{
    snRandom random = snMakeRandom(seed);
    memset(dense, 0, (size_t)rows * (size_t)rows * sizeof *dense);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < entries && i > 0; k++) {
            int j = snRandom_Below(&random, i);
            dense[i * rows + j] = dense[j * rows + i] = snRandom_Normal(&random);
        }
    for (int i = 0; i < rows; i++) {
        double sum = 0.1;
        for (int j = 0; j < rows; j++)
            sum += fabs(dense[i * rows + j]);
        dense[i * rows + i] = sum;
    }
    snRowFactor_Begin(factor);
    for (int i = 0; i < rows; i++) {
        snRowFactor_AddRow(factor);
        for (int j = 0; j < i; j++)
            if (dense[i * rows + j] != 0) snRowFactor_AddEntry(factor, j, dense[i * rows + j]);
        snRowFactor_SetDiagonal(factor, dense[i * rows + i]);
    }
}

// |A x - b| of the largest b, for four sides.
static double leftOver(int rows, const double *a, const double *x, const double *b)
{
    double most = 0, largest = 0;
    for (int i = 0; i < rows; i++)
        for (int s = 0; s < 4; s++) {
            double sum = -b[4 * i + s];
            for (int j = 0; j < rows; j++)
                sum += a[j * rows + i] * x[4 * j + s];
            most = fmax(most, fabs(sum));
            largest = fmax(largest, fabs(b[4 * i + s]));
        }
    return most / largest;
}

static void agreesWithDense(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snRowFactor factor;
    static double dense[MOST * MOST], x[MOST * 4];
    double worst = 0;
    CHECK(snRowFactor_Make(&factor, MOST, &arena));
    for (int rows = 1; rows <= MOST; rows += rows < 8 ? 1 : 28)
        for (int entries = 0; entries < 60; entries = 2 * entries + 1) {
            snRandom random = snMakeRandom(3);
            fillRandom(&factor, rows, entries, (uint64_t)(rows + entries), dense);
            double least = snRowFactor_Compute(&factor, 0);
            double *b = randomVector(&random, 4 * rows);
            memcpy(x, b, 4 * (size_t)rows * sizeof *x);
            snRowFactor_Solve(&factor, x);
            worst = fmax(worst, leftOver(rows, dense, x, b));
            CHECK(least > 0 && least <= 1);
            free(b);
        }
    printf("    %.1e left\n", worst);
    CHECK(worst < 1e-13);
    snRowFactor_Begin(&factor); // nothing at all
    CHECK(snRowFactor_Compute(&factor, 0) == 1);
    snRowFactor_Solve(&factor, x);
    snArena_Destroy(&arena);
}

// A net of 10 x 10, its rows in an order that has them all over the place: in that order an envelope is nearly full.
static void orderIsFound(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snRowFactor factor;
    int envelope = 0;
    CHECK(snRowFactor_Make(&factor, 100, &arena));
    snRowFactor_Begin(&factor);
    for (int i = 0; i < 100; i++) {
        int own = i * 37 % 100, first = i; // its knot
        snRowFactor_AddRow(&factor);
        for (int j = 0; j < i; j++) {
            int other = j * 37 % 100;
            int apart = abs(own / 10 - other / 10) + abs(own % 10 - other % 10);
            if (apart == 1) snRowFactor_AddEntry(&factor, j, -1), first = first < j ? first : j;
        }
        snRowFactor_SetDiagonal(&factor, 4.1);
        envelope += i - first;
    }
    CHECK(snRowFactor_Compute(&factor, 0) > 0);
    printf("    %d entries left of the diagonal, L has %d, an envelope %d\n", factor.start[100],
           factor.first[100], envelope);
    CHECK(factor.start[100] == 180 && factor.first[100] < 600 && envelope > 3000);
    snArena_Destroy(&arena);
}

// A row that is another one again is left out; the others are solved for.
static void dependentRowsAreLeftOut(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snRowFactor factor;
    double x[12] = {1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0};
    CHECK(snRowFactor_Make(&factor, 3, &arena));
    snRowFactor_Begin(&factor);
    for (int i = 0; i < 3; i++) {
        snRowFactor_AddRow(&factor);
        if (i == 2) snRowFactor_AddEntry(&factor, 0, 4);
        snRowFactor_SetDiagonal(&factor, 4);
    }
    CHECK(snRowFactor_Compute(&factor, 1e-14) <= 1e-14);
    snRowFactor_Solve(&factor, x);
    CHECK(fabs(x[0] + x[8] - 0.25) < 1e-16 && x[0] * x[8] == 0 && x[4] == 0.5);
    snArena_Destroy(&arena);
}

// ---- sets of constraints between pieces ---------------------------------------------------------

enum { PIECES = 40, SIZE = 4 * PIECES, CAPACITY = 100 };

// A of every piece is 0.6 1 - 0.025 11ᵀ.
static void solvePieces(void *unused, const double *x, double *y)
{
    (void)unused;
    for (int k = 0; k < PIECES; k++) {
        double sum = (x[4 * k] + x[4 * k + 1] + x[4 * k + 2] + x[4 * k + 3]) * -0.025 / 0.5;
        for (int i = 0; i < 4; i++)
            y[4 * k + i] = (x[4 * k + i] - sum) / 0.6;
    }
}

static snConstraintSet *makeSet(bool sparse, const snContext *context)
{
    snConstraintSetDef def = snDefaultConstraintSetDef();
    snConstraintSet *set = NULL;
    def.size = SIZE;
    def.capacity = CAPACITY;
    def.inverse = (snOperator){solvePieces, NULL};
    def.sparse = sparse;
    CHECK(snConstraintSet_Make(&set, &def, context, NULL) == SN_OK);
    return set;
}

// A point of one piece held to a point of another.
static Row randomTie(snRandom *random)
{
    Row row = {.termCount = 8};
    for (int e = 0; e < 2; e++) {
        int piece = snRandom_Below(random, PIECES);
        double rest = 1;
        for (int k = 0; k < 4; k++) {
            double w = k < 3 ? snRandom_Normal(random) : rest;
            rest -= w;
            row.index[4 * e + k] = 4 * piece + k;
            row.weight[4 * e + k] = e ? -w : w;
        }
    }
    for (int i = 0; i < 3; i++)
        row.target[i] = snRandom_Normal(random);
    return row;
}

static void add(snConstraintSet *set, const Row *row)
{
    snConstraintDef def = defOf(row);
    int handle;
    CHECK(snConstraintSet_Add(set, &def, &handle, NULL) == SN_OK);
}

// Corrects a vector by both; returns how far apart they are.
static double compare(const snConstraintSet *a, const snConstraintSet *b)
{
    snRandom random = snMakeRandom(9);
    double *x = randomVector(&random, 4 * SIZE), *y = calloc(4 * SIZE, sizeof *y);
    double *scratch = calloc(snConstraintSet_ScratchSize(a), sizeof *scratch);
    memcpy(y, x, 4 * SIZE * sizeof *y);
    snConstraintSet_Correct(a, a->right, x, scratch);
    snConstraintSet_Correct(b, b->right, y, scratch);
    double apart = farthest(4 * SIZE, x, y);
    free(x);
    free(y);
    free(scratch);
    return apart;
}

// Every third tie is there twice, and once with another target: the same ones are kept, left out and in conflict.
static void sparseSetsAgree(void)
{
    snContext context = snDefaultContext();
    snConstraintSet *sparse = makeSet(true, &context), *dense = makeSet(false, &context);
    snRandom random = snMakeRandom(21);
    for (int i = 0; i < 54; i++) {
        Row row = randomTie(&random);
        for (int k = 0; k < (i % 3 == 0 ? 2 : 1); k++) {
            row.target[0] += i % 6 == 3 ? k : 0;
            add(sparse, &row);
            add(dense, &row);
        }
    }
    CHECK(snConstraintSet_Prepare(sparse) == 9 && snConstraintSet_Prepare(dense) == 9);
    CHECK(sparse->rowsServe && !dense->rowsServe && sparse->kept == 54 && dense->kept == 54);
    for (int k = 0; k < 72; k++)
        CHECK(sparse->state[k] == dense->state[k] && sparse->rank[k] == dense->rank[k]);
    double apart = compare(sparse, dense);
    printf("    %d of %d kept, answers %.1e apart\n", sparse->kept, *sparse->count, apart);
    CHECK(apart < 1e-12);
    int64_t before = sparse->rowsFactored;
    CHECK(snConstraintSet_Prepare(sparse) == 9 && sparse->rowsFactored == before);
    snConstraintSet_Destroy(sparse);
    snConstraintSet_Destroy(dense);
}

// Ties that nearly depend on others are solved with in the order of addition, as ever.
static void nearlyDependentTies(void)
{
    snContext context = snDefaultContext();
    snConstraintSet *sparse = makeSet(true, &context), *dense = makeSet(false, &context);
    snRandom random = snMakeRandom(22);
    for (int i = 0; i < 10; i++) {
        Row row = randomTie(&random);
        for (int k = 0; k < 8; k++) // each of two pieces of its own
            row.index[k] = 4 * (2 * i + k / 4) + k % 4;
        for (int k = 0; k < 2; k++) {
            row.weight[0] += 3e-5 * k;
            row.weight[1] -= 3e-5 * k;
            add(sparse, &row);
            add(dense, &row);
        }
    }
    snConstraintSet_Prepare(sparse);
    snConstraintSet_Prepare(dense);
    CHECK(sparse->kept == 20 && !sparse->rowsServe);
    CHECK(compare(sparse, dense) == 0);
    snConstraintSet_Destroy(sparse);
    snConstraintSet_Destroy(dense);
}

// Ties come and go: the factor has the bits of one made afresh.
static void historyLeavesNoTrace(void)
{
    snContext context = snDefaultContext();
    snConstraintSet *set = makeSet(true, &context), *fresh = makeSet(true, &context);
    snRandom random = snMakeRandom(23);
    static Row rows[CAPACITY];
    for (int change = 0; change < 200; change++) {
        int place = snRandom_Below(&random, 60);
        if (snConstraintSet_Has(set, place)) {
            CHECK(snConstraintSet_Remove(set, place, NULL) == SN_OK);
        } else {
            Row row = randomTie(&random);
            snConstraintDef def = defOf(&row);
            CHECK(snConstraintSet_Add(set, &def, &place, NULL) == SN_OK);
            rows[place] = row;
        }
        if (change % 5 == 0) snConstraintSet_Prepare(set);
    }
    snConstraintSet_Prepare(set);
    for (int p = 0; p < *set->count; p++)
        add(fresh, &rows[set->order[p]]);
    snConstraintSet_Prepare(fresh);
    CHECK(set->rowsServe && set->kept > 10 && set->kept == fresh->kept);
    size_t entries = (size_t)set->rows.first[set->kept];
    CHECK(!memcmp(set->rows.value, fresh->rows.value, entries * sizeof(double)));
    CHECK(compare(set, fresh) == 0);
    snConstraintSet_Destroy(set);
    snConstraintSet_Destroy(fresh);
}

static void memoryMayFail(void)
{
    snConstraintSetDef def = snDefaultConstraintSetDef();
    snError error;
    bool made = false;
    int failures = 0;
    def.size = SIZE;
    def.capacity = 200;
    def.inverse = (snOperator){solvePieces, NULL};
    def.sparse = true;
    for (int n = 1; n < 60 && !made; n++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        snConstraintSet *set = NULL;
        snStatus status = snConstraintSet_Make(&set, &def, &context, &error);
        made = status == SN_OK;
        CHECK(made || status == SN_ERROR_MEMORY);
        failures += !made;
        snConstraintSet_Destroy(set);
        CHECK(memory.alive == 0);
    }
    CHECK(made && failures > 2);
    def.width = 8;
    snContext context = snDefaultContext();
    snConstraintSet *set = NULL;
    CHECK(snConstraintSet_Make(&set, &def, &context, &error) == SN_ERROR_ARGUMENT && !set);
}

int main(void)
{
    RUN(agreesWithDense);
    RUN(orderIsFound);
    RUN(dependentRowsAreLeftOut);
    RUN(sparseSetsAgree);
    RUN(nearlyDependentTies);
    RUN(historyLeavesNoTrace);
    RUN(memoryMayFail);
    return snTest_Finish();
}
