#include "body/lattice/swing.h"

#include "core/error.h"
#include "core/random.h"
#include "numerics/dense.h"

#include <math.h>
#include <string.h>

// Subspace iteration (Bathe, "Finite Element Procedures", 1996, section 11.6): X ← K⁻¹ M X for a
// block X of vectors, then Rayleigh and Ritz: with X made orthonormal in M, the eigenvectors of
// XᵀKX turn X towards the swings. A swing's error falls by ω²/ω²_{p+1} per round.
#define ROUNDS 16
#define SETTLED 1e-4        // relative change of ω² of the slowest swing that ends the rounds
#define QUICKENED (1.0 / 3) // of a slow swing's energy that flesh must have for it to count

struct snSwings {
    int size; // vertices
    snSparse work;
    snFactor *factor;
    double *x, *y;   // [size * 3 * SN_SWINGS]
    double *weighed; // [size * 3 * SN_SWINGS], M X, with a consistent mass
    double *push;    // [size], M times a push of the whole
    double *scratch; // of the factor
};

snStatus snSwings_Make(snSwings **out, const snSparse *stiffness, snArena *arena, snError *error)
{
    snSwings *s = SN_NEW(arena, snSwings, 1);
    snSymbolic *symbolic;
    if (!s) return snFailMemory(error);
    s->size = stiffness->pattern.size;
    snStatus status = snSparse_Make(&s->work, &stiffness->pattern, 3, arena, error);
    if (!status)
        status = snSymbolic_Make(&symbolic, &s->work.pattern, 3, SN_ORDER_AMD, arena, error);
    if (!status) status = snFactor_Make(&s->factor, symbolic, arena, error);
    if (status) return status;
    size_t numbers = (size_t)s->size * 3 * SN_SWINGS;
    s->x = SN_NEW(arena, double, numbers);
    s->y = SN_NEW(arena, double, numbers);
    s->weighed = SN_NEW(arena, double, numbers);
    s->push = SN_NEW(arena, double, s->size);
    s->scratch = SN_NEW(arena, double, snFactor_ScratchSize(s->factor, SN_SWINGS));
    *out = s;
    return s->x && s->y && s->weighed && s->push && s->scratch ? SN_OK : snFailMemory(error);
}

static bool isFree(const snSwingDef *def, int vertex)
{
    return !def->free || def->free[vertex];
}

// What a push of the whole moves.
static bool isPushed(const snSwingDef *def, int row)
{
    return isFree(def, row) && (!def->massMatrix || row < def->vertexCount);
}

static void findPush(snSwings *s, const snSwingDef *def)
{
    for (int v = 0; v < s->size; v++)
        s->push[v] = def->massMatrix ? 0 : def->mass[v];
    if (!def->massMatrix) return;
    for (int v = 0; v < s->size; v++)
        s->y[v] = isPushed(def, v);
    snSparse_Multiply(def->massMatrix, 1, s->y, s->push);
}

// Factor times the stiffness, springs on the diagonal, and clamped vertices by themselves. A
// millionth of the diagonal is added, so that loosely hanging cells leave the matrix regular.
static void setMatrix(snSwings *s, const snSwingDef *def, double factor)
{
    const snPattern *p = &s->work.pattern;
    for (int c = 0; c < p->size; c++)
        for (int i = p->columnStart[c]; i < p->columnStart[c + 1]; i++) {
            const double *from = def->stiffness->values + (size_t)i * 9;
            double *to = s->work.values + (size_t)i * 9;
            bool both = isFree(def, c) && isFree(def, p->row[i]);
            for (int k = 0; k < 9; k++) {
                bool diagonal = p->row[i] == c && k % 4 == 0;
                double spring = diagonal && def->spring ? def->spring[c] : 0;
                to[k] = both ? factor * from[k] * (diagonal ? 1 + 1e-6 : 1) + spring : diagonal;
                if (both && diagonal && !(to[k] > 0)) to[k] = 1; // a vertex of no cell
            }
        }
}

