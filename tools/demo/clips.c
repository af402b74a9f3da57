// Bumble's motions: walk, hop, shake and look. Each is a posture as a smooth function of time; the
// clip keeps it as cubic keys whose tangents are the function's own slopes, so that the speed is
// continuous and a loop closes exactly. Only the trunk and the legs move: ears, tail, belly and
// everything else that swings is the simulation's to move.
#include "demo.h"

#include "core/elementary.h"
#include "core/error.h"

// sin(2π x): a cycle per unit.
static double wave(double cycles)
{
    return snSin(2.0 * SN_PI * (cycles - floor(cycles)));
}

// A value at a time, with slope zero there: between keys it eases out of one and into the next.
typedef struct Key {
    double time, value;
} Key;

static double ease(const Key *keys, int count, double t)
{
    if (t <= keys[0].time) return keys[0].value;
    for (int k = 0; k + 1 < count; k++)
        if (t < keys[k + 1].time) {
            double s = snRise(keys[k].time, keys[k + 1].time, t);
            return keys[k].value + s * (keys[k + 1].value - keys[k].value);
        }
    return keys[count - 1].value;
}

#define EASE(keys, t) ease((keys), (int)(sizeof(keys) / sizeof *(keys)), (t))

// ---- walk: four beats, hind left, front left, hind right, front right ----

static const double walkTime = 1.1;

// A hoof stands for `duty` of the cycle while the ground passes under it at constant speed, then
// swings forward on a cubic that leaves and meets the ground with the ground's own speed.
static snDemoFoot walkFoot(double phase, double stride, double lift)
{
    const double duty = 0.64;
    double p = phase - floor(phase);
    snDemoFoot foot = {0};
    if (p < duty) {
        foot.move.z = stride * (0.5 - p / duty);
    } else {
        double u = (p - duty) / (1.0 - duty), slope = -stride * (1.0 - duty) / duty;
        double uu = u * u, uuu = uu * u;
        foot.move.z = stride * (-0.5 + 3.0 * uu - 2.0 * uuu) + slope * (uuu - 2.0 * uu + u) +
                      slope * (uuu - uu);
        foot.move.y = lift * 16.0 * uu * (1.0 - u) * (1.0 - u) * (1.35 - 0.7 * u);
    }
    // The heel comes off first and the hoof trails in the air; before landing the toe comes up.
    const Key roll[] = {{0.0, 0}, {duty - 0.05, 0}, {duty + 0.10, 34}, {0.93, -7}, {1.0, 0}};
    foot.pitch = EASE(roll, p);
    return foot;
}

static snDemoPosture walk(double t)
{
    double c = t / walkTime; // cycles; the hind left hoof lands at 0
    snDemoPosture pose = {0};
    pose.feet[2] = walkFoot(c, 0.235, 0.070);
    pose.feet[0] = walkFoot(c - 0.25, 0.235, 0.080);
    pose.feet[3] = walkFoot(c - 0.5, 0.235, 0.070);
    pose.feet[1] = walkFoot(c - 0.75, 0.235, 0.080);
    pose.move.y = -0.023 - 0.008 * wave(2.0 * c + 0.05);
    pose.move.x = 0.020 * wave(c - 0.07); // over the side that stands
    pose.root =
        (snDemoTurn){1.2 * wave(2.0 * c + 0.30), 3.5 * wave(c + 0.22), 4.0 * wave(c + 0.42)};
    pose.spine = (snDemoTurn){0, -2.5 * wave(c + 0.20), -2.5 * wave(c + 0.40)};
    pose.chest =
        (snDemoTurn){1.5 * wave(2.0 * c + 0.55), -3.0 * wave(c + 0.16), -4.5 * wave(c + 0.36)};
    pose.neck = (snDemoTurn){4.0 * wave(2.0 * c + 0.70), 1.5 * wave(c + 0.14), 2.0 * wave(c + 0.3)};
    pose.head =
        (snDemoTurn){6.0 * wave(2.0 * c + 0.82), 1.0 * wave(c + 0.12), 2.5 * wave(c + 0.25)};
    return pose;
}

