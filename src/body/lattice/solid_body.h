// A lattice body without a skeleton, as a world has it (body/body.h): a block, a thrown toy, a bar
// that is held at its end. Gravity, points that are held or pulled, and contact move it.
#ifndef SN_BODY_LATTICE_SOLID_BODY_H
#define SN_BODY_LATTICE_SOLID_BODY_H

#include "body/body.h"
#include "body/lattice/adapt.h"
#include "body/lattice/point.h"
#include "body/lattice/solid.h"
#include "body/lattice/solid_surface.h"

// What the body is: a solid (solid.h), smooth or not, with its materials; or cells as they are, such as
// the tets of an automatic lattice.
typedef struct snSolidBodyDef {
    const char *name; // copied
    snSolid *solid;   // belongs to the body from then on, also when it cannot be made; NULL: cells
    // What is seen and what bumps into things, carried by the cells; of a solid its own surface's vertices.
    // NULL: the boundary, of a solid in the limit.
    const snSolidMesh *surface;
    // Cells.
    const snLattice *lattice; // copied
    snInsideTest inside;      // Ω: test == NULL: all of the lattice is the body
    snOwnerTest
        owner;      // which copy of a cell has a point (clone.h); owns == NULL: there are no copies
    int quadrature; // level of subdivision at which is integrated: 1 for tets
    const double *young; // [cells], Pa. 1e4 is a soft belly, 1e6 firm muscle, 1e8 horn
    double poisson;      // 0 ... 0.499
    double density;      // kg/m³
    // Of a solid whose finer functions come and go: which, and how often is looked.
    snAdaptDef adapt;
    // Both.
    double drag;          // 1/s, of its velocity through still air
    double damping;       // s, of the strain's rate: takes the ring out of quick wobbles
    double energyDamping; // s/J, of the elastic energy's rate; dies away with what it damps
    snMaterial material;
    // All but SN_SOLVER_BLENDED. SN_SOLVER_LINEAR finds no contacts: the world holds it out, of colliders too.
    snSolver solver;
    snTurn turn;           // of SN_SOLVER_LINEAR
    snPointMethod holding; // of points: SN_POINTS_MULTIPLIERS goes with SN_SOLVER_NEWTON
    double alpha, beta; // Baumgarte's, of held points (point.h); both 0: they are met in every step
    snPrecision precision;
    bool
        detail; // it has levels of detail (snBody_SetLevel): two, and three where a skeleton leads it
    // SN_INTEGRATOR_MIDPOINT keeps energy. It needs `apart`, no alpha and beta, and SN_SOLVER_PROJECTIVE or _NEWTON.
    snIntegrator integrator;
    // Of a step; 0: 8 for SN_SOLVER_PROJECTIVE, else as the solver has it. With the midpoint rule at most: it is solved
    // out, and 0 stands for 100, or 10 with SN_SOLVER_NEWTON.
    int iterations;
    double step; // H, s
    bool apart;  // it passes through everything
    bool soft;   // contacts give way, for SN_SOLVER_NEWTON in any case; else they are exact
    double
        firmness; // of contacts that give way, and of friction; 0: 16, and 4 where they are exact
    double friction;       // the body's own; below 0: what it touches decides
    bool meets;            // other bodies that do so bump into it, and it into them
    bool tied;             // points of it may be tied to others (snBodyKind.tie)
    bool self;             // of exact contacts: it bumps into itself, where its surface is closed
    double restitution;    // 0 ... 1, how much of a speed comes back
    int contactIterations; // at least so many in steps in which something touches or pulls
    double thickness;      // m, contact begins so far out of colliders; below 0: 1.5e-3 of its size
    double
        cover; // m, of what lies over its surface, as a skin and its fat: contact begins farther out by that
    double reach;   // m, as near as this to a collider it is looked at; 0: 3 % of its size
    int mostPoints; // that can be located
    int mostHeld;   // of them held at the same time
} snSolidBodyDef;
snSolidBodyDef snDefaultSolidBodyDef(void);

// Undeformed and still where its lattice rests. snBody_Put and snBody_SetVelocity begin elsewhere.
snStatus snSolidBody_Make(snBody **body, const snSolidBodyDef *def, const snContext *context,
                          snError *error);

#endif
