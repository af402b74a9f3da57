// Looking into a parsed document: members, elements, values with their checks, and paths.
#include "asset/json.h"

#include "asset/json_number.h"
#include "core/suggest.h"
#include "core/text.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <math.h>

// ---- strings ----

static uint32_t hex4(const char *p)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++)
        value = 16 * value + (uint32_t)snHexDigit(p[i]);
    return value;
}

static size_t encodeUtf8(uint32_t c, char *out)
{
    if (c < 0x80) return out[0] = (char)c, 1;
    int tail = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xC0, 0xE0, 0xF0};
    out[0] = (char)(lead[tail] | c >> (6 * tail));
    for (int i = 1; i <= tail; i++)
        out[i] = (char)(0x80 | ((c >> (6 * (tail - i))) & 0x3F));
    return (size_t)tail + 1;
}

// Length of the UTF-8 character at p, 0 when the bytes are not one (overlong forms, surrogates).
static size_t utf8Length(const char *p, const char *end)
{
    unsigned char c = (unsigned char)p[0];
    size_t length = c < 0x80                ? 1
                    : c >= 0xC2 && c < 0xE0 ? 2
                    : c >= 0xE0 && c < 0xF0 ? 3
                    : c >= 0xF0 && c < 0xF5 ? 4
                                            : 0;
    if (length == 0 || (size_t)(end - p) < length) return 0;
    for (size_t i = 1; i < length; i++)
        if (((unsigned char)p[i] & 0xC0) != 0x80) return 0;
    unsigned char next = length > 1 ? (unsigned char)p[1] : 0;
    if ((c == 0xE0 && next < 0xA0) || (c == 0xED && next >= 0xA0)) return 0;
    if ((c == 0xF0 && next < 0x90) || (c == 0xF4 && next >= 0x90)) return 0;
    return length;
}

bool snIsUtf8(const char *text, size_t size)
{
    for (const char *p = text, *end = text + size; p < end;) {
        size_t length = utf8Length(p, end);
        if (!length) return false;
        p += length;
    }
    return true;
}

// A \u escape at p (behind the 'u'), with its second half where it is a surrogate pair; a half
// alone, and the zero that C strings cannot hold, become U+FFFD. Returns the characters used.
static size_t decodeUnicode(const char *p, const char *end, uint32_t *c)
{
    *c = hex4(p);
    if (*c >= 0xD800 && *c < 0xDC00 && end - p >= 10 && p[4] == '\\' && p[5] == 'u') {
        uint32_t low = hex4(p + 6);
        if (low >= 0xDC00 && low < 0xE000) {
            *c = 0x10000 + ((*c - 0xD800) << 10) + (low - 0xDC00);
            return 10;
        }
    }
    if (*c == 0 || (*c >= 0xD800 && *c < 0xE000)) *c = 0xFFFD;
    return 4;
}

// Decodes what stands between the quotes. No escape is longer decoded than written, but a single
// byte that is not ASCII may become three, for which `out` must have room.
static size_t decodeString(const char *p, const char *end, char *out)
{
    char *to = out;
    while (p < end) {
        if (*p == '\\') {
            static const char from[] = "bfnrt", into[] = "\b\f\n\r\t";
            const char *named = strchr(from, p[1]);
            uint32_t c = named ? (uint32_t)into[named - from] : (unsigned char)p[1];
            p += 2;
            if (p[-1] == 'u') p += decodeUnicode(p, end, &c);
            to += encodeUtf8(c, to);
            continue;
        }
        size_t length = utf8Length(p, end);
        if (length) {
            memcpy(to, p, length);
            to += length;
            p += length;
        } else {
            to += encodeUtf8(0xFFFD, to);
            p++;
        }
    }
    *to = 0;
    return (size_t)(to - out);
}

static char *decodeRange(const snJson *json, int start, int end, snArena *arena)
{
    const char *from = json->text + start + 1, *last = json->text + end - 1;
    size_t room = 1;
    for (const char *p = from; p < last; p++)
        room += (unsigned char)*p < 0x80 ? 1 : 3;
    char *out = SN_NEW(arena, char, room);
    if (out) decodeString(from, last, out);
    return out;
}

// Compares a quoted range with plain text; escapes are decoded only where there are any.
static bool rangeIs(const snJson *json, int start, int end, const char *text)
{
    const char *p = json->text + start + 1, *last = json->text + end - 1;
    size_t length = strlen(text);
    if (!memchr(p, '\\', (size_t)(last - p)))
        return (size_t)(last - p) == length && !memcmp(p, text, length);
    char decoded[256];
    if ((size_t)(last - p) * 3 + 1 > sizeof decoded) return false; // longer than any key we know
    return decodeString(p, last, decoded) == length && !memcmp(decoded, text, length);
}

