// An actor: a character with flesh that moves. Build once, step as often as you like: stepping
// allocates nothing and gives the same bits on every run and machine, for any number of threads.
//
//     snActor *actor;
//     snActorDef def = snDefaultActorDef();
//     if (snActor_Make(&actor, character, &def, &context, &error)) ...
//     snActor_Start(actor, clip, 0);
//     for (int k = 1; ; k++) {
//         snActor_Step(actor, clip, k * def.step);
//         snActor_ReadPositions(actor, vertices, sizeof(MyVertex));
//     }
#ifndef SINEW_ACTOR_H
#define SINEW_ACTOR_H

#include "sinew/character.h"
#include "sinew/solver.h"

#ifdef __cplusplus
extern "C" {
#endif
SN_API_BEGIN

// What the flesh of a character is like, and how it is stepped.
typedef struct snActorDef {
    int cells;      // about how many lattice cells, 20 to 200000: more follow finer shapes, slower
    double spacing; // or how far apart its grid points are, in the file's units; 0: by cells
    double wobble;  // Hz, the slowest swing of the flesh: 2 sloshes, 4 sways, 8 is firm
    double damping; // 1/s, how fast swings die: 0 rings long, 2 is flesh, 10 is mud
    double step;    // s, the length of every step; 1/120 is good
    int iterations; // of the solver in each step: 3 is close, 10 converged; 0: by the solver
    // A rig document (docs/rig-file.md), as `sinew rig` writes it, or NULL: its lattice, parts and
    // defaults hold; the six numbers above do where it has none of them. Read while the actor is made.
    const char *rig;
    size_t rigSize;        // bytes
    double amplitude;      // of what is seen of the motion: 1 is what was computed
    double gravityChange;  // of the file's units per s²: flesh that its bones have turned hangs
                           // another way; 9.81 is right in metres, 0 leaves it out
    double gravity;        // of the file's units per s², downwards; for SN_MOTION_FULL alone
    snMotion motion;       // what is seen of it: physics beyond the rig, or all of it
    snMaterial material;   // the elastic energy: how flesh resists
    snSolver solver;       // how the end of a step is found: projective is quick, Newton exact
    snLinearMethod method; // of the linear and blended solvers: factored beforehand, or in the step
    snMatrix matrix;       // auto suits; scalar is the quicker and less exact
    snPrecision precision; // auto: single where it goes, off by 1e-5 of the height
    int details; // levels of finer motion that comes and goes where flesh bends: 0 none, at most 3
} snActorDef;
snActorDef snDefaultActorDef(void); // 2000 cells, 3.5 Hz, 2 per second, 1/120 s, 5

// One character's flesh, in motion.
typedef struct snActor snActor;

// A crowd, see crowd.h.
struct snCrowd;

// The character must outlive the actor. *actor is NULL after a failure.
snStatus snActor_Make(snActor **actor, const snCharacter *character, const snActorDef *def,
                      const snContext *context, snError *error);
void snActor_Destroy(snActor *actor); // accepts NULL

// Puts the flesh at rest in the pose that a clip has at a time (seconds from its start).
void snActor_Start(snActor *actor, int clip, double time);

// Moves on by one step, to the pose of a clip at a time. False when the step could not be computed
// (a pose of NaN): the flesh is then put on its rig. False too, and nothing moves, for a time that is not finite.
bool snActor_Step(snActor *actor, int clip, double time);

// The same, to a pose of the engine's own: 16 floats by columns for every joint of the character, from the joint to the
// character's space; `stride` bytes from one to the next, 0: 64.
bool snActor_StepPose(snActor *actor, const float *matrices, size_t stride);

// An actor is a crowd of one member, number 0, by another name: through this crowd.h offers it places, teleports, wind,
// normals, and offsets for a GPU. It is destroyed with the actor.
struct snCrowd *snActor_Crowd(snActor *actor);

// The surface now: three floats per vertex, `stride` bytes from one vertex to the next (12 when
// they are packed), in world space and metres of the file.
void snActor_ReadPositions(const snActor *actor, float *positions, size_t stride);

// How far the surface is from the rig's own pose at most, as a share of the character's height.
double snActor_Offset(const snActor *actor);

// The state, to come back to. Size in bytes; restoring needs the same character and definition.
size_t snActor_StateSize(const snActor *actor);
void snActor_Save(const snActor *actor, void *state); // into [snActor_StateSize] bytes
// From such bytes; it goes on from there. SN_ERROR_FORMAT where they are of another or were changed: then nothing is.
snStatus snActor_Restore(snActor *actor, const void *state, size_t size, snError *error);
uint64_t snActor_Hash(const snActor *actor); // equal states have equal hashes

SN_API_END
#ifdef __cplusplus
}
#endif

#endif
