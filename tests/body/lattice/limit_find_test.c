// Derivatives in the limit, hierarchical functions at any point, and points by their place in space.
#include "tests/failing_memory.h"
#include "tests/test.h"

#include "body/lattice/nodes.h"
#include "body/lattice/scheme_limit.h"
#include "core/core.h"
#include "tests/body/lattice/sharp_blocks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static snContext context;
static snArena arena;

typedef enum Sample { MIXED, INNER, TETS, SAMPLES } Sample;

static snLattice sample(Sample kind)
{
    unsigned char boundary[96];
    snLattice lattice;
    if (kind == MIXED) {
        lattice = makeMixed(boundary, 0.15, &arena);
        lattice.sharp = mixedSharp(&arena);
    } else {
        int n = kind == TETS ? 2 : 4;
        lattice =
            makeBlock(kind == TETS ? BLOCK_TETS : BLOCK_HEXES, n, n, n, snVec(n, n, n), &arena);
        if (kind == INNER) lattice.sharp = innerSharp(&arena);
    }
    return lattice;
}

static snLimit makeLimit(snScheme scheme, const snLattice *lattice, int levels)
{
    snLimit limit;
    snLimitDef def = {.scheme = scheme, .lattice = lattice, .levels = levels};
    CHECK(snLimit_MakeOf(&limit, &def, &arena, &context, NULL) == SN_OK);
    return limit;
}

static snLimitValues valuesAt(const snLimit *limit, snLimitPoint point)
{
    snLimitValues values = {.byUKnown = false};
    snError error = {0};
    if (!CHECK(snLimit_ValuesAt(limit, &point, &values, &arena, &context, &error) == SN_OK))
        printf("%s\n", error.message);
    return values;
}

static snLimitPoint randomPoint(const snLattice *lattice, snRandom *random, double low, double high)
{
    snLimitPoint p = {.cell = snRandom_Below(random, lattice->cellCount)};
    p.corner = snRandom_Below(random, (int)snLattice_Kind(lattice, p.cell));
    for (int a = 0; a < 3; a++)
        p.u[a] = snRandom_Uniform(random, low, high);
    return p;
}

static double component(snVec3 v, int a)
{
    return a == 0 ? v.x : a == 1 ? v.y : v.z;
}

// Adds factor times the values to a dense vector.
static void addRow(double *dense, const snLimitValues *v, double factor)
{
    for (int i = 0; i < v->row.start[1]; i++)
        dense[v->row.column[i]] += factor * v->row.weight[i];
}

// ---- derivatives ----------------------------------------------------------------------------------

// Of every function by every coordinate, against differences of values: fourth order over steps of
// 1e-3 that stay in one piece of the splines.
static void derivativesAreDifferences(void)
{
    for (Sample kind = 0; kind < SAMPLES; kind++)
        for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
            snLattice lattice = sample(kind);
            snLimit limit = makeLimit((snScheme)scheme, &lattice, kind == MIXED);
            snRandom random = snMakeRandom(21);
            double worst = 0, h = 1e-3;
            for (int trial = 0; trial < 24; trial++) {
                snLimitPoint p = randomPoint(&lattice, &random, 0.30, 0.45);
                snLimitValues v = valuesAt(&limit, p);
                if (!CHECK(v.byUKnown)) continue;
                for (int a = 0; a < 3; a++) {
                    double *dense = SN_NEW(&arena, double, limit.functionCount);
                    for (int s = -2; s <= 2; s++) {
                        static const double factor[5] = {1, -8, 0, 8, -1};
                        snLimitPoint q = p;
                        q.u[a] += s * h;
                        snLimitValues w = valuesAt(&limit, q);
                        addRow(dense, &w, factor[s + 2] / (12 * h));
                    }
                    for (int i = 0; i < v.row.start[1]; i++)
                        dense[v.row.column[i]] -= component(v.byU[i], a);
                    for (int f = 0; f < limit.functionCount; f++)
                        worst = fmax(worst, fabs(dense[f]));
                }
            }
            CHECK_NEAR(worst, 0, 1e-9);
        }
}

// Σ ∇φ_a = 0 and Σ r_a ∇φ_aᵀ = 1 over level 0, inside, on edges and at extraordinary vertices.
static void gradientsReproduceSpace(void)
{
    int missing = 0, extraordinary = 0;
    for (Sample kind = 0; kind < SAMPLES; kind++)
        for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
            snLattice lattice = sample(kind);
            snLimit limit = makeLimit((snScheme)scheme, &lattice, 0);
            snRandom random = snMakeRandom(22);
            double worst = 0;
            for (int trial = 0; trial < 120; trial++) {
                snLimitPoint p = randomPoint(&lattice, &random, 0, 1);
                for (int a = 0; a < trial % 4; a++)
                    p.u[(a + trial) % 3] = trial / 4 % 2;
                snLimitValues v = valuesAt(&limit, p);
                missing += !v.byXKnown;
                extraordinary += v.byXKnown && !v.byUKnown;
                if (!v.byXKnown) continue;
                snVec3 sum = {0, 0, 0};
                snMat3 m = {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
                for (int i = 0; i < v.row.start[1]; i++) {
                    sum = snAdd(sum, v.byX[i]);
                    m = snAddMM(m, snOuter(lattice.rest[v.row.column[i]], v.byX[i]));
                }
                worst = fmax(worst, snLength(sum) + sqrt(snNormSquaredM(m)));
            }
            CHECK_NEAR(worst, 0, 1e-9); // less the nearer the map is to singular
        }
    printf("%d points at extraordinary edges and vertices, %d without a gradient\n", extraordinary,
           missing);
    CHECK(extraordinary > 50 && missing < extraordinary / 2);
}

