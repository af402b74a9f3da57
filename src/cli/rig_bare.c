#include "cli/rig_bare.h"

#include "asset/json_write.h"
#include "character/propose.h"
#include "cli/skeleton_file.h"
#include "cli/text.h"

#include <stdio.h>
#include <string.h>

typedef struct Job {
    const snLoaded *loaded;
    const snRigBareDef *def;
    const snCli *cli;
    snArena arena;
    snSolid solid;
    snRigPlan plan;
    snCharacter rigged; // made where there is an output for it
    int jointCount;
    int outside; // joints that are not inside the surface
    double planSeconds, bindSeconds;
} Job;

// ---- usage ----

static bool isAnotherInput(const snRigBareDef *def, const char *path)
{
    const char *inputs[2] = {def->input, def->bind.skeleton};
    for (int i = 0; i < 2; i++)
        if (inputs[i] && (!strcmp(path, inputs[i]) || snFile_IsSame(path, inputs[i]))) return true;
    return false;
}

static int checkUsage(const snRigBareDef *def)
{
    const char *outputs[2] = {def->output, def->skeletonOut};
    if (!def->output && !def->skeletonOut)
        return snCli_Usage("rig", "where to? Give an output, for example -o rigged.glb, or "
                                  "--skeleton-out skeleton.json");
    if (def->output && !snPath_HasExtension(def->output, ".glb"))
        return snCli_Usage("rig", "%s: a rigged character is written as .glb", def->output);
    if (def->skeletonOut && !snPath_HasExtension(def->skeletonOut, ".json"))
        return snCli_Usage("rig", "%s: a skeleton is written as .json", def->skeletonOut);
    bool borrowed = def->bind.skeleton && !snBindOptions_IsPlan(&def->bind);
    if (borrowed && (def->skeletonOut || def->sway))
        return snCli_Usage("rig",
                           "%s is a recording or a character: --skeleton-out and --sway are for "
                           "skeletons that are proposed or in a .json file",
                           def->bind.skeleton);
    for (int i = 0; i < 2; i++)
        if (outputs[i] && isAnotherInput(def, outputs[i]))
            return snCli_Usage("rig", "%s is an input; write to another file", outputs[i]);
    return SN_EXIT_DONE;
}

// ---- work ----

static snStatus bindBorrowed(Job *job, snError *error)
{
    snStatus status = snBindBorrowed(&job->rigged, &job->loaded->character, &job->solid,
                                     &job->def->bind, job->cli, error);
    snPose rest;
    if (!status)
        status =
            snPose_Make(&rest, &job->rigged.skeleton, job->rigged.morphCount, &job->arena, error);
    for (int k = 0; !status && k < job->rigged.skins[0].jointCount; k++)
        job->outside +=
            !snSolid_Inside(&job->solid, rest.global[job->rigged.skins[0].joints[k]].origin);
    if (!status) job->jointCount = job->rigged.skins[0].jointCount;
    return status;
}

static snStatus makePlan(Job *job, snError *error)
{
    snProposeDef propose = snDefaultProposeDef();
    snStatus status =
        snSolid_FromCharacter(&job->solid, &job->loaded->character, &job->arena, error);
    if (status)
        snError_Prefix(error, "%s", job->def->input);
    else if (snBindOptions_IsPlan(&job->def->bind))
        status = snReadPlan(&job->plan, job->def->bind.skeleton, &job->solid, job->cli, error);
    else if (job->def->bind.skeleton)
        return bindBorrowed(job, error);
    else if ((status =
                  snProposeRig(&job->plan, &job->solid, &propose, &job->cli->context.tasks, error)))
        snError_Prefix(error, "%s", job->def->input);
    if (!status) job->jointCount = job->plan.joints.count;
    for (int j = 0; !status && j < job->plan.joints.count; j++)
        job->outside += !snSolid_Inside(&job->solid, job->plan.joints.data[j].at);
    return status;
}

static snStatus bindSurface(Job *job, snError *error)
{
    snRigDef def = snDefaultRigDef();
    def.addSway = job->def->sway;
    snStatus status = snRigCharacter(&job->rigged, &job->loaded->character, &job->solid, &job->plan,
                                     &def, &job->cli->context, error);
    if (status) snError_Prefix(error, "%s", job->def->input);
    return status;
}

