// Trouble that a bake meets: skeletons that jump, limbs that pop, steps that go wrong.
#include "asset/gltf.h"
#include "bake/bake.h"
#include "bake/player.h"
#include "core/core.h"
#include "core/elementary.h"
#include "platform/threads.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

#define RINGS 13 // of the tube
#define SIDES 10
#define KEYS 61 // two seconds at 30 frames per second
#define JUMP 21 // the first key behind the jump
#define RATE 30.0

enum { MESH, PLACE, HIPS, CHEST, JOINTS };

typedef struct Tube {
    snContext context;
    snArena arena;
    snJoint joints[JOINTS];
    snSkin skin;
    int skinJoints[2];
    snAffine inverse[2];
    snPart part;
    float times[KEYS], shake[3 * KEYS], nod[4 * KEYS], place[3 * KEYS], turn[4 * KEYS];
    float scale[3 * KEYS];
    snChannel channels[5]; // hips move, chest turns, place moves and turns, hips grow
    snClip clip;
    snCharacter character;
    snFlesh *flesh;
} Tube;

// A tube of height 2 and radius 0.4 over the origin: hips carry its lower part, the chest the upper third.
static void makeSurface(Tube *t)
{
    snPart *part = &t->part;
    int n = RINGS * SIDES + 2, count = 0;
    *part = (snPart){.name = "tube", .material = -1, .influences = 4, .primitivesOfMesh = 1};
    part->vertexCount = n;
    part->positions = SN_NEW(&t->arena, snVec3f, n);
    part->joints = SN_NEW(&t->arena, int, 4 * n);
    part->weights = SN_NEW(&t->arena, float, 4 * n);
    part->triangles = SN_NEW(&t->arena, int, 6 * RINGS * SIDES);
    for (int v = 0; v < n; v++) {
        double a = 2 * SN_PI * (v % SIDES) / SIDES, y = 2.0 * (v / SIDES) / (RINGS - 1), r = 0.4;
        if (v >= n - 2) {
            y = v == n - 2 ? 0 : 2;
            r = 0;
        }
        part->positions[v] = snToF(snVec(r * snCos(a), y, r * snSin(a)));
        part->weights[4 * v] = 1;
        part->joints[4 * v] = y > 1.3;
    }
    for (int r = 0; r + 1 < RINGS; r++)
        for (int s = 0; s < SIDES; s++) {
            int a = r * SIDES + s, b = r * SIDES + (s + 1) % SIDES;
            memcpy(part->triangles + 3 * count, (int[6]){a, a + SIDES, b, b, a + SIDES, b + SIDES},
                   6 * sizeof(int));
            count += 2;
        }
    for (int s = 0; s < SIDES; s++) {
        int top = (RINGS - 1) * SIDES, next = (s + 1) % SIDES;
        memcpy(part->triangles + 3 * count, (int[6]){n - 2, s, next, n - 1, top + next, top + s},
               6 * sizeof(int));
        count += 2;
    }
    part->triangleCount = count;
}

static void setQuat(float *out, snQuat q)
{
    out[0] = (float)q.x;
    out[1] = (float)q.y;
    out[2] = (float)q.z;
    out[3] = (float)q.w;
}

static void setVec(float *out, snVec3 v)
{
    snVec3f f = snToF(v);
    memcpy(out, &f, sizeof f);
}

