// How strong a skeleton is that gives way: what draws its joints to a clip, how far they go, and when.
#ifndef SN_SKELETON_STRENGTH_H
#define SN_SKELETON_STRENGTH_H

#include "core/memory.h"

// From a time on; in between it changes evenly.
typedef struct snStrengthKey {
    double time;     // s, of the world, from when the body was made
    double strength; // factor of joints' strengths: 0 is limp
    double hand;     // factor of the hand's
} snStrengthKey;

typedef struct snStrength {
    double strength; // Hz at which a joint swings back to its clip. 1 is tired, 5 alert, 20 stiff
    double damping;  // 1/s, of joints, beside what strength brings: 0 swings on
    double hand; // Hz, of a hand that carries the root along the clip and takes the weight; 0: none
    const double *strengths; // [joints], Hz, instead of `strength` where not below 0; or NULL
    const double *swings;    // [joints], radians from rest where not below 0; NULL: the body's own
    const double *twists;    // [joints], likewise, about the bone
    int keyCount;            // 0: as strong all the time
    const snStrengthKey *keys; // [keyCount], by time
} snStrength;
snStrength snDefaultStrength(void); // 8 Hz, a hand of 8 Hz, damped by 3 1/s

snStatus snStrength_Check(const snStrength *strength, snError *error);
// A copy with all that it points to.
snStatus snStrength_Copy(snStrength *copy, const snStrength *strength, int joints, snArena *arena,
                         snError *error);

// Of a joint, Hz, before keys.
static inline double snStrength_Of(const snStrength *strength, int joint)
{
    bool own = strength->strengths && strength->strengths[joint] >= 0;
    return own ? strength->strengths[joint] : strength->strength;
}

// What draws to a clip with so many rad/s: I ω², and I (2 ω + d) with the damping d of snStrength, where I is the inertia of what hangs on
// a joint as one piece, about it, or the whole's mass: its own swing back then takes 2π/ω, and does not go through. Steps are implicit in both.
typedef struct snStrengthSpring {
    double stiffness, damping;
} snStrengthSpring;

static inline snStrengthSpring snStrength_Spring(double inertia, double rate, double damping)
{
    return (snStrengthSpring){inertia * rate * rate, inertia * (damping + 2 * rate)};
}

snStrengthKey snStrength_At(const snStrength *strength, double time);
// The share of the weight that a hand of so many Hz takes: all from 2 Hz on.
double snStrength_Lifted(double hand);

#endif
