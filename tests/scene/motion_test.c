// Coated skeletons that follow a clip in scenes: the example's jumper is hit by a ball, gives way, and recovers; keys make it limp.
#include "tests/scene/sources.h"
#include "tests/world/makers.h"

#include <math.h>

#define SCENE(ball, skeleton)                                                                      \
    HEAD "\"stepsPerSecond\": 120, \"bodies\": [{\"name\": \"jumper\", \"coat\": {\"file\": "      \
         "\"jumper.coat.json\", \"self\": false, \"motion\": {\"file\": \"jumper.bvh\", "          \
         "\"start\": "                                                                             \
         "0.3}, \"skeleton\": {" skeleton "}}}" ball                                               \
         "], \"colliders\": [{\"kind\": \"floor\", \"friction\": 0.8}]}"
#define BALL                                                                                       \
    ", {\"name\": \"ball\", \"coat\": {\"file\": \"ball.coat.json\"}, \"place\": [0.02, 0.75, "    \
    "1.6], "                                                                                       \
    "\"velocity\": [0, 3.4, -5]}"

static snVec3 jointOf(const snStage *stage, int joint)
{
    return snCoatBody_Frames(stage->world->bodies.data[0])[joint].origin;
}

// Head and feet of both, step by step.
static void deflectsAndRecovers(void)
{
    snSceneFile scenes[2];
    snStage stages[2];
    if (!makeStage(SCENE(BALL, "\"strength\": 2.5, \"hand\": 2"), &scenes[0], &stages[0]) ||
        !makeStage(SCENE("", "\"strength\": 2.5, \"hand\": 2"), &scenes[1], &stages[1]))
        return;
    double before = 0, most = 0, last = 0;
    for (int k = 0; k < 330; k++) {
        snWorld_Step(stages[0].world);
        snWorld_Step(stages[1].world);
        last = snDistance(jointOf(&stages[0], 4), jointOf(&stages[1], 4));
        if (k < 24) before = fmax(before, last);
        most = fmax(most, last);
    }
    printf("    the head is thrown %.1f cm off its way, and %.2f cm at the end\n", 100 * most,
           100 * last);
    CHECK(before < 1e-9 && most > 0.02 && last < 0.2 * most);
    for (int i = 0; i < 2; i++) {
        snStage_Destroy(&stages[i]);
        snSceneFile_Destroy(&scenes[i]);
    }
}

// Strong it follows the clip; limp it falls.
static void keysMakeItLimp(void)
{
    snSceneFile scene;
    snStage stage;
    if (!makeStage(
            SCENE("", "\"strength\": 10, \"hand\": 10, \"keys\": [{\"time\": 0.5}, {\"time\": 0.6, "
                      "\"strength\": 0, \"hand\": 0}]"),
            &scene, &stage))
        return;
    double stands = 0, falls;
    for (int k = 0; k < 300; k++) {
        snWorld_Step(stage.world);
        if (k == 48) stands = jointOf(&stage, 4).y;
    }
    falls = jointOf(&stage, 4).y;
    printf("    its head is at %.2f m, and two seconds after it went limp at %.2f m\n", stands,
           falls);
    CHECK(stands > 1.2 && falls < 0.5);
    snStage_Destroy(&stage);
    snSceneFile_Destroy(&scene);
}

static void savedOnesGoOn(void)
{
    snSceneFile scene;
    snStage stage;
    if (!makeStage(SCENE(BALL, "\"strength\": 3"), &scene, &stage)) return;
    for (int k = 0; k < 30; k++)
        snWorld_Step(stage.world);
    checkGoesOn(stage.world, 60);
    snStage_Destroy(&stage);
    snSceneFile_Destroy(&scene);
}

#define COAT(more)                                                                                 \
    HEAD "\"bodies\": [{\"name\": \"a\", \"coat\": {\"file\": \"jumper.coat.json\", " more "}}]}"

static const char *const wrong[][3] = {
    {COAT("\"motion\": {}"), "bodies[0].coat.motion: ", "file"},
    {COAT("\"motion\": {\"file\": \"jumper.bvh\", \"spede\": 1}"),
     "bodies[0].coat.motion: ", "did you mean"},
    {COAT("\"motion\": {\"file\": \"ring.obj\"}"), "bodies[0].coat.motion.file: ", ".bvh"},
    {COAT("\"motion\": {\"file\": \"jumper.bvh\", \"clip\": 7}"),
     "bodies[0].coat.motion.clip: ", "0"},
    {COAT("\"posture\": 3, \"motion\": {\"file\": \"jumper.bvh\"}"),
     "bodies[0].coat.posture: ", "strength"},
    {COAT("\"skeleton\": {\"bones\": 0.1}"), "bodies[0].coat.skeleton: ", "bones"},
    {COAT("\"skeleton\": {\"joints\": [{\"part\": \"tail\"}]}"),
     "bodies[0].coat.skeleton.joints[0].part: ", "Hips"},
};

static void wrongOnesNameTheirPlaces(void)
{
    snContext context = snDefaultContext();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snSceneFile s;
        snError error = {0};
        if (!CHECK(readScene(&s, wrong[i][0], &context, &error) != SN_OK)) snSceneFile_Destroy(&s);
        bool good = !strncmp(error.message, wrong[i][1], strlen(wrong[i][1])) &&
                    strstr(error.message, wrong[i][2]);
        if (!CHECK(good)) printf("    %zu: %s\n", i, error.message);
    }
}

int main(void)
{
    RUN(deflectsAndRecovers);
    RUN(keysMakeItLimp);
    RUN(savedOnesGoOn);
    RUN(wrongOnesNameTheirPlaces);
    return snTest_Finish();
}
