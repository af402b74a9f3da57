// Lattices with sharp features, shared by the tests of subdivision schemes.
#ifndef SN_TESTS_BODY_LATTICE_SHARP_BLOCKS_H
#define SN_TESTS_BODY_LATTICE_SHARP_BLOCKS_H

#include "tests/body/lattice/blocks.h"

static inline snSharp *makeSharp(int edges, int corners, int faces, snArena *arena)
{
    snSharp *sharp = SN_NEW(arena, snSharp, 1);
    sharp->edge = snArena_Alloc(arena, sizeof *sharp->edge, (size_t)edges);
    sharp->corner = SN_NEW(arena, int, corners);
    sharp->face = snArena_Alloc(arena, sizeof *sharp->face, (size_t)faces);
    return sharp;
}

static inline void addSharpEdge(snSharp *sharp, int a, int b)
{
    sharp->edge[sharp->edgeCount][0] = a;
    sharp->edge[sharp->edgeCount++][1] = b;
}

// On makeMixed's boundary: a crease along y = z = 0 from a dart at x = 1 to a corner at x = 5 where
// three meet, and a tagged corner.
static inline const snSharp *mixedSharp(snArena *arena)
{
    snSharp *sharp = makeSharp(6, 1, 0, arena);
    for (int i = 1; i < 5; i++)
        addSharpEdge(sharp, gridVertex(i, 0, 0), gridVertex(i + 1, 0, 0));
    addSharpEdge(sharp, gridVertex(5, 1, 0), gridVertex(5, 0, 0));
    addSharpEdge(sharp, gridVertex(5, 0, 0), gridVertex(5, 0, 1));
    sharp->corner[sharp->cornerCount++] = gridVertex(2, 3, 0);
    return sharp;
}

// All twelve edges and eight corners of a makeBlock of hexahedra.
static inline const snSharp *boxSharp(const int n[3], snArena *arena)
{
    int stride[3] = {1, n[0] + 1, (n[0] + 1) * (n[1] + 1)};
    snSharp *sharp = makeSharp(4 * (n[0] + n[1] + n[2]), 8, 0, arena);
    for (int k = 0; k < 8; k++)
        sharp->corner[sharp->cornerCount++] = (k & 1 ? n[0] * stride[0] : 0) +
                                              (k & 2 ? n[1] * stride[1] : 0) +
                                              (k & 4 ? n[2] * stride[2] : 0);
    for (int a = 0; a < 3; a++)
        for (int side = 0; side < 4; side++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            int v = (side & 1 ? n[b] * stride[b] : 0) + (side & 2 ? n[c] * stride[c] : 0);
            for (int i = 0; i < n[a]; i++, v += stride[a])
                addSharpEdge(sharp, v, v + stride[a]);
        }
    return sharp;
}

// The faces of a makeBlock across its first axis, at grid plane `x`.
static inline const snSharp *blockSheet(int nx, int ny, int nz, int x, snArena *arena)
{
    snSharp *sharp = makeSharp(0, 0, ny * nz, arena);
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++, sharp->faceCount++)
            for (int m = 0; m < 4; m++) {
                int y = j + (m == 1 || m == 2), z = k + (m >= 2);
                sharp->face[sharp->faceCount][m] = (z * (ny + 1) + y) * (nx + 1) + x;
            }
    return sharp;
}

// In a makeBlock of 4 * 4 * 4: a sheet that ends inside and meets the boundary (four faces at x = 2, y = 1 ... 3, z = 2 ... 4), and a crease
// inside along x at y = z = 1 that ends at the boundary on one side and in a dart on the other.
static inline const snSharp *innerSharp(snArena *arena)
{
    snSharp *sharp = makeSharp(2, 0, 4, arena);
    for (int q = 0; q < 4; q++, sharp->faceCount++)
        for (int m = 0; m < 4; m++) {
            int y = 1 + q % 2 + (m == 1 || m == 2), z = 2 + q / 2 + (m >= 2);
            sharp->face[q][m] = (z * 5 + y) * 5 + 2;
        }
    addSharpEdge(sharp, 30, 31);
    addSharpEdge(sharp, 31, 32);
    return sharp;
}

static inline snLattice oneCellOf(snCellKind kind, snArena *arena)
{
    static const snVec3 tet[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const snVec3 prism[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0},
                                    {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
    if (kind == SN_HEX) return makeBlock(BLOCK_HEXES, 1, 1, 1, snVec(1, 1, 1), arena);
    snLattice one;
    snLattice_Alloc(&one, (int)kind, 1, (int)kind, arena, NULL);
    for (int v = 0; v < (int)kind; v++) {
        one.rest[v] = kind == SN_TET ? tet[v] : prism[v];
        one.corners[v] = v;
    }
    one.cellStart[1] = (int)kind;
    return one;
}

#endif
