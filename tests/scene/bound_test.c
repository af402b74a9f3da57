// Steps have a bound: however many contacts act, who pushes is found in a bounded number of rounds, by a bounded number of rows of a
// factor; what is left is reported, and nobody gains energy by it. Counts, not seconds.
#include "tests/scene/sources.h"

#define MOST_ROUNDS 400 // contact_dual.c: 320 in the step's searches, and 80 of its bounces, ...
#define MOST_EFFORT                                                                                \
    5.2e8 // ... or as many as take 4e8 products of numbers, 1e8 more for bounces, and the last round of each
#define MOST_ROWS                                                                                  \
    15600 // 24 times as many as there are places, and those of the last round and bounce

// What a number of steps took.
typedef struct Work {
    int rounds, most;      // in all of them, and in one at most
    double effort;         // of one at most where it had more rounds than that
    int64_t columns, rows; // the most in one
    int64_t late;          // columns in the last half of the steps
    int dropped;           // steps with conditions that were left
    double rise;           // of the energy in a step at most, over the first
    bool finite;
} Work;

static double energyOf(snWorld *world)
{
    snWorldMeasure m;
    snWorld_Measure(world, &m);
    return m.sum.kinetic + m.sum.elastic + m.potential;
}

static void add(Work *work, const snContactReport *report, bool late)
{
    work->rounds += report->rounds;
    work->most = report->rounds > work->most ? report->rounds : work->most;
    if (report->rounds > MOST_ROUNDS) work->effort = fmax(work->effort, report->effort);
    work->columns = report->columns > work->columns ? report->columns : work->columns;
    work->rows = report->rowsAdded > work->rows ? report->rowsAdded : work->rows;
    work->late += late ? report->columns : 0;
    work->dropped += report->dropped > 0;
}

static Work play(const char *text, int steps)
{
    snSceneFile scene;
    snStage stage;
    Work work = {.finite = true};
    if (!makeStage(text, &scene, &stage)) return work;
    double before = energyOf(stage.world), first = before;
    for (int k = 0; k < steps; k++) {
        snWorld_Step(stage.world);
        double energy = energyOf(stage.world);
        work.rise = fmax(work.rise, (energy - before) / fabs(first));
        before = energy;
        work.finite = work.finite && isfinite(energy);
        for (int i = 0; i < stage.world->bodies.count; i++) {
            const snBodyReport *report = &stage.world->reports.data[i];
            work.finite = work.finite && !report->failed;
            add(&work, &report->contact, 2 * k >= steps);
        }
    }
    printf("    %d rounds, %d in a step at most (%.1e); %lld columns, %lld rows at most, %lld "
           "columns in "
           "the last half; %d steps with something left; energy rises by %.1e\n",
           work.rounds, work.most, work.effort, (long long)work.columns, (long long)work.rows,
           (long long)work.late, work.dropped, work.rise);
    CHECK(work.finite && work.effort <= MOST_EFFORT && work.rows <= MOST_ROWS);
    CHECK(work.rise < 1e-3);
    snStage_Destroy(&stage);
    snSceneFile_Destroy(&scene);
    return work;
}

#define SCENE(gravity, bodies)                                                                     \
    "{\"sinew\": \"scene\", \"version\": 1, \"gravity\": [0, " gravity ", 0], \"colliders\": "     \
    "[{\"kind\": \"floor\"}], \"bodies\": [" bodies "]}"
#define PLATE(name, height)                                                                        \
    "{\"name\": \"" name "\", \"box\": {\"size\": [0.4, 0.05, 0.4], \"cells\": [2, 1, 2]}, "       \
    "\"place\": [0, " height ", 0]}"

static const char crushed[] =
    SCENE("-981", "{\"name\": \"b\", \"box\": {\"size\": [0.3, 0.2, 0.2], \"cells\": [6, 4, 4]}, "
                  "\"material\": {\"young\": \"12 kPa\"}, \"place\": [0, 0.101, 0]}");

// Where it is spent does not hang on what was kept from the steps before: from a saved state, in a world that has kept nothing, the bits are the same.
static void savedOnesHaveTheSameBound(void)
{
    snSceneFile scene[2];
    snStage stage[2];
    for (int k = 0; k < 2; k++)
        if (!makeStage(crushed, &scene[k], &stage[k])) return;
    size_t size = snWorld_SaveSize(stage[0].world);
    void *bytes = malloc(size);
    snWorld_Step(stage[0].world);
    snWorld_Save(stage[0].world, bytes);
    CHECK(snWorld_Restore(stage[1].world, bytes, size, NULL) == SN_OK);
    for (int k = 0; k < 2; k++)
        snWorld_Step(stage[k].world);
    CHECK(stage[0].world->reports.data[0].contact.dropped > 0);
    CHECK(snWorld_Hash(stage[0].world) == snWorld_Hash(stage[1].world));
    free(bytes);
    for (int k = 0; k < 2; k++) {
        snStage_Destroy(&stage[k]);
        snSceneFile_Destroy(&scene[k]);
    }
}

// A hundred times the gravity of the earth presses it flat: hundreds of rounds, and no more than the bound.
static void crushedBlocksHaveABound(void)
{
    Work work = play(crushed, 2);
    CHECK(work.most >= 300 && work.dropped > 0);
}

// Columns of S⁻¹ are solved for once, however often the samples push.
static void columnsAreKept(void)
{
    Work work =
        play(SCENE("-9.81",
                   "{\"name\": \"b\", \"box\": {\"size\": [0.3, 0.3, 0.3], \"cells\": [6, 6, 6]}, "
                   "\"place\": [0, 0.152, 0]}"),
             30);
    CHECK(work.columns > 0 && work.late == 0 && work.most < 80 && work.dropped == 0);
}

static void platesSettle(void)
{
    Work work = play(
        SCENE("-9.81", PLATE("low", "0.03") "," PLATE("middle", "0.085") "," PLATE("top", "0.14")),
        12);
    CHECK(work.most <= 320);
}

// A bar whose functions come and go lands on an edge.
static void adaptiveBarsLand(void)
{
    Work work =
        play(SCENE("-9.81",
                   "{\"name\": \"b\", \"box\": {\"size\": [1, 0.2, 0.2], \"cells\": [4, 1, 1]}, "
                   "\"scheme\": \"maccracken-joy\", \"levels\": 1, \"adaptive\": "
                   "{\"error\": 0.005, \"functions\": 60}, \"place\": [0, 0.3, 0], "
                   "\"rotation\": {\"axis\": [0, 0, 1], \"angle\": 20}}"),
             24);
    CHECK(work.rounds > 0 && work.most <= 320 && work.dropped == 0);
}

int main(void)
{
    RUN(crushedBlocksHaveABound);
    RUN(savedOnesHaveTheSameBound);
    RUN(columnsAreKept);
    RUN(platesSettle);
    RUN(adaptiveBarsLand);
    return snTest_Finish();
}
