#include "character/borrow.h"

#include "character/rigged_parts.h"
#include "character/rules.h"
#include "character/size.h"
#include "core/elementary.h"
#include "core/error.h"

#include <string.h>

#define PI 3.14159265358979323846
#define MOST_INSIDE 0.6  // of the joints: such a skeleton was made for this surface
#define LEAST_EXTENT 0.4 // of the surface's, for it is no dwarf within
#define BEYOND 0.7       // of the last bone's length: how far flesh beyond the last joint reaches

typedef struct Job {
    snCharacter *out;
    const snCharacter *other;
    const snSolid *solid;
    const snBorrowDef *def;
    snArena *scratch;
    const snContext *context;
    unsigned char *carries; // [other's joints], 1: it may carry skin
    snError *error;
} Job;

snBorrowDef snDefaultBorrowDef(void)
{
    return (snBorrowDef){.weights = snDefaultSkinWeightDef()};
}

// ---- the skeleton ----

static snStatus findCarriers(Job *job)
{
    const snCharacter *other = job->other;
    job->carries = SN_NEW(job->scratch, unsigned char, other->skeleton.jointCount);
    if (!job->carries) return snFailMemory(job->error);
    for (int s = 0; s < other->skinCount; s++)
        for (int k = 0; k < other->skins[s].jointCount; k++)
            job->carries[other->skins[s].joints[k]] = 1;
    if (!other->skinCount) memset(job->carries, 1, (size_t)other->skeleton.jointCount);
    return SN_OK;
}

// A recording's rest has its root at the offset, mostly zero; its motion begins elsewhere. So that
// the surface is where the motion is, the roots rest where their first keys put them.
static void restAtFirstKey(snSkeleton *skeleton, const snCharacter *other)
{
    const snClip *clip = other->clipCount ? &other->clips[0] : NULL;
    for (int c = 0; clip && !other->skinCount && c < clip->channelCount; c++) {
        const snChannel *channel = &clip->channels[c];
        if (channel->path != SN_PATH_TRANSLATION || channel->interpolation == SN_CUBIC) continue;
        if (other->skeleton.joints[channel->joint].parent >= 0) continue;
        skeleton->joints[channel->joint + 1].rest.translation = snVec(
            (double)channel->values[0], (double)channel->values[1], (double)channel->values[2]);
    }
}

// All joints of the other, one number later, below the new root.
static snStatus copySkeleton(Job *job)
{
    const snSkeleton *from = &job->other->skeleton;
    snSkeleton *to = &job->out->skeleton;
    snArena *arena = &job->out->arena;
    snTransform none = {{0, 0, 0}, snIdentityQuat(), {1, 1, 1}};
    to->joints = SN_NEW(arena, snJoint, from->jointCount + 1);
    if (!to->joints) return snFailMemory(job->error);
    to->jointCount = from->jointCount + 1;
    to->joints[0] =
        (snJoint){.name = SN_BORROW_ROOT, .parent = -1, .rest = none, .matrix = snIdentityAffine()};
    for (int j = 0; j < from->jointCount; j++) {
        snJoint *joint = &to->joints[j + 1];
        *joint = from->joints[j];
        joint->parent++;
        joint->fileNode = j + 1;
        joint->name = snRigged_CopyText(arena, from->joints[j].name);
        if (!joint->name) return snFailMemory(job->error);
    }
    restAtFirstKey(to, job->other);
    return SN_OK;
}

// ---- fitting ----

static int countInside(const Job *job, const snAffine *global, int *outside)
{
    int count = 0;
    *outside = 0;
    for (int j = 0; j < job->other->skeleton.jointCount; j++) {
        if (!job->carries[j]) continue;
        count++;
        *outside += !snSolid_Inside(job->solid, global[j + 1].origin);
    }
    return count;
}

// The box to be laid over that of the surface: around the other's own surface, else its joints.
static snStatus otherBox(const Job *job, const snAffine *global, snBox *box)
{
    snSize size;
    *box = snEmptyBox();
    if (job->other->skinCount) {
        snStatus status = snMeasureSize(&size, job->other, job->context, job->error);
        snVec3 ends[2] = {size.box.lower, size.box.upper};
        for (int i = 0; i < 8 && !status; i++) {
            snVec3 corner = {ends[i & 1].x, ends[i >> 1 & 1].y, ends[i >> 2].z};
            *box = snBoxAdd(*box, snMulAP(global[0], corner));
        }
        return status;
    }
    for (int j = 0; j < job->other->skeleton.jointCount; j++)
        *box = snBoxAdd(*box, global[j + 1].origin);
    return SN_OK;
}

static double extentOf(snBox box)
{
    snVec3 e = snSub(box.upper, box.lower);
    double longest = fmax(e.x, fmax(e.y, e.z));
    return e.y > 0.05 * longest ? e.y : longest;
}

