// The impulses of many contacts and ties that act on each other, by turns of their rows (row.h). Bodies of any model are behind two
// questions: what is between the ends of a row now, and an impulse acts at both. Whoever cuts rows into blocks or over threads has a loop
// of its own over the same turns (body/coat/coat_sweep_kernel.c).
#ifndef SN_CONTACT_SOLVE_H
#define SN_CONTACT_SOLVE_H

#include "contact/row.h"

typedef struct snContactSystem {
    int count;
    snContactRow *rows; // [count], with the impulses to begin with
    void *context;
    // What is between the ends of a row under all impulses so far: along its normal the gap, across it what slips.
    snVec3 (*between)(const void *context, int row);
    // Adds to the impulse of a row. Returns how far that moves its ends, in whatever sweeps are to settle to.
    double (*act)(void *context, int row, snVec3 impulse);
} snContactSystem;

// Sweeps until no row moves farther than `settled`. False: they came to no end, and impulses are not to be used.
bool snContactSystem_Solve(const snContactSystem *system, int sweeps, double settled);

#endif
