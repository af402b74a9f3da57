// The reader on small files written by hand: every kind of accessor, primitive, node and skin.
#include "asset/gltf_accessor.h"
#include "tests/asset/gltf_text.h"
#include "tests/test.h"

// Reads or says why not.
static bool reads(snCharacter *character, const char *json, const void *bin, size_t size)
{
    snError error = {0};
    bool right = CHECK(readGlb(character, json, bin, size, &error) == SN_OK);
    if (!right) printf("    %s\n", error.message);
    return right;
}

#define HEAD "{'asset':{'version':'2.0'},'nodes':[{'mesh':0}],"
#define TRIANGLE                                                                                   \
    "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],"                                   \
    "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}],"                 \
    "'bufferViews':[{'buffer':0,'byteLength':36}],'buffers':[{'byteLength':36}]"

static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

// ---- accessors ----

static void everyComponentType(void)
{
    static const struct {
        int type;
        bool normalized;
        uint32_t raw; // little-endian bits of one component
        int size;
        double expected;
    } cases[] = {
        {5120, false, 0x85, 1, -123},
        {5120, true, 0x7f, 1, 1},
        {5120, true, 0x80, 1, -1},
        {5120, true, 0xc0, 1, -64.0 / 127},
        {5121, false, 200, 1, 200},
        {5121, true, 51, 1, 0.2},
        {5122, false, 0xfffe, 2, -2},
        {5122, true, 0x8000, 2, -1},
        {5122, true, 16384, 2, 16384.0 / 32767},
        {5123, false, 60000, 2, 60000},
        {5123, true, 65535, 2, 1},
        {5125, false, 70000, 4, 70000},
        {5126, false, 0x3fc00000, 4, 1.5},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        // Stride 16 from byte 8 on: three vertices, every component the same.
        uint8_t bin[64] = {0};
        for (int v = 0; v < 3; v++)
            for (int k = 0; k < 3; k++)
                for (int b = 0; b < cases[c].size; b++)
                    bin[8 + 16 * v + k * cases[c].size + b] = (uint8_t)(cases[c].raw >> (8 * b));
        char json[800];
        snprintf(json, sizeof json,
                 HEAD
                 "'extensionsRequired':['KHR_mesh_quantization'],"
                 "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],"
                 "'accessors':[{'bufferView':0,'byteOffset':4,'componentType':%d,'normalized':%s,"
                 "'count':3,'type':'VEC3'}],'bufferViews':[{'buffer':0,'byteOffset':4,"
                 "'byteLength':60,'byteStride':16}],'buffers':[{'byteLength':64}]}",
                 cases[c].type, cases[c].normalized ? "true" : "false");
        snCharacter character;
        if (!reads(&character, json, bin, sizeof bin)) continue;
        CHECK(character.vertexCount == 3 && character.triangleCount == 1);
        for (int v = 0; v < 3; v++)
            CHECK_NEAR((double)character.parts[0].positions[v].z, cases[c].expected, 1e-7);
        snCharacter_Destroy(&character);
    }
}

static void interleavedAttributes(void)
{
    // position, normal, uv: 32 bytes per vertex.
    float bin[24];
    for (int i = 0; i < 24; i++)
        bin[i] = (float)i;
    const char *json =
        HEAD "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'NORMAL':1,'TEXCOORD_0':2}}]}],"
             "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
             "{'bufferView':0,'byteOffset':12,'componentType':5126,'count':3,'type':'VEC3'},"
             "{'bufferView':0,'byteOffset':24,'componentType':5126,'count':3,'type':'VEC2'}],"
             "'bufferViews':[{'buffer':0,'byteLength':96,'byteStride':32}],"
             "'buffers':[{'byteLength':96}]}";
    snCharacter character;
    if (!reads(&character, json, bin, sizeof bin)) return;
    const snPart *part = character.parts;
    CHECK(part->positions[2].y == 17 && part->normals[1].x == 11 && part->uv[5] == 23);
    snCharacter_Destroy(&character);
}

// Sparse values over zeros (no view) and over data, with each type of index.
static void sparseAccessors(void)
{
    for (int type = 0; type < 3; type++)
        for (int base = 0; base < 2; base++) {
            snContext context = snDefaultContext();
            snBytes bin = snMakeBytes(&context);
            snBytes_AppendF32s(&bin, triangle, 9);
            for (int i = 1; i <= 2; i++) { // elements 1 and 2
                snBytes_AppendByte(&bin, (uint8_t)i);
                snBytes_Fill(&bin, 0, type == 0 ? 0 : type == 1 ? 1 : 3);
            }
            snBytes_Align(&bin, 4, 0);
            size_t values = bin.size;
            for (int i = 0; i < 6; i++)
                snBytes_AppendF32(&bin, (float)(10 + i));
            char json[1000];
            snprintf(json, sizeof json,
                     HEAD "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],"
                          "'accessors':[{%s'componentType':5126,'count':3,'type':'VEC3','sparse':{"
                          "'count':2,'indices':{'bufferView':1,'componentType':%d},"
                          "'values':{'bufferView':2,'byteOffset':0}}}],"
                          "'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,"
                          "'byteLength':%zu},{'buffer':0,'byteOffset':%zu,'byteLength':24}],"
                          "'buffers':[{'byteLength':%zu}]}",
                     base ? "'bufferView':0," : "",
                     type == 0   ? 5121
                     : type == 1 ? 5123
                                 : 5125,
                     values - 36, values, bin.size);
            snCharacter character;
            if (reads(&character, json, bin.data, bin.size)) {
                const snVec3f *p = character.parts[0].positions;
                CHECK(p[0].x == 0 && p[1].x == 10 && p[1].z == 12 && p[2].y == 14);
                snCharacter_Destroy(&character);
            }
            snBytes_Destroy(&bin);
        }
}

