// Newton's method with multigrid in a space that has others inside.
#include "tests/test.h"

#include "body/lattice/newton_grid.h"
#include "numerics/krylov.h"
#include "tests/body/lattice/solid_boxes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static SolidBoxDef boxDef(int levels, snNewtonMethod newton)
{
    return (SolidBoxDef){.scheme = SN_SCHEME_TRILINEAR,
                         .levels = levels,
                         .nodeLevel = levels + 1,
                         .cells = {2, 1, 1},
                         .poisson = 0.4,
                         .newton = newton,
                         .iterations = 8,
                         .tolerance = 1e-10};
}

static void mustMake(SolidBox *box, SolidBoxDef def)
{
    snContext context = snDefaultContext();
    snError error = {0};
    if (CHECK(makeSolidBox(box, &def, &context, &error) == SN_OK)) return;
    printf("%s\n", error.message);
    exit(1);
}

// The matrix over functions is that which is applied from right to left; the cycle is symmetric, positive, and
// near enough to its inverse.
static void gridIsTheProduct(void)
{
    SolidBox box;
    mustMake(&box, boxDef(2, SN_NEWTON_MULTIGRID));
    CHECK(stepSolidBox(&box));
    snLatticeModel *model = box.model;
    snNewton *newton = box.state->newton;
    int n = 4 * model->space->functionCount, free = model->freeCount;
    snNewtonGrid *grid = newton->grid;
    if (!CHECK(grid != NULL)) return;
    CHECK(snHessian_Compute(&newton->hessian, model, box.state, box.state->position));
    CHECK(snNewtonGrid_Compute(grid));
    snRandom random = snMakeRandom(7);
    double *x = SN_NEW(&box.arena, double, n), *y = SN_NEW(&box.arena, double, n);
    double *z = SN_NEW(&box.arena, double, n), *w = SN_NEW(&box.arena, double, n);
    for (int i = 0; i < n; i++) {
        x[i] = i % 4 < 3 ? snRandom_Uniform(&random, -1, 1) : 0;
        w[i] = i % 4 < 3 ? snRandom_Uniform(&random, -1, 1) : 0;
    }
    double *in = SN_NEW(&box.arena, double, 4 * free), *out = SN_NEW(&box.arena, double, 3 * free);
    snSpace_Push(model, box.state, x, in);
    for (int k = 0; k < 3 * free; k++)
        in[k] = in[k / 3 * 4 + k % 3];
    snSparse_Multiply(&newton->hessian.matrix, 1, in, out);
    for (int k = 0; k < 4 * free; k++)
        in[k] = k % 4 < 3 ? out[k / 4 * 3 + k % 4] : 0;
    snSpace_Pull(model, box.state, in, y);
    snOperator matrix = snNewtonGrid_Matrix(grid), inverse = snNewtonGrid_Inverse(grid);
    matrix.apply(matrix.context, x, z);
    double size = sqrt(snDotProduct(n, y, y));
    for (int i = 0; i < n; i++)
        CHECK_NEAR(z[i], y[i], 1e-13 * size);
    inverse.apply(inverse.context, x, y);
    inverse.apply(inverse.context, w, z);
    CHECK_NEAR(snDotProduct(n, w, y), snDotProduct(n, x, z), 1e-11 * snDotProduct(n, x, y));
    CHECK(snDotProduct(n, x, y) > 0);
    freeSolidBox(&box);
}

// Solved out, both ways end in the same place; multigrid with far fewer iterations.
static void sameMotionAsByTheFactor(void)
{
    SolidBox boxes[2];
    for (int b = 0; b < 2; b++)
        mustMake(&boxes[b], boxDef(2, b ? SN_NEWTON_MULTIGRID : SN_NEWTON_FACTOR));
    CHECK(!boxes[0].state->newton->grid && boxes[1].state->newton->grid);
    for (int k = 0; k < 5; k++)
        CHECK(stepSolidBox(&boxes[0]) && stepSolidBox(&boxes[1]));
    double worst = 0, moved = 0;
    for (int i = 0; i < 4 * boxes[0].model->vertexCount; i++) {
        worst = fmax(worst, fabs(boxes[0].state->position[i] - boxes[1].state->position[i]));
        moved = fmax(moved, fabs(boxes[0].state->position[i] - boxes[0].rig[i]));
    }
    int64_t seen[2] = {boxes[0].state->newton->iterations, boxes[1].state->newton->iterations};
    printf("%d functions: %.1e m apart after %.2f m; %lld iterations by the factor, %lld\n",
           boxes[0].model->space->functionCount, worst, moved, (long long)seen[0],
           (long long)seen[1]);
    CHECK(worst < 1e-9 && moved > 0.05 && 3 * seen[1] < seen[0]);
    for (int b = 0; b < 2; b++)
        freeSolidBox(&boxes[b]);
}

static void iterationsDoNotGrow(void)
{
    int64_t seen[3];
    for (int level = 1; level <= 3; level++) {
        SolidBox box;
        SolidBoxDef def = boxDef(level, SN_NEWTON_MULTIGRID);
        def.iterations = 1;
        def.tolerance = 1e-8;
        mustMake(&box, def);
        CHECK(stepSolidBox(&box));
        seen[level - 1] = box.state->newton->iterations;
        freeSolidBox(&box);
    }
    printf("levels 1 2 3: %lld %lld %lld iterations\n", (long long)seen[0], (long long)seen[1],
           (long long)seen[2]);
    CHECK(llabs(seen[2] - seen[0]) <= 4 && llabs(seen[2] - seen[1]) <= 2 && seen[2] < 20);
}

// By size, and only where there is something to take it on.
static void chosenBySize(void)
{
    snContext context = snDefaultContext();
    snError error = {0};
    SolidBox box;
    for (int level = 0; level <= 2; level++) {
        mustMake(&box, boxDef(level, SN_NEWTON_AUTO));
        bool large = level > 0 && box.model->space->functionCount >= SN_NEWTON_LARGE;
        CHECK((box.state->newton->grid != NULL) == large);
        freeSolidBox(&box);
    }
    SolidBoxDef smooth = boxDef(1, SN_NEWTON_MULTIGRID);
    smooth.scheme = SN_SCHEME_MACCRACKEN_JOY;
    CHECK(makeSolidBox(&box, &smooth, &context, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "trilinear"));
    freeSolidBox(&box);
    SolidBoxDef coarse = boxDef(0, SN_NEWTON_MULTIGRID);
    CHECK(makeSolidBox(&box, &coarse, &context, &error) == SN_ERROR_ARGUMENT);
    freeSolidBox(&box);
}

static void memoryRunsOut(void)
{
    SolidBox box;
    mustMake(&box, boxDef(1, SN_NEWTON_MULTIGRID));
    snStatus status = SN_ERROR_MEMORY;
    for (int n = 1; status == SN_ERROR_MEMORY && n < 1000; n++) {
        snFailingMemory memory = {.failAtWay = n};
        snContext failing = snDefaultContext();
        snTest_UseFailingMemory(&failing, &memory);
        snArena arena = snMakeArena(&failing);
        snNewton *newton = NULL;
        status = snNewton_Make(&newton, box.model, &arena, NULL);
        CHECK(status == SN_OK || (status == SN_ERROR_MEMORY && !newton));
        snArena_Destroy(&arena);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
    freeSolidBox(&box);
}

int main(void)
{
    RUN(gridIsTheProduct);
    RUN(sameMotionAsByTheFactor);
    RUN(iterationsDoNotGrow);
    RUN(chosenBySize);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
