#include "tests/hostile/corpus.h"

#include "asset/gltf.h"
#include "asset/pc2.h"
#include "core/error.h"
#include "demo.h"
#include "platform/files.h"
#include "tests/asset/gltf_make.h"

#include <stdio.h>
#include <string.h>

const char *snFormat_Name(snFormat format)
{
    static const char *const names[SN_FORMATS] = {"glb",        "gltf",  "obj",       "bvh",
                                                  "pc2",        "rig",   "skeleton",  "sidecar",
                                                  "checkpoint", "scene", "character", "script"};
    return names[format];
}

snBytes *snCorpus_Add(snCorpus *corpus, snFormat format, const char *name, const snContext *context)
{
    snSeed *seed = &corpus->seeds[corpus->count++];
    *seed = (snSeed){format, name, snMakeBytes(context)};
    return &seed->bytes;
}

const snSeed *snCorpus_Pick(const snCorpus *corpus, snFormat format, int number)
{
    int count = 0;
    for (int i = 0; i < corpus->count; i++)
        count += corpus->seeds[i].format == format;
    if (!count) return NULL;
    number %= count;
    for (int i = 0;; i++)
        if (corpus->seeds[i].format == format && number-- == 0) return &corpus->seeds[i];
}

void snCorpus_Destroy(snCorpus *corpus)
{
    for (int i = 0; i < corpus->count; i++)
        snBytes_Destroy(&corpus->seeds[i].bytes);
    corpus->count = 0;
}

// ---- the beast ----

#define BOX_VERTICES 8
#define BEAST_VERTICES (BOX_VERTICES * DEMO_JOINTS)

// A box from one end of a bone to the other, as wide as its flesh; it follows the bone alone.
static void makeBox(snPart *part, int joint)
{
    static const int faces[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7},
                                     {0, 1, 5}, {0, 5, 4}, {1, 2, 6}, {1, 6, 5},
                                     {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};
    const snDemoBone *bone = snDemo_Bone(joint);
    snVec3 axis = snNormalizeOr(snSub(bone->end, bone->place), snVec(0, 1, 0));
    snVec3 side = snNormalizeOr(snCross(axis, snVec(0.3, 0.2, 1)), snVec(1, 0, 0));
    snVec3 front = snCross(side, axis);
    for (int k = 0; k < BOX_VERTICES; k++) {
        int v = joint * BOX_VERTICES + k;
        double r = bone->radius[k / 4];
        snVec3 at = k < 4 ? bone->place : bone->end;
        at = snMulAdd(at, (k + 1) % 4 < 2 ? -r : r, side);
        at = snMulAdd(at, k % 4 < 2 ? -r : r, front);
        part->positions[v] = snToF(at);
        part->joints[4 * v] = joint;
        part->weights[4 * v] = 1;
    }
    for (int i = 0; i < 36; i++)
        part->triangles[36 * joint + i] = joint * BOX_VERTICES + faces[i / 3][i % 3];
}

static snStatus makeBeast(snCharacter *beast, snError *error)
{
    snArena *arena = &beast->arena;
    snStatus status = snDemo_MakeSkeleton(beast, error);
    if (!status) status = snDemo_MakeClips(beast, error);
    if (status) return status;
    beast->clipCount = 1;
    beast->restMorphs = SN_NEW(arena, double, 0);
    snPart *part = beast->parts = SN_NEW(arena, snPart, 1);
    if (!part) return snFailMemory(error);
    *part = (snPart){.name = "body", .node = DEMO_NODE_BODY, .material = -1, .influences = 4};
    beast->partCount = 1;
    beast->vertexCount = part->vertexCount = BEAST_VERTICES;
    beast->triangleCount = part->triangleCount = 12 * DEMO_JOINTS;
    part->positions = SN_NEW(arena, snVec3f, BEAST_VERTICES);
    part->joints = SN_NEW(arena, int, 4 * BEAST_VERTICES);
    part->weights = SN_NEW(arena, float, 4 * BEAST_VERTICES);
    part->triangles = SN_NEW(arena, int, 36 * DEMO_JOINTS);
    if (!part->positions || !part->joints || !part->weights || !part->triangles)
        return snFailMemory(error);
    for (int j = 0; j < DEMO_JOINTS; j++)
        makeBox(part, j);
    return SN_OK;
}

