// What is printed for people: nouns in the right number, and names out of files that cannot talk to
// the terminal.
//     printf("%d %s\n", count, snPlural(count, "vertex", "vertices"));
//     printf("clip %s\n", snPlain(clip->name).text);
#ifndef SN_CLI_TEXT_H
#define SN_CLI_TEXT_H

#include "asset/bytes.h"
#include "skeleton/skeleton.h"

#define SN_PLAIN_CHARS 8192 // longer texts are cut: twice the longest path

typedef struct snPlainText {
    char text[SN_PLAIN_CHARS];
} snPlainText;

// The text with whatever a terminal would act on written out: \n, \x1b, \u009b. These are control
// characters, bytes that are not UTF-8, and the marks that change the direction of writing.
snPlainText snPlain(const char *text);

// What a joint is called: its name, or `joint 12` where it has none.
snPlainText snJointText(const snSkeleton *skeleton, int joint);

// What a clip is called: its name, or `clip0` by its number where it has none, as outputs call it.
snPlainText snClipText(const snClip *clips, int clip);

// JSON on standard output. What a terminal would act on inside its strings is written as \u009b: the
// same strings to who reads them as JSON.
void snPrintJson(const snBytes *json);

// The word for this many of them: `one` for 1, else `many`.
const char *snPlural(long long count, const char *one, const char *many);

#endif