// ---- hop: crouch, leap half a metre, land, recover ----

static const double hopTime = 1.6;

// Height of the root. In the air a true parabola; its ends meet the eased crouches with its speed.
static double hopHeight(double t)
{
    const double leave = 0.44, land = 1.04, start = 0.045;
    const double gravity = 9.81, half = 0.5 * (land - leave), speed = gravity * half;
    const Key before[] = {{0.04, 0}, {0.30, -0.125}};
    const Key after[] = {{1.17, -0.135}, {1.40, 0.012}, {1.54, 0.0}};
    if (t < 0.30) return EASE(before, t);
    if (t >= leave && t <= land) {
        double s = t - leave;
        return start + speed * s - 0.5 * gravity * s * s;
    }
    if (t >= 1.17) return EASE(after, t);
    // Push off and touch down: cubics between rest in the crouch and the flight's speed.
    double d = t < leave ? leave - 0.30 : 1.17 - land;
    double u = t < leave ? (t - 0.30) / d : (1.17 - t) / d;
    double low = t < leave ? -0.125 : -0.135;
    double uu = u * u, uuu = uu * u;
    return low + (start - low) * (3.0 * uu - 2.0 * uuu) + d * speed * (uuu - uu);
}

static snDemoFoot hopFoot(double t, bool front)
{
    // Front hooves leave first and land first; in the air they are carried with the body and tuck.
    double early = front ? 0.02 : 0.0;
    const Key carried[] = {
        {0.44 - early, 0}, {0.52 - early, 1}, {0.93 - early, 1}, {1.04 - early, 0}};
    const Key tuckY[] = {{0.44 - early, 0}, {0.56, -0.02}, {0.74, 0.10}, {0.94, 0.02}, {1.03, 0}};
    const Key tuckZ[] = {
        {0.44, 0}, {0.55, -0.10}, {0.75, front ? 0.04 : 0.02}, {0.95, 0.05}, {1.04, 0}};
    const Key pitch[] = {{0.36, 0}, {0.47, 26}, {0.60, 42}, {0.78, 30}, {0.95, -8}, {1.04, 0}};
    snDemoFoot foot = {0};
    foot.inBody = EASE(carried, t);
    foot.move = snVec(0, EASE(tuckY, t), EASE(tuckZ, t));
    foot.pitch = EASE(pitch, t);
    return foot;
}

static snDemoPosture hop(double t)
{
    const Key tilt[] = {{0.06, 0}, {0.28, 5}, {0.46, -13},  {0.74, -2},
                        {0.98, 9}, {1.17, 4}, {1.40, -1.5}, {1.56, 0}};
    const Key back[] = {{0.06, 0},  {0.30, 6}, {0.50, -6},   {0.76, 5},
                        {0.98, -2}, {1.18, 7}, {1.42, -1.5}, {1.56, 0}};
    const Key nod[] = {{0.04, 0},  {0.26, 15}, {0.48, -15}, {0.74, 2},
                       {1.00, -9}, {1.20, 17}, {1.42, -4},  {1.57, 0}};
    const Key sway[] = {{0.06, 0},    {0.30, -0.035}, {0.46, 0.02},
                        {1.04, 0.02}, {1.20, -0.02},  {1.45, 0}};
    snDemoPosture pose = {0};
    pose.move = snVec(0, hopHeight(t), EASE(sway, t));
    pose.root.pitch = EASE(tilt, t);
    pose.spine.pitch = 0.5 * EASE(back, t);
    pose.chest.pitch = 0.7 * EASE(back, t);
    pose.neck.pitch = 0.7 * EASE(nod, t);
    pose.head.pitch = 0.8 * EASE(nod, t - 0.03);
    for (int which = 0; which < 4; which++)
        pose.feet[which] = hopFoot(t, which < 2);
    return pose;
}

