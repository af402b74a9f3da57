// With D = ∇d = Σ_a q_a g_aᵀ, e = ½ (D + Dᵀ) and n = ½ DᵀD, Green strain is E = e + n. Let
// d_ab = g_a.g_b:
//
//     tr E = Σ_a q_a.g_a + ½ Σ_ab d_ab q_a.q_b
//     e:e  = ½ Σ_ab [d_ab q_a.q_b + (q_a.g_b)(q_b.g_a)]
//     2e:n = D:DᵀD = Σ_abc (q_a.g_b) d_ac (q_b.q_c)
//     n:n  = ¼ Σ_abcd d_ac d_bd (q_a.q_b)(q_c.q_d)
//
// so that V = ∫ λ/2 tr²E + μ E:E has one term of each degree, each symmetric in what it can be:
//
//     V = ½ Σ_ab q_a.K_ab q_b + Σ_abc (q_a.w_abc)(q_b.q_c) + Σ_abcd c_abcd (q_a.q_b)(q_c.q_d)
//     K_ab   = ∫ λ g_a g_bᵀ + μ g_b g_aᵀ + μ d_ab 1
//     w_abc  = ∫ λ/2 g_a d_bc + μ/2 (g_b d_ac + g_c d_ab)
//     c_abcd = ∫ λ/8 d_ab d_cd + μ/8 (d_ac d_bd + d_ad d_bc).
//
// Beyond the quadratic term displacements come only as products of two, one for each unordered pair
// p = {b, c}: s_p = q_b.q_c. With m_p = 2, or 1 where b = c, the number of its orders,
//
//     V = ½ q.K q + Σ_p s_p u_p + ½ Σ_pr C_pr s_p s_r,   u_p = Σ_a W_pa.q_a,
//     W_pa = m_p w_abc,   C_pr = 2 m_p m_r c_bcde.
//
// Let t_p be the gradient of s_p: q_c at b and q_b at c. With f = u + C s,
//
//     ∂V/∂q   = K q + Σ_p (f_p t_p + s_p W_p)
//     ∂²V/∂q² = K + Σ_p (f_p ∂t_p + t_p ⊗ W_p + W_p ⊗ t_p) + Σ_pr C_pr t_p ⊗ t_r.
//
// C is symmetric and kept by its lower triangle, column by column: what has t twice or W in it is
// A + Aᵀ with
//
//     A = Σ_p t_p ⊗ Z_p,   Z_p = W_p + ½ C_pp t_p + Σ_{r > p} C_rp t_r,
//
// and Z_p lives on the vertices that W_p has: a short list per pair, and no search.
#include "body/lattice/polynomial.h"

#include "body/lattice/model.h"
#include "core/error.h"

#include <limits.h>
#include <string.h>

#define CELL_PAIRS (SN_CELL_CORNERS * (SN_CELL_CORNERS + 1) / 2)

// ---- which combinations there are ---------------------------------------------------------------

// The pairs of every cell, corners (i, j), j <= i, in order of i, then j.
typedef struct Groups {
    int *start;   // [cells + 1]
    int *pair;    // [start[cells]]
    int *inStart; // [pairs + 1], the cells that a pair is in
    int *inCell;  // ascending
    int *mark;    // [vertices]
    int *placeOf; // [vertices]
} Groups;

static int findPair(const snPolynomial *polynomial, int a, int b)
{
    return snPattern_Find(&polynomial->quadratic.pattern, a > b ? a : b, a > b ? b : a);
}

static void listPairs(Groups *groups, const snPolynomial *polynomial, const snLattice *lattice)
{
    for (int c = 0, count = 0; c < lattice->cellCount; c++) {
        const int *corners = snLattice_Corners(lattice, c);
        for (int i = 0; i < (int)snLattice_Kind(lattice, c); i++)
            for (int j = 0; j <= i; j++)
                groups->pair[count++] = findPair(polynomial, corners[i], corners[j]);
        groups->start[c + 1] = count;
    }
}

