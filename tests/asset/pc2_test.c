// PC2: the bytes of a small cache one by one, there and back, and refused files.
#include "asset/pc2.h"

#include "core/error.h"
#include "tests/test.h"

#include <string.h>

typedef struct Buffer {
    unsigned char bytes[20000];
    size_t size, limit;
} Buffer;

static snStatus append(void *user, const void *bytes, size_t size, snError *error)
{
    Buffer *buffer = user;
    if (buffer->size + size > buffer->limit) return snFail(error, SN_ERROR_FILE, "disk is full");
    memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
    return SN_OK;
}

static void bytesOneByOne(void)
{
    Buffer buffer = {.limit = sizeof buffer.bytes};
    snSink sink = {append, &buffer};
    snPc2Header header = {1, 1, 2.0f, 1.0f};
    snPc2Writer writer;
    snVec3f point = {1.0f, -2.0f, 0.5f};
    CHECK(snPc2_Begin(&writer, &header, sink, NULL) == SN_OK);
    CHECK(snPc2_Frame(&writer, &point, NULL) == SN_OK);
    CHECK(snPc2_End(&writer, NULL) == SN_OK);
    const unsigned char expected[44] = {
        'P', 'O', 'I', 'N', 'T',  'C',  'A', 'C', 'H',  'E',  '2', 0,    1,    0,   0,
        0,   1,   0,   0,   0,    0,    0,   0,   0x40, 0,    0,   0x80, 0x3f, 1,   0,
        0,   0,   0,   0,   0x80, 0x3f, 0,   0,   0,    0xc0, 0,   0,    0,    0x3f};
    CHECK(buffer.size == sizeof expected);
    CHECK(memcmp(buffer.bytes, expected, sizeof expected) == 0);
}

enum { POINTS = 300, SAMPLES = 5 };

static float number(int sample, int point, int axis)
{
    return (float)(sample * 1000 + point) + 0.25f * (float)axis;
}

static Buffer *wholeCache(Buffer *buffer)
{
    static snVec3f points[POINTS];
    *buffer = (Buffer){.limit = sizeof buffer->bytes};
    snPc2Header header = {POINTS, SAMPLES, 0.0f, 1.0f};
    snPc2Writer writer;
    CHECK(snPc2_Begin(&writer, &header, (snSink){append, buffer}, NULL) == SN_OK);
    for (int s = 0; s < SAMPLES; s++) {
        CHECK(snPc2_End(&writer, NULL) == SN_ERROR_ARGUMENT);
        for (int i = 0; i < POINTS; i++)
            points[i] = (snVec3f){number(s, i, 0), number(s, i, 1), number(s, i, 2)};
        CHECK(snPc2_Frame(&writer, points, NULL) == SN_OK);
    }
    CHECK(snPc2_End(&writer, NULL) == SN_OK);
    CHECK(snPc2_Frame(&writer, points, NULL) == SN_ERROR_ARGUMENT);
    return buffer;
}

static void thereAndBack(void)
{
    static Buffer buffer;
    static snVec3f points[POINTS];
    snPc2Header header;
    wholeCache(&buffer);
    CHECK(buffer.size == SN_PC2_HEADER_SIZE + 12 * POINTS * SAMPLES);
    CHECK(snPc2_Open(&header, buffer.bytes, buffer.size, NULL) == SN_OK);
    CHECK(header.pointCount == POINTS && header.sampleCount == SAMPLES);
    CHECK(header.startFrame == 0.0f && header.sampleRate == 1.0f);
    for (int s = 0; s < SAMPLES; s++) {
        snPc2_Sample(&header, buffer.bytes, s, points);
        for (int i = 0; i < POINTS; i++)
            CHECK(points[i].x == number(s, i, 0) && points[i].y == number(s, i, 1) &&
                  points[i].z == number(s, i, 2));
    }
}

static void badFilesAreRefused(void)
{
    static Buffer buffer;
    snPc2Header header;
    wholeCache(&buffer);
    for (size_t size = 0; size < buffer.size; size += size < 40 ? 1 : 997)
        CHECK(snPc2_Open(&header, buffer.bytes, size, NULL) == SN_ERROR_FORMAT);
    buffer.bytes[12] = 2;
    CHECK(snPc2_Open(&header, buffer.bytes, buffer.size, NULL) == SN_ERROR_UNSUPPORTED);
    buffer.bytes[12] = 1;
    memset(buffer.bytes + 28, 0x7f, 4); // more samples than any file holds
    CHECK(snPc2_Open(&header, buffer.bytes, buffer.size, NULL) == SN_ERROR_FORMAT);
    memset(buffer.bytes + 28, 0xff, 4);
    CHECK(snPc2_Open(&header, buffer.bytes, buffer.size, NULL) == SN_ERROR_FORMAT);
    memset(buffer.bytes, 'x', 4);
    CHECK(snPc2_Open(&header, buffer.bytes, buffer.size, NULL) == SN_ERROR_FORMAT);
}

static void writerRefusesNonsenseAndPassesErrorsOn(void)
{
    Buffer buffer = {.limit = 40};
    snSink sink = {append, &buffer};
    snPc2Writer writer;
    snVec3f points[2] = {{0, 0, 0}, {1, 1, 1}};
    snPc2Header none = {0, 1, 0.0f, 1.0f}, rateless = {1, 1, 0.0f, 0.0f}, good = {2, 1, 0.0f, 1.0f};
    snPc2Header lost = {1, 1, NAN, 1.0f};
    CHECK(snPc2_Begin(&writer, &none, sink, NULL) == SN_ERROR_ARGUMENT);
    CHECK(snPc2_Begin(&writer, &rateless, sink, NULL) == SN_ERROR_ARGUMENT);
    CHECK(snPc2_Begin(&writer, &lost, sink, NULL) == SN_ERROR_ARGUMENT);
    CHECK(snPc2_Begin(&writer, &good, sink, NULL) == SN_OK);
    CHECK(snPc2_Frame(&writer, points, NULL) == SN_ERROR_FILE);
}

int main(void)
{
    RUN(bytesOneByOne);
    RUN(thereAndBack);
    RUN(badFilesAreRefused);
    RUN(writerRefusesNonsenseAndPassesErrorsOn);
    return snTest_Finish();
}
