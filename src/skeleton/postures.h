// Key postures: poses at times, with smooth motion between them. A posture is taken from a pose as it
// stands, say after inverse kinematics. Translations and scales follow Kochanek and Bartels' curves,
// rotations theirs on rotations (rotation_curve.h); tension, continuity and bias per key.
//
//     snPostures_Set(postures, 0.5, &pose, NULL, &error);
//     snPostures_Sample(postures, t, &pose);
//     snPostures_ToClip(postures, &skeleton, "wave", &arena, &clip, &error);
#ifndef SN_SKELETON_POSTURES_H
#define SN_SKELETON_POSTURES_H

#include "numerics/spline.h"
#include "skeleton/skeleton.h"

typedef struct snPosture {
    double time; // s
    snKnotShape shape;
    snTransform *local; // [jointCount]
} snPosture;

typedef struct snPostures snPostures;

snStatus snPostures_Make(snPostures **postures, int jointCount, const snContext *context,
                         snError *error);
void snPostures_Destroy(snPostures *postures); // accepts NULL

// Puts the pose at a time; a posture that is there already is replaced, its shape kept if none is given
// (NULL; for new ones: smooth). Fails, and changes nothing, for times and poses that are not finite.
snStatus snPostures_Set(snPostures *postures, double time, const snPose *pose,
                        const snKnotShape *shape, snError *error);
void snPostures_Remove(snPostures *postures, int index);
void snPostures_SetShape(snPostures *postures, int index, snKnotShape shape);

// The motion goes on from the last posture to the first within `closing` seconds, and round and round.
// 0: it is open, held before the first posture and after the last.
void snPostures_Close(snPostures *postures, double closing);

int snPostures_Count(const snPostures *postures);
const snPosture *snPostures_At(const snPostures *postures, int index); // until the next change

// Writes all local transforms; a posture's own exactly at its time. Without postures nothing changes.
void snPostures_Sample(const snPostures *postures, double t, snPose *pose);

// The same motion as a clip, in the arena: for all that plays clips. Translations are the same curves;
// rotations get keys between postures until they are within SN_POSTURE_ERROR of the curve. A clip of
// closed postures ends with the pose that it begins with. What stays as it is at rest gets no channel.
#define SN_POSTURE_ERROR 1e-5 // radians
snStatus snPostures_ToClip(const snPostures *postures, const snSkeleton *skeleton, const char *name,
                           snArena *arena, snClip *clip, snError *error);

#endif
