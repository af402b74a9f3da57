// One call of a crowd: every member's pose, place, drive and steps, and its surface while all of it is at hand.
//
// Root motion. A member that stands at P, and after a step at P', feels the share s of that: before the step all that
// its flesh is (places, velocities, rotations of elements) is carried along rigidly by the motion from P to a place
// between, at 1 - s of the way to P' (jump.c). The rig that the step then sees goes the rest of the way. With s = 1 nothing is carried,
// with s = 0 flesh is where it would be if the member had always stood still.
//
// Wind. Flesh with velocity v in a wind w is dragged by a = γ (w - v'), v' = v + h a: a = γ (w - v) / (1 + h γ), which
// cannot overshoot however strong it is.
#include "api/crowd_parts.h"

#include "body/lattice/jump.h"
#include "core/check.h"
#include "core/tasks.h"

#include <string.h>

#define FADE                                                                                       \
    0.0625 // of what is seen, a step, on the way to the rig alone: powers of two add up exactly
#define QUIET_STEPS 30 // still for so long, flesh sleeps
#define GRAIN 1        // members of a piece: the last ones keep no thread waiting

// ---- poses ------------------------------------------------------------------------------------------------

void snCrowd_SampleClip(const snCrowd *crowd, snCrowdWorker *worker, int member)
{
    const snCharacter *c = crowd->character;
    snMember *m = snCrowd_Member(crowd, member);
    const snClip *clip = m->clip >= 0 ? &c->clips[m->clip] : NULL;
    snCharacter_Pose(c, clip, clip ? clip->start + m->time : 0, &worker->pose);
    memcpy(snCrowd_Joints(crowd, member), worker->pose.global,
           (size_t)c->skeleton.jointCount * sizeof(snAffine));
    memcpy(snCrowd_Morphs(crowd, member), worker->pose.morphs,
           (size_t)c->morphCount * sizeof(double));
}

// Full motion reads scales of joints from their local transforms (scaled.c).
static void findLocals(const snCrowd *crowd, const snAffine *joints, snPose *pose)
{
    const snSkeleton *skeleton = &crowd->character->skeleton;
    for (int j = 0; j < skeleton->jointCount; j++) {
        int parent = skeleton->joints[j].parent;
        bool flat = parent >= 0 && snDet(joints[parent].linear) == 0;
        snAffine local = joints[j];
        if (parent >= 0 && !flat) local = snMulAA(snInverseAffine(joints[parent]), local);
        pose->local[j] = flat ? skeleton->joints[j].rest : snTransform_FromAffine(local);
    }
}

static bool isAtOrigin(const snStand *stand)
{
    snStand origin = {.rotation = snIdentityQuat()};
    return snStand_Same(stand, &origin);
}

void snCrowd_ShowPose(const snCrowd *crowd, snCrowdWorker *worker, int member)
{
    const snMember *m = snCrowd_Member(crowd, member);
    const snAffine *joints = snCrowd_Joints(crowd, member);
    int count = crowd->character->skeleton.jointCount;
    bool origin = isAtOrigin(&m->stand);
    snAffine place = snStand_Affine(&m->stand);
    for (int j = 0; j < count; j++)
        worker->pose.global[j] = origin ? joints[j] : snMulAA(place, joints[j]);
    memcpy(worker->pose.morphs, snCrowd_Morphs(crowd, member),
           (size_t)crowd->character->morphCount * sizeof(double));
    if (worker->driver.shape) findLocals(crowd, joints, &worker->pose);
}

void snCrowd_PutOnRig(const snCrowd *crowd, snCrowdWorker *worker, int member,
                      const double *rigVelocity)
{
    const snLatticeModel *model = crowd->flesh->model;
    snLatticeState *state = snCrowd_Use(crowd, worker, member);
    snLatticeDrive drive = snFlesh_Drive(crowd->flesh, &worker->pose, &worker->driver);
    snLatticeState_SetShape(model, state, drive.shape);
    snLatticeState_Start(model, state, drive.rig, rigVelocity);
    snCrowd_Member(crowd, member)->started = 1;
    snCrowd_Member(crowd, member)->quiet = 0;
}

