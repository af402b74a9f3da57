// Scripts in scenes: every key is read and does what it says, what is wrong is named by its path, and a scene with scripts
// steps to the same bits on any number of threads.
#include "core/core.h"
#include "platform/threads.h"
#include "tests/scene/sources.h"

#define PAIR                                                                                       \
    "\"bodies\": [{\"name\": \"arm\", \"box\": {\"size\": [0.3, 0.2, 0.2], \"cells\": [2, 1, "     \
    "1]}, "                                                                                        \
    "\"quadrature\": 1, \"place\": [0, 1, 0]}, {\"name\": \"ball\", \"box\": {\"size\": [0.2, "    \
    "0.2, "                                                                                        \
    "0.2], \"cells\": [1, 1, 1]}, \"quadrature\": 1, \"place\": [0.6, 1, 0]}, {\"name\": "         \
    "\"ghost\", "                                                                                  \
    "\"box\": {\"size\": [0.2, 0.2, 0.2], \"cells\": [1, 1, 1]}, \"quadrature\": 1, \"solver\": "  \
    "{\"integrator\": \"runge-kutta\"}, \"contact\": false, \"place\": [0, 3, 0]}], "              \
    "\"attachments\": "                                                                            \
    "[{\"name\": "                                                                                 \
    "\"nail\", \"body\": \"arm\", \"vertex\": 0, \"off\": true}, {\"name\": \"rope\", \"body\": "  \
    "\"ball\", \"vertex\": 1, \"keys\": [{\"time\": 1, \"place\": [1, 1, 0], \"velocity\": [0, "   \
    "1, "                                                                                          \
    "0]}, {\"time\": 2, \"place\": [1, 2, 0], \"kink\": true}, {\"time\": 3, \"place\": [1, 1, "   \
    "0]}], "                                                                                       \
    "\"from\": 1, \"preroll\": \"200 ms\"}], \"points\": [{\"name\": \"tip\", \"body\": \"arm\", " \
    "\"point\": [0.15, 0, 0]}, {\"name\": \"prey\", \"body\": \"ball\", \"point\": [-0.1, 0, "     \
    "0]}, "                                                                                        \
    "{\"name\": \"spirit\", \"body\": \"ghost\", \"vertex\": 0}, {\"name\": \"peg\", \"place\": "  \
    "[0, "                                                                                         \
    "1.5, 0]}, {\"name\": \"rail\", \"keys\": [{\"time\": 0, \"place\": [0, 1, 0]}, {\"time\": "   \
    "2, "                                                                                          \
    "\"place\": [0, 2, 0]}]}], "
#define SCRIPT(goals) HEAD PAIR "\"scripts\": [{\"name\": \"actor\", \"goals\": [" goals "]}]}"

