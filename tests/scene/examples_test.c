// Every example scene, and every scene in the documentation, is read; examples are built and step.
#include "core/core.h"
#include "tests/scene/sources.h"

static snStatus readText(const char *text, snError *error)
{
    snContext context = snDefaultContext();
    snSceneFile s;
    snStatus status = readScene(&s, text, &context, error);
    if (!status) snSceneFile_Destroy(&s);
    return status;
}

// A block of JSON that is no whole scene is one of the sections: a body, a collider, ... put into one.
static snStatus readPart(const char *part, const char *kind, snError *error)
{
    size_t size = strlen(part) + 1024;
    char *text = malloc(size);
    if (!strcmp(kind, "bodies"))
        snprintf(text, size, HEAD "\"bodies\": [%s]}", part);
    else if (!strcmp(kind, "document"))
        snprintf(text, size, HEAD "\"bodies\": [" BLOCK "], %s}", part);
    else
        snprintf(text, size,
                 HEAD "\"bodies\": [" BLOCK ", {\"name\": \"other\", \"box\": {\"size\": "
                      "[1, 1, 1], \"cells\": [1, 1, 1]}}], \"%s\": [%s]}",
                 kind, part);
    snStatus status = readText(text, error);
    free(text);
    return status;
}

// Blocks begin with ```json; the word behind it says where in a scene they stand.
static void documentedScenesAreRead(void)
{
    size_t size;
    unsigned char *page = snTest_ReadFile(SN_SOURCE_DIR "/docs/scene.md", &size);
    if (!CHECK(page != NULL)) return;
    char *text = malloc(size + 1);
    memcpy(text, page, size);
    text[size] = 0;
    int count = 0;
    for (char *at = strstr(text, "```json"); at; at = strstr(at, "```json")) {
        char kind[32] = "";
        char *line = strchr(at, '\n'), *end = strstr(at + 7, "```");
        if (!CHECK(line && end)) break;
        sscanf(at + 7, "%31[ a-z]", kind);
        *end = 0;
        snError error = {0};
        char *word = kind;
        while (*word == ' ')
            word++;
        snStatus status = *word ? readPart(line + 1, word, &error) : readText(line + 1, &error);
        if (!CHECK(status == SN_OK)) printf("    %.60s...: %s\n", line + 1, error.message);
        at = end + 3;
        count++;
    }
    printf("    %d scenes and parts of scenes\n", count);
    CHECK(count >= 8);
    free(text);
    free(page);
}

static void examplesStep(void)
{
    static const char *const names[] = {"drop",     "bar",     "box",        "hung",
                                        "clasp",    "trunk",   "poly-block", "poly-pendulum",
                                        "sky-hook", "monster", "belly",      "whirl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[300];
        size_t size;
        snprintf(path, sizeof path, SN_SOURCE_DIR "/examples/scenes/%s.json", names[i]);
        unsigned char *bytes = snTest_ReadFile(path, &size);
        if (!CHECK(bytes != NULL)) continue;
        char *text = malloc(size + 1);
        memcpy(text, bytes, size);
        text[size] = 0;
        snContext context = snDefaultContext();
        snSceneFile s;
        snStage stage;
        snError error = {0};
        snStatus status = readScene(&s, text, &context, &error);
        if (!status) status = snSceneFile_Build(&s, &stage, &context, &error);
        if (!CHECK(status == SN_OK)) {
            printf("    %s: %s\n", names[i], error.message);
        } else {
            for (int k = 0; k < 10; k++)
                snWorld_Step(stage.world);
            snWorldMeasure m;
            snWorld_Measure(stage.world, &m);
            CHECK(isfinite(m.sum.kinetic + m.sum.elastic) && m.sum.mass > 0.1);
            CHECK(stage.world->tales.data[0].failures == 0 &&
                  !stage.world->tales.data[0].conflicts);
            snStage_Destroy(&stage);
            snSceneFile_Destroy(&s);
        }
        free(text);
        free(bytes);
    }
}

int main(void)
{
    RUN(documentedScenesAreRead);
    RUN(examplesStep);
    return snTest_Finish();
}
