// sinew render: film strips and films of characters and of baked results.
#include "cli/cli.h"
#include "cli/filming.h"
#include "cli/options.h"
#include "cli/show.h"
#include "cli/text.h"
#include "cli/view_options.h"
#include "core/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const snOption options[] = {
    {"output", 'o', "FILE", "where to write: .png (a film strip) or .mp4 (a film, needs ffmpeg)"},
    {"clip", 'c', "CLIP", "by name or number (the first soft clip, or the first)"},
    {"frames", 'n', "COUNT", "panels of the strip (8)"},
    {"columns", 0, "COUNT", "panels in a row (as even as possible)"},
    {"from", 0, "SECONDS", "where in the clip to begin (0)"},
    {"to", 0, "SECONDS", "where to end (the clip's end)"},
    {"size", 's', "WxH", "pixels of a panel (480x360) or of a film's frames (960x540)"},
    {"fps", 0, "RATE", "frames per second of a film or simulation (30)"},
    {"overlay", 0, "LIST", "skeleton,lattice,regions,strain: any of them, with commas"},
    {"compare", 0, NULL, "a strip of two rows: the rig alone above, the soft clip below"},
    {"simulate", 0, NULL, "bake the clip first (the last three overlays imply it)"},
    {"cells", 0, "COUNT", "lattice cells of a simulation (2000)"},
    {"wobble", 0, "HZ", "slowest swing of simulated flesh (3.5)"},
    SN_VIEW_OPTIONS,
    {"threads", 'j', "COUNT", "threads to use (all)"},
    {"quiet", 'q', NULL, "say nothing but errors"},
    {"help", 'h', NULL, "this text"},
    {0},
};

typedef struct Request {
    const char *input, *output, *clip;
    int frames, columns;
    int size[2];     // 0: by what is made
    double from, to; // to < 0: the end
    double fps;
    unsigned overlays;
    bool simulate, film, compare;
    snCamera camera;
    snFleshDef flesh;
} Request;

static void printHelp(void)
{
    printf(
        "Usage: sinew render [OPTIONS] FILE -o OUTPUT\n\n"
        "Draws a character (.glb, .gltf, .obj), baked or not, or the bones of a capture (.bvh),\n"
        "without needing a screen.\n\n");
    snPrintOptions(options);
    printf("\nExamples:\n"
           "  sinew render fox-soft.glb -o strip.png\n"
           "  sinew render fox.glb --clip Run --overlay lattice,skeleton -o lattice.png\n"
           "  sinew render fox-soft.glb --clip Run.soft -o run.mp4\n");
}

// ---- options --------------------------------------------------------------------------------------

static bool readOverlays(Request *r, const char *list)
{
    static const char *const names[4] = {"skeleton", "lattice", "regions", "strain"};
    while (*list) {
        size_t length = strcspn(list, ",");
        unsigned found = 0;
        for (unsigned k = 0; k < 4; k++)
            if (strlen(names[k]) == length && !strncmp(names[k], list, length)) found = 1u << k;
        if (!found) {
            snCli_Usage("render", "unknown overlay \"%.*s\": skeleton, lattice, regions, strain",
                        (int)length, list);
            return false;
        }
        r->overlays |= found;
        list += length + (list[length] == ',');
    }
    return true;
}

static const snOptionField fields[] = {
    SN_PATH_FIELD("output", Request, output, SN_PICTURES_OR_FILMS, "pictures"),
    SN_TEXT_FIELD("clip", Request, clip),
    SN_SIZE_FIELD("size", Request, size),
    SN_INT_FIELD("frames", Request, frames, 1, SN_MOST_PANELS),
    SN_INT_FIELD("columns", Request, columns, 1, SN_MOST_PANELS),
    SN_NUMBER_FIELD("from", Request, from, 0, 1e6, "s"),
    SN_NUMBER_FIELD("to", Request, to, 0, 1e6, "s"),
    SN_NUMBER_FIELD("fps", Request, fps, 1, 240, NULL),
    SN_FLAG_FIELD("compare", Request, compare),
    SN_FLAG_FIELD("simulate", Request, simulate),
    SN_INT_FIELD("cells", Request, flesh.cells, 20, 200000),
    SN_NUMBER_FIELD("wobble", Request, flesh.wobble, 0.1, 100, "Hz"),
    {0},
};

static bool takeOption(void *request, const snOptionReader *reader, int which)
{
    Request *r = request;
    (void)which;
    if (!strcmp(reader->name, "overlay")) return readOverlays(r, reader->value);
    return snViewOptions_Take(&r->camera, reader) > 0;
}

