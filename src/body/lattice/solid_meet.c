// How solid bodies and characters meet those of other models (body.h). Their shell is the surface that is drawn.
//
// How ends yield. The step's matrix A (step.h) is scalar: for a body that turns it is far too stiff, for A x ≠ M x where
// x are places, and an impulse by A⁻¹Jᵀ would keep momentum alone. So what turns the body as a whole is taken apart. With d
// the vertices' places from the centre of mass, G ω = ω x d, I = Gᵀ M G the inertia, and Π = 1 - G I⁻¹ Gᵀ M, which takes all
// turning out of velocities,
//
//     B = Π A⁻¹ Πᵀ + G I⁻¹ Gᵀ
//
// is symmetric, changes angular momentum by r x P and momentum by P, for A 1 = M 1. With a = A⁻¹ J_qᵀ, y = A⁻¹ M d, and
// y_q, r_q what these are at q (y_q = Σ a M d as well), P at q has
//
//     ω = I⁻¹ (r_q x P),   ω' = I⁻¹ (y_q x P - N ω),   N ω = Σ m d x (ω x y),
//     u = a P - ω x y + (ω - ω') x d.
//
// Of linear bodies A is their own matrix, of 3 x 3 blocks, as they are turned now: it is how they yield, B = A⁻¹, and a column has three sides.
//
// Where bones lead the body it cannot turn as a whole: B = A⁻¹. Nor can it where points of it are held, which stay where they are: B = P A⁻¹ with
// the projection P that keeps them, of linear bodies too. Bones that give way have their own (bones_meet.c).
//
// Places that move by H u change angular momentum too, by H u x m v. What is missing of place x P is given to the body
// as a turn of the whole; so is what rounding and spaces of motions (space.h) leave of momentum, as a shift.
#include "body/lattice/bones.h"
#include "body/lattice/linear.h"
#include "body/lattice/solid_parts.h"
#include "body/lattice/space.h"
#include "core/error.h"
#include "skeleton/spatial.h"

#include <string.h>

#define TAIL 6 // of a column: y_q, r_q

struct snSolidMeet {
    int most, width; // thrusts, and terms of a row
    int *index;      // [most + 1][width], rows of thrusts; the last is scratch
    double *weight;  //
    int count;       // thrusts of the coming step
    bool turns;      // it is free to turn as a whole, and B knows of it
    snVec3 center;
    snMat3 inverse, rest; // I⁻¹, N
    double *y;            // [vertices * 4]
    snBonesRoom room;     // of bodies with bones that give way
};

static const snSolidBody *constSolidOf(const snBody *body)
{
    return (const snSolidBody *)body;
}

static void addRow(double *rows, int i, double share, snVec3 value)
{
    double *x = rows + 4 * (size_t)i;
    x[0] += share * value.x;
    x[1] += share * value.y;
    x[2] += share * value.z;
}

// ---- the shell ----------------------------------------------------------------------------------

static void shellOf(const snBody *body, snBodyShell *shell)
{
    const snSolidBody *solid = constSolidOf(body);
    const snSolidSurface *s = &solid->surface;
    *shell = (snBodyShell){.vertexCount = s->vertexCount,
                           .triangleCount = s->touch ? s->touchCount : s->triangleCount,
                           .triangles = s->touch ? s->touch : s->triangles,
                           .friction = solid->def.friction,
                           .restitution = solid->def.restitution};
}

static void shellPlaces(const snBody *body, snVec3 *places)
{
    for (int v = 0; v < body->vertexCount; v++)
        places[v] = body->kind->vertex(body, v);
}

// ---- rows ---------------------------------------------------------------------------------------

static int widthOf(const snSolidBody *solid)
{
    int width = 3 * solid->surface.embedding.width;
    return width > SN_POINT_TERMS ? width : SN_POINT_TERMS;
}

static int gather(const snSolidBody *solid, const snBodyEnd *end, int *index, double *weight)
{
    int count = 0;
    if (end->point >= 0) {
        const snSolidPoint *p = &solid->points[end->point];
        for (; count < p->count; count++)
            index[count] = p->index[count], weight[count] = p->weight[count];
        return count;
    }
    count = snEmbedding_Mean(&solid->surface.embedding, end->corner, end->share, index, weight);
    for (int k = 0; k < count; k++)
        index[k] = solid->model->indexOf[index[k]];
    return count;
}