// Pushes in x, y and z, and others at random.
static void start(snSwings *s, const snSwingDef *def)
{
    snRandom random = snMakeRandom(1);
    for (int k = 0; k < s->size * 3 * SN_SWINGS; k++) {
        int v = k / (3 * SN_SWINGS), p = k / SN_SWINGS % 3, r = k % SN_SWINGS;
        double push = r < 3 ? (double)(p == r) : snRandom_Uniform(&random, -1, 1);
        s->x[k] = (r < 3 ? isPushed(def, v) : isFree(def, v)) ? push : 0;
    }
}

static double dot(const snSwings *s, const double *a, int i, const double *b, int j)
{
    double sum = 0;
    for (int k = 0; k < s->size * 3; k++)
        sum += a[k * SN_SWINGS + i] * b[k * SN_SWINGS + j];
    return sum;
}

// x_i . M x_j; with a consistent mass M x is kept along.
static double massDot(const snSwings *s, const snSwingDef *def, int i, int j)
{
    double sum = 0;
    if (def->massMatrix) return dot(s, s->x, i, s->weighed, j);
    for (int k = 0; k < s->size * 3; k++)
        sum += def->mass[k / 3] * s->x[k * SN_SWINGS + i] * s->x[k * SN_SWINGS + j];
    return sum;
}

// x_i = scale x_i - along x_j.
static void combine(const snSwings *s, double *x, int i, double scale, int j, double along)
{
    for (int k = 0; k < s->size * 3; k++)
        x[k * SN_SWINGS + i] = scale * x[k * SN_SWINGS + i] - along * x[k * SN_SWINGS + j];
}

// Gram and Schmidt in M, twice for accuracy. What is left of a vector that depends on those before
// it becomes zero. Returns how many are not.
static int orthonormalise(snSwings *s, const snSwingDef *def)
{
    int rank = 0;
    if (def->massMatrix) snSparse_Multiply(def->massMatrix, 3 * SN_SWINGS, s->x, s->weighed);
    for (int i = 0; i < SN_SWINGS; i++) {
        double before = massDot(s, def, i, i);
        for (int twice = 0; twice < 2; twice++)
            for (int j = 0; j < i; j++) {
                double along = massDot(s, def, i, j);
                combine(s, s->x, i, 1, j, along);
                if (def->massMatrix) combine(s, s->weighed, i, 1, j, along);
            }
        double after = massDot(s, def, i, i);
        bool good = after > 1e-20 * before && after > 0;
        double scale = good ? 1 / sqrt(after) : 0;
        combine(s, s->x, i, scale, i, 0);
        if (def->massMatrix) combine(s, s->weighed, i, scale, i, 0);
        rank += good;
    }
    return rank;
}

// X ← X V with the eigenvectors of XᵀKX, slowest first; vectors that are zero come last.
static snStatus turn(snSwings *s, double *omega2, snError *error)
{
    double a[SN_SWINGS * SN_SWINGS], v[SN_SWINGS * SN_SWINGS], work[SN_SWINGS], row[SN_SWINGS];
    double value[SN_SWINGS], largest = 0;
    snSparse_Multiply(&s->work, SN_SWINGS, s->x, s->y);
    for (int i = 0; i < SN_SWINGS; i++)
        for (int j = 0; j <= i; j++)
            a[j * SN_SWINGS + i] = dot(s, s->x, i, s->y, j);
    for (int i = 0; i < SN_SWINGS; i++)
        if (a[i * SN_SWINGS + i] > largest) largest = a[i * SN_SWINGS + i];
    for (int i = 0; i < SN_SWINGS; i++)
        if (!(a[i * SN_SWINGS + i] > 0)) a[i * SN_SWINGS + i] = 2 * largest;
    snStatus status = snSymmetricEigen(SN_SWINGS, a, value, v, work, error);
    if (status) return status;
    for (int i = 0; i < SN_SWINGS; i++)
        omega2[i] = value[SN_SWINGS - 1 - i];
    for (int k = 0; k < s->size * 3; k++) {
        memcpy(row, s->x + (size_t)k * SN_SWINGS, sizeof row);
        for (int i = 0; i < SN_SWINGS; i++) {
            double sum = 0;
            for (int j = 0; j < SN_SWINGS; j++)
                sum += v[(SN_SWINGS - 1 - i) * SN_SWINGS + j] * row[j];
            s->x[k * SN_SWINGS + i] = sum;
        }
    }
    return SN_OK;
}