static void invertPairs(Groups *groups, int cells, int pairs)
{
    for (int k = 0; k < groups->start[cells]; k++)
        groups->inStart[groups->pair[k] + 1]++;
    for (int p = 0; p < pairs; p++)
        groups->inStart[p + 1] += groups->inStart[p];
    for (int c = cells - 1; c >= 0; c--) // from behind, so that what is counted down ends right
        for (int k = groups->start[c + 1] - 1; k >= groups->start[c]; k--)
            groups->inCell[--groups->inStart[groups->pair[k] + 1]] = c;
    for (int p = 0; p < pairs; p++) // every start has moved to the place of the one before
        groups->inStart[p] = groups->inStart[p + 1];
    groups->inStart[pairs] = groups->start[cells];
}

static snStatus makeGroups(Groups *groups, const snPolynomial *polynomial, const snLattice *lattice,
                           snArena *scratch, snError *error)
{
    int cells = lattice->cellCount, pairs = polynomial->pairCount;
    size_t most = (size_t)cells * CELL_PAIRS;
    if (most > INT_MAX)
        return snFail(error, SN_ERROR_ARGUMENT, "a lattice of %d cells has too many pairs", cells);
    groups->start = SN_NEW(scratch, int, (size_t)cells + 1);
    groups->pair = SN_NEW(scratch, int, most);
    groups->inStart = SN_NEW(scratch, int, (size_t)pairs + 1);
    groups->inCell = SN_NEW(scratch, int, most);
    groups->mark = SN_NEW(scratch, int, lattice->vertexCount);
    groups->placeOf = SN_NEW(scratch, int, lattice->vertexCount);
    if (!groups->start || !groups->pair || !groups->inStart || !groups->inCell || !groups->mark ||
        !groups->placeOf)
        return snFailMemory(error);
    listPairs(groups, polynomial, lattice);
    invertPairs(groups, cells, pairs);
    return SN_OK;
}

// The vertices of all cells that a pair is in, each once; counted, or written to `out`.
static int pairVertices(Groups *groups, const snLattice *lattice, int pair, int stamp, int *out)
{
    int count = 0;
    for (int k = groups->inStart[pair]; k < groups->inStart[pair + 1]; k++) {
        int cell = groups->inCell[k];
        const int *corners = snLattice_Corners(lattice, cell);
        for (int i = 0; i < (int)snLattice_Kind(lattice, cell); i++) {
            if (groups->mark[corners[i]] == stamp) continue;
            groups->mark[corners[i]] = stamp;
            groups->placeOf[corners[i]] = count;
            if (out) out[count] = corners[i];
            count++;
        }
    }
    return count;
}

static snStatus makeCubic(snPolynomial *polynomial, const snLattice *lattice, Groups *groups,
                          snArena *arena, snError *error)
{
    int pairs = polynomial->pairCount, stamp = 0;
    int64_t total = 0;
    polynomial->cubicStart = SN_NEW(arena, int, (size_t)pairs + 1);
    if (!polynomial->cubicStart) return snFailMemory(error);
    for (int p = 0; p < pairs; p++) {
        int count = pairVertices(groups, lattice, p, ++stamp, NULL);
        if (count > polynomial->largestCubic) polynomial->largestCubic = count;
        total += count;
        if (total > INT_MAX || count > UINT16_MAX)
            return snFail(error, SN_ERROR_ARGUMENT, "a lattice of %d cells has too many triples",
                          lattice->cellCount);
        polynomial->cubicStart[p + 1] = (int)total;
    }
    polynomial->cubicVertex = SN_NEW(arena, int, total);
    polynomial->cubic = SN_NEW(arena, snVec3, total);
    polynomial->cubicBlock = snArena_Alloc(arena, sizeof *polynomial->cubicBlock, (size_t)total);
    if (!polynomial->cubicVertex || !polynomial->cubic || !polynomial->cubicBlock)
        return snFailMemory(error);
    memset(groups->mark, 0, (size_t)lattice->vertexCount * sizeof *groups->mark);
    return SN_OK;
}

