#include "scene/reader.h"

#include "asset/json.h"
#include "core/elementary.h"
#include "core/suggest.h"
#include "core/text.h"

#include <stdlib.h>
#include <string.h>

#define MOST_KEYS 100000

void snReader_Take(snSceneReader *r, snStatus status)
{
    if (!r->status) r->status = status;
}

void snReader_Keys(snSceneReader *r, const snJsonNode *object, const char *const *keys, int count)
{
    if (r->status) return;
    if (object->kind != SN_JSON_OBJECT)
        snReader_Fail(r, object, "is %s; it must be an object", snJson_KindName(object->kind));
    else
        snReader_Take(r, snJson_CheckKeys(r->json, object, keys, count, r->error));
}

const snJsonNode *snReader_Need(snSceneReader *r, const snJsonNode *object, const char *key)
{
    const snJsonNode *node = snJson_Member(r->json, object, key);
    if (!node) snReader_Fail(r, object, "\"%s\" is missing", key);
    return node;
}

static const snJsonNode *member(snSceneReader *r, const snJsonNode *object, const char *key,
                                snJsonKind kind)
{
    const snJsonNode *node = r->status ? NULL : snJson_Member(r->json, object, key);
    if (!node || node->kind == kind) return node;
    snReader_Fail(r, node, "is %s; it must be %s", snJson_KindName(node->kind),
                  snJson_KindName(kind));
    return NULL;
}

const snJsonNode *snReader_List(snSceneReader *r, const snJsonNode *object, const char *key)
{
    return member(r, object, key, SN_JSON_ARRAY);
}

const snJsonNode *snReader_Object(snSceneReader *r, const snJsonNode *object, const char *key)
{
    return member(r, object, key, SN_JSON_OBJECT);
}

// ---- numbers ------------------------------------------------------------------------------------

static void failRange(snSceneReader *r, const snJsonNode *node, snRange range, double value)
{
    if (range.high < 1e9)
        snReader_Fail(r, node, "is %g; it must be from %g to %g", value, range.low, range.high);
    else
        snReader_Fail(r, node, "is %g; it must be %g or more", value, range.low);
}

void snReader_Value(snSceneReader *r, const snJsonNode *node, snRange range, double *out)
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
    if (r->status) return;
    if (bare && range.quantity == SN_QUANTITY_ANGLE) value *= SN_PI / 180;
    if (!(value >= range.low && value <= range.high))
        failRange(r, node, range, value);
    else
        *out = value;
}

void snReader_Number(snSceneReader *r, const snJsonNode *object, const char *key, snRange range,
                     double *out)
{
    snReader_Value(r, snJson_Member(r->json, object, key), range, out);
}

void snReader_Int(snSceneReader *r, const snJsonNode *object, const char *key, int low, int high,
                  int *out)
{
    if (!r->status)
        snReader_Take(r, snJson_ReadInt(r->json, object, key, low, high, out, r->error));
}

void snReader_Bool(snSceneReader *r, const snJsonNode *object, const char *key, bool *out)
{
    if (!r->status) snReader_Take(r, snJson_ReadBool(r->json, object, key, out, r->error));
}

void snReader_Text(snSceneReader *r, const snJsonNode *object, const char *key, const char **out)
{
    if (!r->status)
        snReader_Take(r, snJson_ReadString(r->json, object, key, r->arena, out, r->error));
}

void snReader_Word(snSceneReader *r, const snJsonNode *object, const char *key,
                   const char *const *words, int count, int *out)
{
    const char *text = NULL;
    snReader_Text(r, object, key, &text);
    if (r->status || !text) return;
    for (int i = 0; i < count; i++)
        if (!strcmp(text, words[i])) {
            *out = i;
            return;
        }
    const char *guess = snSuggest(text, words, count);
    char list[200] = "";
    for (int i = 0; i < count; i++) {
        size_t room = sizeof list - strlen(list) - 1;
        if (strlen(words[i]) + 2 > room) break;
        if (i) strcat(list, ", ");
        strcat(list, words[i]);
    }
    snReader_Fail(r, snJson_Member(r->json, object, key),
                  "is \"%.40s\"; it must be one of %s%s%s%s", text, list,
                  guess ? "; did you mean \"" : "", guess ? guess : "", guess ? "\"?" : "");
}

// ---- vectors ------------------------------------------------------------------------------------

