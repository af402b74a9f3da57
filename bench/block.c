#include "bench/block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int cubes[SN_BLOCK_SIZES][3] = {
    {4, 4, 7}, {5, 5, 16}, {9, 9, 19}, {16, 16, 34}, {20, 20, 44}};

// The tets of an even cube: one at each of the corners 1, 2, 4, 7 (corner c lies at (c & 1, c >> 1 &
// 1, c >> 2)), and one between the other four. An odd cube is its mirror image in x.
static const int tets[5][4] = {
    {1, 0, 5, 3}, {2, 0, 3, 6}, {4, 0, 6, 5}, {7, 3, 5, 6}, {0, 3, 5, 6}};

static double tetVolume(const snLattice *lattice, const int v[4])
{
    snVec3 o = lattice->rest[v[0]];
    snVec3 a = snSub(lattice->rest[v[1]], o), b = snSub(lattice->rest[v[2]], o);
    return snDot(snCross(a, b), snSub(lattice->rest[v[3]], o)) / 6;
}

static void addCube(snLattice *lattice, const int n[3], const int at[3])
{
    bool odd = (at[0] + at[1] + at[2]) & 1;
    for (int t = 0; t < 5; t++) {
        int *v = lattice->corners + 4 * lattice->cellCount;
        for (int a = 0; a < 4; a++) {
            int c = tets[t][a] ^ odd;
            int x = at[0] + (c & 1), y = at[1] + (c >> 1 & 1), z = at[2] + (c >> 2);
            v[a] = (z * (n[1] + 1) + y) * (n[0] + 1) + x;
        }
        if (tetVolume(lattice, v) < 0) {
            int swap = v[0];
            v[0] = v[1];
            v[1] = swap;
        }
        lattice->cellCount++;
        lattice->cellStart[lattice->cellCount] = 4 * lattice->cellCount;
    }
}

static snStatus makeLattice(snLattice *lattice, const int n[3], snArena *arena, snError *error)
{
    int vertices = (n[0] + 1) * (n[1] + 1) * (n[2] + 1), cells = 5 * n[0] * n[1] * n[2];
    snStatus status = snLattice_Alloc(lattice, vertices, cells, 4 * cells, arena, error);
    if (status) return status;
    for (int v = 0; v < vertices; v++) {
        int x = v % (n[0] + 1), y = v / (n[0] + 1) % (n[1] + 1), z = v / (n[0] + 1) / (n[1] + 1);
        lattice->rest[v] = snVec(0.25 * x / n[0], 0.25 * y / n[1], 0.5 * z / n[2]);
    }
    lattice->cellCount = 0;
    for (int at[3] = {0, 0, 0}; at[2] < n[2]; at[2]++)
        for (at[1] = 0; at[1] < n[1]; at[1]++)
            for (at[0] = 0; at[0] < n[0]; at[0]++)
                addCube(lattice, n, at);
    return SN_OK;
}

snLatticeModelDef snBlock_DefaultDef(void)
{
    snLatticeModelDef def = snDefaultLatticeModelDef();
    def.motion = SN_MOTION_FULL;
    def.gravity = snVec(0, -9.81, 0);
    return def;
}

// Hats along z: each vertex hangs on the two joints nearest to it.
static snStatus makeSkin(snBlock *block)
{
    int n = block->lattice.vertexCount;
    snWeightRows *skin = &block->skin;
    snStatus status =
        snWeightRows_Make(skin, n, SN_BLOCK_JOINTS, 2 * (size_t)n, &block->arena, NULL);
    if (status) return status;
    for (int v = 0; v < n; v++) {
        double along = block->lattice.rest[v].z / 0.5 * (SN_BLOCK_JOINTS - 1);
        int first = along < SN_BLOCK_JOINTS - 2 ? (int)along : SN_BLOCK_JOINTS - 2;
        skin->start[v + 1] = 2 * (v + 1);
        for (int k = 0; k < 2; k++) {
            skin->column[2 * v + k] = first + k;
            skin->weight[2 * v + k] = k ? along - first : 1 - (along - first);
        }
    }
    for (int j = 0; j < SN_BLOCK_JOINTS; j++)
        block->joints[j] = snIdentityAffine();
    return SN_OK;
}

