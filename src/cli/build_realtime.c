// A layered character played at a fixed ratio of simulated time to the clock's: as the only body of a world, whose pace chooses among
// prebuilt resolutions of its skin; or played again as it was recorded.
#include "cli/build_play.h"

#include "core/error.h"
#include "world/pace.h"
#include "world/recording.h"

#define TICKS 120 // in a second
#define LEVELS 4  // of resolution
#define SLOTS 0   // points that are held
#define LARGEST_FILE ((size_t)1 << 30)

typedef struct Paced {
    snWorld *world;
    snPace pace;
    snRecorder recorder;
    snReplay replay;
    snFileContent recording;
    const snBuildPlayDef *request;
    double last; // s on the clock
    int level;
} Paced;

static snStatus makeWorld(Paced *p, const snLayered *layered, const snCli *cli, snError *error)
{
    snWorldDef def = snDefaultWorldDef();
    snPlayBodyDef body = snDefaultPlayBodyDef();
    const snLayeredSettings *settings = snLayered_Settings(layered);
    snBody *made;
    int number;
    def.step = 1.0 / TICKS;
    def.gravity = settings->gravity;
    body.step = 1.0 / TICKS;
    body.mostPoints = SLOTS;
    body.levels = LEVELS;
    body.play.smooth = p->request->smooth;
    if (p->request->finalGrid)
        body.play.rows = settings->finalRows, body.play.columns = settings->finalColumns;
    snStatus status = snPlayBody_Make(&made, layered, &body, error);
    if (!status) status = snWorld_Make(&p->world, &def, &cli->context, error);
    if (status)
        snBody_Destroy(made);
    else
        status = snWorld_AddBody(p->world, made, &number, error);
    return status;
}

static snStatus begin(Paced *p, double ratio, const snCli *cli, snError *error)
{
    const char *path = p->request->replay;
    snPaceDef def = snDefaultPaceDef();
    def.step = p->world->def.step;
    def.levelCount = snWorld_LevelCount(p->world);
    def.ratio = ratio;
    snStatus status = snPace_Begin(&p->pace, &def, error);
    if (!status && path) {
        status = snFile_Read(&cli->context, path, LARGEST_FILE, &p->recording, error);
        if (status) return status;
        status = snReplay_Open(&p->replay, p->recording.bytes, p->recording.size, error);
        if (!status) status = snReplay_Check(&p->replay, p->world, error);
        if (status) snError_Prefix(error, "%s", path);
    }
    if (!status) snRecorder_Begin(&p->recorder, p->world);
    p->last = snClock_Seconds();
    return status;
}

// One tick: when it is due by the clock, at the level that keeps up with it.
static void stepPaced(Paced *p)
{
    double due = p->last + 1e-6 * (double)snPace_Wait(&p->pace);
    snClock_Sleep(due - snClock_Seconds());
    double start = snClock_Seconds();
    if (snPace_Level(&p->pace) != p->level)
        snRecorder_SetLevel(&p->recorder, p->world, p->level = snPace_Level(&p->pace));
    snRecorder_Advance(&p->recorder, p->world, 1);
    double now = snClock_Seconds();
    snPace_Took(&p->pace, 1, (int64_t)(1e6 * (now - start)), (int64_t)(1e6 * (now - p->last)));
    p->last = now;
}

static snStatus step(Paced *p, snError *error)
{
    int ticks;
    if (!p->request->replay) {
        stepPaced(p);
        return SN_OK;
    }
    snStatus status = snReplay_Next(&p->replay, p->world, &ticks, error);
    if (!status && !ticks)
        status = snFail(error, SN_ERROR_ARGUMENT, "the recording ends before the animation does");
    if (!status) snWorld_Advance(p->world, ticks);
    if (status) snError_Prefix(error, "%s", p->request->replay);
    return status;
}

static bool isFar(const snBody *body, const snVec3f *frame)
{
    bool near = true;
    for (int v = 0; v < body->vertexCount && near; v++)
        near = snLength(snFromF(frame[v])) < SN_PLAY_FARTHEST;
    return !near;
}

// Frames are where the world is at the tick nearest to them.
static snStatus play(Paced *p, snBuildPlay *run, const snCli *cli, snError *error)
{
    snStatus status = SN_OK;
    for (int i = 0; i < run->frameCount && !status; i++) {
        int64_t until = (int64_t)(run->times[i] * TICKS + 0.5);
        while (p->world->ticks < until && !status)
            status = step(p, error);
        if (status) break;
        snBody_Surface(p->world->bodies.data[0], run->frames[i], NULL);
        if (p->world->tales.data[0].failures || isFar(p->world->bodies.data[0], run->frames[i]))
            status = snFail(error, SN_ERROR_NUMERIC, "the skin flew apart by %.3g s: " SN_PLAY_FLEW,
                            run->times[i]);
        if (cli->progress) snProgress_Update(cli->progress, (double)(i + 1) / run->frameCount);
    }
    return status;
}

static snStatus finish(Paced *p, snBuildPlay *run, snError *error)
{
    int ticks;
    snStatus status = SN_OK;
    if (p->request->replay) status = snReplay_Next(&p->replay, p->world, &ticks, error);
    if (status) snError_Prefix(error, "%s", p->request->replay);
    if (!status) status = snRecorder_End(&p->recorder, p->world, error);
    if (!status && p->request->record) {
        snBytes_Append(&run->recording, p->recorder.bytes.data, p->recorder.bytes.size);
        status = snBytes_Check(&run->recording, error);
    }
    run->pace = p->pace;
    run->hash = snWorld_Hash(p->world);
    return status;
}

snStatus snBuildPlay_RunPaced(snBuildPlay *run, const snLayered *layered,
                              const snBuildPlayDef *request, const snCli *cli, snError *error)
{
    double ratio = request->ratio > 0 ? request->ratio : snLayered_Settings(layered)->pace;
    Paced p = {.request = request, .recorder = snMakeRecorder(&cli->context)};
    snStatus status = makeWorld(&p, layered, cli, error);
    if (!status) status = begin(&p, ratio > 0 ? ratio : 1, cli, error);
    double start = snClock_Seconds();
    if (!status) status = play(&p, run, cli, error);
    run->seconds = snClock_Seconds() - start;
    if (!status) status = finish(&p, run, error);
    snRecorder_Destroy(&p.recorder);
    snFile_Release(&cli->context, &p.recording);
    snWorld_Destroy(p.world);
    return status;
}
