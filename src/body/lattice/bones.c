// The links' part of a step's objective (step.c, times h²):
//
//     Σ ½ m |x - x̂|²                                            vertices on bones and points of links, x̂ = x_n + h v + h² g
//   + Σ ½ (m |ŷ - t|² + c |z - t|² + k |p' - t|²)               free vertices that hang on the rig
//   + Σ ½ h² k |e|² + ½ h d |w - w*|² + ½ h² l (|swing| - s)²₊ + ½ h² l (|twist| - t)²₊        joints
//   + a root's hand, and its lift.
//
// The second line is what step.c leaves out as constant, for there the rig is known: with c and k the drag and the spring to the
// rig, z = x + p' - p and D the sum of weights, m |y - ŷ|² + c |y - z|² + k |y - p'|² = D |y - t|² + the bracket. Its
// derivative by the rig's place is with the other's -c (y - z) - k (y - p').
//
// Rotations. Joint j turns its link from its parent by relative = guess exp(θ). With e = log(target⁻¹ relative) and w =
// log(before⁻¹ relative), rotation vectors in the link's frame, exp(θ + δθ) = exp(θ) exp(J(θ) δθ), and so δe = J(e)⁻¹ J(θ) δθ: of a
// function f of e the gradient by θ is J(θ)ᵀ J(e)⁻ᵀ ∂f, where for f = ½ |e|², J(e)⁻ᵀ e = e.
#include "body/body.h"
#include "body/lattice/bones_parts.h"

#include "core/elementary.h"
#include "core/simd.h"

#include <string.h>

#define SMALL 1e-4 // rad²: below it series do

// ---- rotation vectors ---------------------------------------------------------------------------

static snMat3 fromCross(snVec3 turn, double first, double second)
{
    snMat3 cross = {{0, turn.z, -turn.y}, {-turn.z, 0, turn.x}, {turn.y, -turn.x, 0}};
    snMat3 sum = snAddMM(snIdentity3(), snScaleM(first, cross));
    return snAddMM(sum, snScaleM(second, snMulMM(cross, cross)));
}

// J = 1 - (1 - cos φ) / φ² [θ] + (φ - sin φ) / φ³ [θ]², φ = |θ|.
snMat3 snTurnSlope(snVec3 turn)
{
    double square = snLengthSquared(turn), angle = sqrt(square);
    double first = 0.5 - square / 24, second = 1.0 / 6 - square / 120;
    if (square > SMALL) {
        first = (1 - snCos(angle)) / square;
        second = (angle - snSin(angle)) / (square * angle);
    }
    return fromCross(turn, -first, second);
}

// J⁻¹ = 1 + ½ [θ] + (1 / φ² - (1 + cos φ) / (2 φ sin φ)) [θ]².
snMat3 snTurnSlopeInverse(snVec3 turn)
{
    double square = snLengthSquared(turn), angle = sqrt(square);
    double second = 1.0 / 12 + square / 720;
    if (square > SMALL) {
        double half = 0.5 * angle; // (1 + cos φ) / sin φ = cot ½φ
        second = 1 / square - snCos(half) / (2 * angle * snSin(half));
    }
    return fromCross(turn, 0.5, second);
}

// ---- where links are ----------------------------------------------------------------------------

static void place(snBones *b, const snQuat *relative, const snVec3 *roots)
{
    for (int j = 0; j < b->linkCount; j++) {
        int p = b->parent[j];
        if (p < 0) {
            b->turned[j] = relative[j];
            b->origin[j] = roots[j];
        } else {
            b->turned[j] = snNormalizeQ(snMulQQ(b->turned[p], relative[j]));
            b->origin[j] =
                snAdd(b->origin[p], snMulMV(b->linear[p], snSub(b->center[j], b->center[p])));
        }
        b->linear[j] = snQuatToMat(b->turned[j]);
    }
}

