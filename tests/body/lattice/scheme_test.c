#include "tests/failing_memory.h"
#include "tests/test.h"

#include "body/lattice/flesh_parts.h"
#include "body/lattice/scheme.h"
#include "core/core.h"
#include "tests/body/lattice/sharp_blocks.h"
#include "tests/body/lattice/checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static snContext context;
static snArena arena;

// ---- an independent Catmull-Clark -----------------------------------------------------------------

// A polygon mesh whose vertices have the numbers of the lattice's.
typedef struct Mesh {
    int faceCount;
    int (*face)[4]; // in order round; the fourth is -1 for triangles
    int edgeCount;  // the sharp ones
    int (*edge)[2];
    int cornerCount;
    const int *corner;
    snVec3 *at;
} Mesh;

static bool sameVertices(const int *a, int n, const int *b, int m)
{
    int found = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            found += a[i] == b[j];
    return n == m && found == n;
}

static int sizeOf(const int *face)
{
    return face[3] < 0 ? 3 : 4;
}

// Faces that one cell alone has.
static Mesh boundaryOf(const snLattice *lattice)
{
    Mesh mesh = {0};
    int total = 0;
    int(*all)[4] = snArena_Alloc(&arena, sizeof *all, (size_t)lattice->cellCount * 6);
    mesh.face = snArena_Alloc(&arena, sizeof *all, (size_t)lattice->cellCount * 6);
    for (int c = 0; c < lattice->cellCount; c++) {
        const snCellShape *shape = snCellShape_Of(snLattice_Kind(lattice, c));
        for (int f = 0; f < shape->faces; f++, total++)
            for (int k = 0; k < 4; k++)
                all[total][k] =
                    shape->face[f][k] < 0 ? -1 : snLattice_Corners(lattice, c)[shape->face[f][k]];
    }
    for (int i = 0; i < total; i++) {
        int found = 0;
        for (int j = 0; j < total; j++)
            found += sameVertices(all[i], sizeOf(all[i]), all[j], sizeOf(all[j]));
        if (found == 1) memcpy(mesh.face[mesh.faceCount++], all[i], sizeof all[i]);
    }
    mesh.at = SN_COPY(&arena, snVec3, lattice->rest, lattice->vertexCount);
    if (!lattice->sharp) return mesh;
    mesh.edgeCount = lattice->sharp->edgeCount;
    mesh.edge = lattice->sharp->edge;
    mesh.cornerCount = lattice->sharp->cornerCount;
    mesh.corner = lattice->sharp->corner;
    return mesh;
}

static bool isSharp(const Mesh *mesh, int a, int b)
{
    for (int e = 0; e < mesh->edgeCount; e++)
        if (sameVertices((int[2]){a, b}, 2, mesh->edge[e], 2)) return true;
    return false;
}

// The vertex that the lattice's subdivision put in the middle of these, among its numbers
// [first, last).
static int middleOf(const snFineLattice *fine, int first, int last, const int *vertices, int count)
{
    for (int v = first; v < last; v++) {
        int from = fine->sourceStart[v], n = fine->sourceStart[v + 1] - from;
        if (n == count && sameVertices(vertices, count, fine->source + from, n)) return v;
    }
    CHECK(false); // there is none
    return 0;
}

static snVec3 centroidOf(const Mesh *mesh, const int *face)
{
    snVec3 sum = {0, 0, 0};
    for (int k = 0; k < sizeOf(face); k++)
        sum = snMulAdd(sum, 1.0 / sizeOf(face), mesh->at[face[k]]);
    return sum;
}

// E' = (V0 + V1 + A0 + A1)/4, or the midpoint when sharp.
static snVec3 edgePoint(const Mesh *mesh, int a, int b)
{
    snVec3 sum = snAdd(mesh->at[a], mesh->at[b]);
    int found = 0;
    if (isSharp(mesh, a, b)) return snScale(0.5, sum);
    for (int f = 0; f < mesh->faceCount; f++) {
        int n = sizeOf(mesh->face[f]), held = 0;
        for (int k = 0; k < n; k++)
            held += mesh->face[f][k] == a || mesh->face[f][k] == b;
        if (held < 2) continue;
        sum = snAdd(sum, centroidOf(mesh, mesh->face[f]));
        found++;
    }
    CHECK(found == 2);
    return snScale(0.25, sum);
}

