#include "body/lattice/lattice_file.h"

#include "body/lattice/complex.h"
#include "character/rules.h"
#include "core/suggest.h"

#include <string.h>

#define MOST 20000000 // vertices or cells

// ---- reading --------------------------------------------------------------------------------------

static snStatus readVertices(snLattice *lattice, const snJson *json, const snJsonNode *list,
                             snError *error)
{
    for (int v = 0; v < lattice->vertexCount; v++) {
        const snJsonNode *point = snJson_At(json, list, v);
        double x[3];
        if (point->kind != SN_JSON_ARRAY || snJson_Count(point) != 3)
            return snJson_Fail(json, point, error, SN_ERROR_FORMAT,
                               "a vertex is a list of three numbers");
        for (int k = 0; k < 3; k++) {
            snStatus status = snJson_AsDouble(json, snJson_At(json, point, k), &x[k], error);
            if (status) return status;
        }
        lattice->rest[v] = snVec(x[0], x[1], x[2]);
    }
    return SN_OK;
}

static snStatus countCorners(int *corners, const snJson *json, const snJsonNode *list,
                             snError *error)
{
    *corners = 0;
    for (int c = 0; c < snJson_Count(list); c++) {
        const snJsonNode *cell = snJson_At(json, list, c);
        int n = snJson_Count(cell);
        if (cell->kind != SN_JSON_ARRAY || (n != SN_TET && n != SN_PRISM && n != SN_HEX))
            return snJson_Fail(
                json, cell, error, SN_ERROR_FORMAT,
                "a cell is a list of 4, 6 or 8 vertex numbers: a tetrahedron, a prism "
                "or a hexahedron");
        *corners += n;
    }
    return SN_OK;
}

static snStatus readCells(snLattice *lattice, const snJson *json, const snJsonNode *list,
                          snError *error)
{
    int at = 0;
    for (int c = 0; c < lattice->cellCount; c++) {
        const snJsonNode *cell = snJson_At(json, list, c);
        for (int k = 0; k < snJson_Count(cell); k++) {
            snStatus status =
                snJson_AsInt(json, snJson_At(json, cell, k), 0, lattice->vertexCount - 1,
                             &lattice->corners[at++], error);
            if (status) return status;
        }
        lattice->cellStart[c + 1] = at;
    }
    return SN_OK;
}

// A joint by its label (snSkeleton_Label).
static snStatus findJoint(const snSkeleton *skeleton, const char *label, const snJson *json,
                          const snJsonNode *node, int *joint, snArena *arena, snError *error)
{
    const char **names = SN_NEW(arena, const char *, skeleton->jointCount + 1);
    char text[SN_JOINT_LABEL];
    int found = 0;
    if (!names) return snFailMemory(error);
    for (int j = 0; j < skeleton->jointCount; j++) {
        names[j] = skeleton->joints[j].name;
        bool named = *label && !strcmp(names[j], label);
        if (named || !strcmp(snSkeleton_Label(skeleton, j, text), label)) *joint = j, found++;
    }
    if (found == 1) return SN_OK;
    if (found)
        return snJson_Fail(json, node, error, SN_ERROR_FORMAT,
                           "%d joints have this name; write the number of one, like \"#%d\"", found,
                           *joint);
    const char *guess = snSuggest(label, names, skeleton->jointCount);
    return snJson_Fail(json, node, error, SN_ERROR_FORMAT,
                       "the character has no joint \"%s\"%s%s%s", label,
                       guess ? "; did you mean \"" : "", guess ? guess : "", guess ? "\"?" : "");
}

static snStatus readJoints(snLattice *lattice, const snJson *json, const snJsonNode *map,
                           const snSkeleton *skeleton, snArena *arena, snError *error)
{
    for (int i = 0; i < snJson_Count(map); i++) {
        const snJsonNode *list = snJson_At(json, map, i);
        const char *label = snJson_Key(json, list, arena);
        int joint = -1, vertex = 0;
        if (!label) return snFailMemory(error);
        snStatus status = findJoint(skeleton, label, json, list, &joint, arena, error);
        if (!status && list->kind != SN_JSON_ARRAY)
            status = snJson_Fail(json, list, error, SN_ERROR_FORMAT,
                                 "the vertices of a joint are a list of numbers");
        for (int k = 0; k < snJson_Count(list) && !status; k++) {
            const snJsonNode *number = snJson_At(json, list, k);
            status = snJson_AsInt(json, number, 0, lattice->vertexCount - 1, &vertex, error);
            if (!status && lattice->joint[vertex] >= 0 && lattice->joint[vertex] != joint)
                status = snJson_Fail(json, number, error, SN_ERROR_FORMAT,
                                     "vertex %d is on the bone of joint \"%s\" already", vertex,
                                     skeleton->joints[lattice->joint[vertex]].name);
            if (!status) lattice->joint[vertex] = joint;
        }
        if (status) return status;
    }
    return SN_OK;
}