// p -> scale p + offset, p turned already: global[0] has the turn alone.
static snStatus fit(Job *job, const snAffine *global, snBorrowReport *report)
{
    const snBorrowDef *def = job->def;
    snBox box, own = job->solid->bounds;
    int outside, count = countInside(job, global, &outside);
    bool fits = count - outside >= MOST_INSIDE * count;
    report->scale = def->scale > 0 ? def->scale : 1;
    report->offset = def->hasOffset ? def->offset : snVec(0, 0, 0);
    snStatus status = otherBox(job, global, &box);
    if (status) return status;
    double extent = extentOf(box);
    if (fits && !(def->scale > 0) && extent > LEAST_EXTENT * extentOf(own)) return SN_OK;
    if (!(def->scale > 0)) {
        if (!(extent > 0) || !isfinite(extent))
            return snFail(job->error, SN_ERROR_GEOMETRY,
                          "its joints are all in one place, so that their size cannot be fitted");
        report->scale = extentOf(own) / extent;
    }
    if (def->hasOffset) return SN_OK;
    snVec3 middle = snScale(0.5 * report->scale, snAdd(box.lower, box.upper));
    snVec3 target = snScale(0.5, snAdd(own.lower, own.upper));
    report->offset = snSub(target, middle);
    report->offset.y = own.lower.y - report->scale * box.lower.y;
    return SN_OK;
}

static snStatus fitSkeleton(Job *job, snPose *rest, snBorrowReport *report)
{
    snSkeleton *skeleton = &job->out->skeleton;
    double half = job->def->turn * (PI / 360);
    skeleton->joints[0].rest.rotation = (snQuat){0, snSin(half), 0, snCos(half)};
    snStatus status = snPose_Make(rest, skeleton, 0, job->scratch, job->error);
    if (!status) status = fit(job, rest->global, report);
    if (status) return status;
    double s = report->scale;
    skeleton->joints[0].rest.translation = report->offset;
    skeleton->joints[0].rest.scale = snVec(s, s, s);
    snPose_SetRest(rest, skeleton);
    snPose_Globals(rest, skeleton);
    report->jointCount = countInside(job, rest->global, &report->outside);
    return SN_OK;
}

// ---- binding ----

static bool isEnd(const char *name)
{
    size_t length = strlen(name);
    return length >= 4 && !strcmp(name + length - 4, ".end");
}

// How far flesh reaches beyond the last joint of a chain: as long as that is inside.
static snVec3 beyond(const Job *job, snVec3 from, snVec3 at)
{
    snVec3 step = snScale(BEYOND / 16, snSub(at, from)), tip = at;
    for (int i = 0; i < 16 && snSolid_Inside(job->solid, snAdd(tip, step)); i++)
        tip = snAdd(tip, step);
    return tip;
}

// Bones as straight joints in world space, for the weights alone: those that carry, and tips beyond
// the last ones. skinJoint[] and skin are filled on the way.
static snStatus makeBones(Job *job, const snPose *rest, snSkeleton *bones, int *skinJoint,
                          snSkin *skin)
{
    const snSkeleton *all = &job->out->skeleton;
    int n = all->jointCount;
    int *boneOf = SN_NEW(job->scratch, int, n); // which joint of `bones`, itself or above it; -1
    unsigned char *parent = SN_NEW(job->scratch, unsigned char, n); // 1: something follows it
    if (!boneOf || !parent) return snFailMemory(job->error);
    boneOf[0] = -1;
    for (int j = 1; j < n; j++) {
        int above = boneOf[all->joints[j].parent], own = bones->jointCount;
        boneOf[j] = above;
        if (!job->carries[j - 1]) continue;
        snVec3 at = rest->global[j].origin;
        snVec3 from = above >= 0 ? rest->global[skin->joints[above]].origin : snVec(0, 0, 0);
        bones->joints[own] = (snJoint){.name = all->joints[j].name,
                                       .parent = above,
                                       .rest = {snSub(at, from), snIdentityQuat(), {1, 1, 1}}};
        if (above >= 0) parent[above] = 1;
        skin->joints[own] = j;
        skin->inverseBind[own] = snInverseAffine(rest->global[j]);
        skinJoint[own] = boneOf[j] = own;
        bones->jointCount++;
    }
    skin->jointCount = bones->jointCount;
    for (int b = 0; b < skin->jointCount; b++) {
        int above = bones->joints[b].parent;
        if (parent[b] || above < 0 || isEnd(bones->joints[b].name)) continue;
        snVec3 at = rest->global[skin->joints[b]].origin;
        snVec3 tip = beyond(job, rest->global[skin->joints[above]].origin, at);
        skinJoint[bones->jointCount] = b;
        bones->joints[bones->jointCount++] = (snJoint){
            .name = "", .parent = b, .rest = {snSub(tip, at), snIdentityQuat(), {1, 1, 1}}};
    }
    return SN_OK;
}

