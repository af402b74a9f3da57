// The frames in which the regions of SN_SOLVER_BLENDED are linear.
//
// Where flesh sits on a bone that leads, its frame is the joint's, as the rig moves it. A loose bone
// (a tail, an ear) is led by nothing: its flesh goes where physics takes it, and the rig's joint may
// be a quarter turn ahead. There the frame is fitted to the flesh itself. In secondary motion flesh
// stays near its rig, and all frames are the joints'.
#ifndef SN_BODY_LATTICE_FRAMES_H
#define SN_BODY_LATTICE_FRAMES_H

#include "body/lattice/blended.h"

// Decides for every part which frame it has, and finds the weights of fitted ones. A part that no
// frame can be fitted to (all its mass on a line) goes by its joint.
snStatus snFrames_Build(snLatticeModel *model, const snRegions *regions, snMotion motion,
                        snError *error);

// What frames are found from, for one lane.
typedef struct snFrameSource {
    const snLatticeModel *model;
    const snLatticeState *state;
    const double *known;    // [vertices * width], where the known vertices are
    double ahead;           // s: the free ones are taken where their velocity has them by then
    const snAffine *joints; // of this lane, or NULL
    int lane;
} snFrameSource;

// The frame of a part, x -> R x + o from rest with a rotation R. False: its joint is missing or not
// finite.
bool snFrames_Find(const snFrameSource *source, int part, snAffine *frame);

#endif
