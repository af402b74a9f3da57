// The matrix of pairs: bodies of every model with those of every other, in one short story each. One is dropped on the other and lies on it or
// slides; both are held together hard, then by a spring; a hand takes it and draws it away. On one to three threads and from a saved state all of
// it ends in the same bits.
#include "contact/collider.h"
#include "platform/threads.h"
#include "tests/scenes/watching.h"
#include "tests/world/lying.h"
#include "world/meet.h"

#define THROWN 1.0 // m/s, down
#define GAP 0.001  // m, between them at first
#define LED 0.25   // m/s, at which bones come down that no force moves
enum { DROPPED = 10, TIED = 14, SPRUNG = 16, HELD = 19 }; // steps in which chapters end

typedef struct Story {
    snWorld *world;
    Actor actor[2]; // lower, upper
    int point[2], grab;
    snVec3 from; // of the hand
    // What was seen.
    int conflicts, failures;
    bool pushed, looks; // looks: it is measured how deep they are, which takes its time
    double speed, deepest, inside, sunk, apart, missed, pulled;
} Story;

// Its lowest place, below its middle.
static snVec3 footOf(const snBody *body)
{
    snBox box = boxOf(body);
    snVec3 middle = snLerp(box.lower, box.upper, 0.5);
    return snVec(middle.x, box.lower.y, middle.z);
}

// Where what is as wide as a block may stand, a millimetre above.
static snVec3 topOf(const snWorld *world, snVec3 from)
{
    snVec3 top = {from.x, -1, from.z};
    for (int i = 0; i < 49; i++) {
        snVec3 ray = snAdd(from, snVec(0.05 * (i % 7 - 3), 0, 0.05 * (i / 7 - 3)));
        snPick pick = snWorld_PickRay(world, ray, snVec(0, -1, 0));
        if (pick.body >= 0) top.y = fmax(top.y, pick.place.y + GAP);
    }
    return top;
}

// Above the floor, and above the lower one's back. Of two beasts the upper one lies on its own back, rump on rump.
static snVec3 place(const Story *s, const int both[2])
{
    snVec3 at = {0, GAP, 0};
    for (int k = 0; k < 2; k++) {
        snAffine to = snIdentityAffine();
        putActor(&s->actor[k], &to);
        to.origin = snSub(at, footOf(s->actor[k].body));
        putActor(&s->actor[k], &to);
        if (!k) at = topOf(s->world, snVec(0.02, 5, isBeast(both[0]) ? -LYING_BACK : 0.01));
    }
    if (isBeast(both[1]) || both[1] >= NEWTON) layUpper(s->world, s->actor, both, GAP);
    return at;
}

// The lower one stands on the floor, the upper one above its back.
static Story begin(int lower, int upper, const snContext *context)
{
    Story s = {.world = newWorld(context, 9.81), .grab = -1};
    snWorldColliderDef floor = {.name = "floor", .shape = snMakeCollider(SN_COLLIDER_PLANE)};
    const int both[2] = {lower, upper};
    const snAffine away = {snIdentity3(), snVec(0, -100, 0)};
    int number;
    kinds.coarse = isBeast(upper); // two of them take their time
    floor.shape.friction = 0.5;
    CHECK(snWorld_AddCollider(s.world, &floor, &number, NULL) == SN_OK);
    for (int k = 0; k < 2; k++) {
        ModelDef def = {.density = 1, .friction = -1, .travel = {0, k ? -LED : 0, 0}};
        s.actor[k] = addKind(s.world, both[k], def);
        putActor(&s.actor[k], &away); // not in the way of rays
    }
    snVec3 top = place(&s, both);
    if (upper != RIGGED) throwActor(&s.actor[1], snVec(0, -THROWN, 0));
    snTieReserve reserve = {s.actor[0].number, s.actor[1].number, 1};
    snError error = {0};
    if (!CHECK(snWorld_ReserveTies(s.world, &reserve, &error) == SN_OK))
        printf("    %s\n", error.message);
    if (!CHECK(snWorld_Join(s.world, &error) == SN_OK)) printf("    %s\n", error.message);
    for (int k = 0; k < 2; k++) {
        snBodySpot spot = snWorld_PickNearOf(s.world, s.actor[k].number, top).spot;
        CHECK(snBody_Locate(s.actor[k].body, &spot, &s.point[k], NULL) == SN_OK);
    }
    return s;
}

static void take(Story *s, bool between, bool hard)
{
    snGrabDef def = {.body = s->actor[1].number,
                     .located = true,
                     .point = s->point[1],
                     .between = between,
                     .other = between ? s->actor[0].number : SN_WORLD_NOBODY,
                     .otherPoint = s->point[0],
                     .hard = hard,
                     .stiffness = 50,
                     .damping = 1,
                     .ease = 0.015};
    snError error = {0};
    if (s->grab >= 0) snWorld_Release(s->world, s->grab);
    if (!CHECK(snWorld_Grab(s->world, &def, &s->grab, &error) == SN_OK))
        printf("    %s\n", error.message);
    s->from = snBody_Place(s->actor[1].body, s->point[1]);
}

