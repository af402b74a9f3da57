// Worlds of blocks that tests share.
#ifndef SN_TESTS_WORLD_WORLDS_H
#define SN_TESTS_WORLD_WORLDS_H

#include "tests/body/solids.h"
#include "tests/world/makers.h"

#include <stdio.h>
#include <stdlib.h>

static inline int addBlock(snWorld *world, const BlockDef *def, snVec3 at)
{
    snError error = {0};
    snBody *body = newBlock(def, &world->context, &error);
    int number = -1;
    if (!CHECK(body != NULL)) printf("%s\n", error.message), exit(1);
    snAffine place = {snIdentity3(), at};
    snBody_Put(body, &place);
    CHECK(snWorld_AddBody(world, body, &number, &error) == SN_OK);
    return number;
}

#endif
