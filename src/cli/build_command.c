#include "body/skin/smooth.h"
#include "cli/build_picture.h"
#include "cli/build_play.h"
#include "cli/build_shrink.h"
#include "cli/file_kind.h"
#include "cli/filming.h"
#include "cli/options.h"
#include "cli/text.h"
#include "cli/view_options.h"
#include "layered/figure.h"
#include "layered/file.h"
#include "layered/script.h"

#include <stdio.h>
#include <string.h>

// `sinew build`: layered characters by scripts of operations.

#define LARGEST_FILE ((size_t)1 << 30) // bytes

static const snOption options[] = {
    {"output", 'o', "FILE", "the character, as JSON (.character.json)"},
    {"start", 0, "FILE", "begin with this character, not with nothing"},
    {"picture", 0, "FILE", "a film strip (.png) or a film (.mp4, needs ffmpeg) of its animation"},
    {"view", 0, "YAW,PITCH", "yaw and pitch in one: 0,10 is the front"},
    {"panels", 0, "COUNT", "of a strip (6)"},
    {"size", 0, "WxH", "pixels of a panel (480x400) or of a film's frames (960x540)"},
    {"operations", 0, NULL, "list all operations with their arguments"},
    {"undo", 0, NULL, "at the end undo all, and say whether the document is as at the begin"},
    {"cache", 0, "FILE", "the skin, simulated: .glb, .pc2, .mdd, .obj, .usda or .json; repeatable"},
    {"muscles", 0, NULL, "pictures show muscles and bones alone"},
    {"glass", 0, NULL, "pictures show muscles through the skin"},
    {"shrinking", 0, NULL, "pictures show the skin while it shrinks onto the muscles"},
    {"final", 0, NULL, "simulate the skin's grid at its final resolution"},
    {"smooth", 0, "LEVELS",
     "how often the skin is refined in pictures and caches (2; 3 for marks)"},
    {"realtime", 0, NULL, "play by the clock, with a coarser skin where it cannot keep up"},
    {"pace", 0, "RATIO", "seconds played in one of the clock (as the character says, or 1)"},
    {"record", 0, "FILE", "write down which steps and levels were played by the clock"},
    {"replay", 0, "FILE", "play what was recorded again, to the same bits"},
    SN_VIEW_OPTIONS,
    {"json", 0, NULL, "print the summary as JSON"},
    {"quiet", 'q', NULL, "say nothing but errors"},
    {"help", 'h', NULL, "this text"},
    {0},
};

typedef struct Request {
    const char *script, *output, *start, *picture;
    snCamera camera;
    bool undo, muscles, glass, shrinking;
    bool list;           // operations, and nothing else
    bool behind;         // the clock was not kept up with
    bool coarse;         // a .glb has more error than its tolerance
    int panels, size[2]; // 0: by what is made
    snBuildPlayDef play;
    snOutputs caches;
} Request;

static void printHelp(void)
{
    printf(
        "Usage: sinew build [OPTIONS] SCRIPT\n\n"
        "Builds a layered character (skeleton, muscles, skin, key postures) by a script: one\n"
        "operation a line. A character (.json) may stand for a script: it is read, and drawn or\n"
        "written again. docs/building-characters.md is a walk-through.\n\n");
    snPrintOptions(options);
    printf("\nExamples:\n"
           "  sinew build penguin.txt -o penguin.character.json\n"
           "  sinew build penguin.txt --picture penguin.png\n"
           "  sinew build penguin.character.json --picture penguin.mp4 --view 30,10\n"
           "  sinew build penguin.character.json --realtime --pace 0.5 --record penguin.steps\n"
           "  sinew build --operations\n");
}

static int listOperations(void)
{
    snContext context = snDefaultContext();
    snBytes text = snMakeBytes(&context);
    snScript_List(&text);
    bool whole = !text.failed && fwrite(text.data, 1, text.size, stdout) == text.size;
    snBytes_Destroy(&text);
    return whole ? SN_EXIT_DONE : SN_EXIT_FAILED;
}

