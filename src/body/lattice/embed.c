#include "body/lattice/embed.h"

#include "body/lattice/quadrature.h"
#include "core/error.h"
#include "core/lists.h"
#include "geometry/primitive.h"
#include "geometry/tree.h"

static double minOf(double a, double b)
{
    return a < b ? a : b;
}

static double tetWeights(const snVec3 p[4], snVec3 point, double weight[4])
{
    snVec3 gradient[4];
    snTetGradients(p, gradient);
    double border = 1e300;
    for (int k = 0; k < 4; k++) {
        // Measured from the opposite corner the constant is 0: λ_k = ∇λ_k . (x - p_j), j != k.
        weight[k] = snDot(gradient[k], snSub(point, p[(k + 1) & 3]));
        border = minOf(border, weight[k]);
    }
    return border;
}

// Basis functions of a prism or hexahedron at parameters u, and their derivatives. Prism: (1 - u
// - v, u, v) times (1 - w, w); hexahedron: the products of (1 - u, u), (1 - v, v), (1 - w, w).
static void productBasis(snCellKind kind, snVec3 u, double *value, snVec3 *derivative)
{
    double up[2] = {1 - u.z, u.z}, upD[2] = {-1, 1};
    for (int c = 0; c < (int)kind; c++) {
        int half = (int)kind / 2, layer = c / half, k = c % half;
        double base, du, dv;
        if (kind == SN_PRISM) {
            base = k == 0 ? 1 - u.x - u.y : k == 1 ? u.x : u.y;
            du = k == 0 ? -1 : k == 1 ? 1 : 0;
            dv = k == 0 ? -1 : k == 2 ? 1 : 0;
        } else {
            bool right = k == 1 || k == 2, back = k >= 2;
            double a = right ? u.x : 1 - u.x, b = back ? u.y : 1 - u.y;
            base = a * b;
            du = (right ? 1 : -1) * b;
            dv = (back ? 1 : -1) * a;
        }
        value[c] = base * up[layer];
        derivative[c] = snVec(du * up[layer], dv * up[layer], base * upD[layer]);
    }
}

static double borderDistance(snCellKind kind, snVec3 u)
{
    double border = minOf(minOf(u.x, u.y), minOf(u.z, 1 - u.z));
    if (kind == SN_PRISM) return minOf(border, 1 - u.x - u.y);
    return minOf(border, minOf(1 - u.x, 1 - u.y));
}

static double productWeights(const snLattice *lattice, int cell, snVec3 point, double *weight)
{
    snCellKind kind = snLattice_Kind(lattice, cell);
    const int *corners = snLattice_Corners(lattice, cell);
    snVec3 u = kind == SN_PRISM ? snVec(1 / 3.0, 1 / 3.0, 0.5) : snVec(0.5, 0.5, 0.5);
    for (int iteration = 0; iteration < 30; iteration++) {
        snVec3 derivative[SN_CELL_CORNERS], miss = point;
        snMat3 jacobian = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
        productBasis(kind, u, weight, derivative);
        for (int c = 0; c < (int)kind; c++) {
            snVec3 r = lattice->rest[corners[c]];
            miss = snMulAdd(miss, -weight[c], r);
            jacobian = snAddMM(jacobian, snOuter(r, derivative[c]));
        }
        if (!(fabs(snDet(jacobian)) > 0)) return -1e300;
        snVec3 step = snMulMV(snInverse3(jacobian), miss);
        double length = snLength(step);
        if (!(length < 1e6)) return -1e300;               // far outside: the map folds there
        if (length > 1) step = snScale(1 / length, step); // stay where Newton can be trusted
        u = snAdd(u, step);
        if (length < 1e-14) break;
    }
    snVec3 derivative[SN_CELL_CORNERS];
    productBasis(kind, u, weight, derivative);
    return borderDistance(kind, u);
}

double snCellWeights(const snLattice *lattice, int cell, snVec3 point,
                     double weight[SN_CELL_CORNERS])
{
    if (snLattice_Kind(lattice, cell) != SN_TET)
        return productWeights(lattice, cell, point, weight);
    snVec3 p[4];
    for (int k = 0; k < 4; k++)
        p[k] = lattice->rest[snLattice_Corners(lattice, cell)[k]];
    return tetWeights(p, point, weight);
}

// Looks for the cell in which the point is deepest; ties go to the lowest number. Copies of a cell
// that do not hold the point's triangles count only where no other is near.
#define NOT_ITS_OWN 0.1 // taken off the depth, in barycentric coordinates

typedef struct Search {
    const snLattice *lattice;
    snVec3 point;
    const snCellParts *parts; // or NULL
    int triangleCount;
    const int *triangles; // that the point is a corner of
    int best;
    double border; // parametric distance of the point to the best cell's border
    double score;  // the same, less what is taken off
    double weight[SN_CELL_CORNERS];
} Search;

static bool visitCell(int cell, void *context)
{
    Search *search = context;
    double weight[SN_CELL_CORNERS] = {0};
    double border = snCellWeights(search->lattice, cell, search->point, weight);
    bool own = !search->parts ||
               snCellParts_Holds(search->parts, cell, search->triangleCount, search->triangles);
    double score = own ? border : border - NOT_ITS_OWN;
    if (score > search->score || (score == search->score && cell < search->best)) {
        search->best = cell;
        search->score = score;
        search->border = border;
        for (int k = 0; k < SN_CELL_CORNERS; k++)
            search->weight[k] = weight[k];
    }
    return true;
}

