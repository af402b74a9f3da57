// Parsing in three steps: a scan that checks the grammar (so that broken text is refused with line
// and column, and depth and counts are known before anything is allocated), jsmn's tokens, and the
// tree of nodes. No step recurses on the input.
#include "asset/json.h"

#include "core/text.h"

#include <limits.h>
#include <string.h>

#define JSMN_STATIC
#define JSMN_PARENT_LINKS
#define JSMN_STRICT
#include <jsmn.h>

// ---- the grammar ----

typedef struct {
    const char *text;
    size_t size;
    size_t at;
    int tokens; // values and keys
    int depth;
    char stack[SN_JSON_MAX_DEPTH]; // '{' or '['
    snError *error;
} Scan;

static snStatus failAt(const Scan *scan, size_t place, const char *what)
{
    int line = 1, column = 1;
    for (size_t i = 0; i < place; i++) {
        column++;
        if (scan->text[i] == '\n') line++, column = 1;
    }
    return snFail(scan->error, SN_ERROR_FORMAT, "broken JSON at line %d, column %d: %s", line,
                  column, what);
}

static char peek(const Scan *scan)
{
    return scan->at < scan->size ? scan->text[scan->at] : 0;
}

static void skipSpace(Scan *scan)
{
    while (scan->at < scan->size && strchr(" \t\r\n", scan->text[scan->at]) && scan->text[scan->at])
        scan->at++;
}

static bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

static snStatus scanEscape(Scan *scan)
{
    scan->at++; // the backslash
    char c = peek(scan);
    if (c == 'u') {
        for (int i = 1; i <= 4; i++)
            if (scan->at + (size_t)i >= scan->size ||
                snHexDigit(scan->text[scan->at + (size_t)i]) < 0)
                return failAt(scan, scan->at - 1, "\\u needs four hexadecimal digits");
        scan->at += 5;
        return SN_OK;
    }
    if (!c || !strchr("\"\\/bfnrt", c)) return failAt(scan, scan->at - 1, "unknown escape");
    scan->at++;
    return SN_OK;
}

static snStatus scanString(Scan *scan)
{
    size_t start = scan->at++;
    while (scan->at < scan->size) {
        unsigned char c = (unsigned char)scan->text[scan->at];
        if (c == '"') {
            scan->at++;
            return SN_OK;
        }
        if (c < 32) return failAt(scan, scan->at, "control character in a string");
        if (c == '\\') {
            snStatus status = scanEscape(scan);
            if (status) return status;
        } else {
            scan->at++;
        }
    }
    return failAt(scan, start, "a string that never ends");
}

static bool scanDigits(Scan *scan)
{
    size_t start = scan->at;
    while (isDigit(peek(scan)))
        scan->at++;
    return scan->at > start;
}

static snStatus scanNumber(Scan *scan)
{
    size_t start = scan->at;
    if (peek(scan) == '-') scan->at++;
    if (peek(scan) == '0')
        scan->at++;
    else if (!scanDigits(scan))
        return failAt(scan, start, "not a number");
    if (isDigit(peek(scan))) return failAt(scan, start, "a number with a zero in front");
    if (peek(scan) == '.') {
        scan->at++;
        if (!scanDigits(scan))
            return failAt(scan, start, "a number without digits after its point");
    }
    if (peek(scan) == 'e' || peek(scan) == 'E') {
        scan->at++;
        if (peek(scan) == '+' || peek(scan) == '-') scan->at++;
        if (!scanDigits(scan))
            return failAt(scan, start, "a number without digits in its exponent");
    }
    return SN_OK;
}

static bool scanWord(Scan *scan, const char *word)
{
    size_t length = strlen(word);
    if (scan->size - scan->at < length || memcmp(scan->text + scan->at, word, length)) return false;
    scan->at += length;
    return true;
}

static snStatus scanScalar(Scan *scan)
{
    char c = peek(scan);
    if (c == '"') return scanString(scan);
    if (c == '-' || isDigit(c)) return scanNumber(scan);
    if (scanWord(scan, "true") || scanWord(scan, "false") || scanWord(scan, "null")) return SN_OK;
    return failAt(scan, scan->at,
                  scan->at < scan->size ? "a value is expected here" : "the text ends too early");
}

// A key and its colon, in front of a member's value.
static snStatus scanKey(Scan *scan)
{
    skipSpace(scan);
    if (peek(scan) != '"')
        return failAt(scan, scan->at,
                      scan->at < scan->size ? "a key in quotes is expected here"
                                            : "the text ends too early");
    snStatus status = scanString(scan);
    if (status) return status;
    scan->tokens++;
    skipSpace(scan);
    if (peek(scan) != ':') return failAt(scan, scan->at, "':' is expected here");
    scan->at++;
    return SN_OK;
}

// Behind a complete value: closes containers and passes commas until another value must follow.
static snStatus scanAfterValue(Scan *scan)
{
    while (scan->depth > 0) {
        char open = scan->stack[scan->depth - 1];
        skipSpace(scan);
        if (peek(scan) == ',') {
            scan->at++;
            return open == '{' ? scanKey(scan) : SN_OK;
        }
        if (peek(scan) != (open == '{' ? '}' : ']'))
            return failAt(scan, scan->at,
                          scan->at >= scan->size ? "the text ends too early"
                          : open == '{'          ? "',' or '}' is expected here"
                                                 : "',' or ']' is expected here");
        scan->at++;
        scan->depth--;
    }
    return SN_OK;
}

