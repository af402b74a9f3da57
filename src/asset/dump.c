// A sequence for tools: JSON beside a binary file. Everything in the binary file is little-endian and
// begins at a multiple of four bytes; mesh after mesh:
//     indices    uint32 [triangles * 3], from 0 within the mesh
//     uv         float32 [vertices * 2], only where the mesh has them
//     positions  float32 [frames][vertices * 3]
#include "asset/json_write.h"
#include "asset/numbers.h"
#include "asset/sequence.h"

static void putMesh(snNumbers *out, const snSequence *sequence, const snSequenceMesh *mesh)
{
    for (int k = 0; k < 3 * mesh->triangleCount; k++)
        snNumbers_Put(out, (uint32_t)mesh->triangles[k]);
    for (int k = 0; mesh->uv && k < 2 * mesh->vertexCount; k++)
        snNumbers_PutFloat(out, mesh->uv[k]);
    for (int f = 0; f < sequence->frameCount && !out->status; f++)
        snNumbers_PutPoints(out, snSequence_Frame(sequence, f) + mesh->firstVertex,
                            mesh->vertexCount);
}

// Describes a mesh and moves `offset` behind its data.
static void describeMesh(snJsonWriter *w, const snSequence *sequence, const snSequenceMesh *mesh,
                         int64_t *offset)
{
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutString(w, "name", mesh->title);
    snJsonWriter_PutInt(w, "vertices", mesh->vertexCount);
    snJsonWriter_PutInt(w, "triangles", mesh->triangleCount);
    snJsonWriter_PutInt(w, "indicesOffset", *offset);
    *offset += 12 * (int64_t)mesh->triangleCount;
    if (mesh->uv) {
        snJsonWriter_PutInt(w, "uvOffset", *offset);
        *offset += 8 * (int64_t)mesh->vertexCount;
    }
    snJsonWriter_PutInt(w, "positionsOffset", *offset);
    snJsonWriter_PutInt(w, "frameBytes", 12 * (int64_t)mesh->vertexCount);
    *offset += 12 * (int64_t)mesh->vertexCount * sequence->frameCount;
    snJsonWriter_EndObject(w);
}

static void describeClip(snJsonWriter *w, const snSequenceClip *clip)
{
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutString(w, "name", clip->name);
    snJsonWriter_PutInt(w, "firstFrame", clip->firstFrame);
    snJsonWriter_PutInt(w, "frames", clip->frameCount);
    snJsonWriter_PutDouble(w, "start", clip->start);
    snJsonWriter_PutDouble(w, "frameTime", clip->frameTime);
    snJsonWriter_PutBool(w, "loops", clip->loops);
    snJsonWriter_EndObject(w);
}

static void describe(snJsonWriter *w, const snSequence *sequence, const char *binName)
{
    int64_t offset = 0;
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutString(w, "format", "sinew sequence");
    snJsonWriter_PutInt(w, "version", 1);
    snJsonWriter_PutString(w, "binary", binName);
    snJsonWriter_PutString(w, "upAxis", "Y");
    snJsonWriter_PutDouble(w, "frameRate", sequence->frameRate);
    snJsonWriter_PutInt(w, "frames", sequence->frameCount);
    snJsonWriter_Key(w, "clips");
    snJsonWriter_BeginArray(w);
    for (int i = 0; i < sequence->clipCount; i++)
        describeClip(w, &sequence->clips[i]);
    snJsonWriter_EndArray(w);
    snJsonWriter_Key(w, "meshes");
    snJsonWriter_BeginArray(w);
    for (int i = 0; i < sequence->meshCount; i++)
        describeMesh(w, sequence, &sequence->meshes[i], &offset);
    snJsonWriter_EndArray(w);
    snJsonWriter_PutInt(w, "binaryBytes", offset);
    snJsonWriter_EndObject(w);
}

static snStatus writeJson(const snSequence *sequence, const char *binName, snSink sink,
                          const snAllocator *allocator, snError *error)
{
    snBytes bytes = snMakeBytesFrom(allocator);
    snJsonWriter w = snMakeJsonWriter(&bytes, true);
    describe(&w, sequence, binName);
    snBytes_AppendByte(&bytes, '\n');
    snStatus status = snBytes_Check(&bytes, error);
    if (!status) status = sink.write(sink.user, bytes.data, bytes.size, error);
    snBytes_Destroy(&bytes);
    return status;
}

snStatus snSequence_WriteDump(const snSequence *sequence, const snSequenceDump *dump,
                              snError *error)
{
    snNumbers out = {.sink = dump->bin, .error = error};
    snStatus status =
        writeJson(sequence, dump->binName, dump->json, &dump->context->allocator, error);
    for (int m = 0; m < sequence->meshCount && !status && !out.status; m++)
        putMesh(&out, sequence, &sequence->meshes[m]);
    snNumbers_Flush(&out);
    return status ? status : out.status;
}
