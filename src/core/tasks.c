#include "core/tasks.h"

// Loops within loops. A piece may ask for a loop of its own, but schedulers of engines wait in theirs until all pieces
// are done, and a worker that waits within a piece waits for itself. So the hook is asked for the outermost loop alone; loops within are
// run by the thread that asks, in order, as the worker that it is. Pieces that a thread is in stand on its stack, this is the innermost.
typedef struct piece {
    const snTasks *tasks;
    int worker;
    const struct piece *outer;
} piece;

static _Thread_local const piece *innermost;

// The worker that this thread is in a loop of these tasks, or -1. Another context's tasks may have other workers.
static int workerHere(const snTasks *tasks)
{
    for (const piece *p = innermost; p; p = p->outer)
        if (p->tasks->run == tasks->run && p->tasks->user == tasks->user) return p->worker;
    return -1;
}

typedef struct loop {
    const snTasks *tasks;
    snTaskFcn *fcn;
    void *context;
} loop;

static void runPiece(int begin, int end, int worker, void *context)
{
    const loop *whole = context;
    piece here = {whole->tasks, worker, innermost};
    innermost = &here;
    whole->fcn(begin, end, worker, whole->context);
    innermost = here.outer;
}

static void runInOrder(int count, int grain, int worker, snTaskFcn *fcn, void *context)
{
    for (int begin = 0; begin < count;) {
        int end = count - begin > grain ? begin + grain : count;
        fcn(begin, end, worker, context);
        begin = end;
    }
}

void snParallelFor(const snTasks *tasks, int count, int grain, snTaskFcn *fcn, void *context)
{
    if (count <= 0) return;
    if (grain < 1) grain = 1;
    int worker = tasks->run ? workerHere(tasks) : 0;
    if (worker >= 0) {
        runInOrder(count, grain, worker, fcn, context);
        return;
    }
    loop whole = {tasks, fcn, context};
    tasks->run(tasks->user, count, grain, runPiece, &whole);
}

typedef struct sumJob {
    snSumFcn *fcn;
    void *context;
    int grain;
    double parts[SN_MAX_PIECES];
} sumJob;

static void sumPiece(int begin, int end, int worker, void *context)
{
    (void)worker;
    sumJob *job = context;
    job->parts[begin / job->grain] = job->fcn(begin, end, job->context);
}

// Neighbours are added pairwise, then pairs of pairs, and so on: a tree of the count alone.
double snParallelSum(const snTasks *tasks, int count, int grain, snSumFcn *fcn, void *context)
{
    if (count <= 0) return 0.0;
    int least = (count - 1) / SN_MAX_PIECES + 1;
    if (grain < least) grain = least;
    sumJob job = {.fcn = fcn, .context = context, .grain = grain};
    int pieces = (count - 1) / grain + 1;
    snParallelFor(tasks, count, grain, sumPiece, &job);
    for (int stride = 1; stride < pieces; stride *= 2) {
        for (int i = 0; i + stride < pieces; i += 2 * stride)
            job.parts[i] += job.parts[i + stride];
    }
    return job.parts[0];
}