static snQuat relativeAt(const snBones *b, int j)
{
    if (b->rowOf[j] < 0) return b->guess[j];
    return snNormalizeQ(snMulQQ(b->guess[j], snQuatFromVector(snRow(b->values, b->rowOf[j]))));
}

static snVec3 placeAt(const snBones *b, int j)
{
    if (b->parent[j] >= 0 || b->rowOf[j] < 0) return b->guessPlace[j];
    return snAdd(b->guessPlace[j], snRow(b->values, b->rowOf[j] + 1));
}

static void poseValues(snBones *b)
{
    for (int j = 0; j < b->linkCount; j++) {
        int p = b->parent[j];
        snQuat relative = relativeAt(b, j);
        b->turned[j] = p < 0 ? relative : snNormalizeQ(snMulQQ(b->turned[p], relative));
        b->origin[j] = placeAt(b, j);
        if (p >= 0)
            b->origin[j] =
                snAdd(b->origin[p], snMulMV(b->linear[p], snSub(b->center[j], b->center[p])));
        b->linear[j] = snQuatToMat(b->turned[j]);
    }
}

void snBones_Pose(snBones *b)
{
    for (int j = 0; j < b->linkCount; j++) {
        b->guess[j] = b->links[j].relative;
        b->guessPlace[j] = b->links[j].place;
    }
    place(b, b->guess, b->guessPlace);
}

snAffine snBones_Transform(const snBones *b, int j)
{
    snVec3 moved = snMulMV(b->linear[j], b->center[j]);
    return (snAffine){b->linear[j], snSub(b->origin[j], moved)};
}

static snVec3 onLink(const snBones *b, int j, snVec3 rest)
{
    return snAdd(b->origin[j], snMulMV(b->linear[j], snSub(rest, b->center[j])));
}

static snVec3 onRig(const snBones *b, int vertex)
{
    const snWeightRows *skin = &b->model->skin;
    snVec3 sum = {0, 0, 0};
    for (int k = skin->start[vertex]; k < skin->start[vertex + 1]; k++)
        sum = snMulAdd(sum, skin->weight[k], onLink(b, skin->column[k], b->model->rest[vertex]));
    return sum;
}

snVec3 snBones_Point(const snBones *b, int point)
{
    return onLink(b, b->points[point].link, b->points[point].rest);
}

void snBones_Stir(snBones *b, const snBodyStir *stir)
{
    double h = b->model->def.step;
    snBones_Pose(b);
    for (int i = 0; i < b->pointCount; i++)
        b->speeds[i] = snBodyStir_At(stir, snBones_Point(b, i), b->speeds[i]);
    for (int j = 0; j < b->linkCount; j++) {
        snBoneLink *link = &b->links[j];
        bool root = b->parent[j] < 0 && b->rowOf[j] >= 0;
        link->turn = snScale(stir->share, link->turn);
        if (!root) continue;
        link->turn = snMulAdd(link->turn, h, snMulTMV(b->linear[j], stir->spin));
        link->move = snScale(h, snBodyStir_At(stir, b->origin[j], snScale(1 / h, link->move)));
    }
}

void snBones_SetVelocity(snBones *b, snVec3 center, snVec3 velocity, snVec3 spin)
{
    snBones_Stop(b);
    snBones_Stir(b, &(snBodyStir){1, center, velocity, spin});
}

void snBones_Stop(snBones *b)
{
    for (int i = 0; i < b->pointCount; i++)
        b->speeds[i] = snVec(0, 0, 0);
    for (int j = 0; j < b->linkCount; j++)
        b->links[j].turn = b->links[j].move = snVec(0, 0, 0);
}

// ---- a step -------------------------------------------------------------------------------------

static snVec3 pulledBy(const snBones *b, int point)
{
    return b->fields ? snAdd(b->gravity, b->fields[point]) : b->gravity;
}

