// Where a search begins. Backward Euler ends a step where its objective (step.c)
//
//     E(y) = ½ Σ D |y - t|² + h² Ψ(y)
//
// is least, and the first guess is that the body goes on as it did, y = x + h v. A search ends no higher than it began, wherever it stops. Begun where
// the body does not move within itself, y₀ = x, or x moved rigidly, so that Ψ(y₀) = Ψ(x), it ends with
//
//     Ψ(y) + ½ Σ m |y - t|² / h²  ≤  Ψ(x) + ½ Σ m |y₀ - t|² / h²,    for y₀ = x without gravity  Ψ(x) + ½ Σ m v²:
//
// flesh holds no more than it held and moved with, of however few iterations the search is. Begun where it goes on there is no such bound, for Ψ there is that
// of flesh that moved for a whole step without resisting. While it resists little within a step that is the better guess. Where it is much stiffer a
// search of few iterations leaves some of that strain, more with every step: a bar of 100 MPa and 1/30 s, held at an end and thrown about
// at 3 m/s, blew up within two seconds from 1 kJ to 10²² J, one of 100 kPa with ν = 0.49 to 10¹² J.
//
// So what is alone, and ends above the right side, is put to y₀ and searched for once more. To know E(y₀) takes a pass over all elements, as long as an
// iteration; a bound of it comes with the pass that finds targets, for that has the strain there is at hand, and sums what it holds
// (state->still). In ordinary motion hardly a step is above it, and the others have the bits they had. What touches something, is tied, pulled, or held by points that move may have to
// move within itself, so nothing is said of it; but flesh on bones that is nearly incompressible, which the search's matrix does not know of, begins at the
// lower of the two wherever it is. (All to begin there was tried: where y₀ is only just lower, going on is the better way to the true end. The fox's tail was
// 3.2 % of its height off, not 1.2.)
//
// What "not within itself" is: flesh that is led stays as it is beside its rig, y₀ = x + p' - p; so it does on bones that give way, which stand
// still; other bodies move rigidly, as near to their targets as they can, about the points that are held.
#include "body/lattice/search_parts.h"

#include "body/lattice/bones_parts.h"
#include "body/lattice/point.h"
#include "body/lattice/row.h"
#include "skeleton/spatial.h"

#include <string.h>

#define SURELY 1e-9 // of the objective: what rounding can do,
#define LEAST 1e-8  // and of a body's size: moves that are no matter
#define SURELY_SINGLE 1e-3
#define LEAST_SINGLE 1e-6
#define THERE 1e-7        // of a body's size: points that are held no farther off stand still
#define ALONG 1e-6        // sine of the angle between axes that are one
#define MOST_POISSON 0.49 // beyond it flesh is left strained wherever it touches something, too

static bool mayStand(const snSearchBody *body)
{
    const snLatticeModel *model = body->model;
    bool adaptive = model->detail || (model->space && model->space->levels);
    return !adaptive && !body->ties && model->def.integrator != SN_INTEGRATOR_MIDPOINT;
}

// Whether `going` is above what flesh would hold that does not move within itself, and `squares` besides.
static bool isAbove(const snSearchBody *body, int lane, double going, double squares)
{
    bool single = body->model->def.precision == SN_PRECISION_SINGLE;
    double least = (single ? LEAST_SINGLE : LEAST) * body->model->size;
    double still = snSearch_Scale(body) * body->state->still[lane] + squares;
    still *= 1 + (single ? SURELY_SINGLE : SURELY);
    return !(going <= still + body->model->totalMass * least * least);
}

// ---- where the body does not move within itself -------------------------------------------------------

static bool hangs(const snSearchBody *body)
{
    return body->bones || body->model->freeCount < body->model->vertexCount;
}

static void standBesideRig(const snSearchBody *body, int lane, double *out)
{
    const snLatticeState *s = body->state;
    for (int i = 0; i < body->model->freeCount; i++) {
        snVec3 x = snLatticeState_Vertex(s, s->position, i, lane),
               p = snLatticeState_Vertex(s, s->rig, i, lane);
        snVec3 rig = snLatticeState_Vertex(s, body->drive->rig, i, lane);
        snLatticeState_SetVertex(s, out, i, lane, snAdd(x, snSub(rig, p)));
    }
}

