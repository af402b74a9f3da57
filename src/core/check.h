// What callers hand to public functions, held against what those take: one check of each kind, each with its message. `what` is the
// argument's name as the header has it. Functions without a status ask too, and refuse:
//     snError why;
//     if (snRefuse(&world->context, snCheckNumbers("velocity", 3, velocity, &why), &why)) return;
#ifndef SN_CORE_CHECK_H
#define SN_CORE_CHECK_H

#include "core/error.h"

#include <math.h>

snStatus snCheckPointer(const char *what, const void *pointer, snError *error);
snStatus snCheckNumber(const char *what, double number, snError *error); // finite
snStatus snCheckNumbers(const char *what, int count, const double *numbers, snError *error);
// From `least` to `most`, which may be infinite.
snStatus snCheckRange(const char *what, double number, double least, double most, snError *error);
// A number of one of `count` things, from 0.
snStatus snCheckIndex(const char *what, int index, int count, snError *error);
// Position and rotation, finite.
snStatus snCheckPlacement(const char *what, const snPlacement *place, snError *error);
// `count` matrices of 16 floats, `stride` bytes apart (0: 64), of which the first three rows count.
snStatus snCheckMatrices(const char *what, int count, const float *matrices, size_t stride,
                         snError *error);
// A context that memory can be taken from, with workers where it has tasks.
snStatus snCheckContext(const snContext *context, snError *error);

// Whether a function without a status does nothing, for a check failed: the log gets the reason as a warning.
bool snRefuse(const snContext *context, snStatus bad, const snError *why);

#endif