// links[] has the pose of the step's begin, and what it does in the step if nothing acts, which is the first guess.
static void placePoints(snBones *b)
{
    double h = b->model->def.step;
    for (int i = 0; i < b->pointCount; i++) {
        snVec3 at = onLink(b, b->points[i].link, b->points[i].rest);
        b->pointInertial[i] = snMulAdd(snMulAdd(at, h, b->speeds[i]), h * h, pulledBy(b, i));
    }
}

// Links that nothing searches for go on in any case.
static void guess(snBones *b, bool still)
{
    b->stands = still;
    for (int j = 0; j < b->linkCount; j++) {
        const snBoneLink *link = &b->links[j];
        bool stays = still && b->rowOf[j] >= 0;
        snQuat turned = snNormalizeQ(snMulQQ(link->relative, snQuatFromVector(link->turn)));
        b->guess[j] = stays ? link->relative : turned;
        b->guessPlace[j] = stays ? link->place : snAdd(link->place, link->move);
    }
    place(b, b->guess, b->guessPlace);
    for (int j = 0; j < b->linkCount; j++) {
        b->guessTurned[j] = b->turned[j];
        b->guessOrigin[j] = b->origin[j];
        b->guessLinear[j] = b->linear[j];
    }
    b->middle = b->linkCount ? b->origin[0] : snVec(0, 0, 0);
}

void snBones_Guess(snBones *b)
{
    snBones_Pose(b);
    placePoints(b);
    guess(b, false);
}

void snBones_GuessAgain(snBones *b, snLatticeState *state, bool still)
{
    guess(b, still);
    snBones_Show(b, state);
    for (int v = 0; v < b->model->freeCount; v++)
        snSetRow(b->rig, v, onRig(b, v));
}

bool snBones_Begin(snBones *b, snLatticeState *state, const snLatticeDrive *drive)
{
    double h = b->model->def.step;
    for (int v = 0; v < b->model->vertexCount; v++) {
        snVec3 at = snMulAdd(snRow(state->position, v), h, snRow(state->velocity, v));
        if (drive->acceleration) at = snMulAdd(at, h * h, snRow(drive->acceleration, v));
        snSetRow(b->inertial, v, at);
    }
    for (int i = 0; i < b->tiedCount; i++)
        b->carried[i] = snSub(snRow(state->position, b->tied[i]), snRow(state->rig, b->tied[i]));
    memset(b->values, 0, 4 * (size_t)b->rows * sizeof(double));
    snBones_ForgetAnswers(b);
    snBones_Show(b, state);
    return snBones_Factorise(b);
}

void snBones_Show(snBones *b, snLatticeState *state)
{
    const snLatticeModel *model = b->model;
    poseValues(b);
    for (int v = model->freeCount; v < model->vertexCount; v++) {
        snVec3 at = onRig(b, v);
        snSetRow(state->next, v, at);
        snSetRow(b->rig, v, at);
    }
    for (int i = 0; i < b->tiedCount; i++) {
        int v = b->tied[i];
        snVec3 rig = onRig(b, v);
        double inverse = 1 / model->diagonal[v];
        snVec3 sum = snScale(model->mass[v], snRow(b->inertial, v));
        sum = snMulAdd(sum, b->drag[i], snAdd(b->carried[i], rig));
        sum = snMulAdd(sum, b->spring[i], rig);
        snSetRow(b->rig, v, rig);
        snSetRow(state->target, v, snScale(inverse, sum));
    }
}

// ---- the objective ------------------------------------------------------------------------------

static void pullLink(snBones *b, int j, double weight, snVec3 at, snVec3 slope)
{
    snVec3 own = snScale(weight, slope);
    b->force[j] = snAdd(b->force[j], own);
    b->moment[j] = snAdd(b->moment[j], snCross(snSub(at, b->middle), own));
}

