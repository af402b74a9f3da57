// How a solid body does what body.h asks for. Its matrix A is the model's (step.h): scalar, constant,
// over the free vertices. In a space of motions (space.h) its inverse is B A_q⁻¹ Bᵀ, over them as well.
#include "body/lattice/solid_parts.h"

#include "body/lattice/bones.h"
#include "body/lattice/jump.h"
#include "body/lattice/linear.h"
#include "body/lattice/space_levels.h"
#include "body/saved.h"
#include "core/error.h"
#include "skeleton/spatial.h"

#include <string.h>

#define FIRM 1           // masses of a body over h²: springs that hold points of bodies with bones
#define MOST_STRETCH 1e3 // sizes of the body, from where its undeformed shape is

static snSolidBody *solidOf(snBody *body)
{
    return (snSolidBody *)body;
}

static const snSolidBody *constSolidOf(const snBody *body)
{
    return (const snSolidBody *)body;
}

// Weighted by mass.
static snVec3 meanOf(const snSolidBody *solid, const double *rows)
{
    snVec3 sum = {0, 0, 0};
    for (int i = 0; i < solid->model->vertexCount; i++)
        sum = snMulAdd(sum, solid->model->mass[i], snRow(rows, i));
    return snScale(1 / solid->model->totalMass, sum);
}

// ---- points -------------------------------------------------------------------------------------

static void letGo(snSolidBody *solid, snSolidPoint *point)
{
    if (point->handle >= 0) snPointConstraints_Release(solid->constraints, point->handle, NULL);
    point->handle = -1;
}

static void forget(snBody *body, int point)
{
    snSolidBody *solid = solidOf(body);
    letGo(solid, &solid->points[point]);
    if (solid->lead) solid->lead->forget(solid, point);
    solid->points[point] = (snSolidPoint){.handle = -1};
}

static snVec3 pointIn(const snSolidPoint *point, const double *rows)
{
    return snRowPlace(point->count, point->index, point->weight, rows);
}

snVec3 snSolidBody_Offset(const snSolidBody *solid, int point, int end)
{
    const snSolidPoint *p = &solid->points[point];
    const snVec3 *offset = solid->drawn.offset[end];
    snVec3 sum = {0, 0, 0};
    snSolidBody_Show(solid);
    for (int k = 0; k < 3 && offset; k++)
        if (p->share[k] != 0) sum = snMulAdd(sum, p->share[k], offset[p->corner[k]]);
    return sum;
}

snVec3 snSolidBody_RowPlace(const snSolidBody *solid, int point)
{
    return pointIn(&solid->points[point], solid->state->position);
}

static snVec3 placeOf(const snBody *body, int point)
{
    const snSolidBody *solid = constSolidOf(body);
    snVec3 row = snSolidBody_RowPlace(solid, point);
    return solid->lead ? snAdd(row, snSolidBody_Offset(solid, point, 1)) : row;
}

static snVec3 velocityOf(const snBody *body, int point)
{
    const snSolidBody *solid = constSolidOf(body);
    snVec3 row = pointIn(&solid->points[point], solid->state->velocity);
    if (!solid->lead) return row;
    snVec3 beyond = snSub(snSolidBody_Offset(solid, point, 1), snSolidBody_Offset(solid, point, 0));
    return snMulAdd(row, *solid->drawn.rate, beyond);
}

static double beyondOf(const snBody *body, int point, snVec3 place)
{
    const snSolidBody *solid = constSolidOf(body);
    return solid->lead ? solid->lead->beyond(solid, point, place) : 0;
}

// rows ← B A_q⁻¹ Bᵀ rows, with what acts.
void snSolidBody_SolveRows(snSolidBody *solid)
{
    double *q = solid->state->pulled;
    if (!snSolidBody_Adapts(solid)) {
        snLatticeModel_SolveRows(solid->rung, solid->rows, solid->solve);
        return;
    }
    snSpaceLevels_Update(solid->rung, solid->state);
    snSpace_Pull(solid->rung, solid->state, solid->rows, q);
    snActive_Solve(solid->rung, solid->state, q);
    snSpace_Push(solid->rung, solid->state, q, solid->rows);
}

