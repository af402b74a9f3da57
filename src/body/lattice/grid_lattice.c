#include "body/lattice/grid_lattice.h"

#include "core/error.h"
#include "geometry/primitive.h"

#include <string.h>

#define MARGIN 1e-3 // of the size: no vertex of the surface lies on the grid's own border

static int vertexAt(const int n[3], int i, int j, int k)
{
    return (k * (n[1] + 1) + j) * (n[0] + 1) + i;
}

static snVec3 gridPoint(snBox box, const int n[3], int i, int j, int k)
{
    snVec3 size = snSub(box.upper, box.lower);
    return snAdd(box.lower, snVec(size.x * i / n[0], size.y * j / n[1], size.z * k / n[2]));
}

static void fillCells(snLattice *lattice, const int n[3])
{
    static const int corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    int c = 0;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++, c++) {
                for (int m = 0; m < 8; m++)
                    lattice->corners[8 * c + m] =
                        vertexAt(n, i + corner[m][0], j + corner[m][1], k + corner[m][2]);
                lattice->cellStart[c + 1] = 8 * (c + 1);
            }
}

snStatus snBoxLattice(snLattice *lattice, snBox box, const int n[3], snArena *arena, snError *error)
{
    double cells = (double)n[0] * n[1] * n[2];
    if (n[0] < 1 || n[1] < 1 || n[2] < 1 || cells > SN_GRID_CELLS)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a box of %d x %d x %d cells; there must be one along each side, and %d at "
                      "most",
                      n[0], n[1], n[2], SN_GRID_CELLS);
    int vertices = (n[0] + 1) * (n[1] + 1) * (n[2] + 1);
    snStatus status = snLattice_Alloc(lattice, vertices, (int)cells, 8 * (int)cells, arena, error);
    if (status) return status;
    for (int k = 0; k <= n[2]; k++)
        for (int j = 0; j <= n[1]; j++)
            for (int i = 0; i <= n[0]; i++)
                lattice->rest[vertexAt(n, i, j, k)] = gridPoint(box, n, i, j, k);
    fillCells(lattice, n);
    return SN_OK;
}

typedef struct Touched {
    const snMesh *mesh;
    snBox box;
    bool found;
} Touched;

static bool visitTriangle(int item, void *context)
{
    Touched *t = context;
    t->found = snTriangle_OverlapsBox(snMesh_Triangle(t->mesh, item), t->box);
    return !t->found;
}

// Keeps the cells that are marked, and the vertices that these have.
static snStatus keepCells(snLattice *lattice, const unsigned char *keep, snArena *scratch,
                          snError *error)
{
    int *number = SN_NEW(scratch, int, lattice->vertexCount), cells = 0, vertices = 0;
    if (!number) return snFailMemory(error);
    for (int c = 0; c < lattice->cellCount; c++) {
        if (!keep[c]) continue;
        for (int m = 0; m < 8; m++) {
            int v = lattice->corners[8 * c + m];
            number[v] = 1;
            lattice->corners[8 * cells + m] = v;
        }
        cells++;
        lattice->cellStart[cells] = 8 * cells;
    }
    lattice->cellCount = cells;
    for (int v = 0; v < lattice->vertexCount; v++) {
        if (!number[v]) continue;
        lattice->rest[vertices] = lattice->rest[v];
        number[v] = vertices++;
    }
    lattice->vertexCount = vertices;
    for (int m = 0; m < 8 * cells; m++)
        lattice->corners[m] = number[lattice->corners[m]];
    return SN_OK;
}

snStatus snGridLattice(snLattice *lattice, const snMeshTree *surface, const snWinding *winding,
                       const int n[3], snArena *arena, snError *error)
{
    snBox box = snMesh_Bounds(&surface->mesh);
    box = snBox_Grow(box, MARGIN * snBoxDiagonal(box));
    snStatus status = snBoxLattice(lattice, box, n, arena, error);
    if (status) return status;
    snArena scratch = {.allocator = arena->allocator};
    unsigned char *keep = SN_NEW(&scratch, unsigned char, lattice->cellCount);
    for (int c = 0; keep && c < lattice->cellCount; c++) {
        const int *corner = lattice->corners + 8 * (size_t)c;
        Touched touched = {
            &surface->mesh, {lattice->rest[corner[0]], lattice->rest[corner[6]]}, false};
        snTree_Overlap(&surface->tree, touched.box, visitTriangle, &touched);
        snVec3 middle = snLerp(touched.box.lower, touched.box.upper, 0.5);
        keep[c] = touched.found || snWinding_Inside(winding, middle);
    }
    status = keep ? keepCells(lattice, keep, &scratch, error) : snFailMemory(error);
    snArena_Destroy(&scratch);
    return status;
}
