#include "body/coat/coat_file.h"

#include "asset/json_reader.h"

#include <float.h>
#include <string.h>

const char *const snSplineWords[SN_SPLINE_KINDS] = {"b", "beta", "kochanek-bartels"};
static const char *const modeWords[] = {"nothing", "geometric", "intuitive"};

// ---- reading ------------------------------------------------------------------------------------------

// What the reader's parts have besides.
typedef struct Reading {
    snCoatFile *file;
    snCoatDef def;
} Reading;

static Reading *readingOf(const snReader *r)
{
    return r->own;
}

static void number(snReader *r, const snJsonNode *object, const char *key, double low, double high,
                   double *out)
{
    const snJsonNode *node = snJson_Member(r->json, object, key);
    double value = *out;
    snReader_ValueIn(r, node, -DBL_MAX, DBL_MAX, &value);
    if (node && !(value >= low && value <= high))
        snReader_Fail(r, node, "%g; it must be from %g to %g", value, low, high);
    if (!r->status) *out = value;
}

static void readNumbers(snReader *r, const snJsonNode *object, const char *key, int count,
                        double *out)
{
    snReader_ValuesIn(r, snJson_Member(r->json, object, key), count, -DBL_MAX, DBL_MAX, out);
}

static void word(snReader *r, const snJsonNode *object, const char *key, const char *const *words,
                 int count, int *out)
{
    const snJsonNode *node = snJson_Member(r->json, object, key);
    const snNames names = snNames_OfList(words, count);
    if (node) *out = snReader_FindName(r, node, "", snReader_TextOf(r, node), &names);
}

// ---- skeletons ----------------------------------------------------------------------------------------

static const char *jointAt(const void *skeleton, int j)
{
    return ((const snSkeleton *)skeleton)->joints[j].name;
}

// One of the first `known` joints.
static void readJointName(snReader *r, const snJsonNode *object, const char *key, int known,
                          int *out)
{
    const snJsonNode *node = snJson_Member(r->json, object, key);
    const snNames names = {known, jointAt, &readingOf(r)->file->skeleton};
    if (node) *out = snReader_FindName(r, node, "joint", snReader_TextOf(r, node), &names);
}

// Of length 1 it stays as it is, to the bit.
static void readRotation(snReader *r, const snJsonNode *object, const char *key, snQuat *out)
{
    const snJsonNode *node = snJson_Member(r->json, object, key);
    snQuat q = *out;
    snReader_QuatOf(r, node, &q);
    double length = sqrt(snDotQ(q, q));
    if (!(length < 1e6)) snReader_Fail(r, node, "is no rotation; its length must be 1");
    if (!r->status) *out = fabs(length - 1) < 1e-9 ? q : snNormalizeQ(q);
}

