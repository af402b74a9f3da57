// Carrying a surface: its points follow the lattice, its normals the points.
//
//     p += Σ_a φ_a (x_a - p_L,a)          what the body does beyond its rig
//     n  = Σ (b - a) x (c - a) / |...|    over the triangles a, b, c around a point
//
// Every sum has one order (corners, triangles ascending), each point is written by one thread, and
// every lane sees the same operations at any width: the bits depend on neither threads nor
// instruction set. All memory is made beforehand.
#ifndef SN_BODY_LATTICE_CARRY_H
#define SN_BODY_LATTICE_CARRY_H

#include "body/lattice/embed.h"
#include "core/tasks.h"

typedef struct snCarryDef {
    const snEmbedding *embedding;
    int vertexCount;      // of the lattice
    const int *indexOf;   // [vertexCount], lattice vertex -> its row in positions; NULL: the same
    int triangleCount;    // 0: there will be no normals
    const int *triangles; // [triangleCount * 3], numbers of points
} snCarryDef;

typedef struct snCarry {
    int pointCount, width; // as in the embedding
    int *vertex;           // [pointCount * width], rows of positions
    double *weight;        // [pointCount * width]
    float *single;         // the same, rounded
    int triangleCount;
    int *triangle; // [triangleCount * 3]
    // The triangles around every point, ascending, eight points side by side: those of points 8 g to 8 g + 7 are
    // fan[8 fanStart[g]] on, eight numbers for the first triangle of each, eight for the second, and so on. Where a
    // point has fewer than its neighbours, triangleCount stands, which has no area.
    int *fanStart; // [(pointCount + 7) / 8 + 1]
    int *fan;
} snCarry;

// In the arena. Fails when a number is out of range, naming it.
snStatus snCarry_Make(snCarry *carry, const snCarryDef *def, snArena *arena, snError *error);

// Adds Σ φ (x - rig) to points that the rig gave. `position` and `rig` are [vertices * 4], as a
// state of one body has them.
void snCarry_AddOffsets(const snCarry *carry, const double *position, const double *rig,
                        const snTasks *tasks, snVec3f *points);

// Unit normals, weighted by the triangles' areas. Points without triangles, or whose triangles
// cancel out or are not numbers, get (0, 0, 0). `scratch` has (triangleCount + 1) * 4 floats.
void snCarry_Normals(const snCarry *carry, const snVec3f *points, const snTasks *tasks,
                     float *scratch, snVec3f *normals);

// The same two by the calling thread, for many bodies beside each other: points, offsets x - rig of lattice vertices and
// normals are rows of four floats (x, y, z, any).
void snCarry_AddToRows(const snCarry *carry, const float *offsets, float *rows);
void snCarry_NormalsOfRows(const snCarry *carry, const float *rows, float *scratch, float *normals);

// carry_kernel.c, once per instruction set.
typedef struct snCarryPass {
    const snCarry *carry;
    const double *position, *rig;
    const float *offset; // of `rowOffsets`: position - rig
    float *points;       // written by `offsets`, read by `areas`
    size_t stride;       // floats from one to the next: 3, or 4, the last of which nobody needs
    float *areas;        // [(triangleCount + 1) * 4], the last four of them 0
    float *normals;
    size_t normalStride; // floats, 3 or 4 likewise
} snCarryPass;

typedef struct snCarryKernels {
    void (*offsets)(const snCarryPass *pass, int begin, int end);    // over points
    void (*rowOffsets)(const snCarryPass *pass, int begin, int end); // the same in single precision
    void (*areas)(const snCarryPass *pass, int begin, int end);      // over triangles
    void (*normals)(const snCarryPass *pass, int begin, int end);    // over points, begin % 8 == 0
} snCarryKernels;

#endif
