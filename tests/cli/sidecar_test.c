// Sidecars as options again, and what is said about broken ones.
#include "tests/test.h"

#include "cli/sidecar.h"

#include <stdio.h>
#include <string.h>

#define HEAD "{\"sinew\": \"bake\", \"version\": 1, \"rig\": {}"

static snContext context;

static snStatus readText(snSidecar *sidecar, const char *text, snError *error)
{
    return snSidecar_Read(sidecar, text, strlen(text), &context, error);
}

static bool has(const snSidecar *sidecar, const char *text, const char *place)
{
    for (int i = 0; i < sidecar->argumentCount; i++)
        if (!strcmp(sidecar->arguments[i].text, text))
            return !strcmp(sidecar->arguments[i].place, place);
    return false;
}

static void settingsBecomeOptions(void)
{
    snSidecar s;
    snError error = {0};
    const char *text =
        HEAD ", \"program\": \"0.1.0\", \"inputs\": [{\"file\": \"fox.glb\", \"hash\": \"12\"}],"
             "\"given\": [\"--wobble=4\"], \"options\": [\"--anchor=bottom\", \"--new-thing\"],"
             "\"outputs\": [\"a.glb\", \"b.pc2\"], \"clips\": [\"Walk\", \"a=b\"],"
             "\"time\": {\"fps\": 2.9970000000000001e1, \"to\": null, \"preroll\": \"auto\","
             "\"loop\": \"never\", \"mostRounds\": 3.0},"
             "\"soft\": {\"as\": \"bones\"}, \"size\": {\"height\": 1.8},"
             "\"solver\": {\"gravity\": -9.5, \"iterations\": null}, \"result\": [17]}";
    if (!CHECK(readText(&s, text, &error) == SN_OK)) printf("%s\n", error.message);
    CHECK(s.argumentCount == 11);
    CHECK(has(&s, "--fps=2.9970000000000001e1", "time.fps")); // no digit is lost
    CHECK(has(&s, "--preroll=auto", "time.preroll"));
    CHECK(has(&s, "--no-loop", "time.loop"));
    CHECK(has(&s, "--loop-rounds=3", "time.mostRounds"));
    CHECK(has(&s, "--as=bones", "soft.as"));
    CHECK(has(&s, "--height=1.8", "size.height"));
    CHECK(has(&s, "--gravity=-9.5", "solver.gravity"));
    CHECK(has(&s, "--clip=Walk", "clips[0]") && has(&s, "--clip=a=b", "clips[1]"));
    CHECK(has(&s, "--anchor=bottom", "options[0]") && has(&s, "--new-thing", "options[1]"));
    CHECK(s.arguments[9].kept && s.arguments[10].kept && !s.arguments[8].kept);
    CHECK(s.outputCount == 2 && !strcmp(s.outputs[1], "b.pc2"));
    CHECK(s.givenCount == 1 && !strcmp(s.given[0], "--wobble=4"));
    CHECK(!strcmp(s.file, "fox.glb") && !strcmp(s.hash, "12") && !strcmp(s.program, "0.1.0"));
    snSidecar_Destroy(&s);
    CHECK(readText(&s, HEAD "}", &error) == SN_OK && s.argumentCount == 0 && !s.hash);
    snSidecar_Destroy(&s);
}

static void errorsNameTheirPlace(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {HEAD ", \"time\": {\"fps\": 0}}", "time.fps: it is 0; it must be from 1 to 1000"},
        {HEAD ", \"time\": {\"fps\": \"30\"}}", "time.fps: "},
        {HEAD ", \"time\": {\"ftp\": 30}}",
         "time: there is nothing called \"ftp\"; did you mean \"fps\"?"},
        {HEAD ", \"time\": {\"mostRounds\": 2.5}}", "time.mostRounds: "},
        {HEAD ", \"time\": {\"preroll\": \"soon\"}}", "time.preroll: it is \"soon\""},
        {HEAD ", \"time\": []}", "time: "},
        {HEAD ", \"tim\": {}}", "did you mean \"time\"?"},
        {HEAD ", \"solver\": {\"solver\": \"newtn\"}}",
         "solver.solver: it is \"newtn\", did you mean \"newton\"?"},
        {HEAD ", \"soft\": {\"tolerance\": 1e999}}", "soft.tolerance: "},
        {HEAD ", \"clips\": [\"Walk\", 7]}", "clips[1]: "},
        {HEAD ", \"options\": [\"floor\"]}", "options[0]: it is \"floor\"; options stand here as"},
        {HEAD ", \"options\": [\"--a=1\", \"--fps=3\"]}", "options[1]: --fps does not belong here"},
        {HEAD ", \"options\": [\"--threads=3\"]}", "options[0]: --threads does not belong here"},
        {HEAD ", \"time\": {}, \"time\": {}}", "\"time\" is there twice"},
        {"{\"sinew\": \"bake\", \"version\": 1}", "'rig' is missing"},
        {"{\"sinew\": \"bake\", \"version\": 2, \"rig\": {}}", "a sidecar of version 2"},
        {"{\"sinew\": \"rig\", \"version\": 1}", "give it with --rig"},
        {"[]", "this is no sidecar"},
        {"{", "line 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snSidecar s;
        snError error = {0};
        CHECK(readText(&s, cases[i].text, &error) != SN_OK);
        if (!CHECK(strstr(error.message, cases[i].message)))
            printf("%s\n    says: %s\n", cases[i].text, error.message);
    }
}

static void optionsAreKnown(void)
{
    CHECK(!snSidecar_Matters("threads") && !snSidecar_Matters("output"));
    CHECK(snSidecar_Matters("wobble") && snSidecar_Holds("wobble"));
    CHECK(snSidecar_Matters("skeleton") && !snSidecar_Holds("skeleton"));
    CHECK(snSidecar_Holds("threads") && snSidecar_Holds("fps"));
}

static void memoryRunsOut(void)
{
    const char *text = HEAD ", \"clips\": [\"Walk\"], \"outputs\": [\"a.glb\"]}";
    snContext own = context;
    for (int n = 1; n < 100; n++) {
        snFailingMemory memory = {.failAtWay = n};
        snSidecar s;
        snTest_UseFailingMemory(&context, &memory);
        snStatus status = readText(&s, text, NULL);
        if (!status) snSidecar_Destroy(&s);
        context = own;
        CHECK(memory.alive == 0 && (!status || status == SN_ERROR_MEMORY));
        if (!status) return;
    }
    CHECK(false);
}

int main(void)
{
    context = snDefaultContext();
    RUN(settingsBecomeOptions);
    RUN(errorsNameTheirPlace);
    RUN(optionsAreKnown);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