static const char all[] = HEAD PAIR
    "\"scripts\": [{\"name\": \"actor\", \"from\": \"10 ms\", \"repeat\": \"forever\", \"goals\": ["
    "{\"do\": \"wait\", \"time\": 0.05},"
    "{\"name\": \"catch\", \"do\": \"grab\", \"point\": \"tip\", \"target\": \"prey\", \"time\": "
    "\"0.2 s\", "
    "\"velocity\": [1, 0, 0], \"reach\": {\"from\": \"peg\", \"distance\": 5}, \"within\": 1, "
    "\"ease\": 0.05, "
    "\"limit\": 2, \"onFail\": \"sorry\"},"
    "{\"name\": \"carry\", \"do\": \"chase\", \"point\": \"tip\", \"target\": \"rail\", \"time\": "
    "0.2, "
    "\"velocity\": \"target\", \"hold\": true},"
    "{\"name\": \"turn\", \"do\": \"move\", \"point\": \"tip\", \"by\": [0, 0.1, 0], \"time\": "
    "0.1},"
    "{\"do\": \"move\", \"point\": \"tip\", \"keys\": [{\"time\": 0, \"place\": [0, 0, 0]}, "
    "{\"time\": "
    "0.1, \"place\": [0.1, 0, 0], \"kink\": true}, {\"time\": 0.2, \"place\": [0, 0, 0]}], "
    "\"loose\": "
    "true, \"relative\": true, \"preroll\": 0.02},"
    "{\"name\": \"drop\", \"do\": \"disconnect\", \"point\": \"tip\", \"target\": \"prey\"},"
    "{\"do\": \"strike\", \"point\": \"prey\", \"velocity\": [0, 3, 0], \"after\": [\"drop\"]},"
    "{\"do\": \"switch\", \"attachments\": \"nail\", \"on\": true, \"after\": \"drop\"},"
    "{\"do\": \"connect\", \"point\": \"tip\", \"target\": \"spirit\", \"spring\": {\"stiffness\": "
    "50}, "
    "\"within\": 9},"
    "{\"do\": \"wait\", \"any\": true, \"until\": [{\"time\": 0.1}, {\"near\": [\"tip\", \"peg\"], "
    "\"distance\": \"1 mm\"}, {\"far\": [\"tip\", \"peg\"], \"distance\": 90}, {\"inside\": "
    "\"tip\", "
    "\"upper\": [-9, 0, 0]}, {\"outside\": \"prey\", \"lower\": [-99, -99, -99]}, {\"failed\": "
    "\"watcher.watch\"}]},"
    "{\"do\": \"disconnect\", \"point\": \"tip\"},"
    "{\"do\": \"switch\", \"attachments\": \"nail\", \"on\": false},"
    "{\"name\": \"sorry\", \"do\": \"wait\", \"time\": 0},"
    "{\"name\": \"again\", \"do\": \"repeat\", \"from\": \"sorry\", \"times\": 3, \"after\": "
    "[\"catch\", "
    "\"sorry\"], \"afterAny\": true}]},"
    "{\"name\": \"watcher\", \"repeat\": 5, \"goals\": [{\"name\": \"watch\", \"do\": \"wait\", "
    "\"until\": "
    "{\"done\": \"actor.catch\"}}]}]}";

static uint64_t runAll(int threads, bool show)
{
    snContext context = snDefaultContext();
    snThreadPool *pool = NULL;
    snSceneFile s;
    snStage stage;
    snError error = {0};
    CHECK(snThreadPool_Make(&pool, threads, NULL) == SN_OK);
    context.tasks = snThreadPool_Tasks(pool);
    snStatus status = readScene(&s, all, &context, &error);
    if (!status) status = snSceneFile_Build(&s, &stage, &context, &error);
    if (!CHECK(status == SN_OK)) printf("    %s\n", error.message), exit(1);
    CHECK(stage.control && stage.control->scriptCount == 2 && stage.control->pointCount == 5);
    for (int k = 0; k < 180; k++) {
        snControl_Step(stage.control, stage.world, 1);
        snWorld_Step(stage.world);
    }
    uint64_t hash = snWorld_Hash(stage.world) ^ snControl_Hash(stage.control);
    const snControl *c = stage.control;
    for (int64_t i = 0; i < *c->eventCount && show; i++)
        printf("    %.3f s  %s %d %s: %s\n", c->events[i].end, c->scripts[c->events[i].script].name,
               c->events[i].goal,
               snGoalKind_Name(c->scripts[c->events[i].script].goals[c->events[i].goal].def.kind),
               snGoalReason_Text((snGoalReason)c->events[i].reason));
    CHECK(snControl_Goal(c, 0, 1)->wins >= 1 && snControl_Goal(c, 1, 0)->wins >= 1);
    CHECK(snControl_Goal(c, 0, 11)->wins >= 1 && !snControl_Goal(c, 0, 12)->losses);
    snStage_Destroy(&stage);
    snSceneFile_Destroy(&s);
    snThreadPool_Destroy(pool);
    return hash;
}

static void everythingIsReadAndRuns(void)
{
    CHECK(runAll(1, true) == runAll(2, false));
}