static void readJoint(snReader *r, const snJsonNode *node, int j)
{
    static const char *const keys[] = {"name", "parent", "at", "rotation"};
    const snNames before = {j, jointAt, &readingOf(r)->file->skeleton};
    snJoint *joint = &readingOf(r)->file->skeleton.joints[j];
    double at[3] = {0, 0, 0};
    *joint = (snJoint){.parent = -1, .rest = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
    snReader_Keys(r, node, keys, 4);
    snReader_Require(r, node, "name");
    snReader_Text(r, node, "name", &joint->name);
    if (!r->status && snNames_Find(&before, joint->name) >= 0)
        snReader_Fail(r, node, "there is another joint \"%.60s\" before it", joint->name);
    readJointName(r, node, "parent", j, &joint->parent);
    snReader_Require(r, node, "at");
    readNumbers(r, node, "at", 3, at);
    joint->rest.translation = snVec(at[0], at[1], at[2]);
    readRotation(r, node, "rotation", &joint->rest.rotation);
}

static void readSkeleton(snReader *r)
{
    snReader_Require(r, r->json->root, "skeleton");
    const snJsonNode *list = snReader_List(r, r->json->root, "skeleton");
    if (!list) return;
    snSkeleton *s = &readingOf(r)->file->skeleton;
    s->joints = SN_NEW(r->arena, snJoint, snJson_Count(list));
    if (!s->joints) {
        snReader_Take(r, snFailMemory(r->error));
        return;
    }
    for (int j = 0; j < snJson_Count(list) && !r->status; j++) {
        readJoint(r, snJson_At(r->json, list, j), j);
        s->jointCount = j + 1;
    }
}

static void readMedian(snReader *r)
{
    const snJsonNode *list = snReader_Object(r, r->json->root, "median");
    const snSkeleton *s = &readingOf(r)->file->skeleton;
    if (r->status || !list) return;
    snQuat *turns = SN_NEW(r->arena, snQuat, s->jointCount);
    const char **names = SN_NEW(r->arena, const char *, s->jointCount);
    if (!turns || !names) {
        snReader_Take(r, snFailMemory(r->error));
        return;
    }
    for (int j = 0; j < s->jointCount; j++) {
        turns[j] = s->joints[j].rest.rotation;
        names[j] = s->joints[j].name;
    }
    snReader_Keys(r, list, names, s->jointCount);
    for (int j = 0; j < s->jointCount; j++)
        readRotation(r, list, names[j], &turns[j]);
    readingOf(r)->def.median = turns;
}

// ---- flesh and skin ---------------------------------------------------------------------------------

static void readPropagation(snReader *r, const snJsonNode *node, snPropagation *p)
{
    static const char *const keys[] = {"mode", "area", "share", "direction"};
    int mode = (int)p->mode;
    if (!node) return;
    snReader_Keys(r, node, keys, 4);
    word(r, node, "mode", modeWords, 3, &mode);
    number(r, node, "area", 0, 1, &p->area);
    number(r, node, "share", -0.999, 0.999, &p->share);
    number(r, node, "direction", 0, 1, &p->direction);
    p->mode = (snPropagationMode)mode;
}

static void readFlesh(snReader *r, const snJsonNode *node, snCoatFlesh *f)
{
    static const char *const keys[] = {"young",   "density",     "damping",   "reach",
                                       "printed", "propagation", "plasticity"};
    static const char *const plastic[] = {"yield", "flow", "most"};
    if (!node) return;
    snReader_Keys(r, node, keys, 7);
    number(r, node, "young", 1e-3, 1e12, &f->young);
    number(r, node, "density", 1e-3, 1e6, &f->density);
    number(r, node, "damping", 0, 1e3, &f->damping);
    snReader_Int(r, node, "reach", 1, 100, &f->reach);
    snReader_Bool(r, node, "printed", &f->printed);
    readPropagation(r, snReader_Object(r, node, "propagation"), &f->propagation);
    const snJsonNode *p = snReader_Object(r, node, "plasticity");
    if (!p) return;
    snReader_Keys(r, p, plastic, 3);
    number(r, p, "yield", 0, 1, &f->plasticity.yield);
    number(r, p, "flow", 0, 1e6, &f->plasticity.flow);
    number(r, p, "most", 0, 0.9, &f->plasticity.most);
}

static void readSkin(snReader *r)
{
    static const char *const keys[] = {"along",   "round",      "spline", "tension",
                                       "bias",    "continuity", "fine",   "thickness",
                                       "spacing", "bulge",      "spread"};
    const snJsonNode *node = snReader_Object(r, r->json->root, "skin");
    snCoatDef *def = &readingOf(r)->def;
    double fine[2] = {def->fineAlong, def->fineAcross};
    int kind = (int)def->spline.kind;
    if (!node) return;
    snReader_Keys(r, node, keys, 11);
    snReader_Int(r, node, "along", 2, 1000, &def->along);
    snReader_Int(r, node, "round", 3, 1000, &def->round);
    word(r, node, "spline", snSplineWords, SN_SPLINE_KINDS, &kind);
    def->spline = snDefaultSplineShape((snSplineKind)kind);
    number(r, node, "tension", -1, 100, &def->spline.tension);
    number(r, node, "bias", -1, 100, &def->spline.bias);
    number(r, node, "continuity", -1, 1, &def->spline.continuity);
    readNumbers(r, node, "fine", 2, fine);
    if (!r->status && !(fine[0] >= 1 && fine[1] >= 1 && fine[0] <= 100 && fine[1] <= 100))
        snReader_Fail(r, snJson_Member(r->json, node, "fine"), "both must be from 1 to 100");
    if (!r->status) def->fineAlong = (int)fine[0], def->fineAcross = (int)fine[1];
    number(r, node, "thickness", 0.01, 100, &def->thickness);
    number(r, node, "spacing", 0, 10, &def->spacing);
    number(r, node, "bulge", -0.8, 5, &def->bulge);
    number(r, node, "spread", -1, 1, &def->spread);
}

// ---- links ------------------------------------------------------------------------------------------

static void readLengths(snReader *r, const snJsonNode *node, snCoatLinkDef *link)
{
    const snJsonNode *list = snReader_List(r, node, "lengths");
    int n = link->along * readingOf(r)->def.round + 2;
    if (!list) return;
    double *lengths = SN_NEW(r->arena, double, n);
    if (!lengths) {
        snReader_Take(r, snFailMemory(r->error));
        return;
    }
    readNumbers(r, node, "lengths", n, lengths);
    for (int i = 0; i < n && !r->status; i++)
        if (!(lengths[i] > 0))
            snReader_Fail(r, snJson_At(r->json, list, i), "a length must be above 0");
    link->lengths = lengths;
}

static void readLink(snReader *r, const snJsonNode *node, snCoatLinkDef *link)
{
    static const char *const keys[] = {"joint", "child", "chain",  "width",  "depth",
                                       "side",  "bulge", "spread", "span",   "caps",
                                       "along", "bare",  "flesh",  "lengths"};
    const snCoatDef *def = &readingOf(r)->def;
    int n = readingOf(r)->file->skeleton.jointCount;
    double side[3] = {0, 0, 0}, span[2] = {0, 1};
    *link = (snCoatLinkDef){.along = def->along, .bulge = def->bulge, .flesh = def->flesh};
    link->spread = def->spread < 0 ? 0.5 : def->spread;
    snReader_Keys(r, node, keys, 14);
    static const char *const needed[] = {"joint", "child", "chain", "width", "depth"};
    for (int k = 0; k < 5 && !r->status; k++)
        snReader_Require(r, node, needed[k]);
    readJointName(r, node, "joint", n, &link->joint);
    readJointName(r, node, "child", n, &link->child);
    snReader_Int(r, node, "chain", 0, 100000, &link->chain);
    readNumbers(r, node, "width", 2, link->width);
    readNumbers(r, node, "depth", 2, link->depth);
    readNumbers(r, node, "side", 3, side);
    number(r, node, "bulge", -0.8, 5, &link->bulge);
    number(r, node, "spread", 0, 1, &link->spread);
    readNumbers(r, node, "span", 2, span);
    readNumbers(r, node, "caps", 2, link->caps);
    snReader_Int(r, node, "along", 2, 1000, &link->along);
    snReader_Bool(r, node, "bare", &link->bare);
    readFlesh(r, snReader_Object(r, node, "flesh"), &link->flesh);
    readLengths(r, node, link);
    link->side = snVec(side[0], side[1], side[2]);
    link->from = span[0], link->to = span[1];
}

static void readLinks(snReader *r)
{
    Reading *own = readingOf(r);
    snCoatPlan *plan = &own->file->plan;
    const snJsonNode *list = snReader_List(r, r->json->root, "links");
    if (r->status) return;
    snReader_Take(r, snCoatPlan_Propose(plan, &own->file->skeleton, &own->def, r->arena, r->error));
    if (r->status || !list) return;
    plan->linkCount = snJson_Count(list);
    plan->links = SN_NEW(r->arena, snCoatLinkDef, plan->linkCount);
    if (!plan->links) snReader_Take(r, snFailMemory(r->error));
    for (int k = 0; k < plan->linkCount && !r->status; k++)
        readLink(r, snJson_At(r->json, list, k), &plan->links[k]);
    if (!r->status) snReader_Take(r, snCoatPlan_Check(plan, r->error));
}

static void readAll(snReader *r)
{
    static const char *const keys[] = {"sinew", "version", "skeleton", "median",
                                       "skin",  "flesh",   "links"};
    const snJsonNode *root = r->json->root;
    int version = SN_COAT_VERSION;
    if (!r->status && !snJson_IsText(r->json, snJson_Member(r->json, root, "sinew"), "coat"))
        snReader_Fail(r, root, "is no coat document: it begins with \"sinew\": \"coat\"");
    snReader_Keys(r, root, keys, 7);
    snReader_Int(r, root, "version", 1, SN_COAT_VERSION, &version);
    readSkeleton(r);
    readMedian(r);
    readSkin(r);
    readFlesh(r, snReader_Object(r, root, "flesh"), &readingOf(r)->def.flesh);
    readLinks(r);
}

snStatus snCoatFile_Read(snCoatFile *file, const char *bytes, size_t size, const snContext *context,
                         snError *error)
{
    Reading own = {file, snDefaultCoatDef()};
    snArena scratch = snMakeArena(context);
    snJson json;
    *file = (snCoatFile){.arena = snMakeArena(context)};
    snReader r = {&json, &file->arena, context, &own, SN_OK, error};
    snReader_Parse(&r, &json, bytes, size, &scratch);
    if (!r.status) readAll(&r);
    snArena_Destroy(&scratch);
    if (r.status) snCoatFile_Destroy(file);
    return r.status;
}

void snCoatFile_Destroy(snCoatFile *file)
{
    snArena_Destroy(&file->arena);
}

bool snCoatFile_Is(const char *bytes, size_t size, const snContext *context)
{
    snArena scratch = snMakeArena(context);
    snJson json;
    bool is = !snJson_Parse(&json, bytes, size, &scratch, NULL) &&
              snJson_IsText(&json, snJson_Member(&json, json.root, "sinew"), "coat");
    snArena_Destroy(&scratch);
    return is;
}

// ---- writing ------------------------------------------------------------------------------------------

static void writeSkeleton(snJsonWriter *w, const snCoatPlan *plan)
{
    const snSkeleton *s = plan->skeleton;
    snJsonWriter_Key(w, "skeleton");
    snJsonWriter_BeginArray(w);
    for (int j = 0; j < s->jointCount; j++) {
        const snJoint *joint = &s->joints[j];
        const snQuat q = joint->rest.rotation;
        snJsonWriter_BeginObject(w);
        snJsonWriter_PutString(w, "name", joint->name);
        if (joint->parent >= 0) snJsonWriter_PutString(w, "parent", s->joints[joint->parent].name);
        snJsonWriter_PutDoubles(w, "at", &joint->rest.translation.x, 3);
        if (q.x != 0 || q.y != 0 || q.z != 0) snJsonWriter_PutDoubles(w, "rotation", &q.x, 4);
        snJsonWriter_EndObject(w);
    }
    snJsonWriter_EndArray(w);
}

// Rotations in the median pose that are not those at rest.
static void writeMedian(snJsonWriter *w, const snCoatPlan *plan)
{
    bool any = false;
    for (int j = 0; j < plan->skeleton->jointCount; j++) {
        const snJoint *joint = &plan->skeleton->joints[j];
        snQuat q = plan->turns[j], rest = joint->rest.rotation;
        if (q.x == rest.x && q.y == rest.y && q.z == rest.z && q.w == rest.w) continue;
        if (!any) {
            snJsonWriter_Key(w, "median");
            snJsonWriter_BeginObject(w);
        }
        any = true;
        snJsonWriter_PutDoubles(w, joint->name, &q.x, 4);
    }
    if (any) snJsonWriter_EndObject(w);
}

static void writeFlesh(snJsonWriter *w, const snCoatFlesh *f)
{
    snJsonWriter_Key(w, "flesh");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutDouble(w, "young", f->young);
    snJsonWriter_PutDouble(w, "density", f->density);
    snJsonWriter_PutDouble(w, "damping", f->damping);
    snJsonWriter_PutInt(w, "reach", f->reach);
    if (f->printed) snJsonWriter_PutBool(w, "printed", true);
    snJsonWriter_Key(w, "propagation");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutString(w, "mode", modeWords[f->propagation.mode]);
    snJsonWriter_PutDouble(w, "area", f->propagation.area);
    snJsonWriter_PutDouble(w, "share", f->propagation.share);
    snJsonWriter_PutDouble(w, "direction", f->propagation.direction);
    snJsonWriter_EndObject(w);
    snJsonWriter_Key(w, "plasticity");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutDouble(w, "yield", f->plasticity.yield);
    snJsonWriter_PutDouble(w, "flow", f->plasticity.flow);
    snJsonWriter_PutDouble(w, "most", f->plasticity.most);
    snJsonWriter_EndObject(w);
    snJsonWriter_EndObject(w);
}

static void writeSkin(snJsonWriter *w, const snCoatPlan *plan)
{
    double fine[2] = {plan->fineAlong, plan->fineAcross};
    snJsonWriter_Key(w, "skin");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutInt(w, "round", plan->round);
    snJsonWriter_PutString(w, "spline", snSplineWords[plan->spline.kind]);
    snJsonWriter_PutDouble(w, "tension", plan->spline.tension);
    snJsonWriter_PutDouble(w, "bias", plan->spline.bias);
    snJsonWriter_PutDouble(w, "continuity", plan->spline.continuity);
    snJsonWriter_PutDoubles(w, "fine", fine, 2);
    snJsonWriter_EndObject(w);
}

static bool sameFlesh(const snCoatFlesh *a, const snCoatFlesh *b)
{
    const snPropagation *p = &a->propagation, *q = &b->propagation;
    const snPlasticity *s = &a->plasticity, *t = &b->plasticity;
    return a->young == b->young && a->density == b->density && a->damping == b->damping &&
           a->reach == b->reach && a->printed == b->printed && p->mode == q->mode &&
           p->area == q->area && p->share == q->share && p->direction == q->direction &&
           s->yield == t->yield && s->flow == t->flow && s->most == t->most;
}

static void writeLink(snJsonWriter *w, const snCoatPlan *plan, const snCoatLinkDef *link)
{
    double span[2] = {link->from, link->to};
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutString(w, "joint", plan->skeleton->joints[link->joint].name);
    snJsonWriter_PutString(w, "child", plan->skeleton->joints[link->child].name);
    snJsonWriter_PutInt(w, "chain", link->chain);
    snJsonWriter_PutDoubles(w, "width", link->width, 2);
    snJsonWriter_PutDoubles(w, "depth", link->depth, 2);
    if (snLength(link->side) > 0) snJsonWriter_PutDoubles(w, "side", &link->side.x, 3);
    snJsonWriter_PutDouble(w, "bulge", link->bulge);
    snJsonWriter_PutDouble(w, "spread", link->spread);
    snJsonWriter_PutDoubles(w, "span", span, 2);
    snJsonWriter_PutDoubles(w, "caps", link->caps, 2);
    snJsonWriter_PutInt(w, "along", link->along);
    if (link->bare) snJsonWriter_PutBool(w, "bare", true);
    if (!sameFlesh(&link->flesh, &plan->links[0].flesh)) writeFlesh(w, &link->flesh);
    if (link->lengths)
        snJsonWriter_PutDoubles(w, "lengths", link->lengths, link->along * plan->round + 2);
    snJsonWriter_EndObject(w);
}

snStatus snCoatFile_Write(const snCoatPlan *plan, snBytes *bytes, snError *error)
{
    snJsonWriter w = snMakeJsonWriter(bytes, true);
    snJsonWriter_BeginObject(&w);
    snJsonWriter_PutString(&w, "sinew", "coat");
    snJsonWriter_PutInt(&w, "version", SN_COAT_VERSION);
    writeSkeleton(&w, plan);
    writeMedian(&w, plan);
    writeSkin(&w, plan);
    writeFlesh(&w, &plan->links[0].flesh);
    snJsonWriter_Key(&w, "links");
    snJsonWriter_BeginArray(&w);
    for (int k = 0; k < plan->linkCount; k++)
        writeLink(&w, plan, &plan->links[k]);
    snJsonWriter_EndArray(&w);
    snJsonWriter_EndObject(&w);
    snBytes_AppendByte(bytes, '\n');
    return snBytes_Check(bytes, error);
}
