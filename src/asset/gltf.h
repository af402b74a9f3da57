// glTF 2.0: characters in (.glb and .gltf), fresh .glb out, and soft motion added to an existing
// file with everything else in it kept. Works on memory only. Begin with snGltf_Read.
#ifndef SN_ASSET_GLTF_H
#define SN_ASSET_GLTF_H

#include "asset/bytes.h"
#include "character/character.h"

// Data packed as EXT_meshopt_compression says, with sizes that go with the mode and the filter.
typedef enum snPackedMode {
    SN_PACKED_ATTRIBUTES,
    SN_PACKED_TRIANGLES,
    SN_PACKED_INDICES
} snPackedMode;
typedef enum snPackedFilter {
    SN_FILTER_NONE,
    SN_FILTER_OCTAHEDRAL,
    SN_FILTER_QUATERNION,
    SN_FILTER_EXPONENTIAL
} snPackedFilter;
typedef struct snGltfPacked {
    const uint8_t *bytes;
    size_t size;
    size_t count, stride; // elements, and their sizes when unpacked
    snPackedMode mode;
    snPackedFilter filter;
} snGltfPacked;

// A file in memory, and a way to its neighbours.
typedef struct snGltfSource {
    const uint8_t *bytes; // .glb or .gltf, told apart by content
    size_t size;
    // Reads a buffer or image next to the file into the arena. `path` is relative, decoded
    // (no %20), and has been checked to stay inside the file's own folder.
    // NULL: files that need neighbours are refused.
    snStatus (*readUri)(void *user, const char *path, snArena *arena, const uint8_t **bytes,
                        size_t *size, snError *error);
    void *user;
    // Unpacks into out [count * stride]. NULL: packed files are refused.
    snStatus (*unpack)(void *user, const snGltfPacked *packed, uint8_t *out, snError *error);
} snGltfSource;

// Fills *character (freed with snCharacter_Destroy; on failure there is nothing to free).
// Every node of the file becomes a joint, parents first; snJoint.fileNode is its number in the
// file. Meshes of the default scene become parts, or of all nodes where that scene has none.
// Clip numbers are those of the file.
snStatus snGltf_Read(snCharacter *character, const snGltfSource *source, const snContext *context,
                     snError *error);

// A fresh .glb of a character made by code: parts with all their attributes, materials, skins,
// skeleton and clips. `out` was made with snMakeBytes; the same character gives the same bytes.
// Nodes keep the joints' numbers; parts that follow each other with the same node and mesh become
// the primitives of one mesh.
snStatus snGlb_FromCharacter(const snCharacter *character, snBytes *out, snError *error);

// Morph targets for one mesh of a file.
typedef struct snSoftMesh {
    int mesh;           // number in the file
    int node;           // file node that carries it; others with the same mesh and skin move along.
                        // A mesh may be given again with another node, which gets a copy of it
    int primitiveCount; // all primitives of the mesh, in the file's order
    int targetCount;    // new targets, appended after existing ones
    // [primitiveCount * targetCount], primitive by primitive: offsets [vertexCount of that
    // primitive] in bind space. A NULL entry is a target that moves nothing there.
    const snVec3f *const *positions;
    const snVec3f *const *normals; // the same, or NULL; ignored where a primitive has no normals
    const int *vertexCounts;       // [primitiveCount]
} snSoftMesh;

// A new animation: the channels of a source clip, and weights of the soft meshes' targets.
typedef struct snSoftClip {
    int clip;         // source animation's number in the file; -1: none, weights only
    const char *name; // of the new animation; made distinct ("Walk.soft.2") where it is taken
    int frameCount;
    const float *times; // [frameCount], ascending
    // Per soft mesh: [frameCount * (existing targets + targetCount)], or NULL where the clip does
    // not move that mesh softly.
    const float *const *weights;
    const snTransform *bones; // [frameCount * bones], local, for snGltf_AddBones
} snSoftClip;

// The original file as a .glb with the soft motion added. JSON bytes that need not change do not;
// the original BIN chunk comes first and unchanged, new data follow it in buffer 0. Of a .gltf,
// buffer 0 becomes the BIN chunk, other buffers and neighbouring images are embedded.
// Clips of the file that animate a soft mesh's existing weights are widened with zeros.
snStatus snGltf_AddSoft(const snGltfSource *original, const snSoftMesh *meshes, int meshCount,
                        const snSoftClip *clips, int clipCount, snBytes *out,
                        const snContext *context, snError *error);

// The original file as a .glb with further clips of its character as it was read; all else is as for
// snGltf_AddSoft. Numbers of nodes and meshes do not change.
snStatus snGltf_AddClips(const snGltfSource *original, const snCharacter *character,
                         const snClip *clips, int clipCount, snBytes *out, const snContext *context,
                         snError *error);

// Joints to be added to a file, children of nodes that it has.
typedef struct snAddedBone {
    const char *name;
    int parent;  // node of the file
    snVec3 rest; // place relative to the parent
} snAddedBone;

// A skin with bones behind its own joints.
typedef struct snAddedSkin {
    int skin;
    int boneCount;
    const int *bones;            // [boneCount], numbers in `bones`
    int jointCount;              // of its own
    const snAffine *inverseBind; // [jointCount + boneCount]
} snAddedSkin;

// The influences of a primitive anew.
typedef struct snAddedWeights {
    int mesh, primitive;
    int vertexCount;
    int influences;    // 4 or 8
    const int *joints; // [vertexCount * influences], numbers in the skin, behind its own the bones
    const float *weights; // [vertexCount * influences], normalised
} snAddedWeights;

typedef struct snAddedBones {
    int boneCount, skinCount, partCount;
    const snAddedBone *bones;
    const snAddedSkin *skins;
    const snAddedWeights *parts;
} snAddedBones;

// The original file as a .glb with bones, and clips whose channels move them besides what the source
// clip moves. All else is as for snGltf_AddSoft.
snStatus snGltf_AddBones(const snGltfSource *original, const snAddedBones *bones,
                         const snSoftClip *clips, int clipCount, snBytes *out,
                         const snContext *context, snError *error);

#endif