// V' = (n - 2)/n V + 1/n^2 sum of neighbours + 1/n^2 sum of face points, as DeRose, Kass and Truong
// write Catmull-Clark; or the crease's or the corner's.
static snVec3 vertexPoint(const Mesh *mesh, int v)
{
    snVec3 neighbours = {0, 0, 0}, faces = {0, 0, 0}, crease = {0, 0, 0}, at = mesh->at[v];
    int n = 0, sharp = 0;
    for (int i = 0; i < mesh->cornerCount; i++)
        if (mesh->corner[i] == v) return at;
    for (int f = 0; f < mesh->faceCount; f++) {
        const int *face = mesh->face[f];
        for (int k = 0, m = sizeOf(face); k < m; k++) {
            if (face[k] != v) continue;
            int next = face[(k + 1) % m]; // round a vertex every edge is the next one of one face
            n++;
            neighbours = snAdd(neighbours, mesh->at[next]);
            faces = snAdd(faces, centroidOf(mesh, face));
            if (!isSharp(mesh, v, next)) continue;
            sharp++;
            crease = snAdd(crease, mesh->at[next]);
        }
    }
    if (sharp > 2) return at;
    if (sharp == 2) return snScale(0.125, snMulAdd(crease, 6, at));
    double w = 1.0 / n / n;
    return snAdd(snScale((n - 2.0) / n, at), snScale(w, snAdd(neighbours, faces)));
}

static Mesh refineMesh(const Mesh *mesh, const snFineLattice *fine, int level)
{
    int first = fine->levelVertices[level], last = fine->levelVertices[level + 1];
    Mesh out = *mesh;
    out.face = snArena_Alloc(&arena, sizeof *out.face, (size_t)mesh->faceCount * 4);
    out.edge = snArena_Alloc(&arena, sizeof *out.edge, (size_t)mesh->edgeCount * 2);
    out.at = SN_NEW(&arena, snVec3, last);
    out.faceCount = out.edgeCount = 0;
    for (int f = 0; f < mesh->faceCount; f++) {
        const int *face = mesh->face[f];
        int n = sizeOf(face), middle = middleOf(fine, first, last, face, n), edge[4];
        out.at[middle] = centroidOf(mesh, face);
        for (int k = 0; k < n; k++) {
            int ends[2] = {face[k], face[(k + 1) % n]};
            edge[k] = middleOf(fine, first, last, ends, 2);
            out.at[edge[k]] = edgePoint(mesh, ends[0], ends[1]);
            out.at[face[k]] = vertexPoint(mesh, face[k]);
        }
        for (int k = 0; k < n; k++) {
            int quad[4] = {face[k], edge[k], middle, edge[(k + n - 1) % n]};
            memcpy(out.face[out.faceCount++], quad, sizeof quad);
        }
    }
    for (int e = 0; e < mesh->edgeCount; e++) {
        int middle = middleOf(fine, first, last, mesh->edge[e], 2);
        for (int end = 0; end < 2; end++, out.edgeCount++) {
            out.edge[out.edgeCount][0] = mesh->edge[e][end];
            out.edge[out.edgeCount][1] = middle;
        }
    }
    return out;
}

static void checkBoundary(const snLattice *lattice, int levels)
{
    snSubdivision deep = mustSubdivide(SN_SCHEME_MACCRACKEN_JOY, lattice, levels, &arena, &context);
    Mesh mesh = boundaryOf(lattice);
    double worst = 0;
    for (int level = 0; level < levels; level++) {
        snSubdivision s =
            mustSubdivide(SN_SCHEME_MACCRACKEN_JOY, lattice, level + 1, &arena, &context);
        mesh = refineMesh(&mesh, &deep.fine, level);
        for (int f = 0; f < mesh.faceCount; f++)
            for (int k = 0; k < 4; k++) {
                int v = mesh.face[f][k];
                worst = fmax(worst, snDistance(mesh.at[v], s.fine.lattice.rest[v]));
            }
    }
    CHECK_NEAR(worst, 0, 1e-13);
}

static void boundaryIsCatmullClark(void)
{
    unsigned char boundary[96];
    snLattice lattice = makeMixed(boundary, 0.15, &arena);
    checkBoundary(&lattice, 2);
    lattice.sharp = mixedSharp(&arena);
    checkBoundary(&lattice, 2);
    snLattice cube = makeBlock(BLOCK_HEXES, 1, 1, 1, snVec(2, 2, 2), &arena);
    checkBoundary(&cube, 3);
}