// ---- shake: water in the ears ----

static const double shakeTime = 2.0;

static snDemoPosture shake(double t)
{
    const Key swell[] = {{0.18, 0}, {0.55, 1}, {1.25, 1}, {1.78, 0}};
    const Key duck[] = {{0.0, 0}, {0.30, 8}, {1.50, 6}, {1.95, 0}};
    const double rate = 2.75; // shakes per second
    double e = EASE(swell, t), c = rate * (t - 0.18);
    snDemoPosture pose = {0};
    pose.neck = (snDemoTurn){0.6 * EASE(duck, t), 15.0 * e * wave(c), 7.0 * e * wave(c - 0.10)};
    pose.head = (snDemoTurn){0.7 * EASE(duck, t), 30.0 * e * wave(c), 16.0 * e * wave(c - 0.16)};
    pose.chest = (snDemoTurn){0.2 * EASE(duck, t), -2.5 * e * wave(c - 0.08), -2.0 * e * wave(c)};
    pose.root.roll = 1.5 * e * wave(c - 0.25);
    pose.move = snVec(0.010 * e * wave(c - 0.2), -0.0014 * EASE(duck, t) - 0.012 * e, -0.01 * e);
    return pose;
}

// ---- look: something on the left, then on the right ----

static const double lookTime = 4.0;

static snDemoPosture look(double t)
{
    const Key yaw[] = {{0.15, 0}, {0.95, 80}, {1.55, 80}, {2.65, -80}, {3.20, -80}, {3.90, 0}};
    const Key chin[] = {{0.1, 0},  {0.5, 7},  {1.0, -5}, {1.5, -5}, {2.1, 9},
                        {2.7, -6}, {3.2, -6}, {3.6, 5},  {3.95, 0}};
    const Key tilt[] = {{0.7, 0}, {1.15, 9}, {1.6, 9}, {2.1, 0}, {2.8, -9}, {3.2, -9}, {3.7, 0}};
    double y = EASE(yaw, t), breath = wave(t / lookTime * 2.0);
    snDemoPosture pose = {0};
    pose.root.yaw = 0.03 * y;
    pose.spine.yaw = 0.04 * y;
    pose.chest = (snDemoTurn){0.8 * breath, 0.08 * y, 0};
    pose.neck = (snDemoTurn){0.4 * EASE(chin, t), 0.36 * y, 0.3 * EASE(tilt, t)};
    pose.head = (snDemoTurn){0.6 * EASE(chin, t), 0.49 * y, 0.7 * EASE(tilt, t)};
    pose.move = snVec(0.0002 * y, -0.006 + 0.004 * breath, 0);
    return pose;
}

// ---- keys ----

typedef snDemoPosture Motion(double t);

static void poseAt(Motion *motion, double duration, double t, snTransform *local)
{
    t -= duration * floor(t / duration); // motions are cycles
    snDemoPosture posture = motion(t);
    snDemo_SolvePosture(&posture, local);
}

static void storeKey(float *out, snPath path, const snTransform *transform)
{
    if (path == SN_PATH_TRANSLATION) {
        snVec3f v = snToF(transform->translation);
        out[0] = v.x, out[1] = v.y, out[2] = v.z;
    } else {
        snQuat q = transform->rotation;
        out[0] = (float)q.x, out[1] = (float)q.y, out[2] = (float)q.z, out[3] = (float)q.w;
    }
}

// Slopes by central differences over a hundredth of a key's interval.
static void storeSlope(float *out, snPath path, const snTransform *before, const snTransform *after,
                       double span)
{
    if (path == SN_PATH_TRANSLATION) {
        snVec3 d = snScale(1.0 / span, snSub(after->translation, before->translation));
        snVec3f v = snToF(d);
        out[0] = v.x, out[1] = v.y, out[2] = v.z;
    } else {
        snQuat a = before->rotation, b = after->rotation;
        out[0] = (float)((b.x - a.x) / span), out[1] = (float)((b.y - a.y) / span);
        out[2] = (float)((b.z - a.z) / span), out[3] = (float)((b.w - a.w) / span);
    }
}

