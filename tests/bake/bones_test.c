// Jiggle bones: a motion that one bone can make is found; clips of the file play as before; what is
// said about the error is what a player shows; influences stay within their limit.
#include "asset/gltf_document.h"
#include "bake/bones.h"
#include "demo.h"
#include "tests/bake/made.h"

#include <stdlib.h>
#include <string.h>

// ---- what a player shows ----

typedef struct Played {
    double soft;     // largest distance of the soft clip to the bake, of the height
    double original; // largest distance of the file's own clip to what it was
} Played;

static double distance(const snVec3f *a, const snVec3f *b, int count)
{
    double worst = 0;
    for (int v = 0; v < count; v++)
        worst = fmax(worst, snDistance(snFromF(a[v]), snFromF(b[v])));
    return worst;
}

static void surfaceAt(const snCharacter *c, int clip, double t, const snContext *context,
                      snVec3f *out)
{
    snArena arena = snMakeArena(context);
    snPose pose;
    CHECK(snPose_Make(&pose, &c->skeleton, c->morphCount, &arena, NULL) == SN_OK);
    snCharacter_Pose(c, &c->clips[clip], t, &pose);
    snCharacter_Surface(c, &pose, &context->tasks, out, NULL);
    snArena_Destroy(&arena);
}

static Played play(const snBake *bake, const snBytes *file, const snContext *context)
{
    const snCharacter *c = bake->character;
    const snBakedClip *clip = &bake->clips[0];
    snGltfSource source = {.bytes = file->data, .size = file->size};
    snCharacter again;
    snError error = {0};
    Played played = {0, 0};
    if (!CHECK(snGltf_Read(&again, &source, context, &error) == SN_OK)) {
        printf("%s\n", error.message);
        return played;
    }
    CHECK(again.clipCount == c->clipCount + 1 && again.vertexCount == c->vertexCount);
    size_t n = (size_t)c->vertexCount;
    snArena arena = snMakeArena(context);
    snVec3f *x = SN_NEW(&arena, snVec3f, n), *y = SN_NEW(&arena, snVec3f, n);
    for (int k = 0; k < 2 * clip->frameCount - 1; k++) {
        double t = snBakedClip_Time(clip, 0.5 * k);
        const snVec3f *baked = (k % 2 ? clip->middles : clip->positions) + (size_t)(k / 2) * n;
        surfaceAt(&again, again.clipCount - 1, t, context, x);
        played.soft = fmax(played.soft, distance(x, baked, c->vertexCount));
        surfaceAt(&again, clip->clip, t, context, x);
        surfaceAt(c, clip->clip, t, context, y);
        played.original = fmax(played.original, distance(x, y, c->vertexCount));
    }
    for (int p = 0; p < again.partCount; p++)
        CHECK(again.parts[p].influences <= (c->parts[p].influences > 4 ? 8 : 4));
    played.soft /= bake->flesh->height;
    played.original /= bake->flesh->height;
    snArena_Destroy(&arena);
    snCharacter_Destroy(&again);
    return played;
}

static snBonesReport writeAndPlay(const snBake *bake, const snBonesDef *def,
                                  const snGltfSource *source, const snContext *context,
                                  const char *what)
{
    snBytes out = snMakeBytes(context);
    snBonesReport report;
    snError error = {0};
    if (!CHECK(snBones_Write(bake, def, source, &out, &report, context, &error) == SN_OK))
        printf("%s\n", error.message);
    Played played = play(bake, &out, context);
    printf(
        "%s: %d bones, %.0f kB, error %.2f %% said, %.2f %% played; %.3f %% of %.3f %% missed on "
        "average; the file's own clip changes by %.1e\n",
        what, report.boneCount, (double)out.size / 1000, 100 * report.error, 100 * played.soft,
        100 * report.meanError, 100 * report.meanOffset, played.original);
    CHECK_NEAR(played.soft, report.error, 1e-4 + 0.02 * report.error);
    CHECK(played.original < 1e-5);
    CHECK(report.meanError < report.meanOffset);
    snBytes_Destroy(&out);
    return report;
}

// ---- a motion that one bone makes ----

// Vertices of the body give a joint's child a share of their weight, which swings about a point.
static snVec3 oneBone(const Made *m, const snPose *pose, int v, double t)
{
    const snCharacter *c = &m->character;
    int p = v / MAKE_VERTICES, k = v % MAKE_VERTICES;
    const snPart *part = &c->parts[p];
    if (part->skin < 0) return snVec(0, 0, 0);
    const snSkin *skin = &c->skins[0];
    for (int i = 0; i < part->influences; i++) {
        int joint = part->joints[k * part->influences + i];
        double weight = (double)part->weights[k * part->influences + i];
        if (joint != 1 || weight == 0) continue;
        snVec3 q = snMulAP(skin->inverseBind[1], snFromF(part->positions[k]));
        double share = weight * (0.5 + 0.4 * sin(3 * q.y));
        snQuat turn = snQuatFromAxisAngle(snVec(0, 0, 1), 0.3 * sin(9 * t));
        snVec3 moved = snAdd(snRotate(turn, q), snVec(0.1 * cos(7 * t), 0, 0.05));
        return snScale(share, snMulMV(pose->global[skin->joints[1]].linear, snSub(moved, q)));
    }
    return snVec(0, 0, 0);
}

