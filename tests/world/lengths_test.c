// Steps of several lengths, and stiffness over time: on a rung a body does what one does that was built so, with contacts,
// friction, springs, held points and other bodies; nothing is allocated, and threads and saving change no bits.
#include "platform/threads.h"
#include "tests/body/solids.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

#define TICK (1.0 / 256) // times are exact

static const int lengths[] = {1, 2, 3, 4, 6, 8};

// Which lengths a world has: one tick, or all of these, or one tick and one of them.
#define PLAIN 0
#define ALL 6

// What a body of the tests is.
typedef struct Kind {
    const char *name;
    bool smooth, adaptive, soft, single, tied;
    snSolver solver;
    double restitution;
    snPointMethod holding;
    double baumgarte; // 1/s
} Kind;

static const Kind kinds[] = {
    {.name = "exact contacts"},
    {.name = "soft contacts", .soft = true},
    {.name = "smooth", .smooth = true},
    {.name = "adaptive", .smooth = true, .adaptive = true},
    {.name = "adaptive, tied", .smooth = true, .adaptive = true, .tied = true},
    {.name = "newton", .solver = SN_SOLVER_NEWTON},
    {.name = "single precision", .single = true},
    {.name = "bouncing", .restitution = 0.5},
    {.name = "tied", .tied = true},
    {.name = "linear", .solver = SN_SOLVER_LINEAR},
    {.name = "multipliers",
     .solver = SN_SOLVER_NEWTON,
     .holding = SN_POINTS_MULTIPLIERS,
     .baumgarte = 50}};

#define ADAPTIVE 3 // among the kinds

// Adaptive ones have finer functions that come and go.
static snSolid *newSolid(snVec3 size, double young, bool adaptive, const snContext *context)
{
    snArena arena = snMakeArena(context);
    snLattice lattice = makeBlock(BLOCK_HEXES, 2, 1, 1, size, &arena);
    snSolidDef def = snDefaultSolidDef();
    snSolid *solid = NULL;
    def.lattice = &lattice;
    def.young = young;
    def.nodeLevel = 2;
    if (adaptive) def.levels = 1, def.mostActive = 100;
    CHECK(snSolid_Build(&solid, &def, context, NULL) == SN_OK);
    snArena_Destroy(&arena);
    return solid;
}

static int addBody(snWorld *world, const Kind *kind, double young, snVec3 at)
{
    BlockDef def = blockDef();
    snError error = {0};
    snBody *body = NULL;
    int number = -1;
    def.young = young;
    def.solid.step = world->def.step;
    def.solid.solver = kind->solver;
    def.solid.soft = kind->soft;
    def.solid.tied = kind->tied;
    def.solid.meets = true;
    def.solid.restitution = kind->restitution;
    def.solid.drag = 0.5;
    def.solid.holding = kind->holding;
    def.solid.alpha = 2 * kind->baumgarte;
    def.solid.beta = kind->baumgarte * kind->baumgarte;
    if (kind->single) def.solid.precision = SN_PRECISION_SINGLE;
    if (kind->smooth) {
        def.solid.solid = newSolid(def.size, young, kind->adaptive, &world->context);
        def.solid.adapt.error = 5e-3;
        snSolidBody_Make(&body, &def.solid, &world->context, &error);
    } else {
        body = newBlock(&def, &world->context, &error);
    }
    if (!CHECK(body != NULL)) printf("%s\n", error.message), exit(1);
    snAffine place = {snIdentity3(), at};
    snBody_Put(body, &place);
    if (!CHECK(snWorld_AddBody(world, body, &number, &error) == SN_OK))
        printf("%s\n", error.message), exit(1);
    return number;
}

static snWorld *newWorld(double step, int longest, const snContext *context)
{
    int two[2] = {1, longest};
    snWorldDef def = snDefaultWorldDef();
    snWorld *world;
    def.step = step;
    if (longest != PLAIN) def.lengthCount = longest == ALL ? 6 : 2;
    def.lengths = longest == ALL ? lengths : two;
    CHECK(snWorld_Make(&world, &def, context, NULL) == SN_OK);
    snWorldColliderDef floor = {.name = "floor", .shape = snMakeCollider(SN_COLLIDER_PLANE)};
    int number;
    floor.shape.friction = 0.5;
    CHECK(snWorld_AddCollider(world, &floor, &number, NULL) == SN_OK);
    return world;
}

