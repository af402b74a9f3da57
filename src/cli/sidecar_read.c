#include "cli/sidecar.h"

#include "asset/json.h"
#include "bake/bones.h"
#include "core/suggest.h"

#include <stdio.h>
#include <string.h>

#define MOST_TEXTS 4096  // in one list
#define PLACE_CHARS 256  // of a path in the document
#define MOST_KEYS 16     // of a section
#define MOST_SETTINGS 32 // of all sections

// ---- settings -------------------------------------------------------------------------------------

// Ranges are those of the options.
static const snSetting settings[] = {
    {"time", "fps", "fps", SN_SETTING_NUMBER, 1, 1000, {0}},
    {"time", "steps", "steps", SN_SETTING_NUMBER, 10, 100000, {0}},
    {"time", "from", "from", SN_SETTING_NUMBER, 0, 1e6, {0}},
    {"time", "to", "to", SN_SETTING_NUMBER, 0, 1e6, {0}},
    {"time", "preroll", "preroll", SN_SETTING_TIME, 0, 1000, {"auto"}},
    {"time", "loop", "loop", SN_SETTING_WORD, 0, 0, {"found", "always", "never"}},
    {"time", "loopTolerance", "loop-tolerance", SN_SETTING_NUMBER, 1e-6, 1, {0}},
    {"time", "mostRounds", "loop-rounds", SN_SETTING_COUNT, 1, 1000, {0}},
    {"soft", "as", "as", SN_SETTING_WORD, 0, 0, {"morphs", "bones"}},
    {"soft", "tolerance", "tolerance", SN_SETTING_NUMBER, 1e-6, 1, {0}},
    {"soft", "maxTargets", "max-targets", SN_SETTING_COUNT, 1, 1000, {0}},
    {"soft", "bones", "bones", SN_SETTING_COUNT, 1, SN_MOST_BONES, {0}},
    {"size", "height", "height", SN_SETTING_NUMBER, 1e-4, 1e5, {0}},
    {"solver",
     "solver",
     "solver",
     SN_SETTING_WORD,
     0,
     0,
     {"projective", "newton", "blended", "linear"}},
    {"solver", "method", "method", SN_SETTING_WORD, 0, 0, {"factor", "cg"}},
    {"solver", "motion", "motion", SN_SETTING_WORD, 0, 0, {"secondary", "full"}},
    {"solver", "precision", "precision", SN_SETTING_WORD, 0, 0, {"double", "single", "auto"}},
    {"solver", "matrix", "matrix", SN_SETTING_WORD, 0, 0, {"auto", "scalar", "turned"}},
    {"solver",
     "materialModel",
     "material-model",
     SN_SETTING_WORD,
     0,
     0,
     {"corotated", "neo-hookean", "green"}},
    {"solver", "iterations", "iterations", SN_SETTING_COUNT, 1, 100, {0}},
    {"solver", "details", "details", SN_SETTING_COUNT, 0, SN_DETAIL_LEVELS, {0}},
    {"solver", "gravityChange", "gravity-change", SN_SETTING_NUMBER, 0, 1e6, {0}},
    {"solver", "gravity", "gravity", SN_SETTING_NUMBER, -1e6, 1e6, {0}},
};
#define SETTINGS ((int)(sizeof settings / sizeof *settings))

const snSetting *snSidecar_Settings(int *count)
{
    *count = SETTINGS;
    return settings;
}

static bool isAmong(const char *word, const char *const *list, int count)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(word, list[i])) return true;
    return false;
}

bool snSidecar_Matters(const char *option)
{
    static const char *const others[] = {"output",  "threads", "json",    "quiet",
                                         "help",    "with",    "sidecar", "no-sidecar",
                                         "dry-run", "resume",  "progress"};
    return !isAmong(option, others, 11);
}

bool snSidecar_Holds(const char *option)
{
    static const char *const held[] = {"clip",      "no-loop",  "rig",   "cells", "spacing",
                                       "wobble",    "material", "free",  "held",  "hold",
                                       "stiffness", "drag",     "twist", "feel",  "damping"};
    for (int i = 0; i < SETTINGS; i++)
        if (!strcmp(option, settings[i].option)) return true;
    return isAmong(option, held, 15) || !snSidecar_Matters(option);
}

// ---- reading --------------------------------------------------------------------------------------

typedef struct Reader {
    snSidecar *sidecar;
    const snJson *json;
    snError *error;
} Reader;

static snStatus addArgument(Reader *r, const snJsonNode *node, const char *option,
                            const char *value, bool kept)
{
    snSidecar *s = r->sidecar;
    size_t size = strlen(option) + (value ? strlen(value) : 0) + 4;
    char *text = SN_NEW(&s->arena, char, size), place[PLACE_CHARS];
    snJson_Path(r->json, node, place, sizeof place);
    const char *copy = snArena_CopyString(&s->arena, place, strlen(place));
    if (!text || !copy) return snFailMemory(r->error);
    if (kept)
        snprintf(text, size, "%s", option);
    else
        snprintf(text, size, "--%s%s%s", option, value ? "=" : "", value ? value : "");
    s->arguments[s->argumentCount++] = (snSidecarArgument){text, copy, kept};
    return SN_OK;
}

