// Caches, sequences and scenes: bytes one by one where they are few, numbers read back, sinks that
// fail at any byte.
#include "asset/sequence.h"

#include "asset/bytes.h"
#include "asset/json.h"
#include "asset/obj.h"
#include "asset/pc2.h"
#include "core/core.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

typedef struct Store {
    snBytes bytes;
    size_t limit; // fails behind so many bytes
} Store;

static snStatus append(void *user, const void *bytes, size_t size, snError *error)
{
    Store *store = user;
    if (store->bytes.size + size > store->limit)
        return snFail(error, SN_ERROR_FILE, "disk is full");
    snBytes_Append(&store->bytes, bytes, size);
    return SN_OK;
}

static Store makeStore(const snContext *context)
{
    return (Store){snMakeBytes(context), SIZE_MAX};
}

// Two meshes, a triangle with texture coordinates and a quad without; three frames in two clips.
static const int triangle[3] = {0, 1, 2}, quad[6] = {0, 1, 2, 0, 2, 3};
static const float uv[6] = {0, 0, 1, 0, 0.25f, 0.75f};
static snVec3f points[3][7];
static const snVec3f *frames[3] = {points[0], points[1], points[2]};
static const double times[3] = {0, 0.5, 1};
static const snSequenceMesh meshes[2] = {{"body", "Body \"one\"", 0, 3, 1, triangle, uv},
                                         {"body-2", "2", 3, 4, 2, quad, NULL}};
static const snSequenceClip clips[2] = {{"Walk", 0, 2, 0.25, 0.5, true},
                                        {"Run", 2, 1, 0, 0.5, false}};
static const snSequence sequence = {.name = "fox.v1",
                                    .meshCount = 2,
                                    .meshes = meshes,
                                    .vertexCount = 7,
                                    .clipCount = 2,
                                    .clips = clips,
                                    .frameCount = 3,
                                    .frameRate = 2,
                                    .times = times,
                                    .frames = frames};

static void fillPoints(void)
{
    for (int f = 0; f < 3; f++)
        for (int v = 0; v < 7; v++)
            points[f][v] = (snVec3f){(float)v + 0.1f, (float)f - 0.3f, (float)(v * f) / 3};
}

