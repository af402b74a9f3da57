// Within the writer of jiggle bones (bones.h): what its files share.
#ifndef SN_BAKE_BONES_PARTS_H
#define SN_BAKE_BONES_PARTS_H

#include "bake/bones.h"
#include "bake/soft_parts.h"

#define SN_BONE_SLOTS 8 // most influences of a vertex

// A vertex of a skinned part, of all meshes one after another.
typedef struct snBoneVertex {
    int part, number;           // in the character, and in the part
    int mesh, inMesh;           // in the soft work
    int own;                    // influences of its own, without those that a bone has taken whole
    int shared;                 // bones that share a joint's weight with it
    int limit;                  // of influences: 4 or 8
    float taken[SN_BONE_SLOTS]; // of each own influence, by bones
} snBoneVertex;

// A vertex that may follow a bone.
typedef struct snBoneMember {
    int vertex;
    int slot;     // own influence it would take from
    bool whole;   // no influence is left: it gives the bone all of that weight, or none
    float weight; // w
    snVec3f q;    // in the parent's space
} snBoneMember;

typedef struct snJiggle {
    int parent; // joint of the skeleton
    int memberCount;
    snBoneMember *members;
    snVec3 center; // in the parent's space
} snJiggle;

typedef struct snBonesWork {
    snSoftWork soft;
    const snBonesDef *def;
    int vertexCount;
    snBoneVertex *vertices;
    int boneCount;
    snJiggle *bones; // [def->boneCount]

    // Some frames, which the bones are made for.
    int sampleCount;
    snSoftSample *samples;
    snVec3f *left;   // [samples][vertices], what is still missing
    snAffine *moves; // [samples][def->boneCount], L
    snAffine *space; // [samples][joints], global

    // All frames.
    snTransform *keys; // [frames][boneCount], local
    double error, squares, offsets;
    int64_t count;
} snBonesWork;

// bones_fit.c
snStatus snBones_Fit(snBonesWork *work, snError *error);
// The motions of all bones in one frame, which `left` belongs to; `moves` are the first guess and
// then the answer. Afterwards `left` is what they leave.
void snBones_SolveFrame(const snBonesWork *work, const snAffine *space, snVec3f *left,
                        snAffine *moves, int rounds);
void snBones_Apply(const snBonesWork *work, int bone, const snAffine *space, const snAffine *move,
                   double sign, snVec3f *left);

// bones_write.c
snStatus snBones_Describe(snBonesWork *work, const snGltfSource *original, snBytes *out,
                          snError *error);

#endif
