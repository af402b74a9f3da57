// sinew bake: clips of a character turned into clips with flesh.
#include "bake/sequence.h"
#include "cli/bake_summary.h"
#include "cli/checkpoint_file.h"
#include "cli/dry_run.h"
#include "cli/sidecar_write.h"
#include "cli/text.h"

#include <stdio.h>
#include <string.h>

// What is made on the way, from the options to the files.
typedef struct Work {
    snArena arena;
    int clips[SN_MOST_CLIPS];
    snSequence sequence;
    snFlesh *flesh;
    snFleshContacts *contacts;
    snBake *bake;
    snBakeResult result;
    snProgress *progress;
    double fraction; // how far the bake is
    snBytes plan;    // what it goes by
    snCheckpointFile checkpoint;
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
        snStatus status = snFindClip(character, request->clips[i], &numbers[i], error);
        if (!status) continue;
        snError_Prefix(error, "%s", request->input);
        return status;
    }
    return SN_OK;
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
    const char *given[SN_MOST_INPUTS], *name = characterName(request, &work->arena);
    int count = snBakeRequest_Inputs(request, given);
    snInputs inputs = {0};
    snStatus status = name ? SN_OK : snFailMemory(error);
    for (int i = 0; i < count && !status; i++)
        status = snInputs_Add(&inputs, given[i], &work->arena, error);
    for (int i = 0; i < loaded->neighbours.count && !status; i++)
        status = snInputs_Add(&inputs, loaded->neighbours.paths[i], &work->arena, error);
    if (status) return status;
    snOutputPlan plan = {
        .sequence = &work->sequence, .inputs = inputs.paths, .inputCount = inputs.count};
    for (int i = 0; i < request->bake.clipCount; i++)
        plan.frameCount +=
            snBakeDef_Frames(&request->bake, &loaded->character.clips[request->bake.clips[i]]);
    status =
        snSequence_FromCharacter(&work->sequence, &loaded->character, name, &work->arena, error);
    if (status) return status;
    return snOutputs_Plan(&request->outputs, &plan, cli, &work->arena, error);
}

static bool tellSoft(void *user, double fraction)
{
    const Work *work = user;
    snProgress_Update(work->progress, fraction);
    return true;
}

static snStatus makeGlb(const snBakeRequest *request, const snLoaded *loaded, Work *work,
                        snBytes *glb, const snCli *cli, snError *error)
{
    snBakeResult *result = &work->result;
    snBonesDef bones = request->bones;
    snSoftDef soft = request->soft;
    soft.tell = tellSoft;
    soft.user = work;
    bones.tolerance = request->soft.tolerance;
    result->hasBones = request->asBones;
    result->hasSoft = !request->asBones;
    snProgress_Begin(work->progress,
                     request->asBones ? "finding jiggle bones" : "finding morph targets");
    snStatus status = request->asBones ? snBones_Write(work->bake, &bones, &loaded->source, glb,
                                                       &result->bones, &cli->context, error)
                                       : snSoft_Write(work->bake, &soft, &loaded->source, glb,
                                                      &result->soft, &cli->context, error);
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
    snProgress_Begin(work->progress, "writing");
    snInterrupt_Defer(true); // until nothing is half written
    snFileBatch batch = snMakeFileBatch(&cli->context);
    if (!status) status = snOutputs_Write(&request->outputs, &content, &batch, cli, error);
    snBytes_Destroy(&glb);
    snBytes_Destroy(&sidecar);
    return snFileBatch_End(&batch, status, error);
}

static snStatus build(const snBakeRequest *request, const snLoaded *loaded, snFlesh **flesh,
                      const snCli *cli, snError *error)
{
    snFleshJob job = {.input = request->input,
                      .character = &loaded->character,
                      .step = snBakeDef_Step(&request->bake)};
    return snFleshOptions_Build(&request->flesh, &job, flesh, cli, error);
}

