#include "asset/obj.h"

#include "asset/json_number.h"
#include "asset/obj_polygon.h"
#include "asset/obj_split.h"
#include "core/array.h"
#include "core/error.h"

#include <string.h>

#define MOST_MESHES 256 // what is beyond belongs to the first

// A corner of a face; -1 stands for an absent texture coordinate or normal.
typedef struct Corner {
    int position, uv, normal;
} Corner;

typedef struct Uv {
    float u, v;
} Uv;

// From some triangle on: an object or a group. Names are in the file's own bytes.
typedef struct Section {
    char kind; // 'o' or 'g'
    const char *name;
    size_t length;
    int first; // number in Model.triangles
} Section;

// What has been read so far. The first corner that uses a position owns the vertex of the same
// number. Corners that differ from the owner become further vertices; positions may still follow,
// so until the end further vertex k is noted as ~k.
typedef struct Model {
    SN_ARRAY(snVec3f) positions;
    SN_ARRAY(snVec3f) colors; // as many as positions where one has a colour, else none
    SN_ARRAY(Uv) uvs;
    SN_ARRAY(snVec3f) normals;
    SN_ARRAY(Corner) owners;  // [positions]; .position is -1 where no face came by yet
    SN_ARRAY(Corner) further; // the further vertices
    SN_ARRAY(int) table;      // hash table over `further`, a power of two long; -1: free
    SN_ARRAY(int) triangles;  // three vertices each
    SN_ARRAY(int) polygon;    // the face at hand: its vertices,
    SN_ARRAY(snVec3) outline; // their positions,
    SN_ARRAY(int) cut;        // and scratch for cutting it
    SN_ARRAY(Section) sections;
} Model;

// Reading goes by physical lines for messages and by logical lines for meaning: a backslash
// before a line's end joins it with the next one.
typedef struct Reader {
    const char *at, *end;
    int line;
    const snAllocator *allocator;
    snError *error;
    Model model;
} Reader;

static void freeModel(Model *model, const snAllocator *allocator)
{
    snArray_Free(allocator, &model->positions);
    snArray_Free(allocator, &model->colors);
    snArray_Free(allocator, &model->uvs);
    snArray_Free(allocator, &model->normals);
    snArray_Free(allocator, &model->owners);
    snArray_Free(allocator, &model->further);
    snArray_Free(allocator, &model->table);
    snArray_Free(allocator, &model->triangles);
    snArray_Free(allocator, &model->polygon);
    snArray_Free(allocator, &model->outline);
    snArray_Free(allocator, &model->cut);
    snArray_Free(allocator, &model->sections);
}

static bool isLineEnd(char c)
{
    return c == '\n' || c == '\r';
}

static bool isBlank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool joinsLines(const Reader *reader, const char *at)
{
    return *at == '\\' && at + 1 < reader->end && isLineEnd(at[1]);
}

// Steps over one line end of any kind: \n, \r\n or \r.
static void passLineEnd(Reader *reader)
{
    char first = *reader->at++;
    if (first == '\r' && reader->at < reader->end && *reader->at == '\n') reader->at++;
    reader->line++;
}

// Skips blanks and joined line ends; true when a word follows on this logical line.
static bool findWord(Reader *reader)
{
    while (reader->at < reader->end) {
        if (isBlank(*reader->at)) {
            reader->at++;
        } else if (joinsLines(reader, reader->at)) {
            reader->at++;
            passLineEnd(reader);
        } else {
            return !isLineEnd(*reader->at) && *reader->at != '#';
        }
    }
    return false;
}

static bool isWordEnd(const Reader *reader, const char *at)
{
    return at >= reader->end || isBlank(*at) || isLineEnd(*at) || joinsLines(reader, at);
}

static size_t wordLength(const Reader *reader)
{
    const char *at = reader->at;
    while (!isWordEnd(reader, at))
        at++;
    return (size_t)(at - reader->at);
}

static void skipLine(Reader *reader)
{
    while (reader->at < reader->end && !isLineEnd(*reader->at)) {
        bool joins = joinsLines(reader, reader->at);
        reader->at++;
        if (joins) passLineEnd(reader);
    }
    if (reader->at < reader->end) passLineEnd(reader);
}

static snStatus badWord(const Reader *reader, const char *wanted)
{
    size_t length = wordLength(reader);
    return snFail(reader->error, SN_ERROR_FORMAT, "line %d: \"%.*s\" is not %s", reader->line,
                  (int)(length < 40 ? length : 40), reader->at, wanted);
}