// Columns of matrices begin at multiples of four bytes: MAT2 of bytes, MAT3 of bytes and shorts.
static void matricesWithPaddedColumns(void)
{
    static const char text[] =
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":48,\"uri\":\"data:,"
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP\"}],\"bufferViews\":[{\"buffer\":0,"
        "\"byteLength\":48}],\"accessors\":[0,1,2],\"x\":[0,1,2]}";
    static const char *const types[3] = {"5121,\"type\":\"MAT2\",\"count\":6",
                                         "5121,\"type\":\"MAT3\",\"count\":4",
                                         "5123,\"type\":\"MAT3\",\"count\":2"};
    static const char second[3][9] = {{'8', '9', 'c', 'd'},
                                      {'c', 'd', 'e', 'g', 'h', 'i', 'k', 'l', 'm'},
                                      {'o', 'q', 's', 'w', 'y', 'A', 'E', 'G', 'I'}};
    for (int i = 0; i < 3; i++) {
        char json[600];
        snContext context = snDefaultContext();
        snArena arena = snMakeArena(&context);
        const char *list = strstr(text, "[0,1,2]");
        int length = snprintf(json, sizeof json, "%.*s[{\"bufferView\":0,\"componentType\":%s}]%s",
                              (int)(list - text), text, types[i], list + 7);
        snGltfSource source = {.bytes = (const uint8_t *)json, .size = (size_t)length};
        snGltfDocument document;
        snGltfAccessor accessor;
        int *values = NULL;
        CHECK(!snGltf_Open(&document, &source, &context, &arena, NULL));
        const snJsonNode *zero =
            snJson_At(&document.json, snJson_Member(&document.json, document.json.root, "x"), 0);
        CHECK(!snGltf_OpenAccessor(&document, zero, &accessor, NULL));
        CHECK(!snGltf_ReadInts(&document, &accessor, &arena, &values, NULL));
        for (int k = 0; values && k < accessor.width; k++)
            CHECK((char)values[accessor.width + k] == second[i][k]);
        snArena_Destroy(&arena);
    }
}

static void inverseBindsMustBeWholeMatrices(void)
{
    snError error;
    snCharacter character;
    const char *json =
        "{'asset':{'version':'2.0'},'nodes':[{'mesh':0,'skin':0},{}],"
        "'skins':[{'joints':[1],'inverseBindMatrices':1}],"
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
        "{'bufferView':0,'componentType':5120,'count':4,'type':'MAT2'}],"
        "'bufferViews':[{'buffer':0,'byteLength':36}],'buffers':[{'byteLength':36}]}";
    CHECK(readGlb(&character, json, triangle, 36, &error) == SN_ERROR_FORMAT);
    CHECK(strstr(error.message, "matrices (MAT4)") != NULL);
    snCharacter_Destroy(&character);
}

// ---- primitives ----

static void checkTriangles(int mode, int indexType, const int *expected, int count)
{
    // Five vertices, then indices 0 1 2 2 3 4.
    snContext context = snDefaultContext();
    snBytes bin = snMakeBytes(&context);
    static const int indices[6] = {0, 1, 2, 2, 3, 4};
    for (int i = 0; i < 15; i++)
        snBytes_AppendF32(&bin, (float)(i * i % 7));
    for (int i = 0; i < 6; i++) {
        snBytes_AppendByte(&bin, (uint8_t)indices[i]);
        snBytes_Fill(&bin, 0, indexType == 5125 ? 3 : indexType == 5123 ? 1 : 0);
    }
    char json[800], use[40] = "";
    if (indexType) snprintf(use, sizeof use, "'indices':1,");
    snprintf(json, sizeof json,
             HEAD "'meshes':[{'primitives':[{'attributes':{'POSITION':0},%s'mode':%d}]}],"
                  "'accessors':[{'bufferView':0,'componentType':5126,'count':5,'type':'VEC3'},"
                  "{'bufferView':1,'componentType':%d,'count':6,'type':'SCALAR'}],"
                  "'bufferViews':[{'buffer':0,'byteLength':60},{'buffer':0,'byteOffset':60,"
                  "'byteLength':%zu}],'buffers':[{'byteLength':%zu}]}",
             use, mode, indexType ? indexType : 5121, bin.size - 60, bin.size);
    snCharacter character;
    if (reads(&character, json, bin.data, bin.size)) {
        CHECK(character.triangleCount == count);
        if (character.triangleCount == count)
            CHECK(
                !memcmp(character.parts[0].triangles, expected, (size_t)(3 * count) * sizeof(int)));
        snCharacter_Destroy(&character);
    }
    snBytes_Destroy(&bin);
}

static void listsStripsAndFans(void)
{
    for (int type = 5121; type <= 5125; type += type == 5121 ? 2 : 2)
        checkTriangles(4, type, (int[]){0, 1, 2, 2, 3, 4}, 2);
    checkTriangles(4, 0, (int[]){0, 1, 2}, 1); // five vertices: two are left over
    checkTriangles(5, 0, (int[]){0, 1, 2, 1, 3, 2, 2, 3, 4}, 3);
    checkTriangles(5, 5121, (int[]){0, 1, 2, 2, 4, 3}, 2); // those with a corner twice are left out
    checkTriangles(6, 0, (int[]){0, 1, 2, 0, 2, 3, 0, 3, 4}, 3);
}

