// The articulated-body algorithm (Featherstone, "The calculation of robot dynamics using
// articulated-body inertias", 1983; Armstrong and Green's of 1985 is the same for balls).
//
// Link i, with its parent p, feels from its joint the force f = I a + w, where I is what all that hangs
// on the joint weighs, and a its acceleration (turning, and of the joint's point o):
//     a = a_p' + ζ + S y,    a_p' = a_p at o = (α_p, a_p + α_p × r),
//     ζ = (ω_p × ω_rel, ω_p × (ω_p × r)),
// y the joint's own acceleration, S = (1; 0) for a ball, (s; 0) for a hinge about s. The joint gives in
// along S but for its torque: Sᵀ f = τ - K y, where K is what is implicit in the step. So with D = SᵀIS + K, U = I S,
//     y = D⁻¹ (τ - Sᵀ(I (a_p' + ζ) + w)),
//     f = I' a_p' + w',   I' = I - U D⁻¹ Uᵀ,   w' = w + I ζ + U D⁻¹ (τ - Sᵀ(w + I ζ)),
// which the parent carries too, about its own point. From the leaves to the root for I' and w', then back for
// y and a: twice through the list. For a ball with I = (A B; Bᵀ M):
//     I' = (K D⁻¹A  K D⁻¹B; · M - BᵀD⁻¹B),   without differences of large numbers where K is large.
#include "skeleton/articulated_parts.h"

#include "core/error.h"
#include "numerics/dense.h"

#include <string.h>

// Inertia of the link alone about its joint: J + m (c·c - c cᵀ), m [c], m.
static snSpatialInertia ownInertia(const snLink *link, const snLinkPlace *place)
{
    double m = link->def.mass;
    snVec3 c = place->mass;
    return (snSpatialInertia){.a = snAddMM(place->inertia, snScaleM(m, snPointInertia(c))),
                              .b = snScaleM(m, snCrossMatrix(c)),
                              .m = snScaleM(m, snIdentity3())};
}

// What is left of the link's inertia through a ball.
static snSpatialInertia throughBall(snLinkFactor *f, const snMat3 *stiff)
{
    const snSpatialInertia *i = &f->inertia;
    f->inverse = snSymmetric3(snInverse3(snAddMM(i->a, *stiff)));
    snMat3 db = snMulMM(f->inverse, i->b);
    snSpatialInertia out;
    out.a = snSymmetric3(snMulMM(*stiff, snMulMM(f->inverse, i->a)));
    out.b = snMulMM(*stiff, db);
    out.m = snSymmetric3(snAddMM(i->m, snScaleM(-1, snMulTMM(i->b, db))));
    return out;
}

static snSpatialInertia throughHinge(snLinkFactor *f, snVec3 axis, double stiff)
{
    const snSpatialInertia *i = &f->inertia;
    snVec3 t = snMulMV(i->a, axis), m = snMulTMV(i->b, axis);
    f->reaction = (snSpatial){t, m};
    f->hinge = 1 / (snDot(axis, t) + stiff);
    return (snSpatialInertia){.a = snAddMM(i->a, snScaleM(-f->hinge, snOuter(t, t))),
                              .b = snAddMM(i->b, snScaleM(-f->hinge, snOuter(t, m))),
                              .m = snAddMM(i->m, snScaleM(-f->hinge, snOuter(m, m)))};
}

static void setRow(double *column, snMat3 m)
{
    const double values[9] = {m.cx.x, m.cx.y, m.cx.z, m.cy.x, m.cy.y,
                              m.cy.z, m.cz.x, m.cz.y, m.cz.z};
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            column[6 * c + r] = values[3 * c + r];
}

static bool factorRoot(const snSpatialInertia *i, const snJointStiff *stiff, double *factor)
{
    setRow(factor, snAddMM(i->a, stiff->ball));
    setRow(factor + 3, snTranspose(i->b));
    setRow(factor + 18, i->b);
    setRow(factor + 21, snAddMM(i->m, snScaleM(stiff->place, snIdentity3())));
    return snDenseCholesky(6, factor, NULL) == SN_OK;
}

void snTree_Factor(const snArticulated *tree, snArticulatedState *s)
{
    for (int l = 0; l < tree->linkCount; l++)
        s->factor[l].inertia = ownInertia(&tree->links[l], &s->places[l]);
    for (int l = tree->linkCount - 1; l >= 0; l--) {
        const snLink *link = &tree->links[l];
        snLinkFactor *f = &s->factor[l];
        snSpatialInertia left = f->inertia;
        if (link->def.kind == SN_LINK_FREE)
            factorRoot(&left, &s->stiff[l], s->rootFactor + 36 * (size_t)link->root);
        if (link->def.kind == SN_LINK_BALL) left = throughBall(f, &s->stiff[l].ball);
        if (link->def.kind == SN_LINK_HINGE)
            left = throughHinge(f, s->places[l].axis, s->stiff[l].hinge);
        if (link->def.parent < 0) continue;
        snSpatialInertia moved = snInertiaFrom(&left, s->places[l].arm);
        snSpatialInertia *parent = &s->factor[link->def.parent].inertia;
        *parent = snAddI(parent, &moved);
    }
}

