// A contact as an impulse: the row that Signorini's and Coulomb's conditions are solved by, for bodies of all models.
//
// Two ends touch along a normal n. An impulse P = N n + T, T across n, on the first end and the other way on the second changes the gap g
// between them by w N and what slips, s, by R T + a N. Wanted is
//
//     g >= 0, N >= 0, g N = 0;      |T| <= μ N, s = 0 where it is less, else T against s.
//
// Gaps and slips are those at a step's end, as lengths or as speeds: whoever makes a row says which. A tie is a row that is held in every
// way, with all of what is between its ends to be 0.
//
// Rows are taken in turn, each with the others as they are (Gauss and Seidel; solve.h has the loop), and each exactly but for what
// slides: N first, then both ways across at once. What sticks is stopped, T - R⁻¹ s. What slides goes against its way by no more than
// the easier way bears, T - s/λ with λ the larger eigenvalue of R, and back onto the cone; it settles where T is against s.
//
// What gives way at a contact beside its ends, such as flesh between two bones, are springs. One whose axis has the slant α to the normal
// shortens by min(most, (α N + F) c - held), with F what other contacts press it with, so that the gap grows by α times that: piecewise
// linear in N and growing, and N is found by Newton's method, which ends on the right piece. A spring without end is compliance on the diagonal.
//
// Everything is inline: kernels of all instruction sets are made of it, and give the same bits.
#ifndef SN_CONTACT_ROW_H
#define SN_CONTACT_ROW_H

#include "core/vec.h"

#define SN_ROW_SINGULAR                                                                            \
    1e-9 // of the largest answer: less is rounding, where answers are products of long columns
#define SN_ROW_SPRINGS 4
#define SN_ROW_PIECES 5 // of the gap over N that are looked at

typedef struct snContactRow {
    bool tie;
    snVec3 normal; // unit, from the second end to the first
    union {
        struct {
            snVec3 along;     // a: change of what slips by a push of 1 N s
            snVec3 across[2]; // unit vectors across the normal
        };
        snMat3 inverse; // of a tie's answer
    };
    double stick[3], slide; // R⁻¹ over `across`: xx, xy, yy; 1/λ. 0: nothing slips there
    double answer, least;   // w, 0: nothing gives way; what is as little as none
    double depth;           // what the gap is short of beyond what is between the ends
    double friction;        // μ
    double push;            // N, N s
    snVec3 rub;             // T, of ties all of the impulse, N s
} snContactRow;

typedef struct snContactSprings {
    int count;
    double soft[SN_ROW_SPRINGS], held[SN_ROW_SPRINGS], most[SN_ROW_SPRINGS]; // times their slants
    double slant[SN_ROW_SPRINGS], reach[SN_ROW_SPRINGS];                     // α; α c
    double *load[SN_ROW_SPRINGS]; // α N + F, N s: of all contacts at it
} snContactSprings;

// ---- making --------------------------------------------------------------------------------------

// What an impulse across the normal answers with, of `response`, the change of what is between the ends.
static inline void snContactRow_SetAcross(snContactRow *row, const snMat3 *response)
{
    row->across[0] = snPerpendicular(row->normal);
    row->across[1] = snCross(row->normal, row->across[0]);
    snVec3 u = snMulMV(*response, row->across[0]), v = snMulMV(*response, row->across[1]);
    double a = snDot(u, row->across[0]), d = snDot(v, row->across[1]);
    double b = 0.5 * (snDot(u, row->across[1]) + snDot(v, row->across[0]));
    double half = 0.5 * (a - d), largest = 0.5 * (a + d) + sqrt(half * half + b * b);
    double det = fmax(a * d - b * b, 1e-12 * largest * largest);
    if (!(largest > row->least)) return; // it bears nothing across
    row->stick[0] = d / det, row->stick[1] = -b / det, row->stick[2] = a / det;
    row->slide = 1 / largest;
}

// A contact without an impulse yet. What is no more than `least` is rounding of the response: SN_ROW_SINGULAR of it, or more where it is the
// difference of larger ones, as between two links in one place.
static inline snContactRow snMakeContactRow(snVec3 normal, double friction, const snMat3 *response,
                                            double least)
{
    snContactRow row = {.normal = normal, .friction = friction, .least = least};
    row.along = snMulMV(*response, normal);
    double answer = snDot(normal, row.along);
    if (answer > least) row.answer = answer;
    snContactRow_SetAcross(&row, response);
    return row;
}

static inline snContactRow snMakeTieRow(const snMat3 *response, double least)
{
    snContactRow row = {.tie = true, .least = least};
    snMat3 sum = snAddMM(*response, snDiagonal3(least, least, least));
    if (snDet(sum) > 0) row.inverse = snInverse3(sum);
    return row;
}