static snStatus readWord(Reader *r, const snJsonNode *node, const snSetting *setting, int *which)
{
    const char *word;
    int count = 0;
    snStatus status = snJson_AsString(r->json, node, &r->sidecar->arena, &word, r->error);
    if (status) return status;
    while (count < SN_SETTING_WORDS && setting->words[count])
        count++;
    for (*which = 0; *which < count; (*which)++)
        if (!strcmp(word, setting->words[*which])) return SN_OK;
    const char *guess = snSuggest(word, setting->words, count);
    char list[96] = "";
    for (int i = 0; i < count; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 setting->words[i]);
    return snJson_Fail(
        r->json, node, r->error, SN_ERROR_FORMAT, "it is \"%.60s\"%s%s%s; it is one of: %s", word,
        guess ? ", did you mean \"" : "", guess ? guess : "", guess ? "\"?" : "", list);
}

static snStatus readWordSetting(Reader *r, const snJsonNode *node, const snSetting *setting)
{
    int which;
    snStatus status = readWord(r, node, setting, &which);
    if (status) return status;
    if (strcmp(setting->option, "loop") != 0)
        return addArgument(r, node, setting->option, setting->words[which], false);
    if (which == 0) return SN_OK; // as it is anyway; the other two are flags
    return addArgument(r, node, which == 1 ? "loop" : "no-loop", NULL, false);
}

// The number goes on as it is written there: no digit is lost.
static snStatus readNumberSetting(Reader *r, const snJsonNode *node, const snSetting *setting)
{
    char text[64];
    double value;
    int whole, length = node->end - node->start;
    snStatus status = snJson_AsDouble(r->json, node, &value, r->error);
    if (status) return status;
    if (!(value >= setting->low && value <= setting->high) || length >= 60)
        return snJson_Fail(r->json, node, r->error, SN_ERROR_FORMAT,
                           "it is %.*s; it must be from %g to %g", length < 60 ? length : 60,
                           r->json->text + node->start, setting->low, setting->high);
    if (setting->kind == SN_SETTING_COUNT) {
        status =
            snJson_AsInt(r->json, node, (int)setting->low, (int)setting->high, &whole, r->error);
        if (status) return status;
        snprintf(text, sizeof text, "%d", whole);
    } else {
        snprintf(text, sizeof text, "%.*s", length, r->json->text + node->start);
    }
    return addArgument(r, node, setting->option, text, false);
}

static snStatus readSetting(Reader *r, const snJsonNode *node, const snSetting *setting)
{
    if (node->kind == SN_JSON_NULL) return SN_OK; // as if it were not there
    bool word = setting->kind == SN_SETTING_WORD ||
                (setting->kind == SN_SETTING_TIME && node->kind == SN_JSON_STRING);
    return word ? readWordSetting(r, node, setting) : readNumberSetting(r, node, setting);
}

static snStatus readSection(Reader *r, const char *name)
{
    const snJson *json = r->json;
    const char *keys[MOST_KEYS];
    const snJsonNode *section;
    int count = 0;
    snStatus status = snJson_ReadNode(json, json->root, name, SN_JSON_OBJECT, &section, r->error);
    if (status || !section) return status;
    for (int i = 0; i < SETTINGS; i++)
        if (!strcmp(settings[i].section, name)) keys[count++] = settings[i].key;
    status = snJson_CheckKeys(json, section, keys, count, r->error);
    for (int i = 0; i < SETTINGS && !status; i++) {
        const snJsonNode *node = strcmp(settings[i].section, name)
                                     ? NULL
                                     : snJson_Member(json, section, settings[i].key);
        if (node) status = readSetting(r, node, &settings[i]);
    }
    return status;
}

// A list of texts, each given to `take`.
typedef snStatus TakeText(Reader *r, const snJsonNode *node, const char *text);

static snStatus readList(Reader *r, const char *name, TakeText *take)
{
    const snJsonNode *list;
    snStatus status = snJson_ReadNode(r->json, r->json->root, name, SN_JSON_ARRAY, &list, r->error);
    if (status || !list) return status;
    if (snJson_Count(list) > MOST_TEXTS)
        return snJson_Fail(r->json, list, r->error, SN_ERROR_FORMAT, "there are more than %d",
                           MOST_TEXTS);
    for (int i = 0; i < snJson_Count(list) && !status; i++) {
        const snJsonNode *node = snJson_At(r->json, list, i);
        const char *text;
        status = snJson_AsString(r->json, node, &r->sidecar->arena, &text, r->error);
        if (!status) status = take(r, node, text);
    }
    return status;
}

static snStatus takeClip(Reader *r, const snJsonNode *node, const char *text)
{
    return addArgument(r, node, "clip", text, false);
}

static snStatus takeOutput(Reader *r, const snJsonNode *node, const char *text)
{
    (void)node;
    r->sidecar->outputs[r->sidecar->outputCount++] = text;
    return SN_OK;
}

