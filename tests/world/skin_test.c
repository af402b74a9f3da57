// Skins in worlds: held by a hand, on a floor, with the same bits after restoring.
#include "body/skin/skin_body.h"
#include "tests/body/skin/skins.h"
#include "tests/world/makers.h"

static snWorld *makeBallWorld(int *number)
{
    snWorld *world;
    snWorldDef def = snDefaultWorldDef();
    def.step = 1.0 / 60.0;
    beginSetup();
    CHECK(snWorld_Make(&world, &def, &setup.context, NULL) == SN_OK);
    makeBallSkin(0.2, 10, 14);
    snSkinTissue tissue = snDefaultSkinTissue();
    tissue.elasticity = 200.0;
    fill(&tissue);
    useSetup(0, 1);
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
    snWorld *world = makeBallWorld(&number);
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
    snWorld *world = makeBallWorld(&number);
    hashAfter(world, 10);
    checkGoesOn(world, 30);
    snWorld_Destroy(world);
    endSetup();
}

int main(void)
{
    RUN(hangsAndFalls);
    RUN(sameBitsAfterRestoring);
    return snTest_Finish();
}