// ---- grids: the tensor product of cubic B-spline refinement ----------------------------------------

// One row of the refinement of a cubic spline of n + 1 control points that begins and ends at its
// ends, as a dense vector.
static void splineRow(double *row, int n, int fine)
{
    for (int i = 0; i <= n; i++)
        row[i] = 0;
    int i = fine / 2;
    if (fine % 2) {
        row[i] = row[i + 1] = 0.5;
    } else if (i == 0 || i == n) {
        row[i] = 1;
    } else {
        row[i - 1] = row[i + 1] = 0.125;
        row[i] = 0.75;
    }
}

static snVec3 tensorPoint(const snLattice *grid, const int n[3], const int fine[3])
{
    double row[3][8];
    snVec3 sum = {0, 0, 0};
    for (int a = 0; a < 3; a++)
        splineRow(row[a], n[a], fine[a]);
    for (int k = 0, v = 0; k <= n[2]; k++)
        for (int j = 0; j <= n[1]; j++)
            for (int i = 0; i <= n[0]; i++, v++)
                sum = snMulAdd(sum, row[0][i] * row[1][j] * row[2][k], grid->rest[v]);
    return sum;
}

// A box with sharp edges and corners is refined as a tensor product throughout, and one without
// away from its edges.
static void gridsAreTensorProducts(void)
{
    int n[3] = {4, 5, 3};
    snLattice grid = makeBlock(BLOCK_HEXES, 4, 5, 3, snVec(4, 5, 3), &arena);
    snLattice plain = grid;
    grid.sharp = boxSharp(n, &arena);
    snSubdivision places =
        mustSubdivide(SN_SCHEME_TRILINEAR, &plain, 1, &arena, &context); // where a fine vertex is
    snRandom random = snMakeRandom(3);
    plain.rest = grid.rest = SN_NEW(&arena, snVec3, grid.vertexCount);
    for (int v = 0; v < grid.vertexCount; v++)
        grid.rest[v] = snRandom_UnitVector(&random);
    for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++) {
        snSubdivision s = mustSubdivide((snScheme)scheme, &grid, 1, &arena, &context);
        snSubdivision smooth = mustSubdivide((snScheme)scheme, &plain, 1, &arena, &context);
        double worst = 0, worstSmooth = 0;
        for (int v = 0; v < s.fine.lattice.vertexCount; v++) {
            snVec3 p = places.fine.lattice.rest[v];
            int fine[3] = {(int)(2 * p.x + 0.5), (int)(2 * p.y + 0.5), (int)(2 * p.z + 0.5)};
            snVec3 wanted = tensorPoint(&grid, n, fine);
            int ends = 0;
            for (int a = 0; a < 3; a++)
                ends += fine[a] == 0 || fine[a] == 2 * n[a];
            worst = fmax(worst, snDistance(wanted, s.fine.lattice.rest[v]));
            if (ends < 2)
                worstSmooth = fmax(worstSmooth, snDistance(wanted, smooth.fine.lattice.rest[v]));
        }
        CHECK_NEAR(worst, 0, 1e-14);
        CHECK_NEAR(worstSmooth, 0, 1e-14);
    }
}

static void sharpBoxesKeepLinearFunctions(void)
{
    int n[3] = {2, 3, 2};
    snLattice box = makeBlock(BLOCK_HEXES, 2, 3, 2, snVec(1, 2, 3), &arena);
    box.sharp = boxSharp(n, &arena);
    snSubdivision flat = mustSubdivide(SN_SCHEME_TRILINEAR, &box, 3, &arena, &context);
    for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++) {
        snSubdivision s = mustSubdivide((snScheme)scheme, &box, 3, &arena, &context);
        double worst = 0;
        for (int v = 0; v < s.fine.lattice.vertexCount; v++)
            worst = fmax(worst, snDistance(s.fine.lattice.rest[v], flat.fine.lattice.rest[v]));
        CHECK_NEAR(worst, 0, 1e-14);
    }
}

// ---- rows -----------------------------------------------------------------------------------------

