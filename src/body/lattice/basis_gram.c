// The Gram matrix of basis functions on Ω.
#include "body/lattice/basis_parts.h"

#include "core/error.h"

#include <string.h>

// All tets in one cell of K_J see the same functions, hats at most 8 + 7 J: a *patch*. So a small dense
// matrix is summed over the patch and then added to the sparse one. The tets of a cell follow each
// other at every level, 8 hexahedra for one, 6 tets to a hexahedron.
typedef struct Patches {
    const snBasis *basis;
    const snWeightRows *rows;
    const snFunctionSet *set;
    int count;
    int stride;          // tets of a patch; 0 for J = 0: those of a cell of K
    int *start;          // [count + 1], into item; empty for patches outside of Ω
    int *item;           // rows of the matrix
    int *local;          // [set count], position in the patch + 1, or 0
    int most;            // functions of a patch
    double *value, *sum; // [5 * most], [most * most]
} Patches;

static int patchBegin(const Patches *p, int patch)
{
    return p->stride ? patch * p->stride : p->basis->mesh.cellStart[patch];
}

static void findPatches(Patches *p)
{
    const snBasis *basis = p->basis;
    p->stride = 0;
    p->count = basis->cellCount;
    if (basis->levels == 0) return;
    p->stride = SN_CELL_TETS;
    for (int k = basis->levels; k < basis->quadratureLevel; k++)
        p->stride *= 8;
    p->count = basis->mesh.tetCount / p->stride;
}

// Collects the functions of a patch into `item`; returns their number. Marks them in `local`.
static int openPatch(Patches *p, int patch, int *item)
{
    const snBasisMesh *mesh = &p->basis->mesh;
    int count = 0;
    for (int t = patchBegin(p, patch); t < patchBegin(p, patch + 1); t++) {
        if (!(mesh->fraction[t] > 0)) continue;
        for (int k = 0; k < 4; k++) {
            int v = mesh->tets[t][k];
            for (int i = p->rows->start[v]; i < p->rows->start[v + 1]; i++) {
                int number = p->set->number[p->rows->column[i]];
                if (number < 0 || p->local[number]) continue;
                item[count++] = number;
                p->local[number] = count;
            }
        }
    }
    return count;
}

static void closePatch(Patches *p, int count, const int *item)
{
    for (int k = 0; k < count; k++)
        p->local[item[k]] = 0;
}

static snStatus listPatches(Patches *p, snArena *scratch, snError *error)
{
    int *item = SN_NEW(scratch, int, p->set->count);
    p->local = SN_NEW(scratch, int, p->set->count);
    p->start = SN_NEW(scratch, int, p->count + 1);
    if (!item || !p->local || !p->start) return snFailMemory(error);
    int64_t total = 0;
    for (int g = 0; g < p->count; g++) {
        int n = openPatch(p, g, item);
        closePatch(p, n, item);
        total += n;
        if (n > p->most) p->most = n;
        if (total > INT32_MAX)
            return snFail(error, SN_ERROR_ARGUMENT,
                          "the basis has too many functions for one matrix; use fewer levels");
        p->start[g + 1] = (int)total;
    }
    p->item = SN_NEW(scratch, int, total);
    p->value = SN_NEW(scratch, double, 5 * (size_t)p->most);
    p->sum = SN_NEW(scratch, double, (size_t)p->most *(size_t)p->most);
    if (!p->item || !p->value || !p->sum) return snFailMemory(error);
    for (int g = 0; g < p->count; g++) {
        int n = openPatch(p, g, p->item + p->start[g]);
        closePatch(p, n, p->item + p->start[g]);
    }
    return SN_OK;
}

// With λ_k the barycentric coordinates of a tet, ∫ λ_k λ_l = V/20 (1 + δ_kl), and φ_a = Σ_k B_ka
// λ_k:   ∫ φ_a φ_b = V/20 (Σ_k B_ka Σ_l B_lb + Σ_k B_ka B_kb).
static void addTet(const Patches *p, int tet, int n)
{
    const snBasisMesh *mesh = &p->basis->mesh;
    double *value = p->value; // of the four corners, and their sum
    memset(value, 0, 5 * (size_t)n * sizeof *value);
    for (int k = 0; k < 4; k++) {
        int v = mesh->tets[tet][k];
        for (int i = p->rows->start[v]; i < p->rows->start[v + 1]; i++) {
            int number = p->set->number[p->rows->column[i]];
            if (number < 0) continue;
            int at = (p->local[number] - 1) * 5;
            value[at + k] = p->rows->weight[i];
            value[at + 4] += p->rows->weight[i];
        }
    }
    double scale = mesh->volume[tet] * mesh->fraction[tet] / 20;
    for (int a = 0; a < n; a++) {
        const double *va = value + a * 5;
        if (va[4] == 0) continue; // values are never negative
        double *row = p->sum + (size_t)a * (size_t)p->most;
        for (int b = 0; b <= a; b++) {
            const double *vb = value + b * 5;
            if (vb[4] == 0) continue;
            double dot = va[4] * vb[4];
            for (int k = 0; k < 4; k++)
                dot += va[k] * vb[k];
            row[b] += scale * dot;
        }
    }
}

static void addPatch(Patches *p, int patch, snSparse *gram)
{
    const int *item = p->item + p->start[patch];
    int n = p->start[patch + 1] - p->start[patch];
    memset(p->sum, 0, (size_t)n * (size_t)p->most * sizeof *p->sum);
    for (int k = 0; k < n; k++)
        p->local[item[k]] = k + 1;
    for (int t = patchBegin(p, patch); t < patchBegin(p, patch + 1); t++)
        if (p->basis->mesh.fraction[t] > 0) addTet(p, t, n);
    for (int a = 0; a < n; a++)
        for (int b = 0; b <= a; b++)
            snSparse_AddScalar(gram, item[a], item[b],
                               p->sum[(size_t)a * (size_t)p->most + (size_t)b]);
    closePatch(p, n, item);
}

snStatus snBasis_GramOf(snSparse *gram, const snBasis *basis, const snWeightRows *rows,
                        const snFunctionSet *set, snArena *arena, snError *error)
{
    snArena scratch = {.allocator = arena->allocator};
    Patches patches = {.basis = basis, .rows = rows, .set = set};
    snPattern pattern;
    findPatches(&patches);
    snStatus status = listPatches(&patches, &scratch, error);
    if (!status)
        status = snPattern_FromGroups(&pattern, set->count, patches.count, patches.start,
                                      patches.item, arena, error);
    if (!status) status = snSparse_Make(gram, &pattern, 1, arena, error);
    for (int g = 0; g < patches.count && !status; g++)
        if (patches.start[g + 1] > patches.start[g]) addPatch(&patches, g, gram);
    snArena_Destroy(&scratch);
    return status;
}

snStatus snBasis_Gram(snSparse *gram, const snBasis *basis, snArena *arena, snError *error)
{
    snFunctionSet set = {basis->keptCount, basis->keptOf, basis->kept};
    return snBasis_GramOf(gram, basis, &basis->values, &set, arena, error);
}
