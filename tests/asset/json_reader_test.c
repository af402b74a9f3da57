// Documents whose mistakes are told: the first one is kept, and nothing is read after it.
#include "asset/json_reader.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

typedef struct Document {
    snContext context;
    snArena arena;
    snJson json;
    snError error;
    snReader r;
} Document;

static void openText(Document *d, const char *text)
{
    *d = (Document){.context = snDefaultContext()};
    d->arena = snMakeArena(&d->context);
    CHECK(snJson_Parse(&d->json, text, strlen(text), &d->arena, NULL) == SN_OK);
    d->r = (snReader){&d->json, &d->arena, &d->context, NULL, SN_OK, &d->error};
}

static const snJsonNode *at(const Document *d, const char *key)
{
    return snJson_Member(&d->json, d->json.root, key);
}

static void closeText(Document *d)
{
    snArena_Destroy(&d->arena);
}

static void valuesAreRead(void)
{
    static const char *const kinds[] = {"ball", "hinge"};
    static const char *const keys[] = {"size", "angle", "at", "turn",
                                       "kind", "count", "on", "name"};
    Document d;
    double size = 0, angle = 0;
    snVec3 place = {0, 0, 0};
    snQuat turn = {0, 0, 0, 1};
    int kind = 0, count = 0;
    bool on = false;
    const char *name = NULL;
    openText(
        &d,
        "{\"size\": \"30 cm\", \"angle\": 180, \"at\": [1, \"2mm\", 3], \"turn\": [0, 0, 3, 4], "
        "\"kind\": \"hinge\", \"count\": 3, \"on\": true, \"name\": \"a\"}");
    const snJsonNode *root = d.json.root;
    snReader_Keys(&d.r, root, keys, 8);
    snReader_Number(&d.r, root, "size", (snRange){0, 1, SN_QUANTITY_LENGTH}, &size);
    snReader_Number(&d.r, root, "angle", (snRange){0, 4, SN_QUANTITY_ANGLE}, &angle);
    snReader_Vector(&d.r, root, "at", SN_QUANTITY_LENGTH, &place);
    snReader_QuatOf(&d.r, at(&d, "turn"), &turn);
    snReader_Word(&d.r, root, "kind", kinds, 2, &kind);
    snReader_Int(&d.r, root, "count", 0, 3, &count);
    snReader_Bool(&d.r, root, "on", &on);
    snReader_Text(&d.r, root, "name", &name);
    CHECK(d.r.status == SN_OK);
    CHECK_NEAR(size, 0.3, 1e-15);
    CHECK_NEAR(angle, 3.141592653589793, 1e-15);
    CHECK(place.x == 1 && place.y == 0.002 && place.z == 3 && turn.z == 3 && turn.w == 4);
    CHECK(kind == 1 && count == 3 && on && name && !strcmp(name, "a"));
    closeText(&d);
}

static void absentMembersStay(void)
{
    static const char *const kinds[] = {"ball"};
    Document d;
    double size = 7;
    int kind = 5;
    openText(&d, "{}");
    snReader_Number(&d.r, d.json.root, "size", (snRange){0, 1, SN_QUANTITY_PLAIN}, &size);
    snReader_Word(&d.r, d.json.root, "kind", kinds, 1, &kind);
    CHECK(!snReader_List(&d.r, d.json.root, "list") && !snReader_Object(&d.r, d.json.root, "x"));
    CHECK(d.r.status == SN_OK && size == 7 && kind == 5);
    snReader_Need(&d.r, d.json.root, "size");
    CHECK(d.r.status == SN_ERROR_FORMAT);
    CHECK(!strcmp(d.error.message, "(document): \"size\" is missing"));
    closeText(&d);
}

// ---- what is wrong ------------------------------------------------------------------------------

static void readPair(snReader *r, const snJsonNode *node)
{
    double pair[2];
    snReader_ValuesIn(r, node, 2, 0, 1, pair);
}

static void readRatio(snReader *r, const snJsonNode *node)
{
    double ratio;
    snReader_ValueIn(r, node, 0, 1e12, &ratio);
}

