// The hierarchical basis: what its functions are, what they span, and which of them are kept.
#include "tests/test.h"

#include "asset/gltf.h"
#include "body/lattice/basis.h"
#include "body/lattice/flesh.h"
#include "core/core.h"
#include "geometry/geometry.h"
#include "numerics/cholesky.h"
#include "tests/body/lattice/blocks.h"
#include "tests/body/lattice/checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Case {
    snContext context;
    snArena arena;
    snLattice lattice;
    snBasis basis;
} Case;

typedef enum CaseLattice { ONE_TET, ONE_HEX, HEXES, TETS, MIXED, CASES } CaseLattice;

static Case makeCase(CaseLattice kind)
{
    Case c = {.context = snDefaultContext()};
    c.arena = snMakeArena(&c.context);
    unsigned char boundary[96];
    snVec3 one = {1, 1, 1};
    if (kind == ONE_TET) {
        snLattice_Alloc(&c.lattice, 4, 1, 4, &c.arena, NULL);
        for (int k = 0; k < 4; k++) {
            c.lattice.rest[k] = snVec(k == 1, k == 2, k == 3);
            c.lattice.corners[k] = k;
        }
        c.lattice.cellStart[1] = 4;
    } else if (kind == MIXED) {
        c.lattice = makeMixed(boundary, 0.15, &c.arena);
    } else {
        int n = kind == ONE_HEX ? 1 : 2;
        c.lattice = makeBlock(kind == TETS ? BLOCK_TETS : BLOCK_HEXES, n, n, n, one, &c.arena);
    }
    return c;
}

static snBasisDef defOf(const Case *c, int levels, int quadratureLevel)
{
    snBasisDef def = snDefaultBasisDef();
    def.lattice = &c->lattice;
    def.levels = levels;
    def.quadratureLevel = quadratureLevel;
    def.measure = false;
    return def;
}

static void build(Case *c, const snBasisDef *def)
{
    snError error = {0};
    if (!CHECK(snBasis_Make(&c->basis, def, &c->arena, &c->context, &error) == SN_OK))
        printf("%s\n", error.message);
}

static double valueAt(const snBasis *basis, int vertex, int function)
{
    const snWeightRows *rows = &basis->values;
    for (int i = rows->start[vertex]; i < rows->start[vertex + 1]; i++)
        if (rows->column[i] == function) return rows->weight[i];
    return 0;
}

// Values at all vertices of a mesh one level finer than the basis: level 0 sums to one and is what
// subdivision says; every function is 1 at its own vertex, 0 at all others of its level and of
// those before it, and between 0 and 1.
static void checkValues(const Case *c)
{
    const snBasis *basis = &c->basis;
    snFineLattice fine;
    CHECK(snSubdivide(&fine, &c->lattice, basis->quadratureLevel, (snArena *)&c->arena, &c->context,
                      NULL) == SN_OK);
    double unity = 0, coarse = 0, range = 0;
    int wrong = 0;
    for (int v = 0; v < basis->mesh.vertexCount; v++) {
        double sum = 0;
        const snWeightRows *rows = &basis->values;
        for (int i = rows->start[v]; i < rows->start[v + 1]; i++) {
            int f = rows->column[i], level = snBasis_Level(basis, f);
            if (level == 0) sum += rows->weight[i];
            range = fmax(range, fmax(-rows->weight[i], rows->weight[i] - 1));
            if (v < basis->levelStart[level + 1]) wrong += rows->weight[i] != (v == f);
        }
        unity = fmax(unity, fabs(sum - 1));
        if (v < basis->functionCount && basis->keptOf[v] >= 0) wrong += valueAt(basis, v, v) != 1;
        for (int i = fine.rows.start[v]; i < fine.rows.start[v + 1]; i++)
            coarse =
                fmax(coarse, fabs(fine.rows.weight[i] - valueAt(basis, v, fine.rows.column[i])));
    }
    CHECK_NEAR(unity, 0, 1e-14);
    CHECK_NEAR(coarse, 0, 1e-14);
    CHECK(range < 1e-15);
    CHECK(wrong == 0);
}

static void hatsAreHats(void)
{
    for (CaseLattice kind = 0; kind < CASES; kind++)
        for (int levels = 0; levels <= (kind == MIXED ? 2 : 3); levels++) {
            Case c = makeCase(kind);
            snBasisDef def = defOf(&c, levels, levels < 2 ? levels + 1 : levels);
            def.leastPivot = 0;
            build(&c, &def);
            checkValues(&c);
            snArena_Destroy(&c.arena);
        }
}

