// What the files of islands share among themselves.
#ifndef SN_BODY_LATTICE_ISLAND_PARTS_H
#define SN_BODY_LATTICE_ISLAND_PARTS_H

#include "body/lattice/island.h"

// One body's samples that look at a body's surface, which may be its own.
typedef struct snIslandLook {
    const snLatticeIsland *island;
    snIslandBody *own;
    int other; // number of the body
    bool last; // for what the search left inside
} snIslandLook;

void snIsland_KeepTouch(const snIslandLook *look, int sample, const snTouch *touch);
// A sample beside a point of it that is tied to a point of the other: they are to be together.
bool snIsland_IsTied(const snIslandLook *look, int sample);
void snIsland_LookAtItself(const snIslandLook *look);
// After the search: samples that are in the other, and that no record would push out.
void snIsland_LookForLeft(snIslandLook *look);

// Where samples are on their own surface, at rest.
snStatus snIsland_FindSpots(snIslandBody *body, snArena *arena, snError *error);
// Whether a sample and what it touches face each other; else the touch may become one that does. The surfaces
// are in their places.
bool snIsland_Faces(const snIslandLook *look, int sample, snTouch *touch);

#endif
