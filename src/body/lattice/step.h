// A lattice body's motion: one implicit step by a quasi-Newton method on one constant matrix.
//
// The step minimises the incremental potential of backward Euler (derivation above the code in
// step.c and cells_kernel.c). Liu, Bouaziz, Kavan, "Quasi-Newton Methods for Real-Time Simulation
// of Hyperelastic Materials", 2017: an L-BFGS method whose first guess of the inverse Hessian is
// the inverse of A = D + h (h + β) Σ k V GᵀG, the same scalar matrix for x, y and z, factored once.
#ifndef SN_BODY_LATTICE_STEP_H
#define SN_BODY_LATTICE_STEP_H

#include "body/lattice/model.h"
#include "numerics/krylov.h"

#define SN_MEMORY 8     // pairs of L-BFGS; iterations beyond it forget the oldest
#define SN_MAX_LANES 64 // bodies in one batch

// Per element of one class, in blocks of eight numbers: of eight elements when there is one lane,
// [groups][numbers][8]; else of eight lanes of one element, [elements][lanes / 8][numbers][8]. They
// are doubles; in single precision floats, [groups][numbers][16]. See cells_kernel.c for what they
// mean.
typedef struct snElementState {
    void *rotation;     // 4: q of R
    void *rigRotation;  // 4: q of R_L
    void *strain;       // 9: e of the last step; the strain pass writes it anew
    void *volumeStrain; // 1: J - J_L of the last step
    // Scratch of one step.
    void *lastStrain, *lastVolumeStrain; // at the step's start, kept by the target pass
    void *target;                        // 9: C
    void *volumeTarget;                  // 1: J_C
    void *bulkScale;                     // 1: s
    void *rigShape, *rigInverse;         // 9: F_L, 9: G, for materials other than the corotated
    void *elasticScale;                  // 1: of their moduli
    void *probeRotation;                 // 4: instead of rotation when energy is asked for
    void *probeRigRotation;              // 4: instead of rigRotation likewise
    void *shape;                         // 9: F at the first guess, in single precision
    // Of the midpoint rule (average.h), else NULL.
    snMat3 *begun;   // [groups * 8], F at the step's begin
    double *average; // 19: D, R, w
} snElementState;

// Which functions act of those that may be switched on (active.h), and the elements that they need.
typedef struct snActive {
    int *count;      // [1]
    int *functionOf; // [slots], or -1
    int *slotOf;     // [functions], or -1
    int *order;      // [slots]: slots that are taken in the order of L's rows
    int *place;      // [slots], the inverse
    int *cellLevel;  // [cells]
    int *levelUse;   // [cells * SN_DETAIL_LEVELS]: acting functions that need the cell at a level
    double *border;  // [slots * slots], L by rows
    double *scale;   // [1], of the matrix that L was made for (snFineFunctions)
    int *groupCount; // [SN_CLASSES], groups of elements that count
    int *groups[SN_CLASSES]; // their numbers, ascending; NULL: all groups of the class
    // Scratch.
    int *begun[SN_CLASSES];     // groups that begin to act
    double *residual, *product; // [total * 4]
} snActive;

// Details that act (detail.h).
typedef struct snDetailState {
    double *share;   // [elements of class 0]: 1, or 0 where fine elements stand for it
    int *pointCount; // [1], points that fine elements stand on
    int *points;     // their numbers, ascending
    // Scratch.
    double *inertial;      // [vertices * 4]
    double *rig;           // [(vertices + points) * 4]
    double *pointGradient; // [points * 4]
    double *measure;       // [cells]
    unsigned char *wanted; // [points]
} snDetailState;

// Of a space whose finer functions come and go (space_levels.h).
typedef struct snSpaceState {
    double *load;     // [vertices * 4], of the last step: what pulls, times h²
    double *length;   // [1], s, of the last step: h; 0 before the first
    double *miss;     // [total * 4], of the last step: how far from where inertia alone would lead
    double *estimate; // [functions], m: what they were last found to be missing
    int *probe;       // [1], estimates so far
    int *wait;        // [1], calls of snLattice_Adapt until it looks again
    int *age;         // [slots], calls since the function came
    // Scratch: lists for what acts.
    snWeightRows rows;          // of every vertex over unknowns
    snWeightRows columns;       // of unknowns over listed vertices
    int vertexCount;            // that elements stand on
    int *vertices;              // ascending
    int extraCount;             // that contacts need beside them
    int *extra;                 //
    int touchedCount, *touched; // that contacts read, listed or not
    unsigned char *listed;      // [vertices]: 1 elements stand on it, 2 extra, 4 touched
    int *gatherStart, *gather;  // [vertices + 2], corner forces of vertices
    int *next;                  // [vertices or unknowns]
    int seenCount, *seen;       // what the lists were made for: slots and functions
    double *base, *slope;       // [total * 4], q̂ and b
    double *inertia;            // [total * 4], gradient of the inertia's part
    double *measure;            // [cells]
    double given;               // m, what functions that go have given up in this call,
    bool gone;                  // and whether any do
} snSpaceState;

