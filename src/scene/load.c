// Files that a scene names.
#include "core/text.h"
#include "scene/reader.h"

#include "asset/bvh.h"
#include "asset/json_number.h"
#include "asset/obj.h"
#include "asset/point_cache.h"
#include "body/lattice/lattice_file.h"

#include <string.h>

#define SHELL_DEPTH 0.05 // of the size: how far behind an open surface it still acts

typedef struct File {
    const char *name;
    const uint8_t *bytes;
    size_t size;
} File;

static File readFile(snReader *r, const snJsonNode *node, snArena *arena)
{
    File file = {0};
    if (r->status) return file;
    snReader_Take(r, snJson_AsString(r->json, node, r->arena, &file.name, r->error));
    if (!r->status && (!snReader_Source(r) || !snReader_Source(r)->read))
        snReader_Fail(r, node, "names a file, and there is no way to read files here");
    if (r->status) return file;
    snStatus status = snReader_Source(r)->read(snReader_Source(r)->user, file.name, arena,
                                               &file.bytes, &file.size, r->error);
    if (status && status != SN_ERROR_MEMORY) {
        char path[200];
        snJson_Path(r->json, node, path, sizeof path);
        snError_Prefix(r->error, "%s", path);
    }
    snReader_Take(r, status);
    return file;
}

static bool hasEnding(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n >= m && snSameLetters(name + n - m, ending);
}

static const char *const surfaceEndings[] = {".obj", ".glb", ".gltf", NULL};
static const char *const characterEndings[] = {".glb", ".gltf", NULL};
static const char *const clipEndings[] = {".bvh", ".glb", ".gltf", NULL};
static const char *const cacheEndings[] = {".pc2", ".mdd", NULL};

// A file with one of these endings; `kinds` tells which.
static File readKind(snReader *r, const snJsonNode *node, const char *const *endings,
                     const char *kinds, snArena *arena)
{
    File file = readFile(r, node, arena);
    bool known = false;
    for (int k = 0; endings[k] && !r->status; k++)
        known |= hasEnding(file.name, endings[k]);
    if (!known) snReader_Fail(r, node, "is \"%.60s\"; %s", file.name, kinds);
    return file;
}

static void prefixFile(snReader *r, const snJsonNode *node, const File *file)
{
    char path[200];
    if (!r->status || r->status == SN_ERROR_MEMORY) return;
    snJson_Path(r->json, node, path, sizeof path);
    snError_Prefix(r->error, "%s: %s", path, file->name);
}

void snReader_LoadText(snReader *r, const snJsonNode *node, const char **text, size_t *size)
{
    File file = readFile(r, node, r->arena);
    *text = (const char *)file.bytes;
    *size = file.size;
}

// ---- surfaces -----------------------------------------------------------------------------------

static snStatus parseCharacter(snReader *r, const File *file, snCharacter *character)
{
    if (hasEnding(file->name, ".obj"))
        return snObj_Read(character, file->bytes, file->size, r->context, r->error);
    snGltfSource source = {file->bytes, file->size, snReader_Source(r)->read,
                           snReader_Source(r)->user, snReader_Source(r)->unpack};
    return snGltf_Read(character, &source, r->context, r->error);
}

// All parts as they stand at rest, one after another.
static snStatus copySurface(snReader *r, const snCharacter *c, double scale, snMesh *mesh)
{
    snArena scratch = snMakeArena(r->context);
    snPose pose;
    snVec3 *positions = SN_NEW(r->arena, snVec3, c->vertexCount);
    int *triangles = SN_NEW(r->arena, int, (size_t)c->triangleCount * 3);
    snVec3f *drawn = SN_NEW(&scratch, snVec3f, c->vertexCount);
    snStatus status = positions && triangles && drawn ? SN_OK : snFailMemory(r->error);
    if (!status) status = snPose_Make(&pose, &c->skeleton, c->morphCount, &scratch, r->error);
    if (!status) {
        snPose_Globals(&pose, &c->skeleton);
        snCharacter_Surface(c, &pose, &r->context->tasks, drawn, NULL);
        for (int v = 0; v < c->vertexCount; v++)
            positions[v] = snScale(scale, snFromF(drawn[v]));
        int at = 0, first = 0;
        for (int p = 0; p < c->partCount; first += c->parts[p++].vertexCount)
            for (int k = 0; k < 3 * c->parts[p].triangleCount; k++)
                triangles[at++] = first + c->parts[p].triangles[k];
        *mesh = (snMesh){c->vertexCount, c->triangleCount, positions, triangles};
    }
    snArena_Destroy(&scratch);
    return status;
}

