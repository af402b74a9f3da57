// Whatever a program hands to the public functions: what is not finite, out of range, of no such number or NULL is refused, with a message, and
// changes nothing. Every row of the tables is a call with good numbers; each of these is replaced by each bad one in turn.
#include "tests/test.h"

#include "core/hash.h"
#include "tests/api/posed.h"

#include <limits.h>
#include <math.h>

static snContext context;
static snCharacter *calf;
static snWorld *world;
static snCrowd *crowd;
static snActor *actor;
static int warnings;

static void countWarnings(void *user, snLogLevel level, const char *line)
{
    (void)user;
    warnings += level == SN_LOG_WARNING && *line != 0;
}

// Everything that calls may change.
static uint64_t hashAll(void)
{
    uint64_t hash = snWorld_Hash(world);
    size_t size = snCrowd_StateSize(crowd), own = snActor_StateSize(actor);
    unsigned char *state = malloc(size + own);
    snCrowd_Save(crowd, state);
    snActor_Save(actor, state + size);
    hash = snHash(hash, state, size + own);
    free(state);
    return hash;
}

static snPlacement placeOf(const double *n)
{
    snPlacement place;
    memcpy(place.position, n, sizeof place.position);
    memcpy(place.rotation, n + 3, sizeof place.rotation);
    return place;
}

// ---- numbers --------------------------------------------------------------------------------------------

typedef snStatus Call(const double *n, snError *error);
typedef struct Row {
    const char *name;
    Call *call;
    int count;
    double good[9];
    bool quiet; // a function without a status
    bool vast;  // infinite numbers are allowed; NaN is not
} Row;

static snStatus teleport(const double *n, snError *error)
{
    snPlacement place = placeOf(n);
    return snWorld_Teleport(world, 2, &place, false, error);
}

static snStatus setPlace(const double *n, snError *error)
{
    snPlacement place = placeOf(n);
    return snWorld_SetPlace(world, 0, &place, n[7], error);
}

static snStatus setPose(const double *n, snError *error)
{
    int joints = snWorld_JointCount(world, 0);
    float *matrices = calloc((size_t)joints * 16, sizeof(float));
    for (int k = 0; k < 16 * joints; k++)
        matrices[k] = k % 5 == 0;
    for (int k = 0; k < 9; k++) // of the last joint, where no loop is too short to see it
        matrices[16 * (joints - 1) + k + k / 3] = (float)n[k];
    snStatus status = snWorld_SetPose(world, 0, matrices, 0, error);
    free(matrices);
    return status;
}

static snStatus takeRay(const double *n, snError *error)
{
    snHandDef def = {.frequency = n[6]};
    snHand hand;
    snStatus status = snWorld_TakeRay(world, n, n + 3, &def, &hand, error);
    CHECK(hand.grab == -1);
    return status;
}

static snFieldDef fieldOf(const double *n)
{
    snFieldDef def = snDefaultFieldDef();
    def.kind = SN_FIELD_RADIAL;
    memcpy(def.value, n, sizeof def.value);
    memcpy(def.center, n + 3, sizeof def.center);
    def.strength = n[6];
    def.radius = n[7];
    def.from = n[8];
    return def;
}

static snStatus addField(const double *n, snError *error)
{
    snFieldDef def = fieldOf(n);
    int number;
    snStatus status = snWorld_AddField(world, &def, &number, error);
    CHECK(status == SN_OK || number == -1);
    return status;
}

static snStatus setField(const double *n, snError *error)
{
    snFieldDef def = fieldOf(n);
    return snWorld_SetField(world, 0, &def, error);
}

static snStatus put(const double *n, snError *error)
{
    snPlacement place = placeOf(n);
    (void)error;
    snWorld_Put(world, 2, &place);
    return SN_OK;
}

static snStatus throwBody(const double *n, snError *error)
{
    (void)error;
    snWorld_Throw(world, 2, n, n + 3);
    return SN_OK;
}

