// A character whose bones give way: it falls limp, lies still, follows its clip by strength, gives way to what hits it and recovers; and all
// that holds worlds together holds for it.
#include "platform/threads.h"
#include "body/lattice/flesh_body_parts.h"
#include "tests/world/characters.h"

static Bumble full;
static const snVec3 earth = {0, -9.81, 0};

static snWorld *makeGround(const snContext *context, snVec3 gravity, bool floor)
{
    snWorldDef def = snDefaultWorldDef();
    snWorldColliderDef plane = {.name = "floor", .shape = snMakeCollider(SN_COLLIDER_PLANE)};
    snWorld *world;
    int number;
    def.gravity = gravity;
    def.step = full.flesh->def.step;
    plane.shape.friction = 0.6;
    CHECK(snWorld_Make(&world, &def, context, NULL) == SN_OK);
    if (floor) CHECK(snWorld_AddCollider(world, &plane, &number, NULL) == SN_OK);
    return world;
}

// Bones are a 21st of the whole: flesh is 20 times as heavy.
static snFleshSkeleton skeletonOf(double strength, double hand)
{
    snFleshSkeleton skeleton = snDefaultFleshSkeleton();
    skeleton.bones = 1.0 / 21;
    skeleton.strength.strength = strength;
    skeleton.strength.hand = hand;
    return skeleton;
}

static double fastest(const snSolidBody *solid)
{
    double fast = 0;
    for (int v = 0; v < solid->model->vertexCount; v++) {
        const double *u = solid->state->velocity + 4 * v;
        fast = fmax(fast, snLength(snVec(u[0], u[1], u[2])));
    }
    return fast;
}

static double lowest(const snBody *body)
{
    double low = INFINITY;
    for (int v = 0; v < body->vertexCount; v++)
        low = fmin(low, snBody_Vertex(body, v).y);
    return low;
}

// ---- falling ------------------------------------------------------------------------------------

// Dropped from 0.3 m with flesh 20 times as heavy as its bones, at 1/60 s, for ten seconds.
static void fallsLimp(void)
{
    snWorld *world = makeGround(&full.context, earth, true);
    snFleshSkeleton limp = skeletonOf(0, 0);
    snFleshBodyDef def = bumbleDef(&full, NULL);
    limp.strength.damping = 10;
    def.skeleton = &limp;
    addBumble(world, &def, snVec(0, 0.3, 0));
    snBody *body = world->bodies.data[0];
    snSolidBody *solid = (snSolidBody *)body;
    CHECK(snWorld_Join(world, NULL) == SN_OK);
    double fast = 0, low = 1, mass = 0, bones = 0, kinetic = 0, height = 0;
    snVec3 at9 = {0, 0, 0};
    for (int i = 0; i < solid->bones->pointCount; i++)
        bones += solid->bones->points[i].mass;
    for (int k = 0; k < 600; k++) {
        snBodyMeasure m = {0};
        snWorld_Step(world);
        snBody_Measure(body, &m);
        fast = fmax(fast, fastest(solid));
        low = fmin(low, lowest(body));
        mass = m.mass, kinetic = m.kinetic, height = m.center.y;
        if (k == 539) at9 = m.center;
        if (k == 599) at9 = snSub(m.center, at9);
    }
    printf(
        "    bones of %.1f kg in %.1f kg; at most %.1f m/s, lowest %.1f mm, centre from 0.98 m to "
        "%.2f m; in the last second it goes %.2f mm, with %.1e J\n",
        bones, mass, fast, 1000 * low, height, 1000 * snLength(at9), kinetic);
    CHECK_NEAR(mass, full.flesh->model->totalMass, 1e-9 * mass);
    CHECK_NEAR(bones, mass / 21, 1e-9 * mass);
    CHECK(!world->tales.data[0].failures && fast < 8 && low > -0.02);
    CHECK(height < 0.5 && kinetic < 1);
    snWorld_Destroy(world);
}

