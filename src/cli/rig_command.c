// sinew rig: what would be decided about a character's flesh, to look at and to edit.
#include "cli/flesh_options.h"
#include "cli/rig_bare.h"
#include "cli/rig_picture.h"
#include "cli/rig_report.h"
#include "cli/text.h"
#include "cli/view_options.h"

#include <stdio.h>
#include <string.h>

static const snOption options[] = {
    {"output", 'o', "FILE", "write a rig document (.json); of a bare surface, a character (.glb)"},
    {"picture", 'p', "FILE", "draw bones and lattice (.png)"},
    {"skeleton-out", 0, "FILE", "of a bare surface: write its skeleton (.json), to be edited"},
    {"sway", 0, NULL, "of a bare surface: add a clip that moves every joint"},
    {"threads", 'j', "COUNT", "threads to use; the result does not depend on it (all)"},
    {"json", 0, NULL, "print for programs"},
    {"quiet", 'q', NULL, "say nothing but errors"},
    {"help", 'h', NULL, "this text"},
    SN_BIND_OPTIONS,
    SN_SHAPE_OPTIONS,
    SN_PART_OPTIONS,
    SN_MAP_OPTIONS,
    {0},
};

typedef struct Request {
    const char *input, *output, *picture;
    const char *skeletonOut; // of a bare surface, like sway and bind
    bool sway;
    snBindOptions bind;
    snFleshOptions flesh;
} Request;

static void printHelp(void)
{
    printf("Usage: sinew rig [OPTIONS] FILE [-o FILE.rig.json] [--picture FILE.png]\n\n"
           "Builds the flesh of the character in FILE (.glb or .gltf, with a skin), says what was\n"
           "decided, and writes it down for editing. A surface without a skin (also .obj) gets a\n"
           "skeleton and skin weights, and is written as a character that can be baked.\n\n");
    snPrintOptions(options);
    printf(
        "\nA PART is a joint's name, with all joints below it; a pattern of names with *; or a "
        "word\nsuch as ear, tail or belly. Options about parts may be repeated; later ones win.\n"
        "\nExamples:\n"
        "  sinew rig fox.glb\n"
        "  sinew rig fox.glb --wobble tail=3Hz -o fox.rig.json --picture fox-rig.png\n"
        "  sinew bake fox.glb --rig fox.rig.json -o fox-soft.glb\n");
}

static const snOptionField fields[] = {
    SN_TEXT_FIELD("output", Request, output),
    SN_PATH_FIELD("picture", Request, picture, SN_PICTURES, "pictures"),
    SN_TEXT_FIELD("skeleton-out", Request, skeletonOut),
    SN_FLAG_FIELD("sway", Request, sway),
    {0},
};

static bool takeOption(void *request, const snOptionReader *reader, int which)
{
    Request *r = request;
    (void)which;
    int taken = snBindOptions_Take(&r->bind, reader);
    return (taken ? taken : snFleshOptions_Take(&r->flesh, reader)) > 0;
}

// Of a character with a skin: what is written is what it should be, and overwrites nothing that is
// read.
static int checkOutputs(const Request *r)
{
    const char *outputs[2] = {r->output, r->picture}, *inputs[2] = {r->input, r->flesh.rig};
    if (r->bind.skeleton || r->skeletonOut || r->sway)
        return snCli_Usage("rig",
                           "%s has a skin: --skeleton, --skeleton-out and --sway are for "
                           "surfaces that have none",
                           r->input);
    if (r->output && !snPath_HasExtension(r->output, ".json"))
        return snCli_Usage("rig", "%s: rig documents end in .json", r->output);
    return snCli_CheckOutputs("rig", &(snOutputCheck){2, 2, outputs, inputs});
}

static const snOptionUse use = {"rig", "file", options, printHelp, fields, takeOption};

static snStatus build(const Request *request, const snLoaded *loaded, snFlesh **flesh,
                      const snCli *cli, snError *error)
{
    snFleshJob job = {.input = request->input, .character = &loaded->character, .measure = true};
    return snFleshOptions_Build(&request->flesh, &job, flesh, cli, error);
}

