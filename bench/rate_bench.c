// How much of the machine the default step uses: its operations and bytes, counted from the model's
// sizes, over the time it takes, against what one core does at best.
//
// The count is the least that the method needs: three iterations without halved moves, one Newton
// step for every rotation, three components per vertex (not the fourth that pads them), every
// number that does not fit beside the others read once per pass.
#include "bench/bench.h"
#include "bench/block.h"
#include "bench/machine.h"

#include <stdio.h>

// Operations on one tet in a pass of force or strain (cells_kernel.c), multiplications, additions
// and divisions alike.
enum {
    MATRIX_PRODUCT = 45, // of 3x3 matrices
    DEFORMATION = 54,    // 9 differences, 3 corners times 9 products, added up
    ROTATION = 26,       // the matrix of a quaternion
    // R'A, g, the Hessian, its cofactors and determinant, the tests, ω, its limit, q (1, ω), length
    NEWTON = ROTATION + MATRIX_PRODUCT + 3 + 9 + 18 + 7 + 4 + 18 + 9 + 24 + 13,
    SHAPE = DEFORMATION + MATRIX_PRODUCT + NEWTON + ROTATION + MATRIX_PRODUCT // F, A = F C', R, R C
            + 9 + 27 + 6     // F - R C, cof F, J - J_C
            + 4 + 23 + 3,    // level, energy, pressure
    FORCE = SHAPE + 29 + 54, // P, corner forces
    STRAIN = SHAPE + MATRIX_PRODUCT + 20,
    TARGET = 24,
};

// Bytes of one tet in a pass: what it is, what it knows, what it writes.
enum {
    NUMBER = 8,
    ELEMENT_BYTES = 4 * 4 + (9 + 2) * NUMBER,                        // corners, gradients, moduli
    SHAPE_BYTES = ELEMENT_BYTES + (9 + 2) * NUMBER + 2 * 4 * NUMBER, // target, rotation in and out
    FORCE_BYTES = SHAPE_BYTES + 4 * 4 * NUMBER,                      // corner forces
    GATHER_BYTES = 4 * (4 + 4 * NUMBER),          // them again, with their numbers
    STRAIN_BYTES = SHAPE_BYTES + 2 * 10 * NUMBER, // the old and the new strain
    TARGET_BYTES = (10 + 11) * NUMBER,
};

enum { ITERATIONS = 3 };

typedef struct Work {
    double cells, solve, vectors; // of operations or bytes per step
} Work;

static double sumOf(Work work)
{
    return work.cells + work.solve + work.vectors;
}

// Vectors over the free vertices: each iteration's gradient and move, and L-BFGS with no, one and
// two pairs: four products or sums per pair, four to make one.
static const double vectorPasses = 3 * 3 + 4 * (0 + 1 + 2) + 4 * 2;

static Work operations(const snLatticeModel *model)
{
    double tets = model->classes[0].count, unknowns = 3.0 * model->freeCount;
    return (Work){.cells = tets * (TARGET + ITERATIONS * (FORCE + 4 * 3) + STRAIN),
                  .solve = ITERATIONS * 2 * 2 * 3.0 * (double)model->factorNonZeros,
                  .vectors = 2 * vectorPasses * unknowns};
}

double snRate_StepOperations(const snLatticeModel *model)
{
    return sumOf(operations(model));
}

static Work bytes(const snLatticeModel *model)
{
    double tets = model->classes[0].count, row = 4.0 * NUMBER * model->freeCount;
    return (Work){
        .cells = tets * (TARGET_BYTES + ITERATIONS * (FORCE_BYTES + GATHER_BYTES) + STRAIN_BYTES),
        .solve = ITERATIONS * (2.0 * NUMBER * (double)model->factorNonZeros + 4 * row),
        .vectors = 2 * vectorPasses * row};
}

static void report(snBench *bench, const snLatticeModel *model, int name,
                   const snContestant sides[3], double streamBytes)
{
    Work flops = operations(model), moved = bytes(model);
    double peak = SN_FLOPS / sides[1].seconds, rate = streamBytes / sides[2].seconds;
    double reached = sumOf(flops) / sides[0].seconds, read = sumOf(moved) / sides[0].seconds;
    char id[64];
    snprintf(id, sizeof id, "skeleton/rate-%d-flops", name);
    snBench_Report(bench, id, reached / peak, "of peak", "");
    snprintf(id, sizeof id, "skeleton/rate-%d-bytes", name);
    snBench_Report(bench, id, read / rate, "of read rate", "");
    snBench_Note(
        bench,
        "%d vertices: %.3f ms; %.2f Mflop (cells %.2f, solve %.2f, vectors %.2f) at %.1f of "
        "%.1f Gflop/s; %.2f MB (cells %.2f, solve %.2f, vectors %.2f) at %.1f of %.1f GB/s",
        model->vertexCount, 1e3 * sides[0].seconds, 1e-6 * sumOf(flops), 1e-6 * flops.cells,
        1e-6 * flops.solve, 1e-6 * flops.vectors, 1e-9 * reached, 1e-9 * peak, 1e-6 * sumOf(moved),
        1e-6 * moved.cells, 1e-6 * moved.solve, 1e-6 * moved.vectors, 1e-9 * read, 1e-9 * rate);
}

// Everything a step touches, once: where it lives, in a cache or beyond, decides how fast it is read.
static size_t workingSet(const snLatticeModel *model)
{
    double tets = model->classes[0].count;
    return (size_t)(tets * (ELEMENT_BYTES + 33 * NUMBER + 16 * NUMBER) +
                    NUMBER * (double)model->factorNonZeros + 16.0 * 4 * NUMBER * model->freeCount);
}

void snBench_Rate(snBench *bench)
{
    static const struct {
        snBlockSize size;
        int name;
    } jobs[] = {{SN_BLOCK_200, 200}, {SN_BLOCK_2000, 2000}, {SN_BLOCK_10000, 10000}};
    for (int j = 0; j < 3; j++) {
        snBlock block;
        char id[64];
        snprintf(id, sizeof id, "skeleton/rate-%d", jobs[j].name);
        if (!snBench_Wants(bench, id) || !snBlock_Make(&block, jobs[j].size, NULL)) continue;
        double result;
        size_t count = workingSet(block.model) / sizeof(double);
        snReadStream stream = {.data = SN_NEW(&block.arena, double, count), .count = count};
        snContestant sides[3] = {{.name = "step", .run = snBlock_Step, .context = &block},
                                 {.name = "flops", .run = snFlops_Run, .context = &result},
                                 {.name = "read", .run = snReadStream_Run, .context = &stream}};
        if (stream.data) {
            snBench_Compare(bench, sides, 3);
            report(bench, block.model, jobs[j].name, sides, (double)(count / 64 * 64) * NUMBER);
        }
        snBlock_Destroy(&block);
    }
}
