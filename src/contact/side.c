#include "contact/side.h"

#include "geometry/edges.h"

#include <math.h>

#define FACING (-0.05)  // n . N of surfaces that face each other, at most
#define CLEARLY (-0.5)  // that of a single face at an edge, at most
#define BACK 0.5        // that of surfaces that came through each other from behind, at least
#define CORNER 1e-6     // weights below are those of an edge or a corner
#define MOST_AROUND 256 // triangles at a corner

// N at a place of a triangle, at the step's end: that of the face, or of the corners that it lies between.
static snVec3 outward(const snShell *shell, const snShellSpot *spot)
{
    snVec3 sum = {0, 0, 0};
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        snVec3 corner = shell->cornerNormals[shell->triangles[3 * spot->triangle + k]];
        inside = inside && spot->barycentric[k] >= CORNER;
        if (spot->barycentric[k] >= CORNER)
            sum = snMulAdd(sum, spot->barycentric[k], snNormalizeOr(corner, snVec(0, 0, 0)));
    }
    return inside ? shell->faceNormals[spot->triangle] : snNormalizeOr(sum, snVec(0, 0, 0));
}

// ---- faces round a place ------------------------------------------------------------------------

typedef struct Turn {
    const snShell *shell;
    snVec3 n;
    double least; // n . N of a face
} Turn;

static void tryFace(Turn *turn, int side)
{
    turn->least = fmin(turn->least, snDot(turn->shell->faceNormals[side / 3], turn->n));
}

// The side that goes out from the same corner in the next triangle round it, or -1.
static int sideAround(const snShell *shell, int side, bool back)
{
    if (!back) return shell->twin[snNextCorner(snNextCorner(side))];
    return shell->twin[side] < 0 ? -1 : snNextCorner(shell->twin[side]);
}

static void tryAround(Turn *turn, int first)
{
    int side = first;
    for (int k = 0; k < MOST_AROUND && side >= 0; k++) {
        tryFace(turn, side);
        side = sideAround(turn->shell, side, false);
        if (side == first) return;
    }
    side = sideAround(turn->shell, first, true); // there is a border
    for (int k = 0; k < MOST_AROUND && side >= 0; k++) {
        tryFace(turn, side);
        side = sideAround(turn->shell, side, true);
    }
}

// Whether a face at an edge or a corner clearly faces n.
static bool hasFace(const snShell *shell, const snShellSpot *spot, snVec3 n)
{
    Turn turn = {.shell = shell, .n = n};
    int first = 3 * spot->triangle, on[3], count = 0;
    for (int k = 0; k < 3; k++)
        if (spot->barycentric[k] >= CORNER) on[count++] = k;
    if (count == 1) tryAround(&turn, first + on[0]);
    if (count == 2) {
        int side = first + (on[1] == on[0] + 1 ? on[0] : on[1]);
        tryFace(&turn, side);
        if (shell->twin[side] >= 0) tryFace(&turn, shell->twin[side]);
    }
    return turn.least < CLEARLY;
}

// ---- looking --------------------------------------------------------------------------------------

typedef struct Search {
    const snShell *shell;
    snVec3 place;
    const snVec3 *facing;
    int triangle; // found, or -1
    double distance;
} Search;

static bool visitTriangle(int t, void *context)
{
    Search *s = context;
    snVec3 normal = s->shell->faceNormals[t];
    if (s->facing && !(snDot(normal, *s->facing) < FACING)) return true;
    snVec3 away =
        snSub(s->place,
              snClosestOnTriangle(s->place, snShell_Triangle(s->shell, t, s->shell->end), NULL));
    if (!s->facing && !(snDot(away, normal) < 0)) return true;
    double distance = snLength(away);
    bool better = distance < s->distance || (distance == s->distance && t < s->triangle);
    if (better) s->triangle = t, s->distance = distance;
    return true;
}

bool snShell_NearestFacing(const snShell *shell, snVec3 place, double reach, const snVec3 *facing,
                           snTouch *touch)
{
    Search s = {shell, place, facing, .triangle = -1, .distance = INFINITY};
    snTree_Overlap(&shell->tree.tree, snBox_Around(place, reach), visitTriangle, &s);
    if (s.triangle < 0) return false;
    *touch = (snTouch){.triangle = s.triangle, .distance = s.distance};
    touch->point = snClosestOnTriangle(place, snShell_Triangle(shell, s.triangle, shell->end),
                                       touch->barycentric);
    return true;
}

bool snShell_Faces(const snShell *shell, const snSideAsk *ask, snTouch *touch)
{
    if (!ask->own || ask->spot.triangle < 0) return true;
    snVec3 own = outward(ask->own, &ask->spot);
    if (!(snLengthSquared(own) > 0) || snDot(own, touch->normal) < FACING) return true;
    if (hasFace(ask->own, &ask->spot, touch->normal)) return true;
    if (!(touch->distance < 0)) return false; // what is near is behind its own surface
    snVec3 from = snAdd(ask->from, touch->move);
    bool wasIn = snDot(touch->normal, snSub(from, touch->point)) < 0;
    // Through what it came in this step it is to go out again, if it did not come with its back to it.
    if (!wasIn) return snDot(own, touch->normal) < BACK;
    if (!snShell_NearestFacing(shell, ask->to, ask->deep, &own, touch)) return false;
    touch->normal = shell->faceNormals[touch->triangle];
    touch->distance = snDot(touch->normal, snSub(ask->to, touch->point));
    return true;
}
