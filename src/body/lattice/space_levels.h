// The finer levels of a space of motions: functions that are switched on where a body needs them and off
// where it does not, while it moves.
//
// The unknowns are the coefficients q_0 of the functions of level 0, which always act, and those q_d of the finer
// ones that act now (active.h),
//
//     y = B_0 q_0 + B_d q_d.
//
// Switching on at q = 0 moves nothing; switching off moves the surface by the coefficient that is given
// up, which is kept small. Any subset of the hierarchical basis that has all of level 0 is independent.
//
// *Elements.* Cells of some coarse level of subdivision are each integrated at the level that the finest function acting on it
// needs: with elements of level Q_j, the hexahedra of the nodes of that level, whose corners are among
// the nodes of the finest one (nodes.h). So all elements stand on the same vertices, and those of different
// levels do not even have to fit together: each cell's energy is an integral over it of functions that are
// continuous all over. A coarse element has the moduli times volume of the fine ones that it stands for, so that
// a body that is stretched evenly has the same energy in either. Only vertices that elements stand on, or that
// something pulls at, are followed within a step; all of them at its end.
//
// *Inertia* is that of the finest lattice at any time: with D the diagonal over vertices, t their target (step.c),
// q̂ the first guess and r = q - q̂,
//
//     ½ (y - t)ᵀ D (y - t) = ½ rᵀ BᵀDB r + rᵀ b + const,       b = BᵀD (ŷ - t),
//
// exactly, with rows of BᵀDB from build and b once in a step.
#ifndef SN_BODY_LATTICE_SPACE_LEVELS_H
#define SN_BODY_LATTICE_SPACE_LEVELS_H

#include "body/lattice/adapt.h"
#include "body/lattice/space.h"

// What a model must be told beside its space, whose functions must be hierarchical and numbered by level.
typedef struct snSpaceLevelsDef {
    int levels; // J, 1 ... SN_DETAIL_LEVELS
    const int *
        levelStart; // [levels + 2]: functions of level j are levelStart[j] ... levelStart[j + 1] - 1
    int cellCount;  // of the control lattice
    const int *cellOf; // [lattice cells], its cell, ascending
    // By level of functions: one element per hexahedron that a cell is integrated with when functions of
    // that level act on it, where it is, ascending, and in which one a cell of the lattice lies. NULL: the
    // lattice's own.
    const snQuadrature *elements[SN_DETAIL_LEVELS + 1];
    const int *elementCell[SN_DETAIL_LEVELS + 1]; // [elements]
    const int *within[SN_DETAIL_LEVELS + 1];      // [lattice cells]
    int mostActive;                               // finer functions that may act at once
} snSpaceLevelsDef;

typedef struct snSpaceLevels {
    int levels;
    snFineFunctions fine;                  // sizes are the largest values of functions
    snWeightRows rows;                     // of every vertex over finer functions
    snWeightRows columns;                  // of every finer function over vertices
    double *stiffness;                     // [fine.count], N/m: of its coefficient, all others held
    double size;                           // of the rest shape, m
    int classOf[SN_DETAIL_LEVELS + 1];     // of elements, by level
    int *groupStart[SN_DETAIL_LEVELS + 1]; // [cells + 1]: a cell's groups in it
    int entries;                           // that rows over what acts can have
} snSpaceLevels;

// Rows over level 0 alone, from the arena.
snStatus snSpaceLevels_Coarse(snWeightRows *coarse, const snLatticeModelDef *def, snArena *arena,
                              snError *error);

// On a space that was built from those, with A over the lattice's vertices and D, [vertices]. Fills in
// model->space->levels and adds slots to the space's unknowns.
snStatus snSpaceLevels_Build(snLatticeModel *model, const snLatticeModelDef *def,
                             const snSparse *matrix, const double *diagonal, snArena *scratch,
                             snError *error);

// For a rung (ladder.h), with moduli `factor` times those of the base: rows of its A, and all that hangs on moduli. Its D
// must be the base's. The rest, and the classes before those of levels, are there.
snStatus snSpaceLevels_BuildRung(snLatticeModel *rung, const snLatticeModel *base, double factor,
                                 snError *error);

// The coarser classes of elements, once the finest is there.
snStatus snSpaceLevels_MakeClasses(snLatticeModel *model, const snLatticeModelDef *def,
                                   snError *error);

// ---- in a step (space_active.c) -------------------------------------------------------------------

// No finer function acts.
void snSpaceLevels_Reset(const snLatticeModel *model, snLatticeState *state);

// Lists for what acts, made anew where something else does than the last time. At the begin of a step.
void snSpaceLevels_Update(const snLatticeModel *model, snLatticeState *state);

// y = B q: over all vertices; over those that elements and contacts need; contacts alone.
void snSpaceLevels_Push(const snLatticeModel *model, const snLatticeState *state, const double *q,
                        double *y);
void snSpaceLevels_PushListed(const snLatticeModel *model, const snLatticeState *state,
                              const double *q, double *y);
void snSpaceLevels_PushTouched(const snLatticeModel *model, const snLatticeState *state,
                               const double *q, double *y);
// p = Bᵀ g, from all vertices; from those of contacts; from the listed ones.
void snSpaceLevels_Pull(const snLatticeModel *model, const snLatticeState *state, const double *g,
                        double *p);
void snSpaceLevels_PullTouched(const snLatticeModel *model, const snLatticeState *state,
                               const double *load, double *p);
void snSpaceLevels_PullListed(const snLatticeModel *model, const snLatticeState *state,
                              const double *g, double *p);

// After the first guess in state->nextCoefficient, which is the state carried on and shifted as a whole: the same over all
// vertices, q̂ and b.
void snSpaceLevels_Predict(const snLatticeModel *model, snLatticeState *state,
                           const double shift[4]);

// Vertices that a body's contacts of a step read and write beside those of elements; and more of them, of other
// bodies' contacts. Both do nothing for bodies without levels.
void snSpaceLevels_ListContacts(const snLatticeModel *model, snLatticeState *state,
                                const snLatticeDrive *drive);
void snSpaceLevels_ListRow(const snLatticeModel *model, snLatticeState *state, int count,
                           const int *vertex);

// All vertices to state->next, of which a search has only those that are listed: for what is looked for within it.
void snSpaceLevels_ShowAll(const snLatticeModel *model, const snLatticeState *state);

// Returns the inertia's part of the objective, up to a constant; with `gradient` gathers forces to
// state->gradient of listed vertices. AddInertia adds its part to a gradient over unknowns.
double snSpaceLevels_AddTerms(const snLatticeModel *model, snLatticeState *state, bool gradient);
void snSpaceLevels_AddInertia(const snLatticeModel *model, const snLatticeState *state,
                              double *gradient);

// At the step's end: all vertices to state->next, and what the next estimate needs.
void snSpaceLevels_Finish(const snLatticeModel *model, snLatticeState *state,
                          const snLatticeDrive *drive);

// ---- switching (space_adapt.c) --------------------------------------------------------------------

extern const snAdaptKind snSpaceAdaptKind;

// Rotations of a cell's elements of one level from those of the level that it is at, into `rotation` and
// `rig` of the class: as they are, or those for queries.
void snSpaceLevels_CarryRotations(const snLatticeModel *model, const snLatticeState *state,
                                  int cell, int level, double *rotation, double *rig);

#endif
