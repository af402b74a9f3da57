#include "skeleton/postures_parts.h"

#include "core/error.h"

#include <string.h>

snStatus snPostures_Make(snPostures **out, int jointCount, const snContext *context, snError *error)
{
    SN_ASSERT(jointCount >= 0);
    *out = NULL;
    snPostures *p = context->allocator.allocate(context->allocator.user, sizeof *p);
    if (!p) return snFailMemory(error);
    *p = (snPostures){.context = *context, .jointCount = jointCount};
    *out = p;
    return SN_OK;
}

static void release(const snPostures *p, void *memory)
{
    p->context.allocator.release(p->context.allocator.user, memory);
}

void snPostures_Destroy(snPostures *p)
{
    if (!p) return;
    for (int k = 0; k < p->keys.count; k++)
        release(p, p->keys.data[k].local);
    snArray_Free(&p->context.allocator, &p->keys);
    release(p, p);
}

int snPostures_Count(const snPostures *p)
{
    return p->keys.count;
}

const snPosture *snPostures_At(const snPostures *p, int index)
{
    SN_ASSERT(index >= 0 && index < p->keys.count);
    return &p->keys.data[index];
}

void snPostures_Close(snPostures *p, double closing)
{
    p->closing = closing > 0 && isfinite(closing) ? closing : 0;
}

void snPostures_SetShape(snPostures *p, int index, snKnotShape shape)
{
    SN_ASSERT(index >= 0 && index < p->keys.count);
    p->keys.data[index].shape = shape;
}

void snPostures_Remove(snPostures *p, int index)
{
    SN_ASSERT(index >= 0 && index < p->keys.count);
    snPosture *key = &p->keys.data[index];
    release(p, key->local);
    memmove(key, key + 1, (size_t)(p->keys.count - 1 - index) * sizeof *key);
    p->keys.count--;
}

static snStatus checkPose(const snPostures *p, double time, const snPose *pose, snError *error)
{
    if (!isfinite(time))
        return snFail(error, SN_ERROR_ARGUMENT, "a posture's time is %g; it must be finite", time);
    for (int j = 0; j < p->jointCount; j++) {
        const snTransform *local = &pose->local[j];
        double square = snDotQ(local->rotation, local->rotation);
        if (!snIsFinite3(local->translation) || !snIsFinite3(local->scale) || !isfinite(square) ||
            !(square > 1e-12))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "joint %d of the posture at %g s is not finite, or its rotation is zero",
                          j, time);
    }
    return SN_OK;
}

// The first key at or after a time.
static int findKey(const snPostures *p, double time)
{
    int k = 0;
    while (k < p->keys.count && p->keys.data[k].time < time)
        k++;
    return k;
}

static snStatus insert(snPostures *p, int k, double time, snError *error)
{
    const snAllocator *allocator = &p->context.allocator;
    size_t bytes = ((size_t)p->jointCount + !p->jointCount) * sizeof(snTransform);
    if (!snArray_Reserve(allocator, &p->keys, p->keys.count + 1)) return snFailMemory(error);
    snTransform *local = allocator->allocate(allocator->user, bytes);
    if (!local) return snFailMemory(error);
    snPosture *key = &p->keys.data[k];
    memmove(key + 1, key, (size_t)(p->keys.count - k) * sizeof *key);
    *key = (snPosture){.time = time, .local = local};
    p->keys.count++;
    return SN_OK;
}

snStatus snPostures_Set(snPostures *p, double time, const snPose *pose, const snKnotShape *shape,
                        snError *error)
{
    snStatus status = checkPose(p, time, pose, error);
    if (status) return status;
    int k = findKey(p, time);
    if (k == p->keys.count || p->keys.data[k].time > time) status = insert(p, k, time, error);
    if (status) return status;
    snPosture *key = &p->keys.data[k];
    memcpy(key->local, pose->local, (size_t)p->jointCount * sizeof *key->local);
    if (shape) key->shape = *shape;
    return SN_OK;
}

snPostureKnot snPostures_Knot(const snPostures *p, int k)
{
    const snPosture *keys = p->keys.data;
    int last = p->keys.count - 1;
    bool round = p->closing > 0 && last > 0;
    snPostureKnot knot = {.here = &keys[k]};
    if (k > 0 || round) {
        knot.before = &keys[k > 0 ? k - 1 : last];
        knot.spanBefore = k > 0 ? keys[k].time - keys[k - 1].time : p->closing;
    }
    if (k < last || round) {
        knot.after = &keys[k < last ? k + 1 : 0];
        knot.spanAfter = k < last ? keys[k + 1].time - keys[k].time : p->closing;
    }
    return knot;
}

