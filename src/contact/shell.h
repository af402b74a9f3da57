// A surface of triangles to bump into: closed ones are solid, open ones act from their front.
//
// The sign of a distance comes from the angle-weighted normal of the face, edge or corner that is
// nearest (Bærentzen, Aanæs, "Signed Distance Computation Using the Angle Weighted Pseudonormal",
// 2005): for closed surfaces it is exact, and where a surface deforms only normals have to be made
// anew.
#ifndef SN_CONTACT_SHELL_H
#define SN_CONTACT_SHELL_H

#include "geometry/tree.h"

typedef struct snShell {
    snMeshTree tree; // of the welded surface, at `end`
    int *weldOf;     // [given vertices]
    int vertexCount; // given
    snVec3 *begin;   // [welded vertices], at the begin of a step
    snVec3 *end;     // [welded vertices], at its end; what is asked about
    int *triangles;  // [triangles * 3], turned outward where the surface is closed
    int *twin; // [triangles * 3], half-edge k goes from corner k; its other half, or -1: border
    bool closed;
    int borderEdges;
    double depth; // of open surfaces: how far behind the front a point still counts as inside
    double moved; // how far a vertex went in the step at most
    // Angle-weighted, not of unit length.
    snVec3 *faceNormals;     // [triangles], unit
    snVec3 *edgeNormals;     // [triangles * 3]
    snVec3 *cornerNormals;   // [welded vertices]
    unsigned char *onBorder; // [welded vertices]
    snBox *boxes;            // [triangles], scratch of moving
} snShell;

// The nearest point of a surface.
typedef struct snShellPoint {
    double distance; // below 0: inside
    snVec3 normal;   // unit, outward
    snVec3 point;
    int triangle;
    double barycentric[3];
} snShellPoint;

// Copies the mesh. Closed surfaces that are wound inward are turned. `depth` is for open ones.
// Fails when there is no triangle with an area.
snStatus snShell_Make(snShell **shell, const snMesh *mesh, double depth, snArena *arena,
                      snError *error);

// New places of the given vertices at a step's begin and end. Allocates nothing.
void snShell_Move(snShell *shell, const snVec3f *begin, const snVec3f *end);

// The same in doubles.
void snShell_Place(snShell *shell, const snVec3 *begin, const snVec3 *end);

// False when nothing is within `reach`. Points inside a closed surface are found at any depth. Beyond
// the border of an open surface, and farther behind it than its depth, there is nothing.
bool snShell_Query(const snShell *shell, snVec3 x, double reach, snShellPoint *found);

// What of a surface a place is on, within which its angle-weighted normal is the same.
typedef enum snShellKind { SN_SHELL_FACE, SN_SHELL_EDGE, SN_SHELL_CORNER } snShellKind;
typedef struct snShellFeature {
    snShellKind kind;
    int number; // of the triangle, the half-edge, the welded vertex
    bool inner; // not of the border
} snShellFeature;
snShellFeature snShell_FeatureAt(const snShell *shell, const snSurfacePoint *place);

// On which side a point is of its nearest place, for those who have found it: as snShell_Query.
typedef struct snShellSide {
    snVec3 normal; // angle-weighted, of what the place is on
    snVec3 face;   // unit, of its triangle
    double size;   // of the surface
    bool inner;
} snShellSide;
bool snShell_Judge(const snShell *shell, snVec3 x, double reach, const snSurfacePoint *near,
                   const snShellSide *side, snShellPoint *found);

// How far the material point that is now at a place of the surface went in the step.
snVec3 snShell_MoveAt(const snShell *shell, const snShellPoint *place);

#endif
