// How many characters one crowd moves at 30 Hz in real time on two cores: the demo calf with a lattice of some 200 vertices,
// 26 bones and a surface of some 2,000 vertices, every member in its own phase of a clip and at its own place; two steps of
// 1/60 s with 3 iterations a frame, surfaces with normals included.
//
// Machines are shared: time is what threads compute within the crowd's loop (CLOCK_THREAD_CPUTIME_ID around every
// member), summed over both threads. Half of that is what a frame takes on two cores that have nothing
// else to do. Others that run meanwhile empty the caches and share the cores' units, so of every member the quickest of
// some frames counts; the sum of whole frames and the time by the clock on the wall are told beside it.
#include "api/crowd_parts.h"
#include "bench/bench.h"
#include "bench/machine.h"
#include "core/elementary.h"
#include "core/tasks.h"
#include "demo.h"
#include "platform/threads.h"
#include "sinew/crowd.h"

#include <stdio.h>
#include <stdlib.h>

enum { MEMBERS = 512, THREADS = 2, FRAMES = 30, CELLS = 555, PIECES = MEMBERS };

// Loops over a pool, with what threads compute in each piece of them.
typedef struct Meter {
    snTasks pool;
    double seconds[PIECES]; // by the first index of the piece
} Meter;

typedef struct MeteredLoop {
    Meter *meter;
    snTaskFcn *fcn;
    void *context;
} MeteredLoop;

static void runMeteredPiece(int begin, int end, int worker, void *context)
{
    const MeteredLoop *loop = context;
    double before = snBench_Computed();
    loop->fcn(begin, end, worker, loop->context);
    if (begin < PIECES) loop->meter->seconds[begin] = snBench_Computed() - before;
}

static void runMetered(void *user, int count, int grain, snTaskFcn *fcn, void *context)
{
    MeteredLoop loop = {user, fcn, context};
    snParallelFor(&loop.meter->pool, count, grain, runMeteredPiece, &loop);
}

typedef struct CrowdJob {
    snContext context;
    snThreadPool *pool;
    Meter meter;
    snCharacter character;
    snCrowd *crowd;
    snSurfaceBuffer surfaces;
} CrowdJob;

static void destroyJob(CrowdJob *job)
{
    snCrowd_Destroy(job->crowd);
    snThreadPool_Destroy(job->pool);
    snCharacter_Destroy(&job->character);
    free(job->surfaces.positions);
}

// Rows of members, each with positions and normals of its vertices in turns, as renderers want them.
static bool makeSurfaces(CrowdJob *job)
{
    size_t row = (size_t)job->character.vertexCount * 6 * sizeof(float);
    float *floats = malloc(MEMBERS * row);
    job->surfaces = (snSurfaceBuffer){.positions = floats,
                                      .positionStride = 6 * sizeof(float),
                                      .normals = floats + 3,
                                      .normalStride = 6 * sizeof(float),
                                      .memberStride = row};
    return floats != NULL;
}

static bool makeJob(CrowdJob *job)
{
    snError error = {0};
    snCrowdDef def = snDefaultCrowdDef();
    *job = (CrowdJob){.context = snDefaultContext()};
    def.members = MEMBERS;
    def.longStep = 2;
    def.actor.cells = CELLS;
    def.actor.matrix = SN_MATRIX_SCALAR;
    snStatus status = snThreadPool_Make(&job->pool, THREADS, &error);
    if (!status)
        status = snDemo_MakeCoarse(&job->character, SN_DEMO_CROWD_EDGE, &job->context, &error);
    if (!status) {
        job->meter.pool = snThreadPool_Tasks(job->pool);
        job->context.tasks = (snTasks){runMetered, &job->meter, THREADS};
        status = snCrowd_Make(&job->crowd, &job->character, &def, &job->context, &error);
    }
    if (!status && makeSurfaces(job)) return true;
    fprintf(stderr, "crowd: %s\n", status ? error.message : "out of memory");
    destroyJob(job);
    return false;
}

// All walk, hop and shake in their own time, on a meadow of rows.
static void release(CrowdJob *job)
{
    for (int m = 0; m < MEMBERS; m++) {
        double a = 0.37 * m;
        snPlacement place = {{2.0 * (m % 32), 0, 2.5 * (m / 32)}, {0, snSin(a), 0, snCos(a)}};
        snCrowd_Play(job->crowd, m, m % job->character.clipCount, 0.013 * m, 1);
        snCrowd_Teleport(job->crowd, m, &place);
        snCrowd_Start(job->crowd, m);
    }
}

// Seconds of one frame, of all threads together.
typedef struct Frame {
    int steps;
    const snSurfaceBuffer *surfaces;
    double pieces; // the least of every piece
    double frames; // the least of whole frames
    double wall;   // by the clock on the wall, the least as well
} Frame;