static bool isPlain(const snMaterialLook *look)
{
    bool plain = true;
    for (int k = 0; k < 4; k++)
        plain &= look->color[k] == 1;
    return plain;
}

// What the file paints its vertices with, times the colours of its materials; NULL: nothing.
static snStatus copyColors(snReader *r, const snCharacter *c, float **colors)
{
    bool any = false;
    for (int p = 0; p < c->partCount; p++) {
        int material = c->parts[p].material;
        any |= c->parts[p].colors != NULL;
        any |= material >= 0 && !isPlain(&c->materials[material]);
    }
    if (!any) return SN_OK;
    float *at = *colors = SN_NEW(r->arena, float, 4 * (size_t)c->vertexCount);
    if (!at) return snFailMemory(r->error);
    for (int p = 0; p < c->partCount; p++) {
        const snPart *part = &c->parts[p];
        for (int i = 0; i < 4 * part->vertexCount; i++) {
            float own = part->material >= 0 ? c->materials[part->material].color[i % 4] : 1;
            *at++ = (part->colors ? part->colors[i] : 1) * own;
        }
    }
    return SN_OK;
}

// `colors` may be NULL: they are not wanted.
static void loadSurface(snReader *r, const snJsonNode *node, double scale, snMesh *mesh,
                        float **colors)
{
    snArena scratch = snMakeArena(r->context);
    File file = readKind(r, node, surfaceEndings, "surfaces are .obj, .glb or .gltf", &scratch);
    snCharacter character;
    if (!r->status) {
        snReader_Take(r, parseCharacter(r, &file, &character));
        if (!r->status) {
            snReader_Take(r, copySurface(r, &character, scale, mesh));
            if (colors && !r->status) snReader_Take(r, copyColors(r, &character, colors));
            snCharacter_Destroy(&character);
        }
        prefixFile(r, node, &file);
    }
    snArena_Destroy(&scratch);
}

// What the surface is welded into, its tree and its inside.
static snStatus findInside(snReader *r, snSceneBody *body)
{
    snWeld weld;
    snStatus status = snMesh_Weld(&weld, &body->mesh, 0, r->arena, r->error);
    body->weldOf = weld.weldOf;
    if (!status) status = snMeshTree_Build(&body->tree, &weld.mesh, r->arena, r->error);
    if (!status) status = snWinding_Make(&body->winding, &body->tree, r->arena, r->error);
    return status;
}

void snReader_FindInside(snReader *r, snSceneBody *body)
{
    if (!r->status) snReader_Take(r, findInside(r, body));
}

void snReader_LoadMesh(snReader *r, const snJsonNode *node, double scale, snSceneBody *body)
{
    if (r->status) return;
    loadSurface(r, node, scale, &body->mesh, &body->colors);
    if (r->status) return;
    if (!body->mesh.triangleCount) snReader_Fail(r, node, "has no triangle");
    for (int v = 0; v < body->mesh.vertexCount && !r->status; v++)
        if (!snIsFinite3(body->mesh.positions[v]))
            snReader_Fail(r, node, "vertex %d is not finite", v);
    snReader_FindInside(r, body);
}

void snReader_LoadShell(snReader *r, const snJsonNode *node, double scale, snShell **shell)
{
    snMesh mesh = {0};
    if (r->status) return;
    loadSurface(r, node, scale, &mesh, NULL);
    if (r->status) return;
    snBox box = snMesh_Bounds(&mesh);
    snReader_Take(r, snShell_Make(shell, &mesh, SHELL_DEPTH * snDistance(box.lower, box.upper),
                                  r->arena, r->error));
}

// ---- characters ---------------------------------------------------------------------------------

void snReader_LoadCharacter(snReader *r, const snJsonNode *node, snSceneCharacter *c,
                            float **colors)
{
    snArena scratch = snMakeArena(r->context);
    File file = readKind(r, node, characterEndings, "characters are .glb or .gltf", &scratch);
    if (!r->status) {
        snReader_Take(r, parseCharacter(r, &file, &c->character));
        if (!r->status) snReader_Take(r, copyColors(r, &c->character, colors));
        prefixFile(r, node, &file);
    }
    snArena_Destroy(&scratch);
}