// The same, but points that are held stay where they are: rows ← B P A_q⁻¹ Bᵀ rows.
void snSolidBody_SolveHeld(snSolidBody *solid)
{
    const snLatticeModel *model = solid->rung;
    bool held = solid->constraints && *solid->constraints->set->count > 0;
    double *values = model->space ? solid->state->pulled : solid->rows;
    if (!held) {
        snSolidBody_SolveRows(solid);
        return;
    }
    if (snSolidBody_Adapts(solid)) snSpaceLevels_Update(model, solid->state);
    if (model->space) snSpace_Pull(model, solid->state, solid->rows, values);
    snLatticeModel_SolveUnknowns(model, solid->state, values, solid->solve);
    snPointConstraints_Project(solid->constraints, values);
    if (model->space) snSpace_Push(model, solid->state, values, solid->rows);
}

static void columnOf(snBody *body, int point, double *column)
{
    snSolidBody *solid = solidOf(body);
    const snSolidPoint *p = &solid->points[point];
    memset(solid->rows, 0, (size_t)solid->model->vertexCount * 4 * sizeof *solid->rows);
    for (int k = 0; k < p->count; k++)
        if (p->index[k] < body->size) solid->rows[4 * (size_t)p->index[k]] += p->weight[k];
    snSolidBody_SolveRows(solid);
    for (int i = solid->model->freeCount; i < body->size; i++)
        solid->rows[4 * (size_t)i] = 0; // of bones that give way: as if they stood still
    // A force within half a step moves its end by twice what it moves the middle: ½ of H² A⁻¹Jᵀ.
    for (int i = 0; i < body->size; i++)
        column[i] = snSolidBody_Share(solid) * solid->rows[4 * (size_t)i];
}

static snMat3 rowTimes(const snBody *body, int point, const double *column)
{
    const snSolidPoint *p = &constSolidOf(body)->points[point];
    double sum = 0;
    for (int k = 0; k < p->count; k++)
        if (p->index[k] < body->size) sum += p->weight[k] * column[p->index[k]];
    return snDiagonal3(sum, sum, sum);
}

// A - D is positive semi-definite, and so is what is between D and the true matrix of the step: a force
// moves a point by no more than Jᵀ D⁻¹ J. D is m in steps of any length.
static double giveOf(const snBody *body, int point)
{
    const snSolidBody *solid = constSolidOf(body);
    const snSolidPoint *p = &solid->points[point];
    double sum = 0;
    for (int k = 0; k < p->count; k++) {
        bool free = p->index[k] < solid->model->freeCount;
        double d = free ? solid->model->diagonal[p->index[k]] : 0;
        if (!free && solid->bones) d = solid->bones->totalMass / body->size;
        if (d < 0) d = solid->model->totalMass / body->size; // of masses that were given
        if (d > 0) sum += p->weight[k] * p->weight[k] / d;
    }
    return sum;
}

// ---- a step -------------------------------------------------------------------------------------

static void takeOutZ(snSolidBody *solid)
{
    const snLatticeModel *model = solid->model;
    solid->step.gravity.z = 0;
    for (int i = 0; i < model->vertexCount; i++)
        solid->state->velocity[4 * i + 2] = 0;
    for (int i = 0; model->space && i < model->space->functionCount; i++)
        solid->state->coefficientVelocity[4 * i + 2] = 0;
}

static void begin(snBody *body, const snBodyStep *step)
{
    snSolidBody *solid = solidOf(body);
    solid->step = *step;
    if (step->planar) takeOutZ(solid);
    solid->pullCount = 0;
    solid->acts = false;
    snSolidBody_BeginDetail(solid);
    snSolidBody_ForgetThrusts(solid);
    snSolidBody_ForgetHolds(solid);
    solid->force = snVec(0, 0, 0);
    memset(solid->held, 0, (size_t)body->mostPoints);
    memset(solid->pullOf, 0, (size_t)body->mostPoints * sizeof(int));
}

static snLatticePull *pullAt(snSolidBody *solid, int point)
{
    if (!solid->pullOf[point]) {
        const snSolidPoint *p = &solid->points[point];
        solid->pulls[solid->pullCount] =
            (snLatticePull){.count = p->count,
                            .vertex = p->index,
                            .weight = p->weight,
                            .origin = pointIn(p, solid->state->position)};
        solid->springs[solid->pullCount] = (snSolidSpring){0};
        solid->pullOf[point] = ++solid->pullCount;
    }
    return &solid->pulls[solid->pullOf[point] - 1];
}

