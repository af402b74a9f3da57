// Which details act, is decided by strain (adapt.c): a detail of level j comes when a cell of its support
// is strained by more than refine_j. In a swing that grows, all strains grow alike, so details come in the
// order of (strain of their cells) / refine_j, and end when as many act as may. These are the functions
// that the swing is computed with. Stiffness is that of the step: a cell with an acting detail counts with
// the fine tets of the finest such level, others with their one element; mass is the consistent one, over
// the tets of the finest level there is.
#include "body/lattice/swing_detail.h"

#include "body/lattice/filling.h"
#include "core/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Candidate {
    double key;
    int function;
} Candidate;

typedef struct Maker {
    const snFineSwingDef *def;
    const snBasis *basis; // the finest
    snFineSwing *swing;
    int *number;       // [functions], row, or -1
    int *element;      // [cells], in the quadrature
    double *strain;    // [cells], squared
    int *groupStart;   // [cells + 1]: rows of a cell; none where all is clamped
    int *group;        //
    int *level;        // [cells], the finest that acts there
    int *place;        // [count], in the cell + 1, or 0
    double *stiffness; // [rows of a cell]² blocks of 9
    double *mass;      // [rows of a cell]²
} Maker;

// ---- who acts ---------------------------------------------------------------------------------------

// Linear strain sym(Σ u_a g_aᵀ) of every cell's element: |e|².
static void findStrains(Maker *m)
{
    const snQuadrature *q = m->def->quadrature;
    for (int e = 0; e < q->elementCount; e++) {
        double f[9] = {0}, sum = 0;
        for (int i = q->start[e]; i < q->start[e + 1]; i++) {
            const double *u = m->def->shape + 3 * (size_t)q->corner[i];
            double g[3] = {q->gradient[i].x, q->gradient[i].y, q->gradient[i].z};
            for (int k = 0; k < 9; k++)
                f[k] += u[k / 3] * g[k % 3];
        }
        for (int k = 0; k < 9; k++) {
            double s = 0.5 * (f[k] + f[k % 3 * 3 + k / 3]);
            sum += s * s;
        }
        m->element[q->cell[e]] = e;
        m->strain[q->cell[e]] = sum;
    }
}

// A detail belongs to the part if one of the vertices that its own is made of does.
static bool belongs(const Maker *m, int function)
{
    const snWeightRows *rows = &m->basis->values;
    for (int i = rows->start[function]; i < rows->start[function + 1]; i++)
        if (rows->column[i] < m->def->lattice->vertexCount && m->def->free[rows->column[i]])
            return true;
    return false;
}

static double keyOf(const Maker *m, int function)
{
    const snBasis *basis = m->basis;
    double most = 0, refine = m->def->refine[snBasis_Level(basis, function) - 1];
    for (int i = basis->supportStart[function]; i < basis->supportStart[function + 1]; i++)
        most = fmax(most, m->strain[basis->support[i]]);
    return refine > 0 ? most / (refine * refine) : INFINITY; // always on
}

static int compareCandidates(const void *a, const void *b)
{
    const Candidate *x = a, *y = b;
    if (x->key != y->key) return x->key > y->key ? -1 : 1;
    return (x->function > y->function) - (x->function < y->function);
}

static snStatus chooseDetails(Maker *m, snArena *scratch, snError *error)
{
    const snBasis *basis = m->basis;
    int n = m->def->lattice->vertexCount, count = 0;
    Candidate *list = SN_NEW(scratch, Candidate, basis->functionCount);
    if (!list) return snFailMemory(error);
    for (int f = 0; f < basis->functionCount; f++) {
        m->number[f] = f < n ? f : -1;
        if (f >= n && m->def->most > 0 && basis->state[f] == SN_FUNCTION_KEPT && belongs(m, f))
            list[count++] = (Candidate){keyOf(m, f), f};
    }
    qsort(list, (size_t)count, sizeof *list, compareCandidates);
    m->swing->detailCount = count < m->def->most ? count : m->def->most;
    m->swing->count = n + m->swing->detailCount;
    for (int i = 0; i < m->swing->detailCount; i++)
        m->number[list[i].function] = n + i;
    return SN_OK;
}

// ---- matrices ---------------------------------------------------------------------------------------

static bool isClamped(const Maker *m, int cell)
{
    const int *corners = snLattice_Corners(m->def->lattice, cell);
    for (int k = 0; k < 4; k++)
        if (m->def->free[corners[k]]) return false;
    return true;
}

