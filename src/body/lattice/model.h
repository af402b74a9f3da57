// The built lattice body: everything that stays the same while it moves. Made once by
// snLatticeModel_Build, shared by any number of states (step.h).
//
// Layout for speed. Vertices are renumbered: the unknown ones first, in the order in which the
// factor eliminates them, the known ones (bones) last. A vertex array has `width` doubles per
// vertex, components * lanes: component c of lane l of vertex i is array[i * width + c * lanes + l].
// One body is a batch of one lane with components (x, y, z, 0). Elements stand in groups of eight, in
// single precision of sixteen, with their numbers side by side (lane fastest), so that a kernel
// handles as many at a time as its registers hold.
#ifndef SN_BODY_LATTICE_MODEL_H
#define SN_BODY_LATTICE_MODEL_H

#include "body/lattice/lattice.h"
#include "body/lattice/quadrature.h"
#include "body/lattice/regions.h"
#include "body/lattice/subdivide.h"
#include "core/lists.h"
#include "numerics/cholesky.h"
#include "numerics/weight_rows.h"
#include "sinew/solver.h"

// Unknowns above which dissection is tried for an ordering as well (SN_ORDER_AUTO). Below, AMD's factor is nearly as
// small, and bodies are built sooner.
#define SN_LARGE 4000

// What a vertex without mass gets on the diagonal of matrices with 3x3 entries, as a share of its
// stiffness: pieces without any mass would leave them singular. It adds no force.
#define SN_LEAST_DIAGONAL 1e-9

#define SN_GROUP 8         // elements side by side
#define SN_GROUP_SINGLE 16 // in single precision
#define SN_DETAIL_LEVELS 3 // levels of detail there can be (detail.h)
#define SN_CLASSES (2 + SN_DETAIL_LEVELS)

// Spaces inside the space of a body's motions, each in the next: what multigrid needs (newton_grid.h). Of nodal
// functions only, like those of the trilinear scheme.
typedef struct snNested {
    int levels; // of spaces, the body's own the last; 0: none
    snWeightRows
        *prolongations; // [levels - 1]; [j] takes coefficients of space j to those of j + 1
} snNested;

// Functions from which on SN_NEWTON_AUTO takes multigrid: see docs/theory/multigrid.md.
#define SN_NEWTON_LARGE 150

typedef struct snLatticeModelDef {
    const snLattice *lattice;
    const snQuadrature *quadrature; // over the lattice; must outlive the model
    // The space of motions (space.h): every vertex as a combination of functions, which are then the unknowns.
    // Their numbers go from 0 up without gaps. For one body at a time, none of its vertices known, without
    // details, regions and the turned matrix. NULL: every vertex moves by itself.
    const snWeightRows *space;
    // Which functions of the space come and go, and how it is integrated where they do (space_levels.h); NULL:
    // all act.
    const struct snSpaceLevelsDef *spaceLevels;
    const snNested *nested;     // in that space; NULL: none
    const snWeightRows *skin;   // one row of joint weights per lattice vertex, or NULL: all at rest
    const unsigned char *known; // [vertices], 1: follows the rig exactly; NULL: none does
    const double *hold;         // [vertices], Hz: a spring to the rig's place, 0 free; NULL: free
    const double *drag;         // [vertices], 1/s, instead of massDamping; NULL: that everywhere
    const double *young;        // [cells], Pa. 1e4 is a soft belly, 1e6 firm muscle, 1e8 horn
    double poisson;             // 0 ... 0.499; higher keeps volume better and needs more iterations
    double density;             // kg/m³
    const double *poissons;     // [cells], instead of poisson; NULL: that everywhere
    const double *densities;    // [cells], instead of density; NULL: that everywhere
    const double *masses;       // [vertices], kg, instead of what density gives; NULL: that
    double massDamping;         // 1/s, of the velocity relative to the rig: drag
    double stiffnessDamping;    // s, of the strain's rate: takes the ring out of quick wobbles
    // How hard corotated flesh of full motion, without a rig, is to press flatter than SN_FLAT of its volume, in its own
    // moduli (cells_kernel.c); 0: it can be turned inside out.
    double crush;
    double energyDamping; // s/J, of the elastic energy's rate: see search.c
    double step; // s, the length of a step; of SN_INTEGRATOR_MIDPOINT half of it, to its middle
    snIntegrator integrator;
    // Per step. Projective: 3 is within 1.5 % at 1/120 s, 5 for 1/60 s. Newton: 1 is the linearised
    // implicit step, 10 is solved out. 0: 3 for projective, 1 for Newton.
    int iterations;
    snMotion motion;
    snMaterial material;
    snSolver solver;
    snPrecision precision;
    snMatrix matrix;
    // Another model of the same body, whose states it shall step too (ladder.h): it has a second matrix where
    // that one has, over the same vertices. NULL: as `matrix` says.
    const struct snLatticeModel *like;
    snLinearMethod method;
    snNewtonMethod newton;
    snTurn turn;              // of SN_SOLVER_LINEAR
    double tolerance;         // of SN_METHOD_CG: how much of a step's first residual may stay
    const snRegions *regions; // of SN_SOLVER_BLENDED; NULL: made from skin
    // Details that may be switched on (detail.h): bases of levels 1 ... `levels`, each integrated at
    // its own level; 0: none. They are read while the model is built.
    int levels;
    const struct snBasis *const *bases;
    int mostDetails; // that may act at once
    snVec3 gravity;  // m/s²; in secondary motion it is in the artist's pose already: leave at 0
} snLatticeModelDef;
snLatticeModelDef snDefaultLatticeModelDef(void);

