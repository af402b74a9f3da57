// The built-in font: strokes of even width with round ends, drawn by distance so that they are
// smooth at any size. Made for captions and numbers; digits all have the same width.
#include "render/image.h"

#include "core/elementary.h"
#include "render/pixel.h"

#include <math.h>
#include <stddef.h>

// Glyphs live on a grid with the baseline at 0, capitals up to 20, small letters to 14, tails down
// to -6. A path is a list of
//     M x y  x y ...              a line through points (a single repeated point is a dot)
//     A cx cy rx ry from to       a piece of an ellipse, degrees counted from +x towards +y
typedef struct Glyph {
    unsigned code;
    int width; // of the ink's middle line
    const char *path;
} Glyph;

// clang-format off
static const Glyph glyphs[] = {
    {' ', 5, ""},
    {'!', 0, "M 0 20 0 7 M 0 0 0 0"},
    {'"', 5, "M 0 20 0 15 M 5 20 5 15"},
    {'#', 13, "M 4 20 2 0 M 11 20 9 0 M 0 13 13 13 M 0 6 13 6"},
    {'$', 12, "A 6 15 6 5 30 270 A 6 5 6 5 90 -150 M 6 23 6 -3"},
    {'%', 17, "A 3.5 16 3.5 4 0 360 A 13.5 4 3.5 4 0 360 M 14 20 3 0"},
    {'&', 15, "M 15 0 3.6 13.5 A 7 15.5 4 4.5 205 -45 M 9.8 12.3 3 9 A 6 4.8 6 4.8 120 310 M 9.8 1.1 15 9"},
    {'\'', 0, "M 0 20 0 15"},
    {'(', 4, "A 10 8.5 10 17 128 232"},
    {')', 4, "A -6 8.5 10 17 52 -52"},
    {'*', 10, "M 5 20 5 10 M 0.7 17.5 9.3 12.5 M 0.7 12.5 9.3 17.5"},
    {'+', 12, "M 0 8 12 8 M 6 14 6 2"},
    {',', 1, "M 1 0.5 0 -4"},
    {'-', 8, "M 0 8 8 8"},
    {'.', 0, "M 0 0 0 0"},
    {'/', 9, "M 0 -3 9 22"},
    {'0', 12, "A 6 10 6 10 0 360"},
    {'1', 12, "M 2.5 16 7.5 20 7.5 0"},
    {'2', 12, "A 6 14 6 6 165 -40 M 10.6 10.1 0 0 12 0"},
    {'3', 12, "A 6 15 5.3 5 150 -90 M 4.5 10 6 10 A 6 5 6 5 90 -150"},
    {'4', 12, "M 9 0 9 20 0 6 12.5 6"},
    {'5', 12, "M 11 20 2.2 20 1.4 10.7 A 6 6.5 6 6.5 140 -150"},
    {'6', 12, "A 6 6.2 6 6.2 0 360 M 0.9 9.6 8 20"},
    {'7', 12, "M 0 20 12 20 4 0"},
    {'8', 12, "A 6 15.2 5 4.8 0 360 A 6 5.2 6 5.2 0 360"},
    {'9', 12, "A 6 13.8 6 6.2 0 360 M 11.1 10.4 4 0"},
    {':', 0, "M 0 0 0 0 M 0 12 0 12"},
    {';', 1, "M 1 0.5 0 -4 M 1 12 1 12"},
    {'<', 11, "M 11 14 0 8 11 2"},
    {'=', 12, "M 0 11 12 11 M 0 5 12 5"},
    {'>', 11, "M 0 14 11 8 0 2"},
    {'?', 10, "A 5 15 5 5 170 -60 M 7.5 10.7 5 8 5 6 M 5 0 5 0"},
    {'@', 18, "A 8 8 3.5 4.5 0 360 M 11.5 12.5 11.5 6.5 A 14.5 6.5 3 3 180 350 A 9 8 8.7 11 0 305"},
    {'A', 16, "M 0 0 8 20 16 0 M 2.8 7 13.2 7"},
    {'B', 13, "M 7 20 0 20 0 0 8 0 M 0 10.4 8 10.4 A 7 15.2 5 4.8 90 -90 A 8 5.2 5 5.2 90 -90"},
    {'C', 14, "A 8.5 10 8.5 10 48 312"},
    {'D', 15, "M 5 20 0 20 0 0 5 0 A 5 10 10 10 90 -90"},
    {'E', 11, "M 11 20 0 20 0 0 11 0 M 0 10.4 9 10.4"},
    {'F', 11, "M 11 20 0 20 0 0 M 0 10.4 9 10.4"},
    {'G', 16, "A 8.5 10 8.5 10 48 325 M 15.5 4.3 15.5 9.5 9.5 9.5"},
    {'H', 14, "M 0 0 0 20 M 14 0 14 20 M 0 10.4 14 10.4"},
    {'I', 0, "M 0 0 0 20"},
    {'J', 9, "M 9 20 9 5 A 4.2 5 4.8 5 0 -150"},
    {'K', 13, "M 0 0 0 20 M 12 20 0 8 M 4.2 12.2 13 0"},
    {'L', 10, "M 0 20 0 0 10 0"},
    {'M', 17, "M 0 0 0 20 8.5 5 17 20 17 0"},
    {'N', 14, "M 0 0 0 20 14 0 14 20"},
    {'O', 17, "A 8.5 10 8.5 10 0 360"},
    {'P', 12, "M 0 0 0 20 6.5 20 A 6.5 14.5 5.5 5.5 90 -90 M 6.5 9 0 9"},
    {'Q', 17, "A 8.5 10 8.5 10 0 360 M 10.5 5.5 16.5 -1"},
    {'R', 13, "M 0 0 0 20 6.5 20 A 6.5 14.7 5.5 5.3 90 -90 M 6.5 9.4 0 9.4 M 6.5 9.4 12.5 0"},
    {'S', 12, "A 6 15.1 5.6 4.9 30 270 A 6 5.1 6 5.1 90 -150"},
    {'T', 14, "M 0 20 14 20 M 7 20 7 0"},
    {'U', 14, "M 0 20 0 7 A 7 7 7 7 180 360 M 14 7 14 20"},
    {'V', 15, "M 0 20 7.5 0 15 20"},
    {'W', 22, "M 0 20 5.5 0 11 18 16.5 0 22 20"},
    {'X', 14, "M 0 0 14 20 M 0 20 14 0"},
    {'Y', 14, "M 0 20 7 9 14 20 M 7 9 7 0"},
    {'Z', 13, "M 0 20 13 20 0 0 13 0"},
    {'[', 5, "M 5 22 0 22 0 -5 5 -5"},
    {'\\', 9, "M 0 22 9 -3"},
    {']', 5, "M 0 22 5 22 5 -5 0 -5"},
    {'^', 10, "M 0 14 5 20 10 14"},
    {'_', 12, "M 0 -3 12 -3"},
    {'`', 4, "M 0 20 4 16"},
    {'a', 12, "A 6 7 6 7 0 360 M 12 14 12 0"},
    {'b', 12, "M 0 20 0 0 A 6 7 6 7 0 360"},
    {'c', 10, "A 6 7 6 7 48 312"},
    {'d', 12, "A 6 7 6 7 0 360 M 12 20 12 0"},
    {'e', 12, "M 0 7.2 12 7.2 A 6 7 6 7 0 312"},
    {'f', 8, "M 3 0 3 16 A 7 16 4 4 180 80 M 0 13.5 7.5 13.5"},
    {'g', 12, "A 6 7 6 7 0 360 M 12 14 12 0 A 6 0 6 6 0 -150"},
    {'h', 11, "M 0 20 0 0 A 5.5 8.5 5.5 5.5 180 0 M 11 8.5 11 0"},
    {'i', 0, "M 0 14 0 0 M 0 19 0 19"},
    {'j', 4, "M 4 14 4 -2 A 0 -2 4 4 0 -80 M 4 19 4 19"},
    {'k', 10, "M 0 20 0 0 M 9.5 14 0 5 M 4 8.8 10.5 0"},
    {'l', 3, "M 0 20 0 3 A 3 3 3 3 180 270"},
    {'m', 18, "M 0 14 0 0 A 4.5 9.5 4.5 4.5 180 0 M 9 9.5 9 0 A 13.5 9.5 4.5 4.5 180 0 M 18 9.5 18 0"},
    {'n', 11, "M 0 14 0 0 A 5.5 8.5 5.5 5.5 180 0 M 11 8.5 11 0"},
    {'o', 12, "A 6 7 6 7 0 360"},
    {'p', 12, "M 0 14 0 -6 A 6 7 6 7 0 360"},
    {'q', 12, "M 12 14 12 -6 A 6 7 6 7 0 360"},
    {'r', 6, "M 0 14 0 0 A 6 8 6 6 180 85"},
    {'s', 9, "A 4.7 10.6 4.2 3.4 30 270 A 4.7 3.6 4.6 3.6 90 -150"},
    {'t', 7, "M 3 19 3 4 A 7 4 4 4 180 280 M 0 13.5 7.5 13.5"},
    {'u', 11, "M 0 14 0 5.5 A 5.5 5.5 5.5 5.5 180 360 M 11 14 11 0"},
    {'v', 11, "M 0 14 5.5 0 11 14"},
    {'w', 17, "M 0 14 4.3 0 8.5 12.5 12.7 0 17 14"},
    {'x', 10, "M 0 0 10 14 M 0 14 10 0"},
    {'y', 11, "M 0 14 5.5 0 M 11 14 3.1 -6"},
    {'z', 10, "M 0 14 10 14 0 0 10 0"},
    {'{', 6, "A 6 18 3 4 90 180 M 3 18 3 12 A 0 12 3 3.5 0 -90 A 0 5 3 3.5 90 0 M 3 5 3 -1 A 6 -1 3 4 180 270"},
    {'|', 0, "M 0 22 0 -5"},
    {'}', 6, "A 0 18 3 4 90 0 M 3 18 3 12 A 6 12 3 3.5 180 270 A 6 5 3 3.5 90 180 M 3 5 3 -1 A 0 -1 3 4 0 -90"},
    {'~', 14, "A 3.5 7 3.5 2.5 180 20 A 10.5 8.7 3.5 2.5 200 360"},
    {0xb0, 7, "A 3.5 16.5 3.5 3.5 0 360"},          // degree
    {0xb1, 12, "M 0 10 12 10 M 6 16 6 4 M 0 0 12 0"}, // plus or minus
    {0xd7, 10, "M 0 3 10 13 M 0 13 10 3"},          // times
};
// clang-format on
static const Glyph unknownGlyph = {0, 10, "M 0 0 0 20 10 20 10 0 0 0"};

