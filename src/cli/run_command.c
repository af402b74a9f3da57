// sinew run: a scene simulated.
#include "bake/sequence.h"
#include "cli/run_glb.h"
#include "cli/run_picture.h"
#include "cli/run_steps.h"
#include "cli/run_summary.h"
#include "cli/run_table.h"
#include "cli/text.h"

#include <stdio.h>
#include <string.h>

#define MOST_BYTES 8e9  // of surfaces that are kept in memory, and of the table
#define NUMBER_BYTES 18 // of a number in it, about

// What there is to write down of the world at a time.
typedef struct Moment {
    int64_t tick;
    snVec3f *surface; // of all bodies, one after another; NULL: not wanted
    double *row;      // of the table
} Moment;

typedef struct Work {
    snRunRequest *request;
    snArena arena;
    snStage stage;
    snSequence sequence;
    int frames;           // that are simulated, that of the begin counted
    int kept;             // frames in memory
    snVec3f **surfaces;   // [kept]; NULL: nobody wants them
    double *times;        // [kept]
    int columns;          // of the table
    Moment before, after; // a step, where frames may lie within it
    double *row;          // of such a frame
    snRunBare bare;       // in frames behind the bodies
    snRunSteps steps;
    snBytes csv;
    snRunResult result;
    snProgress *progress;
} Work;

// ---- what will be written ---------------------------------------------------------------------------

static snStatus describeMeshes(Work *work, snError *error)
{
    const snWorld *world = work->stage.world;
    const char *file = snPath_Name(work->request->input);
    const char *stem =
        snArena_CopyString(&work->arena, file, strlen(file) - strlen(snPath_Extension(file)));
    snSequenceMesh *meshes = SN_NEW(&work->arena, snSequenceMesh, world->bodies.count);
    if (!stem || !meshes) return snFailMemory(error);
    work->sequence = (snSequence){.name = snSafeName(stem, &work->arena),
                                  .meshCount = world->bodies.count,
                                  .meshes = meshes,
                                  .metersPerUnit = 1};
    for (int i = 0; i < world->bodies.count; i++) {
        const snBody *body = world->bodies.data[i];
        meshes[i] =
            (snSequenceMesh){.name = snSequence_NameMesh(meshes, i, body->name, &work->arena),
                             .title = body->name,
                             .firstVertex = work->sequence.vertexCount,
                             .vertexCount = body->vertexCount,
                             .triangleCount = body->triangleCount,
                             .triangles = body->triangles};
        work->sequence.vertexCount += body->vertexCount;
        if (!meshes[i].name) return snFailMemory(error);
    }
    return work->sequence.name ? SN_OK : snFailMemory(error);
}

static snStatus describeFrames(Work *work, snError *error)
{
    const snSceneFile *scene = &work->request->scene;
    double frameTime = snSceneFile_StepsPerFrame(scene) * scene->step;
    snSequenceClip *clip = SN_NEW(&work->arena, snSequenceClip, 1);
    work->times = SN_NEW(&work->arena, double, work->kept);
    if (!clip || !work->times) return snFailMemory(error);
    for (int i = 0; i < work->kept; i++)
        work->times[i] = (work->request->first - 1 + i) * frameTime;
    *clip = (snSequenceClip){
        .name = work->sequence.name, .frameCount = work->kept, .frameTime = frameTime};
    work->sequence.clips = clip;
    work->sequence.clipCount = 1;
    work->sequence.frameCount = work->kept;
    work->sequence.frameRate = 1 / frameTime;
    work->sequence.times = work->times;
    work->sequence.frames = (const snVec3f *const *)work->surfaces;
    return SN_OK;
}

// Vertices of a frame: of bodies, and of muscles that are only drawn.
static int surfaceSize(const Work *work)
{
    return work->sequence.vertexCount + work->bare.vertexCount;
}

