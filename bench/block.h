// The scene that the benchmarks of the lattice step share: a block of flesh, fixed at its end z = 0,
// that swings under gravity. A grid of cubes with five tets each, neighbouring cubes mirrored so that
// their faces agree. 0.25 x 0.25 x 0.5 m, ρ = 1000 kg/m³, ν = 0.4, full motion, h = 1/120 s, damping
// as by default.
#ifndef SN_BENCH_BLOCK_H
#define SN_BENCH_BLOCK_H

#include "body/lattice/step.h"

// By about how many vertices they have; cubes along x, y, z in block.c.
typedef enum snBlockSize {
    SN_BLOCK_200,   // 200 vertices, 560 cells
    SN_BLOCK_600,   // 612, 2,000
    SN_BLOCK_2000,  // 2,000, 7,695
    SN_BLOCK_10000, // 10,115, 43,520
    SN_BLOCK_20000, // 19,845, 88,000
    SN_BLOCK_SIZES,
} snBlockSize;

// Young's modulus in Pa. The block of 2,000 vertices swings at 3 Hz; coarse blocks are stiffer (the
// benchmarks print the frequency of each).
#define SN_BLOCK_YOUNG 4.3e5

#define SN_BLOCK_JOINTS 4

typedef struct snBlock {
    snArena arena; // owns all but model and state
    snLattice lattice;
    snQuadrature quadrature;
    double *young;        // [cells]
    unsigned char *known; // [lattice vertices]
    snLatticeModel *model;
    snLatticeState *state;
    double *rig;                      // [vertices * 4], never moves
    snWeightRows skin;                // of SN_BLOCK_JOINTS bones along z, for SN_SOLVER_BLENDED
    snAffine joints[SN_BLOCK_JOINTS]; // of rest: they never move either
    void *beginning;                  // the state a quarter of a second after the block was let go
    int age;                          // steps since then
    int *freeOf;                      // [lattice vertices], number in the model, or -1: known
} snBlock;

// `def` gives solver, iterations and the like; NULL: the default in full motion. Prints what fails.
bool snBlock_Make(snBlock *block, snBlockSize size, const snLatticeModelDef *def);
void snBlock_Destroy(snBlock *block);
snLatticeModelDef snBlock_DefaultDef(void); // full motion, gravity

// For snContestant: one step of a block, which goes back to the beginning after a second, so that it
// always swings.
void snBlock_Step(void *block);

// a M + b K over the free vertices in the model's order, 3x3 entries: M lumped, K of linear
// elasticity at rest. The matrix of a linear step is this with a = 1 + hα, b = h (h + β).
snStatus snBlock_LinearMatrix(const snBlock *block, double a, double b, snSparse *matrix,
                              snArena *arena, snError *error);

// Hz of the slowest swing, by inverse iteration with K and M.
double snBlock_Frequency(const snBlock *block);

#endif