// Vertices and places, now that there is memory for them.
static void placeTerms(snPolynomial *polynomial, const snLattice *lattice, Groups *groups)
{
    const snPattern *pairs = &polynomial->quadratic.pattern,
                    *quartic = &polynomial->quartic.pattern;
    for (int p = 0; p < polynomial->pairCount; p++) {
        int first = polynomial->cubicStart[p];
        pairVertices(groups, lattice, p, p + 1, polynomial->cubicVertex + first);
        for (int k = first; k < polynomial->cubicStart[p + 1]; k++) {
            int a = polynomial->cubicVertex[k];
            polynomial->cubicBlock[k][0] = findPair(polynomial, pairs->row[p], a);
            polynomial->cubicBlock[k][1] = findPair(polynomial, polynomial->column[p], a);
        }
        for (int k = quartic->columnStart[p]; k < quartic->columnStart[p + 1]; k++) {
            int r = quartic->row[k];
            polynomial->quarticPlace[k][0] = (uint16_t)groups->placeOf[pairs->row[r]];
            polynomial->quarticPlace[k][1] = (uint16_t)groups->placeOf[polynomial->column[r]];
        }
    }
}

static snStatus makeQuartic(snPolynomial *polynomial, const snLattice *lattice,
                            const Groups *groups, snArena *arena, snError *error)
{
    snPattern pattern;
    snStatus status = snPattern_FromGroups(&pattern, polynomial->pairCount, lattice->cellCount,
                                           groups->start, groups->pair, arena, error);
    if (!status) status = snSparse_Make(&polynomial->quartic, &pattern, 1, arena, error);
    if (status) return status;
    polynomial->quarticPlace = snArena_Alloc(arena, sizeof *polynomial->quarticPlace,
                                             (size_t)pattern.columnStart[pattern.size]);
    return polynomial->quarticPlace ? SN_OK : snFailMemory(error);
}

// ---- their coefficients -------------------------------------------------------------------------

// The integrals over one cell, by numbers of its corners.
typedef struct CellTerms {
    int cell; // -1: none yet
    int n, pairCount;
    int first[CELL_PAIRS], second[CELL_PAIRS];
    snVec3 cubic[CELL_PAIRS][SN_CELL_CORNERS];
    double quartic[CELL_PAIRS][CELL_PAIRS]; // [p][r], r <= p
} CellTerms;

static void beginCell(CellTerms *terms, const snLattice *lattice, int cell)
{
    memset(terms, 0, sizeof *terms);
    terms->cell = cell;
    terms->n = (int)snLattice_Kind(lattice, cell);
    for (int i = 0; i < terms->n; i++)
        for (int j = 0; j <= i; j++, terms->pairCount++) {
            terms->first[terms->pairCount] = i;
            terms->second[terms->pairCount] = j;
        }
}

// An element's gradients by the cell's corners: zero where it has none.
static void cellGradients(const snLattice *lattice, const snQuadrature *q, int element,
                          snVec3 g[SN_CELL_CORNERS])
{
    const int *corners = snLattice_Corners(lattice, q->cell[element]);
    int n = (int)snLattice_Kind(lattice, q->cell[element]);
    for (int i = 0; i < n; i++) {
        g[i] = snVec(0, 0, 0);
        for (int k = q->start[element]; k < q->start[element + 1]; k++)
            if (q->corner[k] == corners[i]) g[i] = q->gradient[k];
    }
}

