// Bodies that bump into each other: momentum, heavy on light, stacks, and thin plates at speed.
#include "tests/body/lattice/bricks.h"

static snAffine at(double x, double y, double z)
{
    snAffine place = snIdentityAffine();
    place.origin = snVec(x, y, z);
    return place;
}

static void setColliders(Brick *b, const snCollider *colliders, int count)
{
    b->contacts->colliders = colliders;
    b->contacts->colliderCount = count;
}

static snVec3 momentum(Brick *const *bricks, int count)
{
    snVec3 sum = {0, 0, 0};
    for (int i = 0; i < count; i++)
        sum = snMulAdd(sum, bricks[i]->model->totalMass,
                       meanOf(bricks[i]->model, bricks[i]->state->velocity));
    return sum;
}

// Σ m |v|
static double motion(Brick *const *bricks, int count)
{
    double sum = 0;
    for (int b = 0; b < count; b++)
        for (int i = 0; i < bricks[b]->model->vertexCount; i++) {
            const double *v = bricks[b]->state->velocity + 4 * i;
            sum += bricks[b]->model->mass[i] * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        }
    return sum;
}

// How deep the vertices of one are in the other.
static double overlap(const snLatticeIsland *island, int a, int b)
{
    snIslandBody *one = &island->bodies[a], *other = &island->bodies[b];
    double deepest = 0;
    for (int k = 0; k < 2; k++) {
        snIslandBody *body = k ? other : one;
        for (int v = 0; v < body->vertexCount; v++) {
            const double *x = body->state->position + 4 * body->vertex[v];
            body->end[v] = snVec(x[0], x[1], x[2]);
        }
        snShell_Place(body->collider.shell, body->end, body->end);
    }
    for (int v = 0; v < one->vertexCount; v++) {
        snTouch touch;
        if (snCollider_Query(&other->collider, one->end[v], 0, &touch))
            deepest = fmax(deepest, -touch.distance);
    }
    return deepest;
}

// Two blocks that meet askew in free flight, one of them perhaps much heavier.
static void meet(double ratio, double restitution)
{
    BrickDef def = brickDef();
    def.friction = 0.5;
    def.restitution = restitution;
    Brick *bricks[2];
    bricks[0] = newBrick(&def);
    def.density *= ratio;
    bricks[1] = newBrick(&def);
    snLatticeIsland *island = newIsland(bricks, 2);
    snAffine turned = {snQuatToMat(snQuatFromAxisAngle(snVec(0, 0, 1), 0.3)), {1.4, 0.2, 0.15}};
    startBrick(bricks[0], at(0, 0, 0), snVec(3, 0, 0));
    startBrick(bricks[1], turned, snVec(-2, 0.5, 0));
    double worst = 0, made = 0, deepest = 0;
    double energy = brickEnergy(bricks[0]) + brickEnergy(bricks[1]), first = energy;
    bool touched = false;
    for (int k = 0; k < 60; k++) {
        snVec3 before = momentum(bricks, 2);
        double all = motion(bricks, 2);
        stepIsland(island, bricks, 2);
        worst = fmax(worst, snDistance(momentum(bricks, 2), before) / all);
        double now = brickEnergy(bricks[0]) + brickEnergy(bricks[1]);
        made = fmax(made, (now - energy) / first);
        energy = now;
        deepest = fmax(deepest, fmax(overlap(island, 0, 1), overlap(island, 1, 0)));
        touched |= island->bodies[1].group == 0;
    }
    snVec3 v = meanOf(bricks[0]->model, bricks[0]->state->velocity);
    printf("    masses 1 : %g, e = %.1f: momentum off by %.0e of it per step, energy %.2f of the "
           "first, "
           "made %.0e, overlap %.0e, first leaves with %.2f\n",
           ratio, restitution, worst, energy / first, made, deepest, v.x);
    CHECK(touched && worst < 1e-9 && made < 1e-3 && deepest < 0.02);
    snLatticeIsland_Destroy(island);
    freeBrick(bricks[0]);
    freeBrick(bricks[1]);
}

static void momentumStays(void)
{
    meet(1, 0);
    meet(1, 0.5);
    meet(100, 0);
    meet(100, 0.5);
}

