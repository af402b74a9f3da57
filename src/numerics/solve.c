#include "numerics/cholesky_parts.h"

#include <string.h>

static size_t workSize(const snFactor *factor, int width)
{
    size_t sides = (size_t)(width < SN_STRIP ? width : SN_STRIP);
    size_t size = sides * (size_t)snWorkStride(factor->symbolic->maxRows);
    return (size + SN_STRIP - 1) / SN_STRIP * SN_STRIP;
}

size_t snFactor_ScratchSize(const snFactor *factor, int width)
{
    const snSymbolic *symbolic = factor->symbolic;
    return workSize(factor, width) + (size_t)symbolic->size * (size_t)(symbolic->block * width);
}

void snFactor_SolveOrdered(const snFactor *factor, int width, double *x, double *scratch)
{
    factor->solve(factor->symbolic, factor->panels, (snSides){width, width}, x, scratch);
}

void snFactor_SolveRows(const snFactor *factor, double *x, double *scratch)
{
    factor->solve(factor->symbolic, factor->panels, (snSides){4, 3}, x, scratch);
}

void snFactor_SolveOrderedSingle(const snFactor *factor, int width, double *x, double *scratch)
{
    float *work = (float *)(void *)scratch, *rounded = work + workSize(factor, width);
    factor->solveSingle(factor->symbolic, factor->singlePanels, (snSides){width, width}, x, rounded,
                        work);
}

void snFactor_SolveRowsSingle(const snFactor *factor, double *x, double *scratch)
{
    float *work = (float *)(void *)scratch, *rounded = work + workSize(factor, 4);
    factor->solveSingle(factor->symbolic, factor->singlePanels, (snSides){4, 3}, x, rounded, work);
}

void snFactor_Solve(const snFactor *factor, int width, double *x, double *scratch)
{
    const snSymbolic *symbolic = factor->symbolic;
    size_t stride = (size_t)(symbolic->block * width);
    double *ordered = scratch + workSize(factor, width);
    for (int k = 0; k < symbolic->size; k++)
        for (size_t c = 0; c < stride; c++)
            ordered[(size_t)k * stride + c] = x[(size_t)symbolic->order[k] * stride + c];
    snFactor_SolveOrdered(factor, width, ordered, scratch);
    for (int k = 0; k < symbolic->size; k++)
        for (size_t c = 0; c < stride; c++)
            x[(size_t)symbolic->order[k] * stride + c] = ordered[(size_t)k * stride + c];
}
