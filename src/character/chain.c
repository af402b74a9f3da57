#include "character/chain.h"

#include "core/array.h"
#include "core/error.h"

#include <stdlib.h>
#include <string.h>

#define SAMPLE (1.0 / 120) // s between samples of what is curved
#define JUST_BEFORE 1e-4   // s before a step: its old value
#define APART 2e-5         // s between keys, at least
#define LONGEST 36000.0    // s of a chain

typedef struct Segment {
    const snClip *clip;
    double start; // in the chain
    double blend; // s over which the next one comes in; 0 for the last
} Segment;

// One property that some clip of the chain moves.
typedef struct Track {
    int joint;
    snPath path;
    int width;
} Track;

typedef struct Chain {
    const snCharacter *character;
    const snChainDef *def;
    Segment *segments; // [def->clipCount]
    snPose a, b;
    snArena *arena;
    snArena scratch;
    int timeCount, timeCapacity;
    double *times; // of the track at hand
} Chain;

// ---- when ------------------------------------------------------------------------------------------

static double least(double a, double b)
{
    return a < b ? a : b;
}

static bool isNear(snAffine a, snAffine b, double extent)
{
    double turned = snNormSquaredM(snAddMM(a.linear, snScaleM(-1, b.linear)));
    return snDistance(a.origin, b.origin) <= 1e-3 * extent &&
           turned <= 1e-4 * snNormSquaredM(a.linear);
}

// Whether a clip ends in the pose in which the next one begins.
static bool meet(Chain *chain, const snClip *last, const snClip *next)
{
    const snCharacter *c = chain->character;
    double extent = 0;
    snCharacter_Pose(c, last, last->start + last->duration, &chain->a);
    snCharacter_Pose(c, next, next->start, &chain->b);
    for (int j = 0; j < c->skeleton.jointCount; j++)
        extent = fmax(extent, snDistance(chain->a.global[j].origin, chain->a.global[0].origin));
    for (int j = 0; j < c->skeleton.jointCount; j++)
        if (!isNear(chain->a.global[j], chain->b.global[j], extent)) return false;
    for (int m = 0; m < c->morphCount; m++)
        if (fabs(chain->a.morphs[m] - chain->b.morphs[m]) > 1e-3) return false;
    return true;
}

static void placeClips(Chain *chain)
{
    double at = 0;
    for (int i = 0; i < chain->def->clipCount; i++) {
        Segment *own = &chain->segments[i];
        own->clip = &chain->character->clips[chain->def->clips[i]];
        own->start = at;
        own->blend = 0;
        at += own->clip->duration;
        if (i + 1 == chain->def->clipCount) break;
        const snClip *next = &chain->character->clips[chain->def->clips[i + 1]];
        own->blend = least(chain->def->blend, 0.5 * least(own->clip->duration, next->duration));
        if (own->blend < SAMPLE) own->blend = 0;
        if (own->blend > 0)
            at -= own->blend;
        else if (!meet(chain, own->clip, next))
            at += SN_CHAIN_GAP;
    }
}

static double endOf(const Segment *segment)
{
    return segment->start + segment->clip->duration;
}

// ---- keys of one track --------------------------------------------------------------------------------

static const snChannel *channelOf(const snClip *clip, const Track *track)
{
    for (int i = 0; i < clip->channelCount; i++) {
        const snChannel *own = &clip->channels[i];
        if (own->path == track->path && own->joint == track->joint && own->keyCount > 0) return own;
    }
    return NULL;
}

static bool addTime(Chain *chain, double time)
{
    if (chain->timeCount == chain->timeCapacity) {
        int more = chain->timeCapacity ? 2 * chain->timeCapacity : 256;
        double *grown = SN_NEW(&chain->scratch, double, more);
        if (!grown) return false;
        if (chain->timeCount) memcpy(grown, chain->times, (size_t)chain->timeCount * sizeof *grown);
        chain->times = grown;
        chain->timeCapacity = more;
    }
    chain->times[chain->timeCount++] = time;
    return true;
}

// Evenly over an interval, without its ends.
static bool addSamples(Chain *chain, double from, double to)
{
    int count = (int)ceil((to - from) / SAMPLE - 1e-9);
    for (int k = 1; k < count; k++)
        if (!addTime(chain, from + (to - from) * k / count)) return false;
    return true;
}