// Of a body that hangs on nothing, or on one lane's points: what it may turn about.
typedef struct Pivot {
    int count;       // 0: it is free; 1: a point, 2: an axis; 3: it cannot turn
    bool held;       // there are points
    snVec3 at, axis; // unit
} Pivot;

static snVec3 heldPlace(const snPointConstraints *points, int number)
{
    size_t handle = (size_t)snPointConstraints_HandleOf(points, number);
    const double *target = points->set->target + handle * (size_t)points->width;
    return snVec(target[0], target[1], target[2]);
}

// Bodies of planar worlds turn about z alone: any other turn would be flattened, and shear them.
static void turnInPlane(Pivot *pivot)
{
    snVec3 z = {0, 0, 1};
    bool other = pivot->count == 2 && snLength(snCross(pivot->axis, z)) > ALONG;
    pivot->count = pivot->count == 3 || other ? 3 : 2;
    pivot->axis = z;
}

static Pivot pivotOf(const snSearchBody *body)
{
    Pivot pivot = {0};
    const snPointConstraints *points = body->drive->points;
    double there = THERE * body->model->size;
    for (int p = 0; points && p < snPointConstraints_CountOf(points); p++) {
        snVec3 at = heldPlace(points, p), way = snSub(at, pivot.at);
        if (pivot.count == 0) {
            pivot = (Pivot){.count = 1, .held = true, .at = at};
        } else if (pivot.count == 1 && snLength(way) > there) {
            pivot.count = 2;
            pivot.axis = snNormalizeOr(way, snVec(1, 0, 0));
        } else if (pivot.count == 2 && snLength(snCross(way, pivot.axis)) > there) {
            pivot.count = 3;
        }
    }
    if (body->drive->planar) turnInPlane(&pivot);
    return pivot;
}

// Σ D x / Σ D.
static snVec3 centerOf(const snSearchBody *body, int lane, const double *rows)
{
    snVec3 sum = {0, 0, 0};
    double mass = 0;
    for (int i = 0; i < body->model->freeCount; i++) {
        sum = snMulAdd(sum, body->model->diagonal[i],
                       snLatticeState_Vertex(body->state, rows, i, lane));
        mass += body->model->diagonal[i];
    }
    return snScale(1 / mass, sum);
}

// ω of least ½ Σ D |ω × r - w|²: (Σ D (r² - r rᵀ)) ω = Σ D r × w; about an axis a, a times its share of both.
static snVec3 turnOf(const Pivot *pivot, snMat3 inertia, snVec3 moment)
{
    double about = snDot(pivot->axis, snMulMV(inertia, pivot->axis));
    if (pivot->count == 2 && about > 0)
        return snScale(snDot(pivot->axis, moment) / about, pivot->axis);
    if (pivot->count < 2 && snDet(inertia) > 0) return snMulMV(snInverse3(inertia), moment);
    return snVec(0, 0, 0);
}

// With r = x - c and w = t - c', where c goes to c': of a free body the centres of what it has and of its targets, else its pivot.
static snAffine rigidMotion(const snSearchBody *body, int lane)
{
    const snLatticeState *s = body->state;
    Pivot pivot = pivotOf(body);
    snVec3 from = pivot.at, to = pivot.at, moment = {0, 0, 0};
    snMat3 inertia = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    if (!pivot.held) {
        from = centerOf(body, lane, s->position);
        to = centerOf(body, lane, s->target);
    }
    for (int i = 0; i < body->model->freeCount; i++) {
        double d = body->model->diagonal[i];
        snVec3 r = snSub(snLatticeState_Vertex(s, s->position, i, lane), from);
        snVec3 way = snSub(snSub(snLatticeState_Vertex(s, s->target, i, lane), to), r);
        moment = snMulAdd(moment, d, snCross(r, way));
        inertia = snAddMM(inertia, snScaleM(d, snPointInertia(r)));
    }
    snMat3 turn = snQuatToMat(snQuatFromVector(turnOf(&pivot, inertia, moment)));
    return (snAffine){turn, snSub(to, snMulMV(turn, from))};
}

