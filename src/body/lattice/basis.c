#include "body/lattice/basis.h"

#include "body/lattice/basis_parts.h"
#include "body/lattice/map_check.h"
#include "core/error.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define MOST_MEASURED 150000 // functions whose matrix is factored for its condition: some seconds

snBasisDef snDefaultBasisDef(void)
{
    return (snBasisDef){.levels = 1,
                        .samples = 4,
                        .quadratureLevel = 2,
                        .leastShare = 0.01,
                        .leastPivot = 0.1,
                        .measure = true};
}

const char *snFunctionState_Name(snFunctionState state)
{
    static const char *const names[SN_FUNCTION_STATES] = {"kept",   "on bone", "outside",
                                                          "missed", "sliver",  "dependent"};
    return (unsigned)state < SN_FUNCTION_STATES ? names[state] : "unknown";
}

// Every corner of a cell becomes 8^(Q - 1) hexahedra at level Q.
static bool fitsInNumbers(const snBasisDef *def)
{
    int64_t hexes = def->lattice->cellStart[def->lattice->cellCount];
    for (int k = 1; k < def->quadratureLevel && hexes <= INT_MAX; k++)
        hexes *= 8;
    return hexes <= INT_MAX / (SN_CELL_TETS * 4);
}

static snStatus checkDef(const snBasisDef *def, const snContext *context, snError *error)
{
    if (def->levels < 0 || def->levels > SN_BASIS_LEVELS)
        return snFail(error, SN_ERROR_ARGUMENT, "a basis of %d levels: it must be 0 to %d",
                      def->levels, SN_BASIS_LEVELS);
    if ((int)def->scheme < 0 || def->scheme >= SN_SCHEME_COUNT)
        return snFail(error, SN_ERROR_ARGUMENT, "there is no scheme %d", (int)def->scheme);
    if (def->quadratureLevel < def->levels)
        return snFail(error, SN_ERROR_ARGUMENT,
                      "quadrature level %d is below the %d levels of the basis; raise it",
                      def->quadratureLevel, def->levels);
    if (def->samples != 1 && def->samples != 4)
        return snFail(error, SN_ERROR_ARGUMENT, "%d samples per tet: it must be 1 or 4",
                      def->samples);
    if (!(def->leastShare >= 0 && def->leastShare < 1))
        return snFail(error, SN_ERROR_ARGUMENT, "leastShare is %g; it must be in [0, 1)",
                      def->leastShare);
    if (!(def->leastPivot >= 0 && def->leastPivot < 1))
        return snFail(error, SN_ERROR_ARGUMENT, "leastPivot is %g; it must be in [0, 1)",
                      def->leastPivot);
    for (int b = 0; b < def->boneCount; b++)
        if (!snIsFinite3(def->bones[b].head) || !snIsFinite3(def->bones[b].tail))
            return snFail(error, SN_ERROR_GEOMETRY, "bone %d does not have finite ends", b);
    snStatus status = snLattice_Check(def->lattice, context, error);
    if (!status && !fitsInNumbers(def))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "a lattice of %d cells has too many tets at level %d; choose a lower "
                      "quadrature level",
                      def->lattice->cellCount, def->quadratureLevel);
    return status;
}

static snStatus allocFunctions(snBasis *basis, const snLattice *lattice, snArena *arena,
                               snError *error)
{
    int n = basis->functionCount;
    basis->state = SN_NEW(arena, unsigned char, n);
    basis->share = SN_NEW(arena, double, n);
    basis->keptOf = SN_NEW(arena, int, n);
    basis->control = SN_COPY(arena, snVec3, lattice->rest, lattice->vertexCount);
    return basis->control && basis->state && basis->share && basis->keptOf ? SN_OK
                                                                           : snFailMemory(error);
}

// Calls for every pair of a function and a cell of K where it is not zero once, cells ascending: counts
// into start[f + 1], or fills list[start[f]++]. Functions are linear on tets, so they are not zero in a
// cell exactly if they are not at one of its fine vertices.
typedef struct Visit {
    const snWeightRows *rows;
    int *seenVertex, *seen; // [fine vertices], [functions]: the last cell + 1
    int *start, *list;
} Visit;

