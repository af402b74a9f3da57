#include "asset/json.h"
#include "asset/json_write.h"
#include "tests/failing_memory.h"
#include "tests/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    snContext context;
    snArena arena;
    snJson json;
    snError error;
    snStatus status;
} Fixture;

static Fixture parse(const char *text, size_t size)
{
    Fixture f = {.context = snDefaultContext()};
    f.arena = snMakeArena(&f.context);
    // An exact copy on the heap, so that the sanitizer sees a read beyond the end.
    char *copy = malloc(size ? size : 1);
    if (size) memcpy(copy, text, size);
    char *kept = snArena_CopyString(&f.arena, text, size);
    f.status = snJson_Parse(&f.json, copy, size, &f.arena, &f.error);
    f.json.text = kept + (f.json.text - copy);
    free(copy);
    return f;
}

static bool parses(const char *text)
{
    Fixture f = parse(text, strlen(text));
    snArena_Destroy(&f.arena);
    return f.status == SN_OK;
}

static void grammarAccepts(void)
{
    static const char *good[] = {
        "{}",
        "[]",
        "0",
        "-0",
        "1.5e+10",
        "  \"a{b\"  ",
        "true",
        "false",
        "null",
        "[1,2,3]",
        "{\"a\":1}",
        "{\"a\":{\"b\":[{},[],\"\",null]}}",
        " [ 1 , 2 ] ",
        "\t\r\n[0]\n",
        "[1E5,1e-5,-1.25,0.0]",
        "[\"\\u00e9\\n\\\"\\\\\\/\\b\\f\\r\\t\"]",
        "{\"\":0}",
        "{\"a\":1,\"a\":2}",
        "[\"\x7f\"]",
        "[\"\xc3\xa9\"]",
        "\xEF\xBB\xBF{}",
        "[[[[[[]]]]]]",
        "[{\"a\":[]},{\"b\":{}}]",
        "-1",
        "[\"{\",\"[\",\":\",\",\"]",
        "\"\"",
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!CHECK(parses(good[i]))) printf("    refused: %s\n", good[i]);
}

