#include "bake/player.h"
#include "bake/loop.h"

#include "body/lattice/detail.h"
#include "core/array.h"
#include "core/error.h"

#include <string.h>

snStatus snPlayer_Make(snPlayer *p, const snFlesh *flesh, const snContext *context,
                       snArena *scratch, snError *error)
{
    const snCharacter *c = flesh->character;
    size_t doubles = (size_t)flesh->model->vertexCount * 4;
    *p = (snPlayer){.flesh = flesh, .context = context};
    snStatus status = snLatticeState_Make(&p->state, flesh->model, 1, context, error);
    if (!status) status = snPose_Make(&p->pose, &c->skeleton, c->morphCount, scratch, error);
    if (!status) status = snPose_Make(&p->other, &c->skeleton, c->morphCount, scratch, error);
    if (!status) status = snFleshDriver_Make(&p->driver, flesh, scratch, error);
    if (status) return status;
    p->rig = SN_NEW(scratch, double, doubles);
    p->before = SN_NEW(scratch, double, doubles);
    p->offsets = SN_NEW(scratch, double, doubles);
    return p->rig && p->before && p->offsets ? SN_OK : snFailMemory(error);
}

void snPlayer_Destroy(snPlayer *p)
{
    snLatticeState_Destroy(p->state);
    p->state = NULL;
}

void snPlayer_Choose(snPlayer *p, int clip, double closing, double step)
{
    p->clip = clip;
    p->closing = closing;
    p->step = step;
}

void snPlayer_SetPose(snPlayer *p, double time)
{
    const snCharacter *c = p->flesh->character;
    snLoopPose(c, &c->clips[p->clip], p->closing, time, &p->pose, &p->other);
}

snLatticeDrive snPlayer_Drive(snPlayer *p, double time)
{
    snPlayer_SetPose(p, time);
    return snFlesh_Drive(p->flesh, &p->pose, &p->driver);
}

static void findRig(snPlayer *p, double time, double *rig)
{
    snLatticeDrive drive = snPlayer_Drive(p, time);
    memcpy(rig, drive.rig, (size_t)p->flesh->model->vertexCount * 4 * sizeof *rig);
    snLatticeState_SetShape(p->flesh->model, p->state, drive.shape);
}

void snPlayer_Start(snPlayer *p, bool moving)
{
    const snLatticeModel *model = p->flesh->model;
    int n = model->vertexCount * 4;
    double period = p->flesh->character->clips[p->clip].duration + p->closing;
    moving = moving && p->step > 0;
    if (moving) findRig(p, period - p->step, p->before);
    findRig(p, 0, p->rig);
    if (!moving) {
        snLatticeState_Start(model, p->state, p->rig, NULL);
        return;
    }
    for (int k = 0; k < n; k++)
        p->before[k] = (p->rig[k] - p->before[k]) / model->def.step;
    snLatticeState_Start(model, p->state, p->rig, p->before);
}

void snPlayer_Step(snPlayer *p, double time)
{
    snLatticeDrive drive = snPlayer_Drive(p, time);
    snFlesh_Step(p->flesh, p->state, &drive);
    p->taken++;
}

void snPlayer_Surface(snPlayer *p, snVec3f *rig, snVec3f *soft)
{
    const snCharacter *c = p->flesh->character;
    snCharacter_Surface(c, &p->pose, &p->context->tasks, soft, NULL);
    memcpy(rig, soft, (size_t)c->vertexCount * sizeof *soft);
    snFlesh_AddSoft(p->flesh, p->state, &p->context->tasks, soft);
}

size_t snFleshRow_Size(const snFlesh *flesh)
{
    const snLatticeModel *model = flesh->model;
    size_t points = model->detail ? (size_t)model->detail->pointCount : 0;
    return 8 * ((size_t)model->vertexCount + points); // where they are, and where their rig is
}

void snPlayer_KeepFlesh(const snPlayer *p, double *row)
{
    size_t half = snFleshRow_Size(p->flesh) / 2;
    memcpy(row, p->state->position, half * sizeof *row);
    memcpy(row + half, p->state->rig, half * sizeof *row);
}

void snPlayer_Recall(snPlayer *p, double time, const double *row)
{
    size_t half = snFleshRow_Size(p->flesh) / 2;
    snPlayer_SetPose(p, time);
    memcpy(p->state->position, row, half * sizeof *row);
    memcpy(p->state->rig, row + half, half * sizeof *row);
}

double snPlayer_Change(snPlayer *p)
{
    int n = p->flesh->model->vertexCount;
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double change = 0;
        for (int k = 4 * i; k < 4 * i + 3; k++) {
            double offset = p->state->position[k] - p->state->rig[k];
            change += (offset - p->offsets[k]) * (offset - p->offsets[k]);
            p->offsets[k] = offset;
        }
        if (change > worst) worst = change;
    }
    return sqrt(worst) / p->flesh->height;
}

void snPlayer_Exchange(snPlayer *p, snArchive *archive)
{
    snLatticeState *state = p->state;
    size_t doubles = (size_t)p->flesh->model->vertexCount * 4;
    snArchive_Expect(archive, (int64_t)state->blockSize);
    snArchive_Take(archive, state->block, state->blockSize);
    SN_ARCHIVE(archive, state->steps);
    SN_ARCHIVE(archive, state->backtracks);
    SN_ARCHIVE(archive, state->resets);
    SN_ARCHIVE(archive, state->linearIterations);
    snArchive_Take(archive, p->offsets, doubles * sizeof *p->offsets);
    SN_ARCHIVE(archive, p->taken);
}
