// Sinew: living flesh for animated characters. This header includes all public headers.
#ifndef SINEW_SINEW_H
#define SINEW_SINEW_H

#include "sinew/base.h"

#endif