// Up to `count` numbers, of which the first `needed` must be there.
static snStatus readNumbers(Reader *reader, int count, int needed, float *numbers)
{
    for (int i = 0; i < count; i++) {
        if (!findWord(reader)) {
            if (i >= needed) return SN_OK;
            return snFail(reader->error, SN_ERROR_FORMAT, "line %d: has %d numbers, needs %d",
                          reader->line, i, needed);
        }
        double value = 0.0;
        size_t length = snParseNumber(reader->at, (size_t)(reader->end - reader->at), &value);
        if (length == 0 || !isWordEnd(reader, reader->at + length))
            return badWord(reader, "a number");
        if (!(fabs(value) <= 3.4028234e38)) return badWord(reader, "a number a float can hold");
        numbers[i] = (float)value;
        reader->at += length;
    }
    return SN_OK;
}

// Many programs write a colour, three numbers, behind a position. What else stands there is passed over.
// Positions before the first colour of a file, and those without one, are white.
static snStatus readColor(Reader *reader)
{
    Model *model = &reader->model;
    Reader look = *reader;
    float n[3] = {0};
    look.error = NULL;
    if (readNumbers(&look, 3, 3, n)) return SN_OK;
    const snVec3f white = {1, 1, 1}, given = {n[0], n[1], n[2]};
    while (model->colors.count < model->positions.count)
        if (!snArray_Push(reader->allocator, &model->colors, white))
            return snFailMemory(reader->error);
    return snArray_Push(reader->allocator, &model->colors, given) ? SN_OK
                                                                  : snFailMemory(reader->error);
}

static snStatus readPosition(Reader *reader)
{
    Model *model = &reader->model;
    float n[3] = {0};
    snStatus status = readNumbers(reader, 3, 3, n);
    if (!status) status = readColor(reader);
    if (status) return status;
    snVec3f position = {n[0], n[1], n[2]};
    Corner nobody = {-1, -1, -1};
    if (!snArray_Push(reader->allocator, &model->positions, position) ||
        !snArray_Push(reader->allocator, &model->owners, nobody))
        return snFailMemory(reader->error);
    return SN_OK;
}

static snStatus readUv(Reader *reader)
{
    float n[2] = {0};
    snStatus status = readNumbers(reader, 2, 1, n);
    if (status) return status;
    Uv uv = {n[0], 1.0f - n[1]}; // OBJ's v grows upwards, glTF's downwards
    if (!snArray_Push(reader->allocator, &reader->model.uvs, uv))
        return snFailMemory(reader->error);
    return SN_OK;
}

static snStatus readNormal(Reader *reader)
{
    float n[3] = {0};
    snStatus status = readNumbers(reader, 3, 3, n);
    if (status) return status;
    snVec3 normal = snVec((double)n[0], (double)n[1], (double)n[2]);
    snVec3f unit = snToF(snNormalizeOr(normal, snVec(0, 0, 0)));
    if (!snArray_Push(reader->allocator, &reader->model.normals, unit))
        return snFailMemory(reader->error);
    return SN_OK;
}

// A number as OBJ counts, from 1 on or backwards from -1, turned into an index. Returns where it
// ends, or NULL when there is no number; a number out of range gives index -1.
static const char *parseIndex(const char *at, const char *end, int count, int *index)
{
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (at >= end || *at < '0' || *at > '9') return NULL;
    int number = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        number = number > 214748363 ? 2147483647 : 10 * number + (*at - '0');
    bool inside = number >= 1 && number <= count;
    *index = !inside ? -1 : negative ? count - number : number - 1;
    return at;
}

// Reads one of a corner's indices from *at on and moves *at behind it.
static snStatus readIndex(const Reader *reader, const char **at, const char *what, int count,
                          int *index)
{
    *at = parseIndex(*at, reader->end, count, index);
    if (!*at) return badWord(reader, "a face corner like 1, 1/2, 1//3 or 1/2/3");
    if (*index >= 0) return SN_OK;
    size_t length = wordLength(reader);
    return snFail(
        reader->error, SN_ERROR_FORMAT,
        "line %d: face corner \"%.*s\" asks for a %s that is not there, %d came before it",
        reader->line, (int)(length < 40 ? length : 40), reader->at, what, count);
}

