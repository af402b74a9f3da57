#include "body/lattice/cells.h"

#include "core/simd.h"

extern const snCellKernels snCellKernels_base;
#if defined(__x86_64__)
extern const snCellKernels snCellKernels_avx2;
extern const snCellKernels snCellKernels_avx512;
#endif

const snCellKernels *snCellKernels_Choose(void)
{
#if defined(__x86_64__)
    switch (snDetectCpu()) {
    case SN_CPU_AVX512:
        return &snCellKernels_avx512;
    case SN_CPU_AVX2:
        return &snCellKernels_avx2;
    case SN_CPU_BASE:
        break;
    }
#endif
    return &snCellKernels_base;
}
