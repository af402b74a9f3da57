// Forward and backward substitution in single precision: the same source with floats.
#define SN_SINGLE 1
#include "numerics/solve_kernel.c"
