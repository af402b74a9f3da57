// Skins with levels of resolution in a world: a made-up clock that overloads and relaxes changes them, what was recorded plays again to the
// same bits on any number of threads, switching moves the surface by little and keeps momentum, and nothing is allocated.
#include "body/skin/levels.h"
#include "layered/play.h"
#include "platform/threads.h"
#include "tests/layered/made.h"
#include "tests/world/worlds.h"
#include "world/pace.h"
#include "world/recording.h"

// A body with two arms that swings.
#define DANCER                                                                                     \
    "settings duration=1 rate=30 loop=yes\n"                                                       \
    "joint add low parent=none at=0,-0.2,0 size=4cm\n"                                             \
    "joint add mid at=0,0.2,0 size=2cm\n"                                                          \
    "joint add high at=0,0.2,0 kind=fixed size=4cm\n"                                              \
    "muscle add ball joint=mid size=0.18\n"                                                        \
    "muscle add arm.l joint=mid at=0.16,0,0 size=0.07\n"                                           \
    "mirror left=.l right=.r\n"                                                                    \
    "skin create bottom=low top=high rows=32 columns=32 gap=5mm\nskin attach\n"                    \
    "skin paint elasticity=60 stiffness=6000 metric=0.85,0,0.85\n"                                 \
    "posture keep a time=0\npose joint mid angles=0,0,20\npose joint low shift=0.06,0,0\n"         \
    "posture keep b time=0.5\npose reset\nposture keep c time=1\n"

typedef struct Room {
    snThreadPool *pool;
    snContext context;
    snFailingMemory memory;
    snEditor editor;
    snWorld *world;
} Room;

static Room *makeMeeting(int threads, bool meets)
{
    Room *room = calloc(1, sizeof *room);
    snWorldDef def = snDefaultWorldDef();
    snPlayBodyDef body = {.name = "dancer",
                          .step = def.step,
                          .play = {.settle = 0.2, .smooth = 1},
                          .mostPoints = 2,
                          .levels = 3,
                          .meets = meets,
                          .friction = -1};
    snBody *made;
    int number;
    snError error = {0};
    room->context = snDefaultContext();
    CHECK(snThreadPool_Make(&room->pool, threads, NULL) == SN_OK);
    room->context.tasks = snThreadPool_Tasks(room->pool);
    room->memory.failAt = 1 << 30;
    room->editor = makeEditor(DANCER);
    snTest_UseFailingMemory(&room->context, &room->memory);
    snLayered layered = room->editor.layered;
    room->editor.layered.context = room->context;
    if (!CHECK(snPlayBody_Make(&made, &room->editor.layered, &body, &error) == SN_OK))
        printf("%s\n", error.message);
    room->editor.layered.context = layered.context;
    CHECK(snWorld_Make(&room->world, &def, &room->context, NULL) == SN_OK);
    CHECK(snWorld_AddBody(room->world, made, &number, NULL) == SN_OK);
    CHECK(snWorld_LevelCount(room->world) == 3);
    return room;
}

static Room *makeRoom(int threads)
{
    return makeMeeting(threads, false);
}

static void freeRoom(Room *room)
{
    snWorld_Destroy(room->world);
    snEditor_Destroy(&room->editor);
    CHECK(room->memory.alive == 0);
    snThreadPool_Destroy(room->pool);
    free(room);
}

// What a machine takes for a step at a level, µs: its load comes and goes.
static int64_t costAt(int level, int64_t tick)
{
    static const int64_t costs[3] = {6000, 1500, 400};
    int64_t load = tick < 20 ? 1 : tick < 50 ? 12 : 1;
    return costs[level] * load;
}

