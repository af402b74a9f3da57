#include "body/poly/grid.h"

#include "core/error.h"
#include "geometry/tree.h"
#include "geometry/winding.h"
#include "numerics/gauss.h"

#include <string.h>

#define SAMPLES 4       // along each axis of a block
#define FLAT 1e-12      // of the trace of C
#define FAR_OUT 1.0     // boxes: points that are farther out are not points of the body
#define LEAST_PART 1e-6 // of a block: what has less of the body has nothing

// ---- affine bodies ------------------------------------------------------------------------------

static const double alternate[4][3] = {{1, 1, 1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}};

static snVec3 alternateAt(int v)
{
    return snVec(alternate[v][0], alternate[v][1], alternate[v][2]);
}

// C = L Lᵀ, L lower triangular; false: C has no inverse.
static bool factorSpread(snMat3 c, snMat3 *l)
{
    double least = FLAT * snTrace(c);
    double xx = c.cx.x, yx = c.cx.y, zx = c.cx.z;
    if (!(xx > least)) return false;
    double a = sqrt(xx), b = yx / a, d = zx / a, yy = c.cy.y - b * b;
    if (!(yy > least)) return false;
    double e = sqrt(yy), f = (c.cy.z - b * d) / e, zz = c.cz.z - d * d - f * f;
    if (!(zz > least)) return false;
    *l = (snMat3){snVec(a, b, d), snVec(0, e, f), snVec(0, 0, sqrt(zz))};
    return true;
}

static snStatus allocElements(snQuadrature *q, int cells, int corners, snArena *arena,
                              snError *error)
{
    size_t n = (size_t)cells, entries = n * (size_t)corners;
    *q = (snQuadrature){.elementCount = cells,
                        .start = SN_NEW(arena, int, n + 1),
                        .corner = SN_NEW(arena, int, entries),
                        .gradient = SN_NEW(arena, snVec3, entries),
                        .volume = SN_NEW(arena, double, n),
                        .cell = SN_NEW(arena, int, n),
                        .mass = SN_NEW(arena, double, entries *(size_t)corners),
                        .massStart = SN_NEW(arena, int, n + 1),
                        .cellVolume = SN_NEW(arena, double, n)};
    bool good = q->start && q->corner && q->gradient && q->volume && q->cell && q->mass &&
                q->massStart && q->cellVolume;
    return good ? SN_OK : snFailMemory(error);
}

// φ_v = ¼ (1 + s_v . L⁻¹ (X - c)) is 1 at X_v and 0 at the others.
snStatus snPolyTet_Make(snSolid *solid, snPoly *poly, const snPolyMoments *moments, snError *error)
{
    snLattice *lattice = &solid->nodes.lattice;
    snQuadrature *q = &solid->quadrature;
    if (!factorSpread(moments->spread, &poly->spread))
        return snFail(error, SN_ERROR_GEOMETRY,
                      "the mass lies in a plane: the functions depend on each other over it");
    snStatus status = snLattice_Alloc(lattice, 4, 1, 4, &solid->arena, error);
    if (!status) status = allocElements(q, 1, 4, &solid->arena, error);
    solid->masses = SN_NEW(&solid->arena, double, 4);
    if (!status && !solid->masses) status = snFailMemory(error);
    if (status) return status;
    poly->center = moments->center;
    snMat3 inverse = snInverse3(poly->spread);
    lattice->cellStart[1] = q->start[1] = 4;
    q->massStart[1] = 16;
    for (int v = 0; v < 4; v++) {
        lattice->rest[v] = snAdd(poly->center, snMulMV(poly->spread, alternateAt(v)));
        lattice->corners[v] = q->corner[v] = v;
        q->gradient[v] = snScale(0.25, snMulTMV(inverse, alternateAt(v)));
        solid->masses[v] = moments->mass / 4;
    }
    q->volume[0] = q->cellVolume[0] = solid->volume;
    return SN_OK;
}

