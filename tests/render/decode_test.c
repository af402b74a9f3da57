#include "render/decode.h"

#include "core/random.h"
#include "tests/test.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

static const float nothing[4] = {0};

typedef struct Bytes {
    uint8_t *data; // malloc
    size_t size;
} Bytes;

static Bytes copyOf(const void *data, size_t size)
{
    Bytes bytes = {malloc(size), size};
    memcpy(bytes.data, data, size);
    return bytes;
}

// ---- pictures to encode -------------------------------------------------------------------------

static snImage noise(int width, int height, bool alpha)
{
    snImage image = {0};
    snRandom random = snMakeRandom(7);
    CHECK(snImage_Make(&image, width, height, nothing, NULL) == SN_OK);
    for (int i = 0; i < width * height * 4; i++)
        image.pixels[i] = i % 4 == 3 && !alpha ? 255 : (uint8_t)snRandom_Bits(&random);
    return image;
}

// Slow changes only, which JPEG keeps well. Each way and each channel differs.
static snImage gradient(int width, int height)
{
    snImage image = {0};
    CHECK(snImage_Make(&image, width, height, nothing, NULL) == SN_OK);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            uint8_t *p = &image.pixels[4 * (y * width + x)];
            p[0] = (uint8_t)(40 + 200 * x / width);
            p[1] = (uint8_t)(40 + 200 * y / height);
            p[2] = (uint8_t)(220 - 100 * (x + y) / (width + height));
            p[3] = 255;
        }
    return image;
}

static Bytes encodePng(const snImage *image)
{
    snPng png;
    CHECK(snPng_Encode(image, &png, NULL) == SN_OK);
    return (Bytes){png.data, png.size};
}

typedef struct JpegKind {
    bool progressive, grey, print, coarse; // print: four colours; coarse: chroma at half size
} JpegKind;

static void fillRow(uint8_t *row, const uint8_t *pixels, int width, JpegKind kind)
{
    for (int x = 0; x < width; x++, pixels += 4) {
        if (kind.grey)
            *row++ = pixels[1];
        else
            for (int c = 0; c < (kind.print ? 4 : 3); c++)
                *row++ = pixels[c];
    }
}

static Bytes encodeJpeg(const snImage *image, JpegKind kind)
{
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    unsigned char *data = NULL;
    unsigned long size = 0;
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    jpeg_mem_dest(&info, &data, &size);
    info.image_width = (JDIMENSION)image->width;
    info.image_height = (JDIMENSION)image->height;
    info.input_components = kind.grey ? 1 : kind.print ? 4 : 3;
    info.in_color_space = kind.grey ? JCS_GRAYSCALE : kind.print ? JCS_CMYK : JCS_RGB;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, 97, TRUE);
    if (!kind.coarse) info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = 1;
    if (kind.progressive) jpeg_simple_progression(&info);
    jpeg_start_compress(&info, TRUE);
    uint8_t *row = malloc(4 * (size_t)image->width);
    while (info.next_scanline < info.image_height) {
        fillRow(row, &image->pixels[4 * (size_t)image->width * info.next_scanline], image->width,
                kind);
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    Bytes bytes = copyOf(data, size);
    free(row);
    free(data);
    return bytes;
}

// ---- checks -------------------------------------------------------------------------------------

static snStatus decode(snImage *image, const void *data, size_t size)
{
    snError error = {0};
    snStatus status = snImage_Decode(image, data, size, &error);
    if (status) CHECK(error.code == status && error.message[0]);
    return status;
}

// Fails with the status, and leaves the image alone.
static void checkFails(const Bytes *bytes, snStatus expected)
{
    snImage image = {0};
    CHECK(snImage_Make(&image, 1, 1, nothing, NULL) == SN_OK);
    const uint8_t *pixels = image.pixels;
    CHECK(decode(&image, bytes->data, bytes->size) == expected);
    CHECK(image.pixels == pixels && image.width == 1 && image.height == 1);
    snImage_Destroy(&image);
}

// Whatever comes out, it is a whole picture or none. A copy of the exact size lets the sanitizer see
// each read past its end.
static bool decodesOrFails(const uint8_t *data, size_t size)
{
    Bytes bytes = copyOf(data, size);
    snImage image = {0};
    snStatus status = decode(&image, bytes.data, bytes.size);
    CHECK((status == SN_OK) == (image.pixels != NULL));
    unsigned sum = 0;
    for (size_t i = 0; i < 4 * (size_t)image.width * (size_t)image.height; i += 61)
        sum += image.pixels[i];
    CHECK(sum <= 255u * 4u * SN_MOST_TEXELS * SN_MOST_TEXELS / 61u);
    snImage_Destroy(&image);
    free(bytes.data);
    return status == SN_OK;
}

static int largestDifference(const snImage *a, const snImage *b, bool grey)
{
    int most = 0;
    if (!CHECK(a->width == b->width && a->height == b->height)) return 255;
    for (int i = 0; i < a->width * a->height * 4; i++) {
        int expected = grey && i % 4 != 3 ? a->pixels[i / 4 * 4 + 1] : a->pixels[i];
        int d = abs(expected - b->pixels[i]);
        if (d > most) most = d;
    }
    return most;
}

