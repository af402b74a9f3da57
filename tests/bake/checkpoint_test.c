// A bake that is stopped anywhere and taken up again ends with the bits of one that was not.
#include "tests/test.h"

#include "asset/gltf.h"
#include "bake/archive.h"
#include "bake/bake.h"
#include "core/core.h"
#include "core/hash.h"
#include "core/random.h"
#include "tests/hostile/corpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static snContext context;
static snCharacter character;
static snFlesh *plain; // built once

static snFlesh *build(snSolver solver, int details)
{
    snFleshDef def = snDefaultFleshDef();
    snFlesh *flesh = NULL;
    snError error = {0};
    def.cells = 60;
    def.solver = solver;
    def.details = details;
    if (solver == SN_SOLVER_NEWTON) def.iterations = 1;
    if (snFlesh_Build(&flesh, &character, &def, &context, &error)) {
        printf("%s\n", error.message);
        exit(1);
    }
    return flesh;
}

static snBakeDef someClips(void)
{
    static const int clips[2] = {0, 0}; // its walk, twice
    snBakeDef def = snDefaultBakeDef();
    def.clips = clips;
    def.clipCount = 2;
    def.frameRate = 10;
    def.stepRate = 40;
    def.middles = true;
    return def;
}

// Everything that a bake computes.
static uint64_t hashBake(const snBake *bake)
{
    size_t n = (size_t)bake->vertexCount * sizeof(snVec3f);
    size_t m = (size_t)bake->flesh->lattice.vertexCount * sizeof(snVec3f);
    uint64_t hash = snHash(SN_HASH_BEGIN, &bake->steps, sizeof bake->steps);
    hash = snHash(hash, &bake->halvings, sizeof bake->halvings);
    hash = snHash(hash, &bake->resets, sizeof bake->resets);
    hash = snHash(hash, &bake->simulated, sizeof bake->simulated);
    for (int i = 0; i < bake->events.count; i++) {
        const snBakeEvent *e = &bake->events.list[i];
        const double numbers[] = {e->trouble, e->remedy, e->clip,       e->joint,
                                  e->joints,  e->times,  e->firstFrame, e->lastFrame,
                                  e->from,    e->to,     e->size};
        hash = snHash(hash, numbers, sizeof numbers);
    }
    for (int i = 0; i < bake->clipCount; i++) {
        const snBakedClip *clip = &bake->clips[i];
        const double numbers[] = {clip->loops,       clip->closing, clip->prerolled,
                                  clip->repeats,     clip->loopGap, clip->largestOffset,
                                  clip->frameTime,   clip->start,   clip->largestStretch,
                                  clip->wholeStretch};
        size_t frames = (size_t)clip->frameCount;
        hash = snHash(hash, numbers, sizeof numbers);
        hash = snHash(hash, clip->lattice, frames * m);
        for (int f = 0; f < clip->frameCount; f++) {
            hash = snHash(hash, snBake_Surface(bake, i, f, false), n);
            if (clip->hasMiddles && f + 1 < clip->frameCount)
                hash = snHash(hash, snBake_Surface(bake, i, f, true), n);
        }
    }
    return hash;
}

// Memory in the place of files. Bytes behind the last state are those of a save that did not end.
typedef struct Store {
    snBytes frames, state;
    size_t committed; // of the frames
    int calls, stopAt, every, saves;
} Store;

static Store makeStore(void)
{
    return (Store){.frames = snMakeBytes(&context), .state = snMakeBytes(&context)};
}

static void freeStore(Store *store)
{
    snBytes_Destroy(&store->frames);
    snBytes_Destroy(&store->state);
}

static bool tellStore(void *user, const snBakeProgress *progress)
{
    Store *store = user;
    CHECK(progress->fraction >= 0 && progress->fraction <= 1);
    return ++store->calls != store->stopAt;
}

static bool isDue(void *user, bool end)
{
    const Store *store = user;
    return store->every && (end || store->calls % store->every == 0);
}

