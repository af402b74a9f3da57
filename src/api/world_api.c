// The public face of worlds (include/sinew/world.h): a scene, the stage that is built from it, and its scripts behind
// the world's driver. snWorld itself is the world's own (world/world.h).
#include "api/world_parts.h"

#include <string.h>

typedef snWorldOwner Owner;

static Owner *ownerOf(const snWorld *world)
{
    return snWorld_Owner(world);
}

// ---- what callers hand over -----------------------------------------------------------------------------

snStatus snWorld_CheckBody(const snWorld *world, int body, snError *error)
{
    snStatus status = snCheckPointer("world", world, error);
    return status ? status : snCheckIndex("body", body, world->bodies.count, error);
}

snBody *snWorld_Body(const snWorld *world, int body)
{
    snError why;
    bool none =
        snRefuse(&world->context, snCheckIndex("body", body, world->bodies.count, &why), &why);
    return none ? NULL : world->bodies.data[body];
}

static void writeVector(snVec3 v, double out[3])
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static snAffine affineOf(const snPlacement *place)
{
    snStand stand = snStand_Of(place);
    return snStand_Affine(&stand);
}

// ---- scripts as the world's driver ----------------------------------------------------------------------

static void driveStep(void *user, snWorld *world, int ticks)
{
    Owner *owner = user;
    if (owner->stage.control) snControl_Step(owner->stage.control, world, ticks);
}

static size_t driveSize(const void *user)
{
    const Owner *owner = user;
    return owner->stage.control ? snControl_SaveSize(owner->stage.control) : 0;
}

static void driveSave(const void *user, void *bytes)
{
    const Owner *owner = user;
    if (owner->stage.control) snControl_Save(owner->stage.control, bytes);
}

static snStatus driveRestore(void *user, const void *bytes, size_t size, snError *error)
{
    Owner *owner = user;
    if (!owner->stage.control) return SN_OK;
    return snControl_Restore(owner->stage.control, bytes, size, error);
}

static uint64_t driveHash(const void *user)
{
    const Owner *owner = user;
    return owner->stage.control ? snControl_Hash(owner->stage.control) : 0;
}

// ---- loading ------------------------------------------------------------------------------------------------

static snStatus readFile(void *user, const char *path, snArena *arena, const uint8_t **bytes,
                         size_t *size, snError *error)
{
    const snFileHook *files = user;
    const void *data = files->open(files->user, path, size);
    if (!data) return snFail(error, SN_ERROR_FILE, "%s: there is no such file", path);
    *bytes = snArena_Copy(arena, data, 1, *size);
    if (files->close) files->close(files->user, data);
    return *bytes ? SN_OK : snFailMemory(error);
}

static void destroyOwner(Owner *owner)
{
    snStage_Destroy(&owner->stage);
    snSceneFile_Destroy(&owner->scene);
    snArena_DestroyWithin(&owner->arena);
}

static snStatus makeScratch(Owner *owner, snError *error)
{
    const snWorld *world = owner->stage.world;
    int most = 0, joints = 0, controls = 0;
    for (int b = 0; b < world->bodies.count; b++) {
        most =
            world->bodies.data[b]->vertexCount > most ? world->bodies.data[b]->vertexCount : most;
        joints = snWorld_JointCount(world, b) > joints ? snWorld_JointCount(world, b) : joints;
    }
    for (int b = 0; b < world->bodies.count; b++)
        controls =
            snWorld_ControlCount(world, b) > controls ? snWorld_ControlCount(world, b) : controls;
    owner->controls = SN_NEW(&owner->arena, snVec3, controls);
    owner->frames = SN_NEW(&owner->arena, snAffine, joints);
    owner->far = SN_NEW(&owner->arena, double, world->bodies.count);
    owner->points = SN_NEW(&owner->arena, snVec3f, most);
    owner->normals = SN_NEW(&owner->arena, snVec3f, most);
    return owner->points && owner->normals && owner->frames && owner->controls && owner->far
               ? SN_OK
               : snFailMemory(error);
}

