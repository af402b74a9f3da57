// Cutting the polygons of OBJ faces into triangles.
#ifndef SN_ASSET_OBJ_POLYGON_H
#define SN_ASSET_OBJ_POLYGON_H

#include "core/vec.h"

// Cuts a polygon of count >= 3 corners into count - 2 triangles with the same winding: by ear
// clipping in the plane of its mean normal, so polygons with dents come out right; what has no
// ears (crossing outlines, polygons without area) or is very large is cut as a fan. `ring` is
// scratch for `count` numbers; triangles [(count - 2) * 3] get corner numbers.
void snCutPolygon(const snVec3 *corners, int count, int *ring, int *triangles);

#endif
