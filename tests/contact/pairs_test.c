// The broad phase against every pair asked, while boxes wander; materials of two.
#include "contact/law.h"
#include "contact/pairs.h"
#include "core/random.h"
#include "tests/test.h"

#include <math.h>

#define BOXES 120

static bool evenWithOdd(const void *context, int one, int other)
{
    (void)context;
    return (one + other) % 2 == 1;
}

static snBox anyBox(snRandom *random)
{
    snVec3 at = snVec(snRandom_Uniform(random, -2, 2), snRandom_Uniform(random, -2, 2),
                      snRandom_Uniform(random, -2, 2));
    double half = snRandom_Uniform(random, 0.05, 0.4);
    snVec3 by = snVec(half, half, half);
    return (snBox){snSub(at, by), snAdd(at, by)};
}

static void allPairsAreFound(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snRandom random = snMakeRandom(7);
    snBox boxes[BOXES];
    snPairs pairs;
    int asked = 0;
    for (int i = 0; i < BOXES; i++)
        boxes[i] = i == 5 ? snEmptyBox() : anyBox(&random);
    CHECK(snPairs_Make(&pairs, BOXES, boxes, BOXES * BOXES / 2, evenWithOdd, NULL, &arena, NULL) ==
          SN_OK);
    for (int step = 0; step < 60; step++) {
        snBox before = pairs.wide[0];
        for (int i = 0; i < BOXES; i++) {
            double most = i % 10 ? 0.004 : 0.02;
            snVec3 by = snVec(snRandom_Uniform(&random, -most, most), most, 0);
            if (i != 5) pairs.boxes[i].lower = snAdd(pairs.boxes[i].lower, by);
            if (i != 5) pairs.boxes[i].upper = snAdd(pairs.boxes[i].upper, by);
        }
        CHECK(snPairs_Find(&pairs));
        asked += before.lower.y != pairs.wide[0].lower.y;
        int at = 0, missing = 0;
        for (int i = 0; i < BOXES; i++)
            for (int k = i + 1; k < BOXES; k++) {
                bool there = at < pairs.count && pairs.list[at].one == i &&
                             pairs.list[at].other == k; // they are in order
                at += there;
                bool touch = snBoxOverlap(pairs.boxes[i], pairs.boxes[k]);
                missing += touch && evenWithOdd(NULL, i, k) && !there;
                if (there) CHECK(evenWithOdd(NULL, i, k) && i != 5 && k != 5);
            }
        CHECK(missing == 0 && at == pairs.count);
    }
    CHECK(asked > 1 && asked < 30); // the tree serves for some steps
    snArena_Destroy(&arena);
}

static void tooManyAreSaid(void)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snBox boxes[8];
    snPairs pairs;
    for (int i = 0; i < 8; i++)
        boxes[i] = (snBox){snVec(0, 0, 0), snVec(1, 1, 1)};
    CHECK(snPairs_Make(&pairs, 8, boxes, 5, evenWithOdd, NULL, &arena, NULL) == SN_OK);
    CHECK(!snPairs_Find(&pairs) && pairs.count == 5);
    snArena_Destroy(&arena);
}

static void materialsMix(void)
{
    CHECK(snMixFriction(-1, -1) == SN_OWN_FRICTION);
    CHECK(snMixFriction(-1, 0.3) == 0.3 && snMixFriction(0.3, -1) == 0.3);
    CHECK(snMixFriction(0, 5) == 0);
    CHECK_NEAR(snMixFriction(0.2, 0.8), 0.4, 1e-15);
    CHECK(snMixRestitution(0.2, 0.8) == 0.8);
    CHECK(snBounceSpeed(0.5, 2, 0.1) == 1 && snBounceSpeed(0.5, 0.05, 0.1) == 0);
    CHECK(snGapToAsk(-1, 0, 0.25) == -0.75 && snGapToAsk(-0.1, 0, 0.25) == 0);
}

int main(void)
{
    RUN(allPairsAreFound);
    RUN(tooManyAreSaid);
    RUN(materialsMix);
    return snTest_Finish();
}
