#include "body/lattice/carry.h"

#include "core/error.h"
#include "core/simd.h"

#define GRAIN 1024 // points or triangles per piece of a parallel loop

extern const snCarryKernels snCarryKernels_base;
#if defined(__x86_64__)
extern const snCarryKernels snCarryKernels_avx2;
extern const snCarryKernels snCarryKernels_avx512;
#endif

static const snCarryKernels *chooseKernels(void)
{
#if defined(__x86_64__)
    snCpuLevel level = snDetectCpu();
    if (level == SN_CPU_AVX512) return &snCarryKernels_avx512;
    if (level == SN_CPU_AVX2) return &snCarryKernels_avx2;
#endif
    return &snCarryKernels_base;
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

// Triangles by point: counted, summed up, filled in ascending order. A triangle that has a point
// twice has no area and may stand in its fan twice.
static void makeFans(snCarry *carry)
{
    int *start = carry->fanStart, corners = 3 * carry->triangleCount;
    for (int k = 0; k < corners; k++)
        start[carry->triangle[k] + 1]++;
    for (int p = 0; p < carry->pointCount; p++)
        start[p + 1] += start[p];
    for (int k = 0; k < corners; k++) // start[p] moves on to where the next point begins
        carry->fan[start[carry->triangle[k]]++] = k / 3;
    for (int p = carry->pointCount; p > 0; p--)
        start[p] = start[p - 1];
    start[0] = 0;
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
    carry->fanStart = SN_NEW(arena, int, phi->pointCount + 1);
    carry->fan = SN_NEW(arena, int, 3 * def->triangleCount);
    if (!carry->vertex || !carry->weight || !carry->triangle || !carry->fanStart || !carry->fan)
        return snFailMemory(error);
    for (int k = 0; k < entries; k++)
        carry->vertex[k] = def->indexOf ? def->indexOf[phi->vertex[k]] : phi->vertex[k];
    for (int k = 0; k < 3 * def->triangleCount; k++)
        carry->triangle[k] = def->triangles[k];
    makeFans(carry);
    return SN_OK;
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
    snCarryPass pass = {.carry = carry, .position = position, .rig = rig, .points = points};
    CarryTask task = {&pass, chooseKernels()->offsets};
    snParallelFor(tasks, carry->pointCount, GRAIN, runPiece, &task);
}

void snCarry_Normals(const snCarry *carry, const snVec3f *points, const snTasks *tasks,
                     float *scratch, snVec3f *normals)
{
    snCarryPass pass = {
        .carry = carry, .points = (snVec3f *)points, .areas = scratch, .normals = normals};
    CarryTask areas = {&pass, chooseKernels()->areas}, fans = {&pass, chooseKernels()->normals};
    snParallelFor(tasks, carry->triangleCount, GRAIN, runPiece, &areas);
    snParallelFor(tasks, carry->pointCount, GRAIN, runPiece, &fans);
}
