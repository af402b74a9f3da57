// The options of `sinew bake`.
#include "cli/bake_request.h"

#include "cli/file_kind.h"
#include "cli/text.h"

#include <stdio.h>
#include <string.h>

#define LARGEST_SIDECAR ((size_t)1 << 30) // bytes

enum {
    OPTION_OUTPUT,
    OPTION_CLIP,
    OPTION_FPS,
    OPTION_STEPS,
    OPTION_TOLERANCE,
    OPTION_TARGETS,
    OPTION_AS,
    OPTION_BONES,
    OPTION_LOOP_TOLERANCE,
    OPTION_LOOP_ROUNDS,
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
    {"loop-tolerance", 0, "SHARE",
     "of the height: what a loop may change from round to round (0.001)"},
    {"loop-rounds", 0, "COUNT", "most rounds of a loop before the one that is kept (8)"},
    {"threads", 'j', "COUNT", "threads to use; the result does not depend on it (all)"},
    {"json", 0, NULL, "print a summary for programs on standard output"},
    {"quiet", 'q', NULL, "say nothing but errors"},
    {"help", 'h', NULL, "this text"},
    SN_RUN_OPTIONS,
    SN_TIME_OPTIONS,
    SN_CHAIN_OPTIONS,
    SN_KEY_OPTIONS,
    SN_BIND_OPTIONS,
    SN_SHAPE_OPTIONS,
    SN_PART_OPTIONS,
    SN_MAP_OPTIONS,
    SN_CONTACT_OPTIONS,
    SN_SOLVER_OPTIONS,
    {0},
};

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
        "  sinew bake cow.glb --wobble tail=6Hz --material back=fat --held neck -o cow-soft.glb\n"
        "  sinew bake fox.glb --feel cartoon -o fox-cartoon.glb\n"
        "  sinew bake fox.glb --rig fox.rig.json -o fox-soft.glb\n"
        "  sinew bake fox.glb --with fox-soft.sinew.json\n");
}

snBakeRequest snDefaultBakeRequest(void)
{
    return (snBakeRequest){.bind = {.borrow = snDefaultBorrowDef()},
                           .bake = snDefaultBakeDef(),
                           .soft = snDefaultSoftDef(),
                           .bones = snDefaultBonesDef(),
                           .outputs = {.command = "bake"}};
}

static bool takeKind(snBakeRequest *r, const snOptionReader *reader)
{
    static const char *const kinds[] = {"morphs", "bones"};
    int kind = snOptionReader_Word(reader, kinds, 2);
    r->asBones = kind == 1;
    return kind >= 0;
}

