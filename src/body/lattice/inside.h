// The connected parts of the body's inside within each tet, and which parts of neighbouring tets
// hang together through their common face.
//
// A gap of any width separates: parts are not found by counting samples but by what the surface
// encloses. Pieces of surface that share an edge inside the tet bound one part; pieces on two sides
// of the same flesh are joined where the way between them through the tet meets no surface. Ways are
// tried between points of a grid in the tet, and from every piece straight inward.
//
// Where shells of surface overlap (gloves over hands, eyes in a head) what belongs together cannot
// be told: different shells are joined. A shell that reaches into itself (a tail in the rump) is
// not. Sheets that enclose nothing go with the nearest part. Bones are flesh to hang on: a bone that
// crosses a gap joins what is on both sides.
#ifndef SN_BODY_LATTICE_INSIDE_H
#define SN_BODY_LATTICE_INSIDE_H

#include "body/lattice/cut.h"

typedef struct snInsideDef {
    const snTetSet *tets;
    const snCut *cut;
    const snWinding *winding;
    int boneEdgeCount;
    const int (*boneEdges)[2]; // points of the tets, the lower number first, sorted
} snInsideDef;

typedef struct snPartLink {
    int a, b; // parts of neighbouring tets, a < b
} snPartLink;

typedef struct snInside {
    int partCount;
    int *start;      // [tets + 1], numbers of a tet's parts; none where nothing is inside
    int *tetOf;      // [parts]
    int *partOf;     // [pieces], snCut
    int *background; // [tets], the part that no piece in the tet bounds, or -1
    snVec3 *middle;  // [parts], a point in or near the part
    int linkCount;
    snPartLink *links; // sorted, each once
} snInside;

snStatus snInside_Find(snInside *inside, const snInsideDef *def, snArena *arena,
                       const snContext *context, snError *error);

// The part that a point of a tet, inside the body, belongs to; -1 when the tet has none.
int snInside_PartAt(const snInside *inside, const snInsideDef *def, int tet, snVec3 point);

// The part that a bone's edge runs through; p and q are its ends, corners of the tet.
int snInside_PartOfBone(const snInside *inside, const snInsideDef *def, int tet, snVec3 p,
                        snVec3 q);
// Of two points, in any order.
bool snInside_IsBoneEdge(const snInsideDef *def, int p, int q);

#endif
