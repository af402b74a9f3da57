// Steps that are looked at, and what is done when one goes wrong.
//
// A step is wrong when it could not be computed, tore flesh (an element eight times as long as in the
// rig), turned a fifth of all elements inside out that the rig does not, or sent flesh three extents of
// the body from its rig or away from it at a hundred extents per second. Flesh that wobbles at half a
// hertz in the shared characters' gallops comes to 4.8, 8 %, 0.5 and 9. The last two are asked in
// secondary motion only: what falls freely may go anywhere.
//
// Then the step is taken back and tried in eight smaller ones, of a model that is built when it is first
// needed: the same body with an eighth of the step, whose state has the same form. If that goes wrong
// too, the joints whose flesh is at fault are put on their rig, and pulled to it less and less for
// a quarter of a second: by b² in each step, b falling from 1 to 0. If even that fails, all of the body is.
// Contacts act in all of these steps, and remember what they did before the one that is taken back.
#ifndef SN_BAKE_GUARD_H
#define SN_BAKE_GUARD_H

#include "bake/events.h"
#include "body/lattice/flesh.h"
#include "body/lattice/health.h"

struct snPlayer;

typedef struct snGuard {
    snHealthLimits limits;
    void *saved;            // the state before a step, [blockSize]
    double *share;          // [lattice vertices], for snLatticeState_Draw
    unsigned char *fault;   // [lattice vertices]
    unsigned char *concern; // [joints], 1: its flesh is at fault
    double *yield;          // [joints], b: changes from step to step
    snLatticeModel *fine;   // with an eighth of the step; NULL: not yet needed, or there is none
    snLatticeState *fineState;
    bool fineTried;
    void *savedContacts; // what contacts remembered before a step; NULL: there are none
    struct snLatticeContacts *fineContacts; // of the fine model; NULL: there are none
    snEvents *events;                       // where they go; NULL: nowhere
} snGuard;

// For the player's flesh, which has this extent. What is built later is not in scratch: destroy the
// guard in any case.
snStatus snGuard_Make(struct snPlayer *player, double extent, snArena *scratch, snError *error);
void snGuard_Destroy(snGuard *guard);

// Makes room for what the player's contacts remember, once they are set.
snStatus snGuard_AddContacts(struct snPlayer *player, snArena *scratch, snError *error);

// One step of the player from one time to another, driven by the pose there, that goes well.
void snGuard_Step(struct snPlayer *player, const snLatticeDrive *drive, double from, double to);

#endif
