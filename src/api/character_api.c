// The public face of characters (include/sinew/character.h).
#include "asset/gltf.h"
#include "core/error.h"
#include "sinew/character.h"

snStatus snCharacter_Load(snCharacter **out, const void *bytes, size_t size,
                          const snContext *context, snError *error)
{
    snGltfSource source = {.bytes = bytes, .size = size};
    snCharacter loaded;
    *out = NULL;
    snStatus status = snGltf_Read(&loaded, &source, context, error);
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

const char *snCharacter_JointName(const snCharacter *character, int joint)
{
    SN_ASSERT(joint >= 0 && joint < character->skeleton.jointCount);
    return character->skeleton.joints[joint].name;
}

int snCharacter_JointParent(const snCharacter *character, int joint)
{
    SN_ASSERT(joint >= 0 && joint < character->skeleton.jointCount);
    return character->skeleton.joints[joint].parent;
}

int snCharacter_FindJoint(const snCharacter *character, const char *name)
{
    return snSkeleton_Find(&character->skeleton, name);
}

int snCharacter_ClipCount(const snCharacter *character)
{
    return character->clipCount;
}

const char *snCharacter_ClipName(const snCharacter *character, int clip)
{
    SN_ASSERT(clip >= 0 && clip < character->clipCount);
    return character->clips[clip].name;
}

double snCharacter_ClipDuration(const snCharacter *character, int clip)
{
    SN_ASSERT(clip >= 0 && clip < character->clipCount);
    return character->clips[clip].duration;
}
