#include "tests/failing_memory.h"
#include "tests/test.h"

#include "body/lattice/scheme_limit.h"
#include "core/core.h"
#include "tests/body/lattice/sharp_blocks.h"
#include "tests/body/lattice/checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static snContext context;
static snArena arena;

static snLimit makeLimit(snScheme scheme, const snLattice *lattice)
{
    snLimit limit;
    CHECK(snLimit_Make(&limit, scheme, lattice, &arena, &context, NULL) == SN_OK);
    return limit;
}

static snWeightRows rowAt(const snLimit *limit, int cell, int corner, const double u[3])
{
    snLimitPoint point = {cell, corner, {u[0], u[1], u[2]}};
    snWeightRows row = {0};
    snError error = {0};
    if (!CHECK(snLimit_At(limit, &point, &row, &arena, &context, &error) == SN_OK))
        printf("%s\n", error.message);
    return row;
}

// Adds factor times the row to a dense vector.
static void addRow(double *dense, const snWeightRows *row, double factor)
{
    for (int i = row->start[0]; i < row->start[1]; i++)
        dense[row->column[i]] += factor * row->weight[i];
}

static double largest(const double *dense, int n)
{
    double worst = 0;
    for (int i = 0; i < n; i++)
        worst = fmax(worst, fabs(dense[i]));
    return worst;
}

static double sumOf(const snWeightRows *row)
{
    double sum = 0;
    for (int i = row->start[0]; i < row->start[1]; i++)
        sum += row->weight[i];
    return sum;
}

static void corner3(int bits, double u[3])
{
    for (int a = 0; a < 3; a++)
        u[a] = bits >> a & 1;
}

// ---- grids ----------------------------------------------------------------------------------------

// Values of the n + 1 basis functions of a spline that begins and ends at its ends, at parameter
// t = k / 16: refined four times, then the limit (1 4 1)/6 of a vertex inside, itself at an end.
static void splineValues(double *value, int n, int k)
{
    for (int i = 0; i <= n; i++) {
        double p[200] = {0}, q[200];
        int m = n;
        p[i] = 1;
        for (int level = 0; level < 4; level++, m *= 2) {
            for (int f = 0; f <= 2 * m; f++) {
                int c = f / 2;
                q[f] = f % 2              ? (p[c] + p[c + 1]) / 2
                       : c == 0 || c == m ? p[c]
                                          : (p[c - 1] + 6 * p[c] + p[c + 1]) / 8;
            }
            memcpy(p, q, sizeof p);
        }
        value[i] = k == 0 || k == m ? p[k] : (p[k - 1] + 4 * p[k] + p[k + 1]) / 6;
    }
}

// Every point of a box with sharp edges, near its ends or not; and of one without away from its
// edges.
static void gridsAreSplines(void)
{
    int n[3] = {4, 3, 5};
    snLattice grid = makeBlock(BLOCK_HEXES, 4, 3, 5, snVec(4, 3, 5), &arena), plain = grid;
    grid.sharp = boxSharp(n, &arena);
    snRandom random = snMakeRandom(5);
    for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++) {
        snLimit limit = makeLimit((snScheme)scheme, &grid);
        snLimit smooth = makeLimit((snScheme)scheme, &plain);
        double worst = 0, worstSmooth = 0;
        for (int trial = 0; trial < 40; trial++) {
            double value[3][8], u[3];
            int at[3], near = 0;
            for (int a = 0; a < 3; a++) {
                int k = snRandom_Below(&random, 16 * n[a] + 1);
                at[a] = k / 16 < n[a] ? k / 16 : n[a] - 1;
                u[a] = (k - 16 * at[a]) / 16.0;
                near += at[a] == 0 || at[a] == n[a] - 1;
                splineValues(value[a], n[a], k);
            }
            int cell = (at[2] * n[1] + at[1]) * n[0] + at[0];
            double dense[200] = {0}, other[200] = {0};
            snWeightRows row = rowAt(&limit, cell, -1, u);
            addRow(dense, &row, -1);
            if (near < 2) {
                row = rowAt(&smooth, cell, -1, u);
                addRow(other, &row, -1);
            }
            for (int k = 0, v = 0; k <= n[2]; k++)
                for (int j = 0; j <= n[1]; j++)
                    for (int i = 0; i <= n[0]; i++, v++) {
                        double w = value[0][i] * value[1][j] * value[2][k];
                        dense[v] += w;
                        if (near < 2) other[v] += w;
                    }
            worst = fmax(worst, largest(dense, grid.vertexCount));
            worstSmooth = fmax(worstSmooth, largest(other, grid.vertexCount));
        }
        CHECK_NEAR(worst, 0, 1e-14);
        CHECK_NEAR(worstSmooth, 0, 1e-14);
    }
}

