// Recordings: played again they give the same bits on any number of threads; what is cut off, damaged, or of another
// world is refused.
#include "core/hash.h"
#include "core/random.h"
#include "platform/threads.h"
#include "tests/body/solids.h"
#include "world/pace.h"
#include "world/recording.h"

#include <stdlib.h>
#include <string.h>

static const int lengths[] = {1, 2, 4};

// A block that falls on the floor, on threads.
typedef struct Room {
    snContext context;
    snThreadPool *pool;
    snWorld *world;
} Room;

static Room makeRoom(int threads, double young)
{
    Room room = {.context = snDefaultContext()};
    CHECK(snThreadPool_Make(&room.pool, threads, NULL) == SN_OK);
    room.context.tasks = snThreadPool_Tasks(room.pool);
    snWorldDef def = snDefaultWorldDef();
    def.lengthCount = 3;
    def.lengths = lengths;
    CHECK(snWorld_Make(&room.world, &def, &room.context, NULL) == SN_OK);
    snWorldColliderDef floor = {.name = "floor", .shape = snMakeCollider(SN_COLLIDER_PLANE)};
    int number;
    CHECK(snWorld_AddCollider(room.world, &floor, &number, NULL) == SN_OK);
    BlockDef block = blockDef();
    block.young = young;
    snBody *body = newBlock(&block, &room.context, NULL);
    snAffine place = {snIdentity3(), {0, 0.02 + 1e-12 * young, 0}};
    snBody_Put(body, &place);
    CHECK(snWorld_AddBody(room.world, body, &number, NULL) == SN_OK);
    return room;
}

static void freeRoom(Room *room)
{
    snWorld_Destroy(room->world);
    snThreadPool_Destroy(room->pool);
}

// Paced by made-up durations, with a hand that takes hold, moves and lets go.
static uint64_t record(Room *room, snRecorder *recorder)
{
    snPaceDef def = snDefaultPaceDef();
    snPace pace;
    int hard, soft;
    def.lengthCount = 3;
    def.lengths = lengths;
    CHECK(snPace_Begin(&pace, &def, NULL) == SN_OK);
    snRecorder_Begin(recorder, room->world);
    for (int k = 0; k < 90; k++) {
        snGrabDef grab = {.body = 0, .spot = snVertexSpot(3), .hard = true};
        if (k == 20) CHECK(!snRecorder_Grab(recorder, room->world, &grab, &hard, NULL));
        grab = (snGrabDef){.spot = snRestSpot(snVec(0.1, 0.1, 0.1)), .stiffness = 50, .damping = 1};
        if (k == 30) CHECK(!snRecorder_Grab(recorder, room->world, &grab, &soft, NULL));
        if (k >= 30 && k < 60)
            snRecorder_MoveGrab(recorder, room->world, soft, snVec(0.1, 0.1 + 0.002 * k, 0));
        if (k == 60) snRecorder_Release(recorder, room->world, hard);
        int ticks = snWorld_Room(room->world, snPace_Next(&pace));
        snRecorder_Advance(recorder, room->world, ticks);
        snPace_Took(&pace, ticks, k < 40 ? 2000 : 12000, k < 40 ? 8000 : 12000);
    }
    CHECK(snRecorder_End(recorder, room->world, NULL) == SN_OK);
    CHECK(pace.steps[0] > 10 && pace.steps[1] > 10);
    return snWorld_Hash(room->world);
}

static snStatus play(Room *room, const void *bytes, size_t size, snError *error)
{
    snReplay replay;
    snStatus status = snReplay_Open(&replay, bytes, size, error);
    if (!status) status = snReplay_Check(&replay, room->world, error);
    for (int ticks = 1; ticks && !status;) {
        status = snReplay_Next(&replay, room->world, &ticks, error);
        if (!status && ticks) snWorld_Advance(room->world, ticks);
    }
    return status;
}