static snStatus addBeast(snCorpus *corpus, const snContext *context, snError *error)
{
    snCharacter beast = {.arena = snMakeArena(context)};
    snStatus status = makeBeast(&beast, error);
    snBytes *glb = snCorpus_Add(corpus, SN_FORMAT_GLB, "beast", context);
    if (!status) status = snGlb_FromCharacter(&beast, glb, error);
    snCharacter_Destroy(&beast);
    return status;
}

// ---- glTF ----

static void appendBase64(snBytes *out, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t b = (uint32_t)bytes[i] << 16;
        if (i + 1 < size) b |= (uint32_t)bytes[i + 1] << 8;
        if (i + 2 < size) b |= bytes[i + 2];
        for (size_t k = 0; k < 4; k++)
            snBytes_AppendByte(out, i + k > size ? '=' : (uint8_t)digits[b >> (18 - 6 * k) & 63]);
    }
}

// A .glb is a header of 12 bytes, then its text and its numbers, each behind 8 bytes.
bool snCorpus_SplitGlb(const snBytes *glb, snGlbParts *parts)
{
    static const char buffers[] = "\"buffers\":[{";
    size_t json = snLoadU32(glb->data + 12), length = sizeof buffers - 1;
    const char *text = (const char *)glb->data + 20;
    *parts = (snGlbParts){.text = text, .end = text + json};
    parts->numbers = glb->data + 28 + json;
    parts->size = glb->size - 28 - json;
    for (size_t i = 0; i + length <= json; i++)
        if (!memcmp(text + i, buffers, length)) parts->buffer = text + i + length;
    return parts->buffer;
}

// A .glb as text with its buffer embedded.
static void addText(snCorpus *corpus, const char *name, const snBytes *glb,
                    const snContext *context)
{
    snBytes *out = snCorpus_Add(corpus, SN_FORMAT_GLTF, name, context);
    snGlbParts parts;
    if (!snCorpus_SplitGlb(glb, &parts)) return;
    snBytes_Append(out, parts.text, (size_t)(parts.buffer - parts.text));
    snBytes_AppendText(out, "\"uri\":\"data:application/octet-stream;base64,");
    appendBase64(out, parts.numbers, parts.size);
    snBytes_AppendText(out, "\",");
    snBytes_Append(out, parts.buffer, (size_t)(parts.end - parts.buffer));
}

static snStatus addTubes(snCorpus *corpus, const snContext *context, snError *error)
{
    snCharacter tubes;
    makeCharacter(&tubes, context);
    snBytes *glb = snCorpus_Add(corpus, SN_FORMAT_GLB, "tubes", context);
    snStatus status = snGlb_FromCharacter(&tubes, glb, error);
    snCharacter_Destroy(&tubes);
    if (!status) addText(corpus, "tubes", glb, context);
    return status;
}

