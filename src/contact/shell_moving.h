// A shell asked at any share of a step in which its vertices go straight: nothing is made anew for a time but what is asked for
// there. For those who ask often within a step; shell.h is for those who ask at its end.
#ifndef SN_CONTACT_SHELL_MOVING_H
#define SN_CONTACT_SHELL_MOVING_H

#include "contact/shell.h"
#include "geometry/moving.h"

typedef struct snMovingShell {
    snShell *shell; // how it hangs together; its places and normals are those that it was made with
    snMovingMesh mesh;
    int *start, *faces; // [welded vertices + 1], [triangles * 3]: triangles at vertices, ascending
    int *source;        // [welded vertices], a vertex of those that were given
    bool *buried;       // [triangles], left out
    bool moving;        // begin and end differ
    double size;        // m, as it was made
} snMovingShell;

// As snShell_Make. What lies within another part of the surface is left out, for nothing comes to touch it: teeth in a head, the end
// of an ear in the skull.
snStatus snMovingShell_Make(snMovingShell *moving, const snMesh *mesh, double depth, snArena *arena,
                            snError *error);
// Where the given vertices are at the step's end; what is not finite stays. Allocates nothing.
void snMovingShell_Aim(snMovingShell *moving, const snVec3 *to);
void snMovingShell_Arrive(snMovingShell *moving); // the step's end becomes the next one's begin

// Whether the nearest place of the surface is within reach of a point at a share of the step, and on which side: as snShell_Query.
bool snMovingShell_Judge(const snMovingShell *moving, double share, snVec3 x, double reach,
                         const snSurfacePoint *near, snShellPoint *found);
// How far a place of the surface goes in the step.
snVec3 snMovingShell_Way(const snMovingShell *moving, int triangle, const double barycentric[3]);

#endif