// `left` steps are to be taken, of so many ticks each: clips go on, joints of the engine come nearer.
static void movePose(const snCrowd *crowd, snCrowdWorker *worker, int member, int left, int ticks)
{
    snMember *m = snCrowd_Member(crowd, member);
    const snCharacter *c = crowd->character;
    if (m->posed) {
        const double *wanted = (const double *)(const void *)snCrowd_Wanted(crowd, member);
        double *joints = (double *)(void *)snCrowd_Joints(crowd, member);
        for (int k = 0; k < 12 * c->skeleton.jointCount; k++)
            joints[k] = left == 1 ? wanted[k] : joints[k] + (wanted[k] - joints[k]) / left;
    } else if (m->moved || (m->clip >= 0 && m->speed != 0)) {
        double length = m->clip >= 0 ? c->clips[m->clip].duration : 0;
        m->time += m->speed * ticks * crowd->flesh->model->def.step;
        if (m->speed != 0 && length > 0 && (m->time >= length || m->time < 0))
            m->time -= length * floor(m->time / length);
        snCrowd_SampleClip(crowd, worker, member);
    }
}

// ---- one step -------------------------------------------------------------------------------------------------

static bool hasField(const snCrowd *crowd)
{
    return crowd->field.drag > 0 || crowd->field.add;
}

static void applyField(const snCrowd *crowd, snCrowdWorker *worker, int member, double h,
                       snLatticeDrive *drive)
{
    const snForceField *field = &crowd->field;
    const snLatticeState *state = worker->state;
    int n = crowd->flesh->model->vertexCount;
    double *a = worker->acceleration, drag = field->drag / (1 + h * field->drag);
    for (int k = 0; k < 4 * n; k++)
        a[k] = drive->acceleration ? drive->acceleration[k] : 0;
    for (int i = 0; i < n && field->drag > 0; i++)
        for (int c = 0; c < 3; c++)
            a[4 * i + c] += drag * (field->wind[c] - state->velocity[4 * i + c]);
    if (field->add) field->add(field->user, member, n, state->position, a);
    drive->acceleration = a;
}

// Flesh that was not stepped of late begins with its rig and at its velocity.
static void catchUp(const snCrowd *crowd, snLatticeState *state, const double *rig, double h)
{
    for (int k = 0; k < 4 * crowd->flesh->model->vertexCount; k++)
        state->velocity[k] = state->rigVelocity[k] = (rig[k] - state->rig[k]) / h;
}

static void stepFlesh(const snCrowd *crowd, snCrowdWorker *worker, int member, int ticks,
                      bool fresh)
{
    snMember *m = snCrowd_Member(crowd, member);
    double h = ticks * crowd->flesh->model->def.step;
    snLatticeDrive drive = snFlesh_Drive(crowd->flesh, &worker->pose, &worker->driver);
    if (ticks > 1) drive.ladder = crowd->ladder, drive.ticks = ticks;
    if (fresh) catchUp(crowd, worker->state, drive.rig, h);
    if (hasField(crowd)) applyField(crowd, worker, member, h, &drive);
    if (!snFlesh_Step(crowd->flesh, worker->state, &drive)) m->resets++;
    m->stepped = 1;
    if (m->level != SN_DETAIL_RIG) return;
    m->amount -= FADE * ticks;
    if (m->amount > 0) return;
    m->amount = 0;
    m->started = 0;
}

static void stepOnce(const snCrowd *crowd, snCrowdWorker *worker, int member, int left, int ticks)
{
    snMember *m = snCrowd_Member(crowd, member);
    bool physics = m->level != SN_DETAIL_RIG || m->started, fresh = physics && !m->started;
    if (fresh) {
        snCrowd_ShowPose(crowd, worker, member);
        snCrowd_PutOnRig(crowd, worker, member, NULL);
    }
    if (m->level != SN_DETAIL_RIG) m->amount = 1;
    snStand next = snStand_Between(&m->stand, &m->aim, 1.0 / left);
    if (physics && m->share < 1 && !snStand_Same(&m->stand, &next)) {
        snStand between = snStand_Between(&m->stand, &next, 1 - m->share);
        snAffine motion = snStand_Motion(&m->stand, &between);
        snLatticeState_Carry(crowd->flesh->model, worker->state, &motion);
    }
    m->stand = next;
    movePose(crowd, worker, member, left, ticks);
    snCrowd_ShowPose(crowd, worker, member);
    if (physics) stepFlesh(crowd, worker, member, ticks, fresh);
}