// What lies limp on the floor stays where it is.
static void liesStill(void)
{
    snWorld *world = makeGround(&full.context, earth, true);
    snFleshSkeleton limp = skeletonOf(0, 0);
    snFleshBodyDef def = bumbleDef(&full, NULL);
    def.skeleton = &limp;
    int number = addBumble(world, &def, snVec(0, 0, 0));
    snAffine place = {snQuatToMat(snQuatFromAxisAngle(snVec(0, 0, 1), SN_PI / 2)),
                      snVec(0.6, 0.3, 0)}; // on its side
    snBody *body = world->bodies.data[number];
    snBody_Put(body, &place);
    CHECK(snWorld_Join(world, NULL) == SN_OK);
    snVec3 before = {0, 0, 0};
    double drift = 0;
    for (int k = 0; k < 720; k++) {
        snBodyMeasure m = {0};
        snWorld_Step(world);
        snBody_Measure(body, &m);
        if (k == 600) before = m.center;
        if (k > 600) drift = fmax(drift, snDistance(m.center, before));
    }
    printf(
        "    after ten seconds its centre goes %.1e m in two more, its fastest vertex %.1e m/s\n",
        drift, fastest((snSolidBody *)body));
    CHECK(drift < 5e-4 && fastest((snSolidBody *)body) < 1e-3 && !world->tales.data[0].failures);
    snWorld_Destroy(world);
}

// ---- following ----------------------------------------------------------------------------------

// A strong skeleton goes as its clip leads it, a weaker one less exactly.
static void followsByStrength(void)
{
    double worst[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        snWorld *world = makeGround(&full.context, earth, false);
        snFleshSkeleton strong = skeletonOf(i ? 5 : 40, i ? 5 : 40);
        snFleshBodyDef def = bumbleDef(&full, "walk"), led = def;
        def.skeleton = &strong;
        def.solid.apart = led.solid.apart = true;
        addBumble(world, &def, snVec(0, 0, 0));
        addBumble(world, &led, snVec(0, 0, 0));
        for (int k = 0; k < 120; k++) {
            snWorld_Step(world);
            const snPose *own = snFleshBody_Pose(world->bodies.data[0]);
            const snPose *clip = snFleshBody_Pose(world->bodies.data[1]);
            for (int j = 0; j < full.character.skeleton.jointCount; j++)
                worst[i] =
                    fmax(worst[i], snDistance(own->global[j].origin, clip->global[j].origin));
        }
        snWorld_Destroy(world);
    }
    printf("    joints within %.1f mm of the clip at 40 Hz, %.0f mm at 5 Hz\n", 1000 * worst[0],
           1000 * worst[1]);
    CHECK(worst[0] < 0.01 && worst[0] < worst[1] && worst[1] < 0.2);
}

typedef struct Thrown {
    snWorld *world;
    int bumble, block;
} Thrown;

// A block flies at the head from the side.
static Thrown throwBlock(const snContext *context, const snFleshSkeleton *skeleton, snVec3 gravity)
{
    Thrown t = {.world = makeGround(context, gravity, false)};
    snFleshBodyDef def = bumbleDef(&full, NULL);
    BlockDef block = blockDef();
    def.skeleton = skeleton;
    def.solid.meets = block.solid.meets = true;
    block.n = block.m = block.k = 2;
    block.size = snVec(0.35, 0.35, 0.35);
    block.solid.step = full.flesh->def.step;
    t.bumble = addBumble(t.world, &def, snVec(0, 0, 0));
    t.block = addBlock(t.world, &block, snVec(0.8, 0.3, -0.1));
    snBody_SetVelocity(t.world->bodies.data[t.block], snVec(-8, 0, 0), snVec(0, 0, 0));
    snError error = {0};
    if (!CHECK(snWorld_Join(t.world, &error) == SN_OK)) printf("    %s\n", error.message);
    return t;
}

static void givesWayAndRecovers(void)
{
    snFleshSkeleton alert = skeletonOf(5, 2);
    Thrown t = throwBlock(&full.context, &alert, snVec(0, 0, 0));
    int chest = jointOf(&full, "chest");
    const snPose *pose = snFleshBody_Pose(t.world->bodies.data[t.bumble]);
    snVec3 rest = pose->global[chest].origin;
    double most = 0, last = 0;
    for (int k = 0; k < 180; k++) {
        snWorld_Step(t.world);
        last = snDistance(pose->global[chest].origin, rest);
        most = fmax(most, last);
    }
    printf("    the chest goes %.1f cm out of the way, and is %.2f cm off after three seconds\n",
           100 * most, 100 * last);
    CHECK(most > 0.01 && last < 0.1 * most);
    CHECK(!t.world->tales.data[t.bumble].failures && !t.world->tales.data[t.block].failures);
    snWorld_Destroy(t.world);
}

