#include "demo.h"

#include "core/error.h"

static snStatus makeMaterials(snCharacter *character, snError *error)
{
    character->materials = SN_NEW(&character->arena, snMaterialLook, 2);
    if (!character->materials) return snFailMemory(error);
    character->materials[0] = (snMaterialLook){.name = "hide", .color = {1, 1, 1, 1}};
    character->materials[1] = (snMaterialLook){.name = "face", .color = {1, 1, 1, 1}};
    character->materialCount = 2;
    return SN_OK;
}

static void fillVertex(const snLumps *body, snVec3 position, snVec3 normal, snPart *part, int v)
{
    snTint color = snDemo_Paint(body, position, normal);
    const float rgba[4] = {color.r, color.g, color.b, 1.0f};
    part->positions[v] = snToF(position);
    part->normals[v] = snToF(normal);
    for (int i = 0; i < 4; i++)
        part->colors[4 * v + i] = rgba[i];
}

static snStatus makeBodyPart(snPart *part, const snLumps *body, double edge, snArena *arena,
                             snError *error)
{
    snMesh mesh;
    snStatus status = snDemo_MakeSurface(&mesh, body, edge, arena, error);
    if (status) return status;
    snVec3 *normals = NULL;
    status = snDemo_ReservePart(part, &mesh, &normals, arena, error);
    if (status) return status;
    for (int v = 0; v < mesh.vertexCount; v++)
        fillVertex(body, mesh.positions[v], normals[v], part, v);
    return snDemo_MakeSkin(part, body, arena, error);
}

static snStatus makeParts(snCharacter *character, double edge, bool hasFace,
                          const snContext *context, snError *error)
{
    snLumps body;
    snDemo_MakeShapes(&body);
    character->parts = SN_NEW(&character->arena, snPart, 2);
    if (!character->parts) return snFailMemory(error);
    snPart *skin = &character->parts[0], *face = &character->parts[1];
    *skin = (snPart){.name = "body", .node = DEMO_NODE_BODY, .material = 0, .mesh = 0};
    *face = (snPart){.name = "face", .node = DEMO_NODE_FACE, .material = 1, .mesh = 1};
    snStatus status = makeBodyPart(skin, &body, edge, &character->arena, error);
    if (!status && hasFace)
        status = snDemo_MakeTrim(face, &body, &character->arena, context, error);
    if (status) return status;
    character->partCount = hasFace ? 2 : 1;
    character->vertexCount = skin->vertexCount + face->vertexCount;
    character->triangleCount = skin->triangleCount + face->triangleCount;
    return SN_OK;
}

static snStatus make(snCharacter *character, double edge, bool hasFace, const snContext *context,
                     snError *error)
{
    *character = (snCharacter){.arena = snMakeArena(context)};
    character->restMorphs = SN_NEW(&character->arena, double, 0);
    if (!character->restMorphs) return snFailMemory(error);
    snStatus status = snDemo_MakeSkeleton(character, error);
    if (!status) status = makeMaterials(character, error);
    if (!status) status = makeParts(character, edge, hasFace, context, error);
    if (!status) status = snDemo_MakeClips(character, error);
    return status;
}

snStatus snDemo_Make(snCharacter *character, const snContext *context, snError *error)
{
    return make(character, SN_DEMO_EDGE, true, context, error);
}

snStatus snDemo_MakeCoarse(snCharacter *character, double edge, const snContext *context,
                           snError *error)
{
    return make(character, edge, false, context, error);
}
