// Skins in worlds: held by a hand, on a floor, with the same bits after restoring.
#include "body/skin/skin_body.h"
#include "tests/body/skin/skins.h"
#include "world/world.h"

static snWorld *makeWorld(int *number)
{
    snWorld *world;
    snWorldDef def = snDefaultWorldDef();
    def.step = 1.0 / 60.0;
    beginSetup();
    CHECK(snWorld_Make(&world, &def, &setup.context, NULL) == SN_OK);
    snMuscleShape ball = snDefaultMuscleShape(SN_SHAPE_SPHERE);
    ball.shape.size.x = 0.2;
    snMuscle muscle = snMakeMuscle(&ball, snIdentityAffine());
    makeSkinOf(&muscle, 10, 14);
    snSkinTissue tissue = snDefaultSkinTissue();
    tissue.elasticity = 200.0;
    fill(&tissue);
    setup.def.mesh = &setup.mesh;
    setup.def.points = setup.points;
    setup.def.places = setup.places;
    setup.def.frames = setup.frames;
    setup.def.frameCount = 1;
    setup.def.muscles = setup.muscles;
    setup.def.pressure = 1e5;
    snSkinBodyDef skin = snDefaultSkinBodyDef();
    skin.skin = &setup.def;
    snBody *body;
    CHECK(snSkinBody_Make(&body, &skin, &setup.context, NULL) == SN_OK);
    snAffine up = snIdentityAffine();
    up.origin.y = 0.5;
    snBody_Put(body, &up);
    CHECK(snWorld_AddBody(world, body, number, NULL) == SN_OK);
    snWorldColliderDef floor = {.name = "floor", .shape = snMakeCollider(SN_COLLIDER_PLANE)};
    floor.shape.friction = 0.5;
    int collider;
    CHECK(snWorld_AddCollider(world, &floor, &collider, NULL) == SN_OK);
    return world;
}

// Hung up at its top it swings there; let go it falls on the floor and stays on it.
static void hangsAndFalls(void)
{
    int number, grab;
    snWorld *world = makeWorld(&number);
    snBody *body = world->bodies.data[number];
    snGrabDef def = {.body = number, .spot = snVertexSpot(body->vertexCount - 1), .hard = true};
    CHECK(snWorld_Grab(world, &def, &grab, NULL) == SN_OK);
    snVec3 top = snBody_Vertex(body, body->vertexCount - 1);
    for (int k = 0; k < 60; k++) {
        snVec3 to = snVec(top.x + 0.1 * snSin(0.1 * (k + 1)), top.y, top.z);
        snWorld_MoveGrab(world, grab, to);
        snWorld_Step(world);
        CHECK(snDistance(snBody_Vertex(body, body->vertexCount - 1), to) < 1e-9);
    }
    snWorldMeasure m;
    snWorld_Measure(world, &m);
    CHECK(m.sum.center.y > 0.35);
    snWorld_Release(world, grab);
    double lowest = 1.0;
    for (int k = 0; k < 90; k++) {
        snWorld_Step(world);
        for (int i = 0; i < body->vertexCount; i++)
            lowest = fmin(lowest, snBody_Vertex(body, i).y);
    }
    snWorld_Measure(world, &m);
    printf("centre %.3f, lowest %.1e\n", m.sum.center.y, lowest);
    CHECK(m.sum.center.y > 0.08 && m.sum.center.y < 0.3 && lowest > -1e-9);
    CHECK(world->tales.data[number].failures == 0);
    snWorld_Destroy(world);
    endSetup();
}

static void sameBitsAfterRestoring(void)
{
    int number;
    uint64_t hash[2];
    snWorld *world = makeWorld(&number);
    for (int k = 0; k < 10; k++)
        snWorld_Step(world);
    size_t size = snWorld_SaveSize(world);
    void *bytes = snArena_Alloc(&setup.arena, 1, size);
    snWorld_Save(world, bytes);
    for (int again = 0; again < 2; again++) {
        CHECK(snWorld_Restore(world, bytes, size, NULL) == SN_OK);
        for (int k = 0; k < 30; k++)
            snWorld_Step(world);
        hash[again] = snWorld_Hash(world);
    }
    CHECK(hash[0] == hash[1]);
    snWorld_Destroy(world);
    endSetup();
}

int main(void)
{
    RUN(hangsAndFalls);
    RUN(sameBitsAfterRestoring);
    return snTest_Finish();
}
