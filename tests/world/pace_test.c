// The pace of made-up machines: fast, slow, with spikes, too slow for any length; and that nothing but what it is told
// counts.
#include "core/core.h"
#include "tests/test.h"
#include "world/pace.h"

#include <stdio.h>

#define TICK 8333 // µs, about

static const int lengths[] = {1, 2, 3, 4, 6, 8};

static snPace begin(void)
{
    snPaceDef def = snDefaultPaceDef();
    snPace pace;
    def.lengthCount = 6;
    def.lengths = lengths;
    CHECK(snPace_Begin(&pace, &def, NULL) == SN_OK);
    return pace;
}

// A step that takes so long, after the wait that is asked for. Returns its ticks.
static int step(snPace *pace, int64_t cost)
{
    int ticks = snPace_Next(pace);
    snPace_Took(pace, ticks, cost, snPace_Wait(pace) + cost);
    return ticks;
}

static double behind(const snPace *pace)
{
    return 1e-6 * (double)pace->elapsed - 1e-9 * (double)pace->simulated;
}

static void fastMachinesTakeShortSteps(void)
{
    snPace pace = begin();
    for (int k = 0; k < 1200; k++)
        CHECK(step(&pace, 2000 + 1000 * (k % 3)) == 1);
    CHECK(pace.changes == 0 && pace.lost == 0 && pace.stretches == 0 && !pace.behind);
    CHECK(fabs(behind(&pace)) < 0.01 && pace.steps[0] == 1200 && pace.largestLag == 0);
}

// Each length is found for what it can bear, and then kept.
static void slowerMachinesTakeLongerOnes(void)
{
    static const int64_t costs[] = {7000, 9000, 15000, 21000, 28000, 40000, 55000};
    static const int expected[] = {1, 2, 3, 3, 4, 6, 8};
    for (int i = 0; i < 7; i++) {
        snPace pace = begin();
        int ticks = 0;
        for (int k = 0; k < 600; k++)
            ticks = step(&pace, costs[i]);
        printf("    steps of %lld ms: %d ticks, %d changes, %.1f ms behind, %.1f ms at worst\n",
               (long long)costs[i] / 1000, ticks, pace.changes, 1000 * behind(&pace),
               1e-3 * (double)pace.largestLag);
        CHECK(ticks == expected[i] && pace.changes <= 3 && pace.lost == 0);
        CHECK(behind(&pace) < 0.06);
    }
}

// One slow step is made up for without longer ones; several on end are not one.
static void spikesDoNotFlicker(void)
{
    snPace pace = begin();
    for (int k = 0; k < 2000; k++)
        CHECK(step(&pace, k % 100 == 50 ? 90000 : 3000) == 1);
    printf("    spikes: %.1f ms behind at worst, %.1f ms in the end\n",
           1e-3 * (double)pace.largestLag, 1000 * behind(&pace));
    CHECK(pace.changes == 0 && pace.lost == 0 && behind(&pace) < 0.01);
    pace = begin();
    for (int k = 0; k < 2000; k++) // around the edge of a length: it goes up, and stays there
        step(&pace, k % 2 ? 7000 : 8200);
    printf("    at the edge: %d changes\n", pace.changes);
    CHECK(pace.changes <= 2);
}

// Slow for a while: longer steps at once, shorter ones again some time later, one by one.
static void itComesBack(void)
{
    snPace pace = begin();
    int longest = 0;
    for (int k = 0; k < 60; k++)
        step(&pace, 3000);
    for (int k = 0; k < 60; k++)
        longest = step(&pace, 30000);
    CHECK(longest == 6 || longest == 4);
    for (int k = 0; k < 200; k++)
        step(&pace, 3000);
    CHECK(snPace_Next(&pace) == 1 && pace.changes <= 10 && pace.lost == 0);
    CHECK(behind(&pace) < 0.01);
}

// Nothing is long enough: time is given up, and what is behind stays bounded.
static void tooSlowIsSaid(void)
{
    snPace pace = begin();
    int64_t said = 0;
    for (int k = 0; k < 300; k++) {
        step(&pace, 100000); // 1.5 times the longest
        CHECK(pace.lag <= pace.mostLag * 1000);
        said += pace.behind;
    }
    printf("    too slow: %.2f s given up of %.2f s, told in %lld of 300 steps\n",
           1e-6 * (double)pace.lost, 1e-6 * (double)pace.elapsed, (long long)said);
    CHECK(snPace_Next(&pace) == 8 && pace.behind && pace.stretches == 1 && said > 250);
    CHECK_NEAR(1e-6 * (double)(pace.lost + pace.lag / 1000), behind(&pace), 1e-3);
    for (int k = 0; k < 400; k++)
        step(&pace, 2000);
    CHECK(!pace.behind && snPace_Next(&pace) == 1 && pace.stretches == 1 && pace.lag <= 0);
    snPace_Took(&pace, 1, 2000, 60000000); // the machine slept for a minute
    CHECK(pace.behind && pace.stretches == 2 && pace.lag == pace.mostLag * 1000);
}