static int tetRow(const snPoly *poly, snVec3 rest, int *vertex, double *weight)
{
    snVec3 u = snMulMV(snInverse3(poly->spread), snSub(rest, poly->center));
    for (int v = 0; v < 4; v++) {
        vertex[v] = v;
        weight[v] = 0.25 * (1 + snDot(alternateAt(v), u));
    }
    return 4;
}

// ---- planes of a grid ---------------------------------------------------------------------------

// 2 p cells: planes whose middles are Gauss's points, and blocks as wide as their weights.
static void placePlanes(int degree, int *count, double *node, double *block)
{
    double point[SN_POLY_NODES], weight[SN_POLY_NODES];
    int cells = 2 * degree;
    *count = cells + 1;
    snGauss_Rule(cells, point, weight);
    node[degree] = block[degree] = 0;
    for (int i = degree; i < cells; i++) {
        node[i + 1] = 2 * point[i] - node[i];
        block[i + 1] = i + 1 < cells ? block[i] + weight[i] : 1;
        node[cells - i - 1] = -node[i + 1];
        block[cells - i - 1] = -block[i + 1];
    }
}

static snVec3 placeIn(const snPolyBox *box, double u, double v, double w)
{
    snVec3 d = snVec(u * box->half.x, v * box->half.y, w * box->half.z);
    return snAdd(box->center, snMulMV(box->axes, d));
}

static int vertexOf(const snPoly *poly, int i, int j, int k)
{
    return (k * poly->nodes[1] + j) * poly->nodes[0] + i;
}

static snStatus makeLattice(snLattice *lattice, const snPoly *poly, snArena *arena, snError *error)
{
    const int *n = poly->nodes;
    int cells = (n[0] - 1) * (n[1] - 1) * (n[2] - 1), at = 0;
    snStatus status = snLattice_Alloc(lattice, n[0] * n[1] * n[2], cells, 8 * cells, arena, error);
    if (status) return status;
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++)
            for (int i = 0; i < n[0]; i++)
                lattice->rest[vertexOf(poly, i, j, k)] = placeIn(
                    &poly->functions.box, poly->node[0][i], poly->node[1][j], poly->node[2][k]);
    for (int k = 0; k + 1 < n[2]; k++)
        for (int j = 0; j + 1 < n[1]; j++)
            for (int i = 0; i + 1 < n[0]; i++, at++) {
                int *c = lattice->corners + 8 * (size_t)at;
                for (int up = 0; up < 2; up++) {
                    c[4 * up] = vertexOf(poly, i, j, k + up);
                    c[4 * up + 1] = vertexOf(poly, i + 1, j, k + up);
                    c[4 * up + 2] = vertexOf(poly, i + 1, j + 1, k + up);
                    c[4 * up + 3] = vertexOf(poly, i, j + 1, k + up);
                }
                lattice->cellStart[at + 1] = 8 * (at + 1);
            }
    return SN_OK;
}

static snStatus makeRows(snSolid *solid, const snPolyFunctions *f, snError *error)
{
    int n = solid->nodes.lattice.vertexCount, at = 0;
    snWeightRows *rows = &solid->space;
    double value[SN_POLY_FUNCTIONS];
    snStatus status =
        snWeightRows_Make(rows, n, f->count, (size_t)n * (size_t)f->count, &solid->arena, error);
    if (status) return status;
    for (int v = 0; v < n; v++) {
        snPolyFunctions_At(f, solid->nodes.lattice.rest[v], value, NULL);
        for (int a = 0; a < f->count; a++)
            if (value[a] != 0) {
                rows->column[at] = a;
                rows->weight[at++] = value[a];
            }
        rows->start[v + 1] = at;
    }
    return SN_OK;
}

// ---- masses -------------------------------------------------------------------------------------

// Lagrange's polynomials of some planes at u.
static void lagrangeAt(int count, const double *node, double u, double *value)
{
    for (int i = 0; i < count; i++) {
        value[i] = 1;
        for (int j = 0; j < count; j++)
            if (j != i) value[i] *= (u - node[j]) / (node[i] - node[j]);
    }
}

