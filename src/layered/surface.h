// The skin of a document as the body of a skin has it (body/skin): its mesh, and what its points are like there.
#ifndef SN_LAYERED_SURFACE_H
#define SN_LAYERED_SURFACE_H

#include "body/skin/muscles.h"
#include "body/skin/smooth.h"
#include "layered/figure.h"

// What a muscle may come through a face of the skin by, of the size of the skin (body/skin/cover.h).
#define SN_SKIN_BULGE 0.008
double snLayered_SkinBulge(const snLayered *layered); // in m

// The mesh of the skin; the document must have one. In the arena.
snStatus snLayered_SkinMesh(const snLayered *layered, snSkinMesh *mesh, snArena *arena,
                            snError *error);
// Where its points are, [points].
snVec3 *snLayered_SkinPlaces(const snLayered *layered, snArena *arena);

// Densities of the chart, from those of a square metre. [points]; NULL: out of memory.
snSkinPoint *snLayered_SkinPoints(const snLayered *layered, const snSkinMesh *mesh, snArena *arena);

// Colours (linear, 4 each) and texture coordinates (2 each, from above) of vertices of the drawn surface, in the arena: they go
// from points to vertices as places do, and marks are over them.
snStatus snLayered_Paint(const snLayered *layered, const snSkinSmooth *smooth, float **colors,
                         float **uv, snArena *arena, snError *error);

// The muscles as the figure stands, in the arena: frames are the joints.
snStatus snFigure_SkinMuscles(const snFigure *figure, double time, snSkinMuscles *muscles,
                              snArena *arena, snError *error);
void snFigure_Shapes(const snFigure *figure, double time, snSkinMuscle *shapes);

#endif
