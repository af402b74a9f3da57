// What details could act, and their matrices.
#include "body/lattice/detail.h"

#include "body/lattice/filling.h"
#include "core/error.h"

#define MOST_FUNCTIONS (SN_CELL_CORNERS + 7 * SN_DETAIL_LEVELS) // that are not zero on a patch

// ---- matrices -------------------------------------------------------------------------------------

// All fine tets of one hexahedron of the finest level see the same functions, at most 8 and 7 of each
// level: a *patch*. Small dense matrices are summed over its tets, then added to the sparse ones.
typedef struct Patch {
    int count;
    const int *row;                                       // of the matrices
    double value[4][MOST_FUNCTIONS], sum[MOST_FUNCTIONS]; // at the corners of one tet
    double gradient[3][MOST_FUNCTIONS];
    double mass[MOST_FUNCTIONS][MOST_FUNCTIONS], step[MOST_FUNCTIONS][MOST_FUNCTIONS];
} Patch;

typedef struct Assembly {
    const snLatticeModel *model;
    const snLatticeModelDef *def;
    const snBasis *basis; // the finest
    snDetail *detail;
    int *detailOf;      // [functions] -> detail, or -1
    snFilling *filling; // [cells]
    int *place;         // [rows], in the patch + 1, or 0
    int *start, *items; // [patches + 1], rows of each patch
} Assembly;

// Of a lattice vertex, or vertexCount + detail, in the matrices.
static int rowOf(const snLatticeModel *model, int item)
{
    return model->lattice.vertexCount + model->detail->fine.count - 1 - item;
}

static int rowOfFunction(const Assembly *a, int function)
{
    int n = a->model->lattice.vertexCount;
    return rowOf(a->model, function < n ? function : n + a->detailOf[function]);
}

static snStatus listDetails(Assembly *a, snArena *scratch, snError *error)
{
    const snBasis *basis = a->basis;
    snDetail *detail = a->detail;
    snArena *arena = (snArena *)&a->model->arena;
    a->detailOf = SN_NEW(scratch, int, basis->functionCount);
    if (!a->detailOf) return snFailMemory(error);
    for (int f = basis->levelStart[1]; f < basis->functionCount; f++)
        a->detailOf[f] = basis->state[f] == SN_FUNCTION_KEPT ? detail->fine.count++ : -1;
    detail->point = SN_NEW(arena, int, detail->fine.count);
    detail->fine.level = SN_NEW(arena, int, detail->fine.count);
    detail->fine.size = SN_NEW(arena, double, detail->fine.count);
    detail->fine.supportStart = SN_NEW(arena, int, detail->fine.count + 1);
    if (!detail->point || !detail->fine.level || !detail->fine.size || !detail->fine.supportStart)
        return snFailMemory(error);
    int total = 0;
    for (int f = basis->levelStart[1]; f < basis->functionCount; f++) {
        int d = a->detailOf[f];
        if (d < 0) continue;
        detail->point[d] = f; // in lattice order until snDetail_Number
        detail->fine.level[d] = snBasis_Level(basis, f);
        total += basis->supportStart[f + 1] - basis->supportStart[f];
        detail->fine.supportStart[d + 1] = total;
        detail->fine.size[d] = INFINITY;
        for (int i = basis->mesh.sourceStart[f]; i < basis->mesh.sourceStart[f + 1]; i++) {
            double near = snDistance(basis->mesh.rest[f], basis->mesh.rest[basis->mesh.source[i]]);
            if (near < detail->fine.size[d]) detail->fine.size[d] = near;
        }
    }
    detail->fine.support = SN_NEW(arena, int, total);
    if (!detail->fine.support) return snFailMemory(error);
    for (int d = 0; d < detail->fine.count; d++)
        for (int i = 0; i < detail->fine.supportStart[d + 1] - detail->fine.supportStart[d]; i++)
            detail->fine.support[detail->fine.supportStart[d] + i] =
                basis->support[basis->supportStart[detail->point[d]] + i];
    return SN_OK;
}

static bool countsTet(const Assembly *a, int tet)
{
    const snBasisMesh *mesh = &a->basis->mesh;
    return mesh->fraction[tet] > 0 ||
           snFilling_Volume(mesh, tet, a->filling[mesh->tetCell[tet]]) > 0;
}

