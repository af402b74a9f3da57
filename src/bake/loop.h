// Whether a clip goes round, and how.
//
// Of a loop with a repeated last frame the last pose q is the first one p. Many loops leave it out: their
// last key is one step before the first. Then the motion goes on over the seam as it does elsewhere: with
// the velocities v at both ends and the step h between keys,
//     p ≈ q + h (v_first + v_last) / 2
// and the seam is no longer than a step or two of the motion beside it. Poses are compared by the
// surface: all of its vertices count.
#ifndef SN_BAKE_LOOP_H
#define SN_BAKE_LOOP_H

#include "character/character.h"

typedef struct snLoop {
    bool closed;    // the last pose is the first
    bool open;      // the last pose is one step before the first
    double closing; // s from the last pose to the first: 0 when closed, else the step between keys
    // Shares of the height, largest over the vertices:
    double distance; // of the last pose from the first
    double missed;   // |p - (q + h (v_first + v_last) / 2)|
    double pace;     // the longer of the steps h v beside the seam
} snLoop;

snStatus snFindLoop(snLoop *loop, const snCharacter *character, int clip, double height,
                    const snContext *context, snError *error);

// The time between keys of the channel that has most of them; 1/30 s where there is none.
double snClip_KeyStep(const snClip *clip);

// The pose of a looping clip `time` seconds from its beginning, 0 to duration + closing: behind the
// last key it goes over into the first pose. `other` is scratch.
void snLoopPose(const snCharacter *character, const snClip *clip, double closing, double time,
                snPose *pose, snPose *other);

#endif
