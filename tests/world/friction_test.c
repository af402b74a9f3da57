// Friction between bodies of every two models. What is thrown at another aslant is slowed by it, by no more than Coulomb's law allows, and
// without friction it is not. Where one lies well on the other, both are pulled sideways by less than friction holds: it stays where it
// lies; without friction it slides.
#include "contact/collider.h"
#include "tests/world/lying.h"

#define FRICTION 0.5
#define PULL 3.0 // m/s², beside a gravity of 9.81: friction of 0.5 holds 4.9
#define LED 0.5  // m/s, at which bones go that no force moves
enum { SETTLE = 6, PULLED = 10, THROWN = 8 }; // steps

typedef struct Slide {
    snWorld *world;
    Actor actor[2]; // lower, upper
    int point[2];   // where they touch
} Slide;

// Nothing but the two of them, as near as nothing; the upper one's friction is given.
static Slide begin(int lower, int upper, double friction, const snContext *context)
{
    Slide s = {.world = newWorld(context, 0)};
    const int both[2] = {lower, upper};
    ModelDef defs[2] = {{1, -1, {0, 0, 0}}, {1, friction, {0, 0, upper == RIGGED ? LED : 0}}};
    for (int k = 0; k < 2; k++)
        s.actor[k] = addKind(s.world, both[k], defs[k]);
    layLower(&s.actor[0], lower);
    layUpper(s.world, s.actor, both, 2e-4);
    return s;
}

// On a floor, with a weight that is pulled aside from a time on.
static void addPull(Slide *s)
{
    snWorldColliderDef floor = {.name = "floor", .shape = snMakeCollider(SN_COLLIDER_PLANE)};
    const double times[3] = {0, SETTLE / 120.0, (SETTLE + 0.1) / 120.0};
    const snVec3 down = {0, -9.81, 0}, gravity[3] = {down, down, {0, -9.81, PULL}};
    int number;
    floor.shape.friction = 1;
    CHECK(snWorld_AddCollider(s->world, &floor, &number, NULL) == SN_OK);
    CHECK(snWorld_SetGravity(s->world, 3, times, gravity, NULL) == SN_OK);
}

// Points of both where they touch by now: the vertex of the upper one that is nearest to the lower, and what is nearest to it.
static void findPoints(Slide *s)
{
    snPick nearest = {0};
    double least = INFINITY;
    int lower = s->actor[0].number, upper = s->actor[1].number;
    for (int v = 0; v < s->actor[1].body->vertexCount; v++) {
        snVec3 at = snBody_Vertex(s->actor[1].body, v);
        snPick pick = snWorld_PickNearOf(s->world, lower, at);
        if (!(snDistance(pick.place, at) < least)) continue;
        least = snDistance(pick.place, at);
        nearest = pick;
    }
    snBodySpot spots[2] = {nearest.spot, snWorld_PickNearOf(s->world, upper, nearest.place).spot};
    for (int k = 0; k < 2; k++)
        CHECK(snBody_Locate(s->actor[k].body, &spots[k], &s->point[k], NULL) == SN_OK);
}

static snVec3 betweenBoth(const Slide *s)
{
    return snSub(snBody_Place(s->actor[1].body, s->point[1]),
                 snBody_Place(s->actor[0].body, s->point[0]));
}

static bool isSound(const snWorld *world)
{
    bool sound = true;
    for (int i = 0; i < world->bodies.count; i++)
        sound &= !world->reports.data[i].failed;
    return sound;
}

// By how much points that touch went along each other, m.
static double slide(int lower, int upper, double friction)
{
    snContext context = snDefaultContext();
    Slide s = begin(lower, upper, friction, &context);
    double first = 0;
    addPull(&s);
    CHECK(snWorld_Join(s.world, NULL) == SN_OK);
    for (int k = 0; k < SETTLE + PULLED; k++) {
        if (k == SETTLE) {
            findPoints(&s);
            first = betweenBoth(&s).z;
        }
        snWorld_Step(s.world);
        CHECK(isSound(s.world));
    }
    double way = betweenBoth(&s).z - first;
    snWorld_Destroy(s.world);
    return way;
}

