// The paper's two stories, as the example scenes have them, begun elsewhere: a monster's prey starts at random places and
// walks at random; the pyramid that a hook is after stands anywhere, and so does the peg.
#ifndef SN_TESTS_SCENES_STORIES_H
#define SN_TESTS_SCENES_STORIES_H

#include "core/elementary.h"
#include "core/random.h"
#include "tests/scene/play.h"
#include "tests/scenes/shipped.h"

#define STORY_PREY 3
#define STORY_REACH 0.9 // of the horn's length: within that it gets hold of things at ease
#define STORY_LIMIT 120 // s, after which nothing more is hoped for

static inline snStatus beginStory(Play *story, Shipped *shipped, snError *error)
{
    snStatus status = snSceneFile_Build(&story->scene, &story->stage, &shipped->context, error);
    if (status) snSceneFile_Destroy(&story->scene);
    return status;
}

static inline int findPoint(const snSceneFile *scene, const char *name)
{
    for (int i = 0; i < scene->pointCount; i++)
        if (!strcmp(scene->points[i].name, name)) return i;
    return -1;
}

static inline int findScript(const snSceneFile *scene, const char *name)
{
    for (int i = 0; i < scene->scriptCount; i++)
        if (!strcmp(scene->scripts[i].name, name)) return i;
    return -1;
}

static inline int findGoal(const snSceneFile *scene, int script, const char *name)
{
    for (int i = 0; script >= 0 && i < scene->scripts[script].goalCount; i++)
        if (!strcmp(scene->scripts[script].goals[i].name, name)) return i;
    return -1;
}

// Where a point of the scene is at its begin.
static inline snVec3 firstPlace(const snSceneFile *scene, int point)
{
    const snScenePoint *p = &scene->points[point];
    return p->ofBody ? snMulAP(scene->bodies[p->spot.body].place, p->spot.place) : p->place;
}

static inline snVec3 placeNow(const Play *story, int point)
{
    const snControlPoint *p = &story->stage.control->points[point];
    return p->body < 0 ? p->place
                       : snBody_Place(story->stage.world->bodies.data[p->body], p->handle);
}

// The last goal of a monster or a hook that failed, and why; else the last that ended.
static inline const char *whyNot(const Play *story, char *text, size_t size)
{
    const snControl *c = story->stage.control;
    int64_t count = *c->eventCount, first = count > c->mostEvents ? count - c->mostEvents : 0;
    snprintf(text, size, "no goal ended");
    for (int64_t i = first, reason = 0; i < count; i++) {
        const snControlEvent *e = &c->events[i % c->mostEvents];
        if (!strncmp(c->scripts[e->script].name, "humanoid", 8) || e->reason < (reason > 0))
            continue;
        reason = e->reason;
        snprintf(text, size, "%.2f s, %s: %s", e->end,
                 c->scripts[e->script].goals[e->goal].def.name,
                 snGoalReason_Text((snGoalReason)e->reason));
    }
    return text;
}

// ---- the monster --------------------------------------------------------------------------------

// Where prey begins and how it goes: in reaches, from the monster's shoulder, which faces +x. On the floor, or anywhere in the
// half space before it.
typedef struct Walk {
    snVec3 from, velocity;
    double nearest; // the way comes to the shoulder
} Walk;

static inline snVec3 randomWay(snRandom *random, bool space, bool ahead)
{
    for (;;) {
        snVec3 way = {snRandom_Uniform(random, -1, 1), space ? snRandom_Uniform(random, -1, 1) : 0,
                      snRandom_Uniform(random, -1, 1)};
        double length = snLength(way);
        if (length > 1 || length < 0.1 || (ahead && way.x < 0)) continue;
        return snScale(1 / length, way);
    }
}