static void readLength(snReader *r, const snJsonNode *node)
{
    double length;
    snReader_Value(r, node, (snRange){0, 10, SN_QUANTITY_LENGTH}, &length);
}

static void readKind(snReader *r, const snJsonNode *node)
{
    static const char *const kinds[] = {"ball", "hinge"};
    int kind;
    snReader_WordOf(r, node, kinds, 2, &kind);
}

static void readTurn(snReader *r, const snJsonNode *node)
{
    snQuat turn;
    snReader_QuatOf(r, node, &turn);
}

static void readJoint(snReader *r, const snJsonNode *node)
{
    static const char *const joints[] = {"hip", "knee"};
    const snNames names = snNames_OfList(joints, 2);
    snReader_FindName(r, node, "joint", snReader_TextOf(r, node), &names);
}

static void readObject(snReader *r, const snJsonNode *node)
{
    static const char *const keys[] = {"size"};
    snReader_Keys(r, node, keys, 1);
}

static void mistakesAreTold(void)
{
    static const struct {
        const char *value;
        void (*read)(snReader *r, const snJsonNode *node);
        const char *message;
    } cases[] = {
        {"[1]", readPair, "x: must be a list of 2 numbers"},
        {"7", readPair, "x: must be a list of 2 numbers"},
        {"[0, 2]", readPair, "x[1]: is 2; it must be from 0 to 1"},
        {"[0, \"1\"]", readPair, "x[1]: a string instead of a number"},
        {"-1", readRatio, "x: is -1; it must be 0 or more"},
        {"1e13", readRatio, "x: is 1e+13; it must be from 0 to 1e+12"},
        {"\"3 kg\"", readLength, "x: \"3 kg\" is no number with a unit (m, cm, mm, in, ft)"},
        {"\"1100 cm\"", readLength, "x: is 11; it must be from 0 to 10"},
        {"\"hindge\"", readKind,
         "x: is \"hindge\"; it must be one of ball, hinge; did you mean \"hinge\"?"},
        {"\"elephant\"", readKind, "x: is \"elephant\"; it must be one of ball, hinge"},
        {"1", readKind, "x: a number instead of a string"},
        {"[0, 0, 0, 0]", readTurn, "x: is no rotation: it is zero"},
        {"\"hpi\"", readJoint, "x: there is no joint \"hpi\"; did you mean \"hip\"?"},
        {"{\"sise\": 1}", readObject,
         "x: there is nothing called \"sise\"; did you mean \"size\"?"},
        {"[]", readObject, "x: is an array; it must be an object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        Document d;
        snprintf(text, sizeof text, "{\"x\": %s}", cases[i].value);
        openText(&d, text);
        cases[i].read(&d.r, at(&d, "x"));
        CHECK(d.r.status == SN_ERROR_FORMAT);
        if (!CHECK(!strcmp(d.error.message, cases[i].message)))
            printf("    '%s' instead of '%s'\n", d.error.message, cases[i].message);
        closeText(&d);
    }
}

static void theFirstMistakeIsKept(void)
{
    static const char *const names[] = {"a", "b", "a"};
    const snNames list = snNames_OfList(names, 3);
    Document d;
    double size = 7;
    openText(&d,
             "{\"list\": [{\"name\": \"a\"}, {\"name\": \"b\"}, {\"name\": \"a\"}], \"size\": 3}");
    snReader_CheckNames(&d.r, at(&d, "list"), "list", &list);
    CHECK(!strcmp(d.error.message, "list[2].name: list[0] has this name too"));
    snReader_Number(&d.r, d.json.root, "size", (snRange){0, 9, SN_QUANTITY_PLAIN}, &size);
    snReader_Fail(&d.r, d.json.root, "is wrong, too");
    CHECK(size == 7 && !*snReader_TextOf(&d.r, at(&d, "size")));
    CHECK(snReader_FindTwice(&d.r, &list).later == -1);
    CHECK(!strcmp(d.error.message, "list[2].name: list[0] has this name too"));
    closeText(&d);
}

int main(void)
{
    RUN(valuesAreRead);
    RUN(absentMembersStay);
    RUN(mistakesAreTold);
    RUN(theFirstMistakeIsKept);
    return snTest_Finish();
}
