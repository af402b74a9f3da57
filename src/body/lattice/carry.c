#include "body/lattice/carry.h"

#include "core/error.h"
#include "core/simd.h"

#include <string.h>

#define GRAIN 1024 // points or triangles per piece of a parallel loop

SN_DECLARE_VARIANTS(const snCarryKernels, snCarryKernels);

static const snCarryKernels *chooseKernels(void)
{
    return SN_CHOOSE(&snCarryKernels);
}

// ---- building ---------------------------------------------------------------------------------

static snStatus checkDef(const snCarryDef *def, snError *error)
{
    const snEmbedding *phi = def->embedding;
    for (int k = 0; k < phi->pointCount * phi->width; k++)
        if (phi->vertex[k] < 0 || phi->vertex[k] >= def->vertexCount)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "point %d hangs on lattice vertex %d; there are %d", k / phi->width,
                          phi->vertex[k], def->vertexCount);
    for (int k = 0; k < 3 * def->triangleCount; k++)
        if (def->triangles[k] < 0 || def->triangles[k] >= phi->pointCount)
            return snFail(error, SN_ERROR_ARGUMENT, "triangle %d has point %d; there are %d", k / 3,
                          def->triangles[k], phi->pointCount);
    return SN_OK;
}

// Triangles around every point are counted; eight points side by side are as long as the longest of them.
static size_t countFans(snCarry *carry, int *count)
{
    int groups = (carry->pointCount + 7) / 8;
    for (int k = 0; k < 3 * carry->triangleCount; k++)
        count[carry->triangle[k]]++;
    for (int g = 0; g < groups; g++) {
        int longest = 0;
        for (int p = 8 * g; p < 8 * g + 8 && p < carry->pointCount; p++)
            longest = count[p] > longest ? count[p] : longest;
        carry->fanStart[g + 1] = carry->fanStart[g] + longest;
    }
    return 8 * (size_t)carry->fanStart[groups];
}

// A triangle that has a point twice has no area and may stand in its fan twice.
static void fillFans(snCarry *carry, size_t size, int *count)
{
    for (size_t k = 0; k < size; k++)
        carry->fan[k] = carry->triangleCount;
    for (int p = 0; p < carry->pointCount; p++)
        count[p] = 0;
    for (int k = 0; k < 3 * carry->triangleCount; k++) {
        int p = carry->triangle[k];
        size_t row = (size_t)carry->fanStart[p / 8] + (size_t)count[p]++;
        carry->fan[8 * row + (size_t)(p % 8)] = k / 3;
    }
}

static snStatus makeFans(snCarry *carry, snArena *arena, snError *error)
{
    carry->fanStart = SN_NEW(arena, int, (carry->pointCount + 7) / 8 + 1);
    int *count = SN_NEW(arena, int, carry->pointCount);
    if (!carry->fanStart || !count) return snFailMemory(error);
    size_t size = countFans(carry, count);
    carry->fan = SN_NEW(arena, int, size);
    if (!carry->fan) return snFailMemory(error);
    fillFans(carry, size, count);
    return SN_OK;
}

snStatus snCarry_Make(snCarry *carry, const snCarryDef *def, snArena *arena, snError *error)
{
    const snEmbedding *phi = def->embedding;
    int entries = phi->pointCount * phi->width;
    *carry = (snCarry){.pointCount = phi->pointCount, .width = phi->width};
    snStatus status = checkDef(def, error);
    if (status) return status;
    carry->triangleCount = def->triangleCount;
    carry->vertex = SN_NEW(arena, int, entries);
    carry->weight = SN_COPY(arena, double, phi->weight, entries);
    carry->triangle = SN_NEW(arena, int, 3 * def->triangleCount);
    carry->single = SN_NEW(arena, float, entries);
    if (!carry->vertex || !carry->weight || !carry->triangle || !carry->single)
        return snFailMemory(error);
    for (int k = 0; k < entries; k++)
        carry->single[k] = (float)carry->weight[k];
    for (int k = 0; k < entries; k++)
        carry->vertex[k] = def->indexOf ? def->indexOf[phi->vertex[k]] : phi->vertex[k];
    for (int k = 0; k < 3 * def->triangleCount; k++)
        carry->triangle[k] = def->triangles[k];
    return makeFans(carry, arena, error);
}

// ---- carrying ---------------------------------------------------------------------------------

typedef struct CarryTask {
    const snCarryPass *pass;
    void (*run)(const snCarryPass *pass, int begin, int end);
} CarryTask;

static void runPiece(int begin, int end, int worker, void *context)
{
    (void)worker;
    CarryTask *task = context;
    task->run(task->pass, begin, end);
}

void snCarry_AddOffsets(const snCarry *carry, const double *position, const double *rig,
                        const snTasks *tasks, snVec3f *points)
{
    snCarryPass pass = {.carry = carry,
                        .position = position,
                        .rig = rig,
                        .points = (float *)(void *)points,
                        .stride = 3};
    CarryTask task = {&pass, chooseKernels()->offsets};
    snParallelFor(tasks, carry->pointCount, GRAIN, runPiece, &task);
}

void snCarry_Normals(const snCarry *carry, const snVec3f *points, const snTasks *tasks,
                     float *scratch, snVec3f *normals)
{
    snCarryPass pass = {.carry = carry,
                        .points = (float *)(void *)(uintptr_t)points,
                        .stride = 3,
                        .areas = scratch,
                        .normals = (float *)(void *)normals,
                        .normalStride = 3};
    CarryTask areas = {&pass, chooseKernels()->areas}, fans = {&pass, chooseKernels()->normals};
    if (scratch) memset(scratch + 4 * (size_t)carry->triangleCount, 0, 4 * sizeof *scratch);
    snParallelFor(tasks, carry->triangleCount, GRAIN, runPiece, &areas);
    snParallelFor(tasks, carry->pointCount, GRAIN, runPiece, &fans);
}

void snCarry_AddToRows(const snCarry *carry, const float *offsets, float *rows)
{
    snCarryPass pass = {.carry = carry, .offset = offsets, .points = rows, .stride = 4};
    chooseKernels()->rowOffsets(&pass, 0, carry->pointCount);
}

void snCarry_NormalsOfRows(const snCarry *carry, const float *rows, float *scratch, float *normals)
{
    const snCarryKernels *kernels = chooseKernels();
    snCarryPass pass = {.carry = carry,
                        .points = (float *)(uintptr_t)rows,
                        .stride = 4,
                        .areas = scratch,
                        .normals = normals,
                        .normalStride = 4};
    memset(scratch + 4 * (size_t)carry->triangleCount, 0, 4 * sizeof *scratch);
    kernels->areas(&pass, 0, carry->triangleCount);
    kernels->normals(&pass, 0, carry->pointCount);
}
