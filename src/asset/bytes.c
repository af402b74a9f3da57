#include "asset/bytes.h"

#include "asset/sink.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

snBytes snMakeBytesFrom(const snAllocator *allocator)
{
    return (snBytes){.allocator = *allocator};
}

snBytes snMakeBytes(const snContext *context)
{
    return snMakeBytesFrom(&context->allocator);
}

void snBytes_Destroy(snBytes *bytes)
{
    if (bytes->data) bytes->allocator.release(bytes->allocator.user, bytes->data);
    *bytes = snMakeBytesFrom(&bytes->allocator);
}

void snBytes_Clear(snBytes *bytes)
{
    bytes->size = 0;
    bytes->failed = false;
}

snStatus snBytes_Check(const snBytes *bytes, snError *error)
{
    return bytes->failed ? snFailMemory(error) : SN_OK;
}

// Room for `size` more bytes, at their end; NULL when there is none. Capacity doubles, so that n
// appends move the content log n times.
static uint8_t *extend(snBytes *bytes, size_t size)
{
    if (bytes->failed) return NULL;
    if (size > bytes->capacity - bytes->size) {
        size_t limit = SIZE_MAX / 4;
        size_t wanted = bytes->capacity < 256 ? 256 : bytes->capacity;
        if (bytes->size > limit || size > limit) return bytes->failed = true, NULL;
        while (wanted < bytes->size + size)
            wanted *= 2;
        uint8_t *data = bytes->allocator.allocate(bytes->allocator.user, wanted);
        if (!data) return bytes->failed = true, NULL;
        if (bytes->size) memcpy(data, bytes->data, bytes->size);
        bytes->allocator.release(bytes->allocator.user, bytes->data);
        bytes->data = data;
        bytes->capacity = wanted;
    }
    uint8_t *place = bytes->data + bytes->size;
    bytes->size += size;
    return place;
}

void snBytes_Append(snBytes *bytes, const void *data, size_t size)
{
    if (!size) return;
    uint8_t *place = extend(bytes, size);
    if (place) memcpy(place, data, size);
}

void snBytes_AppendText(snBytes *bytes, const char *text)
{
    snBytes_Append(bytes, text, strlen(text));
}

void snBytes_AppendByte(snBytes *bytes, uint8_t value)
{
    uint8_t *place = extend(bytes, 1);
    if (place) *place = value;
}

void snBytes_Fill(snBytes *bytes, uint8_t value, size_t count)
{
    if (!count) return;
    uint8_t *place = extend(bytes, count);
    if (place) memset(place, value, count);
}

void snBytes_Align(snBytes *bytes, size_t alignment, uint8_t fill)
{
    snBytes_Fill(bytes, fill, (alignment - bytes->size % alignment) % alignment);
}

void snBytes_Format(snBytes *bytes, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    SN_ASSERT(length >= 0 && length < (int)sizeof text);
    snBytes_Append(bytes, text, (size_t)length);
}

void snBytes_AppendU16(snBytes *bytes, uint16_t value)
{
    uint8_t *place = extend(bytes, 2);
    if (!place) return;
    place[0] = (uint8_t)value;
    place[1] = (uint8_t)(value >> 8);
}

void snBytes_AppendU32(snBytes *bytes, uint32_t value)
{
    uint8_t *place = extend(bytes, 4);
    if (place) snStoreU32(place, value);
}

void snBytes_AppendU64(snBytes *bytes, uint64_t value)
{
    snBytes_AppendU32(bytes, (uint32_t)value);
    snBytes_AppendU32(bytes, (uint32_t)(value >> 32));
}

void snBytes_AppendF32(snBytes *bytes, float value)
{
    snBytes_AppendF32s(bytes, &value, 1);
}

void snBytes_AppendF32s(snBytes *bytes, const float *values, size_t count)
{
    if (count > SIZE_MAX / 16) {
        bytes->failed = true;
        return;
    }
    uint8_t *place = count ? extend(bytes, 4 * count) : NULL;
    if (!place) return;
    for (size_t i = 0; i < count; i++) {
        union {
            float value;
            uint32_t bits;
        } u = {values[i]};
        snStoreU32(place + 4 * i, u.bits);
    }
}

void snBytes_SetU32(snBytes *bytes, size_t offset, uint32_t value)
{
    if (bytes->failed) return;
    SN_ASSERT(offset + 4 <= bytes->size);
    snStoreU32(bytes->data + offset, value);
}
