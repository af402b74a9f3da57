// Bodies with linear deformations among others: they rest, stack and bounce; ties hold while they touch; points of lattices grab
// them; a blow on a long chain reaches all of it.
#include "core/core.h"
#include "tests/scene/sources.h"

static void end(Play *play)
{
    for (int i = 0; i < play->stage.world->tales.count; i++)
        CHECK(!play->stage.world->tales.data[i].failures &&
              !play->stage.world->tales.data[i].conflicts);
    endPlay(play);
}

static void step(Play *play, int count)
{
    for (int k = 0; k < count; k++)
        stepPlay(play);
}

static snBodyMeasure measure(const Play *play, int body)
{
    snBodyMeasure m;
    snBody_Measure(play->stage.world->bodies.data[body], &m);
    return m;
}

static double lowest(const Play *play, int body)
{
    const snBody *b = play->stage.world->bodies.data[body];
    double low = INFINITY;
    for (int v = 0; v < b->vertexCount; v++)
        low = fmin(low, snBody_Vertex(b, v).y);
    return low;
}

#define MATERIAL(pascals)                                                                          \
    "\"material\": {\"rigidity\": \"" pascals "\", \"volume\": \"" pascals "\"}"

// Every shape, of two orders, comes to rest on the floor and stays out of it.
static void theyRest(void)
{
    static const char *const shapes[] = {
        "\"box\": {\"size\": [0.3, 0.2, 0.3]}",
        "\"sphere\": {\"radius\": 0.15}",
        "\"pyramid\": {\"size\": [0.4, 0.3, 0.4]}",
        "\"cylinder\": {\"radius\": 0.15, \"length\": 0.2}",
        "\"cylinder\": {\"radius\": 0.15, \"length\": 0.2, \"top\": 0}",
        "\"capsule\": {\"radius\": 0.1, \"length\": 0.2}, \"rotation\": [0, 0, 0.7, 0.7]"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int order = 1; order <= 2; order++) {
            char text[1000];
            snprintf(text, sizeof text,
                     HEAD "\"bodies\": [{\"name\": \"a\", %s, \"poly\": {\"order\": %d}, " MATERIAL(
                         "30 kPa") ", \"place\": [0, 0.25, 0]}], \"colliders\": [{\"kind\": "
                                   "\"floor\"}]}",
                     shapes[i], order);
            Play play = beginPlay(text);
            step(&play, 360);
            snBodyMeasure m = measure(&play, 0);
            double low = lowest(&play, 0), speed = sqrt(2 * m.kinetic / m.mass);
            bool good = low > -1e-4 && low < 2e-3 && speed < 1e-3;
            if (!CHECK(good))
                printf("    %.30s, order %d: lowest %.1e m, %.1e m/s\n", shapes[i], order, low,
                       speed);
            CHECK(play.stage.world->tales.data[0].deepest < 1e-3);
            end(&play);
        }
}

// Three upon each other.
static void theyStack(void)
{
    Play play = beginPlay(
        HEAD
        "\"bodies\": [{\"name\": \"a\", \"box\": {\"size\": [0.4, 0.2, 0.4]}, \"poly\": "
        "{}, " MATERIAL(
            "40 kPa") ", \"place\": [0, 0.11, 0]}, {\"name\": \"b\", \"box\": "
                      "{\"size\": [0.3, 0.2, 0.3]}, \"poly\": {\"order\": 2}, " MATERIAL(
                          "40 kPa") ", \"place\": [0.03, 0.33, 0]}, {\"name\": \"c\", \"sphere\": "
                                    "{\"radius\": 0.1}, \"poly\": {\"order\": 2}, " MATERIAL(
                                        "40 kPa") ", \"place\": [0.03, 0.55, 0]}], \"colliders\": "
                                                  "[{\"kind\": \"floor\"}]}");
    step(&play, 480);
    const double wanted[3] = {0.1, 0.3, 0.5};
    for (int i = 0; i < 3; i++) {
        snBodyMeasure m = measure(&play, i);
        printf("    %s at %.4f m, %.1e m/s\n", play.scene.bodies[i].solid.name, m.center.y,
               sqrt(2 * m.kinetic / m.mass));
        CHECK(fabs(m.center.y - wanted[i]) < 0.02 && sqrt(2 * m.kinetic / m.mass) < 0.01);
        CHECK(play.stage.world->tales.data[i].deepest < 2e-3);
    }
    end(&play);
}

