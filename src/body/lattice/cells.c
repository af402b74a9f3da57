#include "body/lattice/cells.h"

#include "core/simd.h"

SN_DECLARE_VARIANTS(const snCellKernels, snCellKernels);
SN_DECLARE_VARIANTS(const snCellKernels, snCellKernelsSingle);
SN_DECLARE_VARIANTS(const snVectorKernels, snVectorKernels);

const snCellKernels *snCellKernels_Choose(snPrecision precision)
{
    bool single = precision == SN_PRECISION_SINGLE;
    return single ? SN_CHOOSE(&snCellKernelsSingle) : SN_CHOOSE(&snCellKernels);
}

const snVectorKernels *snVectorKernels_Choose(void)
{
    return SN_CHOOSE(&snVectorKernels);
}
