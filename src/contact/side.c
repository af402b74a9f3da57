#include "contact/side.h"

#define FACING (-0.05) // n . N of surfaces that face each other, at most
#define CORNER 1e-6    // weights below are those of an edge or a corner

snVec3 snShell_Outward(const snShell *shell, int triangle, const double barycentric[3])
{
    snVec3 sum = {0, 0, 0};
    bool inside = true;
    for (int k = 0; k < 3; k++) {
        snVec3 corner = shell->cornerNormals[shell->triangles[3 * triangle + k]];
        inside = inside && barycentric[k] >= CORNER;
        if (barycentric[k] >= CORNER)
            sum = snMulAdd(sum, barycentric[k], snNormalizeOr(corner, snVec(0, 0, 0)));
    }
    return inside ? shell->faceNormals[triangle] : snNormalizeOr(sum, snVec(0, 0, 0));
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

bool snShell_Faces(const snShell *shell, const snSideAsk *ask, snTouch *touch)
{
    if (!(snLengthSquared(ask->own) > 0) || snDot(ask->own, touch->normal) < FACING) return true;
    // What is near is behind its own surface, and so is what it came into in this step.
    snVec3 from = snAdd(ask->from, touch->move);
    if (!(snDot(touch->normal, snSub(from, touch->point)) < 0 && touch->distance < 0)) return false;
    Search s = {.shell = shell, .place = ask->to, .own = ask->own, .triangle = -1};
    snTree_Overlap(&shell->tree.tree, snBox_Grow((snBox){ask->to, ask->to}, ask->deep),
                   visitTriangle, &s);
    if (s.triangle < 0) return false;
    *touch = (snTouch){.triangle = s.triangle, .normal = shell->faceNormals[s.triangle]};
    touch->point = snClosestOnTriangle(ask->to, snShell_Triangle(shell, s.triangle, shell->end),
                                       touch->barycentric);
    touch->distance = snDot(touch->normal, snSub(ask->to, touch->point));
    return true;
}
