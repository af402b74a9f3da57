// The files of checkpoints: what is whole is found again, what is not is refused with a reason.
#define _XOPEN_SOURCE 700

#include "tests/test.h"

#include "cli/checkpoint_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static snCli cli;
static char folder[] = P_tmpdir "/sinew-checkpoint-XXXXXX";
static const char plan[] = "{\n  \"program\": \"1\",\n  \"hash\": \"ab\",\n  \"fps\": 30,\n"
                           "  \"clips\": [\n    \"hop\",\n    \"walk\"\n  ]\n}\n";

static snBytes bytesOf(const char *text)
{
    snBytes bytes = snMakeBytes(&cli.context);
    snBytes_AppendText(&bytes, text);
    return bytes;
}

static snCheckpointFile makeFile(const snBytes *text)
{
    char output[64];
    snCheckpointFile file;
    snprintf(output, sizeof output, "%s/fox.glb", folder);
    CHECK(snCheckpointFile_Make(&file, output, text, &cli, NULL) == SN_OK);
    return file;
}

static void saveSome(snCheckpointFile *file, const char *frames, const char *state)
{
    snCheckpointHook hook = {0};
    snCheckpointFile_Hook(file, &hook);
    CHECK(hook.append(hook.user, frames, strlen(frames), NULL) == SN_OK);
    CHECK(hook.commit(hook.user, state, strlen(state), NULL) == SN_OK);
}

static bool finds(snBytes *text, const char *frames, const char *state, snError *error)
{
    snCheckpointFile file = makeFile(text);
    snCheckpointHook hook = {0};
    bool found = false;
    snStatus status = snCheckpointFile_Resume(&file, &hook, &found, error);
    bool same = !status && found && hook.framesSize == strlen(frames) &&
                hook.stateSize == strlen(state) && !memcmp(hook.frames, frames, hook.framesSize) &&
                !memcmp(hook.state, state, hook.stateSize);
    snCheckpointFile_Close(&file);
    return same;
}

static void whatWasSavedIsFound(void)
{
    snBytes text = bytesOf(plan);
    snCheckpointFile file = makeFile(&text);
    snCheckpointHook hook = {0};
    bool found = true;
    snError error = {0};
    CHECK(snCheckpointFile_Resume(&file, &hook, &found, &error) == SN_OK && !found);
    saveSome(&file, "one", "first");
    CHECK(finds(&text, "one", "first", &error));
    saveSome(&file, "two", "second, longer");
    CHECK(finds(&text, "onetwo", "second, longer", &error));
    snCheckpointFile_Close(&file);
    // Taken up: what stands behind the last state is cut, and more is appended.
    file = makeFile(&text);
    FILE *tail = fopen(file.framesPath, "ab");
    fputs("half of a fra", tail);
    fclose(tail);
    CHECK(snCheckpointFile_Resume(&file, &hook, &found, &error) == SN_OK && found);
    saveSome(&file, "three", "third");
    snCheckpointFile_Close(&file);
    CHECK(finds(&text, "onetwothree", "third", &error));
    // Begun anew: nothing of the old ones is left.
    file = makeFile(&text);
    saveSome(&file, "", "fourth");
    snCheckpointFile_Close(&file);
    CHECK(finds(&text, "", "fourth", &error));
    CHECK(snCheckpointFile_Exists(&file));
    snCheckpointFile_Remove(&file);
    CHECK(!snCheckpointFile_Exists(&file) && access(file.framesPath, F_OK) != 0);
    snBytes_Destroy(&text);
}

static void othersAreRefused(void)
{
    static const struct {
        const char *from, *to, *says;
    } cases[] = {{"30", "25", "that one had \"fps\": 30, this has \"fps\": 25"},
                 {"ab", "cd", "what is read has changed"},
                 {"\"1\"", "\"2\"", "another version of the program"},
                 {",\n    \"walk\"", "", "that one had \"walk\", this has ]"}};
    snBytes text = bytesOf(plan);
    snCheckpointFile file = makeFile(&text);
    saveSome(&file, "frames", "state");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snError error = {0};
        const char *at = strstr(plan, cases[i].from);
        snBytes other = snMakeBytes(&cli.context);
        snBytes_Append(&other, plan, (size_t)(at - plan));
        snBytes_AppendText(&other, cases[i].to);
        snBytes_AppendText(&other, at + strlen(cases[i].from));
        CHECK(!finds(&other, "frames", "state", &error));
        if (!CHECK(strstr(error.message, cases[i].says))) printf("%s\n", error.message);
        snBytes_Destroy(&other);
    }
    snCheckpointFile_Remove(&file);
    snBytes_Destroy(&text);
}

// Every byte of both files counts, and none may be missing.
static void damageIsSeen(void)
{
    snBytes text = bytesOf(plan);
    snCheckpointFile file = makeFile(&text);
    snFileContent contents[2];
    snCheckpointContent found;
    snError error = {0};
    saveSome(&file, "some frames", "some state");
    CHECK(snFile_Read(&cli.context, file.statePath, 1000, &contents[0], NULL) == SN_OK);
    CHECK(snFile_Read(&cli.context, file.framesPath, 1000, &contents[1], NULL) == SN_OK);
    CHECK(snCheckpointContent_Find(&found, &contents[0], &contents[1], &text, &error) == SN_OK);
    for (int f = 0; f < 2; f++) {
        size_t whole = contents[f].size;
        for (size_t i = 0; i < whole; i++) {
            contents[f].bytes[i] ^= 0x41;
            CHECK(snCheckpointContent_Find(&found, &contents[0], &contents[1], &text, &error));
            contents[f].bytes[i] ^= 0x41;
            contents[f].size = i;
            CHECK(snCheckpointContent_Find(&found, &contents[0], &contents[1], &text, &error));
            contents[f].size = whole;
        }
        snFile_Release(&cli.context, &contents[f]);
    }
    snCheckpointFile_Remove(&file);
    snBytes_Destroy(&text);
}

// A folder that cannot be written to ends checkpoints, not the bake.
static void placesThatCannotBeWritten(void)
{
    snBytes text = bytesOf(plan);
    snCheckpointFile file;
    CHECK(snCheckpointFile_Make(&file, "no/such/folder/fox.glb", &text, &cli, NULL) == SN_OK);
    saveSome(&file, "frames", "state");
    CHECK(file.broken && file.saves == 0);
    snCheckpointFile_Close(&file);
    snBytes_Destroy(&text);
}

int main(void)
{
    cli.context = snDefaultContext();
    if (!mkdtemp(folder)) snTest_Skip("no folder for temporary files");
    RUN(whatWasSavedIsFound);
    RUN(othersAreRefused);
    RUN(damageIsSeen);
    RUN(placesThatCannotBeWritten);
    rmdir(folder);
    return snTest_Finish();
}
