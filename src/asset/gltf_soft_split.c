// Meshes that hang on several nodes which move differently (a pair of eyes): every node but the first gets
// a copy of the mesh object, so that it can have targets of its own. Accessors are shared, no data are
// copied.
#include "asset/gltf_soft.h"

#include <limits.h>

// The soft mesh that has the mesh first; itself, where none before has it.
static int firstWith(const snSoftMesh *meshes, int soft)
{
    for (int m = 0; m < soft; m++)
        if (meshes[m].mesh == meshes[soft].mesh) return m;
    return soft;
}

bool snSoft_IsShared(const snSoftMesh *meshes, int count)
{
    for (int m = 0; m < count; m++)
        if (meshes[firstWith(meshes, m)].node != meshes[m].node) return true;
    return false;
}

static int skinOf(const snGltfDocument *document, int node)
{
    const snJson *json = &document->json;
    int skin = -1;
    (void)snJson_ReadInt(json, snJson_At(json, document->nodes, node), "skin", 0, INT_MAX, &skin,
                         NULL);
    return skin;
}

bool snSoft_MovesAlike(const snGltfDocument *document, int node, int leader)
{
    int skin = skinOf(document, leader);
    return node == leader || (skin >= 0 && skinOf(document, node) == skin);
}

typedef struct Splitter {
    snGltfDocument document;
    snJsonEdit edit;
    snSoftMesh *meshes; // numbers of meshes change
    snError *error;
} Splitter;

// The nodes that move as the soft mesh does turn to mesh `number`.
static snStatus turnNodes(Splitter *s, const snSoftMesh *soft, int number)
{
    const snJson *json = &s->document.json;
    snBytes text = snMakeBytesFrom(&s->document.arena->allocator);
    snBytes_Format(&text, "%d", number);
    snStatus status = snBytes_Check(&text, s->error);
    for (int n = 0; n < snJson_Count(s->document.nodes) && !status; n++) {
        const snJsonNode *node = snJson_At(json, s->document.nodes, n);
        int mesh = -1;
        status = snJson_ReadInt(json, node, "mesh", 0, INT_MAX, &mesh, s->error);
        if (!status && mesh == soft->mesh && snSoft_MovesAlike(&s->document, n, soft->node))
            snJsonEdit_Replace(&s->edit, snJson_Member(json, node, "mesh"), (const char *)text.data,
                               text.size);
    }
    snBytes_Destroy(&text);
    return status;
}

static snStatus splitMesh(Splitter *s, snSoftMesh *soft)
{
    const snJson *json = &s->document.json;
    const snJsonNode *object = snJson_At(json, s->document.meshes, soft->mesh);
    if (!object || soft->node < 0 || soft->node >= snJson_Count(s->document.nodes))
        return snFail(s->error, SN_ERROR_ARGUMENT,
                      "a soft mesh: node %d of the file does not carry mesh %d", soft->node,
                      soft->mesh);
    snJsonSpot list = snJsonEdit_Spot(json, s->document.meshes);
    int number = snJsonEdit_Append(&s->edit, list, json->text + object->start,
                                   (size_t)(object->end - object->start));
    snStatus status = turnNodes(s, soft, number);
    soft->mesh = number;
    return status;
}

static snStatus assemble(Splitter *s, snBytes *out)
{
    const snGltfDocument *document = &s->document;
    snBytes text = snMakeBytesFrom(&document->arena->allocator);
    snBytes bin = snMakeBytesFrom(&document->arena->allocator);
    snStatus status = snJsonEdit_Write(&s->edit, &text, s->error);
    if (!status && !document->isBinary) {
        snBytes_Append(out, text.data, text.size);
        status = snBytes_Check(out, s->error);
    } else if (!status) {
        size_t others = document->chunksSize >= 8 ? document->chunksSize : 0;
        snBytes_Append(&bin, document->bin, document->binSize);
        status = snBytes_Check(&bin, s->error);
        if (!status) status = snGlb_Assemble(out, &text, &bin, document->chunks, others, s->error);
    }
    snBytes_Destroy(&text);
    snBytes_Destroy(&bin);
    return status;
}

snStatus snSoft_Split(const snGltfSource *original, snSoftMesh *meshes, int count, snBytes *out,
                      const snContext *context, snError *error)
{
    snArena arena = snMakeArena(context);
    Splitter splitter = {.meshes = meshes, .error = error};
    snStatus status = snGltf_Open(&splitter.document, original, context, &arena, error);
    if (!status) splitter.edit = snMakeJsonEdit(&splitter.document.json, &arena);
    for (int m = count - 1; m > 0 && !status; m--) // those before keep their numbers meanwhile
        if (meshes[firstWith(meshes, m)].node != meshes[m].node)
            status = splitMesh(&splitter, &meshes[m]);
    if (!status) status = assemble(&splitter, out);
    snArena_Destroy(&arena);
    return status;
}
