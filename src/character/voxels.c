#include "character/voxels.h"

#include "core/elementary.h"
#include "core/error.h"
#include "core/tasks.h"
#include "geometry/primitive.h"

static const double nowhere = 1e300;

snVoxelDef snDefaultVoxelDef(const snSolid *solid)
{
    // 200 thousand cells are a second's work; 96 along the longest side see an ear of a hundredth.
    return (snVoxelDef){snIdentity3(), solid->bounds, 200000, 96, true};
}

snVec3 snVoxels_Middle(const snVoxels *voxels, int cell)
{
    int i = cell % voxels->n[0], j = cell / voxels->n[0] % voxels->n[1];
    int k = cell / voxels->n[0] / voxels->n[1];
    snVec3 at = snScale(voxels->cell, snVec(i + 0.5, j + 0.5, k + 0.5));
    return snAdd(voxels->origin, snMulMV(voxels->axes, at));
}

static int clampIndex(double x, int count)
{
    if (!(x > 0.0)) return 0;
    return x < count ? (int)x : count - 1;
}

int snVoxels_Find(const snVoxels *voxels, snVec3 point)
{
    snVec3 at = snMulTMV(voxels->axes, snSub(point, voxels->origin));
    int i = clampIndex(at.x / voxels->cell, voxels->n[0]);
    int j = clampIndex(at.y / voxels->cell, voxels->n[1]);
    int k = clampIndex(at.z / voxels->cell, voxels->n[2]);
    return i + voxels->n[0] * (j + voxels->n[1] * k);
}

// The cell's edge: the longest side has at most maxSide cells, the box at most about maxCells.
static void chooseCell(snVoxels *voxels, const snVoxelDef *def)
{
    snVec3 extent = snSub(def->box.upper, def->box.lower);
    double sides[3] = {extent.x, extent.y, extent.z};
    double longest = fmax(extent.x, fmax(extent.y, extent.z)), volume = 1.0;
    for (int a = 0; a < 3; a++)
        volume *= fmax(sides[a], longest / def->maxSide);
    voxels->cell = fmax(longest / def->maxSide, snCbrt(volume / def->maxCells));
    for (int a = 0; a < 3; a++) {
        voxels->n[a] = (int)ceil(sides[a] / voxels->cell);
        if (voxels->n[a] < 1) voxels->n[a] = 1;
    }
    voxels->count = voxels->n[0] * voxels->n[1] * voxels->n[2];
}

// The grid is filled in blocks of BLOCK³ cells. With the distance D from a block's middle to the
// surface and its half diagonal r:
// - D > r: no surface passes through. All of it is inside or all outside, unless an open surface is
//   near, through whose hole the inside fades into the outside; then the winding number of the
//   middle is neither near 0 nor near 1, and the cells are asked one by one.
// - A cell's depth is at most D + r, which cuts its search short.
enum { BLOCK = 4 };

typedef struct DepthJob {
    const snVoxels *voxels;
    const snSolid *solid;
    int blocks[3];
} DepthJob;

typedef struct Block {
    int from[3], to[3];
    bool uniform, inside; // uniform: all cells are `inside` or not
    double farthest;      // bound of the depths
} Block;

static Block blockOf(const DepthJob *job, int number)
{
    const snVoxels *voxels = job->voxels;
    Block block = {0};
    int at[3] = {number % job->blocks[0], number / job->blocks[0] % job->blocks[1],
                 number / job->blocks[0] / job->blocks[1]};
    for (int a = 0; a < 3; a++) {
        block.from[a] = BLOCK * at[a];
        block.to[a] = block.from[a] + BLOCK < voxels->n[a] ? block.from[a] + BLOCK : voxels->n[a];
    }
    double half = 0.5 * BLOCK * voxels->cell, r = 1.7320508075688774 * half;
    snVec3 corner = snScale(voxels->cell, snVec(block.from[0], block.from[1], block.from[2]));
    snVec3 middle =
        snAdd(voxels->origin, snMulMV(voxels->axes, snAdd(corner, snVec(half, half, half))));
    double distance = snMeshTree_Closest(&job->solid->tree, middle, nowhere).distance;
    double winding = distance > r ? fabs(snWinding_Number(job->solid->winding, middle)) : 0.5;
    block.uniform = distance > r && (winding < 0.1 || winding > 0.9);
    block.inside = winding > 0.5;
    block.farthest = distance + r;
    return block;
}

static void fillCell(const DepthJob *job, const Block *block, int cell)
{
    const snVoxels *voxels = job->voxels;
    snVec3 middle = snVoxels_Middle(voxels, cell);
    bool inside = block->uniform ? block->inside : snSolid_Inside(job->solid, middle);
    voxels->inside[cell] = inside;
    if (!inside || !voxels->depth) return;
    double limit = 1.0001 * block->farthest;
    double depth = snMeshTree_Closest(&job->solid->tree, middle, limit).distance;
    voxels->depth[cell] = (float)fmax(depth, 1e-3 * voxels->cell);
}

static void fillBlocks(int begin, int end, int worker, void *context)
{
    (void)worker;
    const DepthJob *job = context;
    const int *n = job->voxels->n;
    for (int number = begin; number < end; number++) {
        Block block = blockOf(job, number);
        if (block.uniform && !block.inside) continue;
        for (int k = block.from[2]; k < block.to[2]; k++)
            for (int j = block.from[1]; j < block.to[1]; j++)
                for (int i = block.from[0]; i < block.to[0]; i++)
                    fillCell(job, &block, i + n[0] * (j + n[1] * k));
    }
}

