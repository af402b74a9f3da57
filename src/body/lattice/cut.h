// A surface cut by tets: which triangles reach into which tet, and how they hang together there.
#ifndef SN_BODY_LATTICE_CUT_H
#define SN_BODY_LATTICE_CUT_H

#include "body/lattice/piece.h"
#include "geometry/winding.h"

// Tets that meet face to face, in the caller's memory.
typedef struct snTetSet {
    int pointCount, count;
    const snVec3 *points; // [pointCount]
    const int *corners;   // [count * 4]
    const int *across;    // [count * 4], the tet across from that corner, or -1
} snTetSet;

void snTetSet_Points(const snTetSet *tets, int tet, snVec3 p[4]);

typedef struct snCutPiece {
    int triangle;
    unsigned faces; // see snPiece
} snCutPiece;

typedef struct snCut {
    snMesh mesh;
    signed char *side;  // [triangles] 1: the normal points outward, -1: inward, 0: encloses nothing
    int *shell;         // [triangles], equal for what hangs together along edges
    int *beside;        // [triangles * 3], the next triangle round the edge from corner k on, or -1
    int *start;         // [tets + 1], into pieces
    snCutPiece *pieces; // by ascending triangle inside a tet
} snCut;

// The result lives in the arena and keeps a pointer to the mesh's arrays.
snStatus snCut_Make(snCut *cut, const snTetSet *tets, const snMeshTree *surface, snArena *arena,
                    const snContext *context, snError *error);

snTriangle snCut_Triangle(const snCut *cut, int triangle);

// The piece that a triangle has in a tet, or -1.
int snCut_Find(const snCut *cut, int tet, int triangle);

// The piece nearest to a point of the tet; `facing`: of those that turn their inner side to it.
// The way to it from a point of the body meets no other piece, so that the point belongs to what
// that piece bounds. -1 when there is none.
int snCut_Nearest(const snCut *cut, int tet, const snVec3 corners[4], snVec3 point, bool facing);

#endif