// Memory for the surfaces, where somebody wants them.
static snStatus reserveFrames(Work *work, snError *error)
{
    const snRunRequest *r = work->request;
    double bytes = (double)work->kept * surfaceSize(work) * sizeof(snVec3f);
    if (!r->outputs.count && !r->picture) return SN_OK;
    if (bytes > MOST_BYTES)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "%s: the surfaces of %d frames take %.1f GB; keep fewer with --frames, or "
                      "lower \"frameRate\"",
                      r->input, work->kept, 1e-9 * bytes);
    work->surfaces = SN_NEW(&work->arena, snVec3f *, work->kept);
    for (int i = 0; work->surfaces && i < work->kept; i++) {
        work->surfaces[i] = SN_NEW(&work->arena, snVec3f, surfaceSize(work));
        if (!work->surfaces[i]) return snFailMemory(error);
    }
    return work->surfaces ? SN_OK : snFailMemory(error);
}

static bool makeMoment(Work *work, Moment *moment)
{
    bool surfaces = work->surfaces && work->request->scene.paced;
    moment->row = SN_NEW(&work->arena, double, work->columns);
    if (surfaces) moment->surface = SN_NEW(&work->arena, snVec3f, surfaceSize(work));
    return moment->row && (moment->surface || !surfaces);
}

static snStatus makeMoments(Work *work, snError *error)
{
    work->columns = snRunTable_Columns(&work->stage);
    work->row = SN_NEW(&work->arena, double, work->columns);
    bool good = work->row && makeMoment(work, &work->before) && makeMoment(work, &work->after);
    return good ? SN_OK : snFailMemory(error);
}

// The table is kept in memory until all is done.
static snStatus checkTable(const Work *work, snError *error)
{
    const snRunRequest *r = work->request;
    double perRow = r->everyStep ? 1 : snSceneFile_StepsPerFrame(&r->scene);
    double rows = (double)work->frames * snSceneFile_StepsPerFrame(&r->scene) / perRow;
    double bytes =
        rows * NUMBER_BYTES * (1 + 14.0 * r->scene.bodyCount + 3.0 * r->scene.probeCount);
    if (!r->outputs.sidecar[0] || bytes <= MOST_BYTES) return SN_OK;
    return snFail(error, SN_ERROR_UNSUPPORTED,
                  "%s: a table of %.3g rows takes %.1f GB; write a row for every frame instead of "
                  "every step, or keep fewer frames with --frames",
                  r->input, rows, 1e-9 * bytes);
}

static snStatus plan(Work *work, const snCli *cli, snError *error)
{
    snRunRequest *r = work->request;
    snStatus status = describeMeshes(work, error);
    work->frames = r->last;
    work->kept = r->last - r->first + 1;
    if (!status) status = checkTable(work, error);
    if (!status && (r->picture || snOutputs_Has(&r->outputs, SN_OUTPUT_GLB)))
        status = snRunBare_Make(&work->bare, &r->scene, &work->arena, error);
    if (!status && !r->dryRun) status = reserveFrames(work, error);
    if (!status && !r->dryRun) status = makeMoments(work, error);
    if (!status) status = describeFrames(work, error);
    snOutputPlan outputs = {.sequence = &work->sequence,
                            .frameCount = work->kept,
                            .inputs = r->inputs.paths,
                            .inputCount = r->inputs.count};
    snInterrupt_Defer(true); // while it is tried whether files can be written
    if (!status) status = snOutputs_Plan(&r->outputs, &outputs, cli, &work->arena, error);
    if (!status) status = snOutputs_Probe(&r->outputs, cli, error);
    snInterrupt_Defer(false);
    return status;
}

// ---- the run ----------------------------------------------------------------------------------------

static void takeSurface(const Work *work, snVec3f *surface)
{
    const snWorld *world = work->stage.world;
    for (int i = 0; i < world->bodies.count; surface += world->bodies.data[i++]->vertexCount)
        snBody_Surface(world->bodies.data[i], surface, NULL);
    snRunBare_Take(&work->bare, world, surface);
}

// Where the surface of a frame goes; NULL: nowhere.
static snVec3f *surfaceOf(const Work *work, int64_t frame)
{
    int64_t k = frame - (work->request->first - 1);
    return work->surfaces && k >= 0 && k < work->kept ? work->surfaces[k] : NULL;
}

// Whether the table has rows of this time: from the first frame that is kept on.
static bool hasRow(const Work *work)
{
    const snRunRequest *r = work->request;
    int64_t begin = (int64_t)(r->first - 1) * snSceneFile_StepsPerFrame(&r->scene);
    return r->outputs.sidecar[0] && work->stage.world->ticks >= begin;
}

