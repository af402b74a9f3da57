// On which side of another body a sample touches it. The way out that is nearest is the wrong one at rims: of two
// plates that lie on each other and overlap a little, a corner of the upper one is nearer to the other's side
// than to its top, and would be pushed along instead of up. But surfaces that touch face each other. So with N the
// outward normal of the sample's own surface and n that of what it touches, n . N must be below 0; else what
// counts is the nearest triangle of which that is true, or none.
#include "body/lattice/island_parts.h"

#include "body/lattice/contact_parts.h"
#include "core/error.h"

#define FACING (-0.05) // n . N of surfaces that face each other, at most
#define CORNER 1e-6    // weights below are those of an edge or a corner
#define DEEP 4         // reaches: farther in than this no other side is looked for

snStatus snIsland_FindSpots(snIslandBody *body, snArena *arena, snError *error)
{
    const snLatticeContacts *c = body->contacts;
    const snShell *shell = body->collider.shell;
    body->spots = SN_NEW(arena, snIslandSpot, c->sampleCount);
    if (!body->spots) return snFailMemory(error);
    for (int s = 0; s < c->sampleCount; s++) {
        snSurfacePoint near = snMeshTree_Closest(&shell->tree, c->rest[s], INFINITY);
        body->spots[s] = (snIslandSpot){near.triangle, {0, 0, 0}};
        for (int k = 0; k < 3; k++)
            body->spots[s].barycentric[k] = near.barycentric[k];
    }
    return SN_OK;
}

// N at the first guess: that of the face, or of the corners that the sample lies between.
static snVec3 ownNormal(const snIslandBody *body, int sample)
{
    const snShell *shell = body->collider.shell;
    const snIslandSpot *spot = &body->spots[sample];
    snVec3 sum = {0, 0, 0};
    bool inside = true;
    if (spot->triangle < 0) return sum;
    for (int k = 0; k < 3; k++) {
        snVec3 corner = shell->cornerNormals[shell->triangles[3 * spot->triangle + k]];
        inside = inside && spot->barycentric[k] >= CORNER;
        if (spot->barycentric[k] >= CORNER)
            sum = snMulAdd(sum, spot->barycentric[k], snNormalizeOr(corner, snVec(0, 0, 0)));
    }
    return inside ? shell->faceNormals[spot->triangle] : snNormalizeOr(sum, snVec(0, 0, 0));
}

typedef struct Search {
    const snShell *shell;
    snVec3 place, own;
    int triangle; // found, or -1
    double distance;
} Search;

static bool visitTriangle(int t, void *context)
{
    Search *s = context;
    if (!(snDot(s->shell->faceNormals[t], s->own) < FACING)) return true;
    snVec3 nearest =
        snClosestOnTriangle(s->place, snShell_Triangle(s->shell, t, s->shell->end), NULL);
    double distance = snDistance(s->place, nearest);
    bool better =
        s->triangle < 0 || distance < s->distance || (distance == s->distance && t < s->triangle);
    if (better) s->triangle = t, s->distance = distance;
    return true;
}

bool snIsland_Faces(const snIslandLook *look, int sample, snTouch *touch)
{
    const snLatticeContacts *c = look->own->contacts;
    const snShell *shell = look->island->bodies[look->other].collider.shell;
    snVec3 own = ownNormal(look->own, sample), place = c->place[sample];
    if (!(snLengthSquared(own) > 0) || snDot(own, touch->normal) < FACING) return true;
    // What is near is behind its own surface, and so is what it came into in this step.
    snVec3 from = snAdd(snSampleBegin(c, sample), touch->move);
    if (!(snDot(touch->normal, snSub(from, touch->point)) < 0 && touch->distance < 0)) return false;
    Search s = {.shell = shell, .place = place, .own = own, .triangle = -1};
    snVec3 far = snScale(DEEP * c->reach, snVec(1, 1, 1));
    snTree_Overlap(&shell->tree.tree, (snBox){snSub(place, far), snAdd(place, far)}, visitTriangle,
                   &s);
    if (s.triangle < 0) return false;
    *touch = (snTouch){.triangle = s.triangle, .normal = shell->faceNormals[s.triangle]};
    touch->point = snClosestOnTriangle(place, snShell_Triangle(shell, s.triangle, shell->end),
                                       touch->barycentric);
    touch->distance = snDot(touch->normal, snSub(place, touch->point));
    return true;
}
