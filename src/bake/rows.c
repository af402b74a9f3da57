#include "bake/rows.h"

#include "core/simd.h"

extern const snRowKernels snRowKernels_base;
#if defined(__x86_64__)
extern const snRowKernels snRowKernels_avx2, snRowKernels_avx512;
#endif

const snRowKernels *snChooseRowKernels(void)
{
#if defined(__x86_64__)
    snCpuLevel level = snDetectCpu();
    if (level == SN_CPU_AVX512) return &snRowKernels_avx512;
    if (level == SN_CPU_AVX2) return &snRowKernels_avx2;
#endif
    return &snRowKernels_base;
}

double snDotFloats(const float *a, const float *b, size_t size)
{
    double product;
    snChooseRowKernels()->dot(&(snRowProducts){a, b, 1, size, size}, &product);
    return product;
}
