#include "platform/threads.h"

#include "core/error.h"
#include "platform/clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// How a loop runs. The caller writes the job, opens the gate and raises the generation. Workers that
// notice enter by the gate, take pieces until none are left, and leave. The caller takes pieces too;
// when there are no more it shuts the gate, so that nobody enters late, and waits until the gate is
// empty. Only then may the job be written again: whoever is inside reads a job that stands still.
//
// Who waits first spins, for a loop often follows the last one within microseconds, and then sleeps.
// The sleeper announces itself and then looks once more; the waker changes what is looked at and
// then looks for sleepers. Both in sequentially consistent order: one of them sees the other.

#define SPIN_SECONDS 50e-6
#define GATE_OPEN 0x80000000u // the other bits count the workers inside
#define LINE 64               // bytes of a cache line

typedef struct taskLoop {
    int count, grain;
    unsigned pieces;
    snTaskFcn *fcn;
    void *context;
} taskLoop;

typedef struct taskWorker {
    snThreadPool *pool;
    pthread_t thread;
    int index;
} taskWorker;

struct snThreadPool {
    _Alignas(LINE) atomic_uint nextPiece; // each on a line of its own: all threads hammer on them
    _Alignas(LINE) atomic_uint gate;
    _Alignas(LINE) atomic_uint generation;
    _Alignas(LINE) atomic_bool busy; // a loop is running
    atomic_bool stop;
    atomic_uint sleepers;
    atomic_bool callerSleeps;
    taskLoop job;
    double spinSeconds;
    int workers; // with the caller
    int started; // threads that are running
    taskWorker *threads;
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// True once the counter differs from `value`; false when that took too long.
static bool spinWhile(const atomic_uint *counter, unsigned value, double seconds)
{
    double end = 0.0;
    for (int round = 0; seconds > 0.0; round++) {
        for (int i = 0; i < 16; i++) {
            if (atomic_load_explicit(counter, memory_order_acquire) != value) return true;
            relax();
        }
        double now = snClock_Seconds(); // also costs some 20 ns: no need to look every time
        if (round == 0) end = now + seconds;
        if (now > end) break;
    }
    return atomic_load_explicit(counter, memory_order_acquire) != value;
}

static void runPiece(const taskLoop *job, unsigned piece, int worker)
{
    int begin = (int)piece * job->grain;
    int end = job->count - begin > job->grain ? begin + job->grain : job->count;
    job->fcn(begin, end, worker, job->context);
}

static void takePieces(snThreadPool *pool, int worker)
{
    for (;;) {
        unsigned piece = atomic_fetch_add_explicit(&pool->nextPiece, 1, memory_order_relaxed);
        if (piece >= pool->job.pieces) return;
        runPiece(&pool->job, piece, worker);
    }
}

static bool enterGate(snThreadPool *pool)
{
    unsigned seen = atomic_load_explicit(&pool->gate, memory_order_relaxed);
    while (seen & GATE_OPEN) {
        if (atomic_compare_exchange_weak_explicit(&pool->gate, &seen, seen + 1,
                                                  memory_order_acquire, memory_order_relaxed))
            return true;
    }
    return false;
}

static void leaveGate(snThreadPool *pool)
{
    unsigned before = atomic_fetch_sub(&pool->gate, 1);
    if (before == 1 && atomic_load(&pool->callerSleeps)) { // shut, and the last has left
        pthread_mutex_lock(&pool->mutex);
        pthread_cond_signal(&pool->done);
        pthread_mutex_unlock(&pool->mutex);
    }
}

static void sleepUntilWork(snThreadPool *pool, unsigned seen)
{
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add(&pool->sleepers, 1);
    while (atomic_load(&pool->generation) == seen)
        pthread_cond_wait(&pool->wake, &pool->mutex);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->mutex);
}

static void *workerMain(void *argument)
{
    const taskWorker *self = argument;
    snThreadPool *pool = self->pool;
    for (unsigned seen = 0;;) {
        if (!spinWhile(&pool->generation, seen, pool->spinSeconds)) sleepUntilWork(pool, seen);
        seen = atomic_load_explicit(&pool->generation, memory_order_acquire);
        if (atomic_load(&pool->stop)) return NULL;
        if (enterGate(pool)) {
            takePieces(pool, self->index);
            leaveGate(pool);
        }
    }
}

