#include "body/lattice/lattice.h"

#include "core/array.h"
#include "core/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const snCellShape tetShape = {
    .corners = 4,
    .faces = 4,
    .edges = 6,
    .face = {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {0, 3, 2, -1}},
    .edge = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}},
    .neighbour = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}},
};

static const snCellShape prismShape = {
    .corners = 6,
    .faces = 5,
    .edges = 9,
    .face = {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}},
    .edge = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}},
    .neighbour = {{1, 2, 3}, {2, 0, 4}, {0, 1, 5}, {5, 4, 0}, {3, 5, 1}, {4, 3, 2}},
};

static const snCellShape hexShape = {
    .corners = 8,
    .faces = 6,
    .edges = 12,
    .face = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}},
    .edge = {{0, 1},
             {1, 2},
             {2, 3},
             {3, 0},
             {4, 5},
             {5, 6},
             {6, 7},
             {7, 4},
             {0, 4},
             {1, 5},
             {2, 6},
             {3, 7}},
    .neighbour =
        {{1, 3, 4}, {2, 0, 5}, {3, 1, 6}, {0, 2, 7}, {7, 5, 0}, {4, 6, 1}, {5, 7, 2}, {6, 4, 3}},
};

const snCellShape *snCellShape_Of(snCellKind kind)
{
    switch (kind) {
    case SN_TET:
        return &tetShape;
    case SN_PRISM:
        return &prismShape;
    case SN_HEX:
        return &hexShape;
    }
    return NULL;
}

snStatus snLattice_Alloc(snLattice *lattice, int vertexCount, int cellCount, int cornerCount,
                         snArena *arena, snError *error)
{
    *lattice = (snLattice){.vertexCount = vertexCount, .cellCount = cellCount};
    lattice->rest = SN_NEW(arena, snVec3, vertexCount);
    lattice->joint = SN_NEW(arena, int, vertexCount);
    lattice->cellStart = SN_NEW(arena, int, cellCount + 1);
    lattice->corners = SN_NEW(arena, int, cornerCount);
    if (!lattice->rest || !lattice->joint || !lattice->cellStart || !lattice->corners)
        return snFailMemory(error);
    for (int v = 0; v < vertexCount; v++)
        lattice->joint[v] = -1;
    return SN_OK;
}

snStatus snLattice_CopySharp(snLattice *lattice, const snSharp *sharp, snArena *arena,
                             snError *error)
{
    lattice->sharp = NULL;
    if (!sharp) return SN_OK;
    snSharp *copy = SN_COPY(arena, snSharp, sharp, 1);
    if (!copy) return snFailMemory(error);
    copy->edge = snArena_Copy(arena, sharp->edge, sizeof *copy->edge, (size_t)sharp->edgeCount);
    copy->corner = SN_COPY(arena, int, sharp->corner, sharp->cornerCount);
    copy->face = snArena_Copy(arena, sharp->face, sizeof *copy->face, (size_t)sharp->faceCount);
    lattice->sharp = copy;
    return copy->edge && copy->corner && copy->face ? SN_OK : snFailMemory(error);
}

snStatus snLattice_Copy(snLattice *copy, const snLattice *lattice, snArena *arena, snError *error)
{
    int cells = lattice->cellCount, corners = lattice->cellStart[cells];
    snStatus status = snLattice_Alloc(copy, lattice->vertexCount, cells, corners, arena, error);
    if (status) return status;
    size_t vertices = (size_t)lattice->vertexCount;
    memcpy(copy->rest, lattice->rest, vertices * sizeof *copy->rest);
    if (lattice->joint) memcpy(copy->joint, lattice->joint, vertices * sizeof *copy->joint);
    memcpy(copy->cellStart, lattice->cellStart, ((size_t)cells + 1) * sizeof *copy->cellStart);
    memcpy(copy->corners, lattice->corners, (size_t)corners * sizeof *copy->corners);
    copy->decided = lattice->decided;
    return snLattice_CopySharp(copy, lattice->sharp, arena, error);
}