static void solve(snSwings *s, const snSwingDef *def)
{
    if (def->massMatrix) {
        snSparse_Multiply(def->massMatrix, 3 * SN_SWINGS, s->x, s->weighed);
        memcpy(s->x, s->weighed, (size_t)s->size * 3 * SN_SWINGS * sizeof(double));
    }
    for (int k = 0; k < s->size * 3 * SN_SWINGS; k++) {
        int v = k / (3 * SN_SWINGS);
        double mass = def->massMatrix ? 1 : def->mass[v];
        s->x[k] = isFree(def, v) ? s->x[k] * mass : 0;
    }
    snFactor_Solve(s->factor, SN_SWINGS, s->x, s->scratch);
}

static double shareOf(const snSwings *s, const snSwingDef *def, int which)
{
    double total = 0, along[3] = {0, 0, 0};
    for (int k = 0; k < s->size * 3; k++) {
        if (k % 3 == 0 && isPushed(def, k / 3)) total += s->push[k / 3];
        along[k % 3] += s->push[k / 3] * s->x[k * SN_SWINGS + which];
    }
    double square = along[0] * along[0] + along[1] * along[1] + along[2] * along[2];
    return total > 0 ? square / total : 0;
}

static snSwing describe(const snSwings *s, const snSwingDef *def, int which, double omega2,
                        double factor)
{
    double springs = 0;
    for (int k = 0; k < s->size * 3 && def->spring; k++) {
        double phi = s->x[k * SN_SWINGS + which];
        if (isFree(def, k / 3)) springs += def->spring[k / 3] * phi * phi;
    }
    return (snSwing){omega2, (omega2 - springs) / factor, shareOf(s, def, which), which};
}

static bool counts(const snSwingDef *def, const snSwing *swing, double factor, double leastShare)
{
    bool quickened = factor * swing->elastic >= QUICKENED * swing->omega2;
    return swing->share >= leastShare && (quickened || swing->omega2 >= def->wanted);
}

static snSwing choose(const snSwings *s, const snSwingDef *def, double factor, double leastShare,
                      const double *omega2, int rank)
{
    for (int which = 0; which < rank; which++) {
        snSwing swing = describe(s, def, which, omega2[which], factor);
        if (counts(def, &swing, factor, leastShare)) return swing;
    }
    return describe(s, def, 0, omega2[0], factor);
}

snStatus snSwings_Slowest(snSwings *s, const snSwingDef *def, double factor, double leastShare,
                          snSwing *swing, snError *error)
{
    double omega2[SN_SWINGS] = {0}, before = 0;
    int rank = 0;
    *swing = (snSwing){0};
    setMatrix(s, def, factor);
    findPush(s, def);
    snStatus status = snFactor_Compute(s->factor, &s->work, error);
    if (status) return status;
    start(s, def);
    for (int round = 0; round < ROUNDS; round++) {
        solve(s, def);
        rank = orthonormalise(s, def);
        if (!rank) return SN_OK; // nothing has mass
        status = turn(s, omega2, error);
        if (status) return status;
        snSwing now = choose(s, def, factor, leastShare, omega2, rank);
        *swing = now;
        if (fabs(now.omega2 - before) < SETTLED * now.omega2 && round > 3) break;
        before = now.omega2;
    }
    return SN_OK;
}

void snSwings_Shape(const snSwings *s, int which, double *shape)
{
    for (int k = 0; k < s->size * 3; k++)
        shape[k] = s->x[k * SN_SWINGS + which];
}