// What our own writer does not make: quantised, sparse and interleaved data, strips, no indices,
// a matrix, a neighbouring file.
static void addOddities(snCorpus *corpus, const snContext *context)
{
    static const char text[] =
        "{\"asset\":{\"version\":\"2.0\"},\"extensionsUsed\":[\"KHR_mesh_quantization\"],"
        "\"extensionsRequired\":[\"KHR_mesh_quantization\"],\"scene\":0,\"scenes\":[{\"nodes\":[0]}"
        "],"
        "\"nodes\":[{\"children\":[1,2]},{\"mesh\":0,\"skin\":0,\"weights\":[0.5]},{\"name\":"
        "\"bone\","
        "\"children\":[3]},{\"matrix\":[1,0,0,0,0,2,0,0,0,0,-1,0,0,1,0,1],\"mesh\":1}],"
        "\"skins\":[{\"joints\":[2,3],\"skeleton\":2}],\"meshes\":[{\"primitives\":[{"
        "\"attributes\":"
        "{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2},\"targets\":[{\"POSITION\":3}]}]},{"
        "\"primitives\":"
        "[{\"attributes\":{\"POSITION\":0},\"mode\":5,\"indices\":4}]}],\"accessors\":[{"
        "\"bufferView\":0,"
        "\"componentType\":5122,\"normalized\":true,\"count\":6,\"type\":\"VEC3\",\"min\":[-1,-1,-"
        "1],"
        "\"max\":[1,1,1]},{\"bufferView\":0,\"byteOffset\":8,\"componentType\":5121,\"count\":6,"
        "\"type\":"
        "\"VEC4\"},{\"bufferView\":0,\"byteOffset\":12,\"componentType\":5121,\"normalized\":true,"
        "\"count\":6,"
        "\"type\":\"VEC4\"},{\"componentType\":5126,\"count\":6,\"type\":\"VEC3\",\"sparse\":{"
        "\"count\":1,"
        "\"indices\":{\"bufferView\":1,\"componentType\":5121},\"values\":{\"bufferView\":2}}},"
        "{\"bufferView\":1,\"componentType\":5121,\"count\":4,\"type\":\"SCALAR\"},{\"bufferView\":"
        "2,"
        "\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"}],\"animations\":[{\"name\":\"a\","
        "\"samplers\":"
        "[{\"input\":5,\"output\":3,\"interpolation\":\"CUBICSPLINE\"},{\"input\":5,\"output\":5,"
        "\"interpolation\":\"STEP\"}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":"
        "\"translation\"}},{\"sampler\":1,\"target\":{\"node\":1,\"path\":\"weights\"}}]}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":96,\"byteStride\":16},{\"buffer\":0,"
        "\"byteOffset\":96,"
        "\"byteLength\":4},{\"buffer\":0,\"byteOffset\":100,\"byteLength\":12}],\"buffers\":[{"
        "\"byteLength\":112,"
        "\"uri\":\"data:application/octet-stream;base64,";
    snBytes data = snMakeBytes(context);
    for (int v = 0; v < 6; v++) { // an octahedron: x, y, z, padding, joints, weights
        const int axis = v / 2;
        for (int k = 0; k < 4; k++)
            snBytes_AppendU16(&data, k != axis ? 0 : v % 2 ? 0x8001 : 0x7fff);
        snBytes_AppendU32(&data, 0x00000100);
        snBytes_AppendU32(&data, v % 2 ? 0x000000ff : 0x0000807f);
    }
    snBytes_AppendU32(&data, 0x03020100);
    for (int k = 0; k < 3; k++)
        snBytes_AppendF32(&data, 0.5f * (float)k);
    snBytes *out = snCorpus_Add(corpus, SN_FORMAT_GLTF, "oddities", context);
    snBytes_AppendText(out, text);
    appendBase64(out, data.data, data.size);
    snBytes_AppendText(out, "\"}]}");
    snBytes_Destroy(&data);
}

// ---- the rest ----

static const char beam[] =
    "# a beam\no beam\nv -0.5 -0.5 -3\nv 0.5 -0.5 -3\nv 0.5 0.5 -3\nv -0.5 0.5 -3\n"
    "v -0.5 -0.5 3\nv 0.5 -0.5 3\nv 0.5 0.5 3\nv -0.5 0.5 3\n"
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
static const char corners[] =
    "mtllib none.mtl\nv 0 0 0\nv 1 0 0 1\nv 0.2 0.2 0\nv 0 1 0\nv 0 0 1e0\nvt 0 0\nvt 1 0\nvt .5 "
    "1\n"
    "vn 0 0 1\nvn 1 0 0\ng all\nusemtl red\ns off\nf 1/1/1 2/2/1 3/3/1 4/1/1\nf 1//2 4//2 5//2\n"
    "f -5 -1 -4\nf 2/1 \\\n5/2 4/3\n";