static void pull(snBody *body, int point, const snBodyPull *spring)
{
    snSolidBody *solid = solidOf(body);
    double share = snSolidBody_Share(solid), h = share * solid->step.length;
    snLatticePull *at = pullAt(solid, point);
    snSolidSpring *sum = &solid->springs[at - solid->pulls];
    sum->spring += h * h * spring->stiffness;
    sum->damper += h * spring->damping;
    snLatticePull_AddSpring(at, spring->stiffness, spring->damping,
                            snMulAdd(spring->target, share - 1, spring->move),
                            snScale(share, spring->move), h);
}

static void hold(snBody *body, int point, snVec3 target)
{
    snSolidBody *solid = solidOf(body);
    if (solid->bones) { // by a spring that is as stiff as the whole is heavy
        double h = solid->step.length, k = FIRM * solid->bones->totalMass / (h * h);
        snVec3 from = placeOf(body, point);
        snBodyPull spring = {
            .target = target, .move = snSub(target, from), .stiffness = k, .damping = 0.5 * h * k};
        pull(body, point, &spring);
        snSolidBody_AddHold(solid, point, target);
        return;
    }
    solid->held[point] = 1;
    solid->target[point] = snLerp(placeOf(body, point), target, snSolidBody_Share(solid));
    if (snSolidBody_Share(solid) == 1) solid->target[point] = target;
    if (solid->step.planar) solid->target[point].z = placeOf(body, point).z;
}

static void push(snBody *body, int point, snVec3 force)
{
    snSolidBody *solid = solidOf(body);
    if (solid->step.planar) force.z = 0;
    snLatticePull_AddForce(pullAt(solid, point), force,
                           snSolidBody_Share(solid) * solid->step.length);
    solid->force = snAdd(solid->force, force);
}

static void placeSamples(snSolidBody *solid)
{
    const snSolidDrawn *drawn = &solid->drawn;
    for (int s = 0; solid->contacts && s < solid->contacts->sampleCount; s++)
        for (int e = 0; e < 2; e++) {
            snVec3 sum = {0, 0, 0};
            for (int k = 3 * s; k < 3 * s + 3; k++)
                if (drawn->shares[k] != 0)
                    sum = snMulAdd(sum, drawn->shares[k], drawn->offset[e][drawn->corners[k]]);
            drawn->sample[e][s] = sum;
        }
}

// A hold of what is drawn at T is one of the row at T - o'. A spring to an anchor that goes from a to a' is one of the
// row to a' - o', which goes by (a' - a) - (o' - o): b of pull.h is less by h² k o' + h c (o' - o).
void snSolidBody_Pose(snSolidBody *solid)
{
    if (!solid->lead) return;
    solid->lead->pose(solid);
    *solid->drawn.rate = 1 / solid->step.length;
    if (!solid->drawn.stale) placeSamples(solid);
    for (int i = 0; i < solid->body.mostPoints; i++) {
        if (!solid->held[i] && !solid->pullOf[i]) continue;
        snVec3 begin = snSolidBody_Offset(solid, i, 0), end = snSolidBody_Offset(solid, i, 1);
        if (solid->held[i]) solid->target[i] = snSub(solid->target[i], end);
        if (!solid->pullOf[i]) continue;
        const snSolidSpring *sum = &solid->springs[solid->pullOf[i] - 1];
        snVec3 *push = &solid->pulls[solid->pullOf[i] - 1].push;
        *push = snMulAdd(*push, -sum->spring, end);
        *push = snMulAdd(*push, -sum->damper, snSub(end, begin));
    }
}

static snStatus attach(snSolidBody *solid, snSolidPoint *p)
{
    int cell = -1;
    snEmbedding row = {1, p->count, p->vertex, p->weight, &cell, 0};
    return snPointConstraints_AttachRow(solid->constraints, NULL, &row, 0, &p->handle, NULL);
}

// Constraints for those that are held now, and for no others.
static void holdPoints(snSolidBody *solid)
{
    for (int i = 0; i < solid->body.mostPoints; i++)
        if (!solid->held[i] || solid->isTied) letGo(solid, &solid->points[i]);
    solid->conflicts = 0;
    for (int i = 0; i < solid->body.mostPoints && !solid->isTied; i++) {
        snSolidPoint *p = &solid->points[i];
        if (!solid->held[i]) continue;
        bool good = p->handle >= 0 || (solid->constraints && attach(solid, p) == SN_OK);
        if (good)
            good =
                !snPointConstraints_Move(solid->constraints, p->handle, 0, solid->target[i], NULL);
        solid->conflicts += !good;
    }
}