// How high it comes back of a metre, by its restitution.
static double bounce(double restitution, int order)
{
    char text[1000];
    snprintf(text, sizeof text,
             HEAD
             "\"stepsPerSecond\": 480, \"bodies\": [{\"name\": \"a\", \"sphere\": {\"radius\": "
             "0.1}, \"poly\": {\"order\": %d}, " MATERIAL(
                 "1 MPa") ", \"contact\": {\"restitution\": %g}, \"place\": [0, 1.1, 0]}], "
                          "\"colliders\": [{\"kind\": \"floor\"}]}",
             order, restitution);
    Play play = beginPlay(text);
    double top = 0;
    step(&play, 240);
    for (int k = 0; k < 240; k++) {
        step(&play, 1);
        snBodyMeasure m = measure(&play, 0);
        top = fmax(top, m.center.y - 0.1);
    }
    end(&play);
    return top;
}

static void theyBounce(void)
{
    for (int order = 1; order <= 2; order++) {
        double dead = bounce(0, order), half = bounce(0.5, order), lively = bounce(0.9, order);
        printf("    order %d: comes back to %.3f m with restitution 0, %.3f with 0.5, %.3f with "
               "0.9\n",
               order, dead, half, lively);
        CHECK(dead < half && half < lively && lively > 0.4 && lively < 1);
    }
}

// A chain of tied parts falls on the floor and over an edge: ends stay together, nothing is in anything, and no energy comes.
// Of lattices their neighbours' sides are near their ties: those pass through each other.
#define CHAIN(touch, first, second, third)                                                         \
    HEAD "\"bodiesTouch\": " touch                                                                 \
         ", \"bodies\": [{\"name\": \"a\", \"place\": [0, 0.8, 0], " first                         \
         "}, {\"name\": \"b\", \"place\": [0.45, 0.8, 0], " second                                 \
         "}, {\"name\": \"c\", \"place\": [0.9, 0.8, 0], \"rotation\": {\"axis\": [0, 0, 1], "     \
         "\"angle\": 90}, " third "}], "
#define LINKED(at)                                                                                 \
    "\"attachments\": [{\"body\": \"a\", \"point\": [" at                                          \
    ", 0, 0.05], \"to\": {\"body\": \"b\", \"point\": [-" at                                       \
    ", 0, 0.05]}}, {\"body\": \"a\", \"point\": [" at                                              \
    ", 0, -0.05], \"to\": {\"body\": \"b\", \"point\": [-" at                                      \
    ", 0, -0.05]}}, {\"body\": \"b\", \"point\": [" at                                             \
    ", 0, 0], \"to\": {\"body\": \"c\", \"point\": [0, " at                                        \
    ", 0]}}], \"colliders\": [{\"kind\": \"floor\"}, {\"kind\": \"box\", \"size\": [0.3, 0.4, "    \
    "1], "                                                                                         \
    "\"place\": [0.2, 0.2, 0]}]}"

static void dropChain(const char *name, const char *text)
{
    Play play = beginPlay(text);
    double apart = 0, first = INFINITY, gained = 0, before = 0;
    for (int k = 0; k < 480; k++) {
        snWorldMeasure m;
        step(&play, 1);
        for (int i = 0; i < 3; i++) {
            const snAttachment *a = &play.stage.world->attachments.data[i];
            const snBody *const *bodies = (const snBody *const *)play.stage.world->bodies.data;
            apart = fmax(apart, snDistance(snBody_Place(bodies[a->def.body], a->point),
                                           snBody_Place(bodies[a->def.other], a->otherPoint)));
        }
        snWorld_Measure(play.stage.world, &m);
        double energy = m.sum.kinetic + m.sum.elastic + 9.81 * m.sum.mass * m.sum.center.y;
        if (k == 0) first = energy;
        if (k > 0) gained += fmax(0, energy - before);
        before = energy;
    }
    double deepest = 0;
    for (int i = 0; i < 3; i++)
        deepest = fmax(deepest, play.stage.world->tales.data[i].deepest);
    snBodyMeasure rest = measure(&play, 0);
    printf("    %s: ends %.1e m apart, %.1e m deep at most, gains %.1e of its energy, at rest %.1e "
           "m/s\n",
           name, apart, deepest, gained / first, sqrt(2 * rest.kinetic / rest.mass));
    CHECK(apart < 1e-9 && deepest < 1e-3 && gained < 0.01 * first);
    CHECK(sqrt(2 * rest.kinetic / rest.mass) < 0.1);
    end(&play);
}