// ---- options --------------------------------------------------------------------------------------

static bool takeView(Request *r, const char *text)
{
    char more;
    r->camera.automatic = false;
    if (sscanf(text, "%lf,%lf%c", &r->camera.yaw, &r->camera.pitch, &more) == 2) return true;
    snCli_Usage("build", "--view is \"%s\"; write it as 30,10: yaw and pitch in degrees", text);
    return false;
}

static const snOptionField fields[] = {
    SN_PATH_FIELD("output", Request, output, ".json", "characters"),
    SN_TEXT_FIELD("start", Request, start),
    SN_PATH_FIELD("picture", Request, picture, SN_PICTURES_OR_FILMS, "pictures"),
    SN_INT_FIELD("panels", Request, panels, 1, SN_MOST_PANELS),
    SN_SIZE_FIELD("size", Request, size),
    SN_FLAG_FIELD("operations", Request, list),
    SN_FLAG_FIELD("undo", Request, undo),
    SN_FLAG_FIELD("muscles", Request, muscles),
    SN_FLAG_FIELD("glass", Request, glass),
    SN_FLAG_FIELD("shrinking", Request, shrinking),
    SN_FLAG_FIELD("final", Request, play.finalGrid),
    SN_INT_FIELD("smooth", Request, play.smooth, 0, SN_SKIN_SMOOTH_LEVELS),
    SN_FLAG_FIELD("realtime", Request, play.realtime),
    SN_NUMBER_FIELD("pace", Request, play.ratio, 1e-3, 1e3, NULL),
    SN_TEXT_FIELD("record", Request, play.record),
    SN_TEXT_FIELD("replay", Request, play.replay),
    {0},
};

static bool takeOption(void *request, const snOptionReader *reader, int which)
{
    Request *r = request;
    (void)which;
    if (!strcmp(reader->name, "view")) return takeView(r, reader->value);
    if (!strcmp(reader->name, "cache")) return snOutputs_Add(&r->caches, reader->value);
    return snViewOptions_Take(&r->camera, reader) > 0;
}

static int readRequest(Request *r, snCli *cli, int count, char **arguments)
{
    static const snOptionUse use = {"build", "script", options, printHelp, fields, takeOption};
    r->panels = 6;
    r->camera = snDefaultCamera();
    r->play.smooth = -1;
    r->caches.command = "build";
    int code = snOptionUse_Read(&use, r, &r->script, cli, count, arguments);
    if (code >= 0) return code;
    if (r->list) return listOperations();
    if (!r->script) return snCli_Usage("build", "which script?");
    if (r->shrinking && (!r->picture || r->muscles))
        return snCli_Usage("build", r->muscles ? "--shrinking shows the skin; leave out --muscles"
                                               : "--shrinking goes with --picture");
    if (!r->play.realtime && (r->play.record || r->play.ratio > 0))
        return snCli_Usage("build", "%s goes with --realtime",
                           r->play.record ? "--record" : "--pace");
    if (r->play.realtime && r->play.replay)
        return snCli_Usage("build",
                           "--replay takes the steps of a recording; leave out --realtime");
    bool film = r->picture && snPath_HasExtension(r->picture, ".mp4");
    code = snFilming_CheckSize("build", film ? 1 : r->panels, r->size);
    if (code >= 0) return code;
    const char *outputs[3] = {r->output, r->picture, r->play.record};
    const char *inputs[3] = {r->script, r->start, r->play.replay};
    code = snCli_CheckOutputs("build", &(snOutputCheck){3, 3, outputs, inputs});
    return code >= 0 ? code : snOutputs_CheckNames(&r->caches, inputs, 3);
}

// ---- work -----------------------------------------------------------------------------------------

static snStatus readCharacter(snEditor *editor, const char *path, const snCli *cli, snError *error)
{
    static const snFileWant want = {"a layered character", 1, {SN_KIND_LAYERED}};
    snFileContent file;
    snStatus status = snFile_Read(&cli->context, path, LARGEST_FILE, &file, error);
    if (status) return status;
    status = snFileWant_Check(&want, path, &file, &cli->context, error);
    if (!status) {
        status = snEditor_Read(editor, (const char *)file.bytes, file.size, &cli->context, error);
        if (status) snError_Prefix(error, "%s", path);
    }
    snFile_Release(&cli->context, &file);
    return status;
}

