// The hierarchical basis of smooth schemes.
#include "tests/failing_memory.h"
#include "tests/test.h"

#include "body/lattice/basis.h"
#include "core/core.h"
#include "tests/body/lattice/sharp_blocks.h"
#include "tests/body/lattice/checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static snContext context;
static snArena arena;

typedef enum Sample { MIXED, INNER, BOX, TETS, PRISM, SAMPLES } Sample;
static const char *const sampleNames[SAMPLES] = {"mixed", "inner sheet", "box", "tets", "prism"};

static snLattice sample(Sample kind)
{
    unsigned char boundary[96];
    int n[3] = {2, 2, 2};
    snLattice lattice;
    if (kind == MIXED) {
        lattice = makeMixed(boundary, 0.15, &arena);
        lattice.sharp = mixedSharp(&arena);
    } else if (kind == INNER) {
        lattice = makeBlock(BLOCK_HEXES, 4, 4, 4, snVec(1, 1, 1), &arena);
        lattice.sharp = innerSharp(&arena);
    } else if (kind == PRISM) {
        lattice = oneCellOf(SN_PRISM, &arena);
    } else {
        lattice =
            makeBlock(kind == TETS ? BLOCK_TETS : BLOCK_HEXES, 2, 2, 2, snVec(1, 1, 1), &arena);
        if (kind == BOX) lattice.sharp = boxSharp(n, &arena);
    }
    return lattice;
}

static snBasisDef defOf(const snLattice *lattice, snScheme scheme, int levels, int quadrature)
{
    snBasisDef def = snDefaultBasisDef();
    def.lattice = lattice;
    def.scheme = scheme;
    def.levels = levels;
    def.quadratureLevel = quadrature;
    return def;
}

static snBasis build(const snBasisDef *def)
{
    snBasis basis;
    snError error = {0};
    if (!CHECK(snBasis_Make(&basis, def, &arena, &context, &error) == SN_OK))
        printf("%s\n", error.message);
    return basis;
}

// Where the body is the whole lattice all functions are independent, with every scheme, whatever is sharp:
// their Gram matrix is positive definite, and none is dropped.
static void wholeLatticesAreIndependent(void)
{
    for (Sample kind = 0; kind < SAMPLES; kind++)
        for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++)
            for (int k = 0; k < 3; k++) { // J, Q = 0 0, 1 1, 1 2
                snLattice lattice = sample(kind);
                if (k == 2 && kind <= INNER) continue; // large, and nothing new
                snBasisDef def = defOf(&lattice, (snScheme)scheme, k > 0, k);
                def.measure = false;
                snBasis basis = build(&def);
                snSparse gram;
                snSpectrum spectrum;
                CHECK(basis.keptCount == basis.functionCount);
                CHECK(snBasis_Gram(&gram, &basis, &arena, NULL) == SN_OK);
                CHECK(snSpectrum_Lanczos(&spectrum, &gram, &context, NULL) == SN_OK);
                CHECK(spectrum.least > 0 && spectrum.greatest / spectrum.least < 1e5);
                if (k > 0)
                    printf("%s, %s, level %d: %d functions, condition %.3g\n", sampleNames[kind],
                           snScheme_Name((snScheme)scheme), k, basis.keptCount,
                           spectrum.greatest / spectrum.least);
            }
}

// A ball in a block: finer functions depend on others at its border. That is reported as an infinite
// condition, and after the dependent ones have left it is finite.
static void ballInABlock(void)
{
    Ball ball = {{0.52, 0.49, 0.5}, 0.37};
    for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++) {
        snLattice block = makeBlock(BLOCK_HEXES, 3, 3, 3, snVec(1, 1, 1), &arena);
        snBasisDef def = defOf(&block, (snScheme)scheme, 1, 1);
        def.inside = (snInsideTest){insideBall, &ball};
        snBasis basis = build(&def);
        const snBasisReport *r = &basis.report;
        printf("ball, %s: %d of %d functions kept, %d dependent, condition %.2g -> %.2g\n",
               snScheme_Name((snScheme)scheme), basis.keptCount, basis.functionCount,
               r->count[1][SN_FUNCTION_DEPENDENT], r->conditionBefore, r->conditionAfter);
        CHECK(r->conditionBefore > 1e8);
        CHECK(r->conditionAfter < 1e8);
        CHECK(r->count[0][SN_FUNCTION_DEPENDENT] == 0);
        def.leastPivot = def.leastShare = 0;
        snBasis all = build(&def);
        CHECK(all.report.conditionAfter > 1e8 && all.keptCount > basis.keptCount);
    }
}