// Rows of every cell, and the finest level that acts in it.
static snStatus listRows(Maker *m, snArena *scratch, snError *error)
{
    const snBasis *basis = m->basis;
    int cells = basis->cellCount, n = m->def->lattice->vertexCount, at = 0;
    m->groupStart = SN_NEW(scratch, int, cells + 1);
    m->group = SN_NEW(scratch, int, basis->insideStart[cells]);
    m->level = SN_NEW(scratch, int, cells);
    if (!m->groupStart || !m->group || !m->level) return snFailMemory(error);
    for (int c = 0; c < cells; c++) {
        for (int i = basis->insideStart[c]; i < basis->insideStart[c + 1] && !isClamped(m, c);
             i++) {
            int f = basis->inside[i], level = snBasis_Level(basis, f);
            if (m->number[f] < 0) continue;
            m->group[at++] = m->number[f];
            if (f >= n && level > m->level[c]) m->level[c] = level;
        }
        m->groupStart[c + 1] = at;
    }
    return SN_OK;
}

static snStatus makeMatrices(Maker *m, snArena *arena, snArena *scratch, snError *error)
{
    snFineSwing *swing = m->swing;
    snPattern pattern;
    size_t most = 0;
    for (int c = 0; c < m->basis->cellCount; c++) {
        size_t rows = (size_t)(m->groupStart[c + 1] - m->groupStart[c]);
        most = rows > most ? rows : most;
    }
    m->place = SN_NEW(scratch, int, swing->count);
    m->mass = SN_NEW(scratch, double, most *most);
    m->stiffness = SN_NEW(scratch, double, 9 * most * most);
    if (!m->place || !m->mass || !m->stiffness) return snFailMemory(error);
    snStatus status = snPattern_FromGroups(&pattern, swing->count, m->basis->cellCount,
                                           m->groupStart, m->group, arena, error);
    if (!status) status = snSparse_Make(&swing->stiffness, &pattern, 3, arena, error);
    if (!status) status = snSparse_Make(&swing->mass, &pattern, 1, arena, error);
    return status;
}

// The functions on one tet: places in the cell, values at its corners and gradients.
#define MOST_FUNCTIONS (SN_CELL_CORNERS + 7 * SN_BASIS_LEVELS)
typedef struct Local {
    int count;
    int place[MOST_FUNCTIONS];
    double value[MOST_FUNCTIONS][4], sum[MOST_FUNCTIONS];
    snVec3 gradient[MOST_FUNCTIONS];
} Local;

static void findLocal(const Maker *m, const snBasisMesh *mesh, int tet, Local *local)
{
    const snWeightRows *rows = &m->basis->values; // vertices keep their numbers at every level
    snVec3 p[4], g[4];
    for (int k = 0; k < 4; k++)
        p[k] = mesh->rest[mesh->tets[tet][k]];
    snTetGradients(p, g);
    local->count = 0;
    for (int k = 0; k < 4; k++)
        for (int i = rows->start[mesh->tets[tet][k]]; i < rows->start[mesh->tets[tet][k] + 1];
             i++) {
            int row = m->number[rows->column[i]], at = 0;
            if (row < 0) continue;
            while (at < local->count && local->place[at] != m->place[row] - 1)
                at++;
            if (at == local->count) {
                local->place[local->count++] = m->place[row] - 1;
                memset(local->value[at], 0, sizeof local->value[at]);
                local->sum[at] = 0;
                local->gradient[at] = snVec(0, 0, 0);
            }
            local->value[at][k] = rows->weight[i];
            local->sum[at] += rows->weight[i];
            local->gradient[at] = snMulAdd(local->gradient[at], rows->weight[i], g[k]);
        }
}

// As in basis_gram.c.
static void addMass(Maker *m, const Local *local, int rows, double mass)
{
    for (int i = 0; i < local->count; i++)
        for (int j = 0; j < local->count; j++) {
            double dot = local->sum[i] * local->sum[j];
            for (int k = 0; k < 4; k++)
                dot += local->value[i][k] * local->value[j][k];
            m->mass[local->place[i] * rows + local->place[j]] += mass / 20 * dot;
        }
}

