#include "body/lattice/scheme_patch.h"

#include "core/error.h"

#include <stdlib.h>
#include <string.h>

// ---- hosts ----------------------------------------------------------------------------------------

snStatus snPatchHost_Make(snPatchHost *host, const snLattice *lattice, snArena *arena,
                          snError *error)
{
    int n = lattice->vertexCount;
    static const snSharp none = {.edgeCount = 0};
    const snSharp *sharp = lattice->sharp ? lattice->sharp : &none;
    *host = (snPatchHost){.lattice = lattice,
                          .corner = SN_NEW(arena, bool, n),
                          .number = SN_NEW(arena, int, n),
                          .visited = SN_NEW(arena, int, lattice->cellCount)};
    if (!host->corner || !host->number || !host->visited) return snFailMemory(error);
    snStatus status =
        snLists_Make(&host->cells, lattice->corners, lattice->cellCount, 8, n, arena, error);
    if (!status)
        status = snLists_Make(&host->edges, sharp->edgeCount ? sharp->edge[0] : NULL,
                              sharp->edgeCount, 2, n, arena, error);
    if (!status)
        status = snLists_Make(&host->faces, sharp->faceCount ? sharp->face[0] : NULL,
                              sharp->faceCount, SN_FACE_CORNERS, n, arena, error);
    for (int i = 0; i < sharp->cornerCount && !status; i++)
        host->corner[sharp->corner[i]] = true;
    for (int v = 0; v < n && !status; v++)
        host->number[v] = -1;
    for (int c = 0; c < lattice->cellCount && !status; c++)
        host->visited[c] = -1;
    return status;
}

// ---- cutting --------------------------------------------------------------------------------------

// A patch in the making: cells in the order in which they are reached over faces from the middle, their
// corners by bits turned as the middle's are, vertices in the order in which cells bring them.
typedef struct Cutting {
    snPatchHost *host;
    snArena *scratch;
    int cellCount, vertexCount, tagCount[3];
    int *cell, (*corner)[8];                           // [cells], in the host; corners by bits
    int *vertex;                                       // [vertices], in the host
    int (*edge)[2], (*face)[SN_FACE_CORNERS], *tagged; // local numbers
} Cutting;

static void enterCell(Cutting *cut, int cell, const int corner[8])
{
    snPatchHost *host = cut->host;
    host->visited[cell] = cut->cellCount;
    cut->cell[cut->cellCount] = cell;
    memcpy(cut->corner[cut->cellCount++], corner, 8 * sizeof(int));
    for (int k = 0; k < 8; k++) { // in the order of corners
        int v = corner[snHexBits[k]];
        if (host->number[v] >= 0) continue;
        host->number[v] = cut->vertexCount;
        cut->vertex[cut->vertexCount++] = v;
    }
}

static bool touchesMiddle(const Cutting *cut, int cell)
{
    const int *v = cut->host->lattice->corners + cell * 8;
    for (int k = 0; k < 8; k++)
        if (cut->host->number[v[k]] >= 0 && cut->host->number[v[k]] < 8) return true;
    return false;
}

static int placeIn(const int *list, int n, int v)
{
    for (int k = 0; k < n; k++)
        if (list[k] == v) return k;
    return -1;
}

// Turns the corners of a cell on a face of another as that one's are. False when it is not on it.
static bool turnCell(const int *own, const int corner[8], int axis, int side, int out[8])
{
    int face[4], n = 0, bit = 1 << axis;
    const snCellShape *shape = snCellShape_Of(SN_HEX);
    for (int b = 0; b < 8; b++)
        if (((b & bit) != 0) == (side != 0)) face[n++] = corner[b];
    for (int m = 0; m < 4; m++)
        if (placeIn(own, 8, face[m]) < 0) return false;
    for (int b = 0; b < 8; b++) {
        if (((b & bit) != 0) != (side != 0)) continue;
        int k = placeIn(own, 8, corner[b]);
        out[b ^ bit] = corner[b];
        for (int m = 0; m < 3; m++) { // the neighbour off the face
            int w = own[shape->neighbour[k][m]];
            if (placeIn(face, 4, w) < 0) out[b] = w;
        }
    }
    return true;
}

