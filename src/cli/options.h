// Options in the GNU manner: --name VALUE, --name=VALUE, -x VALUE, flags, and `--` before files.
//     static const snOption options[] = {{"output", 'o', "FILE", "where to write"}, ... {0}};
//     snOptionReader reader = snMakeOptionReader("bake", options, count, arguments);
//     while ((which = snOptionReader_Next(&reader)) >= 0) switch (which) ...
#ifndef SN_CLI_OPTIONS_H
#define SN_CLI_OPTIONS_H

#include "core/error.h"
#include "core/suggest.h"

#include <stdbool.h>
#include <stddef.h>

struct snCli;

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
// Pixels of a picture: "640x480", each within the range.
bool snOptionReader_Size(const snOptionReader *reader, int low, int high, int size[2]);

// One of a list of words: its number; -1 (and a message) when the present value is none of them.
int snOptionReader_Word(const snOptionReader *reader, const char *const *words, int count);

void snPrintOptions(const snOption *options);

// An option whose value goes into the request as it is.
typedef enum snOptionKind {
    SN_OPTION_TEXT,   // const char *
    SN_OPTION_FLAG,   // bool
    SN_OPTION_INT,    // int
    SN_OPTION_NUMBER, // double
    SN_OPTION_SIZE,   // int[2]
} snOptionKind;

typedef struct snOptionField {
    const char *name; // NULL ends a list
    snOptionKind kind;
    size_t offset;              // in the request
    double low, high;           // of numbers
    const char *unit;           // of numbers, that may follow; or NULL
    const char *endings, *what; // of paths: ".png .mp4", "pictures"; NULL: any text will do
} snOptionField;

#define SN_TEXT_FIELD(option, type, member)                                                        \
    {                                                                                              \
        .name = option, .kind = SN_OPTION_TEXT, .offset = offsetof(type, member)                   \
    }
#define SN_PATH_FIELD(option, type, member, ends, called)                                          \
    {                                                                                              \
        .name = option, .kind = SN_OPTION_TEXT, .offset = offsetof(type, member), .endings = ends, \
        .what = called                                                                             \
    }
#define SN_FLAG_FIELD(option, type, member)                                                        \
    {                                                                                              \
        .name = option, .kind = SN_OPTION_FLAG, .offset = offsetof(type, member)                   \
    }
#define SN_INT_FIELD(option, type, member, least, most)                                            \
    {                                                                                              \
        .name = option, .kind = SN_OPTION_INT, .offset = offsetof(type, member), .low = least,     \
        .high = most                                                                               \
    }
#define SN_NUMBER_FIELD(option, type, member, least, most, units)                                  \
    {                                                                                              \
        .name = option, .kind = SN_OPTION_NUMBER, .offset = offsetof(type, member), .low = least,  \
        .high = most, .unit = units                                                                \
    }
#define SN_SIZE_FIELD(option, type, member)                                                        \
    {                                                                                              \
        .name = option, .kind = SN_OPTION_SIZE, .offset = offsetof(type, member), .low = 16,       \
        .high = 8192                                                                               \
    }

// Fails when a path ends in none of the endings, which stand in one text.
snStatus snCheckEnding(const char *path, const char *endings, const char *what, snError *error);

// How a command reads its arguments. Those that all commands have are taken by themselves, where its
// table lists them: --threads, --json, --quiet, --help, and the one input; then those among `fields`.
// `take` gets the others; false: it has printed a message.
typedef struct snOptionUse {
    const char *command;
    const char *input; // what the input is called in messages: "file", "scene"
    const snOption *options;
    void (*printHelp)(void);
    const snOptionField *fields; // or NULL
    bool (*take)(void *request, const snOptionReader *reader, int which);
} snOptionUse;

// Returns an exit code, or -1 to go on; *input is NULL where none was given.
int snOptionUse_Read(const snOptionUse *use, void *request, const char **input, struct snCli *cli,
                     int count, char **arguments);
// The same for a command that needs an input.
int snOptionUse_ReadInput(const snOptionUse *use, void *request, const char **input,
                          struct snCli *cli, int count, char **arguments);

#endif
