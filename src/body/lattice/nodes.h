// Limit nodes: the hierarchical functions of a subdivision scheme at the vertices of a fine lattice.
//
// Let K_j be the lattice K subdivided j times, S_j the scheme's matrix from level j to j + 1. Level 0 has
// a function for every vertex of K; level j + 1 adds one for every *odd* vertex, one that is new
// there: the limit of the values 1 at that vertex and 0 at all others of K_(j+1). Subdivision keeps the
// numbers of vertices, so *function f is vertex f of K_J*. With coefficients q the control points are
//
//     p^0 = q_0,      p^(j+1) = S_j p^j + E_j q_(j+1)     for j < J,
//     p^(j+1) = S_j p^j                                    from there on,
//
// where E_j puts a coefficient at its odd vertex. The *nodes* are the vertices of K_Q, Q >= J, in the
// limit: y = M p^Q with limit masks M, so y = B q with B constant and sparse. Over the functions of level 0
// the rows of B sum to one. The even vertices of a level keep their limit: nodes of coarser levels are
// among those of finer ones, under the same numbers.
//
// In the trilinear scheme vertices are their own limits, and places have the same bits as in snSubdivide.
#ifndef SN_BODY_LATTICE_NODES_H
#define SN_BODY_LATTICE_NODES_H

#include "body/lattice/scheme.h"

#define SN_NODE_LEVELS 8 // the finest lattice of nodes there can be

typedef struct snNodesDef {
    snScheme scheme;
    const snLattice *lattice; // K
    int levels;               // J, of functions
    int nodeLevel;            // Q >= J
} snNodesDef;

typedef struct snNodes {
    snScheme scheme;
    int levels, nodeLevel; // J, Q
    int functionCount;     // the vertices of K_J
    snLattice lattice;     // K_Q with its vertices in the limit, and its tags
    int *parent;           // [lattice.cellCount], the cell of K
    // The cells of level L <= Q, their corners nodes. Cells of level 0 may be tets and prisms.
    snSubdivisionLevel level[SN_NODE_LEVELS + 1];
    int *sourceStart, *source; // as in snFineLattice: in the middle of what a vertex was put
    snWeightRows rows;         // B, over functions
    snWeightRows step[SN_NODE_LEVELS]; // [Q], S_j
    snWeightRows limit;                // M; trilinear: the identity
} snNodes;

// Everything lives in the arena.
snStatus snNodes_Make(snNodes *nodes, const snNodesDef *def, snArena *arena,
                      const snContext *context, snError *error);

// The level of a function: that in which its vertex appears.
int snNodes_Level(const snNodes *nodes, int function);

// y = B q and g_q = B^T g_y, level by level: at two or more levels of functions less work than by the
// rows. `work` has room for 2 * vertexCount. y and q may not overlap.
void snNodes_Apply(const snNodes *nodes, const snVec3 *q, snVec3 *y, snVec3 *work);
void snNodes_ApplyTransposed(const snNodes *nodes, const snVec3 *gy, snVec3 *gq, snVec3 *work);

// The coefficients at rest: the places of K's vertices for level 0, else zero. [functionCount]
void snNodes_Rest(const snNodes *nodes, const snLattice *lattice, snVec3 *q);

#endif
