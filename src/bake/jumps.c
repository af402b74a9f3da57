#include "bake/jumps.h"

#include "core/array.h"
#include "core/elementary.h"
#include "core/error.h"

#include <stdlib.h>

#define LONGEST (1.0 / 20) // s: a frame of the slowest usual rates
#define LEAST 0.25         // of the size
#define LEAST_TURN 0.75    // 2 sin(θ/2), 44°
#define LIMB_LEAST 0.4     // the same of joints that carry less than half of the flesh: inverse
#define LIMB_TURN 1.2      // kinematics straighten an elbow by 57° in one frame; 74°
#define LEAST_GROWTH 0.5
#define RATIO 4.0         // to what is beside a jump
#define SEAM_RATIO 1.5    // the same for the seam of a loop that does not close by itself
#define BESIDE (1.0 / 30) // s, at least, of what a jump is compared with
#define RATE_TIME (1.0 / 60)
#define INSTANT 1e-9 // s: a step key jumps from just before it

// ---- how far flesh goes ----

static snVec3 restOf(const snFlesh *flesh, int joint)
{
    return snInverseAffine(flesh->fromRest[joint]).origin;
}

int snMainJoint(const snWeightRows *skin, int point)
{
    int best = -1;
    double most = 0;
    for (int k = skin->start[point]; k < skin->start[point + 1]; k++)
        if (skin->weight[k] > most) {
            most = skin->weight[k];
            best = skin->column[k];
        }
    return best;
}

snStatus snReach_Make(snReach *reach, const snFlesh *flesh, snArena *arena, snError *error)
{
    const snSkeleton *skeleton = &flesh->character->skeleton;
    snBox box = snEmptyBox();
    int count = 0;
    reach->reach = SN_NEW(arena, double, skeleton->jointCount);
    reach->share = SN_NEW(arena, double, skeleton->jointCount);
    reach->distant = SN_NEW(arena, double, skeleton->jointCount);
    if (!reach->reach || !reach->share || !reach->distant) return snFailMemory(error);
    for (int v = 0; v < flesh->character->vertexCount; v++) {
        int joint = snMainJoint(&flesh->skin, v);
        if (joint < 0) continue;
        box = snBoxAdd(box, flesh->points[v]);
        count++;
        for (; joint >= 0; joint = skeleton->joints[joint].parent) {
            double d = snDistance(flesh->points[v], restOf(flesh, joint));
            reach->share[joint]++;
            if (isfinite(d) && d > reach->reach[joint]) reach->reach[joint] = d;
        }
    }
    for (int j = 0; j < skeleton->jointCount; j++) {
        int p = skeleton->joints[j].parent;
        reach->share[j] /= count > 0 ? count : 1;
        double scale = p < 0 ? 1 : snCbrt(fabs(snDet(snInverse3(flesh->fromRest[p].linear))));
        reach->distant[j] = isfinite(scale) ? scale : 1;
    }
    snVec3 extent = snSub(box.upper, box.lower);
    reach->size = fmax(flesh->height, fmax(extent.x, fmax(extent.y, extent.z)));
    return SN_OK;
}

static double angleBetween(snQuat a, snQuat b)
{
    double c = fabs(snDotQ(snNormalizeQ(a), snNormalizeQ(b)));
    return 2 * snAcos(c < 1 ? c : 1);
}

// How a change of a joint takes flesh.
typedef struct Change {
    double moved;        // of the size
    double turned;       // 2 sin(θ/2)
    double grown;        // of the joint's own scale
    double reach, whole; // of the size: of the flesh, and what all three are together
} Change;

static Change changeOf(const snReach *reach, int joint, const snTransform *a, const snTransform *b)
{
    snVec3 grown = snSub(b->scale, a->scale);
    Change c = {.reach = reach->reach[joint] / reach->size};
    if (!(c.reach > 0)) return c;
    c.moved = snDistance(a->translation, b->translation) * reach->distant[joint] / reach->size;
    c.turned = 2 * snSin(0.5 * angleBetween(a->rotation, b->rotation));
    c.grown = fmax(fabs(grown.x), fmax(fabs(grown.y), fabs(grown.z)));
    c.whole = c.moved + (c.turned + c.grown) * c.reach;
    return c;
}

static bool isLarge(const snReach *reach, int joint, Change c)
{
    bool limb = reach->share[joint] < 0.5;
    return c.moved >= (limb ? LIMB_LEAST : LEAST) ||
           (c.turned >= (limb ? LIMB_TURN : LEAST_TURN) && c.turned * c.reach >= LEAST) ||
           (c.grown >= LEAST_GROWTH && c.grown * c.reach >= LEAST);
}

