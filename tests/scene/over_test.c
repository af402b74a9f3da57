// Skins over surfaces of files that are played: a mesh that stands, one with point caches, a character in its clip. Feet are out of what the
// files say, asked of every triangle; what is wrong with files is said with its path.
#include "asset/gltf.h"
#include "asset/obj.h"
#include "asset/sequence.h"
#include "core/elementary.h"
#include "geometry/primitive.h"
#include "geometry/winding.h"
#include "tests/scene/sources.h"

#define FRAMES 13
#define RATE 24.0
#define MOST 1000

static snContext plain;
static snCharacter ball; // as its file has it
static char objText[60000];
static snBytes pc2, mdd, glb;

static snStatus append(void *user, const void *data, size_t size, snError *error)
{
    (void)error;
    snBytes_Append(user, data, size);
    return SN_OK;
}

// How the caches move it: squashed to and fro, and off.
static snVec3 movedTo(snVec3 p, int frame)
{
    double t = frame / RATE, s = 1.0 + 0.25 * snSin(12.0 * t);
    return snVec(p.x / sqrt(s) + 0.4 * t, p.y * s, p.z / sqrt(s));
}

static void makeObj(void)
{
    static snVec3 p[MOST];
    static int t[6 * MOST];
    snMuscleShape shape = snDefaultMuscleShape(SN_SHAPE_SUPERELLIPSOID);
    shape.shape.size = snVec(0.12, 0.2, 0.12);
    snMuscle muscle = snMakeMuscle(&shape, snIdentityAffine());
    snMuscle_Mesh(&muscle, 10, 14, p, t);
    size_t at = 0;
    for (int v = 0; v < SN_MUSCLE_VERTICES(10, 14); v++)
        at += (size_t)snprintf(objText + at, sizeof objText - at, "v %.9g %.9g %.9g\n", p[v].x,
                               p[v].y, p[v].z);
    for (int k = 0; k < SN_MUSCLE_TRIANGLES(10, 14); k++)
        at += (size_t)snprintf(objText + at, sizeof objText - at, "f %d %d %d\n", t[3 * k] + 1,
                               t[3 * k + 1] + 1, t[3 * k + 2] + 1);
    CHECK(snObj_Read(&ball, objText, at, &plain, NULL) == SN_OK);
}

static void makeCaches(void)
{
    static snVec3f frames[FRAMES][MOST];
    static const snVec3f *rows[FRAMES];
    static double times[FRAMES];
    for (int k = 0; k < FRAMES; k++) {
        rows[k] = frames[k];
        times[k] = k / RATE;
        for (int v = 0; v < ball.vertexCount; v++)
            frames[k][v] = snToF(movedTo(snFromF(ball.parts[0].positions[v]), k));
    }
    snSequenceMesh mesh = {.name = "m", .vertexCount = ball.vertexCount};
    snSequence s = {.name = "s",
                    .meshCount = 1,
                    .meshes = &mesh,
                    .vertexCount = ball.vertexCount,
                    .frameCount = FRAMES,
                    .frameRate = RATE,
                    .times = times,
                    .frames = rows};
    pc2 = snMakeBytes(&plain);
    mdd = snMakeBytes(&plain);
    CHECK(snSequence_WritePc2(&s, 0, (snSink){append, &pc2}, NULL) == SN_OK);
    CHECK(snSequence_WriteMdd(&s, 0, (snSink){append, &mdd}, NULL) == SN_OK);
}

// The ball on a joint that goes 0.3 m in half a second.
static void makeGlb(void)
{
    static const float times[] = {0, 0.5f}, values[] = {0, 0, 0, 0.3f, 0, 0};
    static snChannel channel = {
        .path = SN_PATH_TRANSLATION, .interpolation = SN_LINEAR, .keyCount = 2, .width = 3};
    static snClip clip = {.name = "go", .duration = 0.5, .channelCount = 1, .channels = &channel};
    snCharacter moving = ball;
    channel.times = times;
    channel.values = values;
    moving.clipCount = 1;
    moving.clips = &clip;
    glb = snMakeBytes(&plain);
    snError error = {0};
    if (!CHECK(snGlb_FromCharacter(&moving, &glb, &error) == SN_OK)) printf("%s\n", error.message);
}

