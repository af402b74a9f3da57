#include "cli/run_request.h"

#include "cli/options.h"
#include "cli/unpack.h"
#include "cli/view_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_FILE ((size_t)1 << 31) // bytes

static const snOption options[] = {
    {"output", 'o', "FILE", "surfaces: .glb, .pc2, .mdd, .obj, .usda or .json; may be repeated"},
    {"csv", 0, "FILE", "a table of probes, energies, momenta and volumes"},
    {"every-step", 0, NULL, "a row of the table for every step, not every frame"},
    {"picture", 0, "FILE", "a film strip (.png) or a film (.mp4, needs ffmpeg)"},
    {"frames", 0, "A:B", "keep these frames only, counted from 1; B may be left out"},
    {"tolerance", 0, "SHARE", "error of surfaces in .glb, as a share of a body's size (0.002)"},
    {"max-targets", 0, "COUNT", "most morph targets per body in .glb (64)"},
    {"realtime", 0, NULL, "keep up with the clock: coarser skins, longer steps where need be"},
    {"pace", 0, "RATIO", "seconds simulated in one of the clock, in real time (1)"},
    {"record", 0, "FILE", "write down the lengths of all steps"},
    {"replay", 0, "FILE", "take the steps of a recording: the result is the same, to the bit"},
    {"dry-run", 'n', NULL, "build everything, say what would be done, and write nothing"},
    {"threads", 'j', "COUNT", "threads to use; the result does not depend on it (all)"},
    {"json", 0, NULL, "print the summary as JSON"},
    {"quiet", 'q', NULL, "say nothing but errors"},
    {"help", 'h', NULL, "this text"},
    {0},
};

static void printHelp(void)
{
    printf(
        "Usage: sinew run [OPTIONS] SCENE.json\n\n"
        "Simulates a scene: soft bodies, what they bump into, what holds and throws them. The\n"
        "scene says where its results go; options overrule that. docs/scene.md has every key.\n\n");
    snPrintOptions(options);
    printf("\nExamples:\n"
           "  sinew run drop.json -o drop.pc2 --csv drop.csv\n"
           "  sinew run drop.json --picture drop.png\n"
           "  sinew run drop.json -o drop.glb\n"
           "  sinew run drop.json --frames 30:60 -o drop.####.obj\n"
           "  sinew run drop.json --realtime --record drop.steps\n"
           "  sinew run drop.json --replay drop.steps -o drop.pc2\n");
}

// ---- options --------------------------------------------------------------------------------------

static bool takeFrames(snRunRequest *r, const snOptionReader *reader)
{
    char *end;
    const char *text = reader->value;
    long first = strtol(text, &end, 10), last = 0;
    bool good = end != text && first >= 1 && *end == ':';
    if (good && end[1]) {
        text = end + 1;
        last = strtol(text, &end, 10);
        good = end != text && !*end && last >= first;
    }
    if (!good || first > 100000000 || last > 100000000) {
        snCli_Usage("run", "--frames is \"%s\"; write it as 10:40, or 10: for all from there on",
                    reader->value);
        return false;
    }
    r->first = (int)first;
    r->last = (int)last;
    return true;
}

static bool takeTable(snRunRequest *r, const char *path)
{
    bool fits = strlen(path) < sizeof r->outputs.sidecar;
    if (!snPath_HasExtension(path, ".csv") || !fits) {
        snCli_Usage("run", fits ? "%s: tables end in .csv" : "%s: the path is too long", path);
        return false;
    }
    memcpy(r->outputs.sidecar, path, strlen(path) + 1);
    return true;
}

