#include "core/tasks.h"

void snParallelFor(const snTasks *tasks, int count, int grain, snTaskFcn *fcn, void *context)
{
    if (count <= 0) return;
    if (grain < 1) grain = 1;
    if (tasks->run) {
        tasks->run(tasks->user, count, grain, fcn, context);
        return;
    }
    for (int begin = 0; begin < count;) {
        int end = count - begin > grain ? begin + grain : count;
        fcn(begin, end, 0, context);
        begin = end;
    }
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