static const snVec3 *numbersOf(const snPosture *key, int joint, snPosturePath path)
{
    return path == SN_POSTURE_PLACE ? &key->local[joint].translation : &key->local[joint].scale;
}

void snPostureKnot_Tangents(const snPostureKnot *knot, int joint, snPosturePath path,
                            snVec3 *incoming, snVec3 *outgoing)
{
    const double spans[2] = {knot->spanBefore, knot->spanAfter};
    const snVec3 *before = knot->before ? numbersOf(knot->before, joint, path) : NULL;
    const snVec3 *after = knot->after ? numbersOf(knot->after, joint, path) : NULL;
    snVectorTangents(before, *numbersOf(knot->here, joint, path), after, spans, knot->here->shape,
                     incoming, outgoing);
}

static snRotationKnot rotationKnot(const snPostureKnot *knot, int joint)
{
    return (snRotationKnot){.before = knot->before ? &knot->before->local[joint].rotation : NULL,
                            .here = &knot->here->local[joint].rotation,
                            .after = knot->after ? &knot->after->local[joint].rotation : NULL,
                            .spanBefore = knot->spanBefore,
                            .spanAfter = knot->spanAfter,
                            .shape = knot->here->shape};
}

snRotationSpan snPostures_RotationSpan(const snPostures *p, int k, int joint)
{
    snPostureKnot a = snPostures_Knot(p, k);
    snPostureKnot b = snPostures_Knot(p, (k + 1) % p->keys.count);
    snRotationKnot from = rotationKnot(&a, joint), to = rotationKnot(&b, joint);
    snVec3 in, out, unused;
    snRotationKnot_Tangents(&from, &unused, &out);
    snRotationKnot_Tangents(&to, &in, &unused);
    return snMakeRotationSpan(*from.here, out, *to.here, in, a.spanAfter);
}

static snVec3 sampleNumbers(const snPostures *p, int k, int joint, snPosturePath path, double u)
{
    snPostureKnot a = snPostures_Knot(p, k);
    snPostureKnot b = snPostures_Knot(p, (k + 1) % p->keys.count);
    snVec3 in, out, unused, result;
    snPostureKnot_Tangents(&a, joint, path, &unused, &out);
    snPostureKnot_Tangents(&b, joint, path, &in, &unused);
    snHermite(3, u, a.spanAfter, &numbersOf(a.here, joint, path)->x, &out.x,
              &numbersOf(b.here, joint, path)->x, &in.x, SN_VALUE, &result.x);
    return result;
}

static void hold(const snPostures *p, int k, snPose *pose)
{
    memcpy(pose->local, p->keys.data[k].local, (size_t)p->jointCount * sizeof *pose->local);
}

// Brings t into the round of a closed motion.
static double wrap(const snPostures *p, double t)
{
    double begin = p->keys.data[0].time;
    double period = p->keys.data[p->keys.count - 1].time - begin + p->closing;
    double inside = t - period * floor((t - begin) / period);
    return inside >= begin && inside < begin + period ? inside : begin;
}

void snPostures_Sample(const snPostures *p, double t, snPose *pose)
{
    int count = p->keys.count;
    if (count == 0) return;
    if (p->closing > 0 && count > 1) t = wrap(p, t);
    int k = findKey(p, t);
    if (k < count && p->keys.data[k].time == t) {
        hold(p, k, pose);
        return;
    }
    k--;
    if (k < 0 || count == 1 || (k == count - 1 && !(p->closing > 0))) {
        hold(p, k < 0 ? 0 : k, pose);
        return;
    }
    double u = (t - p->keys.data[k].time) / snPostures_Knot(p, k).spanAfter;
    for (int j = 0; j < p->jointCount; j++) {
        snRotationSpan span = snPostures_RotationSpan(p, k, j);
        pose->local[j].rotation = snRotationSpan_At(&span, u, NULL);
        pose->local[j].translation = sampleNumbers(p, k, j, SN_POSTURE_PLACE, u);
        pose->local[j].scale = sampleNumbers(p, k, j, SN_POSTURE_SCALE, u);
    }
}
