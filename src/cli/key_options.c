#include "cli/key_options.h"

#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LATEST 1e6 // s or frames

static bool complain(const snOptionReader *reader, const char *what)
{
    snCli_Usage(reader->command, "--key is \"%s\"; %s", reader->value, what);
    return false;
}

static bool copyName(char *out, const char *from, const char *to)
{
    size_t length = (size_t)(to - from);
    if (length == 0 || length >= SN_KEY_CHARS) return false;
    memcpy(out, from, length);
    out[length] = 0;
    return true;
}

// VALUE@TIME up to a comma or the end, with s, f or nothing behind the time. NULL: it is none.
static const char *parseKey(const char *text, double *value, double *time, bool *frames)
{
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end != '@' || !isfinite(*value)) return NULL;
    text = end + 1;
    *time = strtod(text, &end);
    if (end == text || !(*time >= 0 && *time <= LATEST)) return NULL;
    *frames = *end == 'f';
    if (*end == 'f' || *end == 's') end++;
    return *end == 0 || *end == ',' ? end : NULL;
}

static bool parseKeys(snGivenTrack *track, const char *text, const snOptionReader *reader)
{
    static const char smooth[] = ":smooth";
    char keys[8192];
    size_t length = strlen(text), tail = sizeof smooth - 1;
    if (length >= sizeof keys) return complain(reader, "that is too long");
    memcpy(keys, text, length + 1);
    track->smooth = length > tail && !strcmp(keys + length - tail, smooth);
    if (track->smooth) keys[length - tail] = 0;
    double low = track->what == SN_KEYED_STIFFNESS ? SN_KEYED_SOFTEST : 0;
    double high = track->what == SN_KEYED_STIFFNESS ? SN_KEYED_STIFFEST : 10;
    for (const char *at = keys;; at++) {
        int k = track->count;
        if (k == SN_MOST_KEYS) return complain(reader, "there are more than 256 keys");
        at = parseKey(at, &track->values[k], &track->times[k], &track->frames[k]);
        if (!at) return complain(reader, "keys look like 1@0s,4@1.5s or 0@0f,1@15f:smooth");
        if (!(track->values[k] >= low && track->values[k] <= high))
            return complain(reader, track->what == SN_KEYED_STIFFNESS
                                        ? "stiffness goes from 0.01 to 100 times what it is"
                                        : "amounts go from 0 to 10, and 1 is all");
        track->count++;
        if (!*at) return true;
    }
}

// [CLIP:]WHAT[.PART]=KEYS. A clip's name may have anything in it but a colon before WHAT.
static bool parse(snGivenTrack *track, const snOptionReader *reader)
{
    static const char *const words[] = {"stiffness", "amount"};
    const char *text = reader->value, *equals = strchr(text, '='), *start = text;
    if (!equals) return complain(reader, "it must be like amount=0@0s,1@0.5s");
    for (const char *c = text; c < equals; c++)
        if (*c == ':') start = c + 1;
    if (start > text && !copyName(track->clip, text, start - 1))
        return complain(reader, "which clip is meant?");
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(start, words[i], length) != 0) continue;
        const char *behind = start + length;
        track->what = (snKeyed)i;
        if (*behind == '.' && i == SN_KEYED_STIFFNESS)
            return complain(reader, "stiffness is keyed for the whole body; amounts for parts too");
        if (*behind == '.' && !copyName(track->part, behind + 1, equals))
            return complain(reader, "which part is meant?");
        if (*behind == '.' || behind == equals) return parseKeys(track, equals + 1, reader);
    }
    return complain(reader, "what is keyed is stiffness, amount, or amount.PART");
}

int snKeyOptions_Take(snKeyOptions *options, const snOptionReader *reader)
{
    if (strcmp(reader->name, "key") != 0) return 0;
    if (!options->list) options->list = calloc(SN_MOST_TRACKS, sizeof *options->list);
    if (!options->list || options->count == SN_MOST_TRACKS) {
        complain(reader, options->list ? "there are 64 already" : "there is no memory for it");
        return -1;
    }
    return parse(&options->list[options->count++], reader) ? 1 : -1;
}

void snKeyOptions_Free(snKeyOptions *options)
{
    free(options->list);
    *options = (snKeyOptions){0};
}

snStatus snKeyOptions_Tracks(const snKeyOptions *options, const snCharacter *character,
                             double frameRate, snKeyTrack **out, snArena *arena, snError *error)
{
    snKeyTrack *tracks = *out = SN_NEW(arena, snKeyTrack, options->count);
    if (!tracks) return snFailMemory(error);
    for (int i = 0; i < options->count; i++) {
        const snGivenTrack *given = &options->list[i];
        double *times = SN_NEW(arena, double, given->count);
        if (!times) return snFailMemory(error);
        for (int k = 0; k < given->count; k++)
            times[k] = given->frames[k] ? given->times[k] / frameRate : given->times[k];
        tracks[i] = (snKeyTrack){.what = given->what,
                                 .part = *given->part ? given->part : NULL,
                                 .clip = -1,
                                 .smooth = given->smooth,
                                 .count = given->count,
                                 .times = times,
                                 .values = given->values};
        if (!*given->clip) continue;
        snStatus status = snFindClip(character, given->clip, &tracks[i].clip, error);
        if (status) {
            snError_Prefix(error, "--key");
            return status;
        }
    }
    return SN_OK;
}