static void pullRig(snBones *b, int vertex, snVec3 slope)
{
    const snWeightRows *skin = &b->model->skin;
    for (int k = skin->start[vertex]; k < skin->start[vertex + 1]; k++) {
        int j = skin->column[k];
        pullLink(b, j, skin->weight[k], onLink(b, j, b->model->rest[vertex]), slope);
    }
}

static double addPoints(snBones *b)
{
    double energy = 0;
    for (int i = 0; i < b->pointCount; i++) {
        const snBonePoint *p = &b->points[i];
        snVec3 at = onLink(b, p->link, p->rest), miss = snSub(at, b->pointInertial[i]);
        energy += 0.5 * p->mass * snLengthSquared(miss);
        pullLink(b, p->link, p->mass, at, miss);
    }
    return energy;
}

static double addTied(snBones *b, const snLatticeState *state)
{
    double energy = 0;
    for (int i = 0; i < b->tiedCount; i++) {
        int v = b->tied[i];
        double spring = b->spring[i], drag = b->drag[i];
        snVec3 y = snRow(state->next, v), t = snRow(state->target, v);
        snVec3 rig = snRow(b->rig, v), z = snAdd(b->carried[i], rig);
        energy += b->model->mass[v] * snLengthSquared(snSub(snRow(b->inertial, v), t)) +
                  drag * snLengthSquared(snSub(z, t)) + spring * snLengthSquared(snSub(rig, t));
        snVec3 slope = snScale(drag, snSub(z, y));
        pullRig(b, v, snMulAdd(slope, spring, snSub(rig, y)));
    }
    return 0.5 * energy;
}

// Beyond an end by `over`: ½ l over², along a unit vector.
static double addEnd(double limits, double over, snVec3 along, snVec3 *slope)
{
    if (!(over > 0)) return 0;
    *slope = snMulAdd(*slope, limits * over, along);
    return 0.5 * limits * over * over;
}

static double addLimits(const snBoneJoint *joint, double h, snVec3 turn, snVec3 *torque)
{
    double twist = snDot(turn, joint->axis), energy = 0;
    snVec3 swing = snMulAdd(turn, -twist, joint->axis), slope = {0, 0, 0};
    double size = snLength(swing), limits = h * h * joint->limits;
    if (!(limits > 0)) return 0;
    energy += addEnd(limits, size - joint->swing, snNormalizeOr(swing, snVec(0, 0, 0)), &slope);
    energy += addEnd(limits, fabs(twist) - joint->twist, snScale(twist < 0 ? -1 : 1, joint->axis),
                     &slope);
    if (energy > 0) *torque = snAdd(*torque, snMulTMV(snTurnSlopeInverse(turn), slope));
    return energy;
}

double snBones_EndsEnergy(const snBones *b)
{
    snVec3 torque = {0, 0, 0};
    double energy = 0;
    for (int j = 0; j < b->linkCount; j++)
        if (b->rowOf[j] >= 0 && b->parent[j] >= 0)
            energy += addLimits(&b->joints[j], 1, snQuatToVector(b->links[j].relative), &torque);
    return energy;
}

static double addJoint(snBones *b, int j)
{
    const snBoneJoint *joint = &b->joints[j];
    double h = b->model->def.step, spring = h * h * joint->stiffness, damper = h * joint->damping;
    snQuat relative = relativeAt(b, j);
    snVec3 off = snTurnFromTo(joint->target, relative);
    snVec3 turn = snTurnFromTo(b->links[j].relative, relative), late = snSub(turn, joint->spin);
    b->torque[j] = snScale(spring, off);
    b->torque[j] = snMulAdd(b->torque[j], damper, snMulTMV(snTurnSlopeInverse(turn), late));
    double energy = 0.5 * spring * snLengthSquared(off) + 0.5 * damper * snLengthSquared(late);
    if (b->parent[j] >= 0)
        return energy + addLimits(joint, h, snQuatToVector(relative), &b->torque[j]);
    snVec3 far = snSub(b->origin[j], joint->place), fast = snSub(b->origin[j], b->links[j].place);
    double pull = h * h * joint->pull, drag = h * joint->drag;
    fast = snSub(fast, joint->move);
    energy += 0.5 * pull * snLengthSquared(far) + 0.5 * drag * snLengthSquared(fast);
    energy -= h * h * snDot(b->lift, b->origin[j]);
    snVec3 slope = snMulAdd(snScale(pull, far), drag, fast);
    pullLink(b, j, 1, b->origin[j], snMulAdd(slope, -h * h, b->lift));
    return energy;
}

