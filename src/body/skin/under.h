// A surface of triangles under a skin that deforms as it likes: flesh of another body, an animated mesh. The skin's points may
// not be inside it, and bands end at its material points, a triangle and shares of its corners.
#ifndef SN_BODY_SKIN_UNDER_H
#define SN_BODY_SKIN_UNDER_H

#include "body/skin/muscles.h"
#include "contact/shell.h"

#define SN_SKIN_SURFACE 0x7fffffff // in the place of a muscle: a band ends at the surface

typedef struct snSkinUnder {
    snShell *shell; // as it is at `at`; NULL: there is no surface
    int vertexCount;
    snVec3 *from, *to; // [vertexCount], at a step's begin and end
    snVec3 *now;       // [vertexCount], at a share of the step
    double at;         // that share; below 0: none
    bool moving;
    double size;     // m, of the surface at first
    int *first;      // [welded vertices], a vertex of those that were given
    snVec3 *normals; // [pointCount], scratch
} snSkinUnder;

snStatus snSkinUnder_Make(snSkinUnder *under, const snMesh *surface, int pointCount, snArena *arena,
                          snError *error);
void snSkinUnder_Aim(snSkinUnder *under, const snVec3 *to); // where the step leads to
void snSkinUnder_Arrive(snSkinUnder *under);                // the step's end becomes the begin
void snSkinUnder_At(snSkinUnder *under, double share);

// Moves all points' feet out of the surface, as snSkinCull_Push does for muscles: returns the longest way.
double snSkinUnder_Push(snSkinUnder *under, const snSkinContact *contact, snVec3 *r, snVec3 *v);

// Where a band ends: shares of a face, at the step's begin and end.
void snSkinUnder_Band(const snSkinUnder *under, const snSkinPoint *p, snVec3 *from, snVec3 *to);
// Bands from points to the nearest places of the surface, no longer than `reach`; as long at rest as they are.
void snSkinUnder_Attach(const snSkinUnder *under, const snVec3 *places, double reach, int count,
                        snSkinPoint *points);

// A mesh of even triangles around a closed surface, at a distance from it.
snStatus snSkinUnder_Surface(const snSkinUnder *under, double cell, double grow, snMesh *surface,
                             snArena *arena, snError *error);

#endif