// Shaken by its hips for a second, nodding all the time, at its place.
static void makeTube(Tube *t)
{
    static const char *const names[JOINTS] = {"mesh", "place", "hips", "chest"};
    const snTransform none = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    *t = (Tube){.context = snDefaultContext()};
    t->arena = snMakeArena(&t->context);
    makeSurface(t);
    for (int j = 0; j < JOINTS; j++)
        t->joints[j] = (snJoint){
            .name = names[j], .parent = j > PLACE ? j - 1 : -1, .rest = none, .fileNode = j};
    t->joints[CHEST].rest.translation = snVec(0, 1.3, 0);
    for (int k = 0; k < 2; k++)
        t->skinJoints[k] = HIPS + k;
    t->inverse[0] = t->inverse[1] = snIdentityAffine();
    t->inverse[1].origin = snVec(0, -1.3, 0);
    t->skin = (snSkin){"skin", 2, t->skinJoints, t->inverse};
    for (int k = 0; k < KEYS; k++) {
        double time = k / RATE, x = time < 1 ? 0.25 * snSin(4 * SN_PI * time) : 0;
        t->times[k] = (float)time;
        setVec(t->shake + 3 * k, snVec(x, 0, 0));
        setQuat(t->nod + 4 * k, snQuatFromAxisAngle(snVec(0, 0, 1), 0.3 * snSin(5 * time)));
        setVec(t->place + 3 * k, snVec(0, 0, 0));
        setQuat(t->turn + 4 * k, snIdentityQuat());
        setVec(t->scale + 3 * k, snVec(1, 1, 1));
    }
    const snChannel channels[5] = {
        {HIPS, SN_PATH_TRANSLATION, SN_LINEAR, KEYS, 3, t->times, t->shake},
        {CHEST, SN_PATH_ROTATION, SN_LINEAR, KEYS, 4, t->times, t->nod},
        {PLACE, SN_PATH_TRANSLATION, SN_LINEAR, KEYS, 3, t->times, t->place},
        {PLACE, SN_PATH_ROTATION, SN_LINEAR, KEYS, 4, t->times, t->turn},
        {HIPS, SN_PATH_SCALE, SN_LINEAR, KEYS, 3, t->times, t->scale}};
    memcpy(t->channels, channels, sizeof channels);
    t->clip = (snClip){
        .name = "clip", .duration = (KEYS - 1) / RATE, .channelCount = 5, .channels = t->channels};
    t->character = (snCharacter){.skeleton = {JOINTS, t->joints},
                                 .skinCount = 1,
                                 .skins = &t->skin,
                                 .partCount = 1,
                                 .parts = &t->part,
                                 .clipCount = 1,
                                 .clips = &t->clip,
                                 .vertexCount = t->part.vertexCount,
                                 .triangleCount = t->part.triangleCount};
}

static void buildFlesh(Tube *t, int details, snMotion motion)
{
    snFleshDef def = snDefaultFleshDef();
    snBakeDef bake = snDefaultBakeDef();
    snError error = {0};
    def.cells = 150;
    def.wobble = 2;
    def.step = snBakeDef_Step(&bake);
    def.details = details;
    def.motion = motion;
    if (!CHECK(snFlesh_Build(&t->flesh, &t->character, &def, &t->context, &error) == SN_OK))
        printf("%s\n", error.message);
}

static void freeTube(Tube *t)
{
    snFlesh_Destroy(t->flesh);
    snArena_Destroy(&t->arena);
}

// From `key` on the place is elsewhere.
static snAffine putElsewhere(Tube *t, int key)
{
    snQuat turn = snQuatFromAxisAngle(snVec(0, 1, 0), 2.2);
    snVec3 place = snVec(7, 1, -3);
    for (int k = key; k < KEYS; k++) {
        setVec(t->place + 3 * k, place);
        setQuat(t->turn + 4 * k, turn);
    }
    return (snAffine){snQuatToMat(turn), place};
}

static snBake *bake(Tube *t, snBakeDef def)
{
    snBake *out = NULL;
    snError error = {0};
    def.loop = def.loop == SN_LOOP_FOUND ? SN_LOOP_NEVER : def.loop;
    def.middles = true;
    if (!CHECK(snBake_Run(&out, t->flesh, &def, &t->context, &error) == SN_OK))
        printf("%s\n", error.message);
    return out;
}

// How far frames of b are from those of a, moved from frame JUMP on, of the height.
static double distance(const snBake *a, const snBake *b, snAffine motion, int from)
{
    int n = a->vertexCount;
    double worst = 0;
    for (int f = from; f < a->clips[0].frameCount; f++)
        for (int v = 0; v < n; v++) {
            snVec3 x = snFromF(a->clips[0].positions[f * n + v]);
            snVec3 y = snFromF(b->clips[0].positions[f * n + v]);
            worst = fmax(worst, snDistance(f >= JUMP ? snMulAP(motion, x) : x, y));
        }
    return worst / a->flesh->height;
}

