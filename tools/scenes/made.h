// The files that make-scenes writes, by their names and in memory: tests and benchmarks run the example scenes with
// them, and need nothing written before.
#ifndef SN_TOOLS_SCENES_MADE_H
#define SN_TOOLS_SCENES_MADE_H

#include "asset/bytes.h"
#include "core/memory.h"

#define MADE_MODELS 8
typedef struct snMade {
    snArena arena; // owns the models
    const snContext *context;
    void *models[MADE_MODELS]; // snModel of each kind; NULL: not made yet
    void *demo;                // the demo character's file, or NULL
    size_t demoSize;
} snMade;

snMade snMakeMade(const snContext *context); // the context must outlive it
void snMade_Destroy(snMade *made);

// Appends a file, such as "duck.obj" or "dragon-grid.lattice.json". Fails where none of that name is made.
snStatus snMade_Write(snMade *made, const char *name, snBytes *bytes, snError *error);

// The demo character (tools/demo), which scenes have as a body.
#define MADE_DEMO "demo.glb"
snStatus snMade_WriteDemo(const snContext *context, snBytes *bytes, snError *error);

#endif
