// sinew bake: clips of a character turned into clips with flesh.
#include "asset/json_write.h"
#include "bake/bones.h"
#include "bake/sequence.h"
#include "bake/soft.h"
#include "cli/bake_outputs.h"
#include "cli/bind.h"
#include "cli/flesh_options.h"
#include "cli/length.h"
#include "cli/text.h"
#include "cli/time_options.h"

#include <stdio.h>
#include <string.h>

#define MOST_CLIPS 1024
#define MOST_INPUTS 3

enum {
    OPTION_OUTPUT,
    OPTION_CLIP,
    OPTION_FPS,
    OPTION_STEPS,
    OPTION_TOLERANCE,
    OPTION_TARGETS,
    OPTION_AS,
    OPTION_BONES,
    OPTION_THREADS,
    OPTION_JSON,
    OPTION_QUIET,
    OPTION_HELP,
};

static const snOption options[] = {
    {"output", 'o', "FILE", "where to write, by its ending; may be repeated"},
    {"clip", 'c', "CLIP", "bake this clip only, by name or number; may be repeated"},
    {"fps", 0, "RATE", "frames per second of the result (30)"},
    {"steps", 0, "RATE", "simulation steps per second, at least (120)"},
    {"tolerance", 0, "SHARE", "error of morph targets, as a share of the height (0.005)"},
    {"max-targets", 0, "COUNT", "most morph targets per mesh (64)"},
    {"as", 0, "KIND", "how a .glb has the soft motion: morphs, or bones for engines without them"},
    {"bones", 0, "COUNT", "most bones with --as bones (16)"},
    {"threads", 'j', "COUNT", "threads to use; the result does not depend on it (all)"},
    {"json", 0, NULL, "print a summary for programs on standard output"},
    {"quiet", 'q', NULL, "say nothing but errors"},
    {"help", 'h', NULL, "this text"},
    SN_TIME_OPTIONS,
    SN_BIND_OPTIONS,
    SN_SHAPE_OPTIONS,
    SN_PART_OPTIONS,
    SN_SOLVER_OPTIONS,
    {0},
};

typedef struct Request {
    const char *input;
    snOutputs outputs;
    int clipCount;
    const char *clips[MOST_CLIPS];
    snBindOptions bind;
    snFleshOptions flesh;
    snTimeOptions time;
    snBakeDef bake;
    snSoftDef soft;
    bool asBones;
    snBonesDef bones;
} Request;

typedef struct Result {
    double buildSeconds, bakeSeconds, writeSeconds;
    snSize size;
    snSoftReport soft;
    bool hasSoft;
    snBonesReport bones;
    bool hasBones;
} Result;

// What is made on the way, from the options to the files.
typedef struct Work {
    snArena arena;
    int clips[MOST_CLIPS];
    snSequence sequence;
    snFlesh *flesh;
    snBake *bake;
    Result result;
} Work;

