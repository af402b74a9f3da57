// The elementary functions against the C library's long double ones, in units in the last place.
#include "core/elementary.h"

#include "core/random.h"
#include "tests/test.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#define SAMPLES 40000

typedef double function(double x);
typedef long double reference(long double x);

// |got - wanted| in units in the last place of wanted (of the smallest normal number, below it).
static double ulps(double got, long double wanted)
{
    double rounded = (double)wanted;
    if (isnan(rounded)) return isnan(got) ? 0.0 : INFINITY;
    if (isnan(got)) return INFINITY;
    if (isinf(rounded) || rounded == 0.0) return got == rounded ? 0.0 : INFINITY;
    int exponent;
    frexp(rounded, &exponent);
    if (exponent < DBL_MIN_EXP) exponent = DBL_MIN_EXP;
    return (double)(fabsl((long double)got - wanted) / ldexpl(1.0L, exponent - DBL_MANT_DIG));
}

// A regular grid over the range, and as many random points.
static void sweep(const char *name, function *f, reference *g, double low, double high)
{
    snRandom random = snMakeRandom(7);
    double worst = 0.0, where = low;
    for (int i = 0; i <= 2 * SAMPLES; i++) {
        double x =
            i <= SAMPLES ? low + (high - low) * i / SAMPLES : snRandom_Uniform(&random, low, high);
        double error = ulps(f(x), g((long double)x));
        if (!(error <= worst)) {
            worst = error;
            where = x;
        }
    }
    printf("%-5s on [%g, %g]: at most %.3f ulp (at %.17g)\n", name, low, high, worst, where);
    CHECK(worst <= 2.0);
}

static void sines(void)
{
    const double ranges[][2] = {{-1e-3, 1e-3}, {-7, 7}, {-1000, 1000}, {-1e9, 1e9}};
    for (int i = 0; i < 4; i++) {
        sweep("sin", snSin, sinl, ranges[i][0], ranges[i][1]);
        sweep("cos", snCos, cosl, ranges[i][0], ranges[i][1]);
        sweep("tan", snTan, tanl, ranges[i][0], ranges[i][1]);
    }
}

// Doubles next to multiples of π/2, where nearly all bits cancel. The multiples are whole numbers
// times π/2 in long double, whose functions reduce exactly.
static void sinesNearTheirZeros(void)
{
    double worst = 0.0;
    for (int i = 1; i < 200000; i++) {
        double n = i < 1000 ? i : 3181.0 * i; // up to 6.4e8, so x up to 1e9
        double x = n * (SN_PI / 2);
        worst = fmax(worst, ulps(snSin(x), sinl((long double)x)));
        worst = fmax(worst, ulps(snCos(x), cosl((long double)x)));
        worst = fmax(worst, ulps(snTan(x), tanl((long double)x)));
    }
    printf("sin, cos, tan near their zeros: at most %.3f ulp\n", worst);
    CHECK(worst <= 2.0);
}

static void sineSpecialValues(void)
{
    CHECK(snSin(0.0) == 0.0 && signbit(snSin(-0.0)) && signbit(snTan(-0.0)));
    CHECK(snCos(0.0) == 1.0);
    CHECK(isnan(snSin(INFINITY)) && isnan(snCos(-INFINITY)) && isnan(snTan(NAN)));
    CHECK(snSin(DBL_TRUE_MIN) == DBL_TRUE_MIN && snTan(1e-300) == 1e-300);
    CHECK(fabs(snSin(1e300)) <= 1.0 && fabs(snCos(DBL_MAX)) <= 1.0);
    for (double x = -30.0; x < 30.0; x += 0.0625) {
        double s, c;
        snSinCos(x, &s, &c);
        CHECK(s == snSin(x) && c == snCos(x) && snSin(-x) == -s && snCos(-x) == c);
    }
    double s, c;
    snSinCos(INFINITY, &s, &c);
    CHECK(isnan(s) && isnan(c));
    snSinCos(-0.0, &s, &c);
    CHECK(s == 0.0 && signbit(s) && c == 1.0);
}

