// A sequence as a USD scene in text (.usda): what Houdini, Blender, Maya and Omniverse open.
//     #usda 1.0
//     ( defaultPrim, metersPerUnit, upAxis, timeCodesPerSecond, start and end )
//     def Xform "fox" { def Mesh "body" { points.timeSamples = { 0: [...], 1: [...] } ... } }
// Time codes are frames from 0 on, all clips one after another; customData says where each begins.
#include "asset/sequence.h"

#include <stdio.h>
#include <string.h>

// Names of prims have letters, digits and '_' alone and begin with no digit. Two meshes whose names
// become the same are told apart by the number of the second.
#define PRIM_CHARS 160

static void makeIdentifier(const char *name, char *out)
{
    size_t n = 0;
    if (!*name || (*name >= '0' && *name <= '9')) out[n++] = '_';
    for (; *name && n < PRIM_CHARS - 16; name++) {
        bool fine = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                    (*name >= '0' && *name <= '9');
        out[n++] = fine ? *name : '_';
    }
    out[n] = '\0';
}

static void makePrimName(const snSequence *sequence, int mesh, char *out)
{
    char other[PRIM_CHARS];
    makeIdentifier(sequence->meshes[mesh].name, out);
    for (int m = 0; m < mesh; m++) {
        makeIdentifier(sequence->meshes[m].name, other);
        if (strcmp(other, out)) continue;
        size_t length = strlen(out);
        snprintf(out + length, PRIM_CHARS - length, "__%d",
                 mesh); // "__": no name ends so by chance
        return;
    }
}

// A quoted string; what could end it is left out.
static void putString(snTextSink *out, const char *string)
{
    char piece[2] = {0};
    snTextSink_Put(out, "\"");
    for (; *string; string++) {
        *piece = *string;
        if (*string == '"' || *string == '\\') snTextSink_Put(out, "\\");
        if ((unsigned char)*string >= 0x20 && *string != 0x7f) snTextSink_Put(out, piece);
    }
    snTextSink_Put(out, "\"");
}

static void putField(snTextSink *out, const char *name, double value)
{
    snTextSink_Put(out, "    ");
    snTextSink_Put(out, name);
    snTextSink_Put(out, " = ");
    snTextSink_Double(out, value);
    snTextSink_Put(out, "\n");
}

static void putClips(snTextSink *out, const snSequence *sequence)
{
    snTextSink_Put(out, "    customLayerData = {\n        string[] clips = [");
    for (int i = 0; i < sequence->clipCount; i++) {
        if (i) snTextSink_Put(out, ", ");
        putString(out, sequence->clips[i].name);
    }
    snTextSink_Put(out, "]\n        int[] clipStarts = [");
    for (int i = 0; i < sequence->clipCount; i++) {
        if (i) snTextSink_Put(out, ", ");
        snTextSink_Int(out, sequence->clips[i].firstFrame);
    }
    snTextSink_Put(out, "]\n    }\n");
}

static void putHeader(snTextSink *out, const snSequence *sequence, const char *root)
{
    snTextSink_Put(out, "#usda 1.0\n(\n");
    putClips(out, sequence);
    snTextSink_Put(out, "    defaultPrim = ");
    putString(out, root);
    snTextSink_Put(out, "\n");
    putField(out, "endTimeCode", sequence->frameCount - 1);
    putField(out, "framesPerSecond", sequence->frameRate);
    putField(out, "metersPerUnit", sequence->metersPerUnit > 0 ? sequence->metersPerUnit : 1);
    putField(out, "startTimeCode", 0);
    putField(out, "timeCodesPerSecond", sequence->frameRate);
    snTextSink_Put(out, "    upAxis = \"Y\"\n)\n\n");
}

static void putPoint(snTextSink *out, snVec3f p)
{
    snTextSink_Put(out, "(");
    snTextSink_Float(out, p.x);
    snTextSink_Put(out, ", ");
    snTextSink_Float(out, p.y);
    snTextSink_Put(out, ", ");
    snTextSink_Float(out, p.z);
    snTextSink_Put(out, ")");
}

static void putTime(snTextSink *out, int frame)
{
    snTextSink_Put(out, "            ");
    snTextSink_Int(out, frame);
    snTextSink_Put(out, ": [");
}