static const snOptionField fields[] = {
    SN_FLAG_FIELD("every-step", snRunRequest, everyStep),
    SN_PATH_FIELD("picture", snRunRequest, picture, SN_PICTURES_OR_FILMS, "pictures"),
    SN_NUMBER_FIELD("tolerance", snRunRequest, motion.tolerance, 1e-6, 1, NULL),
    SN_INT_FIELD("max-targets", snRunRequest, motion.mostTargets, 1, 1000),
    SN_FLAG_FIELD("realtime", snRunRequest, realtime),
    SN_NUMBER_FIELD("pace", snRunRequest, ratio, 1e-3, 1e3, NULL),
    SN_TEXT_FIELD("record", snRunRequest, record),
    SN_TEXT_FIELD("replay", snRunRequest, replay),
    SN_FLAG_FIELD("dry-run", snRunRequest, dryRun),
    {0},
};

static bool takeOption(void *request, const snOptionReader *reader, int which)
{
    snRunRequest *r = request;
    (void)which;
    if (!strcmp(reader->name, "csv")) return takeTable(r, reader->value);
    if (!strcmp(reader->name, "frames")) return takeFrames(r, reader);
    return snOutputs_Add(&r->outputs, reader->value);
}

int snRunRequest_Read(snRunRequest *r, snCli *cli, int count, char **arguments)
{
    static const snOptionUse use = {"run", "scene", options, printHelp, fields, takeOption};
    r->outputs.command = "run";
    r->motion = snDefaultMotionDef();
    int code = snOptionUse_ReadInput(&use, r, &r->input, cli, count, arguments);
    if (code >= 0) return code;
    if (r->ratio > 0 && !r->realtime) return snCli_Usage("run", "--pace goes with --realtime");
    if (!(r->ratio > 0)) r->ratio = 1;
    if (r->replay && (r->realtime || r->record))
        return snCli_Usage("run", "--replay takes the steps of a recording; leave out %s",
                           r->realtime ? "--realtime" : "--record");
    return -1;
}

// ---- the scene ------------------------------------------------------------------------------------

// Files that the scene names, in its folder or below.
static snStatus readNeighbour(void *user, const char *name, snArena *arena, const uint8_t **bytes,
                              size_t *size, snError *error)
{
    snRunRequest *r = user;
    char path[SN_MAX_PATH], whole[SN_MAX_PATH];
    snFileContent content;
    snStatus status = snPath_FromUri(name, path, sizeof path, error);
    if (!status && snPath_Join(r->folder, path, whole, sizeof whole))
        status = snInputs_Add(&r->inputs, whole, &r->arena, error);
    if (!status)
        status = snFile_ReadNeighbour(r->context, r->folder, path, LARGEST_FILE, &content, error);
    if (status) return status;
    *bytes = snArena_Copy(arena, content.bytes, 1, content.size);
    *size = content.size;
    snFile_Release(r->context, &content);
    return *bytes ? SN_OK : snFailMemory(error);
}

static snStatus readScene(snRunRequest *r, const snCli *cli, snError *error)
{
    size_t folder = snPath_FolderLength(r->input);
    if (folder >= sizeof r->folder)
        return snFail(error, SN_ERROR_FILE, "%s: the path is too long", r->input);
    memcpy(r->folder, r->input, folder);
    r->context = &cli->context;
    r->arena = snMakeArena(&cli->context);
    if (snInputs_Add(&r->inputs, r->input, &r->arena, error)) return SN_ERROR_MEMORY;
    snStatus status = snFile_Read(&cli->context, r->input, LARGEST_FILE, &r->file, error);
    if (status) return status;
    snSceneSource source = {readNeighbour, r, snUnpackMeshopt};
    status = snSceneFile_Read(&r->scene, (const char *)r->file.bytes, r->file.size, &source,
                              &cli->context, error);
    if (status) snError_Prefix(error, "%s", r->input);
    return status;
}

