// Patches: a hexahedron with the cells that touch it, of which it depends in the limit; and a store of
// all kinds of them that were met.
//
// A patch is numbered from its middle hexahedron outwards, so patches of one topology (and the same tags)
// are the same patch, wherever they lie. The eight parts of the middle hexahedron have patches again, which
// depend on the patch alone. There are a few dozen kinds in a lattice: all is computed once for each.
#ifndef SN_BODY_LATTICE_SCHEME_PATCH_H
#define SN_BODY_LATTICE_SCHEME_PATCH_H

#include "body/lattice/scheme_parts.h"

// A lattice of hexahedra to cut patches from.
typedef struct snPatchHost {
    const snLattice *lattice;
    snLists cells, edges, faces; // of a vertex: cells, and numbers of sharp edges and faces
    bool *corner;                // [vertices], tagged
    int *number, *visited;       // [vertices], [cells]: of the patch that is cut; -1 between
} snPatchHost;
snStatus snPatchHost_Make(snPatchHost *host, const snLattice *lattice, snArena *arena,
                          snError *error);

// What is known of a vertex of the middle hexahedron in the limit: weights of the patch's vertices. Column
// 0 is its value; the others are covectors along which the map leaves it, spanning the left
// eigenvectors of the three next eigenvalues. They are zero where there are no such three.
typedef struct snPatchCorner {
    double (*weight)[4]; // [patch vertices]
    bool tangent;        // the covectors are there
} snPatchCorner;

typedef struct snPatchType snPatchType;
struct snPatchType {
    snPatch patch; // cell 0 is the middle
    snGrid grid;
    snPatchHost parts; // of the split lattice
    snLattice split;   // with its tags
    // Of the part at each corner of the middle, when asked for: its kind and the vertices of `split`
    // that are its vertices.
    snPatchType *child[8];
    int *from[8];
    snPatchCorner *corner[8];
    snPatchType *next; // in the store
};

typedef struct snPatchStore {
    snScheme scheme;
    snArena *arena; // of everything
    const snContext *context;
    snPatchType *bucket[64];
    int count, most; // kinds; vertices of the largest
} snPatchStore;

// The kind of a cell's patch; *vertex gets its vertices' numbers in the host, from the store's arena.
snStatus snPatchStore_Cut(snPatchStore *store, snPatchHost *host, int cell, snPatchType **type,
                          int **vertex, snError *error);
snStatus snPatchStore_Child(snPatchStore *store, snPatchType *type, int corner, snError *error);
snStatus snPatchStore_Corner(snPatchStore *store, snPatchType *type, int corner, snError *error);

#endif