static snStatus push(const double *n, snError *error)
{
    (void)error;
    snWorld_SetPush(world, n);
    return SN_OK;
}

static snStatus lead(const double *n, snError *error)
{
    snPlacement place = placeOf(n);
    (void)error;
    snWorld_LeadCollider(world, 0, &place);
    return SN_OK;
}

static snStatus chooseDetail(const double *n, snError *error)
{
    snDetailRange range = {n[3], n[4], 2};
    (void)error;
    snWorld_ChooseDetail(world, n, &range);
    return SN_OK;
}

static snStatus chooseCrowd(const double *n, snError *error)
{
    snDetailRange range = {n[3], n[4], 2};
    (void)error;
    snCrowd_ChooseDetail(crowd, n, &range);
    return SN_OK;
}

static snStatus play(const double *n, snError *error)
{
    (void)error;
    snCrowd_Play(crowd, 1, 0, n[0], n[1]);
    return SN_OK;
}

static snStatus crowdPlace(const double *n, snError *error)
{
    snPlacement place = placeOf(n);
    (void)error;
    snCrowd_SetPlace(crowd, 1, &place);
    return SN_OK;
}

static snStatus crowdTeleport(const double *n, snError *error)
{
    snPlacement place = placeOf(n);
    (void)error;
    snCrowd_Teleport(crowd, 1, &place);
    return SN_OK;
}

static snStatus rootMotion(const double *n, snError *error)
{
    (void)error;
    snCrowd_SetRootMotion(crowd, 1, n[0]);
    return SN_OK;
}

static snStatus crowdField(const double *n, snError *error)
{
    snForceField field = {.wind = {n[0], n[1], n[2]}, .drag = n[3]};
    (void)error;
    snCrowd_SetField(crowd, &field);
    return SN_OK;
}

static const Row rows[] = {
    {"snWorld_Teleport", teleport, 7, {0, 0, 0, 0, 0, 0, 1}, false, false},
    {"snWorld_SetPlace", setPlace, 8, {0, 0, 0, 0, 0, 0, 1, 0.5}, false, false},
    {"snWorld_SetPose", setPose, 9, {1, 0, 0, 0, 1, 0, 0, 0, 1}, false, false},
    {"snWorld_TakeRay", takeRay, 7, {0, 50, 0, 0, 1, 0, 4}, false, false},
    {"snWorld_AddField", addField, 8, {0, 0, 0, 0, 0, 0, 0, 1, 0}, false, false},
    {"snWorld_SetField", setField, 8, {0, 0, 0, 0, 0, 0, 0, 1, 0}, false, false},
    {"snWorld_Put", put, 7, {0, 1, 0, 0, 0, 0, 1}, true, false},
    {"snWorld_Throw", throwBody, 6, {1, 0, 0, 0, 1, 0}, true, false},
    {"snWorld_SetPush", push, 3, {0, 0, 0}, true, false},
    {"snWorld_LeadCollider", lead, 7, {0, 0, 0, 0, 0, 0, 1}, true, false},
    {"snWorld_ChooseDetail", chooseDetail, 3, {0, 0, 0, 100, 200}, true, false},
    {"snWorld_ChooseDetail, range", chooseDetail, 5, {0, 0, 0, 100, 200}, true, true},
    {"snCrowd_ChooseDetail", chooseCrowd, 3, {0, 0, 0, 100, 200}, true, false},
    {"snCrowd_ChooseDetail, range", chooseCrowd, 5, {0, 0, 0, 100, 200}, true, true},
    {"snCrowd_Play", play, 2, {0.1, 1}, true, false},
    {"snCrowd_SetPlace", crowdPlace, 7, {1, 0, 0, 0, 0, 0, 1}, true, false},
    {"snCrowd_Teleport", crowdTeleport, 7, {1, 0, 0, 0, 0, 0, 1}, true, false},
    {"snCrowd_SetRootMotion", rootMotion, 1, {0.5}, true, false},
    {"snCrowd_SetField", crowdField, 4, {0, 0, 0, 0}, true, false},
};

