// A character whose bones give way.
#include "body/lattice/flesh_body_parts.h"
#include "tests/world/characters.h"

static Bumble full;

static snWorld *makeWorld(snVec3 gravity)
{
    snWorldDef def = snDefaultWorldDef();
    snWorld *world;
    def.gravity = gravity;
    def.step = full.flesh->def.step;
    CHECK(snWorld_Make(&world, &def, &full.context, NULL) == SN_OK);
    return world;
}

static void spins(void)
{
    snWorld *world = makeWorld(snVec(0, 0, 0));
    snFleshSkeleton limp = snDefaultFleshSkeleton();
    limp.strength.strength = limp.strength.hand = 0;
    limp.bones = 1.0 / 21;
    snFleshBodyDef def = bumbleDef(&full, NULL);
    def.skeleton = &limp;
    addBumble(world, &def, snVec(0, 0, 0));
    snBody *body = world->bodies.data[0];
    snSolidBody *solid = (snSolidBody *)body;
    printf("joints %d links rows %d columns %d points %d free %d of %d tied %d step %g iterations %d\n", full.character.skeleton.jointCount, solid->bones->rows,
           solid->bones->columns, solid->bones->pointCount, solid->model->freeCount, solid->model->vertexCount, solid->bones->tiedCount, solid->model->def.step, solid->model->def.iterations);
    for (int j = 0; j < full.character.skeleton.jointCount; j++)
        printf("  %d %s parent %d turns %d swing %.0f free %d inertia %g\n", j, full.character.skeleton.joints[j].name, solid->bones->parent[j], solid->bones->rowOf[j],
               57.3 * ((snFleshBody *)body)->bones->swing[j], full.flesh->joints[j].free, ((snFleshBody *)body)->bones->inertia[j]);
    snBody_SetVelocity(body, snVec(0.3, 0.1, -0.2), snVec(1, 2, 0.5));
    snBodyMeasure a, z;
    snBody_Measure(body, &a);
    printf("mass %g p %g %g %g L %g %g %g\n", a.mass, a.momentum.x, a.momentum.y, a.momentum.z, a.angularMomentum.x, a.angularMomentum.y, a.angularMomentum.z);
    for (int k = 0; k < 120; k++) {
        snWorld_Step(world);
        snBody_Measure(body, &z);
        if (k % 10 == 0)
            printf("%3d p off %.2e L %g %g %g kin %g el %g fail %d back %d\n", k, snDistance(a.momentum, z.momentum), z.angularMomentum.x, z.angularMomentum.y,
                   z.angularMomentum.z, z.kinetic, z.elastic, world->tales.data[0].failures, (int)solid->state->backtracks);
    }
    snWorld_Destroy(world);
}

static void falls(void)
{
    snWorld *world = makeWorld(snVec(0, -9.81, 0));
    snFleshSkeleton limp = snDefaultFleshSkeleton();
    limp.strength.strength = limp.strength.hand = 0;
    limp.bones = 1.0 / 21;
    snFleshBodyDef def = bumbleDef(&full, NULL);
    def.skeleton = &limp;
    addBumble(world, &def, snVec(0, 0.3, 0));
    snBody *body = world->bodies.data[0];
    snSolidBody *solid = (snSolidBody *)body;
    snWorldColliderDef floor = {.name = "floor", .shape = snMakeCollider(SN_COLLIDER_PLANE)};
    int number;
    floor.shape.friction = 0.6;
    CHECK(snWorld_AddCollider(world, &floor, &number, NULL) == SN_OK);
    CHECK(snWorld_Join(world, NULL) == SN_OK);
    printf("contact iterations %d\n", solid->contacts->iterations);
    snBodyMeasure z;
    for (int k = 0; k < 600; k++) {
        snWorld_Step(world);
        snBodyMeasure m = {0};
        snBody_Measure(body, &m), z = m;
        double fast = 0, low = 1;
        for (int v = 0; v < body->vertexCount; v++)
            low = fmin(low, snBody_Vertex(body, v).y);
        for (int v = 0; v < solid->model->vertexCount; v++)
            fast = fmax(fast, snLength(snVec(solid->state->velocity[4*v], solid->state->velocity[4*v+1], solid->state->velocity[4*v+2])));
        if (k % 25 == 0)
            printf("%3d center %.4f %.4f %.4f kin %g el %g low %.4f fast %g records %d fail %d back %d\n", k, z.center.x, z.center.y, z.center.z, z.kinetic, z.elastic, low, fast,
                   solid->contacts->recordCount, world->tales.data[0].failures, (int)solid->state->backtracks);
    }
    snWorld_Destroy(world);
}

int main(void)
{
    snError error = {0};
    snFleshDef def = snDefaultFleshDef();
    full.context = snDefaultContext();
    def.cells = 300;
    def.motion = SN_MOTION_FULL;
    def.precision = SN_PRECISION_DOUBLE;
    def.step = 1.0 / 60;
    def.iterations = getenv("IT") ? atoi(getenv("IT")) : 0;
    if (snDemo_Make(&full.character, &full.context, &error) ||
        snFlesh_Build(&full.flesh, &full.character, &def, &full.context, &error))
        printf("%s\n", error.message), exit(1);
    if (getenv("SPIN")) RUN(spins);
    RUN(falls);
    freeBumble(&full);
    return snTest_Finish();
}