static const char motion[] =
    "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0 0\n  CHANNELS 6 Xposition Yposition Zposition Zrotation "
    "Xrotation Yrotation\n  JOINT Spine\n  {\n    OFFSET 0 1 0\n    CHANNELS 3 Zrotation Yrotation "
    "Xrotation\n    End Site\n    {\n      OFFSET 0 1 0\n    }\n  }\n  JOINT Leg\n  {\n    OFFSET "
    "0.5 -1 0\n"
    "    CHANNELS 0\n    End Site\n    {\n      OFFSET 0 -1 0\n    }\n  }\n}\nMOTION\nFrames: 3\n"
    "Frame Time: 0.0333333\n0 1 0 0 0 0 0 10 0\n0 1.5 0 5 -5 90 0 20 1e-1\n0 1 0 0 0 0 0 30 0\n";
static const char rig[] = "{\"sinew\":\"rig\",\"version\":1,\"defaults\":{\"wobble\":4,\"damping\":"
                          "2,\"feel\":\"subtle\",\"twist\":3},"
                          "\"parts\":{\"ear\":{\"wobble\":6},\"head\":{\"stiffness\":2},\"tail*\":{"
                          "\"free\":false,\"material\":"
                          "\"muscle\"}}}";
static const char skeleton[] = "{\"joints\":[{\"name\":\"hip\",\"at\":[0,0,-2]},{\"name\":\"knee\","
                               "\"ray\":{\"origin\":[3,0.1,0],"
                               "\"direction\":[-1,0,0]}},{\"name\":\"toe\",\"at\":[0,0,2.5]}],"
                               "\"bones\":[[\"hip\",\"knee\"],[\"knee\",\"toe\"]],"
                               "\"root\":\"hip\"}";

