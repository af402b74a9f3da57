// Options about flesh that several commands share: how many cells, how things swing, what parts are
// made of, how steps are solved.
//     static const snOption options[] = {{"output", ...}, SN_FLESH_OPTIONS, {0}};
//     ... default: if (snFleshOptions_Take(&flesh, &reader)) ...
#ifndef SN_CLI_FLESH_OPTIONS_H
#define SN_CLI_FLESH_OPTIONS_H

#include "body/lattice/rig_file.h"
#include "character/size.h"
#include "cli/cli.h"
#include "cli/map_options.h"
#include "cli/options.h"

#define SN_MOST_RULES 256
#define SN_PART_CHARS 128
#define SN_MOST_ANCHORS 16

// Rows of a table of options. Those with [PART=] are about the whole body without it.
#define SN_SHAPE_OPTIONS                                                                           \
    {"rig", 0, "FILE", "a rig document, as `sinew rig` writes it: lattice, parts, defaults"},      \
        {"cells", 0, "COUNT", "about how many lattice cells to build (2000)"},                     \
        {"height", 0, "LENGTH", "how tall the character is: 1.8m, 180cm, 6ft (recognised)"},       \
        {"anchor", 0, "PLACE", "flesh there follows the rig: bottom, top, left, a mesh, ..."},     \
        {"details", 0, "LEVELS", "finer motion that comes and goes where flesh bends (0)"},        \
    {                                                                                              \
        "spacing", 0, "LENGTH",                                                                    \
            "or how far apart the lattice's grid points are, in the file's "                       \
            "units"                                                                                \
    }
#define SN_PART_OPTIONS                                                                            \
    {"wobble", 0, "[PART=]HZ", "slowest swing: 2 sloshes, 4 sways, 8 is firm (3.5)"},              \
        {"material", 0, "[PART=]NAME", "flesh, fat, muscle, ear, horn, rubber or jelly"},          \
        {"stiffness", 0, "PART=FACTOR", "so many times as stiff as it would be"},                  \
        {"free", 0, "PART", "its bones follow the flesh"},                                         \
        {"held", 0, "PART", "its bones lead the flesh"},                                           \
        {"hold", 0, "PART=HZ", "draw it to the rig's pose with this frequency"},                   \
        {"drag", 0, "PART=RATE", "brake it, per second, beyond the damping"},                      \
        {"twist", 0, "[PART=]HZ[:SHARE]",                                                          \
         "flesh within a share of its thickness (0.4) turns with its bone"},                       \
        {"feel", 0, "NAME", "natural, subtle or cartoon"},                                         \
    {                                                                                              \
        "damping", 0, "RATE", "how fast swings die, per second (2)"                                \
    }
#define SN_SOLVER_OPTIONS                                                                          \
    {"solver", 0, "NAME", "projective, newton, blended or linear (projective)"},                   \
        {"method", 0, "NAME", "for linear and blended: factor or cg (factor)"},                    \
        {"motion", 0, "NAME", "secondary: added to the artist's; full: all by physics"},           \
        {"precision", 0, "NAME", "double, single: quicker, off by 1e-5 of the height (auto)"},     \
        {"matrix", 0, "NAME", "auto, scalar: quicker, or turned: nearer at slender ends (auto)"},  \
        {"material-model", 0, "NAME", "corotated, neo-hookean or green (corotated)"},              \
        {"gravity-change", 0, "ACCELERATION",                                                      \
         "gravity's change since the rest pose, in the file's units (0)"},                         \
        {"gravity", 0, "ACCELERATION",                                                             \
         "downwards, for --motion full, in the file's units (9.81 m)"},                            \
    {                                                                                              \
        "iterations", 0, "COUNT", "of the solver in each step (3; newton: 1)"                      \
    }

typedef struct snFleshOptions {
    snFleshDef def; // values that were given; which ones say the flags
    const char *rig;
    double height; // m; 0: as it is recognised
    int anchorCount;
    const char *anchors[SN_MOST_ANCHORS]; // sides, or names of meshes
    snMapOptions maps;
    const snSubstance *substance;
    const snFeel *feel;
    unsigned given; // bits, by the order in which flesh_options.c has them
    int ruleCount;
    snFleshRule rules[SN_MOST_RULES];
    char parts[SN_MOST_RULES][SN_PART_CHARS]; // their names
} snFleshOptions;

// Takes the present option if it is one of these: 1. 0: it is another. -1: it is one, but its value
// is wrong; the message has been printed.
int snFleshOptions_Take(snFleshOptions *options, const snOptionReader *reader);

// How large the character is, as was said or as it is recognised.
snStatus snFleshOptions_Size(const snFleshOptions *options, const snCharacter *character,
                             snSize *size, const snCli *cli, snError *error);

// Whether all motion is left to physics, as far as the options say.
bool snFleshOptions_IsFull(const snFleshOptions *options);

// What the commands say beyond the options: for how long a step is, and whether details are measured.
typedef struct snFleshJob {
    const char *input; // the character's file, for messages
    const snCharacter *character;
    double step;  // s; 0: as it is by default
    bool measure; // see snFleshDef
} snFleshJob;

// The flesh of a character by defaults, then the rig document, then the options. The message of a
// failure begins with the file that is at fault, the document or the character.
snStatus snFleshOptions_Build(const snFleshOptions *options, const snFleshJob *job, snFlesh **flesh,
                              const snCli *cli, snError *error);

#endif
