// What the machine can do at best, to hold measured times against: one core's rate of floating-point
// operations and of reading memory.
#ifndef SN_BENCH_MACHINE_H
#define SN_BENCH_MACHINE_H

#include "body/lattice/model.h"

#include <stddef.h>

// For snContestant: sums over an array, read at eight places at once, which is fastest. The rate is
// that of the cache which the array fits into.
typedef struct snReadStream {
    const double *data;
    size_t count;
    double sum;
} snReadStream;
void snReadStream_Run(void *stream);

// For snContestant: SN_FLOPS additions and multiplications in double precision, half of each, as
// wide as the machine has them and in enough independent chains to hide their latency. No fused
// operations: the project does without (docs/architecture.md, "Same bits"). `result` is a double.
#define SN_FLOPS_ROUNDS 100000
#define SN_FLOPS (SN_FLOPS_ROUNDS * 12.0 * 8.0)
void snFlops_Run(void *result);

// The least operations that a step of three iterations needs (rate_bench.c), multiplications and additions alike.
double snRate_StepOperations(const snLatticeModel *model);

#endif