// Gravity, fields, and drag in still air, a = g - α v / (1 + h α): stable for every α. Returns their mean.
static snVec3 accelerate(snSolidBody *solid)
{
    double h = snSolidBody_Share(solid) * solid->step.length;
    double alpha = solid->def.drag, share = alpha / (1 + h * alpha);
    snVec3 sum = {0, 0, 0};
    for (int i = 0; i < solid->model->vertexCount; i++) {
        snVec3 v = snRow(solid->state->velocity, i);
        snVec3 a = snMulAdd(solid->step.gravity, -share, v);
        if (solid->acts) a = snAdd(a, solid->fields[i]);
        snSetRow(solid->acceleration, i, a);
        sum = snMulAdd(sum, solid->model->mass[i], a);
    }
    return snScale(1 / solid->model->totalMass, sum);
}

// Σ h m x × a, x at the step's begin: backward Euler's L' - L of these forces.
static void keepBrought(snSolidBody *solid)
{
    double h = solid->step.length;
    solid->brought = snVec(0, 0, 0);
    for (int i = 0; i < solid->model->vertexCount && solid->body.keeps; i++)
        solid->brought =
            snMulAdd(solid->brought, h * solid->model->mass[i],
                     snCross(snRow(solid->state->position, i), snRow(solid->acceleration, i)));
}

// A step's first guess carries the state on with its rig (predict in vectors_kernel.c). The rig of a free
// body is its undeformed shape, which flies with its centre of mass as all forces together have it. So
// the guess has the right momentum; what is searched for leaves it alone, however few iterations there
// are. Where it lies on something or is held, forces are met by others, and it is expected to go on as it
// does: so it comes to rest for good. The rig is also where it is put when a step cannot be computed.
static bool isFree(const snSolidBody *solid)
{
    const snLatticeContacts *contacts = solid->contacts;
    bool held = solid->anchored || (solid->constraints && *solid->constraints->set->count > 0);
    for (int i = 0; i < solid->pullCount && !held; i++)
        held = solid->pulls[i].stiffness > 0;
    for (int s = 0; contacts && s < contacts->sampleCount * contacts->memories && !held; s++)
        held = contacts->memory[s].touching;
    return !held;
}

static void flyRig(snSolidBody *solid, snVec3 acceleration)
{
    const snLatticeModel *model = solid->model;
    double h = snSolidBody_Share(solid) * solid->step.length;
    snVec3 center = meanOf(solid, solid->state->position);
    snVec3 speed = meanOf(solid, solid->state->velocity);
    snVec3 move = snScale(h, isFree(solid) ? snMulAdd(speed, h, acceleration) : speed);
    for (int i = 0; i < model->vertexCount; i++) {
        snVec3 place = snAdd(center, solid->shape[i]);
        snSetRow(solid->state->rig, i, place);
        snSetRow(solid->state->rigVelocity, i, speed);
        snSetRow(solid->rig, i, snAdd(place, move));
    }
}

snLatticeDrive snSolidBody_Drive(snSolidBody *solid)
{
    snLatticeDrive drive = {.rig = solid->rig,
                            .acceleration = solid->acceleration,
                            .points = solid->constraints,
                            .contacts = solid->contacts,
                            .stiffness = solid->step.stiffness,
                            .ladder = solid->ladder,
                            .ticks = solid->step.ticks,
                            .planar = solid->step.planar};
    solid->rung = snLattice_Climb(solid->model, solid->state, &drive); // for columns of new points
    snAdaptDef adapt = snSolidBody_Adapt(solid);
    if (snSolidBody_Adapts(solid)) snLattice_Adapt(solid->rung, solid->state, &adapt);
    *solid->factor = solid->step.stiffness > 0 ? solid->step.stiffness : 1;
    holdPoints(solid);
    if (solid->lead) {
        solid->lead->drive(solid, &drive);
    } else {
        snVec3 whole = accelerate(solid);
        keepBrought(solid);
        flyRig(solid, snMulAdd(whole, 1 / solid->model->totalMass, solid->force));
    }
    snSolidBody_DriveDetail(solid, &drive);
    solid->linearPulls.pulls = solid->pulls;
    solid->linearPulls.count = solid->pullCount;
    if (solid->contacts) {
        solid->contacts->colliders = solid->step.colliders;
        solid->contacts->colliderCount = solid->def.apart ? 0 : solid->step.colliderCount;
        solid->contacts->pulls = solid->pulls;
        solid->contacts->pullCount = solid->pullCount;
    }
    bool holds = solid->constraints && *solid->constraints->set->count > 0;
    drive.pulls = solid->contacts ? NULL : &solid->linearPulls;
    if (!holds) drive.points = NULL;
    return drive;
}