static void checkJump(const snBake *b, int joint)
{
    CHECK(b->events.count == 1);
    const snBakeEvent *e = b->events.list;
    CHECK(e->trouble == SN_TROUBLE_JUMP && e->remedy == SN_REMEDY_CARRIED);
    CHECK(e->joint == joint && e->clip == 0);
    CHECK(e->firstFrame >= JUMP - 1 && e->firstFrame <= JUMP && e->lastFrame == JUMP);
}

// A clip with a jump gives the soft motion of the clip without: keys that step, a cut over one frame, and
// one that was resampled, so that a key lies on the way. With details and in full motion too.
static void jumpsAreCarried(void)
{
    enum { STEPPED, CUT, RESAMPLED, DETAILS, FULL, CASES };
    static const char *const names[CASES] = {"stepped", "cut", "resampled", "details", "full"};
    for (int k = 0; k < CASES; k++) {
        Tube t;
        makeTube(&t);
        buildFlesh(&t, k == DETAILS, k == FULL ? SN_MOTION_FULL : SN_MOTION_SECONDARY);
        snBakeDef def = snDefaultBakeDef();
        snBake *still = bake(&t, def);
        CHECK(still->events.count == 0);
        CHECK(still->clips[0].largestOffset > 0.03);
        snAffine motion = putElsewhere(&t, JUMP);
        if (k == STEPPED) t.channels[2].interpolation = t.channels[3].interpolation = SN_STEP;
        if (k == RESAMPLED) // the cut begins half a key earlier
            for (int i = 2; i < 4; i++) {
                float *times = SN_COPY(&t.arena, float, t.times, KEYS);
                times[JUMP - 1] = times[JUMP] - 1.0f / 60;
                t.channels[i].times = times;
            }
        snBake *carried = bake(&t, def);
        def.shakeJumps = true;
        snBake *shaken = bake(&t, def);
        double off = distance(still, carried, motion, 0), torn = distance(still, shaken, motion, 0);
        printf("  %-10s off by %.1e of the height, simulated by %.2f\n", names[k], off, torn);
        CHECK(off < 3e-6); // floats at 7.7 units from the origin
        CHECK(torn > 0.02);
        checkJump(carried, PLACE);
        snBake_Destroy(still);
        snBake_Destroy(carried);
        snBake_Destroy(shaken);
        freeTube(&t);
    }
}

// While the place moves on steadily the jump is what comes on top of that.
static void jumpsOnTheWay(void)
{
    Tube t;
    makeTube(&t);
    buildFlesh(&t, 0, SN_MOTION_SECONDARY);
    for (int k = 0; k < KEYS; k++)
        setVec(t.place + 3 * k, snVec(k / RATE, 0, 0));
    snBake *still = bake(&t, snDefaultBakeDef());
    for (int k = JUMP; k < KEYS; k++)
        setVec(t.place + 3 * k, snVec(k / RATE, 6, 0));
    snBake *carried = bake(&t, snDefaultBakeDef());
    snAffine motion = snIdentityAffine();
    motion.origin.y = 6;
    double off = distance(still, carried, motion, 0);
    printf("  at 1 unit per second: off by %.1e of the height\n", off);
    CHECK(off < 3e-6);
    checkJump(carried, PLACE);
    snBake_Destroy(still);
    snBake_Destroy(carried);
    freeTube(&t);
}

// One limb turns by 100 degrees in a frame: its flesh goes along.
static void limbsPop(void)
{
    Tube t;
    makeTube(&t);
    buildFlesh(&t, 0, SN_MOTION_SECONDARY);
    for (int k = JUMP; k < KEYS; k++)
        setQuat(t.nod + 4 * k, snQuatFromAxisAngle(snVec(0, 0, 1), 1.75));
    for (int k = 0; k < JUMP; k++)
        setQuat(t.nod + 4 * k, snIdentityQuat());
    snBakeDef def = snDefaultBakeDef();
    snBake *carried = bake(&t, def);
    def.shakeJumps = true;
    snBake *shaken = bake(&t, def);
    printf("  a limb pops: flesh up to %.3f of the height from its rig; simulated %.3f\n",
           carried->clips[0].largestOffset, shaken->clips[0].largestOffset);
    CHECK(carried->clips[0].largestOffset < 0.5 * shaken->clips[0].largestOffset);
    checkJump(carried, CHEST);
    snBake_Destroy(carried);
    snBake_Destroy(shaken);
    freeTube(&t);
}

