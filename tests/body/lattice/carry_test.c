// Carrying a surface: positions and normals against plain sums in double precision, every
// instruction set and any cutting into pieces by the same bits, and the edges.
#include "tests/test.h"

#include "body/lattice/carry.h"
#include "core/core.h"
#include "core/simd.h"
#include "tests/body/lattice/blocks.h"

#include <math.h>
#include <string.h>

enum { POINTS = 1003, TRIANGLES = 2501 };

typedef struct Scene {
    snArena arena;
    snLattice lattice;
    snEmbedding embedding;
    snCarry carry;
    int *indexOf;
    double *position, *rig; // [vertices * 4]
    snVec3f *points, *normals;
    int *triangles;
    float *scratch;
} Scene;

static snCarryDef defOf(const Scene *scene)
{
    return (snCarryDef){.embedding = &scene->embedding,
                        .vertexCount = scene->lattice.vertexCount,
                        .indexOf = scene->indexOf,
                        .triangleCount = TRIANGLES,
                        .triangles = scene->triangles};
}

// Random points in a block, random triangles between them; rows numbered backwards.
static void makeScene(Scene *scene, BlockKind kind)
{
    snContext context = snDefaultContext();
    *scene = (Scene){.arena = snMakeArena(&context)};
    snArena *arena = &scene->arena;
    snRandom random = snMakeRandom(3);
    scene->lattice = makeBlock(kind, 3, 4, 5, snVec(1, 1, 1), arena);
    int n = scene->lattice.vertexCount;
    snVec3 *rest = SN_NEW(arena, snVec3, POINTS);
    scene->points = SN_NEW(arena, snVec3f, POINTS);
    scene->normals = SN_NEW(arena, snVec3f, POINTS);
    scene->triangles = SN_NEW(arena, int, 3 * TRIANGLES);
    scene->scratch = SN_NEW(arena, float, 4 * (TRIANGLES + 1));
    scene->indexOf = SN_NEW(arena, int, n);
    scene->position = SN_NEW(arena, double, 4 * n);
    scene->rig = SN_NEW(arena, double, 4 * n);
    for (int p = 0; p < POINTS; p++) {
        rest[p] = snVec(snRandom_Uniform(&random, 0, 1), snRandom_Uniform(&random, 0, 1),
                        snRandom_Uniform(&random, 0, 1));
        scene->points[p] = snToF(rest[p]);
    }
    for (int k = 0; k < 3 * TRIANGLES; k++) // the last point is in none
        scene->triangles[k] = (int)(snRandom_Uniform(&random, 0, 1) * (POINTS - 1));
    for (int v = 0; v < n; v++)
        scene->indexOf[v] = n - 1 - v;
    for (int k = 0; k < 4 * n; k++) {
        scene->rig[k] = k % 4 == 3 ? 0 : snRandom_Uniform(&random, -1, 1);
        scene->position[k] =
            scene->rig[k] + (k % 4 == 3 ? 0 : snRandom_Uniform(&random, -0.1, 0.1));
    }
    CHECK(snEmbed(&scene->embedding, &scene->lattice, POINTS, rest, arena, &context, NULL) ==
          SN_OK);
    snCarryDef def = defOf(scene);
    CHECK(snCarry_Make(&scene->carry, &def, arena, NULL) == SN_OK);
}

// One corner after another in double precision, rounded once: to the bit.
static void positionsAreTheSum(void)
{
    for (int kind = BLOCK_HEXES; kind <= BLOCK_TETS; kind++) {
        Scene scene;
        makeScene(&scene, (BlockKind)kind);
        const snEmbedding *phi = &scene.embedding;
        snTasks tasks = snDefaultContext().tasks;
        snVec3f *out = SN_COPY(&scene.arena, snVec3f, scene.points, POINTS);
        snCarry_AddOffsets(&scene.carry, scene.position, scene.rig, &tasks, out);
        int wrong = 0;
        CHECK(phi->width == (kind == BLOCK_TETS ? 4 : 8));
        for (int p = 0; p < POINTS; p++) {
            snVec3 sum = snFromF(scene.points[p]);
            for (int k = p * phi->width; k < (p + 1) * phi->width; k++) {
                const double *x = scene.position + 4 * scene.indexOf[phi->vertex[k]];
                const double *r = scene.rig + 4 * scene.indexOf[phi->vertex[k]];
                sum = snMulAdd(sum, phi->weight[k], snVec(x[0] - r[0], x[1] - r[1], x[2] - r[2]));
            }
            snVec3f expected = snToF(sum);
            wrong += memcmp(&expected, &out[p], sizeof expected) != 0;
        }
        CHECK(wrong == 0);
        snArena_Destroy(&scene.arena);
    }
}

