#include "body/skin/skin_body.h"
#include "tests/body/skin/penguin.h"

// A closed ball of skin full of air, without muscles.
static snBody *makeBall(double pressure)
{
    beginSetup();
    makeBallSkin(0.2, 10, 14);
    snSkinTissue tissue = snDefaultSkinTissue();
    tissue.damping = 0.0;
    tissue.elasticity = 200.0;
    fill(&tissue);
    useSetup(0, 1);
    setup.def.pressure = pressure;
    snSkinBodyDef def = snDefaultSkinBodyDef();
    snBody *body;
    def.skin = &setup.def;
    CHECK(snSkinBody_Make(&body, &def, &setup.context, NULL) == SN_OK);
    return body;
}

static void step(snBody *body, snVec3 gravity, const snCollider *floor, int hold, snVec3 target)
{
    snBodyStep now = {.length = 1.0 / 60.0,
                      .gravity = gravity,
                      .stiffness = 1.0,
                      .colliderCount = floor ? 1 : 0,
                      .colliders = floor};
    snBodyReport report;
    snBody_Begin(body, &now);
    if (hold >= 0) snBody_Hold(body, hold, target);
    snBody_Advance(body);
    snBody_Finish(body, &report);
    CHECK(!report.failed);
}

// Thrown on the floor it comes to rest on it, full; a little of it is flat.
static void liesOnTheFloor(void)
{
    snBody *body = makeBall(1e5);
    snCollider floor = snMakeCollider(SN_COLLIDER_PLANE);
    floor.friction = 0.5;
    snAffine up = snIdentityAffine();
    up.origin.y = 0.4;
    snBody_Put(body, &up);
    double lowest = 1.0;
    for (int k = 0; k < 120; k++) {
        step(body, snVec(0, -9.81, 0), &floor, -1, snVec(0, 0, 0));
        for (int i = 0; i < body->vertexCount; i++)
            lowest = fmin(lowest, snBody_Vertex(body, i).y);
    }
    snBodyMeasure m;
    snBody_Measure(body, &m);
    printf("on the floor: lowest %.1e, centre %.3f, volume %.3f, speed %.3f\n", lowest, m.center.y,
           m.volume / (4.0 / 3.0 * SN_PI * 0.008), snLength(m.momentum) / m.mass);
    CHECK(lowest > -1e-9 && m.center.y > 0.12 && m.center.y < 0.25);
    CHECK_NEAR(m.volume / snMesh_Volume(&(snMesh){body->vertexCount, body->triangleCount,
                                                  body->restSurface, body->triangles}),
               1.0, 0.03);
    snBody_Destroy(body);
    endSetup();
}