static int readOptions(Request *r, snCli *cli, int count, char **arguments)
{
    static const snOptionUse use = {"render", "file", options, printHelp, fields, takeOption};
    int code = snOptionUse_ReadInput(&use, r, &r->input, cli, count, arguments);
    if (code >= 0) return code;
    if (!r->output) return snCli_Usage("render", "where to? Give an output: -o strip.png");
    if (r->to >= 0 && r->to < r->from)
        return snCli_Usage("render", "--from %g is behind --to %g", r->from, r->to);
    r->film = snPath_HasExtension(r->output, ".mp4");
    if (r->compare && (r->film || r->frames > SN_MOST_PANELS / 2))
        return snCli_Usage("render", "--compare makes strips, of %d --frames at most",
                           SN_MOST_PANELS / 2);
    r->simulate |= (r->overlays & ~(unsigned)SN_OVERLAY_SKELETON) != 0;
    if (!r->size[0]) {
        r->size[0] = r->film ? 960 : 480;
        r->size[1] = r->film ? 540 : 360;
    }
    return snFilming_CheckSize("render", r->film ? 1 : r->frames * (r->compare ? 2 : 1), r->size);
}

// ---- what to show ---------------------------------------------------------------------------------

// The clip that a soft one was baked from: its name without the end, or its number where it has none.
// One that is not soft is its own.
static int rigidClip(const snCharacter *c, int clip)
{
    const char *name = clip >= 0 ? c->clips[clip].name : "";
    char own[256];
    int number;
    if (!snEndsWith(name, ".soft") || strlen(name) >= sizeof own) return clip;
    snprintf(own, sizeof own, "%.*s", (int)(strlen(name) - strlen(".soft")), name);
    for (int k = 0; k < c->clipCount; k++)
        if (!strcmp(c->clips[k].name, own)) return k;
    return sscanf(own, "clip%d", &number) == 1 && number >= 0 && number < c->clipCount ? number
                                                                                       : clip;
}

// What was baked from a clip that is not soft; itself where nothing was.
static int softClip(const snCharacter *c, int clip)
{
    for (int k = 0; k < c->clipCount; k++)
        if (k != clip && rigidClip(c, k) == clip) return k;
    return clip;
}

// The clip asked for, to be compared its soft one; else the first soft one (of a baked file), else the first; -1: none at all.
static snStatus findClip(const Request *r, const snCharacter *c, int *clip, snError *error)
{
    *clip = c->clipCount ? 0 : -1;
    if (r->clip) {
        snStatus status = snFindClip(c, r->clip, clip, error);
        if (!status && r->compare && !r->simulate) *clip = softClip(c, *clip);
        return status;
    }
    for (int k = c->clipCount - 1; k >= 0 && !r->simulate; k--)
        if (snEndsWith(c->clips[k].name, ".soft")) *clip = k;
    return SN_OK;
}

// Times of the shots: evenly over the range, with its end left out where a strip would show a
// loop's first pose twice.
static int chooseTimes(const Request *r, const snClip *clip, double **times)
{
    double end = clip ? clip->duration : 0, from = r->from < end ? r->from : end;
    if (r->to >= 0 && r->to < end) end = r->to;
    if (end < from) end = from;
    int count = r->film ? (int)((end - from) * r->fps + 0.5) + 1 : r->frames;
    if (end == from) count = 1;
    *times = malloc((size_t)count * sizeof(double));
    for (int i = 0; *times && i < count; i++)
        (*times)[i] = from + (r->film ? i / r->fps : (end - from) * i / count);
    return *times ? count : 0;
}

// What was asked for must be in the file.
static snStatus checkClip(const Request *r, const snCharacter *c, int clip, snError *error)
{
    double end = clip >= 0 ? c->clips[clip].duration : 0;
    bool soft = clip >= 0 && snEndsWith(c->clips[clip].name, ".soft");
    if (r->from > 0 && r->from > end)
        return snFail(error, SN_ERROR_ARGUMENT, "--from is %g s; %s ends at %.3g s", r->from,
                      clip >= 0 ? snClipText(c->clips, clip).text : "the rest pose", end);
    if (r->compare && !r->simulate && !soft)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "there is no soft clip to compare with: bake it first (`sinew bake`), or add "
                      "--simulate");
    return SN_OK;
}

typedef struct Simulation {
    snFlesh *flesh;
    snBake *bake;
} Simulation;

static snStatus simulate(Simulation *s, const Request *r, const snCharacter *c, int clip,
                         const snCli *cli, snError *error)
{
    snBakeDef def = snDefaultBakeDef();
    snFleshDef flesh = r->flesh;
    if (clip < 0) return snFail(error, SN_ERROR_UNSUPPORTED, "there is no clip to simulate");
    def.clips = &clip;
    def.clipCount = 1;
    def.frameRate = r->fps;
    flesh.step = snBakeDef_Step(&def);
    snStatus status = snFlesh_Build(&s->flesh, c, &flesh, &cli->context, error);
    if (!status) status = snBake_Run(&s->bake, s->flesh, &def, &cli->context, error);
    return status;
}

static snStatus showBaked(snShow *show, const snBake *bake, int count, const double *times,
                          const snCli *cli, snError *error)
{
    int *frames = malloc((size_t)count * sizeof(int));
    if (!frames) return snFailMemory(error);
    const snBakedClip *clip = &bake->clips[0];
    for (int i = 0; i < count; i++) {
        double frame = clip->frameTime > 0 ? times[i] / clip->frameTime + 0.5 : 0;
        frames[i] = frame < clip->frameCount ? (int)frame : clip->frameCount - 1;
    }
    snStatus status = snShow_MakeBaked(show, bake, 0, count, frames, &cli->context, error);
    free(frames);
    return status;
}