static void visitVertex(const Visit *visit, int v, int cell)
{
    if (visit->seenVertex[v] == cell + 1) return;
    visit->seenVertex[v] = cell + 1;
    for (int i = visit->rows->start[v]; i < visit->rows->start[v + 1]; i++) {
        int f = visit->rows->column[i];
        if (visit->seen[f] == cell + 1) continue;
        visit->seen[f] = cell + 1;
        if (visit->list)
            visit->list[visit->start[f]++] = cell;
        else
            visit->start[f + 1]++;
    }
}

static void visitSupports(const snBasis *basis, const Visit *visit)
{
    const snBasisMesh *mesh = &basis->mesh;
    memset(visit->seen, 0, (size_t)basis->functionCount * sizeof *visit->seen);
    memset(visit->seenVertex, 0, (size_t)mesh->vertexCount * sizeof *visit->seenVertex);
    for (int t = 0; t < mesh->tetCount; t++)
        for (int k = 0; k < 4; k++)
            visitVertex(visit, mesh->tets[t][k], mesh->tetCell[t]);
}

// Sums counts in start[1 ...] to places.
static void sumStarts(int count, int *start)
{
    for (int k = 0; k < count; k++)
        start[k + 1] += start[k];
}

static snStatus findSupports(snBasis *basis, const snWeightRows *rows, snArena *arena,
                             snArena *scratch, snError *error)
{
    int n = basis->functionCount, cells = basis->cellCount;
    int *next = SN_NEW(scratch, int, n + cells);
    Visit visit = {.rows = rows,
                   .seenVertex = SN_NEW(scratch, int, basis->mesh.vertexCount),
                   .seen = SN_NEW(scratch, int, n)};
    basis->supportStart = SN_NEW(arena, int, n + 1);
    basis->insideStart = SN_NEW(arena, int, cells + 1);
    if (!visit.seen || !visit.seenVertex || !next || !basis->supportStart || !basis->insideStart)
        return snFailMemory(error);
    visit.start = basis->supportStart;
    visitSupports(basis, &visit);
    sumStarts(n, basis->supportStart);
    int total = basis->supportStart[n];
    basis->support = SN_NEW(arena, int, total);
    basis->inside = SN_NEW(arena, int, total);
    if (!basis->support || !basis->inside) return snFailMemory(error);
    memcpy(next, basis->supportStart, (size_t)n * sizeof *next);
    visit.start = next;
    visit.list = basis->support;
    visitSupports(basis, &visit);
    // The transpose: functions in a cell, ascending.
    for (int i = 0; i < total; i++)
        basis->insideStart[basis->support[i] + 1]++;
    sumStarts(cells, basis->insideStart);
    memcpy(next, basis->insideStart, (size_t)cells * sizeof *next);
    for (int f = 0; f < n; f++)
        for (int i = basis->supportStart[f]; i < basis->supportStart[f + 1]; i++)
            basis->inside[next[basis->support[i]]++] = f;
    return SN_OK;
}

// Adds a tet to the volumes of the functions that are not zero on it.
static void addTet(const snBasis *basis, const snWeightRows *rows, int tet, int *seen,
                   double (*volume)[2])
{
    const snBasisMesh *mesh = &basis->mesh;
    for (int k = 0; k < 4; k++) {
        int v = mesh->tets[tet][k];
        for (int i = rows->start[v]; i < rows->start[v + 1]; i++) {
            int f = rows->column[i];
            if (seen[f] == tet + 1) continue;
            seen[f] = tet + 1;
            volume[f][0] += mesh->volume[tet];
            volume[f][1] += mesh->volume[tet] * mesh->fraction[tet];
        }
    }
}

static snStatus findShares(snBasis *basis, const snWeightRows *rows, snArena *scratch,
                           snError *error)
{
    int n = basis->functionCount;
    int *seen = SN_NEW(scratch, int, n);
    double(*volume)[2] = snArena_Alloc(scratch, sizeof *volume, (size_t)n);
    if (!seen || !volume) return snFailMemory(error);
    for (int t = 0; t < basis->mesh.tetCount; t++)
        addTet(basis, rows, t, seen, volume);
    for (int f = 0; f < n; f++)
        basis->share[f] = volume[f][1] > 0 ? volume[f][1] / volume[f][0] : 0;
    return SN_OK;
}

