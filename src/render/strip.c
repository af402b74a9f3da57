#include "render/strip.h"

#include "core/elementary.h"
#include "core/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

snStripDef snDefaultStripDef(void)
{
    snStripDef def = {.gap = 6, .margin = 12};
    snColor_FromHex(0xffffff, def.background);
    snColor_FromHex(0x4a4f57, def.textColor);
    return def;
}

// The number of columns whose grid comes nearest to a screen's shape, with rows as full as can be.
static int chooseColumns(int count, int width, int height)
{
    int best = 1;
    double bestCost = 1e30;
    for (int columns = 1; columns <= count; columns++) {
        int rows = (count + columns - 1) / columns;
        double ratio = (double)columns * width / ((double)rows * height);
        int empty = rows * columns - count;
        double cost = fabs(snLn(ratio / 1.9)) + 1.5 * empty / count;
        if (cost < bestCost) best = columns, bestCost = cost;
    }
    return best;
}

static snStatus checkPanels(const snImage *panels, int count, const snStripDef *def, snError *error)
{
    if (count < 1) return snFail(error, SN_ERROR_ARGUMENT, "a film strip needs a panel");
    if (def->columns < 0 || def->gap < 0 || def->margin < 0 || def->gap > 4096 ||
        def->margin > 4096 || !(def->captionSize >= 0.0f && def->captionSize < 1024.0f))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a film strip's columns, gaps or caption size are "
                      "negative or too large");
    for (int i = 0; i < count; i++)
        if (!panels[i].pixels || panels[i].width != panels[0].width ||
            panels[i].height != panels[0].height)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "panel %d of the film strip is %d x %d pixels, the first is %d x %d", i,
                          panels[i].width, panels[i].height, panels[0].width, panels[0].height);
    return SN_OK;
}

static void drawFrame(snImage *strip, int x, int y, int width, int height)
{
    float line[4];
    snColor_FromHex(0xd5d8dc, line);
    float l = (float)x, t = (float)y, r = (float)(x + width), b = (float)(y + height);
    snImage_Box(strip, l, t, r, t + 1.0f, line);
    snImage_Box(strip, l, b - 1.0f, r, b, line);
    snImage_Box(strip, l, t + 1.0f, l + 1.0f, b - 1.0f, line);
    snImage_Box(strip, r - 1.0f, t + 1.0f, r, b - 1.0f, line);
}

snStatus snStrip_Compose(snImage *strip, const snImage *panels, const char *const *captions,
                         int count, const snStripDef *def, snError *error)
{
    snStatus status = checkPanels(panels, count, def, error);
    if (status) return status;
    int width = panels[0].width, height = panels[0].height;
    int columns = def->columns ? def->columns : chooseColumns(count, width, height);
    if (columns > count) columns = count;
    int rows = (count + columns - 1) / columns;
    float size =
        def->captionSize > 0.0f ? def->captionSize : (float)snClamp(0.028 * height, 8.0, 40.0);
    int top = def->margin + (def->title ? (int)(2.6f * size) : 0);
    int64_t fullWidth = 2 * (int64_t)def->margin + (int64_t)columns * (width + def->gap) - def->gap;
    int64_t fullHeight =
        top + (int64_t)def->margin + (int64_t)rows * (height + def->gap) - def->gap;
    if (fullWidth > 32768 || fullHeight > 32768)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a film strip of %d panels of %d x %d pixels is too large; use fewer or "
                      "smaller panels",
                      count, width, height);
    status = snImage_Make(strip, (int)fullWidth, (int)fullHeight, def->background, error);
    if (status) return status;
    if (def->title)
        snImage_Text(strip, (float)def->margin, (float)def->margin + 1.45f * size, 1.25f * size,
                     SN_TEXT_LEFT, def->textColor, def->title);
    for (int i = 0; i < count; i++) {
        int x = def->margin + i % columns * (width + def->gap);
        int y = top + i / columns * (height + def->gap);
        snImage_Blit(strip, &panels[i], x, y);
        if (def->frame) drawFrame(strip, x, y, width, height);
        if (captions && captions[i])
            snImage_Text(strip, (float)x + 1.1f * size, (float)(y + height) - 1.1f * size, size,
                         SN_TEXT_LEFT, def->textColor, captions[i]);
    }
    return SN_OK;
}

snColorBarDef snDefaultColorBarDef(void)
{
    snColorBarDef def = {.map = SN_COLORS_DIVERGING,
                         .low = 0.5f,
                         .high = 1.5f,
                         .format = "%.2f",
                         .x = 0.9f,
                         .y = 0.2f,
                         .height = 0.5f};
    snColor_FromHex(0x4a4f57, def.textColor);
    return def;
}

// printf with a format of the caller's that must hold one double: %[flags][width][.digits](f|e|g),
// with plain text around it. Anything else falls back to %.3g, because a wrong format would read
// what is not there.
static void formatNumber(char *text, size_t size, const char *format, double value)
{
    const char *percent = format ? strchr(format, '%') : NULL;
    if (percent) {
        const char *s = percent + 1;
        s += strspn(s, "+- 0#");
        s += strspn(s, "0123456789");
        if (*s == '.') s += 1 + strspn(s + 1, "0123456789");
        if (*s && strchr("fFeEgG", *s) && !strchr(s + 1, '%')) {
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
            snprintf(text, size, format, value);
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
            return;
        }
    }
    snprintf(text, size, "%.3g", value);
}

void snImage_ColorBar(snImage *image, const snColorBarDef *def)
{
    if (!image->pixels) return;
    float size =
        def->textSize > 0.0f ? def->textSize : (float)snClamp(0.022 * image->height, 8.0, 40.0);
    float x = def->x * (float)image->width, y = def->y * (float)image->height;
    float height = def->height * (float)image->height, width = 1.3f * size;
    if (!(height >= 4.0f && height < 65536.0f)) return;
    if (def->title)
        snImage_Text(image, x, y - 0.9f * size, size, SN_TEXT_LEFT, def->textColor, def->title);
    int rows = (int)height;
    for (int i = 0; i < rows; i++) {
        float color[4];
        snColorMap_At(def->map, 1.0f - ((float)i + 0.5f) / (float)rows, color);
        snImage_Box(image, x, y + (float)i, x + width, y + (float)(i + 1), color);
    }
    for (int tick = 0; tick <= 4; tick++) {
        float at = (float)tick / 4.0f, level = y + (float)rows * (1.0f - at);
        float length = tick % 2 ? 0.25f * size : 0.4f * size;
        snImage_Box(image, x + width, level - 0.5f, x + width + length, level + 0.5f,
                    def->textColor);
        if (tick % 2) continue;
        char text[64];
        double value = (double)def->low + (double)at * ((double)def->high - (double)def->low);
        formatNumber(text, sizeof text, def->format, value);
        snImage_Text(image, x + width + 0.8f * size, level + 0.5f * size, size, SN_TEXT_LEFT,
                     def->textColor, text);
    }
}
