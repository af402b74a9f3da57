// Bodies with linear deformations: x = Σ_a φ_a(X) r_a with polynomials φ_a, affine, of second order, of any order, or a
// free-form lattice of control points (functions.h). They are solids (body/lattice/solid.h) with another space
// of motions; constraints, ties, contacts, solvers, materials and state are those of every solid. May use
// body/lattice. Begin with snPoly_Build in poly.c; derivations in docs/theory/nonrigid.md.
//
//     snPoly_Build(&solid, &def, context, error);
//     snSolidBodyDef body = snDefaultSolidBodyDef();
//     body.solid = solid;                  // which it takes over
//     body.surface = &(snSolidMesh){.mesh = surface, .embedding = &solid->embedding};
//     snSolidBody_Make(&made, &body, context, error);
//
// *Vertices and masses.* What is searched for are the r_a; everything else of a step goes over vertices y_v = Σ φ_a(X_v)
// r_a of a lattice (space.h). Its inertia is ½ Σ m_v |ÿ_v|², so vertices and masses must have, for all a and b,
//
//     Σ_v m_v φ_a(X_v) φ_b(X_v) = ∫ ρ φ_a φ_b dX = M_ab.                                               (1)
//
// *Affine* bodies stand on four vertices with a quarter of the mass each, X_v = c + L s_v, where c is the centre
// of mass, L Lᵀ = C = ∫ ρ (X - c)(X - c)ᵀ / m, and s_v are alternate corners of the cube [-1, 1]³. As Σ s = 0 and
// Σ s sᵀ / 4 = 1, they have the body's mass, centre and C: (1) holds, and such a body is one tetrahedron with one
// F, whose volume is the body's: its energies are exact, V ψ(F).
//
// *Others* stand on a grid of (2 p_x + 1)(2 p_y + 1)(2 p_z + 1) vertices, p being the highest degree along each axis of the
// box. A product f = φ_a φ_b is of degree 2 p there, so the Lagrange polynomials L_v of the grid have f = Σ_v f(X_v) L_v,
// and with
//
//     m_v = ∫ ρ L_v dX                                                                                 (2)
//
// (1) holds exactly: it is Newton and Cotes' way to quadrature. For bodies that do not fill their box some m_v are below 0;
// M is positive definite nevertheless, and nothing asks for more.
//
// *Elements* have one sample of F each (quadrature_hex.c): for functions that are quadratic along every axis their mean
// gradient is the one at the middle. So the grid's planes stand such that the middles between them are
// Gauss's points, x_0 = 0 and x_{i+1} = 2 g_i - x_i outwards on either side, and an element counts what of the body is in
// the block that Gauss's weights mark out: in a box of second order the energies are those of Gauss's rule with 4³ points.
#ifndef SN_BODY_POLY_POLY_H
#define SN_BODY_POLY_POLY_H

#include "body/lattice/solid.h"
#include "body/poly/functions.h"
#include "body/poly/measure.h"

#define SN_POLY_FUNCTIONS 343 // most

typedef struct snPolyDef {
    const snMesh *surface; // closed; what the body is
    int order;             // 1: affine, 2, ... SN_POLY_ORDER; 0: control points
    int controls[3];       // along x, y, z, over the surface's box; 0: by the order
    double density;        // kg/m³
    double mass;           // kg, instead of a density; 0: by that
    int pointCount;        // masses at points of the body, instead of both; 0: none
    const snVec3 *points;
    const double *masses; // kg, above 0
    double young;         // Pa. 1e4 is a soft belly, 1e6 firm muscle, 1e8 horn
    double poisson;       // 0 ... 0.499
} snPolyDef;
snPolyDef snDefaultPolyDef(void); // affine, 1000 kg/m³, 1e5 Pa, 0.4

// Young's modulus and Poisson's ratio of the energies k_e |FᵀF - 1|² + k_c (det F - 1)², densities in Pa, of
// SN_MATERIAL_NONRIGID: from jelly (1e3) to nearly rigid (1e9) by two numbers. μ = 4 k_e and λ = 2 k_c.
typedef struct snPolyEnergies {
    double rigidity, volume; // k_e > 0, k_c >= 0
} snPolyEnergies;
void snPolyEnergies_Moduli(const snPolyEnergies *energies, double *young, double *poisson);

snStatus snPoly_Build(snSolid **solid, const snPolyDef *def, const snContext *context,
                      snError *error);

#endif
