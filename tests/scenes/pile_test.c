// A pile of coated bodies: it comes to rest, nothing sinks, kernels stay apart, on any number of threads.
// `make bench ONLY=coat/speed` has how long steps take.
#include "body/coat/coat_parts.h"
#include "core/random.h"
#include "platform/threads.h"
#include "tests/scenes/coats.h"
#include "tests/scenes/piles.h"
#include "tests/test.h"

#include <math.h>
#include <stdlib.h>

static snStage newPile(int bodies, const snContext *context)
{
    snStage stage;
    snError error = {0};
    snPileDef def = {bodies, 3};
    if (!CHECK(makePile(&def, context, &stage, &error) == SN_OK))
        printf("    %s\n", error.message), exit(1);
    return stage;
}

static const snCoatBody *coatAt(const snWorld *world, int i)
{
    return (const snCoatBody *)world->bodies.data[i];
}

static double shortestOf(const snCoatBody *b)
{
    double least = INFINITY;
    for (int e = 0; e < b->coating->elementCount; e++)
        for (int i = 0; i < b->coating->elements[e].element.count; i++)
            least = fmin(least, b->coating->elements[e].element.rest[i]);
    return least;
}

// Kernels are the axes of elements, thick by the shortest that their cylinders can be: between two bodies, how much room there is,
// by many points of them.
static double roomBetween(const snCoatBody *a, const snCoatBody *b)
{
    enum { POINTS = 17 };
    double least = INFINITY;
    for (int e = 0; e < a->coating->elementCount; e++)
        for (int f = 0; f < b->coating->elementCount; f++) {
            const snCoatElement *x = &a->coating->elements[e], *y = &b->coating->elements[f];
            for (int i = 0; i < POINTS * POINTS; i++) {
                double s = (i % POINTS) / (POINTS - 1.0), t = (double)(i / POINTS) / (POINTS - 1);
                snVec3 p = snMulAP(a->frames[x->joint], snLerp(x->head, x->tail, s));
                snVec3 q = snMulAP(b->frames[y->joint], snLerp(y->head, y->tail, t));
                least = fmin(least, snDistance(p, q));
            }
        }
    return least;
}

static double leastRoom(const snWorld *world)
{
    double least = INFINITY;
    for (int i = 0; i < world->bodies.count; i++)
        for (int k = 0; k < i; k++)
            least = fmin(least, roomBetween(coatAt(world, i), coatAt(world, k)));
    return least;
}

static void comesToRest(void)
{
    snContext context = snDefaultContext();
    snStage stage = newPile(12, &context);
    snWorld *world = stage.world;
    double shortest = shortestOf(coatAt(world, 0)), deepest = 0;
    snWorldMeasure m;
    int dropped = 0;
    Sunk sunk = {0};
    for (int n = 0; n < 360; n++) {
        snWorld_Step(world);
        Sunk now = deepestSample(world);
        if (now.share > sunk.share) sunk = now;
        for (int i = 0; i < world->bodies.count; i++) {
            deepest = fmax(deepest, world->reports.data[i].contact.deepest);
            dropped += world->reports.data[i].contact.dropped;
        }
    }
    snWorld_Measure(world, &m);
    double room = leastRoom(world), speed = sqrt(2 * m.sum.kinetic / m.sum.mass);
    printf("    12 nails after 3 s: %.2g m/s in the mean, deepest %.2g %% of the shortest cylinder "
           "(%.3f m), kernels %.3f m apart\n",
           speed, 100 * deepest / shortest, shortest, room);
    Kernels kernels = kernelsOf(world);
    printf(
        "    by brute force: deepest %.2g %% of its own cylinder, %d of %d pairs of kernels meet\n",
        100 * sunk.share, kernels.meeting, kernels.pairs);
    CHECK(sunk.share < 0.05);
    CHECK(kernels.meeting == 0);
    CHECK(speed < 0.02);
    CHECK(deepest < 0.05 * shortest);
    CHECK(room > 0.5 * shortest);
    CHECK(dropped == 0);
    snStage_Destroy(&stage);
}

