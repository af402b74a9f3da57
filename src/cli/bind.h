// A surface without a skin gets a skeleton from another file: joints and bones to edit by hand
// (skeleton_file.h), a recording (.bvh), or another character (.glb, .gltf).
#ifndef SN_CLI_BIND_H
#define SN_CLI_BIND_H

#include "character/borrow.h"
#include "character/instrument.h"
#include "cli/cli.h"
#include "cli/options.h"

// Rows of a table of options.
#define SN_BIND_OPTIONS                                                                            \
    {"skeleton", 0, "FILE", "of a bare surface: its skeleton and motion (.json, .bvh, .glb)"},     \
        {"skeleton-turn", 0, "DEGREES", "turn that skeleton about the vertical axis first (0)"},   \
        {"skeleton-scale", 0, "FACTOR", "how many times as large that skeleton is (fitted)"},      \
    {                                                                                              \
        "skeleton-offset", 0, "X,Y,Z", "and where to, in the surface's units (fitted)"             \
    }

typedef struct snBindOptions {
    const char *skeleton; // the file, or NULL
    snBorrowDef borrow;   // snDefaultBorrowDef at first
} snBindOptions;

// Takes the present option if it is one of these: 1. 0: it is another. -1: it is one, but its value
// is wrong; the message has been printed.
int snBindOptions_Take(snBindOptions *options, const snOptionReader *reader);

// Whether a file of joints and bones is meant, which has no motion.
bool snBindOptions_IsPlan(const snBindOptions *options);

// The joints and bones of such a file. The message of a failure begins with its name.
snStatus snReadPlan(snRigPlan *plan, const char *path, const snSolid *solid, const snCli *cli,
                    snError *error);

// The surface bound to a recording or to another character. The message of a failure begins with
// its name.
snStatus snBindBorrowed(snCharacter *rigged, const snCharacter *bare, const snSolid *solid,
                        const snBindOptions *options, const snCli *cli, snError *error);

// Puts a character that was read and has no skin in the place of itself with one: it is then as if
// read from a .glb, in memory, that has the skeleton, and the clips or else the test clip of `sway`.
snStatus snLoaded_Bind(snLoaded *loaded, const char *input, const snBindOptions *options,
                       const snCli *cli, snError *error);

// The same for any other character made by code: it is written into memory as a .glb and read again.
snStatus snLoaded_Replace(snLoaded *loaded, const snCharacter *made, const snCli *cli,
                          snError *error);

// What was read is let go, and a .glb in memory takes its place; on success its bytes too.
snStatus snLoaded_TakeFile(snLoaded *loaded, snBytes *bytes, const snCli *cli, snError *error);

// A clip in which nothing moves, for a character that has none: for what physics alone does with it.
#define SN_STILL_NAME "rest"
#define SN_STILL_SECONDS 2.0f
snStatus snLoaded_AddStill(snLoaded *loaded, const snCli *cli, snError *error);

#endif
