// Bodies without a skin: a toy that its node moves about, or pieces on joints of their own.
//
// A part without a skin follows its node, so that the node is its bone. Where joints with pieces form
// a skeleton they lead their flesh like any other. Where such a joint stands alone, above and below
// no other that carries something, its bone is a place in the middle of what it carries, for its
// origin may be anywhere. It leads the flesh around that middle, unless the body is anchored
// elsewhere or all its motion is left to physics: then it is free, and where it is not anchored either
// nothing holds it.
#include "body/lattice/flesh_parts.h"

#include "core/error.h"

#define CORE 0.5     // of the depth of the middle: half the side of the core
#define LEAST_CORE 8 // vertices of the lattice
#define GRID 16      // samples along each side of a body's box, to find its middle

// Marks in loose[] the joints that carry something and stand alone.
static void findLone(const snFlesh *flesh, unsigned char *loose)
{
    const snSkeleton *skeleton = &flesh->character->skeleton;
    for (int j = 0; j < skeleton->jointCount; j++)
        loose[j] = flesh->used[j];
    for (int j = 0; j < skeleton->jointCount; j++)
        for (int a = skeleton->joints[j].parent; a >= 0 && flesh->used[j];
             a = skeleton->joints[a].parent)
            if (flesh->used[a]) loose[a] = loose[j] = 0;
}

static snBox boxOf(const snFlesh *flesh, int joint)
{
    snBox box = snEmptyBox();
    for (int p = 0; p < flesh->character->vertexCount; p++)
        for (int k = flesh->skin.start[p]; k < flesh->skin.start[p + 1]; k++)
            if (flesh->skin.column[k] == joint) box = snBoxAdd(box, flesh->points[p]);
    return box;
}

// The place inside that is farthest from the surface, of a grid in the box.
static snVec3 middleOf(const snFlesh *flesh, snBox box, double *depth)
{
    snVec3 extent = snSub(box.upper, box.lower), best = snScale(0.5, snAdd(box.lower, box.upper));
    double deepest = 0;
    for (int i = 0; i < GRID * GRID * GRID; i++) {
        snVec3 at = {box.lower.x + extent.x * (i % GRID + 0.5) / GRID,
                     box.lower.y + extent.y * (i / GRID % GRID + 0.5) / GRID,
                     box.lower.z + extent.z * (i / GRID / GRID + 0.5) / GRID};
        snSurfacePoint near = snMeshTree_Closest(&flesh->tree, at, INFINITY);
        if (near.distance > deepest && snWinding_Inside(flesh->winding, at)) {
            deepest = near.distance;
            best = at;
        }
    }
    *depth = deepest > 0 ? deepest : 0.01 * flesh->height; // sheets enclose nothing
    return best;
}

bool snFlesh_InCore(const snFlesh *flesh, int vertex)
{
    for (int i = 0; i < flesh->coreCount; i++)
        if (snBox_Contains(flesh->cores[i], flesh->lattice.rest[vertex])) return true;
    return false;
}

void snFlesh_GrowCores(snFlesh *flesh)
{
    for (int i = 0; i < flesh->coreCount; i++) {
        snBox *core = &flesh->cores[i];
        for (int round = 0; round < 60; round++) {
            int count = 0;
            for (int v = 0; v < flesh->lattice.vertexCount; v++)
                count += snBox_Contains(*core, flesh->lattice.rest[v]);
            if (count >= LEAST_CORE || count == flesh->lattice.vertexCount) break;
            *core = snBox_Grow(*core, 0.1 * (core->upper.x - core->lower.x));
        }
    }
}

snStatus snFlesh_LoosenBones(snFlesh *flesh, snArena *scratch, snError *error)
{
    unsigned char *loose = SN_NEW(scratch, unsigned char, flesh->character->skeleton.jointCount);
    double twist = snFlesh_RulesDef(flesh, flesh->used).twist;
    flesh->cores = SN_NEW(&flesh->arena, snBox, flesh->boneCount);
    if (!loose || !flesh->cores) return snFailMemory(error);
    findLone(flesh, loose);
    for (int b = 0; b < flesh->boneCount; b++) {
        snBone *bone = &flesh->bones[b];
        snJointFlesh *own = &flesh->joints[bone->joint];
        if (!loose[bone->joint]) continue;
        double depth;
        snVec3 middle = middleOf(flesh, boxOf(flesh, bone->joint), &depth);
        bone->head = bone->tail = middle;
        flesh->cores[flesh->coreCount++] = snBox_Grow((snBox){middle, middle}, CORE * depth);
        if (own->given & SN_RULE_FREE) continue; // somebody has decided
        own->free = flesh->def.anchorCount > 0 || flesh->def.motion == SN_MOTION_FULL;
        flesh->loose |= own->free && !flesh->def.anchorCount;
        // It is the body itself, whatever its name would say about a part of one.
        if (!(own->given & SN_RULE_WOBBLE)) own->wobble = 0;
        if (!(own->given & SN_RULE_HOLD)) own->hold = 0;
        if (!(own->given & SN_RULE_TWIST)) own->twist = own->free ? 0 : twist;
    }
    return SN_OK;
}
