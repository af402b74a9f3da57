// New morph targets behind the existing ones, for every primitive of a mesh; the mesh's and its
// nodes' default weights and the targets' names grow along.
#include "asset/gltf_soft.h"

#include <stdio.h>
#include <string.h>

// ---- targets of one primitive ----

typedef struct {
    snSoftWriter *writer;
    const snSoftMesh *mesh;
    const snJsonNode *primitive;
    const snJsonNode *targets; // existing ones, or NULL
    int number;                // of the primitive
    int vertexCount;
    int zeros; // accessor of zeros; -1: not made yet
} Primitive;

// Targets that move nothing share one accessor without data.
static int putOffsets(Primitive *primitive, const snVec3f *offsets, unsigned use)
{
    snGlbBuilder *glb = &primitive->writer->glb;
    if (offsets)
        return snGlbBuilder_Floats(glb, &offsets->x, primitive->vertexCount, 3,
                                   SN_GLB_ATTRIBUTE | use);
    if (primitive->zeros < 0) primitive->zeros = snGlbBuilder_Zeros(glb, primitive->vertexCount, 3);
    return primitive->zeros;
}

// Normals are corrected where the primitive has normals and any target corrects them. Some readers
// mistake a target without normals, among others with them, for one that adds the normals
// themselves; so all or none of a primitive's targets have them.
static bool wantsNormals(const Primitive *primitive)
{
    const snJson *json = &primitive->writer->document.json;
    const snSoftMesh *mesh = primitive->mesh;
    const snJsonNode *attributes = snJson_Member(json, primitive->primitive, "attributes");
    if (!snJson_Member(json, attributes, "NORMAL")) return false;
    for (int t = 0; t < snJson_Count(primitive->targets); t++)
        if (snJson_Member(json, snJson_At(json, primitive->targets, t), "NORMAL")) return true;
    for (int t = 0; t < mesh->targetCount && mesh->normals; t++)
        if (mesh->normals[primitive->number * mesh->targetCount + t]) return true;
    return false;
}

static void fillExistingNormals(Primitive *primitive)
{
    snSoftWriter *writer = primitive->writer;
    const snJson *json = &writer->document.json;
    for (int t = 0; t < snJson_Count(primitive->targets); t++) {
        const snJsonNode *target = snJson_At(json, primitive->targets, t);
        if (snJson_Member(json, target, "NORMAL")) continue;
        char text[16];
        int length = snprintf(text, sizeof text, "%d", putOffsets(primitive, NULL, 0));
        snJsonEdit_Put(&writer->edit, snJsonEdit_Spot(json, target), "NORMAL", text,
                       (size_t)length);
    }
}

static void addTarget(Primitive *primitive, snJsonSpot list, int t, bool normals)
{
    const snSoftMesh *mesh = primitive->mesh;
    int at = primitive->number * mesh->targetCount + t;
    char text[64];
    int position = putOffsets(primitive, mesh->positions[at], SN_GLB_BOUNDS);
    int length;
    if (normals) {
        int normal = putOffsets(primitive, mesh->normals ? mesh->normals[at] : NULL, 0);
        length = snprintf(text, sizeof text, "{\"POSITION\":%d,\"NORMAL\":%d}", position, normal);
    } else {
        length = snprintf(text, sizeof text, "{\"POSITION\":%d}", position);
    }
    snJsonEdit_Append(&primitive->writer->edit, list, text, (size_t)length);
}

static snStatus addToPrimitive(snSoftWriter *writer, const snSoftMesh *mesh,
                               const snJsonNode *object, int number)
{
    const snJson *json = &writer->document.json;
    const snJsonNode *position =
        snJson_Member(json, snJson_Member(json, object, "attributes"), "POSITION");
    if (!position) return SN_OK; // nothing there that could move
    snGltfAccessor accessor;
    snStatus status = snGltf_OpenAccessor(&writer->document, position, &accessor, writer->error);
    if (status || accessor.count == 0) return status;
    Primitive primitive = {.writer = writer,
                           .mesh = mesh,
                           .primitive = object,
                           .targets = snJson_Member(json, object, "targets"),
                           .number = number,
                           .vertexCount = accessor.count,
                           .zeros = -1};
    bool normals = wantsNormals(&primitive);
    if (normals) fillExistingNormals(&primitive);
    snJsonSpot list =
        snJsonEdit_Open(&writer->edit, snJsonEdit_Spot(json, object), "targets", SN_JSON_ARRAY);
    for (int t = 0; t < mesh->targetCount; t++)
        addTarget(&primitive, list, t, normals);
    return SN_OK;
}

