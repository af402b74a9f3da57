// Slowest swings against a dense computation of all of them.
#include "tests/test.h"

#include "body/lattice/model.h"
#include "body/lattice/swing.h"
#include "core/core.h"
#include "numerics/dense.h"
#include "tests/body/lattice/blocks.h"

#include <stdio.h>

typedef struct Body {
    snArena arena;
    snLattice lattice;
    snSparse stiffness;
    double *mass, *spring;
    unsigned char *free;
} Body;

// A block of 2 x 2 x 3 cells whose bottom is clamped.
static void makeBody(Body *b, const snContext *context)
{
    b->arena = snMakeArena(context);
    b->lattice = makeBlock(BLOCK_HEXES, 2, 2, 3, snVec(0.2, 0.3, 0.5), &b->arena);
    int n = b->lattice.vertexCount;
    snQuadratureDef def = {.level = 1, .samples = 4};
    snQuadrature q;
    double *young = SN_NEW(&b->arena, double, b->lattice.cellCount);
    for (int c = 0; c < b->lattice.cellCount; c++)
        young[c] = 1e4 * (1 + c % 3);
    CHECK(snQuadrature_Make(&q, &b->lattice, &def, &b->arena, context, NULL) == SN_OK);
    CHECK(snLattice_Stiffness(&b->stiffness, &b->lattice, &q, young, 0.3, &b->arena, NULL) ==
          SN_OK);
    b->mass = SN_NEW(&b->arena, double, n);
    b->spring = SN_NEW(&b->arena, double, n);
    b->free = SN_NEW(&b->arena, unsigned char, n);
    for (int v = 0; v < n; v++) {
        b->mass[v] = 0.5 + 0.1 * (v % 4);
        b->free[v] = b->lattice.rest[v].z > 0;
    }
}

// The smallest eigenvalue of M^-1/2 (s K + springs) M^-1/2, by the dense method.
static double denseSlowest(const Body *b, double factor)
{
    int n = b->lattice.vertexCount, count = 0, number[200];
    for (int v = 0; v < n; v++)
        number[v] = b->free[v] ? count++ : -1;
    int m = 3 * count;
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    double *a = SN_NEW(&arena, double, m *m), *v = SN_NEW(&arena, double, m *m);
    double *values = SN_NEW(&arena, double, m), *work = SN_NEW(&arena, double, m);
    const snPattern *p = &b->stiffness.pattern;
    for (int c = 0; c < n; c++)
        for (int i = p->columnStart[c]; i < p->columnStart[c + 1]; i++) {
            int r = p->row[i];
            if (!b->free[c] || !b->free[r]) continue;
            for (int k = 0; k < 9; k++) {
                int row = 3 * number[r] + k / 3, column = 3 * number[c] + k % 3;
                double value = factor * b->stiffness.values[(size_t)i * 9 + (size_t)k];
                if (row == column) value += b->spring[c];
                value /= sqrt(b->mass[r] * b->mass[c]);
                a[column * m + row] = a[row * m + column] = value;
            }
        }
    CHECK(snSymmetricEigen(m, a, values, v, work, NULL) == SN_OK);
    double slowest = values[m - 1];
    snArena_Destroy(&arena);
    return slowest;
}

static void agreesWithDense(void)
{
    snContext context = snDefaultContext();
    Body b;
    snSwings *swings;
    snSwing swing;
    makeBody(&b, &context);
    snSparse mass;
    CHECK(snSparse_Make(&mass, &b.stiffness.pattern, 1, &b.arena, NULL) == SN_OK);
    for (int v = 0; v < b.lattice.vertexCount; v++)
        snSparse_AddScalar(&mass, v, v, b.mass[v]);
    CHECK(snSwings_Make(&swings, &b.stiffness, &b.arena, NULL) == SN_OK);
    for (int round = 0; round < 3; round++) {
        double factor = 1 + round;
        snSwingDef def = {
            .stiffness = &b.stiffness, .mass = b.mass, .spring = b.spring, .free = b.free};
        CHECK(snSwings_Slowest(swings, &def, factor, 0, &swing, NULL) == SN_OK);
        double exact = denseSlowest(&b, factor);
        printf("ω²: %.6g, dense %.6g; elastic %.6g, share %.2f\n", swing.omega2, exact,
               swing.elastic, swing.share);
        CHECK_NEAR(swing.omega2 / exact, 1, 1e-3);
        CHECK(round > 0 || fabs(swing.elastic / swing.omega2 - 1) < 1e-9);
        CHECK(swing.share > 0.1 && swing.share <= 1);
        // The same mass as a matrix.
        snSwing other;
        def.massMatrix = &mass;
        def.vertexCount = b.lattice.vertexCount;
        def.mass = NULL;
        CHECK(snSwings_Slowest(swings, &def, factor, 0, &other, NULL) == SN_OK);
        CHECK_NEAR(other.omega2 / swing.omega2, 1, 1e-9);
        CHECK_NEAR(other.share, swing.share, 1e-6);
        for (int v = 0; v < b.lattice.vertexCount; v++)
            b.spring[v] = 300.0 * (1 + round) * (v % 2);
    }
    snArena_Destroy(&b.arena);
}