// λ and μ come times the element's volume.
static void addElement(CellTerms *terms, const snVec3 *g, double lambda, double mu)
{
    double d[SN_CELL_CORNERS][SN_CELL_CORNERS];
    for (int i = 0; i < terms->n; i++)
        for (int j = 0; j < terms->n; j++)
            d[i][j] = snDot(g[i], g[j]);
    for (int p = 0; p < terms->pairCount; p++) {
        int b = terms->first[p], c = terms->second[p];
        double mp = b == c ? 1 : 2;
        for (int a = 0; a < terms->n; a++) {
            snVec3 w = snScale(0.5 * lambda * d[b][c], g[a]);
            w = snMulAdd(snMulAdd(w, 0.5 * mu * d[a][c], g[b]), 0.5 * mu * d[a][b], g[c]);
            terms->cubic[p][a] = snMulAdd(terms->cubic[p][a], mp, w);
        }
        for (int r = 0; r <= p; r++) {
            int e = terms->first[r], f = terms->second[r];
            double mr = e == f ? 1 : 2;
            double term = lambda * d[b][c] * d[e][f] + mu * (d[b][e] * d[c][f] + d[b][f] * d[c][e]);
            terms->quartic[p][r] += 0.25 * mp * mr * term; // 2 m m c
        }
    }
}

static void addCubic(snPolynomial *polynomial, int pair, int vertex, snVec3 w)
{
    int k = polynomial->cubicStart[pair];
    while (polynomial->cubicVertex[k] != vertex)
        k++;
    polynomial->cubic[k] = snAdd(polynomial->cubic[k], w);
}

static void endCell(snPolynomial *polynomial, const CellTerms *terms, const snLattice *lattice,
                    const Groups *groups)
{
    if (terms->cell < 0) return;
    const int *corners = snLattice_Corners(lattice, terms->cell);
    const int *pair = groups->pair + groups->start[terms->cell];
    for (int p = 0; p < terms->pairCount; p++) {
        for (int a = 0; a < terms->n; a++)
            addCubic(polynomial, pair[p], corners[a], terms->cubic[p][a]);
        for (int r = 0; r <= p; r++)
            snSparse_AddScalar(&polynomial->quartic, pair[p], pair[r], terms->quartic[p][r]);
    }
}

static snStatus integrate(snPolynomial *polynomial, const snPolynomialDef *def,
                          const Groups *groups, snArena *scratch, snError *error)
{
    const snQuadrature *q = def->quadrature;
    CellTerms *terms = SN_NEW(scratch, CellTerms, 1);
    if (!terms) return snFailMemory(error);
    terms->cell = -1;
    for (int e = 0; e < q->elementCount; e++) {
        if (q->cell[e] != terms->cell) {
            endCell(polynomial, terms, def->lattice, groups);
            beginCell(terms, def->lattice, q->cell[e]);
        }
        snVec3 g[SN_CELL_CORNERS];
        double young = def->young[q->cell[e]], volume = q->volume[e];
        cellGradients(def->lattice, q, e, g);
        addElement(terms, g, volume * snLameLambda(young, def->poisson),
                   volume * snShearModulus(young, def->poisson));
    }
    endCell(polynomial, terms, def->lattice, groups);
    return SN_OK;
}

// ---- making -------------------------------------------------------------------------------------

static snStatus checkDef(const snPolynomialDef *def, snError *error)
{
    if (!(def->poisson >= 0 && def->poisson < 0.5))
        return snFail(error, SN_ERROR_ARGUMENT, "poisson is %g; it must be in [0, 0.5)",
                      def->poisson);
    for (int c = 0; c < def->lattice->cellCount; c++)
        if (!(def->young[c] > 0 && isfinite(def->young[c])))
            return snFail(error, SN_ERROR_ARGUMENT,
                          "young of cell %d is %g Pa; it must be positive", c, def->young[c]);
    return SN_OK;
}

