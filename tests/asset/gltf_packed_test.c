// Views of EXT_meshopt_compression, with a function of our own that unpacks: what it is given, what comes of its result, and
// which descriptions are refused before it is called. (With the real library: tests/cli/unpack_test.c.)
#include "core/error.h"
#include "tests/asset/gltf_text.h"
#include "tests/test.h"

static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};

typedef struct Unpacker {
    snGltfPacked last;
    int calls;
    bool broken;
} Unpacker;

// "Packed" here: every byte with its bits turned over.
static snStatus unpackBits(void *user, const snGltfPacked *packed, uint8_t *out, snError *error)
{
    Unpacker *unpacker = user;
    unpacker->last = *packed;
    unpacker->calls++;
    if (unpacker->broken) return snFail(error, SN_ERROR_FORMAT, "its bits are worn");
    for (size_t i = 0; i < packed->count * packed->stride && i < packed->size; i++)
        out[i] = (uint8_t)~packed->bytes[i];
    return SN_OK;
}

static snStatus readPacked(snCharacter *c, const char *description, const char *fallback,
                           Unpacker *unpacker, snContext *context, snError *error)
{
    char json[1200];
    uint8_t bin[36];
    for (int i = 0; i < 36; i++)
        bin[i] = (uint8_t) ~((const uint8_t *)triangle)[i];
    snprintf(json, sizeof json,
             "{'asset':{'version':'2.0'},'extensionsRequired':['EXT_meshopt_compression'],"
             "'nodes':[{'mesh':0}],'meshes':[{'primitives':[{'attributes':{'POSITION':0}}]}],"
             "'accessors':[{'bufferView':0,'componentType':5126,'count':3,'type':'VEC3'}],"
             "'bufferViews':[{'buffer':1,'byteLength':36,'extensions':{'EXT_meshopt_compression':"
             "{%s}}}],'buffers':[{'byteLength':36},{'byteLength':36%s}]}",
             description, fallback);
    snBytes bytes = snMakeBytes(context);
    makeGlb(&bytes, json, bin, 36);
    snGltfSource source = {
        .bytes = bytes.data, .size = bytes.size, .unpack = unpackBits, .user = unpacker};
    snStatus status = snBytes_Check(&bytes, error);
    if (!status) status = snGltf_Read(c, &source, context, error);
    snBytes_Destroy(&bytes);
    return status;
}

#define VIEW "'buffer':0,'byteLength':36,"
#define NO_DATA ",'extensions':{'EXT_meshopt_compression':{'fallback':true}}"

static void viewsAreUnpackedOnce(void)
{
    snContext context = snDefaultContext();
    snCharacter c;
    snError error = {0};
    Unpacker unpacker = {0};
    CHECK(readPacked(&c, VIEW "'byteStride':12,'count':3,'mode':'ATTRIBUTES','filter':'NONE'",
                     NO_DATA, &unpacker, &context, &error) == SN_OK);
    CHECK(unpacker.calls == 1 && unpacker.last.size == 36);
    CHECK(unpacker.last.count == 3 && unpacker.last.stride == 12);
    CHECK(unpacker.last.mode == SN_PACKED_ATTRIBUTES && unpacker.last.filter == SN_FILTER_NONE);
    CHECK(c.vertexCount == 3 && !memcmp(c.parts[0].positions, triangle, 36));
    snCharacter_Destroy(&c);
}

// Where the data lie in the file unpacked as well, they are taken from there.
static void dataOfTheFileGoFirst(void)
{
    snContext context = snDefaultContext();
    snCharacter c;
    snError error = {0};
    Unpacker unpacker = {0};
    CHECK(readPacked(&c, VIEW "'byteStride':12,'count':3,'mode':'ATTRIBUTES'",
                     ",'uri':'data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA'",
                     &unpacker, &context, &error) == SN_OK);
    CHECK(unpacker.calls == 0 && !memcmp(c.parts[0].positions, triangle, 36));
    snCharacter_Destroy(&c);
}

