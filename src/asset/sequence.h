// Meshes whose points move: what point caches, sequences and scenes are written from. Positions are
// in world space, Y up, in the vertex order of the file that the meshes came from.
#ifndef SN_ASSET_SEQUENCE_H
#define SN_ASSET_SEQUENCE_H

#include "asset/sink.h"
#include "core/vec.h"

typedef struct snSequenceMesh {
    const char *name;  // distinct among the meshes, letters, digits, '.', '_' and '-' alone
    const char *title; // as the file has it
    int firstVertex;   // among the points of a frame
    int vertexCount;
    int triangleCount;
    const int *triangles; // [triangleCount * 3], from 0 within the mesh
    const float *uv;      // [vertexCount * 2], origin at the top left as in glTF, or NULL
} snSequenceMesh;

typedef struct snSequenceClip {
    const char *name;
    int firstFrame, frameCount;
    double start;     // s, of the first frame in the clip's own time
    double frameTime; // s
    bool loops;
} snSequenceClip;

typedef struct snSequence {
    const char *name; // of the character: letters, digits, '.', '_' and '-' alone
    int meshCount;
    const snSequenceMesh *meshes;
    int vertexCount; // of all meshes together
    int clipCount;   // one after another
    const snSequenceClip *clips;
    int frameCount; // of all clips together
    double frameRate;
    double metersPerUnit;         // 0: taken as 1
    const double *times;          // [frameCount] s; caches count them from the first
    const snVec3f *const *frames; // [frameCount][vertexCount]; NULL: `fetch` has them
    const snVec3f *(*fetch)(void *user, int frame); // there until the next call
    void *user;
} snSequence;

// The points of all meshes in a frame, there until the next call.
static inline const snVec3f *snSequence_Frame(const snSequence *sequence, int frame)
{
    return sequence->frames ? sequence->frames[frame] : sequence->fetch(sequence->user, frame);
}

// A cache of one mesh: PC2 (pc2.h has the layout) and MDD. MDD, as LightWave and Blender have it,
// is big-endian: int32 frames, int32 points, float32 time of every frame in seconds; then x, y, z
// as float32 per point, frame after frame.
snStatus snSequence_WritePc2(const snSequence *sequence, int mesh, snSink sink, snError *error);
snStatus snSequence_WriteMdd(const snSequence *sequence, int mesh, snSink sink, snError *error);

// All meshes in one frame as Wavefront OBJ, an object each.
snStatus snSequence_WriteObj(const snSequence *sequence, int frame, snSink sink, snError *error);

// All of it as a USD scene in text: a Mesh per mesh with points at every time code, its faces, and
// texture coordinates as primvars:st.
snStatus snSequence_WriteUsda(const snSequence *sequence, snSink sink, snError *error);

// For tools: a JSON document that describes a binary file (docs/formats.md).
typedef struct snSequenceDump {
    snSink json, bin;
    const char *binName; // what the document calls the binary file
    const snContext *context;
} snSequenceDump;
snStatus snSequence_WriteDump(const snSequence *sequence, const snSequenceDump *dump,
                              snError *error);

#endif