typedef struct Masses {
    const snPoly *poly;
    double *mass;
} Masses;

// m_v += w L_v(X)
static void addMasses(void *user, snVec3 x, double weight)
{
    const Masses *m = user;
    const snPoly *poly = m->poly;
    const int *n = poly->nodes;
    double l[3][SN_POLY_NODES], *out = m->mass;
    snVec3 u = snPolyBox_Unit(&poly->functions.box, x);
    lagrangeAt(n[0], poly->node[0], u.x, l[0]);
    lagrangeAt(n[1], poly->node[1], u.y, l[1]);
    lagrangeAt(n[2], poly->node[2], u.z, l[2]);
    for (int k = 0; k < n[2]; k++)
        for (int j = 0; j < n[1]; j++) {
            double part = weight * l[2][k] * l[1][j];
            for (int i = 0; i < n[0]; i++)
                *out++ += part * l[0][i];
        }
}

snStatus snPolyGrid_Make(snSolid *solid, snPoly *poly, const snPolyMeasure *measure,
                         const snContext *context, snError *error)
{
    const snPolyFunctions *f = &poly->functions;
    snArena *arena = &solid->arena;
    for (int c = 0; c < 3; c++)
        placePlanes(f->degree[c], &poly->nodes[c], poly->node[c], poly->block[c]);
    snStatus status = makeLattice(&solid->nodes.lattice, poly, arena, error);
    if (!status) status = makeRows(solid, f, error);
    snQuadratureDef whole = snDefaultQuadratureDef();
    if (!status)
        status = snQuadrature_MakeHexes(&solid->quadrature, &solid->nodes.lattice, &whole, arena,
                                        context, error);
    if (status) return status;
    solid->masses = SN_NEW(arena, double, solid->nodes.lattice.vertexCount);
    if (!solid->masses) return snFailMemory(error);
    Masses masses = {poly, solid->masses};
    snPolyMeasure_Visit(measure, snPolyFunctions_ProductDegree(f), addMasses, &masses);
    return SN_OK;
}

// ---- elements -----------------------------------------------------------------------------------

// Sample s of SAMPLES³ in a block.
static snVec3 sampleAt(const snPoly *poly, const int at[3], int s)
{
    double u[3];
    for (int c = 0; c < 3; c++, s /= SAMPLES) {
        const double *b = poly->block[c] + at[c];
        u[c] = b[0] + (b[1] - b[0]) * (s % SAMPLES + 0.5) / SAMPLES;
    }
    return placeIn(&poly->functions.box, u[0], u[1], u[2]);
}

static void blockAt(const snPoly *poly, int cell, int at[3])
{
    for (int c = 0; c < 3; c++) {
        at[c] = cell % (poly->nodes[c] - 1);
        cell /= poly->nodes[c] - 1;
    }
}

// The part of every block that is in the surface, by samples.
static snStatus findParts(const snPoly *poly, const snMesh *surface, int cells, double *part,
                          const snContext *context, snArena *scratch, snError *error)
{
    const int per = SAMPLES * SAMPLES * SAMPLES;
    snMeshTree tree;
    snWinding *winding;
    snStatus status = snMeshTree_Build(&tree, surface, scratch, error);
    if (!status) status = snWinding_Make(&winding, &tree, scratch, error);
    if (status) return status;
    snVec3 *points = SN_NEW(scratch, snVec3, (size_t)cells * (size_t)per);
    unsigned char *inside = SN_NEW(scratch, unsigned char, (size_t)cells *(size_t)per);
    if (!points || !inside) return snFailMemory(error);
    for (int c = 0; c < cells; c++) {
        int at[3];
        blockAt(poly, c, at);
        for (int s = 0; s < per; s++)
            points[c * per + s] = sampleAt(poly, at, s);
    }
    snWinding_InsideMany(winding, &context->tasks, cells * per, points, inside);
    for (int c = 0; c < cells; c++)
        for (int s = 0; s < per; s++)
            part[c] += inside[c * per + s] / (double)per;
    return SN_OK;
}

