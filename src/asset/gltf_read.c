#include "asset/gltf_reader.h"

snStatus snGltf_Read(snCharacter *character, const snGltfSource *source, const snContext *context,
                     snError *error)
{
    snArena scratch = snMakeArena(context);
    snGltfReader reader = {.character = character};
    *character = (snCharacter){.arena = snMakeArena(context)};
    snStatus status = snGltf_Open(&reader.document, source, context, &scratch, error);
    if (!status) status = snGltf_ReadNodes(&reader, error);
    if (!status) status = snGltf_ReadSkins(&reader, error);
    if (!status) status = snGltf_ReadMaterials(&reader, error);
    if (!status) status = snGltf_ReadParts(&reader, error);
    if (!status) status = snGltf_ReadClips(&reader, error);
    snArena_Destroy(&scratch);
    if (status) {
        snArena_Destroy(&character->arena);
        *character = (snCharacter){.arena = snMakeArena(context)};
    }
    return status;
}
