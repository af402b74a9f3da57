#include "core/simd.h"

snCpuLevel snDetectCpu(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        return SN_CPU_AVX512;
    if (__builtin_cpu_supports("avx2")) return SN_CPU_AVX2;
#endif
    return SN_CPU_BASE;
}
