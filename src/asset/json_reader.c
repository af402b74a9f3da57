#include "asset/json_reader.h"

#include "core/elementary.h"

#define ENDLESS 1e9 // from here on a range has no upper end that one would name

void snReader_Parse(snReader *r, snJson *json, const char *text, size_t size, snArena *scratch)
{
    r->json = json;
    if (!r->status) r->status = snJson_Parse(json, text, size, scratch, r->error);
    if (!r->status) r->status = snJson_CheckUnique(json, scratch, r->error);
}

void snReader_Take(snReader *r, snStatus status)
{
    if (!r->status) r->status = status;
}

void snReader_Keys(snReader *r, const snJsonNode *object, const char *const *keys, int count)
{
    if (r->status) return;
    if (object->kind != SN_JSON_OBJECT)
        snReader_Fail(r, object, "is %s; it must be an object", snJson_KindName(object->kind));
    else
        snReader_Take(r, snJson_CheckKeys(r->json, object, keys, count, r->error));
}

const snJsonNode *snReader_Need(snReader *r, const snJsonNode *object, const char *key)
{
    const snJsonNode *node = snJson_Member(r->json, object, key);
    if (!node) snReader_Fail(r, object, "\"%s\" is missing", key);
    return node;
}

void snReader_Require(snReader *r, const snJsonNode *object, const char *key)
{
    if (!r->status) snReader_Take(r, snJson_Require(r->json, object, key, r->error));
}

// ---- values -------------------------------------------------------------------------------------

static void takeInRange(snReader *r, const snJsonNode *node, double low, double high, double value,
                        double *out)
{
    if (r->status) return;
    if (value >= low && value <= high)
        *out = value;
    else if (value < low && high >= ENDLESS)
        snReader_Fail(r, node, "is %g; it must be %g or more", value, low);
    else
        snReader_Fail(r, node, "is %g; it must be from %g to %g", value, low, high);
}

void snReader_ValueIn(snReader *r, const snJsonNode *node, double low, double high, double *out)
{
    double value = 0;
    if (r->status || !node) return;
    snReader_Take(r, snJson_AsDouble(r->json, node, &value, r->error));
    takeInRange(r, node, low, high, value, out);
}

void snReader_Value(snReader *r, const snJsonNode *node, snRange range, double *out)
{
    const char *text = NULL;
    double value = 0;
    bool bare = true;
    if (r->status || !node) return;
    if (node->kind == SN_JSON_STRING) {
        const char *units = snQuantity_Units(range.quantity);
        snReader_Take(r, snJson_AsString(r->json, node, r->arena, &text, r->error));
        if (text && !snParseQuantity(text, range.quantity, &value, &bare))
            snReader_Fail(r, node, "\"%.40s\" is no number%s%s%s", text,
                          *units ? " with a unit (" : "", units, *units ? ")" : "");
    } else {
        snReader_Take(r, snJson_AsDouble(r->json, node, &value, r->error));
    }
    if (bare && range.quantity == SN_QUANTITY_ANGLE) value *= SN_PI / 180;
    takeInRange(r, node, range.low, range.high, value, out);
}

void snReader_IntOf(snReader *r, const snJsonNode *node, int low, int high, int *out)
{
    if (node && !r->status) snReader_Take(r, snJson_AsInt(r->json, node, low, high, out, r->error));
}

static void checkCount(snReader *r, const snJsonNode *node, int count)
{
    if (node->kind != SN_JSON_ARRAY || snJson_Count(node) != count)
        snReader_Fail(r, node, "must be a list of %d numbers", count);
}

void snReader_ValuesIn(snReader *r, const snJsonNode *node, int count, double low, double high,
                       double *out)
{
    if (r->status || !node) return;
    checkCount(r, node, count);
    for (int k = 0; k < count; k++)
        snReader_ValueIn(r, snJson_At(r->json, node, k), low, high, &out[k]);
}

void snReader_Values(snReader *r, const snJsonNode *node, int count, snQuantity quantity,
                     double *out)
{
    const snRange any = {-1e300, 1e300, quantity};
    if (r->status || !node) return;
    checkCount(r, node, count);
    for (int k = 0; k < count; k++)
        snReader_Value(r, snJson_At(r->json, node, k), any, &out[k]);
}

void snReader_VectorOf(snReader *r, const snJsonNode *node, snQuantity quantity, snVec3 *out)
{
    double v[3];
    if (!node || r->status) return;
    snReader_Values(r, node, 3, quantity, v);
    if (!r->status) *out = snVec(v[0], v[1], v[2]);
}