// ---- closed forms at extraordinary vertices --------------------------------------------------------

// Catmull-Clark in the limit, valence n: (n^2 v + 4 Σ e + Σ f) / (n (n + 5)).
static void cornersOfACubeAreCatmullClark(void)
{
    snLattice cube = makeBlock(BLOCK_HEXES, 1, 1, 1, snVec(1, 1, 1), &arena);
    snLimit limit = makeLimit(SN_SCHEME_MACCRACKEN_JOY, &cube);
    for (int bits = 0; bits < 8; bits++) {
        double u[3], dense[8] = {0};
        corner3(bits, u);
        snWeightRows row = rowAt(&limit, 0, -1, u);
        addRow(dense, &row, 1);
        for (int b = 0; b < 8; b++) { // makeBlock's vertices are numbered by bits
            int apart = (bits ^ b) & 1, other = bits ^ b;
            apart += (other >> 1 & 1) + (other >> 2);
            CHECK_NEAR(dense[b],
                       apart == 0   ? 9 / 24.0
                       : apart == 1 ? 4 / 24.0
                       : apart == 2 ? 1 / 24.0
                                    : 0,
                       1e-14);
        }
    }
}

// Vertices of a crease go to (1 4 1)/6, of a corner nowhere; points of the curve are cubic B-splines
// of its own vertices.
static void creasesAreSplines(void)
{
    unsigned char boundary[96];
    snLattice lattice = makeMixed(boundary, 0.15, &arena);
    lattice.sharp = mixedSharp(&arena);
    int hex = -1;
    for (int c = 0; c < lattice.cellCount && hex < 0; c++)
        if (snLattice_Kind(&lattice, c) == SN_HEX &&
            snLattice_Corners(&lattice, c)[0] == gridVertex(3, 0, 0))
            hex = c;
    for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++) {
        snLimit limit = makeLimit((snScheme)scheme, &lattice);
        for (int k = 0; k <= 8; k++) {
            double x = k / 8.0, y = 1 - x, u[3] = {x, 0, 0}, dense[96] = {0};
            snWeightRows row = rowAt(&limit, hex, -1, u);
            addRow(dense, &row, 1);
            dense[gridVertex(2, 0, 0)] -= y * y * y / 6;
            dense[gridVertex(3, 0, 0)] -= (3 * x * x * x - 6 * x * x + 4) / 6;
            dense[gridVertex(4, 0, 0)] -= (3 * y * y * y - 6 * y * y + 4) / 6;
            dense[gridVertex(5, 0, 0)] -= x * x * x / 6;
            CHECK_NEAR(largest(dense, lattice.vertexCount), 0, 1e-13);
        }
    }
}

// ---- any lattice ----------------------------------------------------------------------------------

// Coarse function = Σ S fine functions: the row at a point of level 0 is the row at the same point of
// level 1 times S.
static double refinementError(const snLattice *lattice, const snSubdivision *s,
                              const snLimit *limit, const snLimit *finer, const snLimitPoint *at)
{
    double dense[125] = {0};
    snWeightRows row = rowAt(limit, at->cell, at->corner, at->u);
    snWeightRows fine = rowAt(finer, lattice->cellStart[at->cell] + at->corner, -1, at->u);
    CHECK_NEAR(sumOf(&row), 1, 1e-12);
    addRow(dense, &row, 1);
    for (int i = fine.start[0]; i < fine.start[1]; i++)
        for (int k = s->step[0].start[fine.column[i]]; k < s->step[0].start[fine.column[i] + 1];
             k++)
            dense[s->step[0].column[k]] -= fine.weight[i] * s->step[0].weight[k];
    return largest(dense, lattice->vertexCount);
}

static void checkRefinement(const snLattice *lattice, uint64_t seed)
{
    snRandom random = snMakeRandom(seed);
    for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
        snSubdivision s = mustSubdivide((snScheme)scheme, lattice, 1, &arena, &context);
        snLimit limit = makeLimit((snScheme)scheme, lattice);
        snLimit finer = makeLimit((snScheme)scheme, &s.fine.lattice);
        double worst = 0;
        for (int trial = 0; trial < 16; trial++) {
            snLimitPoint at = {.cell = snRandom_Below(&random, lattice->cellCount)};
            at.corner = snRandom_Below(&random, (int)snLattice_Kind(lattice, at.cell));
            for (int a = 0; a < 3; a++) // inside, on faces, edges and at vertices
                at.u[a] = trial % 4 > a ? trial / 4 % 2 : snRandom_Uniform(&random, 0, 1);
            worst = fmax(worst, refinementError(lattice, &s, &limit, &finer, &at));
        }
        CHECK_NEAR(worst, 0, 1e-12);
    }
}