// A loop that ends elsewhere than it began: its seam is a jump, and it closes.
static void seamsJump(void)
{
    Tube t;
    makeTube(&t);
    buildFlesh(&t, 0, SN_MOTION_SECONDARY);
    for (int k = 0; k < KEYS; k++) { // three steps on the way, nodding twice
        setVec(t.shake + 3 * k, snVec(0.1 * snSin(2 * SN_PI * k / 20), 0, 0));
        setQuat(t.nod + 4 * k,
                snQuatFromAxisAngle(snVec(0, 0, 1), 0.3 * snSin(2 * SN_PI * k / 20)));
        setVec(t.place + 3 * k, snVec(0, 0, 2.5 * k / (KEYS - 1)));
    }
    snBakeDef def = snDefaultBakeDef();
    def.loop = SN_LOOP_ALWAYS;
    snBake *b = bake(&t, def);
    def.shakeJumps = true;
    snBake *shaken = bake(&t, def);
    printf("  the seam: gap %.1e after %d rounds, flesh moves by %.3f; simulated %.3f\n",
           b->clips[0].loopGap, b->clips[0].repeats, b->clips[0].largestOffset,
           shaken->clips[0].largestOffset);
    CHECK(b->clips[0].loopGap < 1e-3);
    CHECK(b->clips[0].largestOffset < shaken->clips[0].largestOffset);
    CHECK(b->events.count == 1 && b->events.list[0].trouble == SN_TROUBLE_JUMP);
    CHECK(b->events.list[0].joint == PLACE && b->events.list[0].firstFrame == KEYS - 1);
    snBake_Destroy(b);
    snBake_Destroy(shaken);
    freeTube(&t);
}

// A clip that is elsewhere in its first frame, as recordings begin in a T-pose, is soft as if it began in the
// second; but the end of a loop leads to the first.
static void firstFramesLeadNowhere(void)
{
    Tube t;
    makeTube(&t);
    buildFlesh(&t, 0, SN_MOTION_SECONDARY);
    snBake *still = bake(&t, snDefaultBakeDef());
    snAffine motion = putElsewhere(&t, 1);
    snBake *carried = bake(&t, snDefaultBakeDef());
    int n = still->vertexCount;
    double off = 0;
    for (int i = 0; i < still->clips[0].frameCount * n; i++) {
        snVec3 x = snFromF(still->clips[0].positions[i]);
        snVec3 y = snFromF(carried->clips[0].positions[i]);
        off = fmax(off, snDistance(i >= n ? snMulAP(motion, x) : x, y));
    }
    printf("  a first frame elsewhere: off by %.1e of the height\n", off / still->flesh->height);
    CHECK(off < 3e-6 * still->flesh->height);
    CHECK(carried->events.count == 0);
    CHECK(carried->clips[0].posedStart && !still->clips[0].posedStart);
    snBakeDef def = snDefaultBakeDef();
    def.loop = SN_LOOP_ALWAYS;
    snBake *round = bake(&t, def);
    CHECK(round->events.count > 0 && !round->clips[0].posedStart);
    snBake_Destroy(still);
    snBake_Destroy(carried);
    snBake_Destroy(round);
    freeTube(&t);
}

// Fast motion is none: a shake at 7 Hz, a run at 6 heights per second, a start and a stop at that speed.
static void fastIsNoJump(void)
{
    Tube t;
    makeTube(&t);
    buildFlesh(&t, 0, SN_MOTION_SECONDARY);
    snReach reach;
    snJumps jumps;
    CHECK(snReach_Make(&reach, t.flesh, &t.arena, NULL) == SN_OK);
    CHECK_NEAR(reach.size, 2, 1e-5);
    CHECK_NEAR(reach.share[HIPS], 1, 1e-12);
    CHECK(reach.share[CHEST] < 0.5 && reach.reach[CHEST] > 0.7);
    for (int way = 0; way < 4; way++) {
        for (int k = 0; k < KEYS; k++) {
            double time = k / RATE, x = 0;
            if (way == 0) x = 0.5 * snSin(2 * SN_PI * 7 * time);
            if (way == 1) x = 12 * time;
            if (way == 2) x = k < 20 ? 0 : 12 * (time - 20 / RATE); // from rest in no time
            if (way == 3) x = k < 20 ? 12 * time : 8;
            setVec(t.place + 3 * k, snVec(x, 0, 0));
            setQuat(t.turn + 4 * k, snQuatFromAxisAngle(snVec(0, 1, 0), way == 1 ? 20 * time : 0));
        }
        snJumpsDef def = {.character = &t.character, .reach = &reach};
        CHECK(snJumps_Find(&jumps, &def, &t.context, &t.arena, NULL) == SN_OK);
        CHECK(jumps.count == 0);
    }
    freeTube(&t);
}