// Whether the surfaces of all frames would take more memory than is good.
static bool isLarge(const snBakeDef *def, const snCharacter *character)
{
    double frames = 0, bytes = (double)character->vertexCount * sizeof(snVec3f);
    for (int i = 0; i < def->clipCount; i++)
        frames += snBakeDef_Frames(def, &character->clips[def->clips[i]]);
    return (def->middles ? 2 : 1) * frames * bytes > 1e9;
}

// What the flesh bumps into, and how long it is given to get out of it before a clip.
static snStatus addContacts(snBakeRequest *request, Work *work, const snCli *cli, snError *error)
{
    const snContactJob job = {work->flesh, &work->result.size, request->bake.clipCount,
                              request->bake.clips};
    snStatus status = snContactOptions_Make(&request->contact, &job, &work->contacts,
                                            &work->result.floor, cli, error);
    if (status) snError_Prefix(error, "%s", request->input);
    request->bake.contacts = work->contacts;
    // What hangs from its own weight sags first, and what overlaps gives way; all else is at rest where
    // it begins. What nothing holds is to be seen falling, and what gravity alone moves is to be seen sagging.
    bool full = work->flesh->model->def.motion == SN_MOTION_FULL;
    bool seen = work->flesh->loose || request->still;
    if (!request->time.preroll.given && (full || work->contacts) && !seen)
        request->bake.preroll = SN_PREROLL_AUTO;
    return status;
}

// Whether there is anything that could move flesh: a clip, gravity, or what it bumps into.
static snStatus checkMoved(const snBakeRequest *request, Work *work, snError *error)
{
    bool moved = true, full = work->flesh->model->def.motion == SN_MOTION_FULL;
    snStatus status = snCharacter_IsMoved(work->flesh->character, &moved, &work->arena, error);
    work->result.still = !status && !moved && !full && !work->contacts && !request->keys.count;
    return status;
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
    snKeyTrack *keys;
    status = snKeyOptions_Tracks(&request->keys, &loaded->character, request->bake.frameRate, &keys,
                                 &work->arena, error);
    if (status) {
        snError_Prefix(error, "%s", request->input);
        return status;
    }
    request->bake.keys = keys;
    request->bake.keyCount = request->keys.count;
    request->bake.middles = snOutputs_Has(&request->outputs, SN_OUTPUT_GLB);
    request->bake.lean = isLarge(&request->bake, &loaded->character);
    snInterrupt_Defer(true); // while it is tried whether files can be written
    return planOutputs(request, loaded, work, cli, error);
}

// ---- the bake itself ------------------------------------------------------------------------------

static bool tellProgress(void *user, const snBakeProgress *progress)
{
    Work *work = user;
    char label[80];
    const char *last = strrchr(progress->name, '|'); // exporters put the armature before it
    snPlainText name = snPlain(last && last[1] ? last + 1 : progress->name);
    if (progress->clipCount > 1)
        snprintf(label, sizeof label, "clip %d of %d, %.32s", progress->clip + 1,
                 progress->clipCount, name.text);
    else
        snprintf(label, sizeof label, "baking %.32s", name.text);
    snProgress_Label(work->progress, label);
    snProgress_Update(work->progress, progress->fraction);
    work->fraction = progress->fraction;
    return !snInterrupt_Pending();
}

// The plan is that of the sidecar, and what is kept for the outputs.
static snStatus makeCheckpoint(snBakeRequest *request, const snLoaded *loaded, Work *work,
                               const snCli *cli, snError *error)
{
    snSidecarDef def = {request, loaded, work->flesh, NULL, &work->result};
    snStatus status = snSidecar_WritePlan(&def, &work->plan, cli, error);
    snBytes_AppendText(&work->plan, request->bake.middles ? "\"output\": \".glb\"\n" : "\n");
    if (!status) status = snBytes_Check(&work->plan, error);
    if (!status)
        status = snCheckpointFile_Make(&work->checkpoint, request->outputs.list[0].path,
                                       &work->plan, cli, error);
    return status;
}