static void putExtents(snTextSink *out, const snSequence *sequence, const snSequenceMesh *mesh)
{
    snTextSink_Put(out, "        float3[] extent.timeSamples = {\n");
    for (int k = 0; k < sequence->frameCount; k++) {
        const snVec3f *points = snSequence_Frame(sequence, k) + mesh->firstVertex;
        snBox box = snEmptyBox();
        for (int v = 0; v < mesh->vertexCount; v++)
            box = snBoxAdd(box, snFromF(points[v]));
        putTime(out, k);
        putPoint(out, snToF(box.lower));
        snTextSink_Put(out, ", ");
        putPoint(out, snToF(box.upper));
        snTextSink_Put(out, "],\n");
    }
    snTextSink_Put(out, "        }\n");
}

static void putPoints(snTextSink *out, const snSequence *sequence, const snSequenceMesh *mesh)
{
    snTextSink_Put(out, "        point3f[] points.timeSamples = {\n");
    for (int k = 0; k < sequence->frameCount && !out->status; k++) {
        const snVec3f *points = snSequence_Frame(sequence, k) + mesh->firstVertex;
        putTime(out, k);
        for (int v = 0; v < mesh->vertexCount; v++) {
            if (v) snTextSink_Put(out, ", ");
            putPoint(out, points[v]);
        }
        snTextSink_Put(out, "],\n");
    }
    snTextSink_Put(out, "        }\n");
}

static void putFaces(snTextSink *out, const snSequenceMesh *mesh)
{
    snTextSink_Put(out, "        int[] faceVertexCounts = [");
    for (int t = 0; t < mesh->triangleCount; t++)
        snTextSink_Put(out, t ? ", 3" : "3");
    snTextSink_Put(out, "]\n        int[] faceVertexIndices = [");
    for (int k = 0; k < 3 * mesh->triangleCount; k++) {
        if (k) snTextSink_Put(out, ", ");
        snTextSink_Int(out, mesh->triangles[k]);
    }
    snTextSink_Put(out, "]\n");
}

static void putTextureCoordinates(snTextSink *out, const snSequenceMesh *mesh)
{
    snTextSink_Put(out, "        texCoord2f[] primvars:st = [");
    for (int v = 0; v < mesh->vertexCount; v++) { // st counts from the bottom
        snTextSink_Put(out, v ? ", (" : "(");
        snTextSink_Float(out, mesh->uv[2 * v]);
        snTextSink_Put(out, ", ");
        snTextSink_Float(out, 1.0f - mesh->uv[2 * v + 1]);
        snTextSink_Put(out, ")");
    }
    snTextSink_Put(out, "] (\n            interpolation = \"vertex\"\n        )\n");
}

static void putMesh(snTextSink *out, const snSequence *sequence, int number)
{
    const snSequenceMesh *mesh = &sequence->meshes[number];
    char prim[PRIM_CHARS];
    makePrimName(sequence, number, prim);
    snTextSink_Put(out, "    def Mesh ");
    putString(out, prim);
    snTextSink_Put(out, " (\n        doc = ");
    putString(out, mesh->title);
    snTextSink_Put(out, "\n    )\n    {\n");
    putExtents(out, sequence, mesh);
    putFaces(out, mesh);
    putPoints(out, sequence, mesh);
    if (mesh->uv) putTextureCoordinates(out, mesh);
    snTextSink_Put(out, "        uniform token subdivisionScheme = \"none\"\n    }\n");
}

snStatus snSequence_WriteUsda(const snSequence *sequence, snSink sink, snError *error)
{
    snTextSink out;
    char root[PRIM_CHARS];
    makeIdentifier(sequence->name, root);
    snTextSink_Begin(&out, sink, error);
    putHeader(&out, sequence, root);
    snTextSink_Put(&out, "def Xform ");
    putString(&out, root);
    snTextSink_Put(&out, "\n{\n");
    for (int m = 0; m < sequence->meshCount && !out.status; m++)
        putMesh(&out, sequence, m);
    snTextSink_Put(&out, "}\n");
    return snTextSink_End(&out);
}
