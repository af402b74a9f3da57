#include "body/lattice/parts.h"

bool snCellParts_Owns(const snCellParts *parts, const snLattice *lattice, int cell, snVec3 point)
{
    int tet = parts->tetOf[cell];
    if (parts->copies[tet] == 1) return true;
    snVec3 corners[4];
    for (int k = 0; k < 4; k++)
        corners[k] = lattice->rest[snLattice_Corners(lattice, cell)[k]];
    int piece = snCut_Nearest(&parts->cut, tet, corners, point, true);
    if (piece < 0 && parts->background[tet] >= 0) return parts->background[tet] == cell;
    if (piece < 0) piece = snCut_Nearest(&parts->cut, tet, corners, point, false);
    return piece >= 0 && parts->cellOf[piece] == cell;
}

bool snCellParts_Holds(const snCellParts *parts, int cell, int triangleCount, const int *triangles)
{
    int tet = parts->tetOf[cell];
    if (parts->copies[tet] == 1 || triangleCount == 0) return true;
    for (int i = 0; i < triangleCount; i++) {
        int piece = snCut_Find(&parts->cut, tet, triangles[i]);
        if (piece >= 0 && parts->cellOf[piece] == cell) return true;
    }
    return false;
}
