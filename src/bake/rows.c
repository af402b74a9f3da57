#include "bake/rows.h"

#include "core/simd.h"

SN_DECLARE_VARIANTS(const snRowKernels, snRowKernels);

const snRowKernels *snChooseRowKernels(void)
{
    return SN_CHOOSE(&snRowKernels);
}

double snDotFloats(const float *a, const float *b, size_t size)
{
    double product;
    snChooseRowKernels()->dot(&(snRowProducts){a, b, 1, size, size}, &product);
    return product;
}