static snStatus makeModel(snBlock *block, const snLatticeModelDef *given, const snContext *context,
                          snError *error)
{
    const snLattice *lattice = &block->lattice;
    snLatticeModelDef def = given ? *given : snBlock_DefaultDef();
    block->young = SN_NEW(&block->arena, double, lattice->cellCount);
    block->known = SN_NEW(&block->arena, unsigned char, lattice->vertexCount);
    block->freeOf = SN_NEW(&block->arena, int, lattice->vertexCount);
    if (!block->young || !block->known || !block->freeOf) return SN_ERROR_MEMORY;
    for (int c = 0; c < lattice->cellCount; c++)
        block->young[c] = SN_BLOCK_YOUNG;
    for (int v = 0; v < lattice->vertexCount; v++)
        block->known[v] = lattice->rest[v].z == 0;
    def.lattice = lattice;
    def.quadrature = &block->quadrature;
    def.known = block->known;
    def.young = block->young;
    snStatus status = makeSkin(block);
    if (def.solver == SN_SOLVER_BLENDED) def.skin = &block->skin;
    if (!status) status = snLatticeModel_Build(&block->model, &def, context, error);
    for (int v = 0; v < lattice->vertexCount && !status; v++)
        block->freeOf[v] = block->known[v] ? -1 : block->model->indexOf[v];
    return status;
}

// Lets the block go from rest and waits until it swings.
static snStatus makeState(snBlock *block, const snContext *context, snError *error)
{
    snStatus status = snLatticeState_Make(&block->state, block->model, 1, context, error);
    if (status) return status;
    block->beginning = snArena_Alloc(&block->arena, 1, block->state->blockSize);
    block->rig = SN_NEW(&block->arena, double, 4 * block->model->vertexCount);
    if (!block->beginning || !block->rig) return SN_ERROR_MEMORY;
    snLatticeModel_Rig(block->model, block->joints, block->rig);
    snLatticeState_Start(block->model, block->state, block->rig, NULL);
    for (int k = 0; k < 30; k++)
        snBlock_Step(block);
    snLatticeState_Save(block->state, block->beginning);
    block->age = 0;
    return SN_OK;
}

bool snBlock_Make(snBlock *block, snBlockSize size, const snLatticeModelDef *def)
{
    snContext context = snDefaultContext();
    snQuadratureDef quadrature = snDefaultQuadratureDef();
    snError error = {0};
    *block = (snBlock){.arena = snMakeArena(&context)};
    snStatus status = makeLattice(&block->lattice, cubes[size], &block->arena, &error);
    if (!status) status = snLattice_Check(&block->lattice, &context, &error);
    if (!status)
        status = snQuadrature_Make(&block->quadrature, &block->lattice, &quadrature, &block->arena,
                                   &context, &error);
    if (!status) status = makeModel(block, def, &context, &error);
    if (!status) status = makeState(block, &context, &error);
    if (!status) return true;
    fprintf(stderr, "block: %s\n", error.message);
    snBlock_Destroy(block);
    return false;
}

void snBlock_Destroy(snBlock *block)
{
    snLatticeState_Destroy(block->state);
    snLatticeModel_Destroy(block->model);
    snArena_Destroy(&block->arena);
    *block = (snBlock){.model = NULL};
}

void snBlock_Step(void *context)
{
    snBlock *block = context;
    if (block->age++ == 120) {
        snLatticeState_Restore(block->state, block->beginning);
        block->age = 1;
    }
    snLatticeDrive drive = {.rig = block->rig, .joints = block->joints};
    if (!snLattice_Step(block->model, block->state, &drive))
        fprintf(stderr, "block: a step failed\n");
}