// ---- contacts in steps that go wrong ----------------------------------------------------------------

// How much lower flesh near the floor is than it was in another state, on average.
static double lowerThan(const snPlayer *p, const double *position)
{
    double sum = 0;
    int count = 0;
    for (int i = 1; i < 4 * p->flesh->model->vertexCount; i += 4)
        if (p->state->rig[i] < 0.3) {
            sum += position[i] - p->state->position[i];
            count++;
        }
    return sum / count;
}

// A step from what was saved that is too much by a hair, so that it is taken in smaller ones, or its joints
// are put on their rig.
static bool takeAgain(snPlayer *p, snEvents *events, int k, const void *state, const void *memory)
{
    snLatticeState_Restore(p->state, state);
    snLatticeContacts_Restore(p->contacts->contacts, memory);
    memset(p->guard.yield, 0, JOINTS * sizeof *p->guard.yield);
    events->count = 0;
    snPlayer_Step(p, (k - 1) / 120.0, k / 120.0);
    return events->count == 1 && events->list[0].remedy == SN_REMEDY_SMALLER;
}

// The foot of the tube is in a floor, which holds it up. Steps that are taken in smaller ones come out near whole
// ones on average; without contacts in them flesh sinks.
static void smallerStepsTouch(void)
{
    Tube t;
    makeTube(&t);
    buildFlesh(&t, 0, SN_MOTION_SECONDARY);
    snPlayer p;
    snFleshContacts *contacts;
    snEvents events = {.list = SN_NEW(&t.arena, snBakeEvent, SN_MOST_EVENTS)};
    snFleshContactsDef def = {.floor = true, .height = 0.01, .friction = 0.5};
    CHECK(snFleshContacts_Make(&contacts, t.flesh, &def, &t.context, NULL) == SN_OK);
    CHECK(snPlayer_Make(&p, t.flesh, &t.context, &t.arena, NULL) == SN_OK);
    p.contacts = contacts;
    CHECK(snGuard_AddContacts(&p, &t.arena, NULL) == SN_OK);
    snPlayer_Choose(&p, &(snPlayed){.clip = 0, .step = 1 / 120.0});
    snPlayer_Start(&p, false);
    p.guard.events = &events;
    size_t doubles = (size_t)t.flesh->model->vertexCount * 4;
    void *state = snArena_Alloc(&t.arena, 1, p.state->blockSize);
    void *memory = snArena_Alloc(&t.arena, 1, snLatticeContacts_SaveSize(contacts->contacts));
    double *whole = SN_NEW(&t.arena, double, doubles), lower[2] = {0};
    int taken = 0;
    for (int k = 1; k <= 200; k++) {
        snLatticeState_Save(p.state, state);
        snLatticeContacts_Save(contacts->contacts, memory);
        snPlayer_Step(&p, (k - 1) / 120.0, k / 120.0);
        memcpy(whole, p.state->position, doubles * sizeof *whole);
        snHealth h = snLatticeState_Look(t.flesh->model, p.state, &p.guard.limits, NULL);
        snHealthLimits limits = p.guard.limits;
        for (int way = 0; way < 3 && k > 4; way++) {
            if (way == 0) p.guard.limits.excess = h.excess * (1 - 1e-9);
            if (way == 1) p.guard.limits.offset = h.offset * (1 - 1e-9);
            if (way == 2) p.guard.limits.speed = h.speed * (1 - 1e-9);
            if (takeAgain(&p, &events, k, state, memory)) {
                snLatticeContacts *fine = p.guard.fineContacts;
                double with = lowerThan(&p, whole);
                CHECK(fine != NULL);
                p.guard.fineContacts = NULL;
                if (takeAgain(&p, &events, k, state, memory)) {
                    CHECK(with < lowerThan(&p, whole));
                    lower[0] += with;
                    lower[1] += lowerThan(&p, whole);
                    taken++;
                }
                p.guard.fineContacts = fine;
            }
            p.guard.limits = limits;
        }
        takeAgain(&p, &events, k, state, memory);
        CHECK(!memcmp(whole, p.state->position, doubles * sizeof *whole)); // nothing is left of it
    }
    printf("  %d steps of eight: flesh %.1e lower than by whole ones, without contacts %.1e\n",
           taken, lower[0] / taken, lower[1] / taken);
    CHECK(taken > 0 && fabs(lower[0]) < 0.5 * lower[1]);
    snPlayer_Destroy(&p);
    snFleshContacts_Destroy(contacts);
    freeTube(&t);
}

