// Cells of a lattice that follow the inside: virtual nodes.
// Molino, Bao, Fedkiw, "A Virtual Node Algorithm for Changing Mesh Topology during Simulation",
// 2004. Each connected part of the inside within a tet gets a copy of it. Two copies share the
// corners of a face where their parts hang together through it, and only there: what is near in
// space but far along the body shares no vertex.
//
// Parts that are apart in one tet but near each other along the body (the two sides of a
// wrinkle, or of the place where two legs meet) gain nothing from being apart and cost cells: they
// stay together up to a distance of about an edge. Pieces with no bone in them would float: they
// go with the nearest part in their tets that has one.
//
// Where limbs grow out of one tet, several copies of the next tet stand on one face: the lattice
// branches there.
#ifndef SN_BODY_LATTICE_CLONE_H
#define SN_BODY_LATTICE_CLONE_H

#include "body/lattice/inside.h"
#include "body/lattice/lattice.h"

typedef struct snCloneDef {
    const snInsideDef *def;
    const snInside *inside;
    const unsigned char *flat; // [tets], 1: gets no cell, but joins its neighbours' corners
    int boneVertexCount;       // points before that number are on bones
    const int *joint;          // [boneVertexCount]
} snCloneDef;

typedef struct snCloneReport {
    int clones; // vertices beyond one per point
    int glued;  // parts that stay together because they are near along the body
    int strays; // cells that hang on no bone, because there is none in reach
} snCloneReport;

// *cellOf, [parts], is the lattice cell of each part, -1 for flat ones. Lattice and cellOf live in the arena.
snStatus snClone(snLattice *lattice, int **cellOf, const snCloneDef *def, snCloneReport *report,
                 snArena *arena, const snContext *context, snError *error);

#endif