// ---- tests --------------------------------------------------------------------------------------

static void pngComesBackExactly(void)
{
    static const int sizes[4][2] = {{1, 1}, {3, 2}, {64, 33}, {257, 5}};
    snImage decoded = {0}; // each replaces the one before
    for (int i = 0; i < 8; i++) {
        snImage image = noise(sizes[i / 2][0], sizes[i / 2][1], i % 2);
        Bytes bytes = encodePng(&image);
        CHECK(decode(&decoded, bytes.data, bytes.size) == SN_OK);
        CHECK(largestDifference(&image, &decoded, false) == 0);
        snImage_Destroy(&image);
        free(bytes.data);
    }
    snImage_Destroy(&decoded);
}

// Grey, palettes and 16 bits, as the encoder of this project never writes them.
static Bytes encodeWithFormat(const void *pixels, const void *palette, uint32_t entries,
                              png_uint_32 format)
{
    png_image png = {.version = PNG_IMAGE_VERSION, .width = 2, .height = 2, .format = format};
    png.colormap_entries = entries;
    png_alloc_size_t size = 4096;
    Bytes bytes = {malloc(size), 0};
    CHECK(png_image_write_to_memory(&png, bytes.data, &size, 0, pixels, 0, palette) != 0);
    bytes.size = size;
    return bytes;
}

static void pngOfOtherKinds(void)
{
    static const uint8_t grey[4] = {0, 90, 180, 255}, indices[4] = {0, 1, 1, 0};
    static const uint8_t palette[8] = {10, 20, 30, 40, 200, 150, 100, 255};
    static const uint16_t deep[12] = {0, 65535, 0, 65535, 0, 0, 0, 0, 65535, 65535, 65535, 65535};
    snImage image = {0};
    Bytes bytes = encodeWithFormat(grey, NULL, 0, PNG_FORMAT_GRAY);
    CHECK(decode(&image, bytes.data, bytes.size) == SN_OK);
    static const uint8_t fromGrey[16] = {0,   0,   0,   255, 90,  90,  90,  255,
                                         180, 180, 180, 255, 255, 255, 255, 255};
    CHECK(image.width == 2 && image.height == 2 && !memcmp(image.pixels, fromGrey, 16));
    free(bytes.data);
    bytes = encodeWithFormat(indices, palette, 2, PNG_FORMAT_RGBA_COLORMAP);
    CHECK(decode(&image, bytes.data, bytes.size) == SN_OK);
    CHECK(!memcmp(image.pixels, palette, 8) && !memcmp(image.pixels + 8, palette + 4, 4));
    free(bytes.data);
    bytes = encodeWithFormat(deep, NULL, 0, PNG_FORMAT_LINEAR_RGB);
    CHECK(decode(&image, bytes.data, bytes.size) == SN_OK);
    static const uint8_t fromDeep[16] = {0, 255, 0,   255, 255, 0,   0,   255,
                                         0, 0,   255, 255, 255, 255, 255, 255};
    CHECK(!memcmp(image.pixels, fromDeep, 16));
    free(bytes.data);
    snImage_Destroy(&image);
}

static void jpegComesBackNearly(void)
{
    static const JpegKind kinds[5] = {
        {0}, {.progressive = true}, {.coarse = true}, {.grey = true}, {true, true, false, false}};
    static const int sizes[3][2] = {{64, 48}, {33, 17}, {1, 1}};
    snImage decoded = {0};
    for (int i = 0; i < 15; i++) {
        snImage image = gradient(sizes[i / 5][0], sizes[i / 5][1]);
        Bytes bytes = encodeJpeg(&image, kinds[i % 5]);
        CHECK(decode(&decoded, bytes.data, bytes.size) == SN_OK);
        CHECK(largestDifference(&image, &decoded, kinds[i % 5].grey) <= 8);
        snImage_Destroy(&image);
        free(bytes.data);
    }
    snImage_Destroy(&decoded);
}

static void otherBytesAreUnsupported(void)
{
    static const char *const texts[4] = {"", "RIFF....WEBPVP8 ", "GIF89a", "\x89PN"};
    for (int i = 0; i < 4; i++) {
        Bytes bytes = copyOf(texts[i], strlen(texts[i]));
        checkFails(&bytes, SN_ERROR_UNSUPPORTED);
        free(bytes.data);
    }
    CHECK(decode(&(snImage){0}, NULL, 0) == SN_ERROR_UNSUPPORTED);
    snImage image = noise(16, 16, true);
    Bytes print = encodeJpeg(&image, (JpegKind){.print = true});
    checkFails(&print, SN_ERROR_FORMAT);
    free(print.data);
    snImage_Destroy(&image);
}

static void put32(uint8_t *p, uint32_t x)
{
    for (int k = 0; k < 4; k++)
        p[k] = (uint8_t)(x >> (24 - 8 * k));
}