// One body falls on another that lies on the floor and slides; a third hangs from a point that is led, and pulls
// the first by a spring; a hand has the second.
static snWorld *makeBusy(const Kind *kind, double step, int longest, const snContext *context)
{
    static const double times[3] = {0, 0.4, 0.8};
    static const snVec3 ways[3] = {{0.5, 0.8, 0.1}, {0.4, 0.7, 0.1}, {0.5, 0.75, 0.15}};
    snRouteDef way = {.count = 3, .times = times, .places = ways};
    snWorld *world = newWorld(step, longest, context);
    int a = addBody(world, kind, 1e5, snVec(0.05, 0.203, 0.02));
    int b = addBody(world, kind, 1e5, snVec(0, 0.001, 0));
    int c = addBody(world, kind, 5e4, snVec(0.4, 0.6, 0)), number;
    snAttachmentDef attachment = snDefaultAttachmentDef();
    attachment.body = c;
    attachment.spot = snRestSpot(snVec(0.15, 0.19, 0.1));
    attachment.path = &way;
    CHECK(snWorld_AddAttachment(world, &attachment, &number, NULL) == SN_OK);
    attachment = snDefaultAttachmentDef();
    attachment.body = a;
    attachment.spot = snVertexSpot(5);
    attachment.other = c;
    attachment.otherSpot = snVertexSpot(0);
    attachment.hard = kind->tied;
    attachment.stiffness = 300;
    attachment.damping = 2;
    CHECK(snWorld_AddAttachment(world, &attachment, &number, NULL) == SN_OK);
    CHECK(snWorld_Join(world, NULL) == SN_OK);
    snThrowDef toss = {.body = b, .time = 0, .velocity = {0.8, 0, 0.2}};
    CHECK(snWorld_AddThrow(world, &toss, NULL) == SN_OK);
    snGrabDef grab = {.body = b, .spot = snVertexSpot(1), .stiffness = 200, .damping = 3};
    CHECK(snWorld_Grab(world, &grab, &number, NULL) == SN_OK);
    return world;
}

static double apart(const snWorld *a, const snWorld *b)
{
    double worst = 0;
    for (int i = 0; i < a->bodies.count; i++)
        for (int v = 0; v < a->bodies.data[i]->vertexCount; v++)
            worst = fmax(worst, snDistance(snBody_Vertex(a->bodies.data[i], v),
                                           snBody_Vertex(b->bodies.data[i], v)));
    return worst;
}

// Vertices of the lower body that are as good as on the floor.
static int onFloor(const snWorld *world)
{
    const snBody *body = world->bodies.data[1];
    int count = 0;
    for (int v = 0; v < body->vertexCount; v++)
        count += snBody_Vertex(body, v).y < 1e-3;
    return count;
}

// To rounding, as long as that does not decide whether something slides. (Which vertices have a second matrix,
// turned.h, is the base's choice: free vertices that contacts give way to would choose one at eight ticks. The rows of
// adaptive bodies are scaled and not summed up anew, which differs by rounding; at eight ticks that is a thousand times
// more after each step where they slide, as any other change of the last bit is.)
static void onARungItIsTheBodyBuiltSo(void)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int k = 1; k < (kinds[i].soft || kinds[i].adaptive ? 5 : 6); k += 2) {
            snContext context = snDefaultContext();
            snWorld *rung = makeBusy(&kinds[i], TICK, lengths[k], &context);
            snWorld *built = makeBusy(&kinds[i], TICK * lengths[k], PLAIN, &context);
            int touching = 0, steps = 8;
            for (int n = 0; n < steps; n++) {
                snWorld_Advance(rung, lengths[k]);
                snWorld_Step(built);
                touching += onFloor(rung) > 0;
            }
            double miss = apart(rung, built);
            printf("    %s, steps of %d ticks: %.1e m apart after %d steps, %d of them on the "
                   "floor, %d functions\n",
                   kinds[i].name, lengths[k], miss, steps, touching, rung->tales.data[1].functions);
            bool linear = kinds[i].solver == SN_SOLVER_LINEAR;
            CHECK(miss < (kinds[i].single || (kinds[i].solver && !linear) ? 1e-6 : 1e-11));
            CHECK(touching > 3);
            CHECK(rung->ticks == steps * lengths[k] && rung->steps == steps);
            snWorld_Destroy(rung);
            snWorld_Destroy(built);
        }
}

