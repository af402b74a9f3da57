// What a search has left inside of another body. Records say which way samples came, and by rules that keep rims and edges
// from being pushed the wrong way (island_side.c, contact_find.c); flesh that gives way within a fast step turns, and then a rule may
// leave out a sample that came in after all. So when the search has ended, samples are asked for without any: what the other's
// surface goes round is in it, and goes out where that is nearest.
//
// The sign of a distance is not enough here. Where a surface is folded and overlaps itself, the triangle that is nearest may
// face inward, and what is in front of it would be pushed into the fold; or what is inside has a front nearest. The winding
// number is exact, and asked for those alone that are near the surface. It falls by one where a triangle is passed from behind: so
// the way out is to the nearest triangle that the sample is behind.
#include "body/lattice/island_parts.h"

#include "body/lattice/contact_parts.h"
#include "core/tasks.h"
#include "geometry/winding.h"

#define GRAIN 128  // samples per piece of a parallel loop
#define LEAST 0.01 // of a reach: what is less deep is out
#define MOST 4     // reaches: what is deeper is a matter for later steps
#define NEAR 1     // reach: of what seems to be outside only so much is asked about

// Of a sample's records with the other one that pushes it, to where it is out.
static bool isPushed(const snIslandLook *look, int sample)
{
    snLatticeContacts *c = look->own->contacts;
    snContactRecord *own = c->records + (size_t)sample * (size_t)(c->touches + 1);
    bool pushed = false;
    for (int k = 0; k < c->found[sample]; k++) {
        snContactRecord *r = &own[k];
        if (r->who != SN_CONTACT_BODY + look->other) continue;
        snVec3 place = snRecordPlace(c, r, c->state->next, r->other->state->next);
        double gap = snDot(r->normal, place) + r->constant;
        if (gap < 0) r->thick = fmax(r->thick, 0); // it was to creep out, for it was deeper
        pushed |= gap < r->thick;
    }
    return pushed;
}

// The nearest place at which a sample that is inside comes out.
static bool findWayOut(const snShell *shell, snVec3 place, double reach, snTouch *touch)
{
    if (!snShell_NearestFacing(shell, place, MOST * reach, NULL, touch)) return false;
    double deep = touch->distance;
    if (!(deep > LEAST * reach && deep < MOST * reach)) return false;
    touch->distance = -deep;
    touch->normal = snScale(1 / deep, snSub(touch->point, place));
    return true;
}

static void lookPiece(int begin, int end, int worker, void *context)
{
    (void)worker;
    const snIslandLook *look = context;
    const snLatticeContacts *c = look->own->contacts;
    const snIslandBody *other = &look->island->bodies[look->other];
    const snShell *shell = other->collider.shell;
    for (int s = begin; s < end; s++) {
        snVec3 x = c->place[s];
        snTouch touch;
        if (!(c->stiffness[s] > 0) || !snIsFinite3(x) || c->plan[s] > 0) continue;
        if (!snBox_Contains(other->box, x) || snIsland_IsTied(look, s)) continue;
        if (!snCollider_Query(&other->collider, x, NEAR * c->reach, &touch)) continue;
        if (!(fabs(snMesh_Winding(&shell->tree.mesh, x)) > 0.5)) continue;
        if (!isPushed(look, s) && findWayOut(shell, x, c->reach, &touch))
            snIsland_KeepTouch(look, s, &touch);
    }
}

void snIsland_LookForLeft(snIslandLook *look)
{
    const snIslandBody *body = look->own;
    if (!look->island->bodies[look->other].collider.shell->closed) return;
    look->last = true;
    snParallelFor(&body->model->context.tasks, body->contacts->sampleCount, GRAIN, lookPiece, look);
    look->last = false;
}