// ---- default weights ----

// The 'weights' of a mesh or node: zeros up to the new count. Nodes without weights use the mesh's.
static void extendWeights(snSoftWriter *writer, const snJsonNode *object, int count, bool make)
{
    const snJson *json = &writer->document.json;
    int present = snJson_Count(snJson_Member(json, object, "weights"));
    if (!make && !snJson_Member(json, object, "weights")) return;
    snJsonSpot list =
        snJsonEdit_Open(&writer->edit, snJsonEdit_Spot(json, object), "weights", SN_JSON_ARRAY);
    for (int i = present; i < count; i++)
        snJsonEdit_Append(&writer->edit, list, "0", 1);
}

// ---- names ----

// 12 for the JSON string "soft12", -1 for other values.
static int numberOfName(const char *text, int length)
{
    int number = 0;
    if (length < 7 || length > 14 || memcmp(text, "\"soft", 5)) return -1;
    for (int i = 5; i < length - 1; i++) {
        if (text[i] < '0' || text[i] > '9') return -1;
        number = 10 * number + (text[i] - '0');
    }
    return number;
}

// One more than the highest number n of names like "soft<n>", so that a second bake does not
// repeat the first one's names.
static int firstFreeNumber(snSoftWriter *writer, const snJsonNode *names)
{
    const snJson *json = &writer->document.json;
    int free = 0;
    for (int i = 0; i < snJson_Count(names); i++) {
        const snJsonNode *name = snJson_At(json, names, i);
        int number = numberOfName(json->text + name->start, name->end - name->start);
        if (number >= free) free = number + 1;
    }
    return free;
}

static void extendNames(snSoftWriter *writer, const snJsonNode *object, int existing, int added)
{
    const snJson *json = &writer->document.json;
    const snJsonNode *extras = snJson_Member(json, object, "extras");
    const snJsonNode *names = snJson_Member(json, extras, "targetNames");
    if (extras && extras->kind != SN_JSON_OBJECT) return; // somebody's own data: leave them alone
    if (names && (names->kind != SN_JSON_ARRAY || names->childCount > existing)) return;
    int number = firstFreeNumber(writer, names);
    snJsonEdit *edit = &writer->edit;
    snJsonSpot spot =
        snJsonEdit_Open(edit, snJsonEdit_Spot(json, object), "extras", SN_JSON_OBJECT);
    snJsonSpot list = snJsonEdit_Open(edit, spot, "targetNames", SN_JSON_ARRAY);
    for (int i = snJson_Count(names); i < existing + added; i++) {
        char text[32];
        int length = i < existing
                         ? snprintf(text, sizeof text, "\"target%d\"", i)
                         : snprintf(text, sizeof text, "\"soft%d\"", number + i - existing);
        snJsonEdit_Append(edit, list, text, (size_t)length);
    }
}

snStatus snSoft_AddTargets(snSoftWriter *writer, int soft)
{
    const snJson *json = &writer->document.json;
    const snSoftMesh *mesh = &writer->meshes[soft];
    const snJsonNode *object = snJson_At(json, writer->document.meshes, mesh->mesh);
    const snJsonNode *list = snJson_Member(json, object, "primitives");
    int existing = writer->existing[soft], total = existing + mesh->targetCount;
    snStatus status = SN_OK;
    for (int p = 0; p < mesh->primitiveCount && !status; p++)
        status = addToPrimitive(writer, mesh, snJson_At(json, list, p), p);
    if (status) return status;
    extendWeights(writer, object, total, true);
    for (int n = 0; n < snJson_Count(writer->document.nodes); n++)
        if (writer->softOfNode[n] == soft)
            extendWeights(writer, snJson_At(json, writer->document.nodes, n), total, false);
    extendNames(writer, object, existing, mesh->targetCount);
    return SN_OK;
}
