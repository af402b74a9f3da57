// Scenes for fuzz.c, apart from it: solids of characters and solids of lattices have one name.
#ifndef SN_TESTS_HOSTILE_FUZZ_SCENE_H
#define SN_TESTS_HOSTILE_FUZZ_SCENE_H

#include "core/memory.h"

snStatus snFuzz_Scene(const uint8_t *bytes, size_t size, const snContext *context, snError *error);

#endif