static snStatus runScript(snEditor *editor, const Request *r, snScriptReport *report,
                          snBuildShrink *shrink, const snCli *cli, snError *error)
{
    static const snFileWant want = {"a script of operations", 1, {SN_KIND_EMPTY}};
    snFileContent file;
    snStatus status = r->start ? readCharacter(editor, r->start, cli, error)
                               : snEditor_Make(editor, &cli->context, error);
    if (status) return status;
    if (r->shrinking) snBuildShrink_Watch(shrink, editor);
    status = snFile_Read(&cli->context, r->script, LARGEST_FILE, &file, error);
    if (status) return status;
    status = snFileWant_Check(&want, r->script, &file, &cli->context, error);
    if (!status) {
        status = snScript_Run(editor, (const char *)file.bytes, file.size, report, error);
        if (status) snError_Prefix(error, "%s", r->script);
    }
    snFile_Release(&cli->context, &file);
    return status;
}

// All back to the begin and forth again; both must be the same bytes as before.
static snStatus tryUndo(snEditor *editor, const Request *r, const snCli *cli, snError *error)
{
    snBytes begin = snMakeBytes(&cli->context), end = snMakeBytes(&cli->context);
    snBytes now = snMakeBytes(&cli->context);
    snEditor fresh = {0};
    snLayered_Write(&editor->layered, &end);
    while (snEditor_Undo(editor)) {}
    snLayered_Write(&editor->layered, &now);
    snStatus status = r->start ? readCharacter(&fresh, r->start, cli, error)
                               : snEditor_Make(&fresh, &cli->context, error);
    if (!status) {
        snLayered_Write(&fresh.layered, &begin);
        bool same = begin.size == now.size && !memcmp(begin.data, now.data, now.size);
        while (snEditor_Redo(editor)) {}
        snBytes_Clear(&now);
        snLayered_Write(&editor->layered, &now);
        bool again = end.size == now.size && !memcmp(end.data, now.data, now.size);
        if (begin.failed || now.failed || end.failed)
            status = snFailMemory(error);
        else if (!same || !again)
            status = snFail(error, SN_ERROR_NUMERIC, "%s: %s gives other bytes", r->script,
                            same ? "redoing" : "undoing");
        snEditor_Destroy(&fresh);
    }
    snBytes_Destroy(&begin);
    snBytes_Destroy(&end);
    snBytes_Destroy(&now);
    return status;
}

static snStatus writeCharacter(const snEditor *editor, const char *path, snFileBatch *batch,
                               snError *error)
{
    snBytes bytes = snMakeBytes(batch->context);
    snLayered_Write(&editor->layered, &bytes);
    snStatus status = snBytes_Check(&bytes, error);
    if (!status) status = snFileBatch_Write(batch, path, bytes.data, bytes.size, error);
    snBytes_Destroy(&bytes);
    return status;
}

