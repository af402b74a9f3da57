// The paper's two stories a hundred times each, as the example scenes have them: how often the monster eats its prey, on the
// floor and in space, and how often the hook hangs itself up.
#include "bench/bench.h"
#include "tests/scenes/stories.h"

#define STORIES 100

typedef struct Count {
    int good;
    double time, stretch;
} Count;

static Count huntMany(snBench *bench, bool space)
{
    Shipped shipped;
    snRandom random = snMakeRandom(space ? 32 : 31);
    Count count = {0};
    makeShipped(&shipped);
    for (int i = 0; i < STORIES; i++) {
        snError error = {0};
        Walk walk = randomWalk(&random, space);
        Hunt hunt = huntOnce(&shipped, &walk, space, 1 + i % STORY_PREY, &error);
        count.good += hunt.eaten;
        count.time += hunt.time / STORIES;
        count.stretch = fmax(count.stretch, hunt.stretch);
        if (!hunt.eaten || hunt.troubles)
            snBench_Note(
                bench,
                "%d: %s from %.2f reaches away, at %.2f a second, its way as near as %.2f: "
                "%s; %d steps in trouble",
                i, hunt.eaten ? "eaten" : "missed", snLength(walk.from), snLength(walk.velocity),
                walk.nearest, hunt.good ? hunt.why : error.message, hunt.troubles);
    }
    freeShipped(&shipped);
    return count;
}

void snBench_Monster(snBench *bench)
{
    for (int space = 0; space < 2; space++) {
        const char *id = space ? "nonrigid/monster-space" : "nonrigid/monster-floor";
        if (!snBench_Wants(bench, id)) continue;
        Count count = huntMany(bench, space);
        snBench_Note(bench,
                     "%s: %d of %d eaten, after %.1f s in the mean; the horn %.2f of its length at "
                     "most",
                     space ? "in space, the half sphere in front"
                           : "on the floor, the half circle "
                             "in front",
                     count.good, STORIES, count.time, count.stretch);
        snBench_Report(bench, id, count.good, "of 100", ">= 95");
    }
}

void snBench_Hook(snBench *bench)
{
    Shipped shipped;
    snRandom random = snMakeRandom(33);
    int good = 0;
    double low = INFINITY, miss = 0;
    makeShipped(&shipped);
    for (int i = 0; i < STORIES; i++) {
        snError error = {0};
        Hang hang = hangOnce(&shipped, &random, &error);
        good += hang.hangs;
        low = fmin(low, hang.low);
        miss = fmax(miss, hang.miss);
        if (!hang.hangs)
            snBench_Note(bench, "%d: %s; its lowest point at %.2f m", i,
                         hang.good ? hang.why : error.message, hang.low);
    }
    freeShipped(&shipped);
    snBench_Note(bench, "%d of %d pyramids hang, %.2f m above the floor at least; held to %.0e m",
                 good, STORIES, low, miss);
    snBench_Report(bench, "nonrigid/hook", good, "of 100", "== 100");
}
