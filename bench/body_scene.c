#include "bench/body_scene.h"

#include "asset/gltf.h"
#include "core/elementary.h"
#include "demo.h"
#include "platform/files.h"

#include <stdio.h>
#include <string.h>

static bool fail(snBodyScene *scene, const snError *error)
{
    fprintf(stderr, "%s: %s\n", scene->name, error->message);
    snBodyScene_Destroy(scene);
    return false;
}

static bool buildFlesh(snBodyScene *scene)
{
    snContext context = snDefaultContext();
    snFleshDef def = snDefaultFleshDef();
    snError error = {0};
    if (!snFlesh_Build(&scene->flesh, &scene->character, &def, &context, &error)) return true;
    return fail(scene, &error);
}

bool snBodyScene_Demo(snBodyScene *scene)
{
    snContext context = snDefaultContext();
    snError error = {0};
    *scene = (snBodyScene){.name = "demo"};
    if (snDemo_Make(&scene->character, &context, &error)) return fail(scene, &error);
    return buildFlesh(scene);
}

bool snBodyScene_Load(snBodyScene *scene, const char *name)
{
    snContext context = snDefaultContext();
    snError error = {0};
    snFileContent file;
    char path[512];
    *scene = (snBodyScene){.name = name};
    snprintf(path, sizeof path, "%s/%s", SN_ASSET_DIR, name);
    if (snFile_Read(&context, path, (size_t)1 << 30, &file, &error)) return false;
    snGltfSource source = {.bytes = file.bytes, .size = file.size};
    snStatus status = snGltf_Read(&scene->character, &source, &context, &error);
    snFile_Release(&context, &file);
    if (!status) return buildFlesh(scene);
    fprintf(stderr, "%s: %s\n", name, error.message);
    return false;
}

void snBodyScene_Destroy(snBodyScene *scene)
{
    snFlesh_Destroy(scene->flesh);
    snCharacter_Destroy(&scene->character);
    *scene = (snBodyScene){.name = scene->name};
}

// ---- motions ----------------------------------------------------------------------------------

typedef struct Poser {
    const snCharacter *character;
    const snClip *clip;
    int joint;
    double duration;
    snPose pose;
} Poser;

static bool findMotion(Poser *poser, const snBodyScene *scene, const snSceneMotion *motion)
{
    const snCharacter *c = &scene->character;
    *poser = (Poser){.character = c, .joint = -1, .duration = 4};
    for (int k = 0; k < c->clipCount && motion->clip; k++)
        if (strcmp(c->clips[k].name, motion->clip) == 0) poser->clip = &c->clips[k];
    for (int j = 0; j < c->skeleton.jointCount && motion->joint; j++)
        if (strcmp(c->skeleton.joints[j].name, motion->joint) == 0) poser->joint = j;
    if (poser->clip) poser->duration = poser->clip->duration;
    return poser->clip || poser->joint >= 0;
}

// Turns a joint by an angle about the vertical, in world axes: its global rotation becomes T G.
static void turnJoint(Poser *poser, double angle)
{
    const snSkeleton *skeleton = &poser->character->skeleton;
    int j = poser->joint, parent = skeleton->joints[j].parent;
    snQuat above =
        parent < 0 ? snIdentityQuat() : snTransform_FromAffine(poser->pose.global[parent]).rotation;
    snQuat turn = {0, snSin(0.5 * angle), 0, snCos(0.5 * angle)};
    snQuat local = snMulQQ(snConjugate(above), snMulQQ(turn, above));
    poser->pose.local[j].rotation = snMulQQ(local, poser->pose.local[j].rotation);
    snPose_Globals(&poser->pose, skeleton);
}

static void setPose(Poser *poser, double t)
{
    if (poser->clip) {
        double round = t / poser->duration - floor(t / poser->duration);
        snCharacter_Pose(poser->character, poser->clip,
                         poser->clip->start + round * poser->duration, &poser->pose);
        return;
    }
    snCharacter_Pose(poser->character, NULL, 0, &poser->pose);
    turnJoint(poser, SN_PI / 3 * 0.5 * (1 - snCos(2 * SN_PI * t / poser->duration)));
}

static void fillPlay(snScenePlay *play, const snFlesh *flesh, Poser *poser, bool loop)
{
    size_t numbers = (size_t)play->vertexCount * 4;
    double *before = play->velocity;
    for (int k = -1; k <= play->stepCount; k++) {
        snAffine *joints = play->joints + (size_t)(k < 0 ? 0 : k) * (size_t)play->jointCount;
        setPose(poser, k < 0 && !loop ? 0 : k * play->step);
        for (int j = 0; j < play->jointCount; j++)
            joints[j] = snMulAA(poser->pose.global[j], flesh->fromRest[j]);
        snLatticeModel_Rig(flesh->model, joints, k < 0 ? before : play->rig + (size_t)k * numbers);
    }
    for (size_t k = 0; k < numbers; k++)
        play->velocity[k] = (play->rig[k] - before[k]) / play->step;
}

// The length of a step is changed a little, so that a clip is a whole number of steps.
bool snScenePlay_Make(snScenePlay *play, const snBodyScene *scene, const snSceneMotion *motion)
{
    snContext context = snDefaultContext();
    const snFlesh *flesh = scene->flesh;
    *play = (snScenePlay){.arena = snMakeArena(&context)};
    Poser poser;
    if (!findMotion(&poser, scene, motion)) return false;
    int perRound = (int)floor(poser.duration / flesh->def.step + 0.5);
    play->stepCount = perRound * motion->rounds;
    play->mode = motion->mode;
    play->first = perRound * (motion->rounds - 1) + 1;
    play->vertexCount = flesh->lattice.vertexCount;
    play->jointCount = scene->character.skeleton.jointCount;
    play->step = poser.duration / perRound;
    size_t entries = (size_t)play->stepCount + 1;
    play->rig = SN_NEW(&play->arena, double, entries *(size_t)play->vertexCount * 4);
    play->joints = SN_NEW(&play->arena, snAffine, entries * (size_t)play->jointCount);
    play->velocity = SN_NEW(&play->arena, double, play->vertexCount * 4);
    bool good = play->rig && play->joints && play->velocity &&
                !snPose_Make(&poser.pose, &scene->character.skeleton, scene->character.morphCount,
                             &play->arena, NULL);
    if (good) fillPlay(play, flesh, &poser, motion->rounds > 1);
    return good;
}

void snScenePlay_Destroy(snScenePlay *play)
{
    snArena_Destroy(&play->arena);
}

void snScenePlay_Start(const snScenePlay *play, const snLatticeModel *model, snLatticeState *state)
{
    snLatticeState_Start(model, state, play->rig, play->velocity);
}

snLatticeDrive snScenePlay_Drive(const snScenePlay *play, int step)
{
    return (snLatticeDrive){.rig = play->rig + (size_t)step * (size_t)play->vertexCount * 4,
                            .joints = play->joints + (size_t)step * (size_t)play->jointCount};
}
