// The laws of contact that do not depend on what a body is made of: what two materials have between them, how fast things part,
// at which speed they bounce, and what is told of it.
#ifndef SN_CONTACT_LAW_H
#define SN_CONTACT_LAW_H

#include <math.h>
#include <stdint.h>

#define SN_OWN_FRICTION 0.5 // where neither of two says any

// Coulomb's coefficient between two: the geometric mean of theirs, so that what slides on everything slides on this too. Below 0: it
// has none of its own, and the other decides.
static inline double snMixFriction(double a, double b)
{
    if (a < 0 && b < 0) return SN_OWN_FRICTION;
    if (a < 0 || b < 0) return fmax(a, b);
    return sqrt(a * b);
}

// Newton's: a ball bounces off whatever it falls on.
static inline double snMixRestitution(double a, double b)
{
    return fmax(a, b);
}

// The speed at which two leave that come at one: 0, they stay together, where that is slow.
static inline double snBounceSpeed(double restitution, double coming, double slow)
{
    return restitution > 0 && coming > slow ? restitution * coming : 0;
}

// The gap that a step asks for at its end. What came in within the step is to be out again; what was in before it begins, `before`
// below `wanted`, is parted no faster than by `most` in the step: flesh is not thrown out.
static inline double snGapToAsk(double before, double wanted, double most)
{
    return fmin(wanted, before + most);
}

// What is told of the contacts of a body.
typedef struct snContactReport {
    int touching; // points of the surface that are in something
    int deep;     // of them those that are deeper than a limit, where one was asked for
    int dropped; // contacts for which there was no place, or no round left: what they were in is not felt
    double deepest; // how deep the deepest is, m
    // Of contacts that are solved for as conditions of a search, together with those of others that touch: rounds of exchanging who pushes
    // and about how many products of numbers they took, columns of the inverse that were solved for, rows that came into the factor among them and went out of it.
    int rounds;
    double effort;
    int64_t columns, rowsAdded, rowsRemoved;
} snContactReport;

static inline void snContactReport_Add(snContactReport *report, double depth)
{
    report->touching += depth > 0;
    report->deepest = fmax(report->deepest, depth);
}

#endif
