// Bake: clips of a character turned into clips with flesh. May use everything up to body and
// asset; works on memory alone. Begin with snBake_Run in bake.c.
#ifndef SN_BAKE_BAKE_H
#define SN_BAKE_BAKE_H

#include "bake/events.h"
#include "bake/keys.h"

// How far a bake is.
typedef struct snBakeProgress {
    double fraction; // 0 to 1, never less than before
    int clip, clipCount;
    const char *name; // of the clip
} snBakeProgress;

// Told after every frame, of rounds that are not kept too; returns false to stop the bake.
typedef struct snProgressHook {
    bool (*tell)(void *user, const snBakeProgress *progress);
    void *user;
} snProgressHook;

// Keeps what it takes to go on with a bake that is stopped (checkpoint.h), and hands it back.
typedef struct snCheckpointHook {
    // Asked after every frame, and when all are made (`end`): whether to save now. A bake that is
    // stopped saves without asking. NULL: nothing is saved.
    bool (*due)(void *user, bool end);
    // Saving: bytes to put behind all that were appended before; then the state that goes with them,
    // in place of the last.
    snStatus (*append)(void *user, const void *bytes, size_t size, snError *error);
    snStatus (*commit)(void *user, const void *state, size_t size, snError *error);
    void *user;
    // What to go on from: the last state, and all that was appended up to it. NULL: from the beginning.
    const void *state, *frames;
    size_t stateSize, framesSize;
} snCheckpointHook;

typedef enum snLoopChoice {
    SN_LOOP_FOUND,  // clips that go round by themselves (loop.h) are loops
    SN_LOOP_ALWAYS, // every clip is: its last pose goes over into its first
    SN_LOOP_NEVER,
} snLoopChoice;

#define SN_PREROLL_AUTO (-1.0) // until the flesh is at rest, 10 s at most

typedef struct snBakeDef {
    double frameRate;     // frames per second of the result
    double stepRate;      // at least so many steps per second; more are truer and slower
    int clipCount;        // clips to bake, one after another
    const int *clips;     // [clipCount] numbers of the character's clips; NULL: all of them
    double loopTolerance; // of the height: a loop is repeated until it changes by less than this
    int mostRepeats;      // of a loop before its last round is taken as it is
    snLoopChoice loop;
    double from, to; // s from a clip's beginning: frames to keep, to the nearest frame; to < 0: all
    double preroll;  // s that the first pose of a clip that is no loop is held beforehand
    bool middles;    // keep the surface half-way between frames too
    bool lean;       // keep the flesh alone and not the surface, which snBake_Surface finds again:
                     // for large surfaces. The context must outlive the bake then
    bool shakeJumps; // simulate jumps of the skeleton (jumps.h) like any motion; else flesh is
                     // carried over them
    struct snFleshContacts *contacts; // what the flesh bumps into (flesh_contact.h); NULL: nothing
    int keyCount;                     // what changes over time (keys.h)
    const snKeyTrack *keys;           // [keyCount], must outlive the bake
    snProgressHook progress;
    snCheckpointHook checkpoint;
} snBakeDef;
snBakeDef snDefaultBakeDef(void);

// Frames of a clip at the def's rate that are kept, both ends included; 0: the range is beyond it.
int snBakeDef_Frames(const snBakeDef *def, const snClip *clip);

// The length of a simulation step that divides the frames: flesh for the bake is built with it.
double snBakeDef_Step(const snBakeDef *def);

typedef struct snBakedClip {
    int clip;             // number in the character
    int frameCount;       // frames that are kept, both ends of the range included
    int firstFrame;       // of them among the frames of the whole clip
    int clipFrames;       // of the whole clip
    double start;         // s, of frame 0 in the character's clip
    double frameTime;     // s between frames
    snVec3f *positions;   // [frameCount * character vertices], world space; NULL in a lean bake
    snVec3f *middles;     // [(frameCount - 1) * character vertices], half-way to the next; or NULL
    double *flesh;        // of a lean bake, one snFleshRow_Size after another: frames, then middles
    bool hasMiddles;      // there is a surface half-way between frames
    snVec3f *lattice;     // [frameCount * lattice vertices], in the lattice's order
    bool loops;           // the rig ends as it begins, or one step before
    double closing;       // s from the last pose to the first; 0 where it is the first
    double prerolled;     // s
    bool posedStart;      // it jumps out of its first frame, which nothing leads to
    int repeats;          // rounds that were simulated before the one that is kept
    double loopGap;       // of the height: how far the last frame is from the first, beyond the rig
    double largestOffset; // of the height: how far flesh went from the rig
    double largestStretch; // of any cell in a frame that is kept, beyond the rig: 1 is none
    int stretchJoint;      // whose flesh that is; -1: no joint's
    double wholeStretch;   // the largest with what the rig itself stretches
    double deepest; // of the height: how deep in colliders a vertex was before it was taken out
} snBakedClip;

// When a frame is, in the time of the character's clip; 2.5 is half-way from frame 2 to 3.
static inline double snBakedClip_Time(const snBakedClip *clip, double frame)
{
    return clip->start + frame * clip->frameTime;
}

typedef struct snBake {
    snArena arena;
    const snCharacter *character;
    const snFlesh *flesh;
    int clipCount;
    snBakedClip *clips;
    int vertexCount;
    double frameRate;        // of the def
    int substeps;            // per frame
    int64_t steps;           // simulated, repeats of loops included
    int64_t halvings;        // iterations that had to be shortened
    int64_t resets;          // steps that could not be computed: the body was put on its rig
    double simulated;        // s
    double restored;         // s of that, out of a checkpoint
    struct snPlayer *player; // of a lean bake: it finds surfaces again
    snVec3f *shown[2];       // [character vertices], of a lean bake: rig and soft
    snEvents events;         // what went wrong and how it was met, in the order of clips
} snBake;

// The flesh must outlive the bake and have the step of snBakeDef_Step. On failure there is nothing
// to free.
snStatus snBake_Run(snBake **bake, const snFlesh *flesh, const snBakeDef *def,
                    const snContext *context, snError *error);
void snBake_Destroy(snBake *bake); // accepts NULL

// The surface in a frame that was kept, or half-way to the next: the same bits, lean or not. Of a lean
// bake it is there until the next call, and calls come one after another.
const snVec3f *snBake_Surface(const snBake *bake, int clip, int frame, bool middle);

#endif