static void printSummary(const snEditor *editor, const Request *r, const snScriptReport *report,
                         const snCli *cli)
{
    const snLayered *l = &editor->layered;
    int joints = snLayered_Count(l, SN_TABLE_JOINTS),
        muscles = snLayered_Count(l, SN_TABLE_MUSCLES);
    int points = snLayered_Count(l, SN_TABLE_POINTS), keys = snLayered_Count(l, SN_TABLE_POSTURES);
    if (cli->json) {
        printf("{\"operations\": %d, \"steps\": %d, \"joints\": %d, \"muscles\": %d, \"points\": "
               "%d, \"postures\": %d, \"unmet\": %d, \"journalBytes\": %zu}\n",
               report->operations, snEditor_UndoCount(editor), joints, muscles, points, keys,
               report->unmet, snEditor_JournalBytes(editor));
        return;
    }
    if (cli->quiet) return;
    int steps = snEditor_UndoCount(editor);
    printf("%d %s, %d %s, %d skin %s, %d %s; %d %s, %d %s in %.1f kB\n", joints,
           snPlural(joints, "joint", "joints"), muscles, snPlural(muscles, "muscle", "muscles"),
           points, snPlural(points, "point", "points"), keys, snPlural(keys, "posture", "postures"),
           report->operations, snPlural(report->operations, "operation", "operations"), steps,
           snPlural(steps, "step", "steps"), (double)snEditor_JournalBytes(editor) / 1e3);
    if (r->undo) printf("undone to the begin and done again: the same bytes\n");
    if (report->unmet)
        printf("%d %s could not reach where %s should, by up to %.3g m (first in line %d)\n",
               report->unmet, snPlural(report->unmet, "joint", "joints"),
               snPlural(report->unmet, "it", "they"), report->worstMiss, report->unmetLine);
    if (r->output) printf("%s\n", r->output);
    if (r->picture) printf("%s\n", r->picture);
}

// The name of the character: its title, or the script's.
static const char *nameOf(const snLayered *layered, const Request *r)
{
    const char *title = snLayered_Settings(layered)->title;
    return *title ? title : snPath_Name(r->script);
}

// What was played by the clock, or as it was recorded.
static void printPaced(const snBuildPlay *run, bool replay)
{
    const snPace *pace = &run->pace;
    printf("skin: %d frames, %.2f s in %.2f s%s; hash %016llx\n", run->frameCount,
           run->times[run->frameCount - 1], run->seconds, replay ? ", as it was recorded" : "",
           (unsigned long long)run->hash);
    if (replay) return;
    if (pace->stretches)
        printf("could not keep up with the clock even at the coarsest: %.2g s were given up\n",
               1e-6 * (double)pace->lost);
    else
        printf("kept up with the clock, %.2g ms behind at worst\n",
               1e-3 * (double)pace->largestLag);
    printf("steps by level of detail:");
    for (int i = 0; i < pace->levelCount; i++)
        printf("%s %lld", i ? "," : "", (long long)pace->levelSteps[i]);
    printf("; changed %d %s\n", pace->levelChanges, snPlural(pace->levelChanges, "time", "times"));
}

static void printPlay(const snBuildPlay *run, const Request *r, const snCli *cli)
{
    double duration = run->times[run->frameCount - 1];
    if (cli->quiet || cli->json) return;
    if (r->play.realtime || r->play.replay) {
        printPaced(run, r->play.replay);
        return;
    }
    printf(
        "skin: %d frames, %.2f s simulated in %.2f s; at deepest %.2g of a muscle's size inside; "
        "slid by up to %.1f mm\n",
        run->frameCount, duration, run->seconds, run->deepest, 1e3 * run->slid);
}

// Pictures and caches: with the skin simulated where there is one.
static snStatus show(const snLayered *layered, Request *r, snFileBatch *batch, const snCli *cli,
                     snError *error)
{
    snBuildPlay run = {0};
    bool played = r->play.realtime || r->play.replay;
    bool skin =
        snLayered_Skin(layered) && (r->caches.count || played || (r->picture && !r->muscles));
    snBuildPicture picture = {.layered = layered,
                              .muscles = r->glass,
                              .camera = r->camera,
                              .panels = r->panels,
                              .size = r->size};
    if ((r->caches.count || played) && !skin)
        return snFail(error, SN_ERROR_ARGUMENT, "%s: there is no skin to simulate", r->script);
    bool marked = r->picture && snLayered_Count(layered, SN_TABLE_MARKS); // their edges are fine
    if (r->play.smooth < 0) r->play.smooth = marked ? 3 : 2;
    snStatus status = skin ? snBuildPlay_Run(&run, layered, &r->play, cli, error) : SN_OK;
    if (status) return status;
    r->behind = run.pace.stretches > 0;
    if (skin) printPlay(&run, r, cli);
    snBuildPlayNames names = {nameOf(layered, r), r->script};
    if (r->caches.count) status = snBuildPlay_Write(&run, &r->caches, &names, batch, cli, error);
    r->coarse = run.coarse;
    if (!status && r->play.record)
        status =
            snFileBatch_Write(batch, r->play.record, run.recording.data, run.recording.size, error);
    if (skin && !r->muscles) {
        picture.frameCount = run.frameCount;
        picture.frames = snBuildPlay_Surfaces(&run);
        if (!status && !picture.frames) status = snFailMemory(error);
    }
    if (!status && r->picture && !r->shrinking)
        status = snBuildPicture_Write(&picture, r->picture, batch, cli, error);
    if (skin) snBuildPlay_Free(&run);
    return status;
}

