// The surface of a character at rest as one solid: all parts in world space, welded, with a tree
// for distances and an inside test that survives holes, overlaps and separate shells.
// What instrumenting, proposing a skeleton and computing weights ask about a surface.
#ifndef SN_CHARACTER_SOLID_H
#define SN_CHARACTER_SOLID_H

#include "character/character.h"
#include "geometry/tree.h"
#include "geometry/winding.h"

typedef struct snSolid {
    snMesh mesh; // welded; lives in the arena that it was made in
    int *weldOf; // [vertices given], the vertex of `mesh` that each became
    snMeshTree tree;
    snWinding *winding;
    snBox bounds;
    double size; // diagonal of the bounds, above 0
} snSolid;

// Keeps nothing of `mesh`. Fails for a surface without extent or with numbers that are not finite.
snStatus snSolid_Make(snSolid *solid, const snMesh *mesh, snArena *arena, snError *error);

// All parts as they stand at rest, one after another: weldOf has one entry for each vertex.
snStatus snSolid_FromCharacter(snSolid *solid, const snCharacter *character, snArena *arena,
                               snError *error);

bool snSolid_Inside(const snSolid *solid, snVec3 point);

// How deep a point lies: the distance to the surface, negative outside.
double snSolid_Depth(const snSolid *solid, snVec3 point);

// Whether the straight line from a to b lies inside, tested at steps of at most `step`, ends too.
bool snSolid_SegmentInside(const snSolid *solid, snVec3 a, snVec3 b, double step);

#endif
