// Key postures as a clip. glTF's cubic spans have a value and velocities in and out per key. For
// translations and scales they are the very curves. A rotation is a cubic of four numbers there, made
// unit: with values q and velocities ½ q ω of the curve it is off by O(h⁴), so spans between postures
// are halved until it is near enough.
#include "skeleton/postures_parts.h"

#include "core/error.h"

#include <string.h>

#define MOST_HALVINGS 8

// Velocity of a unit quaternion that turns by ω in its own frame.
static snQuat velocityOf(snQuat q, snVec3 spin)
{
    snQuat product = snMulQQ(q, (snQuat){spin.x, spin.y, spin.z, 0});
    return (snQuat){0.5 * product.x, 0.5 * product.y, 0.5 * product.z, 0.5 * product.w};
}

// How far the clip's cubic between u = a and b is from the curve, in its middle, in radians.
static double missBetween(const snRotationSpan *span, double a, double b)
{
    snVec3 spin[2];
    snQuat q[2] = {snRotationSpan_At(span, a, &spin[0]), snRotationSpan_At(span, b, &spin[1])};
    if (snDotQ(q[0], q[1]) < 0) q[1] = (snQuat){-q[1].x, -q[1].y, -q[1].z, -q[1].w};
    snQuat v[2] = {velocityOf(q[0], spin[0]), velocityOf(q[1], spin[1])}, cubic;
    snHermite(4, 0.5, (b - a) * span->length, &q[0].x, &v[0].x, &q[1].x, &v[1].x, SN_VALUE,
              &cubic.x);
    snQuat there = snConjugate(snRotationSpan_At(span, 0.5 * (a + b), NULL));
    return snLength(snQuatToVector(snMulQQ(there, snNormalizeQ(cubic))));
}

static int piecesOf(const snRotationSpan *span)
{
    int pieces = 1;
    for (int halving = 0; halving < MOST_HALVINGS; halving++) {
        double worst = 0;
        for (int i = 0; i < pieces; i++)
            worst = fmax(worst, missBetween(span, (double)i / pieces, (i + 1.0) / pieces));
        if (worst <= SN_POSTURE_ERROR) break;
        pieces *= 2;
    }
    return pieces;
}

static int spanCount(const snPostures *p)
{
    int count = p->keys.count;
    return count > 1 && p->closing > 0 ? count : count - 1;
}

// What a channel is written with: the place of the next number.
typedef struct Writer {
    float *times, *values;
    int keys, width;
} Writer;

static void writeKey(Writer *w, double time, const double *in, const double *value,
                     const double *out)
{
    const double *const parts[3] = {in, value, out};
    float *to = w->values + 3 * (size_t)w->width * (size_t)w->keys;
    w->times[w->keys++] = (float)time;
    for (int part = 0; part < 3; part++)
        for (int i = 0; i < w->width; i++)
            *to++ = (float)parts[part][i];
}

static bool beginChannel(snChannel *channel, Writer *w, int keys, int width, snArena *arena)
{
    *w = (Writer){.width = width};
    w->times = SN_NEW(arena, float, keys);
    w->values = SN_NEW(arena, float, 3 * keys * width);
    if (!w->times || !w->values) return false;
    channel->interpolation = SN_CUBIC;
    channel->keyCount = keys;
    channel->width = width;
    channel->times = w->times;
    channel->values = w->values;
    return true;
}

static bool writeNumbers(const snPostures *p, int joint, snPosturePath path, snArena *arena,
                         snChannel *channel)
{
    Writer w;
    int spans = spanCount(p);
    if (!beginChannel(channel, &w, spans + 1, 3, arena)) return false;
    for (int s = 0; s <= spans; s++) {
        int k = s % p->keys.count;
        snPostureKnot knot = snPostures_Knot(p, k);
        const snTransform *local = &knot.here->local[joint];
        const snVec3 *value = path == SN_POSTURE_PLACE ? &local->translation : &local->scale;
        snVec3 in, out;
        snPostureKnot_Tangents(&knot, joint, path, &in, &out);
        double time = knot.here->time;
        if (s == p->keys.count) time = p->keys.data[s - 1].time + p->closing;
        writeKey(&w, time, &in.x, &value->x, &out.x);
    }
    return true;
}

