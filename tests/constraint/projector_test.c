// Conjugate gradients with constraints against the Schur complement.
#include "tests/test.h"

#include "constraint/projector.h"
#include "numerics/cg.h"
#include "tests/constraint/systems.h"

#include <stdio.h>

enum { SIZE = 30, COUNT = 7 };

typedef struct Case {
    System system;
    snConstraintSet *set;
    Row rows[COUNT + 2];
    int width;
} Case;

static Case makeCase(int block, uint64_t seed)
{
    return (Case){.system = makeSystem(SIZE * block, seed), .width = block};
}

// Seven constraints, then a copy and a combination that agree with them. Vectors are those of A.
static void build(Case *c)
{
    snContext context = snDefaultContext();
    snConstraintSetDef def = snDefaultConstraintSetDef();
    snRandom random = snMakeRandom(5);
    def.size = SIZE;
    def.block = def.width = c->width;
    def.inverse = (snOperator){solveSystem, &c->system};
    if (!CHECK(snConstraintSet_Make(&c->set, &def, &context, NULL) == SN_OK)) exit(1);
    for (int r = 0; r < COUNT + 2; r++) {
        Row *row = &c->rows[r];
        *row = randomRow(&random, SIZE, 4);
        if (r == COUNT) *row = c->rows[2];
        if (r > COUNT) {
            *row = c->rows[3];
            for (int t = 0; t < 4; t++) {
                row->index[t + 4] = c->rows[1].index[t];
                row->weight[t + 4] = -2 * c->rows[1].weight[t];
            }
            row->termCount = 8;
            for (int i = 0; i < c->width; i++) {
                row->target[i] -= 2 * c->rows[1].target[i];
                row->offset[i] -= 2 * c->rows[1].offset[i];
            }
        }
        snConstraintDef d = defOf(row);
        int handle;
        CHECK(snConstraintSet_Add(c->set, &d, &handle, NULL) == SN_OK);
    }
    CHECK(snConstraintSet_Prepare(c->set) == 0);
}

static void freeCase(Case *c)
{
    snConstraintSet_Destroy(c->set);
    freeSystem(&c->system);
}

// M = P A⁻¹: the constraint preconditioner.
typedef struct Preconditioner {
    const Case *c;
    double *scratch;
} Preconditioner;

static void precondition(void *context, const double *r, double *z)
{
    Preconditioner *p = context;
    solveSystem((void *)&p->c->system, r, z);
    snConstraintSet_Correct(p->c->set, NULL, z, p->scratch);
}

// min ½ xᵀ A x - bᵀ x with C x = a, both ways; and with the exact constraint preconditioner the
// iteration is over at once.
static void gradientsAgreeWithSchur(void)
{
    for (int block = 1; block <= 3; block += 2) {
        Case c = makeCase(block, 17);
        build(&c);
        int n = SIZE * block;
        snContext context = snDefaultContext();
        snConstraintProjector *projector;
        CHECK(snConstraintProjector_Make(&projector, c.set, &context, NULL) == SN_OK);
        CHECK(projector->qr.rank == COUNT && c.set->kept == COUNT);
        snRandom random = snMakeRandom(9);
        double *b = randomVector(&random, n), *x = calloc((size_t)n, sizeof *x);
        double *direct = calloc((size_t)n, sizeof *x), *start = calloc((size_t)n, sizeof *x);
        double *scratch = calloc(snCg_ScratchSize(n) + 1000, sizeof *x);
        solveSystem(&c.system, b, direct);
        snConstraintSet_Correct(c.set, c.set->right, direct, scratch);
        snConstraintProjector_Start(projector, c.set->right, start);
        for (int r = 0; r < COUNT + 2; r++)
            CHECK_NEAR(missOf(&c.rows[r], start, block, block), 0, 1e-11);
        snCgDef def = snDefaultCgDef();
        def.size = n;
        def.matrix = (snOperator){multiplySystem, &c.system};
        def.projection = snProjection_FromConstraints(projector, block);
        def.tolerance = 1e-13;
        Preconditioner exact = {&c, scratch + snCg_ScratchSize(n)};
        for (int preconditioned = 0; preconditioned < 2; preconditioned++) {
            snCgResult result;
            if (preconditioned) def.preconditioner = (snOperator){precondition, &exact};
            memcpy(x, start, (size_t)n * sizeof *x);
            CHECK(snCg_Solve(&def, b, x, scratch, &result, NULL) == SN_OK && result.converged);
            double off = farthest(n, x, direct);
            printf("block %d: %d iterations, off by %.2e\n", block, result.iterations, off);
            CHECK_NEAR(off, 0, 1e-10);
            if (preconditioned) CHECK(result.iterations <= 2);
            for (int r = 0; r < COUNT + 2; r++) // redundant ones too
                CHECK_NEAR(missOf(&c.rows[r], x, block, block), 0, 1e-10);
        }
        free(b);
        free(x);
        free(direct);
        free(start);
        free(scratch);
        snConstraintProjector_Destroy(projector);
        freeCase(&c);
    }
}

