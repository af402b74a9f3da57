// sinew bake: clips of a character turned into clips with flesh.
#include "asset/json_write.h"
#include "asset/pc2.h"
#include "bake/soft.h"
#include "cli/flesh_options.h"
#include "cli/length.h"
#include "cli/text.h"

#include <stdio.h>
#include <string.h>

#define MOST_OUTPUTS 16
#define MOST_CLIPS 1024

enum {
    OPTION_OUTPUT,
    OPTION_CLIP,
    OPTION_FPS,
    OPTION_STEPS,
    OPTION_TOLERANCE,
    OPTION_TARGETS,
    OPTION_THREADS,
    OPTION_JSON,
    OPTION_QUIET,
    OPTION_HELP,
};

static const snOption options[] = {
    {"output", 'o', "FILE", "where to write: .glb (soft clips added) or .pc2 (a point cache)"},
    {"clip", 'c', "CLIP", "bake this clip only, by name or number; may be repeated"},
    {"fps", 0, "RATE", "frames per second of the result (30)"},
    {"steps", 0, "RATE", "simulation steps per second, at least (120)"},
    {"tolerance", 0, "SHARE", "error of morph targets, as a share of the height (0.005)"},
    {"max-targets", 0, "COUNT", "most morph targets per mesh (64)"},
    {"threads", 'j', "COUNT", "threads to use; the result does not depend on it (all)"},
    {"json", 0, NULL, "print a summary for programs on standard output"},
    {"quiet", 'q', NULL, "say nothing but errors"},
    {"help", 'h', NULL, "this text"},
    SN_SHAPE_OPTIONS,
    SN_PART_OPTIONS,
    SN_SOLVER_OPTIONS,
    {0},
};

typedef struct Request {
    const char *input;
    int outputCount;
    const char *outputs[MOST_OUTPUTS];
    int clipCount;
    const char *clips[MOST_CLIPS];
    snFleshOptions flesh;
    snBakeDef bake;
    snSoftDef soft;
} Request;

typedef struct Result {
    double buildSeconds, bakeSeconds, writeSeconds;
    snSize size;
    snSoftReport soft;
    bool hasSoft;
} Result;

static void printHelp(void)
{
    printf(
        "Usage: sinew bake [OPTIONS] FILE -o OUTPUT [-o OUTPUT ...]\n\n"
        "Gives the animated character in FILE (.glb or .gltf, with a skin and clips) flesh, and\n"
        "writes the result. The original is never changed; a .glb result is the original with\n"
        "everything in it, plus a clip NAME.soft for every clip that was baked.\n\n");
    snPrintOptions(options);
    printf(
        "\nA PART is a joint's name, with all joints below it; a pattern of names with *; or a "
        "word\n"
        "such as ear, tail or belly. Options about parts may be repeated; later ones win.\n"
        "\nExamples:\n"
        "  sinew bake fox.glb -o fox-soft.glb\n"
        "  sinew bake fox.glb --clip Run --wobble 5 -o run.glb -o run.pc2\n"
        "  sinew bake cow.glb --wobble ear=6Hz --material belly=fat --held tail -o cow-soft.glb\n"
        "  sinew bake fox.glb --feel cartoon -o fox-cartoon.glb\n"
        "  sinew bake fox.glb --rig fox.rig.json -o fox-soft.glb\n");
}

// ---- options ------------------------------------------------------------------------------------

static bool addOutput(Request *request, const char *path)
{
    if (request->outputCount == MOST_OUTPUTS) {
        snCli_Usage("bake", "more than %d outputs", MOST_OUTPUTS);
        return false;
    }
    if (!snPath_HasExtension(path, ".glb") && !snPath_HasExtension(path, ".pc2")) {
        snCli_Usage("bake", "%s: outputs end in .glb or .pc2", path);
        return false;
    }
    request->outputs[request->outputCount++] = path;
    return true;
}

