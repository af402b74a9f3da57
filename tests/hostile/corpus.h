// Small files of every format that is read, all made here: what mutants are made from.
#ifndef SN_TESTS_HOSTILE_CORPUS_H
#define SN_TESTS_HOSTILE_CORPUS_H

#include "asset/bytes.h"

typedef enum snFormat {
    SN_FORMAT_GLB,
    SN_FORMAT_GLTF,
    SN_FORMAT_OBJ,
    SN_FORMAT_BVH,
    SN_FORMAT_PC2,
    SN_FORMAT_RIG,        // a rig document, for the beast
    SN_FORMAT_SKELETON,   // a skeleton file, for the beam
    SN_FORMAT_SIDECAR,    // what a bake of the beast decided; only where the command writes one
    SN_FORMAT_CHECKPOINT, // the state of a bake of the beast that was stopped
    SN_FORMAT_SCENE,      // a scene of the examples; tried by themselves (main.c)
    SN_FORMAT_CHARACTER,  // a layered character; these and scripts by themselves, too
    SN_FORMAT_SCRIPT,     // a script that builds one
    SN_FORMATS
} snFormat;

typedef struct snSeed {
    snFormat format;
    const char *name;
    snBytes bytes;
} snSeed;

#define SN_MOST_SEEDS 32
typedef struct snCorpus {
    int count;
    snSeed seeds[SN_MOST_SEEDS];
} snCorpus;

// "glb", "obj", ...: also the ending of its files.
const char *snFormat_Name(snFormat format);

// All seeds but those that the command itself writes (trial.h). The beast is seed 0: the demo's skeleton and its walk, with a box around
// every bone. The beam is seed 1: a bare surface.
#define SN_SEED_BEAST 0
#define SN_SEED_BEAM 1
snStatus snCorpus_Make(snCorpus *corpus, const snContext *context, snError *error);
void snCorpus_Destroy(snCorpus *corpus);

// What a .glb with one buffer is made of: its text, in which the buffer's first key stands at `buffer`, and the numbers. False: it has no buffer.
typedef struct snGlbParts {
    const char *text, *buffer, *end;
    const uint8_t *numbers;
    size_t size;
} snGlbParts;
bool snCorpus_SplitGlb(const snBytes *glb, snGlbParts *parts);

// Adds a seed, empty.
snBytes *snCorpus_Add(snCorpus *corpus, snFormat format, const char *name,
                      const snContext *context);

// A seed of a format by a number of any size; NULL where there is none.
const snSeed *snCorpus_Pick(const snCorpus *corpus, snFormat format, int number);

#endif
