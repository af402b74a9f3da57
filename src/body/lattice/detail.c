// What details could act, and their matrices.
#include "body/lattice/detail.h"

#include "core/error.h"

#define MOST_FUNCTIONS 64 // that are not zero on one fine tet: 4 vertices and some of each level

// The functions on one fine tet: their numbers and their values at its corners.
typedef struct Local {
    int count;
    int function[MOST_FUNCTIONS]; // lattice vertices, then vertexCount + detail
    double value[MOST_FUNCTIONS][4];
} Local;

static int numberOf(const snBasis *basis, const int *detailOf, int function)
{
    return function < basis->levelStart[1] ? function : basis->levelStart[1] + detailOf[function];
}

static void findLocal(Local *local, const snBasis *basis, const int *detailOf, int tet)
{
    local->count = 0;
    for (int k = 0; k < 4; k++) {
        int v = basis->mesh.tets[tet][k];
        for (int i = basis->values.start[v]; i < basis->values.start[v + 1]; i++) {
            int f = numberOf(basis, detailOf, basis->values.vertex[i]), at = 0;
            while (at < local->count && local->function[at] != f)
                at++;
            if (at == MOST_FUNCTIONS) continue; // cannot be: 4 + 11 levels
            if (at == local->count) {
                local->function[local->count++] = f;
                for (int c = 0; c < 4; c++)
                    local->value[at][c] = 0;
            }
            local->value[at][k] = basis->values.weight[i];
        }
    }
}

// Volumes that fine tets of a cell count with: what is in Ω, brought to the volume of the cell's own
// element, which may have been raised to a least fraction.
typedef struct Filling {
    double share;  // of the volume in Ω
    double spread; // of the whole volume
} Filling;

static Filling fillingOf(const snBasisMesh *mesh, int cell, double wanted)
{
    double inside = 0, whole = 0;
    for (int t = mesh->cellStart[cell]; t < mesh->cellStart[cell + 1]; t++) {
        inside += mesh->volume[t] * mesh->fraction[t];
        whole += mesh->volume[t];
    }
    if (inside > wanted) return (Filling){wanted / inside, 0};
    return (Filling){1, (wanted - inside) / whole};
}

static double fineVolume(const snBasisMesh *mesh, int tet, Filling filling)
{
    return mesh->volume[tet] * (filling.share * mesh->fraction[tet] + filling.spread);
}

// ---- matrices -------------------------------------------------------------------------------------

typedef struct Assembly {
    const snLatticeModel *model;
    const snLatticeModelDef *def;
    const snBasis *basis; // the finest
    snDetail *detail;
    int *detailOf; // [functions] -> detail, or -1
} Assembly;

static snStatus listDetails(Assembly *a, snArena *scratch, snError *error)
{
    const snBasis *basis = a->basis;
    snDetail *detail = a->detail;
    snArena *arena = (snArena *)&a->model->arena;
    a->detailOf = SN_NEW(scratch, int, basis->functionCount);
    if (!a->detailOf) return snFailMemory(error);
    for (int f = basis->levelStart[1]; f < basis->functionCount; f++)
        a->detailOf[f] = basis->state[f] == SN_FUNCTION_KEPT ? detail->count++ : -1;
    detail->point = SN_NEW(arena, int, detail->count);
    detail->level = SN_NEW(arena, int, detail->count);
    detail->size = SN_NEW(arena, double, detail->count);
    detail->supportStart = SN_NEW(arena, int, detail->count + 1);
    if (!detail->point || !detail->level || !detail->size || !detail->supportStart)
        return snFailMemory(error);
    int total = 0;
    for (int f = basis->levelStart[1]; f < basis->functionCount; f++) {
        int d = a->detailOf[f];
        if (d < 0) continue;
        detail->point[d] = f; // in lattice order until snDetail_Number
        detail->level[d] = snBasis_Level(basis, f);
        total += basis->supportStart[f + 1] - basis->supportStart[f];
        detail->supportStart[d + 1] = total;
        detail->size[d] = INFINITY;
        for (int i = basis->mesh.sourceStart[f]; i < basis->mesh.sourceStart[f + 1]; i++) {
            double near = snDistance(basis->mesh.rest[f], basis->mesh.rest[basis->mesh.source[i]]);
            if (near < detail->size[d]) detail->size[d] = near;
        }
    }
    detail->support = SN_NEW(arena, int, total);
    if (!detail->support) return snFailMemory(error);
    for (int d = 0; d < detail->count; d++)
        for (int i = 0; i < detail->supportStart[d + 1] - detail->supportStart[d]; i++)
            detail->support[detail->supportStart[d] + i] =
                basis->support[basis->supportStart[detail->point[d]] + i];
    return SN_OK;
}