static void coarseIsACombinationOfFine(void)
{
    unsigned char boundary[96];
    snLattice lattice = makeMixed(boundary, 0.15, &arena);
    lattice.sharp = mixedSharp(&arena);
    checkRefinement(&lattice, 11);
    snLattice block = makeBlock(BLOCK_HEXES, 4, 4, 4, snVec(1, 1, 1), &arena);
    block.sharp = innerSharp(&arena);
    checkRefinement(&block, 12);
    snLattice tets = makeBlock(BLOCK_TETS, 2, 2, 1, snVec(1, 1, 1), &arena);
    checkRefinement(&tets, 13);
}

// A crease inside is a spline of its own vertices, also between its vertices where the cells around
// are no grid: points on it end by values that agree.
static void innerCreasesAreCurves(void)
{
    snLattice block = makeBlock(BLOCK_HEXES, 4, 4, 4, snVec(1, 1, 1), &arena);
    snSharp *sharp = makeSharp(4, 0, 0, &arena);
    for (int i = 0; i < 4; i++)
        addSharpEdge(sharp, 60 + i, 61 + i); // y = z = 2
    block.sharp = sharp;
    for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++) {
        snLimit limit = makeLimit((snScheme)scheme, &block);
        double x = 0.3, y = 1 - x, dense[125] = {0};
        snWeightRows row = rowAt(&limit, (2 * 4 + 2) * 4 + 1, -1, (double[3]){x, 0, 0});
        addRow(dense, &row, 1);
        dense[60] -= y * y * y / 6;
        dense[61] -= (3 * x * x * x - 6 * x * x + 4) / 6;
        dense[62] -= (3 * y * y * y - 6 * y * y + 4) / 6;
        dense[63] -= x * x * x / 6;
        CHECK_NEAR(largest(dense, 125), 0, 1e-13);
    }
}

// The limit of the mask against subdividing on and on: a point so near a vertex that only values that
// agree end the descent (about fifty levels).
static void masksAgreeWithSubdivision(void)
{
    unsigned char boundary[96];
    snLattice lattice = makeMixed(boundary, 0.15, &arena);
    lattice.sharp = mixedSharp(&arena);
    snRandom random = snMakeRandom(17);
    for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++) {
        snLimit limit = makeLimit((snScheme)scheme, &lattice);
        double worst = 0;
        for (int trial = 0; trial < 6; trial++) {
            int cell = snRandom_Below(&random, lattice.cellCount);
            int corner = snRandom_Below(&random, (int)snLattice_Kind(&lattice, cell));
            double at[3] = {0, trial % 2, 0}, near[3] = {1e-30, trial % 2, 2e-30}, dense[96] = {0};
            snWeightRows a = rowAt(&limit, cell, corner, at), b = rowAt(&limit, cell, corner, near);
            addRow(dense, &a, 1);
            addRow(dense, &b, -1);
            worst = fmax(worst, largest(dense, lattice.vertexCount));
        }
        CHECK_NEAR(worst, 0, 1e-12);
    }
}

// Whole lattices subdivided again and again come to the limit at a rate.
static void wholeLatticesConverge(void)
{
    for (int kind = 0; kind < 3; kind++)
        for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++) {
            static const snCellKind kinds[3] = {SN_TET, SN_PRISM, SN_HEX};
            snLattice one = oneCellOf(kinds[kind], &arena);
            snLimit limit = makeLimit((snScheme)scheme, &one);
            snWeightRows row = rowAt(&limit, 0, 0, (double[3]){1, 1, 0}); // the middle of a face
            snVec3 p = {0, 0, 0};
            for (int i = row.start[0]; i < row.start[1]; i++)
                p = snMulAdd(p, row.weight[i], one.rest[row.column[i]]);
            snSubdivision first = mustSubdivide((snScheme)scheme, &one, 1, &arena, &context);
            int v = snLattice_Corners(&first.fine.lattice, 0)[2];
            double before = 0;
            for (int level = 1; level <= 4; level++) {
                snSubdivision s = mustSubdivide((snScheme)scheme, &one, level, &arena, &context);
                double error = snDistance(s.fine.lattice.rest[v], p);
                if (level > 1) CHECK(error <= 0.3 * before + 1e-15);
                before = error;
            }
        }
}