static snStatus bindSurface(Job *job, const snPose *rest)
{
    int n = job->out->skeleton.jointCount;
    snArena *arena = &job->out->arena;
    snSkeleton bones = {0, SN_NEW(job->scratch, snJoint, 2 * (size_t)n)};
    int *skinJoint = SN_NEW(job->scratch, int, 2 * (size_t)n);
    snSkin *skin = job->out->skins = SN_NEW(arena, snSkin, 1);
    if (!bones.joints || !skinJoint || !skin) return snFailMemory(job->error);
    *skin = (snSkin){"skin", 0, SN_NEW(arena, int, n), SN_NEW(arena, snAffine, n)};
    if (!skin->joints || !skin->inverseBind) return snFailMemory(job->error);
    job->out->skinCount = 1;
    char label[SN_JOINT_LABEL];
    snStatus status = makeBones(job, rest, &bones, skinJoint, skin);
    if (status) return status;
    for (int k = 0; k < skin->jointCount; k++)
        if (!(fabs(snDet(rest->global[skin->joints[k]].linear)) > 0))
            return snFail(job->error, SN_ERROR_GEOMETRY,
                          "joint '%.100s' is flat at rest (a scale of 0)",
                          snSkeleton_Label(&job->out->skeleton, skin->joints[k], label));
    return snRigged_Bind(job->out, job->solid, &bones, skinJoint, &job->def->weights, job->context,
                         job->error);
}

// ---- clips ----

static snStatus copyClip(Job *job, const snClip *from, snClip *to)
{
    snArena *arena = &job->out->arena;
    *to = *from;
    to->name = snRigged_CopyText(arena, from->name);
    to->channels = SN_NEW(arena, snChannel, from->channelCount);
    to->channelCount = 0;
    to->held = SN_COPY(arena, snHeldKeys, from->held, from->heldCount);
    if (!to->name || !to->channels || (from->heldCount && !to->held))
        return snFailMemory(job->error);
    for (int i = 0; i < to->heldCount; i++)
        to->held[i].joint += to->held[i].joint >= 0;
    for (int c = 0; c < from->channelCount; c++) {
        snChannel channel = from->channels[c];
        if (channel.path == SN_PATH_MORPHS) continue; // of a surface that stays behind
        size_t values = (size_t)channel.keyCount * (size_t)channel.width *
                        (channel.interpolation == SN_CUBIC ? 3u : 1u);
        channel.joint++;
        channel.times = SN_COPY(arena, float, channel.times, channel.keyCount);
        channel.values = SN_COPY(arena, float, channel.values, values);
        if (!channel.times || !channel.values) return snFailMemory(job->error);
        to->channels[to->channelCount++] = channel;
    }
    return SN_OK;
}

static snStatus copyClips(Job *job)
{
    const snCharacter *other = job->other;
    job->out->clips = SN_NEW(&job->out->arena, snClip, other->clipCount);
    if (!job->out->clips) return snFailMemory(job->error);
    snStatus status = SN_OK;
    for (int i = 0; i < other->clipCount && !status; i++)
        status = copyClip(job, &other->clips[i], &job->out->clips[i]);
    job->out->clipCount = other->clipCount;
    return status;
}

// ---- all ----

static snStatus borrow(Job *job, const snCharacter *bare, snBorrowReport *report)
{
    snPose rest;
    snStatus status = findCarriers(job);
    if (!status) status = copySkeleton(job);
    if (!status) status = fitSkeleton(job, &rest, report);
    if (!status) status = snRigged_CopySurface(job->out, bare, job->error);
    if (!status) status = bindSurface(job, &rest);
    if (!status) status = copyClips(job);
    return status;
}

snStatus snBorrowRig(snCharacter *rigged, const snCharacter *bare, const snSolid *solid,
                     const snCharacter *other, const snBorrowDef *def, snBorrowReport *report,
                     const snContext *context, snError *error)
{
    *rigged = (snCharacter){0};
    *report = (snBorrowReport){0};
    if (bare->skinCount > 0)
        return snFail(error, SN_ERROR_ARGUMENT, "the character has a skin already");
    if (other->skeleton.jointCount == 0)
        return snFail(error, SN_ERROR_ARGUMENT, "there is no joint in it");
    rigged->arena = snMakeArena(context);
    snArena scratch = snMakeArena(context);
    Job job = {rigged, other, solid, def, &scratch, context, NULL, error};
    snStatus status = borrow(&job, bare, report);
    snArena_Destroy(&scratch);
    if (status) snCharacter_Destroy(rigged);
    return status;
}
