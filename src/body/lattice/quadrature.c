#include "body/lattice/quadrature.h"

#include "body/lattice/subdivide.h"
#include "core/array.h"
#include "core/error.h"

snQuadratureDef snDefaultQuadratureDef(void)
{
    return (snQuadratureDef){.level = 1, .samples = 4, .leastFraction = 0.1};
}

// With D = [p1 - p0, p2 - p0, p3 - p0], barycentric coordinates 1 ... 3 are D^-1 (x - p0): their
// gradients are the rows of D^-1 = cof(D)ᵀ / det D, and the four sum to zero.
double snTetGradients(const snVec3 p[4], snVec3 gradient[4])
{
    snMat3 d = {snSub(p[1], p[0]), snSub(p[2], p[0]), snSub(p[3], p[0])};
    double det = snDet(d);
    snMat3 cof = snCofactor(d);
    double inverse = det != 0 ? 1.0 / det : 0;
    gradient[1] = snScale(inverse, cof.cx);
    gradient[2] = snScale(inverse, cof.cy);
    gradient[3] = snScale(inverse, cof.cz);
    gradient[0] = snNeg(snAdd(gradient[1], snAdd(gradient[2], gradient[3])));
    return det / 6.0;
}

void snTetSamples(const snVec3 p[4], int samples, snVec3 *points)
{
    const double near = 0.58541019662496845, far = 0.13819660112501052;
    snVec3 sum = snAdd(snAdd(p[0], p[1]), snAdd(p[2], p[3]));
    if (samples == 1) points[0] = snScale(0.25, sum);
    for (int k = 0; k < 4 && samples != 1; k++)
        points[k] = snMulAdd(snScale(far, sum), near - far, p[k]);
}

typedef struct Builder {
    const snLattice *lattice;
    const snFineLattice *fine;
    const snQuadratureDef *def;
    const snAllocator *allocator;
    snQuadrature *out;
    snTetCut cut;     // fine tets, and their cells of the first lattice
    double *fraction; // of each tet inside Ω
    double *elastic;  // [cells], summed volumes that count in elastic energy
    SN_ARRAY(int) start;
    SN_ARRAY(int) corner;
    SN_ARRAY(snVec3) gradient;
    SN_ARRAY(double) volume;
    SN_ARRAY(int) cell;
} Builder;

static void tetPoints(const Builder *b, int tet, snVec3 p[4])
{
    for (int k = 0; k < 4; k++)
        p[k] = b->fine->lattice.rest[b->cut.tets[tet][k]];
}

static void sampleTet(const Builder *b, int tet, int samples, snVec3 *points)
{
    snVec3 p[4];
    tetPoints(b, tet, p);
    snTetSamples(p, samples, points);
}

static bool owned(const Builder *b, int tet, snVec3 point)
{
    const snOwnerTest *owner = &b->def->owner;
    return !owner->owns || owner->owns(owner->user, b->cut.cell[tet], point);
}

static snStatus findFractions(Builder *b, snArena *scratch, snError *error)
{
    int samples = b->def->samples == 1 ? 1 : 4;
    b->fraction = SN_NEW(scratch, double, b->cut.count);
    if (!b->fraction) return snFailMemory(error);
    if (!b->def->inside.test) {
        for (int t = 0; t < b->cut.count; t++)
            b->fraction[t] = 1;
        return SN_OK;
    }
    size_t total = (size_t)b->cut.count * (size_t)samples;
    snVec3 *points = SN_NEW(scratch, snVec3, total);
    unsigned char *inside = SN_NEW(scratch, unsigned char, total);
    if (!points || !inside) return snFailMemory(error);
    for (int t = 0; t < b->cut.count; t++)
        sampleTet(b, t, samples, points + t * samples);
    b->def->inside.test(b->def->inside.user, (int)total, points, inside);
    for (int t = 0; t < b->cut.count; t++) {
        int count = 0;
        for (int k = 0; k < samples; k++)
            count += inside[t * samples + k] && owned(b, t, points[t * samples + k]);
        b->fraction[t] = (double)count / samples;
    }
    return SN_OK;
}

// Position of vertex a among the corners of its cell.
static int cornerOf(const snLattice *lattice, int cell, int vertex)
{
    const int *corners = snLattice_Corners(lattice, cell);
    int k = 0;
    while (corners[k] != vertex)
        k++;
    return k;
}

// The values of the cell's basis functions at the four corners of a fine tet.
static void tetValues(const Builder *b, int tet, double value[4][SN_CELL_CORNERS])
{
    const snWeightRows *rows = &b->fine->rows;
    for (int k = 0; k < 4; k++) {
        int row = b->cut.tets[tet][k];
        for (int c = 0; c < SN_CELL_CORNERS; c++)
            value[k][c] = 0;
        for (int i = rows->start[row]; i < rows->start[row + 1]; i++)
            value[k][cornerOf(b->lattice, b->cut.cell[tet], rows->column[i])] = rows->weight[i];
    }
}

// ∫ b_k b_l over a tet is V/20 (1 + δ_kl); φ_a = Σ_k value[k][a] b_k.
static void addMass(Builder *b, int tet, double volume, double value[4][SN_CELL_CORNERS])
{
    int cell = b->cut.cell[tet], n = (int)snLattice_Kind(b->lattice, cell);
    double *mass = b->out->mass + b->out->massStart[cell];
    for (int i = 0; i < n; i++) {
        double sumI = value[0][i] + value[1][i] + value[2][i] + value[3][i];
        for (int j = 0; j < n; j++) {
            double sumJ = value[0][j] + value[1][j] + value[2][j] + value[3][j], dot = 0;
            for (int k = 0; k < 4; k++)
                dot += value[k][i] * value[k][j];
            mass[i * n + j] += volume / 20.0 * (sumI * sumJ + dot);
        }
    }
}

