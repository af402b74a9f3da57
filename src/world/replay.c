// Playing a recording. Entries are read by one reader, which never goes beyond the bytes that are there: first all of
// them, to see that they can be, then one after another while the world goes on.
#include "core/error.h"
#include "core/hash.h"
#include "world/recording.h"

#include <string.h>

#define CHECK_SIZE 8 // bytes of the last hash
#define MOST_LEVELS 64

typedef struct Entry {
    int kind;
    uint64_t first, count; // a length and how many; a grab; a body and its level
    snGrabDef grab;
    snVec3 target;
    uint64_t steps, ticks, hash;
} Entry;

// Reads on from `at`; `cut` where something would end beyond the end.
typedef struct Reader {
    const uint8_t *bytes;
    size_t size, at;
    bool cut, wrong;
} Reader;

// ---- reading ------------------------------------------------------------------------------------

static const uint8_t *take(Reader *r, size_t size)
{
    static const uint8_t nothing[8];
    if (r->cut || size > r->size - r->at) {
        r->cut = true;
        return nothing;
    }
    r->at += size;
    return r->bytes + r->at - size;
}

static uint64_t takeU64(Reader *r)
{
    const uint8_t *p = take(r, 8);
    return snLoadU64(p);
}

static double takeDouble(Reader *r)
{
    uint64_t bits = takeU64(r);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static snVec3 takeVector(Reader *r)
{
    double x = takeDouble(r), y = takeDouble(r), z = takeDouble(r);
    return snVec(x, y, z);
}

static uint64_t takeNumber(Reader *r)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 63; shift += 7) {
        uint8_t byte = *take(r, 1);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return value;
    }
    r->wrong = true;
    return 0;
}

static int takeIndex(Reader *r)
{
    uint64_t value = takeNumber(r);
    if (value > 0x7fffffff) r->wrong = true;
    return r->wrong ? 0 : (int)value;
}

static void takeGrab(Reader *r, snGrabDef *grab)
{
    *grab = (snGrabDef){.body = takeIndex(r)};
    uint8_t onSurface = *take(r, 1);
    grab->spot.onSurface = onSurface == 1;
    for (int k = 0; k < 3 && onSurface; k++) {
        grab->spot.corner[k] = takeIndex(r);
        grab->spot.share[k] = takeDouble(r);
    }
    if (!onSurface) grab->spot.rest = takeVector(r);
    uint8_t hard = *take(r, 1);
    grab->hard = hard == 1;
    r->wrong |= onSurface > 1 || hard > 1;
    grab->stiffness = takeDouble(r);
    grab->damping = takeDouble(r);
}

static Entry takeEntry(Reader *r)
{
    Entry e = {.kind = *take(r, 1)};
    switch (e.kind) {
    case SN_ENTRY_STEPS:
    case SN_ENTRY_BODY_LEVEL:
        e.first = takeNumber(r);
        e.count = takeNumber(r);
        break;
    case SN_ENTRY_GRAB:
        takeGrab(r, &e.grab);
        break;
    case SN_ENTRY_MOVE:
        e.first = takeNumber(r);
        e.target = takeVector(r);
        break;
    case SN_ENTRY_RELEASE:
    case SN_ENTRY_LEVEL:
        e.first = takeNumber(r);
        break;
    case SN_ENTRY_END:
        e.steps = takeU64(r);
        e.ticks = takeU64(r);
        e.hash = takeU64(r);
        break;
    default:
        r->wrong = true;
    }
    return e;
}

// ---- checking -----------------------------------------------------------------------------------

static snStatus failAt(size_t at, const Reader *r, snError *error)
{
    return r->cut ? snFail(error, SN_ERROR_FORMAT,
                           "the recording is cut off: it ends at byte %zu, in the middle of "
                           "something that begins at byte %zu",
                           r->size, at)
                  : snFail(error, SN_ERROR_FORMAT, "the recording is damaged at byte %zu", at);
}

static snStatus readHead(snReplay *replay, Reader *r, snError *error)
{
    if (memcmp(take(r, 8), "SNSTEPS", 8) != 0 && !r->cut)
        return snFail(error, SN_ERROR_FORMAT, "this is not a recording of steps");
    uint32_t version = snLoadU32(take(r, 4)), count = snLoadU32(take(r, 4));
    if (r->cut) return failAt(0, r, error);
    if (version < 1 || version > SN_RECORDING_VERSION)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "the recording is of version %u; this program plays versions 1 to %d",
                      version, SN_RECORDING_VERSION);
    if (count < 1 || count > SN_WORLD_LENGTHS) r->wrong = true;
    replay->lengthCount = r->wrong ? 0 : (int)count;
    for (int i = 0; i < replay->lengthCount; i++) {
        uint32_t length = snLoadU32(take(r, 4));
        if (length > 1000000 || (int)length <= (i ? replay->lengths[i - 1] : 0)) r->wrong = true;
        replay->lengths[i] = (int)(length & 0xffffff);
    }
    uint32_t levels = version > 1 ? snLoadU32(take(r, 4)) : 1;
    if (levels < 1 || levels > MOST_LEVELS) r->wrong = true;
    replay->levelCount = (int)(levels & 0xff);
    replay->tick = takeDouble(r);
    replay->begin = takeU64(r);
    if (!(replay->tick > 0 && isfinite(replay->tick)) || replay->lengths[0] != 1) r->wrong = true;
    return r->cut || r->wrong ? failAt(0, r, error) : SN_OK;
}

