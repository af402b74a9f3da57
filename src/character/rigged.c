#include "character/rigged.h"

#include "character/rigged_parts.h"
#include "core/error.h"

#include <string.h>

snRigDef snDefaultRigDef(void)
{
    return (snRigDef){snDefaultSkinWeightDef(), false, snDefaultSwayDef()};
}

char *snRigged_CopyText(snArena *arena, const char *text)
{
    return text ? snArena_CopyString(arena, text, strlen(text)) : NULL;
}

// ---- materials ----

static bool copyImage(snTexture *out, const snTexture *image, snArena *arena)
{
    *out = (snTexture){snRigged_CopyText(arena, image->name), NULL, image->size,
                       snRigged_CopyText(arena, image->uri)};
    if (image->bytes) out->bytes = SN_COPY(arena, unsigned char, image->bytes, image->size);
    return (out->name || !image->name) && (out->uri || !image->uri) &&
           (out->bytes || !image->bytes);
}

static snStatus copyMaterials(snCharacter *out, const snCharacter *in, snError *error)
{
    snArena *arena = &out->arena;
    out->images = SN_NEW(arena, snTexture, in->imageCount);
    out->materials = SN_NEW(arena, snMaterialLook, in->materialCount);
    if (!out->images || !out->materials) return snFailMemory(error);
    out->imageCount = in->imageCount;
    out->materialCount = in->materialCount;
    for (int i = 0; i < in->imageCount; i++)
        if (!copyImage(&out->images[i], &in->images[i], arena)) return snFailMemory(error);
    for (int m = 0; m < in->materialCount; m++) {
        snMaterialLook *look = &out->materials[m];
        *look = in->materials[m];
        look->name = snRigged_CopyText(arena, in->materials[m].name);
        if (in->materials[m].name && !look->name) return snFailMemory(error);
        if (look->image) look->image = out->images + (look->image - in->images);
    }
    return SN_OK;
}

// ---- parts ----

// Normals move with the cofactors of the matrix, turned where it mirrors.
static void moveNormals(snVec3f *normals, int count, snMat3 m, bool unit)
{
    snMat3 cofactor = snScaleM(snDet(m) < 0.0 ? -1.0 : 1.0, snCofactor(m));
    for (int v = 0; v < count; v++) {
        snVec3 moved = snMulMV(cofactor, snFromF(normals[v]));
        normals[v] = snToF(unit ? snNormalizeOr(moved, snVec(0, 1, 0)) : moved);
    }
}

static bool copyTargets(snPart *out, const snPart *in, snMat3 m, snArena *arena)
{
    out->targets = SN_NEW(arena, snVec3f *, in->targetCount);
    out->targetNormals = SN_NEW(arena, snVec3f *, in->targetCount);
    if (!out->targets || !out->targetNormals) return false;
    for (int t = 0; t < in->targetCount; t++) {
        out->targets[t] = SN_COPY(arena, snVec3f, in->targets[t], in->vertexCount);
        if (!out->targets[t]) return false;
        for (int v = 0; v < in->vertexCount; v++)
            out->targets[t][v] = snToF(snMulMV(m, snFromF(out->targets[t][v])));
        if (!in->targetNormals || !in->targetNormals[t]) continue;
        out->targetNormals[t] = SN_COPY(arena, snVec3f, in->targetNormals[t], in->vertexCount);
        if (!out->targetNormals[t]) return false;
        moveNormals(out->targetNormals[t], in->vertexCount, m, false);
    }
    return true;
}

// A node that mirrors turns its triangles inside out: they are wound the other way.
static void turnTriangles(snPart *part)
{
    for (int t = 0; t < part->triangleCount; t++) {
        int swap = part->triangles[3 * t + 1];
        part->triangles[3 * t + 1] = part->triangles[3 * t + 2];
        part->triangles[3 * t + 2] = swap;
    }
}

static bool copyAttributes(snPart *out, const snPart *in, snArena *arena)
{
    out->attributes = SN_NEW(arena, snAttribute, in->attributeCount);
    for (int i = 0; i < in->attributeCount && out->attributes; i++) {
        const snAttribute *from = &in->attributes[i];
        size_t numbers = (size_t)in->vertexCount * (size_t)from->width;
        out->attributes[i] = (snAttribute){snRigged_CopyText(arena, from->name), from->width,
                                           SN_COPY(arena, float, from->values, numbers)};
        if (!out->attributes[i].name || !out->attributes[i].values) return false;
    }
    return out->attributes != NULL;
}

static bool copyPart(snPart *out, const snPart *in, int number, snAffine place, snArena *arena)
{
    size_t count = (size_t)in->vertexCount;
    *out = *in;
    out->node = 0;
    out->mesh = number;
    out->primitive = 0;
    out->primitivesOfMesh = 1;
    out->skin = 0;
    out->influences = SN_SKIN_INFLUENCES;
    out->name = snRigged_CopyText(arena, in->name);
    out->positions = SN_COPY(arena, snVec3f, in->positions, count);
    out->triangles = SN_COPY(arena, int, in->triangles, 3 * (size_t)in->triangleCount);
    out->joints = SN_NEW(arena, int, count *SN_SKIN_INFLUENCES);
    out->weights = SN_NEW(arena, float, count *SN_SKIN_INFLUENCES);
    if (in->normals) out->normals = SN_COPY(arena, snVec3f, in->normals, count);
    if (in->uv) out->uv = SN_COPY(arena, float, in->uv, 2 * count);
    if (in->colors) out->colors = SN_COPY(arena, float, in->colors, 4 * count);
    if ((in->name && !out->name) || !out->positions || !out->triangles || !out->joints ||
        !out->weights || (in->normals && !out->normals) || (in->uv && !out->uv) ||
        (in->colors && !out->colors) || !copyAttributes(out, in, arena))
        return false;
    for (size_t v = 0; v < count; v++)
        out->positions[v] = snToF(snMulAP(place, snFromF(in->positions[v])));
    if (out->normals) moveNormals(out->normals, in->vertexCount, place.linear, true);
    if (snDet(place.linear) < 0.0) turnTriangles(out);
    return copyTargets(out, in, place.linear, arena);
}

