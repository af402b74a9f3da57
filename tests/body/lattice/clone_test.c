// Lattices that follow the inside: bars that nearly touch, built of boxes.
#include "tests/test.h"

#include "body/lattice/auto_lattice.h"
#include "body/lattice/embed.h"
#include "body/lattice/quadrature.h"
#include "core/core.h"
#include "near_pairs.h"

#include <stdio.h>
#include <string.h>

#define MOST_PLANES 64
#define MOST_BANDS 8

// A pattern of boxes in x and y, pulled out along z: '#' is solid. Rows go upward.
typedef struct Plan {
    const char *name;
    int columns, rows;
    double x[MOST_BANDS + 1], y[MOST_BANDS + 1]; // where columns and rows begin, and the end
    const char *pattern[MOST_BANDS];
    int boneCount;
    snBone bones[4];
} Plan;

static const double depth = 1.0, fine = 0.26; // of the body; longest edge of its surface

static const Plan legs = {"legs",
                          3,
                          2,
                          {0, 1, 1.02, 2.02},
                          {0, 5, 6},
                          {"#.#", "###"},
                          3,
                          {{0, {0.5, 5.5, 0.5}, {1.5, 5.5, 0.5}},
                           {1, {0.5, 5.5, 0.5}, {0.5, 0.4, 0.5}},
                           {2, {1.5, 5.5, 0.5}, {1.52, 0.4, 0.5}}}};

static const Plan lips = {"lips",
                          5,
                          3,
                          {0, 1, 2.5, 2.51, 4, 5},
                          {0, 1, 4, 5},
                          {"#####", "#...#", "##.##"},
                          3,
                          {{0, {0.5, 0.5, 0.5}, {4.5, 0.5, 0.5}},
                           {1, {0.5, 0.5, 0.5}, {0.5, 4.5, 0.5}},
                           {2, {4.5, 0.5, 0.5}, {4.5, 4.5, 0.5}}}};

static const Plan snake = {"snake",
                           3,
                           5,
                           {0, 1, 4, 5},
                           {0, 1, 1.02, 2.02, 2.04, 3.04},
                           {"###", "..#", "###", "#..", "###"},
                           3,
                           {{0, {0.5, 0.5, 0.5}, {4.5, 0.5, 0.5}},
                            {1, {4.5, 1.5, 0.5}, {0.5, 1.5, 0.5}},
                            {2, {0.5, 2.5, 0.5}, {4.5, 2.5, 0.5}}}};

static const Plan block = {"block", 1,     1, {0, 3},
                           {0, 2},  {"#"}, 1, {{0, {0.5, 1, 0.5}, {2.5, 1, 0.5}}}};

typedef struct Body {
    const Plan *plan;
    snContext context;
    snArena arena;
    snMesh mesh;
    snMeshTree tree;
    snWinding *winding;
    double volume;
    snAutoLatticeReport report;
    snLattice lattice;
    snEmbedding embedding;
} Body;

// Planes through all borders, no farther apart than `fine`; band[i] is where cell i lies.
static int refine(const double *border, int bands, double *plane, int *band)
{
    int count = 0;
    for (int b = 0; b < bands; b++) {
        int pieces = (int)ceil((border[b + 1] - border[b]) / fine);
        for (int k = 0; k < pieces; k++) {
            band[count] = b;
            plane[count++] = border[b] + (border[b + 1] - border[b]) * k / pieces;
        }
    }
    plane[count] = border[bands];
    return count;
}

typedef struct Cells {
    const Plan *plan;
    int n[3];
    double plane[3][MOST_PLANES];
    int band[3][MOST_PLANES];
} Cells;

static bool solid(const Cells *c, int i, int j, int k)
{
    if (i < 0 || j < 0 || k < 0 || i >= c->n[0] || j >= c->n[1] || k >= c->n[2]) return false;
    return c->plan->pattern[c->band[1][j]][c->band[0][i]] == '#';
}

// The face of a cell on side d (0 x, 1 y, 2 z), far or near, as two triangles facing outward.
static int addFace(const Cells *c, const int at[3], int d, int far, int *triangles)
{
    int corner[4];
    for (int k = 0; k < 4; k++) {
        int p[3] = {at[0], at[1], at[2]};
        p[d] += far;
        p[(d + 1) % 3] += k == 1 || k == 2;
        p[(d + 2) % 3] += k >= 2;
        corner[far ? k : 3 - k] = (p[2] * (c->n[1] + 1) + p[1]) * (c->n[0] + 1) + p[0];
    }
    const int order[6] = {0, 1, 2, 0, 2, 3};
    for (int k = 0; k < 6; k++)
        triangles[k] = corner[order[k]];
    return 2;
}