static void numbersAreChecked(void)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const Row *row = &rows[r];
        snError error = {0};
        CHECK(row->call(row->good, &error) == SN_OK); // and so it is refused for the bad one alone
        uint64_t before = hashAll();
        for (int k = 0; k < row->count; k++)
            for (int b = 0; b < (row->vast ? 1 : 3); b++) {
                double n[9];
                int heard = warnings;
                memcpy(n, row->good, sizeof n);
                n[k] = bad[b];
                error = (snError){0};
                snStatus status = row->call(n, &error);
                bool told = row->quiet ? warnings > heard
                                       : status == SN_ERROR_ARGUMENT && error.code == status &&
                                             *error.message;
                if (!CHECK(told && hashAll() == before))
                    printf("  %s, number %d, %g: %s\n", row->name, k, bad[b], error.message);
            }
    }
}

// ---- numbers of things, and NULL --------------------------------------------------------------------------

#define REFUSED(call)                                                                              \
    do {                                                                                           \
        uint64_t before = hashAll();                                                               \
        error = (snError){0};                                                                      \
        CHECK((call) == SN_ERROR_ARGUMENT && *error.message);                                      \
        CHECK(hashAll() == before);                                                                \
    } while (0)

#define LEFT_ALONE(call)                                                                           \
    do {                                                                                           \
        uint64_t before = hashAll();                                                               \
        call;                                                                                      \
        CHECK(hashAll() == before);                                                                \
    } while (0)

static const snPlacement origin = {{0, 0, 0}, {0, 0, 0, 1}};
static const double zero[3] = {0, 0, 0}, ahead[3] = {0, 0, -1};

static void bodiesThatAreNotThere(void)
{
    const int none[] = {-1, 4, INT_MAX, INT_MIN};
    float floats[16] = {0};
    int ints[4];
    snError error;
    snWorldReport report;
    snSurfaceBuffer buffer = {.positions = floats};
    for (int k = 0; k < 4; k++) {
        int b = none[k];
        REFUSED(snWorld_Teleport(world, b, &origin, true, &error));
        REFUSED(snWorld_SetPlace(world, b, &origin, 1, &error));
        REFUSED(snWorld_SetPose(world, b, floats, 0, &error));
        LEFT_ALONE(snWorld_Put(world, b, &origin));
        LEFT_ALONE(snWorld_Throw(world, b, zero, zero));
        LEFT_ALONE(snWorld_SetBodyLevel(world, b, 1));
        LEFT_ALONE(snWorld_SetBodyLevel(world, 0, -1));
        LEFT_ALONE(snWorld_ReadSurface(world, b, &buffer));
        LEFT_ALONE(snWorld_ReadTriangles(world, b, ints));
        LEFT_ALONE(snWorld_ReadEmbedding(world, b, ints, floats));
        LEFT_ALONE(snWorld_ReadControls(world, b, floats, 0));
        CHECK(!*snWorld_BodyName(world, b) && !snWorld_Sleeps(world, b));
        CHECK(snWorld_VertexCount(world, b) == 0 && snWorld_TriangleCount(world, b) == 0);
        CHECK(snWorld_EmbeddingWidth(world, b) == 0 && snWorld_ControlCount(world, b) == 0);
        CHECK(snWorld_BodyLevelCount(world, b) == 1 && snWorld_JointCount(world, b) == 0);
        CHECK(!*snWorld_JointName(world, b, 0) && !*snWorld_JointName(world, 0, b < 0 ? b : 9999));
        report.mass = 1;
        snWorld_ReadReport(world, b, &report);
        CHECK(report.mass == 0);
        CHECK(!*snWorld_ScriptName(world, b) && snWorld_ScriptState(world, b) == SN_SCRIPT_FAILED);
        LEFT_ALONE(snWorld_LeadCollider(world, b, &origin));
        REFUSED(snWorld_SetField(world, k == 1 ? 99 : b, &(snFieldDef){.air = true}, &error));
    }
}

