// The public face of characters (include/sinew/character.h).
#include "asset/gltf.h"
#include "core/check.h"
#include "sinew/character.h"

snStatus snCharacter_Load(snCharacter **out, const void *bytes, size_t size,
                          const snContext *context, snError *error)
{
    snGltfSource source = {.bytes = bytes, .size = size};
    snCharacter loaded;
    snStatus status = snCheckPointer("character", out, error);
    if (out) *out = NULL;
    if (!status) status = snCheckPointer("bytes", bytes, error);
    if (!status) status = snCheckContext(context, error);
    if (status) return status;
    status = snGltf_Read(&loaded, &source, context, error);
    if (status) return status;
    snCharacter *character = SN_NEW(&loaded.arena, snCharacter, 1); // lives in its own arena
    if (!character) {
        snCharacter_Destroy(&loaded);
        return snFailMemory(error);
    }
    *character = loaded;
    *out = character;
    return SN_OK;
}

void snCharacter_Free(snCharacter *character)
{
    if (!character) return;
    snCharacter last = *character;
    snCharacter_Destroy(&last);
}

int snCharacter_VertexCount(const snCharacter *character)
{
    return character->vertexCount;
}

int snCharacter_TriangleCount(const snCharacter *character)
{
    return character->triangleCount;
}

void snCharacter_ReadTriangles(const snCharacter *character, int *indices)
{
    int first = 0;
    if (!indices) return;
    for (int p = 0; p < character->partCount; p++) {
        const snPart *part = &character->parts[p];
        for (int k = 0; k < part->triangleCount * 3; k++)
            *indices++ = first + part->triangles[k];
        first += part->vertexCount;
    }
}

int snCharacter_JointCount(const snCharacter *character)
{
    return character->skeleton.jointCount;
}

static bool isJoint(const snCharacter *character, int joint)
{
    return !snCheckIndex("joint", joint, character->skeleton.jointCount, NULL);
}

static bool isClip(const snCharacter *character, int clip)
{
    return !snCheckIndex("clip", clip, character->clipCount, NULL);
}

const char *snCharacter_JointName(const snCharacter *character, int joint)
{
    return isJoint(character, joint) ? character->skeleton.joints[joint].name : "";
}

int snCharacter_JointParent(const snCharacter *character, int joint)
{
    return isJoint(character, joint) ? character->skeleton.joints[joint].parent : -1;
}

int snCharacter_FindJoint(const snCharacter *character, const char *name)
{
    return name ? snSkeleton_Find(&character->skeleton, name) : -1;
}

int snCharacter_ClipCount(const snCharacter *character)
{
    return character->clipCount;
}

const char *snCharacter_ClipName(const snCharacter *character, int clip)
{
    return isClip(character, clip) ? character->clips[clip].name : "";
}

double snCharacter_ClipDuration(const snCharacter *character, int clip)
{
    return isClip(character, clip) ? character->clips[clip].duration : 0;
}