snStatus snWorld_Load(snWorld **out, const char *scene, size_t size, const snFileHook *files,
                      const snContext *context, snError *error)
{
    snStatus status = snCheckPointer("world", out, error);
    if (out) *out = NULL;
    if (!status) status = snCheckPointer("scene", scene, error);
    if (!status) status = snCheckContext(context, error);
    if (status) return status;
    snFileHook hook = files ? *files : (snFileHook){.open = NULL};
    snSceneSource source = {.read = hook.open ? readFile : NULL, .user = &hook};
    snArena arena = snMakeArena(context);
    Owner *owner = SN_NEW(&arena, Owner, 1);
    if (!owner) return snFailMemory(error);
    owner->arena = arena;
    status = snSceneFile_Read(&owner->scene, scene, size, &source, context, error);
    if (status) {
        arena = owner->arena;
        snArena_Destroy(&arena);
        return status;
    }
    status = snSceneFile_Build(&owner->scene, &owner->stage, context, error);
    if (!status) status = makeScratch(owner, error);
    if (status) {
        destroyOwner(owner);
        return status;
    }
    owner->stage.world->driver =
        (snWorldDriver){driveStep, driveSize, driveSave, driveRestore, driveHash, owner};
    *out = owner->stage.world;
    return SN_OK;
}

void snWorld_Free(snWorld *world)
{
    if (world) destroyOwner(ownerOf(world));
}

double snWorld_StepLength(const snWorld *world)
{
    return world->def.step;
}

// ---- bodies ---------------------------------------------------------------------------------------------------

int snWorld_BodyCount(const snWorld *world)
{
    return world->bodies.count;
}

const char *snWorld_BodyName(const snWorld *world, int body)
{
    const snBody *b = snWorld_Body(world, body);
    return b ? b->name : "";
}

// ---- where bodies are ---------------------------------------------------------------------------------------------

void snWorld_Put(snWorld *world, int body, const snPlacement *place)
{
    snError why;
    snStatus bad = snWorld_CheckBody(world, body, &why);
    if (!bad) bad = snCheckPlacement("place", place, &why);
    if (snRefuse(&world->context, bad, &why)) return;
    snAffine at = affineOf(place);
    snBody_Put(world->bodies.data[body], &at);
    snWorld_Wake(world, body);
}

snStatus snWorld_Teleport(snWorld *world, int body, const snPlacement *motion, bool still,
                          snError *error)
{
    snStatus status = snWorld_CheckBody(world, body, error);
    if (!status) status = snCheckPlacement("motion", motion, error);
    if (status) return status;
    snAffine by = affineOf(motion);
    const snBody *b = world->bodies.data[body];
    snWorld_Carry(world, body, &by);
    for (int i = 0; i < world->bodies.count && still; i++)
        if (i == body || world->bodies.data[i]->over == b)
            snBody_SetVelocity(world->bodies.data[i], snVec(0, 0, 0), snVec(0, 0, 0));
    return SN_OK;
}

snStatus snWorld_SetPlace(snWorld *world, int body, const snPlacement *place, double felt,
                          snError *error)
{
    snStatus status = snWorld_CheckBody(world, body, error);
    if (!status) status = snCheckPlacement("place", place, error);
    if (!status) status = snCheckRange("felt", felt, 0, 1, error);
    if (status) return status;
    snAffine at = affineOf(place);
    if (snWorld_Go(world, body, &at, felt)) return SN_OK;
    return snFail(error, SN_ERROR_UNSUPPORTED,
                  "nothing leads %s; snWorld_Teleport and hands move it",
                  world->bodies.data[body]->name);
}

int snWorld_JointCount(const snWorld *world, int body)
{
    const snBody *b = snWorld_Body(world, body);
    return b && b->skeleton ? b->skeleton->jointCount : 0;
}

const char *snWorld_JointName(const snWorld *world, int body, int joint)
{
    snError why;
    int count = snWorld_JointCount(world, body);
    if (snRefuse(&world->context, snCheckIndex("joint", joint, count, &why), &why)) return "";
    return world->bodies.data[body]->skeleton->joints[joint].name;
}

