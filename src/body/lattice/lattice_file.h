// Control lattices as JSON: to look at, to edit, to bring along from elsewhere.
//     {"vertices": [[x, y, z], ...],
//      "cells": [[4, 6 or 8 vertex numbers], ...],
//      "joints": {"Spine": [0, 1, 2], ...},     which vertices lie on which joint's bones
//      "sharp": {"edges": [[0, 1], ...], "corners": [4, ...], "faces": [[0, 1, 2], ...]},
//      "strict": true}
// Numbers are written with the fewest digits that read back as the same bits.
#ifndef SN_BODY_LATTICE_LATTICE_FILE_H
#define SN_BODY_LATTICE_LATTICE_FILE_H

#include "asset/json.h"
#include "asset/json_write.h"
#include "body/lattice/lattice.h"

// Reads and checks a lattice section: the message of a failure begins with the path of what is wrong
// ("lattice.cells[12]: ..."). `strict` is as the file has it, true when it says nothing.
snStatus snLattice_ReadJson(snLattice *lattice, bool *strict, const snJson *json,
                            const snJsonNode *node, const snSkeleton *skeleton, snArena *arena,
                            const snContext *context, snError *error);

// Writes the section as one value.
void snLattice_WriteJson(const snLattice *lattice, bool strict, const snSkeleton *skeleton,
                         snJsonWriter *writer);

#endif
