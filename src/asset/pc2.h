// PC2 point caches: every vertex of every frame, as Blender, Houdini and 3ds Max read them.
// Layout, little-endian: "POINTCACHE2\0", int32 version 1, int32 points, float32 start frame,
// float32 sample rate (samples per frame), int32 samples; then x, y, z as float32 per point, sample
// after sample.
#ifndef SN_ASSET_PC2_H
#define SN_ASSET_PC2_H

#include "asset/sink.h"
#include "core/vec.h"

#define SN_PC2_HEADER_SIZE 32

typedef struct snPc2Header {
    int pointCount;
    int sampleCount;
    float startFrame;
    float sampleRate; // samples per frame; 1: one sample for every frame
} snPc2Header;

// Writing needs no memory of its own: frames go to the sink as they come.
typedef struct snPc2Writer {
    snSink sink;
    int pointCount;
    int missing; // samples that have not come yet
} snPc2Writer;

snStatus snPc2_Begin(snPc2Writer *writer, const snPc2Header *header, snSink sink, snError *error);
snStatus snPc2_Frame(snPc2Writer *writer, const snVec3f *points, snError *error); // [pointCount]
snStatus snPc2_End(const snPc2Writer *writer, snError *error); // fails when samples are missing

// Reads and checks the header and the file's length.
snStatus snPc2_Open(snPc2Header *header, const void *bytes, size_t size, snError *error);
// One sample of a file that snPc2_Open accepted.
void snPc2_Sample(const snPc2Header *header, const void *bytes, int sample, snVec3f *points);

#endif