static void measure(CrowdJob *job, Frame *frame)
{
    double least[PIECES], *now = job->meter.seconds;
    frame->frames = frame->wall = INFINITY;
    for (int k = 0; k < FRAMES; k++) {
        double begin = snBench_Now(), sum = 0;
        for (int i = 0; i < PIECES; i++)
            now[i] = 0;
        snCrowd_Step(job->crowd, frame->steps, frame->surfaces);
        frame->wall = fmin(frame->wall, snBench_Now() - begin);
        for (int i = 0; i < PIECES; i++) {
            least[i] = k ? fmin(least[i], now[i]) : now[i];
            sum += now[i];
        }
        frame->frames = fmin(frame->frames, sum);
    }
    frame->pieces = 0;
    for (int i = 0; i < PIECES; i++)
        frame->pieces += least[i];
}

static void setLevels(CrowdJob *job, snDetailLevel level)
{
    for (int m = 0; m < MEMBERS; m++)
        snCrowd_SetDetail(job->crowd, m, level);
    for (int k = 0; k < 16; k++) // faded out, or swinging again
        snCrowd_Step(job->crowd, 2, NULL);
}

static double perMember(const Frame *frame)
{
    return 1e6 * frame->pieces / MEMBERS; // µs
}

// What the caches and the memory give one core at best, for an array as large as all members, or as one.
static double readRate(const snBench *bench, size_t bytes)
{
    snReadStream stream = {.count = bytes / sizeof(double) / 64 * 64};
    double *data = malloc(stream.count * sizeof(double));
    for (size_t k = 0; data && k < stream.count; k++)
        data[k] = 1; // so that it has pages of its own
    stream.data = data;
    snContestant side = {.name = "read", .run = snReadStream_Run, .context = &stream};
    if (data) snBench_Compare(bench, &side, 1);
    free(data);
    return (double)(stream.count * sizeof(double)) / side.seconds;
}

// Operations a second of one core in single precision, at best: twice as many as of doubles, none of them fused.
static double peakRate(const snBench *bench)
{
    double result;
    snContestant side = {.name = "flops", .run = snFlops_Run, .context = &result};
    snBench_Compare(bench, &side, 1);
    return 2 * SN_FLOPS / side.seconds;
}

// ---- lanes --------------------------------------------------------------------------------------------------
// Eight bodies with one matrix, whose rig goes to and fro between two frames of a clip: one after another with elements
// side by side in registers, or side by side themselves. Batches of bodies are of doubles.

enum { HERD = 8 };

typedef struct Herd {
    const snLatticeModel *model;
    snLatticeState *states[HERD];
    int count; // states: 1 of eight lanes, or 8 of one
    double *rigs[2];
    int turn;
} Herd;

static void destroyHerd(Herd *herd)
{
    for (int k = 0; k < HERD; k++)
        snLatticeState_Destroy(herd->states[k]);
    free(herd->rigs[0]);
    free(herd->rigs[1]);
}

static bool makeHerd(Herd *herd, const CrowdJob *job, const snLatticeModel *model, int count)
{
    snError error = {0};
    snCrowdWorker *worker = &job->crowd->workers[0];
    int n = model->vertexCount;
    double *rows = malloc((size_t)n * 4 * sizeof(double));
    *herd = (Herd){.model = model, .count = count};
    bool good = rows != NULL;
    for (int k = 0; k < count && good; k++)
        good = !snLatticeState_Make(&herd->states[k], model, HERD / count, &job->context, &error);
    for (int k = 0; k < 2 && good; k++) {
        const snLatticeState *state = herd->states[0];
        herd->rigs[k] = calloc((size_t)n * (size_t)state->width, sizeof(double));
        if (!herd->rigs[k]) good = false;
        snCharacter_Pose(&job->character, &job->character.clips[0], 0.4 + k / 60.0, &worker->pose);
        snFlesh_Drive(job->crowd->flesh, &worker->pose, &worker->driver);
        snLatticeModel_Rig(model, worker->driver.joints, rows);
        for (int i = 0; i < 3 * n * state->lanes && good; i++) {
            int v = i / (3 * state->lanes), c = i / state->lanes % 3, lane = i % state->lanes;
            herd->rigs[k][snLatticeState_At(state, v, c, lane)] = rows[4 * v + c];
        }
    }
    for (int k = 0; k < count && good; k++)
        snLatticeState_Start(model, herd->states[k], herd->rigs[0], NULL);
    free(rows);
    return good;
}

static void stepHerd(void *context)
{
    Herd *herd = context;
    herd->turn = !herd->turn;
    snLatticeDrive drive = {.rig = herd->rigs[herd->turn]};
    for (int k = 0; k < herd->count; k++)
        snLattice_Step(herd->model, herd->states[k], &drive);
}

