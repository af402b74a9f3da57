// One frame of a sequence as Wavefront OBJ.
#include "asset/sequence.h"

static void putVertices(snTextSink *out, const snSequenceMesh *mesh, const snVec3f *points)
{
    for (int v = 0; v < mesh->vertexCount; v++) {
        snTextSink_Put(out, "v ");
        snTextSink_Float(out, points[v].x);
        snTextSink_Put(out, " ");
        snTextSink_Float(out, points[v].y);
        snTextSink_Put(out, " ");
        snTextSink_Float(out, points[v].z);
        snTextSink_Put(out, "\n");
    }
    for (int v = 0; mesh->uv && v < mesh->vertexCount; v++) { // OBJ counts from the bottom
        snTextSink_Put(out, "vt ");
        snTextSink_Float(out, mesh->uv[2 * v]);
        snTextSink_Put(out, " ");
        snTextSink_Float(out, 1.0f - mesh->uv[2 * v + 1]);
        snTextSink_Put(out, "\n");
    }
}

// Numbers run on through the file, from 1.
static void putFaces(snTextSink *out, const snSequenceMesh *mesh, int firstPoint, int firstUv)
{
    for (int t = 0; t < mesh->triangleCount; t++) {
        snTextSink_Put(out, "f");
        for (int k = 0; k < 3; k++) {
            int v = mesh->triangles[3 * t + k];
            snTextSink_Put(out, " ");
            snTextSink_Int(out, firstPoint + v + 1);
            if (!mesh->uv) continue;
            snTextSink_Put(out, "/");
            snTextSink_Int(out, firstUv + v + 1);
        }
        snTextSink_Put(out, "\n");
    }
}

snStatus snSequence_WriteObj(const snSequence *sequence, int frame, snSink sink, snError *error)
{
    snTextSink out;
    int point = 0, uv = 0;
    snTextSink_Begin(&out, sink, error);
    for (int m = 0; m < sequence->meshCount; m++) {
        const snSequenceMesh *mesh = &sequence->meshes[m];
        snTextSink_Put(&out, "o ");
        snTextSink_Put(&out, mesh->name);
        snTextSink_Put(&out, "\n");
        putVertices(&out, mesh, snSequence_Frame(sequence, frame) + mesh->firstVertex);
        putFaces(&out, mesh, point, uv);
        point += mesh->vertexCount;
        if (mesh->uv) uv += mesh->vertexCount;
    }
    return snTextSink_End(&out);
}