// The fine mesh fills the lattice, and its vertices at rest are where the basis puts them.
static void fineMeshIsTheLattice(void)
{
    for (CaseLattice kind = 0; kind < CASES; kind++) {
        Case c = makeCase(kind);
        snBasisDef def = defOf(&c, 1, 2);
        build(&c, &def);
        const snBasisMesh *mesh = &c.basis.mesh;
        double volume = 0, sum = 0, off = 0;
        for (int k = 0; k < c.lattice.cellCount; k++) {
            volume += snLattice_Volume(&c.lattice, k);
            for (int t = mesh->cellStart[k]; t < mesh->cellStart[k + 1]; t++)
                CHECK(mesh->tetCell[t] == k && mesh->volume[t] > 0 && mesh->fraction[t] == 1);
        }
        CHECK(mesh->cellStart[c.lattice.cellCount] == mesh->tetCount);
        for (int t = 0; t < mesh->tetCount; t++)
            sum += mesh->volume[t];
        // Shaken quadrilaterals are not planar, and the fine tets follow the trilinear cell.
        CHECK_NEAR(sum / volume, 1, kind == MIXED ? 2e-3 : 1e-12);
        snVec3 *q = SN_NEW(&c.arena, snVec3, c.basis.functionCount);
        snVec3 *points = SN_NEW(&c.arena, snVec3, mesh->vertexCount);
        snBasis_Rest(&c.basis, q);
        snBasis_Points(&c.basis, q, NULL, points);
        for (int v = 0; v < mesh->vertexCount; v++)
            off = fmax(off, snDistance(points[v], mesh->rest[v]));
        CHECK_NEAR(off, 0, 1e-14);
        snArena_Destroy(&c.arena);
    }
}

// Without bones and with Ω = K all functions are kept, and they span V_J: coefficients found from
// wanted positions of the vertices of K_J by q_v = p_v - mean(p of sources) give these positions,
// and the functions by their values give what the recursion gives, also between them.
static void levelsSpanTheFineLattice(void)
{
    for (CaseLattice kind = 0; kind < CASES; kind++)
        for (int levels = 1; levels <= (kind == MIXED || kind == TETS ? 2 : 3); levels++) {
            Case c = makeCase(kind);
            snBasisDef def = defOf(&c, levels, levels < 2 ? levels + 1 : levels);
            build(&c, &def);
            const snBasis *b = &c.basis;
            CHECK(b->keptCount == b->functionCount);
            snVec3 *wanted = SN_NEW(&c.arena, snVec3, b->functionCount);
            snVec3 *q = SN_NEW(&c.arena, snVec3, b->functionCount);
            snVec3 *points = SN_NEW(&c.arena, snVec3, b->mesh.vertexCount);
            snRandom random = snMakeRandom(3);
            for (int v = 0; v < b->functionCount; v++) {
                int begin = b->mesh.sourceStart[v], end = b->mesh.sourceStart[v + 1];
                q[v] = wanted[v] = snRandom_UnitVector(&random);
                for (int s = begin; s < end; s++)
                    q[v] = snMulAdd(q[v], -1.0 / (end - begin), wanted[b->mesh.source[s]]);
            }
            snBasis_Points(b, q, NULL, points);
            double off = 0, differ = 0;
            for (int v = 0; v < b->mesh.vertexCount; v++) {
                snVec3 sum = {0, 0, 0};
                for (int i = b->values.start[v]; i < b->values.start[v + 1]; i++)
                    sum = snMulAdd(sum, b->values.weight[i], q[b->values.column[i]]);
                differ = fmax(differ, snDistance(sum, points[v]));
                if (v < b->functionCount) off = fmax(off, snDistance(points[v], wanted[v]));
            }
            CHECK_NEAR(off, 0, 1e-14);
            CHECK_NEAR(differ, 0, 1e-13);
            snArena_Destroy(&c.arena);
        }
}

