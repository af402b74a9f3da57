// The fine mesh that a basis is integrated on, and what its functions are at its vertices.
#include "body/lattice/basis_parts.h"

#include "core/array.h"
#include "core/error.h"

#include <string.h>

static snStatus cutTets(snBasisMesh *mesh, const snFineLattice *fine, int cells, snArena *arena,
                        snError *error)
{
    const snLattice *lattice = &fine->lattice;
    size_t most = (size_t)lattice->cellCount * SN_CELL_TETS;
    mesh->tets = snArena_Alloc(arena, sizeof *mesh->tets, most);
    mesh->tetCell = SN_NEW(arena, int, most);
    mesh->cellStart = SN_NEW(arena, int, cells + 1);
    if (!mesh->tets || !mesh->tetCell || !mesh->cellStart) return snFailMemory(error);
    for (int c = 0; c < lattice->cellCount; c++) {
        int n = snSplitCell(lattice, c, mesh->tets + mesh->tetCount);
        for (int k = 0; k < n; k++)
            mesh->tetCell[mesh->tetCount++] = fine->parent[c];
        mesh->cellStart[fine->parent[c] + 1] = mesh->tetCount;
    }
    return SN_OK;
}

static void tetPoints(const snBasisMesh *mesh, int tet, snVec3 p[4])
{
    for (int k = 0; k < 4; k++)
        p[k] = mesh->rest[mesh->tets[tet][k]];
}

// One sample at the centroid, or four at the points of the degree-2 rule.
static void samplePoints(const snBasisMesh *mesh, int tet, int samples, snVec3 *points)
{
    const double near = 0.58541019662496845, far = 0.13819660112501052;
    snVec3 p[4];
    tetPoints(mesh, tet, p);
    snVec3 sum = snAdd(snAdd(p[0], p[1]), snAdd(p[2], p[3]));
    if (samples == 1) {
        points[0] = snScale(0.25, sum);
        return;
    }
    for (int k = 0; k < 4; k++)
        points[k] = snMulAdd(snScale(far, sum), near - far, p[k]);
}

static bool isOwned(const snBasisDef *def, int cell, snVec3 point)
{
    return !def->owner.owns || def->owner.owns(def->owner.user, cell, point);
}

static snStatus findFractions(snBasisMesh *mesh, const snBasisDef *def, snArena *scratch,
                              snError *error)
{
    int n = def->inside.test ? def->samples : 0;
    size_t total = (size_t)mesh->tetCount * (size_t)n;
    if (total > INT_MAX)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "%d fine tets have too many sample points; choose a lower quadrature level",
                      mesh->tetCount);
    snVec3 *points = SN_NEW(scratch, snVec3, total);
    unsigned char *inside = SN_NEW(scratch, unsigned char, total);
    if (!points || !inside) return snFailMemory(error);
    for (int t = 0; t < mesh->tetCount && n; t++)
        samplePoints(mesh, t, n, points + (size_t)t * (size_t)n);
    if (n) def->inside.test(def->inside.user, (int)total, points, inside);
    for (int t = 0; t < mesh->tetCount; t++) {
        int count = 0;
        for (int k = 0; k < n; k++)
            count += inside[(size_t)t * (size_t)n + (size_t)k] != 0 &&
                     isOwned(def, mesh->tetCell[t], points[(size_t)t * (size_t)n + (size_t)k]);
        mesh->fraction[t] = n ? (double)count / n : 1;
    }
    return SN_OK;
}

static snStatus findVolumes(snBasisMesh *mesh, snArena *arena, snError *error)
{
    mesh->volume = SN_NEW(arena, double, mesh->tetCount);
    mesh->fraction = SN_NEW(arena, double, mesh->tetCount);
    if (!mesh->volume || !mesh->fraction) return snFailMemory(error);
    for (int t = 0; t < mesh->tetCount; t++) {
        snVec3 p[4], gradient[4];
        tetPoints(mesh, t, p);
        mesh->volume[t] = snTetGradients(p, gradient);
    }
    return SN_OK;
}