static void membersThatAreNotThere(void)
{
    const int none[] = {-1, 2, INT_MAX, INT_MIN};
    float floats[16] = {0};
    snSurfaceBuffer buffer = {.positions = floats}, crooked = {.positions = floats, 13, NULL, 0, 0};
    for (int k = 0; k < 4; k++) {
        int m = none[k];
        LEFT_ALONE(snCrowd_Play(crowd, m, 0, 0, 1));
        LEFT_ALONE(snCrowd_SetPose(crowd, m, floats, 0));
        LEFT_ALONE(snCrowd_SetPlace(crowd, m, &origin));
        LEFT_ALONE(snCrowd_Teleport(crowd, m, &origin));
        LEFT_ALONE(snCrowd_SetRootMotion(crowd, m, 1));
        LEFT_ALONE(snCrowd_Start(crowd, m));
        LEFT_ALONE(snCrowd_SetDetail(crowd, m, SN_DETAIL_RIG));
        LEFT_ALONE(snCrowd_ReadSurface(crowd, m, &buffer));
        LEFT_ALONE(snCrowd_ReadLattice(crowd, m, floats, 0));
        CHECK(snCrowd_Offset(crowd, m) == 0 && snCrowd_Hash(crowd, m) == 0);
    }
    LEFT_ALONE(snCrowd_SetDetail(crowd, 0, (snDetailLevel)3));
    LEFT_ALONE(CHECK(snCrowd_Step(crowd, -1, NULL) == 0));
    LEFT_ALONE(CHECK(snCrowd_Step(crowd, 1, &crooked) == 0));
    LEFT_ALONE(snCrowd_ReadSurface(crowd, 0, &crooked));
    LEFT_ALONE(CHECK(!snActor_Step(actor, 0, NAN)));
    LEFT_ALONE(snActor_Start(actor, 0, INFINITY));
    CHECK(!*snCharacter_JointName(calf, -1) && !*snCharacter_JointName(calf, 9999));
    CHECK(snCharacter_JointParent(calf, 9999) == -1 && snCharacter_ClipDuration(calf, -1) == 0);
    CHECK(!*snCharacter_ClipName(calf, 9999) && snStatus_Name((snStatus)99) != NULL);
}