// Supports in cells of K: a function is listed for a cell exactly if some fine vertex of the cell
// has a value of it, and the other way round.
static void supportsAreCells(void)
{
    Case c = makeCase(MIXED);
    snBasisDef def = defOf(&c, 2, 3);
    build(&c, &def);
    const snBasis *b = &c.basis;
    unsigned char *there = SN_NEW(&c.arena, unsigned char, b->functionCount);
    for (int k = 0; k < b->cellCount; k++) {
        int wrong = 0, count = 0;
        memset(there, 0, (size_t)b->functionCount);
        for (int t = b->mesh.cellStart[k]; t < b->mesh.cellStart[k + 1]; t++)
            for (int m = 0; m < 4; m++) {
                int v = b->mesh.tets[t][m];
                for (int i = b->values.start[v]; i < b->values.start[v + 1]; i++)
                    there[b->values.column[i]] = 1;
            }
        for (int f = 0; f < b->functionCount; f++)
            count += there[f];
        for (int i = b->insideStart[k]; i < b->insideStart[k + 1]; i++) {
            int f = b->inside[i], listed = 0;
            wrong += !there[f];
            for (int s = b->supportStart[f]; s < b->supportStart[f + 1]; s++)
                listed += b->support[s] == k;
            wrong += listed != 1;
        }
        CHECK(wrong == 0 && count == b->insideStart[k + 1] - b->insideStart[k]);
    }
    snArena_Destroy(&c.arena);
}

// A bone along the middle of the mixed lattice, and one of two edges along its border, one of them
// prisms': for any coefficients that leave the bones' own vertices on a moved straight bone, all
// fine points between them are on it, at the same share of its length.
static void bonesStayStraight(void)
{
    Case c = makeCase(MIXED);
    const snVec3 *r = c.lattice.rest;
    snBone bones[3] = {{0, r[gridVertex(1, 1, 1)], r[gridVertex(2, 1, 1)]},
                       {1, r[gridVertex(2, 0, 0)], r[gridVertex(4, 0, 0)]},
                       {2, r[gridVertex(1, 1, 1)], r[gridVertex(1, 1, 1)]}};
    snBasisDef def = defOf(&c, 3, 3);
    def.bones = bones;
    def.boneCount = 3;
    def.leastPivot = 0;
    build(&c, &def);
    const snBasis *b = &c.basis;
    snVec3 *q = SN_NEW(&c.arena, snVec3, b->functionCount);
    snVec3 *points = SN_NEW(&c.arena, snVec3, b->mesh.vertexCount);
    snRandom random = snMakeRandom(5);
    snQuat turn = snRandom_Rotation(&random);
    for (int f = 0; f < b->functionCount; f++)
        q[f] = f < b->levelStart[1] ? snRotate(turn, r[f]) : snRandom_UnitVector(&random);
    snBasis_Points(b, q, NULL, points);
    double worst = 0;
    int onBone = 0;
    for (int v = 0; v < b->mesh.vertexCount; v++)
        for (int k = 0; k < 2; k++) {
            double t;
            snVec3 foot = snClosestOnSegment(b->mesh.rest[v], bones[k].head, bones[k].tail, &t);
            if (snDistance(foot, b->mesh.rest[v]) > 1e-9) continue;
            worst = fmax(worst, snDistance(points[v], snRotate(turn, foot)));
            onBone++;
        }
    CHECK(onBone == 9 + 17);
    CHECK_NEAR(worst, 0, 1e-13);
    for (int level = 1; level <= 3; level++) // midpoints of 1 + 2 edges, halved with every level
        CHECK(b->report.count[level][SN_FUNCTION_ON_BONE] == 3 << (level - 1));
    CHECK(b->report.count[0][SN_FUNCTION_ON_BONE] == 0);
    snArena_Destroy(&c.arena);
}

static void printReport(const char *name, const snBasis *b)
{
    const snBasisReport *r = &b->report;
    printf("%s, %d levels, quadrature %d: %d of %d functions kept, worst share %.1e (finer %.1e), "
           "condition %.2e -> %.2e\n",
           name, b->levels, b->quadratureLevel, b->keptCount, b->functionCount, r->worstShare,
           r->worstFiner, r->conditionBefore, r->conditionAfter);
    for (int level = 0; level <= b->levels; level++) {
        printf("    level %d:", level);
        for (int s = 0; s < SN_FUNCTION_STATES; s++)
            printf(" %d %s%s", r->count[level][s], snFunctionState_Name((snFunctionState)s),
                   s + 1 < SN_FUNCTION_STATES ? "," : "\n");
    }
}

// The number of fine vertices of tets with a part in Ω: with Q = J that is the dimension of V_J on
// Ω as integrated.
static int activeVertices(const snBasis *b, snArena *arena)
{
    unsigned char *active = SN_NEW(arena, unsigned char, b->mesh.vertexCount);
    int count = 0;
    for (int t = 0; t < b->mesh.tetCount; t++)
        for (int k = 0; k < 4; k++)
            if (b->mesh.fraction[t] > 0) active[b->mesh.tets[t][k]] = 1;
    for (int v = 0; v < b->mesh.vertexCount; v++)
        count += active[v];
    return count;
}

