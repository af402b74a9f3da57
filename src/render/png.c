#include "render/image.h"

#include "core/error.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

// What libpng's callbacks work on. Fields are set before setjmp or through this struct only, so
// that a long jump cannot leave them undefined.
typedef struct Writer {
    uint8_t *data;
    size_t size, capacity;
    char message[160];
    bool outOfMemory;
} Writer;

static void onError(png_structp png, png_const_charp message)
{
    Writer *writer = png_get_error_ptr(png);
    if (!writer->message[0]) {
        strncpy(writer->message, message, sizeof writer->message - 1);
    }
    png_longjmp(png, 1);
}

static void onWarning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void onWrite(png_structp png, png_bytep data, size_t size)
{
    Writer *writer = png_get_io_ptr(png);
    if (size > writer->capacity - writer->size) {
        size_t capacity = writer->capacity + writer->capacity / 2 + size + 4096;
        uint8_t *grown = realloc(writer->data, capacity);
        if (!grown) {
            writer->outOfMemory = true;
            png_error(png, "out of memory");
        }
        writer->data = grown;
        writer->capacity = capacity;
    }
    memcpy(writer->data + writer->size, data, size);
    writer->size += size;
}

static void onFlush(png_structp png)
{
    (void)png;
}

static bool isOpaque(const snImage *image)
{
    size_t count = (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < count; i++)
        if (image->pixels[4 * i + 3] != 255) return false;
    return true;
}

// The part that libpng may leave by a long jump; false then.
static bool writeAll(png_structp png, png_infop info, const snImage *image)
{
    if (setjmp(png_jmpbuf(png))) return false;
    bool opaque = isOpaque(image);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGBA, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB_gAMA_and_cHRM(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    if (opaque) png_set_filler(png, 0, PNG_FILLER_AFTER); // drops the alpha byte on writing
    for (int y = 0; y < image->height; y++)
        png_write_row(png, &image->pixels[4 * (size_t)y * (size_t)image->width]);
    png_write_end(png, info);
    return true;
}

snStatus snPng_Encode(const snImage *image, snPng *bytes, snError *error)
{
    *bytes = (snPng){0};
    if (!image->pixels || image->width < 1 || image->height < 1)
        return snFail(error, SN_ERROR_ARGUMENT, "an empty picture cannot be written as PNG");
    Writer writer = {0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer, onError, onWarning);
    if (!png) return snFailMemory(error);
    png_infop info = png_create_info_struct(png);
    png_set_write_fn(png, &writer, onWrite, onFlush);
    bool written = info && writeAll(png, info, image);
    png_destroy_write_struct(&png, &info);
    if (!written) {
        free(writer.data);
        if (writer.outOfMemory || !writer.message[0]) return snFailMemory(error);
        return snFail(error, SN_ERROR_ARGUMENT, "the picture cannot be written as PNG: %s",
                      writer.message);
    }
    *bytes = (snPng){writer.data, writer.size};
    return SN_OK;
}
