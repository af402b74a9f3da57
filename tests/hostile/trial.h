// One file pushed through the command, in this process, with a look at what it leaves behind.
#ifndef SN_TESTS_HOSTILE_TRIAL_H
#define SN_TESTS_HOSTILE_TRIAL_H

#include "tests/hostile/corpus.h"

// All of it happens in the current folder: inputs lie there, "out" gets what is written, and standard
// output and error go to "log".

// Writes what mutants of other formats are tried with (the beast, the beam), and adds the seeds that
// the command makes: rig documents and sidecars. Tries the seeds that mutants are made of, and sends standard output and error to the log.
snStatus snTrial_Prepare(snCorpus *corpus, const char *only, const snContext *context,
                         snError *error);
// Whether mutants are made of a format: `only` of one, NULL: of all but those that take long.
bool snTrial_IsOf(snFormat format, const char *only);

// Reads a file with the command that reads its format; with `work` does what it is for as well, a
// short bake or a rig. *done says whether the command did it. Fails when something happened that must not:
// an exit without a reason, files after a failure, none after a success, files that are not whole or
// have numbers that are none.
typedef struct snTrial {
    snFormat format;
    const uint8_t *bytes;
    size_t size;
    bool work;
} snTrial;
snStatus snTrial_Run(const snTrial *trial, bool *done, const snContext *context, snError *error);

#endif