// At level 0 all functions are kept that the sampled Ω touches; with finer levels outside ones and
// slivers go, and just as many dependent ones that what is left spans nearly all that there is.
static void ballInABlock(void)
{
    Ball ball = {{0.52, 0.49, 0.5}, 0.37};
    for (int k = 0; k < 12; k++) {
        BlockKind kind = k < 7 ? BLOCK_HEXES : BLOCK_TETS;
        int levels = (k < 7 ? k : k - 7) / 2, extra = (k < 7 ? k : k - 7) % 2;
        Case c = makeCase(HEXES);
        int n = levels < 3 ? 3 : 2;
        c.lattice = makeBlock(kind, n, n, n, snVec(1, 1, 1), &c.arena);
        snBasisDef def = defOf(&c, levels, levels + extra);
        def.inside = (snInsideTest){insideBall, &ball};
        def.measure = true;
        build(&c, &def);
        const snBasis *b = &c.basis;
        printReport(kind == BLOCK_HEXES ? "hexes" : "tets", b);
        CHECK(b->report.conditionAfter < 3e4);
        CHECK(levels == 0 || isinf(b->report.conditionBefore));
        CHECK(b->report.worstFiner >= def.leastShare);
        CHECK(b->report.count[0][SN_FUNCTION_DEPENDENT] == 0);
        int dimension = activeVertices(b, &c.arena);
        if (extra == 0) CHECK(b->keptCount <= dimension && b->keptCount >= 0.98 * dimension);
        for (int f = 0; f < b->functionCount; f++) {
            bool within = snDistance(b->mesh.rest[f], ball.centre) < ball.radius - 0.02;
            if (within) CHECK(b->share[f] > 0.2);
            if (b->state[f] == SN_FUNCTION_OUTSIDE) CHECK(b->share[f] == 0);
        }
        snArena_Destroy(&c.arena);
    }
}

// Where as many functions are kept as V_J has dimensions on Ω, they span it: any values u at the
// vertices of the fine mesh are met on Ω, by the least squares G x = b, b_a = ∫_Ω φ_a u.
static void keptOnesSpanTheBall(void)
{
    Case c = makeCase(HEXES);
    Ball ball = {{0.52, 0.49, 0.5}, 0.37};
    c.lattice = makeBlock(BLOCK_HEXES, 3, 3, 3, snVec(1, 1, 1), &c.arena);
    snBasisDef def = defOf(&c, 1, 1);
    def.inside = (snInsideTest){insideBall, &ball};
    build(&c, &def);
    const snBasis *b = &c.basis;
    const snBasisMesh *mesh = &b->mesh;
    CHECK(b->keptCount == activeVertices(b, &c.arena));
    double *u = SN_NEW(&c.arena, double, mesh->vertexCount);
    double *load = SN_NEW(&c.arena, double, mesh->vertexCount); // ∫ λ_v u
    double *x = SN_NEW(&c.arena, double, b->keptCount);
    snRandom random = snMakeRandom(4);
    for (int v = 0; v < mesh->vertexCount; v++)
        u[v] = snRandom_Uniform(&random, -1, 1);
    for (int t = 0; t < mesh->tetCount; t++)
        for (int k = 0; k < 4; k++)
            for (int m = 0; m < 4; m++)
                load[mesh->tets[t][k]] +=
                    mesh->volume[t] * mesh->fraction[t] / 20 * (1 + (k == m)) * u[mesh->tets[t][m]];
    for (int v = 0; v < mesh->vertexCount; v++)
        for (int i = b->values.start[v]; i < b->values.start[v + 1]; i++)
            if (b->keptOf[b->values.column[i]] >= 0)
                x[b->keptOf[b->values.column[i]]] += b->values.weight[i] * load[v];
    snSparse gram;
    snSymbolic *symbolic;
    snFactor *factor;
    CHECK(snBasis_Gram(&gram, b, &c.arena, NULL) == SN_OK);
    CHECK(snSymbolic_Make(&symbolic, &gram.pattern, 1, SN_ORDER_AMD, &c.arena, NULL) == SN_OK);
    CHECK(snFactor_Make(&factor, symbolic, &c.arena, NULL) == SN_OK);
    CHECK(snFactor_Compute(factor, &gram, NULL) == SN_OK);
    snFactor_Solve(factor, 1, x, SN_NEW(&c.arena, double, snFactor_ScratchSize(factor, 1)));
    double worst = 0;
    for (int t = 0; t < mesh->tetCount; t++)
        for (int k = 0; k < 4 && mesh->fraction[t] > 0; k++) {
            int v = mesh->tets[t][k];
            double sum = 0;
            for (int i = b->values.start[v]; i < b->values.start[v + 1]; i++)
                if (b->keptOf[b->values.column[i]] >= 0)
                    sum += b->values.weight[i] * x[b->keptOf[b->values.column[i]]];
            worst = fmax(worst, fabs(sum - u[v]));
        }
    CHECK_NEAR(worst, 0, 1e-11);
    snArena_Destroy(&c.arena);
}

