// A puppet of 200 pieces and 400 attachments: it holds together, whatever the rule of its steps is, and a step factors and
// allocates nothing. `make bench ONLY=nonrigid/puppet` has how long steps take.
#include "platform/threads.h"
#include "tests/scenes/puppets.h"
#include "tests/world/makers.h"

#include <stdlib.h>

#define SMALLEST (0.075 * 0.38) // m, of a bead: what misses are compared with

static snStage newPuppet(const snPuppetDef *def, const snContext *context)
{
    snStage stage;
    snError error = {0};
    if (!CHECK(makePuppet(def, context, &stage, &error) == SN_OK))
        printf("    %s\n", error.message), exit(1);
    return stage;
}

static void stepsMultiplyAlone(void)
{
    snFailingMemory memory = {0};
    snContext context = snDefaultContext();
    snPuppetDef def = snDefaultPuppetDef();
    snTest_UseFailingMemory(&context, &memory);
    snStage stage = newPuppet(&def, &context);
    snWorld *world = stage.world;
    CHECK(world->bodies.count == 200 && world->attachments.count == 407);
    int count = memory.count;
    snWorld_Step(world);
    PuppetTale first = taleOfPuppet(world);
    double miss = missOfPuppet(world);
    for (int n = 0; n < 90; n++) {
        snWorld_Step(world);
        miss = fmax(miss, missOfPuppet(world));
    }
    PuppetTale tale = taleOfPuppet(world);
    printf(
        "    first step: %d columns, %d rows; 90 more: %d and %d, %d allocations; %.1e of a bead "
        "apart\n",
        (int)first.columns, (int)first.rows, (int)(tale.columns - first.columns),
        (int)(tale.rows - first.rows), memory.count - count, miss / SMALLEST);
    CHECK(first.columns == 407 && first.rows == 407);
    CHECK(tale.columns == first.columns && tale.rows == first.rows && memory.count == count);
    CHECK(miss < 1e-6 * SMALLEST && !tale.failures && !tale.conflicts);
    snStage_Destroy(&stage);
    CHECK(memory.alive == 0);
}

// A smaller one, for ten thousand steps. The large one takes minutes: see docs/theory/nonrigid.md.
static void holdsForThousandsOfSteps(void)
{
    static const char *const rules[] = {"euler", "midpoint"};
    int steps = snTest_Whole() ? 10000 : 3000;
    for (int k = 0; k < 2; k++) {
        snContext context = snDefaultContext();
        snPuppetDef def = snDefaultPuppetDef();
        def.segments = 1;
        def.strings = 1;
        def.integrator = rules[k];
        def.stepsPerSecond = 240;
        def.seconds = 10000 / 240.0;
        snStage stage = newPuppet(&def, &context);
        double miss = 0, most = 0;
        for (int n = 0; n < steps; n++) {
            snWorld_Step(stage.world);
            miss = fmax(miss, missOfPuppet(stage.world));
            if (n % 100) continue;
            snWorldMeasure m;
            snWorld_Measure(stage.world, &m);
            most = fmax(most, m.sum.kinetic + m.sum.elastic);
        }
        PuppetTale tale = taleOfPuppet(stage.world);
        printf("    %s: %d pieces, %d attachments, %.1e of a bead apart, at most %.2f J\n",
               rules[k], stage.world->bodies.count, stage.world->attachments.count, miss / SMALLEST,
               most);
        CHECK(miss < 1e-6 * SMALLEST && !tale.failures && !tale.conflicts && most < 10);
        snStage_Destroy(&stage);
    }
}

// Every attachment twice: the second ones follow from the first, and change nothing.
static void doubledAttachmentsChangeNothing(void)
{
    snContext context = snDefaultContext();
    snPuppetDef def = snDefaultPuppetDef();
    def.segments = 20;
    snStage one = newPuppet(&def, &context);
    def.doubled = true;
    snStage two = newPuppet(&def, &context);
    double apart = 0, miss = 0;
    for (int n = 0; n < 30; n++) {
        snWorld_Step(one.world);
        snWorld_Step(two.world);
        miss = fmax(miss, missOfPuppet(two.world));
        for (int i = 0; i < one.world->bodies.count; i++) {
            snBodyMeasure a, b;
            snBody_Measure(one.world->bodies.data[i], &a);
            snBody_Measure(two.world->bodies.data[i], &b);
            apart = fmax(apart, snDistance(a.center, b.center));
        }
    }
    PuppetTale tale = taleOfPuppet(two.world);
    printf("    %d attachments for %d: %.1e m apart after half a second, held to %.1e of a bead\n",
           two.world->attachments.count, one.world->attachments.count, apart, miss / SMALLEST);
    CHECK(two.world->attachments.count > 240 && !tale.failures && !tale.conflicts);
    CHECK(apart < 1e-9 && miss < 1e-6 * SMALLEST);
    snStage_Destroy(&one);
    snStage_Destroy(&two);
}

static snWorld *makeMixedPuppet(void *user, const snContext *context)
{
    snStage *stage = user;
    snPuppetDef def = snDefaultPuppetDef();
    def.segments = 12;
    def.mixed = true;
    *stage = newPuppet(&def, context);
    return stage->world;
}

static void endPuppet(void *user)
{
    snStage_Destroy(user);
}

static void threadsAndSavingGiveTheSameBits(void)
{
    snStage stage;
    checkSameBits(
        &(Remade){makeMixedPuppet, endPuppet, &stage, .threads = 2, .before = 20, .after = 20});
}

int main(void)
{
    RUN(stepsMultiplyAlone);
    RUN(doubledAttachmentsChangeNothing);
    RUN(threadsAndSavingGiveTheSameBits);
    RUN(holdsForThousandsOfSteps);
    return snTest_Finish();
}
