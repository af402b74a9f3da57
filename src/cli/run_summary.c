#include "cli/run_summary.h"

#include "asset/json_write.h"
#include "cli/run_scripts.h"
#include "cli/text.h"

#include <stdio.h>

// Surfaces in a .glb are farther off than was asked for.
static bool isCoarse(const snRunResult *result)
{
    return result->hasMotion && result->motion.error > result->request->motion.tolerance;
}

bool snRunResult_IsDegraded(const snRunResult *result)
{
    const snWorld *world = result->stage->world;
    if (result->pace && result->pace->stretches) return true;
    if (isCoarse(result)) return true;
    if (snRunScripts_HaveFailed(result->stage->control)) return true;
    for (int i = 0; i < world->tales.count; i++)
        if (world->tales.data[i].failures || world->tales.data[i].conflicts) return true;
    return false;
}

static int countFunctions(const snWorld *world)
{
    int count = 0;
    for (int i = 0; i < world->bodies.count; i++)
        count += world->bodies.data[i]->functions;
    return count;
}

// "0.31 mm", "1.2 cm", "4.5 m".
static void printDepth(double metres)
{
    if (metres < 0.01)
        printf("%.2g mm", 1000 * metres);
    else if (metres < 0.995)
        printf("%.2g cm", 100 * metres);
    else
        printf("%.3g m", metres);
}

static void printTrouble(const snWorld *world)
{
    int worst = 0;
    for (int i = 1; i < world->tales.count; i++)
        if (world->tales.data[i].deepest > world->tales.data[worst].deepest) worst = i;
    if (world->frame.count && world->tales.count) {
        const snBodyTale *tale = &world->tales.data[worst];
        printf("deepest in anything: ");
        printDepth(tale->deepest);
        if (tale->deepest > 0)
            printf(", %s at %.2f s", snPlain(world->bodies.data[worst]->name).text,
                   tale->deepestTime);
        printf("\n");
    }
    for (int i = 0; i < world->tales.count; i++) {
        const snBodyTale *tale = &world->tales.data[i];
        const char *name = world->bodies.data[i]->name;
        if (tale->failures)
            printf("warning: %s: %d %s could not be computed; it was put back undeformed\n",
                   snPlain(name).text, tale->failures, snPlural(tale->failures, "step", "steps"));
        if (tale->conflicts)
            printf("warning: %s: in %d %s points are held that contradict each other\n",
                   snPlain(name).text, tale->conflicts, snPlural(tale->conflicts, "step", "steps"));
        if (tale->dropped)
            printf(
                "warning: %s: in %d %s it and others touch in more places than there is room for; "
                "what is left out is not felt\n",
                snPlain(name).text, tale->dropped, snPlural(tale->dropped, "step", "steps"));
    }
}

// How well a run in real time kept up.
static void printPace(const snPace *pace)
{
    if (pace->stretches)
        printf(
            "warning: could not keep up with the clock: %.2g s were given up in %lld %s; steps of "
            "%d ticks are the longest\n",
            1e-6 * (double)pace->lost, (long long)pace->stretches,
            snPlural(pace->stretches, "stretch", "stretches"),
            pace->lengths[pace->lengthCount - 1]);
    else
        printf("kept up with the clock");
    if (pace->largestLag > 0)
        printf("%s%.2g ms behind at worst", pace->stretches ? "" : ", ",
               1e-3 * (double)pace->largestLag);
    printf("\nsteps by their ticks:");
    const char *before = " ";
    for (int i = 0; i < pace->lengthCount; i++)
        if (pace->steps[i]) {
            printf("%s%d: %lld", before, pace->lengths[i], (long long)pace->steps[i]);
            before = ", ";
        }
    printf("; changed %d %s\n", pace->changes, snPlural(pace->changes, "time", "times"));
    for (int i = 0; i < pace->levelCount && pace->levelCount > 1; i++)
        printf("%s %lld", i ? "," : "steps by level of detail:", (long long)pace->levelSteps[i]);
    if (pace->levelCount > 1)
        printf("; changed %d %s\n", pace->levelChanges,
               snPlural(pace->levelChanges, "time", "times"));
}

