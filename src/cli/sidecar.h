// The sidecar: everything that a bake decided, as JSON beside its first output, to be looked at,
// edited and handed back (--with). docs/sidecar.md has every key.
//
// Each setting stands in it once, as what it came to: the flesh as a rig document ("rig"), times,
// clips, solver. Read back, these become options again, before those of the command line, so that
// one way checks them all. Options that no section holds are kept as they were given ("options").
#ifndef SN_CLI_SIDECAR_H
#define SN_CLI_SIDECAR_H

#include "asset/json_write.h"
#include "core/error.h"
#include "core/memory.h"

#define SN_SIDECAR_VERSION 1
#define SN_SIDECAR_TEXT(number) SN_SIDECAR_QUOTE(number)
#define SN_SIDECAR_QUOTE(number) #number
#define SN_SIDECAR_PROGRAM                                                                         \
    SN_SIDECAR_TEXT(SN_VERSION_MAJOR)                                                              \
    "." SN_SIDECAR_TEXT(SN_VERSION_MINOR) "." SN_SIDECAR_TEXT(SN_VERSION_PATCH)
#define SN_SIDECAR_ENDING ".sinew.json"

// ---- reading (sidecar_read.c) ----

typedef struct snSidecarArgument {
    char *text;        // "--fps=30"
    const char *place; // where it stands in the document: "time.fps"
    bool kept;         // it stands in "options"
} snSidecarArgument;

typedef struct snSidecar {
    snArena arena; // owns everything
    int argumentCount;
    snSidecarArgument *arguments; // [argumentCount], in the order in which they are to be taken
    int outputCount;
    const char **outputs; // [outputCount]
    int givenCount;
    const char **given;  // [givenCount], for the record
    const char *program; // the version that wrote it, or NULL
    const char *file;    // the input's name, or NULL
    const char *hash;    // the input's, or NULL
} snSidecar;

// Reads all but the member "rig", which snRigFile_Read finds in the same text. On failure there is
// nothing to free.
snStatus snSidecar_Read(snSidecar *sidecar, const char *text, size_t size, const snContext *context,
                        snError *error);
void snSidecar_Destroy(snSidecar *sidecar);

// Whether a section holds what this option says ("fps", "wobble"), or it changes nothing in the
// result: then it is not kept among the options.
bool snSidecar_Holds(const char *option);
bool snSidecar_Matters(const char *option); // false for --threads, --json, --output and the like

// The settings of one section, with what they are called as options.
typedef enum snSettingKind {
    SN_SETTING_NUMBER,
    SN_SETTING_COUNT,
    SN_SETTING_WORD,
    SN_SETTING_TIME, // a number, or the word that is given
} snSettingKind;

#define SN_SETTING_WORDS 4
typedef struct snSetting {
    const char *section, *key, *option;
    snSettingKind kind;
    double low, high;
    const char *words[SN_SETTING_WORDS]; // what a word may be, in the order of its enumeration
} snSetting;
const snSetting *snSidecar_Settings(int *count);

#endif
