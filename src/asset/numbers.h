// Numbers of four bytes into a sink, gathered into larger pieces. A failure is kept in `status`, and what
// comes after it is dropped.
#ifndef SN_ASSET_NUMBERS_H
#define SN_ASSET_NUMBERS_H

#include "asset/sink.h"
#include "core/vec.h"

typedef struct snNumbers {
    snSink sink;
    snError *error;
    bool bigEnd; // the most significant byte first
    snStatus status;
    size_t used;
    uint8_t bytes[4 * 1536];
} snNumbers;

void snNumbers_Put(snNumbers *numbers, uint32_t value);
void snNumbers_PutFloat(snNumbers *numbers, float value);
void snNumbers_PutPoints(snNumbers *numbers, const snVec3f *points, int count);
snStatus snNumbers_Flush(snNumbers *numbers); // what is gathered; returns `status`

#endif
