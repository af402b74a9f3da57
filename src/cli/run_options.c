#include "cli/run_options.h"

#include "cli/cli.h"

#include <string.h>

int snRunOptions_Take(snRunOptions *o, const snOptionReader *reader)
{
    const char *name = reader->name;
    const struct {
        const char *name;
        bool *flag;
        const char **value;
    } known[] = {{"with", NULL, &o->with},
                 {"sidecar", NULL, &o->sidecar},
                 {"no-sidecar", &o->noSidecar, NULL},
                 {"dry-run", &o->dryRun, NULL},
                 {"resume", &o->resume, NULL},
                 {"progress", &o->progress, NULL}};
    if (!name) return 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i].name) != 0) continue;
        if (known[i].flag) *known[i].flag = true;
        if (known[i].value) *known[i].value = reader->value;
        if (!strcmp(name, "sidecar") && !snPath_HasExtension(reader->value, ".json")) {
            snCli_Usage(reader->command, "%s: sidecars end in .json", reader->value);
            return -1;
        }
        return 1;
    }
    return 0;
}