// The world as it is, at a frame or not.
static void keepNow(Work *work, int64_t frame)
{
    const snRunRequest *r = work->request;
    snVec3f *surface = frame >= 0 ? surfaceOf(work, frame) : NULL;
    if (surface) takeSurface(work, surface);
    if (!hasRow(work) || (frame < 0 && !r->everyStep)) return;
    snRunTable_Measure(&work->stage, work->row);
    snRunTable_Row(&work->csv, work->columns, work->row);
}

static void takeMoment(const Work *work, Moment *moment)
{
    moment->tick = work->stage.world->ticks;
    if (moment->surface) takeSurface(work, moment->surface);
    if (work->request->outputs.sidecar[0]) snRunTable_Measure(&work->stage, moment->row);
}

static snVec3f between(snVec3f a, snVec3f b, double u)
{
    return snToF(snMulAdd(snFromF(a), u, snSub(snFromF(b), snFromF(a))));
}

// A frame within a step. Velocities of a step of implicit Euler are those of a straight way from its begin to its end,
// and so are places in between; everything else is taken straight as well.
static void keepBetween(Work *work, int64_t frame, int64_t tick)
{
    const Moment *a = &work->before, *b = &work->after;
    double u = (double)(tick - a->tick) / (double)(b->tick - a->tick);
    snVec3f *surface = surfaceOf(work, frame);
    for (int v = 0; surface && v < surfaceSize(work); v++)
        surface[v] = between(a->surface[v], b->surface[v], u);
    if (!work->request->outputs.sidecar[0] || work->request->everyStep) return;
    if (frame < work->request->first - 1) return;
    for (int i = 0; i < work->columns; i++)
        work->row[i] = a->row[i] + u * (b->row[i] - a->row[i]);
    work->row[0] = (double)tick * work->stage.world->def.step;
    snRunTable_Row(&work->csv, work->columns, work->row);
}

// One step, and the frames that it comes to or passes. That of a recording may pass the last of them.
static void step(Work *work, int ticks, int perFrame)
{
    snWorld *world = work->stage.world;
    int64_t frame = world->ticks / perFrame + 1, end = world->ticks + ticks;
    bool passes = frame * perFrame < end;
    if (passes) takeMoment(work, &work->before);
    snRunSteps_Take(&work->steps, world, ticks);
    if (passes) takeMoment(work, &work->after);
    for (; frame * perFrame < end && frame < work->frames; frame++)
        keepBetween(work, frame, frame * perFrame);
    if (frame < work->frames) keepNow(work, frame * perFrame == end ? frame : -1);
}

static snStatus simulate(Work *work, snError *error)
{
    const snRunRequest *r = work->request;
    int perFrame = snSceneFile_StepsPerFrame(&r->scene), ticks = 0;
    int64_t total = (int64_t)(work->frames - 1) * perFrame;
    snWorld *world = work->stage.world;
    snStatus status = snRunSteps_Begin(&work->steps, r, world, total, error);
    if (status) return status;
    work->steps.control = work->stage.control;
    if (r->outputs.sidecar[0]) snRunTable_Head(&work->csv, &r->scene);
    keepNow(work, 0);
    while (world->ticks < total) {
        status = snRunSteps_Next(&work->steps, world, total - world->ticks, &ticks, error);
        if (status) return status;
        step(work, ticks, perFrame);
        double share = fmin((double)world->ticks / (double)total, 1);
        snProgress_Update(work->progress, share);
        if (snInterrupt_Pending())
            return snFail(error, SN_ERROR_CANCELLED, "interrupted at %.0f %%; nothing was written",
                          100.0 * share);
    }
    work->result.steps = world->steps;
    work->result.ticks = world->ticks;
    work->result.pace = r->realtime ? &work->steps.pace : NULL;
    status = snRunSteps_End(&work->steps, world, error);
    return status ? status : snBytes_Check(&work->csv, error);
}

