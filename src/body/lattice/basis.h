// The hierarchical basis over a lattice subdivided J times: control vertices that move the whole
// body, and finer and finer displacements on top of them.
//
// Capell, Green, Curless, Duchamp, Popovic, "Interactive Skeleton-Driven Dynamic Deformations",
// 2002, section 3. V_J are the functions that are trilinear on every cell of K_J, the lattice K
// subdivided J times. Level 0 has the hat of every vertex of K; level j + 1 adds the hat on K_(j+1)
// of every vertex that is new there, if it is non-zero on the body Ω and zero on the bones.
//
// Subdivision keeps the numbers of vertices, so *function f is vertex f of K_J*: it belongs to the
// level in which that vertex appears. A vertex v of level 0 is where its coefficient is; every
// later one is displaced from the mean of its source vertices by its own coefficient,
//
//     p_v = q_v                          level 0: q is a position, at rest r_v
//     p_v = mean(p of sources) + q_v     finer: q is a displacement, at rest 0
//
// which is the same as p_v = Σ_a B_va q_a with the values B_va of function a at vertex v.
//
// With a smooth scheme (scheme.h) the functions are limits of subdivision instead of hats, level j + 1
// adds those of the vertices that are new there, and p = B q with the values B at the limits of the fine
// vertices (nodes.h). Everything else is the same.
//
// All integrals are taken on the *fine mesh*: the lattice subdivided Q >= J times, its cells cut
// into tets; functions are linear on each tet. With λ_v the four barycentric coordinates of a tet,
// F = Σ_v p_v ∇λ_vᵀ is constant on it.
//
// Not every function can be an unknown, and `state` says why. A level-0 function that is not kept
// stays in the rows (they must sum to one) and its position must be given, by the rig for instance;
// finer ones are left out and their coefficient is zero.
#ifndef SN_BODY_LATTICE_BASIS_H
#define SN_BODY_LATTICE_BASIS_H

#include "body/lattice/quadrature.h"
#include "body/lattice/scheme.h"
#include "numerics/sparse.h"

#define SN_BASIS_LEVELS 6 // the finest level there can be: 8 times the cells with every level

typedef enum snFunctionState {
    SN_FUNCTION_KEPT,
    SN_FUNCTION_ON_BONE,   // not zero on a bone: it would bend it
    SN_FUNCTION_OUTSIDE,   // zero on Ω
    SN_FUNCTION_MISSED,    // Ω reaches into its support, but no sample point there is inside
    SN_FUNCTION_SLIVER,    // Ω fills less than leastShare of its support (finer levels only)
    SN_FUNCTION_DEPENDENT, // on Ω a combination of others, or nearly so
    SN_FUNCTION_STATES
} snFunctionState;
const char *snFunctionState_Name(snFunctionState state);

typedef struct snBasisDef {
    const snLattice *lattice;
    snScheme scheme; // trilinear as it is by default
    int levels;      // J, 0 ... SN_BASIS_LEVELS
    const snBone *bones;
    int boneCount;
    snInsideTest inside; // test == NULL: Ω = K
    snOwnerTest owner;   // as in quadrature.h: whose a point is where cells overlap
    int samples;         // per fine tet, 1 or 4; see quadrature.h
    int quadratureLevel; // Q >= levels
    // Finer functions with a smaller share of Ω in their support are left out: they act on next to
    // nothing and their coefficients would run wild. 0 keeps them all.
    double leastShare;
    // The square of the sine of the angle between a function and those before it, in L2(Ω), below
    // which it counts as dependent; for a function k levels above the finest it is 8^-k times this,
    // because that is how small it becomes even inside of Ω. There nothing is dropped up to 0.2. At
    // the border more are with a greater value, and the condition number is better. 0 keeps all.
    // Smooth functions overlap more: with them it is SN_SMOOTH_PIVOT times this, and 64^-k.
    double leastPivot;
    bool measure; // the condition numbers of the report; costs one factorisation
} snBasisDef;
snBasisDef snDefaultBasisDef(void);

#define SN_SMOOTH_PIVOT 0.05

// The lattice at level Q, in tets.
typedef struct snBasisMesh {
    int vertexCount;
    snVec3 *rest;     // [vertexCount]
    int *sourceStart; // [vertexCount + 1], into source; see subdivide.h
    int *source;
    int tetCount;
    int (*tets)[4];   // [tetCount], vertices
    double *volume;   // [tetCount], of the whole tet
    double *fraction; // [tetCount], of it in Ω, 0 ... 1
    int *tetCell;     // [tetCount], the cell of K that it lies in, ascending
    int *cellStart;   // [cells + 1]: cell c has the tets cellStart[c] ... cellStart[c + 1] - 1
} snBasisMesh;

