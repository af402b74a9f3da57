#include "cli/dry_run.h"

#include "bake/loop.h"
#include "bake/player.h"
#include "cli/length.h"
#include "cli/text.h"

#include <stdio.h>
#include <string.h>

#define QUICK_TRIANGLES 100000
#define QUICK_CELLS 10000
#define TRIAL_SECONDS 0.5 // of simulating, to see how fast it goes
#define USUAL_ROUNDS 3    // of a loop: two that settle it, and the one that is kept
#define OBJ_POINT 30.0    // bytes of a vertex's line, about
#define OBJ_FACE 24.0
#define USDA_POINT 36.0

bool snIsQuickToBuild(const snBakeRequest *request, const snCharacter *character)
{
    return character->triangleCount <= QUICK_TRIANGLES && request->flesh.def.cells <= QUICK_CELLS;
}

// ---- clips ----------------------------------------------------------------------------------------

static int substepsOf(const snBakeDef *bake)
{
    return (int)(1 / (snBakeDef_Step(bake) * bake->frameRate) + 0.5);
}

static snStatus planClip(snDryRunClip *clip, const snDryRunDef *def, int number, const snCli *cli,
                         snError *error)
{
    const snBakeDef *bake = &def->request->bake;
    const snCharacter *c = &def->loaded->character;
    snBakeDef whole = *bake;
    snLoop loop;
    snStatus status = snFindLoop(&loop, c, number, def->size->height, &cli->context, error);
    if (status) return status;
    whole.from = 0;
    whole.to = -1;
    bool may = c->clips[number].duration > 0 && bake->loop != SN_LOOP_NEVER;
    *clip = (snDryRunClip){.clip = number, .frames = snBakeDef_Frames(bake, &c->clips[number])};
    clip->loops = may && (loop.closed || loop.open || bake->loop == SN_LOOP_ALWAYS);
    clip->steps = (int64_t)(snBakeDef_Frames(&whole, &c->clips[number]) - 1) * substepsOf(bake) *
                  (clip->loops ? USUAL_ROUNDS : 1);
    if (clip->frames == 0)
        return snFail(error, SN_ERROR_ARGUMENT, "%s: clip \"%s\" has no frames in that range",
                      def->request->input, c->clips[number].name);
    return SN_OK;
}

static snStatus planClips(snDryRun *run, const snDryRunDef *def, snArena *arena, const snCli *cli,
                          snError *error)
{
    const snBakeDef *bake = &def->request->bake;
    snStatus status = SN_OK;
    run->clips = SN_NEW(arena, snDryRunClip, bake->clipCount);
    if (!run->clips) return snFailMemory(error);
    run->clipCount = bake->clipCount;
    for (int i = 0; i < bake->clipCount && !status; i++) {
        status = planClip(&run->clips[i], def, bake->clips[i], cli, error);
        run->frames += run->clips[i].frames;
        run->steps += run->clips[i].steps;
    }
    return status;
}

// ---- sizes ----------------------------------------------------------------------------------------

static double fileSize(const snDryRun *run, const snDryRunDef *def, const snOutput *output, int k)
{
    const snSequence *sequence = def->sequence;
    double frames = (double)run->frames, points = sequence->vertexCount, triangles = 0;
    double own = output->kind == SN_OUTPUT_PC2 || output->kind == SN_OUTPUT_MDD
                     ? sequence->meshes[k].vertexCount
                     : 0;
    for (int m = 0; m < sequence->meshCount; m++)
        triangles += sequence->meshes[m].triangleCount;
    switch (output->kind) {
    case SN_OUTPUT_PC2:
        return 32 + 12 * own * frames;
    case SN_OUTPUT_MDD:
        return 8 + 4 * frames + 12 * own * frames;
    case SN_OUTPUT_OBJ:
        return OBJ_POINT * points + OBJ_FACE * triangles;
    case SN_OUTPUT_USDA:
        return USDA_POINT * points * frames + OBJ_FACE * triangles;
    case SN_OUTPUT_DUMP: // .json with the frames' times, .bin with the rest
        return k == 0 ? 1000 + 100.0 * sequence->meshCount : 12 * points * frames + 12 * triangles;
    case SN_OUTPUT_GLB:
        break;
    }
    double kept = (double)def->loaded->file.size;
    if (def->request->asBones) return kept + 40.0 * def->request->bones.boneCount * frames;
    return kept + SN_GUESSED_TARGETS * (24 * points + 4 * frames);
}

