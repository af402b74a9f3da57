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
    snCli_Usage(reader->command, "unknown option %s%s%s%s", text, guess ? "; did you mean --" : "",
                guess ? guess : "", guess ? "?" : "");
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