// The skin as it was while it shrank.
static snStatus showShrinking(const snLayered *layered, const Request *r, snBuildShrink *shrink,
                              snFileBatch *batch, const snCli *cli, snError *error)
{
    snBuildPicture picture = {.layered = layered,
                              .rate = SN_SHRINK_RATE,
                              .muscles = true,
                              .camera = r->camera,
                              .panels = r->panels,
                              .size = r->size};
    if (!shrink->count || !snLayered_Skin(layered))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "%s: no skin shrinks there; \"skin create\" makes one that does", r->script);
    int panels = snPath_HasExtension(r->picture, ".mp4") ? 0 : r->panels;
    snStatus status = snBuildShrink_Choose(shrink, panels, error);
    picture.frameCount = shrink->chosen;
    picture.frames = shrink->surfaces;
    picture.times = shrink->times;
    return status ? status : snBuildPicture_Write(&picture, r->picture, batch, cli, error);
}

// Whether the places given can be written to, before anything is simulated.
static snStatus probe(const Request *r, const snCli *cli, snError *error)
{
    const char *const paths[] = {r->output, r->picture, r->play.record};
    snStatus status = snOutputs_Probe(&r->caches, cli, error);
    return status ? status : snCli_Probe(paths, 3, cli, error);
}

// All that is asked for, or none of it.
static snStatus writeOutputs(const snEditor *editor, Request *r, snBuildShrink *shrink,
                             const snCli *cli, snError *error)
{
    snFileBatch batch = snMakeFileBatch(&cli->context);
    bool moves = (r->picture && !r->shrinking) || r->caches.count;
    snStatus status = SN_OK;
    if (r->shrinking) status = showShrinking(&editor->layered, r, shrink, &batch, cli, error);
    if (!status && (moves || r->play.realtime || r->play.replay))
        status = show(&editor->layered, r, &batch, cli, error);
    if (!status && r->output) status = writeCharacter(editor, r->output, &batch, error);
    return snFileBatch_End(&batch, status, error);
}

static int build(Request *r, snCli *cli)
{
    snError error = {0};
    snEditor editor = {0};
    snScriptReport report = {0};
    snBuildShrink shrink = snMakeBuildShrink(&cli->context);
    bool character = snPath_HasExtension(r->script, ".json");
    snStatus status = character ? readCharacter(&editor, r->script, cli, &error)
                                : runScript(&editor, r, &report, &shrink, cli, &error);
    if (!status && r->undo) status = tryUndo(&editor, r, cli, &error);
    if (!status) status = probe(r, cli, &error);
    if (!status) status = writeOutputs(&editor, r, &shrink, cli, &error);
    if (!status) printSummary(&editor, r, &report, cli);
    snEditor_Destroy(&editor);
    snBuildShrink_Free(&shrink);
    if (status) return snCli_Fail(&error);
    return report.unmet || r->behind || r->coarse ? SN_EXIT_DEGRADED : SN_EXIT_DONE;
}

int snCommand_Build(int count, char **arguments)
{
    Request request = {0};
    snCli cli = {0};
    snError error = {0};
    int code = readRequest(&request, &cli, count, arguments);
    if (code >= 0) return code;
    snInterrupt_Begin();
    code = snCli_Begin(&cli, &error) ? snCli_Fail(&error) : build(&request, &cli);
    snCli_End(&cli);
    snInterrupt_End();
    return code;
}
