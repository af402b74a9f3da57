#include "tests/test.h"

#include "body/lattice/lattice.h"
#include "core/core.h"
#include "tests/body/lattice/blocks.h"

#include <string.h>

static void shapesAreRightHanded(void)
{
    // The reference cells: every corner's three neighbours span a positive volume.
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snVec3 hex[8] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    snVec3 prism[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
    snVec3 tet[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const snVec3 *points[3] = {tet, prism, hex};
    int corners[3] = {4, 6, 8};
    double volumes[3] = {1 / 6.0, 0.5, 1};
    for (int k = 0; k < 3; k++) {
        snLattice lattice;
        snLattice_Alloc(&lattice, corners[k], 1, corners[k], &arena, NULL);
        memcpy(lattice.rest, points[k], (size_t)corners[k] * sizeof(snVec3));
        for (int m = 0; m < corners[k]; m++)
            lattice.corners[m] = m;
        lattice.cellStart[1] = corners[k];
        snError error;
        CHECK(snLattice_Check(&lattice, &context, &error) == SN_OK);
        CHECK_NEAR(snLattice_Volume(&lattice, 0), volumes[k], 1e-15);
        CHECK(snLattice_Quality(&lattice, 0) > 0.4);
    }
    snArena_Destroy(&arena);
}

static void mixedLatticeIsValid(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    unsigned char boundary[96];
    snLattice lattice = makeMixed(boundary, 0.15, &arena);
    snError error = {0};
    CHECK(snLattice_Check(&lattice, &context, &error) == SN_OK);
    double volume = 0;
    int kinds[9] = {0};
    for (int c = 0; c < lattice.cellCount; c++) {
        volume += snLattice_Volume(&lattice, c);
        kinds[snLattice_Kind(&lattice, c)]++;
    }
    CHECK_NEAR(volume, 3 * 3 * 3 + 2 * 3 * 2, 1e-12);
    CHECK(kinds[4] == 54 && kinds[6] == 36 && kinds[8] == 12);
    snArena_Destroy(&arena);
}

static void violationsAreNamed(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snError error;
    snLattice l = makeBlock(BLOCK_HEXES, 2, 1, 1, snVec(2, 1, 1), &arena);
    l.corners[8] = 99;
    CHECK(snLattice_Check(&l, &context, &error) == SN_ERROR_GEOMETRY);
    CHECK(strstr(error.message, "cells[1]") && strstr(error.message, "99"));
    l = makeBlock(BLOCK_HEXES, 2, 1, 1, snVec(2, 1, 1), &arena);
    l.rest[0] = snVec(3, 3, 3);
    CHECK(snLattice_Check(&l, &context, &error) == SN_ERROR_GEOMETRY);
    CHECK(strstr(error.message, "inverted"));
    l = makeBlock(BLOCK_TETS, 1, 1, 1, snVec(1, 1, 1), &arena);
    memcpy(l.corners + 4, l.corners, 4 * sizeof(int)); // the same tet twice
    CHECK(snLattice_Check(&l, &context, &error) == SN_ERROR_GEOMETRY);
    CHECK(strstr(error.message, "same side") || strstr(error.message, "share"));
    l = makeBlock(BLOCK_TETS, 1, 1, 1, snVec(1, 1, 1), &arena);
    l.rest[3].y = NAN;
    CHECK(snLattice_Check(&l, &context, &error) == SN_ERROR_GEOMETRY);
    CHECK(strstr(error.message, "vertices[3]"));
    snArena_Destroy(&arena);
}

static void boneEdges(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snLattice l = makeBlock(BLOCK_HEXES, 4, 2, 2, snVec(4, 2, 2), &arena);
    for (int v = 0; v < l.vertexCount; v++)
        if (l.rest[v].y == 1 && l.rest[v].z == 1) l.joint[v] = 0;
    snBone along = {0, {0, 1, 1}, {4, 1, 1}};
    CHECK(snLattice_MissingBoneEdges(&l, &along, 1, 1e-9, &context) == 0);
    l.joint[5 * 3 + 5 + 2] = -1; // take one vertex out of the chain: (2, 1, 1)
    CHECK(snLattice_MissingBoneEdges(&l, &along, 1, 1e-9, &context) == 1);
    snArena_Destroy(&arena);
}

int main(void)
{
    RUN(shapesAreRightHanded);
    RUN(mixedLatticeIsValid);
    RUN(violationsAreNamed);
    RUN(boneEdges);
    return snTest_Finish();
}