static snStatus writeOutputs(const Job *job, snError *error)
{
    snFileBatch batch = snMakeFileBatch(&job->cli->context);
    snBytes bytes = snMakeBytes(&job->cli->context);
    snStatus status = SN_OK;
    if (job->def->output) {
        status = snGlb_FromCharacter(&job->rigged, &bytes, error);
        if (!status)
            status = snFileBatch_Write(&batch, job->def->output, bytes.data, bytes.size, error);
        snBytes_Clear(&bytes);
    }
    if (!status && job->def->skeletonOut) {
        status = snSkeletonFile_Write(&job->plan, job->solid.size, &bytes, error);
        if (!status)
            status =
                snFileBatch_Write(&batch, job->def->skeletonOut, bytes.data, bytes.size, error);
    }
    snBytes_Destroy(&bytes);
    return snFileBatch_End(&batch, status, error);
}

static snStatus work(Job *job, snError *error)
{
    double begin = snClock_Seconds();
    snStatus status = makePlan(job, error);
    double planned = snClock_Seconds();
    if (!status && job->def->output && !job->rigged.skinCount) status = bindSurface(job, error);
    job->planSeconds = planned - begin;
    job->bindSeconds = snClock_Seconds() - planned;
    return status ? status : writeOutputs(job, error);
}

// ---- summary ----

static void printText(const Job *job)
{
    const snRigBareDef *def = job->def;
    int vertices = job->loaded->character.vertexCount, joints = job->jointCount;
    printf("%s: %d %s, %d %s %s in %.1f s", snPlain(def->input).text, vertices,
           snPlural(vertices, "vertex", "vertices"), joints, snPlural(joints, "joint", "joints"),
           def->bind.skeleton ? "read" : "proposed", job->planSeconds);
    if (def->output) printf(", bound in %.1f s", job->bindSeconds);
    printf("\n");
    if (job->outside > 0)
        printf("%d %s outside the surface\n", job->outside,
               snPlural(job->outside, "joint is", "joints are"));
    if (def->skeletonOut) printf("wrote %s\n", snPlain(def->skeletonOut).text);
    if (!def->output) return;
    printf("wrote %s%s\n", snPlain(def->output).text,
           def->sway               ? ", with the clip " SN_SWAY_NAME
           : job->rigged.clipCount ? ", with its clips"
                                   : ": without a clip; animate it, or add "
                                     "--sway to see it move");
}

static void printJson(const Job *job)
{
    snBytes bytes = snMakeBytes(&job->cli->context);
    snJsonWriter w = snMakeJsonWriter(&bytes, true);
    snJsonWriter_BeginObject(&w);
    snJsonWriter_PutString(&w, "input", job->def->input);
    snJsonWriter_PutInt(&w, "vertices", job->loaded->character.vertexCount);
    snJsonWriter_PutInt(&w, "joints", job->jointCount);
    snJsonWriter_PutInt(&w, "jointsOutside", job->outside);
    snJsonWriter_PutBool(&w, "proposed", !job->def->bind.skeleton);
    snJsonWriter_PutDouble(&w, "planSeconds", job->planSeconds);
    snJsonWriter_PutDouble(&w, "bindSeconds", job->bindSeconds);
    snJsonWriter_EndObject(&w);
    snPrintJson(&bytes);
    snBytes_Destroy(&bytes);
}

int snRigBare(const snLoaded *loaded, const snRigBareDef *def, const snCli *cli)
{
    int code = checkUsage(def);
    if (code) return code;
    snError error = {0};
    Job job = {.loaded = loaded, .def = def, .cli = cli, .arena = snMakeArena(&cli->context)};
    job.plan = snMakeRigPlan(&cli->context);
    snStatus status = loaded->character.skinCount > 0
                          ? snFail(&error, SN_ERROR_ARGUMENT, "%s has a skin already", def->input)
                          : work(&job, &error);
    if (!status && cli->json)
        printJson(&job);
    else if (!status && !cli->quiet)
        printText(&job);
    snCharacter_Destroy(&job.rigged);
    snRigPlan_Destroy(&job.plan);
    snArena_Destroy(&job.arena);
    return status ? snCli_Fail(&error) : SN_EXIT_DONE;
}
