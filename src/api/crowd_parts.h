// What actors and crowds are made of: one built flesh, members that are plain bytes, and workers with all the
// scratch that a step and a surface need. Begin with snCrowd_Step in crowd_step.c.
#ifndef SN_API_CROWD_PARTS_H
#define SN_API_CROWD_PARTS_H

#include "body/lattice/flesh.h"
#include "body/lattice/ladder.h"
#include "sinew/crowd.h"

// A rigid motion that can be interpolated.
typedef struct snStand {
    snVec3 position;
    snQuat rotation;
} snStand;

// Beside the flesh's own block. No pointers: a member is saved as it lies in memory.
typedef struct snMember {
    int clip;        // -1: the rest pose
    int posed;       // 1: `joints` are the engine's, on their way to `wanted`; 0: of the clip
    int moved;       // something was set since the last step
    int level;       // snDetailLevel
    int started;     // 0: nothing was computed of late; it begins on its rig
    int quiet;       // steps in which flesh was still and nothing moved it
    double time;     // s, of the clip
    double speed;    //
    double amount;   // 0 to 1, how much is seen of what flesh does beyond its rig
    double share;    // of root motion that is felt
    snStand stand;   // now
    snStand aim;     // at the end of the next call
    int64_t resets;  // steps that could not be computed
    int64_t stepped; // in the last call, 1: by physics
} snMember;

// Everything that one thread needs.
typedef struct snCrowdWorker {
    snLatticeState *state; // stands for whichever member is at hand
    snPose pose;           // world space
    snFleshDriver driver;
    double *acceleration; // [lattice vertices * 4]
    float *offsets;       // [(lattice vertices and points) * 4], what is seen beyond the rig
    float *rows;          // [vertices * 4]
    float *areas;         // [(triangles + 1) * 4]
    float *normals;       // [vertices * 4]
} snCrowdWorker;

struct snCrowd {
    snArena arena; // owns all but flesh, ladder and states
    snContext context;
    const snCharacter *character;
    snFlesh *flesh;
    snLadder *ladder; // for steps of def.longStep; NULL: none
    snCarry carry;    // with triangles
    int *normalOf;    // [vertices], whose normal a vertex has; NULL: its own
    int memberCount, longStep;
    double sleep; // m/s
    snForceField field;
    size_t blockSize, jointsAt, wantedAt, morphsAt,
        memberSize; // bytes of a member, and where what begins
    char *members;  // [memberCount * memberSize]
    int workerCount;
    snCrowdWorker *workers;
    int *order; // [memberCount], scratch: members by distance
    double *distance;
    int steppedCount;
};

snFleshDef snActorDef_Flesh(const snActorDef *def);
snStatus snActorDef_Check(const snActorDef *def, snError *error);
snStatus snActorDef_Build(const snActorDef *def, snFlesh **flesh, const snCharacter *character,
                          const snContext *context, snError *error);

// Whether there is such a member; else the log is warned.
bool snCrowd_Has(const snCrowd *crowd, int member);
// Of a member: its flesh first, then these.
snMember *snCrowd_Member(const snCrowd *crowd, int member);
void *snCrowd_Block(const snCrowd *crowd, int member);
snAffine *snCrowd_Joints(const snCrowd *crowd, int member); // now, in the character's space
snAffine *snCrowd_Wanted(const snCrowd *crowd, int member);
double *snCrowd_Morphs(const snCrowd *crowd, int member);

// A worker's state stands for a member.
snLatticeState *snCrowd_Use(const snCrowd *crowd, snCrowdWorker *worker, int member);

// The member's pose as it is now, in the worker's pose: from its joints, its place and its morphs.
void snCrowd_ShowPose(const snCrowd *crowd, snCrowdWorker *worker, int member);
// The pose of its clip at its time, into its joints and morphs.
void snCrowd_SampleClip(const snCrowd *crowd, snCrowdWorker *worker, int member);
// Puts it on its rig in the pose that the worker shows; at rest, or at the velocity of the rig, [vertices * 4].
void snCrowd_PutOnRig(const snCrowd *crowd, snCrowdWorker *worker, int member,
                      const double *rigVelocity);

// Of a member whose state and pose the worker has.
void snCrowd_WriteSurface(const snCrowd *crowd, snCrowdWorker *worker, int member,
                          const snSurfaceBuffer *out);

// What crowds and worlds take alike.
snStatus snCheckSurface(const snSurfaceBuffer *surface, snError *error);
snStatus snCheckDetail(const double eye[3], const snDetailRange *range, snError *error);

// A matrix of 16 floats by columns, of several that are `stride` bytes apart (0: 64).
snAffine snReadMatrix(const float *matrices, size_t stride, int number);

snAffine snStand_Affine(const snStand *stand);
snStand snStand_Of(const snPlacement *place);
snStand snStand_Between(const snStand *a, const snStand *b, double t); // t = 1: b itself
// What takes a body that stands at `from` to `to`.
snAffine snStand_Motion(const snStand *from, const snStand *to);
bool snStand_Same(const snStand *a, const snStand *b);

#endif
