// Contacts of a block, one after another (the derivation is in coat_solve.c), compiled once per instruction set (core/simd.h).
#include "body/coat/coat_parts.h"
#include "core/simd.h"

#define PIECES 5 // of gap(N) that are looked at

// Motions of the block's links by all impulses so far, and what was done to them since it was entered.
typedef struct Ends {
    const snCoatBlock *block;
    snSpatialRow motion[2];
    snSpatial wrench[2];
} Ends;

// Σ_k w_k row_k, the motion by a wrench.
static inline snDouble8 motionBy(const snSpatialRow *six, snSpatial w)
{
    const double *rows = &six->motion.turn.x;
    snDouble8 sum = w.turn.x * snLoad8(rows) + w.turn.y * snLoad8(rows + 8);
    sum += w.turn.z * snLoad8(rows + 16);
    sum += w.move.x * snLoad8(rows + 24);
    sum += w.move.y * snLoad8(rows + 32);
    return sum + w.move.z * snLoad8(rows + 40);
}

static void answer(const snSpatialRow *blocks, int count, snSpatial w, snSpatialRow *motions)
{
    for (int i = 0; i < count; i++) {
        double *to = &motions[i].motion.turn.x;
        snStore8(to, snLoad8(to) + motionBy(blocks + 6 * (size_t)i, w));
    }
}

static Ends enter(const snCoatBlock *block)
{
    Ends ends = {.block = block};
    for (int e = 0; e < 2; e++)
        if (block->body[e]) ends.motion[e] = block->body[e]->answers.change[block->slot[e]];
    return ends;
}

static void leave(const Ends *ends)
{
    for (int e = 0; e < 2; e++) {
        snCoatBody *b = ends->block->body[e];
        if (!b) continue;
        if (b->answers.dense)
            answer(snCoatAnswers_At(&b->answers, ends->block->slot[e], 0), b->answers.count,
                   ends->wrench[e], b->answers.change);
        else
            snCoatBody_Strike(b, ends->block->slot[e], ends->wrench[e]);
    }
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
            answer(snCoatAnswers_At(&b->answers, block->slot[on], block->slot[at]), 1, wrench,
                   &ends->motion[at]);
        else
            snCoatBody_AddAnswer(b, block->slot[on], wrench, block->slot[at],
                                 &ends->motion[at].motion);
    }
}

static inline snSpatial wrenchOf(snVec3 arm, snVec3 impulse)
{
    return (snSpatial){snCross(arm, impulse), impulse};
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
    return snSub(snMotionAt(ends->motion[first].motion, row->arm[first]).move,
                 snMotionAt(ends->motion[1 - first].motion, row->arm[1 - first]).move);
}

// Of gap(N): which cylinders are pressed as far as they go, one bit each; sum and slope of what flesh gives. `held`: what they hold
// against, less what other contacts press them with.
static inline int giving(const snCoatRow *row, const double *held, double push, double *sum,
                         double *slope)
{
    int pressed = 0;
    *sum = *slope = 0;
    for (int i = 0; i < row->count; i++) {
        double give = row->soft[i] * push - held[i];
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
    double push = row->push, sum, slope, held[4];
    double others = h * snDot(row->normal, *v) - row->answer * push - row->depth;
    for (int i = 0; i < row->count; i++)
        held[i] = row->held[i] - row->reach[i] * (*row->load[i] - row->lever[i] * push);
    int pressed = giving(row, held, push, &sum, &slope);
    for (int n = 0; n < PIECES; n++) { // Newton's method ends on the right piece
        double gap = others + row->answer * push + sum;
        push = fmax(0, push - gap / (row->answer + slope));
        int before = pressed;
        pressed = giving(row, held, push, &sum, &slope);
        if (pressed == before) break;
    }
    double by = push - row->push;
    for (int i = 0; i < row->count; i++)
        *row->load[i] += row->lever[i] * by;
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

// Flesh that is rolled over is pressed anew in front and does not give all of it back behind: a torque against the relative spin, no more
// than what the pushes bear; taken as friction is.
static void stopRolling(snCoatBlock *block, Ends *ends, double most)
{
    snVec3 spin =
        snAdd(block->spin, snSub(ends->motion[0].motion.turn, ends->motion[1].motion.turn));
    snVec3 to = snSub(block->twist, snMulMV(block->steady, spin));
    if (snLengthSquared(to) > most * most) {
        to = snMulAdd(block->twist, -block->slide, spin);
        double squared = snLengthSquared(to);
        if (squared > most * most) to = snScale(most / sqrt(squared), to);
    }
    snVec3 by = snSub(to, block->twist), none = {0, 0, 0};
    block->twist = to;
    strikeOne(ends, 0, (snSpatial){by, none});
    strikeOne(ends, 1, (snSpatial){snNeg(by), none});
}

static void takeBlock(snCoatGroup *g, snCoatBlock *block, snCoatSweep *sweep)
{
    double h = g->h, bears = 0;
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
        bears += row->roll * row->push;
        double size = snLengthSquared(by);
        if (size > 0) strike(&ends, row, by);
        sweep->change = fmax(sweep->change, size);
        sweep->largest = fmax(sweep->largest, row->push * row->push + snLengthSquared(row->rub));
    }
    if (bears > 0 || snLengthSquared(block->twist) > 0) stopRolling(block, &ends, bears);
    leave(&ends);
}

extern const snCoatSweepKernels SN_VARIANT(snCoatSweepKernels);
const snCoatSweepKernels SN_VARIANT(snCoatSweepKernels) = {takeBlock, answer};
