#include "cli/filming.h"

#include "core/error.h"
#include "render/film.h"
#include "render/strip.h"

#include <stdio.h>

#define MOST_PIXELS 134217728.0 // 2^27, half a gigabyte of panels and of the strip each

int snFilming_CheckSize(const char *command, int panels, const int size[2])
{
    double pixels = (double)panels * size[0] * size[1];
    if (pixels <= MOST_PIXELS) return -1;
    return snCli_Usage(command,
                       "%d panels of %dx%d make a picture of %.0f million pixels; %.0f are most",
                       panels, size[0], size[1], 1e-6 * pixels, 1e-6 * MOST_PIXELS);
}

static snStatus writeStrip(const snFilming *f, snRenderer *renderer, const char *path,
                           snFileBatch *batch, snError *error)
{
    snImage panels[SN_MOST_PANELS] = {0}, strip = {0};
    char captions[SN_MOST_PANELS][32];
    const char *texts[SN_MOST_PANELS] = {0};
    snStripDef def = snDefaultStripDef();
    snPng png = {0};
    snStatus status = SN_OK;
    int count = f->count < f->panels ? f->count : f->panels;
    for (int i = 0; i < count && !status; i++) {
        int frame = count > 1 ? (int)((int64_t)i * (f->count - 1) / (count - 1)) : 0;
        if (f->times) {
            snprintf(captions[i], sizeof captions[i], "%.2f s", f->times[frame]);
            texts[i] = captions[i];
        }
        status = f->draw(f->user, frame, renderer, &f->camera, &panels[i], error);
    }
    def.columns = f->columns;
    if (!status) status = snStrip_Compose(&strip, panels, texts, count, &def, error);
    if (!status) status = snPng_Encode(&strip, &png, error);
    if (!status) status = snFileBatch_Write(batch, path, png.data, png.size, error);
    snPng_Free(&png);
    for (int i = 0; i < count; i++)
        snImage_Destroy(&panels[i]);
    snImage_Destroy(&strip);
    return status;
}

static snStatus writeFilm(const snFilming *f, snRenderer *renderer, const snFilmDef *def,
                          const snCli *cli, snError *error)
{
    snProgress progress = snMakeProgress("drawing", cli->quiet);
    snFilm *film = NULL;
    snImage image = {0};
    snStatus status = snFilm_Open(&film, def, error);
    for (int i = 0; i < f->count && !status; i++) {
        status = f->draw(f->user, i, renderer, &f->camera, &image, error);
        if (!status) status = snFilm_Add(film, &image, error);
        snProgress_Update(&progress, (double)i / f->count);
        if (!status && snInterrupt_Pending())
            status = snFail(error, SN_ERROR_CANCELLED, "interrupted while drawing");
    }
    snProgress_End(&progress);
    if (status)
        snFilm_Abort(film);
    else
        status = snFilm_Close(film, error);
    snImage_Destroy(&image);
    return status;
}

// The encoder writes into the file that the batch has begun.
static snStatus placeFilm(snFilmDef *def, const char *path, snFileBatch *batch, snError *error)
{
    snFileWriter *writer;
    snStatus status = snFileBatch_Open(batch, path, &writer, error);
    if (status) return status;
    def->path = snFileWriter_TemporaryPath(writer);
    def->inPlace = true;
    return def->path ? SN_OK
                     : snFail(error, SN_ERROR_FILE, "%s: films are written to files only", path);
}

snStatus snFilming_Write(const snFilming *f, const char *path, snFileBatch *batch, const snCli *cli,
                         snError *error)
{
    snRendererDef def = snDefaultRendererDef();
    snFilmDef film = snDefaultFilmDef();
    snRenderer *renderer = NULL;
    def.width = film.width = f->width;
    def.height = film.height = f->height;
    film.rate = f->rate;
    bool moving = snPath_HasExtension(path, ".mp4");
    snStatus status = snRenderer_Make(&renderer, &def, error);
    if (!status && moving) status = placeFilm(&film, path, batch, error);
    if (!status)
        status = moving ? writeFilm(f, renderer, &film, cli, error)
                        : writeStrip(f, renderer, path, batch, error);
    snRenderer_Destroy(renderer);
    return status;
}