static void nothingInItsPlace(void)
{
    snError error;
    snWorld *made;
    snCharacter *loaded;
    snCrowd *some;
    snActor *one;
    snHand hand = {.grab = -1};
    snSceneDef scene = snDefaultSceneDef();
    snCrowdDef crowdDef = snDefaultCrowdDef();
    snActorDef actorDef = snDefaultActorDef();
    snContext bare = {.tasks = {.workers = 1}}, idle = context;
    char *text;
    size_t size;
    int number;
    idle.tasks = (snTasks){.run = (void (*)(void *, int, int, snTaskFcn *, void *))abort};
    REFUSED(snWorld_Load(NULL, "{}", 2, NULL, &context, &error));
    REFUSED(snWorld_Load(&made, NULL, 2, NULL, &context, &error));
    REFUSED(snWorld_Load(&made, "{}", 2, NULL, NULL, &error));
    REFUSED(snWorld_Load(&made, "{}", 2, NULL, &bare, &error));
    REFUSED(snWorld_Load(&made, "{}", 2, NULL, &idle, &error));
    REFUSED(snWorld_Build(NULL, &scene, NULL, &context, &error));
    REFUSED(snWorld_Build(&made, NULL, NULL, &context, &error));
    REFUSED(snWorld_Build(&made, &scene, NULL, NULL, &error));
    REFUSED(snWorld_WriteScene(&scene, NULL, &size, &context, &error));
    REFUSED(snWorld_WriteScene(&scene, &text, NULL, &context, &error));
    REFUSED(snWorld_WriteScene(NULL, &text, &size, &context, &error));
    REFUSED(snCharacter_Load(NULL, "a", 1, &context, &error));
    REFUSED(snCharacter_Load(&loaded, NULL, 1, &context, &error));
    REFUSED(snCharacter_Load(&loaded, "a", 1, NULL, &error));
    REFUSED(snCrowd_Make(NULL, calf, &crowdDef, &context, &error));
    REFUSED(snCrowd_Make(&some, NULL, &crowdDef, &context, &error));
    REFUSED(snCrowd_Make(&some, calf, NULL, &context, &error));
    REFUSED(snCrowd_Make(&some, calf, &crowdDef, NULL, &error));
    REFUSED(snActor_Make(NULL, calf, &actorDef, &context, &error));
    REFUSED(snActor_Make(&one, NULL, &actorDef, &context, &error));
    REFUSED(snActor_Make(&one, calf, NULL, &context, &error));
    REFUSED(snWorld_Teleport(NULL, 0, &origin, true, &error));
    REFUSED(snWorld_Teleport(world, 2, NULL, true, &error));
    REFUSED(snWorld_SetPlace(world, 0, NULL, 1, &error));
    REFUSED(snWorld_SetPlace(world, 0, &origin, 1.5, &error));
    REFUSED(snWorld_SetPose(world, 0, NULL, 0, &error));
    REFUSED(snWorld_TakeRay(world, NULL, ahead, NULL, &hand, &error));
    REFUSED(snWorld_TakeRay(world, zero, NULL, NULL, &hand, &error));
    REFUSED(snWorld_TakeRay(world, zero, zero, NULL, &hand, &error));
    REFUSED(snWorld_TakeRay(world, zero, ahead, NULL, NULL, &error));
    REFUSED(snWorld_AddField(world, NULL, &number, &error));
    REFUSED(snWorld_AddField(world, &(snFieldDef){.air = true}, NULL, &error));
    REFUSED(snWorld_AddField(world, &(snFieldDef){.kind = (snFieldKind)4}, &number, &error));
    REFUSED(snWorld_SetField(world, 0, NULL, &error));
    REFUSED(snWorld_Restore(world, NULL, snWorld_SaveSize(world), &error));
    LEFT_ALONE(snWorld_Put(world, 2, NULL));
    LEFT_ALONE(snWorld_Throw(world, 2, NULL, zero));
    LEFT_ALONE(snWorld_SetPush(world, NULL));
    LEFT_ALONE(snWorld_LeadCollider(world, 0, NULL));
    LEFT_ALONE(snWorld_MoveHand(world, &hand, zero));
    LEFT_ALONE(snWorld_MoveHand(world, &(snHand){.grab = 99}, zero));
    LEFT_ALONE(snWorld_LetGo(world, &(snHand){.grab = 99}));
    LEFT_ALONE(snWorld_LetGo(world, NULL));
    LEFT_ALONE(snWorld_SwitchAll(world, NULL, true));
    LEFT_ALONE(snWorld_ReadSurface(world, 0, NULL));
    LEFT_ALONE(snWorld_ReadTriangles(world, 0, NULL));
    LEFT_ALONE(snWorld_ReadReport(world, 0, NULL));
    LEFT_ALONE(snWorld_ChooseDetail(world, zero, NULL));
    LEFT_ALONE(snWorld_Save(world, NULL));
    LEFT_ALONE(snCrowd_SetPlace(crowd, 0, NULL));
    LEFT_ALONE(snCrowd_Teleport(crowd, 0, NULL));
    LEFT_ALONE(snCrowd_SetPose(crowd, 0, NULL, 0));
    LEFT_ALONE(snCrowd_ChooseDetail(crowd, NULL, NULL));
    LEFT_ALONE(snCrowd_ReadSurface(crowd, 0, NULL));
    LEFT_ALONE(snCrowd_ReadEmbedding(crowd, NULL, NULL));
    LEFT_ALONE(snCrowd_ReadLattice(crowd, 0, NULL, 0));
    LEFT_ALONE(snCrowd_Save(crowd, NULL));
    LEFT_ALONE(CHECK(snCrowd_Restore(crowd, NULL, 0, NULL) == SN_ERROR_ARGUMENT));
    LEFT_ALONE(CHECK(!snActor_StepPose(actor, NULL, 0)));
    LEFT_ALONE(snActor_ReadPositions(actor, NULL, 0));
    CHECK(snWorld_FindBody(world, NULL) == -1 && snWorld_FindCollider(world, NULL) == -1);
    CHECK(snCharacter_FindClip(calf, NULL) == -1 && snCharacter_FindJoint(calf, NULL) == -1);
    snCharacter_ReadTriangles(calf, NULL);
}

