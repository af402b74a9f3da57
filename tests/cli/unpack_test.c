// Files packed by EXT_meshopt_compression: packed here by the library itself, read, and compared;
// then broken. Skipped where the library is absent.
#include "cli/unpack.h"

#include "core/error.h"
#include "core/random.h"
#include "tests/asset/gltf_text.h"
#include "tests/test.h"

#include <dlfcn.h>
#include <stdlib.h>

typedef size_t Encode(unsigned char *out, size_t room, const void *data, size_t count, size_t size);
typedef size_t EncodeIndices(unsigned char *out, size_t room, const unsigned *data, size_t count);

#define SIDE 20
#define VERTICES (SIDE * SIDE)
#define INDICES (6 * (SIDE - 1) * (SIDE - 1))

static void *library;

static void *find(const char *name)
{
    return dlsym(library, name);
}

typedef struct Grid {
    float positions[VERTICES][3];
    unsigned indices[INDICES];
} Grid;

static void makeGrid(Grid *grid)
{
    int n = 0;
    for (int v = 0; v < VERTICES; v++) {
        grid->positions[v][0] = (float)(v % SIDE) / 7;
        grid->positions[v][1] = (float)(v / SIDE) / 9;
        grid->positions[v][2] = (float)(v % 5) / 11;
    }
    for (int y = 0; y + 1 < SIDE; y++)
        for (int x = 0; x + 1 < SIDE; x++) {
            unsigned a = (unsigned)(y * SIDE + x),
                     quad[6] = {a, a + 1, a + SIDE, a + 1, a + 1 + SIDE, a + SIDE};
            for (int k = 0; k < 6; k++)
                grid->indices[n++] = quad[k];
        }
}

// Packs the grid and writes the file around it. Returns the BIN chunk's size.
static size_t writeGrid(const Grid *grid, unsigned char *bin, size_t room, char *json, size_t size,
                        bool sequence)
{
    Encode *vertices;
    EncodeIndices *indices;
    void *a = find("meshopt_encodeVertexBuffer");
    void *b = find(sequence ? "meshopt_encodeIndexSequence" : "meshopt_encodeIndexBuffer");
    memcpy(&vertices, &a, sizeof a);
    memcpy(&indices, &b, sizeof b);
    size_t first = vertices(bin, room, grid->positions, VERTICES, 12);
    size_t at = (first + 3) & ~(size_t)3;
    size_t second = indices(bin + at, room - at, grid->indices, INDICES);
    CHECK(first > 0 && second > 0 && first + second < sizeof *grid);
    snprintf(json, size,
             "{'asset':{'version':'2.0'},'extensionsRequired':['EXT_meshopt_compression'],"
             "'nodes':[{'mesh':0}],'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':"
             "1}]}],"
             "'accessors':[{'bufferView':0,'componentType':5126,'count':%d,'type':'VEC3'},"
             "{'bufferView':1,'componentType':5125,'count':%d,'type':'SCALAR'}],"
             "'bufferViews':[{'buffer':1,'byteLength':%d,'byteStride':12,'extensions':{"
             "'EXT_meshopt_compression':{'buffer':0,'byteLength':%zu,'byteStride':12,'count':%d,"
             "'mode':'ATTRIBUTES'}}},{'buffer':1,'byteOffset':%d,'byteLength':%d,'extensions':{"
             "'EXT_meshopt_compression':{'buffer':0,'byteOffset':%zu,'byteLength':%zu,"
             "'byteStride':4,'count':%d,'mode':'%s'}}}],"
             "'buffers':[{'byteLength':%zu},{'byteLength':%d,'extensions':{"
             "'EXT_meshopt_compression':{'fallback':true}}}]}",
             VERTICES, INDICES, 12 * VERTICES, first, VERTICES, 12 * VERTICES, 4 * INDICES, at,
             second, INDICES, sequence ? "INDICES" : "TRIANGLES", at + second,
             12 * VERTICES + 4 * INDICES);
    return at + second;
}

static snStatus readPacked(snCharacter *c, const char *json, const void *bin, size_t size,
                           snError *error)
{
    snContext context = snDefaultContext();
    snBytes bytes = snMakeBytes(&context);
    makeGlb(&bytes, json, bin, size);
    snGltfSource source = {.bytes = bytes.data, .size = bytes.size, .unpack = snUnpackMeshopt};
    snStatus status = snGltf_Read(c, &source, &context, error);
    snBytes_Destroy(&bytes);
    return status;
}

// The library may turn triangles round their corners, but not over.
static bool sameTriangle(const int *a, const unsigned *b)
{
    for (int k = 0; k < 3; k++)
        if (a[0] == (int)b[k] && a[1] == (int)b[(k + 1) % 3] && a[2] == (int)b[(k + 2) % 3])
            return true;
    return false;
}

