// The public face of worlds (include/sinew/world.h): a scene, the stage that is built from it, and its scripts behind
// the world's driver. snWorld itself is the world's own (world/world.h).
#include "api/crowd_parts.h"

#include "core/error.h"
#include "scene/scene.h"

#include <string.h>

// What a loaded world belongs to.
typedef struct Owner {
    snArena arena; // owns it
    snSceneFile scene;
    snStage stage;
    snVec3f *points, *normals; // [vertices of the largest body]
    snVec3 *controls;          // [controls of that with the most]
    snAffine *frames;          // [joints of that with the most]
    double *far;               // [bodies], m, from an eye
} Owner;

static Owner *ownerOf(const snWorld *world)
{
    return world->driver.user;
}

static snBody *bodyOf(const snWorld *world, int body)
{
    SN_ASSERT(body >= 0 && body < world->bodies.count);
    return world->bodies.data[body];
}

static snVec3 vectorOf(const double v[3])
{
    return snVec(v[0], v[1], v[2]);
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
        most = bodyOf(world, b)->vertexCount > most ? bodyOf(world, b)->vertexCount : most;
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
    snFileHook hook = files ? *files : (snFileHook){.open = NULL};
    snSceneSource source = {.read = hook.open ? readFile : NULL, .user = &hook};
    snArena arena = snMakeArena(context);
    Owner *owner = SN_NEW(&arena, Owner, 1);
    *out = NULL;
    if (!owner) return snFailMemory(error);
    owner->arena = arena;
    snStatus status = snSceneFile_Read(&owner->scene, scene, size, &source, context, error);
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
    return bodyOf(world, body)->name;
}

int snWorld_VertexCount(const snWorld *world, int body)
{
    return bodyOf(world, body)->vertexCount;
}

int snWorld_TriangleCount(const snWorld *world, int body)
{
    return bodyOf(world, body)->triangleCount;
}

void snWorld_ReadTriangles(const snWorld *world, int body, int *indices)
{
    const snBody *b = bodyOf(world, body);
    if (b->triangleCount) memcpy(indices, b->triangles, (size_t)b->triangleCount * 3 * sizeof(int));
}

static void writeVertices(const snVec3f *from, int count, float *out, size_t stride)
{
    for (int v = 0; v < count; v++)
        memcpy((char *)out + (size_t)v * (stride ? stride : sizeof *from), &from[v], sizeof *from);
}

void snWorld_ReadSurface(snWorld *world, int body, const snSurfaceBuffer *surface)
{
    const snBody *b = bodyOf(world, body);
    Owner *owner = ownerOf(world);
    snBody_Surface(b, owner->points, surface->normals ? owner->normals : NULL);
    writeVertices(owner->points, b->vertexCount, surface->positions, surface->positionStride);
    if (surface->normals)
        writeVertices(owner->normals, b->vertexCount, surface->normals, surface->normalStride);
}

// ---- surfaces carried elsewhere, detail -------------------------------------------------------------------------

static int rowOf(const snBodyRows *rows, int vertex, int *first)
{
    *first = rows->width ? vertex * rows->width : rows->start[vertex];
    return rows->width ? rows->width : rows->start[vertex + 1] - *first;
}

int snWorld_EmbeddingWidth(const snWorld *world, int body)
{
    const snBody *b = bodyOf(world, body);
    snBodyRows rows;
    int most = 0, first;
    if (!snBody_Rows(b, &rows)) return 0;
    for (int v = 0; v < b->vertexCount; v++) {
        int count = rowOf(&rows, v, &first);
        most = count > most ? count : most;
    }
    return most;
}

int snWorld_ControlCount(const snWorld *world, int body)
{
    snBodyRows rows;
    snBody_Rows(bodyOf(world, body), &rows);
    return rows.controlCount;
}

void snWorld_ReadEmbedding(const snWorld *world, int body, int *controls, float *weights)
{
    const snBody *b = bodyOf(world, body);
    int width = snWorld_EmbeddingWidth(world, body), first;
    snBodyRows rows;
    if (!snBody_Rows(b, &rows)) return;
    for (int v = 0; v < b->vertexCount; v++) {
        int count = rowOf(&rows, v, &first);
        for (int k = 0; k < width; k++) {
            *controls++ = k < count ? rows.index[first + k] : 0;
            *weights++ = k < count ? (float)rows.weight[first + k] : 0;
        }
    }
}

