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
    def.middles = true;
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
    for (int k = 0; k < 2 * baked->frameCount - 1 && number >= 0; k++) { // middles too
        const snClip *clip = &again.clips[number];
        size_t n = (size_t)again.vertexCount;
        snCharacter_Pose(&again, clip, clip->start + 0.5 * k * baked->frameTime, &pose);
        snCharacter_Surface(&again, &pose, &w->context.tasks, surface, NULL);
        const snVec3f *wanted = (k % 2 ? baked->middles : baked->positions) + (size_t)(k / 2) * n;
        for (int v = 0; v < again.vertexCount; v++)
            worst = fmax(worst, snDistance(snFromF(surface[v]), snFromF(wanted[v])));
    }
    snArena_Destroy(&arena);
    snCharacter_Destroy(&again);
    return worst / w->flesh->height;
}

// Normals of the triangles around every vertex, by area.
static void geometricNormals(const snCharacter *c, const snVec3f *x, snVec3 *out)
{
    int first = 0;
    memset(out, 0, (size_t)c->vertexCount * sizeof *out);
    for (int p = 0; p < c->partCount; p++) {
        for (int t = 0; t < c->parts[p].triangleCount; t++) {
            const int *corner = c->parts[p].triangles + 3 * t;
            snVec3 a = snFromF(x[first + corner[0]]);
            snVec3 n = snCross(snSub(snFromF(x[first + corner[1]]), a),
                               snSub(snFromF(x[first + corner[2]]), a));
            for (int k = 0; k < 3; k++)
                out[first + corner[k]] = snAdd(out[first + corner[k]], n);
        }
        first += c->parts[p].vertexCount;
    }
}

static double degrees(snVec3 a, snVec3 b)
{
    double c = snDot(a, b) / (snLength(a) * snLength(b) + 1e-300);
    return acos(fmin(1, fmax(-1, c))) * 180 / 3.14159265358979;
}

// Normals that a player shows against those of the simulated surface itself, where the artist's
// normals are those of the surface to begin with: mean angles, corrected and as the rig has them.
static void normalErrors(const Work *w, const snBytes *written, double *shown, double *rigid)
{
    snCharacter again;
    snGltfSource source = {.bytes = written->data, .size = written->size};
    CHECK(snGltf_Read(&again, &source, &w->context, NULL) == SN_OK);
    const snBakedClip *baked = &w->bake->clips[0];
    const snCharacter *c = &w->character;
    snArena arena = snMakeArena(&w->context);
    snPose pose, own;
    snVec3f *x = SN_NEW(&arena, snVec3f, c->vertexCount);
    snVec3f *n[2] = {SN_NEW(&arena, snVec3f, c->vertexCount),
                     SN_NEW(&arena, snVec3f, c->vertexCount)};
    snVec3 *wanted = SN_NEW(&arena, snVec3, c->vertexCount);
    snVec3 *before = SN_NEW(&arena, snVec3, c->vertexCount);
    double sums[2] = {0, 0}, count = 0;
    CHECK(snPose_Make(&pose, &again.skeleton, again.morphCount, &arena, NULL) == SN_OK);
    CHECK(snPose_Make(&own, &c->skeleton, c->morphCount, &arena, NULL) == SN_OK);
    for (int k = 0; k < baked->frameCount; k += 5) {
        double t = snBakedClip_Time(baked, k);
        snCharacter_Pose(&again, &again.clips[again.clipCount - 1], t, &pose);
        snCharacter_Surface(&again, &pose, &w->context.tasks, x, n[0]);
        snCharacter_Pose(c, &c->clips[baked->clip], t, &own);
        snCharacter_Surface(c, &own, &w->context.tasks, x, n[1]);
        geometricNormals(c, x, before);
        geometricNormals(c, baked->positions + (size_t)k * (size_t)c->vertexCount, wanted);
        for (int v = 0; v < c->vertexCount; v++) {
            if (degrees(before[v], snFromF(n[1][v])) > 5) continue;
            sums[0] += degrees(wanted[v], snFromF(n[0][v]));
            sums[1] += degrees(wanted[v], snFromF(n[1][v]));
            count++;
        }
    }
    *shown = sums[0] / count;
    *rigid = sums[1] / count;
    snArena_Destroy(&arena);
    snCharacter_Destroy(&again);
}

// Weights of the new targets are in 0 to 1: some programs cut off what is not.
static void weightsAreInRange(const Work *w, const snBytes *written, int targets)
{
    snCharacter again;
    snGltfSource source = {.bytes = written->data, .size = written->size};
    if (!CHECK(snGltf_Read(&again, &source, &w->context, NULL) == SN_OK)) return;
    const snClip *clip = &again.clips[again.clipCount - 1];
    int outside = 0, count = 0;
    for (int c = 0; c < clip->channelCount; c++) {
        const snChannel *channel = &clip->channels[c];
        for (int i = 0; channel->path == SN_PATH_MORPHS && i < channel->keyCount * channel->width;
             i++) {
            outside += !(channel->values[i] >= 0 && channel->values[i] <= 1);
            count++;
        }
    }
    CHECK((count > 0) == (targets > 0));
    CHECK(outside == 0);
    snCharacter_Destroy(&again);
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
        if (w->character.parts[0].normals) {
            double shown, rigid;
            normalErrors(w, &out, &shown, &rigid);
            printf("normals are off by %.2f degrees, those of the rig by %.2f\n", shown, rigid);
            CHECK(shown < 3);
            CHECK(report.targetCount ? shown < rigid : shown == rigid);
        }
        weightsAreInRange(w, &out, report.targetCount);
        CHECK(report.error <= def.tolerance);
        CHECK(played <= 1.001 * def.tolerance + 1e-6);
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
