// The bar of bar_modes.h as smooth bodies have it: elements of the nodes' hexahedra with mean gradients
// (quadrature_hex.c), motions y = B q. K = Bᵀ K_nodes B, and masses lumped at the nodes, M = Bᵀ m B, or those of
// the hexahedra's own trilinear functions.
#ifndef SN_TESTS_BODY_LATTICE_SOLID_BAR_H
#define SN_TESTS_BODY_LATTICE_SOLID_BAR_H

#include "body/lattice/solid.h"
#include "numerics/galerkin.h"
#include "tests/body/lattice/bar_modes.h"

typedef struct SolidBar {
    int nodeLevel;   // Q; functions are those of level 0
    bool consistent; // masses
    BarCase bar;
} SolidBar;

// The nodes over plane functions: the same at every z, so rows of layers add up.
static inline snStatus planeRows(snWeightRows *p, const Bar *bar, const snSolid *solid,
                                 snArena *arena)
{
    int nodes = solid->nodes.lattice.vertexCount, half = bar->unknowns / 2, count = 0;
    int *start = SN_NEW(arena, int, nodes + 1), *at = SN_NEW(arena, int, half);
    int *column = SN_NEW(arena, int, solid->space.start[nodes]);
    double *weight = SN_NEW(arena, double, solid->space.start[nodes]);
    if (!start || !at || !column || !weight) return SN_ERROR_MEMORY;
    for (int v = 0; v < nodes; v++) {
        int first = count;
        for (int k = solid->space.start[v]; k < solid->space.start[v + 1]; k++) {
            int a = barUnknown(bar, solid->space.column[k]);
            if (a < 0) continue;
            if (at[a] <= first) { // not in this row yet
                column[count] = a;
                weight[count++] = 0;
                at[a] = count;
            }
            weight[at[a] - 1] += solid->space.weight[k];
        }
        start[v + 1] = count;
    }
    *p = (snWeightRows){
        .rows = nodes, .columns = half, .start = start, .column = column, .weight = weight};
    return SN_OK;
}

static inline snStatus lumpedMass(snSparse *mass, const snSolid *solid, const snSparse *like,
                                  snArena *arena)
{
    snStatus status = snSparse_Make(mass, &like->pattern, 1, arena, NULL);
    const snQuadrature *q = &solid->quadrature;
    for (int e = 0; e < q->elementCount && !status; e++)
        for (int a = q->start[e]; a < q->start[e + 1]; a++)
            snSparse_AddScalar(mass, q->corner[a], q->corner[a], q->volume[e] / 8);
    return status;
}

// u_x then u_y from blocks, dense.
static inline void fillBar(Bar *bar, const snSparse *K, const snSparse *M)
{
    int half = bar->unknowns / 2, n = bar->unknowns;
    for (int c = 0; c < half; c++)
        for (int k = K->pattern.columnStart[c]; k < K->pattern.columnStart[c + 1]; k++) {
            int r = K->pattern.row[k];
            for (int p = 0; p < 2; p++)
                for (int s = 0; s < 2; s++) {
                    double value = K->values[9 * (size_t)k + (size_t)(3 * p + s)];
                    bar->K[(r + p * half) * n + c + s * half] = value;
                    bar->K[(c + s * half) * n + r + p * half] = value;
                }
        }
    for (int c = 0; c < half; c++)
        for (int k = M->pattern.columnStart[c]; k < M->pattern.columnStart[c + 1]; k++)
            for (int p = 0; p < 2; p++) {
                int r = M->pattern.row[k] + p * half, s = c + p * half;
                bar->M[r * n + s] = bar->M[s * n + r] = M->values[k];
            }
}

static inline snStatus assembleBar(Bar *bar, const snSolid *solid, bool consistent, snArena *arena,
                                   const snContext *context)
{
    const snLattice *nodes = &solid->nodes.lattice;
    snSparse stiffness, mass, K, M;
    snWeightRows p;
    snStatus status =
        snLattice_Stiffness(&stiffness, nodes, &solid->quadrature, solid->young, 0, arena, NULL);
    if (!status && consistent)
        status = snLattice_Mass(&mass, nodes, &solid->quadrature, 1, arena, NULL);
    else if (!status)
        status = lumpedMass(&mass, solid, &stiffness, arena);
    if (!status) status = planeRows(&p, bar, solid, arena);
    if (!status) status = snGalerkin_Sparse(&K, &stiffness, &p, &context->tasks, arena, NULL);
    if (!status) status = snGalerkin_Sparse(&M, &mass, &p, &context->tasks, arena, NULL);
    if (!status) fillBar(bar, &K, &M);
    return status;
}

static inline bool solidBarModes(SolidBar *c, const snContext *context)
{
    snArena arena = snMakeArena(context);
    int n = c->bar.n, m = c->bar.m, cells[3] = {n, m, 1}, layers = n + 1 - c->bar.held;
    snLattice box = makeBlock(BLOCK_HEXES, n, m, 1, snVec(1, BAR_THICKNESS, BAR_THICKNESS), &arena);
    box.sharp = boxSharp(cells, &arena);
    Bar bar = {.n = n, .m = m, .unknowns = 2 * layers * (m + 1), .held = c->bar.held};
    size_t entries = (size_t)bar.unknowns * (size_t)bar.unknowns;
    bar.K = SN_NEW(&arena, double, entries);
    bar.M = SN_NEW(&arena, double, entries);
    snSolidDef def = snDefaultSolidDef();
    def.lattice = &box;
    def.scheme = c->bar.scheme;
    def.nodeLevel = c->nodeLevel;
    def.young = def.density = 1;
    def.poisson = 0;
    snSolid *solid = NULL;
    bool good = bar.K && bar.M && !snSolid_Build(&solid, &def, context, NULL);
    good = good && !assembleBar(&bar, solid, c->consistent, &arena, context);
    good = good && barFrequencies(&bar, c->bar.omega, &arena);
    c->bar.unknowns = 3 * layers * (m + 1) * (m + 1);
    snSolid_Destroy(solid);
    snArena_Destroy(&arena);
    return good;
}

#endif
