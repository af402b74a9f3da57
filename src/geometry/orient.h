// Decides for each triangle of a surface of unknown quality whether it counts as it is, turned
// over, or not at all, so that the winding number is 1 inside. Used inside this room; the rule is
// told to users in winding.h.
#ifndef SN_GEOMETRY_ORIENT_H
#define SN_GEOMETRY_ORIENT_H

#include "geometry/tree.h"

// signs[triangle] becomes 1, -1 (turned over) or 0 (left out). `signs` has room for all triangles.
snStatus snOrientTriangles(signed char *signs, const snMeshTree *tree, const snAllocator *allocator,
                           snError *error);

#endif
