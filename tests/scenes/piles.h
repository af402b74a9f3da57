// Piles of any size as worlds, for tests and benchmarks.
#ifndef SN_TESTS_SCENES_PILES_H
#define SN_TESTS_SCENES_PILES_H

#include "pile.h"
#include "tests/scenes/shipped.h"

static inline snStatus makePile(const snPileDef *def, const snContext *context, snStage *stage,
                                snError *error)
{
    Shipped shipped;
    makeShipped(&shipped);
    snSceneSource source = {readShipped, &shipped, NULL};
    snBytes text = snMakeBytes(&shipped.context);
    snPile_WriteScene(def, &text);
    snStatus status = stageOfText(&shipped, &text, &source, context, stage, error);
    snBytes_Destroy(&text);
    freeShipped(&shipped);
    return status;
}

#endif