typedef struct snBasisReport {
    int count[SN_BASIS_LEVELS + 1][SN_FUNCTION_STATES];
    double worstShare; // of Ω in the support of a kept function, level 0 included
    double worstFiner; // the same over finer levels only; 1 if there are none
    // λ_max / λ_min of the Gram matrix, scaled to a unit diagonal: of all functions that are
    // non-zero on the sampled Ω and zero on bones, and of those that are kept. Infinite where it is
    // not positive definite; 0 where not measured (the second: also with more than 150,000).
    double conditionBefore, conditionAfter;
} snBasisReport;

typedef struct snBasis {
    snScheme scheme;
    int levels, quadratureLevel;
    int cellCount;                       // of K
    int functionCount;                   // kept or not: the vertices of K_J
    int levelStart[SN_BASIS_LEVELS + 2]; // functions of level j: levelStart[j] ... - 1
    snVec3 *control;                     // [levelStart[1]], the vertices of K at rest
    unsigned char *state;                // [functionCount], snFunctionState
    double *share;                       // [functionCount], volume of Ω in its support / of it
    int *supportStart, *support;         // [functionCount + 1]: cells of K where it is not zero
    int *insideStart, *inside;           // [cells + 1]: functions that are not zero in a cell of K
    int keptCount;
    int *kept;   // [keptCount], functions, ascending
    int *keptOf; // [functionCount], position in `kept` or -1
    snBasisMesh mesh;
    snWeightRows values; // B, one row per mesh vertex, over functions: level 0 and kept ones
    snBasisReport report;
} snBasis;

// Everything lives in the arena.
snStatus snBasis_Make(snBasis *basis, const snBasisDef *def, snArena *arena,
                      const snContext *context, snError *error);

static inline int snBasis_Level(const snBasis *basis, int function)
{
    int level = 0;
    while (function >= basis->levelStart[level + 1])
        level++;
    return level;
}

// Any subset of the kept functions that has all of level 0 is a basis that can be used: a subset of
// independent functions is independent, and no worse conditioned. So functions may be switched on
// and off one by one, without looking at others; finer functions need no coarser ones. What must be
// seen to is that a coefficient is zero when its function goes, or the shape jumps.
//
// Sets active[f] for a wanted level per cell of K: kept functions of level 0, and those finer ones
// that are not zero in some cell whose cellLevel is at least theirs. Returns how many are active.
int snBasis_Activate(const snBasis *basis, const unsigned char *cellLevel, unsigned char *active);

// Rest coefficients: r for level 0, else 0. [functionCount]
void snBasis_Rest(const snBasis *basis, snVec3 *coefficients);

// Where the vertices of the fine mesh are. Trilinear: by the recursion over sources, which costs 2 ... 8
// additions per vertex at any number of levels. Finer functions that are not kept, or whose active[f] is 0,
// count nothing; active may be NULL.
void snBasis_Points(const snBasis *basis, const snVec3 *coefficients, const unsigned char *active,
                    snVec3 *points);

// ∫_Ω φ_a φ_b over the kept functions, in the order of `kept`.
snStatus snBasis_Gram(snSparse *gram, const snBasis *basis, snArena *arena, snError *error);

// Extreme eigenvalues of D^-1/2 A D^-1/2, D the diagonal of A (scalar, positive diagonal).
typedef struct snSpectrum {
    double least, greatest;
    int products; // with the matrix or its inverse; 0 by the dense way
} snSpectrum;

// All eigenvalues of the dense matrix, for a few hundred rows; `least` may come out as a rounding
// error of either sign for a singular one.
snStatus snSpectrum_Dense(snSpectrum *spectrum, const snSparse *matrix, const snContext *context,
                          snError *error);

// By Lanczos' method with the matrix and with its Cholesky factor; `least` is 0 when the matrix is
// not positive definite.
snStatus snSpectrum_Lanczos(snSpectrum *spectrum, const snSparse *matrix, const snContext *context,
                            snError *error);

// λ_max / λ_min by one or the other; infinite for a matrix that is not positive definite to
// rounding, 1 for an empty one.
snStatus snScaledCondition(double *condition, const snSparse *matrix, const snContext *context,
                           snError *error);

#endif
