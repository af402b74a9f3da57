// What the files that propose a skeleton share. Used inside this room only.
#ifndef SN_CHARACTER_PROPOSE_PARTS_H
#define SN_CHARACTER_PROPOSE_PARTS_H

#include "character/propose.h"

#define SN_PROPOSED_NAME 48

// A joint of the folded skeleton: one that is not central stands for its mirror image too.
typedef struct snProposed {
    snVec3 at;
    double radius;               // depth there
    int parent;                  // -1: the root, joint 0
    int chain;                   // joints from fork to fork have one number, from 1; the root has 0
    bool central;                // in the mirror plane; false for all where there is none
    char name[SN_PROPOSED_NAME]; // without side
} snProposed;

typedef struct snProposal {
    const snSolid *solid;
    const snProposeDef *def;
    snMirror mirror;
    int count;
    snProposed *joints; // [count], parents before children
    bool leftIsNormal;  // the mirror's normal points to the character's left
} snProposal;

// Fills in the names and tells left from right.
void snProposal_NameJoints(snProposal *proposal);

#endif
