// The functions of a body with linear deformations: x = Σ_a φ_a(X) r_a, with φ_a polynomials of the material
// point X (Witkin and Welch, "Fast Animation and Control of Nonrigid Structures", 1990). Of an order p, all
// polynomials of total degree up to p: 4 functions (affine), 10, 20, 35, ... Of a free-form lattice of l x m x n
// control points, products of Bernstein polynomials over a box, r_a then being the control points.
//
// Polynomials of an order are written as products of Legendre's,
//
//     φ(X) = P_i(u) P_j(v) P_k(w),   i + j + k <= p,   (u, v, w) = X in the frame of the box, [-1, 1]³,
//
// which span the same space as monomials do and are far better conditioned: on a box that is filled they are orthogonal.
#ifndef SN_BODY_POLY_FUNCTIONS_H
#define SN_BODY_POLY_FUNCTIONS_H

#include "core/error.h"
#include "core/vec.h"

#define SN_POLY_ORDER 8    // highest
#define SN_POLY_CONTROLS 9 // most along an axis

// A box with axes of its own: X = center + axes (half ⊙ u), u in [-1, 1]³.
typedef struct snPolyBox {
    snVec3 center, half;
    snMat3 axes; // a rotation
} snPolyBox;
snVec3 snPolyBox_Unit(const snPolyBox *box, snVec3 x); // u

typedef struct snPolyFunctions {
    snPolyBox box;
    int order;       // p, or 0: control points
    int controls[3]; // l, m, n
    int count;
    int degree[3]; // the highest along each axis of the box
} snPolyFunctions;

// Fails for an order outside of 1 ... SN_POLY_ORDER, and for fewer than 2 or more than SN_POLY_CONTROLS control
// points along an axis. With an order the control points do not count.
snStatus snPolyFunctions_Make(snPolyFunctions *functions, int order, const int controls[3],
                              const snPolyBox *box, snError *error);

// φ_a(X) and ∇φ_a(X), [count] each; gradients may be NULL. Control points go along the first axis first.
void snPolyFunctions_At(const snPolyFunctions *functions, snVec3 x, double *value,
                        snVec3 *gradient);

// The highest total degree of a product of two of them.
int snPolyFunctions_ProductDegree(const snPolyFunctions *functions);

#endif
