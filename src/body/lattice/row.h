// Vectors of a lattice's vertices as the kernels have them: four doubles each, of which the last is 0.
#ifndef SN_BODY_LATTICE_ROW_H
#define SN_BODY_LATTICE_ROW_H

#include "core/vec.h"

#include <stddef.h>

static inline snVec3 snRow(const double *rows, int i)
{
    const double *x = rows + 4 * (size_t)i;
    return snVec(x[0], x[1], x[2]);
}

static inline void snSetRow(double *rows, int i, snVec3 value)
{
    double *x = rows + 4 * (size_t)i;
    x[0] = value.x;
    x[1] = value.y;
    x[2] = value.z;
    x[3] = 0;
}

#endif
