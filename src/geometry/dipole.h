// The sum of solid angles of signed triangles, with a far field by moments: what snWinding is made
// of. Used inside this room only; winding.h is the interface.
#ifndef SN_GEOMETRY_DIPOLE_H
#define SN_GEOMETRY_DIPOLE_H

#include "geometry/tree.h"

// Moments of a node's triangles about `centre`; see dipole.c.
typedef struct snDipoleNode {
    snVec3 centre;
    double reach2;    // squared radius around the centre that holds all triangles
    snVec3 n;         // ∫ n dA
    double m[6];      // ∫ n ⊗ d dA, its symmetric part without trace: xx yy zz xy xz yz
    double t[10];     // ∫ n ⊗ d ⊗ d dA likewise: xxx yyy zzz xxy xxz yyx yyz zzx zzy xyz
    int first, count; // as in snTreeNode
} snDipoleNode;

typedef struct snDipoles {
    int nodeCount, itemCount;
    snVec3 middle;       // lengths are measured from here ...
    double scale;        // ... and times this, so that the whole has size 1
    snDipoleNode *nodes; // [nodeCount], as in the tree
    snVec3 *corners;     // [itemCount * 3], of the triangles in the tree's order
} snDipoles;

// `signs` holds 1, 0 (left out) or -1 (turned over) for each triangle.
snStatus snDipoles_Make(snDipoles *dipoles, const snMeshTree *tree, const signed char *signs,
                        snArena *arena, snError *error);

// Σ solid angles / 4π. Nodes farther than `beta` times their radius count by their moments.
double snDipoles_Number(const snDipoles *dipoles, snVec3 point, double beta);
double snDipoles_Exact(const snDipoles *dipoles, snVec3 point); // one triangle after another

// Half the solid angle of a triangle as a complex number's argument, corners relative to the eye.
// Positive where its back is seen. False where the eye is in the triangle's plane: no angle.
bool snHalfSolidAngle(snVec3 a, snVec3 b, snVec3 c, double *real, double *imaginary);

// A sum of angles in (-π, π) kept as a product of complex numbers and a count of full turns:
// one arc tangent for the whole sum instead of one for each.
typedef struct snAngleSum {
    double real, imaginary;
    int turns;
} snAngleSum;
snAngleSum snMakeAngleSum(void);
void snAngleSum_Add(snAngleSum *sum, double real, double imaginary);
double snAngleSum_Total(const snAngleSum *sum);

#endif