static void readNumbers(snSceneReader *r, const snJsonNode *node, int count, snQuantity quantity,
                        double *out)
{
    const snRange any = {-1e300, 1e300, quantity};
    if (r->status) return;
    if (node->kind != SN_JSON_ARRAY || snJson_Count(node) != count)
        snReader_Fail(r, node, "must be a list of %d numbers", count);
    for (int k = 0; k < count && !r->status; k++)
        snReader_Value(r, snJson_At(r->json, node, k), any, &out[k]);
}

void snReader_VectorOf(snSceneReader *r, const snJsonNode *node, snQuantity quantity, snVec3 *out)
{
    double v[3];
    if (!node || r->status) return;
    readNumbers(r, node, 3, quantity, v);
    if (!r->status) *out = snVec(v[0], v[1], v[2]);
}

void snReader_Vector(snSceneReader *r, const snJsonNode *object, const char *key,
                     snQuantity quantity, snVec3 *out)
{
    snReader_VectorOf(r, snJson_Member(r->json, object, key), quantity, out);
}

void snReader_Rotation(snSceneReader *r, const snJsonNode *object, snQuat *out)
{
    static const char *const keys[] = {"axis", "angle"};
    const snJsonNode *node = snJson_Member(r->json, object, "rotation");
    if (!node || r->status) return;
    double q[4], angle = 0;
    if (node->kind == SN_JSON_ARRAY) {
        readNumbers(r, node, 4, SN_QUANTITY_PLAIN, q);
        if (r->status) return;
        *out = (snQuat){q[0], q[1], q[2], q[3]};
        if (!(snDotQ(*out, *out) > 1e-12)) snReader_Fail(r, node, "is no rotation: it is zero");
        *out = snNormalizeQ(*out);
        return;
    }
    snVec3 axis = {0, 1, 0};
    snReader_Keys(r, node, keys, 2);
    snReader_Vector(r, node, "axis", SN_QUANTITY_PLAIN, &axis);
    snReader_Need(r, node, "angle");
    snReader_Number(r, node, "angle", (snRange){-1e6, 1e6, SN_QUANTITY_ANGLE}, &angle);
    if (!r->status && !(snLength(axis) > 1e-12)) snReader_Fail(r, node, "its axis is zero");
    if (!r->status) *out = snQuatFromAxisAngle(snNormalizeOr(axis, snVec(0, 1, 0)), angle);
}

void snReader_Place(snSceneReader *r, const snJsonNode *object, snAffine *out)
{
    snQuat turn = snIdentityQuat();
    snVec3 place = out->origin;
    snReader_Vector(r, object, "place", SN_QUANTITY_LENGTH, &place);
    snReader_Rotation(r, object, &turn);
    *out = (snAffine){snQuatToMat(turn), place};
}

// ---- keys ---------------------------------------------------------------------------------------

// What a path does at a key: "kink", or the "velocity" that it has there.
static snRouteKey readKeyKind(snSceneReader *r, const snJsonNode *key, snVec3 *velocity)
{
    bool kink = false, given = snJson_Member(r->json, key, "velocity") != NULL;
    snReader_Bool(r, key, "kink", &kink);
    snReader_Vector(r, key, "velocity", SN_QUANTITY_LENGTH, velocity);
    if (kink && given) snReader_Fail(r, key, "has \"kink\" and \"velocity\"; one of them does");
    return given ? SN_KEY_GIVEN : kink ? SN_KEY_KINK : SN_KEY_SMOOTH;
}

void snReader_Route(snSceneReader *r, const snJsonNode *object, snRouteDef *out)
{
    static const char *const members[] = {"time", "place", "rotation", "velocity", "kink"};
    const snJsonNode *list = snReader_List(r, object, "keys");
    int count = snJson_Count(list);
    *out = (snRouteDef){0};
    snReader_Bool(r, object, "loose", &out->loose);
    if (r->status || !list) return;
    double *times = SN_NEW(r->arena, double, count);
    snVec3 *places = SN_NEW(r->arena, snVec3, count);
    snQuat *turns = SN_NEW(r->arena, snQuat, count);
    snRouteKey *kinds = SN_NEW(r->arena, snRouteKey, count);
    snVec3 *velocities = SN_NEW(r->arena, snVec3, count);
    if (!times || !places || !turns || !kinds || !velocities) {
        snReader_Take(r, snFailMemory(r->error));
        return;
    }
    if (!count || count > MOST_KEYS) snReader_Fail(r, list, "has %d keys", count);
    for (int i = 0; i < count && !r->status; i++) {
        const snJsonNode *key = snJson_At(r->json, list, i);
        snReader_Keys(r, key, members, 5);
        snReader_Need(r, key, "time");
        snReader_Need(r, key, "place");
        snReader_Number(r, key, "time", (snRange){0, 1e9, SN_QUANTITY_TIME}, &times[i]);
        snReader_Vector(r, key, "place", SN_QUANTITY_LENGTH, &places[i]);
        turns[i] = i ? turns[i - 1] : snIdentityQuat();
        snReader_Rotation(r, key, &turns[i]);
        kinds[i] = readKeyKind(r, key, &velocities[i]);
        if (!r->status && i && !(times[i] > times[i - 1]))
            snReader_Fail(r, key, "is at %g s, and the one before it at %g s", times[i],
                          times[i - 1]);
    }
    *out = (snRouteDef){.count = count,
                        .times = times,
                        .places = places,
                        .turns = turns,
                        .loose = out->loose,
                        .keys = kinds,
                        .velocities = velocities};
}

