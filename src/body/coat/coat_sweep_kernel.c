// Contacts of a block, one after another (the derivation is in coat_solve.c), compiled once per instruction set (core/simd.h).
#include "body/coat/coat_parts.h"
#include "core/simd.h"

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

// Flesh that is rolled over is pressed anew in front and does not give all of it back behind: a torque against the relative spin, no more
// than what the pushes bear; taken as friction is.
static void stopRolling(snCoatBlock *block, Ends *ends, double most)
{
    snVec3 spin =
        snAdd(block->spin, snSub(ends->motion[0].motion.turn, ends->motion[1].motion.turn));
    snVec3 to = snCoulomb(snSub(block->twist, snMulMV(block->steady, spin)),
                          snMulAdd(block->twist, -block->slide, spin), most);
    snVec3 by = snSub(to, block->twist), none = {0, 0, 0};
    block->twist = to;
    strikeOne(ends, 0, (snSpatial){by, none});
    strikeOne(ends, 1, (snSpatial){snNeg(by), none});
}

// Along the normal, then across it, with what the first changes.
static inline snVec3 takeContact(snCoatRow *c, double h, snVec3 change)
{
    snContactRow *row = &c->row;
    double by = snContactRow_Press(row, &c->flesh, h * snDot(row->normal, change));
    snVec3 more = snScale(by, row->normal);
    if (!snContactRow_Rubs(row)) return more;
    snVec3 slip = snAdd(c->slip, snMulAdd(change, by, row->along));
    return snAdd(more, snContactRow_Rub(row, slip));
}

static void takeBlock(snCoatGroup *g, snCoatBlock *block, snCoatSweep *sweep)
{
    double bears = 0;
    Ends ends = enter(block);
    for (int i = block->begin; i < block->end; i++) {
        snCoatRow *c = &g->rows[i];
        const snContactRow *row = &c->row;
        snVec3 change = changed(&ends, c);
        snVec3 by = row->tie ? snContactRow_Hold(&c->row, snAdd(c->slip, change))
                             : takeContact(c, g->h, change);
        bears += c->roll * row->push;
        double size = snLengthSquared(by);
        if (size > 0) strike(&ends, c, by);
        sweep->change = fmax(sweep->change, size);
        sweep->largest = fmax(sweep->largest, row->push * row->push + snLengthSquared(row->rub));
    }
    if (bears > 0 || snLengthSquared(block->twist) > 0) stopRolling(block, &ends, bears);
    leave(&ends);
}

extern const snCoatSweepKernels SN_VARIANT(snCoatSweepKernels);
const snCoatSweepKernels SN_VARIANT(snCoatSweepKernels) = {takeBlock, answer};
