// How chosen links of a tree answer wrenches on each of them: blocks of the inverse of the step's matrix, Λ = J A⁻¹ Jᵀ.
//
// Where a wrench is not on it, a link follows its parent's motion (α, a) by what articulated_solve.c has found,
//     turn = P α + Q a,   move = a + α × r,
// for a ball, with D = A + K and a' = a - [r] α at its joint: turn = α - D⁻¹(A α + B a') = D⁻¹K α - D⁻¹B a', so
//     Q = -D⁻¹B,   P = D⁻¹K - Q [r];
// for a hinge about s with I s = (t, m) and D = s·t + K: Q = -s mᵀ/D, P = 1 - s tᵀ/D - Q [r]; rigidly Q = 0, P = 1 (and move as
// above). A wrench (τ, f) on it is felt by its parent by the transpose of the same,
//     τ' = Pᵀ τ + r × f,   f' = f + Qᵀ τ,
// and what it does to the link beside moving its parent is D⁻¹τ. So a wrench goes up to the root with two products for each link, the
// root answers by the inverse of its own matrix, and motions come down with two products: six wrenches at once for 24 x 6
// multiplications a link, where solutions of the tree one by one take five times as many.
#include "skeleton/articulated_parts.h"

#include "numerics/dense.h"

#include <string.h>

static void setGain(const snLink *link, const snArticulatedState *s, int l, snLinkGain *gain)
{
    const snLinkFactor *f = &s->factor[l];
    const snLinkPlace *place = &s->places[l];
    *gain = (snLinkGain){.turn = snIdentity3()};
    if (link->def.kind == SN_LINK_BALL) {
        gain->move = snScaleM(-1, snMulMM(f->inverse, f->inertia.b));
        gain->turn = snMulMM(f->inverse, s->stiff[l].ball);
        gain->own = f->inverse;
    } else if (link->def.kind == SN_LINK_HINGE) {
        gain->move = snScaleM(-f->hinge, snOuter(place->axis, f->reaction.move));
        snMat3 turn = snScaleM(-f->hinge, snOuter(place->axis, f->reaction.turn));
        gain->turn = snAddMM(gain->turn, turn);
        gain->own = snScaleM(f->hinge, snOuter(place->axis, place->axis));
    }
    snMat3 arm = snMulMM(gain->move, snCrossMatrix(place->arm));
    gain->turn = snAddMM(gain->turn, snScaleM(-1, arm));
}

// Links that are asked for, and those above them.
static void want(const snArticulated *tree, snArticulatedState *s, int count, const int *links)
{
    for (int l = 0; l < tree->linkCount; l++)
        s->gains[l].wanted = false;
    for (int i = 0; i < count; i++)
        for (int l = links[i]; l >= 0 && !s->gains[l].wanted; l = tree->links[l].def.parent) {
            setGain(&tree->links[l], s, l, &s->gains[l]);
            s->gains[l].wanted = true;
        }
}

static snSpatial unitOf(int k)
{
    snVec3 unit = snVec(k % 3 == 0, k % 3 == 1, k % 3 == 2), none = {0, 0, 0};
    return k < 3 ? (snSpatial){unit, none} : (snSpatial){none, unit};
}

static void answerRoot(const snArticulated *tree, const snArticulatedState *s, int root,
                       snSpatial six[6])
{
    for (int k = 0; k < 6; k++) {
        snSpatial f = six[k];
        double x[6] = {f.turn.x, f.turn.y, f.turn.z, f.move.x, f.move.y, f.move.z};
        if (tree->links[root].def.kind == SN_LINK_DRIVEN)
            memset(x, 0, sizeof x); // it goes where it is led
        else
            snDenseCholesky_Solve(6, s->rootFactor + 36 * (size_t)tree->links[root].root, x);
        six[k] = (snSpatial){snVec(x[0], x[1], x[2]), snVec(x[3], x[4], x[5])};
    }
}

// Six unit wrenches on a link up to its root; motions of links on the way by the wrenches that are at them are begun. Returns the root.
static int carryUp(const snArticulated *tree, snArticulatedState *s, int link)
{
    snSpatial six[6];
    int l = link;
    for (int k = 0; k < 6; k++)
        six[k] = unitOf(k);
    for (; tree->links[l].def.parent >= 0; l = tree->links[l].def.parent) {
        snLinkGain *gain = &s->gains[l];
        gain->passed = true;
        for (int k = 0; k < 6; k++) {
            snSpatial w = six[k];
            gain->motion[k] = (snSpatial){snMulMV(gain->own, w.turn), {0, 0, 0}};
            six[k].turn = snAdd(snMulTMV(gain->turn, w.turn), snCross(s->places[l].arm, w.move));
            six[k].move = snAdd(w.move, snMulTMV(gain->move, w.turn));
        }
    }
    memcpy(s->gains[l].motion, six, sizeof six);
    answerRoot(tree, s, l, s->gains[l].motion);
    return l;
}

static void carryDown(const snArticulated *tree, snArticulatedState *s, int root)
{
    for (int l = root + 1; l < tree->linkCount; l++) {
        snLinkGain *gain = &s->gains[l];
        int parent = tree->links[l].def.parent;
        if (!gain->wanted || tree->links[l].root != tree->links[root].root) continue;
        for (int k = 0; k < 6; k++) {
            snSpatial by = s->gains[parent].motion[k];
            snVec3 turn = snAdd(snMulMV(gain->turn, by.turn), snMulMV(gain->move, by.move));
            if (gain->passed) turn = snAdd(turn, gain->motion[k].turn);
            gain->motion[k].turn = turn;
            gain->motion[k].move = snMotionAt(by, s->places[l].arm).move;
        }
        gain->passed = false;
    }
}

void snArticulated_Answers(const snArticulated *tree, snArticulatedState *s, int count,
                           const int *links, snSpatialRow *blocks)
{
    const snSpatialRow still = {0};
    want(tree, s, count, links);
    for (int i = 0; i < count; i++) {
        int root = carryUp(tree, s, links[i]);
        carryDown(tree, s, root);
        for (int n = 0; n < count; n++) {
            const snSpatial *motion = s->gains[links[n]].motion;
            bool same = tree->links[links[n]].root == tree->links[root].root;
            for (int k = 0; k < 6; k++)
                *blocks++ = same ? (snSpatialRow){.motion = motion[k]} : still;
        }
    }
}
