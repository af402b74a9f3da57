// Heat. Every vertex i is joined to the bone that is nearest to it through the inside, at distance
// d_i, by a rod that carries heat at the rate h_i = c/d_i², and to its neighbours by the surface.
// Where bone j is held at 1 and all others at 0, the temperature in equilibrium is w_j:
//
//     -Δ w_j + h w_j = h p_j,     p_j(i) = 1 where j is nearest to i, shared where several are
//
// In the finite elements of the surface, with lumped areas a_i and L the matrix of cotangents,
//
//     (L + diag(a h)) w_j = diag(a h) p_j.
//
// One factorisation serves all bones. Σ_j p_j = 1, so Σ_j w_j = 1; and because cotangents below zero
// are left out of L, the matrix is an M-matrix and every w_j lies in [0, 1]. The blend between two
// bones is about d/√c wide: thick flesh blends widely, a finger sharply.
#include "character/skin_weights.h"

#include "character/rules.h"
#include "character/voxels.h"
#include "core/elementary.h"
#include "core/error.h"
#include "core/tasks.h"
#include "geometry/primitive.h"
#include "numerics/cholesky.h"

#include <stdlib.h>

enum { SIDES = 8 }; // right-hand sides solved at once

typedef struct Solver {
    const snSolid *solid;
    const snSkinWeightDef *def;
    int jointCount;
    int boneCount;
    snBone *bones; // [boneCount]
    snVoxels voxels;
    snFlood flood;    // from all bones
    int *boneOfCell;  // [cells]
    double *distance; // [vertices], d
    float *near;      // [vertices * jointCount], p
    double *area;     // [vertices], a
    double *heat;     // [vertices], a h
    double *solution; // [vertices * SIDES]
    double *all;      // [vertices * jointCount], w
} Solver;

snSkinWeightDef snDefaultSkinWeightDef(void)
{
    return (snSkinWeightDef){1.0, 200000, 8.0, 0.01};
}

// ---- bones ----

static snStatus collectBones(Solver *solver, const snSkeleton *skeleton, snArena *arena,
                             snError *error)
{
    snPose pose;
    char label[SN_JOINT_LABEL];
    snStatus status = snPose_Make(&pose, skeleton, 0, arena, error);
    if (status) return status;
    solver->bones = SN_NEW(arena, snBone, skeleton->jointCount);
    if (!solver->bones) return snFailMemory(error);
    for (int j = 0; j < skeleton->jointCount; j++) {
        int parent = skeleton->joints[j].parent;
        snVec3 at = pose.global[j].origin;
        if (!snIsFinite3(at))
            return snFail(error, SN_ERROR_ARGUMENT, "joint '%.100s' is not at a finite place",
                          snSkeleton_Label(skeleton, j, label));
        if (parent >= 0)
            solver->bones[solver->boneCount++] = (snBone){parent, pose.global[parent].origin, at};
        else if (skeleton->jointCount == 1)
            solver->bones[solver->boneCount++] = (snBone){j, at, at};
    }
    if (solver->boneCount < 1)
        return snFail(error, SN_ERROR_ARGUMENT, "the skeleton has no bones; connect its joints");
    return SN_OK;
}

// ---- distances through the inside ----

static void floodFromBones(Solver *solver)
{
    snVoxels *voxels = &solver->voxels;
    for (int c = 0; c < voxels->count; c++)
        solver->boneOfCell[c] = -1;
    for (int b = 0; b < solver->boneCount; b++) {
        const snBone *bone = &solver->bones[b];
        int steps = (int)fmin(1e5, ceil(2.0 * snDistance(bone->head, bone->tail) / voxels->cell));
        for (int i = 0; i <= steps; i++) {
            snVec3 at = snLerp(bone->head, bone->tail, steps ? (double)i / steps : 0.0);
            int cell = snVoxels_Find(voxels, at);
            double off = snDistance(at, snVoxels_Middle(voxels, cell));
            if (off < solver->flood.cost[cell]) {
                snFlood_Source(&solver->flood, cell, off);
                solver->boneOfCell[cell] = b;
            }
        }
    }
    snFlood_Run(&solver->flood);
}

// The bone that a cell's way leads to. Sources that were reached more cheaply from others follow
// them.
static int boneOf(const Solver *solver, int cell)
{
    while (solver->flood.from[cell] >= 0)
        cell = solver->flood.from[cell];
    return solver->boneOfCell[cell];
}

