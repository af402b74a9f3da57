// Layered characters and scripts that build them, from bytes of any kind.
#ifndef SN_TESTS_HOSTILE_FUZZ_LAYERED_H
#define SN_TESTS_HOSTILE_FUZZ_LAYERED_H

#include "tests/hostile/corpus.h"

// Reads or runs them, and goes on: *read is what reading said. Fails where what was made does not hold together, does not read back to
// the same bytes, or does not undo to what was. Lines that only take long are left out.
snStatus snFuzz_Layered(snFormat format, const uint8_t *bytes, size_t size,
                        const snContext *context, snStatus *read, snError *error);

// Whether there are such lines, or so many points.
bool snFuzz_IsHeavy(snFormat format, const uint8_t *bytes, size_t size, const snContext *context);

#endif