// How deep any vertex is in the other body, and in the floor, by brute force, m.
static void lookInside(Story *s)
{
    for (int k = 0; k < 2; k++) {
        const snBody *body = s->actor[k].body, *other = s->actor[1 - k].body;
        s->inside = fmax(s->inside, deepestInOther(body, other, 0, NULL));
        s->sunk = fmax(s->sunk, deepestIn(s->world, body, 0, NULL));
    }
}

static void step(Story *s, int k)
{
    if (k == DROPPED) take(s, true, true);
    if (k == TIED) take(s, true, false);
    if (k == SPRUNG) take(s, false, true);
    snVec3 goal = snMulAdd(s->from, 0.002 * (k + 1 - SPRUNG), snVec(0, 1, 0));
    if (k >= SPRUNG) snWorld_MoveGrab(s->world, s->grab, goal);
    snWorld_Step(s->world);
    snVec3 at[2] = {snBody_Place(s->actor[0].body, s->point[0]),
                    snBody_Place(s->actor[1].body, s->point[1])};
    const snBodyReport *report = &s->world->reports.data[s->actor[1].number];
    for (int i = 0; i < s->world->bodies.count; i++)
        s->failures += s->world->reports.data[i].failed;
    if (k == DROPPED - 1) {
        snBodyMeasure m = measureActor(&s->actor[1]);
        s->speed = -m.momentum.y / m.mass;
    }
    const snMeet *meet = s->world->meet;
    for (int r = 0; meet && r < meet->rowCount && k < DROPPED; r++)
        s->pushed |= snDot(meet->rows[r].impulse, meet->rows[r].normal) > 0;
    if (k < DROPPED) s->deepest = fmax(s->deepest, report->contact.deepest);
    if (k == DROPPED - 1 && s->looks) lookInside(s);
    if (k == TIED - 1) s->conflicts = report->conflicts;
    if (k == TIED - 1) s->apart = snDistance(at[0], at[1]);
    if (k == SPRUNG - 1) s->pulled = snDistance(at[0], at[1]);
    if (k == HELD - 1) s->missed = snDistance(at[1], goal);
}

// The hash at the end; with a restart from the middle of each chapter it is the same.
static uint64_t tell(int lower, int upper, int threads, bool restarts, Story *seen)
{
    snContext context = snDefaultContext();
    snThreadPool *pool = NULL;
    if (threads > 1 && CHECK(snThreadPool_Make(&pool, threads, NULL) == SN_OK))
        context.tasks = snThreadPool_Tasks(pool);
    Story s = begin(lower, upper, &context);
    s.looks = !restarts;
    size_t size = snWorld_SaveSize(s.world);
    void *bytes = malloc(size);
    for (int k = 0; k < HELD; k++) {
        bool restart = restarts && (k == 5 || k == 11 || k == 17);
        if (restart) {
            Story before = s;
            snWorld_Save(s.world, bytes);
            step(&s, k);
            CHECK(snWorld_Restore(s.world, bytes, size, NULL) == SN_OK);
            s = before;
        }
        step(&s, k);
    }
    uint64_t hash = snWorld_Hash(s.world);
    *seen = s;
    free(bytes);
    snWorld_Destroy(s.world);
    snThreadPool_Destroy(pool);
    return hash;
}

// Of two kinds one way will do; beasts have the others on their backs.
static bool isTold(int lower, int upper)
{
    return isBeast(lower) == isBeast(upper) ? upper >= lower : isBeast(lower);
}

static void checkSeen(const Story *s, int lower, int upper)
{
    double freely = THROWN + 9.81 * DROPPED / 120;
    printf("    %s on %s: falls at %.2f m/s, %.1e m deep, then %.1e, %.1e in the floor; tied %.1e "
           "m apart, by a spring %.1e; held %.1e m off; %d failures, %d conflicts\n",
           kindNames[upper], kindNames[lower], s->speed, s->deepest, s->inside, s->sunk, s->apart,
           s->pulled, s->missed, s->failures, s->conflicts);
    // What lies on something does not fall freely. Bones that are led do not stop: their flesh would be 2 cm deep if it were not held up.
    CHECK(upper == RIGGED || s->pushed || s->speed < 0.85 * freely);
    CHECK(s->failures == 0 && s->conflicts == 0);
    // Skins are of few points, and tell how deep they were before a floor put them out.
    CHECK(s->inside < (upper == SKIN || upper == OVER ? 5e-3 : 2e-3));
    CHECK(s->deepest < (upper == SKIN ? 1.2e-2 : 2e-3));
    CHECK(s->sunk <
          (lower == LAYERED ? 1e-2 : 2e-3)); // skin between muscles and a floor is pressed
    CHECK(s->apart < 1e-6 && s->pulled < 0.3);
    CHECK(s->missed < (upper == COAT ? 1e-3 : 1e-6)); // coats' sweeps end early
}