// q and -q turn alike; of the two the one nearest to `reference` keeps curves in one piece.
static void keepSign(snTransform *local, const snTransform *reference)
{
    for (int j = 0; j < DEMO_JOINTS; j++) {
        snQuat q = local[j].rotation;
        if (snDotQ(q, reference[j].rotation) < 0.0)
            local[j].rotation = (snQuat){-q.x, -q.y, -q.z, -q.w};
    }
}

typedef struct ClipDef {
    const char *name;
    Motion *motion;
    double duration;
} ClipDef;

static const double keysPerSecond = 30.0;

static void fillChannels(const ClipDef *def, snClip *clip, float *times, int keys)
{
    snTransform rest[DEMO_JOINTS], here[DEMO_JOINTS], before[DEMO_JOINTS], after[DEMO_JOINTS];
    snDemoPosture still = {0};
    snDemo_SolvePosture(&still, rest);
    double interval = def->duration / (keys - 1), h = 0.01 * interval;
    for (int k = 0; k < keys; k++) {
        double t = k * interval;
        times[k] = (float)t;
        poseAt(def->motion, def->duration, t, here);
        poseAt(def->motion, def->duration, t - h, before);
        poseAt(def->motion, def->duration, t + h, after);
        keepSign(here, rest), keepSign(before, rest), keepSign(after, rest);
        for (int c = 0; c < clip->channelCount; c++) {
            snChannel *channel = &clip->channels[c];
            float *out = (float *)channel->values + (size_t)(3 * k * channel->width);
            int j = channel->joint, w = channel->width;
            storeSlope(out, channel->path, &before[j], &after[j], 2.0 * h);
            storeKey(out + w, channel->path, &here[j]);
            storeSlope(out + 2 * w, channel->path, &before[j], &after[j], 2.0 * h);
        }
    }
}

static bool isMoved(int joint)
{
    return joint <= DEMO_HEAD || joint >= DEMO_LEG_FL;
}

static snStatus makeClip(const ClipDef *def, snClip *clip, snArena *arena, snError *error)
{
    int keys = (int)(def->duration * keysPerSecond + 0.5) + 1;
    float *times = SN_NEW(arena, float, keys);
    *clip = (snClip){.name = def->name, .duration = def->duration};
    clip->channels = SN_NEW(arena, snChannel, DEMO_JOINTS + 1);
    if (!times || !clip->channels) return snFailMemory(error);
    for (int j = -1; j < DEMO_JOINTS; j++) { // -1: the root's translation
        if (j >= 0 && !isMoved(j)) continue;
        int width = j < 0 ? 3 : 4;
        float *values = SN_NEW(arena, float, 3 * keys * width);
        if (!values) return snFailMemory(error);
        clip->channels[clip->channelCount++] =
            (snChannel){j < 0 ? DEMO_ROOT : j,
                        j < 0 ? SN_PATH_TRANSLATION : SN_PATH_ROTATION,
                        SN_CUBIC,
                        keys,
                        width,
                        times,
                        values};
    }
    fillChannels(def, clip, times, keys);
    clip->duration = (double)times[keys - 1];
    return SN_OK;
}

snStatus snDemo_MakeClips(snCharacter *character, snError *error)
{
    const ClipDef defs[] = {{"walk", walk, walkTime},
                            {"hop", hop, hopTime},
                            {"shake", shake, shakeTime},
                            {"look", look, lookTime}};
    const int count = (int)(sizeof defs / sizeof *defs);
    character->clips = SN_NEW(&character->arena, snClip, count);
    if (!character->clips) return snFailMemory(error);
    for (int c = 0; c < count; c++) {
        snStatus status = makeClip(&defs[c], &character->clips[c], &character->arena, error);
        if (status) return status;
        character->clipCount++;
    }
    return SN_OK;
}