static void oneBoneIsFound(void)
{
    Made m;
    snCharacter made;
    begin(&m, &made, oneBone);
    for (int p = 0; p < 2; p++) // of its own targets only the places at rest are taken into account
        made.parts[p].targetCount = 0;
    made.morphCount = 0;
    made.clips[0].channelCount = 3;
    CHECK(snGlb_FromCharacter(&made, &m.file, NULL) == SN_OK);
    snCharacter_Destroy(&made);
    readBack(&m);
    snBonesDef def = snDefaultBonesDef();
    def.tolerance = 1e-3;
    snBonesReport report = writeAndPlay(&m.bake, &def, &m.source, &m.context, "one bone's motion");
    CHECK(report.boneCount <= 3);
    CHECK(report.meanError < 0.03 * report.meanOffset);
    def.boneCount = 0;
    snBytes out = snMakeBytes(&m.context);
    CHECK(snBones_Write(&m.bake, &def, &m.source, &out, &report, &m.context, NULL) ==
          SN_ERROR_ARGUMENT);
    def.boneCount = 2;
    for (int n = 1;; n++) { // memory that fails in turn
        snContext context = m.context;
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        snBytes bytes = snMakeBytes(&context);
        snStatus status = snBones_Write(&m.bake, &def, &m.source, &bytes, &report, &context, NULL);
        snBytes_Destroy(&bytes);
        if (!CHECK(memory.alive == 0) || !status) break;
        if (!CHECK(status == SN_ERROR_MEMORY)) break;
    }
    m.offset = oneBone;
    m.swing = 0;
    snBytes_Destroy(&out);
    end(&m);
}

// ---- characters ----

static void bakeAndWrite(snCharacter *c, const snGltfSource *source, int clip, int bones,
                         const snContext *context, const char *what)
{
    snFleshDef flesh = snDefaultFleshDef();
    snBakeDef def = snDefaultBakeDef();
    snBonesDef bonesDef = snDefaultBonesDef();
    snFlesh *built = NULL;
    snBake *bake = NULL;
    snError error = {0};
    flesh.cells = 700;
    def.clips = &clip;
    def.clipCount = 1;
    def.middles = true;
    bonesDef.boneCount = bones;
    if (CHECK(snFlesh_Build(&built, c, &flesh, context, &error) == SN_OK) &&
        CHECK(snBake_Run(&bake, built, &def, context, &error) == SN_OK)) {
        snBonesReport report = writeAndPlay(bake, &bonesDef, source, context, what);
        CHECK(report.meanError < 0.4 * report.meanOffset);
    }
    snBake_Destroy(bake);
    snFlesh_Destroy(built);
}

static void demoCharacter(void)
{
    snContext context = snDefaultContext();
    snBytes file = snMakeBytes(&context);
    snCharacter c;
    CHECK(snDemo_Make(&c, &context, NULL) == SN_OK);
    CHECK(snGlb_FromCharacter(&c, &file, NULL) == SN_OK);
    snCharacter_Destroy(&c);
    snGltfSource source = {.bytes = file.data, .size = file.size};
    CHECK(snGltf_Read(&c, &source, &context, NULL) == SN_OK);
    bakeAndWrite(&c, &source, snCharacter_FindClip(&c, "hop"), 12, &context, "demo, hop");
    snCharacter_Destroy(&c);
    snBytes_Destroy(&file);
}

static void charactersOfOthers(void)
{
    static const struct {
        const char *file;
        int clip;
    } cases[] = {{"Fox.glb", 2}, {"CesiumMan.glb", 0}};
    for (int i = 0; i < 2; i++) {
        size_t size;
        snContext context = snDefaultContext();
        snCharacter c;
        unsigned char *bytes = snTest_Asset(cases[i].file, &size);
        if (!bytes) {
            printf("%s is not here: left out\n", cases[i].file);
            continue;
        }
        snGltfSource source = {.bytes = bytes, .size = size};
        CHECK(snGltf_Read(&c, &source, &context, NULL) == SN_OK);
        bakeAndWrite(&c, &source, cases[i].clip, 16, &context, cases[i].file);
        snCharacter_Destroy(&c);
        free(bytes);
    }
}

int main(void)
{
    RUN(oneBoneIsFound);
    RUN(demoCharacter);
    RUN(charactersOfOthers);
    return snTest_Finish();
}
