#include "body/lattice/nodes.h"

#include "body/lattice/complex.h"
#include "body/lattice/rows.h"
#include "core/error.h"

static snStatus checkDef(const snNodesDef *def, snError *error)
{
    if ((int)def->scheme < 0 || def->scheme >= SN_SCHEME_COUNT)
        return snFail(error, SN_ERROR_ARGUMENT, "there is no scheme %d", (int)def->scheme);
    if (def->nodeLevel < 0 || def->nodeLevel > SN_NODE_LEVELS)
        return snFail(error, SN_ERROR_ARGUMENT, "nodes of level %d: it must be 0 to %d",
                      def->nodeLevel, SN_NODE_LEVELS);
    if (def->levels < 0 || def->levels > def->nodeLevel)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "%d levels of functions at nodes of level %d: it must be 0 to %d",
                      def->levels, def->nodeLevel, def->nodeLevel);
    return SN_OK;
}

static void keepFine(snNodes *nodes, const snFineLattice *fine)
{
    nodes->lattice = fine->lattice;
    nodes->parent = fine->parent;
    nodes->sourceStart = fine->sourceStart;
    nodes->source = fine->source;
}

// ---- trilinear ------------------------------------------------------------------------------------

// Row v is the mean of its sources' rows, and 1 for the function of v itself if v is in K_J.
static snStatus trilinearRows(snNodes *nodes, snArena *arena, const snContext *context,
                              snError *error)
{
    int n = nodes->lattice.vertexCount;
    snRowMaker m;
    snStatus status = snRowMaker_Begin(&m, n, nodes->functionCount, arena, context, error);
    for (int v = 0; v < n && !status; v++) {
        int begin = nodes->sourceStart[v], end = nodes->sourceStart[v + 1];
        for (int s = begin; s < end; s++)
            for (int i = m.start[nodes->source[s]]; i < m.start[nodes->source[s] + 1]; i++)
                snRowMaker_Add(&m, m.column.data[i], m.weight.data[i] / (end - begin));
        if (v < nodes->functionCount) snRowMaker_Add(&m, v, 1);
        if (!snRowMaker_Close(&m)) status = snFailMemory(error);
    }
    return snRowMaker_End(&m, &nodes->rows, status, arena, error);
}

// S_j from the sources.
static snStatus trilinearStep(snNodes *nodes, int level, snArena *arena, const snContext *context,
                              snError *error)
{
    int old = nodes->level[level].vertexCount, n = nodes->level[level + 1].vertexCount;
    snRowMaker m;
    snStatus status = snRowMaker_Begin(&m, n, old, arena, context, error);
    for (int v = 0; v < n && !status; v++) {
        int begin = nodes->sourceStart[v], end = nodes->sourceStart[v + 1];
        for (int s = begin; v >= old && s < end; s++)
            snRowMaker_Add(&m, nodes->source[s], 1.0 / (end - begin));
        if (v < old) snRowMaker_Add(&m, v, 1);
        if (!snRowMaker_Close(&m)) status = snFailMemory(error);
    }
    return snRowMaker_End(&m, &nodes->step[level], status, arena, error);
}

// What is sharp, of the next level.
static snStatus splitTags(const snSharp **sharp, const snLattice *lattice, snArena *arena,
                          const snContext *context, snError *error)
{
    if (!*sharp) return SN_OK;
    snArena scratch = snMakeArena(context);
    snComplex complex;
    snStatus status = snComplex_Make(&complex, lattice, &scratch, &scratch, context, error);
    if (!status) status = snComplex_SplitSharp(&complex, sharp, arena, error);
    snArena_Destroy(&scratch);
    return status;
}

// Coarser levels are made for their cells; all of them together are a seventh of the finest.
static snStatus makeTrilinear(snNodes *nodes, const snNodesDef *def, snArena *arena,
                              const snContext *context, snError *error)
{
    snStatus status = snLattice_CheckSharp(def->lattice, context, error);
    const snSharp *sharp = def->lattice->sharp;
    for (int j = 0; j <= def->nodeLevel && !status; j++) {
        snFineLattice fine;
        status = snSubdivide(&fine, def->lattice, j, arena, context, error);
        if (status) break;
        const snLattice *l = &fine.lattice;
        fine.lattice.sharp = sharp;
        if (j < def->nodeLevel) status = splitTags(&sharp, l, arena, context, error);
        nodes->level[j] = (snSubdivisionLevel){l->vertexCount, l->cellCount, l->cellStart,
                                               l->corners, fine.parent};
        keepFine(nodes, &fine);
    }
    nodes->functionCount = nodes->level[def->levels].vertexCount;
    for (int j = 0; j < def->nodeLevel && !status; j++)
        status = trilinearStep(nodes, j, arena, context, error);
    if (!status) status = trilinearRows(nodes, arena, context, error);
    if (!status)
        status = snWeightRows_Identity(&nodes->limit, nodes->lattice.vertexCount, arena, error);
    return status;
}

// ---- smooth schemes -------------------------------------------------------------------------------

// Nodes of level 0 are found at level 1, where all cells are hexahedra; there M is that of level 1 times
// S_0, for the first vertices.
static snStatus limitsOfLevelZero(snNodes *nodes, const snSubdivision *s, snArena *arena,
                                  const snContext *context, snError *error)
{
    snRowProduct product = {.left = &s->limit,
                            .right = &s->step[0],
                            .rowCount = nodes->level[0].vertexCount,
                            .columns = nodes->level[0].vertexCount};
    snStatus status = snRowProduct_Make(&nodes->limit, &product, arena, context, error);
    nodes->rows = nodes->limit;
    return status;
}