// What is stretched beyond all measure was not computed, whatever its energy: too many points are held of too few
// functions, or a body is a thousand times as long as it is wide.
static bool isTorn(const snSolidBody *solid)
{
    double most = MOST_STRETCH * solid->surface.size;
    bool torn = false;
    for (int i = 0; i < solid->model->vertexCount && !torn; i++)
        torn = !(snDistance(snRow(solid->state->position, i), snRow(solid->state->rig, i)) <= most);
    return torn;
}

void snSolidBody_PutBack(snSolidBody *solid)
{
    solid->failed = true;
    snLatticeState_Start(solid->model, solid->state, solid->rig, NULL);
    if (solid->contacts) snLatticeContacts_Reset(solid->contacts);
}

void snSolidBody_Judge(snSolidBody *solid, bool found)
{
    solid->failed = !found || isTorn(solid);
    if (solid->failed && solid->bones) snBones_Stop(solid->bones);
    if (found && solid->failed) snSolidBody_PutBack(solid);
    if (solid->lead) solid->lead->found(solid);
    snSolidBody_HoldFast(solid);
}

static bool leans(const snBody *body)
{
    const snLatticeContacts *contacts = constSolidOf(body)->contacts;
    bool any = false;
    for (int s = 0; contacts && s < contacts->sampleCount * contacts->memories && !any; s++) {
        const snSampleMemory *memory = &contacts->memory[s];
        any = memory->touching && memory->who >= 0 && memory->who < SN_CONTACT_BODY;
    }
    return any;
}

// After a step. Contacts with colliders, and springs and forces that others than the world's meeting brought, are from outside. With bones gravity
// alone brings anything; hands hold them, and air is not asked for.
static bool flewFree(const snBody *body, const snBodyMeasure *begin, snVec3 *brought)
{
    const snSolidBody *solid = constSolidOf(body);
    bool held = solid->failed || solid->anchored || solid->step.planar || solid->acts;
    held |= solid->constraints && *solid->constraints->set->count > 0;
    held |= solid->pullCount > snSolidBody_ThrustCount(solid);
    held |= solid->bones && !snBones_IsFree(solid->bones);
    held |= leans(body);
    *brought = solid->brought;
    if (solid->bones)
        *brought =
            snCross(begin->center, snScale(begin->mass * solid->step.length, solid->step.gravity));
    return !held;
}

// Quasi-linear ones are strained by turns, and counted in every step in which they meet others.
static bool isTaut(const snBody *body, double h)
{
    const snLatticeModel *model = constSolidOf(body)->model;
    (void)h;
    return model->linear && model->def.turn != SN_TURN_NONE;
}

static bool stepExplicitly(snSolidBody *solid)
{
    snExplicitStep step = {.length = solid->step.length,
                           .gravity = solid->step.gravity,
                           .drag = solid->def.drag,
                           .stiffness = solid->step.stiffness,
                           .planar = solid->step.planar,
                           .pullCount = solid->pullCount,
                           .pulls = solid->pulls};
    snExplicit_Clear(solid->explicit);
    for (int i = 0; i < solid->body.mostPoints; i++) {
        const snSolidPoint *p = &solid->points[i];
        snExplicitHold hold = {p->count, p->index, p->weight, solid->target[i]};
        if (solid->held[i]) snExplicit_Hold(solid->explicit, &hold);
    }
    accelerate(solid);
    flyRig(solid, solid->step.gravity);
    bool found = snExplicit_Take(solid->explicit, solid->state, &step);
    if (!found) snLatticeState_Start(solid->model, solid->state, solid->rig, NULL);
    return found;
}

