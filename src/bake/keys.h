// Keys over time: how stiff all flesh is, and how much is seen of it, everywhere or in a part.
//
// Between keys values go linearly, or smoothly by 3t² - 2t³; stiffness by its logarithm. Before the first and behind the last
// they stay. Times count from the beginning of a clip.
//
// Amounts. Each joint has the amount of the last track about it, 1 if there is none. What is seen of the flesh at a point
// is the mean by its joint weights, a = Σ w_j a_j: at 0 exactly the rig's surface. Flesh whose amount is 0 is kept on its
// rig, so that it begins there at rest, whenever it is switched on.
#ifndef SN_BAKE_KEYS_H
#define SN_BAKE_KEYS_H

#include "body/lattice/flesh.h"

typedef enum snKeyed { SN_KEYED_STIFFNESS, SN_KEYED_AMOUNT } snKeyed;

#define SN_KEYED_SOFTEST 0.01 // of stiffness
#define SN_KEYED_STIFFEST 100.0

typedef struct snKeyTrack {
    snKeyed what;
    const char *part;     // whose amount, as rules name it (character/rules.h); NULL: all
    int clip;             // in which clip, by its number; -1: in all
    bool smooth;          // between keys
    int count;            // of keys, at least 1
    const double *times;  // [count], s, ascending
    const double *values; // [count]
} snKeyTrack;

double snKeyTrack_At(const snKeyTrack *track, double time);

// Tracks made out for a body.
typedef struct snKeys {
    const snFlesh *flesh;
    int count;
    const snKeyTrack *tracks; // the caller's
    unsigned char *covers;    // [count * joints], 1: the track is about the joint
    bool scales;              // there is stiffness
    double softest, stiffest; // that stiffness gets
    double *amounts;          // [joints], scratch of snKeys_Amounts
} snKeys;

// Refuses tracks without sense, and parts that there are not, naming them. The memory is the arena's.
snStatus snKeys_Make(snKeys *keys, const snFlesh *flesh, const snKeyTrack *tracks, int count,
                     snArena *arena, snError *error);

// The factor on stiffness in a clip at a time.
double snKeys_Stiffness(const snKeys *keys, int clip, double time);

// What each joint has, to keys->amounts. False where all have 1.
bool snKeys_Amounts(snKeys *keys, int clip, double time);

// By these amounts: the share of vertices (0 where it is none), over what is there; and of points.
void snKeys_HoldVertices(const snKeys *keys, double *share); // [the model's vertices]
void snKeys_FadePoints(const snKeys *keys, const snVec3f *rig, snVec3f *soft); // [points]

#endif
