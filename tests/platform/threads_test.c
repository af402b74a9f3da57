#include "platform/threads.h"

#include "core/elementary.h"
#include "core/tasks.h"
#include "platform/clock.h"
#include "tests/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int threadCounts[] = {1, 2, 3, 8};
#define THREAD_CASES 4

static snThreadPool *makePool(int threads)
{
    snThreadPool *pool;
    snError error = {0};
    if (!CHECK(snThreadPool_Make(&pool, threads, &error) == SN_OK)) exit(snTest_Finish());
    return pool;
}

// Marks every index, and that no worker is in two pieces at the same time.
typedef struct coverage {
    atomic_int visits[10000];
    atomic_int inside[16];
    atomic_int mistakes;
    int workers, grain;
} coverage;

static void visit(int begin, int end, int worker, void *context)
{
    coverage *c = context;
    bool wrong = worker < 0 || worker >= c->workers || begin % c->grain || end - begin > c->grain;
    if (wrong || atomic_fetch_add(&c->inside[worker], 1) != 0) atomic_fetch_add(&c->mistakes, 1);
    for (int i = begin; i < end; i++)
        atomic_fetch_add(&c->visits[i], 1);
    atomic_fetch_sub(&c->inside[worker], 1);
}

static void everyIndexIsVisitedOnce(void)
{
    coverage *c = calloc(1, sizeof *c);
    for (int t = 0; t < THREAD_CASES; t++) {
        snThreadPool *pool = makePool(threadCounts[t]);
        snTasks tasks = snThreadPool_Tasks(pool);
        CHECK(tasks.workers == threadCounts[t]);
        const int cases[][2] = {{0, 1}, {1, 1}, {7, 10}, {10000, 1}, {10000, 33}, {9999, 9998}};
        for (int k = 0; k < 6; k++) {
            memset(c, 0, sizeof *c);
            c->workers = tasks.workers;
            c->grain = cases[k][1];
            snParallelFor(&tasks, cases[k][0], cases[k][1], visit, c);
            int wrong = 0;
            for (int i = 0; i < 10000; i++)
                wrong += atomic_load(&c->visits[i]) != (i < cases[k][0]);
            CHECK(wrong == 0 && atomic_load(&c->mistakes) == 0);
        }
        snThreadPool_Destroy(pool);
    }
    free(c);
}

static double harmonic(int begin, int end, void *context)
{
    (void)context;
    double sum = 0.0;
    for (int i = begin; i < end; i++)
        sum += snSin(i) / (i + 1);
    return sum;
}

static void sumsHaveTheSameBitsForAnyThreads(void)
{
    snTasks serial = {.workers = 1};
    double wanted = snParallelSum(&serial, 50000, 100, harmonic, NULL);
    for (int t = 0; t < THREAD_CASES; t++) {
        snThreadPool *pool = makePool(threadCounts[t]);
        snTasks tasks = snThreadPool_Tasks(pool);
        for (int i = 0; i < 20; i++) {
            double sum = snParallelSum(&tasks, 50000, 100, harmonic, NULL);
            CHECK(memcmp(&sum, &wanted, sizeof sum) == 0);
        }
        snThreadPool_Destroy(pool);
    }
}

// Plain memory, written by one loop and read by the next: what the loops promise about order.
static void fill(int begin, int end, int worker, void *context)
{
    (void)worker;
    int *numbers = context;
    for (int i = begin; i < end; i++)
        numbers[i]++;
}

static void manySmallLoopsInARow(void)
{
    enum { COUNT = 64, LOOPS = 20000 };
    for (int t = 0; t < THREAD_CASES; t++) {
        snThreadPool *pool = makePool(threadCounts[t]);
        snTasks tasks = snThreadPool_Tasks(pool);
        int numbers[COUNT] = {0}, loops = tasks.workers > snProcessorCount() ? LOOPS / 10 : LOOPS;
        double begun = snClock_Seconds();
        for (int i = 0; i < loops; i++)
            snParallelFor(&tasks, COUNT, 8, fill, numbers);
        double seconds = snClock_Seconds() - begun;
        printf("%d threads: %.2f us for a small loop\n", tasks.workers, 1e6 * seconds / loops);
        for (int i = 0; i < COUNT; i++)
            CHECK(numbers[i] == loops);
        snThreadPool_Destroy(pool);
    }
}

