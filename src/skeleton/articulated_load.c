// What acts on links and in joints.
//
// A drive draws a ball toward `target` with the torque -k θ - c (u - u_t), θ = log(target⁻¹ q) the
// rotation vector that is left and u the spin, both in the link's frame. -k θ is the negative gradient of
// ½ k |θ|². At a step's end θ is θ + h u', and u' = u + h y:
//     τ = -k (θ + h u) - c (u - u_t) - (h² k + h c) y.
// The last term goes into the matrix (K of articulated_solve.c); it is diagonal by links, so that the
// cost stays what it is, and any k and c can be stepped over.
//
// Limits: where a coordinate of the range is past its end by v there is ½ k v², whose gradient is along
// b, the dual of the axis by which the coordinate turns the joint: τ = -k (v + h b·u) b - h² k b bᵀ y.
#include "skeleton/articulated_parts.h"

#include "core/elementary.h"

#include <string.h>

// Minus weight and pushes of a link, about its joint.
static snSpatial stillForce(const snLink *link, const snLinkPlace *place, snSpatial push,
                            snVec3 gravity)
{
    snVec3 weight = snScale(link->def.mass, gravity);
    return (snSpatial){snNeg(snAdd(snCross(place->mass, weight), push.turn)),
                       snNeg(snAdd(weight, push.move))};
}

// Gyroscopic force of the link about its joint: ω × Jω with J about the centre of mass, and m ω × (ω × c) there.
static snSpatial gyroForce(const snLink *link, const snLinkPlace *place)
{
    snVec3 w = place->velocity.turn;
    snSpatial force = {snCross(w, snMulMV(place->inertia, w)),
                       snScale(link->def.mass, snCross(w, snCross(w, place->mass)))};
    return snForceFrom(force, place->mass);
}

void snTree_LoadStill(const snArticulated *tree, snArticulatedState *s, snVec3 gravity)
{
    for (int l = 0; l < tree->linkCount; l++) {
        snSpatial motion = s->loads[l].motion; // of driven roots it is given
        s->loads[l] =
            (snLinkLoad){.force = stillForce(&tree->links[l], &s->places[l], s->push[l], gravity),
                         .motion = motion};
    }
}

void snTree_LoadForces(const snArticulated *tree, snArticulatedState *s, snVec3 gravity)
{
    snTree_LoadStill(tree, s, gravity);
    for (int l = 0; l < tree->linkCount; l++) {
        const snLinkPlace *place = &s->places[l];
        snLinkLoad *load = &s->loads[l];
        int parent = tree->links[l].def.parent;
        load->force = snAddS(load->force, gyroForce(&tree->links[l], place));
        if (parent < 0) continue;
        snVec3 w = s->places[parent].velocity.turn;
        load->extra.turn = snCross(w, place->relative);
        load->extra.move = snCross(w, snCross(w, place->arm));
    }
}

static void addStop(snLinkStops *stops, const snJointRange *range, int i, double angle,
                    snVec3 along)
{
    double past = angle > range->high[i] ? angle - range->high[i] : 0;
    if (angle < range->low[i]) past = angle - range->low[i];
    if (past == 0) return;
    stops->past[stops->count] = past;
    stops->along[stops->count++] = along;
}

static snLinkStops stopsOf(const snLink *link, const snLinkState *state)
{
    const snJointRange *range = &link->def.range;
    snLinkStops stops = {.known = true, .turned = state->rotation};
    if (!range->limited) return stops;
    if (link->def.kind == SN_LINK_HINGE) {
        addStop(&stops, range, 0, state->angle, snVec(1, 0, 0));
        return stops;
    }
    double angles[3];
    snVec3 axes[3];
    snJointRange_Read(range, link->def.rest, state->rotation, angles);
    snJointRange_Axes(range, link->def.rest, angles, axes);
    snMat3 frame = {axes[0], axes[1], axes[2]};
    double det = snDet(frame);
    if (fabs(det) < 1e-3) return stops; // near a swing of half a turn
    snMat3 dual = snScaleM(1 / det, snCofactor(frame));
    const snVec3 duals[3] = {dual.cx, dual.cy, dual.cz};
    for (int i = 0; i < 3; i++)
        addStop(&stops, range, i, angles[i], snRotate(snConjugate(state->rotation), duals[i]));
    return stops;
}

// A step with contacts, and its energy, ask several times where a ball stands, at one rotation: it is found once.
static const snLinkStops *ballStops(const snLink *link, const snLinkState *state, snLinkStops *last)
{
    if (!last->known || memcmp(&last->turned, &state->rotation, sizeof last->turned))
        *last = stopsOf(link, state);
    return last;
}

// `late` seconds before the target is to be where it is given.
static snVec3 offOf(const snJointDrive *drive, const snLinkState *state, double late)
{
    snQuat target = snNormalizeQ(drive->target);
    if (late > 0) target = snMulQQ(target, snQuatFromVector(snScale(-late, drive->spin)));
    return snTurnFromTo(target, state->rotation);
}