// One value, or the opening of a container and all that must stand before its first value.
static snStatus scanValue(Scan *scan)
{
    skipSpace(scan);
    if (scan->tokens >= INT_MAX / 2) return failAt(scan, scan->at, "too many values");
    scan->tokens++;
    char c = peek(scan);
    if (c != '{' && c != '[') {
        snStatus status = scanScalar(scan);
        return status ? status : scanAfterValue(scan);
    }
    if (scan->depth == SN_JSON_MAX_DEPTH)
        return failAt(scan, scan->at, "nested more than 256 levels deep");
    scan->stack[scan->depth++] = c;
    scan->at++;
    skipSpace(scan);
    if (peek(scan) == (c == '{' ? '}' : ']')) return scanAfterValue(scan);
    return c == '{' ? scanKey(scan) : SN_OK;
}

static snStatus scanDocument(Scan *scan)
{
    do {
        snStatus status = scanValue(scan);
        if (status) return status;
    } while (scan->depth > 0);
    skipSpace(scan);
    if (scan->at < scan->size) return failAt(scan, scan->at, "text after the end of the document");
    return SN_OK;
}

// ---- from tokens to nodes ----

static snJsonKind kindOf(const jsmntok_t *token, const char *text)
{
    switch (token->type) {
    case JSMN_OBJECT:
        return SN_JSON_OBJECT;
    case JSMN_ARRAY:
        return SN_JSON_ARRAY;
    case JSMN_STRING:
        return SN_JSON_STRING;
    default:
        break;
    }
    char c = text[token->start];
    return c == 'n' ? SN_JSON_NULL : c == 't' || c == 'f' ? SN_JSON_BOOL : SN_JSON_NUMBER;
}

// Tokens come in the order of the text: keys are children of objects, members' values children of
// their keys. A token's size field, once used, holds the number of its node.
static void addNodes(snJson *json, jsmntok_t *tokens, int tokenCount)
{
    for (int t = 0; t < tokenCount; t++) {
        jsmntok_t *token = &tokens[t];
        const jsmntok_t *parent = token->parent >= 0 ? &tokens[token->parent] : NULL;
        if (parent && parent->type == JSMN_OBJECT) continue; // a key: its value refers to it
        const jsmntok_t *key = parent && parent->type == JSMN_STRING ? parent : NULL;
        const jsmntok_t *holder = key ? &tokens[key->parent] : parent;
        snJsonNode *node = &json->nodes[json->nodeCount];
        int quote = token->type == JSMN_STRING ? 1 : 0;
        *node = (snJsonNode){.kind = kindOf(token, json->text),
                             .start = token->start - quote,
                             .end = token->end + quote,
                             .keyStart = key ? key->start - 1 : 0,
                             .keyEnd = key ? key->end + 1 : 0,
                             .parent = holder ? holder->size : -1};
        if (holder) node->index = json->nodes[node->parent].childCount++;
        token->size = json->nodeCount++;
    }
}

static void fillSlots(snJson *json)
{
    int used = 0;
    for (int n = 0; n < json->nodeCount; n++) {
        json->nodes[n].firstSlot = used;
        used += json->nodes[n].childCount;
    }
    for (int n = 1; n < json->nodeCount; n++) {
        const snJsonNode *node = &json->nodes[n];
        json->slots[json->nodes[node->parent].firstSlot + node->index] = n;
    }
}

// jsmn wants something behind a number, so that a document that is a single scalar is made here.
static void makeScalarRoot(snJson *json)
{
    size_t start = 0, end = json->size;
    while (strchr(" \t\r\n", json->text[start]))
        start++;
    while (strchr(" \t\r\n", json->text[end - 1]))
        end--;
    char c = json->text[start];
    json->nodes[0] = (snJsonNode){.kind = c == '"'               ? SN_JSON_STRING
                                          : c == 'n'             ? SN_JSON_NULL
                                          : c == 't' || c == 'f' ? SN_JSON_BOOL
                                                                 : SN_JSON_NUMBER,
                                  .start = (int)start,
                                  .end = (int)end,
                                  .parent = -1};
    json->nodeCount = 1;
}

static snStatus tokenize(snJson *json, int tokenCount, const snAllocator *allocator, snError *error)
{
    jsmntok_t *tokens =
        allocator->allocate(allocator->user, (size_t)tokenCount * sizeof(jsmntok_t));
    if (!tokens) return snFailMemory(error);
    jsmn_parser parser;
    jsmn_init(&parser);
    int found = jsmn_parse(&parser, json->text, json->size, tokens, (unsigned)tokenCount);
    if (found == tokenCount) addNodes(json, tokens, tokenCount);
    allocator->release(allocator->user, tokens);
    if (found != tokenCount)
        return snFail(error, SN_ERROR_FORMAT, "broken JSON: the tokenizer stops at byte %u",
                      parser.pos);
    return SN_OK;
}

snStatus snJson_Parse(snJson *json, const char *text, size_t size, snArena *arena, snError *error)
{
    if (size >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3)) text += 3, size -= 3;
    *json = (snJson){.text = text, .size = size};
    if (size > INT_MAX / 2)
        return snFail(error, SN_ERROR_FORMAT, "JSON of more than 1 GiB (%zu bytes)", size);
    Scan scan = {.text = text, .size = size, .error = error};
    snStatus status = scanDocument(&scan);
    if (status) return status;
    snArenaMark mark = snArena_Mark(arena);
    json->nodes = SN_NEW(arena, snJsonNode, scan.tokens);
    json->slots = SN_NEW(arena, int, scan.tokens);
    if (!json->nodes || !json->slots)
        status = snFailMemory(error);
    else if (scan.tokens == 1 && !memchr(text, '{', size) && !memchr(text, '[', size))
        makeScalarRoot(json);
    else
        status = tokenize(json, scan.tokens, &arena->allocator, error);
    if (status) {
        snArena_Rewind(arena, mark);
        return status;
    }
    fillSlots(json);
    json->root = json->nodes;
    return SN_OK;
}
