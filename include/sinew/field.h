// Fields: what acts on bodies all over a world. Air that moves presses on their surfaces, by area and by how they face it; accelerations act on
// all that has mass. Both are sums of uniform, radial, whirling and turbulent parts.
#ifndef SINEW_FIELD_H
#define SINEW_FIELD_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif
SN_API_BEGIN

// Which way a field goes.
typedef enum snFieldKind {
    SN_FIELD_UNIFORM, // `value`, everywhere
    SN_FIELD_RADIAL, // from `center`: out where `strength` is above 0, else in; none beyond `radius`
    SN_FIELD_VORTEX, // about the axis `value` through `center`; none beyond `radius` from it
    SN_FIELD_TURBULENCE, // swirls of the size of `scale` that change over `period`, everywhere; without sources
} snFieldKind;

// With u the distance over `radius`, radial and vortex fields are strength · 3.494 u (1 - u²)², which is 1 times it at u = 0.447 and smooth.
typedef struct snFieldDef {
    snFieldKind kind; // which says what of the rest counts
    bool air;         // a velocity of the air, m/s; else an acceleration, m/s²
    double value[3];  // of uniform fields; of a vortex its axis, of any length
    double
        strength; // of all others: 5 m/s is a breeze, 20 a gale. Of turbulence the root of the mean square
    double center[3]; // m
    double radius;    // m, above 0
    double scale;     // m, above 0
    double period;    // s, above 0
    uint32_t seed;    // of turbulence: others are others
    double from, to;  // s, of the world's time: when it acts
} snFieldDef;
snFieldDef snDefaultFieldDef(void); // still air; 1 m, 1 s, from 0 on for ever

// What it is at a place and a time, as it acts; 0 for a definition, a time or a place that cannot be.
void snFieldDef_Value(const snFieldDef *def, double time, const double place[3], double value[3]);

SN_API_END
#ifdef __cplusplus
}
#endif

#endif
