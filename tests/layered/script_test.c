// Scripts: errors name line and word, the examples build and come back to nothing, byte for byte.
#include "tests/layered/made.h"

#include "platform/platform.h"

static void expect(const char *script, const char *message)
{
    snContext context = snDefaultContext();
    snEditor editor;
    snError error = {0};
    snScriptReport report;
    CHECK(snEditor_Make(&editor, &context, NULL) == SN_OK);
    CHECK(snScript_Run(&editor, script, strlen(script), &report, &error) != SN_OK);
    if (!CHECK(strstr(error.message, message))) printf("is: %s\nnot: %s\n", error.message, message);
    snEditor_Destroy(&editor);
}

static void errorsNameLineAndWord(void)
{
    expect("joint ad a", "line 1: there is no operation \"joint ad\"; did you mean \"joint add\"?");
    expect("joint add a\n\njoint add b prent=a",
           "line 3: \"joint add\" takes no prent; did you mean parent?");
    expect("joint add", "line 1: \"joint add\": NAME is missing");
    expect("joint add a at=1,2", "line 1: at: \"1,2\" must be 3 numbers");
    expect("joint add a at=1,2,x", "line 1: at: \"x\" is no number with a unit (m, cm");
    expect("joint add a\njoint add b parent=aa",
           "line 2: parent: there is no joint called \"aa\"; did you mean \"a\"?");
    expect("joint add a kind=hindge",
           "line 1: kind: \"hindge\" must be one of ball, hinge, fixed; did you mean hinge?");
    expect("joint add a\njoint add a", "line 2: there is a \"a\" already");
    expect("joint add a at=0,0,0 at=1,1,1", "at is given twice");
    expect("joint add a b", "\"b\" is too much");
    expect("joint add a turn=w:30", "turn: \"w:30\" is no rotation");
    expect("muscle add m", "muscle \"m\" needs a joint");
    expect("joint add a\nmuscle add m size=-1", "size: -1 must be from");
    expect("joint add a\nmuscle add m twist=map(b:0:1)", "twist: there is no joint called \"b\"");
    expect("joint add a\nmuscle add m twist=keys(1:1,0:2)", "twist: 0 does not come after 1");
    expect("joint add a\nmuscle add m twist=keys(1:1", "must end in )");
    expect("settings title=\"a b", "a quotation mark is missing");
    expect("undo", "there is nothing to undo");
    expect("group\nundo", "line 2: \"undo\" within a group");
    expect("group\njoint add a", "a group has no \"end\"");
    expect("end", "there is no group");
    expect("skin attach", "there is no skin");
    expect("joint add a\nskin create bottom=a top=a", "there are no muscles");
    expect("joint add a\nmuscle add m\nskin create bottom=a top=a", "the same place");
    expect("joint add a kind=hinge\njoint set a low=-10 high=10\npose joint a angles=20",
           "cannot turn to 20 degrees; its range is from -10 to 10");
    expect("check joints=1", "joints: there are 0, not 1");
}

static void exampleComesBack(const char *name)
{
    snContext context = snDefaultContext();
    snScriptReport report = {0};
    snEditor editor = makeExample(name, &report), empty;
    CHECK(snEditor_Make(&empty, &context, NULL) == SN_OK);
    CHECK(report.unmet == 0);
    snBytes end = written(&editor), nothing = written(&empty);
    while (snEditor_Undo(&editor)) {}
    snBytes begin = written(&editor);
    CHECK(isSame(&begin, &nothing) && !isSame(&begin, &end));
    while (snEditor_Redo(&editor)) {}
    snBytes again = written(&editor);
    CHECK(isSame(&again, &end));
    snBytes_Destroy(&end);
    snBytes_Destroy(&nothing);
    snBytes_Destroy(&begin);
    snBytes_Destroy(&again);
    snEditor_Destroy(&editor);
    snEditor_Destroy(&empty);
}

static void examplesComeBack(void)
{
    static const char *const names[] = {"penguin", "tummy", "wombat", "forearm", "torso"};
    int count = snTest_Whole() ? 5 : 2;
    for (int i = 0; i < count; i++)
        exampleComesBack(names[i]);
}

// Two hands at once, by one line.
static void clausesAreSolvedTogether(void)
{
    snEditor editor = makeEditor(FIGURE "pose reset\n");
    snFigure figure;
    char line[200];
    int left = snLayered_Find(&editor.layered, SN_TABLE_JOINTS, "hand.l");
    int right = snLayered_Find(&editor.layered, SN_TABLE_JOINTS, "hand.r");
    CHECK(snFigure_Build(&figure, &editor.layered, NULL) == SN_OK);
    snVec3 a = snAdd(figure.pose.global[left].origin, snVec(-0.1, 0.1, 0.1));
    snVec3 b = snAdd(figure.pose.global[right].origin, snVec(0.1, -0.1, 0.1));
    snFigure_Destroy(&figure);
    int steps = snEditor_UndoCount(&editor);
    snprintf(line, sizeof line, "pose reach hand.l to=%.9f,%.9f,%.9f and hand.r to=%.9f,%.9f,%.9f",
             a.x, a.y, a.z, b.x, b.y, b.z);
    runScript(&editor, line);
    CHECK(snEditor_UndoCount(&editor) == steps + 1);
    CHECK(snFigure_Build(&figure, &editor.layered, NULL) == SN_OK);
    CHECK(snDistance(figure.pose.global[left].origin, a) < 1e-3);
    CHECK(snDistance(figure.pose.global[right].origin, b) < 1e-3);
    snFigure_Destroy(&figure);
    snEditor_Destroy(&editor);
    expect(FIGURE "pose reach hand.l to=1,1,1 and hand.x to=1,1,1",
           "there is no joint called \"hand.x\"");
}

static void operationsAreListed(void)
{
    snContext context = snDefaultContext();
    snBytes text = snMakeBytes(&context);
    snScript_List(&text);
    snBytes_AppendByte(&text, 0);
    CHECK(!text.failed && strstr((char *)text.data, "joint add NAME\n"));
    CHECK(strstr((char *)text.data, "shape=sphere|superellipsoid|cylinder"));
    snBytes_Destroy(&text);
}

// Found by fuzzing: bytes that are no text would be written as others.
static void namesAreText(void)
{
    static const char *const lines[] = {"joint add r\xff\xf0t", "settings title=\xc3",
                                        "joint add \xed\xa0\x80"};
    snEditor editor = makeEditor("joint add \xc3\xa4rmchen\nsettings title=\xe2\x82\xac\ncheck\n");
    for (int i = 0; i < 3; i++) {
        snError error = {0};
        snScriptReport report;
        CHECK(snScript_Run(&editor, lines[i], strlen(lines[i]), &report, &error) ==
              SN_ERROR_ARGUMENT);
        CHECK(strstr(error.message, "UTF-8"));
    }
    snEditor_Destroy(&editor);
}

int main(void)
{
    RUN(errorsNameLineAndWord);
    RUN(examplesComeBack);
    RUN(clausesAreSolvedTogether);
    RUN(operationsAreListed);
    RUN(namesAreText);
    return snTest_Finish();
}
