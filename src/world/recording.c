#include "world/recording.h"

#include "core/error.h"
#include "core/hash.h"

#include <string.h>

static const char magic[8] = "SNSTEPS";

// ---- writing ------------------------------------------------------------------------------------

static void putNumber(snBytes *bytes, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        snBytes_AppendByte(bytes, (uint8_t)(value | 0x80));
    snBytes_AppendByte(bytes, (uint8_t)value);
}

static void putDouble(snBytes *bytes, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    snBytes_AppendU64(bytes, bits);
}

static void putVector(snBytes *bytes, snVec3 v)
{
    putDouble(bytes, v.x);
    putDouble(bytes, v.y);
    putDouble(bytes, v.z);
}

static int lengthCountOf(const snWorld *world)
{
    return world->def.lengthCount ? world->def.lengthCount : 1;
}

static int lengthOf(const snWorld *world, int i)
{
    return world->def.lengthCount ? world->def.lengths[i] : 1;
}

snRecorder snMakeRecorder(const snContext *context)
{
    return (snRecorder){.bytes = snMakeBytes(context)};
}

void snRecorder_Begin(snRecorder *recorder, const snWorld *world)
{
    snBytes *bytes = &recorder->bytes;
    snBytes_Clear(bytes);
    recorder->run = 0;
    snBytes_Append(bytes, magic, sizeof magic);
    snBytes_AppendU32(bytes, SN_RECORDING_VERSION);
    snBytes_AppendU32(bytes, (uint32_t)lengthCountOf(world));
    for (int i = 0; i < lengthCountOf(world); i++)
        snBytes_AppendU32(bytes, (uint32_t)lengthOf(world, i));
    snBytes_AppendU32(bytes, (uint32_t)snWorld_LevelCount(world));
    putDouble(bytes, world->def.step);
    snBytes_AppendU64(bytes, snWorld_Hash(world));
}

// Steps of one length that follow each other are one entry.
static void putRun(snRecorder *recorder)
{
    if (!recorder->run) return;
    snBytes_AppendByte(&recorder->bytes, SN_ENTRY_STEPS);
    putNumber(&recorder->bytes, (uint64_t)recorder->length);
    putNumber(&recorder->bytes, (uint64_t)recorder->run);
    recorder->run = 0;
}

void snRecorder_Advance(snRecorder *recorder, snWorld *world, int ticks)
{
    int length = 0;
    while (length < lengthCountOf(world) - 1 && lengthOf(world, length) != ticks)
        length++;
    SN_ASSERT(lengthOf(world, length) == ticks);
    if (length != recorder->length) putRun(recorder);
    recorder->length = length;
    recorder->run++;
    snWorld_Advance(world, ticks);
}

snStatus snRecorder_Grab(snRecorder *recorder, snWorld *world, const snGrabDef *def, int *grab,
                         snError *error)
{
    snBytes *bytes = &recorder->bytes;
    *grab = -1;
    if (def->between || def->located)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "what a hand does is recorded, and what holds points of two bodies is not");
    snStatus status = snWorld_Grab(world, def, grab, error);
    if (status) return status;
    putRun(recorder);
    snBytes_AppendByte(bytes, SN_ENTRY_GRAB);
    putNumber(bytes, (uint64_t)def->body);
    snBytes_AppendByte(bytes, def->spot.onSurface);
    for (int k = 0; k < 3 && def->spot.onSurface; k++) {
        putNumber(bytes, (uint64_t)def->spot.corner[k]);
        putDouble(bytes, def->spot.share[k]);
    }
    if (!def->spot.onSurface) putVector(bytes, def->spot.rest);
    snBytes_AppendByte(bytes, def->hard);
    putDouble(bytes, def->stiffness);
    putDouble(bytes, def->damping);
    return SN_OK;
}

void snRecorder_MoveGrab(snRecorder *recorder, snWorld *world, int grab, snVec3 target)
{
    putRun(recorder);
    snBytes_AppendByte(&recorder->bytes, SN_ENTRY_MOVE);
    putNumber(&recorder->bytes, (uint64_t)grab);
    putVector(&recorder->bytes, target);
    snWorld_MoveGrab(world, grab, target);
}

void snRecorder_Release(snRecorder *recorder, snWorld *world, int grab)
{
    putRun(recorder);
    snBytes_AppendByte(&recorder->bytes, SN_ENTRY_RELEASE);
    putNumber(&recorder->bytes, (uint64_t)grab);
    snWorld_Release(world, grab);
}

void snRecorder_SetLevel(snRecorder *recorder, snWorld *world, int level)
{
    putRun(recorder);
    snBytes_AppendByte(&recorder->bytes, SN_ENTRY_LEVEL);
    putNumber(&recorder->bytes, (uint64_t)level);
    snWorld_SetLevel(world, level);
}

void snRecorder_SetBodyLevel(snRecorder *recorder, snWorld *world, int body, int level)
{
    putRun(recorder);
    snBytes_AppendByte(&recorder->bytes, SN_ENTRY_BODY_LEVEL);
    putNumber(&recorder->bytes, (uint64_t)body);
    putNumber(&recorder->bytes, (uint64_t)level);
    snWorld_SetBodyLevel(world, body, level);
}

snStatus snRecorder_End(snRecorder *recorder, const snWorld *world, snError *error)
{
    snBytes *bytes = &recorder->bytes;
    putRun(recorder);
    snBytes_AppendByte(bytes, SN_ENTRY_END);
    snBytes_AppendU64(bytes, (uint64_t)world->steps);
    snBytes_AppendU64(bytes, (uint64_t)world->ticks);
    snBytes_AppendU64(bytes, snWorld_Hash(world));
    if (!bytes->failed) snBytes_AppendU64(bytes, snHash(SN_HASH_BEGIN, bytes->data, bytes->size));
    return snBytes_Check(bytes, error);
}

void snRecorder_Destroy(snRecorder *recorder)
{
    snBytes_Destroy(&recorder->bytes);
}
