// A growable buffer of bytes, for writers that make a file in memory. Appending never has to be
// checked one by one: when memory runs out the buffer is marked failed, later appends do nothing,
// and the writer looks once at its end (snBytes_Check).
#ifndef SN_ASSET_BYTES_H
#define SN_ASSET_BYTES_H

#include "core/error.h"

typedef struct snBytes {
    snAllocator allocator;
    uint8_t *data;
    size_t size;
    size_t capacity;
    bool failed; // memory ran out: the content is not whole
} snBytes;

snBytes snMakeBytes(const snContext *context);
snBytes snMakeBytesFrom(const snAllocator *allocator);
void snBytes_Destroy(snBytes *bytes); // may be used again afterwards
void snBytes_Clear(snBytes *bytes);   // empties it and keeps the memory; forgets a failure

// SN_OK, or SN_ERROR_MEMORY when an append had failed.
snStatus snBytes_Check(const snBytes *bytes, snError *error);

void snBytes_Append(snBytes *bytes, const void *data, size_t size);
void snBytes_AppendText(snBytes *bytes, const char *text);
void snBytes_AppendByte(snBytes *bytes, uint8_t value);
void snBytes_Fill(snBytes *bytes, uint8_t value, size_t count);
void snBytes_Align(snBytes *bytes, size_t alignment, uint8_t fill); // pads to a multiple
void snBytes_Format(snBytes *bytes, const char *format, ...)
    SN_PRINTF(2, 3); // up to 255 characters

// Little-endian numbers, whatever the machine.
void snBytes_AppendU16(snBytes *bytes, uint16_t value);
void snBytes_AppendU32(snBytes *bytes, uint32_t value);
void snBytes_AppendU64(snBytes *bytes, uint64_t value);
void snBytes_AppendF32(snBytes *bytes, float value);
void snBytes_AppendF32s(snBytes *bytes, const float *values, size_t count);

// Writes over four bytes that are there already (a length that is known late).
void snBytes_SetU32(snBytes *bytes, size_t offset, uint32_t value);

// Reads little-endian numbers from any address.
static inline uint16_t snLoadU16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t snLoadU32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t snLoadU64(const uint8_t *p)
{
    return snLoadU32(p) | (uint64_t)snLoadU32(p + 4) << 32;
}

static inline float snLoadF32(const uint8_t *p)
{
    union {
        uint32_t bits;
        float value;
    } u = {snLoadU32(p)};
    return u.value;
}

#endif
