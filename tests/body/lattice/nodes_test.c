#include "tests/failing_memory.h"
#include "tests/test.h"

#include "body/lattice/map_check.h"
#include "body/lattice/nodes.h"
#include "body/lattice/scheme_limit.h"
#include "core/core.h"
#include "tests/body/lattice/sharp_blocks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static snContext context;
static snArena arena;

static snNodes makeNodes(snScheme scheme, const snLattice *lattice, int J, int Q)
{
    snNodes nodes;
    snError error = {0};
    snNodesDef def = {.scheme = scheme, .lattice = lattice, .levels = J, .nodeLevel = Q};
    if (!CHECK(snNodes_Make(&nodes, &def, &arena, &context, &error) == SN_OK))
        printf("%s\n", error.message);
    return nodes;
}

static snLattice mixed(void)
{
    unsigned char boundary[96];
    snLattice lattice = makeMixed(boundary, 0.15, &arena);
    lattice.sharp = mixedSharp(&arena);
    return lattice;
}

static snLattice inner(void)
{
    snLattice block = makeBlock(BLOCK_HEXES, 4, 4, 4, snVec(1, 1, 1), &arena);
    block.sharp = innerSharp(&arena);
    return block;
}

// All kinds of cells, creases, darts and corners on the boundary; a sheet and a dart inside; edges inside
// with other than four cells; a single cell.
static int sampleLattices(snLattice out[4])
{
    out[0] = mixed();
    out[1] = inner();
    out[2] = makeBlock(BLOCK_TETS, 2, 2, 2, snVec(2, 2, 2), &arena);
    out[3] = oneCellOf(SN_PRISM, &arena);
    return 4;
}

// ---- against limits computed point by point ---------------------------------------------------------

// The row of vertex v of level j in the limit, by a hexahedron of level j >= 1 that has it as its first
// corner, or any.
static double limitError(const snNodes *nodes, const snLattice *level, const snLimit *limit, int j,
                         int v)
{
    double *dense = SN_NEW(&arena, double, level->vertexCount), worst = 0;
    int at = 0;
    while (level->corners[at] != v)
        at++;
    static const int bits[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    snLimitPoint point = {.cell = at / 8, .corner = -1};
    for (int a = 0; a < 3; a++)
        point.u[a] = bits[at % 8] >> a & 1;
    snWeightRows row;
    CHECK(snLimit_At(limit, &point, &row, &arena, &context, NULL) == SN_OK);
    for (int i = row.start[0]; i < row.start[1]; i++)
        dense[row.column[i]] += row.weight[i];
    int first = nodes->level[j - 1].vertexCount, end = nodes->level[j].vertexCount;
    for (int i = nodes->rows.start[v]; i < nodes->rows.start[v + 1]; i++)
        if (nodes->rows.column[i] >= first && nodes->rows.column[i] < end)
            dense[nodes->rows.column[i]] -= nodes->rows.weight[i];
    for (int f = first; f < end; f++)
        worst = fmax(worst, fabs(dense[f]));
    return worst;
}

// Functions of level 1 at nodes of level 1 and 2, all kinds of vertices among them.
static void rowsAreLimits(void)
{
    snLattice lattices[4];
    for (int n = sampleLattices(lattices); n-- > 0;)
        for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
            snNodes nodes = makeNodes((snScheme)scheme, &lattices[n], 1, 1);
            snNodes finer = makeNodes((snScheme)scheme, &lattices[n], 1, 2);
            snSubdivision s;
            snLimit limit;
            snSubdivideBy(&s, (snScheme)scheme, &lattices[n], 1, &arena, &context, NULL);
            snLimit_Make(&limit, (snScheme)scheme, &s.fine.lattice, &arena, &context, NULL);
            double worst = 0, same = 0;
            for (int v = 0; v < nodes.lattice.vertexCount; v += 3 + 2 * n) {
                worst = fmax(worst, limitError(&nodes, &s.fine.lattice, &limit, 1, v));
                worst = fmax(worst, limitError(&finer, &s.fine.lattice, &limit, 1, v));
            }
            for (int v = 0; v < nodes.lattice.vertexCount; v++)
                same = fmax(same, snDistance(nodes.lattice.rest[v], finer.lattice.rest[v]));
            CHECK_NEAR(worst, 0, 1e-13);
            CHECK_NEAR(same, 0, 1e-13); // even vertices keep their limit
        }
}

