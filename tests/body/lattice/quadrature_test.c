#include "tests/failing_memory.h"
#include "tests/test.h"

#include "body/lattice/embed.h"
#include "body/lattice/quadrature.h"
#include "core/core.h"
#include "tests/body/lattice/blocks.h"

#include <stdio.h>

static void subdivisionKeepsVolumeAndUnity(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    unsigned char boundary[96];
    snLattice lattice = makeMixed(boundary, 0.15, &arena);
    for (int level = 0; level <= 2; level++) {
        snFineLattice fine;
        snError error = {0};
        CHECK(snSubdivide(&fine, &lattice, level, &arena, &context, &error) == SN_OK);
        CHECK(snLattice_Check(&fine.lattice, &context, &error) == SN_OK);
        if (level == 1) CHECK(fine.lattice.cellCount == 54 * 4 + 36 * 6 + 12 * 8);
        for (int v = 0; v < fine.lattice.vertexCount; v++) {
            double sum = 0;
            snVec3 at = {0, 0, 0};
            for (int i = fine.rows.start[v]; i < fine.rows.start[v + 1]; i++) {
                sum += fine.rows.weight[i];
                at = snMulAdd(at, fine.rows.weight[i], lattice.rest[fine.rows.column[i]]);
            }
            CHECK_NEAR(sum, 1, 1e-14);
            CHECK_NEAR(snDistance(at, fine.lattice.rest[v]), 0, 1e-14);
        }
    }
    snArena_Destroy(&arena);
}

// The weights that subdivision gives a vertex are the cell's basis functions there.
static void subdivisionAgreesWithBasis(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    unsigned char boundary[96];
    snLattice lattice = makeMixed(boundary, 0.1, &arena);
    snFineLattice fine;
    CHECK(snSubdivide(&fine, &lattice, 2, &arena, &context, NULL) == SN_OK);
    double worst = 0;
    for (int c = 0; c < fine.lattice.cellCount; c += 7)
        for (int m = 0; m < 8; m++) {
            int v = snLattice_Corners(&fine.lattice, c)[m], cell = fine.parent[c];
            double weight[SN_CELL_CORNERS] = {0};
            snCellWeights(&lattice, cell, fine.lattice.rest[v], weight);
            for (int k = 0; k < (int)snLattice_Kind(&lattice, cell); k++) {
                double carried = 0;
                for (int i = fine.rows.start[v]; i < fine.rows.start[v + 1]; i++)
                    if (fine.rows.column[i] == snLattice_Corners(&lattice, cell)[k])
                        carried = fine.rows.weight[i];
                worst = fmax(worst, fabs(carried - weight[k]));
            }
        }
    CHECK_NEAR(worst, 0, 1e-12);
    snArena_Destroy(&arena);
}

static void massSumsToVolume(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    unsigned char boundary[96];
    snLattice lattice = makeMixed(boundary, 0.15, &arena);
    for (int level = 0; level <= 2; level++) {
        snQuadratureDef def = {.level = level, .samples = 4};
        snQuadrature q;
        CHECK(snQuadrature_Make(&q, &lattice, &def, &arena, &context, NULL) == SN_OK);
        double mass = 0, volume = 0, gradients = 0;
        for (int i = 0; i < q.massStart[lattice.cellCount]; i++)
            mass += q.mass[i];
        for (int e = 0; e < q.elementCount; e++) {
            volume += q.volume[e];
            snVec3 sum = {0, 0, 0};
            for (int i = q.start[e]; i < q.start[e + 1]; i++)
                sum = snAdd(sum, q.gradient[i]);
            gradients = fmax(gradients, snLength(sum));
        }
        CHECK_NEAR(mass, 39, 1e-12);
        CHECK_NEAR(volume, 39, 1e-12);
        CHECK_NEAR(gradients, 0, 1e-12);
    }
    snArena_Destroy(&arena);
}

static void insideBall(const void *user, int count, const snVec3 *points, unsigned char *inside)
{
    (void)user;
    for (int i = 0; i < count; i++)
        inside[i] = snDistance(points[i], snVec(1, 1, 1)) < 0.9;
}

// A ball inside a block: the fractions converge to its volume.
static void fractionsConverge(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snLattice lattice = makeBlock(BLOCK_TETS, 4, 4, 4, snVec(2, 2, 2), &arena);
    double exact = 4.0 / 3.0 * SN_PI * 0.9 * 0.9 * 0.9, error[3];
    for (int level = 0; level < 3; level++) {
        snQuadratureDef def = {.level = level, .samples = 4, .inside = {insideBall, NULL}};
        snQuadrature q;
        CHECK(snQuadrature_Make(&q, &lattice, &def, &arena, &context, NULL) == SN_OK);
        double volume = 0;
        for (int e = 0; e < q.elementCount; e++)
            volume += q.volume[e];
        error[level] = fabs(volume / exact - 1);
        printf("ball, level %d: volume off by %.3f %%\n", level, 100 * error[level]);
    }
    CHECK(error[1] < 0.02 && error[2] < 0.005);
    snArena_Destroy(&arena);
}

static void embedding(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    unsigned char boundary[96];
    snLattice lattice = makeMixed(boundary, 0.1, &arena);
    snRandom random = snMakeRandom(3);
    snVec3 points[500];
    for (int i = 0; i < 500; i++)
        points[i] = snVec(snRandom_Uniform(&random, 0, 5), snRandom_Uniform(&random, 0, 3),
                          snRandom_Uniform(&random, 0, 2));
    points[0] = snVec(-1, -1, -1); // outside
    points[1] = lattice.rest[50];
    snEmbedding embedding;
    CHECK(snEmbed(&embedding, &lattice, 500, points, &arena, &context, NULL) == SN_OK);
    CHECK(embedding.outside == 1);
    for (int i = 1; i < 500; i++) {
        snVec3 at = {0, 0, 0};
        double sum = 0, least = 1;
        for (int k = 0; k < embedding.width; k++) {
            double w = embedding.weight[i * embedding.width + k];
            at = snMulAdd(at, w, lattice.rest[embedding.vertex[i * embedding.width + k]]);
            sum += w;
            least = fmin(least, w);
        }
        CHECK_NEAR(sum, 1, 1e-12);
        CHECK_NEAR(snDistance(at, points[i]), 0, 1e-11);
        CHECK(least > -1e-9);
    }
    points[7].x = NAN;
    CHECK(snEmbed(&embedding, &lattice, 500, points, &arena, &context, NULL) == SN_ERROR_GEOMETRY);
    snArena_Destroy(&arena);
}

static snStatus makeQuadrature(const void *lattice, snArena *arena, const snContext *context)
{
    snQuadrature q;
    snQuadratureDef def = snDefaultQuadratureDef();
    return snQuadrature_Make(&q, lattice, &def, arena, context, NULL);
}

static void everyAllocationMayFail(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    unsigned char boundary[96];
    snLattice lattice = makeMixed(boundary, 0.1, &arena);
    failEvery(makeQuadrature, &lattice, 0);
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(subdivisionKeepsVolumeAndUnity);
    RUN(subdivisionAgreesWithBasis);
    RUN(massSumsToVolume);
    RUN(fractionsConverge);
    RUN(embedding);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
