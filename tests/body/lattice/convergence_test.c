// Natural frequencies of a slender bar: the smoother basis needs fewer degrees of freedom.
#include "tests/test.h"

#include "core/core.h"
#include "tests/body/lattice/solid_bar.h"

#include <stdio.h>

static snContext context;

static double worstError(snScheme scheme, bool held, int n, int m, int *unknowns)
{
    BarCase c = {.scheme = scheme, .held = held, .n = n, .m = m};
    double exact[BAR_MODES], worst = 0;
    timoshenkoModes(held, exact);
    CHECK(barModes(&c, &context));
    for (int k = 0; k < BAR_MODES; k++)
        worst = fmax(worst, fabs(c.omega[k] / exact[k] - 1));
    *unknowns = c.unknowns;
    return worst;
}

// Without shear and turning inertia the frequencies would be those of Euler and Bernoulli; the first is near.
static void theoryIsTheory(void)
{
    double omega[BAR_MODES], scale = BAR_THICKNESS / sqrt(12.0);
    timoshenkoModes(true, omega);
    CHECK_NEAR(omega[0] / (3.5160153 * scale), 1, 3e-3);
    CHECK(omega[0] < 3.5160153 * scale && omega[2] < 61.697214 * scale);
    timoshenkoModes(false, omega);
    CHECK_NEAR(omega[0] / (22.373285 * scale), 1, 2e-2);
}

// Three-dimensional elasticity, refined in all directions, comes to Timoshenko's frequencies.
static void fineBarsAgree(void)
{
    int unknowns;
    for (int held = 0; held < 2; held++) {
        double miss = worstError(SN_SCHEME_MACCRACKEN_JOY, held, 32, 4, &unknowns);
        printf("%s: %d unknowns, off by %.3f %%\n", held ? "held" : "free", unknowns, 100 * miss);
        CHECK(miss < 3e-3);
    }
}

// Within 1 %: cubic functions with a fifth of the unknowns that are not enough for trilinear ones.
static void smoothNeedsLess(void)
{
    for (int scheme = 1; scheme < SN_SCHEME_COUNT; scheme++)
        for (int held = 0; held < 2; held++) {
            int smooth, hats;
            double few = worstError((snScheme)scheme, held, held ? 20 : 10, 1, &smooth);
            double many = worstError(SN_SCHEME_TRILINEAR, held, 96, 1, &hats);
            printf("%s, %s: %.2f %% with %d unknowns; trilinear %.2f %% with %d\n",
                   held ? "held" : "free", snScheme_Name((snScheme)scheme), 100 * few, smooth,
                   100 * many, hats);
            CHECK(few < 0.01 && many > 0.01 && hats > 4 * smooth);
        }
}

// Elements of smooth bodies have one gradient each, so N of them across a section have its bending stiffness
// but for 1/N²: strains -κ y, constant over parts t/N, leave Σ (t/N) y_k² = t³/12 (1 - 1/N²). Consistent masses
// hardly change that.
static void elementsAreSofter(void)
{
    for (int held = 0; held < 2; held++)
        for (int level = 1; level <= 2; level++) {
            BarCase bar = {.scheme = SN_SCHEME_MACCRACKEN_JOY, .held = held, .n = 16, .m = 1};
            CHECK(barModes(&bar, &context));
            double expected = sqrt(1 - 1 / pow(4, level)), seen[2];
            for (int consistent = 0; consistent < 2; consistent++) {
                SolidBar c = {.nodeLevel = level, .consistent = consistent, .bar = bar};
                CHECK(solidBarModes(&c, &context));
                seen[consistent] = c.bar.omega[0] / bar.omega[0];
                CHECK_NEAR(seen[consistent], expected, 5e-3);
            }
            printf("%s, %d elements across: %.4f of the exact frequency, %.4f with consistent "
                   "masses; (1 - 1/N²)^½ = %.4f\n",
                   held ? "held" : "free", 1 << level, seen[0], seen[1], expected);
        }
}

int main(void)
{
    context = snDefaultContext();
    RUN(theoryIsTheory);
    RUN(fineBarsAgree);
    RUN(smoothNeedsLess);
    RUN(elementsAreSofter);
    return snTest_Finish();
}
