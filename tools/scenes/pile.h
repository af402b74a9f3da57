// A pile of coated nails, made by code: layers of nine that lie across each other and fall. examples/scenes/pile.json is the one of
// 100; tests and benchmarks take smaller ones.
#ifndef SN_TOOLS_SCENES_PILE_H
#define SN_TOOLS_SCENES_PILE_H

#include "asset/bytes.h"

typedef struct snPileDef {
    int bodies;
    double seconds;
} snPileDef;
snPileDef snDefaultPileDef(void); // 100 bodies, 4 s

// Names nail.coat.json as its neighbour.
void snPile_WriteScene(const snPileDef *def, snBytes *bytes);

#endif
