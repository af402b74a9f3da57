// What is checked of a definition before it is written as a scene.
#ifndef SN_API_SCENE_CHECK_H
#define SN_API_SCENE_CHECK_H

#include "sinew/scene.h"

snStatus snSceneDef_Check(const snSceneDef *def, snError *error);

#endif
