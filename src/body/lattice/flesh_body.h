// A rigged character as a body of a world (body/body.h): flesh (flesh.h) whose bones a clip moves, beside other bodies.
// It is a solid body (solid_parts.h) in all but who leads it: points, contacts, ties, blows and state are the same code. A
// skeleton gives the rig at the end of each step, the vertices on bones are known, and the drawn surface stands beyond the
// lattice by what skinning has and cells have not. Derivation in docs/theory/characters-in-worlds.md.
//
// A point of it that is held is brought there by the skeleton where that can reach (flesh_reach.c); flesh is stretched by
// what is left.
#ifndef SN_BODY_LATTICE_FLESH_BODY_H
#define SN_BODY_LATTICE_FLESH_BODY_H

#include "body/lattice/flesh.h"
#include "body/lattice/solid_body.h"
#include "skeleton/strength.h"

// How far up a skeleton turns to bring a point somewhere.
typedef struct snFleshReach {
    int joint;   // points that hang on it more than on any other ...
    int root;    // ... are brought by the joints from this one down to it; -1: no joint turns
    double most; // radians that each of them may be turned from how it rests; 0: any
} snFleshReach;

// A skeleton that gives way (bones.h): joints draw it to its clip by their strength, contacts and springs push it, and flesh
// hangs on it. What it is limp in falls.
typedef struct snFleshSkeleton {
    double
        bones; // what they weigh, of the whole: 0.1 is a mammal's. Taken off the flesh around them
    snStrength strength; // copied. Ranges: by where joints are unless they are told
} snFleshSkeleton;
snFleshSkeleton snDefaultFleshSkeleton(void);

typedef struct snFleshBodyDef {
    // Must outlive the body, and may be that of several. Its step is the world's, it has no details, and its solver
    // is projective or Newton's. In full motion it is built without gravity, which is the world's.
    const snFlesh *flesh;
    int clip;       // of the character; -1: it stands as at rest
    bool posed;     // the program gives its poses, snBody_Pose, and until then the clip
    bool loop;      // at its end the clip begins anew; else its last pose stays
    double speed;   // of the clip: 1 is its own, 0 stands still
    double start;   // s into the clip, at first
    snVec3 travel;  // m/s, of the whole character while the clip plays: a walk in place gets on
    bool limp;      // the skeleton reaches for nothing: what is held is held by flesh alone
    int reachCount; // of others than from a point's joint up to the nearest branch
    const snFleshReach *reaches; // [reachCount]; copied
    double
        ease; // s over which the skeleton takes over what flesh held at first, and goes back when it is let go
    // Its flesh is of full motion and in double precision. Points of it are tied to those of others by the world (snBody.tiedByWorld), not by
    // its group. NULL: the clip leads the bones, whatever they bump into.
    const snFleshSkeleton *skeleton;
    // Name, contact, points and where they are tied; all else in it is the flesh's.
    snSolidBodyDef solid;
} snFleshBodyDef;
snFleshBodyDef snDefaultFleshBodyDef(void); // at rest, reaching, eased over 0.3 s

// On the rig of its first pose, and still; snBody_Put places the character's own frame.
snStatus snFleshBody_Make(snBody **body, const snFleshBodyDef *def, const snContext *context,
                          snError *error);

// The pose that it is in, as of the last step, its globals in the world. Of a body of this kind.
const snPose *snFleshBody_Pose(const snBody *body);

#endif