static void loadBall(const snLink *link, snArticulatedState *s, int l, double h)
{
    const snLinkState *state = &s->links[l];
    const snJointDrive *drive = &s->drives[l];
    double k = drive->stiffness, c = drive->damping;
    snJointStiff *stiff = &s->stiff[l];
    snVec3 torque = snVec(0, 0, 0);
    if (k != 0) torque = snScale(-k, snMulAdd(offOf(drive, state, s->late), h, state->spin));
    torque = snMulAdd(torque, -c, snSub(state->spin, drive->spin));
    stiff->ball = snScaleM(h * h * k + h * c, snIdentity3());
    snLinkStops stops = {0};
    if (drive->limits > 0) stops = *ballStops(link, state, &s->stops[l]);
    for (int i = 0; i < stops.count; i++) {
        snVec3 b = stops.along[i], out = snTree_Outward(&s->places[l], b);
        double past = stops.past[i] + h * snDot(b, state->spin);
        torque = snMulAdd(torque, -drive->limits * past, b);
        stiff->ball = snAddMM(stiff->ball, snScaleM(h * h * drive->limits, snOuter(out, out)));
    }
    s->loads[l].torque = snTree_Outward(&s->places[l], torque);
}

static void loadHinge(const snLink *link, snArticulatedState *s, int l, double h)
{
    const snLinkState *state = &s->links[l];
    const snJointDrive *drive = &s->drives[l];
    double k = drive->stiffness, c = drive->damping, rate = state->spin.x;
    double off = state->angle - drive->angle + s->late * drive->spin.x;
    double torque = -k * (off + h * rate) - c * (rate - drive->spin.x);
    s->stiff[l].hinge = h * h * k + h * c;
    snLinkStops stops = {0};
    if (drive->limits > 0) stops = stopsOf(link, state);
    for (int i = 0; i < stops.count; i++) {
        torque -= drive->limits * (stops.past[i] + h * rate);
        s->stiff[l].hinge += h * h * drive->limits;
    }
    s->loads[l].torque = snVec(torque, 0, 0);
}

snSpatial snTree_RootDrive(const snArticulatedState *s, int l, double h)
{
    const snLinkState *state = &s->links[l];
    const snJointDrive *drive = &s->drives[l];
    snSpatial force = {{0, 0, 0}, {0, 0, 0}};
    if (drive->stiffness + drive->damping + drive->pull + drive->drag == 0) return force;
    snVec3 turn =
        snScale(-drive->stiffness, snMulAdd(offOf(drive, state, s->late), h, state->spin));
    turn = snMulAdd(turn, -drive->damping, snSub(state->spin, drive->spin));
    snVec3 place = snMulAdd(drive->place, -s->late, drive->velocity);
    snVec3 off = snMulAdd(snSub(state->place, place), h, state->velocity);
    force.turn = snTree_Outward(&s->places[l], turn);
    force.move =
        snMulAdd(snScale(-drive->pull, off), -drive->drag, snSub(state->velocity, drive->velocity));
    return force;
}

static void loadRoot(snArticulatedState *s, int l, double h)
{
    const snJointDrive *drive = &s->drives[l];
    s->loads[l].force = snAddS(s->loads[l].force, snScaleS(-1, snTree_RootDrive(s, l, h)));
    s->stiff[l].ball = snScaleM(h * h * drive->stiffness + h * drive->damping, snIdentity3());
    s->stiff[l].place = h * h * drive->pull + h * drive->drag;
}

void snTree_LoadDrives(const snArticulated *tree, snArticulatedState *s, double h)
{
    for (int l = 0; l < tree->linkCount; l++) {
        const snLink *link = &tree->links[l];
        s->stiff[l] = (snJointStiff){0};
        s->loads[l].torque = snVec(0, 0, 0);
        if (link->def.kind == SN_LINK_BALL) loadBall(link, s, l, h);
        if (link->def.kind == SN_LINK_HINGE) loadHinge(link, s, l, h);
        if (link->def.kind == SN_LINK_FREE) loadRoot(s, l, h);
    }
}

double snTree_DriveEnergy(const snArticulated *tree, const snArticulatedState *s)
{
    double sum = 0;
    for (int l = 0; l < tree->linkCount; l++) {
        const snLink *link = &tree->links[l];
        const snJointDrive *drive = &s->drives[l];
        double off = 0;
        if (link->def.kind == SN_LINK_FREE && drive->pull > 0)
            sum += 0.5 * drive->pull * snLengthSquared(snSub(s->links[l].place, drive->place));
        bool ball = link->def.kind == SN_LINK_BALL || link->def.kind == SN_LINK_FREE;
        if (ball && drive->stiffness != 0)
            off = snLength(offOf(drive, &s->links[l], 0));
        else if (link->def.kind == SN_LINK_HINGE)
            off = s->links[l].angle - drive->angle;
        else if (!ball)
            continue;
        sum += 0.5 * drive->stiffness * off * off;
        if (!(drive->limits > 0)) continue;
        snLinkStops stops =
            ball ? *ballStops(link, &s->links[l], &s->stops[l]) : stopsOf(link, &s->links[l]);
        for (int i = 0; i < stops.count; i++)
            sum += 0.5 * drive->limits * stops.past[i] * stops.past[i];
    }
    return sum;
}