static void replaysGiveTheSameBits(void)
{
    Room *room = makeRoom(2);
    snWorld *world = room->world;
    snRecorder recorder = snMakeRecorder(&room->editor.layered.context);
    snPaceDef def = snDefaultPaceDef();
    snPace pace;
    int level = 0, coarsest = 0;
    def.levelCount = 3;
    CHECK(snPace_Begin(&pace, &def, NULL) == SN_OK);
    snRecorder_Begin(&recorder, world);
    int count = room->memory.count;
    for (int k = 0; k < 110; k++) {
        if (snPace_Level(&pace) != level)
            snRecorder_SetLevel(&recorder, world, level = snPace_Level(&pace));
        coarsest = level > coarsest ? level : coarsest;
        snRecorder_Advance(&recorder, world, 1);
        int64_t cost = costAt(level, k);
        snPace_Took(&pace, 1, cost, snPace_Wait(&pace) + cost);
    }
    CHECK(room->memory.count == count); // neither steps nor changes allocate
    CHECK(coarsest == 2 && level == 0 && !pace.stretches);
    CHECK(world->tales.data[0].failures == 0);
    CHECK(snRecorder_End(&recorder, world, NULL) == SN_OK);
    uint64_t hash = snWorld_Hash(world);
    printf("steps at levels %lld %lld %lld, %d changes; recorded in %zu bytes, hash %016llx\n",
           (long long)pace.levelSteps[0], (long long)pace.levelSteps[1],
           (long long)pace.levelSteps[2], pace.levelChanges, recorder.bytes.size,
           (unsigned long long)hash);
    freeRoom(room);
    for (int threads = 1; threads <= 3; threads++) {
        room = makeRoom(threads);
        snReplay replay;
        snError error = {0};
        int ticks;
        CHECK(snReplay_Open(&replay, recorder.bytes.data, recorder.bytes.size, NULL) == SN_OK);
        CHECK(replay.levelCount == 3 && snReplay_Check(&replay, room->world, NULL) == SN_OK);
        snStatus status = SN_OK;
        while (!(status = snReplay_Next(&replay, room->world, &ticks, &error)) && ticks)
            snWorld_Advance(room->world, ticks);
        if (!CHECK(status == SN_OK)) printf("%s\n", error.message);
        CHECK(snWorld_Hash(room->world) == hash);
        freeRoom(room);
    }
    snRecorder_Destroy(&recorder);
}

static double surfaceMoves(snBody *body, snVec3 *before, double *rms)
{
    double worst = 0, sum = 0;
    for (int v = 0; v < body->vertexCount; v++) {
        double d = snDistance(before[v], snBody_Vertex(body, v));
        worst = d > worst ? d : worst;
        sum += d * d;
    }
    *rms = sqrt(sum / body->vertexCount);
    return worst;
}

// Down and up again, while it moves fastest.
static void switchingMovesLittle(void)
{
    Room *room = makeRoom(1);
    snBody *body = room->world->bodies.data[0];
    snVec3 *before = malloc((size_t)body->vertexCount * sizeof *before);
    static const int levels[] = {1, 2, 1, 0, 2, 0};
    for (int k = 0; k < 6; k++) {
        snBodyMeasure was, is;
        double rms;
        for (int i = 0; i < 5; i++)
            snWorld_Step(room->world);
        snBody_Measure(body, &was);
        for (int v = 0; v < body->vertexCount; v++)
            before[v] = snBody_Vertex(body, v);
        snWorld_SetLevel(room->world, levels[k]);
        snBody_Measure(body, &is);
        double worst = surfaceMoves(body, before, &rms);
        snElasticSkin *skin = snSkinBody_Skin(snSkinBody_Moving(body));
        printf("to level %d: the surface moves by %.2f mm at most, %.2f mm in the mean of squares; "
               "momentum %.1e, mass %.2f %%, deepest %.1e\n",
               levels[k], 1e3 * worst, 1e3 * rms, snDistance(was.momentum, is.momentum),
               100 * (is.mass / was.mass - 1), snElasticSkin_Deepest(skin));
        // Of its height, 0.4 m: with a quarter of the points, and with a sixteenth.
        bool coarse = levels[k] == 2 || (k > 0 && levels[k - 1] == 2);
        CHECK(worst < (coarse ? 0.06 : 0.03) * 0.4 && rms < (coarse ? 0.01 : 0.005) * 0.4);
        CHECK(snDistance(was.momentum, is.momentum) < 1e-12);
        CHECK(snDistance(was.angularMomentum, is.angularMomentum) < 1e-12);
        CHECK(fabs(is.mass / was.mass - 1) < 1e-12);
        CHECK(snElasticSkin_Deepest(skin) < 1e-4);
    }
    free(before);
    freeRoom(room);
}