static double addVertices(const snBones *b, const snLatticeState *state, bool gradient)
{
    const snLatticeModel *model = b->model;
    const double *force = state->force;
    double energy = 0;
    for (int v = model->freeCount; v < model->vertexCount; v++) {
        snVec3 miss = snSub(snRow(state->next, v), snRow(b->inertial, v));
        energy += 0.5 * b->mass[v] * snLengthSquared(miss);
        if (!gradient) continue;
        snDouble4 sum = {b->mass[v] * miss.x, b->mass[v] * miss.y, b->mass[v] * miss.z, 0};
        int bone = v - model->freeCount;
        for (int k = b->gather.start[bone]; k < b->gather.start[bone + 1]; k++)
            sum += snLoad4(force + 4 * (size_t)b->gather.item[k]);
        snStore4(state->gradient + 4 * (size_t)v, sum);
    }
    return energy;
}

double snBones_AddTerms(snBones *b, snLatticeState *state, bool gradient)
{
    double energy = addVertices(b, state, gradient);
    for (int j = 0; j < b->linkCount; j++)
        b->force[j] = b->moment[j] = b->torque[j] = snVec(0, 0, 0);
    energy += addPoints(b) + addTied(b, state);
    for (int j = 0; j < b->linkCount; j++)
        if (b->rowOf[j] >= 0) energy += addJoint(b, j);
    return energy;
}

void snBones_FindGradient(snBones *b, const snLatticeState *state)
{
    for (int v = b->model->freeCount; v < b->model->vertexCount; v++)
        pullRig(b, v, snRow(state->gradient, v));
    snBones_FromWrenches(b, false, b->gradient);
}

// ---- the step's end -----------------------------------------------------------------------------

// No hand, and one root that can go anywhere.
bool snBones_IsFree(const snBones *b)
{
    int roots = 0, led = 0;
    for (int j = 0; j < b->linkCount; j++) {
        const snBoneJoint *joint = &b->joints[j];
        if (b->parent[j] >= 0) continue;
        roots += b->rowOf[j] >= 0;
        led += b->rowOf[j] < 0 && b->columnOf[j] >= 0;
        led += b->rowOf[j] >= 0 && joint->pull + joint->drag + snLength(b->lift) > 0;
    }
    return roots == 1 && led == 0;
}

// Along a shift of the whole; elements and joints have no part in it.
snVec3 snBones_Slope(const snBones *b, const snLatticeState *state)
{
    snVec3 sum = {0, 0, 0};
    for (int v = 0; v < b->model->vertexCount; v++)
        sum = snMulAdd(sum, b->mass[v], snSub(snRow(state->next, v), snRow(b->inertial, v)));
    for (int i = 0; i < b->pointCount; i++) {
        const snBonePoint *p = &b->points[i];
        sum = snMulAdd(sum, p->mass, snSub(onLink(b, p->link, p->rest), b->pointInertial[i]));
    }
    return sum;
}

void snBones_Shift(snBones *b, snLatticeState *state, snVec3 shift)
{
    for (int v = 0; v < b->model->freeCount; v++)
        snSetRow(state->next, v, snAdd(snRow(state->next, v), shift));
    for (int j = 0; j < b->linkCount; j++)
        if (b->rowOf[j] >= 0 && b->parent[j] < 0)
            snSetRow(b->values, b->rowOf[j] + 1, snAdd(snRow(b->values, b->rowOf[j] + 1), shift));
    snBones_Show(b, state);
}