snStatus snWorld_SetPose(snWorld *world, int body, const float *matrices, size_t stride,
                         snError *error)
{
    snStatus status = snWorld_CheckBody(world, body, error);
    if (status) return status;
    int joints = snWorld_JointCount(world, body);
    Owner *owner = ownerOf(world);
    if (!joints)
        return snFail(error, SN_ERROR_UNSUPPORTED, "%s is no character that is posed",
                      world->bodies.data[body]->name);
    status = snCheckMatrices("matrices", joints, matrices, stride, error);
    if (status) return status;
    for (int j = 0; j < joints; j++)
        owner->frames[j] = snReadMatrix(matrices, stride, j);
    snBody_Pose(world->bodies.data[body], joints, owner->frames);
    return SN_OK;
}

void snWorld_Throw(snWorld *world, int body, const double velocity[3], const double spin[3])
{
    snError why;
    snStatus bad = snWorld_CheckBody(world, body, &why);
    if (!bad) bad = snCheckNumbers("velocity", 3, velocity, &why);
    if (!bad) bad = snCheckNumbers("spin", 3, spin, &why);
    if (snRefuse(&world->context, bad, &why)) return;
    snBody_SetVelocity(world->bodies.data[body], snVectorOf(velocity), snVectorOf(spin));
    snWorld_Wake(world, body);
}

// ---- hands ------------------------------------------------------------------------------------------------------

snHandDef snDefaultHandDef(void)
{
    return (snHandDef){.frequency = 4};
}

// A spring with which the whole body swings at a frequency f, critically damped: k = m (2πf)², c = 2 m 2πf.
static snGrabDef grabOf(const snWorld *world, const snPick *pick, const snHandDef *def)
{
    snBodyMeasure measure;
    snBody_Measure(world->bodies.data[pick->body], &measure);
    double rate = 6.283185307179586 * def->frequency;
    return (snGrabDef){.body = pick->body,
                       .spot = pick->spot,
                       .hard = def->hard,
                       .stiffness = measure.mass * rate * rate,
                       .damping = 2 * measure.mass * rate};
}

static snStatus checkRay(const snWorld *world, const double *origin, const double *direction,
                         const snHand *hand, snError *error)
{
    snStatus status = snCheckPointer("world", world, error);
    if (!status) status = snCheckPointer("hand", hand, error);
    if (!status) status = snCheckNumbers("origin", 3, origin, error);
    if (!status) status = snCheckNumbers("direction", 3, direction, error);
    if (!status && direction[0] == 0 && direction[1] == 0 && direction[2] == 0)
        status = snFail(error, SN_ERROR_ARGUMENT, "direction is 0; a ray goes somewhere");
    return status;
}

snStatus snWorld_TakeRay(snWorld *world, const double origin[3], const double direction[3],
                         const snHandDef *def, snHand *hand, snError *error)
{
    snHandDef usual = snDefaultHandDef();
    if (!def) def = &usual;
    if (hand) *hand = (snHand){.grab = -1, .body = -1};
    snStatus status = checkRay(world, origin, direction, hand, error);
    if (status) return status;
    if (!(def->frequency > 0) || def->frequency > 1e6)
        return snFail(error, SN_ERROR_ARGUMENT, "a hand of %g Hz; it is above 0, up to 1e6",
                      def->frequency);
    snPick pick = snWorld_PickRay(world, snVectorOf(origin), snVectorOf(direction));
    if (pick.body == SN_WORLD_NOBODY) return SN_OK;
    hand->body = pick.body;
    hand->distance = pick.distance;
    writeVector(pick.place, hand->place);
    snGrabDef grab = grabOf(world, &pick, def);
    return snWorld_Grab(world, &grab, &hand->grab, error);
}

static bool isOpen(const snWorld *world, const snHand *hand)
{
    return !hand || snCheckIndex("grab", hand->grab, world->def.mostGrabs, NULL);
}

void snWorld_MoveHand(snWorld *world, const snHand *hand, const double place[3])
{
    snError why;
    if (isOpen(world, hand)) return;
    if (snRefuse(&world->context, snCheckNumbers("place", 3, place, &why), &why)) return;
    snWorld_MoveGrab(world, hand->grab, snVectorOf(place));
}