static void advance(snBody *body)
{
    snSolidBody *solid = solidOf(body);
    if (solid->explicit) {
        snSolidBody_Judge(solid, stepExplicitly(solid));
        return;
    }
    snSolidBody_Pose(solid);
    if (snSolidBody_IsOnRig(solid)) {
        snSolidBody_FollowRig(solid);
        return;
    }
    snLatticeDrive drive = snSolidBody_Drive(solid);
    bool watched = snSolidBody_Watch(1, &solid);
    snSolidBody_WatchLimp(solid);
    snSolidBody_Judge(solid, snLattice_Step(solid->model, solid->state, &drive));
    if (watched && !solid->failed) snSolidBody_Pay(1, &solid);
    snSolidBody_PayLimp(solid);
}

// What holding points took in this step, by the body itself and by its ties.
static void countWork(snSolidBody *solid, snBodyReport *report)
{
    report->columnsSolved = solid->columnsSolved;
    report->rowsFactored = solid->rowsFactored;
    solid->columnsSolved = solid->rowsFactored = 0;
    if (!solid->constraints) return;
    const snConstraintSet *set = solid->constraints->set;
    report->columnsSolved += set->columnsSolved - solid->columnsSeen;
    report->rowsFactored += set->rowsFactored - solid->rowsSeen;
    solid->columnsSeen = set->columnsSolved;
    solid->rowsSeen = set->rowsFactored;
}

static void finish(snBody *body, snBodyReport *report)
{
    snSolidBody *solid = solidOf(body);
    if (solid->contacts && !body->away)
        report->contact = snLatticeContacts_Report(solid->contacts, solid->state->position, 0);
    report->failed = solid->failed;
    report->functions = body->functions;
    if (snSolidBody_Adapts(solid))
        report->functions = snSpace_Constant(solid->model->space) + *solid->state->active.count;
    report->conflicts = solid->conflicts;
    countWork(solid, report);
    for (int i = 0; solid->constraints && i < *solid->constraints->set->count; i++)
        report->conflicts +=
            snConstraintSet_Report(solid->constraints->set, i).state == SN_CONSTRAINT_CONFLICTING;
}

// ---- putting and measuring ----------------------------------------------------------------------

static void put(snBody *body, const snAffine *place)
{
    snSolidBody *solid = solidOf(body);
    if (solid->lead) {
        solid->lead->put(solid, place);
        placeSamples(solid);
        if (solid->contacts) snLatticeContacts_Reset(solid->contacts);
        return;
    }
    for (int i = 0; i < solid->model->vertexCount; i++)
        snSetRow(solid->rig, i, snMulAP(*place, solid->model->rest[i]));
    snVec3 center = meanOf(solid, solid->rig);
    for (int i = 0; i < solid->model->vertexCount; i++)
        solid->shape[i] = snSub(snRow(solid->rig, i), center);
    snLatticeState_Start(solid->model, solid->state, solid->rig, NULL);
    if (solid->model->linear) snLinear_Stand(solid->model, solid->state, place);
    if (solid->contacts) snLatticeContacts_Reset(solid->contacts);
}

// Linear bodies have nothing but their matrices: that of the last step's stiffness, of any length.
static const snLatticeModel *linearRung(const snSolidBody *solid)
{
    double rest;
    return solid->ladder ? snLadder_At(solid->ladder, *solid->factor, &rest) : solid->model;
}

static void addMass(snBodyMeasure *m, double mass, snVec3 x, snVec3 velocity)
{
    snVec3 p = snScale(mass, velocity);
    m->mass += mass;
    m->center = snMulAdd(m->center, mass, x);
    m->momentum = snAdd(m->momentum, p);
    m->angularMomentum = snAdd(m->angularMomentum, snCross(x, p));
    m->kinetic += 0.5 * snDot(velocity, p);
}

static void addInertia(snBodyMeasure *m, double mass, snVec3 x)
{
    m->inertia = snAddMM(m->inertia, snScaleM(mass, snPointInertia(snSub(x, m->center))));
}