// Points that are within an envelope, by the solid angle, are never said to be outside.
static void sectorsMissNothing(void)
{
    snContext context = snDefaultContext();
    snStage stage = newPile(12, &context);
    snRandom random = snMakeRandom(5);
    int inside = 0, passed = 0, points = 0;
    for (int n = 0; n < 120; n++)
        snWorld_Step(stage.world);
    for (int i = 0; i < stage.world->bodies.count; i++) {
        const snCoatBody *b = coatAt(stage.world, i);
        for (int e = 0; e < b->coating->elementCount; e++) {
            if (!b->paired[e]) continue; // no planes
            CHECK(b->sectors[e].any);
            Envelope envelope = envelopeOf(b, e, false);
            for (int k = 0; k < 500; k++, points++) {
                snVec3 low = envelope.box.lower, high = envelope.box.upper;
                snVec3 x = snVec(snRandom_Uniform(&random, low.x, high.x),
                                 snRandom_Uniform(&random, low.y, high.y),
                                 snRandom_Uniform(&random, low.z, high.z));
                bool may = snCoatBody_MayHold(b, e, x), is = isInside(&envelope, x);
                if (!CHECK(may || !is)) break;
                inside += is, passed += may;
            }
            free(envelope.corners);
        }
    }
    printf("    of %d points %d are in envelopes, %d may be\n", points, inside, passed);
    CHECK(inside > 1000 && passed < 2 * inside);
    snStage_Destroy(&stage);
}

static void saveAll(const snWorld *world, snBytes *bytes)
{
    for (int i = 0; i < world->bodies.count; i++) {
        size_t size = snBody_SaveSize(world->bodies.data[i]);
        void *one = malloc(size);
        snBody_Save(world->bodies.data[i], one);
        snBytes_Append(bytes, one, size);
        free(one);
    }
}

static int asleepIn(const snWorld *world)
{
    int count = 0;
    for (int i = 0; i < world->bodies.count; i++)
        count += coatAt(world, i)->rest.island > 0;
    return count;
}

// While they fall, meet and fall asleep one after another.
static void threadsGiveTheSameBits(void)
{
    snBytes saved[3];
    snContext plain = snDefaultContext();
    for (int k = 0; k < 3; k++) {
        snContext context = snDefaultContext();
        snThreadPool *pool = NULL;
        CHECK(snThreadPool_Make(&pool, 1 + k, NULL) == SN_OK);
        context.tasks = snThreadPool_Tasks(pool);
        snStage stage = newPile(18, &context);
        CHECK(((const snCoatGroup *)stage.world->groups.data[0].group)->split.depth == 2);
        bool some = false; // sleep, and others not
        for (int n = 0; n < 240; n++) {
            snWorld_Step(stage.world);
            some = some || (asleepIn(stage.world) > 0 && asleepIn(stage.world) < 18);
        }
        CHECK(some);
        saved[k] = snMakeBytes(&plain);
        saveAll(stage.world, &saved[k]);
        snStage_Destroy(&stage);
        snThreadPool_Destroy(pool);
    }
    for (int k = 1; k < 3; k++) {
        CHECK(saved[0].size > 0 && saved[0].size == saved[k].size);
        CHECK(!memcmp(saved[0].data, saved[k].data, saved[0].size));
    }
    for (int k = 0; k < 3; k++)
        snBytes_Destroy(&saved[k]);
}