static snStatus readMade(void *user, const char *path, snArena *arena, const uint8_t **bytes,
                         size_t *size, snError *error)
{
    (void)user;
    const struct {
        const char *name;
        const void *bytes;
        size_t size;
    } files[] = {{"ball.obj", objText, strlen(objText)}, {"ball.pc2", pc2.data, pc2.size},
                 {"ball.mdd", mdd.data, mdd.size},       {"ball.glb", glb.data, glb.size},
                 {"short.pc2", pc2.data, pc2.size / 2},  {"empty.obj", "v 0 0 0\n", 8}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!strcmp(path, files[i].name)) {
            *bytes = snArena_Copy(arena, files[i].bytes, 1, files[i].size);
            *size = files[i].size;
            return *bytes ? SN_OK : snFailMemory(error);
        }
    return snFail(error, SN_ERROR_FILE, "%s: no such file", path);
}

static snStatus readOver(snSceneFile *scene, const char *over, const char *more,
                         const snContext *context, snError *error)
{
    char text[1000];
    snSceneSource source = {readMade, NULL, NULL};
    snprintf(text, sizeof text,
             HEAD "\"bodies\": [{\"name\": \"skin\", \"skin\": {\"over\": %s, \"cell\": \"5 cm\", "
                  "\"fat\": \"6 mm\", \"elasticity\": 60}%s}]}",
             over, more);
    return snSceneFile_Read(scene, text, strlen(text), &source, context, error);
}

static double deepestFoot(const snElasticSkin *skin, const snMesh *mesh)
{
    static snVec3 normals[MOST];
    double worst = 0.0;
    snSkinMesh_Normals(skin->mesh, skin->places, normals);
    for (int i = 0; i < skin->mesh->pointCount; i++) {
        snVec3 foot = snMulAdd(skin->places[i], -skin->points[i].fat, normals[i]);
        double near = INFINITY;
        if (snMesh_Winding(mesh, foot) < 0.5) continue;
        for (int t = 0; t < mesh->triangleCount; t++) {
            const int *c = mesh->triangles + 3 * t;
            snTriangle at = {mesh->positions[c[0]], mesh->positions[c[1]], mesh->positions[c[2]]};
            near = fmin(near, snDistance(foot, snClosestOnTriangle(foot, at, NULL)));
        }
        worst = fmax(worst, near);
    }
    return worst / 0.5;
}

// Where the file has a vertex at a time.
typedef snVec3 Where(snVec3 rest, double time);

static snVec3 stands(snVec3 rest, double time)
{
    (void)time;
    return rest;
}

static snVec3 byCache(snVec3 rest, double time)
{
    double at = time * RATE;
    int k = (int)at < FRAMES - 2 ? (int)at : FRAMES - 2;
    return snLerp(movedTo(rest, k), movedTo(rest, k + 1), at - k);
}

static snVec3 byClip(snVec3 rest, double time)
{
    return snAdd(rest, snVec(0.6 * time, 0, 0));
}

static void follow(const char *over, Where *where)
{
    static snVec3 places[MOST];
    snSceneFile scene;
    snStage stage;
    snError error = {0};
    if (!CHECK(readOver(&scene, over, ", \"place\": [0, 1, 0]", &plain, &error) == SN_OK) ||
        !CHECK(snSceneFile_Build(&scene, &stage, &plain, &error) == SN_OK)) {
        printf("    %s\n", error.message);
        return;
    }
    const snElasticSkin *skin = snSkinBody_Skin(stage.world->bodies.data[0]);
    snMesh mesh = {ball.vertexCount, ball.triangleCount, places, ball.parts[0].triangles};
    double deepest = 0.0, far = 0.0, first = skin->places[0].x;
    void *bytes = malloc(snWorld_SaveSize(stage.world));
    uint64_t hash = 0;
    for (int k = 0; k < 60; k++) {
        if (k == 30) snWorld_Save(stage.world, bytes);
        snWorld_Step(stage.world);
        for (int v = 0; v < ball.vertexCount; v++)
            places[v] = snAdd(where(snFromF(ball.parts[0].positions[v]), snWorld_Time(stage.world)),
                              snVec(0, 1, 0));
        deepest = fmax(deepest, deepestFoot(skin, &mesh));
        for (int i = 0; i < skin->mesh->pointCount; i++)
            far = fmax(far, snDistance(skin->places[i], skin->bandTo[i]));
    }
    hash = snWorld_Hash(stage.world);
    CHECK(snWorld_Restore(stage.world, bytes, snWorld_SaveSize(stage.world), NULL) == SN_OK);
    for (int k = 30; k < 60; k++)
        snWorld_Step(stage.world);
    CHECK(snWorld_Hash(stage.world) == hash);
    printf(
        "    %.40s...: %d points went by %.3f m, deepest %.1e of its size, bands up to %.1f mm\n",
        over, skin->mesh->pointCount, skin->places[0].x - first, deepest, 1000 * far);
    CHECK(deepest < 1e-5 && far < 0.15);
    free(bytes);
    snStage_Destroy(&stage);
    snSceneFile_Destroy(&scene);
}