static snStatus makeMatrices(Assembly *a, snArena *scratch, snError *error)
{
    const snBasisMesh *mesh = &a->basis->mesh;
    int *start = SN_NEW(scratch, int, mesh->tetCount + 1), count = 0;
    Local local;
    if (!start) return snFailMemory(error);
    for (int t = 0; t < mesh->tetCount; t++) {
        findLocal(&local, a->basis, a->detailOf, t);
        start[t + 1] = count += local.count;
    }
    int *items = SN_NEW(scratch, int, count),
        size = a->model->lattice.vertexCount + a->detail->count;
    if (!items) return snFailMemory(error);
    for (int t = 0; t < mesh->tetCount; t++) {
        findLocal(&local, a->basis, a->detailOf, t);
        for (int i = 0; i < local.count; i++)
            items[start[t] + i] = local.function[i];
    }
    snPattern pattern;
    snStatus status =
        snPattern_FromGroups(&pattern, size, mesh->tetCount, start, items, scratch, error);
    if (!status) status = snSparse_Make(&a->detail->massMatrix, &pattern, 1, scratch, error);
    if (!status) status = snSparse_Make(&a->detail->stepMatrix, &pattern, 1, scratch, error);
    return status;
}

// ∫ φ_a φ_b = V/20 (Σ_k a_k Σ_l b_l + Σ_k a_k b_k) and ∇φ_a = Σ_k a_k ∇λ_k on a tet with corners k.
static void addTet(Assembly *a, int tet, double mass, double stiffness)
{
    const snBasisMesh *mesh = &a->basis->mesh;
    Local local;
    snVec3 p[4], g[4], gradient[MOST_FUNCTIONS];
    double sum[MOST_FUNCTIONS];
    for (int k = 0; k < 4; k++)
        p[k] = mesh->rest[mesh->tets[tet][k]];
    snTetGradients(p, g);
    findLocal(&local, a->basis, a->detailOf, tet);
    for (int i = 0; i < local.count; i++) {
        gradient[i] = snVec(0, 0, 0);
        sum[i] = 0;
        for (int k = 0; k < 4; k++) {
            gradient[i] = snMulAdd(gradient[i], local.value[i][k], g[k]);
            sum[i] += local.value[i][k];
        }
        for (int j = 0; j <= i; j++) {
            double dot = sum[i] * sum[j];
            for (int k = 0; k < 4; k++)
                dot += local.value[i][k] * local.value[j][k];
            int row = local.function[i], column = local.function[j];
            snSparse_AddScalar(&a->detail->massMatrix, row, column, mass / 20 * dot);
            snSparse_AddScalar(&a->detail->stepMatrix, row, column,
                               mass / 20 * dot + stiffness * snDot(gradient[i], gradient[j]));
        }
    }
}

static snStatus checkDef(const snLatticeModelDef *def, snError *error)
{
    if (def->mostDetails < 1)
        return snFail(error, SN_ERROR_ARGUMENT, "room for %d details; there must be some",
                      def->mostDetails);
    if (def->solver != SN_SOLVER_PROJECTIVE)
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "details can be switched under the projective solver only");
    for (int c = 0; c < def->lattice->cellCount; c++)
        if (snLattice_Kind(def->lattice, c) != SN_TET)
            return snFail(error, SN_ERROR_UNSUPPORTED,
                          "cell %d has %d corners; details need a lattice of tets", c,
                          (int)snLattice_Kind(def->lattice, c));
    return SN_OK;
}

// The one element of each cell, by its number in the quadrature.
static snStatus findElements(Assembly *a, snError *error)
{
    const snQuadrature *q = a->def->quadrature;
    int cells = a->def->lattice->cellCount;
    a->detail->element = SN_NEW((snArena *)&a->model->arena, int, cells);
    if (!a->detail->element) return snFailMemory(error);
    for (int c = 0; c < cells; c++)
        a->detail->element[c] = -1;
    for (int e = 0; e < q->elementCount; e++)
        a->detail->element[q->cell[e]] = e;
    for (int c = 0; c < cells; c++)
        if (a->detail->element[c] < 0)
            return snFail(error, SN_ERROR_GEOMETRY, "cell %d has no element to refine", c);
    return SN_OK;
}

