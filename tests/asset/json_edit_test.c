#include "asset/json_edit.h"
#include "core/random.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

static const char *const original = "{ \"asset\" : {\"version\":\"2.0\"} ,\n"
                                    "  \"meshes\":[ {\"name\":\"a\"} , {} ],\"empty\":[ ],\n"
                                    "  \"number\" : 17\t}\n";

typedef struct {
    snContext context;
    snArena arena;
    snJson json;
    snJsonEdit edit;
    snBytes out;
} Fixture;

static Fixture open(const char *text)
{
    Fixture f = {.context = snDefaultContext()};
    f.arena = snMakeArena(&f.context);
    f.out = snMakeBytes(&f.context);
    CHECK(!snJson_Parse(&f.json, text, strlen(text), &f.arena, NULL));
    return f;
}

static void check(Fixture *f, const char *expected)
{
    snError error = {0};
    CHECK(!snJsonEdit_Write(&f->edit, &f->out, &error));
    bool same = f->out.size == strlen(expected) && !memcmp(f->out.data, expected, f->out.size);
    if (!CHECK(same)) printf("    %.*s\n", (int)f->out.size, (char *)f->out.data);
    snBytes_Destroy(&f->out);
    snArena_Destroy(&f->arena);
}

static snJsonEdit *begin(Fixture *f)
{
    f->edit = snMakeJsonEdit(&f->json, &f->arena);
    return &f->edit;
}

static void noEditKeepsEveryByte(void)
{
    Fixture f = open(original);
    begin(&f);
    check(&f, original);
}

static void replaceInsertAppend(void)
{
    Fixture f = open(original);
    snJsonEdit *edit = begin(&f);
    const snJsonNode *root = f.json.root;
    snJsonEdit_Replace(edit, snJson_Member(&f.json, root, "number"), "18", 2);
    snJsonSpot meshes = snJsonEdit_Open(edit, snJsonEdit_Root(), "meshes", SN_JSON_ARRAY);
    CHECK(snJsonEdit_Append(edit, meshes, "1", 1) == 2);
    CHECK(snJsonEdit_Append(edit, meshes, "2", 1) == 3);
    CHECK(snJsonEdit_Count(edit, meshes) == 4);
    snJsonSpot second =
        snJsonEdit_Spot(&f.json, snJson_At(&f.json, snJson_Member(&f.json, root, "meshes"), 1));
    snJsonEdit_Put(edit, second, "weights", "[0]", 3);
    snJsonEdit_Put(edit, snJsonEdit_Root(), "new", "true", 4);
    snJsonSpot empty = snJsonEdit_Open(edit, snJsonEdit_Root(), "empty", SN_JSON_ARRAY);
    CHECK(snJsonEdit_Append(edit, empty, "null", 4) == 0);
    check(&f, "{ \"asset\" : {\"version\":\"2.0\"} ,\n"
              "  \"meshes\":[ {\"name\":\"a\"} , {\"weights\":[0]},1,2 ],\"empty\":[null ],\n"
              "  \"number\" : 18,\"new\":true\t}\n");
}

static void containersThatDoNotExistYet(void)
{
    Fixture f = open("{}");
    snJsonEdit *edit = begin(&f);
    for (int i = 0; i < 2; i++) {
        snJsonSpot list = snJsonEdit_Open(edit, snJsonEdit_Root(), "list", SN_JSON_ARRAY);
        CHECK(snJsonEdit_Append(edit, list, "{}", 2) == i);
    }
    snJsonSpot extras = snJsonEdit_Open(edit, snJsonEdit_Root(), "extras", SN_JSON_OBJECT);
    snJsonSpot names = snJsonEdit_Open(edit, extras, "na\"mes", SN_JSON_ARRAY);
    snJsonEdit_Append(edit, names, "\"x\"", 3);
    snJsonEdit_Put(edit, extras, "k", "1", 1);
    snJsonEdit_Put(edit, extras, "k", "2", 1);
    check(&f, "{\"list\":[{},{}],\"extras\":{\"na\\\"mes\":[\"x\"],\"k\":2}}");
}