static void skinsFollowFiles(void)
{
    follow("{\"file\": \"ball.obj\"}", stands);
    follow("{\"file\": \"ball.obj\", \"cache\": \"ball.pc2\", \"rate\": 24, \"loop\": false}",
           byCache);
    follow("{\"file\": \"ball.glb\", \"cache\": [\"ball.mdd\"], \"loop\": false}", byCache);
    follow("{\"file\": \"ball.glb\", \"clip\": \"go\", \"loop\": false}", byClip);
}

// A file in another unit than it was thought to be in: told at once, not after minutes.
static void skinsAreThinnerThanBodies(void)
{
    snSceneFile scene;
    snStage stage;
    snError error = {0};
    if (!CHECK(!readOver(&scene, "{\"file\": \"ball.obj\", \"scale\": 1e-3}", "", &plain, &error)))
        return;
    CHECK(snSceneFile_Build(&scene, &stage, &plain, &error) == SN_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "fat: 0.006 m is too thick"));
    snSceneFile_Destroy(&scene);
}

static void errorsNameTheirPath(void)
{
    static const char *const cases[][2] = {
        {"{\"file\": \"none.obj\"}", "bodies[0].skin.over.file: none.obj: no such file"},
        {"{\"file\": \"ball.pc2\"}", "bodies[0].skin.over.file: is \"ball.pc2\""},
        {"{\"file\": \"empty.obj\"}", "bodies[0].skin.over.file"},
        {"{\"clip\": 0}", "bodies[0].skin.over: \"file\" is missing"},
        {"{\"file\": \"ball.glb\", \"clip\": \"run\"}", "bodies[0].skin.over.clip: is \"run\""},
        {"{\"file\": \"ball.obj\", \"clip\": 0}", "bodies[0].skin.over.clip"},
        {"{\"file\": \"ball.obj\", \"rate\": 30}", "bodies[0].skin.over.rate: is of a"},
        {"{\"file\": \"ball.obj\", \"cache\": \"short.pc2\"}",
         "bodies[0].skin.over.cache: short.pc2: PC2 file is cut off"},
        {"{\"file\": \"ball.obj\", \"cache\": \"ball.obj\"}", "bodies[0].skin.over.cache: is"},
        {"{\"file\": \"ball.obj\", \"cache\": []}", "bodies[0].skin.over.cache: has 0 files"},
        {"{\"file\": \"ball.obj\", \"cache\": [\"ball.pc2\", \"ball.pc2\"]}",
         "bodies[0].skin.over.cache: has "},
        {"{\"file\": \"ball.glb\", \"clip\": 0, \"cache\": \"ball.pc2\"}",
         "bodies[0].skin.over.cache: does not go with"},
        {"{\"file\": \"ball.obj\", \"speeed\": 2}",
         "bodies[0].skin.over: there is nothing called \"speeed\""},
        {"\"flesh\"", "bodies[0].skin.over: there is no body \"flesh\""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snSceneFile scene;
        snError error = {0};
        snStatus status = readOver(&scene, cases[i][0], "", &plain, &error);
        if (!CHECK(status != SN_OK && strstr(error.message, cases[i][1]) == error.message))
            printf("    %s\n    %s\n", cases[i][0], error.message);
        if (!status) snSceneFile_Destroy(&scene);
    }
}

static void memoryRunsOut(void)
{
    for (int at = 1;; at += at < 30 || snTest_Whole() ? 1 : 7) {
        snContext context = plain;
        snFailingMemory memory = {.failAtWay = at};
        snTest_UseFailingMemory(&context, &memory);
        snSceneFile scene;
        snStage stage;
        snStatus status = readOver(&scene, "{\"file\": \"ball.glb\", \"cache\": \"ball.mdd\"}", "",
                                   &context, NULL);
        if (!status) {
            status = snSceneFile_Build(&scene, &stage, &context, NULL);
            if (!status) snStage_Destroy(&stage);
            snSceneFile_Destroy(&scene);
        }
        CHECK(status == SN_OK || status == SN_ERROR_MEMORY);
        CHECK(memory.alive == 0);
        if (!status) break;
    }
}

int main(void)
{
    plain = snDefaultContext();
    makeObj();
    makeCaches();
    makeGlb();
    RUN(skinsFollowFiles);
    RUN(skinsAreThinnerThanBodies);
    RUN(errorsNameTheirPath);
    RUN(memoryRunsOut);
    snBytes_Destroy(&pc2);
    snBytes_Destroy(&mdd);
    snBytes_Destroy(&glb);
    snCharacter_Destroy(&ball);
    return snTest_Finish();
}