static void pointsAreHeldPulledAndPushed(void)
{
    snBody *body = makeBall(1e4);
    int a, b;
    snBodySpot spot = snRestSpot(snVec(0.5, 0, 0)), vertex = snVertexSpot(20);
    CHECK(snBody_Locate(body, &spot, &a, NULL) == SN_OK);
    CHECK(snBody_Locate(body, &vertex, &b, NULL) == SN_OK);
    CHECK(snDistance(snBody_Place(body, a), snVec(0.2, 0, 0)) < 0.01);
    // Held while it is swung about.
    for (int k = 1; k <= 20; k++) {
        snVec3 to = snVec(0.2 + 0.01 * k, 0.005 * k, 0);
        step(body, snVec(0, 0, 0), NULL, a, to);
        CHECK(snDistance(snBody_Place(body, a), to) < 1e-12);
    }
    // A push and a pull change the momentum by force times time, but for what is lost in the air: nothing.
    snAffine here = snIdentityAffine();
    snBody_Put(body, &here);
    snBodyMeasure m;
    snBodyStep now = {.length = 1.0 / 60.0, .stiffness = 1.0};
    snBodyReport report;
    snBody_Begin(body, &now);
    snBody_Push(body, a, snVec(1, 2, 3));
    snBody_Advance(body);
    snBody_Finish(body, &report);
    snBody_Measure(body, &m);
    CHECK(snDistance(m.momentum, snScale(1.0 / 60.0, snVec(1, 2, 3))) < 1e-4);
    // A blow: momentum by P, and the point by the response.
    snBody_Put(body, &here);
    double *column = SN_NEW(&setup.arena, double, snBody_ColumnSize(body));
    snBody_ImpulseColumn(body, a, column);
    snVec3 before = snBody_Velocity(body, a), p = {0.1, 0, 0.2};
    snMat3 response = snBody_Response(body, a, column);
    snBody_Strike(body, column, p);
    snBody_Measure(body, &m);
    CHECK(snDistance(m.momentum, p) < 1e-13);
    snVec3 faster = snSub(snBody_Velocity(body, a), before);
    CHECK(snDistance(faster, snMulMV(response, p)) < 1e-12);
    CHECK(response.cx.x <= snBody_Give(body, a) * (1.0 + 1e-12));
    // A spring draws the point to its anchor.
    snBody_Put(body, &here);
    for (int k = 0; k < 120; k++) {
        snBodyPull pull = {.target = {0.5, 0, 0}, .stiffness = 50.0, .damping = 5.0};
        snBody_Begin(body, &now);
        snBody_Pull(body, a, &pull);
        snBody_Advance(body);
        snBody_Finish(body, &report);
    }
    CHECK(snDistance(snBody_Place(body, a), snVec(0.5, 0, 0)) < 0.02);
    snBody_Forget(body, b);
    snBody_Destroy(body);
    endSetup();
}

static void drivePenguin(void *user, double time, snAffine *frames, snSkinMuscle *muscles)
{
    (void)user;
    (void)muscles;
    posePenguin(time);
    memcpy(frames, setup.frames, 5 * sizeof *frames);
}

static snBody *makePenguinBody(void)
{
    wrapPenguin(12, 12);
    useSetup(7, 5);
    snSkinBodyDef def = snDefaultSkinBodyDef();
    def.skin = &setup.def;
    def.drive = drivePenguin;
    snBody *body;
    CHECK(snSkinBody_Make(&body, &def, &setup.context, NULL) == SN_OK);
    return body;
}

static void sameBitsAfterRestoring(void)
{
    snBody *body = makePenguinBody();
    void *bytes = snArena_Alloc(&setup.arena, 1, snBody_SaveSize(body));
    uint64_t hash[2];
    for (int k = 0; k < 10; k++)
        step(body, snVec(0, -9.81, 0), NULL, -1, snVec(0, 0, 0));
    snBody_Save(body, bytes);
    for (int again = 0; again < 2; again++) {
        CHECK(snBody_Restore(body, bytes, NULL) == SN_OK);
        for (int k = 0; k < 10; k++)
            step(body, snVec(0, -9.81, 0), NULL, -1, snVec(0, 0, 0));
        hash[again] = snElasticSkin_Hash(snSkinBody_Skin(body));
        CHECK(snElasticSkin_Deepest(snSkinBody_Skin(body)) < 1e-4);
    }
    CHECK(hash[0] == hash[1]);
    snBody_Destroy(body);
    endSetup();
}

static void memoryRunsOut(void)
{
    snBody *body = makePenguinBody(), *other;
    snSkinBodyDef def = snDefaultSkinBodyDef();
    def.skin = &setup.def;
    for (int failAt = 1; failAt < 300; failAt++) {
        snContext context = snDefaultContext();
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snStatus status = snSkinBody_Make(&other, &def, &context, NULL);
        CHECK((status == SN_OK) == (memory.count < failAt));
        snBody_Destroy(other);
        CHECK(memory.alive == 0);
        if (status == SN_OK) break;
    }
    snBody_Destroy(body);
    endSetup();
}

int main(void)
{
    RUN(liesOnTheFloor);
    RUN(pointsAreHeldPulledAndPushed);
    RUN(sameBitsAfterRestoring);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