// ---- finding them ----

typedef struct Finder {
    const snCharacter *character;
    const snReach *reach;
    const snClip *clip;
    const snContext *context;
    snPose pose;
    SN_ARRAY(snJump) jumps;
} Finder;

// A joint's transform at a time from the clip's beginning, by one channel, all others at rest; or by all
// (channel NULL).
static snTransform localAt(Finder *f, snChannel *channel, int joint, double time)
{
    snClip one = {.channelCount = 1, .channels = channel};
    f->pose.local[joint] = f->character->skeleton.joints[joint].rest;
    snClip_Sample(channel ? &one : f->clip, f->clip->start + time, &f->pose);
    return f->pose.local[joint];
}

static Change changeIn(Finder *f, snChannel *channel, double from, double to)
{
    snTransform a = localAt(f, channel, channel->joint, from);
    snTransform b = localAt(f, channel, channel->joint, to);
    return changeOf(f->reach, channel->joint, &a, &b);
}

// The furthest that flesh goes in such a time, before or behind it.
static double besides(Finder *f, snChannel *channel, double from, double to)
{
    double w = fmax(to - from, BESIDE), most = 0;
    for (int k = 0; k < 2; k++) {
        most = fmax(most, changeIn(f, channel, from - (k + 1) * w, from - k * w).whole);
        most = fmax(most, changeIn(f, channel, to + k * w, to + (k + 1) * w).whole);
    }
    return most;
}

static bool add(Finder *f, snJump jump)
{
    return snArray_Push(&f->context->allocator, &f->jumps, jump);
}

// A jump that begins at a key, over as few keys as possible; *next is the key behind it.
static bool isJump(Finder *f, snChannel *channel, int key, snJump *jump, int *next)
{
    const float *times = channel->times;
    bool stepped = channel->interpolation == SN_STEP;
    for (int m = key + 1; m < channel->keyCount; m++) {
        double to = (double)times[m] - f->clip->start;
        double from = stepped ? to - INSTANT : (double)times[key] - f->clip->start;
        if (to - from > LONGEST * 1.001 || (stepped && m > key + 1)) return false;
        Change change = changeIn(f, channel, from, to);
        if (!isLarge(f->reach, channel->joint, change)) continue;
        if (change.whole < RATIO * besides(f, channel, from, to)) continue;
        *jump = (snJump){.joint = channel->joint, .from = from, .to = to};
        jump->distance = change.whole;
        *next = m;
        return true;
    }
    return false;
}

static bool findInChannel(Finder *f, snChannel *channel)
{
    if (channel->path == SN_PATH_MORPHS || !(f->reach->reach[channel->joint] > 0)) return true;
    for (int key = 0; key + 1 < channel->keyCount;) {
        snJump jump;
        int next = key + 1;
        if (isJump(f, channel, key, &jump, &next) && !add(f, jump)) return false;
        key = next;
    }
    return true;
}

// The seam of a loop that does not close: every joint by all of its channels.
static bool findAtSeam(Finder *f, double closing)
{
    double end = f->clip->duration;
    for (int j = 0; j < f->character->skeleton.jointCount; j++) {
        snTransform last = localAt(f, NULL, j, end), first = localAt(f, NULL, j, 0);
        snTransform before = localAt(f, NULL, j, end - closing);
        snTransform after = localAt(f, NULL, j, closing);
        Change change = changeOf(f->reach, j, &last, &first);
        double beside = fmax(changeOf(f->reach, j, &before, &last).whole,
                             changeOf(f->reach, j, &first, &after).whole);
        snJump jump = {.joint = j, .from = end, .to = end + closing, .distance = change.whole};
        jump.seam = true;
        if (isLarge(f->reach, j, change) && change.whole >= SEAM_RATIO * beside && !add(f, jump))
            return false;
    }
    return true;
}

// The rotation vector that takes a to b.
static snVec3 turnBetween(snQuat a, snQuat b)
{
    return snQuatToVector(snMulQQ(snNormalizeQ(b), snConjugate(snNormalizeQ(a))));
}

