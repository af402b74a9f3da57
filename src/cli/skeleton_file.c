#include "cli/skeleton_file.h"

#include "asset/json.h"
#include "asset/json_write.h"
#include "cli/options.h"

#include <stdlib.h>

#define FARTHEST_OUTSIDE 0.1 // of the surface's size, the diagonal of its box

typedef struct Reader {
    snRigPlan *plan;
    const snSolid *solid;
    snJson json;
    snArena arena;
    snError *error;
} Reader;

// ---- reading ----

static snStatus readVector(Reader *reader, const snJsonNode *object, const char *key, snVec3 *out)
{
    double v[3] = {0, 0, 0};
    snStatus status = snJson_Require(&reader->json, object, key, reader->error);
    if (!status) status = snJson_ReadDoubles(&reader->json, object, key, 3, v, reader->error);
    *out = snVec(v[0], v[1], v[2]);
    return status;
}

static snStatus readRay(Reader *reader, const snJsonNode *ray, snVec3 *at)
{
    static const char *const keys[] = {"origin", "direction"};
    snVec3 origin, direction;
    snError error = {0};
    if (!reader->solid)
        return snJson_Fail(&reader->json, ray, reader->error, SN_ERROR_UNSUPPORTED,
                           "there is no surface for a ray to go through; give 'at' instead");
    snStatus status = snJson_CheckKeys(&reader->json, ray, keys, 2, reader->error);
    if (!status) status = readVector(reader, ray, "origin", &origin);
    if (!status) status = readVector(reader, ray, "direction", &direction);
    if (status) return status;
    status = snPlaceByRay(at, reader->solid, origin, direction, &error);
    if (!status) return SN_OK;
    return snJson_Fail(&reader->json, ray, reader->error, status, "%s", error.message);
}

static snStatus readPlace(Reader *reader, const snJsonNode *joint, snVec3 *at)
{
    const snJsonNode *ray;
    bool hasPlace = snJson_Member(&reader->json, joint, "at") != NULL;
    snStatus status =
        snJson_ReadNode(&reader->json, joint, "ray", SN_JSON_OBJECT, &ray, reader->error);
    if (status) return status;
    if (hasPlace == (ray != NULL))
        return snJson_Fail(&reader->json, joint, reader->error, SN_ERROR_FORMAT,
                           "a joint needs either 'at' or 'ray'%s", ray ? ", not both" : "");
    return ray ? readRay(reader, ray, at) : readVector(reader, joint, "at", at);
}

// A joint that is a little outside (an eye, a tip, a root between the feet) still leads what is near
// it. One that is farther off belongs to another surface, other units or other axes.
static snStatus checkPlace(Reader *reader, const snJsonNode *joint, const char *name, snVec3 at)
{
    const snSolid *solid = reader->solid;
    if (!solid) return SN_OK;
    double outside = -snSolid_Depth(solid, at);
    if (outside <= FARTHEST_OUTSIDE * solid->size) return SN_OK; // false for what is not a number
    double height = solid->bounds.upper.y - solid->bounds.lower.y;
    bool flat = height < 1e-3 * solid->size;
    return snJson_Fail(&reader->json, joint, reader->error, SN_ERROR_GEOMETRY,
                       "joint '%.60s' is outside the surface by %.3g times its %s; move it inside "
                       "(the file's units and axes must be those of the surface), or give a 'ray' "
                       "through the flesh where it shall be",
                       name, outside / (flat ? solid->size : height), flat ? "size" : "height");
}

static snStatus readJoint(Reader *reader, const snJsonNode *joint)
{
    static const char *const keys[] = {"name", "at", "ray"};
    const char *name = NULL;
    snVec3 at;
    snError error = {0};
    if (joint->kind != SN_JSON_OBJECT)
        return snJson_Fail(&reader->json, joint, reader->error, SN_ERROR_FORMAT,
                           "a joint is an object with 'name' and 'at' or 'ray'");
    snStatus status = snJson_CheckKeys(&reader->json, joint, keys, 3, reader->error);
    if (!status) status = snJson_Require(&reader->json, joint, "name", reader->error);
    if (!status)
        status =
            snJson_ReadString(&reader->json, joint, "name", &reader->arena, &name, reader->error);
    if (!status) status = readPlace(reader, joint, &at);
    if (!status) status = checkPlace(reader, joint, name, at);
    if (status) return status;
    status = snRigPlan_AddJoint(reader->plan, name, at, NULL, &error);
    if (!status) return SN_OK;
    return snJson_Fail(&reader->json, joint, reader->error, status, "%s", error.message);
}

static const char *jointAt(const void *plan, int j)
{
    return ((const snRigPlan *)plan)->joints.data[j].name;
}

static snStatus unknownJoint(Reader *reader, const snJsonNode *node, const char *name)
{
    const snNames names = {reader->plan->joints.count, jointAt, reader->plan};
    return snJson_Fail(&reader->json, node, reader->error, SN_ERROR_FORMAT,
                       "there is no joint '%.60s'%s", name,
                       snHint_Of("'", snNames_Suggest(&names, name), "'").text);
}

