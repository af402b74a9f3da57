#include "bake/player.h"
#include "bake/loop.h"

#include "body/lattice/detail.h"
#include "body/lattice/jump.h"
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
    if (!status) status = snPose_Make(&p->earlier, &c->skeleton, c->morphCount, scratch, error);
    if (!status) status = snFleshDriver_Make(&p->driver, flesh, scratch, error);
    if (!status) status = snReach_Make(&p->reach, flesh, scratch, error);
    if (!status) status = snGuard_Make(p, p->reach.size, scratch, error);
    if (status) return status;
    p->carried = SN_NEW(scratch, snAffine, c->skeleton.jointCount);
    p->rig = SN_NEW(scratch, double, doubles);
    p->before = SN_NEW(scratch, double, doubles);
    p->offsets = SN_NEW(scratch, double, doubles);
    bool good = p->rig && p->before && p->offsets && p->carried;
    return good ? SN_OK : snFailMemory(error);
}

void snPlayer_Destroy(snPlayer *p)
{
    snGuard_Destroy(&p->guard);
    snLatticeState_Destroy(p->state);
    snLadder_Destroy(p->ladder);
    p->state = NULL;
    p->ladder = NULL;
}

snStatus snPlayer_Key(snPlayer *p, const snKeyTrack *tracks, int count, snArena *scratch,
                      snError *error)
{
    const snFlesh *flesh = p->flesh;
    if (!count) return SN_OK;
    p->keys = SN_NEW(scratch, snKeys, 1);
    if (!p->keys) return snFailMemory(error);
    snStatus status = snKeys_Make(p->keys, flesh, tracks, count, scratch, error);
    if (status || !p->keys->scales) return status;
    snLatticeModelDef def = snFlesh_ModelDef(flesh);
    return snLadder_Build(&p->ladder, flesh->model, &def, p->keys->softest, p->keys->stiffest,
                          p->context, error);
}

// What the keys say at the time of the drive.
static void applyKeys(snPlayer *p, double time, snLatticeDrive *drive)
{
    if (!p->keys) return;
    drive->stiffness = snKeys_Stiffness(p->keys, p->clip, time);
    drive->ladder = p->ladder;
    if (!snKeys_Amounts(p->keys, p->clip, time)) return;
    for (int i = 0; i < p->flesh->model->vertexCount && !drive->share; i++)
        p->driver.share[i] = 1;
    snKeys_HoldVertices(p->keys, p->driver.share);
    drive->share = p->driver.share;
}

void snPlayer_Choose(snPlayer *p, const snPlayed *played)
{
    static const snJumps none = {0};
    p->clip = played->clip;
    p->closing = played->closing;
    p->step = played->step;
    p->jumps = played->jumps ? played->jumps : &none;
}

void snPlayer_SetPose(snPlayer *p, double time)
{
    const snCharacter *c = p->flesh->character;
    p->time = time;
    snLoopPose(c, &c->clips[p->clip], p->closing, time, &p->pose, &p->other);
}

snLatticeDrive snPlayer_Drive(snPlayer *p, double time)
{
    snPlayer_SetPose(p, time);
    snLatticeDrive drive = snFlesh_Drive(p->flesh, &p->pose, &p->driver);
    applyKeys(p, time, &drive);
    return drive;
}

static void findRig(snPlayer *p, double time, double *rig)
{
    snLatticeDrive drive = snPlayer_Drive(p, time);
    memcpy(rig, drive.rig, (size_t)p->flesh->model->vertexCount * 4 * sizeof *rig);
    snLatticeState_SetShape(p->flesh->model, p->state, drive.shape);
}

// ---- jumps ----

static bool isStill(const snAffine *a)
{
    snAffine still = snIdentityAffine();
    return !memcmp(a, &still, sizeof still);
}

// Into `carried`: J of all joints for a step that meets jumps (jumps.h). False: one of them comes out of
// nothing or goes into it. Sets the pose to the step's end.
static bool findCarried(snPlayer *p, double from, double to)
{
    const snSkeleton *skeleton = &p->flesh->character->skeleton;
    bool good = true;
    for (int j = 0; j < skeleton->jointCount; j++)
        p->carried[j] = snIdentityAffine(); // D, in the parent's space
    for (int i = 0; i < p->jumps->count; i++) {
        const snJump *jump = &p->jumps->list[i];
        if (!(jump->from < to && jump->to > from)) continue;
        double a = fmax(from, jump->from), b = fmin(to, jump->to);
        snPlayer_SetPose(p, a);
        snTransform before = p->pose.local[jump->joint];
        snPlayer_SetPose(p, b);
        snAffine d = snJump_Motion(jump, b - a, &before, &p->pose.local[jump->joint]);
        p->carried[jump->joint] = snMulAA(d, p->carried[jump->joint]);
        double size = fabs(snDet(d.linear));
        good = good && size > 1e-6 && size < 1e6 && snIsFinite3(d.origin);
    }
    snPlayer_SetPose(p, to);
    for (int j = 0; j < skeleton->jointCount; j++) {
        int parent = skeleton->joints[j].parent;
        if (parent < 0) continue;
        if (isStill(&p->carried[j])) {
            p->carried[j] = p->carried[parent];
            continue;
        }
        snAffine global = p->pose.global[parent];
        snAffine seen = snMulAA(snMulAA(global, p->carried[j]), snInverseAffine(global));
        p->carried[j] = snMulAA(seen, p->carried[parent]);
    }
    return good;
}