snStatus snDetail_Assemble(snLatticeModel *model, const snLatticeModelDef *def,
                           const double *diagonal, snArena *scratch, snError *error)
{
    snStatus status = checkDef(def, error);
    if (status) return status;
    Assembly a = {.model = model, .def = def, .basis = def->bases[def->levels - 1]};
    model->detail = a.detail = SN_NEW(&model->arena, snDetail, 1);
    if (!a.detail) return snFailMemory(error);
    a.detail->levels = def->levels;
    status = findElements(&a, error);
    if (!status) status = listDetails(&a, scratch, error);
    if (!status) status = makeMatrices(&a, scratch, error);
    if (status) return status;
    a.detail->slotCount = def->mostDetails < a.detail->count ? def->mostDetails : a.detail->count;
    const snBasisMesh *mesh = &a.basis->mesh;
    double h = def->step, scale = h * (h + def->stiffnessDamping);
    for (int c = 0; c < def->lattice->cellCount; c++) {
        double young = def->young[c], wanted = def->quadrature->volume[a.detail->element[c]];
        double k =
            snCurvature(snShearModulus(young, def->poisson), snLameLambda(young, def->poisson));
        Filling filling = fillingOf(mesh, c, wanted);
        for (int t = mesh->cellStart[c]; t < mesh->cellStart[c + 1]; t++)
            addTet(&a, t, def->density * mesh->volume[t] * mesh->fraction[t],
                   scale * k * fineVolume(mesh, t, filling));
    }
    for (int v = 0; v < def->lattice->vertexCount; v++)
        snSparse_AddScalar(&a.detail->stepMatrix, v, v, diagonal[v]);
    return SN_OK;
}

// ---- numbering ------------------------------------------------------------------------------------

// A lattice vertex or fine vertex in the model's order.
static int indexOf(const snLatticeModel *model, int vertex)
{
    int n = model->lattice.vertexCount;
    return vertex < n ? model->indexOf[vertex] : model->vertexCount + vertex - n;
}

static snStatus numberPoints(snLatticeModel *model, const snBasis *basis, snError *error)
{
    snDetail *detail = model->detail;
    const snBasisMesh *mesh = &basis->mesh;
    int first = model->lattice.vertexCount;
    detail->pointCount = mesh->vertexCount - first;
    int sources = mesh->sourceStart[mesh->vertexCount] - mesh->sourceStart[first];
    detail->sourceStart = SN_NEW(&model->arena, int, detail->pointCount + 1);
    detail->source = SN_NEW(&model->arena, int, sources);
    detail->detailOf = SN_NEW(&model->arena, int, detail->pointCount);
    if (!detail->sourceStart || !detail->source || !detail->detailOf) return snFailMemory(error);
    for (int p = 0, count = 0; p < detail->pointCount; p++) {
        for (int i = mesh->sourceStart[first + p]; i < mesh->sourceStart[first + p + 1]; i++)
            detail->source[count++] = indexOf(model, mesh->source[i]);
        detail->sourceStart[p + 1] = count;
        detail->detailOf[p] = -1;
    }
    for (int d = 0; d < detail->count; d++) {
        detail->detailOf[detail->point[d] - first] = d;
        detail->point[d] = indexOf(model, detail->point[d]);
    }
    return SN_OK;
}

// Entry k of column j of a matrix over lattice vertices and details, counted or filled from both its
// ends: into whole rows of vertices among themselves, and whole rows of details.
typedef struct Rows {
    int *vertexStart, *detailStart; // counted one place ahead
    bool fill;
} Rows;

static void addEntry(snLatticeModel *model, Rows *rows, int row, int column, int64_t k)
{
    snDetail *detail = model->detail;
    int n = model->lattice.vertexCount;
    if (row < n && column >= n) return; // details have these, once
    bool own = row < n;
    int *start = own ? rows->vertexStart + model->indexOf[row] : rows->detailStart + row - n;
    if (!rows->fill) {
        start[2]++;
        return;
    }
    int at = start[1]++;
    double mass = detail->massMatrix.values[k];
    if (own) {
        detail->massColumn[at] = model->indexOf[column];
        detail->massValue[at] = mass;
        return;
    }
    detail->column[at] = column < n ? model->indexOf[column] : ~(column - n);
    detail->mass[at] = mass;
    detail->matrix[at] = detail->stepMatrix.values[k];
}

static void visitEntries(snLatticeModel *model, Rows *rows)
{
    const snPattern *p = &model->detail->massMatrix.pattern;
    for (int c = 0; c < p->size; c++)
        for (int k = p->columnStart[c]; k < p->columnStart[c + 1]; k++) {
            addEntry(model, rows, p->row[k], c, k);
            if (p->row[k] != c) addEntry(model, rows, c, p->row[k], k);
        }
}