// At extraordinary vertices inside: φ(x) - φ(v) - ∇φ . (x - v) is small against |x - v|, and ever more.
static void gradientsAreTangents(void)
{
    int tried = 0;
    snLattice lattice = makeBlock(BLOCK_TETS, 2, 2, 2, snVec(2, 2, 2), &arena);
    for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++) {
        snLimit limit = makeLimit((snScheme)scheme, &lattice, 0);
        for (int cell = 0; cell < lattice.cellCount; cell += 3) {
            snLimitPoint at = {.cell = cell, .corner = 0, .u = {1, 1, 1}}; // the cell's middle
            snLimitValues v = valuesAt(&limit, at);
            if (v.byUKnown || !v.byXKnown) continue;
            double before = INFINITY;
            for (double step = 0x1p-4; step > 0x1p-13; step /= 8) {
                snLimitPoint q = at;
                for (int a = 0; a < 3; a++)
                    q.u[a] -= step * (1 + 0.3 * a);
                snLimitValues w = valuesAt(&limit, q);
                double dense[64] = {0}, worst = 0;
                snVec3 way = snSub(w.place, v.place);
                addRow(dense, &w, 1);
                addRow(dense, &v, -1);
                for (int i = 0; i < v.row.start[1]; i++)
                    dense[v.row.column[i]] -= snDot(v.byX[i], way);
                for (int f = 0; f < lattice.vertexCount; f++)
                    worst = fmax(worst, fabs(dense[f]) / snLength(way));
                CHECK(worst < 0.6 * before);
                before = worst;
            }
            CHECK(before < 0.02);
            tried++;
        }
    }
    CHECK(tried > 10);
}

// ---- functions of finer levels ----------------------------------------------------------------------

// At the vertices of K_J in the limit the rows are those of the nodes.
static void rowsAreThoseOfNodes(void)
{
    static const int bits[8] = {0, 1, 3, 2, 4, 5, 7, 6};
    snLattice lattice = sample(MIXED);
    for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
        snLimit limit = makeLimit((snScheme)scheme, &lattice, 1);
        snNodes nodes;
        snNodesDef def = {(snScheme)scheme, &lattice, 1, 1};
        CHECK(snNodes_Make(&nodes, &def, &arena, &context, NULL) == SN_OK);
        double worst = 0, off = 0;
        for (int c = 0; c < lattice.cellCount; c += 5)
            for (int k = lattice.cellStart[c]; k < lattice.cellStart[c + 1]; k++)
                for (int q = 0; q < 8; q++) {
                    int node = nodes.lattice.corners[k * 8 + q];
                    snLimitPoint p = {.cell = c, .corner = k - lattice.cellStart[c]};
                    for (int a = 0; a < 3; a++)
                        p.u[a] = bits[q] >> a & 1;
                    snLimitValues v = valuesAt(&limit, p);
                    double *dense = SN_NEW(&arena, double, limit.functionCount);
                    addRow(dense, &v, 1);
                    for (int i = nodes.rows.start[node]; i < nodes.rows.start[node + 1]; i++)
                        dense[nodes.rows.column[i]] -= nodes.rows.weight[i];
                    for (int f = 0; f < limit.functionCount; f++)
                        worst = fmax(worst, fabs(dense[f]));
                    off = fmax(off, snDistance(v.place, nodes.lattice.rest[node]));
                }
        CHECK_NEAR(worst, 0, 1e-12);
        CHECK_NEAR(off, 0, 1e-12);
    }
}

// ---- places ---------------------------------------------------------------------------------------

static void placesAreFound(void)
{
    for (Sample kind = 0; kind < SAMPLES; kind++)
        for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
            snLattice lattice = sample(kind);
            snLimit limit = makeLimit((snScheme)scheme, &lattice, kind == INNER);
            snRandom random = snMakeRandom(23);
            double worst = 0, distance = 0;
            for (int trial = 0; trial < 16; trial++) {
                snLimitPoint p = randomPoint(&lattice, &random, 0, 1);
                for (int a = 0; a < trial % 3; a++)
                    p.u[(a + trial) % 3] = trial / 4 % 2;
                snLimitValues v = valuesAt(&limit, p);
                snLimitFound found;
                CHECK(snLimit_Find(&limit, v.place, &found, &context, NULL) == SN_OK);
                snLimitValues w = valuesAt(&limit, found.point);
                worst = fmax(worst, snDistance(v.place, w.place));
                distance = fmax(distance, found.distance);
            }
            CHECK_NEAR(worst, 0, 1e-12);
            CHECK_NEAR(distance, 0, 1e-12);
        }
}