static void makeSurface(Body *body)
{
    Cells c = {.plan = body->plan};
    double z[2] = {0, depth};
    c.n[0] = refine(body->plan->x, body->plan->columns, c.plane[0], c.band[0]);
    c.n[1] = refine(body->plan->y, body->plan->rows, c.plane[1], c.band[1]);
    c.n[2] = refine(z, 1, c.plane[2], c.band[2]);
    int points = (c.n[0] + 1) * (c.n[1] + 1) * (c.n[2] + 1), count = 0, boxes = points;
    snVec3 *position = SN_NEW(&body->arena, snVec3, points);
    int *triangles = SN_NEW(&body->arena, int, (size_t)boxes * 36);
    for (int i = 0; i < points; i++) {
        int x = i % (c.n[0] + 1), y = i / (c.n[0] + 1) % (c.n[1] + 1);
        position[i] =
            snVec(c.plane[0][x], c.plane[1][y], c.plane[2][i / ((c.n[0] + 1) * (c.n[1] + 1))]);
    }
    for (int k = 0; k < c.n[2]; k++)
        for (int j = 0; j < c.n[1]; j++)
            for (int i = 0; i < c.n[0]; i++)
                for (int f = 0; f < 6 && solid(&c, i, j, k); f++) {
                    int at[3] = {i, j, k}, to[3] = {i, j, k};
                    to[f / 2] += f % 2 ? 1 : -1;
                    if (!solid(&c, to[0], to[1], to[2]))
                        count += addFace(&c, at, f / 2, f % 2, triangles + count * 3);
                }
    unsigned char *used = SN_NEW(&body->arena, unsigned char, points);
    for (int i = 0; i < count * 3; i++)
        used[triangles[i]] = 1;
    for (int i = 0; i < points; i++) // the others stand somewhere on the body
        if (!used[i]) position[i] = position[triangles[0]];
    body->mesh = (snMesh){points, count, position, triangles};
    body->volume = snMesh_Volume(&body->mesh);
}

static void makeBody(Body *body, const Plan *plan, int cells)
{
    *body = (Body){.plan = plan, .context = snDefaultContext()};
    body->arena = snMakeArena(&body->context);
    snError error = {0};
    makeSurface(body);
    CHECK(snMeshTree_Build(&body->tree, &body->mesh, &body->arena, &error) == SN_OK);
    CHECK(snWinding_Make(&body->winding, &body->tree, &body->arena, &error) == SN_OK);
    snAutoLatticeDef def = {&body->tree, body->winding, plan->bones, plan->boneCount, cells, 0};
    CHECK(snAutoLattice(&body->lattice, &def, &body->report, &body->arena, &body->context,
                        &error) == SN_OK);
    CHECK(snLattice_Check(&body->lattice, &body->context, &error) == SN_OK);
    if (error.message[0]) printf("%s\n", error.message);
    int n = body->mesh.vertexCount, *vertex = SN_NEW(&body->arena, int, n);
    for (int v = 0; v < n; v++)
        vertex[v] = -1;
    for (int i = 0; i < body->mesh.triangleCount * 3; i++)
        vertex[body->mesh.triangles[i]] = body->mesh.triangles[i];
    snSurfacePoints points = {n, body->mesh.positions, vertex, &body->report.parts};
    CHECK(snEmbedSurface(&body->embedding, &body->lattice, &points, &body->arena, &body->context,
                         &error) == SN_OK);
}

static bool ownsPoint(const void *user, int cell, snVec3 point)
{
    const Body *body = user;
    return snCellParts_Owns(&body->report.parts, &body->lattice, cell, point);
}

static void insideBody(const void *user, int count, const snVec3 *points, unsigned char *inside)
{
    const Body *body = user;
    snWinding_InsideMany(body->winding, &body->context.tasks, count, points, inside);
}