static snStatus limitRows(snNodes *nodes, const snSubdivision *s, snArena *arena,
                          const snContext *context, snError *error)
{
    snRowProduct product = {.left = &s->limit,
                            .right = &s->fine.rows,
                            .rowCount = nodes->lattice.vertexCount,
                            .columns = nodes->functionCount};
    nodes->limit = s->limit;
    return snRowProduct_Make(&nodes->rows, &product, arena, context, error);
}

// The vertices in the limit, from the finest control points.
static snStatus moveToLimit(snNodes *nodes, const snVec3 *control, snArena *arena, snError *error)
{
    int n = nodes->lattice.vertexCount;
    nodes->lattice.rest = SN_NEW(arena, snVec3, n);
    if (!nodes->lattice.rest) return snFailMemory(error);
    for (int v = 0; v < n; v++)
        nodes->lattice.rest[v] = snWeightRows_Point(&nodes->limit, v, control);
    return SN_OK;
}

static snStatus makeSmooth(snNodes *nodes, const snNodesDef *def, snArena *arena,
                           const snContext *context, snError *error)
{
    snSubdivision s;
    int Q = def->nodeLevel;
    snSubdivisionDef subdivision = {.scheme = def->scheme,
                                    .lattice = def->lattice,
                                    .levels = Q > 0 ? Q : 1,
                                    .functions = def->levels,
                                    .limit = true};
    snStatus status = snSubdivision_Make(&s, &subdivision, arena, context, error);
    if (status) return status;
    keepFine(nodes, &s.fine);
    for (int j = 0; j <= Q; j++)
        nodes->level[j] = s.level[j];
    for (int j = 0; j < Q; j++)
        nodes->step[j] = s.step[j];
    nodes->functionCount = nodes->level[def->levels].vertexCount;
    if (Q == 0) {
        nodes->lattice = *def->lattice;
        nodes->parent = nodes->level[0].parent;
        status = limitsOfLevelZero(nodes, &s, arena, context, error);
    } else {
        status = limitRows(nodes, &s, arena, context, error);
    }
    if (!status) status = moveToLimit(nodes, nodes->lattice.rest, arena, error);
    return status;
}

snStatus snNodes_Make(snNodes *nodes, const snNodesDef *def, snArena *arena,
                      const snContext *context, snError *error)
{
    *nodes = (snNodes){.scheme = def->scheme, .levels = def->levels, .nodeLevel = def->nodeLevel};
    snStatus status = checkDef(def, error);
    if (status) return status;
    if (def->scheme == SN_SCHEME_TRILINEAR) return makeTrilinear(nodes, def, arena, context, error);
    return makeSmooth(nodes, def, arena, context, error);
}

// ---- use ------------------------------------------------------------------------------------------

int snNodes_Level(const snNodes *nodes, int function)
{
    int level = 0;
    while (function >= nodes->level[level].vertexCount)
        level++;
    return level;
}

static void multiply(const snWeightRows *rows, int count, const snVec3 *in, snVec3 *out)
{
    for (int r = 0; r < count; r++)
        out[r] = snWeightRows_Point(rows, r, in);
}

static void multiplyTransposed(const snWeightRows *rows, int count, int columns, const snVec3 *in,
                               snVec3 *out)
{
    for (int c = 0; c < columns; c++)
        out[c] = snVec(0, 0, 0);
    for (int r = 0; r < count; r++)
        for (int i = rows->start[r]; i < rows->start[r + 1]; i++)
            out[rows->column[i]] = snMulAdd(out[rows->column[i]], rows->weight[i], in[r]);
}

void snNodes_Apply(const snNodes *nodes, const snVec3 *q, snVec3 *y, snVec3 *work)
{
    int n = nodes->lattice.vertexCount;
    snVec3 *p = work, *next = work + n;
    for (int v = 0; v < nodes->level[0].vertexCount; v++)
        p[v] = q[v];
    for (int j = 0; j < nodes->nodeLevel; j++) {
        int old = nodes->level[j].vertexCount, count = nodes->level[j + 1].vertexCount;
        multiply(&nodes->step[j], count, p, next);
        for (int v = old; v < count && j < nodes->levels; v++)
            next[v] = snAdd(next[v], q[v]);
        snVec3 *swap = p;
        p = next;
        next = swap;
    }
    multiply(&nodes->limit, n, p, y);
}

void snNodes_ApplyTransposed(const snNodes *nodes, const snVec3 *gy, snVec3 *gq, snVec3 *work)
{
    int n = nodes->lattice.vertexCount;
    snVec3 *p = work, *next = work + n;
    multiplyTransposed(&nodes->limit, n, n, gy, p);
    for (int j = nodes->nodeLevel - 1; j >= 0; j--) {
        int old = nodes->level[j].vertexCount, count = nodes->level[j + 1].vertexCount;
        for (int v = old; v < count && j < nodes->levels; v++)
            gq[v] = p[v];
        multiplyTransposed(&nodes->step[j], count, old, p, next);
        snVec3 *swap = p;
        p = next;
        next = swap;
    }
    for (int v = 0; v < nodes->level[0].vertexCount; v++)
        gq[v] = p[v];
}

void snNodes_Rest(const snNodes *nodes, const snLattice *lattice, snVec3 *q)
{
    for (int f = 0; f < nodes->functionCount; f++)
        q[f] = f < lattice->vertexCount ? lattice->rest[f] : snVec(0, 0, 0);
}
