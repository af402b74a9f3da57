// The surface of a lattice: faces that one cell alone has, and the smooth surface of its limit with
// creases.
#include "scenes.h"

#include "body/lattice/nodes.h"
#include "core/error.h"

#include <stdlib.h>
#include <string.h>

typedef struct Face {
    int key[SN_FACE_CORNERS]; // sorted
    int corner[SN_FACE_CORNERS];
    int cell, order;
} Face;

static int compareInts(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int compareKeys(const Face *x, const Face *y)
{
    for (int k = 0; k < SN_FACE_CORNERS; k++)
        if (x->key[k] != y->key[k]) return x->key[k] < y->key[k] ? -1 : 1;
    return 0;
}

static int compareFaces(const void *a, const void *b)
{
    const Face *x = a, *y = b;
    int by = compareKeys(x, y);
    return by ? by : (x->order > y->order) - (x->order < y->order);
}

static int compareOrder(const void *a, const void *b)
{
    const Face *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

static int listFaces(const snLattice *lattice, Face *faces)
{
    int count = 0;
    for (int c = 0; c < lattice->cellCount; c++) {
        const snCellShape *shape = snCellShape_Of(snLattice_Kind(lattice, c));
        for (int f = 0; f < shape->faces; f++, count++) {
            faces[count].cell = c;
            faces[count].order = count;
            for (int k = 0; k < SN_FACE_CORNERS; k++) {
                int corner = shape->face[f][k];
                int vertex = corner < 0 ? -1 : snLattice_Corners(lattice, c)[corner];
                faces[count].corner[k] = faces[count].key[k] = vertex;
            }
            qsort(faces[count].key, SN_FACE_CORNERS, sizeof(int), compareInts);
        }
    }
    return count;
}

// Sorts and leaves those that are there once.
static int keepSingle(Face *faces, int count)
{
    int kept = 0;
    qsort(faces, (size_t)count, sizeof *faces, compareFaces);
    for (int i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && !compareKeys(&faces[i], &faces[next]);)
            next++;
        if (next == i + 1) faces[kept++] = faces[i];
    }
    qsort(faces, (size_t)kept, sizeof *faces, compareOrder);
    return kept;
}

snStatus snBorder_Find(snBorder *border, const snLattice *lattice, snArena *arena, snError *error)
{
    Face *faces = SN_NEW(arena, Face, (size_t)lattice->cellCount * 6);
    if (!faces) return snFailMemory(error);
    border->faceCount = keepSingle(faces, listFaces(lattice, faces));
    border->face = snArena_Alloc(arena, sizeof *border->face, (size_t)border->faceCount);
    border->cell = SN_NEW(arena, int, border->faceCount);
    if (!border->face || !border->cell) return snFailMemory(error);
    for (int f = 0; f < border->faceCount; f++) {
        memcpy(border->face[f], faces[f].corner, sizeof border->face[f]);
        border->cell[f] = faces[f].cell;
    }
    return SN_OK;
}

// ---- the limit's surface ----------------------------------------------------------------------------

// One side of an edge of the surface: its ends, lower number first, and where they are among the
// corners of the faces.
typedef struct Side {
    int low, high;
    int atLow, atHigh;
} Side;

static int compareSides(const void *a, const void *b)
{
    const Side *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->atLow > y->atLow) - (x->atLow < y->atLow);
}

