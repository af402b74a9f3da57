#include "cli/skeleton_file.h"

#include "asset/json_reader.h"
#include "asset/json_write.h"
#include "cli/options.h"

#include <float.h>
#include <stdlib.h>

#define FARTHEST_OUTSIDE 0.1 // of the surface's size, the diagonal of its box

// What the reader's parts have besides.
typedef struct Reading {
    snRigPlan *plan;
    const snSolid *solid;
} Reading;

static const Reading *readingOf(const snReader *r)
{
    return r->own;
}

// ---- reading ----

// Of a call that tells what is wrong without a place.
static void take(snReader *r, const snJsonNode *node, snStatus status, const snError *why)
{
    if (status && !r->status)
        r->status = snJson_Fail(r->json, node, r->error, status, "%s", why->message);
}

static snVec3 readVector(snReader *r, const snJsonNode *object, const char *key)
{
    double v[3] = {0, 0, 0};
    snReader_Require(r, object, key);
    snReader_ValuesIn(r, snJson_Member(r->json, object, key), 3, -DBL_MAX, DBL_MAX, v);
    return snVec(v[0], v[1], v[2]);
}

static snVec3 readRay(snReader *r, const snJsonNode *ray)
{
    static const char *const keys[] = {"origin", "direction"};
    const snSolid *solid = readingOf(r)->solid;
    snVec3 at = {0, 0, 0};
    snError why = {0};
    if (!solid && !r->status)
        r->status = snJson_Fail(r->json, ray, r->error, SN_ERROR_UNSUPPORTED,
                                "there is no surface for a ray to go through; give 'at' instead");
    snReader_Keys(r, ray, keys, 2);
    snVec3 origin = readVector(r, ray, "origin"), direction = readVector(r, ray, "direction");
    if (!r->status) take(r, ray, snPlaceByRay(&at, solid, origin, direction, &why), &why);
    return at;
}

static snVec3 readPlace(snReader *r, const snJsonNode *joint)
{
    const snJsonNode *ray = snReader_Object(r, joint, "ray");
    bool hasPlace = snJson_Member(r->json, joint, "at") != NULL;
    if (hasPlace == (ray != NULL))
        snReader_Fail(r, joint, "a joint needs either 'at' or 'ray'%s", ray ? ", not both" : "");
    return ray ? readRay(r, ray) : readVector(r, joint, "at");
}

// A joint that is a little outside (an eye, a tip, a root between the feet) still leads what is near
// it. One that is farther off belongs to another surface, other units or other axes.
static void checkPlace(snReader *r, const snJsonNode *joint, const char *name, snVec3 at)
{
    const snSolid *solid = readingOf(r)->solid;
    if (!solid || r->status) return;
    double outside = -snSolid_Depth(solid, at);
    if (outside <= FARTHEST_OUTSIDE * solid->size) return; // false for what is not a number
    double height = solid->bounds.upper.y - solid->bounds.lower.y;
    bool flat = height < 1e-3 * solid->size;
    r->status =
        snJson_Fail(r->json, joint, r->error, SN_ERROR_GEOMETRY,
                    "joint '%.60s' is outside the surface by %.3g times its %s; move it inside "
                    "(the file's units and axes must be those of the surface), or give a 'ray' "
                    "through the flesh where it shall be",
                    name, outside / (flat ? solid->size : height), flat ? "size" : "height");
}

static void readJoint(snReader *r, const snJsonNode *joint)
{
    static const char *const keys[] = {"name", "at", "ray"};
    const char *name = NULL;
    snError why = {0};
    if (joint->kind != SN_JSON_OBJECT)
        snReader_Fail(r, joint, "a joint is an object with 'name' and 'at' or 'ray'");
    snReader_Keys(r, joint, keys, 3);
    snReader_Require(r, joint, "name");
    snReader_Text(r, joint, "name", &name);
    snVec3 at = readPlace(r, joint);
    checkPlace(r, joint, name, at);
    if (!r->status)
        take(r, joint, snRigPlan_AddJoint(readingOf(r)->plan, name, at, NULL, &why), &why);
}

static const char *jointAt(const void *plan, int j)
{
    return ((const snRigPlan *)plan)->joints.data[j].name;
}

static int readJointName(snReader *r, const snJsonNode *node)
{
    const snRigPlan *plan = readingOf(r)->plan;
    const snNames names = {plan->joints.count, jointAt, plan};
    const char *name = snReader_TextOf(r, node);
    int joint = r->status ? 0 : snNames_Find(&names, name);
    if (joint >= 0) return joint;
    snReader_Fail(r, node, "there is no joint '%.60s'%s", name,
                  snHint_Of("'", snNames_Suggest(&names, name), "'").text);
    return 0;
}

static void readBone(snReader *r, const snJsonNode *bone)
{
    snError why = {0};
    if (bone->kind != SN_JSON_ARRAY || snJson_Count(bone) != 2)
        snReader_Fail(r, bone, "a bone is a pair of joints' names");
    if (r->status) return;
    int a = readJointName(r, snJson_At(r->json, bone, 0));
    int b = readJointName(r, snJson_At(r->json, bone, 1));
    if (!r->status) take(r, bone, snRigPlan_Connect(readingOf(r)->plan, a, b, &why), &why);
}

static void readList(snReader *r, const char *key,
                     void (*readOne)(snReader *r, const snJsonNode *node))
{
    snReader_Require(r, r->json->root, key);
    const snJsonNode *list = snReader_List(r, r->json->root, key);
    for (int i = 0; i < snJson_Count(list) && !r->status; i++)
        readOne(r, snJson_At(r->json, list, i));
}

static void readAll(snReader *r)
{
    static const char *const keys[] = {"joints", "bones", "root"};
    const snJsonNode *root = r->json->root;
    if (root->kind != SN_JSON_OBJECT)
        snReader_Fail(r, root, "a skeleton is an object with 'joints' and 'bones'");
    snReader_Keys(r, root, keys, 3);
    readList(r, "joints", readJoint);
    readList(r, "bones", readBone);
    const snJsonNode *name = snJson_Member(r->json, root, "root");
    if (name && !r->status) readingOf(r)->plan->root = readJointName(r, name);
}

snStatus snSkeletonFile_Read(snRigPlan *plan, const char *text, size_t size, const snSolid *solid,
                             snError *error)
{
    snContext context = {.allocator = plan->arena.allocator};
    snArena scratch = snMakeArena(&context);
    Reading own = {plan, solid};
    snJson json;
    snReader r = {&json, &scratch, &context, &own, SN_OK, error};
    snReader_Parse(&r, &json, text, size, &scratch);
    if (!r.status) readAll(&r);
    snArena_Destroy(&scratch);
    return r.status;
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