static inline snVec3 snContactRow_Impulse(const snContactRow *row)
{
    return row->tie ? row->rub : snMulAdd(row->rub, row->push, row->normal);
}

// Where it begins: an impulse of an earlier solution.
static inline void snContactRow_Begin(snContactRow *row, snVec3 impulse)
{
    row->push = row->tie ? 0 : snDot(impulse, row->normal);
    row->rub = snMulAdd(impulse, -row->push, row->normal);
}

// ---- taking --------------------------------------------------------------------------------------

// Signorini's condition: the N that brings a gap to 0 which a push of 1 changes by `answer`, or 0.
static inline double snSignorini(double push, double gap, double answer)
{
    return fmax(0, push - gap / answer);
}

// Coulomb's: what would stop all, if the cone has it; else what slides, on the cone.
static inline snVec3 snCoulomb(snVec3 stopped, snVec3 sliding, double most)
{
    if (!(snLengthSquared(stopped) > most * most)) return stopped;
    double squared = snLengthSquared(sliding);
    return squared > most * most ? snScale(most / sqrt(squared), sliding) : sliding;
}

// What springs give under a push, its slope, and which of them are at their end, one bit each. `held`: less what others press them with.
static inline int snContactSprings_Give(const snContactSprings *springs, const double *held,
                                        double push, double *sum, double *slope)
{
    int ended = 0;
    *sum = *slope = 0;
    for (int i = 0; i < springs->count; i++) {
        double give = springs->soft[i] * push - held[i];
        if (give >= springs->most[i]) {
            *sum += springs->most[i];
            ended |= 1 << i;
        } else {
            *sum += give;
            *slope += springs->soft[i];
        }
    }
    return ended;
}

// N where springs give way. `gap` is without what they give, and without the depth. Returns what is added to N; the springs are loaded with it.
static inline double snContactRow_Press(snContactRow *row, const snContactSprings *springs,
                                        double gap)
{
    double push = row->push, sum, slope, held[SN_ROW_SPRINGS];
    double others = gap - row->answer * push - row->depth;
    for (int i = 0; i < springs->count; i++)
        held[i] =
            springs->held[i] - springs->reach[i] * (*springs->load[i] - springs->slant[i] * push);
    int ended = snContactSprings_Give(springs, held, push, &sum, &slope);
    if (push == 0 && others + sum >= 0) return 0; // it does not touch
    for (int n = 0; n < SN_ROW_PIECES && row->answer + slope > row->least; n++) {
        push = snSignorini(push, others + row->answer * push + sum, row->answer + slope);
        int before = ended;
        ended = snContactSprings_Give(springs, held, push, &sum, &slope);
        if (ended == before) break;
    }
    double by = push - row->push;
    for (int i = 0; i < springs->count; i++)
        *springs->load[i] += springs->slant[i] * by;
    row->push = push;
    return by;
}

// N without any. Returns what is added to it.
static inline double snContactRow_Push(snContactRow *row, double gap)
{
    double before = row->push;
    if (row->answer > 0) row->push = snSignorini(before, gap - row->depth, row->answer);
    return row->push - before;
}

// T under the present N. Returns what is added to it.
static inline snVec3 snContactRow_Rub(snContactRow *row, snVec3 slip)
{
    double x = snDot(slip, row->across[0]), y = snDot(slip, row->across[1]);
    double byX = row->stick[0] * x + row->stick[1] * y, byY = row->stick[1] * x + row->stick[2] * y;
    snVec3 stopped = snMulAdd(snMulAdd(row->rub, -byX, row->across[0]), -byY, row->across[1]);
    snVec3 off = snMulAdd(snScale(x, row->across[0]), y, row->across[1]);
    snVec3 to = snCoulomb(stopped, snMulAdd(row->rub, -row->slide, off), row->friction * row->push);
    snVec3 by = snSub(to, row->rub);
    row->rub = to;
    return by;
}

static inline bool snContactRow_Rubs(const snContactRow *row)
{
    return (row->friction > 0 && row->push > 0) || snLengthSquared(row->rub) > 0;
}

static inline snVec3 snContactRow_Hold(snContactRow *row, snVec3 between)
{
    snVec3 by = snNeg(snMulMV(row->inverse, between));
    row->rub = snAdd(row->rub, by);
    return by;
}

// A turn of a row with `between` its ends: along the normal the gap, across it what slips. Returns what is added to its impulse.
static inline snVec3 snContactRow_Take(snContactRow *row, snVec3 between)
{
    if (row->tie) return snContactRow_Hold(row, between);
    double by = snContactRow_Push(row, snDot(between, row->normal));
    snVec3 more = snScale(by, row->normal);
    if (!snContactRow_Rubs(row)) return more;
    return snAdd(more, snContactRow_Rub(row, snMulAdd(between, by, row->along)));
}

#endif