// v, v/vt, v//vn or v/vt/vn.
static snStatus readCorner(Reader *reader, Corner *corner)
{
    const Model *model = &reader->model;
    const char *at = reader->at;
    *corner = (Corner){-1, -1, -1};
    snStatus status = readIndex(reader, &at, "position", model->positions.count, &corner->position);
    if (!status && !isWordEnd(reader, at) && *at == '/') {
        at++;
        if (!isWordEnd(reader, at) && *at != '/')
            status = readIndex(reader, &at, "texture coordinate", model->uvs.count, &corner->uv);
    }
    if (!status && !isWordEnd(reader, at) && *at == '/') {
        at++;
        if (!isWordEnd(reader, at))
            status = readIndex(reader, &at, "normal", model->normals.count, &corner->normal);
    }
    if (status) return status;
    if (!isWordEnd(reader, at)) return badWord(reader, "a face corner like 1, 1/2, 1//3 or 1/2/3");
    reader->at = at;
    return SN_OK;
}

static bool sameCorner(Corner a, Corner b)
{
    return a.position == b.position && a.uv == b.uv && a.normal == b.normal;
}

static unsigned hashCorner(Corner c)
{
    unsigned h = (unsigned)c.position * 0x9E3779B1u;
    h = (h ^ (h >> 15) ^ (unsigned)c.uv) * 0x85EBCA77u;
    h = (h ^ (h >> 13) ^ (unsigned)c.normal) * 0xC2B2AE3Du;
    return h ^ (h >> 16);
}

// The place in the table that holds this corner, or the free one where it belongs.
static unsigned findPlace(const Model *model, Corner corner)
{
    unsigned mask = (unsigned)model->table.count - 1, place = hashCorner(corner) & mask;
    while (model->table.data[place] >= 0 &&
           !sameCorner(model->further.data[model->table.data[place]], corner))
        place = (place + 1) & mask;
    return place;
}

// Keeps the table at most half full.
static bool growTable(Model *model, const snAllocator *allocator)
{
    if (2 * (model->further.count + 1) <= model->table.count) return true;
    if (model->table.count > 0x20000000) return false;
    int size = model->table.count ? 2 * model->table.count : 1024;
    if (!snArray_Reserve(allocator, &model->table, size)) return false;
    model->table.count = size;
    for (int i = 0; i < size; i++)
        model->table.data[i] = -1;
    for (int k = 0; k < model->further.count; k++)
        model->table.data[findPlace(model, model->further.data[k])] = k;
    return true;
}

// The vertex of a corner: its position's own, or ~k for the further vertex k.
static snStatus joinCorner(Reader *reader, Corner corner, int *vertex)
{
    Model *model = &reader->model;
    Corner *owner = &model->owners.data[corner.position];
    if (owner->position < 0) *owner = corner;
    *vertex = corner.position;
    if (sameCorner(*owner, corner)) return SN_OK;
    if (!growTable(model, reader->allocator)) return snFailMemory(reader->error);
    unsigned place = findPlace(model, corner);
    if (model->table.data[place] < 0) {
        if (!snArray_Push(reader->allocator, &model->further, corner))
            return snFailMemory(reader->error);
        model->table.data[place] = model->further.count - 1;
    }
    *vertex = ~model->table.data[place];
    return SN_OK;
}

// Cuts the polygon at hand and appends its triangles.
static snStatus addTriangles(Reader *reader)
{
    Model *model = &reader->model;
    const snAllocator *allocator = reader->allocator;
    int count = model->polygon.count;
    if (count > 100000000) return snFailMemory(reader->error); // keeps 4 * count within an int
    if (!snArray_Reserve(allocator, &model->cut, 4 * count) ||
        model->triangles.count > 2147483647 - 3 * count ||
        !snArray_Reserve(allocator, &model->triangles, model->triangles.count + 3 * (count - 2)))
        return snFailMemory(reader->error);
    int *ring = model->cut.data, *triangles = model->cut.data + count;
    snCutPolygon(model->outline.data, count, ring, triangles);
    for (int i = 0; i < 3 * (count - 2); i++)
        model->triangles.data[model->triangles.count++] = model->polygon.data[triangles[i]];
    return SN_OK;
}