static const double UNITS = 20.0;  // height of capitals on the grid
static const double STROKE = 2.1;  // width of a stroke
static const double SPACING = 4.8; // between the middle lines of neighbours

static const Glyph *findGlyph(unsigned code)
{
    for (size_t i = 0; i < sizeof glyphs / sizeof *glyphs; i++)
        if (glyphs[i].code == code) return &glyphs[i];
    return &unknownGlyph;
}

// The next UTF-8 code point; a byte that starts none counts as one unknown character.
static unsigned nextCode(const char **text)
{
    const unsigned char *s = (const unsigned char *)*text;
    int extra = s[0] < 0x80 ? 0 : s[0] >= 0xf0 ? 3 : s[0] >= 0xe0 ? 2 : s[0] >= 0xc0 ? 1 : 0;
    unsigned code = extra == 0 ? s[0] : s[0] & (0x3fu >> extra);
    int i = 1;
    for (; i <= extra && (s[i] & 0xc0) == 0x80; i++)
        code = code << 6 | (s[i] & 0x3f);
    *text += i;
    return i == extra + 1 && (s[0] < 0x80 || extra > 0) ? code : 0xfffd;
}

// Segments of one glyph, in pixels.
enum { MAX_SEGMENTS = 160 };
typedef struct Outline {
    int count;
    double x0[MAX_SEGMENTS], y0[MAX_SEGMENTS], x1[MAX_SEGMENTS], y1[MAX_SEGMENTS];
} Outline;

