// A body against itself, by its surface. A sample is at x at the step's begin, where nothing overlaps, and
// what it may touch are triangles that were far from it at rest: nearer ones are of the same place, and
// bend with it. Of those the one counts that is nearest at the begin, if x is in front of it; at an edge the
// one that faces x more. The gap is
// from the plane of that triangle at the first guess, so that a sample cannot come behind it within a
// step, however thin the body is there.
#include "body/lattice/island_parts.h"

#include "body/lattice/contact_parts.h"
#include "core/tasks.h"

#define GRAIN 128   // samples per piece of a parallel loop
#define NEAR 3      // reaches: what is nearer than this at rest is of the same place
#define FACING 0.5  // of the way in front of a triangle: how much nearer it counts
#define BEHIND 0.25 // of a reach: as far behind a triangle a sample still counts as in front of it

typedef struct Search {
    const snIslandBody *body;
    int sample;
    snVec3 from;
    double most;  // how far away it can be at the step's begin
    int triangle; // found, or -1
    double score;
} Search;

static bool visitTriangle(int t, void *context)
{
    Search *s = context;
    const snShell *shell = s->body->collider.shell;
    const snLatticeContacts *c = s->body->contacts;
    snTriangle begin = snShell_Triangle(shell, t, shell->begin);
    snVec3 nearest = snClosestOnTriangle(s->from, begin, NULL), away = snSub(s->from, nearest);
    snVec3 normal = snNormalizeOr(snTriangle_AreaVector(begin), snVec(0, 0, 0));
    double front = snDot(away, normal), score = snLength(away) - FACING * front;
    if (s->triangle >= 0 && (score > s->score || (score == s->score && t > s->triangle)))
        return true;
    if (!(front > -BEHIND * c->reach) || snLength(away) > s->most) return true;
    snTriangle rest = snShell_Triangle(shell, t, s->body->rest);
    snVec3 atRest = c->rest[s->sample];
    if (snDistance(atRest, snClosestOnTriangle(atRest, rest, NULL)) < NEAR * c->reach) return true;
    s->triangle = t;
    s->score = score;
    return true;
}

static void findSample(const snIslandLook *look, int sample)
{
    snIslandBody *body = look->own;
    const snLatticeContacts *c = body->contacts;
    const snShell *shell = body->collider.shell;
    snVec3 to = c->place[sample], from = snSampleBegin(c, sample);
    double reach = c->reach + c->sway, most = reach + snDistance(from, to) + shell->moved;
    Search s = {.body = body, .sample = sample, .from = from, .most = most, .triangle = -1};
    snBox way = {snMin(from, to), snMax(from, to)};
    snTree_Overlap(&shell->tree.tree, snBox_Grow(way, reach + shell->moved), visitTriangle, &s);
    if (s.triangle < 0) return;
    snTriangle end = snShell_Triangle(shell, s.triangle, shell->end);
    snTouch touch = {.triangle = s.triangle,
                     .normal = snNormalizeOr(snTriangle_AreaVector(end), snVec(0, 0, 0))};
    touch.point = snClosestOnTriangle(to, end, touch.barycentric);
    touch.distance = snDot(touch.normal, snSub(to, touch.point));
    // Beside the triangle it neither is in front of it nor went through.
    snVec3 beside = snAlongSurface(snSub(to, touch.point), touch.normal);
    bool touches = touch.distance <= reach && snLength(beside) <= c->reach;
    if (touches && snLengthSquared(touch.normal) > 0) snIsland_KeepTouch(look, sample, &touch);
}

static void findPiece(int begin, int end, int worker, void *context)
{
    (void)worker;
    const snIslandLook *look = context;
    const snLatticeContacts *c = look->own->contacts;
    for (int s = begin; s < end; s++)
        if (c->stiffness[s] > 0 && snIsFinite3(c->place[s]) && !snIsland_IsTied(look, s))
            findSample(look, s);
}

void snIsland_LookAtItself(const snIslandLook *look)
{
    const snIslandBody *body = look->own;
    snIslandLook copy = *look;
    snParallelFor(&body->model->context.tasks, body->contacts->early, GRAIN, findPiece, &copy);
}