// A batch of bodies that share a model: one lane each. Component c of lane l of vertex i is
// array[i * width + c * lanes + l]. A single body is a batch of one lane with components (x, y, z,
// 0); larger batches have lanes in multiples of eight and three components. A body moves by the same
// bits in any batch.
typedef struct snLatticeState {
    snArena arena;
    int lanes, components, width; // width = components * lanes
    void *block;                  // all that makes up the state: save and restore copy it whole
    size_t blockSize;             // bytes
    double *position; // [(vertices + points) * width], x, snLattice_Step; points: see detail.h
    double *velocity; // [vertices * width], v
    double *rig;      // [(vertices + points) * width], p_L at the time of the state
    double *rigVelocity;
    // Of a body in a space of motions (space.h), [functions * 4]: q with position = B q, and its velocity.
    double *coefficient, *coefficientVelocity;
    double *shape; // [(vertices + points) * width], of full motion: the rest shape at that time
    int *shaped;   // [1], of full motion: 0 where that is the shape it was built with
    snElementState elements[SN_CLASSES];
    snActive active;      // of models with functions that come and go
    snDetailState detail; // of models with details
    snSpaceState space;   // of spaces with levels
    snAffine *frames;     // [lanes * regions], of SN_SOLVER_BLENDED, zero: not yet known
    // Scratch, empty between steps.
    double stiffness; // factor on the model's moduli: of the last step, beyond its rung; 1 at first
    const double *shapeNow; // of passes that look for targets in full motion; NULL: the model's own
    double *still;          // [lanes], what elements would hold if they stood still, unscaled
    double *next;           // [(vertices + points) * width], y
    double *target;         // [vertices * width], t
    double *nextCoefficient; // [functions * 4], q of y
    double *pulled;          // [functions * 4], Bᵀ gradient
    double *wide;            // [vertices * 4], in a space: what is made of coefficients on the way
    double *previous;        // y or q an iteration before
    double *gradient; // [vertices * width]; of free vertices and slots, with bones (bones.h) of all
    double *previousGradient; // [unknowns * width]: free vertices and slots, or functions
    double *direction;        // [unknowns * width]
    double *moves[SN_MEMORY], *turns[SN_MEMORY]; // L-BFGS memory: s and y
    void *force;   // [slots * width] corner forces, in the model's precision
    void *energy;  // elastic energy, unscaled: [groups of both classes * lanes] doubles,
                   // in single precision [groups][16] floats
    double *solve; // factor scratch
    double *guess; // [unknowns * width], ŷ, in single precision
    float *shift;  // [vertices * width], y - ŷ
    struct snTurnedState *turned; // of models with a second matrix (turned.h), else NULL
    struct snNewton *newton;      // of SN_SOLVER_NEWTON (newton.h), else NULL
    double *linear;               // of the linear solvers
    snAffine *newFrames;
    // What happened, for reports; over all lanes.
    int64_t steps, backtracks, resets;
    int64_t linearIterations; // of conjugate gradients
} snLatticeState;

// `lanes` is 1, or a multiple of 8 up to SN_MAX_LANES.
snStatus snLatticeState_Make(snLatticeState **state, const snLatticeModel *model, int lanes,
                             const snContext *context, snError *error);
void snLatticeState_Destroy(snLatticeState *state); // accepts NULL

// Many bodies that share a model may share a state's scratch, too: each is a block of blockSize bytes, 64-byte
// aligned, and before anything is done with it the state is told to stand for it. A new block is zero, and is started
// (snLatticeState_Start) after this.
void snLatticeState_UseBlock(const snLatticeModel *model, snLatticeState *state, void *block);

// Where component c of a vertex stands in a state's arrays (vertices numbered as in the model).
static inline size_t snLatticeState_At(const snLatticeState *state, int vertex, int component,
                                       int lane)
{
    return (size_t)vertex * (size_t)state->width + (size_t)(component * state->lanes + lane);
}

static inline snVec3 snLatticeState_Vertex(const snLatticeState *state, const double *rows,
                                           int vertex, int lane)
{
    const double *x = rows + snLatticeState_At(state, vertex, 0, lane);
    return snVec(x[0], x[state->lanes], x[2 * state->lanes]);
}

static inline void snLatticeState_SetVertex(const snLatticeState *state, double *rows, int vertex,
                                            int lane, snVec3 to)
{
    double *x = rows + snLatticeState_At(state, vertex, 0, lane);
    x[0] = to.x;
    x[state->lanes] = to.y;
    x[2 * state->lanes] = to.z;
}

