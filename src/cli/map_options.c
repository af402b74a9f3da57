#include "cli/map_options.h"

#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 1e-4
#define MOST 1e4

// LOW..HIGH
static bool parseRange(const char *text, double *range)
{
    char *end;
    range[0] = strtod(text, &end);
    if (end > text && end[-1] == '.' && *end == '.') end--; // "1..4": the number took a point
    if (end == text || strncmp(end, "..", 2) != 0) return false;
    text = end + 2;
    range[1] = strtod(text, &end);
    if (end == text || *end) return false;
    for (int i = 0; i < 2; i++)
        if (!(range[i] >= LEAST && range[i] <= MOST)) return false;
    return true;
}

static int takeSoftness(snMapOptions *options, const snOptionReader *reader)
{
    const char *text = reader->value, *equals = strrchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    options->range[0] = options->range[1] = 0;
    if (length == 0 || length >= SN_MAP_CHARS ||
        (equals && !parseRange(equals + 1, options->range))) {
        snCli_Usage(
            reader->command,
            "--%s is \"%s\"; it must be a map such as COLOR_0.r or _SOFTNESS, with how soft "
            "flesh is at 0 and at 1 behind it if you like: COLOR_0.r=0.25..4, from 1e-4 to 1e4",
            reader->name, text);
        return -1;
    }
    memcpy(options->softness, text, length);
    options->softness[length] = 0;
    return 1;
}

int snMapOptions_Take(snMapOptions *options, const snOptionReader *reader)
{
    if (!strcmp(reader->name, "softness-map")) return takeSoftness(options, reader);
    if (strcmp(reader->name, "mask") != 0) return 0;
    if (!*reader->value) {
        snCli_Usage(reader->command, "--mask needs a map such as COLOR_0.r or _MASK");
        return -1;
    }
    options->mask = reader->value;
    return 1;
}

void snMapOptions_Apply(const snMapOptions *options, snFleshDef *def)
{
    if (options->softness[0]) def->softness = options->softness;
    for (int i = 0; i < 2 && options->range[0] > 0; i++)
        def->softnessRange[i] = options->range[i];
    if (options->mask) def->mask = options->mask;
}