static snStatus copyVertices(snBasisMesh *mesh, const snFineLattice *fine, snArena *arena,
                             snError *error)
{
    int n = mesh->vertexCount = fine->lattice.vertexCount;
    mesh->rest = SN_COPY(arena, snVec3, fine->lattice.rest, n);
    mesh->sourceStart = SN_COPY(arena, int, fine->sourceStart, n + 1);
    mesh->source = SN_COPY(arena, int, fine->source, fine->sourceStart[n]);
    return mesh->rest && mesh->sourceStart && mesh->source ? SN_OK : snFailMemory(error);
}

snStatus snBasis_MakeMesh(snBasis *basis, const snBasisDef *def, snArena *arena,
                          const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    snFineLattice fine = {0};
    snStatus status =
        snSubdivide(&fine, def->lattice, def->quadratureLevel, &scratch, context, error);
    if (status) goto done;
    for (int level = 0; level <= def->levels; level++)
        basis->levelStart[level + 1] = fine.levelVertices[level];
    basis->functionCount = fine.levelVertices[def->levels];
    status = copyVertices(&basis->mesh, &fine, arena, error);
    if (!status) status = cutTets(&basis->mesh, &fine, basis->cellCount, arena, error);
    if (!status) status = findVolumes(&basis->mesh, arena, error);
    if (!status) status = findFractions(&basis->mesh, def, &scratch, error);
done:
    snArena_Destroy(&scratch);
    return status;
}

// A row in the making. Rows are short: a point lies in one cell of every level; there 8 functions
// of level 0 are not zero, and 7 new ones per level (a child hexahedron has one old corner).
#define ROW_LENGTH (SN_CELL_CORNERS + 7 * SN_BASIS_LEVELS)
typedef struct Row {
    int count;
    int function[ROW_LENGTH];
    double value[ROW_LENGTH];
} Row;

static void addToRow(Row *row, int function, double value)
{
    int at = row->count;
    while (at > 0 && row->function[at - 1] > function)
        at--;
    if (at > 0 && row->function[at - 1] == function) {
        row->value[at - 1] += value;
        return;
    }
    SN_ASSERT(row->count < ROW_LENGTH);
    for (int k = row->count++; k > at; k--) {
        row->function[k] = row->function[k - 1];
        row->value[k] = row->value[k - 1];
    }
    row->function[at] = function;
    row->value[at] = value;
}

typedef struct RowList {
    SN_ARRAY(int) start;
    SN_ARRAY(int) function;
    SN_ARRAY(double) value;
} RowList;

static bool pushRow(RowList *list, const Row *row, const snAllocator *allocator)
{
    bool good = true;
    for (int k = 0; k < row->count && good; k++)
        good = snArray_Push(allocator, &list->function, row->function[k]) &&
               snArray_Push(allocator, &list->value, row->value[k]);
    return good && snArray_Push(allocator, &list->start, list->function.count);
}

// Row v is the mean of its sources' rows, and 1 for the function of v itself if v is in K_J.
static void makeRow(Row *row, const snBasis *basis, const RowList *list, int v)
{
    const snBasisMesh *mesh = &basis->mesh;
    int begin = mesh->sourceStart[v], end = mesh->sourceStart[v + 1];
    row->count = 0;
    for (int s = begin; s < end; s++) {
        int from = mesh->source[s];
        for (int i = list->start.data[from]; i < list->start.data[from + 1]; i++)
            addToRow(row, list->function.data[i], list->value.data[i] / (end - begin));
    }
    if (v < basis->functionCount) addToRow(row, v, 1);
}

snStatus snBasis_AllValues(snWeightRows *rows, const snBasis *basis, snArena *arena,
                           const snContext *context, snError *error)
{
    const snAllocator *allocator = &context->allocator;
    RowList list = {{0}, {0}, {0}};
    Row row;
    bool good = snArray_Push(allocator, &list.start, 0);
    for (int v = 0; v < basis->mesh.vertexCount && good; v++) {
        makeRow(&row, basis, &list, v);
        good = pushRow(&list, &row, allocator);
    }
    if (good) {
        rows->start = SN_COPY(arena, int, list.start.data, list.start.count);
        rows->vertex = SN_COPY(arena, int, list.function.data, list.function.count);
        rows->weight = SN_COPY(arena, double, list.value.data, list.value.count);
        good = rows->start && rows->vertex && rows->weight;
    }
    snArray_Free(allocator, &list.start);
    snArray_Free(allocator, &list.function);
    snArray_Free(allocator, &list.value);
    return good ? SN_OK : snFailMemory(error);
}
