// Joint j jumps by x -> J_j x, vertex a with weights w by B_a = Σ_j w_aj J_j. With Q the rotation of
// its linear part and s = ∛det of it,
//
//     x <- p̃ + s Q (x - p),   v <- s Q v,   v_L <- s Q v_L,   p <- p̃,
//
// p̃ = Σ_j w_aj J_j T_j r being the rig after the jump. When all joints jump alike this is the rigid
// motion of everything: x <- J p + Q (x - p) = J x. Where joints jump apart, flesh between them is
// blended as its rig is.
//
// An element turns by the mean Q of its corners: F <- s Q F and F_L <- s Q F_L, so R <- Q R, R_L <- Q
// R_L, e = RᵀF - S <- s e and J - J_L <- s³ (J - J_L). Between joints that jump apart the rotations are
// only near; the passes of the next step find them from there.
#include "body/lattice/jump.h"

#include "body/lattice/blended.h"
#include "body/lattice/detail.h"
#include "body/lattice/passes.h"
#include "body/lattice/linear.h"
#include "body/lattice/row.h"
#include "body/lattice/space_levels.h"
#include "core/elementary.h"
#include "core/svd.h"

#include <string.h>

// How a vertex or an element is turned and scaled.
typedef struct Turn {
    snQuat q;
    double s;
} Turn;

typedef struct Task {
    const snLatticeModel *model;
    snLatticeState *state;
    const snAffine *whole;  // [lanes], or NULL:
    const snAffine *joints; // [lanes * joints]
    const double *rig;      // p̃, or NULL: by whole
} Task;

// A jump out of nothing, or into it, leaves flesh on its rig: s = 0.
static Turn turnOf(snMat3 b)
{
    double s = snCbrt(fabs(snDet(b)));
    if (!isfinite(s) || s < 1e-9 || s > 1e9) return (Turn){snIdentityQuat(), 0};
    return (Turn){snQuatFromMat(snPolar(b, NULL)), s};
}

static snMat3 blendOf(const Task *t, int i, int lane)
{
    const snWeightRows *skin = &t->model->skin;
    if (t->whole) return t->whole[lane].linear;
    const snAffine *joints = t->joints + (size_t)lane * (size_t)t->model->jointCount;
    int first = skin->start[i], end = skin->start[i + 1];
    if (first == end) return snIdentity3();
    snMat3 one = joints[skin->column[first]].linear, sum = snScaleM(0, snIdentity3());
    bool alike = true; // then nothing is rounded by summing
    for (int k = first; k < end; k++) {
        const snMat3 *linear = &joints[skin->column[k]].linear;
        alike = alike && !memcmp(linear, &one, sizeof one);
        sum = snAddMM(sum, snScaleM(skin->weight[k], *linear));
    }
    return alike ? one : sum;
}

// ---- where turns of vertices are kept meanwhile: next and previous are free between steps ----

static void keepTurn(const Task *t, int i, int lane, Turn turn)
{
    snLatticeState *state = t->state;
    state->next[snLatticeState_At(state, i, 0, lane)] = turn.q.x;
    state->next[snLatticeState_At(state, i, 1, lane)] = turn.q.y;
    state->next[snLatticeState_At(state, i, 2, lane)] = turn.q.z;
    state->previous[snLatticeState_At(state, i, 0, lane)] = turn.q.w;
    state->previous[snLatticeState_At(state, i, 1, lane)] = turn.s;
}

static Turn keptTurn(const Task *t, int i, int lane)
{
    const snLatticeState *state = t->state;
    return (Turn){{state->next[snLatticeState_At(state, i, 0, lane)],
                   state->next[snLatticeState_At(state, i, 1, lane)],
                   state->next[snLatticeState_At(state, i, 2, lane)],
                   state->previous[snLatticeState_At(state, i, 0, lane)]},
                  state->previous[snLatticeState_At(state, i, 1, lane)]};
}

// The mean of an element's corners, in classes 0 and 1.
static Turn elementTurn(const Task *t, int class, size_t place, int lane)
{
    const snElementClass *elements = &t->model->classes[class];
    size_t group = (size_t)elements->group, corners = (size_t)elements->corners;
    const int *vertex = elements->vertex + place / group * corners * group + place % group;
    Turn mean = keptTurn(t, vertex[0], lane);
    snQuat first = mean.q;
    for (size_t a = 1; a < corners; a++) {
        Turn turn = keptTurn(t, vertex[a * group], lane);
        double sign = snDotQ(turn.q, first) < 0 ? -1 : 1;
        mean.q = (snQuat){mean.q.x + sign * turn.q.x, mean.q.y + sign * turn.q.y,
                          mean.q.z + sign * turn.q.z, mean.q.w + sign * turn.q.w};
        mean.s += turn.s;
    }
    return (Turn){snNormalizeQ(mean.q), mean.s / (double)corners};
}

