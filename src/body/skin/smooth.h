// The surface of a skin as it is drawn and cached: refined a few times from the points that are simulated, closed at the
// rims of a grid, smooth. All refinements together are one sparse row per vertex, made once. No point moves by it.
#ifndef SN_BODY_SKIN_SMOOTH_H
#define SN_BODY_SKIN_SMOOTH_H

#include "body/lattice/subdivide.h"
#include "body/skin/mesh.h"

#define SN_SKIN_SMOOTH_LEVELS 4 // of refinement, at most; each has four times the triangles

typedef struct snSkinSmooth {
    int vertexCount, triangleCount;
    int *triangles;    // [triangleCount * 3], counter-clockwise from outside
    snWeightRows rows; // [vertexCount], over the points of the skin; each sums to 1
} snSkinSmooth;

// With no levels the points themselves, and the middle of each rim of a grid.
snStatus snSkinSmooth_Make(snSkinSmooth *smooth, const snSkinMesh *mesh, int levels, snArena *arena,
                           const snContext *context, snError *error);

snVec3 snSkinSmooth_Place(const snSkinSmooth *smooth, const snVec3 *points, int vertex);
void snSkinSmooth_Places(const snSkinSmooth *smooth, const snVec3 *points, snVec3 *out);
// Values of points, `width` each.
void snSkinSmooth_Values(const snSkinSmooth *smooth, int width, const float *values, float *out);

#endif
