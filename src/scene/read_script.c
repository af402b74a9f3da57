// Points that scripts speak of, and scripts: lists of goals.
#include "scene/reader.h"

#include <string.h>

#define MOST_SECONDS 1e8

// ---- points -------------------------------------------------------------------------------------

static void readPoint(snReader *r, const snJsonNode *node, snScenePoint *point)
{
    static const char *const keys[] = {"name", "body",  "point", "vertex",
                                       "near", "place", "keys",  "loose"};
    *point = (snScenePoint){.name = ""};
    snReader_Keys(r, node, keys, (int)(sizeof keys / sizeof *keys));
    snReader_Need(r, node, "name");
    snReader_Text(r, node, "name", &point->name);
    bool body = snJson_Member(r->json, node, "body") != NULL;
    bool place = snJson_Member(r->json, node, "place") != NULL;
    bool path = snJson_Member(r->json, node, "keys") != NULL;
    if (body + place + path != 1)
        snReader_Fail(r, node, "is of a \"body\", or a \"place\", or has \"keys\"; one of these");
    point->ofBody = body;
    if (r->status) return;
    if (body) snReader_Spot(r, node, false, &point->spot);
    snReader_Vector(r, node, "place", SN_QUANTITY_LENGTH, &point->place);
    snReader_Route(r, node, &point->route);
}

static const char *pointAt(const void *points, int i)
{
    return ((const snScenePoint *)points)[i].name;
}

static snNames namesOfPoints(const snSceneFile *scene)
{
    return (snNames){scene->pointCount, pointAt, scene->points};
}

void snReader_Points(snReader *r, const snJsonNode *list)
{
    snSceneFile *scene = snReader_Scene(r);
    scene->points = snReader_MakeList(r, list, sizeof *scene->points, &scene->pointCount);
    for (int i = 0; i < scene->pointCount && !r->status; i++)
        readPoint(r, snJson_At(r->json, list, i), &scene->points[i]);
    const snNames names = namesOfPoints(scene);
    snReader_CheckNames(r, list, "points", &names);
}

// ---- what texts speak of ------------------------------------------------------------------------

static int findPoint(snReader *r, const snJsonNode *node)
{
    const snNames names = namesOfPoints(snReader_Scene(r));
    return snReader_FindName(r, node, "point", snReader_TextOf(r, node), &names);
}

static void readPointName(snReader *r, const snJsonNode *object, const char *key, int *point)
{
    const snJsonNode *node = snJson_Member(r->json, object, key);
    if (node && !r->status) *point = findPoint(r, node);
}

static const char *goalAt(const void *goals, int i)
{
    const char *name = ((const snGoalDef *)goals)[i].name;
    return *name ? name : NULL;
}

static int findGoal(snReader *r, const snJsonNode *node, const snScriptDef *script,
                    const char *name)
{
    const snNames names = {script->goalCount, goalAt, script->goals};
    return snReader_FindName(r, node, "goal", name, &names);
}

static const char *scriptAt(const void *scripts, int i)
{
    return ((const snScriptDef *)scripts)[i].name;
}

// "goal" of the same script, or "script.goal".
static void findEvent(snReader *r, const snJsonNode *node, int own, snConditionDef *c)
{
    const snSceneFile *scene = snReader_Scene(r);
    const char *name = snReader_TextOf(r, node), *dot = strchr(name, '.');
    c->script = own;
    if (dot) {
        const snNames names = {scene->scriptCount, scriptAt, scene->scripts};
        const char *script = snArena_CopyString(r->arena, name, (size_t)(dot - name));
        if (!script) snReader_Take(r, snFailMemory(r->error));
        c->script = snReader_FindName(r, node, "script", script, &names);
        name = dot + 1;
    }
    if (!r->status) c->goal = findGoal(r, node, &scene->scripts[c->script], name);
}
// ---- conditions ---------------------------------------------------------------------------------

static void readPair(snReader *r, const snJsonNode *node, snConditionDef *c)
{
    if (node->kind != SN_JSON_ARRAY || snJson_Count(node) != 2)
        snReader_Fail(r, node, "must be the names of two points");
    for (int k = 0; k < 2 && !r->status; k++)
        c->points[k] = findPoint(r, snJson_At(r->json, node, k));
}

