#include "body/lattice/cells.h"

#include "core/simd.h"

extern const snCellKernels snCellKernels_base, snCellKernelsSingle_base;
extern const snVectorKernels snVectorKernels_base;
#if defined(__x86_64__)
extern const snCellKernels snCellKernels_avx2, snCellKernels_avx512;
extern const snCellKernels snCellKernelsSingle_avx2, snCellKernelsSingle_avx512;
extern const snVectorKernels snVectorKernels_avx2, snVectorKernels_avx512;
#endif

const snCellKernels *snCellKernels_Choose(snPrecision precision)
{
    bool single = precision == SN_PRECISION_SINGLE;
#if defined(__x86_64__)
    switch (snDetectCpu()) {
    case SN_CPU_AVX512:
        return single ? &snCellKernelsSingle_avx512 : &snCellKernels_avx512;
    case SN_CPU_AVX2:
        return single ? &snCellKernelsSingle_avx2 : &snCellKernels_avx2;
    case SN_CPU_BASE:
        break;
    }
#endif
    return single ? &snCellKernelsSingle_base : &snCellKernels_base;
}

const snVectorKernels *snVectorKernels_Choose(void)
{
#if defined(__x86_64__)
    switch (snDetectCpu()) {
    case SN_CPU_AVX512:
        return &snVectorKernels_avx512;
    case SN_CPU_AVX2:
        return &snVectorKernels_avx2;
    case SN_CPU_BASE:
        break;
    }
#endif
    return &snVectorKernels_base;
}
