// Skeletons, poses and clips. A skeleton is a forest of joints, parents before children; in a
// character every node of the file is a joint, so that one evaluation moves everything.
// May use core and numerics. Begin with snSkeleton and snPose, then snClip_Sample.
#ifndef SN_SKELETON_SKELETON_H
#define SN_SKELETON_SKELETON_H

#include "core/memory.h"
#include "core/vec.h"

// Translation, rotation, scale: v -> translation + rotation * (scale * v).
typedef struct snTransform {
    snVec3 translation;
    snQuat rotation;
    snVec3 scale;
} snTransform;

typedef struct snJoint {
    const char *name; // never NULL; may be empty
    int parent;       // -1: a root; always less than the joint's own number
    snTransform rest; // relative to the parent
    bool hasMatrix;   // the file gave a matrix (perhaps with shear): `matrix` replaces `rest`
    snAffine matrix;
    int fileNode; // number of the node in the file it came from; joints are reordered
} snJoint;

typedef struct snSkeleton {
    int jointCount;
    snJoint *joints; // [jointCount]
} snSkeleton;

// The first joint of a name, or -1.
int snSkeleton_Find(const snSkeleton *skeleton, const char *name);
// Whether `above` is the joint, or one that it hangs on.
bool snSkeleton_IsAtOrAbove(const snSkeleton *skeleton, int above, int joint);

// One pose: local transforms, and the weights of morph targets.
typedef struct snPose {
    snTransform *local; // [jointCount]
    double *morphs;     // [morphCount], all meshes' weights one after another
    snAffine *global;   // [jointCount], snPose_Globals
} snPose;

typedef enum snPath { SN_PATH_TRANSLATION, SN_PATH_ROTATION, SN_PATH_SCALE, SN_PATH_MORPHS } snPath;
typedef enum snInterpolation { SN_STEP, SN_LINEAR, SN_CUBIC } snInterpolation;

// One animated property. SN_CUBIC is glTF's: three values per key (in-tangent, value, out-tangent).
typedef struct snChannel {
    int joint; // which joint; for SN_PATH_MORPHS the first weight in snPose.morphs
    snPath path;
    snInterpolation interpolation;
    int keyCount;
    int width;           // numbers per value: 3, 4, or the number of morph weights
    const float *times;  // [keyCount], ascending, seconds
    const float *values; // [keyCount * width], times 3 for SN_CUBIC
} snChannel;

// Keys of a channel that were no finite numbers in the file: others stand for them.
typedef struct snHeldKeys {
    int joint; // -1: of morph weights
    snPath path;
    int keys;
    double first; // s, the time of the first of them
} snHeldKeys;

typedef struct snClip {
    const char *name;
    double start, duration; // seconds: first key to last key
    int channelCount;
    snChannel *channels;
    int heldCount;
    snHeldKeys *held; // [heldCount]
} snClip;

// Memory for a pose, set to rest.
snStatus snPose_Make(snPose *pose, const snSkeleton *skeleton, int morphCount, snArena *arena,
                     snError *error);
void snPose_SetRest(snPose *pose, const snSkeleton *skeleton);

// Writes the animated properties at time t (clamped to the keys) over the pose; what the clip
// does not animate is left as it is (call snPose_SetRest first). Quaternions by slerp.
void snClip_Sample(const snClip *clip, double t, snPose *pose);

// Forward kinematics: global[j] = global[parent] * local[j].
void snPose_Globals(snPose *pose, const snSkeleton *skeleton);
snAffine snTransform_ToAffine(snTransform transform);
snTransform snTransform_FromAffine(snAffine affine); // shear, if any, is lost

// A straight bone, in rest space: moves with joint `joint`.
typedef struct snBone {
    int joint;
    snVec3 head, tail; // tail == head for a joint that has no extent
} snBone;

// Bones of the joints with used[j] != 0 (skin joints): from each joint to its nearest used
// descendants. Joints without used descendants give one bone of zero length (the character room
// extends it by what it carries). globals are the rest transforms. Count by passing bones = NULL.
int snSkeleton_Bones(const snSkeleton *skeleton, const unsigned char *used, const snAffine *globals,
                     snBone *bones);

#endif