// ---- integrals ------------------------------------------------------------------------------------

// ∫ of the products of the three splines on n = 2 unit intervals that end at their ends, natural there:
// their B-spline pieces with phantoms folded in, by Simpson's rule on 64 parts (exact to 1e-9).
static void splineGram(double gram[3][3])
{
    memset(gram, 0, 9 * sizeof(double));
    for (int cell = 0; cell < 2; cell++)
        for (int s = 0; s <= 64; s++) {
            double u = s / 64.0, v = 1 - u, value[3] = {0}, p[4];
            double h = (s == 0 || s == 64 ? 1 : s % 2 ? 4 : 2) / 192.0;
            p[0] = v * v * v / 6;
            p[1] = (3 * u * u * u - 6 * u * u + 4) / 6;
            p[2] = (3 * v * v * v - 6 * v * v + 4) / 6;
            p[3] = u * u * u / 6;
            for (int k = 0; k < 4; k++) {
                int at = cell - 1 + k;
                if (at < 0 || at > 2) { // a phantom: twice the end, less its neighbour
                    value[at < 0 ? 0 : 2] += 2 * p[k];
                    value[1] -= p[k];
                } else {
                    value[at] += p[k];
                }
            }
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    gram[a][b] += h * value[a] * value[b];
        }
}

// In a box with sharp edges the matrix is a product of splines' matrices; the fine mesh comes to it by a
// fourth with every level.
static void gramIsThatOfSplines(void)
{
    double spline[3][3];
    splineGram(spline);
    snLattice box = sample(BOX);
    for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++) {
        double before = 0;
        for (int Q = 1; Q <= 3; Q++) {
            snBasisDef def = defOf(&box, (snScheme)scheme, 0, Q);
            def.measure = false;
            snBasis basis = build(&def);
            snSparse gram;
            CHECK(snBasis_Gram(&gram, &basis, &arena, NULL) == SN_OK);
            double worst = 0;
            for (int c = 0; c < 27; c++)
                for (int i = gram.pattern.columnStart[c]; i < gram.pattern.columnStart[c + 1];
                     i++) {
                    int r = gram.pattern.row[i];
                    double exact = spline[r % 3][c % 3] * spline[r / 3 % 3][c / 3 % 3] *
                                   spline[r / 9][c / 9] / 8; // cells have half the length
                    worst = fmax(worst, fabs(gram.values[i] - exact));
                }
            if (Q > 1) CHECK(worst < 0.3 * before);
            before = worst;
        }
        printf("%s: Gram matrix off by %.1e at level 3\n", snScheme_Name((snScheme)scheme), before);
        CHECK(before < 3e-4);
    }
}

// A level-0 motion x -> A x + t has the gradient A in every fine tet.
static void affineMotionsAreExact(void)
{
    for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++) {
        snLattice lattice = sample(MIXED);
        snBasisDef def = defOf(&lattice, (snScheme)scheme, 1, 2);
        def.measure = false;
        snBasis basis = build(&def);
        const snBasisMesh *mesh = &basis.mesh;
        snRandom random = snMakeRandom(2);
        snMat3 a = {snRandom_UnitVector(&random), snRandom_UnitVector(&random),
                    snRandom_UnitVector(&random)};
        snVec3 *q = SN_NEW(&arena, snVec3, basis.functionCount);
        snVec3 *points = SN_NEW(&arena, snVec3, mesh->vertexCount), t = {1, 2, 3};
        double worst = 0, rest = 0;
        snBasis_Rest(&basis, q);
        snBasis_Points(&basis, q, NULL, points);
        for (int v = 0; v < mesh->vertexCount; v++)
            rest = fmax(rest, snDistance(points[v], mesh->rest[v]));
        for (int f = 0; f < basis.levelStart[1]; f++)
            q[f] = snAdd(t, snMulMV(a, q[f]));
        snBasis_Points(&basis, q, NULL, points);
        for (int v = 0; v < mesh->vertexCount; v++)
            worst = fmax(worst, snDistance(points[v], snAdd(t, snMulMV(a, mesh->rest[v]))));
        CHECK_NEAR(rest, 0, 1e-13);
        CHECK_NEAR(worst, 0, 1e-13);
        for (int k = 0; k < mesh->tetCount; k++)
            CHECK(mesh->volume[k] > 0);
    }
}

