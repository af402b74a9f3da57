// The body against itself: belly against thigh. Finds samples (contact.h) that have come into another
// place of the body, and the point of its surface through which each goes out again.
#ifndef SN_BODY_LATTICE_SELF_CONTACT_H
#define SN_BODY_LATTICE_SELF_CONTACT_H

#include "body/lattice/contact.h"
#include "body/lattice/parts.h"
#include "geometry/winding.h"

#define SN_SELF_ROW 12 // vertices that a point of the surface hangs on: three corners, four each

typedef struct snSelfContactDef {
    const snLatticeModel *model;  // of tets alone; must outlive it, as must all below
    const snMeshTree *surface;    // at rest
    const snWinding *winding;     // of it
    const snCellParts *parts;     // which copy of a cell has which points; NULL: no copies
    const snContactSamples *rows; // of the surface's vertices
    const int *cells;             // [its vertices], their cells; -1: not of the body
    double depth;                 // overlaps beyond it do not push harder
} snSelfContactDef;

typedef struct snSelfContact {
    const snLatticeModel *model;
    const snMeshTree *surface;
    const snWinding *winding;
    const snCellParts *parts;
    const snContactSamples *rows;
    double depth;
    int cellCount;
    int *corner;     // [cells * 4], the model's numbers
    snMat3 *inverse; // [cells], of the matrix of their edges at rest
    int *cellOf;     // [surface vertices]
    snVec3 *normals; // [surface vertices], outward, at rest
    snTree tree;     // over the cells as they are now
    snBox *boxes;    // [cells]
    // The other sides of the samples' records.
    int sampleCount;
    int *vertex;    // [samples * SN_SELF_ROW]
    double *weight; // [samples * SN_SELF_ROW]
} snSelfContact;

// For so many samples. In the arena. Fails for lattices with other cells than tets.
snStatus snSelfContact_Make(snSelfContact **self, const snSelfContactDef *def, int sampleCount,
                            snArena *arena, snError *error);

// Adds records to the contacts' samples at contacts->place, for a state's first guess. Allocates
// nothing.
void snSelfContact_Find(snSelfContact *self, snLatticeContacts *contacts);

#endif
