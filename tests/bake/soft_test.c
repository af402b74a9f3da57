// Morph targets: what a viewer shows of the written file is what was baked, within the tolerance.
#include "tests/test.h"

#include "bake/soft.h"
#include "core/core.h"
#include "demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Work {
    snContext context;
    snCharacter character;
    snBytes original;
    snGltfSource source;
    snFlesh *flesh;
    snBake *bake;
} Work;

static void bakeCharacter(Work *w, int clip)
{
    snError error = {0};
    snFleshDef flesh = snDefaultFleshDef();
    snBakeDef def = snDefaultBakeDef();
    flesh.cells = 1000;
    def.clips = &clip;
    def.clipCount = 1;
    if (snFlesh_Build(&w->flesh, &w->character, &flesh, &w->context, &error) ||
        snBake_Run(&w->bake, w->flesh, &def, &w->context, &error)) {
        printf("%s\n", error.message);
        exit(1);
    }
}

static void freeWork(Work *w)
{
    snBake_Destroy(w->bake);
    snFlesh_Destroy(w->flesh);
    snCharacter_Destroy(&w->character);
    snBytes_Destroy(&w->original);
}

// The written file read again and played: the largest distance to the bake, over all frames.
static double playError(const Work *w, const snBytes *written)
{
    snCharacter again;
    snGltfSource source = {.bytes = written->data, .size = written->size};
    snError error = {0};
    if (!CHECK(snGltf_Read(&again, &source, &w->context, &error) == SN_OK)) {
        printf("%s\n", error.message);
        return 1e300;
    }
    const snBakedClip *baked = &w->bake->clips[0];
    int number = again.clipCount - 1; // new clips come behind those of the file
    const char *name = again.clips[number].name;
    size_t length = strlen(name);
    CHECK(length > 5 && !strcmp(name + length - 5, ".soft"));
    CHECK(again.clipCount == w->character.clipCount + 1);
    CHECK(again.vertexCount == w->character.vertexCount);
    snArena arena = snMakeArena(&w->context);
    snPose pose;
    snVec3f *surface = SN_NEW(&arena, snVec3f, again.vertexCount);
    double worst = 0;
    CHECK(snPose_Make(&pose, &again.skeleton, again.morphCount, &arena, NULL) == SN_OK);
    for (int k = 0; k < baked->frameCount && number >= 0; k++) {
        const snClip *clip = &again.clips[number];
        snCharacter_Pose(&again, clip, clip->start + k * baked->frameTime, &pose);
        snCharacter_Surface(&again, &pose, &w->context.tasks, surface, NULL);
        const snVec3f *wanted = baked->positions + (size_t)k * (size_t)again.vertexCount;
        for (int v = 0; v < again.vertexCount; v++)
            worst = fmax(worst, snDistance(snFromF(surface[v]), snFromF(wanted[v])));
    }
    snArena_Destroy(&arena);
    snCharacter_Destroy(&again);
    return worst / w->flesh->height;
}

static void writeAndPlay(Work *w, const char *what)
{
    double tolerances[2] = {0.005, 0.001};
    for (int i = 0; i < 2; i++) {
        snSoftDef def = snDefaultSoftDef();
        snSoftReport report;
        snBytes out = snMakeBytes(&w->context);
        snError error = {0};
        def.tolerance = tolerances[i];
        if (!CHECK(snSoft_Write(w->bake, &def, &w->source, &out, &report, &w->context, &error) ==
                   SN_OK))
            printf("%s\n", error.message);
        double played = playError(w, &out);
        printf("%s, tolerance %.1f %%: %d targets, %.0f kB, error %.3f %% said, %.3f %% played\n",
               what, 100 * tolerances[i], report.targetCount, (double)out.size / 1000,
               100 * report.error, 100 * played);
        CHECK(report.error <= def.tolerance);
        CHECK(played <= 1.02 * def.tolerance + 1e-5); // 2 %: joints that flatten their matrices
        snBytes_Destroy(&out);
    }
}

static void demoCharacter(void)
{
    Work w = {.context = snDefaultContext()};
    snError error = {0};
    CHECK(snDemo_Make(&w.character, &w.context, &error) == SN_OK);
    w.original = snMakeBytes(&w.context);
    CHECK(snGlb_FromCharacter(&w.character, &w.original, &error) == SN_OK);
    // What is baked is the file as read, so that numbers of meshes and nodes are the file's.
    snCharacter_Destroy(&w.character);
    w.source = (snGltfSource){.bytes = w.original.data, .size = w.original.size};
    CHECK(snGltf_Read(&w.character, &w.source, &w.context, &error) == SN_OK);
    bakeCharacter(&w, snCharacter_FindClip(&w.character, "shake"));
    writeAndPlay(&w, "demo, shake");

    // One target only: the error that it leaves is told.
    snSoftDef def = snDefaultSoftDef();
    snSoftReport report;
    snBytes out = snMakeBytes(&w.context);
    def.mostTargets = 1;
    CHECK(snSoft_Write(w.bake, &def, &w.source, &out, &report, &w.context, &error) == SN_OK);
    CHECK(report.error > def.tolerance);
    CHECK(playError(&w, &out) <= 1.05 * report.error);
    snBytes_Destroy(&out);
    freeWork(&w);
}

static void characterOfOthers(const char *name, int clip)
{
    Work w = {.context = snDefaultContext()};
    snError error = {0};
    size_t size;
    unsigned char *bytes = snTest_Asset(name, &size);
    if (!bytes) {
        printf("%s is not here: left out\n", name);
        return;
    }
    w.source = (snGltfSource){.bytes = bytes, .size = size};
    CHECK(snGltf_Read(&w.character, &w.source, &w.context, &error) == SN_OK);
    bakeCharacter(&w, clip);
    writeAndPlay(&w, name);
    freeWork(&w);
    free(bytes);
}

static void fox(void)
{
    characterOfOthers("Fox.glb", 2);
}

static void cow(void)
{
    characterOfOthers("Cow.glb", 4);
}

static void man(void)
{
    characterOfOthers("CesiumMan.glb", 0);
}

int main(void)
{
    RUN(demoCharacter);
    RUN(fox);
    RUN(cow);
    RUN(man);
    return snTest_Finish();
}