// Level 0, at nodes of levels 0 to 2: the same numbers, and sums of one.
static void coarseNodesAreAmongFineOnes(void)
{
    snLattice lattices[4];
    for (int n = sampleLattices(lattices); n-- > 0;)
        for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
            snNodes level[3];
            for (int Q = 0; Q < 3; Q++)
                level[Q] = makeNodes((snScheme)scheme, &lattices[n], 0, Q);
            double worst = 0, sums = 0;
            for (int Q = 0; Q < 2; Q++)
                for (int v = 0; v < level[Q].lattice.vertexCount; v++)
                    worst = fmax(
                        worst, snDistance(level[Q].lattice.rest[v], level[Q + 1].lattice.rest[v]));
            for (int v = 0; v < level[2].lattice.vertexCount; v++) {
                double sum = 0;
                for (int i = level[2].rows.start[v]; i < level[2].rows.start[v + 1]; i++)
                    sum += level[2].rows.weight[i];
                sums = fmax(sums, fabs(sum - 1));
            }
            CHECK_NEAR(worst, 0, 1e-13);
            CHECK_NEAR(sums, 0, 1e-14);
        }
}

// ---- levels ---------------------------------------------------------------------------------------

static void levelsAreNested(void)
{
    snLattice lattice = mixed();
    snNodes nodes = makeNodes(SN_SCHEME_BAJAJ, &lattice, 1, 2);
    CHECK(nodes.functionCount == nodes.level[1].vertexCount);
    CHECK(snNodes_Level(&nodes, lattice.vertexCount - 1) == 0);
    CHECK(snNodes_Level(&nodes, lattice.vertexCount) == 1);
    for (int j = 0; j <= 2; j++) {
        const snSubdivisionLevel *level = &nodes.level[j];
        int corners = level->cellStart[level->cellCount], strange = 0;
        for (int k = 0; k < corners; k++)
            strange += level->corners[k] < 0 || level->corners[k] >= level->vertexCount;
        for (int c = 0; c < level->cellCount; c++)
            strange += level->parent[c] < 0 || level->parent[c] >= lattice.cellCount;
        CHECK(strange == 0);
        // Corner k of cell c becomes hexahedron cellStart[c] + k of the next level.
        for (int c = 0; j < 2 && c < level->cellCount; c++)
            for (int k = level->cellStart[c]; k < level->cellStart[c + 1]; k++) {
                CHECK(nodes.level[j + 1].corners[k * 8] == level->corners[k]);
                CHECK(nodes.level[j + 1].parent[k] == level->parent[c]);
            }
    }
    CHECK(nodes.lattice.cellCount == nodes.level[2].cellCount);
    CHECK(nodes.lattice.sharp && nodes.lattice.sharp->edgeCount == 4 * lattice.sharp->edgeCount);
}

