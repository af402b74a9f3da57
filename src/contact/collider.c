#include "contact/collider.h"

#include "core/error.h"
#include "geometry/primitive.h"

#include <string.h>

#define FAR 1e300
#define RIGID 1e-6 // how far a frame may be from a rotation
// Of sweeps.
#define SAME_SIDE 0.5    // cosine of the angle by which a normal may turn within a step
#define CLOSE 1e-3       // of the way: as near as this is on the surface
#define MOST_ADVANCES 64 // until a way along a surface counts as touching

snCollider snMakeCollider(snColliderKind kind)
{
    return (snCollider){.kind = kind,
                        .radius = 1,
                        .half = {1, 1, 1},
                        .begin = snIdentityAffine(),
                        .end = snIdentityAffine()};
}

// ---- shapes in their own frames -----------------------------------------------------------------

// Around a point of a skeleton: the origin of a sphere, the axis of a capsule.
static snTouch aroundPoint(snVec3 x, snVec3 core, double radius)
{
    snVec3 away = snSub(x, core);
    snVec3 normal = snNormalizeOr(away, snVec(0, 1, 0));
    return (snTouch){.distance = snLength(away) - radius,
                     .normal = normal,
                     .point = snMulAdd(core, radius, normal)};
}

static snTouch aroundBox(snVec3 x, snVec3 half)
{
    const double p[3] = {x.x, x.y, x.z}, h[3] = {half.x, half.y, half.z};
    double q[3], n[3] = {0}, best = -FAR;
    int face = 0;
    for (int k = 0; k < 3; k++) {
        q[k] = p[k] < -h[k] ? -h[k] : (p[k] > h[k] ? h[k] : p[k]);
        double out = fabs(p[k]) - h[k];
        if (out > best) best = out, face = k;
    }
    snVec3 nearest = {q[0], q[1], q[2]};
    if (best > 0)
        return (snTouch){.distance = snDistance(x, nearest),
                         .normal = snNormalizeOr(snSub(x, nearest), snVec(0, 1, 0)),
                         .point = nearest};
    n[face] = p[face] < 0 ? -1 : 1;
    q[face] = n[face] * h[face];
    return (snTouch){.distance = best, .normal = {n[0], n[1], n[2]}, .point = {q[0], q[1], q[2]}};
}

// Everything but `move`, which is what the surface itself deforms by; the frame's motion comes later.
static bool askShape(const snCollider *c, snVec3 x, double reach, snTouch *touch)
{
    snShellPoint found;
    switch (c->kind) {
    case SN_COLLIDER_PLANE:
        *touch = (snTouch){.distance = x.y, .normal = {0, 1, 0}, .point = {x.x, 0, x.z}};
        break;
    case SN_COLLIDER_SPHERE:
        *touch = aroundPoint(x, snVec(0, 0, 0), c->radius);
        break;
    case SN_COLLIDER_CAPSULE: {
        double y = x.y < -c->half.y ? -c->half.y : (x.y > c->half.y ? c->half.y : x.y);
        *touch = aroundPoint(x, snVec(0, y, 0), c->radius);
        break;
    }
    case SN_COLLIDER_BOX:
        *touch = aroundBox(x, c->half);
        break;
    case SN_COLLIDER_SHELL:
        if (!snShell_Query(c->shell, x, reach, &found)) return false;
        *touch = (snTouch){.distance = found.distance,
                           .normal = found.normal,
                           .point = found.point,
                           .move = snShell_MoveAt(c->shell, &found),
                           .triangle = found.triangle};
        memcpy(touch->barycentric, found.barycentric, sizeof found.barycentric);
        return true;
    }
    return touch->distance <= reach;
}

// ---- in the world -------------------------------------------------------------------------------

static snVec3 toLocal(const snAffine *frame, snVec3 x)
{
    return snMulTMV(frame->linear, snSub(x, frame->origin)); // rotations: Rᵀ is the inverse
}

// The material point came from begin(point - own move) to end(point).
static void toWorld(const snCollider *c, snTouch *touch)
{
    snVec3 now = snMulAP(c->end, touch->point);
    snVec3 before = snMulAP(c->begin, snSub(touch->point, touch->move));
    touch->move = snSub(now, before);
    touch->point = now;
    touch->normal = snMulMV(c->end.linear, touch->normal);
}

bool snCollider_Query(const snCollider *c, snVec3 x, double reach, snTouch *touch)
{
    if (!askShape(c, toLocal(&c->end, x), reach, touch)) return false;
    toWorld(c, touch);
    return true;
}

// ---- along a way --------------------------------------------------------------------------------

// Goes from a point outside straight to another, always as far as the surface is away. True where it
// comes to the surface, or as near as `close`.
static bool advance(const snCollider *c, snVec3 from, snVec3 to, double close, snTouch *touch)
{
    double way = snDistance(from, to), t = 0;
    for (int k = 0; k < MOST_ADVANCES; k++) {
        if (!askShape(c, snLerp(from, to, t), way, touch)) return false;
        if (touch->distance <= close) return true;
        t += touch->distance / way;
        if (t > 1) return false;
    }
    return true; // along the surface, and near to it
}