// A point on a face has the same row from either cell.
static void cellsAgreeOnFaces(void)
{
    unsigned char boundary[96];
    snLattice lattice = makeMixed(boundary, 0.15, &arena);
    int pairs = 0;
    for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
        snSubdivision s = mustSubdivide((snScheme)scheme, &lattice, 1, &arena, &context);
        snLimit limit = makeLimit((snScheme)scheme, &s.fine.lattice);
        for (int c = 0; c < s.fine.lattice.cellCount; c += 41)
            for (int d = 0; d < s.fine.lattice.cellCount; d++) {
                const int *v = snLattice_Corners(&s.fine.lattice, c);
                const int *w = snLattice_Corners(&s.fine.lattice, d);
                // Both are split off a corner along the same two edges: their faces 0 1 2 3 agree.
                bool same = c != d && v[0] == w[0] && v[2] == w[2] && v[1] == w[3] && v[3] == w[1];
                if (!same) continue;
                double dense[2000] = {0}, u[3] = {0.3, 0.55, 0}, t[3] = {0.55, 0.3, 0};
                snWeightRows a = rowAt(&limit, c, -1, u), b = rowAt(&limit, d, -1, t);
                addRow(dense, &a, 1);
                addRow(dense, &b, -1);
                CHECK_NEAR(largest(dense, s.fine.lattice.vertexCount), 0, 1e-12);
                pairs++;
            }
    }
    CHECK(pairs >= 3);
}

// The limit on a sheet depends on the sheet alone, and is the same from both sides.
static void sheetsDependOnThemselves(void)
{
    snLattice block = makeBlock(BLOCK_HEXES, 4, 3, 3, snVec(4, 3, 3), &arena);
    block.sharp = blockSheet(4, 3, 3, 2, &arena);
    for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++) {
        snLimit limit = makeLimit((snScheme)scheme, &block);
        for (int j = 0; j < 9; j++) {
            double dense[100] = {0}, left[3] = {1, 0.3, 0.6}, right[3] = {0, 0.3, 0.6};
            snWeightRows a = rowAt(&limit, j * 4 + 1, -1, left);
            snWeightRows b = rowAt(&limit, j * 4 + 2, -1, right);
            int strangers = 0;
            for (int i = a.start[0]; i < a.start[1]; i++)
                strangers += fabs(a.weight[i]) > 1e-15 && block.rest[a.column[i]].x != 2;
            CHECK(strangers == 0);
            addRow(dense, &a, 1);
            addRow(dense, &b, -1);
            CHECK_NEAR(largest(dense, block.vertexCount), 0, 1e-13);
        }
    }
}

// ---- bad input ------------------------------------------------------------------------------------

static void badPointsAreRefused(void)
{
    snLattice tet = oneCellOf(SN_TET, &arena);
    snLimit limit = makeLimit(SN_SCHEME_BAJAJ, &tet);
    snLimitPoint bad[] = {{1, 0, {0, 0, 0}},   {-1, 0, {0, 0, 0}},      {0, -1, {0, 0, 0}},
                          {0, 4, {0, 0, 0}},   {0, 0, {0, 1.5, 0}},     {0, 0, {-0.1, 0, 0}},
                          {0, 0, {0, 0, NAN}}, {0, 0, {INFINITY, 0, 0}}};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        snWeightRows row;
        snError error = {0};
        CHECK(snLimit_At(&limit, &bad[i], &row, &arena, &context, &error) == SN_ERROR_ARGUMENT);
        CHECK(error.message[0]);
    }
    CHECK(snLimit_Make(&limit, (snScheme)7, &tet, &arena, &context, NULL) == SN_ERROR_ARGUMENT);
}

typedef struct Asked {
    snLimit *limit;
    const snLimitPoint *point;
} Asked;

static snStatus evaluateLimit(const void *user, snArena *out, const snContext *failing)
{
    const Asked *asked = user;
    snWeightRows row;
    return snLimit_At(asked->limit, asked->point, &row, out, failing, NULL);
}

static void failingAllocations(void)
{
    int n[3] = {1, 1, 1};
    snLattice cube = makeBlock(BLOCK_HEXES, 1, 1, 1, snVec(1, 1, 1), &arena), plain = cube;
    cube.sharp = boxSharp(n, &arena);
    snLimitPoint points[3] = {
        {0, -1, {0.3, 0.2, 0.1}}, {0, -1, {0, 0, 0}}, {0, 3, {0.4, 0.9, 0.7}}};
    for (int p = 0; p < 3; p++) {
        snLimit limit = makeLimit(SN_SCHEME_MACCRACKEN_JOY, p == 1 ? &plain : &cube);
        failEvery(evaluateLimit, &(Asked){&limit, &points[p]}, 0);
    }
}

int main(void)
{
    context = snDefaultContext();
    arena = snMakeArena(&context);
    RUN(gridsAreSplines);
    RUN(cornersOfACubeAreCatmullClark);
    RUN(creasesAreSplines);
    RUN(coarseIsACombinationOfFine);
    RUN(innerCreasesAreCurves);
    RUN(masksAgreeWithSubdivision);
    RUN(wholeLatticesConverge);
    RUN(cellsAgreeOnFaces);
    RUN(sheetsDependOnThemselves);
    RUN(badPointsAreRefused);
    RUN(failingAllocations);
    snArena_Destroy(&arena);
    return snTest_Finish();
}