static snStatus appendDocument(snFileBatch *batch, const Request *request, const snFlesh *flesh,
                               const snCli *cli, snError *error)
{
    snBytes bytes = snMakeBytes(&cli->context);
    snStatus status = snRigFile_Write(flesh, &bytes, error);
    if (!status) status = snFileBatch_Write(batch, request->output, bytes.data, bytes.size, error);
    snBytes_Destroy(&bytes);
    return status;
}

static snStatus appendPicture(snFileBatch *batch, const Request *request, const snFlesh *flesh,
                              const snCli *cli, snError *error)
{
    snImage image = {0};
    snPng png = {0};
    snStatus status = snRigPicture_Draw(flesh, &image, &cli->context, error);
    if (!status) status = snPng_Encode(&image, &png, error);
    if (!status) status = snFileBatch_Write(batch, request->picture, png.data, png.size, error);
    snPng_Free(&png);
    snImage_Destroy(&image);
    return status;
}

static snStatus writeOutputs(const Request *request, const snFlesh *flesh, const snCli *cli,
                             snError *error)
{
    snFileBatch batch = snMakeFileBatch(&cli->context);
    snStatus status = SN_OK;
    if (request->output) status = appendDocument(&batch, request, flesh, cli, error);
    if (!status && request->picture) status = appendPicture(&batch, request, flesh, cli, error);
    return snFileBatch_End(&batch, status, error);
}

static void tell(const Request *request, const snFlesh *flesh, const snRigReport *report,
                 const snCli *cli)
{
    if (cli->json) {
        snRigReport_PrintJson(report, flesh, request->input, cli);
    } else if (!cli->quiet) {
        snRigReport_Print(report, flesh, request->input);
        if (request->output) printf("wrote %s\n", snPlain(request->output).text);
        if (request->picture) printf("wrote %s\n", snPlain(request->picture).text);
    }
}

// What is told is made before anything is written: a command that fails has written nothing.
static snStatus writeAndTell(const Request *request, const snFlesh *flesh, const snCli *cli,
                             snError *error)
{
    snArena arena = snMakeArena(&cli->context);
    snRigReport report;
    snStatus status = snRigReport_Make(&report, flesh, &arena, error);
    if (!status) status = writeOutputs(request, flesh, cli, error);
    if (!status) tell(request, flesh, &report, cli);
    snArena_Destroy(&arena);
    return status;
}

static int rigBare(const Request *request, const snLoaded *loaded, const snCli *cli)
{
    snRigBareDef def = {.input = request->input,
                        .output = request->output,
                        .bind = request->bind,
                        .skeletonOut = request->skeletonOut,
                        .sway = request->sway};
    if (request->picture)
        return snCli_Usage("rig", "%s has no skin: rig it first, then draw the result",
                           request->input);
    return snRigBare(loaded, &def, cli);
}

static int rigLoaded(const Request *request, const snLoaded *loaded, const snCli *cli)
{
    snError error = {0};
    snFlesh *flesh = NULL;
    if (!loaded->character.skinCount && loaded->character.triangleCount)
        return rigBare(request, loaded, cli);
    int code = checkOutputs(request);
    if (code >= 0) return code;
    snStatus status = build(request, loaded, &flesh, cli, &error);
    if (!status) status = writeAndTell(request, flesh, cli, &error);
    snFlesh_Destroy(flesh);
    return status ? snCli_Fail(&error) : SN_EXIT_DONE;
}

int snCommand_Rig(int count, char **arguments)
{
    Request request = {.bind = {.borrow = snDefaultBorrowDef()}};
    snCli cli = {0};
    snError error = {0};
    snLoaded loaded;
    int code = snOptionUse_ReadInput(&use, &request, &request.input, &cli, count, arguments);
    if (code >= 0) return code;
    if (snCli_Begin(&cli, &error)) return snCli_Fail(&error);
    snInterrupt_Begin();
    if (snLoaded_Read(&loaded, request.input, &cli, &error)) {
        code = snCli_Fail(&error);
    } else {
        code = rigLoaded(&request, &loaded, &cli);
        snLoaded_Free(&loaded);
    }
    snCli_End(&cli);
    snInterrupt_End();
    return code;
}