// Jacobian determinant at a corner: the volume spanned by its three edges.
static double cornerJacobian(const snLattice *lattice, int cell, int corner, double *edgeProduct)
{
    const snCellShape *shape = snCellShape_Of(snLattice_Kind(lattice, cell));
    const int *corners = snLattice_Corners(lattice, cell);
    snVec3 at = lattice->rest[corners[corner]], edge[3];
    for (int k = 0; k < 3; k++)
        edge[k] = snSub(lattice->rest[corners[shape->neighbour[corner][k]]], at);
    *edgeProduct = snLength(edge[0]) * snLength(edge[1]) * snLength(edge[2]);
    return snDot(snCross(edge[0], edge[1]), edge[2]);
}

double snLattice_Quality(const snLattice *lattice, int cell)
{
    snCellKind kind = snLattice_Kind(lattice, cell);
    // The regular tet's three edges at a corner span 1/sqrt(2) of a cube, the prism's sqrt(3)/2.
    double regular = kind == SN_TET     ? 0.70710678118654752
                     : kind == SN_PRISM ? 0.86602540378443865
                                        : 1;
    double worst = 1e300;
    for (int c = 0; c < (int)kind; c++) {
        double product, jacobian = cornerJacobian(lattice, cell, c, &product);
        double quality = product > 0 ? jacobian / (product * regular) : 0;
        if (quality < worst) worst = quality;
    }
    return worst;
}

// By the divergence theorem, V = 1/3 sum over faces of (face point . face area vector); a
// quadrilateral is taken as its four triangles round the centroid.
double snLattice_Volume(const snLattice *lattice, int cell)
{
    const snCellShape *shape = snCellShape_Of(snLattice_Kind(lattice, cell));
    const int *corners = snLattice_Corners(lattice, cell);
    snVec3 base = lattice->rest[corners[0]]; // near the cell, against cancellation
    double volume = 0;
    for (int f = 0; f < shape->faces; f++) {
        int n = shape->face[f][3] < 0 ? 3 : 4;
        snVec3 p[SN_FACE_CORNERS], centroid = {0, 0, 0};
        for (int k = 0; k < n; k++) {
            p[k] = snSub(lattice->rest[corners[shape->face[f][k]]], base);
            centroid = snMulAdd(centroid, 1.0 / n, p[k]);
        }
        for (int k = 0; k < n; k++)
            volume += snDot(centroid, snCross(p[k], p[(k + 1) % n])) / 6.0;
    }
    return volume;
}

static snStatus checkCell(const snLattice *lattice, int cell, snError *error)
{
    int start = lattice->cellStart[cell], kind = lattice->cellStart[cell + 1] - start;
    if (kind != SN_TET && kind != SN_PRISM && kind != SN_HEX)
        return snFail(error, SN_ERROR_GEOMETRY,
                      "lattice.cells[%d]: it has %d corners; a cell has 4, 6 or 8", cell, kind);
    for (int c = 0; c < kind; c++) {
        int v = lattice->corners[start + c];
        if (v < 0 || v >= lattice->vertexCount)
            return snFail(error, SN_ERROR_GEOMETRY,
                          "lattice.cells[%d]: it names vertex %d; there are %d vertices", cell, v,
                          lattice->vertexCount);
        for (int d = 0; d < c; d++)
            if (lattice->corners[start + d] == v)
                return snFail(error, SN_ERROR_GEOMETRY, "lattice.cells[%d]: it has vertex %d twice",
                              cell, v);
    }
    for (int c = 0; c < kind; c++) {
        double product, jacobian = cornerJacobian(lattice, cell, c, &product);
        if (!(jacobian > 0))
            return snFail(error, SN_ERROR_GEOMETRY,
                          "lattice.cells[%d]: flat or inverted at corner %d (vertex %d)", cell, c,
                          lattice->corners[start + c]);
    }
    return SN_OK;
}

typedef struct FaceRecord {
    int key[SN_FACE_CORNERS]; // sorted vertices; -1 first for triangles
    int turn;                 // +1 or -1: the order round, as seen from the cell
    int cell;
} FaceRecord;

static int compareFaces(const void *a, const void *b)
{
    const FaceRecord *x = a, *y = b;
    for (int k = 0; k < SN_FACE_CORNERS; k++)
        if (x->key[k] != y->key[k]) return x->key[k] < y->key[k] ? -1 : 1;
    return (x->cell > y->cell) - (x->cell < y->cell);
}