// Steps that were recorded are of the lengths that there were then.
static snStatus readReplay(snRunRequest *r, const snCli *cli, snError *error)
{
    snStatus status = snInputs_Add(&r->inputs, r->replay, &r->arena, error);
    if (!status) status = snFile_Read(&cli->context, r->replay, LARGEST_FILE, &r->recording, error);
    if (status) return status;
    status = snReplay_Open(&r->replayed, r->recording.bytes, r->recording.size, error);
    if (status) {
        snError_Prefix(error, "%s", r->replay);
        return status;
    }
    r->scene.paced = r->replayed.lengthCount > 1 || r->replayed.levelCount > 1;
    r->scene.lengthCount = r->replayed.lengthCount;
    memcpy(r->scene.lengths, r->replayed.lengths, sizeof r->scene.lengths);
    return SN_OK;
}

// A name that the scene gives, in its folder. False, and a message, when it leads out of it.
static bool placeName(const snRunRequest *r, const char *key, const char *name, char *path)
{
    char inner[SN_MAX_PATH];
    snError error = {0};
    if (snPath_FromUri(name, inner, sizeof inner, &error)) {
        snError_Prefix(&error, "%s: outputs.%s", r->input, key);
        snCli_Fail(&error);
        return false;
    }
    if (snPath_Join(r->folder, inner, path, SN_MAX_PATH)) return true;
    snFail(&error, SN_ERROR_FILE, "%s: outputs.%s: the path is too long", r->input, key);
    snCli_Fail(&error);
    return false;
}

static bool takeSceneOutputs(snRunRequest *r)
{
    const snSceneOutputs *o = &r->scene.outputs;
    for (int i = 0; i < o->cacheCount && !r->outputs.count; i++)
        if (!placeName(r, "cache", o->caches[i], r->names[i])) return false;
    bool own = !r->outputs.count;
    for (int i = 0; i < o->cacheCount && own; i++)
        if (!snOutputs_Add(&r->outputs, r->names[i])) return false;
    if (o->csv && !r->outputs.sidecar[0]) {
        char path[SN_MAX_PATH];
        if (!placeName(r, "csv", o->csv, path) || !takeTable(r, path)) return false;
    }
    if (o->picture && !r->picture) {
        if (!placeName(r, "picture", o->picture, r->pictureName)) return false;
        if (!snCheckEnding("run", r->pictureName, SN_PICTURES_OR_FILMS, "pictures")) return false;
        r->picture = r->pictureName;
    }
    r->everyStep |= o->everyStep;
    return true;
}

int snRunRequest_Load(snRunRequest *r, const snCli *cli)
{
    snError error = {0};
    if (readScene(r, cli, &error)) return snCli_Fail(&error);
    r->scene.paced = r->realtime;
    if (r->replay && readReplay(r, cli, &error)) return snCli_Fail(&error);
    if (!takeSceneOutputs(r)) return SN_EXIT_FAILED;
    int frames = snSceneFile_Frames(&r->scene);
    if (r->first > frames)
        return snCli_Usage("run", "--frames begins with %d; the scene has %d", r->first, frames);
    if (!r->first) r->first = 1;
    if (!r->last || r->last > frames) r->last = frames;
    int code = snOutputs_CheckNames(&r->outputs, r->inputs.paths, r->inputs.count);
    if (code >= 0) return code;
    const char *others[3] = {r->outputs.sidecar, r->picture, r->record};
    for (int i = 0; i < 3 * r->inputs.count; i++) {
        const char *other = others[i % 3], *input = r->inputs.paths[i / 3];
        if (other && other[0] && snFile_IsSame(other, input))
            return snCli_Usage("run", "%s is %s; write to another file", other,
                               i < 3 ? "the scene" : "read");
    }
    for (int i = 0; i < 2 && r->record; i++)
        if (others[i] && others[i][0] && snFile_IsSame(others[i], r->record))
            return snCli_Usage("run", "%s is to be the recording and something else", r->record);
    return -1;
}

void snRunRequest_Free(snRunRequest *r)
{
    if (!r->context) return;
    snSceneFile_Destroy(&r->scene);
    snFile_Release(r->context, &r->file);
    snFile_Release(r->context, &r->recording);
    snArena_Destroy(&r->arena);
}