// In a space B (R q + 1 t) = R y + t, with the coefficients of 1.
static void moveRigidly(const snSearchBody *body, int lane, double *out)
{
    const snSpace *space = body->model->space;
    const double *values = snLatticeState_Values(body->model, body->state);
    snAffine motion = rigidMotion(body, lane);
    for (int i = 0; i < body->unknowns; i++) {
        snVec3 turned = snMulMV(motion.linear, snLatticeState_Vertex(body->state, values, i, lane));
        double share = space ? space->one[i] : 1;
        snLatticeState_SetVertex(body->state, out, i, lane, snMulAdd(turned, share, motion.origin));
    }
}

// The unknowns there.
static void stand(const snSearchBody *body, int lane, double *out)
{
    if (hangs(body))
        standBesideRig(body, lane, out);
    else
        moveRigidly(body, lane, out);
}

// Of one lane that is led, as most are: nothing is written.
static double inertiaBesideRig(const snSearchBody *body)
{
    const snLatticeState *s = body->state;
    const double *rig = body->drive->rig;
    snDouble4 sum = {0};
    for (int i = 0; i < body->model->freeCount; i++) {
        snDouble4 way = snLoad4(snConstRowAt(rig, i)) - snLoad4(snConstRowAt(s->rig, i));
        snDouble4 miss = snLoad4(snConstRowAt(s->position, i)) + way;
        miss -= snLoad4(snConstRowAt(s->target, i));
        sum += body->model->diagonal[i] * miss * miss;
    }
    return 0.5 * ((sum[0] + sum[1]) + sum[2]);
}

// Summed by components, as of one lane that is led: a body in a batch has the bits that it has by itself.
static double inertiaStanding(const snSearchBody *body, int lane)
{
    const snLatticeState *s = body->state;
    double sum[3] = {0, 0, 0};
    if (s->lanes == 1 && hangs(body)) return inertiaBesideRig(body);
    snAffine motion = hangs(body) ? snIdentityAffine() : rigidMotion(body, lane);
    if (hangs(body)) standBesideRig(body, lane, s->previous);
    const double *rows = hangs(body) ? s->previous : s->position;
    for (int i = 0; i < body->model->freeCount; i++) {
        snVec3 y = snMulAP(motion, snLatticeState_Vertex(s, rows, i, lane));
        snVec3 miss = snSub(y, snLatticeState_Vertex(s, s->target, i, lane));
        double d = body->model->diagonal[i];
        sum[0] += d * miss.x * miss.x;
        sum[1] += d * miss.y * miss.y;
        sum[2] += d * miss.z * miss.z;
    }
    return 0.5 * ((sum[0] + sum[1]) + sum[2]);
}

// ---- the choice ---------------------------------------------------------------------------------------

static void copyLane(const snSearchBody *body, int lane, const double *from, double *to)
{
    for (int i = 0; i < body->unknowns; i++)
        snLatticeState_SetVertex(body->state, to, i, lane,
                                 snLatticeState_Vertex(body->state, from, i, lane));
}

static void show(const snSearchBody *body)
{
    if (body->model->space) snSpace_Show(body->model, body->state, body->values, body->state->next);
}

// Returns which guess there was.
static bool standBones(snBones *bones, snLatticeState *state)
{
    size_t bytes = 4 * (size_t)bones->rows * sizeof(double);
    bool stood = bones->stands;
    memcpy(bones->previous, bones->values, bytes);
    memset(bones->values, 0, bytes);
    snBones_GuessAgain(bones, state, true);
    return stood;
}

static void bringBonesBack(snBones *bones, snLatticeState *state, bool stood)
{
    memcpy(bones->values, bones->previous, 4 * (size_t)bones->rows * sizeof(double));
    snBones_GuessAgain(bones, state, stood);
}

