// The impulses of a step's rows.
//
// With P the impulses of all rows, e how far their ends are from where they are to be, and W = H J B Jᵀ how much farther
// impulses bring them, the conditions are, with e + W (P' - P) for e,
//
//     of a tie      e = 0,
//     of a contact  e_n >= 0, P_n >= 0, e_n P_n = 0;  |P_t| <= μ P_n, and what slips, e_t, against P_t.
//
// W is dense, symmetric and not negative; it has a few dozen rows, which contact/solve.h takes in turn by its blocks of three.
//
// How a step answers to impulses is only near to W: B is of one matrix, and knows nothing of what else bodies touch. The
// true answer is the second derivative of the least value of the steps' objectives as a function of P, and so symmetric
// and not negative as well; taking the step with P' instead of P shows it in one direction, s = P' - P with the change y of e.
// Of all matrices that agree with it, that of Broyden, Fletcher, Goldfarb and Shanno,
//
//     W - W s sᵀ W / (s . W s) + y yᵀ / (s . y),
//
// stays symmetric and positive. Where s . y is below a share of s . W s, y is drawn to W s (Powell 1978).
#include "world/meet.h"

#include <string.h>

#define SWEEPS 400
#define SETTLED 1e-10       // of a body's size: sweeps end when no row moves farther
#define BOUNCE_SETTLED 1e-9 // the same in a second
#define LEAST 0.02          // of s . W s

static int sizeOf(const snMeet *meet)
{
    return 3 * meet->most;
}

snMat3 snMeet_Block(const snMeet *meet, const double *matrix, int r, int c)
{
    int n = sizeOf(meet);
    const double *a = matrix + (size_t)(3 * r) * (size_t)n + 3 * (size_t)c, *b = a + n, *d = b + n;
    return (snMat3){{a[0], b[0], d[0]}, {a[1], b[1], d[1]}, {a[2], b[2], d[2]}};
}

static void writeBlock(double *matrix, int n, int r, int c, snMat3 m)
{
    double *a = matrix + (size_t)(3 * r) * (size_t)n + 3 * (size_t)c, *b = a + n, *d = b + n;
    a[0] = m.cx.x, a[1] = m.cy.x, a[2] = m.cz.x;
    b[0] = m.cx.y, b[1] = m.cy.y, b[2] = m.cz.y;
    d[0] = m.cx.z, d[1] = m.cy.z, d[2] = m.cz.z;
}

// ---- how ends yield -------------------------------------------------------------------------------

static snMat3 answer(const snMeet *meet, const snMeetRow *p, const snMeetRow *q)
{
    snMat3 sum = snDiagonal3(0, 0, 0);
    double h = meet->world->length * meet->world->def.step;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            if (p->body[i] != q->body[k] || p->body[i] < 0) continue;
            snMat3 m = snBody_YieldRow(meet->bodies[p->body[i]].body, &p->end[i], p->column[i],
                                       q->column[k]);
            sum = snAddMM(sum, snScaleM(i == k ? h : -h, m));
        }
    return sum;
}

static void fillRow(snMeet *meet, int r)
{
    int n = sizeOf(meet);
    for (int c = 0; c <= r; c++) {
        snMat3 m = answer(meet, &meet->rows[r], &meet->rows[c]);
        if (c == r) m = snScaleM(0.5, snAddMM(m, snTranspose(m)));
        writeBlock(meet->matrix, n, r, c, m);
        writeBlock(meet->matrix, n, c, r, snTranspose(m));
    }
}

void snMeet_FillMatrix(snMeet *meet, bool again)
{
    int first = again ? 0 : meet->inMatrix;
    for (int i = 0; i < meet->count; i++)
        meet->bodies[i].used = meet->bodies[i].tied = false;
    for (int r = 0; r < meet->rowCount; r++)
        for (int e = 0; e < 2 && meet->rows[r].body[e] >= 0; e++) {
            meet->bodies[meet->rows[r].body[e]].used = true;
            meet->bodies[meet->rows[r].body[e]].tied |= meet->rows[r].tie;
        }
    for (int i = 0; i < meet->count; i++)
        if (meet->bodies[i].used) snBody_YieldBegin(meet->bodies[i].body, meet->bodies[i].tied);
    for (int r = 0; r < meet->rowCount; r++) { // all: bodies have moved since
        snMeetRow *row = &meet->rows[r];
        for (int e = 0; e < 2 && row->body[e] >= 0; e++)
            snBody_YieldColumn(meet->bodies[row->body[e]].body, &row->end[e], !row->fresh,
                               row->column[e]);
        row->fresh = false;
    }
    for (int r = first; r < meet->rowCount; r++)
        fillRow(meet, r);
    meet->inMatrix = meet->rowCount;
}

// ---- what rounds have shown -----------------------------------------------------------------------

