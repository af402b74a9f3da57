// Whatever happens to a body, it is finite after the step, the step says so, and it goes on; and bytes that are no state of a world change nothing.
#include "platform/threads.h"
#include "tests/world/models.h"

static Bumble bumble, limp;

static snWorld *newRoom(Model model)
{
    snContext context = snDefaultContext();
    snWorld *world = makeWorld(&context, snVec(0, -9.81, 0));
    snWorldColliderDef floor = {.name = "floor", .shape = snMakeCollider(SN_COLLIDER_PLANE)};
    int number;
    CHECK(snWorld_AddCollider(world, &floor, &number, NULL) == SN_OK);
    addModel(world, model, model == LIMP ? &limp : &bumble, 1, snVec(0, 1, 0));
    return world;
}

static bool isFinite(const snBody *body)
{
    bool finite = true;
    for (int v = 0; v < body->vertexCount; v++)
        finite &= snIsFinite3(snBody_Vertex(body, v));
    return finite;
}

static void throwIt(snBody *body, double speed)
{
    snBody_SetVelocity(body, snVec(speed, 0, 0), snVec(0, 0, speed));
}

// Speeds that overflow when they are squared, when they are added up, and none at all.
static void whatIsLostIsPutBack(void)
{
    static const double speeds[] = {1e160, 1e300, NAN};
    for (Model model = 0; model < MODELS; model++) {
        snWorld *world = newRoom(model);
        snBody *body = world->bodies.data[0];
        bool led = model == RIGGED; // its skeleton takes no throw
        for (int k = 0; k < 3; k++) {
            snBodyMeasure before, after;
            snWorld_Step(world);
            snBody_Motion(body, &before);
            throwIt(body, speeds[k]);
            int failures = world->tales.data[0].failures;
            snWorld_Step(world);
            CHECK(isFinite(body) && (led || world->tales.data[0].failures > failures));
            snBody_Motion(body, &after);
            CHECK(led || snDistance(before.center, after.center) < 0.1);
            failures = world->tales.data[0].failures;
            for (int i = 0; i < 5; i++)
                snWorld_Step(world);
            snBody_Motion(body, &after);
            CHECK(isFinite(body) && world->tales.data[0].failures == failures);
            CHECK(snDistance(before.center, after.center) < 0.2);
        }
        snWorld_Destroy(world);
    }
}

static void refuse(snWorld *world, void *bytes, size_t size, const char *why)
{
    snError error = {0};
    uint64_t hash = snWorld_Hash(world);
    CHECK(snWorld_Restore(world, bytes, size, &error) == SN_ERROR_FORMAT);
    CHECK(strstr(error.message, why) != NULL);
    CHECK(snWorld_Hash(world) == hash);
}

static void bytesThatAreNoStateChangeNothing(void)
{
    for (Model model = 0; model < MODELS; model++) {
        snWorld *world = newRoom(model), *other = newRoom(model == LATTICE ? COAT : LATTICE);
        size_t size = snWorld_SaveSize(world), more = snWorld_SaveSize(other);
        unsigned char *bytes = malloc(size > more ? size : more);
        snWorld_Save(world, bytes);
        refuse(world, bytes, size - 1, "are not the state of this world, of");
        bytes[size / 2] ^= 1;
        refuse(world, bytes, size, "were changed");
        memset(bytes, 0x5a, size);
        refuse(world, bytes, size, "nor of one made like it");
        snWorld_Save(other, bytes);
        refuse(world, bytes, more, "state of this world");
        hashAfter(world, 2);
        snWorld_Destroy(world);
        snWorld_Destroy(other);
        free(bytes);
    }
}

int main(void)
{
    makeBumble(&bumble, 150, SN_MOTION_SECONDARY);
    makeLimpBumble(&limp, 30, 1.0 / 120, 1.5 * SN_DEMO_CROWD_EDGE);
    RUN(whatIsLostIsPutBack);
    RUN(bytesThatAreNoStateChangeNothing);
    freeBumble(&limp);
    freeBumble(&bumble);
    return snTest_Finish();
}
