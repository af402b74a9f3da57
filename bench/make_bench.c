// How long `make` takes when nothing has changed.
#include "bench/bench.h"

#include <stdlib.h>

// The variables of a make that runs the benchmarks would change the make that is measured.
static const char *const command =
    "env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -C '" SN_SOURCE_DIR "' >/dev/null 2>&1";

void snBench_SecondMake(snBench *bench)
{
    if (system(command) != 0) {
        snBench_Skip(bench, "make does not succeed in the source folder");
        return;
    }
    double fastest = 1e9;
    for (int i = 0; i < 3; i++) {
        double begin = snBench_Now();
        if (system(command) != 0) return;
        double seconds = snBench_Now() - begin;
        if (seconds < fastest) fastest = seconds;
    }
    snBench_Report(bench, "foundation/second-make", fastest, "s", "<= 1");
}