// Without a body's border nothing is dropped, and the condition grows about eightfold with a level.
static void wholeBlock(void)
{
    const double condition[4] = {5, 65, 459, 4860}; // as measured; level 0: see spectraAgree
    for (int levels = 0; levels <= 3; levels++) {
        Case c = makeCase(HEXES);
        snBasisDef def = defOf(&c, levels, levels);
        def.measure = true;
        build(&c, &def);
        CHECK(c.basis.keptCount == c.basis.functionCount);
        CHECK_NEAR(c.basis.report.conditionAfter / condition[levels], 1, 0.01);
        CHECK(c.basis.report.conditionBefore == c.basis.report.conditionAfter);
        CHECK(c.basis.report.worstShare == 1);
        snArena_Destroy(&c.arena);
    }
}

// A ball so small that no sample is in it, around a vertex: functions that are not zero there are
// missed, all others outside; there is nothing to keep.
static void tinyBodiesAreMissed(void)
{
    Case c = makeCase(HEXES);
    Ball ball = {{0.5, 0.5, 0.5}, 1e-3};
    snBasisDef def = defOf(&c, 1, 2);
    def.inside = (snInsideTest){insideBall, &ball};
    def.measure = true;
    build(&c, &def);
    const snBasisReport *r = &c.basis.report;
    CHECK(c.basis.keptCount == 0);
    CHECK(r->count[0][SN_FUNCTION_MISSED] == 1 && r->count[0][SN_FUNCTION_OUTSIDE] == 26);
    CHECK(r->count[1][SN_FUNCTION_MISSED] == 0 && r->count[1][SN_FUNCTION_OUTSIDE] == 98);
    CHECK(r->conditionBefore == 1 && r->conditionAfter == 1);
    snArena_Destroy(&c.arena);
}

// qᵀ G q is the integral of (Σ q_a φ_a)², summed tet by tet from values at its corners; and the
// functions of level 0 together integrate to the volume of Ω.
static void gramIsTheIntegral(void)
{
    for (int levels = 0; levels <= 2; levels++) {
        Case c = makeCase(MIXED);
        Ball ball = {{2.4, 1.5, 1.3}, 1.6};
        snBasisDef def = defOf(&c, levels, 2);
        def.inside = (snInsideTest){insideBall, &ball};
        build(&c, &def);
        const snBasis *b = &c.basis;
        snSparse gram;
        CHECK(snBasis_Gram(&gram, b, &c.arena, NULL) == SN_OK);
        double *q = SN_NEW(&c.arena, double, b->keptCount);
        double *ones = SN_NEW(&c.arena, double, b->keptCount);
        double *product = SN_NEW(&c.arena, double, b->keptCount);
        snRandom random = snMakeRandom(11);
        for (int k = 0; k < b->keptCount; k++) {
            q[k] = snRandom_Uniform(&random, -1, 1);
            ones[k] = b->kept[k] < b->levelStart[1];
        }
        double form = 0, integral = 0, volume = 0, whole = 0;
        snSparse_Multiply(&gram, 1, q, product);
        for (int k = 0; k < b->keptCount; k++)
            form += q[k] * product[k];
        snSparse_Multiply(&gram, 1, ones, product);
        for (int k = 0; k < b->keptCount; k++)
            volume += ones[k] * product[k];
        for (int t = 0; t < b->mesh.tetCount; t++) {
            double u[4] = {0}, sum = 0, square = 0, part = b->mesh.volume[t] * b->mesh.fraction[t];
            for (int k = 0; k < 4; k++) {
                int v = b->mesh.tets[t][k];
                for (int i = b->values.start[v]; i < b->values.start[v + 1]; i++)
                    if (b->keptOf[b->values.column[i]] >= 0)
                        u[k] += b->values.weight[i] * q[b->keptOf[b->values.column[i]]];
                sum += u[k];
                square += u[k] * u[k];
            }
            integral += part / 20 * (sum * sum + square);
            whole += part;
        }
        CHECK_NEAR(form / integral, 1, 1e-12);
        CHECK_NEAR(volume / whole, 1, 1e-12);
        snArena_Destroy(&c.arena);
    }
}