// The cell next to a point of the surface by which it is reached at the least cost.
static int bestCell(const Solver *solver, snVec3 point, double *cost)
{
    const snVoxels *voxels = &solver->voxels;
    int cell = snVoxels_Find(voxels, point), best = cell;
    int i = cell % voxels->n[0], j = cell / voxels->n[0] % voxels->n[1];
    int k = cell / voxels->n[0] / voxels->n[1];
    *cost = 1e300;
    for (int c = k > 0 ? -1 : 0; c <= (k + 1 < voxels->n[2]); c++)
        for (int b = j > 0 ? -1 : 0; b <= (j + 1 < voxels->n[1]); b++)
            for (int a = i > 0 ? -1 : 0; a <= (i + 1 < voxels->n[0]); a++) {
                int other = cell + a + voxels->n[0] * (b + voxels->n[1] * c);
                double step = snDistance(point, snVoxels_Middle(voxels, other));
                double way =
                    solver->flood.cost[other] + step * (double)solver->flood.slowness[other];
                if (way >= *cost) continue;
                *cost = way;
                best = other;
            }
    return best;
}

// Whether a point of the surface sees a point: nothing of the surface lies between.
static bool sees(const Solver *solver, snVec3 from, snVec3 to)
{
    snVec3 way = snSub(to, from);
    snVec3 start = snMulAdd(from, 1e-3, way);
    return snMeshTree_Ray(&solver->solid->tree, start, way, 1.0 - 2e-3).triangle < 0;
}

typedef struct Sight {
    double distance;
    int bone;
} Sight;

static int compareSights(const void *a, const void *b)
{
    const Sight *x = a, *y = b;
    if (x->distance != y->distance) return x->distance < y->distance ? -1 : 1;
    return x->bone - y->bone;
}

// The nearest bones in sight have exact distances; they are tried from the nearest on, as far as the
// grid's way to its nearest bone leaves room. Bones as near as the nearest, within a thousandth, share
// the vertex: what lies in a mirror plane belongs to both sides.
static void findNearest(Solver *solver, int vertex, Sight *sights)
{
    snVec3 at = solver->solid->mesh.positions[vertex];
    float *near = solver->near + (size_t)vertex * (size_t)solver->jointCount;
    double way, nearest = 1e300;
    int cell = bestCell(solver, at, &way), shared = 0;
    for (int b = 0; b < solver->boneCount; b++) {
        snVec3 on = snClosestOnSegment(at, solver->bones[b].head, solver->bones[b].tail, NULL);
        sights[b] = (Sight){snDistance(at, on), b};
    }
    qsort(sights, (size_t)solver->boneCount, sizeof *sights, compareSights);
    for (int k = 0; k < solver->boneCount; k++) {
        const snBone *bone = &solver->bones[sights[k].bone];
        if (sights[k].distance > fmin(way, 1.001 * nearest)) break;
        if (!sees(solver, at, snClosestOnSegment(at, bone->head, bone->tail, NULL))) continue;
        nearest = fmin(nearest, sights[k].distance);
        near[bone->joint] += 1.0f;
        shared++;
    }
    if (shared == 0) {
        near[solver->bones[boneOf(solver, cell)].joint] = 1.0f;
        nearest = way;
        shared = 1;
    }
    for (int j = 0; j < solver->jointCount; j++)
        near[j] /= (float)shared;
    solver->distance[vertex] = fmax(nearest, 1e-4 * solver->solid->size);
}

typedef struct NearJob {
    Solver *solver;
    Sight *sights; // [workers * boneCount]
} NearJob;

static void nearestPiece(int begin, int end, int worker, void *context)
{
    NearJob *job = context;
    Sight *sights = job->sights + (size_t)worker * (size_t)job->solver->boneCount;
    for (int v = begin; v < end; v++)
        findNearest(job->solver, v, sights);
}

static snStatus measure(Solver *solver, const snContext *context, snArena *arena, snError *error)
{
    snVoxelDef grid = snDefaultVoxelDef(solver->solid);
    grid.maxCells = solver->def->maxCells;
    grid.depths = false;
    snStatus status =
        snVoxels_Make(&solver->voxels, solver->solid, &grid, &context->tasks, arena, error);
    if (status) return status;
    int cells = solver->voxels.count, vertices = solver->solid->mesh.vertexCount;
    int workers = context->tasks.workers > 1 ? context->tasks.workers : 1;
    float *slowness = SN_NEW(arena, float, cells);
    solver->boneOfCell = SN_NEW(arena, int, cells);
    solver->distance = SN_NEW(arena, double, vertices);
    solver->near = SN_NEW(arena, float, (size_t)vertices *(size_t)solver->jointCount);
    NearJob job = {solver, SN_NEW(arena, Sight, (size_t)workers * (size_t)solver->boneCount)};
    if (!slowness || !solver->boneOfCell || !solver->distance || !solver->near || !job.sights)
        return snFailMemory(error);
    for (int c = 0; c < cells; c++)
        slowness[c] = solver->voxels.inside[c] ? 1.0f : (float)solver->def->outside;
    if ((status = snFlood_Make(&solver->flood, &solver->voxels, slowness, arena, error)))
        return status;
    floodFromBones(solver);
    snParallelFor(&context->tasks, vertices, 64, nearestPiece, &job);
    return SN_OK;
}

