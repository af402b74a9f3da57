// Characters in motion, for benchmarks of the solvers: a character with its flesh, and a motion of
// it as a list of drives, one per step.
#ifndef SN_BENCH_BODY_SCENE_H
#define SN_BENCH_BODY_SCENE_H

#include "body/lattice/flesh.h"

typedef struct snBodyScene {
    const char *name;
    snCharacter character;
    snFlesh *flesh;
} snBodyScene;

// The demo character, or a file of the asset folder (false and nothing said when it is absent; what
// else fails is printed). Flesh as by default.
bool snBodyScene_Demo(snBodyScene *scene);
bool snBodyScene_Load(snBodyScene *scene, const char *name);
void snBodyScene_Destroy(snBodyScene *scene);

// What is played.
typedef struct snSceneMotion {
    const char *name;
    const char *clip; // or NULL: the joint below turns about the vertical by 60° in 2 s and back
    const char *joint;
    int rounds; // how often; before the last one of a loop the body has time to settle
    snMotion mode;
} snSceneMotion;

typedef struct snScenePlay {
    snArena arena;
    int stepCount, first; // steps in all; the first one that counts
    int vertexCount, jointCount;
    snMotion mode;
    double step;
    double *rig;      // [stepCount + 1][vertexCount * 4], entry 0 is the start
    snAffine *joints; // [stepCount + 1][jointCount]
    double *velocity; // [vertexCount * 4], of the rig at the start
} snScenePlay;

bool snScenePlay_Make(snScenePlay *play, const snBodyScene *scene, const snSceneMotion *motion);
void snScenePlay_Destroy(snScenePlay *play);
void snScenePlay_Start(const snScenePlay *play, const snLatticeModel *model, snLatticeState *state);
snLatticeDrive snScenePlay_Drive(const snScenePlay *play, int step); // 1 ... stepCount

#endif
