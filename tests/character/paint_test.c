// Painted maps: names, channels, parts without them, values out of range.
#include "character/paint.h"

#include "core/core.h"
#include "tests/test.h"

#include <string.h>

enum { VERTICES = 3 };

typedef struct Painted {
    snPart parts[2];
    snAttribute attributes[3];
    snCharacter character;
} Painted;

static float colors[VERTICES * 4] = {1, 0, 0, 0.25f, 0, 1, 0, 0.5f, 0, 0, 1, 1};
static float more[VERTICES * 3] = {0, 0.5f, 1, 0.25f, 0.5f, 0.75f, 1, 1, 1};
static float soft[VERTICES] = {0, 0.25f, 7};
static float pair[VERTICES * 2] = {-1, 0, 0.5f, 1, 0.75f, 1};

// The first part is painted, the second is not.
static void makePainted(Painted *p)
{
    *p = (Painted){.attributes = {{"COLOR_1", 3, more}, {"_SOFTNESS", 1, soft}, {"_a.b", 2, pair}}};
    p->parts[0] = (snPart){.name = "body",
                           .vertexCount = VERTICES,
                           .colors = colors,
                           .attributeCount = 3,
                           .attributes = p->attributes};
    p->parts[1] = (snPart){.name = "clothes", .vertexCount = VERTICES};
    p->character = (snCharacter){.partCount = 2, .parts = p->parts, .vertexCount = 2 * VERTICES};
}

static void channels(void)
{
    static const struct {
        const char *map;
        float values[VERTICES];
    } cases[] = {{"COLOR_0", {0.2126f, 0.7152f, 0.0722f}},
                 {"COLOR_0.a", {0.25f, 0.5f, 1}},
                 {"COLOR_0.r", {1, 0, 0}},
                 {"color_0.y", {0, 1, 0}},
                 {"COLOR_1.b", {1, 0.75f, 1}},
                 {"COLOR_1.luminance", {0.4298f, 0.46490f, 1}},
                 {"_SOFTNESS", {0, 0.25f, 1}},
                 {"softness", {0, 0.25f, 1}},
                 {"_SOFTNESS.r", {0, 0.25f, 1}},
                 {"_a.b", {0, 0.5f, 0.75f}},
                 {"_a.b.y", {0, 1, 1}}};
    snContext context = snDefaultContext();
    Painted p;
    makePainted(&p);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float values[2 * VERTICES];
        if (!CHECK(snCharacter_ReadPaint(&p.character, cases[i].map, values, &context, NULL) ==
                   SN_OK))
            continue;
        for (int v = 0; v < VERTICES; v++) {
            CHECK_NEAR((double)values[v], (double)cases[i].values[v], 1e-4);
            CHECK(values[VERTICES + v] == SN_PAINT_NONE);
        }
    }
}

static void unknown(void)
{
    static const char *const wrong[] = {"COLOR_2",     "COLOR_0.q", "COLOR_0.",       "",  ".r",
                                        "_SOFTNESS.g", "_a.b.z",    "_a.b.luminance", "_", "a"};
    snContext context = snDefaultContext();
    snError error;
    float values[2 * VERTICES];
    char longest[400];
    Painted p;
    makePainted(&p);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(snCharacter_ReadPaint(&p.character, wrong[i], values, &context, &error) ==
              SN_ERROR_ARGUMENT);
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    longest[300] = '.';
    CHECK(snCharacter_ReadPaint(&p.character, longest, values, &context, &error) ==
          SN_ERROR_ARGUMENT);
    CHECK(snCharacter_ReadPaint(&p.character, "_SOFTNES.r", values, &context, &error));
    CHECK(strstr(error.message, "did you mean \"_SOFTNESS\"") != NULL);
    CHECK(strstr(error.message, "COLOR_0, COLOR_1, _SOFTNESS, _a.b") != NULL);
    p.parts[0].colors = NULL;
    p.parts[0].attributeCount = 0;
    CHECK(snCharacter_ReadPaint(&p.character, "COLOR_0", values, &context, &error));
    CHECK(strstr(error.message, "no mesh has vertex colours") != NULL);
}

// Names that differ in capitals only are told apart, and not guessed between.
static void alikeNames(void)
{
    snContext context = snDefaultContext();
    float values[2 * VERTICES];
    Painted p;
    makePainted(&p);
    p.attributes[0] = (snAttribute){"_Softness", 3, more};
    CHECK(snCharacter_ReadPaint(&p.character, "_Softness.r", values, &context, NULL) == SN_OK);
    CHECK(values[1] == 0.25f && values[2] == 1);
    CHECK(snCharacter_ReadPaint(&p.character, "softness", values, &context, NULL) != SN_OK);
    snAttribute list[8];
    CHECK(snCharacter_ListPaint(&p.character, list, 8) == 4);
    CHECK(snCharacter_ListPaint(&p.character, list, 2) == 2 && !strcmp(list[0].name, "COLOR_0"));
}

int main(void)
{
    RUN(channels);
    RUN(unknown);
    RUN(alikeNames);
    return snTest_Finish();
}
