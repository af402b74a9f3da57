#include "render/decode.h"

#include "core/error.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h> // before jpeglib.h, which does not include it
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

// A small progressive JPEG can ask for thousands of passes over a large picture. Honest ones have
// about ten.
#define MOST_SCANS 100
// What libjpeg may take, in bytes: the coefficients of the largest progressive picture in colour.
#define MOST_JPEG_MEMORY (3L * SN_MOST_TEXELS * SN_MOST_TEXELS * (long)sizeof(JCOEF) + (1L << 24))

static snStatus checkSize(size_t width, size_t height, snError *error)
{
    if (width >= 1 && height >= 1 && width <= SN_MOST_TEXELS && height <= SN_MOST_TEXELS)
        return SN_OK;
    return snFail(error, SN_ERROR_UNSUPPORTED,
                  "the picture has %zu x %zu pixels; each side may have 1 to %d", width, height,
                  SN_MOST_TEXELS);
}

static void replace(snImage *image, size_t width, size_t height, uint8_t *pixels)
{
    snImage_Destroy(image);
    *image = (snImage){(int)width, (int)height, pixels};
}

// ---- PNG ----------------------------------------------------------------------------------------

static snStatus decodePng(snImage *image, const void *bytes, size_t size, snError *error)
{
    png_image png = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&png, bytes, size))
        return snFail(error, SN_ERROR_FORMAT, "the PNG cannot be read: %s", png.message);
    snStatus status = checkSize(png.width, png.height, error);
    png.format = PNG_FORMAT_RGBA;
    png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB; // textures are sRGB whatever their depth
    // Not zeroed: what the file does not fill is never touched, so a header that promises too much
    // costs no memory.
    uint8_t *pixels = status ? NULL : malloc(PNG_IMAGE_SIZE(png));
    if (!status && !pixels) status = snFailMemory(error);
    if (!status && !png_image_finish_read(&png, NULL, pixels, 0, NULL))
        status = snFail(error, SN_ERROR_FORMAT, "the PNG cannot be read: %s", png.message);
    if (status)
        free(pixels);
    else
        replace(image, png.width, png.height, pixels);
    png_image_free(&png);
    return status;
}

// ---- JPEG ---------------------------------------------------------------------------------------

// What libjpeg's callbacks work on; `info` first, because they get its parts. All that outlives a
// long jump is in here, so that none of it can be left undefined.
typedef struct Reader {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    struct jpeg_progress_mgr progress;
    jmp_buf failed;
    uint8_t *pixels;
    char message[JMSG_LENGTH_MAX];
    snStatus status; // SN_OK, or what to fail with instead of SN_ERROR_FORMAT
} Reader;

static void onError(j_common_ptr info)
{
    Reader *reader = (Reader *)(void *)info;
    int code = reader->errors.msg_code;
    if (code == JERR_OUT_OF_MEMORY || code == JERR_NO_BACKING_STORE)
        reader->status = SN_ERROR_MEMORY;
    else
        reader->errors.format_message(info, reader->message);
    longjmp(reader->failed, 1);
}

static _Noreturn void fail(Reader *reader, const char *message)
{
    snprintf(reader->message, sizeof reader->message, "%s", message);
    longjmp(reader->failed, 1);
}

static void ignoreMessage(j_common_ptr info)
{
    (void)info;
}

// Most warnings are about damage that libjpeg can step over. Not so where a scan stops too early: a
// few bytes would become a picture of the largest size, all grey.
static void onWarning(j_common_ptr info, int level)
{
    Reader *reader = (Reader *)(void *)info;
    if (level < 0 && reader->errors.msg_code == JWRN_HIT_MARKER) onError(info);
}

static void ignoreSource(j_decompress_ptr info)
{
    (void)info;
}

// All bytes are there from the beginning, so whoever asks for more reads a cut file.
static boolean onEmpty(j_decompress_ptr info)
{
    fail((Reader *)(void *)info, "it ends too early");
    return FALSE;
}