// Keys of one span but its last; `q` carries the sign from key to key, `in` the velocity into the next.
static void writeSpan(Writer *w, const snRotationSpan *span, double from, snQuat *q, snQuat *in)
{
    int pieces = piecesOf(span);
    for (int i = 0; i <= pieces; i++) {
        snVec3 spin;
        snQuat here = snRotationSpan_At(span, (double)i / pieces, &spin);
        if (snDotQ(here, *q) < 0) here = (snQuat){-here.x, -here.y, -here.z, -here.w};
        snQuat velocity = velocityOf(here, spin);
        if (i < pieces)
            writeKey(w, from + span->length * i / pieces, i ? &velocity.x : &in->x, &here.x,
                     &velocity.x);
        *q = here;
        *in = velocity;
    }
}

static bool writeRotations(const snPostures *p, int joint, snArena *arena, snChannel *channel)
{
    Writer w;
    int spans = spanCount(p), keys = 1;
    for (int s = 0; s < spans; s++) {
        snRotationSpan span = snPostures_RotationSpan(p, s, joint);
        keys += piecesOf(&span);
    }
    if (!beginChannel(channel, &w, keys, 4, arena)) return false;
    snQuat q = snNormalizeQ(p->keys.data[0].local[joint].rotation), in = {0};
    double time = p->keys.data[0].time;
    for (int s = 0; s < spans; s++) {
        snRotationSpan span = snPostures_RotationSpan(p, s, joint);
        writeSpan(&w, &span, p->keys.data[s].time, &q, &in);
        time = p->keys.data[s].time + span.length;
    }
    writeKey(&w, time, &in.x, &q.x, &in.x);
    return true;
}

// Whether any posture differs from rest, path by path.
static bool moves(const snPostures *p, const snSkeleton *skeleton, int joint, snPath path)
{
    const snTransform *rest = &skeleton->joints[joint].rest;
    if (skeleton->joints[joint].hasMatrix) return false;
    for (int k = 0; k < p->keys.count; k++) {
        const snTransform *local = &p->keys.data[k].local[joint];
        if (path == SN_PATH_TRANSLATION &&
            memcmp(&local->translation, &rest->translation, sizeof(snVec3)) != 0)
            return true;
        if (path == SN_PATH_SCALE && memcmp(&local->scale, &rest->scale, sizeof(snVec3)) != 0)
            return true;
        if (path == SN_PATH_ROTATION &&
            memcmp(&local->rotation, &rest->rotation, sizeof(snQuat)) != 0)
            return true;
    }
    return false;
}

static bool writeChannel(const snPostures *p, int joint, snPath path, snArena *arena,
                         snChannel *channel)
{
    channel->joint = joint;
    channel->path = path;
    if (path == SN_PATH_ROTATION) return writeRotations(p, joint, arena, channel);
    snPosturePath numbers = path == SN_PATH_SCALE ? SN_POSTURE_SCALE : SN_POSTURE_PLACE;
    return writeNumbers(p, joint, numbers, arena, channel);
}

snStatus snPostures_ToClip(const snPostures *p, const snSkeleton *skeleton, const char *name,
                           snArena *arena, snClip *clip, snError *error)
{
    SN_ASSERT(skeleton->jointCount == p->jointCount);
    static const snPath paths[3] = {SN_PATH_TRANSLATION, SN_PATH_ROTATION, SN_PATH_SCALE};
    *clip = (snClip){0};
    int last = p->keys.count - 1;
    if (last < 0)
        return snFail(error, SN_ERROR_ARGUMENT, "there are no postures to make a clip of");
    clip->name = snArena_CopyString(arena, name, strlen(name));
    clip->channels = SN_NEW(arena, snChannel, 3 * p->jointCount);
    if (!clip->name || !clip->channels) return snFailMemory(error);
    clip->start = p->keys.data[0].time;
    clip->duration = p->keys.data[last].time - clip->start + (last > 0 ? p->closing : 0);
    for (int j = 0; j < p->jointCount; j++)
        for (int i = 0; i < 3; i++) {
            if (!moves(p, skeleton, j, paths[i])) continue;
            if (!writeChannel(p, j, paths[i], arena, &clip->channels[clip->channelCount++]))
                return snFailMemory(error);
        }
    return SN_OK;
}