static void everyPair(void)
{
    for (int a = 0; a < KINDS; a++)
        for (int b = 0; b < KINDS; b++) {
            Story s, other;
            if (!isTold(a, b) || !isAskedOf(a, b)) continue;
            uint64_t hash = tell(a, b, 1, false, &s);
            checkSeen(&s, a, b);
            CHECK(tell(a, b, 2 + (a + b) % 2, true, &other) == hash);
        }
}

// ---- hands --------------------------------------------------------------------------------------

enum { HUNG = 60 }; // steps, in which what nobody holds falls by 1.2 m

// How far the middle of a body's box goes down that a hand holds by its side or by its top.
static double hangs(int kind, bool top)
{
    snContext context = snDefaultContext();
    snWorld *world = newWorld(&context, 9.81);
    Actor actor = addKind(world, kind, (ModelDef){.density = 1, .friction = -1});
    snBox box = boxOf(actor.body);
    snVec3 middle = snLerp(box.lower, box.upper, 0.5);
    snVec3 at =
        top ? snVec(middle.x, box.upper.y, middle.z) : snVec(box.upper.x, middle.y, middle.z);
    snGrabDef def = {.body = actor.number, .hard = true};
    int grab;
    def.spot = snWorld_PickNearOf(world, actor.number, at).spot;
    CHECK(snWorld_Join(world, NULL) == SN_OK);
    CHECK(snWorld_Grab(world, &def, &grab, NULL) == SN_OK);
    for (int k = 0; k < HUNG; k++) {
        snWorld_Step(world);
        for (int i = 0; i < world->bodies.count; i++)
            CHECK(!world->reports.data[i].failed);
    }
    box = boxOf(actor.under ? actor.under : actor.body);
    double down = middle.y - snLerp(box.lower, box.upper, 0.5).y;
    snWorld_Destroy(world);
    return down;
}

// By a point of its skin too, on a muscle or at a rim.
static void handsHoldUp(void)
{
    kinds.coarse = true;
    for (int kind = 0; kind < KINDS; kind++) {
        if (kind == RIGGED || kind == LINEAR) continue; // linear strain draws out what turns far
        double down[2] = {hangs(kind, false), hangs(kind, true)};
        printf("    %s: by its side %.3f m lower, by its top %.3f\n", kindNames[kind], down[0],
               down[1]);
        double most = kind == LIMP ? 0.6 : 0.2; // that one is a metre long, and swings
        CHECK(down[0] < most && down[1] < most);
    }
}

// A ball of skin flies at a block that a hand holds: while it is pushed the point stays in the hand.
static void pushesLeaveWhatIsHeld(void)
{
    static const int solid[] = {LATTICE, POLY, SMOOTH, NEWTON, LINEAR, QUASI, SOFT};
    for (size_t k = 0; k < sizeof solid / sizeof *solid; k++) {
        snContext context = snDefaultContext();
        snWorld *world = newWorld(&context, 0);
        Actor held = addKind(world, solid[k], (ModelDef){.density = 1, .friction = -1});
        Actor ball = addKind(world, SKIN, (ModelDef){.density = 1, .friction = -1});
        snBox box = boxOf(held.body), other = boxOf(ball.body);
        snAffine beside = {
            snIdentity3(),
            {box.upper.x - other.lower.x + 0.02, box.lower.y - other.lower.y, -other.lower.z}};
        putActor(&ball, &beside);
        throwActor(&ball, snVec(-4, 0, 0));
        snGrabDef def = {.body = held.number, .hard = true};
        def.spot = snWorld_PickNearOf(world, held.number, snVec(box.lower.x, box.upper.y, 0)).spot;
        int grab, pushed = 0;
        CHECK(snWorld_Join(world, NULL) == SN_OK);
        CHECK(snWorld_Grab(world, &def, &grab, NULL) == SN_OK);
        int point = -1;
        CHECK(snBody_Locate(held.body, &def.spot, &point, NULL) == SN_OK);
        snVec3 at = snBody_Place(held.body, point);
        double worst = 0;
        for (int step = 0; step < 40; step++) {
            snWorld_Step(world);
            pushed += world->meet->rowCount > 0;
            worst = fmax(worst, snDistance(snBody_Place(held.body, point), at));
        }
        printf("    %s: at most %.1e m off, in contact for %d steps\n", kindNames[solid[k]], worst,
               pushed);
        CHECK(pushed > 3 && worst < 1e-9);
        snWorld_Destroy(world);
    }
}

int main(void)
{
    makeKinds();
    RUN(everyPair);
    RUN(handsHoldUp);
    RUN(pushesLeaveWhatIsHeld);
    freeKinds();
    return snTest_Finish();
}
