// Points of a lattice body that must be somewhere: nailed, pulled along, held by another body.
//
// A point of the rest shape is Σ φ_a p_a over the vertices of its cell. Vertices on bones are known,
// the others are the unknowns of the constraint (constraint/constraint.h), in the model's order and
// on the model's own factor. One object for each state: its targets are part of what moves. Details that
// act (detail.h) are unknowns too: a point is on the body with all that it does. In a space of motions
// (space.h) the unknowns are its coefficients, and a point Σ_a φ_a Σ_f B_af q_f; positions and directions
// below are then coefficients (snLatticeState_Values).
//
// In a step:
//     snPointConstraints_Begin(points, state, drive->rig); // once, when the rig is known
//     snPointConstraints_Correct(points, next);         // the first guess, and after a plain solve
//     snPointConstraints_Project(points, direction);    // right after every solve with A that makes
//                                                       // a direction: P A⁻¹ instead of A⁻¹
// A search that adds projected directions to a corrected guess meets the constraints throughout. Two
// loops of L-BFGS want Project at their end too: near the minimum 1 / (s . y) is large, and the
// rounding of earlier moves grows with it. For conjugate gradients: Start instead of Correct, and
// the projection in snCgDef.
#ifndef SN_BODY_LATTICE_POINT_H
#define SN_BODY_LATTICE_POINT_H

#include "body/lattice/embed.h"
#include "body/lattice/multiplier.h"
#include "body/lattice/point_detail.h"
#include "constraint/projector.h"

// How points are kept where they should be.
typedef enum snPointMethod {
    SN_POINTS_PROJECTED,   // guesses are corrected, directions projected: every solver
    SN_POINTS_MULTIPLIERS, // Lagrange multipliers and MINRES (multiplier.h): SN_SOLVER_NEWTON
} snPointMethod;

typedef struct snPointConstraintsDef {
    const snLatticeModel *model; // must outlive the constraints
    int lanes;                   // of the state: 1, or a multiple of 8
    int capacity;                // most points at a time
    // How A is solved with. 0: as the model's solver does. 1 and no `inverse`: by the model's factor.
    // Else y = A⁻¹ x over block * freeCount doubles, vertices in the model's order; block 3 for matrices
    // with 3x3 blocks. Details count in the first two cases.
    int block;
    snOperator inverse;
    snPointMethod method;
    // Baumgarte's stabilisation: with C how far a point is from its target, each step aims at
    // C̈ + αĊ + βC = 0 (point_target.c). α = 2/τ and β = 1/τ² bring a miss to rest within a few τ, without
    // overshoot. Both 0: the target itself is met at the end of every step.
    double alpha, beta; // 1/s, 1/s²
    // In a space: most functions that a point hangs on; 0: what a point in a cell may need.
    int mostTerms;
    bool projector; // make what conjugate gradients need: freeCount * capacity doubles, twice
    bool
        leastSquares; // points that contradict each other share the miss; else the later one yields
} snPointConstraintsDef;
snPointConstraintsDef
snDefaultPointConstraintsDef(void); // one lane, 16 points, as the model solves

typedef struct snPointConstraints {
    snArena arena;
    const snLatticeModel *model; // of the present rung
    bool foreign;                // A is the caller's own
    int lanes, width;            // as in the state
    snConstraintSet *set;
    snConstraintProjector *projector; // or NULL
    // Terms of known vertices, by handle.
    int *knownCount;            // [capacity]
    int *knownVertex;           // [capacity * SN_CELL_CORNERS], the model's numbers
    double *knownWeight;        // [capacity * SN_CELL_CORNERS]
    snMultipliers *multipliers; // SN_POINTS_MULTIPLIERS, else NULL
    // Of Baumgarte's rule, by handle: targets as they were given, and at the step before; else NULL.
    double alpha, beta;
    double *given, *before; // [capacity * width]
    int *fresh;             // [capacity], 1: there was no step before
    bool detailed;          // details move points
    snPointDetails details;
    // Scratch.
    double *offset, *target; // [width]
    // In a space, [functions]: weights of a point that is attached, which of them there are, and these alone.
    double *sum, *packed;
    int *terms;
    unsigned char *listed;
    double *correct;  // of snConstraintSet_Correct
    double *solve;    // of the factor
    int64_t seenRows; // what the projector was made from
    int seenKept;
} snPointConstraints;

snStatus snPointConstraints_Make(snPointConstraints **points, const snPointConstraintsDef *def,
                                 const snContext *context, snError *error);
void snPointConstraints_Destroy(snPointConstraints *points); // accepts NULL