// In space what the block loses the limp character gets.
static void collisionsKeepMomentum(void)
{
    snFleshSkeleton limp = skeletonOf(0, 0);
    Thrown t = throwBlock(&full.context, &limp, snVec(0, 0, 0));
    double worst = 0, moved = 0;
    snVec3 before = {0, 0, 0};
    for (int k = 0; k < 90; k++) {
        snVec3 sum = {0, 0, 0};
        double size = 0;
        if (k) snWorld_Step(t.world);
        for (int i = 0; i < 2; i++) {
            snBodyMeasure m = {0};
            snBody_Measure(t.world->bodies.data[i], &m);
            sum = snAdd(sum, m.momentum);
            size += snLength(m.momentum);
            if (i == t.bumble) moved = fmax(moved, snLength(m.momentum));
        }
        if (k) worst = fmax(worst, snDistance(sum, before) / size);
        before = sum;
    }
    printf("    %.1f kg m/s are handed over; the sum changes by %.1e of Σ m|v| in a step at most\n",
           moved, worst);
    CHECK(moved > 10 && worst < 1e-9);
    snWorld_Destroy(t.world);
}

// Limp from 0.1 s on it falls; from 1.5 s to 2.5 s its strength comes back, and a hand lifts it to its pose.
static void getsUpAgain(void)
{
    snWorld *world = makeGround(&full.context, earth, true);
    snFleshSkeleton skeleton = skeletonOf(6, 4);
    snStrengthKey keys[4] = {{0, 1, 1}, {0.1, 0, 0}, {1.5, 0, 0}, {2.5, 1, 1}};
    snFleshBodyDef def = bumbleDef(&full, NULL);
    skeleton.strength.keyCount = 4;
    skeleton.strength.keys = keys;
    def.skeleton = &skeleton;
    int number = addBumble(world, &def, snVec(0, 0.02, 0)), head = jointOf(&full, "head");
    CHECK(snWorld_Join(world, NULL) == SN_OK);
    const snPose *pose = snFleshBody_Pose(world->bodies.data[number]);
    snVec3 stands = pose->global[head].origin;
    double low = stands.y;
    for (int k = 0; k < 240; k++) {
        snWorld_Step(world);
        low = fmin(low, pose->global[head].origin.y);
    }
    double off = snDistance(pose->global[head].origin, stands);
    printf("    its head goes from %.2f m to %.2f m, and ends %.1f cm from where it was\n",
           stands.y, low, 100 * off);
    CHECK(low < 0.75 * stands.y && off < 0.05 && !world->tales.data[number].failures);
    snWorld_Destroy(world);
}

// A blow hands over its momentum, also where it hits what hangs on bones alone.
static void blowsAreTaken(void)
{
    snWorld *world = makeGround(&full.context, snVec(0, 0, 0), false);
    snFleshSkeleton limp = skeletonOf(0, 0);
    snFleshBodyDef def = bumbleDef(&full, NULL);
    def.skeleton = &limp;
    int number = addBumble(world, &def, snVec(0, 0, 0));
    snBody *body = world->bodies.data[number];
    int hoof = surfacePoint(world, number, snVec(0.2, 0.02, 0.3));
    double *column = malloc((size_t)body->size * sizeof *column);
    snVec3 blow = snVec(3, -2, 5);
    snBody_ImpulseColumn(body, hoof, column);
    snBody_Strike(body, column, blow);
    double worst = 0;
    for (int k = 0; k < 30; k++) {
        snBodyMeasure m = {0};
        if (k) snWorld_Step(world);
        snBody_Measure(body, &m);
        worst = fmax(worst, snDistance(m.momentum, blow) / snLength(blow));
    }
    printf("    momentum within %.1e of the blow's\n", worst);
    CHECK(worst < 1e-9 && !world->tales.data[number].failures);
    free(column);
    snWorld_Destroy(world);
}

// ---- threads, state -----------------------------------------------------------------------------

