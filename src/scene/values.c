#include "scene/reader.h"

#include "asset/json.h"
#include "core/elementary.h"
#include "core/text.h"

#include <string.h>

#define MOST_KEYS 100000

void snReader_Rotation(snReader *r, const snJsonNode *object, snQuat *out)
{
    static const char *const keys[] = {"axis", "angle"};
    const snJsonNode *node = snJson_Member(r->json, object, "rotation");
    if (!node || r->status) return;
    double angle = 0;
    if (node->kind == SN_JSON_ARRAY) {
        snReader_QuatOf(r, node, out);
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

void snReader_Box(snReader *r, const snJsonNode *object, snBox *box)
{
    *box = (snBox){{-1e300, -1e300, -1e300}, {1e300, 1e300, 1e300}};
    snReader_Vector(r, object, "lower", SN_QUANTITY_LENGTH, &box->lower);
    snReader_Vector(r, object, "upper", SN_QUANTITY_LENGTH, &box->upper);
}

void snReader_Place(snReader *r, const snJsonNode *object, snAffine *out)
{
    snQuat turn = snIdentityQuat();
    snVec3 place = out->origin;
    snReader_Vector(r, object, "place", SN_QUANTITY_LENGTH, &place);
    snReader_Rotation(r, object, &turn);
    *out = (snAffine){snQuatToMat(turn), place};
}

// ---- keys ---------------------------------------------------------------------------------------

// What a path does at a key: "kink", or the "velocity" that it has there.
static snRouteKey readKeyKind(snReader *r, const snJsonNode *key, snVec3 *velocity)
{
    bool kink = false, given = snJson_Member(r->json, key, "velocity") != NULL;
    snReader_Bool(r, key, "kink", &kink);
    snReader_Vector(r, key, "velocity", SN_QUANTITY_LENGTH, velocity);
    if (kink && given) snReader_Fail(r, key, "has \"kink\" and \"velocity\"; one of them does");
    return given ? SN_KEY_GIVEN : kink ? SN_KEY_KINK : SN_KEY_SMOOTH;
}

void snReader_CheckLater(snReader *r, const snJsonNode *key, double time, double before)
{
    if (!(time > before))
        snReader_Fail(r, key, "is at %g s, and the one before it at %g s", time, before);
}

void snReader_Route(snReader *r, const snJsonNode *object, snRouteDef *out)
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
        if (i) snReader_CheckLater(r, key, times[i], times[i - 1]);
    }
    *out = (snRouteDef){.count = count,
                        .times = times,
                        .places = places,
                        .turns = turns,
                        .loose = out->loose,
                        .keys = kinds,
                        .velocities = velocities};
}

void snReader_KeyList(snReader *r, const snJsonNode *list, int width, snRange range, snKeyList *out)
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
            snReader_Values(r, value, width, range.quantity, out->values + i * width);
        if (i) snReader_CheckLater(r, key, out->times[i], out->times[i - 1]);
    }
    out->count = count;
}

// ---- colours ------------------------------------------------------------------------------------

// "#rrggbb" in sRGB.
void snReader_Color(snReader *r, const snJsonNode *object, const char *key, float out[3])
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
