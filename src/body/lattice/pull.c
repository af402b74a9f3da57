#include "body/lattice/pull.h"

#include <limits.h>

void snLatticePull_AddSpring(snLatticePull *pull, double stiffness, double damping, snVec3 target,
                             snVec3 move, double step)
{
    double k = step * step * stiffness, d = step * damping;
    pull->stiffness += k + d;
    pull->push = snMulAdd(pull->push, k, snSub(target, pull->origin));
    pull->push = snMulAdd(pull->push, d, move);
}

void snLatticePull_AddForce(snLatticePull *pull, snVec3 force, double step)
{
    pull->push = snMulAdd(pull->push, step * step, force);
}

// Σ w over rows of `width` numbers; of free vertices alone where there are others.
static snVec3 sumRows(const snLatticePull *pull, const double *rows, int width, int freeCount)
{
    snVec3 sum = {0, 0, 0};
    for (int k = 0; k < pull->count; k++) {
        const double *v = rows + (size_t)width * (size_t)pull->vertex[k];
        if (pull->vertex[k] < freeCount)
            sum = snMulAdd(sum, pull->weight[k], snVec(v[0], v[1], v[2]));
    }
    return sum;
}

static void addRows(const snLatticePull *pull, snVec3 value, int width, int freeCount, double *rows)
{
    for (int k = 0; k < pull->count; k++) {
        double *v = rows + (size_t)width * (size_t)pull->vertex[k];
        if (pull->vertex[k] >= freeCount) continue;
        v[0] += pull->weight[k] * value.x;
        v[1] += pull->weight[k] * value.y;
        v[2] += pull->weight[k] * value.z;
    }
}

double snLatticePull_AddTerms(const snLatticePull *pull, const double *position, int freeCount,
                              double *gradient)
{
    snVec3 away = snSub(sumRows(pull, position, 4, INT_MAX), pull->origin);
    snVec3 slope = snSub(snScale(pull->stiffness, away), pull->push);
    if (gradient) addRows(pull, slope, 4, freeCount, gradient);
    return 0.5 * pull->stiffness * snLengthSquared(away) - snDot(pull->push, away);
}

void snLatticePull_AddCurvature(const snLatticePull *pull, int freeCount, const double *x,
                                double *y)
{
    addRows(pull, snScale(pull->stiffness, sumRows(pull, x, 3, freeCount)), 3, freeCount, y);
}

double snLatticePull_Curvature(const snLatticePull *pull, int freeCount, const double *direction)
{
    return pull->stiffness * snLengthSquared(sumRows(pull, direction, 4, freeCount));
}