static snStatus takeGiven(Reader *r, const snJsonNode *node, const char *text)
{
    (void)node;
    r->sidecar->given[r->sidecar->givenCount++] = text;
    return SN_OK;
}

static snStatus takeKept(Reader *r, const snJsonNode *node, const char *text)
{
    char name[64] = "";
    if (!strncmp(text, "--", 2))
        snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
    if (!name[0])
        return snJson_Fail(r->json, node, r->error, SN_ERROR_FORMAT,
                           "it is \"%.60s\"; options stand here as --name=value", text);
    if (snSidecar_Holds(name))
        return snJson_Fail(r->json, node, r->error, SN_ERROR_FORMAT,
                           "--%s does not belong here: what it sets stands in a section of its own",
                           name);
    return addArgument(r, node, text, NULL, true);
}

static snStatus checkKind(const snJson *json, snError *error)
{
    static const char *const keys[] = {"sinew",   "version", "program", "inputs", "given",
                                       "options", "outputs", "clips",   "time",   "soft",
                                       "size",    "solver",  "rig",     "result"};
    const snJsonNode *kind = snJson_Member(json, json->root, "sinew");
    int version = 0;
    if (json->root->kind == SN_JSON_OBJECT && snJson_IsText(json, kind, "rig"))
        return snFail(error, SN_ERROR_FORMAT, "this is a rig document: give it with --rig");
    if (json->root->kind != SN_JSON_OBJECT || !snJson_IsText(json, kind, "bake"))
        return snFail(error, SN_ERROR_FORMAT,
                      "this is no sidecar of a bake: it does not say \"sinew\": \"bake\"");
    snStatus status = snJson_Require(json, json->root, "version", error);
    if (!status) status = snJson_ReadInt(json, json->root, "version", 1, 1000000, &version, error);
    if (!status && version != SN_SIDECAR_VERSION)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "this is a sidecar of version %d; this program reads version %d", version,
                      SN_SIDECAR_VERSION);
    if (!status) status = snJson_CheckKeys(json, json->root, keys, 14, error);
    if (!status) status = snJson_Require(json, json->root, "rig", error);
    return status;
}

static snStatus readInput(Reader *r)
{
    const snJsonNode *inputs;
    snSidecar *s = r->sidecar;
    snStatus status =
        snJson_ReadNode(r->json, r->json->root, "inputs", SN_JSON_ARRAY, &inputs, r->error);
    const snJsonNode *first = status ? NULL : snJson_At(r->json, inputs, 0);
    if (status || !first) return status;
    status = snJson_ReadString(r->json, first, "file", &s->arena, &s->file, r->error);
    if (!status) status = snJson_ReadString(r->json, first, "hash", &s->arena, &s->hash, r->error);
    return status;
}

static snStatus makeRoom(snSidecar *s, const snJson *json, snError *error)
{
    int outputs = snJson_Count(snJson_Member(json, json->root, "outputs"));
    int given = snJson_Count(snJson_Member(json, json->root, "given"));
    int arguments = MOST_SETTINGS + snJson_Count(snJson_Member(json, json->root, "clips")) +
                    snJson_Count(snJson_Member(json, json->root, "options"));
    s->outputs = SN_NEW(&s->arena, const char *, outputs);
    s->given = SN_NEW(&s->arena, const char *, given);
    s->arguments = SN_NEW(&s->arena, snSidecarArgument, arguments);
    return s->outputs && s->given && s->arguments ? SN_OK : snFailMemory(error);
}

static snStatus readDocument(Reader *r)
{
    static const char *const sections[] = {"time", "soft", "size", "solver"};
    const snJson *json = r->json;
    snStatus status = checkKind(json, r->error);
    if (!status) status = makeRoom(r->sidecar, json, r->error);
    if (!status)
        status = snJson_ReadString(json, json->root, "program", &r->sidecar->arena,
                                   &r->sidecar->program, r->error);
    if (!status) status = readInput(r);
    for (int i = 0; i < 4 && !status; i++)
        status = readSection(r, sections[i]);
    if (!status) status = readList(r, "clips", takeClip);
    if (!status) status = readList(r, "options", takeKept);
    if (!status) status = readList(r, "given", takeGiven);
    if (!status) status = readList(r, "outputs", takeOutput);
    return status;
}

snStatus snSidecar_Read(snSidecar *sidecar, const char *text, size_t size, const snContext *context,
                        snError *error)
{
    *sidecar = (snSidecar){.arena = snMakeArena(context)};
    snArena scratch = snMakeArena(context);
    snJson json;
    Reader reader = {sidecar, &json, error};
    snStatus status = snJson_Parse(&json, text, size, &scratch, error);
    if (!status) status = snJson_CheckUnique(&json, &scratch, error);
    if (!status) status = readDocument(&reader);
    snArena_Destroy(&scratch);
    if (status) snSidecar_Destroy(sidecar);
    return status;
}

void snSidecar_Destroy(snSidecar *sidecar)
{
    snArena_Destroy(&sidecar->arena);
}
