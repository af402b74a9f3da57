// Characters of texts that are read.
#ifndef SN_CORE_TEXT_H
#define SN_CORE_TEXT_H

#include <stdbool.h>
#include <string.h>

// -1: it is none.
static inline int snHexDigit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Without its capital; other letters than those of ASCII as they are.
static inline char snLowered(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

// Whether two texts have the same letters, capitals aside.
static inline bool snSameLetters(const char *a, const char *b)
{
    while (*a && snLowered(*a) == snLowered(*b))
        a++, b++;
    return *a == *b;
}

static inline bool snEndsWith(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

#endif