// B by its rows and level by level, and its transpose.
static void appliesLevelByLevel(void)
{
    snLattice lattice = mixed();
    for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
        snNodes nodes = makeNodes((snScheme)scheme, &lattice, 1 + scheme % 2, 2);
        int n = nodes.lattice.vertexCount, m = nodes.functionCount;
        snRandom random = snMakeRandom(3);
        snVec3 *q = SN_NEW(&arena, snVec3, m), *g = SN_NEW(&arena, snVec3, n);
        snVec3 *y = SN_NEW(&arena, snVec3, n), *work = SN_NEW(&arena, snVec3, 2 * n);
        snVec3 *gq = SN_NEW(&arena, snVec3, m), *sum = SN_NEW(&arena, snVec3, m);
        for (int f = 0; f < m; f++)
            q[f] = snRandom_UnitVector(&random);
        for (int v = 0; v < n; v++)
            g[v] = snRandom_UnitVector(&random);
        snNodes_Apply(&nodes, q, y, work);
        snNodes_ApplyTransposed(&nodes, g, gq, work);
        double worst = 0, worstT = 0;
        for (int v = 0; v < n; v++) {
            snVec3 at = {0, 0, 0};
            for (int i = nodes.rows.start[v]; i < nodes.rows.start[v + 1]; i++) {
                int f = nodes.rows.column[i];
                at = snMulAdd(at, nodes.rows.weight[i], q[f]);
                sum[f] = snMulAdd(sum[f], nodes.rows.weight[i], g[v]);
            }
            worst = fmax(worst, snDistance(at, y[v]));
        }
        for (int f = 0; f < m; f++)
            worstT = fmax(worstT, snDistance(sum[f], gq[f]));
        CHECK_NEAR(worst, 0, 1e-13);
        CHECK_NEAR(worstT, 0, 1e-12);
        snNodes_Rest(&nodes, &lattice, q);
        snNodes_Apply(&nodes, q, y, work);
        for (int v = 0; v < n; v++)
            worst = fmax(worst, snDistance(y[v], nodes.lattice.rest[v]));
        CHECK_NEAR(worst, 0, 1e-13);
    }
}

static void trilinearIsSubdivide(void)
{
    snLattice lattice = mixed();
    for (int Q = 0; Q < 3; Q++) {
        snNodes nodes = makeNodes(SN_SCHEME_TRILINEAR, &lattice, 0, Q);
        snFineLattice fine;
        CHECK(snSubdivide(&fine, &lattice, Q, &arena, &context, NULL) == SN_OK);
        int n = fine.lattice.vertexCount, corners = fine.lattice.cellStart[fine.lattice.cellCount];
        if (!CHECK(nodes.lattice.vertexCount == n)) continue;
        CHECK(!memcmp(nodes.lattice.rest, fine.lattice.rest, (size_t)n * sizeof(snVec3)));
        CHECK(!memcmp(nodes.lattice.corners, fine.lattice.corners, (size_t)corners * sizeof(int)));
        CHECK(!memcmp(nodes.rows.start, fine.rows.start, (size_t)(n + 1) * sizeof(int)));
        double worst = 0;
        for (int i = 0; i < fine.rows.start[n]; i++)
            worst = fmax(worst, fabs(nodes.rows.weight[i] - fine.rows.weight[i]));
        CHECK_NEAR(worst, 0, 1e-15); // thirds may be rounded the other way
    }
    snLattice block = makeBlock(BLOCK_HEXES, 2, 1, 1, snVec(2, 1, 1), &arena);
    snNodes nodes = makeNodes(SN_SCHEME_TRILINEAR, &block, 0, 2);
    snFineLattice fine;
    CHECK(snSubdivide(&fine, &block, 2, &arena, &context, NULL) == SN_OK);
    CHECK(!memcmp(nodes.rows.weight, fine.rows.weight,
                  (size_t)fine.rows.start[fine.lattice.vertexCount] * sizeof(double)));
}

// ---- what is sharp ----------------------------------------------------------------------------------

// A twist and a bend of everything.
static snVec3 deform(snVec3 p)
{
    double turn = 0.4 * p.x, c = cos(turn), s = sin(turn), y = p.y - 0.5, z = p.z - 0.5;
    return snVec(p.x + 0.1 * y * z, c * y - s * z + 0.1 * p.x * p.x, s * y + c * z);
}

static snVec3 faceNormal(const snComplex *x, int face, const snVec3 *at)
{
    int n;
    const int *v = snComplex_Sources(x, x->firstFace + face, &n);
    // Sources are in the order of their numbers; the outline is the order without the least crossing.
    static const int rounds[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 1, 3, 2}};
    snVec3 best = {0, 0, 0};
    for (int r = 0; r < 3; r++) {
        const int *o = rounds[r];
        snVec3 normal = snCross(snSub(at[v[o[2]]], at[v[o[0]]]), snSub(at[v[o[3]]], at[v[o[1]]]));
        if (snLength(normal) > snLength(best)) best = normal;
    }
    return snScale(1 / snLength(best), best);
}

