// A skin while it shrinks on: kept frame by frame as scripts make it, for pictures.
#ifndef SN_CLI_BUILD_SHRINK_H
#define SN_CLI_BUILD_SHRINK_H

#include "cli/build_picture.h"
#include "layered/editor.h"

#define SN_SHRINK_RATE 60.0 // frames a second (layered/editor.h)

typedef struct snShrinkFrame {
    int rows, columns; // coarser grids come first
    snVec3 *places;    // [rows * columns]
    double area;
} snShrinkFrame;

typedef struct snBuildShrink {
    snContext context;
    snArena arena;
    int count;
    snShrinkFrame *frames; // [count]
    bool failed;           // memory ran out
    // Those that are drawn (snBuildShrink_Choose).
    int chosen;
    snBuildSurface *surfaces; // [chosen], refined
    double *times;            // [chosen] s
} snBuildShrink;

snBuildShrink snMakeBuildShrink(const snContext *context);
void snBuildShrink_Free(snBuildShrink *shrink);

// Keeps what skins look like that the editor makes from now on.
void snBuildShrink_Watch(snBuildShrink *shrink, snEditor *editor);

// So many frames, more of them where it is nearly on; 0: all.
snStatus snBuildShrink_Choose(snBuildShrink *shrink, int panels, snError *error);

#endif
