#include "cli/options.h"

#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NAMES 256 // that are looked through for one that was meant

snOptionReader snMakeOptionReader(const char *command, const snOption *options, int count,
                                  char **arguments)
{
    return (snOptionReader){
        .command = command, .options = options, .count = count, .arguments = arguments};
}

static int unknownOption(const snOptionReader *reader, const char *text)
{
    const char *names[MOST_NAMES];
    int count = 0;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text + 2, "="), text + 2);
    for (const snOption *o = reader->options; o->name && count < MOST_NAMES; o++)
        names[count++] = o->name;
    const char *guess = text[1] == '-' ? snSuggest(word, names, count) : NULL;
    snCli_Usage(reader->command, "unknown option %s%s", text, snHint_Of("--", guess, "").text);
    return SN_OPTION_ERROR;
}

// The value behind the option, or the next argument.
static int takeValue(snOptionReader *reader, int which, const char *attached)
{
    const snOption *option = &reader->options[which];
    reader->name = option->name;
    reader->value = attached;
    if (!option->value) {
        if (!attached) return which;
        snCli_Usage(reader->command, "--%s takes no value", option->name);
        return SN_OPTION_ERROR;
    }
    if (!attached && reader->at < reader->count) reader->value = reader->arguments[reader->at++];
    if (reader->value) return which;
    snCli_Usage(reader->command, "--%s needs a value: --%s %s", option->name, option->name,
                option->value);
    return SN_OPTION_ERROR;
}

static int readLong(snOptionReader *reader, const char *text)
{
    size_t length = strcspn(text + 2, "=");
    for (int i = 0; reader->options[i].name; i++)
        if (strlen(reader->options[i].name) == length &&
            !strncmp(reader->options[i].name, text + 2, length))
            return takeValue(reader, i, text[2 + length] ? text + 3 + length : NULL);
    return unknownOption(reader, text);
}

int snOptionReader_Next(snOptionReader *reader)
{
    if (reader->at >= reader->count) return SN_OPTION_END;
    const char *text = reader->arguments[reader->at++];
    reader->value = text;
    if (reader->onlyFiles || text[0] != '-' || !text[1]) return SN_OPTION_FILE;
    if (!strcmp(text, "--")) {
        reader->onlyFiles = true;
        return snOptionReader_Next(reader);
    }
    if (text[1] == '-') return readLong(reader, text);
    for (int i = 0; reader->options[i].name; i++)
        if (reader->options[i].letter == text[1])
            return takeValue(reader, i, text[2] ? text + 2 : NULL);
    return unknownOption(reader, text);
}

bool snOptionReader_Number(const snOptionReader *reader, double low, double high, const char *unit,
                           double *number)
{
    char *end;
    double value = strtod(reader->value, &end);
    bool good = end != reader->value && isfinite(value);
    if (good && *end) good = unit && !strcmp(end, unit);
    if (good && value >= low && value <= high) {
        *number = value;
        return true;
    }
    snCli_Usage(reader->command, "--%s is \"%s\"; it must be a number from %g to %g%s%s",
                reader->name, reader->value, low, high, unit ? " " : "", unit ? unit : "");
    return false;
}

bool snOptionReader_Int(const snOptionReader *reader, int low, int high, int *number)
{
    char *end;
    errno = 0;
    long value = strtol(reader->value, &end, 10);
    if (end != reader->value && !*end && !errno && value >= low && value <= high) {
        *number = (int)value;
        return true;
    }
    snCli_Usage(reader->command, "--%s is \"%s\"; it must be a whole number from %d to %d",
                reader->name, reader->value, low, high);
    return false;
}

int snOptionReader_Word(const snOptionReader *reader, const char *const *words, int count)
{
    int found = snFindWord(reader->value, words, count);
    if (found < 0)
        snCli_Usage(reader->command, "--%s is \"%s\"; it must be one of %s%s", reader->name,
                    reader->value, snListWords(words, count).text,
                    snHint_Of("", snSuggest(reader->value, words, count), "").text);
    return found;
}