// ---- heat ----

// Half the cotangent of the angle at a, across from the edge bc; not below 0, and bounded for
// triangles without area.
static double halfCotangent(snVec3 a, snVec3 b, snVec3 c)
{
    snVec3 u = snSub(b, a), v = snSub(c, a);
    double sine = snLength(snCross(u, v)), cosine = snDot(u, v);
    if (cosine <= 0.0) return 0.0;
    return 0.5 * (sine > 0.01 * cosine ? cosine / sine : 100.0);
}

static void addEdge(snSparse *matrix, int a, int b, double w)
{
    snSparse_AddScalar(matrix, a, a, w);
    snSparse_AddScalar(matrix, b, b, w);
    snSparse_AddScalar(matrix, a, b, -w);
}

static void addSurface(Solver *solver, snSparse *matrix)
{
    const snMesh *mesh = &solver->solid->mesh;
    for (int t = 0; t < mesh->triangleCount; t++) {
        const int *c = mesh->triangles + 3 * t;
        snTriangle f = {mesh->positions[c[0]], mesh->positions[c[1]], mesh->positions[c[2]]};
        double third = snLength(snTriangle_AreaVector(f)) / 3.0;
        addEdge(matrix, c[1], c[2], halfCotangent(f.a, f.b, f.c));
        addEdge(matrix, c[2], c[0], halfCotangent(f.b, f.c, f.a));
        addEdge(matrix, c[0], c[1], halfCotangent(f.c, f.a, f.b));
        for (int i = 0; i < 3; i++)
            solver->area[c[i]] += third;
    }
}

// Vertices without area (of no triangle, or of flat ones) take what their bone tells: a small area
// stands for theirs.
static void addRods(Solver *solver, snSparse *matrix)
{
    double least = 1e-12 * solver->solid->size * solver->solid->size;
    for (int v = 0; v < solver->solid->mesh.vertexCount; v++) {
        double d = solver->distance[v];
        solver->heat[v] = fmax(solver->area[v], least) * solver->def->sharpness / (d * d);
        snSparse_AddScalar(matrix, v, v, solver->heat[v]);
    }
}

static snStatus makePattern(snPattern *pattern, const snMesh *mesh, snArena *arena, snError *error)
{
    int *starts = SN_NEW(arena, int, mesh->triangleCount + 1);
    if (!starts) return snFailMemory(error);
    for (int t = 0; t <= mesh->triangleCount; t++)
        starts[t] = 3 * t;
    return snPattern_FromGroups(pattern, mesh->vertexCount, mesh->triangleCount, starts,
                                mesh->triangles, arena, error);
}

static snStatus factorHeat(Solver *solver, snFactor **factor, snArena *arena, snError *error)
{
    snPattern pattern;
    snSparse matrix;
    snSymbolic *symbolic = NULL;
    snStatus status = makePattern(&pattern, &solver->solid->mesh, arena, error);
    if (!status) status = snSparse_Make(&matrix, &pattern, 1, arena, error);
    if (!status) status = snSymbolic_Make(&symbolic, &pattern, 1, SN_ORDER_AUTO, arena, error);
    if (!status) status = snFactor_Make(factor, symbolic, arena, error);
    if (status) return status;
    addSurface(solver, &matrix);
    addRods(solver, &matrix);
    return snFactor_Compute(*factor, &matrix, error);
}

// SIDES joints at a time.
static void solveSides(Solver *solver, const snFactor *factor, int first, double *scratch)
{
    int vertices = solver->solid->mesh.vertexCount, joints = solver->jointCount;
    for (int v = 0; v < vertices; v++)
        for (int s = 0; s < SIDES; s++) {
            size_t at = (size_t)v * (size_t)joints + (size_t)(first + s);
            double p = first + s < joints ? (double)solver->near[at] : 0.0;
            solver->solution[v * SIDES + s] = solver->heat[v] * p;
        }
    snFactor_Solve(factor, SIDES, solver->solution, scratch);
    for (int v = 0; v < vertices; v++)
        for (int s = 0; s < SIDES && first + s < joints; s++)
            solver->all[(size_t)v * (size_t)joints + (size_t)(first + s)] =
                solver->solution[v * SIDES + s];
}