// The face's vertices sorted, and whether walking them from the smallest goes to the smaller
// (+1) or the larger (-1) of its two neighbours: opposite for two cells that share the face.
static FaceRecord makeFace(const snLattice *lattice, int cell, const int *face)
{
    const int *corners = snLattice_Corners(lattice, cell);
    int n = face[3] < 0 ? 3 : 4, v[SN_FACE_CORNERS], smallest = 0;
    FaceRecord record = {.key = {-1, -1, -1, -1}, .cell = cell};
    for (int k = 0; k < n; k++) {
        v[k] = corners[face[k]];
        if (v[k] < v[smallest]) smallest = k;
    }
    record.turn = v[(smallest + 1) % n] < v[(smallest + n - 1) % n] ? 1 : -1;
    for (int k = 0; k < n; k++) { // insertion sort behind the -1 of a triangle
        int at = k + SN_FACE_CORNERS - n;
        while (at > SN_FACE_CORNERS - n && record.key[at - 1] > v[k]) {
            record.key[at] = record.key[at - 1];
            at--;
        }
        record.key[at] = v[k];
    }
    return record;
}

static bool sameFace(const FaceRecord *a, const FaceRecord *b)
{
    for (int k = 0; k < SN_FACE_CORNERS; k++)
        if (a->key[k] != b->key[k]) return false;
    return true;
}

static void nameFace(const FaceRecord *face, char *text, size_t size)
{
    const int *v = face->key;
    if (v[0] < 0)
        snprintf(text, size, "%d, %d, %d", v[1], v[2], v[3]);
    else
        snprintf(text, size, "%d, %d, %d, %d", v[0], v[1], v[2], v[3]);
}

// A triangle of one cell on half of another's quadrilateral: cells must meet in whole faces.
static snStatus checkHalves(const FaceRecord *faces, int count, snError *error)
{
    for (int i = 0; i < count; i++) {
        if (faces[i].key[0] < 0) continue;
        for (int left = 0; left < SN_FACE_CORNERS; left++) {
            FaceRecord half = {.key = {-1, 0, 0, 0}, .cell = -1};
            for (int k = 0, at = 1; k < SN_FACE_CORNERS; k++)
                if (k != left) half.key[at++] = faces[i].key[k];
            int low = 0, high = count; // the first face not before it
            while (low < high) {
                int middle = (low + high) / 2;
                if (compareFaces(&faces[middle], &half) < 0)
                    low = middle + 1;
                else
                    high = middle;
            }
            if (low == count || !sameFace(&faces[low], &half)) continue;
            char text[80];
            nameFace(&faces[low], text, sizeof text);
            return snFail(error, SN_ERROR_GEOMETRY,
                          "lattice.cells[%d]: its face of vertices %s is half a face of cell %d; "
                          "cells must meet in whole faces",
                          faces[low].cell, text, faces[i].cell);
        }
    }
    return SN_OK;
}

// Copies of one cell, at the same places with other vertices: they may stand on one face.
static bool areCopies(const snLattice *lattice, int a, int b)
{
    int n = (int)snLattice_Kind(lattice, a), different = 0;
    if ((int)snLattice_Kind(lattice, b) != n) return false;
    for (int k = 0; k < n; k++) {
        int v = snLattice_Corners(lattice, a)[k], w = snLattice_Corners(lattice, b)[k];
        snVec3 p = lattice->rest[v], q = lattice->rest[w];
        if (p.x != q.x || p.y != q.y || p.z != q.z) return false;
        different += v != w;
    }
    return different > 0;
}

// Of the cells that stand on one face those on the same side must be copies of each other.
static snStatus checkFace(const snLattice *lattice, const FaceRecord *faces, int count,
                          snError *error)
{
    int strangers[3] = {faces[0].cell, -1, -1}, found = 1, apart = -1;
    for (int i = 1; i < count; i++) {
        bool copy = false;
        for (int j = 0; j < i; j++)
            copy = copy || areCopies(lattice, faces[j].cell, faces[i].cell);
        if (!copy && found < 3) strangers[found++] = faces[i].cell;
        for (int j = 0; j < i; j++)
            if (faces[j].turn == faces[i].turn && !areCopies(lattice, faces[j].cell, faces[i].cell))
                apart = i;
    }
    char text[80];
    nameFace(faces, text, sizeof text);
    if (found > 2)
        return snFail(error, SN_ERROR_GEOMETRY,
                      "lattice.cells[%d]: cells %d, %d and %d share the face of vertices %s; two "
                      "at most may",
                      strangers[2], strangers[0], strangers[1], strangers[2], text);
    if (apart < 0) return SN_OK;
    return snFail(error, SN_ERROR_GEOMETRY,
                  "lattice.cells[%d]: it lies on the same side of the face of vertices %s as "
                  "cell %d",
                  faces[apart].cell, text, faces[apart - 1].cell);
}