// "joints": {} means none, which is hardly ever meant.
static snStatus checkLed(const snLattice *lattice, const snJson *json, const snJsonNode *map,
                         snError *error)
{
    for (int v = 0; v < lattice->vertexCount; v++)
        if (lattice->joint[v] >= 0) return SN_OK;
    return snJson_Fail(json, map, error, SN_ERROR_FORMAT,
                       "no vertex is on a bone, so none would follow the rig; leave \"joints\" out "
                       "to have those on bones found (\"strict\": false lets it be)");
}

// A list of lists of vertex numbers, `least` to `most` of them each; places that are not filled
// are -1.
static snStatus readTuples(int *out, int least, int most, const snJson *json,
                           const snJsonNode *list, int vertices, snError *error)
{
    for (int i = 0; i < snJson_Count(list); i++) {
        const snJsonNode *tuple = snJson_At(json, list, i);
        int n = snJson_Count(tuple);
        if (tuple->kind != SN_JSON_ARRAY || n < least || n > most)
            return snJson_Fail(json, tuple, error, SN_ERROR_FORMAT,
                               least == most ? "a sharp edge is a list of two vertex numbers"
                                             : "a sharp face is a list of 3 or 4 vertex numbers");
        for (int k = 0; k < most; k++) {
            out[i * most + k] = -1;
            if (k >= n) continue;
            snStatus status = snJson_AsInt(json, snJson_At(json, tuple, k), 0, vertices - 1,
                                           &out[i * most + k], error);
            if (status) return status;
        }
    }
    return SN_OK;
}

static snStatus readSharp(snLattice *lattice, const snJson *json, const snJsonNode *node,
                          snArena *arena, snError *error)
{
    static const char *const keys[] = {"edges", "corners", "faces"};
    const snJsonNode *list[3] = {NULL, NULL, NULL};
    int vertices = lattice->vertexCount;
    snStatus status = snJson_CheckKeys(json, node, keys, 3, error);
    for (int k = 0; k < 3 && !status; k++)
        status = snJson_ReadNode(json, node, keys[k], SN_JSON_ARRAY, &list[k], error);
    if (status) return status;
    snSharp *sharp = SN_NEW(arena, snSharp, 1);
    if (!sharp) return snFailMemory(error);
    sharp->edgeCount = snJson_Count(list[0]);
    sharp->cornerCount = snJson_Count(list[1]);
    sharp->faceCount = snJson_Count(list[2]);
    sharp->edge = snArena_Alloc(arena, sizeof *sharp->edge, (size_t)sharp->edgeCount);
    sharp->corner = SN_NEW(arena, int, sharp->cornerCount);
    sharp->face = snArena_Alloc(arena, sizeof *sharp->face, (size_t)sharp->faceCount);
    if (!sharp->edge || !sharp->corner || !sharp->face) return snFailMemory(error);
    status = readTuples((int *)sharp->edge, 2, 2, json, list[0], vertices, error);
    for (int i = 0; i < sharp->cornerCount && !status; i++)
        status = snJson_AsInt(json, snJson_At(json, list[1], i), 0, vertices - 1, &sharp->corner[i],
                              error);
    if (!status)
        status = readTuples((int *)sharp->face, 3, SN_FACE_CORNERS, json, list[2], vertices, error);
    lattice->sharp = sharp;
    return status;
}

