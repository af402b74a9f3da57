// Shapes that melt into each other, of which the creatures' surfaces are made: what is near a point is
// found quickly, and where a face is the triangles may be finer than elsewhere.
#ifndef SN_TOOLS_SHAPES_LUMPS_H
#define SN_TOOLS_SHAPES_LUMPS_H

#include "geometry/implicit.h"

#define LUMPS_MOST 192

typedef struct snLumps {
    int count;
    double widest; // of all widths below
    snShape shapes[LUMPS_MOST];
    double blend[LUMPS_MOST];                    // width over which it melts into what came before
    int region[LUMPS_MOST];                      // the creature's own numbers, to paint by
    double outer[LUMPS_MOST], inner[LUMPS_MOST]; // radii of balls around and inside of each
} snLumps;

// An empty one is {0}. `fillet` is how deep the melting reaches, in metres.
void snLumps_Add(snLumps *lumps, snShape shape, double fillet, int region);
snShape snEgg(snVec3 center, snVec3 axes, snMat3 turn);
snShape snCone(snVec3 from, snVec3 to, double radiusFrom, double radiusTo); // with round ends

double snLumps_Value(const snLumps *lumps, snVec3 point);
snVec3 snLumps_Gradient(const snLumps *lumps, snVec3 point);
double snLumps_Region(const snLumps *lumps, int region, snVec3 point); // distance to its shapes
snVec3 snLumps_Project(const snLumps *lumps, snVec3 point); // to the surface, from near it
snBox snLumps_Bounds(const snLumps *lumps);

// The surface with triangles of about `edge`, and of (1 - finer) `edge` near `center`.
typedef struct snLumpsDef {
    double edge;
    double finer; // 0 ... 0.7
    snVec3 center;
    double radius; // how far that reaches
    snBox box;     // where to look, as if all were as large as near `center`; empty: found
} snLumpsDef;
snStatus snLumps_Surface(snMesh *mesh, const snLumps *lumps, const snLumpsDef *def, snArena *arena,
                         snError *error);

#endif
