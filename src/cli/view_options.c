#include "cli/view_options.h"

#include <string.h>

int snViewOptions_Take(snCamera *camera, const snOptionReader *reader)
{
    const struct {
        const char *name;
        double low, high, *number;
        bool turns;
    } known[] = {{"yaw", -360, 360, &camera->yaw, true},
                 {"pitch", -89, 89, &camera->pitch, true},
                 {"zoom", 0.01, 100, &camera->zoom, false}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(reader->name, known[i].name) != 0) continue;
        if (known[i].turns) camera->automatic = false;
        return snOptionReader_Number(reader, known[i].low, known[i].high, NULL, known[i].number)
                   ? 1
                   : -1;
    }
    return 0;
}
