// Sums over the vertices of a lattice, weighted by mass.
#ifndef SN_TESTS_BODY_LATTICE_SUMS_H
#define SN_TESTS_BODY_LATTICE_SUMS_H

#include "body/lattice/model.h"
#include "body/lattice/row.h"

// Σ m x: of velocities the momentum.
static inline snVec3 momentumOf(const snLatticeModel *model, const double *rows)
{
    snVec3 sum = {0, 0, 0};
    for (int i = 0; i < model->vertexCount; i++)
        sum = snMulAdd(sum, model->mass[i], snRow(rows, i));
    return sum;
}

static inline snVec3 meanOf(const snLatticeModel *model, const double *rows)
{
    return snScale(1 / model->totalMass, momentumOf(model, rows));
}

#endif