// What stands in the document, and how the message begins.
static const struct {
    const char *text, *message;
} wrong[] = {
    {SCRIPT("{\"do\": \"chase\", \"point\": \"tap\", \"target\": \"prey\"}"),
     "scripts[0].goals[0].point: there is no point \"tap\"; did you mean \"tip\"?"},
    {SCRIPT("{\"do\": \"chase\", \"point\": \"tip\", \"target\": \"nobody\"}"),
     "scripts[0].goals[0].target: there is no point \"nobody\""},
    {SCRIPT("{\"do\": \"chase\", \"point\": \"tip\", \"target\": \"prey\", \"time\": -1}"),
     "scripts[0].goals[0].time: is -1"},
    {SCRIPT("{\"do\": \"wait\", \"time\": \"-2 s\"}"), "scripts[0].goals[0].time: is -2"},
    {SCRIPT("{\"name\": \"a\", \"do\": \"wait\", \"time\": 1}, {\"name\": \"b\", \"do\": \"wait\", "
            "\"time\": 1, \"after\": \"c\"}, {\"name\": \"c\", \"do\": \"wait\", \"time\": 1, "
            "\"after\": [\"a\", \"b\"]}"),
     "scripts[0].goals[2].after: leads back"},
    {SCRIPT("{\"name\": \"a\", \"do\": \"wait\", \"time\": 1, \"after\": \"a\"}"),
     "scripts[0].goals[0].after: leads back"},
    {SCRIPT("{\"do\": \"wait\", \"time\": 1, \"after\": \"zz\"}"),
     "scripts[0].goals[0].after: there is no goal \"zz\""},
    {SCRIPT("{\"do\": \"wait\", \"time\": 1, \"after\": [\"zz\"]}"),
     "scripts[0].goals[0].after[0]: there is no goal \"zz\""},
    {SCRIPT("{\"do\": \"wait\", \"time\": 1, \"onFail\": \"give up\"}"),
     "scripts[0].goals[0].onFail: there is no goal \"give up\""},
    {SCRIPT("{\"do\": \"dance\"}"), "scripts[0].goals[0].do: "},
    {SCRIPT("{\"do\": \"chase\", \"point\": \"peg\", \"target\": \"tip\"}"),
     "scripts[0].goals[0].point: \"peg\" is a place"},
    {SCRIPT("{\"do\": \"chase\", \"point\": \"tip\", \"target\": \"tip\"}"),
     "scripts[0].goals[0].target: is the point itself"},
    {SCRIPT("{\"do\": \"grab\", \"point\": \"tip\", \"target\": \"spirit\"}"),
     "scripts[0].goals[0].target: body \"ghost\""},
    {SCRIPT("{\"do\": \"chase\", \"point\": \"tip\"}"),
     "scripts[0].goals[0]: \"target\" is missing"},
    {SCRIPT("{\"do\": \"chase\", \"target\": \"tip\"}"),
     "scripts[0].goals[0]: \"point\" is missing"},
    {SCRIPT("{\"do\": \"move\", \"point\": \"tip\"}"), "scripts[0].goals[0]: goes to"},
    {SCRIPT("{\"do\": \"move\", \"point\": \"tip\", \"to\": [0, 0, 0], \"by\": [1, 0, 0]}"),
     "scripts[0].goals[0]: goes to"},
    {SCRIPT("{\"do\": \"wait\"}"), "scripts[0].goals[0]: waits for"},
    {SCRIPT("{\"do\": \"wait\", \"until\": {}}"), "scripts[0].goals[0].until: says not"},
    {SCRIPT(
         "{\"do\": \"wait\", \"until\": [{\"time\": 1}, {\"near\": [\"tip\"], \"distance\": 1}]}"),
     "scripts[0].goals[0].until[1].near: must be the names of two points"},
    {SCRIPT("{\"do\": \"wait\", \"until\": {\"done\": \"other.x\"}}"),
     "scripts[0].goals[0].until.done: there is no script \"other\""},
    {SCRIPT("{\"do\": \"wait\", \"until\": {\"near\": [\"tip\", \"peg\"]}}"),
     "scripts[0].goals[0].until: \"distance\" is missing"},
    {SCRIPT("{\"do\": \"repeat\", \"from\": \"x\", \"name\": \"x\"}"),
     "scripts[0].goals[0].from: is not before it"},
    {SCRIPT(
         "{\"name\": \"a\", \"do\": \"wait\", \"time\": 1}, {\"do\": \"repeat\", \"from\": \"a\", "
         "\"times\": 0}"),
     "scripts[0].goals[1].times: "},
    {SCRIPT("{\"do\": \"switch\", \"attachments\": \"screw\", \"on\": true}"),
     "scripts[0].goals[0].attachments: there is no attachment \"screw\""},
    {SCRIPT("{\"do\": \"strike\", \"point\": \"tip\", \"velocity\": \"fast\"}"),
     "scripts[0].goals[0].velocity: is \"fast\""},
    {SCRIPT("{\"do\": \"wait\", \"time\": 1, \"point\": \"tip\"}"), "scripts[0].goals[0]"},
    {SCRIPT("{\"do\": \"wait\", \"time\": 1, \"name\": \"stop\"}"),
     "scripts[0].goals[0].name: \"stop\" cannot be a name"},
    {SCRIPT("{\"do\": \"wait\", \"time\": 1, \"name\": \"a\"}, {\"do\": \"wait\", \"time\": 1, "
            "\"name\": \"a\"}"),
     "scripts[0].goals[1].name: another goal"},
    {SCRIPT("7"), "scripts[0].goals[0]: is"},
    {SCRIPT(
         "{\"do\": \"move\", \"point\": \"tip\", \"keys\": [{\"time\": 1, \"place\": [0, 0, 0]}]}"),
     "scripts[0].goals[0].keys: begin at 1 s"},
    {HEAD PAIR "\"scripts\": [{\"goals\": []}]}", "scripts[0]: \"name\" is missing"},
    {HEAD PAIR "\"scripts\": [{\"name\": \"a\"}]}", "scripts[0]: \"goals\" is missing"},
    {HEAD PAIR "\"scripts\": [{\"name\": \"a\", \"repeat\": \"often\", \"goals\": []}]}",
     "scripts[0].repeat: must be"},
    {HEAD PAIR "\"scripts\": [{\"name\": \"a\", \"goals\": []}, {\"name\": \"a\", \"goals\": []}]}",
     "scripts[1]: another script"},
    {HEAD "\"bodies\": [" BLOCK "], \"points\": [{\"name\": \"a\"}]}", "points[0]: is of"},
    {HEAD "\"bodies\": [" BLOCK
          "], \"points\": [{\"name\": \"a\", \"place\": [0, 0, 0]}, {\"name\": "
          "\"a\", \"place\": [0, 0, 0]}]}",
     "points[1].name"},
    {HEAD "\"bodies\": [" BLOCK
          "], \"points\": [{\"name\": \"a\", \"body\": \"blok\", \"vertex\": 0}]}",
     "points[0].body: there is no body \"blok\""},
    {HEAD "\"bodies\": [" BLOCK
          "], \"attachments\": [{\"body\": \"block\", \"vertex\": 0, \"keys\": "
          "[{\"time\": 0, \"place\": [0, 0, 0], \"kink\": true, \"velocity\": [0, 0, 0]}]}]}",
     "attachments[0].keys[0]: has \"kink\" and \"velocity\""},
};

