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
            deepest = fmax(deepest, world->reports.data[i].deepest);
            dropped += world->reports.data[i].dropped;
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

static void threadsGiveTheSameBits(void)
{
    snBytes saved[2];
    snContext plain = snDefaultContext();
    for (int k = 0; k < 2; k++) {
        snContext context = snDefaultContext();
        snThreadPool *pool = NULL;
        CHECK(snThreadPool_Make(&pool, k ? 3 : 1, NULL) == SN_OK);
        context.tasks = snThreadPool_Tasks(pool);
        snStage stage = newPile(12, &context);
        for (int n = 0; n < 90; n++)
            snWorld_Step(stage.world);
        saved[k] = snMakeBytes(&plain);
        saveAll(stage.world, &saved[k]);
        snStage_Destroy(&stage);
        snThreadPool_Destroy(pool);
    }
    CHECK(saved[0].size > 0 && saved[0].size == saved[1].size);
    CHECK(!memcmp(saved[0].data, saved[1].data, saved[0].size));
    snBytes_Destroy(&saved[0]), snBytes_Destroy(&saved[1]);
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
        dropped += stage.world->reports.data[0].dropped;
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
    RUN(fullIsReported);
    RUN(exampleIsWhatIsWritten);
    return snTest_Finish();
}
