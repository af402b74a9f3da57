#include "body/coat/coat_parts.h"

#include "core/elementary.h"
#include "core/tasks.h"

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
//
// Contacts that are on the same two links come one after another, as a block: these links follow every impulse at once, the others
// of their trees, by the sum, when the block is done.

#define SWEEPS 10
#define PIECES 5     // of gap(N) that are looked at
#define SETTLED 2e-3 // of the largest impulse: sweeps end when none changes by more

// ---- what does not change -----------------------------------------------------------------------------

static snSpatial wrenchOf(snVec3 arm, snVec3 impulse)
{
    return (snSpatial){snCross(arm, impulse), impulse};
}

// The relative velocity that an impulse at both sides brings.
static snVec3 answerTo(const snCoatContact *c, snVec3 impulse)
{
    snVec3 sum = {0, 0, 0};
    for (int s = 0; s < 2; s++)
        for (int o = 0; o < 2; o++) {
            const snCoatSide *on = &c->side[s], *at = &c->side[o];
            snSpatial motion = {{0, 0, 0}, {0, 0, 0}};
            if (!on->body || on->body != at->body)
                continue; // two links of one tree feel each other
            snCoatBody_AddAnswer(on->body, on->slot, wrenchOf(on->arm, impulse), at->slot, &motion);
            sum = snMulAdd(sum, s == o ? 1 : -1, snMotionAt(motion, at->arm).move);
        }
    return sum;
}

// R of the two ways across the normal: its inverse, and one over its larger eigenvalue.
static void prepareAcross(const snMat3 *response, snCoatRow *row)
{
    row->across[0] = snPerpendicular(row->normal);
    row->across[1] = snCross(row->normal, row->across[0]);
    snVec3 u = snMulMV(*response, row->across[0]), v = snMulMV(*response, row->across[1]);
    double a = snDot(u, row->across[0]), d = snDot(v, row->across[1]);
    double b = 0.5 * (snDot(u, row->across[1]) + snDot(v, row->across[0]));
    double half = 0.5 * (a - d), largest = 0.5 * (a + d) + sqrt(half * half + b * b);
    double det = fmax(a * d - b * b, 1e-12 * largest * largest);
    if (!(largest > 0)) return; // nothing moves: no friction
    row->stick[0] = d / det, row->stick[1] = -b / det, row->stick[2] = a / det;
    row->slide = 1 / largest;
}

static void prepareFlesh(const snCoatContact *c, double h, snCoatRow *row)
{
    for (int s = 0; s < 2; s++) {
        const snCoatSide *side = &c->side[s];
        for (int i = 0; i < side->count; i++) {
            double lever = side->weight[i] * side->slant[i], give = lever / side->stiff[i];
            int n = row->count++;
            row->soft[n] = lever * give / h;
            row->held[n] = side->preload[i] * give;
            row->most[n] = lever * side->most[i];
        }
    }
}

static void prepare(snCoatContact *c, double h, snCoatRow *row)
{
    c->response = (snMat3){answerTo(c, snVec(1, 0, 0)), answerTo(c, snVec(0, 1, 0)),
                           answerTo(c, snVec(0, 0, 1))};
    row->normal = c->normal;
    row->slip = c->slip;
    row->hold = c->hold;
    if (c->hold) {
        c->response = snInverse3(c->response);
        return;
    }
    row->along = snMulMV(c->response, c->normal);
    row->answer = h * snDot(c->normal, row->along);
    row->depth = c->depth;
    row->friction = c->friction;
    prepareAcross(&c->response, row);
    prepareFlesh(c, h, row);
}

static bool isOn(const snCoatBlock *block, int end, const snCoatSide *side)
{
    return block->body[end] == side->body && (!side->body || block->slot[end] == side->slot);
}

// Whether a contact is on the same links; if so, which of them its first side is on, else -1.
static int fits(const snCoatBlock *block, const snCoatContact *c)
{
    for (int first = 0; first < 2; first++)
        if (isOn(block, first, &c->side[0]) && isOn(block, 1 - first, &c->side[1])) return first;
    return -1;
}

static void listBlocks(snCoatGroup *g)
{
    g->blockCount = 0;
    for (int i = 0; i < g->contactCount; i++) {
        const snCoatContact *c = &g->contacts[i];
        snCoatRow *row = &g->rows[i];
        int first = g->blockCount ? fits(&g->blocks[g->blockCount - 1], c) : -1;
        if (first < 0) {
            g->blocks[g->blockCount++] = (snCoatBlock){.body = {c->side[0].body, c->side[1].body},
                                                       .slot = {c->side[0].slot, c->side[1].slot},
                                                       .begin = i};
            first = 0;
        }
        g->blocks[g->blockCount - 1].end = i + 1;
        *row = (snCoatRow){.first = first};
        row->arm[first] = c->side[0].arm;
        row->arm[1 - first] = c->side[1].arm;
    }
}