static void grammarRefuses(void)
{
    static const char *bad[] = {
        "",
        " ",
        "{",
        "}",
        "[",
        "]",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{a:1}",
        "{1:2}",
        "{\"a\" 1}",
        "{\"a\":1 \"b\":2}",
        "[1}",
        "{\"a\":1]",
        "01",
        "-",
        "+1",
        ".5",
        "1.",
        "1e",
        "1e+",
        "0x10",
        "NaN",
        "Infinity",
        "-Infinity",
        "tru",
        "truee",
        "nul",
        "'a'",
        "\"a",
        "\"a\\\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u123",
        "\"a\nb\"",
        "\"a\tb\"",
        "[1]x",
        "[1][2]",
        "{}{}",
        "1 2",
        "[1,,2]",
        "{\"a\"::1}",
        "{\"a\":1:2}",
        "[\"a\":1]",
        "[-]",
        "[1.e5]",
        "[--1]",
        "// c\n1",
        "/* c */1",
        "[1]/",
        "{\"a\":[}",
        ":",
        ",",
        "\"",
        "\\",
        "[\"\\ud8\"]",
        "{\"a\":1,\"b\"",
        "\xEF\xBB",
        "[1\x01]",
        "{{}}",
        "{[]:1}",
        "{\"a\":\"b\"\"c\"}",
        "[true false]",
        "[null,nul]",
        "\"\\",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (!CHECK(!parses(bad[i]))) printf("    accepted: %s\n", bad[i]);
    Fixture zero = parse("[1\0]", 4);
    CHECK(zero.status == SN_ERROR_FORMAT);
    snArena_Destroy(&zero.arena);
}

static void errorsNameLineAndColumn(void)
{
    Fixture f = parse("{\n  \"a\": 1,\n  \"b\": ?\n}", 22);
    CHECK(f.status == SN_ERROR_FORMAT);
    CHECK(strstr(f.error.message, "line 3, column 8") != NULL);
    snArena_Destroy(&f.arena);
}

static void depthBombIsRefused(void)
{
    size_t size = 4000000;
    char *text = malloc(size);
    memset(text, '[', size);
    Fixture f = parse(text, size);
    CHECK(f.status == SN_ERROR_FORMAT && strstr(f.error.message, "256") != NULL);
    snArena_Destroy(&f.arena);
    for (int depth = 256; depth <= 257; depth++) { // the cap itself is still allowed
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        f = parse(text, 2 * (size_t)depth);
        CHECK((f.status == SN_OK) == (depth == 256));
        snArena_Destroy(&f.arena);
    }
    free(text);
}

static void manyValuesStayLinear(void)
{
    int count = 400000;
    char *text = malloc((size_t)count * 6 + 3);
    char *p = text;
    *p++ = '[';
    for (int i = 0; i < count; i++)
        p += sprintf(p, "%s[%d]", i ? "," : "", i % 10);
    *p++ = ']';
    Fixture f = parse(text, (size_t)(p - text));
    CHECK(f.status == SN_OK && f.json.nodeCount == 2 * count + 1);
    int value = -1;
    const snJsonNode *row = snJson_At(&f.json, f.json.root, 123457);
    CHECK(snJson_AsInt(&f.json, snJson_At(&f.json, row, 0), 0, 9, &value, NULL) == SN_OK);
    CHECK(value == 7);
    snArena_Destroy(&f.arena);
    free(text);
}

static void lookupAndValues(void)
{
    const char *text = "{\"a\":[10,{\"b\":true,\"c\":-2.5}],\"n\":null,\"d\":1,\"d\":2,"
                       "\"k\\u0065y\":7,\"i\":3e0}";
    Fixture f = parse(text, strlen(text));
    const snJson *json = &f.json;
    CHECK(f.status == SN_OK);
    const snJsonNode *inner = snJson_At(json, snJson_Member(json, json->root, "a"), 1);
    double c = 0;
    bool b = false;
    int d = 0, key = 0, i = 0, absent = 42;
    CHECK(!snJson_ReadDouble(json, inner, "c", &c, NULL) && c == -2.5);
    CHECK(!snJson_ReadBool(json, inner, "b", &b, NULL) && b);
    CHECK(!snJson_ReadInt(json, json->root, "d", 0, 9, &d, NULL) && d == 2); // the last one counts
    CHECK(!snJson_ReadInt(json, json->root, "key", 0, 9, &key, NULL) && key == 7);
    CHECK(!snJson_ReadInt(json, json->root, "i", 0, 9, &i, NULL) && i == 3);
    CHECK(!snJson_ReadInt(json, json->root, "none", 0, 9, &absent, NULL) && absent == 42);
    CHECK(!snJson_Member(json, snJson_At(json, NULL, 3), "x") && snJson_Count(NULL) == 0);
    CHECK(snJson_ReadInt(json, inner, "c", -9, 9, &d, &f.error) == SN_ERROR_FORMAT);
    CHECK(!strcmp(f.error.message, "a[1].c: -2.5 is not a whole number"));
    CHECK(snJson_ReadInt(json, json->root, "key", 0, 5, &d, &f.error) == SN_ERROR_FORMAT);
    CHECK(snJson_ReadBool(json, json->root, "n", &b, &f.error) == SN_ERROR_FORMAT);
    CHECK(!strcmp(f.error.message, "n: null instead of true or false"));
    CHECK(snJson_Require(json, inner, "z", &f.error) == SN_ERROR_FORMAT);
    CHECK(!strcmp(f.error.message, "a[1]: 'z' is missing"));
    double pair[2];
    CHECK(snJson_ReadDoubles(json, json->root, "a", 3, pair, &f.error) == SN_ERROR_FORMAT);
    CHECK(!strcmp(f.error.message, "a: 2 numbers instead of 3"));
    snArena_Destroy(&f.arena);
}

static void checkString(const char *jsonText, const char *expected)
{
    Fixture f = parse(jsonText, strlen(jsonText));
    const char *decoded = "";
    CHECK(f.status == SN_OK);
    if (!f.status) CHECK(!snJson_AsString(&f.json, f.json.root, &f.arena, &decoded, NULL));
    if (!CHECK(!strcmp(decoded, expected))) printf("    %s gave %s\n", jsonText, decoded);
    if (!f.status && !strstr(expected, "\xEF\xBF\xBD"))
        CHECK(snJson_IsText(&f.json, f.json.root, expected));
    snArena_Destroy(&f.arena);
}

static void stringsDecode(void)
{
    checkString("\"plain\"", "plain");
    checkString("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t");
    checkString("\"\\u0041\\u00e9\\u20AC\"", "A\xC3\xA9\xE2\x82\xAC");
    checkString("\"\\ud83d\\ude00\"", "\xF0\x9F\x98\x80");         // a surrogate pair
    checkString("\"\\ud83d!\"", "\xEF\xBF\xBD!");                  // a half alone
    checkString("\"\\ude00\\ud83d\"", "\xEF\xBF\xBD\xEF\xBF\xBD"); // in the wrong order
    checkString("\"a\\u0000b\"", "a\xEF\xBF\xBD"
                                 "b"); // no zero inside C strings
    checkString("\"\xF0\x9F\x98\x80\"", "\xF0\x9F\x98\x80");
    checkString("\"x\xff"
                "y\xc3\"",
                "x\xEF\xBF\xBDy\xEF\xBF\xBD"); // not UTF-8
    checkString("\"\xed\xa0\x80\"", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

// The second byte decides whether three or four are a character: no overlong forms, no surrogates, nothing beyond U+10FFFF.
static void utf8IsTold(void)
{
    static const char *const good[] = {"",
                                       "plain",
                                       "\xC3\xA9",
                                       "\xE0\xA0\x80",
                                       "\xED\x9F\xBF",
                                       "\xEF\xBF\xBD",
                                       "\xF0\x90\x80\x80",
                                       "\xF4\x8F\xBF\xBF"};
    static const char *const bad[] = {"\x80",         "\xC1\xBF",         "\xC3",
                                      "a\xC3z",       "\xE0\x9F\xBF",     "\xED\xA0\x80",
                                      "\xE2\x82",     "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
                                      "\xF0\x9F\x98", "\xF5\x80\x80\x80", "\xFF"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CHECK(snIsUtf8(good[i], strlen(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK(!snIsUtf8(bad[i], strlen(bad[i])));
    checkString("\"\\ud83dx\\u0041\"", "\xEF\xBF\xBDxA");
    checkString("\"\\ud83d\\u0041\"", "\xEF\xBF\xBD"
                                      "A"); // a half, then something whole
    checkString("\"\\ud83d\\n01234\"", "\xEF\xBF\xBD\n01234");
    checkString("\"\\ud83d\"", "\xEF\xBF\xBD");
}

static void writerMakesWhatParses(void)
{
    snContext context = snDefaultContext();
    snBytes bytes = snMakeBytes(&context);
    for (int pretty = 0; pretty < 2; pretty++) {
        snBytes_Clear(&bytes);
        snJsonWriter w = snMakeJsonWriter(&bytes, pretty);
        double numbers[] = {1, 0.1, -2.5e-8};
        snJsonWriter_BeginObject(&w);
        snJsonWriter_PutString(&w, "name", "a \"b\"\n\x01\\");
        snJsonWriter_PutDoubles(&w, "numbers", numbers, 3);
        snJsonWriter_Key(&w, "list");
        snJsonWriter_BeginArray(&w);
        snJsonWriter_BeginObject(&w);
        snJsonWriter_EndObject(&w);
        snJsonWriter_Null(&w);
        snJsonWriter_Double(&w, (double)INFINITY);
        snJsonWriter_EndArray(&w);
        snJsonWriter_PutBool(&w, "yes", true);
        snJsonWriter_EndObject(&w);
        const char *expected =
            pretty ? "{\n  \"name\": \"a \\\"b\\\"\\n\\u0001\\\\\",\n"
                     "  \"numbers\": [1, 0.1, -2.5e-8],\n  \"list\": [\n    {},\n    null,\n"
                     "    null\n  ],\n  \"yes\": true\n}\n"
                   : "{\"name\":\"a \\\"b\\\"\\n\\u0001\\\\\",\"numbers\":[1,0.1,-2.5e-8],"
                     "\"list\":[{},null,null],\"yes\":true}";
        CHECK(bytes.size == strlen(expected) && !memcmp(bytes.data, expected, bytes.size));
        Fixture f = parse((char *)bytes.data, bytes.size);
        const char *name = "";
        CHECK(f.status == SN_OK);
        CHECK(!snJson_ReadString(&f.json, f.json.root, "name", &f.arena, &name, NULL));
        CHECK(!strcmp(name, "a \"b\"\n\x01\\"));
        snArena_Destroy(&f.arena);
    }
    snBytes_Destroy(&bytes);
}

static snStatus parseText(const void *text, snArena *arena, const snContext *context)
{
    snJson json;
    snError error;
    (void)context;
    return snJson_Parse(&json, text, strlen(text), arena, &error);
}

static void everyAllocationMayFail(void)
{
    failEvery(parseText, "{\"a\":[1,2,{\"b\":\"c\"}]}", 0);
}

int main(void)
{
    RUN(grammarAccepts);
    RUN(grammarRefuses);
    RUN(errorsNameLineAndColumn);
    RUN(depthBombIsRefused);
    RUN(manyValuesStayLinear);
    RUN(lookupAndValues);
    RUN(stringsDecode);
    RUN(utf8IsTold);
    RUN(writerMakesWhatParses);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