static void readCondition(snReader *r, const snJsonNode *node, int script, snConditionDef *c)
{
    static const char *const keys[] = {"time",   "near",     "far",   "inside", "outside", "done",
                                       "failed", "distance", "lower", "upper",  "ahead"};
    const snJsonNode *which = NULL;
    int found = -1;
    snReader_Keys(r, node, keys, 11);
    for (int k = 0; k < 7 && !r->status; k++) {
        const snJsonNode *member = snJson_Member(r->json, node, keys[k]);
        if (member && found >= 0)
            snReader_Fail(r, node, "has \"%s\" and \"%s\"; one of them does", keys[found], keys[k]);
        if (member) found = k, which = member;
    }
    if (found < 0)
        snReader_Fail(r, node,
                      "says not what is waited for: \"time\", \"near\", \"far\", \"inside\", "
                      "\"outside\", \"done\" or \"failed\"");
    if (r->status) return;
    c->kind = (snConditionKind)found;
    snReader_Number(r, node, "ahead", (snRange){0, MOST_SECONDS, SN_QUANTITY_TIME}, &c->ahead);
    if (found == SN_IF_TIME)
        snReader_Number(r, node, "time", (snRange){0, MOST_SECONDS, SN_QUANTITY_TIME}, &c->value);
    if (found == SN_IF_NEAR || found == SN_IF_FAR) {
        readPair(r, which, c);
        snReader_Need(r, node, "distance");
        snReader_Number(r, node, "distance", (snRange){0, 1e9, SN_QUANTITY_LENGTH}, &c->value);
    }
    if (found == SN_IF_INSIDE || found == SN_IF_OUTSIDE) {
        c->points[0] = findPoint(r, which);
        snReader_Box(r, node, &c->box);
    }
    if (found == SN_IF_DONE || found == SN_IF_FAILED) findEvent(r, which, script, c);
}

// ---- goals --------------------------------------------------------------------------------------

static const char *const kindNames[SN_GOAL_KINDS] = {
    "chase", "connect", "grab", "disconnect", "move", "strike", "wait", "switch", "repeat"};

// Keys that all goals have, and those of each kind.
static void checkKeys(snReader *r, const snJsonNode *node, snGoalKind kind)
{
    static const char *const own[SN_GOAL_KINDS][14] = {
        {"point", "target", "time", "velocity", "reach", "hold", "until", "any"},
        {"point", "target", "within", "ease", "spring"},
        {"point", "target", "time", "velocity", "reach", "within", "ease", "spring"},
        {"point", "target"},
        {"point", "target", "to", "by", "keys", "loose", "relative", "preroll", "time", "velocity",
         "reach", "hold", "until", "any"},
        {"point", "target", "velocity"},
        {"time", "until", "any"},
        {"attachments", "on"},
        {"from", "times"}};
    const char *keys[24] = {"do", "name", "after", "afterAny", "limit", "onFail"};
    int count = 6;
    for (int k = 0; k < 14 && own[kind][k]; k++)
        keys[count++] = own[kind][k];
    snReader_Keys(r, node, keys, count);
}

// [x, y, z], or "target": that of the target.
static void readVelocity(snReader *r, const snJsonNode *node, snGoalDef *g)
{
    const snJsonNode *v = snJson_Member(r->json, node, "velocity");
    if (!v || r->status) return;
    g->arrival = SN_ARRIVE_GIVEN;
    if (v->kind != SN_JSON_STRING) {
        snReader_VectorOf(r, v, SN_QUANTITY_LENGTH, &g->velocity);
        return;
    }
    const char *text = snReader_TextOf(r, v);
    if (strcmp(text, "target") != 0)
        snReader_Fail(r, v, "is \"%.40s\"; it must be three numbers, or \"target\"", text);
    g->arrival = SN_ARRIVE_TARGET;
}

static void readReach(snReader *r, const snJsonNode *object, snGoalDef *g)
{
    static const char *const keys[] = {"from", "distance"};
    const snJsonNode *node = snReader_Object(r, object, "reach");
    if (!node || r->status) return;
    snReader_Keys(r, node, keys, 2);
    snReader_Need(r, node, "from");
    snReader_Need(r, node, "distance");
    readPointName(r, node, "from", &g->reachFrom);
    snReader_Number(r, node, "distance", (snRange){1e-9, 1e9, SN_QUANTITY_LENGTH}, &g->reach);
}