// One tet at level 0 has the Gram matrix V/20 (1 + δ_ab): eigenvalues 5/2, 1/2, 1/2, 1/2 scaled.
// Then both ways against each other, and a singular matrix.
static void spectraAgree(void)
{
    snSpectrum dense, lanczos;
    snSparse gram;
    Case c = makeCase(ONE_TET);
    snBasisDef def = defOf(&c, 0, 0);
    build(&c, &def);
    CHECK(snBasis_Gram(&gram, &c.basis, &c.arena, NULL) == SN_OK);
    CHECK(snSpectrum_Dense(&dense, &gram, &c.context, NULL) == SN_OK);
    CHECK(snSpectrum_Lanczos(&lanczos, &gram, &c.context, NULL) == SN_OK);
    CHECK_NEAR(dense.least, 0.5, 1e-14);
    CHECK_NEAR(dense.greatest, 2.5, 1e-14);
    CHECK_NEAR(lanczos.least, 0.5, 1e-12);
    CHECK_NEAR(lanczos.greatest, 2.5, 1e-12);
    snArena_Destroy(&c.arena);
    Ball ball = {{0.52, 0.49, 0.5}, 0.37};
    for (CaseLattice kind = HEXES; kind <= MIXED; kind++) {
        c = makeCase(kind);
        def = defOf(&c, 1, 2);
        if (kind != MIXED) def.inside = (snInsideTest){insideBall, &ball};
        build(&c, &def);
        CHECK(snBasis_Gram(&gram, &c.basis, &c.arena, NULL) == SN_OK);
        CHECK(snSpectrum_Dense(&dense, &gram, &c.context, NULL) == SN_OK);
        CHECK(snSpectrum_Lanczos(&lanczos, &gram, &c.context, NULL) == SN_OK);
        printf("%d functions: eigenvalues %.10e ... %.10f, by Lanczos off by %.1e and %.1e in %d "
               "products\n",
               c.basis.keptCount, dense.least, dense.greatest, lanczos.least / dense.least - 1,
               lanczos.greatest / dense.greatest - 1, lanczos.products);
        CHECK_NEAR(lanczos.least / dense.least, 1, 1e-7);
        CHECK_NEAR(lanczos.greatest / dense.greatest, 1, 1e-7);
        snArena_Destroy(&c.arena);
    }
}

// A level-0 motion x -> A x + t has the gradient A in every fine tet, whatever the levels.
static void affineMotionsAreExact(void)
{
    Case c = makeCase(MIXED);
    snBasisDef def = defOf(&c, 2, 2);
    build(&c, &def);
    const snBasis *b = &c.basis;
    snRandom random = snMakeRandom(2);
    snMat3 a = {snRandom_UnitVector(&random), snRandom_UnitVector(&random),
                snRandom_UnitVector(&random)};
    snVec3 *q = SN_NEW(&c.arena, snVec3, b->functionCount);
    snVec3 *points = SN_NEW(&c.arena, snVec3, b->mesh.vertexCount);
    snBasis_Rest(b, q);
    for (int f = 0; f < b->levelStart[1]; f++)
        q[f] = snAdd(snVec(1, 2, 3), snMulMV(a, q[f]));
    snBasis_Points(b, q, NULL, points);
    double worst = 0;
    for (int t = 0; t < b->mesh.tetCount; t++) {
        snVec3 p[4], g[4];
        snMat3 f = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        for (int k = 0; k < 4; k++)
            p[k] = b->mesh.rest[b->mesh.tets[t][k]];
        snTetGradients(p, g);
        for (int k = 0; k < 4; k++)
            f = snAddMM(f, snOuter(points[b->mesh.tets[t][k]], g[k]));
        worst = fmax(worst, snNormSquaredM(snAddMM(f, snScaleM(-1, a))));
    }
    CHECK_NEAR(sqrt(worst), 0, 1e-11);
    snArena_Destroy(&c.arena);
}