// ---- looking around ----

const snJsonNode *snJson_Member(const snJson *json, const snJsonNode *object, const char *key)
{
    if (!object || object->kind != SN_JSON_OBJECT) return NULL;
    for (int i = object->childCount - 1; i >= 0; i--) {
        const snJsonNode *node = &json->nodes[json->slots[object->firstSlot + i]];
        if (rangeIs(json, node->keyStart, node->keyEnd, key)) return node;
    }
    return NULL;
}

const snJsonNode *snJson_At(const snJson *json, const snJsonNode *container, int index)
{
    if (index < 0 || index >= snJson_Count(container)) return NULL;
    return &json->nodes[json->slots[container->firstSlot + index]];
}

int snJson_Count(const snJsonNode *node)
{
    return node ? node->childCount : 0;
}

const snJsonNode *snJson_Parent(const snJson *json, const snJsonNode *node)
{
    return node && node->parent >= 0 ? &json->nodes[node->parent] : NULL;
}

bool snJson_IsText(const snJson *json, const snJsonNode *node, const char *text)
{
    return node && node->kind == SN_JSON_STRING && rangeIs(json, node->start, node->end, text);
}

const char *snJson_Key(const snJson *json, const snJsonNode *node, snArena *arena)
{
    if (node->keyEnd == 0) return snArena_CopyString(arena, "", 0);
    return decodeRange(json, node->keyStart, node->keyEnd, arena);
}

const char *snJson_KindName(snJsonKind kind)
{
    static const char *names[] = {"null",     "true or false", "a number",
                                  "a string", "an array",      "an object"};
    return names[kind];
}

void snJson_Path(const snJson *json, const snJsonNode *node, char *out, size_t size)
{
    const snJsonNode *chain[SN_JSON_MAX_DEPTH + 1];
    int depth = 0;
    for (; node && node->parent >= 0; node = &json->nodes[node->parent])
        chain[depth++] = node;
    if (depth == 0) snprintf(out, size, "(document)");
    size_t used = 0;
    while (depth-- > 0 && used + 1 < size) {
        const snJsonNode *step = chain[depth];
        int wrote;
        if (step->keyEnd)
            wrote = snprintf(out + used, size - used, "%s%.*s", used ? "." : "",
                             step->keyEnd - step->keyStart - 2, json->text + step->keyStart + 1);
        else
            wrote = snprintf(out + used, size - used, "[%d]", step->index);
        if (wrote > 0) used += (size_t)wrote;
    }
}

snStatus snJson_Fail(const snJson *json, const snJsonNode *node, snError *error, snStatus code,
                     const char *format, ...)
{
    char path[160], message[320];
    snJson_Path(json, node, path, sizeof path);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return snFail(error, code, "%s: %s", path, message);
}

// ---- values ----

static snStatus expect(const snJson *json, const snJsonNode *node, snJsonKind kind, snError *error)
{
    if (node->kind == kind) return SN_OK;
    return snJson_Fail(json, node, error, SN_ERROR_FORMAT, "%s instead of %s",
                       snJson_KindName(node->kind), snJson_KindName(kind));
}

snStatus snJson_AsDouble(const snJson *json, const snJsonNode *node, double *out, snError *error)
{
    snStatus status = expect(json, node, SN_JSON_NUMBER, error);
    if (status) return status;
    double value = 0;
    snParseNumber(json->text + node->start, (size_t)(node->end - node->start), &value);
    if (!isfinite(value))
        return snJson_Fail(json, node, error, SN_ERROR_FORMAT, "the number is too large");
    *out = value;
    return SN_OK;
}

snStatus snJson_AsInt(const snJson *json, const snJsonNode *node, int low, int high, int *out,
                      snError *error)
{
    double value = 0;
    snStatus status = snJson_AsDouble(json, node, &value, error);
    if (status) return status;
    if (value != floor(value) || fabs(value) > 9e15)
        return snJson_Fail(json, node, error, SN_ERROR_FORMAT, "%g is not a whole number", value);
    if (value < low || value > high)
        return snJson_Fail(json, node, error, SN_ERROR_FORMAT, "%.0f is out of range (%d to %d)",
                           value, low, high);
    *out = (int)value;
    return SN_OK;
}

snStatus snJson_AsString(const snJson *json, const snJsonNode *node, snArena *arena,
                         const char **out, snError *error)
{
    snStatus status = expect(json, node, SN_JSON_STRING, error);
    if (status) return status;
    const char *text = decodeRange(json, node->start, node->end, arena);
    if (!text) return snFailMemory(error);
    *out = text;
    return SN_OK;
}

// ---- members ----

