// Films: frames are piped to the program `ffmpeg`, which makes an MP4 of them. The film appears
// under its name when it is closed without error, and not at all otherwise.
//
//     snFilmDef def = snDefaultFilmDef();
//     def.path = "walk.mp4", def.width = 960, def.height = 540;
//     if (snFilm_Open(&film, &def, &error)) ...
//     for each frame: if (snFilm_Add(film, &image, &error)) { snFilm_Abort(film); ... }
//     if (snFilm_Close(film, &error)) ... // film is gone either way
#ifndef SN_RENDER_FILM_H
#define SN_RENDER_FILM_H

#include "render/image.h"

typedef struct snFilm snFilm;

typedef struct snFilmDef {
    const char *path;    // the .mp4 file; its folder exists
    bool inPlace;        // the file is there: it is written where it is, and stays when the film is
                         // aborted. For callers that give it its name themselves
    int width, height;   // of every frame; an odd last row or column is cut off
    double rate;         // frames per second
    int quality;         // 0..51, the encoder's constant rate factor: 18 looks like the original
    const char *program; // "ffmpeg", looked for in PATH
} snFilmDef;
snFilmDef snDefaultFilmDef(void);

bool snFilm_Available(const char *program); // is it there to be run? NULL: "ffmpeg"

// SN_ERROR_UNSUPPORTED with what to install when the program is not there.
snStatus snFilm_Open(snFilm **film, const snFilmDef *def, snError *error);
snStatus snFilm_Add(snFilm *film, const snImage *frame, snError *error);
snStatus snFilm_Close(snFilm *film, snError *error); // waits for the encoder, then names the file
void snFilm_Abort(snFilm *film);                     // leaves no file; accepts NULL

#endif