// Elements with the same number of corners, in groups of G = 8, or 16 in single precision. Lanes
// without an element repeat the last one with weight 0. Numbers are doubles, or floats in single
// precision.
typedef struct snElementClass {
    int corners; // 4 or 8
    int group;   // G
    int groupCount;
    int count;      // elements
    int *vertex;    // [groups][corners][G], renumbered vertices
    void *gradient; // [groups][corners - 1][3][G], ∇φ of all corners but the first
    void *shear;    // [groups][G], 2 μ V
    void *bulk;     // [groups][G], λ V
} snElementClass;

typedef struct snLatticeModel {
    snArena arena; // owns everything
    snContext context;
    snLatticeModelDef def; // pointers in it are not kept: NULL
    snLattice lattice;     // a copy
    const snQuadrature *quadrature;
    // Vertices: free ones, then slots for details, then known ones. Unknowns are the first two.
    int vertexCount, freeCount, unknownCount;
    int group;                         // elements side by side: SN_GROUP or SN_GROUP_SINGLE
    size_t realSize;                   // bytes of a number of the elements
    const struct snCellKernels *cells; // (cells.h)
    const struct snVectorKernels *vectors;
    int *indexOf;  // [lattice vertices] -> their numbers here
    int *vertexOf; // [vertexCount] the inverse; -1 for slots
    int jointCount;
    snWeightRows skin; // rows in the order here
    snVec3 *rest;      // [vertexCount], in the order here
    double *mass;      // [vertexCount], lumped, kg
    double *hold;      // [vertexCount], κ = m (2πf)², N/m
    double *drag;      // [vertexCount], α, 1/s
    double totalMass;
    double size; // m, the diagonal of its box at rest
    int classCount;
    // Elements of 4 and of 8 corners (groupCount may be 0), then the fine ones of each level of detail, or the coarser
    // ones of a space with levels.
    snElementClass classes[SN_CLASSES];
    // Where the corner forces of each free vertex stand: slots of corner-force memory (step.h), in element order.
    snLists gather;
    int slotCount;
    struct snSpace *space; // of motions (space.h); NULL: vertices are free
    snNested
        nested; // in the order of its functions; none where Newton's method has no use for them
    // Of A = D + h (h + β) Σ k V GᵀG over the free vertices, scalar; in a space of A_q over functions.
    snFactor *factor;
    const snSymbolic *symbolic; // its structure, which the rungs of a ladder share
    double *diagonal;           // [freeCount], D = m (1 + hα) + κ (h² + hβ)
    int64_t factorNonZeros;
    struct snDetail *detail; // NULL: none can be switched on
    double tautness;         // snLatticeModelDef_Tautness of its step
    double mostPoisson;      // Poisson's ratio, of all cells the largest
    double tornEnergy;       // of the step's objective, above which a body is put back on its rig
    double stiffness;        // h (h + β) Σ (2μ + λ) V, for the rounding of energies (search.c)
    struct snTurned *turned; // the second matrix (turned.h); NULL: the scalar one does
    double softness;         // how many times too stiff that is at worst, or 0: not looked at
    struct snLinear *linear; // of SN_SOLVER_LINEAR and SN_SOLVER_BLENDED (linear.h), else NULL
} snLatticeModel;

snStatus snLatticeModel_Build(snLatticeModel **model, const snLatticeModelDef *def,
                              const snContext *context, snError *error);
void snLatticeModel_Destroy(snLatticeModel *model); // accepts NULL

