// What the files of the integrators share.
#ifndef SN_NUMERICS_ODE_PARTS_H
#define SN_NUMERICS_ODE_PARTS_H

#include "numerics/ode.h"

#include <string.h>

// The rates (v, f/m) of a state z = (y, v).
void snOde_Rates(snOde *ode, double t, const double *z, double *rates);

// The largest of error, scaled; z says how large the values are.
double snOde_Scaled(const snOde *ode, const snOdeControl *control, const double *z);

// One step of a method from z to out (which may be z), without an estimate; false: not solved.
bool snOde_Euler(snOde *ode, double t, double h, const double *z, double *out);
bool snOde_Classic(snOde *ode, double t, double h, const double *z, double *out);
bool snOde_ImplicitEuler(snOde *ode, const snOdeControl *control, double t, double h,
                         const double *z, double *out);

// One step with an estimate in ode->error.
bool snOde_Midpoint(snOde *ode, double t, double h, const double *z, double *out);
bool snOde_Leapfrog(snOde *ode, const snOdeControl *control, double t, double h, const double *z,
                    double *out);
bool snOde_Rosenbrock(snOde *ode, const snOdeControl *control, double t, double h, const double *z,
                      double *out);

// Coefficients of the Rosenbrock method (ode_implicit.c).
typedef struct snRosenbrock {
    double gamma;
    double a[4][4], c[4][4];  // places and right sides from earlier stages
    double b[4], e[4];        // result and error
    double time[4], slope[4]; // when, and the share of ∂f/∂t
} snRosenbrock;
const snRosenbrock *snRosenbrock_Coefficients(void);

#endif