static const char everything[] =
    "{\"sinew\":\"scene\",\"version\":1,\"title\":\"all\",\"step\":\"8 ms\",\"duration\":1,"
    "\"frameRate\":25,\"gravity\":[[0,[0,-9.81,0]],[0.5,[0,0,0]]],\"bodies\":["
    "{\"name\":\"a\",\"box\":{\"size\":[\"20 cm\",0.1,0.1],\"cells\":[2,1,1]},\"scheme\":\"bajaj\","
    "\"quadrature\":1,\"material\":{\"young\":[1e4,1e4,1e4,1e4,1e4,1e4,1e4,1e4,1e4,1e4,1e4,"
    "\"20 kPa\"],\"poisson\":{\"along\":\"y\",\"values\":[0.2,0.4]},\"density\":900,\"damping\":"
    "\"2 "
    "ms\",\"drag\":1,\"energy\":\"neo-hookean\"},\"solver\":{\"kind\":\"newton\",\"iterations\":2,"
    "\"constraints\":{\"method\":\"multipliers\",\"time\":\"50 ms\"}},\"contact\":{\"firmness\":8,"
    "\"iterations\":4,\"thickness\":\"1 mm\",\"reach\":0.05},\"place\":[0,1,0]},"
    "{\"name\":\"b\",\"lattice\":{\"vertices\":[[0,0,0],[1,0,0],[1,1,0],[0,1,0],[0,0,1],[1,0,1],[1,"
    "1,"
    "1],[0,1,1]],\"cells\":[[0,1,2,3,4,5,6,7]],\"sharp\":{\"edges\":[[0,1]],\"corners\":[3]}},"
    "\"quadrature\":2,\"contact\":{\"self\":true,\"restitution\":0.5,\"friction\":0.3},"
    "\"rotation\":{\"axis\":[0,0,2],\"angle\":90},\"place\":[2,1,0],\"velocity\":[1,0,0],\"spin\":["
    "0,"
    "\"1 turn\",180],\"stiffness\":[[0,1],[\"500 ms\",2]],\"color\":\"#ff0000\"},"
    "{\"name\":\"c\",\"mesh\":{\"file\":\"beam.obj\",\"scale\":0.1,\"cells\":30},\"place\":[-1,1,0]"
    "},"
    "{\"name\":\"d\",\"mesh\":{\"file\":\"beam.obj\",\"scale\":0.1,\"grid\":[1,1,3]},\"solver\":{"
    "\"kind\":\"quasi-linear\",\"turn\":\"curl\"},\"contact\":false,\"place\":[-2,1,0]},"
    "{\"name\":\"e\",\"sphere\":{\"size\":[0.2,0.3,0.2],\"sides\":8},\"poly\":{\"order\":2},"
    "\"place\":["
    "3,1,0]},{\"name\":\"f\",\"tube\":{\"points\":[[0,0,0],[0,0.3,0],[0.1,0.5,0]],\"radius\":[0.05,"
    "0.1,"
    "0],\"sides\":6},\"poly\":{},\"place\":[3,2,0]},{\"name\":\"g\",\"pyramid\":{\"size\":[0.3,0.3,"
    "0.3]"
    ",\"grid\":[2,2,2]},\"quadrature\":1,\"place\":[4,1,0]},{\"name\":\"h\",\"cylinder\":{"
    "\"radius\":0.1,"
    "\"length\":0.3,\"top\":0,\"sides\":6},\"poly\":{\"controls\":[2,3,2]},\"place\":[4,2,0]},{"
    "\"name\":"
    "\"i\",\"capsule\":{\"radius\":0.1,\"length\":0.3,\"sides\":6},\"poly\":{},\"place\":[4,3,0]}],"
    "\"colliders\":[{\"kind\":\"floor\",\"height\":-0.5,\"friction\":0.2},{\"kind\":\"wall\","
    "\"place\":[5,"
    "0,0],\"normal\":[-2,0,0]},{\"kind\":\"container\",\"size\":[20,20,20]},{\"kind\":\"capsule\","
    "\"radius\":0.1,\"length\":0.5,\"keys\":[{\"time\":0,\"place\":[0,0,0]},{\"time\":1,\"place\":["
    "1,0,"
    "0],\"rotation\":[0,1,0,0]}]},{\"kind\":\"mesh\",\"file\":\"beam.obj\",\"scale\":0.2,\"place\":"
    "[0,-"
    "1,0]},{\"kind\":\"box\",\"size\":[1,0.1,1]},{\"kind\":\"sphere\",\"radius\":0.2,"
    "\"restitution\":1}],"
    "\"attachments\":[{\"body\":\"a\",\"within\":{\"upper\":[0,1,1]},\"from\":0.05,\"until\":0.2,"
    "\"ease\":0.02},{\"body\":\"b\",\"vertex\":0,\"to\":{\"body\":\"c\",\"near\":[0,0,0]}},{"
    "\"body\":"
    "\"b\",\"point\":[0.5,0.5,0.5],\"to\":{\"body\":\"a\",\"vertex\":1},\"spring\":{\"stiffness\":"
    "100,"
    "\"damping\":1}},{\"body\":\"d\",\"near\":[0,0,0],\"at\":[-2,1.2,0]}],\"throws\":[{\"body\":"
    "\"b\","
    "\"time\":0.04,\"velocity\":[0,3,0]}],\"probes\":[{\"name\":\"p\",\"body\":\"a\",\"point\":[0,"
    "0,0]},"
    "{\"name\":\"q\",\"body\":\"c\",\"near\":[0,0,0]}],"
    "\"points\":[{\"name\":\"tip\",\"body\":\"b\",\"point\":[1,1,1]},{\"name\":\"prey\",\"body\":"
    "\"c\",\"near\":[0,0,0]},{\"name\":\"peg\",\"place\":[0,2,0]},{\"name\":\"rail\",\"keys\":[{"
    "\"time\":0,\"place\":[0,1,0],\"velocity\":[1,0,0]},{\"time\":1,\"place\":[1,1,0]}]}],"
    "\"scripts\":[{\"name\":\"s\",\"repeat\":\"forever\",\"goals\":[{\"do\":\"grab\",\"point\":"
    "\"tip\",\"target\":\"prey\",\"time\":0.02,\"within\":9,\"onFail\":\"end\"},{\"name\":\"w\","
    "\"do\":\"wait\",\"until\":[{\"time\":0.01},{\"near\":[\"tip\",\"peg\"],\"distance\":9}]},{"
    "\"do\":\"move\",\"point\":\"tip\",\"keys\":[{\"time\":0,\"place\":[0,0,0]},{\"time\":0.02,"
    "\"place\":[0.1,0,0],\"kink\":true},{\"time\":0.04,\"place\":[0,0,0]}],\"relative\":true,"
    "\"preroll\":0.01},{\"do\":\"strike\",\"point\":\"prey\",\"velocity\":[0,1,0],\"after\":[\"w\"]"
    "},"
    "{\"name\":\"end\",\"do\":\"disconnect\",\"point\":\"tip\"},{\"do\":\"repeat\",\"from\":\"w\","
    "\"times\":2}]}],\"camera\":{\"yaw\":30,\"panels\":4,"
    "\"size\":["
    "100,80]}}";

