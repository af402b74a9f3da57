// Integrators of m y'' = f(t, y, y'): one interface, so that methods can be switched while a system runs.
// Each method has an estimate of its error, from which the step is chosen; or steps are as long as asked.
// Nothing is allocated in a step.
//
// The step is one file per kind of method: ode_explicit.c, ode_implicit.c; ode.c chooses step lengths.
#ifndef SN_NUMERICS_ODE_H
#define SN_NUMERICS_ODE_H

#include "core/memory.h"

typedef enum snOdeMethod {
    SN_ODE_EULER,          // order 1, explicit; error by doubling
    SN_ODE_IMPLICIT_EULER, // order 1, damps what is faster than the step; error of places, against order 2
    SN_ODE_VERLET,         // order 2, leapfrog; error of places, against order 1
    SN_ODE_RK2,            // order 2, midpoint; error against order 1
    SN_ODE_RK4,            // order 4; error by doubling
    SN_ODE_ROSENBROCK4, // order 4, linearly implicit; error against order 3
    SN_ODE_METHODS
} snOdeMethod;
const char *snOdeMethod_Name(snOdeMethod method); // "euler", "implicit-euler", ...
bool snOdeMethod_IsImplicit(snOdeMethod method);

// Forces on `size` coordinates, in the caller's arrays.
typedef struct snOdeSystem {
    int size;
    const double
        *inverseMass; // [size]; 0: the coordinate goes on at its velocity, whatever pushes it
    bool timeless;    // forces do not depend on t
    void (*force)(void *context, double t, const double *y, const double *v, double *f);
    // For implicit methods. First the place at which f is differentiated, where f was asked for just before, then f' = (a ∂f/∂y + b ∂f/∂v) x
    // there, as often as wanted. Both derivatives are symmetric. `diagonal` is that of -a ∂f/∂y - b ∂f/∂v, for
    // preconditioning; NULL: none.
    void (*linearise)(void *context, double t, const double *y, const double *v);
    void (*derivative)(void *context, double a, double b, const double *x, double *f);
    void (*diagonal)(void *context, double a, double b, double *out);
    void *context;
} snOdeSystem;

// How exact steps are to be. An error counts as error / max(place, relative |y|), the largest of all
// coordinates; velocities with `pace` alike.
typedef struct snOdeControl {
    double place, pace; // m and m/s in a step
    double relative;    // of |y| and |v|; 0: absolute errors alone
    double least, most; // step lengths, s; at the least, steps are taken whatever their error ...
    int mostForced; // ... so many of them in a call, which ends when there are more; 0: any number. Fixed ones are not counted
    double
        fixed; // s; not 0: all steps are this long (the last one shorter), errors are not looked at
    double settle; // when implicit equations are solved: a share of the errors above
    double linear; // residual of linear systems, relative
    // After a step: may move y and v (contacts). Returns how far it went beyond what is allowed in one step:
    // above 1 the step is taken back and a shorter one tried, whose y and v begin as they were. NULL: none.
    double (*finish)(void *context, double t, double h, double *y, double *v);
    void (*accept)(void *context); // after that, when the step is taken. NULL: none
} snOdeControl;
snOdeControl snDefaultOdeControl(void); // 1e-4 m, 1e-2 m/s

typedef struct snOdeCount {
    int64_t forces;    // evaluations
    int64_t products;  // with the derivative
    int64_t steps;     // taken
    int64_t rejected;  // for their error
    int64_t corrected; // rejected by `finish`
    int64_t
        forced; // taken at the least length though the error, or what finish said, was too large
} snOdeCount;

#define SN_ODE_MEMORY(size) ((size) + 2)

typedef struct snOde {
    snArena arena;
    snOdeSystem system;
    int n;
    double *stage[5];                          // [2n] each, (y, v)
    double *start;                             // [2n], (y, v) of the step
    double *here, *half, *trial;               // [2n], where rates are asked for; results
    double *error;                             // [2n]
    double *force, *right, *solution, *weight; // [n]
    double *mass;                              // [n], with that of those without an inverse 0
    double *scratch;                           // of conjugate gradients
    double *
        memory; // [n + 1], acceleration in the middle of the last leapfrog step, and its length; 0: none.
                // Part of what a system's state is: kept by who saves states
    snOdeCount count;
    double linear; // control's
    bool known;    // stage[0] has the rates at the step's beginning
    bool damped;   // weight has the damping's diagonal, as it was when snOde_Advance began
    double shift;  // of the linear system that is being solved
} snOde;

snStatus snOde_Make(snOde *ode, const snOdeSystem *system, const snContext *context,
                    snError *error);
void snOde_Destroy(snOde *ode); // accepts a zeroed one

// One step from (y, v) at t: the result is in ode->trial, (y, v). Returns the scaled error (1 is what is
// allowed; 0 for `fixed`), or infinity where it could not be computed.
double snOde_Try(snOde *ode, snOdeMethod method, const snOdeControl *control, double t, double h,
                 const double *y, const double *v);

// From t to end. `step` is the length to begin with (0: chosen) and that to go on with afterwards. False: more steps were forced than
// may be; what is left of the time nothing moves by itself, and is still at the end.
bool snOde_Advance(snOde *ode, snOdeMethod method, const snOdeControl *control, double t,
                   double end, double *step, double *y, double *v);

#endif