static void prepareSome(int begin, int end, int worker, void *context)
{
    snCoatGroup *g = context;
    (void)worker;
    for (int i = begin; i < end; i++)
        prepare(&g->contacts[i], g->h, &g->rows[i]);
}

// ---- a block ------------------------------------------------------------------------------------------

// Motions of its links by all impulses so far, and what was done to them since it was entered.
typedef struct Ends {
    const snCoatBlock *block;
    snSpatial motion[2], wrench[2];
} Ends;

static Ends enter(const snCoatBlock *block)
{
    Ends ends = {.block = block};
    for (int e = 0; e < 2; e++)
        if (block->body[e]) ends.motion[e] = block->body[e]->answers.change[block->slot[e]];
    return ends;
}

static void leave(const Ends *ends)
{
    for (int e = 0; e < 2; e++)
        if (ends->block->body[e])
            snCoatBody_Strike(ends->block->body[e], ends->block->slot[e], ends->wrench[e]);
}

static inline void strikeOne(Ends *ends, int on, snSpatial wrench)
{
    const snCoatBlock *block = ends->block;
    snCoatBody *b = block->body[on];
    if (!b) return;
    ends->wrench[on] = snAddS(ends->wrench[on], wrench);
    for (int at = 0; at < 2; at++) {
        if (block->body[at] != b) continue;
        if (b->answers.dense)
            snCoatAnswers_Add(&b->answers, block->slot[on], wrench, block->slot[at], 1,
                              &ends->motion[at]);
        else
            snCoatBody_AddAnswer(b, block->slot[on], wrench, block->slot[at], &ends->motion[at]);
    }
}

static inline void strike(Ends *ends, const snCoatRow *row, snVec3 impulse)
{
    int first = row->first;
    strikeOne(ends, first, wrenchOf(row->arm[first], impulse));
    strikeOne(ends, 1 - first, wrenchOf(row->arm[1 - first], snNeg(impulse)));
}

// Of the relative velocity, by all impulses. What has no body does not move.
static inline snVec3 changed(const Ends *ends, const snCoatRow *row)
{
    int first = row->first;
    return snSub(snMotionAt(ends->motion[first], row->arm[first]).move,
                 snMotionAt(ends->motion[1 - first], row->arm[1 - first]).move);
}

// Of gap(N): which cylinders are pressed as far as they go, one bit each; sum and slope of what flesh gives.
static inline int giving(const snCoatRow *row, double push, double *sum, double *slope)
{
    int pressed = 0;
    *sum = *slope = 0;
    for (int i = 0; i < row->count; i++) {
        double give = row->soft[i] * push - row->held[i];
        if (give >= row->most[i]) {
            *sum += row->most[i];
            pressed |= 1 << i;
        } else {
            *sum += give;
            *slope += row->soft[i];
        }
    }
    return pressed;
}

// Both take the change of the relative velocity so far, keep it up to date, and return what is added to the impulse.
static inline snVec3 pushApart(snCoatRow *row, double h, snVec3 *v)
{
    double push = row->push, sum, slope;
    double others = h * snDot(row->normal, *v) - row->answer * push - row->depth;
    int pressed = giving(row, push, &sum, &slope);
    for (int n = 0; n < PIECES; n++) { // Newton's method ends on the right piece
        double gap = others + row->answer * push + sum;
        push = fmax(0, push - gap / (row->answer + slope));
        int before = pressed;
        pressed = giving(row, push, &sum, &slope);
        if (pressed == before) break;
    }
    double by = push - row->push;
    *v = snMulAdd(*v, by, row->along);
    row->push = push;
    return snScale(by, row->normal);
}

// Links that twist easily answer across the normal in one way far more than in the other, so both ways are taken together: what
// sticks is stopped at once, T - R⁻¹ v. What slides goes against its velocity by no more than the easier way bears, T - v/λ,
// and back onto the cone, which settles where T is against v.
static inline snVec3 rubAlong(snCoatRow *row, snVec3 change)
{
    snVec3 v = snAdd(row->slip, change);
    double x = snDot(v, row->across[0]), y = snDot(v, row->across[1]);
    double most = row->friction * row->push;
    double byX = row->stick[0] * x + row->stick[1] * y, byY = row->stick[1] * x + row->stick[2] * y;
    snVec3 to = snMulAdd(snMulAdd(row->rub, -byX, row->across[0]), -byY, row->across[1]);
    if (snLengthSquared(to) > most * most) {
        snVec3 off = snMulAdd(snScale(x, row->across[0]), y, row->across[1]);
        to = snMulAdd(row->rub, -row->slide, off);
        double squared = snLengthSquared(to);
        if (squared > most * most) to = snScale(most / sqrt(squared), to);
    }
    snVec3 by = snSub(to, row->rub);
    row->rub = to;
    return by;
}

static snVec3 holdStill(const snCoatContact *c, snCoatRow *row, snVec3 change)
{
    snVec3 impulse = snNeg(snMulMV(c->response, snAdd(row->slip, change)));
    row->rub = snAdd(row->rub, impulse);
    return impulse;
}