// Supports: in a block of 5^3 cells a function of level 0 in the middle reaches two cells far, one of
// level 1 two half cells.
static void supportsReachTwoCells(void)
{
    snLattice block = makeBlock(BLOCK_HEXES, 6, 1, 1, snVec(6, 1, 1), &arena);
    snBasisDef def = defOf(&block, SN_SCHEME_MACCRACKEN_JOY, 1, 1);
    def.measure = false;
    snBasis basis = build(&def);
    for (int f = 0; f < basis.functionCount; f++) {
        double x = f < block.vertexCount ? block.rest[f].x : basis.mesh.rest[f].x;
        double reach = f < block.vertexCount ? 2 : 1;
        if (x != floor(x) && f >= block.vertexCount && fabs(x - floor(x) - 0.5) > 1e-9) continue;
        int count = 0, first = basis.support[basis.supportStart[f]];
        for (int c = 0; c < 6; c++)
            count += c < x + reach - 1e-9 && c + 1 > x - reach + 1e-9;
        if (f < block.vertexCount) {
            CHECK(basis.supportStart[f + 1] - basis.supportStart[f] == count);
            CHECK(first == (x - reach > 0 ? (int)(x - reach) : 0));
        }
    }
    // Cells see the functions that reach them: the transpose.
    for (int c = 0; c < 6; c++)
        for (int i = basis.insideStart[c]; i < basis.insideStart[c + 1]; i++) {
            int f = basis.inside[i], found = 0;
            for (int k = basis.supportStart[f]; k < basis.supportStart[f + 1]; k++)
                found += basis.support[k] == c;
            CHECK(found == 1);
        }
}

// Finer functions that are not zero on a bone are left out, and the bone then stays straight.
static void bonesStayStraight(void)
{
    snLattice block = makeBlock(BLOCK_HEXES, 4, 2, 2, snVec(4, 2, 2), &arena);
    snBone bone = {.head = snVec(0, 1, 1), .tail = snVec(4, 1, 1)};
    snBasisDef def = defOf(&block, SN_SCHEME_BAJAJ, 1, 1);
    def.bones = &bone;
    def.boneCount = 1;
    def.measure = false;
    snBasis basis = build(&def);
    int onBone = 0, nodes = 0;
    for (int f = 0; f < basis.functionCount; f++)
        onBone += basis.state[f] == SN_FUNCTION_ON_BONE;
    CHECK(onBone > 0 && basis.report.count[0][SN_FUNCTION_ON_BONE] == 0);
    for (int v = 0; v < basis.mesh.vertexCount; v++) {
        snVec3 p = basis.mesh.rest[v];
        if (fabs(p.y - 1) > 1e-9 || fabs(p.z - 1) > 1e-9) continue;
        nodes++;
        for (int i = basis.values.start[v]; i < basis.values.start[v + 1]; i++)
            CHECK(basis.values.column[i] < basis.levelStart[1]);
    }
    CHECK(nodes == 9);
}

static void badInput(void)
{
    snLattice cube = oneCellOf(SN_HEX, &arena);
    snBasisDef def = defOf(&cube, (snScheme)5, 0, 0);
    snBasis basis;
    snError error = {0};
    CHECK(snBasis_Make(&basis, &def, &arena, &context, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "scheme"));
}

static snStatus makeBasis(const void *user, snArena *out, const snContext *failing)
{
    snBasis basis;
    return snBasis_Make(&basis, user, out, failing, NULL);
}

static void failingAllocations(void)
{
    snLattice cube = oneCellOf(SN_HEX, &arena);
    snBasisDef def = defOf(&cube, SN_SCHEME_MACCRACKEN_JOY, 0, 1);
    failEvery(makeBasis, &def, 0);
}

int main(void)
{
    context = snDefaultContext();
    arena = snMakeArena(&context);
    RUN(wholeLatticesAreIndependent);
    RUN(ballInABlock);
    RUN(gramIsThatOfSplines);
    RUN(affineMotionsAreExact);
    RUN(supportsReachTwoCells);
    RUN(bonesStayStraight);
    RUN(badInput);
    RUN(failingAllocations);
    snArena_Destroy(&arena);
    return snTest_Finish();
}
