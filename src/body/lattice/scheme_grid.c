#include "body/lattice/scheme_parts.h"

#include "core/error.h"

#include <math.h>
#include <string.h>

// Where a patch is a grid. Along one axis let the control points be p_{-1}, p_0, p_1, p_2, the cell
// lying between p_0 and p_1. Inside, both smooth schemes refine as uniform cubic B-splines do, and the
// limit is Σ_i B_i(u) p_i.
//
// Where the cell ends in a face of the surface (p_{-1} is not there, or lies behind a sharp sheet) the
// rules keep p_0 in this direction: p_0' = p_0, (p_0 + p_1)/2, and from p_1 on as inside. That is
// the refinement of a B-spline with a phantom point p_{-1} = 2 p_0 - p_1:
//     (p_{-1} + 6 p_0 + p_1)/8 = p_0,    (p_{-1} + p_0)/2 = 2 p_0 - (p_0 + p_1)/2,
// so the phantom refines to the phantom of the next level, and the limit is the natural spline, its second
// derivative zero at the end. On the boundary (u = 0) what is left is the bicubic of Catmull and
// Clark. Box edges that are tagged sharp end in two directions, corners in three.
//
// Whether a patch is of this kind is not guessed from its tags: cells are walked into a grid, and
// the rows of S are compared with the tensor product's. What agrees once agrees at all finer levels,
// because the features of a finer level inherit their rule from the feature that they lie in.

#define SAME 1e-13 // rows that agree differ by rounding alone, others by 1e-3 at least

typedef struct Grid {
    const snPatch *patch;
    int cell[3][3][3];      // [x][y][z], -1 where there is none
    int corner[3][3][3][8]; // its vertices by bits
    bool has[3][2];         // per axis and side: there is a cell beyond
    int vertex[4][4][4];    // coordinates -1 ... 2
    int *place;             // of a patch vertex in `vertex`
} Grid;

// The cell beyond a face of an oriented one, oriented alike; -1 at the surface, -2 when it is no
// hexahedron or not the only one.
static int beyond(const snComplex *x, int cell, const int corner[8], int axis, int side, int out[8])
{
    int face[4], n = 0, bit = 1 << axis;
    for (int b = 0; b < 8; b++)
        if (((b & bit) != 0) == (side != 0)) face[n++] = corner[b];
    int f = snComplex_FindFace(x, face);
    if (f < 0) return -2;
    if (x->surface[f]) return -1;
    const int *cells = x->faceCells.item + x->faceCells.start[f];
    if (x->faceCells.start[f + 1] - x->faceCells.start[f] != 2) return -2;
    int other = cells[0] == cell ? cells[1] : cells[0];
    if (snLattice_Kind(x->lattice, other) != SN_HEX) return -2;
    const int *v = snLattice_Corners(x->lattice, other);
    const snCellShape *shape = snCellShape_Of(SN_HEX);
    for (int b = 0; b < 8; b++) {
        if (((b & bit) != 0) != (side != 0)) continue;
        for (int k = 0; k < 8; k++) {
            if (v[k] != corner[b]) continue;
            out[b ^ bit] = corner[b];
            for (int m = 0; m < 3; m++) { // the neighbour off the face
                int w = v[shape->neighbour[k][m]];
                if (w != face[0] && w != face[1] && w != face[2] && w != face[3]) out[b] = w;
            }
        }
    }
    return other;
}

// Enters a cell's vertices; false when a place or a vertex is taken by another.
static bool enter(Grid *grid, const int at[3])
{
    const int *corner = grid->corner[at[0]][at[1]][at[2]];
    for (int b = 0; b < 8; b++) {
        int i = at[0] + (b & 1), j = at[1] + (b >> 1 & 1), k = at[2] + (b >> 2);
        int *place = &grid->vertex[i][j][k], number = (i * 4 + j) * 4 + k;
        if (*place >= 0 && *place != corner[b]) return false;
        if (grid->place[corner[b]] >= 0 && grid->place[corner[b]] != number) return false;
        *place = corner[b];
        grid->place[corner[b]] = number;
    }
    return true;
}