static void pointsAreIgnored(void)
{
    snCharacter character;
    const char *json =
        HEAD "'meshes':[{'name':'m','primitives':[{'mode':0,'attributes':{'POSITION':0}},"
             "{'attributes':{}},{'attributes':{'POSITION':0}}]}],"
             "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}],"
             "'bufferViews':[{'buffer':0,'byteLength':36}],'buffers':[{'byteLength':36}]}";
    if (!reads(&character, json, triangle, 36)) return;
    CHECK(character.partCount == 1 && character.parts[0].primitive == 2);
    CHECK(!strcmp(character.parts[0].name, "m") && character.parts[0].skin == -1);
    snCharacter_Destroy(&character);
}

static void colorsOfThreeBytes(void)
{
    uint8_t bin[48] = {0};
    memcpy(bin, triangle, 36);
    bin[36] = 255;
    bin[41] = 51;
    const char *json = HEAD
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'COLOR_0':1}}]}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
        "{'bufferView':1,'componentType':5121,'normalized':true,'count':3,'type':'VEC3'}],"
        "'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'byteLength':12,"
        "'byteStride':4}],'buffers':[{'byteLength':48}]}";
    snCharacter character;
    if (!reads(&character, json, bin, sizeof bin)) return;
    const float *colors = character.parts[0].colors;
    CHECK(colors[0] == 1 && colors[3] == 1 && colors[1] == 0);
    CHECK_NEAR((double)colors[5], 0.2, 1e-7);
    snCharacter_Destroy(&character);
}

// Further colours and attributes of the artist's own are kept as maps; what cannot be one is left out.
static void mapsOfEveryKind(void)
{
    uint8_t bin[60] = {0};
    const float nan = NAN;
    memcpy(bin, triangle, 36);
    bin[37] = 51;
    bin[40] = 255;
    memcpy(bin + 52, &nan, 4);
    const char *json = HEAD
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'COLOR_1':1,'_WEIGHT':2,'_LONE':3,"
        "'_MATRIX':4,'_GONE':77,'TEXCOORD_7':0,'_BROKEN':{}}}]}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
        "{'bufferView':1,'componentType':5121,'normalized':true,'count':3,'type':'VEC2'},"
        "{'bufferView':2,'componentType':5126,'count':3,'type':'SCALAR'},"
        "{'bufferView':2,'componentType':5126,'count':2,'type':'SCALAR'},"
        "{'bufferView':0,'componentType':5120,'count':3,'type':'MAT2'}],"
        "'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'byteLength':12,"
        "'byteStride':4},{'buffer':0,'byteOffset':48,'byteLength':12}],"
        "'buffers':[{'byteLength':60}]}";
    snCharacter character;
    if (!reads(&character, json, bin, sizeof bin)) return;
    const snPart *part = &character.parts[0];
    CHECK(part->attributeCount == 3); // four numbers of a small matrix are numbers too
    CHECK(!strcmp(part->attributes[0].name, "COLOR_1") && part->attributes[0].width == 2);
    CHECK_NEAR((double)part->attributes[0].values[1], 0.2, 1e-7);
    CHECK(part->attributes[0].values[2] == 1);
    CHECK(!strcmp(part->attributes[1].name, "_WEIGHT") && part->attributes[1].width == 1);
    CHECK(part->attributes[1].values[1] == 0); // it was not a number
    snCharacter_Destroy(&character);
}

// ---- skins ----

