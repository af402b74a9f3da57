// Carrying a surface of 10,000 vertices in the block's lattice: positions, then normals; against one
// back-substitution of CHOLMOD at 2,000 lattice vertices.
#include "bench/bench.h"
#include "bench/block.h"
#include "bench/cholmod_side.h"
#include "body/lattice/carry.h"
#include "core/elementary.h"

#include <stdio.h>
#include <string.h>

enum { ROUND = 100, ALONG = 100 }; // of a ball's points, beside its poles

typedef struct CarryJob {
    snBlock block;
    snCarry carry;
    int pointCount, triangleCount;
    snVec3f *skinned, *points, *normals;
    float *scratch;
    snTasks tasks;
} CarryJob;

// Latitude t in (0, 1), longitude u.
static snVec3 ballPoint(double t, double u)
{
    double s = snSin(SN_PI * t);
    return snVec(0.125 + 0.1 * s * snCos(2 * SN_PI * u), 0.125 + 0.1 * s * snSin(2 * SN_PI * u),
                 0.25 - 0.2 * snCos(SN_PI * t));
}

static void makePoints(snVec3 *points)
{
    for (int i = 0; i < ALONG; i++)
        for (int j = 0; j < ROUND; j++)
            points[i * ROUND + j] = ballPoint((i + 1.0) / (ALONG + 1), (double)j / ROUND);
    points[ALONG * ROUND] = ballPoint(0, 0);
    points[ALONG * ROUND + 1] = ballPoint(1, 0);
}

static int makeTriangles(int *triangles)
{
    int count = 0, south = ALONG * ROUND, north = south + 1;
    for (int j = 0; j < ROUND; j++) {
        int next = (j + 1) % ROUND, last = (ALONG - 1) * ROUND;
        for (int i = 0; i + 1 < ALONG; i++) {
            int a = i * ROUND + j, b = i * ROUND + next, c = a + ROUND, d = b + ROUND;
            int two[6] = {a, b, d, a, d, c};
            memcpy(triangles + 3 * count, two, sizeof two);
            count += 2;
        }
        int caps[6] = {south, next, j, north, last + j, last + next};
        memcpy(triangles + 3 * count, caps, sizeof caps);
        count += 2;
    }
    return count;
}

static bool makeSurface(CarryJob *job)
{
    snArena *arena = &job->block.arena;
    snContext context = snDefaultContext();
    snEmbedding embedding;
    int n = ALONG * ROUND + 2;
    snVec3 *rest = SN_NEW(arena, snVec3, n);
    int *triangles = SN_NEW(arena, int, 6 * n);
    job->skinned = SN_NEW(arena, snVec3f, n);
    job->points = SN_NEW(arena, snVec3f, n);
    job->normals = SN_NEW(arena, snVec3f, n);
    job->scratch = SN_NEW(arena, float, 8 * n);
    if (!rest || !triangles || !job->skinned || !job->points || !job->normals || !job->scratch)
        return false;
    makePoints(rest);
    job->pointCount = n;
    job->triangleCount = makeTriangles(triangles);
    for (int p = 0; p < n; p++)
        job->skinned[p] = snToF(rest[p]);
    snCarryDef def = {.embedding = &embedding,
                      .vertexCount = job->block.model->vertexCount,
                      .indexOf = job->block.model->indexOf,
                      .triangleCount = job->triangleCount,
                      .triangles = triangles};
    return !snEmbed(&embedding, &job->block.lattice, n, rest, arena, &context, NULL) &&
           !snCarry_Make(&job->carry, &def, arena, NULL);
}

static void carryPositions(void *context)
{
    CarryJob *job = context;
    const snLatticeState *state = job->block.state;
    memcpy(job->points, job->skinned, (size_t)job->pointCount * sizeof *job->points);
    snCarry_AddOffsets(&job->carry, state->position, state->rig, &job->tasks, job->points);
    snBench_Keep(job->points);
}

static void carryAll(void *context)
{
    CarryJob *job = context;
    carryPositions(job);
    snCarry_Normals(&job->carry, job->points, &job->tasks, job->scratch, job->normals);
    snBench_Keep(job->normals);
}

static void compare(snBench *bench, CarryJob *job, const snSparse *matrix, const double *b)
{
    snCholmod cholmod[SN_CHOLMOD_KINDS];
    snContestant sides[2 + SN_CHOLMOD_KINDS] = {
        {.name = "positions", .run = carryPositions, .context = job},
        {.name = "with normals", .run = carryAll, .context = job}};
    snCholmod_MakeAll(cholmod, sides + 2, matrix, b);
    snBench_Compare(bench, sides, 2 + SN_CHOLMOD_KINDS);
    snBench_Report(bench, "skeleton/carry-10000",
                   snBench_Ratio(&sides[1], snCholmod_Best(sides + 2)), "x", "<= 0.3");
    snBench_Note(bench,
                 "%d points, %d triangles in %d lattice vertices: positions %.3f ms, with normals "
                 "%.3f ms; CHOLMOD %.3f ms (the study's bare kernel, on another machine: 0.10)",
                 job->pointCount, job->triangleCount, job->block.model->vertexCount,
                 1e3 * sides[0].seconds, 1e3 * sides[1].seconds,
                 1e3 * snCholmod_Best(sides + 2)->seconds);
    snCholmod_DestroyAll(cholmod);
}

void snBench_Carry(snBench *bench)
{
    CarryJob job = {.tasks = snDefaultContext().tasks};
    if (!snBlock_Make(&job.block, SN_BLOCK_2000, NULL)) return;
    const snLatticeModelDef *def = &job.block.model->def;
    snSparse matrix;
    double h = def->step;
    double *b = SN_NEW(&job.block.arena, double, 3 * job.block.model->freeCount);
    snStatus status =
        snBlock_LinearMatrix(&job.block, 1 + h * def->massDamping, h * (h + def->stiffnessDamping),
                             &matrix, &job.block.arena, NULL);
    if (!status && b && makeSurface(&job)) {
        for (int k = 0; k < 3 * job.block.model->freeCount; k++)
            b[k] = k % 3 == 1;
        compare(bench, &job, &matrix, b);
    }
    snBlock_Destroy(&job.block);
}