static void tiesHoldWhileTheyTouch(void)
{
#define BAR "\"box\": {\"size\": [0.4, 0.1, 0.2]}, "
#define CELLS(n) "\"box\": {\"size\": [0.45, 0.1, 0.2], \"cells\": " n "}, \"quadrature\": 1"
    dropChain("polynomials",
              CHAIN("true", BAR "\"poly\": {}, " MATERIAL("60 kPa"),
                    BAR "\"poly\": {\"order\": 2}, " MATERIAL("60 kPa"),
                    "\"capsule\": {\"radius\": 0.05, \"length\": 0.3}, \"poly\": {}, " MATERIAL(
                        "60 kPa")) LINKED("0.225"));
    dropChain("lattices", CHAIN("false", CELLS("[4, 1, 2]"), CELLS("[3, 1, 1]"),
                                "\"box\": {\"size\": [0.1, 0.45, 0.1], \"cells\": [1, 3, 1]}, "
                                "\"quadrature\": 1") LINKED("0.225"));
}

// A trunk, which is a lattice, takes an affine block up by a point, carries it and lets it go: it falls on the floor.
static void latticesGrabThem(void)
{
    Play play = beginPlay(
        HEAD
        "\"bodies\": [{\"name\": \"trunk\", \"box\": {\"size\": [0.12, 0.9, 0.12], \"cells\": "
        "[1, 5, 1]}, \"quadrature\": 1, \"material\": {\"young\": \"40 kPa\", \"density\": "
        "300, \"drag\": 1}, \"place\": [0, 1.2, 0]}, {\"name\": \"block\", \"box\": {\"size\": "
        "[0.2, 0.2, 0.2]}, \"poly\": {}, " MATERIAL(
            "30 kPa") ", \"place\": [0.3, 0.1, 0]}], "
                      "\"attachments\": [{\"body\": "
                      "\"trunk\", \"within\": "
                      "{\"lower\": [-1, 0.44, -1]}}], "
                      "\"colliders\": [{\"kind\": \"floor\"}], \"points\": [{\"name\": \"tip\", "
                      "\"body\": "
                      "\"trunk\", \"point\": [0, -0.45, 0]}, {\"name\": \"top\", \"body\": "
                      "\"block\", \"point\": "
                      "[0, 0.1, 0]}], \"scripts\": [{\"name\": \"trunk\", \"goals\": [{\"name\": "
                      "\"take\", "
                      "\"do\": \"grab\", \"point\": \"tip\", \"target\": \"top\", \"time\": 0.5, "
                      "\"velocity\": "
                      "\"target\"}, {\"name\": \"carry\", \"do\": \"move\", \"point\": \"tip\", "
                      "\"to\": [-0.4, "
                      "0.7, 0], \"time\": 0.8, \"hold\": true}, {\"do\": \"wait\", \"time\": 0.3}, "
                      "{\"do\": "
                      "\"disconnect\", \"point\": \"tip\", \"target\": \"top\"}]}]}");
    const snControl *c = play.stage.control;
    const snBody *const *bodies = (const snBody *const *)play.stage.world->bodies.data;
    double apart = 0, high = 0;
    for (int k = 0; k < 480; k++) {
        step(&play, 1);
        const snGoalState *take = snControl_Goal(c, 0, 0), *wait = snControl_Goal(c, 0, 2);
        bool carried = take->wins && !wait->wins && // once it is eased out
                       play.stage.world->ticks > take->end + 12;
        double gap = snDistance(snBody_Place(bodies[0], c->points[0].handle),
                                snBody_Place(bodies[1], c->points[1].handle));
        if (carried) apart = fmax(apart, gap);
        high = fmax(high, measure(&play, 1).center.y);
    }
    printf("    carried %.1e m apart, as high as %.2f m; then at %.3f m\n", apart, high,
           measure(&play, 1).center.y);
    CHECK(c->scriptStates[0].phase == SN_SCRIPT_DONE && apart < 1e-9 && high > 0.4);
    CHECK(fabs(measure(&play, 1).center.y - 0.1) < 0.01 && measure(&play, 1).center.x < -0.2);
    end(&play);
}