// Pauses let the workers fall asleep, so that waking is tried too.
static void sleepersWake(void)
{
    snThreadPool *pool = makePool(4);
    snTasks tasks = snThreadPool_Tasks(pool);
    int numbers[64] = {0};
    for (int i = 0; i < 50; i++) {
        struct timespec pause = {0, 1000000 + 20000 * i};
        nanosleep(&pause, NULL);
        snParallelFor(&tasks, 64, i % 3 + 1, fill, numbers);
    }
    for (int i = 0; i < 64; i++)
        CHECK(numbers[i] == 50);
    snThreadPool_Destroy(pool);
}

static void restAWhile(int begin, int end, int worker, void *context)
{
    (void)begin, (void)end, (void)context;
    struct timespec pause = {0, worker ? 3000000 : 0};
    nanosleep(&pause, NULL);
}

// The caller runs out of pieces long before the others are done, and sleeps itself.
static void theCallerWaitsForLateWorkers(void)
{
    snThreadPool *pool = makePool(4);
    snTasks tasks = snThreadPool_Tasks(pool);
    for (int i = 0; i < 20; i++)
        snParallelFor(&tasks, 8, 1, restAWhile, NULL);
    snThreadPool_Destroy(pool);
}

typedef struct nest {
    const snTasks *tasks;
    atomic_int inner, wrongWorker;
} nest;

typedef struct innerNest {
    nest *nest;
    int worker;
} innerNest;

static void innerPiece(int begin, int end, int worker, void *context)
{
    innerNest *inner = context;
    if (worker != inner->worker) atomic_fetch_add(&inner->nest->wrongWorker, 1);
    atomic_fetch_add(&inner->nest->inner, end - begin);
}

static void outerPiece(int begin, int end, int worker, void *context)
{
    nest *n = context;
    innerNest inner = {n, worker};
    for (int i = begin; i < end; i++)
        snParallelFor(n->tasks, 10, 3, innerPiece, &inner);
}

static void loopsInsideLoopsRunOnTheirOwnThread(void)
{
    for (int t = 0; t < THREAD_CASES; t++) {
        snThreadPool *pool = makePool(threadCounts[t]);
        snTasks tasks = snThreadPool_Tasks(pool);
        nest n = {.tasks = &tasks};
        snParallelFor(&tasks, 500, 1, outerPiece, &n);
        CHECK(atomic_load(&n.inner) == 5000 && atomic_load(&n.wrongWorker) == 0);
        snThreadPool_Destroy(pool);
    }
}

static void *sumFromAnotherThread(void *argument)
{
    const snTasks *tasks = argument;
    double wanted = harmonic(0, 10, NULL);
    for (int i = 0; i < 300; i++) {
        if (snParallelSum(tasks, 10, 10, harmonic, NULL) != wanted) return argument;
        if (snParallelSum(tasks, 1000, 10, harmonic, NULL) == 0.0) return argument;
    }
    return NULL;
}

static void severalThreadsMayShareAPool(void)
{
    snThreadPool *pool = makePool(3);
    snTasks tasks = snThreadPool_Tasks(pool);
    pthread_t others[3];
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&others[i], NULL, sumFromAnotherThread, &tasks) == 0);
    CHECK(sumFromAnotherThread(&tasks) == NULL);
    for (int i = 0; i < 3; i++) {
        void *failed;
        pthread_join(others[i], &failed);
        CHECK(failed == NULL);
    }
    snThreadPool_Destroy(pool);
}

static void poolsComeAndGo(void)
{
    for (int i = 0; i < 100; i++)
        snThreadPool_Destroy(makePool(i % 5 + 1));
    snThreadPool_Destroy(NULL);
}

static void badCountsFail(void)
{
    snThreadPool *pool;
    snError error = {0};
    CHECK(snThreadPool_Make(&pool, -1, &error) == SN_ERROR_ARGUMENT && pool == NULL);
    CHECK(strstr(error.message, "-1 threads") != NULL);
    CHECK(snThreadPool_Make(&pool, SN_MAX_THREADS + 1, NULL) == SN_ERROR_ARGUMENT);
    CHECK(snProcessorCount() >= 1);
    pool = makePool(0);
    CHECK(snThreadPool_Tasks(pool).workers == snProcessorCount());
    snThreadPool_Destroy(pool);
}

int main(void)
{
    RUN(everyIndexIsVisitedOnce);
    RUN(sumsHaveTheSameBitsForAnyThreads);
    RUN(manySmallLoopsInARow);
    RUN(sleepersWake);
    RUN(theCallerWaitsForLateWorkers);
    RUN(loopsInsideLoopsRunOnTheirOwnThread);
    RUN(severalThreadsMayShareAPool);
    RUN(poolsComeAndGo);
    RUN(badCountsFail);
    return snTest_Finish();
}
