// Linear elasticity of the lattice against what is known exactly: the patch test, the cantilever.
#include "tests/test.h"

#include "body/lattice/model.h"
#include "core/core.h"
#include "tests/body/lattice/blocks.h"

#include <stdio.h>

// Solves K u = f with some vertices prescribed (fixed[v] = 1, their values in u). Prescribed rows
// become the identity and their columns move to the right-hand side.
static snStatus solveStatic(const snSparse *k, const unsigned char *fixed, const double *f,
                            double *u, snArena *arena, snError *error)
{
    int n = k->pattern.size;
    snSparse a = *k;
    size_t entries = (size_t)k->pattern.columnStart[n];
    a.values = SN_COPY(arena, double, k->values, entries * 9);
    double *b = SN_COPY(arena, double, f, n * 3);
    for (int c = 0; c < n; c++)
        for (int i = k->pattern.columnStart[c]; i < k->pattern.columnStart[c + 1]; i++) {
            int r = k->pattern.row[i];
            double *block = a.values + (size_t)i * 9;
            for (int p = 0; p < 3; p++)
                for (int q = 0; q < 3; q++) {
                    if (fixed[c] && !fixed[r]) b[r * 3 + p] -= block[p * 3 + q] * u[c * 3 + q];
                    if (fixed[r] && !fixed[c]) b[c * 3 + q] -= block[p * 3 + q] * u[r * 3 + p];
                    if (fixed[r] || fixed[c]) block[p * 3 + q] = r == c && p == q;
                }
        }
    for (int v = 0; v < n; v++)
        for (int p = 0; p < 3; p++)
            if (fixed[v]) b[v * 3 + p] = u[v * 3 + p];
    snSymbolic *symbolic;
    snFactor *factor;
    snStatus status = snSymbolic_Make(&symbolic, &k->pattern, 3, SN_ORDER_AUTO, arena, error);
    if (!status) status = snFactor_Make(&factor, symbolic, arena, error);
    if (!status) status = snFactor_Compute(factor, &a, error);
    if (status) return status;
    double *scratch = SN_NEW(arena, double, snFactor_ScratchSize(factor, 1));
    for (int i = 0; i < n * 3; i++)
        u[i] = b[i];
    snFactor_Solve(factor, 1, u, scratch);
    return SN_OK;
}

// The border of a lattice of tets, prisms and hexahedra is moved by an affine map: all vertices
// inside must follow it exactly.
static void patchTest(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    unsigned char boundary[96];
    snLattice lattice = makeMixed(boundary, 0.15, &arena);
    snMat3 map = {{0.01, 0.003, -0.002}, {0.004, -0.02, 0.005}, {-0.006, 0.001, 0.015}};
    for (int level = 0; level <= 2; level++) {
        snQuadratureDef def = {.level = level, .samples = 4};
        snQuadrature q;
        snSparse k;
        double *young = constants(lattice.cellCount, 1e5, &arena);
        CHECK(snQuadrature_Make(&q, &lattice, &def, &arena, &context, NULL) == SN_OK);
        CHECK(snLattice_Stiffness(&k, &lattice, &q, young, 0.3, &arena, NULL) == SN_OK);
        double *u = SN_NEW(&arena, double, lattice.vertexCount * 3), largest = 0, error = 0;
        double *f = SN_NEW(&arena, double, lattice.vertexCount * 3);
        for (int v = 0; v < lattice.vertexCount; v++) {
            snVec3 d = snMulMV(map, lattice.rest[v]);
            if (boundary[v]) u[v * 3] = d.x, u[v * 3 + 1] = d.y, u[v * 3 + 2] = d.z;
        }
        CHECK(solveStatic(&k, boundary, f, u, &arena, NULL) == SN_OK);
        int inner = 0;
        for (int v = 0; v < lattice.vertexCount; v++) {
            snVec3 d = snMulMV(map, lattice.rest[v]);
            inner += !boundary[v];
            largest = fmax(largest, snLength(d));
            error = fmax(error, snDistance(d, snVec(u[v * 3], u[v * 3 + 1], u[v * 3 + 2])));
        }
        printf("patch test, level %d: %d inner vertices, relative error %.2e\n", level, inner,
               error / largest);
        CHECK(error / largest < 1e-10);
    }
    snArena_Destroy(&arena);
}

// A cantilever of length L = 50 H under a force at its end, ν = 0: w = F L³ / (3 E I) + F L / (κ G A)
// (Timoshenko; the shear term is 1e-4 of the whole here, κ = 5/6). The lattice has n cells through
// the height and cubes along the length.
static double cantilever(BlockKind kind, int n, snArena *arena, const snContext *context)
{
    double height = 0.1, length = 5, young = 1e6, force = 1e-3;
    snLattice lattice = makeBlock(kind, 50 * n, n, n, snVec(length, height, height), arena);
    snQuadratureDef def = {.level = kind == BLOCK_HEXES ? 1 : 0, .samples = 4};
    snQuadrature q;
    snSparse k;
    int count = lattice.vertexCount, endVertices = (n + 1) * (n + 1);
    unsigned char *fixed = SN_NEW(arena, unsigned char, count);
    double *u = SN_NEW(arena, double, count * 3), *f = SN_NEW(arena, double, count * 3), tip = 0;
    snQuadrature_Make(&q, &lattice, &def, arena, context, NULL);
    snLattice_Stiffness(&k, &lattice, &q, constants(lattice.cellCount, young, arena), 0, arena,
                        NULL);
    for (int v = 0; v < count; v++) {
        fixed[v] = lattice.rest[v].x == 0;
        if (lattice.rest[v].x == length) f[v * 3 + 1] = -force / endVertices;
    }
    CHECK(solveStatic(&k, fixed, f, u, arena, NULL) == SN_OK);
    for (int v = 0; v < count; v++)
        if (lattice.rest[v].x == length) tip -= u[v * 3 + 1] / endVertices;
    double inertia = height * height * height * height / 12;
    double exact = force * length * length * length / (3 * young * inertia) +
                   force * length / (5.0 / 6.0 * young / 2 * height * height);
    return tip / exact;
}

static void cantileverTendsToBeam(void)
{
    snContext context = snDefaultContext();
    printf("cantilever L/H = 50, deflection / beam theory\n  cells  hexahedra  tets\n");
    double error[2][4];
    for (int level = 0, n = 1; level < 3; level++, n *= 2) {
        double ratio[2];
        for (int kind = 0; kind < 2; kind++) {
            snArena arena = snMakeArena(&context);
            ratio[kind] = cantilever(kind ? BLOCK_TETS : BLOCK_HEXES, n, &arena, &context);
            error[kind][level] = fabs(1 / ratio[kind] - 1); // excess stiffness
            snArena_Destroy(&arena);
        }
        printf("  %5d  %9.4f  %.4f\n", n, ratio[0], ratio[1]);
    }
    for (int kind = 0; kind < 2; kind++) {
        double order = log(error[kind][1] / error[kind][2]) / log(2);
        printf("  order of %s: %.2f\n", kind ? "tets" : "hexahedra", order);
        CHECK(order > 1.8);
        CHECK(error[kind][2] < (kind ? 0.25 : 0.1));
    }
}

int main(void)
{
    RUN(patchTest);
    RUN(cantileverTendsToBeam);
    return snTest_Finish();
}
