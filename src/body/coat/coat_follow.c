// Following a clip: at each step's begin joints get the clip's turns at its end as targets, with springs (strength.h) over the inertia
// of what is beyond them, times the key's factors. Their damping is relative to the clip's own spin, so that motion that is followed costs
// nothing. A free root is carried by a hand, a spring of the whole's mass, which takes its weight: a strong one is the clip, with a weak
// one the body is thrown off when it is hit, and catches up.
#include "body/coat/coat_follow.h"

#include "body/coat/coat_parts.h"
#include "body/coat/coat_skeleton.h"
#include "core/elementary.h"
#include "core/error.h"

#define STILL 1e-7 // radians, or of all bones' length, in a step: a clip stands still

snCoatFollowDef snDefaultCoatFollowDef(void)
{
    return (snCoatFollowDef){.speed = 1, .strength = snDefaultStrength()};
}

static snStatus check(const snCoatFollowDef *def, snError *error)
{
    bool good = def->unit >= 0 && isfinite(def->unit) && isfinite(def->start + def->speed);
    if (!good || (def->clip && !def->skeleton))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a clip has %g m per unit, start %g s and speed %g: they must be finite, and "
                      "the unit not below 0",
                      def->unit, def->start, def->speed);
    return snStrength_Check(&def->strength, error);
}

// As long as the coat's bones are, over the clip's, where both have them.
static double findUnit(const snCoatFollow *f, const snSkeleton *own)
{
    double coat = 0, clip = 0;
    for (int j = 0; j < own->jointCount; j++) {
        int at = f->jointOf[j], parent = own->joints[j].parent;
        if (at < 0 || parent < 0 || f->jointOf[parent] < 0) continue;
        coat += snLength(own->joints[j].rest.translation);
        clip += snDistance(f->pose.global[at].origin, f->pose.global[f->jointOf[parent]].origin);
    }
    return coat > 0 && clip > 0 ? coat / clip : 1;
}

snStatus snCoatFollow_Make(snCoatBody *b, const snCoatFollowDef *def, snError *error)
{
    const snSkeleton *own = b->coating->plan.skeleton;
    snArena *arena = &b->arena;
    int n = def->skeleton ? def->skeleton->jointCount : 0, found = 0;
    snStatus status = check(def, error);
    snCoatFollow *f = b->follow = status ? NULL : SN_NEW(arena, snCoatFollow, 1);
    if (!f) return status ? status : snFailMemory(error);
    f->def = *def;
    f->jointOf = SN_NEW(arena, int, own->jointCount);
    f->turns = SN_NEW(arena, snQuat, own->jointCount);
    f->ahead = SN_NEW(arena, snQuat, own->jointCount);
    f->frames = SN_NEW(arena, snAffine, n);
    f->place = snIdentityAffine();
    if (!f->jointOf || !f->turns || !f->ahead || !f->frames) return snFailMemory(error);
    if (def->skeleton) status = snPose_Make(&f->pose, def->skeleton, 0, arena, error);
    if (!status)
        status = snStrength_Copy(&f->def.strength, &def->strength, own->jointCount, arena, error);
    if (status) return status;
    for (int j = 0; j < own->jointCount; j++) {
        f->jointOf[j] = def->skeleton ? snSkeleton_Find(def->skeleton, own->joints[j].name) : -1;
        found += f->jointOf[j] >= 0;
    }
    if (def->clip && !found)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "the clip's skeleton has no joint that is called as one of the coat's");
    if (def->unit > 0 || !def->skeleton) return SN_OK;
    snPose_SetRest(&f->pose, def->skeleton);
    snPose_Globals(&f->pose, def->skeleton);
    f->def.unit = findUnit(f, own);
    return SN_OK;
}

// ---- the clip -----------------------------------------------------------------------------------

static double clipTime(const snCoatFollow *f, int64_t ticks, double step)
{
    double time = f->def.start + f->def.speed * ((double)ticks * step);
    double duration = f->def.clip->duration;
    if (f->def.loop && duration > 0) time -= duration * floor(time / duration);
    return f->def.clip->start + time;
}