// ---- steps that go wrong --------------------------------------------------------------------------

static uint64_t hashOf(const snBake *b)
{
    const unsigned char *bytes = (const unsigned char *)b->clips[0].positions;
    size_t size = (size_t)b->clips[0].frameCount * (size_t)b->vertexCount * sizeof(snVec3f);
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

static double farthest(const snBake *b)
{
    double most = 0;
    for (int i = 0; i < b->clips[0].frameCount * b->vertexCount; i++) {
        snVec3 p = snFromF(b->clips[0].positions[i]);
        most = fmax(most, snIsFinite3(p) ? snLength(p) : INFINITY);
    }
    return most;
}

// The hips alternate between two places, ten heights apart, in every frame: no jump, and more than flesh can
// bear. What comes of it is finite, near, told about, and the same for any number of threads.
static void tornFleshComesBack(void)
{
    uint64_t hash[2];
    snThreadPool *pool;
    CHECK(snThreadPool_Make(&pool, 2, NULL) == SN_OK);
    for (int k = 0; k < 2; k++) {
        Tube t;
        makeTube(&t);
        if (k) t.context.tasks = snThreadPool_Tasks(pool);
        for (int i = 20; i < 40; i++)
            setVec(t.shake + 3 * i, snVec(i % 2 ? 10 : -10, 0, 0));
        buildFlesh(&t, 0, SN_MOTION_SECONDARY);
        snBake *b = bake(&t, snDefaultBakeDef());
        hash[k] = hashOf(b);
        const snBakeEvent *e = b->events.list;
        printf("  %d events, the first: %s of joint %d, %s, frames %d to %d, size %.3g; resets %d, "
               "offset %.2f\n",
               b->events.count, snTrouble_Name(e->trouble), e->joint, snRemedy_Name(e->remedy),
               e->firstFrame, e->lastFrame, e->size, (int)b->resets, b->clips[0].largestOffset);
        CHECK(b->events.count > 0 && b->events.count < 40);
        CHECK(e->firstFrame >= 19 && e->firstFrame <= 40 && e->joint >= 0);
        CHECK(farthest(b) < 40);
        // Two thirds of a second later it is calm again.
        int last = b->clips[0].frameCount - 1;
        double left = 0;
        for (int v = 0; v < b->vertexCount; v++)
            left = fmax(left, snLength(snFromF(b->clips[0].positions[last * b->vertexCount + v])));
        CHECK(left < 2.5);
        snBake_Destroy(b);
        freeTube(&t);
    }
    snThreadPool_Destroy(pool);
    CHECK(hash[0] == hash[1]);
}

// The tube's flesh, and its first clip chosen.
static void makePlayed(Tube *t, snPlayer *p)
{
    makeTube(t);
    buildFlesh(t, 0, SN_MOTION_SECONDARY);
    CHECK(snPlayer_Make(p, t->flesh, &t->context, &t->arena, NULL) == SN_OK);
    snPlayer_Choose(p, &(snPlayed){.clip = 0, .step = 1 / 120.0});
}

// Steps of a player whose guard is told to be afraid of every stretch: they are tried smaller, then the
// chest is put on its rig, and blends back within a quarter of a second.
static void partsFallBack(void)
{
    Tube t;
    snPlayer p;
    makePlayed(&t, &p);
    snEvents events = {.list = SN_NEW(&t.arena, snBakeEvent, SN_MOST_EVENTS)};
    snPlayer_Start(&p, false);
    p.guard.events = &events;
    for (int k = 1; k <= 40; k++)
        snPlayer_Step(&p, (k - 1) / 120.0, k / 120.0);
    CHECK(events.count == 0);
    double stretch = snLatticeState_Stretch(t.flesh->model, p.state).excess, after = 0;
    snStretch rig = snLatticeState_Stretch(t.flesh->model, p.state);
    CHECK(rig.whole >= rig.excess && rig.excess > 1);
    p.guard.limits.excess = 1 + 0.3 * (stretch - 1); // too much is what it has now already
    snPlayer_Step(&p, 40 / 120.0, 41 / 120.0);
    CHECK(events.count == 1 && events.list[0].trouble == SN_TROUBLE_STRETCH);
    CHECK(events.list[0].remedy >= SN_REMEDY_PART && events.list[0].joint >= HIPS);
    CHECK(p.guard.fine != NULL); // smaller steps were tried
    p.guard.limits.excess = 8;
    for (int k = 42; k <= 72; k++) // 0.25 s
        snPlayer_Step(&p, (k - 1) / 120.0, k / 120.0);
    for (int j = 0; j < JOINTS; j++)
        CHECK(p.guard.yield[j] == 0);
    for (int i = 0; i < 4 * t.flesh->model->vertexCount; i++)
        after = fmax(after, fabs(p.state->position[i] - p.state->rig[i]));
    printf("  stretch %.2f; %s; a quarter of a second later flesh is up to %.3f from its rig\n",
           stretch, snRemedy_Name(events.list[0].remedy), after);
    CHECK(after > 1e-3);
    CHECK(events.count == 1);
    snPlayer_Destroy(&p);
    freeTube(&t);
}

// Smaller steps end nearly where the whole one does; they were too much by a hair here, too.
static void smallerStepsAgree(void)
{
    Tube t;
    makeTube(&t);
    buildFlesh(&t, 0, SN_MOTION_SECONDARY);
    snPlayer p[2];
    double most = 0, apart = 0;
    for (int i = 0; i < 2; i++) {
        CHECK(snPlayer_Make(&p[i], t.flesh, &t.context, &t.arena, NULL) == SN_OK);
        snPlayer_Choose(&p[i], &(snPlayed){.clip = 0, .step = 1 / 120.0});
        snPlayer_Start(&p[i], false);
    }
    for (int k = 1; k <= 40; k++) {
        snPlayer_Step(&p[0], (k - 1) / 120.0, k / 120.0);
        snHealth h = snLatticeState_Look(t.flesh->model, p[0].state, &p[0].guard.limits, NULL);
        p[1].guard.limits.excess = k < 40 ? 8 : h.excess * (1 - 1e-9);
        snPlayer_Step(&p[1], (k - 1) / 120.0, k / 120.0);
    }
    const double *x = p[0].state->position;
    for (int i = 0; i < 4 * t.flesh->model->vertexCount && CHECK(p[1].guard.fine); i++) {
        most = fmax(most, fabs(x[i] - p[0].state->rig[i]));
        apart = fmax(apart, fabs(x[i] - p[1].guard.fineState->position[i]));
    }
    printf("  flesh %.3f from its rig, eight smaller steps end %.1e apart\n", most, apart);
    CHECK(apart > 0 && apart < 0.1 * most);
    CHECK(p[0].state->steps == p[1].state->steps && p[1].state->resets == 0);
    for (int i = 0; i < 2; i++)
        snPlayer_Destroy(&p[i]);
    freeTube(&t);
}

// A shake by nearly two heights in every frame: one of its steps goes well in smaller ones.
static void smallerStepsHelp(void)
{
    Tube t;
    makeTube(&t);
    for (int i = 20; i < 40; i++)
        setVec(t.shake + 3 * i, snVec(i % 2 ? 1.8715 : -1.8715, 0, 0));
    buildFlesh(&t, 0, SN_MOTION_SECONDARY);
    snBake *b = bake(&t, snDefaultBakeDef());
    bool helped = false;
    for (int i = 0; i < b->events.count; i++)
        helped = helped || b->events.list[i].remedy == SN_REMEDY_SMALLER;
    CHECK(helped);
    snBake_Destroy(b);
    freeTube(&t);
}

// Scaled to nothing and back, and by a hundred, in a frame: finite, carried or put on the rig, told.
static void scalesJump(void)
{
    for (int way = 0; way < 3; way++) {
        const double scales[3] = {0, 100, 1e-3};
        Tube t;
        makeTube(&t);
        buildFlesh(&t, 0, SN_MOTION_SECONDARY);
        for (int k = JUMP; k < 40; k++)
            setVec(t.scale + 3 * k, snVec(scales[way], scales[way], scales[way]));
        snBake *b = bake(&t, snDefaultBakeDef());
        printf("  scaled by %g: %d events, flesh up to %.2f from its rig\n", scales[way],
               b->events.count, b->clips[0].largestOffset);
        CHECK(b->events.count >= 1 && b->events.list[0].trouble == SN_TROUBLE_JUMP);
        CHECK(b->events.list[0].joint == HIPS);
        CHECK(farthest(b) < (way == 1 ? 1000 : 20));
        CHECK(b->clips[0].largestOffset < (way == 1 ? 30 : 0.5));
        snBake_Destroy(b);
        freeTube(&t);
    }
}

// A pose that is not finite: flesh waits, and what is written is finite where the pose is.
static void posesThatAreNotFinite(void)
{
    Tube t;
    snPlayer p;
    makePlayed(&t, &p);
    snEvents events = {.list = SN_NEW(&t.arena, snBakeEvent, SN_MOST_EVENTS)};
    for (int k = 3; k <= 5; k++)
        t.place[3 * k] = NAN;
    snPlayer_Start(&p, false);
    p.guard.events = &events;
    for (int k = 1; k <= 60; k++)
        snPlayer_Step(&p, (k - 1) / 120.0, k / 120.0);
    CHECK(events.count == 1 && events.list[0].trouble == SN_TROUBLE_POSE);
    CHECK(events.list[0].remedy == SN_REMEDY_HELD);
    CHECK(events.list[0].times >= 15 && events.list[0].times <= 17);
    for (int i = 0; i < 4 * t.flesh->model->vertexCount; i++)
        CHECK(isfinite(p.state->position[i]));
    snPlayer_Destroy(&p);
    freeTube(&t);
}

// ---- the list -------------------------------------------------------------------------------------

static void eventsGoOn(void)
{
    static snBakeEvent list[SN_MOST_EVENTS];
    snEvents events = {.list = list};
    snBakeEvent e = {SN_TROUBLE_STRETCH, SN_REMEDY_PART, .joint = 3, .times = 1, .size = 9};
    for (int k = 0; k < 10; k++) {
        e.from = 0.01 * k;
        e.to = e.from + 0.01;
        e.size = 9 + k % 5;
        snEvents_Add(&events, &e);
    }
    CHECK(events.count == 1 && list[0].times == 10 && list[0].size == 13);
    CHECK_NEAR(list[0].from, 0, 0);
    CHECK_NEAR(list[0].to, 0.1, 1e-12);
    e.joint = 4;
    snEvents_Add(&events, &e);
    e.from = e.to = 9;
    snEvents_Add(&events, &e);
    CHECK(events.count == 3);
    for (int k = 0; k < 2000; k++) {
        e.from = e.to = 10 + k;
        snEvents_Add(&events, &e);
    }
    CHECK(events.count == SN_MOST_EVENTS && events.more == 2003 - SN_MOST_EVENTS);
}

int main(void)
{
    RUN(jumpsAreCarried);
    RUN(jumpsOnTheWay);
    RUN(limbsPop);
    RUN(seamsJump);
    RUN(firstFramesLeadNowhere);
    RUN(fastIsNoJump);
    RUN(tornFleshComesBack);
    RUN(partsFallBack);
    RUN(smallerStepsAgree);
    RUN(smallerStepsHelp);
    RUN(smallerStepsTouch);
    RUN(scalesJump);
    RUN(posesThatAreNotFinite);
    RUN(eventsGoOn);
    return snTest_Finish();
}