static void cellsAreRefinedOneByOne(void)
{
    Case c = makeCase(HEXES);
    c.lattice = makeBlock(BLOCK_HEXES, 3, 3, 3, snVec(1, 1, 1), &c.arena);
    snBasisDef def = defOf(&c, 2, 2);
    build(&c, &def);
    const snBasis *b = &c.basis;
    unsigned char cellLevel[27] = {0};
    unsigned char *active = SN_NEW(&c.arena, unsigned char, b->functionCount);
    CHECK(snBasis_Activate(b, cellLevel, active) == 64);
    cellLevel[0] = 1; // a corner cell: 27 vertices of its level 1, 8 of them old
    CHECK(snBasis_Activate(b, cellLevel, active) == 64 + 19);
    cellLevel[1] = 2; // beside it: 9 vertices are shared at level 1; 125 at level 2, 27 of them old
    CHECK(snBasis_Activate(b, cellLevel, active) == 64 + 19 + 19 - 5 + 98);
    cellLevel[0] = cellLevel[1] = 0;
    cellLevel[13] = 9;
    CHECK(snBasis_Activate(b, cellLevel, active) == 64 + 19 + 98);
    // Functions that are off count nothing, and points outside of all refined supports stay.
    snVec3 *q = SN_NEW(&c.arena, snVec3, b->functionCount);
    snVec3 *points = SN_NEW(&c.arena, snVec3, b->mesh.vertexCount);
    snBasis_Rest(b, q);
    for (int f = b->levelStart[1]; f < b->functionCount; f++)
        q[f] = snVec(0, 0, 1);
    snBasis_Points(b, q, active, points);
    int moved = 0, wrong = 0;
    for (int v = 0; v < b->mesh.vertexCount; v++) {
        bool there = snDistance(points[v], b->mesh.rest[v]) > 1e-9;
        double expected = 0;
        for (int i = b->values.start[v]; i < b->values.start[v + 1]; i++)
            if (b->values.column[i] >= b->levelStart[1] && active[b->values.column[i]])
                expected += b->values.weight[i];
        wrong += fabs(points[v].z - b->mesh.rest[v].z - expected) > 1e-14;
        moved += there;
    }
    CHECK(wrong == 0 && moved > 98 && moved < b->mesh.vertexCount / 2);
    snArena_Destroy(&c.arena);
}

static void badRequestsAreRefused(void)
{
    Case c = makeCase(ONE_HEX);
    snBone bone = {0, {0, 0, 0}, {NAN, 0, 0}};
    struct {
        snStatus status;
        const char *text;
        snBasisDef def;
    } bad[8];
    for (int k = 0; k < 8; k++)
        bad[k].def = defOf(&c, 1, 1), bad[k].status = SN_ERROR_ARGUMENT;
    bad[0].def.levels = -1, bad[0].text = "levels";
    bad[1].def.levels = 7, bad[1].text = "levels";
    bad[2].def.quadratureLevel = 0, bad[2].text = "quadrature level";
    bad[3].def.samples = 2, bad[3].text = "samples";
    bad[4].def.leastShare = NAN, bad[4].text = "leastShare";
    bad[5].def.leastPivot = 1, bad[5].text = "leastPivot";
    bad[6].def.bones = &bone, bad[6].def.boneCount = 1, bad[6].text = "bone 0";
    bad[6].status = SN_ERROR_GEOMETRY;
    snLattice broken = c.lattice;
    snVec3 rest[8];
    memcpy(rest, c.lattice.rest, sizeof rest);
    rest[3].y = NAN;
    broken.rest = rest;
    bad[7].def.lattice = &broken, bad[7].text = "vertices[3]", bad[7].status = SN_ERROR_GEOMETRY;
    for (int k = 0; k < 8; k++) {
        snError error = {0};
        CHECK(snBasis_Make(&c.basis, &bad[k].def, &c.arena, &c.context, &error) == bad[k].status);
        CHECK(strstr(error.message, bad[k].text) != NULL);
    }
    snBasisDef def = defOf(&c, 6, 12); // far beyond any memory: refused, not tried
    snError error = {0};
    CHECK(snBasis_Make(&c.basis, &def, &c.arena, &c.context, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "too many tets") != NULL);
    snArena_Destroy(&c.arena);
}

// No cells, with and without a vertex: nothing is kept, nothing fails.
static void emptyLattices(void)
{
    for (int vertices = 0; vertices <= 1; vertices++) {
        Case c = makeCase(ONE_TET);
        snLattice_Alloc(&c.lattice, vertices, 0, 0, &c.arena, NULL);
        snBasisDef def = defOf(&c, 2, 2);
        def.measure = true;
        build(&c, &def);
        CHECK(c.basis.functionCount == vertices && c.basis.keptCount == 0);
        CHECK(c.basis.report.conditionAfter == 1);
        snArena_Destroy(&c.arena);
    }
}