void snWorld_ReadControls(snWorld *world, int body, float *places, size_t stride)
{
    Owner *owner = ownerOf(world);
    int count = snWorld_ControlCount(world, body);
    if (!count) return;
    snBody_Controls(bodyOf(world, body), owner->controls);
    for (int i = 0; i < count; i++) {
        snVec3f place = snToF(owner->controls[i]);
        memcpy((char *)places + (size_t)i * (stride ? stride : sizeof place), &place, sizeof place);
    }
}

// Nearer ones, and of equally near ones those with lower numbers.
static int countNearer(const snWorld *world, int body)
{
    const double *far = ownerOf(world)->far;
    int count = 0;
    for (int k = 0; k < world->bodies.count; k++)
        count += world->bodies.data[k]->levelCount > 1 &&
                 (far[k] < far[body] || (far[k] == far[body] && k < body));
    return count;
}

void snWorld_ChooseDetail(snWorld *world, const double eye[3], const snDetailRange *range)
{
    double *far = ownerOf(world)->far;
    for (int i = 0; i < world->bodies.count; i++) {
        snBodyMeasure m;
        if (world->bodies.data[i]->levelCount < 2) continue;
        snBody_Motion(world->bodies.data[i], &m);
        far[i] = snDistance(m.center, vectorOf(eye));
        if (!(far[i] >= 0)) far[i] = INFINITY; // nothing is farther than what is nowhere
    }
    for (int i = 0; i < world->bodies.count; i++) {
        int coarsest = world->bodies.data[i]->levelCount - 1;
        if (coarsest < 1) continue;
        int level = far[i] <= range->full ? 0 : far[i] <= range->half ? 1 : coarsest;
        snWorld_SetBodyLevel(world, i, countNearer(world, i) < range->most ? level : coarsest);
    }
}

int snWorld_BodyLevelCount(const snWorld *world, int body)
{
    int count = bodyOf(world, body)->levelCount;
    return count > 1 ? count : 1;
}

void snWorld_Put(snWorld *world, int body, const snPlacement *place)
{
    snAffine at = affineOf(place);
    snBody_Put(bodyOf(world, body), &at);
    snWorld_Wake(world, body);
}

snStatus snWorld_Teleport(snWorld *world, int body, const snPlacement *motion, bool still,
                          snError *error)
{
    snAffine by = affineOf(motion);
    snBody *b = bodyOf(world, body);
    if (!snWorld_Carry(world, body, &by))
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "%s cannot be carried as it is; snWorld_Put puts it there at rest", b->name);
    for (int i = 0; i < world->bodies.count && still; i++)
        if (i == body || world->bodies.data[i]->over == b)
            snBody_SetVelocity(world->bodies.data[i], snVec(0, 0, 0), snVec(0, 0, 0));
    return SN_OK;
}

snStatus snWorld_SetPlace(snWorld *world, int body, const snPlacement *place, double felt,
                          snError *error)
{
    snAffine at = affineOf(place);
    if (!(felt >= 0 && felt <= 1))
        return snFail(error, SN_ERROR_ARGUMENT, "a share of %g is felt; it is 0 to 1", felt);
    if (snWorld_Go(world, body, &at, felt)) return SN_OK;
    return snFail(error, SN_ERROR_UNSUPPORTED,
                  "nothing leads %s; snWorld_Teleport and hands move it",
                  bodyOf(world, body)->name);
}

int snWorld_JointCount(const snWorld *world, int body)
{
    const snSkeleton *skeleton = bodyOf(world, body)->skeleton;
    return skeleton ? skeleton->jointCount : 0;
}

const char *snWorld_JointName(const snWorld *world, int body, int joint)
{
    SN_ASSERT(joint >= 0 && joint < snWorld_JointCount(world, body));
    return bodyOf(world, body)->skeleton->joints[joint].name;
}