static void crossFace(Cutting *cut, int from, int axis, int side)
{
    const snPatchHost *host = cut->host;
    const int *corner = cut->corner[from];
    int at = corner[side << axis], out[8]; // one corner of the face
    for (int i = host->cells.start[at]; i < host->cells.start[at + 1]; i++) {
        int other = host->cells.item[i];
        const int *own = host->lattice->corners + other * 8;
        if (host->visited[other] >= 0 || !touchesMiddle(cut, other)) continue;
        if (turnCell(own, corner, axis, side, out)) enterCell(cut, other, out);
    }
}

// Cells that touch the middle but are not reached over faces, ascending.
static bool enterRest(Cutting *cut, int from)
{
    const snPatchHost *host = cut->host;
    for (int k = 0; k < 8; k++) {
        int v = cut->corner[0][snHexBits[k]];
        for (int i = host->cells.start[v]; i < host->cells.start[v + 1]; i++) {
            int c = host->cells.item[i], corner[8];
            if (host->visited[c] >= 0) continue;
            for (int b = 0; b < 8; b++)
                corner[b] = host->lattice->corners[c * 8 + snHexBits[b]];
            enterCell(cut, c, corner);
            return true;
        }
    }
    return from < cut->cellCount;
}

static void reachCells(Cutting *cut, int cell)
{
    int corner[8];
    for (int b = 0; b < 8; b++)
        corner[b] = cut->host->lattice->corners[cell * 8 + snHexBits[b]];
    enterCell(cut, cell, corner);
    for (int at = 0; at < cut->cellCount || enterRest(cut, at); at++)
        for (int axis = 0; axis < 3; axis++)
            for (int side = 0; side < 2; side++)
                crossFace(cut, at, axis, side);
}

static int compareTags(const void *a, const void *b)
{
    return memcmp(a, b, SN_FACE_CORNERS * sizeof(int));
}

static int compareEdges(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(int));
}

// Local numbers of a tag, ascending; false when a vertex is not of the patch, or the first that is
// of the middle is not v: then it is listed there.
static bool localTag(const Cutting *cut, const int *tag, int size, int v, int *out)
{
    int n = 0, first = 8;
    for (int k = 0; k < size; k++) {
        if (tag[k] < 0) continue;
        int number = cut->host->number[tag[k]], at = n++;
        if (number < 0) return false;
        if (number < first) first = number;
        for (; at > 0 && out[at - 1] > number; at--)
            out[at] = out[at - 1];
        out[at] = number;
    }
    while (n < size)
        out[n++] = -1;
    return first == v;
}

static void collectTags(Cutting *cut)
{
    const snPatchHost *host = cut->host;
    const snSharp *sharp = host->lattice->sharp;
    for (int v = 0; sharp && v < 8; v++) {
        int at = cut->vertex[v];
        for (int i = host->edges.start[at]; i < host->edges.start[at + 1]; i++) {
            int *out = cut->edge[cut->tagCount[0]];
            if (localTag(cut, sharp->edge[host->edges.item[i]], 2, v, out)) cut->tagCount[0]++;
        }
        for (int i = host->faces.start[at]; i < host->faces.start[at + 1]; i++) {
            int *out = cut->face[cut->tagCount[2]];
            if (localTag(cut, sharp->face[host->faces.item[i]], SN_FACE_CORNERS, v, out))
                cut->tagCount[2]++;
        }
        if (host->corner[at]) cut->tagged[cut->tagCount[1]++] = v;
    }
    qsort(cut->edge, (size_t)cut->tagCount[0], sizeof *cut->edge, compareEdges);
    qsort(cut->face, (size_t)cut->tagCount[2], sizeof *cut->face, compareTags);
}