static snStatus append(void *user, const void *bytes, size_t size, snError *error)
{
    Store *store = user;
    snBytes_Append(&store->frames, bytes, size);
    return snBytes_Check(&store->frames, error);
}

static snStatus commit(void *user, const void *bytes, size_t size, snError *error)
{
    Store *store = user;
    snBytes_Clear(&store->state);
    snBytes_Append(&store->state, bytes, size);
    store->committed = store->frames.size;
    store->saves++;
    return snBytes_Check(&store->state, error);
}

// Runs until the store stops it, from what the store has.
static snStatus run(snBake **bake, const snFlesh *flesh, snBakeDef def, Store *store,
                    snError *error)
{
    store->calls = 0;
    store->frames.size = store->committed;
    def.progress = (snProgressHook){tellStore, store};
    def.checkpoint = (snCheckpointHook){.due = isDue,
                                        .append = append,
                                        .commit = commit,
                                        .user = store,
                                        .state = store->state.size ? store->state.data : NULL,
                                        .stateSize = store->state.size,
                                        .frames = store->frames.data,
                                        .framesSize = store->frames.size};
    return snBake_Run(bake, flesh, &def, &context, error);
}

static uint64_t bakeWhole(const snFlesh *flesh, const snBakeDef *def, int *calls)
{
    Store store = makeStore();
    snBake *bake = NULL;
    snError error = {0};
    CHECK(run(&bake, flesh, *def, &store, &error) == SN_OK);
    uint64_t hash = hashBake(bake);
    *calls = store.calls;
    CHECK(store.saves == 0);
    for (int i = 0; i < bake->clipCount; i++)
        printf("  clip %d: %d frames, %d rounds before, %.2f s of pre-roll\n", i,
               bake->clips[i].frameCount, bake->clips[i].repeats, bake->clips[i].prerolled);
    snBake_Destroy(bake);
    freeStore(&store);
    return hash;
}

// Stopped at a frame, taken up again, stopped again, taken up again.
static void stopAndGoOn(const snFlesh *flesh, const snBakeDef *def, int first, int second,
                        uint64_t expected)
{
    Store store = makeStore();
    snBake *bake = NULL;
    snError error = {0};
    store.every = 7;
    store.stopAt = first;
    CHECK(run(&bake, flesh, *def, &store, &error) == SN_ERROR_CANCELLED && !bake);
    CHECK(store.state.size > 0);
    append(&store, "half a frame", 12, NULL); // what a crash leaves
    store.stopAt = second;
    snStatus status = run(&bake, flesh, *def, &store, &error);
    if (status == SN_ERROR_CANCELLED) {
        store.stopAt = 0;
        status = run(&bake, flesh, *def, &store, &error);
    }
    if (!CHECK(status == SN_OK)) printf("%s\n", error.message);
    if (!status && !CHECK(hashBake(bake) == expected))
        printf("stopped at frames %d and %d\n", first, second);
    snBake_Destroy(bake);
    freeStore(&store);
}

static void tryPlaces(const snFlesh *flesh, const snBakeDef *def, int places)
{
    snRandom random = snMakeRandom(2026);
    int calls;
    uint64_t expected = bakeWhole(flesh, def, &calls);
    snBakeDef lean = *def; // surfaces that are found again are the same, after a stop too
    lean.lean = true;
    CHECK(bakeWhole(flesh, &lean, &calls) == expected);
    stopAndGoOn(flesh, &lean, 1 + calls / 2, 1 + calls / 3, expected);
    for (int i = 0; i < places; i++) {
        int first = 1 + snRandom_Below(&random, calls);
        stopAndGoOn(flesh, def, first, 1 + snRandom_Below(&random, calls), expected);
    }
}

static void anyFrameOfLoops(void)
{
    snBakeDef def = someClips();
    tryPlaces(plain, &def, 10);
    def.loop = SN_LOOP_NEVER; // with a pre-roll, a range, and no middles
    def.preroll = 0.4;
    def.from = 0.2;
    def.to = 0.8;
    def.middles = false;
    tryPlaces(plain, &def, 4);
}