static bool onSegment(snVec3 point, const snBone *bone, double tolerance)
{
    snVec3 axis = snSub(bone->tail, bone->head);
    double t = snDot(snSub(point, bone->head), axis) / snLengthSquared(axis);
    double slack = tolerance / snLength(axis);
    if (!(t >= -slack && t <= 1 + slack)) return false;
    return snDistance(point, snMulAdd(bone->head, t, axis)) <= tolerance;
}

// Bones are chains of edges, and a finer hat is zero on all edges but those that its vertex halves.
// So the functions that would bend a bone are those of vertices between two ends on one bone.
static void markHatsOnBone(snBasis *basis, const snBone *bone, double tolerance)
{
    const snBasisMesh *mesh = &basis->mesh;
    for (int f = basis->levelStart[1]; f < basis->functionCount; f++) {
        const int *end = mesh->source + mesh->sourceStart[f];
        if (mesh->sourceStart[f + 1] - mesh->sourceStart[f] != 2) continue;
        if (onSegment(mesh->rest[end[0]], bone, tolerance) &&
            onSegment(mesh->rest[end[1]], bone, tolerance))
            basis->state[f] = SN_FUNCTION_ON_BONE;
    }
}

// Smooth functions: those that are not zero at a fine vertex on the bone.
static void markSmoothOnBone(snBasis *basis, const snWeightRows *rows, const snBone *bone,
                             double tolerance)
{
    for (int v = 0; v < basis->mesh.vertexCount; v++) {
        if (!onSegment(basis->mesh.rest[v], bone, tolerance)) continue;
        for (int i = rows->start[v]; i < rows->start[v + 1]; i++)
            if (rows->column[i] >= basis->levelStart[1])
                basis->state[rows->column[i]] = SN_FUNCTION_ON_BONE;
    }
}

static void markOnBones(snBasis *basis, const snBasisDef *def, const snWeightRows *rows)
{
    double tolerance = 1e-7 * snBoxDiagonal(snBoxOf(basis->levelStart[1], basis->mesh.rest));
    for (int b = 0; b < def->boneCount; b++) {
        const snBone *bone = &def->bones[b];
        if (!(snDistance(bone->head, bone->tail) > tolerance)) continue;
        if (def->scheme == SN_SCHEME_TRILINEAR)
            markHatsOnBone(basis, bone, tolerance);
        else
            markSmoothOnBone(basis, rows, bone, tolerance);
    }
}

static void markByShare(snBasis *basis, const snBasisDef *def)
{
    for (int f = 0; f < basis->functionCount; f++) {
        if (basis->state[f] != SN_FUNCTION_KEPT) continue;
        if (basis->share[f] <= 0)
            basis->state[f] = SN_FUNCTION_OUTSIDE;
        else if (f >= basis->levelStart[1] && basis->share[f] < def->leastShare)
            basis->state[f] = SN_FUNCTION_SLIVER;
    }
}

// A function without samples in Ω is missed, not outside, if Ω has a vertex where it is not zero.
static snStatus markMissed(snBasis *basis, const snBasisDef *def, const snWeightRows *rows,
                           snArena *scratch, snError *error)
{
    int n = basis->mesh.vertexCount, count = 0;
    int *vertex = SN_NEW(scratch, int, n);
    snVec3 *points = SN_NEW(scratch, snVec3, n);
    unsigned char *inside = SN_NEW(scratch, unsigned char, n);
    if (!vertex || !points || !inside) return snFailMemory(error);
    for (int v = 0; v < n && def->inside.test; v++) {
        bool wanted = false;
        for (int i = rows->start[v]; i < rows->start[v + 1]; i++)
            wanted |= basis->state[rows->column[i]] == SN_FUNCTION_OUTSIDE;
        if (!wanted) continue;
        points[count] = basis->mesh.rest[v];
        vertex[count++] = v;
    }
    if (count) def->inside.test(def->inside.user, count, points, inside);
    for (int k = 0; k < count; k++)
        for (int i = rows->start[vertex[k]]; inside[k] && i < rows->start[vertex[k] + 1]; i++)
            if (basis->state[rows->column[i]] == SN_FUNCTION_OUTSIDE)
                basis->state[rows->column[i]] = SN_FUNCTION_MISSED;
    return SN_OK;
}