// Up the tree: w' of the link onto its parent. Leaves D⁻¹(τ - Sᵀ(w + Iζ)) in `joint`.
static snSpatial passUp(const snLink *link, const snLinkFactor *f, snVec3 axis, snLinkLoad *load)
{
    snSpatial w = snAddS(load->force, snMulIS(&f->inertia, load->extra));
    if (link->def.kind == SN_LINK_BALL) {
        load->joint = snMulMV(f->inverse, snSub(load->torque, w.turn));
        snSpatial turn = {load->joint, snVec(0, 0, 0)};
        w = snAddS(w, snMulIS(&f->inertia, turn));
    } else if (link->def.kind == SN_LINK_HINGE) {
        double y = f->hinge * (load->torque.x - snDot(axis, w.turn));
        load->joint = snVec(y, 0, 0);
        w = snAddS(w, snScaleS(y, f->reaction));
    }
    return w;
}

static void moveRoot(const snLink *link, const double *factor, snLinkLoad *load)
{
    if (link->def.kind == SN_LINK_DRIVEN) return; // its motion is given
    snSpatial f = load->force;
    double x[6] = {-f.turn.x, -f.turn.y, -f.turn.z, -f.move.x, -f.move.y, -f.move.z};
    snDenseCholesky_Solve(6, factor + 36 * (size_t)link->root, x);
    load->motion = (snSpatial){snVec(x[0], x[1], x[2]), snVec(x[3], x[4], x[5])};
}

// Down the tree: y and a of the link from its parent's a.
static void passDown(const snLink *link, const snLinkFactor *f, const snLinkPlace *place,
                     snSpatial parent, snLinkLoad *load)
{
    snSpatial a = snMotionAt(parent, place->arm);
    load->motion = snAddS(a, load->extra);
    if (link->def.kind == SN_LINK_BALL) {
        snVec3 carried = snMulIS(&f->inertia, a).turn;
        load->joint = snSub(load->joint, snMulMV(f->inverse, carried));
        load->motion.turn = snAdd(load->motion.turn, load->joint);
    } else if (link->def.kind == SN_LINK_HINGE) {
        load->joint.x -= f->hinge * snDotS(f->reaction, a);
        load->motion.turn = snMulAdd(load->motion.turn, load->joint.x, place->axis);
    }
}

static void carryUp(const snArticulated *tree, const snArticulatedState *s, int l,
                    snLinkLoad *loads)
{
    const snLink *link = &tree->links[l];
    if (link->def.parent < 0) return;
    snSpatial w = passUp(link, &s->factor[l], s->places[l].axis, &loads[l]);
    snLinkLoad *parent = &loads[link->def.parent];
    parent->force = snAddS(parent->force, snForceFrom(w, s->places[l].arm));
}

static void carryDown(const snArticulated *tree, const snArticulatedState *s, snLinkLoad *loads)
{
    for (int l = 0; l < tree->linkCount; l++) {
        const snLink *link = &tree->links[l];
        if (link->def.parent < 0)
            moveRoot(link, s->rootFactor, &loads[l]);
        else
            passDown(link, &s->factor[l], &s->places[l], loads[link->def.parent].motion, &loads[l]);
    }
}

void snTree_Solve(const snArticulated *tree, const snArticulatedState *s, snLinkLoad *loads)
{
    for (int l = tree->linkCount - 1; l >= 0; l--)
        carryUp(tree, s, l, loads);
    carryDown(tree, s, loads);
}

void snTree_SolveFrom(const snArticulated *tree, const snArticulatedState *s, int link,
                      snLinkLoad *loads)
{
    for (int l = link; l >= 0; l = tree->links[l].def.parent)
        carryUp(tree, s, l, loads);
    carryDown(tree, s, loads);
}

static bool isLoose(const snLink *link, const snLinkFactor *f, snVec3 axis)
{
    double size = snTrace(f->inertia.a);
    if (link->def.kind == SN_LINK_BALL) return !(snDet(f->inertia.a) > 1e-24 * size * size * size);
    if (link->def.kind == SN_LINK_HINGE)
        return !(snDot(axis, snMulMV(f->inertia.a, axis)) > 1e-12 * size) || !(size > 0);
    double copy[36];
    if (link->def.kind != SN_LINK_FREE) return false;
    snJointStiff none = {0};
    return !factorRoot(&f->inertia, &none, copy);
}

int snTree_FindLoose(const snArticulated *tree, snArticulatedState *s)
{
    for (int l = tree->linkCount - 1; l >= 0; l--)
        s->stiff[l] = (snJointStiff){0};
    snTree_Factor(tree, s);
    for (int l = tree->linkCount - 1; l >= 0; l--)
        if (isLoose(&tree->links[l], &s->factor[l], s->places[l].axis)) return l;
    return -1;
}
