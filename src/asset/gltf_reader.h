// Within the glTF reader: what its parts share while a character is filled, in this order.
#ifndef SN_ASSET_GLTF_READER_H
#define SN_ASSET_GLTF_READER_H

#include "asset/gltf_accessor.h"

typedef struct snGltfReader {
    snGltfDocument document;
    snCharacter *character;
    int nodeCount;
    int *jointOfNode;       // [nodeCount], snGltf_ReadNodes
    unsigned char *inScene; // [nodeCount], by node: belongs to the default scene
    int *firstMorphOfNode;  // [nodeCount], snGltf_ReadParts: in snPose.morphs; -1: no targets
    int *targetCountOfNode; // [nodeCount]
} snGltfReader;

snStatus snGltf_ReadNodes(snGltfReader *reader, snError *error);     // gltf_scene.c
snStatus snGltf_ReadSkins(snGltfReader *reader, snError *error);     // gltf_scene.c
snStatus snGltf_ReadMaterials(snGltfReader *reader, snError *error); // gltf_material.c
snStatus snGltf_ReadParts(snGltfReader *reader, snError *error);     // gltf_part.c
snStatus snGltf_ReadClips(snGltfReader *reader, snError *error);     // gltf_clip.c

// One primitive of a mesh, as a part without node and skin (gltf_mesh.c). triangleCount is 0 where
// it has no triangles. Its `joints` are not yet checked against a skin.
snStatus snGltf_ReadPrimitive(snGltfReader *reader, const snJsonNode *primitive, snPart *part,
                              snError *error);

#endif