// Coats lie on beasts as on a round log, and skins are balls: they are thrown below.
static void whatLiesStaysOrSlides(void)
{
    const int pairs[][2] = {
        {LATTICE, LATTICE}, {LATTICE, POLY}, {LATTICE, COAT},   {POLY, POLY},  {POLY, COAT},
        {RIGGED, LATTICE},  {LIMP, LATTICE}, {LATTICE, LINEAR}, {QUASI, COAT}, {NEWTON, POLY}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        int lower = pairs[i][0], upper = pairs[i][1];
        double held = slide(lower, upper, FRICTION), slid = slide(lower, upper, 0);
        printf("    %s on %s: slides by %.2f mm, without friction by %.2f\n", kindNames[upper],
               kindNames[lower], 1e3 * held, 1e3 * slid);
        CHECK(fabs(held) < 2e-3 && fabs(slid) > 8e-3); // backs slope
    }
}

// Bones that are led past each other: flesh that touches is dragged along.
static void whatIsLedIsDragged(void)
{
    double held = slide(RIGGED, RIGGED, FRICTION), slid = slide(RIGGED, RIGGED, 0);
    printf("    flesh slides by %.2f mm, without friction by %.2f\n", 1e3 * held, 1e3 * slid);
    CHECK(held > 0 && held < 0.8 * slid);
}

// The momentum that it loses to what it is thrown at.
static snVec3 lossOf(int lower, int upper, snVec3 along, double friction)
{
    snContext context = snDefaultContext();
    Slide s = begin(lower, upper, friction, &context);
    CHECK(snWorld_Join(s.world, NULL) == SN_OK);
    throwActor(&s.actor[1], snMulAdd(snVec(0, -1, 0), 1, along));
    snBodyMeasure first = measureActor(&s.actor[1]);
    for (int k = 0; k < THROWN; k++) {
        snWorld_Step(s.world);
        CHECK(isSound(s.world));
    }
    snBodyMeasure last = measureActor(&s.actor[1]);
    snWorld_Destroy(s.world);
    // There is no weight: what nothing stops goes on as it did.
    CHECK(last.momentum.y > 0.95 * first.momentum.y); // both below 0
    return snSub(first.momentum, last.momentum);
}

static void whatIsThrownIsSlowed(void)
{
    for (int a = 0; a < KINDS; a++)
        for (int b = 0; b < KINDS; b++) {
            if (!isAskedOf(a, b)) continue;
            // One of both ways will do; beasts have the others on their backs.
            if (isBeast(a) == isBeast(b) ? b < a : isBeast(b)) continue;
            if (b == RIGGED) continue; // above
            // Across backs, which slope along their length; a ball along the crest, whose knobs would stop it.
            snVec3 along = isBeast(a) && b != SKIN ? snVec(1, 0, 0) : snVec(0, 0, 1);
            snVec3 with = lossOf(a, b, along, FRICTION);
            snVec3 without = lossOf(a, b, along, 0);
            // A trunk that does not slide off a ball digs into it, and is pressed harder.
            double pressed = a == SKIN && b == LAYERED ? -with.y : -without.y;
            double more = snDot(snSub(with, without), along) / pressed;
            printf("    %s at %s: %.3f along of %.3f across, without friction %.3f of %.3f: %.2f\n",
                   kindNames[b], kindNames[a], snDot(with, along), -with.y, snDot(without, along),
                   -without.y, more);
            CHECK(more > 0.1 &&
                  more < 1.25 * FRICTION); // normals turn where balls roll over each other
        }
}

int main(void)
{
    makeKinds();
    RUN(whatLiesStaysOrSlides);
    RUN(whatIsLedIsDragged);
    RUN(whatIsThrownIsSlowed);
    freeKinds();
    return snTest_Finish();
}
