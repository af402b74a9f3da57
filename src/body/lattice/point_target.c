// Baumgarte's stabilisation (Baumgarte, "Stabilization of Constraints and Integrals of Motion in Dynamical
// Systems", 1972). C is how far a point is from its target a, and C̈ + αĊ + βC = 0 is asked for instead of C = 0:
// a miss, from wherever it comes, dies away as a damped swing does. As the rest of the step it is taken at
// the step's end, C̈ = (Ċ' - Ċ)/h and Ċ' = (C' - C)/h:
//
//     C' (1 + αh + βh²) = C (1 + αh) + h Ċ
//
// which is where the point shall be at the end: at a' + C'. It is stable for all α, β >= 0. Everything
// else (projection or multipliers) sees only another target.
#include "body/lattice/point.h"

#include "body/lattice/space.h"

#include <string.h>

// value[width] = Σ w x of a point over all its terms, known ones too.
static void valueOf(const snPointConstraints *points, int handle, const double *unknowns,
                    const double *vertices, double *value)
{
    size_t width = (size_t)points->width;
    snConstraintSet_Value(points->set, handle, unknowns, value);
    for (int k = 0; k < points->knownCount[handle]; k++) {
        size_t at = (size_t)handle * SN_CELL_CORNERS + (size_t)k;
        const double *x = vertices + (size_t)points->knownVertex[at] * width;
        for (size_t i = 0; i < width; i++)
            value[i] += points->knownWeight[at] * x[i];
    }
}

void snPointConstraints_Aim(snPointConstraints *points, const snLatticeState *state, int handle,
                            double *target)
{
    bool space = points->model->space != NULL;
    double h = points->model->def.step, alpha = points->alpha, beta = points->beta;
    double place[3 * SN_MAX_LANES + 4], speed[3 * SN_MAX_LANES + 4];
    size_t width = (size_t)points->width, first = (size_t)handle * width;
    const double *given = points->given + first;
    double *before = points->before + first;
    valueOf(points, handle, space ? state->coefficient : state->position, state->position, place);
    valueOf(points, handle, space ? state->coefficientVelocity : state->velocity, state->velocity,
            speed);
    if (points->fresh[handle]) memcpy(before, given, width * sizeof *before);
    for (size_t i = 0; i < width; i++) {
        double c = place[i] - before[i], rate = speed[i] - (given[i] - before[i]) / h;
        target[i] = given[i] + snBaumgarte(alpha, beta, h, c, rate);
        before[i] = given[i];
    }
    points->fresh[handle] = 0;
}