static double massOf(Body *body)
{
    snQuadratureDef def = snDefaultQuadratureDef();
    snQuadrature q;
    double sum = 0;
    def.inside = (snInsideTest){insideBody, body};
    def.owner = (snOwnerTest){ownsPoint, body};
    CHECK(snQuadrature_Make(&q, &body->lattice, &def, &body->arena, &body->context, NULL) == SN_OK);
    for (int c = 0; c < body->lattice.cellCount; c++)
        sum += q.cellVolume[c];
    return sum;
}

// No face-to-face group of cells without a bone of its own: nothing floats or hangs by an edge.
static int looseGroups(const Body *body)
{
    const snLattice *l = &body->lattice;
    int *group = calloc((size_t)l->cellCount, sizeof *group), loose = 0;
    for (int c = 0; c < l->cellCount; c++)
        group[c] = c;
    for (bool changed = true; changed;) { // small lattices: pairs, until nothing changes
        changed = false;
        for (int a = 0; a < l->cellCount; a++)
            for (int b = 0; b < a; b++) {
                int same = 0;
                for (int i = 0; i < 16; i++)
                    same += l->corners[a * 4 + i / 4] == l->corners[b * 4 + i % 4];
                if (same < 3 || group[a] == group[b]) continue;
                group[a] = group[b] = group[a] < group[b] ? group[a] : group[b];
                changed = true;
            }
    }
    for (int c = 0; c < l->cellCount; c++) {
        int bones = 0;
        for (int d = 0; d < l->cellCount; d++)
            for (int k = 0; k < 4; k++)
                bones += group[d] == c && l->joint[l->corners[d * 4 + k]] >= 0;
        loose += group[c] == c && bones < 2;
    }
    free(group);
    return loose;
}

static void checkBody(Body *body)
{
    const Plan *plan = body->plan;
    CHECK(snLattice_MissingBoneEdges(&body->lattice, plan->bones, plan->boneCount, 1e-9,
                                     &body->context) == 0);
    for (int b = 0; b < plan->boneCount; b++) {
        int found = 0;
        for (int v = 0; v < body->lattice.vertexCount; v++)
            found += body->lattice.joint[v] == plan->bones[b].joint;
        CHECK(found > 0);
    }
    CHECK(body->embedding.outside == 0);
    CHECK(body->report.worstQuality > 0.03);
    CHECK(looseGroups(body) == 0 && body->report.clones.strays == 0);
    CHECK_NEAR(massOf(body) / body->volume, 1, 0.03); // copies do not count twice
}

// What is far along the body, five cells and more, shares no vertex.
static void farApartIsApart(const Plan *plan)
{
    const int sizes[2] = {300, 1500};
    for (int k = 0; k < 2; k++) {
        Body body;
        makeBody(&body, plan, sizes[k]);
        double s = body.report.spacing;
        NearPairsDef def = {&body.lattice,
                            &body.mesh,
                            body.winding,
                            body.embedding.cell,
                            body.report.parts.cut.shell,
                            s,
                            5,
                            5 * s};
        NearPairs pairs = nearPairs(&def, 3);
        printf("%s, %d cells of %.2f: %d clones, %d glued; %d near pairs, %d share a vertex "
               "without copies, %d with\n",
               plan->name, body.lattice.cellCount, s, body.report.clones.clones,
               body.report.clones.glued, pairs.count, pairs.before, pairs.after);
        CHECK(pairs.count > 50 && pairs.before > pairs.count / 2 && pairs.after == 0);
        CHECK(body.report.clones.clones > 0);
        checkBody(&body);
        snArena_Destroy(&body.arena);
    }
}

static void legsAreApart(void)
{
    farApartIsApart(&legs);
}

static void lipsAreApart(void)
{
    farApartIsApart(&lips);
}

static void windingsOfASnakeAreApart(void)
{
    farApartIsApart(&snake);
}

static void blockIsWhole(void)
{
    const int sizes[3] = {60, 400, 1500};
    for (int k = 0; k < 3; k++) {
        Body body;
        makeBody(&body, &block, sizes[k]);
        printf("block, %d cells: %d clones\n", body.lattice.cellCount, body.report.clones.clones);
        CHECK(body.report.clones.clones == 0);
        CHECK(body.lattice.cellCount + body.report.flat == body.report.parts.tetCount);
        checkBody(&body);
        snArena_Destroy(&body.arena);
    }
}

int main(void)
{
    RUN(blockIsWhole);
    RUN(legsAreApart);
    RUN(lipsAreApart);
    RUN(windingsOfASnakeAreApart);
    return snTest_Finish();
}
