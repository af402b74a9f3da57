#include "body/lattice/contact_factor.h"

#include "core/error.h"
#include "core/simd.h"

#include <math.h>
#include <string.h>

SN_DECLARE_VARIANTS(const snDenseKernels, snDenseKernels);

#define ROWS_TURNED                                                                                \
    16 // rotations are found this many rows at a time, and then reach all rows below

snStatus snContactFactor_Make(snContactFactor *factor, int most, snArena *arena, snError *error)
{
    size_t n = (size_t)most;
    *factor = (snContactFactor){.most = most, .count = -1, .kernels = SN_CHOOSE(&snDenseKernels)};
    factor->rows = SN_NEW(arena, double, n *n);
    factor->places = SN_NEW(arena, int, n);
    factor->turns = SN_NEW(arena, double, 2 * n);
    factor->work = SN_NEW(arena, double, n);
    bool good = factor->rows && factor->places && factor->turns && factor->work;
    return good ? SN_OK : snFailMemory(error);
}

static double *rowAt(const snContactFactor *f, int i)
{
    return f->rows + (size_t)i * (size_t)f->most;
}

// One row against those above it, from column `first` on, and its diagonal.
static bool closeRow(snContactFactor *f, int first, int place, const double *g, double give)
{
    int n = f->count;
    double *row = rowAt(f, n);
    for (int j = first; j < n; j++) {
        const double *other = rowAt(f, j);
        row[j] = (g[f->places[j]] - f->kernels->dot(j, row, other)) / other[j];
    }
    double left = g[place] + give - f->kernels->dot(n, row, row);
    if (!(left > 0 && left < INFINITY)) return false;
    row[n] = sqrt(left);
    f->places[f->count++] = place;
    f->rowsAdded++;
    return true;
}

bool snContactFactor_Add(snContactFactor *f, int count, const int *places, const double *matrix,
                         const double *give)
{
    size_t most = (size_t)f->most;
    for (int k = 0; k < count; k += SN_DENSE_ROWS) {
        int some = count - k < SN_DENSE_ROWS ? count - k : SN_DENSE_ROWS, n = f->count;
        double *rows = rowAt(f, n), sum[SN_DENSE_ROWS];
        for (int j = 0; j < n && some == SN_DENSE_ROWS; j++) {
            const double *other = rowAt(f, j);
            f->kernels->dots(j, rows, most, other, sum);
            for (int r = 0; r < some; r++) {
                const double *g = matrix + (size_t)places[k + r] * most;
                rows[(size_t)r * most + (size_t)j] = (g[f->places[j]] - sum[r]) / other[j];
            }
        }
        for (int r = 0; r < some; r++) {
            int place = places[k + r];
            const double *g = matrix + (size_t)place * most;
            if (closeRow(f, some == SN_DENSE_ROWS ? n : 0, place, g, give[place])) continue;
            f->count = -1;
            return false;
        }
    }
    return true;
}

void snContactFactor_Remove(snContactFactor *f, int at)
{
    size_t most = (size_t)f->most;
    int n = --f->count;
    f->rowsRemoved++;
    for (int i = at; i < n; i++) {
        memcpy(rowAt(f, i), rowAt(f, i + 1), ((size_t)i + 2) * sizeof(double));
        f->places[i] = f->places[i + 1];
    }
    for (int begin = at; begin < n; begin += ROWS_TURNED) {
        int end = begin + ROWS_TURNED < n ? begin + ROWS_TURNED : n;
        for (int i = begin; i < end; i++) { // those that were found in these rows, and its own
            double *x = rowAt(f, i) + begin, *turn = f->turns + 2 * (i - begin);
            f->kernels->rotate(i - begin, f->turns, 1, x, most);
            double *pivot = x + (i - begin);
            double r = sqrt(pivot[0] * pivot[0] + pivot[1] * pivot[1]);
            turn[0] = pivot[0] / r, turn[1] = pivot[1] / r;
            f->kernels->rotate(1, turn, 1, pivot, most);
        }
        f->kernels->rotate(end - begin, f->turns, n - end, rowAt(f, end) + begin, most);
    }
}

void snContactFactor_Solve(snContactFactor *f, double *x)
{
    for (int i = 0; i < f->count; i++) {
        const double *row = rowAt(f, i);
        x[i] = (x[i] - f->kernels->dot(i, row, x)) / row[i];
    }
    for (int i = f->count - 1; i >= 0; i--) {
        const double *row = rowAt(f, i);
        x[i] /= row[i];
        f->kernels->subtract(i, x[i], row, x);
    }
}
