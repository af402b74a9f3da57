#include "asset/point_cache.h"

#include "asset/bytes.h"
#include "asset/pc2.h"
#include "core/error.h"

#include <string.h>

static snStatus allocate(snPointSamples *s, int points, int samples, snArena *arena, snError *error)
{
    if (points < 1 || samples < 1)
        return snFail(error, SN_ERROR_FORMAT, "has %d samples of %d points: it is empty", samples,
                      points);
    *s = (snPointSamples){.pointCount = points, .sampleCount = samples};
    s->times = SN_NEW(arena, double, samples);
    s->points = SN_NEW(arena, snVec3f, (size_t)samples * (size_t)points);
    return s->times && s->points ? SN_OK : snFailMemory(error);
}

static snStatus check(const snPointSamples *s, snError *error)
{
    for (int k = 0; k < s->sampleCount; k++) {
        if (!isfinite(s->times[k]) || (k && s->times[k] < s->times[k - 1]))
            return snFail(error, SN_ERROR_FORMAT, "sample %d is at %g s, before the one before it",
                          k, s->times[k]);
        for (int i = 0; i < s->pointCount; i++) {
            snVec3 p = snFromF(s->points[(size_t)k * (size_t)s->pointCount + (size_t)i]);
            if (!snIsFinite3(p))
                return snFail(error, SN_ERROR_FORMAT, "point %d of sample %d is not finite", i, k);
        }
    }
    return SN_OK;
}

static snStatus readPc2(snPointSamples *s, const void *bytes, size_t size, double frameRate,
                        snArena *arena, snError *error)
{
    snPc2Header header;
    snStatus status = snPc2_Open(&header, bytes, size, error);
    if (!status && !(header.sampleRate > 0.0f))
        status =
            snFail(error, SN_ERROR_FORMAT, "has %g samples per frame", (double)header.sampleRate);
    if (!status) status = allocate(s, header.pointCount, header.sampleCount, arena, error);
    for (int k = 0; k < header.sampleCount && !status; k++) {
        s->times[k] = k / ((double)header.sampleRate * frameRate);
        snPc2_Sample(&header, bytes, k, s->points + (size_t)k * (size_t)header.pointCount);
    }
    return status;
}

static uint32_t loadBig(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static float loadBigFloat(const uint8_t *p)
{
    union {
        uint32_t bits;
        float value;
    } u = {loadBig(p)};
    return u.value;
}

static snStatus readMdd(snPointSamples *s, const uint8_t *at, size_t size, snArena *arena,
                        snError *error)
{
    uint64_t samples = size >= 8 ? loadBig(at) : 0, points = size >= 8 ? loadBig(at + 4) : 0;
    uint64_t payload = size >= 8 ? (size - 8) / 4 : 0; // numbers
    if (size < 8 || samples > INT32_MAX || points > INT32_MAX / 3)
        return snFail(error, SN_ERROR_FORMAT, "is no PC2 nor MDD point cache");
    if (samples && samples > payload / (1 + 3 * points))
        return snFail(error, SN_ERROR_FORMAT,
                      "is cut off, or no point cache: %llu samples of %llu points do not fit %llu "
                      "bytes",
                      (unsigned long long)samples, (unsigned long long)points,
                      (unsigned long long)size);
    snStatus status = allocate(s, (int)points, (int)samples, arena, error);
    at += 8;
    for (uint64_t k = 0; k < samples && !status; k++, at += 4)
        s->times[k] = (double)loadBigFloat(at);
    for (uint64_t i = 0; i < samples * points && !status; i++, at += 12)
        s->points[i] = (snVec3f){loadBigFloat(at), loadBigFloat(at + 4), loadBigFloat(at + 8)};
    return status;
}

snStatus snPointCache_Read(snPointSamples *s, const void *bytes, size_t size, double frameRate,
                           snArena *arena, snError *error)
{
    bool pc2 = size >= 11 && !memcmp(bytes, "POINTCACHE2", 11);
    snStatus status = pc2 ? readPc2(s, bytes, size, frameRate, arena, error)
                          : readMdd(s, bytes, size, arena, error);
    return status ? status : check(s, error);
}

snStatus snPointCache_Join(snPointSamples *s, int count, const snPointSamples *caches,
                           snArena *arena, snError *error)
{
    int points = 0, samples = caches[0].sampleCount;
    for (int c = 0; c < count; c++) {
        points += caches[c].pointCount;
        if (caches[c].sampleCount != samples)
            return snFail(error, SN_ERROR_FORMAT,
                          "cache %d has %d samples, and the first one has %d", c,
                          caches[c].sampleCount, samples);
    }
    snStatus status = allocate(s, points, samples, arena, error);
    if (status) return status;
    memcpy(s->times, caches[0].times, (size_t)samples * sizeof(double));
    snVec3f *at = s->points;
    for (int k = 0; k < samples; k++)
        for (int c = 0; c < count; at += caches[c++].pointCount)
            memcpy(at, caches[c].points + (size_t)k * (size_t)caches[c].pointCount,
                   (size_t)caches[c].pointCount * sizeof *at);
    return SN_OK;
}