snStatus snLattice_ReadJson(snLattice *lattice, bool *strict, const snJson *json,
                            const snJsonNode *node, const snSkeleton *skeleton, snArena *arena,
                            const snContext *context, snError *error)
{
    static const char *const keys[] = {"vertices", "cells", "joints", "sharp", "strict"};
    const snJsonNode *vertices, *cells, *joints, *sharp;
    int corners;
    *strict = true;
    snStatus status = snJson_CheckKeys(json, node, keys, 5, error);
    if (!status) status = snJson_Require(json, node, "vertices", error);
    if (!status) status = snJson_Require(json, node, "cells", error);
    if (!status) status = snJson_ReadBool(json, node, "strict", strict, error);
    if (!status) status = snJson_ReadNode(json, node, "vertices", SN_JSON_ARRAY, &vertices, error);
    if (!status) status = snJson_ReadNode(json, node, "cells", SN_JSON_ARRAY, &cells, error);
    if (!status) status = snJson_ReadNode(json, node, "joints", SN_JSON_OBJECT, &joints, error);
    if (!status) status = snJson_ReadNode(json, node, "sharp", SN_JSON_OBJECT, &sharp, error);
    if (!status) status = countCorners(&corners, json, cells, error);
    if (status) return status;
    if (!snJson_Count(cells))
        return snJson_Fail(json, cells, error, SN_ERROR_GEOMETRY, "there is no cell");
    if (snJson_Count(vertices) > MOST || snJson_Count(cells) > MOST)
        return snJson_Fail(json, node, error, SN_ERROR_UNSUPPORTED,
                           "more than %d vertices or cells", MOST);
    status = snLattice_Alloc(lattice, snJson_Count(vertices), snJson_Count(cells), corners, arena,
                             error);
    if (!status) status = readVertices(lattice, json, vertices, error);
    if (!status) status = readCells(lattice, json, cells, error);
    if (!status) status = readJoints(lattice, json, joints, skeleton, arena, error);
    lattice->decided = joints != NULL;
    if (!status && joints && *strict) status = checkLed(lattice, json, joints, error);
    if (!status && sharp) status = readSharp(lattice, json, sharp, arena, error);
    if (!status) status = snLattice_Check(lattice, context, error);
    if (!status) status = snLattice_CheckSharp(lattice, context, error);
    return status;
}

// ---- writing --------------------------------------------------------------------------------------

static void writeJoints(const snLattice *lattice, const snSkeleton *skeleton, snJsonWriter *w)
{
    char text[SN_JOINT_LABEL];
    snJsonWriter_Key(w, "joints");
    snJsonWriter_BeginObject(w);
    for (int j = 0; j < skeleton->jointCount; j++) {
        bool begun = false;
        for (int v = 0; v < lattice->vertexCount; v++) {
            if (lattice->joint[v] != j) continue;
            if (!begun) {
                snJsonWriter_Key(w, snSkeleton_Label(skeleton, j, text));
                snJsonWriter_BeginLine(w);
                begun = true;
            }
            snJsonWriter_Int(w, v);
        }
        if (begun) snJsonWriter_EndArray(w);
    }
    snJsonWriter_EndObject(w);
}

static void writeTuples(const char *key, const int *tuples, int count, int size, snJsonWriter *w)
{
    if (!count) return;
    snJsonWriter_Key(w, key);
    snJsonWriter_BeginArray(w);
    for (int i = 0; i < count; i++) {
        snJsonWriter_BeginLine(w);
        for (int k = 0; k < size; k++)
            if (tuples[i * size + k] >= 0) snJsonWriter_Int(w, tuples[i * size + k]);
        snJsonWriter_EndArray(w);
    }
    snJsonWriter_EndArray(w);
}

static void writeSharp(const snSharp *sharp, snJsonWriter *w)
{
    snJsonWriter_Key(w, "sharp");
    snJsonWriter_BeginObject(w);
    writeTuples("edges", (const int *)sharp->edge, sharp->edgeCount, 2, w);
    if (sharp->cornerCount) {
        snJsonWriter_Key(w, "corners");
        snJsonWriter_BeginLine(w);
        for (int i = 0; i < sharp->cornerCount; i++)
            snJsonWriter_Int(w, sharp->corner[i]);
        snJsonWriter_EndArray(w);
    }
    writeTuples("faces", (const int *)sharp->face, sharp->faceCount, SN_FACE_CORNERS, w);
    snJsonWriter_EndObject(w);
}

void snLattice_WriteJson(const snLattice *lattice, bool strict, const snSkeleton *skeleton,
                         snJsonWriter *w)
{
    snJsonWriter_BeginObject(w);
    if (!strict) snJsonWriter_PutBool(w, "strict", false);
    snJsonWriter_Key(w, "vertices");
    snJsonWriter_BeginArray(w);
    for (int v = 0; v < lattice->vertexCount; v++) {
        snJsonWriter_BeginLine(w);
        snJsonWriter_Double(w, lattice->rest[v].x);
        snJsonWriter_Double(w, lattice->rest[v].y);
        snJsonWriter_Double(w, lattice->rest[v].z);
        snJsonWriter_EndArray(w);
    }
    snJsonWriter_EndArray(w);
    snJsonWriter_Key(w, "cells");
    snJsonWriter_BeginArray(w);
    for (int c = 0; c < lattice->cellCount; c++) {
        snJsonWriter_BeginLine(w);
        for (int k = lattice->cellStart[c]; k < lattice->cellStart[c + 1]; k++)
            snJsonWriter_Int(w, lattice->corners[k]);
        snJsonWriter_EndArray(w);
    }
    snJsonWriter_EndArray(w);
    writeJoints(lattice, skeleton, w);
    if (lattice->sharp) writeSharp(lattice->sharp, w);
    snJsonWriter_EndObject(w);
}
