// MDD and PC2 of one mesh of a sequence.
#include "asset/numbers.h"
#include "asset/pc2.h"
#include "asset/sequence.h"

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

snStatus snSequence_WriteMdd(const snSequence *sequence, int mesh, snSink sink, snError *error)
{
    const snSequenceMesh *m = &sequence->meshes[mesh];
    snNumbers out = {.sink = sink, .error = error, .bigEnd = true};
    if (m->vertexCount < 1 || sequence->frameCount < 1)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "an MDD cache of %d points and %d frames would be empty", m->vertexCount,
                      sequence->frameCount);
    snNumbers_Put(&out, (uint32_t)sequence->frameCount);
    snNumbers_Put(&out, (uint32_t)m->vertexCount);
    for (int k = 0; k < sequence->frameCount; k++)
        snNumbers_PutFloat(&out, (float)(sequence->times[k] - sequence->times[0]));
    for (int k = 0; k < sequence->frameCount && !out.status; k++)
        snNumbers_PutPoints(&out, snSequence_Frame(sequence, k) + m->firstVertex, m->vertexCount);
    return snNumbers_Flush(&out);
}
