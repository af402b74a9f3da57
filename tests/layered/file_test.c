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

// Each setting by itself: as it stands, the ends of its range too, and refused beyond them by its path.
static void everySettingIsRead(void)
{
    static const struct {
        const char *key, *values[2], *wrong[2];
    } settings[] = {
        {"duration", {"0", "1e6"}, {"-1", "2e6"}},
        {"rate", {"1", "1000"}, {"0.5", "1001"}},
        {"tolerance", {"1e-12", "1"}, {"0", "2"}},
        {"step", {"1e-7", "0.1"}, {"0", "0.2"}},
        {"design-rows", {"3", "4096"}, {"2", "4097"}},
        {"design-columns", {"3", "4096"}, {"2", "4097"}},
        {"final-rows", {"3", "4096"}, {"2", "4097"}},
        {"final-columns", {"3", "4096"}, {"2", "4097"}},
        {"pace", {"0", "1000"}, {"-1", "1001"}},
        {"correction", {"1e-9", "10"}, {"0", "11"}},
        {"loop", {"true", "false"}, {"0", "\"yes\""}},
        {"fixed", {"true", "false"}, {"0", "\"yes\""}},
        {"integrator", {"\"euler\"", "\"rosenbrock\""}, {"\"rk3\"", "4"}},
        {"current", {"\"a\"", "\"b\""}, {"\"c\"", "0"}},
        {"gravity", {"[0, 0, 0]", "[1e4, -1e4, 2]"}, {"[0, 0]", "[0, 2e4, 0]"}},
        {"title", {"\"\"", "\"a figure\""}, {"3", "[]"}},
    };
    snContext context = snDefaultContext();
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        char text[300], path[80];
        snLayeredSettings read[2];
        for (int k = 0; k < 2; k++) {
            snEditor editor;
            snError error = {0};
            snprintf(text, sizeof text, HEAD JOINTS ", \"settings\": {\"%s\": %s}}",
                     settings[i].key, settings[i].values[k]);
            if (!CHECK(snEditor_Read(&editor, text, strlen(text), &context, &error) == SN_OK)) {
                printf("    %s\n", error.message);
                continue;
            }
            read[k] = *snLayered_Settings(&editor.layered);
            snEditor_Destroy(&editor);
            snprintf(text, sizeof text, HEAD JOINTS ", \"settings\": {\"%s\": %s}}",
                     settings[i].key, settings[i].wrong[k]);
            snprintf(path, sizeof path, "settings.%s", settings[i].key);
            expect(text, path);
        }
        if (!CHECK(memcmp(&read[0], &read[1], sizeof read[0]) != 0))
            printf("    %s is not kept\n", settings[i].key);
    }
}

// A skin of no rows of its own has those for designing; a joint of no parent hangs on the current one.
static void settingsAreUsed(void)
{
    snContext context = snDefaultContext();
    snEditor editor;
    snError error = {0};
    static const char text[] = HEAD JOINTS
        ", \"settings\": {\"current\": \"a\", \"design-rows\": 5, \"design-columns\": 6}}";
    CHECK(snEditor_Read(&editor, text, strlen(text), &context, &error) == SN_OK);
    runScript(&editor, "joint add c at=0,0.3,0\nmuscle add m joint=a at=0,0.1,0\n"
                       "skin create bottom=a top=c\n");
    const snLayeredJoint *joints = snLayered_Joints(&editor.layered);
    const snLayeredSkin *skin = snLayered_Skin(&editor.layered);
    CHECK(snLayered_Count(&editor.layered, SN_TABLE_JOINTS) == 3 && joints[2].parent == 0);
    CHECK(skin && skin->rows == 5 && skin->columns == 6);
    snEditor_Destroy(&editor);
}

int main(void)
{
    RUN(roundTripIsExact);
    RUN(errorsNameTheirPaths);
    RUN(everySettingIsRead);
    RUN(settingsAreUsed);
    return snTest_Finish();
}