static snStatus makeQuadratic(snPolynomial *polynomial, const snPolynomialDef *def, snArena *arena,
                              snError *error)
{
    snStatus status = snLattice_Stiffness(&polynomial->quadratic, def->lattice, def->quadrature,
                                          def->young, def->poisson, arena, error);
    if (status) return status;
    const snPattern *pattern = &polynomial->quadratic.pattern;
    polynomial->vertexCount = def->lattice->vertexCount;
    polynomial->pairCount = pattern->columnStart[pattern->size];
    polynomial->column = SN_NEW(arena, int, polynomial->pairCount);
    if (!polynomial->column) return snFailMemory(error);
    for (int j = 0; j < pattern->size; j++)
        for (int p = pattern->columnStart[j]; p < pattern->columnStart[j + 1]; p++)
            polynomial->column[p] = j;
    return SN_OK;
}

snStatus snPolynomial_Make(snPolynomial *polynomial, const snPolynomialDef *def, snArena *arena,
                           snError *error)
{
    *polynomial = (snPolynomial){0};
    snArena scratch = {.allocator = arena->allocator};
    Groups groups = {0};
    snStatus status = checkDef(def, error);
    if (!status) status = makeQuadratic(polynomial, def, arena, error);
    if (!status) status = makeGroups(&groups, polynomial, def->lattice, &scratch, error);
    if (!status) status = makeCubic(polynomial, def->lattice, &groups, arena, error);
    if (!status) status = makeQuartic(polynomial, def->lattice, &groups, arena, error);
    if (!status) placeTerms(polynomial, def->lattice, &groups);
    if (!status) status = integrate(polynomial, def, &groups, &scratch, error);
    snArena_Destroy(&scratch);
    return status;
}

size_t snPolynomial_ScratchSize(const snPolynomial *polynomial)
{
    return 2 * (size_t)polynomial->pairCount + 3 * (size_t)polynomial->largestCubic;
}

size_t snPolynomial_Bytes(const snPolynomial *polynomial)
{
    size_t pairs = (size_t)polynomial->pairCount;
    size_t triples = (size_t)polynomial->cubicStart[pairs];
    size_t quadruples = (size_t)polynomial->quartic.pattern.columnStart[pairs];
    return pairs * (9 * sizeof(double) + 4 * sizeof(int)) +
           triples * (sizeof(snVec3) + 3 * sizeof(int)) +
           quadruples * (sizeof(double) + sizeof(int) + 2 * sizeof(uint16_t));
}

// ---- evaluating ---------------------------------------------------------------------------------

// The scratch: s, f, and Z of one pair.
typedef struct Work {
    const double *q;
    double *s, *f, *z;
} Work;

static snVec3 at(const double *q, int vertex)
{
    return snVec(q[3 * vertex], q[3 * vertex + 1], q[3 * vertex + 2]);
}

static void addTo(double *q, int vertex, double scale, snVec3 v)
{
    q[3 * vertex] += scale * v.x;
    q[3 * vertex + 1] += scale * v.y;
    q[3 * vertex + 2] += scale * v.z;
}

static int rowOf(const snPolynomial *polynomial, int pair)
{
    return polynomial->quadratic.pattern.row[pair];
}

// s_p, u_p and (C s)_p; returns Σ_p s_p u_p + ½ s.C s, and leaves f in work.f.
static double contract(const snPolynomial *polynomial, const double *q, double *scratch, Work *work)
{
    int pairs = polynomial->pairCount;
    *work = (Work){q, scratch, scratch + pairs, scratch + 2 * (size_t)pairs};
    for (int p = 0; p < pairs; p++)
        work->s[p] = snDot(at(q, rowOf(polynomial, p)), at(q, polynomial->column[p]));
    snSparse_Multiply(&polynomial->quartic, 1, work->s, work->f);
    double value = 0;
    for (int p = 0; p < pairs; p++) {
        double u = 0;
        for (int k = polynomial->cubicStart[p]; k < polynomial->cubicStart[p + 1]; k++)
            u += snDot(polynomial->cubic[k], at(q, polynomial->cubicVertex[k]));
        value += work->s[p] * (u + 0.5 * work->f[p]);
        work->f[p] += u;
    }
    return value;
}