// ---- vertices ----

static void turnRow(const snLatticeState *state, double *array, int i, int lane, Turn turn)
{
    snVec3 v = snRotate(turn.q, snLatticeState_Vertex(state, array, i, lane));
    snLatticeState_SetVertex(state, array, i, lane, snScale(turn.s, v));
}

static void jumpVertex(const Task *t, int i, int lane)
{
    snLatticeState *state = t->state;
    Turn turn = turnOf(blendOf(t, i, lane));
    size_t at[3];
    double to[3];
    for (int c = 0; c < 3; c++)
        at[c] = snLatticeState_At(state, i, c, lane);
    if (t->rig) {
        for (int c = 0; c < 3; c++)
            to[c] = t->rig[at[c]];
    } else {
        snVec3 p =
            snMulAP(t->whole[lane], snVec(state->rig[at[0]], state->rig[at[1]], state->rig[at[2]]));
        to[0] = p.x;
        to[1] = p.y;
        to[2] = p.z;
    }
    for (int c = 0; c < 3; c++)
        state->position[at[c]] -= state->rig[at[c]];
    turnRow(state, state->position, i, lane, turn);
    turnRow(state, state->velocity, i, lane, turn);
    turnRow(state, state->rigVelocity, i, lane, turn);
    for (int c = 0; c < 3; c++) {
        state->position[at[c]] += to[c];
        state->rig[at[c]] = to[c];
    }
    keepTurn(t, i, lane, turn);
}

// A detail is a displacement: it turns with a cell that it acts on.
static void jumpDetails(const Task *t)
{
    const snDetail *detail = t->model->detail;
    snLatticeState *state = t->state;
    for (int slot = 0; slot < detail->fine.slotCount; slot++) {
        int d = state->active.functionOf[slot], i = t->model->freeCount + slot;
        if (d < 0 || detail->fine.supportStart[d] == detail->fine.supportStart[d + 1]) continue;
        size_t place = (size_t)detail->element[detail->fine.support[detail->fine.supportStart[d]]];
        Turn turn = elementTurn(t, 0, place, 0);
        turnRow(state, state->position, i, 0, turn);
        turnRow(state, state->velocity, i, 0, turn);
        turnRow(state, state->rigVelocity, i, 0, turn);
    }
}

// ---- elements ----

static void turnQuat(const snLatticeModel *model, void *array, size_t first, snQuat q)
{
    size_t group = (size_t)model->group;
    snQuat old = {snLatticeModel_Real(model, array, first),
                  snLatticeModel_Real(model, array, first + group),
                  snLatticeModel_Real(model, array, first + 2 * group),
                  snLatticeModel_Real(model, array, first + 3 * group)};
    snQuat now = snNormalizeQ(snMulQQ(q, old));
    snLatticeModel_SetReal(model, array, first, now.x);
    snLatticeModel_SetReal(model, array, first + group, now.y);
    snLatticeModel_SetReal(model, array, first + 2 * group, now.z);
    snLatticeModel_SetReal(model, array, first + 3 * group, now.w);
}

// `block` of the class's element state, number `at` in it.
static void jumpElement(const Task *t, int class, size_t block, size_t at, Turn turn)
{
    const snLatticeModel *model = t->model;
    snElementState *elements = &t->state->elements[class];
    size_t group = (size_t)model->group;
    turnQuat(model, elements->rotation, block * 4 * group + at, turn.q);
    turnQuat(model, elements->rigRotation, block * 4 * group + at, turn.q);
    for (size_t k = 0; k < 9; k++) {
        size_t i = (block * 9 + k) * group + at;
        snLatticeModel_SetReal(model, elements->strain, i,
                               turn.s * snLatticeModel_Real(model, elements->strain, i));
    }
    size_t i = block * group + at;
    double cube = turn.s * turn.s * turn.s;
    snLatticeModel_SetReal(model, elements->volumeStrain, i,
                           cube * snLatticeModel_Real(model, elements->volumeStrain, i));
}

static void jumpElements(const Task *t, int class)
{
    const snElementClass *elements = &t->model->classes[class];
    size_t group = (size_t)elements->group, lanes = (size_t)t->state->lanes;
    size_t count = lanes == 1 ? (size_t)elements->groupCount * group : (size_t)elements->count;
    for (size_t place = 0; place < count; place++)
        for (size_t lane = 0; lane < lanes; lane++) {
            Turn turn = elementTurn(t, class, place, (int)lane);
            size_t block = place / group, at = place % group;
            if (lanes > 1) {
                block = place * (lanes / SN_GROUP) + lane / SN_GROUP;
                at = lane % SN_GROUP;
            }
            jumpElement(t, class, block, at, turn);
        }
}

