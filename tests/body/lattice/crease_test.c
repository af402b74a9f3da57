// Where a boundary is sharp: bent edges, tagged ones, and those where a sheet inside meets it, at any level.
#include "body/lattice/crease.h"
#include "body/lattice/limit_surface.h"
#include "core/core.h"
#include "tests/body/lattice/blocks.h"
#include "tests/test.h"

#include <math.h>
#include <stdio.h>

static snCreases findCreases(const snLattice *lattice, bool bends, snArena *arena)
{
    snContext context = snDefaultContext();
    snBoundary boundary;
    snCreases creases;
    CHECK(snBoundary_Find(&boundary, lattice, arena, &context, NULL) == SN_OK);
    CHECK(snCreases_Find(&creases, &boundary, lattice, bends, arena, &context, NULL) == SN_OK);
    for (int f = 0; f < boundary.faceCount; f++)
        for (int k = 0; k < 4; k++)
            CHECK(creases.vertex[creases.faces[f][k]] == boundary.faces[f][k]);
    return creases;
}

static int findVertex(const snLattice *lattice, snVec3 place)
{
    for (int v = 0; v < lattice->vertexCount; v++)
        if (snDistance(lattice->rest[v], place) < 1e-9) return v;
    CHECK(false);
    return 0;
}

// A block: its vertices on faces have one corner, on edges two, at corners three; where bends do not count, all one.
static void bentEdgesAreSharp(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snLattice block = makeBlock(BLOCK_HEXES, 3, 2, 2, snVec(3, 2, 2), &arena);
    snCreases bent = findCreases(&block, true, &arena), smooth = findCreases(&block, false, &arena);
    int count[2] = {bent.cornerCount, smooth.cornerCount};
    CHECK(count[0] == 8 * 3 + 4 * (2 + 1 + 1) * 2 + 2 * (2 + 2 + 1));
    CHECK(count[1] == 4 * 3 * 3 - 2);
    snArena_Destroy(&arena);
}

// A crease that is tagged across the top of a block, at every level of every scheme: at level j it has 4 * 2^j edges, and
// all its vertices but the ends, where it meets smooth faces (which end sits on the rim), have two corners.
static void tagsAreKept(void)
{
    for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++)
        for (int level = 1; level <= 2; level++) {
            snContext context = snDefaultContext();
            snArena arena = snMakeArena(&context);
            snLattice block = makeBlock(BLOCK_HEXES, 4, 2, 2, snVec(4, 2, 2), &arena);
            int edges[4][2];
            snSharp sharp = {.edgeCount = 4, .edge = edges};
            for (int i = 0; i < 4; i++)
                for (int k = 0; k < 2; k++)
                    edges[i][k] = findVertex(&block, snVec(i + k, 2, 1));
            snNodesDef def = {
                .scheme = (snScheme)scheme, .lattice = &block, .levels = 0, .nodeLevel = level};
            snNodes nodes;
            CHECK(snNodes_Make(&nodes, &def, &arena, &context, NULL) == SN_OK);
            int before = findCreases(&nodes.lattice, false, &arena).cornerCount;
            CHECK(!nodes.lattice.sharp);
            block.sharp = &sharp;
            CHECK(snNodes_Make(&nodes, &def, &arena, &context, NULL) == SN_OK);
            if (!CHECK(nodes.lattice.sharp != NULL)) continue;
            CHECK(nodes.lattice.sharp->edgeCount == 4 << level);
            int after = findCreases(&nodes.lattice, false, &arena).cornerCount;
            printf("    %s, level %d: %d corners, %d without tags\n",
                   snScheme_Name((snScheme)scheme), level, after, before);
            CHECK(after == before + (4 << level) - 1);
            snLimitSurface surface;
            snLimitSurfaceDef drawn = {.nodes = def};
            CHECK(snLimitSurface_Make(&surface, &drawn, &arena, &context, NULL) == SN_OK);
            if (scheme != SN_SCHEME_TRILINEAR) CHECK(surface.cornerCount == after);
            snArena_Destroy(&arena);
        }
}

// Two cells with a sheet between them: around the block runs a crease that nobody named.
static void sheetsMeetTheBoundarySharply(void)
{
    for (int scheme = 0; scheme < SN_SCHEME_COUNT; scheme++) {
        snContext context = snDefaultContext();
        snArena arena = snMakeArena(&context);
        snLattice block = makeBlock(BLOCK_HEXES, 2, 1, 1, snVec(2, 1, 1), &arena);
        int face[1][4] = {{findVertex(&block, snVec(1, 0, 0)), findVertex(&block, snVec(1, 1, 0)),
                           findVertex(&block, snVec(1, 1, 1)), findVertex(&block, snVec(1, 0, 1))}};
        snSharp sharp = {.faceCount = 1, .face = face};
        block.sharp = &sharp;
        for (int level = 0; level <= 2; level++) {
            snNodesDef def = {
                .scheme = (snScheme)scheme, .lattice = &block, .levels = 0, .nodeLevel = level};
            snNodes nodes;
            CHECK(snNodes_Make(&nodes, &def, &arena, &context, NULL) == SN_OK);
            snLattice bare = nodes.lattice;
            bare.sharp = NULL;
            int with = findCreases(&nodes.lattice, false, &arena).cornerCount;
            int without = findCreases(&bare, false, &arena).cornerCount;
            CHECK(with == without + (4 << level)); // each vertex around has two sides
        }
        snArena_Destroy(&arena);
    }
}

static void failingMemoryIsSurvived(void)
{
    snContext plain = snDefaultContext();
    snArena lattices = snMakeArena(&plain);
    snLattice block = makeBlock(BLOCK_HEXES, 1, 1, 1, snVec(1, 1, 1), &lattices);
    snBoundary boundary;
    CHECK(snBoundary_Find(&boundary, &block, &lattices, &plain, NULL) == SN_OK);
    bool made = false;
    for (int n = 1; n < 50 && !made; n++) {
        snContext context = plain;
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        snArena arena = snMakeArena(&context);
        snCreases creases;
        snStatus status = snCreases_Find(&creases, &boundary, &block, true, &arena, &context, NULL);
        made = status == SN_OK;
        CHECK(made || status == SN_ERROR_MEMORY);
        if (made) CHECK(creases.cornerCount == 24);
        snArena_Destroy(&arena);
        CHECK(memory.alive == 0);
    }
    CHECK(made);
    snArena_Destroy(&lattices);
}

int main(void)
{
    RUN(bentEdgesAreSharp);
    RUN(tagsAreKept);
    RUN(sheetsMeetTheBoundarySharply);
    RUN(failingMemoryIsSurvived);
    return snTest_Finish();
}
