// The character: surface parts, skins, skeleton, clips and materials, as read from a file or made
// by code. Const once made. May use core, numerics, geometry, skeleton. Begin with snCharacter.
#ifndef SN_CHARACTER_CHARACTER_H
#define SN_CHARACTER_CHARACTER_H

#include "sinew/character.h"
#include "skeleton/skeleton.h"

// A picture as it lies in the file (PNG, JPEG, ...), not decoded.
typedef struct snTexture {
    const char *name;
    const unsigned char *bytes; // NULL: a neighbouring file, named by `uri`, that was not read
    size_t size;
    const char *uri; // NULL where the bytes are
} snTexture;

typedef struct snMaterialLook {
    const char *name;
    float color[4]; // linear RGBA base colour
    bool doubleSided;
    const snTexture *image; // base colour texture (sRGB), multiplied with `color`; NULL: none
} snMaterialLook;

typedef struct snSkin {
    const char *name;
    int jointCount;
    int *joints;           // [jointCount], joint numbers in the skeleton
    snAffine *inverseBind; // [jointCount]
} snSkin;

// Numbers at a part's vertices that may serve as a painted map (paint.h), called as in the file.
typedef struct snAttribute {
    const char *name;
    int width;           // numbers per vertex, 1 to 4
    const float *values; // [vertexCount * width], finite
} snAttribute;

// One primitive of one mesh on one node. Vertex order is the file's own.
typedef struct snPart {
    const char *name;     // the mesh's name
    int node;             // joint that carries it
    int mesh, primitive;  // their numbers in the file
    int primitivesOfMesh; // how many that mesh has, triangles or not
    int skin;             // -1: rigid on its node
    bool prop;            // not of the body: something to bump into
    int material;         // -1: none
    int vertexCount;
    int triangleCount;
    snVec3f *positions;      // [vertexCount], bind space
    snVec3f *normals;        // [vertexCount], or NULL
    float *uv;               // [vertexCount * 2], or NULL
    float *colors;           // [vertexCount * 4] linear, or NULL: COLOR_0
    int attributeCount;      // COLOR_1 and on, and those of the artist's own, _SOFTNESS
    snAttribute *attributes; // [attributeCount]
    int *triangles;          // [triangleCount * 3]
    int influences;          // per vertex: 0, 4 or 8
    int *joints;             // [vertexCount * influences], numbers within the skin
    float *weights;          // [vertexCount * influences], normalised, zeros allowed
    int targetCount;         // morph targets the file already has
    int firstMorph;          // of this part's weights in snPose.morphs
    snVec3f **targets;       // [targetCount][vertexCount] position offsets
    snVec3f **targetNormals; // [targetCount], each NULL or [vertexCount]
} snPart;

static inline bool snPart_IsSkinned(const snPart *part)
{
    return part->skin >= 0 && part->influences > 0;
}

struct snCharacter {
    snArena arena; // owns everything below
    snSkeleton skeleton;
    int skinCount;
    snSkin *skins;
    int partCount;
    snPart *parts;
    int materialCount;
    snMaterialLook *materials;
    int imageCount;
    snTexture *images; // in the order of the file
    int clipCount;
    snClip *clips;
    int morphCount;     // numbers in snPose.morphs
    double *restMorphs; // [morphCount]
    int vertexCount;    // of all parts together, one part after another
    int triangleCount;
};

void snCharacter_Destroy(snCharacter *character); // also of a half-made one

// The surface in a pose (globals computed): morph targets, then linear blend skinning, or the
// node's transform for rigid parts. All parts one after another, in world space. `normals` may be
// NULL; parts without normals get zeros.
void snCharacter_Surface(const snCharacter *character, const snPose *pose, const snTasks *tasks,
                         snVec3f *positions, snVec3f *normals);

// The same positions by the calling thread, as rows of four floats (x, y, z, any), in single precision where a part is a plain
// skin: off by some 1e-7 of the distance from the origin.
void snCharacter_SurfaceRows(const snCharacter *character, const snPose *pose, float *rows);

// The same for one part, and for one vertex of one.
void snCharacter_PartSurface(const snCharacter *character, const snPose *pose, const snPart *part,
                             const snTasks *tasks, snVec3f *positions);
snVec3 snCharacter_SurfacePoint(const snCharacter *character, const snPose *pose,
                                const snPart *part, int vertex);

// The blended skinning matrix of one vertex of a skinned part, in a pose.
snAffine snCharacter_SkinMatrix(const snCharacter *character, const snPose *pose,
                                const snPart *part, int vertex);

// Whether a part is its own mirror image in a pose (globals computed): negative scales of its joints,
// or of its node, have turned its triangles round (glTF 2.0, section 3.7.4).
bool snCharacter_IsMirrored(const snCharacter *character, const snPose *pose, const snPart *part);

// Whether any part is skinned, props apart.
bool snCharacter_HasSkin(const snCharacter *character);

// Which parts are the body itself, 1 in isBody[parts], and no stage or prop: skinned ones are, or where
// there are none those that clips move with their nodes, or where nothing moves all of them.
snStatus snCharacter_FindBody(const snCharacter *character, unsigned char *isBody, snArena *scratch,
                              snError *error);

// Whether a clip moves any part, props apart, by its node or by a joint of its skin.
snStatus snCharacter_IsMoved(const snCharacter *character, bool *moves, snArena *scratch,
                             snError *error);

// Rest pose sampled with the clip at time t, globals computed.
void snCharacter_Pose(const snCharacter *character, const snClip *clip, double t, snPose *pose);

#endif
