// How fast a slender bar swings, by the functions of a subdivision scheme: its first natural frequencies
// in one plane, against Timoshenko's theory. For tests and bench/multires_bench.c.
//
// A bar of length 1 and square section h, held at x = 0 or free. With ν = 0 the motions (u_x, u_y)(x, y) in a plane,
// the same at every z, are motions of the whole bar. In the space of a lattice of n * m * m cells they are the
// combinations that do not depend on z; so one layer of cells is computed. With E = ρ = 1
//     K_xx = ∫ φ_a,x φ_b,x + ½ φ_a,y φ_b,y,    K_xy = ∫ ½ φ_a,y φ_b,x,    M = ∫ φ_a φ_b,
// taken exactly by Gauss' rule of four points each way on the functions in the limit. The box has
// sharp edges and corners, so that it is a box also in the smooth schemes.
#ifndef SN_TESTS_BODY_LATTICE_BAR_MODES_H
#define SN_TESTS_BODY_LATTICE_BAR_MODES_H

#include "body/lattice/scheme_limit.h"
#include "numerics/dense.h"
#include "tests/body/lattice/sharp_blocks.h"

#include <math.h>

#define BAR_MODES 3
#define BAR_THICKNESS 0.05

// Huang, "The Effect of Rotatory Inertia and of Shear Deformation on the Frequency and Normal Mode Equations
// of Uniform Beams with Simple End Conditions", 1961, for a bar held at one end and for a free one:
//     2 + (b²(r² - s²)² + 2) cosh bα cos bβ - b (r² + s²) (1 - b² r² s²)^-½ sinh bα sin bβ = 0,
//     2 - 2 cosh bα cos bβ + b (1 - b² r² s²)^-½ (b² r² (r² - s²)² + 3 r² - s²) sinh bα sin bβ = 0,
//     α, β = (∓(r² + s²)/2 + (((r² - s²)/2)² + b^-2)^½)^½,
// b² = ρ A L⁴ ω²/(E I), r² = I/(A L²), s² = E I/(κ A G L²), here with G = E/2 and κ = 5/6.
static inline double timoshenkoMiss(double b, bool held)
{
    double r2 = BAR_THICKNESS * BAR_THICKNESS / 12, s2 = r2 * 2 / (5.0 / 6);
    double root = sqrt((r2 - s2) * (r2 - s2) / 4 + 1 / (b * b));
    double alpha = b * sqrt(root - (r2 + s2) / 2), beta = b * sqrt(root + (r2 + s2) / 2);
    double last = b / sqrt(1 - b * b * r2 * s2) * sinh(alpha) * sin(beta),
           d2 = (r2 - s2) * (r2 - s2);
    if (held) return 2 + (b * b * d2 + 2) * cosh(alpha) * cos(beta) - (r2 + s2) * last;
    return 2 - 2 * cosh(alpha) * cos(beta) + (b * b * r2 * d2 + 3 * r2 - s2) * last;
}

static inline void timoshenkoModes(bool held, double omega[BAR_MODES])
{
    double step = 0.1, scale = BAR_THICKNESS / sqrt(12.0);
    int found = 0;
    for (double b = 1; found < BAR_MODES; b += step) {
        double low = b, high = b + step;
        if ((timoshenkoMiss(low, held) < 0) == (timoshenkoMiss(high, held) < 0)) continue;
        for (int k = 0; k < 60; k++) {
            double middle = (low + high) / 2;
            if ((timoshenkoMiss(middle, held) < 0) == (timoshenkoMiss(low, held) < 0))
                low = middle;
            else
                high = middle;
        }
        omega[found++] = low * scale; // ω = b (E I / ρ A)^½ / L²
    }
}

typedef struct Bar {
    int n, m, unknowns; // u_x then u_y of every (i, j), i = 1 ... n where it is held
    bool held;
    double *K, *M; // dense
} Bar;

static inline int barUnknown(const Bar *bar, int vertex)
{
    int i = vertex % (bar->n + 1), j = vertex / (bar->n + 1) % (bar->m + 1);
    return (i - bar->held) < 0 ? -1 : (i - bar->held) * (bar->m + 1) + j;
}