// Three on top of each other on a floor; the densities from below.
static void stack(double d0, double d1, double d2, double young)
{
    BrickDef def = brickDef();
    def.nx = def.ny = def.nz = 2;
    def.edge = 0.5;
    def.friction = 0.5;
    def.gravity = snVec(0, -9.81, 0);
    def.drag = 1;
    def.damping = 0.01;
    def.young = young;
    const double density[3] = {d0, d1, d2};
    Brick *bricks[3];
    snCollider floor = snMakeCollider(SN_COLLIDER_PLANE);
    floor.friction = 0.5;
    for (int i = 0; i < 3; i++) {
        def.density = density[i];
        bricks[i] = newBrick(&def);
        setColliders(bricks[i], &floor, 1);
        snQuat turn = snQuatFromAxisAngle(snVec(0, 1, 0), 0.2 * i);
        startBrick(bricks[i], (snAffine){snQuatToMat(turn), {0.05 * i, 0.02 + 1.02 * i, 0.05 * i}},
                   snVec(0, 0, 0));
    }
    snLatticeIsland *island = newIsland(bricks, 3);
    for (int k = 0; k < 720; k++)
        stepIsland(island, bricks, 3);
    double deepest = 0, speed = 0;
    for (int i = 0; i < 2; i++)
        deepest = fmax(deepest, fmax(overlap(island, i, i + 1), overlap(island, i + 1, i)));
    for (int i = 0; i < 3; i++)
        speed = fmax(speed, brickSpeed(bricks[i]));
    printf("    %g, %g, %g kg/m³: overlap %.1e, %.1e m/s, top at %.4f\n", d0, d1, d2, deepest,
           speed, meanOf(bricks[2]->model, bricks[2]->state->position).y);
    CHECK(deepest < 1e-3 && speed < 1e-4 &&
          meanOf(bricks[2]->model, bricks[2]->state->position).y > 2.3);
    snLatticeIsland_Destroy(island);
    for (int i = 0; i < 3; i++)
        freeBrick(bricks[i]);
}

static void stacksStand(void)
{
    stack(1000, 1000, 1000, 1e7);
    stack(100, 1000, 10000, 1e9); // heavy on light
}

static BrickDef plateDef(void)
{
    BrickDef def = brickDef();
    def.nx = def.nz = 4;
    def.ny = 1;
    def.size = snVec(1, 0.05, 1);
    def.young = 1e7;
    def.edge = 0.15;
    def.friction = 0.3;
    return def;
}

// A plate that flies at 10 m/s against a thin box that comes towards it, a solid wall, and a sphere.
static void platesAreStopped(void)
{
    BrickDef def = plateDef();
    for (int kind = 0; kind < 3; kind++) {
        Brick *b = newBrick(&def);
        snCollider obstacle = snMakeCollider(kind == 2 ? SN_COLLIDER_SPHERE : SN_COLLIDER_BOX);
        obstacle.half = kind == 0 ? snVec(2, 0.01, 2) : snVec(2, 0.5, 2);
        obstacle.radius = 0.4;
        double pace = kind == 0 ? 10 : 0, top = kind == 0 ? 0.01 : (kind == 1 ? 0.5 : 0.4);
        obstacle.end.origin = snVec(0.5, -0.3 - top, 0.5);
        obstacle.begin = obstacle.end;
        setColliders(b, &obstacle, 1);
        startBrick(b, at(0, 0, 0), snVec(0, -10, 0));
        for (int k = 0; k < 24; k++) {
            obstacle.begin = obstacle.end;
            obstacle.end.origin.y += pace / 120;
            CHECK(snLattice_Step(b->model, b->state, &b->drive));
        }
        double height = meanOf(b->model, b->state->position).y - obstacle.end.origin.y - top;
        double lowest = INFINITY;
        for (int i = 0; i < b->model->vertexCount; i++) {
            const double *x = b->state->position + 4 * i;
            snTouch touch;
            CHECK(snCollider_Query(&obstacle, snVec(x[0], x[1], x[2]), 100, &touch));
            lowest = fmin(lowest, touch.distance);
        }
        printf("    obstacle %d: mean %.3f above it, lowest vertex %.1e\n", kind, height, lowest);
        if (kind < 2) CHECK(height > 0 && lowest > -1e-3);
        if (kind == 2) CHECK(lowest > -5e-3 && height > -0.9);
        freeBrick(b);
    }
}

// Two plates that meet at 10 m/s each.
static void platesStopEachOther(void)
{
    BrickDef def = plateDef();
    Brick *bricks[2] = {newBrick(&def), newBrick(&def)};
    snLatticeIsland *island = newIsland(bricks, 2);
    snAffine tilted = {snQuatToMat(snQuatFromAxisAngle(snVec(1, 0, 0), 0.1)), {0.13, 0.41, 0.07}};
    startBrick(bricks[0], at(0, 0, 0), snVec(0, 10, 0));
    startBrick(bricks[1], tilted, snVec(0, -10, 0));
    double deepest = 0;
    for (int k = 0; k < 36; k++) {
        stepIsland(island, bricks, 2);
        deepest = fmax(deepest, fmax(overlap(island, 0, 1), overlap(island, 1, 0)));
    }
    double apart = meanOf(bricks[1]->model, bricks[1]->state->position).y -
                   meanOf(bricks[0]->model, bricks[0]->state->position).y;
    printf("    %.3f apart, overlapped by %.1e at most\n", apart, deepest);
    CHECK(apart > 0.03 && deepest < 0.01);
    snLatticeIsland_Destroy(island);
    freeBrick(bricks[0]);
    freeBrick(bricks[1]);
}