static bool pushElement(Builder *b, int cell, double volume, const snVec3 *gradient)
{
    int n = (int)snLattice_Kind(b->lattice, cell);
    const int *corners = snLattice_Corners(b->lattice, cell);
    for (int k = 0; k < n; k++) {
        if (snLengthSquared(gradient[k]) == 0) continue;
        if (!snArray_Push(b->allocator, &b->corner, corners[k]) ||
            !snArray_Push(b->allocator, &b->gradient, gradient[k]))
            return false;
    }
    return snArray_Push(b->allocator, &b->start, b->corner.count) &&
           snArray_Push(b->allocator, &b->volume, volume) &&
           snArray_Push(b->allocator, &b->cell, cell);
}

static bool pushTetCell(Builder *b, int cell)
{
    snVec3 p[4], gradient[4];
    for (int k = 0; k < 4; k++)
        p[k] = b->lattice->rest[snLattice_Corners(b->lattice, cell)[k]];
    snTetGradients(p, gradient);
    return b->elastic[cell] <= 0 || pushElement(b, cell, b->elastic[cell], gradient);
}

static bool pushFineTet(Builder *b, int tet, double volume, const snVec3 fineGradient[4],
                        double value[4][SN_CELL_CORNERS])
{
    snVec3 gradient[SN_CELL_CORNERS] = {{0, 0, 0}};
    for (int c = 0; c < SN_CELL_CORNERS; c++)
        for (int k = 0; k < 4; k++)
            gradient[c] = snMulAdd(gradient[c], value[k][c], fineGradient[k]);
    return pushElement(b, b->cut.cell[tet], volume, gradient);
}

static bool integrateTet(Builder *b, int tet)
{
    snVec3 p[4], gradient[4];
    double value[4][SN_CELL_CORNERS], least = b->def->leastFraction;
    int cell = b->cut.cell[tet];
    tetPoints(b, tet, p);
    double whole = snTetGradients(p, gradient), inside = whole * b->fraction[tet];
    double elastic = b->fraction[tet] > least ? inside : least * whole;
    if (elastic <= 0) return true;
    tetValues(b, tet, value);
    b->out->cellVolume[cell] += inside;
    b->elastic[cell] += elastic;
    addMass(b, tet, inside, value);
    if (snLattice_Kind(b->lattice, cell) == SN_TET) return true;
    return pushFineTet(b, tet, elastic, gradient, value);
}

static bool integrate(Builder *b)
{
    bool good = snArray_Push(b->allocator, &b->start, 0);
    for (int t = 0; t < b->cut.count && good; t++)
        good = integrateTet(b, t);
    for (int c = 0; c < b->lattice->cellCount && good; c++)
        if (snLattice_Kind(b->lattice, c) == SN_TET) good = pushTetCell(b, c);
    return good;
}

static snStatus allocMass(Builder *b, snArena *arena, snError *error)
{
    snQuadrature *out = b->out;
    int cells = b->lattice->cellCount;
    out->massStart = SN_NEW(arena, int, cells + 1);
    if (!out->massStart) return snFailMemory(error);
    for (int c = 0; c < cells; c++) {
        int n = (int)snLattice_Kind(b->lattice, c);
        out->massStart[c + 1] = out->massStart[c] + n * n;
    }
    out->mass = SN_NEW(arena, double, out->massStart[cells]);
    out->cellVolume = SN_NEW(arena, double, cells);
    return out->mass && out->cellVolume ? SN_OK : snFailMemory(error);
}

static snStatus keep(Builder *b, snArena *arena, snError *error)
{
    snQuadrature *out = b->out;
    out->elementCount = b->volume.count;
    out->start = SN_COPY(arena, int, b->start.data, b->start.count);
    out->corner = SN_COPY(arena, int, b->corner.data, b->corner.count);
    out->gradient = SN_COPY(arena, snVec3, b->gradient.data, b->gradient.count);
    out->volume = SN_COPY(arena, double, b->volume.data, b->volume.count);
    out->cell = SN_COPY(arena, int, b->cell.data, b->cell.count);
    bool good = out->start && out->corner && out->gradient && out->volume && out->cell;
    return good ? SN_OK : snFailMemory(error);
}

snStatus snQuadrature_Make(snQuadrature *quadrature, const snLattice *lattice,
                           const snQuadratureDef *def, snArena *arena, const snContext *context,
                           snError *error)
{
    *quadrature = (snQuadrature){0};
    snArena scratch = snMakeArena(context);
    snFineLattice fine = {0};
    Builder b = {.lattice = lattice,
                 .fine = &fine,
                 .def = def,
                 .out = quadrature,
                 .allocator = &context->allocator};
    snStatus status = snSubdivide(&fine, lattice, def->level, &scratch, context, error);
    if (!status) status = snSplitCells(&b.cut, &b.fine->lattice, b.fine->parent, &scratch, error);
    if (!status) status = findFractions(&b, &scratch, error);
    if (!status) status = allocMass(&b, arena, error);
    b.elastic = SN_NEW(&scratch, double, lattice->cellCount);
    if (!status && !b.elastic) status = snFailMemory(error);
    if (!status && !integrate(&b)) status = snFailMemory(error);
    if (!status) status = keep(&b, arena, error);
    snArray_Free(b.allocator, &b.start);
    snArray_Free(b.allocator, &b.corner);
    snArray_Free(b.allocator, &b.gradient);
    snArray_Free(b.allocator, &b.volume);
    snArray_Free(b.allocator, &b.cell);
    snArena_Destroy(&scratch);
    return status;
}