static void arcs(void)
{
    sweep("asin", snAsin, asinl, -1, 1);
    sweep("asin", snAsin, asinl, 0.9999, 1);
    sweep("asin", snAsin, asinl, -1e-6, 1e-6);
    sweep("acos", snAcos, acosl, -1, 1);
    sweep("acos", snAcos, acosl, 0.9999, 1);
    sweep("acos", snAcos, acosl, -1, -0.9999);
    sweep("atan", snAtan, atanl, -1.1, 1.1);
    sweep("atan", snAtan, atanl, -50, 50);
    sweep("atan", snAtan, atanl, 1e5, 1e20);
}

static void arcSpecialValues(void)
{
    CHECK(snAsin(1.0) == SN_PI / 2 && snAsin(-1.0) == -SN_PI / 2 && snAsin(5.0) == SN_PI / 2);
    CHECK(snAcos(1.0) == 0.0 && snAcos(-1.0) == SN_PI && snAcos(0.0) == SN_PI / 2);
    CHECK(snAcos(1.5) == 0.0 && snAcos(-INFINITY) == SN_PI);
    CHECK(isnan(snAsin(NAN)) && isnan(snAcos(NAN)) && isnan(snAtan(NAN)));
    CHECK(snAtan(INFINITY) == SN_PI / 2 && snAtan(-INFINITY) == -SN_PI / 2);
    CHECK(snAtan(1.0) == SN_PI / 4 && signbit(snAtan(-0.0)) && signbit(snAsin(-0.0)));
    CHECK(snAtan(DBL_MAX) == SN_PI / 2 && snAtan(DBL_TRUE_MIN) == DBL_TRUE_MIN);
}

static void atan2Everywhere(void)
{
    snRandom random = snMakeRandom(11);
    double worst = 0.0;
    for (int i = 0; i < 4 * SAMPLES; i++) {
        double y = snRandom_Uniform(&random, -1, 1), x = snRandom_Uniform(&random, -1, 1);
        int spread = i % 4 == 0 ? 0 : i % 4 == 1 ? 40 : i % 4 == 2 ? 300 : 1000;
        y = ldexp(y, snRandom_Below(&random, 2 * spread + 1) - spread);
        x = ldexp(x, snRandom_Below(&random, 2 * spread + 1) - spread);
        worst = fmax(worst, ulps(snAtan2(y, x), atan2l((long double)y, (long double)x)));
    }
    printf("atan2: at most %.3f ulp\n", worst);
    CHECK(worst <= 2.0);
    const double special[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, DBL_TRUE_MIN, -DBL_MAX};
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 8; k++) {
            double got = snAtan2(special[i], special[k]), libm = atan2(special[i], special[k]);
            CHECK(ulps(got, (long double)libm) <= 1.0 && signbit(got) == signbit(libm));
        }
        CHECK(isnan(snAtan2(special[i], NAN)) && isnan(snAtan2(NAN, special[i])));
    }
}

static void exponentials(void)
{
    sweep("exp", snExp, expl, -1, 1);
    sweep("exp", snExp, expl, -40, 40);
    sweep("exp", snExp, expl, -745, 709.7);
    sweep("exp", snExp, expl, -1e-9, 1e-9);
    CHECK(snExp(0.0) == 1.0 && snExp(-INFINITY) == 0.0 && isinf(snExp(INFINITY)));
    CHECK(isnan(snExp(NAN)) && snExp(-746.0) == 0.0 && isinf(snExp(709.783)));
    CHECK(isfinite(snExp(709.782)) && snExp(-745.1) == DBL_TRUE_MIN);
    CHECK(snExp(DBL_MAX) == INFINITY && snExp(-DBL_MAX) == 0.0);
}