static bool takeOption(Request *r, snCli *cli, const snOptionReader *reader, int which)
{
    switch (which) {
    case OPTION_OUTPUT:
        return addOutput(r, reader->value);
    case OPTION_CLIP:
        if (r->clipCount == MOST_CLIPS) {
            snCli_Usage("bake", "more than %d clips", MOST_CLIPS);
            return false;
        }
        r->clips[r->clipCount++] = reader->value;
        return true;
    case OPTION_FPS:
        return snOptionReader_Number(reader, 1, 1000, NULL, &r->bake.frameRate);
    case OPTION_STEPS:
        return snOptionReader_Number(reader, 10, 100000, NULL, &r->bake.stepRate);
    case OPTION_TOLERANCE:
        return snOptionReader_Number(reader, 1e-6, 1, NULL, &r->soft.tolerance);
    case OPTION_TARGETS:
        return snOptionReader_Int(reader, 1, 1000, &r->soft.mostTargets);
    case OPTION_THREADS:
    case OPTION_JSON:
    case OPTION_QUIET:
    case SN_OPTION_FILE:
        return snOptionReader_Common(reader, which, cli, &r->input);
    }
    return snFleshOptions_Take(&r->flesh, reader) > 0;
}

// Returns an exit code, or -1 to go on.
static int readOptions(Request *request, snCli *cli, int count, char **arguments)
{
    snOptionReader reader = snMakeOptionReader("bake", options, count, arguments);
    int which;
    while ((which = snOptionReader_Next(&reader)) != SN_OPTION_END) {
        if (which == OPTION_HELP) {
            printHelp();
            return SN_EXIT_DONE;
        }
        if (which == SN_OPTION_ERROR || !takeOption(request, cli, &reader, which))
            return SN_EXIT_USAGE;
    }
    if (!request->input) return snCli_Usage("bake", "which file?");
    if (!request->outputCount)
        return snCli_Usage("bake", "where to? Give an output, for example -o soft.glb");
    for (int i = 0; i < request->outputCount; i++)
        if (!strcmp(request->outputs[i], request->input) ||
            snFile_IsSame(request->outputs[i], request->input))
            return snCli_Usage("bake", "%s is the input; write to another file",
                               request->outputs[i]);
    for (int i = 1; i < request->outputCount; i++)
        for (int k = 0; k < i; k++)
            if (!strcmp(request->outputs[i], request->outputs[k]))
                return snCli_Usage("bake", "%s is given twice", request->outputs[i]);
    return -1;
}

// Finds out before the work whether its results can be written.
static snStatus checkOutputs(const Request *request, const snCli *cli, snError *error)
{
    snFileBatch batch = snMakeFileBatch(&cli->context);
    snStatus status = SN_OK;
    for (int i = 0; i < request->outputCount && !status; i++) {
        snFileWriter *writer;
        status = snFileBatch_Open(&batch, request->outputs[i], &writer, error);
    }
    snFileBatch_Abandon(&batch);
    return status;
}

// ---- work -----------------------------------------------------------------------------------------

static bool isSoft(const char *name)
{
    size_t length = strlen(name);
    return length >= 5 && !strcmp(name + length - 5, ".soft");
}

// Without --clip: all that an earlier bake has not made.
static int chooseAll(const snCharacter *character, int *numbers)
{
    int count = 0;
    for (int k = 0; k < character->clipCount && count < MOST_CLIPS; k++)
        if (!isSoft(character->clips[k].name)) numbers[count++] = k;
    return count;
}

// What a .glb can hold is known before the work begins.
static snStatus checkFrames(const Request *request, const snCharacter *character, snError *error)
{
    int64_t frames = 0;
    bool glb = false;
    for (int i = 0; i < request->outputCount; i++)
        glb |= snPath_HasExtension(request->outputs[i], ".glb");
    for (int i = 0; i < request->bake.clipCount; i++)
        frames += snBakeDef_Frames(&request->bake, &character->clips[request->bake.clips[i]]);
    if (!glb || frames <= SN_SOFT_FRAMES) return SN_OK;
    return snFail(
        error, SN_ERROR_UNSUPPORTED,
        "%s: %lld frames are too many for one .glb (%d are most): choose clips with --clip, "
        "a lower --fps, or a point cache (.pc2)",
        request->input, (long long)frames, SN_SOFT_FRAMES);
}