// Widens the search until a cell is met: points of the surface may lie a little outside.
static void findCell(Search *search, const snTree *tree, double size)
{
    search->best = -1;
    search->border = search->score = -1e301;
    for (double radius = 0; search->best<0; radius = radius> 0 ? 2 * radius : 1e-3 * size)
        snTree_Overlap(tree, snBox_Around(search->point, radius), visitCell, search);
}

static snStatus cellTree(snTree *tree, const snLattice *lattice, double *size, snArena *arena,
                         snError *error)
{
    snBox *boxes = SN_NEW(arena, snBox, lattice->cellCount), all = snEmptyBox();
    if (!boxes) return snFailMemory(error);
    for (int c = 0; c < lattice->cellCount; c++) {
        boxes[c] = snBoxOfListed((int)snLattice_Kind(lattice, c), snLattice_Corners(lattice, c),
                                 lattice->rest);
        all = snBoxUnion(all, boxes[c]);
    }
    *size = snBoxDiagonal(all);
    return snTree_Build(tree, lattice->cellCount, boxes, arena, error);
}

static void storeRow(snEmbedding *embedding, const Search *search, int point)
{
    const int *corners = snLattice_Corners(search->lattice, search->best);
    int n = (int)snLattice_Kind(search->lattice, search->best), width = embedding->width;
    for (int k = 0; k < width; k++) {
        embedding->vertex[point * width + k] = corners[k < n ? k : 0];
        embedding->weight[point * width + k] = k < n ? search->weight[k] : 0;
    }
    embedding->cell[point] = search->best;
    if (search->border < -1e-9) embedding->outside++;
}

static snStatus allocRows(snEmbedding *embedding, const snLattice *lattice, snArena *arena,
                          snError *error)
{
    if (lattice->cellCount == 0)
        return snFail(error, SN_ERROR_GEOMETRY, "the lattice has no cells to carry the surface");
    for (int c = 0; c < lattice->cellCount; c++)
        if (snLattice_Kind(lattice, c) != SN_TET) embedding->width = 8;
    size_t entries = (size_t)embedding->pointCount * (size_t)embedding->width;
    embedding->vertex = SN_NEW(arena, int, entries);
    embedding->weight = SN_NEW(arena, double, entries);
    embedding->cell = SN_NEW(arena, int, embedding->pointCount);
    bool good = embedding->vertex && embedding->weight && embedding->cell;
    return good ? SN_OK : snFailMemory(error);
}

static snStatus embedPoint(snEmbedding *embedding, Search search, const snTree *tree, double size,
                           int point, snError *error)
{
    if (!snIsFinite3(search.point))
        return snFail(error, SN_ERROR_GEOMETRY, "surface vertex %d is not a finite point", point);
    findCell(&search, tree, size);
    storeRow(embedding, &search, point);
    return SN_OK;
}

snStatus snEmbedSurface(snEmbedding *embedding, const snLattice *lattice,
                        const snSurfacePoints *surface, snArena *arena, const snContext *context,
                        snError *error)
{
    *embedding = (snEmbedding){.pointCount = surface->count, .width = 4};
    snStatus status = allocRows(embedding, lattice, arena, error);
    if (status) return status;
    snArena scratch = snMakeArena(context);
    const snCellParts *parts = surface->parts;
    snLists fans = {0}; // triangles at each vertex of the mesh
    snTree tree;
    double size = 1;
    status = cellTree(&tree, lattice, &size, &scratch, error);
    if (!status && parts)
        status = snLists_Make(&fans, parts->cut.mesh.triangles, parts->cut.mesh.triangleCount, 3,
                              parts->cut.mesh.vertexCount, &scratch, error);
    for (int i = 0; i < surface->count && !status; i++) {
        Search search = {.lattice = lattice, .point = surface->points[i], .parts = parts};
        int v = parts && surface->meshVertex ? surface->meshVertex[i] : -1;
        if (v >= 0) {
            search.triangles = fans.item + fans.start[v];
            search.triangleCount = fans.start[v + 1] - fans.start[v];
        }
        status = embedPoint(embedding, search, &tree, size, i, error);
    }
    snArena_Destroy(&scratch);
    return status;
}

snStatus snEmbed(snEmbedding *embedding, const snLattice *lattice, int pointCount,
                 const snVec3 *points, snArena *arena, const snContext *context, snError *error)
{
    snSurfacePoints plain = {.count = pointCount, .points = points};
    return snEmbedSurface(embedding, lattice, &plain, arena, context, error);
}

int snEmbedding_Mean(const snEmbedding *e, const int corner[3], const double share[3], int *vertex,
                     double *weight)
{
    int count = 0;
    for (int c = 0; c < 3; c++)
        for (int k = corner[c] * e->width; k < (corner[c] + 1) * e->width; k++) {
            double w = share[c] * e->weight[k];
            int at = 0;
            if (w == 0) continue;
            while (at < count && vertex[at] != e->vertex[k])
                at++;
            if (at == count) vertex[count] = e->vertex[k], weight[count++] = 0;
            weight[at] += w;
        }
    return count;
}
