// Region weights W minimise, over the vertices that are not on a bone,
//
//     Σ_a d_a |W_a - w_a|² + s tr(Wᵀ L W)
//
// with w the skin's weights, d_a = 1 (0 where the skin gives none) and L the graph Laplacian of the
// lattice's edges. Its rows sum to zero and w's to one, so W's do too; and the matrix d + s L has
// no positive entry off its diagonal, so W is nowhere negative.
#include "body/lattice/regions.h"

#include "core/error.h"
#include "numerics/cholesky.h"

snRegionsDef snDefaultRegionsDef(void)
{
    return (snRegionsDef){.rule = SN_REGION_ANY, .smoothing = 0, .leastWeight = 0.02};
}

typedef struct Maker {
    const snRegionsDef *def;
    int vertices, joints, regions;
    double smoothing;
    int *regionOf; // [joints], or -1
    double *row;   // [vertices * regions], w, then W
    snSparse matrix;
} Maker;

static double *rowOf(const Maker *m, int vertex)
{
    return m->row + (size_t)vertex * (size_t)m->regions;
}

static snStatus checkDef(const snRegionsDef *def, snError *error)
{
    if (!def->skin)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "regions need joint weights of the lattice: give skin or regions");
    if (!(def->smoothing >= 0 && def->smoothing < 1e6))
        return snFail(error, SN_ERROR_ARGUMENT, "smoothing is %g; it must be 0 or more",
                      def->smoothing);
    if (!(def->leastWeight >= 0 && def->leastWeight < 1))
        return snFail(error, SN_ERROR_ARGUMENT, "leastWeight is %g; it must be in [0, 1)",
                      def->leastWeight);
    return SN_OK;
}

// One region per joint that has a vertex on its bone or carries weight, in order of joints.
static snStatus findJoints(Maker *m, snRegions *out, snArena *arena, snArena *scratch,
                           snError *error)
{
    const snWeightRows *skin = m->def->skin;
    const int *onBone = m->def->lattice->joint;
    for (int v = 0; v < m->vertices; v++) {
        if (onBone[v] >= m->joints) m->joints = onBone[v] + 1;
        for (int k = skin->start[v]; k < skin->start[v + 1]; k++)
            if (skin->column[k] >= m->joints) m->joints = skin->column[k] + 1;
    }
    m->regionOf = SN_NEW(scratch, int, m->joints);
    out->joint = SN_NEW(arena, int, m->joints);
    if (!m->regionOf || !out->joint) return snFailMemory(error);
    for (int v = 0; v < m->vertices; v++) {
        if (onBone[v] >= 0) m->regionOf[onBone[v]] = 1;
        for (int k = skin->start[v]; k < skin->start[v + 1] && onBone[v] < 0; k++)
            if (skin->weight[k] > 0) m->regionOf[skin->column[k]] = 1;
    }
    for (int j = 0; j < m->joints; j++) {
        if (m->regionOf[j]) out->joint[m->regions] = j;
        m->regionOf[j] = m->regionOf[j] ? m->regions++ : -1;
    }
    if (m->regions == 0)
        return snFail(error, SN_ERROR_ARGUMENT, "no joint carries weight: there are no regions");
    return SN_OK;
}

// w: one-hot on bones, else the skin's, normalised. Returns whether the row has any.
static bool fillRow(Maker *m, int vertex)
{
    const snWeightRows *skin = m->def->skin;
    double *row = rowOf(m, vertex), sum = 0;
    int bone = m->def->lattice->joint[vertex];
    if (bone >= 0) row[m->regionOf[bone]] = 1;
    for (int k = skin->start[vertex]; k < skin->start[vertex + 1] && bone < 0; k++)
        if (skin->weight[k] > 0) {
            row[m->regionOf[skin->column[k]]] += skin->weight[k];
            sum += skin->weight[k];
        }
    for (int r = 0; r < m->regions && sum > 0; r++)
        row[r] /= sum;
    return bone >= 0 || sum > 0;
}

// An edge's part of s L. A vertex on a bone is known and goes to the other's right-hand side.
static void addEdge(Maker *m, int a, int b)
{
    double s = m->smoothing;
    const int *bone = m->def->lattice->joint;
    int ends[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        int v = ends[k], other = ends[1 - k];
        if (bone[v] >= 0) continue;
        snSparse_AddScalar(&m->matrix, v, v, s);
        if (bone[other] >= 0) rowOf(m, v)[m->regionOf[bone[other]]] += s;
    }
    if (bone[a] < 0 && bone[b] < 0) snSparse_AddScalar(&m->matrix, a, b, -s);
}

