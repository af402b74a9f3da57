// Points of a character that are held: its skeleton brings them there, flesh holds what is left.
#include "body/lattice/flesh_body_parts.h"
#include "core/elementary.h"
#include "platform/threads.h"
#include "tests/world/characters.h"

static Bumble bumble;
static const snVec3 mouth = {0, 0.93, 0.79}; // of the character at rest

typedef struct Reaching {
    snWorld *world;
    snBody *body;
    snFleshBody *flesh;
    int point, grab;
    snVec3 from;
} Reaching;

static Reaching makeReaching(const snContext *context, const char *clip, bool limp)
{
    Reaching r = {0};
    snWorldDef world = snDefaultWorldDef();
    snFleshBodyDef def = bumbleDef(&bumble, clip);
    def.limp = limp;
    def.solid.apart = true;
    CHECK(snWorld_Make(&r.world, &world, context, NULL) == SN_OK);
    addBumble(r.world, &def, snVec(0.5, 0, -0.2));
    r.body = r.world->bodies.data[0];
    r.flesh = (snFleshBody *)r.body;
    r.point = surfacePoint(r.world, 0, snAdd(mouth, snVec(0.5, 0, -0.2)));
    return r;
}

static void takeHold(Reaching *r)
{
    snGrabDef def = {.located = true, .point = r->point, .hard = true};
    CHECK(snWorld_Grab(r->world, &def, &r->grab, NULL) == SN_OK);
    r->from = snBody_Place(r->body, r->point);
}

static double ease(double u)
{
    u = fmin(fmax(u, 0), 1);
    return u * u * u * (10 - 15 * u + 6 * u * u);
}

static snVec3 headOf(const Reaching *r)
{
    return snFleshBody_Pose(r->body)->global[jointOf(&bumble, "head")].origin;
}

// How far flesh at the point is from where the rig has it.
static double stretchOf(const Reaching *r)
{
    snVec3 sum = {0, 0, 0};
    const snSolidPoint *p = &r->flesh->solid.points[r->point];
    const snLatticeState *state = r->flesh->solid.state;
    for (int k = 0; k < p->count; k++)
        for (int c = 0; c < 3; c++)
            (&sum.x)[c] += p->weight[k] *
                           (state->position[4 * p->index[k] + c] - state->rig[4 * p->index[k] + c]);
    return snLength(sum);
}

// The mouth goes up by a way in reach while the character looks around; the same by flesh alone.
static void mouthsReach(void)
{
    for (int limp = 0; limp < 2; limp++) {
        Reaching r = makeReaching(&bumble.context, "look", limp);
        double size = r.flesh->solid.surface.size, miss = 0, stretch = 0;
        for (int k = 0; k < 40; k++)
            snWorld_Step(r.world);
        takeHold(&r);
        for (int k = 1; k <= 180; k++) {
            snVec3 to = snMulAdd(r.from, ease(k / 120.0), snVec(0.1, 0.22, -0.1));
            snWorld_MoveGrab(r.world, r.grab, to);
            snWorld_Step(r.world);
            miss = fmax(miss, snDistance(to, snBody_Place(r.body, r.point)));
            if (k > 60) stretch = fmax(stretch, stretchOf(&r));
        }
        printf("    %s: off by %.1e of the size, flesh stretched by %.4f m; conflicts %d\n",
               limp ? "limp" : "by the skeleton", miss / size, stretch,
               r.world->tales.data[0].conflicts);
        CHECK(limp || (miss < 1e-6 * size && stretch < 2e-3));
        CHECK(!r.world->tales.data[0].failures && !r.world->tales.data[0].conflicts);
        snWorld_Destroy(r.world);
    }
}

