// What it takes to play a clip of a character with its flesh: a pose, the rig of the lattice that
// follows from it, the state of the flesh, and the step from one time of the clip to the next.
#ifndef SN_BAKE_PLAYER_H
#define SN_BAKE_PLAYER_H

#include "bake/archive.h"
#include "bake/guard.h"
#include "bake/jumps.h"
#include "bake/keys.h"
#include "body/lattice/flesh_contact.h"
#include "body/lattice/ladder.h"

typedef struct snPlayer {
    const snFlesh *flesh;
    const snContext *context;
    // the clip that is played: snPlayer_Choose
    int clip;
    double closing, step;
    const snJumps *jumps;
    // what changes over time: snPlayer_Key
    snKeys *keys;     // NULL: nothing does
    snLadder *ladder; // of stiffness; NULL: it does not change
    double time;      // of the pose
    // made once: snPlayer_Make
    snPose pose, other; // at the present time; the other end of a closing
    snReach reach;      // what jumps are measured by
    snAffine *carried;  // [joints], how far they jump in a step
    snGuard guard;
    snPose earlier;            // at the present step's begin, where props move
    snFleshContacts *contacts; // what the flesh bumps into; NULL: nothing
    snFleshDriver driver;
    snLatticeState *state;
    double *rig, *before; // where a clip begins and one step before, [lattice vertices * 4]
    double *offsets;      // of the flesh at the last snPlayer_Change, [lattice vertices * 4]
    int64_t taken;        // steps of all clips
} snPlayer;

// The flesh must outlive the player; scratch must too. Destroy it in any case. `contacts` are set
// afterwards, where there are any.
snStatus snPlayer_Make(snPlayer *player, const snFlesh *flesh, const snContext *context,
                       snArena *scratch, snError *error);
void snPlayer_Destroy(snPlayer *player);

// Stiffness and amounts by tracks (keys.h), which must outlive the player.
snStatus snPlayer_Key(snPlayer *player, const snKeyTrack *tracks, int count, snArena *scratch,
                      snError *error);

// The clip that is meant by all times from now on.
typedef struct snPlayed {
    int clip;             // number in the character
    double closing;       // s from its last pose over into its first; 0: it ends with its last
    double step;          // s of the clip per step
    const snJumps *jumps; // that flesh is carried over; they must stay. NULL: none
} snPlayed;
void snPlayer_Choose(snPlayer *player, const snPlayed *played);

// Times count from the beginning of the clip; behind its end it goes over into its first pose.
void snPlayer_SetPose(snPlayer *player, double time);
snLatticeDrive snPlayer_Drive(snPlayer *player, double time); // sets the pose too

// Colliders on their way from where they are at a time to where they are in the present pose; NULL: there are
// none.
struct snLatticeContacts *snPlayer_PlaceColliders(snPlayer *player, double from);

// Puts the flesh on the rig of the clip's first pose: at rest, or `moving` with the velocity that
// the rig has when it comes there out of the clip's end.
void snPlayer_Start(snPlayer *player, bool moving);

// One step, from the rig at one time to the rig at another. Flesh is carried over jumps (jumps.h), and what
// goes wrong is met (guard.h).
void snPlayer_Step(snPlayer *player, double from, double to);

// The surface at the present pose: the rig alone in `rig`, with the flesh in `soft`, out of what it
// bumps into. Returns how deep in that its deepest vertex was.
double snPlayer_Surface(snPlayer *player, snVec3f *rig, snVec3f *soft);

// All of the flesh that the surface depends on, [snFleshRow_Size]: kept, and put back together with the
// pose at a time of the clip.
size_t snFleshRow_Size(const snFlesh *flesh);
void snPlayer_KeepFlesh(const snPlayer *player, double *row);
void snPlayer_Recall(snPlayer *player, double time, const double *row);

// The largest change, as a share of the height, of the flesh's offsets since the last call.
double snPlayer_Change(snPlayer *player);

// All that changes from step to step, saved or restored (archive.h); the clip is chosen anew. Whatever
// is added to a player and changes belongs in here.
void snPlayer_Exchange(snPlayer *player, snArchive *archive);

#endif
