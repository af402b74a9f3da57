// Drops soft bodies on a floor and says how they come to rest. Build it against the installed library:
//     cc drop.c $(pkg-config --cflags --libs sinew) -o drop && ./drop
#include <sinew/sinew.h>

#include <stdio.h>

// A jelly and a ball over a floor. Whatever a definition has not can be said in a scene's text: snWorld_Load, as in grab.c.
static snStatus makeWorld(snWorld **world, const snContext *context, snError *error)
{
    snBodyDef bodies[2] = {snDefaultBodyDef(), snDefaultBodyDef()};
    snColliderDef floor = snDefaultColliderDef();
    snSceneDef scene = snDefaultSceneDef();
    snBodyDef *jelly = &bodies[0], *ball = &bodies[1];
    jelly->name = "jelly";
    jelly->shape.size[0] = 0.4, jelly->shape.size[1] = 0.2, jelly->shape.size[2] = 0.3;
    jelly->cells = 24;
    jelly->young = 15e3;
    jelly->damping = 8e-3;
    jelly->place.position[1] = 0.5;
    jelly->velocity[0] = 0.5;
    ball->name = "ball";
    ball->model = SN_MODEL_POLY;
    ball->shape.kind = SN_FORM_BALL;
    ball->young = 40e3;
    ball->density = 600;
    ball->damping = 8e-3;
    ball->place.position[0] = 1, ball->place.position[1] = 0.8;
    floor.friction = 0.6;
    scene.bodies = bodies;
    scene.bodyCount = 2;
    scene.colliders = &floor;
    scene.colliderCount = 1;
    return snWorld_Build(world, &scene, NULL, context, error);
}

int main(void)
{
    snContext context = snDefaultContext();
    snError error = {SN_OK, ""};
    snWorld *world;
    if (makeWorld(&world, &context, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    while (snWorld_Time(world) < 2) {
        snWorld_Step(world);
        // here a game reads the surfaces: see surfaces.c
    }
    for (int b = 0; b < snWorld_BodyCount(world); b++) {
        snWorldReport report;
        snWorld_ReadReport(world, b, &report);
        printf("%s: %.1f kg, centre %.2f m high, %.3f J of motion left, %.1f mm deep at most\n",
               snWorld_BodyName(world, b), report.mass, report.center[1], report.kinetic,
               1e3 * report.deepest);
    }
    printf("state %016llx\n", (unsigned long long)snWorld_Hash(world)); // the same on every run
    snWorld_Free(world);
    return 0;
}