static snStatus findClips(const Request *request, const snCharacter *character, int *numbers,
                          snError *error)
{
    if (character->skinCount == 0)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "%s: no mesh has a skin: bind the mesh to its skeleton and export it again, "
                      "or let `sinew rig` make one",
                      request->input);
    if (character->clipCount == 0)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "%s: there is no clip to bake: export the character with an animation",
                      request->input);
    for (int i = 0; i < request->clipCount; i++) {
        numbers[i] = snCharacter_FindClip(character, request->clips[i]);
        if (numbers[i] >= 0) continue;
        const char *names[64];
        int count = character->clipCount < 64 ? character->clipCount : 64;
        for (int k = 0; k < count; k++)
            names[k] = character->clips[k].name;
        const char *guess = snSuggest(request->clips[i], names, count);
        return snFail(error, SN_ERROR_ARGUMENT,
                      "%s: there is no clip \"%s\"%s%s%s; `sinew info` lists them", request->input,
                      request->clips[i], guess ? ", did you mean \"" : "", guess ? guess : "",
                      guess ? "\"?" : "");
    }
    return SN_OK;
}

static bool tellProgress(void *user, double fraction, const char *what)
{
    (void)what;
    snProgress_Update(user, fraction);
    return true;
}

static snStatus appendToFile(void *user, const void *bytes, size_t size, snError *error)
{
    return snFileWriter_Append(user, bytes, size, error);
}

// All clips one after another, vertices in the order of the file.
static snStatus writeCache(const snBake *bake, snFileWriter *writer, snError *error)
{
    snPc2Header header = {.pointCount = bake->vertexCount, .sampleRate = 1};
    snPc2Writer cache;
    for (int i = 0; i < bake->clipCount; i++)
        header.sampleCount += bake->clips[i].frameCount;
    snStatus status = snPc2_Begin(&cache, &header, (snPc2Sink){appendToFile, writer}, error);
    for (int i = 0; i < bake->clipCount && !status; i++)
        for (int k = 0; k < bake->clips[i].frameCount && !status; k++)
            status = snPc2_Frame(
                &cache, bake->clips[i].positions + (size_t)k * (size_t)bake->vertexCount, error);
    if (!status) status = snPc2_End(&cache, error);
    return status;
}

static snStatus writeOutputs(const Request *request, const snLoaded *loaded, const snBake *bake,
                             Result *result, const snCli *cli, snError *error)
{
    snFileBatch batch = snMakeFileBatch(&cli->context);
    snBytes soft = snMakeBytes(&cli->context);
    snStatus status = SN_OK;
    for (int i = 0; i < request->outputCount && !status; i++) {
        snFileWriter *writer;
        bool glb = snPath_HasExtension(request->outputs[i], ".glb");
        if (glb && !result->hasSoft) { // the same bytes for every .glb
            status = snSoft_Write(bake, &request->soft, &loaded->source, &soft, &result->soft,
                                  &cli->context, error);
            if (status) snError_Prefix(error, "%s", request->input);
            result->hasSoft = true;
        }
        if (!status) status = snFileBatch_Open(&batch, request->outputs[i], &writer, error);
        if (status) break;
        status = glb ? snFileWriter_Append(writer, soft.data, soft.size, error)
                     : writeCache(bake, writer, error);
    }
    if (status)
        snFileBatch_Abandon(&batch);
    else
        status = snFileBatch_Commit(&batch, error);
    snBytes_Destroy(&soft);
    return status;
}

// ---- summary --------------------------------------------------------------------------------------

static double clipSeconds(const snBake *bake)
{
    double seconds = 0;
    for (int i = 0; i < bake->clipCount; i++)
        seconds += bake->character->clips[bake->clips[i].clip].duration;
    return seconds;
}

// The targets that were allowed did not reproduce the motion as well as was asked for.
static bool missedTolerance(const Request *request, const Result *result)
{
    return result->hasSoft && result->soft.error > request->soft.tolerance;
}

// Loops that did not settle: their last frame is not the first one's.
static int openLoops(const Request *request, const snBake *bake)
{
    int count = 0;
    for (int i = 0; i < bake->clipCount; i++)
        count += bake->clips[i].loops && bake->clips[i].loopGap > request->soft.tolerance;
    return count;
}

