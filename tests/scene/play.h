// A scene that is played.
#ifndef SN_TESTS_SCENE_PLAY_H
#define SN_TESTS_SCENE_PLAY_H

#include "scene/scene.h"

typedef struct Play {
    snSceneFile scene;
    snStage stage;
} Play;

static inline void endPlay(Play *play)
{
    snStage_Destroy(&play->stage);
    snSceneFile_Destroy(&play->scene);
}

static inline void stepPlay(Play *play)
{
    if (play->stage.control) snControl_Step(play->stage.control, play->stage.world, 1);
    snWorld_Step(play->stage.world);
}

#endif