static snStatus takeUp(snBakeRequest *request, Work *work, const snCli *cli, snError *error)
{
    bool found = false;
    snStatus status = SN_OK;
    snCheckpointFile_Hook(&work->checkpoint, &request->bake.checkpoint);
    if (request->run.resume)
        status =
            snCheckpointFile_Resume(&work->checkpoint, &request->bake.checkpoint, &found, error);
    else if (snCheckpointFile_Exists(&work->checkpoint))
        snLog(&cli->context, SN_LOG_INFO,
              "this starts from the beginning, although a bake to %s was interrupted; --resume "
              "would go on with that",
              request->outputs.list[0].path);
    if (!status && request->run.resume)
        snLog(&cli->context, SN_LOG_INFO,
              found ? "going on with the bake to %s that was interrupted"
                    : "there is nothing to resume for %s: this starts from the beginning",
              request->outputs.list[0].path);
    return status;
}

static snStatus failInterrupted(const Work *work, snError *error)
{
    bool saved = work->checkpoint.saves > 0 && !work->checkpoint.broken;
    return snFail(error, SN_ERROR_CANCELLED, "interrupted at %.0f %%%s", 100 * work->fraction,
                  saved ? "; the same command with --resume goes on from there" : "");
}

static snStatus simulate(snBakeRequest *request, const snLoaded *loaded, Work *work,
                         const snCli *cli, snError *error)
{
    snStatus status = makeCheckpoint(request, loaded, work, cli, error);
    if (!status) status = takeUp(request, work, cli, error);
    if (status) return status;
    request->bake.progress = (snProgressHook){tellProgress, work};
    snProgress_Begin(work->progress, "baking");
    snInterrupt_Defer(true); // the hook asks
    status = snBake_Run(&work->bake, work->flesh, &request->bake, &cli->context, error);
    if (status == SN_ERROR_CANCELLED)
        failInterrupted(work, error);
    else if (status)
        snError_Prefix(error, "%s", request->input);
    else
        snInterrupt_Defer(false);
    return status;
}

static snStatus buildTimed(snBakeRequest *request, const snLoaded *loaded, Work *work,
                           const snCli *cli, snError *error)
{
    snBakeResult *result = &work->result;
    double start = snClock_Seconds();
    bool quick = snIsQuickToBuild(request, &loaded->character);
    snProgress_Begin(work->progress, "building");
    snInterrupt_Defer(false);
    snStatus status =
        snFleshOptions_Size(&request->flesh, &loaded->character, &result->size, cli, error);
    if (status) snError_Prefix(error, "%s", request->input);
    if (!status && (quick || !request->run.dryRun))
        status = build(request, loaded, &work->flesh, cli, error);
    if (!status && work->flesh) status = addContacts(request, work, cli, error);
    if (!status && work->flesh) status = checkMoved(request, work, error);
    result->buildSeconds = snClock_Seconds() - start;
    return status;
}

static snStatus explain(const snBakeRequest *request, const snLoaded *loaded, Work *work,
                        const snCli *cli, snError *error)
{
    snDryRun run;
    snDryRunDef def = {request,
                       loaded,
                       &work->sequence,
                       work->flesh,
                       &work->result.size,
                       work->result.buildSeconds};
    snStatus status = snDryRun_Make(&run, &def, &work->arena, cli, error);
    snProgress_End(work->progress);
    if (!status && cli->json)
        snDryRun_PrintJson(&run, &def, cli);
    else if (!status && !cli->quiet)
        snDryRun_Print(&run, &def);
    return status;
}

