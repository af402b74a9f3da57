// Friction between bodies of every two models. What is thrown at another aslant is slowed by it, by no more than Coulomb's law allows, and
// without friction it is not. Where one lies well on the other, both are pulled sideways by less than friction holds: it stays where it
// lies; without friction it slides.
#include "contact/collider.h"
#include "tests/world/lying.h"

static Bumble bumble;
static double falls[MODELS]
                   [MODELS]; // m, how far the upper one is put down on the lower; 0: not known yet

#define FRICTION 0.5
#define PULL 3.0 // m/s², beside a gravity of 9.81: friction of 0.5 holds 4.9
#define LED 0.5  // m/s, at which bones go that no force moves
enum { SETTLE = 6, PULLED = 10, THROWN = 8 }; // steps

typedef struct Slide {
    snWorld *world;
    snBody *body[2]; // lower, upper
    int point[2];    // where they touch
} Slide;

// The lower one on the floor.
static void layLower(Slide *s, Model model, const ModelDef *def)
{
    snAffine place = {turnOf(model, false), snVec(0, 0, 0)};
    int number = addModelOf(s->world, model, &bumble, *def, snVec(0, 0, 0));
    snBody *body = s->body[0] = s->world->bodies.data[number];
    snBody_Put(body, &place);
    snBox box = boxOf(body);
    snVec3 middle = snLerp(box.lower, box.upper, 0.5);
    place.origin = snVec(-middle.x, 0.001 - box.lower.y, -middle.z);
    snBody_Put(body, &place);
}

// The upper one on its back, as near as nothing.
static void layUpper(Slide *s, Model lower, Model model, const ModelDef *def)
{
    double *fall = &falls[lower][model];
    int number = addModelOf(s->world, model, &bumble, *def, snVec(0, 0, 0));
    snBody *body = s->body[1] = s->world->bodies.data[number];
    snAffine place = highAbove(body, model, isBeast(lower) ? -LYING_BACK : 0);
    if (*fall == 0) *fall = fallOf(s->world, s->body) - 2e-4;
    place.origin.y -= *fall;
    snBody_Put(body, &place);
}

// Nothing but the two of them; the upper one's friction is given.
static Slide begin(Model lower, Model upper, double friction, const snContext *context)
{
    Slide s = {.world = newWorld(context, 0)};
    ModelDef defs[2] = {{1, -1, {0, 0, 0}}, {1, friction, {0, 0, upper == RIGGED ? LED : 0}}};
    layLower(&s, lower, &defs[0]);
    layUpper(&s, lower, upper, &defs[1]);
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
    for (int v = 0; v < s->body[1]->vertexCount; v++) {
        snVec3 at = snBody_Vertex(s->body[1], v);
        snPick pick = snWorld_PickNearOf(s->world, 0, at);
        if (!(snDistance(pick.place, at) < least)) continue;
        least = snDistance(pick.place, at);
        nearest = pick;
    }
    snBodySpot spots[2] = {nearest.spot, snWorld_PickNearOf(s->world, 1, nearest.place).spot};
    for (int k = 0; k < 2; k++)
        CHECK(snBody_Locate(s->body[k], &spots[k], &s->point[k], NULL) == SN_OK);
}

static snVec3 betweenBoth(const Slide *s)
{
    return snSub(snBody_Place(s->body[1], s->point[1]), snBody_Place(s->body[0], s->point[0]));
}

static bool isSound(const snWorld *world)
{
    return !world->reports.data[0].failed && !world->reports.data[1].failed;
}

// By how much points that touch went along each other, m.
static double slide(Model lower, Model upper, double friction)
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
    const Model pairs[][2] = {{LATTICE, LATTICE}, {LATTICE, POLY},   {LATTICE, COAT}, {POLY, POLY},
                              {POLY, COAT},       {RIGGED, LATTICE}, {LIMP, LATTICE}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        Model lower = pairs[i][0], upper = pairs[i][1];
        double held = slide(lower, upper, FRICTION), slid = slide(lower, upper, 0);
        printf("    %s on %s: slides by %.2f mm, without friction by %.2f\n", modelNames[upper],
               modelNames[lower], 1e3 * held, 1e3 * slid);
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
static snVec3 lossOf(Model lower, Model upper, snVec3 along, double friction)
{
    snContext context = snDefaultContext();
    Slide s = begin(lower, upper, friction, &context);
    snBodyMeasure first, last;
    CHECK(snWorld_Join(s.world, NULL) == SN_OK);
    snBody_SetVelocity(s.body[1], snMulAdd(snVec(0, -1, 0), 1, along), snVec(0, 0, 0));
    snBody_Measure(s.body[1], &first);
    for (int k = 0; k < THROWN; k++) {
        snWorld_Step(s.world);
        CHECK(isSound(s.world));
    }
    snBody_Measure(s.body[1], &last);
    snWorld_Destroy(s.world);
    // There is no weight: what nothing stops goes on as it did.
    CHECK(last.momentum.y > 0.95 * first.momentum.y); // both below 0
    return snSub(first.momentum, last.momentum);
}

static void whatIsThrownIsSlowed(void)
{
    for (int a = 0; a < MODELS; a++)
        for (int b = 0; b < MODELS; b++) {
            // One of both ways will do; beasts have the others on their backs.
            if (isBeast((Model)a) == isBeast((Model)b) ? b < a : isBeast((Model)b)) continue;
            if (b == RIGGED) continue; // above
            // Across backs, which slope along their length; a ball along the crest, whose knobs would stop it.
            snVec3 along = isBeast((Model)a) && b != SKIN ? snVec(1, 0, 0) : snVec(0, 0, 1);
            snVec3 with = lossOf((Model)a, (Model)b, along, FRICTION);
            snVec3 without = lossOf((Model)a, (Model)b, along, 0);
            double more = snDot(snSub(with, without), along) / -without.y;
            printf("    %s at %s: %.3f along of %.3f across, without friction %.3f of %.3f: %.2f\n",
                   modelNames[b], modelNames[a], snDot(with, along), -with.y, snDot(without, along),
                   -without.y, more);
            CHECK(more > 0.1 &&
                  more < 1.25 * FRICTION); // normals turn where balls roll over each other
        }
}

int main(void)
{
    makeLimpBumble(&bumble, 30, 1.0 / 120, 1.5 * SN_DEMO_CROWD_EDGE);
    RUN(whatLiesStaysOrSlides);
    RUN(whatIsLedIsDragged);
    RUN(whatIsThrownIsSlowed);
    freeBumble(&bumble);
    return snTest_Finish();
}
