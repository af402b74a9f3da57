// Steps: taken back and taken again they give the same bytes, whatever was done, and a failed one leaves no trace.
#include "tests/layered/made.h"

#include "core/random.h"

static const char *const lines[] = {
    "joint add a%d parent=none at=0,1,0",
    "joint add b%d",
    "muscle add m%d size=0.1",
    "joint delete a%d",
    "joint delete b%d hanging=delete",
    "muscle delete m%d",
    "pose joint b%d angles=10,20,30",
    "posture keep p%d time=%d",
    "posture delete p%d",
    "muscle set m%d twist=30",
    "joint rename a%d name=c%d",
    "skin create bottom=a%d top=b%d rows=4 columns=5",
    "skin attach",
    "skin fat near=0,1,0 radius=0.1 amount=0.01",
    "joint move b%d by=0.1,0,0",
    "mirror left=1 right=7",
    "joint rotate b%d turn=x:10",
    "undo",
    "redo",
    "skin double",
    "skin delete",
};

// Random operations, of which many fail: the documents after each step are kept and met again on the way back.
static void randomStepsComeBack(void)
{
    enum { STEPS = 300 };
    snContext context = snDefaultContext();
    snEditor editor;
    snRandom random = snMakeRandom(7);
    static snBytes states[STEPS + 1];
    snScriptReport report = {0};
    CHECK(snEditor_Make(&editor, &context, NULL) == SN_OK);
    states[0] = written(&editor);
    for (int i = 0; i < STEPS; i++) {
        char line[200];
        int n = snRandom_Below(&random, 9);
        const char *form = lines[snRandom_Below(&random, 21)];
        snprintf(line, sizeof line, form, n, n + 1);
        snBytes before = written(&editor);
        int steps = snEditor_UndoCount(&editor);
        snStatus status = snScript_RunLine(&editor, line, strlen(line), &report, NULL);
        CHECK(snLayered_Check(&editor.layered, NULL) == SN_OK);
        snBytes after = written(&editor);
        if (status) CHECK(isSame(&before, &after) && steps == snEditor_UndoCount(&editor));
        int now = snEditor_UndoCount(&editor);
        if (now == steps + 1 && strcmp(line, "redo")) {
            snBytes_Destroy(&states[now]);
            states[now] = after;
        } else {
            CHECK(isSame(&states[now], &after));
            snBytes_Destroy(&after);
        }
        snBytes_Destroy(&before);
    }
    int end = snEditor_UndoCount(&editor);
    CHECK(end > 40);
    for (int k = end; k >= 0; k--) {
        snBytes now = written(&editor);
        CHECK(isSame(&states[k], &now));
        snBytes_Destroy(&now);
        CHECK(snEditor_Undo(&editor) == (k > 0));
    }
    for (int k = 1; k <= end; k++) {
        CHECK(snEditor_Redo(&editor));
        snBytes now = written(&editor);
        CHECK(isSame(&states[k], &now));
        snBytes_Destroy(&now);
    }
    for (int k = 0; k <= STEPS; k++)
        snBytes_Destroy(&states[k]);
    snEditor_Destroy(&editor);
}

static void aGroupIsOneStep(void)
{
    snEditor editor = makeEditor("group\njoint add a\njoint add b\ngroup\njoint add c\nend\nend\n");
    CHECK(snEditor_UndoCount(&editor) == 1 &&
          snLayered_Count(&editor.layered, SN_TABLE_JOINTS) == 3);
    CHECK(snEditor_Undo(&editor) && snLayered_Count(&editor.layered, SN_TABLE_JOINTS) == 0);
    CHECK(!snEditor_Undo(&editor) && snEditor_Redo(&editor) && !snEditor_Redo(&editor));
    // A group that fails half-way goes as a whole.
    snScriptReport report;
    const char *bad = "group\njoint add d\njoint add a\nend\n";
    CHECK(snScript_Run(&editor, bad, strlen(bad), &report, NULL) == SN_ERROR_ARGUMENT);
    CHECK(snLayered_Count(&editor.layered, SN_TABLE_JOINTS) == 3 && editor.depth == 0);
    snEditor_Destroy(&editor);
}

// What failed did not take away what could be redone.
static void failuresKeepTheRedo(void)
{
    snEditor editor = makeEditor("joint add a\njoint add b\nundo\n");
    snScriptReport report = {0};
    CHECK(snScript_RunLine(&editor, "joint delete x", 14, &report, NULL) != SN_OK);
    CHECK(snEditor_RedoCount(&editor) == 1 && snEditor_Redo(&editor));
    CHECK(snLayered_Find(&editor.layered, SN_TABLE_JOINTS, "b") == 1);
    snEditor_Destroy(&editor);
}

// A step keeps the bytes that it changed: a number of a muscle is not its whole row.
static void stepsAreAsLargeAsTheirChange(void)
{
    snEditor editor = makeEditor(FIGURE);
    size_t before = snEditor_JournalBytes(&editor);
    runScript(&editor, "muscle set trunk size=0.16,0.3,0.1\n");
    CHECK(snEditor_JournalBytes(&editor) - before < 160);
    before = snEditor_JournalBytes(&editor);
    for (int i = 0; i < 10; i++)
        runScript(&editor, "undo\nredo\n");
    CHECK(snEditor_JournalBytes(&editor) == before);
    snEditor_Destroy(&editor);
}

int main(void)
{
    RUN(randomStepsComeBack);
    RUN(aGroupIsOneStep);
    RUN(failuresKeepTheRedo);
    RUN(stepsAreAsLargeAsTheirChange);
    return snTest_Finish();
}