// 0.5 to 3 reaches away in any direction in front, at 0.05 to 0.5 reaches a second in any direction that comes within reach.
static inline Walk randomWalk(snRandom *random, bool space)
{
    Walk walk;
    walk.from = snScale(snRandom_Uniform(random, 0.5, 3), randomWay(random, space, true));
    double speed = snRandom_Uniform(random, 0.05, 0.5);
    do {
        snVec3 way = randomWay(random, space, false);
        double along = fmax(0, -snDot(walk.from, way));
        walk.velocity = snScale(speed, way);
        walk.nearest = snLength(snMulAdd(walk.from, along, way));
    } while (walk.nearest > 1);
    return walk;
}

static inline bool isOfPrey(const char *name, int prey)
{
    size_t n = strlen(name);
    return n > 2 && name[n - 2] == ' ' && name[n - 1] == '0' + prey;
}

// Puts a humanoid where its heart is at `heart`, walking; for good if it stays there.
static inline void sendPrey(snSceneFile *scene, int prey, snVec3 heart, snVec3 velocity)
{
    char name[32];
    snprintf(name, sizeof name, "heart %d", prey);
    snVec3 shift = snSub(heart, firstPlace(scene, findPoint(scene, name)));
    for (int i = 0; i < scene->bodyCount; i++) {
        snSceneBody *body = &scene->bodies[i];
        if (!isOfPrey(body->solid.name, prey)) continue;
        body->place.origin = snAdd(body->place.origin, shift);
        body->velocity = velocity;
    }
    snprintf(name, sizeof name, "humanoid %d", prey);
    int script = findScript(scene, name), goal = findGoal(scene, script, "go");
    snGoalDef *go = (snGoalDef *)&scene->scripts[script].goals[goal];
    go->time = 10 * STORY_LIMIT;
    go->place = snScale(go->time, velocity);
    go->velocity = velocity;
}

typedef struct Hunt {
    bool good, eaten; // good: it could be begun
    double time;      // s until it was eaten
    double stretch;   // of the horn, at most, against how long it is at rest
    int troubles; // steps of bodies that could not be computed, or points that contradict each other
    char why[160]; // not
} Hunt;

// How far the monster reaches along the floor, where hearts are lower than its shoulder, or in space; and from where.
typedef struct Reach {
    snVec3 shoulder;
    double floor, space, height, horn;
} Reach;

static inline Reach reachOf(const snSceneFile *scene)
{
    snVec3 heart = firstPlace(scene, findPoint(scene, "heart 1"));
    Reach reach = {.shoulder = firstPlace(scene, findPoint(scene, "shoulder"))};
    snVec3 elbow = firstPlace(scene, findPoint(scene, "elbow"));
    reach.height = heart.y - reach.shoulder.y;
    reach.horn = snDistance(reach.shoulder, elbow) +
                 snDistance(elbow, firstPlace(scene, findPoint(scene, "tip")));
    reach.space = STORY_REACH * reach.horn;
    reach.floor = sqrt(reach.space * reach.space - reach.height * reach.height);
    return reach;
}

// One of the three is sent on its way; the others stand far off.
static inline void setHunt(snSceneFile *scene, const Walk *walk, bool space, int prey)
{
    Reach reach = reachOf(scene);
    if (space) scene->colliderCount = 0; // it is below as well as above
    double unit = space ? reach.space : reach.floor;
    for (int k = 1; k <= STORY_PREY; k++)
        sendPrey(scene, k, snVec(0, reach.shoulder.y + reach.height, 100.0 + 10 * k),
                 snVec(0, 0, 0));
    snVec3 heart = snMulAdd(reach.shoulder, unit, walk->from);
    if (!space) heart.y += reach.height;
    sendPrey(scene, prey, heart, snScale(unit, walk->velocity));
}

