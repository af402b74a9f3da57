// What the tests of constraints share: random matrices with a dense inverse, and random constraints.
#ifndef SN_TESTS_CONSTRAINT_SYSTEMS_H
#define SN_TESTS_CONSTRAINT_SYSTEMS_H

#include "constraint/constraint.h"
#include "core/random.h"
#include "numerics/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A = G Gᵀ + ½ I of `rows`, with its Cholesky factor; counts how often it was solved with.
typedef struct System {
    int rows;
    double *a, *factor;
    int solves;
} System;

static inline void solveSystem(void *context, const double *x, double *y)
{
    System *system = context;
    memcpy(y, x, (size_t)system->rows * sizeof *y);
    snDenseCholesky_Solve(system->rows, system->factor, y);
    system->solves++;
}

static inline void multiplySystem(void *context, const double *x, double *y)
{
    const System *system = context;
    for (int i = 0; i < system->rows; i++) {
        y[i] = 0;
        for (int j = 0; j < system->rows; j++)
            y[i] += system->a[j * system->rows + i] * x[j];
    }
}

static inline System makeSystem(int rows, uint64_t seed)
{
    size_t entries = (size_t)rows * (size_t)rows;
    System system = {.rows = rows};
    double *g = calloc(entries, sizeof *g);
    snRandom random = snMakeRandom(seed);
    system.a = calloc(entries, sizeof *g);
    system.factor = calloc(entries, sizeof *g);
    for (size_t i = 0; i < entries; i++)
        g[i] = snRandom_Normal(&random);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) {
            double sum = i == j ? 0.5 : 0;
            for (int k = 0; k < rows; k++)
                sum += g[k * rows + i] * g[k * rows + j] / rows;
            system.a[j * rows + i] = sum;
        }
    memcpy(system.factor, system.a, entries * sizeof *g);
    snDenseCholesky(rows, system.factor, NULL);
    free(g);
    return system;
}

static inline void freeSystem(System *system)
{
    free(system->a);
    free(system->factor);
}

// A constraint with room for its numbers.
enum { MOST_TERMS = 8, MOST_WIDTH = 24 };
typedef struct Row {
    int termCount, index[MOST_TERMS];
    double weight[MOST_TERMS], target[MOST_WIDTH], offset[MOST_WIDTH];
    char name[32];
} Row;

static inline snConstraintDef defOf(const Row *row)
{
    return (snConstraintDef){.name = row->name,
                             .termCount = row->termCount,
                             .index = row->index,
                             .weight = row->weight,
                             .target = row->target,
                             .offset = row->offset};
}

static inline Row randomRow(snRandom *random, int size, int terms)
{
    Row row = {.termCount = terms};
    for (int t = 0; t < terms; t++) {
        row.index[t] = snRandom_Below(random, size);
        row.weight[t] = snRandom_Normal(random);
    }
    for (int i = 0; i < MOST_WIDTH; i++) {
        row.target[i] = snRandom_Normal(random);
        row.offset[i] = snRandom_Normal(random);
    }
    return row;
}

// The target that a vector y of [size * width] meets.
static inline void aimAt(Row *row, const double *y, int width)
{
    for (int i = 0; i < width; i++) {
        row->target[i] = row->offset[i];
        for (int t = 0; t < row->termCount; t++)
            row->target[i] += row->weight[t] * y[row->index[t] * width + i];
    }
}

// The largest |Σ w x + offset - target|.
static inline double missOf(const Row *row, const double *x, int width, int numbers)
{
    double most = 0;
    for (int i = 0; i < numbers; i++) {
        double sum = row->offset[i] - row->target[i];
        for (int t = 0; t < row->termCount; t++)
            sum += row->weight[t] * x[row->index[t] * width + i];
        most = fmax(most, fabs(sum));
    }
    return most;
}

static inline double *randomVector(snRandom *random, int count)
{
    double *x = calloc((size_t)count + 1, sizeof *x);
    for (int i = 0; i < count; i++)
        x[i] = snRandom_Normal(random);
    return x;
}

static inline double farthest(int count, const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

#endif
