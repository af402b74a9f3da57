// A grid of cubes over a solid: which of them are inside, and how deep. And shortest ways through
// the grid, by Dijkstra's method over the 26 neighbours of a cell, with a slowness per cell.
#ifndef SN_CHARACTER_VOXELS_H
#define SN_CHARACTER_VOXELS_H

#include "character/solid.h"

typedef struct snVoxels {
    snVec3 origin; // outer corner of cell (0, 0, 0)
    snMat3 axes;   // unit columns: the directions of i, j, k
    double cell;   // edge of a cube
    int n[3];
    int count;             // n[0] n[1] n[2]; cell (i, j, k) is number i + n[0] (j + n[1] k)
    unsigned char *inside; // [count], the cell's middle is inside
    float *depth;          // [count], distance of the middle to the surface; 0 outside. May be NULL
} snVoxels;

typedef struct snVoxelDef {
    snMat3 axes;  // unit columns
    snBox box;    // what to cover, in the coordinates of the axes
    int maxCells; // about the largest number of cells; more follow thinner limbs
    int maxSide;  // largest number of cells along a side
    bool depths;  // also measure depths; without, `depth` is NULL
} snVoxelDef;

snVoxelDef snDefaultVoxelDef(const snSolid *solid); // along the coordinate axes, around the solid

// The lower faces of the box are faces of the grid. Lives in the arena.
snStatus snVoxels_Make(snVoxels *voxels, const snSolid *solid, const snVoxelDef *def,
                       const snTasks *tasks, snArena *arena, snError *error);

snVec3 snVoxels_Middle(const snVoxels *voxels, int cell);
int snVoxels_Find(const snVoxels *voxels, snVec3 point); // the cell around a point, or the nearest

// Ways from sources to every cell. The cost of a step between neighbours is its length times the
// mean of their slownesses; cells whose slowness is not above 0 are never entered.
typedef struct snFlood {
    const snVoxels *voxels;
    const float *slowness; // [count]
    double *cost;          // [count], 1e300 where no way leads
    int *from;             // [count], the cell before; -1 at sources and where no way leads
    int *heap, *place;     // cells by cost, and where in the heap a cell is (-1: nowhere)
    int heapCount;
} snFlood;

snStatus snFlood_Make(snFlood *flood, const snVoxels *voxels, const float *slowness, snArena *arena,
                      snError *error);

// A source, with what it costs to be there. Sources can be added after a run; the next run then
// only improves what changes.
void snFlood_Source(snFlood *flood, int cell, double cost);
void snFlood_Run(snFlood *flood);

#endif