// The greatest angle between the planes of two boundary quadrilaterals on an edge, over those that are
// tagged sharp and over the rest.
static void edgeAngles(const snNodes *nodes, const snVec3 *at, double angle[2])
{
    snComplex x;
    angle[0] = angle[1] = 0;
    CHECK(snComplex_Make(&x, &nodes->lattice, &arena, &arena, &context, NULL) == SN_OK);
    for (int e = 0; e < x.edgeCount; e++) {
        int face[2] = {-1, -1}, n = 0;
        for (int i = x.edgeFaces.start[e]; i < x.edgeFaces.start[e + 1]; i++)
            if (x.surface[x.edgeFaces.item[i]] && n < 2) face[n++] = x.edgeFaces.item[i];
        if (n < 2) continue;
        double dot = fabs(snDot(faceNormal(&x, face[0], at), faceNormal(&x, face[1], at)));
        double here = acos(fmin(dot, 1));
        angle[x.sharp[e]] = fmax(angle[x.sharp[e]], here);
    }
}

// Two edges of a bar along x are tagged. Bent and twisted, these stay edges whatever the level; the others
// become round, by about a half with every level.
static void creasesStaySharp(void)
{
    for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++) {
        snLattice bar = makeBlock(BLOCK_HEXES, 3, 1, 1, snVec(3, 1, 1), &arena);
        snSharp *sharp = makeSharp(6, 0, 0, &arena);
        for (int i = 0; i < 3; i++) {
            addSharpEdge(sharp, i, i + 1);           // y = z = 0
            addSharpEdge(sharp, 12 + i, 12 + i + 1); // y = z = 1
        }
        bar.sharp = sharp;
        double before = 4;
        for (int Q = 2; Q <= 4; Q++) {
            snNodes nodes = makeNodes((snScheme)scheme, &bar, 0, Q);
            int n = nodes.lattice.vertexCount;
            snVec3 *q = SN_NEW(&arena, snVec3, bar.vertexCount), *y = SN_NEW(&arena, snVec3, n);
            double angle[2];
            for (int v = 0; v < bar.vertexCount; v++)
                q[v] = deform(bar.rest[v]);
            snNodes_Apply(&nodes, q, y, SN_NEW(&arena, snVec3, 2 * n));
            edgeAngles(&nodes, y, angle);
            CHECK(angle[1] > 1); // 57 degrees
            CHECK(angle[0] < 0.65 * before);
            before = angle[0];
        }
        CHECK(before < 0.35);
    }
}

// Moving all vertices that are not in a sheet moves nothing of it.
static void sheetsStay(void)
{
    snLattice block = makeBlock(BLOCK_HEXES, 4, 2, 2, snVec(4, 2, 2), &arena);
    block.sharp = blockSheet(4, 2, 2, 2, &arena);
    for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++) {
        snNodes nodes = makeNodes((snScheme)scheme, &block, 0, 2);
        int n = nodes.lattice.vertexCount, inSheet = 0;
        snVec3 *q = SN_NEW(&arena, snVec3, block.vertexCount), *y = SN_NEW(&arena, snVec3, n);
        for (int v = 0; v < block.vertexCount; v++)
            q[v] = block.rest[v].x == 2 ? block.rest[v] : deform(block.rest[v]);
        snNodes_Apply(&nodes, q, y, SN_NEW(&arena, snVec3, 2 * n));
        double moved = 0;
        for (int v = 0; v < n; v++) {
            if (fabs(nodes.lattice.rest[v].x - 2) > 1e-12) continue;
            moved = fmax(moved, snDistance(y[v], nodes.lattice.rest[v]));
            inSheet++;
        }
        CHECK(inSheet == 9 * 9);
        CHECK_NEAR(moved, 0, 1e-14);
    }
}

// ---- the map to space -------------------------------------------------------------------------------