static void checkRows(const snWeightRows *rows, int count, int columns)
{
    double worst = 0, least = 0;
    int disorder = 0;
    for (int v = 0; v < count; v++) {
        double sum = 0;
        for (int i = rows->start[v]; i < rows->start[v + 1]; i++) {
            sum += rows->weight[i];
            least = fmin(least, rows->weight[i]);
            disorder += rows->column[i] < 0 || rows->column[i] >= columns;
            disorder += i > rows->start[v] && rows->column[i] <= rows->column[i - 1];
        }
        worst = fmax(worst, fabs(sum - 1));
    }
    CHECK(disorder == 0);
    CHECK_NEAR(worst, 0, 1e-14);
    CHECK_NEAR(least, 0, 1e-16);
}

static snVec3 rowPoint(const snWeightRows *rows, int v, const snVec3 *points)
{
    snVec3 at = {0, 0, 0};
    for (int i = rows->start[v]; i < rows->start[v + 1]; i++)
        at = snMulAdd(at, rows->weight[i], points[rows->column[i]]);
    return at;
}

// Every row sums to one, so affine maps commute; products of the steps are the values over level 0.
static void rowsAreAffineAndMultiply(void)
{
    unsigned char boundary[96];
    snLattice lattice = makeMixed(boundary, 0.15, &arena);
    lattice.sharp = mixedSharp(&arena);
    for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
        snSubdivision s = mustSubdivide((snScheme)scheme, &lattice, 2, &arena, &context);
        const snFineLattice *fine = &s.fine;
        snVec3 *p = lattice.rest;
        double worst = 0;
        for (int j = 0; j < 2; j++) {
            int count = fine->levelVertices[j + 1];
            snVec3 *next = SN_NEW(&arena, snVec3, count);
            checkRows(&s.step[j], count, fine->levelVertices[j]);
            for (int v = 0; v < count; v++)
                next[v] = rowPoint(&s.step[j], v, p);
            p = next;
        }
        checkRows(&fine->rows, fine->lattice.vertexCount, lattice.vertexCount);
        for (int v = 0; v < fine->lattice.vertexCount; v++) {
            worst = fmax(worst, snDistance(p[v], fine->lattice.rest[v]));
            worst = fmax(worst, snDistance(p[v], rowPoint(&fine->rows, v, lattice.rest)));
        }
        CHECK_NEAR(worst, 0, 1e-13);
    }
}

// ---- what is sharp --------------------------------------------------------------------------------

// The crease's vertices depend on its own alone, as a cubic B-spline curve.
static void creasesAreCurves(void)
{
    unsigned char boundary[96];
    snLattice lattice = makeMixed(boundary, 0.15, &arena);
    lattice.sharp = mixedSharp(&arena);
    for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++) {
        snSubdivision s = mustSubdivide((snScheme)scheme, &lattice, 1, &arena, &context);
        const snWeightRows *rows = &s.step[0];
        for (int i = 2; i <= 4; i++) {
            int v = gridVertex(i, 0, 0), at = rows->start[v];
            CHECK(rows->start[v + 1] - at == 3);
            CHECK(rows->column[at] == v - 1 && rows->column[at + 2] == v + 1);
            CHECK_NEAR(rows->weight[at], 0.125, 1e-16);
            CHECK_NEAR(rows->weight[at + 1], 0.75, 1e-16);
        }
        for (int i = 1; i <= 4; i++) {
            int ends[2] = {gridVertex(i, 0, 0), gridVertex(i + 1, 0, 0)};
            int v = middleOf(&s.fine, lattice.vertexCount, s.fine.lattice.vertexCount, ends, 2);
            snVec3 middle = snScale(0.5, snAdd(lattice.rest[ends[0]], lattice.rest[ends[1]]));
            CHECK_NEAR(snDistance(s.fine.lattice.rest[v], middle), 0, 1e-15);
        }
        int dart = gridVertex(1, 0, 0), tagged = gridVertex(2, 3, 0);
        CHECK(rows->start[dart + 1] - rows->start[dart] > 3);
        CHECK(rows->start[tagged + 1] - rows->start[tagged] == 1);
        // After two more levels the curve still knows nothing else.
        snSubdivision deep = mustSubdivide((snScheme)scheme, &lattice, 3, &arena, &context);
        const snSharp *sharp = deep.fine.lattice.sharp;
        int strangers = 0;
        CHECK(sharp->edgeCount == lattice.sharp->edgeCount * 8);
        for (int e = 0; e < sharp->edgeCount; e++) {
            snVec3 a = lattice.rest[gridVertex(2, 0, 0)];
            int v = sharp->edge[e][0], from = deep.fine.rows.start[v];
            if (deep.fine.lattice.rest[v].x < a.x + 1) continue; // away from the dart
            if (deep.fine.lattice.rest[v].y > 0 || deep.fine.lattice.rest[v].z > 0) continue;
            for (int i = from; i < deep.fine.rows.start[v + 1]; i++)
                strangers += deep.fine.rows.column[i] > gridVertex(5, 0, 0);
        }
        CHECK(strangers == 0);
    }
}