snStatus snFunctionSet_Make(snFunctionSet *set, const snBasis *basis, unsigned states,
                            snArena *arena, snError *error)
{
    *set = (snFunctionSet){.number = SN_NEW(arena, int, basis->functionCount)};
    if (!set->number) return snFailMemory(error);
    for (int f = 0; f < basis->functionCount; f++)
        set->number[f] = states >> basis->state[f] & 1 ? set->count++ : -1;
    set->member = SN_NEW(arena, int, set->count);
    if (!set->member) return snFailMemory(error);
    for (int f = 0; f < basis->functionCount; f++)
        if (set->number[f] >= 0) set->member[set->number[f]] = f;
    return SN_OK;
}

// Keeps what is independent, and measures the condition of what there was before, when asked for.
static snStatus chooseIndependent(snBasis *basis, const snBasisDef *def, const snWeightRows *rows,
                                  const snContext *context, snError *error)
{
    snArena scratch = snMakeArena(context);
    snFunctionSet all, chosen;
    snSparse gram;
    unsigned kept = 1u << SN_FUNCTION_KEPT, slivers = 1u << SN_FUNCTION_SLIVER;
    bool hats = def->scheme == SN_SCHEME_TRILINEAR, singular = false;
    bool local = hats && def->quadratureLevel == def->levels;
    double leastPivot = hats ? def->leastPivot : SN_SMOOTH_PIVOT * def->leastPivot;
    snStatus status = snFunctionSet_Make(&all, basis, kept | slivers, &scratch, error);
    if (!status && local && def->leastPivot > 0)
        status = snBasis_ResolveRelations(basis, rows, def->leastPivot, &singular, context, error);
    if (!status && def->measure && !singular)
        status = snBasis_GramOf(&gram, basis, rows, &all, &scratch, error);
    if (!status && def->measure && !singular)
        status = snScaledCondition(&basis->report.conditionBefore, &gram, context, error);
    if (singular && def->measure) basis->report.conditionBefore = INFINITY;
    if (status || local || def->leastPivot <= 0) goto done;
    status = snFunctionSet_Make(&chosen, basis, kept, &scratch, error);
    if (!status) status = snBasis_GramOf(&gram, basis, rows, &chosen, &scratch, error);
    if (!status) status = snBasis_MarkDependent(basis, &gram, &chosen, leastPivot, context, error);
done:
    snArena_Destroy(&scratch);
    return status;
}

static bool inRows(const snBasis *basis, int function)
{
    return function < basis->levelStart[1] || basis->state[function] == SN_FUNCTION_KEPT;
}

static snStatus keepRows(snBasis *basis, const snWeightRows *all, snArena *arena, snError *error)
{
    int n = basis->mesh.vertexCount, count = 0;
    for (int i = 0; i < all->start[n]; i++)
        count += inRows(basis, all->column[i]);
    snWeightRows *rows = &basis->values;
    snStatus status = snWeightRows_Make(rows, n, all->columns, (size_t)count, arena, error);
    if (status) return status;
    for (int v = 0, at = 0; v < n; v++) {
        for (int i = all->start[v]; i < all->start[v + 1]; i++) {
            if (!inRows(basis, all->column[i])) continue;
            rows->column[at] = all->column[i];
            rows->weight[at++] = all->weight[i];
        }
        rows->start[v + 1] = at;
    }
    return SN_OK;
}

static snStatus keepFunctions(snBasis *basis, snArena *arena, snError *error)
{
    snFunctionSet set;
    snStatus status = snFunctionSet_Make(&set, basis, 1u << SN_FUNCTION_KEPT, arena, error);
    basis->keptCount = set.count;
    basis->kept = set.member;
    basis->keptOf = set.number;
    return status;
}

static snStatus report(snBasis *basis, const snBasisDef *def, const snContext *context,
                       snError *error)
{
    snBasisReport *out = &basis->report;
    out->worstShare = out->worstFiner = 1;
    for (int f = 0; f < basis->functionCount; f++) {
        int level = snBasis_Level(basis, f);
        out->count[level][basis->state[f]]++;
        if (basis->state[f] != SN_FUNCTION_KEPT) continue;
        out->worstShare = fmin(out->worstShare, basis->share[f]);
        if (level > 0) out->worstFiner = fmin(out->worstFiner, basis->share[f]);
    }
    if (!def->measure || basis->keptCount > MOST_MEASURED) return SN_OK;
    snArena scratch = snMakeArena(context);
    snSparse gram;
    snStatus status = snBasis_Gram(&gram, basis, &scratch, error);
    if (!status) status = snScaledCondition(&out->conditionAfter, &gram, context, error);
    snArena_Destroy(&scratch);
    return status;
}

