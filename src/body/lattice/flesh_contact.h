// A character's flesh against a floor, against meshes of its file, and against itself: chooses the
// samples (contact.h), moves the colliders with the pose, and takes out of the visible surface what is
// still inside of them.
#ifndef SN_BODY_LATTICE_FLESH_CONTACT_H
#define SN_BODY_LATTICE_FLESH_CONTACT_H

#include "body/lattice/flesh.h"
#include "body/lattice/self_contact.h"

typedef struct snFleshContactsDef {
    bool floor;
    double height; // of the floor, along y, in the file's units
    bool self;     // the body against itself
    double
        friction; // of the floor and of props; below 0: 0.5 in full motion, else 0, for a walk in
                  // place slides on its floor
    double firmness; // see snLatticeContactsDef; 0: as it is by default
} snFleshContactsDef;

// A collider that is a part of the character, with `prop` set.
typedef struct snProp {
    int part;
    bool deforms; // by a skin, morph targets or scaled nodes: it is put in place anew each step
    snAffine fromRest;    // from the world at rest to the node's frame
    snVec3f *begin, *end; // [its vertices], of those that deform
} snProp;

typedef struct snFleshContacts {
    snArena arena;
    const snFlesh *flesh;
    snTasks tasks;
    snLatticeContacts *contacts; // what a step's drive takes
    snLatticeContactsDef made;   // what they were made from
    snContactSamples samples;
    int *corners;   // [samples * 3], vertices of the character whose mean, weighted, a sample is
    double *shares; // [samples * 3]
    snContactSamples rows; // of the surface's vertices, for the other side of self contact
    int *first;            // [parts + 1], of their vertices
    int *partOf;           // [surface vertices]: the part ...
    int *vertexOf;         // ... and a vertex of the character that is there, or -1
    int *cellOf;           // [surface vertices], the lattice's cell, or -1
    int colliderCount;
    snCollider *colliders; // props first, then the floor
    int propCount;
    snProp *props;
    bool moving;        // some prop may move
    const snPose *pose; // at the step's end
    // Scratch of snFleshContacts_Touch.
    snVec3 *push, *spread; // [surface vertices]
    double *count;         // [surface vertices]
    unsigned char *inside; // [surface vertices]
} snFleshContacts;

// For one state. Fails where the solver knows no contact, or a prop cannot be bumped into.
snStatus snFleshContacts_Make(snFleshContacts **contacts, const snFlesh *flesh,
                              const snFleshContactsDef *def, const snContext *context,
                              snError *error);
void snFleshContacts_Destroy(snFleshContacts *contacts); // accepts NULL

// Moves the colliders for a step between two poses (globals computed), and takes the drawn surface
// from the second, which must stay as it is until the step is done.
void snFleshContacts_Pose(snFleshContacts *contacts, const snPose *begin, const snPose *end);

// The same contacts for another model of the same flesh, with another step: at the same colliders. They must
// not outlive these, and of both only one is in use at a time.
snStatus snFleshContacts_ForModel(const snFleshContacts *contacts, snLatticeContacts **other,
                                  const snLatticeModel *model, const snContext *context,
                                  snError *error);

// Puts what is visible of the flesh (all parts one after another, as snCharacter_Surface writes them)
// out of the colliders where snFleshContacts_Pose has them, and spreads what that moves. Returns how
// deep the deepest vertex was. Where nothing was inside, nothing changes.
double snFleshContacts_Touch(snFleshContacts *contacts, snVec3f *positions);

#endif
