// Inside tests that survive open, self-overlapping and badly wound surfaces.
// Jacobson, Kavan, Sorkine-Hornung, "Robust Inside-Outside Segmentation using Generalized Winding
// Numbers", 2013; hierarchical evaluation: Barill, Dickson, Schmidt, Levin, Jacobson, "Fast
// Winding Numbers for Soups and Clouds", 2018.
#ifndef SN_GEOMETRY_WINDING_H
#define SN_GEOMETRY_WINDING_H

#include "geometry/tree.h"

// Const after it was made; queries from any thread.
//
// The surface is put in order when it is made (orient.c has the details):
// - Vertices at equal places are one. Triangles that share an edge two by two form a shell and are
//   turned to agree with the larger part of its area.
// - A shell that lies in no other counts as wound outward, whichever way it was wound.
// - A shell inside another keeps its winding relative to the outermost one around it: wound
//   against it, it is a cavity (a hollow toy) and its inside is outside; wound alike it is a solid
//   within a solid (teeth in a head). Shells that only overlap are all turned outward; where they
//   overlap the number is 2.
// - Open shells with holes count as bodies as long as they enclose at least half of the
//   directions that they face inward. Flatter ones (hair cards, capes) are left out, unless all of
//   them together close around a body, as in a soup of single triangles.
typedef struct snWinding snWinding;

snStatus snWinding_Make(snWinding **winding, const snMeshTree *tree, snArena *arena,
                        snError *error);

// The generalised winding number of the surface as put in order; 1 well inside, 0 well outside.
// snWinding_Number is the fast one (within 1e-2 of the exact sum), snWinding_Exact the sum over all
// triangles.
double snWinding_Number(const snWinding *winding, snVec3 point);
double snWinding_Exact(const snWinding *winding, snVec3 point);

// Inside: the number's magnitude is above one half. Never outside the surface's bounding box.
bool snWinding_Inside(const snWinding *winding, snVec3 point);
void snWinding_InsideMany(const snWinding *winding, const snTasks *tasks, int count,
                          const snVec3 *points, unsigned char *inside);

// The same for many points, of which those that follow each other are near each other: runs of points
// with no surface of the tree between them (that which the winding was made of) get one answer.
void snWinding_InsideRuns(const snWinding *winding, const snMeshTree *tree, const snTasks *tasks,
                          int count, const snVec3 *points, unsigned char *inside);

// The winding number of a mesh as it is, by the sum over all triangles: for the odd point of a surface that moves, where
// putting it in order would cost more than it saves.
double snMesh_Winding(const snMesh *mesh, snVec3 point);

#endif