static void playedAgainItIsTheSame(void)
{
    Room first = makeRoom(1, 1e5);
    snRecorder recorder = snMakeRecorder(&first.context);
    uint64_t hash = record(&first, &recorder);
    printf("    %zu bytes for %lld steps and 33 inputs\n", recorder.bytes.size,
           (long long)first.world->steps);
    CHECK(recorder.bytes.size < 1400);
    for (int threads = 1; threads <= 3; threads++) {
        Room room = makeRoom(threads, 1e5);
        snError error = {0};
        if (!CHECK(!play(&room, recorder.bytes.data, recorder.bytes.size, &error)))
            printf("    %s\n", error.message);
        CHECK(snWorld_Hash(room.world) == hash && room.world->ticks == first.world->ticks);
        freeRoom(&room);
    }
    Room other = makeRoom(1, 1.1e5);
    snError error = {0};
    CHECK(play(&other, recorder.bytes.data, recorder.bytes.size, &error) == SN_ERROR_ARGUMENT);
    printf("    %s\n", error.message);
    freeRoom(&other);
    snRecorder_Destroy(&recorder);
    freeRoom(&first);
}

// The end of a run that went elsewhere is not taken for the recorded one.
static void otherEndsAreSeen(void)
{
    Room first = makeRoom(1, 1e5), again = makeRoom(1, 1e5);
    snRecorder recorder = snMakeRecorder(&first.context);
    record(&first, &recorder);
    snReplay replay;
    snError error = {0};
    snStatus status = snReplay_Open(&replay, recorder.bytes.data, recorder.bytes.size, NULL);
    CHECK(!status && replay.steps == 90 && replay.ticks == first.world->ticks);
    for (int ticks = 1, k = 0; ticks && !status; k++) {
        status = snReplay_Next(&replay, again.world, &ticks, &error);
        if (k == 50)
            snBody_SetVelocity(again.world->bodies.data[0], snVec(1, 0, 0), snVec(0, 0, 0));
        if (!status && ticks) snWorld_Advance(again.world, ticks);
    }
    CHECK(status == SN_ERROR_NUMERIC);
    printf("    %s\n", error.message);
    snRecorder_Destroy(&recorder);
    freeRoom(&first);
    freeRoom(&again);
}

static void brokenOnesAreRefused(void)
{
    Room room = makeRoom(1, 1e5);
    snRecorder recorder = snMakeRecorder(&room.context);
    record(&room, &recorder);
    size_t size = recorder.bytes.size;
    uint8_t *bytes = malloc(size + 1);
    snReplay replay;
    snError error = {0};
    for (size_t cut = 0; cut < size; cut++) {
        memcpy(bytes, recorder.bytes.data, cut);
        uint8_t *exact = malloc(cut ? cut : 1); // what is read beyond it is seen by sanitizers
        memcpy(exact, bytes, cut);
        CHECK(snReplay_Open(&replay, exact, cut, &error) == SN_ERROR_FORMAT);
        free(exact);
    }
    printf("    %s\n", error.message);
    for (size_t at = 0; at < size; at++)
        for (int bit = 0; bit < 8; bit += 7) {
            memcpy(bytes, recorder.bytes.data, size);
            bytes[at] = (uint8_t)(bytes[at] ^ 1 << bit);
            snStatus status = snReplay_Open(&replay, bytes, size, &error);
            CHECK(status == SN_ERROR_FORMAT || (status == SN_ERROR_UNSUPPORTED && at < 12));
        }
    memcpy(bytes, recorder.bytes.data, size);
    bytes[size] = 0; // something behind it
    CHECK(snReplay_Open(&replay, bytes, size + 1, NULL) == SN_ERROR_FORMAT);
    bytes[8] = 9;
    CHECK(snReplay_Open(&replay, bytes, size, &error) == SN_ERROR_UNSUPPORTED);
    printf("    %s\n", error.message);
    bytes[0] = 'P';
    CHECK(snReplay_Open(&replay, bytes, size, &error) == SN_ERROR_FORMAT);
    printf("    %s\n", error.message);
    free(bytes);
    snRecorder_Destroy(&recorder);
    freeRoom(&room);
}

static void putHash(uint8_t *bytes, size_t size)
{
    uint64_t hash = snHash(SN_HASH_BEGIN, bytes, size - 8);
    for (int k = 0; k < 8; k++)
        bytes[size - 8 + (size_t)k] = (uint8_t)(hash >> 8 * k);
}