static snStatus findSizes(snDryRun *run, const snDryRunDef *def, snArena *arena, snError *error)
{
    const snOutputs *outputs = &def->request->outputs;
    run->bytes = SN_NEW(arena, double, outputs->fileCount);
    if (!run->bytes) return snFailMemory(error);
    for (int i = 0; i < outputs->count; i++)
        for (int k = 0; k < outputs->list[i].fileCount; k++)
            run->bytes[outputs->list[i].firstFile + k] = fileSize(run, def, &outputs->list[i], k);
    return SN_OK;
}

// What is there now, the surfaces of all frames and those between them, and as many corrections.
static double findMemory(const snDryRun *run, const snDryRunDef *def)
{
    const snBakeDef *bake = &def->request->bake;
    double frames = (double)run->frames, kinds = bake->middles ? 2 : 1;
    double lattice = def->flesh ? 12.0 * def->flesh->lattice.vertexCount * frames : 0;
    double row = 12.0 * def->sequence->vertexCount * kinds; // surfaces, and corrections for morphs
    if (bake->lean) row = def->flesh ? 8.0 * (double)snFleshRow_Size(def->flesh) : 0;
    return (double)snPeakMemory() + lattice + row * kinds * frames;
}

// ---- time -----------------------------------------------------------------------------------------

typedef struct Trial {
    double begun, ended;
    int frames;
} Trial;

static bool goesOn(void *user, const snBakeProgress *progress)
{
    (void)progress;
    Trial *trial = user;
    trial->frames++;
    trial->ended = snClock_Seconds();
    return trial->ended - trial->begun < TRIAL_SECONDS && !snInterrupt_Pending();
}

// Plays the beginning of the first clip that moves.
static double trySpeed(const snDryRun *run, const snDryRunDef *def, const snCli *cli)
{
    snBakeDef bake = def->request->bake;
    snBake *trial = NULL;
    int longest = 0;
    for (int i = 1; i < run->clipCount; i++)
        if (run->clips[i].steps > run->clips[longest].steps) longest = i;
    Trial user = {.begun = snClock_Seconds()};
    bake.clips = &run->clips[longest].clip;
    bake.clipCount = 1;
    bake.from = 0;
    bake.to = 1;
    bake.loop = SN_LOOP_NEVER;
    bake.preroll = 0;
    bake.progress = (snProgressHook){goesOn, &user};
    bake.checkpoint = (snCheckpointHook){0};
    snStatus status = snBake_Run(&trial, def->flesh, &bake, &cli->context, NULL);
    snBake_Destroy(trial);
    if ((status && status != SN_ERROR_CANCELLED) || !user.frames) return -1;
    return (user.ended - user.begun) / user.frames * (double)run->steps / substepsOf(&bake);
}

snStatus snDryRun_Make(snDryRun *run, const snDryRunDef *def, snArena *arena, const snCli *cli,
                       snError *error)
{
    *run = (snDryRun){.bakeSeconds = -1};
    snStatus status = planClips(run, def, arena, cli, error);
    if (!status) status = findSizes(run, def, arena, error);
    if (status) return status;
    if (def->flesh) run->bakeSeconds = trySpeed(run, def, cli);
    if (def->flesh) run->memory = findMemory(run, def);
    return SN_OK;
}

