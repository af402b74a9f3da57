// A coated skeleton as a body of a world: links that move by articulated dynamics, flesh on them in closed form, and
// contacts of the flesh, which push the links. Bodies of a world that meet are one group.
//
// A step of length h (coat_step.c):
//     links go where they would go freely, flesh with them        predict
//     sample points that are in something                          coat_find.c
//     impulses that part them, with what flesh gives way           coat_solve.c
//     links go with these; flesh is put to where it touches, and the push goes on into its zone
//
// Begin with snCoatGroup_Step in coat_step.c; derivations in docs/theory/coating.md.
#ifndef SN_BODY_COAT_COAT_BODY_H
#define SN_BODY_COAT_COAT_BODY_H

#include "body/body.h"
#include "body/coat/coat_follow.h"
#include "body/coat/coating.h"

typedef struct snCoatBodyDef {
    const snCoating *coating; // must outlive the body ...
    snCoating *owned;         // ... or goes with it: the same, or NULL
    const char *name;
    double step;    // H, s
    int substeps;   // in a step, 1 or more; halved by themselves where contacts close fast
    bool fixed;     // the root stays where it is put
    double posture; // Hz: how stiffly joints are drawn to the pose at rest; 0: limp
    double damping; // of joints, 1/s
    double
        twist; // rad: by which links turn about their own axes before flesh and skin resist; 0: freely
    double friction;    // of its flesh (contact/law.h); below 0: what it touches decides
    double dissipation; // s: how slowly pressed flesh comes back; 0 is springy, 0.05 like clay
    bool meets;         // bumps into other coated bodies
    bool self;          // ... and into itself: what limits joints
    bool sleeps;        // what rests on something is not computed until something comes
    int mostContacts;
    const snCoatFollowDef *follow; // instead of `posture`: a clip, and how strongly; NULL: none
} snCoatBodyDef;
snCoatBodyDef snDefaultCoatBodyDef(void); // 1/120 s, limp, meets others and itself

snStatus snCoatBody_Make(snBody **body, const snCoatBodyDef *def, const snContext *context,
                         snError *error);

// The coating that goes with a body, for another one of the same document; NULL if it has none of its own.
snCoating *snCoatBody_Owned(const snBody *body);

// Where the body's joints are, [jointCount] of its skeleton.
const snAffine *snCoatBody_Frames(const snBody *body);
// How joints are drawn: rotations in their parents at the next step's end, [jointCount]. Acts with `posture` above 0; dampers are
// relative to that motion. Call it for every step of a motion.
void snCoatBody_SetPose(snBody *body, const snQuat *turns);
// Where a fixed root is at the next step's end.
void snCoatBody_Lead(snBody *body, snVec3 place, snQuat rotation);

#endif
