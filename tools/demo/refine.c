// Finer triangles for Bumble: every triangle becomes four, and the new corners of its skin go where the
// shape is. For measuring what a mesh of a million triangles costs.
#include "demo.h"

#include "core/array.h"
#include "core/error.h"
#include "geometry/edges.h"

#include <string.h>

// The sides of all triangles, those of one edge one after another; returns how many edges there are.
static int sortSides(const snPart *part, snSide *sides)
{
    int count = 3 * part->triangleCount, edges = 0;
    snSides_Sort(sides, part->triangles, part->triangleCount);
    for (int i = 0; i < count; i = snSides_End(sides, count, i))
        edges++;
    return edges;
}

// Half of the weights of each end; of more than four joints the weakest are left out.
static void mixWeights(const snPart *from, int a, int b, int joints[4], float weights[4])
{
    int all[8], count = 0;
    float sum[8] = {0}, total = 0;
    for (int i = 0; i < 8; i++) {
        size_t at = 4 * (size_t)(i < 4 ? a : b) + (size_t)(i % 4);
        int k = 0;
        while (k < count && all[k] != from->joints[at])
            k++;
        if (k == count) all[count++] = from->joints[at];
        sum[k] += 0.5f * from->weights[at];
    }
    for (int i = 0; i < 4; i++) {
        int best = 0;
        for (int k = 1; k < count; k++)
            if (sum[k] > sum[best]) best = k;
        bool some = sum[best] > 0;
        joints[i] = some ? all[best] : 0;
        weights[i] = some ? sum[best] : 0;
        total += weights[i];
        sum[best] = -1;
    }
    for (int i = 0; i < 4; i++)
        weights[i] /= total;
}

static void addMiddle(const snPart *from, const snLumps *body, snPart *to, int v, snSide side)
{
    snVec3 a = snFromF(from->positions[side.low]), b = snFromF(from->positions[side.high]);
    snVec3 middle = snScale(0.5, snAdd(a, b));
    to->positions[v] = snToF(body ? snLumps_Project(body, middle) : middle);
    for (size_t i = 0; i < 4; i++)
        to->colors[4 * (size_t)v + i] = 0.5f * (from->colors[4 * (size_t)side.low + i] +
                                                from->colors[4 * (size_t)side.high + i]);
    mixWeights(from, side.low, side.high, to->joints + 4 * (size_t)v, to->weights + 4 * (size_t)v);
}

// Triangle (a, b, c) with middles m of ab, bc, ca: three at the corners and one between the middles.
static void splitTriangle(const int corner[3], const int m[3], int out[12])
{
    const int four[12] = {corner[0], m[0], m[2],      m[0], corner[1], m[1],
                          m[2],      m[1], corner[2], m[0], m[1],      m[2]};
    memcpy(out, four, sizeof four);
}

static snStatus makeRoom(const snPart *from, int vertices, snPart *to, snArena *arena,
                         snError *error)
{
    size_t old = (size_t)from->vertexCount, n = (size_t)vertices;
    *to = *from;
    to->vertexCount = vertices;
    to->triangleCount = 4 * from->triangleCount;
    to->positions = SN_NEW(arena, snVec3f, n);
    to->normals = SN_NEW(arena, snVec3f, n);
    to->colors = SN_NEW(arena, float, 4 * n);
    to->joints = SN_NEW(arena, int, 4 * n);
    to->weights = SN_NEW(arena, float, 4 * n);
    to->triangles = SN_NEW(arena, int, 12 * (size_t)from->triangleCount);
    if (!to->positions || !to->normals || !to->colors || !to->joints || !to->weights ||
        !to->triangles)
        return snFailMemory(error);
    memcpy(to->positions, from->positions, old * sizeof *to->positions);
    memcpy(to->colors, from->colors, 4 * old * sizeof *to->colors);
    memcpy(to->joints, from->joints, 4 * old * sizeof *to->joints);
    memcpy(to->weights, from->weights, 4 * old * sizeof *to->weights);
    return SN_OK;
}

static snStatus refineOnce(snPart *part, const snLumps *body, snArena *arena, snError *error)
{
    int count = 3 * part->triangleCount;
    snPart from = *part;
    snSide *sides = SN_NEW(arena, snSide, count);
    int *middle = SN_NEW(arena, int, count);
    if (!sides || !middle) return snFailMemory(error);
    int edges = sortSides(&from, sides), v = from.vertexCount - 1;
    snStatus status = makeRoom(&from, from.vertexCount + edges, part, arena, error);
    if (status) return status;
    for (int i = 0, end; i < count; i = end) {
        end = snSides_End(sides, count, i);
        addMiddle(&from, body, part, ++v, sides[i]);
        for (int k = i; k < end; k++)
            middle[sides[k].corner] = v;
    }
    for (int t = 0; t < from.triangleCount; t++)
        splitTriangle(from.triangles + 3 * t, middle + 3 * t, part->triangles + 12 * t);
    return SN_OK;
}

static snStatus setNormals(snPart *part, snArena *arena, snError *error)
{
    snVec3 *positions = SN_NEW(arena, snVec3, part->vertexCount);
    snVec3 *normals = SN_NEW(arena, snVec3, part->vertexCount);
    if (!positions || !normals) return snFailMemory(error);
    for (int v = 0; v < part->vertexCount; v++)
        positions[v] = snFromF(part->positions[v]);
    snMesh mesh = {part->vertexCount, part->triangleCount, positions, part->triangles};
    snMesh_Normals(&mesh, normals);
    for (int v = 0; v < part->vertexCount; v++)
        part->normals[v] = snToF(normals[v]);
    return SN_OK;
}

static snStatus refinePart(snPart *part, const snLumps *body, int levels, snArena *arena,
                           snError *error)
{
    snStatus status = SN_OK;
    for (int i = 0; i < levels && !status; i++)
        status = refineOnce(part, body, arena, error);
    return status ? status : setNormals(part, arena, error);
}

snStatus snDemo_Refine(snCharacter *c, int levels, snError *error)
{
    snLumps body;
    if (levels < 1) return SN_OK;
    snDemo_MakeShapes(&body);
    snStatus status = refinePart(&c->parts[0], &body, levels, &c->arena, error);
    if (!status) status = refinePart(&c->parts[1], NULL, levels, &c->arena, error);
    if (status) return status;
    c->vertexCount = c->parts[0].vertexCount + c->parts[1].vertexCount;
    c->triangleCount = c->parts[0].triangleCount + c->parts[1].triangleCount;
    return SN_OK;
}