void snReader_KeyList(snSceneReader *r, const snJsonNode *list, int width, snRange range,
                      snKeyList *out)
{
    int count = snJson_Count(list);
    *out = (snKeyList){0};
    if (r->status || !count) return;
    if (count > MOST_KEYS) snReader_Fail(r, list, "has %d keys", count);
    out->times = SN_NEW(r->arena, double, count);
    out->values = SN_NEW(r->arena, double, (size_t)count *(size_t)width);
    if (!out->times || !out->values) snReader_Take(r, snFailMemory(r->error));
    for (int i = 0; i < count && !r->status; i++) {
        const snJsonNode *key = snJson_At(r->json, list, i), *value = snJson_At(r->json, key, 1);
        if (key->kind != SN_JSON_ARRAY || snJson_Count(key) != 2) {
            snReader_Fail(r, key, "must be a list of a time and a value");
            return;
        }
        snReader_Value(r, snJson_At(r->json, key, 0), (snRange){0, 1e9, SN_QUANTITY_TIME},
                       &out->times[i]);
        if (width == 1)
            snReader_Value(r, value, range, &out->values[i]);
        else
            readNumbers(r, value, width, range.quantity, out->values + i * width);
        if (!r->status && i && !(out->times[i] > out->times[i - 1]))
            snReader_Fail(r, key, "is at %g s, and the one before it at %g s", out->times[i],
                          out->times[i - 1]);
    }
    out->count = count;
}

// ---- names --------------------------------------------------------------------------------------

typedef struct Named {
    const char *name;
    int number;
} Named;

static int compareNamed(const void *a, const void *b)
{
    const Named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

void snReader_CheckNames(snSceneReader *r, const snJsonNode *list, const char *what, int count,
                         const char *const *names)
{
    if (r->status) return;
    snArena scratch = snMakeArena(r->context);
    Named *sorted = SN_NEW(&scratch, Named, count);
    int later = count, earlier = 0;
    if (!sorted) snReader_Take(r, snFailMemory(r->error));
    for (int i = 0; i < count && sorted; i++)
        sorted[i] = (Named){names[i], i};
    if (sorted && count > 1) qsort(sorted, (size_t)count, sizeof *sorted, compareNamed);
    for (int i = 1; i < count && sorted; i++) {
        bool same = !strcmp(sorted[i].name, sorted[i - 1].name);
        if (!same || sorted[i].number >= later) continue;
        later = sorted[i].number;
        earlier = sorted[i - 1].number;
    }
    if (sorted && later < count)
        snReader_Fail(r, snJson_Member(r->json, snJson_At(r->json, list, later), "name"),
                      "%s[%d] has this name too", what, earlier);
    snArena_Destroy(&scratch);
}

// ---- colours ------------------------------------------------------------------------------------

// "#rrggbb" in sRGB.
void snReader_Color(snSceneReader *r, const snJsonNode *object, const char *key, float out[3])
{
    const char *text = NULL;
    int digits[6] = {0};
    snReader_Text(r, object, key, &text);
    if (r->status || !text) return;
    bool good = strlen(text) == 7 && text[0] == '#';
    for (int k = 0; k < 6 && good; k++)
        good = (digits[k] = snHexDigit(text[k + 1])) >= 0;
    if (!good) {
        snReader_Fail(r, snJson_Member(r->json, object, key), "is \"%.20s\"; write it as #ff8800",
                      text);
        return;
    }
    for (int k = 0; k < 3; k++)
        out[k] = (float)snLinearOfSrgb((16 * digits[2 * k] + digits[2 * k + 1]) / 255.0);
}