static void printSteps(const snRunResult *result)
{
    const snSceneFile *scene = &result->request->scene;
    printf("%lld %s of ", (long long)result->steps, snPlural(result->steps, "step", "steps"));
    if (scene->paced)
        printf("%.3g to %.3g ms", 1000 * scene->step,
               1000 * scene->step * scene->lengths[scene->lengthCount - 1]);
    else
        printf("%.3g ms", 1000 * scene->step);
    printf(": %.3g s, %d %s%s\n", (double)result->ticks * scene->step, result->keptFrames,
           snPlural(result->keptFrames, "frame", "frames"),
           result->keptFrames < result->frames ? " kept" : "");
}

static void printFiles(const snRunRequest *r)
{
    const snOutputs *o = &r->outputs;
    for (int i = 0; i < o->count; i++) {
        const snOutput *output = &o->list[i];
        if (output->fileCount == 1)
            printf("  %s\n", snPlain(o->files[output->firstFile]).text);
        else if (output->fileCount > 1)
            printf("  %s ... %s\n", snPlain(o->files[output->firstFile]).text,
                   snPlain(o->files[output->firstFile + output->fileCount - 1]).text);
    }
    if (o->sidecar[0]) printf("  %s\n", snPlain(o->sidecar).text);
    if (r->picture) printf("  %s\n", snPlain(r->picture).text);
    if (r->record) printf("  %s\n", snPlain(r->record).text);
}

static void printMotion(const snRunResult *result)
{
    const snMotionReport *m = &result->motion;
    printf("surfaces as %d morph %s, %d of a body at most, within %.3f %% of its size\n",
           m->targetCount, snPlural(m->targetCount, "target", "targets"), m->mostTargets,
           100 * m->error);
    if (isCoarse(result))
        printf("warning: that is more than the tolerance of %.3f %%; allow more with "
               "--max-targets\n",
               100 * result->request->motion.tolerance);
}

void snRunResult_Print(const snRunResult *result, bool dry)
{
    const snRunRequest *r = result->request;
    const snWorld *world = result->stage->world;
    int functions = countFunctions(world);
    double simulated = (double)result->ticks * r->scene.step;
    printf("%s: %d %s with %d %s, %d %s to bump into\n", snPlain(r->input).text,
           world->bodies.count, snPlural(world->bodies.count, "body", "bodies"), functions,
           snPlural(functions, "function", "functions"), world->frame.count,
           snPlural(world->frame.count, "thing", "things"));
    printSteps(result);
    if (dry) {
        bool none = !r->outputs.count && !r->outputs.sidecar[0] && !r->picture && !r->record;
        printf("built in %.2f s; would write%s\n", result->buildSeconds, none ? " nothing" : ":");
    } else {
        printf("built in %.2f s, ran in %.2f s: %.3g times real time\n", result->buildSeconds,
               result->runSeconds, result->runSeconds > 0 ? simulated / result->runSeconds : 0);
        if (result->pace) printPace(result->pace);
        printTrouble(world);
        if (result->stage->control) snRunScripts_Print(result->stage->control);
    }
    printFiles(r);
    if (result->hasMotion) printMotion(result);
}

static void writeBodies(snJsonWriter *w, const snWorld *world)
{
    snJsonWriter_Key(w, "bodies");
    snJsonWriter_BeginArray(w);
    for (int i = 0; i < world->bodies.count; i++) {
        const snBody *body = world->bodies.data[i];
        const snBodyTale *tale = &world->tales.data[i];
        snJsonWriter_BeginObject(w);
        snJsonWriter_PutString(w, "name", body->name);
        snJsonWriter_PutString(w, "model", body->kind->name);
        snJsonWriter_PutInt(w, "functions", body->functions);
        snJsonWriter_PutInt(w, "mostFunctions", tale->functions);
        snJsonWriter_PutInt(w, "vertices", body->vertexCount);
        snJsonWriter_PutInt(w, "triangles", body->triangleCount);
        snJsonWriter_PutDouble(w, "deepest", tale->deepest);
        snJsonWriter_PutInt(w, "failedSteps", tale->failures);
        snJsonWriter_PutInt(w, "conflictingSteps", tale->conflicts);
        snJsonWriter_EndObject(w);
    }
    snJsonWriter_EndArray(w);
}

