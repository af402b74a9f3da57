// What tests of lattices measure and make by the same few lines.
#ifndef SN_TESTS_BODY_LATTICE_CHECKS_H
#define SN_TESTS_BODY_LATTICE_CHECKS_H

#include "body/lattice/scheme.h"
#include "body/lattice/step.h"
#include "tests/failing_memory.h"

#include <math.h>

// The largest difference, relative to the largest of b.
static inline double relativeDifference(const double *a, const double *b, size_t count)
{
    double worst = 0, size = 0;
    for (size_t k = 0; k < count; k++) {
        worst = fmax(worst, fabs(a[k] - b[k]));
        size = fmax(size, fabs(b[k]));
    }
    return worst / size;
}

// Coordinates of a lane of a batch that are not those of a single body, to the bit.
static inline int differentInLane(const snLatticeState *batch, int lane,
                                  const snLatticeState *single, int vertices)
{
    int different = 0;
    for (int i = 0; i < vertices * 3; i++)
        different += batch->position[snLatticeState_At(batch, i / 3, i % 3, lane)] !=
                     single->position[i / 3 * 4 + i % 3];
    return different;
}

typedef struct Ball {
    snVec3 centre;
    double radius;
} Ball;

static inline void insideBall(const void *user, int count, const snVec3 *points,
                              unsigned char *inside)
{
    const Ball *ball = user;
    for (int k = 0; k < count; k++)
        inside[k] = snDistance(points[k], ball->centre) < ball->radius;
}

static inline snSubdivision mustSubdivide(snScheme scheme, const snLattice *lattice, int levels,
                                          snArena *arena, const snContext *context)
{
    snSubdivision s;
    snError error = {0};
    CHECK(snSubdivideBy(&s, scheme, lattice, levels, arena, context, &error) == SN_OK);
    return s;
}

// For failEvery: a model by its definition, and a state of it.
static inline snStatus buildModelAndState(const void *def, snArena *arena, const snContext *context)
{
    snLatticeModel *model;
    snLatticeState *state = NULL;
    (void)arena;
    snStatus status = snLatticeModel_Build(&model, def, context, NULL);
    if (!status) status = snLatticeState_Make(&state, model, 1, context, NULL);
    snLatticeState_Destroy(state);
    snLatticeModel_Destroy(model);
    return status;
}

#endif