static snStatus reserve(snBody *body, int ends, snError *error)
{
    snSolidBody *solid = (snSolidBody *)body;
    snArena *arena = &solid->arena;
    if (solid->meet) ends += solid->meet->most;
    size_t pulls = (size_t)body->mostPoints + (size_t)ends;
    struct snSolidMeet *meet = SN_NEW(arena, struct snSolidMeet, 1);
    if (!meet) return snFailMemory(error);
    meet->most = ends;
    meet->width = widthOf(solid);
    meet->index = SN_NEW(arena, int, (size_t)(ends + 1) * (size_t)meet->width);
    meet->weight = SN_NEW(arena, double, (size_t)(ends + 1) * (size_t)meet->width);
    meet->y = SN_NEW(arena, double, 4 * (size_t)solid->model->vertexCount);
    snLatticePull *list = SN_NEW(arena, snLatticePull, pulls);
    snSolidSpring *springs = SN_NEW(arena, snSolidSpring, pulls);
    meet->room.load = meet->y; // it has no other use there
    meet->room.rows = SN_NEW(arena, double, solid->bones ? 4 * (size_t)solid->bones->rows : 0);
    if (!meet->index || !meet->weight || !meet->y || !list || !springs || !meet->room.rows)
        return snFailMemory(error);
    solid->pulls = list;
    solid->springs = springs;
    solid->meet = meet;
    if (solid->model->linear) {
        solid->linearPulls.scratch = SN_NEW(arena, double, snLinearPulls_ScratchSize((int)pulls));
        if (!solid->linearPulls.scratch) return snFailMemory(error);
    }
    return SN_OK;
}

void snSolidBody_ForgetThrusts(snSolidBody *solid)
{
    if (solid->meet) solid->meet->count = 0;
}

int snSolidBody_ThrustCount(const snSolidBody *solid)
{
    return solid->meet ? solid->meet->count : 0;
}

static void thrust(snBody *body, const snBodyEnd *end, snVec3 place, snVec3 force)
{
    snSolidBody *solid = (snSolidBody *)body;
    struct snSolidMeet *meet = solid->meet;
    (void)place; // of rigid parts
    if (meet->count == meet->most) return;
    int *index = meet->index + (size_t)meet->count * (size_t)meet->width;
    double *weight = meet->weight + (size_t)meet->count * (size_t)meet->width;
    int count = gather(solid, end, index, weight);
    snVec3 origin = snRowPlace(count, index, weight, solid->state->position);
    snLatticePull pull = {.count = count, .vertex = index, .weight = weight, .origin = origin};
    if (solid->step.planar) force.z = 0;
    snLatticePull_AddForce(&pull, force, snSolidBody_Share(solid) * solid->step.length);
    solid->pulls[solid->pullCount++] = pull;
    solid->force = snAdd(solid->force, force);
    meet->count++;
}

// ---- how ends yield -----------------------------------------------------------------------------

static size_t yieldSize(const snBody *body)
{
    const snBones *bones = constSolidOf(body)->bones;
    if (constSolidOf(body)->model->linear) return 9 * (size_t)body->size;
    return bones ? snBones_YieldSize(bones) : (size_t)body->size + TAIL;
}

// Points that are held; NULL: none.
static snPointConstraints *heldOf(const snSolidBody *solid)
{
    bool held = solid->constraints && *solid->constraints->set->count > 0;
    return held ? solid->constraints : NULL;
}

// Nothing leads it or holds some of it.
static bool turnsFreely(const snSolidBody *solid)
{
    bool held = solid->lead || solid->anchored || solid->body.size < solid->model->vertexCount;
    held |= solid->model->linear && solid->model->def.turn == SN_TURN_NONE; // its law resists it
    return !held && !heldOf(solid);
}

static void yieldBegin(snBody *body, bool tied)
{
    snSolidBody *solid = (snSolidBody *)body;
    struct snSolidMeet *meet = solid->meet;
    const snLatticeModel *model = solid->model;
    (void)tied;
    if (model->linear) snLinear_Upright(model, solid->state, heldOf(solid));
    meet->turns = turnsFreely(solid) && !model->linear;
    if (!meet->turns) return;
    snBodyMeasure is;
    snBody_Motion(body, &is);
    meet->center = is.center;
    meet->inverse = snInverse3(is.inertia);
    memset(solid->rows, 0, (size_t)model->vertexCount * 4 * sizeof *solid->rows);
    for (int i = 0; i < model->vertexCount; i++)
        addRow(solid->rows, i, model->mass[i],
               snSub(snRow(solid->state->position, i), meet->center));
    snSolidBody_SolveRows(solid);
    memcpy(meet->y, solid->rows, (size_t)model->vertexCount * 4 * sizeof *meet->y);
    meet->rest = snDiagonal3(0, 0, 0);
    for (int i = 0; i < model->vertexCount; i++) {
        snVec3 d = snSub(snRow(solid->state->position, i), meet->center), y = snRow(meet->y, i);
        double dy = snDot(d, y);
        meet->rest = snAddMM(meet->rest, snScaleM(model->mass[i], snDiagonal3(dy, dy, dy)));
        meet->rest = snAddMM(meet->rest, snScaleM(-model->mass[i], snOuter(y, d)));
    }
}

