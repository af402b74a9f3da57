// The document as a whole.
#include "scene/reader.h"

#include <string.h>

#define MOST_SECONDS 1e5
#define MOST_STEPS 1e8
#define MOST_FRAMES 1000000
#define MOST_LENGTH 1000 // of a step in real time, in ticks

static void readGravity(snReader *r, const snJsonNode *root)
{
    snSceneFile *scene = snReader_Scene(r);
    const snJsonNode *node = snJson_Member(r->json, root, "gravity");
    const snJsonNode *first = snJson_At(r->json, node, 0);
    if (!node || r->status) return;
    if (node->kind != SN_JSON_ARRAY || !first || first->kind != SN_JSON_ARRAY) {
        snReader_VectorOf(r, node, SN_QUANTITY_PLAIN, &scene->gravity);
        return;
    }
    snKeyList keys;
    snReader_KeyList(r, node, 3, (snRange){-1e6, 1e6, SN_QUANTITY_PLAIN}, &keys);
    scene->gravityCount = keys.count;
    scene->gravityTimes = keys.times;
    scene->gravityKeys = (snVec3 *)keys.values;
}

static void readTimes(snReader *r, const snJsonNode *root)
{
    snSceneFile *scene = snReader_Scene(r);
    double perSecond = 0;
    snReader_Number(r, root, "step", (snRange){1e-5, 0.1, SN_QUANTITY_TIME}, &scene->step);
    snReader_Number(r, root, "stepsPerSecond", (snRange){10, 1e5, SN_QUANTITY_PLAIN}, &perSecond);
    if (perSecond > 0 && snJson_Member(r->json, root, "step"))
        snReader_Fail(r, snJson_Member(r->json, root, "stepsPerSecond"),
                      "and \"step\" are given; one of them does");
    if (perSecond > 0) scene->step = 1 / perSecond;
    snReader_Number(r, root, "duration", (snRange){0, MOST_SECONDS, SN_QUANTITY_TIME},
                    &scene->duration);
    snReader_Number(r, root, "frameRate", (snRange){0.1, 1000, SN_QUANTITY_PLAIN},
                    &scene->frameRate);
    double steps = scene->duration / scene->step;
    const snJsonNode *duration = snJson_Member(r->json, root, "duration");
    if (!r->status && duration && steps > MOST_STEPS)
        snReader_Fail(r, duration, "is %.3g steps; %.3g are most: make it shorter, or steps longer",
                      steps, MOST_STEPS);
    if (!r->status && duration && snSceneFile_Frames(scene) > MOST_FRAMES)
        snReader_Fail(r, duration,
                      "is %d frames; %d are most: make it shorter, or \"frameRate\" lower",
                      snSceneFile_Frames(scene), MOST_FRAMES);
}

// How long steps may be in real time, beginning with one tick.
static void readLengths(snReader *r, const snJsonNode *list)
{
    snSceneFile *scene = snReader_Scene(r);
    if (!list || r->status) return;
    int count = snJson_Count(list);
    if (count < 1 || count > SN_WORLD_LENGTHS)
        snReader_Fail(r, list, "has %d lengths; there can be 1 to %d", count, SN_WORLD_LENGTHS);
    for (int i = 0; i < count && !r->status; i++) {
        const snJsonNode *node = snJson_At(r->json, list, i);
        snReader_IntOf(r, node, 1, MOST_LENGTH, &scene->lengths[i]);
        if (!r->status && (i ? scene->lengths[i] <= scene->lengths[i - 1] : scene->lengths[i] != 1))
            snReader_Fail(r, node, "is %d steps; lengths begin with 1 and ascend",
                          scene->lengths[i]);
    }
    scene->lengthCount = count;
}

