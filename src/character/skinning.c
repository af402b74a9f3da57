#include "character/skinning.h"

#include "core/simd.h"

extern snSkinFcn snSkinVertices_base;
extern snSkinRowsFcn snSkinRows_Run_base;
#if defined(__x86_64__)
extern snSkinFcn snSkinVertices_avx2;
extern snSkinFcn snSkinVertices_avx512;
extern snSkinRowsFcn snSkinRows_Run_avx2;
extern snSkinRowsFcn snSkinRows_Run_avx512;
#endif

snSkinFcn *snSkin_Choose(void)
{
#if defined(__x86_64__)
    snCpuLevel level = snDetectCpu();
    if (level == SN_CPU_AVX512) return snSkinVertices_avx512;
    if (level == SN_CPU_AVX2) return snSkinVertices_avx2;
#endif
    return snSkinVertices_base;
}

snSkinRowsFcn *snSkinRows_Choose(void)
{
#if defined(__x86_64__)
    snCpuLevel level = snDetectCpu();
    if (level == SN_CPU_AVX512) return snSkinRows_Run_avx512;
    if (level == SN_CPU_AVX2) return snSkinRows_Run_avx2;
#endif
    return snSkinRows_Run_base;
}
