#include "core/tasks.h"

#include "core/random.h"
#include "tests/test.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct record {
    int begins[1000], ends[1000], count;
} record;

static void keepPiece(int begin, int end, int worker, void *context)
{
    record *r = context;
    CHECK(worker == 0 && r->count < 1000);
    r->begins[r->count] = begin;
    r->ends[r->count++] = end;
}

// A task hook that runs the pieces backwards, as an unlucky thread pool might.
static void runBackwards(void *user, int count, int grain, snTaskFcn *fcn, void *context)
{
    (*(int *)user)++;
    int pieces = (count - 1) / grain + 1;
    for (int i = pieces - 1; i >= 0; i--)
        fcn(i * grain, i == pieces - 1 ? count : (i + 1) * grain, 0, context);
}

static void piecesAreCutByGrainInOrder(void)
{
    snTasks tasks = {.workers = 1};
    const int cases[][2] = {{10, 3}, {9, 3}, {1, 100}, {100, 1}, {5, 5}, {7, 0}, {7, -4}};
    for (int i = 0; i < 7; i++) {
        record r = {.count = 0};
        int count = cases[i][0], grain = cases[i][1] < 1 ? 1 : cases[i][1];
        snParallelFor(&tasks, count, cases[i][1], keepPiece, &r);
        CHECK(r.count == (count + grain - 1) / grain);
        for (int k = 0; k < r.count; k++) {
            CHECK(r.begins[k] == k * grain);
            CHECK(r.ends[k] == (k == r.count - 1 ? count : (k + 1) * grain));
        }
    }
}

static void emptyLoopsCallNothing(void)
{
    int calls = 0;
    snTasks serial = {.workers = 1}, hook = {runBackwards, &calls, 1};
    record r = {.count = 0};
    snParallelFor(&serial, 0, 4, keepPiece, &r);
    snParallelFor(&serial, -3, 4, keepPiece, &r);
    snParallelFor(&hook, 0, 4, keepPiece, &r);
    CHECK(r.count == 0 && calls == 0);
}

static void hugeCountsDoNotOverflow(void)
{
    snTasks tasks = {.workers = 1};
    record r = {.count = 0};
    snParallelFor(&tasks, INT_MAX, INT_MAX / 2, keepPiece, &r);
    CHECK(r.count == 3 && r.ends[2] == INT_MAX && r.begins[2] == INT_MAX - 1);
    r.count = 0;
    snParallelFor(&tasks, INT_MAX, INT_MAX, keepPiece, &r);
    CHECK(r.count == 1 && r.ends[0] == INT_MAX);
}

// ---- loops within loops ----

typedef struct nest {
    snTasks tasks, others;
    int outer;   // the worker of the piece that is run
    int inner;   // indices that loops within were given
    int strange; // pieces of loops within that were given another worker
} nest;

static void countInner(int begin, int end, int worker, void *context)
{
    nest *n = context;
    n->inner += end - begin;
    n->strange += worker != n->outer;
}

static void askWithin(int begin, int end, int worker, void *context)
{
    (void)begin, (void)end;
    nest *n = context;
    n->outer = worker;
    snParallelFor(&n->tasks, 10, 3, countInner, n);
}

static void askOthers(int begin, int end, int worker, void *context)
{
    (void)begin, (void)end, (void)worker;
    nest *n = context;
    snParallelFor(&n->others, 1, 1, askWithin, n);
}

// A scheduler whose pieces are all those of its worker 3, and that counts how deep it is in itself.
typedef struct scheduler {
    int calls, depth, most;
} scheduler;

static void runAsThird(void *user, int count, int grain, snTaskFcn *fcn, void *context)
{
    scheduler *s = user;
    s->calls++;
    if (++s->depth > s->most) s->most = s->depth;
    for (int i = 0; i < count; i += grain)
        fcn(i, i + grain < count ? i + grain : count, 3, context);
    s->depth--;
}

static void loopsWithinLoopsAskNobody(void)
{
    scheduler own = {0}, other = {0};
    nest n = {.tasks = {runAsThird, &own, 4}, .others = {runAsThird, &other, 4}};
    snParallelFor(&n.tasks, 5, 1, askWithin, &n);
    CHECK(own.calls == 1 && own.most == 1);
    CHECK(n.inner == 50 && n.strange == 0);
    // Through the loop of another context too; and afterwards loops are asked for again.
    n.inner = 0;
    snParallelFor(&n.tasks, 2, 1, askOthers, &n);
    CHECK(own.calls == 2 && own.most == 1 && other.calls == 2);
    CHECK(n.inner == 20 && n.strange == 0);
}

static double sumRange(int begin, int end, void *context)
{
    const double *values = context;
    double sum = 0.0;
    for (int i = begin; i < end; i++)
        sum += values[i];
    return sum;
}

// Against long double, and with the same bits whatever the order in which pieces run.
static void sumsAreRightAndIndependentOfOrder(void)
{
    enum { COUNT = 100003 };
    double *values = malloc(COUNT * sizeof *values);
    snRandom random = snMakeRandom(1);
    long double exact = 0.0L;
    for (int i = 0; i < COUNT; i++)
        exact += values[i] = snRandom_Normal(&random);
    int calls = 0;
    snTasks serial = {.workers = 1}, backwards = {runBackwards, &calls, 1};
    const int grains[] = {1, 7, 391, 1000, 50000, COUNT, INT_MAX};
    for (int i = 0; i < 7; i++) {
        double a = snParallelSum(&serial, COUNT, grains[i], sumRange, values);
        double b = snParallelSum(&backwards, COUNT, grains[i], sumRange, values);
        CHECK(memcmp(&a, &b, sizeof a) == 0);
        CHECK_NEAR(a, (double)exact, 1e-10);
    }
    CHECK(snParallelSum(&serial, 0, 5, sumRange, values) == 0.0);
    CHECK(snParallelSum(&serial, 1, 5, sumRange, values) == values[0]);
    free(values);
}

static double countRange(int begin, int end, void *context)
{
    ++*(int *)context;
    return (double)end - begin;
}

static void thereAreNeverTooManyPieces(void)
{
    snTasks serial = {.workers = 1};
    const int counts[] = {1, 255, 256, 257, 511, 512, 513, 1000000, INT_MAX};
    for (int i = 0; i < 9; i++) {
        int pieces = 0;
        CHECK(snParallelSum(&serial, counts[i], 1, countRange, &pieces) == counts[i]);
        CHECK(pieces <= SN_MAX_PIECES);
    }
}

int main(void)
{
    RUN(piecesAreCutByGrainInOrder);
    RUN(emptyLoopsCallNothing);
    RUN(loopsWithinLoopsAskNobody);
    RUN(hugeCountsDoNotOverflow);
    RUN(sumsAreRightAndIndependentOfOrder);
    RUN(thereAreNeverTooManyPieces);
    return snTest_Finish();
}