static double energy(Brick *const *bricks, int count)
{
    double sum = 0;
    for (int b = 0; b < count; b++)
        sum += snLatticeState_KineticEnergy(bricks[b]->model, bricks[b]->state, 0) +
               snLatticeState_ElasticEnergy(bricks[b]->model, bricks[b]->state, 0);
    return sum;
}

// Two plates, one on the other with their rims in line, that begin a millimetre inside each other: they come apart, up
// and down and slowly. So does a block that begins deep in a floor.
static void whatBeginsInsideCreepsOut(void)
{
    BrickDef def = plateDef();
    Brick *bricks[2] = {newBrick(&def), newBrick(&def)};
    snLatticeIsland *island = newIsland(bricks, 2);
    startBrick(bricks[0], at(0, 0, 0), snVec(0, 0, 0));
    startBrick(bricks[1], at(0, 0.049, 0), snVec(0, 0, 0));
    double made = 0;
    for (int k = 0; k < 60; k++) {
        stepIsland(island, bricks, 2);
        made = fmax(made, energy(bricks, 2));
    }
    double left = fmax(overlap(island, 0, 1), overlap(island, 1, 0));
    snVec3 aside = snSub(meanOf(bricks[1]->model, bricks[1]->state->position),
                         meanOf(bricks[0]->model, bricks[0]->state->position));
    printf("    plates: overlap %.1e, %.1e J of %.0f kg, aside by %.1e\n", left, made,
           bricks[0]->model->totalMass, hypot(aside.x, aside.z));
    CHECK(left < 1e-4 && made < 1 && hypot(aside.x, aside.z) < 1e-3);
    snLatticeIsland_Destroy(island);
    freeBrick(bricks[0]);
    freeBrick(bricks[1]);

    def = brickDef();
    def.gravity = snVec(0, -9.81, 0);
    Brick *b = newBrick(&def);
    snCollider floor = snMakeCollider(SN_COLLIDER_PLANE);
    setColliders(b, &floor, 1);
    startBrick(b, at(0, -0.3, 0), snVec(0, 0, 0));
    double speed = 0, lowest = -1;
    for (int k = 0; k < 240; k++) {
        CHECK(snLattice_Step(b->model, b->state, &b->drive));
        speed = fmax(speed, brickSpeed(b));
        lowest = INFINITY;
        for (int i = 0; i < b->model->vertexCount; i++)
            lowest = fmin(lowest, b->state->position[4 * i + 1]);
    }
    printf("    block 0.3 deep in a floor: %.2f m/s at most, lowest vertex %.1e at the end\n",
           speed, lowest);
    CHECK(speed < 1.5 && lowest > -1e-3 && b->state->resets == 0);
    freeBrick(b);
}

// A body like a C on a floor, whose upper jaw a box presses down at its end. Returns how far apart its jaws are at least,
// in height, and its speed when all is still.
static double press(bool self, double *speed)
{
    BrickDef def = brickDef();
    def.jaws = true;
    def.self = self;
    def.nx = 5, def.ny = 3, def.nz = 2;
    def.size = snVec(1, 0.6, 0.4);
    def.young = 2e5;
    def.friction = 0.5;
    def.drag = 2;
    def.damping = 0.02;
    def.edge = 1;
    def.thickness = 3e-3;
    Brick *b = newBrick(&def);
    snLatticeIsland *island = newIsland(&b, 1);
    snCollider plates[2] = {snMakeCollider(SN_COLLIDER_PLANE), snMakeCollider(SN_COLLIDER_PLANE)};
    plates[0].friction = plates[1].friction = 0.5;
    plates[1].kind = SN_COLLIDER_BOX;
    plates[1].half = snVec(0.2, 0.1, 0.5);
    plates[1].end.origin = snVec(0.9, 0.71, 0.2);
    setColliders(b, plates, 2);
    startBrick(b, at(0, 0, 0), snVec(0, 0, 0));
    for (int k = 0; k < 480; k++) {
        plates[1].begin = plates[1].end;
        if (k < 120) plates[1].end.origin.y -= 0.26 / 120;
        stepIsland(island, &b, 1);
    }
    double gap = INFINITY;
    for (int v = 0; v < b->lattice.vertexCount; v++) {
        snVec3 r = b->lattice.rest[v];
        if (fabs(r.y - 0.4) > 1e-9 || r.x < 0.3) continue;
        const double *up = b->state->position + 4 * b->model->indexOf[v];
        const double *low = b->state->position + 4 * b->model->indexOf[v - (def.nx + 1)];
        gap = fmin(gap, up[1] - low[1]);
    }
    *speed = brickSpeed(b);
    CHECK(b->state->resets == 0);
    snLatticeIsland_Destroy(island);
    freeBrick(b);
    return gap;
}

