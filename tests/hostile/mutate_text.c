// Mutations of formats made of words and lines.
#include "tests/hostile/mutate.h"

#include <string.h>

static bool isSpace(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

typedef struct Span {
    size_t begin, end;
} Span;

static Span pickWord(const uint8_t *bytes, size_t size, snRandom *random)
{
    size_t at = (size_t)snRandom_Below(random, (int)size);
    while (at < size && isSpace(bytes[at]))
        at++;
    Span word = {at, at};
    while (word.begin > 0 && !isSpace(bytes[word.begin - 1]))
        word.begin--;
    while (word.end < size && !isSpace(bytes[word.end]))
        word.end++;
    return word;
}

// A line with its line break.
static Span pickLine(const uint8_t *bytes, size_t size, snRandom *random)
{
    size_t at = (size_t)snRandom_Below(random, (int)size);
    Span line = {at, at};
    while (line.begin > 0 && bytes[line.begin - 1] != '\n')
        line.begin--;
    while (line.end < size && bytes[line.end] != '\n')
        line.end++;
    if (line.end < size) line.end++;
    return line;
}

static const char *oddWord(snRandom *random)
{
    static const char *const words[] = {
        "",  "1/2/3/4", "//",      "1//",      "/",         "-1/-1/-1", "0/0/0", "{",   "}",
        "v", "f",       "JOINT",   "End Site", "MOTION",    "\\\n",     "#",     "1e+", "--1",
        "+", ".",       "Frames:", "ROOT",     "Xrotation", "\xff\xfe", "\x01"};
    if (!snChance(random, 3)) return snOddNumber(random);
    return words[snRandom_Below(random, (int)(sizeof words / sizeof *words))];
}

static int repeats(snRandom *random)
{
    static const int counts[] = {1, 2, 10, 300, 20000};
    return counts[snRandom_Below(random, 5)];
}

static void repeat(snBytes *out, const uint8_t *bytes, size_t size, Span span, int count)
{
    int most = snMostCopies(span.end - span.begin);
    if (count > most) count = most;
    snBytes_Append(out, bytes, span.end);
    for (; count > 0; count--) {
        if (!isSpace(bytes[span.end - 1])) snBytes_AppendByte(out, ' ');
        snBytes_Append(out, bytes + span.begin, span.end - span.begin);
    }
    snBytes_Append(out, bytes + span.end, size - span.end);
}

// The text with two lines in each other's place.
static void swapLines(snBytes *out, const uint8_t *bytes, size_t size, Span a, Span b)
{
    if (b.begin < a.begin) {
        Span c = a;
        a = b;
        b = c;
    }
    if (a.end > b.begin) b = (Span){a.end, a.end};
    snBytes_Append(out, bytes, a.begin);
    snBytes_Append(out, bytes + b.begin, b.end - b.begin);
    snBytes_Append(out, bytes + a.end, b.begin - a.end);
    snBytes_Append(out, bytes + a.begin, a.end - a.begin);
    snBytes_Append(out, bytes + b.end, size - b.end);
}

void snMutate_Text(snBytes *out, const uint8_t *bytes, size_t size, snRandom *random)
{
    if (size == 0) return;
    Span word = pickWord(bytes, size, random), line = pickLine(bytes, size, random);
    const char *odd = oddWord(random);
    switch (snRandom_Below(random, 8)) {
    default:
        snSplice(out, bytes, size, word.begin, word.end, odd, strlen(odd));
        break;
    case 3:
        snSplice(out, bytes, size, word.begin, word.end, "", 0);
        break;
    case 4:
        if (word.end > word.begin) repeat(out, bytes, size, word, repeats(random));
        break;
    case 5:
        if (line.end > line.begin) repeat(out, bytes, size, line, repeats(random));
        break;
    case 6:
        snSplice(out, bytes, size, line.begin, line.end, "", 0);
        break;
    case 7:
        swapLines(out, bytes, size, line, pickLine(bytes, size, random));
        break;
    }
}

void snMutate_Bvh(snBytes *out, const uint8_t *bytes, size_t size, snRandom *random)
{
    static const char open[] =
        "JOINT deep\n{\nOFFSET 0 1 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n";
    static const char empty[] = "JOINT deep\n{\nOFFSET 0 0 0\nCHANNELS 0\n";
    const char *text = snChance(random, 2) ? open : empty;
    const uint8_t *joint = NULL;
    for (size_t i = 0; i + 5 < size && (!joint || snChance(random, 2)); i++)
        if (!memcmp(bytes + i, "JOINT", 5) || !memcmp(bytes + i, "End S", 5)) joint = bytes + i;
    size_t at = joint ? (size_t)(joint - bytes) : size;
    int depth = repeats(random);
    bool closes = snChance(random, 2);
    snBytes_Append(out, bytes, at);
    for (int k = 0; k < depth; k++)
        snBytes_AppendText(out, text);
    if (closes) snBytes_AppendText(out, "End Site\n{\nOFFSET 0 1 0\n}\n");
    for (int k = 0; k < depth && closes; k++)
        snBytes_AppendText(out, "}\n");
    snBytes_Append(out, bytes + at, size - at);
}
