// Lattices that the tests of the lattice body share.
#ifndef SN_TESTS_BODY_LATTICE_BLOCKS_H
#define SN_TESTS_BODY_LATTICE_BLOCKS_H

#include "body/lattice/lattice.h"
#include "body/lattice/quadrature.h"
#include "body/lattice/subdivide.h"
#include "core/random.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

typedef enum BlockKind { BLOCK_HEXES, BLOCK_TETS } BlockKind;

// A box of nx * ny * nz cells, hexahedra or six tets each.
static inline snLattice makeBlock(BlockKind kind, int nx, int ny, int nz, snVec3 size,
                                  snArena *arena)
{
    int vertices = (nx + 1) * (ny + 1) * (nz + 1), hexes = nx * ny * nz;
    snLattice hex, out;
    snLattice_Alloc(&hex, vertices, hexes, hexes * 8, arena, NULL);
    for (int k = 0, v = 0; k <= nz; k++)
        for (int j = 0; j <= ny; j++)
            for (int i = 0; i <= nx; i++, v++)
                hex.rest[v] = snVec(size.x * i / nx, size.y * j / ny, size.z * k / nz);
    for (int k = 0, c = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++, c++) {
                int base = (k * (ny + 1) + j) * (nx + 1) + i, up = (nx + 1) * (ny + 1);
                int corners[8] = {base, base + 1, base + nx + 2, base + nx + 1};
                for (int m = 0; m < 4; m++)
                    corners[m + 4] = corners[m] + up;
                for (int m = 0; m < 8; m++)
                    hex.corners[c * 8 + m] = corners[m];
                hex.cellStart[c + 1] = (c + 1) * 8;
            }
    if (kind == BLOCK_HEXES) return hex;
    snLattice_Alloc(&out, vertices, hexes * 6, hexes * 24, arena, NULL);
    for (int v = 0; v < vertices; v++)
        out.rest[v] = hex.rest[v];
    for (int c = 0; c < hexes; c++) {
        int tets[SN_CELL_TETS][4], n = snSplitCell(&hex, c, tets);
        for (int t = 0; t < n; t++) {
            for (int m = 0; m < 4; m++)
                out.corners[(c * 6 + t) * 4 + m] = tets[t][m];
            out.cellStart[c * 6 + t + 1] = (c * 6 + t + 1) * 4;
        }
    }
    return out;
}

static inline int gridVertex(int i, int j, int k)
{
    return (k * 4 + j) * 6 + i;
}

// Appends a cell.
static inline void addCell(snLattice *lattice, int corners, const int *vertices)
{
    int start = lattice->cellStart[lattice->cellCount];
    for (int m = 0; m < corners; m++)
        lattice->corners[start + m] = vertices[m];
    lattice->cellStart[++lattice->cellCount] = start + corners;
}

// All three kinds in one lattice: columns x < 3 are two layers of prisms under a layer of tets,
// columns x >= 3 are two layers of hexahedra. Inner vertices are shaken, so that faces are not
// planar and no two cells are alike. `boundary` marks the vertices of the outside.
static inline snLattice makeMixed(unsigned char *boundary, double shake, snArena *arena)
{
    snLattice full, prisms;
    snLattice_Alloc(&full, 6 * 4 * 4, 200, 1200, arena, NULL);
    snLattice_Alloc(&prisms, 6 * 4 * 4, 200, 1200, arena, NULL);
    full.cellCount = prisms.cellCount = 0;
    snRandom random = snMakeRandom(7);
    for (int k = 0; k < 4; k++)
        for (int j = 0; j < 4; j++)
            for (int i = 0; i < 6; i++) {
                int v = gridVertex(i, j, k);
                bool outside =
                    i == 0 || i == 5 || j == 0 || j == 3 || k == 0 || k == 3 || (k == 2 && i >= 3);
                snVec3 move = snScale(outside ? 0 : shake, snRandom_UnitVector(&random));
                full.rest[v] = prisms.rest[v] = snAdd(snVec(i, j, k), move);
                boundary[v] = outside;
            }
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 5; i++) {
                int v[8] = {gridVertex(i, j, k),
                            gridVertex(i + 1, j, k),
                            gridVertex(i + 1, j + 1, k),
                            gridVertex(i, j + 1, k),
                            gridVertex(i, j, k + 1),
                            gridVertex(i + 1, j, k + 1),
                            gridVertex(i + 1, j + 1, k + 1),
                            gridVertex(i, j + 1, k + 1)};
                int left[6] = {v[0], v[1], v[2], v[4], v[5], v[6]};
                int right[6] = {v[0], v[2], v[3], v[4], v[6], v[7]};
                if (i >= 3 && k < 2) addCell(&full, 8, v);
                if (i >= 3) continue;
                addCell(k < 2 ? &full : &prisms, 6, left);
                addCell(k < 2 ? &full : &prisms, 6, right);
            }
    for (int c = 0; c < prisms.cellCount; c++) {
        int tets[SN_CELL_TETS][4], n = snSplitCell(&prisms, c, tets);
        for (int t = 0; t < n; t++)
            addCell(&full, 4, tets[t]);
    }
    // Vertices of the missing corner (x > 3, z = 3) belong to no cell: leave them out.
    int used = 0, number[96];
    for (int v = 0; v < 96; v++) {
        bool missing = v / 24 == 3 && v % 6 > 3;
        number[v] = missing ? -1 : used;
        if (missing) continue;
        full.rest[used] = full.rest[v];
        boundary[used++] = boundary[v];
    }
    full.vertexCount = used;
    for (int m = 0; m < full.cellStart[full.cellCount]; m++)
        full.corners[m] = number[full.corners[m]];
    return full;
}

// ---- what models are made of --------------------------------------------------------------------

static inline double *constants(int count, double value, snArena *arena)
{
    double *list = SN_NEW(arena, double, count);
    for (int i = 0; i < count; i++)
        list[i] = value;
    return list;
}

// One joint carries all vertices.
static inline snWeightRows skinOfOne(int vertices, snArena *arena)
{
    snWeightRows skin;
    CHECK(snWeightRows_Identity(&skin, vertices, arena, NULL) == SN_OK);
    memset(skin.column, 0, (size_t)vertices * sizeof *skin.column);
    skin.columns = 1;
    return skin;
}

// Marks vertices whose x is not above.
static inline unsigned char *heldUpTo(const snLattice *lattice, double x, snArena *arena)
{
    unsigned char *held = SN_NEW(arena, unsigned char, lattice->vertexCount);
    for (int v = 0; v < lattice->vertexCount; v++)
        held[v] = lattice->rest[v].x <= x;
    return held;
}

// By the default definition.
static inline snQuadrature quadratureOf(const snLattice *lattice, snArena *arena,
                                        const snContext *context)
{
    snQuadrature quadrature;
    snQuadratureDef def = snDefaultQuadratureDef();
    CHECK(snQuadrature_Make(&quadrature, lattice, &def, arena, context, NULL) == SN_OK);
    return quadrature;
}

#endif
