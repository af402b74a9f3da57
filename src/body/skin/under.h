// A surface of triangles under a skin that deforms as it likes: flesh of another body, an animated mesh. The skin's points may
// not be inside it, and bands end at its material points, a triangle and shares of its corners.
#ifndef SN_BODY_SKIN_UNDER_H
#define SN_BODY_SKIN_UNDER_H

#include "body/skin/muscles.h"
#include "contact/shell_moving.h"

#define SN_SKIN_SURFACE 0x7fffffff // in the place of a muscle: a band ends at the surface
#define SN_SKIN_NEAR_FACES 28      // triangles that are listed for a point, at most

// What is known of a foot in a step. All but `near` is forgotten when the next one begins, so that it is no state.
typedef struct snSkinFoot {
    int64_t step;        // of which it is known
    snMovingPoint along; // where it was asked for, and how the surface goes there
    double
        room; // m: as long as the foot is no farther from that way, what follows holds; below 0: nothing is known
    double
        clear; // m: it is outside, and nothing comes nearer to the way; below 0: the list has what is nearest
    int count; // of the list; above SN_SKIN_NEAR_FACES: there was no room, all is asked
    snMovingNear list[SN_SKIN_NEAR_FACES];
    double loosest;         // m: how far corners of the list go off the way in all of the step
    double wish;            // m: how much room is wanted next
    int near;               // state: the triangle that was nearest when it was asked last; -1: none
    snVec3 last;            // the foot then ...
    double lastShare, away; // ... and how far it was outside; below 0: it was not
} snSkinFoot;

typedef struct snSkinUnder {
    snMovingShell shell; // shell.shell is NULL: there is no surface
    int pointCount;
    double share;            // of the step, that is asked about
    double edge;             // m, of its triangles in the mean
    snSkinFoot *feet;        // [pointCount]
    snVec3 *normals;         // [pointCount], scratch
    int64_t step;            // counts them
    int64_t asked, searched; // places looked for, and with the tree
} snSkinUnder;

snStatus snSkinUnder_Make(snSkinUnder *under, const snMesh *surface, int pointCount, snArena *arena,
                          snError *error);
static inline bool snSkinUnder_IsThere(const snSkinUnder *under)
{
    return under->shell.shell != NULL;
}
void snSkinUnder_Aim(snSkinUnder *under, const snVec3 *to); // where the step leads to
void snSkinUnder_Arrive(snSkinUnder *under);                // the step's end becomes the begin
void snSkinUnder_Carry(snSkinUnder *under, const snAffine *motion); // rigidly, between steps
void snSkinUnder_At(snSkinUnder *under, double share);

// Where the surface is, and what of it was nearest to points, as bytes of the state.
size_t snSkinUnder_SaveSize(const snSkinUnder *under);
void snSkinUnder_Save(const snSkinUnder *under, void *bytes);
void snSkinUnder_Restore(snSkinUnder *under, const void *bytes);

// Moves all points' feet out of the surface, as snSkinCull_Push does for muscles: returns the longest way.
double snSkinUnder_Push(snSkinUnder *under, const snSkinContact *contact, snVec3 *r, snVec3 *v);

// Where a band ends: shares of a face, at the step's begin and end.
void snSkinUnder_Band(const snSkinUnder *under, const snSkinPoint *p, snVec3 *from, snVec3 *to);
// Bands from points to the nearest places of the surface, no longer than `reach`; as long at rest as they are.
void snSkinUnder_Attach(const snSkinUnder *under, const snVec3 *places, double reach, int count,
                        snSkinPoint *points);

// A mesh of even triangles around a surface, at a distance from it. Inside is what it goes round, also where it has holes.
snStatus snSkinUnder_Surface(const snSkinUnder *under, double cell, double grow, snMesh *surface,
                             snArena *arena, snError *error);

#endif
