// Integrals over Ω ∩ K. The lattice is subdivided to a level and its cells are cut into tets; on a
// tet every basis function is taken as linear, so its gradient is constant there. A tet that the
// surface crosses counts with the fraction of its sample points that are inside (Capell et al.
// 2002, "A Multiresolution Framework for Dynamic Deformations").
//
// An *element* is a piece of Ω on which all gradients are constant. On a tet cell the level-0
// functions are its barycentric coordinates at every level, so all its tets make one element; a
// prism or hexahedron gives one element per tet.
#ifndef SN_BODY_LATTICE_QUADRATURE_H
#define SN_BODY_LATTICE_QUADRATURE_H

#include "body/lattice/lattice.h"

// Sets inside[i] to 1 where point i is in Ω.
typedef struct snInsideTest {
    void (*test)(const void *user, int count, const snVec3 *points, unsigned char *inside);
    const void *user;
} snInsideTest;

// Whether a point of Ω in the place of a cell belongs to it: copies of a cell overlap in space
// (clone.h), and each counts only its own part.
typedef struct snOwnerTest {
    bool (*owns)(const void *user, int cell, snVec3 point);
    const void *user;
} snOwnerTest;

typedef struct snQuadratureDef {
    int level;           // of subdivision; 1 is right for tets, 2 or more for hexahedra
    int samples;         // per fine tet, 1 or 4
    snInsideTest inside; // test == NULL: Ω = K
    snOwnerTest owner;   // owns == NULL: no two cells overlap
    // What an element counts at least in elastic energy, as a fraction of its whole volume. Where
    // Ω fills only a sliver of a cell, its outer vertices would else hang on next to nothing.
    double leastFraction;
} snQuadratureDef;
snQuadratureDef snDefaultQuadratureDef(void);

typedef struct snQuadrature {
    int elementCount;
    int *start;         // [elementCount + 1], into corner and gradient
    int *corner;        // lattice vertices a with ∇φ_a != 0
    snVec3 *gradient;   // ∇φ_a; they sum to zero over an element
    double *volume;     // [elementCount], of the part in Ω
    int *cell;          // [elementCount]
    double *mass;       // [massStart[cells]]: ∫ φ_a φ_b over the cell's part of Ω, row by row
    int *massStart;     // [cells + 1]
    double *cellVolume; // [cells], of the part in Ω
} snQuadrature;

snStatus snQuadrature_Make(snQuadrature *quadrature, const snLattice *lattice,
                           const snQuadratureDef *def, snArena *arena, const snContext *context,
                           snError *error);

// The same with one element per cell, of the mean gradients of its functions, for lattices of hexahedra
// (quadrature_hex.c) that move in a space of coarser functions. The level does not count, and a cell has
// eight samples.
snStatus snQuadrature_MakeHexes(snQuadrature *quadrature, const snLattice *lattice,
                                const snQuadratureDef *def, snArena *arena,
                                const snContext *context, snError *error);

// Sample points of a tet: its centroid, or the four of the degree-2 rule.
void snTetSamples(const snVec3 p[4], int samples, snVec3 *points);

// Gradients of the four barycentric coordinates; returns the signed volume.
double snTetGradients(const snVec3 p[4], snVec3 gradient[4]);

#endif
