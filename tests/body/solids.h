// Solid bodies that the tests of bodies and worlds share.
#ifndef SN_TESTS_BODY_SOLIDS_H
#define SN_TESTS_BODY_SOLIDS_H

#include "body/lattice/solid_body.h"
#include "core/core.h"
#include "tests/body/lattice/blocks.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>

// A block of n x m x k hexahedra.
typedef struct BlockDef {
    int n, m, k;
    snVec3 size;
    double young;
    snSolidBodyDef solid;
} BlockDef;

static inline BlockDef blockDef(void)
{
    BlockDef def = {.n = 3, .m = 2, .k = 2, .size = {0.3, 0.2, 0.2}, .young = 1e5};
    def.solid = snDefaultSolidBodyDef();
    return def;
}

static inline snBody *newBlock(const BlockDef *def, const snContext *context, snError *error)
{
    snContext own = snDefaultContext();
    snArena arena = snMakeArena(&own);
    snLattice lattice = makeBlock(BLOCK_HEXES, def->n, def->m, def->k, def->size, &arena);
    double *young = SN_NEW(&arena, double, lattice.cellCount);
    for (int c = 0; c < lattice.cellCount; c++)
        young[c] = def->young;
    snSolidBodyDef solid = def->solid;
    snBody *body;
    solid.lattice = &lattice;
    solid.young = young;
    snSolidBody_Make(&body, &solid, context, error);
    snArena_Destroy(&arena);
    return body;
}

static inline snBody *mustMakeBlock(const BlockDef *def)
{
    snContext context = snDefaultContext();
    snError error = {0};
    snBody *body = newBlock(def, &context, &error);
    if (!CHECK(body != NULL)) printf("%s\n", error.message), exit(1);
    return body;
}

static inline snBodyStep stillStep(const snBody *body)
{
    return (snBodyStep){.length = body->step, .stiffness = 1};
}

// A block of one cell is made, or nothing of it stays, whichever allocation fails; and made in the end.
static inline bool survivesFailingMemory(BlockDef def)
{
    bool made = false;
    def.n = def.m = def.k = 1;
    for (int n = 1; n < 500 && !made; n++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        snBody *body = newBlock(&def, &context, NULL);
        made = body != NULL;
        snBody_Destroy(body);
        CHECK(memory.alive == 0);
    }
    return made;
}

#endif