// A sheet of sharp faces across a block: its vertices depend on the sheet's alone.
static void sheetsDependOnThemselves(void)
{
    snLattice block = makeBlock(BLOCK_HEXES, 4, 3, 3, snVec(4, 3, 3), &arena);
    block.sharp = blockSheet(4, 3, 3, 2, &arena);
    for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++) {
        snSubdivision s = mustSubdivide((snScheme)scheme, &block, 2, &arena, &context);
        snSubdivision flat = mustSubdivide(SN_SCHEME_TRILINEAR, &block, 2, &arena, &context);
        CHECK(s.fine.lattice.sharp->faceCount == 9 * 16);
        int strangers = 0, seen = 0, others = 0;
        for (int v = 0; v < s.fine.lattice.vertexCount; v++) {
            bool onSheet = fabs(flat.fine.lattice.rest[v].x - 2) < 1e-12;
            seen += onSheet;
            for (int i = s.fine.rows.start[v]; i < s.fine.rows.start[v + 1]; i++) {
                bool sheetVertex = block.rest[s.fine.rows.column[i]].x == 2;
                strangers += onSheet && !sheetVertex;
                others += !onSheet && !sheetVertex;
            }
        }
        CHECK(seen == 13 * 13 && strangers == 0 && others > 0);
    }
}

// A sheet that ends inside: its border is a crease.
static void sheetsMayEndInside(void)
{
    snLattice block = makeBlock(BLOCK_HEXES, 4, 4, 4, snVec(4, 4, 4), &arena);
    snSharp *sharp = SN_NEW(&arena, snSharp, 1);
    sharp->face = snArena_Alloc(&arena, sizeof *sharp->face, 4);
    for (int q = 0; q < 4; q++, sharp->faceCount++)
        for (int m = 0; m < 4; m++) { // x = 2, the middle four of y, z = 1 ... 3
            int y = 1 + q % 2 + (m == 1 || m == 2), z = 1 + q / 2 + (m >= 2);
            sharp->face[q][m] = (z * 5 + y) * 5 + 2;
        }
    block.sharp = sharp;
    for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++) {
        snSubdivision s = mustSubdivide((snScheme)scheme, &block, 1, &arena, &context);
        const snWeightRows *rows = &s.step[0];
        int border = (2 * 5 + 1) * 5 + 2, at = rows->start[border]; // y = 1, z = 2
        CHECK(rows->start[border + 1] - at == 3);
        CHECK_NEAR(rows->weight[at + 1], 0.75, 1e-16);
        int centre = (2 * 5 + 2) * 5 + 2;
        CHECK(rows->start[centre + 1] - rows->start[centre] == 9);
    }
}

static void badTagsAreNamed(void)
{
    snLattice block = makeBlock(BLOCK_HEXES, 2, 2, 2, snVec(1, 1, 1), &arena);
    int edge[2][2] = {{0, 1}, {0, 4}}, corner[1] = {27}, face[1][4] = {{0, 1, 4, -1}};
    snSharp edges = {.edgeCount = 2, .edge = edge};
    snSharp corners = {.cornerCount = 1, .corner = corner};
    snSharp faces = {.faceCount = 1, .face = face};
    const snSharp *all[3] = {&edges, &corners, &faces};
    const char *wanted[3] = {"lattice.sharp.edges[1]: the lattice has no edge from vertex 0 to 4",
                             "lattice.sharp.corners[0]: the lattice has no vertex 27; it has 27",
                             "lattice.sharp.faces[0]: the lattice has no face of vertices 0, 1, 4"};
    for (int i = 0; i < 3; i++) {
        snSubdivision s;
        snError error = {0};
        block.sharp = all[i];
        CHECK(snSubdivideBy(&s, SN_SCHEME_BAJAJ, &block, 1, &arena, &context, &error) ==
              SN_ERROR_GEOMETRY);
        CHECK(!strcmp(error.message, wanted[i]));
        CHECK(snLattice_CheckSharp(&block, &context, &error) == SN_ERROR_GEOMETRY);
    }
    snSubdivision s;
    block.sharp = NULL;
    CHECK(snSubdivideBy(&s, SN_SCHEME_COUNT, &block, 1, &arena, &context, NULL) ==
          SN_ERROR_ARGUMENT);
    CHECK(snSubdivideBy(&s, SN_SCHEME_BAJAJ, &block, -1, &arena, &context, NULL) ==
          SN_ERROR_ARGUMENT);
}

