// Rigid meshes that hang on joints and sit in the body: eyes, teeth, buttons. They are no part of its
// shape, but where they are the flesh takes them along, as it does the skin around them. What stands
// out of the body (a sword, a tall hat) stays rigid on its joint.
#include "body/lattice/flesh_parts.h"

#include "core/error.h"

#include <string.h>

#define NEAR 0.01 // of the height: as near to the surface as this counts as inside
#define MOST 0.8  // of a part's vertices that must be inside

// Whether a joint carries skin, or hangs on one that does.
static bool hangsOnBody(const snFlesh *flesh, int joint)
{
    while (joint >= 0 && !flesh->used[joint])
        joint = flesh->character->skeleton.joints[joint].parent;
    return joint >= 0;
}

static bool sitsInBody(const snFlesh *flesh, const snVec3 *points, int count)
{
    int inside = 0;
    for (int v = 0; v < count; v++) {
        if (!snIsFinite3(points[v])) return false;
        inside += snMeshTree_Closest(&flesh->tree, points[v], NEAR * flesh->height).triangle >= 0 ||
                  snWinding_Inside(flesh->winding, points[v]);
    }
    return inside >= MOST * count;
}

static void storeRows(snFlesh *flesh, const snEmbedding *own, int first)
{
    size_t width = (size_t)own->width, from = (size_t)first * width;
    size_t count = (size_t)own->pointCount * width;
    memcpy(flesh->embedding.vertex + from, own->vertex, count * sizeof(int));
    memcpy(flesh->embedding.weight + from, own->weight, count * sizeof(double));
    memcpy(flesh->embedding.cell + first, own->cell, (size_t)own->pointCount * sizeof(int));
}

static snStatus takePart(snFlesh *flesh, int part, int first, snArena *scratch,
                         const snContext *context, snError *error)
{
    int count = flesh->character->parts[part].vertexCount;
    snVec3 *points = SN_NEW(scratch, snVec3, count);
    snEmbedding own;
    if (!points) return snFailMemory(error);
    snFlesh_RestPoints(flesh, part, points);
    if (!sitsInBody(flesh, points, count)) return SN_OK;
    snStatus status = snEmbed(&own, &flesh->lattice, count, points, scratch, context, error);
    if (status) return status;
    storeRows(flesh, &own, first);
    memcpy(flesh->points + first, points, (size_t)count * sizeof(snVec3));
    for (int v = 0; v < count; v++)
        flesh->weldOf[first + v] = -1;
    flesh->carried[part] = SN_PART_TAKEN;
    return SN_OK;
}

snStatus snFlesh_TakeAlong(snFlesh *flesh, snArena *scratch, const snContext *context,
                           snError *error)
{
    const snCharacter *c = flesh->character;
    snStatus status = SN_OK;
    for (int p = 0, first = 0; p < c->partCount && !status; first += c->parts[p++].vertexCount)
        if (c->parts[p].skin < 0 && !c->parts[p].prop && !flesh->carried[p] &&
            c->parts[p].vertexCount > 0 && hangsOnBody(flesh, c->parts[p].node))
            status = takePart(flesh, p, first, scratch, context, error);
    return status;
}
