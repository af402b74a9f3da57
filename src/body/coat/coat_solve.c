#include "body/coat/coat_parts.h"

#include "core/elementary.h"

#include <string.h>

// Contacts as impulses that links and flesh share.
//
// Let sample points be where they would be freely at the step's end, h from now, a depth d in something. An impulse N along the
// normal n, on both sides in opposite ways, changes the relative velocity there by w N, w = n·J A⁻¹ Jᵀ n with the step's own
// matrix A of both trees, and so the gap by h w N. A cylinder that stands at the contact with weight β and has the slant
// α = ∓ axis·n carries the force β α N / h along its axis, by which it shortens from its free length by
//     c = (β α N/h - f₀) / K,   c ≤ most,     K = k + γ/h,   f₀ = k (rest - l) + γ (l₀ - l)/h,
// γ = its damping + dissipation k: what a spring and a damper hold against at the step's end (backward Euler's), l₀ the
// length at its begin and l the free one. So
//     gap(N) = -d + h (n·Δv of other impulses) + h w N + Σ β α c(N)
// is to be 0 with N > 0, or to be positive with N = 0. It is piecewise linear and grows with N; where all flesh is
// pressed as far as it goes only the links are left: kernels then part by their impulse. Stiffness of any size is stable.
//
// Friction: |T| ≤ μ N across the normal, so that what slips stops where it can. Contacts are taken one after another, again and
// again (Gauss and Seidel). Each impulse acts on both sides in one point: momentum and angular momentum are kept to rounding.

#define SWEEPS 30
#define PIECES 5     // of gap(N) that are looked at
#define SETTLED 1e-6 // of the largest impulse: sweeps end when none changes by more

static void strike(snCoatContact *c, snVec3 impulse)
{
    for (int s = 0; s < 2; s++) {
        snCoatSide *side = &c->side[s];
        if (!side->body) continue;
        int n = side->body->size;
        double sign = s ? -1 : 1, *change = side->body->change;
        const double *x = side->column, *y = x + n, *z = y + n;
        for (int i = 0; i < n; i++)
            change[i] += sign * (x[i] * impulse.x + y[i] * impulse.y + z[i] * impulse.z);
    }
}

// Of the relative velocity, by all impulses.
static snVec3 changed(const snCoatContact *c)
{
    snVec3 sum = {0, 0, 0};
    for (int s = 0; s < 2; s++) {
        const snCoatSide *side = &c->side[s];
        if (!side->body) continue;
        snVec3 v = snArticulated_Change(side->body->tree, side->body->state, side->link, c->point,
                                        side->body->change);
        sum = snMulAdd(sum, s ? -1 : 1, v);
    }
    return sum;
}

// What flesh gives way along the normal at an impulse; *slope is its derivative by it.
static double giving(snCoatContact *c, double push, double h, double *slope)
{
    double sum = 0;
    *slope = 0;
    for (int s = 0; s < 2; s++) {
        snCoatSide *side = &c->side[s];
        for (int i = 0; i < side->count; i++) {
            double lever = side->weight[i] * side->slant[i];
            side->give[i] = (lever * push / h - side->preload[i]) / side->stiff[i];
            if (side->give[i] >= side->most[i])
                side->give[i] = side->most[i];
            else
                *slope += lever * lever / (h * side->stiff[i]);
            sum += lever * side->give[i];
        }
    }
    return sum;
}

// Both take the change of the relative velocity so far, keep it up to date, and return by how much the impulse changed.
static double pushApart(snCoatContact *c, double h, snVec3 *v)
{
    double w = snDot(c->normal, snMulMV(c->response, c->normal)), slope;
    double others = snDot(c->normal, *v) - w * c->push, push = c->push;
    for (int n = 0; n < PIECES; n++) { // Newton's method ends on the right piece
        double gap = -c->depth + h * others + h * w * push + giving(c, push, h, &slope);
        double next = fmax(0, push - gap / (h * w + slope));
        bool close = fabs(next - push) <= 1e-12 * next;
        push = next;
        if (close) break;
    }
    giving(c, push, h, &slope);
    double by = push - c->push;
    if (by == 0) return 0;
    strike(c, snScale(by, c->normal));
    *v = snMulAdd(*v, by, snMulMV(c->response, c->normal));
    c->push = push;
    return fabs(by);
}

static double rubAlong(snCoatContact *c, snVec3 change)
{
    snVec3 n = c->normal, v = snAdd(c->slip, change);
    snVec3 across = snMulAdd(v, -snDot(v, n), n), way = snNormalizeOr(across, snVec(0, 0, 0));
    double w = snDot(way, snMulMV(c->response, way)), most = c->friction * c->push;
    if (!(w > 0)) return 0;
    snVec3 to = snMulAdd(c->rub, -1 / w, across);
    double length = snLength(to);
    if (length > most) to = snScale(most / length, to);
    snVec3 by = snSub(to, c->rub);
    strike(c, by);
    c->rub = to;
    return snLength(by);
}

static double holdStill(snCoatContact *c, snVec3 change)
{
    snVec3 off = snAdd(c->slip, change);
    snVec3 impulse = snNeg(snMulMV(snInverse3(c->response), off));
    strike(c, impulse);
    c->rub = snAdd(c->rub, impulse);
    return snLength(impulse);
}

static void prepare(snCoatContact *c)
{
    c->response = snScaleM(0, snIdentity3());
    for (int s = 0; s < 2; s++) {
        snCoatSide *side = &c->side[s];
        if (!side->body) continue;
        snCoatBody *b = side->body;
        snArticulated_Column(b->tree, b->state, side->link, c->point, side->column);
        c->response = snAddMM(c->response, snArticulated_Response(b->tree, b->state, side->link,
                                                                  c->point, side->column));
    }
    // Two links of one tree: what an impulse on the one does to the other.
    if (c->side[0].body && c->side[0].body == c->side[1].body)
        for (int s = 0; s < 2; s++) {
            snCoatBody *b = c->side[s].body;
            snMat3 cross = snArticulated_Response(b->tree, b->state, c->side[s].link, c->point,
                                                  c->side[!s].column);
            c->response = snAddMM(c->response, snScaleM(-1, cross));
        }
}

void snCoatGroup_Solve(snCoatGroup *group, double h)
{
    for (int b = 0; b < group->count; b++)
        memset(group->bodies[b]->change, 0, (size_t)group->bodies[b]->size * sizeof(double));
    for (int i = 0; i < group->contactCount; i++)
        prepare(&group->contacts[i]);
    double change = 1, largest = 0;
    for (int sweep = 0; sweep < SWEEPS && change > SETTLED * largest; sweep++) {
        change = largest = 0;
        for (int i = 0; i < group->contactCount; i++) {
            snCoatContact *c = &group->contacts[i];
            snVec3 v = changed(c);
            double by = c->hold ? holdStill(c, v) : pushApart(c, h, &v);
            bool rubs = !c->hold && c->friction > 0 && (c->push > 0 || snLengthSquared(c->rub) > 0);
            if (rubs) by += rubAlong(c, v);
            change = fmax(change, by);
            largest = fmax(largest, c->push + snLength(c->rub));
        }
    }
}
