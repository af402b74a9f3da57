// The projection by C Cᵀ against the one by QR: random rows, rows that are nearly the same, rows of bodies that stand one
// after another, sets that change; and the same bits as made afresh.
#include "tests/test.h"

#include "constraint/normal.h"
#include "constraint/projector.h"
#include "tests/constraint/systems.h"

#include <stdio.h>

enum { SIZE = 60, MOST = 24 };

typedef struct Both {
    System system;
    snConstraintSet *set;
    snConstraintNormal *normal;
    snConstraintProjector *projector;
} Both;

static Both makeBoth(const snContext *context)
{
    Both both = {.system = makeSystem(SIZE, 3)};
    snConstraintSetDef def = snDefaultConstraintSetDef();
    def.size = SIZE;
    def.capacity = MOST;
    def.inverse = (snOperator){solveSystem, &both.system};
    CHECK(snConstraintSet_Make(&both.set, &def, context, NULL) == SN_OK);
    both.set->def.inverse.context = &both.system;
    CHECK(snConstraintNormal_Make(&both.normal, both.set, context, NULL) == SN_OK);
    CHECK(snConstraintProjector_Make(&both.projector, both.set, context, NULL) == SN_OK);
    return both;
}

static void freeBoth(Both *both)
{
    snConstraintProjector_Destroy(both->projector);
    snConstraintNormal_Destroy(both->normal);
    snConstraintSet_Destroy(both->set);
    freeSystem(&both->system);
}

static int add(Both *both, const Row *row)
{
    snConstraintDef def = defOf(row);
    int handle = -1;
    both->set->def.inverse.context = &both->system;
    CHECK(snConstraintSet_Add(both->set, &def, &handle, NULL) == SN_OK);
    return handle;
}

// Farthest that both are apart, and that what is projected is off the constraints.
static void compare(Both *both, double *apart, double *left)
{
    snRandom random = snMakeRandom(21);
    double *x = randomVector(&random, SIZE * 4), *y = calloc(SIZE * 4, sizeof *y), value[4];
    memcpy(y, x, SIZE * 4 * sizeof *y);
    snConstraintSet_Prepare(both->set);
    snConstraintNormal_Update(both->normal);
    CHECK(snConstraintProjector_Update(both->projector, NULL) == SN_OK);
    snConstraintNormal_Apply(both->normal, x);
    snConstraintProjector_Apply(both->projector, 4, y);
    *apart = farthest(SIZE * 4, x, y);
    *left = 0;
    for (int p = 0; p < *both->set->count; p++) {
        snConstraintSet_Value(both->set, both->set->order[p], x, value);
        for (int s = 0; s < 4; s++)
            *left = fmax(*left, fabs(value[s]));
    }
    free(x);
    free(y);
}

static void agreesWithQr(void)
{
    snContext context = snDefaultContext();
    Both both = makeBoth(&context);
    snRandom random = snMakeRandom(5);
    int handles[MOST];
    double apart, left;
    for (int i = 0; i < MOST - 4; i++) {
        Row row = randomRow(&random, SIZE, 4);
        handles[i] = add(&both, &row);
        compare(&both, &apart, &left);
        CHECK(apart < 1e-12 && left < 1e-12);
    }
    printf("    %d rows: %.1e apart, %.1e left\n", both.normal->count, apart, left);
    for (int i = 0; i < MOST - 4; i += 3)
        CHECK(snConstraintSet_Remove(both.set, handles[i], NULL) == SN_OK);
    compare(&both, &apart, &left);
    CHECK(apart < 1e-12 && left < 1e-12);
    freeBoth(&both);
}

// Rows at ever smaller angles; the same one twice is left out by the set.
static void nearlyDependentRows(void)
{
    for (int digits = 1; digits <= 5; digits++) {
        snContext context = snDefaultContext();
        Both both = makeBoth(&context);
        snRandom random = snMakeRandom(6);
        double apart, left, angle = 1;
        for (int k = 0; k < digits; k++)
            angle *= 0.1;
        Row row = randomRow(&random, SIZE, 4), other = row;
        other.weight[0] += angle * other.weight[0];
        add(&both, &row);
        add(&both, &other);
        add(&both, &row);
        compare(&both, &apart, &left);
        printf("    %.0e: %.1e apart, %.1e left, %d rounds\n", angle, apart, left,
               both.normal->rounds);
        CHECK(both.normal->count == 2 && left < 1e-12 && apart < 1e-13 / angle + 1e-12);
        freeBoth(&both);
    }
}

// A chain: row k has coordinates of blocks k and k + 1 alone, and the factor no entry that C Cᵀ does not have.
static void chainsStayNarrow(void)
{
    snContext context = snDefaultContext();
    Both both = makeBoth(&context);
    double apart, left;
    for (int k = 0; k < 15; k++) {
        Row row = {.termCount = 2, .index = {4 * k + 1, 4 * k + 4}, .weight = {1, -1}};
        if (k) row.index[0] = 4 * k;
        if (row.index[1] >= SIZE) row.index[1] = SIZE - 1;
        add(&both, &row);
    }
    compare(&both, &apart, &left);
    CHECK(both.normal->factor.first[both.normal->count] == both.normal->count - 1);
    CHECK(apart < 1e-13 && left < 1e-13);
    freeBoth(&both);
}

static void memoryMayFail(void)
{
    snContext plain = snDefaultContext();
    Both both = makeBoth(&plain);
    bool made = false;
    for (int n = 1; n < 20 && !made; n++) {
        snContext context = plain;
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        snConstraintNormal *normal = NULL;
        snStatus status = snConstraintNormal_Make(&normal, both.set, &context, NULL);
        made = status == SN_OK;
        CHECK(made || status == SN_ERROR_MEMORY);
        snConstraintNormal_Destroy(normal);
        CHECK(memory.alive == 0);
    }
    double empty[SIZE * 4] = {1};
    snConstraintNormal_Update(both.normal);
    snConstraintNormal_Apply(both.normal, empty); // of nothing
    CHECK(empty[0] == 1);
    freeBoth(&both);
}

int main(void)
{
    RUN(agreesWithQr);
    RUN(nearlyDependentRows);
    RUN(chainsStayNarrow);
    RUN(memoryMayFail);
    return snTest_Finish();
}
