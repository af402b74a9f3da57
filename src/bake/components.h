// Principal components of rows that come one after another, in bounded memory.
//
// The rows A (one per frame) have A = U Σ Vᵀ; wanted are the first rows of Vᵀ. When memory is full, the
// present rows B (components found before, times their σ, and the rows since) are replaced by the first
// rows of Σ Vᵀ of B itself: BᵀB, which is what the components depend on, changes only by what is
// dropped. As long as all rows fit, that is the singular value decomposition itself.
//     The small matrix B Bᵀ = U Σ² Uᵀ is decomposed, and Σ Vᵀ = Uᵀ B.
#ifndef SN_BAKE_COMPONENTS_H
#define SN_BAKE_COMPONENTS_H

#include "bake/rows.h"
#include "core/memory.h"

#define SN_MOST_COMPONENTS 1000

typedef struct snComponentsDef {
    int size;        // numbers per row
    int rowCount;    // rows that will come
    int most;        // components that are kept
    double smallest; // components of a smaller σ are dropped
} snComponentsDef;

typedef struct snComponents {
    snComponentsDef def;
    int capacity;    // rows that fit
    int count;       // rows, then components
    float *rows;     // [capacity][size]
    double *gram;    // [capacity * capacity]
    double *vectors; // [capacity * capacity]
    double *values;  // [capacity], σ² after snComponents_Finish
    double *work;    // [capacity]
    const snTasks *tasks;
    const snRowKernels *kernels;
} snComponents;

snStatus snComponents_Make(snComponents *components, const snComponentsDef *def,
                           const snTasks *tasks, snArena *arena, snError *error);

// Where to write the next row; it counts once it is pushed.
float *snComponents_Next(snComponents *components);
snStatus snComponents_Push(snComponents *components, snError *error);

// `count` orthonormal rows are left, by falling σ.
snStatus snComponents_Finish(snComponents *components, snError *error);

#endif
