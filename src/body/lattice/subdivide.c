#include "body/lattice/subdivide.h"

#include "core/error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// An edge or face of a cell, by its sorted vertices; equal keys are one feature of the lattice.
typedef struct Feature {
    int key[SN_FACE_CORNERS]; // unused places are -1
    int cell, local;
} Feature;

static int compareFeatures(const void *a, const void *b)
{
    const Feature *x = a, *y = b;
    for (int k = 0; k < SN_FACE_CORNERS; k++)
        if (x->key[k] != y->key[k]) return x->key[k] < y->key[k] ? -1 : 1;
    if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
    return (x->local > y->local) - (x->local < y->local);
}

static void sortKey(int *key, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && key[j - 1] > key[j]; j--) {
            int swap = key[j];
            key[j] = key[j - 1];
            key[j - 1] = swap;
        }
}

// What one step of subdivision needs to know of the coarse lattice.
typedef struct Step {
    const snLattice *coarse;
    const snWeightRows *rows;
    Feature *edges, *faces;
    int edgeTotal, faceTotal; // with repetitions
    int edgeCount, faceCount; // distinct
    int *edgeOf, *faceOf;     // [cells * 12], [cells * 6] -> distinct number
} Step;

static int collectFeatures(Feature *list, const snLattice *lattice, bool faces)
{
    int count = 0;
    for (int c = 0; c < lattice->cellCount; c++) {
        const snCellShape *shape = snCellShape_Of(snLattice_Kind(lattice, c));
        const int *corners = snLattice_Corners(lattice, c);
        int n = faces ? shape->faces : shape->edges;
        for (int f = 0; f < n; f++) {
            Feature feature = {.key = {-1, -1, -1, -1}, .cell = c, .local = f};
            int size = !faces ? 2 : shape->face[f][3] < 0 ? 3 : 4;
            for (int k = 0; k < size; k++)
                feature.key[k] = corners[faces ? shape->face[f][k] : shape->edge[f][k]];
            sortKey(feature.key, size);
            list[count++] = feature;
        }
    }
    qsort(list, (size_t)count, sizeof *list, compareFeatures);
    return count;
}

// Numbers the distinct keys; numberOf[cell * stride + local] and list[number] (compacted).
static int numberFeatures(Feature *list, int total, int *numberOf, int stride)
{
    int count = 0;
    for (int i = 0; i < total; i++) {
        bool repeated = count > 0 && !memcmp(list[count - 1].key, list[i].key, sizeof list[i].key);
        numberOf[list[i].cell * stride + list[i].local] = repeated ? count - 1 : count;
        if (!repeated) list[count++] = list[i];
    }
    return count;
}

static snStatus makeStep(Step *step, snArena *scratch, snError *error)
{
    const snLattice *coarse = step->coarse;
    size_t cells = (size_t)coarse->cellCount;
    step->edges = SN_NEW(scratch, Feature, cells * 12);
    step->faces = SN_NEW(scratch, Feature, cells * 6);
    step->edgeOf = SN_NEW(scratch, int, cells * 12);
    step->faceOf = SN_NEW(scratch, int, cells * 6);
    if (!step->edges || !step->faces || !step->edgeOf || !step->faceOf) return snFailMemory(error);
    step->edgeTotal = collectFeatures(step->edges, coarse, false);
    step->faceTotal = collectFeatures(step->faces, coarse, true);
    step->edgeCount = numberFeatures(step->edges, step->edgeTotal, step->edgeOf, 12);
    step->faceCount = numberFeatures(step->faces, step->faceTotal, step->faceOf, 6);
    return SN_OK;
}

// Appends the mean of the given coarse vertices' rows as a new row; entries are kept ascending.
static void appendMeanRow(snWeightRows *out, int row, const snWeightRows *in, const int *vertices,
                          int count)
{
    int begin = out->start[row], end = begin;
    double share = 1.0 / count;
    for (int k = 0; k < count; k++) {
        for (int i = in->start[vertices[k]]; i < in->start[vertices[k] + 1]; i++) {
            int at = begin;
            while (at < end && out->column[at] < in->column[i])
                at++;
            if (at == end || out->column[at] != in->column[i]) {
                for (int j = end++; j > at; j--) {
                    out->column[j] = out->column[j - 1];
                    out->weight[j] = out->weight[j - 1];
                }
                out->column[at] = in->column[i];
                out->weight[at] = 0;
            }
            out->weight[at] += share * in->weight[i];
        }
    }
    out->start[row + 1] = end;
}

static void placeVertex(snFineLattice *fine, int row, const Step *step, const int *vertices,
                        int count)
{
    int at = fine->sourceStart[row];
    for (int k = 0; k < count; k++)
        fine->source[at++] = vertices[k];
    fine->sourceStart[row + 1] = at;
    snVec3 sum = {0, 0, 0};
    for (int k = 0; k < count; k++)
        sum = snAdd(sum, step->coarse->rest[vertices[k]]);
    fine->lattice.rest[row] = snScale(1.0 / count, sum);
    appendMeanRow(&fine->rows, row, step->rows, vertices, count);
}