// The ends of a clip, the keys between them, and what their interpolation needs besides.
static bool addKeys(Chain *chain, const Segment *segment, const snChannel *channel)
{
    double shift = segment->start - segment->clip->start;
    bool good = addTime(chain, segment->start) && addTime(chain, endOf(segment));
    for (int k = 0; channel && k < channel->keyCount && good; k++) {
        double time = (double)channel->times[k] + shift;
        double last = k ? (double)channel->times[k - 1] + shift : time;
        good = addTime(chain, time);
        if (k && good && channel->interpolation == SN_STEP && time - last > 2 * JUST_BEFORE)
            good = addTime(chain, time - JUST_BEFORE);
        if (k && good && channel->interpolation == SN_CUBIC) good = addSamples(chain, last, time);
    }
    if (good && segment->blend > 0)
        good = addTime(chain, endOf(segment) - segment->blend) &&
               addSamples(chain, endOf(segment) - segment->blend, endOf(segment));
    return good;
}

// All times at which the track gets a key, ascending.
static bool findTimes(Chain *chain, const Track *track)
{
    int kept = 0;
    chain->timeCount = 0;
    for (int i = 0; i < chain->def->clipCount; i++)
        if (!addKeys(chain, &chain->segments[i], channelOf(chain->segments[i].clip, track)))
            return false;
    qsort(chain->times, (size_t)chain->timeCount, sizeof(double), snCompareDoubles);
    for (int k = 0; k < chain->timeCount; k++) {
        double last = kept ? chain->times[kept - 1] : -1, time = chain->times[k];
        if (time - last > APART && (float)time > (float)last) chain->times[kept++] = time;
    }
    chain->timeCount = kept;
    return true;
}

// ---- values -------------------------------------------------------------------------------------------

// What a clip says about the track at a time of the chain, in a pose that is at rest else.
static void sample(Chain *chain, const Segment *segment, const Track *track, double time,
                   snPose *pose)
{
    const snCharacter *c = chain->character;
    const snChannel *channel = channelOf(segment->clip, track);
    snClip alone = {.channelCount = 1, .channels = (snChannel *)channel};
    double local = time - segment->start;
    local = local < 0 ? 0 : least(local, segment->clip->duration);
    for (int i = 0; i < track->width && track->path == SN_PATH_MORPHS; i++)
        pose->morphs[track->joint + i] = c->restMorphs[track->joint + i];
    if (track->path != SN_PATH_MORPHS)
        pose->local[track->joint] = c->skeleton.joints[track->joint].rest;
    if (channel) snClip_Sample(&alone, segment->clip->start + local, pose);
}

static void mix(const Track *track, snPose *a, const snPose *b, double u)
{
    if (track->path == SN_PATH_MORPHS) {
        for (int i = track->joint; i < track->joint + track->width; i++)
            a->morphs[i] += u * (b->morphs[i] - a->morphs[i]);
        return;
    }
    snTransform *own = &a->local[track->joint];
    const snTransform *other = &b->local[track->joint];
    own->translation = snLerp(own->translation, other->translation, u);
    own->rotation = snSlerp(own->rotation, other->rotation, u);
    own->scale = snLerp(own->scale, other->scale, u);
}

static void store(const Track *track, const snPose *pose, float *out)
{
    if (track->path == SN_PATH_MORPHS) {
        for (int i = 0; i < track->width; i++)
            out[i] = (float)pose->morphs[track->joint + i];
        return;
    }
    const snTransform *own = &pose->local[track->joint];
    snVec3 v = track->path == SN_PATH_SCALE ? own->scale : own->translation;
    double values[4] = {v.x, v.y, v.z, 0};
    if (track->path == SN_PATH_ROTATION)
        memcpy(values,
               (double[4]){own->rotation.x, own->rotation.y, own->rotation.z, own->rotation.w},
               sizeof values);
    for (int i = 0; i < track->width; i++)
        out[i] = (float)values[i];
}

// The segment that plays at a time: the first that has not ended.
static int segmentAt(const Chain *chain, double time)
{
    int i = 0;
    while (i + 1 < chain->def->clipCount && time > endOf(&chain->segments[i]) + APART)
        i++;
    return i;
}

static void evaluate(Chain *chain, const Track *track, double time, float *out)
{
    int i = segmentAt(chain, time);
    const Segment *own = &chain->segments[i];
    double begin = endOf(own) - own->blend;
    sample(chain, own, track, time, &chain->a);
    if (own->blend > 0 && time > begin) {
        double t = least((time - begin) / own->blend, 1);
        sample(chain, own + 1, track, time, &chain->b);
        mix(track, &chain->a, &chain->b, t * t * (3 - 2 * t));
    }
    store(track, &chain->a, out);
}