// One round's. Of rows that came since nothing is known: they answer as they did.
static void learnRound(snMeet *meet, int round)
{
    int n = sizeOf(meet), all = 3 * meet->rowCount, known = 3 * meet->knownRows[round];
    const double *step = meet->steps + (size_t)round * (size_t)n;
    const double *change = meet->changes + (size_t)round * (size_t)n;
    double *v = meet->work, *y = v + n, curve = 0, shown = 0;
    for (int i = 0; i < all; i++) {
        double sum = 0;
        for (int k = 0; k < known; k++)
            sum += meet->guess[(size_t)i * (size_t)n + (size_t)k] * step[k];
        v[i] = sum;
        y[i] = i < known ? change[i] : sum;
    }
    for (int k = 0; k < known; k++)
        curve += step[k] * v[k], shown += step[k] * y[k];
    if (!(curve > 0) || !isfinite(curve) || !isfinite(shown)) return;
    if (shown < LEAST * curve) {
        double share = (1 - LEAST) * curve / (curve - shown);
        for (int i = 0; i < all; i++)
            y[i] = share * y[i] + (1 - share) * v[i];
        shown = LEAST * curve;
    }
    for (int i = 0; i < all; i++)
        for (int k = 0; k < all; k++)
            meet->guess[(size_t)i * (size_t)n + (size_t)k] +=
                y[i] * y[k] / shown - v[i] * v[k] / curve;
}

// From the beginning, for rows that came since would not fit to what others have learned: the matrix stays positive only
// where it is changed as a whole.
void snMeet_FillGuess(snMeet *meet)
{
    size_t n = (size_t)sizeOf(meet), all = 3 * (size_t)meet->rowCount;
    for (size_t i = 0; i < all; i++)
        memcpy(meet->guess + i * n, meet->matrix + i * n, all * sizeof *meet->guess);
    for (int k = 0; k < meet->learned; k++)
        learnRound(meet, k);
}

// ---- solving --------------------------------------------------------------------------------------

// Rows as they act on each other through W, or a part of them.
typedef struct Dense {
    const snMeet *meet;
    const double *matrix; // W ...
    double per;           // ... times this
    int count;
} Dense;

static snVec3 between(const void *context, int i)
{
    const Dense *dense = context;
    const double *e = dense->meet->work + 3 * (size_t)dense->meet->solving[i];
    return snVec(e[0], e[1], e[2]);
}

static double act(void *context, int i, snVec3 impulse)
{
    const Dense *dense = context;
    const snMeet *meet = dense->meet;
    int n = sizeOf(meet), r = meet->solving[i];
    snVec3 before = between(context, i), by = snScale(dense->per, impulse);
    for (int k = 0; k < 3 * meet->rowCount; k++) {
        const double *m = dense->matrix + (size_t)k * (size_t)n + 3 * (size_t)r;
        meet->work[k] += m[0] * by.x + m[1] * by.y + m[2] * by.z;
    }
    return snDistance(before, between(context, i)) / snMeet_Size(meet, &meet->rows[r]);
}

static void takeErrors(const snMeet *meet)
{
    for (int r = 0; r < meet->rowCount; r++) {
        snVec3 e = meet->rows[r].error;
        meet->work[3 * r] = e.x, meet->work[3 * r + 1] = e.y, meet->work[3 * r + 2] = e.z;
    }
}

static bool sweep(Dense *dense, double settled)
{
    const snMeet *meet = dense->meet;
    snContactSystem system = {.count = dense->count,
                              .rows = meet->solver,
                              .context = dense,
                              .between = between,
                              .act = act};
    bool good = snContactSystem_Solve(&system, SWEEPS, settled);
    for (int i = 0; i < dense->count; i++)
        meet->rows[meet->solving[i]].solved = snContactRow_Impulse(&meet->solver[i]);
    return good;
}

// False: sweeps came to no end.
static bool solve(const snMeet *meet, const double *matrix)
{
    Dense dense = {meet, matrix, 1, meet->rowCount};
    takeErrors(meet);
    for (int r = 0; r < meet->rowCount; r++) {
        const snMeetRow *row = &meet->rows[r];
        snMat3 own = snMeet_Block(meet, matrix, r, r);
        double least = SN_ROW_SINGULAR * fabs(snTrace(own));
        meet->solving[r] = r;
        meet->solver[r] = row->tie ? snMakeTieRow(&own, least)
                                   : snMakeContactRow(row->normal, row->friction, &own, least);
        snContactRow_Begin(&meet->solver[r], row->impulse);
    }
    return sweep(&dense, SETTLED);
}

// What rounds have shown may be wrong, where bodies come off things within a step; then the matrix itself is taken.
void snMeet_Solve(snMeet *meet, const double *matrix)
{
    bool good = solve(meet, matrix) || (matrix != meet->matrix && solve(meet, meet->matrix));
    for (int r = 0; r < meet->rowCount && !good; r++)
        meet->rows[r].solved = meet->rows[r].impulse;
}

// Impulses along the normals alone, by which what came in at a speed leaves with its share of it. Errors are velocities here,
// less those that are wanted, and W is without H.
void snMeet_SolveBounce(snMeet *meet)
{
    Dense dense = {meet, meet->matrix, 1 / (meet->world->length * meet->world->def.step), 0};
    takeErrors(meet);
    for (int r = 0; r < meet->rowCount; r++) {
        snMeetRow *row = &meet->rows[r];
        row->solved = snVec(0, 0, 0);
        if (!(row->bounce > 0)) continue;
        snMat3 own = snScaleM(dense.per, snMeet_Block(meet, meet->matrix, r, r));
        meet->solving[dense.count] = r;
        meet->solver[dense.count++] =
            snMakeContactRow(row->normal, 0, &own, SN_ROW_SINGULAR * fabs(snTrace(own)));
    }
    sweep(&dense, BOUNCE_SETTLED);
}
