// Mutations of JSON documents: of any, and of those of glTF.
#include "tests/hostile/mutate.h"

#include "asset/json.h"
#include "asset/json_number.h"

#include <string.h>

// The document that is mutated; its bytes are left as they are.
typedef struct Document {
    snBytes *out;
    const uint8_t *bytes;
    size_t size;
    snRandom *random;
    snArena arena;
    snJson json;
} Document;

static bool openDocument(Document *document, snBytes *out, const uint8_t *bytes, size_t size,
                         snRandom *random)
{
    *document = (Document){out, bytes, size, random, {.allocator = out->allocator}, {0}};
    if (!snJson_Parse(&document->json, (const char *)bytes, size, &document->arena, NULL) &&
        document->json.text == (const char *)bytes)
        return true;
    snMutate_Bytes(out, bytes, size, random);
    snArena_Destroy(&document->arena);
    return false;
}

static void put(const Document *document, const snJsonNode *node, const char *text, size_t length)
{
    snSplice(document->out, document->bytes, document->size, (size_t)node->start, (size_t)node->end,
             text, length);
}

static void putText(const Document *document, const snJsonNode *node, const char *text)
{
    put(document, node, text, strlen(text));
}

// Adds a member or an element at the end of a container.
static void append(const Document *document, const snJsonNode *container, const char *text)
{
    size_t end = (size_t)container->end - 1;
    char comma[2] = {container->childCount ? ',' : ' ', 0};
    snBytes_Append(document->out, document->bytes, end);
    snBytes_AppendText(document->out, comma);
    snBytes_AppendText(document->out, text);
    snBytes_Append(document->out, document->bytes + end, document->size - end);
}

// A member or an element goes, with its comma.
static void removeNode(const Document *document, const snJsonNode *node)
{
    if (node->parent < 0) {
        putText(document, node, "");
        return;
    }
    size_t begin = (size_t)(node->keyEnd ? node->keyStart : node->start), end = (size_t)node->end;
    while (end < document->size && document->bytes[end] <= ' ')
        end++;
    if (end < document->size && document->bytes[end] == ',') {
        end++;
    } else {
        while (begin > 0 && document->bytes[begin - 1] <= ' ')
            begin--;
        if (begin > 0 && document->bytes[begin - 1] == ',') begin--;
    }
    snSplice(document->out, document->bytes, document->size, begin, end, "", 0);
}

static void repeatNode(const Document *document, const snJsonNode *node)
{
    static const int counts[] = {1, 2, 30, 5000};
    size_t begin = (size_t)(node->keyEnd ? node->keyStart : node->start), end = (size_t)node->end;
    int count = counts[snRandom_Below(document->random, 4)], most = snMostCopies(end - begin);
    if (count > most) count = most;
    snBytes_Append(document->out, document->bytes, end);
    for (; count > 0 && node->parent >= 0; count--) {
        snBytes_AppendByte(document->out, ',');
        snBytes_Append(document->out, document->bytes + begin, end - begin);
    }
    snBytes_Append(document->out, document->bytes + end, document->size - end);
}

static void nest(const Document *document, const snJsonNode *node)
{
    static const int depths[] = {10, 250, 260, 100000};
    int depth = depths[snRandom_Below(document->random, 4)];
    bool objects = snChance(document->random, 2), closes = !snChance(document->random, 4);
    snBytes_Append(document->out, document->bytes, (size_t)node->start);
    for (int i = 0; i < depth; i++)
        snBytes_AppendText(document->out, objects ? "{\"a\":" : "[");
    snBytes_Append(document->out, document->bytes + node->start, (size_t)(node->end - node->start));
    for (int i = 0; i < depth && closes; i++)
        snBytes_AppendByte(document->out, objects ? '}' : ']');
    snBytes_Append(document->out, document->bytes + node->end, document->size - (size_t)node->end);
}

static void lengthen(const Document *document, const snJsonNode *node)
{
    snBytes_Append(document->out, document->bytes, (size_t)node->start);
    snBytes_AppendByte(document->out, '"');
    snBytes_Fill(document->out, 'n', 70000);
    snBytes_AppendByte(document->out, '"');
    snBytes_Append(document->out, document->bytes + node->end, document->size - (size_t)node->end);
}