static void readMove(snReader *r, const snJsonNode *node, snGoalDef *g)
{
    static const char *const ways[] = {"target", "to", "by", "keys"};
    int count = 0;
    for (int k = 0; k < 4; k++)
        count += snJson_Member(r->json, node, ways[k]) != NULL;
    if (count != 1)
        snReader_Fail(r, node,
                      "goes to a \"target\", \"to\" a place, \"by\" a way or along \"keys\"; "
                      "one of these");
    g->relative = snJson_Member(r->json, node, "by") != NULL;
    snReader_Vector(r, node, g->relative ? "by" : "to", SN_QUANTITY_LENGTH, &g->place);
    if (r->status || !snJson_Member(r->json, node, "keys")) return;
    snRouteDef *route = SN_NEW(r->arena, snRouteDef, 1);
    if (!route) snReader_Take(r, snFailMemory(r->error));
    if (route) snReader_Route(r, node, route);
    g->path = route;
    snReader_Bool(r, node, "relative", &g->relative);
    g->preroll = g->relative ? 0 : 0.2;
    snReader_Number(r, node, "preroll", (snRange){0, MOST_SECONDS, SN_QUANTITY_TIME}, &g->preroll);
    if (!r->status && route->times[0] != 0)
        snReader_Fail(r, snJson_Member(r->json, node, "keys"),
                      "begin at %g s; those of a goal begin at 0, which is when it does",
                      route->times[0]);
}

static void readUntil(snReader *r, const snJsonNode *node, int script, snGoalDef *g)
{
    const snJsonNode *until = snJson_Member(r->json, node, "until");
    bool waits = g->kind == SN_GOAL_WAIT;
    const snJsonNode *time = waits ? snJson_Member(r->json, node, "time") : NULL;
    bool list = until && until->kind == SN_JSON_ARRAY;
    int count = list ? snJson_Count(until) : 1;
    if (waits && !until == !time)
        snReader_Fail(r, node, "waits for a \"time\", or \"until\" something");
    snReader_Bool(r, node, "any", &g->any);
    if (r->status || (!until && !time)) return;
    snConditionDef *conditions = SN_NEW(r->arena, snConditionDef, count);
    if (!conditions) snReader_Take(r, snFailMemory(r->error));
    if (time && conditions)
        snReader_Number(r, node, "time", (snRange){0, MOST_SECONDS, SN_QUANTITY_TIME},
                        &conditions[0].value);
    for (int i = 0; i < count && until && !r->status; i++)
        readCondition(r, list ? snJson_At(r->json, until, i) : until, script, &conditions[i]);
    g->conditions = conditions;
    g->conditionCount = conditions ? count : 0;
}

// A whole number from 1 on, or "forever".
static void readTimes(snReader *r, const snJsonNode *object, const char *key, int *times)
{
    const snJsonNode *node = snJson_Member(r->json, object, key);
    if (!node || r->status) return;
    if (node->kind != SN_JSON_STRING) {
        snReader_Int(r, object, key, 1, 1000000000, times);
        return;
    }
    if (strcmp(snReader_TextOf(r, node), "forever") != 0)
        snReader_Fail(r, node, "must be a whole number, or \"forever\"");
    *times = 0;
}

static void readAfter(snReader *r, const snJsonNode *object, const snScriptDef *script,
                      snGoalDef *g)
{
    const snJsonNode *node = snJson_Member(r->json, object, "after");
    if (!node || r->status) return;
    bool list = node->kind == SN_JSON_ARRAY;
    int count = list ? snJson_Count(node) : 1;
    int *after = SN_NEW(r->arena, int, count);
    if (!after) snReader_Take(r, snFailMemory(r->error));
    if (count > 64) snReader_Fail(r, node, "has %d goals; 64 are most", count);
    for (int i = 0; i < count && !r->status; i++) {
        const snJsonNode *at = list ? snJson_At(r->json, node, i) : node;
        after[i] = findGoal(r, at, script, snReader_TextOf(r, at));
    }
    g->after = after;
    g->afterCount = r->status ? 0 : count;
}