static snStatus appendTo(void *user, const void *bytes, size_t size, snError *error)
{
    snBytes_Append(user, bytes, size);
    return snBytes_Check(user, error);
}

static snStatus addCache(snCorpus *corpus, const snContext *context, snError *error)
{
    snBytes *out = snCorpus_Add(corpus, SN_FORMAT_PC2, "points", context);
    snPc2Header header = {.pointCount = 5, .sampleCount = 4, .sampleRate = 1};
    snPc2Writer writer;
    snVec3f points[5] = {{0, 1, 2}, {3, 4, 5}, {0.5f, 0, 0}, {1, 1, 1}, {-1, -2, -3}};
    snStatus status = snPc2_Begin(&writer, &header, (snSink){appendTo, out}, error);
    for (int i = 0; i < header.sampleCount && !status; i++)
        status = snPc2_Frame(&writer, points, error);
    return status ? status : snPc2_End(&writer, error);
}

// Those of the examples that need no files but one, which lies beside the mutants; and one with all that these
// have not.
static snStatus addScenes(snCorpus *corpus, const snContext *context, snError *error)
{
    static const char *const names[] = {"drop", "bar", "box", "hung", "clasp", "trunk"};
    snStatus status = SN_OK;
    for (int i = 0; i < 6 && !status; i++) {
        char path[512];
        snFileContent file;
        snprintf(path, sizeof path, SN_SOURCE_DIR "/examples/scenes/%s.json", names[i]);
        status = snFile_Read(context, path, (size_t)1 << 20, &file, error);
        if (status) break;
        snBytes_Append(snCorpus_Add(corpus, SN_FORMAT_SCENE, names[i], context), file.bytes,
                       file.size);
        snFile_Release(context, &file);
    }
    snBytes_AppendText(snCorpus_Add(corpus, SN_FORMAT_SCENE, "all", context), everything);
    return status;
}

snStatus snCorpus_Make(snCorpus *corpus, const snContext *context, snError *error)
{
    *corpus = (snCorpus){0};
    snStatus status = addBeast(corpus, context, error);
    if (status) return status;
    snBytes_AppendText(snCorpus_Add(corpus, SN_FORMAT_OBJ, "beam", context), beam);
    snBytes_AppendText(snCorpus_Add(corpus, SN_FORMAT_OBJ, "corners", context), corners);
    snBytes_AppendText(snCorpus_Add(corpus, SN_FORMAT_BVH, "motion", context), motion);
    snBytes_AppendText(snCorpus_Add(corpus, SN_FORMAT_RIG, "rules", context), rig);
    snBytes_AppendText(snCorpus_Add(corpus, SN_FORMAT_SKELETON, "leg", context), skeleton);
    addOddities(corpus, context);
    status = addCache(corpus, context, error);
    if (!status) status = addTubes(corpus, context, error);
    if (!status) status = addScenes(corpus, context, error);
    for (int i = 0; i < corpus->count && !status; i++)
        status = snBytes_Check(&corpus->seeds[i].bytes, error);
    return status;
}