typedef struct Place {
    double x, y, scale; // origin of the glyph; y grows downwards
} Place;

static void addSegment(Outline *outline, Place p, double x0, double y0, double x1, double y1)
{
    if (outline->count == MAX_SEGMENTS) return;
    int i = outline->count++;
    outline->x0[i] = p.x + p.scale * x0, outline->y0[i] = p.y - p.scale * y0;
    outline->x1[i] = p.x + p.scale * x1, outline->y1[i] = p.y - p.scale * y1;
}

static void addArc(Outline *outline, Place place, const double v[6])
{
    int steps = (int)(fabs(v[5] - v[4]) / 12.0) + 2;
    double px = 0, py = 0;
    for (int i = 0; i <= steps; i++) {
        double angle = (v[4] + (v[5] - v[4]) * i / steps) * SN_PI / 180.0;
        double x = v[0] + v[2] * snCos(angle), y = v[1] + v[3] * snSin(angle);
        if (i > 0) addSegment(outline, place, px, py, x, y);
        px = x, py = y;
    }
}

// A number like -3 or 10.4, or false at a letter or the end. Paths are ours, so they are valid.
static bool readNumber(const char **path, double *value)
{
    const char *s = *path;
    while (*s == ' ')
        s++;
    if (*s != '-' && !(*s >= '0' && *s <= '9')) return false;
    double sign = 1.0, result = 0.0, unit = 1.0;
    if (*s == '-') sign = -1.0, s++;
    for (; *s >= '0' && *s <= '9'; s++)
        result = 10.0 * result + (*s - '0');
    if (*s == '.')
        for (s++; *s >= '0' && *s <= '9'; s++)
            unit /= 10.0, result += unit * (*s - '0');
    *value = sign * result;
    *path = s;
    return true;
}

