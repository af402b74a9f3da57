// make-scenes [--pictures] FOLDER: writes the surfaces and lattices of the example scenes, and the demo character.
#include "made.h"
#include "picture.h"

#include "platform/files.h"
#include "platform/paths.h"
#include "render/strip.h"

#include <stdio.h>
#include <string.h>

typedef struct Making {
    const char *folder;
    const snContext *context;
    snArena arena;
    snRenderer *renderer; // NULL: no pictures
} Making;

static snStatus writeFile(const Making *m, const char *name, const char *ending,
                          const snBytes *bytes, snError *error)
{
    char file[128], path[SN_MAX_PATH];
    snprintf(file, sizeof file, "%s%s", name, ending);
    if (!snPath_Join(m->folder, file, path, sizeof path))
        return snFail(error, SN_ERROR_FILE, "%s: the name is too long", m->folder);
    snStatus status = snBytes_Check(bytes, error);
    if (!status) status = snFile_Write(m->context, path, bytes->data, bytes->size, error);
    if (!status) printf("%s, %zu bytes\n", path, bytes->size);
    return status;
}

static snStatus writeControl(const Making *m, const snControl *control, snBytes *bytes,
                             snError *error)
{
    snBytes_Clear(bytes);
    snControl_WriteJson(control, bytes);
    snStatus status = writeFile(m, control->name, ".lattice.json", bytes, error);
    if (status || !control->stiffness) return status;
    snBytes_Clear(bytes);
    snControl_WriteStiffness(control, bytes);
    return writeFile(m, control->name, ".stiffness.json", bytes, error);
}

// The surface alone, then with each lattice.
static snStatus drawPanels(Making *m, const snModel *model, snImage *strip, snError *error)
{
    snImage panels[1 + MODEL_CONTROLS] = {{0}};
    snStripDef def = snDefaultStripDef();
    bool three = model->controlCount == 2; // narrower panels
    snStatus status = snRenderer_Resize(m->renderer, three ? 300 : 360, three ? 280 : 320, error);
    for (int c = -1; c < model->controlCount && !status; c++) {
        snPictureDef picture = {model, c < 0 ? NULL : &model->controls[c], model->yaw};
        status = snPicture_Draw(&panels[c + 1], &picture, m->renderer, &m->arena, error);
    }
    def.columns = 1 + model->controlCount;
    if (!status)
        status = snStrip_Compose(strip, panels, NULL, 1 + model->controlCount, &def, error);
    for (int c = 0; c <= model->controlCount; c++)
        snImage_Destroy(&panels[c]);
    return status;
}

static snStatus draw(Making *m, const snModel *model, snBytes *bytes, snError *error)
{
    snImage strip = {0};
    snPng png = {0};
    snStatus status = drawPanels(m, model, &strip, error);
    if (!status) status = snPng_Encode(&strip, &png, error);
    snBytes_Clear(bytes);
    snBytes_Append(bytes, png.data, png.size);
    if (!status) status = writeFile(m, model->name, ".png", bytes, error);
    snPng_Free(&png);
    snImage_Destroy(&strip);
    return status;
}

static snStatus makeModel(Making *m, snModelKind kind, snError *error)
{
    snModel model;
    snArenaMark mark = snArena_Mark(&m->arena);
    snBytes bytes = snMakeBytes(m->context);
    snStatus status = snModel_Make(&model, kind, &m->arena, m->context, error);
    if (!status) {
        snModel_WriteObj(&model, &bytes);
        status = writeFile(m, model.name, ".obj", &bytes, error);
    }
    for (int c = 0; c < model.controlCount && !status; c++)
        status = writeControl(m, &model.controls[c], &bytes, error);
    if (!status && m->renderer) status = draw(m, &model, &bytes, error);
    snBytes_Destroy(&bytes);
    snArena_Rewind(&m->arena, mark);
    return status;
}

// The puppet: a scene, and the surfaces of its pieces.
static snStatus makePuppet(Making *m, snError *error)
{
    static const char *const files[] = {"puppet.json", "bead.obj", "claw.obj"};
    snMade made = snMakeMade(m->context);
    snBytes bytes = snMakeBytes(m->context);
    snStatus status = SN_OK;
    for (int k = 0; k < 3 && !status; k++) {
        snBytes_Clear(&bytes);
        status = snMade_Write(&made, files[k], &bytes, error);
        if (!status) status = writeFile(m, files[k], "", &bytes, error);
    }
    snBytes_Destroy(&bytes);
    snMade_Destroy(&made);
    return status;
}

static snStatus makeAll(Making *m, bool pictures, snError *error)
{
    snRendererDef def = snDefaultRendererDef();
    def.width = 360;
    def.height = 320;
    def.samples = 16;
    snStatus status = pictures ? snRenderer_Make(&m->renderer, &def, error) : SN_OK;
    for (int kind = 0; kind < MODEL_COUNT && !status; kind++)
        status = makeModel(m, (snModelKind)kind, error);
    if (!status) status = makePuppet(m, error);
    snRenderer_Destroy(m->renderer);
    snBytes bytes = snMakeBytes(m->context);
    if (!status) status = snMade_WriteDemo(m->context, &bytes, error);
    if (!status) status = writeFile(m, MADE_DEMO, "", &bytes, error);
    snBytes_Destroy(&bytes);
    return status;
}

int main(int argc, char **argv)
{
    bool pictures = argc == 3 && !strcmp(argv[1], "--pictures");
    if (argc != 2 + pictures || argv[argc - 1][0] == '-') {
        fprintf(stderr,
                "usage: make-scenes [--pictures] FOLDER\n"
                "Writes the surfaces and lattices of the example scenes into a folder that is "
                "there, and with\n--pictures a picture of each.\n");
        return 2;
    }
    snContext context = snDefaultContext();
    snError error = {0};
    Making making = {.folder = argv[argc - 1], .context = &context};
    making.arena = snMakeArena(&context);
    snStatus status = makeAll(&making, pictures, &error);
    snArena_Destroy(&making.arena);
    if (status) fprintf(stderr, "make-scenes: %s\n", error.message);
    return status ? 1 : 0;
}