static void readOnFail(snReader *r, const snJsonNode *object, const snScriptDef *script,
                       snGoalDef *g)
{
    static const char *const words[] = {"stop", "continue", "restart"};
    const snJsonNode *node = snJson_Member(r->json, object, "onFail");
    if (!node || r->status) return;
    const char *text = snReader_TextOf(r, node);
    int word = snFindWord(text, words, 3);
    g->onFail = word < 0 ? SN_FAIL_GOES : (snOnFail)word;
    if (word >= 0) return;
    g->onFailGoal = findGoal(r, node, script, text);
}

static void readFlow(snReader *r, const snJsonNode *node, const snScriptDef *script, snGoalDef *g)
{
    const snRange time = {0, MOST_SECONDS, SN_QUANTITY_TIME};
    int number = (int)(g - script->goals);
    readAfter(r, node, script, g);
    snReader_Bool(r, node, "afterAny", &g->afterAny);
    snReader_Number(r, node, "limit", time, &g->limit);
    readOnFail(r, node, script, g);
    if (g->kind != SN_GOAL_REPEAT) return;
    const snJsonNode *from = snReader_Need(r, node, "from");
    g->from = findGoal(r, from, script, snReader_TextOf(r, from));
    if (!r->status && g->from >= number) snReader_Fail(r, from, "is not before it in the list");
    readTimes(r, node, "times", &g->times);
}

// Points that a goal of this kind needs are there, and can be what it wants of them.
static void checkPoints(snReader *r, const snJsonNode *node, const snGoalDef *g)
{
    const snSceneFile *scene = snReader_Scene(r);
    bool connects = g->kind == SN_GOAL_CONNECT || g->kind == SN_GOAL_GRAB;
    bool targets = connects || g->kind == SN_GOAL_CHASE;
    if (g->kind == SN_GOAL_WAIT || g->kind == SN_GOAL_REPEAT || g->kind == SN_GOAL_SWITCH) return;
    snReader_Need(r, node, "point");
    if (targets) snReader_Need(r, node, "target");
    if (r->status) return;
    const snJsonNode *point = snJson_Member(r->json, node, "point");
    const snJsonNode *target = snJson_Member(r->json, node, "target");
    if (!scene->points[g->point].ofBody)
        snReader_Fail(r, point, "\"%.60s\" is a place; goals drive points of bodies",
                      scene->points[g->point].name);
    if (g->target == g->point) snReader_Fail(r, target, "is the point itself");
    if (!connects || r->status || !scene->points[g->target].ofBody) return;
    snReader_CheckRules(r, target, scene->points[g->point].spot.body,
                        scene->points[g->target].spot.body);
    if (g->spring) return;
    snReader_CheckTie(r, point, scene->points[g->point].spot.body);
    snReader_CheckTie(r, target, scene->points[g->target].spot.body);
}

static void readSwitch(snReader *r, const snJsonNode *node, snGoalDef *g)
{
    const char *name = "";
    const snJsonNode *which = snReader_Need(r, node, "attachments");
    snReader_Text(r, node, "attachments", &name);
    snReader_Need(r, node, "on");
    snReader_Bool(r, node, "on", &g->on);
    g->attachments = name;
    for (int i = 0; i < snReader_Scene(r)->attachmentCount; i++)
        if (!strcmp(snReader_Scene(r)->attachments[i].def.name, name)) return;
    snReader_Fail(r, which, "there is no attachment \"%.60s\"", name);
}

static void readGoal(snReader *r, const snJsonNode *node, int number, snGoalDef *g)
{
    const snScriptDef *script = &snReader_Scene(r)->scripts[number];
    const char *name = g->name;
    const snRange time = {0, MOST_SECONDS, SN_QUANTITY_TIME}, length = {0, 1e9, SN_QUANTITY_LENGTH};
    int kind = 0;
    snReader_Need(r, node, "do");
    snReader_Word(r, node, "do", kindNames, SN_GOAL_KINDS, &kind);
    if (r->status) return;
    *g = snDefaultGoalDef((snGoalKind)kind);
    g->name = name;
    checkKeys(r, node, g->kind);
    readPointName(r, node, "point", &g->point);
    readPointName(r, node, "target", &g->target);
    readUntil(r, node, number, g);
    if (g->kind != SN_GOAL_WAIT) snReader_Number(r, node, "time", time, &g->time);
    if (g->kind == SN_GOAL_MOVE) readMove(r, node, g);
    if (g->kind == SN_GOAL_SWITCH) readSwitch(r, node, g);
    readVelocity(r, node, g);
    readReach(r, node, g);
    snReader_Bool(r, node, "hold", &g->hold);
    snReader_Number(r, node, "within", length, &g->within);
    snReader_Number(r, node, "ease", time, &g->ease);
    g->spring = snReader_Spring(r, node, &g->stiffness, &g->damping);
    readFlow(r, node, script, g);
    checkPoints(r, node, g);
}

