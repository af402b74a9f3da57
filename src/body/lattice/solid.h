// From a control lattice to what a smooth body is made of.
//
// The control lattice K and a subdivision scheme make a volume N; the body Ω is N itself, or what a
// surface encloses in it. Its lattice is that of the limit nodes (nodes.h), its motions are those of the
// functions of level J (space.h), its integrals are over the nodes' hexahedra
// (quadrature_hex.c), and what it is made of is given at K's vertices and subdivided as everything else, so
// that integrals see it at full resolution whatever J is. Derivations in docs/theory/multiresolution.md.
//
//     snSolid_Build(&solid, &def, context, error);
//     snLatticeModelDef model = snDefaultLatticeModelDef();
//     snSolid_Define(solid, &model);           // lattice, quadrature, space, materials; full motion
//     ... damping, step, iterations, solver, energy, gravity ...
//     snLatticeModel_Build(&body, &model, context, error);
//
// Whoever steps it as a body of a world uses snSolidBodyDef.solid (solid_body.h). The solid must outlive
// the model.
#ifndef SN_BODY_LATTICE_SOLID_H
#define SN_BODY_LATTICE_SOLID_H

#include "body/lattice/embed.h"
#include "body/lattice/model.h"
#include "body/lattice/nodes.h"
#include "body/lattice/space_levels.h"
#include "geometry/mesh.h"

typedef struct snSolidDef {
    const snLattice *lattice; // K, with what is sharp; copied
    snScheme scheme;
    int levels;    // J, of functions beyond those of K's vertices: 0 is the coarsest body
    int nodeLevel; // Q > J, of the integrals; 0: chosen. More is nearer to the exact energy
    // Unknowns are the coefficients of the hierarchical basis of levels 0 ... J instead of the control points of
    // level J. The motions are the same; rows are longer.
    bool hierarchical;
    // Finer functions come and go (space_levels.h), so many at a time: implies the hierarchical basis, and one
    // level at least. 0: all act.
    int mostActive;
    // The surface of Ω, closed, inside N; NULL: Ω = N, and the surface is that of N.
    const snMesh *surface;
    // At K's vertices, [vertices], or NULL: the same everywhere.
    const double *youngs, *poissons, *densities;
    double young;   // Pa. 1e4 is a soft belly, 1e6 firm muscle, 1e8 horn
    double poisson; // 0 ... 0.499
    double density; // kg/m³
    // Of Ω in N: what a hexahedron counts at least in elastic energy, as a share of its volume. Functions
    // that hardly reach into Ω would else hang on next to nothing; much of it stiffens gaps.
    double leastFraction;
} snSolidDef;
snSolidDef snDefaultSolidDef(void); // MacCracken and Joy, level 0, 1e5 Pa, 0.4, 1000 kg/m³

typedef struct snSolid {
    snArena arena; // owns everything
    snLattice control;
    snNodes nodes;      // nodes.lattice is the body's lattice
    snWeightRows space; // its nodes over the functions
    snNested
        nested; // of the trilinear scheme, but for functions that are hierarchical or come and go
    snQuadrature quadrature;
    snSpaceLevelsDef levels;           // where functions come and go: mostActive is not 0
    double *young, *poisson, *density; // [nodes.lattice.cellCount]
    double *masses;                    // [nodes.lattice.vertexCount], kg; NULL: by the density
    // Vertices and weights of a point at rest, SN_POINT_TERMS at most; returns their number, 0 where the place is too
    // far out. NULL: of the cell that it is in.
    int (*row)(const struct snSolid *solid, snVec3 rest, int *vertex, double *weight);
    const void *own; // of whoever built it
    // Of Ω in N: where its surface's vertices hang among the nodes; no points when Ω = N.
    snEmbedding embedding;
    double volume; // of Ω, by the quadrature, m³
    double mass;   // kg
} snSolid;

snStatus snSolid_Build(snSolid **solid, const snSolidDef *def, const snContext *context,
                       snError *error);
void snSolid_Destroy(snSolid *solid); // accepts NULL

// The nodes over the control points of level J, the limits of 1 at one vertex of K_J and 0 at all others:
// another basis of the same space as nodes->rows.
snStatus snNodalRows(snWeightRows *rows, const snNodes *nodes, snArena *arena,
                     const snContext *context, snError *error);

// Fills in what of a model's definition a solid has.
void snSolid_Define(const snSolid *solid, snLatticeModelDef *def);

#endif