// Points that count: those that yield to others do not, once that is known. How many there are, and their handles.
static inline bool snPointConstraints_IsSorted(const snPointConstraints *points)
{
    const snConstraintSet *set = points->set;
    return set->prepared == *set->count && !set->def.leastSquares;
}
static inline int snPointConstraints_CountOf(const snPointConstraints *points)
{
    return snPointConstraints_IsSorted(points) ? points->set->kept : *points->set->count;
}
static inline int snPointConstraints_HandleOf(const snPointConstraints *points, int number)
{
    const snConstraintSet *set = points->set;
    return snPointConstraints_IsSorted(points) ? set->keptHandle[number] : set->order[number];
}
// How far the farthest of all, in lane 0, is from where it has to be, if unknowns are so. Those that yield to others do not count.
double snPointConstraints_Farthest(const snPointConstraints *points, const double *values);

// Attach a point of the rest shape (of the cell in which it is deepest; one that is a little outside
// is carried by the nearest cell), of an embedding, or a lattice vertex. Its target is where it
// rests until it is moved. They allocate nothing; the first looks at every cell. Fail when the set
// is full, or the point is not finite or farther from the lattice than that is large.
snStatus snPointConstraints_Attach(snPointConstraints *points, const char *name, snVec3 rest,
                                   int *handle, snError *error);
snStatus snPointConstraints_AttachRow(snPointConstraints *points, const char *name,
                                      const snEmbedding *embedding, int row, int *handle,
                                      snError *error);
snStatus snPointConstraints_AttachVertex(snPointConstraints *points, const char *name, int vertex,
                                         int *handle, snError *error);

// In a space of motions: Σ w q of some of its functions, numbered as in the model's def, that is at `rest`
// in the rest shape.
typedef struct snFunctionRow {
    int count;
    const int *function;
    const double *weight;
    snVec3 rest;
} snFunctionRow;
snStatus snPointConstraints_AttachFunctions(snPointConstraints *points, const char *name,
                                            const snFunctionRow *row, int *handle, snError *error);

// Where the point of one lane is to be at the end of the next step, in the world.
snStatus snPointConstraints_Move(snPointConstraints *points, int handle, int lane, snVec3 target,
                                 snError *error);
snStatus snPointConstraints_Release(snPointConstraints *points, int handle, snError *error);

// From now on steps are those of another rung of the model's ladder (ladder.h): each point costs a
// back-substitution, where that is another one than before. False where A is the caller's own, or the columns are
// not finite.
bool snPointConstraints_Climb(snPointConstraints *points, const snLatticeModel *rung);

// Takes the known vertices from the rig, [vertices * width], and brings everything up to date, with the
// details that act in a state (it may be NULL for models without). Where others act than before, each
// point costs a back-substitution. Returns how many points are in conflict (snConstraintSet_Report on
// points->set names them), or -1 when the rig is not finite.
int snPointConstraints_Begin(snPointConstraints *points, const snLatticeState *state,
                             const double *rig);

// C' of a miss C and its rate at the end of a step h (point_target.c).
static inline double snBaumgarte(double alpha, double beta, double h, double miss, double rate)
{
    return (miss * (1 + alpha * h) + h * rate) / (1 + alpha * h + beta * h * h);
}

// Baumgarte's targets for a step (point_target.c), by Begin. The state has positions and velocities.
void snPointConstraints_Aim(snPointConstraints *points, const snLatticeState *state, int handle,
                            double *target);

// On [unknowns * width] or longer: positions to the nearest in the norm of A that meet the constraints,
// directions to the nearest that keep them.
void snPointConstraints_Correct(snPointConstraints *points, double *position);
void snPointConstraints_Project(snPointConstraints *points, double *direction);

// With a projector: positions to the nearest, vertex by vertex, that meet the constraints, and the
// projection for vectors of [unknowns * width] with a width of your own.
void snPointConstraints_Start(snPointConstraints *points, double *position);
snProjection snPointConstraints_Projection(snPointConstraints *points, int width);

// Where the point is when vertices and slots are at [vertices * width], less its target; with the details
// that acted at the last Begin.
snVec3 snPointConstraints_Residual(const snPointConstraints *points, const double *position,
                                   int handle, int lane);

// Points and targets as bytes. Restoring needs the same model and def, and Begin afterwards.
size_t snPointConstraints_SaveSize(const snPointConstraints *points);
void snPointConstraints_Save(const snPointConstraints *points, void *bytes);
snStatus snPointConstraints_Restore(snPointConstraints *points, const void *bytes, snError *error);

#endif
