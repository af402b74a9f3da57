// Options about pictures that several commands share: from where they look, and what their files end in.
//     static const snOption options[] = {{"output", ...}, SN_VIEW_OPTIONS, {0}};
//     ... default: return snViewOptions_Take(&camera, reader) > 0;
#ifndef SN_CLI_VIEW_OPTIONS_H
#define SN_CLI_VIEW_OPTIONS_H

#include "cli/options.h"
#include "render/render.h"

// Rows of a table of options.
#define SN_VIEW_OPTIONS                                                                            \
    {"yaw", 0, "DEGREES", "view: 0 from the front, 90 from the character's left"},                 \
        {"pitch", 0, "DEGREES", "view: how far above the horizon"},                                \
    {                                                                                              \
        "zoom", 0, "FACTOR", "1 fills the picture (0.92)"                                          \
    }

// Endings, for SN_PATH_FIELD.
#define SN_PICTURES ".png"
#define SN_PICTURES_OR_FILMS ".png .mp4"

// Takes the present option: 1, 0 when it is none of them, or -1 with a message.
int snViewOptions_Take(snCamera *camera, const snOptionReader *reader);

#endif