// State is saved with its level; points can be held at all of them.
static void levelsAreState(void)
{
    Room *room = makeRoom(1);
    snBody *body = room->world->bodies.data[0];
    snBodySpot spot = snVertexSpot(200);
    int point;
    CHECK(snBody_Locate(body, &spot, &point, NULL) == SN_OK);
    snWorld_SetLevel(room->world, 1);
    snWorld_Step(room->world);
    size_t size = snWorld_SaveSize(room->world);
    void *bytes = malloc(size);
    snWorld_Save(room->world, bytes);
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        snVec3 near = snBody_Vertex(body, 200);
        CHECK(snDistance(snBody_Place(body, point), near) < 0.03);
        for (int i = 0; i < 4; i++)
            snWorld_Step(room->world);
        snWorld_SetLevel(room->world, 9); // the coarsest
        snWorld_Step(room->world);
        hashes[k] = snWorld_Hash(room->world);
        CHECK(snWorld_Restore(room->world, bytes, size, NULL) == SN_OK);
    }
    CHECK(hashes[0] == hashes[1]);
    snBody_Forget(body, point);
    free(bytes);
    freeRoom(room);
}

// A block that is dropped on it comes to lie on it, whatever its level, also while levels change.
static void othersAreMet(void)
{
    static const int plans[4][2] = {
        {0, 0}, {1, 1}, {2, 2}, {0, 2}}; // before and after half of the time
    double heights[4];
    for (int k = 0; k < 4; k++) {
        Room *room = makeMeeting(1, true);
        BlockDef block = blockDef();
        block.size = snVec(0.3, 0.1, 0.3);
        block.solid.name = "block";
        block.solid.meets = true;
        block.solid.density = 300;
        addBlock(room->world, &block, snVec(-0.15, 0.26, -0.15));
        CHECK(snWorld_Join(room->world, NULL) == SN_OK);
        snBody *skin = room->world->bodies.data[0], *other = room->world->bodies.data[1];
        double deepest = 0, thrown = 0;
        for (int i = 0; i < 40; i++) {
            snBodyMeasure m;
            if (i % 20 == 0) snWorld_SetLevel(room->world, plans[k][i / 20]);
            int count = room->memory.count;
            snWorld_Step(room->world);
            CHECK(room->memory.count == count);
            deepest = fmax(deepest, room->world->reports.data[0].contact.deepest);
            snBody_Measure(other, &m);
            heights[k] = m.center.y;
            thrown = fmax(thrown, m.center.y);
        }
        printf("a block on a skin at level %d, then %d (%d points): its centre at %.1f mm at last, "
               "deepest %.2f mm\n",
               plans[k][0], plans[k][1], snSkinBody_Skin(snSkinBody_Moving(skin))->mesh->pointCount,
               1e3 * heights[k], 1e3 * deepest);
        CHECK(heights[k] > 0.2 && thrown < 0.34 && deepest < 0.01);
        CHECK(fabs(heights[k] - heights[0]) < 0.03);
        freeRoom(room);
    }
}

int main(void)
{
    RUN(replaysGiveTheSameBits);
    RUN(switchingMovesLittle);
    RUN(levelsAreState);
    RUN(othersAreMet);
    return snTest_Finish();
}