// ---- the linear problem -----------------------------------------------------------------------

static snStatus freePattern(snPattern *pattern, const snBlock *block, snArena *arena,
                            snError *error)
{
    const snLattice *lattice = &block->lattice;
    int *start = SN_NEW(arena, int, lattice->cellCount + 1);
    int *items = SN_NEW(arena, int, 4 * lattice->cellCount), count = 0;
    if (!start || !items) return SN_ERROR_MEMORY;
    for (int c = 0; c < lattice->cellCount; c++) {
        for (int k = 4 * c; k < 4 * c + 4; k++)
            if (block->freeOf[lattice->corners[k]] >= 0)
                items[count++] = block->freeOf[lattice->corners[k]];
        start[c + 1] = count;
    }
    return snPattern_FromGroups(pattern, block->model->freeCount, lattice->cellCount, start, items,
                                arena, error);
}

snStatus snBlock_LinearMatrix(const snBlock *block, double a, double b, snSparse *matrix,
                              snArena *arena, snError *error)
{
    snSparse all;
    snPattern pattern;
    snStatus status = snLattice_Stiffness(&all, &block->lattice, &block->quadrature, block->young,
                                          block->model->def.poisson, arena, error);
    if (!status) status = freePattern(&pattern, block, arena, error);
    if (!status) status = snSparse_Make(matrix, &pattern, 3, arena, error);
    for (int j = 0; j < all.pattern.size && !status; j++)
        for (int k = all.pattern.columnStart[j]; k < all.pattern.columnStart[j + 1]; k++) {
            int row = block->freeOf[all.pattern.row[k]], column = block->freeOf[j];
            if (row < 0 || column < 0) continue;
            double entry[9];
            for (int c = 0; c < 9; c++)
                entry[c] = b * all.values[9 * k + c];
            for (int c = 0; c < 3 && row == column; c++)
                entry[4 * c] += a * block->model->mass[row];
            snSparse_AddBlock(matrix, row, column, entry);
        }
    return status;
}

static double norm(const snBlock *block, const double *x)
{
    double sum = 0;
    for (int k = 0; k < 3 * block->model->freeCount; k++)
        sum += block->model->mass[k / 3] * x[k] * x[k];
    return sqrt(sum);
}

// x := K⁻¹ M x until |x| in the norm of M grows by 1/ω² each time.
static double iterate(const snBlock *block, const snFactor *factor, snArena *arena)
{
    int n = 3 * block->model->freeCount;
    double *x = SN_NEW(arena, double, n);
    double *scratch = SN_NEW(arena, double, snFactor_ScratchSize(factor, 1)), growth = 0;
    if (!x || !scratch) return 0;
    for (int k = 0; k < n; k++)
        x[k] = k % 3 == 1;
    for (int round = 0; round < 30; round++) {
        double before = norm(block, x);
        for (int k = 0; k < n; k++)
            x[k] *= block->model->mass[k / 3] / before;
        snFactor_Solve(factor, 1, x, scratch);
        growth = norm(block, x);
    }
    return 1 / (2 * 3.14159265358979 * sqrt(growth));
}

double snBlock_Frequency(const snBlock *block)
{
    snContext context = snDefaultContext();
    snArena arena = snMakeArena(&context);
    snSparse stiffness;
    snSymbolic *symbolic;
    snFactor *factor;
    double frequency = 0;
    if (!snBlock_LinearMatrix(block, 0, 1, &stiffness, &arena, NULL) &&
        !snSymbolic_Make(&symbolic, &stiffness.pattern, 3, SN_ORDER_AUTO, &arena, NULL) &&
        !snFactor_Make(&factor, symbolic, &arena, NULL) &&
        !snFactor_Compute(factor, &stiffness, NULL))
        frequency = iterate(block, factor, &arena);
    snArena_Destroy(&arena);
    return frequency;
}