// Rewrites the size in a PNG's first chunk together with its checksum (CRC-32, bit by bit).
static void setPngSize(uint8_t *png, uint32_t width, uint32_t height)
{
    put32(png + 16, width);
    put32(png + 20, height);
    uint32_t crc = ~0u;
    for (int i = 12; i < 29; i++) {
        crc ^= png[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    put32(png + 29, ~crc);
}

// The place of the first segment of a kind in a JPEG, at its length; 0: none.
static size_t findSegment(const Bytes *jpeg, uint8_t first, uint8_t last)
{
    size_t at = 2;
    while (at + 4 < jpeg->size) {
        if (jpeg->data[at + 1] >= first && jpeg->data[at + 1] <= last) return at + 2;
        at += 2 + (size_t)(jpeg->data[at + 2] << 8 | jpeg->data[at + 3]);
    }
    return 0;
}

static void hugeSizesAreRefused(void)
{
    snImage image = gradient(16, 16);
    Bytes png = encodePng(&image), jpeg = encodeJpeg(&image, (JpegKind){0});
    setPngSize(png.data, 16, 16);
    CHECK(decodesOrFails(png.data, png.size));
    static const uint32_t sizes[4][2] = {
        {8193, 1}, {1, 8193}, {1000000, 1000000}, {SN_MOST_TEXELS, SN_MOST_TEXELS}};
    for (int i = 0; i < 4; i++) {
        setPngSize(png.data, sizes[i][0], sizes[i][1]);
        // The last is allowed, but there is too little to fill it.
        checkFails(&png, i < 3 ? SN_ERROR_UNSUPPORTED : SN_ERROR_FORMAT);
    }
    size_t at = findSegment(&jpeg, 0xc0, 0xc2) + 3;
    memcpy(jpeg.data + at, "\x20\x01\x00\x10", 4); // 8193 rows of 16
    checkFails(&jpeg, SN_ERROR_UNSUPPORTED);
    memcpy(jpeg.data + at, "\x20\x00\x20\x00", 4); // likewise
    checkFails(&jpeg, SN_ERROR_FORMAT);
    free(png.data);
    free(jpeg.data);
    snImage_Destroy(&image);
}

// A progressive JPEG whose last scan comes hundreds of times.
static void endlessScansAreRefused(void)
{
    snImage image = gradient(16, 16);
    Bytes jpeg = encodeJpeg(&image, (JpegKind){.progressive = true});
    size_t last = 0;
    for (size_t i = 0; i + 1 < jpeg.size; i++)
        if (jpeg.data[i] == 0xff && jpeg.data[i + 1] == 0xda) last = i;
    size_t length = jpeg.size - 2 - last, count = 300;
    Bytes many = {malloc(jpeg.size + count * length), jpeg.size - 2};
    memcpy(many.data, jpeg.data, jpeg.size);
    for (size_t k = 0; k < count; k++, many.size += length)
        memcpy(many.data + many.size, jpeg.data + last, length);
    memcpy(many.data + many.size, "\xff\xd9", 2);
    many.size += 2;
    checkFails(&many, SN_ERROR_FORMAT);
    free(many.data);
    free(jpeg.data);
    snImage_Destroy(&image);
}

static void cutFilesFail(void)
{
    snImage image = gradient(24, 20);
    Bytes files[3] = {encodePng(&image), encodeJpeg(&image, (JpegKind){0}),
                      encodeJpeg(&image, (JpegKind){.progressive = true})};
    for (int f = 0; f < 3; f++) {
        int good = 0;
        for (size_t size = 0; size < files[f].size; size++) {
            bool decoded = decodesOrFails(files[f].data, size);
            if (size + 16 < files[f].size) good += decoded; // the end of all pictures is idle
        }
        CHECK(good == 0);
        free(files[f].data);
    }
    snImage_Destroy(&image);
}

// One to four bytes changed, in the head more often than elsewhere.
static void mutatedFilesAreHarmless(void)
{
    snRandom random = snMakeRandom(2024);
    snImage image = gradient(24, 20);
    Bytes files[4] = {encodePng(&image), encodeJpeg(&image, (JpegKind){0}),
                      encodeJpeg(&image, (JpegKind){.progressive = true}),
                      encodeJpeg(&image, (JpegKind){.print = true, .coarse = true})};
    for (int round = 0; round < 2000; round++) {
        const Bytes *file = &files[round % 4];
        Bytes bytes = copyOf(file->data, file->size);
        for (int k = snRandom_Below(&random, 4); k >= 0; k--) {
            int limit = snRandom_Below(&random, 2) ? 200 : (int)bytes.size;
            int at = snRandom_Below(&random, limit < (int)bytes.size ? limit : (int)bytes.size);
            bytes.data[at] = (uint8_t)snRandom_Bits(&random);
        }
        decodesOrFails(bytes.data, bytes.size);
        free(bytes.data);
    }
    for (int f = 0; f < 4; f++)
        free(files[f].data);
    snImage_Destroy(&image);
}

int main(void)
{
    RUN(pngComesBackExactly);
    RUN(pngOfOtherKinds);
    RUN(jpegComesBackNearly);
    RUN(otherBytesAreUnsupported);
    RUN(hugeSizesAreRefused);
    RUN(endlessScansAreRefused);
    RUN(cutFilesFail);
    RUN(mutatedFilesAreHarmless);
    return snTest_Finish();
}
