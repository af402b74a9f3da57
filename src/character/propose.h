// A skeleton proposed for a bare surface: joints along its curve skeleton, as a start to edit.
#ifndef SN_CHARACTER_PROPOSE_H
#define SN_CHARACTER_PROPOSE_H

#include "character/curve.h"
#include "character/instrument.h"

typedef struct snProposeDef {
    snCurveDef curve;
    snVec3 up;         // unit; only names depend on it. (0, 1, 0)
    double boneLength; // about the length of bones in long chains, as a share of the size. 0.11
} snProposeDef;

snProposeDef snDefaultProposeDef(void);

// Fills a plan that is empty. Every joint is inside the surface, and every bone too where the surface
// is thicker than two cells of the grid; the root is in the middle of the body. Where the surface is its own mirror image, so
// is the skeleton: names end in _L and _R, and joints in the middle have neither. Rings are cut open;
// what closes one in the middle plane hangs on one side.
// Names tell what a part is where its place leaves no doubt (leg, head, tail, ear, horn), and only
// number it where it does (name_joints.c).
snStatus snProposeRig(snRigPlan *plan, const snSolid *solid, const snProposeDef *def,
                      const snTasks *tasks, snError *error);

#endif