snStatus snWorld_SetPose(snWorld *world, int body, const float *matrices, size_t stride,
                         snError *error)
{
    int joints = snWorld_JointCount(world, body);
    Owner *owner = ownerOf(world);
    if (!joints)
        return snFail(error, SN_ERROR_UNSUPPORTED, "%s is no character that is posed",
                      bodyOf(world, body)->name);
    for (int j = 0; j < joints; j++)
        owner->frames[j] = snReadMatrix(matrices, stride, j);
    snBody_Pose(bodyOf(world, body), joints, owner->frames);
    return SN_OK;
}

void snWorld_Throw(snWorld *world, int body, const double velocity[3], const double spin[3])
{
    snBody_SetVelocity(bodyOf(world, body), vectorOf(velocity), vectorOf(spin));
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
    snBody_Measure(bodyOf(world, pick->body), &measure);
    double rate = 6.283185307179586 * def->frequency;
    return (snGrabDef){.body = pick->body,
                       .spot = pick->spot,
                       .hard = def->hard,
                       .stiffness = measure.mass * rate * rate,
                       .damping = 2 * measure.mass * rate};
}

snStatus snWorld_TakeRay(snWorld *world, const double origin[3], const double direction[3],
                         const snHandDef *def, snHand *hand, snError *error)
{
    snHandDef usual = snDefaultHandDef();
    if (!def) def = &usual;
    *hand = (snHand){.grab = -1, .body = -1};
    if (!(def->frequency > 0) || def->frequency > 1e6)
        return snFail(error, SN_ERROR_ARGUMENT, "a hand of %g Hz; it is above 0", def->frequency);
    snPick pick = snWorld_PickRay(world, vectorOf(origin), vectorOf(direction));
    if (pick.body == SN_WORLD_NOBODY) return SN_OK;
    hand->body = pick.body;
    hand->distance = pick.distance;
    writeVector(pick.place, hand->place);
    snGrabDef grab = grabOf(world, &pick, def);
    return snWorld_Grab(world, &grab, &hand->grab, error);
}

void snWorld_MoveHand(snWorld *world, const snHand *hand, const double place[3])
{
    if (hand->grab >= 0) snWorld_MoveGrab(world, hand->grab, vectorOf(place));
}

void snWorld_LetGo(snWorld *world, snHand *hand)
{
    if (hand->grab >= 0) snWorld_Release(world, hand->grab);
    hand->grab = -1;
}

// ---- what acts on bodies --------------------------------------------------------------------------------------

void snWorld_SetPush(snWorld *world, const double acceleration[3])
{
    world->push = vectorOf(acceleration);
}

void snWorld_SwitchAll(snWorld *world, const char *attachments, bool on)
{
    for (int a = 0; a < world->attachments.count; a++)
        if (!strcmp(world->attachments.data[a].def.name, attachments)) snWorld_Switch(world, a, on);
}

int snWorld_ColliderCount(const snWorld *world)
{
    return world->colliders.count;
}

int snWorld_FindCollider(const snWorld *world, const char *name)
{
    for (int c = 0; c < world->colliders.count; c++)
        if (!strcmp(world->colliders.data[c].name, name)) return c;
    return -1;
}

void snWorld_LeadCollider(snWorld *world, int collider, const snPlacement *motion)
{
    SN_ASSERT(collider >= 0 && collider < world->colliders.count);
    snAffine by = affineOf(motion);
    snWorld_Lead(world, collider, &by);
}

// ---- scripts --------------------------------------------------------------------------------------------------------

int snWorld_ScriptCount(const snWorld *world)
{
    const snControl *control = ownerOf(world)->stage.control;
    return control ? control->scriptCount : 0;
}

const char *snWorld_ScriptName(const snWorld *world, int script)
{
    SN_ASSERT(script >= 0 && script < snWorld_ScriptCount(world));
    return ownerOf(world)->stage.control->scripts[script].name;
}

snScriptPhase snWorld_ScriptState(const snWorld *world, int script)
{
    SN_ASSERT(script >= 0 && script < snWorld_ScriptCount(world));
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
    if (number < 0 || number >= count || number < count - control->mostEvents) return false;
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
    const snBodyTale *tale = &world->tales.data[body];
    snBodyMeasure m;
    snBody_Measure(bodyOf(world, body), &m);
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
