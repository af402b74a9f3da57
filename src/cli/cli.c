#include "cli/cli.h"

#include "asset/bvh.h"
#include "asset/obj.h"
#include "cli/text.h"
#include "cli/unpack.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/suggest.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LARGEST_FILE ((size_t)4 << 30) // bytes

static void logLine(void *user, snLogLevel level, const char *line)
{
    const snCli *cli = user;
    if (cli->quiet) return;
    if (cli->progress) snProgress_Clear(cli->progress);
    fprintf(stderr, "sinew: %s%s\n", level == SN_LOG_WARNING ? "warning: " : "",
            snPlain(line).text);
}

snStatus snCli_Begin(snCli *cli, snError *error)
{
    cli->context = snDefaultContext();
    cli->context.log = (snLogHook){logLine, cli};
    snStatus status = snThreadPool_Make(&cli->pool, cli->threads, error);
    if (!status) cli->context.tasks = snThreadPool_Tasks(cli->pool);
    return status;
}

void snCli_End(snCli *cli)
{
    snThreadPool_Destroy(cli->pool);
    cli->pool = NULL;
}

int snCli_Fail(const snError *error)
{
    fprintf(stderr, "sinew: %s\n", snPlain(error->message).text);
    return SN_EXIT_FAILED;
}

int snCli_Usage(const char *command, const char *format, ...)
{
    va_list arguments;
    char message[SN_MAX_PATH + 1024];
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    fprintf(stderr, "sinew %s: %s\n`sinew %s --help` shows how it is used\n", command,
            snPlain(message).text, command);
    return SN_EXIT_USAGE;
}

snStatus snInputs_Add(snInputs *inputs, const char *path, snArena *arena, snError *error)
{
    for (int i = 0; i < inputs->count; i++)
        if (!strcmp(inputs->paths[i], path)) return SN_OK;
    if (inputs->count == inputs->room) {
        int room = 2 * inputs->room + 8;
        const char **larger = SN_NEW(arena, const char *, room);
        if (!larger) return snFailMemory(error);
        for (int i = 0; i < inputs->count; i++)
            larger[i] = inputs->paths[i];
        inputs->paths = larger;
        inputs->room = room;
    }
    const char *copy = snArena_CopyString(arena, path, strlen(path));
    if (!copy) return snFailMemory(error);
    inputs->paths[inputs->count++] = copy;
    return SN_OK;
}

static const char *clipAt(const void *character, int k)
{
    return ((const snCharacter *)character)->clips[k].name;
}

snStatus snFindClip(const snCharacter *c, const char *name, int *clip, snError *error)
{
    *clip = snCharacter_FindClip(c, name);
    if (*clip >= 0) return SN_OK;
    const char *guess = snNames_Suggest(&(snNames){c->clipCount, clipAt, c}, name);
    return snFail(error, SN_ERROR_ARGUMENT, "there is no clip \"%s\"; `sinew info` lists them%s",
                  name, snHint_Of("\"", guess, "\"").text);
}

snStatus snCli_Probe(const char *const *paths, int count, const snCli *cli, snError *error)
{
    snStatus status = SN_OK;
    for (int i = 0; i < count && !status; i++) {
        snFileWriter *writer = NULL;
        if (paths[i]) status = snFileWriter_Open(&cli->context, paths[i], &writer, error);
        snFileWriter_Abort(writer);
    }
    return status;
}

static bool areSame(const char *a, const char *b)
{
    return a && b && a[0] && b[0] && (!strcmp(a, b) || snFile_IsSame(a, b));
}

int snCli_CheckOutputs(const char *command, const snOutputCheck *check)
{
    for (int i = 0; i < check->outputCount; i++) {
        const char *path = check->outputs[i];
        for (int k = 0; k < check->inputCount; k++)
            if (areSame(path, check->inputs[k]))
                return snCli_Usage(command, "%s is %s; write to another file", path,
                                   k ? "read" : "the input");
        for (int k = 0; k < i; k++)
            if (areSame(path, check->outputs[k]))
                return snCli_Usage(command, "%s is given twice", path);
    }
    return -1;
}

// Files that a .gltf names, next to it.
static snStatus readNeighbour(void *user, const char *path, snArena *arena, const uint8_t **bytes,
                              size_t *size, snError *error)
{
    snLoaded *loaded = user;
    snFileContent content;
    snStatus status =
        snFile_ReadNeighbour(loaded->context, loaded->folder, path, LARGEST_FILE, &content, error);
    if (status) return status;
    char whole[SN_MAX_PATH];
    if (snPath_Join(loaded->folder, path, whole, sizeof whole))
        status = snInputs_Add(&loaded->neighbours, whole, &loaded->arena, error);
    if (status) {
        snFile_Release(loaded->context, &content);
        return status;
    }
    loaded->reading = snHash(loaded->reading, content.bytes, content.size);
    *bytes = snArena_Copy(arena, content.bytes, 1, content.size);
    *size = content.size;
    snFile_Release(loaded->context, &content);
    return *bytes ? SN_OK : snFailMemory(error);
}

snStatus snLoaded_Read(snLoaded *loaded, const char *path, const snCli *cli, snError *error)
{
    *loaded = (snLoaded){.context = &cli->context, .arena = snMakeArena(&cli->context)};
    size_t folder = snPath_FolderLength(path);
    if (folder >= sizeof loaded->folder)
        return snFail(error, SN_ERROR_FILE, "%s: the path is too long", path);
    memcpy(loaded->folder, path, folder);
    snStatus status = snFile_Read(&cli->context, path, LARGEST_FILE, &loaded->file, error);
    if (status) return status;
    loaded->size = loaded->file.size;
    loaded->reading = snHash(SN_HASH_BEGIN, loaded->file.bytes, loaded->file.size);
    loaded->source = (snGltfSource){loaded->file.bytes, loaded->file.size, readNeighbour, loaded,
                                    snUnpackMeshopt};
    if (snPath_HasExtension(path, ".obj"))
        status = snObj_Read(&loaded->character, loaded->file.bytes, loaded->file.size,
                            &cli->context, error);
    else if (snPath_HasExtension(path, ".bvh"))
        status = snBvh_Read(&loaded->character, loaded->file.bytes, loaded->file.size,
                            &cli->context, error);
    else
        status = snGltf_Read(&loaded->character, &loaded->source, &cli->context, error);
    loaded->hash = loaded->reading;
    if (status) {
        snError_Prefix(error, "%s", path);
        snFile_Release(&cli->context, &loaded->file);
        snArena_Destroy(&loaded->arena);
    }
    return status;
}

void snLoaded_Free(snLoaded *loaded)
{
    snCharacter_Destroy(&loaded->character);
    snFile_Release(loaded->context, &loaded->file);
    snArena_Destroy(&loaded->arena);
}
