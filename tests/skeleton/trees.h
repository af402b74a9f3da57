// Articulated trees with their states.
#ifndef SN_TESTS_SKELETON_TREES_H
#define SN_TESTS_SKELETON_TREES_H

#include "skeleton/articulated.h"
#include "tests/test.h"

#include <stdio.h>

static inline bool makeArticulated(int count, const snLinkDef *links, snArticulated **tree,
                                   snArticulatedState **state)
{
    snContext context = snDefaultContext();
    snError error = {0};
    snArticulatedDef def = {count, links};
    bool made = CHECK(!snArticulated_Make(tree, &def, &context, &error)) &&
                CHECK(!snArticulatedState_Make(state, *tree, &context, &error));
    if (!made) printf("  %s\n", error.message);
    return made;
}

static inline void freeArticulated(snArticulated *tree, snArticulatedState *state)
{
    snArticulatedState_Destroy(state);
    snArticulated_Destroy(tree);
}

#endif
