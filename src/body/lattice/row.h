// Vectors of a lattice's vertices as the kernels have them: four doubles each, of which the last is 0.
#ifndef SN_BODY_LATTICE_ROW_H
#define SN_BODY_LATTICE_ROW_H

#include "core/simd.h"
#include "core/vec.h"

#include <stddef.h>

static inline snVec3 snRow(const double *rows, int i)
{
    const double *x = rows + 4 * (size_t)i;
    return snVec(x[0], x[1], x[2]);
}

// Σ w x of those in a list, in its order.
static inline snVec3 snRowPlace(int count, const int *index, const double *weight,
                                const double *rows)
{
    snVec3 sum = {0, 0, 0};
    for (int k = 0; k < count; k++)
        sum = snMulAdd(sum, weight[k], snRow(rows, index[k]));
    return sum;
}

static inline void snSetRow(double *rows, int i, snVec3 value)
{
    double *x = rows + 4 * (size_t)i;
    x[0] = value.x;
    x[1] = value.y;
    x[2] = value.z;
    x[3] = 0;
}

static inline double *snRowAt(double *rows, int i)
{
    return rows + 4 * (size_t)i;
}

static inline const double *snConstRowAt(const double *rows, int i)
{
    return rows + 4 * (size_t)i;
}

static inline void snAddRow(double *to, double scale, const double *from)
{
    snStore4(to, snLoad4(to) + scale * snLoad4(from));
}

// x ← L x
static inline void snTurnRows(snMat3 linear, int count, double *rows)
{
    for (int i = 0; i < count; i++, rows += 4) {
        snVec3 x = snMulMV(linear, snVec(rows[0], rows[1], rows[2]));
        rows[0] = x.x;
        rows[1] = x.y;
        rows[2] = x.z;
    }
}

#endif