typedef struct Sweep {
    double change, largest; // of impulses, squared
} Sweep;

static void takeBlock(snCoatGroup *g, const snCoatBlock *block, double h, Sweep *sweep)
{
    Ends ends = enter(block);
    for (int i = block->begin; i < block->end; i++) {
        snCoatRow *row = &g->rows[i];
        snVec3 v = changed(&ends, row), by;
        if (row->hold) {
            by = holdStill(&g->contacts[i], row, v);
        } else {
            by = pushApart(row, h, &v);
            bool rubs = row->friction > 0 && (row->push > 0 || snLengthSquared(row->rub) > 0);
            if (rubs) by = snAdd(by, rubAlong(row, v));
        }
        double size = snLengthSquared(by);
        if (size > 0) strike(&ends, row, by);
        sweep->change = fmax(sweep->change, size);
        sweep->largest = fmax(sweep->largest, row->push * row->push + snLengthSquared(row->rub));
    }
    leave(&ends);
}

// ---- what is remembered -----------------------------------------------------------------------------------

static snCoatMemo *memoOf(const snCoatContact *c)
{
    const snCoatSide *side = &c->side[0];
    return &side->body->memos[side->body->first[side->element] + c->sample];
}

// Where the same sample is in the same thing as in the last step, it begins with the same force.
static void recall(snCoatGroup *g, const snCoatBlock *block, double h)
{
    Ends ends = {.block = block};
    for (int i = block->begin; i < block->end; i++) {
        const snCoatContact *c = &g->contacts[i];
        if (c->hold) continue;
        const snCoatMemo *memo = memoOf(c);
        snCoatRow *row = &g->rows[i];
        if (!(memo->push > 0) || memo->other != c->other) continue;
        snVec3 rub = snScale(h, memo->rub);
        row->push = h * memo->push;
        row->rub = snMulAdd(rub, -snDot(rub, c->normal), c->normal);
        snVec3 impulse = snMulAdd(row->rub, row->push, c->normal);
        for (int s = 0; s < 2; s++) {
            int end = s ? 1 - row->first : row->first;
            snSpatial wrench = wrenchOf(row->arm[end], s ? snNeg(impulse) : impulse);
            ends.wrench[end] = snAddS(ends.wrench[end], wrench);
        }
    }
    leave(&ends);
}

// Impulses into contacts, and what flesh gives way by them.
static void writeBack(snCoatContact *c, const snCoatRow *row, double h)
{
    c->push = row->push;
    c->rub = row->rub;
    for (int s = 0; s < 2; s++) {
        snCoatSide *side = &c->side[s];
        for (int i = 0; i < side->count; i++) {
            double lever = side->weight[i] * side->slant[i];
            double give = (lever * c->push / h - side->preload[i]) / side->stiff[i];
            side->give[i] = fmin(give, side->most[i]);
        }
    }
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

static int rootOf(const snCoatGroup *g, int number)
{
    while (g->bodies[number]->partner != number)
        number = g->bodies[number]->partner;
    return number;
}

static void join(const snCoatGroup *g, const snCoatContact *c)
{
    if (c->hold || !c->side[0].body || !c->side[1].body) {
        for (int s = 0; s < 2; s++)
            if (c->side[s].body) c->side[s].body->outside = true;
        return;
    }
    int a = rootOf(g, c->side[0].body->number), b = rootOf(g, c->side[1].body->number);
    g->bodies[a > b ? a : b]->partner = a < b ? a : b;
}

int snCoatGroup_Partner(const void *group, int number)
{
    return rootOf(group, number);
}

void snCoatGroup_ListSides(snCoatGroup *g)
{
    for (int b = 0; b < g->count; b++) {
        snCoatBody_ForgetTouched(g->bodies[b]);
        g->bodies[b]->firstSide = g->bodies[b]->lastSide = -1;
    }
    for (int side = 0; side < 2 * g->contactCount; side++)
        addToBody(g, side);
    for (int i = 0; i < g->contactCount; i++)
        join(g, &g->contacts[i]);
}

void snCoatGroup_Solve(snCoatGroup *g, double h)
{
    snTasks alone = {0};
    listBlocks(g);
    snParallelFor(g->dense ? &g->tasks : &alone, g->contactCount, 64, prepareSome, g);
    for (int b = 0; b < g->blockCount; b++)
        recall(g, &g->blocks[b], h);
    Sweep sweep = {1, 0};
    for (int n = 0; n < SWEEPS && sweep.change > SETTLED * SETTLED * sweep.largest; n++) {
        sweep = (Sweep){0, 0};
        for (int b = 0; b < g->blockCount; b++)
            takeBlock(g, &g->blocks[b], h, &sweep);
    }
    for (int i = 0; i < g->contactCount; i++)
        writeBack(&g->contacts[i], &g->rows[i], h);
    remember(g, h);
}
