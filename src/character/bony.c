#include "character/bony.h"

#define LEAST_LOAD 1e-4 // of all skin weight: joints that carry less carry nothing

// How much each joint carries.
static double addLoads(const snCharacter *c, double *load)
{
    double total = 0;
    for (int p = 0; p < c->partCount; p++) {
        const snPart *part = &c->parts[p];
        size_t count = part->skin >= 0 ? (size_t)part->vertexCount * (size_t)part->influences : 0;
        for (size_t k = 0; k < count; k++) {
            load[c->skins[part->skin].joints[part->joints[k]]] += (double)part->weights[k];
            total += (double)part->weights[k];
        }
    }
    return total;
}

// Where chains end: skin joints that carry nothing themselves, below one that does and has no other
// end. Elsewhere such joints are controls, which the artist pulls and nobody wants to see.
static void addTips(const snCharacter *c, unsigned char *used, unsigned char *inner)
{
    const snJoint *joints = c->skeleton.joints;
    for (int j = c->skeleton.jointCount - 1; j >= 0; j--) // children come last
        if (joints[j].parent >= 0) inner[joints[j].parent] |= used[j] | inner[j];
    for (int s = 0; s < c->skinCount; s++)
        for (int k = 0; k < c->skins[s].jointCount; k++) {
            int j = c->skins[s].joints[k], parent = joints[j].parent;
            if (!used[j] && parent >= 0 && used[parent] == 1 && !inner[parent]) used[j] = 2;
        }
}

unsigned char *snCharacter_BonyJoints(const snCharacter *c, snArena *arena)
{
    int n = c->skeleton.jointCount;
    double *load = SN_NEW(arena, double, n);
    unsigned char *used = SN_NEW(arena, unsigned char, n);
    unsigned char *inner = SN_NEW(arena, unsigned char, n);
    if (!load || !used || !inner) return NULL;
    double total = addLoads(c, load);
    for (int j = 0; j < n; j++)
        used[j] = c->partCount == 0 || load[j] > LEAST_LOAD * total;
    addTips(c, used, inner);
    return used;
}