// ---- sleeping ---------------------------------------------------------------------------------------------------

// Nothing that the member was told moves it.
static bool isLeftAlone(const snCrowd *crowd, const snMember *m)
{
    bool plays = !m->posed && m->clip >= 0 && m->speed != 0;
    return !m->moved && !plays && !hasField(crowd);
}

static bool isStill(const snCrowd *crowd, const snLatticeState *state)
{
    double most = crowd->sleep * crowd->sleep;
    for (int i = 0; i < crowd->flesh->model->vertexCount; i++) {
        const double *v = state->velocity + 4 * i;
        if (!(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] < most)) return false;
    }
    return true;
}

// ---- a call ---------------------------------------------------------------------------------------------------------

typedef struct Call {
    snCrowd *crowd;
    int steps;
    const snSurfaceBuffer *surfaces;
} Call;

// False if it was left as it is: the worker's pose is another's.
static bool stepMember(const snCrowd *crowd, snCrowdWorker *worker, int member, int steps)
{
    snMember *m = snCrowd_Member(crowd, member);
    snLatticeState *state = snCrowd_Use(crowd, worker, member);
    bool alone = isLeftAlone(crowd, m);
    m->stepped = 0;
    if (alone && (m->quiet >= QUIET_STEPS || (m->level == SN_DETAIL_RIG && !m->started)))
        return false;
    bool whole = m->level == SN_DETAIL_HALF && crowd->ladder && steps % crowd->longStep == 0;
    int ticks = whole ? crowd->longStep : 1;
    for (int left = steps / ticks; left > 0; left--)
        stepOnce(crowd, worker, member, left, ticks);
    m->moved = 0;
    m->quiet = alone && m->started && isStill(crowd, state) ? m->quiet + steps : 0;
    return steps > 0;
}

static snSurfaceBuffer bufferOf(const snSurfaceBuffer *all, int member)
{
    snSurfaceBuffer one = *all;
    size_t shift = (size_t)member * all->memberStride;
    one.positions = (float *)(void *)((char *)all->positions + shift);
    if (all->normals) one.normals = (float *)(void *)((char *)all->normals + shift);
    return one;
}

static void stepPiece(int begin, int end, int worker, void *context)
{
    Call *call = context;
    snCrowd *crowd = call->crowd;
    for (int m = begin; m < end; m++) {
        bool posed = stepMember(crowd, &crowd->workers[worker], m, call->steps);
        if (!call->surfaces) continue;
        if (!posed) snCrowd_ShowPose(crowd, &crowd->workers[worker], m);
        snSurfaceBuffer one = bufferOf(call->surfaces, m);
        snCrowd_WriteSurface(crowd, &crowd->workers[worker], m, &one);
    }
}

static int64_t resetsOf(const snCrowd *crowd)
{
    int64_t sum = 0;
    for (int m = 0; m < crowd->memberCount; m++)
        sum += snCrowd_Member(crowd, m)->resets > 0;
    return sum;
}

int snCrowd_Step(snCrowd *crowd, int steps, const snSurfaceBuffer *surfaces)
{
    Call call = {crowd, steps, surfaces};
    snError why;
    snStatus bad = snCheckRange("steps", steps, 0, INFINITY, &why);
    if (!bad && surfaces) bad = snCheckSurface(surfaces, &why);
    if (snRefuse(&crowd->context, bad, &why)) return 0;
    for (int m = 0; m < crowd->memberCount; m++)
        snCrowd_Member(crowd, m)->resets = 0;
    if (crowd->workerCount == 1)
        stepPiece(0, crowd->memberCount, 0, &call);
    else
        snParallelFor(&crowd->context.tasks, crowd->memberCount, GRAIN, stepPiece, &call);
    crowd->steppedCount = 0;
    for (int m = 0; m < crowd->memberCount; m++)
        crowd->steppedCount += (int)snCrowd_Member(crowd, m)->stepped;
    return (int)resetsOf(crowd);
}

int snCrowd_SteppedCount(const snCrowd *crowd)
{
    return crowd->steppedCount;
}