// Raises the generation and wakes as many sleepers as there is work for.
static void callWorkers(snThreadPool *pool, unsigned wanted)
{
    atomic_fetch_add(&pool->generation, 1);
    unsigned sleepers = atomic_load(&pool->sleepers);
    if (!sleepers) return;
    pthread_mutex_lock(&pool->mutex);
    if (wanted >= sleepers)
        pthread_cond_broadcast(&pool->wake);
    else
        for (unsigned i = 0; i < wanted; i++)
            pthread_cond_signal(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

static void waitUntilEmpty(snThreadPool *pool)
{
    unsigned inside = atomic_fetch_and(&pool->gate, ~GATE_OPEN) & ~GATE_OPEN;
    while (inside && spinWhile(&pool->gate, inside, pool->spinSeconds))
        inside = atomic_load_explicit(&pool->gate, memory_order_acquire);
    if (!inside) return;
    pthread_mutex_lock(&pool->mutex);
    atomic_store(&pool->callerSleeps, true);
    while (atomic_load(&pool->gate))
        pthread_cond_wait(&pool->done, &pool->mutex);
    atomic_store(&pool->callerSleeps, false);
    pthread_mutex_unlock(&pool->mutex);
}

// The index of the calling thread: 0 for all that do not belong to the pool.
static int callingWorker(const snThreadPool *pool)
{
    pthread_t self = pthread_self();
    for (int i = 0; i < pool->started; i++) {
        if (pthread_equal(pool->threads[i].thread, self)) return pool->threads[i].index;
    }
    return 0;
}

static void runLoop(void *user, int count, int grain, snTaskFcn *fcn, void *context)
{
    if (count <= 0) return;
    if (grain < 1) grain = 1;
    snThreadPool *pool = user;
    taskLoop job = {count, grain, (unsigned)((count - 1) / grain + 1), fcn, context};
    int self = callingWorker(pool);
    // A worker that asks for a loop is inside one already.
    if (job.pieces == 1 || self > 0 || atomic_exchange(&pool->busy, true)) {
        for (unsigned piece = 0; piece < job.pieces; piece++)
            runPiece(&job, piece, self);
        return;
    }
    pool->job = job;
    atomic_store_explicit(&pool->nextPiece, 0, memory_order_relaxed);
    atomic_store(&pool->gate, GATE_OPEN);
    callWorkers(pool, job.pieces - 1);
    takePieces(pool, 0);
    waitUntilEmpty(pool);
    atomic_store(&pool->busy, false);
}

// Threads start with all signals blocked, so that signals reach the program's own threads.
static snStatus startThreads(snThreadPool *pool, snError *error)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = 0;
    for (int i = 0; i + 1 < pool->workers && !failure; i++) {
        pool->threads[i] = (taskWorker){.pool = pool, .index = i + 1};
        failure = pthread_create(&pool->threads[i].thread, NULL, workerMain, &pool->threads[i]);
        if (!failure) pool->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failure) return SN_OK;
    return snFail(error, SN_ERROR_MEMORY, "cannot start %d threads (got %d); ask for fewer",
                  pool->workers, pool->started + 1);
}

static snThreadPool *allocatePool(int threads)
{
    snThreadPool *pool = aligned_alloc(LINE, sizeof *pool);
    if (!pool) return NULL;
    memset(pool, 0, sizeof *pool);
    pool->workers = threads;
    pool->threads = calloc((size_t)threads, sizeof *pool->threads);
    if (!pool->threads) {
        free(pool);
        return NULL;
    }
    // Where threads outnumber processors a spinning one keeps another from its work.
    pool->spinSeconds = threads <= snProcessorCount() ? SPIN_SECONDS : 0.0;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    return pool;
}

snStatus snThreadPool_Make(snThreadPool **pool, int threads, snError *error)
{
    *pool = NULL;
    if (threads == 0) threads = snProcessorCount();
    if (threads < 1 || threads > SN_MAX_THREADS)
        return snFail(error, SN_ERROR_ARGUMENT, "%d threads; take 1 to %d, or 0 for all processors",
                      threads, SN_MAX_THREADS);
    snThreadPool *made = allocatePool(threads);
    if (!made) return snFailMemory(error);
    snStatus status = startThreads(made, error);
    if (status) {
        snThreadPool_Destroy(made);
        return status;
    }
    *pool = made;
    return SN_OK;
}

void snThreadPool_Destroy(snThreadPool *pool)
{
    if (!pool) return;
    atomic_store(&pool->stop, true);
    callWorkers(pool, SN_MAX_THREADS);
    for (int i = 0; i < pool->started; i++)
        pthread_join(pool->threads[i].thread, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->threads);
    free(pool);
}

snTasks snThreadPool_Tasks(snThreadPool *pool)
{
    if (pool->workers == 1) return (snTasks){.workers = 1};
    return (snTasks){runLoop, pool, pool->workers};
}