static void sameDurationsSameChoice(void)
{
    snPace a = begin(), b = begin();
    uint32_t random = 1;
    for (int k = 0; k < 3000; k++) {
        random = random * 1664525u + 1013904223u;
        int64_t worked = random >> 15, elapsed = worked + (random >> 18);
        snPace_Took(&a, snPace_Next(&a), worked, elapsed);
        snPace_Took(&b, snPace_Next(&b), worked, elapsed);
        CHECK(snPace_Next(&a) == snPace_Next(&b) && a.lag == b.lag);
    }
}

static void badOnesAreRefused(void)
{
    snPace pace;
    static const int wrong[][2] = {{2, 3}, {1, 1}, {0, 1}, {1, 1 << 30}};
    const double steps[] = {0, -1, 1e-9, 1e9, (double)NAN};
    for (int i = 0; i < 4; i++) {
        snPaceDef def = snDefaultPaceDef();
        def.lengthCount = 2;
        def.lengths = wrong[i];
        CHECK(snPace_Begin(&pace, &def, NULL) == SN_ERROR_ARGUMENT);
    }
    for (int i = 0; i < 5; i++) {
        snPaceDef def = snDefaultPaceDef();
        def.step = steps[i];
        CHECK(snPace_Begin(&pace, &def, NULL) == SN_ERROR_ARGUMENT);
    }
    snPaceDef def = snDefaultPaceDef();
    CHECK(snPace_Begin(&pace, &def, NULL) == SN_OK && snPace_Next(&pace) == 1); // one length
    snPace_Took(&pace, 1, -5, -5);
    snPace_Took(&pace, 1, INT64_MAX, INT64_MAX);
    CHECK(pace.elapsed > 0 && pace.lag == pace.mostLag * 1000 && snPace_Next(&pace) == 1);
    def.lengthCount = 99;
    CHECK(snPace_Begin(&pace, &def, NULL) == SN_ERROR_ARGUMENT);
}

// ---- levels of detail ---------------------------------------------------------------------------------

static snPace beginLevels(double ratio)
{
    snPaceDef def = snDefaultPaceDef();
    snPace pace;
    def.levelCount = 3;
    def.ratio = ratio;
    CHECK(snPace_Begin(&pace, &def, NULL) == SN_OK);
    return pace;
}

// So many steps on a machine whose levels take 1, a quarter and a sixteenth of `cost`.
static void stepLevels(snPace *pace, int steps, int64_t cost)
{
    for (int k = 0; k < steps; k++)
        step(pace, cost >> 2 * snPace_Level(pace));
}

static void levelsComeBeforeLengths(void)
{
    snPace pace = beginLevels(1);
    stepLevels(&pace, 200, 6000);
    CHECK(pace.level == 0 && pace.levelChanges == 0); // fast enough
    stepLevels(&pace, 200, 20000);
    CHECK(pace.level == 1 && pace.levelChanges == 1 && snPace_Next(&pace) == 1);
    stepLevels(&pace, 200, 80000);
    CHECK(pace.level == 2 && pace.levelChanges == 2 && !pace.stretches);
    stepLevels(&pace, 300, 6000);
    CHECK(pace.level == 1 && pace.levelChanges == 3); // the finest would have too little to spare
    stepLevels(&pace, 300, 4000);
    CHECK(pace.level == 0 && pace.levelChanges == 4 && pace.lag <= 0);
    stepLevels(&pace, 200, 800000);
    CHECK(pace.level == 2 && pace.behind && pace.lost > 0); // too slow at any: it says so
}

// At the edge between two levels it stays at the coarser one.
static void levelsDoNotFlicker(void)
{
    snPace pace = beginLevels(1);
    for (int k = 0; k < 3000; k++)
        step(&pace, (k % 2 ? 7300 : 8600) >> 2 * snPace_Level(&pace));
    CHECK(pace.levelChanges <= 1);
}

// The world at half of the clock's pace has twice the time for a step; at twice its pace half of it.
static void ratiosAreKept(void)
{
    static const double ratios[] = {0.5, 2};
    for (int i = 0; i < 2; i++) {
        snPace pace = beginLevels(ratios[i]);
        stepLevels(&pace, 480, 8000);
        double ratio = 1e-3 * (double)pace.simulated / (double)pace.elapsed;
        CHECK_NEAR(ratio, ratios[i], 0.02 * ratios[i]);
        CHECK(pace.level == (i ? 1 : 0));
    }
    snPaceDef def = snDefaultPaceDef();
    snPace pace;
    def.ratio = 0;
    CHECK(snPace_Begin(&pace, &def, NULL) == SN_ERROR_ARGUMENT);
    def.ratio = 1;
    def.levelCount = 99;
    CHECK(snPace_Begin(&pace, &def, NULL) == SN_ERROR_ARGUMENT);
}

int main(void)
{
    RUN(fastMachinesTakeShortSteps);
    RUN(slowerMachinesTakeLongerOnes);
    RUN(spikesDoNotFlicker);
    RUN(itComesBack);
    RUN(tooSlowIsSaid);
    RUN(sameDurationsSameChoice);
    RUN(badOnesAreRefused);
    RUN(levelsComeBeforeLengths);
    RUN(levelsDoNotFlicker);
    RUN(ratiosAreKept);
    return snTest_Finish();
}
