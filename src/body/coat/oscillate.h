// Damped oscillation in closed form: how a cylinder of flesh moves between events. A step is a linear
// map of (how far from rest, how fast), the same for any amplitude, so that cylinders alike share it.
#ifndef SN_BODY_COAT_OSCILLATE_H
#define SN_BODY_COAT_OSCILLATE_H

// m l'' + c l' + k (l - rest) = 0
typedef struct snOscillator {
    double mass;      // kg, above 0
    double stiffness; // N/m, above 0
    double damping;   // N s/m, 0 or more; 2 sqrt(k m) just does not swing
} snOscillator;

// (x, v) a time later:  x' = xx x + xv v,  v' = vx x + vv v,  x from rest.
typedef struct snOscillation {
    double xx, xv, vx, vv;
} snOscillation;

// The map over a time (0 or more), exact in all three regimes and continuous between them.
snOscillation snOscillator_Over(const snOscillator *oscillator, double time);

// Takes a length and its speed forward about a rest length.
void snOscillation_Apply(const snOscillation *map, double rest, double *length, double *speed);

// How far an acceleration along the axis, held over a step, shifts the rest length: in a frame that
// accelerates by a, m l'' = -c l' - k (l - rest) - m a, so the rest is where k (l - rest) = -m a.
double snOscillator_Shift(const snOscillator *oscillator, double acceleration);

// What the paper prints: x = x1 e^(-c/2m t) cos(sqrt(k/m) t), from a length x1 off rest at t = 0. No
// solution of the spring: it begins with the speed -c/2m x1 whatever the spring's was. To compare with.
void snOscillator_Printed(const snOscillator *oscillator, double from, double time, double *x,
                          double *speed);

double snOscillator_Energy(const snOscillator *oscillator, double x, double speed);

#endif
