// What bodies of different models must not gain by meeting in long steps. Each model counts its own long steps (solid_watch.c, coat_pay.c) unless
// something is at it that it does not know, and what it meets is such a thing. So those that met are counted here, together, with
//
//     E = Σ kinetic + elastic - M g . c
//
// before and after a step: E' > E is more than rounds and polishing may leave. It comes of bodies that went far into each other before anybody
// saw it, and are thrown out. It is paid by the motion, by √(1 - X/T) of all velocities for an excess X of the kinetic energy T, as if they had met
// without bouncing; then by the flesh of coats, which is put out of what it is in whatever that takes, and stays in it as deep as that was. What
// other flesh holds beyond has no such way out: that step was not computed. All that met is put back, still, and reports say so.
//
// Counted where one of them goes farther in the step than a share of its size, or would fall so far, or has flesh for which the step is long, and
// nothing but standing colliders is at them: no ties, attachments, hands, fields, clips.
#include "world/meet.h"

#include <string.h>

#define FAST 0.2        // of its size in a step
#define GAIN 0.05       // of the energy of motion, in a step
#define LEAST_GAIN 4e-4 // J/kg: what moves by three centimetres per second does not matter
#define STRAINED 2      // times all the energy there was: more than flesh may hold

static bool isMoving(const snWorld *world)
{
    for (int k = 0; k < world->frame.count; k++) {
        const snCollider *c = &world->frame.data[k];
        if (memcmp(&c->begin, &c->end, sizeof c->begin)) return true;
    }
    return false;
}

static bool isHeld(const snWorld *world)
{
    bool held = false;
    for (int i = 0; i < world->attachments.count; i++)
        held |= world->held.data[i].acts != 0;
    for (int i = 0; i < world->def.mostGrabs; i++)
        held |= world->grabs[i].used != 0;
    return held;
}

// Who met others, or is of a group of one that did.
static void markParts(const snMeet *meet)
{
    snWorldGroup *groups = meet->world->groups.data;
    for (int i = 0; i < meet->count; i++)
        if (meet->bodies[i].group > 0) groups[meet->bodies[i].group - 1].met = false;
    for (int i = 0; i < meet->count; i++)
        if (meet->bodies[i].group > 0)
            groups[meet->bodies[i].group - 1].met |= meet->bodies[i].used;
    for (int i = 0; i < meet->count; i++) {
        snMeetBody *b = &meet->bodies[i];
        b->part = b->used || (b->group > 0 && groups[b->group - 1].met);
    }
}

static bool isFast(const snBodyMeasure *motion, double size, double h, snVec3 gravity)
{
    double speed = sqrt(2 * motion->kinetic / motion->mass);
    return h * (speed + h * snLength(gravity)) > FAST * size;
}

static snVec3 gravityOf(const snWorld *world)
{
    double end = (double)(world->ticks + world->length) * world->def.step;
    return snAdd(snWorld_Gravity(world, end), world->push);
}

void snMeet_Count(snMeet *meet)
{
    snWorld *world = meet->world;
    double h = world->length * world->def.step;
    bool fast = false;
    meet->counted = false;
    if (world->fields.count || isHeld(world) || isMoving(world)) return;
    for (int i = 0; i < meet->count; i++)
        fast |= !snWorld_Sleeps(world, i) &&
                isFast(&world->before.data[i], meet->bodies[i].size, h, gravityOf(world));
    for (int i = 0; i < meet->count; i++)
        fast |= !snWorld_Sleeps(world, i) && snBody_IsTaut(meet->bodies[i].body, h);
    meet->counted = fast;
    for (int i = 0; i < meet->count && fast; i++)
        if (!snWorld_Sleeps(world, i))
            world->before.data[i].elastic = snBody_Elastic(meet->bodies[i].body);
}

// Nothing leads those that met, and none of them slept.
static bool isLeftAlone(const snMeet *meet)
{
    snAffine stands;
    for (int i = 0; i < meet->count; i++) {
        snBody *body = meet->bodies[i].body;
        if (!meet->bodies[i].part) continue;
        if (snWorld_Sleeps(meet->world, i) || body->over || snBody_Go(body, NULL, &stands))
            return false;
    }
    return !meet->tieCount;
}

typedef struct Sum {
    double had, kinetic, elastic; // J; of what there was, as much as is left at the present height
    double allowed;
} Sum;

static Sum addUp(const snMeet *meet, snVec3 gravity)
{
    Sum sum = {0};
    for (int i = 0; i < meet->count; i++) {
        snBodyMeasure after;
        const snBodyMeasure *before = &meet->world->before.data[i];
        if (!meet->bodies[i].part) continue;
        snBody_Motion(meet->bodies[i].body, &after);
        sum.had += before->kinetic + before->elastic +
                   before->mass * snDot(gravity, snSub(after.center, before->center));
        sum.kinetic += after.kinetic;
        sum.elastic += snBody_Elastic(meet->bodies[i].body);
        sum.allowed += GAIN * before->kinetic + LEAST_GAIN * before->mass;
    }
    return sum;
}

static void slowDown(snMeet *meet, double share)
{
    for (int i = 0; i < meet->count; i++)
        if (meet->bodies[i].part) snBody_Stir(meet->bodies[i].body, &(snBodyStir){.share = share});
}

// What flesh gained that is put out of others whatever that takes: each of it its share. Returns how much was given up.
static double relax(const snMeet *meet, double excess)
{
    double gained = 0, given = 0;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < meet->count; i++) {
            snBody *body = meet->bodies[i].body;
            bool gives = meet->bodies[i].part && body->kind->relax;
            double gain = gives ? snBody_Elastic(body) - meet->world->before.data[i].elastic : 0;
            if (gain > 0 && round) given += snBody_Relax(body, fmin(1, excess / gained) * gain);
            if (gain > 0 && !round) gained += gain;
        }
    return given;
}

static void putBack(snMeet *meet)
{
    for (int i = 0; i < meet->count; i++)
        if (meet->bodies[i].part) snBody_Restore(meet->bodies[i].body, meet->bodies[i].saved, NULL);
    slowDown(meet, 0);
    for (int r = 0; r < meet->rowCount; r++) {
        snMeetRow *row = &meet->rows[r];
        row->impulse = row->solved = row->last = row->turn = snVec(0, 0, 0);
    }
    meet->failed = true;
}

void snMeet_Pay(snMeet *meet)
{
    if (!meet->counted) return;
    markParts(meet);
    if (!isLeftAlone(meet)) return;
    Sum sum = addUp(meet, gravityOf(meet->world));
    double excess = sum.kinetic + sum.elastic - sum.had;
    if (excess <= sum.allowed) return; // also where there is nothing to be said of it
    if (excess > sum.kinetic) {
        double given = relax(meet, excess - sum.kinetic);
        excess -= given;
        sum.elastic -= given;
    }
    if (!(sum.elastic <= STRAINED * fmax(0, sum.had) + sum.allowed))
        putBack(meet);
    else
        slowDown(meet, sqrt(fmax(0, 1 - excess / sum.kinetic)));
}

void snMeet_ReportFailure(const snMeet *meet)
{
    for (int i = 0; i < meet->count; i++)
        if (meet->bodies[i].part) meet->world->reports.data[i].failed = true;
}
