// Inside tests that survive open, self-overlapping and badly wound surfaces.
// Jacobson, Kavan, Sorkine-Hornung, "Robust Inside-Outside Segmentation using Generalized Winding
// Numbers", 2013; hierarchical evaluation: Barill, Dickson, Schmidt, Levin, Jacobson, "Fast
// Winding Numbers for Soups and Clouds", 2018.
#ifndef SN_GEOMETRY_WINDING_H
#define SN_GEOMETRY_WINDING_H

#include "geometry/tree.h"

typedef struct snWinding snWinding; // const after it was made; queries from any thread

snStatus snWinding_Make(snWinding **winding, const snMeshTree *tree, snArena *arena,
                        snError *error);

// The generalised winding number; 1 well inside, 0 well outside. snWinding_Number is the fast
// one (within 1e-2 of the exact sum), snWinding_Exact the sum over all triangles.
double snWinding_Number(const snWinding *winding, snVec3 point);
double snWinding_Exact(const snWinding *winding, snVec3 point);

// Inside, by a threshold on |winding number| and robust to surfaces that are wound inside out
// as a whole or in parts (it decides by the number's magnitude, calibrated at build).
bool snWinding_Inside(const snWinding *winding, snVec3 point);
void snWinding_InsideMany(const snWinding *winding, const snTasks *tasks, int count,
                          const snVec3 *points, unsigned char *inside);

#endif