// Sixty affine links, each held to the next one at two points, are struck at one end: all ties keep, and momentum is what the
// blow gave. More rows take part than a blow always has room for.
enum { LINKS = 60 };

static void longChainsAreStruck(void)
{
    size_t size = 60000, at = 0;
    char *text = malloc(size);
    at += (size_t)snprintf(text, size,
                           HEAD "\"gravity\": [0, 0, 0], \"bodiesTouch\": false, "
                                "\"bodies\": [");
    for (int i = 0; i < LINKS; i++)
        at += (size_t)snprintf(text + at, size - at,
                               "%s{\"name\": \"link %d\", \"box\": {\"size\": [0.1, 0.05, 0.05]}, "
                               "\"poly\": {}, \"contact\": false, \"place\": [%g, 0, 0]}",
                               i ? ", " : "", i, 0.1 * i);
    at += (size_t)snprintf(text + at, size - at, "], \"attachments\": [");
    for (int i = 0; i + 1 < LINKS; i++)
        for (int side = -1; side <= 1; side += 2)
            at += (size_t)snprintf(text + at, size - at,
                                   "%s{\"body\": \"link %d\", \"point\": [0.05, 0, %g], \"to\": "
                                   "{\"body\": \"link %d\", \"point\": [-0.05, 0, %g]}}",
                                   i || side > 0 ? ", " : "", i, 0.02 * side, i + 1, 0.02 * side);
    snprintf(
        text + at, size - at,
        "], \"points\": [{\"name\": \"end\", \"body\": \"link 0\", \"point\": [-0.05, 0, 0]}]}");
    Play play = beginPlay(text);
    snWorld *world = play.stage.world;
    snBodySpot spot = snRestSpot(snVec(-0.05, 0, 0));
    int point = -1;
    step(&play, 1);
    CHECK(snBody_Locate(world->bodies.data[0], &spot, &point, NULL) == SN_OK);
    snStrike blow = {.body = 0, .point = point, .other = SN_WORLD_NOBODY, .velocity = {1, 2, 0.5}};
    snWorld_Strike(world, 1, &blow);
    double worst = 0, energy = 0;
    snVec3 momentum = {0, 0, 0};
    for (int i = 0; i < world->attachments.count; i++) {
        const snAttachment *a = &world->attachments.data[i];
        snVec3 v = snBody_Velocity(world->bodies.data[a->def.body], a->point);
        snVec3 w = snBody_Velocity(world->bodies.data[a->def.other], a->otherPoint);
        worst = fmax(worst, snDistance(v, w));
    }
    for (int i = 0; i < LINKS; i++) {
        snBodyMeasure m = measure(&play, i);
        momentum = snAdd(momentum, m.momentum);
        energy += m.kinetic;
    }
    snVec3 got = snBody_Velocity(world->bodies.data[0], point);
    double work = 0.5 * snDot(momentum, got); // of the impulse, from rest
    printf("    %d ties, ends differ by %.1e m/s, the point by %.1e; energy %.6f J of %.6f\n",
           world->attachments.count, worst, snDistance(got, blow.velocity), energy, work);
    CHECK(world->attachments.count > 64 && worst < 1e-9);
    CHECK(snDistance(got, blow.velocity) < 1e-9 && fabs(energy - work) < 1e-6 * work);
    end(&play);
    free(text);
}

int main(void)
{
    RUN(theyRest);
    RUN(theyStack);
    RUN(theyBounce);
    RUN(tiesHoldWhileTheyTouch);
    RUN(latticesGrabThem);
    RUN(longChainsAreStruck);
    return snTest_Finish();
}
