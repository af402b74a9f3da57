#include "character/paint.h"

#include "core/error.h"
#include "core/suggest.h"
#include "core/text.h"

#include <string.h>

#define MOST 64         // attributes that are told apart
#define LONGEST_NAME 96 // of an attribute that is asked for

enum { CHANNEL_DEFAULT = -1, CHANNEL_LUMINANCE = 4 }; // 0 to 3: that number

// ---- attributes -------------------------------------------------------------------------------------

// Number i of a part's: COLOR_0 first, if it has one. False beyond the last.
static bool attributeAt(const snPart *part, int i, snAttribute *out)
{
    if (part->colors && i == 0) {
        *out = (snAttribute){"COLOR_0", 4, part->colors};
        return true;
    }
    i -= part->colors != NULL;
    if (i >= part->attributeCount) return false;
    *out = part->attributes[i];
    return true;
}

static bool findNamed(const snPart *part, const char *name, snAttribute *out)
{
    for (int i = 0; attributeAt(part, i, out); i++)
        if (!strcmp(out->name, name)) return true;
    return false;
}

int snCharacter_ListPaint(const snCharacter *character, snAttribute *list, int most)
{
    int count = 0;
    for (int p = 0; p < character->partCount; p++) {
        snAttribute own;
        for (int i = 0; attributeAt(&character->parts[p], i, &own) && count < most; i++) {
            bool known = false;
            for (int k = 0; k < count; k++)
                known |= !strcmp(list[k].name, own.name);
            if (!known) list[count++] = own;
        }
    }
    return count;
}

// ---- names ------------------------------------------------------------------------------------------

static int channelOf(const char *word)
{
    static const char *const words[] = {"r", "g", "b", "a", "x", "y", "z", "w"};
    int found = snFindWord(word, words, 8);
    if (found >= 0) return found % 4;
    return strcmp(word, "luminance") ? CHANNEL_DEFAULT : CHANNEL_LUMINANCE;
}

static bool alike(const char *a, const char *b)
{
    return snSameLetters(a + (*a == '_'), b + (*b == '_'));
}

// The attribute of that name, else the only one that is alike; -1: none.
static int match(const snAttribute *list, int count, const char *name)
{
    int found = -1;
    for (int i = 0; i < count; i++)
        if (!strcmp(list[i].name, name)) return i;
    for (int i = 0; i < count; i++)
        if (alike(list[i].name, name)) {
            if (found >= 0) return -1;
            found = i;
        }
    return found;
}

// The whole text may be a name; else what stands behind its last dot may be a channel.
static int matchMap(const snAttribute *list, int count, const char *text, int *channel)
{
    char name[LONGEST_NAME];
    const char *dot = strrchr(text, '.');
    int found = match(list, count, text);
    *channel = CHANNEL_DEFAULT;
    if (found >= 0 || !dot || dot - text >= LONGEST_NAME) return found;
    memcpy(name, text, (size_t)(dot - text));
    name[dot - text] = 0;
    *channel = channelOf(dot + 1);
    return *channel == CHANNEL_DEFAULT ? -1 : match(list, count, name);
}

static snStatus failUnknown(const snAttribute *list, int count, const char *map, snError *error)
{
    const char *names[MOST], *dot = strrchr(map, '.');
    char stem[LONGEST_NAME] = "";
    if (dot && channelOf(dot + 1) != CHANNEL_DEFAULT && dot - map < LONGEST_NAME)
        memcpy(stem, map, (size_t)(dot - map));
    if (!count)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "there is no map \"%.80s\": no mesh has vertex colours, nor attributes whose "
                      "names begin with an underscore",
                      map);
    for (int i = 0; i < count; i++)
        names[i] = list[i].name;
    return snFail(
        error, SN_ERROR_ARGUMENT,
        "there is no map \"%.80s\": there %s %s, with .r, .g, .b, .a or .luminance behind "
        "it for one channel%s",
        map, count == 1 ? "is" : "are", snListWords(names, count).text,
        snHint_Among(*stem ? stem : map, names, count).text);
}

// ---- values -----------------------------------------------------------------------------------------

// Of linear colours, ITU-R BT.709.
static float luminance(const float *c)
{
    return 0.2126f * c[0] + 0.7152f * c[1] + 0.0722f * c[2];
}

static float valueAt(const snAttribute *attribute, int vertex, int channel)
{
    const float *own = attribute->values + (size_t)vertex * (size_t)attribute->width;
    bool wide = attribute->width >= 3;
    if (channel == CHANNEL_DEFAULT) return wide ? luminance(own) : own[0];
    return channel == CHANNEL_LUMINANCE ? luminance(own) : own[channel];
}

static snStatus checkWidth(const snAttribute *attribute, int channel, snError *error)
{
    int needed = channel == CHANNEL_LUMINANCE ? 3 : channel + 1;
    if (attribute->width >= needed) return SN_OK;
    return snFail(error, SN_ERROR_ARGUMENT,
                  "the map \"%.80s\" has %d %s per vertex; the channel that was asked for needs %d",
                  attribute->name, attribute->width, attribute->width == 1 ? "number" : "numbers",
                  needed);
}

// How many were outside 0 ... 1.
static int fill(const snAttribute *attribute, int vertexCount, int channel, float *values)
{
    int outside = 0;
    for (int v = 0; v < vertexCount; v++) {
        float value = valueAt(attribute, v, channel);
        outside += value < -1e-3f || value > 1.001f;
        values[v] = value > 0 ? value < 1 ? value : 1 : 0;
    }
    return outside;
}

snStatus snCharacter_ReadPaint(const snCharacter *character, const char *map, float *values,
                               const snContext *context, snError *error)
{
    snAttribute list[MOST], own;
    int count = snCharacter_ListPaint(character, list, MOST), channel, outside = 0;
    int found = matchMap(list, count, map, &channel);
    if (found < 0) return failUnknown(list, count, map, error);
    for (int p = 0; p < character->partCount; p++) {
        const snPart *part = &character->parts[p];
        bool has = findNamed(part, list[found].name, &own);
        snStatus status = has ? checkWidth(&own, channel, error) : SN_OK;
        if (status) return status;
        if (has)
            outside += fill(&own, part->vertexCount, channel, values);
        else
            for (int v = 0; v < part->vertexCount; v++)
                values[v] = SN_PAINT_NONE;
        values += part->vertexCount;
    }
    if (outside)
        snLog(context, SN_LOG_WARNING,
              "%d values of the map \"%.80s\" are outside of 0 to 1 and were cut off", outside,
              map);
    return SN_OK;
}
