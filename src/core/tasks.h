// Parallel loops over the context's task hook. Pieces are cut by `grain` alone, so anything summed
// per piece and then added up in order of pieces has the same bits for any number of threads.
#ifndef SN_CORE_TASKS_H
#define SN_CORE_TASKS_H

#include "sinew/base.h"

void snParallelFor(const snTasks *tasks, int count, int grain, snTaskFcn *fcn, void *context);

// Σ_i f(i), summed inside pieces in order, and over pieces by a fixed tree. Allocates nothing:
// at most SN_MAX_PIECES pieces are made (the grain is raised to fit).
#define SN_MAX_PIECES 256
typedef double snSumFcn(int begin, int end, void *context);
double snParallelSum(const snTasks *tasks, int count, int grain, snSumFcn *fcn, void *context);

#endif
