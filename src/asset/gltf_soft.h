// Within snGltf_AddSoft: what its parts share.
#ifndef SN_ASSET_GLTF_SOFT_H
#define SN_ASSET_GLTF_SOFT_H

#include "asset/gltf_accessor.h"
#include "asset/gltf_glb.h"
#include "asset/json_edit.h"

typedef struct snSoftWriter {
    snGltfDocument document;
    snArena *arena;
    snJsonEdit edit;
    snGlbBuilder glb; // starts with the original data of buffer 0
    const snSoftMesh *meshes;
    int meshCount;
    const snSoftClip *clips;
    int clipCount;
    const snAddedBones *bones;    // NULL: none
    const snCharacter *character; // of plain clips
    const snClip *plain;          // [plainCount], clips to be added as they are
    int plainCount;
    int firstBone;   // number of the first one's node
    int *softOfNode; // [file nodes], number in `meshes`; -1: not soft
    int *existing;   // [meshCount], morph targets that the file has already
    snError *error;
} snSoftWriter;

// gltf_soft_split.c: whether soft meshes on several nodes share a mesh of the file; the file with a copy of
// it for each of them, and their new numbers.
bool snSoft_IsShared(const snSoftMesh *meshes, int count);
snStatus snSoft_Split(const snGltfSource *original, snSoftMesh *meshes, int count, snBytes *out,
                      const snContext *context, snError *error);
// Nodes with one skin move alike, wherever they stand; nodes without move each by itself.
bool snSoft_MovesAlike(const snGltfDocument *document, int node, int leader);

// gltf_soft_embed.c: the bytes of buffer 0 go to glb.bin; neighbouring files are taken in.
snStatus snSoft_Embed(snSoftWriter *writer);

// gltf_soft_mesh.c: new targets, default weights, names.
snStatus snSoft_AddTargets(snSoftWriter *writer, int soft);

// gltf_soft_bones.c: nodes, skins, influences; and the channels of a clip, appended to lists of
// samplers and channels.
typedef struct snChannelLists {
    snBytes *samplers, *channels;
    int *samplerCount, *channelCount;
} snChannelLists;
snStatus snSoft_AddBones(snSoftWriter *writer);
void snSoft_AddBoneChannels(snSoftWriter *writer, const snSoftClip *clip, int times,
                            const snChannelLists *lists);

// gltf_soft_plain.c
snStatus snSoft_AddPlain(snSoftWriter *writer);

// gltf_soft_clip.c
snStatus snSoft_WidenClips(snSoftWriter *writer); // weights of the file's own clips
snStatus snSoft_AddClips(snSoftWriter *writer);

#endif
