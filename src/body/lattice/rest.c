// The rest shape: where the character's points, joints and bones are before anything moves.
#include "body/lattice/flesh_parts.h"

#include "core/array.h"
#include "core/error.h"

#include <string.h>

// Twist by the wobble: a cylinder of flesh held within r of its radius R at frequency f spins at
// f (r/R)². In a coarse lattice, whose vertices are farther out, that is about as fast as it wobbles.
#define TWIST_PACE 3.5
#define ANIMATED_HOLD 2.5 // Hz, at least, for free bones that the artist has animated
#define LEAST_SHARE 1e-4  // of all weight: joints that carry less have no bone

// The map from bind space to the world at rest, T = global_j(rest) inverseBind_j. Where the rest
// pose is the bind pose it is the same for all joints; else the joint that carries most decides.
static snAffine bindToWorld(const snAffine *restGlobal, const snSkin *skin, const double *load)
{
    int best = 0;
    for (int k = 1; k < skin->jointCount; k++)
        if (load[skin->joints[k]] > load[skin->joints[best]]) best = k;
    if (skin->jointCount == 0) return snIdentityAffine();
    snAffine map = snMulAA(restGlobal[skin->joints[best]], skin->inverseBind[best]);
    return fabs(snDet(map.linear)) > 0 ? map : snIdentityAffine();
}

// fromRest of skin joints is inverseBind X^-1 with X = bindToWorld; other nodes move as fixed to
// their nearest ancestor that has one, or by themselves.
snStatus snFlesh_FindFrames(snFlesh *flesh, const snPose *rest, const double *load,
                            snArena *scratch, snError *error)
{
    const snCharacter *c = flesh->character;
    int n = c->skeleton.jointCount;
    flesh->fromRest = SN_NEW(&flesh->arena, snAffine, n);
    unsigned char *given = SN_NEW(scratch, unsigned char, n);
    if (!flesh->fromRest || !given) return snFailMemory(error);
    for (int s = 0; s < c->skinCount; s++) {
        const snSkin *skin = &c->skins[s];
        snAffine toBind = snInverseAffine(bindToWorld(rest->global, skin, load));
        for (int k = 0; k < skin->jointCount; k++) {
            int j = skin->joints[k];
            if (given[j] || !(fabs(snDet(skin->inverseBind[k].linear)) > 0)) continue;
            flesh->fromRest[j] = snMulAA(skin->inverseBind[k], toBind);
            given[j] = 1;
        }
    }
    for (int j = 0; j < n; j++) {
        if (given[j]) continue;
        int parent = c->skeleton.joints[j].parent;
        snAffine own = rest->global[j];
        if (!(fabs(snDet(own.linear)) > 0)) own = snIdentityAffine();
        snAffine inverse = snInverseAffine(own);
        if (parent >= 0 && given[parent]) {
            snAffine atParent = snMulAA(rest->global[parent], flesh->fromRest[parent]);
            flesh->fromRest[j] = snMulAA(inverse, atParent);
            given[j] = 1;
        } else {
            flesh->fromRest[j] = inverse;
        }
    }
    return SN_OK;
}

// A rigid part (a sword, an eyeball) moves with its node alone.
static int partRows(const snCharacter *c, const snPart *part, int first, snWeightRows *rows, int at)
{
    for (int v = 0; v < part->vertexCount; v++) {
        if (part->skin < 0) {
            rows->column[at] = part->node;
            rows->weight[at++] = 1;
        }
        for (int k = 0; k < part->influences && part->skin >= 0; k++) {
            double w = (double)part->weights[v * part->influences + k];
            if (!(w > 0)) continue;
            int local = part->joints[v * part->influences + k];
            rows->column[at] = c->skins[part->skin].joints[local];
            rows->weight[at++] = w;
        }
        rows->start[first + v + 1] = at;
    }
    return at;
}

// Joint weights of all points as rows, which parts are carried, and how much each joint carries.
snStatus snFlesh_FindSkin(snFlesh *flesh, double *load, snArena *scratch, snError *error)
{
    const snCharacter *c = flesh->character;
    size_t entries = 0;
    for (int p = 0; p < c->partCount; p++) {
        int influences = c->parts[p].skin >= 0 ? c->parts[p].influences : 1;
        entries += (size_t)c->parts[p].vertexCount * (size_t)influences;
    }
    flesh->carried = SN_NEW(&flesh->arena, unsigned char, c->partCount);
    snStatus status = snWeightRows_Make(&flesh->skin, c->vertexCount, c->skeleton.jointCount,
                                        entries, &flesh->arena, error);
    if (!status && !flesh->carried) status = snFailMemory(error);
    if (status) return status;
    int first = 0, at = 0;
    status = snCharacter_FindBody(c, flesh->carried, scratch, error); // SN_PART_BODY is 1
    if (status) return status;
    for (int p = 0; p < c->partCount; p++) {
        const snPart *part = &c->parts[p];
        int before = at;
        at = partRows(c, part, first, &flesh->skin, at);
        for (int k = before; k < at && flesh->carried[p]; k++)
            load[flesh->skin.column[k]] += flesh->skin.weight[k];
        first += part->vertexCount;
    }
    return SN_OK;
}