snStatus snBasis_Make(snBasis *basis, const snBasisDef *def, snArena *arena,
                      const snContext *context, snError *error)
{
    *basis = (snBasis){
        .scheme = def->scheme, .levels = def->levels, .quadratureLevel = def->quadratureLevel};
    snStatus status = checkDef(def, context, error);
    if (status) return status;
    basis->cellCount = def->lattice->cellCount;
    snArena scratch = snMakeArena(context);
    snNodes nodes;
    snNodesDef nodesDef = {def->scheme, def->lattice, def->levels, def->quadratureLevel};
    status = snNodes_Make(&nodes, &nodesDef, &scratch, context, error);
    const snWeightRows *all = &nodes.rows;
    if (!status && def->scheme != SN_SCHEME_TRILINEAR && def->quadratureLevel > 0)
        status = snNodes_CheckMap(&nodes, context, error);
    if (!status) status = snBasis_MakeMesh(basis, def, &nodes, arena, context, error);
    if (!status) status = allocFunctions(basis, def->lattice, arena, error);
    if (!status) status = findSupports(basis, all, arena, &scratch, error);
    if (!status) status = findShares(basis, all, &scratch, error);
    if (!status) markOnBones(basis, def, all);
    if (!status) markByShare(basis, def);
    if (!status) status = markMissed(basis, def, all, &scratch, error);
    if (!status) status = chooseIndependent(basis, def, all, context, error);
    if (!status) status = keepRows(basis, all, arena, error);
    if (!status) status = keepFunctions(basis, arena, error);
    snArena_Destroy(&scratch);
    if (!status) status = report(basis, def, context, error);
    return status;
}

int snBasis_Activate(const snBasis *basis, const unsigned char *cellLevel, unsigned char *active)
{
    int count = 0;
    for (int f = 0; f < basis->functionCount; f++) {
        int level = snBasis_Level(basis, f);
        bool wanted = level == 0;
        for (int i = basis->supportStart[f]; i < basis->supportStart[f + 1] && !wanted; i++)
            wanted = cellLevel[basis->support[i]] >= level;
        active[f] = wanted && basis->state[f] == SN_FUNCTION_KEPT;
        count += active[f];
    }
    return count;
}

void snBasis_Rest(const snBasis *basis, snVec3 *coefficients)
{
    for (int f = 0; f < basis->functionCount; f++)
        coefficients[f] = f < basis->levelStart[1] ? basis->control[f] : snVec(0, 0, 0);
}

static bool isUsed(const snBasis *basis, const unsigned char *active, int function)
{
    return function < basis->levelStart[1] ||
           (function < basis->functionCount && basis->state[function] == SN_FUNCTION_KEPT &&
            (!active || active[function]));
}

static snVec3 smoothPoint(const snBasis *basis, const snVec3 *coefficients,
                          const unsigned char *active, int v)
{
    const snWeightRows *rows = &basis->values;
    snVec3 p = {0, 0, 0};
    for (int i = rows->start[v]; i < rows->start[v + 1]; i++)
        if (isUsed(basis, active, rows->column[i]))
            p = snMulAdd(p, rows->weight[i], coefficients[rows->column[i]]);
    return p;
}

void snBasis_Points(const snBasis *basis, const snVec3 *coefficients, const unsigned char *active,
                    snVec3 *points)
{
    const snBasisMesh *mesh = &basis->mesh;
    for (int v = 0; v < mesh->vertexCount; v++) {
        if (basis->scheme != SN_SCHEME_TRILINEAR) {
            points[v] = smoothPoint(basis, coefficients, active, v);
            continue;
        }
        int begin = mesh->sourceStart[v], end = mesh->sourceStart[v + 1];
        snVec3 p = {0, 0, 0};
        for (int s = begin; s < end; s++)
            p = snAdd(p, points[mesh->source[s]]);
        if (end > begin) p = snScale(1.0 / (end - begin), p);
        points[v] = isUsed(basis, active, v) ? snAdd(p, coefficients[v]) : p;
    }
}