void snWorld_LetGo(snWorld *world, snHand *hand)
{
    if (!isOpen(world, hand)) snWorld_Release(world, hand->grab);
    if (hand) hand->grab = -1;
}

// ---- what acts on bodies --------------------------------------------------------------------------------------

void snWorld_SetPush(snWorld *world, const double acceleration[3])
{
    snError why;
    snStatus bad = snCheckNumbers("acceleration", 3, acceleration, &why);
    if (!snRefuse(&world->context, bad, &why)) world->push = snVectorOf(acceleration);
}

void snWorld_SwitchAll(snWorld *world, const char *attachments, bool on)
{
    for (int a = 0; a < world->attachments.count && attachments; a++)
        if (!strcmp(world->attachments.data[a].def.name, attachments)) snWorld_Switch(world, a, on);
}

int snWorld_ColliderCount(const snWorld *world)
{
    return world->colliders.count;
}

int snWorld_FindCollider(const snWorld *world, const char *name)
{
    for (int c = 0; c < world->colliders.count && name; c++)
        if (!strcmp(world->colliders.data[c].name, name)) return c;
    return -1;
}

void snWorld_LeadCollider(snWorld *world, int collider, const snPlacement *motion)
{
    snError why;
    snStatus bad = snCheckIndex("collider", collider, world->colliders.count, &why);
    if (!bad) bad = snCheckPlacement("motion", motion, &why);
    if (snRefuse(&world->context, bad, &why)) return;
    snAffine by = affineOf(motion);
    snWorld_Lead(world, collider, &by);
}

// ---- scripts --------------------------------------------------------------------------------------------------------

int snWorld_ScriptCount(const snWorld *world)
{
    const snControl *control = ownerOf(world)->stage.control;
    return control ? control->scriptCount : 0;
}

static bool isScript(const snWorld *world, int script)
{
    snError why;
    snStatus bad = snCheckIndex("script", script, snWorld_ScriptCount(world), &why);
    return !snRefuse(&world->context, bad, &why);
}

const char *snWorld_ScriptName(const snWorld *world, int script)
{
    return isScript(world, script) ? ownerOf(world)->stage.control->scripts[script].name : "";
}

snScriptPhase snWorld_ScriptState(const snWorld *world, int script)
{
    if (!isScript(world, script)) return SN_SCRIPT_FAILED;
    return (snScriptPhase)ownerOf(world)->stage.control->scriptStates[script].phase;
}

int64_t snWorld_EventCount(const snWorld *world)
{
    const snControl *control = ownerOf(world)->stage.control;
    return control ? *control->eventCount : 0;
}

bool snWorld_ReadEvent(const snWorld *world, int64_t number, snWorldEvent *event)
{
    const snControl *control = ownerOf(world)->stage.control;
    int64_t count = snWorld_EventCount(world);
    if (!event || number < 0 || number >= count || number < count - control->mostEvents)
        return false;
    const snControlEvent *e = &control->events[number % control->mostEvents];
    const snScript *script = &control->scripts[e->script];
    const char *goal = script->goals[e->goal].def.name;
    *event =
        (snWorldEvent){.script = script->name,
                       .goal = goal ? goal : "",
                       .failure = e->reason ? snGoalReason_Text((snGoalReason)e->reason) : NULL,
                       .begin = e->begin,
                       .end = e->end};
    return true;
}

// ---- reports --------------------------------------------------------------------------------------------------------

void snWorld_ReadReport(snWorld *world, int body, snWorldReport *report)
{
    snBody *b = snWorld_Body(world, body);
    snBodyMeasure m;
    if (!report) return;
    *report = (snWorldReport){0};
    if (!b) return;
    const snBodyTale *tale = &world->tales.data[body];
    snBody_Measure(b, &m);
    *report = (snWorldReport){.functions = tale->functions,
                              .failures = tale->failures,
                              .conflicts = tale->conflicts,
                              .dropped = tale->dropped,
                              .touching = tale->touching,
                              .deepest = tale->deepest,
                              .mass = m.mass,
                              .kinetic = m.kinetic,
                              .elastic = m.elastic,
                              .volume = m.volume};
    writeVector(m.center, report->center);
    writeVector(m.momentum, report->momentum);
}