static snStatus readFace(Reader *reader)
{
    Model *model = &reader->model;
    int line = reader->line;
    model->polygon.count = model->outline.count = 0;
    while (findWord(reader)) {
        Corner corner;
        int vertex = 0;
        snStatus status = readCorner(reader, &corner);
        if (!status) status = joinCorner(reader, corner, &vertex);
        if (status) return status;
        snVec3 position = snFromF(model->positions.data[corner.position]);
        if (!snArray_Push(reader->allocator, &model->polygon, vertex) ||
            !snArray_Push(reader->allocator, &model->outline, position))
            return snFailMemory(reader->error);
    }
    if (model->polygon.count < 3)
        return snFail(reader->error, SN_ERROR_FORMAT,
                      "line %d: face has %d corners, needs at least 3", line, model->polygon.count);
    return addTriangles(reader);
}

static snStatus readSection(Reader *reader, char kind)
{
    Section section = {.kind = kind, .first = reader->model.triangles.count, .name = ""};
    if (findWord(reader)) {
        section.name = reader->at;
        section.length = wordLength(reader);
    }
    if (!snArray_Push(reader->allocator, &reader->model.sections, section))
        return snFailMemory(reader->error);
    return SN_OK;
}

static snStatus readObject(Reader *reader)
{
    return readSection(reader, 'o');
}

static snStatus readGroup(Reader *reader)
{
    return readSection(reader, 'g');
}

static snStatus readStatement(Reader *reader)
{
    const struct {
        const char *word;
        snStatus (*read)(Reader *);
    } statements[] = {{"v", readPosition}, {"vt", readUv},    {"vn", readNormal},
                      {"f", readFace},     {"o", readObject}, {"g", readGroup}};
    const char *word = reader->at;
    size_t length = wordLength(reader);
    reader->at += length;
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (strlen(statements[i].word) == length && !memcmp(word, statements[i].word, length))
            return statements[i].read(reader);
    return SN_OK;
}

static snStatus readAll(Reader *reader)
{
    while (reader->at < reader->end) {
        snStatus status = findWord(reader) ? readStatement(reader) : SN_OK;
        if (status) return status;
        skipLine(reader);
    }
    if (reader->model.triangles.count == 0)
        return snFail(reader->error, SN_ERROR_FORMAT,
                      "no faces in %d lines, so there is no surface; is this an OBJ file?",
                      reader->line);
    return SN_OK;
}

static void setColor(const Model *model, int position, float *out)
{
    bool known = position < model->colors.count;
    snVec3f color = known ? model->colors.data[position] : (snVec3f){1, 1, 1};
    out[0] = color.x;
    out[1] = color.y;
    out[2] = color.z;
    out[3] = 1;
}

static void fillVertices(const Model *model, snPart *part)
{
    for (int v = 0; v < part->vertexCount; v++) {
        int k = v - model->positions.count;
        Corner corner = k < 0 ? model->owners.data[v] : model->further.data[k];
        part->positions[v] = model->positions.data[k < 0 ? v : corner.position];
        if (part->uv && corner.uv >= 0) {
            part->uv[2 * (size_t)v] = model->uvs.data[corner.uv].u;
            part->uv[2 * (size_t)v + 1] = model->uvs.data[corner.uv].v;
        }
        if (part->colors)
            setColor(model, k < 0 ? v : corner.position, part->colors + 4 * (size_t)v);
        if (part->normals && corner.normal >= 0)
            part->normals[v] = model->normals.data[corner.normal];
    }
    for (int i = 0; i < 3 * part->triangleCount; i++) {
        int v = model->triangles.data[i];
        part->triangles[i] = v < 0 ? model->positions.count + ~v : v;
    }
}

static snStatus makePart(snArena *arena, const Model *model, snPart *part, snError *error)
{
    if (model->positions.count > 2147483647 - model->further.count) return snFailMemory(error);
    const char *name = "mesh";
    size_t nameLength = strlen(name);
    for (int i = model->sections.count - 1; i >= 0; i--)
        if (model->sections.data[i].length) {
            name = model->sections.data[i].name;
            nameLength = model->sections.data[i].length;
        }
    *part = (snPart){.skin = -1, .material = -1, .primitivesOfMesh = 1};
    part->vertexCount = model->positions.count + model->further.count;
    part->triangleCount = model->triangles.count / 3;
    part->name = snArena_CopyString(arena, name, nameLength);
    part->positions = SN_NEW(arena, snVec3f, part->vertexCount);
    part->triangles = SN_NEW(arena, int, model->triangles.count);
    if (model->uvs.count) part->uv = SN_NEW(arena, float, 2 * (size_t)part->vertexCount);
    if (model->normals.count) part->normals = SN_NEW(arena, snVec3f, part->vertexCount);
    if (model->colors.count) part->colors = SN_NEW(arena, float, 4 * (size_t)part->vertexCount);
    if (!part->name || !part->positions || !part->triangles || (model->uvs.count && !part->uv) ||
        (model->colors.count && !part->colors) || (model->normals.count && !part->normals))
        return snFailMemory(error);
    fillVertices(model, part);
    return SN_OK;
}

