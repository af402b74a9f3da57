// Elastic energy densities of one element as functions of its deformation gradient F, with exact
// first and second derivatives: plain scalar C, one element at a time, for every F, inverted and
// flat ones too. Newton's method needs the second derivatives (hessian.h); the kernels in
// cells_kernel.c are the fast way to the first ones, and are tested against these.
#ifndef SN_BODY_LATTICE_ENERGY_H
#define SN_BODY_LATTICE_ENERGY_H

#include "body/lattice/model.h"

// Singular values of the rig's deformation that are smaller (or negative: an inverted element)
// count as this much where it is divided by.
#define SN_LEAST_STRETCH 0.2

// Flesh that has less of its volume is pressed flat (snLatticeModelDef.crush).
#define SN_FLAT 0.4

// What an element's strain is measured from.
typedef struct snElementTarget {
    // SN_MATERIAL_COROTATED (cells_kernel.c)
    snMat3 stretch;   // C, the rest stretch
    double volume;    // J_C, the rest volume over the true one
    double bulkScale; // s, of the volume term
    double crush;     // κ, of what is pressed flat
    // all others
    snMat3 rig;          // F_L, the deformation that is free of stress
    snMat3 rigInverse;   // B, its inverse after small singular values are raised
    double elasticScale; // of both moduli
} snElementTarget;

snElementTarget snRestTarget(void);      // full motion: at rest when F is a rotation
snElementTarget snRigTarget(snMat3 rig); // secondary motion: at rest when F = F_L
snMat3 snBoundedInverse(snMat3 rig);     // F_L⁻¹ with singular values of F_L at least 0.2

// A quadratic form in dF. Number 3 j + i of a matrix stands for row i, column j, as snMat3 has it.
typedef struct snHessian9 {
    double m[9][9];
} snHessian9;

// ψ(F) in J/m³, P = ∂ψ/∂F and ∂²ψ/∂F². `mu` and `lambda` are Lamé's constants in Pa. A density of
// 0 is rest; all materials agree with linear elasticity to second order there.
double snEnergy_Density(snMaterial material, double mu, double lambda,
                        const snElementTarget *target, snMat3 f);
snMat3 snEnergy_Stress(snMaterial material, double mu, double lambda, const snElementTarget *target,
                       snMat3 f);
snHessian9 snEnergy_Hessian(snMaterial material, double mu, double lambda,
                            const snElementTarget *target, snMat3 f);

// Replaces a symmetric matrix by the positive semi-definite one that is nearest in the Frobenius
// norm: negative eigenvalues become zero. One that has none is left as it is. Returns false, and
// changes nothing, where a number is not finite.
bool snProjectHessian(snHessian9 *hessian);

#endif