// Made by somebody who knows how: what is wrong in it but for the hash is refused, or played without harm.
static void wickedOnesDoNoHarm(void)
{
    Room room = makeRoom(1, 1e5);
    snRecorder recorder = snMakeRecorder(&room.context);
    record(&room, &recorder);
    size_t size = recorder.bytes.size;
    uint8_t *bytes = malloc(size);
    int opened = 0, refused = 0;
    snRandom random = snMakeRandom(7);
    for (int k = 0; k < 4000; k++) {
        snReplay replay;
        snError error = {0};
        memcpy(bytes, recorder.bytes.data, size);
        for (int n = 0; n < 1 + k % 3; n++)
            bytes[8 + snRandom_Below(&random, (int)size - 16)] =
                (uint8_t)snRandom_Below(&random, 256);
        putHash(bytes, size);
        snStatus status = snReplay_Open(&replay, bytes, size, &error);
        refused += status != SN_OK;
        CHECK(!status || error.message[0]);
        for (int ticks = 1, n = 0; ticks && !status && n < 300; n++) {
            status = snReplay_Next(&replay, room.world, &ticks, &error);
            if (n == 299) opened++;
            CHECK(!status || error.message[0]);
        }
        for (int g = 0; g < room.world->def.mostGrabs; g++)
            snWorld_Release(room.world, g);
    }
    printf("    %d refused, %d with long runs\n", refused, opened);
    CHECK(refused > 100);
    free(bytes);
    snRecorder_Destroy(&recorder);
    freeRoom(&room);
}

// Of a world without lengths, and of one that does nothing.
static void plainWorlds(void)
{
    snContext context = snDefaultContext();
    snWorldDef def = snDefaultWorldDef();
    snWorld *world, *other;
    CHECK(!snWorld_Make(&world, &def, &context, NULL) &&
          !snWorld_Make(&other, &def, &context, NULL));
    snRecorder recorder = snMakeRecorder(&context);
    snRecorder_Begin(&recorder, world);
    for (int k = 0; k < 1000; k++)
        snRecorder_Advance(&recorder, world, 1);
    CHECK(!snRecorder_End(&recorder, world, NULL) && recorder.bytes.size < 100);
    Room room = {.world = other};
    CHECK(!play(&room, recorder.bytes.data, recorder.bytes.size, NULL) && other->ticks == 1000);
    snRecorder_Begin(&recorder, world);
    CHECK(!snRecorder_End(&recorder, world, NULL));
    CHECK(play(&room, recorder.bytes.data, recorder.bytes.size, NULL) == SN_OK); // it is there
    snRecorder_Destroy(&recorder);
    snWorld_Destroy(world);
    snWorld_Destroy(other);
}

static void memoryRunsOut(void)
{
    snContext plain = snDefaultContext(), context = plain;
    snWorldDef def = snDefaultWorldDef();
    snWorld *world;
    CHECK(!snWorld_Make(&world, &def, &plain, NULL));
    bool done = false;
    for (int failAt = 1; failAt < 20 && !done; failAt++) {
        snFailingMemory memory = {.failAtWay = failAt};
        snTest_UseFailingMemory(&context, &memory);
        snRecorder recorder = snMakeRecorder(&context);
        snRecorder_Begin(&recorder, world);
        for (int k = 0; k < 200; k++) {
            snRecorder_Advance(&recorder, world, 1);
            snRecorder_MoveGrab(&recorder, world, 0, snVec(0, 0, 0));
        }
        snStatus status = snRecorder_End(&recorder, world, NULL);
        done = status == SN_OK;
        CHECK(done || status == SN_ERROR_MEMORY);
        snRecorder_Destroy(&recorder);
        CHECK(memory.alive == 0);
    }
    CHECK(done);
    snWorld_Destroy(world);
}

int main(void)
{
    RUN(playedAgainItIsTheSame);
    RUN(otherEndsAreSeen);
    RUN(brokenOnesAreRefused);
    RUN(wickedOnesDoNoHarm);
    RUN(plainWorlds);
    RUN(memoryRunsOut);
    return snTest_Finish();
}
