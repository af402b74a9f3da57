// MDD and PC2 of one mesh of a sequence.
#include "asset/sequence.h"
#include "asset/pc2.h"

#include "core/error.h"

snStatus snSequence_WritePc2(const snSequence *sequence, int mesh, snSink sink, snError *error)
{
    const snSequenceMesh *m = &sequence->meshes[mesh];
    snPc2Header header = {m->vertexCount, sequence->frameCount, 0, 1};
    snPc2Writer cache;
    snStatus status = snPc2_Begin(&cache, &header, sink, error);
    for (int k = 0; k < sequence->frameCount && !status; k++)
        status = snPc2_Frame(&cache, snSequence_Frame(sequence, k) + m->firstVertex, error);
    return status ? status : snPc2_End(&cache, error);
}

// Numbers of four bytes, big end first, in pieces.
typedef struct BigNumbers {
    snSink sink;
    snError *error;
    snStatus status;
    int used;
    uint8_t bytes[4 * 768];
} BigNumbers;

static void flush(BigNumbers *out)
{
    if (!out->status && out->used)
        out->status = out->sink.write(out->sink.user, out->bytes, (size_t)out->used, out->error);
    out->used = 0;
}

static void put(BigNumbers *out, uint32_t value)
{
    if (out->used == (int)sizeof out->bytes) flush(out);
    snStoreU32Big(out->bytes + out->used, value);
    out->used += 4;
}

static void putFrame(BigNumbers *out, const snVec3f *points, int count)
{
    for (int v = 0; v < count && !out->status; v++) {
        put(out, snFloatBits(points[v].x));
        put(out, snFloatBits(points[v].y));
        put(out, snFloatBits(points[v].z));
    }
}

snStatus snSequence_WriteMdd(const snSequence *sequence, int mesh, snSink sink, snError *error)
{
    const snSequenceMesh *m = &sequence->meshes[mesh];
    BigNumbers out = {.sink = sink, .error = error};
    if (m->vertexCount < 1 || sequence->frameCount < 1)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "an MDD cache of %d points and %d frames would be empty", m->vertexCount,
                      sequence->frameCount);
    put(&out, (uint32_t)sequence->frameCount);
    put(&out, (uint32_t)m->vertexCount);
    for (int k = 0; k < sequence->frameCount; k++)
        put(&out, snFloatBits((float)sequence->times[k]));
    for (int k = 0; k < sequence->frameCount && !out.status; k++)
        putFrame(&out, snSequence_Frame(sequence, k) + m->firstVertex, m->vertexCount);
    flush(&out);
    return out.status;
}