bool snOptionReader_Size(const snOptionReader *reader, int low, int high, int size[2])
{
    char *end;
    long width = strtol(reader->value, &end, 10);
    long height = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
    if (*end || width < low || height < low || width > high || height > high) {
        snCli_Usage(reader->command, "--%s is \"%s\"; write it as 640x480, %d to %d each",
                    reader->name, reader->value, low, high);
        return false;
    }
    size[0] = (int)width;
    size[1] = (int)height;
    return true;
}

void snPrintOptions(const snOption *options)
{
    for (const snOption *o = options; o->name; o++) {
        char left[64], letter[8] = "    ";
        if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->value ? " " : "",
                 o->value ? o->value : "");
        if (strlen(left) > 26)
            printf("  %s\n  %-26s %s\n", left, "", o->help);
        else
            printf("  %-26s %s\n", left, o->help);
    }
}

// 1: one that all commands have; 0: another; -1: wrong, with a message.
static int takeCommon(const snOptionUse *use, const snOptionReader *reader, int which,
                      const char **input, snCli *cli)
{
    if (which == SN_OPTION_FILE) {
        if (*input)
            snCli_Usage(use->command, "one %s at a time: %s and %s were given", use->input, *input,
                        reader->value);
        bool first = !*input;
        *input = reader->value;
        return first ? 1 : -1;
    }
    if (!strcmp(reader->name, "threads"))
        return snOptionReader_Int(reader, 1, SN_MAX_THREADS, &cli->threads) ? 1 : -1;
    bool json = !strcmp(reader->name, "json"), quiet = !strcmp(reader->name, "quiet");
    cli->json |= json;
    cli->quiet |= quiet;
    return json || quiet;
}

snStatus snCheckEnding(const char *path, const char *endings, const char *what, snError *error)
{
    char list[64] = "";
    for (const char *at = endings; *at;) {
        char ending[16];
        int length = (int)strcspn(at, " ");
        snprintf(ending, sizeof ending, "%.*s", length, at);
        if (snPath_HasExtension(path, ending)) return SN_OK;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? " or " : "", ending);
        at += length + (at[length] == ' ');
    }
    return snFail(error, SN_ERROR_ARGUMENT, "%s: %s end in %s", path, what, list);
}

// As takeCommon.
static int takeField(const snOptionField *fields, void *request, const snOptionReader *reader)
{
    const snOptionField *f = fields;
    while (f && f->name && strcmp(f->name, reader->name) != 0)
        f++;
    if (!f || !f->name) return 0;
    void *at = (char *)request + f->offset;
    snError error = {0};
    switch (f->kind) {
    case SN_OPTION_TEXT:
        *(const char **)at = reader->value;
        if (!f->endings || !snCheckEnding(reader->value, f->endings, f->what, &error)) return 1;
        snCli_Usage(reader->command, "%s", error.message);
        return -1;
    case SN_OPTION_FLAG:
        return *(bool *)at = true;
    case SN_OPTION_INT:
        return snOptionReader_Int(reader, (int)f->low, (int)f->high, at) ? 1 : -1;
    case SN_OPTION_SIZE:
        return snOptionReader_Size(reader, (int)f->low, (int)f->high, at) ? 1 : -1;
    default:
        return snOptionReader_Number(reader, f->low, f->high, f->unit, at) ? 1 : -1;
    }
}

int snOptionUse_Read(const snOptionUse *use, void *request, const char **input, snCli *cli,
                     int count, char **arguments)
{
    snOptionReader reader = snMakeOptionReader(use->command, use->options, count, arguments);
    int which;
    while ((which = snOptionReader_Next(&reader)) != SN_OPTION_END) {
        if (which == SN_OPTION_ERROR) return SN_EXIT_USAGE;
        int taken = takeCommon(use, &reader, which, input, cli);
        if (!taken && !strcmp(reader.name, "help")) {
            use->printHelp();
            return SN_EXIT_DONE;
        }
        if (!taken) taken = takeField(use->fields, request, &reader);
        if (!taken) taken = use->take && use->take(request, &reader, which) ? 1 : -1;
        if (taken < 0) return SN_EXIT_USAGE;
    }
    return -1;
}

int snOptionUse_ReadInput(const snOptionUse *use, void *request, const char **input, snCli *cli,
                          int count, char **arguments)
{
    int code = snOptionUse_Read(use, request, input, cli, count, arguments);
    return code >= 0 || *input ? code : snCli_Usage(use->command, "which %s?", use->input);
}