static snVec3 read3(const double *from)
{
    return snVec(from[0], from[1], from[2]);
}

// Side d: how all vertices go by a force along d.
static void linearColumn(snSolidBody *solid, int count, const int *index, const double *weight,
                         double *column)
{
    const snLatticeModel *model = solid->rung; // of the step's length
    snLatticeState *state = solid->state;
    for (int d = 0; d < 3; d++) {
        memset(solid->rows, 0, (size_t)model->vertexCount * 4 * sizeof *solid->rows);
        for (int k = 0; k < count; k++)
            solid->rows[4 * (size_t)index[k] + (size_t)d] += weight[k];
        snLinear_Respond(model, state, heldOf(solid), solid->rows, state->direction);
        const double *moves = state->direction;
        if (model->space)
            snSpace_Push(model, state, state->direction, state->wide), moves = state->wide;
        for (int i = 0; i < solid->body.size; i++)
            memcpy(column + 3 * ((size_t)d * (size_t)solid->body.size + (size_t)i),
                   moves + 4 * (size_t)i, 3 * sizeof *column);
    }
}

static const double *sideAt(const snBody *body, const double *column, int d, int i)
{
    return column + 3 * ((size_t)d * (size_t)body->size + (size_t)i);
}

static snMat3 linearRow(const snBody *body, int count, const int *index, const double *weight,
                        const double *column)
{
    snVec3 side[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (int d = 0; d < 3; d++)
        for (int k = 0; k < count; k++)
            if (index[k] < body->size)
                side[d] = snMulAdd(side[d], weight[k], read3(sideAt(body, column, d, index[k])));
    return (snMat3){side[0], side[1], side[2]};
}

static void yieldColumn(snBody *body, const snBodyEnd *end, bool again, double *column)
{
    snSolidBody *solid = (snSolidBody *)body;
    struct snSolidMeet *meet = solid->meet;
    int *index = meet->index + (size_t)meet->most * (size_t)meet->width;
    double *weight = meet->weight + (size_t)meet->most * (size_t)meet->width;
    int count = gather(solid, end, index, weight);
    if (solid->bones) {
        snBones_YieldColumn(solid->bones, &(snBonesEnd){count, index, weight}, &meet->room, column);
        return;
    }
    if (solid->model->linear) {
        linearColumn(solid, count, index, weight, column);
        return;
    }
    if (!again || !body->constantMatrix) {
        memset(solid->rows, 0, (size_t)solid->model->vertexCount * 4 * sizeof *solid->rows);
        for (int k = 0; k < count; k++)
            if (index[k] < body->size) solid->rows[4 * (size_t)index[k]] += weight[k];
        snSolidBody_SolveHeld(solid);
        for (int i = 0; i < body->size; i++)
            column[i] = solid->rows[4 * (size_t)i];
    }
    if (!meet->turns) return;
    snVec3 place = snRowPlace(count, index, weight, solid->state->position);
    snToArray(column + body->size, snRowPlace(count, index, weight, meet->y));
    snToArray(column + body->size + 3, snSub(place, meet->center));
}

// a + X(y_p - r_p) I⁻¹ X(r_q) + X(r_p) I⁻¹ (X(y_q) - N I⁻¹ X(r_q))
static snMat3 yieldRow(const snBody *body, const snBodyEnd *p, const double *columnOfP,
                       const double *columnOfQ)
{
    const snSolidBody *solid = constSolidOf(body);
    const struct snSolidMeet *meet = solid->meet;
    int *index = meet->index + (size_t)meet->most * (size_t)meet->width; // scratch
    double *weight = meet->weight + (size_t)meet->most * (size_t)meet->width, a = 0;
    int count = gather(solid, p, index, weight);
    if (solid->bones)
        return snBones_YieldRow(solid->bones, &(snBonesEnd){count, index, weight}, columnOfQ);
    if (solid->model->linear) return linearRow(body, count, index, weight, columnOfQ);
    for (int k = 0; k < count; k++)
        if (index[k] < body->size) a += weight[k] * columnOfQ[index[k]];
    snMat3 sum = snDiagonal3(a, a, a);
    if (!meet->turns) return sum;
    snVec3 yp = read3(columnOfP + body->size), rp = read3(columnOfP + body->size + 3);
    snVec3 yq = read3(columnOfQ + body->size), rq = read3(columnOfQ + body->size + 3);
    snMat3 turn = snMulMM(meet->inverse, snCrossMatrix(rq));
    snMat3 less = snAddMM(snCrossMatrix(yq), snScaleM(-1, snMulMM(meet->rest, turn)));
    sum = snAddMM(sum, snMulMM(snCrossMatrix(snSub(yp, rp)), turn));
    return snAddMM(sum, snMulMM(snCrossMatrix(rp), snMulMM(meet->inverse, less)));
}

// ---- yielding -----------------------------------------------------------------------------------

// u, into the scratch rows.
static void addUp(snSolidBody *solid, int count, const snBodyNudge *nudges)
{
    const struct snSolidMeet *meet = solid->meet;
    int size = solid->body.size;
    snVec3 first = {0, 0, 0}, second = {0, 0, 0}; // Σ ω and Σ ω - ω'
    memset(solid->rows, 0, (size_t)solid->model->vertexCount * 4 * sizeof *solid->rows);
    for (int n = 0; n < count; n++) {
        snVec3 impulse = nudges[n].impulse;
        const double *a = nudges[n].column;
        double along[3];
        snToArray(along, impulse);
        for (int i = 0; i < size && !solid->model->linear; i++)
            addRow(solid->rows, i, a[i], impulse);
        for (int i = 0; i < size && solid->model->linear; i++)
            for (int d = 0; d < 3; d++)
                addRow(solid->rows, i, along[d], read3(sideAt(&solid->body, a, d, i)));
        if (!meet->turns) continue;
        snVec3 turn = snMulMV(meet->inverse, snCross(read3(a + size + 3), impulse));
        snVec3 rest = snSub(snCross(read3(a + size), impulse), snMulMV(meet->rest, turn));
        first = snAdd(first, turn);
        second = snAdd(second, snSub(turn, snMulMV(meet->inverse, rest)));
    }
    for (int i = 0; i < size && meet->turns; i++) {
        snVec3 d = snSub(snRow(solid->state->position, i), meet->center);
        addRow(solid->rows, i, -1, snCross(first, snRow(meet->y, i)));
        addRow(solid->rows, i, 1, snCross(second, d));
    }
}

static void yieldBones(snSolidBody *solid, int count, const snBodyNudge *nudges, double time)
{
    snBonesRoom *room = &solid->meet->room;
    memset(room->load, 0, (size_t)solid->model->vertexCount * 4 * sizeof *room->load);
    memset(room->rows, 0, (size_t)solid->bones->rows * 4 * sizeof *room->rows);
    for (int n = 0; n < count; n++)
        snBones_AddYield(solid->bones, nudges[n].column, nudges[n].impulse, room);
    if (count) snBones_Yield(solid->bones, solid->state, room, time);
    if (count) solid->lead->found(solid);
}

static void yield(snBody *body, int count, const snBodyNudge *nudges, double time, snVec3 couple)
{
    snSolidBody *solid = (snSolidBody *)body;
    snBodyMeasure want;
    snBody_Motion(body, &want);
    snBodyNudges_Add(count, nudges, couple, &want);
    if (solid->bones) {
        yieldBones(solid, count, nudges, time);
        if (snBones_IsFree(solid->bones) && !solid->step.planar)
            snBody_GiveMomentum(body, want.momentum, want.angularMomentum);
        if (count) snSolidBody_HoldFast(solid);
        return;
    }
    addUp(solid, count, nudges);
    for (int i = 0; i < body->size; i++) {
        snVec3 u = snRow(solid->rows, i);
        if (solid->step.planar) u.z = 0;
        addRow(solid->state->velocity, i, 1, u);
        addRow(solid->state->position, i, time, u);
    }
    if (count) snSpace_Settle(solid->model, solid->state);
    if (count && solid->model->linear) snLinear_Upright(solid->model, solid->state, heldOf(solid));
    if (!turnsFreely(solid) || solid->step.planar) return;
    snBody_GiveMomentum(body, want.momentum, want.angularMomentum);
}

const snBodyMeeting snSolidMeeting = {.shell = shellOf,
                                      .shellPlaces = shellPlaces,
                                      .reserve = reserve,
                                      .thrust = thrust,
                                      .yieldSize = yieldSize,
                                      .yieldBegin = yieldBegin,
                                      .yieldColumn = yieldColumn,
                                      .yieldRow = yieldRow,
                                      .yield = yield};