void snReader_QuatOf(snReader *r, const snJsonNode *node, snQuat *out)
{
    double q[4];
    if (!node || r->status) return;
    snReader_ValuesIn(r, node, 4, -1e300, 1e300, q);
    if (r->status) return;
    *out = (snQuat){q[0], q[1], q[2], q[3]};
    if (!(snDotQ(*out, *out) > 1e-12)) snReader_Fail(r, node, "is no rotation: it is zero");
}

const char *snReader_TextOf(snReader *r, const snJsonNode *node)
{
    const char *text = "";
    if (!r->status) snReader_Take(r, snJson_AsString(r->json, node, r->arena, &text, r->error));
    return r->status ? "" : text;
}

void snReader_WordOf(snReader *r, const snJsonNode *node, const char *const *words, int count,
                     int *out)
{
    if (r->status || !node) return;
    const char *text = snReader_TextOf(r, node);
    int found = r->status ? -1 : snFindWord(text, words, count);
    if (found >= 0)
        *out = found;
    else
        snReader_Fail(r, node, "is \"%.40s\"; it must be one of %s%s", text,
                      snListWords(words, count).text, snHint_Among(text, words, count).text);
}

// ---- members ------------------------------------------------------------------------------------

static const snJsonNode *member(snReader *r, const snJsonNode *object, const char *key,
                                snJsonKind kind)
{
    const snJsonNode *node = r->status ? NULL : snJson_Member(r->json, object, key);
    if (!node || node->kind == kind) return node;
    snReader_Fail(r, node, "is %s; it must be %s", snJson_KindName(node->kind),
                  snJson_KindName(kind));
    return NULL;
}

const snJsonNode *snReader_List(snReader *r, const snJsonNode *object, const char *key)
{
    return member(r, object, key, SN_JSON_ARRAY);
}

const snJsonNode *snReader_Object(snReader *r, const snJsonNode *object, const char *key)
{
    return member(r, object, key, SN_JSON_OBJECT);
}

void snReader_Number(snReader *r, const snJsonNode *object, const char *key, snRange range,
                     double *out)
{
    snReader_Value(r, snJson_Member(r->json, object, key), range, out);
}

void snReader_Int(snReader *r, const snJsonNode *object, const char *key, int low, int high,
                  int *out)
{
    snReader_IntOf(r, snJson_Member(r->json, object, key), low, high, out);
}

void snReader_Bool(snReader *r, const snJsonNode *object, const char *key, bool *out)
{
    if (!r->status) snReader_Take(r, snJson_ReadBool(r->json, object, key, out, r->error));
}

void snReader_Text(snReader *r, const snJsonNode *object, const char *key, const char **out)
{
    if (!r->status)
        snReader_Take(r, snJson_ReadString(r->json, object, key, r->arena, out, r->error));
}

void snReader_Word(snReader *r, const snJsonNode *object, const char *key, const char *const *words,
                   int count, int *out)
{
    snReader_WordOf(r, snJson_Member(r->json, object, key), words, count, out);
}

void snReader_Vector(snReader *r, const snJsonNode *object, const char *key, snQuantity quantity,
                     snVec3 *out)
{
    snReader_VectorOf(r, snJson_Member(r->json, object, key), quantity, out);
}

// ---- names --------------------------------------------------------------------------------------

int snReader_FindName(snReader *r, const snJsonNode *node, const char *what, const char *name,
                      const snNames *names)
{
    int found = r->status ? 0 : snNames_Find(names, name);
    if (found >= 0) return found;
    snReader_Fail(r, node, "there is no %s%s\"%.60s\"%s", what, *what ? " " : "", name,
                  snHint_Of("\"", snNames_Suggest(names, name), "\"").text);
    return 0;
}

snTwice snReader_FindTwice(snReader *r, const snNames *names)
{
    snTwice twice = {-1, -1};
    if (!r->status) snReader_Take(r, snNames_FindTwice(names, &twice, r->arena, r->error));
    return twice;
}

void snReader_CheckNames(snReader *r, const snJsonNode *list, const char *what,
                         const snNames *names)
{
    snTwice twice = snReader_FindTwice(r, names);
    if (twice.later >= 0)
        snReader_Fail(r, snJson_Member(r->json, snJson_At(r->json, list, twice.later), "name"),
                      "%s[%d] has this name too", what, twice.earlier);
}