// A point of a part in the file's own coordinates, with the morph targets' rest weights.
static snVec3 filePoint(const snCharacter *c, const snPart *part, int v)
{
    snVec3 p = snFromF(part->positions[v]);
    for (int k = 0; k < part->targetCount; k++)
        p = snMulAdd(p, c->restMorphs[part->firstMorph + k], snFromF(part->targets[k][v]));
    return p;
}

// Skinned points are moved from bind space to the world by X; since fromRest = inverseBind X^-1,
// X = fromRest_j^-1 inverseBind_j of any joint j of the skin.
static snAffine partToRest(const snFlesh *flesh, const snPart *part)
{
    const snCharacter *c = flesh->character;
    if (part->skin < 0) return snInverseAffine(flesh->fromRest[part->node]);
    const snSkin *skin = &c->skins[part->skin];
    for (int k = 0; k < skin->jointCount; k++)
        if (fabs(snDet(flesh->fromRest[skin->joints[k]].linear)) > 0)
            return snMulAA(snInverseAffine(flesh->fromRest[skin->joints[k]]), skin->inverseBind[k]);
    return snIdentityAffine();
}

static snStatus weldSurface(snFlesh *flesh, int triangles, snArena *scratch, snError *error)
{
    const snCharacter *c = flesh->character;
    int *list = SN_NEW(scratch, int, (size_t)triangles * 3), count = 0, first = 0;
    if (!list) return snFailMemory(error);
    for (int p = 0; p < c->partCount; p++) {
        const snPart *part = &c->parts[p];
        for (int k = 0; k < part->triangleCount * 3 && flesh->carried[p]; k++)
            list[count++] = first + part->triangles[k];
        first += part->vertexCount;
    }
    snMesh raw = {c->vertexCount, count / 3, flesh->points, list};
    snBox box = snBoxOfListed(count, list, flesh->points);
    snWeld weld;
    double size = snBoxDiagonal(box);
    flesh->height = box.upper.y - box.lower.y;
    if (!(size > 0) || !isfinite(size))
        return snFail(error, SN_ERROR_GEOMETRY, "the character's surface has no size");
    if (flesh->height < 0.05 * size) flesh->height = size; // lies flat
    snStatus status = snMesh_Weld(&weld, &raw, 1e-6 * size, &flesh->arena, error);
    flesh->surface = weld.mesh;
    flesh->weldOf = weld.weldOf;
    return status;
}

// Points of parts that the body does not carry get no weights; they stand on a point of the surface,
// so that they widen neither its bounds nor any search.
static void parkOthers(snFlesh *flesh)
{
    const snCharacter *c = flesh->character;
    snVec3 place = {0, 0, 0};
    for (int p = c->partCount - 1, first = c->vertexCount; p >= 0; p--) {
        first -= c->parts[p].vertexCount;
        if (flesh->carried[p] && c->parts[p].triangleCount)
            place = flesh->points[first + c->parts[p].triangles[0]];
    }
    for (int p = 0, v = 0; p < c->partCount; p++)
        for (int end = v + c->parts[p].vertexCount; v < end; v++)
            if (!flesh->carried[p]) flesh->points[v] = place;
}

void snFlesh_RestPoints(const snFlesh *flesh, int part, snVec3 *points)
{
    const snPart *own = &flesh->character->parts[part];
    snAffine toRest = partToRest(flesh, own);
    for (int v = 0; v < own->vertexCount; v++)
        points[v] = snMulAP(toRest, filePoint(flesh->character, own, v));
}

snStatus snFlesh_FindSurface(snFlesh *flesh, snArena *scratch, snError *error)
{
    const snCharacter *c = flesh->character;
    int first = 0, triangles = 0;
    flesh->points = SN_NEW(&flesh->arena, snVec3, c->vertexCount);
    if (!flesh->points) return snFailMemory(error);
    for (int p = 0; p < c->partCount; p++) {
        const snPart *part = &c->parts[p];
        snFlesh_RestPoints(flesh, p, flesh->points + first);
        first += part->vertexCount;
        if (flesh->carried[p]) triangles += part->triangleCount;
    }
    parkOthers(flesh);
    snStatus status = weldSurface(flesh, triangles, scratch, error);
    if (!status) status = snMeshTree_Build(&flesh->tree, &flesh->surface, &flesh->arena, error);
    if (!status) status = snWinding_Make(&flesh->winding, &flesh->tree, &flesh->arena, error);
    return status;
}

// ---- bones --------------------------------------------------------------------------------------

// The weighted middle of what a joint carries.
static bool loadCentre(const snFlesh *flesh, int joint, snVec3 *centre)
{
    snVec3 sum = {0, 0, 0};
    double total = 0;
    for (int p = 0; p < flesh->character->vertexCount; p++)
        for (int k = flesh->skin.start[p]; k < flesh->skin.start[p + 1]; k++)
            if (flesh->skin.column[k] == joint) {
                sum = snMulAdd(sum, flesh->skin.weight[k], flesh->points[p]);
                total += flesh->skin.weight[k];
            }
    if (total > 0) *centre = snScale(1 / total, sum);
    return total > 0;
}

