// Documents and scripts that are broken in any way, and memory that runs out at any time: a status, never a crash, a leak
// or a document that does not hold together.
#include "tests/layered/made.h"

#include "core/random.h"

// Every allocation in turn, of making, editing, undoing, writing and reading. What was done before the failure stays.
static void everyAllocationFails(void)
{
    static const char script[] =
        "joint add a parent=none\njoint add b at=0,0.3,0\nmuscle add m joint=a at=0,0.15,0\n"
        "skin create bottom=a top=b rows=4 columns=4 rounds=2\nskin attach\nskin double\nposture "
        "keep p time=0\n"
        "pose reach b to=0.1,0.2,0\nposture keep q time=1\nmirror left=a right=c\nskin smooth\n"
        "joint move b by=0,0.1,0\nposture set p time=2\njoint delete b\nskin mesh "
        "cell=0.1\ncheck\n";
    for (int failAt = 1; failAt < 4000; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snEditor editor;
        snScriptReport report;
        snStatus status = snEditor_Make(&editor, &context, NULL);
        if (!status) {
            status = snScript_Run(&editor, script, sizeof script - 1, &report, NULL);
            CHECK(snLayered_Check(&editor.layered, NULL) == SN_OK && editor.depth == 0);
            while (snEditor_Undo(&editor)) {}
            CHECK(snLayered_Count(&editor.layered, SN_TABLE_JOINTS) == 0);
            while (snEditor_Redo(&editor)) {}
            CHECK(snLayered_Check(&editor.layered, NULL) == SN_OK);
            snEditor_Destroy(&editor);
        }
        CHECK(memory.alive == 0);
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        if (!status) {
            CHECK(failAt > 60);
            return;
        }
    }
    CHECK(false);
}

static void everyAllocationOfReadingFails(void)
{
    snEditor made = makeEditor(FIGURE);
    snBytes text = written(&made);
    for (int failAt = 1; failAt < 4000; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snEditor editor;
        snStatus status = snEditor_Read(&editor, (char *)text.data, text.size, &context, NULL);
        if (!status) snEditor_Destroy(&editor);
        CHECK(memory.alive == 0 && (!status || status == SN_ERROR_MEMORY));
        if (!status) break;
    }
    snBytes_Destroy(&text);
    snEditor_Destroy(&made);
}

// What is read of a broken document is whole, can be played, and writes to the same bytes again.
static int tryDocument(const uint8_t *text, size_t size)
{
    snContext context = snDefaultContext();
    snEditor editor, again;
    snFigure figure;
    if (snEditor_Read(&editor, (const char *)text, size, &context, NULL)) return 0;
    CHECK(snLayered_Check(&editor.layered, NULL) == SN_OK);
    if (!snFigure_Build(&figure, &editor.layered, NULL)) {
        snFigure_SetTime(&figure, 0.7);
        snFigure_Destroy(&figure);
    }
    snBytes first = written(&editor);
    if (CHECK(snEditor_Read(&again, (char *)first.data, first.size, &context, NULL) == SN_OK)) {
        snBytes second = written(&again);
        CHECK(isSame(&first, &second));
        snBytes_Destroy(&second);
        snEditor_Destroy(&again);
    }
    snBytes_Destroy(&first);
    snEditor_Destroy(&editor);
    return 1;
}

static void mutate(uint8_t *text, size_t *size, snRandom *random)
{
    static const char *const bits[] = {"-",  "9", "e",     "[",    "]", "{", "}",
                                       "\"", ",", "1e308", "null", "0", ":", "a"};
    for (int k = 1 + snRandom_Below(random, 3); k-- > 0;) {
        size_t at = (size_t)(snRandom_Uniform(random, 0, 1) * (double)*size);
        double what = snRandom_Uniform(random, 0, 1);
        if (what < 0.3) { // a letter
            text[at] = (uint8_t)bits[snRandom_Below(random, 14)][0];
        } else if (what < 0.5) { // a piece is gone
            size_t length = (size_t)snRandom_Below(random, 40);
            if (at + length > *size) length = *size - at;
            memmove(text + at, text + at + length, *size - at - length);
            *size -= length;
        } else if (what < 0.95) { // something else stands there
            const char *bit = bits[snRandom_Below(random, 14)];
            if (at + strlen(bit) < *size) memcpy(text + at, bit, strlen(bit));
        } else {
            *size = at;
        }
        if (!*size) return;
    }
}

static void mutatedDocuments(void)
{
    snEditor made = makeEditor(
        "joint add a parent=none\njoint add b at=0,0.3,0\nmuscle add m joint=a "
        "twist=map(b:0:0,9:9)\nmuscle bulge m width=0.1 height=keys(0:0,1:0.1)\n"
        "skin create bottom=a top=b rows=3 columns=3 rounds=1\nskin attach\n"
        "pose joint a angles=1,2,3\nposture keep p time=0\npose reset\nposture keep q time=1\n");
    snBytes text = written(&made);
    snRandom random = snMakeRandom(3);
    uint8_t *copy = malloc(text.size);
    int read = 0;
    for (int i = 0; i < 6000 && copy; i++) {
        size_t size = text.size;
        memcpy(copy, text.data, size);
        mutate(copy, &size, &random);
        read += tryDocument(copy, size);
    }
    CHECK(read > 100); // some are still characters
    free(copy);
    snBytes_Destroy(&text);
    snEditor_Destroy(&made);
}

static void mutatedScripts(void)
{
    snContext context = snDefaultContext();
    snRandom random = snMakeRandom(5);
    size_t whole = strlen(FIGURE);
    uint8_t *copy = malloc(whole);
    int count = snTest_Whole() ? 100 : 40; // more of them: hostile/scripts
    for (int i = 0; i < count && copy; i++) {
        size_t size = whole;
        snEditor editor;
        snScriptReport report;
        memcpy(copy, FIGURE, whole);
        mutate(copy, &size, &random);
        CHECK(snEditor_Make(&editor, &context, NULL) == SN_OK);
        snScript_Run(&editor, (char *)copy, size, &report, NULL);
        CHECK(snLayered_Check(&editor.layered, NULL) == SN_OK && editor.depth == 0);
        while (snEditor_Undo(&editor)) {}
        CHECK(!snLayered_Count(&editor.layered, SN_TABLE_JOINTS));
        snEditor_Destroy(&editor);
    }
    free(copy);
}

int main(void)
{
    RUN(everyAllocationFails);
    RUN(everyAllocationOfReadingFails);
    RUN(mutatedDocuments);
    RUN(mutatedScripts);
    return snTest_Finish();
}
