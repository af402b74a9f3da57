// Within building: what has files of its own.
#ifndef SN_SCENE_BUILD_H
#define SN_SCENE_BUILD_H

#include "scene/scene.h"

// A skin (make_skin.c) over a body of the world, or (NULL) over the surface that it plays. Not yet put in its place.
typedef struct snSceneSkinDef {
    const char *name;
    const snSceneSkin *skin;
    const snBody *over;
    double step;
    int mostPoints;
    bool meets;
} snSceneSkinDef;
snStatus snSceneSkin_Make(snBody **body, const snSceneSkinDef *def, const snContext *context,
                          snError *error);

#endif