// Build, simulate, write; each with its time.
static snStatus doWork(snBakeRequest *request, const snLoaded *loaded, Work *work, const snCli *cli,
                       snError *error)
{
    snBakeResult *result = &work->result;
    snStatus status = prepare(request, loaded, work, cli, error);
    if (!status) status = buildTimed(request, loaded, work, cli, error);
    if (!status && request->run.dryRun) return explain(request, loaded, work, cli, error);
    double built = snClock_Seconds();
    if (!status) status = simulate(request, loaded, work, cli, error);
    double baked = snClock_Seconds();
    if (!status) status = writeOutputs(request, loaded, work, cli, error);
    if (!status) snCheckpointFile_Remove(&work->checkpoint);
    snCheckpointFile_Close(&work->checkpoint);
    result->bakeSeconds = baked - built;
    result->writeSeconds = snClock_Seconds() - baked;
    return status;
}

static int bakeLoaded(snBakeRequest *request, const snLoaded *loaded, const snCli *cli)
{
    snError error = {0};
    Work work = {.arena = snMakeArena(&cli->context),
                 .plan = snMakeBytes(&cli->context),
                 .progress = cli->progress};
    snStatus status = doWork(request, loaded, &work, cli, &error);
    snProgress_End(cli->progress);
    const snBake *bake = work.bake;
    if (bake && !status && cli->json)
        snPrintBakeJson(request, bake, &work.result, cli);
    else if (bake && !status && !cli->quiet)
        snPrintBakeSummary(request, bake, &work.result);
    bool degraded = bake && snIsBakeDegraded(request, bake, &work.result);
    int code = status ? snCli_Fail(&error) : degraded ? SN_EXIT_DEGRADED : SN_EXIT_DONE;
    snBake_Destroy(work.bake);
    snFleshContacts_Destroy(work.contacts);
    snFlesh_Destroy(work.flesh);
    snBytes_Destroy(&work.plan);
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
    request->still = true;
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

static snStatus markProps(const snBakeRequest *request, snLoaded *loaded, snError *error)
{
    snStatus status = snContactOptions_Mark(&request->contact, &loaded->character, error);
    if (status) snError_Prefix(error, "%s", request->input);
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

static snProgress makeProgress(const snBakeRequest *request, const snCli *cli)
{
    if (request->run.progress && !cli->quiet) return snMakeProgressLines("reading");
    return snMakeProgress("reading", cli->quiet || cli->json);
}

static snStatus load(snBakeRequest *request, snLoaded *loaded, const snCli *cli, snError *error)
{
    snStatus status = snLoaded_Read(loaded, request->input, cli, error);
    if (status) return status;
    compareSidecar(request, loaded, cli);
    status = outfit(request, loaded, cli, error);
    if (!status) status = addChains(request, loaded, cli, error);
    if (!status) status = markProps(request, loaded, error);
    if (status) snLoaded_Free(loaded);
    return status;
}

static int bakeFile(snBakeRequest *request, snCli *cli)
{
    snError error = {0};
    snLoaded loaded;
    snProgress progress = makeProgress(request, cli);
    cli->progress = &progress;
    snInterrupt_Defer(true); // while it is tried whether files can be written
    snStatus status = snOutputs_Probe(&request->outputs, cli, &error);
    snInterrupt_Defer(false);
    snProgress_Begin(&progress, "reading");
    if (!status) status = load(request, &loaded, cli, &error);
    int code = SN_EXIT_FAILED;
    if (!status) {
        code = bakeLoaded(request, &loaded, cli);
        snLoaded_Free(&loaded);
    }
    snProgress_End(&progress);
    cli->progress = NULL;
    return status ? snCli_Fail(&error) : code;
}

int snCommand_Bake(int count, char **arguments)
{
    snBakeRequest request = snDefaultBakeRequest();
    snCli cli = {0};
    snError error = {0};
    int code = snBakeRequest_Read(&request, &cli, count, arguments);
    if (code < 0) {
        snInterrupt_Begin();
        code = snCli_Begin(&cli, &error) ? snCli_Fail(&error) : bakeFile(&request, &cli);
        snCli_End(&cli);
        snInterrupt_End(); // does not come back where there was one
    }
    snBakeRequest_Free(&request);
    return code;
}