static void weightsAreNormalized(void)
{
    // Two sets: joints as bytes and shorts, weights as floats and normalised bytes.
    snContext context = snDefaultContext();
    snBytes bin = snMakeBytes(&context);
    snBytes_AppendF32s(&bin, triangle, 9);
    static const uint8_t joints0[12] = {0, 1, 99, 0, 0, 0, 0, 0, 1, 0, 0, 0};
    static const float weights0[12] = {1, 2, 0, -5, 0, 0, 0, 0, 0.5f, 0, 0, 0};
    static const uint8_t weights1[12] = {255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    snBytes_Append(&bin, joints0, 12);
    snBytes_AppendF32s(&bin, weights0, 12);
    for (int i = 0; i < 12; i++)
        snBytes_AppendU16(&bin, (uint16_t)(i == 0 ? 1 : 7));
    snBytes_Append(&bin, weights1, 12);
    const char *json =
        "{'asset':{'version':'2.0'},'nodes':[{'mesh':0,'skin':0},{'children':[2]},{'name':'tip'}],"
        "'skins':[{'name':'s','joints':[2,1]}],"
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'JOINTS_0':1,'WEIGHTS_0':2,"
        "'JOINTS_1':3,'WEIGHTS_1':4}}]}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
        "{'bufferView':0,'byteOffset':36,'componentType':5121,'count':3,'type':'VEC4'},"
        "{'bufferView':0,'byteOffset':48,'componentType':5126,'count':3,'type':'VEC4'},"
        "{'bufferView':0,'byteOffset':96,'componentType':5123,'count':3,'type':'VEC4'},"
        "{'bufferView':0,'byteOffset':120,'componentType':5121,'normalized':true,'count':3,"
        "'type':'VEC4'}],"
        "'bufferViews':[{'buffer':0,'byteLength':132}],'buffers':[{'byteLength':132}]}";
    snCharacter character;
    if (reads(&character, json, bin.data, bin.size)) {
        const snPart *part = character.parts;
        CHECK(part->influences == 8 && part->skin == 0);
        CHECK(part->weights[0] == 0.25f && part->weights[1] == 0.5f && part->weights[4] == 0.25f);
        CHECK(part->joints[1] == 1 && part->joints[2] == 0 && part->joints[4] == 1);
        CHECK(part->weights[8] == 1 && part->joints[8] == 0); // no weight at all
        CHECK(part->weights[16] == 1 && part->joints[16] == 1);
        const snSkin *skin = character.skins;
        CHECK(!strcmp(character.skeleton.joints[skin->joints[0]].name, "tip"));
        CHECK(skin->inverseBind[1].linear.cy.y == 1 && skin->inverseBind[1].origin.x == 0);
        snCharacter_Destroy(&character);
    }
    snBytes_Destroy(&bin);
}

// ---- nodes ----

static void nodesAreReordered(void)
{
    // Node 0 is a child of node 3, which is a child of node 2; node 1 is a root with a sheared
    // matrix; node 4 hangs on node 1.
    const char *json =
        "{'asset':{'version':'2.0'},'nodes':[{'name':'leaf','mesh':0},"
        "{'matrix':[1,0,0,0, 0.5,1,0,0, 0,0,1,0, 7,8,9,1],'children':[4]},"
        "{'children':[3],'translation':[1,2,3]},{'children':[0],'rotation':[0,0,0,0]},"
        "{'scale':[1,-1,2]}]," TRIANGLE "}";
    snCharacter character;
    if (!reads(&character, json, triangle, 36)) return;
    const snSkeleton *skeleton = &character.skeleton;
    CHECK(skeleton->jointCount == 5 && character.parts[0].node == 4);
    static const int order[5] = {1, 4, 2, 3, 0}, parents[5] = {-1, 0, -1, 2, 3};
    for (int j = 0; j < 5; j++)
        CHECK(skeleton->joints[j].fileNode == order[j] && skeleton->joints[j].parent == parents[j]);
    CHECK(skeleton->joints[0].hasMatrix && skeleton->joints[0].matrix.linear.cy.x == 0.5);
    CHECK(skeleton->joints[0].matrix.origin.z == 9 && skeleton->joints[2].rest.translation.y == 2);
    CHECK(skeleton->joints[3].rest.rotation.w == 1); // a rotation of zero length is none
    CHECK(!strcmp(character.parts[0].name, "leaf"));
    snCharacter_Destroy(&character);
}

static void deepChainsNeedNoStack(void)
{
    snContext context = snDefaultContext();
    snBytes json = snMakeBytes(&context);
    int count = 20000;
    snBytes_AppendText(&json, "{'asset':{'version':'2.0'},'nodes':[{'mesh':0}");
    for (int n = 1; n < count; n++)
        snBytes_Format(&json, ",{'children':[%d]}", n - 1);
    snBytes_AppendText(&json, "]," TRIANGLE "}");
    snBytes_AppendByte(&json, 0);
    snCharacter character;
    if (reads(&character, (const char *)json.data, triangle, 36)) {
        CHECK(character.parts[0].node == count - 1);
        snCharacter_Destroy(&character);
    }
    snBytes_Destroy(&json);
}

static void defaultSceneIsUsed(void)
{
    const char *json =
        "{'asset':{'version':'2.0'},'scene':1,'scenes':[{'nodes':[0]},{'nodes':[%d]}],"
        "'nodes':[{'mesh':0},{'children':[2]},{'mesh':0},{}]," TRIANGLE "}";
    for (int root = 1; root <= 3; root += 2) { // scene 1 shows node 2, or nothing: then all
        char text[800];
        snprintf(text, sizeof text, json, root);
        snCharacter character;
        if (!reads(&character, text, triangle, 36)) continue;
        CHECK(character.partCount == (root == 1 ? 1 : 2) && character.skeleton.jointCount == 4);
        snCharacter_Destroy(&character);
    }
}

// ---- morph targets and animation ----

#define MORPHS                                                                                     \
    "'meshes':[{'weights':[0.1,0.2],'primitives':[{'attributes':{'POSITION':0},"                   \
    "'targets':[{'POSITION':0},{}]}]}],"                                                           \
    "'bufferViews':[{'buffer':0,'byteLength':36},{'buffer':0,'byteOffset':36,'byteLength':192}],"  \
    "'buffers':[{'byteLength':228}],"

static void morphWeightsAndClips(void)
{
    float bin[57];
    memcpy(bin, triangle, 36);
    for (int i = 0; i < 48; i++)
        bin[9 + i] = (float)i;
    bin[9 + 2] = bin[9 + 1]; // keys 0 1 1 3: two at the same time
    const char *json =
        "{'asset':{'version':'2.0'},'nodes':[{'mesh':0},{'mesh':0,'weights':[0.3,0.4]},"
        "{'matrix':[1,0,0,0,0,1,0,0,0,0,1,0,7,8,9,1]}]," MORPHS
        "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
        "{'bufferView':1,'componentType':5126,'count':4,'type':'SCALAR'},"
        "{'bufferView':1,'byteOffset':16,'componentType':5126,'count':8,'type':'SCALAR'},"
        "{'bufferView':1,'byteOffset':16,'componentType':5126,'count':4,'type':'VEC3'},"
        "{'bufferView':1,'byteOffset':48,'componentType':5122,'normalized':true,'count':12,"
        "'type':'VEC4'}],"
        "'animations':[{'name':'a','samplers':[{'input':1,'output':2,'interpolation':'STEP'},"
        "{'input':1,'output':3},{'input':1,'output':4,'interpolation':'CUBICSPLINE'}],'channels':["
        "{'sampler':0,'target':{'node':1,'path':'weights'}},"
        "{'sampler':1,'target':{'node':2,'path':'translation'}},"
        "{'sampler':2,'target':{'node':0,'path':'rotation'}},"
        "{'sampler':0,'target':{'node':99,'path':'scale'}},"
        "{'sampler':0,'target':{'path':'scale'}},"
        "{'sampler':0,'target':{'node':2,'path':'weights'}},"
        "{'sampler':0,'target':{'node':0,'path':'pointer'}}]},{'channels':[],'samplers':[]}]}";
    snCharacter character;
    if (!reads(&character, json, bin, sizeof bin)) return;
    CHECK(character.morphCount == 4 && character.partCount == 2);
    CHECK(character.restMorphs[0] == 0.1 && character.restMorphs[3] == 0.4);
    CHECK(character.parts[1].firstMorph == 2 && character.parts[0].targets[1][2].x == 0);
    CHECK(character.parts[0].targets[0] == character.parts[1].targets[0]); // read once
    CHECK(character.clipCount == 2 && character.clips[1].channelCount == 0);
    const snClip *clip = character.clips;
    if (CHECK(clip->channelCount == 3)) {
        const snChannel *weights = &clip->channels[0], *move = &clip->channels[1];
        CHECK(weights->path == SN_PATH_MORPHS && weights->joint == 2 && weights->width == 2);
        CHECK(weights->interpolation == SN_STEP && weights->keyCount == 3);
        CHECK(weights->times[1] == 1 && weights->times[2] == 3);
        CHECK(weights->values[2] == 8 && weights->values[4] == 10); // of key 2, not key 1
        CHECK(move->interpolation == SN_LINEAR && move->values[3] == 10);
        CHECK(!character.skeleton.joints[2].hasMatrix); // animated: taken apart
        CHECK(character.skeleton.joints[2].rest.translation.y == 8);
        CHECK(clip->channels[2].interpolation == SN_CUBIC && clip->channels[2].width == 4);
        CHECK(clip->start == 0 && clip->duration == 3);
    }
    snCharacter_Destroy(&character);
}

// Keys that are not finite are held: the last good one, or the first where none is before; tangents are
// zero then. What has no good key is refused, and so are times.
static void brokenKeysAreHeld(void)
{
    const char *format =
        HEAD "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],"
             "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
             "{'bufferView':0,'byteOffset':36,'componentType':5126,'count':4,'type':'SCALAR'},"
             "{'bufferView':0,'byteOffset':52,'componentType':5126,'count':%d,'type':'VEC3'}],"
             "'bufferViews':[{'buffer':0,'byteLength':196}],'buffers':[{'byteLength':196}],"
             "'animations':[{'name':'a','samplers':[{'input':1,'output':2,'interpolation':'%s'}],"
             "'channels':[{'sampler':0,'target':{'node':0,'path':'translation'}}]}]}";
    char json[1000];
    snCharacter c;
    snError error = {0};
    float bin[49], *times = bin + 9, *keys = bin + 13;
    for (int cubic = 0; cubic < 2; cubic++) {
        int row = cubic ? 9 : 3, value = cubic ? 3 : 0;
        snprintf(json, sizeof json, format, cubic ? 12 : 4, cubic ? "CUBICSPLINE" : "LINEAR");
        memcpy(bin, triangle, sizeof triangle);
        for (int i = 0; i < 40; i++)
            times[i] = (float)i;
        keys[value + 1] = NAN;     // of key 0
        keys[2 * row] = -INFINITY; // of key 2: a tangent, or its value
        if (!CHECK(readGlb(&c, json, bin, sizeof bin, &error) == SN_OK)) {
            printf("    %s\n", error.message);
            continue;
        }
        const float *v = c.clips[0].channels[0].values;
        for (int i = 0; i < 3; i++) {
            CHECK(v[value + i] == (float)(4 + row + value + i));
            CHECK(v[2 * row + value + i] == (float)(4 + row + value + i));
            CHECK(v[3 * row + value + i] == (float)(4 + 3 * row + value + i));
            CHECK(!cubic || (v[2 * row + i] == 0 && v[2 * row + 6 + i] == 0));
        }
        CHECK(c.clips[0].heldCount == 1 && c.clips[0].held[0].keys == 2);
        CHECK(c.clips[0].held[0].joint == 0 && c.clips[0].held[0].first == 0);
        snCharacter_Destroy(&c);
    }
    for (int i = 0; i < 36; i++)
        keys[i] = NAN;
    CHECK(readGlb(&c, json, bin, sizeof bin, &error) == SN_ERROR_FORMAT);
    CHECK(strstr(error.message, "none of its 4 keys is finite") != NULL);
    times[1] = NAN;
    CHECK(readGlb(&c, json, bin, sizeof bin, &error) == SN_ERROR_FORMAT);
    CHECK(strstr(error.message, "the time of key 1 is not finite") != NULL);
}

// ---- files that are not whole or not right ----

static void checkBytes(const char *bytes, size_t size, snStatus code, const char *expected)
{
    snContext context = snDefaultContext();
    snGltfSource source = {.bytes = (const uint8_t *)bytes, .size = size};
    snCharacter character;
    snError error = {0};
    CHECK(snGltf_Read(&character, &source, &context, &error) == code);
    if (!CHECK(strstr(error.message, expected)))
        printf("    '%s' instead of '%s'\n", error.message, expected);
    CHECK(character.partCount == 0);
    snCharacter_Destroy(&character);
}

static void containersSayWhatIsWrong(void)
{
    checkBytes("", 0, SN_ERROR_FORMAT, "the file is empty");
    checkBytes("\x89PNG....", 8, SN_ERROR_FORMAT, "neither .glb nor .gltf");
    checkBytes("   ", 3, SN_ERROR_FORMAT, "neither .glb nor .gltf");
    checkBytes("{\"a\":1}", 7, SN_ERROR_FORMAT, "neither .glb nor .gltf");
    checkBytes("{\"asset\":{\"version\":\"2.0\"}", 26, SN_ERROR_FORMAT, "broken JSON at line 1");
    checkBytes("{\"asset\":{\"version\":\"1.0\"}}", 27, SN_ERROR_UNSUPPORTED, "version '1.0'");
    checkBytes("{\"asset\":{\"version\":\"2.0\",\"minVersion\":\"2.1\"}}", 46, SN_ERROR_UNSUPPORTED,
               "newer than 2.0");
    checkBytes("{\"asset\":{\"version\":\"2.0\",\"minVersion\":\"2.0\"}}", 46, SN_ERROR_GEOMETRY,
               "the file has no mesh with triangles");
    checkBytes("{\"asset\":{\"version\":\"2.0\"}}", 27, SN_ERROR_GEOMETRY,
               "the file has no mesh with triangles");
    checkBytes("glTF\1\0\0\0\24\0\0\0", 12, SN_ERROR_UNSUPPORTED, "version 1");
    checkBytes("glTF\2\0\0\0\0\1\0\0", 12, SN_ERROR_FORMAT, "the file ends after 12 of 256 bytes");
    checkBytes("glTF\2\0", 6, SN_ERROR_FORMAT, "the file ends after 6 of 12 bytes");
    checkBytes("glTF\2\0\0\0\30\0\0\0\xff\xff\xff\xffJSON    ", 24, SN_ERROR_FORMAT, "ends after");
    checkBytes("glTF\2\0\0\0\30\0\0\0\4\0\0\0BIN\0    ", 24, SN_ERROR_FORMAT, "not its JSON");
}

static void mistakesAreNamed(void)
{
    static const struct {
        const char *json, *expected;
        snStatus code;
    } cases[] = {
        {"'nodes':[{'children':[1]},{'children':[0]}]", "nodes[0] ('') is in a circle",
         SN_ERROR_FORMAT},
        {"'nodes':[{'children':[0],'name':'x'}]", "nodes[0] ('x') is in a circle", SN_ERROR_FORMAT},
        {"'nodes':[{'children':[2]},{'children':[2]},{}]",
         "nodes[2] ('') is a child of both nodes[0] and nodes[1]", SN_ERROR_FORMAT},
        {"'nodes':[{'children':[5]}]", "nodes[0].children[0]: 5 is out of range", SN_ERROR_FORMAT},
        {"'nodes':[3]", "nodes[0]: a number instead of an object", SN_ERROR_FORMAT},
        {"'nodes':{}", "nodes: an object instead of an array", SN_ERROR_FORMAT},
        {"'nodes':[{'mesh':1}],'meshes':[{}]", "nodes[0].mesh: refers to number 1 of 1",
         SN_ERROR_FORMAT},
        {"'nodes':[{'scale':[1,2]}]", "nodes[0].scale: 2 numbers instead of 3", SN_ERROR_FORMAT},
        {"'nodes':[{'scale':[1,2,1e999]}]", "too large", SN_ERROR_FORMAT},
        {"'extensionsRequired':['KHR_draco_mesh_compression']", "npx @gltf-transform/cli copy",
         SN_ERROR_UNSUPPORTED},
        {"'extensionsRequired':['EXT_meshopt_compression']", "npx @gltf-transform/cli copy",
         SN_ERROR_UNSUPPORTED},
        {"'extensionsRequired':['FOO_bar']", "FOO_bar", SN_ERROR_UNSUPPORTED},
        {"'extensionsRequired':['KHR_materials_unlit']", "no mesh", SN_ERROR_GEOMETRY},
        {"'skins':[{'joints':[]}]", "skins[0]: a skin without joints", SN_ERROR_FORMAT},
        {"'buffers':[{'byteLength':5,'uri':'../x.bin'}]", "leads out of the file's own folder",
         SN_ERROR_UNSUPPORTED},
        {"'buffers':[{'byteLength':5,'uri':'a/%2e%2E/x.bin'}]", "leads out", SN_ERROR_UNSUPPORTED},
        {"'buffers':[{'byteLength':5,'uri':'/etc/x'}]", "leads out", SN_ERROR_UNSUPPORTED},
        {"'buffers':[{'byteLength':5,'uri':'http://x/y'}]", "not a file next to this one",
         SN_ERROR_UNSUPPORTED},
        {"'buffers':[{'byteLength':5,'uri':'c%3a/x'}]", "leads out", SN_ERROR_UNSUPPORTED},
        {"'buffers':[{'byteLength':5,'uri':'x.bin'}]", "buffers[0].uri: refers to the file 'x.bin'",
         SN_ERROR_FILE},
        {"'buffers':[{'byteLength':5,'uri':'data:,abc'}]", "there are only 3 of 5 bytes",
         SN_ERROR_FORMAT},
        {"'buffers':[{'byteLength':5,'uri':'data:;base64,a*b'}]", "bad base64", SN_ERROR_FORMAT},
        {"'buffers':[{'byteLength':-1}]", "not a size", SN_ERROR_FORMAT},
        {"'buffers':[{}]", "'byteLength' is missing", SN_ERROR_FORMAT},
        {"'buffers':[{'byteLength':1.5}]", "not a size", SN_ERROR_FORMAT},
        {"'buffers':[{'byteLength':5,'uri':3}]", "buffers[0].uri: a number", SN_ERROR_FORMAT},
        {"'extensionsRequired':[3]", "extensionsRequired[0]: a number", SN_ERROR_FORMAT},
        {"'nodes':[{'rotation':[1]}]", "nodes[0].rotation: 1 numbers", SN_ERROR_FORMAT},
        {"'nodes':[{'translation':3}]", "nodes[0].translation", SN_ERROR_FORMAT},
        {"'nodes':[{'matrix':[1]}]", "nodes[0].matrix: 1 numbers", SN_ERROR_FORMAT},
        {"'skins':[{'joints':3}]", "skins[0].joints: a number", SN_ERROR_FORMAT},
        {"'skins':[{'name':3,'joints':[0]}],'nodes':[{}]", "skins[0].name: a number",
         SN_ERROR_FORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char json[400];
        snprintf(json, sizeof json, "{'asset':{'version':'2.0'},%s}", cases[i].json);
        snCharacter character;
        snError error = {0};
        CHECK(readGlb(&character, json, NULL, 0, &error) == cases[i].code);
        if (!CHECK(strstr(error.message, cases[i].expected)))
            printf("    '%s' instead of '%s'\n", error.message, cases[i].expected);
        snCharacter_Destroy(&character);
    }
}

// Mistakes in the accessor of a triangle's positions.
static void badAccessorsAreNamed(void)
{
    static const struct {
        const char *accessor, *view, *expected;
    } cases[] = {
        {"'componentType':5126,'count':4,'type':'VEC3'", "", "do not fit into a view of 36 bytes"},
        {"'byteOffset':4,'componentType':5126,'count':3,'type':'VEC3'", "", "do not fit"},
        {"'byteOffset':1e12,'componentType':5126,'count':3,'type':'VEC3'", "", "do not fit"},
        {"'byteOffset':1e15,'componentType':5126,'count':3,'type':'VEC3'", "", "not a size"},
        {"'componentType':5126,'count':3,'type':'VEC3'", ",'byteStride':4000000000", "do not fit"},
        {"'componentType':5126,'count':3,'type':'VEC3'", ",'byteOffset':1",
         "of a buffer of 36 bytes"},
        {"'componentType':5126,'count':3,'type':'VEC3'", ",'byteOffset':1e12", "of a buffer of 36"},
        {"'componentType':5127,'count':3,'type':'VEC3'", "", "'componentType' 5127 is unknown"},
        {"'componentType':5126,'count':3,'type':'VEC5'", "", "'type' is none of"},
        {"'componentType':5126,'count':3", "", "'type' is none of"},
        {"'componentType':5126,'count':4,'type':'VEC2'", "", "2 numbers per vertex instead of 3"},
        {"'componentType':5126,'count':-3,'type':'VEC3'", "", "out of range"},
        {"'componentType':5126,'count':1.5,'type':'VEC3'", "", "not a whole number"},
        {"'componentType':5126,'type':'VEC3'", "", "'count' is missing"},
        {"'componentType':5126,'count':2e9,'type':'VEC3'", "", "out of range"},
        {"'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':9}", "", "out of range"},
        {"'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':1}", "", "component type"},
        {"'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':1,'indices':"
         "{'bufferView':0,'componentType':5123,'byteOffset':14},'values':{'bufferView':0}}",
         "", "refers to element 16256 of 3"},
        {"'componentType':5126,'count':3,'type':'VEC3','sparse':{'count':2,'indices':"
         "{'bufferView':0,'componentType':5121,'byteOffset':35},'values':{'bufferView':0}}",
         "", "do not fit"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char json[800];
        snprintf(json, sizeof json,
                 HEAD
                 "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],"
                 "'accessors':[{'bufferView':0,%s}],"
                 "'bufferViews':[{'buffer':0,'byteLength':36%s}],'buffers':[{'byteLength':36}]}",
                 cases[i].accessor, cases[i].view);
        snCharacter character;
        snError error = {0};
        CHECK(readGlb(&character, json, triangle, 36, &error) == SN_ERROR_FORMAT);
        if (!CHECK(strstr(error.message, cases[i].expected)))
            printf("    '%s' instead of '%s'\n", error.message, cases[i].expected);
        snCharacter_Destroy(&character);
    }
}

static void badVerticesAreNamed(void)
{
    snCharacter character;
    snError error = {0};
    float bin[9];
    memcpy(bin, triangle, 36);
    bin[7] = NAN;
    CHECK(readGlb(&character, HEAD TRIANGLE "}", bin, 36, &error) == SN_ERROR_FORMAT);
    CHECK(!strncmp(error.message,
                   "meshes[0].primitives[0].attributes.POSITION: vertex 2 is not finite", 66));
    const char *json =
        HEAD "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}],"
             "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'},"
             "{'bufferView':0,'componentType':5121,'count':36,'type':'SCALAR'}],"
             "'bufferViews':[{'buffer':0,'byteLength':36}],'buffers':[{'byteLength':36}]}";
    CHECK(readGlb(&character, json, triangle, 36, &error) == SN_ERROR_FORMAT);
    CHECK(!strcmp(error.message,
                  "meshes[0].primitives[0].indices: index 14 refers to vertex 128 of 3"));
}

// Of a file that has a triangle: what its pictures and materials refer to.
static void badMaterialsAreNamed(void)
{
    static const struct {
        const char *json, *expected;
    } cases[] = {
        {"'images':[{'bufferView':3}]", "images[0].bufferView: refers to number 3 of 1"},
        {"'images':[{'name':3}]", "images[0].name"},
        {"'images':[{'uri':'data:;base64,@@'}]", "bad base64"},
        {"'images':[{}],'textures':[{'source':1}],'materials':[{'pbrMetallicRoughness':"
         "{'baseColorTexture':{'index':0}}}]",
         "textures[0].source: refers to number 1 of 1"},
        {"'materials':[{'pbrMetallicRoughness':{'baseColorTexture':{'index':0}}}]",
         "refers to number 0 of 0"},
        {"'materials':[{'doubleSided':3}]", "materials[0].doubleSided"},
        {"'materials':[{'name':3}]", "materials[0].name"},
        {"'materials':[{'pbrMetallicRoughness':{'baseColorFactor':[1]}}]",
         "1 numbers instead of 4"},
        {"'materials':[3]", "materials[0]: a number instead of an object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char json[1000];
        snprintf(json, sizeof json, HEAD TRIANGLE ",%s}", cases[i].json);
        snCharacter character;
        snError error = {0};
        CHECK(readGlb(&character, json, triangle, 36, &error) == SN_ERROR_FORMAT);
        if (!CHECK(strstr(error.message, cases[i].expected)))
            printf("    '%s' instead of '%s'\n", error.message, cases[i].expected);
    }
    snCharacter character;
    if (reads(&character, HEAD TRIANGLE ",'images':[{'uri':'data:;base64,AAEC'},{'uri':'a.png'}]}",
              triangle, 36)) {
        CHECK(character.imageCount == 2 && character.images[0].size == 3);
        CHECK(character.images[0].bytes[2] == 2 && !character.images[1].bytes);
        CHECK(!strcmp(character.images[1].uri, "a.png"));
        snCharacter_Destroy(&character);
    }
}

// Sizes that a small file may claim without having the data.
static void absurdSizesAreRefused(void)
{
    snCharacter character;
    snError error = {0};
    const char *zeros = HEAD "'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],"
                             "'accessors':[{'componentType':5126,'count':33000000,'type':'VEC3'}]}";
    CHECK(readGlb(&character, zeros, NULL, 0, &error) == SN_ERROR_FORMAT);
    CHECK(strstr(error.message, "absurd") != NULL);
    snContext context = snDefaultContext();
    snBytes json = snMakeBytes(&context);
    // 300 nodes with the same mesh of 300 primitives.
    snBytes_AppendText(&json, "{'asset':{'version':'2.0'},'nodes':[{}");
    for (int i = 0; i < 300; i++)
        snBytes_AppendText(&json, ",{'mesh':0}");
    snBytes_AppendText(&json, "],'meshes':[{'primitives':[{'attributes':{'POSITION':0}}");
    for (int i = 0; i < 300; i++)
        snBytes_AppendText(&json, ",{'attributes':{'POSITION':0}}");
    snBytes_AppendText(
        &json, "]}],'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}],"
               "'bufferViews':[{'buffer':0,'byteLength':36}],'buffers':[{'byteLength':36}]}");
    snBytes_AppendByte(&json, 0);
    CHECK(readGlb(&character, (const char *)json.data, triangle, 36, &error) == SN_ERROR_FORMAT);
    CHECK(strstr(error.message, "absurd") != NULL);
    snBytes_Destroy(&json);
}

// A .gltf with its data inside, as text.
static void textWithDataInside(void)
{
    static const char text[] =
        "\xEF\xBB\xBF{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}],\"buffers\":["
        "{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"
        "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,"
        "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}";
    snContext context = snDefaultContext();
    snGltfSource source = {.bytes = (const uint8_t *)text, .size = sizeof text - 1};
    snCharacter character;
    snError error = {0};
    if (!CHECK(snGltf_Read(&character, &source, &context, &error) == SN_OK))
        printf("    %s\n", error.message);
    else
        CHECK(!memcmp(character.parts[0].positions, triangle, 36));
    snCharacter_Destroy(&character);
}

int main(void)
{
    RUN(everyComponentType);
    RUN(interleavedAttributes);
    RUN(sparseAccessors);
    RUN(matricesWithPaddedColumns);
    RUN(inverseBindsMustBeWholeMatrices);
    RUN(listsStripsAndFans);
    RUN(pointsAreIgnored);
    RUN(colorsOfThreeBytes);
    RUN(mapsOfEveryKind);
    RUN(weightsAreNormalized);
    RUN(nodesAreReordered);
    RUN(deepChainsNeedNoStack);
    RUN(defaultSceneIsUsed);
    RUN(morphWeightsAndClips);
    RUN(brokenKeysAreHeld);
    RUN(containersSayWhatIsWrong);
    RUN(mistakesAreNamed);
    RUN(badAccessorsAreNamed);
    RUN(badVerticesAreNamed);
    RUN(badMaterialsAreNamed);
    RUN(absurdSizesAreRefused);
    RUN(textWithDataInside);
    return snTest_Finish();
}
