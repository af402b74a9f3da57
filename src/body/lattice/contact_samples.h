// Which points of a surface touch things: samples (contact.h) chosen from its vertices and from within
// triangles that are large.
#ifndef SN_BODY_LATTICE_CONTACT_SAMPLES_H
#define SN_BODY_LATTICE_CONTACT_SAMPLES_H

#include "body/lattice/contact.h"
#include "geometry/mesh.h"

typedef struct snSampleChoiceDef {
    const snMesh *surface;        // at rest
    const snContactSamples *rows; // of its vertices, over the lattice's
    const int *usable; // [vertices], below 0: hangs on nothing, and cannot touch; NULL: all can
    // Among the vertices of a cell so many are chosen, spread out. 0: of all vertices of the surface
    // `most`, spread out: corners come first, and where there are no more than that all are taken.
    const int *cells; // [vertices], of each vertex; below 0: of none. For perCell
    int cellCount;
    int perCell;
    // Triangles that are longer than one and a half of this get points within; 0: none do. Between points
    // of a triangle and vertices a flat side of a collider stays out by itself, an edge does not.
    double edge;
    int most;
} snSampleChoiceDef;

typedef struct snSampleChoice {
    snContactSamples samples;
    int *corners;   // [samples * 3], vertices of the surface whose mean, weighted, a sample is
    double *shares; // [samples * 3]
} snSampleChoice;

// Everything lives in the arena.
snStatus snSampleChoice_Make(snSampleChoice *choice, const snSampleChoiceDef *def, snArena *arena,
                             snError *error);

// The mean length of a lattice's edges.
double snLattice_MeanEdge(const snLattice *lattice);

#endif