static void motion(const snBody *body, snBodyMeasure *m)
{
    const snSolidBody *solid = constSolidOf(body);
    const snLatticeModel *model = solid->model;
    const snBones *bones = solid->bones;
    const double *mass = bones ? bones->mass : model->mass;
    for (int i = 0; i < model->vertexCount; i++)
        addMass(m, mass[i], snRow(solid->state->position, i), snRow(solid->state->velocity, i));
    for (int i = 0; bones && i < bones->pointCount; i++)
        addMass(m, bones->points[i].mass, snBones_Point(bones, i), bones->speeds[i]);
    m->center = snScale(1 / m->mass, m->center);
    for (int i = 0; i < model->vertexCount; i++)
        addInertia(m, mass[i], snRow(solid->state->position, i));
    for (int i = 0; bones && i < bones->pointCount; i++)
        addInertia(m, bones->points[i].mass, snBones_Point(bones, i));
    if (!bones) m->kinetic = snLatticeState_KineticEnergy(model, solid->state, 0);
}

static double elastic(snBody *body)
{
    snSolidBody *solid = solidOf(body);
    solid->state->stiffness = *solid->factor; // of the whole, for this is the base
    return solid->model->linear ? snLinear_Energy(linearRung(solid), solid->state, 0)
                                : snLatticeState_ElasticEnergy(solid->model, solid->state, 0);
}

static void measure(snBody *body, snBodyMeasure *m)
{
    motion(body, m);
    m->elastic = elastic(body);
    m->volume = snBody_Volume(body);
}

static void stir(snBody *body, const snBodyStir *how)
{
    snSolidBody *solid = solidOf(body);
    snLatticeState *s = solid->state;
    for (int i = 0; i < solid->model->vertexCount; i++)
        snSetRow(s->velocity, i, snBodyStir_At(how, snRow(s->position, i), snRow(s->velocity, i)));
    if (solid->bones) snBones_Stir(solid->bones, how);
    snSpace_Settle(solid->model, solid->state);
}

static void setVelocity(snBody *body, snVec3 velocity, snVec3 spin)
{
    snSolidBody *solid = solidOf(body);
    snVec3 center = meanOf(solid, solid->state->position);
    for (int i = 0; i < solid->model->vertexCount; i++) {
        snVec3 arm = snSub(snRow(solid->state->position, i), center);
        snSetRow(solid->state->velocity, i, snAdd(velocity, snCross(spin, arm)));
    }
    if (solid->bones) snBones_SetVelocity(solid->bones, center, velocity, spin);
    snSpace_Settle(solid->model, solid->state);
}

static snVec3 vertexAt(const snBody *body, int vertex)
{
    const snSolidBody *solid = constSolidOf(body);
    snSolidBody_Show(solid);
    snVec3 sum = snSolidBody_SurfaceRow(solid, vertex, solid->state->position);
    if (solid->drawn.offset[1]) sum = snAdd(sum, solid->drawn.offset[1][vertex]);
    return sum;
}

// ---- state --------------------------------------------------------------------------------------

enum {
    PART_POINTS,
    PART_FACTOR,
    PART_SHAPE,
    PART_LEAD,
    PART_STATE,
    PART_CONTACTS,
    PART_CONSTRAINTS,
    PART_DETAIL,
    PARTS
};

// Those without data are saved by functions of their own.
static void listParts(const snSolidBody *solid, snSavedPart parts[PARTS])
{
    parts[PART_POINTS] =
        (snSavedPart){solid->points, (size_t)solid->body.mostPoints * sizeof *solid->points};
    parts[PART_FACTOR] = (snSavedPart){solid->factor, sizeof *solid->factor};
    parts[PART_SHAPE] =
        (snSavedPart){solid->shape, (size_t)solid->model->vertexCount * sizeof *solid->shape};
    parts[PART_LEAD] = (snSavedPart){solid->drawn.saved, solid->drawn.savedSize};
    parts[PART_STATE] = (snSavedPart){NULL, solid->state->blockSize};
    parts[PART_CONTACTS] =
        (snSavedPart){NULL, solid->contacts ? snLatticeContacts_SaveSize(solid->contacts) : 0};
    parts[PART_CONSTRAINTS] = (snSavedPart){
        NULL, solid->constraints ? snPointConstraints_SaveSize(solid->constraints) : 0};
    parts[PART_DETAIL] = (snSavedPart){solid->detail, solid->detail ? sizeof *solid->detail : 0};
}