static void printSummary(const Request *request, const snBake *bake, const Result *result)
{
    const snFlesh *flesh = bake->flesh;
    int cells = flesh->lattice.cellCount;
    printf("%s: %d %s, %d %s, %d lattice %s (quality %.2f worst, %.2f median)\n",
           snPlain(request->input).text, bake->vertexCount,
           snPlural(bake->vertexCount, "vertex", "vertices"), flesh->boneCount,
           snPlural(flesh->boneCount, "bone", "bones"), cells, snPlural(cells, "cell", "cells"),
           flesh->report.worstQuality, flesh->report.medianQuality);
    snPrintSize(&result->size);
    for (int i = 0; i < bake->clipCount; i++) {
        const snBakedClip *clip = &bake->clips[i];
        printf("  %-16s %3d %s, flesh moves up to %.1f %% of the height",
               snPlain(bake->character->clips[clip->clip].name).text, clip->frameCount,
               snPlural(clip->frameCount, "frame", "frames"), 100 * clip->largestOffset);
        if (clip->loops)
            printf("; loops after %d %s, gap %.2f %%", clip->repeats,
                   snPlural(clip->repeats, "round", "rounds"), 100 * clip->loopGap);
        printf("\n");
    }
    printf(
        "built in %.1f s; simulated %.1f s of motion in %.2f s, %.1f times as fast as real time\n",
        result->buildSeconds, bake->simulated, result->bakeSeconds,
        bake->simulated / (result->bakeSeconds > 0 ? result->bakeSeconds : 1e-9));
    if (result->hasSoft)
        printf("%d %s it within %.2f %% of the height\n", result->soft.targetCount,
               snPlural(result->soft.targetCount, "morph target reproduces",
                        "morph targets reproduce"),
               100 * result->soft.error);
    if (missedTolerance(request, result))
        printf(
            "warning: that is more than the tolerance of %.2f %%; allow more with --max-targets\n",
            100 * request->soft.tolerance);
    if (openLoops(request, bake))
        printf("warning: loops do not close; more --iterations or --steps help\n");
    if (bake->resets)
        printf("warning: %lld %s not be computed and %s put on the rig\n", (long long)bake->resets,
               snPlural(bake->resets, "step could", "steps could"),
               snPlural(bake->resets, "was", "were"));
    for (int i = 0; i < request->outputCount; i++)
        printf("wrote %s\n", snPlain(request->outputs[i]).text);
}

static void printJson(const Request *request, const snBake *bake, const Result *result,
                      const snCli *cli)
{
    const snFlesh *flesh = bake->flesh;
    snBytes bytes = snMakeBytes(&cli->context);
    snJsonWriter w = snMakeJsonWriter(&bytes, true);
    snJsonWriter_BeginObject(&w);
    snJsonWriter_PutString(&w, "input", request->input);
    snJsonWriter_PutInt(&w, "vertices", bake->vertexCount);
    snJsonWriter_PutDouble(&w, "height", result->size.height);
    snJsonWriter_PutDouble(&w, "metresPerUnit", result->size.unit);
    snJsonWriter_PutInt(&w, "bones", flesh->boneCount);
    snJsonWriter_PutInt(&w, "cells", flesh->lattice.cellCount);
    snJsonWriter_PutInt(&w, "latticeVertices", flesh->lattice.vertexCount);
    snJsonWriter_PutDouble(&w, "worstQuality", flesh->report.worstQuality);
    snJsonWriter_PutDouble(&w, "medianQuality", flesh->report.medianQuality);
    snJsonWriter_PutInt(&w, "missingBoneEdges", flesh->report.missingBoneEdges);
    snJsonWriter_Key(&w, "clips");
    snJsonWriter_BeginArray(&w);
    for (int i = 0; i < bake->clipCount; i++) {
        const snBakedClip *clip = &bake->clips[i];
        snJsonWriter_BeginObject(&w);
        snJsonWriter_PutString(&w, "name", bake->character->clips[clip->clip].name);
        snJsonWriter_PutInt(&w, "frames", clip->frameCount);
        snJsonWriter_PutBool(&w, "loops", clip->loops);
        snJsonWriter_PutInt(&w, "repeats", clip->repeats);
        snJsonWriter_PutDouble(&w, "loopGap", clip->loopGap);
        snJsonWriter_PutDouble(&w, "largestOffset", clip->largestOffset);
        snJsonWriter_EndObject(&w);
    }
    snJsonWriter_EndArray(&w);
    snJsonWriter_PutDouble(&w, "clipSeconds", clipSeconds(bake));
    snJsonWriter_PutDouble(&w, "simulatedSeconds", bake->simulated);
    snJsonWriter_PutDouble(&w, "buildSeconds", result->buildSeconds);
    snJsonWriter_PutDouble(&w, "bakeSeconds", result->bakeSeconds);
    snJsonWriter_PutDouble(&w, "writeSeconds", result->writeSeconds);
    snJsonWriter_PutInt(&w, "steps", bake->steps);
    snJsonWriter_PutInt(&w, "halvings", bake->halvings);
    snJsonWriter_PutInt(&w, "resets", bake->resets);
    if (result->hasSoft) {
        snJsonWriter_PutInt(&w, "morphTargets", result->soft.targetCount);
        snJsonWriter_PutDouble(&w, "morphError", result->soft.error);
    }
    snJsonWriter_EndObject(&w);
    snPrintJson(&bytes);
    snBytes_Destroy(&bytes);
}