// Both ways count the same constraints as independent: the rank of all columns of Cᵀ.
static void ranksAgree(void)
{
    Case c = makeCase(1, 27);
    build(&c);
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    double columns[SIZE * (COUNT + 2)] = {0};
    for (int r = 0; r < COUNT + 2; r++)
        for (int t = 0; t < c.rows[r].termCount; t++)
            columns[r * SIZE + c.rows[r].index[t]] += c.rows[r].weight[t];
    snQr qr;
    CHECK(snQr_Make(&qr, SIZE, COUNT + 2, columns, 1e-10, &arena, NULL) == SN_OK);
    CHECK(qr.rank == c.set->kept);
    // The QR keeps the longer of equals; its redundant columns depend on those that the set kept.
    bool redundant[COUNT + 2];
    CHECK(snQr_Redundant(&qr, redundant) == 2);
    CHECK(c.set->rank[COUNT] < 0 && c.set->rank[COUNT + 1] < 0);
    for (int r = 0; r < COUNT + 2; r++) {
        bool involved = r >= COUNT || r == 1 || r == 2 || r == 3;
        CHECK(involved || !redundant[r]);
    }
    snArena_Destroy(&arena);
    freeCase(&c);
}

// One projector per column, as printed, leaves parts along the columns behind; I - Q Qᵀ does not.
static void productOfProjectorsIsNotAProjector(void)
{
    Case c = makeCase(1, 37);
    build(&c);
    snContext context = snDefaultContext();
    snConstraintProjector *projector;
    CHECK(snConstraintProjector_Make(&projector, c.set, &context, NULL) == SN_OK);
    snRandom random = snMakeRandom(3);
    double *x = randomVector(&random, SIZE), *y = calloc(SIZE, sizeof *y), printed = 0, ours = 0;
    memcpy(y, x, SIZE * sizeof *y);
    snConstraintProjector_Apply(projector, 1, y);
    for (int r = 0; r < COUNT; r++) { // projector->columns have length 1
        const double *column = projector->columns + r * SIZE;
        double dot = snDotProduct(SIZE, column, x);
        for (int i = 0; i < SIZE; i++)
            x[i] -= dot * column[i];
    }
    for (int r = 0; r < COUNT; r++) {
        printed = fmax(printed, fabs(snDotProduct(SIZE, projector->columns + r * SIZE, x)));
        ours = fmax(ours, fabs(snDotProduct(SIZE, projector->columns + r * SIZE, y)));
    }
    printf("what is left along the columns: %.2e as printed, %.2e here\n", printed, ours);
    CHECK(printed > 1e-2);
    CHECK_NEAR(ours, 0, 1e-14);
    memcpy(x, y, SIZE * sizeof *y);
    snConstraintProjector_Apply(projector, 1, y);
    CHECK_NEAR(farthest(SIZE, x, y), 0, 1e-14);
    free(x);
    free(y);
    snConstraintProjector_Destroy(projector);
    freeCase(&c);
}

// Constraints come and go; none at all leaves every vector as it is.
static void followsTheSet(void)
{
    Case c = makeCase(3, 47);
    build(&c);
    snContext context = snDefaultContext();
    snConstraintProjector *projector;
    CHECK(snConstraintProjector_Make(&projector, c.set, &context, NULL) == SN_OK);
    CHECK(snConstraintSet_Remove(c.set, 2, NULL) == SN_OK); // its copy stands in
    CHECK(snConstraintSet_Remove(c.set, 5, NULL) == SN_OK);
    snConstraintSet_Prepare(c.set);
    CHECK(snConstraintProjector_Update(projector, NULL) == SN_OK &&
          projector->qr.rank == COUNT - 1);
    double x[SIZE * 3] = {0};
    snConstraintProjector_Start(projector, c.set->right, x);
    for (int r = 0; r < COUNT + 2; r++)
        if (r != 5) CHECK_NEAR(missOf(&c.rows[r], x, 3, 3), 0, 1e-11);
    while (*c.set->count)
        snConstraintSet_Remove(c.set, c.set->order[0], NULL);
    snConstraintSet_Prepare(c.set);
    CHECK(snConstraintProjector_Update(projector, NULL) == SN_OK && projector->qr.rank == 0);
    double kept[SIZE * 3];
    memcpy(kept, x, sizeof kept);
    snConstraintProjector_Apply(projector, 3, x);
    snConstraintProjector_Start(projector, c.set->right, x);
    CHECK(!memcmp(kept, x, sizeof kept));
    snConstraintProjector_Destroy(projector);
    freeCase(&c);
}

static void everyAllocationMayFail(void)
{
    Case c = makeCase(1, 57);
    build(&c);
    snStatus status = SN_ERROR_MEMORY;
    for (int failAt = 1; status && failAt < 20; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snConstraintProjector *projector;
        status = snConstraintProjector_Make(&projector, c.set, &context, NULL);
        CHECK(status == (memory.count >= failAt ? SN_ERROR_MEMORY : SN_OK));
        snConstraintProjector_Destroy(projector);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
    freeCase(&c);
}

int main(void)
{
    RUN(gradientsAgreeWithSchur);
    RUN(ranksAgree);
    RUN(productOfProjectorsIsNotAProjector);
    RUN(followsTheSet);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