static void whatIsWrongIsNamed(void)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snContext context = snDefaultContext();
        snSceneFile s;
        snError error = {0};
        snStatus status = readScene(&s, wrong[i].text, &context, &error);
        bool good = status == SN_ERROR_FORMAT &&
                    !strncmp(error.message, wrong[i].message, strlen(wrong[i].message));
        if (!CHECK(good)) printf("    %s\n    instead of %s\n", error.message, wrong[i].message);
        if (!status) snSceneFile_Destroy(&s);
    }
}

// Two branches beside each other that join, a loop, and a failure that is led to another goal; then all of it once more.
static const char branching[] = HEAD PAIR
    "\"scripts\": [{\"name\": \"actor\", \"repeat\": 2, \"goals\": ["
    "{\"name\": \"begin\", \"do\": \"wait\", \"time\": 0.05},"
    "{\"name\": \"left\", \"do\": \"move\", \"point\": \"tip\", \"by\": [0, 0.1, 0], \"time\": "
    "0.1, "
    "\"after\": \"begin\"},"
    "{\"name\": \"right\", \"do\": \"move\", \"point\": \"prey\", \"by\": [0, 0.1, 0], \"time\": "
    "0.2, "
    "\"after\": \"begin\"},"
    "{\"name\": \"join\", \"do\": \"wait\", \"time\": 0, \"after\": [\"left\", \"right\"]},"
    "{\"name\": \"hop\", \"do\": \"strike\", \"point\": \"tip\", \"velocity\": [0, 1, 0]},"
    "{\"do\": \"wait\", \"time\": 0.05},"
    "{\"name\": \"loop\", \"do\": \"repeat\", \"from\": \"hop\", \"times\": 3},"
    "{\"name\": \"far\", \"do\": \"connect\", \"point\": \"tip\", \"target\": \"peg\", \"within\": "
    "\"1 mm\", \"onFail\": \"sorry\"},"
    "{\"name\": \"never\", \"do\": \"wait\", \"time\": 0},"
    "{\"name\": \"sorry\", \"do\": \"wait\", \"time\": 0.02}]}]}";