static void readHead(snReader *r, const snJsonNode *root)
{
    static const char *const keys[] = {
        "sinew",     "version", "title",  "step",        "stepsPerSecond", "duration",
        "frameRate", "gravity", "bodies", "colliders",   "attachments",    "throws",
        "probes",    "outputs", "camera", "bodiesTouch", "stepLengths",    "points",
        "scripts",   "planar",  "fields", "air",         "sleep"};
    const char *kind = NULL;
    int version = 0;
    snReader_Text(r, root, "sinew", &kind); // first: the keys of other documents are others
    if (!r->status && kind && strcmp(kind, "scene") != 0)
        snReader_Fail(r, snJson_Member(r->json, root, "sinew"),
                      "is \"%.40s\"; a scene says \"sinew\": \"scene\"", kind);
    if (!r->status &&
        snJson_IsText(r->json, snJson_Member(r->json, root, "format"), "sinew-character"))
        snReader_Fail(r, root, "is a character: \"layered\" bodies of scenes are made from such");
    snReader_Keys(r, root, keys, (int)(sizeof keys / sizeof *keys));
    snReader_Need(r, root, "sinew");
    snReader_Need(r, root, "version");
    snReader_Int(r, root, "version", 1, 1000000, &version);
    if (!r->status && version > SN_SCENE_VERSION)
        snReader_Fail(r, snJson_Member(r->json, root, "version"),
                      "is %d; this program reads scenes up to version %d", version,
                      SN_SCENE_VERSION);
    snReader_Text(r, root, "title", &snReader_Scene(r)->title);
}

static void readDocument(snReader *r)
{
    const snJsonNode *root = r->json->root;
    readHead(r, root);
    readTimes(r, root);
    readLengths(r, snReader_List(r, root, "stepLengths"));
    readGravity(r, root);
    snReader_Bool(r, root, "bodiesTouch", &snReader_Scene(r)->bodiesTouch);
    snReader_Bool(r, root, "planar", &snReader_Scene(r)->planar);
    snReader_Need(r, root, "bodies");
    snReader_Bodies(r, snReader_List(r, root, "bodies"));
    snReader_Colliders(r, snReader_List(r, root, "colliders"));
    snReader_Attachments(r, snReader_List(r, root, "attachments"));
    snReader_Throws(r, snReader_List(r, root, "throws"));
    snReader_Probes(r, snReader_List(r, root, "probes"));
    snReader_Fields(r, snReader_List(r, root, "fields"));
    snReader_Air(r, snReader_Object(r, root, "air"));
    snReader_Sleep(r, root);
    snReader_Points(r, snReader_List(r, root, "points"));
    snReader_Scripts(r, snReader_List(r, root, "scripts"));
    snReader_Outputs(r, snReader_Object(r, root, "outputs"));
    snReader_Camera(r, snReader_Object(r, root, "camera"));
}

snStatus snSceneFile_Read(snSceneFile *scene, const char *text, size_t size,
                          const snSceneSource *source, const snContext *context, snError *error)
{
    *scene = (snSceneFile){.arena = snMakeArena(context),
                           .title = "",
                           .step = 1.0 / 120,
                           .duration = 4,
                           .frameRate = 30,
                           .lengthCount = 6,
                           .lengths = {1, 2, 3, 4, 6, 8},
                           .bodiesTouch = true,
                           .gravity = {0, -9.81, 0},
                           .camera = {.panels = 8}};
    snJson json;
    snArena scratch = snMakeArena(context);
    snSceneReading own = {scene, source};
    snReader r = {&json, &scene->arena, context, &own, SN_OK, error};
    snReader_Parse(&r, &json, text, size, &scratch);
    if (!r.status) readDocument(&r);
    snArena_Destroy(&scratch);
    if (r.status) snSceneFile_Destroy(scene);
    return r.status;
}

void snSceneFile_Destroy(snSceneFile *scene)
{
    snArena arena = scene->arena;
    for (int i = 0; i < scene->bodyCount; i++) {
        snSceneCharacter_Destroy(scene->bodies[i].character);
        snSceneLayered_Destroy(scene->bodies[i].layered);
        snSceneMotion_Destroy(scene->bodies[i].motion);
        snSceneSkin_Destroy(scene->bodies[i].skin);
    }
    snArena_Destroy(&arena);
    *scene = (snSceneFile){0};
}

int snSceneFile_StepsPerFrame(const snSceneFile *scene)
{
    double steps = floor(1 / (scene->frameRate * scene->step) + 0.5);
    return steps > 1 ? (int)steps : 1;
}

int snSceneFile_Frames(const snSceneFile *scene)
{
    double frame = snSceneFile_StepsPerFrame(scene) * scene->step;
    return (int)floor(scene->duration / frame + 1e-6) + 1;
}