static void writeFiles(snJsonWriter *w, const snRunRequest *r)
{
    snJsonWriter_Key(w, "files");
    snJsonWriter_BeginArray(w);
    for (int i = 0; i < r->outputs.fileCount; i++)
        snJsonWriter_String(w, r->outputs.files[i]);
    if (r->outputs.sidecar[0]) snJsonWriter_String(w, r->outputs.sidecar);
    if (r->picture) snJsonWriter_String(w, r->picture);
    if (r->record) snJsonWriter_String(w, r->record);
    snJsonWriter_EndArray(w);
}

static void writeMotion(snJsonWriter *w, const snMotionReport *motion)
{
    snJsonWriter_Key(w, "motion");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutInt(w, "targets", motion->targetCount);
    snJsonWriter_PutInt(w, "mostTargets", motion->mostTargets);
    snJsonWriter_PutDouble(w, "error", motion->error);
    snJsonWriter_EndObject(w);
}

static void writePace(snJsonWriter *w, const snPace *pace)
{
    snJsonWriter_Key(w, "pace");
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutDouble(w, "largestLag", 1e-6 * (double)pace->largestLag);
    snJsonWriter_PutDouble(w, "lost", 1e-6 * (double)pace->lost);
    snJsonWriter_PutInt(w, "stretches", pace->stretches);
    snJsonWriter_PutInt(w, "changes", pace->changes);
    snJsonWriter_PutInt(w, "levelChanges", pace->levelChanges);
    snJsonWriter_Key(w, "levels");
    snJsonWriter_BeginArray(w);
    for (int i = 0; i < pace->levelCount; i++)
        snJsonWriter_Int(w, pace->levelSteps[i]);
    snJsonWriter_EndArray(w);
    snJsonWriter_Key(w, "steps");
    snJsonWriter_BeginArray(w);
    for (int i = 0; i < pace->lengthCount; i++) {
        snJsonWriter_BeginObject(w);
        snJsonWriter_PutInt(w, "ticks", pace->lengths[i]);
        snJsonWriter_PutInt(w, "count", pace->steps[i]);
        snJsonWriter_EndObject(w);
    }
    snJsonWriter_EndArray(w);
    snJsonWriter_EndObject(w);
}

void snRunResult_PrintJson(const snRunResult *result, bool dry, const snCli *cli)
{
    const snRunRequest *r = result->request;
    snBytes bytes = snMakeBytes(&cli->context);
    snJsonWriter writer = snMakeJsonWriter(&bytes, true), *w = &writer;
    double simulated = (double)result->ticks * r->scene.step;
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)result->hash);
    snJsonWriter_BeginObject(w);
    snJsonWriter_PutString(w, "scene", r->input);
    snJsonWriter_PutBool(w, "dryRun", dry);
    snJsonWriter_PutDouble(w, "step", r->scene.step);
    snJsonWriter_PutInt(w, "steps", result->steps);
    snJsonWriter_PutInt(w, "frames", result->keptFrames);
    snJsonWriter_PutDouble(w, "simulatedSeconds", simulated);
    snJsonWriter_PutDouble(w, "buildSeconds", result->buildSeconds);
    if (!dry) {
        snJsonWriter_PutDouble(w, "runSeconds", result->runSeconds);
        snJsonWriter_PutDouble(w, "writeSeconds", result->writeSeconds);
        snJsonWriter_PutString(w, "hash", hash);
        snJsonWriter_PutBool(w, "degraded", snRunResult_IsDegraded(result));
        if (result->pace) writePace(w, result->pace);
        if (result->hasMotion) writeMotion(w, &result->motion);
    }
    writeBodies(w, result->stage->world);
    if (result->stage->control) snRunScripts_Write(result->stage->control, w);
    writeFiles(w, r);
    snJsonWriter_EndObject(w);
    snPrintJson(&bytes);
    snBytes_Destroy(&bytes);
}
