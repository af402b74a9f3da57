// Levels of detail by a budget of time, under loads that are made up: the number settles where the time is kept, does not go back and forth, and is
// the same whenever the same numbers are told.
#include "tests/test.h"

#include "tests/api/posed.h"

#include <math.h>

enum { MEMBERS = 12 };

static snContext context;
static snCharacter *calf;
static snCrowd *crowd;
static const double eye[3] = {0, 0, 0};
static const snDetailRange all = {1e3, 1e4, MEMBERS};

// Frames that take `base` and so much more for every member that is stepped, in shares of what is allowed, give or take a tenth.
typedef struct Load {
    double base, each;
    int begin;       // members at first
    int least, most; // where it has to settle
} Load;

static double noise(int frame)
{
    return 1 + 0.1 * (((frame * 7919) % 101) / 50.0 - 1);
}

// What a crowd of MEMBERS would take: those that go to their rigs cost for 8 more frames, as they fade out.
static int settle(const Load *load, int frames, int *changes, snDetailBudget *budget)
{
    int stepped[8] = {0};
    *budget = (snDetailBudget){.allowed = 0.01, .most = load->begin};
    *changes = 0;
    for (int f = 0; f < frames; f++) {
        int before = budget->most, costs = 0;
        stepped[f % 8] = before;
        for (int k = 0; k < 8; k++)
            costs = stepped[k] > costs ? stepped[k] : costs;
        budget->used = 0.01 * (load->base + load->each * costs) * noise(f);
        snCrowd_KeepBudget(crowd, eye, &all, budget);
        if (f > frames / 2) *changes += budget->most != before;
    }
    return budget->most;
}

static void settlesUnderAnyLoad(void)
{
    const Load loads[] = {
        {0, 0.01, 3, MEMBERS, MEMBERS}, // all fit
        {0, 0.2, MEMBERS, 3, 5},        // too many at first
        {0, 0.2, 0, 3, 5},              // and from nothing
        {0.4, 0.1, MEMBERS, 2, 6},      // with a part that none of them is to blame for
        {0.1, 1.5, 4, 0, 0},            // one is too many
        {2, 0.01, MEMBERS, 0, 0},       // nothing helps
    };
    for (size_t k = 0; k < sizeof loads / sizeof *loads; k++) {
        snDetailBudget budget;
        int changes, most = settle(&loads[k], 800, &changes, &budget);
        double takes = loads[k].base + loads[k].each * most;
        printf("base %.2f, each %.2f: %d, %.2f of the time, %d changes in the later half\n",
               loads[k].base, loads[k].each, most, takes, changes);
        CHECK(most >= loads[k].least && most <= loads[k].most && changes <= 2);
        CHECK(takes <= 1 || most == 0);
    }
}

// The load changes: the number follows, down at once and up by and by.
static void followsTheLoad(void)
{
    const Load heavy = {0, 0.2, 12, 0, 0}, light = {0, 0.02, 12, 0, 0};
    snDetailBudget budget;
    int changes, low = settle(&heavy, 200, &changes, &budget), frames = 0;
    while (budget.most < MEMBERS && frames++ < 2000) {
        budget.used = 0.01 * light.each * budget.most;
        snCrowd_KeepBudget(crowd, eye, &all, &budget);
    }
    snDetailBudget early;
    CHECK(settle(&heavy, 32, &changes, &early) == low); // two decisions
    printf("%d of %d under a heavy load; all of them %d frames after it went\n", low, MEMBERS,
           frames);
    CHECK(low <= 5 && frames < 1200);
}

static uint64_t runCrowd(const double *used, int frames)
{
    snDetailBudget budget = {.allowed = 0.01, .most = MEMBERS};
    uint64_t hash = 0;
    for (int m = 0; m < MEMBERS; m++) {
        snPlacement place = {{m, 0, 0}, {0, 0, 0, 1}};
        snCrowd_SetDetail(crowd, m, SN_DETAIL_FULL);
        snCrowd_Play(crowd, m, 0, 0.1 * m, 1);
        snCrowd_Teleport(crowd, m, &place);
        snCrowd_Start(crowd, m);
    }
    for (int f = 0; f < frames; f++) {
        budget.used = used[f];
        snCrowd_KeepBudget(crowd, eye, &all, &budget);
        snCrowd_Step(crowd, 1, NULL);
    }
    for (int m = 0; m < MEMBERS; m++)
        hash = hash * 1099511628211u ^ snCrowd_Hash(crowd, m);
    return hash ^ (uint64_t)snCrowd_SteppedCount(crowd);
}

// Frames that were written down are taken again to the same bits; others are others.
static void sameNumbersSameBits(void)
{
    enum { FRAMES = 48 };
    double used[FRAMES];
    for (int f = 0; f < FRAMES; f++)
        used[f] = 0.02 * noise(f);
    uint64_t first = runCrowd(used, FRAMES), again = runCrowd(used, FRAMES);
    CHECK(first == again && snCrowd_SteppedCount(crowd) < MEMBERS);
    for (int f = 0; f < FRAMES; f++)
        used[f] = 0.005;
    CHECK(runCrowd(used, FRAMES) != first && snCrowd_SteppedCount(crowd) == MEMBERS);
}

// Worlds alike: the far one of two characters goes to its rig, and comes back; saved with the budget, it goes on by the same bits.
static void worldsKeepBudgetsToo(void)
{
    snWorld *world = makePosedWorld(&context);
    snDetailBudget budget = {.used = 0.02, .allowed = 0.01, .most = 2}, kept;
    size_t size = snWorld_SaveSize(world);
    void *saved = malloc(size);
    uint64_t hash = 0;
    for (int f = 0; f < 40; f++) {
        if (f == 20) snWorld_Save(world, saved), kept = budget;
        snWorld_KeepBudget(world, eye, &all, &budget);
        snWorld_Step(world);
    }
    CHECK(budget.most == 0);
    hash = snWorld_Hash(world);
    CHECK(snWorld_Restore(world, saved, size, NULL) == SN_OK);
    budget = kept;
    CHECK(budget.most == 1);
    for (int f = 20; f < 40; f++) {
        snWorld_KeepBudget(world, eye, &all, &budget);
        snWorld_Step(world);
    }
    CHECK(snWorld_Hash(world) == hash);
    snDetailBudget bad = {.used = NAN, .allowed = 0.01, .most = 2}, same = bad;
    snWorld_KeepBudget(world, eye, &all, &bad);
    bad.used = 0.01, bad.allowed = 0;
    snWorld_KeepBudget(world, eye, &all, &bad);
    snCrowd_KeepBudget(crowd, eye, &all, NULL);
    CHECK(snWorld_Hash(world) == hash && bad.frames == same.frames);
    free(saved);
    snWorld_Free(world);
}

int main(void)
{
    snError error = {0};
    snCrowdDef def = snDefaultCrowdDef();
    context = snDefaultContext();
    calf = makeCalf(&context);
    def.members = MEMBERS;
    def.actor.cells = 40;
    if (snCrowd_Make(&crowd, calf, &def, &context, &error)) failLoudly(&error);
    RUN(settlesUnderAnyLoad);
    RUN(followsTheLoad);
    RUN(sameNumbersSameBits);
    RUN(worldsKeepBudgetsToo);
    snCrowd_Destroy(crowd);
    snCharacter_Free(calf);
    snBytes_Destroy(&demoBytes);
    return snTest_Finish();
}
