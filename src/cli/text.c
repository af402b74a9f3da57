#include "cli/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

const char *snPlural(long long count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

// The character at the beginning of the text and its bytes; 0 bytes where it is not UTF-8. Forms
// that are longer than they need be are none.
static int decode(const unsigned char *text, size_t size, unsigned *code)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    int bytes = text[0] < 0x80             ? 1
                : (text[0] & 0xe0) == 0xc0 ? 2
                : (text[0] & 0xf0) == 0xe0 ? 3
                : (text[0] & 0xf8) == 0xf0 ? 4
                                           : 0;
    if ((size_t)bytes > size) return 0;
    *code = bytes > 1 ? text[0] & (0xffu >> (bytes + 1)) : text[0];
    for (int k = 1; k < bytes; k++) {
        if ((text[k] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (text[k] & 0x3fu);
    }
    return bytes && *code >= least[bytes] && *code <= 0x10ffff ? bytes : 0;
}

// Control characters (C0, delete, C1), line separators, and marks of direction.
static bool isHarmful(unsigned code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
           (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

// How one character is written; returns how many bytes of the text it was.
static int write(char out[16], const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    unsigned code;
    int bytes = decode(at, 4, &code); // the final zero ends it before
    if (!bytes)
        snprintf(out, 16, "\\x%02x", at[0]);
    else if (code == '\n' || code == '\t' || code == '\r')
        snprintf(out, 16, "\\%c", code == '\n' ? 'n' : code == '\t' ? 't' : 'r');
    else if (isHarmful(code))
        snprintf(out, 16, code < 0x80 ? "\\x%02x" : "\\u%04x", code);
    else
        snprintf(out, 16, "%.*s", bytes, text);
    return bytes ? bytes : 1;
}

snPlainText snPlain(const char *text)
{
    snPlainText plain;
    size_t length = 0;
    while (*text) {
        char one[16];
        text += write(one, text);
        size_t more = strlen(one);
        if (length + more >= sizeof plain.text) break;
        memcpy(plain.text + length, one, more);
        length += more;
    }
    plain.text[length] = 0;
    return plain;
}

void snPrintJson(const snBytes *json)
{
    const unsigned char *at = (const unsigned char *)json->data, *end = at + json->size;
    while (at < end) {
        unsigned code;
        int bytes = decode(at, (size_t)(end - at), &code);
        if (!bytes)
            fputs("\\ufffd", stdout);
        else if (code >= 0x7f && isHarmful(code)) // others are escaped in strings already
            printf("\\u%04x", code);
        else
            fwrite(at, 1, (size_t)bytes, stdout);
        at += bytes ? bytes : 1;
    }
}

snPlainText snClipText(const snClip *clips, int clip)
{
    snPlainText out = snPlain(clips[clip].name);
    if (!out.text[0]) snprintf(out.text, sizeof out.text, "clip%d", clip);
    return out;
}

snPlainText snJointText(const snSkeleton *skeleton, int joint)
{
    snPlainText out = snPlain(skeleton->joints[joint].name);
    if (!out.text[0]) snprintf(out.text, sizeof out.text, "joint %d", joint);
    return out;
}
