// Pictures of the models with their lattices drawn over them.
#ifndef SN_TOOLS_SCENES_PICTURE_H
#define SN_TOOLS_SCENES_PICTURE_H

#include "render/render.h"
#include "scenes.h"

typedef struct snPictureDef {
    const snModel *model;
    const snControl *control; // or NULL: the surface alone
    double yaw;
} snPictureDef;
snStatus snPicture_Draw(snImage *image, const snPictureDef *def, snRenderer *renderer,
                        snArena *arena, snError *error);

#endif