static inline void addBarPoint(Bar *bar, const snLimitValues *v, double weight, double (*f)[3])
{
    int half = bar->unknowns / 2, n = bar->unknowns;
    for (int a = 0; a < half; a++)
        f[a][0] = f[a][1] = f[a][2] = 0;
    for (int i = 0; i < v->row.start[1]; i++) { // the same at every z: rows of layers add up
        int a = barUnknown(bar, v->row.column[i]);
        if (a < 0) continue;
        f[a][0] += v->row.weight[i];
        f[a][1] += v->byX[i].x;
        f[a][2] += v->byX[i].y;
    }
    for (int a = 0; a < half; a++) {
        if (f[a][0] == 0 && f[a][1] == 0 && f[a][2] == 0) continue;
        for (int b = 0; b < half; b++) {
            double xx = f[a][1] * f[b][1], yy = f[a][2] * f[b][2], value = f[a][0] * f[b][0];
            bar->K[a * n + b] += weight * (xx + yy / 2);
            bar->K[(a + half) * n + b + half] += weight * (yy + xx / 2);
            bar->K[(a + half) * n + b] += weight * f[a][1] * f[b][2] / 2;
            bar->K[a * n + b + half] += weight * f[a][2] * f[b][1] / 2;
            bar->M[a * n + b] += weight * value;
            bar->M[(a + half) * n + b + half] += weight * value;
        }
    }
}

static inline bool integrateBar(Bar *bar, const snLimit *limit, snArena *arena,
                                const snContext *context)
{
    static const double at[4] = {0.069431844202973712, 0.33000947820757187, 0.66999052179242813,
                                 0.93056815579702629};
    static const double weight[4] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                     0.17392742256872693};
    double(*f)[3] = snArena_Alloc(arena, sizeof *f, (size_t)bar->unknowns / 2);
    double volume = 1.0 / bar->n * BAR_THICKNESS / bar->m; // per depth
    for (int cell = 0; cell < bar->n * bar->m; cell++)
        for (int k = 0; k < 16; k++) {
            snArena scratch = snMakeArena(context);
            snLimitPoint p = {.cell = cell, .corner = -1, .u = {at[k % 4], at[k / 4], 0.5}};
            snLimitValues v;
            bool good = !snLimit_ValuesAt(limit, &p, &v, &scratch, context, NULL);
            if (good) addBarPoint(bar, &v, weight[k % 4] * weight[k / 4] * volume, f);
            snArena_Destroy(&scratch);
            if (!good) return false;
        }
    return true;
}

// The least eigenvalues of K x = ω² M x: with M = L Lᵀ those of L^-1 K L^-T.
static inline bool barFrequencies(Bar *bar, double omega[BAR_MODES], snArena *arena)
{
    int n = bar->unknowns;
    double *K = bar->K, *L = bar->M;
    for (int r = 0; r < n; r++)
        for (int c = 0; c <= r; c++) {
            double t = L[r * n + c];
            for (int k = 0; k < c; k++)
                t -= L[r * n + k] * L[c * n + k];
            if (r == c && !(t > 0)) return false;
            L[r * n + c] = r == c ? sqrt(t) : t / L[c * n + c];
        }
    for (int side = 0; side < 2; side++) // columns, then rows
        for (int c = 0; c < n; c++)
            for (int r = 0; r < n; r++) {
                double *at = side ? &K[c * n + r] : &K[r * n + c], t = *at;
                for (int k = 0; k < r; k++)
                    t -= L[r * n + k] * (side ? K[c * n + k] : K[k * n + c]);
                *at = t / L[r * n + r];
            }
    double *values = SN_NEW(arena, double, n), *work = SN_NEW(arena, double, n);
    double *vectors = SN_NEW(arena, double, (size_t)n *(size_t)n);
    if (!values || !work || !vectors || snSymmetricEigen(n, K, values, vectors, work, NULL))
        return false;
    for (int k = 0; k < BAR_MODES; k++) // a free bar has three rigid motions before them
        omega[k] = sqrt(values[n - 1 - k - (bar->held ? 0 : 3)]);
    return true;
}

// Frequencies with n * m * m cells of a scheme.
typedef struct BarCase {
    snScheme scheme;
    bool held; // at one end; else free
    int n, m;
    int unknowns; // of the whole bar
    double omega[BAR_MODES];
} BarCase;

static inline bool barModes(BarCase *c, const snContext *context)
{
    snArena arena = snMakeArena(context);
    int n = c->n, m = c->m, cells[3] = {n, m, 1}, layers = n + 1 - c->held;
    snLattice box = makeBlock(BLOCK_HEXES, n, m, 1, snVec(1, BAR_THICKNESS, BAR_THICKNESS), &arena);
    snLimit limit;
    Bar bar = {.n = n, .m = m, .unknowns = 2 * layers * (m + 1), .held = c->held};
    size_t entries = (size_t)bar.unknowns * (size_t)bar.unknowns;
    box.sharp = boxSharp(cells, &arena);
    bar.K = SN_NEW(&arena, double, entries);
    bar.M = SN_NEW(&arena, double, entries);
    bool good = bar.K && bar.M && !snLimit_Make(&limit, c->scheme, &box, &arena, context, NULL);
    good = good && integrateBar(&bar, &limit, &arena, context);
    good = good && barFrequencies(&bar, c->omega, &arena);
    c->unknowns = 3 * layers * (m + 1) * (m + 1);
    snArena_Destroy(&arena);
    return good;
}

#endif