// The coarse vertices are the first of the fine lattice, with the sources that they have.
static void copyVertices(snFineLattice *fine, const snFineLattice *from)
{
    const snLattice *coarse = &from->lattice;
    for (int v = 0; v < coarse->vertexCount; v++) {
        fine->lattice.joint[v] = coarse->joint[v];
        fine->lattice.rest[v] = coarse->rest[v];
        fine->sourceStart[v + 1] = from->sourceStart[v + 1];
        appendMeanRow(&fine->rows, v, &from->rows, &v, 1);
    }
    for (int k = 0; k < from->sourceStart[coarse->vertexCount]; k++)
        fine->source[k] = from->source[k];
}

// Vertices of the fine lattice in order: coarse vertices, edges, faces, cells.
static void placeVertices(snFineLattice *fine, const snFineLattice *from, const Step *step)
{
    const snLattice *coarse = step->coarse;
    int row = coarse->vertexCount;
    copyVertices(fine, from);
    for (int e = 0; e < step->edgeCount; e++)
        placeVertex(fine, row++, step, step->edges[e].key, 2);
    for (int f = 0; f < step->faceCount; f++)
        placeVertex(fine, row++, step, step->faces[f].key, step->faces[f].key[3] < 0 ? 3 : 4);
    for (int c = 0; c < coarse->cellCount; c++)
        placeVertex(fine, row++, step, snLattice_Corners(coarse, c),
                    (int)snLattice_Kind(coarse, c));
}

static int localEdge(const snCellShape *shape, int a, int b)
{
    for (int e = 0; e < shape->edges; e++)
        if ((shape->edge[e][0] == a && shape->edge[e][1] == b) ||
            (shape->edge[e][0] == b && shape->edge[e][1] == a))
            return e;
    return -1;
}

// The face of the cell that holds corners a, b and c.
static int localFace(const snCellShape *shape, int a, int b, int c)
{
    for (int f = 0; f < shape->faces; f++) {
        int found = 0;
        for (int k = 0; k < SN_FACE_CORNERS; k++)
            found += shape->face[f][k] == a || shape->face[f][k] == b || shape->face[f][k] == c;
        if (found == 3) return f;
    }
    return -1;
}

// Corner v with neighbours n0, n1, n2 becomes the hexahedron v, mid(v n0), face(v n0 n1),
// mid(v n1), and above it mid(v n2), face(v n0 n2), centroid, face(v n1 n2).
static void makeHexes(snFineLattice *fine, const Step *step, const int *coarseParent)
{
    const snLattice *coarse = step->coarse;
    int firstEdge = coarse->vertexCount, firstFace = firstEdge + step->edgeCount;
    int firstCell = firstFace + step->faceCount, hex = 0;
    for (int c = 0; c < coarse->cellCount; c++) {
        const snCellShape *shape = snCellShape_Of(snLattice_Kind(coarse, c));
        const int *edgeOf = step->edgeOf + c * 12, *faceOf = step->faceOf + c * 6;
        for (int v = 0; v < shape->corners; v++, hex++) {
            const int *n = shape->neighbour[v];
            int *out = fine->lattice.corners + hex * 8;
            out[0] = snLattice_Corners(coarse, c)[v];
            out[1] = firstEdge + edgeOf[localEdge(shape, v, n[0])];
            out[3] = firstEdge + edgeOf[localEdge(shape, v, n[1])];
            out[4] = firstEdge + edgeOf[localEdge(shape, v, n[2])];
            out[2] = firstFace + faceOf[localFace(shape, v, n[0], n[1])];
            out[5] = firstFace + faceOf[localFace(shape, v, n[0], n[2])];
            out[7] = firstFace + faceOf[localFace(shape, v, n[1], n[2])];
            out[6] = firstCell + c;
            fine->parent[hex] = coarseParent[c];
            fine->lattice.cellStart[hex + 1] = (hex + 1) * 8;
        }
    }
}

// Room for the vertices of the fine lattice and its hexahedra.
static snStatus allocFine(snFineLattice *fine, const snFineLattice *from, const Step *step,
                          snArena *arena, snError *error)
{
    const snLattice *coarse = &from->lattice;
    int vertices = coarse->vertexCount + step->edgeCount + step->faceCount + coarse->cellCount;
    int hexes = coarse->cellStart[coarse->cellCount];
    snStatus status = snLattice_Alloc(&fine->lattice, vertices, hexes, hexes * 8, arena, error);
    // A fine vertex lies in one cell of the first lattice, so it has at most 8 weights.
    if (!status)
        status = snWeightRows_Make(&fine->rows, vertices, from->rows.columns,
                                   (size_t)vertices * SN_CELL_CORNERS, arena, error);
    size_t sources = (size_t)from->sourceStart[coarse->vertexCount] + (size_t)step->edgeCount * 2 +
                     (size_t)step->faceCount * SN_FACE_CORNERS + (size_t)hexes;
    fine->parent = SN_NEW(arena, int, hexes);
    fine->sourceStart = SN_NEW(arena, int, vertices + 1);
    fine->source = SN_NEW(arena, int, sources);
    fine->levelVertices = from->levelVertices;
    if (!status && (!fine->parent || !fine->sourceStart || !fine->source))
        status = snFailMemory(error);
    return status;
}

