// Layered characters in scenes: "layered": {"file": "penguin.character.json", ...}.
#include "scene/reader.h"

#include "layered/file.h"
#include "layered/operations.h"
#include "layered/play.h"
#include "layered/script.h"
#include "layered/surface.h"

#include <string.h>

#define MOST_ROWS 1000 // and columns

// A character is JSON and begins with {; anything else is a script that builds one.
static bool isDocument(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && strchr(" \t\r\n", text[at]))
        at++;
    return at < size && text[at] == '{';
}

static void load(snReader *r, const snJsonNode *file, snSceneLayered *layered)
{
    const char *text;
    size_t size;
    snScriptReport report;
    snReader_LoadText(r, file, &text, &size);
    if (r->status) return;
    snEditor *editor = &layered->editor;
    layered->made = true;
    snStatus status;
    if (isDocument(text, size)) {
        status = snEditor_Read(editor, text, size, r->context, r->error);
    } else {
        status = snEditor_Make(editor, r->context, r->error);
        if (!status) status = snScript_Run(editor, text, size, &report, r->error);
    }
    if (status && status != SN_ERROR_MEMORY) {
        char path[200];
        snJson_Path(r->json, file, path, sizeof path);
        snError_Prefix(r->error, "%s", path);
    }
    snReader_Take(r, status);
    if (!r->status && !snLayered_Skin(&editor->layered))
        snReader_Fail(r, file, "is a character without a skin; create one (\"skin create\")");
}

// [rows, columns], "design" or "final".
static void readResolution(snReader *r, const snJsonNode *node, snLayered *layered, int grid[2])
{
    static const char *const words[] = {"design", "final"};
    const snJsonNode *resolution = snJson_Member(r->json, node, "resolution");
    const snLayeredSettings *settings = snLayered_Settings(layered);
    int word = 0;
    if (!resolution || r->status) return;
    if (snLayered_Skin(layered)->kind != SN_SKIN_GRID)
        snReader_Fail(r, resolution, "goes with a skin that is a grid; this one is a mesh");
    if (!r->status && resolution->kind == SN_JSON_STRING) {
        snReader_Word(r, node, "resolution", words, 2, &word);
        grid[0] = word ? settings->finalRows : settings->designRows;
        grid[1] = word ? settings->finalColumns : settings->designColumns;
        return;
    }
    snReader_List(r, node, "resolution");
    if (!r->status && snJson_Count(resolution) != 2)
        snReader_Fail(r, resolution, "must be [rows, columns], \"design\" or \"final\"");
    for (int k = 0; k < 2; k++)
        snReader_IntOf(r, snJson_At(r->json, resolution, k), k ? 3 : 2, MOST_ROWS, &grid[k]);
}

// What the scene says goes into the document.
static void change(snReader *r, const snJsonNode *node, snSceneLayered *layered)
{
    static const char *const words[SN_SKIN_INTEGRATORS] = {
        [SN_SKIN_VERLET] = "verlet",
        [SN_SKIN_EULER] = "euler",
        [SN_SKIN_IMPLICIT_EULER] = "implicit-euler",
        [SN_SKIN_RK2] = "rk2",
        [SN_SKIN_RK4] = "rk4",
        [SN_SKIN_ROSENBROCK] = "rosenbrock"};
    snEditor *editor = &layered->editor;
    snLayeredSettings settings = *snLayered_Settings(&editor->layered);
    const snLayeredSkin *skin = snLayered_Skin(&editor->layered);
    int grid[2] = {skin->rows, skin->columns};
    snLayeredSkin changed = *skin;
    bool loop = settings.loop != 0, self = skin->self != 0;
    snReader_Word(r, node, "integrator", words, SN_SKIN_INTEGRATORS, &settings.integrator);
    snReader_Bool(r, node, "loop", &loop);
    snReader_Bool(r, node, "self", &self);
    readResolution(r, node, &editor->layered, grid);
    if (r->status) return;
    settings.loop = loop;
    changed.self = self;
    snEditor_Begin(editor);
    snEditor_Set(editor, SN_TABLE_SETTINGS, 0, &settings);
    snEditor_Set(editor, SN_TABLE_SKIN, 0, &changed);
    snReader_Take(r, snEditor_End(editor, SN_OK, r->error));
    if (!r->status && (grid[0] != skin->rows || grid[1] != skin->columns))
        snReader_Take(r, snEdit_ResampleSkin(editor, grid[0], grid[1], r->error));
}

// Colours of the surface as pictures draw it.
static void paint(snReader *r, snSceneBody *body)
{
    const snLayered *layered = &body->layered->editor.layered;
    snArena scratch = snMakeArena(r->context);
    snSkinMesh mesh;
    snSkinSmooth smooth;
    float *uv;
    if (r->status) return;
    snStatus status = snLayered_SkinMesh(layered, &mesh, &scratch, r->error);
    if (!status)
        status = snSkinSmooth_Make(&smooth, &mesh, body->layered->smooth, &scratch, r->context,
                                   r->error);
    if (!status) status = snLayered_Paint(layered, &smooth, &body->colors, &uv, r->arena, r->error);
    snArena_Destroy(&scratch);
    snReader_Take(r, status);
}

// Joints are told by their names in the document.
static void readSkeleton(snReader *r, const snJsonNode *node, snSceneLayered *layered)
{
    const snJsonNode *skeleton = snReader_Object(r, node, "skeleton");
    snStrengthMore density = {"density", {1, 1e5, SN_QUANTITY_PLAIN}, &layered->density};
    snFigure figure;
    if (!skeleton || r->status) return;
    snReader_Take(r, snFigure_Build(&figure, &layered->editor.layered, r->error));
    if (r->status) return;
    layered->density = 1000;
    snReader_Strength(r, skeleton, &figure.skeleton, &density, &layered->strength);
    layered->gives = true;
    snFigure_Destroy(&figure);
}

void snReader_Layered(snReader *r, const snJsonNode *body, snSceneBody *out)
{
    static const char *const bodyKeys[] = {"name",     "layered", "place",
                                           "rotation", "color",   "stiffness"};
    static const char *const keys[] = {"file",   "resolution", "integrator", "loop",
                                       "settle", "smooth",     "skeleton",   "self"};
    const snJsonNode *node = snReader_Object(r, body, "layered");
    snReader_Keys(r, body, bodyKeys, 6);
    if (r->status || !node) return;
    snSceneLayered *layered = out->layered = SN_NEW(r->arena, snSceneLayered, 1);
    if (!layered) {
        snReader_Take(r, snFailMemory(r->error));
        return;
    }
    layered->settle = snDefaultPlayDef().settle;
    layered->smooth = 1;
    snReader_Keys(r, node, keys, 8);
    const snJsonNode *file = snReader_Need(r, node, "file");
    snReader_Number(r, node, "settle", (snRange){0, 60, SN_QUANTITY_TIME}, &layered->settle);
    snReader_Int(r, node, "smooth", 0, SN_SKIN_SMOOTH_LEVELS, &layered->smooth);
    snReader_Place(r, body, &out->place);
    snReader_Color(r, body, "color", out->color);
    snReader_Stiffness(r, body, out);
    if (!r->status) load(r, file, layered);
    if (!r->status) change(r, node, layered);
    if (!r->status) readSkeleton(r, node, layered);
    if (!snJson_Member(r->json, body, "color")) paint(r, out);
}

void snSceneLayered_Destroy(snSceneLayered *layered)
{
    if (layered && layered->made) snEditor_Destroy(&layered->editor);
}