// Puts the body where the rig is, at the rig's velocity (NULL: at rest). [vertices * width] each.
void snLatticeState_Start(const snLatticeModel *model, snLatticeState *state, const double *rig,
                          const double *rigVelocity);

// Of full motion: the rest shape, for a start that follows. NULL: the model's own, as it is at first.
void snLatticeState_SetShape(const snLatticeModel *model, snLatticeState *state,
                             const double *shape);

// Draws all lanes to their rigs: x ← p + s (x - p), v ← v_L + s (v - v_L), with a share s for every vertex,
// [vertices]. Where it is 0 the body is on its rig, at rest relative to it.
void snLatticeState_Draw(const snLatticeModel *model, snLatticeState *state, const double *share);

struct snLatticePull; // pull.h

// Springs and forces of SN_SOLVER_LINEAR with factors; of the others contacts have them.
typedef struct snLinearPulls {
    int count;
    const struct snLatticePull *pulls;
    double *scratch; // snLinearPulls_ScratchSize(count) doubles
} snLinearPulls;
size_t snLinearPulls_ScratchSize(int count); // linear_pull.c

// What moves a body in a step.
typedef struct snLatticeDrive {
    const double *rig; // [vertices * width], where the rig has every vertex at the step's end
    // Of every joint from rest to the step's end, [lanes * model->jointCount]: SN_SOLVER_BLENDED
    // needs it. NULL else.
    const snAffine *joints;
    const double *acceleration; // [vertices * width], m/s², beside gravity; NULL: none
    // Points that must be somewhere at the step's end (point.h), for this state; NULL: none.
    struct snPointConstraints *points;
    // Of full motion: the rest shape at the step's end, [vertices * width], where bones squash and stretch
    // it. Only its deformation from the model's rest counts, not where it stands. NULL: the model's own.
    const double *shape;
    // What is kept at the step's end of what the body does beyond its rig (snLatticeState_Draw), [vertices];
    // NULL: all.
    const double *share;
    // What the body may bump into (contact.h), for this state of one lane; NULL: nothing. The linear
    // solvers know no contact.
    struct snLatticeContacts *contacts;
    const snLinearPulls *pulls; // of one lane; NULL: none
    // Links that known vertices hang on, and that give way (bones.h), for this state; NULL: they are on the rig.
    struct snBones *bones;
    // How many times as stiff as it was built the body is in this step; 0: as it was built. With a ladder for
    // it (ladder.h) the search stays as good as it is, and the linear solvers can take part at all.
    double stiffness;
    const struct snLadder *ladder;
    int ticks;   // the step's length in the model's own, one of the ladder's lengths; 0: 1
    bool coarse; // half of the iterations
    bool planar; // of one lane: nothing goes along z
} snLatticeDrive;

// One step of model->def.step, or of as many of it as `ticks` says. Allocates nothing. Returns
// false when the step of some lane could not be computed (a rig of NaN): all lanes of the batch are
// then put on their rigs.
bool snLattice_Step(const snLatticeModel *model, snLatticeState *state,
                    const snLatticeDrive *drive);

// The rung of the drive's ladder for this step: the model to take it with, for which contacts and points are made
// ready. The model itself where there is no ladder, or contacts do not have it (snLatticeContacts_SetLadder).
const snLatticeModel *snLattice_Climb(const snLatticeModel *model, snLatticeState *state,
                                      const snLatticeDrive *drive);

// The step in halves, on a rung, for bodies of one lane that touch each other (island.h) and are searched together in
// between (search.h): targets and first guess, false where points cannot be held; and what follows when the
// step's end is, or is not, in state->next.
bool snLattice_PrepareStep(const snLatticeModel *model, snLatticeState *state,
                           const snLatticeDrive *drive);
void snLattice_FinishStep(const snLatticeModel *model, snLatticeState *state,
                          const snLatticeDrive *drive, bool found);

// Of a planar drive: the end of the step has the z of its begin, state->next and coefficients.
void snLattice_Flatten(const snLatticeModel *model, snLatticeState *state);

// Elastic and kinetic energy of one lane in joules, of the present state: elastic at the stiffness of the last
// step if the model is that of the step's rung.
double snLatticeState_ElasticEnergy(const snLatticeModel *model, snLatticeState *state, int lane);
double snLatticeState_KineticEnergy(const snLatticeModel *model, const snLatticeState *state,
                                    int lane);

// The state as bytes: blockSize of them. Restoring needs the same model.
void snLatticeState_Save(const snLatticeState *state, void *bytes);
void snLatticeState_Restore(snLatticeState *state, const void *bytes);
uint64_t snLatticeState_Hash(const snLatticeState *state);

#endif