static void whatCannotBeIsRefused(void)
{
    static const char unfit[] = "bytes do not go with its mode and filter";
    static const struct {
        const char *description, *expected;
    } cases[] = {
        {VIEW "'byteStride':12,'mode':'ATTRIBUTES'", "'count' is missing"},
        {VIEW "'byteStride':12,'count':-1,'mode':'ATTRIBUTES'", "out of range"},
        {VIEW "'byteStride':-4,'count':3,'mode':'ATTRIBUTES'", "not a size"},
        {VIEW "'byteStride':12,'count':3", "'mode' of EXT_meshopt_compression is unknown"},
        {VIEW "'byteStride':12,'count':3,'mode':'LINES'", "'mode' of EXT_meshopt_compression"},
        {VIEW "'byteStride':12,'count':3,'mode':'ATTRIBUTES','filter':'BLUR'",
         "'filter' of EXT_meshopt_compression is unknown"},
        {"'buffer':0,'byteLength':37,'byteStride':12,'count':3,'mode':'ATTRIBUTES'", "37"},
        {VIEW "'count':3,'mode':'ATTRIBUTES'", unfit},
        {VIEW "'byteStride':260,'count':3,'mode':'ATTRIBUTES'", unfit},
        {VIEW "'byteStride':10,'count':3,'mode':'ATTRIBUTES'", unfit},
        {VIEW "'byteStride':12,'count':3,'mode':'ATTRIBUTES','filter':'OCTAHEDRAL'", unfit},
        {VIEW "'byteStride':12,'count':3,'mode':'ATTRIBUTES','filter':'QUATERNION'", unfit},
        {VIEW "'byteStride':3,'count':3,'mode':'INDICES'", unfit},
        {VIEW "'byteStride':4,'count':4,'mode':'TRIANGLES'", unfit},
        {VIEW "'byteStride':2,'count':3,'mode':'TRIANGLES','filter':'EXPONENTIAL'", unfit},
        {VIEW "'byteStride':256,'count':2000000000,'mode':'ATTRIBUTES'", "absurd"},
    };
    snContext context = snDefaultContext();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snCharacter c;
        snError error = {0};
        Unpacker unpacker = {0};
        CHECK(readPacked(&c, cases[i].description, NO_DATA, &unpacker, &context, &error) ==
              SN_ERROR_FORMAT);
        if (!CHECK(strstr(error.message, cases[i].expected)))
            printf("    '%s' instead of '%s'\n", error.message, cases[i].expected);
        CHECK(unpacker.calls == 0);
    }
}

// Filters that go with their strides reach the function; too few bytes come of them here, which the accessor says.
static void filtersReachTheFunction(void)
{
    static const struct {
        const char *description;
        snPackedMode mode;
        snPackedFilter filter;
    } cases[] = {
        {VIEW "'byteStride':4,'count':3,'mode':'ATTRIBUTES','filter':'OCTAHEDRAL'",
         SN_PACKED_ATTRIBUTES, SN_FILTER_OCTAHEDRAL},
        {VIEW "'byteStride':8,'count':3,'mode':'ATTRIBUTES','filter':'OCTAHEDRAL'",
         SN_PACKED_ATTRIBUTES, SN_FILTER_OCTAHEDRAL},
        {VIEW "'byteStride':8,'count':3,'mode':'ATTRIBUTES','filter':'QUATERNION'",
         SN_PACKED_ATTRIBUTES, SN_FILTER_QUATERNION},
        {VIEW "'byteStride':2,'count':3,'mode':'TRIANGLES'", SN_PACKED_TRIANGLES, SN_FILTER_NONE},
        {VIEW "'byteStride':4,'count':4,'mode':'INDICES'", SN_PACKED_INDICES, SN_FILTER_NONE},
    };
    snContext context = snDefaultContext();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snCharacter c;
        snError error = {0};
        Unpacker unpacker = {0};
        CHECK(readPacked(&c, cases[i].description, NO_DATA, &unpacker, &context, &error) ==
              SN_ERROR_FORMAT);
        CHECK(unpacker.calls == 1 && unpacker.last.mode == cases[i].mode);
        CHECK(unpacker.last.filter == cases[i].filter);
    }
}

static void itsFailureIsPassedOn(void)
{
    snContext context = snDefaultContext();
    snCharacter c;
    snError error = {0};
    Unpacker unpacker = {.broken = true};
    CHECK(readPacked(&c, VIEW "'byteStride':12,'count':3,'mode':'ATTRIBUTES'", NO_DATA, &unpacker,
                     &context, &error) == SN_ERROR_FORMAT);
    CHECK(strstr(error.message, "bufferViews[0].extensions.EXT_meshopt_compression: its bits are "
                                "worn") != NULL);
}

static void everyAllocationMayFail(void)
{
    snStatus status = SN_ERROR_MEMORY;
    for (int failAt = 1; status && failAt < 1000; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snCharacter c = {0};
        Unpacker unpacker = {0};
        status = readPacked(&c, VIEW "'byteStride':12,'count':3,'mode':'ATTRIBUTES'", NO_DATA,
                            &unpacker, &context, NULL);
        CHECK(status == (memory.count < failAt ? SN_OK : SN_ERROR_MEMORY));
        if (!status) snCharacter_Destroy(&c);
        CHECK(memory.alive == 0);
    }
    CHECK(status == SN_OK);
}

int main(void)
{
    RUN(viewsAreUnpackedOnce);
    RUN(dataOfTheFileGoFirst);
    RUN(whatCannotBeIsRefused);
    RUN(filtersReachTheFunction);
    RUN(itsFailureIsPassedOn);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