// A fixed choice of lengths that is not regular.
static int lengthAt(int step)
{
    static const int some[] = {1, 4, 2, 8, 8, 3, 1, 1, 6, 2, 2, 4, 3};
    return some[step % 13];
}

// A body that swings at its held end, nearer to the fine steps than if all were as long as the longest.
static void mixedLengthsAreNearer(void)
{
    static const int all[3] = {1, 8, 0};
    snVec3 end[3];
    for (int i = 0; i < 3; i++) {
        snContext context = snDefaultContext();
        snWorld *world = newWorld(TICK, ALL, &context);
        addBody(world, &kinds[0], 1e5, snVec(0, 1, 0));
        snAttachmentDef attachment = snDefaultAttachmentDef();
        int number;
        for (int k = 0; k < 4; k++) {
            attachment.spot = snRestSpot(snVec(0, 0.2 * (k & 1), 0.1 * (k & 2)));
            CHECK(snWorld_AddAttachment(world, &attachment, &number, NULL) == SN_OK);
        }
        for (int step = 0; world->ticks < 96; step++) {
            int want = all[i] ? all[i] : lengthAt(step);
            snWorld_Advance(
                world,
                snWorld_Room(world, want < 96 - world->ticks ? want : (int)(96 - world->ticks)));
        }
        CHECK(world->ticks == 96);
        end[i] = snBody_Vertex(world->bodies.data[0], world->bodies.data[0]->vertexCount - 1);
        snWorld_Destroy(world);
    }
    double longest = snDistance(end[1], end[0]), mixed = snDistance(end[2], end[0]);
    printf("    from steps of one tick: %.4f m off with eight, %.4f m with some of each\n", longest,
           mixed);
    CHECK(mixed < 0.8 * longest && longest < 0.1);
}

// A body that falls on a smooth floor and comes to rest, against one that was built so stiff.
static void stiffnessOnRungsRests(void)
{
    static const double factors[] = {0.01, 100};
    for (int i = 0; i < 2; i++)
        for (size_t m = 0; m < 4; m++) {
            snContext context = snDefaultContext();
            double young = factors[i] < 1 ? 1e6 : 2e4, time = 0;
            snWorld *scaled = newWorld(TICK, m == 0 ? 2 : PLAIN, &context);
            snWorld *built = newWorld(TICK, PLAIN, &context);
            scaled->frame.data[0].friction = built->frame.data[0].friction = 0;
            addBody(scaled, &kinds[m], young, snVec(0, 0.05, 0));
            addBody(built, &kinds[m], young * factors[i], snVec(0, 0.05, 0));
            CHECK(snWorld_SetStiffness(scaled, 0, 1, &time, &factors[i], NULL) == SN_OK);
            double worst = 0;
            for (int k = 0; k < 320; k++) {
                snWorld_Step(scaled);
                snWorld_Step(built);
                worst = fmax(worst, apart(scaled, built));
            }
            snWorldMeasure a, b;
            snWorld_Measure(scaled, &a);
            snWorld_Measure(built, &b);
            double speed = sqrt(2 * a.sum.kinetic / a.sum.mass);
            printf("    %s, %g times: up to %.1e m apart, then %.1e m; %.1e m/s; %.4f and %.4f J\n",
                   kinds[m].name, factors[i], worst, apart(scaled, built), speed, a.sum.elastic,
                   b.sum.elastic);
            CHECK(worst < 2e-4 && apart(scaled, built) < 1e-5 && speed < (i ? 1e-5 : 2e-2));
            CHECK(scaled->tales.data[0].failures == 0 && scaled->tales.data[0].deepest < 0.01);
            CHECK_NEAR(a.sum.elastic, b.sum.elastic, 0.001 * b.sum.elastic);
            snWorld_Destroy(scaled);
            snWorld_Destroy(built);
        }
}