void snReader_LoadClips(snReader *r, const snJsonNode *node, snCharacter *character)
{
    snArena scratch = snMakeArena(r->context);
    File file = readKind(r, node, clipEndings, "clips are from .bvh, .glb or .gltf", &scratch);
    bool capture = !r->status && hasEnding(file.name, ".bvh");
    if (!r->status) {
        snReader_Take(r, capture
                             ? snBvh_Read(character, file.bytes, file.size, r->context, r->error)
                             : parseCharacter(r, &file, character));
        prefixFile(r, node, &file);
    }
    snArena_Destroy(&scratch);
}

void snReader_LoadPlayed(snReader *r, const snJsonNode *node, snCharacter *character)
{
    snArena scratch = snMakeArena(r->context);
    File file = readKind(r, node, surfaceEndings, "surfaces are .obj, .glb or .gltf", &scratch);
    if (!r->status) {
        snReader_Take(r, parseCharacter(r, &file, character));
        prefixFile(r, node, &file);
    }
    snArena_Destroy(&scratch);
}

void snReader_LoadCache(snReader *r, const snJsonNode *node, double frameRate,
                        snPointSamples *samples)
{
    snArena scratch = snMakeArena(r->context);
    File file = readKind(r, node, cacheEndings, "point caches are .pc2 or .mdd", &scratch);
    if (!r->status) {
        snReader_Take(
            r, snPointCache_Read(samples, file.bytes, file.size, frameRate, r->arena, r->error));
        prefixFile(r, node, &file);
    }
    snArena_Destroy(&scratch);
}

void snReader_LoadRig(snReader *r, const snJsonNode *node, snSceneCharacter *c)
{
    snArena scratch = snMakeArena(r->context);
    File file = readFile(r, node, &scratch);
    if (!r->status) {
        c->rigName = file.name;
        snReader_Take(r, snRigFile_Read(&c->rig, (const char *)file.bytes, file.size,
                                        &c->character.skeleton, &c->flesh, r->context, r->error));
        c->hasRig = !r->status;
        prefixFile(r, node, &file);
    }
    snArena_Destroy(&scratch);
}

// ---- lattices -----------------------------------------------------------------------------------

void snReader_LoadLattice(snReader *r, const snJsonNode *node, snLattice *lattice)
{
    snArena scratch = snMakeArena(r->context);
    File file = readFile(r, node, &scratch);
    const snSkeleton none = {0};
    snJson json;
    bool strict;
    if (!r->status) {
        snReader_Take(r,
                      snJson_Parse(&json, (const char *)file.bytes, file.size, &scratch, r->error));
        if (!r->status) {
            const snJsonNode *section = snJson_Member(&json, json.root, "lattice");
            snReader_Take(r,
                          snLattice_ReadJson(lattice, &strict, &json, section ? section : json.root,
                                             &none, r->arena, r->context, r->error));
        }
        prefixFile(r, node, &file);
    }
    snArena_Destroy(&scratch);
}

// ---- numbers ------------------------------------------------------------------------------------

typedef struct Numbers {
    snReader *r;
    const snJsonNode *node; // the file's name
    const snNumbersDef *def;
    int count;
    double *values;
} Numbers;

// A number with or without a unit, of [size] characters; where it stands is for the message.
static void takeNumber(Numbers *n, const char *text, size_t size, const char *where, int number)
{
    const snNumbersDef *def = n->def;
    char word[64];
    double value = 0;
    bool bare = true, fits = size < sizeof word;
    if (fits) memcpy(word, text, size);
    word[fits ? size : 0] = 0;
    if (!fits || !snParseQuantity(word, def->range.quantity, &value, &bare)) {
        snReader_Fail(n->r, n->node, "%s %d: \"%.*s\" is no number", where, number,
                      size < 40 ? (int)size : 40, text);
        return;
    }
    if (bare) value *= def->times;
    if (!(value >= def->range.low && value <= def->range.high))
        snReader_Fail(n->r, n->node, "%s %d: is %g; it must be from %g to %g", where, number, value,
                      def->range.low, def->range.high);
    n->values[n->count++] = value;
}

