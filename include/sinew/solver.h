// How flesh is computed: what moves, by which energy, solved how. The first of each list is the
// default.
#ifndef SINEW_SOLVER_H
#define SINEW_SOLVER_H

// How the body moves.
typedef enum snMotion {
    SN_MOTION_SECONDARY, // only what physics adds: a held pose ends exactly as the rig gives it
    SN_MOTION_FULL,      // the body as simulated from its rest shape, sag and all
} snMotion;

// The elastic energy of an element (docs/theory/lattice.md has them).
typedef enum snMaterial {
    SN_MATERIAL_COROTATED,   // the default: linear about the best rotation
    SN_MATERIAL_NEO_HOOKEAN, // stable neo-Hookean: stiffens when squashed hard
    SN_MATERIAL_GREEN,       // Green strain (St. Venant-Kirchhoff), the paper's own
    SN_MATERIAL_NONRIGID,    // rigidity and volume: |FᵀF - 1|² and (det F - 1)²
} snMaterial;
#define SN_MATERIALS 4

// How the end of a step is found.
typedef enum snSolver {
    SN_SOLVER_PROJECTIVE, // quasi-Newton on one constant scalar matrix: the default
    SN_SOLVER_NEWTON,     // the same objective by Newton's method
    SN_SOLVER_BLENDED,    // one linear step per bone's region, blended (Capell et al. 2002, 4.2)
    SN_SOLVER_LINEAR,     // one linear step for the whole body
} snSolver;

// How a body is carried from one time to the next.
typedef enum snIntegrator {
    SN_INTEGRATOR_EULER,    // backward Euler: robust, and what swings dies away
    SN_INTEGRATOR_MIDPOINT, // the implicit midpoint rule: keeps energy; no contact
    // To compare with, for bodies of few functions: no contact, no ties, and short steps.
    SN_INTEGRATOR_EXPLICIT_EULER,
    SN_INTEGRATOR_RUNGE_KUTTA, // of fourth order
} snIntegrator;

// How linear systems of SN_SOLVER_LINEAR and SN_SOLVER_BLENDED are solved.
typedef enum snLinearMethod {
    SN_METHOD_FACTOR, // matrices factored at build, back-substituted in the step
    SN_METHOD_CG,     // conjugate gradients in the step, warm-started
} snLinearMethod;

// What SN_SOLVER_NEWTON solves its systems with in a space of motions, where neither points are held nor
// contacts are on.
typedef enum snNewtonMethod {
    SN_NEWTON_AUTO, // the default: multigrid for large spaces that have others inside, else the factor
    SN_NEWTON_FACTOR,    // conjugate gradients with the factor of the constant matrix
    SN_NEWTON_MULTIGRID, // with multigrid on the true one; only spaces that have others inside
} snNewtonMethod;

// How the rest state of SN_SOLVER_LINEAR follows a body that turns: quasi-linear steps, for large turns
// with small deformation. Of full motion, without a rig.
typedef enum snTurn {
    SN_TURN_NONE,  // it stays
    SN_TURN_POLAR, // by the polar decomposition of the deformation at the middle
    SN_TURN_CURL,  // by its curl there, as in Capell et al. 2002 (A Multiresolution Framework, 4.4)
} snTurn;

// What elements and the solve are computed in; positions and velocities are doubles in any case.
typedef enum snPrecision {
    SN_PRECISION_DOUBLE, // the default of a bare lattice
    SN_PRECISION_SINGLE, // 0.6 of the time: SN_SOLVER_PROJECTIVE, one body at a time, no details
    SN_PRECISION_AUTO,   // the default of flesh: single where it goes, for the corotated material
} snPrecision;

// What SN_SOLVER_PROJECTIVE searches on.
typedef enum snMatrix {
    SN_MATRIX_AUTO,   // the default: turned where the scalar one is far too stiff for slender ends
    SN_MATRIX_SCALAR, // one constant scalar matrix: cheapest
    // Beside it the linear stiffness, turned by the flesh's own rotations: a dearer iteration, and a
    // fraction of the error. Corotated material, no details, at least two iterations.
    SN_MATRIX_TURNED,
} snMatrix;

#endif