// All entries, to the last one. Steps and ticks that it tells must be those that were counted.
static snStatus readThrough(snReplay *replay, Reader *r, snError *error)
{
    uint64_t steps = 0, ticks = 0;
    for (;;) {
        size_t at = r->at;
        Entry e = takeEntry(r);
        if (e.kind == SN_ENTRY_STEPS && !r->cut) {
            bool good = e.first < (uint64_t)replay->lengthCount && e.count > 0 &&
                        e.count < (uint64_t)1 << 40;
            r->wrong |= !good;
            steps += good ? e.count : 0;
            ticks += good ? e.count * (uint64_t)replay->lengths[e.first] : 0;
            r->wrong |= ticks >> 60 != 0;
        }
        if (e.kind == SN_ENTRY_LEVEL) r->wrong |= e.first >= (uint64_t)replay->levelCount;
        if (e.kind == SN_ENTRY_BODY_LEVEL) r->wrong |= e.count >= (uint64_t)replay->levelCount;
        if (r->cut || r->wrong) return failAt(at, r, error);
        if (e.kind != SN_ENTRY_END) continue;
        replay->end = e.hash;
        replay->steps = (int64_t)(e.steps & INT64_MAX);
        replay->ticks = (int64_t)(e.ticks & INT64_MAX);
        uint64_t hash = takeU64(r);
        if (r->cut) return failAt(at, r, error);
        bool whole = r->at == r->size && e.steps >= steps && e.ticks >= ticks &&
                     hash == snHash(SN_HASH_BEGIN, r->bytes, r->size - CHECK_SIZE);
        return whole ? SN_OK
                     : snFail(error, SN_ERROR_FORMAT,
                              "the recording is damaged: what its end says of it is not so");
    }
}

snStatus snReplay_Open(snReplay *replay, const void *bytes, size_t size, snError *error)
{
    Reader r = {.bytes = bytes, .size = size};
    *replay = (snReplay){.bytes = bytes, .size = size};
    snStatus status = readHead(replay, &r, error);
    replay->at = r.at;
    return status ? status : readThrough(replay, &r, error);
}

snStatus snReplay_Check(const snReplay *replay, const snWorld *world, snError *error)
{
    int count = world->def.lengthCount ? world->def.lengthCount : 1;
    bool same = count == replay->lengthCount;
    for (int i = 0; i < count && same && world->def.lengthCount; i++)
        same = world->def.lengths[i] == replay->lengths[i];
    if (!same || world->def.step != replay->tick)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "the recording has steps of %g s in %d lengths, the world of %g s in %d",
                      replay->tick, replay->lengthCount, world->def.step, count);
    if (snWorld_LevelCount(world) != replay->levelCount)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "the recording is of bodies with %d levels of detail, the world's have %d",
                      replay->levelCount, snWorld_LevelCount(world));
    if (snWorld_Hash(world) != replay->begin)
        return snFail(
            error, SN_ERROR_ARGUMENT,
            "the recording begins with another world: the scene, its files or the program "
            "have changed since");
    return SN_OK;
}

// ---- playing ------------------------------------------------------------------------------------

static snStatus finish(const snReplay *replay, const snWorld *world, snError *error)
{
    bool same = world->steps == replay->steps && world->ticks == replay->ticks &&
                snWorld_Hash(world) == replay->end;
    return same ? SN_OK
                : snFail(error, SN_ERROR_NUMERIC,
                         "the recording ends after %lld steps with another world than this one, "
                         "after %lld: the scene, its files or the program have changed since",
                         (long long)replay->steps, (long long)world->steps);
}

static snStatus apply(const Entry *e, snWorld *world, snError *error)
{
    int grab;
    if (e->kind == SN_ENTRY_GRAB) return snWorld_Grab(world, &e->grab, &grab, error);
    if (e->kind == SN_ENTRY_LEVEL) {
        snWorld_SetLevel(world, (int)e->first);
        return SN_OK;
    }
    if (e->kind == SN_ENTRY_BODY_LEVEL) {
        if (e->first >= (uint64_t)world->bodies.count)
            return snFail(error, SN_ERROR_FORMAT,
                          "the recording has a body that this world has not");
        snWorld_SetBodyLevel(world, (int)e->first, (int)e->count);
        return SN_OK;
    }
    if (e->first >= (uint64_t)world->def.mostGrabs)
        return snFail(error, SN_ERROR_FORMAT, "the recording has a grab that this world has not");
    if (e->kind == SN_ENTRY_MOVE)
        snWorld_MoveGrab(world, (int)e->first, e->target);
    else
        snWorld_Release(world, (int)e->first);
    return SN_OK;
}

snStatus snReplay_Next(snReplay *replay, snWorld *world, int *ticks, snError *error)
{
    Reader r = {.bytes = replay->bytes, .size = replay->size};
    *ticks = 0;
    while (replay->run == 0) {
        r.at = replay->at;
        Entry e = takeEntry(&r);
        if (r.cut || r.wrong) return failAt(replay->at, &r, error);
        if (e.kind == SN_ENTRY_END) return finish(replay, world, error); // again and again
        replay->at = r.at;
        if (e.kind == SN_ENTRY_STEPS) {
            replay->length = (int)e.first;
            replay->run = (int64_t)e.count;
        } else {
            snStatus status = apply(&e, world, error);
            if (status) return status;
        }
    }
    replay->run--;
    *ticks = replay->lengths[replay->length];
    return SN_OK;
}