static double blockVolume(const snPoly *poly, int cell)
{
    int at[3];
    double volume = 1;
    blockAt(poly, cell, at);
    for (int c = 0; c < 3; c++)
        volume *= poly->block[c][at[c] + 1] - poly->block[c][at[c]];
    snVec3 half = poly->functions.box.half;
    return volume * half.x * half.y * half.z;
}

static void dropEmpty(snQuadrature *q)
{
    int kept = 0;
    for (int e = 0; e < q->elementCount; e++) {
        if (!(q->volume[e] > 0)) continue;
        memmove(q->corner + 8 * (size_t)kept, q->corner + 8 * (size_t)e, 8 * sizeof *q->corner);
        memmove(q->gradient + 8 * (size_t)kept, q->gradient + 8 * (size_t)e,
                8 * sizeof *q->gradient);
        q->volume[kept] = q->volume[e];
        q->cell[kept] = q->cell[e];
        kept++;
        q->start[kept] = 8 * kept;
    }
    q->elementCount = kept;
}

snStatus snPolyGrid_Cut(snSolid *solid, const snPoly *poly, const snMesh *surface, double volume,
                        const snContext *context, snError *error)
{
    snQuadrature *q = &solid->quadrature;
    snArena scratch = snMakeArena(context);
    int cells = solid->nodes.lattice.cellCount;
    double *part = SN_NEW(&scratch, double, cells), sum = 0;
    snStatus status = part ? SN_OK : snFailMemory(error);
    if (!status) status = findParts(poly, surface, cells, part, context, &scratch, error);
    for (int e = 0; e < cells && !status; e++) { // whole grids have an element for each cell
        q->volume[e] = part[e] > LEAST_PART ? part[e] * blockVolume(poly, e) : 0;
        sum += q->volume[e];
    }
    snArena_Destroy(&scratch);
    if (status) return status;
    if (!(sum > 0))
        return snFail(error, SN_ERROR_GEOMETRY,
                      "the body is so thin that none of %d samples in its box is inside of it",
                      cells * SAMPLES * SAMPLES * SAMPLES);
    for (int e = 0; e < cells; e++)
        q->cellVolume[e] = q->volume[e] *= volume / sum;
    dropEmpty(q);
    return SN_OK;
}

// ---- where points hang --------------------------------------------------------------------------

// The three planes of the pair of cells that u is in, and Lagrange's polynomials of theirs.
static int pairAt(int count, const double *node, double u, double weight[3])
{
    int first = 0;
    while (first + 4 < count && u > node[first + 2])
        first += 2;
    lagrangeAt(3, node + first, u, weight);
    return first;
}

static int gridRow(const snPoly *poly, snVec3 rest, int *vertex, double *weight)
{
    snVec3 unit = snPolyBox_Unit(&poly->functions.box, rest);
    const double u[3] = {unit.x, unit.y, unit.z};
    double l[3][3];
    int first[3], count = 0;
    for (int c = 0; c < 3; c++)
        first[c] = pairAt(poly->nodes[c], poly->node[c], u[c], l[c]);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++) {
                vertex[count] = vertexOf(poly, first[0] + i, first[1] + j, first[2] + k);
                weight[count++] = l[0][i] * l[1][j] * l[2][k];
            }
    return count;
}

static bool isNear(const snPoly *poly, snVec3 rest)
{
    snVec3 size = snSub(poly->box.upper, poly->box.lower);
    snBox wide = {snMulAdd(poly->box.lower, -FAR_OUT, size),
                  snMulAdd(poly->box.upper, FAR_OUT, size)};
    return snIsFinite3(rest) && snBox_Contains(wide, rest);
}

int snPoly_Row(const snSolid *solid, snVec3 rest, int *vertex, double *weight)
{
    const snPoly *poly = solid->own;
    if (!isNear(poly, rest)) return 0;
    return poly->nodes[0] ? gridRow(poly, rest, vertex, weight)
                          : tetRow(poly, rest, vertex, weight);
}
