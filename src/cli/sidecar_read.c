#include "cli/sidecar.h"

#include "asset/json_reader.h"
#include "bake/bones.h"

#include <float.h>
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

bool snSidecar_Matters(const char *option)
{
    static const char *const others[] = {"output",  "threads", "json",    "quiet",
                                         "help",    "with",    "sidecar", "no-sidecar",
                                         "dry-run", "resume",  "progress"};
    return snFindWord(option, others, 11) < 0;
}

bool snSidecar_Holds(const char *option)
{
    static const char *const held[] = {"clip",      "no-loop",  "rig",   "cells", "spacing",
                                       "wobble",    "material", "free",  "held",  "hold",
                                       "stiffness", "drag",     "twist", "feel",  "damping"};
    for (int i = 0; i < SETTINGS; i++)
        if (!strcmp(option, settings[i].option)) return true;
    return snFindWord(option, held, 15) >= 0 || !snSidecar_Matters(option);
}

// ---- reading --------------------------------------------------------------------------------------

static snSidecar *sidecarOf(const snReader *r)
{
    return r->own;
}

static void addArgument(snReader *r, const snJsonNode *node, const char *option, const char *value,
                        bool kept)
{
    snSidecar *s = sidecarOf(r);
    if (r->status) return;
    size_t size = strlen(option) + (value ? strlen(value) : 0) + 4;
    char *text = SN_NEW(&s->arena, char, size), place[PLACE_CHARS];
    snJson_Path(r->json, node, place, sizeof place);
    const char *copy = snArena_CopyString(&s->arena, place, strlen(place));
    if (!text || !copy) {
        snReader_Take(r, snFailMemory(r->error));
        return;
    }
    if (kept)
        snprintf(text, size, "%s", option);
    else
        snprintf(text, size, "--%s%s%s", option, value ? "=" : "", value ? value : "");
    s->arguments[s->argumentCount++] = (snSidecarArgument){text, copy, kept};
}

static int readWord(snReader *r, const snJsonNode *node, const snSetting *setting)
{
    const char *word = snReader_TextOf(r, node);
    int count = 0;
    while (count < SN_SETTING_WORDS && setting->words[count])
        count++;
    int which = r->status ? 0 : snFindWord(word, setting->words, count);
    if (which >= 0) return which;
    const char *guess = snSuggest(word, setting->words, count);
    snReader_Fail(r, node, "it is \"%.60s\"%s%s%s; it is one of: %s", word,
                  guess ? ", did you mean \"" : "", guess ? guess : "", guess ? "\"?" : "",
                  snListWords(setting->words, count).text);
    return 0;
}

static void readWordSetting(snReader *r, const snJsonNode *node, const snSetting *setting)
{
    int which = readWord(r, node, setting);
    if (strcmp(setting->option, "loop") != 0)
        addArgument(r, node, setting->option, setting->words[which], false);
    else if (which > 0) // the first is as it is anyway; the other two are flags
        addArgument(r, node, which == 1 ? "loop" : "no-loop", NULL, false);
}

// The number goes on as it is written there: no digit is lost.
static void readNumberSetting(snReader *r, const snJsonNode *node, const snSetting *setting)
{
    char text[64];
    double value = setting->low;
    int whole = 0, length = node->end - node->start;
    snReader_ValueIn(r, node, -DBL_MAX, DBL_MAX, &value);
    if (!(value >= setting->low && value <= setting->high) || length >= 60)
        snReader_Fail(r, node, "it is %.*s; it must be from %g to %g", length < 60 ? length : 60,
                      r->json->text + node->start, setting->low, setting->high);
    if (setting->kind == SN_SETTING_COUNT) {
        snReader_IntOf(r, node, (int)setting->low, (int)setting->high, &whole);
        snprintf(text, sizeof text, "%d", whole);
    } else {
        snprintf(text, sizeof text, "%.*s", length, r->json->text + node->start);
    }
    addArgument(r, node, setting->option, text, false);
}

static void readSetting(snReader *r, const snJsonNode *node, const snSetting *setting)
{
    if (node->kind == SN_JSON_NULL) return; // as if it were not there
    bool word = setting->kind == SN_SETTING_WORD ||
                (setting->kind == SN_SETTING_TIME && node->kind == SN_JSON_STRING);
    if (word)
        readWordSetting(r, node, setting);
    else
        readNumberSetting(r, node, setting);
}