static void packedFilesAreRead(void)
{
    static unsigned char bin[sizeof(Grid) * 2];
    static char json[3000];
    static Grid grid;
    makeGrid(&grid);
    for (int sequence = 0; sequence < 2; sequence++) {
        size_t size = writeGrid(&grid, bin, sizeof bin, json, sizeof json, sequence);
        snCharacter c;
        snError error = {0};
        if (!CHECK(readPacked(&c, json, bin, size, &error) == SN_OK)) {
            printf("    %s\n", error.message);
            continue;
        }
        CHECK(c.vertexCount == VERTICES && c.triangleCount == INDICES / 3);
        CHECK(!memcmp(c.parts[0].positions, grid.positions, sizeof grid.positions));
        for (int t = 0; t < INDICES / 3; t++)
            CHECK(sameTriangle(c.parts[0].triangles + 3 * t, grid.indices + 3 * t));
        snCharacter_Destroy(&c);
        CHECK(readGlb(&c, json, bin, size, &error) == SN_ERROR_UNSUPPORTED);
        CHECK(strstr(error.message, "npx @gltf-transform/cli copy in.glb out.glb") != NULL);
    }
}

// Soft motion is added to a packed file, whose own data stay packed.
static void softMotionIsAdded(void)
{
    static unsigned char bin[sizeof(Grid) * 2];
    static char json[3000];
    static Grid grid;
    static snVec3f offsets[VERTICES];
    const snVec3f *positions[1] = {offsets};
    int counts[1] = {VERTICES};
    float times[2] = {0, 1}, values[2] = {0, 1};
    const float *weights[1] = {values};
    snSoftMesh mesh = {.primitiveCount = 1, .targetCount = 1};
    snSoftClip clip = {.clip = -1, .name = "soft", .frameCount = 2, .times = times};
    snContext context = snDefaultContext();
    snBytes bytes = snMakeBytes(&context), out = snMakeBytes(&context);
    snCharacter c;
    snError error = {0};
    mesh.positions = positions;
    mesh.vertexCounts = counts;
    clip.weights = weights;
    makeGrid(&grid);
    offsets[7] = (snVec3f){1, 2, 3};
    size_t size = writeGrid(&grid, bin, sizeof bin, json, sizeof json, false);
    makeGlb(&bytes, json, bin, size);
    snGltfSource source = {.bytes = bytes.data, .size = bytes.size, .unpack = snUnpackMeshopt};
    if (!CHECK(snGltf_AddSoft(&source, &mesh, 1, &clip, 1, &out, &context, &error) == SN_OK))
        printf("    %s\n", error.message);
    snGltfSource soft = {.bytes = out.data, .size = out.size, .unpack = snUnpackMeshopt};
    if (CHECK(snGltf_Read(&c, &soft, &context, &error) == SN_OK)) {
        CHECK(c.clipCount == 1 && c.parts[0].targetCount == 1 && c.morphCount == 1);
        CHECK(c.parts[0].targets[0][7].z == 3 && c.parts[0].targets[0][8].z == 0);
        CHECK(!memcmp(c.parts[0].positions, grid.positions, sizeof grid.positions));
        snCharacter_Destroy(&c);
    }
    snBytes_Destroy(&bytes);
    snBytes_Destroy(&out);
}

static void brokenDataAreNamed(void)
{
    static unsigned char bin[sizeof(Grid) * 2], changed[sizeof(Grid) * 2];
    static char json[3000];
    static Grid grid;
    static const struct {
        const char *from, *to, *expected;
    } cases[] = {
        {"'ATTRIBUTES'", "'SOMETHING_'", "'mode' of EXT_meshopt_compression is unknown"},
        {"'byteStride':12,'count'", "'byteStride':13,'count'", "do not go with its mode"},
        {"'byteStride':4,'count'", "'byteStride':3,'count'", "do not go with its mode"},
        {"'count':400,'mode'", "'count':999,'mode'", "the compressed data are broken"},
        {"'buffer':0,'byteLength'", "'buffer':7,'byteLength'", "refers to number 7 of 2"},
        {"'mode':'ATTRIBUTES'", "'filter':'OCTAHEDRAL','mode':'ATTRIBUTES'", "do not go with"},
        {"'mode':'ATTRIBUTES'", "'filter':'WHAT','mode':'ATTRIBUTES'", "'filter' of"},
    };
    makeGrid(&grid);
    size_t size = writeGrid(&grid, bin, sizeof bin, json, sizeof json, false);
    snCharacter c;
    snError error = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[3200];
        const char *place = strstr(json, cases[i].from);
        if (!CHECK(place != NULL)) continue;
        snprintf(text, sizeof text, "%.*s%s%s", (int)(place - json), json, cases[i].to,
                 place + strlen(cases[i].from));
        CHECK(readPacked(&c, text, bin, size, &error) == SN_ERROR_FORMAT);
        if (!CHECK(strstr(error.message, cases[i].expected) != NULL))
            printf("    %s\n", error.message);
    }
    snRandom random = snMakeRandom(3);
    int refused = 0;
    for (int round = 0; round < 300; round++) {
        memcpy(changed, bin, size);
        for (int k = 0; k < 5; k++)
            changed[snRandom_Below(&random, (int)size)] = (unsigned char)snRandom_Bits(&random);
        if (readPacked(&c, json, changed, size, &error))
            refused++;
        else
            snCharacter_Destroy(&c);
    }
    printf("    %d of 300 changed files are refused\n", refused);
}

int main(void)
{
    library = dlopen("libmeshoptimizer.so.2d", RTLD_NOW | RTLD_LOCAL);
    if (!library) snTest_Skip("libmeshoptimizer2d is not installed");
    RUN(packedFilesAreRead);
    RUN(softMotionIsAdded);
    RUN(brokenDataAreNamed);
    return snTest_Finish();
}