// ---- the plain cases ------------------------------------------------------------------------------

static void trilinearHasTheSameBits(void)
{
    unsigned char boundary[96];
    snLattice lattice = makeMixed(boundary, 0.15, &arena);
    for (int level = 0; level <= 2; level++) {
        snSubdivision s = mustSubdivide(SN_SCHEME_TRILINEAR, &lattice, level, &arena, &context);
        snFineLattice fine;
        CHECK(snSubdivide(&fine, &lattice, level, &arena, &context, NULL) == SN_OK);
        int vertices = fine.lattice.vertexCount, cells = fine.lattice.cellCount;
        size_t entries = (size_t)fine.rows.start[vertices];
        CHECK(s.fine.lattice.vertexCount == vertices && s.fine.lattice.cellCount == cells);
        CHECK(!memcmp(s.fine.lattice.rest, fine.lattice.rest, sizeof(snVec3) * (size_t)vertices));
        CHECK(!memcmp(s.fine.parent, fine.parent, sizeof(int) * (size_t)cells));
        CHECK(!memcmp(s.fine.lattice.corners, fine.lattice.corners,
                      sizeof(int) * (size_t)fine.lattice.cellStart[cells]));
        CHECK(!memcmp(s.fine.rows.weight, fine.rows.weight, sizeof(double) * entries));
        CHECK(!memcmp(s.fine.rows.column, fine.rows.column, sizeof(int) * entries));
        CHECK(!memcmp(s.fine.sourceStart, fine.sourceStart, sizeof(int) * (size_t)(vertices + 1)));
        CHECK(
            !memcmp(s.fine.source, fine.source, sizeof(int) * (size_t)fine.sourceStart[vertices]));
        CHECK(!memcmp(s.fine.levelVertices, fine.levelVertices, sizeof(int) * (size_t)(level + 1)));
    }
}

// A cube from (-1, -1, -1) to (1, 1, 1): by Catmull-Clark its corner goes to (A + 2 M)/3 with
// A = (1/3, ...) and M = (2/3, ...), which is 5/9.
static void oneCell(void)
{
    snLattice cube = makeBlock(BLOCK_HEXES, 1, 1, 1, snVec(2, 2, 2), &arena);
    snSubdivision mj = mustSubdivide(SN_SCHEME_MACCRACKEN_JOY, &cube, 1, &arena, &context);
    snSubdivision average = mustSubdivide(SN_SCHEME_BAJAJ, &cube, 1, &arena, &context);
    CHECK_NEAR(1 - mj.fine.lattice.rest[0].x, 5.0 / 9, 1e-15);
    // Quarter faces at the corner (1, 1, 1) have centroids (1, 1/2, 1/2) and so on: mean 2/3.
    CHECK_NEAR(1 - average.fine.lattice.rest[0].x, 2.0 / 3, 1e-15);
    static const int kinds[3] = {SN_TET, SN_PRISM, SN_HEX};
    for (int k = 0; k < 3; k++)
        for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
            snLattice one = oneCellOf((snCellKind)kinds[k], &arena);
            snSubdivision s = mustSubdivide((snScheme)scheme, &one, 2, &arena, &context);
            snError error = {0};
            CHECK(s.fine.lattice.cellCount == kinds[k] * 8);
            CHECK(snLattice_Check(&s.fine.lattice, &context, &error) == SN_OK);
        }
}

// Vertices without cells stay where they are, at any level.
static void noCells(void)
{
    snLattice none;
    CHECK(snLattice_Alloc(&none, 3, 0, 0, &arena, NULL) == SN_OK);
    none.rest[1] = snVec(1, 2, 3);
    for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
        snSubdivision s = mustSubdivide((snScheme)scheme, &none, 2, &arena, &context);
        CHECK(s.fine.lattice.vertexCount == 3 && s.fine.lattice.cellCount == 0);
        CHECK_NEAR(snDistance(s.fine.lattice.rest[1], none.rest[1]), 0, 0);
    }
}

