// All pairs of models meet.
#include "platform/threads.h"
#include "tests/world/models.h"
#include "world/meet.h"

static Bumble bumble;

static void addFloor(snWorld *world)
{
    snWorldColliderDef floor = {.name = "floor", .shape = snMakeCollider(SN_COLLIDER_PLANE)};
    int number;
    floor.shape.friction = 0.5;
    CHECK(snWorld_AddCollider(world, &floor, &number, NULL) == SN_OK);
}

static double halfHeight(snWorld *world, int body)
{
    snBox box = snEmptyBox();
    for (int v = 0; v < world->bodies.data[body]->vertexCount; v++)
        box = snBoxAdd(box, snBody_Vertex(world->bodies.data[body], v));
    return 0.5 * (box.upper.y - box.lower.y);
}

static void put(snWorld *world, int body, double x, double y, double z)
{
    snBox box = snEmptyBox();
    snBody *b = world->bodies.data[body];
    snAffine place = snIdentityAffine();
    snBody_Put(b, &place);
    for (int v = 0; v < b->vertexCount; v++)
        box = snBoxAdd(box, snBody_Vertex(b, v));
    place.origin = snSub(snVec(x, y, z), snVec(0.5 * (box.lower.x + box.upper.x), box.lower.y, 0.5 * (box.lower.z + box.upper.z)));
    snBody_Put(b, &place);
}

int main(int argc, char **argv)
{
    snContext context = snDefaultContext();
    makeBumble(&bumble, 100, SN_MOTION_FULL);
    Model a = (Model)atoi(argv[1]), b = (Model)atoi(argv[2]);
    double da = argc > 3 ? atof(argv[3]) : 1, db = argc > 4 ? atof(argv[4]) : 1;
    int steps = argc > 5 ? atoi(argv[5]) : 240, every = argc > 6 ? atoi(argv[6]) : 10;
    double speed = argc > 7 ? atof(argv[7]) : 0;
    snWorld *world = newWorld(&context, 9.81);
    int lower = addModel(world, a, &bumble, da, snVec(0, 0, 0));
    int upper = addModel(world, b, &bumble, db, snVec(0, 1, 0));
    addFloor(world);
    put(world, lower, 0, 0.001, 0);
    put(world, upper, 0.02, 2 * halfHeight(world, lower) + 0.03, 0.01);
    if (speed > 0) snBody_SetVelocity(world->bodies.data[upper], snVec(0, -speed, 0), snVec(0, 0, 0));
    snError error = {0};
    if (!CHECK(snWorld_Join(world, &error) == SN_OK)) printf("%s\n", error.message);
    printf("%s on %s: meet %p, groups %d\n", modelNames[b], modelNames[a], (void *)world->meet, world->groups.count);
    for (int k = 0; k < steps; k++) {
        snWorld_Step(world);
        snBodyMeasure m[2];
        snBody_Measure(world->bodies.data[lower], &m[0]);
        snBody_Measure(world->bodies.data[upper], &m[1]);
        snMeet *meet = world->meet;
        double push = 0;
        for (int r = 0; meet && r < meet->rowCount; r++) push += meet->rows[r].impulse.y;
        if (k % every == 0)
            printf("%4d y %.4f %.4f v %.4f %.4f kin %.2e %.2e el %.2e %.2e rows %d push/mg %.3f deep %.1e %.1e rounds %d fail %d %d\n", k, m[0].center.y, m[1].center.y, m[0].momentum.y / m[0].mass, m[1].momentum.y / m[1].mass,
               m[0].kinetic, m[1].kinetic, m[0].elastic, m[1].elastic, meet ? meet->rowCount : 0, push / (m[1].mass * 9.81 / 120),
               world->tales.data[lower].lastDeepest, world->tales.data[upper].lastDeepest, meet? meet->rounds:0, world->tales.data[lower].failures, world->tales.data[upper].failures);
    }
    snWorld_Destroy(world);
    freeBumble(&bumble);
    return 0;
}