static void everyAllocationMayFail(void)
{
    Case c = makeCase(HEXES);
    Ball ball = {{0.52, 0.49, 0.5}, 0.37};
    snBasisDef def = defOf(&c, 2, 2); // more functions than are measured the dense way
    def.inside = (snInsideTest){insideBall, &ball};
    def.measure = true;
    int n = 1;
    for (;; n++) {
        snContext failing = c.context;
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&failing, &memory);
        snArena out = snMakeArena(&failing);
        snStatus status = snBasis_Make(&c.basis, &def, &out, &failing, NULL);
        if (memory.count >= n) CHECK(status == SN_ERROR_MEMORY);
        snArena_Destroy(&out);
        CHECK(memory.alive == 0);
        if (memory.count < n) {
            CHECK(status == SN_OK);
            break;
        }
    }
    CHECK(n > 20);
    snArena_Destroy(&c.arena);
}

typedef struct InsideUser {
    const snWinding *winding;
    snTasks tasks;
} InsideUser;

static void insideSurface(const void *user, int count, const snVec3 *points, unsigned char *inside)
{
    const InsideUser *u = user;
    snWinding_InsideMany(u->winding, &u->tasks, count, points, inside);
}

// The number of fine vertices that lie on a bone between two others and have finer functions.
static int bentBoneVertices(const snBasis *b, const snFlesh *flesh)
{
    int bent = 0;
    for (int v = b->levelStart[1]; v < b->mesh.vertexCount; v++) {
        if (b->mesh.sourceStart[v + 1] - b->mesh.sourceStart[v] != 2) continue;
        for (int k = 0; k < flesh->boneCount; k++) {
            const snBone *bone = &flesh->bones[k];
            bool on = true;
            for (int s = b->mesh.sourceStart[v]; s < b->mesh.sourceStart[v + 1]; s++) {
                snVec3 end = b->mesh.rest[b->mesh.source[s]], foot;
                foot = snClosestOnSegment(end, bone->head, bone->tail, NULL);
                on &= snDistance(end, foot) < 1e-9 * flesh->height;
            }
            int last = b->values.start[v + 1] - 1;
            bent += on && b->values.column[last] >= b->levelStart[1];
        }
    }
    return bent;
}

// The lattice that is made by itself around a real character.
static void realCharacter(void)
{
    size_t size;
    unsigned char *bytes = snTest_Asset("Fox.glb", &size);
    if (!bytes) {
        printf("skipped: Fox.glb is absent\n");
        return;
    }
    snContext context = snDefaultContext();
    snGltfSource source = {.bytes = bytes, .size = size};
    snCharacter character;
    snFlesh *flesh = NULL;
    snFleshDef fleshDef = snDefaultFleshDef();
    fleshDef.cells = 600;
    snError error = {0};
    CHECK(snGltf_Read(&character, &source, &context, &error) == SN_OK);
    CHECK(snFlesh_Build(&flesh, &character, &fleshDef, &context, &error) == SN_OK);
    for (int levels = 0; levels <= 1; levels++) {
        Case c = {.context = context, .arena = snMakeArena(&context), .lattice = flesh->lattice};
        InsideUser user = {flesh->winding, context.tasks};
        snBasisDef def = defOf(&c, levels, 1);
        def.bones = flesh->bones;
        def.boneCount = flesh->boneCount;
        def.inside = (snInsideTest){insideSurface, &user};
        def.measure = true;
        build(&c, &def);
        printReport("fox", &c.basis);
        CHECK(c.basis.report.conditionAfter < 1e4);
        CHECK(c.basis.report.count[0][SN_FUNCTION_DEPENDENT] == 0);
        CHECK(levels == 0 || c.basis.report.count[1][SN_FUNCTION_ON_BONE] > 0);
        CHECK(bentBoneVertices(&c.basis, flesh) == 0);
        snArena_Destroy(&c.arena);
    }
    snFlesh_Destroy(flesh);
    snCharacter_Destroy(&character);
    free(bytes);
}

int main(void)
{
    RUN(hatsAreHats);
    RUN(fineMeshIsTheLattice);
    RUN(levelsSpanTheFineLattice);
    RUN(supportsAreCells);
    RUN(bonesStayStraight);
    RUN(affineMotionsAreExact);
    RUN(gramIsTheIntegral);
    RUN(spectraAgree);
    RUN(wholeBlock);
    RUN(ballInABlock);
    RUN(keptOnesSpanTheBall);
    RUN(tinyBodiesAreMissed);
    RUN(cellsAreRefinedOneByOne);
    RUN(badRequestsAreRefused);
    RUN(emptyLattices);
    RUN(everyAllocationMayFail);
    RUN(realCharacter);
    return snTest_Finish();
}
