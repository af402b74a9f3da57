// What the pieces of docs/architecture.md speak of without saying where it comes from.
#include "core/error.h"

static struct {
    double poisson;
} * def;
static snError *error;