static void jumpFineElements(const Task *t)
{
    const snDetail *detail = t->model->detail;
    for (int cell = 0; cell < t->model->lattice.cellCount; cell++) {
        Turn turn = elementTurn(t, 0, (size_t)detail->element[cell], 0);
        for (int class = 2; class < t->model->classCount; class ++) {
            const int *start = detail->groupStart[class - 2];
            for (int g = start[cell]; g < start[cell + 1]; g++)
                for (size_t at = 0; at < SN_GROUP; at++)
                    jumpElement(t, class, (size_t)g, at, turn);
        }
    }
}

// A body whose rest state stands somewhere, or turns, goes with it: strain is what it was. One that was never put stands where it was built.
static void jumpStanding(const Task *t, int lane)
{
    snAffine *frame = &t->state->frames[lane];
    bool known = snNormSquaredM(frame->linear) > 0;
    if (known || !t->model->def.turn)
        *frame = snMulAA(t->whole[lane], known ? *frame : snIdentityAffine());
}

// y = B q, and B 1 = 1 with the coefficients of a shift: L y + t = B (L q + t 1). Of functions that come and go loads and misses of the last
// step, which tell who should act, are vectors too.
static void jumpSpace(const Task *t)
{
    const snSpace *space = t->model->space;
    snLatticeState *state = t->state;
    const double *origin = &t->whole->origin.x;
    snTurnRows(t->whole->linear, space->functionCount, state->coefficient);
    snTurnRows(t->whole->linear, space->functionCount, state->coefficientVelocity);
    for (int k = 0; k < 3 * space->functionCount; k++)
        state->coefficient[k / 3 * 4 + k % 3] += space->one[k / 3] * origin[k % 3];
    if (space->levels) {
        snSpaceLevels_Update(t->model, state);
        snTurnRows(t->whole->linear, t->model->vertexCount, state->space.load);
        snTurnRows(t->whole->linear, space->levels->fine.total, state->space.miss);
    }
    snSpace_Push(t->model, state, state->coefficient, state->position);
    snSpace_Push(t->model, state, state->coefficientVelocity, state->velocity);
}

// Frames of regions that are remembered (all zero: not yet known) go with their joints.
static void jumpFrames(const Task *t, int lane)
{
    const snLinear *linear = t->model->linear;
    for (int p = 0; p < linear->partCount; p++) {
        snAffine *frame = &t->state->frames[lane * linear->partCount + p];
        snAffine jump = t->whole ? t->whole[lane]
                                 : t->joints[lane * t->model->jointCount + linear->blend->joint[p]];
        if (snNormSquaredM(frame->linear) == 0) continue;
        frame->origin = snMulAP(jump, frame->origin);
        frame->linear = snMulMM(snPolar(jump.linear, NULL), frame->linear);
    }
}

static void run(const Task *t)
{
    const snLatticeModel *model = t->model;
    snLatticeState *state = t->state;
    for (int i = 0; i < model->vertexCount; i++)
        for (int lane = 0; lane < state->lanes && model->vertexOf[i] >= 0; lane++)
            jumpVertex(t, i, lane);
    bool levels = model->space && model->space->levels;
    for (int c = 0; c < (levels ? model->classCount : 2) && c < model->classCount; c++)
        jumpElements(t, c);
    for (int lane = 0; lane < state->lanes && model->linear && model->linear->blend; lane++)
        jumpFrames(t, lane);
    bool stands = model->linear && !model->linear->blend;
    bool full = stands && t->whole && model->def.motion == SN_MOTION_FULL;
    for (int lane = 0; lane < state->lanes && full; lane++)
        jumpStanding(t, lane);
    if (stands && !full) snLatticeState_ForgetFrames(model, state);
    if (model->space && t->whole)
        jumpSpace(t);
    else
        snSpace_Settle(model, state);
    if (!model->detail) return;
    jumpDetails(t);
    jumpFineElements(t);
    snDetail_Expand(model, state, state->position, true);
    snDetail_Expand(model, state, state->rig, true);
}

void snLatticeState_Carry(const snLatticeModel *model, snLatticeState *state,
                          const snAffine *motions)
{
    run(&(Task){.model = model, .state = state, .whole = motions});
}

void snLatticeState_Jump(const snLatticeModel *model, snLatticeState *state,
                         const snLatticeJump *jump)
{
    run(&(Task){.model = model, .state = state, .joints = jump->joints, .rig = jump->rig});
}