static snStatus subdivideOnce(snFineLattice *fine, const snFineLattice *coarse, snArena *arena,
                              const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    Step step = {.coarse = &coarse->lattice, .rows = &coarse->rows};
    snStatus status = makeStep(&step, &scratch, error);
    if (status) goto done;
    int64_t vertices = (int64_t)step.coarse->vertexCount + step.edgeCount + step.faceCount +
                       step.coarse->cellCount;
    int hexes = step.coarse->cellStart[step.coarse->cellCount];
    if (vertices > INT_MAX / 16 || hexes > INT_MAX / 16) {
        status = snFail(error, SN_ERROR_ARGUMENT,
                        "the lattice would have %lld vertices at this level; choose a lower one",
                        (long long)vertices);
        goto done;
    }
    status = allocFine(fine, coarse, &step, arena, error);
    if (status) goto done;
    placeVertices(fine, coarse, &step);
    makeHexes(fine, &step, coarse->parent);
done:
    snArena_Destroy(&scratch);
    return status;
}

static snStatus levelZero(snFineLattice *fine, const snLattice *lattice, int levels, snArena *arena,
                          snError *error)
{
    fine->lattice = *lattice;
    snStatus status = snWeightRows_Identity(&fine->rows, lattice->vertexCount, arena, error);
    fine->parent = SN_NEW(arena, int, lattice->cellCount);
    fine->sourceStart = SN_NEW(arena, int, lattice->vertexCount + 1);
    fine->source = SN_NEW(arena, int, 0);
    fine->levelVertices = SN_NEW(arena, int, levels + 1);
    if (status || !fine->parent || !fine->sourceStart || !fine->source || !fine->levelVertices)
        return snFailMemory(error);
    fine->levelVertices[0] = lattice->vertexCount;
    for (int c = 0; c < lattice->cellCount; c++)
        fine->parent[c] = c;
    return SN_OK;
}

snStatus snSubdivide(snFineLattice *fine, const snLattice *lattice, int level, snArena *arena,
                     const snContext *context, snError *error)
{
    snStatus status = levelZero(fine, lattice, level < 0 ? 0 : level, arena, error);
    for (int k = 0; k < level && !status; k++) {
        snFineLattice next = {0};
        status = subdivideOnce(&next, fine, arena, context, error);
        *fine = next;
        if (!status) fine->levelVertices[k + 1] = fine->lattice.vertexCount;
    }
    return status;
}

int snSplitCell(const snLattice *lattice, int cell, int tets[SN_CELL_TETS][4])
{
    const snCellShape *shape = snCellShape_Of(snLattice_Kind(lattice, cell));
    const int *corners = snLattice_Corners(lattice, cell);
    int apex = corners[0], count = 0;
    for (int c = 1; c < shape->corners; c++)
        if (corners[c] < apex) apex = corners[c];
    for (int f = 0; f < shape->faces; f++) {
        int n = shape->face[f][3] < 0 ? 3 : 4, v[SN_FACE_CORNERS], first = 0;
        bool holdsApex = false;
        for (int k = 0; k < n; k++) {
            v[k] = corners[shape->face[f][k]];
            holdsApex |= v[k] == apex;
            if (v[k] < v[first]) first = k;
        }
        if (holdsApex) continue;
        for (int k = 1; k + 1 < n; k++, count++) { // a fan; the face looks away from the apex
            tets[count][0] = apex;
            tets[count][1] = v[first];
            tets[count][2] = v[(first + k) % n];
            tets[count][3] = v[(first + k + 1) % n];
        }
    }
    return count;
}

snStatus snSplitCells(snTetCut *cut, const snLattice *lattice, const int *parent, snArena *arena,
                      snError *error)
{
    size_t most = (size_t)lattice->cellCount * SN_CELL_TETS;
    *cut = (snTetCut){.tets = snArena_Alloc(arena, sizeof *cut->tets, most),
                      .cell = SN_NEW(arena, int, most)};
    if (!cut->tets || !cut->cell) return snFailMemory(error);
    for (int c = 0; c < lattice->cellCount; c++) {
        int n = snSplitCell(lattice, c, cut->tets + cut->count);
        for (int k = 0; k < n; k++)
            cut->cell[cut->count++] = parent[c];
    }
    return SN_OK;
}