static snStatus checkFaces(const snLattice *lattice, FaceRecord *faces, int count, snError *error)
{
    snStatus status = SN_OK;
    qsort(faces, (size_t)count, sizeof *faces, compareFaces);
    for (int i = 0, end; i < count && !status; i = end) {
        for (end = i + 1; end < count && sameFace(&faces[i], &faces[end]);)
            end++;
        status = checkFace(lattice, faces + i, end - i, error);
    }
    return status;
}

snStatus snLattice_Check(const snLattice *lattice, const snContext *context, snError *error)
{
    for (int v = 0; v < lattice->vertexCount; v++)
        if (!snIsFinite3(lattice->rest[v]))
            return snFail(error, SN_ERROR_GEOMETRY,
                          "lattice.vertices[%d]: it is not a finite point", v);
    int faceCount = 0;
    for (int c = 0; c < lattice->cellCount; c++) {
        snStatus status = checkCell(lattice, c, error);
        if (status) return status;
        faceCount += snCellShape_Of(snLattice_Kind(lattice, c))->faces;
    }
    snArena scratch = snMakeArena(context);
    FaceRecord *faces = SN_NEW(&scratch, FaceRecord, faceCount);
    if (!faces) return snFailMemory(error);
    int count = 0;
    for (int c = 0; c < lattice->cellCount; c++) {
        const snCellShape *shape = snCellShape_Of(snLattice_Kind(lattice, c));
        for (int f = 0; f < shape->faces; f++)
            faces[count++] = makeFace(lattice, c, shape->face[f]);
    }
    snStatus status = checkFaces(lattice, faces, count, error);
    if (!status) status = checkHalves(faces, count, error);
    snArena_Destroy(&scratch);
    return status;
}

typedef struct OnBone {
    double along; // 0 at the head, 1 at the tail
    int vertex;
} OnBone;

static int compareOnBone(const void *a, const void *b)
{
    const OnBone *x = a, *y = b;
    if (x->along != y->along) return x->along < y->along ? -1 : 1;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

static bool hasEdge(const snLattice *lattice, int a, int b)
{
    for (int c = 0; c < lattice->cellCount; c++) {
        const snCellShape *shape = snCellShape_Of(snLattice_Kind(lattice, c));
        const int *corners = snLattice_Corners(lattice, c);
        for (int e = 0; e < shape->edges; e++) {
            int x = corners[shape->edge[e][0]], y = corners[shape->edge[e][1]];
            if ((x == a && y == b) || (x == b && y == a)) return true;
        }
    }
    return false;
}

static int missingOnBone(const snLattice *lattice, const snBone *bone, double tolerance,
                         OnBone *list)
{
    snVec3 axis = snSub(bone->tail, bone->head);
    double lengthSquared = snLengthSquared(axis);
    if (!(lengthSquared > tolerance * tolerance)) return 0;
    int count = 0, missing = 0;
    for (int v = 0; v < lattice->vertexCount; v++) {
        if (lattice->joint[v] < 0) continue;
        double t = snDot(snSub(lattice->rest[v], bone->head), axis) / lengthSquared;
        if (t < -1e-9 || t > 1 + 1e-9) continue;
        snVec3 foot = snMulAdd(bone->head, t, axis);
        if (snDistance(foot, lattice->rest[v]) <= tolerance) list[count++] = (OnBone){t, v};
    }
    qsort(list, (size_t)count, sizeof *list, compareOnBone);
    for (int i = 0; i + 1 < count; i++)
        missing += !hasEdge(lattice, list[i].vertex, list[i + 1].vertex);
    return missing;
}

int snLattice_MissingBoneEdges(const snLattice *lattice, const snBone *bones, int boneCount,
                               double tolerance, const snContext *context)
{
    snArena scratch = snMakeArena(context);
    OnBone *list = SN_NEW(&scratch, OnBone, lattice->vertexCount);
    int missing = 0;
    for (int b = 0; list && b < boneCount; b++)
        missing += missingOnBone(lattice, &bones[b], tolerance, list);
    snArena_Destroy(&scratch);
    return list ? missing : -1;
}
