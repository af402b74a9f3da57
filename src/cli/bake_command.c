// sinew bake: clips of a character turned into clips with flesh.
#include "bake/sequence.h"
#include "cli/bake_summary.h"
#include "cli/sidecar_write.h"

#include <stdio.h>
#include <string.h>

// What is made on the way, from the options to the files.
typedef struct Work {
    snArena arena;
    int clips[SN_MOST_CLIPS];
    snSequence sequence;
    snFlesh *flesh;
    snBake *bake;
    snBakeResult result;
} Work;

static bool isSoft(const char *name)
{
    size_t length = strlen(name);
    return length >= 5 && !strcmp(name + length - 5, ".soft");
}

// Without --clip: all that an earlier bake has not made.
static int chooseAll(const snCharacter *character, int *numbers)
{
    int count = 0;
    for (int k = 0; k < character->clipCount && count < SN_MOST_CLIPS; k++)
        if (!isSoft(character->clips[k].name)) numbers[count++] = k;
    return count;
}

static snStatus findClips(const snBakeRequest *request, const snCharacter *character, int *numbers,
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

static bool tellProgress(void *user, const snBakeProgress *progress)
{
    snProgress_Update(user, progress->fraction);
    return true;
}

// The input's name without folders and extension.
static const char *characterName(const snBakeRequest *request, snArena *arena)
{
    const char *name = snPath_Name(request->input);
    return snArena_CopyString(arena, name, strlen(name) - strlen(snPath_Extension(name)));
}

// Which files there will be, checked before the work.
static snStatus planOutputs(snBakeRequest *request, const snLoaded *loaded, Work *work,
                            const snCli *cli, snError *error)
{
    const char *inputs[SN_MOST_INPUTS], *name = characterName(request, &work->arena);
    snOutputPlan plan = {.sequence = &work->sequence,
                         .inputs = inputs,
                         .inputCount = snBakeRequest_Inputs(request, inputs),
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

static snStatus makeGlb(const snBakeRequest *request, const snLoaded *loaded, Work *work,
                        snBytes *glb, const snCli *cli, snError *error)
{
    snBakeResult *result = &work->result;
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

static snStatus writeOutputs(const snBakeRequest *request, const snLoaded *loaded, Work *work,
                             const snCli *cli, snError *error)
{
    snBytes glb = snMakeBytes(&cli->context), sidecar = snMakeBytes(&cli->context);
    snBakeResult *result = &work->result;
    snSidecarDef def = {request, loaded, work->flesh, work->bake, result};
    snOutputContent content = {&work->sequence, &glb, &sidecar};
    snStatus status = snSequence_AddBake(&work->sequence, work->bake, &work->arena, error);
    work->sequence.metersPerUnit = result->size.unit;
    if (!status && snOutputs_Has(&request->outputs, SN_OUTPUT_GLB)) // the same for every one
        status = makeGlb(request, loaded, work, &glb, cli, error);
    if (!status && request->outputs.sidecar[0])
        status = snSidecar_Write(&def, &sidecar, cli, error);
    if (!status) status = snOutputs_Write(&request->outputs, &content, cli, error);
    snBytes_Destroy(&glb);
    snBytes_Destroy(&sidecar);
    return status;
}

static snStatus build(const snBakeRequest *request, const snLoaded *loaded, snFlesh **flesh,
                      const snCli *cli, snError *error)
{
    snFleshJob job = {.input = request->input,
                      .character = &loaded->character,
                      .step = snBakeDef_Step(&request->bake)};
    return snFleshOptions_Build(&request->flesh, &job, flesh, cli, error);
}

// Clips and files: whatever can be wrong is found before the work.
static snStatus prepare(snBakeRequest *request, const snLoaded *loaded, Work *work,
                        const snCli *cli, snError *error)
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
static snStatus doWork(snBakeRequest *request, const snLoaded *loaded, Work *work, const snCli *cli,
                       snError *error)
{
    snProgress progress = snMakeProgress("baking", cli->quiet || cli->json);
    snBakeResult *result = &work->result;
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

static int bakeLoaded(snBakeRequest *request, const snLoaded *loaded, const snCli *cli)
{
    snError error = {0};
    Work work = {.arena = snMakeArena(&cli->context)};
    snStatus status = doWork(request, loaded, &work, cli, &error);
    const snBake *bake = work.bake;
    if (!status && cli->json)
        snPrintBakeJson(request, bake, &work.result, cli);
    else if (!status && !cli->quiet)
        snPrintBakeSummary(request, bake, &work.result);
    bool degraded = bake && snIsBakeDegraded(request, bake, &work.result);
    int code = status ? snCli_Fail(&error) : degraded ? SN_EXIT_DEGRADED : SN_EXIT_DONE;
    snBake_Destroy(work.bake);
    snFlesh_Destroy(work.flesh);
    snArena_Destroy(&work.arena);
    return code;
}

// A surface without a skin may get a skeleton; one that physics alone moves needs no motion, and
// what it does then is no loop.
static snStatus outfit(snBakeRequest *request, snLoaded *loaded, const snCli *cli, snError *error)
{
    const snCharacter *c = &loaded->character;
    if (request->bind.skeleton)
        return snLoaded_Bind(loaded, request->input, &request->bind, cli, error);
    if (c->skinCount || c->clipCount || !c->partCount) return SN_OK;
    if (!snFleshOptions_IsFull(&request->flesh)) return SN_OK;
    request->bake.loop = SN_LOOP_NEVER;
    return snLoaded_AddStill(loaded, cli, error);
}

// Chains are clips like others then, and baked; a sidecar has named them already.
static snStatus addChains(snBakeRequest *request, snLoaded *loaded, const snCli *cli,
                          snError *error)
{
    snStatus status = snLoaded_AddChains(loaded, request->input, &request->chain,
                                         request->bake.frameRate, cli, error);
    for (int i = 0; i < request->chain.count && !status; i++) {
        bool known = request->clipCount == SN_MOST_CLIPS;
        for (int k = 0; k < request->clipCount; k++)
            known |= !strcmp(request->clips[k], request->chain.names[i]);
        if (!known) request->clips[request->clipCount++] = request->chain.names[i];
    }
    return status;
}

// A sidecar made from another file, or by another version, may well do: but it should be known.
static void compareSidecar(const snBakeRequest *request, const snLoaded *loaded, const snCli *cli)
{
    const snSidecar *sidecar = &request->sidecar;
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)loaded->hash);
    if (sidecar->hash && strcmp(hash, sidecar->hash) != 0)
        snLog(&cli->context, SN_LOG_WARNING, "%s is not the file that %s was made from: %s differs",
              request->input, request->run.with, sidecar->file ? sidecar->file : "its content");
    if (sidecar->program && strcmp(sidecar->program, SN_SIDECAR_PROGRAM) != 0)
        snLog(&cli->context, SN_LOG_WARNING,
              "%s was written by version %s; bytes may differ from those of this one, %s",
              request->run.with, sidecar->program, SN_SIDECAR_PROGRAM);
}

static int bakeFile(snBakeRequest *request, snCli *cli)
{
    snError error = {0};
    snLoaded loaded;
    int code;
    if (snOutputs_Probe(&request->outputs, cli, &error) ||
        snLoaded_Read(&loaded, request->input, cli, &error))
        return snCli_Fail(&error);
    compareSidecar(request, &loaded, cli);
    if (outfit(request, &loaded, cli, &error) || addChains(request, &loaded, cli, &error))
        code = snCli_Fail(&error);
    else
        code = bakeLoaded(request, &loaded, cli);
    snLoaded_Free(&loaded);
    return code;
}

int snCommand_Bake(int count, char **arguments)
{
    snBakeRequest request = snDefaultBakeRequest();
    snCli cli = {0};
    snError error = {0};
    int code = snBakeRequest_Read(&request, &cli, count, arguments);
    if (code < 0) {
        code = snCli_Begin(&cli, &error) ? snCli_Fail(&error) : bakeFile(&request, &cli);
        snCli_End(&cli);
    }
    snBakeRequest_Free(&request);
    return code;
}
