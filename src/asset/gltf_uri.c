#include "asset/gltf_uri.h"

#include "core/text.h"

#include <string.h>

bool snUri_IsData(const char *uri)
{
    return !strncmp(uri, "data:", 5);
}

static int base64Value(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+' || c == '-') return 62; // '-' and '_': the variant for URLs
    if (c == '/' || c == '_') return 63;
    return -1;
}

static snStatus decodeBase64(const char *text, snArena *arena, const uint8_t **bytes, size_t *size,
                             snError *error)
{
    size_t length = strlen(text), count = 0;
    uint8_t *out = SN_NEW(arena, uint8_t, length / 4 * 3 + 3);
    if (!out) return snFailMemory(error);
    uint32_t bits = 0;
    int held = 0;
    while (length && text[length - 1] == '=')
        length--;
    for (size_t i = 0; i < length; i++) {
        int value = base64Value(text[i]);
        if (value < 0)
            return snFail(error, SN_ERROR_FORMAT,
                          "bad base64 character at position %zu of the data", i);
        bits = bits << 6 | (uint32_t)value;
        held += 6;
        if (held >= 8) {
            held -= 8;
            out[count++] = (uint8_t)(bits >> held);
        }
    }
    *bytes = out;
    *size = count;
    return SN_OK;
}

// Decodes %XX; a lone '%' stays. The copy ends with a zero.
static char *decodePercent(const char *text, snArena *arena, size_t *size)
{
    char *out = snArena_CopyString(arena, text, strlen(text));
    if (!out) return NULL;
    char *to = out;
    for (const char *p = text; *p; p++) {
        int high = *p == '%' ? snHexDigit(p[1]) : -1;
        int low = high >= 0 ? snHexDigit(p[2]) : -1;
        if (low >= 0) {
            *to++ = (char)(16 * high + low);
            p += 2;
        } else {
            *to++ = *p;
        }
    }
    *to = 0;
    *size = (size_t)(to - out);
    return out;
}

snStatus snUri_DecodeData(const char *uri, snArena *arena, const uint8_t **bytes, size_t *size,
                          snError *error)
{
    const char *comma = strchr(uri, ',');
    if (!comma) return snFail(error, SN_ERROR_FORMAT, "data: URI without a comma");
    if (comma - uri >= 7 && !strncmp(comma - 7, ";base64", 7))
        return decodeBase64(comma + 1, arena, bytes, size, error);
    *bytes = (const uint8_t *)decodePercent(comma + 1, arena, size);
    return *bytes ? SN_OK : snFailMemory(error);
}

// True when one of the path's parts is "..".
static bool climbs(const char *path)
{
    for (const char *part = path; part; part = strchr(part, '/')) {
        if (*part == '/') part++;
        if (part[0] == '.' && part[1] == '.' && (part[2] == '/' || part[2] == 0)) return true;
    }
    return false;
}

snStatus snUri_ToPath(const char *uri, snArena *arena, const char **path, snError *error)
{
    size_t size;
    const char *decoded = decodePercent(uri, arena, &size);
    if (!decoded) return snFailMemory(error);
    if (size == 0 || strlen(decoded) != size)
        return snFail(error, SN_ERROR_FORMAT, "the URI is empty or holds a zero byte");
    if (strchr(uri, ':'))
        return snFail(
            error, SN_ERROR_UNSUPPORTED,
            "'%.80s' is not a file next to this one; put it there and refer to it by name", uri);
    if (decoded[0] == '/' || strchr(decoded, '\\') || strchr(decoded, ':') || climbs(decoded))
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "'%.80s' leads out of the file's own folder, which is not allowed", decoded);
    *path = decoded;
    return SN_OK;
}

void snBytes_AppendBase64(snBytes *bytes, const uint8_t *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t left = (uint32_t)(size - i < 3 ? size - i : 3);
        uint32_t bits = (uint32_t)data[i] << 16;
        if (left > 1) bits |= (uint32_t)data[i + 1] << 8;
        if (left > 2) bits |= data[i + 2];
        char four[4];
        for (uint32_t k = 0; k < 4; k++)
            four[k] = k <= left ? digits[bits >> (18 - 6 * k) & 63] : '=';
        snBytes_Append(bytes, four, 4);
    }
}