// Stands in all lanes asked for, and is asked for its objective there. Where it is not lower the body goes back to the search's end.
static bool choose(snSearchBody *body, unsigned char *asked)
{
    snLatticeState *state = body->state;
    unsigned char back[SN_MAX_LANES] = {0};
    double ended[SN_MAX_LANES];
    bool any = false, goes = false, stood = false;
    for (int l = 0; l < state->lanes; l++)
        ended[l] = body->flesh[l] + body->squares[l];
    memcpy(state->direction, body->values, (size_t)snSearch_Size(body) * sizeof(double));
    if (body->bones) stood = standBones(body->bones, state);
    for (int l = 0; l < state->lanes; l++)
        if (asked[l]) stand(body, l, body->values);
    if (body->points) snPointConstraints_Correct(body->points, body->values);
    show(body);
    if (body->drive->planar) snLattice_Flatten(body->model, state);
    snSearch_EvaluateBody(body, SN_PASS_GUESS, asked);
    for (int l = 0; l < state->lanes; l++) {
        bool lower = body->flesh[l] + body->squares[l] < ended[l] || !isfinite(ended[l]);
        if (asked[l] && lower && body->bones) lower = snBones_Factorise(body->bones);
        back[l] = asked[l] && !lower;
        asked[l] &= lower;
        any |= asked[l];
        goes |= back[l];
        if (!asked[l]) copyLane(body, l, state->direction, body->values);
    }
    if (goes) show(body);
    if (goes && body->bones) bringBonesBack(body->bones, state, stood);
    if (goes && body->bones) snBones_Factorise(body->bones); // as it did before
    if (goes) snSearch_EvaluateBody(body, SN_PASS_STRAIN, back);
    return any;
}

static double squaresStanding(const snSearchBody *body, int lane)
{
    snLatticeState *state = body->state;
    if (!body->bones) return inertiaStanding(body, lane);
    bool stood = standBones(body->bones, state);
    double squares = inertiaStanding(body, lane) + snBones_AddTerms(body->bones, state, false);
    bringBonesBack(body->bones, state, stood);
    return squares;
}

// Points that are held are where they have to be.
static bool pointsStand(const snSearchBody *body)
{
    const double *values = snLatticeState_Values(body->model, body->state);
    const snPointConstraints *points = body->drive->points;
    return !points || snPointConstraints_Farthest(points, values) <= THERE * body->model->size;
}

// Whether nothing is at a body but forces, its rig and what holds points where they are: else it may well have to move within itself.
static bool isAlone(const Search *s)
{
    const snSearchBody *body = s->bodies;
    const snLatticeContacts *c = body->drive->contacts;
    bool touches = c && c->recordCount + c->pullCount > 0;
    if (body->multipliers && hangs(body)) return false; // beside its rig they would be off
    return s->bodyCount == 1 && !touches && (s->lanes == 1 || !body->drive->points) &&
           pointsStand(body);
}

bool snSearch_StandStill(Search *s)
{
    snSearchBody *body = s->bodies;
    unsigned char asked[SN_MAX_LANES] = {0};
    bool any = false;
    if (!mayStand(body) || s->averaged || !isAlone(s)) return false;
    for (int l = 0; l < s->lanes; l++) { // what holds no more than it did needs no further look
        if (!s->wanted[l] || !isAbove(body, l, body->flesh[l], 0)) continue;
        double squares = squaresStanding(body, l);
        asked[l] = isAbove(body, l, body->flesh[l] + body->squares[l], squares);
        any |= asked[l];
    }
    if (!any || !choose(body, asked)) return false;
    memcpy(s->wanted, asked, sizeof s->wanted);
    return true;
}

void snSearch_BeginStill(Search *s)
{
    unsigned char asked[SN_MAX_LANES];
    for (int i = 0; i < s->bodyCount; i++)
        if (s->bodies[i].ties) return; // guesses have been put where ties want them
    for (int i = 0; i < s->bodyCount; i++) {
        snSearchBody *body = &s->bodies[i];
        bool pressed = hangs(body) && body->model->mostPoisson > MOST_POISSON;
        if (!pressed || !mayStand(body) || s->averaged) continue;
        memset(asked, 1, sizeof asked);
        snSearch_BeginEnergy(body);
        snSearch_EvaluateBody(body, SN_PASS_GUESS, asked);
        choose(body, asked);
    }
}
