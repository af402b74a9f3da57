// Clips played one after another as one: a new clip with the channels of all of them.
//
// With a blend of b seconds the next clip begins b before the last one ends, and poses go over from one to
// the other by u = 3t² - 2t³, t from 0 to 1: translations, scales and morph weights linearly, rotations along
// the shorter arc. b is at most half of either clip. Without a blend the next clip begins where the last one
// ended when both have the same pose there, as in a loop that goes round again; else SN_CHAIN_GAP later.
#ifndef SN_CHARACTER_CHAIN_H
#define SN_CHARACTER_CHAIN_H

#include "character/character.h"

#define SN_CHAIN_GAP (1.0 / 30) // s
#define SN_MOST_CHAINED 256     // clips in one chain

typedef struct snChainDef {
    const char *name; // of the new clip; it is copied
    int clipCount;    // at least 1
    const int
        *clips;   // [clipCount], numbers of the character's clips; one may be there several times
    double blend; // s
} snChainDef;

// Begins at 0 s. Linear channels keep their keys; others are sampled, 120 times a second where they are
// curved. What a clip does not move stands as at rest while it plays. All memory is in the arena.
snStatus snChainClips(snClip *chain, const snCharacter *character, const snChainDef *def,
                      snArena *arena, snError *error);

#endif
