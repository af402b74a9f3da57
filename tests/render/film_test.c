// The encoder is played by small shell scripts, so that these tests do not need ffmpeg; where it is
// installed, a real film is made as well.
#include "render/film.h"
#include "tests/test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const float grey[4] = {0.2f, 0.2f, 0.2f, 1.0f};
static char folder[256];

static void pathOf(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/%s", folder, name);
}

static void writeScript(const char *name, const char *body)
{
    char path[512];
    pathOf(path, sizeof path, name);
    FILE *file = fopen(path, "w");
    if (!CHECK(file != NULL)) return;
    fprintf(file, "#!/bin/sh\n%s\n", body);
    fclose(file);
    chmod(path, 0755);
}

// Files in the folder whose name holds `part`.
static int countFiles(const char *part)
{
    char command[768];
    snprintf(command, sizeof command, "ls -a '%s' | grep -c -F -- '%s'", folder, part);
    FILE *pipe = popen(command, "r");
    int count = -1;
    if (pipe && fscanf(pipe, "%d", &count) != 1) count = -1;
    if (pipe) pclose(pipe);
    return count;
}

static snFilmDef makeDef(char *path, size_t size, char *program, const char *script)
{
    snFilmDef def = snDefaultFilmDef();
    pathOf(path, size, "film.mp4");
    pathOf(program, size, script);
    def.path = path, def.program = program, def.width = 64, def.height = 48;
    return def;
}

static void framesReachTheEncoder(void)
{
    char path[512], program[512];
    // Copies its input to its last argument, as an encoder without any skill.
    writeScript("copy", "for last; do :; done; cat > \"$last\"");
    snFilmDef def = makeDef(path, sizeof path, program, "copy");
    snFilm *film;
    snError error;
    snImage frame = {0};
    snImage_Make(&frame, 64, 48, grey, NULL);
    if (!CHECK(snFilm_Open(&film, &def, &error) == SN_OK)) {
        printf("%s\n", error.message);
        return;
    }
    CHECK(access(path, F_OK) != 0); // not there before it is whole
    for (int i = 0; i < 10; i++)
        CHECK(snFilm_Add(film, &frame, &error) == SN_OK);
    CHECK(snFilm_Close(film, &error) == SN_OK);
    size_t size = 0;
    unsigned char *data = snTest_ReadFile(path, &size);
    CHECK(data && size == 10 * 64 * 48 * 4 && memcmp(data, frame.pixels, 64 * 48 * 4) == 0);
    free(data);
    CHECK(countFiles("part") == 0);
    unlink(path);
    snImage_Destroy(&frame);
}

// Into a file that somebody else has begun: no other is made, and it stays when the film is aborted.
static void writesInPlace(void)
{
    char path[512], program[512];
    snFilmDef def = makeDef(path, sizeof path, program, "copy");
    snFilm *film;
    snImage frame = {0};
    size_t size = 0;
    snImage_Make(&frame, 64, 48, grey, NULL);
    def.inPlace = true;
    for (int i = 0; i < 2; i++) {
        FILE *file = fopen(path, "w");
        if (CHECK(file != NULL)) fclose(file);
        CHECK(snFilm_Open(&film, &def, NULL) == SN_OK && countFiles("film.mp4") == 1);
        CHECK(snFilm_Add(film, &frame, NULL) == SN_OK);
        if (i)
            snFilm_Abort(film);
        else
            CHECK(snFilm_Close(film, NULL) == SN_OK);
        unsigned char *data = snTest_ReadFile(path, &size);
        CHECK(data && (i || size == 64 * 48 * 4));
        free(data);
    }
    unlink(path);
    snImage_Destroy(&frame);
}

static void wrongFramesAreErrors(void)
{
    char path[512], program[512];
    snFilmDef def = makeDef(path, sizeof path, program, "copy");
    snFilm *film;
    snError error;
    snImage frame = {0};
    snImage_Make(&frame, 64, 47, grey, NULL);
    CHECK(snFilm_Open(&film, &def, &error) == SN_OK);
    CHECK(snFilm_Add(film, &frame, &error) == SN_ERROR_ARGUMENT);
    CHECK(snFilm_Close(film, &error) == SN_ERROR_ARGUMENT); // no frame came
    CHECK(access(path, F_OK) != 0 && countFiles("part") == 0);
    snImage_Destroy(&frame);
}

// An encoder that dies early must give an error with its own words, and no signal.
static void deadEncoderIsAnError(void)
{
    char path[512], program[512];
    writeScript("die", "echo 'first line' >&2; echo 'Unknown encoder' >&2; exit 3");
    snFilmDef def = makeDef(path, sizeof path, program, "die");
    def.width = def.height = 512; // more than any buffer on the way
    struct sigaction before, after;
    sigaction(SIGPIPE, NULL, &before);
    snFilm *film;
    snError error;
    snImage frame = {0};
    snImage_Make(&frame, 512, 512, grey, NULL);
    CHECK(snFilm_Open(&film, &def, &error) == SN_OK);
    snStatus status = SN_OK;
    for (int i = 0; i < 10 && !status; i++)
        status = snFilm_Add(film, &frame, &error);
    CHECK(status == SN_ERROR_FILE && strstr(error.message, "Unknown encoder") != NULL);
    CHECK(snFilm_Close(film, &error) != SN_OK);
    CHECK(access(path, F_OK) != 0 && countFiles("part") == 0);
    sigaction(SIGPIPE, NULL, &after);
    CHECK(before.sa_handler == after.sa_handler);
    snImage_Destroy(&frame);
}

