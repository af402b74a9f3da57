// A control lattice made automatically around a surface and its bones: the part that took an
// expert hours.
//
// Points: samples along the bones, and a body-centred grid near and inside the surface that keeps
// out of the bones' protecting balls. Delaunay tetrahedra of them; those that touch the body are
// kept. A sub-segment of a bone whose diametral ball is empty is a Delaunay edge, so every bone
// becomes a chain of edges; where another bone comes too close the sub-segment is halved, and all
// is done again.
//
// The tets are then copied for each connected part of the inside that they hold (inside.h,
// clone.h), so that legs that are near in space do not hang on each other.
#ifndef SN_BODY_LATTICE_AUTO_LATTICE_H
#define SN_BODY_LATTICE_AUTO_LATTICE_H

#include "body/lattice/clone.h"
#include "body/lattice/lattice.h"
#include "body/lattice/parts.h"
#include "geometry/winding.h"

typedef struct snAutoLatticeDef {
    const snMeshTree *surface;
    const snWinding *winding;
    const snBone *bones;
    int boneCount;
    int cells;      // about how many are wanted; used when spacing is 0
    double spacing; // edge of the body-centred cubes; smaller is finer and slower (step time grows
                    // with its inverse cube)
} snAutoLatticeDef;

typedef struct snAutoLatticeReport {
    double spacing;
    int rounds;           // of bone splitting
    int missingBoneEdges; // 0 unless bones cross each other
    // Of the cells, radius ratio: 1 regular, 0 flat. A twentieth of the cells is below lowQuality.
    double worstQuality, lowQuality, medianQuality;
    int flat;             // cells left out because they are next to flat
    snCloneReport clones; // what was done so that the lattice follows the inside
    snCellParts parts;    // which copy of a cell a point belongs to; lives in the arena
} snAutoLatticeReport;

snStatus snAutoLattice(snLattice *lattice, const snAutoLatticeDef *def, snAutoLatticeReport *report,
                       snArena *arena, const snContext *context, snError *error);

#endif
