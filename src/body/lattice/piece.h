// What a tet cuts out of triangles and segments: the pieces of a surface in one lattice cell.
#ifndef SN_BODY_LATTICE_PIECE_H
#define SN_BODY_LATTICE_PIECE_H

#include "geometry/mesh.h"
#include "geometry/primitive.h"

// A triangle cut by four planes has at most seven corners.
#define SN_PIECE_CORNERS 7

typedef struct snPiece {
    int count; // of corners; 0: the triangle does not reach into the tet
    snVec3 corner[SN_PIECE_CORNERS];
    unsigned faces; // bit k: an edge of the piece lies in the face across from corner k
    bool flat;      // all of it lies in one face
} snPiece;

snPiece snPiece_Cut(snTriangle triangle, const snVec3 tet[4]);
snVec3 snPiece_Middle(const snPiece *piece);
snVec3 snPiece_Closest(const snPiece *piece, snVec3 point);

// Cuts the segment to its part in the tet; false when nothing of it, or a point alone, is inside.
bool snCutSegment(snVec3 *a, snVec3 *b, const snVec3 tet[4]);

// Where a ray from a point of the tet leaves it: the parameter t along `direction`, and the corner
// across from the face it goes through.
double snTetExit(const snVec3 tet[4], snVec3 origin, snVec3 direction, int *face);

// Where the segment from a to b meets the triangle: the parameter t in [0, 1], or -1. Borders
// count, and a little beyond, so that nothing slips through between two triangles.
double snHitTriangle(snVec3 a, snVec3 b, snTriangle triangle);

#endif