// The rows of a patch, marked in `place`; none for one that counts nothing.
static int openPatch(Assembly *a, int patch, int *row)
{
    const snBasisMesh *mesh = &a->basis->mesh;
    const snWeightRows *values = &a->basis->values;
    int count = 0;
    for (int t = patch * SN_CELL_TETS; t < (patch + 1) * SN_CELL_TETS; t++)
        for (int k = 0; k < 4 && countsTet(a, t); k++) {
            int v = mesh->tets[t][k];
            for (int i = values->start[v]; i < values->start[v + 1]; i++) {
                int r = rowOfFunction(a, values->column[i]);
                if (a->place[r]) continue;
                row[count++] = r;
                a->place[r] = count;
            }
        }
    return count;
}

static void closePatch(Assembly *a, int count, const int *row)
{
    for (int i = 0; i < count; i++)
        a->place[row[i]] = 0;
}

static snStatus makeMatrices(Assembly *a, snArena *scratch, snError *error)
{
    int patches = a->basis->mesh.tetCount / SN_CELL_TETS, row[MOST_FUNCTIONS];
    int size = a->model->lattice.vertexCount + a->detail->fine.count;
    int *start = a->start = SN_NEW(scratch, int, patches + 1);
    a->place = SN_NEW(scratch, int, size);
    if (!start || !a->place) return snFailMemory(error);
    int64_t total = 0;
    for (int g = 0; g < patches; g++) {
        int count = openPatch(a, g, row);
        closePatch(a, count, row);
        total += count;
        if (total > INT32_MAX)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "there are too many details for one matrix; use fewer levels or cells");
        start[g + 1] = (int)total;
    }
    int *items = a->items = SN_NEW(scratch, int, total);
    if (!items) return snFailMemory(error);
    for (int g = 0; g < patches; g++)
        closePatch(a, openPatch(a, g, items + start[g]), items + start[g]);
    snPattern pattern;
    snStatus status = snPattern_FromGroups(&pattern, size, patches, start, items, scratch, error);
    if (!status) status = snSparse_Make(&a->detail->massMatrix, &pattern, 1, scratch, error);
    if (!status) status = snSparse_Make(&a->detail->stepMatrix, &pattern, 1, scratch, error);
    return status;
}

// Values and gradients of a patch's functions on one of its tets.
static void evaluateTet(const Assembly *a, int tet, Patch *p)
{
    const snBasisMesh *mesh = &a->basis->mesh;
    const snWeightRows *values = &a->basis->values;
    snVec3 corner[4], g[4];
    for (int k = 0; k < 4; k++)
        corner[k] = mesh->rest[mesh->tets[tet][k]];
    snTetGradients(corner, g);
    for (int i = 0; i < p->count; i++) {
        p->sum[i] = 0;
        p->gradient[0][i] = p->gradient[1][i] = p->gradient[2][i] = 0;
        for (int k = 0; k < 4; k++)
            p->value[k][i] = 0;
    }
    for (int k = 0; k < 4; k++) {
        int v = mesh->tets[tet][k];
        for (int j = values->start[v]; j < values->start[v + 1]; j++) {
            int i = a->place[rowOfFunction(a, values->column[j])] - 1;
            p->value[k][i] = values->weight[j];
            p->sum[i] += values->weight[j];
            p->gradient[0][i] += values->weight[j] * g[k].x;
            p->gradient[1][i] += values->weight[j] * g[k].y;
            p->gradient[2][i] += values->weight[j] * g[k].z;
        }
    }
}

// ∫ φ_a φ_b = V/20 (Σ_k a_k Σ_l b_l + Σ_k a_k b_k) and ∇φ_a = Σ_k a_k ∇λ_k on a tet with corners k.
static void addTet(Patch *p, double mass, double stiffness)
{
    for (int i = 0; i < p->count; i++)
        for (int j = 0; j <= i; j++) {
            double dot = p->sum[i] * p->sum[j], slope = 0;
            for (int k = 0; k < 4; k++)
                dot += p->value[k][i] * p->value[k][j];
            for (int k = 0; k < 3; k++)
                slope += p->gradient[k][i] * p->gradient[k][j];
            p->mass[i][j] += mass / 20 * dot;
            p->step[i][j] += mass / 20 * dot + stiffness * slope;
        }
}