// Room for the cells around the eight corners and their tags.
static snStatus openCutting(Cutting *cut, snPatchHost *host, int cell, snArena *scratch,
                            snError *error)
{
    int cells = 0, edges = 1, faces = 1;
    for (int k = 0; k < 8; k++) {
        int v = host->lattice->corners[cell * 8 + k];
        cells += host->cells.start[v + 1] - host->cells.start[v];
        edges += host->edges.start[v + 1] - host->edges.start[v];
        faces += host->faces.start[v + 1] - host->faces.start[v];
    }
    *cut = (Cutting){.host = host, .scratch = scratch};
    cut->cell = SN_NEW(scratch, int, cells);
    cut->corner = snArena_Alloc(scratch, sizeof *cut->corner, (size_t)cells);
    cut->vertex = SN_NEW(scratch, int, (size_t)cells * 8);
    cut->edge = snArena_Alloc(scratch, sizeof *cut->edge, (size_t)edges);
    cut->face = snArena_Alloc(scratch, sizeof *cut->face, (size_t)faces);
    cut->tagged = SN_NEW(scratch, int, 8);
    bool good = cut->cell && cut->corner && cut->vertex && cut->edge && cut->face && cut->tagged;
    return good ? SN_OK : snFailMemory(error);
}

static void closeCutting(Cutting *cut)
{
    for (int i = 0; i < cut->vertexCount; i++)
        cut->host->number[cut->vertex[i]] = -1;
    for (int i = 0; i < cut->cellCount; i++)
        cut->host->visited[cut->cell[i]] = -1;
}

// ---- kinds ----------------------------------------------------------------------------------------

static snStatus layPatch(snLattice *lattice, const Cutting *cut, snArena *arena, snError *error)
{
    snStatus status = snLattice_Alloc(lattice, cut->vertexCount, cut->cellCount, cut->cellCount * 8,
                                      arena, error);
    if (status) return status;
    for (int c = 0; c < cut->cellCount; c++) {
        for (int k = 0; k < 8; k++)
            lattice->corners[c * 8 + k] = cut->host->number[cut->corner[c][snHexBits[k]]];
        lattice->cellStart[c + 1] = (c + 1) * 8;
    }
    snSharp sharp = {.edgeCount = cut->tagCount[0],
                     .cornerCount = cut->tagCount[1],
                     .faceCount = cut->tagCount[2],
                     .edge = cut->edge,
                     .corner = cut->tagged,
                     .face = cut->face};
    return snLattice_CopySharp(lattice, &sharp, arena, error);
}

static bool sameInts(const void *a, const void *b, int count)
{
    return !count || !memcmp(a, b, (size_t)count * sizeof(int));
}

static bool samePatch(const snLattice *a, const snLattice *b)
{
    const snSharp *s = a->sharp, *t = b->sharp;
    return a->vertexCount == b->vertexCount && a->cellCount == b->cellCount &&
           s->edgeCount == t->edgeCount && s->cornerCount == t->cornerCount &&
           s->faceCount == t->faceCount && sameInts(a->corners, b->corners, a->cellCount * 8) &&
           sameInts(s->edge, t->edge, s->edgeCount * 2) &&
           sameInts(s->corner, t->corner, s->cornerCount) &&
           sameInts(s->face, t->face, s->faceCount * SN_FACE_CORNERS);
}

static unsigned bucketOf(const snLattice *patch)
{
    uint32_t hash = 2166136261u;
    for (int k = 0; k < patch->cellCount * 8; k++)
        hash = (hash ^ (uint32_t)patch->corners[k]) * 16777619u;
    return hash >> 26;
}