static snStatus makeCharacter(snCharacter *character, const Model *model, snError *error)
{
    snArena *arena = &character->arena;
    character->skeleton.joints = SN_NEW(arena, snJoint, 1);
    character->parts = SN_NEW(arena, snPart, 1);
    character->restMorphs = SN_NEW(arena, double, 0);
    if (!character->skeleton.joints || !character->parts || !character->restMorphs)
        return snFailMemory(error);
    snTransform rest = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    character->skeleton.joints[0] =
        (snJoint){.name = "root", .parent = -1, .rest = rest, .matrix = snIdentityAffine()};
    character->skeleton.jointCount = 1;
    snStatus status = makePart(arena, model, &character->parts[0], error);
    if (status) return status;
    character->partCount = 1;
    character->vertexCount = character->parts[0].vertexCount;
    character->triangleCount = character->parts[0].triangleCount;
    return SN_OK;
}

// ---- objects and groups ----

static bool sameName(const Section *a, const Section *b)
{
    return a->length == b->length && !memcmp(a->name, b->name, a->length);
}

// The meshes of a file: its objects, or its groups where there are no objects; those of one name are
// one. Faces before the first belong to it.
typedef struct Meshes {
    int count;
    const char **names; // [count]
    int *sectionOf;     // [triangles]
} Meshes;

static snStatus findMeshes(const Model *model, Meshes *meshes, snArena *names, snArena *scratch,
                           snError *error)
{
    int n = model->sections.count, triangles = model->triangles.count / 3, at = 0, last = 0;
    int *first = SN_NEW(scratch, int, n); // section of each mesh that has its name
    meshes->names = SN_NEW(scratch, const char *, n);
    meshes->sectionOf = SN_NEW(scratch, int, triangles);
    if (!first || !meshes->names || !meshes->sectionOf) return snFailMemory(error);
    char kind = 'g';
    for (int i = 0; i < n; i++)
        if (model->sections.data[i].kind == 'o') kind = 'o';
    for (int i = 0; i < n; i++) {
        const Section *section = &model->sections.data[i];
        if (section->kind != kind) continue;
        int found = 0;
        while (found < meshes->count && found < MOST_MESHES &&
               !sameName(section, &model->sections.data[first[found]]))
            found++;
        if (found == MOST_MESHES) found = 0;
        if (found == meshes->count) {
            first[found] = i;
            meshes->names[found] = snArena_CopyString(names, section->name, section->length);
            if (!meshes->names[found]) return snFailMemory(error);
            meshes->count++;
        }
        for (; at < section->first / 3; at++)
            meshes->sectionOf[at] = last;
        last = found;
    }
    for (; at < triangles; at++)
        meshes->sectionOf[at] = last;
    return SN_OK;
}

static snStatus splitMeshes(snCharacter *character, const Model *model, const snContext *context,
                            snError *error)
{
    snArena scratch = snMakeArena(context);
    Meshes meshes = {0};
    snStatus status = findMeshes(model, &meshes, &character->arena, &scratch, error);
    bool several = false;
    for (int t = 1; t < model->triangles.count / 3 && !status; t++)
        several |= meshes.sectionOf[t] != meshes.sectionOf[0];
    if (!status && several)
        status =
            snObj_Split(character, meshes.count, meshes.names, meshes.sectionOf, &scratch, error);
    snArena_Destroy(&scratch);
    return status;
}

snStatus snObj_Read(snCharacter *character, const void *bytes, size_t size,
                    const snContext *context, snError *error)
{
    *character = (snCharacter){.arena = snMakeArena(context)};
    Reader reader = {.at = bytes, .end = (const char *)bytes + size, .line = 1};
    reader.allocator = &context->allocator;
    reader.error = error;
    snStatus status = readAll(&reader);
    if (!status) status = makeCharacter(character, &reader.model, error);
    if (!status) status = splitMeshes(character, &reader.model, context, error);
    freeModel(&reader.model, &context->allocator);
    if (status) snCharacter_Destroy(character);
    return status;
}