// ---- definitions ----------------------------------------------------------------------------------------------

static snSceneDef scene;
static snBodyDef body;
static snColliderDef collider;
static snHoldDef hold;
static snFieldDef field;
static snActorDef actorDef;

static void resetDefs(void)
{
    scene = snDefaultSceneDef();
    body = snDefaultBodyDef();
    collider = snDefaultColliderDef();
    hold = snDefaultHoldDef();
    field = snDefaultFieldDef();
    actorDef = snDefaultActorDef();
    scene.bodies = &body, scene.bodyCount = 1;
    scene.colliders = &collider, scene.colliderCount = 1;
    scene.holds = &hold, scene.holdCount = 1;
    scene.fields = &field, scene.fieldCount = 1;
}

static void definitionsAreChecked(void)
{
    static double *const numbers[] = {&scene.step,
                                      &scene.gravity[1],
                                      &scene.still,
                                      &scene.stillFor,
                                      &scene.airDensity,
                                      &body.shape.size[2],
                                      &body.shape.radius,
                                      &body.young,
                                      &body.poisson,
                                      &body.density,
                                      &body.damping,
                                      &body.friction,
                                      &body.restitution,
                                      &body.place.position[1],
                                      &body.place.rotation[3],
                                      &body.velocity[0],
                                      &body.spin[2],
                                      &body.height,
                                      &collider.shape.height,
                                      &collider.friction,
                                      &collider.restitution,
                                      &collider.place.position[0],
                                      &hold.point[0],
                                      &hold.at[1],
                                      &hold.otherPoint[2],
                                      &hold.stiffness,
                                      &hold.damping,
                                      &hold.from,
                                      &hold.to,
                                      &field.value[0],
                                      &field.strength,
                                      &field.center[1],
                                      &field.radius,
                                      &field.scale,
                                      &field.period,
                                      &field.from,
                                      &field.to};
    snError error = {0};
    char *text;
    size_t size;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        resetDefs();
        *numbers[k] = NAN;
        error = (snError){0};
        snStatus status = snWorld_WriteScene(&scene, &text, &size, &context, &error);
        if (!CHECK(status == SN_ERROR_ARGUMENT && !text && strstr(error.message, "nan")))
            printf("  number %zu: %s\n", k, error.message);
    }
    static double *const flesh[] = {&actorDef.spacing, &actorDef.wobble,    &actorDef.damping,
                                    &actorDef.step,    &actorDef.amplitude, &actorDef.gravityChange,
                                    &actorDef.gravity};
    for (size_t k = 0; k < sizeof flesh / sizeof *flesh; k++) {
        snActor *one;
        resetDefs();
        *flesh[k] = NAN;
        if (!CHECK(snActor_Make(&one, calf, &actorDef, &context, &error) == SN_ERROR_ARGUMENT))
            printf("  number %zu of an actor\n", k);
        CHECK(!one);
    }
}

