#include "asset/sink.h"

#include "asset/json_number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void snTextSink_Begin(snTextSink *text, snSink sink, snError *error)
{
    text->sink = sink;
    text->status = SN_OK;
    text->error = error;
    text->used = 0;
}

static void flush(snTextSink *text)
{
    if (!text->status && text->used)
        text->status = text->sink.write(text->sink.user, text->buffer, text->used, text->error);
    text->used = 0;
}

snStatus snTextSink_End(snTextSink *text)
{
    flush(text);
    return text->status;
}

static void append(snTextSink *text, const char *bytes, size_t size)
{
    while (size) {
        if (text->used == sizeof text->buffer) flush(text);
        size_t room = sizeof text->buffer - text->used, part = size < room ? size : room;
        memcpy(text->buffer + text->used, bytes, part);
        text->used += part;
        bytes += part;
        size -= part;
    }
}

void snTextSink_Put(snTextSink *text, const char *string)
{
    append(text, string, strlen(string));
}

void snTextSink_Int(snTextSink *text, int64_t value)
{
    char number[SN_NUMBER_CHARS];
    int length = snprintf(number, sizeof number, "%lld", (long long)value);
    append(text, number, (size_t)length);
}

void snTextSink_Float(snTextSink *text, float value)
{
    char number[SN_NUMBER_CHARS];
    append(text, number, (size_t)snFormatFloat(number, isfinite(value) ? value : 0));
}

void snTextSink_Double(snTextSink *text, double value)
{
    char number[SN_NUMBER_CHARS];
    append(text, number, (size_t)snFormatDouble(number, isfinite(value) ? value : 0));
}

void snStoreU32(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

void snStoreU32Big(uint8_t *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> (24 - 8 * i));
}

uint32_t snFloatBits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