// ---- pictures -------------------------------------------------------------------------------------

// With a rig to compare, its shots come first.
static snStatus drawShot(void *user, int frame, snRenderer *renderer, const snCamera *camera,
                         snImage *image, snError *error)
{
    snShow *shows = user;
    int rigs = shows[1].shotCount;
    snShow *show = frame < rigs ? &shows[1] : &shows[0];
    return snShow_Draw(show, frame < rigs ? frame : frame - rigs, renderer, camera, image, error);
}

// One row, or more; with a rig to compare, that above.
static snStatus draw(const Request *r, snShow *shows, const snCli *cli, snError *error)
{
    int shots = shows[0].shotCount, count = shots + shows[1].shotCount;
    double *times = malloc((size_t)count * sizeof *times);
    if (!times) return snFailMemory(error);
    for (int i = 0; i < count; i++)
        times[i] = shows[0].shots[i % shots].time;
    shows[0].overlays = r->overlays;
    if (!shows[0].character->partCount)
        shows[0].overlays |= SN_OVERLAY_SKELETON; // or nothing is seen
    snFilming filming = {.count = count,
                         .times = shots > 1 ? times : NULL,
                         .rate = r->fps,
                         .panels = count,
                         .columns = r->compare ? shots : r->columns,
                         .width = r->size[0],
                         .height = r->size[1],
                         .camera = r->camera,
                         .draw = drawShot,
                         .user = shows};
    snFileBatch batch = snMakeFileBatch(&cli->context);
    snStatus status = snFilming_Write(&filming, r->output, &batch, cli, error);
    status = snFileBatch_End(&batch, status, error);
    free(times);
    return status;
}

// The same times of the rig alone, framed alike.
static snStatus showRig(snShow *rig, snShow *soft, int clip, const double *times, const snCli *cli,
                        snError *error)
{
    const snCharacter *c = soft->character;
    int own = rigidClip(c, clip);
    snStatus status = snShow_MakeRig(rig, c, own >= 0 ? &c->clips[own] : NULL, soft->shotCount,
                                     times, &cli->context, error);
    rig->bounds = soft->bounds = snBoxUnion(rig->bounds, soft->bounds);
    return status;
}

static snStatus renderCharacter(const Request *r, const snCharacter *c, const snCli *cli,
                                snError *error)
{
    int clip = -1;
    double *times = NULL;
    Simulation simulation = {0};
    snShow shows[2] = {{.character = NULL}};
    snStatus status = findClip(r, c, &clip, error);
    if (!status) status = checkClip(r, c, clip, error);
    if (status) snError_Prefix(error, "%s", r->input);
    int count = status ? 0 : chooseTimes(r, clip >= 0 ? &c->clips[clip] : NULL, &times);
    if (!status && !count) status = snFailMemory(error);
    if (!status && r->simulate) {
        status = simulate(&simulation, r, c, clip, cli, error);
        if (status) snError_Prefix(error, "%s", r->input);
        if (!status) status = showBaked(&shows[0], simulation.bake, count, times, cli, error);
    } else if (!status) {
        status = snShow_MakeRig(&shows[0], c, clip >= 0 ? &c->clips[clip] : NULL, count, times,
                                &cli->context, error);
    }
    if (!status) {
        if (r->compare) status = showRig(&shows[1], &shows[0], clip, times, cli, error);
        if (!status) status = draw(r, shows, cli, error);
        if (r->compare) snShow_Destroy(&shows[1]);
        snShow_Destroy(&shows[0]);
    }
    if (!status && !cli->quiet)
        printf("%s: %d %s of %s\n", snPlain(r->output).text, count,
               r->film ? snPlural(count, "frame", "frames") : snPlural(count, "panel", "panels"),
               clip >= 0 ? snClipText(c->clips, clip).text : "the rest pose");
    snBake_Destroy(simulation.bake);
    snFlesh_Destroy(simulation.flesh);
    free(times);
    return status;
}

int snCommand_Render(int count, char **arguments)
{
    Request request = {.frames = 8,
                       .to = -1,
                       .fps = 30,
                       .camera = snDefaultCamera(),
                       .flesh = snDefaultFleshDef()};
    snCli cli = {0};
    snError error = {0};
    snLoaded loaded;
    int code = readOptions(&request, &cli, count, arguments);
    if (code >= 0) return code;
    if (snCli_Begin(&cli, &error)) return snCli_Fail(&error);
    snInterrupt_Begin();
    snStatus status = snCli_Probe(&request.output, 1, &cli, &error);
    if (!status) status = snLoaded_Read(&loaded, request.input, &cli, &error);
    if (!status) {
        status = renderCharacter(&request, &loaded.character, &cli, &error);
        snLoaded_Free(&loaded);
    }
    snCli_End(&cli);
    snInterrupt_End();
    return status ? snCli_Fail(&error) : SN_EXIT_DONE;
}