static const char *oddValue(snRandom *random)
{
    static const char *const values[] = {"null",
                                         "true",
                                         "false",
                                         "\"\"",
                                         "[]",
                                         "{}",
                                         "[[]]",
                                         "\"\\u0000\"",
                                         "\"\\ud800\"",
                                         "\"\xff\xfe\"",
                                         "\"%s%n%d\"",
                                         "\"../../../../etc/hostname\"",
                                         "\"/dev/zero\"",
                                         "\"data:application/octet-stream;base64,AAAA\"",
                                         "\"data:,%41\"",
                                         "[0,0,0]",
                                         "[1e38,1e38,1e38]",
                                         "[0,0,0,0]",
                                         "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]",
                                         "\"MAT4\"",
                                         "\"SCALAR\"",
                                         "\"CUBICSPLINE\""};
    return values[snRandom_Below(random, (int)(sizeof values / sizeof *values))];
}

// A node below the lists that matter, as often as not, so that large arrays do not get it all.
static const snJsonNode *pickNode(const Document *document)
{
    const snJsonNode *node = document->json.root;
    snRandom *random = document->random;
    if (snChance(random, 3))
        return &document->json.nodes[snRandom_Below(random, document->json.nodeCount)];
    while (snJson_Count(node) > 0 && (node == document->json.root || !snChance(random, 5)))
        node = snJson_At(&document->json, node, snRandom_Below(random, snJson_Count(node)));
    return node;
}

// A number of the document made larger, smaller or negative: what is still a number there.
static void scaleNumber(const Document *document, const snJsonNode *node)
{
    static const double factors[] = {0, -1, 0.5, 2, 10, 1e-3, 1e3, 1e-9, 1e9, 1 + 1e-7};
    double value = 0;
    char text[SN_NUMBER_CHARS];
    while (snJson_Count(node) > 0)
        node =
            snJson_At(&document->json, node, snRandom_Below(document->random, snJson_Count(node)));
    if (node->kind == SN_JSON_NUMBER) snJson_AsDouble(&document->json, node, &value, NULL);
    value *= factors[snRandom_Below(document->random, 10)];
    if (!(value - value == 0)) value = 0;
    snFormatDouble(text, value);
    putText(document, node, text);
}

void snMutate_Json(snBytes *out, const uint8_t *bytes, size_t size, snRandom *random)
{
    Document document;
    if (!openDocument(&document, out, bytes, size, random)) return;
    const snJsonNode *node = pickNode(&document), *other = pickNode(&document);
    int kind = snRandom_Below(random, 16);
    if (kind < 4)
        putText(&document, node, snOddNumber(random));
    else if (kind > 11)
        scaleNumber(&document, node);
    else if (kind < 6)
        removeNode(&document, node);
    else if (kind == 6)
        repeatNode(&document, node);
    else if (kind == 7)
        nest(&document, node);
    else if (kind == 8 && snChance(random, 3))
        lengthen(&document, node);
    else if (kind < 10)
        putText(&document, node, oddValue(random));
    else // another's value
        put(&document, node, (const char *)bytes + other->start,
            (size_t)(other->end - other->start));
    snArena_Destroy(&document.arena);
}

// ---- glTF ----

static const snJsonNode *list(const Document *document, const char *name)
{
    return snJson_Member(&document->json, document->json.root, name);
}

static const snJsonNode *pickOf(const Document *document, const char *name)
{
    const snJsonNode *node = list(document, name);
    int count = snJson_Count(node);
    return count ? snJson_At(&document->json, node, snRandom_Below(document->random, count)) : NULL;
}

// Members that are added to an element of a list; where the member is there already, the last counts.
static const struct {
    const char *list, *member;
} additions[] = {
    {"nodes", "\"scale\":[0,0,0]"},
    {"nodes", "\"scale\":[1,0,1]"},
    {"nodes", "\"scale\":[-1,1,1]"},
    {"nodes", "\"scale\":[1e-30,1e30,1]"},
    {"nodes", "\"scale\":[1e300,1e300,1e300]"},
    {"nodes", "\"rotation\":[0,0,0,0]"},
    {"nodes", "\"rotation\":[1e200,0,0,1e200]"},
    {"nodes", "\"translation\":[3e38,-3e38,3e38]"},
    {"nodes", "\"translation\":[1e9,0,0]"},
    {"nodes", "\"matrix\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"},
    {"nodes", "\"matrix\":[1,2,3,0,2,4,6,0,1,1,1,0,0,0,0,1]"},
    {"nodes", "\"matrix\":[1,0,0,5,0,1,0,0,0,0,1,0,0,0,0,0]"},
    {"nodes", "\"mesh\":0,\"skin\":0"},
    {"nodes", "\"mesh\":0,\"weights\":[1e38,1,1,1,1,1,1,1]"},
    {"skins", "\"joints\":[]"},
    {"skins", "\"joints\":[0,0,0,0]"},
    {"skins", "\"inverseBindMatrices\":0"},
    {"accessors", "\"count\":2147483647"},
    {"accessors", "\"bufferView\":0,\"byteOffset\":18446744073709551612"},
    {"accessors", "\"byteOffset\":4294967292"},
    {"accessors", "\"normalized\":true"},
    {"accessors", "\"componentType\":5125"},
    {"accessors", "\"type\":\"MAT4\""},
    {"accessors",
     "\"sparse\":{\"count\":2147483647,\"indices\":{\"bufferView\":0,\"componentType\":5121},"
     "\"values\":{\"bufferView\":0}}"},
    {"accessors", "\"sparse\":{\"count\":3,\"indices\":{\"bufferView\":0,\"componentType\":5125},"
                  "\"values\":{\"bufferView\":0}}"},
    {"bufferViews", "\"byteLength\":4294967296"},
    {"bufferViews", "\"byteStride\":252"},
    {"bufferViews", "\"byteStride\":4"},
    {"bufferViews", "\"byteOffset\":1"},
    {"bufferViews", "\"byteOffset\":1099511627776"},
    {"buffers", "\"byteLength\":9007199254740991"},
    {"buffers", "\"uri\":\"data:application/octet-stream;base64,AAAA\""},
    {"buffers", "\"uri\":\"../m.bin\""},
    {"buffers", "\"uri\":\"m.glb\""},
    {"meshes", "\"weights\":[1e308,1e308]"},
    {"meshes", "\"primitives\":[]"},
    {"animations", "\"channels\":[]"},
};