// Taken hold of in motion and let go in motion: velocities of the head have no jumps, and in the end the pose is the
// clip's to the bit.
static void comesAndGoesSmoothly(void)
{
    Reaching r = makeReaching(&bumble.context, "walk", false);
    snVec3 before = headOf(&r), speed = {0, 0, 0}, pace = {0, 0, 0};
    double most[4] = {0}, h = r.world->def.step; // of the walk, taking hold, held, let go
    for (int k = 0; k < 700; k++) {
        double t = (k - 119) * h;
        if (k == 120) takeHold(&r), pace = snBody_Velocity(r.body, r.point);
        if (k >= 120 && k < 180) { // on as it went, and slowly elsewhere
            snVec3 coast = snMulAdd(r.from, t * snExp(-6 * t), pace);
            snWorld_MoveGrab(r.world, r.grab, snMulAdd(coast, ease(t), snVec(0.1, 0.2, -0.1)));
        }
        if (k == 180) snWorld_Release(r.world, r.grab);
        snWorld_Step(r.world);
        snVec3 now = headOf(&r), v = snScale(1 / h, snSub(now, before));
        int when = k < 120 ? 0 : k < 123 ? 1 : k < 180 ? 2 : 3;
        if (k > 1) most[when] = fmax(most[when], snDistance(v, speed));
        before = now;
        speed = v;
    }
    const snCharacter *c = &bumble.character;
    snArena arena = snMakeArena(&bumble.context);
    snPose pose;
    CHECK(snPose_Make(&pose, &c->skeleton, c->morphCount, &arena, NULL) == SN_OK);
    snCharacter_Pose(c, &c->clips[clipOf(&bumble, "walk")], snFleshBody_Time(r.flesh, 700), &pose);
    bool same = !memcmp(pose.local, r.flesh->pose.local,
                        (size_t)c->skeleton.jointCount * sizeof *pose.local);
    printf("    the head's velocity changes in a step by %.3f m/s in the walk, %.3f when taken "
           "hold of, %.3f held, "
           "%.3f let go\n",
           most[0], most[1], most[2], most[3]);
    CHECK(most[1] < 0.06 && most[2] < 0.06 && most[3] < 0.06 && same);
    snArena_Destroy(&arena);
    snWorld_Destroy(r.world);
}

static void knowsItsReach(void)
{
    Reaching r = makeReaching(&bumble.context, NULL, false);
    snVec3 at = snBody_Place(r.body, r.point);
    CHECK(snBody_Beyond(r.body, r.point, snAdd(at, snVec(0, 0.1, -0.05))) == 0);
    CHECK_NEAR(snBody_Beyond(r.body, r.point, snAdd(at, snVec(0, 5, 0))), 5, 0.6);
    takeHold(&r);
    for (int k = 1; k <= 120; k++) { // farther than it can: flesh holds the rest
        snWorld_MoveGrab(r.world, r.grab, snMulAdd(r.from, ease(k / 100.0), snVec(0, 0, 0.3)));
        snWorld_Step(r.world);
    }
    double off = snDistance(snBody_Place(r.body, r.point), snAdd(r.from, snVec(0, 0, 0.3)));
    printf("    0.3 m ahead: beyond by %.3f m, the point %.1e m off\n",
           snBody_Beyond(r.body, r.point, r.from), off);
    CHECK(r.flesh->aims[r.point].miss > 0.05 && !r.world->tales.data[0].failures);
    snWorld_Destroy(r.world);
}

// Saved in the middle of reaching and restored, on one thread and on two: the same bits.
static void statesComeBack(void)
{
    uint64_t hash[3] = {0};
    void *saved = NULL;
    size_t size = 0;
    for (int run = 0; run < 3; run++) {
        snContext context = bumble.context;
        snThreadPool *threads = NULL;
        if (run == 1) CHECK(snThreadPool_Make(&threads, 2, NULL) == SN_OK);
        if (threads) context.tasks = snThreadPool_Tasks(threads);
        Reaching r = makeReaching(&context, "walk", false);
        takeHold(&r);
        for (int k = 0; k < 90; k++) {
            bool middle = k == 40;
            if (middle && run == 0) {
                size = snWorld_SaveSize(r.world);
                saved = malloc(size);
                snWorld_Save(r.world, saved);
            }
            if (middle && run == 2) CHECK(snWorld_Restore(r.world, saved, size, NULL) == SN_OK);
            if (k == 70) snWorld_Release(r.world, r.grab);
            bool skip = run == 2 && k < 40; // another way until then
            snVec3 by = skip ? snVec(0, 0.3, 0) : snVec(0.1, 0.2, -0.1);
            if (k < 70) snWorld_MoveGrab(r.world, r.grab, snMulAdd(r.from, ease(k / 60.0), by));
            snWorld_Step(r.world);
        }
        hash[run] = snWorld_Hash(r.world);
        snWorld_Destroy(r.world);
        snThreadPool_Destroy(threads);
    }
    free(saved);
    CHECK(hash[0] == hash[1] && hash[0] == hash[2]);
}

int main(void)
{
    makeBumble(&bumble, 600, SN_MOTION_SECONDARY);
    RUN(mouthsReach);
    RUN(comesAndGoesSmoothly);
    RUN(knowsItsReach);
    RUN(statesComeBack);
    freeBumble(&bumble);
    return snTest_Finish();
}
