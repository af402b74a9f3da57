// Sinew: living flesh for animated characters. This header includes all public headers; begin with
// actor.h.
#ifndef SINEW_SINEW_H
#define SINEW_SINEW_H

#include "sinew/actor.h"
#include "sinew/base.h"
#include "sinew/character.h"
#include "sinew/crowd.h"
#include "sinew/field.h"
#include "sinew/scene.h"
#include "sinew/solver.h"
#include "sinew/world.h"

#endif