static void anySolver(void)
{
    static const snSolver solvers[] = {SN_SOLVER_NEWTON, SN_SOLVER_BLENDED, SN_SOLVER_PROJECTIVE};
    for (int i = 0; i < 3; i++) {
        snFlesh *flesh = build(solvers[i], solvers[i] == SN_SOLVER_PROJECTIVE);
        snBakeDef def = someClips();
        def.clipCount = 1;
        def.to = 0.5;
        def.loop = SN_LOOP_NEVER;
        tryPlaces(flesh, &def, 2);
        snFlesh_Destroy(flesh);
    }
}

// A skeleton that jumps: flesh is carried over it, or else torn, put on its rig and blended back. Whatever
// is remembered of that goes through checkpoints too.
static void troubleOnTheWay(void)
{
    const snClip *clip = &character.clips[0];
    for (int c = 0; c < clip->channelCount; c++) {
        const snChannel *channel = &clip->channels[c];
        float *values = (float *)(size_t)channel->values; // they are this test's own
        if (channel->path != SN_PATH_TRANSLATION) continue;
        for (int k = channel->keyCount / 3; k < 2 * channel->keyCount / 3; k++)
            values[k * channel->width] += 4;
    }
    for (int i = 0; i < 2; i++) {
        snBakeDef def = someClips();
        snBake *bake = NULL;
        def.clipCount = 1;
        def.loop = SN_LOOP_NEVER;
        def.shakeJumps = i == 1;
        def.frameRate = 20;
        CHECK(snBake_Run(&bake, plain, &def, &context, NULL) == SN_OK);
        CHECK(bake->events.count > 0);
        printf("%d events, the first: %s, %s\n", bake->events.count,
               snTrouble_Name(bake->events.list[0].trouble),
               snRemedy_Name(bake->events.list[0].remedy));
        snBake_Destroy(bake);
        tryPlaces(plain, &def, 4);
    }
}

// The first and the last frame, and a bake that was finished already.
static void endsOfABake(void)
{
    snBakeDef def = someClips();
    Store store = makeStore();
    snBake *bake = NULL;
    int calls;
    def.clipCount = 1;
    def.frameRate = 8;
    uint64_t expected = bakeWhole(plain, &def, &calls);
    stopAndGoOn(plain, &def, 1, 1, expected);
    stopAndGoOn(plain, &def, calls, 1, expected);
    store.every = 1000;
    CHECK(run(&bake, plain, def, &store, NULL) == SN_OK && store.saves == 1);
    snBake_Destroy(bake);
    CHECK(run(&bake, plain, def, &store, NULL) == SN_OK && store.calls == 0);
    CHECK(hashBake(bake) == expected);
    snBake_Destroy(bake);
    freeStore(&store);
}

// Checkpoints of other bakes, cut ones and broken ones are refused; none is believed in part.
static void otherBytes(void)
{
    snBakeDef def = someClips(), other = def;
    Store store = makeStore();
    snBake *bake = NULL;
    snError error = {0};
    def.clipCount = 1;
    def.frameRate = other.frameRate = 10;
    other.clipCount = 2;
    store.stopAt = 30;
    store.every = 1000;
    CHECK(run(&bake, plain, def, &store, &error) == SN_ERROR_CANCELLED);
    CHECK(run(&bake, plain, other, &store, &error) == SN_ERROR_FORMAT && !bake);
    printf("%s\n", error.message);
    size_t whole = store.state.size;
    for (size_t size = 1; size < whole; size += whole / 13) {
        store.state.size = size;
        CHECK(run(&bake, plain, def, &store, &error) == SN_ERROR_FORMAT && !bake);
    }
    store.state.size = whole;
    store.committed -= 4;
    CHECK(run(&bake, plain, def, &store, &error) == SN_ERROR_FORMAT && !bake);
    printf("%s\n", error.message);
    store.committed += 4;
    for (size_t at = 0; at < 160; at++) { // counts and places; numbers are another matter
        store.state.data[at] ^= 0xff;
        store.stopAt = 1;
        snStatus status = run(&bake, plain, def, &store, &error);
        CHECK(status == SN_ERROR_FORMAT || status == SN_ERROR_CANCELLED);
        store.state.data[at] ^= 0xff;
        if (status == SN_ERROR_CANCELLED) break; // it went on, and has saved another
    }
    freeStore(&store);
}