static void jawsDoNotPass(void)
{
    double speed, without = press(false, &speed), gap = press(true, &speed);
    printf("    jaws apart by %.1e, at rest to %.1e m/s; %.3f where they may pass\n", gap, speed,
           without);
    CHECK(without < -0.02 && gap > -1e-3 && speed < 1e-4);
}

// Bodies that are far from each other go on as by themselves, to the bit.
static void farBodiesAreAlone(void)
{
    BrickDef def = brickDef();
    def.nx = def.ny = def.nz = 2;
    def.gravity = snVec(0, -9.81, 0);
    Brick *bricks[2] = {newBrick(&def), newBrick(&def)}, *alone = newBrick(&def);
    snCollider floor = snMakeCollider(SN_COLLIDER_PLANE);
    floor.restitution = 0.4;
    snLatticeIsland *island = newIsland(bricks, 2);
    setColliders(bricks[0], &floor, 1);
    setColliders(alone, &floor, 1);
    startBrick(bricks[0], at(0, 0.02, 0), snVec(0, 0, 0));
    startBrick(bricks[1], at(9, 0, 0), snVec(0, 0, 0));
    startBrick(alone, at(0, 0.02, 0), snVec(0, 0, 0));
    for (int k = 0; k < 30; k++) {
        stepIsland(island, bricks, 2);
        CHECK(snLattice_Step(alone->model, alone->state, &alone->drive));
    }
    CHECK(snLatticeState_Hash(alone->state) == snLatticeState_Hash(bricks[0]->state));
    snLatticeIsland_Destroy(island);
    freeBrick(bricks[0]);
    freeBrick(bricks[1]);
    freeBrick(alone);
}

static void badIslandsAreRefused(void)
{
    BrickDef def = brickDef();
    def.nx = def.ny = def.nz = 1;
    Brick *a = newBrick(&def);
    def.step = 1.0 / 60;
    Brick *b = newBrick(&def);
    snIslandBodyDef defs[2] = {{.model = a->model,
                                .state = a->state,
                                .contacts = a->contacts,
                                .surface = &a->mesh,
                                .rows = &a->rows},
                               {.model = b->model,
                                .state = b->state,
                                .contacts = b->contacts,
                                .surface = &b->mesh,
                                .rows = &b->rows}};
    snContext context = snDefaultContext();
    snLatticeIsland *island;
    snError error = {0};
    CHECK(snLatticeIsland_Make(&island, 2, defs, &context, &error) == SN_ERROR_ARGUMENT);
    defs[1].contacts = NULL;
    CHECK(snLatticeIsland_Make(&island, 2, defs, &context, &error) == SN_ERROR_ARGUMENT);
    CHECK(snLatticeIsland_Make(&island, 0, defs, &context, &error) == SN_OK);
    CHECK(snLatticeIsland_Step(island, NULL, NULL) == 0);
    snLatticeIsland_Destroy(island);
    bool made = false;
    for (int n = 1; n < 200 && !made; n++) {
        snFailingMemory memory = {.failAtWay = n};
        context = snDefaultContext();
        snTest_UseFailingMemory(&context, &memory);
        snStatus status = snLatticeIsland_Make(&island, 1, defs, &context, NULL);
        CHECK(status == SN_OK || (status == SN_ERROR_MEMORY && !island));
        made = status == SN_OK;
        snLatticeIsland_Destroy(island);
        CHECK(memory.alive == 0);
    }
    CHECK(made);
    // A rig of NaN: the body is put back, the other goes on.
    startBrick(a, at(0, 0, 0), snVec(NAN, 0, 0));
    context = snDefaultContext();
    CHECK(snLatticeIsland_Make(&island, 1, defs, &context, NULL) == SN_OK);
    unsigned char failed = 0;
    CHECK(snLatticeIsland_Step(island, &a->drive, &failed) == 1 && failed == 1);
    snLatticeIsland_Destroy(island);
    freeBrick(a);
    freeBrick(b);
}

int main(void)
{
    RUN(momentumStays);
    RUN(stacksStand);
    RUN(platesAreStopped);
    RUN(platesStopEachOther);
    RUN(whatBeginsInsideCreepsOut);
    RUN(jawsDoNotPass);
    RUN(farBodiesAreAlone);
    RUN(badIslandsAreRefused);
    return snTest_Finish();
}
