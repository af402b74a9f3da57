// Twelve chains of operations that do not wait for each other: six multiply, six add. That hides
// their latency and fits into sixteen registers. Compiled once per instruction set (core/simd.h).
#include "core/simd.h"

#if defined(__AVX512F__)
typedef snDouble8 V;
#elif defined(__AVX__)
typedef snDouble4 V;
#else
typedef double V __attribute__((vector_size(16)));
#endif

#define CHAINS(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5)
#define DECLARE(k) V a##k = (V){0} + (1.0 + k), b##k = (V){0} + (2.0 + k);
#define STEP(k) a##k *= factor, b##k += term;
#define SUM(k) sum += a##k + b##k;

// `rounds` times twelve operations on eight numbers. The compiler must not know the values.
double SN_VARIANT(snFlopsKernel)(int rounds, double one, double tiny);
double SN_VARIANT(snFlopsKernel)(int rounds, double one, double tiny)
{
    V factor = (V){0} + one, term = (V){0} + tiny, sum = {0};
    int64_t passes = rounds * (int64_t)(8 * sizeof(double) / sizeof(V));
    CHAINS(DECLARE)
    for (int64_t i = 0; i < passes; i++) {
        CHAINS(STEP)
    }
    CHAINS(SUM)
    return sum[0];
}