static int compareEdges(const void *a, const void *b)
{
    const int *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

typedef struct Sheet {
    snBorder border;
    int *group; // [faceCount * 4], corners that are one vertex: the lowest of them
    int creaseCount;
    int (*crease)[2]; // sorted
} Sheet;

static int groupOf(const Sheet *sheet, int corner)
{
    while (sheet->group[corner] != corner)
        corner = sheet->group[corner];
    return corner;
}

static void join(Sheet *sheet, int a, int b)
{
    a = groupOf(sheet, a), b = groupOf(sheet, b);
    if (a < b) sheet->group[b] = a;
    if (b < a) sheet->group[a] = b;
}

static snStatus sortCreases(Sheet *sheet, const snSharp *sharp, snArena *arena, snError *error)
{
    sheet->creaseCount = sharp ? sharp->edgeCount : 0;
    sheet->crease = snArena_Alloc(arena, sizeof *sheet->crease, (size_t)sheet->creaseCount);
    if (!sheet->crease) return snFailMemory(error);
    for (int e = 0; e < sheet->creaseCount; e++) {
        int a = sharp->edge[e][0], b = sharp->edge[e][1];
        sheet->crease[e][0] = a < b ? a : b;
        sheet->crease[e][1] = a < b ? b : a;
    }
    if (sheet->creaseCount)
        qsort(sheet->crease, (size_t)sheet->creaseCount, sizeof *sheet->crease, compareEdges);
    return SN_OK;
}

static bool isCrease(const Sheet *sheet, const Side *side)
{
    int key[2] = {side->low, side->high};
    return sheet->creaseCount && bsearch(key, sheet->crease, (size_t)sheet->creaseCount,
                                         sizeof *sheet->crease, compareEdges);
}

// Corners of a vertex are one where the faces meet in an edge that is no crease.
static snStatus joinCorners(Sheet *sheet, snArena *arena, snError *error)
{
    int count = 4 * sheet->border.faceCount;
    Side *sides = SN_NEW(arena, Side, count);
    sheet->group = SN_NEW(arena, int, count);
    if (!sides || !sheet->group) return snFailMemory(error);
    for (int i = 0; i < count; i++) {
        int next = i - i % 4 + (i + 1) % 4;
        int a = sheet->border.face[i / 4][i % 4], b = sheet->border.face[next / 4][next % 4];
        sheet->group[i] = i;
        sides[i] = a < b ? (Side){a, b, i, next} : (Side){b, a, next, i};
    }
    qsort(sides, (size_t)count, sizeof *sides, compareSides);
    for (int i = 1; i < count; i++) {
        const Side *x = &sides[i - 1], *y = &sides[i];
        if (x->low != y->low || x->high != y->high || isCrease(sheet, x)) continue;
        join(sheet, x->atLow, y->atLow);
        join(sheet, x->atHigh, y->atHigh);
    }
    return SN_OK;
}

static snStatus makeMesh(snModel *model, const Sheet *sheet, const snLattice *fine, snArena *arena,
                         snError *error)
{
    int corners = 4 * sheet->border.faceCount, count = 0;
    int *number = SN_NEW(arena, int, corners);
    snVec3 *positions = SN_NEW(arena, snVec3, corners), *normals = SN_NEW(arena, snVec3, corners);
    int *triangles = SN_NEW(arena, int, 6 * (size_t)sheet->border.faceCount);
    model->normals = SN_NEW(arena, snVec3f, corners);
    if (!number || !positions || !normals || !triangles || !model->normals)
        return snFailMemory(error);
    for (int i = 0; i < corners; i++) {
        int group = groupOf(sheet, i); // not behind i
        if (group == i) {
            positions[count] = fine->rest[sheet->border.face[i / 4][i % 4]];
            number[i] = count++;
        }
        number[i] = number[group];
    }
    for (int f = 0; f < sheet->border.faceCount; f++)
        for (int k = 0; k < 6; k++)
            triangles[6 * f + k] = number[4 * f + (const int[]){0, 1, 2, 0, 2, 3}[k]];
    model->surface = (snMesh){count, 2 * sheet->border.faceCount, positions, triangles};
    snMesh_Normals(&model->surface, normals);
    for (int v = 0; v < count; v++)
        model->normals[v] = snToF(normals[v]);
    return SN_OK;
}

snStatus snBorder_Surface(snModel *model, snScheme scheme, const snLattice *lattice, int levels,
                          snArena *arena, const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    snNodesDef def = {.scheme = scheme, .lattice = lattice, .nodeLevel = levels};
    snNodes nodes;
    Sheet sheet = {0};
    snStatus status = snNodes_Make(&nodes, &def, &scratch, context, error);
    if (!status) status = snBorder_Find(&sheet.border, &nodes.lattice, &scratch, error);
    if (!status) status = sortCreases(&sheet, nodes.lattice.sharp, &scratch, error);
    if (!status) status = joinCorners(&sheet, &scratch, error);
    if (!status) status = makeMesh(model, &sheet, &nodes.lattice, arena, error);
    snArena_Destroy(&scratch);
    return status;
}