// Corner force slots of so many vertices from `first` on, as `gather` has them, in the arena.
snStatus snLatticeModel_ListSlots(const snLatticeModel *model, int first, int count, snLists *lists,
                                  snArena *arena, snError *error);

// The same body with other moduli and steps of another length (ladder.h). It has matrices and factors of its own,
// and the elements' moduli where they differ; everything else is the base's, which must outlive it. Not for
// bodies with details.
typedef struct snRungDef {
    const snLatticeModel *base;
    const snLatticeModelDef *def; // what the base was built from, but for `young` and `step`
    double factor;                // of moduli, over the base's
} snRungDef;
snStatus snLatticeModel_BuildRung(snLatticeModel **rung, const snRungDef *def,
                                  const snContext *context, snError *error);

// Rig positions p_L of all vertices (order here, width 4): p_a = Σ_j w_aj T_j r_a. Vertices
// without weights stay at rest.
void snLatticeModel_Rig(const snLatticeModel *model, const snAffine *jointTransforms,
                        double *positions);

// The linear stiffness matrix at rest (3x3 blocks, all lattice vertices in lattice order) for the
// def's materials, and the consistent mass matrix (scalar). For tests, frequencies and linear
// solvers.
snStatus snLattice_Stiffness(snSparse *matrix, const snLattice *lattice,
                             const snQuadrature *quadrature, const double *young, double poisson,
                             snArena *arena, snError *error);
// One element's part of it, for Lamé's constants μ and λ; rowOf carries lattice vertices to rows of
// the matrix (NULL: the same numbers).
void snLattice_AddElement(snSparse *matrix, const snQuadrature *quadrature, int element,
                          const double lame[2], const int *rowOf);
snStatus snLattice_Mass(snSparse *matrix, const snLattice *lattice, const snQuadrature *quadrature,
                        double density, snArena *arena, snError *error);

// With class->group elements side by side and numbers of `realSize` bytes.
snStatus snElementClass_Alloc(snElementClass *class, int corners, int count, size_t realSize,
                              snArena *arena, snError *error);

// Number k of an array of a class, which is of doubles or of floats.
double snLatticeModel_Real(const snLatticeModel *model, const void *array, size_t k);
void snLatticeModel_SetReal(const snLatticeModel *model, void *array, size_t k, double value);

// F = Σ_{a>0} (y_a - y_0) g_aᵀ (cells_kernel.c) of element `place` of a class, for rows of four.
snMat3 snElementClass_Deformation(const snElementClass *class, size_t place, const double *rows);

// Where the corner force of a lane stands among its group's: in lane order, in single precision in
// the order 0, 4, 8, 12, 1, 5, ... that is quickest to store.
static inline int snSlotOffset(int group, int lane)
{
    return group == SN_GROUP ? lane : lane % 4 * 4 + lane / 4;
}

// The constant matrix A takes k for the curvature of the energy density. Along a direction of motion
// that is 2μ for ψ = μ|F - RC|², and up to 3λ for the volume term, but only for pure dilation: its
// curvature λ cof⊗cof has rank one. k = 2μ + λ never needed a halved step on the characters it was
// tried on (Fox run, Cow gallop, CesiumMan walk); 2μ + λ/2 did at every third one.
static inline double snCurvature(double mu, double lambda)
{
    return 2.0 * mu + lambda;
}

// The largest of Poisson's ratios that documents may ask for: λ is then 499 μ. Nearer to 1/2 rounding of
// single precision would be felt.
#define SN_MOST_POISSON 0.499

// (h c / l)², with the speed of sound (of pressure) c in the stiffest cell, `factor` times as stiff as it is, and the mean edge l: how many
// edges a wave goes in a step, squared.
double snLatticeModelDef_Tautness(const snLatticeModelDef *def, double factor, double h);

// Lamé's constants.
static inline double snShearModulus(double young, double poisson)
{
    return young / (2.0 * (1.0 + poisson));
}

static inline double snLameLambda(double young, double poisson)
{
    return young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
}

// What a cell is made of.
typedef struct snCellMaterial {
    double mu, lambda, density;
} snCellMaterial;

static inline snCellMaterial snCellMaterial_Of(const snLatticeModelDef *def, int cell)
{
    double young = def->young[cell], poisson = def->poissons ? def->poissons[cell] : def->poisson;
    return (snCellMaterial){snShearModulus(young, poisson), snLameLambda(young, poisson),
                            def->densities ? def->densities[cell] : def->density};
}

#endif