static snStatus fillChannel(Chain *chain, const Track *track, snChannel *out, snError *error)
{
    if (!findTimes(chain, track)) return snFailMemory(error);
    size_t width = (size_t)track->width, count = (size_t)chain->timeCount;
    float *times = SN_NEW(chain->arena, float, count);
    float *values = SN_NEW(chain->arena, float, count *width);
    if (!times || !values) return snFailMemory(error);
    for (size_t k = 0; k < count; k++) {
        times[k] = (float)chain->times[k];
        evaluate(chain, track, chain->times[k], values + k * width);
    }
    *out = (snChannel){track->joint, track->path, SN_LINEAR, chain->timeCount,
                       track->width, times,       values};
    return SN_OK;
}

// ---- the whole ----------------------------------------------------------------------------------------

static bool has(const snClip *clip, const snChannel *channel)
{
    for (int i = 0; i < clip->channelCount; i++)
        if (clip->channels[i].path == channel->path && clip->channels[i].joint == channel->joint)
            return true;
    return false;
}

static snStatus fillChannels(Chain *chain, snClip *out, snError *error)
{
    int most = 0;
    for (int i = 0; i < chain->def->clipCount; i++)
        most += chain->segments[i].clip->channelCount;
    out->channels = SN_NEW(chain->arena, snChannel, most);
    if (!out->channels) return snFailMemory(error);
    for (int i = 0; i < chain->def->clipCount; i++) {
        const snClip *clip = chain->segments[i].clip;
        for (int k = 0; k < clip->channelCount; k++) {
            const snChannel *channel = &clip->channels[k];
            Track track = {channel->joint, channel->path, channel->width};
            if (channel->keyCount == 0 || has(out, channel)) continue;
            snStatus status = fillChannel(chain, &track, &out->channels[out->channelCount], error);
            if (status) return status;
            out->channelCount++;
        }
    }
    return SN_OK;
}

static snStatus checkDef(const snCharacter *character, const snChainDef *def, snError *error)
{
    double total = 0;
    if (def->clipCount < 1 || def->clipCount > SN_MOST_CHAINED)
        return snFail(error, SN_ERROR_ARGUMENT, "a chain of %d clips; 1 to %d are possible",
                      def->clipCount, SN_MOST_CHAINED);
    if (!(def->blend >= 0 && def->blend <= LONGEST))
        return snFail(error, SN_ERROR_ARGUMENT, "clips cannot go over into each other in %g s",
                      def->blend);
    for (int i = 0; i < def->clipCount; i++) {
        if (def->clips[i] < 0 || def->clips[i] >= character->clipCount)
            return snFail(error, SN_ERROR_ARGUMENT, "there is no clip %d; the file has %d",
                          def->clips[i], character->clipCount);
        total += character->clips[def->clips[i]].duration;
    }
    if (!(total <= LONGEST))
        return snFail(error, SN_ERROR_ARGUMENT, "the chain is %g s long; %g are most", total,
                      LONGEST);
    return SN_OK;
}

// Keys that were held in the clips were held in the chain.
static snStatus gatherHeld(const Chain *chain, snClip *out, snError *error)
{
    int count = 0;
    for (int i = 0; i < chain->def->clipCount; i++)
        count += chain->segments[i].clip->heldCount;
    out->held = SN_NEW(chain->arena, snHeldKeys, count);
    if (!out->held) return snFailMemory(error);
    for (int i = 0; i < chain->def->clipCount; i++) {
        const Segment *segment = &chain->segments[i];
        for (int k = 0; k < segment->clip->heldCount; k++) {
            snHeldKeys held = segment->clip->held[k];
            held.first += segment->start - segment->clip->start;
            out->held[out->heldCount++] = held;
        }
    }
    return SN_OK;
}

snStatus snChainClips(snClip *out, const snCharacter *character, const snChainDef *def,
                      snArena *arena, snError *error)
{
    *out = (snClip){0};
    snStatus status = checkDef(character, def, error);
    if (status) return status;
    Chain chain = {.character = character,
                   .def = def,
                   .arena = arena,
                   .scratch = {.allocator = arena->allocator}};
    const snSkeleton *skeleton = &character->skeleton;
    chain.segments = SN_NEW(&chain.scratch, Segment, def->clipCount);
    out->name = snArena_CopyString(arena, def->name, strlen(def->name));
    if (!chain.segments || !out->name) status = snFailMemory(error);
    if (!status)
        status = snPose_Make(&chain.a, skeleton, character->morphCount, &chain.scratch, error);
    if (!status)
        status = snPose_Make(&chain.b, skeleton, character->morphCount, &chain.scratch, error);
    if (!status) {
        placeClips(&chain);
        out->duration = endOf(&chain.segments[def->clipCount - 1]);
        status = fillChannels(&chain, out, error);
        if (!status) status = gatherHeld(&chain, out, error);
    }
    snArena_Destroy(&chain.scratch);
    return status;
}