// From the cell at `at` to both sides along an axis.
static bool walk(Grid *grid, const int at[3], int axis)
{
    const int *from = grid->corner[at[0]][at[1]][at[2]];
    for (int side = 0; side < 2; side++) {
        int to[3] = {at[0], at[1], at[2]};
        to[axis] += side ? 1 : -1;
        int found = beyond(&grid->patch->complex, grid->cell[at[0]][at[1]][at[2]], from, axis, side,
                           grid->corner[to[0]][to[1]][to[2]]);
        if (found == -2 || grid->has[axis][side] != (found >= 0)) return false;
        grid->cell[to[0]][to[1]][to[2]] = found;
        if (found >= 0 && !enter(grid, to)) return false;
    }
    return true;
}

// Along x, from each of those along y, from each of those along z.
static bool walkAll(Grid *grid)
{
    bool ok = walk(grid, (int[3]){1, 1, 1}, 0);
    for (int i = 0; i < 3 && ok; i++)
        if (grid->cell[i][1][1] >= 0) ok = walk(grid, (int[3]){i, 1, 1}, 1);
    for (int i = 0; i < 3 && ok; i++)
        for (int j = 0; j < 3 && ok; j++)
            if (grid->cell[i][j][1] >= 0) ok = walk(grid, (int[3]){i, j, 1}, 2);
    return ok;
}

static bool layOut(Grid *grid)
{
    const snPatch *patch = grid->patch;
    const int *v = snLattice_Corners(&patch->lattice, patch->cell);
    int *corner = grid->corner[1][1][1], unused[8];
    memset(grid->vertex, -1, sizeof grid->vertex);
    memset(grid->cell, -1, sizeof grid->cell);
    for (int n = 0; n < patch->lattice.vertexCount; n++)
        grid->place[n] = -1;
    grid->cell[1][1][1] = patch->cell;
    for (int k = 0; k < 8; k++)
        corner[snHexBits[k]] = v[k];
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 2; side++)
            grid->has[axis][side] =
                beyond(&patch->complex, patch->cell, corner, axis, side, unused) >= 0;
    return enter(grid, (int[3]){1, 1, 1}) && walkAll(grid);
}

// The row of the refinement at coordinate f/2 - 1, over the points -1, 0, 1, 2.
static void splineRow(const bool has[2], int f, double row[4])
{
    int i = f / 2;
    row[0] = row[1] = row[2] = row[3] = 0;
    if (f % 2) {
        row[i] = row[i + 1] = 0.5;
    } else if ((i == 1 && !has[0]) || (i == 2 && !has[1])) {
        row[i] = 1;
    } else {
        row[i] = 0.75;
        row[i - 1] = row[i + 1] = 0.125;
    }
}

static bool sameRow(const Grid *grid, int fine, const int f[3])
{
    const snWeightRows *s = &grid->patch->step;
    double row[3][4], value[64] = {0};
    for (int i = s->start[fine]; i < s->start[fine + 1]; i++) {
        int place = grid->place[s->column[i]];
        if (place < 0) return false;
        value[place] = s->weight[i];
    }
    for (int a = 0; a < 3; a++)
        splineRow(grid->has[a], f[a], row[a]);
    for (int n = 0; n < 64; n++)
        if (!(fabs(value[n] - row[0][n >> 4] * row[1][n >> 2 & 3] * row[2][n & 3]) <= SAME))
            return false;
    return true;
}

