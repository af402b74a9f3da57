// The hierarchical basis: what its functions are, what they span, and which of them are kept.
#include "tests/test.h"

#include "asset/gltf.h"
#include "body/lattice/basis.h"
#include "body/lattice/flesh.h"
#include "core/core.h"
#include "geometry/winding.h"
#include "tests/body/lattice/blocks.h"

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
        if (rows->vertex[i] == function) return rows->weight[i];
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
            int f = rows->vertex[i], level = snBasis_Level(basis, f);
            if (level == 0) sum += rows->weight[i];
            range = fmax(range, fmax(-rows->weight[i], rows->weight[i] - 1));
            if (v < basis->levelStart[level + 1]) wrong += rows->weight[i] != (v == f);
        }
        unity = fmax(unity, fabs(sum - 1));
        if (v < basis->functionCount && basis->keptOf[v] >= 0)
            wrong += valueAt(basis, v, v) != 1;
        for (int i = fine.rows.start[v]; i < fine.rows.start[v + 1]; i++)
            coarse = fmax(coarse,
                          fabs(fine.rows.weight[i] - valueAt(basis, v, fine.rows.vertex[i])));
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
            snBasisDef def = defOf(&c, levels, levels < 3 ? levels + 1 : levels);
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
        CHECK_NEAR(sum / volume, 1, kind == MIXED ? 2e-3 : 1e-13);
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
        for (int levels = 1; levels <= (kind == MIXED ? 2 : 3); levels++) {
            Case c = makeCase(kind);
            snBasisDef def = defOf(&c, levels, levels < 3 ? levels + 1 : levels);
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
                    sum = snMulAdd(sum, b->values.weight[i], q[b->values.vertex[i]]);
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
                    there[b->values.vertex[i]] = 1;
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

typedef struct Ball {
    snVec3 centre;
    double radius;
} Ball;

static void insideBall(const void *user, int count, const snVec3 *points, unsigned char *inside)
{
    const Ball *ball = user;
    for (int k = 0; k < count; k++)
        inside[k] = snDistance(points[k], ball->centre) < ball->radius;
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

static void ballInABlock(void)
{
    Ball ball = {{0.52, 0.49, 0.5}, 0.37};
    for (BlockKind kind = BLOCK_HEXES; kind <= BLOCK_TETS; kind++)
        for (int levels = 0; levels <= 3; levels++) {
            if (kind == BLOCK_TETS && levels == 3) continue;
            Case c = makeCase(HEXES);
            int n = levels < 3 ? 3 : 2;
            c.lattice = makeBlock(kind, n, n, n, snVec(1, 1, 1), &c.arena);
            snBasisDef def = defOf(&c, levels, levels < 2 ? levels + 1 : levels);
            def.inside = (snInsideTest){insideBall, &ball};
            def.measure = true;
            build(&c, &def);
            printReport(kind == BLOCK_HEXES ? "hexes" : "tets", &c.basis);
            printf("    active vertices %d\n", activeVertices(&c.basis, &c.arena));
            snArena_Destroy(&c.arena);
        }
}

int main(void)
{
    RUN(hatsAreHats);
    RUN(fineMeshIsTheLattice);
    RUN(levelsSpanTheFineLattice);
    RUN(supportsAreCells);
    RUN(bonesStayStraight);
    RUN(ballInABlock);
    return snTest_Finish();
}
