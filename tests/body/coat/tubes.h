// Elements to test with: tubes of elliptical section along y.
#ifndef SN_TESTS_BODY_COAT_TUBES_H
#define SN_TESTS_BODY_COAT_TUBES_H

#include "body/coat/element.h"
#include "core/elementary.h"
#include "core/error.h"
#include "tests/test.h"

#define TUBE_MOST 256

typedef struct Tube {
    snArena arena;
    snElementDef def;
    snVec3 samples[TUBE_MOST], feet[TUBE_MOST];
    snElement element;
} Tube;

// Half a metre long, 0.1 and 0.07 across, a little uneven; springs meet in its middle or stand on its axis.
static inline snStatus Tube_Make(Tube *tube, int rows, int columns, double spread,
                                 const snContext *context)
{
    int n = rows * columns;
    tube->arena = snMakeArena(context);
    tube->def.rows = rows;
    tube->def.columns = columns;
    tube->def.samples = tube->samples;
    tube->def.feet = tube->feet;
    for (int i = 0; i < n; i++) {
        double y = rows > 1 ? 0.4 * (i / columns) / (rows - 1) - 0.2 : 0;
        double turn = 2 * SN_PI * (i % columns) / columns, uneven = 1 + 0.1 * snSin(3.0 * i);
        tube->samples[i] = snVec(0.1 * uneven * snCos(turn), y + 0.01 * snSin(5.0 * i),
                                 0.07 * uneven * snSin(turn));
        tube->feet[i] = snVec(0, spread * y, 0);
    }
    tube->samples[n] = snVec(0, -0.25, 0);
    tube->samples[n + 1] = snVec(0, 0.25, 0);
    tube->feet[n] = snVec(0, spread * -0.2, 0);
    tube->feet[n + 1] = snVec(0, spread * 0.2, 0);
    return snElement_Make(&tube->element, &tube->def, &tube->arena, NULL);
}

static inline Tube Tube_Default(void)
{
    Tube tube = {.def = snDefaultElementDef()};
    return tube;
}

#endif