// The turns of the coat's joints in their parents, and where the root is, at a tick.
static void sampleAt(const snCoatBody *b, int64_t ticks, snQuat *turns, snAffine *root)
{
    snCoatFollow *f = b->follow;
    const snSkeleton *own = b->coating->plan.skeleton;
    *root = snMulAA(f->place, snTransform_ToAffine(own->joints[0].rest));
    for (int j = 0; j < own->jointCount; j++)
        turns[j] = own->joints[j].rest.rotation;
    if (!f->def.clip) return;
    snPose_SetRest(&f->pose, f->def.skeleton);
    snClip_Sample(f->def.clip, clipTime(f, ticks, b->body.step), &f->pose);
    snPose_Globals(&f->pose, f->def.skeleton);
    snRigidFrames(f->pose.global, f->def.skeleton->jointCount, f->def.unit, f->frames);
    for (int j = 0; j < own->jointCount; j++) {
        int at = f->jointOf[j], parent = own->joints[j].parent;
        int above = parent >= 0 ? f->jointOf[parent] : -1;
        if (at < 0 || (parent >= 0 && above < 0)) continue;
        snMat3 turn = f->frames[at].linear;
        if (parent >= 0) turn = snMulTMM(f->frames[above].linear, turn);
        turns[j] = snQuatFromMat(turn);
    }
    if (f->jointOf[0] >= 0) *root = snMulAA(f->place, f->frames[f->jointOf[0]]);
}

static void sample(snCoatBody *b, snAffine *root)
{
    sampleAt(b, b->follow->ticks, b->follow->turns, root);
}

// ---- a step -------------------------------------------------------------------------------------

static void strengthen(snCoatBody *b, const snStrengthKey *key)
{
    const snSkeleton *s = b->coating->plan.skeleton;
    const snStrength *strength = &b->follow->def.strength;
    snJointDrive *drives = snArticulatedState_Drives(b->state);
    for (int j = 0; j < s->jointCount; j++) {
        int parent = s->joints[j].parent, l = b->linkOf[j];
        if (parent < 0 || l == b->linkOf[parent]) continue;
        double omega = 2 * SN_PI * key->strength * snStrength_Of(strength, j);
        snStrengthSpring spring = snStrength_Spring(1, omega, strength->damping);
        drives[l].stiffness = spring.stiffness * b->beyond[l];
        drives[l].damping = spring.damping * b->beyond[l];
        if (key->strength == 0) drives[l].spin = snVec(0, 0, 0);
    }
}

static void carryRoot(snCoatBody *b, const snAffine *root, double hand)
{
    snCoatFollow *f = b->follow;
    snJointDrive *drive = &snArticulatedState_Drives(b->state)[b->linkOf[0]];
    snArticulatedMeasure m;
    double omega = 2 * SN_PI * hand, h = b->body.step;
    snQuat turn = snQuatFromMat(root->linear);
    snVec3 axis = snTurnFromTo(drive->target, turn);
    snArticulated_Measure(b->tree, b->state, b->step.gravity, &m);
    snStrengthSpring spring = snStrength_Spring(1, omega, 0);
    drive->stiffness = spring.stiffness * b->beyond[b->linkOf[0]];
    drive->damping = spring.damping * b->beyond[b->linkOf[0]];
    drive->pull = spring.stiffness * m.mass;
    drive->drag = spring.damping * m.mass;
    drive->spin = snScale(1 / h, axis);
    drive->velocity = snScale(1 / h, snSub(root->origin, drive->place));
    drive->target = turn;
    drive->place = root->origin;
    f->lift = snScale(-snStrength_Lifted(hand) * m.mass, b->step.gravity);
}

void snCoatFollow_Begin(snCoatBody *b)
{
    snCoatFollow *f = b->follow;
    snAffine root;
    f->ticks += b->step.ticks > 0 ? b->step.ticks : 1;
    snStrengthKey key = snStrength_At(&f->def.strength, (double)f->ticks * b->body.step);
    sample(b, &root);
    snCoatBody_SetPose(&b->body, f->turns);
    strengthen(b, &key);
    f->lift = snVec(0, 0, 0);
    if (b->def.fixed)
        snCoatBody_Lead(&b->body, root.origin, snQuatFromMat(root.linear));
    else
        carryRoot(b, &root, key.hand * f->def.strength.hand);
}