static size_t saveSize(const snBody *body)
{
    snSavedPart parts[PARTS];
    listParts(constSolidOf(body), parts);
    return snSaved_Size(PARTS, parts);
}

static void save(const snBody *body, void *bytes)
{
    const snSolidBody *solid = constSolidOf(body);
    snSavedPart parts[PARTS];
    char *at = bytes;
    listParts(solid, parts);
    for (int k = 0; k < PARTS; at += parts[k++].size) {
        if (parts[k].data) memcpy(at, parts[k].data, parts[k].size);
        if (k == PART_LEAD) snSolidBody_HideOffsets(solid, at);
        if (k == PART_STATE) snLatticeState_Save(solid->state, at);
        if (k == PART_CONTACTS && parts[k].size) snLatticeContacts_Save(solid->contacts, at);
        if (k == PART_CONSTRAINTS && parts[k].size) snPointConstraints_Save(solid->constraints, at);
    }
}

// The rung that the border of what acts is of.
static const snLatticeModel *borderRung(const snSolidBody *solid)
{
    const snLadder *ladder = solid->ladder;
    for (int i = 0; ladder && i < ladder->count * ladder->lengthCount; i++)
        if (ladder->models[i] &&
            snLatticeModel_Fine(ladder->models[i])->scale == *solid->state->active.scale)
            return ladder->models[i];
    return solid->model;
}

static snStatus restore(snBody *body, const void *bytes, snError *error)
{
    snSolidBody *solid = solidOf(body);
    snSavedPart parts[PARTS];
    const char *at = bytes;
    snStatus status = SN_OK;
    listParts(solid, parts);
    for (int k = 0; k < PARTS; at += parts[k++].size) {
        if (parts[k].data) memcpy(parts[k].data, at, parts[k].size);
        if (k == PART_STATE) snLatticeState_Restore(solid->state, at);
        if (k == PART_CONTACTS && parts[k].size) snLatticeContacts_Restore(solid->contacts, at);
        if (k == PART_CONSTRAINTS && parts[k].size)
            status = snPointConstraints_Restore(solid->constraints, at, error);
    }
    if (snSolidBody_Adapts(solid)) solid->rung = borderRung(solid);
    if (solid->lead) solid->lead->restored(solid);
    snSolidBody_BeginDetail(solid);
    solid->drawn.stale = solid->detail && solid->detail->amount == 0;
    return status;
}

const snBodyKind snSolidBodyKind = {.name = "lattice",
                                    .destroy = snSolidBody_Destroy,
                                    .locate = snSolidBody_Locate,
                                    .forget = forget,
                                    .place = placeOf,
                                    .velocity = velocityOf,
                                    .column = columnOf,
                                    .row = rowTimes,
                                    .give = giveOf,
                                    .beyond = beyondOf,
                                    .impulseColumn = snSolidBody_ImpulseColumn,
                                    .strike = snSolidBody_Strike,
                                    .prepare = snSolidBody_Prepare,
                                    .begin = begin,
                                    .hold = hold,
                                    .pull = pull,
                                    .push = push,
                                    .advance = advance,
                                    .finish = finish,
                                    .setLevel = snSolidBody_SetLevel,
                                    .stirs = snSolidBody_Stirs,
                                    .pass = snSolidBody_Pass,
                                    .reserveFields = snSolidBody_ReserveFields,
                                    .act = snSolidBody_Act,
                                    .put = put,
                                    .carry = snSolidBody_Carry,
                                    .go = snSolidBody_Go,
                                    .pose = snSolidBody_TakePose,
                                    .setVelocity = setVelocity,
                                    .vertex = vertexAt,
                                    .measure = measure,
                                    .motion = motion,
                                    .elastic = elastic,
                                    .stir = stir,
                                    .isFree = flewFree,
                                    .isTaut = isTaut,
                                    .leans = leans,
                                    .rows = snSolidBody_Rows,
                                    .controls = snSolidBody_Controls,
                                    .saveSize = saveSize,
                                    .save = save,
                                    .restore = restore,
                                    .join = snSolidBody_Join,
                                    .tie = snSolidGroup_Tie,
                                    .advanceGroup = snSolidGroup_Advance,
                                    .destroyGroup = snSolidGroup_Destroy,
                                    .joins = snSolidBody_Joins,
                                    .partner = snSolidGroup_Partner,
                                    .meeting = &snSolidMeeting};