// A body from a hundredth to a hundred times as stiff and back, in steps of any length: on the floor, where it comes to
// rest; hung up by some points; and on the floor with one that is held.
static void stiffnessGoesThroughAllRungs(void)
{
    static const double times[] = {0, 0.4, 0.8, 1.2, 1.6}, factors[] = {1, 100, 1, 0.01, 1};
    static const char *const names[] = {"on the floor", "hung", "on the floor and held"};
    for (int i = 0; i < 12; i++) {
        const Kind *kind = &kinds[i / 3];
        int way = i % 3, points = way == 0 ? 0 : way == 1 ? 4 : 1;
        snContext context = snDefaultContext();
        snWorld *world = newWorld(TICK, ALL, &context);
        int a = addBody(world, kind, 1e5, snVec(0, way == 1 ? 1 : 0.01, 0)), number;
        for (int k = 0; k < points; k++) {
            snAttachmentDef attachment = snDefaultAttachmentDef();
            attachment.spot = snRestSpot(snVec(0.09 + 0.12 * (k & 1), 0.14, 0.07 + 0.03 * (k & 2)));
            CHECK(snWorld_AddAttachment(world, &attachment, &number, NULL) == SN_OK);
        }
        CHECK(snWorld_SetStiffness(world, a, 5, times, factors, NULL) == SN_OK);
        double highest = 0, miss = 0;
        snWorldMeasure measure;
        for (int step = 0; world->ticks < 512; step++) {
            snWorld_Advance(world, lengthAt(step));
            snWorld_Measure(world, &measure);
            highest = fmax(highest, measure.sum.kinetic);
            for (int k = 0; k < points; k++)
                miss = fmax(miss, snDistance(snBody_Place(world->bodies.data[a], k),
                                             world->held.data[k].anchor));
        }
        printf("    %s, %s: at most %.3f J, %.1e in the end, %d failures, held within %.1e m\n",
               kind->name, names[way], highest, measure.sum.kinetic, world->tales.data[a].failures,
               miss);
        CHECK(highest < 2 && measure.sum.kinetic < (way ? 0.1 : 1e-3) && miss < 1e-9);
        CHECK(world->tales.data[a].failures == 0);
        snWorld_Destroy(world);
    }
}

static void checkThreadsAndSaving(const Kind *kind)
{
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        snContext context = snDefaultContext();
        snThreadPool *pool = NULL;
        CHECK(snThreadPool_Make(&pool, i + 1, NULL) == SN_OK);
        context.tasks = snThreadPool_Tasks(pool);
        snWorld *world = makeBusy(kind, TICK, ALL, &context);
        snWorld *other = makeBusy(kind, TICK, ALL, &context);
        size_t size = snWorld_SaveSize(world);
        void *bytes = malloc(size);
        for (int step = 0; step < 60; step++) {
            if (step == 31) snWorld_Save(world, bytes);
            snWorld_Advance(world, lengthAt(step));
        }
        hash[i] = snWorld_Hash(world);
        snWorld_Advance(other, 6); // its rungs are not those of the other
        CHECK(snWorld_Restore(other, bytes, size, NULL) == SN_OK);
        for (int step = 31; step < 60; step++)
            snWorld_Advance(other, lengthAt(step));
        CHECK(snWorld_Hash(other) == hash[i]);
        free(bytes);
        snWorld_Destroy(world);
        snWorld_Destroy(other);
        snThreadPool_Destroy(pool);
    }
    CHECK(hash[0] == hash[1]);
}

static void threadsAndSavingChangeNothing(void)
{
    checkThreadsAndSaving(&kinds[0]);
    checkThreadsAndSaving(&kinds[ADAPTIVE]);
    checkThreadsAndSaving(&kinds[ADAPTIVE + 1]); // tied
}

static void checkAllocations(const Kind *kind)
{
    snContext context = snDefaultContext();
    snFailingMemory memory = {0};
    snTest_UseFailingMemory(&context, &memory);
    snWorld *world = makeBusy(kind, TICK, ALL, &context);
    int before = memory.count;
    for (int step = 0; step < 60; step++)
        snWorld_Advance(world, lengthAt(step));
    CHECK(memory.count == before);
    snWorld_Destroy(world);
    CHECK(memory.alive == 0);
}

static void stepsAllocateNothing(void)
{
    checkAllocations(&kinds[0]);
    checkAllocations(&kinds[ADAPTIVE]);
}

