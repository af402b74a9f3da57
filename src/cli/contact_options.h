// Options of `bake` about what flesh bumps into: a floor, meshes of the file, itself.
#ifndef SN_CLI_CONTACT_OPTIONS_H
#define SN_CLI_CONTACT_OPTIONS_H

#include "body/lattice/flesh_contact.h"
#include "character/size.h"
#include "cli/cli.h"
#include "cli/options.h"

#define SN_MOST_PROPS 64

#define SN_CONTACT_OPTIONS                                                                         \
    {"floor", 0, "HEIGHT", "flesh stays above a floor: auto, 0.1m, or in the file's units"},       \
        {"collider", 0, "MESH",                                                                    \
         "a mesh or node of the file, or a pattern with *, that flesh bumps into"},                \
        {"self", 0, NULL, "flesh bumps into itself: belly against thigh"},                         \
    {                                                                                              \
        "friction", 0, "NUMBER",                                                                   \
            "of floor and colliders: 0 slides (0.5 with --motion full, else 0)"                    \
    }

typedef struct snContactOptions {
    bool floor, autoFloor;
    double height; // of the floor, in `inMetres` or in the file's units
    bool inMetres;
    int propCount;
    const char *props[SN_MOST_PROPS]; // names and patterns
    bool self;
    bool hasFriction;
    double friction;
} snContactOptions;

// As snFleshOptions_Take.
int snContactOptions_Take(snContactOptions *options, const snOptionReader *reader);

// Whether there is anything to bump into.
bool snContactOptions_Any(const snContactOptions *options);

// Marks the character's props. Fails when a name is not among its meshes and nodes, or nothing is left
// to be a body.
snStatus snContactOptions_Mark(const snContactOptions *options, snCharacter *character,
                               snError *error);

// What flesh bumps into, for clips by their numbers; NULL when there is nothing. `height` becomes the
// floor's, in the file's units.
typedef struct snContactJob {
    const snFlesh *flesh;
    const snSize *size;
    int clipCount;
    const int *clips;
} snContactJob;
snStatus snContactOptions_Make(const snContactOptions *options, const snContactJob *job,
                               snFleshContacts **contacts, double *height, const snCli *cli,
                               snError *error);

#endif