snStatus snRigged_CopySurface(snCharacter *out, const snCharacter *in, snError *error)
{
    snPose rest;
    snStatus status = snPose_Make(&rest, &in->skeleton, in->morphCount, &out->arena, error);
    if (!status) status = copyMaterials(out, in, error);
    if (status) return status;
    out->parts = SN_NEW(&out->arena, snPart, in->partCount);
    out->restMorphs = SN_COPY(&out->arena, double, in->restMorphs, in->morphCount);
    if (!out->parts || !out->restMorphs) return snFailMemory(error);
    for (int p = 0; p < in->partCount; p++) {
        snAffine place = rest.global[in->parts[p].node];
        if (!copyPart(&out->parts[p], &in->parts[p], p, place, &out->arena))
            return snFailMemory(error);
    }
    out->partCount = in->partCount;
    out->morphCount = in->morphCount;
    out->vertexCount = in->vertexCount;
    out->triangleCount = in->triangleCount;
    return SN_OK;
}

// ---- the skin ----

static snStatus makeSkin(snCharacter *out, snError *error)
{
    snArena *arena = &out->arena;
    int count = out->skeleton.jointCount;
    snPose rest;
    snStatus status = snPose_Make(&rest, &out->skeleton, 0, arena, error);
    if (status) return status;
    out->skins = SN_NEW(arena, snSkin, 1);
    int *joints = SN_NEW(arena, int, count);
    snAffine *inverse = SN_NEW(arena, snAffine, count);
    if (!out->skins || !joints || !inverse) return snFailMemory(error);
    for (int j = 0; j < count; j++) {
        joints[j] = j;
        inverse[j] = snInverseAffine(rest.global[j]);
    }
    out->skins[0] = (snSkin){"skin", count, joints, inverse};
    out->skinCount = 1;
    return SN_OK;
}

snStatus snRigged_Bind(snCharacter *out, const snSolid *solid, const snSkeleton *bones,
                       const int *skinJoint, const snSkinWeightDef *def, const snContext *context,
                       snError *error)
{
    size_t count = (size_t)solid->mesh.vertexCount * SN_SKIN_INFLUENCES;
    snArena scratch = snMakeArena(context);
    int *joints = SN_NEW(&scratch, int, count);
    float *weights = SN_NEW(&scratch, float, count);
    snStatus status = joints && weights
                          ? snComputeSkinWeights(joints, weights, solid, bones, def, context, error)
                          : snFailMemory(error);
    const int *weld = solid->weldOf;
    for (int p = 0; !status && p < out->partCount; p++) {
        snPart *part = &out->parts[p];
        for (int v = 0; v < part->vertexCount; v++, weld++)
            for (int i = 0; i < SN_SKIN_INFLUENCES; i++) {
                int joint = joints[SN_SKIN_INFLUENCES * *weld + i];
                part->joints[SN_SKIN_INFLUENCES * v + i] = skinJoint ? skinJoint[joint] : joint;
                part->weights[SN_SKIN_INFLUENCES * v + i] = weights[SN_SKIN_INFLUENCES * *weld + i];
            }
    }
    snArena_Destroy(&scratch);
    return status;
}

static snStatus addSway(snCharacter *out, const snSwayDef *def, snError *error)
{
    out->clips = SN_NEW(&out->arena, snClip, 1);
    if (!out->clips) return snFailMemory(error);
    snStatus status = snMakeSway(&out->clips[0], &out->skeleton, def, &out->arena, error);
    out->clipCount = 1;
    return status;
}

static snStatus rig(snCharacter *rigged, const snCharacter *bare, const snSolid *solid,
                    const snRigPlan *plan, const snRigDef *def, const snContext *context,
                    snError *error)
{
    snStatus status = snRigPlan_Skeleton(&rigged->skeleton, plan, NULL, &rigged->arena, error);
    if (!status) status = snRigged_CopySurface(rigged, bare, error);
    if (!status) status = makeSkin(rigged, error);
    if (!status)
        status =
            snRigged_Bind(rigged, solid, &rigged->skeleton, NULL, &def->weights, context, error);
    if (!status && def->addSway) status = addSway(rigged, &def->sway, error);
    return status;
}

snStatus snRigCharacter(snCharacter *rigged, const snCharacter *bare, const snSolid *solid,
                        const snRigPlan *plan, const snRigDef *def, const snContext *context,
                        snError *error)
{
    *rigged = (snCharacter){0};
    if (bare->skinCount > 0)
        return snFail(error, SN_ERROR_ARGUMENT, "the character has a skin already");
    rigged->arena = snMakeArena(context);
    snStatus status = rig(rigged, bare, solid, plan, def, context, error);
    if (status) snCharacter_Destroy(rigged);
    return status;
}