static void removal(void)
{
    static const char *expected[] = {
        "{ \"a\":1 , \"b\":2 , \"c\":3 }",
        "{ \"b\":2 , \"c\":3 }",
        "{ \"a\":1 , \"c\":3 }",
        "{ \"c\":3 }",
        "{ \"a\":1 , \"b\":2 }",
        "{ \"b\":2 }",
        "{ \"a\":1 }",
        "{  }",
    };
    for (int mask = 0; mask < 8; mask++) {
        Fixture f = open("{ \"a\":1 , \"b\":2 , \"c\":3 }");
        snJsonEdit *edit = begin(&f);
        for (int i = 0; i < 3; i++)
            if (mask >> i & 1) snJsonEdit_Remove(edit, snJson_At(&f.json, f.json.root, i));
        check(&f, expected[mask]);
    }
    Fixture f = open("{\"uri\":\"x\"}");
    snJsonEdit *edit = begin(&f);
    snJsonEdit_Remove(edit, snJson_At(&f.json, f.json.root, 0));
    snJsonEdit_Put(edit, snJsonEdit_Root(), "bufferView", "3", 1);
    check(&f, "{\"bufferView\":3}");
}

static void laterReplacementWins(void)
{
    Fixture f = open("[1,[2,3],4]");
    snJsonEdit *edit = begin(&f);
    const snJsonNode *inner = snJson_At(&f.json, f.json.root, 1);
    snJsonEdit_Append(edit, snJsonEdit_Spot(&f.json, inner), "9", 1);
    snJsonEdit_Replace(edit, snJson_At(&f.json, inner, 0), "8", 1);
    snJsonEdit_Replace(edit, inner, "false", 5);
    snJsonEdit_Replace(edit, inner, "true", 4);
    check(&f, "[1,true,4]");
}

static void wrongKindIsReported(void)
{
    Fixture f = open("{\"extras\":7}");
    snJsonEdit *edit = begin(&f);
    snJsonSpot spot = snJsonEdit_Open(edit, snJsonEdit_Root(), "extras", SN_JSON_OBJECT);
    snJsonEdit_Put(edit, spot, "a", "1", 1); // does nothing any more
    snError error = {0};
    CHECK(snJsonEdit_Write(edit, &f.out, &error) == SN_ERROR_FORMAT);
    CHECK(!strcmp(error.message, "extras: a number instead of an object"));
    snBytes_Destroy(&f.out);
    snArena_Destroy(&f.arena);
}

// Many edits at random: what was not edited is found again, and the result parses.
static void randomEditsStayValid(void)
{
    snRandom random = snMakeRandom(5);
    for (int round = 0; round < 200; round++) {
        Fixture f = open(original);
        snJsonEdit *edit = begin(&f);
        for (int i = 0; i < 6; i++) {
            const snJsonNode *node = &f.json.nodes[snRandom_Below(&random, f.json.nodeCount)];
            snJsonSpot spot = snJsonEdit_Spot(&f.json, node);
            if (node->kind == SN_JSON_ARRAY)
                snJsonEdit_Append(edit, spot, "[5]", 3);
            else if (node->kind == SN_JSON_OBJECT)
                snJsonEdit_Put(edit, spot, "zz", "{}", 2);
            else if (snRandom_Below(&random, 2))
                snJsonEdit_Replace(edit, node, "\"r\"", 3);
            else
                snJsonEdit_Remove(edit, node);
        }
        CHECK(!snJsonEdit_Write(edit, &f.out, NULL));
        snJson again;
        CHECK(!snJson_Parse(&again, (char *)f.out.data, f.out.size, &f.arena, NULL));
        snBytes_Destroy(&f.out);
        snArena_Destroy(&f.arena);
    }
}

static void everyAllocationMayFail(void)
{
    for (int failAt = 1; failAt < 200; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snArena arena = snMakeArena(&context);
        snBytes out = snMakeBytes(&context);
        snJson json;
        snStatus status = snJson_Parse(&json, original, strlen(original), &arena, NULL);
        if (!status) {
            snJsonEdit edit = snMakeJsonEdit(&json, &arena);
            snJsonSpot list = snJsonEdit_Open(&edit, snJsonEdit_Root(), "list", SN_JSON_ARRAY);
            for (int i = 0; i < 2000; i++)
                snJsonEdit_Append(&edit, list, "[123]", 5);
            status = snJsonEdit_Write(&edit, &out, NULL);
        }
        snBytes_Destroy(&out);
        snArena_Destroy(&arena);
        CHECK(memory.alive == 0);
        if (memory.count < failAt) {
            CHECK(status == SN_OK);
            return;
        }
        CHECK(status == SN_ERROR_MEMORY);
    }
    CHECK(false); // never succeeded
}

int main(void)
{
    RUN(noEditKeepsEveryByte);
    RUN(replaceInsertAppend);
    RUN(containersThatDoNotExistYet);
    RUN(removal);
    RUN(laterReplacementWins);
    RUN(wrongKindIsReported);
    RUN(randomEditsStayValid);
    RUN(everyAllocationMayFail);
    return snTest_Finish();
}