// What is sharp inside leaves the boundary as it is, except where a sheet meets it.
static void boundariesIgnoreWhatIsInside(void)
{
    snLattice block = makeBlock(BLOCK_HEXES, 4, 4, 4, snVec(4, 4, 4), &arena), tagged = block;
    tagged.sharp = innerSharp(&arena);
    for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++) {
        snSubdivision flat = mustSubdivide(SN_SCHEME_TRILINEAR, &block, 2, &arena, &context);
        snSubdivision a = mustSubdivide((snScheme)scheme, &block, 2, &arena, &context);
        snSubdivision b = mustSubdivide((snScheme)scheme, &tagged, 2, &arena, &context);
        double worst = 0, inside = 0;
        for (int v = 0; v < a.fine.lattice.vertexCount; v++) {
            snVec3 p = flat.fine.lattice.rest[v];
            double apart = snDistance(a.fine.lattice.rest[v], b.fine.lattice.rest[v]);
            bool boundary = p.x == 0 || p.x == 4 || p.y == 0 || p.y == 4 || p.z == 0;
            if (boundary) worst = fmax(worst, apart);
            inside = fmax(inside, apart);
        }
        CHECK_NEAR(worst, 0, 1e-15);
        CHECK(inside > 1e-3);
    }
}

// Smooth lattices stay lattices: every cell positive.
static void fineCellsArePositive(void)
{
    unsigned char boundary[96];
    snLattice lattice = makeMixed(boundary, 0.1, &arena);
    for (int tagged = 0; tagged < 2; tagged++) {
        lattice.sharp = tagged ? mixedSharp(&arena) : NULL;
        for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
            snSubdivision s = mustSubdivide((snScheme)scheme, &lattice, 2, &arena, &context);
            snError error = {0};
            CHECK(snLattice_Check(&s.fine.lattice, &context, &error) == SN_OK);
            if (error.message[0]) printf("%s: %s\n", snScheme_Name(s.scheme), error.message);
        }
    }
}

// What is sharp is part of a lattice.
static void tagsTellLatticesApart(void)
{
    int n[3] = {1, 1, 1};
    snLattice a = makeBlock(BLOCK_HEXES, 1, 1, 1, snVec(1, 1, 1), &arena), b = a;
    snSharp none = {.edgeCount = 0};
    b.sharp = &none;
    CHECK(snFlesh_SameLattice(&a, &a) && snFlesh_SameLattice(&a, &b));
    b.sharp = boxSharp(n, &arena);
    CHECK(!snFlesh_SameLattice(&a, &b));
    a.sharp = boxSharp(n, &arena);
    CHECK(snFlesh_SameLattice(&a, &b));
    a.sharp->edge[3][1]++;
    CHECK(!snFlesh_SameLattice(&a, &b));
    a.sharp = boxSharp(n, &arena);
    a.sharp->corner[2]++;
    CHECK(!snFlesh_SameLattice(&a, &b));
}

static snStatus subdivide(const void *user, snArena *out, const snContext *failing)
{
    const snSubdivisionDef *def = user;
    snSubdivision s;
    return snSubdivideBy(&s, def->scheme, def->lattice, def->levels, out, failing, NULL);
}

static void failingAllocations(void)
{
    int n[3] = {2, 1, 1};
    snLattice box = makeBlock(BLOCK_HEXES, 2, 1, 1, snVec(2, 1, 1), &arena);
    box.sharp = boxSharp(n, &arena);
    for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++)
        failEvery(subdivide,
                  &(snSubdivisionDef){.scheme = (snScheme)scheme, .lattice = &box, .levels = 2}, 0);
}

int main(void)
{
    context = snDefaultContext();
    arena = snMakeArena(&context);
    RUN(boundaryIsCatmullClark);
    RUN(gridsAreTensorProducts);
    RUN(sharpBoxesKeepLinearFunctions);
    RUN(rowsAreAffineAndMultiply);
    RUN(creasesAreCurves);
    RUN(sheetsDependOnThemselves);
    RUN(sheetsMayEndInside);
    RUN(badTagsAreNamed);
    RUN(trilinearHasTheSameBits);
    RUN(oneCell);
    RUN(noCells);
    RUN(boundariesIgnoreWhatIsInside);
    RUN(fineCellsArePositive);
    RUN(tagsTellLatticesApart);
    RUN(failingAllocations);
    snArena_Destroy(&arena);
    return snTest_Finish();
}