static snStatus write(Work *work, const snCli *cli, snError *error)
{
    const snRunRequest *r = work->request;
    snBytes glb = snMakeBytes(&cli->context);
    snOutputContent content = {&work->sequence, &glb, &work->csv};
    snFileBatch batch = snMakeFileBatch(&cli->context);
    snStatus status = SN_OK;
    snProgress_Begin(work->progress, "writing");
    work->result.hasMotion = snOutputs_Has(&r->outputs, SN_OUTPUT_GLB);
    if (work->result.hasMotion)
        status = snRunGlb_Write(&(snRunGlb){r, work->stage.world, &work->sequence, &work->bare},
                                &glb, &work->result.motion, cli, error);
    if (!status) status = snOutputs_Write(&r->outputs, &content, &batch, cli, error);
    if (!status) status = snRunSteps_Write(&work->steps, &batch, error);
    if (!status && r->picture) {
        snProgress_Begin(work->progress, "drawing");
        snRunFilm film = {.scene = &r->scene,
                          .world = work->stage.world,
                          .frameCount = work->kept,
                          .frames = (const snVec3f *const *)work->surfaces,
                          .times = work->times,
                          .rate = work->sequence.frameRate,
                          .size = r->size,
                          .bare = &work->bare};
        status = snRunFilm_Write(&film, r->picture, &batch, cli, error);
    }
    snBytes_Destroy(&glb);
    return snFileBatch_End(&batch, status, error);
}

static snStatus doWork(Work *work, const snCli *cli, snError *error)
{
    snRunResult *result = &work->result;
    double start = snClock_Seconds();
    snProgress_Begin(work->progress, "building");
    snStatus status = snSceneFile_Build(&work->request->scene, &work->stage, &cli->context, error);
    if (status) {
        snError_Prefix(error, "%s", work->request->input);
        return status;
    }
    result->buildSeconds = snClock_Seconds() - start;
    status = plan(work, cli, error);
    result->frames = snSceneFile_Frames(&work->request->scene);
    result->keptFrames = work->kept;
    result->ticks = (int64_t)(work->frames - 1) * snSceneFile_StepsPerFrame(&work->request->scene);
    result->steps = result->ticks;
    if (status || work->request->dryRun) return status;
    snProgress_Begin(work->progress, work->request->realtime ? "in real time" : "running");
    snInterrupt_Defer(true); // until nothing is half written
    start = snClock_Seconds();
    status = simulate(work, error);
    double ran = snClock_Seconds();
    result->runSeconds = ran - start;
    result->hash = snWorld_Hash(work->stage.world);
    if (work->stage.control) result->hash ^= snControl_Hash(work->stage.control);
    if (!status) status = write(work, cli, error);
    result->writeSeconds = snClock_Seconds() - ran;
    return status;
}

static int runScene(snRunRequest *request, snCli *cli)
{
    snError error = {0};
    snProgress progress = snMakeProgress("reading", cli->quiet || cli->json);
    cli->progress = &progress;
    int code = snRunRequest_Load(request, cli);
    if (code >= 0) return code;
    Work work = {.request = request,
                 .arena = snMakeArena(&cli->context),
                 .csv = snMakeBytes(&cli->context),
                 .progress = &progress};
    snStatus status = doWork(&work, cli, &error);
    snProgress_End(&progress);
    cli->progress = NULL;
    work.result.request = request;
    work.result.stage = &work.stage;
    if (!status && cli->json)
        snRunResult_PrintJson(&work.result, request->dryRun, cli);
    else if (!status && !cli->quiet)
        snRunResult_Print(&work.result, request->dryRun);
    bool degraded = !status && snRunResult_IsDegraded(&work.result);
    code = status ? snCli_Fail(&error) : degraded ? SN_EXIT_DEGRADED : SN_EXIT_DONE;
    snBytes_Destroy(&work.csv);
    snRunSteps_Free(&work.steps);
    snStage_Destroy(&work.stage);
    snArena_Destroy(&work.arena);
    return code;
}

int snCommand_Run(int count, char **arguments)
{
    snRunRequest request = {0};
    snCli cli = {0};
    snError error = {0};
    int code = snRunRequest_Read(&request, &cli, count, arguments);
    if (code >= 0) return code;
    snInterrupt_Begin();
    code = snCli_Begin(&cli, &error) ? snCli_Fail(&error) : runScene(&request, &cli);
    snRunRequest_Free(&request);
    snCli_End(&cli);
    snInterrupt_End(); // does not come back where there was one
    return code;
}
