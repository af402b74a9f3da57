// Frames drawn into a film strip or a film: what pictures of runs and of characters share.
#ifndef SN_CLI_FILMING_H
#define SN_CLI_FILMING_H

#include "cli/cli.h"
#include "render/render.h"

typedef struct snFilming {
    int count;           // frames
    const double *times; // [count] s, for captions; NULL: none
    double rate;         // of a film, Hz
    int panels, columns; // of a strip; columns 0: as even as can be
    int width, height;   // of a picture
    snCamera camera;
    // Draws a frame.
    snStatus (*draw)(void *user, int frame, snRenderer *renderer, const snCamera *camera,
                     snImage *image, snError *error);
    void *user;
} snFilming;

#define SN_MOST_PANELS 64

// Whether a picture of so many panels is too large: an exit code with a message, or -1 to go on. Size 0 is that of a command's own choice.
int snFilming_CheckSize(const char *command, int panels, const int size[2]);

// Writes .png (a strip) or .mp4, which get their names with all else of the batch.
snStatus snFilming_Write(const snFilming *filming, const char *path, snFileBatch *batch,
                         const snCli *cli, snError *error);

#endif