// Rows at places inside are the functions there; those of all places move as the space does in affine
// motions, also outside.
static void placesAreEmbedded(void)
{
    snLattice lattice = sample(MIXED);
    snRandom random = snMakeRandom(24);
    for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
        snLimit limit = makeLimit((snScheme)scheme, &lattice, 1);
        snVec3 places[12];
        snLimitPoint points[4];
        for (int i = 0; i < 12; i++) {
            if (i < 4) points[i] = randomPoint(&lattice, &random, 0.1, 0.9);
            places[i] =
                i < 4 ? valuesAt(&limit, points[i]).place
                      : snVec(snRandom_Uniform(&random, -1, 6), snRandom_Uniform(&random, -1, 4),
                              snRandom_Uniform(&random, -1, 4));
        }
        snLimitEmbedding e;
        CHECK(snLimit_Embed(&limit, 12, places, &e, &arena, &context, NULL) == SN_OK);
        CHECK(e.outside > 0 && e.farthest > 0.05);
        double worst = 0, same = 0;
        for (int i = 0; i < 12; i++) {
            snVec3 x = {0, 0, 0};
            double sum = 0, *dense = SN_NEW(&arena, double, limit.functionCount);
            for (int k = e.rows.start[i]; k < e.rows.start[i + 1]; k++) {
                dense[e.rows.column[k]] += e.rows.weight[k];
                if (e.rows.column[k] >= lattice.vertexCount) continue;
                x = snMulAdd(x, e.rows.weight[k], lattice.rest[e.rows.column[k]]);
                sum += e.rows.weight[k];
            }
            worst = fmax(worst, fmax(snDistance(x, places[i]), fabs(sum - 1)));
            if (i >= 4) continue;
            snLimitValues v = valuesAt(&limit, points[i]);
            addRow(dense, &v, -1);
            for (int f = 0; f < limit.functionCount; f++)
                same = fmax(same, fabs(dense[f]));
        }
        CHECK_NEAR(worst, 0, 1e-12);
        CHECK_NEAR(same, 0, 1e-11);
    }
}

static void badInput(void)
{
    snLattice tet = oneCellOf(SN_TET, &arena), none = {.cellStart = (int[1]){0}};
    snLimit limit = makeLimit(SN_SCHEME_BAJAJ, &tet, 0);
    snLimitFound found;
    snError error = {0};
    CHECK(snLimit_Find(&limit, snVec(NAN, 0, 0), &found, &context, &error) == SN_ERROR_GEOMETRY);
    CHECK(error.message[0]);
    snLimitEmbedding e;
    CHECK(snLimit_Embed(&limit, 0, NULL, &e, &arena, &context, NULL) == SN_OK);
    limit = makeLimit(SN_SCHEME_BAJAJ, &none, 0);
    CHECK(snLimit_Find(&limit, snVec(0, 0, 0), &found, &context, NULL) == SN_ERROR_GEOMETRY);
    snLimitDef bad = {.scheme = SN_SCHEME_BAJAJ, .lattice = &tet, .levels = -1};
    CHECK(snLimit_MakeOf(&limit, &bad, &arena, &context, NULL) == SN_ERROR_ARGUMENT);
}

static snStatus everything(const void *lattice, snArena *out, const snContext *failing)
{
    snLimit limit;
    snLimitDef def = {.scheme = SN_SCHEME_MACCRACKEN_JOY, .lattice = lattice};
    snLimitPoint corner = {.cell = 0, .corner = 0, .u = {0, 0, 0}};
    snLimitValues values;
    snLimitEmbedding e;
    snVec3 place = {0.3, 0.2, 0.25};
    snStatus status = snLimit_MakeOf(&limit, &def, out, failing, NULL);
    if (!status) status = snLimit_ValuesAt(&limit, &corner, &values, out, failing, NULL);
    if (!status) status = snLimit_Embed(&limit, 1, &place, &e, out, failing, NULL);
    return status;
}

static void failingAllocations(void)
{
    snLattice tet = oneCellOf(SN_TET, &arena);
    failEvery(everything, &tet, 40);
}

int main(void)
{
    context = snDefaultContext();
    arena = snMakeArena(&context);
    RUN(derivativesAreDifferences);
    RUN(gradientsReproduceSpace);
    RUN(gradientsAreTangents);
    RUN(rowsAreThoseOfNodes);
    RUN(placesAreFound);
    RUN(placesAreEmbedded);
    RUN(badInput);
    RUN(failingAllocations);
    snArena_Destroy(&arena);
    return snTest_Finish();
}