static void normalsAreWeightedByArea(void)
{
    Scene scene;
    makeScene(&scene, BLOCK_TETS);
    snTasks tasks = snDefaultContext().tasks;
    snVec3 *sum = SN_NEW(&scene.arena, snVec3, POINTS);
    snCarry_Normals(&scene.carry, scene.points, &tasks, scene.scratch, scene.normals);
    for (int t = 0; t < TRIANGLES; t++) {
        const int *c = scene.triangles + 3 * t;
        snVec3 a = snFromF(scene.points[c[0]]);
        snVec3 area =
            snCross(snSub(snFromF(scene.points[c[1]]), a), snSub(snFromF(scene.points[c[2]]), a));
        for (int k = 0; k < 3; k++)
            sum[c[k]] = snAdd(sum[c[k]], area);
    }
    double worst = 0;
    for (int p = 0; p < POINTS; p++) {
        double length = snLength(sum[p]);
        if (length < 1e-3) continue; // random triangles nearly cancel out: no direction to compare
        double miss = snDistance(snFromF(scene.normals[p]), snScale(1 / length, sum[p]));
        if (miss * length > worst) worst = miss * length;
    }
    CHECK(worst < 1e-6);
    CHECK(scene.normals[POINTS - 1].x == 0 && scene.normals[POINTS - 1].y == 0 &&
          scene.normals[POINTS - 1].z == 0);
    snArena_Destroy(&scene.arena);
}

// Calls pieces from the last to the first, as threads might.
static void backwards(void *user, int count, int grain, snTaskFcn *fcn, void *context)
{
    (void)user;
    for (int begin = (count - 1) / grain * grain; begin >= 0; begin -= grain)
        fcn(begin, begin + grain < count ? begin + grain : count, 0, context);
}

static void orderOfPiecesDoesNotMatter(void)
{
    Scene scene;
    makeScene(&scene, BLOCK_TETS);
    snTasks plain = snDefaultContext().tasks, reversed = plain;
    reversed.run = backwards;
    reversed.workers = 2;
    snVec3f *out[2], *normals[2];
    for (int k = 0; k < 2; k++) {
        out[k] = SN_COPY(&scene.arena, snVec3f, scene.points, POINTS);
        normals[k] = SN_NEW(&scene.arena, snVec3f, POINTS);
        const snTasks *tasks = k ? &reversed : &plain;
        snCarry_AddOffsets(&scene.carry, scene.position, scene.rig, tasks, out[k]);
        snCarry_Normals(&scene.carry, out[k], tasks, scene.scratch, normals[k]);
    }
    CHECK(memcmp(out[0], out[1], POINTS * sizeof *out[0]) == 0);
    CHECK(memcmp(normals[0], normals[1], POINTS * sizeof *normals[0]) == 0);
    snArena_Destroy(&scene.arena);
}

static void instructionSetsAgree(void)
{
#if defined(__x86_64__)
    extern const snCarryKernels snCarryKernels_base, snCarryKernels_avx2, snCarryKernels_avx512;
    const snCarryKernels *kernels[] = {&snCarryKernels_base, &snCarryKernels_avx2,
                                       &snCarryKernels_avx512};
    Scene scene;
    makeScene(&scene, BLOCK_HEXES);
    snVec3f *out[3], *normals[3];
    for (int k = 0; k <= (int)snDetectCpu(); k++) {
        out[k] = SN_COPY(&scene.arena, snVec3f, scene.points, POINTS);
        normals[k] = SN_NEW(&scene.arena, snVec3f, POINTS);
        snCarryPass pass = {.carry = &scene.carry,
                            .position = scene.position,
                            .rig = scene.rig,
                            .points = &out[k]->x,
                            .stride = 3,
                            .areas = scene.scratch,
                            .normals = &normals[k]->x,
                            .normalStride = 3};
        kernels[k]->offsets(&pass, 0, POINTS);
        kernels[k]->areas(&pass, 0, TRIANGLES);
        kernels[k]->normals(&pass, 0, POINTS);
        CHECK(memcmp(out[0], out[k], POINTS * sizeof *out[0]) == 0);
        CHECK(memcmp(normals[0], normals[k], POINTS * sizeof *normals[0]) == 0);
    }
    // Rows of floats: offsets are near, normals of the same points the same, whatever the instruction set.
    int lattice = scene.lattice.vertexCount;
    float *offset = SN_NEW(&scene.arena, float, 4 * lattice), *rows[3];
    float *wide = SN_NEW(&scene.arena, float, 4 * POINTS);
    for (int i = 0; i < 4 * lattice; i++)
        offset[i] = (float)(scene.position[i] - scene.rig[i]);
    for (int k = 0; k <= (int)snDetectCpu(); k++) {
        rows[k] = SN_NEW(&scene.arena, float, 4 * POINTS);
        for (int p = 0; p < POINTS; p++)
            memcpy(rows[k] + 4 * p, &scene.points[p], sizeof scene.points[p]);
        snCarryPass pass = {
            .carry = &scene.carry, .offset = offset, .points = rows[k], .stride = 4};
        kernels[k]->rowOffsets(&pass, 0, POINTS);
        CHECK(memcmp(rows[0], rows[k], 4 * POINTS * sizeof(float)) == 0);
    }
    for (int p = 0; p < POINTS; p++)
        for (int c = 0; c < 3; c++)
            CHECK_NEAR((double)rows[0][4 * p + c], (double)(&out[0][p].x)[c], 1e-5);
    for (int p = 0; p < POINTS; p++)
        memcpy(rows[0] + 4 * p, &out[0][p], sizeof out[0][p]);
    for (int k = 0; k <= (int)snDetectCpu(); k++) {
        snCarryPass pass = {.carry = &scene.carry,
                            .points = rows[0],
                            .stride = 4,
                            .areas = scene.scratch,
                            .normals = wide,
                            .normalStride = 4};
        memset(wide, 0, 4 * POINTS * sizeof(float));
        kernels[k]->areas(&pass, 0, TRIANGLES);
        kernels[k]->normals(&pass, 0, POINTS);
        for (int p = 0; p < POINTS; p++)
            CHECK(memcmp(wide + 4 * p, &normals[0][p], sizeof normals[0][p]) == 0);
    }
    snCarry_NormalsOfRows(&scene.carry, rows[0], scene.scratch, wide);
    for (int p = 0; p < POINTS; p++)
        CHECK(memcmp(wide + 4 * p, &normals[0][p], sizeof normals[0][p]) == 0);
    snArena_Destroy(&scene.arena);
#endif
}