static void readSection(snReader *r, const char *name)
{
    const char *keys[MOST_KEYS];
    const snJsonNode *section = snReader_Object(r, r->json->root, name);
    int count = 0;
    if (!section) return;
    for (int i = 0; i < SETTINGS; i++)
        if (!strcmp(settings[i].section, name)) keys[count++] = settings[i].key;
    snReader_Keys(r, section, keys, count);
    for (int i = 0; i < SETTINGS && !r->status; i++) {
        const snJsonNode *node = strcmp(settings[i].section, name)
                                     ? NULL
                                     : snJson_Member(r->json, section, settings[i].key);
        if (node) readSetting(r, node, &settings[i]);
    }
}

// A list of texts, each given to `take`.
typedef void TakeText(snReader *r, const snJsonNode *node, const char *text);

static void readList(snReader *r, const char *name, TakeText *take)
{
    const snJsonNode *list = snReader_List(r, r->json->root, name);
    if (snJson_Count(list) > MOST_TEXTS)
        snReader_Fail(r, list, "there are more than %d", MOST_TEXTS);
    for (int i = 0; i < snJson_Count(list) && !r->status; i++) {
        const snJsonNode *node = snJson_At(r->json, list, i);
        const char *text = snReader_TextOf(r, node);
        if (!r->status) take(r, node, text);
    }
}

static void takeClip(snReader *r, const snJsonNode *node, const char *text)
{
    addArgument(r, node, "clip", text, false);
}

static void takeOutput(snReader *r, const snJsonNode *node, const char *text)
{
    (void)node;
    sidecarOf(r)->outputs[sidecarOf(r)->outputCount++] = text;
}

static void takeGiven(snReader *r, const snJsonNode *node, const char *text)
{
    (void)node;
    sidecarOf(r)->given[sidecarOf(r)->givenCount++] = text;
}

static void takeKept(snReader *r, const snJsonNode *node, const char *text)
{
    char name[64] = "";
    if (!strncmp(text, "--", 2))
        snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
    if (!name[0])
        snReader_Fail(r, node, "it is \"%.60s\"; options stand here as --name=value", text);
    if (snSidecar_Holds(name))
        snReader_Fail(r, node,
                      "--%s does not belong here: what it sets stands in a section of its own",
                      name);
    addArgument(r, node, text, NULL, true);
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

static void readInput(snReader *r)
{
    snSidecar *s = sidecarOf(r);
    const snJsonNode *first = snJson_At(r->json, snReader_List(r, r->json->root, "inputs"), 0);
    snReader_Text(r, first, "file", &s->file);
    snReader_Text(r, first, "hash", &s->hash);
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

static void readDocument(snReader *r)
{
    static const char *const sections[] = {"time", "soft", "size", "solver"};
    snReader_Take(r, checkKind(r->json, r->error));
    if (!r->status) snReader_Take(r, makeRoom(sidecarOf(r), r->json, r->error));
    snReader_Text(r, r->json->root, "program", &sidecarOf(r)->program);
    readInput(r);
    for (int i = 0; i < 4; i++)
        readSection(r, sections[i]);
    readList(r, "clips", takeClip);
    readList(r, "options", takeKept);
    readList(r, "given", takeGiven);
    readList(r, "outputs", takeOutput);
}

snStatus snSidecar_Read(snSidecar *sidecar, const char *text, size_t size, const snContext *context,
                        snError *error)
{
    *sidecar = (snSidecar){.arena = snMakeArena(context)};
    snArena scratch = snMakeArena(context);
    snJson json;
    snReader r = {&json, &sidecar->arena, context, sidecar, SN_OK, error};
    snReader_Parse(&r, &json, text, size, &scratch);
    if (!r.status) readDocument(&r);
    snArena_Destroy(&scratch);
    if (r.status) snSidecar_Destroy(sidecar);
    return r.status;
}

void snSidecar_Destroy(snSidecar *sidecar)
{
    snArena_Destroy(&sidecar->arena);
}