snStatus snJson_ReadDouble(const snJson *json, const snJsonNode *object, const char *key,
                           double *out, snError *error)
{
    const snJsonNode *node = snJson_Member(json, object, key);
    return node ? snJson_AsDouble(json, node, out, error) : SN_OK;
}

snStatus snJson_ReadInt(const snJson *json, const snJsonNode *object, const char *key, int low,
                        int high, int *out, snError *error)
{
    const snJsonNode *node = snJson_Member(json, object, key);
    return node ? snJson_AsInt(json, node, low, high, out, error) : SN_OK;
}

snStatus snJson_ReadBool(const snJson *json, const snJsonNode *object, const char *key, bool *out,
                         snError *error)
{
    const snJsonNode *node = snJson_Member(json, object, key);
    if (!node) return SN_OK;
    snStatus status = expect(json, node, SN_JSON_BOOL, error);
    if (!status) *out = json->text[node->start] == 't';
    return status;
}

snStatus snJson_ReadString(const snJson *json, const snJsonNode *object, const char *key,
                           snArena *arena, const char **out, snError *error)
{
    const snJsonNode *node = snJson_Member(json, object, key);
    return node ? snJson_AsString(json, node, arena, out, error) : SN_OK;
}

snStatus snJson_ReadDoubles(const snJson *json, const snJsonNode *object, const char *key,
                            int count, double *out, snError *error)
{
    const snJsonNode *array;
    snStatus status = snJson_ReadNode(json, object, key, SN_JSON_ARRAY, &array, error);
    if (status || !array) return status;
    if (array->childCount != count)
        return snJson_Fail(json, array, error, SN_ERROR_FORMAT, "%d numbers instead of %d",
                           array->childCount, count);
    for (int i = 0; i < count && !status; i++)
        status = snJson_AsDouble(json, snJson_At(json, array, i), &out[i], error);
    return status;
}

snStatus snJson_ReadNode(const snJson *json, const snJsonNode *object, const char *key,
                         snJsonKind kind, const snJsonNode **out, snError *error)
{
    *out = NULL;
    const snJsonNode *node = snJson_Member(json, object, key);
    if (!node) return SN_OK;
    snStatus status = expect(json, node, kind, error);
    if (!status) *out = node;
    return status;
}

snStatus snJson_Require(const snJson *json, const snJsonNode *object, const char *key,
                        snError *error)
{
    if (snJson_Member(json, object, key)) return SN_OK;
    return snJson_Fail(json, object, error, SN_ERROR_FORMAT, "'%s' is missing", key);
}

// ---- keys that are not known, or there twice ----

snStatus snJson_CheckKeys(const snJson *json, const snJsonNode *object, const char *const *allowed,
                          int count, snError *error)
{
    for (int i = 0; i < snJson_Count(object); i++) {
        const snJsonNode *member = snJson_At(json, object, i);
        int length = member->keyEnd - member->keyStart - 2, known = 0;
        const char *key = json->text + member->keyStart + 1; // without its quotes
        char word[64];
        for (int k = 0; k < count; k++)
            known |= (int)strlen(allowed[k]) == length && !strncmp(allowed[k], key, (size_t)length);
        if (known) continue;
        int kept = length < 63 ? length : 63;
        memcpy(word, key, (size_t)kept);
        word[kept] = 0;
        return snJson_Fail(json, object, error, SN_ERROR_FORMAT, "there is nothing called \"%s\"%s",
                           word, snHint_Among(word, allowed, count).text);
    }
    return SN_OK;
}

static snStatus checkObject(const snJson *json, const snJsonNode *object, snArena *scratch,
                            snError *error)
{
    int count = object->childCount;
    const char **keys = SN_NEW(scratch, const char *, count);
    snTwice twice;
    if (!keys) return snFailMemory(error);
    for (int i = 0; i < count; i++)
        if (!(keys[i] = snJson_Key(json, snJson_At(json, object, i), scratch)))
            return snFailMemory(error);
    const snNames names = snNames_OfList(keys, count);
    snStatus status = snNames_FindTwice(&names, &twice, scratch, error);
    if (status || twice.later < 0) return status;
    return snJson_Fail(json, object, error, SN_ERROR_FORMAT,
                       "\"%.60s\" is there twice; keep one of them", keys[twice.later]);
}

snStatus snJson_CheckUnique(const snJson *json, snArena *scratch, snError *error)
{
    snStatus status = SN_OK;
    for (int i = 0; i < json->nodeCount && !status; i++) {
        const snJsonNode *node = &json->nodes[i];
        if (node->kind != SN_JSON_OBJECT || node->childCount < 2) continue;
        snArenaMark mark = snArena_Mark(scratch);
        status = checkObject(json, node, scratch, error);
        snArena_Rewind(scratch, mark);
    }
    return status;
}
