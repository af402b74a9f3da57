// Volumes that the fine tets of a cell count with in elastic energy: what is in Ω, brought to the volume
// of the cell's own element, which may have been raised to a least fraction.
#ifndef SN_BODY_LATTICE_FILLING_H
#define SN_BODY_LATTICE_FILLING_H

#include "body/lattice/basis.h"

typedef struct snFilling {
    double share;  // of the volume in Ω
    double spread; // of the whole volume
} snFilling;

static inline snFilling snFilling_Of(const snBasisMesh *mesh, int cell, double wanted)
{
    double inside = 0, whole = 0;
    for (int t = mesh->cellStart[cell]; t < mesh->cellStart[cell + 1]; t++) {
        inside += mesh->volume[t] * mesh->fraction[t];
        whole += mesh->volume[t];
    }
    if (inside > wanted) return (snFilling){wanted / inside, 0};
    return (snFilling){1, (wanted - inside) / whole};
}

static inline double snFilling_Volume(const snBasisMesh *mesh, int tet, snFilling filling)
{
    return mesh->volume[tet] * (filling.share * mesh->fraction[tet] + filling.spread);
}

#endif
