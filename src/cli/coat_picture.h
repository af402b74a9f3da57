// Film strips of coated bodies, for `sinew coat`.
#ifndef SN_CLI_COAT_PICTURE_H
#define SN_CLI_COAT_PICTURE_H

#include "body/coat/coating.h"
#include "cli/cli.h"
#include "render/render.h"

typedef struct snCoatFilm {
    const snCoating *coating;
    int shotCount;
    const snAffine *frames; // [shotCount * jointCount], where joints are
    const double *times;    // [shotCount], s; NULL: no captions
    int width, height;      // pixels of a panel
    bool elements;          // show the elements within a glass skin
    snCamera camera;
} snCoatFilm;

// A .png; each panel looks at the body where it is.
snStatus snCoatFilm_Write(const snCoatFilm *film, const char *path, snFileBatch *batch,
                          const snCli *cli, snError *error);

#endif