static void failureAtTheEndLeavesOldFile(void)
{
    char path[512], program[512];
    writeScript("late", "cat > /dev/null; echo 'disk full' >&2; exit 1");
    snFilmDef def = makeDef(path, sizeof path, program, "late");
    FILE *old = fopen(path, "w");
    if (CHECK(old != NULL)) fputs("old film", old), fclose(old);
    snFilm *film;
    snError error;
    snImage frame = {0};
    snImage_Make(&frame, 64, 48, grey, NULL);
    CHECK(snFilm_Open(&film, &def, &error) == SN_OK);
    CHECK(snFilm_Add(film, &frame, &error) == SN_OK);
    CHECK(snFilm_Close(film, &error) == SN_ERROR_FILE);
    CHECK(strstr(error.message, "disk full") != NULL);
    size_t size = 0;
    unsigned char *data = snTest_ReadFile(path, &size);
    CHECK(data && size == 8 && memcmp(data, "old film", 8) == 0);
    free(data);
    CHECK(countFiles("part") == 0);
    unlink(path);
    snImage_Destroy(&frame);
}

static void abortLeavesNothing(void)
{
    char path[512], program[512];
    writeScript("slow", "exec sleep 100");
    snFilmDef def = makeDef(path, sizeof path, program, "slow");
    snFilm *film;
    snError error;
    CHECK(snFilm_Open(&film, &def, &error) == SN_OK);
    snFilm_Abort(film);
    snFilm_Abort(NULL);
    CHECK(access(path, F_OK) != 0 && countFiles("part") == 0);
}

static void missingProgramIsSaid(void)
{
    char path[512], program[512];
    snFilmDef def = makeDef(path, sizeof path, program, "not-there");
    snFilm *film;
    snError error;
    CHECK(!snFilm_Available(program));
    CHECK(!snFilm_Available("sinew-no-such-program"));
    CHECK(snFilm_Available("sh"));
    CHECK(!snFilm_Available(folder)); // a folder is no program
    CHECK(snFilm_Open(&film, &def, &error) == SN_ERROR_UNSUPPORTED && film == NULL);
    CHECK(strstr(error.message, "install") != NULL);
    writeScript("copy", "cat > /dev/null");
    def = makeDef(path, sizeof path, program, "copy");
    def.path = "/no/such/folder/film.mp4";
    CHECK(snFilm_Open(&film, &def, &error) == SN_ERROR_FILE && film == NULL);
    def.path = NULL;
    CHECK(snFilm_Open(&film, &def, &error) == SN_ERROR_ARGUMENT);
    def = makeDef(path, sizeof path, program, "copy");
    def.rate = 0.0;
    CHECK(snFilm_Open(&film, &def, &error) == SN_ERROR_ARGUMENT);
    CHECK(countFiles("part") == 0);
}

static void realFilm(void)
{
    if (!snFilm_Available(NULL)) {
        printf("(ffmpeg is not installed: no real film)\n");
        return;
    }
    char path[512];
    pathOf(path, sizeof path, "real.mp4");
    snFilmDef def = snDefaultFilmDef();
    def.path = path, def.width = 65, def.height = 49; // odd on purpose
    snFilm *film;
    snError error = {0};
    snImage frame = {0};
    snImage_Make(&frame, 65, 49, grey, NULL);
    CHECK(snFilm_Open(&film, &def, &error) == SN_OK);
    for (int i = 0; i < 12; i++)
        CHECK(snFilm_Add(film, &frame, &error) == SN_OK);
    if (!CHECK(snFilm_Close(film, &error) == SN_OK)) printf("%s\n", error.message);
    size_t size = 0;
    unsigned char *data = snTest_ReadFile(path, &size);
    CHECK(data && size > 100 && memcmp(data + 4, "ftyp", 4) == 0);
    free(data);
    unlink(path);
    snImage_Destroy(&frame);
}

int main(void)
{
    snTest_MakeFolder(folder, sizeof folder, "sinew-film");
    RUN(framesReachTheEncoder);
    RUN(writesInPlace);
    RUN(wrongFramesAreErrors);
    RUN(deadEncoderIsAnError);
    RUN(failureAtTheEndLeavesOldFile);
    RUN(abortLeavesNothing);
    RUN(missingProgramIsSaid);
    RUN(realFilm);
    const char *scripts[] = {"copy", "die", "late", "slow"};
    for (int i = 0; i < 4; i++) {
        char path[512];
        pathOf(path, sizeof path, scripts[i]);
        unlink(path);
    }
    CHECK(rmdir(folder) == 0);
    return snTest_Finish();
}