snStatus snVoxels_Make(snVoxels *voxels, const snSolid *solid, const snVoxelDef *def,
                       const snTasks *tasks, snArena *arena, snError *error)
{
    snVec3 extent = snSub(def->box.upper, def->box.lower);
    *voxels = (snVoxels){.axes = def->axes, .origin = snMulMV(def->axes, def->box.lower)};
    if (!(fmax(extent.x, fmax(extent.y, extent.z)) > 0.0) || def->maxSide < 1 || def->maxCells < 1)
        return snFail(error, SN_ERROR_ARGUMENT, "the grid has no extent");
    chooseCell(voxels, def);
    voxels->inside = SN_NEW(arena, unsigned char, voxels->count);
    if (def->depths) voxels->depth = SN_NEW(arena, float, voxels->count);
    if (!voxels->inside || (def->depths && !voxels->depth)) return snFailMemory(error);
    DepthJob job = {voxels, solid, {0}};
    for (int a = 0; a < 3; a++)
        job.blocks[a] = (voxels->n[a] + BLOCK - 1) / BLOCK;
    snParallelFor(tasks, job.blocks[0] * job.blocks[1] * job.blocks[2], 8, fillBlocks, &job);
    return SN_OK;
}

// ---- shortest ways ----
// Invariant: cost[heap[(i - 1) / 2]] <= cost[heap[i]], equal costs ordered by the cells' numbers,
// so that the order in which cells leave depends on nothing else.

static bool before(const snFlood *flood, int a, int b)
{
    double x = flood->cost[a], y = flood->cost[b];
    return x < y || (x == y && a < b);
}

static void put(snFlood *flood, int at, int cell)
{
    flood->heap[at] = cell;
    flood->place[cell] = at;
}

static void rise(snFlood *flood, int cell)
{
    int at = flood->place[cell];
    while (at > 0 && before(flood, cell, flood->heap[(at - 1) / 2])) {
        put(flood, at, flood->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    put(flood, at, cell);
}

static void sink(snFlood *flood, int cell)
{
    int at = 0;
    for (;;) {
        int child = 2 * at + 1;
        if (child >= flood->heapCount) break;
        if (child + 1 < flood->heapCount &&
            before(flood, flood->heap[child + 1], flood->heap[child]))
            child++;
        if (!before(flood, flood->heap[child], cell)) break;
        put(flood, at, flood->heap[child]);
        at = child;
    }
    put(flood, at, cell);
}

static int takeFirst(snFlood *flood)
{
    int first = flood->heap[0], last = flood->heap[--flood->heapCount];
    flood->place[first] = -1;
    if (flood->heapCount > 0) sink(flood, last);
    return first;
}

static void improve(snFlood *flood, int cell, double cost, int from)
{
    if (!(cost < flood->cost[cell])) return;
    flood->cost[cell] = cost;
    flood->from[cell] = from;
    if (flood->place[cell] < 0) put(flood, flood->heapCount++, cell);
    rise(flood, cell);
}

snStatus snFlood_Make(snFlood *flood, const snVoxels *voxels, const float *slowness, snArena *arena,
                      snError *error)
{
    *flood = (snFlood){.voxels = voxels, .slowness = slowness};
    flood->cost = SN_NEW(arena, double, voxels->count);
    flood->from = SN_NEW(arena, int, voxels->count);
    flood->heap = SN_NEW(arena, int, voxels->count);
    flood->place = SN_NEW(arena, int, voxels->count);
    if (!flood->cost || !flood->from || !flood->heap || !flood->place) return snFailMemory(error);
    for (int c = 0; c < voxels->count; c++) {
        flood->cost[c] = nowhere;
        flood->from[c] = flood->place[c] = -1;
    }
    return SN_OK;
}

void snFlood_Source(snFlood *flood, int cell, double cost)
{
    if (flood->slowness[cell] > 0.0f) improve(flood, cell, cost, -1);
}

static void visitNeighbours(snFlood *flood, int cell)
{
    static const double lengths[4] = {0.0, 1.0, 1.41421356237309505, 1.73205080756887729};
    const int *n = flood->voxels->n;
    int i = cell % n[0], j = cell / n[0] % n[1], k = cell / n[0] / n[1];
    for (int c = k > 0 ? -1 : 0; c <= (k + 1 < n[2]); c++)
        for (int b = j > 0 ? -1 : 0; b <= (j + 1 < n[1]); b++)
            for (int a = i > 0 ? -1 : 0; a <= (i + 1 < n[0]); a++) {
                int other = cell + a + n[0] * (b + n[1] * c);
                if (other == cell || !(flood->slowness[other] > 0.0f)) continue;
                double mean =
                    0.5 * ((double)flood->slowness[cell] + (double)flood->slowness[other]);
                double length = flood->voxels->cell * lengths[a * a + b * b + c * c];
                improve(flood, other, flood->cost[cell] + length * mean, cell);
            }
}

void snFlood_Run(snFlood *flood)
{
    while (flood->heapCount > 0)
        visitNeighbours(flood, takeFirst(flood));
}
