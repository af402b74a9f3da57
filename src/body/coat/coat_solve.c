#include "body/coat/coat_parts.h"

#include "core/elementary.h"
#include "core/sets.h"
#include "core/tasks.h"

#include <string.h>

// Contacts as impulses that links and flesh share.
//
// Let sample points be where they would be freely at the step's end, h from now, a depth d in something. An impulse N along the
// normal n, on both sides in opposite ways, changes the relative velocity there by w N, w = n·J A⁻¹ Jᵀ n with the step's own
// matrix A of both trees, and so the gap by h w N. A cylinder that stands at the contact with weight β and has the slant
// α = ∓ axis·n carries the force β α N / h along its axis, by which it shortens from its free length by
//     c = (Σ β α N/h - f₀) / K,   c ≤ most,     K = k + γ/h,   f₀ = k (rest - l) + γ (l₀ - l)/h,
// γ = its damping + dissipation k: what a spring and a damper hold against at the step's end (backward Euler's), l₀ the
// length at its begin and l the free one. A cylinder has one length, whatever it touches: the sum is over all contacts at which it
// stands, with links of its own body, other bodies and colliders, and each contact feels what the others shorten it by. So
//     gap(N) = -d + h (n·Δv of other impulses) + h w N + Σ β α c(N)
// is to be 0 with N > 0, or to be positive with N = 0. It is piecewise linear and grows with N; where all flesh is
// pressed as far as it goes only the links are left: kernels then part by their impulse. Stiffness of any size is stable, and what flesh
// gives back is what it took: its forces are those of Σ K c²/2, once for each cylinder.
//
// Friction: |T| ≤ μ N across the normal, so that what slips stops where it can. Contacts are rows as all have them (contact/row.h), taken
// one after another, again and again (Gauss and Seidel). Each impulse acts on both sides in one point: momentum and angular momentum are
// kept to rounding.
//
// Contacts that are on the same two links come one after another, as a block: these links follow every impulse at once, the others
// of their trees, by the sum, when the block is done.

#define SWEEPS 10
#define LOADED_SWEEPS                                                                              \
    100 // where bodies of other models press: what they weigh is not to go through a light coat into a floor
#define ROLL                                                                                       \
    0.5 // of a cylinder's length, times friction: how far off its middle the patch that a sample stands for can press
#define ROUNDING 1e-12 // of what both sides would go alone: links in one place do not part
#define SETTLED 2e-3   // of the largest impulse: sweeps end when none changes by more

// ---- what does not change -----------------------------------------------------------------------------

// The relative velocity that an impulse at both sides brings; and what each side would go by itself, added.
static snVec3 answerTo(const snCoatContact *c, snVec3 impulse, double *alone)
{
    snVec3 sum = {0, 0, 0};
    for (int s = 0; s < 2; s++)
        for (int o = 0; o < 2; o++) {
            const snCoatSide *on = &c->side[s], *at = &c->side[o];
            snSpatial motion = {{0, 0, 0}, {0, 0, 0}};
            if (!on->body || on->body != at->body)
                continue; // two links of one tree feel each other
            snCoatBody_AddAnswer(on->body, on->slot,
                                 snForceFrom((snSpatial){{0, 0, 0}, impulse}, on->arm), at->slot,
                                 &motion);
            snVec3 move = snMotionAt(motion, at->arm).move;
            sum = snMulAdd(sum, s == o ? 1 : -1, move);
            if (s == o) *alone += fabs(snDot(move, impulse));
        }
    return sum;
}

static double *loadOf(const snCoatSide *side, int i)
{
    return &side->body->pressed[side->body->first[side->element] + side->cylinder[i]];
}

static void prepareFlesh(const snCoatContact *c, double h, snContactSprings *flesh)
{
    for (int s = 0; s < 2; s++) {
        const snCoatSide *side = &c->side[s];
        for (int i = 0; i < side->count; i++) {
            double slant = side->weight[i] * side->slant[i], give = slant / side->stiff[i];
            int n = flesh->count++;
            flesh->soft[n] = slant * give / h;
            flesh->held[n] = side->preload[i] * give;
            flesh->most[n] = slant * side->most[i];
            flesh->slant[n] = slant;
            flesh->reach[n] = give / h;
            flesh->load[n] = loadOf(side, i);
        }
    }
}

static double lengthOf(const snCoatContact *c)
{
    const snCoatBody *b = c->side[0].body;
    return b->coating->elements[c->side[0].element].element.rest[c->sample];
}