// Where the slowest swing is none that a push starts, the next is taken.
static void springsAloneAndNothingAtAll(void)
{
    snContext context = snDefaultContext();
    Body b;
    snSwings *swings;
    snSwing swing;
    makeBody(&b, &context);
    int n = b.lattice.vertexCount;
    CHECK(snSwings_Make(&swings, &b.stiffness, &b.arena, NULL) == SN_OK);
    for (int v = 0; v < n; v++)
        b.spring[v] = 40 * b.mass[v];
    snSwingDef def = {.stiffness = &b.stiffness, .mass = b.mass, .spring = b.spring};
    CHECK(snSwings_Slowest(swings, &def, 1e-9, 0, &swing, NULL) == SN_OK);
    CHECK_NEAR(swing.omega2, 40, 1e-4); // everything moves as one
    for (int v = 0; v < n; v++)
        b.free[v] = 0;
    def.free = b.free;
    CHECK(snSwings_Slowest(swings, &def, 1, 0, &swing, NULL) == SN_OK);
    CHECK(swing.omega2 == 0);
    b.free[n - 1] = 1; // one vertex: three swings, no more
    CHECK(snSwings_Slowest(swings, &def, 1, 0, &swing, NULL) == SN_OK);
    CHECK(swing.omega2 > 40 && isfinite(swing.omega2));
    for (int v = 0; v < n; v++)
        b.mass[v] = 0;
    CHECK(snSwings_Slowest(swings, &def, 1, 0, &swing, NULL) == SN_OK);
    CHECK(swing.omega2 == 0);
    snArena_Destroy(&b.arena);
}

// Clamped along one upright edge the block turns about it as a door does, held by weak springs alone: a push
// sets most of it into that, but no stiffness quickens it. Where a frequency is wanted, the next one counts.
static void doorsDoNotCount(void)
{
    snContext context = snDefaultContext();
    Body b;
    snSwings *swings;
    snSwing door, stiffer, bent;
    makeBody(&b, &context);
    int n = b.lattice.vertexCount;
    for (int v = 0; v < n; v++) {
        snVec3 x = b.lattice.rest[v];
        b.free[v] = x.x > 0.01 || x.y > 0.01;
        b.spring[v] = 20 * b.mass[v];
    }
    CHECK(snSwings_Make(&swings, &b.stiffness, &b.arena, NULL) == SN_OK);
    snSwingDef def = {
        .stiffness = &b.stiffness, .mass = b.mass, .spring = b.spring, .free = b.free};
    CHECK(snSwings_Slowest(swings, &def, 1, 0.02, &door, NULL) == SN_OK);
    CHECK(snSwings_Slowest(swings, &def, 100, 0.02, &stiffer, NULL) == SN_OK);
    def.wanted = 100;
    CHECK(snSwings_Slowest(swings, &def, 1, 0.02, &bent, NULL) == SN_OK);
    printf("door: ω² %.4g, of flesh %.2g, share %.2f; 100 times as stiff %.4g; next ω² %.4g\n",
           door.omega2, door.elastic, door.share, stiffer.omega2, bent.omega2);
    CHECK(door.share > 0.3 && door.elastic < 0.1 * door.omega2);
    CHECK(stiffer.omega2 < 1.5 * door.omega2);
    CHECK(bent.elastic > 0.5 * bent.omega2 && bent.share >= 0.02);
    def.wanted = 0.5 * door.omega2; // fast enough as it is
    CHECK(snSwings_Slowest(swings, &def, 1, 0.02, &bent, NULL) == SN_OK);
    CHECK(bent.omega2 == door.omega2);
    snArena_Destroy(&b.arena);
}

static void memoryRunsOut(void)
{
    snContext plain = snDefaultContext(), context = plain;
    Body b;
    makeBody(&b, &plain);
    snFailingMemory memory = {0};
    snStatus status = SN_ERROR_MEMORY;
    for (int failAt = 1; status && failAt < 100; failAt++) {
        memory = (snFailingMemory){.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snArena arena = snMakeArena(&context);
        snSwings *swings;
        status = snSwings_Make(&swings, &b.stiffness, &arena, NULL);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        snArena_Destroy(&arena);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
    snArena_Destroy(&b.arena);
}

int main(void)
{
    RUN(agreesWithDense);
    RUN(springsAloneAndNothingAtAll);
    RUN(doorsDoNotCount);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
