#include "body/coat/coating.h"

#include <math.h>

// Skins at branches: what a branch grows from reaches into it.
//
// Elements keep apart, so between a trunk's flesh and that of its limbs there is a stretch that has skin alone, rings of control points fixed to
// the trunk's joints. By the trunk's own section they leave a notch at every hip and shoulder. Here they bulge into the branch: let
// its flesh begin with the radius R about the point q of its axis. A ring about c with the axis a, cut by that ball in a
// disc of radius ρ, ρ² = R² - ((q - c)·a)², with the middle o off the axis, goes in the direction u as far as the disc does,
//     t = o·u + sqrt(ρ² - |o|² + (o·u)²),
// where that is farther than it did. Such a ring stands at every joint within a chain that branches begin at. Where a chain begins or ends at a branch one more ring stands over the beginnings of its branches, and
// the chain's end beyond them: a person gets a pelvis. Elements, their masses and contacts are as they were.

#define REACH 0.92     // of a branch's radius: its own skin lies outside
#define MOST_LAP 2.5   // radii beyond the end of its chain that the last ring stands at most
#define CLOSE 0.01     // of a link's length: two joints are in one place
#define END_BEYOND 0.6 // radii of branches, from that ring to the chain's end

// Joints that belong together often stand in one place: places tell who meets, not their numbers.
static bool isAt(snVec3 a, snVec3 b, const snCoatTube *tube)
{
    return snDistance(a, b) < CLOSE * tube->length;
}

static snVec3 tailOf(const snCoatTube *tube)
{
    return snMulAdd(tube->head, tube->length, tube->axis);
}

// The link that branches at a place grow from: one that comes there, else the thickest that begins there.
static int trunkAt(const snCoatPlan *plan, const snCoatTube *tubes, snVec3 place)
{
    int best = -1;
    for (int k = 0; k < plan->linkCount; k++)
        if (isAt(tailOf(&tubes[k]), place, &tubes[k])) return k;
    for (int k = 0; k < plan->linkCount; k++) {
        if (!isAt(tubes[k].head, place, &tubes[k])) continue;
        if (best < 0 || plan->links[k].width[0] * plan->links[k].depth[0] >
                            plan->links[best].width[0] * plan->links[best].depth[0])
            best = k;
    }
    return best;
}

// Where the flesh of the branch that begins with link k begins itself.
static snCoatBranch branchOf(const snCoatPlan *plan, const snCoatTube *tubes, int k)
{
    snVec3 begin = tubes[k].head;
    while (plan->links[k].bare && snCoatPlan_Behind(plan, k) >= 0)
        k = snCoatPlan_Behind(plan, k);
    const snCoatLinkDef *link = &plan->links[k];
    double at = link->bare ? 0 : link->from;
    double w = link->width[0] + at * (link->width[1] - link->width[0]);
    double d = link->depth[0] + at * (link->depth[1] - link->depth[0]);
    return (snCoatBranch){.begin = begin,
                          .chain = link->chain,
                          .place = snMulAdd(tubes[k].head, at * tubes[k].length, tubes[k].axis),
                          .radius = REACH * sqrt(w * d)};
}

int snCoatPlan_Branches(const snCoatPlan *plan, const snCoatTube *tubes, snCoatBranch *branches)
{
    int count = 0;
    for (int k = 0; k < plan->linkCount; k++) {
        if (snCoatPlan_Before(plan, k) >= 0) continue;
        int trunk = trunkAt(plan, tubes, tubes[k].head);
        if (trunk < 0 || plan->links[trunk].chain == plan->links[k].chain) continue;
        branches[count] = branchOf(plan, tubes, k);
        branches[count++].trunk = plan->links[trunk].chain;
    }
    return count;
}

void snCoatBranch_Bulge(const snCoatBranch *branch, const snCoatPlan *plan, snVec3 center,
                        snVec3 axis, snVec3 *ring)
{
    snVec3 to = snSub(branch->place, center);
    double high = snDot(to, axis), square = branch->radius * branch->radius - high * high;
    if (!(square > 0)) return;
    snVec3 off = snMulAdd(to, -high, axis);
    for (int c = 0; c < plan->round; c++) {
        snVec3 d = snSub(ring[c], center);
        d = snMulAdd(d, -snDot(d, axis), axis);
        double is = snLength(d);
        if (!(is > 0)) continue;
        snVec3 out = snScale(1 / is, d);
        double along = snDot(off, out), root = square - snLengthSquared(off) + along * along;
        if (!(root > 0)) continue;
        double far = (along + sqrt(root)) / snSplineShape_Shrink(&plan->spline, plan->round);
        if (far > is) ring[c] = snMulAdd(ring[c], far - is, out);
    }
}

bool snCoatPlan_Saddle(const snCoatPlan *plan, const snCoatTube *tubes, int count,
                       const snCoatBranch *branches, int k)
{
    const snCoatLinkDef *link = &plan->links[k];
    if (link->to == 1 || snCoatPlan_Behind(plan, k) < 0) return false;
    for (int i = 0; i < count; i++)
        if (branches[i].trunk == link->chain &&
            isAt(branches[i].begin, tailOf(&tubes[k]), &tubes[k]))
            return true;
    return false;
}

// Along the axis of link k at its chain's end: the middle of its branches there, and how far their radii reach beyond.
bool snCoatPlan_Lap(const snCoatPlan *plan, const snCoatTube *tubes, int count,
                    const snCoatBranch *branches, int k, int end, double *ring, double *pole)
{
    const snCoatLinkDef *link = &plan->links[k];
    const snCoatTube *tube = &tubes[k];
    snVec3 here = end ? tailOf(tube) : tube->head;
    int found = 0;
    double sum = 0, radius = 0, sign = end ? 1 : -1;
    if ((end ? snCoatPlan_Behind(plan, k) : snCoatPlan_Before(plan, k)) >= 0) return false;
    for (int i = 0; i < count; i++) {
        if (branches[i].trunk != link->chain || !isAt(branches[i].begin, here, tube)) continue;
        sum += snDot(snSub(branches[i].place, tube->head), tube->axis);
        radius += branches[i].radius;
        found++;
    }
    if (!found) return false;
    double most = MOST_LAP * fmax(link->width[end], link->depth[end]);
    double from = end ? tube->length : 0, beyond = sign * (sum / found - from);
    if (!(beyond > 0)) return false;
    *ring = from + sign * fmin(beyond, most);
    *pole = *ring + sign * END_BEYOND * radius / found;
    return true;
}
