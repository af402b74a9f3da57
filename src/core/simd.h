// Vectors of eight and four lanes, for kernels that must run fast and still give the same bits on
// every machine. The compiler splits them where the hardware is narrower; each lane sees the same
// operations in the same order at any width (contraction into fused operations is off everywhere).
//
// A kernel file is compiled once per instruction set (see sinew_kernel in CMakeLists.txt). It names
// its entry points with SN_VARIANT(name), which gives name_base, name_avx2 or name_avx512; the
// caller declares them with SN_DECLARE_VARIANTS, picks one with SN_CHOOSE and keeps the pointer.
#ifndef SN_CORE_SIMD_H
#define SN_CORE_SIMD_H

#include <stdint.h>
#include <string.h>

typedef double snDouble4 __attribute__((vector_size(32)));
typedef double snDouble8 __attribute__((vector_size(64)));
typedef int64_t snLong4 __attribute__((vector_size(32)));
typedef int64_t snLong8 __attribute__((vector_size(64)));
typedef float snFloat4 __attribute__((vector_size(16)));
typedef float snFloat8 __attribute__((vector_size(32)));
typedef float snFloat16 __attribute__((vector_size(64)));
typedef int64_t snLong2 __attribute__((vector_size(16)));
typedef int32_t snInt4 __attribute__((vector_size(16)));
typedef int32_t snInt8 __attribute__((vector_size(32)));
typedef int32_t snInt16 __attribute__((vector_size(64)));

#ifndef SN_VARIANT_SUFFIX
#define SN_VARIANT_SUFFIX base
#endif
#define SN_PASTE_(a, b) a##_##b
#define SN_PASTE(a, b) SN_PASTE_(a, b)
#define SN_VARIANT(name) SN_PASTE(name, SN_VARIANT_SUFFIX)

// For functions that are written for constant arguments (how many columns, how many sides), and fast only as a copy for each
// of them. Where coverage is counted there is one of each: a branch in a copy is not one that somebody wrote.
#ifdef SN_COVERAGE
#define SN_ALWAYS_INLINE inline
#else
#define SN_ALWAYS_INLINE inline __attribute__((always_inline))
#endif

// Loads and stores at any address.
static inline snDouble8 snLoad8(const double *p)
{
    snDouble8 v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void snStore8(double *p, snDouble8 v)
{
    memcpy(p, &v, sizeof v);
}

static inline snDouble4 snLoad4(const double *p)
{
    snDouble4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void snStore4(double *p, snDouble4 v)
{
    memcpy(p, &v, sizeof v);
}

// The widest instruction set that both this processor and this build know.
typedef enum snCpuLevel { SN_CPU_BASE, SN_CPU_AVX2, SN_CPU_AVX512 } snCpuLevel;
snCpuLevel snDetectCpu(void);

// Of a pointer, SN_CHOOSE(&name) or, of functions, SN_CHOOSE(name): the suffix goes to its last word.
#if defined(__x86_64__)
#define SN_DECLARE_VARIANTS(type, name) extern type name##_base, name##_avx2, name##_avx512
#define SN_CHOOSE(name)                                                                            \
    (snDetectCpu() == SN_CPU_AVX512 ? name##_avx512                                                \
     : snDetectCpu() == SN_CPU_AVX2 ? name##_avx2                                                  \
                                    : name##_base)
#else
#define SN_DECLARE_VARIANTS(type, name) extern type name##_base
#define SN_CHOOSE(name) (name##_base)
#endif

#endif
