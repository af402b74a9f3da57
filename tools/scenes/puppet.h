// A puppet of many pieces, made by code: a thousand-legger of beads on hinges, each with two legs on hinges of their own,
// with a head and two jaws, which hangs on strings that go up and down in waves. As a scene, and the surfaces of its pieces.
#ifndef SN_TOOLS_SCENES_PUPPET_H
#define SN_TOOLS_SCENES_PUPPET_H

#include "asset/bytes.h"

typedef struct snPuppetDef {
    int segments;           // 3 segments + 2 pieces, and 6 segments + 2 attachments between them
    int strings;            // 1 ... segments
    const char *integrator; // "euler" or "midpoint"
    double stepsPerSecond;
    double seconds;
    bool doubled; // every attachment is there twice
    bool mixed;   // they are listed in no good order, far from each other what belongs together
} snPuppetDef;
snPuppetDef snDefaultPuppetDef(void); // 200 pieces, 398 attachments, 9 strings

void snPuppet_WriteScene(const snPuppetDef *def, snBytes *bytes);

// A bead around the origin, along x, and a claw that hangs from it. Both one unit large or so.
void snPuppet_WriteBead(snBytes *bytes);
void snPuppet_WriteClaw(snBytes *bytes);

#endif