// Compares the rows of all vertices of the split lattice that touch the middle cell's: those at
// coordinates -1/2 ... 3/2, where there are cells.
static bool sameRows(const Grid *grid, const int at[3])
{
    const snPatch *patch = grid->patch;
    const snCellShape *shape = snCellShape_Of(SN_HEX);
    int cell = grid->cell[at[0]][at[1]][at[2]];
    const int *corner = grid->corner[at[0]][at[1]][at[2]];
    const int *v = snLattice_Corners(&patch->lattice, cell);
    int bits[8]; // of the cell's own corners
    for (int k = 0; k < 8; k++)
        for (int b = 0; b < 8; b++)
            if (corner[b] == v[k]) bits[k] = b;
    for (int k = 0; k < 8; k++) {
        const int *hex =
            patch->complex.split.lattice.corners + (patch->lattice.cellStart[cell] + k) * 8;
        int step[3];
        for (int m = 0; m < 3; m++)
            step[m] = bits[k] ^ bits[shape->neighbour[k][m]];
        for (int q = 0; q < 8; q++) {
            int moved = 0, f[3], b = snHexBits[q];
            for (int m = 0; m < 3; m++)
                if (b >> m & 1) moved |= step[m];
            bool inside = true;
            for (int a = 0; a < 3; a++) {
                int up = bits[k] >> a & 1;
                f[a] = 2 * (at[a] + up) + (moved >> a & 1 ? (up ? -1 : 1) : 0);
                inside = inside && f[a] >= 1 && f[a] <= 5;
            }
            if (inside && !sameRow(grid, hex[q], f)) return false;
        }
    }
    return true;
}

// Phantoms folded into the points that they are made of.
static void foldPhantoms(const bool has[2], double w[4])
{
    if (!has[0]) {
        w[1] += 2 * w[0];
        w[2] -= w[0];
        w[0] = 0;
    }
    if (!has[1]) {
        w[2] += 2 * w[3];
        w[1] -= w[3];
        w[3] = 0;
    }
}

// Uniform cubic B-splines at u, and their derivatives.
static void splineWeights(const bool has[2], double u, double w[4], double d[4])
{
    double v = 1 - u;
    w[0] = v * v * v / 6;
    w[1] = (3 * u * u * (u - 2) + 4) / 6;
    w[2] = (3 * v * v * (v - 2) + 4) / 6;
    w[3] = u * u * u / 6;
    d[0] = -v * v / 2;
    d[1] = u * (3 * u - 4) / 2;
    d[2] = -v * (3 * v - 4) / 2;
    d[3] = u * u / 2;
    foldPhantoms(has, w);
    foldPhantoms(has, d);
}

snStatus snGrid_Find(snGrid *grid, const snPatch *patch, snArena *arena, snError *error)
{
    Grid found = {.patch = patch, .place = SN_NEW(arena, int, patch->lattice.vertexCount)};
    if (!found.place) return snFailMemory(error);
    *grid = (snGrid){.regular = layOut(&found), .place = found.place};
    for (int n = 0; n < 27 && grid->regular; n++) {
        int at[3] = {n / 9, n / 3 % 3, n % 3};
        if (found.cell[at[0]][at[1]][at[2]] >= 0) grid->regular = sameRows(&found, at);
    }
    memcpy(grid->has, found.has, sizeof grid->has);
    return SN_OK;
}

void snGrid_Evaluate(const snGrid *grid, int vertices, const double u[3], double (*weight)[4])
{
    double w[3][4], d[3][4];
    for (int a = 0; a < 3; a++)
        splineWeights(grid->has[a], u[a], w[a], d[a]);
    for (int n = 0; n < vertices; n++) {
        int p = grid->place[n], x = p >> 4 & 3, y = p >> 2 & 3, z = p & 3;
        weight[n][0] = p < 0 ? 0 : w[0][x] * w[1][y] * w[2][z];
        weight[n][1] = p < 0 ? 0 : d[0][x] * w[1][y] * w[2][z];
        weight[n][2] = p < 0 ? 0 : w[0][x] * d[1][y] * w[2][z];
        weight[n][3] = p < 0 ? 0 : w[0][x] * w[1][y] * d[2][z];
    }
}
