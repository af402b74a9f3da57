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

#define SWEEPS 10
#define PIECES 5     // of gap(N) that are looked at
#define SETTLED 2e-3 // of the largest impulse: sweeps end when none changes by more

static snSpatial wrenchOf(const snCoatSide *side, snVec3 impulse)
{
    return (snSpatial){snCross(side->arm, impulse), impulse};
}

static void strike(snCoatContact *c, snVec3 impulse)
{
    for (int s = 0; s < 2; s++) {
        snCoatSide *side = &c->side[s];
        if (side->body)
            snCoatBody_Strike(side->body, side->slot, wrenchOf(side, s ? snNeg(impulse) : impulse));
    }
}

// Of the relative velocity, by all impulses.
static snVec3 changed(const snCoatContact *c)
{
    snVec3 sum = {0, 0, 0};
    for (int s = 0; s < 2; s++) {
        const snCoatSide *side = &c->side[s];
        if (!side->body) continue;
        snVec3 v = snMotionAt(snCoatBody_Change(side->body, side->slot), side->arm).move;
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

// Both take the change of the relative velocity so far, keep it up to date, and return what is added to the impulse.
static snVec3 pushApart(snCoatContact *c, double h, snVec3 *v)
{
    snVec3 along = snMulMV(c->response, c->normal);
    double w = snDot(c->normal, along), slope;
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
    *v = snMulAdd(*v, by, along);
    c->push = push;
    return snScale(by, c->normal);
}

// Links that twist easily answer across the normal in one way far more than in the other, so both ways are taken together: what
// sticks is stopped at once, T - R⁻¹ v. What slides goes against its velocity by no more than the easier way bears, T - v/λ,
// and back onto the cone, which settles where T is against v.
static snVec3 rubAlong(snCoatContact *c, snVec3 change)
{
    snVec3 v = snAdd(c->slip, change);
    double x = snDot(v, c->across[0]), y = snDot(v, c->across[1]), most = c->friction * c->push;
    double byX = c->stick[0] * x + c->stick[1] * y, byY = c->stick[1] * x + c->stick[2] * y;
    snVec3 to = snMulAdd(snMulAdd(c->rub, -byX, c->across[0]), -byY, c->across[1]);
    if (snLengthSquared(to) > most * most) {
        snVec3 off = snMulAdd(snScale(x, c->across[0]), y, c->across[1]);
        to = snMulAdd(c->rub, -c->slide, off);
        double length = snLength(to);
        if (length > most) to = snScale(most / length, to);
    }
    snVec3 by = snSub(to, c->rub);
    c->rub = to;
    return by;
}

static snVec3 holdStill(snCoatContact *c, snVec3 change)
{
    snVec3 off = snAdd(c->slip, change);
    snVec3 impulse = snNeg(snMulMV(snInverse3(c->response), off));
    c->rub = snAdd(c->rub, impulse);
    return impulse;
}

// By how much the impulse changed.
static double take(snCoatContact *c, double h)
{
    snVec3 v = changed(c), by;
    if (c->hold) {
        by = holdStill(c, v);
    } else {
        by = pushApart(c, h, &v);
        bool rubs = c->friction > 0 && (c->push > 0 || snLengthSquared(c->rub) > 0);
        if (rubs) by = snAdd(by, rubAlong(c, v));
    }
    double size = snLength(by);
    if (size > 0) strike(c, by);
    return size;
}

// The relative velocity that a unit impulse at both sides brings.
static snVec3 answerTo(const snCoatContact *c, snVec3 impulse)
{
    snVec3 sum = {0, 0, 0};
    for (int s = 0; s < 2; s++)
        for (int o = 0; o < 2; o++) {
            const snCoatSide *on = &c->side[s], *at = &c->side[o];
            if (!on->body || on->body != at->body)
                continue; // two links of one tree feel each other
            snSpatial motion =
                snCoatBody_Answer(on->body, on->slot, wrenchOf(on, impulse), at->slot);
            sum = snMulAdd(sum, s == o ? 1 : -1, snMotionAt(motion, at->arm).move);
        }
    return sum;
}

// R of the two ways across the normal: its inverse, and one over its larger eigenvalue.
static void prepareAcross(snCoatContact *c)
{
    c->across[0] = snPerpendicular(c->normal);
    c->across[1] = snCross(c->normal, c->across[0]);
    snVec3 u = snMulMV(c->response, c->across[0]), v = snMulMV(c->response, c->across[1]);
    double a = snDot(u, c->across[0]), d = snDot(v, c->across[1]);
    double b = 0.5 * (snDot(u, c->across[1]) + snDot(v, c->across[0]));
    double half = 0.5 * (a - d), largest = 0.5 * (a + d) + sqrt(half * half + b * b);
    double det = fmax(a * d - b * b, 1e-12 * largest * largest);
    if (!(largest > 0)) return; // nothing moves: no friction
    c->stick[0] = d / det, c->stick[1] = -b / det, c->stick[2] = a / det;
    c->slide = 1 / largest;
}

static void prepare(snCoatContact *c)
{
    c->response = (snMat3){answerTo(c, snVec(1, 0, 0)), answerTo(c, snVec(0, 1, 0)),
                           answerTo(c, snVec(0, 0, 1))};
    if (!c->hold) prepareAcross(c);
}

// ---- what is remembered -----------------------------------------------------------------------------------

static snCoatMemo *memoOf(const snCoatContact *c)
{
    const snCoatSide *side = &c->side[0];
    return &side->body->memos[side->body->first[side->element] + c->sample];
}

// Where the same sample is in the same thing as in the last step, it begins with the same force.
static void recall(snCoatContact *c, double h)
{
    if (c->hold) return;
    const snCoatMemo *memo = memoOf(c);
    if (!(memo->push > 0) || memo->other != c->other) return;
    snVec3 rub = snScale(h, memo->rub);
    c->push = h * memo->push;
    c->rub = snMulAdd(rub, -snDot(rub, c->normal), c->normal);
    strike(c, snMulAdd(c->rub, c->push, c->normal));
}

static void remember(snCoatGroup *g, double h)
{
    for (int b = 0; b < g->count; b++)
        memset(g->bodies[b]->memos, 0, (size_t)g->bodies[b]->cylinderCount * sizeof(snCoatMemo));
    for (int i = 0; i < g->contactCount; i++) {
        const snCoatContact *c = &g->contacts[i];
        if (c->hold || !(c->push > 0)) continue;
        *memoOf(c) = (snCoatMemo){c->push / h, snScale(1 / h, c->rub), c->other, 0};
    }
}

static void addToBody(snCoatGroup *g, int number)
{
    snCoatSide *side = snCoatGroup_Side(g, number);
    snCoatBody *b = side->body;
    if (!b) return;
    side->next = -1;
    if (b->firstSide < 0)
        b->firstSide = number;
    else
        snCoatGroup_Side(g, b->lastSide)->next = number;
    b->lastSide = number;
    side->slot = snCoatBody_Touch(b, side->link);
    side->arm = snSub(g->contacts[number / 2].point, b->frameBegin[side->link].origin);
}

void snCoatGroup_ListSides(snCoatGroup *g)
{
    for (int b = 0; b < g->count; b++) {
        snCoatBody_ForgetTouched(g->bodies[b]);
        g->bodies[b]->firstSide = g->bodies[b]->lastSide = -1;
    }
    for (int side = 0; side < 2 * g->contactCount; side++)
        addToBody(g, side);
}

void snCoatGroup_Solve(snCoatGroup *g, double h)
{
    for (int i = 0; i < g->contactCount; i++)
        prepare(&g->contacts[i]);
    for (int i = 0; i < g->contactCount; i++)
        recall(&g->contacts[i], h);
    double change = 1, largest = 0;
    for (int sweep = 0; sweep < SWEEPS && change > SETTLED * largest; sweep++) {
        change = largest = 0;
        for (int i = 0; i < g->contactCount; i++) {
            snCoatContact *c = &g->contacts[i];
            change = fmax(change, take(c, h));
            largest = fmax(largest, c->push + snLength(c->rub));
        }
    }
    remember(g, h);
}
