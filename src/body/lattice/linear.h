// Linear steps of a lattice body, instead of the search of SN_SOLVER_PROJECTIVE: strain is linear,
// so the step's objective is a square and one solve finds its end (derivation in linear.c).
//
// SN_SOLVER_LINEAR takes the whole body in the axes of the rest pose: quick, and wrong as soon as
// something turns. SN_SOLVER_BLENDED (blended.h) takes a part per bone, each in its bone's frame.
// Both are made of linear parts, which this file has.
#ifndef SN_BODY_LATTICE_LINEAR_H
#define SN_BODY_LATTICE_LINEAR_H

#include "body/lattice/step.h"
#include "numerics/cg.h"

// Some of the lattice's cells as a linear body, with its system over its free vertices.
typedef struct snLinearPart {
    int vertexCount, freeCount;
    int unknownCount;   // free vertices, or functions (space.h)
    int *vertex;        // [vertexCount], the model's numbers, ascending: free ones first
    double *diagonal;   // [freeCount], D of the part's own mass
    snSparse stiffness; // S over all its vertices, 3x3 blocks, N/m
    snSparse matrix;    // A = D + h (h + β) S over the free ones; SN_METHOD_CG
    snJacobi jacobi;    // of A; SN_METHOD_CG
    snFactor *factor;   // of A; SN_METHOD_FACTOR
    int64_t factorNonZeros;
    size_t scratchSize; // doubles of snLinearPart_Solve
} snLinearPart;

struct snBlend;

typedef struct snLinear {
    int partCount; // 1: the whole body
    snLinearPart *parts;
    struct snBlend *blend; // SN_SOLVER_BLENDED: what puts the parts together, else NULL
    int turnElement;       // of a body whose rest state turns (turning.h)
    size_t scratchSize;    // doubles of a step
} snLinear;

// Makes the parts for def's solver; everything lives in the model's arena. The model is complete
// but for this.
snStatus snLinear_Build(snLinear **linear, snLatticeModel *model, const snLatticeModelDef *def,
                        snArena *scratch, snError *error);

// One step's solve from the first guess in state->next, with targets in state->target; leaves the
// step's end in state->next. Allocates nothing. Returns false when it is not finite.
bool snLinear_Solve(const snLatticeModel *model, snLatticeState *state,
                    const snLatticeDrive *drive);

// ½ uᵀ S u of the whole body in the axes of the rest pose and that of the springs to the rig, in
// joules: the energy whose motion SN_SOLVER_LINEAR computes. The model has that solver.
double snLinear_Energy(const snLatticeModel *model, snLatticeState *state, int lane);

// Of SN_SOLVER_LINEAR in full motion, whose rest state does not turn: a rotation and a shift that carry it to where
// it is. At first it is where it was built.
void snLinear_Stand(const snLatticeModel *model, snLatticeState *state, const snAffine *place);

// What presses a body whose rest state turns turns it within a step, by an angle θ that its law knows to first order alone: places are left drawn out by θ²/2,
// which the law does not see in that step and resists in the next with all its stiffness. This turns them truly, about the centre of mass, and leaves the
// body the strain that its law saw. Points (NULL: none) are brought back to where the last step had them. One lane.
void snLinear_Upright(const snLatticeModel *model, snLatticeState *state,
                      struct snPointConstraints *points);

// moves = P A⁻¹ Bᵀ forces, with P the projection that keeps points where they are (NULL: none), A the matrix of
// SN_SOLVER_LINEAR as the body is turned now, and B those of a space: rows of four over the unknowns, from
// [vertices * 4]. Of models with factors, one lane.
void snLinear_Respond(const snLatticeModel *model, snLatticeState *state,
                      struct snPointConstraints *points, const double *forces, double *moves);

// Springs and forces at points, from where the step ends without them (linear_pull.c).
void snLinear_Pull(const snLatticeModel *model, snLatticeState *state, const snLatticeDrive *drive);

// A state that is started knows no frames of regions yet (state.c).
void snLatticeState_ForgetFrames(const snLatticeModel *model, snLatticeState *state);

// ---- for blended.c ----------------------------------------------------------------------------

// `inside`: [cells], 1 where the part has the cell; NULL: all.
snStatus snLinearPart_Build(snLinearPart *part, snLatticeModel *model, const snLatticeModelDef *def,
                            const unsigned char *inside, snArena *scratch, snError *error);

// What a part's step sees: its frame at the step's end and at its begin, x -> R x + o with a
// rotation R. `before` NULL: not known (the first step).
typedef struct snLinearFrame {
    const snLatticeModel *model;
    const snLatticeState *state;
    const snLatticeDrive *drive;
    int lane;
    snAffine now;
    const snAffine *before;
} snLinearFrame;

// Finds Δ, the change of the unknowns from the first guess in world axes, and leaves it at
// the beginning of scratch, [unknownCount * 3]. Returns the iterations of conjugate gradients, or -1
// when values are not finite.
int snLinearPart_Solve(const snLinearPart *part, const snLinearFrame *frame, double *scratch);

// ½ uᵀ S u of a part at the state's positions in the frame `now`.
double snLinearPart_Energy(const snLinearPart *part, const snLinearFrame *frame, double *scratch);

#endif
