// Crowds: many characters of one kind that share one built flesh. A thousand cows are one model and a
// thousand states, some 74 KiB each with a lattice of 200 vertices. Every member has its own motion (a clip, or
// joints that the engine sets), its own place in the world and its own level of detail.
//
//     snCrowdDef def = snDefaultCrowdDef();
//     def.members = 500;
//     if (snCrowd_Make(&crowd, cow, &def, &context, &error)) ...
//     for (int m = 0; m < 500; m++) {
//         snCrowd_Play(crowd, m, walk, 0.01 * m, 1.0);
//         snCrowd_Teleport(crowd, m, &places[m]);
//         snCrowd_Start(crowd, m);
//     }
//     each frame of 1/30 s:
//         snCrowd_Step(crowd, 2, &vertexBuffer);    // two steps of 1/60 s, then all surfaces with normals
//
// Stepping allocates nothing, runs over the context's task hook, and gives the same bits for any number of
// threads; a member moves by the same bits as an actor that is made and driven alike. A crowd is for one thread at a
// time; different crowds may be used by different threads at once.
#ifndef SINEW_CROWD_H
#define SINEW_CROWD_H

#include "sinew/actor.h"

#ifdef __cplusplus
extern "C" {
#endif
SN_API_BEGIN

// How many there are, and what they are like.
typedef struct snCrowdDef {
    snActorDef actor; // what the flesh of all members is like
    int members;      // 1 to 1000000; each takes snCrowd_BytesPerMember
    // How slow flesh must be to fall asleep, in heights of the character per second, while its pose and place
    // stand still: it is not stepped until they move. 1e-3 is not seen; 0: nobody sleeps; larger falls asleep earlier.
    double sleep;
    // Steps that SN_DETAIL_HALF takes as one, 2 to 8, for which matrices are factored when the crowd is made; 0: there is
    // no such level. It should be the number that snCrowd_Step is called with.
    int longStep;
} snCrowdDef;
snCrowdDef snDefaultCrowdDef(void); // 1 member of 600 cells, steps of 1/60 s with 3 iterations

// Many members of one flesh.
typedef struct snCrowd snCrowd;

// The character must outlive the crowd. *crowd is NULL after a failure. Members stand in the rest pose at the
// origin, at rest.
snStatus snCrowd_Make(snCrowd **crowd, const snCharacter *character, const snCrowdDef *def,
                      const snContext *context, snError *error);
void snCrowd_Destroy(snCrowd *crowd); // accepts NULL

int snCrowd_MemberCount(const snCrowd *crowd);       // as its definition said
size_t snCrowd_BytesPerMember(const snCrowd *crowd); // of memory that one more member takes
size_t snCrowd_SharedBytes(const snCrowd *crowd); // of all else: flesh, model, scratch of workers

// ---- what members do: holds from the next step on, until it is set anew. `member` is from 0 ----------

// Plays a clip (-1, or one that is not there: the rest pose) by itself. `time`, in seconds from its start, is where it is now; every step moves
// it on by `speed` times the step: 1 is as it was animated, 0 holds it, below 0 goes back. It goes round and round.
void snCrowd_Play(snCrowd *crowd, int member, int clip, double time, double speed);

// The pose at the end of the next snCrowd_Step, as the engine has it: a matrix of 16 floats by columns for every joint
// of the character (snCharacter_JointCount), from the joint to the character's own space. `stride` is in bytes from one
// matrix to the next, 0: 64. Where a call takes several steps, joints go there straight. They are not looked at: with numbers that are not finite the
// next snCrowd_Step puts the member on its rig and counts it, and it stays so until it is posed or started anew.
void snCrowd_SetPose(snCrowd *crowd, int member, const float *matrices, size_t stride);

// Where the member is at the end of the next snCrowd_Step. It goes there in its steps, and its flesh feels it, by
// the share that snCrowd_SetRootMotion says.
void snCrowd_SetPlace(snCrowd *crowd, int member, const snPlacement *place);

// Puts it there at once: its flesh goes along as it is, and feels nothing. Also what was moving goes on
// moving, turned along.
void snCrowd_Teleport(snCrowd *crowd, int member, const snPlacement *place);

// How much of a member's own motion through the world shakes its flesh, 0 to 1: 1 is physics, 0 leaves what the pose
// does alone (for a platform that races off, a camera that cuts). Beyond 0 and 1 they are taken. The default is 1.
void snCrowd_SetRootMotion(snCrowd *crowd, int member, double share);

// Puts the flesh at rest in the present pose and place, at once.
void snCrowd_Start(snCrowd *crowd, int member);

// ---- levels of detail -------------------------------------------------------------------------------

// How much is computed for a member.
typedef enum snDetailLevel {
    SN_DETAIL_FULL, // every step
    SN_DETAIL_HALF, // one long step for every def.longStep of snCrowd_Step: half the time, swings die sooner
    SN_DETAIL_RIG, // the pose alone. What flesh does beyond it fades out over 16 steps; nothing is computed then
} snDetailLevel;
// From the next step on. A level that is not there (HALF without def.longStep) is taken as FULL.
void snCrowd_SetDetail(snCrowd *crowd, int member, snDetailLevel level);

// Levels of all members by their distance from an eye: up to `full` metres SN_DETAIL_FULL, up to `half` SN_DETAIL_HALF
// (FULL where def.longStep is 0), beyond it SN_DETAIL_RIG; and no more than `most` members that are stepped at all, the
// nearest. Distances may be INFINITY.
typedef struct snDetailRange {
    double full, half; // m, 0 or more
    int most;          // members, 0 or more
} snDetailRange;
// Sets the level of every member by such a range; eye in metres, in the world.
void snCrowd_ChooseDetail(snCrowd *crowd, const double eye[3], const snDetailRange *range);

// A budget of time, of crowds and worlds alike. There is no clock in the library: the program says what its last frame took, and how much it may
// take. Once in 16 frames, when those that went to their rigs have faded out, the number of members that are stepped is moved by the mean of the
// last 8: down to what fits into 0.9 of the time when it was more than all of it, by half at most; up by an eighth at most when it was less
// than 0.75 and there is room. Between both nothing moves, and a number that was too many is not tried again for 640 frames. With the same
// numbers it decides the same: who writes `used` down can play a run again to the same bits, and who saves a state saves the budget with it.
typedef struct snDetailBudget {
    double used;    // s, what steps took in the last frame, 0 or more; set before each call
    double allowed; // s, what they may take, above 0
    int most;       // how many may be stepped: where to begin, and from then on what was decided
    int frames;     // since it was last moved; this and the rest are 0 at first and the library's
    int limit;      // how many were too many, of late; 0: none were
    int limitAge;   // decisions since then
    double load;    // the sum of used / allowed over the frames that count
} snDetailBudget;
// Levels as snCrowd_ChooseDetail sets them, with no more than budget->most members that are stepped, which is moved first.
void snCrowd_KeepBudget(snCrowd *crowd, const double eye[3], const snDetailRange *range,
                        snDetailBudget *budget);

// ---- wind and other fields ----------------------------------------------------------------------------

// What blows through all members: accelerations at places. Both parts add up; zero and NULL are none.
typedef struct snForceField {
    double wind[3]; // m/s
    double drag;    // 1/s, 0 or more, how fast flesh is taken along: 0.5 is a breeze, 5 a storm
    // m/s² at `count` points, x, y, z and a number that is not used of each, added to what stands in
    // `accelerations`. Called by several threads at once. NULL: none.
    void (*add)(void *user, int member, int count, const double *places, double *accelerations);
    void *user; // handed to it
} snForceField;
void snCrowd_SetField(snCrowd *crowd, const snForceField *field); // copied; NULL: none

// ---- stepping and reading -----------------------------------------------------------------------------

// Where a surface goes: the caller's own vertices. Vertices are those of the character, in its order.
typedef struct snSurfaceBuffer {
    float *positions;      // three floats of each vertex, in world space
    size_t positionStride; // bytes from one vertex to the next, a multiple of 4; 0: 12
    float *normals;        // likewise, unit vectors by the areas of triangles; NULL: not wanted
    size_t normalStride;   // bytes; 0: 12
    size_t memberStride;   // bytes from one member's first vertex to the next one's, of both
} snSurfaceBuffer;

// Moves all members on by `steps` steps of def.actor.step. With `surfaces` every member's surface is
// written while it is at hand: quicker than reading it afterwards. NULL: none. Returns how many members could not be
// computed (a pose of NaN) and were put on their rigs.
int snCrowd_Step(snCrowd *crowd, int steps, const snSurfaceBuffer *surfaces);

// The surface of one member now; memberStride does not count.
void snCrowd_ReadSurface(snCrowd *crowd, int member, const snSurfaceBuffer *surface);

// How many members the last snCrowd_Step moved by physics, the others being asleep or on their rigs.
int snCrowd_SteppedCount(const snCrowd *crowd);

// How far a member's surface is from its rig's own pose at most, as a share of the character's height.
double snCrowd_Offset(snCrowd *crowd, int member);

// ---- carrying the surface elsewhere, such as on a GPU ----------------------------------------------------
//
// The surface is that of linear blend skinning plus what the lattice does beyond its rig,
//     position = skinned + Σ_k weight[k] offset[vertex[k]]      over k < snCrowd_EmbeddingWidth,
// so that a few hundred offsets of each member are all that has to be uploaded.

int snCrowd_EmbeddingWidth(const snCrowd *crowd); // numbers per surface vertex, 4 or 8
int snCrowd_LatticeCount(const snCrowd *crowd);   // lattice vertices
// [vertices * width] each; unused ones have weight 0.
void snCrowd_ReadEmbedding(const snCrowd *crowd, int *vertices, float *weights);
// [lattice vertices] of three floats, in world space; `stride` in bytes, 0: 12.
void snCrowd_ReadLattice(snCrowd *crowd, int member, float *offsets, size_t stride);

// ---- state ----------------------------------------------------------------------------------------------

// All members, to come back to. Restoring needs a crowd that was made alike.
size_t snCrowd_StateSize(const snCrowd *crowd);       // bytes
void snCrowd_Save(const snCrowd *crowd, void *state); // into [snCrowd_StateSize] bytes
// From such bytes; all go on from there. SN_ERROR_FORMAT where they are another crowd's or were changed: then nothing is.
snStatus snCrowd_Restore(snCrowd *crowd, const void *state, size_t size, snError *error);
uint64_t snCrowd_Hash(const snCrowd *crowd, int member); // of one member's flesh, as snActor_Hash

SN_API_END
#ifdef __cplusplus
}
#endif

#endif
