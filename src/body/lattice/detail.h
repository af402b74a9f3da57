// Details: finer functions of the hierarchical basis (basis.h) on top of the control vertices, switched
// on where a body deforms strongly and off where it has calmed down, while it moves.
//
// A body with details has as unknowns the free vertices and, behind them, a fixed number of *slots*.
// A slot is empty, or holds the coefficient of one detail: a displacement that is zero at rest and in
// the rig's pose. So a slot is one more vertex with its rest position at the origin, and all vector
// operations of a step go over vertices and slots alike. The fine vertices that details act on are
// *points*, numbered behind the vertices: the mean of their sources, and their own detail,
//
//     p = (1/n) Σ p_source + d.
//
// A cell is at level 0 with its one element, or at level j with the fine tets of its j-th subdivision;
// a detail of level j needs all cells of its support at level j. Switching a detail on at d = 0 changes
// no position, and no energy: on a tet cell the fine elements have the deformation and together the
// volume of the one they stand for, and the mass matrix is the consistent one, which sees the same
// velocities in either basis.
//
// How the search goes on with the functions that act is in active.h.
#ifndef SN_BODY_LATTICE_DETAIL_H
#define SN_BODY_LATTICE_DETAIL_H

#include "body/lattice/active.h"
#include "body/lattice/basis.h"

// What could be switched on, made at build. Vertices and points are in the model's order.
typedef struct snDetail {
    int levels;
    // Slots stand behind the free vertices; a detail's size is how far its point is from the nearest of its
    // sources.
    snFineFunctions fine;
    int *point; // [details], the point it displaces
    int pointCount;
    int *sourceStart, *source;         // [pointCount + 1]: vertices and points
    int *detailOf;                     // [pointCount], or -1
    int *element;                      // [cells], the cell's element in class 0
    int *groupStart[SN_DETAIL_LEVELS]; // [cells + 1]: a cell's groups in class 2 + level - 1
    // Over lattice vertices and then details, all in reverse, so that columns of their lower triangles
    // are short; only while the model is built.
    snSparse massMatrix, stepMatrix;
} snDetail;

// First the matrices, before vertices are numbered; `diagonal` is what A has on its diagonal beside
// mass and stiffness, by lattice vertex. Then the rest.
snStatus snDetail_Assemble(snLatticeModel *model, const snLatticeModelDef *def,
                           const double *diagonal, snArena *scratch, snError *error);
snStatus snDetail_Number(snLatticeModel *model, const snLatticeModelDef *def, snError *error);

// ---- in a step (detail_step.c) ------------------------------------------------------------------

// Points that active elements stand on, from vertices and slots; or all points there are.
void snDetail_Expand(const snLatticeModel *model, const snLatticeState *state, double *positions,
                     bool all);

// x + h v + h² a of all vertices and slots, to state->detail.inertial.
void snDetail_Coast(const snLatticeModel *model, snLatticeState *state,
                    const snLatticeDrive *drive);

// Returns ½ rᵀ M r with r = next - inertial; with `gradient` adds M r and the forces of the fine
// elements to state->gradient.
double snDetail_AddTerms(const snLatticeModel *model, snLatticeState *state, bool gradient);

double snDetail_KineticEnergy(const snLatticeModel *model, const snLatticeState *state);

// No detail acts, all cells are at level 0.
void snDetail_Reset(const snLatticeModel *model, snLatticeState *state);

// ---- switching (detail_adapt.c) -------------------------------------------------------------------

struct snAdaptKind;
extern const struct snAdaptKind snDetailAdaptKind; // adapt.h

#endif