static snStatus numberRows(snLatticeModel *model, snError *error)
{
    snDetail *detail = model->detail;
    snArena *arena = &model->arena;
    detail->massStart = SN_NEW(arena, int, model->vertexCount + 2);
    detail->rowStart = SN_NEW(arena, int, detail->count + 2);
    if (!detail->massStart || !detail->rowStart) return snFailMemory(error);
    Rows rows = {detail->massStart, detail->rowStart, false};
    visitEntries(model, &rows);
    for (int v = 0; v < model->vertexCount; v++)
        detail->massStart[v + 2] += detail->massStart[v + 1];
    for (int d = 0; d < detail->count; d++)
        detail->rowStart[d + 2] += detail->rowStart[d + 1];
    int own = detail->massStart[model->vertexCount + 1],
        others = detail->rowStart[detail->count + 1];
    detail->massColumn = SN_NEW(arena, int, own);
    detail->massValue = SN_NEW(arena, double, own);
    detail->column = SN_NEW(arena, int, others);
    detail->mass = SN_NEW(arena, double, others);
    detail->matrix = SN_NEW(arena, double, others);
    if (!detail->massColumn || !detail->massValue || !detail->column || !detail->mass ||
        !detail->matrix)
        return snFailMemory(error);
    rows.fill = true;
    visitEntries(model, &rows);
    return SN_OK;
}

// ---- elements -------------------------------------------------------------------------------------

static void placeTet(const snLatticeModel *model, snElementClass *class, int place,
                     const snBasisMesh *mesh, int tet)
{
    size_t group = (size_t)place / SN_GROUP, lane = (size_t)place % SN_GROUP;
    snVec3 p[4], g[4];
    for (int k = 0; k < 4; k++) {
        p[k] = mesh->rest[mesh->tets[tet][k]];
        class->vertex[(group * 4 + (size_t)k) * SN_GROUP + lane] =
            indexOf(model, mesh->tets[tet][k]);
    }
    snTetGradients(p, g);
    for (size_t k = 1; k < 4; k++) {
        double *out = (double *)class->gradient + (group * 3 + k - 1) * 3 * SN_GROUP + lane;
        out[0] = g[k].x;
        out[SN_GROUP] = g[k].y;
        out[2 * SN_GROUP] = g[k].z;
    }
}

// The fine tets of every cell at a level, each cell beginning a new group; lanes without a tet repeat
// the cell's last with weight 0.
static snStatus makeClass(snLatticeModel *model, const snLatticeModelDef *def, int level,
                          snError *error)
{
    snDetail *detail = model->detail;
    const snBasisMesh *mesh = &def->bases[level - 1]->mesh;
    snElementClass *class = &model->classes[2 + level - 1];
    int cells = def->lattice->cellCount;
    int *start = detail->groupStart[level - 1] = SN_NEW(&model->arena, int, cells + 1);
    if (!start) return snFailMemory(error);
    for (int c = 0; c < cells; c++) {
        int tets = mesh->cellStart[c + 1] - mesh->cellStart[c];
        start[c + 1] = start[c] + (tets + SN_GROUP - 1) / SN_GROUP;
    }
    class->group = SN_GROUP;
    snStatus status = snElementClass_Alloc(class, 4, start[cells] * SN_GROUP, sizeof(double),
                                           &model->arena, error);
    if (status) return status;
    double *shear = class->shear, *bulk = class->bulk;
    for (int c = 0; c < cells; c++) {
        double young = def->young[c];
        Filling filling = fillingOf(mesh, c, def->quadrature->volume[detail->element[c]]);
        int tets = mesh->cellStart[c + 1] - mesh->cellStart[c];
        for (int k = 0; k < (start[c + 1] - start[c]) * SN_GROUP; k++) {
            int tet = mesh->cellStart[c] + (k < tets ? k : tets - 1),
                place = start[c] * SN_GROUP + k;
            double volume = k < tets ? fineVolume(mesh, tet, filling) : 0;
            shear[place] = 2.0 * snShearModulus(young, def->poisson) * volume;
            bulk[place] = snLameLambda(young, def->poisson) * volume;
            placeTet(model, class, place, mesh, tet);
        }
    }
    return SN_OK;
}

// From the quadrature's numbers of elements to those of class 0, which has them in the same order.
static void numberElements(snLatticeModel *model, const snQuadrature *q, int *placeOf)
{
    int place = 0;
    for (int e = 0; e < q->elementCount; e++)
        placeOf[e] = q->start[e + 1] - q->start[e] <= 4 ? place++ : -1;
    for (int c = 0; c < model->lattice.cellCount; c++)
        model->detail->element[c] = placeOf[model->detail->element[c]];
}

snStatus snDetail_Number(snLatticeModel *model, const snLatticeModelDef *def, snError *error)
{
    snArena scratch = {.allocator = model->arena.allocator};
    int *placeOf = SN_NEW(&scratch, int, def->quadrature->elementCount);
    snStatus status = placeOf ? SN_OK : snFailMemory(error);
    for (int level = 1; level <= def->levels && !status; level++)
        status = makeClass(model, def, level, error);
    if (!status) numberElements(model, def->quadrature, placeOf);
    if (!status) status = numberPoints(model, def->bases[def->levels - 1], error);
    if (!status) status = numberRows(model, error);
    model->detail->massMatrix = model->detail->stepMatrix = (snSparse){0};
    snArena_Destroy(&scratch);
    return status;
}