static void memoryRunsOut(void)
{
    snBakeDef def = someClips();
    Store store = makeStore();
    snBake *bake = NULL;
    snContext own = context;
    def.clipCount = 1;
    def.frameRate = 8;
    store.stopAt = 12;
    store.every = 1000;
    CHECK(run(&bake, plain, def, &store, NULL) == SN_ERROR_CANCELLED);
    for (int n = 1; n < 1000; n++) {
        snFailingMemory memory = {.failAtWay = n};
        snTest_UseFailingMemory(&context, &memory);
        store.stopAt = 1;
        snStatus status = run(&bake, plain, def, &store, NULL);
        context = own;
        CHECK(memory.alive == 0);
        if (status == SN_ERROR_CANCELLED) break;
        CHECK(status == SN_ERROR_MEMORY && !bake);
    }
    freeStore(&store);
}

static void archives(void)
{
    snBytes bytes = snMakeBytes(&context);
    snArchive saving = snMakeSaving(&bytes);
    int count = 3, small = 5;
    double list[3] = {1, 2, 3}, back[3] = {0};
    snArchive_Int(&saving, &count, 0, 10);
    snArchive_Take(&saving, list, sizeof list);
    snArchive_Expect(&saving, 42);
    snArchive restoring = snMakeRestoring(bytes.data, bytes.size);
    snArchive_Int(&restoring, &small, 0, 10);
    snArchive_Take(&restoring, back, sizeof back);
    CHECK(small == 3 && !memcmp(list, back, sizeof list) && !snArchive_IsWhole(&restoring));
    snArchive_Expect(&restoring, 42);
    CHECK(snArchive_IsWhole(&restoring));
    restoring = snMakeRestoring(bytes.data, bytes.size);
    snArchive_Int(&restoring, &small, 4, 10);
    CHECK(restoring.broken && small == 3);
    restoring = snMakeRestoring(bytes.data, bytes.size - 1);
    snArchive_Int(&restoring, &small, 0, 10);
    snArchive_Take(&restoring, back, sizeof back);
    snArchive_Expect(&restoring, 42);
    CHECK(restoring.broken);
    int64_t counts[] = {-1, INT64_MAX, 7}, found = 3;
    for (int i = 0; i < 3; i++) { // what is out of range stays as it was
        restoring = snMakeRestoring(&counts[i], sizeof counts[i]);
        snArchive_Count(&restoring, &found);
        CHECK(restoring.broken == (i < 2) && found == (i < 2 ? 3 : 7));
    }
    snBytes_Destroy(&bytes);
}

int main(void)
{
    snError error = {0};
    snCorpus corpus = {0};
    context = snDefaultContext();
    snStatus status = snCorpus_Make(&corpus, &context, &error);
    const snBytes *beast = &corpus.seeds[SN_SEED_BEAST].bytes;
    snGltfSource source = {.bytes = beast->data, .size = beast->size};
    if (!status) status = snGltf_Read(&character, &source, &context, &error);
    if (status) {
        printf("%s\n", error.message);
        return 1;
    }
    plain = build(SN_SOLVER_PROJECTIVE, 0);
    RUN(archives);
    RUN(anyFrameOfLoops);
    RUN(anySolver);
    RUN(endsOfABake);
    RUN(otherBytes);
    RUN(memoryRunsOut);
    RUN(troubleOnTheWay); // changes a clip
    snFlesh_Destroy(plain);
    snCharacter_Destroy(&character);
    snCorpus_Destroy(&corpus);
    return snTest_Finish();
}