// At the whole's centre, as it is now.
void snCoatFollow_Lift(snCoatBody *b)
{
    snArticulatedMeasure m;
    if (!(snLengthSquared(b->follow->lift) > 0)) return;
    snArticulated_Measure(b->tree, b->state, b->step.gravity, &m);
    snArticulated_Push(b->tree, b->state, b->linkOf[0], m.center, b->follow->lift);
}

// In the clip's pose of the present tick, still.
void snCoatFollow_Put(snCoatBody *b, const snAffine *where)
{
    const snSkeleton *s = b->coating->plan.skeleton;
    snLinkState *links = snArticulatedState_Links(b->state);
    snJointDrive *drives = snArticulatedState_Drives(b->state);
    snAffine root;
    b->follow->place = *where;
    sample(b, &root);
    for (int j = 0; j < s->jointCount; j++) {
        int parent = s->joints[j].parent, l = b->linkOf[j];
        if (parent >= 0 && l == b->linkOf[parent]) continue;
        links[l] = (snLinkState){.rotation = b->follow->turns[j]};
        drives[l].target = b->follow->turns[j];
        if (parent >= 0) continue;
        links[l].rotation = drives[l].target = snQuatFromMat(root.linear);
        links[l].place = drives[l].place = root.origin;
    }
    snArticulated_Update(b->tree, b->state);
}

// ---- sleeping -----------------------------------------------------------------------------------

static bool turnsBy(snQuat p, snQuat q)
{
    return 1 - fabs(p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w) > 0.5 * STILL * STILL + 1e-15;
}

static bool isSlack(const snStrength *strength, const snStrengthKey *key)
{
    return key->strength == 0 && key->hand * strength->hand == 0;
}

// m, of all its bones.
static double bonesOf(const snCoatBody *b)
{
    const snSkeleton *s = b->coating->plan.skeleton;
    double sum = 0;
    for (int j = 1; j < s->jointCount; j++)
        sum += snLength(s->joints[j].rest.translation);
    return sum;
}

// A coat without any strength does not feel its clip, unless its root is led.
bool snCoatFollow_Stirs(const snCoatBody *b, int ticks)
{
    const snCoatFollow *f = b->follow;
    const snStrength *strength = &f->def.strength;
    int64_t end = f->ticks + ticks;
    snStrengthKey now = snStrength_At(strength, (double)f->ticks * b->body.step);
    snStrengthKey then = snStrength_At(strength, (double)end * b->body.step);
    snAffine root[2];
    if (now.strength != then.strength || now.hand != then.hand) return true;
    if (!f->def.clip || (!b->def.fixed && isSlack(strength, &then))) return false;
    sampleAt(b, f->ticks, f->turns, &root[0]);
    sampleAt(b, end, f->ahead, &root[1]);
    bool any = snDistance(root[0].origin, root[1].origin) > STILL * bonesOf(b) ||
               turnsBy(snQuatFromMat(root[0].linear), snQuatFromMat(root[1].linear));
    for (int j = 0; j < b->coating->plan.skeleton->jointCount && !any; j++)
        any = turnsBy(f->turns[j], f->ahead[j]);
    return any;
}

// Targets are the clip's of that time: who wakes does not feel all of what it did in between as a blow.
void snCoatFollow_Pass(snCoatBody *b, int ticks)
{
    const snSkeleton *s = b->coating->plan.skeleton;
    snJointDrive *drives = snArticulatedState_Drives(b->state);
    snAffine root;
    if (!b->follow->def.clip && !b->follow->def.strength.keyCount) return;
    b->follow->ticks += ticks;
    sample(b, &root);
    for (int j = 0; j < s->jointCount; j++) {
        int parent = s->joints[j].parent, l = b->linkOf[j];
        if (parent >= 0 && l == b->linkOf[parent]) continue;
        drives[l].target = parent >= 0 ? b->follow->turns[j] : snQuatFromMat(root.linear);
        if (parent < 0) drives[l].place = root.origin;
    }
}
