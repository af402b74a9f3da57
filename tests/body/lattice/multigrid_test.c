// Multigrid on the nested spaces of subdivided lattices: iterations must not grow with the level.
#include "tests/test.h"

#include "core/core.h"
#include "numerics/cg.h"
#include "numerics/cholesky.h"
#include "numerics/multigrid.h"
#include "tests/body/lattice/nested_spaces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static snContext context;

typedef enum Material { STEP, NAILED, INCOMPRESSIBLE, CONTRAST } Material;
static const char *const names[] = {"mass and stiffness", "nailed", "nu = 0.45", "contrast 100"};

static NestedDef defOf(const snLattice *lattice, snScheme scheme, int levels, Material material,
                       snArena *arena)
{
    NestedDef def = {.lattice = lattice,
                     .scheme = scheme,
                     .levels = levels,
                     .step = 1,
                     .young = 3e4,
                     .poisson = material == INCOMPRESSIBLE ? 0.45 : 0.3,
                     .contrast = material == CONTRAST ? 100 : 1};
    unsigned char *nailed = SN_NEW(arena, unsigned char, lattice->vertexCount);
    unsigned char *stiff = SN_NEW(arena, unsigned char, lattice->cellCount);
    for (int v = 0; v < lattice->vertexCount; v++)
        nailed[v] = material != STEP && isEnd(lattice, v);
    for (int c = 0; c < lattice->cellCount; c++) // one side of the body
        stiff[c] = c >= lattice->cellCount / 2;
    def.nailed = nailed;
    def.stiff = stiff;
    if (material != STEP) return def;
    def.density = 1000;
    def.step = 1.0 / 60;
    return def;
}

static int solve(const NestedSpaces *spaces, int levels, bool smooth, snArena *arena)
{
    snMultigridDef def = snDefaultMultigridDef();
    def.levels = levels + 1;
    def.prolongations = spaces->prolongation;
    if (smooth) def.values = spaces->values;
    snMultigrid *m = NULL;
    snError error = {0};
    if (!CHECK(snMultigrid_Make(&m, &spaces->matrix, &def, arena, &context, &error) == SN_OK))
        printf("%s\n", error.message);
    if (!m) return 0;
    int n = 3 * spaces->size[levels];
    double *b = SN_NEW(arena, double, n), *x = SN_NEW(arena, double, n);
    double *y = SN_NEW(arena, double, n), *scratch = SN_NEW(arena, double, snCg_ScratchSize(n));
    snRandom random = snMakeRandom(4);
    for (int i = 0; i < n; i++)
        b[i] = snRandom_Uniform(&random, -1, 1);
    snCgDef cg = snDefaultCgDef();
    cg.size = n;
    cg.matrix = snOperator_FromSparse(&spaces->matrix);
    cg.preconditioner = snOperator_FromMultigrid(m);
    cg.tolerance = 1e-8;
    snCgResult result;
    CHECK(snCg_Solve(&cg, b, x, scratch, &result, NULL) == SN_OK && result.converged);
    snSparse_Multiply(&spaces->matrix, 1, x, y);
    double rest = 0;
    for (int i = 0; i < n; i++)
        rest += (y[i] - b[i]) * (y[i] - b[i]);
    CHECK(sqrt(rest / snDotProduct(n, b, b)) < 1e-7);
    return result.iterations;
}

static void checkLevels(NestedLattice kind, snScheme scheme, Material material)
{
    int seen[3], size[3], least = 1000, most = 0;
    bool smooth = scheme != SN_SCHEME_TRILINEAR;
    for (int k = 0; k < 3; k++) {
        snArena arena = snMakeArena(&context);
        int levels = k + 1;
        snLattice lattice = makeNestedLattice(kind, (int[3]){2, smooth ? 1 : 2, 1}, &arena);
        NestedDef def = defOf(&lattice, scheme, levels, material, &arena);
        NestedSpaces spaces;
        CHECK(makeNestedSpaces(&spaces, &def, &arena, &context, NULL) == SN_OK);
        seen[k] = solve(&spaces, levels, smooth, &arena);
        size[k] = 3 * spaces.size[levels];
        least = seen[k] < least ? seen[k] : least;
        most = seen[k] > most ? seen[k] : most;
        snArena_Destroy(&arena);
    }
    printf("    %-14s %-9s %-18s %6d %6d %6d unknowns: %2d %2d %2d iterations\n",
           snScheme_Name(scheme), nestedName(kind), names[material], size[0], size[1], size[2],
           seen[0], seen[1], seen[2]);
    CHECK(most - least <= 4 && most <= 25); // +-2
    CHECK(abs(seen[2] - seen[1]) <= 2);     // no growth from level to level
}

static void trilinear(void)
{
    checkLevels(NESTED_BOX, SN_SCHEME_TRILINEAR, NAILED);
    checkLevels(NESTED_BOX, SN_SCHEME_TRILINEAR, INCOMPRESSIBLE);
    for (int material = STEP; material <= CONTRAST; material++)
        checkLevels(NESTED_MIXED, SN_SCHEME_TRILINEAR, (Material)material);
}

static void smooth(void)
{
    for (int material = NAILED; material <= CONTRAST; material++)
        checkLevels(NESTED_SHARP, SN_SCHEME_MACCRACKEN_JOY, (Material)material);
    checkLevels(NESTED_BOX, SN_SCHEME_MACCRACKEN_JOY, STEP);
    checkLevels(NESTED_BOX, SN_SCHEME_MACCRACKEN_JOY, INCOMPRESSIBLE);
    checkLevels(NESTED_MIXED, SN_SCHEME_MACCRACKEN_JOY, CONTRAST);
    checkLevels(NESTED_SHARP, SN_SCHEME_BAJAJ, NAILED);
}

int main(void)
{
    context = snDefaultContext();
    RUN(trilinear);
    RUN(smooth);
    return snTest_Finish();
}