// The rig at a time, moved by the jumps that come until `to`.
static bool findCarriedRig(snPlayer *p, double from, double to, double *rig)
{
    int n = p->flesh->model->vertexCount * 4;
    bool good = findCarried(p, from, to);
    snPlayer_Drive(p, from);
    for (int j = 0; j < p->flesh->character->skeleton.jointCount; j++)
        p->driver.joints[j] = snMulAA(p->carried[j], p->driver.joints[j]);
    snLatticeModel_Rig(p->flesh->model, p->driver.joints, rig);
    for (int k = 0; k < n; k++)
        good = good && isfinite(rig[k]);
    return good;
}

// What cannot be carried begins anew where it comes out.
static void carry(snPlayer *p, double from, double to)
{
    const snLatticeModel *model = p->flesh->model;
    snLatticeState *state = p->state;
    if (findCarriedRig(p, from, to, p->before)) {
        snLatticeState_Jump(model, state, &(snLatticeJump){p->carried, p->before});
        return;
    }
    int64_t steps = state->steps, backtracks = state->backtracks, resets = state->resets;
    findRig(p, to, p->before);
    snLatticeState_Start(model, state, p->before, NULL);
    state->steps = steps;
    state->backtracks = backtracks;
    state->resets = resets;
}

// ---- playing ----

void snPlayer_Start(snPlayer *p, bool moving)
{
    const snLatticeModel *model = p->flesh->model;
    int n = model->vertexCount * 4;
    double end = p->flesh->character->clips[p->clip].duration + p->closing, from = end - p->step;
    bool torn = snJumps_Meet(p->jumps, from, end);
    memset(p->guard.yield, 0,
           (size_t)p->flesh->character->skeleton.jointCount * sizeof *p->guard.yield);
    moving = moving && p->step > 0 && (!torn || findCarriedRig(p, from, end, p->before));
    if (moving && !torn) findRig(p, from, p->before);
    findRig(p, 0, p->rig);
    if (p->contacts) snLatticeContacts_Reset(p->contacts->contacts);
    if (!moving) {
        snLatticeState_Start(model, p->state, p->rig, NULL);
        return;
    }
    for (int k = 0; k < n; k++)
        p->before[k] = (p->rig[k] - p->before[k]) / model->def.step;
    snLatticeState_Start(model, p->state, p->rig, p->before);
}

static bool isFiniteRig(const snPlayer *p, const double *rig)
{
    bool good = true;
    for (int k = 0; k < p->flesh->model->vertexCount * 4; k++)
        good &= fabs(rig[k]) <= 1e100;
    return good;
}

struct snLatticeContacts *snPlayer_PlaceColliders(snPlayer *p, double from)
{
    const snCharacter *c = p->flesh->character;
    if (!p->contacts) return NULL;
    if (p->contacts->moving)
        snLoopPose(c, &c->clips[p->clip], p->closing, from, &p->earlier, &p->other);
    snFleshContacts_Pose(p->contacts, p->contacts->moving ? &p->earlier : &p->pose, &p->pose);
    return p->contacts->contacts;
}

void snPlayer_Step(snPlayer *p, double from, double to)
{
    snLatticeDrive drive = snPlayer_Drive(p, to);
    p->taken++;
    if (!isFiniteRig(p, drive.rig)) { // flesh waits for a pose that can be shown
        snBakeEvent event = {SN_TROUBLE_POSE, SN_REMEDY_HELD, .clip = p->clip, .joint = -1};
        event.times = 1;
        event.from = from;
        event.to = to;
        if (p->guard.events) snEvents_Add(p->guard.events, &event);
        return;
    }
    if (snJumps_Meet(p->jumps, from, to)) {
        carry(p, from, to);
        drive = snPlayer_Drive(p, to);
    }
    drive.contacts = snPlayer_PlaceColliders(p, from);
    snGuard_Step(p, &drive, from, to);
}

double snPlayer_Surface(snPlayer *p, snVec3f *rig, snVec3f *soft)
{
    const snCharacter *c = p->flesh->character;
    snCharacter_Surface(c, &p->pose, &p->context->tasks, soft, NULL);
    memcpy(rig, soft, (size_t)c->vertexCount * sizeof *soft);
    snFlesh_AddSoft(p->flesh, p->state, &p->context->tasks, soft);
    double left = 0;
    if (p->contacts) {
        snFleshContacts_Pose(p->contacts, &p->pose, &p->pose);
        left = snFleshContacts_Touch(p->contacts, soft);
    }
    if (p->keys && snKeys_Amounts(p->keys, p->clip, p->time)) snKeys_FadePoints(p->keys, rig, soft);
    return left;
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
    snArchive_Count(archive, &state->steps);
    snArchive_Count(archive, &state->backtracks);
    snArchive_Count(archive, &state->resets);
    snArchive_Count(archive, &state->linearIterations);
    snArchive_Take(archive, p->offsets, doubles * sizeof *p->offsets);
    snArchive_Count(archive, &p->taken);
    snArchive_Take(archive, p->guard.yield,
                   (size_t)p->flesh->character->skeleton.jointCount * sizeof *p->guard.yield);
    if (!p->contacts) return;
    snLatticeContacts *contacts = p->contacts->contacts;
    size_t size = snLatticeContacts_SaveSize(contacts);
    snArchive_Expect(archive, (int64_t)size);
    snArchive_Take(archive, contacts->memory, size);
}
