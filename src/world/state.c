// A world's state as bytes: steps and ticks, what attachments remember, grabs, then each body's own; and a seal by which bytes that are
// another world's, or that were changed, are known before anything is taken from them.
#include "core/check.h"
#include "core/hash.h"
#include "core/seal.h"
#include "world/meet.h"
#include "world/sleep.h"
#include "world/world.h"

#include <string.h>

// Who sleeps, where anybody may.
static size_t sleepSize(const snWorld *world)
{
    size_t own = (size_t)world->sleepers.count * sizeof *world->sleepers.data;
    return world->def.sleep.still > 0 ? own + sizeof world->stillGravity : 0;
}

static void saveSleep(const snWorld *world, char *at)
{
    if (!sleepSize(world)) return;
    memcpy(at, &world->stillGravity, sizeof world->stillGravity);
    memcpy(at + sizeof world->stillGravity, world->sleepers.data,
           sleepSize(world) - sizeof world->stillGravity);
}

static void restoreSleep(snWorld *world, const char *at)
{
    if (!sleepSize(world)) return;
    memcpy(&world->stillGravity, at, sizeof world->stillGravity);
    memcpy(world->sleepers.data, at + sizeof world->stillGravity,
           sleepSize(world) - sizeof world->stillGravity);
    snWorld_ForgetBeds(world);
}

static size_t ownSize(const snWorld *world)
{
    return sizeof world->steps + sizeof world->ticks +
           (size_t)world->held.count * sizeof *world->held.data +
           (size_t)world->def.mostGrabs * sizeof *world->grabs +
           (world->meet ? snMeet_SaveSize(world->meet) : 0) + sleepSize(world);
}

static size_t driverSize(const snWorld *world)
{
    return world->driver.step ? world->driver.saveSize(world->driver.user) : 0;
}

// Worlds made alike have the same.
static uint64_t fingerprint(const snWorld *world)
{
    static const char form[] = "sinew world state 1";
    uint64_t hash = snHash(SN_HASH_BEGIN, form, sizeof form);
    size_t sizes[2] = {ownSize(world), driverSize(world)};
    hash = snHash(hash, sizes, sizeof sizes);
    for (int i = 0; i < world->bodies.count; i++) {
        const snBody *body = world->bodies.data[i];
        size_t size = snBody_SaveSize(body);
        hash = snHash(hash, body->kind->name, strlen(body->kind->name));
        hash = snHash(hash, &body->vertexCount, sizeof body->vertexCount);
        hash = snHash(hash, &size, sizeof size);
    }
    return hash;
}

// Without the seal.
static size_t stateSize(const snWorld *world)
{
    size_t size = ownSize(world) + driverSize(world);
    for (int i = 0; i < world->bodies.count; i++)
        size += snBody_SaveSize(world->bodies.data[i]);
    return size;
}

static snSeal sealOf(const snWorld *world, const void *bytes)
{
    return (snSeal){fingerprint(world), snHash(SN_HASH_BEGIN, bytes, stateSize(world))};
}

size_t snWorld_SaveSize(const snWorld *world)
{
    return stateSize(world) + sizeof(snSeal);
}

void snWorld_Save(const snWorld *world, void *bytes)
{
    char *at = bytes;
    if (!at) return;
    size_t held = (size_t)world->held.count * sizeof *world->held.data;
    size_t grabs = (size_t)world->def.mostGrabs * sizeof *world->grabs;
    memcpy(at, &world->steps, sizeof world->steps);
    at += sizeof world->steps;
    memcpy(at, &world->ticks, sizeof world->ticks);
    at += sizeof world->ticks;
    if (held) memcpy(at, world->held.data, held);
    at += held;
    memcpy(at, world->grabs, grabs);
    at += grabs;
    if (world->meet) snMeet_Save(world->meet, at);
    if (world->meet) at += snMeet_SaveSize(world->meet);
    saveSleep(world, at);
    at += sleepSize(world);
    for (int i = 0; i < world->bodies.count; i++) {
        snBody_Save(world->bodies.data[i], at);
        at += snBody_SaveSize(world->bodies.data[i]);
    }
    if (world->driver.step) world->driver.save(world->driver.user, at);
    snSeal_Write(sealOf(world, bytes), (char *)bytes + stateSize(world));
}

// Of bytes of another size nothing is read.
static snStatus checkSeal(const snWorld *world, const void *bytes, size_t size, snError *error)
{
    size_t wanted = snWorld_SaveSize(world);
    snSeal own = {fingerprint(world), 0};
    if (size == wanted) own = sealOf(world, bytes);
    return snSeal_Check(own, bytes, size, wanted, "world", error);
}

snStatus snWorld_Restore(snWorld *world, const void *bytes, size_t size, snError *error)
{
    const char *at = bytes;
    snStatus status = snCheckPointer("world", world, error);
    if (!status) status = snCheckPointer("bytes", bytes, error);
    if (!status) status = checkSeal(world, bytes, size, error);
    if (status) return status;
    size_t held = (size_t)world->held.count * sizeof *world->held.data;
    size_t grabs = (size_t)world->def.mostGrabs * sizeof *world->grabs;
    memcpy(&world->steps, at, sizeof world->steps);
    at += sizeof world->steps;
    memcpy(&world->ticks, at, sizeof world->ticks);
    at += sizeof world->ticks;
    if (held) memcpy(world->held.data, at, held);
    at += held;
    memcpy(world->grabs, at, grabs);
    at += grabs;
    if (world->meet) snMeet_Restore(world->meet, at);
    if (world->meet) at += snMeet_SaveSize(world->meet);
    restoreSleep(world, at);
    at += sleepSize(world);
    for (int i = 0; i < world->bodies.count && !status; i++) {
        status = snBody_Restore(world->bodies.data[i], at, error);
        at += snBody_SaveSize(world->bodies.data[i]);
    }
    if (!status && world->driver.step)
        status = world->driver.restore(world->driver.user, at, driverSize(world), error);
    return status;
}

uint64_t snWorld_Hash(const snWorld *world)
{
    uint64_t hash = snHash(SN_HASH_BEGIN, &world->steps, sizeof world->steps);
    hash = snHash(hash, &world->ticks, sizeof world->ticks);
    if (world->held.count)
        hash = snHash(hash, world->held.data, (size_t)world->held.count * sizeof *world->held.data);
    hash = snHash(hash, world->grabs, (size_t)world->def.mostGrabs * sizeof *world->grabs);
    if (world->meet) {
        hash = snHash(hash, world->meet->memoCount, sizeof *world->meet->memoCount);
        hash = snHash(hash, world->meet->memos,
                      (size_t)world->meet->most * sizeof *world->meet->memos);
    }
    if (sleepSize(world)) {
        hash = snHash(hash, &world->stillGravity, sizeof world->stillGravity);
        hash = snHash(hash, world->sleepers.data, sleepSize(world) - sizeof world->stillGravity);
    }
    for (int i = 0; i < world->bodies.count; i++) {
        snBody_Save(world->bodies.data[i], world->saved);
        hash = snHash(hash, world->saved, snBody_SaveSize(world->bodies.data[i]));
    }
    if (world->driver.step) {
        uint64_t own = world->driver.hash(world->driver.user);
        hash = snHash(hash, &own, sizeof own);
    }
    return hash;
}
