// The bare kernels of a step: what quasi-Newton iterations on a constant matrix cost at least, in
// plain form, to hold the whole step against. Linear corotated tets, their rotations by one Newton
// step from the last one; no energy, no descent check, no L-BFGS, no damping, no answer for cells
// that invert. Elements, matrix and factor are the model's.
#ifndef SN_BENCH_BARE_H
#define SN_BENCH_BARE_H

#include "bench/block.h"

typedef struct snBare {
    const snLatticeModel *model;
    double *position, *velocity; // [vertices * 4]
    double *target;              // [free * 4], x + h v + h² g
    double *next;                // [vertices * 4]
    double *direction;           // [free * 4]
    double *rotation;            // [groups][4][8]
    double *force;               // [slots * 4]
    double *solve;               // factor scratch
    const double *beginning;     // positions to return to after a second
    int age;
} snBare;

// In the block's arena; the block must outlive it. Tets only.
bool snBare_Make(snBare *bare, snBlock *block);

void snBare_Step(void *bare);  // for snContestant: one step of three iterations
void snBare_Cells(void *bare); // its three passes over the elements, with the gathers
void snBare_Solve(void *bare); // its three solves

// bare_kernel.c, once per instruction set.
typedef void snBareCellsFcn(const snBare *bare);

#endif
