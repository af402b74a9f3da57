#include "bench/machine.h"

#include "bench/bench.h"
#include "core/simd.h"

void snReadStream_Run(void *context)
{
    snReadStream *stream = context;
    size_t length = stream->count / 64 * 8;
    double sum[8] = {0};
    for (size_t i = 0; i < length; i += 8)
        for (size_t k = 0; k < 8; k++)
            for (size_t c = 0; c < 8; c++)
                sum[c] += stream->data[k * length + i + c];
    stream->sum = 0;
    for (int c = 0; c < 8; c++)
        stream->sum += sum[c];
    snBench_Keep(&stream->sum);
}

typedef double FlopsFcn(int rounds, double one, double tiny);
FlopsFcn snFlopsKernel_base;
#if defined(__x86_64__)
FlopsFcn snFlopsKernel_avx2, snFlopsKernel_avx512;
#endif

void snFlops_Run(void *context)
{
    double *result = context;
    FlopsFcn *kernel = snFlopsKernel_base;
#if defined(__x86_64__)
    snCpuLevel level = snDetectCpu();
    if (level == SN_CPU_AVX2) kernel = snFlopsKernel_avx2;
    if (level == SN_CPU_AVX512) kernel = snFlopsKernel_avx512;
#endif
    *result = kernel(SN_FLOPS_ROUNDS, 1.0, 1e-9);
    snBench_Keep(result);
}