// Steps end where something is to happen.
static void eventsAreLandedOn(void)
{
    snContext context = snDefaultContext();
    snWorld *world = newWorld(TICK, ALL, &context);
    snAttachmentDef attachment = snDefaultAttachmentDef();
    int a = addBody(world, &kinds[0], 1e5, snVec(0, 1, 0)), number;
    attachment.spot = snRestSpot(snVec(0.15, 0.1, 0.1));
    attachment.from = 21 * TICK;
    attachment.to = 33.5 * TICK;
    CHECK(snWorld_AddAttachment(world, &attachment, &number, NULL) == SN_OK);
    snThrowDef toss = {.body = a, .time = 10.2 * TICK, .velocity = {0, 1, 0}};
    CHECK(snWorld_AddThrow(world, &toss, NULL) == SN_OK);
    const int64_t ends[] = {8, 11, 19, 21, 29, 33, 34, 42};
    for (int i = 0; i < 8; i++) {
        snWorld_Advance(world, snWorld_Room(world, 8));
        CHECK(world->ticks == ends[i]);
    }
    CHECK(snWorld_Room(world, 5) == 4 && snWorld_Room(world, 0) == 1);
    snWorld_Destroy(world);
}

static void badRangesAreRefused(void)
{
    snContext context = snDefaultContext();
    snWorldDef def = snDefaultWorldDef();
    snWorld *world;
    static const int wrong[][3] = {{2, 3, 4}, {1, 1, 2}, {1, 3, 2}, {0, 1, 2}};
    for (int i = 0; i < 4; i++) {
        def.lengthCount = 3;
        def.lengths = wrong[i];
        CHECK(snWorld_Make(&world, &def, &context, NULL) == SN_ERROR_ARGUMENT && !world);
    }
    def.lengthCount = 99;
    CHECK(snWorld_Make(&world, &def, &context, NULL) == SN_ERROR_ARGUMENT);
    BlockDef block = blockDef();
    snBody *body = newBlock(&block, &context, NULL);
    snBodyRange ranges[] = {{0, 1, 0, NULL},
                            {2, 1, 0, NULL},
                            {1, 1e9, 0, NULL},
                            {1, 1, 3, wrong[0]},
                            {(double)NAN, 1, 0, NULL}};
    for (int i = 0; i < 5; i++) {
        CHECK(snBody_Prepare(body, &ranges[i], NULL) == SN_ERROR_ARGUMENT);
        CHECK(body->constantMatrix);
    }
    snBody_Destroy(body);
}

// A body that cannot be made ready is as it was built.
static void failInTurn(snBody *body, snFailingMemory *memory)
{
    snBodyRange range = {.softest = 0.7, .stiffest = 2, .lengthCount = 2, .lengths = lengths};
    bool done = false, constant = body->constantMatrix;
    int failures = 0;
    for (int failAt = 1; failAt < 1000 && !done; failAt++) {
        memory->failAt = memory->count + failAt;
        snStatus status = snBody_Prepare(body, &range, NULL);
        done = status == SN_OK;
        failures += !done;
        CHECK(done || (status == SN_ERROR_MEMORY && body->constantMatrix == constant));
    }
    memory->failAt = 0;
    snBodyStep step = {.length = 2 * body->step, .ticks = 2, .stiffness = 1.5};
    snBodyReport report;
    snBody_Begin(body, &step);
    snBody_Advance(body);
    snBody_Finish(body, &report);
    CHECK(done && failures > 20 && !report.failed);
    snBody_Destroy(body);
}

static void memoryRunsOut(void)
{
    snContext context = snDefaultContext();
    snFailingMemory memory = {0};
    snTest_UseFailingMemory(&context, &memory);
    BlockDef block = blockDef();
    block.n = block.m = block.k = 1;
    failInTurn(newBlock(&block, &context, NULL), &memory);
    snSolidBodyDef def = snDefaultSolidBodyDef();
    snBody *body = NULL;
    def.solid = newSolid(snVec(0.3, 0.2, 0.2), 1e5, true, &context);
    CHECK(snSolidBody_Make(&body, &def, &context, NULL) == SN_OK);
    failInTurn(body, &memory);
    CHECK(memory.alive == 0);
}

int main(void)
{
    RUN(onARungItIsTheBodyBuiltSo);
    RUN(mixedLengthsAreNearer);
    RUN(stiffnessOnRungsRests);
    RUN(stiffnessGoesThroughAllRungs);
    RUN(threadsAndSavingChangeNothing);
    RUN(stepsAllocateNothing);
    RUN(eventsAreLandedOn);
    RUN(badRangesAreRefused);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
