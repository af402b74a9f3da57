// Options in the GNU manner: --name VALUE, --name=VALUE, -x VALUE, flags, and `--` before files.
//     static const snOption options[] = {{"output", 'o', "FILE", "where to write"}, ... {0}};
//     snOptionReader reader = snMakeOptionReader("bake", options, count, arguments);
//     while ((which = snOptionReader_Next(&reader)) >= 0) switch (which) ...
#ifndef SN_CLI_OPTIONS_H
#define SN_CLI_OPTIONS_H

#include "core/suggest.h"

#include <stdbool.h>

typedef struct snOption {
    const char *name;  // long name without dashes; NULL ends a list
    char letter;       // short name, or 0
    const char *value; // what its value is called in the help; NULL: a flag
    const char *help;
} snOption;

// What snOptionReader_Next returns besides the number of an option.
enum { SN_OPTION_END = -1, SN_OPTION_ERROR = -2, SN_OPTION_FILE = 1000 };

typedef struct snOptionReader {
    const char *command;
    const snOption *options;
    int count;
    char **arguments;
    int at;
    bool onlyFiles;    // behind `--`
    const char *value; // of the present option, or the file
    const char *name;  // of the present option as it should be written
} snOptionReader;

snOptionReader snMakeOptionReader(const char *command, const snOption *options, int count,
                                  char **arguments);
// On SN_OPTION_ERROR the message has been printed.
int snOptionReader_Next(snOptionReader *reader);

// Numbers. False (and a message) when the present value is none, or out of its range. Units that
// may follow a number are given in `unit` ("Hz", "s"), or NULL.
bool snOptionReader_Number(const snOptionReader *reader, double low, double high, const char *unit,
                           double *number);
bool snOptionReader_Int(const snOptionReader *reader, int low, int high, int *number);

void snPrintOptions(const snOption *options);

#endif