static uint32_t loadBig(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static float loadBigFloat(const uint8_t *p)
{
    uint32_t bits = loadBig(p);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void mddIsBigEndian(void)
{
    snContext context = snDefaultContext();
    Store store = makeStore(&context);
    CHECK(snSequence_WriteMdd(&sequence, 1, (snSink){append, &store}, NULL) == SN_OK);
    const uint8_t *at = store.bytes.data;
    const uint8_t head[16] = {0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0x3f, 0, 0, 0};
    CHECK(store.bytes.size == 8 + 4 * 3 + 12 * 4 * 3);
    CHECK(!memcmp(at, head, sizeof head));
    for (int f = 0; f < 3; f++)
        for (int v = 0; v < 4; v++) {
            const uint8_t *p = at + 20 + 12 * (4 * f + v);
            CHECK(loadBigFloat(p) == points[f][3 + v].x &&
                  loadBigFloat(p + 4) == points[f][3 + v].y);
            CHECK(loadBigFloat(p + 8) == points[f][3 + v].z);
        }
    snBytes_Destroy(&store.bytes);
}

static void pc2OfOneMesh(void)
{
    snContext context = snDefaultContext();
    Store store = makeStore(&context);
    snPc2Header header;
    snVec3f back[4];
    CHECK(snSequence_WritePc2(&sequence, 1, (snSink){append, &store}, NULL) == SN_OK);
    CHECK(snPc2_Open(&header, store.bytes.data, store.bytes.size, NULL) == SN_OK);
    CHECK(header.pointCount == 4 && header.sampleCount == 3);
    snPc2_Sample(&header, store.bytes.data, 2, back);
    CHECK(!memcmp(back, points[2] + 3, sizeof back));
    snBytes_Destroy(&store.bytes);
}

// Read back by our own reader: the same points, to the bit.
static void objFrames(void)
{
    snContext context = snDefaultContext();
    snCharacter character;
    snError error = {0};
    Store store = makeStore(&context);
    CHECK(snSequence_WriteObj(&sequence, 1, (snSink){append, &store}, NULL) == SN_OK);
    if (CHECK(snObj_Read(&character, store.bytes.data, store.bytes.size, &context, &error) ==
              SN_OK)) {
        CHECK(character.vertexCount == 7 && character.triangleCount == 3);
        CHECK(character.partCount == 2 && character.parts[0].vertexCount == 3);
        CHECK(!memcmp(character.parts[0].positions, points[1], 3 * sizeof(snVec3f)));
        CHECK(!memcmp(character.parts[1].positions, points[1] + 3, 4 * sizeof(snVec3f)));
        const int last[3] = {0, 2, 3};
        CHECK(!memcmp(character.parts[1].triangles + 3, last, sizeof last));
        CHECK(character.parts[0].uv && character.parts[0].uv[4] == uv[4]);
        CHECK(character.parts[0].uv && character.parts[0].uv[5] == uv[5]);
        snCharacter_Destroy(&character);
    } else {
        printf("%s\n", error.message);
    }
    snBytes_Destroy(&store.bytes);
}

static void usdaText(void)
{
    snContext context = snDefaultContext();
    Store store = makeStore(&context);
    CHECK(snSequence_WriteUsda(&sequence, (snSink){append, &store}, NULL) == SN_OK);
    snBytes_AppendByte(&store.bytes, 0);
    const char *text = (const char *)store.bytes.data;
    const char *expected[] = {
        "#usda 1.0\n(\n",
        "    defaultPrim = \"fox_v1\"\n",
        "    metersPerUnit = 1\n",
        "    timeCodesPerSecond = 2\n",
        "    upAxis = \"Y\"\n)\n",
        "def Xform \"fox_v1\"\n{\n",
        "    def Mesh \"body\" (\n        doc = \"Body \\\"one\\\"\"\n    )\n    {\n",
        "    def Mesh \"body_2\" (",
        "string[] clips = [\"Walk\", \"Run\"]",
        "int[] clipStarts = [0, 2]",
        "int[] faceVertexCounts = [3, 3]\n",
        "int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]\n",
        "            1: [(0.1, 0.7, 0), (1.1, 0.7, 0.33333334), (2.1, 0.7, 0.6666667)],\n",
        "texCoord2f[] primvars:st = [(0, 1), (1, 1), (0.25, 0.25)] (\n",
        "            interpolation = \"vertex\"\n        )\n",
        "uniform token subdivisionScheme = \"none\"\n",
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (!CHECK(strstr(text, expected[i]))) printf("missing: %s\n", expected[i]);
    int depth = 0;
    for (const char *c = text; *c; c++) {
        depth += (*c == '{') - (*c == '}');
        CHECK(depth >= 0);
    }
    CHECK(depth == 0);
    snBytes_Destroy(&store.bytes);
}

static int readInt(const snJson *json, const snJsonNode *object, const char *key)
{
    int value = -1;
    CHECK(snJson_ReadInt(json, object, key, 0, 1 << 30, &value, NULL) == SN_OK);
    return value;
}

// The binary file read as the document says.
static void dumpForTools(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    Store text = makeStore(&context), bin = makeStore(&context);
    snSequenceDump dump = {{append, &text}, {append, &bin}, "fox.bin", &context};
    snJson json;
    CHECK(snSequence_WriteDump(&sequence, &dump, NULL) == SN_OK);
    CHECK(snJson_Parse(&json, (const char *)text.bytes.data, text.bytes.size, &arena, NULL) ==
          SN_OK);
    const snJsonNode *root = json.nodes, *list = snJson_Member(&json, root, "meshes");
    CHECK(snJson_Count(list) == 2 && snJson_Count(snJson_Member(&json, root, "clips")) == 2);
    CHECK(snJson_IsText(&json, snJson_Member(&json, root, "binary"), "fox.bin"));
    CHECK(readInt(&json, root, "binaryBytes") == (int)bin.bytes.size);
    for (int m = 0; m < 2; m++) {
        const snJsonNode *mesh = snJson_At(&json, list, m);
        const uint8_t *indices = bin.bytes.data + readInt(&json, mesh, "indicesOffset");
        const uint8_t *positions = bin.bytes.data + readInt(&json, mesh, "positionsOffset");
        int stride = readInt(&json, mesh, "frameBytes");
        for (int k = 0; k < 3 * meshes[m].triangleCount; k++)
            CHECK((int)snLoadU32(indices + 4 * k) == meshes[m].triangles[k]);
        for (int f = 0; f < 3; f++)
            for (int v = 0; v < meshes[m].vertexCount; v++)
                CHECK(snLoadF32(positions + f * stride + 12 * v + 4) ==
                      points[f][meshes[m].firstVertex + v].y);
    }
    snBytes_Destroy(&text.bytes);
    snBytes_Destroy(&bin.bytes);
    snArena_Destroy(&arena);
}

static snStatus writeKind(int kind, Store *store, snContext *context)
{
    snSink sink = {append, store};
    snSequenceDump dump = {sink, sink, "x", context};
    switch (kind) {
    case 0:
        return snSequence_WritePc2(&sequence, 0, sink, NULL);
    case 1:
        return snSequence_WriteMdd(&sequence, 0, sink, NULL);
    case 2:
        return snSequence_WriteObj(&sequence, 0, sink, NULL);
    case 3:
        return snSequence_WriteUsda(&sequence, sink, NULL);
    default:
        return snSequence_WriteDump(&sequence, &dump, NULL);
    }
}

// A sink that fails at some byte makes the writing fail, wherever it is.
static void fullDisks(void)
{
    snContext context = snDefaultContext();
    for (int kind = 0; kind < 5; kind++) {
        Store whole = makeStore(&context);
        CHECK(writeKind(kind, &whole, &context) == SN_OK);
        for (size_t limit = 0; limit < whole.bytes.size; limit += 1 + whole.bytes.size / 50) {
            Store part = {snMakeBytes(&context), limit};
            CHECK(writeKind(kind, &part, &context) == SN_ERROR_FILE);
            snBytes_Destroy(&part.bytes);
        }
        snBytes_Destroy(&whole.bytes);
    }
}

static void emptyCaches(void)
{
    snContext context = snDefaultContext();
    Store store = makeStore(&context);
    snSequence none = sequence;
    none.frameCount = 0;
    CHECK(snSequence_WriteMdd(&none, 0, (snSink){append, &store}, NULL) == SN_ERROR_ARGUMENT);
    CHECK(snSequence_WritePc2(&none, 0, (snSink){append, &store}, NULL) == SN_ERROR_ARGUMENT);
    snBytes_Destroy(&store.bytes);
}

int main(void)
{
    fillPoints();
    RUN(mddIsBigEndian);
    RUN(pc2OfOneMesh);
    RUN(objFrames);
    RUN(usdaText);
    RUN(dumpForTools);
    RUN(fullDisks);
    RUN(emptyCaches);
    return snTest_Finish();
}
