#include "asset/obj_split.h"

#include "core/error.h"

// local[v] becomes 1 + the new number of vertex v, 0 where the section does not use it.
static int numberVertices(const snPart *whole, const int *sectionOf, int section, int *local)
{
    int count = 0;
    for (int v = 0; v < whole->vertexCount; v++)
        local[v] = 0;
    for (int t = 0; t < whole->triangleCount; t++)
        for (int k = 0; k < 3 && sectionOf[t] == section; k++)
            local[whole->triangles[3 * t + k]] = 1;
    for (int v = 0; v < whole->vertexCount; v++)
        if (local[v]) local[v] = ++count;
    return count;
}

static void fillPart(snPart *part, const snPart *whole, const int *sectionOf, int section,
                     const int *local)
{
    for (int v = 0; v < whole->vertexCount; v++) {
        int to = local[v] - 1;
        if (to < 0) continue;
        part->positions[to] = whole->positions[v];
        if (part->normals) part->normals[to] = whole->normals[v];
        for (size_t k = 0; k < 4 && part->colors; k++)
            part->colors[4 * (size_t)to + k] = whole->colors[4 * (size_t)v + k];
        for (int k = 0; k < 2 && part->uv; k++)
            part->uv[2 * (size_t)to + (size_t)k] = whole->uv[2 * (size_t)v + (size_t)k];
    }
    int *out = part->triangles;
    for (int t = 0; t < whole->triangleCount; t++)
        for (int k = 0; k < 3 && sectionOf[t] == section; k++)
            *out++ = local[whole->triangles[3 * t + k]] - 1;
}

static snStatus makePart(snPart *part, const snPart *whole, const int *sectionOf, int section,
                         int *local, snArena *arena, snError *error)
{
    part->vertexCount = numberVertices(whole, sectionOf, section, local);
    part->positions = SN_NEW(arena, snVec3f, part->vertexCount);
    part->triangles = SN_NEW(arena, int, 3 * (size_t)part->triangleCount);
    if (whole->normals) part->normals = SN_NEW(arena, snVec3f, part->vertexCount);
    if (whole->uv) part->uv = SN_NEW(arena, float, 2 * (size_t)part->vertexCount);
    if (whole->colors) part->colors = SN_NEW(arena, float, 4 * (size_t)part->vertexCount);
    if (!part->positions || !part->triangles || (whole->normals && !part->normals) ||
        (whole->colors && !part->colors) || (whole->uv && !part->uv))
        return snFailMemory(error);
    fillPart(part, whole, sectionOf, section, local);
    return SN_OK;
}

snStatus snObj_Split(snCharacter *character, int sectionCount, const char *const *names,
                     const int *sectionOf, snArena *scratch, snError *error)
{
    const snPart whole = character->parts[0];
    snArena *arena = &character->arena;
    int *local = SN_NEW(scratch, int, whole.vertexCount);
    int *triangles = SN_NEW(scratch, int, sectionCount);
    snPart *parts = SN_NEW(arena, snPart, sectionCount);
    if (!local || !triangles || !parts) return snFailMemory(error);
    for (int t = 0; t < whole.triangleCount; t++)
        triangles[sectionOf[t]]++;
    character->parts = parts;
    character->partCount = character->vertexCount = 0;
    for (int s = 0; s < sectionCount; s++) {
        if (!triangles[s]) continue;
        snPart *part = &parts[character->partCount];
        *part = (snPart){.skin = -1, .material = -1, .primitivesOfMesh = 1, .name = names[s]};
        part->mesh = character->partCount++;
        part->triangleCount = triangles[s];
        snStatus status = makePart(part, &whole, sectionOf, s, local, arena, error);
        if (status) return status;
        character->vertexCount += part->vertexCount;
    }
    return SN_OK;
}