static snStatus findJoint(Reader *reader, const snJsonNode *node, int *joint)
{
    const char *name;
    snStatus status = snJson_AsString(&reader->json, node, &reader->arena, &name, reader->error);
    if (status) return status;
    *joint = snRigPlan_Find(reader->plan, name);
    return *joint >= 0 ? SN_OK : unknownJoint(reader, node, name);
}

static snStatus readBone(Reader *reader, const snJsonNode *bone)
{
    int a, b;
    snError error = {0};
    if (bone->kind != SN_JSON_ARRAY || snJson_Count(bone) != 2)
        return snJson_Fail(&reader->json, bone, reader->error, SN_ERROR_FORMAT,
                           "a bone is a pair of joints' names");
    snStatus status = findJoint(reader, snJson_At(&reader->json, bone, 0), &a);
    if (!status) status = findJoint(reader, snJson_At(&reader->json, bone, 1), &b);
    if (status) return status;
    status = snRigPlan_Connect(reader->plan, a, b, &error);
    if (!status) return SN_OK;
    return snJson_Fail(&reader->json, bone, reader->error, status, "%s", error.message);
}

static snStatus readList(Reader *reader, const char *key,
                         snStatus (*readOne)(Reader *reader, const snJsonNode *node))
{
    const snJsonNode *list, *root = reader->json.root;
    snStatus status = snJson_Require(&reader->json, root, key, reader->error);
    if (!status)
        status = snJson_ReadNode(&reader->json, root, key, SN_JSON_ARRAY, &list, reader->error);
    for (int i = 0; !status && i < snJson_Count(list); i++)
        status = readOne(reader, snJson_At(&reader->json, list, i));
    return status;
}

static snStatus readAll(Reader *reader)
{
    static const char *const keys[] = {"joints", "bones", "root"};
    const snJsonNode *root = reader->json.root;
    if (root->kind != SN_JSON_OBJECT)
        return snJson_Fail(&reader->json, root, reader->error, SN_ERROR_FORMAT,
                           "a skeleton is an object with 'joints' and 'bones'");
    snStatus status = snJson_CheckKeys(&reader->json, root, keys, 3, reader->error);
    if (!status) status = readList(reader, "joints", readJoint);
    if (!status) status = readList(reader, "bones", readBone);
    const snJsonNode *name = snJson_Member(&reader->json, root, "root");
    if (!status && name) status = findJoint(reader, name, &reader->plan->root);
    return status;
}

snStatus snSkeletonFile_Read(snRigPlan *plan, const char *text, size_t size, const snSolid *solid,
                             snError *error)
{
    snContext context = {.allocator = plan->arena.allocator};
    Reader reader = {.plan = plan, .solid = solid, .arena = snMakeArena(&context), .error = error};
    snStatus status = snJson_Parse(&reader.json, text, size, &reader.arena, error);
    if (!status) status = snJson_CheckUnique(&reader.json, &reader.arena, error);
    if (!status) status = readAll(&reader);
    snArena_Destroy(&reader.arena);
    return status;
}

// ---- writing ----

// 10^k such that extent 10^k is about a hundred thousand.
static double roundingScale(double extent)
{
    double scale = 1.0;
    while (extent * scale < 1e5 && scale < 1e30)
        scale *= 10.0;
    while (extent * scale >= 1e6 && scale > 1e-30)
        scale /= 10.0;
    return scale;
}

static double roundTo(double x, double scale)
{
    double rounded = floor(x * scale + 0.5) / scale;
    return rounded == 0.0 ? 0.0 : rounded; // no minus zero
}

snStatus snSkeletonFile_Write(const snRigPlan *plan, double extent, snBytes *out, snError *error)
{
    snJsonWriter w = snMakeJsonWriter(out, true);
    double scale = roundingScale(extent);
    snJsonWriter_BeginObject(&w);
    snJsonWriter_Key(&w, "joints");
    snJsonWriter_BeginArray(&w);
    for (int j = 0; j < plan->joints.count; j++) {
        snVec3 at = plan->joints.data[j].at;
        double place[3] = {roundTo(at.x, scale), roundTo(at.y, scale), roundTo(at.z, scale)};
        snJsonWriter_BeginObject(&w);
        snJsonWriter_PutString(&w, "name", plan->joints.data[j].name);
        snJsonWriter_PutDoubles(&w, "at", place, 3);
        snJsonWriter_EndObject(&w);
    }
    snJsonWriter_EndArray(&w);
    snJsonWriter_Key(&w, "bones");
    snJsonWriter_BeginArray(&w);
    for (int b = 0; b < plan->bones.count; b++) {
        snJsonWriter_BeginLine(&w);
        snJsonWriter_String(&w, plan->joints.data[plan->bones.data[b].a].name);
        snJsonWriter_String(&w, plan->joints.data[plan->bones.data[b].b].name);
        snJsonWriter_EndArray(&w);
    }
    snJsonWriter_EndArray(&w);
    if (plan->joints.count > 0)
        snJsonWriter_PutString(&w, "root", plan->joints.data[plan->root].name);
    snJsonWriter_EndObject(&w);
    snBytes_AppendByte(out, '\n');
    return snBytes_Check(out, error);
}