static void compareLanes(snBench *bench, const CrowdJob *job)
{
    snError error = {0};
    snLatticeModel *model = NULL;
    snLatticeModelDef def = snFlesh_ModelDef(job->crowd->flesh);
    snContext serial = snDefaultContext();
    Herd herds[3] = {{0}};
    def.precision = SN_PRECISION_DOUBLE;
    bool good = !snLatticeModel_Build(&model, &def, &serial, &error) &&
                makeHerd(&herds[0], job, job->crowd->flesh->model, HERD) &&
                makeHerd(&herds[1], job, model, HERD) && makeHerd(&herds[2], job, model, 1);
    snContestant sides[] = {{.name = "alone, floats", .run = stepHerd, .context = &herds[0]},
                            {.name = "alone, doubles", .run = stepHerd, .context = &herds[1]},
                            {.name = "lanes, doubles", .run = stepHerd, .context = &herds[2]}};
    if (good) {
        snBench_Compare(bench, sides, 3);
        snBench_Report(bench, "crowd/lanes", snBench_Ratio(&sides[2], &sides[0]),
                       "x as long in eight lanes", "");
        snBench_Note(bench,
                     "a step of a body: %.1f µs alone in floats, %.1f alone in doubles, %.1f in "
                     "eight lanes of doubles",
                     1e6 * sides[0].seconds / HERD, 1e6 * sides[1].seconds / HERD,
                     1e6 * sides[2].seconds / HERD);
    }
    for (int k = 0; k < 3; k++)
        destroyHerd(&herds[k]);
    snLatticeModel_Destroy(model);
}

static void report(snBench *bench, CrowdJob *job)
{
    snSurfaceBuffer bare = job->surfaces;
    bare.normals = NULL;
    Frame whole = {.steps = 2, .surfaces = &job->surfaces}, steps = {.steps = 2}, half = steps;
    Frame pose = steps, surface = {.surfaces = &job->surfaces}, points = {.surfaces = &bare};
    setLevels(job, SN_DETAIL_FULL);
    measure(job, &whole);
    measure(job, &steps);
    measure(job, &surface);
    measure(job, &points);
    setLevels(job, SN_DETAIL_HALF);
    measure(job, &half);
    setLevels(job, SN_DETAIL_RIG);
    measure(job, &pose);
    double frame = 1e6 / 30, count = THREADS * frame / perMember(&whole);
    size_t bytes = snCrowd_BytesPerMember(job->crowd);
    double rate = readRate(bench, MEMBERS * bytes), near = readRate(bench, bytes);
    snBench_Report(bench, "crowd/characters", count, "at 30 Hz on 2 cores", ">= 500");
    snBench_Report(bench, "crowd/characters-by-the-clock", MEMBERS / (30 * whole.wall),
                   "at 30 Hz, whoever else computes", "");
    snBench_Report(bench, "crowd/memory", (double)bytes / 1024, "KiB per member", "< 100");
    snBench_Note(
        bench,
        "%d members, %d lattice vertices, %d joints, %d vertices and %d triangles: %.1f µs "
        "of a core per member and frame (%.1f by whole frames; %d threads, %.1f ms by the clock)",
        MEMBERS, snCrowd_LatticeCount(job->crowd), job->character.skins[0].jointCount,
        job->character.vertexCount, job->character.triangleCount, perMember(&whole),
        1e6 * whole.frames / MEMBERS, THREADS, 1e3 * whole.wall);
    snBench_Note(bench,
                 "of that: poses of two steps %.1f µs, drive and two steps %.1f, positions %.1f, "
                 "normals %.1f; with one long step instead of two %.1f",
                 perMember(&pose), perMember(&steps) - perMember(&pose), perMember(&points),
                 perMember(&surface) - perMember(&points), perMember(&half));
    double moved = 2.0 * (double)bytes + 24.0 * job->character.vertexCount;
    snBench_Note(bench,
                 "limits: a frame reads and writes %.0f KiB of a member, %.1f µs at the %.1f GB/s "
                 "that one core reads all members with (%.1f from its own caches); %.1f MiB shared",
                 moved / 1024, 1e6 * moved / rate, 1e-9 * rate, 1e-9 * near,
                 (double)snCrowd_SharedBytes(job->crowd) / (1 << 20));
    double flops = 2 * snRate_StepOperations(job->crowd->flesh->model), peak = peakRate(bench);
    snBench_Note(bench,
                 "        two steps need %.2f Mflop at least, %.1f µs at the %.0f Gflop/s that one "
                 "core does at best",
                 1e-6 * flops, 1e6 * flops / peak, 1e-9 * peak);
}

void snBench_Crowd(snBench *bench)
{
    CrowdJob job;
    if (!makeJob(&job)) return;
    release(&job);
    report(bench, &job);
    compareLanes(bench, &job);
    destroyJob(&job);
}
