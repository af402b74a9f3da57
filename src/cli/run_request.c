#include "cli/run_request.h"

#include "cli/file_kind.h"
#include "cli/filming.h"
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
    {"size", 0, "WxH", "pixels of a panel (480x360) or of a film's frames (960x540)"},
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

static snStatus takeTable(snRunRequest *r, const char *path, snError *error)
{
    snStatus status = snCheckEnding(path, ".csv", "tables", error);
    if (!status && strlen(path) >= sizeof r->outputs.sidecar)
        status = snFail(error, SN_ERROR_FILE, "%s: the path is too long", path);
    if (!status) memcpy(r->outputs.sidecar, path, strlen(path) + 1);
    return status;
}

static const snOptionField fields[] = {
    SN_FLAG_FIELD("every-step", snRunRequest, everyStep),
    SN_PATH_FIELD("picture", snRunRequest, picture, SN_PICTURES_OR_FILMS, "pictures"),
    SN_SIZE_FIELD("size", snRunRequest, size),
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
    snError error = {0};
    if (!strcmp(reader->name, "frames")) return takeFrames(r, reader);
    if (strcmp(reader->name, "csv") != 0) return snOutputs_Add(&r->outputs, reader->value);
    if (!takeTable(r, reader->value, &error)) return true;
    snCli_Usage("run", "%s", error.message);
    return false;
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
    static const snFileWant want = {"a scene", 1, {SN_KIND_SCENE}};
    snSceneSource source = {readNeighbour, r, snUnpackMeshopt};
    status = snFileWant_Check(&want, r->input, &r->file, &cli->context, error);
    if (status) return status;
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

// A name that the scene gives, in its folder.
static snStatus placeName(const snRunRequest *r, const char *name, char *path, snError *error)
{
    char inner[SN_MAX_PATH];
    snStatus status = snPath_FromUri(name, inner, sizeof inner, error);
    if (status || snPath_Join(r->folder, inner, path, SN_MAX_PATH)) return status;
    return snFail(error, SN_ERROR_FILE, "the path is too long");
}

static snStatus takeCaches(snRunRequest *r, snError *error)
{
    const snSceneOutputs *o = &r->scene.outputs;
    snStatus status = SN_OK;
    for (int i = 0; i < o->cacheCount && !status; i++) {
        status = placeName(r, o->caches[i], r->names[i], error);
        if (!status) status = snOutputs_Take(&r->outputs, r->names[i], error);
    }
    return status;
}

static snStatus takePicture(snRunRequest *r, snError *error)
{
    snStatus status = placeName(r, r->scene.outputs.picture, r->pictureName, error);
    if (!status) status = snCheckEnding(r->pictureName, SN_PICTURES_OR_FILMS, "pictures", error);
    r->picture = r->pictureName;
    return status;
}

// Those of a kind that the command line names none of.
static snStatus takeSceneOutputs(snRunRequest *r, snError *error)
{
    const snSceneOutputs *o = &r->scene.outputs;
    const char *key = "cache";
    snStatus status = r->outputs.count ? SN_OK : takeCaches(r, error);
    if (!status && o->csv && !r->outputs.sidecar[0]) {
        char path[SN_MAX_PATH];
        key = "csv";
        status = placeName(r, o->csv, path, error);
        if (!status) status = takeTable(r, path, error);
    }
    if (!status && o->picture && !r->picture) {
        key = "picture";
        status = takePicture(r, error);
    }
    if (status) snError_Prefix(error, "%s: outputs.%s", r->input, key);
    r->everyStep |= o->everyStep;
    return status;
}

int snRunRequest_Load(snRunRequest *r, const snCli *cli)
{
    snError error = {0};
    if (readScene(r, cli, &error)) return snCli_Fail(&error);
    r->scene.paced = r->realtime;
    if (r->replay && readReplay(r, cli, &error)) return snCli_Fail(&error);
    if (takeSceneOutputs(r, &error)) return snCli_Fail(&error);
    bool film = r->picture && snPath_HasExtension(r->picture, ".mp4");
    int code = snFilming_CheckSize("run", film ? 1 : r->scene.camera.panels, r->size);
    if (code >= 0) return code;
    int frames = snSceneFile_Frames(&r->scene);
    if (r->first > frames)
        return snCli_Usage("run", "--frames begins with %d; the scene has %d", r->first, frames);
    if (!r->first) r->first = 1;
    if (!r->last || r->last > frames) r->last = frames;
    code = snOutputs_CheckNames(&r->outputs, r->inputs.paths, r->inputs.count);
    if (code >= 0) return code;
    const char *others[3] = {r->outputs.sidecar, r->picture, r->record};
    return snCli_CheckOutputs("run", &(snOutputCheck){3, r->inputs.count, others, r->inputs.paths});
}

void snRunRequest_Free(snRunRequest *r)
{
    if (!r->context) return;
    snSceneFile_Destroy(&r->scene);
    snFile_Release(r->context, &r->file);
    snFile_Release(r->context, &r->recording);
    snArena_Destroy(&r->arena);
}
