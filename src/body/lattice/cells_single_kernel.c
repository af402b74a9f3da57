// The passes over elements in single precision: the same source, sixteen elements to a group.
#define SN_SINGLE 1
#include "body/lattice/cells_kernel.c"
