// Limit values of a subdivision scheme: what the functions of a lattice are at any point, to about
// 1e-13, with their derivatives; and which point lies where in space.
#ifndef SN_BODY_LATTICE_SCHEME_LIMIT_H
#define SN_BODY_LATTICE_SCHEME_LIMIT_H

#include "body/lattice/scheme.h"

// A point of the lattice's domain, by a cell and three coordinates in [0, 1].
typedef struct snLimitPoint {
    int cell;
    // The hexahedron that one split makes of this corner: u runs from the corner to the midpoints
    // of its edges to shape->neighbour[corner][0], [1] and [2]. In a cell that is a hexahedron it
    // may be -1: u runs over the whole of it, from corner 0 to corners 1, 3 and 4.
    int corner;
    double u[3];
} snLimitPoint;

typedef struct snLimitDef {
    snScheme scheme;
    const snLattice *lattice; // the caller's, to outlive the limit
    int levels;               // J, of functions (nodes.h); 0: those of the lattice's vertices
} snLimitDef;

// It remembers what it has found of the lattice's neighbourhoods, in the arena it was made with, which
// must stay where it is. So it is for one thread at a time. What it gives does not depend on what
// it was asked before.
typedef struct snLimitStore snLimitStore;
typedef struct snLimit {
    snScheme scheme;
    const snLattice *lattice;
    int levels, functionCount;
    snLimitStore *store;
} snLimit;

snStatus snLimit_MakeOf(snLimit *limit, const snLimitDef *def, snArena *arena,
                        const snContext *context, snError *error);

// With levels = 0.
snStatus snLimit_Make(snLimit *limit, snScheme scheme, const snLattice *lattice, snArena *arena,
                      const snContext *context, snError *error);

// One row over the functions, from `arena`. Fails when the point is not in the lattice.
snStatus snLimit_At(const snLimit *limit, const snLimitPoint *point, snWeightRows *row,
                    snArena *arena, const snContext *context, snError *error);

// The derivatives by u of all functions of the row, in its order; and by the place x in space, through
// the map h(u) = Σ r_a φ_a(u) of the lattice at rest.
typedef struct snLimitValues {
    snWeightRows row; // one, of the values
    snVec3 *byU;      // [entries]; zero where byUKnown is false
    snVec3 *byX;      // [entries], ∇φ_a; zero where byXKnown is false
    snVec3 place;     // h(u)
    // At an extraordinary vertex or edge derivatives by u are zero or infinite, those by x still are
    // there. These in turn are missing where the map is singular: at corners that are rounded off,
    // and where a crease ends.
    bool byUKnown, byXKnown;
} snLimitValues;
snStatus snLimit_ValuesAt(const snLimit *limit, const snLimitPoint *point, snLimitValues *values,
                          snArena *arena, const snContext *context, snError *error);

// The point of the domain at a place in space: the nearest one where the place is outside of the body.
// `distance` is how far it is from there.
typedef struct snLimitFound {
    snLimitPoint point;
    double distance;
} snLimitFound;
snStatus snLimit_Find(const snLimit *limit, snVec3 place, snLimitFound *found,
                      const snContext *context, snError *error);

// Rows over the functions for many places in space. Those outside of the body hang on the nearest point of it,
// extrapolated linearly: rows of level 0 sum to one and reproduce the place for all.
typedef struct snLimitEmbedding {
    snWeightRows rows; // [count]
    int outside;       // how many are outside by more than 1e-9 of the lattice's size
    double farthest;   // from the body
} snLimitEmbedding;
snStatus snLimit_Embed(const snLimit *limit, int count, const snVec3 *places,
                       snLimitEmbedding *embedding, snArena *arena, const snContext *context,
                       snError *error);

#endif
