#include "asset/pc2.h"

#include "asset/bytes.h"
#include "asset/numbers.h"
#include "core/error.h"

#include <string.h>

static const char magic[12] = "POINTCACHE2";

snStatus snPc2_Begin(snPc2Writer *writer, const snPc2Header *header, snSink sink, snError *error)
{
    if (header->pointCount < 1 || header->sampleCount < 1)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a point cache of %d points and %d samples would be empty",
                      header->pointCount, header->sampleCount);
    if (!isfinite(header->startFrame) || !(header->sampleRate > 0.0f))
        return snFail(error, SN_ERROR_ARGUMENT, "point cache starts at frame %g with rate %g",
                      (double)header->startFrame, (double)header->sampleRate);
    uint8_t bytes[SN_PC2_HEADER_SIZE];
    memcpy(bytes, magic, sizeof magic);
    snStoreU32(bytes + 12, 1);
    snStoreU32(bytes + 16, (uint32_t)header->pointCount);
    snStoreU32(bytes + 20, snFloatBits(header->startFrame));
    snStoreU32(bytes + 24, snFloatBits(header->sampleRate));
    snStoreU32(bytes + 28, (uint32_t)header->sampleCount);
    *writer = (snPc2Writer){sink, header->pointCount, header->sampleCount};
    return sink.write(sink.user, bytes, sizeof bytes, error);
}

snStatus snPc2_Frame(snPc2Writer *writer, const snVec3f *points, snError *error)
{
    snNumbers out = {.sink = writer->sink, .error = error};
    if (writer->missing < 1)
        return snFail(error, SN_ERROR_ARGUMENT, "the point cache has all of its samples already");
    snNumbers_PutPoints(&out, points, writer->pointCount);
    if (snNumbers_Flush(&out)) return out.status;
    writer->missing--;
    return SN_OK;
}

snStatus snPc2_End(const snPc2Writer *writer, snError *error)
{
    if (writer->missing == 0) return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT, "the point cache lacks its last %d samples",
                  writer->missing);
}

snStatus snPc2_Open(snPc2Header *header, const void *bytes, size_t size, snError *error)
{
    const uint8_t *at = bytes;
    *header = (snPc2Header){0};
    if (size < SN_PC2_HEADER_SIZE || memcmp(at, magic, sizeof magic) != 0)
        return snFail(error, SN_ERROR_FORMAT, "not a PC2 point cache: it does not begin like one");
    if (snLoadU32(at + 12) != 1)
        return snFail(error, SN_ERROR_UNSUPPORTED, "PC2 version %u, only version 1 is known",
                      (unsigned)snLoadU32(at + 12));
    uint64_t points = snLoadU32(at + 16), samples = snLoadU32(at + 28);
    if (points > INT32_MAX || samples > INT32_MAX)
        return snFail(error, SN_ERROR_FORMAT, "PC2 counts are negative");
    // 12 * 2^31 * 2^31 does not fit 64 bits, so compare by division.
    uint64_t payload = size - SN_PC2_HEADER_SIZE;
    if (points > 0 && samples > payload / 12 / points)
        return snFail(error, SN_ERROR_FORMAT,
                      "PC2 file is cut off: %llu samples of %llu points do not fit %llu bytes",
                      (unsigned long long)samples, (unsigned long long)points,
                      (unsigned long long)payload);
    *header = (snPc2Header){(int)points, (int)samples, snLoadF32(at + 20), snLoadF32(at + 24)};
    return SN_OK;
}

void snPc2_Sample(const snPc2Header *header, const void *bytes, int sample, snVec3f *points)
{
    SN_ASSERT(sample >= 0 && sample < header->sampleCount);
    size_t count = (size_t)header->pointCount;
    const uint8_t *at = (const uint8_t *)bytes + SN_PC2_HEADER_SIZE + 12 * count * (size_t)sample;
    for (size_t i = 0; i < count; i++, at += 12)
        points[i] = (snVec3f){snLoadF32(at), snLoadF32(at + 4), snLoadF32(at + 8)};
}