static void onSkip(j_decompress_ptr info, long count)
{
    struct jpeg_source_mgr *source = info->src;
    if (count <= 0) return;
    if ((size_t)count > source->bytes_in_buffer) onEmpty(info);
    source->next_input_byte += count;
    source->bytes_in_buffer -= (size_t)count;
}

static void onProgress(j_common_ptr info)
{
    Reader *reader = (Reader *)(void *)info;
    if (reader->info.input_scan_number > MOST_SCANS) fail(reader, "it has too many scans");
}

static void setUp(Reader *reader, const void *bytes, size_t size)
{
    reader->info.err = jpeg_std_error(&reader->errors);
    reader->errors.error_exit = onError;
    reader->errors.emit_message = onWarning;
    reader->errors.output_message = ignoreMessage;
    reader->source = (struct jpeg_source_mgr){
        .next_input_byte = bytes,
        .bytes_in_buffer = size,
        .init_source = ignoreSource,
        .fill_input_buffer = onEmpty,
        .skip_input_data = onSkip,
        .resync_to_restart = jpeg_resync_to_restart,
        .term_source = ignoreSource,
    };
    reader->progress.progress_monitor = onProgress;
}

// Three bytes per pixel become four, in place and so from the end.
static void spread(uint8_t *row, size_t width)
{
    for (size_t x = width; x-- > 0;) {
        uint8_t rgb[3] = {row[3 * x], row[3 * x + 1], row[3 * x + 2]};
        memcpy(&row[4 * x], rgb, 3);
        row[4 * x + 3] = 255;
    }
}

// The part that libjpeg may leave by a long jump; false then, and when reader->status is set.
static bool readJpeg(Reader *reader, snError *error)
{
    struct jpeg_decompress_struct *info = &reader->info;
    if (setjmp(reader->failed)) return false;
    jpeg_create_decompress(info); // clears `info` but for the error manager
    info->src = &reader->source;
    info->progress = &reader->progress;
    info->mem->max_memory_to_use = MOST_JPEG_MEMORY;
    jpeg_read_header(info, TRUE);
    reader->status = checkSize(info->image_width, info->image_height, error);
    if (reader->status) return false;
    info->out_color_space = JCS_RGB; // from grey too; not from the four colours of print
    jpeg_start_decompress(info);
    size_t width = info->output_width, height = info->output_height;
    reader->pixels = malloc(4 * width * height);
    if (!reader->pixels) {
        reader->status = snFailMemory(error);
        return false;
    }
    while (info->output_scanline < height) {
        uint8_t *row = &reader->pixels[4 * width * info->output_scanline];
        if (jpeg_read_scanlines(info, &row, 1) != 1) fail(reader, "it ends too early");
        spread(row, width);
    }
    return true; // what follows the last row does not matter
}

static snStatus decodeJpeg(snImage *image, const void *bytes, size_t size, snError *error)
{
    Reader *reader = calloc(1, sizeof *reader);
    if (!reader) return snFailMemory(error);
    setUp(reader, bytes, size);
    snStatus status = SN_OK;
    if (readJpeg(reader, error)) {
        replace(image, reader->info.output_width, reader->info.output_height, reader->pixels);
    } else {
        free(reader->pixels);
        status = reader->status;
        if (!status)
            status = snFail(error, SN_ERROR_FORMAT, "the JPEG cannot be read: %s", reader->message);
        else if (status == SN_ERROR_MEMORY)
            status = snFailMemory(error);
    }
    jpeg_destroy_decompress(&reader->info);
    free(reader);
    return status;
}

snStatus snImage_Decode(snImage *image, const void *bytes, size_t size, snError *error)
{
    if (size >= 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0)
        return decodePng(image, bytes, size, error);
    if (size >= 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0)
        return decodeJpeg(image, bytes, size, error);
    return snFail(error, SN_ERROR_UNSUPPORTED, "the picture is neither PNG nor JPEG");
}
