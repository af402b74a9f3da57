// Elementary functions with the same bits on every machine, compiler and optimisation level: the
// C library's differ between systems. All are accurate to 2 units in the last place over the
// ranges that are named; sqrt and fabs are exact everywhere and are taken from <math.h>.
#ifndef SN_CORE_ELEMENTARY_H
#define SN_CORE_ELEMENTARY_H

#define SN_PI 3.14159265358979323846

double snSin(double x); // |x| < 1e9; NaN for infinities
double snCos(double x);
void snSinCos(double x, double *sine, double *cosine);
double snTan(double x);
double snAsin(double x); // the argument is clamped to [-1, 1]
double snAcos(double x);
double snAtan(double x);
double snAtan2(double y, double x);
double snExp(double x);                     // 0 on underflow, infinity on overflow
double snLn(double x);                      // NaN for x < 0, -infinity for 0
double snPow(double base, double exponent); // base >= 0; whole exponents also for negative bases
double snCbrt(double x);

double snClamp(double x, double low, double high);
// From 0 at 0 to 1 at 1, at rest at both ends, twice; beyond them as there.
double snSmooth(double x);
// How bright a value of sRGB is, of 0 to 1.
double snLinearOfSrgb(double value);

#endif
