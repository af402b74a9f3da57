// A document made ready to be posed, played and asked: skeleton, ranges, curves of the postures, muscles as they
// stand. It is a picture of the document as it was: build it again after an operation.
#ifndef SN_LAYERED_FIGURE_H
#define SN_LAYERED_FIGURE_H

#include "layered/layered.h"
#include "skeleton/postures.h"

typedef struct snFigure {
    snArena arena;
    const snLayered *layered; // must live as long
    snSkeleton skeleton;
    snJointRange *ranges; // [joints]
    snPostures *postures; // without any: the figure stands as it does now
    double duration;      // s, of the animation; 0: there is none
    // How it stands, by one of the functions below.
    snPose pose;
    snVec3 *angles; // [joints] degrees
    int muscleCount;
    snMuscle *muscles; // [muscleCount], in the world
} snFigure;

snStatus snFigure_Build(snFigure *figure, const snLayered *layered, snError *error);
void snFigure_Destroy(snFigure *figure);

void snFigure_SetRest(snFigure *figure);
void snFigure_SetPresent(snFigure *figure); // joints as the document has them now
void snFigure_SetTime(snFigure *figure, double time);
// After its pose was changed from outside (inverse kinematics): angles and muscles follow.
void snFigure_Follow(snFigure *figure, double time);

// The joint's rotation for angles in degrees, and back; -0 does not come back.
snQuat snFigure_Rotation(const snFigure *figure, int joint, snVec3 degrees);
snVec3 snFigure_Degrees(const snFigure *figure, int joint, snQuat rotation);
// A muscle's shape in its joint's frame.
snMuscleShape snFigure_Shape(const snFigure *figure, int muscle, double time);

// Inside (below 0) or outside of all muscles: the least distance, and whose it is (-1: there are none).
double snFigure_Distance(const snFigure *figure, snVec3 point, int *muscle);
// Moves a point that is nearer than `gap` to a muscle that is not bare out of it.
snVec3 snFigure_PushOut(const snFigure *figure, snVec3 point, double gap);

// The postures as a clip, in the arena.
snStatus snFigure_ToClip(const snFigure *figure, const char *name, snArena *arena, snClip *clip,
                         snError *error);

#endif
