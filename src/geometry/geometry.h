// Geometry: surfaces and space, without physics. It may use only core (and Qhull, behind
// delaunay.h). Begin with mesh.h (triangles in the caller's memory), then tree.h (what is near, what
// is hit), winding.h (what is inside) and implicit.h (shapes and the polygoniser).
#ifndef SN_GEOMETRY_GEOMETRY_H
#define SN_GEOMETRY_GEOMETRY_H

#include "geometry/delaunay.h"
#include "geometry/edges.h"
#include "geometry/implicit.h"
#include "geometry/mesh.h"
#include "geometry/moving.h"
#include "geometry/primitive.h"
#include "geometry/shape.h"
#include "geometry/tree.h"
#include "geometry/winding.h"

#endif
