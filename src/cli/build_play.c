#include "cli/build_play.h"

#include "bake/sequence.h"
#include "core/error.h"

#define MOST_BYTES 2e9

static void measure(snBuildPlay *run, const snVec3 *first, snVec3 *feet)
{
    double deepest = snPlay_Deepest(run->play);
    if (deepest > run->deepest) run->deepest = deepest;
    snPlay_Feet(run->play, feet);
    for (int i = 0; i < snPlay_Surface(run->play)->pointCount; i++) {
        double slid = snDistance(feet[i], first[i]);
        if (slid > run->slid) run->slid = slid;
    }
}

static snStatus reserve(snBuildPlay *run, double duration, double rate, snError *error)
{
    int vertices = snPlay_Surface(run->play)->vertexCount;
    run->frameCount = (int)(duration * rate + 0.5) + 1;
    if ((double)run->frameCount * vertices * sizeof(snVec3f) > MOST_BYTES)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "%d frames of %d points are too many to keep; lower the rate or the duration",
                      run->frameCount, vertices);
    run->frames = SN_NEW(&run->arena, snVec3f *, run->frameCount);
    run->times = SN_NEW(&run->arena, double, run->frameCount);
    if (!run->frames || !run->times) return snFailMemory(error);
    for (int i = 0; i < run->frameCount; i++) {
        run->times[i] = i / rate;
        run->frames[i] = SN_NEW(&run->arena, snVec3f, vertices);
        if (!run->frames[i]) return snFailMemory(error);
    }
    return SN_OK;
}

static snStatus simulate(snBuildPlay *run, const snCli *cli, snError *error)
{
    int points = snPlay_Surface(run->play)->pointCount;
    snVec3 *first = SN_NEW(&run->arena, snVec3, points);
    snVec3 *feet = SN_NEW(&run->arena, snVec3, points);
    if (!first || !feet) return snFailMemory(error);
    snPlay_Feet(run->play, first);
    double start = snClock_Seconds();
    for (int i = 0; i < run->frameCount; i++) {
        if (!snPlay_Advance(run->play, run->times[i]))
            return snFail(error, SN_ERROR_NUMERIC, "the skin flew apart by %.3g s: " SN_PLAY_FLEW,
                          run->times[i]);
        snPlay_Places(run->play, run->frames[i]);
        measure(run, first, feet);
        if (cli->progress) snProgress_Update(cli->progress, (double)(i + 1) / run->frameCount);
    }
    run->seconds = snClock_Seconds() - start;
    return SN_OK;
}

snStatus snBuildPlay_Run(snBuildPlay *run, const snLayered *layered, const snBuildPlayDef *request,
                         const snCli *cli, snError *error)
{
    const snLayeredSettings *settings = snLayered_Settings(layered);
    snPlayDef def = snDefaultPlayDef();
    *run =
        (snBuildPlay){.arena = snMakeArena(&cli->context), .recording = snMakeBytes(&cli->context)};
    bool paced = request->realtime || request->replay;
    def.smooth = request->smooth;
    if (paced) def.settle = 0; // the surface alone is wanted of it
    if (request->finalGrid) def.rows = settings->finalRows, def.columns = settings->finalColumns;
    snStatus status = snPlay_Make(&run->play, layered, &def, error);
    if (status) return status;
    double duration = snPlay_Figure(run->play)->duration;
    if (!(duration > 0)) duration = 1;
    status = reserve(run, duration, settings->frameRate, error);
    if (!status)
        status = paced ? snBuildPlay_RunPaced(run, layered, request, cli, error)
                       : simulate(run, cli, error);
    if (status) snBuildPlay_Free(run);
    return status;
}

snBuildSurface *snBuildPlay_Surfaces(snBuildPlay *run)
{
    const snPlaySurface *s = snPlay_Surface(run->play);
    snBuildSurface *all = SN_NEW(&run->arena, snBuildSurface, run->frameCount);
    for (int i = 0; i < run->frameCount && all; i++)
        all[i] = (snBuildSurface){s->vertexCount, s->triangleCount, run->frames[i], s->triangles,
                                  s->colors};
    return all;
}

void snBuildPlay_Free(snBuildPlay *run)
{
    snPlay_Destroy(run->play);
    snBytes_Destroy(&run->recording);
    snArena_Destroy(&run->arena);
    *run = (snBuildPlay){0};
}

// Of a .glb, the colours of marks in it.
static snStatus makeGlb(snBuildPlay *run, const snSequence *sequence, snBytes *glb,
                        const snCli *cli, snError *error)
{
    const snMotionDef def = snDefaultMotionDef();
    const snMotionLook look = {.color = {1, 1, 1}, .colors = snPlay_Surface(run->play)->colors};
    snMotionReport report;
    snStatus status = snMotion_Write(sequence, &look, &def, glb, &report, &cli->context, error);
    if (status) return status;
    run->coarse = report.error > def.tolerance;
    if (run->coarse)
        snLog(&cli->context, SN_LOG_WARNING,
              "%d morph targets leave the skin %.3f %% of its size off; the other caches are exact",
              report.targetCount, 100 * report.error);
    return SN_OK;
}

snStatus snBuildPlay_Write(snBuildPlay *run, snOutputs *outputs, const snBuildPlayNames *names,
                           snFileBatch *batch, const snCli *cli, snError *error)
{
    snArena arena = snMakeArena(&cli->context);
    const char *inputs[1] = {names->input};
    const char *safe = snSafeName(names->character, &arena);
    double rate = run->frameCount > 1 ? 1 / (run->times[1] - run->times[0]) : 24;
    const snPlaySurface *surface = snPlay_Surface(run->play);
    snSequenceMesh mesh = {.name = "skin",
                           .title = "skin",
                           .vertexCount = surface->vertexCount,
                           .triangleCount = surface->triangleCount,
                           .triangles = surface->triangles,
                           .uv = surface->uv};
    snSequenceClip clip = {.name = safe, .frameCount = run->frameCount, .frameTime = 1 / rate};
    snSequence sequence = {.name = safe,
                           .meshCount = 1,
                           .meshes = &mesh,
                           .vertexCount = mesh.vertexCount,
                           .clipCount = 1,
                           .clips = &clip,
                           .frameCount = run->frameCount,
                           .frameRate = rate,
                           .metersPerUnit = 1,
                           .times = run->times,
                           .frames = (const snVec3f *const *)run->frames};
    snBytes glb = snMakeBytes(&cli->context), empty = snMakeBytes(&cli->context);
    snOutputPlan plan = {&sequence, run->frameCount, inputs, 1};
    snOutputContent content = {&sequence, &glb, &empty};
    snStatus status =
        safe ? snOutputs_Plan(outputs, &plan, cli, &arena, error) : snFailMemory(error);
    if (!status && snOutputs_Has(outputs, SN_OUTPUT_GLB))
        status = makeGlb(run, &sequence, &glb, cli, error);
    if (!status) status = snOutputs_Write(outputs, &content, batch, cli, error);
    snBytes_Destroy(&glb);
    snBytes_Destroy(&empty);
    snArena_Destroy(&arena);
    return status;
}