static void loopsAndBranches(void)
{
    enum { BEGIN, LEFT, RIGHT, JOIN, HOP, PAUSE, LOOP, AWAY, NEVER, SORRY };
    snContext context = snDefaultContext();
    snSceneFile s;
    snStage stage;
    snError error = {0};
    snStatus status = readScene(&s, branching, &context, &error);
    if (!status) status = snSceneFile_Build(&s, &stage, &context, &error);
    if (!CHECK(status == SN_OK)) printf("    %s\n", error.message), exit(1);
    const snControl *c = stage.control;
    double ends[10] = {0};
    for (int k = 0; k < 180; k++) {
        snControl_Step(stage.control, stage.world, 1);
        snWorld_Step(stage.world);
    }
    for (int64_t i = *c->eventCount - 1; i >= 0; i--) // of the first time
        ends[c->events[i].goal] = c->events[i].end;
    for (int g = 0; g < 10; g++)
        printf("%s%d times, first at %.3f s", g % 4 ? "; " : (g ? "\n    " : "    "),
               (int)snControl_Goal(c, 0, g)->wins, ends[g]);
    printf("\n");
    CHECK_NEAR(ends[LEFT] - ends[BEGIN], 0.1, 1e-9);
    CHECK_NEAR(ends[RIGHT] - ends[BEGIN], 0.2, 1e-9);
    CHECK_NEAR(ends[JOIN], ends[RIGHT], 1e-9);
    CHECK(snControl_Goal(c, 0, HOP)->wins == 6 && snControl_Goal(c, 0, PAUSE)->wins == 6);
    CHECK(snControl_Goal(c, 0, AWAY)->losses == 2 && !snControl_Goal(c, 0, AWAY)->wins);
    CHECK(!snControl_Goal(c, 0, NEVER)->wins && snControl_Goal(c, 0, SORRY)->wins == 2);
    CHECK(c->scriptStates[0].phase == SN_SCRIPT_DONE && c->scriptStates[0].pass == 2);
    snStage_Destroy(&stage);
    snSceneFile_Destroy(&s);
}

static void pointsThatAreNotThere(void)
{
    snContext context = snDefaultContext();
    snSceneFile s;
    snStage stage;
    snError error = {0};
    static const char text[] = HEAD
        "\"bodies\": [" BLOCK "], \"points\": [{\"name\": \"far\", \"body\": \"block\", \"point\": "
        "[9, 9, 9]}], \"scripts\": [{\"name\": \"a\", \"goals\": []}]}";
    CHECK(readScene(&s, text, &context, &error) == SN_OK);
    CHECK(snSceneFile_Build(&s, &stage, &context, &error) == SN_ERROR_ARGUMENT);
    printf("    %s\n", error.message);
    CHECK(strstr(error.message, "point \"far\""));
    snSceneFile_Destroy(&s);
}

static void failingMemoryIsSurvived(void)
{
    failEvery(readAndFree, all, 0);
}

int main(void)
{
    RUN(everythingIsReadAndRuns);
    RUN(whatIsWrongIsNamed);
    RUN(loopsAndBranches);
    RUN(pointsThatAreNotThere);
    RUN(failingMemoryIsSurvived);
    return snTest_Finish();
}