static void printHelp(void)
{
    printf(
        "Usage: sinew bake [OPTIONS] FILE -o OUTPUT [-o OUTPUT ...]\n\n"
        "Gives the animated character in FILE (.glb or .gltf, with a skin and clips) flesh, and\n"
        "writes the result. The original is never changed. What is written follows the ending:\n"
        "  .glb   the original with everything in it, and a clip NAME.soft for every clip baked\n"
        "  .pc2   point caches, one per mesh: NAME.MESH.pc2 where there are several; also .mdd\n"
        "  .obj   a sequence: NAME.####.obj, the signs replaced by the frame's number\n"
        "  .usda  a USD scene with moving points\n"
        "  .json  with a .bin beside it, for tools\n\n");
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

static bool takeKind(Request *r, const snOptionReader *reader)
{
    r->asBones = !strcmp(reader->value, "bones");
    if (r->asBones || !strcmp(reader->value, "morphs")) return true;
    snCli_Usage("bake", "--as is \"%s\"; it must be morphs or bones", reader->value);
    return false;
}

static bool takeOption(Request *r, snCli *cli, const snOptionReader *reader, int which)
{
    switch (which) {
    case OPTION_OUTPUT:
        return snOutputs_Add(&r->outputs, reader->value);
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
    case OPTION_AS:
        return takeKind(r, reader);
    case OPTION_BONES:
        return snOptionReader_Int(reader, 1, SN_MOST_BONES, &r->bones.boneCount);
    case OPTION_THREADS:
    case OPTION_JSON:
    case OPTION_QUIET:
    case SN_OPTION_FILE:
        return snOptionReader_Common(reader, which, cli, &r->input);
    }
    int taken = snTimeOptions_Take(&r->time, reader);
    if (!taken) taken = snBindOptions_Take(&r->bind, reader);
    return (taken ? taken : snFleshOptions_Take(&r->flesh, reader)) > 0;
}

// Files that are read, the character first: none of them is written.
static int listInputs(const Request *request, const char **inputs)
{
    int count = 0;
    inputs[count++] = request->input;
    if (request->flesh.rig) inputs[count++] = request->flesh.rig;
    if (request->bind.skeleton) inputs[count++] = request->bind.skeleton;
    return count;
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
    if (!request->outputs.count)
        return snCli_Usage("bake", "where to? Give an output, for example -o soft.glb");
    if (!snTimeOptions_Apply(&request->time, &request->bake)) return SN_EXIT_USAGE;
    const char *inputs[MOST_INPUTS];
    return snOutputs_CheckNames(&request->outputs, inputs, listInputs(request, inputs));
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

static snStatus findClips(const Request *request, const snCharacter *character, int *numbers,
                          snError *error)
{
    if (character->partCount == 0)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "%s: there is no surface in it: bake a surface with --skeleton %s",
                      request->input, request->input);
    if (character->clipCount == 0 && character->skinCount == 0)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "%s: neither a skin nor a clip: `sinew rig` or --skeleton gives it bones and "
                      "motion, and --motion full lets gravity act on it as it is",
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

// The input's name without folders and extension.
static const char *characterName(const Request *request, snArena *arena)
{
    const char *name = snPath_Name(request->input);
    return snArena_CopyString(arena, name, strlen(name) - strlen(snPath_Extension(name)));
}

// Which files there will be, checked before the work.
static snStatus planOutputs(Request *request, const snLoaded *loaded, Work *work, const snCli *cli,
                            snError *error)
{
    const char *inputs[MOST_INPUTS], *name = characterName(request, &work->arena);
    snOutputPlan plan = {.sequence = &work->sequence,
                         .inputs = inputs,
                         .inputCount = listInputs(request, inputs),
                         .source = &loaded->file};
    if (!name) return snFailMemory(error);
    for (int i = 0; i < request->bake.clipCount; i++)
        plan.frameCount +=
            snBakeDef_Frames(&request->bake, &loaded->character.clips[request->bake.clips[i]]);
    snStatus status =
        snSequence_FromCharacter(&work->sequence, &loaded->character, name, &work->arena, error);
    if (status) return status;
    return snOutputs_Plan(&request->outputs, &plan, cli, &work->arena, error);
}

static snStatus makeGlb(const Request *request, const snLoaded *loaded, Work *work, snBytes *glb,
                        const snCli *cli, snError *error)
{
    Result *result = &work->result;
    snBonesDef bones = request->bones;
    bones.tolerance = request->soft.tolerance;
    result->hasBones = request->asBones;
    result->hasSoft = !request->asBones;
    snStatus status = request->asBones ? snBones_Write(work->bake, &bones, &loaded->source, glb,
                                                       &result->bones, &cli->context, error)
                                       : snSoft_Write(work->bake, &request->soft, &loaded->source,
                                                      glb, &result->soft, &cli->context, error);
    if (status) snError_Prefix(error, "%s", request->input);
    return status;
}

static snStatus writeOutputs(const Request *request, const snLoaded *loaded, Work *work,
                             const snCli *cli, snError *error)
{
    snBytes glb = snMakeBytes(&cli->context);
    Result *result = &work->result;
    snStatus status = snSequence_AddBake(&work->sequence, work->bake, &work->arena, error);
    work->sequence.metersPerUnit = result->size.unit;
    if (!status && snOutputs_Has(&request->outputs, SN_OUTPUT_GLB)) // the same for every one
        status = makeGlb(request, loaded, work, &glb, cli, error);
    if (!status) status = snOutputs_Write(&request->outputs, &work->sequence, &glb, cli, error);
    snBytes_Destroy(&glb);
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

static void printWritten(const snOutputs *outputs)
{
    for (int i = 0; i < outputs->count; i++) {
        const snOutput *output = &outputs->list[i];
        const char *const *files = outputs->files + output->firstFile;
        if (output->kind == SN_OUTPUT_OBJ && output->fileCount > 1)
            printf("wrote %s to %s\n", snPlain(files[0]).text,
                   snPlain(files[output->fileCount - 1]).text);
        else
            for (int k = 0; k < output->fileCount; k++)
                printf("wrote %s\n", snPlain(files[k]).text);
    }
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
        if (clip->prerolled > 0) printf("; begins after %.1f s of pre-roll", clip->prerolled);
        printf("\n");
    }
    printf(
        "built in %.1f s; simulated %.1f s of motion in %.2f s, %.1f times as fast as real time\n",
        result->buildSeconds, bake->simulated, result->bakeSeconds,
        bake->simulated / (result->bakeSeconds > 0 ? result->bakeSeconds : 1e-9));
    if (result->hasSoft)
        printf("%d %s it within %.2f %% of the height, in frames and between them\n",
               result->soft.targetCount,
               snPlural(result->soft.targetCount, "morph target reproduces",
                        "morph targets reproduce"),
               100 * result->soft.error);
    if (result->hasBones)
        printf(
            "%d jiggle %s within %.2f %% of the height; %.3f %% is missed on average of %.3f %%\n",
            result->bones.boneCount,
            snPlural(result->bones.boneCount, "bone brings it", "bones bring it"),
            100 * result->bones.error, 100 * result->bones.meanError,
            100 * result->bones.meanOffset);
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
    printWritten(&request->outputs);
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
        snJsonWriter_PutDouble(&w, "start", clip->start);
        snJsonWriter_PutDouble(&w, "preroll", clip->prerolled);
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
        snJsonWriter_PutInt(&w, "mostMorphTargets", result->soft.mostTargets);
        snJsonWriter_PutInt(&w, "denseClips", result->soft.denseClips);
        snJsonWriter_PutDouble(&w, "morphError", result->soft.error);
    }
    if (result->hasBones) {
        snJsonWriter_PutInt(&w, "jiggleBones", result->bones.boneCount);
        snJsonWriter_PutDouble(&w, "boneError", result->bones.error);
        snJsonWriter_PutDouble(&w, "meanBoneError", result->bones.meanError);
        snJsonWriter_PutDouble(&w, "meanOffset", result->bones.meanOffset);
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

// Clips and files: whatever can be wrong is found before the work.
static snStatus prepare(Request *request, const snLoaded *loaded, Work *work, const snCli *cli,
                        snError *error)
{
    snStatus status = findClips(request, &loaded->character, work->clips, error);
    if (status) return status;
    request->bake.clips = work->clips;
    request->bake.clipCount =
        request->clipCount ? request->clipCount : chooseAll(&loaded->character, work->clips);
    request->bake.middles = snOutputs_Has(&request->outputs, SN_OUTPUT_GLB);
    return planOutputs(request, loaded, work, cli, error);
}

// Build, simulate, write; each with its time.
static snStatus doWork(Request *request, const snLoaded *loaded, Work *work, const snCli *cli,
                       snError *error)
{
    snProgress progress = snMakeProgress("baking", cli->quiet || cli->json);
    Result *result = &work->result;
    snStatus status = prepare(request, loaded, work, cli, error);
    if (status) return status;
    request->bake.progress = (snProgressHook){tellProgress, &progress};
    double start = snClock_Seconds();
    status = snFleshOptions_Size(&request->flesh, &loaded->character, &result->size, cli, error);
    if (!status) status = build(request, loaded, &work->flesh, cli, error);
    double built = snClock_Seconds();
    // What hangs from its own weight sags first; all else is at rest where it begins.
    if (!status && !request->time.preroll.given && work->flesh->model->def.motion == SN_MOTION_FULL)
        request->bake.preroll = SN_PREROLL_AUTO;
    if (!status) {
        status = snBake_Run(&work->bake, work->flesh, &request->bake, &cli->context, error);
        if (status) snError_Prefix(error, "%s", request->input);
    }
    double baked = snClock_Seconds();
    snProgress_End(&progress);
    if (!status) status = writeOutputs(request, loaded, work, cli, error);
    result->buildSeconds = built - start;
    result->bakeSeconds = baked - built;
    result->writeSeconds = snClock_Seconds() - baked;
    return status;
}

static int bakeLoaded(Request *request, const snLoaded *loaded, const snCli *cli)
{
    snError error = {0};
    Work work = {.arena = snMakeArena(&cli->context)};
    snStatus status = doWork(request, loaded, &work, cli, &error);
    const snBake *bake = work.bake;
    if (!status && cli->json)
        printJson(request, bake, &work.result, cli);
    else if (!status && !cli->quiet)
        printSummary(request, bake, &work.result);
    bool degraded = bake && (bake->resets || missedTolerance(request, &work.result) ||
                             openLoops(request, bake));
    int code = status ? snCli_Fail(&error) : degraded ? SN_EXIT_DEGRADED : SN_EXIT_DONE;
    snBake_Destroy(work.bake);
    snFlesh_Destroy(work.flesh);
    snArena_Destroy(&work.arena);
    return code;
}

// A surface without a skin may get a skeleton; one that physics alone moves needs no motion, and
// what it does then is no loop.
static snStatus outfit(Request *request, snLoaded *loaded, const snCli *cli, snError *error)
{
    const snCharacter *c = &loaded->character;
    if (request->bind.skeleton)
        return snLoaded_Bind(loaded, request->input, &request->bind, cli, error);
    if (c->skinCount || c->clipCount || !c->partCount) return SN_OK;
    if (!snFleshOptions_IsFull(&request->flesh)) return SN_OK;
    request->bake.loop = SN_LOOP_NEVER;
    return snLoaded_AddStill(loaded, cli, error);
}

int snCommand_Bake(int count, char **arguments)
{
    Request request = {.bind = {.borrow = snDefaultBorrowDef()},
                       .bake = snDefaultBakeDef(),
                       .soft = snDefaultSoftDef(),
                       .bones = snDefaultBonesDef()};
    snCli cli = {0};
    snError error = {0};
    snLoaded loaded;
    int code = readOptions(&request, &cli, count, arguments);
    if (code >= 0) return code;
    if (snCli_Begin(&cli, &error)) return snCli_Fail(&error);
    if (snOutputs_Probe(&request.outputs, &cli, &error) ||
        snLoaded_Read(&loaded, request.input, &cli, &error)) {
        snCli_End(&cli);
        return snCli_Fail(&error);
    }
    if (outfit(&request, &loaded, &cli, &error))
        code = snCli_Fail(&error);
    else
        code = bakeLoaded(&request, &loaded, &cli);
    snLoaded_Free(&loaded);
    snCli_End(&cli);
    return code;
}