// ---- scripts ------------------------------------------------------------------------------------

static bool isReserved(const char *name)
{
    return !strcmp(name, "stop") || !strcmp(name, "continue") || !strcmp(name, "restart") ||
           strchr(name, '.') != NULL;
}

// Names of goals first, for goals speak of each other.
static void readNames(snReader *r, const snJsonNode *list, snGoalDef *goals, int count)
{
    const snNames names = {count, goalAt, goals};
    for (int i = 0; i < count && !r->status; i++) {
        const snJsonNode *node = snJson_At(r->json, list, i);
        goals[i].name = "";
        if (node->kind != SN_JSON_OBJECT)
            snReader_Fail(r, node, "is %s; it must be an object", snJson_KindName(node->kind));
        snReader_Text(r, node, "name", &goals[i].name);
        if (isReserved(goals[i].name))
            snReader_Fail(r, snJson_Member(r->json, node, "name"),
                          "\"%.40s\" cannot be a name: it means something else, or has a dot",
                          goals[i].name);
    }
    int later = snReader_FindTwice(r, &names).later;
    if (later >= 0)
        snReader_Fail(r, snJson_Member(r->json, snJson_At(r->json, list, later), "name"),
                      "another goal is called \"%.60s\" too", goals[later].name);
}

static void readHead(snReader *r, const snJsonNode *node, snScriptDef *script)
{
    static const char *const keys[] = {"name", "from", "repeat", "goals"};
    *script = (snScriptDef){.name = "", .repeats = 1};
    snReader_Keys(r, node, keys, 4);
    snReader_Need(r, node, "name");
    snReader_Text(r, node, "name", &script->name);
    snReader_Number(r, node, "from", (snRange){0, MOST_SECONDS, SN_QUANTITY_TIME}, &script->from);
    readTimes(r, node, "repeat", &script->repeats);
    snReader_Need(r, node, "goals");
    const snJsonNode *list = snReader_List(r, node, "goals");
    if (r->status) return;
    if (snJson_Count(list) > 1024)
        snReader_Fail(r, list, "has %d goals; 1024 are most", snJson_Count(list));
    snGoalDef *goals = SN_NEW(r->arena, snGoalDef, snJson_Count(list));
    if (!goals) snReader_Take(r, snFailMemory(r->error));
    if (!r->status) readNames(r, list, goals, snJson_Count(list));
    script->goals = goals;
    script->goalCount = r->status ? 0 : snJson_Count(list);
}

void snReader_Scripts(snReader *r, const snJsonNode *list)
{
    snSceneFile *scene = snReader_Scene(r);
    scene->scripts = snReader_MakeList(r, list, sizeof *scene->scripts, &scene->scriptCount);
    for (int i = 0; i < scene->scriptCount && !r->status; i++)
        readHead(r, snJson_At(r->json, list, i), &scene->scripts[i]);
    const snNames names = {scene->scriptCount, scriptAt, scene->scripts};
    int later = snReader_FindTwice(r, &names).later;
    if (later >= 0)
        snReader_Fail(r, snJson_At(r->json, list, later), "another script is called \"%.60s\" too",
                      scene->scripts[later].name);
    for (int i = 0; i < scene->scriptCount && !r->status; i++) {
        const snJsonNode *goals = snReader_List(r, snJson_At(r->json, list, i), "goals");
        snScriptDef *script = &scene->scripts[i];
        for (int g = 0; g < script->goalCount && !r->status; g++)
            readGoal(r, snJson_At(r->json, goals, g), i, (snGoalDef *)&script->goals[g]);
        int circle = r->status ? -1 : snScript_FindCircle(script);
        if (circle >= 0)
            snReader_Fail(r, snJson_Member(r->json, snJson_At(r->json, goals, circle), "after"),
                          "leads back to the goal itself: goals that wait for each other never "
                          "begin");
    }
}
