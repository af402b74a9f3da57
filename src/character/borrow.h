// A bare surface with the skeleton and the clips of another file: of a recording, or of another
// character.
#ifndef SN_CHARACTER_BORROW_H
#define SN_CHARACTER_BORROW_H

#include "character/rigged.h"

#define SN_BORROW_ROOT "fitted" // name of the new root, which has the scale and the offset

typedef struct snBorrowDef {
    double turn;  // degrees about y, against the clock seen from above, before all else
    double scale; // of the skeleton; 0: found
    bool hasOffset;
    snVec3 offset; // in the surface's units; where hasOffset is false it is found
    snSkinWeightDef weights;
} snBorrowDef;

snBorrowDef snDefaultBorrowDef(void);

typedef struct snBorrowReport {
    double scale;
    snVec3 offset;
    int jointCount; // that may carry skin
    int outside;    // of them, outside the surface
} snBorrowReport;

// Fills *rigged (freed with snCharacter_Destroy; on failure there is nothing to free). `bare` has no
// skins; `solid` was made from it by snSolid_FromCharacter. All joints of `other` come along, under a
// new root that fits them to the surface; those that carry skin there, or all where there is no skin,
// have bones here. A last joint of a chain carries what lies beyond it, as far again as its bone is
// long, unless its name ends in ".end".
//
// Where scale and offset are not given, a skeleton of which most joints lie inside the surface
// stays as it is; others are scaled by the heights and put with the middle and the lowest point of
// one over those of the other. A recording stands as in the first key of its first clip then, with
// all joints straight.
snStatus snBorrowRig(snCharacter *rigged, const snCharacter *bare, const snSolid *solid,
                     const snCharacter *other, const snBorrowDef *def, snBorrowReport *report,
                     const snContext *context, snError *error);

#endif