double snPolynomial_Value(const snPolynomial *polynomial, const double *q, double *scratch)
{
    Work work;
    double value = contract(polynomial, q, scratch, &work), quadratic = 0;
    for (int p = 0; p < polynomial->pairCount; p++) {
        const double *k = polynomial->quadratic.values + 9 * (size_t)p;
        int i = rowOf(polynomial, p), j = polynomial->column[p];
        snVec3 kq = {snDot(snVec(k[0], k[1], k[2]), at(q, j)),
                     snDot(snVec(k[3], k[4], k[5]), at(q, j)),
                     snDot(snVec(k[6], k[7], k[8]), at(q, j))};
        quadratic += (i == j ? 0.5 : 1.0) * snDot(at(q, i), kq);
    }
    return quadratic + value;
}

void snPolynomial_Gradient(const snPolynomial *polynomial, const double *q, double *out,
                           double *scratch)
{
    Work work;
    contract(polynomial, q, scratch, &work);
    snSparse_Multiply(&polynomial->quadratic, 1, q, out);
    for (int p = 0; p < polynomial->pairCount; p++) {
        int i = rowOf(polynomial, p), j = polynomial->column[p];
        addTo(out, i, work.f[p], at(q, j));
        addTo(out, j, work.f[p], at(q, i));
        for (int k = polynomial->cubicStart[p]; k < polynomial->cubicStart[p + 1]; k++)
            addTo(out, polynomial->cubicVertex[k], work.s[p], polynomial->cubic[k]);
    }
}

// Z_p, on the vertices of the pair's cubic term.
static void findZ(const snPolynomial *polynomial, const Work *work, int pair)
{
    const snPattern *quartic = &polynomial->quartic.pattern;
    int first = polynomial->cubicStart[pair], count = polynomial->cubicStart[pair + 1] - first;
    memcpy(work->z, polynomial->cubic + first, (size_t)count * sizeof(snVec3));
    for (int k = quartic->columnStart[pair]; k < quartic->columnStart[pair + 1]; k++) {
        int r = quartic->row[k];
        double c = (r == pair ? 0.5 : 1.0) * polynomial->quartic.values[k];
        addTo(work->z, polynomial->quarticPlace[k][0], c, at(work->q, polynomial->column[r]));
        addTo(work->z, polynomial->quarticPlace[k][1], c, at(work->q, rowOf(polynomial, r)));
    }
}

// The part x ⊗ z of A at (row, column), added to A + Aᵀ, whose lower triangle is kept.
static void addSymmetric(double *block, int row, int column, snVec3 x, snVec3 z)
{
    const double left[3] = {x.x, x.y, x.z}, right[3] = {z.x, z.y, z.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (row >= column) block[3 * i + j] += left[i] * right[j];
            if (row <= column) block[3 * i + j] += right[i] * left[j];
        }
}

void snPolynomial_Hessian(const snPolynomial *polynomial, const double *q, snSparse *matrix,
                          double *scratch)
{
    Work work;
    contract(polynomial, q, scratch, &work);
    memcpy(matrix->values, polynomial->quadratic.values,
           (size_t)polynomial->pairCount * 9 * sizeof(double));
    for (int p = 0; p < polynomial->pairCount; p++) {
        int i = rowOf(polynomial, p), j = polynomial->column[p], first = polynomial->cubicStart[p];
        for (int c = 0; c < 3; c++)
            matrix->values[9 * (size_t)p + 4 * (size_t)c] += (i == j ? 2.0 : 1.0) * work.f[p];
        findZ(polynomial, &work, p);
        for (int k = first; k < polynomial->cubicStart[p + 1]; k++) {
            int a = polynomial->cubicVertex[k];
            double *values = matrix->values;
            snVec3 z = at(work.z, k - first);
            addSymmetric(values + 9 * (size_t)polynomial->cubicBlock[k][0], i, a, at(q, j), z);
            addSymmetric(values + 9 * (size_t)polynomial->cubicBlock[k][1], j, a, at(q, i), z);
        }
    }
}