static void kindsAreChecked(void)
{
    static const float corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, NAN};
    static const int faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 4};
    snError error = {0};
    char *text;
    size_t size;
    snActor *one;
    for (int k = 0; k < 17; k++) {
        resetDefs();
        if (k == 0) body.model = (snBodyModel)6;
        if (k == 1) body.shape.kind = (snFormKind)-1;
        if (k == 2) body.shape.kind = SN_FORM_FLOOR;
        if (k == 3) collider.shape.kind = (snFormKind)17;
        if (k == 4) collider.shape.kind = SN_FORM_CYLINDER;
        if (k == 5) field.kind = (snFieldKind)4;
        if (k == 6) hold.body = 1;
        if (k == 7) hold.other = 5;
        if (k == 8) scene.bodyCount = -1;
        if (k == 9) scene.fields = NULL;
        if (k == 10) body.cells = 0;
        if (k == 11) body.restitution = 2;
        if (k == 12) hold.to = -1;
        if (k >= 13)
            body.shape = (snFormDef){.kind = SN_FORM_MESH,
                                     .vertexCount = k == 13   ? -1
                                                    : k == 16 ? 3
                                                              : 4,
                                     .triangleCount = 4,
                                     .positions = k == 14 ? NULL : corners,
                                     .triangles = faces};
        error = (snError){0};
        if (!CHECK(snWorld_WriteScene(&scene, &text, &size, &context, &error) ==
                       SN_ERROR_ARGUMENT &&
                   *error.message))
            printf("  kind %d\n", k);
    }
    for (int k = 0; k < 10; k++) {
        resetDefs();
        if (k == 0) actorDef.motion = (snMotion)2;
        if (k == 1) actorDef.material = (snMaterial)-1;
        if (k == 2) actorDef.solver = (snSolver)9;
        if (k == 3) actorDef.method = (snLinearMethod)2;
        if (k == 4) actorDef.matrix = (snMatrix)3;
        if (k == 5) actorDef.precision = (snPrecision)3;
        if (k == 6) actorDef.cells = 19;
        if (k == 7) actorDef.details = 4;
        if (k == 8) actorDef.iterations = -1;
        if (k == 9) actorDef.spacing = -1;
        if (!CHECK(snActor_Make(&one, calf, &actorDef, &context, &error) == SN_ERROR_ARGUMENT))
            printf("  kind %d of an actor\n", k);
    }
}

// What a field is where it cannot be told: nothing.
static void fieldsAnywhere(void)
{
    snFieldDef def = snDefaultFieldDef();
    double value[3] = {1, 1, 1}, place[3] = {0, NAN, 0};
    def.value[0] = 3;
    snFieldDef_Value(&def, 1, zero, value);
    CHECK(value[0] == 3 && value[1] == 0);
    snFieldDef_Value(&def, 1, place, value);
    CHECK(value[0] == 0 && value[1] == 0);
    snFieldDef_Value(&def, NAN, zero, value);
    CHECK(value[0] == 0);
    def.kind = (snFieldKind)7;
    snFieldDef_Value(&def, 1, zero, value);
    CHECK(value[0] == 0);
}

int main(void)
{
    snError error = {0};
    snCrowdDef crowdDef = snDefaultCrowdDef();
    context = snDefaultContext();
    context.log.write = countWarnings;
    calf = makeCalf(&context);
    world = makePosedWorld(&context);
    crowdDef.members = 2;
    crowdDef.actor.cells = 60;
    if (snCrowd_Make(&crowd, calf, &crowdDef, &context, &error) ||
        snActor_Make(&actor, calf, &crowdDef.actor, &context, &error))
        failLoudly(&error);
    RUN(numbersAreChecked);
    RUN(bodiesThatAreNotThere);
    RUN(membersThatAreNotThere);
    RUN(nothingInItsPlace);
    RUN(definitionsAreChecked);
    RUN(kindsAreChecked);
    RUN(fieldsAnywhere);
    snActor_Destroy(actor);
    snCrowd_Destroy(crowd);
    snWorld_Free(world);
    snCharacter_Free(calf);
    snBytes_Destroy(&demoBytes);
    return snTest_Finish();
}