static snStatus makeType(snPatchStore *store, const snLattice *lattice, snPatchType **out,
                         snError *error)
{
    snArena *arena = store->arena;
    snPatchType *type = SN_NEW(arena, snPatchType, 1);
    if (!type) return snFailMemory(error);
    type->patch.lattice = *lattice; // from the same arena
    snPatch *patch = &type->patch;
    snStatus status =
        snComplex_Make(&patch->complex, &patch->lattice, arena, arena, store->context, error);
    if (!status)
        status = snScheme_Step(&patch->step, store->scheme, &patch->complex, arena, store->context,
                               error);
    if (!status) status = snGrid_Find(&type->grid, patch, arena, error);
    type->split = patch->complex.split.lattice;
    if (!status) status = snComplex_SplitSharp(&patch->complex, &type->split.sharp, arena, error);
    if (!status) status = snPatchHost_Make(&type->parts, &type->split, arena, error);
    if (status) return status;
    unsigned bucket = bucketOf(&patch->lattice);
    type->next = store->bucket[bucket];
    store->bucket[bucket] = type;
    store->count++;
    if (lattice->vertexCount > store->most) store->most = lattice->vertexCount;
    *out = type;
    return SN_OK;
}

snStatus snPatchStore_Cut(snPatchStore *store, snPatchHost *host, int cell, snPatchType **type,
                          int **vertex, snError *error)
{
    snArena scratch = {.allocator = store->arena->allocator};
    snArenaMark mark = snArena_Mark(store->arena);
    Cutting cut;
    snLattice lattice;
    *type = NULL;
    snStatus status = openCutting(&cut, host, cell, &scratch, error);
    if (status) goto done;
    reachCells(&cut, cell);
    collectTags(&cut);
    status = layPatch(&lattice, &cut, store->arena, error);
    closeCutting(&cut);
    if (status) goto done;
    for (snPatchType *t = store->bucket[bucketOf(&lattice)]; t && !*type; t = t->next)
        if (samePatch(&t->patch.lattice, &lattice)) *type = t;
    if (*type)
        snArena_Rewind(store->arena, mark);
    else
        status = makeType(store, &lattice, type, error);
    *vertex = status ? NULL : SN_COPY(store->arena, int, cut.vertex, cut.vertexCount);
    if (!status && !*vertex) status = snFailMemory(error);
done:
    if (status) *type = NULL;
    snArena_Destroy(&scratch);
    return status;
}

snStatus snPatchStore_Child(snPatchStore *store, snPatchType *type, int corner, snError *error)
{
    if (type->child[corner]) return SN_OK;
    snPatchType *child; // set last: a failure leaves nothing half done
    snStatus status =
        snPatchStore_Cut(store, &type->parts, corner, &child, &type->from[corner], error);
    if (!status) type->child[corner] = child;
    return status;
}

snStatus snPatchStore_Corner(snPatchStore *store, snPatchType *type, int corner, snError *error)
{
    if (type->corner[corner]) return SN_OK;
    snArena scratch = {.allocator = store->arena->allocator};
    int n = type->patch.lattice.vertexCount, *laying = SN_NEW(&scratch, int, n);
    snPatchCorner *out = SN_NEW(store->arena, snPatchCorner, 1);
    if (out) out->weight = snArena_Alloc(store->arena, sizeof *out->weight, (size_t)n);
    snStatus status = laying && out && out->weight ? SN_OK : snFailMemory(error);
    for (int i = 0; i < n && !status; i++)
        laying[i] = -1;
    snRing ring = {.wantTangent = true};
    if (!status)
        status = snRing_Limit(&ring, &type->patch.complex, &type->patch.step,
                              type->patch.lattice.corners[corner], laying, &scratch, error);
    for (int i = 0; i < ring.count && !status; i++) {
        out->weight[ring.vertex[i]][0] = ring.weight[i];
        for (int m = 0; m < 3 && ring.found; m++)
            out->weight[ring.vertex[i]][m + 1] = ring.tangent[i][m];
    }
    if (!status) {
        out->tangent = ring.found;
        type->corner[corner] = out;
    }
    snArena_Destroy(&scratch);
    return status;
}