static void traceGlyph(Outline *outline, const char *path, Place place)
{
    outline->count = 0;
    while (*path) {
        char command = *path++;
        double v[6];
        int count = 0;
        double px = 0, py = 0;
        bool started = false;
        while (count < 6 && readNumber(&path, &v[count])) {
            count++;
            if (command != 'M' || count < 2) continue;
            if (started) addSegment(outline, place, px, py, v[0], v[1]);
            px = v[0], py = v[1], started = true, count = 0;
        }
        if (command == 'A' && count == 6) addArc(outline, place, v);
    }
}

static double distanceToSegment(const Outline *o, int i, double x, double y)
{
    double dx = o->x1[i] - o->x0[i], dy = o->y1[i] - o->y0[i];
    double px = x - o->x0[i], py = y - o->y0[i];
    double length = dx * dx + dy * dy;
    double t = length > 0.0 ? snClamp((px * dx + py * dy) / length, 0.0, 1.0) : 0.0;
    px -= t * dx, py -= t * dy;
    return sqrt(px * px + py * py);
}

static void drawOutline(snImage *image, const Outline *o, double halfWidth, const float color[4])
{
    if (o->count == 0) return;
    double left = 1e30, right = -1e30, top = 1e30, bottom = -1e30;
    for (int i = 0; i < o->count; i++) {
        left = fmin(left, fmin(o->x0[i], o->x1[i])), right = fmax(right, fmax(o->x0[i], o->x1[i]));
        top = fmin(top, fmin(o->y0[i], o->y1[i])), bottom = fmax(bottom, fmax(o->y0[i], o->y1[i]));
    }
    double reach = halfWidth + 1.0;
    int x0 = (int)snClamp(left - reach, 0, image->width);
    int x1 = (int)snClamp(right + reach + 1.0, 0, image->width);
    int y0 = (int)snClamp(top - reach, 0, image->height);
    int y1 = (int)snClamp(bottom + reach + 1.0, 0, image->height);
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            double nearest = 1e30;
            for (int i = 0; i < o->count; i++)
                nearest = fmin(nearest, distanceToSegment(o, i, x + 0.5, y + 0.5));
            double coverage = snClamp(halfWidth + 0.5 - nearest, 0.0, 1.0);
            snPixel_Blend(&image->pixels[4 * ((size_t)y * (size_t)image->width + (size_t)x)], color,
                          color[3] * (float)coverage);
        }
}

float snText_Width(float size, const char *text)
{
    double width = 0.0;
    for (bool first = true; *text; first = false)
        width += findGlyph(nextCode(&text))->width + (first ? 0.0 : SPACING);
    return (float)(width / UNITS * (double)size);
}

void snImage_Text(snImage *image, float x, float y, float size, snTextAlign align,
                  const float color[4], const char *text)
{
    if (!(size > 0.0f && size < 4096.0f) || !(fabsf(x) < 1e6f) || !(fabsf(y) < 1e6f)) return;
    double scale = (double)size / UNITS;
    double share = align == SN_TEXT_RIGHT ? 1.0 : align == SN_TEXT_CENTER ? 0.5 : 0.0;
    Place place = {(double)x - share * (double)snText_Width(size, text), (double)y, scale};
    // Small strokes are kept wide enough to be seen.
    double halfWidth = fmax(0.5 * STROKE * scale, 0.55);
    Outline outline;
    while (*text && place.x < image->width) {
        const Glyph *glyph = findGlyph(nextCode(&text));
        traceGlyph(&outline, glyph->path, place);
        drawOutline(image, &outline, halfWidth, color);
        place.x += scale * (glyph->width + SPACING);
    }
}
