// Where writers put their bytes: a file, memory, a test. Text goes through a small buffer.
#ifndef SN_ASSET_SINK_H
#define SN_ASSET_SINK_H

#include "sinew/base.h"

// Takes bytes in pieces of any size. Anything but SN_OK ends the writing.
typedef struct snSink {
    snStatus (*write)(void *user, const void *bytes, size_t size, snError *error);
    void *user;
} snSink;

// Text and numbers, gathered into larger pieces. Puts need not be checked one by one: after the
// first failure nothing more is written, and snTextSink_End returns it.
typedef struct snTextSink {
    snSink sink;
    snStatus status;
    snError *error;
    size_t used;
    char buffer[8192];
} snTextSink;

void snTextSink_Begin(snTextSink *text, snSink sink, snError *error);
snStatus snTextSink_End(snTextSink *text); // writes what is left

void snTextSink_Put(snTextSink *text, const char *string);
void snTextSink_Int(snTextSink *text, int64_t value);
void snTextSink_Float(snTextSink *text, float value); // shortest digits; not finite: 0
void snTextSink_Double(snTextSink *text, double value);

// Numbers as four bytes, for whatever machine.
void snStoreU32(uint8_t *out, uint32_t value);    // little-endian
void snStoreU32Big(uint8_t *out, uint32_t value); // big-endian
uint32_t snFloatBits(float value);

#endif