static snWorld *throwLimp(void *user, const snContext *context)
{
    snFleshSkeleton limp = skeletonOf(2, 0);
    (void)user;
    return throwBlock(context, &limp, earth).world;
}

static void threadsAndSavingGiveTheSameBits(void)
{
    checkSameBits(&(Remade){.make = throwLimp, .threads = 3, .before = 20, .after = 20});
}

// Nearly incompressible flesh that is taut has more iterations while its bones are limp; how many is said in every step, and not kept from one that
// a restored world has not seen.
static snWorld *dropTaut(void *user, const snContext *context)
{
    static const snStrengthKey keys[] = {{0, 0, 0}, {0.2, 0, 0}, {0.22, 1, 1}};
    Bumble *taut = user;
    snWorld *world = makeGround(context, earth, true);
    snFleshSkeleton rises = skeletonOf(5, 2);
    snFleshBodyDef def = bumbleDef(taut, NULL);
    rises.strength.keyCount = 3;
    rises.strength.keys = keys;
    def.skeleton = &rises;
    int number = addBumble(world, &def, snVec(0, 0, 0));
    const snSolidBody *solid = (const snSolidBody *)world->bodies.data[number];
    CHECK(snWorld_Join(world, NULL) == SN_OK);
    CHECK(solid->model->tautness > 20 && solid->model->mostPoisson > 0.49);
    return world;
}

static void whatIsSavedLimpRisesAlike(void)
{
    Bumble taut = {.context = snDefaultContext()};
    snFleshDef def = snDefaultFleshDef();
    snError error = {0};
    def.cells = 60;
    def.precision = SN_PRECISION_DOUBLE;
    def.motion = SN_MOTION_FULL;
    def.step = 1.0 / 60;
    def.iterations = 12;
    def.wobble = 60;
    def.poisson = 0.499;
    snStatus status =
        snDemo_MakeCoarse(&taut.character, 1.5 * SN_DEMO_CROWD_EDGE, &taut.context, &error);
    if (!status) status = snFlesh_Build(&taut.flesh, &taut.character, &def, &taut.context, &error);
    if (!CHECK(status == SN_OK)) printf("    %s\n", error.message), exit(1);
    checkSameBits(
        &(Remade){.make = dropTaut, .user = &taut, .threads = 2, .before = 15, .after = 5});
    freeBumble(&taut);
}

static void badSkeletonsAreRefused(void)
{
    snFleshSkeleton skeleton = skeletonOf(5, 5);
    snFleshBodyDef def = bumbleDef(&full, NULL);
    snStrengthKey keys[2] = {{1, 1, 1}, {0.5, 0, 0}};
    snBody *body;
    snError error = {0};
    def.skeleton = &skeleton;
    skeleton.bones = 0.95;
    CHECK(snFleshBody_Make(&body, &def, &full.context, &error) == SN_ERROR_ARGUMENT && !body);
    skeleton = skeletonOf(-1, 5);
    CHECK(snFleshBody_Make(&body, &def, &full.context, &error) == SN_ERROR_ARGUMENT && !body);
    skeleton = skeletonOf(5, 5);
    skeleton.strength.keyCount = 2;
    skeleton.strength.keys = keys;
    CHECK(snFleshBody_Make(&body, &def, &full.context, &error) == SN_ERROR_ARGUMENT && !body);
    Bumble soft;
    makeBumble(&soft, 300, SN_MOTION_SECONDARY);
    skeleton = skeletonOf(5, 5);
    def = bumbleDef(&soft, NULL);
    def.skeleton = &skeleton;
    CHECK(snFleshBody_Make(&body, &def, &soft.context, &error) == SN_ERROR_UNSUPPORTED && !body);
    freeBumble(&soft);
}

int main(void)
{
    makeLimpBumble(&full, 300, 1.0 / 60, 0);
    RUN(fallsLimp);
    RUN(liesStill);
    RUN(followsByStrength);
    RUN(givesWayAndRecovers);
    RUN(getsUpAgain);
    RUN(collisionsKeepMomentum);
    RUN(blowsAreTaken);
    RUN(threadsAndSavingGiveTheSameBits);
    RUN(whatIsSavedLimpRisesAlike);
    RUN(badSkeletonsAreRefused);
    freeBumble(&full);
    return snTest_Finish();
}
