// Whether the map h from a lattice's parameters to space is one-to-one where it is integrated.
//
// h(u) = Σ r_a φ_a(u) of a smooth lattice need not be: a control lattice whose cells are all positive can
// fold over when it is smoothed. The determinant of dh/du is taken at nine points of every hexahedron of
// nodes, its middle and the points (1 ± 1/√3)/2 of Gauss' rule, scaled by the lengths of its columns: 1 is a
// box, 0 is flat, below 0 the inside is out. (Two parts that meet in space without folding are not found.)
#ifndef SN_BODY_LATTICE_MAP_CHECK_H
#define SN_BODY_LATTICE_MAP_CHECK_H

#include "body/lattice/nodes.h"

typedef struct snMapReport {
    double *least; // [cells of K], the least over a cell's points
    int worst;     // the cell with the least of all; -1 without cells
    int badCount;
    int *bad; // [badCount], cells where some point is not positive, ascending
} snMapReport;

// `lattice` is of hexahedra; parent[h] is the cell of K that hexahedron h lies in, of cellCount.
snStatus snMapReport_Make(snMapReport *report, const snLattice *lattice, const int *parent,
                          int cellCount, snArena *arena, snError *error);

// SN_ERROR_GEOMETRY with a message that names the cells and their values, when there are bad ones.
snStatus snMapReport_Require(const snMapReport *report, snError *error);

// Both, for nodes of level 1 or more.
snStatus snNodes_CheckMap(const snNodes *nodes, const snContext *context, snError *error);

#endif