// `stiffness` is that of a volume of one.
static void addPatch(Assembly *a, int patch, double stiffness, Patch *p)
{
    const snBasisMesh *mesh = &a->basis->mesh;
    p->row = a->items + a->start[patch];
    p->count = a->start[patch + 1] - a->start[patch];
    for (int i = 0; i < p->count; i++) {
        a->place[p->row[i]] = i + 1;
        for (int j = 0; j <= i; j++)
            p->mass[i][j] = p->step[i][j] = 0;
    }
    for (int t = patch * SN_CELL_TETS; t < (patch + 1) * SN_CELL_TETS && p->count; t++) {
        if (!countsTet(a, t)) continue;
        evaluateTet(a, t, p);
        addTet(p, a->def->density * mesh->volume[t] * mesh->fraction[t],
               stiffness * snFilling_Volume(mesh, t, a->filling[mesh->tetCell[t]]));
    }
    for (int i = 0; i < p->count; i++)
        for (int j = 0; j <= i; j++) {
            int low = p->row[i] < p->row[j] ? p->row[i] : p->row[j];
            int k =
                snPattern_Find(&a->detail->massMatrix.pattern, p->row[i] + p->row[j] - low, low);
            a->detail->massMatrix.values[k] += p->mass[i][j];
            a->detail->stepMatrix.values[k] += p->step[i][j];
        }
    closePatch(a, p->count, p->row);
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
    a.filling = SN_NEW(scratch, snFilling, def->lattice->cellCount);
    Patch *patch = SN_NEW(scratch, Patch, 1);
    if (!a.filling || !patch) return snFailMemory(error);
    status = findElements(&a, error);
    for (int c = 0; c < def->lattice->cellCount && !status; c++)
        a.filling[c] =
            snFilling_Of(&a.basis->mesh, c, def->quadrature->volume[a.detail->element[c]]);
    if (!status) status = listDetails(&a, scratch, error);
    if (!status) status = makeMatrices(&a, scratch, error);
    if (status) return status;
    a.detail->fine.slotCount =
        def->mostDetails < a.detail->fine.count ? def->mostDetails : a.detail->fine.count;
    double h = def->step, scale = h * (h + def->stiffnessDamping);
    for (int g = 0; g < a.basis->mesh.tetCount / SN_CELL_TETS; g++) {
        double young = def->young[a.basis->mesh.tetCell[g * SN_CELL_TETS]];
        double k =
            snCurvature(snShearModulus(young, def->poisson), snLameLambda(young, def->poisson));
        addPatch(&a, g, scale * k, patch);
    }
    for (int v = 0; v < def->lattice->vertexCount; v++)
        snSparse_AddScalar(&a.detail->stepMatrix, rowOf(model, v), rowOf(model, v), diagonal[v]);
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
    for (int d = 0; d < detail->fine.count; d++) {
        detail->detailOf[detail->point[d] - first] = d;
        detail->point[d] = indexOf(model, detail->point[d]);
    }
    return SN_OK;
}

static snStatus numberRows(snLatticeModel *model, snArena *scratch, snError *error)
{
    snDetail *detail = model->detail;
    int n = model->lattice.vertexCount, size = n + detail->fine.count;
    int *itemOf = SN_NEW(scratch, int, size);
    if (!itemOf) return snFailMemory(error);
    for (int r = 0; r < size; r++) {
        int item = rowOf(model, r); // its own inverse
        itemOf[r] = item < n ? model->indexOf[item] : ~(item - n);
    }
    return snFineFunctions_SetRows(&detail->fine, &detail->massMatrix, &detail->stepMatrix, itemOf,
                                   &model->arena, error);
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
        snFilling filling = snFilling_Of(mesh, c, def->quadrature->volume[detail->element[c]]);
        int tets = mesh->cellStart[c + 1] - mesh->cellStart[c];
        for (int k = 0; k < (start[c + 1] - start[c]) * SN_GROUP; k++) {
            int tet = mesh->cellStart[c] + (k < tets ? k : tets - 1),
                place = start[c] * SN_GROUP + k;
            double volume = k < tets ? snFilling_Volume(mesh, tet, filling) : 0;
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
    model->detail->fine.first = model->freeCount;
    model->detail->fine.total = model->vertexCount;
    model->detail->fine.cellCount = model->lattice.cellCount;
    if (!status) status = numberRows(model, &scratch, error);
    model->detail->massMatrix = model->detail->stepMatrix = (snSparse){0};
    snArena_Destroy(&scratch);
    return status;
}