void snBones_Finish(snBones *b)
{
    double h = b->model->def.step;
    poseValues(b);
    for (int v = 0; v < b->model->vertexCount; v++)
        snSetRow(b->rig, v, onRig(b, v));
    for (int i = 0; i < b->pointCount; i++) {
        const snBonePoint *p = &b->points[i];
        snVec3 begin = snMulAdd(b->pointInertial[i], -h * h, pulledBy(b, i));
        begin = snMulAdd(begin, -h, b->speeds[i]);
        b->speeds[i] = snScale(1 / h, snSub(onLink(b, p->link, p->rest), begin));
    }
    for (int j = 0; j < b->linkCount; j++) {
        snBoneLink *link = &b->links[j];
        snQuat relative = relativeAt(b, j);
        snVec3 at = placeAt(b, j);
        link->turn = snTurnFromTo(link->relative, relative);
        link->move = snSub(at, link->place);
        link->relative = relative;
        link->place = b->parent[j] < 0 ? at : link->place;
    }
}

void snBones_AddVelocity(snBones *b, snLatticeState *state, const double *rows)
{
    double h = b->model->def.step;
    snBones_Carry(b, rows, b->wide);
    for (int v = b->model->freeCount; v < b->model->vertexCount; v++)
        snSetRow(state->velocity, v, snAdd(snRow(state->velocity, v), snRow(b->wide, v)));
    for (int i = 0; i < b->pointCount; i++) {
        const snBonePoint *p = &b->points[i];
        snVec3 arm = snSub(onLink(b, p->link, p->rest), b->middle);
        snVec3 more = snAdd(b->force[p->link], snCross(b->moment[p->link], arm));
        b->speeds[i] = snAdd(b->speeds[i], more);
    }
    for (int j = 0; j < b->linkCount; j++) {
        int row = b->rowOf[j];
        if (row < 0) continue;
        b->links[j].turn = snMulAdd(b->links[j].turn, h, snRow(rows, row));
        if (b->parent[j] < 0)
            b->links[j].move = snMulAdd(b->links[j].move, h, snRow(rows, row + 1));
    }
}

void snBones_Move(snBones *b, snLatticeState *state, const double *rows, double time)
{
    for (int j = 0; j < b->linkCount; j++) {
        snBoneLink *link = &b->links[j];
        int row = b->rowOf[j];
        if (row < 0) continue;
        snQuat turn = snQuatFromVector(snScale(time, snRow(rows, row)));
        link->relative = snNormalizeQ(snMulQQ(link->relative, turn));
        if (b->parent[j] < 0) link->place = snMulAdd(link->place, time, snRow(rows, row + 1));
    }
    snBones_Pose(b);
    for (int v = 0; v < b->model->vertexCount; v++) {
        snSetRow(state->rig, v, onRig(b, v));
        if (v >= b->model->freeCount) snSetRow(state->position, v, onRig(b, v));
    }
}

void snBones_Keep(snBones *b, const snLatticeState *state)
{
    memcpy(b->begunLinks, b->links, (size_t)b->linkCount * sizeof *b->links);
    memcpy(b->begun, state->position, 4 * (size_t)b->model->vertexCount * sizeof(double));
}

// Flesh has the strain that it had: in a pose of the links by itself, as skinning has it, stiff flesh would hold far more.
void snBones_Return(snBones *b, snLatticeState *state)
{
    memcpy(b->links, b->begunLinks, (size_t)b->linkCount * sizeof *b->links);
    snBones_Stop(b);
    snBones_Pose(b);
    snLatticeState_Start(b->model, state, b->begun, NULL);
    for (int v = 0; v < b->model->vertexCount; v++)
        snSetRow(state->rig, v, onRig(b, v));
}