static bool areSame(const snBytes *a, const snBytes *b)
{
    return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

static snBytes bytesAfter(snWorld *world, int steps)
{
    snContext context = snDefaultContext();
    snBytes bytes = snMakeBytes(&context);
    for (int n = 0; n < steps; n++)
        snWorld_Step(world);
    saveAll(world, &bytes);
    return bytes;
}

static void restoreAll(snWorld *world, const snBytes *bytes)
{
    const unsigned char *at = (const unsigned char *)bytes->data;
    for (int i = 0; i < world->bodies.count; i++) {
        CHECK(snBody_Restore(world->bodies.data[i], at, NULL) == SN_OK);
        at += snBody_SaveSize(world->bodies.data[i]);
    }
}

// What rests sleeps and does not change by a bit; a blow to one wakes those that it touches, and after a while they sleep again. What is
// restored in its sleep goes on as if it had not been.
static void restSleepsAndWakes(void)
{
    snContext context = snDefaultContext();
    snStage stage = newPile(5, &context);
    snWorld *world = stage.world;
    snBytes asleep = bytesAfter(world, 420), later = bytesAfter(world, 60);
    CHECK(asleepIn(world) == 5);
    CHECK(areSame(&asleep, &later));
    snBytes struck[2];
    for (int k = 0; k < 2; k++) {
        if (k) restoreAll(world, &asleep);
        snBody_SetVelocity(world->bodies.data[4], snVec(0.5, 1, 0), snVec(0, 0, 0));
        snWorld_Step(world);
        CHECK(asleepIn(world) < 5);
        struck[k] = bytesAfter(world, 60);
    }
    CHECK(areSame(&struck[0], &struck[1]));
    CHECK(!areSame(&struck[0], &asleep));
    snBytes again = bytesAfter(world, 420);
    CHECK(asleepIn(world) == 5);
    snBytes_Destroy(&asleep), snBytes_Destroy(&later), snBytes_Destroy(&again);
    snBytes_Destroy(&struck[0]), snBytes_Destroy(&struck[1]);
    snStage_Destroy(&stage);
}

// One that comes down on a pile that sleeps wakes it; without weight, and nothing to stand on, none sleeps however slow it is.
static void touchWakesAndFlyingDoesNotSleep(void)
{
    snContext context = snDefaultContext();
    snStage stage = newPile(3, &context);
    snWorld *world = stage.world;
    for (int n = 0; n < 420; n++)
        snWorld_Step(world);
    CHECK(asleepIn(world) == 3);
    snAffine over = snIdentityAffine();
    over.origin = snAdd(coatAt(world, 1)->frames[1].origin, snVec(0, 0.6, 0));
    snBody_Put(world->bodies.data[0], &over);
    CHECK(asleepIn(world) == 2);
    bool woken = false;
    for (int n = 0; n < 120; n++) {
        snWorld_Step(world);
        woken = woken || coatAt(world, 1)->rest.island == 0;
    }
    CHECK(woken);
    world->def.gravity = snVec(0, 0, 0);
    over.origin = snVec(0, 5, 0);
    snBody_Put(world->bodies.data[0], &over);
    snBody_SetVelocity(world->bodies.data[0], snVec(0, 0.005, 0), snVec(0, 0, 0));
    for (int n = 0; n < 120; n++)
        snWorld_Step(world);
    CHECK(coatAt(world, 0)->rest.island == 0);
    CHECK_NEAR(coatAt(world, 0)->frames[0].origin.y, 5 + 0.005, 1e-9);
    snStage_Destroy(&stage);
}

// A head that lies on the flesh of its neck comes to rest, thrown one way or another.
static void headsComeToRest(void)
{
    for (int throw = 0; throw < 4; throw ++) {
        Shipped shipped;
        snSceneFile scene;
        snStage stage;
        snError error = {0};
        makeShipped(&shipped);
        CHECK(readShippedScene(&shipped, "octopus", &scene, &error) == SN_OK);
        CHECK(snSceneFile_Build(&scene, &stage, &shipped.context, &error) == SN_OK);
        snCoatBody *b = (snCoatBody *)stage.world->bodies.data[0];
        snLinkState *root = snArticulatedState_Links(b->state);
        root->velocity = snAdd(root->velocity, snVec(0.05 * throw, 0, 0.03 * (throw % 3)));
        root->spin = snAdd(root->spin, snVec(0.1 * throw, 0.05 * (throw % 2), 0));
        snArticulated_Update(b->tree, b->state);
        for (int n = 0; n < 600; n++)
            snWorld_Step(stage.world);
        snBodyMeasure m;
        snBody_Measure(&b->body, &m);
        double speed = sqrt(2 * m.kinetic / m.mass);
        printf("    octopus, throw %d: %.2g m/s after 5 s\n", throw, speed);
        CHECK(speed < 0.01);
        snSceneFile_Destroy(&scene);
        snStage_Destroy(&stage);
        freeShipped(&shipped);
    }
}

// Where there are more contacts than places, that is said.
static void fullIsReported(void)
{
    snContext context = snDefaultContext();
    snStage stage = newPile(2, &context);
    snCoatGroup *group = stage.world->groups.data[0].group;
    int dropped = 0;
    group->mostContacts = 3, group->mostHits = 4;
    for (int n = 0; n < 60; n++) {
        snWorld_Step(stage.world);
        dropped += stage.world->reports.data[0].contact.dropped;
    }
    CHECK(dropped > 0);
    CHECK(stage.world->tales.data[0].dropped > 0);
    snStage_Destroy(&stage);
}

static void exampleIsWhatIsWritten(void)
{
    Shipped shipped;
    makeShipped(&shipped);
    snBytes made = snMakeBytes(&shipped.context), file = snMakeBytes(&shipped.context);
    snPileDef def = snDefaultPileDef();
    snPile_WriteScene(&def, &made);
    CHECK(readNeighbour(&shipped, "pile.json", &file, NULL) == SN_OK);
    CHECK(made.size == file.size && !memcmp(made.data, file.data, made.size));
    snBytes_Destroy(&made), snBytes_Destroy(&file);
    freeShipped(&shipped);
}

int main(void)
{
    RUN(comesToRest);
    RUN(sectorsMissNothing);
    RUN(threadsGiveTheSameBits);
    RUN(restSleepsAndWakes);
    RUN(touchWakesAndFlyingDoesNotSleep);
    RUN(headsComeToRest);
    RUN(fullIsReported);
    RUN(exampleIsWhatIsWritten);
    return snTest_Finish();
}
