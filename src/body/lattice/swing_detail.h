// Swings of a part with the details that would act in them (detail.h): stiffness and mass over the
// lattice's vertices and those finer functions that come first as the part swings farther and farther.
#ifndef SN_BODY_LATTICE_SWING_DETAIL_H
#define SN_BODY_LATTICE_SWING_DETAIL_H

#include "body/lattice/basis.h"
#include "body/lattice/model.h"

typedef struct snFineSwingDef {
    const snLattice *lattice; // of tets
    const snQuadrature *quadrature;
    const snBasis *const *bases; // [levels], each integrated at its own level
    int levels;
    const double *young; // [cells]
    double poisson, density;
    const unsigned char *free; // [lattice vertices], 0: clamped
    const double *shape;       // [lattice vertices * 3], how the lattice alone swings
    const double *refine; // [levels], strain from which on details of a level act; see snAdaptDef
    int most;             // details that may act at once; 0: the lattice alone
} snFineSwingDef;

typedef struct snFineSwing {
    int count, detailCount; // rows: lattice vertices, then details
    snSparse stiffness;     // 3x3 blocks
    snSparse mass;          // scalar, consistent
    unsigned char *free;    // [count]
    double *spring;         // [count], zero: for the caller
} snFineSwing;

// Everything lives in the arena.
snStatus snFineSwing_Make(snFineSwing *swing, const snFineSwingDef *def, snArena *arena,
                          snError *error);

#endif