static void prepare(const snCoatContact *c, double h, snCoatRow *row)
{
    double alone = 0;
    snMat3 response = {answerTo(c, snVec(1, 0, 0), &alone), answerTo(c, snVec(0, 1, 0), &alone),
                       answerTo(c, snVec(0, 0, 1), &alone)};
    row->slip = c->slip;
    if (c->hold) {
        row->row = snMakeTieRow(&response, 0);
        return;
    }
    row->row = snMakeContactRow(c->normal, c->friction, &response, ROUNDING * alone);
    row->row.answer *= h;
    row->row.least *= h;
    row->row.depth = c->depth;
    if (c->side[1].body) row->roll = ROLL * fmin(1, c->friction) * lengthOf(c);
    prepareFlesh(c, h, &row->flesh);
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

// Relative spin of a block's links by a torque on both.
static snVec3 spinBy(const snCoatBlock *block, snVec3 torque)
{
    snVec3 sum = {0, 0, 0}, none = {0, 0, 0};
    for (int on = 0; on < 2; on++)
        for (int at = 0; at < 2; at++) {
            snSpatial motion = {none, none};
            snCoatBody *b = block->body[on];
            if (!b || block->body[at] != b) continue;
            snCoatBody_AddAnswer(b, block->slot[on], (snSpatial){torque, none}, block->slot[at],
                                 &motion);
            sum = snMulAdd(sum, on == at ? 1 : -1, motion.turn);
        }
    return sum;
}

static void prepareBlocks(int begin, int end, int worker, void *context)
{
    snCoatGroup *g = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        snCoatBlock *block = &g->blocks[i];
        if (!block->body[0] || !block->body[1]) continue; // on colliders nothing but friction acts
        snMat3 answer = {spinBy(block, snVec(1, 0, 0)), spinBy(block, snVec(0, 1, 0)),
                         spinBy(block, snVec(0, 0, 1))};
        double size = snTrace(answer);
        if (!(snDet(answer) > 1e-12 * size * size * size)) continue; // it does not turn
        block->steady = snInverse3(answer);
        block->slide = 1 / size;
        for (int e = 0; e < 2; e++) {
            const snCoatBody *b = block->body[e];
            if (b)
                block->spin = snMulAdd(block->spin, e ? -1 : 1,
                                       b->spinFree[b->answers.links[block->slot[e]]]);
        }
    }
}

static void prepareSome(int begin, int end, int worker, void *context)
{
    snCoatGroup *g = context;
    (void)worker;
    for (int i = begin; i < end; i++)
        prepare(&g->contacts[i], g->h, &g->rows[i]);
}

// ---- what is remembered -----------------------------------------------------------------------------------

static snCoatMemo *memoOf(const snCoatContact *c)
{
    const snCoatSide *side = &c->side[0];
    return &side->body->memos[side->body->first[side->element] + c->sample];
}

static void leave(const snCoatBlock *block, const snSpatial wrench[2])
{
    for (int e = 0; e < 2; e++)
        if (block->body[e]) snCoatBody_Strike(block->body[e], block->slot[e], wrench[e]);
}

// Where the same sample is in the same thing as in the last step, it begins with the same force.
static void recall(snCoatGroup *g, const snCoatBlock *block, double h)
{
    snSpatial wrench[2] = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
    for (int i = block->begin; i < block->end; i++) {
        const snCoatContact *c = &g->contacts[i];
        if (c->hold) continue;
        const snCoatMemo *memo = memoOf(c);
        snCoatRow *row = &g->rows[i];
        if (!(memo->push > 0) || memo->other != c->other) continue;
        snVec3 rub = snScale(h, memo->rub);
        row->row.push = h * memo->push;
        for (int n = 0; n < row->flesh.count; n++)
            *row->flesh.load[n] += row->flesh.slant[n] * row->row.push;
        row->row.rub = snMulAdd(rub, -snDot(rub, c->normal), c->normal);
        snVec3 impulse = snContactRow_Impulse(&row->row);
        for (int s = 0; s < 2; s++) {
            int end = s ? 1 - row->first : row->first;
            wrench[end] = snAddS(
                wrench[end],
                snForceFrom((snSpatial){{0, 0, 0}, s ? snNeg(impulse) : impulse}, row->arm[end]));
        }
    }
    leave(block, wrench);
}