// E: the mean of the motion before and behind, that behind turned back to before the jump.
static void findRates(Finder *f, snJump *jump)
{
    double duration = f->clip->duration, w = RATE_TIME;
    double to = jump->seam ? 0 : jump->to;
    snTransform a = localAt(f, NULL, jump->joint, jump->from);
    snTransform b = localAt(f, NULL, jump->joint, to);
    snQuat back = snMulQQ(snNormalizeQ(a.rotation), snConjugate(snNormalizeQ(b.rotation)));
    int sides = 0;
    if (jump->from - w >= 0) {
        snTransform before = localAt(f, NULL, jump->joint, jump->from - w);
        jump->velocity = snScale(1 / w, snSub(a.translation, before.translation));
        jump->spin = snScale(1 / w, turnBetween(before.rotation, a.rotation));
        sides++;
    }
    if (to + w <= duration) {
        snTransform after = localAt(f, NULL, jump->joint, to + w);
        snVec3 velocity = snSub(after.translation, b.translation);
        snVec3 spin = turnBetween(b.rotation, after.rotation);
        jump->velocity = snMulAdd(jump->velocity, 1 / w, snRotate(back, velocity));
        jump->spin = snMulAdd(jump->spin, 1 / w, snRotate(back, spin));
        sides++;
    }
    if (sides < 2) return;
    jump->velocity = snScale(0.5, jump->velocity);
    jump->spin = snScale(0.5, jump->spin);
}

static int compareJumps(const void *a, const void *b)
{
    const snJump *x = a, *y = b;
    if (x->joint != y->joint) return x->joint < y->joint ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static int compareTimes(const void *a, const void *b)
{
    const snJump *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return x->joint < y->joint ? -1 : x->joint > y->joint;
}

// A joint that moves and turns at once has one jump, not two.
static void mergeJumps(Finder *f)
{
    snJump *list = f->jumps.data;
    int kept = 0;
    if (f->jumps.count == 0) return;
    qsort(list, (size_t)f->jumps.count, sizeof *list, compareJumps);
    for (int i = 1; i < f->jumps.count; i++) {
        snJump *last = &list[kept];
        bool same = last->joint == list[i].joint && list[i].from < last->to + INSTANT / 2 &&
                    last->seam == list[i].seam;
        if (!same)
            list[++kept] = list[i];
        else {
            last->to = fmax(last->to, list[i].to);
            last->distance += list[i].distance;
        }
    }
    f->jumps.count = kept + 1;
    for (int i = 0; i < f->jumps.count; i++)
        findRates(f, &list[i]);
    qsort(list, (size_t)f->jumps.count, sizeof *list, compareTimes);
}

snStatus snJumps_Find(snJumps *jumps, const snJumpsDef *def, const snContext *context,
                      snArena *arena, snError *error)
{
    const snCharacter *c = def->character;
    Finder f = {.character = c, .reach = def->reach, .clip = &c->clips[def->clip]};
    f.context = context;
    *jumps = (snJumps){0};
    snStatus status = snPose_Make(&f.pose, &c->skeleton, c->morphCount, arena, error);
    bool good = !status;
    for (int k = 0; k < f.clip->channelCount && good; k++)
        good = findInChannel(&f, &f.clip->channels[k]);
    if (good && def->closing > 0) good = findAtSeam(&f, def->closing);
    if (good) mergeJumps(&f);
    for (int i = 0; i < f.jumps.count && !def->loops; i++)
        f.jumps.data[i].first = f.jumps.data[i].to <= LONGEST * 1.001;
    if (good && f.jumps.count) {
        jumps->list = SN_COPY(arena, snJump, f.jumps.data, f.jumps.count);
        jumps->count = f.jumps.count;
        good = jumps->list != NULL;
    }
    snArray_Free(&context->allocator, &f.jumps);
    if (status) return status;
    return good ? SN_OK : snFailMemory(error);
}

// ---- in a step ----

bool snJumps_Meet(const snJumps *jumps, double from, double to)
{
    for (int i = 0; i < jumps->count; i++)
        if (jumps->list[i].from < to && jumps->list[i].to > from) return true;
    return false;
}

snAffine snJump_Motion(const snJump *jump, double seconds, const snTransform *a,
                       const snTransform *b)
{
    snTransform on = *a; // E L(a)
    double angle = snLength(jump->spin) * seconds;
    snVec3 axis = snNormalizeOr(jump->spin, snVec(0, 0, 1));
    on.translation = snMulAdd(a->translation, seconds, jump->velocity);
    if (angle > 0)
        on.rotation = snMulQQ(snQuatFromAxisAngle(axis, angle), snNormalizeQ(a->rotation));
    return snMulAA(snTransform_ToAffine(*b), snInverseAffine(snTransform_ToAffine(on)));
}
