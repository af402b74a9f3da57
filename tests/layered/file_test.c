// The document as JSON: written, read and written again it is the same, to the byte; what is wrong is named by its path.
#include "tests/layered/made.h"

static void roundTripIsExact(void)
{
    snContext context = snDefaultContext();
    snEditor editor = makeEditor(FIGURE), again;
    snError error = {0};
    for (int round = 0; round < 2; round++) {
        snBytes first = written(&editor);
        if (!CHECK(snEditor_Read(&again, (const char *)first.data, first.size, &context, &error) ==
                   SN_OK)) {
            printf("%s\n", error.message);
            return;
        }
        snBytes second = written(&again);
        CHECK(isSame(&first, &second));
        // Not only as text: every row is the same, bit for bit.
        for (int t = 0; t < SN_TABLE_COUNT; t++) {
            const snRows *a = &editor.layered.tables[t], *b = &again.layered.tables[t];
            CHECK(a->count == b->count);
            CHECK(!a->count ||
                  !memcmp(a->data, b->data, (size_t)a->count * snTable_RowSize((snTable)t)));
        }
        CHECK(snEditor_UndoCount(&again) == 0);
        snBytes_Destroy(&first);
        snBytes_Destroy(&second);
        snEditor_Destroy(&again);
        runScript(&editor, "skin mesh cell=6cm blend=4cm\nskin attach\n"); // then as a mesh
    }
    snEditor_Destroy(&editor);
}

static void expect(const char *text, const char *message)
{
    snContext context = snDefaultContext();
    snEditor editor;
    snError error = {0};
    CHECK(snEditor_Read(&editor, text, strlen(text), &context, &error) != SN_OK);
    if (!CHECK(strstr(error.message, message))) printf("is: %s\nnot: %s\n", error.message, message);
}

#define HEAD "{\"format\": \"sinew-character\", \"version\": 1, "
#define JOINTS "\"joints\": [{\"name\": \"a\"}, {\"name\": \"b\", \"parent\": \"a\"}]"

static void errorsNameTheirPaths(void)
{
    expect("[]", "(document): must be an object");
    expect("{\"format\": \"x\"}", "is no character");
    expect("{\"format\": \"sinew-character\", \"version\": 9}", "version 9");
    expect(HEAD "\"joint\": []}", "there is nothing called \"joint\"; did you mean \"joints\"?");
    expect(HEAD "\"joints\": [{\"name\": \"a\", \"kind\": \"hing\"}]}",
           "joints[0].kind: is \"hing\"; it must be one of ball, hinge, fixed; did you mean");
    expect(HEAD "\"joints\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}", "joints[1].name: \"a\" is");
    expect(HEAD "\"joints\": [{\"name\": \"b\", \"parent\": \"bb\"}]}",
           "joints[0].parent: there is no");
    expect(HEAD "\"joints\": [{\"at\": [1, 2, 3]}]}", "joints[0]: \"name\" is missing");
    expect(HEAD "\"joints\": [{\"name\": \"a b\"}]}", "joints[0].name: the name \"a b\"");
    expect(HEAD "\"joints\": [{\"name\": \"a\", \"at\": [1, 2]}]}",
           "joints[0].at: must be a list of 3");
    expect(HEAD "\"joints\": [{\"name\": \"a\", \"turn\": [0, 0, 0, 2]}]}",
           "joints[0].turn[3]: is 2");
    expect(HEAD "\"joints\": [{\"name\": \"a\", \"turn\": [0, 0, 0, 0.5]}]}",
           "joints[0].turn: is no rotation");
    expect(HEAD "\"joints\": [{\"name\": \"a\", \"low\": [9, 0, 0], \"high\": [1, 0, 0]}]}",
           "joints[0].low");
    expect(HEAD JOINTS ", \"muscles\": [{\"name\": \"m\"}]}", "muscles[0]: \"joint\" is missing");
    expect(HEAD JOINTS ", \"muscles\": [{\"name\": \"m\", \"joint\": \"a\", \"size\": [0, 1, 1]}]}",
           "muscles[0].size[0]: is 0");
    expect(HEAD JOINTS ", \"muscles\": [{\"name\": \"m\", \"joint\": \"a\", \"twist\": {\"keys\": "
                       "[[1, 2], [1, 3]]}}]}",
           "muscles[0].twist.keys[1]: 1 does not come after 1");
    expect(HEAD JOINTS
           ", \"muscles\": [{\"name\": \"m\", \"joint\": \"a\", \"twist\": {\"map\": [[1, 2]]}}]}",
           "muscles[0].twist: \"joint\" is missing");
    expect(HEAD JOINTS
           ", \"muscles\": [{\"name\": \"m\", \"joint\": \"a\", \"bulges\": [{\"high\": 1}]}]}",
           "muscles[0].bulges[0]: there is nothing called \"high\"");
    expect(HEAD JOINTS
           ", \"skin\": {\"bottom\": \"a\", \"top\": \"b\", \"rows\": 3, \"columns\": 3, "
           "\"points\": {\"place\": [[0, 0, 0]]}}}",
           "skin.points.place: has 1 places; rows times columns are 9");
    expect(HEAD JOINTS ", \"skin\": {\"points\": {}}}", "skin: a grid needs");
    expect(HEAD JOINTS
           ", \"postures\": [{\"name\": \"p\", \"time\": 1}, {\"name\": \"q\", \"time\": 1}]}",
           "postures[1]: its \"time\"");
    expect(HEAD JOINTS ", \"postures\": [{\"name\": \"p\", \"joints\": {\"c\": {}}}]}",
           "postures[0].joints.c");
    expect(HEAD JOINTS ", \"settings\": {\"rate\": 0}}",
           "settings.rate: is 0; it must be from 1 to 1000");
    expect(HEAD JOINTS ", \"settings\": {\"loop\": 1}}", "settings.loop");
}

int main(void)
{
    RUN(roundTripIsExact);
    RUN(errorsNameTheirPaths);
    return snTest_Finish();
}