static snStatus build(const Request *request, const snLoaded *loaded, snFlesh **flesh,
                      const snCli *cli, snError *error)
{
    snFleshJob job = {.input = request->input,
                      .character = &loaded->character,
                      .step = snBakeDef_Step(&request->bake)};
    return snFleshOptions_Build(&request->flesh, &job, flesh, cli, error);
}

// Build, simulate, write; each with its time.
static snStatus work(Request *request, const snLoaded *loaded, snFlesh **flesh, snBake **bake,
                     Result *result, const snCli *cli, snError *error)
{
    int numbers[MOST_CLIPS];
    snProgress progress = snMakeProgress("baking", cli->quiet || cli->json);
    snStatus status = findClips(request, &loaded->character, numbers, error);
    if (status) return status;
    request->bake.clips = numbers;
    request->bake.clipCount =
        request->clipCount ? request->clipCount : chooseAll(&loaded->character, numbers);
    status = checkFrames(request, &loaded->character, error);
    if (status) return status;
    request->bake.progress = (snProgressHook){tellProgress, &progress};
    double start = snClock_Seconds();
    status = snFleshOptions_Size(&request->flesh, &loaded->character, &result->size, cli, error);
    if (!status) status = build(request, loaded, flesh, cli, error);
    double built = snClock_Seconds();
    if (!status) {
        status = snBake_Run(bake, *flesh, &request->bake, &cli->context, error);
        if (status) snError_Prefix(error, "%s", request->input);
    }
    double baked = snClock_Seconds();
    snProgress_End(&progress);
    if (!status) status = writeOutputs(request, loaded, *bake, result, cli, error);
    result->buildSeconds = built - start;
    result->bakeSeconds = baked - built;
    result->writeSeconds = snClock_Seconds() - baked;
    return status;
}

static int bakeLoaded(Request *request, const snLoaded *loaded, const snCli *cli)
{
    snError error = {0};
    snFlesh *flesh = NULL;
    snBake *bake = NULL;
    Result result = {0};
    snStatus status = work(request, loaded, &flesh, &bake, &result, cli, &error);
    if (!status && cli->json)
        printJson(request, bake, &result, cli);
    else if (!status && !cli->quiet)
        printSummary(request, bake, &result);
    bool degraded =
        bake && (bake->resets || missedTolerance(request, &result) || openLoops(request, bake));
    int code = status ? snCli_Fail(&error) : degraded ? SN_EXIT_DEGRADED : SN_EXIT_DONE;
    snBake_Destroy(bake);
    snFlesh_Destroy(flesh);
    return code;
}

int snCommand_Bake(int count, char **arguments)
{
    Request request = {.bake = snDefaultBakeDef(), .soft = snDefaultSoftDef()};
    snCli cli = {0};
    snError error = {0};
    snLoaded loaded;
    int code = readOptions(&request, &cli, count, arguments);
    if (code >= 0) return code;
    if (snCli_Begin(&cli, &error)) return snCli_Fail(&error);
    if (checkOutputs(&request, &cli, &error)) {
        snCli_End(&cli);
        return snCli_Fail(&error);
    }
    if (snLoaded_Read(&loaded, request.input, &cli, &error)) {
        snCli_End(&cli);
        return snCli_Fail(&error);
    }
    code = bakeLoaded(&request, &loaded, &cli);
    snLoaded_Free(&loaded);
    snCli_End(&cli);
    return code;
}