static snStatus smooth(Maker *m, const unsigned char *has, snArena *scratch, snError *error)
{
    const snLattice *lattice = m->def->lattice;
    snPattern pattern;
    snSymbolic *symbolic;
    snFactor *factor;
    snStatus status = snPattern_FromGroups(&pattern, m->vertices, lattice->cellCount,
                                           lattice->cellStart, lattice->corners, scratch, error);
    if (!status) status = snSparse_Make(&m->matrix, &pattern, 1, scratch, error);
    if (status) return status;
    for (int v = 0; v < m->vertices; v++) // a lone vertex has some equation, too
        snSparse_AddScalar(&m->matrix, v, v, has[v] ? 1 : 1e-12);
    for (int c = 0; c < m->vertices; c++)
        for (int k = pattern.columnStart[c] + 1; k < pattern.columnStart[c + 1]; k++)
            addEdge(m, pattern.row[k], c);
    status = snSymbolic_Make(&symbolic, &pattern, 1, SN_ORDER_AMD, scratch, error);
    if (!status) status = snFactor_Make(&factor, symbolic, scratch, error);
    if (!status) status = snFactor_Compute(factor, &m->matrix, error);
    if (status) return status;
    double *work = SN_NEW(scratch, double, snFactor_ScratchSize(factor, m->regions));
    if (!work) return snFailMemory(error);
    snFactor_Solve(factor, m->regions, m->row, work);
    return SN_OK;
}

// Which entries of a row stay: those not too small, and the largest in any case. Others become 0.
// A vertex that nothing reaches goes to the first region.
static int trimRow(const Maker *m, double *row)
{
    int largest = 0, count = 0;
    double sum = 0, kept = 0;
    for (int r = 0; r < m->regions; r++) {
        sum += row[r];
        if (row[r] > row[largest]) largest = r;
    }
    if (!(row[largest] > 0)) row[largest] = sum = 1;
    for (int r = 0; r < m->regions; r++) {
        bool stays = r == largest || (row[r] > 0 && row[r] >= m->def->leastWeight * sum);
        row[r] = stays ? row[r] : 0;
        count += stays;
        kept += row[r];
    }
    for (int r = 0; r < m->regions; r++)
        row[r] /= kept;
    return count;
}

static snStatus writeRows(Maker *m, snRegions *out, snArena *arena, snError *error)
{
    int count = 0, at = 0;
    for (int v = 0; v < m->vertices; v++)
        count += trimRow(m, rowOf(m, v));
    snStatus status =
        snWeightRows_Make(&out->rows, m->vertices, m->regions, (size_t)count, arena, error);
    for (int v = 0; v < m->vertices && !status; v++) {
        for (int r = 0; r < m->regions; r++) {
            if (!(rowOf(m, v)[r] > 0)) continue;
            out->rows.column[at] = r;
            out->rows.weight[at++] = rowOf(m, v)[r];
        }
        out->rows.start[v + 1] = at;
    }
    return status;
}

static snStatus make(Maker *m, snRegions *out, snArena *arena, snArena *scratch, snError *error)
{
    snStatus status = findJoints(m, out, arena, scratch, error);
    if (status) return status;
    unsigned char *has = SN_NEW(scratch, unsigned char, m->vertices);
    m->row = SN_NEW(scratch, double, (size_t)m->vertices *(size_t)m->regions);
    if (!has || !m->row) return snFailMemory(error);
    bool all = true;
    for (int v = 0; v < m->vertices; v++) {
        has[v] = fillRow(m, v);
        all &= has[v];
    }
    // Where no smoothing is asked for, just enough to fill the gaps.
    m->smoothing = m->def->smoothing > 0 ? m->def->smoothing : 1e-9;
    if (m->def->smoothing > 0 || !all) status = smooth(m, has, scratch, error);
    out->regionCount = m->regions;
    return status ? status : writeRows(m, out, arena, error);
}

snStatus snRegions_FromSkin(snRegions *regions, const snRegionsDef *def, snArena *arena,
                            const snContext *context, snError *error)
{
    *regions = (snRegions){.rule = def->rule, .frames = def->frames};
    snStatus status = checkDef(def, error);
    if (status) return status;
    Maker maker = {.def = def, .vertices = def->lattice->vertexCount};
    snArena scratch = snMakeArena(context);
    status = make(&maker, regions, arena, &scratch, error);
    snArena_Destroy(&scratch);
    return status;
}

snStatus snRegions_Check(const snRegions *regions, int vertexCount, snError *error)
{
    const snWeightRows *rows = &regions->rows;
    for (int r = 0; r < regions->regionCount; r++)
        if (regions->joint[r] < 0)
            return snFail(error, SN_ERROR_ARGUMENT, "region %d has joint %d", r, regions->joint[r]);
    for (int v = 0; v < vertexCount; v++) {
        double sum = 0;
        for (int k = rows->start[v]; k < rows->start[v + 1]; k++) {
            bool inRange = rows->column[k] >= 0 && rows->column[k] < regions->regionCount;
            if (!inRange || (k > rows->start[v] && rows->column[k] <= rows->column[k - 1]))
                return snFail(error, SN_ERROR_ARGUMENT,
                              "vertex %d has region %d; regions must be ascending and below %d", v,
                              rows->column[k], regions->regionCount);
            if (!(rows->weight[k] > 0))
                return snFail(error, SN_ERROR_ARGUMENT,
                              "vertex %d has weight %g in region %d; it must be positive", v,
                              rows->weight[k], rows->column[k]);
            sum += rows->weight[k];
        }
        if (!(fabs(sum - 1) < 1e-6))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "the region weights of vertex %d sum to %g instead of 1", v, sum);
    }
    return SN_OK;
}