// A unit tetrahedron far smaller than a float's square root, one with a NaN, a flat one.
static void edges(void)
{
    Scene scene;
    makeScene(&scene, BLOCK_TETS);
    snTasks tasks = snDefaultContext().tasks;
    int triangle[3] = {0, 1, 2}, flat[3] = {0, 1, 1};
    snCarryDef def = defOf(&scene);
    def.triangles = triangle;
    def.triangleCount = 1;
    CHECK(snCarry_Make(&scene.carry, &def, &scene.arena, NULL) == SN_OK);
    scene.points[0] = (snVec3f){0, 0, 0};
    scene.points[1] = (snVec3f){1e-15f, 0, 0};
    scene.points[2] = (snVec3f){0, 1e-15f, 0};
    snCarry_Normals(&scene.carry, scene.points, &tasks, scene.scratch, scene.normals);
    CHECK(scene.normals[0].x == 0 && scene.normals[0].y == 0 && scene.normals[0].z == 1);
    scene.points[2].y = (float)NAN;
    snCarry_Normals(&scene.carry, scene.points, &tasks, scene.scratch, scene.normals);
    CHECK(scene.normals[0].x == 0 && scene.normals[0].y == 0 && scene.normals[0].z == 0);
    def.triangles = flat;
    CHECK(snCarry_Make(&scene.carry, &def, &scene.arena, NULL) == SN_OK);
    snCarry_Normals(&scene.carry, scene.points, &tasks, scene.scratch, scene.normals);
    CHECK(scene.normals[1].x == 0 && scene.normals[1].y == 0 && scene.normals[1].z == 0);
    snEmbedding none = {.width = 4};
    snCarryDef empty = {.embedding = &none};
    CHECK(snCarry_Make(&scene.carry, &empty, &scene.arena, NULL) == SN_OK);
    snCarry_AddOffsets(&scene.carry, NULL, NULL, &tasks, NULL);
    snCarry_Normals(&scene.carry, NULL, &tasks, NULL, NULL);
    snArena_Destroy(&scene.arena);
}

static void badNumbersAreNamed(void)
{
    Scene scene;
    makeScene(&scene, BLOCK_TETS);
    snError error = {0};
    snCarry carry;
    snCarryDef def = defOf(&scene);
    scene.triangles[7] = POINTS;
    CHECK(snCarry_Make(&carry, &def, &scene.arena, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "triangle 2") != NULL);
    def.triangleCount = 0;
    scene.embedding.vertex[9] = -1;
    CHECK(snCarry_Make(&carry, &def, &scene.arena, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "point 2") != NULL);
    snArena_Destroy(&scene.arena);
}

static void everyAllocationMayFail(void)
{
    Scene scene;
    makeScene(&scene, BLOCK_TETS);
    snCarryDef def = defOf(&scene);
    int n = 1;
    for (bool failed = true; failed && n < 100; n++) {
        snContext failing = snDefaultContext();
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&failing, &memory);
        snArena arena = snMakeArena(&failing);
        snCarry carry;
        snStatus status = snCarry_Make(&carry, &def, &arena, NULL);
        failed = status != SN_OK;
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        snArena_Destroy(&arena);
        CHECK(memory.alive == 0);
    }
    CHECK(n > 2 && n < 100);
    snArena_Destroy(&scene.arena);
}

int main(void)
{
    RUN(positionsAreTheSum);
    RUN(normalsAreWeightedByArea);
    RUN(orderOfPiecesDoesNotMatter);
    RUN(instructionSetsAgree);
    RUN(edges);
    RUN(badNumbersAreNamed);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