static void logarithms(void)
{
    sweep("ln", snLn, logl, 0.4, 2.5);
    sweep("ln", snLn, logl, 0.9999, 1.0001);
    sweep("ln", snLn, logl, 1e-6, 1e6);
    sweep("ln", snLn, logl, 1e300, 1.7e308);
    sweep("ln", snLn, logl, 1e-320, 1e-308);
    CHECK(snLn(1.0) == 0.0 && snLn(0.0) == -INFINITY && snLn(-0.0) == -INFINITY);
    CHECK(isnan(snLn(-1.0)) && isnan(snLn(NAN)) && isinf(snLn(INFINITY)));
}

static void powers(void)
{
    snRandom random = snMakeRandom(13);
    double worst = 0.0;
    for (int i = 0; i < 2 * SAMPLES; i++) {
        double x = snExp(snRandom_Uniform(&random, -30, 30));
        if (i % 2) x = 1.0 + snRandom_Uniform(&random, -1e-3, 1e-3);
        double limit = fmin(700.0 / fabs(snLn(x)), 1e6);
        double y = snRandom_Uniform(&random, -limit, limit);
        worst = fmax(worst, ulps(snPow(x, y), powl((long double)x, (long double)y)));
    }
    printf("pow: at most %.3f ulp\n", worst);
    CHECK(worst <= 2.0);
    for (int i = -20; i <= 20; i++) { // small whole powers are exact where they can be
        CHECK(snPow(2.0, i) == ldexp(1.0, i));
        CHECK(snPow(-2.0, i) == (i % 2 ? -1.0 : 1.0) * ldexp(1.0, i));
        if (i >= 0) CHECK(snPow(3.0, i) == (double)powl(3.0L, i));
    }
}

// All pairs of special numbers: as in Annex F of the C standard.
static void powerSpecialValues(void)
{
    const double special[] = {0.0,    -0.0,    1.0,      -1.0,      0.5,  -0.5,  2.0,
                              -2.0,   3.0,     -3.0,     2.5,       -2.5, 1e300, -1e300,
                              1e-300, -1e-300, INFINITY, -INFINITY, NAN,  1e15,  DBL_MAX};
    const int count = (int)(sizeof special / sizeof *special);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < count; k++) {
            double got = snPow(special[i], special[k]), libm = pow(special[i], special[k]);
            bool same = isnan(libm) ? isnan(got)
                                    : ulps(got, (long double)libm) <= 1.0 &&
                                          (bool)signbit(got) == (bool)signbit(libm);
            if (!same) printf("pow(%g, %g): %g and %g\n", special[i], special[k], got, libm);
            CHECK(same);
        }
    }
}

static void cubeRoots(void)
{
    sweep("cbrt", snCbrt, cbrtl, -1, 1);
    sweep("cbrt", snCbrt, cbrtl, 0.4, 10);
    sweep("cbrt", snCbrt, cbrtl, 1e300, 1.7e308);
    sweep("cbrt", snCbrt, cbrtl, 1e-320, 1e-308);
    for (int i = -100; i <= 100; i++)
        CHECK(snCbrt((double)i * i * i) == i);
    CHECK(signbit(snCbrt(-0.0)) && isinf(snCbrt(-INFINITY)) && isnan(snCbrt(NAN)));
}

static void clamping(void)
{
    CHECK(snClamp(0.5, 0.0, 1.0) == 0.5 && snClamp(-1.0, 0.0, 1.0) == 0.0);
    CHECK(snClamp(INFINITY, 0.0, 1.0) == 1.0 && isnan(snClamp(NAN, 0.0, 1.0)));
}

int main(void)
{
    RUN(sines);
    RUN(sinesNearTheirZeros);
    RUN(sineSpecialValues);
    RUN(arcs);
    RUN(arcSpecialValues);
    RUN(atan2Everywhere);
    RUN(exponentials);
    RUN(logarithms);
    RUN(powers);
    RUN(powerSpecialValues);
    RUN(cubeRoots);
    RUN(clamping);
    return snTest_Finish();
}
