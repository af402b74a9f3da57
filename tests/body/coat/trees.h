// Skeletons to coat: a chain, a person of few joints, random trees.
#ifndef SN_TESTS_BODY_COAT_TREES_H
#define SN_TESTS_BODY_COAT_TREES_H

#include "core/random.h"
#include "skeleton/skeleton.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

#define TREE_MOST 40

typedef struct Tree {
    snJoint joints[TREE_MOST];
    char names[TREE_MOST][24];
    snSkeleton skeleton;
} Tree;

static inline int Tree_Add(Tree *tree, const char *name, int parent, snVec3 at)
{
    int j = tree->skeleton.jointCount++;
    snprintf(tree->names[j], sizeof tree->names[j], "%s", name);
    tree->joints[j] =
        (snJoint){.name = tree->names[j], .parent = parent, .rest = {at, {0, 0, 0, 1}, {1, 1, 1}}};
    tree->skeleton.joints = tree->joints;
    return j;
}

// Links of 0.3 m along x.
static inline void Tree_Chain(Tree *tree, int links)
{
    memset(tree, 0, sizeof *tree);
    int last = Tree_Add(tree, "j0", -1, snVec(0, 1, 0));
    for (int k = 1; k <= links; k++) {
        char name[24];
        snprintf(name, sizeof name, "j%d", k);
        last = Tree_Add(tree, name, last, snVec(0.3, 0, 0));
    }
}

static inline void Tree_Person(Tree *tree)
{
    memset(tree, 0, sizeof *tree);
    int hips = Tree_Add(tree, "Hips", -1, snVec(0, 1, 0));
    int chest = Tree_Add(tree, "Chest", hips, snVec(0, 0.4, 0));
    int head = Tree_Add(tree, "Head", chest, snVec(0, 0.2, 0));
    Tree_Add(tree, "Head.end", head, snVec(0, 0.15, 0));
    for (int s = -1; s <= 1; s += 2) {
        const char *side = s < 0 ? "Right" : "Left";
        char name[24];
        snprintf(name, sizeof name, "%sThigh", side);
        int thigh = Tree_Add(tree, name, hips, snVec(0.1 * s, -0.1, 0));
        snprintf(name, sizeof name, "%sKnee", side);
        int knee = Tree_Add(tree, name, thigh, snVec(0, -0.42, 0));
        snprintf(name, sizeof name, "%sFoot", side);
        Tree_Add(tree, name, knee, snVec(0, -0.42, 0));
        snprintf(name, sizeof name, "%sArm", side);
        int arm = Tree_Add(tree, name, chest, snVec(0.18 * s, 0, 0));
        snprintf(name, sizeof name, "%sElbow", side);
        int elbow = Tree_Add(tree, name, arm, snVec(0.28 * s, 0, 0));
        snprintf(name, sizeof name, "%sHand", side);
        Tree_Add(tree, name, elbow, snVec(0.26 * s, 0, 0));
    }
}

static inline void Tree_Random(Tree *tree, unsigned seed, int count)
{
    snRandom random = snMakeRandom(seed);
    memset(tree, 0, sizeof *tree);
    Tree_Add(tree, "r0", -1, snVec(0, 0, 0));
    for (int k = 1; k < count; k++) {
        char name[24];
        int parent = snRandom_Below(&random, k);
        snVec3 at =
            snVec(snRandom_Uniform(&random, -0.5, 0.5), snRandom_Uniform(&random, -0.5, 0.5),
                  snRandom_Uniform(&random, -0.5, 0.5));
        snprintf(name, sizeof name, "r%d", k);
        Tree_Add(tree, name, parent, at);
    }
}

#endif