static inline void watchHunt(Play *story, int prey, Hunt *hunt)
{
    char name[32];
    const snSceneFile *scene = &story->scene;
    Reach reach = reachOf(scene);
    snprintf(name, sizeof name, "monster %d", prey);
    int script = findScript(scene, name), tip = findPoint(scene, "tip");
    int shoulder = findPoint(scene, "shoulder"), gullet = findPoint(scene, "gullet");
    const snGoalState *eat =
        snControl_Goal(story->stage.control, script, findGoal(scene, script, "eat"));
    const snGoalState *recoil =
        snControl_Goal(story->stage.control, script, findGoal(scene, script, "recoil"));
    for (int k = 0; k < STORY_LIMIT / scene->step && !recoil->wins; k++) {
        stepPlay(story);
        double length = snDistance(placeNow(story, tip), placeNow(story, shoulder));
        hunt->stretch = fmax(hunt->stretch, length / reach.horn);
        if (!eat->wins) hunt->time = snWorld_Time(story->stage.world);
    }
    snprintf(name, sizeof name, "heart %d", prey);
    double apart = snDistance(placeNow(story, findPoint(scene, name)), placeNow(story, gullet));
    hunt->eaten = eat->wins == 1 && recoil->wins == 1 && apart < 1e-6;
    whyNot(story, hunt->why, sizeof hunt->why);
    for (int b = 0; b < story->stage.world->bodies.count; b++) {
        const snBodyTale *tale = &story->stage.world->tales.data[b];
        hunt->troubles += tale->failures + tale->conflicts;
    }
}

static inline Hunt huntOnce(Shipped *shipped, const Walk *walk, bool space, int prey,
                            snError *error)
{
    Hunt hunt = {0};
    Play story;
    if (readShippedScene(shipped, "monster", &story.scene, error)) return hunt;
    setHunt(&story.scene, walk, space, prey);
    if (beginStory(&story, shipped, error)) return hunt;
    hunt.good = true;
    watchHunt(&story, prey, &hunt);
    endPlay(&story);
    return hunt;
}

// ---- the hook -----------------------------------------------------------------------------------

typedef struct Hang {
    bool good, hangs;
    double low;  // the pyramid's lowest vertex at the end, m
    double miss; // of both connections, m
    char why[160];
} Hang;

// The pyramid within 2 m of the origin along x and z, the peg within 1 m of where it is and up to 1 m higher.
static inline void setHook(snSceneFile *scene, snRandom *random)
{
    snScenePoint *sky = &scene->points[findPoint(scene, "sky")];
    snSceneBody *pyramid = &scene->bodies[scene->points[findPoint(scene, "pyramid.tip")].spot.body];
    pyramid->place.origin.x = snRandom_Uniform(random, -2, 2);
    pyramid->place.origin.z = snRandom_Uniform(random, -2, 2);
    sky->place =
        snAdd(sky->place, snVec(snRandom_Uniform(random, -1, 1), snRandom_Uniform(random, 0, 1),
                                snRandom_Uniform(random, -1, 1)));
    scene->colliders[1].def.shape.end.origin = sky->place;
}

static inline Hang hangOnce(Shipped *shipped, snRandom *random, snError *error)
{
    Hang hang = {0};
    Play story;
    if (readShippedScene(shipped, "sky-hook", &story.scene, error)) return hang;
    setHook(&story.scene, random);
    if (beginStory(&story, shipped, error)) return hang;
    const snSceneFile *scene = &story.scene;
    const snWorld *world = story.stage.world;
    for (int k = 0; k < scene->duration / scene->step; k++)
        stepPlay(&story);
    double tip = snDistance(placeNow(&story, findPoint(scene, "hook.tip")),
                            placeNow(&story, findPoint(scene, "pyramid.tip")));
    double eye = snDistance(placeNow(&story, findPoint(scene, "hook.eye")),
                            placeNow(&story, findPoint(scene, "sky")));
    const snBody *pyramid = world->bodies.data[1];
    hang.good = true;
    hang.low = INFINITY;
    for (int v = 0; v < pyramid->vertexCount; v++)
        hang.low = fmin(hang.low, snBody_Vertex(pyramid, v).y);
    hang.miss = fmax(tip, eye);
    bool sound = world->tales.data[0].failures + world->tales.data[1].failures == 0;
    hang.hangs = story.stage.control->scriptStates[0].phase == SN_SCRIPT_DONE && hang.miss < 1e-9 &&
                 hang.low > 0.1 && sound;
    whyNot(&story, hang.why, sizeof hang.why);
    endPlay(&story);
    return hang;
}

#endif