// ---- telling --------------------------------------------------------------------------------------

typedef struct AmountText {
    char text[32];
} AmountText;

static AmountText formatBytes(double bytes)
{
    AmountText out;
    if (bytes < 1e6)
        snprintf(out.text, sizeof out.text, "%.0f kB", ceil(bytes / 1e3));
    else if (bytes < 1e9)
        snprintf(out.text, sizeof out.text, "%.1f MB", bytes / 1e6);
    else
        snprintf(out.text, sizeof out.text, "%.2f GB", bytes / 1e9);
    return out;
}

static void printFlesh(const snDryRunDef *def)
{
    const snFlesh *flesh = def->flesh;
    if (!flesh) {
        int cells = def->request->flesh.def.cells;
        printf("would build a lattice of about %d cells; too large a job for a dry run\n",
               cells > 0 ? cells : snDefaultFleshDef().cells);
        return;
    }
    int cells = flesh->lattice.cellCount;
    printf("would use %d %s, %d lattice %s, %d %s that %s by %s (`sinew rig` tells more)\n",
           flesh->boneCount, snPlural(flesh->boneCount, "bone", "bones"), cells,
           snPlural(cells, "cell", "cells"), flesh->swingCount,
           snPlural(flesh->swingCount, "part", "parts"),
           snPlural(flesh->swingCount, "swings", "swing"),
           snPlural(flesh->swingCount, "itself", "themselves"));
}

static void printClips(const snDryRun *run, const snDryRunDef *def)
{
    const snCharacter *c = &def->loaded->character;
    for (int i = 0; i < run->clipCount; i++) {
        const snDryRunClip *clip = &run->clips[i];
        printf("  %-16s %3d %s%s\n", snClipText(c->clips, clip->clip).text, clip->frames,
               snPlural(clip->frames, "frame", "frames"),
               clip->loops ? ", a loop: played until it closes, about 3 times" : "");
    }
    printf("about %lld steps of %.3g ms, %d in a frame\n", (long long)run->steps,
           1e3 * snBakeDef_Step(&def->request->bake), substepsOf(&def->request->bake));
}

static bool isGuess(snOutputKind kind)
{
    return kind == SN_OUTPUT_GLB || kind == SN_OUTPUT_OBJ || kind == SN_OUTPUT_USDA;
}

static void printFiles(const snDryRun *run, const snDryRunDef *def)
{
    const snOutputs *outputs = &def->request->outputs;
    for (int i = 0; i < outputs->count; i++) {
        const snOutput *output = &outputs->list[i];
        for (int k = 0; k < output->fileCount; k++) {
            int file = output->firstFile + k;
            bool many = output->kind == SN_OUTPUT_OBJ && output->fileCount > 1;
            printf("would write %s, %s%s", snPlain(outputs->files[file]).text,
                   isGuess(output->kind) ? "about " : "", formatBytes(run->bytes[file]).text);
            if (many) printf(", and %d more like it", output->fileCount - 1);
            printf("\n");
            if (many) break;
        }
    }
    if (outputs->sidecar[0]) printf("would write %s\n", snPlain(outputs->sidecar).text);
}

void snDryRun_Print(const snDryRun *run, const snDryRunDef *def)
{
    const snCharacter *c = &def->loaded->character;
    printf("%s: %d %s, %d %s in %d %s, %d %s\n", snPlain(def->request->input).text, c->vertexCount,
           snPlural(c->vertexCount, "vertex", "vertices"), c->triangleCount,
           snPlural(c->triangleCount, "triangle", "triangles"), def->sequence->meshCount,
           snPlural(def->sequence->meshCount, "mesh", "meshes"), c->skeleton.jointCount,
           snPlural(c->skeleton.jointCount, "node", "nodes"));
    snPrintSize(def->size);
    printFlesh(def);
    printClips(run, def);
    if (run->bakeSeconds >= 0)
        printf("building took %.1f s; simulating would take about %.1f s\n", def->buildSeconds,
               run->bakeSeconds);
    if (run->memory > 0) printf("memory: about %s\n", formatBytes(run->memory).text);
    printFiles(run, def);
    printf("a dry run: nothing was written\n");
}