static bool takeOption(snBakeRequest *r, const snOptionReader *reader, int which)
{
    switch (which) {
    case OPTION_OUTPUT:
        return snOutputs_Add(&r->outputs, reader->value);
    case OPTION_CLIP:
        if (r->clipCount == SN_MOST_CLIPS) {
            snCli_Usage("bake", "more than %d clips", SN_MOST_CLIPS);
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
    case OPTION_LOOP_TOLERANCE:
        return snOptionReader_Number(reader, 1e-6, 1, NULL, &r->bake.loopTolerance);
    case OPTION_LOOP_ROUNDS:
        return snOptionReader_Int(reader, 1, 1000, &r->bake.mostRepeats);
    }
    int taken = snRunOptions_Take(&r->run, reader);
    if (!taken) taken = snTimeOptions_Take(&r->time, reader);
    if (!taken) taken = snChainOptions_Take(&r->chain, reader);
    if (!taken) taken = snKeyOptions_Take(&r->keys, reader);
    if (!taken) taken = snBindOptions_Take(&r->bind, reader);
    if (!taken) taken = snContactOptions_Take(&r->contact, reader);
    return (taken ? taken : snFleshOptions_Take(&r->flesh, reader)) > 0;
}

int snBakeRequest_Inputs(const snBakeRequest *request, const char **inputs)
{
    int count = 0;
    inputs[count++] = request->input;
    if (request->flesh.rig) inputs[count++] = request->flesh.rig;
    if (request->bind.skeleton) inputs[count++] = request->bind.skeleton;
    return count;
}

// ---- what was given, for the sidecar ----

static bool keepGiven(snGiven *given, const char *name, const char *value)
{
    if (given->count == SN_MOST_GIVEN) {
        snCli_Usage("bake", "more than %d options", SN_MOST_GIVEN);
        return false;
    }
    given->list[given->count++] = (snGivenOption){name, value};
    return true;
}

static bool keepOption(snBakeRequest *r, const snOptionReader *reader, int which)
{
    const char *value = options[which].value ? reader->value : NULL;
    if (!snSidecar_Matters(reader->name)) return true;
    return keepGiven(&r->given, reader->name, value) &&
           (snSidecar_Holds(reader->name) || keepGiven(&r->kept, reader->name, value));
}

// ---- by a sidecar ----

// The last --with: it comes before all other options, wherever it stands among them.
static int findWith(snBakeRequest *r, int count, char **arguments)
{
    snOptionReader reader = snMakeOptionReader("bake", options, count, arguments);
    int which;
    while ((which = snOptionReader_Next(&reader)) != SN_OPTION_END) {
        if (which == SN_OPTION_ERROR) return SN_EXIT_USAGE;
        if (which == OPTION_HELP) {
            printHelp();
            return SN_EXIT_DONE;
        }
        if (which != SN_OPTION_FILE && !strcmp(reader.name, "with")) r->run.with = reader.value;
    }
    return -1;
}

static bool takeSidecarOption(snBakeRequest *r, const snSidecarArgument *argument)
{
    char *texts[] = {argument->text};
    snOptionReader reader = snMakeOptionReader("bake", options, 1, texts);
    int which = snOptionReader_Next(&reader);
    bool good = which >= 0 && which != SN_OPTION_FILE && takeOption(r, &reader, which);
    if (good && argument->kept)
        good = keepGiven(&r->kept, reader.name, options[which].value ? reader.value : NULL);
    if (!good)
        fprintf(stderr, "that stands in %s: %s\n", snPlain(r->run.with).text,
                snPlain(argument->place).text);
    return good;
}

static bool takeSidecar(snBakeRequest *r)
{
    for (int i = 0; i < r->sidecar.givenCount; i++) // name and value stay in one
        if (!keepGiven(&r->given, r->sidecar.given[i], NULL)) return false;
    for (int i = 0; i < r->sidecar.argumentCount; i++)
        if (!takeSidecarOption(r, &r->sidecar.arguments[i])) return false;
    r->flesh.rig = r->run.with; // which has a rig document in it
    return true;
}

static int readSidecar(snBakeRequest *r)
{
    snContext context = snDefaultContext();
    snFileContent content;
    snError error = {0};
    if (snFile_Read(&context, r->run.with, LARGEST_SIDECAR, &content, &error))
        return snCli_Fail(&error);
    static const snFileWant want = {"the sidecar of a bake", 1, {SN_KIND_SIDECAR}};
    if (snFileWant_Check(&want, r->run.with, &content, &context, &error)) {
        snFile_Release(&context, &content);
        return snCli_Fail(&error);
    }
    snStatus status =
        snSidecar_Read(&r->sidecar, (const char *)content.bytes, content.size, &context, &error);
    snFile_Release(&context, &content);
    if (status) {
        snError_Prefix(&error, "%s", r->run.with);
        return snCli_Fail(&error);
    }
    return takeSidecar(r) ? -1 : SN_EXIT_USAGE;
}

// A relative path in which nothing climbs.
static bool staysBelow(const char *path)
{
    if (*path == '/') return false;
    for (const char *part = path; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (!strncmp(part, "..", 2) && (part[2] == '/' || !part[2])) return false;
    return true;
}

// A sidecar from elsewhere must not write just anywhere: its outputs lie in its own folder, or in the
// present one and below.
static bool isNear(const char *output, const char *sidecar)
{
    char beside[SN_MAX_PATH];
    size_t folder = snPath_FolderLength(sidecar);
    const char *name = snPath_Name(output);
    if (folder + strlen(name) >= sizeof beside) return false;
    snprintf(beside, sizeof beside, "%.*s%s", (int)folder, sidecar, name);
    return staysBelow(output) || !strcmp(output, beside) || snFile_IsSame(output, beside);
}

static bool takeOutputs(snBakeRequest *r)
{
    for (int i = 0; i < r->sidecar.outputCount; i++) {
        const char *output = r->sidecar.outputs[i];
        if (!isNear(output, r->run.with)) {
            snCli_Usage(
                "bake",
                "%s: outputs[%d]: %s is in another folder; if that is meant, give it with -o",
                r->run.with, i, output);
            return false;
        }
        if (!snOutputs_Add(&r->outputs, output)) return false;
    }
    return true;
}

// ---- all of it ----

static bool takeGiven(void *request, const snOptionReader *reader, int which)
{
    snBakeRequest *r = request;
    if (which == OPTION_CLIP && !r->ownClips) r->clipCount = 0; // in place of the sidecar's
    r->ownClips |= which == OPTION_CLIP;
    return takeOption(r, reader, which) && keepOption(r, reader, which);
}

static int readOptions(snBakeRequest *r, snCli *cli, int count, char **arguments)
{
    static const snOptionUse use = {"bake", "file", options, printHelp, NULL, takeGiven};
    int code = snOptionUse_Read(&use, r, &r->input, cli, count, arguments);
    if (code >= 0) return code;
    return r->outputs.count || takeOutputs(r) ? -1 : SN_EXIT_USAGE;
}

int snBakeRequest_Read(snBakeRequest *request, snCli *cli, int count, char **arguments)
{
    const char *inputs[SN_MOST_INPUTS];
    int code = findWith(request, count, arguments);
    if (code < 0 && request->run.with) code = readSidecar(request);
    if (code < 0) code = readOptions(request, cli, count, arguments);
    if (code >= 0) return code;
    if (!request->input) return snCli_Usage("bake", "which file?");
    if (!request->outputs.count)
        return snCli_Usage("bake", "where to? Give an output, for example -o soft.glb");
    if (!snTimeOptions_Apply(&request->time, &request->bake)) return SN_EXIT_USAGE;
    int inputCount = snBakeRequest_Inputs(request, inputs);
    code = snOutputs_CheckNames(&request->outputs, inputs, inputCount);
    if (code >= 0 || request->run.noSidecar) return code;
    return snOutputs_PlaceSidecar(&request->outputs, request->run.sidecar, request->run.with,
                                  inputs, inputCount);
}

void snBakeRequest_Free(snBakeRequest *request)
{
    snSidecar_Destroy(&request->sidecar);
    snKeyOptions_Free(&request->keys);
}