// Impulses into contacts, and what flesh gives way by them.
static void writeBack(snCoatContact *c, const snCoatRow *row, double h)
{
    c->push = row->row.push;
    c->rub = row->row.rub;
    for (int s = 0; s < 2; s++) {
        snCoatSide *side = &c->side[s];
        for (int i = 0; i < side->count; i++) {
            double give = (*loadOf(side, i) / h - side->preload[i]) / side->stiff[i];
            side->give[i] = fmin(give, side->most[i]);
        }
    }
}

void snCoatBody_Remember(const snCoatGroup *g, snCoatBody *b)
{
    memset(b->memos, 0, (size_t)b->cylinderCount * sizeof *b->memos);
    for (int n = b->firstSide; n >= 0; n = g->contacts[n / 2].side[n % 2].next) {
        const snCoatContact *c = &g->contacts[n / 2];
        if (n % 2 || c->hold || !(c->push > 0)) continue;
        *memoOf(c) = (snCoatMemo){c->push / g->h, snScale(1 / g->h, c->rub), c->other, 0};
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

static void join(const snCoatGroup *g, const snCoatContact *c)
{
    if (c->hold || !c->side[0].body || !c->side[1].body) {
        for (int s = 0; s < 2; s++)
            if (c->side[s].body) c->side[s].body->outside = true;
        return;
    }
    snSets_Join(g->partner, c->side[0].body->number, c->side[1].body->number);
}

int snCoatGroup_Partner(const void *group, int number)
{
    return snSets_Root(((const snCoatGroup *)group)->partner, number);
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

static bool endsOfBlock(const snCoatGroup *g, int i, int bodies[2])
{
    const snCoatBlock *block = &g->blocks[i];
    for (int e = 0; e < 2; e++)
        bodies[e] = (block->body[e] ? block->body[e] : block->body[1 - e])->number;
    return true;
}

static void recallBlocks(snCoatGroup *g, int node, int count, const int *items)
{
    (void)node;
    for (int i = 0; i < count; i++)
        recall(g, &g->blocks[items[i]], g->h);
}

static void sweepBlocks(snCoatGroup *g, int node, int count, const int *items)
{
    snCoatSweep sweep = {0, 0};
    for (int i = 0; i < count; i++)
        g->kernels->take(g, &g->blocks[items[i]], &sweep);
    g->swept[node] = sweep;
}

static bool isLoaded(const snCoatGroup *g)
{
    bool any = false;
    for (int b = 0; b < g->count && !any; b++)
        any = g->bodies[b]->thrustCount > 0;
    return any;
}

static bool isSettled(const snCoatGroup *g)
{
    snCoatSweep all = {0, 0};
    for (int n = 0; n < 2 << g->split.depth; n++) {
        all.change = fmax(all.change, g->swept[n].change);
        all.largest = fmax(all.largest, g->swept[n].largest);
    }
    double enough = isLoaded(g) ? 0.01 * SETTLED : SETTLED;
    return !(all.change > enough * enough * all.largest);
}

static void writeBackSome(int begin, int end, int worker, void *context)
{
    snCoatGroup *g = context;
    (void)worker;
    for (int i = begin; i < end; i++)
        writeBack(&g->contacts[i], &g->rows[i], g->h);
}

static void addTwist(const snCoatBlock *block)
{
    for (int e = 0; e < 2; e++) {
        snCoatBody *b = block->body[e];
        if (!b) continue;
        snVec3 *sum = &b->twists[b->answers.links[block->slot[e]]];
        *sum = snMulAdd(*sum, e ? -1 : 1, block->twist);
    }
}

void snCoatGroup_Solve(snCoatGroup *g)
{
    snTasks alone = {0};
    listBlocks(g);
    snParallelFor(g->dense ? &g->tasks : &alone, g->contactCount, 64, prepareSome, g);
    snParallelFor(g->dense ? &g->tasks : &alone, g->blockCount, 32, prepareBlocks, g);
    snCoatGroup_Split(g);
    snCoatQueue_Fill(g, &g->blockQueue, g->blockCount, endsOfBlock);
    snCoatQueue_Run(g, &g->blockQueue, recallBlocks);
    memset(g->swept, 0, sizeof g->swept);
    int most = isLoaded(g) ? LOADED_SWEEPS : SWEEPS;
    for (int n = 0; n < most && (n == 0 || !isSettled(g)); n++)
        snCoatQueue_Run(g, &g->blockQueue, sweepBlocks);
    snParallelFor(&g->tasks, g->contactCount, 128, writeBackSome, g);
    for (int i = 0; i < g->blockCount; i++)
        addTwist(&g->blocks[i]);
}
