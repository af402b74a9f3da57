#include "cli/run_steps.h"

static snStatus beginReplay(snRunSteps *steps, const snWorld *world, int64_t total, snError *error)
{
    const snRunRequest *r = steps->request;
    steps->replay = r->replayed;
    snStatus status = snReplay_Check(&steps->replay, world, error);
    if (!status && steps->replay.ticks < total)
        status =
            snFail(error, SN_ERROR_ARGUMENT,
                   "the recording ends after %.3g s, before the run's %.3g s; ask for less with "
                   "--frames",
                   (double)steps->replay.ticks * world->def.step, (double)total * world->def.step);
    if (status) snError_Prefix(error, "%s", r->replay);
    return status;
}

snStatus snRunSteps_Begin(snRunSteps *steps, const snRunRequest *r, const snWorld *world,
                          int64_t total, snError *error)
{
    snStatus status = SN_OK;
    snPaceDef pace = snDefaultPaceDef();
    pace.step = world->def.step;
    pace.lengthCount = world->def.lengthCount;
    pace.lengths = world->def.lengths;
    pace.levelCount = snWorld_LevelCount(world);
    pace.ratio = r->ratio;
    *steps = (snRunSteps){.request = r, .recorder = snMakeRecorder(r->context)};
    if (r->replay) status = beginReplay(steps, world, total, error);
    if (!status && r->realtime) status = snPace_Begin(&steps->pace, &pace, error);
    if (!status && r->record) snRecorder_Begin(&steps->recorder, world);
    steps->last = snClock_Seconds();
    return status;
}

snStatus snRunSteps_Next(snRunSteps *steps, snWorld *world, int64_t left, int *ticks,
                         snError *error)
{
    const snRunRequest *r = steps->request;
    *ticks = 1;
    if (r->replay) return snReplay_Next(&steps->replay, world, ticks, error);
    int want = r->realtime ? snPace_Next(&steps->pace) : 1;
    if (want > left) want = (int)left;
    if (want > 1)
        *ticks = steps->control ? snControl_Room(steps->control, world, want)
                                : snWorld_Room(world, want);
    return SN_OK;
}

static int64_t microseconds(double seconds)
{
    return (int64_t)(1e6 * seconds);
}

static void takeLevel(snRunSteps *steps, snWorld *world)
{
    int level = snPace_Level(&steps->pace);
    if (level == steps->level) return;
    if (steps->request->record)
        snRecorder_SetLevel(&steps->recorder, world, level);
    else
        snWorld_SetLevel(world, level);
    steps->level = level;
}

void snRunSteps_Take(snRunSteps *steps, snWorld *world, int ticks)
{
    const snRunRequest *r = steps->request;
    if (r->realtime) {
        double due = steps->last + 1e-6 * (double)snPace_Wait(&steps->pace);
        snClock_Sleep(due - snClock_Seconds());
    }
    double start = snClock_Seconds();
    if (r->realtime) takeLevel(steps, world);
    if (steps->control) snControl_Step(steps->control, world, ticks);
    if (r->record)
        snRecorder_Advance(&steps->recorder, world, ticks);
    else
        snWorld_Advance(world, ticks);
    double now = snClock_Seconds();
    if (r->realtime)
        snPace_Took(&steps->pace, ticks, microseconds(now - start),
                    microseconds(now - steps->last));
    steps->last = now;
}

snStatus snRunSteps_End(snRunSteps *steps, snWorld *world, snError *error)
{
    const snRunRequest *r = steps->request;
    snStatus status = SN_OK;
    int ticks;
    if (r->replay && world->ticks == steps->replay.ticks) {
        status = snReplay_Next(&steps->replay, world, &ticks, error);
        if (status) snError_Prefix(error, "%s", r->replay);
    }
    if (!status && r->record) status = snRecorder_End(&steps->recorder, world, error);
    return status;
}

snStatus snRunSteps_Write(const snRunSteps *steps, snFileBatch *batch, snError *error)
{
    const snBytes *bytes = &steps->recorder.bytes;
    if (!steps->request->record) return SN_OK;
    return snFileBatch_Write(batch, steps->request->record, bytes->data, bytes->size, error);
}

void snRunSteps_Free(snRunSteps *steps)
{
    if (steps->request) snRecorder_Destroy(&steps->recorder);
}