static bool addMember(const Document *document)
{
    int kind = snRandom_Below(document->random, (int)(sizeof additions / sizeof *additions));
    const snJsonNode *element = pickOf(document, additions[kind].list);
    if (!element || element->kind != SN_JSON_OBJECT) return false;
    append(document, element, additions[kind].member);
    return true;
}

// A node becomes a child of another, or of itself: two parents, or a cycle.
static bool addChild(const Document *document)
{
    const snJsonNode *node = pickOf(document, "nodes");
    char text[48];
    int child = snRandom_Below(document->random, snJson_Count(list(document, "nodes")) + 1);
    if (!node || node->kind != SN_JSON_OBJECT) return false;
    const snJsonNode *children = snJson_Member(&document->json, node, "children");
    snBytes number = snMakeBytesFrom(&document->out->allocator);
    snBytes_Format(&number, children ? "%d" : "\"children\":[%d]", child);
    snBytes_AppendByte(&number, 0);
    strncpy(text, number.failed ? "" : (const char *)number.data, sizeof text - 1);
    text[sizeof text - 1] = 0;
    snBytes_Destroy(&number);
    append(document, children && children->kind == SN_JSON_ARRAY ? children : node, text);
    return true;
}

// A chain of nodes, each the child of the one before it.
static bool addChain(const Document *document)
{
    const snJsonNode *nodes = list(document, "nodes");
    int first = snJson_Count(nodes), count = snChance(document->random, 2) ? 300 : 50000;
    if (!first || nodes->kind != SN_JSON_ARRAY) return false;
    size_t end = (size_t)nodes->end - 1;
    snBytes_Append(document->out, document->bytes, end);
    for (int i = 0; i < count; i++)
        snBytes_Format(document->out, ",{\"children\":[%d]}", i + 1 < count ? first + i + 1 : 0);
    snBytes_Append(document->out, document->bytes + end, document->size - end);
    return true;
}

// A number below one of the lists, where counts, offsets and indices are.
static bool changeNumber(const Document *document)
{
    static const char *const lists[] = {"accessors",  "bufferViews", "skins",   "nodes",
                                        "animations", "meshes",      "buffers", "scenes"};
    const snJsonNode *node = pickOf(document, lists[snRandom_Below(document->random, 8)]);
    while (snJson_Count(node) > 0)
        node =
            snJson_At(&document->json, node, snRandom_Below(document->random, snJson_Count(node)));
    if (!node || node->kind != SN_JSON_NUMBER) return false;
    char digit[2] = {(char)('0' + snRandom_Below(document->random, 10)), 0};
    putText(document, node, snChance(document->random, 2) ? digit : snOddNumber(document->random));
    return true;
}

void snMutate_GltfJson(snBytes *out, const uint8_t *bytes, size_t size, snRandom *random)
{
    Document document;
    if (!openDocument(&document, out, bytes, size, random)) return;
    bool done = false;
    for (int i = 0; i < 20 && !done; i++) {
        int kind = snRandom_Below(random, 16);
        done = kind < 6    ? addMember(&document)
               : kind < 8  ? addChild(&document)
               : kind == 8 ? snChance(random, 4) && addChain(&document)
                           : changeNumber(&document);
    }
    if (!done) snMutate_Bytes(out, bytes, size, random);
    snArena_Destroy(&document.arena);
}