// Smoothed lattices of good cells do not fold. One whose third layer is turned inside out does, there.
static void foldsAreNamed(void)
{
    snLattice lattices[4];
    for (int n = sampleLattices(lattices); n-- > 0;)
        for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
            snNodes nodes = makeNodes((snScheme)scheme, &lattices[n], 0, 2);
            snMapReport report;
            snError error = {0};
            CHECK(snMapReport_Make(&report, &nodes.lattice, nodes.parent, lattices[n].cellCount,
                                   &arena, NULL) == SN_OK);
            CHECK(report.badCount == 0 && report.worst >= 0 && report.least[report.worst] > 0);
            if (!CHECK(snNodes_CheckMap(&nodes, &context, &error) == SN_OK))
                printf("%s\n", error.message);
        }
    for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
        snLattice bar = makeBlock(BLOCK_HEXES, 6, 1, 1, snVec(6, 1, 1), &arena);
        for (int v = 0; v < bar.vertexCount; v++) // 0 1 2 3 4 5 6 -> 0 1 3.4 1.6 4 5 6
            if (v % 7 == 2 || v % 7 == 3) bar.rest[v].x = v % 7 == 2 ? 3.4 : 1.6;
        snNodes nodes = makeNodes((snScheme)scheme, &bar, 0, 2);
        snError error = {0};
        CHECK(snNodes_CheckMap(&nodes, &context, &error) == SN_ERROR_GEOMETRY);
        CHECK(strstr(error.message, "1 cell") && strstr(error.message, ": 2 (-"));
        bar.rest[3].x = NAN;
        nodes = makeNodes((snScheme)scheme, &bar, 0, 1);
        CHECK(snNodes_CheckMap(&nodes, &context, &error) == SN_ERROR_GEOMETRY);
    }
    snLattice cube = oneCellOf(SN_HEX, &arena);
    snNodes coarse = makeNodes(SN_SCHEME_BAJAJ, &cube, 0, 0);
    CHECK(snNodes_CheckMap(&coarse, &context, NULL) == SN_ERROR_ARGUMENT);
}

// ---- bad input ------------------------------------------------------------------------------------

static void badInputIsRefused(void)
{
    snLattice cube = makeBlock(BLOCK_HEXES, 1, 1, 1, snVec(1, 1, 1), &arena), wrong = cube;
    int edge[1][2] = {{0, 7}};
    snSharp sharp = {.edgeCount = 1, .edge = edge};
    wrong.sharp = &sharp;
    snNodesDef bad[] = {
        {(snScheme)9, &cube, 0, 0},          {SN_SCHEME_BAJAJ, &cube, 2, 1},
        {SN_SCHEME_BAJAJ, &cube, -1, 1},     {SN_SCHEME_BAJAJ, &cube, 0, SN_NODE_LEVELS + 1},
        {SN_SCHEME_TRILINEAR, &wrong, 0, 1}, {SN_SCHEME_BAJAJ, &wrong, 0, 1}};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        snNodes nodes;
        snError error = {0};
        CHECK(snNodes_Make(&nodes, &bad[i], &arena, &context, &error) != SN_OK);
        CHECK(error.message[0]);
    }
}

static snStatus tryNodes(const void *user, snArena *out, const snContext *failing)
{
    snNodes nodes;
    return snNodes_Make(&nodes, user, out, failing, NULL);
}

static void failingAllocations(void)
{
    snLattice prism = oneCellOf(SN_PRISM, &arena);
    for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++)
        failEvery(tryNodes, &(snNodesDef){(snScheme)scheme, &prism, 1, 1}, 0);
}

int main(void)
{
    context = snDefaultContext();
    arena = snMakeArena(&context);
    RUN(rowsAreLimits);
    RUN(coarseNodesAreAmongFineOnes);
    RUN(levelsAreNested);
    RUN(appliesLevelByLevel);
    RUN(trilinearIsSubdivide);
    RUN(creasesStaySharp);
    RUN(sheetsStay);
    RUN(foldsAreNamed);
    RUN(badInputIsRefused);
    RUN(failingAllocations);
    snArena_Destroy(&arena);
    return snTest_Finish();
}