static snStatus solveHeat(Solver *solver, snArena *arena, snError *error)
{
    size_t vertices = (size_t)solver->solid->mesh.vertexCount;
    solver->area = SN_NEW(arena, double, vertices);
    solver->heat = SN_NEW(arena, double, vertices);
    solver->solution = SN_NEW(arena, double, vertices *SIDES);
    solver->all = SN_NEW(arena, double, vertices *(size_t)solver->jointCount);
    if (!solver->area || !solver->heat || !solver->solution || !solver->all)
        return snFailMemory(error);
    snFactor *factor = NULL;
    snStatus status = factorHeat(solver, &factor, arena, error);
    if (status) return status;
    double *scratch = SN_NEW(arena, double, snFactor_ScratchSize(factor, SIDES));
    if (!scratch) return snFailMemory(error);
    for (int first = 0; first < solver->jointCount; first += SIDES)
        solveSides(solver, factor, first, scratch);
    return SN_OK;
}

// ---- the few largest ----

// Cutting off all but the four largest weights would tear where the fourth and the fifth change
// places. So with t the fifth, or the smallest that counts if that is larger, every kept weight
// becomes
//
//     w - t²/w        (w > t, else 0)
//
// before they are brought to the sum of 1 again: what is about to be cut off has faded to nothing,
// and what is far above t hardly changes.
static void fade(double kept[SN_SKIN_INFLUENCES + 1], double smallest)
{
    double t = fmax(kept[SN_SKIN_INFLUENCES], smallest), sum = 0.0, faded[SN_SKIN_INFLUENCES];
    for (int i = 0; i < SN_SKIN_INFLUENCES; i++) {
        faded[i] = kept[i] > t ? kept[i] - t * t / kept[i] : 0.0;
        sum += faded[i];
    }
    bool alike = sum < 1e-6; // five or more are equal: any four will do
    if (alike) {
        sum = 0.0;
        for (int i = 0; i < SN_SKIN_INFLUENCES; i++)
            sum += kept[i];
    }
    for (int i = 0; i < SN_SKIN_INFLUENCES; i++)
        kept[i] = (alike ? kept[i] : faded[i]) / sum;
}

// The largest first; equal ones in the order of joints. One more than is kept.
static void findLargest(const double *w, int count, double kept[SN_SKIN_INFLUENCES + 1],
                        int joints[SN_SKIN_INFLUENCES + 1])
{
    for (int j = 0; j < count; j++) {
        int i = SN_SKIN_INFLUENCES + 1;
        for (; i > 0 && w[j] > kept[i - 1]; i--)
            if (i <= SN_SKIN_INFLUENCES) {
                kept[i] = kept[i - 1];
                joints[i] = joints[i - 1];
            }
        if (i > SN_SKIN_INFLUENCES) continue;
        kept[i] = w[j];
        joints[i] = j;
    }
}

static void keepLargest(const Solver *solver, int vertex, int *joints, float *weights)
{
    const double *w = solver->all + (size_t)vertex * (size_t)solver->jointCount;
    double kept[SN_SKIN_INFLUENCES + 1] = {0};
    int owners[SN_SKIN_INFLUENCES + 1] = {0};
    findLargest(w, solver->jointCount, kept, owners);
    fade(kept, solver->def->smallest);
    for (int i = 0; i < SN_SKIN_INFLUENCES; i++) {
        weights[i] = (float)kept[i];
        joints[i] = weights[i] > 0.0f ? owners[i] : 0;
    }
}

static snStatus compute(Solver *solver, const snSkeleton *skeleton, const snContext *context,
                        snArena *arena, snError *error)
{
    snStatus status = collectBones(solver, skeleton, arena, error);
    if (!status) status = measure(solver, context, arena, error);
    if (!status) status = solveHeat(solver, arena, error);
    return status;
}

snStatus snComputeSkinWeights(int *joints, float *weights, const snSolid *solid,
                              const snSkeleton *skeleton, const snSkinWeightDef *def,
                              const snContext *context, snError *error)
{
    if (!(def->sharpness > 0.0) || !(def->outside >= 1.0) || def->maxCells < 1000 ||
        !(def->smallest >= 0.0 && def->smallest < 0.25))
        return snFail(error, SN_ERROR_ARGUMENT,
                      "weights with sharpness %g, outside %g, %d cells, smallest %g; they must be "
                      "above 0, at least 1, at least 1000, in [0, 0.25)",
                      def->sharpness, def->outside, def->maxCells, def->smallest);
    snArena arena = snMakeArena(context);
    Solver solver = {.solid = solid, .def = def, .jointCount = skeleton->jointCount};
    snStatus status = compute(&solver, skeleton, context, &arena, error);
    for (int v = 0; !status && v < solid->mesh.vertexCount; v++)
        keepLargest(&solver, v, joints + SN_SKIN_INFLUENCES * v, weights + SN_SKIN_INFLUENCES * v);
    snArena_Destroy(&arena);
    return status;
}
