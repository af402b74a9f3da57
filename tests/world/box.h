// The box around a body as it is now.
#ifndef SN_TESTS_WORLD_BOX_H
#define SN_TESTS_WORLD_BOX_H

#include "body/body.h"

static inline snBox boxOf(const snBody *body)
{
    snBox box = snEmptyBox();
    for (int v = 0; v < body->vertexCount; v++)
        box = snBoxAdd(box, snBody_Vertex(body, v));
    return box;
}

#endif