// The list itself, or the member "values" of an object.
static void takeList(Numbers *n, const File *file, snArena *scratch)
{
    snReader *r = n->r;
    snJson json;
    snReader_Take(r, snJson_Parse(&json, (const char *)file->bytes, file->size, scratch, r->error));
    prefixFile(r, n->node, file);
    if (r->status) return;
    const snJsonNode *list = json.root;
    if (list->kind == SN_JSON_OBJECT) list = snJson_Member(&json, list, "values");
    if (!list || list->kind != SN_JSON_ARRAY) {
        snReader_Fail(r, n->node, "has no list of numbers, nor an object with \"values\"");
        return;
    }
    n->values = SN_NEW(r->arena, double, snJson_Count(list));
    if (!n->values) snReader_Take(r, snFailMemory(r->error));
    for (int i = 0; i < snJson_Count(list) && !r->status; i++) {
        const snJsonNode *item = snJson_At(&json, list, i);
        const char *text = NULL;
        double value = 0;
        if (item->kind == SN_JSON_STRING)
            snReader_Take(r, snJson_AsString(&json, item, scratch, &text, r->error));
        else
            snReader_Take(r, snJson_AsDouble(&json, item, &value, r->error));
        prefixFile(r, n->node, file);
        char word[SN_NUMBER_CHARS] = "";
        if (!r->status && !text) snFormatDouble(word, value);
        if (!r->status) takeNumber(n, text ? text : word, strlen(text ? text : word), "number", i);
    }
}

// The cell of a line in a column, without blanks and quotes; false: it has none.
static bool cellOf(const char *line, const char *end, int column, const char **text, size_t *size)
{
    for (int k = 0; k < column; k++) {
        while (line < end && *line != ',' && *line != ';' && *line != '\t')
            line++;
        if (line++ >= end) return false;
    }
    const char *stop = line;
    while (stop < end && *stop != ',' && *stop != ';' && *stop != '\t')
        stop++;
    while (line < stop && (*line == ' ' || *line == '"'))
        line++;
    while (stop > line && (stop[-1] == ' ' || stop[-1] == '"' || stop[-1] == '\r'))
        stop--;
    *text = line;
    *size = (size_t)(stop - line);
    return true;
}

// Which column has a name in the first line; -1: none.
static int findColumn(const char *line, const char *end, const char *name)
{
    const char *text;
    size_t size;
    for (int k = 0; cellOf(line, end, k, &text, &size); k++)
        if (size == strlen(name) && !strncmp(text, name, size)) return k;
    return -1;
}

// Whether a line begins with a name instead of a number.
static bool isHeading(const char *line, const char *end)
{
    const char *text;
    size_t size;
    double value;
    return cellOf(line, end, 0, &text, &size) && size > 0 && !snParseNumber(text, size, &value);
}

static void takeTable(Numbers *n, const File *file)
{
    const char *at = (const char *)file->bytes, *end = at + file->size;
    int lines = 1, column = 0;
    for (size_t k = 0; k < file->size; k++)
        lines += file->bytes[k] == '\n';
    n->values = SN_NEW(n->r->arena, double, lines);
    if (!n->values) snReader_Take(n->r, snFailMemory(n->r->error));
    for (int number = 1; at < end && !n->r->status; number++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *text;
        size_t size;
        if (!stop) stop = end;
        if (number == 1 && n->def->column && (column = findColumn(at, stop, n->def->column)) < 0)
            snReader_Fail(n->r, n->node, "its first line names no column \"%.40s\"",
                          n->def->column);
        bool heading = number == 1 && isHeading(at, stop);
        bool cell = !n->r->status && cellOf(at, stop, column, &text, &size);
        if (!heading && cell && size > 0) takeNumber(n, text, size, "line", number);
        at = stop + 1;
    }
}

void snReader_LoadNumbers(snReader *r, const snJsonNode *node, const snNumbersDef *def, int *count,
                          double **values)
{
    snArena scratch = snMakeArena(r->context);
    File file = readFile(r, node, &scratch);
    Numbers n = {.r = r, .node = node, .def = def};
    if (!r->status) {
        if (hasEnding(file.name, ".json"))
            takeList(&n, &file, &scratch);
        else if (hasEnding(file.name, ".csv"))
            takeTable(&n, &file);
        else
            snReader_Fail(r, node, "is \"%.60s\"; numbers come from .csv or .json", file.name);
    }
    snArena_Destroy(&scratch);
    *count = n.count;
    *values = n.values;
}
