#include "cli/chain_options.h"

#include "character/chain.h"
#include "cli/bind.h"

#include <stdio.h>
#include <string.h>

#define BLEND 0.2 // s

int snChainOptions_Take(snChainOptions *options, const snOptionReader *reader)
{
    const char *name = reader->name;
    if (!strcmp(name, "blend")) return snGivenTime_Take(reader, &options->blend) ? 1 : -1;
    if (strcmp(name, "chain") != 0) return 0;
    if (options->count == SN_MOST_CHAINS) {
        snCli_Usage(reader->command, "more than %d chains", SN_MOST_CHAINS);
        return -1;
    }
    if (!*reader->value || *reader->value == '=') {
        snCli_Usage(reader->command, "--chain is \"%s\"; it must be clips, such as Walk,Run,Walk",
                    reader->value);
        return -1;
    }
    options->texts[options->count++] = reader->value;
    return 1;
}

// ---- clips --------------------------------------------------------------------------------------------

// The clips between commas, up to `end`.
static snStatus findClips(const snCharacter *c, const char *text, const char *end, int *clips,
                          int *count, snError *error)
{
    for (*count = 0; text <= end;) {
        char name[SN_CHAIN_NAME];
        const char *comma = memchr(text, ',', (size_t)(end - text));
        size_t length = (size_t)((comma ? comma : end) - text);
        if (*count == SN_MOST_CHAINED || length >= sizeof name)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "--chain takes up to %d clips, each named by up to %d bytes",
                          SN_MOST_CHAINED, SN_CHAIN_NAME - 1);
        memcpy(name, text, length);
        name[length] = 0;
        snStatus status = snFindClip(c, name, &clips[*count], error);
        if (status) {
            snError_Prefix(error, "--chain");
            return status;
        }
        ++*count;
        text += length + 1;
    }
    return SN_OK;
}

// ---- names --------------------------------------------------------------------------------------------

// What stands behind the last '|': exporters put the armature's name before it.
static const char *shortName(const snClip *clip)
{
    const char *last = strrchr(clip->name, '|');
    return last && last[1] ? last + 1 : clip->name;
}

// "Walk+Run", as long as there is room.
static void joinNames(const snCharacter *c, const int *clips, int count, char *out)
{
    size_t used = 0;
    for (int i = 0; i < count && used < SN_CHAIN_NAME; i++) {
        const snClip *clip = &c->clips[clips[i]];
        char number[24];
        snprintf(number, sizeof number, "clip%d", clips[i]);
        used += (size_t)snprintf(out + used, SN_CHAIN_NAME - used, "%s%s", i ? "+" : "",
                                 *clip->name ? shortName(clip) : number);
    }
}

static bool isTaken(const snCharacter *c, const snChainOptions *o, int before, const char *name)
{
    for (int k = 0; k < c->clipCount; k++)
        if (!strcmp(c->clips[k].name, name)) return true;
    for (int k = 0; k < before; k++)
        if (!strcmp(o->names[k], name)) return true;
    return false;
}

// The name that was given, or those of the clips; with a number behind it where it is taken.
static void nameChain(const snCharacter *c, snChainOptions *o, int which, const char *given,
                      const int *clips, int count)
{
    char *out = o->names[which];
    if (given)
        snprintf(out, SN_CHAIN_NAME, "%s", given);
    else
        joinNames(c, clips, count, out);
    size_t length = strlen(out);
    for (int number = 2; isTaken(c, o, which, out) && number < 100000; number++)
        snprintf(out + length, 8, ".%d", number);
}

// ---- the chains ---------------------------------------------------------------------------------------

static snStatus makeChains(snClip *chains, const snCharacter *c, snChainOptions *o, double blend,
                           snArena *arena, snError *error)
{
    snStatus status = SN_OK;
    for (int i = 0; i < o->count && !status; i++) {
        const char *text = o->texts[i], *equals = strrchr(text, '=');
        const char *given = equals && equals[1] ? equals + 1 : NULL;
        int clips[SN_MOST_CHAINED], count;
        status = findClips(c, text, equals ? equals : text + strlen(text), clips, &count, error);
        if (status) return status;
        nameChain(c, o, i, given, clips, count);
        snChainDef def = {.name = o->names[i], .clipCount = count, .clips = clips, .blend = blend};
        status = snChainClips(&chains[i], c, &def, arena, error);
    }
    return status;
}

// The file with the chains in it takes the place of the file as it was read.
static snStatus replace(snLoaded *loaded, const snClip *chains, int count, const snCli *cli,
                        snError *error)
{
    snBytes bytes = snMakeBytes(&cli->context);
    snStatus status = snGltf_AddClips(&loaded->source, &loaded->character, chains, count, &bytes,
                                      &cli->context, error);
    if (!status) status = snLoaded_TakeFile(loaded, &bytes, cli, error);
    if (status) snBytes_Destroy(&bytes);
    return status;
}

snStatus snLoaded_AddChains(snLoaded *loaded, const char *input, snChainOptions *options,
                            double frameRate, const snCli *cli, snError *error)
{
    snArena arena = snMakeArena(&cli->context);
    snClip chains[SN_MOST_CHAINS];
    if (!options->count || !loaded->character.partCount) return SN_OK;
    double blend = options->blend.given ? snGivenTime_Seconds(&options->blend, frameRate) : BLEND;
    snStatus status = makeChains(chains, &loaded->character, options, blend, &arena, error);
    if (!status) status = replace(loaded, chains, options->count, cli, error);
    if (status) snError_Prefix(error, "%s", input);
    snArena_Destroy(&arena);
    return status;
}