// As snLattice_AddElement: μ (g_a . g_b) I + μ g_b g_aᵀ + λ g_a g_bᵀ.
static void addStiffness(Maker *m, const Local *local, int rows, const double lame[2])
{
    for (int i = 0; i < local->count; i++)
        for (int j = 0; j < local->count; j++) {
            snVec3 a = local->gradient[i], b = local->gradient[j];
            double ga[3] = {a.x, a.y, a.z}, gb[3] = {b.x, b.y, b.z}, dot = snDot(a, b);
            double *block = m->stiffness +
                            9 * ((size_t)local->place[i] * (size_t)rows + (size_t)local->place[j]);
            for (int k = 0; k < 9; k++)
                block[k] += lame[0] * ((k % 4 == 0) * dot + gb[k / 3] * ga[k % 3]) +
                            lame[1] * ga[k / 3] * gb[k % 3];
        }
}

static void integrateCell(Maker *m, int cell, int rows)
{
    const snFineSwingDef *def = m->def;
    const snBasisMesh *mesh = &m->basis->mesh;
    double young = def->young[cell], mu = snShearModulus(young, def->poisson);
    double lambda = snLameLambda(young, def->poisson), lame[2] = {mu, lambda};
    int level = m->level[cell];
    Local local;
    for (int t = mesh->cellStart[cell]; t < mesh->cellStart[cell + 1]; t++) {
        if (!(mesh->fraction[t] > 0)) continue;
        findLocal(m, mesh, t, &local);
        addMass(m, &local, rows, def->density * mesh->volume[t] * mesh->fraction[t]);
    }
    if (level == 0) {
        snLattice_AddElement(&m->swing->stiffness, def->quadrature, m->element[cell], lame, NULL);
        return;
    }
    mesh = &def->bases[level - 1]->mesh;
    snFilling filling = snFilling_Of(mesh, cell, def->quadrature->volume[m->element[cell]]);
    for (int t = mesh->cellStart[cell]; t < mesh->cellStart[cell + 1]; t++) {
        double volume = snFilling_Volume(mesh, t, filling);
        double scaled[2] = {volume * mu, volume * lambda};
        findLocal(m, mesh, t, &local);
        addStiffness(m, &local, rows, scaled);
    }
}

static void addCell(Maker *m, int cell)
{
    const int *group = m->group + m->groupStart[cell];
    int rows = m->groupStart[cell + 1] - m->groupStart[cell];
    if (rows == 0) return;
    memset(m->mass, 0, (size_t)(rows * rows) * sizeof(double));
    memset(m->stiffness, 0, (size_t)(9 * rows * rows) * sizeof(double));
    for (int i = 0; i < rows; i++)
        m->place[group[i]] = i + 1;
    integrateCell(m, cell, rows);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) {
            if (group[i] < group[j]) continue; // the lower triangle, once
            snSparse_AddScalar(&m->swing->mass, group[i], group[j], m->mass[i * rows + j]);
            if (m->level[cell])
                snSparse_AddBlock(&m->swing->stiffness, group[i], group[j],
                                  m->stiffness + 9 * (size_t)(i * rows + j));
        }
    for (int i = 0; i < rows; i++)
        m->place[group[i]] = 0;
}

static snStatus make(Maker *m, snArena *arena, snArena *scratch, snError *error)
{
    int cells = m->basis->cellCount, n = m->def->lattice->vertexCount;
    snFineSwing *swing = m->swing;
    m->number = SN_NEW(scratch, int, m->basis->functionCount);
    m->element = SN_NEW(scratch, int, cells);
    m->strain = SN_NEW(scratch, double, cells);
    if (!m->number || !m->element || !m->strain) return snFailMemory(error);
    findStrains(m);
    snStatus status = chooseDetails(m, scratch, error);
    if (!status) status = listRows(m, scratch, error);
    if (!status) status = makeMatrices(m, arena, scratch, error);
    for (int c = 0; c < cells && !status; c++)
        addCell(m, c);
    if (status) return status;
    swing->free = SN_NEW(arena, unsigned char, swing->count);
    swing->spring = SN_NEW(arena, double, swing->count);
    if (!swing->free || !swing->spring) return snFailMemory(error);
    for (int i = 0; i < swing->count; i++)
        swing->free[i] = i >= n || m->def->free[i];
    return SN_OK;
}

snStatus snFineSwing_Make(snFineSwing *swing, const snFineSwingDef *def, snArena *arena,
                          snError *error)
{
    snArena scratch = {.allocator = arena->allocator};
    Maker maker = {.def = def, .basis = def->bases[def->levels - 1], .swing = swing};
    *swing = (snFineSwing){0};
    snStatus status = make(&maker, arena, &scratch, error);
    snArena_Destroy(&scratch);
    return status;
}
