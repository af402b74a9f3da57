// CHOLMOD as the other side of a comparison: a factored matrix, and one solve per run.
#ifndef SN_BENCH_CHOLMOD_SIDE_H
#define SN_BENCH_CHOLMOD_SIDE_H

#include "bench/bench.h"
#include "numerics/sparse.h"

#include <cholmod.h>

// The ways of CHOLMOD that are tried; the best one counts.
enum { SN_CHOLMOD_KINDS = 4 };

typedef struct snCholmod {
    cholmod_common common;
    cholmod_factor *factor;
    cholmod_dense *b, *x, *y, *e;
} snCholmod;

// `kind`: supernodal or simplicial, ordered by AMD or METIS. `b` is copied.
void snCholmod_Make(snCholmod *cholmod, int kind, const snSparse *matrix, const double *b);
void snCholmod_Destroy(snCholmod *cholmod);
void snCholmod_Solve(void *cholmod); // for snContestant
const char *snCholmod_Name(int kind);

// All four kinds, and their contestants.
void snCholmod_MakeAll(snCholmod cholmod[SN_CHOLMOD_KINDS], snContestant sides[SN_CHOLMOD_KINDS],
                       const snSparse *matrix, const double *b);
void snCholmod_DestroyAll(snCholmod cholmod[SN_CHOLMOD_KINDS]);

// The fastest of the four after snBench_Compare.
const snContestant *snCholmod_Best(const snContestant sides[SN_CHOLMOD_KINDS]);

#endif
