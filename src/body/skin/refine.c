#include "body/skin/mesh.h"

#include "core/error.h"

#include <string.h>

// Other resolutions. All values of points are densities in the chart, and the chart stays the same, so that means of values
// keep totals.

// Weights of two rows or columns at a place between them.
static double between(double place, int *low)
{
    *low = (int)floor(place);
    return place - *low;
}

snStatus snSkinMesh_Resample(snSkinMesh *fine, snSkinBlend **blend, const snSkinMesh *mesh,
                             int columns, int rows, snArena *arena, snError *error)
{
    *blend = NULL;
    if (!mesh->columns)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "the skin is no grid: it can be refined, but not resampled");
    snStatus status = snSkinMesh_Grid(fine, columns, rows, arena, error);
    if (status) return status;
    *blend = SN_NEW(arena, snSkinBlend, fine->pointCount);
    if (!*blend) return snFailMemory(error);
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++) {
            int column, row;
            double s = between((double)i * mesh->columns / columns, &column);
            double t = between((double)j * (mesh->rows - 1) / (rows - 1), &row);
            int right = (column + 1) % mesh->columns, up = row + 1 < mesh->rows ? row + 1 : row;
            snSkinBlend *b = &(*blend)[j * columns + i];
            *b = (snSkinBlend){{row * mesh->columns + column, row * mesh->columns + right,
                                up * mesh->columns + column, up * mesh->columns + right},
                               {(1 - s) * (1 - t), s * (1 - t), (1 - s) * t, s * t}};
        }
    return SN_OK;
}

// The number of the point in the middle of an edge: that of its place in the ring of its lower end.
static int middleOf(const snSkinMesh *mesh, const int *number, int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    for (int k = mesh->ringStart[low]; k < mesh->ringStart[low + 1]; k++)
        if (mesh->ring[k] == high) return number[k];
    return -1;
}

static int numberMiddles(const snSkinMesh *mesh, int *number, snSkinBlend *blend)
{
    int next = mesh->pointCount;
    for (int p = 0; p < mesh->pointCount; p++) {
        if (blend) blend[p] = (snSkinBlend){{p, p, p, p}, {1, 0, 0, 0}};
        for (int k = mesh->ringStart[p]; k < mesh->ringStart[p + 1]; k++) {
            if (mesh->ring[k] <= p) continue;
            if (blend) blend[next] = (snSkinBlend){{p, mesh->ring[k], p, p}, {0.5, 0.5, 0, 0}};
            number[k] = next++;
        }
    }
    return next;
}

typedef struct Faces {
    int count, *corner;
    double *chart;
} Faces;

static void addFace(Faces *faces, int n, const int *corner, const double *chart)
{
    int *c = faces->corner + 4 * (size_t)faces->count;
    memcpy(c, corner, (size_t)n * sizeof *c);
    if (n == 3) c[3] = -1;
    memcpy(faces->chart + 8 * (size_t)faces->count++, chart, 2 * (size_t)n * sizeof(double));
}

static void halfway(const double *u, int a, int b, double *out)
{
    out[0] = 0.5 * (u[2 * a] + u[2 * b]);
    out[1] = 0.5 * (u[2 * a + 1] + u[2 * b + 1]);
}

// A piece at every corner, and the middle one of a triangle.
static void cutInFour(const snSkinMesh *mesh, const int *number, int f, int centre, Faces *faces)
{
    const int *c = mesh->corner + 4 * (size_t)f;
    const double *u = mesh->chart + 8 * (size_t)f;
    int n = c[3] < 0 ? 3 : 4, edge[4];
    double middle[8], heart[2] = {0, 0};
    for (int k = 0; k < n; k++) {
        edge[k] = middleOf(mesh, number, c[k], c[(k + 1) % n]);
        halfway(u, k, (k + 1) % n, middle + 2 * k);
        heart[0] += u[2 * k] / n;
        heart[1] += u[2 * k + 1] / n;
    }
    for (int k = 0; k < n; k++) {
        int last = (k + n - 1) % n,
            corner[4] = {c[k], edge[k], n == 3 ? edge[last] : centre, edge[last]};
        double chart[8];
        memcpy(chart, u + 2 * k, 2 * sizeof(double));
        memcpy(chart + 2, middle + 2 * k, 2 * sizeof(double));
        memcpy(chart + 4, n == 3 ? middle + 2 * last : heart, 2 * sizeof(double));
        memcpy(chart + 6, middle + 2 * last, 2 * sizeof(double));
        addFace(faces, n, corner, chart);
    }
    if (n == 3) addFace(faces, 3, edge, middle);
}

snStatus snSkinMesh_Refine(snSkinMesh *fine, snSkinBlend **blend, const snSkinMesh *mesh,
                           snArena *arena, snError *error)
{
    *blend = NULL;
    snArena scratch = {.allocator = arena->allocator};
    int *number = SN_NEW(&scratch, int, mesh->ringCount);
    Faces faces = {0, SN_NEW(&scratch, int, 16 * (size_t)mesh->faceCount),
                   SN_NEW(&scratch, double, 32 * (size_t)mesh->faceCount)};
    snStatus status = number && faces.corner && faces.chart ? SN_OK : snFailMemory(error);
    int middles = 0, points = 0;
    if (!status) {
        points = middles = numberMiddles(mesh, number, NULL);
        for (int f = 0; f < mesh->faceCount; f++)
            points += mesh->corner[4 * (size_t)f + 3] >= 0;
        *blend = SN_NEW(arena, snSkinBlend, points);
        if (!*blend) status = snFailMemory(error);
    }
    if (!status) {
        numberMiddles(mesh, number, *blend);
        int centre = middles;
        for (int f = 0; f < mesh->faceCount; f++) {
            const int *c = mesh->corner + 4 * (size_t)f;
            cutInFour(mesh, number, f, centre, &faces);
            if (c[3] >= 0)
                (*blend)[centre++] =
                    (snSkinBlend){{c[0], c[1], c[2], c[3]}, {0.25, 0.25, 0.25, 0.25}};
        }
        status =
            snSkinMesh_Make(fine, points, faces.count, faces.corner, faces.chart, arena, error);
    }
    snArena_Destroy(&scratch);
    return status;
}