// A joint at the end of its chain (a head, an ear's tip) gets a bone towards the middle of what it
// carries and as far again, as long as that stays inside.
static void extendBone(const snFlesh *flesh, snBone *bone)
{
    snVec3 centre;
    if (!loadCentre(flesh, bone->joint, &centre)) return;
    snVec3 axis = snScale(1.7, snSub(centre, bone->head));
    if (snLength(axis) < 0.02 * flesh->height) return;
    int inside = 0;
    while (inside < 16 &&
           snWinding_Inside(flesh->winding, snMulAdd(bone->head, (inside + 1) / 16.0, axis)))
        inside++;
    if (inside >= 2) bone->tail = snMulAdd(bone->head, (inside - 0.5) / 16.0, axis);
}

// Whether any value of a channel differs from its first by more than a hundredth (a degree or so
// for a rotation). Tangents of cubic channels are passed over.
static bool varies(const snChannel *channel)
{
    size_t width = (size_t)channel->width;
    size_t stride = channel->interpolation == SN_CUBIC ? 3 * width : width;
    const float *first = channel->values + (stride - width) / 2;
    for (int k = 1; k < channel->keyCount; k++)
        for (size_t i = 0; i < width; i++)
            if (fabsf(first[(size_t)k * stride + i] - first[i]) > 0.01f) return true;
    return false;
}

static void findAnimated(snFlesh *flesh)
{
    const snCharacter *c = flesh->character;
    for (int i = 0; i < c->clipCount; i++)
        for (int k = 0; k < c->clips[i].channelCount; k++) {
            const snChannel *channel = &c->clips[i].channels[k];
            if (channel->path == SN_PATH_ROTATION && varies(channel))
                flesh->animated[channel->joint] = 1;
        }
}

snFleshRulesDef snFlesh_RulesDef(const snFlesh *flesh, const unsigned char *used)
{
    double twist = flesh->def.twist < 0 ? TWIST_PACE * flesh->def.wobble : flesh->def.twist;
    return (snFleshRulesDef){.skeleton = &flesh->character->skeleton,
                             .used = used,
                             .pace = flesh->def.pace,
                             .wobble = flesh->def.wobble,
                             .twist = twist,
                             .twistRadius = flesh->def.twistRadius};
}

// A tail that the artist moves should follow that motion loosely; one that just hangs is free.
static void followArtist(snFlesh *flesh)
{
    for (int j = 0; j < flesh->character->skeleton.jointCount; j++) {
        snJointFlesh *own = &flesh->joints[j];
        bool decided = !own->free || (own->given & SN_RULE_HOLD);
        if (flesh->animated[j] && !decided && own->hold < ANIMATED_HOLD) own->hold = ANIMATED_HOLD;
    }
}

snStatus snFlesh_FindBones(snFlesh *flesh, const double *load, snArena *scratch, snError *error)
{
    const snSkeleton *skeleton = &flesh->character->skeleton;
    int n = skeleton->jointCount;
    unsigned char *used = flesh->used = SN_NEW(&flesh->arena, unsigned char, n);
    snAffine *frames = SN_NEW(scratch, snAffine, n);
    flesh->joints = SN_NEW(&flesh->arena, snJointFlesh, n);
    flesh->animated = SN_NEW(&flesh->arena, unsigned char, n);
    if (!used || !frames || !flesh->joints || !flesh->animated) return snFailMemory(error);
    findAnimated(flesh);
    double total = 0;
    for (int j = 0; j < n; j++)
        total += load[j];
    for (int j = 0; j < n; j++) {
        used[j] = load[j] > LEAST_SHARE * total;
        frames[j] = snInverseAffine(flesh->fromRest[j]);
    }
    snFleshRulesDef rules = snFlesh_RulesDef(flesh, used);
    rules.ruleCount = flesh->def.ruleCount;
    rules.rules = flesh->def.rules;
    int failed = -1;
    rules.failed = &failed;
    snStatus status = snFleshRules_Resolve(&rules, flesh->joints, scratch, error);
    if (status == SN_ERROR_ARGUMENT) snFlesh_Blame(flesh, SN_FAULT_RULE, failed);
    if (status) return status;
    followArtist(flesh);
    flesh->boneCount = snSkeleton_Bones(skeleton, used, frames, NULL);
    flesh->bones = SN_NEW(&flesh->arena, snBone, flesh->boneCount);
    if (!flesh->bones) return snFailMemory(error);
    snSkeleton_Bones(skeleton, used, frames, flesh->bones);
    for (int b = 0; b < flesh->boneCount; b++)
        if (snDistance(flesh->bones[b].head, flesh->bones[b].tail) < 1e-6 * flesh->height)
            extendBone(flesh, &flesh->bones[b]);
    return snCharacter_HasSkin(flesh->character) ? SN_OK
                                                 : snFlesh_LoosenBones(flesh, scratch, error);
}
