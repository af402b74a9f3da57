// The impulses of a step's rows.
//
// With P the impulses of all rows, e how far their ends are from where they are to be, and W = H J B Jᵀ how much farther
// impulses bring them, the conditions are, with e + W (P' - P) for e,
//
//     of a tie      e = 0,
//     of a contact  e_n >= 0, P_n >= 0, e_n P_n = 0;  |P_t| <= μ P_n, and what slips, e_t, against P_t.
//
// W is dense, symmetric and not negative; it has a few dozen rows. Rows are taken one after another, again and again (Gauss and
// Seidel), each by its own block of three.
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
#define SETTLED 1e-10 // of a body's size: sweeps end when no row moves farther
#define DIVERGED 1e3  // times what the first sweep moved
#define LEAST 0.02    // of s . W s
#define SINGULAR 1e-9 // of the largest answer

typedef struct Block {
    snMat3 whole;     // of the row itself
    snMat3 inverse;   // of ties
    snVec3 across[2]; // of contacts
    double push;      // 1 / W_nn; 0: nothing gives way
    double stick[3];  // inverse of W_tt: xx, xy, yy
    double slide;     // 1 / its larger eigenvalue
} Block;

static int sizeOf(const snMeet *meet)
{
    return 3 * meet->most;
}

static snMat3 readBlock(const double *matrix, int n, int r, int c)
{
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
            if (p->body[i] != q->body[k]) continue;
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
        for (int e = 0; e < 2; e++) {
            meet->bodies[meet->rows[r].body[e]].used = true;
            meet->bodies[meet->rows[r].body[e]].tied |= meet->rows[r].tie;
        }
    for (int i = 0; i < meet->count; i++)
        if (meet->bodies[i].used) snBody_YieldBegin(meet->bodies[i].body, meet->bodies[i].tied);
    for (int r = 0; r < meet->rowCount; r++) { // all: bodies have moved since
        snMeetRow *row = &meet->rows[r];
        for (int e = 0; e < 2; e++)
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

static Block makeBlock(const snMeetRow *row, snMat3 m)
{
    Block b = {.whole = m};
    double size = fabs(snTrace(m));
    if (row->tie) {
        double more = SINGULAR * size;
        snMat3 sum = snAddMM(m, snDiagonal3(more, more, more));
        if (size > 0) b.inverse = snInverse3(sum);
        return b;
    }
    b.across[0] = snPerpendicular(row->normal);
    b.across[1] = snCross(row->normal, b.across[0]);
    snVec3 along = snMulMV(m, row->normal), u = snMulMV(m, b.across[0]),
           v = snMulMV(m, b.across[1]);
    double nn = snDot(row->normal, along), a = snDot(u, b.across[0]), d = snDot(v, b.across[1]);
    double c = 0.5 * (snDot(u, b.across[1]) + snDot(v, b.across[0])), half = 0.5 * (a - d);
    double largest = 0.5 * (a + d) + sqrt(half * half + c * c);
    double det = fmax(a * d - c * c, 1e-12 * largest * largest);
    if (nn > SINGULAR * size) b.push = 1 / nn;
    if (!(largest > SINGULAR * size)) return b;
    b.stick[0] = d / det, b.stick[1] = -c / det, b.stick[2] = a / det;
    b.slide = 1 / largest;
    return b;
}

// Both ways across the normal at once: what sticks is stopped; what slides goes against its way by no more than the easier way
// bears, and back onto the cone.
static snVec3 rubOf(const snMeetRow *row, const Block *b, snVec3 rub, double push, snVec3 e)
{
    double x = snDot(e, b->across[0]), y = snDot(e, b->across[1]), most = row->friction * push;
    double byX = b->stick[0] * x + b->stick[1] * y, byY = b->stick[1] * x + b->stick[2] * y;
    snVec3 to = snMulAdd(snMulAdd(rub, -byX, b->across[0]), -byY, b->across[1]);
    if (!(snLengthSquared(to) > most * most)) return to;
    snVec3 off = snMulAdd(snScale(x, b->across[0]), y, b->across[1]);
    to = snMulAdd(rub, -b->slide, off);
    double length = snLength(to);
    return length > most ? snScale(most / length, to) : to;
}

// What is added to a row's impulse.
static snVec3 takeRow(const snMeetRow *row, const Block *b, snVec3 e)
{
    if (row->tie) return snNeg(snMulMV(b->inverse, e));
    double before = snDot(row->solved, row->normal);
    double push = fmax(0, before - b->push * snDot(e, row->normal));
    snVec3 rub = snMulAdd(row->solved, -before, row->normal);
    snVec3 after = snMulAdd(e, push - before, snMulMV(b->whole, row->normal));
    snVec3 to = snMulAdd(rubOf(row, b, rub, push, after), push, row->normal);
    return snSub(to, row->solved);
}

static void addChange(double *e, const double *matrix, int n, int rows, int r, snVec3 by)
{
    for (int i = 0; i < 3 * rows; i++) {
        const double *m = matrix + (size_t)i * (size_t)n + 3 * (size_t)r;
        e[i] += m[0] * by.x + m[1] * by.y + m[2] * by.z;
    }
}

// False: sweeps came to no end.
static bool sweep(snMeet *meet, const double *matrix)
{
    int n = sizeOf(meet);
    double *e = meet->work, moved = 1, first = 0;
    for (int r = 0; r < meet->rowCount; r++) {
        meet->rows[r].solved = meet->rows[r].impulse;
        e[3 * r] = meet->rows[r].error.x;
        e[3 * r + 1] = meet->rows[r].error.y;
        e[3 * r + 2] = meet->rows[r].error.z;
    }
    for (int k = 0; k < SWEEPS && moved > SETTLED; k++) {
        moved = 0;
        for (int r = 0; r < meet->rowCount; r++) {
            snMeetRow *row = &meet->rows[r];
            Block b = makeBlock(row, readBlock(matrix, n, r, r));
            snVec3 by = takeRow(row, &b, snVec(e[3 * r], e[3 * r + 1], e[3 * r + 2]));
            if (!snIsFinite3(by) || snLengthSquared(by) == 0) continue;
            row->solved = snAdd(row->solved, by);
            addChange(e, matrix, n, meet->rowCount, r, by);
            moved = fmax(moved, snLength(snMulMV(b.whole, by)) / snMeet_Size(meet, row));
        }
        if (!k) first = moved;
        if (!(moved <= DIVERGED * first)) return false;
    }
    return moved <= first;
}

// What rounds have shown may be wrong, where bodies come off things within a step; then the matrix itself is taken.
void snMeet_Solve(snMeet *meet, const double *matrix)
{
    bool good = sweep(meet, matrix) || (matrix != meet->matrix && sweep(meet, meet->matrix));
    for (int r = 0; r < meet->rowCount && !good; r++)
        meet->rows[r].solved = meet->rows[r].impulse;
}

// Impulses along the normals alone, by which what came in at a speed leaves with its share of it. Errors are velocities here,
// less those that are wanted, and W is without H.
void snMeet_SolveBounce(snMeet *meet)
{
    int n = sizeOf(meet);
    double *e = meet->work, h = meet->world->length * meet->world->def.step, moved = 1;
    for (int r = 0; r < meet->rowCount; r++) {
        meet->rows[r].solved = snVec(0, 0, 0);
        e[3 * r] = meet->rows[r].error.x;
        e[3 * r + 1] = meet->rows[r].error.y;
        e[3 * r + 2] = meet->rows[r].error.z;
    }
    for (int sweep = 0; sweep < SWEEPS && moved > 1e-9; sweep++) {
        moved = 0;
        for (int r = 0; r < meet->rowCount; r++) {
            snMeetRow *row = &meet->rows[r];
            if (!(row->bounce > 0)) continue;
            snMat3 whole = readBlock(meet->matrix, n, r, r);
            double w = snDot(row->normal, snMulMV(whole, row->normal)) / h;
            double off = snDot(row->normal, snVec(e[3 * r], e[3 * r + 1], e[3 * r + 2]));
            double before = snDot(row->solved, row->normal);
            if (!(w > SINGULAR * fabs(snTrace(whole)) / h)) continue;
            double by = fmax(0, before - off / w) - before;
            row->solved = snMulAdd(row->solved, by, row->normal);
            addChange(e, meet->matrix, n, meet->rowCount, r, snScale(by / h, row->normal));
            moved = fmax(moved, fabs(by) * w);
        }
    }
}