// In the collider's own frames the way is straight but for its turn within the step. What a surface of
// triangles does beyond its frame is added to the begin.
static bool sweepShape(const snCollider *c, snVec3 from, snVec3 to, double reach, snTouch *touch)
{
    snTouch first;
    bool near = askShape(c, to, reach, touch);
    if (c->kind == SN_COLLIDER_PLANE) return near; // solid all the way
    double moved = c->kind == SN_COLLIDER_SHELL ? c->shell->moved : 0;
    if (moved > 0) {
        if (!askShape(c, from, snDistance(from, to) + moved + reach, &first)) return near;
        from = snAdd(from, first.move);
    }
    double way = snDistance(from, to);
    if (!askShape(c, from, way + reach, &first) || first.distance > way) return near;
    if (near && snDot(first.normal, touch->normal) > SAME_SIDE) return true;
    if (first.distance <= CLOSE * way) {
        *touch = first; // it was there already, or inside: out where that is nearest
        return true;
    }
    snTouch hit;
    if (!advance(c, from, to, CLOSE * way, &hit)) return near && touch->distance > 0;
    *touch = hit;
    return true;
}

bool snCollider_Sweep(const snCollider *c, snVec3 from, snVec3 to, double reach, snTouch *touch)
{
    snVec3 end = toLocal(&c->end, to);
    if (!sweepShape(c, toLocal(&c->begin, from), end, reach, touch)) return false;
    touch->distance = snDot(touch->normal, snSub(end, touch->point));
    toWorld(c, touch);
    return true;
}

static snBox ownBox(const snCollider *c)
{
    double r = c->radius, y = c->kind == SN_COLLIDER_CAPSULE ? c->half.y : 0;
    switch (c->kind) {
    case SN_COLLIDER_SPHERE:
    case SN_COLLIDER_CAPSULE:
        return (snBox){{-r, -r - y, -r}, {r, r + y, r}};
    case SN_COLLIDER_BOX:
        return (snBox){snNeg(c->half), c->half};
    case SN_COLLIDER_SHELL:
        return snBox_Grow(c->shell->tree.tree.nodes[0].box, c->shell->closed ? 0 : c->shell->depth);
    case SN_COLLIDER_PLANE:
        break;
    }
    return (snBox){{-FAR, -FAR, -FAR}, {FAR, FAR, FAR}};
}

// The half-space below a plane: bounded along an axis only where its normal is that axis.
static snBox planeBox(const snCollider *c)
{
    snVec3 n = c->end.linear.cy;
    double normal[3] = {n.x, n.y, n.z}, at[3] = {c->end.origin.x, c->end.origin.y, c->end.origin.z};
    double lower[3] = {-FAR, -FAR, -FAR}, upper[3] = {FAR, FAR, FAR};
    for (int k = 0; k < 3; k++) {
        if (normal[k] == 1) upper[k] = at[k];
        if (normal[k] == -1) lower[k] = at[k];
    }
    return (snBox){{lower[0], lower[1], lower[2]}, {upper[0], upper[1], upper[2]}};
}

snBox snCollider_Bounds(const snCollider *c)
{
    if (c->kind == SN_COLLIDER_PLANE) return planeBox(c);
    snBox own = ownBox(c), box = snEmptyBox();
    for (int k = 0; k < 8; k++)
        box = snBoxAdd(box, snMulAP(c->end, snBoxCorner(own, k)));
    return box;
}

static bool isRigid(snAffine a)
{
    snMat3 product = snMulTMM(a.linear, a.linear);
    snMat3 off = snAddMM(product, snScaleM(-1, snIdentity3()));
    return snIsFinite3(a.origin) && snNormSquaredM(off) < RIGID * RIGID && snDet(a.linear) > 0;
}

snStatus snCollider_Check(const snCollider *c, snError *error)
{
    bool round = c->kind == SN_COLLIDER_SPHERE || c->kind == SN_COLLIDER_CAPSULE;
    if (round && !(c->radius > 0 && isfinite(c->radius)))
        return snFail(error, SN_ERROR_ARGUMENT, "a collider's radius is %g; it must be above 0",
                      c->radius);
    bool box = c->half.x >= 0 && c->half.y >= 0 && c->half.z >= 0 && snIsFinite3(c->half);
    if (!box)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "half the sides of a collider are %g, %g, %g; they must not be below 0",
                      c->half.x, c->half.y, c->half.z);
    if (c->kind == SN_COLLIDER_SHELL && !c->shell)
        return snFail(error, SN_ERROR_ARGUMENT, "a collider of triangles has no surface");
    if (!(c->friction >= 0 && isfinite(c->friction)))
        return snFail(error, SN_ERROR_ARGUMENT, "a collider's friction is %g; it must be 0 or more",
                      c->friction);
    if (!(c->restitution >= 0 && c->restitution <= 1))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a collider's restitution is %g; it must be from 0 to 1", c->restitution);
    if (!isRigid(c->begin) || !isRigid(c->end))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a collider's frame is not a rotation and a shift: scale its shape instead");
    return SN_OK;
}