static void writeClips(const snDryRun *run, const snDryRunDef *def, snJsonWriter *w)
{
    const snCharacter *c = &def->loaded->character;
    snJsonWriter_Key(w, "clips");
    snJsonWriter_BeginArray(w);
    for (int i = 0; i < run->clipCount; i++) {
        snJsonWriter_BeginObject(w);
        snJsonWriter_PutString(w, "name", c->clips[run->clips[i].clip].name);
        snJsonWriter_PutInt(w, "frames", run->clips[i].frames);
        snJsonWriter_PutBool(w, "loops", run->clips[i].loops);
        snJsonWriter_PutInt(w, "steps", run->clips[i].steps);
        snJsonWriter_EndObject(w);
    }
    snJsonWriter_EndArray(w);
}

static void writeFiles(const snDryRun *run, const snOutputs *outputs, snJsonWriter *w)
{
    snJsonWriter_Key(w, "files");
    snJsonWriter_BeginArray(w);
    for (int i = 0; i < outputs->count; i++)
        for (int k = 0; k < outputs->list[i].fileCount; k++) {
            int file = outputs->list[i].firstFile + k;
            snJsonWriter_BeginObject(w);
            snJsonWriter_PutString(w, "path", outputs->files[file]);
            snJsonWriter_PutInt(w, "bytes", (int64_t)run->bytes[file]);
            snJsonWriter_PutBool(w, "guessed", isGuess(outputs->list[i].kind));
            snJsonWriter_EndObject(w);
        }
    snJsonWriter_EndArray(w);
    if (outputs->sidecar[0]) snJsonWriter_PutString(w, "sidecar", outputs->sidecar);
}

void snDryRun_PrintJson(const snDryRun *run, const snDryRunDef *def, const snCli *cli)
{
    const snCharacter *c = &def->loaded->character;
    snBytes bytes = snMakeBytes(&cli->context);
    snJsonWriter w = snMakeJsonWriter(&bytes, true);
    snJsonWriter_BeginObject(&w);
    snJsonWriter_PutBool(&w, "dryRun", true);
    snJsonWriter_PutString(&w, "input", def->request->input);
    snJsonWriter_PutInt(&w, "vertices", c->vertexCount);
    snJsonWriter_PutInt(&w, "triangles", c->triangleCount);
    snJsonWriter_PutInt(&w, "meshes", def->sequence->meshCount);
    snJsonWriter_PutDouble(&w, "height", def->size->height);
    snJsonWriter_PutDouble(&w, "metresPerUnit", def->size->unit);
    if (def->flesh) {
        snJsonWriter_PutInt(&w, "bones", def->flesh->boneCount);
        snJsonWriter_PutInt(&w, "cells", def->flesh->lattice.cellCount);
        snJsonWriter_PutInt(&w, "swings", def->flesh->swingCount);
        snJsonWriter_PutDouble(&w, "buildSeconds", def->buildSeconds);
    }
    writeClips(run, def, &w);
    snJsonWriter_PutInt(&w, "frames", run->frames);
    snJsonWriter_PutInt(&w, "steps", run->steps);
    snJsonWriter_PutDouble(&w, "step", snBakeDef_Step(&def->request->bake));
    if (run->bakeSeconds >= 0) snJsonWriter_PutDouble(&w, "bakeSeconds", run->bakeSeconds);
    if (run->memory > 0) snJsonWriter_PutDouble(&w, "memory", run->memory);
    writeFiles(run, &def->request->outputs, &w);
    snJsonWriter_EndObject(&w);
    snPrintJson(&bytes);
    snBytes_Destroy(&bytes);
}
